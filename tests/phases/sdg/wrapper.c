void *malloc(unsigned long);
void use(int);
static int *alloc(int v) {
    int *i = malloc(sizeof *i);
    *i = v;
    return i;
}
int main(int x, char **a) {
    int *i = alloc(x);
    int *j = alloc(3);
    use(*i + *j);
    return 0;
}
//@ has 11:i = 5 9
//@ has 11:j = 5 10
