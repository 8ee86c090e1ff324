//! Names, linkage, redeclaration, functions and their parameters.

use super::*;

#[test]
fn redeclarations_complete_a_type() {
    let p = lower("extern int a[]; int a[7]; int f(); int f(int x, char *y) { return x; } extern int a[];");
    assert_eq!(type_of_global(&p, "a"), "int [7]");
    assert!(matches!(global(&p, "a").definition, GlobalDef::Tentative));
    assert_eq!(p.types.show(function(&p, "f").ty), "int (int, char *)");
    assert_eq!(p.globals.iter().filter(|g| g.name == "a").count(), 1);
}

#[test]
fn conflicting_declarations_name_both_places() {
    one_error("int x; double x;", "conflicting types for x", "x");
    one_error("int f(int); int f(char *);", "conflicting types for f", "f");
    one_error("int f(void); int f;", "already called f", "f");
    one_error("int x = 1; int x = 2;", "already a definition of x", "x");
    one_error("int f(void) { return 1; } int f(void) { return 2; }", "already a definition of f", "f");
}

#[test]
fn tentative_arrays_have_one_element_and_incomplete_objects_are_errors() {
    let p = lower("int a[]; static struct s v; struct s { int x; };");
    assert_eq!(type_of_global(&p, "a"), "int [1]");
    assert_eq!(p.types.size_of(global(&p, "v").ty.ty), Some(4));
    one_error("struct s v;", "size of v is not known", "v");
}

