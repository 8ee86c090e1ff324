//! Nodes and edges of the dependence graph in words, for graphs and listings.

use super::graph::{EdgeKind, NodeKind};
use crate::ir::{Body, Callee, InstKind};
use crate::sdg::control::label;
use crate::sdg::{self, ControlLabel, Edge, Formal, NodeId, SiteId};
use crate::select::View;
use crate::source::Place;

/// Longer text is cut.
const LONGEST: usize = 60;

/// What a node is.
pub(super) fn kind(view: View<'_>, node: NodeId) -> NodeKind {
    match view.sdg.nodes()[node].kind {
        sdg::NodeKind::Entry => NodeKind::Entry,
        sdg::NodeKind::Inst(value) => match body(view, node).insts[value].kind {
            InstKind::Phi(_) => NodeKind::Phi,
            _ => NodeKind::Instruction,
        },
        sdg::NodeKind::Predicate(_) => NodeKind::Predicate,
        sdg::NodeKind::Return(_) => NodeKind::Return,
        sdg::NodeKind::PhiOperand { .. } => NodeKind::PhiOperand,
        sdg::NodeKind::MemoryPhi { .. } => NodeKind::MemoryPhi,
        sdg::NodeKind::MemoryDef { .. } => NodeKind::MemoryDef,
        sdg::NodeKind::Shared(_) => NodeKind::Shared,
        sdg::NodeKind::FormalIn(_) => NodeKind::FormalIn,
        sdg::NodeKind::FormalOut(_) => NodeKind::FormalOut,
        sdg::NodeKind::ActualIn(..) => NodeKind::ActualIn,
        sdg::NodeKind::ActualOut(..) => NodeKind::ActualOut,
        sdg::NodeKind::Call(_) => NodeKind::CallSite,
    }
}

/// What a node stands for: its C text, or the variable or the memory that it is about.
pub(super) fn text(view: View<'_>, node: NodeId) -> String {
    let sdg::Node { kind, place, .. } = view.sdg.nodes()[node];
    let version = |value| {
        let body = body(view, node);
        body.insts[value].var.map(|local| body.locals[local].name.clone()).filter(|name| !name.is_empty())
    };
    let unnamed = || "a temporary".to_owned();
    match kind {
        sdg::NodeKind::Entry => view.program.functions[view.sdg.function(node)].name.clone(),
        sdg::NodeKind::Inst(value) => match body(view, node).insts[value].kind {
            InstKind::Phi(_) => version(value).unwrap_or_else(unnamed),
            _ => excerpt(view, place),
        },
        sdg::NodeKind::Predicate(_) | sdg::NodeKind::Return(_) | sdg::NodeKind::Call(_) => excerpt(view, place),
        sdg::NodeKind::PhiOperand { phi, .. } => version(phi).unwrap_or_else(unnamed),
        sdg::NodeKind::MemoryPhi { group, .. } | sdg::NodeKind::MemoryDef { group, .. } => format!("memory m{group}"),
        sdg::NodeKind::Shared(class) => format!("shared memory k{class}"),
        sdg::NodeKind::FormalIn(formal) => match formal {
            Formal::Param(n) => match body(view, node).locals.as_slice().get(n as usize) {
                Some(local) if !local.name.is_empty() => local.name.clone(),
                Some(_) | None => formal_words(formal),
            },
            Formal::Varargs | Formal::Result | Formal::Returns | Formal::Memory(_) | Formal::Effect(_) => {
                formal_words(formal)
            }
        },
        sdg::NodeKind::FormalOut(formal) => formal_words(formal),
        sdg::NodeKind::ActualIn(site, formal) | sdg::NodeKind::ActualOut(site, formal) => {
            format!("{} of {}", formal_words(formal), callee(view, node, site))
        }
    }
}

fn formal_words(formal: Formal) -> String {
    match formal {
        Formal::Param(n) => format!("argument {}", n + 1),
        Formal::Varargs => "variable arguments".to_owned(),
        Formal::Result => "result".to_owned(),
        Formal::Returns => "return".to_owned(),
        Formal::Memory(group) => format!("memory m{group}"),
        Formal::Effect(_) => "what is computed".to_owned(),
    }
}

/// Who is called: by name, or by the C text of the call.
fn callee(view: View<'_>, node: NodeId, site: SiteId) -> String {
    match body(view, node).insts[view.sdg.sites()[site].inst].kind {
        InstKind::Call { callee: Callee::Direct(f), .. } => view.program.functions[f].name.clone(),
        _ => excerpt(view, view.sdg.nodes()[view.sdg.sites()[site].call].place),
    }
}

fn body(view: View<'_>, node: NodeId) -> &Body {
    let function = &view.program.functions[view.sdg.function(node)];
    function.body.as_ref().expect("a function with nodes has a body")
}

/// The C text of a place, in one line and not too long.
fn excerpt(view: View<'_>, place: Place) -> String {
    let text = view.sources.text(place);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// What an edge is.
pub(super) fn edge_kind(edge: &Edge) -> EdgeKind {
    match edge.kind {
        sdg::EdgeKind::Control(_) => EdgeKind::Control,
        sdg::EdgeKind::Data => EdgeKind::Data,
        sdg::EdgeKind::Memory => EdgeKind::Memory,
        sdg::EdgeKind::Order => EdgeKind::Order,
        sdg::EdgeKind::Call => EdgeKind::Call,
        sdg::EdgeKind::ParamIn => EdgeKind::ParamIn,
        sdg::EdgeKind::ParamOut => EdgeKind::ParamOut,
        sdg::EdgeKind::Summary => EdgeKind::Summary,
        sdg::EdgeKind::Interference => EdgeKind::Interference,
    }
}

/// The outcome of a predicate that leads along the edge, in C's words; empty for other edges.
pub(super) fn edge_label(view: View<'_>, edge: &Edge) -> String {
    match (edge.kind, view.sdg.nodes()[edge.from].kind) {
        (sdg::EdgeKind::Control(ControlLabel::Branch(branch)), sdg::NodeKind::Predicate(block)) => {
            label(body(view, edge.from), block, branch).to_string()
        }
        (sdg::EdgeKind::Control(ControlLabel::Returned), _) => "returned".to_owned(),
        _ => String::new(),
    }
}
