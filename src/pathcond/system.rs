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
//! A path first returns to callers (`up`), then descends into callees (`down`); calls that it passes whole are summary edges.
//!
//! Values that the source cannot influence have one copy for both runs. Labels that cannot be expressed are `true`.

use std::collections::VecDeque;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::atoms::Atoms;
use super::channels::Merged;
use super::engine::{self, EdgeId, FormulaId, Formulas, PointId, Seed, System, TRUE};
use super::leaves::Run;
use super::shape::Shape;
pub use super::shape::is_memory;
use super::values::{FrameId, Values};
use crate::base::IdVec;
use crate::base::graph::LoopId;
use crate::base::id::Id;
use crate::chop::Barriers;
use crate::ir::{FuncId, InstKind, Operand, Terminator};
use crate::pointsto::PointsTo;
use crate::sdg::control::{LoopMove, RegionId};
use crate::sdg::{ControlLabel, Edge, EdgeKind, Formal, NodeId, NodeKind, NodeSet};
use crate::solve::term::TermId;

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

/// Whether a path may still return to callers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Phase {
    /// It may.
    Up,
    /// It has entered a callee, and may not.
    Down,
}

/// A point of a system.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point {
    /// The node.
    pub node: NodeId,
    /// What the runs do there.
    pub state: State,
    /// See there.
    pub phase: Phase,
    /// How many of the places to visit it has visited.
    pub stage: u32,
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
    /// Paths stay in the activation they start in.
    pub same_level: bool,
    /// Only paths that the first run takes alone.
    pub one_run: bool,
    /// Only points on paths that are at most so much longer than the shortest one.
    pub longer: Option<u32>,
    /// Ends that are not told apart: what only one run executes of them is no end; where the runs part for them is.
    pub merged: &'q [&'q Merged],
    /// When to stop making it.
    pub watch: engine::Watch<'q>,
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
struct Step {
    from: usize,
    to: usize,
    edge: Edge,
}

/// Makes the system.
pub struct Maker<'m, 'a> {
    values: &'m mut Values<'a>,
    points_to: &'m PointsTo,
    chopped: Chopped<'m>,
    atoms: Atoms,
    formulas: Formulas,
    frames: FxHashMap<NodeId, FrameId>,
    differs: FxHashMap<NodeId, bool>,
    called: FxHashMap<(FuncId, Run), FormulaId>,
    arrivals: FxHashMap<(NodeId, NodeId, Run), FormulaId>,
    /// What only one run executes, once that is known.
    alone: Option<FxHashSet<(FuncId, Option<RegionId>)>>,
}

