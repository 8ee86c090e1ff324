//! Initialisers of static and automatic objects.

use super::*;

fn ints(program: &Program, name: &str) -> Vec<i32> {
    let size = program.types.size_of(global(program, name).ty.ty).expect("complete") as usize;
    let mut bytes = bytes(program, name);
    bytes.resize(size, 0);
    bytes.chunks(4).map(|c| i32::from_le_bytes(c.try_into().expect("four"))).collect()
}

#[test]
fn lists_follow_cs_rules() {
    let p = lower(
        "int a[] = { 1, 2, [5] = 7, 8, [1] = 3 }; int b[3][2] = { 1, 2, { 3 }, 5 };
         struct { int x; struct { int y, z; } in[2]; int w; } c = { 1, { 2, 3, [1].z = 4 }, 5 }, d = { .in[0].z = 1, 2, 3, 4 };
         struct { int a; union { int b; int c; }; int d; } e = { .c = 2, 3 }, g = { 1, 2, 3 };
         int r[] = { [0 ... 2] = 4, [1 ... 1] = 5, 6 }; int big[2] = { 1, 2, 3, [0] = 9 };",
    );
    assert_eq!(ints(&p, "a"), [1, 3, 0, 0, 0, 7, 8]);
    assert_eq!(ints(&p, "b"), [1, 2, 3, 0, 5, 0]);
    assert_eq!(ints(&p, "c"), [1, 2, 3, 0, 4, 5]);
    assert_eq!(ints(&p, "d"), [0, 0, 1, 2, 3, 4]);
    assert_eq!(ints(&p, "e"), [0, 2, 3]);
    assert_eq!(ints(&p, "g"), [1, 2, 3]);
    assert_eq!(ints(&p, "r"), [4, 5, 6]);
    assert_eq!(ints(&p, "big"), [9, 2]);
}

