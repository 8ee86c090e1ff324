//! Strong control dependence: that of programs which may run for ever.
//!
//! `n` depends on branch `i` of `p` if every maximal way (one that ends at a node without successors, or never) from that branch's
//! target goes through `n`, and some maximal way from another branch's does not. This is the non-termination sensitive control
//! dependence of Ranganath et al. (2007), computed as Chalupa, Klaška, Strejček and Tomovič do (CAV 2021; the first algorithm was
//! wrong): for each `n`, nodes are coloured from `n` backwards once all their successors are. Quadratic in the worst case; a
//! colouring stops at the loops and branches that may go past `n`.
//!
//! Together with the weak dependences of [`PostDominance`](super::PostDominance) this is what soundness needs when runs may not end. Let
//! `C` be closed under both. From a node `n` outside `C` at most one node of `C` can be met first, `u` (see there); and if `u` can be
//! met, it always is: were there a maximal way from `n` without `u`, the last node on a way from `n` to `u` that has such a way
//! would control `u` here, and be in `C`. So two runs that decide alike at the nodes of `C` go through the same sequence of nodes of `C`, finite or
//! not. Decisive order dependence, which strong dependence alone would need on irreducible graphs besides, is not: two nodes that are
//! both always met, but in either order, have different places in the post-dominator tree, and one of them depends weakly on the
//! branch that chooses the order.

use super::{Dependences, Digraph};
use crate::base::id::Id;

/// The strong control dependences of all nodes.
pub fn strong_dependences<N: Id>(graph: &Digraph<N>) -> Dependences<N> {
    let mut colours = Colours::new(graph);
    Dependences::from_lists(graph.nodes().map(|target| {
        colours.colour([target]);
        let mut list = Vec::new();
        for &node in &colours.partly {
            let branches = graph.successors(node);
            if (colours.done[node.index()] as usize) < branches.len() {
                let sure = |b: &(usize, &N)| colours.has(*b.1);
                list.extend(branches.iter().enumerate().filter(sure).map(|(i, _)| (node, i as u32)));
            }
        }
        list
    }))
}

/// The nodes from which every maximal way goes through one of `targets`. Linear.
pub fn inevitable<N: Id>(graph: &Digraph<N>, targets: impl IntoIterator<Item = N>) -> Vec<bool> {
    let mut colours = Colours::new(graph);
    colours.colour(targets);
    graph.nodes().map(|n| colours.has(n)).collect()
}

/// One colouring at a time; marks carry its number, so that it costs what it colours.
struct Colours<'a, N> {
    graph: &'a Digraph<N>,
    predecessors: Digraph<N>,
    round: u32,
    /// The last round that coloured each node.
    coloured: Vec<u32>,
    /// The last round that counted for each node, and how many of its successors that coloured.
    counted: Vec<u32>,
    done: Vec<u32>,
    /// The nodes with a coloured successor.
    partly: Vec<N>,
}

impl<'a, N: Id> Colours<'a, N> {
    fn new(graph: &'a Digraph<N>) -> Self {
        let zeros = vec![0; graph.len()];
        let predecessors = graph.reversed();
        let (coloured, counted, done) = (zeros.clone(), zeros.clone(), zeros);
        Colours { graph, predecessors, round: 0, coloured, counted, done, partly: Vec::new() }
    }
    fn has(&self, node: N) -> bool {
        self.coloured[node.index()] == self.round
    }
    fn colour(&mut self, targets: impl IntoIterator<Item = N>) {
        self.round += 1;
        self.partly.clear();
        let mut work: Vec<N> = Vec::new();
        for target in targets {
            if std::mem::replace(&mut self.coloured[target.index()], self.round) != self.round {
                work.push(target);
            }
        }
        while let Some(node) = work.pop() {
            for &pred in self.predecessors.successors(node) {
                let at = pred.index();
                if std::mem::replace(&mut self.counted[at], self.round) != self.round {
                    self.done[at] = 0;
                    self.partly.push(pred);
                }
                self.done[at] += 1;
                let all = self.done[at] as usize == self.graph.successors(pred).len();
                if all && std::mem::replace(&mut self.coloured[at], self.round) != self.round {
                    work.push(pred);
                }
            }
        }
    }
}
