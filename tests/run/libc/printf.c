// The printf family: flags, widths, precisions, lengths, positions, all conversions of integers, strings, pointers and floats.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <stddef.h>
#include <inttypes.h>
#include <limits.h>
#include <float.h>
#include <math.h>
#include <errno.h>
static void integers(void) {
    const char *flags[] = { "", "-", "+", " ", "#", "0", "-0", "+0", "+ ", "#0", "-#", "0-+", "'" };
    const char *sizes[] = { "", "1", "8", "25", ".0", ".1", ".12", "15.4", "3.0" };
    int values[] = { 0, 1, -1, 42, -987654, INT_MAX, INT_MIN };
    for (unsigned f = 0; f < sizeof flags / sizeof *flags; f++)
        for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (const char *c = "diuoxX"; *c; c++) {
                char format[40];
                sprintf(format, "[%%%s%s%c]", flags[f], sizes[s], *c);
                for (unsigned v = 0; v < 7; v++) printf(format, values[v]);
                putchar('\n');
            }
    printf("%hhd %hhu %hd %hu %ld %lu %lld %llu %jd %zu %td\n", 300, -1, 70000, -1, LONG_MIN, ULONG_MAX, LLONG_MIN, ULLONG_MAX, INTMAX_MIN, SIZE_MAX, (ptrdiff_t)-5);
    printf("%" PRId8 " %" PRIu16 " %" PRIx32 " %" PRId64 " %" PRIXMAX "\n", (int8_t)-3, (uint16_t)65535, 0xdeadbeef, INT64_MIN, UINTMAX_MAX);
    printf("%2$d %1$s %3$*4$d|%3$-*4$d|\n", "one", 2, 3, 6);
    printf("%*d|%-*d|%*d|%.*d|%.*d\n", 6, 1, 6, 2, -6, 3, 4, 5, -1, 6);
    int n = -1; signed char hh = -1; long l = -1;
    printf("abc%n%hhndef%ln\n", &n, &hh, &l); printf("%d %d %ld\n", n, hh, l);
    printf("%c%c%5c|%-5c|%%|%5s|%-5s|%.2s|%.0s|%s\n", 'a', 'b', 'c', 'd', "xy", "xy", "xyz", "gone", "long text here");
    printf("%s %10s %.3s|\n", (char *)0, (char *)0, (char *)0);
    printf("%p %p %20p|\n", (void *)0, (void *)0x1234, (void *)0xabcdef);
    errno = ENOENT; printf("%m\n"); errno = 0;
    printf("%5%|%y %", 1); printf("\n");
    char nozero[3] = { 'a', 'b', 'c' }; printf("%.3s\n", nozero);
    printf("%ls %lc %.2ls\n", L"wide", L'w', L"wide");
}
static void floats(void) {
    double values[] = { 0.0, -0.0, 1.0, -1.5, 0.5, 2.5, 3.5, 0.1, 123456.789, 1e10, 1e15, 1e16, 1e17, 123456789012345678.0, 1e22, 1e23, 9.995, 0.00001234, 1e-5, 9.9999e-5, DBL_MAX, DBL_MIN, 5e-324, 999999.5, 0.000099999995, 1.0 / 3, 2.0 / 3, 1e100, 4.35, 0.045, 100, 1e6, 1e5, M_PI };
    const char *sizes[] = { "", ".0", ".1", ".2", ".3", ".10", ".17", ".40", "12", "-12", "012", "+.3", " .3", "#.0", "#", "+012.2", "30.20" };
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (const char *c = "fFeEgGaA"; *c; c++) {
            char format[40], longer[40];
            sprintf(format, "[%%%s%c]", sizes[s], *c);
            sprintf(longer, "[%%%sL%c]", sizes[s], *c);
            for (unsigned v = 0; v < sizeof values / sizeof *values; v++) { printf(format, values[v]); printf(longer, (long double)values[v]); }
            putchar('\n');
        }
    long double more[] = { 0.1L, 1.0L / 3, LDBL_MAX, LDBL_MIN, LDBL_EPSILON, 1e4000L, 3.6e-4951L, 18446744073709551615.0L, 2.718281828459045235360287L };
    for (unsigned v = 0; v < sizeof more / sizeof *more; v++) printf("%Lf %Le %Lg %La %.25Lg %.0Lf %.3La\n", more[v], more[v], more[v], more[v], more[v], more[v], more[v]);
    double odd[] = { INFINITY, -INFINITY, __builtin_nan(""), -__builtin_nan("") };
    for (int i = 0; i < 4; i++) printf("%f %F %e %g %G %a %10f|%-10f|%010f|%+f|% f\n", odd[i], odd[i], odd[i], odd[i], odd[i], odd[i], odd[i], odd[i], odd[i], odd[i], odd[i]);
    for (int i = -20; i < 20; i++) printf("%g %g %.3e ", pow(10, i), 1.5 * pow(2, i * 10), pow(7, i)); putchar('\n');
    for (int p = 0; p < 14; p++) printf("%.*a %.*a %.*a\n", p, 1.999999, p, 0x1.8p0, p, 5e-310);
}
static int wrap(char *to, size_t size, const char *format, ...) { va_list ap; va_start(ap, format); int n = vsnprintf(to, size, format, ap); va_end(ap); return n; }
static void twice(const char *format, ...) { va_list a, b; va_start(a, format); va_copy(b, a); vprintf(format, a); vfprintf(stdout, format, b); va_end(b); va_end(a); }
int main(void) {
    integers(); floats();
    char buf[16]; int n = wrap(buf, sizeof buf, "%d %s %.2f %Lg", 7, "seven", 7.0, 7.5L); printf("%d [%s]\n", n, buf);
    n = wrap(buf, 1, "%s", "cut"); printf("%d [%s]\n", n, buf); n = wrap(0, 0, "%05d", 42); printf("%d\n", n);
    twice("%d %ld %s %g %Lg %c\n", 1, 2L, "three", 4.0, 5.0L, '6');
    char *made; n = asprintf(&made, "<%x>", 255); printf("%d %s\n", n, made); free(made);
    fprintf(stdout, "%s\n", "done"); printf("%d\n", printf("four\n")); printf("%d\n", puts("x") >= 0);
    fflush(stdout); dprintf(1, "direct %d\n", 1);
    return 0;
}
