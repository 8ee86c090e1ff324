//! What calls do: which formal-outs of a procedure depend on which of its formal-ins, along same-level realizable paths.
//!
//! Summary edges (Horwitz, Reps, Binkley 1990) join an actual-in to an actual-out. Here they are not stored for each site, where
//! they would be the square of the interface times the number of calls, but once for each procedure as bits; a site's edges
//! follow from its parameter edges. The entry counts as a formal-in, whose actual is the call node.
//!
//! Computed callees first over the components of the call graph, each procedure by one pass over its condensed graph
//! (`local`), 64 formal-outs at a time; members of a recursive component are computed again when a callee's
//! summary grew, until none does. Procedures without recursion cost O(edges × formal-outs / 64).
//!
//! *Barriers* are nodes that a path may not visit, its ends included. They take summaries away, so a path must not use those of
//! the whole graph: [`Summaries::without`] computes them again, where a barrier or a changed callee is.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::graph::*;
use super::local::Local;
use crate::base::IdVec;
use crate::base::bits::BitMatrix;
use crate::base::id::Id;
use rustc_hash::FxHashMap;

/// No row.
const NONE: u32 = u32::MAX;

/// Which formal-outs of a procedure depend on which of its ins (the entry and the formal-ins).
///
/// Formal-outs that depend on the same ins share a *row*.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// The row of each out; `NONE` if it depends on no in.
    row_of: Vec<u32>,
    /// For each row the ins.
    pub(crate) rows: BitMatrix,
    /// For each in the rows.
    pub(crate) columns: BitMatrix,
    /// The outs of each row.
    outs: Vec<u32>,
    starts: Vec<u32>,
}

