// A condition speaks of one moment: iterations and calls. Each paragraph that ends in a mark stands for itself.
int src(void); int in(void); void sink(int);
struct s { int x, a; }; struct abc { int a, b, c; }; struct kab { int k, a, b; };

// x < 7 when a is written, x >= 7 when it is used.
void t1(int x) { int a = 0; while (x < 7) { a = src(); x++; } if (x >= 7) sink(a); } //~ FLOW in 5..8 src 0 1
void t2(int x) { int a = 0; x &= 7; for (; x != 7; x++) a = src(); if (x == 7) sink(a); } //~ FLOW in 5..8 src 0 1
void t3(int x) { int a = 0; do { a = src(); x++; } while (x < 7); if (x >= 7) sink(a); } //~ FLOW in 5..8 src 0 1
void t4(void) { struct s s = { in(), 0 }; while (s.x < 7) { s.a = src(); s.x++; } if (s.x >= 7) sink(s.a); } //~ FLOW in 5..8 src 0 1
static int gx, ga;
void t5(void) { gx = in(); while (gx < 7) { ga = src(); gx++; } if (gx >= 7) sink(ga); } //~ FLOW in 5..8 src 0 1
static int step(int x, int *a) { *a = src(); return x + 1; }
void t6(int x) { int a = 0; while (x < 7) x = step(x, &a); if (x >= 7) sink(a); } //~ FLOW in 5..8 src 0 1
void t7(int x) { int a = 0, *p = &x, *q = &a; while (*p < 7) { *q = src(); ++*p; } if (*p >= 7) sink(*q); } //~ FLOW in 5..8 src 0 1
void t8(int x) { int a = 0; L: if (x < 7) { a = src(); x++; goto L; } if (x >= 7) sink(a); } //~ FLOW in 5..8 src 0 1
void t9(int x) { int a = 0; while (1) { if (x >= 7) break; a = src(); x++; } if (x >= 7) sink(a); } //~ FLOW in 5..8 src 0 1
void t10(int x) { int a = 0; for (int i = 0; i < 2; i++) { while (x < 7) { a = src(); x++; } } if (x >= 7) sink(a); } //~ FLOW in 5..8 src 0 1
void t11(int x) { int a = 0; while (x < 7) switch (x & 1) { case 0: a = src(); default: x++; } if (x >= 7) sink(a); } //~ FLOW in 5..8 src 0 1
static int run(int x, int *a) { if (x >= 7) return x; *a = src(); return run(x + 1, a); }
void t12(int x) { int a = 0; x = run(x, &a); if (x >= 7) sink(a); } //~ FLOW in 5..8 src 0 1
void t13(void) { static int x, a; x = in(); while (x < 7) { a = src(); x++; } if (x >= 7) sink(a); } //~ FLOW in 5..8 src 0 1
void t14(int x) { int a = 0; while (x < 7) { a = src(); x++; if (x == 6) continue; } if (x < 7) return; sink(a); } //~ FLOW in 5..8 src 0 1
void t15(unsigned n) { int a = 0; while (n > 0) { a = src(); n--; } if (n == 0) sink(a); } //~ FLOW in 0..2 src 0 1
void t16(int x) { int a = 0, b = 0; while (x < 7) { b = a; a = src(); x++; } if (x >= 7) sink(b); } //~ FLOW in 5..8 src 0 1
void t17(int x) { int a = 0; while (x < 7) { a = src(); x++; } if (x < 7) sink(a); } //~ NOFLOW in 5..8 src 0 1
void t18(unsigned n) { int a = 0; while (n > 0) { a = src(); n--; } if (n > 0) sink(a); } //~ NOFLOW in 0..2 src 0 1
void t19(void) { int a = 0, done = 0; while (!done) { a = src(); done = 1; } if (!done) sink(a); } //~ NOFLOW
void t20(int x) { int a = 0; while (x < 7) { a = src(); x++; } a = 0; if (x >= 7) sink(a); } //~ NOFLOW in 5..8 src 0 1
void t21(int x) { int a = 0; while (x < 7) { if (x == 9) a = src(); x++; } sink(a); } //~ NOFLOW in 5..8 src 0 1
void t22(int x) { int a = 0, y = x; while (x < 7) { a = src(); x++; } if (y >= 7) sink(a); } //~ IMPRECISE in 5..8 src 0 1
static int gx, ga;
void t23(void) { gx = in(); while (gx < 7) { ga = src(); gx++; } if (gx < 7) sink(ga); } //~ NOFLOW in 5..8 src 0 1
void t24(int x) { int a = 0; do { a = src(); x++; } while (x < 7); if (x < 7) sink(a); } //~ NOFLOW in 5..8 src 0 1
void t25(int x) { int a = 0; L: if (x < 7) { a = src(); x++; goto L; } if (x < 7) sink(a); } //~ NOFLOW in 5..8 src 0 1
void t26(void) { struct s s = { in(), 0 }; while (s.x < 7) { s.a = src(); s.x++; } if (s.x < 7) sink(s.a); } //~ NOFLOW in 5..8 src 0 1
static int step(int x, int *a) { *a = src(); return x + 1; }
void t27(int x) { int a = 0; while (x < 7) x = step(x, &a); if (x < 7) sink(a); } //~ NOFLOW in 5..8 src 0 1
static int run(int x, int *a) { if (x >= 7) return x; *a = src(); return run(x + 1, a); }
void t28(int x) { int a = 0; x = run(x, &a); if (x < 7) sink(a); } //~ IMPRECISE in 5..8 src 0 1

