// Evaluation of every operator: short circuit, ?:, comma, assignment values, ++ and -- on all kinds of lvalues.
#include <stdio.h>
static int n; static int tick(int v) { n++; return v; }
struct s { int a[3]; struct { short x; unsigned char y; } in; int *p; };
static struct s make(int k) { struct s s = { { k, k + 1, k + 2 }, { (short)k, (unsigned char)k }, 0 }; return s; }
static struct s *where(struct s *s) { n += 10; return s; }
int main(void) {
    printf("%d %d %d\n", tick(0) && tick(1), tick(1) || tick(1), !tick(5)); printf("%d\n", n); n = 0;
    printf("%d\n", (tick(1), tick(2), tick(3))); printf("%d\n", n); n = 0;
    printf("%d %d\n", tick(1) ? tick(7) : tick(8), tick(0) ? tick(7) : tick(8)); printf("%d\n", n); n = 0;
    int x = tick(4) ?: tick(9), y = tick(0) ?: tick(9); printf("%d %d %d\n", x, y, n); n = 0;
    int a = 1, b, c; b = c = a + 2; a += b -= c *= 2; printf("%d %d %d\n", a, b, c);
    int i = 5; int j = i-- - 1; printf("%d %d\n", i, j); int k = 3; k = -k; printf("%d\n", k);
    struct s s = make(4), t; t = s; t.a[1]++; t.in.y -= 5; t.p = &t.a[2]; ++*t.p; (*t.p)--; *t.p++ = 50; printf("%d %d %d %d %td\n", t.a[1], t.in.y, t.a[2], t.in.x, t.p - t.a);
    where(&t)->a[0] += 100; where(&t)->in.x <<= 2; where(&t)->in.y++; printf("%d %d %d %d\n", t.a[0], t.in.x, t.in.y, n); n = 0;
    printf("%d %d\n", make(7).a[2], make(8).in.y); printf("%d\n", (i ? s : t).a[0]); printf("%d\n", (s = t).a[0]); printf("%d\n", s.in.x);
    int arr[5] = { 0 }; int *p = arr; *p++ = 1; *p++ = 2; *++p = 4; p[-1] += 3; printf("%d %d %d %d %td\n", arr[0], arr[1], arr[2], arr[3], p - arr);
    i = 1; arr[i++] = 9; arr[i]++; arr[--i] *= 2; printf("%d %d %d\n", arr[1], arr[2], i);
    unsigned char u = 255; u++; printf("%d\n", u--); printf("%d\n", u); printf("%d\n", (u += 3) + 1000);
    printf("%d %d %d\n", 5 & 3 == 3, (5 & 3) == 3, 1 << 2 + 1); printf("%d\n", 7 ^ 2 | 8 & 12); printf("%d %d\n", -7 / 2, -7 % 2); printf("%d\n", ~0 == -1);
    double d = 3; d += 1; d /= 8; int di = 10; di *= 0.55; di -= 1.9; printf("%g %d\n", d, di); char ch = 'a'; ch += 1.7; printf("%c\n", ch);
    long long big = 1; big <<= 40; big |= 1; int sh = 3; sh <<= 2ll; printf("%lld %d\n", big, sh); int *q = arr; q += 2; q -= 1; printf("%d\n", *q);
    int nested = i > 0 ? j > 100 ? 1 : 2 : 3; printf("%d\n", nested); void *vp = i ? (void *)arr : 0; printf("%d\n", *(int *)vp); const char *e = i > 100 ? "big" : "small"; puts(e);
    printf("%d\n", ({ int z = 5; z *= 2; z + 1; })); int se = ({ int w = 0; for (int m = 0; m < 4; m++) w += m; w; }) * 2; printf("%d\n", se); (void)({ tick(1); }); printf("%d\n", n); n = 0;
    if (tick(1) && (tick(0) || tick(1)) && !tick(0)) printf("yes %d\n", n); n = 0; if (!(tick(0) || tick(1)) || tick(0)) puts("no"); else printf("else %d\n", n);
    int count = 0; while (count < 3 && tick(1)) count++; do count--; while (count > 0 || (count = 0)); printf("%d\n", count); for (i = 0, j = 10; i < j; i++, j -= 2); printf("%d %d\n", i, j);
    printf("%d %d\n", 'a' < 'b' == 1, (1, 2) == 2); printf("%zu %zu %zu\n", sizeof(i++), sizeof arr, sizeof(arr + 0)); printf("%d\n", i); int neg = -5; printf("%u %d\n", (unsigned)neg >> 28, neg >> 1);
    _Bool bb = 5; bb = bb && tick(0); printf("%d\n", bb); int lv; (lv = 3) ? lv++ : lv--; printf("%d\n", lv);
    return 0;
}
