int sink;
void use(int v) { sink = v; }
static int inc(int v) {
    return v + 1;
}
static int neg(int v) {
    return -v;
}
int never(int v) {
    return v * 100;
}
void f(int c, int x, int y) {
    int (*op)(int) = inc;
    if (c)
        op = neg;
    int r = op(x);
    int s = y;
    use(r);
    use(s);
}
//@ has 18:r = 4 7 13 14 15 16 18
//@ not 18:r = 10 17 19
//@ slice 19:s = 17 19
