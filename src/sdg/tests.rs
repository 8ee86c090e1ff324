//! The builder, the verifier and the printer.

use super::control::LoopMove;
use super::graph::*;
use super::print::{Words, write_procedure};
use super::sample::{NOWHERE, Random, Size, program};
use super::{SdgBuilder, verify};
use crate::base::graph::LoopId;
use crate::ir::sample::counting;
use crate::ir::{BlockId, FuncId, ValueId};
use crate::source::Place;

const SIZE: Size = Size { procs: 4, formals: 3, calls: 2, insts: 5, callees: 2, recursion: true, interference: 2 };

/// No loops.
const APART: LoopMove = LoopMove { stays: None, back: None };

/// `main` calls `max(a, b)`, which chooses by a predicate.
fn max() -> SdgBuilder {
    let mut b = SdgBuilder::new();
    let main = b.procedure(FuncId(4), NOWHERE);
    let x = b.node(NodeKind::Inst(ValueId(0)), Place { start: 7, ..NOWHERE }, None);
    let (site, call) = b.call(ValueId(1), NOWHERE, None);
    let first = b.node(NodeKind::ActualIn(site, Formal::Param(0)), NOWHERE, None);
    let second = b.node(NodeKind::ActualIn(site, Formal::Param(1)), NOWHERE, None);
    let got = b.node(NodeKind::ActualOut(site, Formal::Result), NOWHERE, None);
    let max = b.procedure(FuncId(2), NOWHERE);
    let formals = [0, 1].map(|n| b.node(NodeKind::FormalIn(Formal::Param(n)), NOWHERE, None));
    let choice = b.node(NodeKind::Predicate(BlockId(0)), NOWHERE, None);
    let result = b.node(NodeKind::FormalOut(Formal::Result), NOWHERE, None);
    b.edge(result, got, EdgeKind::ParamOut, APART);
    b.edge(second, formals[1], EdgeKind::ParamIn, APART);
    b.edge(first, formals[0], EdgeKind::ParamIn, APART);
    b.edge(call, max, EdgeKind::Call, APART);
    b.edge(formals[0], choice, EdgeKind::Data, APART);
    b.edge(choice, result, EdgeKind::Control(ControlLabel::Branch(0)), APART);
    b.edge(max, choice, EdgeKind::Control(ControlLabel::Entry), APART);
    for node in [x, call] {
        b.edge(main, node, EdgeKind::Control(ControlLabel::Entry), APART);
    }
    for node in [first, second, got] {
        b.edge(call, node, EdgeKind::Control(ControlLabel::Call), APART);
    }
    b.edge(x, first, EdgeKind::Data, APART);
    b.edge(x, first, EdgeKind::Data, APART);
    b
}

fn dump(sdg: &Sdg) -> String {
    let excerpt = |place: Place| if place == NOWHERE { String::new() } else { format!("at {}", place.start) };
    let outcome = |block, branch| format!("{block} to {branch}");
    let text = |proc: ProcId| {
        let name = format!("<{}>", sdg.procs[proc].func);
        write_procedure(sdg, proc, &Words { name, excerpt: &excerpt, outcome: &outcome })
    };
    sdg.procs.ids().map(text).collect()
}

#[test]
fn a_graph_reads_as_its_dependences() {
    let expected = "\
f4 <f4> (p0): 6 nodes
  n0 entry
  n1 inst v0 \"at 7\" <- control n0(entry)
  n2 call s0 <- control n0(entry)
  n3 actual-in s0 param 0 <- data n1, control n2(call)
  n4 actual-in s0 param 1 <- control n2(call)
  n5 actual-out s0 result <- control n2(call), param-out n10, summary n2, summary n3
f2 <f2> (p1): 5 nodes
  n6 entry <- call n2
  n7 formal-in param 0 <- param-in n3
  n8 formal-in param 1 <- param-in n4
  n9 predicate bb0 <- control n6(entry), data n7
  n10 formal-out result <- control n9(bb0 to 0)
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
            again.edge(edge.from, edge.to, edge.kind, edge.moves);
        }
        let again = again.finish();
        assert_eq!(dump(&again), dump(&sdg));
        assert_eq!(again.labels, sdg.labels);
    }
}

/// Makes a graph wrong.
type Change<'a> = &'a dyn Fn(&mut SdgBuilder);

