//! The condition system of a question: the nodes of a chop in the states of section 4 of the theory, and the labels of the edges between them.
//!
//! Two runs get the same inputs, except at the source. Executions of the two are matched by instance: activation and iterations. A node is in one of these states:
//!
//! - *differs*: both runs execute it, with different values (a decision: another outcome; a write: another address or value);
//! - *only*, of a run: only that run executes it;
//! - *memory*, of a run: at a version of memory that this run goes through, some byte differs between the runs.
//!
//! A path starts at the source, which differs, and ends at the sink, which differs or is only executed by one run. What differs decides differently, and then what hangs
//! on it is executed by one run only; what only one run executes writes memory, or arrives at a `Phi`, that then differs. If the runs differ at the sink in any
//! way, then a path of these steps leads there, all of whose conditions hold in the two runs (by induction on the execution).
//!
//! A path first returns to callers, then descends into callees. Calls that it passes are followed into the callees (`contexts`); where that would be too much, they are
//! summary edges.
//!
//! Values that the source cannot influence have one copy for both runs. Labels that cannot be expressed are `true`.

mod contexts;
mod differ;
mod explore;

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::IdVec;
use crate::base::graph::LoopId;
use crate::base::id::Id;
use crate::chop::Barriers;
use crate::ir::FuncId;
use crate::pathcond::atoms::{Atoms, note_places};
use crate::pathcond::channels::Merged;
use crate::pathcond::engine::{self, EdgeId, FormulaId, Formulas, PointId, Seed, System, TRUE};
use crate::pathcond::leaves::Run;
use crate::pathcond::shape::Shape;
pub use crate::pathcond::shape::is_memory;
use crate::pathcond::values::{FrameId, Values};
use crate::pointsto::PointsTo;
use crate::sdg::control::RegionId;
use crate::sdg::{ControlLabel, Edge, EdgeKind, NodeId, NodeKind, NodeSet, SiteId};

pub use contexts::UP;
use contexts::{ContextId, Contexts, DOWN};
use explore::Explored;
pub use explore::ToEnd;

/// What the two runs do at a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum State {
    /// Both execute it, with different values.
    Differs,
    /// Only this run executes it.
    Only(Run),
    /// Memory differs where this run goes.
    Memory(Run),
}

/// A point of a system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point {
    /// The node.
    pub node: NodeId,
    /// What the runs do there.
    pub state: State,
    /// Where the path is among calls.
    pub context: ContextId,
    /// How many of the places to visit it has visited.
    pub stage: u32,
    /// So far both runs have executed everything, so that it does not matter which of them is called the first.
    pub fresh: bool,
}

/// What a system is made from.
#[derive(Clone, Copy)]
pub struct Chopped<'q> {
    /// The nodes that points may have.
    pub nodes: &'q NodeSet,
    /// Where paths start.
    pub from: &'q [(NodeId, State)],
    /// Where they end.
    pub to: &'q NodeSet,
    /// Only values are seen at the end.
    pub values_only: bool,
    /// What may not be visited.
    pub barriers: &'q Barriers,
    /// One of each must be visited, in this order.
    pub via: &'q [Vec<NodeId>],
    /// Where paths go at calls.
    pub calls: Calls,
    /// Only paths that the first run takes alone.
    pub one_run: bool,
    /// Only points on short paths.
    pub near: Option<Near<'q>>,
    /// Ends that are not told apart: what only one run executes of them is no end; where the runs part for them is.
    pub merged: &'q [&'q Merged],
    /// When to stop making it.
    pub watch: engine::Watch<'q>,
}

/// Where paths go at calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Calls {
    /// They stay in the activation they start in.
    Stay,
    /// They enter and leave, and pass a call by a summary edge.
    Pass,
    /// They are followed through the callees that they pass, as far as that does not make the system too large. The nodes must have what is inside.
    Follow,
}

