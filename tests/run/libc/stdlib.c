// Memory, sorting, random numbers, division, the environment, exit hooks.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <search.h>
#include <malloc.h>
static int calls;
static int by_value(const void *a, const void *b) { calls++; int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
struct big { int key; char pad[44]; int order; };
static int by_key(const void *a, const void *b) { return ((const struct big *)a)->key - ((const struct big *)b)->key; }
static int with_arg(const void *a, const void *b, void *up) { return *(int *)up * (*(const short *)a - *(const short *)b); }
static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static void first(void) { puts("first registered, last run"); }
static void second(void) { puts("second"); }
static void status(int code, void *arg) { printf("status %d %s\n", code, (char *)arg); }
__attribute__((constructor)) static void before(void) { puts("constructor"); }
__attribute__((destructor)) static void after(void) { puts("destructor"); }
int main(int argc, char **argv) {
    int v[50]; for (int i = 0; i < 50; i++) v[i] = (i * 37 + 11) % 23; qsort(v, 50, sizeof *v, by_value); for (int i = 0; i < 50; i++) printf("%d ", v[i]); printf("calls %d\n", calls);
    struct big s[20]; for (int i = 0; i < 20; i++) { s[i].key = i * 7 % 5; s[i].order = i; } qsort(s, 20, sizeof *s, by_key); for (int i = 0; i < 20; i++) printf("%d/%d ", s[i].key, s[i].order); putchar('\n');
    short h[] = { 3, 1, 2 }; int up = -1; qsort_r(h, 3, sizeof *h, with_arg, &up); printf("%d %d %d\n", h[0], h[1], h[2]);
    const char *words[] = { "pear", "apple", "fig", "date" }; qsort(words, 4, sizeof *words, by_text); for (int i = 0; i < 4; i++) printf("%s ", words[i]); const char *key = "fig"; const char **found = bsearch(&key, words, 4, sizeof *words, by_text); printf("%s ", *found); key = "kiwi"; printf("%d\n", bsearch(&key, words, 4, sizeof *words, by_text) == 0);
    int k = 7; int *at = bsearch(&k, v, 50, sizeof *v, by_value); printf("%d %d\n", *at, (int)(at - v)); size_t n = 3; int list[10] = { 5, 6, 7 }; k = 9; int *added = lsearch(&k, list, &n, sizeof *list, by_value); printf("%zu %d %d\n", n, *added, lfind(&k, list, &n, sizeof *list, by_value) == added);
    for (int i = 0; i < 5; i++) printf("%d ", rand()); srand(42); for (int i = 0; i < 5; i++) printf("%d ", rand()); srand(0); printf("%d ", rand()); srandom(7); printf("%ld ", random()); unsigned seed = 5; printf("%d %d\n", rand_r(&seed), rand_r(&seed));
    srand48(3); printf("%.10f %ld %ld ", drand48(), lrand48(), mrand48()); unsigned short x[3] = { 1, 2, 3 }; printf("%.10f %ld\n", erand48(x), nrand48(x));
    div_t d = div(-17, 5); ldiv_t l = ldiv(17L, -5L); lldiv_t ll = lldiv(1LL << 40, 3); printf("%d %d %ld %ld %lld %lld %d %ld\n", d.quot, d.rem, l.quot, l.rem, ll.quot, ll.rem, abs(-4), labs(-5L));
    char *p = malloc(10); memset(p, 'a', 10); p = realloc(p, 1000); printf("%.10s ", p); p = realloc(p, 4); printf("%.4s ", p); free(p); int *z = calloc(100, sizeof *z); int sum = 0; for (int i = 0; i < 100; i++) sum += z[i]; printf("%d ", sum); free(z); free(NULL); void *al = aligned_alloc(64, 128), *pm; printf("%d %d ", (int)((uintptr_t)al % 64), posix_memalign(&pm, 256, 10)); printf("%d ", (int)((uintptr_t)pm % 256)); free(al); free(pm); printf("%d %d\n", malloc(SIZE_MAX / 2) == 0, calloc(SIZE_MAX / 2, 4) == 0);
    printf("%d ", getenv("SURELY_NOT_SET") == 0); setenv("SET_HERE", "value", 1); printf("%s ", getenv("SET_HERE")); setenv("SET_HERE", "other", 0); printf("%s ", getenv("SET_HERE")); char put[] = "PUT_HERE=1"; putenv(put); put[9] = '2'; printf("%s ", getenv("PUT_HERE")); unsetenv("SET_HERE"); printf("%d\n", getenv("SET_HERE") == 0);
    printf("%d %d\n", argc, argv[argc] == 0);
    atexit(first); atexit(second); on_exit(status, "text");
    exit(argc + 299);
}
