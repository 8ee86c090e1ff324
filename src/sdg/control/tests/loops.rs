//! Loop moves against runs that number the iterations, and against searches.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::build::body;
use super::{config, shapes};
use crate::base::graph::LoopId;
use crate::base::id::Id;
use crate::ir::{BlockId, Body, InstKind, Operand, ValueId};
use crate::sdg::control::moves::{flow_moves, homes, value_moves};
use crate::sdg::control::{Controller, FunctionControl, LoopMove, RegionId, Step, Termination, User};

/// A run of blocks, with the number of the iteration of each loop at each of them.
fn run(body: &Body, plans: &[usize]) -> Vec<(BlockId, Vec<u32>)> {
    let mut iteration = vec![0u32; body.loops.loops.len()];
    let mut next = 0;
    let mut at = body.entry;
    let mut seen = Vec::new();
    for plan in plans {
        seen.push((at, iteration.clone()));
        let to = body.blocks[at].term.successors();
        if to.is_empty() {
            break;
        }
        let to = to[plan % to.len()];
        for l in body.loops.around(to) {
            if !body.loops.contains(l, at) || body.loops.loops[l].header == to {
                next += 1;
                iteration[l.index()] = next;
            }
        }
        at = to;
    }
    seen
}

/// Whether a move says which iterations two instances share.
fn fits(body: &Body, moved: LoopMove, from: &(BlockId, Vec<u32>), to: &(BlockId, Vec<u32>)) -> bool {
    body.loops.loops.ids().all(|l| {
        let (a, b) = (body.loops.contains(l, from.0), body.loops.contains(l, to.0));
        let expected = match (a, b) {
            (true, true) if from.1[l.index()] == to.1[l.index()] => Step::Stays,
            (true, true) => Step::Carried,
            (true, false) => Step::Leaves,
            (false, true) => Step::Enters,
            (false, false) => Step::Apart,
        };
        moved.step(&body.loops, l, from.0, to.0) == expected
    })
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn values_move_as_they_do_in_runs(shape in shapes(), plans in prop::collection::vec(0usize..4, 40)) {
        let (body, _) = body(&shape);
        let home = homes(&body);
        let seen = run(&body, &plans);
        // When each value was last computed.
        let mut computed: Vec<Option<usize>> = vec![None; body.insts.len()];
        for (now, instance) in seen.iter().enumerate() {
            let block = &body.blocks[instance.0];
            let check = |value: ValueId, user: User, moved: Option<LoopMove>, computed: &[Option<usize>]| {
                let moves = value_moves(&body, &home, value, user);
                let at = &seen[computed[value.index()].expect("a definition comes first")];
                let fitting = moves.iter().filter(|m| fits(&body, **m, at, instance)).count();
                prop_assert!(fitting >= 1, "{:?} to {:?}: {:?}", value, user, moves);
                if let Some(moved) = moved {
                    prop_assert!(moves.contains(&moved) && fits(&body, moved, at, instance));
                } else {
                    prop_assert_eq!(moves.len(), 1);
                }
                Ok(())
            };
            let mut phis = Vec::new();
            for &inst in &block.insts {
                if let InstKind::Phi(args) = &body.insts[inst].kind {
                    let pred = seen[now - 1].0;
                    let (_, taken) = args.iter().find(|a| a.0 == pred).expect("an operand for each predecessor");
                    if let Operand::Value(value) = taken {
                        let moved = LoopMove::to_phi(&body.loops, home[*value], pred, instance.0);
                        check(*value, User::Inst(inst), Some(moved), &computed)?;
                    }
                    phis.push(inst);
                    continue;
                }
                // All phis of a block happen at once.
                phis.drain(..).for_each(|phi| computed[phi.index()] = Some(now));
                let mut operands = Vec::new();
                body.insts[inst].kind.for_each_operand(|op| operands.push(*op));
                for op in operands {
                    if let Operand::Value(value) = op {
                        check(value, User::Inst(inst), None, &computed)?;
                    }
                }
                computed[inst.index()] = Some(now);
            }
            phis.drain(..).for_each(|phi| computed[phi.index()] = Some(now));
            if let Some(Operand::Value(value)) = block.term.operand() {
                check(*value, User::Term(instance.0), None, &computed)?;
            }
            if let Some(next) = seen.get(now + 1) {
                prop_assert!(fits(&body, LoopMove::along(&body.loops, instance.0, next.0), instance, next));
            }
        }
        for (now, from) in seen.iter().enumerate() {
            for to in &seen[now + 1..] {
                let moves = flow_moves(&body, from.0, to.0, false);
                let fitting = moves.iter().filter(|m| fits(&body, **m, from, to)).count();
                prop_assert!(fitting >= 1, "{:?} to {:?}: {:?} in {:?}", from, to, moves, &shape);
            }
        }
    }
}

