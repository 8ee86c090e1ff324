//! Candidate paths of a condition system, with what happens inside the calls that they pass.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::exact::Move;
use crate::chop::{self, Barriers, Inside, Level};
use crate::pathcond::engine::paths::{Path, PathLimits, paths};
use crate::pathcond::engine::{self, Solution};
use crate::pathcond::leaves::Run;
use crate::pathcond::system::{self, Calls, Chopped, Conditions, Point, State, is_memory};
use crate::pathcond::values::Values;
use crate::pointsto::PointsTo;
use crate::sdg::{Edge, EdgeKind, NodeId, NodeKind, NodeSet, Sdg};

/// A system with its solution.
pub struct Solved {
    /// The system.
    pub conditions: Conditions,
    /// Its solution.
    pub solution: Solution,
}

/// The ways through a call: some of them, and whether these are all.
pub struct Ways {
    /// Each leads from before the call to after it; calls inside it are not looked into.
    pub all: Vec<Vec<Move>>,
    /// Whether there are no others.
    pub complete: bool,
}

/// What happens inside calls, as far as it was asked for.
pub struct Inner<'q> {
    points_to: &'q PointsTo,
    barriers: &'q Barriers,
    limits: engine::Limits<'q>,
    known: FxHashMap<Call, Rc<Option<Solved>>>,
    /// The ways over edges, by the state before.
    ways: FxHashMap<(Edge, State, Point), Option<Rc<Ways>>>,
}

/// A passage through a callee: where it starts and where it ends.
type Call = (Vec<(NodeId, State)>, Vec<NodeId>);

/// Ways through one call that are looked at, at most.
const MOST: usize = 12;

