//! Control dependence against its definitions by paths, and against runs.

use proptest::prelude::*;

use super::{Edges, N, config, digraph, reach};
use crate::base::graph::{Dependences, DepthFirst, Digraph, PostDominance, inevitable, strong_dependences};
use crate::base::id::Id;

/// Small graphs, dense enough for all kinds of cycles; node 0 is the root.
fn small() -> impl Strategy<Value = (usize, Edges)> {
    (1usize..9).prop_flat_map(|n| {
        (prop::collection::vec((0..n, 0..n), 0..2 * n + 2), prop::bool::weighted(0.6)).prop_map(
            move |(mut edges, spine)| {
                if spine {
                    edges.extend((1..n).map(|i| (i - 1, i)));
                }
                (n, edges)
            },
        )
    })
}

fn targets(edges: &Edges, node: usize) -> Vec<usize> {
    edges.iter().filter(|e| e.0 == node).map(|e| e.1).collect()
}

/// What `from` reaches by one step or more.
fn reach_later(n: usize, edges: &Edges, from: usize) -> Vec<bool> {
    let mut all = vec![false; n];
    for to in targets(edges, from) {
        for (i, yes) in reach(n, edges, to, &[]).into_iter().enumerate() {
            all[i] |= yes;
        }
    }
    all
}

/// The graph with an end (node `n`) and never-taken ways to it, told as edges: of each component without way out, the header `h` becomes
/// a node `n + 1 + i` that leads to `h` and to the end.
fn with_end(n: usize, edges: &Edges) -> (usize, Edges, Vec<usize>) {
    let rank: Vec<usize> = {
        let search = DepthFirst::new(&digraph(n, edges), (0..n).map(N::new));
        let order: Vec<N> = search.reverse_postorder().collect();
        (0..n).map(|i| order.iter().position(|o| o.index() == i).expect("all are reached")).collect()
    };
    let mut heads: Vec<usize> = Vec::new();
    for i in 0..n {
        let around = reach_later(n, edges, i);
        let closed = around[i] && (0..n).all(|j| !around[j] || reach_later(n, edges, j)[i]);
        if closed && (0..n).all(|j| !around[j] || rank[i] <= rank[j]) {
            heads.push(i);
        }
    }
    let put = |node: usize| heads.iter().position(|h| *h == node).map_or(node, |i| n + 1 + i);
    let mut all: Edges = edges.iter().map(|(a, b)| (*a, put(*b))).collect();
    all.extend((0..n).filter(|i| targets(edges, *i).is_empty()).map(|i| (i, n)));
    for (i, head) in heads.iter().enumerate() {
        all.extend([(n + 1 + i, *head), (n + 1 + i, n)]);
    }
    (n + 1 + heads.len(), all, heads)
}

fn list(found: &Dependences<N>, node: usize) -> Vec<(usize, u32)> {
    found.of(N::new(node)).iter().map(|(on, i)| (on.index(), *i)).collect()
}

/// Whether a maximal way from `from` avoids `node`: without it, an end or a cycle is reached.
fn avoids(n: usize, edges: &Edges, from: usize, node: usize) -> bool {
    if from == node {
        return false;
    }
    let left: Edges = edges.iter().copied().filter(|e| e.0 != node && e.1 != node).collect();
    let reached = reach(n, &left, from, &[]);
    (0..n).any(|i| reached[i] && (targets(edges, i).is_empty() || reach_later(n, &left, i)[i]))
}

/// All nodes that a node of `seeds` depends on, at any distance, and the seeds.
fn closure(n: usize, seeds: &[usize], relations: &[&Dependences<N>]) -> Vec<bool> {
    let mut inside = vec![false; n];
    let mut work = seeds.to_vec();
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut inside[node], true) {
            work.extend(relations.iter().flat_map(|r| r.of(N::new(node)).iter().map(|d| d.0.index())));
        }
    }
    inside
}

/// What a run shows of the nodes in `watched`.
struct Seen {
    nodes: Vec<usize>,
    /// It came to an end.
    ended: bool,
    /// It goes on for ever, and shows more nodes again and again.
    endless: bool,
}

