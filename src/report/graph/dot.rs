//! Graphs in the language of Graphviz.

use std::fmt::{self, Write};

use super::{Graph, INK, Node, NodeId, Pen};
use crate::base::IdVec;

/// The graph as a dot file.
pub fn dot(graph: &Graph) -> String {
    let mut out = String::new();
    write(&mut out, graph).expect("a string takes any text");
    out
}

fn write(out: &mut String, graph: &Graph) -> fmt::Result {
    writeln!(out, "digraph {} {{", quoted(graph.kind))?;
    writeln!(out, "  node [shape=box, fontname=\"monospace\", fontsize=10, style=filled];")?;
    writeln!(out, "  edge [fontname=\"monospace\", fontsize=9];")?;
    let mut inside: IdVec<super::ClusterId, Vec<NodeId>> = IdVec::filled(Vec::new(), graph.clusters.len());
    for (id, node) in graph.nodes.enumerate() {
        match node.cluster {
            Some(cluster) => inside[cluster].push(id),
            None => write_node(out, "  ", id, node)?,
        }
    }
    for (id, cluster) in graph.clusters.enumerate() {
        writeln!(out, "  subgraph \"cluster_{id}\" {{")?;
        writeln!(out, "    label={};", quoted(&cluster.label))?;
        for &node in &inside[id] {
            write_node(out, "    ", node, &graph.nodes[node])?;
        }
        writeln!(out, "  }}")?;
    }
    for edge in &graph.edges {
        write!(out, "  {} -> {}", edge.from, edge.to)?;
        let mut attributes = Vec::new();
        if !edge.label.is_empty() {
            attributes.push(format!("label={}", quoted(&edge.label)));
        }
        match edge.pen() {
            Pen::Plain => {}
            Pen::Bold => attributes.push("style=bold".to_string()),
            Pen::Dashed => attributes.push("style=dashed".to_string()),
            Pen::Dotted => attributes.push("style=dotted".to_string()),
        }
        if edge.kind.color() != INK {
            attributes.push(format!("color=\"{}\"", edge.kind.color()));
        }
        if attributes.is_empty() {
            writeln!(out, ";")?;
        } else {
            writeln!(out, " [{}];", attributes.join(", "))?;
        }
    }
    writeln!(out, "}}")
}

fn write_node(out: &mut String, indent: &str, id: NodeId, node: &Node) -> fmt::Result {
    // Lines of code stand at the left: each one, the last too, ends in `\l`.
    let label =
        if node.label.contains('\n') { with_lines(&format!("{}\n", node.label), "\\l") } else { quoted(&node.label) };
    let tooltip = match &node.place {
        Some(at) => format!(", tooltip={}", quoted(&format!("{}:{}", at.file.display(), at.line))),
        None => String::new(),
    };
    writeln!(out, "{indent}{id} [label={label}, fillcolor=\"{}\"{tooltip}];", node.kind.fill())
}

/// A string of dot in which the text stands for itself.
fn quoted(text: &str) -> String {
    with_lines(text, "\\n")
}

/// The same with `end` at the ends of lines.
fn with_lines(text: &str, end: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str(end),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
