// Initialisers of every kind, for static and automatic objects.
#include <stdio.h>
#include <wchar.h>
struct p { int x, y; };
struct s { int a; struct p q[2]; char name[8]; const char *ptr; union { int i; float f; } u; unsigned b : 4, : 4, c : 8; };
static struct s g1 = { 1, { { 2, 3 }, { 4, 5 } }, "abc", "ptr", { 9 }, 7, 200 };
static struct s g2 = { 1, 2, 3, 4, 5, { 'x', 'y' }, .u.f = 1.5f, .c = 3 };
static struct s g3 = { .q[1].y = 8, .name = { [2] = 'z' }, .a = 4, { 6 } };
static int ranges[10] = { [2 ... 5] = 7, [4] = 1, 2, [9] = 3 };
static int matrix[3][3] = { { 1 }, { 2, 3 }, [2][1] = 9, 10 };
static int flat[2][3] = { 1, 2, 3, 4 };
static char text[] = "auto", exact[4] = "four", longer[8] = "ab", list[] = { 'a', 'b', 0 }, braces[] = { "braced" };
static const char *strings[] = { [1] = "one", "two", [0] = "zero" };
static int *pointer = &matrix[1][1], *past = ranges + 10; static char *inside = &text[1];
static struct p *sp = &g1.q[1]; static int (*fn)(const char *) = puts;
static long diff = (long)&((struct s *)0)->name; static double dd[] = { 1, 2.5f, 'a', 3u }; static unsigned char uc[] = { 255, (unsigned char)-1, 300 & 0xff };
static struct { int n; short tail[]; } flex = { 3, { 1, 2, 3 } };
static struct p *compound = &(struct p){ 11, 12 }; static int *carr = (int[]){ 1, 2, 3 };
static union { char c; long l; } un = { .l = 0x123456789 }, un2 = { 'c' };
static struct { struct { int a; struct { int b; }; }; int c; } anon = { { 1, { 2 } }, 3 }, anon2 = { .b = 5, .c = 6, .a = 4 };
static struct p override = { .x = 1, .y = 2, .x = 3 };
static wchar_t wide[] = L"w\u00e9"; static int two[][2] = { 1, 2, 3, 4, 5 };
static int cond = sizeof(int) == 4 ? 10 : 20, shift = 1 << 4 | 3, neg = -(5 % 3), cmp = 3 > 2 && 1 || 0; static float fl = 1 / 3.0; static _Bool bo = 42; static char ch = 321 & 0xff;
static void show(const char *n, struct s *s) {
    printf("%s: %d %d %d %d %d '%.8s' %s %d %u %u\n", n, s->a, s->q[0].x, s->q[0].y, s->q[1].x, s->q[1].y, s->name, s->ptr ? s->ptr : "-", s->u.i, s->b, s->c);
}
static void ints(const char *n, const int *a, int k) { printf("%s:", n); while (k-- > 0) printf(" %d", *a++); putchar('\n'); }
static int calls; static int next(void) { return ++calls; }
int main(void) {
    show("g1", &g1); show("g2", &g2); show("g3", &g3); ints("ranges", ranges, 10); ints("matrix", matrix[0], 9); ints("flat", flat[0], 6);
    printf("%s %.4s %s %s %s %zu %zu %zu\n", text, exact, longer, list, braces, sizeof text, sizeof list, sizeof braces);
    printf("%s %s %s %zu\n", strings[0], strings[1], strings[2], sizeof strings / sizeof *strings);
    printf("%d %d %s %d %ld\n", *pointer, past[-1], inside, sp->x, diff); fn("fn"); printf("%g %g %g %d %d\n", dd[1], dd[2], dd[3], uc[1], uc[2]);
    printf("%d %d %d %d %d\n", flex.n, flex.tail[0], flex.tail[2], compound->y, carr[2]); printf("%lx %d\n", un.l, un2.c);
    printf("%d %d %d %d %d %d %d\n", anon.a, anon.b, anon.c, anon2.a, anon2.b, anon2.c, override.x); printf("%d %zu %zu %d\n", (int)wide[1], sizeof wide, sizeof two, two[2][1]);
    printf("%d %d %d %d %g %d %d\n", cond, shift, neg, cmp, fl, bo, ch);
    struct s l1 = { 1, { { 2, 3 }, { 4, 5 } }, "abc", "ptr", { 9 }, 7, 200 }, l2 = { 1, 2, 3, 4, 5, { 'x', 'y' }, .c = 3 }, l3 = { .q[1].y = 8, .name = { [2] = 'z' }, .a = 4 };
    show("l1", &l1); show("l2", &l2); show("l3", &l3); struct s l4 = l1; l4.q[0] = (struct p){ 70, 71 }; show("l4", &l4); struct s l5 = { 0 }; show("l5", &l5);
    int lr[10] = { [2 ... 5] = next(), [7] = next(), next() }; ints("lr", lr, 10); printf("%d\n", calls);
    int lm[3][3] = { { next() }, { 2, next() }, [2][1] = 9, 10 }; ints("lm", lm[0], 9);
    struct p ps[] = { { .y = 1 }, l1.q[1], [3] = { 5, 6 } }; printf("%zu %d %d %d %d\n", sizeof ps / sizeof *ps, ps[0].y, ps[1].x, ps[2].x, ps[3].y);
    struct { struct p a; int b; } elided = { l1.q[0], 9 }; printf("%d %d\n", elided.a.y, elided.b);
    char la[] = "local", lb[10] = "x", lc[3] = "abc"; printf("%s %d %.3s %zu\n", la, lb[9], lc, sizeof la); int scalar = { 5 }; printf("%d\n", scalar);
    for (int i = 0; i < 3; i++) { int fresh[3] = { i }; fresh[1] += i; struct p z = { 0 }; z.x += i; printf("%d%d%d%d ", fresh[0], fresh[1], fresh[2], z.x); } putchar('\n');
    struct p *cl = (struct p[]){ { 1, 2 }, { 3, 4 } }; cl[1].x++; printf("%d %d\n", cl[1].x, ((struct p){ .y = 8 }).y); static int st[] = { [3] = 1 }; printf("%zu\n", sizeof st);
    const char *t[2][2] = { { "a" }, { [1] = "b" } }; printf("%d %s\n", t[0][1] == 0, t[1][1]);
    return 0;
}
