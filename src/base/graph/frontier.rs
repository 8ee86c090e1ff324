//! Iterated dominance frontiers: where definitions meet.
//!
//! By Sreedhar and Gao (1995): from each definition, deepest in the dominator tree first, walk down the tree and collect the
//! edges that leave it upwards. A node is walked over once per query, and no frontier is stored (nested loops can make those
//! quadratic).
//!
//! For pruned SSA a query names the nodes where the variable is live, and the walk stays inside them. This loses nothing: if
//! a version defined at `x` reaches the end of `y`, and no version is defined between them in the dominator tree, then the variable is
//! live on all of the tree's way from `x` to `y`. Hence a query costs no more than finding where the variable is live.

use std::collections::BinaryHeap;

use super::{Digraph, Dominators};
use crate::base::id::Id;

/// The memory that queries on one graph share, so that a query does not cost the size of the graph.
pub struct IteratedFrontier<'a, N> {
    graph: &'a Digraph<N>,
    dominators: &'a Dominators<N>,
    /// The last query that walked over, queued, or found each node.
    walked: Vec<u32>,
    queued: Vec<u32>,
    found: Vec<u32>,
    query: u32,
}

impl<'a, N: Id> IteratedFrontier<'a, N> {
    /// For this graph and its dominators.
    pub fn new(graph: &'a Digraph<N>, dominators: &'a Dominators<N>) -> Self {
        let zeros = vec![0; graph.len()];
        IteratedFrontier { graph, dominators, walked: zeros.clone(), queued: zeros.clone(), found: zeros, query: 0 }
    }

    /// The nodes of `live` where different ones of the definitions at `definitions`, or of those that meet at a node found, meet;
    /// in ascending order.
    pub fn of(&mut self, definitions: &[N], live: impl Fn(N) -> bool) -> Vec<N> {
        self.query += 1;
        let query = self.query;
        let mut found = Vec::new();
        let mut queue: BinaryHeap<(u32, u32)> = BinaryHeap::new();
        for &node in definitions {
            if std::mem::replace(&mut self.queued[node.index()], query) != query {
                queue.push((self.dominators.level(node), node.index() as u32));
            }
        }
        let mut work: Vec<N> = Vec::new();
        while let Some((level, root)) = queue.pop() {
            let root = N::new(root as usize);
            self.walked[root.index()] = query;
            work.push(root);
            while let Some(node) = work.pop() {
                for &succ in self.graph.successors(node) {
                    let leaves = self.dominators.level(succ) <= level && live(succ);
                    if leaves && std::mem::replace(&mut self.found[succ.index()], query) != query {
                        found.push(succ);
                        if std::mem::replace(&mut self.queued[succ.index()], query) != query {
                            queue.push((self.dominators.level(succ), succ.index() as u32));
                        }
                    }
                }
                for &child in self.dominators.children(node) {
                    if live(child) && std::mem::replace(&mut self.walked[child.index()], query) != query {
                        work.push(child);
                    }
                }
            }
        }
        found.sort_unstable();
        found
    }
}
