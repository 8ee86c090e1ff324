// Calls: structs by value, recursion, function pointers of all shapes, static locals, callbacks, K&R, implicit declarations.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct big { int a[10]; char c; }; struct tiny { char c; }; struct fl { float x, y; };
static struct big modify(struct big b, int i) { b.a[i] = 99; b.c++; return b; }
static struct tiny inc(struct tiny t) { t.c++; return t; } static struct fl scale(struct fl f, float k) { f.x *= k; f.y *= k; return f; }
static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); } static int odd(int); static int even(int n) { return n == 0 ? 1 : odd(n - 1); } static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static int counter(void) { static int n = 100; static int *p = &n; return (*p)++; } static int other(void) { static int n; return ++n; }
typedef int (*op)(int, int); static int add(int a, int b) { return a + b; } static int sub(int a, int b) { return a - b; } static op choose(char c) { return c == '+' ? add : sub; }
static int (*chooser(int k))(int, int) { return k ? add : &sub; } static int apply(int f(int, int), int x) { return f(x, 1); }
static int cmp(const void *a, const void *b) { return *(const int *)a - *(const int *)b; } static int strs(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
int knr(a, b, c) int a; char b; float c; { return a + b + (int)c; } old(x) { return x * 2; } short narrow(s) short s; { return s; }
static void out(int *x, int **p, struct big *b) { *x = 5; **p = 6; *p = x; b->a[3] = 7; } static inline int inl(int x) { return x + 1; } extern inline __attribute__((gnu_inline)) int gi(int x) { return x; }
static void swap(void *a, void *b, size_t n) { char t[n]; memcpy(t, a, n); memcpy(a, b, n); memcpy(b, t, n); } struct obj { int v; int (*get)(struct obj *); struct obj *(*self)(struct obj *); }; static int get(struct obj *o) { return o->v; } static struct obj *self(struct obj *o) { o->v++; return o; }
static int noproto(); static int noproto(int a, int b) { return a * b; } static void nothing(void) {} static const char *name(void) { return __func__; } static int fallthrough_end(int x) { if (x) return 3; return 4; }
int main(int argc, char **argv) {
    struct big b = { { 1, 2, 3 }, 'x' }, m = modify(b, 1); printf("%d %d %c %c\n", b.a[1], m.a[1], b.c, m.c); printf("%d\n", modify(modify(b, 2), 3).a[2]); printf("%c\n", inc(inc((struct tiny){ 'a' })).c); printf("%g\n", scale((struct fl){ 1, 2 }, 2.5f).y);
    printf("%d %d %d %d\n", fact(10), even(10), odd(7), ack(2, 3)); counter(); printf("%d %d\n", counter(), other() + other());
    op ops[] = { add, sub, *add, **sub }; for (int i = 0; i < 4; i++) printf("%d ", ops[i](10, 3)); printf("%d %d %d\n", choose('+')(1, 2), (*chooser(0))(5, 3), apply(sub, 9)); printf("%d\n", (argc ? add : sub)(2, 2));
    int v[] = { 5, 3, 9, 1, 7 }; qsort(v, 5, sizeof *v, cmp); for (int i = 0; i < 5; i++) printf("%d ", v[i]); int key = 7; printf("%td\n", (int *)bsearch(&key, v, 5, sizeof *v, cmp) - v); const char *w[] = { "pear", "apple", "fig" }; qsort(w, 3, sizeof *w, strs); printf("%s %s %s\n", w[0], w[1], w[2]);
    printf("%d %d %d\n", knr(1, 2, 3.7), old(21), narrow(70000)); int x = 0, y = 0, *p = &y; out(&x, &p, &b); printf("%d %d %d %d\n", x, y, p == &x, b.a[3]); printf("%d\n", inl(4)); double d1 = 1, d2 = 2; swap(&d1, &d2, sizeof d1); printf("%g %g\n", d1, d2);
    struct obj o = { 4, get, self }; printf("%d\n", o.self(o.self(&o))->get(&o)); printf("%d\n", noproto(6, 7)); nothing(); puts(name()); printf("%d %d\n", fallthrough_end(0), argc); void (*vf)(void) = (void (*)(void))fact; printf("%d\n", ((int (*)(int))vf)(5)); printf("%d\n", strcmp(argv[argc - 1], argv[0]) == 0);
    return fact(5) & 0xff;
}
