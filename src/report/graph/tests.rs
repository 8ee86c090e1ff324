//! Tests of the graphs and their formats.

use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::ir::sample::{Sample, counting, int};
use crate::ir::*;
use crate::source::Place;

fn locate(place: Place) -> Location {
    Location { file: PathBuf::from("a<b>.c"), line: place.start, column: 3, end_line: place.start, end_column: 8 }
}

/// A graph of these edges.
fn graph_of(nodes: usize, edges: &[(usize, usize)], label: &str) -> Graph {
    let mut graph = Graph::new("test");
    for i in 0..nodes {
        let label = format!("node {i}");
        graph.nodes.push(Node { kind: NodeKind::Block, label, cluster: None, place: None });
    }
    for &(from, to) in edges {
        let (from, to) = (NodeId(from as u32), NodeId(to as u32));
        graph.edges.push(Edge { from, to, kind: EdgeKind::Jump, label: label.into(), carried: false, place: None });
    }
    graph
}

/// Checks that tags are balanced, quotes closed and entities known; returns all text between tags.
fn xml_text(xml: &str) -> Result<Vec<String>, String> {
    let mut open: Vec<String> = Vec::new();
    let mut texts = Vec::new();
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        if !text.trim().is_empty() {
            texts.push(unescape(text)?);
        }
        let tag = &rest[start + 1..];
        let mut quoted = false;
        let end = tag
            .char_indices()
            .find(|(_, c)| {
                quoted ^= *c == '"';
                *c == '>' && !quoted
            })
            .map(|(i, _)| i)
            .ok_or("a tag is not closed")?;
        let inside = &tag[..end];
        if inside.contains('<') {
            return Err(format!("< inside a tag: {inside}"));
        }
        for value in inside.split('"').skip(1).step_by(2) {
            unescape(value)?;
        }
        let name: String = inside.trim_start_matches('/').chars().take_while(|c| c.is_alphanumeric()).collect();
        if inside.starts_with('/') {
            if open.pop().as_deref() != Some(name.as_str()) {
                return Err(format!("</{name}> closes another tag"));
            }
        } else if !inside.ends_with('/') && !inside.starts_with('?') {
            open.push(name);
        }
        rest = &tag[end + 1..];
    }
    if open.is_empty() && rest.trim().is_empty() { Ok(texts) } else { Err(format!("{open:?} open, then {rest:?}")) }
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let end = rest[at..].find(';').ok_or("& without ;")? + at;
        out.push(match &rest[at..=end] {
            "&amp;" => '&',
            "&lt;" => '<',
            "&gt;" => '>',
            "&quot;" => '"',
            other => return Err(format!("unknown entity {other}")),
        });
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    match out.chars().find(|c| c.is_control() && *c != '\n') {
        Some(c) => Err(format!("{c:?} is no character of XML")),
        None => Ok(out),
    }
}

/// The statements of a dot file, with its strings taken out and unescaped.
fn dot_strings(dot: &str) -> Result<Vec<String>, String> {
    let mut strings = Vec::new();
    let mut depth = 0;
    let mut chars = dot.chars();
    while let Some(c) = chars.next() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            '"' => {
                let mut string = String::new();
                loop {
                    match chars.next().ok_or("a string is not closed")? {
                        '"' => break,
                        '\\' => match chars.next().ok_or("a string is not closed")? {
                            'l' | 'n' => string.push('\n'),
                            c @ ('"' | '\\') => string.push(c),
                            other => return Err(format!("unknown escape {other:?}")),
                        },
                        '\n' => return Err("a line ends inside a string".into()),
                        c => string.push(c),
                    }
                }
                strings.push(string);
            }
            _ => {}
        }
        if depth < 0 {
            return Err("too many closing brackets".into());
        }
    }
    if depth == 0 { Ok(strings) } else { Err("brackets are not balanced".into()) }
}

