// What is seen is the sequence of calls of sink() with their values, not which line made them. Each paragraph that ends in a mark stands for itself.
int src(void); int in(void); void sink(int); void exit(int); void abort(void);

// One event by each way.
void t1(void) { int s = src(); if (s) sink(1); else sink(1); } //~ NOFLOW
void t2(void) { int s = src(); if (s) sink(1); else sink(2); } //~ FLOW
void t3(int z) { int s = src(); if (s) { sink(z); return; } sink(z); } //~ NOFLOW
void t4(int z) { int s = src(); if (s) { sink(z); return; } sink(z + 1); } //~ FLOW
void t5(int z) { int s = src(); if (s) sink(z + z); else sink(2 * z); } //~ NOFLOW
void t6(int z) { int s = src(); if (s) sink(z + z); else sink(3 * z); } //~ FLOW
void t7(void) { switch (src()) { case 0: sink(4); break; case 1: sink(4); break; default: sink(4); } } //~ NOFLOW
void t8(void) { switch (src()) { case 0: sink(4); break; case 1: sink(5); break; default: sink(4); } } //~ FLOW
void t9(void) { switch (src()) { case 0: sink(4); case 1: sink(4); break; default: sink(4); } } //~ FLOW
void t10(void) { switch (src()) { case 0: sink(4); break; case 1: break; default: sink(4); } } //~ FLOW
void t11(void) { src() ? sink(1) : sink(1); } //~ NOFLOW
void t12(void) { src() ? sink(1) : sink(0); } //~ FLOW
void t13(void) { int s = src(); if (s) sink(1); } //~ FLOW
void t14(void) { int s = src(); if (s) sink(s); else sink(0); } //~ FLOW
void t15(void) { int s = src() != 0; if (s) sink(s); else sink(1); } //~ NOFLOW
void t16(void) { int s = src() & 1; if (s) sink(s); else sink(s + 1); } //~ NOFLOW
void t17(void) { int s = src(); if (s) goto A; sink(1); goto E; A: sink(1); E:; } //~ NOFLOW
void t18(void) { int s = src(); if (s) goto A; sink(1); A: sink(1); } //~ FLOW
void t19(int c) { int s = src(); if (c) { if (s) sink(1); else sink(1); } } //~ NOFLOW
void t20(int c) { int s = src(); if (s) { if (c) sink(1); else sink(2); } else { if (c) sink(1); else sink(2); } } //~ NOFLOW
void t21(int c) { int s = src(); if (s) { if (c) sink(1); else sink(2); } else { if (c) sink(2); else sink(1); } } //~ FLOW
void t22(int c) { int s = src(); if (s) { if (c) sink(1); else sink(2); } else sink(1); } //~ FLOW
void t23(void) { int s = src(); if (s == 1) sink(3); else if (s == 2) sink(3); else sink(3); } //~ NOFLOW
void t24(void) { int s = src(); if (s == 1) sink(3); else if (s == 2) sink(4); else sink(3); } //~ FLOW
void t25(void) { int s = src(); if (s == 1) sink(3); else if (s == 2) sink(3); } //~ FLOW
void t26(int z) { int s = src(); if (s) { z++; sink(z); } else { sink(z + 1); } } //~ NOFLOW
void t27(int z) { int s = src(); if (s) { z++; sink(z); } else { sink(z + 1); } sink(z); } //~ FLOW
void t28(int c) { int s = src(); if (c) { if (s) sink(1); else sink(2); } else sink(1); } //~ FLOW
void t29(int c) { int s = 0; if (c) s = src(); if (!c) { if (s) sink(1); else sink(2); } } //~ NOFLOW
void t30(int c) { int s = src(); if (s && c) sink(c != 0); else if (c) sink(1); else sink(0); } //~ NOFLOW
void t31(int c) { int s = src(); if (s && c) sink(c != 0); else if (c) sink(1); else sink(s); } //~ FLOW

