//! The algorithms against their definitions, on random graphs.

mod control;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::{DepthFirst, Digraph, Dominators, IteratedFrontier, LoopForest};
use crate::base::id::Id;
use crate::define_id;

define_id!(/// A node.
    N, "n");

type Edges = Vec<(usize, usize)>;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..ProptestConfig::default() }
}

/// Random graphs: mostly what one root reaches, with parallel edges, self loops and nodes not reached.
fn graphs() -> impl Strategy<Value = (usize, Edges)> {
    (1usize..14).prop_flat_map(|n| {
        let edges = prop::collection::vec((0..n, 0..n), 0..3 * n);
        let spine = prop::bool::weighted(0.5);
        (edges, spine).prop_map(move |(mut edges, spine)| {
            if spine {
                edges.extend((1..n).map(|i| (i - 1, i)));
            }
            (n, edges)
        })
    })
}

fn digraph(n: usize, edges: &Edges) -> Digraph<N> {
    Digraph::new((0..n).map(|i| edges.iter().filter(move |e| e.0 == i).map(|e| N::new(e.1))))
}

/// What `from` reaches without the nodes of `removed`.
fn reach(n: usize, edges: &Edges, from: usize, removed: &[usize]) -> Vec<bool> {
    let mut seen = vec![false; n];
    if removed.contains(&from) {
        return seen;
    }
    seen[from] = true;
    loop {
        let new: Vec<usize> =
            edges.iter().filter(|e| seen[e.0] && !seen[e.1] && !removed.contains(&e.1)).map(|e| e.1).collect();
        if new.is_empty() {
            return seen;
        }
        for i in new {
            seen[i] = true;
        }
    }
}

fn dominators(graph: &Digraph<N>, root: N) -> Dominators<N> {
    Dominators::new(graph, &graph.reversed(), root)
}