#[test]
fn the_cfg_of_a_loop() {
    let program = counting().program;
    let graph = cfg(&program, &[FuncId(0)], &locate);
    assert_eq!(graph.clusters[ClusterId(0)].label, "int @sum(int)");
    let kinds: Vec<NodeKind> = graph.nodes.iter().map(|n| n.kind).collect();
    assert_eq!(kinds, [NodeKind::Entry, NodeKind::Block, NodeKind::Block, NodeKind::Exit]);
    let edges: Vec<(u32, u32, &str)> = graph.edges.iter().map(|e| (e.from.0, e.to.0, e.label.as_str())).collect();
    assert_eq!(edges, [(0, 1, ""), (1, 2, "true"), (1, 3, "false"), (2, 1, "")]);
    assert!(graph.nodes[NodeId(2)].label.contains("add v1, 1"));
    assert_eq!(graph.nodes[NodeId(3)].place.as_ref().map(|p| p.line), Some(120));
}

#[test]
fn cases_with_one_target_are_one_edge() {
    let mut sample = Sample::new(0);
    let ty = sample.function_type(Types::VOID, &[]);
    let f = sample.declare("f", ty, Linkage::External);
    let mut body = sample.body(f);
    let (x, y) = (body.block(), body.block());
    let case = |low, high, target| Case { low, high, target };
    let cases = vec![case(1, 1, x), case(3, 5, y), case(7, 7, x)];
    body.end(Terminator::Switch { value: int(0), cases, default: y });
    body.finish();
    let graph = cfg(&sample.program, &[f], &locate);
    let labels: Vec<&str> = graph.edges.iter().map(|e| e.label.as_str()).collect();
    assert_eq!(labels, ["1, 7", "3..5, default"]);
}

/// `main` calls `work` twice and something through a pointer; `handler` and `other` have their address taken.
fn calls() -> (Sample, [FuncId; 5]) {
    let mut s = Sample::new(0);
    let plain = s.function_type(Types::INT, &[]);
    let callback = s.function_type(Types::VOID, &[Types::INT]);
    let work = s.declare("work", plain, Linkage::External);
    let handler = s.declare("handler", callback, Linkage::External);
    s.define(handler, &[], &[]);
    let other = s.declare("other", plain, Linkage::External);
    let unused = s.declare("unused", callback, Linkage::External);
    s.define(unused, &[work], &[]);
    let pointer = s.pointer(callback);
    let address = |f| InitItem::Address { target: InitTarget::Function(f), addend: 0 };
    let init = Initializer { items: vec![(0, address(handler)), (8, address(other))] };
    let g = s.global("table", pointer, Linkage::Internal, GlobalDef::Defined(init));
    let main = s.declare("main", plain, Linkage::External);
    let mut b = s.body(main);
    for _ in 0..2 {
        b.inst(InstKind::Call { callee: Callee::Direct(work), args: vec![] }, Types::INT);
    }
    let p = b.load(Operand::Global(g), pointer);
    b.inst(InstKind::Call { callee: Callee::Indirect(Operand::Value(p)), args: vec![int(1)] }, Types::VOID);
    b.end(Terminator::Return(Some(int(0))));
    b.finish();
    (s, [work, handler, other, unused, main])
}

#[test]
fn the_call_graph() {
    let (s, [_, _, _, _, main]) = calls();
    let named = |graph: &Graph| {
        let name = |n: NodeId| graph.nodes[n].label.replace('\n', " ");
        let edges = graph.edges.iter();
        edges.map(|e| (name(e.from), name(e.to), e.kind, e.label.clone())).collect::<Vec<_>>()
    };
    let edge = |a: &str, b: &str, kind, label: &str| (a.to_string(), b.to_string(), kind, label.to_string());
    let whole = callgraph(&s.program, None, &locate);
    // `other` has another type, `unused` no address that is used.
    assert_eq!(
        named(&whole),
        [
            edge("unused", "work", EdgeKind::Call, ""),
            edge("main", "work", EdgeKind::Call, "2 calls"),
            edge("main", "indirect void (int)", EdgeKind::IndirectCall, ""),
            edge("indirect void (int)", "handler", EdgeKind::Candidate, ""),
        ]
    );
    assert_eq!(whole.nodes.iter().filter(|n| n.kind == NodeKind::External).count(), 2);
    let below = callgraph(&s.program, Some(&[main]), &locate);
    let labels: Vec<&str> = below.nodes.iter().map(|n| n.label.as_str()).collect();
    assert_eq!(labels, ["work", "handler", "main", "indirect\nvoid (int)"]);
}

