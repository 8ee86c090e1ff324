//! What each pointer may point to, and what each call may call.
//!
//! Inclusion-based (Andersen), with the call graph found on the way: a function's constraints are made when it turns out to be called.
//! Objects are divided by their types ([`shape`]), arrays are one element, memory from an allocation is one object for each
//! place that allocates; where that is in an allocation wrapper, one for each call of the wrapper (`wrappers`). Functions without
//! body do what their [`Models`] say.
//!
//! Integers carry pointers, too: those at least as wide as a pointer through all arithmetic, narrower ones (descriptors of files, bytes
//! of a pointer that are copied one by one) as long as they are only moved.
//!
//! Invariant: what a value holds, in any run of the program from its entries that keeps accesses inside their objects, is among its
//! places, or is no pointer. Places that arithmetic leads to without a trace in the types are *anywhere* in their object.
//!
//! Cost: cubic in the worst case, near linear in practice; see `solver`.

pub mod shape;
pub mod objects;
mod solver;
mod wrappers;
mod bodies;
mod calls;
mod effects;
mod finish;
mod registers;
mod start;
mod threads;
mod wanted;
pub mod print;

use rustc_hash::{FxHashMap, FxHashSet};

pub use bodies::access_size;
pub use effects::{Bond, Extent, regions};
pub use objects::{CellId, CellRange, Object, ObjectId, ObjectKind, Objects, PlaceId};
pub use solver::{Places, Region};

use crate::base::IdVec;
use crate::base::sparse::SparseSet;
use crate::ir::{Body, FuncId, Operand, Program, Type, TypeId, ValueId};
use crate::models::Models;
use crate::policy::UnknownFunctions;
use bodies::Analysis;
use solver::VarId;

/// How to analyse.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where runs start, apart from constructors and destructors.
    pub entries: Vec<FuncId>,
    /// What functions do that have neither body nor model.
    pub unknown: UnknownFunctions,
    /// Functions that run beside the program without being started by it: interrupts.
    pub threads: Vec<FuncId>,
}

/// Why a call reaches a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    /// It is what is called.
    Called,
    /// The model of `external` calls it back: the index among the model's callbacks.
    Callback(u32),
    /// The model of `external` starts it as a thread, or has it called later: the index among the model's threads.
    Thread(u32),
    /// `external`, of which nothing is known, may call it.
    Unknown,
}

/// A function that a call may reach.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Target {
    /// The function.
    pub callee: FuncId,
    /// Why.
    pub reason: Reason,
    /// The function without body that reaches it, unless it is called itself.
    pub external: Option<FuncId>,
}

/// What pointers point to.
#[derive(Debug)]
pub struct PointsTo {
    /// What there is to point to.
    pub objects: Objects,
    /// For each function that is reached, the places of its values, from which on; see `vars`.
    values: IdVec<FuncId, Option<Vec<u32>>>,
    /// The set of each variable.
    set_of: Vec<u32>,
    sets: Vec<Places>,
    /// Where addresses of variables were taken.
    addresses: FxHashMap<(FuncId, Operand), PlaceId>,
    /// By function and call.
    targets: FxHashMap<(FuncId, ValueId), Vec<Target>>,
    /// Calls that may call something that nobody knows.
    unknown_calls: FxHashSet<(FuncId, ValueId)>,
    /// Objects of an allocation wrapper, and what they are at a call of it.
    clones: FxHashMap<(FuncId, ValueId), Vec<(ObjectId, ObjectId)>>,
    /// Objects whose address is in memory, or is passed to a function.
    shared: SparseSet<ObjectId>,
    /// Functions that callers of a library can get hold of, beside its entries, ascending: they start runs, too.
    pub handed_out: Vec<FuncId>,
    /// What is known outside, apart from functions: a pointer to there may be one to any of these.
    pub outside: Vec<ObjectId>,
    /// The set of what each cell holds.
    cells: IdVec<CellId, u32>,
    /// Functions that may be called while they run.
    recursive: IdVec<FuncId, bool>,
    /// Variables, edges.
    pub size: (usize, usize),
}

