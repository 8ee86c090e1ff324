//@ flags: -maes -mpclmul -mssse3
// Instructions of the processor by builtins: AES, carry-less products, byte shuffles.
#include <stdio.h>
#if defined(__x86_64__) || defined(__i386__)
#include <wmmintrin.h>
#include <tmmintrin.h>
static void show(const char *name, __m128i v) {
    unsigned char b[16];
    _mm_storeu_si128((__m128i *)b, v);
    printf("%s ", name);
    for (int i = 0; i < 16; i++) printf("%02x", b[i]);
    putchar('\n');
}
int main(void) {
    __m128i a = _mm_set_epi32(0x01234567, 0x89abcdef, 0x0f1e2d3c, 0x4b5a6978), k = _mm_set_epi32(0x11111111, 0x22222222, 0x33333333, 0x44444448);
    show("enc", _mm_aesenc_si128(a, k));
    show("enclast", _mm_aesenclast_si128(a, k));
    show("dec", _mm_aesdec_si128(a, k));
    show("declast", _mm_aesdeclast_si128(a, k));
    show("imc", _mm_aesimc_si128(a));
    show("keygen", _mm_aeskeygenassist_si128(a, 0x1b));
    show("clmul00", _mm_clmulepi64_si128(a, k, 0x00));
    show("clmul01", _mm_clmulepi64_si128(a, k, 0x01));
    show("clmul10", _mm_clmulepi64_si128(a, k, 0x10));
    show("clmul11", _mm_clmulepi64_si128(a, k, 0x11));
    show("shuffle", _mm_shuffle_epi8(a, k));
    show("alignr", _mm_xor_si128(a, _mm_slli_si128(k, 4)));
    return 0;
}
#else
int main(void) { puts("another processor"); return 0; }
#endif
