//! Each construct alone: what it becomes, that lang-c reads it, and that offsets lead back.

use std::path::PathBuf;

use lang_c::ast::TranslationUnit;
use proptest::prelude::*;

use super::{MAX_HEIGHT, MAX_NESTING, Prepared, c_name, run};
use crate::base::parallel;
use crate::source::{Unit, UnitId, parse};

fn unit_of(text: &str) -> Unit {
    Unit { path: PathBuf::from("test.c"), text: text.to_string(), ..Unit::default() }
}

/// White space as one blank, none next to punctuation.
fn squeezed(text: &str) -> String {
    let mut out = String::new();
    for word in text.split_whitespace() {
        let glue = out.chars().next_back().is_some_and(|c| c.is_alphanumeric() || "_\"'".contains(c))
            && word.chars().next().is_some_and(|c| c.is_alphanumeric() || "_\"'".contains(c));
        if glue {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

fn tree(prepared: &Prepared, input: &str) -> TranslationUnit {
    match parse(&unit_of(&prepared.text), UnitId(0)) {
        Ok(tree) => tree,
        Err(e) => panic!("lang-c: {} in\n{}\nfrom\n{input}", e.message, prepared.text),
    }
}

/// Every word that was not inserted leads back to itself.
fn offsets_lead_back(prepared: &Prepared, input: &str) {
    let mut found = 0;
    let bytes = prepared.text.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    for start in 0..bytes.len() {
        if !is_word(bytes[start]) || (start > 0 && is_word(bytes[start - 1])) {
            continue;
        }
        let length = bytes[start..].iter().take_while(|&&b| is_word(b)).count();
        let word = &prepared.text[start..start + length];
        let original = prepared.map.original(start as u32);
        if prepared.map.prepared(original) == start as u32 && input[original as usize..].starts_with(word) {
            found += 1;
        }
        assert!(original as usize <= input.len());
    }
    let kept = input.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| word.starts_with("keep"));
    assert!(found >= kept.count(), "words are lost in {}", prepared.text);
}

/// Prepares, parses, and compares the text.
#[track_caller]
fn becomes(input: &str, expected: &str) -> Prepared {
    let prepared = run(input).unwrap_or_else(|e| panic!("{} at {}: {input}", e.message, e.offset));
    tree(&prepared, input);
    offsets_lead_back(&prepared, input);
    assert_eq!(squeezed(&prepared.text), squeezed(expected), "from {input}");
    prepared
}

#[track_caller]
fn stays(input: &str) {
    becomes(input, input);
}

#[track_caller]
fn refused(input: &str, at: &str, message: &str) {
    let failure = run(input).expect_err("this is not supported");
    assert!(input[failure.offset as usize..].starts_with(at), "{} at {}", failure.message, failure.offset);
    assert!(failure.message.contains(message), "{}", failure.message);
}

fn in_function(statement: &str) -> String {
    format!("void f(int a, int b, void *p) {{ {statement} }}")
}

#[track_caller]
fn statement(input: &str, expected: &str) {
    becomes(&in_function(input), &in_function(expected));
}

#[test]
fn plain_c_stays_as_it_is() {
    let text = "# 1 \"x.c\"\ntypedef int T;\nstatic const T x[] = { [0] = 1, [1 ... 2] = 3 };\n\
        struct s { T a : 3, : 0; union { int b; T *c; }; } y = { .a = 1, b: 2 };\n\
        enum e { A, B = 2, };\nint f(T t, int (*g)(T), ...);\n\
        int f(T t, int (*g)(T), ...) { T u = (T)t; for (T i = 0; i < u; i++) { if (i) continue; else break; }\n\
        do u--; while (u); switch (u) { case 1: case 2 ... 3: g(u); default: ; } return sizeof(T) + sizeof u; }\n\
        int k(a, b) int a; char *b; { goto l; l: return a ? b[0] : -1; }\n";
    assert_eq!(run(text).unwrap().text, text);
    stays(text);
    stays("");
    stays("# 1 \"x.c\"\n");
}

#[test]
fn declarations() {
    becomes(";;int x;;", "int x;");
    becomes("__extension__ typedef long long T; T keep;", "typedef long long T; T keep;");
    becomes("__thread static int x;", "_Thread_local static int x;");
    becomes("unsigned __int128 x; __uint128_t y;", "unsigned long long long x; unsigned long long long y;");
    becomes("__float128 x = 1.0q;", "_Float128 x = 1.0f128;");
    becomes("_Float64x x; _Float128 y; __builtin_va_list z;", "_Float64x x; _Float128 y; __builtin_va_list z;");
    becomes("int __const__ x;", "int const x;");
    becomes("_Static_assert(1); static_assert(2, \"x\");", "_Static_assert(1, \"\"); _Static_assert(2, \"x\");");
    becomes("int * _Nonnull x;", "int * x;");
    becomes("int f(...);", "int f();");
    becomes("int f(int n; int a[n], int n);", "int f(int a[n], int n);");
    stays("void f(int a[static 3], int b[restrict], int c[const static 2], int d[*]);");
    stays("int f(int), (*g)(void), *h[3];");
    becomes("constexpr int x = 1; thread_local int y;", "const int x = 1; _Thread_local int y;");
    becomes("int x __attribute__((aligned(8))) __asm__(\"y\");", "int x __asm__(\"y\") __attribute__((aligned(8)));");
    becomes("int a$b, été;", "int a__fc_u24_b, __fc_ue9_t__fc_ue9_;");
    becomes("typeof_unqual(int) x;", "__typeof__(int) x;");
}

#[test]
fn implicit_int() {
    becomes("main() { return 0; }", "int main() { return 0; }");
    becomes("static x, *y; *z;", "static int x, *y; int *z;");
    becomes("f(a, b, c) char *b; { return a; }", "int f(a, b, c) char *b; int a; int c; { return a; }");
    becomes("f(a) register a; { }", "int f(a) register int a; { }");
    becomes("int g(const x, register y);", "int g(const int x, register int y);");
    becomes("typedef t; t x;", "typedef int t; t x;");
    becomes("int x = (const)1;", "int x = (const int)1;");
    statement("register i; auto j; auto k = 1.5;", "register int i; auto int j; auto __typeof__(__fc_auto) k = 1.5;");
    refused("int x; foo y;", "foo", "unknown type name `foo`");
    refused("void f(void) { foo y; }", "foo", "unknown type name `foo`");
    refused("struct s { foo y; };", "foo", "unknown type name `foo`");
    refused("int f(int a, foo *y);", "foo", "unknown type name `foo`");
}

#[test]
fn words_of_c23() {
    becomes(
        "bool f(void) { return true || false || nullptr; }",
        "_Bool f(void) { return ((_Bool)1) || ((_Bool)0) || ((void *)0); }",
    );
    stays("typedef int bool; enum { false, true }; bool x = true; int nullptr; int *y = &nullptr;");
    stays("typedef enum { false, true } bool; bool f(bool x) { return x == true; }");
    becomes(
        "int x = alignof(int); struct s { alignas(8) char c; };",
        "int x = _Alignof(int); struct s { __attribute__((aligned(8))) char c; };",
    );
    becomes("int x = 1'000'000;", "int x = 1000000;");
    becomes(
        "enum e : unsigned char { A }; enum e x;",
        "enum e { A } __attribute__((__fc_underlying(sizeof(unsigned char)))); enum e x;",
    );
    becomes("enum e : short;", "enum e __attribute__((__fc_underlying(sizeof(short))));");
    stays("struct s { enum e : 3; enum e x : 2; };");
    becomes("struct s x = (struct s){};", "struct s x = (struct s){0};");
    becomes("char c = u8'a';", "char c = (unsigned char) 'a';");
}

#[test]
fn gnu_attributes() {
    stays(
        "__attribute__((noreturn)) void f(void) __attribute__((format(printf, 1, 2), weak)), * __attribute__((x)) g;",
    );
    stays("struct s { int a __attribute__((packed)), b : 3 __attribute__((aligned(2))); } __attribute__((packed)) x;");
    stays("enum { A __attribute__((deprecated)) = 1, B };");
    stays("int f(int a __attribute__((unused)), __attribute__((unused)) int b);");
    stays("typedef int v4 __attribute__((vector_size(16))); int (__attribute__((cdecl)) *fp)(int);");
    becomes("int x __attribute__ ( ( packed ) ) ;", "int x __attribute__((packed));");
    becomes("int x __attribute__((,packed,,));", "int x __attribute__((packed));");
    becomes(
        "int x __attribute__((iterate(int), aligned(sizeof(int))));",
        "int x __attribute__((iterate, aligned(sizeof(int))));",
    );
    becomes(
        "struct __attribute__((packed, foo)) s { int a; } x; struct __attribute__((packed)) s y;",
        "struct s { int a; } __attribute__((packed)) x; struct s y;",
    );
    becomes("enum __attribute__((packed)) e { A };", "enum e { A } __attribute__((packed));");
    becomes("void f(void) __attribute__((noreturn)) { }", "__attribute__((noreturn)) void f(void) { }");
    becomes(
        "int x = sizeof(int[3] __attribute__((aligned(8))));",
        "int x = sizeof(__attribute__((aligned(8))) int[3]);",
    );
    becomes(
        "void *x = (void (__attribute__((noreturn)) *)(void))0;",
        "void *x = (void (* __attribute__((noreturn)))(void))0;",
    );
    becomes("void g(int (__attribute__((noreturn)) *)(void));", "void g(int (* __attribute__((noreturn)))(void));");
    becomes("__attribute__((unused)); int x;", "int x;");
    becomes("__declspec(noreturn) __declspec(dllexport) void f(void);", "__attribute__((noreturn)) void f(void);");
    becomes("__declspec(align(16)) int x;", "__attribute__((aligned(16))) int x;");
    statement("__attribute__((fallthrough)); __attribute__((unused)) int x;", "; __attribute__((unused)) int x;");
    statement("l: __attribute__((unused)); __attribute__((cold)) m: a = 1;", "l: ; m: a = 1;");
    becomes("int x __attribute__((foo((struct s){ 1; })));", "int x __attribute__((foo));");
    refused("int x [[foo; int y;]];", "[[foo", "does not end");
    refused("int x __attribute__(packed);", "(packed", "two pairs of parentheses");
}

#[test]
fn c23_attributes() {
    becomes("[[noreturn]] void f(void);", "__attribute__((noreturn)) void f(void);");
    becomes("[[nodiscard, deprecated(\"x\")]] int f([[maybe_unused]] int x);", "int f(int x);");
    becomes(
        "struct [[gnu::packed]] s { int a [[gnu::aligned(8)]]; };",
        "struct s { int a __attribute__((aligned(8))); } __attribute__((packed));",
    );
    becomes("int x [[gnu::aligned(8)]] [3];", "int x[3] __attribute__((aligned(8)));");
    becomes("void f [[noreturn]] (void) { }", "__attribute__((noreturn)) void f(void) { }");
    becomes("enum { A [[deprecated]] = 1 };", "enum { A = 1 };");
    statement("switch (a) { case 1: b = 1; [[fallthrough]]; case 2: ; }", "switch (a) { case 1: b = 1; ; case 2: ; }");
}

#[test]
fn records() {
    becomes("struct { ; int a; const; int b } x;", "struct { int a; int b; } x;");
    stays("struct { } x; struct s { struct { int a; }; int b[]; _Static_assert(1, \"\"); };");
    becomes(
        "struct s { _Alignas(8) int a; _Alignas(long) char b; };",
        "struct s { __attribute__((aligned(8))) int a; __attribute__((aligned(_Alignof(long)))) char b; };",
    );
    stays("_Alignas(8) int a; _Alignas(long) static char b;");
    stays("typedef int T; struct s { T T; unsigned T : 3; struct T *T2; }; int x = sizeof(struct s);");
}

#[test]
fn expressions() {
    statement("a = b ?: 2; a = b ? : a ?: 3;", "a = b ? __fc_same : 2; a = b ? __fc_same : a ? __fc_same : 3;");
    statement(
        "l: p = &&l; goto *p; goto *(char *)p;",
        "l: p = __fc_label_address(l); __fc_goto(p); __fc_goto((char *)p);",
    );
    statement("a = a && b; a = (int) && l; l: ;", "a = a && b; a = (int) __fc_label_address(l); l: ;");
    statement("__auto_type x = a;", "__typeof__(__fc_auto) x = a;");
    statement("a = __extension__ (int)b; a = __extension__ ({ b; });", "a = (int)b; a = ({ b; });");
    statement(
        "a = __builtin_types_compatible_p(int *, __typeof__(a));",
        "a = __fc_types_compatible(sizeof(int *), sizeof(__typeof__(a)));",
    );
    statement("a = __builtin_convertvector(b, int);", "a = __fc_convertvector(b, sizeof(int));");
    statement(
        "a = __alignof__(int); a = __alignof__(b); a = __alignof b + 1; a = __alignof__ (b)[1];",
        "a = __alignof__(int); a = __fc_alignof((b)); a = __fc_alignof(b) + 1; a = __fc_alignof((b)[1]);",
    );
    statement(
        "a = sizeof (int){1} + 1; a = sizeof(struct { int x; }){1}.x;",
        "a = sizeof((int){1}) + 1; a = sizeof((struct { int x; }){1}.x);",
    );
    statement("a = sizeof (char[sizeof(int)]);", "a = sizeof (char[(sizeof(int))]);");
    statement("__real__ a = __imag b;", "*(struct __fc_real *) a = *(struct __fc_imag *) b;");
    statement("a = '\\e' + \"\\%\"[0];", "a = '\\033' + \"\\045\"[0];");
    statement("a = p<:0:>; <% a = 1; %>", "a = p[0]; { a = 1; }");
    stays(
        "struct s { int a[3]; struct { int b; } c; }; int x = __builtin_offsetof(struct s, a[1]) + __builtin_offsetof(struct s, c.b);",
    );
    stays("int f(__builtin_va_list v) { return __builtin_va_arg(v, int *) == __builtin_choose_expr(1, 2, 3); }");
    stays("int x = _Generic(1, int: 2, char *: 3, int (*)(void): 4, default: 5);");
    stays("_Complex double x; __complex__ float y = 1.0i;");
    becomes("char *s = R\"(a\nb)\" \"c\";", "char *s = \"a\\nb\" \"c\";");
}

#[test]
fn types_that_look_like_expressions() {
    becomes(
        "typedef int T; typeof(T) x; typeof(T[3]) y; typeof(typeof(x) *) z; typeof(x) w;",
        "typedef int T; typeof(__attribute__(()) T) x; typeof(__attribute__(()) T[3]) y; \
         typeof(__attribute__(()) typeof(x) *) z; typeof(x) w;",
    );
    becomes("typedef int T; void f(int (T), int (*)(T x));", "typedef int T; void f(int (const T), int (*)(T x));");
    let prepared = becomes(
        "typedef int T; void f(void) { for (T *p; ; ) ; }",
        "typedef int T; void f(void) { for (__attribute__(()) T *p; ; ) ; }",
    );
    assert!(format!("{:?}", tree(&prepared, "")).contains("initializer: Node { node: Declaration"));
}

#[test]
fn statements() {
    statement("{ l: int x; m: }", "{ l: ; int x; m: ; }");
    statement(
        "n: _Static_assert(1); case 1: typedef int T; o: T y; p:",
        "n: ; _Static_assert(1, \"\"); case 1: ; typedef int T; o: ; T y; p: ;",
    );
    stays("typedef int T; void f(void) { T: goto T; { T T; T: T = 1; } }");
    let prepared = becomes(
        &in_function("asm volatile goto inline (\"jmp %l0\" : : \"r\"(a) : \"cc\" : l, m); l: m: ;"),
        &in_function("__asm__ volatile (\"jmp %l0\" : : \"r\"(a) : \"cc\" ); l: m: ;"),
    );
    let [(offset, labels)] = prepared.side.asm_goto.as_slice() else { panic!("{:?}", prepared.side) };
    assert!(prepared.text[*offset as usize..].starts_with("__asm__ volatile"));
    assert_eq!(*labels, ["l", "m"]);
    statement(
        "asm inline volatile (\"nop\"); asm(\"x\" : [o] \"=r\"(a) : [i] \"r\"(b));",
        "__asm__ volatile (\"nop\"); __asm__(\"x\" : [o] \"=r\"(a) : [i] \"r\"(b));",
    );
    refused(&in_function("__asm { nop }"), "{ nop", "assembler");
    refused(&in_function("int g(int x) { return x; }"), "g(int", "nested functions");
    refused(&in_function("void (^g)(void);"), "^g", "blocks");
}

#[test]
fn assembler_at_file_scope() {
    let input = "__thread int keep1;\nasm volatile (\".globl x\\n\"\n\t\"x:\");\nint keep2;";
    let prepared = becomes(input, "_Thread_local int keep1; int keep2;");
    assert_eq!(prepared.side.top_asm.len(), 1);
    let (offset, template) = &prepared.side.top_asm[0];
    assert_eq!(template, ".globl x\\nx:");
    assert_eq!(prepared.map.original(*offset) as usize, input.find("asm").unwrap());
}

#[test]
fn local_labels_are_told_apart() {
    let block = "{ __label__ l; goto l; { __label__ l; p = &&l; l: ; } l: ; }";
    let prepared = run(&in_function(&format!("{block} {block} l: goto l;"))).unwrap();
    tree(&prepared, block);
    let text = squeezed(&prepared.text);
    for label in ["l__fc_0:", "l__fc_1:", "l__fc_2:", "l__fc_3:", "l:goto l;", "goto l__fc_0;", "address(l__fc_1)"] {
        assert_eq!(text.matches(label).count(), 1, "{label} in {text}");
    }
    assert_eq!(c_name("l__fc_12"), "l");
}

#[test]
fn names_lead_back() {
    assert_eq!(c_name("plain"), "plain");
    assert_eq!(c_name("a__fc_u24_b"), "a$b");
    assert_eq!(c_name("__fc_ue9_t__fc_ue9_"), "été");
    assert_eq!(c_name("__fc_same"), "__fc_same");
}

#[test]
fn pragmas_and_white_space() {
    let input = "#pragma GCC diagnostic push\n__thread int x;\n#pragma pack(push, 1)\nstruct s { char c; int i; };\n\
        _Pragma(\"pack(pop)\") int y; // comment\r\n/* more */ int\x0c z;";
    let prepared = becomes(input, "_Thread_local int x; struct s { char c; int i; }; int y; int z;");
    let [(first, one), (second, none)] = prepared.side.pack.as_slice() else { panic!("{:?}", prepared.side) };
    assert_eq!((*one, *none), (Some(1), None));
    assert!(*first < prepared.text.find("struct").unwrap() as u32);
    assert!(
        *second > prepared.text.find("};").unwrap() as u32 && *second < prepared.text.find("int y").unwrap() as u32
    );
    refused("int x;\n  #pragma omp parallel\nint y;", "  #pragma omp", "OpenMP");
    refused("#include <stdio.h>\n", "#include", "not been preprocessed");
    refused("int x; /* open", "/* open", "comment");
    refused("char *s = \"open\n;", "\"open", "closing");
    becomes("  # 3 \"a.c\"\nint x;", "#   3 \"a.c\"\nint x;");
    becomes("\u{feff}int x \\\n ;", "int x ;");
}

#[test]
fn unsupported_types() {
    refused("_BitInt(8) x;", "_BitInt", "_BitInt");
    refused("int x = 5wb;", "5wb", "_BitInt");
}

/// How often the tree has a cast in it.
fn casts(input: &str) -> usize {
    let prepared = run(input).unwrap_or_else(|e| panic!("{}: {input}", e.message));
    format!("{:?}", tree(&prepared, input)).matches("Cast(").count()
}

#[test]
fn names_that_hide_types() {
    // What gcc makes of `(T)-1` and `T * x` with each, tried by hand: the number of casts.
    for (text, expected) in [
        ("typedef int T; int f(int a) { return (T)-1; }", 1),
        ("typedef int T; int f(int T) { return (T)-1; }", 0),
        ("typedef int T; int f(T T) { return (T)-1; }", 0),
        ("typedef int T, U; int f(int T, int U) { int x = 1; T * x; return (T)-1 + (U)*1; }", 0),
        ("typedef int T; int f(int T) { return (T)-1; } int g(void) { return (T)-1; }", 1),
        ("typedef int T; int (*f(int T))(int) { return (T)-1; }", 0),
        ("typedef int T; int (*f(int a))(int T) { return (T)-1; }", 1),
        ("typedef int T; int f(int a, int (*g)(int T)) { return (T)-1; }", 1),
        ("typedef int T; int f(int T, int a[(T)-1]) { return 0; }", 0),
        ("typedef int T; int f(void) { int T = 2; return (T)-1; }", 0),
        ("typedef int T; int f(void) { { int T = 2; } return (T)-1; }", 1),
        ("typedef int T; int f(void) { for (int T = 2;;) return (T)-1; }", 0),
        ("typedef int T; int f(void) { for (int T = 2;;) ; return (T)-1; }", 1),
        ("typedef int T; int f(void) { enum { T }; return (T)-1; }", 0),
        ("typedef int T; int f(int x) { x = ({ int T = 2; (T)-1; }); return (T)-1; }", 1),
        ("typedef int T; int f(int x) { struct T { int T; } s; s.T = 1; T: return (T)-1; }", 1),
        // The parameter's name ends with the type name.
        ("typedef int T; int f(int x) { x = sizeof(int (*)(int T)); return (T)-1; }", 1),
        ("typedef int T; int x = sizeof(int (*)(int T)); T y = (T)-1;", 1),
        ("int f(void) { typedef int T; return (T)-1; } int T; int g(void) { return (T)-1; }", 1),
    ] {
        assert_eq!(casts(text), expected, "{text}");
    }
}

#[test]
fn the_parameter_that_hides_a_type_costs_no_lines() {
    let input = "typedef int T;\nint f(int T)\n{\n  return (T)-1; }";
    let prepared = run(input).unwrap();
    assert_eq!(prepared.text.lines().count(), input.lines().count());
    let inside = prepared.text.find("sizeof").unwrap() as u32;
    assert_eq!(prepared.map.original(inside) as usize, input.find('{').unwrap() + 1);
    let after = prepared.text.find("return").unwrap() as u32;
    assert_eq!(prepared.map.original(after) as usize, input.find("return").unwrap());
}

/// Runs on a worker: what recurses needs its stack.
fn on_worker<R: Send>(f: impl Fn() -> R + Sync) -> R {
    parallel::map(&[()], 1, |_, ()| f()).pop().expect("one item, one result")
}

#[test]
fn deep_nesting_is_read_or_refused() {
    let nested = |open: &str, inner: &str, close: &str, n: usize| {
        format!("int x; void f(void) {{ x = {}{inner}{}; }}", open.repeat(n), close.repeat(n))
    };
    for (open, close) in [
        ("(", ")"),
        ("f(", ")"),
        ("a[", "]"),
        ("(int)(1+", ")"),
        ("({ int y = ", "; })"),
        ("sizeof(int[", "])"),
        ("sizeof(__typeof__(sizeof(int[", "])))"),
        ("_Alignof(int[", "])"),
        ("_Generic(1, int: ", ")"),
        ("(struct s){", "}"),
        ("((void (*)(int))", ")"),
        ("-(", ")"),
        ("(a ? b : ", ")"),
        ("__alignof__(a[", "])"),
    ] {
        on_worker(|| {
            let text = nested(open, "1", close, 100);
            tree(&run(&text).unwrap(), &text);
            let failure = run(&nested(open, "1", close, 50_000)).expect_err("too deep");
            assert!(failure.message.contains("nested more than"), "{}", failure.message);
        });
    }
    on_worker(|| {
        let text = nested("(", "1", ")", MAX_NESTING - 1);
        tree(&run(&text).unwrap(), &text);
        for text in [
            format!("int {}x{};", "(*".repeat(50_000), ")(void)".repeat(50_000)),
            format!("int f({}int{});", "int (*)(".repeat(50_000), ")".repeat(50_000)),
            format!("{}int y;{};", "struct { ".repeat(50_000), "} x;".repeat(50_000)),
            format!("int x = {}1{};", "{".repeat(50_000), "}".repeat(50_000)),
            format!("void f(void) {}{}", "{".repeat(50_000), "}".repeat(50_000)),
            format!("void f(void) {{ {} ; }}", "if (1)".repeat(50_000)),
            format!("void f(void) {{ {} ; }}", "do ".repeat(50_000)),
            "(".repeat(50_000),
            "void f(void) {".to_string() + &"({".repeat(50_000),
            "int x = ".to_string() + &"f(".repeat(50_000),
        ] {
            assert!(run(&text).expect_err("too deep").message.contains("nested more than"));
        }
    });
}

#[test]
fn long_chains_are_read_or_refused() {
    let within = MAX_HEIGHT - 100;
    let chain = |n: usize| {
        [
            format!("int x = a{};", " + a".repeat(n)),
            format!("int x = {}a;", "!".repeat(n)),
            format!("int x = {}a;", "(int)".repeat(n)),
            format!("int x = a{};", "->a".repeat(n)),
            format!("int x = {}1;", "a ? b : ".repeat(n)),
            format!("int x = (a{});", " = a".repeat(n)),
            format!("void f(void) {{ {} ; }}", "if (a) ; else ".repeat(n)),
            format!("void f(void) {{ {} ; }}", "while (a) ".repeat(n)),
        ]
    };
    on_worker(|| {
        for text in chain(within) {
            tree(&run(&text).unwrap_or_else(|e| panic!("{}: {}", e.message, &text[..40])), "a long chain");
        }
        for text in chain(100_000) {
            assert!(run(&text).expect_err("too long").message.contains("nested more than"), "{}", &text[..40]);
        }
        // Flat in the tree, so any length will do.
        for text in [
            format!("int x[] = {{ {} }};", "1, ".repeat(100_000)),
            format!("char x[] = {};", "\"abc\" ".repeat(100_000)),
            format!("int x = (a{});", ", a".repeat(100_000)),
            format!("int x{};", ", x".repeat(100_000)),
            format!("void f(void) {{ switch (1) {{ {} ; }} }}", "case 1: ".repeat(100_000)),
            format!("void f(void) {{ {} }}", "x = 1; ".repeat(100_000)),
        ] {
            tree(&run(&text).unwrap_or_else(|e| panic!("{}: {}", e.message, &text[..40])), "a long list");
        }
    });
}

#[test]
fn syntax_errors_are_left_to_the_parser() {
    for text in [
        "int f(void) { return 1 }",
        "int f(void) { if }",
        "int f(int a { }",
        "int x = ;",
        "}",
        "struct s { int a;",
        "int f(void) { else; }",
        "int x[",
        "enum { A, 1 };",
        "int f() { case }",
        "@",
        "__attribute__",
        "typeof",
        "void f() { asm(\"x\" : 1); }",
        "int a = sizeof(int",
        "[[",
    ] {
        if let Ok(prepared) = run(text) {
            assert!(parse(&unit_of(&prepared.text), UnitId(0)).is_err(), "{text} is not C");
        }
    }
}

/// Pieces of C in any order.
fn soup() -> impl Strategy<Value = String> {
    let pieces = "( ) [ ] { } ; , : ? . ... -> * & && + ! ++ = += < [[ ]] int T x typedef struct enum union typeof sizeof \
        __alignof__ _Alignas __attribute__ ((packed)) asm goto __label__ if else while do for switch case default return static \
        _Static_assert _Generic __builtin_types_compatible_p __builtin_va_arg __real__ bool true auto constexpr const _Atomic \
        1'0 'a' \"s\" \"\\e\" é a$b <: %> // /* */ \n # \\ __extension__ __auto_type __declspec ^ @";
    let pieces: Vec<String> = pieces.split(' ').filter(|p| !p.is_empty()).map(String::from).collect();
    prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(text in soup(), cut in 0usize..200) {
        for text in [format!("typedef int T; {text}"), format!("typedef int T; int f(int T) {{ {text} }}")] {
            let end = (0..=cut.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
            for text in [text.as_str(), &text[..end]] {
                if let Ok(prepared) = run(text) {
                    prop_assert!(prepared.text.len() >= text.len());
                    prop_assert_eq!(prepared.map.original(prepared.text.len() as u32) as usize, text.len());
                    drop(parse(&unit_of(&prepared.text), UnitId(0)));
                }
            }
        }
    }
}
