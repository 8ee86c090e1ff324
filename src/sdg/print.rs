//! The graph as text: a line for each node, with what it depends on.
//!
//! ```text
//! f2 max (p0): 9 nodes
//!   n3 predicate bb0 "a < b" <- control n0(entry), data n1, data n2
//! ```

use std::fmt;

use super::control::label;
use super::graph::*;
use crate::ir::{BlockId, Program};
use crate::source::{Place, Sources};

/// The whole graph, procedure by procedure.
pub fn text(sdg: &Sdg, program: &Program, sources: &Sources) -> String {
    sdg.procs.ids().map(|proc| procedure(sdg, proc, program, sources)).collect::<Vec<_>>().join("\n")
}

/// One procedure, with the edges that reach it from others.
pub fn procedure(sdg: &Sdg, proc: ProcId, program: &Program, sources: &Sources) -> String {
    let function = &program.functions[sdg.procs[proc].func];
    let words = Words {
        name: function.name.clone(),
        excerpt: &|place| excerpt(&sources.text(place)),
        outcome: &|block, branch| match &function.body {
            Some(body) => label(body, block, branch).to_string(),
            None => format!("branch {branch}"),
        },
    };
    write_procedure(sdg, proc, &words)
}

/// How a dump names what the graph knows by number.
pub(crate) struct Words<'a> {
    /// The function's name.
    pub name: String,
    /// The C text at a place.
    pub excerpt: &'a dyn Fn(Place) -> String,
    /// The way from a block to its successor.
    pub outcome: &'a dyn Fn(BlockId, u32) -> String,
}

impl Words<'_> {
    /// Numbers only.
    #[cfg(test)]
    pub fn none() -> Words<'static> {
        let outcome = &|_: BlockId, branch: u32| format!("branch {branch}");
        Words { name: String::new(), excerpt: &|_: Place| String::new(), outcome }
    }
}

/// The C text of a node, in one line and not too long.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 48;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// One procedure in these words.
pub(crate) fn write_procedure(sdg: &Sdg, proc: ProcId, words: &Words) -> String {
    let procedure = &sdg.procs[proc];
    let mut lines = vec![format!("{} {} ({proc}): {} nodes\n", procedure.func, words.name, procedure.nodes().len())];
    for node in procedure.nodes() {
        let Node { kind, around, place, .. } = sdg.nodes[node];
        let around = around.map_or_else(String::new, |l| format!(" in {l}"));
        let text = Some((words.excerpt)(place)).filter(|text| !text.is_empty());
        let text = text.map_or_else(String::new, |text| format!(" \"{text}\""));
        let through = sdg.summaries.predecessors(sdg, node).into_iter().map(|from| format!("summary {from}"));
        let dependences: Vec<String> =
            sdg.predecessors(node).map(|edge| dependence(sdg, &edge, words)).chain(through).collect();
        let arrow = if dependences.is_empty() { "" } else { " <- " };
        lines.push(format!("  {node} {kind}{around}{text}{arrow}{}\n", dependences.join(", ")));
    }
    lines.concat()
}

/// An edge as its target shows it.
fn dependence(sdg: &Sdg, edge: &Edge, words: &Words) -> String {
    let from = edge.from;
    let text = match edge.kind {
        EdgeKind::Control(label) => {
            let outcome = match (label, sdg.nodes[from].kind) {
                (ControlLabel::Branch(branch), NodeKind::Predicate(block)) => (words.outcome)(block, branch),
                (ControlLabel::Branch(branch), _) => format!("branch {branch}"),
                (ControlLabel::Entry, _) => "entry".to_owned(),
                (ControlLabel::Call, _) => "call".to_owned(),
                (ControlLabel::Returned, _) => "returned".to_owned(),
            };
            format!("control {from}({outcome})")
        }
        EdgeKind::Data => format!("data {from}"),
        EdgeKind::Memory => format!("memory {from}"),
        EdgeKind::Order => format!("order {from}"),
        EdgeKind::Call => format!("call {from}"),
        EdgeKind::ParamIn => format!("param-in {from}"),
        EdgeKind::ParamOut => format!("param-out {from}"),
        EdgeKind::Summary => format!("summary {from}"),
        EdgeKind::Interference => format!("interference {from}"),
    };
    match edge.moves.back {
        Some(l) => format!("{text} round {l}"),
        None => text,
    }
}

impl fmt::Display for NodeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NodeKind::Entry => write!(f, "entry"),
            NodeKind::Inst(value) => write!(f, "inst {value}"),
            NodeKind::Predicate(block) => write!(f, "predicate {block}"),
            NodeKind::Return(block) => write!(f, "return {block}"),
            NodeKind::PhiOperand { phi, operand } => write!(f, "operand {operand} of {phi}"),
            NodeKind::MemoryPhi { block, group } => write!(f, "memory-phi {block} m{group}"),
            NodeKind::MemoryDef { inst, group } => write!(f, "memory-def {inst} m{group}"),
            NodeKind::Shared(class) => write!(f, "shared k{class}"),
            NodeKind::FormalIn(formal) => write!(f, "formal-in {formal}"),
            NodeKind::FormalOut(formal) => write!(f, "formal-out {formal}"),
            NodeKind::ActualIn(site, formal) => write!(f, "actual-in {site} {formal}"),
            NodeKind::ActualOut(site, formal) => write!(f, "actual-out {site} {formal}"),
            NodeKind::Call(site) => write!(f, "call {site}"),
        }
    }
}

impl fmt::Display for Formal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formal::Param(n) => write!(f, "param {n}"),
            Formal::Varargs => write!(f, "varargs"),
            Formal::Result => write!(f, "result"),
            Formal::Returns => write!(f, "returns"),
            Formal::Memory(group) => write!(f, "m{group}"),
            Formal::Effect(n) => write!(f, "effect {n}"),
        }
    }
}
