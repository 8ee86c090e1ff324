//! Tests of calls and inline assembly: small C programs, and what they must become.

use super::builtins::{Lowered, error_of, lower, strings, try_lower};
use crate::ir::syntax::{Asm, AssumptionKind, InstKind, Operand, Terminator};
use crate::ir::types::Types;
use crate::source::SideTable;

#[test]
fn arguments_become_the_parameters_types_or_are_promoted() {
    let l = lower(
        "void f(double, char, ...); int old();
         struct S { unsigned b : 3; } s;
         void g(int i, float x, short h) { f(i, 300, x, 'a', h, s.b, g); old(x, h); }",
    );
    let calls = l.calls("g");
    assert_eq!(calls[0].1[..6], strings(&["double", "char", "double", "int", "int", "int"]));
    assert_eq!(calls[0].1[6], "void (*)(int, float, short)");
    assert_eq!(calls[1].1, strings(&["double", "int"]));
    // 300 does not fit a char: the argument is the wrapped constant.
    let first = l.insts("g").into_iter().find_map(|i| match &i.kind {
        InstKind::Call { args, .. } => Some(args[1]),
        _ => None,
    });
    assert!(matches!(first, Some(Operand::Int(v, Types::CHAR)) if v.value() == 44));
}

#[test]
fn wrong_numbers_of_arguments_are_errors_with_a_prototype_only() {
    assert!(error_of("int f(int, int); int g(void) { return f(1); }").contains("too few arguments: f takes 2, not 1"));
    assert!(error_of("int f(void); int g(void) { return f(1); }").contains("too many arguments: f takes 0, not 1"));
    assert!(error_of("int f(int, ...); int g(void) { return f(); }").contains("at least 1"));
    assert!(error_of("int g(int x) { return x(1); }").contains("cannot be called"));
    assert_eq!(lower("int f(); int g(void) { return f(1, 2, 3) + f(); }").calls("g").len(), 2);
}

#[test]
fn functions_are_called_directly_and_pointers_indirectly() {
    let l = lower(
        "int h(int);
         int g(int (*fp)(int)) {
             return fp(1) + (*fp)(2) + (**fp)(3) + h(4) + (*h)(5) + (&h)(6) + ((int (*)(long))h)(7);
         }",
    );
    let calls = l.calls("g");
    let callees: Vec<&str> = calls.iter().map(|c| c.0.as_str()).collect();
    assert_eq!(callees, ["*", "*", "*", "h", "h", "h", "*"]);
    assert_eq!(calls[6].1, strings(&["long"]));
}

#[test]
fn undeclared_functions_are_declared_once() {
    let l = lower("int g(char c) { return unknown(c) + unknown(1.0f); } void *m(int n) { return malloc(n); }");
    assert_eq!(l.warnings.len(), 2, "{:?}", l.warnings);
    assert_eq!(l.calls("g").iter().map(|c| c.1.clone()).collect::<Vec<_>>(), [strings(&["int"]), strings(&["double"])]);
    assert_eq!(l.program.types.show(l.function("unknown").ty), "int ()");
    assert_eq!(l.calls("m"), [("malloc".to_string(), strings(&["unsigned long"]), "void *".to_string())]);
}

#[test]
fn a_call_that_does_not_return_ends_its_block() {
    let l = lower(
        "void die(void) __attribute__((noreturn));
         int f(int x) { if (x) die(); return 1; }
         int g(int x) { if (x) __builtin_trap(); return 1; }
         int h(int x) { if (x) __builtin_unreachable(); return 1; }",
    );
    for f in ["f", "g"] {
        let body = l.body(f);
        let block = body
            .blocks
            .iter()
            .find(|b| b.insts.last().is_some_and(|i| matches!(body.insts[*i].kind, InstKind::Call { .. })));
        assert!(matches!(block.map(|b| &b.term), Some(Terminator::Unreachable)), "{f}");
    }
    assert_eq!(l.calls("g")[0].0, "abort");
    assert!(l.calls("h").is_empty());
}

#[test]
fn records_pass_and_return_by_value() {
    let l = lower(
        "struct S { int a, b; }; struct S f(struct S); int g(struct S s) { return f(s).b; }
         union U { int *i; char *c; } __attribute__((transparent_union)); void t(union U); void h(char *p) { t(p); }",
    );
    assert_eq!(l.calls("g"), [("f".to_string(), strings(&["struct S"]), "struct S".to_string())]);
    assert_eq!(l.calls("h")[0].1, strings(&["union U"]));
    let field = l.insts("h").into_iter().find_map(|i| match i.kind {
        InstKind::FieldAddr { field, .. } => Some(field),
        _ => None,
    });
    assert_eq!(field, Some(1));
}

