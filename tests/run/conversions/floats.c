// Floating arithmetic of all formats and conversions to and from integers.
#include <stdio.h>
#include <math.h>
#include <float.h>
#include <stdint.h>
int main(void) {
    volatile float f = 0.1f; volatile double d = 0.1; volatile long double l = 0.1L; volatile int i = 7; volatile unsigned long big = ~0ul;
    printf("%.17g %.17g %.21Lg\n", (double)f, d, l);
    printf("%.17g %.17g\n", (double)(f + f + f), d + d + d);
    printf("%d %d %d\n", f == d, f < d, (float)d == f);
    printf("%.9g %.17g %.21Lg\n", (double)(f * i), d / i, l - i);
    printf("%d %d %d %u\n", (int)-2.9, (int)2.9f, (char)65.7, (unsigned)3e9);
    printf("%.17g %.17g %.9g\n", (double)big, (double)(long)big, (double)(float)big);
    printf("%llu %lld\n", (unsigned long long)1.8e19, (long long)-9e18);
    printf("%lu\n", (unsigned long)(f * 1e10f));
    printf("%d %d %d\n", NAN == NAN, NAN != NAN, NAN < 1);
    printf("%g %g %d\n", INFINITY, -INFINITY, isinf(INFINITY) != 0);
    printf("%g %g\n", 1 / 3.0f * 3, FLT_EPSILON * 1e7);
    printf("%d\n", signbit(-0.0) != 0);
    double z = 0.0; printf("%g %g\n", 1 / z, -1 / z);
    if (d) puts("true"); if (!z) puts("zero"); printf("%d\n", d && !z);
    double acc = 0; for (int k = 1; k <= 20; k++) acc += 1.0 / k; printf("%.17g\n", acc);
    float facc = 0; for (int k = 1; k <= 20; k++) facc += 1.0f / k; printf("%.9g\n", facc);
    long double lacc = 0; for (int k = 1; k <= 20; k++) lacc += 1.0L / k; printf("%.21Lg\n", lacc);
    d = 5; d++; --d; d -= 0.5; d *= 2; d /= 3; printf("%.17g\n", d);
    f = 16777216.0f; f++; printf("%.9g\n", f);
    printf("%a %a %La\n", 1.0, 0x1.8p-3, 0x1.1p10L);
    printf("%.3f %.0f %.0f %e %G\n", 2.0005, 0.5, 1.5, 12345.678, 1e-10);
    printf("%g\n", DBL_MIN / 2); printf("%.17g\n", 4.9e-324);
    union { float f; uint32_t u; } p = { 1e-45f }; printf("%u\n", p.u);
    printf("%d %d\n", (int)fmod(7.5, 2), (int)floor(-1.5)); printf("%.17g %.17g\n", sqrt(2), pow(2, 0.5));
    printf("%d\n", (_Bool)1e-300 + (_Bool)0.0);
    short s = 3.99; unsigned char uc = 255.5; printf("%d %d\n", s, uc);
    s += 0.9; s *= 1.5f; printf("%d\n", s);
    return 0;
}
