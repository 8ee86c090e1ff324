// Complex numbers: arithmetic, parts, conversions.
#include <complex.h>
#include <stdio.h>
static double complex square(double complex z) { return z * z; }
struct pair { float _Complex a; int b; };
int main(void) {
    double complex z = 1.5 + 2.0 * I;
    printf("%g %g\n", creal(z), cimag(z));
    z = square(z);
    printf("%g %g\n", __real__ z, __imag__ z);
    z += 1; z *= 2.0; z -= I;
    printf("%g %g\n", __real__ z, __imag__ z);
    __real__ z = 7; __imag__ z = -1;
    double complex w = z / (3.0 - 4.0 * I);
    printf("%g %g\n", __real__ w, __imag__ w);
    w = ~w; printf("%g\n", __imag__ w);
    float complex f = z; printf("%g %g %d\n", __real__ f, __imag__ f, f == z);
    struct pair p = { 1.0f + 2.0f * I, 3 }; struct pair q = p; q.a *= p.a;
    printf("%g %g %d\n", __real__ q.a, __imag__ q.a, q.b);
    printf("%d %d\n", z != 0, !(z - z));
    double d = z; printf("%g\n", d);
    double complex arr[2] = { 1, 2.0i }; printf("%g %g\n", __real__ arr[1], __imag__ arr[1]);
    printf("%g\n", __imag__ (-z));
    return 0;
}
