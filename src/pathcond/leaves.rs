//! The values that terms end in: variables of the solver, each a value of the program in an instance and a run.
//!
//! Invariant: two occurrences are one variable only if they are the same value of the same instance, in runs that must agree on it.

use rustc_hash::FxHashMap;

use crate::base::IdVec;
use crate::base::graph::LoopId;
use crate::base::id::Id;
use crate::define_id;
use crate::ir::{Bits, BlockId, FuncId, Operand, TypeId, ValueId};
use crate::sdg::NodeId;
use crate::solve::term::{Sort, TermId, Terms, VarId};
use crate::source::Place;

define_id!(/// A leaf.
    LeafId, "leaf");

/// One of the two runs that are compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Run {
    /// The first.
    A,
    /// The second.
    B,
}

impl Run {
    /// Both.
    pub const BOTH: [Run; 2] = [Run::A, Run::B];
    /// The other one.
    #[must_use]
    pub fn other(self) -> Run {
        match self {
            Run::A => Run::B,
            Run::B => Run::A,
        }
    }
}

/// What a leaf is a value of.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LeafKind {
    /// What an instruction computes.
    Value(ValueId),
    /// What memory holds in these versions, at this address, read so.
    Content {
        /// The versions.
        versions: Box<[NodeId]>,
        /// The address.
        address: TermId,
        /// As what it is read.
        ty: TypeId,
        /// Which bits of it.
        bits: Option<Bits>,
    },
    /// The address of an object, a function or a label.
    Address(Operand),
    /// What undefined behaviour of an instruction gives, the n-th thing.
    Undefined(ValueId, u32),
    /// Which way a block's end goes: whether it is this one.
    Decision(BlockId, u32),
    /// A byte whose content differs, the n-th of a path.
    Cell(u32),
}

/// A leaf.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// What it is a value of.
    pub kind: LeafKind,
    /// The function; `None` for what is the same everywhere.
    pub func: Option<FuncId>,
    /// The loops that tell its instances apart.
    pub loops: Vec<LoopId>,
    /// The run, if the runs may not agree on it.
    pub run: Option<Run>,
    /// The C text it comes from.
    pub place: Option<Place>,
    /// Its type.
    pub ty: Option<TypeId>,
    /// The instance, by the numbers of its activation and iterations.
    pub instance: Box<[u32]>,
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    kind: LeafKind,
    func: Option<FuncId>,
    run: Option<Run>,
    instance: Box<[u32]>,
}

/// All leaves.
#[derive(Default)]
pub struct Leaves {
    table: IdVec<LeafId, Leaf>,
    known: FxHashMap<Key, TermId>,
}

impl Leaves {
    /// The term of a leaf.
    pub fn term(&mut self, terms: &mut Terms, leaf: Leaf, sort: Sort) -> TermId {
        let key = Key { kind: leaf.kind.clone(), func: leaf.func, run: leaf.run, instance: leaf.instance.clone() };
        if let Some(term) = self.known.get(&key) {
            return *term;
        }
        let id = self.table.next_id();
        let term = terms.var(id.0, sort, &format!("x{}", id.index()));
        self.table.push(leaf);
        self.known.insert(key, term);
        term
    }
    /// The leaf of a variable.
    pub fn of(&self, terms: &Terms, var: VarId) -> Option<&Leaf> {
        self.table.get(LeafId(terms.variable(var).key?))
    }
}
