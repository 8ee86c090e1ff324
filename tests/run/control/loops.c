// Loops, break, continue, nesting, empty bodies, conditions with side effects.
#include <stdio.h>
int main(void) {
    int n = 0;
    for (int i = 0; i < 10; i++) { if (i == 3) continue; if (i == 7) break; n += i; } printf("%d\n", n);
    for (;;) { if (++n > 30) break; } printf("%d\n", n);
    int k = 5; while (k --> 0) { if (k == 2) continue; printf("%d ", k); } putchar('\n');
    do { n -= 7; if (n < 10) continue; n--; } while (n > 0); printf("%d\n", n);
    for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) { if (j > i) break; if ((i + j) % 2) continue; printf("%d%d ", i, j); } putchar('\n');
    for (unsigned u = 3; u-- > 0;) printf("%u ", u); putchar('\n');
    int i; for (i = 0; i < 100; i += i + 1); printf("%d\n", i);
    do ; while (0); while (0) n = 99; if (n > 50) ; else printf("%d\n", n);
    int primes = 0; for (int c = 2; c < 100; c++) { int p = 1; for (int d = 2; d * d <= c; d++) if (c % d == 0) { p = 0; break; } primes += p; } printf("%d\n", primes);
    unsigned long a = 1, b = 1; for (int s = 0; s < 60; s++) { unsigned long t = a + b; a = b; b = t; } printf("%lu\n", b);
    int outer = 0; while (1) { int inner = 0; while (1) { if (++inner == 4) break; if (outer == 2) goto done; } if (++outer == 5) break; } done: printf("%d\n", outer);
    for (int x = 0, y = 10; x != y; x < y ? x++ : y++) if (x == 4) y = 6; printf("%d\n", n);
    long collatz = 27; int steps = 0; while (collatz != 1) { collatz = collatz & 1 ? 3 * collatz + 1 : collatz / 2; steps++; } printf("%d\n", steps);
    return steps % 200;
}
