// goto forwards, backwards, into and out of blocks and loops, irreducible loops, computed goto, local labels.
#include <stdio.h>
static int irreducible(int n, int first) { int t = 0; if (first) goto second; one: t += 1; if (t > n) return t; second: t += 10; if (t <= n) goto one; return -t; }
static int into(int c) { int r = 0; if (c) goto inside; for (r = 5; r < 8; r++) { inside: r += 2; { int q = r; if (q > 100) goto out; } } out: return r; }
static int interpret(const unsigned char *code) {
    static void *const table[] = { &&op_halt, &&op_inc, &&op_dec, &&op_double, &&op_jump };
    int acc = 0; const unsigned char *pc = code;
#define NEXT goto *table[*pc++]
    NEXT;
op_inc: acc++; NEXT;
op_dec: acc--; NEXT;
op_double: acc *= 2; NEXT;
op_jump: pc += *pc; NEXT;
op_halt: return acc;
}
static int relative(int i) { static const int offs[] = { &&a - &&a, &&b - &&a, &&c - &&a }; goto *(&&a + offs[i]); a: return 10; b: return 20; c: return 30; }
#define FIND(arr, n, x) ({ __label__ found; int _i; for (_i = 0; _i < (n); _i++) if ((arr)[_i] == (x)) goto found; _i = -1; found: _i; })
static int labels_at_end(int x) { if (x) goto end; x = 5; end: ; return x; }
static int cleanup_order(void) { int r = 0; for (int i = 0; i < 3; i++) { if (i == 1) goto skip; r += 10; skip: r++; } return r; }
static void fail(int step) { if (step == 0) goto a; if (step == 1) goto b; goto c; c: printf("c"); b: printf("b"); a: printf("a\n"); }
int main(void) {
    printf("%d %d %d\n", irreducible(30, 0), irreducible(30, 1), irreducible(0, 1)); printf("%d %d\n", into(0), into(1));
    unsigned char code[] = { 1, 1, 3, 4, 2, 0, 2, 3, 0 }; printf("%d\n", interpret(code)); printf("%d %d %d\n", relative(0), relative(1), relative(2));
    int arr[] = { 4, 5, 6 }; printf("%d %d %d\n", FIND(arr, 3, 6), FIND(arr, 3, 9), FIND(arr, 3, 4)); printf("%d %d\n", labels_at_end(0), labels_at_end(3)); printf("%d\n", cleanup_order());
    for (int i = 0; i < 3; i++) fail(i); int n = 0; back: if (n++ < 3) goto back; printf("%d\n", n); goto last; { puts("never"); } last: return n;
}
