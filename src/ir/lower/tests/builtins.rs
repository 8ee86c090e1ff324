//! Tests of builtins: small C programs, and what they must become.

use lang_c::driver::{Config, parse_preprocessed};

use crate::base::IdVec;
use crate::ir::fold;
use crate::ir::lower::lower_unit;
use crate::ir::syntax::*;
use crate::ir::types::*;
use crate::source::{DataModel, Diagnostic, SideTable, UnitId};

pub(super) struct Lowered {
    pub program: Program,
    pub warnings: Vec<Diagnostic>,
}

pub(super) fn try_lower(text: &str, side: &SideTable) -> Result<Lowered, Vec<String>> {
    let parse = parse_preprocessed(&Config::default(), text.to_string()).expect("the test program parses");
    match lower_unit(UnitId(0), text, side, &DataModel::lp64(), &parse.unit, &[]) {
        Ok((program, warnings)) => Ok(Lowered { program, warnings }),
        Err(errors) => Err(errors.into_iter().map(|e| e.message).collect()),
    }
}

pub(super) fn lower(text: &str) -> Lowered {
    try_lower(text, &SideTable::default()).expect("the test program lowers")
}

pub(super) fn error_of(text: &str) -> String {
    match try_lower(text, &SideTable::default()) {
        Ok(_) => panic!("the test program must not lower"),
        Err(errors) => errors.join("\n"),
    }
}

impl Lowered {
    pub fn body(&self, name: &str) -> &Body {
        let f = self.program.functions.iter().find(|f| f.name == name && f.body.is_some());
        f.and_then(|f| f.body.as_ref()).expect("the test's function has a body")
    }
    pub fn function(&self, name: &str) -> &Function {
        self.program.functions.iter().find(|f| f.name == name).expect("the test's function is known")
    }
    /// The instructions of reachable blocks, in block order.
    pub fn insts(&self, name: &str) -> Vec<&Inst> {
        let body = self.body(name);
        let mut seen = IdVec::<BlockId, bool>::filled(false, body.blocks.len());
        let mut stack = vec![body.entry];
        while let Some(b) = stack.pop() {
            if !std::mem::replace(&mut seen[b], true) {
                stack.extend(body.blocks[b].term.successors());
            }
        }
        let reached = body.blocks.enumerate().filter(|(id, _)| seen[*id]);
        reached.flat_map(|(_, b)| b.insts.iter().map(|i| &body.insts[*i])).collect()
    }
    pub fn ty(&self, f: &str, op: Operand) -> TypeId {
        self.program.operand_type(self.body(f), op)
    }
    /// Callee names (`*` for a pointer), argument types and result type of the calls of a function.
    pub fn calls(&self, name: &str) -> Vec<(String, Vec<String>, String)> {
        let show = |ty| self.program.types.show(ty);
        let calls = self.insts(name).into_iter().filter_map(|i| match &i.kind {
            InstKind::Call { callee, args } => {
                let who = match callee {
                    Callee::Direct(id) => self.program.functions[*id].name.clone(),
                    Callee::Indirect(_) => "*".into(),
                };
                Some((who, args.iter().map(|a| show(self.ty(name, *a))).collect(), show(i.ty)))
            }
            _ => None,
        });
        calls.collect()
    }
    pub fn count(&self, name: &str, what: impl Fn(&InstKind) -> bool) -> usize {
        self.insts(name).iter().filter(|i| what(&i.kind)).count()
    }
    /// What the function returns, if it is the same constant everywhere.
    pub fn constant(&self, name: &str) -> Option<i128> {
        let body = self.body(name);
        let mut value = None;
        for block in &body.blocks {
            match &block.term {
                Terminator::Return(Some(Operand::Int(v, _) | Operand::Float(v, _))) => value = Some(v.value()),
                Terminator::Return(Some(_)) => return None,
                _ => {}
            }
        }
        value
    }
}

pub(super) fn strings(list: &[&str]) -> Vec<String> {
    list.iter().map(ToString::to_string).collect()
}

/// The constant that an expression of type `ty` folds to.
fn folded(ty: &str, e: &str) -> Option<i128> {
    lower(&format!("{ty} f(void) {{ return {e}; }}")).constant("f")
}

