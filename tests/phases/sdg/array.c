int sink;
void use(int v) { sink = v; }
void f(int i, int j, int x, int y) {
    int a[4] = {0, 0, 0, 0};
    int b[4] = {0, 0, 0, 0};
    a[i] = x;
    b[j] = y;
    a[0] = 1;
    int r = a[j];
    int s = b[i];
    use(r);
    use(s);
}
//@ slice 11:r = 4 6 8 9 11
//@ slice 12:s = 5 7 10 12
//@ chop 6 -> 11 has 6 9 11
//@ chop 6 -> 12:s empty
