//! What a dependence does to the iterations of loops.
//!
//! An *instance* of a block is one execution of it: in an activation of its function, in an iteration of each loop around it. An
//! iteration of a loop starts when control comes to its header (entering an irreducible loop elsewhere starts one, too). A
//! dependence from `a` to `b` relates an instance of `a` to a later one of `b`, and a [`LoopMove`] says which iterations the two share:
//!
//! | | loops around both, up to `stays` | loops around both, inside `stays` | loops around `a` only | around `b` only |
//! | --- | --- | --- | --- | --- |
//! | [`Step`] | `Stays` | `Carried` | `Leaves` | `Enters` |
//!
//! A condition on values at `a` still holds at `b` for what is defined in a loop that the dependence stays in, or outside all
//! loops that it carries, leaves or enters; everything else is another instance. Sharing an iteration is inherited: who stays in a loop stays
//! in all loops around it; who is carried by a loop is in another iteration of all loops inside it.
//!
//! A dependence that can be both, say, in the same iteration and in a later one, has several moves, and is several edges.

use crate::base::IdVec;
use crate::base::graph::{LoopForest, LoopId};
use crate::ir::{BlockId, Body, InstKind, Operand, ValueId};

/// Which iterations the two ends of a dependence share.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct LoopMove {
    /// The innermost loop of whose iterations both ends are in the same; `None`: they share the activation only.
    pub stays: Option<LoopId>,
    /// The outermost loop that the dependence goes round, over an edge back to its header. It is directly inside `stays`, except where a value
    /// from outside comes to a header's `Phi` from the latch.
    pub back: Option<LoopId>,
}

/// What a dependence does to one loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Both ends are in one iteration.
    Stays,
    /// It leads to a later iteration.
    Carried,
    /// It leads out of the loop.
    Leaves,
    /// It leads into the loop, to any iteration of it.
    Enters,
    /// Neither end is in the loop.
    Apart,
}

/// Where a value is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum User {
    /// By an instruction.
    Inst(ValueId),
    /// By the end of a block.
    Term(BlockId),
}

impl LoopMove {
    /// Between blocks, in the same iteration of all loops around both.
    pub fn within(loops: &LoopForest<BlockId>, from: BlockId, to: BlockId) -> LoopMove {
        LoopMove { stays: common(loops, loops.innermost(from), to), back: None }
    }
    /// To another iteration of `l`.
    pub fn carried(loops: &LoopForest<BlockId>, l: LoopId) -> LoopMove {
        LoopMove { stays: loops.loops[l].parent, back: Some(l) }
    }
    /// Along an edge of the control-flow graph.
    pub fn along(loops: &LoopForest<BlockId>, from: BlockId, to: BlockId) -> LoopMove {
        LoopMove::to_phi(loops, from, from, to)
    }
    /// From a block that computes a value to the `Phi` in `to` that takes it from `pred`.
    pub fn to_phi(loops: &LoopForest<BlockId>, from: BlockId, pred: BlockId, to: BlockId) -> LoopMove {
        match loops.innermost(to) {
            Some(l) if loops.loops[l].header == to && loops.contains(l, pred) => {
                LoopMove { stays: common(loops, loops.loops[l].parent, from), back: Some(l) }
            }
            _ => LoopMove::within(loops, from, to),
        }
    }
    /// What it does to `l`, if it leads from `from` to `to`.
    pub fn step(self, loops: &LoopForest<BlockId>, l: LoopId, from: BlockId, to: BlockId) -> Step {
        match (loops.contains(l, from), loops.contains(l, to)) {
            (true, true) => {
                let mut shared = std::iter::successors(self.stays, |s| loops.loops[*s].parent);
                if shared.any(|s| s == l) { Step::Stays } else { Step::Carried }
            }
            (true, false) => Step::Leaves,
            (false, true) => Step::Enters,
            (false, false) => Step::Apart,
        }
    }
}

/// The innermost of `l` and the loops around it that holds `block`.
fn common(loops: &LoopForest<BlockId>, l: Option<LoopId>, block: BlockId) -> Option<LoopId> {
    std::iter::successors(l, |l| loops.loops[*l].parent).find(|l| loops.contains(*l, block))
}

/// The block of each instruction.
pub fn homes(body: &Body) -> IdVec<ValueId, BlockId> {
    let mut home = IdVec::filled(body.entry, body.insts.len());
    for (id, block) in body.blocks.enumerate() {
        block.insts.iter().for_each(|v| home[*v] = id);
    }
    home
}