#[test]
fn markers_of_types_are_constants() {
    assert_eq!(folded("int", "__fc_types_compatible(sizeof(int), sizeof(const int))"), Some(1));
    assert_eq!(folded("int", "__fc_types_compatible(sizeof(int), sizeof(unsigned))"), Some(0));
    assert_eq!(folded("int", "__fc_types_compatible(sizeof(int[]), sizeof(int[3]))"), Some(1));
    assert_eq!(folded("int", "__fc_types_compatible(sizeof(char *), sizeof(const char *))"), Some(0));
    assert_eq!(folded("unsigned long", "__fc_alignof(*(short *)0)"), Some(2));
    let l = lower("int x __attribute__((aligned(32))); unsigned long f(void) { return __fc_alignof(x); }");
    assert_eq!(l.constant("f"), Some(32));
}

#[test]
fn bits_of_constants_fold() {
    for (e, value) in [
        ("__builtin_clz(16)", 27),
        ("__builtin_clzl(1)", 63),
        ("__builtin_ctzll(1ull << 40)", 40),
        ("__builtin_popcount(-1)", 32),
        ("__builtin_popcountll(-1)", 64),
        ("__builtin_parity(7)", 1),
        ("__builtin_ffs(0)", 0),
        ("__builtin_ffs(8)", 4),
        ("__builtin_clrsb(-1)", 31),
        ("__builtin_clzg(0u, 99)", 99),
        ("__builtin_clzg((unsigned char)1)", 7),
        ("__builtin_bswap32(0x01020304) == 0x04030201", 1),
        ("__builtin_bswap16(0x1234) == 0x3412", 1),
        ("__builtin_bswap64(1) == 1ull << 56", 1),
        ("__builtin_rotateleft32(0x80000001u, 1) == 3", 1),
        ("__builtin_rotateright8(1, 1) == 0x80", 1),
        ("__builtin_rotateleft16(0x1234, 0) == 0x1234", 1),
        ("__builtin_bitreverse8(1) == 0x80", 1),
        ("__builtin_bitreverse32(0x00000003) == 0xc0000000u", 1),
        ("__builtin_add_overflow_p(2147483647, 1, 0)", 1),
        ("__builtin_add_overflow_p(2147483647, 1, 0ll)", 0),
        ("__builtin_sub_overflow_p(0, 1, 0u)", 1),
        ("__builtin_mul_overflow_p(16, 16, (unsigned char)0)", 1),
    ] {
        assert_eq!(folded("int", e), Some(value), "{e}");
    }
    // The carry comes out of either addition.
    let carry = |c: i32, a: &str, b: &str| {
        let text =
            format!("unsigned long long s; int f(void) {{ return __builtin_ia32_addcarryx_u64({c}, {a}, {b}, &s); }}");
        lower(&text).constant("f")
    };
    assert_eq!(carry(0, "-1", "0"), Some(0));
    assert_eq!(carry(1, "-1", "0"), Some(1));
    assert_eq!(carry(2, "-1", "-1"), Some(1));
    assert_eq!(carry(0, "5", "6"), Some(0));
    // Not defined for zero: left to the machine.
    assert_eq!(folded("int", "__builtin_clz(0)"), None);
}

#[test]
fn compile_time_questions_fold_and_evaluate_nothing() {
    for (e, value) in [
        ("__builtin_constant_p(3)", 1),
        ("__builtin_constant_p(\"text\")", 1),
        ("__builtin_constant_p(1.5)", 1),
        ("__builtin_constant_p(g)", 0),
        ("__builtin_constant_p(g++)", 0),
        ("__builtin_constant_p((g = 1, 2))", 0),
        ("__builtin_choose_expr(1, 2, g++)", 2),
        ("__builtin_choose_expr(0, \"text\", 7)", 7),
        ("__builtin_object_size(&g, 0) == (unsigned long)-1", 1),
        ("__builtin_object_size(&g, 2)", 0),
        ("__builtin_classify_type(g++)", 1),
        ("__builtin_classify_type(&g)", 5),
        ("__builtin_classify_type(1.0f)", 8),
        ("__builtin_expect(5, 1)", 5),
        ("__atomic_always_lock_free(4, 0)", 1),
        ("__atomic_always_lock_free(16, 0)", 0),
        ("__builtin_LINE()", 1),
    ] {
        let l = lower(&format!("int g; int f(void) {{ return {e}; }}"));
        assert_eq!(l.constant("f"), Some(value), "{e}");
        assert_eq!(l.count("f", |k| matches!(k, InstKind::Store { addr: Operand::Global(_), .. })), 0, "{e}");
    }
    // The chosen side is an lvalue still.
    let l = lower("int a, b; void f(void) { __builtin_choose_expr(1, a, b) = 3; }");
    assert_eq!(
        l.count("f", |k| matches!(k, InstKind::Store { addr: Operand::Global(g), .. }
        if l.program.globals[*g].name == "a")),
        1
    );
}