impl PointsTo {
    /// Whether a run may reach the function.
    pub fn is_reached(&self, func: FuncId) -> bool {
        self.values[func].is_some()
    }
    /// Calls `f` on every place that an operand of a function may hold.
    pub fn for_each(&self, func: FuncId, operand: Operand, mut f: impl FnMut(PlaceId)) {
        match operand {
            Operand::Value(value) => {
                if let Some(places) = self.of_value(func, value) {
                    places.iter().for_each(f);
                }
            }
            Operand::Int(..)
            | Operand::Global(_)
            | Operand::Function(_)
            | Operand::Local(_)
            | Operand::Float(..)
            | Operand::Label(_) => {
                if let Some(place) = self.addresses.get(&key(func, operand)) {
                    f(*place);
                }
            }
        }
    }
    /// The places that an operand may hold.
    pub fn of(&self, func: FuncId, operand: Operand) -> Places {
        let mut found = Places::new();
        self.for_each(func, operand, |place| {
            found.insert(place);
        });
        found
    }
    /// The places of a value, `None` if it holds no pointer.
    pub fn of_value(&self, func: FuncId, value: ValueId) -> Option<&Places> {
        let first = *self.values[func].as_ref()?.get(value.0 as usize)?;
        (first != u32::MAX).then(|| &self.sets[self.set_of[first as usize] as usize])
    }
    /// A number of the set of places of a value: values with the same number hold the same places.
    pub fn set_number(&self, func: FuncId, value: ValueId) -> Option<u32> {
        let first = *self.values[func].as_ref()?.get(value.0 as usize)?;
        (first != u32::MAX).then(|| self.set_of[first as usize])
    }
    /// What a cell may hold.
    pub fn held(&self, cell: CellId) -> &Places {
        &self.sets[self.cells[cell] as usize]
    }
    /// Whether a function may be called while it runs.
    pub fn is_recursive(&self, func: FuncId) -> bool {
        self.recursive[func]
    }
    /// The objects that wrappers make, as the wrappers know them.
    pub fn cloned(&self) -> SparseSet<ObjectId> {
        let mut all: Vec<ObjectId> = self.clones.values().flatten().map(|(inside, _)| *inside).collect();
        all.sort_unstable();
        all.into_iter().collect()
    }
    /// Whether an object is named by nobody but the function it belongs to.
    pub fn is_private(&self, object: ObjectId) -> bool {
        !self.shared.contains(object)
    }
    /// The functions that a call may reach, ascending. Those that have no body and no model are among them.
    pub fn targets(&self, func: FuncId, call: ValueId) -> &[Target] {
        self.targets.get(&(func, call)).map_or(&[], Vec::as_slice)
    }
    /// Whether a call may call something that is no function of the program.
    pub fn calls_outside(&self, func: FuncId, call: ValueId) -> bool {
        self.unknown_calls.contains(&(func, call))
    }
    /// Every object of a wrapper with what it is at a call.
    pub fn all_clones(&self) -> Vec<(ObjectId, ObjectId)> {
        let mut all: Vec<(ObjectId, ObjectId)> = self.clones.values().flatten().copied().collect();
        all.sort_unstable();
        all
    }
    /// The objects that a call of an allocation wrapper makes: as the wrapper knows each, and as the caller does.
    pub fn clones(&self, func: FuncId, call: ValueId) -> &[(ObjectId, ObjectId)] {
        self.clones.get(&(func, call)).map_or(&[], Vec::as_slice)
    }
}

/// Addresses of locals belong to their function, others to all.
fn key(func: FuncId, operand: Operand) -> (FuncId, Operand) {
    match operand {
        Operand::Local(_) => (func, operand),
        Operand::Value(_)
        | Operand::Int(..)
        | Operand::Float(..)
        | Operand::Global(_)
        | Operand::Function(_)
        | Operand::Label(_) => (FuncId(0), operand),
    }
}

/// What the pointers of a program point to.
pub fn solve(program: &Program, models: &Models, options: &Options) -> PointsTo {
    let mut analysis = Analysis::new(program, models, options);
    analysis.run();
    analysis.finish()
}

/// The body of a function that counts: none if a model replaces it.
pub fn body_of<'a>(program: &'a Program, models: &Models, func: FuncId) -> Option<&'a Body> {
    let function = &program.functions[func];
    function.body.as_ref().filter(|_| models.of(function).is_none())
}

/// A variable's first one, of a value.
fn first(values: &[u32], value: ValueId) -> Option<VarId> {
    values.get(value.0 as usize).copied().filter(|first| *first != u32::MAX).map(VarId)
}

/// Whether a function may be called with arguments of these types without undefined behaviour: as many as it has parameters, and each
/// passed in the way that its parameter is taken.
pub fn accepts(program: &Program, callee: FuncId, args: &[TypeId]) -> bool {
    let types = &program.types;
    let Some(taken) = types.as_function(program.functions[callee].ty) else { return true };
    if !taken.prototype {
        return true;
    }
    let enough = if taken.variadic { args.len() >= taken.params.len() } else { args.len() == taken.params.len() };
    let alike = |a: TypeId, b: TypeId| match (types.get(a), types.get(b)) {
        (Type::Float(a), Type::Float(b)) => a == b,
        (Type::Record(_), Type::Record(_)) => types.size_of(a) == types.size_of(b),
        (Type::Float(_) | Type::Record(_), _) | (_, Type::Float(_) | Type::Record(_)) => false,
        _ => true,
    };
    enough && taken.params.iter().zip(args).all(|(param, arg)| alike(*param, *arg))
}
