//! Every check finds what it is for: a sound program is broken in one way, and the error must name it.

use super::{lowered, ssa};
use crate::base::IdVec;
use crate::ir::cfg;
use crate::ir::ssa::construct;
use crate::ir::ssa::tests::build::{Builder, MAIN, OBSERVE, PLACE, int};
use crate::ir::syntax::*;
use crate::ir::types::*;

/// `int main(int p) { int x; x = 3; while (observe()) x = x + 1; switch (x) { case 1: … case 4 ... 9: … } return x; }`
/// with a struct in memory.
fn sample() -> Program {
    let mut b = Builder::new(1);
    let x = b.local("x", Types::INT.into());
    let record = b.types.records.push(Record {
        kind: RecordKind::Struct,
        name: "s".into(),
        members: vec![Member { name: "m".into(), ty: Types::INT.into(), offset: 0, bits: None }],
        size: 4,
        align: 4,
        complete: true,
        transparent: false,
    });
    let record_ty = b.types.intern(Type::Record(record));
    let s = b.local("s", record_ty.into());
    let (head, inside, exit, one, end) = (b.block(), b.block(), b.block(), b.block(), b.block());
    let entry = BlockId(0);
    b.store(entry, x, int(3));
    let pointer = b.types.pointer_to(Types::INT.into());
    let member = b.emit(entry, InstKind::FieldAddr { base: Operand::Local(s), record, field: 0 }, pointer);
    let access = Access { ty: Types::INT, volatile: false, atomic: false, bits: None };
    b.emit(entry, InstKind::Store { addr: member, value: int(0), access }, Types::VOID);
    b.end(entry, Terminator::Jump(head));
    let c = b.observe(head, vec![]);
    b.branch(head, c, inside, exit);
    let old = b.load(inside, x);
    let sum = b.add(inside, old, int(1));
    b.store(inside, x, sum);
    b.end(inside, Terminator::Jump(head));
    let value = b.load(exit, x);
    let cases = vec![Case { low: 4, high: 9, target: end }, Case { low: 1, high: 1, target: one }];
    b.end(exit, Terminator::Switch { value, cases, default: end });
    b.observe(one, vec![value]);
    b.end(one, Terminator::Jump(end));
    let result = b.load(end, x);
    b.end(end, Terminator::Return(Some(result)));
    let mut program = b.finish();
    cfg::clean(program.functions[MAIN].body.as_mut().unwrap());
    program
}

fn body(program: &mut Program) -> &mut Body {
    program.functions[MAIN].body.as_mut().unwrap()
}

/// The first instruction that satisfies the condition.
fn find(program: &mut Program, is: impl Fn(&InstKind) -> bool) -> ValueId {
    body(program).insts.enumerate().find(|(_, i)| is(&i.kind)).expect("the sample has one").0
}

fn kind(program: &mut Program, is: impl Fn(&InstKind) -> bool) -> &mut InstKind {
    let id = find(program, is);
    &mut body(program).insts[id].kind
}

fn term(program: &mut Program, is: impl Fn(&Terminator) -> bool) -> &mut Terminator {
    let blocks = &mut body(program).blocks;
    &mut blocks.iter_mut().find(|b| is(&b.term)).expect("the sample has one").term
}

type Break = fn(&mut Program);

fn breaks(check: fn(&Program) -> Result<(), String>, sample: &Program, cases: &[(&str, Break)]) {
    check(sample).expect("the sample is sound");
    for (expected, damage) in cases {
        let mut program = sample.clone();
        damage(&mut program);
        let error = check(&program).expect_err(expected);
        assert!(error.contains(expected), "{expected:?} is not in {error:?}");
    }
}

fn long(value: i128) -> Operand {
    Operand::Int(Int::new(value), Types::int(IntKind::Long))
}

