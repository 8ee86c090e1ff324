/* A weighing machine: reads a sensor and a keyboard through memory-mapped ports, and shows article and weight.
 *
 * The weight on the display must come from the sensor. Can the keyboard change it?
 */
#include <stdio.h>

#define CTRL2 0 /* control bits of a port pair */
#define PB 0    /* high bits of the sensor's value */
#define PA 1    /* low bits, or the key that was pressed */

int main(void) {
    int p_ab[2] = {0, 1}; /* the sensor's ports */
    int p_cd[2] = {0, 0}; /* the keyboard's ports */
    char e_puf[8] = "";   /* the article, as typed */
    int u = 0;            /* the sensor's value */
    float u_kg = 0.0f;    /* the weight */
    float kal_kg = 1.0f;  /* the calibration */
    int idx;

    for (;;) {
        if ((p_ab[CTRL2] & 0x10) == 0) { /* the sensor is ready */
            u = ((p_ab[PB] & 0x0f) << 8) + p_ab[PA];
            u_kg = (float)u * kal_kg;
        }
        if ((p_cd[CTRL2] & 0x01) != 0) { /* a key is down */
            for (idx = 0; idx < 7; idx++) {
                e_puf[idx] = (char)p_cd[PA];
                if ((p_cd[CTRL2] & 0x10) != 0) { /* the seal is broken: keys calibrate */
                    if (e_puf[idx] == '+')
                        kal_kg *= 1.01f;
                    else if (e_puf[idx] == '-')
                        kal_kg *= 0.99f;
                }
            }
            e_puf[idx] = '\0';
        }
        printf("Article: %7.7s\n%8.2f kg\n", e_puf, u_kg);
    }
}