#[test]
fn computed_gotos_share_one_jump() {
    let l = lower(
        "int f(int n) {
             void *p = n ? __fc_label_address(a) : __fc_label_address(b);
             __fc_goto(p);
             a: if (n > 5) __fc_goto(__fc_label_address(b));
             return 1;
             b: return 2;
         }",
    );
    let jumps: Vec<usize> = l
        .body("f")
        .blocks
        .iter()
        .filter_map(|b| match &b.term {
            Terminator::IndirectJump { targets, .. } => Some(targets.len()),
            _ => None,
        })
        .collect();
    assert_eq!(jumps, [2]);
}

fn asm_of<'a>(l: &'a Lowered, f: &str) -> Vec<&'a Asm> {
    let all = l.insts(f).into_iter().filter_map(|i| match &i.kind {
        InstKind::Asm(asm) => Some(&**asm),
        _ => None,
    });
    all.collect()
}

#[test]
fn assembly_reads_its_inputs_and_writes_its_outputs() {
    let l = lower(
        "int *p; int e(void);
         int f(int x, int y) {
             int r;
             __asm__ volatile(\"add %1, %0\" : \"=r\"(r), \"+r\"(*p++) : \"0\"(x), \"m\"(y), \"i\"(3) : \"memory\", \"cc\");
             return r;
         }",
    );
    let asm = asm_of(&l, "f")[0];
    assert_eq!(asm.outputs, ["=r", "+r"]);
    let inputs: Vec<&str> = asm.inputs.iter().map(|(c, _)| c.as_str()).collect();
    assert_eq!(inputs, ["+1", "0", "i"]);
    assert_eq!(asm.memory.len(), 1);
    assert_eq!(asm.clobbers, ["memory", "cc"]);
    assert!(asm.volatile);
    assert_eq!(l.count("f", |k| matches!(k, InstKind::AsmOutput { .. })), 2);
    // The lvalue of the second output is evaluated once.
    assert_eq!(l.count("f", |k| matches!(k, InstKind::Store { addr: Operand::Global(_), .. })), 1);
    assert_eq!(l.program.assumptions.len(), 1);
    assert!(l.program.assumptions[0].text.contains("add %1, %0"));
}

#[test]
fn barriers_are_no_assumption_and_basic_assembly_touches_memory() {
    let l = lower(
        "void f(int x) { __asm__(\"\" ::: \"memory\"); __asm__(\"\" : \"+r\"(x)); }
         void g(void) { __asm__(\"nop\"); }
         void h(int *a) { __asm__(\"x\" : \"=m\"(*a) : \"m\"(*(char (*)[16])a)); }",
    );
    assert_eq!(asm_of(&l, "f").len(), 2);
    assert_eq!(l.count("f", |k| matches!(k, InstKind::AsmOutput { .. })), 1);
    let basic = asm_of(&l, "g")[0];
    assert!(basic.volatile && basic.clobbers == ["memory"]);
    let memory = asm_of(&l, "h")[0];
    assert_eq!((memory.memory.len(), memory.outputs.len()), (2, 0));
    let assumptions: Vec<_> = l.program.assumptions.iter().map(|a| a.kind).collect();
    assert_eq!(assumptions, [AssumptionKind::InlineAsm; 2]);
    assert!(error_of("void f(int x) { __asm__(\"y\" : \"r\"(x)); }").contains("begins with = or +"));
}

#[test]
fn asm_goto_may_take_each_label() {
    let text = "int f(int x) { __asm__ volatile(\"jmp\" : : \"r\"(x)); return 0; a: return 1; b: return 2; }";
    let at = text.find("__asm__").expect("it is there") as u32;
    let side = SideTable { asm_goto: vec![(at, strings(&["a", "b"]))], ..SideTable::default() };
    let l = try_lower(text, &side).expect("the test program lowers");
    assert_eq!(asm_of(&l, "f")[0].labels, ["a", "b"]);
    let cases = l.body("f").blocks.iter().find_map(|b| match &b.term {
        Terminator::Switch { cases, .. } => Some(cases.iter().map(|c| c.low).collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(cases, Some(vec![1, 2]));
    assert_eq!(l.count("f", |k| matches!(k, InstKind::AsmOutput { index: 0, .. })), 1);
}
