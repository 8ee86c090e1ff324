// gcc computes with a bit-field wider than int in its own width.
#include <stdio.h>
struct s { unsigned long long a : 37; long long b : 40; unsigned c : 32; };
int main(void) {
    struct s x = { -1, 0x7fffffffffll, -1 };
    printf("%llx\n", (unsigned long long)(x.a + 1));
    printf("%llx\n", (unsigned long long)(x.a << 3));
    printf("%llx\n", (unsigned long long)(x.a * 2));
    printf("%llx\n", (unsigned long long)(~x.a));
    printf("%llx\n", (unsigned long long)(-x.a));
    printf("%llx\n", (unsigned long long)(x.a + 1ll));
    printf("%llx\n", (unsigned long long)(x.b + 1));
    printf("%llx\n", (unsigned long long)(x.b << 1));
    printf("%llx\n", (unsigned long long)(x.a + x.b));
    printf("%llx %d\n", (unsigned long long)(1 ? x.a : 0) + 1, (int)sizeof(x.a + 1));
    printf("%d\n", x.a - 1 < x.a);
    unsigned long long q = x.a++; printf("%llx %llx\n", q, (unsigned long long)x.a);
    x.a -= 1; printf("%llx\n", (unsigned long long)(x.a += 2)); printf("%d\n", x.c + 1 == 0);
    return 0;
}
