//! The nodes of callees that a chop's paths enter and leave again.
//!
//! At a call that the chop passes from an actual-in to an actual-out, the paths run inside the callee from a formal-in to a
//! formal-out (Reps and Rosay 1995). Which pairs of these are *wanted* differs from call to call, so they are collected for each
//! procedure, callers first, as a matrix of bits. A node of the procedure is in the chop if some formal-out is wanted from
//! a formal-in that reaches the node, and is reached from the node; a pair of a call inside it is wanted if the same holds of its
//! actual-in and its actual-out. Both are decided for 64 formal-outs at a time on the procedure's condensed graph. A
//! procedure of a recursive component is done again when new pairs of it are wanted.

use std::collections::BTreeSet;

use super::Barriers;
use super::reach::Reach;
use crate::base::IdVec;
use crate::base::bits::{BitMatrix, meet};
use crate::sdg::{LinkId, Local, NodeId, NodeSet, ProcId, Sdg, Summaries};

/// Adds the nodes inside the calls that the chop passes.
pub(super) fn add(sdg: &Sdg, barriers: &Barriers, forward: &Reach, backward: &Reach, nodes: &mut NodeSet) {
    let mut position: IdVec<ProcId, u32> = IdVec::filled(0, sdg.procedures().len());
    for (i, proc) in sdg.bottom_up.iter().flatten().enumerate() {
        position[*proc] = i as u32;
    }
    let mut expansion = Expansion {
        sdg,
        barriers,
        summaries: barriers.summaries(sdg),
        wanted: sdg.procedures().iter().map(|_| None).collect(),
        order: sdg.bottom_up.iter().flatten().copied().collect(),
        position,
        waiting: BTreeSet::new(),
    };
    for (link, _) in sdg.links.enumerate() {
        let source = |node| match (forward.first.contains(node), forward.all.contains(node)) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        };
        let sink = |node| match (backward.first.contains(node), backward.all.contains(node)) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        };
        // As for the nodes of a chop: one of both must be of the first phase.
        expansion.want(link, source, sink, |from, to| *from || *to);
    }
    expansion.run(nodes);
}

/// The pairs of a procedure's ins and outs that are wanted.
struct Wanted {
    /// For each in its outs.
    outs: BitMatrix,
    /// For each in how many of the outs that depend on it are not wanted yet.
    left: Vec<u32>,
}

struct Expansion<'a> {
    sdg: &'a Sdg,
    barriers: &'a Barriers,
    summaries: &'a Summaries,
    wanted: IdVec<ProcId, Option<Box<Wanted>>>,
    /// Procedures, callees first, and the place of each.
    order: Vec<ProcId>,
    position: IdVec<ProcId, u32>,
    /// Places of procedures of which new pairs are wanted.
    waiting: BTreeSet<u32>,
}

impl Expansion<'_> {
    /// Works on the procedures that wait, callers first.
    fn run(&mut self, nodes: &mut NodeSet) {
        while let Some(at) = self.waiting.pop_last() {
            self.enter(self.order[at as usize], nodes);
        }
    }
    /// Adds the nodes of a procedure, and what is wanted of its callees.
    fn enter(&mut self, proc: ProcId, nodes: &mut NodeSet) {
        let (sdg, barred) = (self.sdg, self.barriers.nodes());
        let procedure = &sdg.procedures()[proc];
        let local = Local::new(sdg, &self.summaries.of, barred, proc);
        for stripe in Local::stripes(procedure.outs.len()) {
            let reached = local.reached(&procedure.outs[stripe.clone()], barred);
            let mut wanted = local.empty(stripe.len());
            let Some(pairs) = &self.wanted[proc] else { return };
            for (slot, node) in procedure.ins.iter().enumerate() {
                for out in pairs.outs.ones(slot).filter(|out| stripe.contains(out)) {
                    wanted.insert(local.component(*node), out - stripe.start);
                }
            }
            local.spread(&mut wanted);
            for node in procedure.nodes() {
                let component = local.component(node);
                if meet(wanted.of(component), reached.of(component)) {
                    nodes.insert(node);
                }
            }
            let some = |set: &[u64]| set.iter().any(|word| *word != 0);
            let from = |node| Some(wanted.of(local.component(node))).filter(|set| some(set));
            let to = |node| Some(reached.of(local.component(node))).filter(|set| some(set));
            for link in procedure.sites().flat_map(|site| sdg.links_of(site)) {
                self.want(link, from, to, |from, to| meet(from, to));
            }
        }
    }
    /// Wants of a link's callee the pairs that some path passes: `from` of an actual-in and `to` of an actual-out are what is known
    /// of them if paths visit them at all, `joined` whether a path goes from the one to the other.
    fn want<T>(
        &mut self,
        link: LinkId,
        from: impl Fn(NodeId) -> Option<T>,
        to: impl Fn(NodeId) -> Option<T>,
        joined: impl Fn(&T, &T) -> bool,
    ) {
        let link = &self.sdg.links[link];
        let summary = self.summaries.of(link.callee);
        let known = self.wanted[link.callee].as_deref();
        let ins: Vec<(usize, Vec<T>)> = (0..summary.columns.rows())
            .filter(|slot| known.is_none_or(|wanted| wanted.left[*slot] > 0))
            .map(|slot| (slot, link.ins.of(slot).iter().filter_map(|node| from(*node)).collect::<Vec<T>>()))
            .filter(|(_, ins)| !ins.is_empty())
            .collect();
        if ins.is_empty() {
            return;
        }
        let mut new = false;
        for row in 0..summary.rows.rows() {
            let outs: Vec<(usize, Vec<T>)> = (summary.outs_of_row(row).iter())
                .map(|slot| *slot as usize)
                .map(|slot| (slot, link.outs.of(slot).iter().filter_map(|node| to(*node)).collect::<Vec<T>>()))
                .filter(|(_, outs)| !outs.is_empty())
                .collect();
            if outs.is_empty() {
                continue;
            }
            for (slot, ins) in ins.iter().filter(|(slot, _)| summary.rows.get(row, *slot)) {
                let wanted = self.wanted[link.callee].get_or_insert_with(|| {
                    let left = |slot| summary.columns.ones(slot).map(|row| summary.outs_of_row(row).len() as u32).sum();
                    Box::new(Wanted {
                        outs: BitMatrix::new(summary.columns.rows(), summary.outs_len()),
                        left: (0..summary.columns.rows()).map(left).collect(),
                    })
                });
                for (out, outs) in &outs {
                    if !wanted.outs.get(*slot, *out) && ins.iter().any(|from| outs.iter().any(|to| joined(from, to))) {
                        wanted.outs.set(*slot, *out);
                        wanted.left[*slot] -= 1;
                        new = true;
                    }
                }
            }
        }
        if new {
            self.waiting.insert(self.position[link.callee]);
        }
    }
}