/// Which paths are short.
#[derive(Clone, Copy)]
pub struct Near<'q> {
    /// Those that are at most so many edges longer than the shortest one.
    pub longer: u32,
    /// How far it is to the end.
    pub to_end: &'q ToEnd,
}

/// A condition system with what its points and edges stand for.
pub struct Conditions {
    /// The system.
    pub system: System,
    /// Its points; the last one is the end, and has none.
    pub points: IdVec<PointId, Option<Point>>,
    /// Its edges; those to the end have none.
    pub edges: IdVec<EdgeId, Option<Edge>>,
    /// The atoms.
    pub atoms: Atoms,
    /// Where all paths end.
    pub end: PointId,
    /// The atoms that speak of the second run.
    pub second: engine::ForgetId,
    /// Whether all paths of the question are in it.
    pub whole: bool,
}

/// What a label consists of before there are formulas.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) edge: Edge,
}

/// Makes the system.
pub struct Maker<'m, 'a> {
    pub(super) values: &'m mut Values<'a>,
    points_to: &'m PointsTo,
    pub(super) chopped: Chopped<'m>,
    pub(super) atoms: Atoms,
    pub(super) formulas: Formulas,
    contexts: Contexts,
    /// What the callees of calls pass on.
    passed: FxHashMap<NodeId, Box<[NodeId]>>,
    frames: FxHashMap<(ContextId, NodeId), FrameId>,
    differs: FxHashMap<(ContextId, NodeId), bool>,
    called: FxHashMap<(FuncId, Run), FormulaId>,
    arrivals: FxHashMap<(ContextId, NodeId, NodeId, Run), FormulaId>,
    /// What only one run executes, once that is known.
    alone: Option<FxHashSet<(FuncId, Option<RegionId>)>>,
}

/// The system of a question; `None` if there are too many atoms, or it was stopped.
pub fn build(values: &mut Values<'_>, points_to: &PointsTo, chopped: Chopped<'_>) -> Option<Conditions> {
    let maker = Maker {
        values,
        points_to,
        chopped,
        contexts: Contexts::new(chopped.calls == Calls::Follow),
        passed: FxHashMap::default(),
        atoms: Atoms::default(),
        formulas: Formulas::default(),
        frames: FxHashMap::default(),
        differs: FxHashMap::default(),
        called: FxHashMap::default(),
        arrivals: FxHashMap::default(),
        alone: None,
    };
    maker.make()
}

