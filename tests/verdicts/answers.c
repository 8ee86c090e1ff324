// Programs of the paper, with known answers. Each paragraph that ends in a mark stands for itself.
int src(void); int in(void); void sink(int);

// a[i+3]=x; if(i>10) y=a[2*j-42];
void t1(int i, int j) { int a[100] = { 0 }; if (i < 0 || i > 90 || j < 21 || j > 70) return; a[i + 3] = src(); if (i > 10) sink(a[2 * j - 42]); } //~ FLOW in 10..13 28 29 src 0 1
void t2(int i, int j) { int m[200] = { 0 }, *a = m + 100; if (i < 0 || i > 90 || j < 0 || j > 70) return; a[i + 3] = src(); if (i > 10 && j < 5) sink(a[2 * j - 42]); } //~ NOFLOW in 10..13 3 28 src 0 1
void t3(int i, int j) { int a[100] = { 0 }; if (i < 0 || i > 90 || j < 21 || j > 70) return; a[i + 3] = src(); if (i > 10 && j < 28) sink(a[2 * j - 42]); } //~ NOFLOW in 10..13 26 27 28 src 0 1
void t4(int i, int j) { int a[100] = { 0 }; if (i < 0 || i > 90 || j < 21 || j > 70) return; a[i + 3] = src(); if (i > 10 && j < 29) sink(a[2 * j - 42]); } //~ FLOW in 10..13 26 27 28 src 0 1

// Section 2.3.
void t10(int y) { int a = src(), x = a & 7; y = (y & 3) + 1; while (x < 7) { x = y + x; if (x == 8) sink(x); } } //~ FLOW
void t11(int y) { int a = src(), x = a & 7; y = (y & 3) + 1; while (x < 7) { x = y + x; if (x == 12) sink(x); } } //~ NOFLOW src 0..7
void t12(int y) { int a = src(), x = a & 7; y = (y & 3) + 1; while (x < 7) { x = y + x; if (x == 10) sink(x); } } //~ FLOW src 0..7

// a[i]=x; a[j]=y; z=a[k];
void t20(int i, int j, int k) { int a[4] = { 0 }; i &= 3; j &= 3; k &= 3; a[i] = src(); a[j] = 5; sink(a[k]); } //~ FLOW
void t21(int i, int j, int k) { int a[4] = { 0 }; i &= 3; j &= 3; k &= 3; a[i] = src(); a[j] = 5; if (i != k) sink(a[k]); } //~ NOFLOW
void t22(int i, int j, int k) { int a[4] = { 0 }; i &= 3; j &= 3; k &= 3; a[i] = src(); a[j] = 5; if (j == k) sink(a[k]); } //~ NOFLOW
void t23(int i, int j, int k) { int a[4] = { 0 }; i &= 3; j &= 3; k &= 3; a[i] = src(); a[j] = 5; if (i == k && j != k) sink(a[k]); } //~ FLOW
void t24(int i) { int a[4] = { 0 }; i &= 3; a[i] = src(); a[i] = 5; sink(a[i]); } //~ NOFLOW
void t25(int i, int j) { int a[4] = { 0 }; i &= 3; j &= 3; a[i] = src(); if (i == j) a[j] = 5; if (i == j) sink(a[j]); } //~ NOFLOW
static int b[4];
void t26(int i, int k) { i &= 3; k &= 3; b[i] = src(); if (i < k) sink(b[k]); } //~ NOFLOW
static void put(int *a, int i, int v) { a[i] = v; } static int get(const int *a, int i) { return a[i]; }
void t27(int i, int k) { int a[4] = { 0 }; i &= 3; k &= 3; put(a, i, src()); if (i != k) sink(get(a, k)); } //~ NOFLOW
static void put(int *a, int i, int v) { a[i] = v; } static int get(const int *a, int i) { return a[i]; }
void t28(int i, int k) { int a[4] = { 0 }; i &= 3; k &= 3; put(a, i, src()); if (i >= k) sink(get(a, k)); } //~ FLOW
void t29(int i, int k) { int a[4] = { 0 }, *p = a + (i & 3), *q = a + (k & 3); *p = src(); if (p != q) sink(*q); } //~ NOFLOW

