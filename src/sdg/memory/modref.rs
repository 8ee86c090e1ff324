//! What each function reads and writes, with all that it calls.
//!
//! Callees first over the components of the call graph; what a callee does to its caller's memory is what it does to all but its own frames. A
//! variable of a function's frame is known to those that the function calls, not to those that call it; where a component of the call
//! graph is recursive, frames may be of an activation further out, and are kept.

use rustc_hash::FxHashMap;

use super::accesses::{AllAccesses, Goal, SetId};
use super::classes::{Partition, sets_of};
use super::{ClassId, Classes};
use crate::base::IdVec;
use crate::base::bits::BitMatrix;
use crate::base::graph::{Components, Digraph};
use crate::base::id::Id;
use crate::ir::{FuncId, Program, ValueId};
use crate::pointsto::{ObjectKind, PointsTo, Reason};

/// What a function, with all it calls, may read and write of what was there before it was called.
#[derive(Clone, Debug, Default)]
pub struct Interface {
    /// Read, or written so that something of what was there may stay.
    pub reads: Classes,
    /// Written.
    pub writes: Classes,
}

/// The interfaces of all functions, and the order of calls.
#[derive(Debug)]
pub struct ModRef {
    /// By function.
    pub of: IdVec<FuncId, Interface>,
    /// The components of the call graph, callees first. Threads are not callees.
    pub bottom_up: Vec<Vec<FuncId>>,
    /// The function whose frame a class is in.
    pub frame: IdVec<ClassId, Option<FuncId>>,
    /// Which functions a function calls, by however many calls.
    reach: BitMatrix,
}

/// The function to whose frame an object belongs.
pub fn frame_of(kind: &ObjectKind) -> Option<FuncId> {
    match kind {
        ObjectKind::Local(func, _) | ObjectKind::Varargs(func) => Some(*func),
        ObjectKind::Heap { at, callee: None, .. } => Some(at.0),
        ObjectKind::Global(_)
        | ObjectKind::Function(_)
        | ObjectKind::Heap { .. }
        | ObjectKind::State(_)
        | ObjectKind::Stream(_)
        | ObjectKind::Errno
        | ObjectKind::Library(_)
        | ObjectKind::Address(_)
        | ObjectKind::Literals
        | ObjectKind::World => None,
    }
}

/// A class as it is called on the other side of a call: what a wrapper allocates is the caller's under another name.
pub struct Renaming<'a> {
    /// By class of the callee.
    names: FxHashMap<ClassId, Classes>,
    frame: &'a IdVec<ClassId, Option<FuncId>>,
    reach: &'a BitMatrix,
    caller: FuncId,
}

impl Renaming<'_> {
    /// The caller's classes of a callee's.
    pub fn outside(&self, class: ClassId, mut f: impl FnMut(ClassId)) {
        match self.names.get(&class) {
            Some(names) => names.iter().for_each(f),
            // Frames that are not below on the stack are others'.
            None => match self.frame[class] {
                Some(owner) if owner != self.caller && !self.reach.get(owner.index(), self.caller.index()) => {}
                Some(_) | None => f(class),
            },
        }
    }
    /// The caller's names of a set.
    pub fn all(&self, classes: &Classes) -> Classes {
        let mut found = Classes::new();
        for class in classes.iter() {
            self.outside(class, |class| {
                found.insert(class);
            });
        }
        found
    }
}

