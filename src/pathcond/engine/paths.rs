//! Candidate paths, read from a solution: edge sequences from a seed to a sink that the condition allows, shortest first.
//!
//! The search walks backwards from the sink. A suffix carries the condition under which it can be walked from where it starts now,
//! always together with the solution's condition of that point, so that what is left can be completed: there are no
//! dead ends as long as conditions are exact. Loops may be walked as often as conditions allow. The length of the shortest way from a seed orders
//! the work (A*), so paths come out in order of their length.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::bdds::{Bdds, Condition, Mode};
use super::{EdgeId, Limits, PointId, Solution, System, fixpoint};
use crate::base::IdVec;

/// A path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Path {
    /// Which of the system's seeds it starts at.
    pub seed: usize,
    /// Its edges, in order.
    pub edges: Vec<EdgeId>,
}

/// The edges of a suffix, the first one first.
#[derive(Debug)]
struct Link {
    edge: EdgeId,
    rest: Option<Rc<Link>>,
}

/// Work to be done, best first: (length with the shortest completion, complete ones first, the newest first, which). Where many suffixes are equally good, the newest
/// is nearest to its completion.
type Rank = Reverse<(usize, bool, usize)>;

struct Item {
    point: PointId,
    suffix: Option<Rc<Link>>,
    length: usize,
    /// Either the condition at the point, or the seed that completes the path.
    state: State,
}

enum State {
    Open(Condition),
    Complete(usize),
}

/// How long the search may go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathLimits {
    /// Edges of a path.
    pub length: usize,
    /// Suffixes that are extended.
    pub steps: usize,
    /// Nodes of the conditions of all suffixes that wait; past it, new ones are left out.
    pub nodes: usize,
}

impl Default for PathLimits {
    fn default() -> Self {
        PathLimits { length: 2_000, steps: 100_000, nodes: 10_000_000 }
    }
}

/// The paths to a sink, lazily. Each comes once.
pub struct Paths<'a> {
    system: &'a System,
    solution: &'a Solution,
    bdds: Bdds<'a>,
    limits: PathLimits,
    into: IdVec<PointId, Vec<EdgeId>>,
    /// Edges on the shortest way from a seed; `None` if there is none.
    distance: IdVec<PointId, Option<usize>>,
    heap: BinaryHeap<(Rank, usize)>,
    items: Vec<Option<Item>>,
    /// Edge sequences that no path may have.
    avoided: Vec<Vec<EdgeId>>,
    steps: usize,
    /// Nodes of the conditions that wait.
    held: usize,
    cut: bool,
}

/// The paths to `sink`; `wanted`, if given, must hold at their end.
pub fn paths<'a>(
    system: &'a System,
    solution: &'a Solution,
    sink: PointId,
    wanted: Option<&Condition>,
    limits: &Limits<'a>,
    path_limits: PathLimits,
) -> Paths<'a> {
    let mut bdds = solution.bdds(system, limits);
    let mut end = solution.conditions[sink].clone();
    if let Some(wanted) = wanted {
        end = bdds.and(&end, wanted, Mode::Once);
    }
    let mut found = Paths {
        system,
        solution,
        bdds,
        limits: path_limits,
        into: fixpoint::incoming(system),
        distance: distances(system, solution),
        heap: BinaryHeap::new(),
        items: Vec::new(),
        avoided: Vec::new(),
        steps: 0,
        held: 0,
        cut: false,
    };
    found.push(sink, None, 0, &end);
    found
}

/// How many edges the shortest way from a seed has, by points whose condition is not false.
fn distances(system: &System, solution: &Solution) -> IdVec<PointId, Option<usize>> {
    let out = fixpoint::outgoing(system);
    let mut distance: IdVec<PointId, Option<usize>> = IdVec::filled(None, system.points.len());
    let mut order: Vec<PointId> = Vec::new();
    let possible = |point: PointId| !solution.conditions[point].is_false();
    for seed in system.seeds.iter().filter(|s| possible(s.point)) {
        if distance[seed.point].replace(0).is_none() {
            order.push(seed.point);
        }
    }
    let mut at = 0;
    while let Some(&point) = order.get(at) {
        at += 1;
        for edge in &out[point] {
            let to = system.edges[*edge].to;
            if distance[to].is_none() && possible(to) {
                distance[to] = distance[point].map(|d| d + 1);
                order.push(to);
            }
        }
    }
    distance
}

