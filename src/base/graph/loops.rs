//! Loop nesting of any graph, reducible or not.
//!
//! The forest is Havlak's (1997): a strongly connected component is a loop, its header is the node that a depth-first search meets
//! first, and the loops inside it are those of the component without its header. Computed as Ramalingam (1999) does, near linear
//! apart from the size of the result: nodes are taken in reverse preorder, inner loops are collapsed into their header, and an edge
//! that is not on the tree is only looked at once the search's lowest common ancestor of its ends is.

use super::{Classes, DepthFirst, Digraph};
use crate::base::{IdVec, id::Id};
use crate::define_id;

define_id!(/// A loop of a nesting forest.
    LoopId, "loop");

/// The loop nesting forest of a graph (Havlak, Ramalingam): every cycle is in a loop; a reducible loop has one header.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoopForest<N> {
    /// The loops; a parent comes before its children, and the loops inside one follow it without a gap.
    pub loops: IdVec<LoopId, Loop<N>>,
    /// The innermost loop of each node.
    pub innermost: Vec<Option<LoopId>>,
}

/// A loop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loop<N> {
    /// Its header; of an irreducible loop, the entry that comes first in reverse post-order.
    pub header: N,
    /// All nodes by which control enters, the header first. More than one: irreducible.
    pub entries: Vec<N>,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// Nesting depth, 1 for an outermost loop.
    pub depth: u32,
    /// Nodes in this loop, those of inner loops included, in ascending order.
    pub nodes: Vec<N>,
}

impl<N: Id> LoopForest<N> {
    /// A forest without loops.
    pub fn empty() -> Self {
        LoopForest { loops: IdVec::new(), innermost: Vec::new() }
    }
    /// The loops of what the roots reach; `predecessors` is the reversed graph. For a graph without roots (a dependence graph),
    /// give all nodes. A node is an entry if it is the header or a node outside the loop has an edge to it.
    pub fn new(graph: &Digraph<N>, predecessors: &Digraph<N>, roots: impl IntoIterator<Item = N>) -> Self {
        let search = DepthFirst::new(graph, roots);
        let (around, is_header) = headers(graph, &search);
        let mut forest = nest(&search, &around, &is_header);
        forest.collect_nodes(graph);
        forest.collect_entries(graph, predecessors, &search);
        forest
    }
    /// The innermost loop of a node.
    pub fn innermost(&self, node: N) -> Option<LoopId> {
        self.innermost.get(node.index()).copied().flatten()
    }
    /// Whether `node` is in `l` or a loop inside it.
    pub fn contains(&self, l: LoopId, node: N) -> bool {
        let depth = self.loops[l].depth;
        let mut at = self.innermost(node);
        while let Some(id) = at.filter(|id| self.loops[*id].depth >= depth) {
            if id == l {
                return true;
            }
            at = self.loops[id].parent;
        }
        false
    }
    /// The loops that hold `node`, innermost first.
    pub fn around(&self, node: N) -> impl Iterator<Item = LoopId> {
        std::iter::successors(self.innermost(node), |l| self.loops[*l].parent)
    }

    fn collect_nodes(&mut self, graph: &Digraph<N>) {
        for node in graph.nodes() {
            let mut at = self.innermost(node);
            while let Some(id) = at {
                self.loops[id].nodes.push(node);
                at = self.loops[id].parent;
            }
        }
    }

    fn collect_entries(&mut self, graph: &Digraph<N>, predecessors: &Digraph<N>, search: &DepthFirst<N>) {
        // The last loop inside each loop: those inside follow it without a gap.
        let mut last: IdVec<LoopId, LoopId> = self.loops.ids().collect();
        for id in self.loops.ids().rev() {
            if let Some(parent) = self.loops[id].parent {
                last[parent] = last[parent].max(last[id]);
            }
        }
        for node in graph.nodes() {
            // Loops inside `at` are known to be entered here.
            let mut at = self.innermost(node);
            for &pred in predecessors.successors(node) {
                let from = self.innermost(pred);
                while let Some(id) = at {
                    let inside = from.is_some_and(|from| id <= from && from <= last[id]);
                    if inside || !search.reached(pred) {
                        break;
                    }
                    if self.loops[id].header != node {
                        self.loops[id].entries.push(node);
                    }
                    at = self.loops[id].parent;
                }
            }
        }
    }
}

