//! What must hold of a graph. [`graph`] by itself, [`program`] with the program it was made of. Linear.

use rustc_hash::FxHashSet;

use super::control::LoopMove;
use super::graph::*;
use crate::base::graph::LoopId;
use crate::base::id::Id;
use crate::ir::{BlockId, Body, InstKind, Program, Terminator};

/// Edges join what they may join, both directions agree, nothing is there twice, and no memory gets lost at a call.
pub fn graph(sdg: &Sdg) -> Result<(), String> {
    for (id, procedure) in sdg.procs.enumerate() {
        let name = format!("{id} ({})", procedure.func);
        check(sdg.of_function.get(procedure.func.index()) == Some(&Some(id)), || {
            format!("{name} is not its function's")
        })?;
        check(sdg.nodes[procedure.entry].kind == NodeKind::Entry, || format!("{name} does not start with its entry"))?;
        let mut kinds: FxHashSet<NodeKind> = FxHashSet::default();
        for node in procedure.nodes() {
            let kind = sdg.nodes[node].kind;
            check(sdg.nodes[node].proc == id, || format!("{node} is in the range of {name} but not in it"))?;
            check(kinds.insert(kind), || format!("{node}: {name} has two nodes {kind:?}"))?;
            if let NodeKind::ActualIn(site, _) | NodeKind::ActualOut(site, _) | NodeKind::Call(site) = kind {
                check(sdg.sites[site].proc == id, || format!("{node}: {kind:?} is not in the site's procedure"))?;
            }
        }
    }
    let mut mirrored = 0;
    for node in sdg.nodes.ids() {
        for (halves, way) in [(sdg.out(node), "from"), (sdg.into(node), "to")] {
            let order = |half: &Half| (half.tag.class(), half.node, half.tag);
            let sorted = halves.windows(2).all(|pair| order(&pair[0]) < order(&pair[1]));
            check(sorted, || format!("the edges {way} {node} are not sorted, or one is there twice"))?;
        }
        for edge in sdg.successors(node) {
            ends(sdg, &edge).map_err(|wrong| format!("{} -> {} {:?}: {wrong}", edge.from, edge.to, edge.kind))?;
        }
        for half in sdg.into(node) {
            mirrored += 1;
            let key = (half.tag.class(), node, half.tag);
            let found = sdg.out(half.node).binary_search_by_key(&key, |half| (half.tag.class(), half.node, half.tag));
            check(found.is_ok(), || format!("{} -> {node} is known at its end only", half.node))?;
        }
    }
    check(mirrored == sdg.edge_count(), || "the directions have different numbers of edges".to_owned())?;
    memory(sdg)
}

fn check(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

/// The ends of an edge are what its kind demands.
fn ends(sdg: &Sdg, edge: &Edge) -> Result<(), &'static str> {
    let (from, to) = (&sdg.nodes[edge.from], &sdg.nodes[edge.to]);
    match edge.kind {
        EdgeKind::Control(_) | EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order => {
            if from.proc != to.proc {
                return Err("leaves the procedure");
            }
        }
        EdgeKind::Call => match (from.kind, to.kind) {
            (NodeKind::Call(_), NodeKind::Entry) => {}
            _ => return Err("is not from a call to an entry"),
        },
        EdgeKind::ParamIn => match (from.kind, to.kind) {
            (NodeKind::ActualIn(site, _), NodeKind::FormalIn(_)) => calls(sdg, site, edge.to)?,
            _ => return Err("is not from an actual-in to a formal-in"),
        },
        EdgeKind::ParamOut => match (from.kind, to.kind) {
            (NodeKind::FormalOut(_), NodeKind::ActualOut(site, _)) => calls(sdg, site, edge.from)?,
            _ => return Err("is not from a formal-out to an actual-out"),
        },
        EdgeKind::Summary => match (from.kind, to.kind) {
            (NodeKind::ActualIn(a, _) | NodeKind::Call(a), NodeKind::ActualOut(b, _)) if a == b => {}
            _ => return Err("is not from an actual-in to an actual-out of the same site"),
        },
        EdgeKind::Interference => {}
    }
    if edge.kind.class() != Class::Within {
        return if edge.moves == LoopMove::default() { Ok(()) } else { Err("leaves the procedure, but not the loop") };
    }
    if edge.moves.stays.is_some() && (from.around.is_none() || to.around.is_none()) {
        return Err("stays in a loop, but an end is in none");
    }
    if edge.moves.back.is_some() && to.around.is_none() { Err("goes round a loop, but ends in none") } else { Ok(()) }
}

/// The site calls the formal's procedure.
fn calls(sdg: &Sdg, site: SiteId, formal: NodeId) -> Result<(), &'static str> {
    let entry = sdg.procs[sdg.nodes[formal].proc].entry;
    // Calls are sorted by their target; there is nothing but calls of this class at a call node.
    let halves = sdg.out(sdg.sites[site].call);
    let found = halves.binary_search_by_key(&(Class::Down, entry), |half| (half.tag.class(), half.node));
    found.map(|_| ()).map_err(|_| "joins a site with a procedure that it does not call")
}

