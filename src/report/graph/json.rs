//! Graphs as JSON.
//!
//! ```text
//! { "kind": "cfg"|"callgraph"|"pdg"|"sdg"|"points-to",
//!   "nodes":    [ { "id": "n0", "kind", "label", "cluster": "c0"|null, "place": PLACE|null } ],
//!   "edges":    [ { "from": "n0", "to": "n1", "kind", "label", "carried": true|false, "place": PLACE|null } ],
//!   "clusters": [ { "id": "c0", "label" } ] }
//! PLACE: { "file", "line", "column" }
//! ```
//! Kinds are those of [`NodeKind`](super::NodeKind) and [`EdgeKind`](super::EdgeKind), in kebab case.

use serde_json::{Value, json};

use super::Graph;
use crate::source::Location;

/// The graph as a JSON value.
pub fn json(graph: &Graph) -> Value {
    let place = |at: &Option<Location>| {
        at.as_ref().map(|at| json!({ "file": at.file.to_string_lossy(), "line": at.line, "column": at.column }))
    };
    let nodes = graph.nodes.enumerate().map(|(id, node)| {
        json!({
            "id": id.to_string(),
            "kind": node.kind,
            "label": node.label,
            "cluster": node.cluster.map(|c| c.to_string()),
            "place": place(&node.place),
        })
    });
    let edges = graph.edges.iter().map(|edge| {
        json!({
            "from": edge.from.to_string(),
            "to": edge.to.to_string(),
            "kind": edge.kind,
            "label": edge.label,
            "carried": edge.carried,
            "place": place(&edge.place),
        })
    });
    let clusters = graph.clusters.enumerate().map(|(id, c)| json!({ "id": id.to_string(), "label": c.label }));
    json!({
        "kind": graph.kind,
        "nodes": nodes.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
        "clusters": clusters.collect::<Vec<_>>(),
    })
}