fn odd_label() -> Graph {
    let mut graph = graph_of(2, &[(0, 1)], "if (a < b && c > \"d\\n\")");
    graph.nodes[NodeId(0)].label = "puts(\"a\\n\\\"\") < 'x' & \u{1}\u{7f}\nsecond {line} [x]".into();
    graph.nodes[NodeId(1)].label = String::new();
    graph.nodes[NodeId(0)].place = Some(locate(Place { unit: crate::source::UnitId(0), start: 4, end: 5 }));
    graph.nodes[NodeId(0)].cluster = Some(graph.clusters.push(Cluster { label: "<&\"f\">".into() }));
    graph
}

#[test]
fn dot_is_well_formed_and_escaped() {
    let strings = dot_strings(&dot(&odd_label())).expect("well-formed");
    assert!(strings.contains(&"puts(\"a\\n\\\"\") < 'x' &   \nsecond {line} [x]\n".to_string()), "{strings:?}");
    assert!(strings.contains(&"if (a < b && c > \"d\\n\")".to_string()));
    assert!(strings.contains(&"<&\"f\">".to_string()));
    let (s, _) = calls();
    let text = dot(&callgraph(&s.program, None, &locate));
    dot_strings(&text).expect("well-formed");
    assert_eq!(text.matches("style=dashed").count(), 2);
    assert_eq!(text.matches(" -> ").count(), 4);
    let text = dot(&cfg(&counting().program, &[FuncId(0)], &locate));
    assert_eq!(text.matches("subgraph").count(), 1);
    dot_strings(&text).expect("well-formed");
}

#[test]
fn json_names_everything() {
    let value = json(&odd_label());
    let again: serde_json::Value = serde_json::from_str(&value.to_string()).expect("valid");
    assert_eq!(value, again);
    assert_eq!(value["nodes"][0]["id"], "n0");
    assert_eq!(value["nodes"][0]["place"]["file"], "a<b>.c");
    assert_eq!(value["nodes"][0]["cluster"], "c0");
    assert_eq!(value["edges"][0]["from"], "n0");
    assert_eq!(value["edges"][0]["kind"], "jump");
    assert_eq!(value["nodes"][1]["place"], serde_json::Value::Null);
}

#[test]
fn edges_are_drawn_by_their_kind() {
    let drawn = |kind: EdgeKind, carried: bool| {
        let mut graph = graph_of(2, &[(0, 1)], "");
        graph.edges[0].kind = kind;
        graph.edges[0].carried = carried;
        let dot = dot(&graph);
        let line = dot.lines().find(|line| line.contains("->")).expect("an edge").trim().to_owned();
        (line, svg(&graph).expect("small"), json(&graph)["edges"][0]["carried"].clone())
    };
    let (jump, plain, _) = drawn(EdgeKind::Jump, false);
    assert_eq!(jump, "n0 -> n1;");
    assert!(!plain.contains("stroke-dasharray"));
    let (control, bold, _) = drawn(EdgeKind::Control, false);
    assert_eq!(control, "n0 -> n1 [style=bold];");
    assert!(bold.contains("stroke-width=\"2\""));
    let (data, dashed, carried) = drawn(EdgeKind::Data, true);
    assert!(data.contains("style=dashed") && data.contains("color="), "{data}");
    assert!(dashed.contains("stroke-dasharray=\"5,4\"") && carried == true);
    let (summary, dotted, _) = drawn(EdgeKind::Summary, false);
    assert!(summary.contains("style=dotted") && dotted.contains("stroke-dasharray=\"1,3\""), "{summary}");
}

