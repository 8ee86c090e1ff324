int u(int);

void ifs(int a, int b) {
    u(0);                    //~ entry
    if (a) {                 //~ entry
        u(1);                //~ a true
        if (b)               //~ a true
            u(2);            //~ b true
    } else {
        u(3);                //~ a false
    }
    u(4);                    //~ entry
}

void connectives(int a, int b, int c, int d, int e) {
    if (a                    //~ entry
        && b)                //~ a true
        u(1);                //~ b true
    else
        u(2);                //~ a false, b false
    if (c                    //~ entry
        || d                 //~ c false
        || e)                //~ d false
        u(3);                //~ c true, d true, e true
    u(4);                    //~ entry
}

void conditional(int a) {
    u(a                      //~ entry
      ? u(1)                 //~ a true
      : u(2));               //~ a false
}

void early(int a, int b) {
    if (a)                   //~ entry
        return;              //~ a true
    u(1);                    //~ a false
    if (b)                   //~ a false
        return;              //~ b true
    u(2);                    //~ b false
}

// Undefined behaviour is no way out. A call in front of it may be.
void impossible(int a, int b) {
    if (a)                   //~ entry
        __builtin_unreachable();
    u(1);                    //~ entry
    if (b) {                 //~ entry
        u(2);                //~ b true
        __builtin_unreachable();
    }
    u(3);                    //~ b false
}
