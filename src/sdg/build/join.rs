//! The edges between calls and their callees.
//!
//! An actual and a formal of memory are joined if they have a class in common, in the caller's words. Which are, is found once for each pair of caller and
//! callee.

use rustc_hash::FxHashMap;

use super::calls::CallNodes;
use super::{Facts, Whole};
use crate::ir::{FuncId, ValueId};
use crate::pointsto::{Reason, Target};
use crate::sdg::control::LoopMove;
use crate::sdg::graph::*;
use crate::sdg::memory::GroupId;

/// The caller's groups of each of a callee's.
type Pairs = Vec<(GroupId, GroupId)>;

pub(super) fn join(facts: &Facts<'_>, whole: &mut Whole) {
    let mut known: FxHashMap<(FuncId, FuncId), Pairs> = FxHashMap::default();
    let sites = std::mem::take(&mut whole.sites);
    for site in &sites {
        for target in &site.targets {
            match target.reason {
                Reason::Thread(_) => start(whole, site, *target),
                Reason::Called | Reason::Callback(_) | Reason::Unknown => {
                    enter(whole, site, *target);
                    if facts.points_to.clones(site.caller, site.inst).is_empty() {
                        let key = (site.caller, target.callee);
                        let pairs =
                            known.entry(key).or_insert_with(|| pairs(facts, site.caller, site.inst, target.callee));
                        memory(whole, site, target.callee, pairs);
                    } else {
                        let pairs = pairs(facts, site.caller, site.inst, target.callee);
                        memory(whole, site, target.callee, &pairs);
                    }
                }
            }
        }
    }
    whole.sites = sites;
}

/// Which groups of a caller and a callee have classes in common.
fn pairs(facts: &Facts<'_>, caller: FuncId, call: ValueId, callee: FuncId) -> Pairs {
    let renaming = facts.modref.renaming(facts.points_to, facts.classes, caller, call);
    let (outer, inner) = (&facts.groups[caller], &facts.groups[callee]);
    let mut found: Pairs = Vec::new();
    for (group, members) in inner.members.enumerate() {
        if inner.is_known[group] {
            for class in members {
                renaming.outside(*class, |class| found.extend(outer.of(class).map(|outer| (group, outer))));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn memory(whole: &mut Whole, site: &CallNodes, callee: FuncId, pairs: &Pairs) {
    let Some(formals) = &whole.procs[callee] else { return };
    for (inner, outer) in pairs {
        if let (Some(formal), Some(actual)) = (formals.ins[*inner], site.ins.get(outer)) {
            whole.graph.edge(*actual, formal, EdgeKind::ParamIn, LoopMove::default());
        }
        if let (Some(formal), Some(actual)) = (formals.outs[*inner], site.outs.get(outer)) {
            whole.graph.edge(formal, *actual, EdgeKind::ParamOut, LoopMove::default());
        }
    }
}

/// A call of a function: that it happens, its arguments, its result, its return.
fn enter(whole: &mut Whole, site: &CallNodes, target: Target) {
    let Some(formals) = &whole.procs[target.callee] else { return };
    let graph = &mut whole.graph;
    let none = LoopMove::default();
    graph.edge(site.call, formals.entry, EdgeKind::Call, none);
    if let (Some(formal), Some(actual)) = (formals.returns, site.returns) {
        graph.edge(formal, actual, EdgeKind::ParamOut, none);
    }
    let mut give = |actual: NodeId, formal: NodeId| graph.edge(actual, formal, EdgeKind::ParamIn, none);
    match target.reason {
        Reason::Called | Reason::Thread(_) => {
            for (actual, formal) in site.args.iter().zip(&formals.params) {
                give(*actual, *formal);
            }
            if let (Some(actual), Some(formal)) = (site.varargs, formals.varargs) {
                give(actual, formal);
            }
            if let (Some(formal), Some(actual)) = (formals.result, site.result) {
                graph.edge(formal, actual, EdgeKind::ParamOut, none);
            }
        }
        Reason::Callback(index) => {
            let is_it = |callback: &&super::calls::Callback| {
                Some(callback.external) == target.external && callback.index == index
            };
            let Some(callback) = site.callbacks.iter().find(is_it) else { return };
            let all = || site.args.iter().chain(site.ins.values()).copied();
            for (i, formal) in formals.params.iter().enumerate() {
                match &callback.params {
                    Some(params) => params.get(i).into_iter().flatten().for_each(|actual| give(*actual, *formal)),
                    None => all().for_each(|actual| give(actual, *formal)),
                }
            }
            if let Some(formal) = formals.varargs {
                all().for_each(|actual| give(actual, formal));
            }
            if let Some(formal) = formals.result {
                graph.edge(formal, callback.result, EdgeKind::ParamOut, none);
            }
        }
        Reason::Unknown => {
            for formal in formals.params.iter().chain(&formals.varargs) {
                site.args.iter().chain(site.ins.values()).for_each(|actual| give(*actual, *formal));
            }
            let result = site.unknown.iter().find(|(external, _)| Some(*external) == target.external);
            if let (Some(formal), Some((_, actual))) = (formals.result, result) {
                graph.edge(formal, *actual, EdgeKind::ParamOut, none);
            }
        }
    }
}

/// A thread, or something that is called later: nothing but that it may run, and what it gets.
fn start(whole: &mut Whole, site: &CallNodes, target: Target) {
    let Some(formals) = &whole.procs[target.callee] else { return };
    let none = LoopMove::default();
    whole.graph.edge(site.call, formals.entry, EdgeKind::Interference, none);
    let Reason::Thread(index) = target.reason else { return };
    let is_it = |thread: &&(FuncId, u32, Option<NodeId>)| Some(thread.0) == target.external && thread.1 == index;
    if let Some((_, _, Some(argument))) = site.threads.iter().find(is_it) {
        for formal in &formals.params {
            whole.graph.edge(*argument, *formal, EdgeKind::Interference, none);
        }
    }
}
