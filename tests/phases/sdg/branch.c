int sink;
void use(int v) { sink = v; }
void f(int a, int b) {
    int x = 0;
    int y = 1;
    if (a > 2)
        x = b;
    else
        y = b;
    if (b)
        y = 5;
    use(x);
    use(y);
}
//@ slice 12:x = 4 6 7 12
//@ slice 13:y = 5 6 9 10 11 13
//@ forward 4:x = 4 12 2
//@ control 6 -> 7 true
//@ control 6 -> 9 false
//@ data 7 -> 12
//@ data 11 -> 13
