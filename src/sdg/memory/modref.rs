//! What each function reads and writes, with all that it calls.
//!
//! Callees first over the components of the call graph; a recursive component is done again until nothing grows. What a function touches is told apart by how it
//! gets there: through its own parameters, or otherwise. At a call, what the callee touches through a parameter is touched only if the argument points into that object; so
//! `set(&x, 1)` does not touch what `set(&y, 2)` does, though `set` itself is looked at once.
//!
//! A variable of a function's frame is known to those that the function calls, not to those that call it; where a component of the call
//! graph is recursive, frames may be of an activation further out, and are kept.

use rustc_hash::FxHashMap;

use super::accesses::{AllAccesses, Effect, Goal, SetId, Source};
use super::classes::Partition;
use super::{ClassId, Classes};
use crate::base::IdVec;
use crate::base::bits::BitMatrix;
use crate::base::graph::{Components, Digraph};
use crate::base::id::Id;
use crate::base::sparse::SparseSet;
use crate::ir::{Body, FuncId, InstKind, Operand, Program, ValueId};
use crate::pointsto::{ObjectId, ObjectKind, PointsTo, Reason};

/// What a function, with all it calls, may read and write of what was there before it was called.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// Read, or written so that something of what was there may stay.
    pub reads: Classes,
    /// Written.
    pub writes: Classes,
}

impl Interface {
    fn add(&mut self, other: &Interface) {
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
    }
    fn keep(&mut self, keeps: impl Fn(ClassId) -> bool) {
        self.reads = self.reads.iter().filter(|class| keeps(*class)).collect();
        self.writes = self.writes.iter().filter(|class| keeps(*class)).collect();
    }
}

/// How a function touches memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Ways {
    /// Through addresses that are computed from this parameter and no other.
    through: Vec<Interface>,
    /// In any other way.
    otherwise: Interface,
}

impl Ways {
    fn new(params: usize) -> Ways {
        Ways { through: vec![Interface::default(); params], otherwise: Interface::default() }
    }
    fn way(&mut self, param: Option<usize>) -> &mut Interface {
        match param.filter(|param| *param < self.through.len()) {
            Some(param) => &mut self.through[param],
            None => &mut self.otherwise,
        }
    }
    fn add(&mut self, other: &Ways) {
        for (mine, more) in self.through.iter_mut().zip(&other.through) {
            mine.add(more);
        }
        self.otherwise.add(&other.otherwise);
    }
}

/// The interfaces of all functions, and the order of calls.
#[derive(Debug)]
pub struct ModRef {
    /// By function.
    pub of: IdVec<FuncId, Interface>,
    ways: IdVec<FuncId, Ways>,
    /// The components of the call graph, callees first. Threads are not callees.
    pub bottom_up: Vec<Vec<FuncId>>,
    /// The function whose frame a class is in.
    pub frame: IdVec<ClassId, Option<FuncId>>,
    /// The classes that are in a frame.
    framed: Classes,
    /// The object of each class.
    objects: IdVec<ClassId, SparseSet<ObjectId>>,
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
    /// Classes that may have another name, or none.
    special: Classes,
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
        let mut found = classes.difference(&self.special);
        for class in classes.intersection(&self.special).iter() {
            self.outside(class, |class| {
                found.insert(class);
            });
        }
        found
    }
}

/// A call of a function that has a body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CallOf {
    /// The call.
    pub inst: ValueId,
    /// Who is called.
    pub callee: FuncId,
    /// Whether it is called with the arguments of the call, not by somebody in between.
    pub direct: bool,
}