/// The frontier by its definition.
fn frontier(n: usize, edges: &Edges, dom: &Dominators<N>, x: usize) -> Vec<usize> {
    let reached = reach(n, edges, 0, &[]);
    let mut found: Vec<usize> = edges
        .iter()
        .filter(|(p, z)| {
            let strictly = x != *z && dom.dominates(N::new(x), N::new(*z));
            reached[*p] && dom.dominates(N::new(x), N::new(*p)) && !strictly
        })
        .map(|e| e.1)
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A loop as the definition gives it: header, entries, depth, nodes.
type Naive = (N, Vec<N>, u32, Vec<N>);

/// Strongly connected components of `inside`, then of each without its header.
fn naive_loops(edges: &Edges, order: &[N], reached: &[bool], inside: &[usize], depth: u32, out: &mut Vec<Naive>) {
    let n = reached.len();
    let outside: Vec<usize> = (0..n).filter(|i| !inside.contains(i)).collect();
    let reaches: Vec<Vec<bool>> = (0..n)
        .map(|i| {
            // One step or more.
            let mut all = vec![false; n];
            for e in edges.iter().filter(|e| e.0 == i) {
                for (to, yes) in reach(n, edges, e.1, &outside).into_iter().enumerate() {
                    all[to] |= yes;
                }
            }
            all
        })
        .collect();
    let mut left: Vec<usize> = inside.to_vec();
    while let Some(&first) = left.first() {
        let component: Vec<usize> =
            inside.iter().copied().filter(|&i| reaches[first][i] && reaches[i][first]).collect();
        left.retain(|i| *i != first && !component.contains(i));
        let Some(header) = order.iter().copied().find(|o| component.contains(&o.index())) else { continue };
        let enters = |i: usize| edges.iter().any(|e| e.1 == i && reached[e.0] && !component.contains(&e.0));
        let others = component.iter().copied().filter(|i| *i != header.index() && enters(*i));
        let entries = std::iter::once(header).chain(others.map(N::new)).collect();
        out.push((header, entries, depth, component.iter().copied().map(N::new).collect()));
        let rest: Vec<usize> = component.into_iter().filter(|i| *i != header.index()).collect();
        naive_loops(edges, order, reached, &rest, depth + 1, out);
    }
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn reverse_postorder_lists_what_is_reached_and_respects_acyclic_edges((n, edges) in graphs()) {
        let graph = digraph(n, &edges);
        let order: Vec<N> = DepthFirst::new(&graph, [N(0)]).reverse_postorder().collect();
        let mut place = vec![None; n];
        for (i, node) in order.iter().enumerate() {
            prop_assert!(place[node.index()].replace(i).is_none());
        }
        let reached = reach(n, &edges, 0, &[]);
        for i in 0..n {
            prop_assert_eq!(place[i].is_some(), reached[i]);
        }
        for &(a, b) in &edges {
            if reached[a] && !reach(n, &edges, b, &[])[a] {
                prop_assert!(place[a] < place[b], "{} before {}", a, b);
            }
        }
    }

    #[test]
    fn dominators_are_the_nodes_that_cut((n, edges) in graphs()) {
        let graph = digraph(n, &edges);
        let dom = dominators(&graph, N(0));
        let reached = reach(n, &edges, 0, &[]);
        for a in 0..n {
            let without = reach(n, &edges, 0, &[a]);
            for b in 0..n {
                prop_assert_eq!(dom.dominates(N::new(a), N::new(b)), reached[b] && reached[a] && !without[b], "{} {}", a, b);
            }
        }
        for (i, node) in dom.preorder().iter().enumerate() {
            match dom.idom(*node) {
                None => prop_assert_eq!(*node, N(0)),
                Some(up) => {
                    prop_assert!(dom.children(up).contains(node));
                    prop_assert_eq!(dom.level(*node), dom.level(up) + 1);
                    prop_assert!(dom.preorder()[..i].contains(&up));
                }
            }
        }
        prop_assert_eq!(dom.preorder().len(), reached.iter().filter(|r| **r).count());
    }

    #[test]
    fn iterated_frontiers_are_closures_of_frontiers((n, edges) in graphs(), seeds in prop::collection::vec(0usize..14, 1..4)) {
        let graph = digraph(n, &edges);
        let dom = dominators(&graph, N(0));
        let reached = reach(n, &edges, 0, &[]);
        let seeds: Vec<usize> = seeds.into_iter().map(|s| s % n).filter(|s| reached[*s]).collect();
        let mut expected: Vec<usize> = Vec::new();
        let mut work = seeds.clone();
        while let Some(x) = work.pop() {
            for z in frontier(n, &edges, &dom, x) {
                if !expected.contains(&z) {
                    expected.push(z);
                    work.push(z);
                }
            }
        }
        expected.sort_unstable();
        let definitions: Vec<N> = seeds.iter().copied().map(N::new).collect();
        let mut queries = IteratedFrontier::new(&graph, &dom);
        for _ in 0..2 {
            let found: Vec<usize> = queries.of(&definitions, |_| true).iter().map(|z| z.index()).collect();
            prop_assert_eq!(&found, &expected);
        }
    }

    #[test]
    fn frontiers_of_a_live_variable_are_those_where_it_is_live(
        (n, edges) in graphs(),
        seeds in prop::collection::vec(0usize..14, 0..4),
        uses in prop::collection::vec(0usize..14, 0..4),
    ) {
        let graph = digraph(n, &edges);
        let dom = dominators(&graph, N(0));
        let reached = reach(n, &edges, 0, &[]);
        // Defined in the root too; a use is before the definitions of its node.
        let mut seeds: Vec<usize> = seeds.into_iter().map(|s| s % n).filter(|s| reached[*s]).collect();
        seeds.push(0);
        let uses: Vec<usize> = uses.into_iter().map(|s| s % n).collect();
        let turned: Edges = edges.iter().filter(|e| !seeds.contains(&e.0)).map(|e| (e.1, e.0)).collect();
        let live: Vec<bool> = (0..n).map(|i| uses.iter().any(|u| reach(n, &turned, *u, &[])[i])).collect();
        let definitions: Vec<N> = seeds.iter().copied().map(N::new).collect();
        let mut queries = IteratedFrontier::new(&graph, &dom);
        let all = queries.of(&definitions, |_| true);
        let pruned = queries.of(&definitions, |node| live[node.index()]);
        let expected: Vec<N> = all.into_iter().filter(|node| live[node.index()]).collect();
        prop_assert_eq!(pruned, expected);
    }

    #[test]
    fn loops_are_components_without_their_headers((n, edges) in graphs(), rooted in any::<bool>()) {
        let graph = digraph(n, &edges);
        let roots: Vec<N> = if rooted { vec![N(0)] } else { graph.nodes().collect() };
        let reached = if rooted { reach(n, &edges, 0, &[]) } else { vec![true; n] };
        let forest = LoopForest::new(&graph, &graph.reversed(), roots.iter().copied());
        let order: Vec<N> = DepthFirst::new(&graph, roots).reverse_postorder().collect();
        let inside: Vec<usize> = (0..n).filter(|i| reached[*i]).collect();
        let mut expected = Vec::new();
        naive_loops(&edges, &order, &reached, &inside, 1, &mut expected);
        let mut found: Vec<Naive> =
            forest.loops.iter().map(|l| (l.header, l.entries.clone(), l.depth, l.nodes.clone())).collect();
        expected.sort();
        found.sort();
        prop_assert_eq!(found, expected);
        for (id, l) in forest.loops.enumerate() {
            if let Some(parent) = l.parent {
                prop_assert!(parent < id);
                prop_assert_eq!(forest.loops[parent].depth + 1, l.depth);
                prop_assert!(l.nodes.iter().all(|node| forest.loops[parent].nodes.contains(node)));
            }
            for node in graph.nodes() {
                prop_assert_eq!(forest.contains(id, node), l.nodes.contains(&node));
                prop_assert_eq!(forest.around(node).any(|a| a == id), l.nodes.contains(&node));
            }
        }
        for node in graph.nodes() {
            let deepest = forest.loops.enumerate().filter(|(_, l)| l.nodes.contains(&node)).max_by_key(|(_, l)| l.depth);
            prop_assert_eq!(forest.innermost(node), deepest.map(|(id, _)| id));
        }
    }
}

/// A long chain whose every node goes on or to one common end, in a big loop: deep trees, one node with 100,000 predecessors.
#[test]
fn large_graphs_take_neither_stack_nor_time() {
    let n = 100_000;
    let graph: Digraph<N> = Digraph::new((0..n).map(|i| {
        let mut list = vec![N::new((i + 1).min(n - 1)), N::new(n - 1)];
        if i == n - 2 {
            list.push(N::new(1));
        }
        list
    }));
    let predecessors = graph.reversed();
    let dom = Dominators::new(&graph, &predecessors, N(0));
    assert_eq!(dom.idom(N::new(n - 1)), Some(N(0)));
    assert_eq!(dom.level(N::new(n - 2)), n as u32 - 2);
    let loops = LoopForest::new(&graph, &predecessors, [N(0)]);
    assert_eq!(loops.loops.len(), 2);
    assert_eq!(loops.loops.iter().map(|l| l.nodes.len()).collect::<Vec<_>>(), [n - 2, 1]);
    assert_eq!(IteratedFrontier::new(&graph, &dom).of(&[N(5)], |_| true), [N(1), N::new(n - 1)]);
}

proptest! {
    #![proptest_config(config(2000))]
    #[test]
    fn components_are_what_reaches_each_other((n, edges) in graphs()) {
        let graph = digraph(n, &edges);
        let components = super::Components::new(&graph);
        let reached: Vec<Vec<bool>> = (0..n).map(|i| reach(n, &edges, i, &[])).collect();
        for (a, b) in (0..n).flat_map(|a| (0..n).map(move |b| (a, b))) {
            let together = components.of(N::new(a)) == components.of(N::new(b));
            prop_assert_eq!(together, reached[a][b] && reached[b][a]);
            prop_assert!(!reached[a][b] || components.of(N::new(b)) <= components.of(N::new(a)));
        }
        let mut all: Vec<N> = (0..components.len()).flat_map(|c| components.members(c)).copied().collect();
        prop_assert_eq!(components.members_in_order(), &all[..]);
        prop_assert!(all.iter().all(|node| components.members(components.of(*node)).contains(node)));
        all.sort();
        prop_assert_eq!(all, graph.nodes().collect::<Vec<_>>());
    }
}
