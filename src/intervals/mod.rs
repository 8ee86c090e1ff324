//! The interval decomposition of a graph after Sreedhar, Gao and Lee (1996): reducible and irreducible components, nested.
//!
//! An interval is a strongly connected component of what is left inside the one around it. Its *headers* are its nodes of least
//! level in the dominator tree. With one header it is reducible: all ways in lead through it, and the intervals inside are
//! those of the component without the header. With several it is irreducible; each of its nodes is dominated by exactly one header, edges
//! between these regions lead to headers only, and the intervals inside are those of the regions.
//!
//! This differs from [`crate::base::graph::LoopForest`] inside irreducible components only. There the loop forest depends on which entry a
//! search meets first, and a loop whose header is that entry disappears into the component around it; here it stays an interval of its
//! own, as figure 5 of the paper draws it, and no choice is left. Dependence graphs, half of whose back edges are irreducible, need
//! that; control-flow graphs do not.
//!
//! [`Intervals::order`] lists all nodes so that an interval is a contiguous piece, its headers lead, and edges that lead backwards in
//! it lead to a header of an interval around both ends. Cost: linear for each level of nesting.

#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::base::IdVec;
use crate::base::graph::{Components, DepthFirst, Digraph, Dominators};
use crate::base::id::Id;
use crate::define_id;

define_id!(/// An interval.
    IntervalId, "i");
define_id!(/// A node of the graph with a root added, or of a part of the graph.
    Local, "v");

/// What an interval is like.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum IntervalKind {
    /// One header dominates all nodes.
    Reducible,
    /// Several headers.
    Irreducible,
}

/// A strongly connected component with at least one edge inside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Interval<N> {
    /// Whether there is one header.
    pub kind: IntervalKind,
    /// Its nodes of least level in the dominator tree, in the order of evaluation.
    pub headers: Vec<N>,
    /// Nodes that are roots or have an edge from outside, ascending. All are headers.
    pub entries: Vec<N>,
    /// Nodes with an edge to the outside, ascending.
    pub exits: Vec<N>,
    /// The interval around it.
    pub parent: Option<IntervalId>,
    /// Nesting depth, 1 for an outermost interval.
    pub depth: u32,
    /// Which part of [`Intervals::order`] it is.
    pub span: Range<usize>,
    /// Edges with both ends inside.
    pub edges: usize,
}

/// The interval decomposition of a graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Intervals<N> {
    /// The intervals, in the order in which evaluation enters them: a parent comes before its children.
    pub all: IdVec<IntervalId, Interval<N>>,
    /// The innermost interval of each node.
    pub innermost: Vec<Option<IntervalId>>,
    /// Every node once, in the order of evaluation.
    pub order: Vec<N>,
    /// The depth of the dominator tree, counted in nodes.
    pub dominator_depth: u32,
    /// Edges of the graph.
    pub edges: usize,
}

/// The columns of table II of the paper, and what else is worth knowing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, serde::Serialize)]
pub struct IntervalStatistics {
    /// Nodes of the graph.
    pub nodes: usize,
    /// Edges of the graph.
    pub edges: usize,
    /// Outermost components that are reducible (`redSCC`).
    pub outer_reducible: usize,
    /// Outermost components that are not (`irrSCC`).
    pub outer_irreducible: usize,
    /// Depth of the dominator tree (`Depth`).
    pub dominator_depth: u32,
    /// How deep intervals nest.
    pub nesting_depth: u32,
    /// Reducible intervals of all levels (`redL`).
    pub reducible: usize,
    /// Nodes of the largest reducible interval.
    pub reducible_nodes: usize,
    /// Edges of the reducible interval with most edges.
    pub reducible_edges: usize,
    /// Irreducible intervals of all levels (`irrL`).
    pub irreducible: usize,
    /// Nodes of the largest irreducible interval.
    pub irreducible_nodes: usize,
    /// Edges of the irreducible interval with most edges.
    pub irreducible_edges: usize,
    /// Nodes that are on a cycle.
    pub cyclic_nodes: usize,
}

/// The decomposition of a graph that is entered at the roots. What no root reaches is decomposed as if entered at its first component.
pub fn decompose<N: Id>(graph: &Digraph<N>, roots: &[N]) -> Intervals<N> {
    let roots = complete(graph, roots);
    let rooted = with_root(graph, &roots);
    let root = Local::new(graph.len());
    let dominators = Dominators::new(&rooted, &rooted.reversed(), root);
    let mut place = vec![0u32; graph.len()];
    for (at, node) in dominators.preorder().iter().enumerate().filter(|(_, node)| **node != root) {
        place[node.index()] = at as u32;
    }
    let mut decomposer = Decomposer {
        graph,
        dominators: &dominators,
        place,
        local: vec![u32::MAX; graph.len()],
        owner: vec![u32::MAX; graph.len()],
        found: Intervals {
            all: IdVec::new(),
            innermost: vec![None; graph.len()],
            order: Vec::with_capacity(graph.len()),
            dominator_depth: graph.nodes().map(|n| dominators.level(Local::new(n.index()))).max().unwrap_or(0),
            edges: graph.nodes().map(|n| graph.successors(n).len()).sum(),
        },
    };
    decomposer.run();
    let mut found = decomposer.found;
    found.collect_borders(graph, &roots);
    found
}

