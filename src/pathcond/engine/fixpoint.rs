//! The iteration to the least solution.
//!
//! Outside of cycles a point is computed from all its edges when everything before it is final. In a cycle it grows: what its changed
//! edges bring is joined to what it had, which is all that `T`, distributing over disjunction, asks for.

use std::collections::{BTreeSet, VecDeque};

use super::bdds::{Bdds, Condition, Mode};
use super::formula::FormulaId;
use super::{EdgeId, ForgetId, Limits, PointId, Statistics, Strategy, System};
use crate::base::IdVec;
use crate::base::graph::Digraph;
use crate::base::id::Id;
use crate::intervals::{IntervalId, Intervals, decompose};

/// The result of an iteration.
pub(super) struct Solved {
    pub conditions: IdVec<PointId, Condition>,
    /// Points, edges, components and evaluations.
    pub statistics: Statistics,
    /// Whether it was stopped before it was stable; then all conditions are `true`.
    pub stopped: bool,
}

/// The intervals of the system's graph.
pub(super) fn intervals(system: &System) -> Intervals<PointId> {
    let out = outgoing(system);
    let graph = Digraph::new(out.iter().map(|edges| edges.iter().map(|e| system.edges[*e].to).collect::<Vec<_>>()));
    let roots: Vec<PointId> = system.seeds.iter().map(|s| s.point).collect();
    decompose(&graph, &roots)
}

/// The edges that leave each point.
pub(super) fn outgoing(system: &System) -> IdVec<PointId, Vec<EdgeId>> {
    let mut out = IdVec::filled(Vec::new(), system.points.len());
    for (id, edge) in system.edges.enumerate() {
        out[edge.from].push(id);
    }
    out
}

/// The edges that enter each point.
pub(super) fn incoming(system: &System) -> IdVec<PointId, Vec<EdgeId>> {
    let mut all = IdVec::filled(Vec::new(), system.points.len());
    for (id, edge) in system.edges.enumerate() {
        all[edge.to].push(id);
    }
    all
}

/// Points to be evaluated, in the order of a strategy.
enum Agenda<'a> {
    Worklist {
        queue: VecDeque<PointId>,
        waiting: IdVec<PointId, bool>,
    },
    Components {
        /// Component, ticket, point.
        queue: BTreeSet<(u32, u32, PointId)>,
        component: IdVec<PointId, u32>,
        waiting: IdVec<PointId, bool>,
        ticket: u32,
    },
    Intervals {
        intervals: &'a Intervals<PointId>,
        places: Vec<u32>,
        dirty: BTreeSet<u32>,
        /// The intervals that are being made stable, outermost first.
        open: Vec<IntervalId>,
    },
}

impl<'a> Agenda<'a> {
    fn new(strategy: Strategy, intervals: &'a Intervals<PointId>) -> Self {
        let len = intervals.order.len();
        match strategy {
            Strategy::Worklist => Agenda::Worklist { queue: VecDeque::new(), waiting: IdVec::filled(false, len) },
            Strategy::Components => {
                let places = intervals.places();
                let component = (0..len).map(PointId::new).map(|point| {
                    let outermost = intervals.around(point).last();
                    outermost.map_or(places[point.index()], |id| intervals.all[id].span.start as u32)
                });
                let component = component.collect();
                Agenda::Components { queue: BTreeSet::new(), component, waiting: IdVec::filled(false, len), ticket: 0 }
            }
            Strategy::Intervals => {
                let places = intervals.places();
                Agenda::Intervals { intervals, places, dirty: BTreeSet::new(), open: Vec::new() }
            }
        }
    }
    fn push(&mut self, point: PointId) {
        match self {
            Agenda::Worklist { queue, waiting } => {
                if !std::mem::replace(&mut waiting[point], true) {
                    queue.push_back(point);
                }
            }
            Agenda::Components { queue, component, waiting, ticket } => {
                if !std::mem::replace(&mut waiting[point], true) {
                    queue.insert((component[point], *ticket, point));
                    *ticket += 1;
                }
            }
            Agenda::Intervals { places, dirty, .. } => {
                dirty.insert(places[point.index()]);
            }
        }
    }
    fn pop(&mut self) -> Option<PointId> {
        match self {
            Agenda::Worklist { queue, waiting } => {
                let point = queue.pop_front()?;
                waiting[point] = false;
                Some(point)
            }
            Agenda::Components { queue, waiting, .. } => {
                let (_, _, point) = queue.pop_first()?;
                waiting[point] = false;
                Some(point)
            }
            Agenda::Intervals { intervals, dirty, open, .. } => loop {
                let span = open.last().map_or(0..intervals.order.len(), |id| intervals.all[*id].span.clone());
                if let Some(&place) = dirty.range(span.start as u32..span.end as u32).next() {
                    dirty.remove(&place);
                    let point = intervals.order[place as usize];
                    let mut inner: Vec<IntervalId> =
                        intervals.around(point).take_while(|id| Some(id) != open.last()).collect();
                    inner.reverse();
                    open.extend(inner);
                    return Some(point);
                }
                // Stable: on with the interval around it.
                open.pop()?;
            },
        }
    }
}