#[test]
fn the_verifier_finds_what_is_wrong() {
    assert_eq!(verify::graph(&max().sorted()), Ok(()));
    let wrong = |change: Change| {
        let mut b = max();
        change(&mut b);
        verify::graph(&b.sorted()).expect_err("it is wrong")
    };
    let n = NodeId;
    let stays = LoopMove { stays: Some(LoopId(0)), back: None };
    let round = LoopMove { stays: None, back: Some(LoopId(0)) };
    let cases: [(Change, &str); 11] = [
        (&|b| b.edge(n(1), n(3), EdgeKind::Data, round), "but ends in none"),
        (&|b| b.edge(n(1), n(9), EdgeKind::Data, APART), "leaves the procedure"),
        (&|b| b.edge(n(1), n(7), EdgeKind::ParamIn, APART), "is not from an actual-in to a formal-in"),
        (&|b| b.edge(n(9), n(5), EdgeKind::ParamOut, APART), "is not from a formal-out to an actual-out"),
        (&|b| b.edge(n(3), n(6), EdgeKind::Call, APART), "is not from a call to an entry"),
        (&|b| b.edge(n(1), n(5), EdgeKind::Summary, APART), "is not from an actual-in to an actual-out"),
        (&|b| b.edge(n(1), n(3), EdgeKind::Data, stays), "an end is in none"),
        (&|b| b.edge(n(3), n(7), EdgeKind::ParamIn, stays), "but not the loop"),
        (&|b| _ = b.node(NodeKind::Predicate(BlockId(0)), NOWHERE, None), "has two nodes"),
        (&|b| _ = b.node(NodeKind::ActualIn(SiteId(0), Formal::Varargs), NOWHERE, None), "not in the site's procedure"),
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
        b.edge(n(3), formal, EdgeKind::ParamIn, APART);
    });
    assert!(found.contains("does not call"), "{found}");
}

#[test]
fn the_verifier_compares_with_the_program() {
    // bb0 -> loop0 { bb1 <-> bb2 } -> bb3; v1 is a φ in bb1.
    let sample = counting();
    let l = Some(LoopId(0));
    let stays = LoopMove { stays: l, back: None };
    let round = LoopMove { stays: None, back: l };
    let check = |func: u32, kind: NodeKind, around: Option<LoopId>, to: (NodeKind, Option<LoopId>), moves: LoopMove| {
        let mut b = SdgBuilder::new();
        b.procedure(FuncId(func), NOWHERE);
        let (from, to) = (b.node(kind, NOWHERE, around), b.node(to.0, NOWHERE, to.1));
        b.edge(from, to, EdgeKind::Data, moves);
        verify::program(&b.sorted(), &sample.program)
    };
    let test = NodeKind::Predicate(BlockId(1));
    let phi = (NodeKind::Inst(ValueId(1)), l);
    let operand = |operand| NodeKind::PhiOperand { phi: ValueId(1), operand };
    for (kind, around, moves) in [(test, l, stays), (operand(1), l, round), (operand(0), None, APART)] {
        assert_eq!(check(0, kind, around, phi, moves), Ok(()));
    }
    let memory = NodeKind::MemoryPhi { block: BlockId(9), group: 0 };
    for (func, kind, around, to, moves, message) in [
        (1, test, l, phi, stays, "no f1"),
        (0, NodeKind::Inst(ValueId(99)), None, phi, APART, "no v99"),
        (0, NodeKind::Predicate(BlockId(0)), None, phi, APART, "does not end in a choice"),
        (0, NodeKind::Return(BlockId(1)), l, phi, APART, "does not end in a return"),
        (0, memory, None, phi, APART, "no bb9"),
        (0, operand(2), None, phi, APART, "no φ operand 2"),
        (0, test, None, phi, APART, "is not in the loop of bb1"),
        (0, test, Some(LoopId(1)), phi, APART, "no such loop"),
        (0, operand(0), None, phi, stays, "stays in a loop that is not around both"),
        (0, test, l, (NodeKind::Return(BlockId(3)), None), round, "goes round a loop that it does not end in"),
    ] {
        let found = check(func, kind, around, to, moves).expect_err("it is wrong");
        assert!(found.contains(message), "{found}, not {message}");
    }
}

#[test]
fn nodes_and_edges_are_small() {
    assert!(size_of::<Node>() <= 40, "{}", size_of::<Node>());
    assert_eq!(size_of::<Half>(), 8);
}
