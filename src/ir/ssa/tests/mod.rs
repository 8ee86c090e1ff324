//! SSA form executes as lowered form does, on random bodies and on the cases where construction is delicate.

pub(in crate::ir) mod build;
pub(in crate::ir) mod run;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::construct;
use crate::ir::cfg;
use crate::ir::syntax::*;
use crate::ir::types::*;
use crate::ir::verify;
use build::{Builder, MAIN, OBSERVE, Use, int, random};
use run::run;

fn main_body(program: &Program) -> &Body {
    program.functions[MAIN].body.as_ref().expect("main is defined")
}

/// Cleans, checks, constructs and checks; the runs before and after must agree.
fn through(mut program: Program) -> Result<Program, String> {
    let traces = |p: &Program| (0..8).map(|seed| run(main_body(p), seed)).collect::<Vec<_>>();
    let first = traces(&program);
    cfg::clean(program.functions[MAIN].body.as_mut().expect("main is defined"));
    verify::lowered(&program)?;
    if traces(&program) != first {
        return Err("cleaning changed what the program does".into());
    }
    construct(&mut program);
    verify::ssa(&program)?;
    if traces(&program) != first {
        return Err("SSA construction changed what the program does".into());
    }
    Ok(program)
}

/// Phis and `Uninit`s that no other instruction needs.
fn needless(body: &Body) -> Vec<ValueId> {
    let is_join = |v: ValueId| matches!(body.insts[v].kind, InstKind::Phi(_) | InstKind::Uninit);
    let mut needed = vec![false; body.insts.len()];
    let mut work = Vec::new();
    let mut need = |op: &Operand, work: &mut Vec<ValueId>| {
        if let Operand::Value(v) = op
            && !std::mem::replace(&mut needed[v.0 as usize], true)
        {
            work.push(*v);
        }
    };
    for (id, inst) in body.insts.enumerate() {
        if !is_join(id) {
            inst.kind.for_each_operand(|op| need(op, &mut work));
        }
    }
    body.blocks.iter().filter_map(|b| b.term.operand()).for_each(|op| need(op, &mut work));
    while let Some(v) = work.pop() {
        if is_join(v) {
            body.insts[v].kind.for_each_operand(|op| need(op, &mut work));
        }
    }
    body.insts.ids().filter(|v| is_join(*v) && !needed[v.0 as usize]).collect()
}

fn sound(seed: u64, size: usize, structured: bool) -> Result<(), TestCaseError> {
    let (program, uses) = random(seed, size, structured);
    let program = through(program).map_err(TestCaseError::fail)?;
    let body = main_body(&program);
    prop_assert_eq!(needless(body), []);
    let mut uninits: Vec<LocalId> =
        body.insts.iter().filter(|i| matches!(i.kind, InstKind::Uninit)).filter_map(|i| i.var).collect();
    let count = uninits.len();
    uninits.sort_unstable();
    uninits.dedup();
    prop_assert_eq!(uninits.len(), count, "one Uninit per variable");
    for (local, used) in body.locals.iter().zip(uses) {
        match used {
            Use::Plain => prop_assert!(local.promoted, "{} is plain", local.name),
            Use::Volatile => prop_assert!(!local.promoted, "{} is volatile", local.name),
            // Only if the offending use is reachable.
            Use::Escapes | Use::Pun => {}
        }
    }
    Ok(())
}

