// Type punning through unions, anonymous members, unions by value.
#include <stdio.h>
#include <stdint.h>
#include <string.h>
union n { float f; uint32_t u; unsigned char b[4]; struct { uint16_t lo, hi; } h; };
struct variant { int kind; union { int i; double d; const char *s; struct { int x, y; }; }; };
static union n make(uint32_t u) { union n n; n.u = u; return n; }
static void show(struct variant v) {
    switch (v.kind) {
    case 0: printf("int %d\n", v.i); break;
    case 1: printf("double %g\n", v.d); break;
    case 2: printf("string %s\n", v.s); break;
    default: printf("point %d,%d\n", v.x, v.y);
    }
}
int main(void) {
    union n a; a.f = 1.5f;
    printf("%08x %02x %02x %04x\n", a.u, a.b[3], a.b[2], a.h.hi);
    a.b[0] = 1; printf("%.9g\n", a.f);
    printf("%.9g %x\n", make(0x40490fdb).f, make(0x01020304).h.lo);
    struct variant v = { .kind = 0, .i = 42 }; show(v);
    v = (struct variant){ 1, .d = 2.25 }; show(v);
    v = (struct variant){ 2, .s = "text" }; show(v);
    v.kind = 3; v.x = 4; v.y = -5; show(v);
    struct variant copy[2]; copy[1] = v; copy[0] = copy[1]; copy[0].y++;
    show(copy[0]); show(copy[1]);
    union { long l; void *p; } pun; int t = 7; pun.p = &t; long saved = pun.l; pun.l = 0; pun.l = saved;
    printf("%d\n", *(int *)pun.p);
    union { double d; uint64_t u; } z = { 3.141592653589793 };
    printf("%016llx\n", (unsigned long long)z.u);
    return 0;
}
