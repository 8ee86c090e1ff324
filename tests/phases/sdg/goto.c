int sink;
void use(int v) { sink = v; }
void f(int n, int k) {
    int i = 0;
    int s = 0;
again:
    if (i >= n)
        goto out;
    i = i + 1;
    if (i == k)
        goto again;
    s = s + i;
    goto again;
out:
    use(s);
    use(i);
}
//@ slice 15:s = 4 5 7 9 10 12 15
//@ has 16:i = 4 7 9 16
//@ not 16:i = 5 12 15
//@ carried 9 -> 7
//@ control 7 -> 9 false
//@ control 10 -> 12 false
