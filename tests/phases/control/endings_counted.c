//@ termination: sensitive
int u(int);

// Whether the loop ends decides over what follows.
void plain(int n, int m) {   //~ RETURNED entry, m false
    while (n)                //~ entry, n true carried
        u(1);                //~ n true
    u(2);                    //~ entry, n false
    do {
        u(3);                //~ entry, n false, m true carried
    } while (m);             //~ entry, n false, m true carried
}
void wait_for(int n) {       //~ RETURNED entry, n false
    while (n)                //~ entry, n true carried
        ;
}
void again(int n) {          //~ RETURNED n false, again(n - 1) returns
    if (n)                   //~ entry
        again(n - 1);        //~ n true
}
void harmless(int n) {       //~ RETURNED entry
    u(n);                    //~ entry
}
void calls(int n) {
    harmless(n);             //~ entry
    u(1);                    //~ entry
    wait_for(n);             //~ entry
    u(2);                    //~ wait_for(n) returns
    again(n);                //~ wait_for(n) returns
    u(3);                    //~ again(n) returns
}
