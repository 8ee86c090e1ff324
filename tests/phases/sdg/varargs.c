int sink;
void use(int v) { sink = v; }
typedef __builtin_va_list va_list;
int sum(int n, ...) {
    va_list ap;
    int s = 0;
    __builtin_va_start(ap, n);
    for (int i = 0; i < n; i++)
        s += __builtin_va_arg(ap, int);
    __builtin_va_end(ap);
    return s;
}
void f(int x, int y, int z) {
    int a = x + 1;
    int b = y + 1;
    int c = z + 1;
    int r = sum(2, a, b);
    use(r);
    use(c);
}
//@ has 18:r = 6 7 8 9 11 14 15 17 18
//@ not 18:r = 16 19
//@ slice 19:c = 16 19