/// The roots, and one node of each component that neither they nor an earlier one of these reach.
fn complete<N: Id>(graph: &Digraph<N>, roots: &[N]) -> Vec<N> {
    let components = Components::new(graph);
    let first = (0..components.len()).rev().map(|c| components.members(c)[0]);
    let mut all: Vec<N> = Vec::new();
    let search = DepthFirst::new(graph, roots.iter().copied());
    let mut seen: Vec<bool> = graph.nodes().map(|n| search.reached(n)).collect();
    for &root in roots {
        if !all.contains(&root) {
            all.push(root);
        }
    }
    for node in first {
        if seen[node.index()] {
            continue;
        }
        all.push(node);
        seen[node.index()] = true;
        let mut work = vec![node];
        while let Some(at) = work.pop() {
            for &succ in graph.successors(at) {
                if !std::mem::replace(&mut seen[succ.index()], true) {
                    work.push(succ);
                }
            }
        }
    }
    all
}

/// The graph with one more node that leads to all roots.
fn with_root<N: Id>(graph: &Digraph<N>, roots: &[N]) -> Digraph<Local> {
    Digraph::build(graph.len() + 1, |node: Local, out| {
        let from = if node.index() == graph.len() { roots } else { graph.successors(N::new(node.index())) };
        out.extend(from.iter().map(|n| Local::new(n.index())));
    })
}

/// What is to be done next, kept on a stack because nesting may be deeper than the machine's.
enum Task<N> {
    /// Nodes whose components are to be found, inside this interval.
    Split(Vec<N>, Option<IntervalId>),
    /// A node that is on no further cycle.
    Emit(N, Option<IntervalId>),
    /// All nodes of the interval are in the order.
    Close(IntervalId),
}

struct Decomposer<'a, N> {
    graph: &'a Digraph<N>,
    dominators: &'a Dominators<Local>,
    /// The place of each node in the preorder of the dominator tree.
    place: Vec<u32>,
    /// The number of a node in the part at work; `u32::MAX` outside.
    local: Vec<u32>,
    /// Which header of the irreducible interval at work dominates a node.
    owner: Vec<u32>,
    found: Intervals<N>,
}

impl<N: Id> Decomposer<'_, N> {
    fn run(&mut self) {
        let mut tasks = vec![Task::Split(self.graph.nodes().collect(), None)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Emit(node, inside) => {
                    self.found.innermost[node.index()] = inside;
                    self.found.order.push(node);
                }
                Task::Close(id) => self.found.all[id].span.end = self.found.order.len(),
                Task::Split(nodes, parent) => match self.split(&nodes) {
                    // One component: open it here, where its place in the order is known.
                    Parts::Cyclic(nodes) => self.open(nodes, parent, &mut tasks),
                    Parts::Many(parts) => tasks.extend(parts.into_iter().map(|part| match part[..] {
                        [node] if !self.graph.successors(node).contains(&node) => Task::Emit(node, parent),
                        _ => Task::Split(part, parent),
                    })),
                },
            }
        }
    }

    /// The components of a part of the graph, the last one first.
    fn split(&mut self, nodes: &[N]) -> Parts<N> {
        for (i, node) in nodes.iter().enumerate() {
            self.local[node.index()] = i as u32;
        }
        let part: Digraph<Local> = Digraph::build(nodes.len(), |at: Local, out| {
            let inside = self.graph.successors(nodes[at.index()]).iter().map(|n| self.local[n.index()]);
            out.extend(inside.filter(|n| *n != u32::MAX).map(Local));
        });
        for node in nodes {
            self.local[node.index()] = u32::MAX;
        }
        let components = Components::new(&part);
        if components.len() == 1 && !part.successors(Local(0)).is_empty() {
            return Parts::Cyclic(nodes.to_vec());
        }
        let members = |c| {
            let mut members: Vec<N> = components.members(c).iter().map(|m| nodes[m.index()]).collect();
            members.sort_unstable();
            members
        };
        Parts::Many((0..components.len()).map(members).collect())
    }

    fn level(&self, node: N) -> u32 {
        self.dominators.level(Local::new(node.index()))
    }

    fn open(&mut self, mut nodes: Vec<N>, parent: Option<IntervalId>, tasks: &mut Vec<Task<N>>) {
        // The preorder of the dominator tree has a header before the nodes it dominates.
        nodes.sort_unstable_by_key(|n| self.place[n.index()]);
        let least = nodes.iter().map(|n| self.level(*n)).min().unwrap_or(0);
        let headers: Vec<N> = nodes.iter().copied().filter(|n| self.level(*n) == least).collect();
        let kind = if headers.len() == 1 { IntervalKind::Reducible } else { IntervalKind::Irreducible };
        let depth = parent.map_or(0, |p| self.found.all[p].depth) + 1;
        let start = self.found.order.len();
        let id = self.found.all.push(Interval {
            kind,
            headers: headers.clone(),
            entries: Vec::new(),
            exits: Vec::new(),
            parent,
            depth,
            span: start..start,
            edges: 0,
        });
        tasks.push(Task::Close(id));
        match kind {
            IntervalKind::Reducible => {
                let header = headers[0];
                nodes.retain(|n| *n != header);
                nodes.sort_unstable();
                tasks.push(Task::Split(nodes, Some(id)));
                tasks.push(Task::Emit(header, Some(id)));
            }
            IntervalKind::Irreducible => {
                let mut regions: Vec<Vec<N>> = vec![Vec::new(); headers.len()];
                for (i, header) in headers.iter().enumerate() {
                    self.owner[header.index()] = i as u32;
                }
                for &node in &nodes {
                    if self.level(node) > least {
                        let up =
                            self.dominators.idom(Local::new(node.index())).expect("only the root has no dominator");
                        self.owner[node.index()] = self.owner[up.index()];
                    }
                    regions[self.owner[node.index()] as usize].push(node);
                }
                for mut region in regions.into_iter().rev() {
                    region.sort_unstable();
                    tasks.push(Task::Split(region, Some(id)));
                }
            }
        }
    }
}