/// Memory and returning travel through every call: the formals of a callee have actuals at each of its sites.
fn memory(sdg: &Sdg) -> Result<(), String> {
    for procedure in &sdg.procs {
        let travels = |node: &&NodeId| match sdg.nodes[**node].kind {
            NodeKind::FormalIn(formal) | NodeKind::FormalOut(formal) => {
                matches!(formal, Formal::Memory(_) | Formal::Returns)
            }
            _ => false,
        };
        let at = |edges: &mut dyn Iterator<Item = Edge>, class: Class| -> FxHashSet<SiteId> {
            edges
                .filter(|edge| edge.kind.class() == class)
                .filter_map(|edge| site(sdg, if class == Class::Down { edge.from } else { edge.to }))
                .collect()
        };
        let callers = at(&mut sdg.predecessors(procedure.entry), Class::Down);
        for formal in procedure.ins.iter().filter(travels) {
            let known = at(&mut sdg.predecessors(*formal), Class::Down) == callers;
            check(known, || format!("{formal} has no actual-in at some call of {}", procedure.func))?;
        }
        for formal in procedure.outs.iter().filter(travels) {
            let known = at(&mut sdg.successors(*formal), Class::Up) == callers;
            check(known, || format!("{formal} has no actual-out at some call of {}", procedure.func))?;
        }
    }
    Ok(())
}

/// The site of an actual or a call.
fn site(sdg: &Sdg, node: NodeId) -> Option<SiteId> {
    match sdg.nodes[node].kind {
        NodeKind::ActualIn(site, _) | NodeKind::ActualOut(site, _) | NodeKind::Call(site) => Some(site),
        _ => None,
    }
}

/// Nodes stand for what is in the program, and loops are its loops.
pub fn program(sdg: &Sdg, program: &Program) -> Result<(), String> {
    for (id, procedure) in sdg.procs.enumerate() {
        let function = program.functions.get(procedure.func).ok_or_else(|| format!("{id}: no {}", procedure.func))?;
        let body = function.body.as_ref();
        for node in procedure.nodes() {
            stands_for(sdg, body, node).map_err(|wrong| format!("{node} of {}: {wrong}", function.name))?;
            for edge in sdg.successors(node) {
                let around = |l: LoopId, end: NodeId| {
                    let Some(forest) = body.map(|body| &body.loops) else { return false };
                    std::iter::successors(sdg.nodes[end].around, |l| forest.loops[*l].parent).any(|outer| outer == l)
                };
                let LoopMove { stays, back } = edge.moves;
                check(stays.is_none_or(|l| around(l, edge.from) && around(l, edge.to)), || {
                    format!("{} -> {} stays in a loop that is not around both", edge.from, edge.to)
                })?;
                check(back.is_none_or(|l| around(l, edge.to)), || {
                    format!("{} -> {} goes round a loop that it does not end in", edge.from, edge.to)
                })?;
            }
        }
    }
    Ok(())
}

fn stands_for(sdg: &Sdg, body: Option<&Body>, node: NodeId) -> Result<(), String> {
    let Node { kind, around, .. } = sdg.nodes[node];
    let loops = body.map_or(0, |body| body.loops.loops.len());
    check(around.is_none_or(|l| l.index() < loops), || "no such loop".to_owned())?;
    let body = || body.ok_or_else(|| "a node of a body that is not there".to_owned());
    let block = |id: BlockId| body()?.blocks.get(id).ok_or_else(|| format!("no {id}"));
    let in_loop = |id: BlockId| -> Result<(), String> {
        check(body()?.loops.innermost(id) == around, || format!("is not in the loop of {id}"))
    };
    match kind {
        NodeKind::Entry | NodeKind::FormalIn(_) | NodeKind::FormalOut(_) | NodeKind::Shared(_) => Ok(()),
        NodeKind::Inst(value) => {
            let inst = body()?.insts.get(value).ok_or_else(|| format!("no {value}"))?;
            check(!matches!(inst.kind, InstKind::Call { .. }), || format!("{value} is a call"))
        }
        NodeKind::Predicate(id) => {
            let chooses = matches!(
                block(id)?.term,
                Terminator::Branch { .. } | Terminator::Switch { .. } | Terminator::IndirectJump { .. }
            );
            check(chooses, || format!("{id} does not end in a choice"))?;
            in_loop(id)
        }
        NodeKind::Return(id) => {
            check(matches!(block(id)?.term, Terminator::Return(_)), || format!("{id} does not end in a return"))?;
            in_loop(id)
        }
        NodeKind::MemoryDef { inst, .. } => check(body()?.insts.get(inst).is_some(), || format!("no {inst}")),
        NodeKind::MemoryPhi { block: id, .. } => {
            block(id)?;
            in_loop(id)
        }
        NodeKind::PhiOperand { phi, operand } => match body()?.insts.get(phi).map(|inst| &inst.kind) {
            Some(InstKind::Phi(operands)) if (operand as usize) < operands.len() => Ok(()),
            _ => Err(format!("{phi} has no φ operand {operand}")),
        },
        NodeKind::ActualIn(site, _) | NodeKind::ActualOut(site, _) | NodeKind::Call(site) => {
            let value = sdg.sites[site].inst;
            let call = body()?.insts.get(value).is_some_and(|inst| matches!(inst.kind, InstKind::Call { .. }));
            check(call, || format!("{value} is no call"))
        }
    }
}
