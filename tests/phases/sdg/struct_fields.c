int sink;
void use(int v) { sink = v; }
struct pair { int a; int b; };
void f(int x, int y) {
    struct pair p;
    p.a = x;
    p.b = y;
    struct pair q = p;
    q.b = 3;
    use(p.a);
    use(p.b);
    use(q.a);
    use(q.b);
}
static void g(struct pair *p, int x, int y) {
    p->a = x;
    p->b = y;
    use(p->a);
    use(p->b);
}
void h(int x, int y) {
    struct pair one;
    g(&one, x, y);
}
//@ slice 10:p.a = 6 10
//@ slice 11:p.b = 7 11
//@ has 12:q.a = 6 8 12
//@ not 12:q.a = 9 10 11
//@ slice 13:q.b = 9 13
//@ has 18:p->a = 16 18 23
//@ not 18:p->a = 17
//@ has 19:p->b = 17 19 23
//@ not 19:p->b = 16 18
