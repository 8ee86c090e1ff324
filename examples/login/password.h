#ifndef PASSWORD_H
#define PASSWORD_H

/* Whether the text is the password: 1 or 0. */
int password_fits(const char *typed);

#endif