/// Runs a graph: at its visits a node takes the branches that `plans` names for it, in turn.
fn run(n: usize, edges: &Edges, plans: &[[usize; 2]], watched: &[bool]) -> Seen {
    let mut visits = vec![0usize; n];
    let (mut at, mut nodes) = (0, Vec::new());
    let mut states: Vec<(usize, Vec<usize>, usize)> = Vec::new();
    loop {
        let state = (at, visits.clone(), nodes.len());
        if let Some(before) = states.iter().find(|s| s.0 == state.0 && s.1 == state.1) {
            return Seen { ended: false, endless: before.2 < nodes.len(), nodes };
        }
        states.push(state);
        if watched[at] {
            nodes.push(at);
        }
        let branches = targets(edges, at);
        if branches.is_empty() {
            return Seen { nodes, ended: true, endless: false };
        }
        let plan = plans[at][visits[at]];
        visits[at] = (visits[at] + 1) % 2;
        at = branches[plan % branches.len()];
    }
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn weak_dependences_are_those_of_the_definition((n, edges) in small()) {
        let post = PostDominance::new(&digraph(n, &edges), N(0));
        let found = post.dependences();
        let (all, ways, heads) = with_end(n, &edges);
        // Every way from `b` to the end goes through `a`.
        let cuts = |a: usize, b: usize| a == b || !reach(all, &ways, b, &[a])[n];
        let put = |node: usize| heads.iter().position(|h| *h == node).map_or(node, |i| n + 1 + i);
        let direct = |node: usize| -> Vec<(usize, u32)> {
            let mut list = Vec::new();
            for p in (0..all).filter(|p| *p != n) {
                let branches = targets(&ways, p);
                for (i, s) in branches.iter().enumerate().filter(|_| branches.len() > 1) {
                    if cuts(node, *s) && !(node != p && cuts(node, p)) {
                        list.push((p, i as u32));
                    }
                }
            }
            list
        };
        for node in 0..n {
            let mut expected = Vec::new();
            for (p, i) in direct(node) {
                if p > n {
                    expected.extend(direct(p).into_iter().filter(|d| d.0 < n));
                } else {
                    expected.push((p, i));
                }
            }
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(list(&found, node), expected, "{} in {:?}", node, &edges);
            for other in 0..n {
                prop_assert_eq!(post.post_dominates(N::new(node), N::new(other)), cuts(put(node), put(other)));
            }
        }
    }

    #[test]
    fn strong_dependences_are_those_of_the_definition((n, edges) in small()) {
        let graph = digraph(n, &edges);
        let found = strong_dependences(&graph);
        for node in 0..n {
            let mut expected = Vec::new();
            for p in 0..n {
                let sure: Vec<bool> = targets(&edges, p).iter().map(|s| !avoids(n, &edges, *s, node)).collect();
                if sure.contains(&true) && sure.contains(&false) {
                    expected.extend((0..sure.len()).filter(|i| sure[*i]).map(|i| (p, i as u32)));
                }
            }
            prop_assert_eq!(list(&found, node), expected, "{} in {:?}", node, &edges);
            let met = inevitable(&graph, [N::new(node)]);
            for from in 0..n {
                prop_assert_eq!(met[from], !avoids(n, &edges, from, node));
            }
        }
    }
}

proptest! {
    #![proptest_config(config(20_000))]

    /// Two runs decide alike at the nodes that the watched ones depend on, and as they like at all others.
    #[test]
    fn decisions_elsewhere_are_not_seen(
        (n, edges) in small(),
        seeds in prop::collection::vec(0usize..8, 1..3),
        one in prop::collection::vec([0usize..4, 0usize..4], 8),
        other in prop::collection::vec([0usize..4, 0usize..4], 8),
    ) {
        let graph = digraph(n, &edges);
        let seeds: Vec<usize> = seeds.into_iter().map(|s| s % n).collect();
        let weak = PostDominance::new(&graph, N(0)).dependences();
        let strong = strong_dependences(&graph);
        for (relations, sensitive) in [(&[&weak][..], false), (&[&weak, &strong][..], true)] {
            let watched = closure(n, &seeds, relations);
            let mixed: Vec<[usize; 2]> = (0..n).map(|i| if watched[i] { one[i] } else { other[i] }).collect();
            let (a, b) = (run(n, &edges, &one, &watched), run(n, &edges, &mixed, &watched));
            let common = a.nodes.len().min(b.nodes.len());
            prop_assert_eq!(&a.nodes[..common], &b.nodes[..common], "the order, of {:?} in {:?}", &seeds, &edges);
            if a.ended && b.ended {
                prop_assert_eq!(a.nodes.len(), b.nodes.len(), "ended, of {:?} in {:?}", &seeds, &edges);
            }
            if sensitive {
                prop_assert_eq!(a.endless, b.endless, "endless, of {:?} in {:?}", &seeds, &edges);
                if !a.endless {
                    prop_assert_eq!(a.nodes.len(), b.nodes.len(), "strong, of {:?} in {:?}", &seeds, &edges);
                }
            }
        }
    }
}

/// The header's own branch does not decide over what follows it in an endless loop: `for (;;) { if (c) a(); b(); }`
#[test]
fn an_endless_loop_does_not_hang_on_its_first_branch() {
    // 0 enters or not; 1 is the header and the `if`, 2 `a`, 3 `b`.
    let graph: Digraph<N> = Digraph::new([vec![N(1), N(4)], vec![N(2), N(3)], vec![N(3)], vec![N(1)], vec![]]);
    let found = PostDominance::new(&graph, N(0)).dependences();
    assert_eq!(list(&found, 1), [(0, 0)]);
    assert_eq!(list(&found, 2), [(1, 0)]);
    assert_eq!(list(&found, 3), [(0, 0)]);
    assert_eq!(list(&found, 4), [(0, 1)]);
}

/// A long chain whose every node goes on or to one common end: the result is linear, and found in that time.
#[test]
fn large_graphs_take_little() {
    let n = 100_000;
    let graph: Digraph<N> =
        Digraph::new((0..n).map(|i| if i == n - 1 { vec![] } else { vec![N::new(i + 1), N::new(n - 1)] }));
    let found = PostDominance::new(&graph, N(0)).dependences();
    assert_eq!(list(&found, 5), [(4, 0)]);
    assert_eq!(list(&found, n - 1), []);
    let found = strong_dependences(&graph);
    assert_eq!(list(&found, 5), [(4, 0)]);
}
