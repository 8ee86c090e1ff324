//! Tests of linking: small programs built by hand, as lowering would leave them.

use std::path::PathBuf;

use super::super::sample::{Sample, int};
use super::super::*;
use super::*;
use crate::source::{Label, Place, Severity};

use Linkage::{External, Internal, Weak};

fn link_as(units: Vec<(&str, Sample)>, entry: &[&str]) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let units = units.into_iter().map(|(path, s)| (PathBuf::from(path), s.program)).collect();
    link(units, &Choice { entry: entry.iter().map(|e| (*e).to_string()).collect() })
}

fn link_all(units: Vec<Sample>) -> (Program, Vec<Diagnostic>) {
    link_as(units.into_iter().map(|s| ("x.c", s)).collect(), &[]).expect("links")
}

fn link_quietly(units: Vec<Sample>) -> Program {
    let (program, warnings) = link_all(units);
    assert_eq!(warnings, []);
    program
}

fn names(program: &Program) -> Vec<&str> {
    program.functions.iter().map(|f| f.name.as_str()).collect()
}

fn global_names(program: &Program) -> Vec<&str> {
    program.globals.iter().map(|g| g.name.as_str()).collect()
}

fn callees(program: &Program, f: FuncId) -> Vec<FuncId> {
    let body = program.functions[f].body.as_ref().expect("defined");
    let callee = |inst: &Inst| match inst.kind {
        InstKind::Call { callee: Callee::Direct(f), .. } => Some(f),
        _ => None,
    };
    body.insts.iter().filter_map(callee).collect()
}

fn loaded(program: &Program, f: FuncId) -> Vec<GlobalId> {
    let body = program.functions[f].body.as_ref().expect("defined");
    let addr = |inst: &Inst| match inst.kind {
        InstKind::Load { addr: Operand::Global(g), .. } => Some(g),
        _ => None,
    };
    body.insts.iter().filter_map(addr).collect()
}

fn places(diagnostic: &Diagnostic) -> Vec<Place> {
    diagnostic
        .labels
        .iter()
        .map(|(label, _)| match label {
            Label::Place(place) => *place,
            Label::Location(_) => panic!("linking knows places only"),
        })
        .collect()
}

fn zero() -> GlobalDef {
    GlobalDef::Defined(Initializer::default())
}

/// `struct list { struct list *next; int value; }`, behind some types that another unit does not have.
fn list(sample: &mut Sample, other_types: usize) -> (RecordId, TypeId) {
    for i in 0..other_types {
        sample.record(&format!("other{i}"), &[("x", Types::DOUBLE)]);
    }
    let (id, ty) = sample.opaque("list");
    let next = sample.pointer(ty);
    sample.complete(id, &[("next", next), ("value", Types::INT)]);
    (id, ty)
}

#[test]
fn recursive_structs_of_two_units_are_one_type() {
    let (mut a, mut b) = (Sample::new(0), Sample::new(1));
    for (sample, name, more) in [(&mut a, "head", 0), (&mut b, "tail", 3)] {
        let (_, ty) = list(sample, more);
        let pointer = sample.pointer(ty);
        sample.global(name, pointer, External, zero());
    }
    let program = link_quietly(vec![a, b]);
    let lists = program.types.records.iter().filter(|r| r.name == "list").count();
    assert_eq!(lists, 1);
    assert_eq!(program.globals[GlobalId(0)].ty, program.globals[GlobalId(1)].ty);
    let record = program.types.records.iter().find(|r| r.name == "list").expect("is there");
    let next = program.types.pointee(record.members[0].ty.ty).expect("a pointer").ty;
    assert_eq!(program.types.show(next), "struct list");
    assert_eq!(program.types.pointee(program.globals[GlobalId(0)].ty.ty).expect("a pointer").ty, next);
}

