int sink;
void use(int v) { sink = v; }
typedef long jmp_buf[8];
int setjmp(jmp_buf) __attribute__((returns_twice));
void longjmp(jmp_buf, int) __attribute__((noreturn));
static jmp_buf env;
int f(int a, int b, int z) {
    int other = z;
    int c = setjmp(env);
    if (c) {
        use(c);
        return other;
    }
    int code = b + 2;
    other = 1;
    if (a)
        longjmp(env, code);
    use(other);
    return 0;
}
//@ has 11:c = 9 10 11 14 16 17
//@ has 12:other = 8 12 15
//@ not 18:other = 8
