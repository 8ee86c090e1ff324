//! Control-flow graphs put in order: after lowering ([`clean`]), and the steps that SSA construction shares.
//!
//! Cleaning takes away what cannot be executed and nothing else. Blocks without instructions stay: such a block is the user's own jump
//! (`break`, `goto`), whose place a policy may name, or a join. All steps are linear.

use super::syntax::{Block, BlockId, Body, Inst, InstKind, Operand, Terminator, ValueId};
use crate::base::IdVec;
use crate::base::graph::{DepthFirst, Digraph};
use crate::base::id::Id;

/// The blocks of `body` as a graph, every edge once.
pub fn graph(body: &Body) -> Digraph<BlockId> {
    Digraph::new(body.blocks.iter().map(|b| b.term.successors()))
}

/// Brings a lowered body into the form that `verify::lowered` checks:
/// a branch or switch that can go only one way is a jump, unreachable blocks are gone, the entry has no predecessor, blocks are
/// numbered in reverse post-order from the entry, and instructions in the order of the blocks.
///
/// A label whose address is taken is reached by the computed goto; in a function without one, its block may be gone. The
/// [`Label`](super::Label) stays then, so that ids stay valid (static initialisers name them), and stands at the entry, where
/// no jump leads.
pub fn clean(body: &mut Body) {
    for block in &mut body.blocks {
        if let Some(target) = only_way(&block.term) {
            block.term = Terminator::Jump(target);
        }
    }
    separate_entry(body);
    renumber_blocks(body);
    renumber_insts(body);
}

/// The block that a branch or switch surely goes to.
fn only_way(term: &Terminator) -> Option<BlockId> {
    match term {
        Terminator::Branch { cond: Operand::Int(value, _), then, otherwise } => {
            Some(if value.value() == 0 { *otherwise } else { *then })
        }
        Terminator::Branch { then, otherwise, .. } => (then == otherwise).then_some(*then),
        Terminator::Switch { value: Operand::Int(value, _), cases, default } => {
            // Modulo 2^128, so that the comparison is right for signed and unsigned types alike.
            let bits = |v: i128| v as u128;
            let at = value.bits();
            let fits = |low, high| at.wrapping_sub(bits(low)) <= bits(high).wrapping_sub(bits(low));
            Some(cases.iter().find(|c| fits(c.low, c.high)).map_or(*default, |c| c.target))
        }
        Terminator::Switch { cases, default, .. } => cases.iter().all(|c| c.target == *default).then_some(*default),
        Terminator::Jump(_) | Terminator::IndirectJump { .. } | Terminator::Return(_) | Terminator::Unreachable => None,
    }
}

/// Puts a fresh block, with the parameters, before an entry that something jumps to.
fn separate_entry(body: &mut Body) {
    let old = body.entry;
    if !body.blocks.iter().any(|b| b.term.successors().contains(&old)) {
        return;
    }
    let is_param = |v: &ValueId| matches!(body.insts[*v].kind, InstKind::Param(_));
    let (params, rest) = body.blocks[old].insts.iter().partition(|v| is_param(v));
    body.blocks[old].insts = rest;
    let term_place = body.blocks[old].term_place;
    body.entry = body.blocks.push(Block { insts: params, term: Terminator::Jump(old), term_place });
}

/// Numbers the blocks in reverse post-order from the entry and drops those not reached; instructions keep their ids. There must be no
/// `Phi` yet.
pub(super) fn renumber_blocks(body: &mut Body) {
    let search = DepthFirst::new(&graph(body), [body.entry]);
    let mut new: IdVec<BlockId, Option<BlockId>> = IdVec::filled(None, body.blocks.len());
    for (i, old) in search.reverse_postorder().enumerate() {
        new[old] = Some(BlockId::new(i));
    }
    let mut old: IdVec<BlockId, Option<Block>> =
        std::mem::take(&mut body.blocks).into_enumerate().map(|b| Some(b.1)).collect();
    let reached = |b: BlockId| new[b].expect("what a reached block leads to is reached");
    for id in search.reverse_postorder() {
        let mut block = old[id].take().expect("the order names a block once");
        block.term.for_each_target(|target| *target = reached(*target));
        body.blocks.push(block);
    }
    body.entry = reached(body.entry);
    for label in &mut body.labels {
        label.block = new[label.block].unwrap_or(body.entry);
    }
}

/// Numbers the instructions in the order of the blocks and drops those that are in no block.
pub(super) fn renumber_insts(body: &mut Body) {
    let mut new: IdVec<ValueId, Option<ValueId>> = IdVec::filled(None, body.insts.len());
    let mut next = 0;
    for block in &body.blocks {
        for &id in &block.insts {
            new[id] = Some(ValueId::new(next));
            next += 1;
        }
    }
    let renamed = |v: ValueId| new[v].expect("a value used is computed in a block that is reached");
    let rename = |op: &mut Operand| {
        if let Operand::Value(v) = op {
            *v = renamed(*v);
        }
    };
    let mut old: IdVec<ValueId, Option<Inst>> =
        std::mem::take(&mut body.insts).into_enumerate().map(|i| Some(i.1)).collect();
    for block in &mut body.blocks {
        for id in &mut block.insts {
            let mut inst = old[*id].take().expect("an instruction is in one block");
            inst.kind.for_each_operand_mut(rename);
            if let InstKind::AsmOutput { asm, .. } = &mut inst.kind {
                *asm = renamed(*asm);
            }
            *id = body.insts.push(inst);
        }
        if let Some(op) = block.term.operand_mut() {
            rename(op);
        }
    }
    body.params.iter_mut().for_each(|v| *v = renamed(*v));
}

/// Splits every edge from a block with several successors to a block with several predecessors. Cases of one switch that lead to
/// one block share the edge and hence its block. The new blocks are appended, and end at the place where the edge starts.
pub(super) fn split_critical_edges(body: &mut Body) {
    let mut preds: IdVec<BlockId, u32> = IdVec::filled(0, body.blocks.len());
    for block in &body.blocks {
        block.term.successors().into_iter().for_each(|succ| preds[succ] += 1);
    }
    // The block put on the edge to each target, and from which block that edge comes.
    let mut split: IdVec<BlockId, Option<(BlockId, BlockId)>> = IdVec::filled(None, body.blocks.len());
    for id in body.blocks.ids() {
        let several = match &body.blocks[id].term {
            Terminator::Jump(_) | Terminator::Return(_) | Terminator::Unreachable => false,
            term => term.successors().len() > 1,
        };
        if !several {
            continue;
        }
        let term_place = body.blocks[id].term_place;
        let mut term = std::mem::replace(&mut body.blocks[id].term, Terminator::Unreachable);
        term.for_each_target(|target| {
            if preds[*target] < 2 {
                return;
            }
            let to = *target;
            *target = match split[to] {
                Some((from, edge)) if from == id => edge,
                _ => body.blocks.push(Block { insts: Vec::new(), term: Terminator::Jump(to), term_place }),
            };
            split[to] = Some((id, *target));
        });
        body.blocks[id].term = term;
    }
}

#[cfg(test)]
mod tests;