// Figure 2: the loop's bound is the secret; a[53] is written in some turn, unless it is overwritten.
void t40(void) { int i, a[100] = { 0 }, k = 40, l = 53; a[0] = src() & 63; for (i = 1; i < a[0]; ++i) a[i] = 255; if (1) a[10] = 10; else a[20] = 20; a[30] = 30; a[k] = 40; a[50] = 50; sink(a[l]); } //~ FLOW src 0 53 54 60
void t41(void) { int i, a[100] = { 0 }, k = 40; a[0] = src() & 63; for (i = 1; i < a[0]; ++i) a[i] = 255; if (1) a[10] = 10; else a[20] = 20; a[30] = 30; a[k] = 40; a[50] = 50; sink(a[40]); } //~ NOFLOW src 0 9 39 40 41 63
void t42(void) { int i, a[100] = { 0 }; a[0] = src() & 63; for (i = 1; i < a[0]; ++i) a[i] = 255; if (1) a[10] = 10; else a[20] = 20; sink(a[20]); } //~ FLOW src 0 19 20 21 63
void t43(void) { int i, a[100] = { 0 }; a[0] = src() & 63; for (i = 1; i < a[0]; ++i) a[i] = 255; if (1) a[10] = 10; else a[20] = 20; sink(a[10]); } //~ NOFLOW src 0 9 10 11 63
void t44(void) { int i, a[100] = { 0 }; a[0] = src() & 63; for (i = 1; i < a[0]; ++i) a[i] = 255; sink(a[70]); } //~ IMPRECISE src 0 9 40 63

// Figure 3: keys change the calibration, and with it the weight. An endless loop.
void t50(void) { int u_kg = 0, kal = 100, ab, cd, key, idx, port = src(); for (;;) { ab = in(); cd = in(); if ((ab & 1) == 0) u_kg = (ab >> 1) * kal; if ((cd & 1) != 0) { for (idx = 0; idx < 2; idx++) { key = port; if ((cd & 2) != 0) { if (key == '+') kal = 101; else if (key == '-') kal = 99; } } } sink(u_kg); } } //~ FLOW in 2 3 src 43 45 65
void t51(void) { int u_kg = 0, kal = 100, ab, cd, key, idx, port = src(); for (;;) { ab = in(); cd = in(); if ((ab & 1) == 0) u_kg = (ab >> 1) * kal; if ((cd & 1) != 0) { for (idx = 0; idx < 2; idx++) { key = 65 + (port & 15); if ((cd & 2) != 0) { if (key == '+') kal = 101; else if (key == '-') kal = 99; } } } sink(u_kg); } } //~ NOFLOW in 2 3 src 43 45 65
void t52(void) { int u_kg = 0, kal = 100, ab, cd, key, idx, port = src(); for (;;) { ab = in(); cd = in(); if ((ab & 1) == 0) u_kg = (ab >> 1) * 100; if ((cd & 1) != 0) { for (idx = 0; idx < 2; idx++) { key = port; if ((cd & 2) != 0) { if (key == '+') kal = 101; else if (key == '-') kal = 99; } } } sink(u_kg); } } //~ NOFLOW in 2 3 src 43 45 65

// Section 3.6, the stack as an array: what was pushed first is under what was pushed last.
static int st[4], top; static void push(int v) { st[top++ & 3] = v; } static int pop(void) { return st[--top & 3]; }
void t60(void) { push(src()); push(20); sink(pop()); } //~ NOFLOW
static int st[4], top; static void push(int v) { st[top++ & 3] = v; } static int pop(void) { return st[--top & 3]; }
void t61(void) { push(src()); push(20); pop(); sink(pop()); } //~ FLOW
static int st[4], top; static void push(int v) { st[top++ & 3] = v; } static int pop(void) { return st[--top & 3]; }
void t62(int x) { if (x) push(src()); else push(20); if (!x) sink(pop()); } //~ NOFLOW

// Figure 4, right: X C D E B Y uses the edge E B, which goes back; with each of the other ways closed.
void t70(void) { int s = src(), b = 0, d = 0, e = 0, x = 0, y = 0; for (int i = 0; i < 5; i++) { switch (in()) { case 0: x = s; break; case 1: d = x; break; case 2: e = d; break; case 3: b = e; break; case 4: y = b; break; } } sink(y); } //~ FLOW in 0 1 2 3 4 src 0 1

// A sum of integers may lead from one object to another; pointer arithmetic does not.
void t80(void) { int a = 0, b = 0; unsigned long x = (unsigned long)&a, y = (unsigned long)&b; *(int *)(x + (y - x)) = src(); sink(b); } //~ FLOW
static int a_, b_; static unsigned long off;
void t81(void) { off = (unsigned long)&b_ - (unsigned long)&a_; a_ = b_ = 0; *(int *)((unsigned long)&a_ + off) = src(); sink(b_); } //~ FLOW
void t82(int i) { int a[4] = { 0 }, b = 0; i &= 3; a[i] = src(); sink(b); } //~ NOFLOW

// A weak symbol that nobody defines has address 0.
extern int missing __attribute__((weak));
void t83(void) { if (!&missing) sink(src()); } //~ FLOW

// Which operand is first: gcc reads a plain variable after the calls of the other operand.
static int late; static int next(int s) { late = s; return 1; }
void t85(void) { late = 0; sink(late + next(src())); } //~ FLOW
static int get(int *p) { *p = src(); return 0; }
void t86(void) { int x = 0; if (x < get(&x)) sink(0); sink(x | 8); } //~ FLOW
static int low; static int set_low(int s) { low = s; return 1; }
void t87(void) { low = 0; sink(low - set_low(src())); } //~ NOFLOW
