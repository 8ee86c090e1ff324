int sink;
void use(int v) { sink = v; }
int g;
int h;
void set(int v) {
    g = v;
}
int get(void) {
    return g;
}
void touch(void) {
    h = 4;
}
void f(int x, int y) {
    h = y;
    set(x);
    touch();
    int r = get();
    int s = h;
    use(r);
    use(s);
}
//@ slice 20:r = 6 9 16 18 20
//@ slice 21:s = 12 17 19 21
//@ chop 16 -> 20:r has 16 6 9 18 20
//@ chop 16 -> 21:s empty
