// Flows that happen by something not happening, and values that are the same in both runs. Each paragraph that ends in a mark stands for itself.
int src(void); int in(void); void sink(int);
struct s { int x, y; }; struct t { int n, row[2]; };

// The branch is not taken in the run in which something is seen.
void t1(void) { int x = 0; if (src()) x = 1; if (x == 0) sink(1); } //~ FLOW
void t2(void) { struct s s = { 0, 0 }; if (src()) s.x = 1; if (s.x == 0) sink(1); } //~ FLOW
static int g;
void t3(void) { g = 0; if (src()) g = 1; if (g == 0) sink(1); } //~ FLOW
static void set(int *p) { *p = 1; }
void t4(void) { int x = 0; if (src()) set(&x); if (x == 0) sink(1); } //~ FLOW
void t5(void) { int x = 0, *p = &x; if (src()) *p = 1; if (*p == 0) sink(1); } //~ FLOW
void t6(void) { for (int i = 0; i < 2; i++) { int x = 0; if (src()) x = 1; if (x == 0) sink(i); } } //~ FLOW
void t7(void) { int x = 0; if (!src()) goto L; x = 1; L: if (x) goto E; sink(1); E:; } //~ FLOW
void t8(void) { int x = 0; switch (src()) { case 0: break; default: x = 1; } switch (x) { case 0: sink(1); } } //~ FLOW
void t9(void) { int x = 0, s = src(); do { if (s) x = 1; } while (0); do { if (x) break; sink(1); } while (0); } //~ FLOW
void t10(void) { int x = 0; if (src()) x = 1; if (x) return; sink(1); } //~ FLOW
static int flag(int s) { if (s) return 1; return 0; }
void t11(void) { if (flag(src()) == 0) sink(1); } //~ FLOW
static void mark(int s, int *x) { if (s) *x = 1; } static void show(int x) { if (x == 0) sink(1); }
void t12(void) { int x = 0; mark(src(), &x); show(x); } //~ FLOW
void t13(void) { static int x; if (src()) x = 1; if (x == 0) sink(1); } //~ FLOW
static int deep(int n, int s) { if (n == 0) { int x = 0; if (s) x = 1; return x; } return deep(n - 1, s); }
void t14(void) { if (deep(2, src()) == 0) sink(1); } //~ FLOW
void t15(void) { int x = 0; if (src()) x |= 1; if (!(x & 1)) sink(1); } //~ FLOW
void t16(void) { int x = src() != 0; if (!x) sink(1); } //~ FLOW
void t17(void) { int x = 0, y = 0; if (src()) x = 1; if (!x) y = 1; if (y) sink(1); } //~ FLOW
void t18(void) { int x[2] = { 0, 0 }; if (src()) x[1] = 1; if (x[1] == 0) sink(1); } //~ FLOW
void t19(int c) { int x = 0; if (src() == 2) x = 1; if (c) if (x == 0) sink(1); } //~ FLOW
void t20(void) { int x = 0, s = src(); while (s > 0) { x = 1; s--; } if (x == 0) sink(1); } //~ FLOW
void t21(void) { int x = 5; if (src()) x = in(); if (x == 5) sink(1); } //~ FLOW
void t22(void) { int x = 0; if (src() && in()) x = 1; if (x == 0) sink(1); } //~ FLOW
void t23(void) { int x = 0; if (src()) x = 1; if (x == 2) sink(1); } //~ NOFLOW
void t24(void) { int x = 0; if (src()) x = 0; if (x == 0) sink(1); } //~ NOFLOW
void t25(void) { int x = 1; if (src()) x = 2; if (x > 0) sink(1); } //~ NOFLOW
void t26(int x) { int y = 0; if (x) if (src()) y = 1; if (!x) if (!y) sink(1); } //~ NOFLOW
void t27(void) { struct s s = { 0, 0 }; if (src()) s.x = 1; if (s.y == 0) sink(1); } //~ NOFLOW
void t28(int c) { int x = 0; if (c) { if (src()) x = 1; } else if (x == 0) sink(1); } //~ NOFLOW
void t29(int c) { int x = 0; if (src()) x = 1; if (c) x = 3; if (c) if (x == 0) sink(1); } //~ NOFLOW
void t30(int c) { int x = 0; if (src()) x = 1; if (c) x = 3; if (c) if (x == 3) sink(1); } //~ NOFLOW
static int h;
void t31(int c) { h = 0; if (c) if (src()) h = 1; if (!c) if (h == 0) sink(1); } //~ NOFLOW
static void put(int c, int *p) { if (c) if (src()) *p = 1; }
void t32(int c) { int x = 0; put(c, &x); if (!c) if (x == 0) sink(1); } //~ NOFLOW
void t33(int c) { int x = 0; switch (c) { case 1: if (src()) x = 1; break; case 2: if (x == 0) sink(1); } } //~ NOFLOW
void t34(int c) { int x = 0; if (c > 2) goto B; if (src()) x = 1; B: if (c <= 2) return; if (x == 0) sink(1); } //~ NOFLOW
void t35(int c) { for (int i = 0; i < 2; i++) { int x = 0; if (c) if (src()) x = 1; if (!c) if (x == 0) sink(i); } } //~ NOFLOW

