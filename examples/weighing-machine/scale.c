#include <stdio.h> /* The scale of figure 3: line 8 is the keyboard, line 33 the display. README.md tells the rest. */
#define CTRL2 0 /* the control bits of a pair of ports */
#define PB 0 /* the sensor's high bits, beside its control bits */
#define PA 1 /* the sensor's low bits; the key */

int main(void) {
    int p_ab[2] = {0, 1};
    int p_cd[2] = {0, 0};
    char e_puf[8] = "ARTICLE";
    int u;
    int idx;
    float u_kg = 0.0f;
    float kal_kg = 1.0f;
    /* Whatever the keys may be. */
    while (1) {
        if ((p_ab[CTRL2] & 0x10) == 0) {
            u = ((p_ab[PB] & 0x0f) << 8) + p_ab[PA];
            u_kg = (float)u * kal_kg;
        }
        if ((p_cd[CTRL2] & 0x01) != 0) {
            for (idx = 0; idx < 7; idx++) {
                /* A key that was pressed is part of the article's name … */
                e_puf[idx] = (char)p_cd[PA];
                if ((p_cd[CTRL2] & 0x10) != 0) {
                    if (e_puf[idx] == '+')
                        kal_kg *= 1.01f;
                    else if (e_puf[idx] == '-')
                        kal_kg *= 0.99f;
                }
            }
            e_puf[idx] = '\0';
        }
        printf("Article: %7.7s\n %6.2f kg ", e_puf, u_kg);
    }
    /* … for ever. */
}
