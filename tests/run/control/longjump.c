// setjmp and longjmp: values, nesting, out of deep recursion, volatile locals, sigsetjmp, repeated returns.
#include <setjmp.h>
#include <stdio.h>
static jmp_buf env, outer;
static int depth(int n) { if (n == 0) longjmp(env, 42); return depth(n - 1) + 1; }
static void thrower(int v) { longjmp(env, v); }
static int guarded(int (*f)(int), int x) { jmp_buf saved; __builtin_memcpy(&saved, &env, sizeof env); int r; if ((r = setjmp(env)) == 0) r = f(x); else r = -r; __builtin_memcpy(&env, &saved, sizeof env); return r; }
static int safe(int x) { return x + 1; } static int throws(int x) { longjmp(env, x); } static int nests(int x) { return guarded(throws, x) * 2; }
int main(void) {
    volatile int tries = 0;
    int r = setjmp(env); printf("r=%d\n", r); tries++; if (tries < 4) thrower(tries - 1); printf("tries %d\n", tries);
    if (!setjmp(env)) depth(20); else puts("deep"); switch (setjmp(env)) { case 0: thrower(7); case 7: puts("seven"); break; default: puts("?"); }
    printf("%d %d %d\n", guarded(safe, 4), guarded(throws, 5), guarded(nests, 6));
    if (setjmp(outer) == 0) { if (setjmp(env) == 0) thrower(1); else longjmp(outer, 2); } else puts("outer");
    volatile int sum = 0; for (volatile int i = 0; i < 3; i++) { if (setjmp(env)) { sum += 100; continue; } sum += i; if (i == 1) thrower(9); } printf("%d\n", sum);
    sigjmp_buf sb; volatile int once = 0; if (sigsetjmp(sb, 1) == 0) { once++; siglongjmp(sb, 3); } printf("once %d\n", once); while (setjmp(env) < 3) { once++; thrower(once); } printf("%d\n", once);
    return 0;
}