/// The moves from a value to one of its users, in SSA form: one for each edge by which a `Phi` takes it, else exactly one.
///
/// A use that is no `Phi`'s is in the iteration of its definition: a header comes first in reverse post-order, hence is not dominated
/// by the definition, and on a way through it the definition, which dominates the use, would be executed again.
pub fn value_moves(body: &Body, home: &IdVec<ValueId, BlockId>, value: ValueId, user: User) -> Vec<LoopMove> {
    let from = home[value];
    let to = match user {
        User::Inst(inst) => home[inst],
        User::Term(block) => block,
    };
    let User::Inst(inst) = user else { return vec![LoopMove::within(&body.loops, from, to)] };
    let InstKind::Phi(args) = &body.insts[inst].kind else { return vec![LoopMove::within(&body.loops, from, to)] };
    let takes = args.iter().filter(|(_, op)| *op == Operand::Value(value));
    let mut moves: Vec<LoopMove> = takes.map(|(pred, _)| LoopMove::to_phi(&body.loops, from, *pred, to)).collect();
    moves.sort_unstable();
    moves.dedup();
    moves
}

/// All moves that a flow from one place to another may make by any way through the body, in SSA form: for dependences of which no more is
/// known than the two ends, such as those through memory. `later`: of two places in one block, `to` comes after `from`.
///
/// Blocks are numbered in reverse post-order, and only edges to the headers of loops around them lead to lower numbers. So in one iteration of the
/// loops around both ends, from the loop inside these around `from`, or from `from` itself, only higher numbers are reached.
pub fn flow_moves(body: &Body, from: BlockId, to: BlockId, later: bool) -> Vec<LoopMove> {
    let loops = &body.loops;
    let within = LoopMove::within(loops, from, to);
    let around: Vec<LoopId> = loops.around(from).take_while(|l| Some(*l) != within.stays).collect();
    let start = around.last().map_or(from, |l| loops.loops[*l].header);
    let forward = if from == to { later } else { start <= to };
    let back = std::iter::successors(within.stays, |l| loops.loops[*l].parent).map(|l| LoopMove::carried(loops, l));
    std::iter::once(within).filter(|_| forward).chain(back).collect()
}

/// The moves that a control dependence of `to` on the branch of `from` to `target` can make. `dominates`: what depends, at `to`,
/// dominates what decides, at `from`; `met_from` tells whether what depends is met on all ways from a block.
///
/// Let `L` be a loop around both, `h` its header. The dependence says that `to` is met on all ways from `target`, but not on all ways from
/// `from`. If a way from `target` comes to `h` before it comes to `to`, then `to` is met on all ways from `h`, hence on all ways from
/// `h` to `from`. So:
/// - it is carried by `L` only if `to` is met on all ways from `h`; and, if control enters `L` at `h` only, if `to` dominates `from`;
/// - if `to` dominates `from`, then from `from` to `to` some header of a loop around both is passed: otherwise both would be in a loop
///   inside all of these;
/// - then it is carried by the innermost `L` that holds `target` as well: a way from there to `h` in `L` does not meet `to` before.
pub(super) fn control_moves(
    loops: &LoopForest<BlockId>,
    (from, target, to): (BlockId, BlockId, BlockId),
    dominates: bool,
    met_from: impl Fn(BlockId) -> bool,
) -> Vec<LoopMove> {
    let within = LoopMove::within(loops, from, to);
    let around = std::iter::successors(within.stays, |l| loops.loops[*l].parent);
    let header = |l: LoopId| loops.loops[l].header;
    let mut moves = Vec::new();
    if dominates {
        for l in around.filter(|l| loops.contains(*l, target)) {
            if moves.is_empty() || met_from(header(l)) {
                moves.push(LoopMove::carried(loops, l));
            }
        }
    } else {
        // Whoever comes to a header from elsewhere starts an iteration.
        let starts = from != to && within.stays.is_some_and(|l| header(l) == to);
        moves.extend((!starts).then_some(within));
        let irreducible = around.filter(|l| loops.loops[*l].entries.len() > 1 && met_from(header(*l)));
        moves.extend(irreducible.map(|l| LoopMove::carried(loops, l)));
    }
    if moves.is_empty() {
        moves.push(within);
    }
    moves
}
