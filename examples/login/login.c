#include <stdio.h>
#include <string.h>

#include "password.h"

#define ATTEMPTS 3

static int attempts_left = ATTEMPTS;

int main(void) {
    char typed[64];
    while (attempts_left > 0 && fgets(typed, sizeof typed, stdin)) {
        typed[strcspn(typed, "\n")] = '\0';
        if (password_fits(typed)) {
            puts("welcome");
            return 0;
        }
        attempts_left--;
        printf("wrong, %d left\n", attempts_left);
    }
    return 1;
}
