#ifndef SHARED_H
#define SHARED_H
struct item { const char *name; int weight; struct item *next; };
extern int shared_counter, tentative; extern struct item *registry;
void bump(void); int other_helper(void); int visit(int (*)(struct item *)); const char *name_of(int); int own_static(void); int table_size(void); int implicit_int();
static inline int inline_here(int x) { static int calls; calls++; return x * 2 + calls; }
#endif
