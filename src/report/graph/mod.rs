//! Graphs to look at (`flowcheck graph`): plain data, made from a phase's result, shown as dot, JSON or SVG.
//!
//! Invariant: nodes and edges are in the order of the program; edges name nodes of the same graph.

mod callgraph;
mod cfg;
mod dependences;
mod dot;
mod json;
mod layered;
mod pointers;
mod svg;

#[cfg(test)]
mod tests;

use serde::Serialize;

pub use callgraph::callgraph;
pub use cfg::cfg;
pub use dependences::{pdg, sdg};
pub use dot::dot;
pub use json::json;
pub use pointers::points_to;
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
    /// What it shows: `cfg`, `callgraph`, `pdg`, `sdg`, `points-to`.
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
    /// The block where a function starts; in a dependence graph, that it is called.
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
    /// An instruction.
    Instruction,
    /// Versions of a variable meet.
    Phi,
    /// A version on its way there.
    PhiOperand,
    /// Versions of memory meet.
    MemoryPhi,
    /// The version of memory after an instruction that may write several.
    MemoryDef,
    /// Memory as other threads see it.
    Shared,
    /// A choice.
    Predicate,
    /// A return.
    Return,
    /// A call.
    CallSite,
    /// What a function gets.
    FormalIn,
    /// What a function gives.
    FormalOut,
    /// What a call passes.
    ActualIn,
    /// What a call brings back.
    ActualOut,
    /// A variable that may point somewhere.
    Pointer,
    /// What can be pointed to.
    Object,
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
    /// Whether it leads to another iteration of a loop.
    pub carried: bool,
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
    /// Decides whether it is executed.
    Control,
    /// Is its operand.
    Data,
    /// Wrote the memory that it reads.
    Memory,
    /// Wrote the memory that it may overwrite.
    Order,
    /// Is the parameter's value.
    ParamIn,
    /// Is what comes back.
    ParamOut,
    /// Influences it through a callee.
    Summary,
    /// Wrote in one thread what it reads in another.
    Interference,
    /// May point there.
    PointsTo,
}

/// How an edge is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pen {
    Plain,
    Bold,
    Dashed,
    Dotted,
}

/// The colour of text, boxes and most edges.
const INK: &str = "#444444";

impl Edge {
    /// How it is drawn: dashed if it may not be there in any run, as far as is known, or leads round a loop.
    fn pen(&self) -> Pen {
        match self.kind {
            EdgeKind::IndirectCall | EdgeKind::Candidate | EdgeKind::Computed | EdgeKind::Interference => Pen::Dashed,
            EdgeKind::Summary | EdgeKind::Order => Pen::Dotted,
            EdgeKind::Control if !self.carried => Pen::Bold,
            EdgeKind::Control | EdgeKind::Data | EdgeKind::Memory if self.carried => Pen::Dashed,
            EdgeKind::Jump
            | EdgeKind::True
            | EdgeKind::False
            | EdgeKind::Case
            | EdgeKind::Call
            | EdgeKind::Control
            | EdgeKind::Data
            | EdgeKind::Memory
            | EdgeKind::ParamIn
            | EdgeKind::ParamOut
            | EdgeKind::PointsTo => Pen::Plain,
        }
    }
}

impl EdgeKind {
    /// The colour of the edge.
    fn color(self) -> &'static str {
        match self {
            EdgeKind::Jump
            | EdgeKind::True
            | EdgeKind::False
            | EdgeKind::Case
            | EdgeKind::Computed
            | EdgeKind::Call
            | EdgeKind::IndirectCall
            | EdgeKind::Candidate
            | EdgeKind::Control
            | EdgeKind::PointsTo => INK,
            EdgeKind::Data => "#1f77b4",
            EdgeKind::Memory | EdgeKind::Order => "#2a8a3e",
            EdgeKind::ParamIn | EdgeKind::ParamOut => "#9467bd",
            EdgeKind::Summary => "#c77e1a",
            EdgeKind::Interference => "#c0392b",
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
            NodeKind::Block | NodeKind::Instruction | NodeKind::Return | NodeKind::Object => "#ffffff",
            NodeKind::Function | NodeKind::CallSite | NodeKind::Pointer => "#e8eef7",
            NodeKind::External
            | NodeKind::Phi
            | NodeKind::PhiOperand
            | NodeKind::MemoryPhi
            | NodeKind::MemoryDef
            | NodeKind::Shared => "#eeeeee",
            NodeKind::Indirect | NodeKind::Predicate => "#fdf3d8",
            NodeKind::FormalIn | NodeKind::ActualIn => "#efe8f7",
            NodeKind::FormalOut | NodeKind::ActualOut => "#f7e8f1",
        }
    }
}
