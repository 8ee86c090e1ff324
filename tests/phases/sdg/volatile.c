int sink;
void use(int v) { sink = v; }
volatile int port;
void f(int x, int y) {
    port = x;
    int a = port;
    int b = y;
    use(a);
    use(b);
}
//@ has 8:a = 5 6 8
//@ not 8:a = 7 9
//@ slice 9:b = 7 9