// Both runs store, to different cells.
void t40(void) { int a[2] = { 0, 0 }, i = 0; if (src()) i = 1; a[i] = 1; sink(a[0]); } //~ FLOW
void t41(void) { int a[2] = { 0, 0 }; for (int k = 0; k < 2; k++) { int i = 0; if (src()) i = 1; a[i] = 1; } sink(a[0]); } //~ OPEN
void t42(void) { int a[2][2] = { { 0 } }, i = 0; if (src()) i = 1; a[i][1] = 1; sink(a[0][1]); } //~ FLOW
void t43(void) { int a[2] = { 0, 0 }, *p = a; if (src()) p = a + 1; *p = 1; sink(a[0]); } //~ FLOW
void t44(void) { struct t t = { 0, { 0, 0 } }; int i = 0; if (src()) i = 1; t.row[i] = 1; sink(t.row[0]); } //~ FLOW
static int ga[2];
void t45(void) { int i = 0; if (src()) i = 1; ga[i] = 1; sink(ga[0]); } //~ FLOW
static void put_at(int *a, int i) { a[i] = 1; }
void t46(void) { int a[2] = { 0, 0 }, i = 0; if (src()) i = 1; put_at(a, i); sink(a[0]); } //~ FLOW
void t47(void) { int a[2] = { 0, 0 }, i; switch (src()) { case 0: i = 0; break; default: i = 1; } a[i] = 1; sink(a[0]); } //~ FLOW
void t48(void) { char a[4] = { 0 }; a[src() ? 1 : 0] = 1; sink(a[0]); } //~ FLOW
void t49(void) { int x = 0, y = 0, *p = &x; if (src()) p = &y; *p = 1; sink(x); } //~ FLOW
void t50(void) { int x = 0, y = 0; *(src() ? &y : &x) = 1; sink(y); } //~ FLOW
void t51(void) { int a[4] = { 0 }; a[src() & 3] = 1; if (a[2]) sink(1); } //~ FLOW
void t52(void) { int a[2] = { 0, 0 }, i = 0; if (!src()) goto L; i = 1; L: a[i] = 1; if (a[0] == 0) sink(1); } //~ FLOW
void t53(void) { static int a[2]; int i = 0; if (src()) i = 1; a[i] = 1; sink(a[0]); } //~ FLOW
static void put_deep(int n, int *a, int i) { if (n) put_deep(n - 1, a, i); else a[i] = 1; }
void t54(void) { int a[2] = { 0, 0 }, i = 0; if (src()) i = 1; put_deep(2, a, i); sink(a[0]); } //~ FLOW
void t55(void) { struct s r = { 0, 0 }, q = { 0, 0 }, *p = &r; if (src()) p = &q; p->x = 1; sink(r.x); } //~ FLOW
void t56(void) { int a[3] = { 0 }, i = 0, s = src() & 1; do { i++; } while (i <= s); a[i] = 1; sink(a[1]); } //~ FLOW
void t57(int x, int y) { int a[2] = { 0, 0 }, z = 0; x &= 1; if (src()) z = 1; a[z] = y; a[1] = 1; int w = a[x]; if (w) sink(1); } //~ FLOW in 0 1
void t58(void) { int a[3] = { 0, 0, 0 }, i = 0; if (src()) i = 1; a[i] = 1; sink(a[2]); } //~ NOFLOW
void t59(void) { int a[2] = { 0, 0 }, i = 0; if (src()) i = 1; a[i] = 1; a[0] = 5; a[1] = 5; sink(a[0]); } //~ NOFLOW
void t60(void) { int a[2] = { 0, 0 }, i = 0; if (src()) i = 0; a[i] = 1; sink(a[0]); } //~ NOFLOW
void t61(void) { int a[2] = { 0, 0 }, i = 0; if (src()) i = 1; a[i] = 0; sink(a[0]); } //~ NOFLOW
void t62(void) { int x = 0, y = 0, z = 0, *p = &x; if (src()) p = &y; *p = 1; sink(z); } //~ NOFLOW
void t63(void) { struct s r = { 0, 0 }, q = { 0, 0 }, *p = &r; if (src()) p = &q; p->x = 1; sink(r.y); } //~ NOFLOW
void t64(int c) { int a[2] = { 0, 0 }, i = 0; if (c) if (src()) i = 1; a[i] = 1; if (!c) sink(a[0]); } //~ NOFLOW
void t65(int c) { int x = 0, y = 0, *p = &x; if (c) if (src()) p = &y; *p = 1; if (!c) sink(x); } //~ NOFLOW
void t66(int j) { int a[4] = { 0 }, i = 0; j &= 1; if (src()) i = 1; a[i] = 1; sink(a[j + 2]); } //~ NOFLOW
void t67(int j) { int a[4] = { 0 }, i = 0; j &= 1; if (src()) i = 1; a[i] = 1; sink(a[j + 1]); } //~ FLOW

