// Counters of loops, what they can be, and results of calls. Each paragraph that ends in a mark stands for itself.
int src(void); int in(void); void sink(int); enum e { A, B };

// What a counter is after its loop, and in it.
void t1(void) { int x = 0, i; for (i = 0; i < 4; i++) ; if (i != 4) x = src(); sink(x); } //~ NOFLOW
void t2(void) { int x = 0, i, n = 4; for (i = 0; i < n; i++) if (in()) n = 2; if (i != 4) x = src(); sink(x); } //~ FLOW
void t3(void) { int x = 0, i; for (i = 0; i < 9; i += 2) ; if (i & 1) x = src(); sink(x); } //~ NOFLOW
void t4(void) { int x = 0, i; for (i = 0; i < 9; ) { if (in()) i += 2; else i += 1; } if (i & 1) x = src(); sink(x); } //~ FLOW
void t5(void) { int x = 0; unsigned char c; for (c = 250; c > 5; c++) ; if (c == 0) x = src(); sink(x); } //~ FLOW
void t6(void) { int x = 0; unsigned char c = 250; do c++; while (c > 5); if (c > 5) x = src(); sink(x); } //~ NOFLOW
void t7(void) { int x = 0; unsigned i = 3; while (i--) ; if (i == 0) x = src(); sink(x); } //~ NOFLOW
void t8(void) { int x = 0; unsigned i = 3; while (i--) ; if (i > 9) x = src(); sink(x); } //~ FLOW
void t9(void) { int i = src() & 3; while (i < 8) i++; sink(i); } //~ NOFLOW
void t10(void) { for (int i = src(); i < 3; i++) sink(i); } //~ FLOW
void t11(void) { int w = src(), i; for (i = 0; i < 3; i++) { if (w) i = 2; } sink(i); } //~ NOFLOW
void t12(void) { int w = src(), i; for (i = 0; i < 3; i++) { if (w) break; } sink(i); } //~ FLOW
void t13(void) { int n = src() & 3, i; for (i = 0; i < n; i++) ; sink(i); } //~ FLOW
void t14(void) { int x = 0; for (int i = 0; i < 8; i += 2) { if (i == 3) x = src(); } sink(x); } //~ NOFLOW
void t15(void) { int x = 0; for (int i = 0; i < 8; i += 2) { if (i == 4) i++; if (i == 7) x = src(); } sink(x); } //~ FLOW
void t16(void) { int x = 0; _Bool b = 0; for (int i = 0; i < 3; i++) { if (b) x = src(); b = 1; } sink(x); } //~ FLOW
void t17(void) { int x = 0; signed char c = 126; for (int n = 0; n < 4; n++) { c++; if (c < 0) x = src(); } sink(x); } //~ FLOW
void t18(void) { int x = 0; enum e e = (enum e) (in() & 3); if (e == 3) x = src(); sink(x); } //~ FLOW
void t19(int n) { int x = 0, i = n - 2; if (i % 2 < 0) x = src(); sink(x); } //~ FLOW
void t20(int n) { int x = 0, i = n & 7; if (i % 4 > 3 || i / 2 > 3 || (i | 8) > 15 || i << 1 > 14) x = src(); sink(x); } //~ NOFLOW
void t21(int n) { int x = 0, i = n & 7; if (i << 1 > 4) x = src(); sink(x); } //~ FLOW
void t22(void) { int x = 0, i = 0; int *p = &i; for (i = 0; i < 4; i++) if (in()) *p = 7; if (i != 4) x = src(); sink(x); } //~ FLOW
void t23(void) { int x = 0; for (volatile int i = 0; i < 2; i++) if (i == 1) x = src(); sink(x); } //~ FLOW
void t24(int n) { int x = 0, y; switch (n) { case 1: case 3: y = n; break; default: y = 2; } if (y > 3 || y < 1) x = src(); sink(x); } //~ NOFLOW
void t25(int n) { int x = 0, y; switch (n) { case 1: case 3: y = n; break; default: y = n; } if (y == 2) x = src(); sink(x); } //~ FLOW
void t26(void) { int w = src() & 1, i = w ? 5 : 0; for (int k = 0; k < 2; k++, i++) sink(i); } //~ FLOW
void t27(void) { int w = src() & 1, x = 0; for (int i = 0; i < 3; i++) { if (w && i == 2) x = 1; if (w && i == 1) x = 0; } sink(x); } //~ FLOW

