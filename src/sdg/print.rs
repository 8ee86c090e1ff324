//! The graph as text: a line for each node, with what it depends on.
//!
//! ```text
//! f2 max (p0): 9 nodes
//!   n3 predicate bb0 "a < b" <- control n0(entry), data n1, data n2
//! ```

use std::fmt::{self, Write as _};

use super::graph::*;
use crate::ir::{FuncId, Program};
use crate::source::{Place, Sources};

/// The whole graph, procedure by procedure.
pub fn text(sdg: &Sdg, program: &Program, sources: &Sources) -> String {
    sdg.procs.ids().map(|proc| procedure(sdg, proc, program, sources)).collect::<Vec<_>>().join("\n")
}

/// One procedure, with the edges that reach it from others.
pub fn procedure(sdg: &Sdg, proc: ProcId, program: &Program, sources: &Sources) -> String {
    let name = |func: FuncId| program.functions[func].name.clone();
    let excerpt = |place: Place| excerpt(sources.text(place));
    write_procedure(sdg, proc, &name, &excerpt)
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

/// One procedure, with names and C text from the functions given.
pub(crate) fn write_procedure(
    sdg: &Sdg,
    proc: ProcId,
    name: &dyn Fn(FuncId) -> String,
    excerpt: &dyn Fn(Place) -> String,
) -> String {
    let procedure = &sdg.procs[proc];
    let mut out = String::new();
    let nodes = procedure.nodes();
    writeln!(out, "{} {} ({proc}): {} nodes", procedure.func, name(procedure.func), nodes.len()).expect("to a string");
    for node in nodes {
        let Node { kind, around, place, .. } = sdg.nodes[node];
        write!(out, "  {node} {kind}").expect("to a string");
        if let Some(l) = around {
            write!(out, " in {l}").expect("to a string");
        }
        let text = excerpt(place);
        if !text.is_empty() {
            write!(out, " \"{text}\"").expect("to a string");
        }
        let mut lead = " <- ";
        for edge in sdg.predecessors(node) {
            write!(out, "{lead}{}", Dependence(&edge)).expect("to a string");
            lead = ", ";
        }
        for (slot, from) in through_calls(sdg, node).iter().enumerate() {
            let lead = if slot == 0 { lead } else { ", " };
            write!(out, "{lead}summary {from}").expect("to a string");
        }
        out.push('\n');
    }
    out
}

/// The actual-ins of the same site that an actual-out depends on through callees.
fn through_calls(sdg: &Sdg, node: NodeId) -> Vec<NodeId> {
    let NodeKind::ActualOut(site, _) = sdg.nodes[node].kind else { return Vec::new() };
    let ins = &sdg.sites[site].ins;
    ins.iter().copied().filter(|from| sdg.summaries.successors(sdg, *from).binary_search(&node).is_ok()).collect()
}

/// An edge as its target shows it.
struct Dependence<'a>(&'a Edge);

impl fmt::Display for Dependence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Edge { from, kind, carried, .. } = self.0;
        match kind {
            EdgeKind::Control(label) => write!(f, "control {from}({label})")?,
            EdgeKind::Data => write!(f, "data {from}")?,
            EdgeKind::Memory => write!(f, "memory {from}")?,
            EdgeKind::Order => write!(f, "order {from}")?,
            EdgeKind::Call => write!(f, "call {from}")?,
            EdgeKind::ParamIn => write!(f, "param-in {from}")?,
            EdgeKind::ParamOut => write!(f, "param-out {from}")?,
            EdgeKind::Summary => write!(f, "summary {from}")?,
            EdgeKind::Interference => write!(f, "interference {from}")?,
        }
        carried.map_or(Ok(()), |l| write!(f, " carried by {l}"))
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
        }
    }
}

impl fmt::Display for ControlLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControlLabel::True => write!(f, "true"),
            ControlLabel::False => write!(f, "false"),
            ControlLabel::Case(n) => write!(f, "case {n}"),
            ControlLabel::Default => write!(f, "default"),
            ControlLabel::Label(label) => write!(f, "{label}"),
            ControlLabel::Entry => write!(f, "entry"),
            ControlLabel::Call => write!(f, "call"),
            ControlLabel::Returned => write!(f, "returned"),
            ControlLabel::Ended => write!(f, "ended"),
        }
    }
}
