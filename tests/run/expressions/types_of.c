// _Generic, typeof, __auto_type, sizeof, alignof, offsetof, compound literals.
#include <stdio.h>
#include <stddef.h>
#define NAME(x) _Generic((x), int: "int", unsigned: "unsigned", long: "long", char: "char", char *: "char*", const char *: "const char*", double: "double", float: "float", int *: "int*", default: "other")
#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
#define SWAP(a, b) do { __auto_type _t = (a); (a) = (b); (b) = _t; } while (0)
struct deep { int a; struct { char b[5]; struct { double c; } d[3]; } e; };
typedef int T;
static int shadow(int T) { return (T)-1; }
int main(void) {
    char c = 1; short s = 2; int arr[3]; const int ci = 5; long double ld = 1; struct deep dp;
    puts(NAME(c)); puts(NAME(s)); puts(NAME(s + 1)); puts(NAME(1u)); puts(NAME(arr)); puts(NAME("x")); puts(NAME(ci)); puts(NAME(1.0f)); puts(NAME(ld)); puts(NAME(c + c)); puts(NAME('a')); puts(NAME(sizeof 1)); puts(NAME((char)1)); puts(NAME(&arr[1]));
    int calls = 0; printf("%d\n", MAX(++calls, 0)); printf("%d\n", calls); double x = 1.5, y = 2.5; SWAP(x, y); printf("%g %g\n", x, y);
    typeof(arr) copy; printf("%zu\n", sizeof copy); typeof(int *) ip = arr; __typeof__(*ip) val = 3; printf("%d\n", val); __auto_type z = 3.5f; printf("%zu\n", sizeof z); typeof(calls++) q = 2; printf("%d %d\n", q, calls);
    printf("%zu %zu %zu\n", offsetof(struct deep, e.d[2].c), __builtin_offsetof(struct deep, e.b[3]), sizeof(((struct deep *)0)->e.d)); int idx = 1; printf("%zu\n", offsetof(struct deep, e.d[idx].c));
    printf("%zu %zu %zu\n", _Alignof(double), __alignof__(s), _Alignof(struct deep)); _Alignas(32) char al[3]; printf("%d\n", (int)((size_t)al % 32)); printf("%zu\n", __alignof__(al));
    printf("%d\n", shadow(5)); printf("%d\n", __builtin_types_compatible_p(int, typeof(ci))); printf("%d\n", __builtin_types_compatible_p(char *, char[3])); printf("%d\n", __builtin_choose_expr(sizeof(int) == 4, 7, "no"));
    int *lit = (int[]){ 4, 5, 6 }; lit[1]++; printf("%d\n", lit[1]); for (int i = 0; i < 2; i++) { struct deep *p = &(struct deep){ .a = i }; p->e.b[0] += 1; printf("%d %d\n", p->a, p->e.b[0]); }
    printf("%zu\n", sizeof(struct { int i; char c; })); printf("%zu %zu\n", sizeof(char[]){ 1, 2, 3 }, sizeof "hello"); _Static_assert(sizeof(int) >= 2, "int"); _Static_assert(1);
    enum { BIG = sizeof(struct deep) * 2 }; char sized[BIG]; printf("%zu\n", sizeof sized); printf("%d\n", (int)sizeof(int (*)[4])); printf("%zu\n", sizeof(main)); printf("%d\n", _Generic(&main, int (*)(void): 1, default: 2));
    return 0;
}