#[test]
fn floating_constants_and_tests() {
    let bits = |v: f64| i128::from(v.to_bits());
    assert_eq!(folded("double", "__builtin_inf()"), Some(bits(f64::INFINITY)));
    assert_eq!(folded("double", "__builtin_huge_val()"), Some(bits(f64::INFINITY)));
    assert_eq!(folded("float", "__builtin_inff()"), Some(i128::from(f32::INFINITY.to_bits())));
    assert_eq!(folded("double", "__builtin_nan(\"\")"), Some(0x7ff8_0000_0000_0000));
    assert_eq!(folded("double", "__builtin_nan(\"0x2a\")"), Some(0x7ff8_0000_0000_002a));
    assert_eq!(folded("double", "__builtin_nans(\"\")"), Some(0x7ff4_0000_0000_0000));
    assert_eq!(folded("float", "__builtin_nanf(\"1\")"), Some(0x7fc0_0001));
    let nan = "__builtin_nan(\"\")";
    let inf = "__builtin_inf()";
    for (e, value) in [
        (format!("__builtin_isnan({nan})"), 1),
        (format!("__builtin_isnan({inf})"), 0),
        (format!("__builtin_isinf(-{inf})"), 1),
        (format!("__builtin_isinf_sign(-{inf})"), -1),
        (format!("__builtin_isfinite({nan})"), 0),
        (format!("__builtin_isfinite({inf})"), 0),
        ("__builtin_isfinite(1.0)".into(), 1),
        ("__builtin_isnormal(2.2250738585072014e-308)".into(), 1),
        ("__builtin_isnormal(2.2250738585072009e-308)".into(), 0),
        ("__builtin_isnormal(0.0)".into(), 0),
        ("__builtin_isnormal(1.17549435e-38f)".into(), 1),
        ("__builtin_isnormal(1.17549421e-38f)".into(), 0),
        ("__builtin_isnormal(3.4e-4932L)".into(), 1),
        ("__builtin_isnormal(3.3e-4932L)".into(), 0),
        ("__builtin_signbit(-0.0)".into(), 1),
        ("__builtin_signbitf(-1.0f)".into(), 1),
        ("__builtin_signbitl(-0.0L)".into(), 1),
        ("__builtin_signbit(0.0)".into(), 0),
        ("__builtin_isgreater(2, 1.0)".into(), 1),
        (format!("__builtin_isless({nan}, 1.0)"), 0),
        (format!("__builtin_isunordered({nan}, 1.0)"), 1),
        (format!("__builtin_islessgreater({nan}, 1.0)"), 0),
        (format!("__builtin_fpclassify(1, 2, 3, 4, 5, {nan})"), 1),
        (format!("__builtin_fpclassify(1, 2, 3, 4, 5, -{inf})"), 2),
        ("__builtin_fpclassify(1, 2, 3, 4, 5, 1.0)".into(), 3),
        ("__builtin_fpclassify(1, 2, 3, 4, 5, 1e-310)".into(), 4),
        ("__builtin_fpclassify(1, 2, 3, 4, 5, -0.0)".into(), 5),
    ] {
        assert_eq!(folded("int", &e), Some(value), "{e}");
    }
    // The argument of a test is evaluated once.
    let l = lower("double g(void); int f(void) { return __builtin_isinf(g()) + __builtin_isnormal(g()); }");
    assert_eq!(l.calls("f").len(), 2);
    assert_eq!(fold::float_nan(&DataModel::lp64(), FloatKind::Float).bits(), 0x7fc0_0000);
}