#[test]
fn the_shape_of_a_lowered_body_is_checked() {
    breaks(
        lowered,
        &sample(),
        &[
            ("is in no block", |p| {
                body(p).blocks[BlockId(0)].insts.pop();
            }),
            ("is in bb0 too", |p| {
                let v = body(p).params[0];
                body(p).blocks[BlockId(1)].insts.push(v);
            }),
            ("the entry has a predecessor", |p| {
                *term(p, |t| matches!(t, Terminator::Return(_))) = Terminator::Jump(BlockId(0));
            }),
            ("not reachable", |p| *term(p, |t| matches!(t, Terminator::Switch { .. })) = Terminator::Return(None)),
            ("bb99 does not exist", |p| {
                *term(p, |t| matches!(t, Terminator::Return(_))) = Terminator::Jump(BlockId(99));
            }),
            ("l99 does not exist", |p| {
                if let InstKind::Load { addr, .. } = kind(p, |k| matches!(k, InstKind::Load { .. })) {
                    *addr = Operand::Local(LocalId(99));
                }
            }),
            ("belongs to SSA form only", |p| {
                *kind(p, |k| matches!(k, InstKind::Binary(..))) = InstKind::Copy(int(1));
            }),
            ("does not dominate", |p| {
                let late = find(p, |k| matches!(k, InstKind::Binary(..)));
                *term(p, |t| matches!(t, Terminator::Return(_))) = Terminator::Return(Some(Operand::Value(late)));
            }),
            ("does not dominate", |p| {
                let own = find(p, |k| matches!(k, InstKind::Binary(..)));
                body(p).insts[own].kind = InstKind::Binary(BinOp::Add, Operand::Value(own), int(1));
            }),
            ("is not at the start of the entry", |p| body(p).blocks[BlockId(0)].insts.swap(0, 1)),
            ("do not have the types of the prototype", |p| {
                let v = body(p).params[0];
                body(p).insts[v].ty = Types::UINT;
                let store = find(p, |k| matches!(k, InstKind::Store { value: Operand::Value(_), .. }));
                body(p).insts[store].kind = InstKind::StandIn { what: "none".into(), operands: Vec::new() };
            }),
            ("label0 is missing", |p| {
                body(p).labels.push(Label { name: "l".into(), block: BlockId(0) });
                let jump = Terminator::IndirectJump { addr: Operand::Label(LabelId(0)), targets: Vec::new() };
                *term(p, |t| matches!(t, Terminator::Return(_))) = jump;
            }),
        ],
    );
}

#[test]
fn the_types_of_a_lowered_body_are_checked() {
    breaks(
        lowered,
        &sample(),
        &[
            ("has type long, not int", |p| {
                *kind(p, |k| matches!(k, InstKind::Binary(..))) = InstKind::Binary(BinOp::Add, long(1), int(1));
            }),
            ("no promoted integer", |p| {
                let narrow = Operand::Int(Int::new(1), Types::CHAR);
                *kind(p, |k| matches!(k, InstKind::Binary(..))) = InstKind::Binary(BinOp::Shl, int(1), narrow);
            }),
            ("has type long, not int", |p| {
                if let InstKind::Store { value, .. } = kind(p, |k| matches!(k, InstKind::Store { .. })) {
                    *value = long(1);
                }
            }),
            ("no pointer", |p| {
                if let InstKind::Store { addr, .. } = kind(p, |k| matches!(k, InstKind::Store { .. })) {
                    *addr = int(1);
                }
            }),
            ("has no member 1", |p| {
                if let InstKind::FieldAddr { field, .. } = kind(p, |k| matches!(k, InstKind::FieldAddr { .. })) {
                    *field = 1;
                }
            }),
            ("is compared with", |p| {
                *kind(p, |k| matches!(k, InstKind::Binary(..))) = InstKind::Compare(CmpOp::Eq, long(1), int(1));
            }),
            ("not long", |p| {
                let base = Operand::Local(LocalId(0));
                *kind(p, |k| matches!(k, InstKind::Binary(..))) = InstKind::PtrAdd { base, index: int(1), stride: 4 };
            }),
            ("is no value of type int", |p| {
                *kind(p, |k| matches!(k, InstKind::Binary(..))) = InstKind::Binary(BinOp::Add, int(1 << 40), int(1));
            }),
            ("has no value", |p| {
                let store = find(p, |k| matches!(k, InstKind::Store { .. }));
                *kind(p, |k| matches!(k, InstKind::Binary(..))) = InstKind::Unary(UnOp::Neg, Operand::Value(store));
            }),
            ("has type long, not int", |p| {
                *term(p, |t| matches!(t, Terminator::Return(_))) = Terminator::Return(Some(long(1)));
            }),
            ("has type long, not int", |p| {
                if let Terminator::Branch { cond, .. } = term(p, |t| matches!(t, Terminator::Branch { .. })) {
                    *cond = long(1);
                }
            }),
            ("cases overlap", |p| {
                if let Terminator::Switch { cases, .. } = term(p, |t| matches!(t, Terminator::Switch { .. })) {
                    (cases[1].low, cases[1].high) = (9, 12);
                }
            }),
            ("is empty", |p| {
                if let Terminator::Switch { cases, .. } = term(p, |t| matches!(t, Terminator::Switch { .. })) {
                    (cases[1].low, cases[1].high) = (3, 2);
                }
            }),
        ],
    );
}