// The same value in both runs, by another way.
void t70(void) { int x = src() & 0; sink(x); } //~ NOFLOW
void t71(int x) { int s = src(), z = x ^ s; z = z ^ s; sink(z); } //~ NOFLOW
void t72(void) { int s = src(), z; if (s) z = 1; else z = 1; sink(z); } //~ NOFLOW
void t73(void) { int s = src(); sink(s ? 1 : 1); } //~ NOFLOW
void t74(void) { int s = src(); sink(s - s); } //~ NOFLOW
void t75(void) { int s = src(); sink(s * 0 + 3); } //~ NOFLOW
void t76(void) { unsigned s = src(); sink((s + 1) - s); } //~ NOFLOW
void t77(void) { int s = src(); sink(s | -1); } //~ NOFLOW
void t78(void) { int s = src(); sink(s == s); } //~ NOFLOW
void t79(void) { int s = src(); if (s > 5 && s < 3) sink(1); } //~ NOFLOW
void t80(void) { int s = src(); sink(s && !s); } //~ NOFLOW
void t81(void) { unsigned s = src(); sink(((s & 1) << 1) & 1); } //~ NOFLOW
void t82(int x) { struct s p = { src(), x }; p.y ^= p.x; p.x ^= p.y; p.y ^= p.x; sink(p.x); } //~ NOFLOW
void t83(int x) { struct s p = { src(), x }; p.y ^= p.x; p.x ^= p.y; p.y ^= p.x; sink(p.y); } //~ FLOW
static int mask(int v, int m) { return v & m; }
void t84(void) { sink(mask(src(), 0)); } //~ NOFLOW
static int mask(int v, int m) { return v & m; }
void t85(void) { sink(mask(src(), 1)); } //~ FLOW
static int same(int s) { if (s) return 1; return 1; }
void t86(void) { sink(same(src())); } //~ NOFLOW
static int gz;
void t87(int x) { int s = src(); gz = x ^ s; gz = gz ^ s; sink(gz); } //~ NOFLOW
void t88(int x) { int s = src(), z = x; for (int i = 0; i < 2; i++) z ^= s; sink(z); } //~ IMPRECISE
void t89(int x) { int s = src(), z = x; for (int i = 0; i < 3; i++) z ^= s; sink(z); } //~ FLOW
void t90(int x) { int s = src(), z, *p = &z; *p = x ^ s; *p ^= s; sink(z); } //~ NOFLOW
void t91(void) { int s = src(), z; switch (s) { case 0: z = 4; break; case 1: z = 4; break; default: z = 4; } sink(z); } //~ NOFLOW
void t92(void) { int s = src(), z; switch (s) { case 0: z = 4; break; case 1: z = 5; break; default: z = 4; } sink(z); } //~ FLOW
void t93(void) { int s = src(), z = 7; if (s) goto A; z = 7; A: sink(z); } //~ NOFLOW
void t94(void) { int s = src(), z = 0; do { z = 2; } while (s-- > 0); sink(z); } //~ NOFLOW
void t95(void) { int s = src() & 3, z = 0; while (s > 0) { z++; s--; } sink(z); } //~ FLOW
void t96(void) { int s = src() & 3, z = 0; while (s > 0) { z++; s--; } sink(s); } //~ NOFLOW
static int fix(int n, int s) { if (n == 0) return s & 0; return fix(n - 1, s); }
void t97(void) { sink(fix(2, src())); } //~ NOFLOW
static int twin(int x, int s) { return (x ^ s) ^ s; }
void t98(int x) { sink(twin(x, src())); } //~ NOFLOW
void t99(void) { static int z; int s = src(); if (s) z = 1; else z = 1; sink(z); } //~ NOFLOW
void t100(void) { int s = src(), z = 1; if (s) { if (s) z = 2; else z = 3; } else z = 2; sink(z); } //~ NOFLOW
void t101(void) { int s = src(); if (s) sink(1); else sink(1); } //~ NOFLOW
void t102(void) { int s = src(); if (s) sink(1); else sink(2); } //~ FLOW
void t103(void) { int s = src(), z = in(); if (s) { sink(z); return; } sink(z); } //~ NOFLOW
