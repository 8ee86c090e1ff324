// Sizes and offsets of structs, unions and bit-fields, packed and aligned ones included.
#include <stddef.h>
#include <stdio.h>

struct plain { char c; int i; char d; double e; short s; };
struct __attribute__((packed)) packed { char c; int i; char d; double e; short s; };
struct aligned { char c; int i __attribute__((aligned(16))); char d; } __attribute__((aligned(32)));
struct inner_packed { char c; int i __attribute__((packed)); long l; };
union mixed { char c[5]; int i; double d; };
struct bits { unsigned a : 3; unsigned b : 7; int c : 12; unsigned : 0; unsigned d : 1; unsigned long long e : 40; };
struct bits2 { char a : 4; short b : 9; int c : 20; char d; unsigned e : 30; };
struct __attribute__((packed)) bits3 { unsigned a : 3; unsigned b : 30; unsigned c : 5; char d; };
struct flexible { int n; short tail[]; };
struct anonymous { int tag; union { int i; float f; struct { char lo, hi; }; }; };
struct empty {};
struct nested { struct plain p[2]; struct { char x; } q; union mixed u; };
struct zero { int a; int z[0]; char c; };
typedef int aligned_int __attribute__((aligned(8)));
struct with_typedef { char c; aligned_int a; };
#pragma pack(push, 2)
struct pragma_two { char c; int i; double d; unsigned b : 9; };
#pragma pack(pop)
#pragma pack(1)
struct pragma_one { char c; long l; };
#pragma pack()
struct after { char c; long l; };
struct ldbl { char c; long double l; };
struct boolbits { _Bool a : 1; _Bool b : 1; unsigned char c : 6; };
enum small { A, B, C };
enum negative { N = -1, P = 5 };
enum big { HUGE = 0x100000000ll };
enum __attribute__((packed)) tiny { T1, T2 = 200 };
struct with_enum { enum tiny t; enum small s; };

#define S(t) printf("%-24s %zu %zu\n", #t, sizeof(t), _Alignof(t))
#define O(t, m) printf("%-24s.%-6s %zu\n", #t, #m, offsetof(t, m))

int main(void) {
    S(struct plain); S(struct packed); S(struct aligned); S(struct inner_packed); S(union mixed); S(struct bits);
    S(struct bits2); S(struct bits3); S(struct flexible); S(struct anonymous); S(struct empty); S(struct nested); S(struct zero);
    S(struct with_typedef); S(struct pragma_two); S(struct pragma_one); S(struct after); S(struct ldbl); S(struct boolbits);
    S(enum small); S(enum negative); S(enum big); S(enum tiny); S(struct with_enum); S(long double); S(_Complex float);
    S(_Bool); S(void *); S(int[7]); S(char (*)[9]); S(wchar_t); S(long long); S(__int128);
    O(struct plain, e); O(struct packed, e); O(struct aligned, i); O(struct aligned, d); O(struct inner_packed, i); O(struct inner_packed, l);
    O(struct bits2, d); O(struct bits3, d); O(struct flexible, tail); O(struct anonymous, f); O(struct anonymous, hi); O(struct nested, q);
    O(struct nested, u); O(struct nested, p[1].i); O(struct with_typedef, a); O(struct pragma_two, d); O(struct pragma_one, l); O(struct after, l);
    return 0;
}
