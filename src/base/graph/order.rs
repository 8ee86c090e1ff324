//! Depth-first search and the orders it gives. Linear.

use super::Digraph;
use crate::base::id::Id;

/// A depth-first search from some roots.
///
/// The successors of a node are visited last to first, so that in reverse post-order what the first successor leads to comes
/// first: a loop's body before what follows the loop, the `then` side before the `else` side.
#[derive(Clone, Debug)]
pub struct DepthFirst<N> {
    /// The nodes reached, in the order they were entered.
    pub preorder: Vec<N>,
    /// The nodes reached, in the order they were left.
    pub postorder: Vec<N>,
    /// The place of each node in `preorder`; `u32::MAX` for a node not reached.
    pub(super) pre: Vec<u32>,
    /// The place of each node in `postorder`; `u32::MAX` for a node not reached.
    pub(super) post: Vec<u32>,
    /// The node each node was reached from; itself for a root or a node not reached.
    pub(super) parent: Vec<N>,
}

impl<N: Id> DepthFirst<N> {
    /// Searches from each root that an earlier one did not reach.
    pub fn new(graph: &Digraph<N>, roots: impl IntoIterator<Item = N>) -> Self {
        let len = graph.len();
        let mut search = DepthFirst {
            preorder: Vec::with_capacity(len),
            postorder: Vec::with_capacity(len),
            pre: vec![u32::MAX; len],
            post: vec![u32::MAX; len],
            parent: graph.nodes().collect(),
        };
        // A node on the way, and how many of its successors are still to be visited.
        let mut stack: Vec<(N, usize)> = Vec::new();
        for root in roots {
            if search.reached(root) {
                continue;
            }
            search.enter(root, &mut stack, graph);
            while let Some((node, left)) = stack.last_mut() {
                let node = *node;
                if *left == 0 {
                    search.post[node.index()] = search.postorder.len() as u32;
                    search.postorder.push(node);
                    stack.pop();
                    continue;
                }
                *left -= 1;
                let succ = graph.successors(node)[*left];
                if !search.reached(succ) {
                    search.parent[succ.index()] = node;
                    search.enter(succ, &mut stack, graph);
                }
            }
        }
        search
    }
    fn enter(&mut self, node: N, stack: &mut Vec<(N, usize)>, graph: &Digraph<N>) {
        self.pre[node.index()] = self.preorder.len() as u32;
        self.preorder.push(node);
        stack.push((node, graph.successors(node).len()));
    }
    /// Whether a root leads to this node.
    pub fn reached(&self, node: N) -> bool {
        self.pre[node.index()] != u32::MAX
    }
    /// The nodes reached, in reverse post-order: without cycles, every node before its successors.
    pub fn reverse_postorder(&self) -> impl DoubleEndedIterator<Item = N> + ExactSizeIterator {
        self.postorder.iter().rev().copied()
    }
}
