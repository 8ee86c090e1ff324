int u(int);
void exit(int);
void abort(void);
int stop_maybe(int);
void __assert_fail(void);
void (*pointer)(int);

void die(int n) {            //~ RETURNED n false
    if (n)                   //~ entry
        exit(n);             //~ n true
}
void middle(int n) {         //~ RETURNED die(n) returns
    die(n);                  //~ entry
}
void outer(int n) {          //~ RETURNED middle(n) returns
    if (u(n))                //~ entry
        u(1);                //~ u(n) true
    middle(n);               //~ entry
}
void harmless(int n) {       //~ RETURNED entry
    if (n)                   //~ entry
        u(1);                //~ n true
}

void through_calls(int s) {  //~ RETURNED s false
    harmless(s);             //~ entry
    u(0);                    //~ entry
    outer(s);                //~ entry
    u(1);                    //~ outer(s) returns
    if (s)                   //~ outer(s) returns
        exit(1);             //~ s true
    u(2);                    //~ s false
}

void in_a_loop(int n, int s) {
    while (n) {              //~ entry, die(s) returns carried
        u(1);                //~ n true
        die(s);              //~ n true
        u(2);                //~ die(s) returns
    }
    u(3);                    //~ n false
}

void unknown(int s) {
    stop_maybe(s);           //~ entry
    u(1);                    //~ stop_maybe(s) returns
    pointer(s);              //~ stop_maybe(s) returns
    u(2);                    //~ pointer(s) returns
}

void asserting(int s) {
    if (!(s != 3))           //~ entry
        __assert_fail();     //~ (s != 3) false
    u(1);                    //~ (s != 3) true
}

_Noreturn void never(void) {
    u(0);                    //~ entry
    abort();                 //~ entry
}
void calls_never(int a) {    //~ RETURNED a false
    if (a)                   //~ entry
        never();             //~ a true
    u(1);                    //~ a false
}
