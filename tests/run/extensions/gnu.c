// GNU C: vectors, asm barriers, cleanup, case ranges, zero-length arrays, statement attributes, aliases, weak, transparent unions, casts to unions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef int v4 __attribute__((vector_size(16))); typedef float f4 __attribute__((vector_size(16)));
static void bye(int *p) { printf("bye %d\n", *p); } static void freep(void *p) { free(*(void **)p); puts("freed"); }
static int scoped(int n) { int a __attribute__((cleanup(bye))) = n; for (int i = 0; i < 2; i++) { int b __attribute__((cleanup(bye))) = n * 10 + i; if (n == 2 && i == 0) continue; if (n == 3) break; if (n == 4) return a + 100; } return a; }
static int target(int x) { return x * 3; } int aliased(int) __attribute__((alias("exported"))); int exported(int x) { return x + 5; } extern int missing(void) __attribute__((weak)); int weak_def(void) __attribute__((weak)); int weak_def(void) { return 12; }
typedef union { int *i; float *f; } either __attribute__((transparent_union)); static int first(either e) { return *e.i; } union u { int i; double d; }; static int renamed(int) __asm__("c_name"); static int renamed(int x) { return -x; }
static int __attribute__((noinline, const)) attrs(int x) { return x + 1; } __extension__ typedef long long ll; struct bit { int on : 1; } ; static const struct { int n; int tail[0]; } zl = { 4 };
int main(void) {
    v4 a = { 1, 2, 3, 4 }, b = { 10, 20, 30, 40 }, c = a + b * 2; c[1] = 7; printf("%d %d %d %d\n", c[0], c[1], c[2], c[3]); c = a > (v4){ 2, 2, 2, 2 }; printf("%d %d\n", c[0], c[3]); c = (a << 1) ^ b; printf("%d\n", c[2]); c = -a; printf("%d\n", c[3]); f4 f = { 1.5f, 2 }; f *= 2; printf("%g %g\n", f[0], f[1]); v4 m = { 3, 2, 1, 0 }; c = __builtin_shuffle(a, m); printf("%d %d\n", c[0], c[3]); c = a + 1; printf("%d\n", c[0]);
    int x = 5; __asm__ volatile("" ::: "memory"); __asm__("" : "+r"(x)); printf("%d\n", x); int y; __asm__("" : "=r"(y) : "0"(x)); printf("%d\n", y);
    for (int i = 1; i < 5; i++) printf("= %d\n", scoped(i)); { char *p __attribute__((cleanup(freep))) = malloc(3); strcpy(p, "hi"); puts(p); } printf("%d %d %d\n", aliased(1), missing ? 1 : 0, weak_def()); int i7 = 7; float f7; memcpy(&f7, &i7, 4); printf("%d %d\n", first(&i7), first(&f7)); printf("%d %g\n", ((union u)3).i, ((union u)2.5).d); printf("%d %d\n", renamed(4), attrs(1)); __extension__ ll q = 1ll << 33; printf("%lld\n", q); struct bit bt = { 1 }; printf("%d\n", bt.on); printf("%d %zu\n", zl.n, sizeof zl); if (x) __attribute__((unused)) lab: x--; printf("%d\n", x); (void)target; [[maybe_unused]] int u1 = 1; printf("\e[0m%d\n", u1); int $dollar = 3; printf("%d\n", $dollar); printf("%d\n", ({ __label__ l; goto l; l: 5; })); unsigned char arr<:2:> = <% 1, 2 %>; printf("%d\n", arr<:1:>); printf("%s\n", __FUNCTION__); printf("%d\n", 1 ? : 2); struct { int a, b; } old = { a: 1, b: 2 }; printf("%d\n", old.b); int rr[] = { [0 ... 2] = 4 }; printf("%d\n", rr[2]); typeof(void (*)(int *)) fn = bye; fn(&x); return 0;
}
