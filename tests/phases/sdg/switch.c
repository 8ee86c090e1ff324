int sink;
void use(int v) { sink = v; }
void f(int op, int a, int b) {
    int r = 0;
    int t = a;
    switch (op) {
    case 1:
        r = a;
        break;
    case 2:
        t = b;
        /* falls through */
    case 3:
        r = b + 1;
        break;
    default:
        t = 7;
    }
    use(r);
    use(t);
}
//@ slice 19:r = 4 6 8 14 19
//@ slice 20:t = 5 6 11 17 20
//@ control 6 -> 8 case 1
//@ control 6 -> 11 case 2
//@ control 6 -> 14 case 2
//@ control 6 -> 14 case 3
//@ control 6 -> 17 default