// Several events by each way: their number and their order count.
void t40(void) { int s = src(); if (s) { sink(1); sink(2); } else { sink(1); sink(2); } } //~ NOFLOW
void t41(void) { int s = src(); if (s) { sink(1); sink(2); } else { sink(2); sink(1); } } //~ FLOW
void t42(void) { int s = src(); if (s) { sink(1); sink(1); } else sink(1); } //~ FLOW
void t43(void) { int s = src(); if (s) sink(1); else sink(1); if (s) sink(2); else sink(2); } //~ NOFLOW
void t44(void) { int s = src(); if (s) sink(1); else sink(1); if (s) sink(2); else sink(3); } //~ FLOW
void t45(void) { int s = src(); if (s) sink(1); sink(1); } //~ FLOW
void t46(void) { int s = src(); if (s) sink(1); else sink(1); sink(7); } //~ NOFLOW
void t47(void) { int s = src(); sink(7); if (s) { sink(1); sink(2); } else sink(1); if (!s) sink(2); } //~ IMPRECISE
void t48(void) { int s = src(); if (s) sink(1); if (!s) sink(1); } //~ IMPRECISE
void t49(void) { int s = src(); if (s) sink(1); if (s) sink(1); } //~ FLOW
void t50(int z) { int s = src(); if (s) { sink(z); sink(z); } else { sink(z); z = 3; sink(z); } } //~ FLOW

// Loops: another number of turns is another number of events.
void t60(void) { int s = src(); for (int i = 0; i < 2; i++) { if (s) sink(i); else sink(i); } } //~ NOFLOW
void t61(void) { int s = src(); for (int i = 0; i < 2; i++) { if (s) sink(i); else sink(1 - i); } } //~ FLOW
void t62(void) { int s = src(); for (int i = 0; i < 2; i++) { if (s) { sink(1); break; } else sink(1); } } //~ FLOW
void t63(void) { int s = src(); for (int i = 0; i < 2; i++) { if (s) { sink(1); continue; } sink(1); } } //~ NOFLOW
void t64(void) { int s = src(); if (s) { for (int i = 0; i < 2; i++) sink(1); } else sink(1); } //~ FLOW
void t65(void) { int s = src() & 3; for (int i = 0; i < s; i++) { if (i) sink(1); else sink(1); } } //~ FLOW
void t66(void) { int s = src(), k = 0; for (int i = 0; i < 2; i++) { if (s == i) { sink(k); k++; } else sink(k); } } //~ FLOW
void t67(void) { for (int i = 0; i < 2; i++) { int s = src(); if (s) sink(i); else sink(i); } } //~ NOFLOW
void t68(void) { int s = src(), n = 0; if (s) { while (n < 2) n++; sink(1); } else sink(1); } //~ IMPRECISE
void t69(void) { int s = src(); while (s > 0) { if (s == 1) sink(1); else sink(1); s--; } } //~ FLOW
void t70(void) { int s = src(); for (int i = 0; i < 2; i++) { if (i == s) sink(2); else sink(2); if (s == 3) return; } } //~ FLOW
void t71(void) { int w = src(), y = 0; if (w) goto L2; L1: sink(1); if (y) goto E; y = 1; L2: sink(1); if (y) goto E; y = 1; goto L1; E:; } //~ IMPRECISE
void t72(void) { int w = src(), y = 0; if (w) goto L2; L1: sink(1); if (y) goto E; y = 1; L2: sink(2); if (y) goto E; y = 1; goto L1; E:; } //~ FLOW

