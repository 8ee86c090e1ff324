// math.h in the three precisions.
#define _GNU_SOURCE
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <errno.h>
#include <complex.h>
#define ONE(g) do { printf(#g); for (int i = 0; i < n; i++) printf(" %.13g %.6g", g(v[i]), g##f((float)v[i])); putchar('\n'); } while (0)
#define ALL(g) do { printf(#g); for (int i = 0; i < n; i++) printf(" %a %a %La", g(v[i]), g##f((float)v[i]), g##l((long double)v[i])); putchar('\n'); } while (0)
#define TWO(g) do { printf(#g); for (int i = 0; i < n; i++) for (int j = 0; j < n; j += 3) printf(" %a %a %La", g(v[i], v[j]), g##f((float)v[i], (float)v[j]), g##l((long double)v[i], (long double)v[j])); putchar('\n'); } while (0)
volatile double v[] = { 0.0, -0.0, 0.5, -0.5, 1.0, 1.5, 2.5, -2.5, 3.75, -7.25, 10, 0.1, 1e-10, 123.456, -1e10, 1e18, 4503599627370497.5, INFINITY, -INFINITY };
int main(void) {
    int n = sizeof v / sizeof *v;
    ONE(sin); ONE(cos); ONE(tan); ONE(atan); ONE(exp); ONE(exp2); ONE(expm1); ONE(tanh); ONE(sinh); ONE(cosh); ONE(asinh); ONE(cbrt); ONE(erf); for (int i = 0; i < 16; i++) printf("%.12g ", erfc(v[i])); putchar(10);
    ALL(fabs); ALL(floor); ALL(ceil); ALL(trunc); ALL(round); ALL(rint); ALL(nearbyint); TWO(copysign); TWO(fmax); TWO(fmin); TWO(fdim); TWO(nextafter);
    for (int i = 2; i < 14; i++) { double x = fabs(v[i]); printf("%.13g %.13g %.13g %.13g %.13g %.13Lg %.12g %.12g\n", log(x), log2(x), log10(x), log1p(x), sqrt(x), sqrtl(x), lgamma(x), x < 20 ? tgamma(x + 0.3) : 0); }
    for (int i = 0; i < n; i++) for (int j = 2; j < 14; j += 2) printf("%a %a %La %.12g %.12g ", fmod(v[i], v[j]), fmodf(v[i], v[j]), fmodl(v[i], v[j]), atan2(v[i], v[j]), hypot(v[i], v[j])); putchar('\n');
    for (int i = 2; i < 14; i++) for (int j = 2; j < 14; j += 3) printf("%.13g %.6g %a ", pow(fabs(v[i]), v[j]), powf(fabs(v[i]), v[j]), remainder(v[i], v[j])); putchar('\n');
    for (int i = 0; i < n; i++) { int e = 0; double ip; printf("%a ", frexp(v[i], &e)); if (isfinite(v[i])) printf("%d ", e); printf("%a ", modf(v[i], &ip)); printf("%a %a %a %La ", ip, ldexp(v[i], 5), scalbn(v[i], -1070), ldexpl(v[i], 3)); if (isfinite(v[i])) printf("%ld %ld %lld %ld ", v[i] < 1e18 ? lrint(v[i]) : 0, v[i] < 1e18 ? lround(v[i]) : 0, v[i] < 1e18 ? llround(v[i]) : 0, v[i] < 1e9 ? lroundf(v[i]) : 0); printf("%d %g\n", ilogb(v[i]), logb(v[i])); }
    for (int i = 0; i < n; i++) printf("%d%d%d%d%d ", isnan(v[i]) != 0, isinf(v[i]), isfinite(v[i]) != 0, isnormal(v[i]) != 0, signbit(v[i]) != 0); printf("%d %d %d\n", fpclassify(0.0), fpclassify(5e-324), fpclassify(NAN));
    volatile double zero = 0, minus = -1; errno = 0; printf("%f ", sqrt(minus)); printf("%d ", errno); errno = 0; printf("%f ", log(zero)); printf("%d ", errno); errno = 0; printf("%f ", log(minus)); printf("%d ", errno); errno = 0; printf("%f ", exp(minus * -1000)); printf("%d ", errno); printf("%f %f %f\n", zero / zero, minus / zero, fma(2.0, 3.0, minus));
    printf("%d %d %d %d %d\n", isgreater(1.0, zero), isless(1.0, NAN), isunordered(NAN, 1.0), islessgreater(1.0, 2.0), 0.0 == -zero); double s, c; sincos(0.5, &s, &c); printf("%.15g %.15g\n", s, c);
    double complex z = 3 + 4 * I; printf("%g %g %g %.10g %g\n", cabs(z), creal(z), cimag(conj(z)), carg(z), creal(z * z)); float complex zf = 1 + 2 * I; printf("%g %g\n", crealf(zf / (1 - I)), cimagf(zf / (1 - I)));
    return 0;
}