impl Maker<'_, '_> {
    fn make(mut self) -> Option<Conditions> {
        let explored = if self.chopped.calls == Calls::Follow { self.choose(MOST_EXPANDED) } else { None };
        let explored = explored.or_else(|| {
            self.contexts = Contexts::new(false);
            (self.frames, self.differs, self.alone) = (FxHashMap::default(), FxHashMap::default(), None);
            self.choose(usize::MAX)
        })?;
        if self.chopped.watch.is_over() {
            // Not all of it was seen.
            return None;
        }
        let (points, steps, seeds, ends, whole) = self.prune(explored);
        // Points in the order of the nodes: atoms are then numbered along the bodies.
        let executed = self.each(&points, |maker, point| maker.execution(*point))?;
        let labels = self.each(&steps, |maker, step| maker.label(points[step.from], points[step.to], step.edge))?;
        let endings: Vec<FormulaId> = ends.iter().map(|at| self.ending(points[*at])).collect();
        let arrivals = self.each(&steps, |maker, step| maker.arrival(points[step.to], step.edge))?;
        let ways = self.ways(&points, &steps, &labels, &arrivals);
        if self.atoms.table.len() > engine::MAX_ATOMS {
            return None;
        }
        let forgets: Vec<Forget> =
            steps.iter().map(|step| self.forgets(points[step.from], points[step.to], step.edge)).collect();
        let mut system = System::new(self.atoms.table.len());
        system.formulas = std::mem::take(&mut self.formulas);
        system.lemmas = self.atoms.lemmas(self.values);
        for formula in executed {
            system.points.push(formula);
        }
        let end = system.points.push(TRUE);
        let mut edges = IdVec::new();
        let mut sets: FxHashMap<Forget, engine::ForgetId> = FxHashMap::default();
        for ((step, ways), forget) in steps.iter().zip(ways).zip(forgets) {
            let forget = if let Some(set) = sets.get(&forget) {
                *set
            } else {
                let atoms = self.forgotten(&forget);
                let set = system.forget(atoms);
                sets.insert(forget, set);
                set
            };
            let (from, to) = (PointId::new(step.from), PointId::new(step.to));
            for (leaving, entering) in ways {
                system.edges.push(engine::Edge { from, to, leaving, entering, forget });
                edges.push(Some(step.edge));
            }
        }
        for (at, leaving) in ends.into_iter().zip(endings) {
            let from = PointId::new(at);
            system.edges.push(engine::Edge { from, to: end, leaving, entering: TRUE, forget: engine::NOTHING });
            edges.push(None);
        }
        for at in seeds {
            system.seeds.push(Seed { point: PointId::new(at), start: TRUE });
        }
        let points = points.into_iter().map(Some).chain([None]).collect();
        let of_second = self.atoms.table.enumerate().filter(|(_, atom)| atom.second).map(|(id, _)| id);
        let second = system.forget(of_second.collect::<Vec<_>>());
        Some(Conditions { system, points, edges, atoms: self.atoms, end, second, whole })
    }
    /// A formula for each; `None` if it was stopped.
    fn each<T>(&mut self, all: &[T], make: impl Fn(&mut Self, &T) -> FormulaId) -> Option<Vec<FormulaId>> {
        let watch = self.chopped.watch;
        let mut one = |(at, item): (usize, &T)| (at % 16 != 0 || !watch.is_over()).then(|| make(self, item));
        all.iter().enumerate().map(&mut one).collect()
    }
    /// What must hold where a path ends.
    fn ending(&mut self, point: Point) -> FormulaId {
        let frame = self.frame(point.context, point.node);
        match self.values.ending(frame, point, self.chopped.merged, self.chopped.to) {
            Some(term) => self.atoms.formula(self.values, &mut self.formulas, term),
            None => TRUE,
        }
    }
    /// All points and edges; `None` if there are more points than `most`.
    fn choose(&mut self, most: usize) -> Option<Explored> {
        if self.chopped.one_run {
            // First what hangs on decisions: only there may one run be alone.
            let explored = self.explore(most)?;
            let alone = explored.points.iter().filter(|point| matches!(point.state, State::Only(_)));
            let places = alone.map(|point| self.place(point.node)).collect();
            self.alone = Some(places);
        }
        self.explore(most)
    }
    /// The frame of a node: its function, seen from its loop.
    pub(super) fn frame(&mut self, context: ContextId, node: NodeId) -> FrameId {
        if let Some(frame) = self.frames.get(&(context, node)) {
            return *frame;
        }
        let func = self.values.sdg.function(node);
        self.bind(func);
        let frame = self.contexts.frame(self.values, context, func, node);
        self.frames.insert((context, node), frame);
        frame
    }
    /// Where a function has only one call, its activation as such is that call's.
    fn bind(&mut self, func: FuncId) {
        if self.chopped.calls != Calls::Follow || self.values.is_bound(func.0) {
            return;
        }
        if let Some(site) = contexts::only_call(self.values.sdg, self.points_to, func) {
            let site_data = &self.values.sdg.sites()[site];
            let (caller, call) = (self.values.sdg.procedures()[site_data.proc].func, site_data.call);
            self.bind(caller);
            let frame = self.contexts.frame(self.values, UP, caller, call);
            self.values.bind(func.0, frame, site);
        }
    }
    /// Whether the runs can differ at a node that both execute.
    fn can_differ(&mut self, context: ContextId, node: NodeId) -> bool {
        if let Some(differs) = self.differs.get(&(context, node)) {
            return *differs;
        }
        let frame = self.frame(context, node);
        let differs = self.values.may_differ(frame, node);
        self.differs.insert((context, node), differs);
        differs
    }
    /// When a point is executed as its state says.
    fn execution(&mut self, point: Point) -> FormulaId {
        if matches!(self.values.sdg.nodes()[point.node].kind, NodeKind::Shared(_)) {
            return TRUE;
        }
        let frame = self.frame(point.context, point.node);
        let runs: &[Run] = match point.state {
            State::Differs => &Run::BOTH,
            State::Only(Run::A) | State::Memory(Run::A) => &[Run::A],
            State::Only(Run::B) | State::Memory(Run::B) => &[Run::B],
        };
        let mut parts: Vec<FormulaId> = Vec::new();
        for run in runs {
            let term = self.values.executed(frame, *run, point.node);
            parts.push(self.atoms.formula(self.values, &mut self.formulas, term));
            if point.context == UP && self.chopped.calls != Calls::Stay {
                parts.push(self.called(self.values.sdg.function(point.node), *run));
            }
        }
        if let State::Only(run) = point.state
            && let Some(term) = self.values.not_executed(frame, run.other(), point.node)
        {
            parts.push(self.atoms.formula(self.values, &mut self.formulas, term));
        }
        self.formulas.and(parts)
    }
    fn called(&mut self, func: FuncId, run: Run) -> FormulaId {
        if let Some(formula) = self.called.get(&(func, run)) {
            return *formula;
        }
        let formula = match self.values.called(self.points_to, func, run, CALLERS) {
            Some(term) => self.atoms.formula(self.values, &mut self.formulas, term),
            None => TRUE,
        };
        self.called.insert((func, run), formula);
        formula
    }
    /// What must hold at the moment an edge is left.
    fn label(&mut self, from: Point, to: Point, edge: Edge) -> FormulaId {
        if self.chopped.one_run && edge.kind == EdgeKind::Memory {
            return self.cell(from, to, edge);
        }
        let (EdgeKind::Control(ControlLabel::Branch(branch)), NodeKind::Predicate(block), State::Only(run)) =
            (edge.kind, self.values.sdg.nodes()[edge.from].kind, to.state)
        else {
            return TRUE;
        };
        let frame = self.frame(from.context, edge.from);
        let so = self.values.branch(frame, run, block, branch);
        let term = match from.state {
            State::Only(_) | State::Memory(_) => so,
            State::Differs => {
                let other = self.values.branch(frame, run.other(), block, branch);
                let not = self.values.terms.not(other);
                self.values.terms.and(&[so, not])
            }
        };
        self.atoms.formula(self.values, &mut self.formulas, term)
    }
    /// That a load sees what a store has just written, where both are of one moment.
    fn cell(&mut self, from: Point, to: Point, edge: Edge) -> FormulaId {
        let one_moment = matches!(self.forgets(from, to, edge), Forget::Loops(_, loops) if loops.is_empty());
        if matches!(from.state, State::Memory(_)) || !one_moment {
            return TRUE;
        }
        let (store, load) = (self.frame(from.context, edge.from), self.frame(to.context, edge.to));
        let Some(term) = self.values.same_cell((store, edge.from), (load, edge.to)) else { return TRUE };
        let place = self.values.sdg.nodes()[edge.to].place;
        note_places(self.values, term, place);
        self.atoms.formula(self.values, &mut self.formulas, term)
    }
    /// What must hold at the moment an edge is entered: that a version of memory comes to a φ by it.
    fn arrival(&mut self, to: Point, edge: Edge) -> FormulaId {
        let (EdgeKind::Memory, NodeKind::MemoryPhi { .. }, State::Memory(run)) =
            (edge.kind, self.values.sdg.nodes()[edge.to].kind, to.state)
        else {
            return TRUE;
        };
        if let Some(known) = self.arrivals.get(&(to.context, edge.from, edge.to, run)) {
            return *known;
        }
        let frame = self.frame(to.context, edge.to);
        let term = self.values.arrives(frame, run, edge.from, edge.to);
        let formula = self.atoms.formula(self.values, &mut self.formulas, term);
        self.arrivals.insert((to.context, edge.from, edge.to, run), formula);
        formula
    }
    /// Whose atoms speak of another moment after an edge.
    fn forgets(&mut self, left: Point, entered: Point, edge: Edge) -> Forget {
        let sdg = self.values.sdg;
        let (from, to) = (sdg.function(edge.from), sdg.function(edge.to));
        if edge.kind == EdgeKind::Interference || matches!(sdg.nodes()[edge.to].kind, NodeKind::Shared(_)) {
            return Forget::All;
        }
        let frames = [self.frame(left.context, edge.from), self.frame(entered.context, edge.to)];
        let [before, after] = frames.map(|frame| self.values.frame_of(frame).activation);
        match edge.kind {
            EdgeKind::Interference => Forget::All,
            // A function without a number of its own may be bound to its only caller's activation without one, which now is another one than before.
            EdgeKind::Call | EdgeKind::ParamIn if entered.context == DOWN && self.contexts.is_bound(left.context) => {
                Forget::All
            }
            EdgeKind::Call | EdgeKind::ParamIn => Forget::Activations(after, after),
            // Of activations that have no number of their own, a caller may be another one of the same function.
            EdgeKind::ParamOut if entered.context == UP && self.points_to.is_recursive(to) => {
                Forget::Activations(before, after)
            }
            EdgeKind::ParamOut => Forget::Activations(before, before),
            EdgeKind::Control(_) | EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order | EdgeKind::Summary => {
                if from != to {
                    return Forget::All;
                }
                let shape = self.values.shapes.of(from);
                Forget::Loops(before, changed(&shape, sdg, edge))
            }
        }
    }
    fn forgotten(&self, forget: &Forget) -> Vec<engine::AtomId> {
        let of = |activation: &u32| self.atoms.of_activation(*activation).iter();
        match forget {
            Forget::All => self.atoms.table.ids().collect(),
            Forget::Activations(a, b) => of(a).chain(of(b)).copied().collect(),
            Forget::Loops(activation, loops) => {
                loops.iter().flat_map(|l| self.atoms.of_loop(*activation, *l)).copied().collect()
            }
        }
    }
}