#[test]
fn static_functions_are_lowered_only_if_something_refers_to_them() {
    let p = lower(
        "static int unused(void) { return 1; } static int by_table(void) { return 2; }
         static int late(void); int f(void) { return late(); } static int late(void) { return deep(); }
         static int deep(void); static int deep(void) { return 3; } static int (*const table[])(void) = { by_table };
         static void hook(void) __attribute__((constructor)); static void hook(void) {}
         int real(void); static int target(void) { return 5; } int alias(void) __attribute__((alias(\"target\")));"
            .replace("return deep();", "extern int dummy; return dummy;")
            .as_str(),
    );
    let has_body = |name: &str| function(&p, name).body.is_some();
    for (name, expected) in
        [("unused", false), ("by_table", true), ("late", true), ("deep", false), ("hook", true), ("target", true)]
    {
        assert_eq!(has_body(name), expected, "{name}");
    }
    assert_eq!(function(&p, "alias").alias.as_deref(), Some("target"));
}

#[test]
fn inline_definitions_are_the_units_own_unless_declared_otherwise() {
    let p = lower(
        "inline int a(void) { return 1; } inline int b(void) { return 2; } int b(void);
         extern inline int c(void) { return 3; } static inline int d(void) { return 4; }
         extern inline __attribute__((gnu_inline)) int e(void) { return 5; }
         inline __attribute__((gnu_inline)) int g(void) { return 6; }
         int use(void) { return a() + d() + e(); }",
    );
    for (name, linkage) in [
        ("a", Linkage::Internal),
        ("b", Linkage::External),
        ("c", Linkage::External),
        ("d", Linkage::Internal),
        ("e", Linkage::Internal),
        ("g", Linkage::External),
    ] {
        let f = function(&p, name);
        assert_eq!(f.linkage, linkage, "{name}");
        assert!(f.body.is_some(), "{name}");
    }
}

#[test]
fn a_real_definition_replaces_a_gnu_inline_one() {
    let p = lower(
        "extern inline __attribute__((gnu_inline)) int e(void) { return 5; } int e(void) { return 6; }
         int f(void) { return e(); }",
    );
    assert_eq!(function(&p, "e").linkage, Linkage::External);
    assert_eq!(returns(body(&p, "e")).iter().map(|r| int(r.expect("a value"))).collect::<Vec<_>>(), [6]);
}

#[test]
fn constructors_and_destructors_are_ordered() {
    let p = lower(
        "#define nothing
         __attribute__((constructor)) void a(void) {} __attribute__((constructor(200))) void b(void) {}
         __attribute__((constructor(101), destructor(101))) void c(void) {} __attribute__((destructor)) void d(void) {}
         __attribute__((destructor)) void e(void) {} __attribute__((constructor)) void g(void) {}"
            .replace("#define nothing\n", "")
            .as_str(),
    );
    let names = |ids: &[FuncId]| ids.iter().map(|f| p.functions[*f].name.clone()).collect::<Vec<_>>().join(" ");
    assert_eq!(names(&p.constructors), "c b a g");
    assert_eq!(names(&p.destructors), "e d c");
}

#[test]
fn linker_names_weakness_and_threads_are_kept() {
    let p = lower(
        "int scan(void) __asm__(\"__isoc99_scan\"); int call(void) { return scan(); }
         __attribute__((weak)) int w(void) { return 1; } int v __attribute__((weak));
         _Thread_local int t = 3; static _Thread_local int s; extern int o __attribute__((alias(\"t\")));",
    );
    assert_eq!(function(&p, "scan").link_name.as_deref(), Some("__isoc99_scan"));
    assert_eq!(function(&p, "w").linkage, Linkage::Weak);
    assert_eq!(global(&p, "v").linkage, Linkage::Weak);
    assert!(global(&p, "t").thread_local && global(&p, "s").thread_local && !global(&p, "v").thread_local);
    assert!(matches!(&global(&p, "o").definition, GlobalDef::Alias(name) if name == "t"));
}

#[test]
fn old_style_parameters_arrive_promoted() {
    let p =
        lower("int f(c, x, s, p) char c; float x; short s[]; { return c; } int g(void) { return f('a', 1.0, 0, 2); }");
    let body = body(&p, "f");
    let passed: Vec<String> = body.params.iter().map(|v| p.types.show(body.insts[*v].ty)).collect();
    assert_eq!(passed, ["int", "double", "short *", "int"]);
    let homes: Vec<String> = body.locals.iter().take(4).map(|l| p.types.declare(l.ty, &l.name)).collect();
    assert_eq!(homes, ["char c", "float x", "short *s", "int p"]);
    for (i, v) in body.params.iter().enumerate() {
        assert_eq!(body.blocks[body.entry].insts[i], *v, "parameters come first");
    }
    one_error("int f(a) int b; { return 0; }", "b is not a parameter", "b");
}

#[test]
fn variable_length_parameters_measure_their_rows_once() {
    let p = lower("int f(int n, int a[n][n + 1]) { n = 0; return sizeof a[0]; }");
    let body = body(&p, "f");
    let home = &body.locals[local(body, "a")];
    let Type::Pointer(row) = p.types.get(home.ty.ty) else { panic!("a is a pointer") };
    let Type::Array { length: Length::Variable(count), .. } = p.types.get(row.ty) else { panic!("to a variable row") };
    let stores = insts(body)
        .iter()
        .filter(|i| matches!(i.kind, InstKind::Store { addr: Operand::Local(l), .. } if l == *count))
        .count();
    assert_eq!(stores, 1);
    assert_eq!(p.types.show(function(&p, "f").ty), "int (int, int (*)[])", "no local is named outside");
}

#[test]
fn static_locals_are_globals_of_their_function() {
    let p = lower("int f(void) { static int n = 4; static struct l { struct l *next; } head = { &head }; return n; }");
    let n = global(&p, "f.n");
    assert_eq!(n.linkage, Linkage::Internal);
    assert_eq!(n.owner.map(|f| p.functions[f].name.as_str()), Some("f"));
    assert_eq!(number(&p, "f.n"), 4);
    let [(0, InitItem::Address { target: InitTarget::Global(g), addend: 0 })] = content(&p, "f.head") else {
        panic!("head points to itself")
    };
    assert_eq!(p.globals[*g].name, "f.head");
}

#[test]
fn names_of_the_pre_pass_are_shown_as_written() {
    let p = lower("int f(int T__fc_1) { int x__fc_22 = T__fc_1; return x__fc_22; }");
    let body = body(&p, "f");
    assert_eq!(body.locals[LocalId(0)].name, "T");
    local(body, "x");
}

#[test]
fn functions_known_by_name_do_not_return_or_return_twice() {
    let p = lower(
        "void exit(int); int _setjmp(void *); void mine(void) __attribute__((noreturn)); _Noreturn void yours(void);
         static void abort(void) {} void f(void) { exit(1); } void g(void) { abort(); mine(); yours(); _setjmp(0); }",
    );
    assert!(function(&p, "exit").noreturn && function(&p, "mine").noreturn && function(&p, "yours").noreturn);
    assert!(!function(&p, "abort").noreturn, "a static function is the program's own");
    assert!(function(&p, "_setjmp").returns_twice && !function(&p, "exit").returns_twice);
    let f = body(&p, "f");
    assert!(matches!(f.blocks[f.entry].term, Terminator::Unreachable));
}

#[test]
fn enumerations_take_the_type_they_name_or_need() {
    let p = lower(
        "enum a { A = -1 } v; enum b { B = 1 } w; enum c { C = 1L << 40 } x; enum d { D } __attribute__((packed)) y;
         enum e { E = 3 } __attribute__((__fc_underlying(sizeof(unsigned short)))) z;",
    );
    let shape = |name: &str| p.types.int_shape(global(&p, name).ty.ty).expect("an enumeration");
    assert_eq!(["v", "w", "x", "y", "z"].map(shape), [(32, true), (32, false), (64, false), (8, false), (16, false)]);
}

#[test]
fn only_untagged_records_are_anonymous_members() {
    let p = lower("struct t { int a; }; struct s { struct t; struct { int b; }; union u { int c; }; int d; } v;");
    assert_eq!(p.types.size_of(global(&p, "v").ty.ty), Some(8));
}

#[test]
fn static_assertions_are_evaluated() {
    lower("_Static_assert(sizeof(int) == 4, \"\"); struct s { int a; _Static_assert(1, \"\"); };");
    one_error(
        "_Static_assert(1 > 2, \"so \" \"what\");",
        "static assertion failed: so what",
        "_Static_assert(1 > 2, \"so \" \"what\");",
    );
    one_error("int n; _Static_assert(n, \"\");", "must be an integer constant", "n");
}

#[test]
fn every_bad_function_is_listed() {
    let all = errors("int f(void) { return a; } int g(void) { return 1; } int h(void) { return b; } int x = c;");
    let at: Vec<&str> = all.iter().map(|(_, at)| at.as_str()).collect();
    assert_eq!(at, ["a", "b", "c"]);
    let many: Vec<String> = (0..50).map(|i| format!("int f{i}(void) {{ return a; }}")).collect();
    assert_eq!(errors(&many.concat()).len(), 20);
}

#[test]
fn absurd_declarations_are_errors_not_panics() {
    for (text, message) in [
        ("struct s { struct s inner; };", "incomplete"),
        ("struct s { struct s { int a; } x; };", "inside itself"),
        ("int a[-1];", "negative"),
        ("char a[1UL << 62][4];", "too large"),
        ("struct s { char a[1UL << 61]; char b[1UL << 61]; };", "too large"),
        ("int a[1 / 0];", "must be constant"),
        ("int x __attribute__((aligned(3)));", "power of two"),
        ("int x __attribute__((aligned(1UL << 40)));", "power of two"),
        ("struct s { int b : 33; };", "wider"),
        ("typeof(x) x;", "not declared"),
        ("typedef int t; int f(void) { return t; }", "is a type"),
        ("int f(void)[3];", "cannot return"),
        ("enum e { A = 1 / 0 };", "integer constant"),
        ("void f(struct u s) {}", "incomplete"),
        ("typedef int v __attribute__((vector_size(1UL << 40)));", "vector_size"),
        ("int n; int a[n];", "must be constant"),
        ("int f(void) { extern int x = 2; struct q z; return 0; }", "incomplete"),
        ("int f(void) { int a[3] = 5; return 0; }", "list or a string"),
        ("int a[] = { [1UL << 63] = 1 };", "no such element"),
        ("int f(int) = 3;", "no initialiser"),
        ("struct s { union u; int : 3; int x[]; int y; };", "incomplete"),
    ] {
        let all = errors(text);
        assert!(all.iter().any(|(m, _)| m.contains(message)), "{text}: {all:?}");
    }
}