impl ModRef {
    /// Of a program.
    pub fn new(program: &Program, points_to: &PointsTo, accesses: &AllAccesses, classes: &Partition) -> ModRef {
        let calls = calls(program, points_to);
        let mut callees: IdVec<FuncId, Vec<FuncId>> = IdVec::filled(Vec::new(), program.functions.len());
        for (func, list) in calls.enumerate() {
            callees[func] = list.iter().map(|call| call.callee).collect();
            callees[func].sort_unstable();
            callees[func].dedup();
        }
        let graph = Digraph::new(callees.iter().map(|list| list.iter().copied()));
        let components = Components::new(&graph);
        let objects = &points_to.objects;
        let of_class =
            |cells: &Vec<_>| cells.iter().map(|cell| objects.of_cell(*cell)).collect::<SparseSet<ObjectId>>();
        let mut found = ModRef {
            of: IdVec::filled(Interface::default(), program.functions.len()),
            ways: IdVec::filled(Ways::default(), program.functions.len()),
            bottom_up: (0..components.len()).map(|c| components.members(c).to_vec()).collect(),
            frame: classes.members.iter().map(|cells| frame_of(&objects.get(objects.of_cell(cells[0])).kind)).collect(),
            framed: Classes::new(),
            objects: classes.members.iter().map(of_class).collect(),
            reach: reach(&graph, &components),
        };
        found.framed = found.frame.enumerate().filter(|(_, frame)| frame.is_some()).map(|(class, _)| class).collect();
        let origins: IdVec<FuncId, Vec<Origin>> = (program.functions.enumerate())
            .map(|(func, f)| match &f.body {
                Some(body) if points_to.is_reached(func) => origins(body),
                Some(_) | None => Vec::new(),
            })
            .collect();
        for component in 0..components.len() {
            let members = components.members(component);
            let recursive = members.len() > 1 || graph.successors(members[0]).contains(&members[0]);
            let facts = Facts { program, points_to, accesses, classes, calls: &calls, origins: &origins };
            loop {
                let mut grew = false;
                for func in members {
                    let mut ways = found.ways_of(&facts, *func);
                    let ends = |class: ClassId| {
                        let private = || points_to.is_private(objects.of_cell(classes.members[class][0]));
                        match found.frame[class] {
                            // What nobody else can name ends with each activation.
                            Some(_) if recursive => private(),
                            frame => frame == Some(*func),
                        }
                    };
                    ways.otherwise.keep(|class| !ends(class));
                    ways.through.iter_mut().for_each(|way| way.keep(|class| !ends(class)));
                    ways.add(&found.ways[*func]);
                    grew |= ways != found.ways[*func];
                    found.ways[*func] = ways;
                }
                if !recursive || !grew {
                    break;
                }
            }
            for func in members {
                let mut all = found.ways[*func].otherwise.clone();
                found.ways[*func].through.iter().for_each(|way| all.add(way));
                found.of[*func] = all;
            }
        }
        found
    }
    /// What a function touches, and how.
    fn ways_of(&self, facts: &Facts<'_>, func: FuncId) -> Ways {
        let Some(body) = facts.program.functions[func].body.as_ref().filter(|_| facts.points_to.is_reached(func))
        else {
            return Ways::default();
        };
        let mut ways = facts.direct(func, body);
        for call in &facts.calls[func] {
            let InstKind::Call { args, .. } = &body.insts[call.inst].kind else { continue };
            let renaming = self.renaming(facts.points_to, facts.classes, func, call.inst);
            let callee = &self.ways[call.callee];
            let touched =
                |way: &Interface| Interface { reads: renaming.all(&way.reads), writes: renaming.all(&way.writes) };
            ways.otherwise.add(&touched(&callee.otherwise));
            for (i, way) in callee.through.iter().enumerate() {
                if way.reads.is_empty() {
                    continue;
                }
                let mut way = touched(way);
                let argument = args.get(i).copied().filter(|_| call.direct);
                if call.direct {
                    self.keep_pointed(facts.points_to, func, argument, &mut way);
                }
                let param = argument.and_then(|argument| origin(&facts.origins[func], argument));
                ways.way(param).add(&way);
            }
        }
        ways
    }
    /// Keeps what an argument points into.
    fn keep_pointed(&self, points_to: &PointsTo, func: FuncId, argument: Option<Operand>, way: &mut Interface) {
        let mut pointed: SparseSet<ObjectId> = SparseSet::new();
        let mut outside = false;
        if let Some(argument) = argument {
            points_to.for_each(func, argument, |place| {
                let object = points_to.objects.of_place(place);
                outside |= matches!(points_to.objects.get(object).kind, ObjectKind::World);
                pointed.insert(object);
            });
        }
        // A pointer to outside may point to anything that is known there.
        if !outside {
            way.keep(|class| self.objects[class].meets(&pointed));
        }
    }
    /// What a call of a function touches, in the caller's words.
    pub fn at_call(
        &self,
        program: &Program,
        points_to: &PointsTo,
        classes: &Partition,
        func: FuncId,
        call: CallOf,
    ) -> Interface {
        let renaming = self.renaming(points_to, classes, func, call.inst);
        let ways = &self.ways[call.callee];
        let touched =
            |way: &Interface| Interface { reads: renaming.all(&way.reads), writes: renaming.all(&way.writes) };
        let mut found = touched(&ways.otherwise);
        let args = match program.functions[func].body.as_ref().map(|body| &body.insts[call.inst].kind) {
            Some(InstKind::Call { args, .. }) => args.as_slice(),
            _ => &[],
        };
        for (i, way) in ways.through.iter().enumerate() {
            if way.reads.is_empty() {
                continue;
            }
            let mut way = touched(way);
            if call.direct {
                self.keep_pointed(points_to, func, args.get(i).copied(), &mut way);
            }
            found.add(&way);
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
        let mut special = self.framed.clone();
        let mut renamed: Vec<ClassId> = names.keys().copied().collect();
        renamed.sort_unstable();
        special.extend(renamed);
        Renaming { names, special, frame: &self.frame, reach: &self.reach, caller }
    }
}

struct Facts<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    accesses: &'a AllAccesses,
    classes: &'a Partition,
    calls: &'a IdVec<FuncId, Vec<CallOf>>,
    origins: &'a IdVec<FuncId, Vec<Origin>>,
}