#[test]
fn svg_is_well_formed_and_escaped() {
    let texts = xml_text(&svg(&odd_label()).expect("small")).expect("well-formed");
    for expected in ["puts(\"a\\n\\\"\") < 'x' &   ", "second {line} [x]", "<&\"f\">", "a<b>.c:4"] {
        assert!(texts.iter().any(|t| t == expected), "{expected:?} is not in {texts:?}");
    }
    assert!(texts.iter().any(|t| t == "if (a < b && c > \"d\\n\")"));
    let all = xml_text(&svg(&cfg(&counting().program, &[FuncId(0)], &locate)).expect("small")).expect("well-formed");
    assert!(all.iter().any(|t| t == "branch v2, bb2, bb3") && all.iter().any(|t| t == "true"));
}

#[test]
fn svg_of_odd_graphs() {
    for (nodes, edges) in [
        (0, vec![]),
        (1, vec![]),
        (1, vec![(0, 0)]),
        (1, vec![(0, 0), (0, 0)]),
        (2, vec![(0, 1), (1, 0)]),
        (2, vec![(0, 1), (0, 1), (1, 1)]),
        (3, vec![(0, 1), (1, 2), (2, 0)]),
        (3, vec![(2, 1), (1, 0), (0, 2), (1, 1)]),
        (5, vec![(3, 3)]),
    ] {
        for label in ["", "x"] {
            let drawn = svg(&graph_of(nodes, &edges, label)).expect("small");
            let texts = xml_text(&drawn).expect("well-formed");
            assert_eq!(texts.iter().filter(|t| t.starts_with("node ")).count(), nodes);
        }
    }
}

#[test]
fn a_long_row_of_ifs_is_drawn() {
    // A path for every subset of the ifs: a layout that follows each would not end.
    let edges: Vec<(usize, usize)> = (0..60)
        .flat_map(|i| [(3 * i, 3 * i + 1), (3 * i, 3 * i + 2), (3 * i + 1, 3 * i + 3), (3 * i + 2, 3 * i + 3)])
        .collect();
    let drawn = svg(&graph_of(181, &edges, "")).expect("drawn");
    assert!(drawn.trim_end().ends_with("</svg>"));
}

#[test]
fn svg_of_a_large_graph_is_refused() {
    let edges: Vec<(usize, usize)> = (0..19_999).map(|i| (i, i + 1)).collect();
    let graph = graph_of(20_000, &edges, "");
    let error = svg(&graph).map(|_| ()).expect_err("too large");
    assert!(error.to_string().contains("too large to draw (20000 nodes"));
    assert!(format!("{error:?}").contains("--format dot"));
    dot_strings(&dot(&graph)).expect("dot has no limit");
}

#[test]
fn svg_draws_both_ways_between_two_blocks() {
    let mut graph = graph_of(2, &[(0, 1), (1, 0)], "");
    graph.edges[0].label = "true".into();
    let drawn = svg(&graph).expect("small");
    assert_eq!(drawn.matches("marker-start=").count(), 1);
    assert_eq!(drawn.matches("marker-end=").count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn svg_of_any_graph(
        nodes in 1usize..60,
        raw in prop::collection::vec((0usize..60, 0usize..60, prop::bool::ANY), 0..150),
    ) {
        let mut graph = graph_of(nodes, &[], "");
        for (from, to, labelled) in raw {
            let label = if labelled { "some label".to_string() } else { String::new() };
            let id = |i: usize| NodeId((i % nodes) as u32);
            graph.edges.push(Edge { from: id(from), to: id(to), kind: EdgeKind::Call, label, carried: false, place: None });
        }
        let drawn = svg(&graph).expect("small");
        prop_assert!(xml_text(&drawn).is_ok());
    }
}
