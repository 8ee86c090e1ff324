// Streams and descriptors over files.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/stat.h>
static void show(const char *name) { FILE *f = fopen(name, "rb"); if (!f) { printf("%s: %s\n", name, strerror(errno)); return; } int c; while ((c = getc(f)) != EOF) putchar(c == '\n' ? '|' : c); printf(" eof %d error %d\n", feof(f) != 0, ferror(f)); fclose(f); }
int main(void) {
    show("absent"); FILE *f = fopen("a.txt", "w"); fputs("first\nsecond\n", f); fprintf(f, "%d\n", 3); putc('x', f); fwrite("0123456789", 1, 10, f); printf("%ld ", ftell(f)); fseek(f, 2, SEEK_SET); fputc('#', f); fseek(f, 0, SEEK_END); printf("%ld\n", ftell(f)); fclose(f); show("a.txt");
    f = fopen("a.txt", "a"); fputs("+end", f); printf("%d\n", getc(f)); fclose(f); show("a.txt"); f = fopen("a.txt", "r+"); char line[40]; printf("%s", fgets(line, 40, f)); fseek(f, 0, SEEK_CUR); fputs("SEC", f); rewind(f); while (fgets(line, 5, f)) printf("(%s)", line); putchar('\n'); printf("%d %d ", feof(f) != 0, getc(f)); clearerr(f); printf("%d ", feof(f)); fseek(f, -3, SEEK_END); printf("%c", getc(f)); ungetc('Z', f); ungetc('Y', f); printf("%ld%c%c%c\n", ftell(f), getc(f), getc(f), getc(f)); fclose(f);
    f = fopen("b.bin", "wb+"); int data[] = { 1, 2, 3, 4 }, back[8]; printf("%zu ", fwrite(data, sizeof *data, 4, f)); rewind(f); printf("%zu ", fread(back, sizeof *back, 8, f)); printf("%d %d %zu\n", back[3], feof(f) != 0, fread(back, 4, 1, f)); fpos_t pos; rewind(f); fgetpos(f, &pos); fread(back, 4, 1, f); fsetpos(f, &pos); fread(back + 1, 4, 1, f); printf("%d %d\n", back[0], back[1]); fclose(f);
    char *text = 0; size_t room = 0; ssize_t n; f = fopen("a.txt", "r"); while ((n = getline(&text, &room, f)) > 0) printf("%zd ", n); putchar('\n'); free(text); int i; rewind(f); fscanf(f, "%s", line); printf("%s\n", line); fclose(f);
    printf("%d %d ", rename("b.bin", "c.bin"), access("b.bin", F_OK)); struct stat st; printf("%d %ld %d ", stat("c.bin", &st), (long)st.st_size, S_ISREG(st.st_mode) != 0); printf("%d %d %s\n", remove("c.bin"), remove("c.bin"), strerror(errno));
    int fd = open("d.txt", O_RDWR | O_CREAT | O_EXCL, 0644); printf("%d %zd ", fd, write(fd, "descriptor", 10)); printf("%d ", (int)lseek(fd, 4, SEEK_SET)); n = read(fd, line, 40); printf("%zd %.*s ", n, (int)n, line); printf("%zd ", read(fd, line, 40)); fstat(fd, &st); printf("%ld %d ", (long)st.st_size, isatty(fd)); printf("%d %d ", close(fd), close(fd)); printf("%d\n", open("d.txt", O_RDWR | O_CREAT | O_EXCL, 0644)); show("d.txt");
    f = fdopen(open("d.txt", O_WRONLY | O_TRUNC), "w"); fputs("again", f); printf("%d\n", fileno(f)); fclose(f); show("d.txt"); unlink("d.txt"); show("d.txt");
    f = tmpfile(); fputs("temporary", f); rewind(f); printf("%s\n", fgets(line, 40, f)); fclose(f); f = fopen("e.txt", "wx"); fclose(f); printf("%d ", fopen("e.txt", "wx") == 0); printf("%d\n", fopen("e.txt", "q") == 0);
    if (freopen("a.txt", "r", stdin)) { scanf("%39s", line); printf("%s\n", line); } f = fopen("f.txt", "w"); setvbuf(f, 0, _IOLBF, 0); fputs("one\ntwo", f); show("f.txt"); fflush(f); show("f.txt"); fclose(f); errno = ENOENT; perror("stderr only"); fputs("not seen\n", stderr); puts("end"); setvbuf(stdout, 0, _IONBF, 0); printf("unbuffered\n"); _exit(3);
}
