int u(int);

// A loop with two entries. Its header, where its iterations start, is the entry that comes first in reverse post-order: `top`.
void inside(int a, int b) {
    if (a)                   //~ entry
        goto in;
top:
    u(1);                    //~ a false, b true carried
in:
    u(2);                    //~ entry, b true carried
    if (b)                   //~ entry, b true carried
        goto top;
    u(3);                    //~ entry
}

void out(int a, int b) {
    if (a)                   //~ entry
        goto failed;
    u(1);                    //~ a false
    if (b)                   //~ a false
        goto failed;
    u(2);                    //~ b false
    return;                  //~ b false
failed:
    u(3);                    //~ a true, b true
}

// Both are always met, in either order, for ever: the one that the loop does not start with tells.
void order(int a) {
    if (a)                   //~ entry
        goto second;
first:
    u(1);                    //~ entry
second:
    u(2);                    //~ entry, a true
    goto first;
}

void computed(int i) {
    static void *t[] = { &&one, &&two, &&three };
    goto *t[i];              //~ entry
one:
    u(1);                    //~ goto one
    return;                  //~ goto one
two:
    u(2);                    //~ goto two
three:
    u(3);                    //~ goto two, goto three
}
