//! The builder, the verifier and the printer.

use super::graph::*;
use super::sample::{NOWHERE, Random, Size, program};
use super::{SdgBuilder, verify};
use crate::base::graph::{Digraph, LoopForest, LoopId};
use crate::ir::{BlockId, FuncId, ValueId};

const SIZE: Size = Size { procs: 4, formals: 3, calls: 2, insts: 5, callees: 2, recursion: true, interference: 2 };

/// `main` calls `max(a, b)`, which chooses by a predicate.
fn max() -> SdgBuilder {
    let mut b = SdgBuilder::new();
    let main = b.procedure(FuncId(4), NOWHERE);
    let x = b.node(NodeKind::Inst(ValueId(0)), NOWHERE, None);
    let (site, call) = b.call(ValueId(1), NOWHERE, None);
    let first = b.node(NodeKind::ActualIn(site, Formal::Param(0)), NOWHERE, None);
    let second = b.node(NodeKind::ActualIn(site, Formal::Param(1)), NOWHERE, None);
    let got = b.node(NodeKind::ActualOut(site, Formal::Result), NOWHERE, None);
    let max = b.procedure(FuncId(2), NOWHERE);
    let formals = [0, 1].map(|n| b.node(NodeKind::FormalIn(Formal::Param(n)), NOWHERE, None));
    let choice = b.node(NodeKind::Predicate(BlockId(0)), NOWHERE, None);
    let result = b.node(NodeKind::FormalOut(Formal::Result), NOWHERE, None);
    b.edge(result, got, EdgeKind::ParamOut, None);
    b.edge(second, formals[1], EdgeKind::ParamIn, None);
    b.edge(first, formals[0], EdgeKind::ParamIn, None);
    b.edge(call, max, EdgeKind::Call, None);
    b.edge(formals[0], choice, EdgeKind::Data, None);
    b.edge(choice, result, EdgeKind::Control(ControlLabel::True), None);
    b.edge(max, choice, EdgeKind::Control(ControlLabel::Entry), None);
    for node in [x, call] {
        b.edge(main, node, EdgeKind::Control(ControlLabel::Entry), None);
    }
    for node in [first, second, got] {
        b.edge(call, node, EdgeKind::Control(ControlLabel::Call), None);
    }
    b.edge(x, first, EdgeKind::Data, None);
    b.edge(x, first, EdgeKind::Data, None);
    b
}

fn dump(sdg: &Sdg) -> String {
    let texts =
        sdg.procs.ids().map(|proc| super::print::write_procedure(sdg, proc, &|f| format!("<{f}>"), &|_| String::new()));
    texts.collect()
}

#[test]
fn a_graph_reads_as_its_dependences() {
    let expected = "\
f4 <f4> (p0): 6 nodes
  n0 entry
  n1 inst v0 <- control n0(entry)
  n2 call s0 <- control n0(entry)
  n3 actual-in s0 param 0 <- data n1, control n2(call)
  n4 actual-in s0 param 1 <- control n2(call)
  n5 actual-out s0 result <- control n2(call), param-out n10, summary n2, summary n3
f2 <f2> (p1): 5 nodes
  n6 entry <- call n2
  n7 formal-in param 0 <- param-in n3
  n8 formal-in param 1 <- param-in n4
  n9 predicate bb0 <- control n6(entry), data n7
  n10 formal-out result <- control n9(true)
";
    assert_eq!(dump(&max().finish()), expected);
}

#[test]
fn edges_are_sorted_once_and_in_both_directions() {
    for seed in 0..500 {
        let sdg = program(&mut Random(seed), SIZE);
        let mut forward: Vec<Edge> = sdg.nodes.ids().flat_map(|node| sdg.successors(node)).collect();
        let mut backward: Vec<Edge> = sdg.nodes.ids().flat_map(|node| sdg.predecessors(node)).collect();
        forward.sort();
        backward.sort();
        assert_eq!(forward, backward);
        assert!(forward.windows(2).all(|pair| pair[0] < pair[1]));
        // The order of making does not show.
        let mut again = SdgBuilder::new();
        for procedure in &sdg.procs {
            for node in procedure.nodes() {
                match sdg.nodes[node].kind {
                    NodeKind::Entry => again.procedure(procedure.func, NOWHERE),
                    NodeKind::Call(site) => again.call(sdg.sites[site].inst, NOWHERE, None).1,
                    kind => again.node(kind, NOWHERE, None),
                };
            }
        }
        for edge in backward.iter().rev().chain(&forward) {
            again.edge(edge.from, edge.to, edge.kind, edge.carried);
        }
        let again = again.finish();
        assert_eq!(dump(&again), dump(&sdg));
        assert_eq!(again.labels, sdg.labels);
    }
}

