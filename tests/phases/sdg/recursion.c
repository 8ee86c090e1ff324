int sink;
void use(int v) { sink = v; }
int fact(int n, int unused) {
    if (n < 2)
        return 1;
    int rest = fact(n - 1, unused + 1);
    return n * rest;
}
void f(int x, int y) {
    int a = x + 2;
    int b = y + 3;
    int r = fact(a, b);
    use(r);
}
int odd(int n);
int even(int n) {
    if (n == 0)
        return 1;
    return odd(n - 1);
}
int odd(int n) {
    if (n == 0)
        return 0;
    return even(n - 1);
}
void g(int x, int y) {
    int r = even(x);
    int z = y;
    use(r);
    use(z);
}
//@ slice 13:r = 4 5 6 7 10 12 13
//@ slice 29:r = 17 18 19 22 23 24 27 29
//@ slice 30:z = 28 30
//@ chop 11 -> 13:r empty
