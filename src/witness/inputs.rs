//! Conditions solved for what the program gets from outside.
//!
//! *Inputs* are parameters of entries, results of functions without a body and what these write, what memory holds at the start or nothing ever writes, reads of volatile
//! memory, and sources. *Auxiliary* is what the program computes and a condition does not look into: values at a loop's header, results of functions with a body,
//! parameters of functions that the program calls, memory that is not followed, and what is undefined. Addresses are constants.
//!
//! The condition of one run at the end of its path, with every auxiliary value eliminated, is necessary for the flow as the condition is. It speaks of one moment, the
//! end: what is said of earlier ones is forgotten.

use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};

use super::decision::{Decision, Setting};
use super::search::Solved;
use super::words;
use crate::ir::InstKind;
use crate::pathcond::engine::bdds::Mode;
use crate::pathcond::engine::show::{Factor, ShowLimits, show};
use crate::pathcond::engine::{self, Literal};
use crate::pathcond::leaves::{Leaf, LeafKind};
use crate::pathcond::shape::versions;
use crate::pathcond::values::Values;
use crate::sdg::{EdgeKind, Formal, NodeId, NodeKind};
use crate::solve::arith::{self, Arith, Reading};
use crate::solve::term::{Node, TermId, VarId};
use crate::solve::z3::{Interrupt, eliminate};

/// Time for the elimination.
const TIME: Duration = Duration::from_secs(1);
/// Clauses of a condition that is solved for its inputs.
const CLAUSES: usize = 30;
/// Longer conditions are not for reading.
const LONGEST: usize = 400;

/// The results of additions, subtractions and multiplications that do not overflow where they are computed, if the policy says so. Only what conditions of systems
/// have needed since the last exact formula.
pub fn fitting(values: &mut Values<'_>) -> FxHashSet<TermId> {
    let assumed: Vec<TermId> = values.assumed.iter().map(|assumed| assumed.term).collect();
    let mut found = FxHashSet::default();
    for term in values.terms.reachable(&assumed) {
        if let Node::Fits { op, signed: true, a, b } = *values.terms.node(term) {
            found.insert(values.terms.bit(op, a, b));
        }
    }
    found
}

/// Solves the condition of a flow for the inputs, if one run is enough for it.
pub fn solve(
    setting: &Setting<'_>,
    values: &mut Values<'_>,
    single: Option<&Solved>,
    limits: &engine::Limits,
    fitting: &FxHashSet<TermId>,
    (left, stop): (Duration, &Interrupt),
    found: &mut Decision,
) {
    let (1, Some(shown), Some(single)) = (found.runs, &mut found.condition, single) else { return };
    // Where nothing has to hold there is nothing to solve.
    if shown.text != "1" && !left.is_zero() {
        shown.inputs = solved(setting, values, single, limits, fitting, (left.min(TIME), stop));
    }
}

fn solved(
    setting: &Setting<'_>,
    values: &mut Values<'_>,
    Solved { conditions, solution }: &Solved,
    limits: &engine::Limits,
    fitting: &FxHashSet<TermId>,
    (time, stop): (Duration, &Interrupt),
) -> Option<String> {
    let mut bdds = solution.bdds(&conditions.system, limits);
    let end = bdds.forget(&solution.conditions[conditions.end], conditions.second, Mode::Once);
    let end = bdds.with_lemmas(&end);
    if end.is_false() {
        return None;
    }
    let shown = show(&mut bdds, &end, ShowLimits { products: CLAUSES, names: 0, ..ShowLimits::default() });
    let atoms = &conditions.atoms;
    let literals = |product: &Vec<Factor>| -> Option<Vec<Literal>> {
        let literal = |factor: &Factor| match factor {
            Factor::Literal(literal) => Some(*literal),
            Factor::Name(_) => None,
        };
        product.iter().map(literal).collect()
    };
    let products: Vec<Vec<Literal>> = shown.products.iter().map(literals).collect::<Option<_>>()?;
    let mentioned: Vec<TermId> = products.iter().flatten().map(|literal| atoms.table[literal.atom].term).collect();
    let mut auxiliary: Vec<VarId> = Vec::new();
    let mut signs: FxHashMap<VarId, bool> = FxHashMap::default();
    for var in values.terms.variables_of(&mentioned) {
        let leaf = values.leaves.of(&values.terms, var).cloned();
        if !leaf.as_ref().is_some_and(|leaf| is_known(values, leaf)) {
            auxiliary.push(var);
        }
        if let Some((_, signed)) = leaf.and_then(|leaf| setting.program.types.int_shape(leaf.ty?)) {
            signs.insert(var, signed);
        }
    }
    let values = &*values;
    let reading = Reading {
        terms: &values.terms,
        signed: &|var| signs.get(&var).copied(),
        fits: &|term| fitting.contains(&term),
        goes: &|var| auxiliary.contains(&var),
    };
    // With nothing left out, `1` says that no input prevents it; otherwise it would say nothing.
    let mut exact = shown.exact;
    let mut clauses: Vec<Arith> = Vec::new();
    for product in &products {
        let mut parts: Vec<Arith> = Vec::new();
        for literal in product {
            let term = atoms.table[literal.atom].term;
            // A condition on inputs alone stays as it is written in the program.
            let (read, same) = match auxiliary.as_slice() {
                [] => (Arith::Opaque(term, literal.positive), true),
                [_, ..] => reading.literal(term, literal.positive),
            };
            exact &= same;
            parts.push(read);
        }
        clauses.push(Arith::all(parts));
    }
    let condition = Arith::any(clauses);
    let ranges = auxiliary.iter().map(|var| reading.limits(*var));
    let bounded = Arith::all(std::iter::once(condition).chain(ranges).collect());
    let free = eliminate(&bounded, &auxiliary, time, stop)?;
    if !exact && free == Arith::Truth(true) {
        return None;
    }
    let names = |var: VarId| words::name(setting, values, var, false).map(|name| name.text);
    let opaque = |term: TermId, positive: bool| {
        let place = atoms.table.iter().find(|atom| atom.term == term).and_then(|atom| atom.place);
        Some(words::atom(setting, values, term, place, positive, false).text)
    };
    arith::text(&free, &names, &opaque).filter(|text| text.len() <= LONGEST)
}