#[test]
fn what_comes_later_replaces_the_whole() {
    let p = lower(
        "struct s { struct { int a, b; } in; int c; } x = { .in = { 1, 2 }, .in = { .b = 3 }, .c = 4 };
         union u { struct { int a, b; } two; int one; } y = { .two = { 1, 2 }, .one = 5 }, z = { .two.a = 1, .two.b = 2 };
         char t[2][4] = { \"abc\", [0] = \"x\" }; int v; int *p[2] = { &v, &v, [0] = 0 };",
    );
    assert_eq!(ints(&p, "x"), [0, 3, 4]);
    assert_eq!(ints(&p, "y"), [5, 0]);
    assert_eq!(ints(&p, "z"), [1, 2]);
    let mut t = bytes(&p, "t");
    t.resize(8, 0);
    assert_eq!(t, b"x\0\0\0\0\0\0\0");
    let addresses = content(&p, "p").iter().filter(|(_, i)| matches!(i, InitItem::Address { .. })).count();
    assert_eq!(addresses, 1);
}

#[test]
fn huge_arrays_are_sparse() {
    let p = lower(
        "int a[1 << 28] = { 1, [1 << 27] = 2 }; char t[1 << 30] = \"ab\"; int f(void) { int b[1 << 26] = { 3 }; return b[0]; }",
    );
    assert_eq!(content(&p, "a").len(), 2);
    assert_eq!(bytes(&p, "t"), b"ab\0");
    let total: usize = p
        .globals
        .iter()
        .map(|g| match &g.definition {
            GlobalDef::Defined(init) => init.items.len(),
            _ => 0,
        })
        .sum();
    assert!(total < 8);
}

#[test]
fn flexible_members_lie_behind_the_type() {
    let p = lower("struct f { int n; char d[]; } x = { 1, \"abc\" }, y = { 2, { 1, 0, 0 } };");
    assert_eq!(p.types.size_of(global(&p, "x").ty.ty), Some(4));
    assert_eq!(bytes(&p, "x"), [1, 0, 0, 0, b'a', b'b', b'c', 0]);
    assert_eq!(bytes(&p, "y"), [2, 0, 0, 0, 1, 0, 0]);
    one_error(
        "struct f { int n; char d[]; }; int f(void) { struct f x = { 1, \"a\" }; return 0; }",
        "only static",
        "\"a\"",
    );
    one_error("struct f { int n; char d[]; } x[2] = { { 1, \"a\" } };", "inside another object", "\"a\"");
}

#[test]
fn addresses_and_constants_of_other_objects_are_known() {
    let p = lower(
        "int a[4]; struct s { int x, y; } v; int *p = &a[1] + 1, *q = &v.y; const char *s = &\"hello\"[2];
         unsigned long n = (unsigned long)&v.y; long d = &a[3] - &a[1]; int size = (char *)&v.y - (char *)&v == 4;
         static const int c = 6; int e = c * 7; const double h = 0.5; double g = h + 1; int (*fn)(void); int zero = &a == 0;
         unsigned long off = (unsigned long)&((struct s *)0)->y; void *chain = &chain; _Bool b = &v; float fl = 1;
         int *lit = (int[]){ 1, 2 }; struct s copy = (struct s){ 3, 4 };",
    );
    let address = |name: &str| match content(&p, name) {
        [(0, InitItem::Address { target: InitTarget::Global(g), addend })] => (p.globals[*g].name.clone(), *addend),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(address("p"), ("a".to_string(), 8));
    assert_eq!(address("q"), ("v".to_string(), 4));
    assert_eq!(address("s").1, 2);
    assert_eq!(address("n"), ("v".to_string(), 4));
    assert_eq!(address("chain"), ("chain".to_string(), 0));
    assert_eq!((number(&p, "d"), number(&p, "size"), number(&p, "e"), number(&p, "zero")), (2, 1, 42, 0));
    assert_eq!((number(&p, "off"), number(&p, "b")), (4, 1));
    assert_eq!(bytes(&p, "g"), 1.5f64.to_le_bytes());
    assert_eq!(bytes(&p, "fl"), 1f32.to_le_bytes());
    let (literal, 0) = address("lit") else { panic!("at its start") };
    assert_eq!(ints(&p, &literal), [1, 2]);
    assert_eq!(ints(&p, "copy"), [3, 4]);
    one_error("int x; int y = x;", "must be constant", "x");
    one_error("int g(void); int f(void) { static int y = (g(), 3); return y; }", "must be constant", "(g(), 3)");
    one_error("int f(int p) { static int *q = &p; return 0; }", "must be constant", "&p");
    one_error("int x; char c = (long)&x;", "must be constant", "(long)&x");
}

#[test]
fn a_range_evaluates_its_value_once() {
    let p = lower(
        "int g(void), h(void); int f(void) { int a[4] = { [0 ... 3] = g() }; struct { int x, y; } b[2] = { [0 ... 1] = { g(), h() } }; return a[0] + b[1].x; }",
    );
    assert_eq!(calls(&p, body(&p, "f")), ["g", "g", "h"]);
}

#[test]
fn automatic_objects_are_zeroed_only_where_something_is_left_out() {
    let p = lower(
        "int f(int x) { int a[2] = { x, 1 }; return a[0]; } int g(int x) { int a[3] = { x, 1 }; return a[0]; } int h(void) { int s = {}; return s; }",
    );
    let zeroes = |name: &str| {
        insts(body(&p, name))
            .iter()
            .filter(|i| matches!(i.kind, InstKind::Load { addr: Operand::Global(_), .. }))
            .count()
    };
    assert_eq!((zeroes("f"), zeroes("g")), (0, 1));
    assert!(insts(body(&p, "h")).iter().any(|i| matches!(i.kind, InstKind::Store { value, .. } if int(value) == 0)));
}

#[test]
fn bit_fields_and_scalars_in_braces() {
    let p = lower("struct { unsigned a : 3, b : 7; int : 2; int c : 4; } x = { 5, { 100 }, -2 }; int y = { 3 };");
    // 5 | 100 << 3 | (-2 & 15) << 12
    assert_eq!(number(&p, "y"), 3);
    let value = bytes(&p, "x").iter().rev().fold(0u32, |v, b| (v << 8) | u32::from(*b));
    assert_eq!(value, 5 | 100 << 3 | 14 << 12);
}

#[test]
fn complex_constants_are_folded() {
    let p = lower("_Complex double z = 1.0 + 2.0 * 1.0i; _Complex float w = -3;");
    assert_eq!(bytes(&p, "z"), [1f64.to_le_bytes(), 2f64.to_le_bytes()].concat());
    assert_eq!(bytes(&p, "w"), [(-3f32).to_le_bytes(), 0f32.to_le_bytes()].concat());
}
