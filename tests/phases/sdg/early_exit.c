int sink;
void use(int v) { sink = v; }
void exit(int) __attribute__((noreturn));
void f(int a, int x) {
    int r = x;
    if (a < 0)
        exit(1);
    use(r);
}
int g(int a, int x) {
    if (a)
        return 0;
    int y = x;
    use(y);
    return y;
}
static void check(int a) {
    if (a == 3)
        exit(2);
}
void h(int a, int x) {
    int r = x;
    check(a);
    use(r);
}
//@ has 8:r = 5 6 8
//@ slice 14:y = 11 13 14
//@ control 6 -> 8 false
//@ has 24:r = 18 22 23 24
//@ not 24:r = 5 6 11
