// Variable arguments of all types: va_arg, va_copy, passing va_list on, structs, many arguments.
#include <stdarg.h>
#include <stdio.h>
struct pt { int x, y; }; struct big { long v[5]; };
static int sum(int n, ...) { va_list ap; va_start(ap, n); int t = 0; while (n-- > 0) t += va_arg(ap, int); va_end(ap); return t; }
static double mixed(const char *f, ...) { va_list ap; double r = 0; va_start(ap, f); for (; *f; f++) switch (*f) { case 'i': r += va_arg(ap, int); break; case 'd': r += va_arg(ap, double); break; case 'l': r += va_arg(ap, long); break; case 'L': r += va_arg(ap, long double); break; case 'c': r += va_arg(ap, int); break; case 's': r += *va_arg(ap, char *); break; case 'p': { struct pt p = va_arg(ap, struct pt); r += p.x * p.y; break; } case 'b': r += va_arg(ap, struct big).v[4]; break; case 'f': r += va_arg(ap, int (*)(int))(3); } va_end(ap); return r; }
static int inner(int n, va_list ap) { int t = 0; while (n-- > 0) t = t * 10 + va_arg(ap, int); return t; } static int twice(int n, ...) { va_list a, b; va_start(a, n); va_copy(b, a); int r = inner(n, a) + inner(n, b); va_end(a); va_end(b); return r; }
static int by_pointer(int n, va_list *ap) { int t = 0; while (n-- > 0) t += va_arg(*ap, int); return t; } static int split(int n, ...) { va_list ap; va_start(ap, n); int a = by_pointer(n, &ap), b = va_arg(ap, int); va_end(ap); return a * 100 + b; }
static void log_(const char *fmt, ...) { va_list ap; va_start(ap, fmt); printf("log: "); vprintf(fmt, ap); va_end(ap); char buf[64]; va_start(ap, fmt); int n = vsnprintf(buf, sizeof buf, fmt, ap); va_end(ap); printf("%d %s", n, buf); }
static int cube(int x) { return x * x * x; } static int last(int first, ...) { va_list ap; va_start(ap, first); int v = first, l = first; while (v) { l = v; v = va_arg(ap, int); } va_end(ap); return l; }
int main(void) {
    printf("%d %d\n", sum(3, 1, 2, 3), sum(12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)); struct pt p = { 3, 4 }; struct big b = { { 0, 0, 0, 0, 50 } }; float f = 1.5f; short s = 7; char c = 'A';
    printf("%g\n", mixed("idlLcspbf", 1, 2.5, 3l, 4.25L, c, "z", p, b, cube)); printf("%g\n", mixed("dididididididididdd", 1.0, 1, 2.0, 2, 3.0, 3, 4.0, 4, 5.0, 5, 6.0, 6, 7.0, 7, 8.0, 8, 9.0, f, f)); printf("%g\n", mixed("iii", s, c, (_Bool)3));
    printf("%d %d %d\n", twice(3, 1, 2, 3), split(2, 10, 20, 30), last(4, 3, 2, 1, 0)); log_("%d-%s-%.2f-%c-%lu\n", 5, "str", 2.345, 'q', 99ul); printf("%d %*d|%-6d|%06d|%+d|%x|%o|%#x|%5.2s|%%|%p\n", 1, 5, 42, 42, 42, 42, 255, 8, 255, "abc", (void *)0); printf("%hhd %hd %ld %lld %zu %jd %td\n", (char)300, (short)70000, -1l, -1ll, (size_t)3, (long)4, (long)-5);
    return 0;
}
