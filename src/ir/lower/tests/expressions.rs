//! Types and values of expressions.

use super::*;

/// The type of an expression over some variables.
fn type_of(e: &str) -> String {
    let p = lower(&format!(
        "struct s {{ int a : 5; unsigned b : 32; unsigned c : 31; long d : 20; _Bool e : 1; unsigned long g : 40; }};
         typedef int v4 __attribute__((vector_size(16))); enum e {{ A, B = 1U << 31 }}; struct q {{ const int k; int arr[3]; }};
         struct q make(void); int f(struct s s, char c, short h, int i, unsigned u, long l, unsigned long ul, long long ll,
             float x, double y, long double z, char *p, const char *cp, void *vp, int a[3], v4 v, _Bool b, enum e n,
             struct q *qp, long long long w, volatile int vol, int (*fp)(int), _Complex float z2)
         {{ __typeof__({e}) result; return sizeof result; }}"
    ));
    let body = body(&p, "f");
    p.types.declare(body.locals[local(body, "result")].ty, "")
}

#[test]
fn types_of_expressions_are_cs() {
    for (e, ty) in [
        ("c + c", "int"),
        ("h << l", "int"),
        ("u + l", "long"),
        ("ul + ll", "unsigned long long"),
        ("i + u", "unsigned int"),
        ("x + i", "float"),
        ("x * y", "double"),
        ("y + z", "long double"),
        ("z2 + y", "_Complex double"),
        ("s.a + 0", "int"),
        ("+s.a", "int"),
        ("s.b + 0", "unsigned int"),
        ("s.c + 0", "int"),
        ("s.d + 0", "int"),
        ("s.e + s.e", "int"),
        ("-s.g", "unsigned long"),
        ("b + b", "int"),
        ("n + 0", "unsigned int"),
        ("w + ul", "__int128"),
        ("p - cp", "long"),
        ("p + 1", "char *"),
        ("i ? p : 0", "char *"),
        ("i ? p : vp", "void *"),
        ("i ? p : cp", "const char *"),
        ("i ? (void *)0 : cp", "const char *"),
        ("i ? c : h", "int"),
        ("i < l", "int"),
        ("!y", "int"),
        ("p && vp", "int"),
        ("(c, h)", "short"),
        ("c += 1", "char"),
        ("c++", "char"),
        ("sizeof c", "unsigned long"),
        ("'a'", "int"),
        ("\"abc\"", "char [4]"),
        ("L\"ab\"", "int [3]"),
        ("*a", "int"),
        ("&a", "int **"),
        ("&*p", "char *"),
        ("qp->k", "const int"),
        ("&qp->arr", "int (*)[3]"),
        ("make().arr", "int [3]"),
        ("vol", "volatile int"),
        ("vol + 0", "int"),
        ("&*fp", "int (*)(int)"),
        ("fp(1)", "int"),
        ("v + 1", "int __vector(4)"),
        ("v < v", "int __vector(4)"),
        ("v[1]", "int"),
        ("2147483648", "long"),
        ("0x80000000", "unsigned int"),
        ("1.0f", "float"),
        ("1ull", "unsigned long long"),
        ("_Generic(cp, char *: 1, const char *: 2.0)", "double"),
        ("({ char r = 1; r; })", "char"),
        ("(char)1", "char"),
        ("__func__", "char [2]"),
    ] {
        assert_eq!(type_of(e), ty, "{e}");
    }
}

#[test]
fn constant_expressions_are_folded_at_their_width() {
    for (e, value) in [
        ("-1 < 1u", 0),
        ("(unsigned char)300", 44),
        ("(signed char)200", -56),
        ("1 ? -1 : 0u", 4294967295),
        ("(int)2147483648u", -2147483648),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("-8 >> 1", -4),
        ("~0u >> 28", 15),
        ("sizeof(char[3][4])", 12),
        ("'\\377'", -1),
        ("'ab'", 24930),
        ("u'\u{1F363}'", 0xdf63),
        ("U'\u{1F363}'", 0x1f363),
        ("(long)1.9e3 + (int)-1.5", 1899),
        ("0x1p3 == 8.0", 1),
        ("__builtin_offsetof(struct t, m[2].y)", 28),
        ("sizeof(struct t)", 40),
        ("1 || 1 / 0", 1),
        ("0 && 1 / 0", 0),
        ("(_Bool)0.1", 1),
        ("(1, 2)", 2),
        ("C", 8),
        ("_Alignof(double)", 8),
        ("sizeof(int) == 4 ? 5 : 1 / 0", 5),
    ] {
        let prelude = "struct t { long x; struct { int z, y; } m[4]; }; enum { A = 3, B = A + 4, C };";
        assert_eq!(returned(&format!("{prelude} long long f(void) {{ return {e}; }}")), value, "{e}");
    }
}