/// What a part of the graph consists of.
enum Parts<N> {
    /// One component with a cycle.
    Cyclic(Vec<N>),
    /// Several components, or one node without a cycle; an edge leads to an earlier one.
    Many(Vec<Vec<N>>),
}

impl<N: Id> Intervals<N> {
    /// The nodes of an interval, in the order of evaluation.
    pub fn nodes(&self, id: IntervalId) -> &[N] {
        &self.order[self.all[id].span.clone()]
    }
    /// The innermost interval of a node.
    pub fn innermost(&self, node: N) -> Option<IntervalId> {
        self.innermost[node.index()]
    }
    /// The intervals that hold `node`, innermost first.
    pub fn around(&self, node: N) -> impl Iterator<Item = IntervalId> {
        std::iter::successors(self.innermost(node), |i| self.all[*i].parent)
    }
    /// The place of each node in the order of evaluation.
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.order.len()];
        for (at, node) in self.order.iter().enumerate() {
            places[node.index()] = at as u32;
        }
        places
    }

    fn collect_borders(&mut self, graph: &Digraph<N>, roots: &[N]) {
        let places = self.places();
        for &root in roots {
            for id in self.around(root).collect::<Vec<_>>() {
                self.all[id].entries.push(root);
            }
        }
        for node in graph.nodes() {
            for &succ in graph.successors(node) {
                let mut at = self.innermost(node);
                while let Some(id) = at {
                    let interval = &mut self.all[id];
                    if interval.span.contains(&(places[succ.index()] as usize)) {
                        interval.edges += 1;
                    } else {
                        interval.exits.push(node);
                    }
                    at = interval.parent;
                }
                let mut at = self.innermost(succ);
                while let Some(id) = at {
                    let interval = &mut self.all[id];
                    if interval.span.contains(&(places[node.index()] as usize)) {
                        break;
                    }
                    interval.entries.push(succ);
                    at = interval.parent;
                }
            }
        }
        for interval in &mut self.all {
            for border in [&mut interval.entries, &mut interval.exits] {
                border.sort_unstable();
                border.dedup();
            }
        }
    }

    /// The figures of table II.
    pub fn statistics(&self) -> IntervalStatistics {
        let mut all = IntervalStatistics {
            nodes: self.order.len(),
            edges: self.edges,
            dominator_depth: self.dominator_depth,
            ..IntervalStatistics::default()
        };
        for interval in &self.all {
            let outer = usize::from(interval.parent.is_none());
            all.nesting_depth = all.nesting_depth.max(interval.depth);
            all.cyclic_nodes += outer * interval.span.len();
            let (outers, count, nodes, edges) = match interval.kind {
                IntervalKind::Reducible => {
                    (&mut all.outer_reducible, &mut all.reducible, &mut all.reducible_nodes, &mut all.reducible_edges)
                }
                IntervalKind::Irreducible => (
                    &mut all.outer_irreducible,
                    &mut all.irreducible,
                    &mut all.irreducible_nodes,
                    &mut all.irreducible_edges,
                ),
            };
            *outers += outer;
            *count += 1;
            *nodes = (*nodes).max(interval.span.len());
            *edges = (*edges).max(interval.edges);
        }
        all
    }
}
