int sink;
void use(int v) { sink = v; }
int add(int a, int b) {
    return a + b;
}
int first(int a, int b) {
    b = b + 1;
    return a;
}
void f(int x, int y) {
    int p = x + 1;
    int q = y + 1;
    int r = add(p, q);
    int s = first(p, q);
    int t = first(q, p);
    use(r);
    use(s);
    use(t);
}
//@ slice 16:r = 4 11 12 13 16
//@ slice 17:s = 8 11 14 17
//@ slice 18:t = 8 12 15 18
//@ chop 11 -> 17:s has 11 8 14 17
//@ chop 11 -> 17:s not 12 15 18
//@ chop 12 -> 18:t has 12 8 15 18
//@ chop 12 -> 17:s empty
