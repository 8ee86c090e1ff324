int sink;
void use(int v) { sink = v; }
void sum(int n, int k) {
    int s = 0;
    int p = 1;
    int i = 0;
    while (i < n) {
        s = s + i;
        p = p * k;
        i = i + 1;
    }
    use(s);
    use(p);
    use(i);
}
void early(int n, int k) {
    int i;
    int found = 0;
    for (i = 0; i < n; i++) {
        if (i == k) {
            found = 1;
            break;
        }
    }
    use(found);
    use(n);
}
//@ slice 12:s = 4 6 7 8 10 12
//@ slice 13:p = 5 6 7 9 10 13
//@ slice 14:i = 6 7 10 14
//@ slice 25:found = 18 19 20 21 25
//@ slice 26:n = 26
//@ data 6 -> 8
//@ carried 10 -> 7
//@ carried 10 -> 8
//@ carried 8 -> 8
//@ control 7 -> 9 true