// Ways that end before, between and after.
void t80(void) { int s = src(); if (s) { exit(0); sink(1); } else sink(1); } //~ FLOW
static void stop(int c) { if (c) exit(0); }
void t81(void) { int s = src(); if (s) { stop(s == 2); sink(1); } else sink(1); } //~ FLOW
void t82(void) { int s = src(); if (s) { sink(1); exit(0); } else sink(1); } //~ NOFLOW
void t83(void) { int s = src(); if (s) { sink(1); exit(0); } else sink(1); sink(2); } //~ FLOW
static void stop(int c) { if (c) exit(0); }
void t84(void) { int s = src(); if (s) { sink(1); stop(s == 2); sink(2); } else { sink(1); sink(2); } } //~ FLOW
void t85(void) { int s = src(); if (s) { if (s == 2) abort(); sink(1); } else sink(1); } //~ FLOW
void t86(void) { int s = src(); if (s) { if (s == 2) return; sink(1); } else sink(1); } //~ FLOW
void t87(void) { int s = src(); if (s) { sink(1); for (;;) ; } else sink(1); } //~ NOFLOW
void t88(void) { int s = src(); if (s) { sink(1); for (;;) sink(1); } else sink(2); } //~ FLOW
void t89(void) { int s = src(); if (s) { sink(1); for (;;) sink(2); } else sink(1); } //~ FLOW

// Calls in between, which may come to events themselves, or change what is seen.
static int half(int v) { return v / 2; }
void t100(int z) { int s = src(); if (s) { z = half(z); sink(z); } else sink(half(z)); } //~ NOFLOW
static int twice(int v) { sink(v); return v; }
void t101(void) { int s = src(); if (s) { twice(1); sink(1); } else sink(1); } //~ FLOW
static int twice(int v) { sink(v); return v; }
void t102(void) { int s = src(); if (s) sink(1); else twice(1); } //~ IMPRECISE
static int twice(int v) { sink(v); return v; }
void t103(void) { int s = src(); if (s) { sink(2); twice(1); } else { twice(1); sink(2); } } //~ FLOW
static int g; static void set(int v) { g = v; }
void t104(void) { int s = src(); g = 1; if (s) { set(1); sink(g); } else sink(g); } //~ NOFLOW
static int g; static void set(int v) { g = v; }
void t105(void) { int s = src(); g = 1; if (s) { set(2); sink(g); } else sink(g); } //~ FLOW
static void show(int s, int v) { if (s) sink(v); else sink(v); }
void t106(void) { show(src(), 5); } //~ NOFLOW
static void show(int s, int v) { if (s) sink(v); else sink(v + 1); }
void t107(void) { show(src(), 5); } //~ FLOW
static void show(int s, int v) { if (s) sink(v); else sink(v); }
void t108(void) { int s = src(); if (s) show(s, 5); } //~ FLOW
static void show(int s, int v) { if (s) sink(v); else sink(v); }
void t109(void) { int s = src(); show(1, s); } //~ FLOW
static void show(int c, int v) { if (c) sink(v); else sink(v + 1); }
void t110(void) { int s = src() & 3; show(in(), 1); if (s == 9) sink(1); } //~ NOFLOW
static void show(int n, int s) { if (n == 0) return; if (s) sink(n); else sink(n); show(n - 1, s); }
void t111(void) { show(2, src()); } //~ NOFLOW
static void show(int n, int s) { if (n == 0) return; if (s) { sink(n); show(n - 1, s); } else { show(n - 1, s); sink(n); } }
void t112(void) { show(2, src()); } //~ FLOW
void t113(void) { void (*f)(int) = sink; int s = src(); if (s) f(1); else sink(1); } //~ IMPRECISE
void t114(void) { int s = src(); if (s) sink(in()); else sink(in()); } //~ IMPRECISE
void t115(void) { int s = src(), z = in(); if (s) sink(z); else sink(in()); } //~ FLOW
void t116(void) { int s = src(), a[2] = { 1, 1 }; if (s) sink(a[0]); else sink(a[1]); } //~ NOFLOW
void t117(void) { int s = src(), a[2] = { 1, 2 }; if (s) sink(a[0]); else sink(a[1]); } //~ FLOW
void t118(void) { int s = src(), a[2] = { 1, 1 }; a[s & 1] = 2; if (s & 1) sink(a[1]); else sink(a[0]); } //~ NOFLOW
void t119(void) { int s = src(), a[2] = { 1, 1 }; a[s & 1] = 2; if (s & 1) sink(a[0]); else sink(a[0]); } //~ FLOW