impl ModRef {
    /// Of a program.
    pub fn new(program: &Program, points_to: &PointsTo, accesses: &AllAccesses, classes: &Partition) -> ModRef {
        let calls = calls(program, points_to);
        let mut callees: IdVec<FuncId, Vec<FuncId>> = IdVec::filled(Vec::new(), program.functions.len());
        for (func, list) in calls.enumerate() {
            callees[func] = list.iter().map(|(_, callee)| *callee).collect();
            callees[func].sort_unstable();
            callees[func].dedup();
        }
        let graph = Digraph::new(callees.iter().map(|list| list.iter().copied()));
        let components = Components::new(&graph);
        let frame = classes
            .members
            .iter()
            .map(|cells| frame_of(&points_to.objects.get(points_to.objects.of_cell(cells[0])).kind))
            .collect();
        let mut found = ModRef {
            of: IdVec::filled(Interface::default(), program.functions.len()),
            bottom_up: (0..components.len()).map(|c| components.members(c).to_vec()).collect(),
            frame,
            reach: reach(&graph, &components),
        };
        for component in 0..components.len() {
            let members = components.members(component);
            let recursive = members.len() > 1 || graph.successors(members[0]).contains(&members[0]);
            let mut all = Interface::default();
            for func in members {
                let mut own = direct(accesses, classes, *func);
                for (call, callee) in &calls[*func] {
                    if members.contains(callee) {
                        continue;
                    }
                    let renaming = found.renaming(points_to, classes, *func, *call);
                    own.reads.union_with(&renaming.all(&found.of[*callee].reads));
                    own.writes.union_with(&renaming.all(&found.of[*callee].writes));
                }
                all.reads.union_with(&own.reads);
                all.writes.union_with(&own.writes);
                if !recursive {
                    let ends = |class: &ClassId| found.frame[*class] == Some(*func);
                    all.reads = all.reads.iter().filter(|class| !ends(class)).collect();
                    all.writes = all.writes.iter().filter(|class| !ends(class)).collect();
                }
            }
            if recursive {
                // What nobody else can name ends with each activation.
                let ends = |class: &ClassId| {
                    let cell = classes.members[*class][0];
                    found.frame[*class].is_some() && points_to.is_private(points_to.objects.of_cell(cell))
                };
                all.reads = all.reads.iter().filter(|class| !ends(class)).collect();
                all.writes = all.writes.iter().filter(|class| !ends(class)).collect();
            }
            for func in members {
                found.of[*func] = all.clone();
            }
        }
        found
    }
    /// How a call names the classes of its callees.
    pub fn renaming(&self, points_to: &PointsTo, classes: &Partition, caller: FuncId, call: ValueId) -> Renaming<'_> {
        let objects = &points_to.objects;
        let mut names: FxHashMap<ClassId, Classes> = FxHashMap::default();
        for (inside, outside) in points_to.clones(caller, call) {
            if objects.get(*inside).outside || objects.get(*outside).outside {
                continue;
            }
            let alike = objects.get(*inside).shape == objects.get(*outside).shape;
            for (i, cell) in objects.cells(*inside).into_iter().enumerate() {
                let Some(class) = classes.of(cell) else { continue };
                let to = names.entry(class).or_default();
                for (j, other) in objects.cells(*outside).into_iter().enumerate() {
                    if !alike || i == j {
                        to.extend(classes.of(other));
                    }
                }
            }
        }
        Renaming { names, frame: &self.frame, reach: &self.reach, caller }
    }
}

/// The calls of each function that has a body, with those callees that have one.
pub fn calls(program: &Program, points_to: &PointsTo) -> IdVec<FuncId, Vec<(ValueId, FuncId)>> {
    let mut found = IdVec::filled(Vec::new(), program.functions.len());
    for (func, _, body) in program.bodies() {
        if !points_to.is_reached(func) {
            continue;
        }
        let list: &mut Vec<(ValueId, FuncId)> = &mut found[func];
        for block in &body.blocks {
            for inst in &block.insts {
                let runs = |reason: Reason| !matches!(reason, Reason::Thread(_));
                let targets = points_to.targets(func, *inst).iter().filter(|t| runs(t.reason));
                list.extend(targets.filter(|t| points_to.is_reached(t.callee)).map(|t| (*inst, t.callee)));
            }
        }
        list.sort_unstable();
        list.dedup();
    }
    found
}

/// What the instructions of a function read and write themselves.
fn direct(accesses: &AllAccesses, classes: &Partition, func: FuncId) -> Interface {
    let function = &accesses.functions[func];
    let (mut reads, mut writes): (Vec<SetId>, Vec<SetId>) = (Vec::new(), Vec::new());
    for touch in function.touches.values() {
        reads.extend(touch.reads);
        writes.extend(touch.writes);
    }
    for external in function.externals.values() {
        for effect in &external.effects {
            reads.extend(sets_of(&effect.sources));
            match effect.goal {
                Goal::Memory(set) => writes.push(set),
                Goal::Result => {}
            }
        }
    }
    let union = |mut sets: Vec<SetId>| {
        sets.sort_unstable();
        sets.dedup();
        let mut all = Classes::new();
        sets.into_iter().for_each(|set| {
            all.union_with(classes.set(set));
        });
        all
    };
    let writes = union(writes);
    let mut reads = union(reads);
    // What is written may stay.
    reads.union_with(&writes);
    Interface { reads, writes }
}

/// Which functions each function calls, directly or not.
fn reach(graph: &Digraph<FuncId>, components: &Components<FuncId>) -> BitMatrix {
    let mut found = BitMatrix::new(graph.len(), graph.len());
    for component in 0..components.len() {
        let members = components.members(component);
        let mut row = vec![0u64; crate::base::bits::words_for(graph.len())];
        for func in members {
            for callee in graph.successors(*func) {
                row[callee.index() / 64] |= 1 << (callee.index() % 64);
                for (word, more) in row.iter_mut().zip(found.row(callee.index())) {
                    *word |= more;
                }
            }
        }
        for func in members {
            found.row_mut(func.index()).copy_from_slice(&row);
        }
    }
    found
}
