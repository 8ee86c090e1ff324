// Each function stands for itself: what src() gives reaches sink(), or not.
int src(void); void sink(int);
struct q { int n; struct q *next; };
void *malloc(unsigned long);
static struct q *cons(int n, struct q *next) { struct q *p = malloc(sizeof *p); p->n = n; p->next = next; return p; }
void t1(void) { struct q *l = cons(1, cons(src(), 0)); sink(l->next->n); } //~ FLOW
static void fill(struct q *p, int v) { p->n = v; }
static void outer(struct q *p, int v) { fill(p, v); }
void t2(void) { struct q a, b; outer(&a, src()); outer(&b, 1); sink(a.n); } //~ FLOW
void t3(void) { struct q a, b; outer(&a, src()); outer(&b, 1); sink(b.n); } //~ NOFLOW
static struct q pool[4]; static int used; static struct q *take(void) { return &pool[used++ & 3]; }
void t4(void) { struct q *p = take(); p->n = src(); struct q *r = take(); sink(r->n); } //~ FLOW
static void swap(int **a, int **b) { int *t = *a; *a = *b; *b = t; }
void t5(void) { int x = src(), y = 0; int *p = &x, *r = &y; swap(&p, &r); sink(*r); } //~ FLOW
static int (*hook)(int); static int leak(int v) { sink(v); return 0; }
void t6(void) { hook = leak; hook(src()); } //~ FLOW
void t7(void) { int a[4]; int *e = a + 4; for (int *p = a; p < e; p++) *p = src(); sink(a[2]); } //~ FLOW
static void setp(int **pp, int *v) { *pp = v; }
void t8(void) { int x = 0; int *p; setp(&p, &x); *p = src(); sink(x); } //~ FLOW
struct o { int (*f)(struct o *); int v; }; static int getv(struct o *s) { return s->v; }
void t9(void) { struct o k = { getv, 0 }; k.v = src(); sink(k.f(&k)); } //~ FLOW
static int g; static int *addr(void) { return &g; }
void t10(void) { *addr() = src(); sink(g); } //~ FLOW
void t11(void) { int x = 0; { int *p = &x; goto L; L: *p = src(); } sink(x); } //~ FLOW
static int fib(int n, int *out) { if (n < 2) { *out += n; return n; } return fib(n - 1, out) + fib(n - 2, out); }
void t12(void) { int acc = 0; fib(src(), &acc); sink(acc); } //~ FLOW
// Memory of callers is read and written back in one function after the other, and still holds what was put there.
typedef void (*act)(void **, int); static int spare; static void tell(void **slot, int v) { (void)slot; sink(v); }
static void act3(void **slot, int v) { act a = (act)*slot; a(slot, v); } static act after2[] = { act3 };
static void act2(void **slot, int v) { void *kept = *slot; if (!kept) kept = &spare; *slot = kept; after2[0](slot, v); } static act after1[] = { act2 };
static void act1(void **slot, int v) { *slot = (void *)tell; after1[0](slot, v); } static act after0[] = { act1 };
void t13(void **slot) { void *kept = *slot; *slot = kept; after0[0](slot, src()); } //~ FLOW
// Callers call what they get hold of: functions that they find in memory they reach.
static int inner; static void show(void) { sink(inner); }
void t14(void (**o)(void)) { inner = src(); *o = show; } //~ FLOW
struct ops { void (*put)(int *); void (*out)(void); }; static void put(int *p) { inner = *p; }
void t15(struct ops *o) { o->put = put; o->out = show; src(); } //~ NOFLOW
void t16(struct ops *o, int *p) { o->put = put; o->out = show; *p = src(); } //~ FLOW
static void quiet(void) { sink(spare); }
void t17(void (**o)(void)) { inner = src(); *o = quiet; } //~ NOFLOW
// An entry gets pointers as variable arguments, too.
void t18(int *p, ...) { __builtin_va_list l; __builtin_va_start(l, p); *__builtin_va_arg(l, int *) = src(); __builtin_va_end(l); sink(*p); } //~ FLOW
