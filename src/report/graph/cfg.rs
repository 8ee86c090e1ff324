//! Control-flow graphs: a cluster per function, a node per block.

use rustc_hash::FxHashMap;

use super::{Cluster, Edge, EdgeKind, Graph, Node, NodeId, NodeKind};
use crate::base::IdVec;
use crate::ir::print::{Names, instruction, terminator};
use crate::ir::{BlockId, Body, Case, FuncId, Program, Terminator};
use crate::source::{Location, Place};

/// How many reasons for an edge its label shows.
const SHOWN: usize = 4;
/// Longer lines are cut.
const LINE: usize = 100;

/// The control-flow graphs of these functions; those without a body have none.
pub fn cfg(program: &Program, functions: &[FuncId], locate: &dyn Fn(Place) -> Location) -> Graph {
    let names = Names::new(program);
    let mut graph = Graph::new("cfg");
    for &f in functions {
        let Some(body) = &program.functions[f].body else { continue };
        let title = program.types.declare(program.functions[f].ty.into(), names.function(f));
        let cluster = graph.clusters.push(Cluster { label: title });
        let mut nodes: IdVec<BlockId, NodeId> = IdVec::new();
        for id in body.blocks.ids() {
            nodes.push(graph.nodes.push(Node {
                kind: kind(body, id),
                label: label(program, &names, body, id),
                cluster: Some(cluster),
                place: Some(locate(first_place(body, id))),
            }));
        }
        for (id, block) in body.blocks.enumerate() {
            let place = locate(block.term_place);
            for (to, kind, label) in targets(body, &block.term) {
                let edge =
                    Edge { from: nodes[id], to: nodes[to], kind, label, carried: false, place: Some(place.clone()) };
                graph.edges.push(edge);
            }
        }
    }
    graph
}

fn kind(body: &Body, id: BlockId) -> NodeKind {
    match &body.blocks[id].term {
        _ if id == body.entry => NodeKind::Entry,
        Terminator::Return(_) => NodeKind::Exit,
        Terminator::Jump(_)
        | Terminator::Branch { .. }
        | Terminator::Switch { .. }
        | Terminator::IndirectJump { .. }
        | Terminator::Unreachable => NodeKind::Block,
    }
}

fn first_place(body: &Body, id: BlockId) -> Place {
    let block = &body.blocks[id];
    block.insts.first().map_or(block.term_place, |v| body.insts[*v].place)
}

fn label(program: &Program, names: &Names, body: &Body, id: BlockId) -> String {
    let mut lines = vec![match body.loops.innermost(id) {
        Some(l) => format!("{id} ({l})"),
        None => id.to_string(),
    }];
    lines.extend(body.blocks[id].insts.iter().map(|v| cut(instruction(program, names, body, *v))));
    lines.push(cut(terminator(program, names, body, id)));
    lines.join("\n")
}

fn cut(line: String) -> String {
    match line.char_indices().nth(LINE) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// Where a block leads, each target once, with all reasons to go there.
fn targets(body: &Body, term: &Terminator) -> Vec<(BlockId, EdgeKind, String)> {
    match term {
        Terminator::Jump(to) => vec![(*to, EdgeKind::Jump, String::new())],
        Terminator::Branch { then, otherwise, .. } => {
            vec![(*then, EdgeKind::True, "true".into()), (*otherwise, EdgeKind::False, "false".into())]
        }
        Terminator::Switch { cases, default, .. } => {
            let value = |c: &Case| {
                if c.low == c.high { c.low.to_string() } else { format!("{}..{}", c.low, c.high) }
            };
            let cases = cases.iter().map(|c| (c.target, value(c)));
            merged(cases.chain(std::iter::once((*default, "default".into()))), EdgeKind::Case)
        }
        Terminator::IndirectJump { targets, .. } => {
            merged(targets.iter().map(|(l, to)| (*to, body.labels[*l].name.clone())), EdgeKind::Computed)
        }
        Terminator::Return(_) | Terminator::Unreachable => Vec::new(),
    }
}

/// One edge per target; its label lists the first few reasons.
fn merged(arms: impl Iterator<Item = (BlockId, String)>, kind: EdgeKind) -> Vec<(BlockId, EdgeKind, String)> {
    let mut order: Vec<(BlockId, Vec<String>)> = Vec::new();
    let mut at: FxHashMap<BlockId, usize> = FxHashMap::default();
    for (to, reason) in arms {
        let i = *at.entry(to).or_insert(order.len());
        if i == order.len() {
            order.push((to, Vec::new()));
        }
        order[i].1.push(reason);
    }
    let label = |reasons: &[String]| match reasons.len() {
        n if n > SHOWN => format!("{}, … ({n})", reasons[..SHOWN].join(", ")),
        _ => reasons.join(", "),
    };
    order.into_iter().map(|(to, reasons)| (to, kind, label(&reasons))).collect()
}
