// exit from a deep call, atexit in reverse order, noreturn functions, unreachable.
#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
static void a(void) { puts("a"); } static void b(void) { puts("b"); atexit(a); }
static noreturn void die(int code) { printf("dying %d\n", code); exit(code); }
static int pick(int x) { switch (x) { case 1: return 10; case 2: return 20; default: __builtin_unreachable(); } }
__attribute__((constructor)) static void before(void) { puts("before"); }
__attribute__((destructor)) static void after(void) { puts("after"); }
__attribute__((constructor(101))) static void first(void) { puts("first"); }
static int check(int x) { if (x > 3) die(x + 4); return x; }
int main(void) { atexit(a); atexit(b); printf("%d\n", pick(1) + pick(2)); for (int i = 0;; i++) check(i); }