impl Paths<'_> {
    /// No path that has these edges in a row will come from now on: they were found to be impossible together.
    pub fn avoid(&mut self, edges: Vec<EdgeId>) {
        assert!(!edges.is_empty(), "every path has the empty sequence");
        self.avoided.push(edges);
    }
    /// Whether something was left out because of a limit: if not, then when the iterator ends, all paths have come.
    pub fn was_cut(&self) -> bool {
        self.cut
    }

    /// Puts a suffix on the agenda if it can be completed, and as a path if a seed is there.
    fn push(&mut self, point: PointId, suffix: Option<&Rc<Link>>, length: usize, condition: &Condition) {
        let Some(distance) = self.distance[point] else { return };
        let condition = self.bdds.with_lemmas(condition);
        if condition.is_false() || self.avoids(suffix) {
            return;
        }
        for (number, seed) in self.system.seeds.iter().enumerate().filter(|(_, s)| s.point == point) {
            let start = self.bdds.label(seed.start);
            let here = self.bdds.and(&condition, &start, Mode::Iterated);
            if !self.bdds.with_lemmas(&here).is_false() {
                let state = State::Complete(number);
                self.add(length, Item { point, suffix: suffix.cloned(), length, state });
            }
        }
        if self.held + condition.size() > self.limits.nodes {
            self.cut = true;
            return;
        }
        self.held += condition.size();
        self.add(length + distance, Item { point, suffix: suffix.cloned(), length, state: State::Open(condition) });
    }
    fn add(&mut self, least: usize, item: Item) {
        let open = matches!(item.state, State::Open(_));
        self.heap.push((Reverse((least, open, usize::MAX - self.items.len())), self.items.len()));
        self.items.push(Some(item));
    }
    /// Whether the suffix starts with an avoided sequence.
    fn avoids(&self, suffix: Option<&Rc<Link>>) -> bool {
        self.avoided.iter().any(|avoided| {
            let mut at = suffix;
            avoided.iter().all(|edge| {
                let here = at;
                at = here.and_then(|link| link.rest.as_ref());
                here.is_some_and(|link| link.edge == *edge)
            })
        })
    }
    fn extend(&mut self, point: PointId, suffix: Option<&Rc<Link>>, length: usize, condition: &Condition) {
        if length >= self.limits.length || self.steps >= self.limits.steps {
            self.cut |= !self.into[point].is_empty();
            return;
        }
        self.steps += 1;
        for id in self.into[point].clone() {
            let edge = self.system.edges[id];
            if self.distance[edge.from].is_none() {
                continue;
            }
            let entering = self.bdds.label(edge.entering);
            let before = self.bdds.and(condition, &entering, Mode::Iterated);
            let before = self.bdds.forget(&before, edge.forget, Mode::Iterated);
            let leaving = self.bdds.label(edge.leaving);
            let before = self.bdds.and(&before, &leaving, Mode::Iterated);
            let before = self.bdds.and(&before, &self.solution.conditions[edge.from], Mode::Iterated);
            // Already part of the solution, unless a limit weakened that.
            let execution = self.bdds.label(self.system.points[edge.from]);
            let before = self.bdds.and(&before, &execution, Mode::Iterated);
            let link = Rc::new(Link { edge: id, rest: suffix.cloned() });
            self.push(edge.from, Some(&link), length + 1, &before);
        }
    }
}

impl Iterator for Paths<'_> {
    type Item = Path;

    fn next(&mut self) -> Option<Path> {
        while let Some((_, number)) = self.heap.pop() {
            if self.bdds.is_over() {
                self.cut = true;
                return None;
            }
            let Some(item) = self.items[number].take() else { continue };
            match item.state {
                State::Open(condition) => {
                    self.held -= condition.size();
                    self.extend(item.point, item.suffix.as_ref(), item.length, &condition);
                }
                State::Complete(seed) => {
                    let links = std::iter::successors(item.suffix.as_ref(), |link| link.rest.as_ref());
                    let edges: Vec<EdgeId> = links.map(|link| link.edge).collect();
                    // A sequence may have been avoided after this path was put on the agenda.
                    let bad = |a: &Vec<EdgeId>| edges.windows(a.len()).any(|w| w == a);
                    if !self.avoided.iter().any(bad) {
                        return Some(Path { seed, edges });
                    }
                }
            }
        }
        None
    }
}
