// `asm` and `typeof` in all their spellings: neither is a call.
int printf(const char *, ...);
int main(void) {
    int x = 3, p = 4;
    typeof(x) *q = &x;
    asm ("");
    asm volatile ("");
    if (x) asm (""); else asm ("" : "+r"(x));
    for (;;) { typeof(p) * r; r = q; printf("%d %d\n", *r, (int)sizeof(typeof(x))); break; }
    return (int)sizeof(typeof(char)) + (typeof(x))2;
}
