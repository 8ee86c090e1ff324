// Reads, writes, promotions and values of assignments to bit-fields.
#include <stdio.h>
#include <string.h>

struct f { unsigned a : 3; int b : 5; unsigned c : 24; signed char d : 2; _Bool e : 1; unsigned long long g : 37; long h : 60; };
struct __attribute__((packed)) g { unsigned a : 5; unsigned b : 31; int c : 9; unsigned long long d : 63; unsigned e : 1; };
union u { struct { unsigned lo : 4, mid : 8, hi : 20; }; unsigned all; };

static void dump(const void *p, unsigned n) {
    const unsigned char *b = p;
    for (unsigned i = 0; i < n; i++) printf("%02x", b[i]);
    putchar('\n');
}

int main(void) {
    struct f x;
    memset(&x, 0, sizeof x);
    x.a = 9; x.b = 17; x.c = 0xffffffff; x.d = 3; x.e = 42; x.g = 0x1234567890abcull; x.h = -5;
    printf("%u %d %u %d %d %llx %ld\n", x.a, x.b, x.c, x.d, x.e, (unsigned long long)x.g, (long)x.h);
    printf("%d %d\n", (x.a = 13), (x.b = -17));
    printf("%d %d %d\n", x.a++, --x.b, x.d <<= 1);
    x.a += 5; x.c ^= 0x00ff00; x.b *= 3;
    printf("%u %d %u\n", x.a, x.b, x.c);
    dump(&x, sizeof x);
    struct g y;
    memset(&y, 0xaa, sizeof y);
    y.a = 1; y.b = 0x7fffffff; y.c = -256; y.d = 0x7edcba9876543210ull; y.e = 1;
    dump(&y, sizeof y);
    y.b = y.b - 3; y.c += 100; y.d >>= 4;
    printf("%u %u %d %llx %u\n", y.a, y.b, y.c, (unsigned long long)y.d, y.e);
    dump(&y, sizeof y);
    union u v = { .all = 0xdeadbeef };
    printf("%x %x %x\n", v.lo, v.mid, v.hi);
    v.mid++;
    printf("%x\n", v.all);
    // An unsigned bit-field narrower than int promotes to int.
    struct f z; z.a = 1;
    printf("%d\n", z.a - 2 < 0);
    printf("%d\n", -z.a > 0);
    volatile struct f w; memset((void *)&w, 0, sizeof w);
    w.a = 7; w.a -= 2;
    printf("%u\n", w.a);
    struct f arr[3] = { { 1, 2, 3 }, { .g = 5 }, [2].h = -1 };
    struct f *p = arr;
    p->a ^= p[2].h;
    printf("%u %d %u %llu %ld\n", arr[0].a, arr[0].b, arr[0].c, (unsigned long long)arr[1].g, (long)arr[2].h);
    return 0;
}