impl<'q> Inner<'q> {
    /// Nothing yet.
    pub fn new(points_to: &'q PointsTo, barriers: &'q Barriers, limits: engine::Limits<'q>) -> Inner<'q> {
        Inner { points_to, barriers, limits, known: FxHashMap::default(), ways: FxHashMap::default() }
    }
    /// The moves of a path; its calls are not looked into.
    pub fn moves(conditions: &Conditions, path: &Path) -> Vec<Move> {
        let mut moves = Vec::with_capacity(path.edges.len());
        for (part, id) in path.edges.iter().enumerate() {
            if let (Some(edge), Some(to)) = (conditions.edges[*id], conditions.points[conditions.system.edges[*id].to])
            {
                moves.push(Move { edge, to, part });
            }
        }
        moves
    }
    /// The ways over an edge that stands for a call; `None` for other edges, and where nothing is known of the inside.
    pub fn inside(&mut self, values: &mut Values<'_>, from: Point, edge: Edge, to: Point) -> Option<Rc<Ways>> {
        // What only one run calls, only that run does: it does not matter how.
        if edge.kind != EdgeKind::Summary || matches!(from.state, State::Only(_)) {
            return None;
        }
        let key = (edge, from.state, to);
        if let Some(known) = self.ways.get(&key) {
            return known.clone();
        }
        let passages = passages(values.sdg, from, edge);
        let stored = values.sdg.successors(edge.from).any(|other| other == edge);
        // A model may say the same as a callee does; then nothing is gained.
        let found = if passages.is_empty() || stored {
            None
        } else {
            let mut found = Ways { all: Vec::new(), complete: true };
            for (starts, ends) in passages {
                self.through(values, (&starts, &ends), edge, to, &mut found);
            }
            Some(Rc::new(found))
        };
        self.ways.insert(key, found.clone());
        found
    }
    /// The ways through one callee.
    fn through(
        &mut self,
        values: &mut Values<'_>,
        (starts, ends): (&[(NodeId, State)], &[NodeId]),
        edge: Edge,
        to: Point,
        found: &mut Ways,
    ) {
        let solved = self.solved(values, starts, ends);
        let Some(solved) = solved.as_ref() else {
            found.complete = false;
            return;
        };
        let system = &solved.conditions.system;
        let limits = PathLimits { length: 400, steps: 4_000, nodes: 1_000_000 };
        let mut inner = paths(system, &solved.solution, solved.conditions.end, None, &self.limits, limits);
        let several: Vec<Path> = inner.by_ref().take(MOST + 1).collect();
        found.complete &= several.len() <= MOST && !inner.was_cut();
        for path in several.iter().take(MOST) {
            let seed = solved.conditions.points[system.seeds[path.seed].point].expect("a seed is no end");
            let inside = Self::moves(&solved.conditions, path);
            let last = inside.last().map_or(seed, |m| m.to);
            let down = passage_edge(values.sdg, edge.from, seed.node);
            let (Some(down), Some(up)) = (down, passage_edge(values.sdg, last.node, edge.to)) else { continue };
            let mut whole = vec![Move { edge: down, to: seed, part: 0 }];
            whole.extend(inside);
            whole.push(Move { edge: up, to, part: 0 });
            found.all.push(whole);
        }
    }
    /// The system of a passage through a callee; `None` if it is too large.
    fn solved(&mut self, values: &mut Values<'_>, starts: &[(NodeId, State)], ends: &[NodeId]) -> Rc<Option<Solved>> {
        let key: Call = (starts.to_vec(), ends.to_vec());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let from: Vec<NodeId> = starts.iter().map(|(node, _)| *node).collect();
        let nodes = chop::chop_of(values.sdg, &from, ends, self.barriers, Level::Same, Inside::Truncated).nodes;
        let to = NodeSet::of(values.sdg.nodes().len(), ends.iter().copied());
        let chopped = Chopped {
            nodes: &nodes,
            from: starts,
            to: &to,
            values_only: false,
            barriers: self.barriers,
            via: &[],
            calls: Calls::Stay,
            one_run: false,
            near: None,
            merged: &[],
            watch: self.limits.watch,
        };
        let conditions = system::build(values, self.points_to, chopped);
        let solved = conditions.map(|conditions| {
            let solution = engine::solve(&conditions.system, &self.limits);
            Solved { conditions, solution }
        });
        let solved = Rc::new(solved);
        self.known.insert(key, solved.clone());
        solved
    }
}

/// The edge between an actual and a formal.
fn passage_edge(sdg: &Sdg, from: NodeId, to: NodeId) -> Option<Edge> {
    sdg.successors(from)
        .find(|edge| edge.to == to && matches!(edge.kind, EdgeKind::ParamIn | EdgeKind::ParamOut | EdgeKind::Call))
}

/// Where a path over a summary edge enters a callee, in which states, and where it leaves it; callee by callee.
fn passages(sdg: &Sdg, from: Point, edge: Edge) -> Vec<Call> {
    let mut found: Vec<Call> = Vec::new();
    let outs: Vec<NodeId> =
        sdg.predecessors(edge.to).filter(|e| e.kind == EdgeKind::ParamOut).map(|e| e.from).collect();
    let mut procs: Vec<crate::sdg::ProcId> = outs.iter().map(|out| sdg.nodes()[*out].proc).collect();
    procs.sort_unstable();
    procs.dedup();
    for proc in procs {
        let mut starts: Vec<(NodeId, State)> = Vec::new();
        for down in sdg.successors(edge.from) {
            if !matches!(down.kind, EdgeKind::ParamIn | EdgeKind::Call) || sdg.nodes()[down.to].proc != proc {
                continue;
            }
            let kind = sdg.nodes()[down.to].kind;
            let states: Vec<State> = match (from.state, kind) {
                (State::Only(run), _) => vec![State::Only(run)],
                (_, NodeKind::Entry) => Run::BOTH.map(State::Only).to_vec(),
                (State::Differs, kind) if is_memory(kind) => Run::BOTH.map(State::Memory).to_vec(),
                (State::Memory(run), kind) if is_memory(kind) => vec![State::Memory(run)],
                (State::Differs | State::Memory(_), _) => vec![State::Differs],
            };
            starts.extend(states.into_iter().map(|state| (down.to, state)));
        }
        let mut ends: Vec<NodeId> = outs.iter().copied().filter(|out| sdg.nodes()[*out].proc == proc).collect();
        starts.sort_unstable();
        ends.sort_unstable();
        ends.dedup();
        if !starts.is_empty() && !ends.is_empty() {
            found.push((starts, ends));
        }
    }
    found
}