#[test]
fn structs_that_differ_deep_inside_are_two_types() {
    // struct a { struct b *b; }; struct b { struct c *c; }; and c differs in a member's type, not in its shape.
    let unit = |n: u32, last: TypeId| {
        let mut s = Sample::new(n);
        let (_, c) = s.record("c", &[("x", last)]);
        let c = s.pointer(c);
        let (_, b) = s.record("b", &[("c", c)]);
        let b = s.pointer(b);
        let (_, a) = s.record("a", &[("b", b)]);
        s.global(&format!("g{n}"), a, External, zero());
        s
    };
    let long = Types::int(IntKind::Long);
    let program = link_quietly(vec![unit(0, long), unit(1, long)]);
    assert_eq!(program.types.records.len(), 3);
    let program = link_quietly(vec![unit(0, long), unit(1, Types::int(IntKind::ULong)), unit(2, long)]);
    assert_eq!(program.types.records.len(), 6);
    assert_eq!(program.globals[GlobalId(0)].ty, program.globals[GlobalId(2)].ty);
    assert_ne!(program.globals[GlobalId(0)].ty, program.globals[GlobalId(1)].ty);
}

#[test]
fn an_opaque_struct_is_the_one_of_its_tag() {
    let mut a = Sample::new(0);
    let (_, foo) = a.opaque("foo");
    let foo = a.pointer(foo);
    let (_, holder) = a.record("holder", &[("p", foo)]);
    a.global("x", holder, External, zero());
    let mut b = Sample::new(1);
    let (_, foo) = b.record("foo", &[("secret", Types::INT)]);
    let foo = b.pointer(foo);
    let (_, holder) = b.record("holder", &[("p", foo)]);
    b.global("y", holder, External, zero());
    let program = link_quietly(vec![a, b]);
    assert_eq!(program.types.records.len(), 2);
    assert_eq!(program.globals[GlobalId(0)].ty, program.globals[GlobalId(1)].ty);
    assert!(program.types.records.iter().all(|r| r.complete));
}

#[test]
fn an_opaque_struct_with_two_definitions_stays_opaque() {
    let mut a = Sample::new(0);
    let (_, foo) = a.opaque("foo");
    let foo = a.pointer(foo);
    a.global("x", foo, External, zero());
    let mut units = vec![a];
    for (n, ty) in [(1, Types::INT), (2, Types::DOUBLE)] {
        let mut s = Sample::new(n);
        let (_, foo) = s.record("foo", &[("m", ty)]);
        s.global(&format!("y{n}"), foo, External, zero());
        units.push(s);
    }
    let program = link_quietly(units);
    assert_eq!(program.types.records.len(), 3);
    let opaque = program.types.pointee(program.globals[GlobalId(0)].ty.ty).expect("a pointer").ty;
    assert_eq!(program.types.size_of(opaque), None);
}

#[test]
fn untagged_structs_need_the_same_name() {
    let unit = |n: u32, name: &str| {
        let mut s = Sample::new(n);
        let (_, ty) = s.record(name, &[("m", Types::INT)]);
        s.global(&format!("g{n}"), ty, External, zero());
        s
    };
    let program = link_quietly(vec![unit(0, "size"), unit(1, "weight"), unit(2, "size")]);
    assert_eq!(program.types.records.len(), 2);
    assert_eq!(program.globals[GlobalId(0)].ty, program.globals[GlobalId(2)].ty);
}

#[test]
fn calls_go_to_the_definition_in_another_unit_and_unused_declarations_go() {
    let mut a = Sample::new(0);
    let ty = a.function_type(Types::INT, &[]);
    a.declare("never_used", ty, External);
    a.global("never_used_either", Types::INT, External, GlobalDef::Declared);
    let helper = a.declare("helper", ty, External);
    let unknown = a.declare("unknown", ty, External);
    a.defined("main", External, &[helper, unknown], &[]);
    let mut b = Sample::new(1);
    b.global("only_in_b", Types::INT, Internal, zero());
    b.defined("helper", External, &[], &[]);
    let program = link_quietly(vec![a, b]);
    assert_eq!(names(&program), ["unknown", "main", "helper"]);
    assert_eq!(global_names(&program), ["only_in_b"]);
    assert_eq!(callees(&program, FuncId(1)), [FuncId(2), FuncId(0)]);
    assert!(program.functions[FuncId(0)].body.is_none());
}

