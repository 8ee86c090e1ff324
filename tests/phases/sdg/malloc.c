int sink;
void use(int v) { sink = v; }
void *malloc(unsigned long);
void f(int x, int y) {
    int *p = malloc(sizeof(int));
    int *q = malloc(sizeof(int));
    *p = x;
    *q = y;
    int r = *p;
    int s = *q;
    use(r);
    use(s);
}
//@ has 11:r = 5 7 9 11
//@ not 11:r = 8 10 12
//@ has 12:s = 6 8 10 12
//@ not 12:s = 7 9 11
