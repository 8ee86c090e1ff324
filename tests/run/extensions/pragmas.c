// Weak symbols by pragma, before and behind their declaration, absent and as another name.
#include <stdio.h>
#pragma weak absent
extern int absent(void);
extern int late(void);
int here(void) { return 4; }
#pragma weak other = here
extern int other(void);
int main(void) {
    printf("%d %d\n", absent ? 1 : 0, late != 0);
    printf("%d\n", other());
    return 0;
}
#pragma weak late