#[test]
fn same_named_statics_stay_apart() {
    let unit = |n: u32, api: &str| {
        let mut s = Sample::new(n);
        let count = s.global("count", Types::INT, Internal, zero());
        let step = s.defined("step", Internal, &[], &[count]);
        s.defined(api, External, &[step], &[]);
        s
    };
    let program = link_quietly(vec![unit(0, "a"), unit(1, "b")]);
    assert_eq!(names(&program), ["step", "a", "step", "b"]);
    assert_eq!(callees(&program, FuncId(1)), [FuncId(0)]);
    assert_eq!(callees(&program, FuncId(3)), [FuncId(2)]);
    assert_eq!(loaded(&program, FuncId(0)), [GlobalId(0)]);
    assert_eq!(loaded(&program, FuncId(2)), [GlobalId(1)]);
}

#[test]
fn tentative_definitions_merge_and_the_largest_counts() {
    let mut units = Vec::new();
    for (n, length) in [(0, 2), (1, 6), (2, 4)] {
        let mut s = Sample::new(n);
        let ty = s.program.types.array_of(Types::INT.into(), Length::Fixed(length));
        let g = s.global("buffer", ty, External, GlobalDef::Tentative);
        s.defined(&format!("f{n}"), External, &[], &[g]);
        units.push(s);
    }
    let (program, warnings) = link_all(units);
    assert_eq!(global_names(&program), ["buffer"]);
    assert_eq!(program.types.size_of(program.globals[GlobalId(0)].ty.ty), Some(24));
    assert!(matches!(&program.globals[GlobalId(0)].definition, GlobalDef::Defined(init) if init.items.is_empty()));
    // The lengths differ: one warning for the symbol, not one per unit.
    assert_eq!(warnings.len(), 1);
    assert_eq!(warnings[0].severity, Severity::Warning);
    assert!(warnings[0].message.contains("`buffer`"));
    for n in 0..3 {
        assert_eq!(loaded(&program, FuncId(n)), [GlobalId(0)]);
    }
}

#[test]
fn a_definition_beats_a_tentative_one() {
    let mut a = Sample::new(0);
    a.global("x", Types::INT, External, GlobalDef::Tentative);
    let mut b = Sample::new(1);
    let init = Initializer { items: vec![(0, InitItem::Bytes(vec![7, 0, 0, 0]))] };
    b.global("x", Types::INT, External, GlobalDef::Defined(init.clone()));
    let program = link_quietly(vec![a, b]);
    assert_eq!(program.globals.len(), 1);
    assert!(matches!(&program.globals[GlobalId(0)].definition, GlobalDef::Defined(i) if *i == init));
}

#[test]
fn an_extern_array_gets_its_length() {
    let mut a = Sample::new(0);
    let open = a.program.types.array_of(Types::INT.into(), Length::Unknown);
    let table = a.global("table", open, External, GlobalDef::Declared);
    a.defined("f", External, &[], &[table]);
    let mut b = Sample::new(1);
    let closed = b.program.types.array_of(Types::INT.into(), Length::Fixed(9));
    b.global("table", closed, External, zero());
    let program = link_quietly(vec![a, b]);
    let global = &program.globals[GlobalId(0)];
    assert_eq!(program.types.declare(global.ty, "table"), "int table[9]");
    assert_eq!(program.types.pointee(global.addr_ty), Some(global.ty.ty.into()));
}

#[test]
fn a_tentative_array_that_nobody_completes_has_one_element() {
    let mut a = Sample::new(0);
    let open = a.program.types.array_of(Types::INT.into(), Length::Unknown);
    a.global("table", open, External, GlobalDef::Tentative);
    let program = link_quietly(vec![a]);
    assert_eq!(program.types.size_of(program.globals[GlobalId(0)].ty.ty), Some(4));
}

#[test]
fn weak_gives_way_with_its_literals() {
    let mut a = Sample::new(0);
    let text = a.literal(".str0", "weak");
    let hook = a.defined("hook", Weak, &[], &[text]);
    a.defined("main", External, &[hook], &[]);
    let mut b = Sample::new(1);
    b.defined("hook", External, &[], &[]);
    let program = link_quietly(vec![a, b]);
    assert_eq!(names(&program), ["main", "hook"]);
    assert_eq!(callees(&program, FuncId(0)), [FuncId(1)]);
    assert_eq!(program.functions[FuncId(1)].linkage, External);
    assert!(program.globals.is_empty());
}

