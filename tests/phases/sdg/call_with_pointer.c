int sink;
void use(int v) { sink = v; }
static void set(int *to, int v) {
    *to = v;
}
static void swap(int *a, int *b) {
    int t = *a;
    *a = *b;
    *b = t;
}
void f(int x, int y) {
    int m = 1;
    int n = 2;
    int k = 3;
    set(&m, x);
    set(&n, y);
    use(m);
    use(n);
    use(k);
    swap(&m, &n);
    use(m);
}
//@ has 17:m = 4 15 17
//@ not 17:m = 14 18 19 20
//@ has 18:n = 4 16 18
//@ not 18:n = 14 17 19 20
//@ slice 19:k = 14 19
//@ has 21:m = 4 8 16 20 21
//@ not 21:m = 14 17 18 19
//@ chop 15 -> 17 has 15 4 17
