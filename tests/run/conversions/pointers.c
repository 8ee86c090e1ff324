// Pointer arithmetic, comparison, difference, casts to integers and back, null, arrays and functions that decay.
#include <stdio.h>
#include <stdint.h>
#include <stddef.h>
#include <string.h>
struct node { int v; struct node *next; char tag[4]; };
static int twice(int x) { return 2 * x; }
int main(void) {
    int a[10]; for (int i = 0; i < 10; i++) a[i] = i * i;
    int *p = a, *q = &a[7], **pp = &p;
    printf("%td %d %d %d\n", q - p, p < q, *(p + 3), q[-2]);
    p += 4; --p; (*pp)++; printf("%d\n", *p); printf("%d\n", *p++); printf("%d\n", *p);
    printf("%d %d\n", 3[a], *(a + 9));
    uintptr_t u = (uintptr_t)q; u -= 2 * sizeof(int); printf("%d\n", *(int *)u);
    printf("%d\n", (int)((char *)q - (char *)a));
    void *v = a; v = (char *)v + 8; printf("%d\n", *(int *)v);
    printf("%d\n", (int)((uintptr_t)&a[3] % sizeof(int)));
    struct node n[3] = { { 1, &n[1], "abc" }, { 2, &n[2], "de" }, { 3, 0, "f" } };
    for (struct node *s = n; s; s = s->next) printf("%d%s ", s->v, s->tag);
    putchar('\n');
    struct node *base = (struct node *)((char *)&n[1].tag - offsetof(struct node, tag)); printf("%d\n", base->v);
    int m[3][4]; for (int i = 0; i < 12; i++) ((int *)m)[i] = i; int (*row)[4] = m + 1;
    printf("%d %d %zu %d\n", (*row)[2], row[1][3], sizeof *row, *(*(m + 2) + 1));
    int (*fp)(int) = twice, (*fq)(int) = &twice, (*ft[2])(int) = { twice, 0 };
    printf("%d %d %d %d\n", fp(2), (*fq)(3), (**fp)(4), ft[0](5)); printf("%d\n", fp == fq && ft[1] == NULL);
    char *str = "hello" + 1; printf("%s %c %zu\n", str, *str, strlen(str));
    int *null = 0; printf("%d %d\n", null == NULL, !null); if (null) puts("no"); else puts("null");
    const char *names[] = { "x", "yy", "zzz" }; const char **np = names; printf("%s %s\n", *++np, np[1]); printf("%c\n", **np);
    printf("%d\n", &a[10] - a == 10); printf("%d\n", (void *)a == (void *)&a);
    char bytes[8]; int *unaligned = (int *)(bytes + 4); *unaligned = 0x01020304; printf("%d\n", bytes[4]);
    long addr = (long)&a[2]; addr ^= 0x5555; addr ^= 0x5555; printf("%d\n", *(int *)addr);
    int *copy; memcpy(&copy, &q, sizeof q); printf("%d\n", *copy); unsigned char *pb = (unsigned char *)&copy, raw[sizeof copy];
    for (size_t i = 0; i < sizeof copy; i++) raw[i] = pb[i]; int *again; for (size_t i = 0; i < sizeof raw; i++) ((unsigned char *)&again)[i] = raw[i]; printf("%d\n", *again);
    return 0;
}
