// Functions used before, or without, a declaration: int f() is assumed, arguments are promoted.
int printf(const char *, ...);
int caller(int x) { return later(x, 'a', 2.5f) + twice(x); }
int later(int a, int b, double c) { return a + b + (int)(c * 2); }
twice(x) { return 2 * x; }
static counter;
static bump() { return ++counter; }
main(argc, argv) char **argv; {
    bump(); bump();
    printf("%d %d %d %d\n", caller(4), counter, argc, argv[0] != 0);
    printf("%d\n", (int)strlen("implicit"));
    return abs(-7);
}