// Written in one iteration, seen in another.
void t30(void) { int t = 0; for (int i = 0; i < 8; i++) { if (i == 3) t = src(); if (i == 5) sink(t); } } //~ FLOW
void t31(int i) { int t = 0; while (i < 7) { if (i == 3) t = src(); if (i == 5) sink(t); i++; } } //~ FLOW in 2..4
void t32(void) { for (int i = 0; i < 8; i++) { int t = 0; if (i == 3) t = src(); if (i == 5) sink(t); } } //~ NOFLOW
void t33(void) { int t = 0; for (int i = 0; i < 8; i++) { t = 0; if (i == 3) t = src(); if (i == 5) sink(t); } } //~ NOFLOW
void t34(void) { int t = 0; for (int i = 0; i < 8; i++) { if (i == 5) t = src(); if (i == 3) sink(t); } } //~ NOFLOW
void t35(void) { int t = 0; for (int i = 8; i > 0; i--) { if (i == 5) t = src(); if (i == 3) sink(t); } } //~ FLOW
void t36(void) { int t = 0; for (int i = 0; i < 8; i++) switch (i) { case 3: t = src(); break; case 5: sink(t); } } //~ FLOW
static int kept; static void turn(int i) { if (i == 3) kept = src(); if (i == 5) sink(kept); }
void t37(void) { for (int i = 0; i < 8; i++) turn(i); } //~ FLOW
static int held; static void once(int i) { held = 0; if (i == 3) held = src(); if (i == 5) sink(held); }
void t38(void) { for (int i = 0; i < 8; i++) once(i); } //~ NOFLOW
void t39(void) { int t = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) { if (i == 0 && j == 1) t = src(); if (i == 1 && j == 0) sink(t); } } //~ FLOW
void t40(void) { for (int i = 0; i < 2; i++) { int t = 0; for (int j = 0; j < 2; j++) { if (i == 0 && j == 0) t = src(); if (i == 1 && j == 1) sink(t); } } } //~ NOFLOW
void t41(void) { for (int i = 0; i < 2; i++) { int t = 0; for (int j = 0; j < 2; j++) { if (i == 1 && j == 0) t = src(); if (i == 1 && j == 1) sink(t); } } } //~ FLOW

