// Enumerations: types of constants, underlying types, arithmetic.
#include <stdio.h>
enum color { RED, GREEN = 5, BLUE };
enum sign { MINUS = -3, ZERO = 0 };
enum wide { W = 1ull << 40, X };
enum { ANON = 'x', NEXT };
typedef enum state { IDLE = 1, BUSY = IDLE << 2, MASK = (BUSY | IDLE) } state;
static state step(state s) { return s == IDLE ? BUSY : IDLE; }
int main(void) {
    enum color c = BLUE;
    printf("%d %d %d\n", RED, GREEN, c);
    c = (enum color)-1;
    printf("%d\n", c > 0);
    enum sign s = MINUS;
    printf("%d\n", s < 0);
    printf("%zu %llu %d\n", sizeof(enum wide), (unsigned long long)X, ANON + NEXT);
    printf("%d %d\n", step(IDLE), MASK);
    int counts[BLUE + 1] = { [GREEN] = 2, [BLUE] = 3 };
    for (enum color k = RED; k <= BLUE; k++) printf("%d ", counts[k]);
    putchar('\n');
    switch (step(step(IDLE))) { case IDLE: puts("idle"); break; case BUSY: puts("busy"); break; case MASK: puts("mask"); }
    { enum color { RED = 9 }; printf("%d\n", RED); }
    printf("%d %zu\n", RED, sizeof(RED));
    struct { enum color k : 4; } b = { BLUE };
    printf("%d\n", b.k);
    return 0;
}
