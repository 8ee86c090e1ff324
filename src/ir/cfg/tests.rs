//! What cleaning and splitting do, case by case. That they keep the meaning of random bodies is tested with SSA construction.

use super::{clean, graph, split_critical_edges};
use crate::ir::ssa::tests::build::{Builder, MAIN, int};
use crate::ir::syntax::*;
use crate::ir::types::Types;
use crate::ir::verify;

fn cleaned(b: Builder) -> Body {
    let mut program = b.finish();
    clean(program.functions[MAIN].body.as_mut().unwrap());
    verify::lowered(&program).unwrap();
    program.functions[MAIN].body.take().unwrap()
}

/// How often each argument of `observe` is a constant, in the order of the blocks.
fn shown(body: &Body) -> Vec<i128> {
    let insts = body.blocks.iter().flat_map(|b| &b.insts);
    let constant = |v: &ValueId| match &body.insts[*v].kind {
        InstKind::Call { args, .. } => match args[..] {
            [Operand::Int(value, _)] => Some(value.value()),
            _ => None,
        },
        _ => None,
    };
    insts.filter_map(constant).collect()
}

#[test]
fn the_dead_side_of_a_constant_branch_vanishes() {
    for (cond, expected) in [(0, [10, 3]), (7, [20, 3])] {
        let mut b = Builder::new(0);
        let (then, otherwise, end) = (b.block(), b.block(), b.block());
        b.observe(otherwise, vec![int(10)]);
        b.observe(then, vec![int(20)]);
        b.observe(end, vec![int(3)]);
        b.branch(BlockId(0), int(cond), then, otherwise);
        b.end(then, Terminator::Jump(end));
        b.end(otherwise, Terminator::Jump(end));
        b.end(end, Terminator::Return(None));
        let body = cleaned(b);
        assert_eq!(shown(&body), expected);
        assert_eq!(body.blocks.len(), 3);
        assert_eq!(body.insts.len(), 2);
    }
}

#[test]
fn a_constant_switch_goes_to_its_case() {
    let unsigned = Types::int(crate::ir::types::IntKind::UInt128);
    let top = i128::MIN; // 2^127
    for (value, ty, expected) in [
        (-3, Types::INT, 1),
        (5, Types::INT, 2),
        (9, Types::INT, 2),
        (10, Types::INT, 0),
        (4, Types::INT, 0),
        (top + 1, unsigned, 3),
        (100, unsigned, 3),
        (10, unsigned, 0),
    ] {
        let mut b = Builder::new(0);
        let blocks: Vec<BlockId> = (0..4).map(|_| b.block()).collect();
        for (i, block) in blocks.iter().enumerate() {
            b.observe(*block, vec![int(i as i128)]);
            b.end(*block, Terminator::Return(None));
        }
        let case = |low, high, way: usize| Case { low, high, target: blocks[way] };
        let cases = if ty == unsigned { vec![case(100, top + 7, 3)] } else { vec![case(-3, -3, 1), case(5, 9, 2)] };
        let value = Operand::Int(Int::new(value), ty);
        b.end(BlockId(0), Terminator::Switch { value, cases, default: blocks[0] });
        assert_eq!(shown(&cleaned(b)), [expected]);
    }
}

#[test]
fn ways_that_agree_are_a_jump() {
    let mut b = Builder::new(0);
    let (mid, end) = (b.block(), b.block());
    let c = b.observe(BlockId(0), vec![]);
    b.branch(BlockId(0), c, mid, mid);
    let cases = vec![Case { low: 1, high: 1, target: end }];
    b.end(mid, Terminator::Switch { value: c, cases, default: end });
    b.end(end, Terminator::Return(None));
    let body = cleaned(b);
    assert!(body.blocks.iter().take(2).all(|b| matches!(b.term, Terminator::Jump(_))));
}

/// `L: observe(p); goto L;` as the first statement.
#[test]
fn an_entry_that_is_jumped_to_gets_a_fresh_one_with_the_parameters() {
    let mut b = Builder::new(2);
    let p = b.load(BlockId(0), LocalId(1));
    b.observe(BlockId(0), vec![p]);
    b.end(BlockId(0), Terminator::Jump(BlockId(0)));
    let body = cleaned(b);
    assert_eq!(body.entry, BlockId(0));
    assert_eq!(body.blocks[BlockId(0)].insts, body.params);
    assert_eq!(graph(&body).successors(BlockId(1)), [BlockId(1)]);
}

#[test]
fn blocks_are_in_reverse_postorder_and_instructions_in_that_of_blocks() {
    let mut b = Builder::new(0);
    let (last, first, unreached) = (b.block(), b.block(), b.block());
    let v = b.observe(first, vec![int(1)]);
    b.observe(last, vec![v]);
    b.observe(unreached, vec![int(9)]);
    b.end(BlockId(0), Terminator::Jump(first));
    b.end(first, Terminator::Jump(last));
    b.end(last, Terminator::Return(Some(v)));
    b.end(unreached, Terminator::Jump(last));
    let body = cleaned(b);
    let order: Vec<Vec<u32>> = body.blocks.iter().map(|b| b.insts.iter().map(|v| v.0).collect()).collect();
    assert_eq!(order, [vec![], vec![0], vec![1]]);
    assert!(matches!(body.blocks[BlockId(2)].term, Terminator::Return(Some(Operand::Value(ValueId(0))))));
}

/// The address of a label is taken. A computed goto keeps its block; without one the block goes and the label stays.
#[test]
fn labels_stay_valid() {
    for with_goto in [true, false] {
        let mut b = Builder::new(0);
        let at = b.block();
        b.observe(at, vec![int(5)]);
        b.end(at, Terminator::Return(None));
        let label = b.body.labels.push(Label { name: "l".into(), block: at });
        let target = Terminator::IndirectJump { addr: Operand::Label(label), targets: vec![(label, at)] };
        b.end(BlockId(0), if with_goto { target } else { Terminator::Return(None) });
        let body = cleaned(b);
        assert_eq!(body.labels.len(), 1);
        let expected = if with_goto { BlockId(1) } else { body.entry };
        assert_eq!(body.labels[label].block, expected);
        assert_eq!(body.blocks.len(), if with_goto { 2 } else { 1 });
    }
}

/// Several cases that lead to one block share the block on their edge; an edge that is not critical is left alone.
#[test]
fn cases_share_the_block_of_their_edge() {
    let mut b = Builder::new(0);
    let (other, join) = (b.block(), b.block());
    let c = b.observe(BlockId(0), vec![]);
    let case = |n, target| Case { low: n, high: n, target };
    let cases = vec![case(1, join), case(2, other), case(3, join)];
    b.end(BlockId(0), Terminator::Switch { value: c, cases, default: join });
    b.end(other, Terminator::Jump(join));
    b.end(join, Terminator::Return(None));
    let mut body = cleaned(b);
    split_critical_edges(&mut body);
    assert_eq!(body.blocks.len(), 4);
    let Terminator::Switch { cases, default, .. } = &body.blocks[BlockId(0)].term else { panic!() };
    assert_eq!(cases[0].target, cases[2].target);
    assert_eq!(cases[0].target, *default);
    assert!(matches!(body.blocks[*default].term, Terminator::Jump(_)));
    assert!(matches!(body.blocks[cases[1].target].term, Terminator::Jump(_)));
    assert!(body.predecessors().enumerate().all(|(_, preds)| preds.len() <= 2));
}