// A counter only goes one way, in one entry into its loop.
void t30(void) { int t = 0; for (int i = 0; i < 8; i++) { if (i == 5) t = src(); if (i == 3) sink(t); } } //~ NOFLOW
void t31(void) { int t = 0; for (int i = 7; i >= 0; i--) { if (i == 5) t = src(); if (i == 3) sink(t); } } //~ FLOW
void t32(void) { int t = 0; for (int i = 7; i >= 0; i--) { if (i == 3) t = src(); if (i == 5) sink(t); } } //~ NOFLOW
void t33(void) { int t = 0, once = 0; for (int i = 0; i < 8; i++) { if (i == 5) { t = src(); if (!once) { once = 1; i = 2; } } if (i == 3) sink(t); } } //~ FLOW
void t34(void) { int t = 0, once = 0, i, *p = &i; for (i = 0; i < 8; i++) { if (i == 5) { t = src(); if (!once) { once = 1; *p = 2; } } if (i == 3) sink(t); } } //~ FLOW
void t35(void) { int t = 0, n = 0; for (unsigned char c = 4; n < 300; c++, n++) { if (c == 5) t = src(); if (c == 3) sink(t); } } //~ OPEN
void t36(void) { int t = 0; for (int k = 0; k < 2; k++) for (int i = 0; i < 8; i++) { if (i == 5) t = src(); if (i == 3) sink(t); } } //~ FLOW
void t37(void) { int t = 0; for (int k = 0; k < 2; k++) for (int i = 0; i < 2; i++) { if (k == 1) t = src(); if (k == 0) sink(t); } } //~ NOFLOW
void t38(void) { int t = 0, i = 0; do { if (i == 2) t = src(); if (i == 1) sink(t); } while (++i < 4); } //~ NOFLOW
void t39(void) { int t = 0, i = 0; L: if (i == 2) t = src(); if (i == 1) sink(t); i++; if (i < 4) goto L; } //~ NOFLOW
void t40(void) { int t = 0, i = 0, n = 0; L: if (i == 2) t = src(); M: if (i == 1) sink(t); i++; if (i < 4) goto L; if (n++ < 1) { i = 1; goto M; } } //~ FLOW
void t41(void) { int t = 0, n = 0; struct { unsigned i : 2; } s = { 0 }; for (; n < 6; s.i++, n++) { if (s.i == 2) t = src(); if (s.i == 1) sink(t); } } //~ FLOW
void t42(void) { int t = 0; for (int i = 0; i < 8; in() ? i++ : (i += 2)) { if (i == 5) t = src(); if (i == 5) continue; if (i < 5) sink(t); } } //~ NOFLOW
void t43(void) { int t = 0, n = 0; for (int i = 0; i < 8 && n < 9; n++) { if (in()) i++; else i--; if (i == 2) t = src(); if (i == 1) sink(t); } } //~ FLOW in 0 1
void t44(int d) { int t = 0, n = 0; for (int i = 2; n < 3; n++, i += d - 1) { if (i == 2) t = src(); if (i == 1) sink(t); } } //~ FLOW
void t45(void) { int t = 0; for (int i = 0; i < 4; i++) { if (i > 1) t = src(); if (i <= 1) sink(t); } } //~ NOFLOW
void t46(void) { int t = 0; for (int i = 0; i < 4; i++) { if (i > 1) t = src(); if (i <= 2) sink(t); } } //~ FLOW
void t47(void) { int t = 0; for (int i = 0; i < 4; i++) { if (i >= 1) sink(t); if (i < 1) t = src(); } } //~ FLOW
void t48(void) { int t = 0; for (unsigned i = 3; i < 4; i--) { if (i == 1) t = src(); if (i == 2) sink(t); } } //~ IMPRECISE
void t49(void) { int w = src() & 3, t = 0; for (int i = 0; i < 6; i++) { if (i == w + 1) t = 1; if (i == 1) sink(t); } } //~ FLOW
void t50(void) { int w = src(); for (int i = 0; i < 3; i++) { if (i == 2) sink(1); if (w) break; } } //~ FLOW
void t51(void) { int w = src(); for (int i = 0; i < 3; i++) { if (i == 0) sink(1); if (i > 0 && w) break; } } //~ IMPRECISE
void t52(void) { int w = src(), t = 0, i = 0; while (i < 4) { if (i == 3) t = w; if (i == 1) sink(t); if (w) i++; i++; } } //~ FLOW

