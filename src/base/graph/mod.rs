//! Graph algorithms: orders, strongly connected components, dominators, iterated dominance frontiers, loop nesting, control
//! dependence of any graph.
//!
//! All of them work on a [`Digraph`] whose nodes are dense ids, use no recursion (functions of 100,000 blocks exist) and are
//! linear or nearly so; each module says its cost. The naive algorithms live in the tests, as oracles.

mod components;
mod control;
mod dominators;
mod frontier;
mod loops;
mod order;
mod strong;

#[cfg(test)]
mod tests;

use crate::base::id::Id;

pub use components::Components;
pub use control::{Dependences, PostDominance};
pub use dominators::Dominators;
pub use frontier::IteratedFrontier;
pub use loops::{Loop, LoopForest, LoopId};
pub use order::DepthFirst;
pub use strong::{inevitable, strong_dependences};

/// A directed graph: the successors of each node, in one array.
#[derive(Clone, Debug)]
pub struct Digraph<N> {
    /// `targets[starts[n]..starts[n + 1]]` are the successors of `n`.
    starts: Vec<u32>,
    targets: Vec<N>,
}

impl<N: Id> Digraph<N> {
    /// The graph whose node `i` has the successors of the `i`-th list.
    pub fn new<L: IntoIterator<Item = N>>(successors: impl IntoIterator<Item = L>) -> Self {
        let mut graph = Digraph { starts: vec![0], targets: Vec::new() };
        for list in successors {
            graph.targets.extend(list);
            graph.starts.push(u32::try_from(graph.targets.len()).expect("fewer than 2^32 edges"));
        }
        graph
    }
    /// The graph of `len` nodes whose successors the function appends to the list it is given.
    pub fn build(len: usize, mut successors: impl FnMut(N, &mut Vec<N>)) -> Self {
        let mut graph = Digraph { starts: Vec::with_capacity(len + 1), targets: Vec::new() };
        graph.starts.push(0);
        for node in (0..len).map(N::new) {
            successors(node, &mut graph.targets);
            graph.starts.push(u32::try_from(graph.targets.len()).expect("fewer than 2^32 edges"));
        }
        graph
    }
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }
    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// All nodes, in order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = N> + ExactSizeIterator + use<N> {
        (0..self.len()).map(N::new)
    }
    /// The successors of a node, in the order given.
    pub fn successors(&self, node: N) -> &[N] {
        let at = node.index();
        &self.targets[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
    /// The graph with all edges turned round. The predecessors of a node come in ascending order.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let len = self.len();
        let mut starts = vec![0u32; len + 1];
        for target in &self.targets {
            starts[target.index() + 1] += 1;
        }
        for i in 0..len {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut targets = vec![N::new(0); self.targets.len()];
        for node in self.nodes() {
            for succ in self.successors(node) {
                let slot = &mut next[succ.index()];
                targets[*slot as usize] = node;
                *slot += 1;
            }
        }
        Digraph { starts, targets }
    }
}

/// Union-find by path halving, for the algorithms here that direct every union themselves. Without ranks an operation costs
/// O(log n) amortised.
struct Classes(Vec<u32>);

impl Classes {
    /// Every element in a class of its own.
    fn new(len: usize) -> Classes {
        Classes((0..len).map(|i| u32::try_from(i).expect("ids have 32 bits")).collect())
    }
    /// The representative of an element.
    fn find<N: Id>(&mut self, node: N) -> N {
        let mut at = node.index();
        loop {
            let up = self.0[at] as usize;
            if up == at {
                return N::new(at);
            }
            let next = self.0[up];
            self.0[at] = next;
            at = next as usize;
        }
    }
    /// Puts the class of the representative `node` into that of `into`.
    fn merge<N: Id>(&mut self, node: N, into: N) {
        self.0[node.index()] = into.index() as u32;
    }
}
