//! Graphs to look at (`flowcheck graph`): plain data, made from a phase's result, shown as dot, JSON or SVG.
//!
//! Invariant: nodes and edges are in the order of the program; edges name nodes of the same graph.

mod callgraph;
mod cfg;
mod dot;
mod json;
mod layered;
mod svg;

#[cfg(test)]
mod tests;

use serde::Serialize;

pub use callgraph::callgraph;
pub use cfg::cfg;
pub use dot::dot;
pub use json::json;
pub use svg::svg;

use crate::base::IdVec;
use crate::define_id;
use crate::source::Location;

define_id!(/// A node of a graph.
    NodeId, "n");
define_id!(/// A cluster of a graph.
    ClusterId, "c");

/// A graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Graph {
    /// What it shows: `cfg`, `callgraph`.
    pub kind: &'static str,
    /// The nodes.
    pub nodes: IdVec<NodeId, Node>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// Boxes around nodes.
    pub clusters: IdVec<ClusterId, Cluster>,
}

/// A node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// What it shows, in lines.
    pub label: String,
    /// The cluster it is in.
    pub cluster: Option<ClusterId>,
    /// Where it comes from.
    pub place: Option<Location>,
}

/// Kinds of nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// The block where a function starts.
    Entry,
    /// A basic block.
    Block,
    /// A block that returns.
    Exit,
    /// A defined function.
    Function,
    /// A function without a body.
    External,
    /// What calls through a pointer of one type may reach.
    Indirect,
}

/// An edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: NodeId,
    /// Where it leads.
    pub to: NodeId,
    /// What it is.
    pub kind: EdgeKind,
    /// What it shows; may be empty.
    pub label: String,
    /// Where it comes from.
    pub place: Option<Location>,
}

/// Kinds of edges.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EdgeKind {
    /// Control goes on.
    Jump,
    /// The condition is not 0.
    True,
    /// The condition is 0.
    False,
    /// A case of a switch, or its default.
    Case,
    /// A computed goto.
    Computed,
    /// A call of that function.
    Call,
    /// A call through a pointer.
    IndirectCall,
    /// A function that such a call may reach, by its type.
    Candidate,
}

impl EdgeKind {
    /// Whether the edge may not be there in any run, as far as is known: drawn dashed.
    fn dashed(self) -> bool {
        match self {
            EdgeKind::IndirectCall | EdgeKind::Candidate | EdgeKind::Computed => true,
            EdgeKind::Jump | EdgeKind::True | EdgeKind::False | EdgeKind::Case | EdgeKind::Call => false,
        }
    }
}

/// A box around nodes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cluster {
    /// Its title.
    pub label: String,
}

impl Graph {
    fn new(kind: &'static str) -> Graph {
        Graph { kind, nodes: IdVec::new(), edges: Vec::new(), clusters: IdVec::new() }
    }
}

impl NodeKind {
    /// The colour of the node's box.
    fn fill(self) -> &'static str {
        match self {
            NodeKind::Entry => "#e3f1e3",
            NodeKind::Exit => "#f6e3e3",
            NodeKind::Block => "#ffffff",
            NodeKind::Function => "#e8eef7",
            NodeKind::External => "#eeeeee",
            NodeKind::Indirect => "#fdf3d8",
        }
    }
}