#[test]
fn overflow_is_exact_in_the_operands_own_types() {
    let l = lower(
        "_Bool f(int a, unsigned long b, short *r) { return __builtin_add_overflow(a, b, r); }
         _Bool g(char a, long *r) { return __builtin_saddl_overflow(a, 5, r); }",
    );
    let overflows = |f: &str| {
        let found = l.insts(f).into_iter().find_map(|i| match &i.kind {
            InstKind::Intrinsic(Intrinsic::Overflows(op, ty), args) => {
                Some((*op, *ty, args.iter().map(|a| l.ty(f, *a)).collect::<Vec<_>>(), i.ty))
            }
            _ => None,
        });
        found.expect("the overflow is computed")
    };
    let short = Types::int(IntKind::Short);
    let ulong = Types::int(IntKind::ULong);
    let long = Types::int(IntKind::Long);
    assert_eq!(overflows("f"), (BinOp::Add, short, vec![Types::INT, ulong], Types::INT));
    assert_eq!(overflows("g"), (BinOp::Add, long, vec![long, long], Types::INT));
    // The sum wraps: it is computed unsigned and stored as the result's type.
    assert_eq!(l.count("f", |k| matches!(k, InstKind::Store { access, .. } if access.ty == short)), 1);
    let sum = l.insts("f").into_iter().find(|i| matches!(i.kind, InstKind::Binary(BinOp::Add, ..)));
    assert_eq!(sum.map(|i| i.ty), Some(Types::int(IntKind::UShort)));
}

