//! Slices and chops: the lines of the program for people, nodes and edges for programs.
//!
//! ```text
//! { "schema": 1, "kind": "slice"|"chop", "direction": "backward"|"forward" (of a slice),
//!   "criterion": { "from": POINT, "to": POINT },
//!   "lines": [ { "file", "line" } ],
//!   "nodes": [ { "id": "n0", "kind", "function", "file", "line", "column", "text" } ],
//!   "edges": [ { "from": "n0", "to": "n1", "kind", "label", "carried": true|false } ] }
//! ```
//! Kinds are those of [`NodeKind`](super::graph::NodeKind) and [`EdgeKind`](super::graph::EdgeKind), in kebab case.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::words;
use crate::chop::{Barriers, Chop};
use crate::ir::FuncId;
use crate::sdg::NodeSet;
use crate::select::lines::{self, Locator};
use crate::select::{Line, View};

/// What was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// What can influence this point?
    Backward(String),
    /// What can this point influence?
    Forward(String),
    /// What lies between these points?
    Between {
        /// Where flows start.
        from: String,
        /// Where they end.
        to: String,
    },
}

/// The lines of the nodes as they are in the files, with the heads of their functions; what lies between is left out.
pub fn text(view: View<'_>, question: &Question, nodes: &NodeSet) -> String {
    if nodes.is_empty() {
        return match question {
            Question::Backward(point) => format!("nothing influences {point}\n"),
            Question::Forward(point) => format!("{point} influences nothing\n"),
            Question::Between { from, to } => format!("no flow from {from} to {to}\n"),
        };
    }
    let functions: BTreeSet<FuncId> = nodes.iter().map(|node| view.sdg.function(node)).collect();
    let mut locator = Locator::new(view.sources);
    let mut files: BTreeMap<PathBuf, BTreeMap<u32, bool>> = BTreeMap::new();
    for func in functions {
        let Line { file, line } = locator.line(view.program.functions[func].place);
        files.entry(file).or_default().insert(line, false);
    }
    for Line { file, line } in lines::of_nodes(view, nodes.iter()) {
        files.entry(file).or_default().insert(line, true);
    }
    let parts: Vec<String> = files.iter().map(|(file, lines)| file_text(view, file, lines)).collect();
    parts.join("\n")
}

/// The lines of a file; `true` marks those that were asked for.
fn file_text(view: View<'_>, file: &Path, lines: &BTreeMap<u32, bool>) -> String {
    let width = lines.keys().next_back().map_or(1, |last| last.to_string().len());
    let shown = |line: u32, mark: char| {
        let text = view.sources.files.line(file, line).unwrap_or_default();
        format!("{mark} {line:>width$} | {text}").trim_end().to_owned()
    };
    let mut out = vec![file.display().to_string()];
    let mut last: Option<u32> = None;
    for (&line, &marked) in lines {
        match last.map(|last| line - last) {
            // A single line is not worth leaving out.
            Some(2) => out.push(shown(line - 1, ' ')),
            Some(gap) if gap > 2 => out.push("  ...".to_owned()),
            Some(_) | None => {}
        }
        out.push(shown(line, if marked { '>' } else { ' ' }));
        last = Some(line);
    }
    out.push(String::new());
    out.join("\n")
}

/// The nodes, the edges between them, and their lines.
pub fn json(view: View<'_>, question: &Question, nodes: &NodeSet) -> Value {
    let (kind, direction, from, to) = match question {
        Question::Backward(point) => ("slice", Some("backward"), None, Some(point)),
        Question::Forward(point) => ("slice", Some("forward"), Some(point), None),
        Question::Between { from, to } => ("chop", None, Some(from), Some(to)),
    };
    let mut criterion = Map::new();
    criterion.extend(from.map(|point| ("from".to_owned(), json!(point))));
    criterion.extend(to.map(|point| ("to".to_owned(), json!(point))));
    let lines: Vec<Value> = lines::of_nodes(view, nodes.iter())
        .into_iter()
        .map(|Line { file, line }| json!({ "file": file.to_string_lossy(), "line": line }))
        .collect();
    let mut locator = Locator::new(view.sources);
    let shown = nodes.iter().map(|node| {
        let at = locator.locate(view.sdg.nodes()[node].place);
        json!({
            "id": node.to_string(),
            "kind": words::kind(view, node),
            "function": view.program.functions[view.sdg.function(node)].name,
            "file": at.file.to_string_lossy(),
            "line": at.line,
            "column": at.column,
            "text": words::text(view, node),
        })
    });
    let shown: Vec<Value> = shown.collect();
    let part = Chop { nodes: nodes.clone() };
    let barriers = Barriers::none();
    let edges = part.edges(view.sdg, &barriers).map(|edge| {
        json!({
            "from": edge.from.to_string(),
            "to": edge.to.to_string(),
            "kind": words::edge_kind(&edge),
            "label": words::edge_label(view, &edge),
            "carried": edge.moves.back.is_some(),
        })
    });
    let edges: Vec<Value> = edges.collect();
    let mut all = Map::new();
    all.insert("schema".to_owned(), json!(1));
    all.insert("kind".to_owned(), json!(kind));
    all.extend(direction.map(|direction| ("direction".to_owned(), json!(direction))));
    all.insert("criterion".to_owned(), Value::Object(criterion));
    all.insert("lines".to_owned(), Value::Array(lines));
    all.insert("nodes".to_owned(), Value::Array(shown));
    all.insert("edges".to_owned(), Value::Array(edges));
    Value::Object(all)
}