#[test]
fn a_probe_leaves_nothing_behind() {
    let p = lower(
        "int g(void); int f(int n) { int k = 0; int s = sizeof(k++) + sizeof(g()) + sizeof(int[n = 3]) + sizeof \"long text\";
         __typeof__(k++) z = 0; return s + z; }",
    );
    let body = body(&p, "f");
    assert!(calls(&p, body).is_empty());
    let writes = |name: &str| {
        let l = local(body, name);
        insts(body)
            .iter()
            .filter(|i| matches!(i.kind, InstKind::Store { addr: Operand::Local(a), .. } if a == l))
            .count()
    };
    assert_eq!(writes("k"), 1, "only its initialiser");
    assert_eq!(writes("n"), 2, "the parameter, and the size of a variable-length type, which C evaluates");
    assert!(p.globals.iter().all(|g| !g.name.starts_with(".str")), "a literal that is only measured is no object");
}

#[test]
fn assignments_to_bit_fields_yield_what_is_stored() {
    let p = lower(
        "struct s { int a : 3; }; int f(struct s *p, int x) { return p->a = x; } void g(struct s *p) { p->a = 1; }",
    );
    let shifts = |name: &str| insts(body(&p, name)).iter().filter(|i| matches!(i.kind, InstKind::Binary(..))).count();
    assert_eq!((shifts("f"), shifts("g")), (2, 0));
}

#[test]
fn volatile_and_atomic_accesses_are_marked() {
    let p = lower(
        "volatile int v; _Atomic int a; struct { volatile int m; int n; } s; void f(void) { v; a++; s.m = 1; s.n = 2; }",
    );
    let accesses: Vec<(bool, bool)> = insts(body(&p, "f"))
        .iter()
        .filter_map(|i| match &i.kind {
            InstKind::Load { access, .. } | InstKind::Store { access, .. } => Some((access.volatile, access.atomic)),
            _ => None,
        })
        .collect();
    assert_eq!(accesses, [(true, false), (false, true), (false, true), (true, false), (false, false)]);
}

#[test]
fn short_circuits_are_control_flow_at_their_own_text() {
    let text = "int g(int); int f(int a, int b) { return g(a) || g(b); }";
    let p = lower(text);
    let body = body(&p, "f");
    let at: Vec<&str> = reached(body)
        .iter()
        .filter(|b| matches!(body.blocks[**b].term, Terminator::Branch { .. }))
        .map(|b| text_of(text, &body.blocks[*b].term_place))
        .collect();
    assert_eq!(at, ["g(a)", "g(b)"]);
}

#[test]
fn wrong_expressions_are_errors_at_their_place() {
    for (e, message, at) in [
        ("*i", "not a pointer", "*i"),
        ("s.none", "no member none", "s.none"),
        ("i.x", "no members", "i.x"),
        ("s + 1", "does not take", "s + 1"),
        ("&1", "does not designate", "1"),
        ("nope", "not declared", "nope"),
        ("p * 2", "does not take pointers", "p * 2"),
        ("(double)p", "cannot become", "(double)p"),
        ("s ? 1 : 2", "not a condition", "s"),
        ("1 = 2", "does not designate", "1"),
        ("y % 2", "integers only", "y % 2"),
        ("_Generic(i, char: 1)", "no association", "_Generic(i, char: 1)"),
        ("sizeof s.b", "bit-field", "sizeof s.b"),
        ("&s.b", "bit-field", "&s.b"),
        ("*(struct unknown *)p", "incomplete", "*(struct unknown *)p"),
    ] {
        let text =
            format!("struct s {{ int a, b : 3; }}; int f(struct s s, int i, int *p, double y) {{ return {e}; }}");
        one_error(&text, message, at);
    }
}
