//! Memory as those see it that do not follow the flow of control: threads and handlers, calls that return twice, and entries of which one is called after
//! the other.
//!
//! For each class that such a reader sees there is one node, to which all writes of the class lead and from which all such reads follow, so the edges are
//! linear in the accesses. An edge to or from it forgets the context.

use rustc_hash::FxHashMap;

use super::{Facts, Options, Whole};
use crate::base::IdVec;
use crate::ir::FuncId;
use crate::pointsto::{ObjectKind, Reason};
use crate::sdg::control::LoopMove;
use crate::sdg::graph::*;
use crate::sdg::memory::accesses::SetId;
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

/// Whose writes a node collects.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Hub {
    /// Those of threads.
    Beside,
    /// All.
    All,
}

struct Hubs {
    of: FxHashMap<(Hub, ClassId), NodeId>,
}

impl Hubs {
    fn get(&mut self, whole: &mut Whole, hub: Hub, class: ClassId) -> NodeId {
        *self.of.entry((hub, class)).or_insert_with(|| {
            let last = whole.graph.procedures().ids().next_back().expect("there is one");
            let place = whole.graph.nodes()[whole.graph.procedures()[last].entry].place;
            let number = class.0 * 2 + u32::from(hub == Hub::Beside);
            whole.graph.node(NodeKind::Shared(number), place, None)
        })
    }
}

fn across(whole: &mut Whole, from: NodeId, to: NodeId) {
    whole.graph.edge(from, to, EdgeKind::Interference, LoopMove::default());
}

/// The functions that threads, handlers and the like start with.
struct Roots {
    all: Vec<FuncId>,
    /// Those after which the program itself goes on, or beside which it runs: not what runs at its end, nor a handler that ends it.
    with_sequel: Vec<FuncId>,
}

fn thread_roots(facts: &Facts<'_>, whole: &Whole, options: &Options) -> Roots {
    let all = all_roots(facts, options);
    let mut with_sequel = options.threads.clone();
    with_sequel.extend(all.iter().filter(|func| facts.program.functions[**func].interrupt));
    let objects = &facts.points_to.objects;
    let is_state = |class: ClassId, name: &str| {
        let object = objects.of_cell(facts.classes.members[class][0]);
        matches!(&objects.get(object).kind, ObjectKind::State(found) if found == name)
    };
    for site in &whole.sites {
        let only = |name: &str| !site.states.is_empty() && site.states.iter().all(|class| is_state(class, name));
        let (at_exit, handler) = (only("exit"), only("signals"));
        for target in site.targets.iter().filter(|t| matches!(t.reason, Reason::Thread(_))) {
            let ends = at_exit || (handler && facts.never_returns(target.callee));
            with_sequel.extend((!ends).then_some(target.callee));
        }
    }
    with_sequel.sort_unstable();
    with_sequel.dedup();
    Roots { all, with_sequel }
}

fn all_roots(facts: &Facts<'_>, options: &Options) -> Vec<FuncId> {
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
    let roots = thread_roots(facts, whole, options);
    if roots.all.is_empty() {
        return;
    }
    let callees = calls(facts.program, facts.points_to);
    let reached = |starts: &[FuncId]| -> IdVec<FuncId, bool> {
        let mut found = IdVec::filled(false, facts.program.functions.len());
        let mut work = starts.to_vec();
        while let Some(func) = work.pop() {
            if !std::mem::replace(&mut found[func], true) {
                work.extend(callees[func].iter().map(|call| call.callee));
            }
        }
        found
    };
    let beside = reached(&roots.all);
    let sequel = reached(&roots.with_sequel);
    let main = reached(&sequential(facts, options));
    // Frames of functions that no thread is given the address of are nobody else's.
    let objects = &facts.points_to.objects;
    let is_private = |class: ClassId| {
        let object = objects.of_cell(facts.classes.members[class][0]);
        facts.modref.frame[class].is_some() && facts.points_to.is_private(object)
    };
    let touched = |accesses: &[(NodeId, FuncId, SetId)], by: &IdVec<FuncId, bool>| -> Classes {
        let mut found = Classes::new();
        for (_, func, set) in accesses {
            if by[*func] {
                found.union_with(facts.classes.set(*set));
            }
        }
        found.iter().filter(|class| !is_private(*class)).collect()
    };
    // What a thread writes, everybody may read: a thread may run beside another of its kind. What the others write, threads may read.
    let written = touched(&whole.writes, &sequel);
    flow(facts, whole, hubs, Hub::Beside, &written, &sequel, &|_| true);
    let read = touched(&whole.reads, &beside);
    let others = facts.program.functions.ids().map(|func| main[func] || beside[func]).collect();
    flow(facts, whole, hubs, Hub::All, &read, &others, &|func| beside[func]);
    results(facts, whole, hubs, &roots.all);
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
                let hub = hubs.get(whole, Hub::All, class);
                across(whole, hub, entry);
            }
        }
    }
    whole.sites = sites;
}