#[test]
fn library_functions_have_their_types() {
    let l = lower(
        "float f(float x) { return __builtin_fabsf(x); }
         void g(char *d, const char *s) { __builtin_memcpy(d, s, 3); __builtin___memcpy_chk(d, s, 4, 5); }
         int h(char *d) { return __builtin___snprintf_chk(d, 10, 1, 20, \"%d\", 'x'); }
         int own(long); int k(void) { return __builtin_own(1); }",
    );
    assert_eq!(l.calls("f"), [("fabsf".to_string(), strings(&["float"]), "float".to_string())]);
    let memcpy = ("memcpy".to_string(), strings(&["void *", "const void *", "unsigned long"]), "void *".to_string());
    assert_eq!(l.calls("g"), [memcpy.clone(), memcpy]);
    assert_eq!(l.calls("h")[0].0, "snprintf");
    assert_eq!(l.calls("h")[0].1, strings(&["char *", "unsigned long", "const char *", "int"]));
    assert_eq!(l.calls("k"), [("own".to_string(), strings(&["long"]), "int".to_string())]);
    assert!(l.warnings.is_empty() && l.program.assumptions.is_empty());
}

#[test]
fn a_later_declaration_agrees_with_a_builtin_used_before() {
    let l = lower(
        "typedef struct _IO_FILE FILE;
         void f(void *p) { __builtin_fprintf(p, \"x\"); __builtin_memset(p, 0, 1); __builtin_exit(1); }
         extern int fprintf(FILE *, const char *, ...); extern void *memset(void *, int, unsigned long);
         extern void exit(int) __attribute__((noreturn));",
    );
    assert_eq!(l.program.functions.iter().filter(|f| f.name == "fprintf").count(), 1);
    assert!(l.function("exit").noreturn);
}

#[test]
fn the_wrappers_of_headers_call_the_real_function() {
    let l = lower(
        "extern void *memset(void *, int, unsigned long);
         extern inline __attribute__((gnu_inline)) void *memset(void *p, int c, unsigned long n) {
             return __builtin___memset_chk(p, c, n, __builtin_object_size(p, 0));
         }
         void f(void *p) { memset(p, 0, 1); }",
    );
    let called = |f: &str| {
        l.insts(f).into_iter().find_map(|i| match i.kind {
            InstKind::Call { callee: Callee::Direct(id), .. } => Some(&l.program.functions[id]),
            _ => None,
        })
    };
    let wrapper = called("f").expect("f calls");
    assert!(wrapper.body.is_some() && wrapper.linkage == Linkage::Internal);
    let real = called("memset").expect("the wrapper calls");
    assert!(real.name == "memset" && real.body.is_none() && real.linkage == Linkage::External);
}

#[test]
fn unknown_builtins_are_stand_ins_of_the_type_around_them() {
    let l = lower(
        "long f(long x) { return (long)__builtin_frobnicate(x, 2); }
         void g(double *p) { *p = __builtin_frobnicate(); __builtin_frobnicate(p); }",
    );
    let types = |f: &str| -> Vec<String> {
        let all = l.insts(f).into_iter().filter(|i| matches!(i.kind, InstKind::StandIn { .. }));
        all.map(|i| l.program.types.show(i.ty)).collect()
    };
    assert_eq!(types("f"), ["long"]);
    assert_eq!(types("g"), ["double", "int"]);
    assert_eq!(l.program.assumptions.len(), 3);
    assert!(l.program.assumptions.iter().all(|a| a.kind == AssumptionKind::UnknownFunction));
    // Handed-on arguments depend on what was passed.
    let pack = lower("int g(int, ...); int f(int n, ...) { return g(n, __builtin_va_arg_pack()); }");
    assert_eq!(pack.count("f", |k| matches!(k, InstKind::VaStart(_))), 1);
    assert_eq!(pack.count("f", |k| matches!(k, InstKind::StandIn { operands, .. } if operands.len() == 1)), 1);
    assert!(error_of("void f(void) { __builtin_apply_args(); }").contains("not supported"));
}

#[test]
fn variable_arguments_and_alloca() {
    let l = lower(
        "typedef __builtin_va_list va_list;
         int f(int n, ...) {
             va_list a, b;
             __builtin_va_start(a, n);
             __builtin_va_copy(b, a);
             __builtin_va_end(a);
             __builtin_va_end(b);
             char *p = __builtin_alloca(n), *q = alloca(10);
             return p == q;
         }",
    );
    assert_eq!(l.count("f", |k| matches!(k, InstKind::VaStart(_))), 1);
    assert_eq!(l.count("f", |k| matches!(k, InstKind::VaCopy { .. })), 1);
    assert_eq!(l.count("f", |k| matches!(k, InstKind::VaEnd(_))), 2);
    let sizes: Vec<TypeId> = l
        .insts("f")
        .into_iter()
        .filter_map(|i| match i.kind {
            InstKind::Alloca { size, .. } => Some(l.ty("f", size)),
            _ => None,
        })
        .collect();
    assert_eq!(sizes, [Types::int(IntKind::ULong); 2]);
    assert!(l.calls("f").is_empty());
}

#[test]
fn arguments_are_evaluated_once() {
    let l = lower(
        "int e(void); int *p; int order(void);
         int f(void) { return __sync_fetch_and_add(p++, e()); }
         int g(void) { return __atomic_compare_exchange_n(p++, p + 1, e(), order(), order(), order()); }
         long h(void) { return __builtin_expect(e(), e()); }
         _Bool k(void) { return __builtin_add_overflow(e(), e(), p++); }
         void m(void) { __builtin_prefetch(p++); __builtin_assume(p++); }",
    );
    let steps = |f: &str| l.count(f, |k| matches!(k, InstKind::Store { addr: Operand::Global(_), .. }));
    assert_eq!((l.calls("f").len(), steps("f")), (1, 1));
    assert_eq!((l.calls("g").len(), steps("g")), (4, 1));
    assert_eq!(l.calls("h").len(), 2);
    assert_eq!((l.calls("k").len(), steps("k")), (2, 1));
    assert_eq!(steps("m"), 1);
}

#[test]
fn atomics_are_loads_and_stores_of_the_pointees_type() {
    let l = lower(
        "int add(short *p) { return __sync_fetch_and_add(p, 1); }
         int nand(int *p) { return __atomic_nand_fetch(p, 6, 5); }
         char *move(char **p) { return __atomic_add_fetch(p, 3, 0); }
         _Bool cas(long *p) { return __sync_bool_compare_and_swap(p, 1, 2); }
         _Bool set(void *p) { return __atomic_test_and_set(p, 0); }
         struct P { int a, b; };
         void copy(struct P *p, struct P *q) { __atomic_load(p, q, 0); }
         _Bool swap(struct P *p, struct P *q, struct P *r) { return __atomic_compare_exchange(p, q, r, 0, 5, 5); }
         unsigned sized(void *p) { return __atomic_load_4(p, 5); }
         void fence(void) { __sync_synchronize(); __atomic_thread_fence(5); }
         void release(int *p) { __sync_lock_release(p); }",
    );
    let atomic = |f: &str| -> Vec<(bool, String)> {
        let all = l.insts(f).into_iter().filter_map(|i| match &i.kind {
            InstKind::Load { access, .. } if access.atomic => Some((false, l.program.types.show(access.ty))),
            InstKind::Store { access, .. } if access.atomic => Some((true, l.program.types.show(access.ty))),
            _ => None,
        });
        all.collect()
    };
    let update = |ty: &str| vec![(false, ty.to_string()), (true, ty.to_string())];
    assert_eq!(atomic("add"), update("short"));
    assert_eq!(atomic("nand"), update("int"));
    assert_eq!(l.count("nand", |k| matches!(k, InstKind::Unary(UnOp::Not, _))), 1);
    assert_eq!(atomic("move"), update("char *"));
    assert_eq!(l.count("move", |k| matches!(k, InstKind::PtrAdd { stride: 1, .. })), 1);
    assert_eq!(atomic("cas"), update("long"));
    assert_eq!(l.body("cas").blocks.iter().filter(|b| matches!(b.term, Terminator::Branch { .. })).count(), 1);
    assert_eq!(atomic("set"), update("unsigned char"));
    assert_eq!(atomic("copy"), [(false, "struct P".to_string())]);
    assert_eq!(atomic("swap"), update("struct P"));
    assert_eq!(atomic("sized"), [(false, "unsigned int".to_string())]);
    assert!(atomic("fence").is_empty());
    assert_eq!(atomic("release"), [(true, "int".to_string())]);
}

#[test]
fn vectors_are_shuffled_by_masks() {
    let l = lower(
        "typedef int v4 __attribute__((vector_size(16))); typedef float f4 __attribute__((vector_size(16)));
         v4 f(v4 a, v4 m) { return __builtin_shuffle(a, m); }
         v4 g(v4 a, v4 b) { return __builtin_shufflevector(a, b, 0, 4, 1, -1); }
         f4 h(v4 a) { return __fc_convertvector(a, sizeof(f4)); }
         int k(v4 a) { return __builtin_ia32_vec_ext_v4si(a, 2); }
         v4 m(v4 a) { return __builtin_ia32_psrldi128(a, 3); }
         v4 n(v4 a) { return __builtin_ia32_pshufd(a, 0x1b); }
         v4 o(v4 a, v4 b) { return __builtin_ia32_punpckhdq128(a, b); }
         v4 p(v4 a) { return __builtin_ia32_pslldqi128(a, 32); }
         v4 q(v4 a, int by) { return __builtin_ia32_pshufd(a, by); }",
    );
    // The constants stored into the mask, in order of the lanes.
    let mask = |f: &str| -> Vec<i128> {
        let all = l.insts(f).into_iter().filter_map(|i| match i.kind {
            InstKind::Store { value: Operand::Int(v, _), .. } => Some(v.value()),
            _ => None,
        });
        all.collect()
    };
    assert_eq!(mask("n"), [3, 2, 1, 0]);
    assert_eq!(mask("o"), [2, 6, 3, 7]);
    // Four bytes of zeros come in below; numbers wrap at 32.
    let bytes: Vec<i128> = mask("p").into_iter().map(|n| n % 32).collect();
    assert_eq!(bytes[..4].iter().filter(|n| **n >= 16).count(), 4);
    assert_eq!(bytes[4..], (0..12).collect::<Vec<_>>());
    assert_eq!(mask("q"), []);
    let operands = |f: &str| {
        l.insts(f).into_iter().find_map(|i| match &i.kind {
            InstKind::Intrinsic(Intrinsic::Shuffle, args) => Some((args.len(), l.program.types.show(i.ty))),
            _ => None,
        })
    };
    assert_eq!(operands("f"), Some((2, "int __vector(4)".to_string())));
    assert_eq!(operands("g"), Some((3, "int __vector(4)".to_string())));
    assert_eq!(l.count("h", |k| matches!(k, InstKind::Intrinsic(Intrinsic::ConvertVector, _))), 1);
    assert_eq!(l.count("k", |k| matches!(k, InstKind::PtrAdd { stride: 4, .. })), 1);
    let shift = l.insts("m").into_iter().find(|i| matches!(i.kind, InstKind::Binary(BinOp::Shr, ..)));
    assert_eq!(shift.map(|i| l.program.types.show(i.ty)), Some("unsigned int __vector(4)".to_string()));
    assert!(l.program.assumptions.is_empty());
}