#[test]
fn two_definitions_are_an_error_at_both_places() {
    let mut a = Sample::new(0);
    let f = a.defined("f", External, &[], &[]);
    let first = a.program.functions[f].place;
    let mut b = Sample::new(1);
    let f = b.defined("f", External, &[], &[]);
    let second = b.program.functions[f].place;
    let errors = link_as(vec![("a.c", a), ("b.c", b)], &[]).expect_err("defined twice");
    assert_eq!(errors.len(), 1);
    assert_eq!(places(&errors[0]), [first, second]);
    assert!(errors[0].message.contains("`f`"));
}

fn program_with_main(n: u32) -> Sample {
    let mut s = Sample::new(n);
    let ty = s.function_type(Types::INT, &[]);
    let work = s.declare("work", ty, External);
    s.defined("main", External, &[work], &[]);
    s
}

#[test]
fn two_mains_are_listed_with_a_way_out() {
    let units = vec![("a.c", program_with_main(0)), ("b.c", program_with_main(1)), ("c.c", program_with_main(2))];
    let errors = link_as(units, &[]).expect_err("three mains");
    assert_eq!(errors.len(), 1);
    assert_eq!(places(&errors[0]).len(), 3);
    assert!(errors[0].notes[0].contains("--entry FILE::main") && errors[0].notes[0].contains("--exclude"));
}

#[test]
fn a_main_can_be_chosen() {
    let units = || vec![("x/a.c", program_with_main(0)), ("x/b.c", program_with_main(1))];
    let (program, _) = link_as(units(), &["b.c::main"]).expect("chosen");
    let linkage: Vec<Linkage> = program.functions.iter().filter(|f| f.name == "main").map(|f| f.linkage).collect();
    assert_eq!(linkage, [Internal, External]);
    let path = |unit: UnitId| PathBuf::from(["x/a.c", "x/b.c"][unit.0 as usize]);
    let choice = |entry: &str| Choice { entry: vec![entry.into()] };
    let chosen = entries(&program, &path, &choice("b.c::main")).expect("is there");
    assert_eq!(program.functions[chosen[0]].place.unit.0, 1);
    assert_eq!(entries(&program, &path, &Choice::default()).expect("is there"), chosen);
    let other = entries(&program, &path, &choice("a.c::main")).expect("is there");
    assert_eq!(program.functions[other[0]].place.unit.0, 0);

    let errors = link_as(units(), &["z.c::main"]).expect_err("no such file");
    assert!(errors.iter().any(|e| e.message.contains("no file `z.c`") && e.notes.iter().any(|n| n.contains("x/a.c"))));
    assert!(errors.iter().any(|e| e.message.contains("defined 2 times")));
}

#[test]
fn entries_of_a_library_and_unknown_names() {
    let mut a = Sample::new(0);
    a.defined("init", External, &[], &[]);
    a.defined("hidden", Internal, &[], &[]);
    a.defined("finish", Weak, &[], &[]);
    let program = link_quietly(vec![a]);
    let path = |_| PathBuf::from("lib.c");
    let with = |entry: &[&str]| {
        let entry = entry.iter().map(|e| (*e).to_string()).collect();
        entries(&program, &path, &Choice { entry })
    };
    assert_eq!(with(&[]).expect("a library"), [FuncId(0), FuncId(2)]);
    assert_eq!(with(&["hidden", "init", "init"]).expect("all there"), [FuncId(1), FuncId(0)]);
    let error = with(&["finnish"]).expect_err("not there");
    assert!(format!("{error:?}").contains("`finish`"));
    assert!(with(&["lib.c::nothing"]).is_err());
    assert!(with(&["other.c::init"]).is_err());
}

