// Definitions that are overwritten, values that are known, checks that stop. Each paragraph that ends in a mark stands for itself.
int src(void); int in(void); void sink(int); void abort(void); void exit(int);

// A definition reaches a use only if no later one has overwritten it.
void t1(int c) { int x = src(); if (c) x = 0; if (c) sink(x); } //~ NOFLOW
void t2(int c) { int x = src(); if (c) x = 0; if (!c) sink(x); } //~ FLOW
struct s { int x; };
void t3(int c) { struct s s = { src() }; if (c) s.x = 0; if (c) sink(s.x); } //~ NOFLOW
static int g;
void t4(int c) { g = src(); if (c) g = 0; if (c) sink(g); } //~ NOFLOW
void t5(int c) { int x = src(), *p = &x; if (c) *p = 0; if (c) sink(*p); } //~ NOFLOW
static void clear(int c, int *p) { if (c) *p = 0; }
void t6(int c) { int x = src(); clear(c, &x); if (c) sink(x); } //~ NOFLOW
static void clear(int c, int *p) { if (c) *p = 0; }
void t7(int c) { int x = src(); clear(c, &x); if (!c) sink(x); } //~ FLOW
void t8(int c) { int x = src(); switch (c) { case 1: case 2: x = 0; } switch (c) { case 1: sink(x); } } //~ NOFLOW
void t9(int c) { int x = src(); switch (c) { case 2: x = 0; } switch (c) { case 1: sink(x); } } //~ FLOW
void t10(int c) { int x = src(); if (!c) goto L; x = 0; L: if (c) sink(x); } //~ NOFLOW
void t11(int c) { int x = src(); if (c > 1) x = 0; if (c > 2) sink(x); } //~ NOFLOW
void t12(int c) { int x = src(); if (c > 2) x = 0; if (c > 1) sink(x); } //~ FLOW
void t13(int c) { for (int i = 0; i < 2; i++) { int x = src(); if (c) x = 0; if (c) sink(x); } } //~ NOFLOW
void t14(int c, int d) { int x = src(); if (c) x = 0; else if (d) x = 1; if (c || d) sink(x); } //~ NOFLOW
void t15(int c, int d) { int x = src(); if (c && d) x = 0; if (c) if (d) sink(x); } //~ NOFLOW
void t16(int c, int d) { int x = src(); if (c && d) x = 0; if (c || d) sink(x); } //~ FLOW

// A merge hangs on the branch before it, also where its operands are constants.
void t20(void) { int s = src(), x; if (s) x = 1; else x = 2; sink(x); } //~ FLOW
void t21(void) { int s = src(); sink(s ? 1 : 2); } //~ FLOW
void t22(void) { int s = src(); sink(s && in()); } //~ FLOW
void t23(void) { int s = src(); sink(s || in()); } //~ FLOW
void t24(void) { int x; switch (src()) { case 0: x = 1; break; default: x = 2; } sink(x); } //~ FLOW
void t25(int c) { int s = src(), x = 3; if (c == 1) { if (s) x = 1; else x = 2; } if (c == 2) sink(x); } //~ NOFLOW
void t26(int c) { int s = src(), x = c ? s : 0; if (!c) sink(x); } //~ NOFLOW
void t27(int c) { int s = src(), x = c && s; if (!c) sink(x); } //~ NOFLOW
void t28(int c) { int s = src(), x = c || s; if (c) sink(x); } //~ NOFLOW
void t29(int c) { int s = src(), x = c || s; if (!c) sink(x); } //~ FLOW

// Values that follow from others.
void t40(int c) { int x = 0, d = c + 1; if (c == 1) x = src(); if (d == 3) sink(x); } //~ NOFLOW
void t41(int c) { int x = 0, d = c + 1; if (c == 2) x = src(); if (d == 3) sink(x); } //~ FLOW
void t42(int mode) { int x = 0; if (mode == 1) x = src(); if (mode == 2) sink(x); } //~ NOFLOW
static int limit = 3;
void t43(int c) { int x = 0; if (c > limit) x = src(); if (c < 3) sink(x); } //~ NOFLOW in 0..5
static const int off = 0;
void t44(void) { int x = 0; if (off) x = src(); sink(x); } //~ NOFLOW
int open = 0; void poke(void) { open = 1; }
void t45(void) { int x = 0; if (in()) poke(); if (open) x = src(); sink(x); } //~ FLOW
void t46(void) { int c = in() & 3, x = 0; if (c > 3) x = src(); sink(x); } //~ NOFLOW
void t47(void) { unsigned char c = in(); int x = 0; if (c > 255) x = src(); sink(x); } //~ NOFLOW
void t48(void) { int x = 0; for (int i = 0; i < 4; i++) if (i == 4) x = src(); sink(x); } //~ NOFLOW
void t49(void) { int x = 0, i; for (i = 0; i < 4; i++) ; if (i != 4) x = src(); sink(x); } //~ NOFLOW
void t50(void) { int x = 0, i; for (i = 0; i < 4; i++) if (in() == 1) break; if (i == 4) x = src(); if (i == 3) sink(x); } //~ NOFLOW in 0 1
enum e { A, B, C };
void t51(void) { enum e e = in() ? A : B; int x = 0; if (e == C) x = src(); sink(x); } //~ NOFLOW
void t52(int c) { int ok = 0, x = 0; if (c == 1) ok = 1; if (ok) x = src(); if (c != 1) sink(x); } //~ NOFLOW
void t53(int c) { int ok = 0, x = 0; if (c == 1) ok = 1; if (ok) x = src(); if (c == 1) sink(x); } //~ FLOW
void t54(int a, int b) { int x = 0; if (a < b) x = src(); if (b < a) sink(x); } //~ NOFLOW
void t55(int a, int b, int c) { int x = 0; if (a < b) if (b < c) x = src(); if (c < a) sink(x); } //~ NOFLOW in 0 1 2
void t56(int a) { int x = 0; if (a & 1) x = src(); if (a == 2) sink(x); } //~ NOFLOW
void t57(int a) { int x = 0; if (a & 1) x = src(); if (a == 3) sink(x); } //~ FLOW
void t58(int a) { int x = 0; if (a * 2 == 3) x = src(); sink(x); } //~ NOFLOW

// Checks that stop the program are decisions.
static void check(int c) { if (!c) abort(); }
void t60(void) { int s = src(); check(s != 3); sink(1); } //~ FLOW
static void check(int c) { if (!c) abort(); }
void t61(void) { int s = src(), t = src(); check(s == t); sink(s); } //~ FLOW
static void check(int c) { if (!c) abort(); }
void t62(int c) { int x = 0; check(c == 1); if (c == 2) x = src(); sink(x); } //~ IMPRECISE
void t63(void) { if (src()) exit(1); sink(1); } //~ FLOW
void t64(int c) { if (c) if (src()) exit(1); if (!c) sink(1); } //~ NOFLOW
void t65(void) { sink(1); if (src()) exit(1); } //~ NOFLOW
void t66(int c) { int x = src(); if (c != 2) abort(); if (c == 2) x = 0; sink(x); } //~ NOFLOW
