// volatile, const, restrict, _Atomic, _Thread_local, register.
#include <stdio.h>
#include <stdatomic.h>
static volatile int port = 3;
static const int limit = 10;
static _Atomic int counter;
static _Thread_local int tls = 4;
static __thread long tls2;
static void copy(int n, int *restrict to, const int *restrict from) { while (n-- > 0) *to++ = *from++; }
int main(void) {
    port; port++; port += limit;
    printf("%d\n", port);
    counter = 5; counter++; counter += 3; counter |= 64; --counter;
    printf("%d %d\n", counter, atomic_load(&counter));
    atomic_fetch_add(&counter, 10); atomic_fetch_and(&counter, ~1);
    int expected = 82; int ok = atomic_compare_exchange_strong(&counter, &expected, 5);
    printf("%d %d %d\n", ok, expected, counter);
    expected = 0; ok = atomic_compare_exchange_strong(&counter, &expected, 5);
    printf("%d %d\n", ok, expected);
    int swapped = atomic_exchange(&counter, 9); printf("%d\n", swapped + counter);
    atomic_flag fl = ATOMIC_FLAG_INIT; int f1 = atomic_flag_test_and_set(&fl), f2 = atomic_flag_test_and_set(&fl);
    printf("%d %d\n", f1, f2);
    tls += 2; tls2 = tls; printf("%d %ld\n", tls, tls2);
    int a[3] = { 1, 2, 3 }, b[3]; copy(3, b, a); printf("%d%d%d\n", b[0], b[1], b[2]);
    register int r = 5; r *= r; printf("%d\n", r);
    const volatile struct { int x; } s = { 6 }; printf("%d\n", s.x);
    int *volatile vp = a; vp++; printf("%d\n", *vp);
    _Atomic struct { int a, b; } *none = 0; printf("%d\n", none == 0);
    return 0;
}