#[test]
fn a_function_and_a_variable_of_one_name() {
    let mut a = Sample::new(0);
    let f = a.defined("index", External, &[], &[]);
    let there = a.program.functions[f].place;
    let mut b = Sample::new(1);
    let g = b.global("index", Types::INT, External, GlobalDef::Declared);
    let here = b.program.globals[g].place;
    b.defined("user", External, &[], &[g]);
    let errors = link_as(vec![("a.c", a), ("b.c", b)], &[]).expect_err("clash");
    assert_eq!(places(&errors[0]), [there, here]);

    // A library function that a header declares and nothing uses does not clash with a variable.
    let mut a = Sample::new(0);
    let ty = a.function_type(Types::INT, &[]);
    a.declare("index", ty, External);
    let mut b = Sample::new(1);
    b.global("index", Types::INT, External, zero());
    assert_eq!(global_names(&link_quietly(vec![a, b])), ["index"]);
}

/// Links a unit that uses `f` of the first type with one that defines it with the second.
fn declared_and_defined(
    declared: impl Fn(&mut Sample) -> TypeId,
    defined: impl Fn(&mut Sample) -> TypeId,
) -> Vec<Diagnostic> {
    let mut a = Sample::new(0);
    let ty = declared(&mut a);
    let f = a.declare("f", ty, External);
    a.defined("main", External, &[f], &[]);
    let mut b = Sample::new(1);
    let ty = defined(&mut b);
    let f = b.declare("f", ty, External);
    b.define(f, &[], &[]);
    link_all(vec![a, b]).1
}

#[test]
fn declarations_that_do_not_agree_are_one_warning() {
    let warnings = declared_and_defined(
        |s| s.function_type(Types::VOID, &[Types::INT]),
        |s| s.function_type(Types::VOID, &[Types::CHAR_PTR]),
    );
    assert_eq!(warnings.len(), 1);
    assert_eq!(places(&warnings[0]).iter().map(|p| p.unit.0).collect::<Vec<_>>(), [1, 0]);
    assert_eq!(warnings[0].labels[0].1, "`void f(char *)` here");
    assert_eq!(warnings[0].labels[1].1, "`void f(int)` here");
    let warnings = declared_and_defined(|s| s.open_function_type(Types::INT), |s| s.open_function_type(Types::VOID));
    assert_eq!(warnings.len(), 1);
}

#[test]
fn compatible_declarations_are_no_warning() {
    let none = declared_and_defined(
        |s| s.open_function_type(Types::INT),
        |s| s.function_type(Types::INT, &[Types::CHAR_PTR, Types::DOUBLE]),
    );
    assert_eq!(none, []);
    let color = |s: &mut Sample| s.enumeration("color", &[("RED", 0), ("GREEN", 1)]);
    let none = declared_and_defined(
        |s| s.function_type(Types::INT, &[Types::UINT]),
        |s| {
            let color = color(s);
            s.function_type(Types::INT, &[color])
        },
    );
    assert_eq!(none, []);
    // int f(c) char c; {…} with its prototype int f(int).
    let none = declared_and_defined(
        |s| s.function_type(Types::INT, &[Types::INT]),
        |s| {
            let ty = FunctionType { result: Types::INT, params: vec![Types::CHAR], variadic: false, prototype: false };
            s.program.types.intern(Type::Function(ty))
        },
    );
    assert_eq!(none, []);
}

#[test]
fn a_struct_that_differs_is_named_once() {
    let unit = |n: u32, member: TypeId, define: bool| {
        let mut s = Sample::new(n);
        let (_, ty) = s.record("state", &[("m", member)]);
        let pointer = s.pointer(ty);
        let ty = s.function_type(Types::INT, &[pointer]);
        let functions: Vec<FuncId> = ["f", "g"].iter().map(|name| s.declare(name, ty, External)).collect();
        if define {
            for f in functions {
                s.define(f, &[], &[]);
            }
        } else {
            s.defined("main", External, &functions, &[]);
        }
        s
    };
    let (_, warnings) = link_all(vec![unit(0, Types::INT, false), unit(1, Types::DOUBLE, true)]);
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].message.contains("`struct state`"));
}