/// Whether a leaf is an input or a constant.
fn is_known(values: &mut Values<'_>, leaf: &Leaf) -> bool {
    match (&leaf.kind, leaf.func) {
        (LeafKind::Address(_), _) => true,
        (LeafKind::Undefined(..) | LeafKind::Cell(_), _) | (_, None) => false,
        (LeafKind::Content { versions, .. }, Some(_)) => versions.iter().all(|version| is_outside(values, *version)),
        (LeafKind::Decision(block, _), Some(func)) => {
            let node = values.shapes.of(func).predicates[*block];
            node.is_some_and(|node| values.arbitrary.contains(node))
        }
        (LeafKind::Value(value), Some(func)) => {
            let shape = values.shapes.of(func);
            let Some(node) = shape.nodes[*value] else { return false };
            if values.arbitrary.contains(node) {
                return true;
            }
            match &shape.body.insts[*value].kind {
                InstKind::Param(_) => values.sdg.entries().contains(&func),
                InstKind::Call { .. } => is_outside(values, node),
                InstKind::Load { access, .. } => {
                    let (versions, disturbed) = versions(values.sdg, node);
                    access.volatile || !disturbed && versions.iter().all(|version| is_outside(values, *version))
                }
                // What the machine gives.
                InstKind::AsmOutput { .. } => true,
                InstKind::Phi(_)
                | InstKind::Copy(_)
                | InstKind::Uninit
                | InstKind::Unary(..)
                | InstKind::Binary(..)
                | InstKind::Compare(..)
                | InstKind::Cast(_)
                | InstKind::PtrAdd { .. }
                | InstKind::PtrDiff { .. }
                | InstKind::FieldAddr { .. }
                | InstKind::Intrinsic(..)
                | InstKind::Store { .. }
                | InstKind::VaStart(_)
                | InstKind::VaArg(_)
                | InstKind::VaCopy { .. }
                | InstKind::VaEnd(_)
                | InstKind::Alloca { .. }
                | InstKind::Asm(_)
                | InstKind::StandIn { .. } => false,
            }
        }
    }
}

/// Whether a result or a version of memory comes from outside: from a function without a body, or from before the program's start.
fn is_outside(values: &Values<'_>, node: NodeId) -> bool {
    let sdg = values.sdg;
    match sdg.nodes()[node].kind {
        NodeKind::ActualOut(..) => !sdg.predecessors(node).any(|edge| edge.kind == EdgeKind::ParamOut),
        NodeKind::FormalIn(Formal::Memory(_)) => sdg.entries().contains(&sdg.function(node)),
        NodeKind::Entry
        | NodeKind::Inst(_)
        | NodeKind::Predicate(_)
        | NodeKind::Return(_)
        | NodeKind::FormalIn(_)
        | NodeKind::FormalOut(_)
        | NodeKind::ActualIn(..)
        | NodeKind::PhiOperand { .. }
        | NodeKind::MemoryPhi { .. }
        | NodeKind::MemoryDef { .. }
        | NodeKind::Shared(_)
        | NodeKind::Call(_) => false,
    }
}
