//! Memory as those see it that do not follow the flow of control: threads and handlers, calls that return twice, and entries of which one is called after
//! the other.
//!
//! For each class that such a reader sees there is one node, to which all writes of the class lead and from which all such reads follow, so the edges are
//! linear in the accesses. An edge to or from it forgets the context.

use rustc_hash::FxHashMap;

use super::{Facts, Options, Whole};
use crate::base::IdVec;
use crate::ir::FuncId;
use crate::pointsto::Reason;
use crate::sdg::control::LoopMove;
use crate::sdg::graph::*;
use crate::sdg::memory::modref::calls;
use crate::sdg::memory::{ClassId, Classes};

pub(super) fn share(facts: &Facts<'_>, whole: &mut Whole, options: &Options) {
    if whole.graph.procedures().is_empty() {
        return;
    }
    let mut hubs = Hubs { of: FxHashMap::default() };
    threads(facts, whole, options, &mut hubs);
    second_returns(facts, whole, &mut hubs);
    later_entries(facts, whole, options, &mut hubs);
}

struct Hubs {
    of: FxHashMap<ClassId, NodeId>,
}

impl Hubs {
    fn get(&mut self, whole: &mut Whole, class: ClassId) -> NodeId {
        *self.of.entry(class).or_insert_with(|| {
            let last = whole.graph.procedures().ids().next_back().expect("there is one");
            let place = whole.graph.nodes()[whole.graph.procedures()[last].entry].place;
            whole.graph.node(NodeKind::Shared(class.0), place, None)
        })
    }
}

fn across(whole: &mut Whole, from: NodeId, to: NodeId) {
    whole.graph.edge(from, to, EdgeKind::Interference, LoopMove::default());
}

/// The functions that start threads, handlers and the like.
fn thread_roots(facts: &Facts<'_>, options: &Options) -> Vec<FuncId> {
    let mut found: Vec<FuncId> = options.threads.clone();
    found
        .extend(facts.program.functions.enumerate().filter(|(_, f)| f.interrupt && f.body.is_some()).map(|(id, _)| id));
    for (func, _, body) in facts.program.bodies() {
        for (inst, _) in body.insts.enumerate() {
            let targets = facts.points_to.targets(func, inst).iter();
            found.extend(targets.filter(|t| matches!(t.reason, Reason::Thread(_))).map(|t| t.callee));
        }
    }
    found.sort_unstable();
    found.dedup();
    found.retain(|func| facts.points_to.is_reached(*func));
    found
}

/// Reads and writes of different threads.
fn threads(facts: &Facts<'_>, whole: &mut Whole, options: &Options, hubs: &mut Hubs) {
    let roots = thread_roots(facts, options);
    if roots.is_empty() {
        return;
    }
    let callees = calls(facts.program, facts.points_to);
    let reached = |starts: &[FuncId]| -> IdVec<FuncId, bool> {
        let mut found = IdVec::filled(false, facts.program.functions.len());
        let mut work = starts.to_vec();
        while let Some(func) = work.pop() {
            if !std::mem::replace(&mut found[func], true) {
                work.extend(callees[func].iter().map(|(_, callee)| *callee));
            }
        }
        found
    };
    let beside = reached(&roots);
    // What the threads touch, and whether it is written at all; a thread may run several times beside itself.
    let mut touched = Classes::new();
    for (_, func, set) in whole.reads.iter().chain(&whole.writes) {
        if beside[*func] {
            touched.union_with(facts.classes.set(*set));
        }
    }
    // Frames of functions that no thread is given the address of are nobody else's.
    let objects = &facts.points_to.objects;
    let is_private = |class: ClassId| {
        let object = objects.of_cell(facts.classes.members[class][0]);
        facts.modref.frame[class].is_some() && facts.points_to.is_private(object)
    };
    let shared: Classes = touched.iter().filter(|class| !is_private(*class)).collect();
    writers(facts, whole, hubs, &shared);
    let reads = std::mem::take(&mut whole.reads);
    for (node, _, set) in &reads {
        for class in facts.classes.set(*set).intersection(&shared).iter() {
            let hub = hubs.get(whole, class);
            across(whole, hub, *node);
        }
    }
    whole.reads = reads;
    // Whether a handler runs depends on the states that its being registered shares with what raises it.
    let sites = std::mem::take(&mut whole.sites);
    for site in &sites {
        let states = site.states.clone();
        if states.is_empty() {
            continue;
        }
        writers(facts, whole, hubs, &states);
        for target in site.targets.iter().filter(|t| matches!(t.reason, Reason::Thread(_))) {
            let Some(entry) = whole.procs[target.callee].as_ref().map(|formals| formals.entry) else { continue };
            for class in states.iter() {
                let hub = hubs.get(whole, class);
                across(whole, hub, entry);
            }
        }
    }
    whole.sites = sites;
}

/// All writes of some classes lead to their nodes.
fn writers(facts: &Facts<'_>, whole: &mut Whole, hubs: &mut Hubs, classes: &Classes) {
    let writes = std::mem::take(&mut whole.writes);
    for (node, _, set) in &writes {
        for class in facts.classes.set(*set).intersection(classes).iter() {
            let hub = hubs.get(whole, class);
            across(whole, *node, hub);
        }
    }
    whole.writes = writes;
}

/// What memory holds when a call returns a second time.
fn second_returns(facts: &Facts<'_>, whole: &mut Whole, hubs: &mut Hubs) {
    let twice = std::mem::take(&mut whole.twice);
    let jumps = std::mem::take(&mut whole.jumps);
    let mut all = Classes::new();
    for call in &twice {
        for (group, _) in &call.outs {
            all.extend(facts.groups[call.func].members[*group].iter().copied());
        }
    }
    writers(facts, whole, hubs, &all);
    for call in &twice {
        for (group, out) in &call.outs {
            for class in &facts.groups[call.func].members[*group] {
                if let Some(hub) = hubs.of.get(class).copied() {
                    across(whole, hub, *out);
                }
            }
        }
        for (jump, buffer) in &jumps {
            if let Some(returns) = call.returns
                && (buffer.is_empty() || call.buffer.is_empty() || buffer.meets(&call.buffer))
            {
                across(whole, *jump, returns);
            }
        }
    }
}

/// What one entry leaves, the next one finds.
fn later_entries(facts: &Facts<'_>, whole: &mut Whole, options: &Options, hubs: &mut Hubs) {
    let program = facts.program;
    let mut entries: Vec<FuncId> = program.constructors.iter().chain(&program.destructors).copied().collect();
    entries.extend(&options.entries);
    entries.extend(&options.threads);
    let is_main = |func: &FuncId| program.functions[*func].name == "main";
    if entries.len() < 2 && entries.iter().all(is_main) {
        return;
    }
    entries.sort_unstable();
    entries.dedup();
    for ends in [true, false] {
        for func in &entries {
            let Some(formals) = whole.procs[*func].clone() else { continue };
            let nodes = if ends { &formals.outs } else { &formals.ins };
            for (group, node) in nodes.enumerate() {
                let Some(node) = *node else { continue };
                for class in &facts.groups[*func].members[group] {
                    if ends {
                        let hub = hubs.get(whole, *class);
                        across(whole, node, hub);
                    } else if let Some(hub) = hubs.of.get(class).copied() {
                        across(whole, hub, node);
                    }
                }
            }
        }
    }
}
