int sink;
void use(int v) { sink = v; }
union u { int i; float f; unsigned char b[4]; };
void f(int x, float y) {
    union u v;
    v.i = x;
    int a = v.i;
    v.f = y;
    int c = v.i;
    v.b[0] = 1;
    int d = v.i;
    use(a);
    use(c);
    use(d);
}
//@ slice 12:a = 6 7 12
//@ has 13:c = 8 9 13
//@ not 13:c = 7 10 11 12
//@ has 14:d = 8 10 11 14
//@ not 14:d = 7 9
