// switch: fallthrough, ranges, default in the middle, nesting, Duff's device, jumps into loops, wide and signed selectors.
#include <stdio.h>
#include <limits.h>
static int classify(int c) {
    switch (c) {
    case '0' ... '9': return 1;
    case 'a' ... 'f': case 'A' ... 'F': return 2;
    default: return 0;
    case '_': return 3;
    case -5 ... -2: return 4;
    case INT_MIN: return 5;
    }
}
static void duff(char *to, const char *from, int count) {
    int n = (count + 7) / 8;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++;
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++;
            } while (--n > 0);
    }
}
static int fall(int n) { int r = 0; switch (n) { case 1: r += 1; case 2: r += 2; __attribute__((fallthrough)); case 3: r += 3; break; case 4: { case 5: r = 50; } default: r += 9; } return r; }
static int wide(unsigned long long v) { switch (v) { case 0: return 0; case 0xffffffffffffffffull: return 1; case 1ull << 40: return 2; } return -1; }
static int narrow(signed char v) { switch (v) { case -1: return 1; case 127: return 2; case (signed char)200: return 3; } return 0; }
static int nested(int a, int b) { switch (a) { case 1: switch (b) { case 1: return 11; default: break; case 2: return 12; } return 10; case 2: for (;;) { switch (b) { case 1: break; case 2: goto out; default: b = b > 2 ? 2 : 1; continue; } b++; } } out: return a * 100 + b; }
static int nobody(int x) { switch (x); switch (x) { } switch (x) { default: x++; } switch (x) case 4: x = 40; switch (x) { int hidden; case 3: hidden = 7; return hidden; case 41: hidden = 8; x += hidden; } return x; }
static const char *en(enum { A, B, C } e) { switch (e) { case A: return "A"; case B: return "B"; case C: return "C"; } return "?"; }
int main(void) {
    for (int c = -6; c < 128; c += 3) printf("%d", classify(c)); printf("%d\n", classify(INT_MIN));
    char buf[20]; for (int n = 1; n < 20; n += 4) { duff(buf, "abcdefghijklmnopqrstuvwxyz", n); buf[n] = 0; puts(buf); }
    for (int i = 0; i < 7; i++) printf("%d ", fall(i)); putchar('\n');
    printf("%d %d %d %d\n", wide(0), wide(~0ull), wide(1ull << 40), wide(5)); printf("%d %d %d %d\n", narrow(-1), narrow(127), narrow((signed char)200), narrow(3));
    for (int a = 0; a < 3; a++) for (int b = 0; b < 4; b++) printf("%d ", nested(a, b)); putchar('\n'); for (int x = 0; x < 5; x++) printf("%d ", nobody(x)); putchar('\n'); puts(en(1));
    int state = 0, out = 0; for (const char *p = "ab12 cd"; *p; p++) switch (state) { case 0: if (*p >= 'a') { out++; break; } state = 1; case 1: if (*p == ' ') state = 0; else out += 10; continue; } printf("%d %d\n", out, state);
    switch (sizeof(int)) { case 4: puts("four"); } _Bool b = 1; switch (b) { case 1: puts("true"); break; case 0: puts("false"); } switch ('x') { case 'x': puts("x"); }
    return 0;
}