#[test]
fn the_verifier_finds_what_is_wrong() {
    assert_eq!(verify::graph(&max().sorted()), Ok(()));
    let wrong = |change: &dyn Fn(&mut SdgBuilder)| {
        let mut b = max();
        change(&mut b);
        verify::graph(&b.sorted()).expect_err("it is wrong")
    };
    let n = NodeId;
    let l = Some(LoopId(0));
    let cases: [(&dyn Fn(&mut SdgBuilder), &str); 11] = [
        (&|b| b.edge(n(1), n(9), EdgeKind::Data, None), "leaves the procedure"),
        (&|b| b.edge(n(1), n(7), EdgeKind::ParamIn, None), "is not from an actual-in to a formal-in"),
        (&|b| b.edge(n(9), n(5), EdgeKind::ParamOut, None), "is not from a formal-out to an actual-out"),
        (&|b| b.edge(n(3), n(6), EdgeKind::Call, None), "is not from a call to an entry"),
        (&|b| b.edge(n(1), n(5), EdgeKind::Summary, None), "is not from an actual-in to an actual-out"),
        (&|b| b.edge(n(1), n(3), EdgeKind::Data, l), "an end is in none"),
        (&|b| b.edge(n(3), n(7), EdgeKind::ParamIn, l), "leaves the procedure"),
        (&|b| _ = b.node(NodeKind::Predicate(BlockId(0)), NOWHERE, None), "has two nodes"),
        (&|b| _ = b.node(NodeKind::ActualIn(SiteId(0), Formal::Varargs), NOWHERE, None), "not in the site's procedure"),
        (&|b| _ = b.node(NodeKind::FormalIn(Formal::Memory(3)), NOWHERE, None), "no actual-in at some call"),
        (&|b| _ = b.node(NodeKind::FormalOut(Formal::Returns), NOWHERE, None), "no actual-out at some call"),
    ];
    for (change, message) in cases {
        let found = wrong(change);
        assert!(found.contains(message), "{found}, not {message}");
    }
    // A parameter edge to a procedure that the site does not call.
    let found = wrong(&|b| {
        b.procedure(FuncId(9), NOWHERE);
        let formal = b.node(NodeKind::FormalIn(Formal::Param(0)), NOWHERE, None);
        b.edge(n(3), formal, EdgeKind::ParamIn, None);
    });
    assert!(found.contains("does not call"), "{found}");
}

#[test]
fn an_edge_keeps_the_loops_it_stays_in() {
    // bb0 -> outer loop bb1 { inner loop bb2 }, then another inner loop bb3 -> bb1, exit bb4.
    let successors: [&[u32]; 5] = [&[1], &[2, 4], &[2, 3], &[3, 1], &[]];
    let graph = Digraph::new(successors.map(|list| list.iter().map(|b| BlockId(*b)).collect::<Vec<_>>()));
    let forest = LoopForest::new(&graph, &graph.reversed(), [BlockId(0)]);
    let around = |block: u32| forest.innermost(BlockId(block));
    let (outer, inner, other) = (around(1).unwrap(), around(2).unwrap(), around(3).unwrap());
    let shape = |from: u32, to: u32, carried| {
        let m = LoopMove::new(&forest, around(from), around(to), carried);
        (m.kept, m.left(&forest).collect::<Vec<_>>(), m.entered(&forest).collect::<Vec<_>>())
    };
    assert_eq!(shape(2, 2, None), (Some(inner), vec![], vec![]));
    assert_eq!(shape(2, 2, Some(inner)), (Some(outer), vec![inner], vec![inner]));
    assert_eq!(shape(2, 2, Some(outer)), (None, vec![inner, outer], vec![inner, outer]));
    assert_eq!(shape(2, 3, None), (Some(outer), vec![inner], vec![other]));
    assert_eq!(shape(3, 2, Some(outer)), (None, vec![other, outer], vec![inner, outer]));
    assert_eq!(shape(0, 2, None), (None, vec![], vec![inner, outer]));
    assert_eq!(shape(3, 4, None), (None, vec![other, outer], vec![]));
}

#[test]
fn nodes_and_edges_are_small() {
    assert!(size_of::<Node>() <= 40, "{}", size_of::<Node>());
    assert_eq!(size_of::<Half>(), 8);
}
