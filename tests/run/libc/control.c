// setjmp and longjmp, signals, atexit from nested calls, abort: what ends and what goes on.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <locale.h>
#include <assert.h>
static jmp_buf top; static sigjmp_buf sig; static volatile int seen;
static void deep(int n) { char pad[100]; memset(pad, n, sizeof pad); if (n == 0) longjmp(top, 42); deep(n - 1); printf("%d\n", pad[0]); }
static int compare(const void *a, const void *b) { if (*(const int *)a == 3) longjmp(top, 7); return *(const int *)a - *(const int *)b; }
static void handler(int s) { seen += s; } static void jumper(int s) { siglongjmp(sig, s); }
struct frame { jmp_buf buf; struct frame *up; int code; }; static struct frame *chain;
static void throw(int code) { chain->code = code; longjmp(chain->buf, 1); }
static int protect(void (*f)(int), int arg) { struct frame fr; fr.up = chain; fr.code = 0; chain = &fr; if (setjmp(fr.buf) == 0) f(arg); chain = fr.up; return fr.code; }
static void maybe(int n) { if (n > 2) throw(n * 10); } static void nested(int n) { int inner = protect(maybe, n); if (inner) throw(inner + 1); }
static void bye(void) { puts("bye"); fflush(stdout); }
int main(void) {
    volatile int count = 0; int r = setjmp(top); count++; printf("%d %d\n", r, count); if (r == 0) deep(5); if (r == 42) { int v[] = { 1, 2, 3, 4 }; qsort(v, 4, sizeof *v, compare); } if (r == 7) longjmp(top, 0);
    for (int i = 0; i < 5; i++) printf("%d ", protect(nested, i)); putchar('\n');
    signal(SIGUSR1, handler); raise(SIGUSR1); raise(SIGUSR1); printf("%d ", seen); struct sigaction sa = { 0 }, old; sa.sa_handler = jumper; sigaction(SIGUSR2, &sa, &old); if ((r = sigsetjmp(sig, 1)) == 0) raise(SIGUSR2); printf("%d %d ", r == SIGUSR2, old.sa_handler == SIG_DFL); printf("%d\n", signal(SIGUSR1, SIG_IGN) == handler && raise(SIGUSR1) == 0);
    time_t t = 1000000000; struct tm *g = gmtime(&t); char buf[200]; printf("%s", asctime(g)); strftime(buf, sizeof buf, "%Y-%m-%d %H:%M:%S %a %A %b %B %j %U %W %w %y %p %I %e %D %F %T %R %% %C %u %V %G %g %h %n%t|", g); puts(buf); struct tm m = { .tm_year = 124, .tm_mon = 14, .tm_mday = -3, .tm_hour = 30, .tm_isdst = 0 }; t = timegm(&m); printf("%ld %d %d %d %d %d\n", (long)t, m.tm_year, m.tm_mon, m.tm_mday, m.tm_wday, m.tm_yday); printf("%.1f %d %d\n", difftime(10, 4), time(0) > 1000000000, clock() >= 0);
    printf("%s %s [%s] %d\n", setlocale(LC_ALL, "C"), localeconv()->decimal_point, localeconv()->thousands_sep, localeconv()->frac_digits);
    atexit(bye); printf("flushed\n"); fflush(stdout); printf("lost in the buffer"); assert(seen == 0); return 0;
}