// Section 3.3 of the paper: two iterations, with another x in each.
void t50(int n) { int a = src(), b = 0, c = 0, x; while (n > 0) { x = in(); if (x > 0) b = a; else c = b; n--; } sink(c); } //~ FLOW in 0..2
void t51(void) { int a = src(), b = 0, c = 0; for (int i = 0; i < 2; i++) switch (in() & 1) { case 1: b = a; break; default: c = b; } sink(c); } //~ FLOW in 0..2
void t52(int n) { struct abc v = { src(), 0, 0 }; while (n > 0) { int x = in(); if (x > 0) v.b = v.a; else v.c = v.b; n--; } sink(v.c); } //~ FLOW in 0..2
static int gb, gc;
void t53(int n) { int a = src(); while (n > 0) { int x = in(); if (x > 0) gb = a; else gc = gb; n--; } sink(gc); } //~ FLOW in 0..2
static void move(int x, int a, int *b, int *c) { if (x > 0) *b = a; else *c = *b; }
void t54(int n) { int a = src(), b = 0, c = 0; while (n > 0) { move(in(), a, &b, &c); n--; } sink(c); } //~ FLOW in 0..2
void t55(int n) { int a = src(), b = 0, c = 0, *p = &b, *q = &c; while (n > 0) { if (in() > 0) *p = a; else *q = *p; n--; } sink(c); } //~ FLOW in 0..2
void t56(int n) { int a = src(), b = 0, c = 0; do { if (in() > 0) b = a; else c = b; n--; } while (n > 0); sink(c); } //~ FLOW in 0..2
void t57(int n) { int a = src(), b = 0, c = 0; L: if (n <= 0) goto E; if (in() > 0) goto B; c = b; goto N; B: b = a; N: n--; goto L; E: sink(c); } //~ FLOW in 0..2
void t58(int n) { int a = src(), b = 0, c = 0; for (int i = 0; i < 2; i++) { int m = n; while (m > 0) { if (in() > 0) b = a; else c = b; m--; } } sink(c); } //~ FLOW in 0..1
void t59(int n) { int v[3] = { src(), 0, 0 }; while (n > 0) { if (in() > 0) v[1] = v[0]; else v[2] = v[1]; n--; } sink(v[2]); } //~ FLOW in 0..2
static int again(int n, int a, int b, int c) { if (n <= 0) return c; if (in() > 0) return again(n - 1, a, a, c); return again(n - 1, a, b, b); }
void t60(int n) { int a = src(); sink(again(n, a, 0, 0)); } //~ OPEN in 0..2
void t61(int n) { static int b, c; int a = src(); while (n > 0) { if (in() > 0) b = a; else c = b; n--; } sink(c); } //~ FLOW in 0..2
void t62(int n) { int a = src(), b = 0, c = 0; while (n > 0) { int x = in(); if (x == 2) return; if (x > 0) b = a; else c = b; n--; } sink(c); } //~ FLOW in 0..2
void t63(int n) { int a = src(), b = 0, c = 0; while (n > 0) { if (in() > 0) { c = b; b = a; } n--; } sink(c); } //~ FLOW in 0..2
void t64(void) { int a = src(), b = 0, c = 0, d = 0; for (int i = 0; i < 3; i++) { int x = in(); if (x == 0) b = a; else if (x == 1) c = b; else d = c; } sink(d); } //~ FLOW in 0..2
void t65(int n) { int a = src(), b = 0, c = 0; if (n > 0) { int x = in(); if (x > 0) b = a; else c = b; n--; } sink(c); } //~ NOFLOW in 0..2
void t66(int n) { int a = src(), b = 0, c = 0, x = in(); while (n > 0) { if (x > 0) b = a; else c = b; n--; } sink(c); } //~ NOFLOW in 0..2
void t67(int n) { int a = src(), b = 0, c = 0; while (n > 0) { b = 0; if (in() > 0) b = a; else c = b; n--; } sink(c); } //~ NOFLOW in 0..2
void t68(void) { int a = src(), b = 0, c = 0; for (int i = 0; i < 1; i++) { if (in() > 0) b = a; else c = b; } sink(c); } //~ NOFLOW in 0..2
void t69(int n) { struct abc v = { src(), 0, 0 }; int x = in(); while (n > 0) { if (x > 0) v.b = v.a; else v.c = v.b; n--; } sink(v.c); } //~ NOFLOW in 0..2
static void move(int x, int a, int *b, int *c) { if (x > 0) *b = a; else *c = *b; }
void t70(int n) { int a = src(), b = 0, c = 0, x = in(); while (n > 0) { move(x, a, &b, &c); n--; } sink(c); } //~ NOFLOW in 0..2
void t71(void) { int a = src(), b = 0, c = 0; for (int i = 0; i < 2; i++) { if (i == 1) b = a; else c = b; } sink(c); } //~ NOFLOW
void t72(void) { int a = src(), b = 0, c = 0; for (int i = 0; i < 2; i++) { if (i == 0) b = a; else c = b; } sink(c); } //~ FLOW

