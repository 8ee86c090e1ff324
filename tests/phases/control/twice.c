int u(int);
int setjmp(long *);
void longjmp(long *, int);
long place[32];

void jump(int s) {           //~ RETURNED s false
    if (s)                   //~ entry
        longjmp(place, s);   //~ s true
}

void f(int s) {
    u(0);                    //~ entry
    setjmp(place);           //~ entry
    u(1);                    //~ setjmp(place) returns
    if (s)                   //~ setjmp(place) returns
        jump(s);             //~ s true
    u(2);                    //~ s false, jump(s) returns
}
