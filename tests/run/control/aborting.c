// A failed assertion ends the program with SIGABRT.
#include <assert.h>
#include <stdio.h>
static int f(int x) { assert(x < 3 && "small"); return x; }
int main(void) { for (int i = 0;; i++) { printf("%d\n", f(i)); fflush(stdout); } }