impl Summary {
    /// Nothing depends on anything.
    fn empty(procedure: &Procedure) -> Summary {
        Summary::new(&BitMatrix::new(procedure.outs.len(), procedure.ins.len()))
    }
    /// From the ins of each out.
    fn new(ins_of: &BitMatrix) -> Summary {
        let mut rows = BitMatrix::new(0, ins_of.columns());
        let mut known: FxHashMap<&[u64], u32> = FxHashMap::default();
        let mut row_of = Vec::with_capacity(ins_of.rows());
        for out in 0..ins_of.rows() {
            let ins = ins_of.row(out);
            if ins.iter().all(|word| *word == 0) {
                row_of.push(NONE);
                continue;
            }
            row_of.push(*known.entry(ins).or_insert_with(|| {
                rows.push_row(ins);
                rows.rows() as u32 - 1
            }));
        }
        let mut starts = vec![0u32; rows.rows() + 1];
        for row in row_of.iter().filter(|row| **row != NONE) {
            starts[*row as usize + 1] += 1;
        }
        for row in 0..rows.rows() {
            starts[row + 1] += starts[row];
        }
        let mut outs: Vec<u32> = (0..row_of.len() as u32).filter(|out| row_of[*out as usize] != NONE).collect();
        outs.sort_by_key(|out| row_of[*out as usize]);
        Summary { row_of, columns: rows.transposed(), rows, outs, starts }
    }
    /// Whether an out depends on an in, by their slots in [`Procedure::outs`] and [`Procedure::ins`].
    pub fn depends(&self, out: usize, on: usize) -> bool {
        self.row_of_out(out).is_some_and(|row| self.rows.get(row, on))
    }
    /// How many pairs of in and out there are.
    pub fn pairs(&self) -> usize {
        (0..self.rows.rows()).map(|row| self.rows.ones(row).count() * self.outs_of_row(row).len()).sum()
    }
    /// How many outs the procedure has.
    pub(crate) fn outs_len(&self) -> usize {
        self.row_of.len()
    }
    /// The row of an out.
    pub(crate) fn row_of_out(&self, out: usize) -> Option<usize> {
        Some(self.row_of[out]).filter(|row| *row != NONE).map(|row| row as usize)
    }
    /// The outs of a row, ascending.
    pub(crate) fn outs_of_row(&self, row: usize) -> &[u32] {
        &self.outs[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// The summaries of all procedures.
#[derive(Clone, Debug, Default)]
pub struct Summaries {
    pub(crate) of: IdVec<ProcId, Arc<Summary>>,
    /// Where the rows of each link begin, if all links' rows are numbered; and their number at the end.
    bases: Vec<usize>,
}

impl Summaries {
    /// The summaries of the whole graph.
    pub(crate) fn new(sdg: &Sdg) -> Summaries {
        compute(sdg, None, None)
    }
    /// The summaries of paths that visit none of the barred nodes.
    pub fn without(sdg: &Sdg, barred: &NodeSet) -> Summaries {
        compute(sdg, Some(barred), Some(&sdg.summaries))
    }
    /// The summary of a procedure.
    pub fn of(&self, proc: ProcId) -> &Summary {
        &self.of[proc]
    }
    /// The actual-outs that depend on an actual-in or call node through its callees, ascending.
    pub fn successors(&self, sdg: &Sdg, actual: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        for half in sdg.out(actual).iter().filter(|half| half.tag.class() == Class::Down) {
            let (link, slot) = sdg.passage(actual, half.node);
            let link = &sdg.links[link];
            let summary = &self.of[link.callee];
            for row in summary.columns.ones(slot) {
                found.extend(summary.outs_of_row(row).iter().flat_map(|out| link.outs.of(*out as usize)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
    /// The actual-ins and call nodes that an actual-out depends on through its callees, ascending.
    pub fn predecessors(&self, sdg: &Sdg, actual: NodeId) -> Vec<NodeId> {
        let mut found = Vec::new();
        for half in sdg.into(actual).iter().filter(|half| half.tag.class() == Class::Up) {
            let (link, slot) = sdg.passage(actual, half.node);
            let link = &sdg.links[link];
            let summary = &self.of[link.callee];
            if let Some(row) = summary.row_of_out(slot) {
                found.extend(summary.rows.ones(row).flat_map(|slot| link.ins.of(slot)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
    /// How many pairs of formal-in and formal-out all procedures have.
    pub fn pairs(&self) -> usize {
        self.of.iter().map(|summary| summary.pairs()).sum()
    }
    /// The number of a row of a link among all links' rows.
    pub(crate) fn row_number(&self, link: LinkId, row: usize) -> usize {
        self.bases[link.index()] + row
    }
    /// How many rows all links have.
    pub(crate) fn row_count(&self) -> usize {
        self.bases.last().copied().unwrap_or(0)
    }
}

/// The summaries without the barred nodes; `whole` are those of the whole graph, which stay valid where nothing is barred.
fn compute(sdg: &Sdg, barred: Option<&NodeSet>, whole: Option<&Summaries>) -> Summaries {
    let mut of: IdVec<ProcId, Arc<Summary>> = match whole {
        Some(whole) => whole.of.clone(),
        None => sdg.procs.iter().map(|procedure| Arc::new(Summary::empty(procedure))).collect(),
    };
    let mut touched: IdVec<ProcId, bool> = IdVec::filled(whole.is_none(), sdg.procs.len());
    for node in barred.into_iter().flat_map(NodeSet::iter) {
        touched[sdg.nodes[node].proc] = true;
    }
    // The place of each procedure in its component.
    let mut position: IdVec<ProcId, u32> = IdVec::filled(0, sdg.procs.len());
    for members in &sdg.bottom_up {
        if whole.is_some() {
            let changed = |proc: ProcId| whole.is_some_and(|whole| !Arc::ptr_eq(&of[proc], &whole.of[proc]));
            let callee_changed =
                |proc: &ProcId| sdg.procs[*proc].sites().flat_map(|site| sdg.callees(site)).any(changed);
            if !members.iter().any(|proc| touched[*proc] || callee_changed(proc)) {
                continue;
            }
            // The solution is the least one: the component starts from nothing.
            for proc in members {
                of[*proc] = Arc::new(Summary::empty(&sdg.procs[*proc]));
            }
        }
        solve(sdg, barred, members, &mut position, &mut of);
        if let Some(whole) = whole {
            // What came out the same is shared again, so that callers are left alone.
            for proc in members {
                if of[*proc] == whole.of[*proc] {
                    of[*proc] = Arc::clone(&whole.of[*proc]);
                }
            }
        }
    }
    let mut bases = Vec::with_capacity(sdg.links.len() + 1);
    bases.push(0);
    for link in &sdg.links {
        bases.push(bases[bases.len() - 1] + of[link.callee].rows.rows());
    }
    Summaries { of, bases }
}

/// Computes the summaries of one component of the call graph, whose callees outside it are done.
fn solve(
    sdg: &Sdg,
    barred: Option<&NodeSet>,
    members: &[ProcId],
    position: &mut IdVec<ProcId, u32>,
    of: &mut IdVec<ProcId, Arc<Summary>>,
) {
    for (i, proc) in members.iter().enumerate() {
        position[*proc] = i as u32;
    }
    let inside = |proc: ProcId| members.get(position[proc] as usize) == Some(&proc);
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); members.len()];
    for (i, proc) in members.iter().enumerate() {
        for callee in sdg.procs[*proc].sites().flat_map(|site| sdg.callees(site)).filter(|callee| inside(*callee)) {
            callers[position[callee] as usize].push(i as u32);
        }
    }
    for list in &mut callers {
        list.sort_unstable();
        list.dedup();
    }
    let mut waiting: BTreeSet<u32> = (0..members.len() as u32).collect();
    while let Some(at) = waiting.pop_first() {
        let proc = members[at as usize];
        let summary = summarize(sdg, barred, proc, of);
        if summary != *of[proc] {
            of[proc] = Arc::new(summary);
            waiting.extend(&callers[at as usize]);
        }
    }
}

/// The summary of a procedure, given those of its callees.
fn summarize(sdg: &Sdg, barred: Option<&NodeSet>, proc: ProcId, of: &IdVec<ProcId, Arc<Summary>>) -> Summary {
    let procedure = &sdg.procs[proc];
    let mut ins_of = BitMatrix::new(procedure.outs.len(), procedure.ins.len());
    if procedure.outs.is_empty() {
        return Summary::new(&ins_of);
    }
    let local = Local::new(sdg, of, barred, proc);
    for stripe in Local::stripes(procedure.outs.len()) {
        let reached = local.reached(&procedure.outs[stripe.clone()], barred);
        for (slot, node) in procedure.ins.iter().enumerate() {
            for out in reached.elements(local.component(*node)) {
                ins_of.set(stripe.start + out, slot);
            }
        }
    }
    Summary::new(&ins_of)
}
