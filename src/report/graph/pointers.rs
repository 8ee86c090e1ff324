//! What may point where, as a graph.

use super::super::pointers::{CellKind, Pointers};
use super::{Edge, EdgeKind, Graph, Node, NodeId, NodeKind};
use crate::base::id::Id;
use crate::source::{Location, Place};

/// A node for each that points or is pointed to, an edge for each may-point-to.
pub fn points_to(pointers: &Pointers, locate: &dyn Fn(Place) -> Location) -> Graph {
    let mut graph = Graph::new("points-to");
    for cell in &pointers.cells {
        let kind = match cell.kind {
            CellKind::Value => NodeKind::Pointer,
            CellKind::Object => NodeKind::Object,
            CellKind::Function => NodeKind::Function,
        };
        graph.nodes.push(Node { kind, label: cell.name.clone(), cluster: None, place: cell.place.map(locate) });
    }
    for (from, to) in &pointers.edges {
        let (from, to) = (NodeId::new(from.index()), NodeId::new(to.index()));
        let (kind, label) = (EdgeKind::PointsTo, String::new());
        graph.edges.push(Edge { from, to, kind, label, carried: false, place: None });
    }
    graph
}