#[test]
fn an_alias_is_its_target() {
    let mut a = Sample::new(0);
    let target = a.defined("implementation", Internal, &[], &[]);
    let ty = a.program.functions[target].ty;
    let alias = a.declare("api", ty, External);
    a.program.functions[alias].alias = Some("implementation".into());
    let real = a.global("real", Types::INT, Internal, zero());
    a.global("other_name", Types::INT, External, GlobalDef::Alias("real".into()));
    let mut b = Sample::new(1);
    let ty = b.function_type(Types::INT, &[]);
    let api = b.declare("api", ty, External);
    let other = b.global("other_name", Types::INT, External, GlobalDef::Declared);
    b.defined("main", External, &[api], &[other]);
    let program = link_quietly(vec![a, b]);
    assert_eq!(names(&program), ["implementation", "main"]);
    assert_eq!(global_names(&program), ["real"]);
    assert_eq!(callees(&program, FuncId(1)), [FuncId(0)]);
    assert_eq!(loaded(&program, FuncId(1)), [GlobalId(real.0)]);
    // Others can call it, by its alias.
    assert_eq!(program.functions[FuncId(0)].linkage, External);
}

#[test]
fn an_alias_means_its_own_units_weak_definition() {
    let mut a = Sample::new(0);
    let weak = a.defined("weak_one", Weak, &[], &[]);
    let ty = a.program.functions[weak].ty;
    let alias = a.declare("fallback", ty, External);
    a.program.functions[alias].alias = Some("weak_one".into());
    a.defined("main", External, &[alias, weak], &[]);
    let mut b = Sample::new(1);
    b.defined("weak_one", External, &[], &[]);
    let program = link_quietly(vec![a, b]);
    assert_eq!(names(&program), ["weak_one", "main", "weak_one"]);
    assert_eq!(callees(&program, FuncId(1)), [FuncId(0), FuncId(2)]);
}

#[test]
fn aliases_that_lead_nowhere_are_errors() {
    let mut a = Sample::new(0);
    let ty = a.function_type(Types::INT, &[]);
    for (name, target) in [("x", "y"), ("y", "x"), ("z", "absent")] {
        let f = a.declare(name, ty, External);
        a.program.functions[f].alias = Some(target.into());
    }
    let errors = link_as(vec![("a.c", a)], &[]).expect_err("no target");
    assert_eq!(errors.len(), 3);
}

#[test]
fn link_names_decide() {
    let mut a = Sample::new(0);
    let ty = a.function_type(Types::INT, &[]);
    let scan = a.declare("scanf", ty, External);
    a.program.functions[scan].link_name = Some("__isoc99_scanf".into());
    a.defined("main", External, &[scan], &[]);
    let mut b = Sample::new(1);
    b.defined("__isoc99_scanf", External, &[], &[]);
    let program = link_quietly(vec![a, b]);
    assert_eq!(names(&program), ["main", "__isoc99_scanf"]);
    assert_eq!(callees(&program, FuncId(0)), [FuncId(1)]);
}

