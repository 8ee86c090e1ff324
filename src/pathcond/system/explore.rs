//! Which points and edges paths can take, and which of them lead to an end.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::contexts::{ContextId, UP};
use super::{Calls, Maker, Near, Point, State, Step, is_memory, site_of};
use crate::base::id::Id;
use crate::ir::{FuncId, InstKind, Operand};
use crate::pathcond::leaves::Run;
use crate::sdg::control::{LoopMove, RegionId};
use crate::sdg::{ControlLabel, Edge, EdgeKind, Formal, NodeId, NodeKind, NodeSet, Sdg};

impl Maker<'_, '_> {
    /// All points and edges that paths from the source can take; `None` if there are more than `most`. Of the paths that are not much longer than the shortest, if
    /// that is what is asked for, all, and some others.
    pub(super) fn explore(&mut self, most: usize) -> Option<Explored> {
        let Some(Near { longer, to_end }) = self.chopped.near else { return self.within(most, u32::MAX) };
        let starts = self.chopped.from.iter().filter(|(node, _)| self.chopped.nodes.contains(*node));
        let mut bound = starts.map(|(node, _)| to_end.of(UP, *node)).min()?.saturating_add(longer);
        // The shortest path between points can be longer than that between their nodes.
        loop {
            let explored = self.within(most, bound)?;
            let ends = (0..explored.points.len()).filter(|at| self.accepts(explored.points[*at]));
            let shortest = ends.map(|at| explored.distance[at]).min();
            match shortest.map(|shortest| shortest.saturating_add(longer)) {
                Some(wanted) if wanted <= bound => return Some(explored),
                Some(wanted) => bound = wanted,
                None if !explored.cut || self.chopped.watch.is_over() => return Some(explored),
                None => bound = bound.saturating_add(2 + bound / 8),
            }
        }
    }
    /// The points on paths that may be completed with at most so many edges.
    fn within(&mut self, most: usize, bound: u32) -> Option<Explored> {
        let mut points: Vec<Point> = Vec::new();
        let mut known: FxHashMap<Point, usize> = FxHashMap::default();
        let mut steps: Vec<Step> = Vec::new();
        let mut seeds: Vec<usize> = Vec::new();
        let mut work: VecDeque<usize> = VecDeque::new();
        let mut distance: Vec<u32> = Vec::new();
        let mut cut = false;
        let chopped = self.chopped;
        for (node, state) in chopped.from {
            if chopped.nodes.contains(*node) {
                let stage = self.stage(*node, 0);
                // Of whole paths it does not matter which run is called the first one.
                let fresh = *state == State::Differs && chopped.calls != Calls::Stay;
                let point = Point { node: *node, state: *state, context: UP, stage, fresh };
                let id = *known.entry(point).or_insert_with(|| {
                    points.push(point);
                    distance.push(0);
                    points.len() - 1
                });
                seeds.push(id);
                work.push_back(id);
            }
        }
        let sdg = self.values.sdg;
        let mut out: Vec<Edge> = Vec::new();
        while let Some(id) = work.pop_front() {
            if points.len() > most {
                return None;
            }
            if steps.len().is_multiple_of(64) && self.chopped.watch.is_over() {
                break;
            }
            let point = points[id];
            out.clear();
            out.extend(sdg.successors(point.node));
            let stored = out.len();
            let moves = LoopMove { stays: sdg.nodes()[point.node].around, back: None };
            let passed = self
                .passed
                .entry(point.node)
                .or_insert_with(|| chopped.barriers.summaries(sdg).successors(sdg, point.node).into());
            out.extend(passed.iter().copied().map(|to| Edge { from: point.node, to, kind: EdgeKind::Summary, moves }));
            for (at, edge) in out.iter().enumerate() {
                if !chopped.nodes.contains(edge.to) {
                    continue;
                }
                let length = distance[id] + 1;
                let mut contexts = self.contexts_after(point, edge, at >= stored);
                if let Some(Near { to_end, .. }) = chopped.near {
                    for context in &mut contexts {
                        let is_far = |c: &ContextId| to_end.of(*c, edge.to).saturating_add(length) > bound;
                        cut |= context.take_if(|c| is_far(c)).is_some();
                    }
                }
                if contexts == [None, None] {
                    continue;
                }
                for state in self.states(edge, point.state) {
                    if chopped.one_run && matches!(state, State::Only(Run::B) | State::Memory(Run::B)) {
                        continue;
                    }
                    if point.fresh && matches!(state, State::Only(Run::B) | State::Memory(Run::B)) {
                        continue;
                    }
                    for context in contexts.iter().flatten().copied() {
                        if state == State::Differs && !self.can_differ(context, edge.to) {
                            continue;
                        }
                        let stage = self.stage(edge.to, point.stage);
                        let fresh = point.fresh && state == State::Differs;
                        let next = Point { node: edge.to, state, context, stage, fresh };
                        let to = *known.entry(next).or_insert_with(|| {
                            points.push(next);
                            distance.push(length);
                            work.push_back(points.len() - 1);
                            points.len() - 1
                        });
                        steps.push(Step { from: id, to, edge: *edge });
                    }
                }
            }
        }
        Some(Explored { points, steps, seeds, distance, cut })
    }
    /// Where a path is among calls after an edge: nowhere, if it cannot take it, and two where it may enter a callee for good or pass it. `summary` says that
    /// the edge stands for callees that have nodes.
    fn contexts_after(&mut self, point: Point, edge: &Edge, summary: bool) -> [Option<ContextId>; 2] {
        let context = point.context;
        let sdg = self.values.sdg;
        let is_alone = matches!(point.state, State::Only(_));
        let site = site_of(sdg.nodes()[edge.from].kind);
        match edge.kind {
            EdgeKind::Call | EdgeKind::ParamIn | EdgeKind::ParamOut | EdgeKind::Interference
                if self.chopped.calls == Calls::Stay =>
            {
                [None, None]
            }
            EdgeKind::Call | EdgeKind::ParamIn => {
                let func = sdg.function(edge.to);
                let for_good = (!self.contexts.is_inside(context))
                    .then(|| self.contexts.entered(self.values, self.points_to, context, site, func));
                // What only one run calls, only that run does: the call's own edges say so.
                let passed = site
                    .filter(|site| !is_alone && self.contexts.expands(sdg, self.points_to, context, *site))
                    .map(|site| self.contexts.passed(self.values, context, site, func));
                [for_good, passed]
            }
            EdgeKind::ParamOut => [self.contexts.returned(context, site_of(sdg.nodes()[edge.to].kind)), None],
            EdgeKind::Interference => [(!self.contexts.is_inside(context)).then_some(UP), None],
            EdgeKind::Summary => {
                let is_followed = summary
                    && !is_alone
                    && site.is_some_and(|site| self.contexts.expands(sdg, self.points_to, context, site));
                [(!is_followed).then_some(context), None]
            }
            EdgeKind::Control(_) | EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order => [Some(context), None],
        }
    }
    fn stage(&self, node: NodeId, stage: u32) -> u32 {
        match self.chopped.via.get(stage as usize) {
            Some(nodes) if nodes.contains(&node) => stage + 1,
            _ => stage,
        }
    }
    /// Whether a path may end at a point.
    fn accepts(&self, point: Point) -> bool {
        // A path that ends inside a callee has entered it for good.
        if self.contexts.is_inside(point.context) || (point.stage as usize) < self.chopped.via.len() {
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
    /// Only what leads to an end, the points sorted.
    pub(super) fn prune(&self, explored: Explored) -> (Vec<Point>, Vec<Step>, Vec<usize>, Vec<usize>, bool) {
        let Explored { points, steps, seeds, distance, cut } = explored;
        let accepted = (0..points.len()).filter(|at| self.accepts(points[*at]));
        let to_end = distances(points.len(), accepted, steps.iter().map(|step| (step.to, step.from)));
        let mut leads: Vec<bool> = to_end.iter().map(|d| *d != u32::MAX).collect();
        let mut whole = !cut;
        if let Some(Near { longer, .. }) = self.chopped.near {
            let length = |at: usize| to_end[at].saturating_add(distance[at]);
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
            EdgeKind::Data | EdgeKind::ParamIn | EdgeKind::ParamOut | EdgeKind::Memory => {
                let mut states = carried(to_memory);
                // What has to be visited may be what only one run computes, on its way to where the runs meet.
                if !self.chopped.via.is_empty() && matches!(from, State::Only(_)) && !to_memory {
                    states.push(from);
                }
                states
            }
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
    pub(super) fn place(&mut self, node: NodeId) -> (FuncId, Option<RegionId>) {
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
}

/// What paths can take.
pub(super) struct Explored {
    pub points: Vec<Point>,
    pub steps: Vec<Step>,
    pub seeds: Vec<usize>,
    /// How many edges each point is from the start.
    distance: Vec<u32>,
    /// Whether something was left out.
    cut: bool,
}

/// How many edges the nodes of a chop are from its end, at least.
pub struct ToEnd {
    /// Of paths that may return to callers, and of those that may not.
    distance: [Vec<u32>; 2],
}

impl ToEnd {
    fn of(&self, context: ContextId, node: NodeId) -> u32 {
        self.distance[usize::from(context != UP)][node.index()]
    }
    /// For the nodes of a chop. A call is taken to pass everything on, which is linear in its parameters, where their pairs are not.
    pub fn new(sdg: &Sdg, nodes: &NodeSet, to: &NodeSet) -> ToEnd {
        let mut distance = [vec![u32::MAX; sdg.nodes().len()], vec![u32::MAX; sdg.nodes().len()]];
        let mut work: VecDeque<(usize, NodeId)> = VecDeque::new();
        for node in nodes.iter().filter(|node| to.contains(*node)) {
            for phase in [UPWARDS, DOWNWARDS] {
                distance[phase][node.index()] = 0;
                work.push_back((phase, node));
            }
        }
        let mut passed = [vec![false; sdg.sites().len()], vec![false; sdg.sites().len()]];
        while let Some((phase, at)) = work.pop_front() {
            let length = distance[phase][at.index()] + 1;
            let mut reach = |before: usize, from: NodeId| {
                if nodes.contains(from) && distance[before][from.index()] == u32::MAX {
                    distance[before][from.index()] = length;
                    work.push_back((before, from));
                }
            };
            for edge in sdg.predecessors(at) {
                match (edge.kind, phase) {
                    (EdgeKind::ParamOut | EdgeKind::Interference, DOWNWARDS)
                    | (EdgeKind::Call | EdgeKind::ParamIn, UPWARDS) => {}
                    (EdgeKind::Call | EdgeKind::ParamIn | EdgeKind::Interference, _) => {
                        reach(UPWARDS, edge.from);
                        reach(DOWNWARDS, edge.from);
                    }
                    (EdgeKind::ParamOut, _) => reach(UPWARDS, edge.from),
                    (
                        EdgeKind::Control(_) | EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order | EdgeKind::Summary,
                        _,
                    ) => reach(phase, edge.from),
                }
            }
            if let NodeKind::ActualOut(site, _) = sdg.nodes()[at].kind
                && !std::mem::replace(&mut passed[phase][site.index()], true)
            {
                sdg.sites()[site].ins.iter().for_each(|from| reach(phase, *from));
            }
        }
        ToEnd { distance }
    }
}

const UPWARDS: usize = 0;
const DOWNWARDS: usize = 1;

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