/// What leaves a point, for a label, a set and a mode.
type Sent = Vec<((FormulaId, ForgetId, Mode), Condition)>;

/// Evaluates until nothing changes, or until `stop` says so of a point that changed.
pub(super) fn run(
    system: &System,
    bdds: &mut Bdds<'_>,
    limits: &Limits<'_>,
    stop: &dyn Fn(&mut Bdds<'_>, PointId, &Condition) -> bool,
) -> Solved {
    let intervals = intervals(system);
    let (out, into) = (outgoing(system), incoming(system));
    let len = system.points.len();
    let mut statistics = Statistics {
        atoms: system.atoms,
        points: len,
        edges: system.edges.len(),
        components: intervals.all.len(),
        ..Statistics::default()
    };
    let mut values: IdVec<PointId, Condition> = IdVec::filled(bdds.falsity(), len);
    let mut starts: IdVec<PointId, Vec<FormulaId>> = IdVec::filled(Vec::new(), len);
    // Edges whose start has changed since the end was evaluated.
    let mut pending: IdVec<PointId, Vec<EdgeId>> = IdVec::filled(Vec::new(), len);
    let mut waits: IdVec<EdgeId, bool> = IdVec::filled(false, system.edges.len());
    let mut grown: IdVec<PointId, u32> = IdVec::filled(0, len);
    let mut sent: IdVec<PointId, Sent> = IdVec::filled(Vec::new(), len);
    let mut agenda = Agenda::new(limits.strategy, &intervals);
    for seed in &system.seeds {
        starts[seed.point].push(seed.start);
        agenda.push(seed.point);
    }
    while let Some(point) = agenda.pop() {
        if bdds.is_over() {
            statistics.weakened += 1;
            return Solved { conditions: IdVec::filled(bdds.truth(), len), statistics, stopped: true };
        }
        statistics.evaluations += 1;
        let cycle = intervals.innermost(point);
        let mode = if cycle.is_some() { Mode::Iterated } else { Mode::Once };
        if cycle.is_some() && grown[point] > limits.turns {
            pending[point].clear();
            continue;
        }
        let fresh = std::mem::take(&mut pending[point]);
        let first = grown[point] == 0;
        let execution = bdds.label(system.points[point]);
        let mut parts: Vec<Condition> = Vec::new();
        if first || cycle.is_none() {
            for start in &starts[point] {
                let start = bdds.label(*start);
                parts.push(bdds.and(&start, &execution, mode));
            }
        }
        let edges = if cycle.is_some() { &fresh } else { &into[point] };
        for &id in edges {
            let edge = &system.edges[id];
            if values[edge.from].is_false() {
                continue;
            }
            let key = (edge.leaving, edge.forget, mode);
            let known = sent[edge.from].iter().find(|(k, _)| *k == key).map(|(_, c)| c.clone());
            let left = known.unwrap_or_else(|| {
                let leaving = bdds.label(edge.leaving);
                let left = bdds.and(&values[edge.from], &leaving, mode);
                let left = bdds.forget(&left, edge.forget, mode);
                sent[edge.from].push((key, left.clone()));
                left
            });
            let entering = bdds.label(edge.entering);
            let inside = bdds.and(&entering, &execution, mode);
            let part = bdds.and(&left, &inside, mode);
            if !part.is_false() {
                parts.push(part);
            }
        }
        for id in fresh {
            waits[id] = false;
        }
        let mut new = bdds.any(parts, mode);
        if cycle.is_some() {
            new = bdds.join(point, &values[point], &new);
            if new != values[point] && grown[point] == limits.turns {
                // Nothing weaker can come: a condition implies the execution condition of its point.
                new = execution;
            }
        }
        grown[point] += u32::from(first || new != values[point]);
        if new == values[point] {
            continue;
        }
        values[point] = new;
        sent[point].clear();
        if stop(bdds, point, &values[point]) {
            break;
        }
        for &id in &out[point] {
            let to = system.edges[id].to;
            if !std::mem::replace(&mut waits[id], true) {
                pending[to].push(id);
            }
            agenda.push(to);
        }
    }
    Solved { conditions: values, statistics, stopped: false }
}
