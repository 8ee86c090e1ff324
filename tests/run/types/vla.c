// Variable length arrays: sizes, several dimensions, parameters, typedefs, sizeof with side effects.
#include <stdio.h>
static int sum(int n, int m, int a[n][m]) {
    int t = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) t += a[i][j];
    return t + (int)(sizeof(a[0]) / sizeof(a[0][0]));
}
static int star(int n, int a[*]);
static int star(int n, int a[n]) { return a[n - 1]; }
static void fill(int n, int m, int (*a)[m]) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[i][j] = i * 10 + j; }
int main(void) {
    for (int n = 1; n < 5; n++) {
        int a[n]; int b[n][n + 1];
        for (int i = 0; i < n; i++) a[i] = i * i;
        fill(n, n + 1, b);
        printf("%d %zu %zu %d %d\n", a[n - 1], sizeof a, sizeof b, sum(n, n + 1, b), star(n, a));
    }
    int k = 3;
    typedef int row[k];
    k = 10;
    row r; r[0] = r[1] = 0;
    r[2] = 5;
    printf("%zu %d\n", sizeof(row), r[2]);
    row *rows = &r;
    printf("%zu %d\n", sizeof *rows, (*rows)[2]);
    int i = 2;
    size_t z = sizeof(int[i++]);
    printf("%d %zu\n", i, z);
    int (*pp)[i] = 0; printf("%zu\n", sizeof *pp);
    char grid[k][k];
    char *flat = &grid[0][0];
    for (int j = 0; j < k * k; j++) flat[j] = (char)('a' + j % 26);
    char (*q)[k] = grid + 2;
    printf("%c %c %td\n", q[1][3], grid[9][9], q - grid);
again:;
    int loop[k]; loop[k - 1] = k;
    if (--k > 7) goto again;
    printf("%d\n", loop[k]);
    return 0;
}
