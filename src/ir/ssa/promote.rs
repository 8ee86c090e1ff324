//! Scalar locals become values: pruned SSA.
//!
//! A local is promoted if its type is scalar and its address is used for nothing but plain loads and stores of exactly that
//! type. For each such local the blocks where it is live are found by a walk from its uses, and `Phi`s are placed where
//! definitions meet ([`IteratedFrontier`]); then one walk over the dominator tree puts versions in place of loads and stores.

use super::Flow;
use crate::base::IdVec;
use crate::base::graph::IteratedFrontier;
use crate::ir::syntax::{Access, BlockId, Body, Inst, InstKind, Local, LocalId, Operand, ValueId};
use crate::ir::types::{Quals, Type, Types};

/// Promotes all locals that can be.
pub(super) fn promote(types: &Types, body: &mut Body, flow: &Flow) {
    for (id, promoted) in promotable(types, body).into_enumerate() {
        body.locals[id].promoted = promoted;
    }
    let mentions = mentions(body);
    let phis = place_phis(body, flow, &mentions);
    rename(body, flow, &phis);
}

/// Whether a local can be a value at all, whatever is done with it.
fn is_scalar(types: &Types, local: &Local) -> bool {
    if local.ty.quals.has(Quals::VOLATILE) || local.ty.quals.has(Quals::ATOMIC) {
        return false;
    }
    match types.get(local.ty.ty) {
        Type::Bool
        | Type::Int(_)
        | Type::Float(_)
        | Type::Complex(_)
        | Type::Enum(_)
        | Type::Pointer(_)
        | Type::Vector { .. } => true,
        Type::Void | Type::Record(_) | Type::Array { .. } | Type::Function(_) => false,
    }
}

fn promotable(types: &Types, body: &Body) -> IdVec<LocalId, bool> {
    let mut can: IdVec<LocalId, bool> = body.locals.iter().map(|local| is_scalar(types, local)).collect();
    let plain = |l: LocalId, access: &Access| {
        access.ty == body.locals[l].ty.ty && !access.volatile && !access.atomic && access.bits.is_none()
    };
    let mut escape = |op: &Operand| {
        if let Operand::Local(l) = op {
            can[*l] = false;
        }
    };
    for block in &body.blocks {
        for &id in &block.insts {
            match &body.insts[id].kind {
                InstKind::Load { addr: Operand::Local(l), access } if plain(*l, access) => {}
                InstKind::Store { addr: Operand::Local(l), value, access } if plain(*l, access) => escape(value),
                other => other.for_each_operand(&mut escape),
            }
        }
        if let Some(op) = block.term.operand() {
            escape(op);
        }
    }
    can
}

/// What a load or store of a promoted local does.
enum Touch {
    Read(LocalId),
    Write(LocalId, Operand),
}

fn touch(body: &Body, id: ValueId) -> Option<Touch> {
    match &body.insts[id].kind {
        InstKind::Load { addr: Operand::Local(l), .. } if body.locals[*l].promoted => Some(Touch::Read(*l)),
        InstKind::Store { addr: Operand::Local(l), value, .. } if body.locals[*l].promoted => {
            Some(Touch::Write(*l, *value))
        }
        _ => None,
    }
}

/// Where a promoted local is written, and where it is read before any write of the same block. Loads whose value nobody uses
/// do not count.
#[derive(Clone, Default)]
struct Mentions {
    writes: Vec<BlockId>,
    reads: Vec<BlockId>,
}

fn mentions(body: &Body) -> IdVec<LocalId, Mentions> {
    let mut used: IdVec<ValueId, bool> = IdVec::filled(false, body.insts.len());
    let mut mark = |op: &Operand| {
        if let Operand::Value(v) = op {
            used[*v] = true;
        }
    };
    for block in &body.blocks {
        block.insts.iter().for_each(|id| body.insts[*id].kind.for_each_operand(&mut mark));
        block.term.operand().into_iter().for_each(&mut mark);
    }
    let mut all: IdVec<LocalId, Mentions> = IdVec::filled(Mentions::default(), body.locals.len());
    for (block, content) in body.blocks.enumerate() {
        for &id in &content.insts {
            match touch(body, id) {
                Some(Touch::Read(l)) if used[id] => {
                    let m = &mut all[l];
                    if m.writes.last() != Some(&block) && m.reads.last() != Some(&block) {
                        m.reads.push(block);
                    }
                }
                Some(Touch::Write(l, _)) => {
                    let m = &mut all[l];
                    if m.writes.last() != Some(&block) {
                        m.writes.push(block);
                    }
                }
                Some(Touch::Read(_)) | None => {}
            }
        }
    }
    all
}

