//@ flags: -fcommon
// Several files: extern, tentative definitions, same-named statics, extern arrays, shared structs, weak symbols, callbacks across files.
#include <stdio.h>
#include "shared.h"
int tentative; int shared_counter = 5; extern int table[]; static int hidden = 1; int weak_value(void) __attribute__((weak)); int weak_value(void) { return 1; }
static int helper(void) { return hidden + 100; } static int callback(struct item *i) { return i->weight + hidden; } struct item *registry; const char *const names[] = { "a", "b" }; extern struct opaque *make_opaque(int); extern int opaque_value(struct opaque *);
int main(void) { bump(); bump(); printf("%d %d %d\n", shared_counter, tentative, table[2]); printf("%d %d\n", helper(), other_helper()); struct item it = { "x", 7, 0 }; registry = &it; printf("%d\n", visit(callback)); printf("%d\n", weak_value()); printf("%s\n", name_of(1)); printf("%d\n", opaque_value(make_opaque(9))); printf("%d\n", inline_here(3)); int once = own_static(); printf("%d %d\n", once, own_static()); printf("%d\n", implicit_int()); extern double late; printf("%g\n", late); return table_size(); }
