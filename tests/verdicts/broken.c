// Programs that broke something. Each paragraph that ends in a mark stands for itself.
int src(void); int in(void); void sink(int); void abort(void);

void t1(void) { int x = 0; if (src()) x = 1; if (x == 0) sink(1); } //~ FLOW
void t2(void) { int a[2] = { 0, 0 }, i = 0; for (int k = 0; k < 2; k++) { i = 0; if (src()) i = 1; a[i] = 1; sink(a[0]); } } //~ FLOW
void t3(void) { int a[2] = { 0, 0 }, x = in() & 1, y = in() & 1, z = 0, w; if (src()) z = 1; a[z] = y; a[1] = 1; w = a[x]; if (w) sink(1); } //~ FLOW
void t4(void) { int a[4] = { 0 }, x = 0, w; for (int k = 0; k < 3; k++) { if (x == 2) sink(a[0]); w = src(); a[x] = w; x++; } } //~ FLOW src 0 1
void t5(void) { int w = src(), y = w; for (int k = 0; k < 2; k++) { if (!y) break; } if (y) sink(1); } //~ FLOW
void t6(int y) { int w = src(), z = 0; for (int k = 0; k < 3 && !z; k++) { if (w) y = 0; if (y) { } } if (!y) return; sink(z); } //~ FLOW
void t7(void) { int w = src(), y = 0, z = 0; if (w) goto L2; L1: z = 1; if (y) goto E; y = 1; L2: z = 2; if (y) goto E; y = 1; goto L1; E: sink(z); } //~ FLOW
void t8(void) { int w = src(); for (int k = 0; k < 2; k++) if (w) return; sink(1); } //~ FLOW
static int g; static void f(int s) { int x = 0; if (s) x = 1; if (x == 0) g = 1; }
void t9(void) { f(src()); sink(g); } //~ FLOW
static void check(int c) { if (!c) abort(); }
void t10(void) { int s = src(); check(s != 3); sink(1); } //~ FLOW
void t11(int x) { int y = 0; if (x) if (src()) y = 1; if (!x) if (!y) sink(1); } //~ NOFLOW
void t12(int x) { int s = src(), z = x ^ s; z = z ^ s; sink(z); } //~ NOFLOW
void t13(void) { int s = src(), x = s & 0; sink(x); } //~ NOFLOW
void t14(void) { int s = src(), z; if (s) z = 1; else z = 1; sink(z); } //~ NOFLOW
void t15(void) { int s = src(); if (s) sink(1); else sink(1); } //~ NOFLOW
void t16(int x) { int a = 0; while (x < 7) { a = src(); x++; } if (x >= 7) sink(a); } //~ FLOW in 5..8 src 0 1

// Section 6: chains that wrap around a loop; inputs that depend on how often they were read have models of their own.
void t20(void) { int a[3] = { 0 }, j; for (int i = 0; i < 3; i++) { j = 2 - i; if (i == 2) sink(a[j]); a[i] = src(); } } //~ FLOW src 0 1
void t21(void) { int a[3] = { 0 }, j; for (int i = 0; i < 3; i++) { j = 2 - i; if (i == 0) sink(a[j]); a[i] = src(); } } //~ NOFLOW src 0 1
void t22(void) { int a[3] = { 0 }; for (int i = 0; i < 3; i++) { a[i] = src(); a[i] = 0; } sink(a[1]); } //~ IMPRECISE src 0 1
void t23(void) { int a[3] = { 0 }; for (int i = 0; i < 3; i++) { if (i == 1) a[i] = src(); } sink(a[2]); } //~ IMPRECISE src 0 1
void t24(void) { int a[3] = { 0 }; for (int i = 0; i < 3; i++) { if (i == 1) a[i] = src(); } sink(a[1]); } //~ FLOW src 0 1

// The same operand by two ways, and order alone.
void t30(void) { int w = src(), y = w & 1, z = 0; if (y) goto A; z = 1; A: if (y) z = 1; sink(z); } //~ NOFLOW
void t31(void) { int w = src(), y = w & 1, z = 0; if (y) goto A; z = 1; A: if (y) z = 2; sink(z); } //~ FLOW
void t32(void) { int w = src(), y = 0, z = 0; if (w) goto L2; L1: z = 1; if (y) goto E; y = 1; L2: z = z | 2; if (y) goto E; y = 1; goto L1; E: sink(y); } //~ NOFLOW
void t33(void) { int w = src(); for (int k = 0; k < 2; k++) { if (w) break; } sink(1); } //~ NOFLOW
void t34(void) { int w = src(), n = 0; for (int k = 0; k < 2; k++) { if (w) continue; n++; } sink(n); } //~ FLOW
void t35(void) { int w = src(), n = 0; for (int k = 0; k < 2; k++) { n++; if (w) continue; } sink(n); } //~ NOFLOW
static int h; static void up(int s) { int x = 0; if (s) x = 1; if (x == 2) h = 1; }
void t36(void) { up(src()); sink(h); } //~ NOFLOW
static int r; static void down(int n, int s) { if (n == 0) { if (s) r = 1; return; } down(n - 1, s); if (n == 2 && r == 0) sink(1); }
void t37(void) { down(2, src()); } //~ FLOW
