//! Slices of the system dependence graph, as places.

use std::collections::{BTreeMap, BTreeSet};

use flowcheck::chop::{Barriers, slice};
use flowcheck::interp::watch::Spot;
use flowcheck::ir::{FuncId, InstKind, Program};
use flowcheck::models::Models;
use flowcheck::pointsto;
use flowcheck::sdg::{self, Formal, NodeId, NodeKind, Sdg};

use super::oracle::{Criterion, Place};

/// The graph of a program with the nodes of each place.
pub struct Graph {
    sdg: Sdg,
    nodes: BTreeMap<Place, Vec<NodeId>>,
}

impl Graph {
    /// The graph of a program that starts in `main`.
    pub fn of(program: &Program) -> Graph {
        let main = program.functions.enumerate().filter(|(_, f)| f.name == "main").map(|(f, _)| f).collect();
        let options = pointsto::Options { entries: main, ..pointsto::Options::default() };
        let graph = sdg::Options { entries: options.entries.clone(), ..sdg::Options::default() };
        let models = Models::new(&[]);
        let points_to = pointsto::solve(program, &models, &options);
        Graph::new(program, sdg::build(program, &models, &points_to, &graph))
    }

    /// Finds the nodes of all places.
    pub fn new(program: &Program, sdg: Sdg) -> Graph {
        let mut nodes: BTreeMap<Place, Vec<NodeId>> = BTreeMap::new();
        for (id, node) in sdg.nodes().enumerate() {
            let f = sdg.function(id);
            for spot in spots(program, &sdg, f, node.kind) {
                nodes.entry((f, spot)).or_default().push(id);
            }
        }
        Graph { sdg, nodes }
    }

    /// The places in the backward slice of a criterion.
    pub fn slice(&self, criterion: &Criterion) -> BTreeSet<Place> {
        let nodes: Vec<NodeId> = criterion.points.iter().filter_map(|p| self.nodes.get(p)).flatten().copied().collect();
        assert!(!nodes.is_empty(), "no node stands for {}", criterion.name);
        let slice = slice::backward(&self.sdg, &nodes, &Barriers::none());
        let inside =
            |(place, nodes): (&Place, &Vec<NodeId>)| nodes.iter().any(|n| slice.contains(*n)).then_some(*place);
        self.nodes.iter().filter_map(inside).collect()
    }
}

/// The spots that a node stands for.
fn spots(program: &Program, sdg: &Sdg, f: FuncId, kind: NodeKind) -> Vec<Spot> {
    let body = program.functions[f].body.as_ref().expect("a procedure has a body");
    match kind {
        NodeKind::Inst(v) => vec![Spot::Value(v)],
        NodeKind::Predicate(block) => vec![Spot::Choice(block)],
        NodeKind::Return(block) => vec![Spot::Return(block)],
        NodeKind::PhiOperand { phi, operand } => vec![Spot::PhiOperand { phi, operand }],
        NodeKind::FormalIn(Formal::Param(n)) => {
            let is_it = |(_, inst): &(_, &flowcheck::ir::Inst)| matches!(inst.kind, InstKind::Param(m) if m == n);
            body.insts.enumerate().filter(is_it).map(|(v, _)| Spot::Value(v)).collect()
        }
        NodeKind::ActualIn(site, formal) => {
            let call = sdg.sites()[site].inst;
            let InstKind::Call { .. } = &body.insts[call].kind else { return Vec::new() };
            // Every argument has a node of its own, variable ones too.
            let indices = match formal {
                Formal::Param(n) => n..n + 1,
                Formal::Varargs | Formal::Result | Formal::Returns | Formal::Memory(_) | Formal::Effect(_) => 0..0,
            };
            indices.map(|index| Spot::Argument { call, index }).collect()
        }
        NodeKind::ActualOut(site, Formal::Result) => vec![Spot::Value(sdg.sites()[site].inst)],
        NodeKind::Call(site) => vec![Spot::Call(sdg.sites()[site].inst)],
        NodeKind::Entry
        | NodeKind::MemoryPhi { .. }
        | NodeKind::MemoryDef { .. }
        | NodeKind::Shared(_)
        | NodeKind::FormalIn(_)
        | NodeKind::FormalOut(_)
        | NodeKind::ActualOut(..) => Vec::new(),
    }
}