/// Puts `Phi`s, their operands still unset, at the start of blocks, and an `Uninit` into the entry for every local that may be read
/// before it is written. Returns the phis of each block.
fn place_phis(body: &mut Body, flow: &Flow, mentions: &IdVec<LocalId, Mentions>) -> IdVec<BlockId, Vec<ValueId>> {
    let mut phis: IdVec<BlockId, Vec<ValueId>> = IdVec::filled(Vec::new(), body.blocks.len());
    let mut frontier = IteratedFrontier::new(&flow.graph, &flow.dominators);
    let mut uninits = Vec::new();
    // The last local found live at the start of each block, or written in it.
    let mut live: IdVec<BlockId, Option<LocalId>> = IdVec::filled(None, body.blocks.len());
    let mut written: IdVec<BlockId, Option<LocalId>> = IdVec::filled(None, body.blocks.len());
    for (l, m) in mentions.enumerate() {
        m.writes.iter().for_each(|b| written[*b] = Some(l));
        let mut work: Vec<BlockId> = m.reads.clone();
        while let Some(block) = work.pop() {
            if live[block].replace(l) != Some(l) {
                work.extend(flow.preds.successors(block).iter().filter(|p| written[**p] != Some(l)));
            }
        }
        let Local { ty, place, .. } = body.locals[l];
        // The entry dominates all: this definition adds no place where definitions meet.
        if live[body.entry] == Some(l) {
            uninits.push(body.insts.push(Inst { kind: InstKind::Uninit, ty: ty.ty, var: Some(l), place }));
        }
        for block in frontier.of(&m.writes, |b| live[b] == Some(l)) {
            // Every operand is set when its predecessor is renamed.
            let unset = Operand::Value(body.insts.next_id());
            let args = flow.preds.successors(block).iter().map(|p| (*p, unset)).collect();
            phis[block].push(body.insts.push(Inst { kind: InstKind::Phi(args), ty: ty.ty, var: Some(l), place }));
        }
    }
    for (id, block) in body.blocks.enumerate_mut() {
        block.insts.splice(0..0, phis[id].iter().copied());
    }
    let params = body.params.len();
    body.blocks[body.entry].insts.splice(params..params, uninits);
    phis
}

/// A step of the walk over the dominator tree.
enum Step {
    Enter(BlockId),
    /// Undoes the changes that are not among the first so many.
    Leave(usize),
}

/// Walks the dominator tree with the version of every promoted local that holds: stores become copies, loads vanish.
fn rename(body: &mut Body, flow: &Flow, phis: &IdVec<BlockId, Vec<ValueId>>) {
    let mut current: IdVec<LocalId, Option<ValueId>> = IdVec::filled(None, body.locals.len());
    // What stands for a load that vanished.
    let mut instead: IdVec<ValueId, Option<ValueId>> = IdVec::filled(None, body.insts.len());
    let mut changes: Vec<(LocalId, Option<ValueId>)> = Vec::new();
    let mut work = vec![Step::Enter(body.entry)];
    while let Some(step) = work.pop() {
        let block = match step {
            Step::Enter(block) => block,
            Step::Leave(older) => {
                for (l, version) in changes.drain(older..).rev() {
                    current[l] = version;
                }
                continue;
            }
        };
        work.push(Step::Leave(changes.len()));
        work.extend(flow.dominators.children(block).iter().rev().map(|b| Step::Enter(*b)));
        let resolve = |op: &mut Operand, instead: &IdVec<ValueId, Option<ValueId>>| {
            if let Operand::Value(v) = op
                && let Some(version) = instead[*v]
            {
                *v = version;
            }
        };
        let mut insts = std::mem::take(&mut body.blocks[block].insts);
        insts.retain(|&id| {
            match touch(body, id) {
                Some(Touch::Read(l)) => {
                    instead[id] = current[l];
                    return false;
                }
                Some(Touch::Write(l, mut value)) => {
                    resolve(&mut value, &instead);
                    let ty = body.locals[l].ty.ty;
                    let inst = &mut body.insts[id];
                    (inst.kind, inst.ty, inst.var) = (InstKind::Copy(value), ty, Some(l));
                }
                None => {
                    let kind = &mut body.insts[id].kind;
                    // The operands of a phi belong to its predecessors, which set them.
                    if !matches!(kind, InstKind::Phi(_)) {
                        kind.for_each_operand_mut(|op| resolve(op, &instead));
                    }
                }
            }
            if let Some(l) = body.insts[id].var {
                changes.push((l, current[l].replace(id)));
            }
            true
        });
        body.blocks[block].insts = insts;
        if let Some(op) = body.blocks[block].term.operand_mut() {
            resolve(op, &instead);
        }
        for &succ in flow.graph.successors(block) {
            if phis[succ].is_empty() {
                continue;
            }
            let at = flow.pred_index(succ, block);
            for &phi in &phis[succ] {
                let inst = &mut body.insts[phi];
                let version = inst.var.and_then(|l| current[l]);
                if let InstKind::Phi(args) = &mut inst.kind {
                    args[at].1 = Operand::Value(version.expect("a live variable has a version"));
                }
            }
        }
    }
}
