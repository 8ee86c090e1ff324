int u(int);

void falling(int x) {
    switch (x) {             //~ entry
    case 1:
        u(1);                //~ x case 1
    case 2:
        u(2);                //~ x case 1, x case 2
        break;
    case 3 ... 5:
    case 9:
        u(3);                //~ x case 3 ... 5, x case 9
        break;
    default:
        u(4);                //~ x default
    }
    u(5);                    //~ entry
}

void without(int x) {
    switch (x) {             //~ entry
    case -1:
        u(1);                //~ x case -1
        break;
    case 7:
        return;              //~ x case 7
    }
    u(2);                    //~ x case -1, x default
}

// Two entries; the header is the one that comes first in reverse post-order, `case 1`, so `u(0)` is in the turn of the `c` before it.
void duff(int n, int c) {
    switch (n) {             //~ entry
    case 0:
        do {
            u(0);            //~ n case 0, c true
    case 1:
            u(1);            //~ n case 0, n case 1, c true carried
        } while (c);         //~ n case 0, n case 1, c true carried
    }
    u(2);                    //~ entry
}