#[test]
fn ssa_form_is_checked() {
    let mut sample = sample();
    construct(&mut sample);
    breaks(
        ssa,
        &sample,
        &[
            ("are not the predecessors", |p| {
                if let InstKind::Phi(args) = kind(p, |k| matches!(k, InstKind::Phi(_))) {
                    args.reverse();
                }
            }),
            ("are not the predecessors", |p| {
                if let InstKind::Phi(args) = kind(p, |k| matches!(k, InstKind::Phi(_))) {
                    args.pop();
                }
            }),
            ("a phi stands after", |p| {
                let header = body(p).loops.loops[crate::base::graph::LoopId(0)].header;
                body(p).blocks[header].insts.rotate_left(1);
            }),
            ("names a promoted local", |p| {
                *kind(p, |k| matches!(k, InstKind::Call { .. })) =
                    InstKind::Call { callee: Callee::Direct(OBSERVE), args: vec![Operand::Local(LocalId(1))] };
            }),
            ("is of no variable", |p| {
                let copy = find(p, |k| matches!(k, InstKind::Copy(_)));
                body(p).insts[copy].var = None;
            }),
            ("is not promoted", |p| body(p).locals[LocalId(1)].promoted = false),
            ("is critical", |p| {
                // The loop's branch leads back to the header, where the loop's end leads too.
                let header = body(p).loops.loops[crate::base::graph::LoopId(0)].header;
                let id = body(p).insts.push(Inst {
                    kind: InstKind::Call { callee: Callee::Direct(OBSERVE), args: Vec::new() },
                    ty: Types::INT,
                    var: None,
                    place: PLACE,
                });
                let latch = body(p).predecessors()[header].last().copied().unwrap();
                let exit =
                    body(p).blocks.push(Block { insts: Vec::new(), term: Terminator::Return(None), term_place: PLACE });
                let block = &mut body(p).blocks[latch];
                block.insts.push(id);
                block.term = Terminator::Branch { cond: Operand::Value(id), then: header, otherwise: exit };
            }),
            ("without a phi", |p| {
                // The value of the header's phi, used behind the loop.
                let header = body(p).loops.loops[crate::base::graph::LoopId(0)].header;
                let phi = body(p).blocks[header].insts[0];
                *term(p, |t| matches!(t, Terminator::Return(_))) = Terminator::Return(Some(Operand::Value(phi)));
            }),
            ("loops are not those", |p| body(p).loops.loops = IdVec::new()),
        ],
    );
}

#[test]
fn initialisers_are_checked() {
    let mut program = sample();
    let addr_ty = program.types.pointer_to(Types::int(IntKind::Long).into());
    let pointer = InitItem::Address { target: InitTarget::Global(GlobalId(0)), addend: 0 };
    let bytes = |n: usize| InitItem::Bytes(vec![1; n]);
    let cases = [
        (None, vec![(0, bytes(2)), (4, bytes(4))]),
        (None, vec![(0, pointer.clone())]),
        (Some("overlaps"), vec![(0, bytes(3)), (2, bytes(1))]),
        (Some("overlaps"), vec![(4, bytes(1)), (0, bytes(1))]),
        (Some("ends at 9"), vec![(1, pointer)]),
        (
            Some("g7 does not exist"),
            vec![(0, InitItem::Address { target: InitTarget::Global(GlobalId(7)), addend: 0 })],
        ),
    ];
    for (expected, items) in cases {
        program.globals = std::iter::once(Global {
            name: "g".into(),
            link_name: None,
            ty: Types::int(IntKind::Long).into(),
            addr_ty,
            align: 8,
            linkage: Linkage::External,
            definition: GlobalDef::Defined(Initializer { items }),
            thread_local: false,
            owner: None,
            place: PLACE,
        })
        .collect();
        match (expected, lowered(&program)) {
            (None, Ok(())) => {}
            (Some(text), Err(error)) if error.contains(text) => {}
            (expected, result) => panic!("{expected:?}: {result:?}"),
        }
    }
}
