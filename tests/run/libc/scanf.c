// The scanf family, strtol and strtod.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <limits.h>
#include <inttypes.h>
//@ stdin: 12 -7 0x1f word 3.5e2\n  line two, with spaces \nx=5;y=6\nlast
static void ints(void) {
    const char *texts[] = { "42", "  -17abc", "+5", "0x1F", "0xg", "077", "089", "", "   ", "abc", "-", "99999999999", "-99999999999", "99999999999999999999999", "-99999999999999999999999", "0b11", "z9", "7fffffff", "  \t\n12", "18446744073709551615", "18446744073709551616", "-1", "9223372036854775808", "+-3", "0", "00x1" };
    int bases[] = { 10, 0, 16, 8, 36, 2 };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (unsigned b = 0; b < 6; b++) {
            char *end; errno = 0; long l = strtol(texts[i], &end, bases[b]); printf("%ld %d %d ", l, (int)(end - texts[i]), errno);
            errno = 0; unsigned long u = strtoul(texts[i], &end, bases[b]); printf("%lu %d %d|", u, (int)(end - texts[i]), errno);
        }
        printf("%d %ld %lld\n", atoi(texts[i]), atol(texts[i]), atoll(texts[i]));
    }
}
static void floats(void) {
    const char *texts[] = { "1", "1.5", "-2.25e3x", ".5", "5.", ".", "1e", "1e+", "1e5", "0x1.8p1", "0x.8", "0x1p-1074", "0x1.fffffffffffff8p0", "0x1.00000000000008p0", "inf", "-INFINITYx", "nan", "nan(abc)", "nan(", "infinit", "1e308", "1e309", "-1e309", "1e-320", "1e-400", "4.9406564584124654e-324", "2.4703282292062328e-324", "1.7976931348623157e308", "1.7976931348623159e308", "123456789012345678901234567890", "0.1", "9007199254740993", "9007199254740992.5", "  +3.25", "1e99999999999", "0e99999999999", "0x", "0x.p1", "1_000", "3.4028235e38", "3.4028236e38", "1.17549435e-38", "7e-46", "1.0000000596046448", "" };
    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *end; errno = 0; double d = strtod(texts[i], &end); printf("%a %d %d ", d, (int)(end - texts[i]), errno);
        errno = 0; float f = strtof(texts[i], &end); printf("%a %d %d ", f, (int)(end - texts[i]), errno);
        errno = 0; long double l = strtold(texts[i], &end); printf("%La %d %d %g\n", l, (int)(end - texts[i]), errno, atof(texts[i]));
    }
}
static void scans(void) {
    int i = -1, j = -1, n = -1; unsigned u = 0; long l = 0; short h = 0; signed char hh = 0; long long ll = 0; float f = 0; double d = 0; long double ld = 0; char s[40] = "?", t[40] = "?", c = '?', c3[4] = "???"; void *p = 0;
    printf("%d ", sscanf("12 34", "%d %d", &i, &j)); printf("%d %d\n", i, j);
    printf("%d ", sscanf("12,34", "%d , %d%n", &i, &j, &n)); printf("%d %d %d\n", i, j, n);
    printf("%d ", sscanf("abc", "%d", &i)); printf("%d ", sscanf("", "%d", &i)); printf("%d ", sscanf("   ", "%d", &i)); printf("%d\n", sscanf("5", "%d%d", &i, &j));
    printf("%d ", sscanf("0x1f 017 0x1F 19 z", "%i %i %x %o", &i, &j, &u, &n)); printf("%d %d %u %d\n", i, j, u, n);
    printf("%d ", sscanf("70000 300 123456789012 9999999999999", "%hd %hhd %ld %lld", &h, &hh, &l, &ll)); printf("%d %d %ld %lld\n", h, hh, l, ll);
    printf("%d ", sscanf("1.5 2.5e3 -0x1p4 inf", "%f %lf %Lf %f", &f, &d, &ld, &f)); printf("%g %g %Lg\n", f, d, ld);
    printf("%d ", sscanf("hello world", "%s %s", s, t)); printf("%s %s\n", s, t);
    printf("%d ", sscanf("hello", "%3s%s", s, t)); printf("%s %s\n", s, t);
    printf("%d ", sscanf("  x yz", "%c%*c%3c", &c, c3)); printf("[%c][%s]\n", c, c3);
    printf("%d ", sscanf("key=value;rest", "%[a-z]=%[^;];%s", s, t, c3 + 0 == c3 ? (char[20]){ 0 } : 0)); printf("%s %s\n", s, t);
    printf("%d ", sscanf("]x-", "%[]x-]", s)); printf("%s\n", s); printf("%d ", sscanf("a-c", "%[^]-]", s)); printf("%s\n", s);
    printf("%d ", sscanf("12345", "%2d%3d", &i, &j)); printf("%d %d\n", i, j); printf("%d ", sscanf("50%", "%d%%%n", &i, &n)); printf("%d %d\n", i, n);
    printf("%d ", sscanf("1e", "%f", &f)); printf("%d ", sscanf("1e+", "%f%s", &f, s)); printf("%d ", sscanf("-", "%d", &i)); printf("%d ", sscanf("0x", "%x%s", &u, s)); printf("%d\n", sscanf("nanx", "%f%s", &f, s));
    printf("%d ", sscanf("0x1234 deadbeef", "%p %x", &p, &u)); printf("%p %x\n", p, u);
    printf("%d ", sscanf("99999999999 -5", "%d %u", &i, &u)); printf("%d %u\n", i, u);
    char *m = 0; printf("%d ", sscanf("alloc", "%ms", &m)); printf("%s\n", m); free(m);
    printf("%d ", sscanf("7 8", "%2$d %1$d", &i, &j)); printf("%d %d\n", i, j); printf("%d\n", sscanf("a1", "b%d", &i));
    intmax_t im; size_t z; printf("%d ", sscanf("-9 10", "%jd %zu", &im, &z)); printf("%jd %zu\n", im, z);
}
int main(void) {
    ints(); floats(); scans();
    int a, b, x; char w[20], line[80]; double d;
    printf("%d ", scanf("%d %d %i %19s %lf", &a, &b, &x, w, &d)); printf("%d %d %d %s %g\n", a, b, x, w, d);
    printf("[%s]", fgets(line, sizeof line, stdin)); printf("[%s]\n", fgets(line, 8, stdin)); printf("%d", getchar()); ungetc('q', stdin); printf("%c", getc(stdin)); printf("[%s]\n", fgets(line, sizeof line, stdin));
    printf("%d ", scanf("x=%d;y=%d", &a, &b)); printf("%d %d\n", a, b); printf("%d ", scanf("%79s", line)); printf("%s %d ", line, feof(stdin)); printf("%d %d %d\n", scanf("%d", &a), getchar(), feof(stdin) != 0);
    return 0;
}