impl Facts<'_> {
    /// What the instructions of a function read and write themselves.
    fn direct(&self, func: FuncId, body: &Body) -> Ways {
        let function = &self.accesses.functions[func];
        let mut sets: Vec<(Option<usize>, bool, SetId)> = Vec::new();
        for touch in function.touches.values() {
            let param = match &body.insts[touch.inst].kind {
                InstKind::Load { addr, .. } | InstKind::Store { addr, .. } => origin(&self.origins[func], *addr),
                _ => None,
            };
            sets.extend(touch.reads.map(|set| (param, false, set)));
            sets.extend(touch.writes.map(|set| (param, true, set)));
        }
        for ((call, _), external) in &function.externals {
            let args = match &body.insts[*call].kind {
                InstKind::Call { args, .. } => args.as_slice(),
                _ => &[],
            };
            for Effect { sources, goal, from, to } in &external.effects {
                let param = |n: Option<u32>| n.and_then(|n| origin(&self.origins[func], *args.get(n as usize)?));
                for (source, argument) in sources.iter().zip(from) {
                    if let Source::Memory(set) = source {
                        sets.push((param(*argument), false, *set));
                    }
                }
                if let Goal::Memory(set) = goal {
                    sets.push((param(*to), true, *set));
                }
            }
        }
        sets.sort_unstable();
        sets.dedup();
        let mut ways = Ways::new(body.params.len());
        for (param, writes, set) in sets {
            let way = ways.way(param);
            // What is written may stay.
            way.reads.union_with(self.classes.set(set));
            if writes {
                way.writes.union_with(self.classes.set(set));
            }
        }
        ways
    }
}

/// The parameter that an address is computed from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    /// Not known yet: only in the search.
    Open,
    Param(u32),
    Other,
}

/// The parameter that an operand is computed from, if it is one only.
fn origin(origins: &[Origin], operand: Operand) -> Option<usize> {
    match operand {
        Operand::Value(value) => match origins.get(value.index()) {
            Some(Origin::Param(n)) => Some(*n as usize),
            Some(Origin::Open | Origin::Other) | None => None,
        },
        Operand::Int(..)
        | Operand::Float(..)
        | Operand::Global(_)
        | Operand::Function(_)
        | Operand::Local(_)
        | Operand::Label(_) => None,
    }
}

/// The parameter that each value is computed from by address arithmetic, if it is one only.
fn origins(body: &Body) -> Vec<Origin> {
    let mut found = vec![Origin::Open; body.insts.len()];
    loop {
        let mut changed = false;
        for block in &body.blocks {
            for value in &block.insts {
                let of = |operand: &Operand| match operand {
                    Operand::Value(value) => found[value.index()],
                    // A null pointer points nowhere.
                    Operand::Int(n, _) if n.bits() == 0 => Origin::Open,
                    _ => Origin::Other,
                };
                let new = match &body.insts[*value].kind {
                    InstKind::Param(n) => Origin::Param(*n),
                    InstKind::Copy(a)
                    | InstKind::Cast(a)
                    | InstKind::FieldAddr { base: a, .. }
                    | InstKind::PtrAdd { base: a, .. } => of(a),
                    InstKind::Phi(operands) => {
                        let mut all = Origin::Open;
                        for (_, operand) in operands {
                            all = match (all, of(operand)) {
                                (Origin::Open, other) | (other, Origin::Open) => other,
                                (Origin::Param(a), Origin::Param(b)) if a == b => Origin::Param(a),
                                _ => Origin::Other,
                            };
                        }
                        all
                    }
                    _ => Origin::Other,
                };
                // From open to a parameter to other, never back.
                let new = match (found[value.index()], new) {
                    (Origin::Open, new) => new,
                    (old, Origin::Open) => old,
                    (old, new) if old == new => old,
                    _ => Origin::Other,
                };
                changed |= new != found[value.index()];
                found[value.index()] = new;
            }
        }
        if !changed {
            return found;
        }
    }
}

/// The calls of each function that has a body, with those callees that have one.
pub fn calls(program: &Program, points_to: &PointsTo) -> IdVec<FuncId, Vec<CallOf>> {
    let mut found = IdVec::filled(Vec::new(), program.functions.len());
    for (func, _, body) in program.bodies() {
        if !points_to.is_reached(func) {
            continue;
        }
        let list: &mut Vec<CallOf> = &mut found[func];
        for block in &body.blocks {
            for inst in &block.insts {
                for target in points_to.targets(func, *inst) {
                    let direct = match target.reason {
                        Reason::Called => true,
                        Reason::Callback(_) | Reason::Unknown => false,
                        Reason::Thread(_) => continue,
                    };
                    if points_to.is_reached(target.callee) {
                        list.push(CallOf { inst: *inst, callee: target.callee, direct });
                    }
                }
            }
        }
        list.sort_unstable();
        list.dedup();
    }
    found
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
