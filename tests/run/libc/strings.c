// string.h, strings.h, ctype.h.
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <stdlib.h>
#include <ctype.h>
#include <wchar.h>
#include <wctype.h>
#include <errno.h>
static int sign(int x) { return (x > 0) - (x < 0); }
static void show(const char *base, const char *p) { if (p) printf("%d:%s ", (int)(p - base), p); else printf("null "); }
int main(void) {
    char buf[64] = "hello, world", other[64]; const char *t = "a,b;;c,,d";
    printf("%zu %zu %zu\n", strlen(buf), strnlen(buf, 5), strnlen(buf, 50));
    printf("%d %d %d %d %d\n", sign(strcmp("abc", "abd")), sign(strcmp("abc", "ab")), strcmp("x", "x"), sign(strncmp("abcd", "abce", 3)), sign(strcmp("\xff", "a")));
    printf("%d %d %d %d\n", sign(strcasecmp("HeLLo", "hEllO")), sign(strncasecmp("ABx", "aby", 2)), sign(memcmp("a\0b", "a\0c", 3)), sign(memcmp("\x80", "\x7f", 1)));
    show(buf, strchr(buf, 'o')); show(buf, strrchr(buf, 'o')); show(buf, strchr(buf, 'z')); show(buf, strchr(buf, 0)); show(buf, strstr(buf, "wor")); show(buf, strstr(buf, "")); show(buf, strstr(buf, "worm")); show(buf, strpbrk(buf, "xyzw,")); show(buf, strcasestr(buf, "WORLD")); show(buf, memchr(buf, 'w', 8)); show(buf, memchr(buf, 'd', 5)); show(buf, memrchr(buf, 'l', 12)); show(buf, strchrnul(buf, 'q')); show(buf, memmem(buf, 12, "lo", 2)); putchar('\n');
    printf("%zu %zu %zu %zu\n", strspn("112233abc", "123"), strcspn("abc123", "0123456789"), strspn("", "x"), strcspn("abc", ""));
    strcpy(other, "base"); printf("%s ", strcat(other, "+more")); printf("%s ", strncat(other, "abcdef", 3)); memset(other, '#', 10); printf("%.10s ", strncpy(other, "ab", 5)); for (int i = 0; i < 8; i++) printf("%d,", other[i]); putchar('\n');
    strcpy(buf, "overlapping"); memmove(buf + 2, buf, 6); printf("%s ", buf); memmove(buf, buf + 3, 5); printf("%s ", buf); char *e = stpcpy(buf, "end"); printf("%d %s ", (int)(e - buf), buf); e = mempcpy(buf, "xyz", 2); printf("%d %s\n", (int)(e - buf), buf);
    char copy[32]; strcpy(copy, t); for (char *p = strtok(copy, ",;"); p; p = strtok(NULL, ",;")) printf("<%s>", p); strcpy(copy, t); char *save; for (char *p = strtok_r(copy, ",", &save); p; p = strtok_r(NULL, ",", &save)) printf("{%s}", p); strcpy(copy, t); char *rest = copy; for (char *p; (p = strsep(&rest, ",;"));) printf("[%s]", p); putchar('\n');
    char *d = strdup("dup"), *nd = strndup("ndup", 2); printf("%s %s\n", d, nd); free(d); free(nd);
    for (int i = 0; i < 40; i++) printf("%s;", strerror(i)); printf("%s;%s\n", strerror(84), strerror(9999)); printf("%s %s %s\n", strsignal(6), strsignal(11), strsignal(2));
    printf("%zu %s %d\n", strxfrm(copy, "text", 10), copy, sign(strcoll("a", "b"))); char sw[6] = "abcdef"; swab("badcfe", sw, 6); printf("%.6s %d\n", sw, ffs(40)); bzero(sw, 3); printf("%d%d\n", sw[0], sw[3] != 0); printf("%s\n", basename("/a/b/c.txt"));
    memccpy(copy, "stop here", ' ', 20); printf("%.5s|\n", copy);
    for (int c = -1; c < 256; c++) printf("%x", !!isalpha(c) | !!isdigit(c) << 1 | !!isspace(c) << 2 | !!isupper(c) << 3); putchar('\n');
    for (int c = 0; c < 256; c++) printf("%x", !!islower(c) | !!ispunct(c) << 1 | !!isprint(c) << 2 | !!iscntrl(c) << 3); putchar('\n');
    for (int c = 0; c < 256; c++) printf("%x", !!isxdigit(c) | !!isgraph(c) << 1 | !!isalnum(c) << 2 | !!isblank(c) << 3); putchar('\n');
    for (int c = 0; c < 128; c += 3) printf("%d %d ", tolower(c), toupper(c)); putchar('\n'); int (*f)(int) = toupper; printf("%c %d\n", f('q'), (isdigit)('7') != 0);
    wchar_t w[32] = L"wide"; wcscat(w, L" text"); printf("%zu %d %d %ls %d\n", wcslen(w), sign(wcscmp(w, L"wide")), sign(wcsncmp(w, L"wid!", 3)), wcschr(w, L't'), (int)(wcsrchr(w, L't') - w)); char nb[20]; printf("%zu %s ", wcstombs(nb, w, 20), nb); printf("%zu %ls %d\n", mbstowcs(w, "narrow", 32), w, towupper(L'x')); printf("%d %d %d\n", mbtowc(w, "a", 1), wctomb(nb, L'z'), iswalpha(L'q') != 0);
    return 0;
}
