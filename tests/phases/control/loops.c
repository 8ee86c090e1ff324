int u(int);

void plain(int n, int m) {
    while (n)                //~ entry, n true carried
        u(1);                //~ n true
    u(2);                    //~ entry
    do {
        u(3);                //~ entry, m true carried
    } while (m);             //~ entry, m true carried
    u(4);                    //~ entry
}

// The outer condition is only met again when the inner loop ends, which it does.
void nested(int n, int m) {
    while (n) {              //~ entry, n true carried
        u(1);                //~ n true
        while (m)            //~ n true, m true carried
            u(2);            //~ m true
        u(3);                //~ n true
    }
}

// The next turn comes if `b` is false, whatever `c` is.
void leaving(int n, int b, int c) {
    while (n) {              //~ entry, b false carried
        if (b)               //~ n true
            break;
        if (c)               //~ b false
            continue;
        u(1);                //~ c false
    }
    u(2);                    //~ entry
}

// Both conditions decide over the next `u(1)`: the inner one at once, the outer one in the next turn around both.
void repeated(int n, int m) {
    do {
        do {
            u(1);            //~ entry, m true carried, n true carried
        } while (m);         //~ entry, m true carried, n true carried
        u(2);                //~ entry, n true carried
    } while (n);             //~ entry, n true carried
}

// `return` out of a loop: what follows the loop hangs on the loop's not returning.
void returning(int n, int b) {
    while (n) {              //~ entry, b false carried
        if (b)               //~ n true
            return;          //~ b true
        u(1);                //~ b false
    }
    u(2);                    //~ n false
}

void endless(int a, int b) {
    if (a)                   //~ entry
        while (1) {
            if (b)           //~ a true
                u(1);        //~ b true
            u(2);            //~ a true
        }
    u(3);                    //~ a false
}

void until(int b) {
    for (;;) {
        u(0);                //~ entry, b false carried
        if (b)               //~ entry, b false carried
            break;
        u(1);                //~ b false
    }
    u(2);                    //~ entry
}
