// Each function stands for itself: what src() gives reaches sink(), or not.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdarg.h>
#include <signal.h>
#include <stddef.h>
int src(void); void sink(int);
static void c3(int s) { if (s) exit(1); } static void c2(int s) { c3(s); } static void c1(int s) { c2(s); }
void t1(void) { c1(src()); sink(0); } //~ FLOW
static int key; static int cmp(const void *a, const void *b) { return key * (*(const int *)a - *(const int *)b); }
void t2(void) { int a[3] = {3,1,2}; key = src(); qsort(a, 3, sizeof *a, cmp); sink(a[0]); } //~ FLOW
struct s { int x; char n[8]; int *p; };
void t3(void) { struct s a, b; a.x = src(); memcpy(&b, &a, sizeof a); sink(b.x); } //~ FLOW
void t4(void) { char *q = malloc(4); q[0] = src(); q = realloc(q, 8); char buf[9]; strcpy(buf, q); sink(buf[0]); } //~ FLOW
void t5(void) { char b[20]; sprintf(b, "%d", src()); sink(atoi(b)); } //~ FLOW
union u { int i; unsigned char c[4]; };
void t6(void) { union u v; v.i = src(); sink(v.c[1]); } //~ FLOW
struct bf { unsigned a : 3, b : 5; };
void t7(void) { struct bf f; f.a = 1; f.b = src(); sink(*(unsigned char *)&f); } //~ FLOW
struct node { int v; struct s link; };
void t8(void) { struct node n; struct s *l = &n.link; struct node *m = (struct node *)((char *)l - offsetof(struct node, link)); m->v = src(); sink(n.v); } //~ FLOW
static void rec(int d, int *p) { int x = d; if (d > 0) rec(d - 1, d == 2 ? &x : p); else *p = src(); if (d == 2) sink(x); }
void t9(void) { int y = 0; rec(3, &y); } //~ FLOW
static int vsum(int n, va_list l) { int t = 0; while (n--) t += va_arg(l, int); return t; }
static int sum(int n, ...) { va_list l; va_start(l, n); int r = vsum(n, l); va_end(l); return r; }
void t10(void) { sink(sum(2, 1, src())); } //~ FLOW
static int last; static void bye(void) { sink(last); }
void t11(void) { atexit(bye); last = src(); exit(0); } //~ FLOW
static volatile int flag; static void on(int s) { flag = src(); }
void t12(void) { signal(SIGINT, on); while (!flag) ; sink(1); } //~ NOFLOW
static int *gp; static int gx; void t13(void) { int **pp = &gp; *pp = &gx; **pp = src(); sink(gx); } //~ FLOW
typedef int (*op)(int); static int id(int v) { return v; } static int zero(int v) { return 0; } static op ops[2] = { id, zero };
void t14(void) { sink(ops[src() & 1](5)); } //~ FLOW
void t15(void) { int i = 0; int a[2] = {0,0}; if (src()) i = 1; a[i] = 1; sink(a[0]); } //~ FLOW
static int left; static void leave(void) { left = src(); } void t17(void) { leave(); sink(left); } //~ FLOW
void t18(void) { FILE *f = fopen("x", "w"); fprintf(f, "%d", src()); fclose(f); f = fopen("x", "r"); int v; fscanf(f, "%d", &v); sink(v); } //~ FLOW
void t19(void) { if (src()) getchar(); sink(getchar()); } //~ FLOW
void t20(void) { struct s *p = malloc(sizeof *p); struct s **t = &p; (*t)->x = src(); free(NULL); sink(p->x); } //~ FLOW
static struct s mk(int v) { struct s r; r.x = v; r.p = 0; return r; }
void t21(void) { struct s r = mk(src()); struct s q = r; sink(q.x); } //~ FLOW
void t22(void) { static int n; int k = n; n = src(); sink(k); } //~ FLOW
void t23(void) { int x = 1; switch (src()) { case 1: x = 2; break; case 2: x = 3; default: ; } sink(x); } //~ FLOW
void t24(void) { char d[4], s[4]; s[0] = src(); for (int i = 0; i < 4; i++) d[i] = s[i]; sink(d[0]); } //~ FLOW
