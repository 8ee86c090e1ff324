//! Dependence graphs: a cluster per function, a node per node of the system dependence graph, an arrow from what influences to what
//! is influenced.

use rustc_hash::FxHashMap;

use super::super::words;
use super::{Cluster, Edge, Graph, Node, NodeId};
use crate::ir::FuncId;
use crate::sdg;
use crate::select::View;
use crate::select::lines::Locator;

/// The dependences inside each of these functions, with what their calls do between what they pass and what they bring back.
pub fn pdg(view: View<'_>, functions: &[FuncId]) -> Graph {
    graph(view, functions, "pdg", |from, to| from.proc == to.proc)
}

/// The dependences inside and between these functions.
pub fn sdg(view: View<'_>, functions: &[FuncId]) -> Graph {
    graph(view, functions, "sdg", |_, _| true)
}

fn graph(
    view: View<'_>,
    functions: &[FuncId],
    kind: &'static str,
    wanted: impl Fn(&sdg::Node, &sdg::Node) -> bool,
) -> Graph {
    let mut graph = Graph::new(kind);
    let mut locator = Locator::new(view.sources);
    let mut shown: FxHashMap<sdg::NodeId, NodeId> = FxHashMap::default();
    let mut order: Vec<sdg::NodeId> = Vec::new();
    for proc in functions.iter().filter_map(|func| view.sdg.procedure_of(*func)) {
        let procedure = &view.sdg.procedures()[proc];
        let label = view.program.functions[procedure.func].name.clone();
        let cluster = Some(graph.clusters.push(Cluster { label }));
        for id in procedure.nodes() {
            let place = Some(locator.locate(view.sdg.nodes()[id].place).clone());
            let node = Node { kind: words::kind(view, id), label: words::text(view, id), cluster, place };
            shown.insert(id, graph.nodes.push(node));
            order.push(id);
        }
    }
    for from in order {
        let moves = sdg::control::LoopMove { stays: view.sdg.nodes()[from].around, back: None };
        let through = view.sdg.summaries().successors(view.sdg, from).into_iter();
        let through = through.map(|to| sdg::Edge { from, to, kind: sdg::EdgeKind::Summary, moves });
        for edge in view.sdg.successors(from).chain(through) {
            let Some(to) = shown.get(&edge.to) else { continue };
            if wanted(&view.sdg.nodes()[from], &view.sdg.nodes()[edge.to]) {
                graph.edges.push(Edge {
                    from: shown[&from],
                    to: *to,
                    kind: words::edge_kind(&edge),
                    label: words::edge_label(view, &edge),
                    carried: edge.moves.back.is_some(),
                    place: None,
                });
            }
        }
    }
    graph
}
