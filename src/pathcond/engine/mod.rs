//! The condition system and its least solution, for any graph.
//!
//! A [`System`] has *points* with an execution condition, *edges* between them, and *seeds* where conditions start. The condition of a point is
//! the least solution of
//!
//! `P(v) = E(v) ∧ (seeds at v ∨ ⋁ T_e(P(u)) for e = u → v)`, `T_e(P) = λdst ∧ ∃V_e. (P ∧ λsrc)`
//!
//! where `V_e` are the atoms that speak of another moment after `e`. `T_e` distributes over disjunction, so this is the disjunction over all
//! paths, cyclic ones included. [`solve`] computes it with binary decision diagrams ([`bdds`]) along the nesting of the graph's intervals.
//! Theory lemmas hold at every moment and are added before atoms are forgotten.
//!
//! *Limits.* No diagram grows past a number of nodes. Outside of cycles, what would is cut: a part becomes a *definition*, a fresh variable that stands for it,
//! and nothing is lost. In a cycle, where a chain of definitions would never be stable, atoms are dropped at the point where it happens.
//! Forgetting an atom projects every definition that mentions it, each by itself, which is weaker than projecting the whole.
//! Conditions are positive in their definitions, so every one of these steps weakens.
//!
//! Invariant: whatever the limits, a condition is implied by the exact one; `false` means that there is no path.
//!
//! [`paths`] reads candidate paths from a solution, [`because`] explains why there is none, [`show`] prints conditions, [`plain`] is the evaluation without
//! decision diagrams, to be measured against.

pub mod because;
pub mod bdds;
mod fixpoint;
pub mod formula;
pub mod lemmas;
pub mod moments;
pub mod paths;
pub mod plain;
pub mod show;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::base::IdVec;
use crate::base::bits::IdSet;
use crate::define_id;

pub use bdds::{Bdds, Condition, DefinitionId, Variable};
pub use formula::{AtomId, FALSE, Formula, FormulaId, Formulas, Literal, TRUE};
pub use lemmas::Lemma;

define_id!(/// A point of a condition system: a node of the chop, in one of its states.
    PointId, "p");
define_id!(/// An edge of a condition system.
    EdgeId, "e");
define_id!(/// A set of atoms that edges forget.
    ForgetId, "v");

/// At most so many atoms; the rest of the decision diagrams' 65,535 variables is for definitions.
pub const MAX_ATOMS: usize = 60_000;

/// The set that has no atom.
pub const NOTHING: ForgetId = ForgetId(0);

/// An edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: PointId,
    /// Where it ends.
    pub to: PointId,
    /// What must hold at the moment it leaves.
    pub leaving: FormulaId,
    /// What must hold at the moment it enters.
    pub entering: FormulaId,
    /// The atoms that speak of another moment after it.
    pub forget: ForgetId,
}

/// A place where conditions start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seed {
    /// Where.
    pub point: PointId,
    /// Under which condition.
    pub start: FormulaId,
}

/// A condition system.
#[derive(Clone, Debug)]
pub struct System {
    /// How many atoms there are, at most [`MAX_ATOMS`].
    pub atoms: usize,
    /// The formulas that the rest refers to.
    pub formulas: Formulas,
    /// The points, each with its execution condition.
    pub points: IdVec<PointId, FormulaId>,
    /// The edges.
    pub edges: IdVec<EdgeId, Edge>,
    /// The sets that edges forget; the first is empty.
    pub forgets: IdVec<ForgetId, IdSet<AtomId>>,
    /// Where conditions start.
    pub seeds: Vec<Seed>,
    /// What holds at every moment. Some values of the atoms must fulfil all of them.
    pub lemmas: Vec<Lemma>,
}

impl System {
    /// A system with so many atoms and nothing else.
    pub fn new(atoms: usize) -> Self {
        assert!(atoms <= MAX_ATOMS, "{atoms} atoms");
        System {
            atoms,
            formulas: Formulas::default(),
            points: IdVec::new(),
            edges: IdVec::new(),
            forgets: std::iter::once(IdSet::new(atoms)).collect(),
            seeds: Vec::new(),
            lemmas: Vec::new(),
        }
    }
    /// The set of these atoms, to be given to many edges.
    pub fn forget(&mut self, atoms: impl IntoIterator<Item = AtomId>) -> ForgetId {
        let set = IdSet::of(self.atoms, atoms);
        if set.is_empty() {
            return NOTHING;
        }
        let known = self.forgets.enumerate().find(|(_, other)| **other == set).map(|(id, _)| id);
        known.unwrap_or_else(|| self.forgets.push(set))
    }
    /// Adds an edge that needs nothing and changes nothing.
    pub fn join(&mut self, from: PointId, to: PointId) -> EdgeId {
        self.edges.push(Edge { from, to, leaving: TRUE, entering: TRUE, forget: NOTHING })
    }
}