// What calls give back.
static int f(int y) { return y; }
void t60(void) { int z = 2; if (src()) z = f(2); sink(z); } //~ NOFLOW
static int f(int y) { if (y) return 1; return 2; }
void t61(int n) { int z = f(n); if (z == 2 && n) z = src(); sink(z); } //~ NOFLOW
static int f(int y) { if (y) return 1; return 2; }
void t62(int n) { int z = f(n); if (z == 2 && !n) z = src(); sink(z); } //~ FLOW
static int g; static int f(int y) { g++; return g + y; }
void t63(void) { int z = f(0), y = f(0); if (src()) z = y; sink(z); } //~ FLOW
static int f(int n) { return n ? f(n - 1) + 1 : 0; }
void t64(void) { int z = 2; if (src()) z = f(1); sink(z); } //~ FLOW
static void put(int *p, int c) { if (c) *p = 1; }
void t65(void) { int a = 0; put(&a, 0); if (a) a = src(); sink(a); } //~ NOFLOW
static void put(int *p, int c) { if (c) *p = 1; }
void t66(int c) { int a = 0; put(&a, c); if (a) a = src(); sink(a); } //~ FLOW
static int next(void) { static int n; return n++; }
void t67(void) { int z = next(); z = next(); if (z) z = src(); sink(z); } //~ FLOW
static int two(int *p, int *q) { *p = 1; *q = 2; return *p; }
void t68(void) { int a = 0, z = two(&a, &a); if (z == 2) z = src(); sink(z); } //~ FLOW
static int two(int *p, int *q) { *p = 1; *q = 2; return *p; }
void t69(void) { int a = 0, b = 0, z = two(&a, &b); if (z == 2) z = src(); sink(z); } //~ NOFLOW
static int count(int n) { int i; for (i = 0; i < 3; i++) n--; return i; }
void t70(void) { int z = count(1); if (z != 3) z = src(); sink(z); } //~ NOFLOW
static int f(int n) { while (n > 0) { if (n == 2) return 5; n--; } return 0; }
void t71(int n) { int z = f(n); if (z == 5) z = src(); sink(z); } //~ FLOW
static int f(void) { int x = src(); return x & 0 ? 1 : x; }
void t72(void) { sink(f()); } //~ FLOW
static int f(int y) { return y + 1; }
void t73(void) { int t = 0; for (int i = 0; i < 3; i++) { if (f(i) == 2) t = src(); if (f(i) == 3) sink(t); } } //~ FLOW
static int f(int y) { return y + 1; }
void t74(void) { int t = 0; for (int i = 0; i < 3; i++) { if (f(i) == 3) t = src(); if (f(i) == 2) sink(t); } } //~ NOFLOW
static int f(int y) { return y; }
void t75(void) { int t = 0; for (int i = 0; i < 3; i++) { if (f(i) == 2) t = src(); if (f(i) == 1) sink(t); } } //~ NOFLOW
static int g; static void set(int v) { g = v; }
void t76(void) { set(src()); set(1); sink(g); } //~ NOFLOW
static int g, h; static void set(int v) { g = h; h = v; }
void t77(void) { set(src()); set(1); sink(g); } //~ FLOW
static int g, h; static void set(int v) { g = h; h = v; }
void t78(void) { set(src()); set(1); set(2); sink(g); } //~ NOFLOW
static int f(int *p) { return *p; }
void t79(void) { int y = 3, z = 3; if (src()) { y = 4; z = f(&y); } sink(z); } //~ FLOW
static int f(int *p) { return *p; }
void t80(void) { int y = 3, z = 3; if (src()) z = f(&y); sink(z); } //~ NOFLOW
static int f(int c) { int r = 0; if (c) goto E; r = 1; E: return r; }
void t81(int c) { int z = f(c); if (src()) z = f(c); sink(z); } //~ NOFLOW
static int f(void) { return in(); }
void t82(void) { int y = f(), z = f(); if (src()) z = y; sink(z); } //~ FLOW
static int f(int n) { static int k; int r = k; k = n; return r; }
void t83(void) { int z = f(src()); z = f(0); sink(z); } //~ FLOW
