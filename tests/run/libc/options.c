//@ args: -a -b val -cval one --long=x two -ab --flag --lo y three --opt --opt=z -x -- -a four
// getopt and getopt_long with GNU's permutation.
#define _GNU_SOURCE
#include <stdio.h>
#include <getopt.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int flag = 0, index, c; struct option longs[] = { { "long", required_argument, 0, 'l' }, { "flag", no_argument, &flag, 7 }, { "opt", optional_argument, 0, 'o' }, { "other", no_argument, 0, 'O' }, { 0, 0, 0, 0 } };
    while ((c = getopt_long(argc, argv, "ab:c::", longs, &index)) != -1) printf("%c(%d) %s ind %d\n", c > 31 ? c : '0' + c, flag, optarg ? optarg : "-", optind);
    printf("rest"); for (int i = optind; i < argc; i++) printf(" %s", argv[i]); putchar('\n');
    for (int i = 1; i < argc; i++) printf("%s ", argv[i]); putchar('\n');
    char *again[] = { "prog", "-x", "file", "-y", "-zarg", "-n", 0 }; optind = 1; opterr = 0;
    while ((c = getopt(6, again, "+:xyz:n:")) != -1) printf("%c %s %d|", c, optarg ? optarg : "-", optind); printf("%d %s\n", optind, again[optind]); optind = 0;
    while ((c = getopt(6, again, ":xyz:n:")) != -1) printf("%c %s %c|", c, optarg ? optarg : "-", c == ':' ? optopt : '.'); printf("%d %s\n", optind, again[optind]);
    return 0;
}