/// The system of a question; `None` if there are too many atoms, or it was stopped.
pub fn build(values: &mut Values<'_>, points_to: &PointsTo, chopped: Chopped<'_>) -> Option<Conditions> {
    let maker = Maker {
        values,
        points_to,
        chopped,
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
        if self.chopped.one_run {
            // First what hangs on decisions: only there may one run be alone.
            let (points, _, _) = self.explore();
            let alone = points.iter().filter(|point| matches!(point.state, State::Only(_)));
            let places = alone.map(|point| self.place(point.node)).collect();
            self.alone = Some(places);
        }
        let (points, steps, seeds) = self.explore();
        if self.chopped.watch.is_over() {
            // Not all of it was seen.
            return None;
        }
        let (points, steps, seeds, ends, whole) = self.prune(&points, &steps, seeds);
        // Points in the order of the nodes: atoms are then numbered along the bodies.
        let executed = self.each(&points, |maker, point| maker.execution(*point))?;
        let labels = self.each(&steps, |maker, step| maker.label(points[step.from], points[step.to], step.edge))?;
        let endings: Vec<FormulaId> = ends.iter().map(|at| self.ending(points[*at])).collect();
        let arrivals = self.each(&steps, |maker, step| maker.arrival(points[step.to], step.edge))?;
        if self.atoms.table.len() > engine::MAX_ATOMS {
            return None;
        }
        let forgets: Vec<Forget> = steps.iter().map(|step| self.forgets(step.edge)).collect();
        let mut system = System::new(self.atoms.table.len());
        system.formulas = std::mem::take(&mut self.formulas);
        system.lemmas = self.atoms.lemmas(&mut self.values.terms);
        for formula in executed {
            system.points.push(formula);
        }
        let end = system.points.push(TRUE);
        let mut edges = IdVec::new();
        let mut sets: FxHashMap<Forget, engine::ForgetId> = FxHashMap::default();
        for (((step, leaving), forget), entering) in steps.iter().zip(labels).zip(forgets).zip(arrivals) {
            let forget = if let Some(set) = sets.get(&forget) {
                *set
            } else {
                let atoms = self.forgotten(&forget);
                let set = system.forget(atoms);
                sets.insert(forget, set);
                set
            };
            let (from, to) = (PointId::new(step.from), PointId::new(step.to));
            system.edges.push(engine::Edge { from, to, leaving, entering, forget });
            edges.push(Some(step.edge));
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
    /// All points and edges that paths from the source can take.
    fn explore(&mut self) -> (Vec<Point>, Vec<Step>, Vec<usize>) {
        let mut points: Vec<Point> = Vec::new();
        let mut known: FxHashMap<Point, usize> = FxHashMap::default();
        let mut steps: Vec<Step> = Vec::new();
        let mut seeds: Vec<usize> = Vec::new();
        let mut work: VecDeque<usize> = VecDeque::new();
        let chopped = self.chopped;
        for (node, state) in chopped.from {
            if chopped.nodes.contains(*node) {
                let stage = self.stage(*node, 0);
                let point = Point { node: *node, state: *state, phase: Phase::Up, stage };
                let id = *known.entry(point).or_insert_with(|| {
                    points.push(point);
                    points.len() - 1
                });
                seeds.push(id);
                work.push_back(id);
            }
        }
        let sdg = self.values.sdg;
        let mut out: Vec<Edge> = Vec::new();
        while let Some(id) = work.pop_front() {
            if steps.len() % 64 == 0 && self.chopped.watch.is_over() {
                break;
            }
            let point = points[id];
            out.clear();
            out.extend(sdg.successors(point.node));
            let moves = LoopMove { stays: sdg.nodes()[point.node].around, back: None };
            let passed = chopped.barriers.summaries(sdg).successors(sdg, point.node);
            out.extend(passed.into_iter().map(|to| Edge { from: point.node, to, kind: EdgeKind::Summary, moves }));
            for edge in &out {
                if !chopped.nodes.contains(edge.to) {
                    continue;
                }
                let phase = match edge.kind {
                    EdgeKind::Call | EdgeKind::ParamIn | EdgeKind::ParamOut | EdgeKind::Interference
                        if chopped.same_level =>
                    {
                        continue;
                    }
                    EdgeKind::ParamOut if point.phase == Phase::Down => continue,
                    EdgeKind::Call | EdgeKind::ParamIn => Phase::Down,
                    EdgeKind::Interference => Phase::Up,
                    EdgeKind::ParamOut
                    | EdgeKind::Control(_)
                    | EdgeKind::Data
                    | EdgeKind::Memory
                    | EdgeKind::Order
                    | EdgeKind::Summary => point.phase,
                };
                for state in self.states(edge, point.state) {
                    if chopped.one_run && matches!(state, State::Only(Run::B) | State::Memory(Run::B)) {
                        continue;
                    }
                    if state == State::Differs && !self.can_differ(edge.to) {
                        continue;
                    }
                    let stage = self.stage(edge.to, point.stage);
                    let next = Point { node: edge.to, state, phase, stage };
                    let to = *known.entry(next).or_insert_with(|| {
                        points.push(next);
                        work.push_back(points.len() - 1);
                        points.len() - 1
                    });
                    steps.push(Step { from: id, to, edge: *edge });
                }
            }
        }
        (points, steps, seeds)
    }
    fn stage(&self, node: NodeId, stage: u32) -> u32 {
        match self.chopped.via.get(stage as usize) {
            Some(nodes) if nodes.contains(&node) => stage + 1,
            _ => stage,
        }
    }
    /// Whether a path may end at a point.
    fn accepts(&self, point: Point) -> bool {
        if (point.stage as usize) < self.chopped.via.len() {
            return false;
        }
        if !self.chopped.to.contains(point.node) {
            return self.chopped.merged.iter().any(|merged| merged.ends_at(point));
        }
        match point.state {
            State::Differs => true,
            State::Only(_) => {
                let is_merged = self.chopped.merged.iter().any(|merged| merged.has(point.node, self.chopped.to));
                !self.chopped.values_only && !is_merged
            }
            // What a write leaves as it was is not written there.
            State::Memory(_) => !matches!(self.values.sdg.nodes()[point.node].kind, NodeKind::Inst(_)),
        }
    }
    /// What must hold where a path ends.
    fn ending(&mut self, point: Point) -> FormulaId {
        let frame = self.frame(point.node);
        match self.values.ending(frame, point, self.chopped.merged, self.chopped.to) {
            Some(term) => self.atoms.formula(self.values, &mut self.formulas, term),
            None => TRUE,
        }
    }
    /// Only what leads to an end, the points sorted.
    fn prune(
        &self,
        points: &[Point],
        steps: &[Step],
        seeds: Vec<usize>,
    ) -> (Vec<Point>, Vec<Step>, Vec<usize>, Vec<usize>, bool) {
        let accepted = (0..points.len()).filter(|at| self.accepts(points[*at]));
        let to_end = distances(points.len(), accepted, steps.iter().map(|step| (step.to, step.from)));
        let mut leads: Vec<bool> = to_end.iter().map(|d| *d != u32::MAX).collect();
        let mut whole = true;
        if let Some(longer) = self.chopped.longer {
            let from_start = distances(points.len(), seeds.iter().copied(), steps.iter().map(|s| (s.from, s.to)));
            let length = |at: usize| to_end[at].saturating_add(from_start[at]);
            let shortest = (0..points.len()).map(length).min().unwrap_or(0);
            for at in (0..points.len()).filter(|at| leads[*at]).collect::<Vec<_>>() {
                leads[at] = length(at) <= shortest.saturating_add(longer);
                whole &= leads[at];
            }
        }
        let mut order: Vec<usize> = (0..points.len()).filter(|at| leads[*at]).collect();
        order.sort_unstable_by_key(|at| points[*at]);
        let mut number = vec![usize::MAX; points.len()];
        for (new, old) in order.iter().enumerate() {
            number[*old] = new;
        }
        let kept: Vec<Point> = order.iter().map(|at| points[*at]).collect();
        let mut fewer: Vec<Step> = Vec::new();
        for step in steps.iter().filter(|step| leads[step.from] && leads[step.to]) {
            fewer.push(Step { from: number[step.from], to: number[step.to], edge: step.edge });
        }
        fewer.sort_unstable_by_key(|step| (step.from, step.to, step.edge));
        let mut seeds: Vec<usize> = seeds.into_iter().filter(|at| leads[*at]).map(|at| number[at]).collect();
        seeds.sort_unstable();
        seeds.dedup();
        let ends = (0..kept.len()).filter(|at| self.accepts(kept[*at])).collect();
        (kept, fewer, seeds, ends, whole)
    }

    /// The states that a dependence can lead to.
    fn states(&mut self, edge: &Edge, from: State) -> Vec<State> {
        let both = |state: fn(Run) -> State| Run::BOTH.map(state).to_vec();
        let to_memory = is_memory(self.values.sdg.nodes()[edge.to].kind);
        let carried = |to_memory: bool| match (from, to_memory) {
            (_, false) => vec![State::Differs],
            (State::Differs, true) => both(State::Memory),
            (State::Only(run) | State::Memory(run), true) => vec![State::Memory(run)],
        };
        if self.alone.is_some()
            && let Some(states) = self.alone(edge, from, to_memory)
        {
            return states;
        }
        match edge.kind {
            EdgeKind::Data | EdgeKind::ParamIn | EdgeKind::ParamOut | EdgeKind::Memory => carried(to_memory),
            EdgeKind::Order => carried(true),
            EdgeKind::Summary => match (from, self.values.sdg.nodes()[edge.from].kind) {
                (State::Only(run), NodeKind::Call(_)) => vec![State::Only(run)],
                // The call is made by one run only: its results hang on the call.
                (State::Only(_), _) => Vec::new(),
                (State::Differs | State::Memory(_), _) => vec![State::Differs],
            },
            EdgeKind::Control(ControlLabel::Call) => match from {
                State::Only(run) => vec![State::Only(run)],
                State::Differs | State::Memory(_) => vec![State::Differs],
            },
            EdgeKind::Control(ControlLabel::Branch(_) | ControlLabel::Entry | ControlLabel::Returned)
            | EdgeKind::Call => match from {
                State::Only(run) => vec![State::Only(run)],
                State::Differs | State::Memory(_) => both(State::Only),
            },
            EdgeKind::Interference => match self.values.sdg.nodes()[edge.to].kind {
                NodeKind::Entry | NodeKind::Call(_) | NodeKind::ActualOut(_, Formal::Returns) => {
                    vec![State::Differs, State::Only(Run::A), State::Only(Run::B)]
                }
                _ if to_memory => both(State::Memory),
                _ => vec![State::Differs],
            },
        }
    }
    /// What a node is executed with: a region, or the function.
    fn place(&mut self, node: NodeId) -> (FuncId, Option<RegionId>) {
        let func = self.values.sdg.function(node);
        let shape = self.values.shapes.of(func);
        (func, shape.region(self.values.sdg, node))
    }
    /// The states that a dependence can lead to if one run takes the whole path alone, as the paper has it: what only this run executes hands values on, and a
    /// branch matters by what is computed under it. `None`: as for two runs.
    fn alone(&mut self, edge: &Edge, from: State, to_memory: bool) -> Option<Vec<State>> {
        let nodes = self.values.sdg.nodes();
        match (edge.kind, from) {
            (EdgeKind::Data | EdgeKind::ParamIn | EdgeKind::ParamOut | EdgeKind::Memory, State::Only(run))
                if !to_memory =>
            {
                let place = self.place(edge.to);
                let sure = self.alone.as_ref().is_some_and(|alone| alone.contains(&place));
                Some(if sure { vec![State::Only(run), State::Differs] } else { vec![State::Differs] })
            }
            (EdgeKind::Summary, State::Only(run)) => Some(vec![State::Only(run)]),
            (EdgeKind::Control(_), _) => {
                let NodeKind::PhiOperand { phi, operand } = nodes[edge.to].kind else { return None };
                let body = self.values.program.functions[self.values.sdg.function(edge.to)].body.as_ref()?;
                let InstKind::Phi(operands) = &body.insts[phi].kind else { return None };
                matches!(operands[operand as usize].1, Operand::Value(_)).then(Vec::new)
            }
            _ => None,
        }
    }
    /// The frame of a node: its function, seen from its loop.
    fn frame(&mut self, node: NodeId) -> FrameId {
        if let Some(frame) = self.frames.get(&node) {
            return *frame;
        }
        let func = self.values.sdg.function(node);
        let view = self.values.sdg.nodes()[node].around;
        let frame = self.values.plain_frame(func, view);
        self.frames.insert(node, frame);
        frame
    }
    /// Whether the runs can differ at a node that both execute.
    fn can_differ(&mut self, node: NodeId) -> bool {
        if let Some(differs) = self.differs.get(&node) {
            return *differs;
        }
        let frame = self.frame(node);
        let differs = self.values.may_differ(frame, node);
        self.differs.insert(node, differs);
        differs
    }
    /// When a point is executed as its state says.
    fn execution(&mut self, point: Point) -> FormulaId {
        if matches!(self.values.sdg.nodes()[point.node].kind, NodeKind::Shared(_)) {
            return TRUE;
        }
        let frame = self.frame(point.node);
        let runs: &[Run] = match point.state {
            State::Differs => &Run::BOTH,
            State::Only(Run::A) | State::Memory(Run::A) => &[Run::A],
            State::Only(Run::B) | State::Memory(Run::B) => &[Run::B],
        };
        let mut parts: Vec<FormulaId> = Vec::new();
        for run in runs {
            let term = self.values.executed(frame, *run, point.node);
            parts.push(self.atoms.formula(self.values, &mut self.formulas, term));
            if point.phase == Phase::Up && !self.chopped.same_level {
                parts.push(self.called(self.values.sdg.function(point.node), *run));
            }
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
        let (EdgeKind::Control(ControlLabel::Branch(branch)), NodeKind::Predicate(block), State::Only(run)) =
            (edge.kind, self.values.sdg.nodes()[edge.from].kind, to.state)
        else {
            return TRUE;
        };
        let frame = self.frame(edge.from);
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
    /// What must hold at the moment an edge is entered: that a version of memory comes to a φ by it.
    fn arrival(&mut self, to: Point, edge: Edge) -> FormulaId {
        let (EdgeKind::Memory, NodeKind::MemoryPhi { .. }, State::Memory(run)) =
            (edge.kind, self.values.sdg.nodes()[edge.to].kind, to.state)
        else {
            return TRUE;
        };
        if let Some(known) = self.arrivals.get(&(edge.from, edge.to, run)) {
            return *known;
        }
        let frame = self.frame(edge.to);
        let term = self.values.arrives(frame, run, edge.from, edge.to);
        let formula = self.atoms.formula(self.values, &mut self.formulas, term);
        self.arrivals.insert((edge.from, edge.to, run), formula);
        formula
    }
    /// Whose atoms speak of another moment after an edge.
    fn forgets(&mut self, edge: Edge) -> Forget {
        let sdg = self.values.sdg;
        let (from, to) = (sdg.function(edge.from), sdg.function(edge.to));
        match edge.kind {
            EdgeKind::Interference => Forget::All,
            EdgeKind::Call | EdgeKind::ParamIn => Forget::Functions(to, to),
            EdgeKind::ParamOut if self.points_to.is_recursive(to) => Forget::Functions(from, to),
            EdgeKind::ParamOut => Forget::Functions(from, from),
            EdgeKind::Control(_) | EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order | EdgeKind::Summary => {
                if from != to || matches!(sdg.nodes()[edge.to].kind, NodeKind::Shared(_)) {
                    return Forget::All;
                }
                let shape = self.values.shapes.of(from);
                Forget::Loops(from, changed(&shape, sdg, edge))
            }
        }
    }
    fn forgotten(&self, forget: &Forget) -> Vec<engine::AtomId> {
        match forget {
            Forget::All => self.atoms.table.ids().collect(),
            Forget::Functions(a, b) => self.atoms.of_func(*a).iter().chain(self.atoms.of_func(*b)).copied().collect(),
            Forget::Loops(func, loops) => loops.iter().flat_map(|l| self.atoms.of_loop(*func, *l)).copied().collect(),
        }
    }
}

/// How many steps each point is from the starts, along these edges; the greatest number if it is not reached.
fn distances(
    len: usize,
    starts: impl Iterator<Item = usize>,
    edges: impl Iterator<Item = (usize, usize)> + Clone,
) -> Vec<u32> {
    let mut first = vec![0u32; len + 1];
    for (from, _) in edges.clone() {
        first[from + 1] += 1;
    }
    for at in 0..len {
        first[at + 1] += first[at];
    }
    let mut next = first.clone();
    let mut targets = vec![0u32; first[len] as usize];
    for (from, to) in edges {
        targets[next[from] as usize] = to as u32;
        next[from] += 1;
    }
    let mut distance = vec![u32::MAX; len];
    let mut work: VecDeque<usize> = VecDeque::new();
    for start in starts {
        if distance[start] == u32::MAX {
            distance[start] = 0;
            work.push_back(start);
        }
    }
    while let Some(at) = work.pop_front() {
        for to in &targets[first[at] as usize..first[at + 1] as usize] {
            let to = *to as usize;
            if distance[to] == u32::MAX {
                distance[to] = distance[at] + 1;
                work.push_back(to);
            }
        }
    }
    distance
}

/// Whose atoms are forgotten.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Forget {
    All,
    Functions(FuncId, FuncId),
    Loops(FuncId, Vec<LoopId>),
}

/// The loops that are in another iteration after an edge inside a function.
pub fn changed(shape: &Rc<Shape<'_>>, sdg: &crate::sdg::Sdg, edge: Edge) -> Vec<LoopId> {
    let stays_last = matches!(sdg.nodes()[edge.from].kind, NodeKind::PhiOperand { .. });
    shape.changed(shape.block(sdg, edge.from), shape.block(sdg, edge.to), edge.moves, stays_last)
}

/// Callers whose conditions are looked at.
const CALLERS: u32 = 3;

impl Values<'_> {
    /// Whether both runs can execute a node with different values.
    pub fn may_differ(&mut self, frame: FrameId, node: NodeId) -> bool {
        match self.observed(frame, node) {
            Some(operands) => operands.iter().any(|operand| {
                let [a, b] = Run::BOTH.map(|run| self.operand(frame, run, *operand));
                a.is_none() || a != b
            }),
            None => true,
        }
    }
    /// That the runs differ at a node that both execute; `None` if that says nothing.
    pub fn differ(&mut self, frame: FrameId, node: NodeId) -> Option<TermId> {
        let mut ways: Vec<TermId> = Vec::new();
        for operand in self.observed(frame, node)? {
            let [a, b] = Run::BOTH.map(|run| self.operand(frame, run, operand));
            let (a, b) = (a?, b?);
            if self.terms.sort(a) != self.terms.sort(b) {
                return None;
            }
            ways.push(self.terms.ne(a, b));
        }
        Some(self.terms.or(&ways))
    }
    /// The operands whose values are what a node does; `None` if it does more.
    fn observed(&self, frame: FrameId, node: NodeId) -> Option<Vec<Operand>> {
        let func = self.frame_of(frame).func;
        let body = self.program.functions[func].body.as_ref()?;
        match self.sdg.nodes()[node].kind {
            NodeKind::Inst(value) => match &body.insts[value].kind {
                InstKind::Store { .. } if self.arbitrary.contains(node) => None,
                InstKind::Store { addr, value, .. } => Some(vec![*addr, *value]),
                InstKind::Asm(_)
                | InstKind::VaStart(_)
                | InstKind::VaArg(_)
                | InstKind::VaCopy { .. }
                | InstKind::VaEnd(_)
                | InstKind::StandIn { .. }
                | InstKind::Alloca { .. }
                | InstKind::AsmOutput { .. }
                | InstKind::Call { .. } => None,
                InstKind::Param(_)
                | InstKind::Phi(_)
                | InstKind::Copy(_)
                | InstKind::Uninit
                | InstKind::Unary(..)
                | InstKind::Binary(..)
                | InstKind::Compare(..)
                | InstKind::Cast(_)
                | InstKind::PtrAdd { .. }
                | InstKind::PtrDiff { .. }
                | InstKind::FieldAddr { .. }
                | InstKind::Load { .. }
                | InstKind::Intrinsic(..) => Some(vec![Operand::Value(value)]),
            },
            NodeKind::Predicate(_) if self.arbitrary.contains(node) => None,
            NodeKind::Predicate(block) => body.blocks[block].term.operand().map(|operand| vec![*operand]),
            NodeKind::Return(block) => match &body.blocks[block].term {
                Terminator::Return(Some(operand)) => Some(vec![*operand]),
                _ => None,
            },
            NodeKind::PhiOperand { phi, operand } => match &body.insts[phi].kind {
                InstKind::Phi(operands) => Some(vec![operands[operand as usize].1]),
                _ => None,
            },
            NodeKind::ActualIn(site, Formal::Param(index)) => match &body.insts[self.sdg.sites()[site].inst].kind {
                InstKind::Call { args, .. } if !self.arbitrary.contains(node) => {
                    args.get(index as usize).map(|operand| vec![*operand])
                }
                _ => None,
            },
            NodeKind::ActualOut(site, Formal::Result) => Some(vec![Operand::Value(self.sdg.sites()[site].inst)]),
            NodeKind::FormalIn(Formal::Param(index)) => {
                body.params.get(index as usize).map(|value| vec![Operand::Value(*value)])
            }
            NodeKind::Entry
            | NodeKind::MemoryPhi { .. }
            | NodeKind::MemoryDef { .. }
            | NodeKind::Shared(_)
            | NodeKind::FormalIn(_)
            | NodeKind::FormalOut(_)
            | NodeKind::ActualIn(..)
            | NodeKind::ActualOut(..)
            | NodeKind::Call(_) => None,
        }
    }
}