/// In which order points are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// As they change, first come first served.
    Worklist,
    /// One strongly connected component after the other, a worklist in each.
    Components,
    /// Along the nesting of intervals, inner ones to stability first.
    Intervals,
}

/// Asks from time to time whether work is to stop: because of the clock, or because somebody wants it.
#[derive(Clone, Copy, Default)]
pub struct Watch<'w>(Option<&'w dyn Fn() -> bool>);

impl<'w> Watch<'w> {
    /// Stops when this says so; from then on it has to.
    pub fn new(is_over: &'w dyn Fn() -> bool) -> Watch<'w> {
        Watch(Some(is_over))
    }
    /// Whether to stop.
    pub fn is_over(&self) -> bool {
        self.0.is_some_and(|is_over| is_over())
    }
}

impl std::fmt::Debug for Watch<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "watched" } else { "not watched" })
    }
}

/// How much may be spent.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'w> {
    /// Decision nodes of one diagram. Less than two count as two.
    pub nodes: usize,
    /// Definitions. At most what the atoms leave of 65,534 variables.
    pub definitions: usize,
    /// How often the condition of one point may grow before all its atoms are dropped.
    pub turns: u32,
    /// Nodes that all operations may look at together; past it, diagrams are cut at a few nodes, so that the rest is quick.
    pub work: u64,
    /// The order of evaluation.
    pub strategy: Strategy,
    /// When to stop: what is not known then is `true`, and candidate paths end.
    pub watch: Watch<'w>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        Limits {
            nodes: 2_000,
            definitions: 5_000,
            turns: 200,
            work: 2_000_000_000,
            strategy: Strategy::Intervals,
            watch: Watch::default(),
        }
    }
}

/// What a solution took.
#[derive(Clone, Copy, PartialEq, Default, Debug, serde::Serialize)]
pub struct Statistics {
    /// Atoms of the system.
    pub atoms: usize,
    /// Points of the system.
    pub points: usize,
    /// Edges of the system.
    pub edges: usize,
    /// Intervals of its graph.
    pub components: usize,
    /// Evaluations of a point.
    pub evaluations: usize,
    /// Nodes of the largest diagram of a point.
    pub largest: usize,
    /// Nodes of the diagrams of all points.
    pub total: usize,
    /// Definitions made where a diagram was cut.
    pub definitions: usize,
    /// How often something was weakened: atoms dropped in a cycle, a definition projected, no definition left.
    pub weakened: usize,
    /// Nodes that all operations looked at.
    pub work: u64,
    /// Seconds.
    pub seconds: f64,
}

/// The least solution of a system, or something weaker.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The condition of each point. It says nothing of lemmas that no edge needed: see [`Bdds::with_lemmas`].
    pub conditions: IdVec<PointId, Condition>,
    /// What the conditions' definitions stand for.
    pub definitions: IdVec<DefinitionId, Condition>,
    /// What it took.
    pub statistics: Statistics,
    /// Whether it was stopped: then every condition is `true`.
    pub stopped: bool,
    /// How many definitions its diagrams have room for.
    room: usize,
}

/// The least solution, as far as the limits allow; otherwise weaker.
pub fn solve(system: &System, limits: &Limits<'_>) -> Solution {
    let started = std::time::Instant::now();
    let mut bdds = Bdds::new(system, limits);
    let solved = fixpoint::run(system, &mut bdds, limits, &|_, _, _| false);
    let mut statistics = solved.statistics;
    for condition in &solved.conditions {
        statistics.largest = statistics.largest.max(condition.size());
        statistics.total += condition.size();
    }
    statistics.definitions = bdds.definitions().len();
    statistics.weakened = bdds.weakened();
    statistics.work = bdds.work();
    statistics.seconds = started.elapsed().as_secs_f64();
    let definitions = bdds.into_definitions();
    Solution {
        conditions: solved.conditions,
        definitions,
        statistics,
        stopped: solved.stopped,
        room: limits.definitions,
    }
}

impl Solution {
    /// The diagrams' operations, with this solution's definitions.
    pub fn bdds<'a>(&self, system: &'a System, limits: &Limits<'a>) -> Bdds<'a> {
        // Diagrams can be combined if they have the same number of variables.
        let limits = Limits { definitions: self.room, ..*limits };
        Bdds::with_definitions(system, &limits, self.definitions.clone())
    }
    /// The condition of a point together with the lemmas about its atoms: what is false here has no path.
    pub fn with_lemmas(&self, system: &System, limits: &Limits<'_>, point: PointId) -> Condition {
        self.bdds(system, limits).with_lemmas(&self.conditions[point])
    }
}

/// A shared diagram.
type Shared = Arc<biodivine_lib_bdd::Bdd>;
