//! Graph algorithms that petgraph lacks: loop nesting of any graph.

use crate::base::{IdVec, id::Id};
use crate::define_id;

define_id!(/// A loop of a nesting forest.
    LoopId, "loop");

/// The loop nesting forest of a graph (Havlak, Ramalingam): every cycle is in a loop; a reducible loop has one header.
#[derive(Clone, Debug)]
pub struct LoopForest<N> {
    /// The loops; a parent comes before its children.
    pub loops: IdVec<LoopId, Loop<N>>,
    /// The innermost loop of each node.
    pub innermost: Vec<Option<LoopId>>,
}

/// A loop.
#[derive(Clone, Debug)]
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
    /// The innermost loop of a node.
    pub fn innermost(&self, node: N) -> Option<LoopId> {
        self.innermost.get(node.index()).copied().flatten()
    }
    /// Whether `node` is in `l` or a loop inside it.
    pub fn contains(&self, l: LoopId, node: N) -> bool {
        let mut at = self.innermost(node);
        while let Some(id) = at {
            if id == l {
                return true;
            }
            at = self.loops[id].parent;
        }
        false
    }
}
