int sink;
void use(int v) { sink = v; }
typedef long jmp_buf[8];
int setjmp(jmp_buf) __attribute__((returns_twice));
void longjmp(jmp_buf, int) __attribute__((noreturn));
static jmp_buf env;
static void fail(int code) {
    longjmp(env, code);
}
void f(int a, int x, int z) {
    int c = setjmp(env);
    if (c == 0) {
        if (a)
            fail(x);
    }
    int k = z;
    use(c);
    use(k);
}
//@ has 17:c = 8 11 12 13 14 17
//@ not 17:c = 16 18
//@ has 18:k = 16 18
