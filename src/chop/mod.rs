//! Context-sensitive slices and chops of a system dependence graph.
//!
//! A path is *realizable* if every return goes back to the call that was made: between the unmatched returns at its start and the
//! unmatched calls at its end, calls and returns match. An interference edge joins two realizable paths of any contexts. The
//! *backward slice* of some nodes is all that has a realizable path to one of them, the *forward slice* all that one of
//! them has a path to, and the *chop* from sources to sinks all that lies on a path from one to the other, which is less than the
//! intersection of the slices.
//!
//! Invariant: only realizable paths, all of them, from any procedure to any other. With [`Barriers`], only those that visit no
//! barred node.

mod reach;
mod inside;
pub mod slice;

#[cfg(test)]
mod tests;

use crate::sdg::control::LoopMove;
use crate::sdg::{Edge, EdgeKind, NodeId, NodeSet, Sdg, Summaries};
use reach::{Direction, Reach};

pub use reach::Level;

/// Nodes that a path may not visit, not even as an end: the graph is as if it did not have them.
#[derive(Clone, Debug, Default)]
pub struct Barriers {
    /// The nodes, and what calls do without them.
    without: Option<(NodeSet, Summaries)>,
}

impl Barriers {
    /// No barriers.
    pub fn none() -> Self {
        Barriers::default()
    }
    /// These nodes. Computes the summaries of the procedures that change, so make them once for many slices and chops.
    pub fn new(sdg: &Sdg, nodes: impl IntoIterator<Item = NodeId>) -> Self {
        let nodes = NodeSet::of(sdg.nodes().len(), nodes);
        let without = (!nodes.is_empty()).then(|| {
            let summaries = Summaries::without(sdg, &nodes);
            (nodes, summaries)
        });
        Barriers { without }
    }
    /// The barred nodes, if there are any.
    pub fn nodes(&self) -> Option<&NodeSet> {
        self.without.as_ref().map(|(nodes, _)| nodes)
    }
    /// What calls do without the barred nodes.
    pub fn summaries<'a>(&'a self, sdg: &'a Sdg) -> &'a Summaries {
        self.without.as_ref().map_or(sdg.summaries(), |(_, summaries)| summaries)
    }
}

/// Whether a chop shows what its calls do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inside {
    /// A call whose callee returns before the path ends is its actuals only.
    Truncated,
    /// The nodes of callees are in the chop, too.
    Shown,
}

/// All that lies on paths from sources to sinks.
#[derive(Clone, Debug)]
pub struct Chop {
    /// The nodes.
    pub nodes: NodeSet,
}

impl Chop {
    /// Whether there is no path.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    /// The edges between its nodes, summary edges included, by source. The barriers must be those of the chop.
    pub fn edges<'a>(&'a self, sdg: &'a Sdg, barriers: &'a Barriers) -> impl Iterator<Item = Edge> {
        self.nodes.iter().flat_map(move |from| {
            // Both ends are at the call.
            let moves = LoopMove { stays: sdg.nodes()[from].around, back: None };
            let through = barriers.summaries(sdg).successors(sdg, from).into_iter();
            let summaries = through.map(move |to| Edge { from, to, kind: EdgeKind::Summary, moves });
            sdg.successors(from).chain(summaries).filter(|edge| self.nodes.contains(edge.to))
        })
    }
}

/// The chop from any of the sources to any of the sinks, at whatever level they are.
///
/// Linear in what is reached from the sources and the sinks, plus, for each procedure that a path passes on its way,
/// O(edges × formal-outs / 64) and the pairs of its interface.
pub fn chop(sdg: &Sdg, sources: &[NodeId], sinks: &[NodeId], barriers: &Barriers) -> Chop {
    chop_of(sdg, sources, sinks, barriers, Level::Any, Inside::Shown)
}

/// The chop of the paths of a level (Reps and Rosay 1995).
pub fn chop_of(
    sdg: &Sdg,
    sources: &[NodeId],
    sinks: &[NodeId],
    barriers: &Barriers,
    level: Level,
    inside: Inside,
) -> Chop {
    let forward = Reach::new(sdg, barriers, sources, Direction::Forward, level);
    let backward = Reach::new(sdg, barriers, sinks, Direction::Backward, level);
    // A path first returns from calls, then makes calls. A node on it is on either part: reached by returns and before the
    // rest of a path, or reached by a whole path and before calls only.
    let mut nodes = forward.first.intersection(&backward.all);
    nodes.union_with(&forward.all.intersection(&backward.first));
    match inside {
        Inside::Truncated => {}
        Inside::Shown => inside::add(sdg, barriers, &forward, &backward, &mut nodes),
    }
    Chop { nodes }
}