fn config() -> ProptestConfig {
    ProptestConfig { cases: 3000, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn jumbled_bodies_keep_their_meaning(seed in any::<u64>(), size in 1usize..16) {
        sound(seed, size, false)?;
    }

    #[test]
    fn structured_bodies_keep_their_meaning(seed in any::<u64>(), size in 1usize..24) {
        sound(seed, size, true)?;
    }
}

fn phis(body: &Body, block: BlockId) -> Vec<&Inst> {
    let insts = body.blocks[block].insts.iter().map(|v| &body.insts[*v]);
    insts.take_while(|i| matches!(i.kind, InstKind::Phi(_))).collect()
}

/// `while (c) x = x + 1; observe(x);`
#[test]
fn a_loop_gets_a_header_phi_and_an_exit_phi() {
    let mut b = Builder::new(0);
    let x = b.local("x", Types::INT.into());
    let (head, inside, exit) = (b.block(), b.block(), b.block());
    b.store(BlockId(0), x, int(3));
    b.end(BlockId(0), Terminator::Jump(head));
    let c = b.observe(head, vec![]);
    b.branch(head, c, inside, exit);
    let old = b.load(inside, x);
    let sum = b.add(inside, old, int(1));
    b.store(inside, x, sum);
    b.end(inside, Terminator::Jump(head));
    let last = b.load(exit, x);
    b.observe(exit, vec![last]);
    b.end(exit, Terminator::Return(None));
    let program = through(b.finish()).unwrap();
    let body = main_body(&program);
    assert_eq!(body.loops.loops.len(), 1);
    let l = body.loops.loops.iter().next().unwrap();
    let at_header = phis(body, l.header);
    assert_eq!(at_header.len(), 1);
    assert_eq!(at_header[0].var, Some(x));
    let exits: Vec<BlockId> = body.blocks.ids().filter(|b| *b > l.header && !l.nodes.contains(b)).collect();
    let closing: Vec<&Inst> = exits.iter().flat_map(|b| phis(body, *b)).collect();
    assert_eq!(closing.len(), 1);
    assert_eq!(closing[0].var, Some(x));
    assert!(!body.insts.iter().any(|i| matches!(i.kind, InstKind::Load { .. } | InstKind::Store { .. })));
    let copies = body.insts.iter().filter(|i| matches!(i.kind, InstKind::Copy(_)) && i.var == Some(x)).count();
    assert_eq!(copies, 2);
    assert!(!body.insts.iter().any(|i| matches!(i.kind, InstKind::Uninit)));
}

/// The two exits of a loop meet behind it: the closing phis meet in a phi there, and a value that is no variable's has none.
#[test]
fn exits_that_meet_join_the_closed_values() {
    let mut b = Builder::new(0);
    let (head, inside, end) = (b.block(), b.block(), b.block());
    b.end(BlockId(0), Terminator::Jump(head));
    let v = b.observe(head, vec![]);
    b.branch(head, v, inside, end);
    let c = b.observe(inside, vec![]);
    b.branch(inside, c, head, end);
    b.observe(end, vec![v]);
    b.end(end, Terminator::Return(None));
    let program = through(b.finish()).unwrap();
    let body = main_body(&program);
    let joins: Vec<&Inst> = body.insts.iter().filter(|i| matches!(i.kind, InstKind::Phi(_))).collect();
    let mut operands: Vec<usize> =
        joins.iter().map(|i| if let InstKind::Phi(args) = &i.kind { args.len() } else { 0 }).collect();
    operands.sort_unstable();
    assert_eq!(operands, [1, 1, 2]);
    assert!(joins.iter().all(|i| i.var.is_none()));
}

/// `int x; if (p) x = 1; if (p) observe(x);`
#[test]
fn a_variable_that_may_be_uninitialised_gets_one_uninit() {
    let mut b = Builder::new(1);
    let x = b.local("x", Types::INT.into());
    let y = b.local("y", Types::INT.into());
    let (set, mid, show, end) = (b.block(), b.block(), b.block(), b.block());
    let p = b.load(BlockId(0), LocalId(0));
    // A load whose value nobody uses needs no version.
    b.load(BlockId(0), y);
    b.branch(BlockId(0), p, set, mid);
    b.store(set, x, int(1));
    b.end(set, Terminator::Jump(mid));
    b.branch(mid, p, show, end);
    let value = b.load(show, x);
    b.observe(show, vec![value]);
    b.end(show, Terminator::Jump(end));
    b.end(end, Terminator::Return(None));
    let program = through(b.finish()).unwrap();
    let body = main_body(&program);
    let uninits: Vec<_> = body.insts.iter().filter(|i| matches!(i.kind, InstKind::Uninit)).map(|i| i.var).collect();
    assert_eq!(uninits, [Some(x)]);
}

#[test]
fn every_kind_of_scalar_is_promoted_and_no_aggregate() {
    let mut b = Builder::new(0);
    let complex = b.types.intern(Type::Complex(FloatKind::Double));
    let vector = b.types.intern(Type::Vector { element: Types::INT, lanes: 4 });
    let array = b.types.array_of(Types::INT.into(), Length::Fixed(4));
    let enumeration =
        b.types.enums.push(Enum { name: "e".into(), underlying: IntKind::UInt, constants: Vec::new(), complete: true });
    let enumeration = b.types.intern(Type::Enum(enumeration));
    let record = b.types.records.push(Record {
        kind: RecordKind::Struct,
        name: "s".into(),
        members: Vec::new(),
        size: 4,
        align: 4,
        complete: true,
        transparent: false,
    });
    let record = b.types.intern(Type::Record(record));
    let scalars = [Types::BOOL, Types::CHAR, Types::DOUBLE, Types::VOID_PTR, complex, vector, enumeration];
    for ty in scalars.into_iter().chain([array, record]) {
        let l = b.local("x", ty.into());
        let value = b.load(BlockId(0), l);
        b.store(BlockId(0), l, value);
    }
    let atomic = b.local("a", QualType { ty: Types::INT, quals: Quals::ATOMIC });
    b.load(BlockId(0), atomic);
    b.end(BlockId(0), Terminator::Return(None));
    let mut program = b.finish();
    verify::lowered(&program).unwrap();
    construct(&mut program);
    verify::ssa(&program).unwrap();
    let promoted: Vec<bool> = main_body(&program).locals.iter().map(|l| l.promoted).collect();
    assert_eq!(promoted, [vec![true; scalars.len()], vec![false; 3]].concat());
}

/// After `longjmp` memory is what counts: a function that calls `setjmp` keeps its locals there, and only such a function.
#[test]
fn locals_stay_in_memory_where_a_call_returns_twice() {
    for (address_taken, indirect, expected) in [(false, false, false), (false, true, true), (true, true, false)] {
        let mut b = Builder::new(0);
        let x = b.local("x", Types::INT.into());
        b.store(BlockId(0), x, int(1));
        let pointer = Types::VOID_PTR;
        let p = b.local("p", pointer.into());
        if address_taken {
            let address = b.emit(BlockId(0), InstKind::Cast(Operand::Function(OBSERVE)), pointer);
            b.store(BlockId(0), p, address);
        }
        let ty = b.types.intern(Type::Function(FunctionType {
            result: Types::INT,
            params: Vec::new(),
            variadic: false,
            prototype: false,
        }));
        let pointer = b.types.pointer_to(ty.into());
        let callee = if indirect {
            let address = b.load(BlockId(0), p);
            Callee::Indirect(b.emit(BlockId(0), InstKind::Cast(address), pointer))
        } else {
            Callee::Direct(OBSERVE)
        };
        b.emit(BlockId(0), InstKind::Call { callee, args: Vec::new() }, Types::INT);
        b.end(BlockId(0), Terminator::Return(None));
        let mut program = b.finish();
        program.functions[OBSERVE].returns_twice = true;
        verify::lowered(&program).unwrap();
        construct(&mut program);
        verify::ssa(&program).unwrap();
        assert_eq!(main_body(&program).locals[x].promoted, expected, "{address_taken} {indirect}");
    }
}

/// A chain of 40,000 blocks that all jump to one end, with a variable written in each, inside a loop: neither stack nor time.
#[test]
fn large_bodies_are_no_problem() {
    let n = 40_000;
    let mut b = Builder::new(1);
    let x = b.local("x", Types::INT.into());
    let blocks: Vec<BlockId> = (0..n).map(|_| b.block()).collect();
    let end = b.block();
    b.end(BlockId(0), Terminator::Jump(blocks[0]));
    for (i, &block) in blocks.iter().enumerate() {
        let value = b.load(block, x);
        let sum = b.add(block, value, int(1));
        b.store(block, x, sum);
        let cond = b.load(block, LocalId(0));
        let next = if i % 10 == 9 { blocks[i - 9] } else { end };
        b.branch(block, cond, blocks.get(i + 1).copied().unwrap_or(blocks[0]), next);
    }
    let value = b.load(end, x);
    b.observe(end, vec![value]);
    b.end(end, Terminator::Return(None));
    let program = through(b.finish()).unwrap();
    // The outer loop and the first inner one have the same header, hence are one.
    assert_eq!(main_body(&program).loops.loops.len(), n / 10);
}