/// What threads return goes to a state, which whoever waits for them reads.
fn results(facts: &Facts<'_>, whole: &mut Whole, hubs: &mut Hubs, roots: &[FuncId]) {
    let objects = &facts.points_to.objects;
    let Some(state) = objects.find(&ObjectKind::threads()) else { return };
    let classes: Classes = objects.cells(state).into_iter().filter_map(|cell| facts.classes.of(cell)).collect();
    for func in roots {
        let Some(result) = whole.procs[*func].as_ref().and_then(|formals| formals.result) else { continue };
        for class in classes.iter() {
            let hub = hubs.get(whole, Hub::All, class);
            across(whole, result, hub);
        }
    }
    let reads = std::mem::take(&mut whole.reads);
    for (node, _, set) in &reads {
        for class in facts.classes.set(*set).intersection(&classes).iter() {
            if let Some(hub) = hubs.of.get(&(Hub::All, class)).copied() {
                across(whole, hub, *node);
            }
        }
    }
    whole.reads = reads;
}

/// The functions where the program itself starts.
fn sequential(facts: &Facts<'_>, options: &Options) -> Vec<FuncId> {
    let program = facts.program;
    program.constructors.iter().chain(&program.destructors).chain(&options.entries).copied().collect()
}

/// From writes of some classes in some functions to reads of them in others.
fn flow(
    facts: &Facts<'_>,
    whole: &mut Whole,
    hubs: &mut Hubs,
    hub: Hub,
    classes: &Classes,
    from: &IdVec<FuncId, bool>,
    to: &dyn Fn(FuncId) -> bool,
) {
    let (writes, reads) = (std::mem::take(&mut whole.writes), std::mem::take(&mut whole.reads));
    for (node, func, set) in &writes {
        if from[*func] {
            for class in facts.classes.set(*set).intersection(classes).iter() {
                let hub = hubs.get(whole, hub, class);
                across(whole, *node, hub);
            }
        }
    }
    for (node, func, set) in &reads {
        if to(*func) {
            for class in facts.classes.set(*set).intersection(classes).iter() {
                if let Some(hub) = hubs.of.get(&(hub, class)).copied() {
                    across(whole, hub, *node);
                }
            }
        }
    }
    (whole.writes, whole.reads) = (writes, reads);
}

/// All writes of some classes lead to their nodes.
fn writers(facts: &Facts<'_>, whole: &mut Whole, hubs: &mut Hubs, classes: &Classes) {
    let writes = std::mem::take(&mut whole.writes);
    for (node, _, set) in &writes {
        for class in facts.classes.set(*set).intersection(classes).iter() {
            let hub = hubs.get(whole, Hub::All, class);
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
                if let Some(hub) = hubs.of.get(&(Hub::All, *class)).copied() {
                    across(whole, hub, *out);
                }
            }
        }
        for (jump, buffer) in &jumps {
            if !buffer.is_empty() && !call.buffer.is_empty() && !buffer.meets(&call.buffer) {
                continue;
            }
            // That it comes back, and with which result.
            for to in call.returns.iter().chain(&call.result) {
                for from in jump {
                    across(whole, *from, *to);
                }
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
                        let hub = hubs.get(whole, Hub::All, *class);
                        across(whole, node, hub);
                    } else if let Some(hub) = hubs.of.get(&(Hub::All, *class)).copied() {
                        across(whole, hub, node);
                    }
                }
            }
        }
    }
}
