// Each function stands for itself: what src() gives reaches sink(), or not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>
#include <setjmp.h>
#include <pthread.h>
#include <math.h>
int src(void); void sink(int);
void t1(void) { char b[9]; sprintf(b, "%d", src()); setenv("A", b, 1); sink(atoi(getenv("A"))); } //~ FLOW
void t2(void) { char b[9]; sprintf(b, "%d", src()); open(b, 0); sink(errno); } //~ FLOW
void t3(void) { char b[9]; sprintf(b, "%d", src()); char *t = strtok(b, "1"); t = strtok(NULL, "1"); sink(t[0]); } //~ FLOW
void t4(void) { srand(src()); sink(rand()); } //~ FLOW
void t5(void) { int fd = open("x", 1); int v = src(); write(fd, &v, sizeof v); lseek(fd, 0, 0); int w; read(fd, &w, sizeof w); sink(w); } //~ FLOW
void t6(void) { int p[2]; pipe(p); int v = src(); write(p[1], &v, 4); int w; read(p[0], &w, 4); sink(w); } //~ FLOW
static void *th(void *a) { sink(*(int *)a); return NULL; }
void t7(void) { pthread_t t; int v = src(); pthread_create(&t, NULL, th, &v); pthread_join(t, NULL); } //~ FLOW
static void *th2(void *a) { return (void *)(long)src(); }
void t8(void) { pthread_t t; void *r; pthread_create(&t, NULL, th2, NULL); pthread_join(t, &r); sink((long)r); } //~ FLOW
static jmp_buf jb; static int keep; static void deep(void) { keep = src(); longjmp(jb, 1); }
void t9(void) { if (setjmp(jb)) { sink(keep); return; } deep(); } //~ FLOW
void t10(void) { if (src()) malloc(3); sink(1); } //~ NOFLOW
void t11(void) { struct tm *t; time_t n = src(); t = localtime(&n); sink(t->tm_sec); } //~ FLOW
void t12(void) { sink((int)sqrt((double)src())); } //~ FLOW
void t13(void) { char a[4] = "abc"; char *p = strchr(a, src()); sink(p != 0); } //~ FLOW
void t14(void) { int *p = alloca(4); *p = src(); sink(*p); } //~ FLOW
void t15(void) { char b[5]; b[0] = src(); sink(strlen(b)); } //~ FLOW
void t16(void) { char *e; sink(strtol(src() ? "1" : "2", &e, 10)); } //~ FLOW
void t17(void) { FILE *f = src() ? stdin : stderr; sink(fgetc(f)); } //~ FLOW
void t18(void) { char *p = strdup("abc"); p[0] = src(); char *q = p; p = NULL; sink(q[0]); } //~ FLOW
void t19(void) { int n = src(); char v[n + 1]; sink(sizeof v); } //~ FLOW
void t20(void) { int x = 0; int *p = &x; long a = (long)p; *(int *)(a ^ 0) = src(); sink(x); } //~ FLOW
static int memo(int k) { static int cache[4]; if (k) cache[k & 3] = k; return cache[1]; }
void t21(void) { memo(src()); sink(memo(0)); } //~ FLOW
void t22(void) { double d = src(); union { double d; long l; } u; u.d = d; sink(u.l); } //~ FLOW
void t23(void) { __builtin_va_list *x = 0; int a = src(); asm("" : "+r"(a)); sink(a); } //~ FLOW
void t24(void) { int a[2]; fread(a, 4, 2, stdin); if (src()) fseek(stdin, 0, 0); fread(a, 4, 1, stdin); sink(a[0]); } //~ FLOW
void t25(void) { if (src()) abort(); sink(3); } //~ FLOW
void t26(void) { int v = src(); int w; memmove(&w, &v, 4); sink(w); } //~ FLOW
void t27(void) { char *s[2] = {"a", "b"}; sink(s[src() & 1][0]); } //~ FLOW
void t28(void) { puts("x"); fflush(stdout); chdir(src() ? "a" : "b"); FILE *f = fopen("y", "r"); sink(fgetc(f)); } //~ FLOW
void t29(void) { static char w[2][8] = {"b", "a"}; static int n[2]; w[0][0] = src(); char *k = bsearch("b", w, 2, 8, (int (*)(const void *, const void *))strcmp); sink(k != 0); } //~ FLOW