#[test]
fn everything_in_a_body_is_renumbered() {
    let mut first = Sample::new(0);
    first.record("only_in_a", &[("x", Types::DOUBLE)]);
    first.defined("first", External, &[], &[]);
    let mut second = Sample::new(1);
    let (record, ty) = list(&mut second, 2);
    let pointer = second.pointer(ty);
    let next = second.program.types.records[record].members[0].ty.ty;
    let field = second.pointer(next);
    let fty = second.function_type(pointer, &[pointer]);
    let f = second.declare("walk", fty, External);
    let table = second.global(
        "table",
        pointer,
        Internal,
        GlobalDef::Defined(Initializer {
            items: vec![(0, InitItem::Address { target: InitTarget::Function(f), addend: 0 })],
        }),
    );
    let mut body = second.body(f);
    let p = Operand::Value(body.body.params[0]);
    let addr = body.inst(InstKind::FieldAddr { base: p, record, field: 0 }, field);
    let loaded = body.load(Operand::Value(addr), next);
    body.store(Operand::Global(table), Operand::Int(Int::new(0), pointer), pointer);
    body.inst(InstKind::Intrinsic(Intrinsic::Overflows(BinOp::Add, next), vec![int(1), int(2)]), Types::INT);
    body.inst(InstKind::Call { callee: Callee::Indirect(Operand::Function(f)), args: vec![p] }, pointer);
    body.end(Terminator::Return(Some(Operand::Value(loaded))));
    body.finish();
    let program = link_quietly(vec![first, second]);
    let f = FuncId(1);
    let function = &program.functions[f];
    let show = |ty| program.types.show(ty);
    assert_eq!(show(function.ty), "struct list *(struct list *)");
    assert_eq!(show(function.addr_ty), "struct list *(*)(struct list *)");
    let body = function.body.as_ref().expect("defined");
    assert_eq!(show(body.locals[LocalId(0)].ty.ty), "struct list *");
    let kinds: Vec<&InstKind> = body.insts.iter().map(|i| &i.kind).collect();
    assert_eq!(show(body.insts[ValueId(0)].ty), "struct list *");
    assert!(matches!(kinds[1], InstKind::FieldAddr { record, .. } if program.types.records[*record].name == "list"));
    assert_eq!(show(body.insts[ValueId(1)].ty), "struct list **");
    assert!(matches!(kinds[2], InstKind::Load { access, .. } if show(access.ty) == "struct list *"));
    assert!(matches!(kinds[3], InstKind::Store { addr: Operand::Global(g), value: Operand::Int(_, ty), access }
        if program.globals[*g].name == "table" && show(*ty) == "struct list *" && show(access.ty) == "struct list *"));
    assert!(matches!(kinds[4], InstKind::Intrinsic(Intrinsic::Overflows(_, ty), _) if show(*ty) == "struct list *"));
    assert!(matches!(kinds[5], InstKind::Call { callee: Callee::Indirect(Operand::Function(g)), .. } if *g == f));
    let GlobalDef::Defined(init) = &program.globals[GlobalId(0)].definition else { panic!("defined") };
    assert!(matches!(init.items[0].1, InitItem::Address { target: InitTarget::Function(g), .. } if g == f));
}

#[test]
fn constructors_and_assumptions_in_order_and_once() {
    let mut units = Vec::new();
    for n in 0..2 {
        let mut s = Sample::new(n);
        let name = format!("setup{n}");
        let f = s.defined(&name, Internal, &[], &[]);
        s.program.constructors.push(f);
        let place = Some(s.place());
        let assumption = Assumption { kind: AssumptionKind::InlineAsm, text: "asm".into(), place };
        s.program.assumptions = vec![assumption.clone(), assumption];
        units.push(s);
    }
    let program = link_quietly(units);
    assert_eq!(program.constructors, [FuncId(0), FuncId(1)]);
    assert_eq!(program.assumptions.len(), 2);
}

#[test]
fn an_undefined_function_takes_its_best_declaration() {
    let mut a = Sample::new(0);
    let ty = a.open_function_type(Types::INT);
    let f = a.declare("quit", ty, External);
    a.defined("main", External, &[f], &[]);
    let mut b = Sample::new(1);
    let ty = b.function_type(Types::INT, &[Types::INT]);
    let f = b.declare("quit", ty, External);
    b.program.functions[f].noreturn = true;
    b.defined("other", External, &[f], &[]);
    let program = link_quietly(vec![a, b]);
    let quit = program.functions.iter().find(|f| f.name == "quit").expect("used");
    assert_eq!(program.types.declare(quit.ty.into(), "quit"), "int quit(int)");
    assert!(quit.noreturn);
}

#[test]
fn nothing_to_link() {
    assert!(link(Vec::new(), &Choice::default()).is_err());
}

#[test]
fn many_units_with_the_same_headers_share_their_types() {
    let units: Vec<Sample> = (0..200)
        .map(|n| {
            let mut s = Sample::new(n);
            let mut last = Types::INT;
            for i in 0..100 {
                let (_, ty) = s.record(&format!("s{i}"), &[("a", last), ("b", Types::CHAR_PTR)]);
                last = s.pointer(ty);
                let fty = s.function_type(Types::INT, &[last]);
                s.declare(&format!("header{i}"), fty, External);
            }
            s.global(&format!("g{n}"), last, External, zero());
            s
        })
        .collect();
    let program = link_quietly(units);
    assert_eq!(program.types.records.len(), 100);
    assert_eq!(program.globals.len(), 200);
    assert!(program.functions.is_empty());
}
