// Promotions, usual conversions, overflow of unsigned types, shifts, division, casts between all widths.
#include <stdio.h>
#include <limits.h>
#include <stdint.h>
#define SHOW(e) printf("%-40s %lld\n", #e, (long long)(e))
int main(void) {
    volatile signed char sc = -100; volatile unsigned char uc = 200; volatile short sh = -30000; volatile unsigned short us = 60000;
    volatile int i = -7; volatile unsigned u = 4000000000u; volatile long l = -5; volatile unsigned long ul = 5; volatile long long ll = LLONG_MIN;
    volatile char c = '\xff'; volatile _Bool b = 3;
    SHOW(sc + uc); SHOW(sc * sc); SHOW(us * 2); SHOW(sh - us); SHOW(i + u); SHOW(i < u); SHOW(l < ul); SHOW(i / 2); SHOW(i % 3); SHOW(-i / 2); SHOW(u / i);
    SHOW(i >> 1); SHOW(u >> 31); SHOW(us << 4); SHOW(1 << 31 >> 31); SHOW(1u << 31 >> 31); SHOW(uc << 24); SHOW(~uc); SHOW(~u); SHOW(!u); SHOW(-u); SHOW(+sc);
    SHOW((signed char)uc); SHOW((unsigned char)sc); SHOW((short)u); SHOW((unsigned short)i); SHOW((char)300); SHOW((_Bool)256); SHOW((_Bool)0.5);
    SHOW((long)u); SHOW((long)i); SHOW((unsigned long)i); SHOW((int)ll); SHOW(c); SHOW(c == '\xff'); SHOW(b); SHOW(b + b); SHOW(sizeof(c + c));
    SHOW(sizeof(1 ? sc : uc)); SHOW(1 ? i : u); SHOW((1 ? -1 : 0u) > 0); SHOW(sizeof(1 ? 1 : 2l)); SHOW('a' + 1); SHOW(sizeof 'a'); SHOW('\0');
    SHOW(0x7fffffff + 0u + 1); SHOW(2147483648 > 0); SHOW(sizeof(2147483648)); SHOW(sizeof(0xffffffff)); SHOW(sizeof(0x1ffffffff)); SHOW(-2147483648); SHOW(010); SHOW(0b1011);
    unsigned char w = 250; w += 10; SHOW(w); w = 0; w--; SHOW(w); w >>= 3; SHOW(w); w = ~w; SHOW(w); w <<= 1; SHOW(w);
    signed char x = 127; x++; SHOW(x); x = -128; x = -x; SHOW(x); x /= 3; SHOW(x); x %= 5; SHOW(x); x ^= 0xff; SHOW(x); x |= 1000; SHOW(x);
    short y = 30000; y += y; SHOW(y); y *= 1.5; SHOW(y); y -= 0.7; SHOW(y);
    _Bool t = 0; t--; SHOW(t); t++; SHOW(t); t += 5; SHOW(t); t ^= 1; SHOW(t);
    unsigned long big = ~0ul; SHOW(big * big); SHOW(big / 3); SHOW(big % 1000); SHOW(big >> 60); SHOW((int64_t)big); SHOW((int32_t)(big >> 4));
    __int128 q = (__int128)LLONG_MAX * 4 + 3; SHOW(q >> 60); SHOW(q / 1000000007); SHOW(q % 1000); SHOW((unsigned __int128)-1 >> 100); SHOW((long long)(q * q >> 64)); SHOW(sizeof q);
    SHOW(INT_MIN); SHOW(UINT_MAX); SHOW(CHAR_MIN); SHOW((unsigned char)'\377'); SHOW(LONG_MIN == LLONG_MIN);
    uint64_t h = 14695981039346656037ull; for (int k = 0; k < 20; k++) { h ^= (uint8_t)(k * 37); h *= 1099511628211ull; } SHOW(h);
    return 0;
}
