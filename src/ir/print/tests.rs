//! Tests of the printers: small programs built by hand.

use std::path::PathBuf;

use super::super::sample::{Sample, counting, int};
use super::super::*;
use super::*;
use crate::source::{Location, Place};

fn show(place: Place) -> String {
    format!("f{}.c:{}", place.unit.0, place.start)
}

/// The text with runs of spaces as one.
fn squeezed(text: &str) -> Vec<String> {
    text.lines().map(|l| l.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_loop_in_text() {
    let program = counting().program;
    let lines = squeezed(&text(&program, &show));
    for expected in [
        "f0 external int @sum(int) { ; f0.c:10",
        "l1 total: int align 4 ; f0.c:40",
        "loop0: header bb1, blocks bb1 bb2",
        "bb0: ; entry",
        "v0: int = param 0 ; p0 f0.c:30",
        "jump bb1 ; f0.c:10",
        "bb1: ; from bb0 bb2, loop0 depth 1",
        "v1: int = phi [bb0: 0, bb2: v3] ; p0 f0.c:80",
        "v2: int = lt v1, v0 ; f0.c:90",
        "branch v2, bb2, bb3 ; f0.c:50",
        "v3: int = add v1, 1 ; f0.c:100",
        "v4: store int v1, l1 ; total f0.c:110",
        "v5: int = load l1 ; total f0.c:120",
        "return v5 ; f0.c:70",
    ] {
        assert!(lines.iter().any(|l| l == expected), "{expected:?} is not in\n{}", lines.join("\n"));
    }
}

#[test]
fn every_instruction_has_one_line() {
    let program = counting().program;
    let body = program.functions[FuncId(0)].body.as_ref().expect("defined");
    let all = text(&program, &show);
    for id in body.insts.ids() {
        let start = format!("  {id}: ");
        assert_eq!(all.lines().filter(|l| l.starts_with(&start)).count(), 1);
    }
    assert_eq!(all, text(&program, &show));
    assert!(all.contains(&function(&program, &Names::new(&program), FuncId(0), &show)));
}

#[test]
fn types_and_globals() {
    let mut s = Sample::new(0);
    s.record("never_mentioned", &[("x", Types::INT)]);
    let (node, ty) = s.opaque("node");
    let next = s.pointer(ty);
    s.complete(node, &[("value", Types::INT), ("next", next)]);
    s.program.types.records[node].members[0].bits = Some(Bits { offset: 3, width: 5 });
    let color = s.enumeration("color", &[("RED", 0), ("BLUE", 7)]);
    s.global("head", next, Linkage::External, GlobalDef::Declared);
    s.global("shade", color, Linkage::Internal, GlobalDef::Tentative);
    let text_id = s.literal(".str0", "say \"hi\"\n\\");
    let number = |bytes: &[u8]| GlobalDef::Defined(Initializer { items: vec![(0, InitItem::Bytes(bytes.to_vec()))] });
    s.global("minus_two", Types::INT, Linkage::External, number(&[0xfe, 0xff, 0xff, 0xff]));
    s.global("many", Types::UINT, Linkage::External, number(&[0xfe, 0xff, 0xff, 0xff]));
    let table = Initializer {
        items: vec![
            (0, InitItem::Address { target: InitTarget::Global(text_id), addend: 4 }),
            (8, InitItem::Bytes(vec![1, 2, 0, 0])),
        ],
    };
    s.global("table", ty, Linkage::External, GlobalDef::Defined(table));
    let lines = squeezed(&text(&s.program, &show));
    for expected in [
        "struct node size 16 align 8 {",
        "+0 bits 3+5 int value",
        "+8 struct node *next",
        "enum color: unsigned int { RED = 0, BLUE = 7 }",
        "g0 external @head: struct node * align 8 declared ; f0.c:10",
        "g1 internal @shade: enum color align 4 tentative ; f0.c:20",
        r#"g2 internal @.str0: char [11] align 1 = { +0 "say \"hi\"\n\\\x00" } ; f0.c:30"#,
        "g3 external @minus_two: int align 4 = -2 ; f0.c:40",
        "g4 external @many: unsigned int align 4 = 4294967294 ; f0.c:50",
        "g5 external @table: struct node align 8 = { +0 @.str0 + 4, +8 bytes 01 02 00 00 } ; f0.c:60",
    ] {
        assert!(lines.iter().any(|l| l == expected), "{expected:?} is not in\n{}", lines.join("\n"));
    }
    assert!(!lines.iter().any(|l| l.contains("never_mentioned")));
}

#[test]
fn names_that_are_not_unique_show_their_id() {
    let mut s = Sample::new(0);
    s.global("count", Types::INT, Linkage::Internal, GlobalDef::Tentative);
    s.global("count", Types::INT, Linkage::Internal, GlobalDef::Tentative);
    s.global("alone", Types::INT, Linkage::Internal, GlobalDef::Tentative);
    let names = Names::new(&s.program);
    assert_eq!(names.global(GlobalId(0)), "@count#g0");
    assert_eq!(names.global(GlobalId(1)), "@count#g1");
    assert_eq!(names.global(GlobalId(2)), "@alone");
}

/// One function with one instruction, as text without its comment.
fn shown(ty: TypeId, make: impl FnOnce(&mut Sample) -> InstKind) -> String {
    let mut s = Sample::new(0);
    let fty = s.function_type(Types::VOID, &[]);
    let f = s.declare("f", fty, Linkage::External);
    let kind = make(&mut s);
    let mut b = s.body(f);
    let v = b.inst(kind, ty);
    b.finish();
    let body = s.program.functions[f].body.as_ref().expect("defined");
    instruction(&s.program, &Names::new(&s.program), body, v)
}

#[test]
fn constants_and_operands() {
    let long = Types::int(IntKind::Long);
    let one = |ty| Operand::Int(Int::new(1), ty);
    let call = |args: Vec<Operand>| InstKind::Call { callee: Callee::Direct(FuncId(0)), args };
    assert_eq!(
        shown(Types::VOID, |_| call(vec![one(Types::INT), one(long), Operand::Function(FuncId(0))])),
        "v0: call @f(1, (long)1, @f)"
    );
    assert_eq!(shown(long, |_| InstKind::Binary(BinOp::Shl, one(long), one(Types::INT))), "v0: long = shl 1, 1");
    let half = Operand::Float(Int::new(i128::from(0.5f64.to_bits())), Types::DOUBLE);
    assert_eq!(shown(Types::DOUBLE, |_| InstKind::Unary(UnOp::Neg, half)), "v0: double = neg 0.5");
    assert_eq!(shown(Types::INT, |_| InstKind::Cast(half)), "v0: int = cast 0.5 from double");
    let most = Operand::Int(Int::new(-1), Types::int(IntKind::UInt128));
    assert_eq!(
        shown(Types::int(IntKind::UInt128), |_| InstKind::Copy(most)),
        format!("v0: unsigned __int128 = copy {}", u128::MAX)
    );
    assert_eq!(
        shown(Types::VOID, |_| InstKind::StandIn { what: "a \"b\"".into(), operands: vec![int(3)] }),
        r#"v0: stand_in "a \"b\""(3)"#
    );
    let volatile = |ty| Access { ty, volatile: true, atomic: false, bits: Some(Bits { offset: 2, width: 3 }) };
    assert_eq!(
        shown(Types::INT, |s| {
            let g = s.global("port", Types::INT, Linkage::External, GlobalDef::Declared);
            InstKind::Load { addr: Operand::Global(g), access: volatile(Types::INT) }
        }),
        "v0: int = load @port bits 2+3 volatile"
    );
    assert_eq!(
        shown(Types::CHAR_PTR, |s| {
            let (record, _) = s.record("node", &[("value", Types::INT), ("", Types::INT)]);
            InstKind::FieldAddr { base: Operand::Label(LabelId(0)), record, field: 1 }
        }),
        "v0: char * = field &&label0, struct node.<1>"
    );
}

#[test]
fn json_holds_what_the_text_holds() {
    let program = counting().program;
    let locate = |place: Place| Location {
        file: PathBuf::from("a \"b\".c"),
        line: place.start,
        column: 1,
        end_line: place.start,
        end_column: 6,
    };
    let value = json(&program, &locate);
    let again: serde_json::Value = serde_json::from_str(&value.to_string()).expect("valid JSON");
    assert_eq!(value, again);
    let function = &value["functions"][0];
    assert_eq!(function["name"], "sum");
    assert_eq!(function["type"], "int (int)");
    let blocks = function["blocks"].as_array().expect("a list");
    assert_eq!(blocks.len(), 4);
    assert_eq!(blocks[1]["predecessors"], serde_json::json!(["bb0", "bb2"]));
    assert_eq!(blocks[1]["loop"], "loop0");
    let add = &blocks[2]["instructions"][0];
    assert_eq!(add["op"], "add");
    assert_eq!(add["operands"], serde_json::json!(["v1", "1"]));
    assert_eq!(add["place"]["file"], "a \"b\".c");
    assert_eq!(add["place"]["line"], 100);
    assert_eq!(blocks[1]["terminator"]["successors"], serde_json::json!(["bb2", "bb3"]));
}