/// For each node the header of the smallest loop it is in without being its header (itself if there is none), and whether it
/// is a header.
fn headers<N: Id>(graph: &Digraph<N>, search: &DepthFirst<N>) -> (Vec<N>, Vec<bool>) {
    let len = graph.len();
    let mut meets = lowest_common_ancestors(graph, search);
    let mut around: Vec<N> = graph.nodes().collect();
    let mut is_header = vec![false; len];
    let mut classes = Classes::new(len);
    // Edges that are not on the tree, by the collapsed loop they lead to.
    let mut sources: Vec<Vec<N>> = vec![Vec::new(); len];
    // The sources of the edges that lead from below back to a node.
    let mut backs: Vec<Vec<N>> = vec![Vec::new(); len];
    for &node in &search.preorder {
        for &succ in graph.successors(node) {
            if search.post[succ.index()] >= search.post[node.index()] {
                backs[succ.index()].push(node);
            }
        }
    }
    // Which header's loop a node was last put into.
    let mut mark: Vec<u32> = vec![u32::MAX; len];
    let mut body: Vec<N> = Vec::new();
    for &header in search.preorder.iter().rev() {
        for (from, to) in std::mem::take(&mut meets[header.index()]) {
            sources[classes.find(to).index()].push(from);
        }
        let here = search.pre[header.index()];
        mark[header.index()] = here;
        for &from in &backs[header.index()] {
            is_header[header.index()] = true;
            let from = classes.find(from);
            if std::mem::replace(&mut mark[from.index()], here) != here {
                body.push(from);
            }
        }
        let mut done = 0;
        while done < body.len() {
            let node = body[done];
            done += 1;
            let tree = search.parent[node.index()];
            for from in std::mem::take(&mut sources[node.index()]).into_iter().chain([tree]) {
                let from = classes.find(from);
                if std::mem::replace(&mut mark[from.index()], here) != here {
                    body.push(from);
                }
            }
        }
        for node in body.drain(..) {
            around[node.index()] = header;
            classes.merge(node, header);
        }
    }
    (around, is_header)
}

/// For each node, the edges (from, to) that lead neither to an ancestor nor to a child in the search's tree and whose ends have that
/// node as their lowest common ancestor. Edges between different trees are left out: no cycle has one.
fn lowest_common_ancestors<N: Id>(graph: &Digraph<N>, search: &DepthFirst<N>) -> Vec<Vec<(N, N)>> {
    let mut meets = vec![Vec::new(); graph.len()];
    // The lowest ancestor that the search has not left yet.
    let mut open = Classes::new(graph.len());
    let mut left = vec![false; graph.len()];
    for &node in &search.postorder {
        for &succ in graph.successors(node) {
            let down = search.post[succ.index()] < search.post[node.index()];
            if down && search.parent[succ.index()] != node {
                let meet = open.find(succ);
                if !left[meet.index()] {
                    meets[meet.index()].push((node, succ));
                }
            }
        }
        left[node.index()] = true;
        open.merge(node, search.parent[node.index()]);
    }
    meets
}

/// Numbers the loops: parents first, those inside one right after it, siblings in reverse post-order of their headers.
fn nest<N: Id>(search: &DepthFirst<N>, around: &[N], is_header: &[bool]) -> LoopForest<N> {
    let mut inner: Vec<Vec<N>> = vec![Vec::new(); around.len()];
    let mut work: Vec<N> = Vec::new();
    // Post-order, so that the stack gives them back in reverse.
    for &header in search.postorder.iter().filter(|n| is_header[n.index()]) {
        let outer = around[header.index()];
        if outer == header {
            work.push(header);
        } else {
            inner[outer.index()].push(header);
        }
    }
    let mut loops: IdVec<LoopId, Loop<N>> = IdVec::new();
    let mut of_header: Vec<Option<LoopId>> = vec![None; around.len()];
    while let Some(header) = work.pop() {
        let outer = around[header.index()];
        let parent = if outer == header { None } else { of_header[outer.index()] };
        let depth = parent.map_or(0, |p| loops[p].depth) + 1;
        let entries = vec![header];
        of_header[header.index()] = Some(loops.push(Loop { header, entries, parent, depth, nodes: Vec::new() }));
        work.append(&mut inner[header.index()]);
    }
    let innermost =
        (0..around.len()).map(|i| if is_header[i] { of_header[i] } else { of_header[around[i].index()] }).collect();
    LoopForest { loops, innermost }
}
