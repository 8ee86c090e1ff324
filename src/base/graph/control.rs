//! Post-dominance and control dependence of any graph: irreducible, with several ends, or with none.
//!
//! `n` depends on branch `i` of `p` if every way from that branch's target to an end goes through `n`, and some way from
//! `p` to an end does not, or not after `p` (Ferrante, Ottenstein and Warren, 1987). An end is a node without successors. Found by walking
//! up the post-dominator tree from each branch: near linear in the graph plus the size of the result.
//!
//! A cycle that nothing leaves has no way to an end, and without one post-dominance says nothing. Hence each such cycle
//! (strongly connected component without way out) gets a never-taken way to the end. It starts *before* the component's
//! header (its first node in reverse post-order), at a node put on all edges into the header: were it the header itself,
//! the header's own branch would seem to decide over everything in the component. A dependence on the node put there says no more than
//! "the component is entered", so it is replaced by what that node depends on: every controller in the result is a node
//! of the graph with several successors.
//!
//! What this gives (weak control dependence): let `C` hold, with a node, all controllers of that node. Then from any node outside
//! `C`, at most one node of `C` can be met first. For let `n` be outside, and `u` in `C` reached from it through nodes outside `C`. If `u` did not
//! post-dominate `n`, then the last node on the way that `u` does not post-dominate would control `u`, and be in `C`. Two such
//! nodes `u`, `v` both post-dominate `n`, so one of them, say `v`, comes after the other on all ways to the end: from `v` there is a way
//! to the end without `u`, and a way from `n` to `v` without `u`; so `u` does not post-dominate `n`. This holds with never-taken edges
//! as well, which only add ways. So two runs that decide alike at the nodes of `C` go through the nodes of `C` in the same order, as long as
//! both go on: one sequence is a prefix of the other, and both are the same if both runs end.

use super::{DepthFirst, Digraph, Dominators};
use crate::base::id::Id;

/// Which branches each node depends on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependences<N> {
    /// `items[starts[n]..starts[n + 1]]` are those of `n`, ascending, each once.
    starts: Vec<u32>,
    items: Vec<(N, u32)>,
}

impl<N: Id> Dependences<N> {
    /// From a list for each node.
    pub(super) fn from_lists(lists: impl IntoIterator<Item = Vec<(N, u32)>>) -> Self {
        let mut all = Dependences { starts: vec![0], items: Vec::new() };
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            all.items.append(&mut list);
            all.starts.push(u32::try_from(all.items.len()).expect("fewer than 2^32 dependences"));
        }
        all
    }
    /// The branches that `node` depends on: a node, and the index of the branch among its successors.
    pub fn of(&self, node: N) -> &[(N, u32)] {
        let at = node.index();
        &self.items[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// The post-dominators of a graph.
#[derive(Clone, Debug)]
pub struct PostDominance<N> {
    /// The graph, then a node before each header of a component without way out, then the end.
    graph: Digraph<N>,
    /// How many nodes the graph had.
    len: usize,
    /// The node put before each node; the node itself if there is none.
    entrance: Vec<N>,
    tree: Dominators<N>,
}

impl<N: Id> PostDominance<N> {
    /// Of a graph that is entered at `root`. O(m log n).
    pub fn new(graph: &Digraph<N>, root: N) -> Self {
        let heads = heads(graph, root);
        let (len, exit) = (graph.len(), N::new(graph.len() + heads.len()));
        let mut entrance: Vec<N> = graph.nodes().collect();
        for (i, head) in heads.iter().enumerate() {
            entrance[head.index()] = N::new(len + i);
        }
        let mut lists: Vec<Vec<N>> = graph
            .nodes()
            .map(|node| match graph.successors(node) {
                [] => vec![exit],
                all => all.iter().map(|succ| entrance[succ.index()]).collect(),
            })
            .collect();
        lists.extend(heads.iter().map(|head| vec![*head, exit]));
        lists.push(Vec::new());
        let graph = Digraph::new(lists);
        let tree = Dominators::new(&graph.reversed(), &graph, exit);
        PostDominance { graph, len, entrance, tree }
    }
    /// Whether every way from `b` to an end goes through `a`; a node post-dominates itself. A component without way out has a way to
    /// the end before its header.
    pub fn post_dominates(&self, a: N, b: N) -> bool {
        self.tree.dominates(self.entrance[a.index()], self.entrance[b.index()])
    }
    /// The control dependences of all nodes. Linear in their number.
    pub fn dependences(&self) -> Dependences<N> {
        let mut lists: Vec<Vec<(N, u32)>> = vec![Vec::new(); self.graph.len()];
        for node in self.graph.nodes() {
            let branches = self.graph.successors(node);
            let stop = self.tree.idom(node);
            for (branch, &target) in branches.iter().enumerate().filter(|_| branches.len() > 1) {
                let mut at = Some(target);
                while at != stop {
                    let reached = at.expect("the walk ends where the branches meet, at the latest at the end");
                    lists[reached.index()].push((node, branch as u32));
                    at = self.tree.idom(reached);
                }
            }
        }
        // What the nodes put before headers depend on, apart from themselves. None depends on another: nothing leaves its component.
        let entering: Vec<Vec<(N, u32)>> = lists[self.len..]
            .iter()
            .map(|list| list.iter().copied().filter(|(on, _)| on.index() < self.len).collect())
            .collect();
        lists.truncate(self.len);
        for list in &mut lists {
            let put = list.iter().find(|(on, _)| on.index() >= self.len).copied();
            if let Some((on, _)) = put {
                list.retain(|(on, _)| on.index() < self.len);
                list.extend(&entering[on.index() - self.len]);
            }
        }
        Dependences::from_lists(lists)
    }
}

/// The headers of the components without way out: of each, the node that comes first in reverse post-order. Linear.
fn heads<N: Id>(graph: &Digraph<N>, root: N) -> Vec<N> {
    let reversed = graph.reversed();
    let mut ends = vec![false; graph.len()];
    for node in graph.nodes().filter(|n| graph.successors(*n).is_empty()) {
        flood(&reversed, node, &mut ends, &mut Vec::new());
    }
    let search = DepthFirst::new(graph, std::iter::once(root).chain(graph.nodes()));
    let mut heads = Vec::new();
    let mut inside = vec![false; graph.len()];
    let mut component = Vec::new();
    // Of the nodes left, the one that a search of the reversed graph leaves last is in a component without way out (Kosaraju).
    for node in DepthFirst::new(&reversed, graph.nodes()).reverse_postorder() {
        if ends[node.index()] {
            continue;
        }
        component.clear();
        flood(graph, node, &mut inside, &mut component);
        let head = component.iter().copied().max_by_key(|n| search.post[n.index()]);
        heads.extend(head);
        flood(&reversed, node, &mut ends, &mut Vec::new());
    }
    heads
}

/// Marks what `from` reaches, and lists what was not marked before.
fn flood<N: Id>(graph: &Digraph<N>, from: N, marked: &mut [bool], new: &mut Vec<N>) {
    let mut work = vec![from];
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut marked[node.index()], true) {
            new.push(node);
            work.extend(graph.successors(node).iter().filter(|n| !marked[n.index()]));
        }
    }
}