/// Whose atoms are forgotten.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Forget {
    All,
    Activations(u32, u32),
    Loops(u32, Vec<LoopId>),
}

/// The loops that are in another iteration after an edge inside a function.
pub fn changed(shape: &Rc<Shape<'_>>, sdg: &crate::sdg::Sdg, edge: Edge) -> Vec<LoopId> {
    let stays_last = matches!(sdg.nodes()[edge.from].kind, NodeKind::PhiOperand { .. });
    shape.changed(shape.block(sdg, edge.from), shape.block(sdg, edge.to), edge.moves, stays_last)
}

/// The call site of an actual or a call.
pub fn site_of(kind: NodeKind) -> Option<SiteId> {
    match kind {
        NodeKind::ActualIn(site, _) | NodeKind::ActualOut(site, _) | NodeKind::Call(site) => Some(site),
        NodeKind::Entry
        | NodeKind::Inst(_)
        | NodeKind::Predicate(_)
        | NodeKind::Return(_)
        | NodeKind::PhiOperand { .. }
        | NodeKind::MemoryPhi { .. }
        | NodeKind::MemoryDef { .. }
        | NodeKind::Shared(_)
        | NodeKind::FormalIn(_)
        | NodeKind::FormalOut(_) => None,
    }
}

/// Points of a system whose calls are followed, at most.
const MOST_EXPANDED: usize = 12_000;
/// Callers whose conditions are looked at.
const CALLERS: u32 = 3;