/// The regions that follow a region.
fn next(body: &Body, control: &FunctionControl, blocks: &[BlockId], region: RegionId) -> Vec<RegionId> {
    let block = blocks[region.index()];
    if region != control.end(block) {
        return vec![RegionId(region.0 + 1)];
    }
    body.blocks[block].term.successors().into_iter().map(|b| control.start(b)).collect()
}

/// The moves by which `to` is first met from `start`, in loops around `from` and `to`: by the outermost whose header is passed.
fn search(
    body: &Body,
    control: &FunctionControl,
    blocks: &[BlockId],
    from: RegionId,
    start: RegionId,
    to: RegionId,
) -> Vec<LoopMove> {
    let loops = &body.loops;
    let within = LoopMove::within(loops, blocks[from.index()], blocks[to.index()]);
    let around: Vec<LoopId> = std::iter::successors(within.stays, |l| loops.loops[*l].parent).collect();
    // Where a region is met for the first time after passing a header; `around.len()` would be outside all loops.
    let pass = |region: RegionId, so_far: Option<usize>| {
        let starts = |l: &LoopId| control.start(loops.loops[*l].header) == region;
        so_far.max(around.iter().position(starts))
    };
    let mut seen = rustc_hash::FxHashSet::default();
    let mut work = VecDeque::from([(start, pass(start, None))]);
    let mut moves = Vec::new();
    while let Some((region, passed)) = work.pop_front() {
        if !seen.insert((region, passed)) {
            continue;
        }
        if region == to {
            moves.push(passed.map_or(within, |i| LoopMove::carried(loops, around[i])));
            continue;
        }
        work.extend(next(body, control, blocks, region).into_iter().map(|r| (r, pass(r, passed))));
    }
    moves.sort_unstable();
    moves.dedup();
    moves
}

#[test]
fn control_moves_as_ways_do() {
    let mut runner = proptest::test_runner::TestRunner::new(config(3000));
    let counts = std::cell::Cell::new((0u32, 0u32));
    runner
        .run(&shapes(), |shape| {
            let (body, splits) = body(&shape);
            for termination in [Termination::Insensitive, Termination::Sensitive] {
                let control = FunctionControl::new(&body, &splits, termination);
                let mut blocks = vec![body.entry; control.regions().len()];
                for block in body.blocks.ids() {
                    (control.start(block).0..=control.end(block).0).for_each(|r| blocks[r as usize] = block);
                }
                for region in control.regions() {
                    for of_one in control.of(region).chunk_by(|a, b| (a.on, a.branch) == (b.on, b.branch)) {
                        let from = match of_one[0].on {
                            Controller::Entry => continue,
                            Controller::Branch(block) => control.end(block),
                            Controller::Call(call) => control.region_of(call),
                        };
                        let start = next(&body, &control, &blocks, from)[of_one[0].branch as usize];
                        let ways = search(&body, &control, &blocks, from, start, region);
                        let found: Vec<LoopMove> = of_one.iter().map(|d| d.moves).collect();
                        prop_assert!(!ways.is_empty());
                        prop_assert!(
                            ways.iter().all(|m| found.contains(m)),
                            "{} on {:?}: {:?}, found {:?} in {:?}",
                            region,
                            of_one[0],
                            ways,
                            found,
                            &shape
                        );
                        let (exact, loose) = counts.get();
                        counts.set(if ways.len() == found.len() { (exact + 1, loose) } else { (exact, loose + 1) });
                    }
                }
            }
            Ok(())
        })
        .expect("every way is among the moves");
    let (exact, loose) = counts.get();
    assert!(exact > 30 * loose, "{exact} exact, {loose} with more moves than ways");
}
