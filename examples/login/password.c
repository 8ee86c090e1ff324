#include "password.h"

static const char secret[] = "swordfish";

/* Compares all letters, also after the first that differs, so that the time taken tells nothing. */
int password_fits(const char *typed) {
    unsigned char difference = 0;
    unsigned int i;
    for (i = 0; i < sizeof secret; i++) {
        difference |= (unsigned char)(typed[i] ^ secret[i]);
        if (typed[i] == '\0')
            break;
    }
    return difference == 0 && i == sizeof secret - 1;
}
