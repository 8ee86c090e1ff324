int getchar(void);
int rand(void);
void srand(unsigned);
int sink;
void use(int v) { sink = v; }
void f(int s) {
    if (s)
        getchar();
    int c = getchar();
    use(c);
}
void g(int s, int t) {
    srand(s);
    int u = t;
    int r = rand();
    use(r + u);
    use(t);
}
//@ has 10:c = 7 8 9
//@ has 16:r = 13 15
//@ not 17:t = 13 15