// Two calls of one function: another k in each.
static int pick(int k, int a, int b) { if (k) return a; return b; }
void t80(void) { int t = pick(1, src(), 0), u = pick(0, 0, t); sink(u); } //~ FLOW
static int pick(int k, int a, int b) { return k ? a : b; }
void t81(void) { int t = pick(1, src(), 0), u = pick(0, 0, t); sink(u); } //~ FLOW
static int pick(int k, int a, int b) { switch (k) { case 0: return b; case 1: return a; default: return 0; } }
void t82(void) { int t = pick(1, src(), 0), u = pick(0, 0, t); sink(u); } //~ FLOW
static int k; static int pick(int a, int b) { if (k) return a; return b; }
void t83(void) { k = 1; int t = pick(src(), 0); k = 0; int u = pick(0, t); sink(u); } //~ FLOW
static int k; static int pick(int a, int b) { if (k) return a; return b; }
void t84(void) { k = 1; int t = pick(src(), 0); int u = pick(0, t); sink(u); } //~ NOFLOW
static void pick(int k, const int *a, const int *b, int *r) { if (k) *r = *a; else *r = *b; }
void t85(void) { int s = src(), z = 0, t, u; pick(1, &s, &z, &t); pick(0, &z, &t, &u); sink(u); } //~ FLOW
static void pick(int k, const int *a, const int *b, int *r) { if (k) *r = *a; else *r = *b; }
void t86(void) { int s = src(), z = 0, t, u; pick(1, &s, &z, &t); pick(1, &z, &t, &u); sink(u); } //~ NOFLOW
static int pick(struct kab v) { if (v.k) return v.a; return v.b; }
void t87(void) { struct kab v = { 1, src(), 0 }; int t = pick(v); struct kab w = { 0, 0, t }; sink(pick(w)); } //~ FLOW
static int pick(int k, int a, int b) { if (k) return a; return b; }
void t88(void) { int t = 0, s = src(); for (int i = 0; i < 2; i++) t = pick(i == 0, s, t); sink(t); } //~ FLOW
static int pick(int k, int a, int b) { if (k) goto A; return b; A: return a; }
void t89(void) { int t = pick(1, src(), 0), u = pick(0, 0, t); sink(u); } //~ FLOW
static int pick(int k, int a, int b) { do { if (k) return a; } while (0); return b; }
void t90(void) { int t = pick(1, src(), 0), u = pick(0, 0, t); sink(u); } //~ FLOW
static int pick(int n, int k, int a, int b) { if (n > 0) return pick(n - 1, k, a, b); if (k) return a; return b; }
void t91(void) { int t = pick(2, 1, src(), 0), u = pick(2, 0, 0, t); sink(u); } //~ FLOW
static int odd; static int next(int a, int b) { odd = !odd; if (odd) return a; return b; }
void t92(void) { int t = next(src(), 0), u = next(0, t); sink(u); } //~ FLOW
static int odd; static int next(int a, int b) { odd = !odd; if (odd) return a; return b; }
void t93(void) { int t = next(src(), 0), u = next(t, 0); sink(u); } //~ NOFLOW
static int pick(int k, int a, int b) { if (k) return a; return b; }
void t94(void) { int (*f)(int, int, int) = pick; int t = f(1, src(), 0), u = f(0, 0, t); sink(u); } //~ FLOW
static int pick(int k, int a, int b) { if (k) return a; return b; }
void t95(int k) { int t = pick(k, src(), 0), u = pick(!k, 0, t); sink(u); } //~ FLOW
static int pick(int k, int a, int b) { if (k) return a; return b; }
void t96(int k) { int t = pick(k, src(), 0), u = pick(!k, t, 0); sink(u); } //~ NOFLOW
static int pick_1(int k, int a, int b) { if (k) return a; return b; } static int pick_2(int k, int a, int b) { return pick_1(k, a, b); }
void t97(void) { int t = pick_2(1, src(), 0), u = pick_2(0, 0, t); sink(u); } //~ FLOW
static int pick(int k, int a, int b) { while (k) return a; return b; }
void t98(void) { int t = pick(1, src(), 0), u = pick(0, 0, t); sink(u); } //~ FLOW
static int pick(int k, int a, int b) { if (k) return a; return b; }
void t99(void) { int t = pick(0, src(), 0), u = pick(0, 0, t); sink(u); } //~ NOFLOW
static int pick(int k, int a, int b) { if (k) return a; return b; }
void t100(void) { int t = pick(1, src(), 0), u = pick(1, 0, t); sink(u); } //~ NOFLOW
static int pick(int k, int a, int b) { if (k) return a; return b; }
void t101(void) { int t = pick(1, src(), 0), u = pick(2, 0, t); sink(u); } //~ NOFLOW
static int pick(int k, int a, int b) { return k ? a : b; }
void t102(void) { int t = pick(1, src(), 0), u = pick(1, 0, t); sink(u); } //~ NOFLOW
