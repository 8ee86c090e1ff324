//! The figures of the paper, and the decomposition against its definition.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::{IntervalKind, Intervals, decompose};
use crate::base::graph::Digraph;
use crate::base::id::Id;
use crate::define_id;

define_id!(/// A node.
    N, "n");

/// A graph from edges between letters, such as `"XA AB"`.
fn letters(edges: &str) -> (Digraph<N>, String) {
    let mut names: Vec<char> = edges.chars().filter(|c| *c != ' ').collect();
    names.sort_unstable();
    names.dedup();
    let number = |c: char| N::new(names.iter().position(|n| *n == c).expect("a name"));
    let graph = Digraph::new(names.iter().map(|from| {
        edges.split(' ').filter(|e| e.starts_with(*from)).map(|e| number(e.chars().nth(1).expect("two ends")))
    }));
    (graph, names.iter().collect())
}

/// The nesting as text: reducible intervals in round brackets, irreducible ones in square ones, letters in alphabetical order.
fn nesting(edges: &str, root: char) -> String {
    let (graph, names) = letters(edges);
    let root = N::new(names.find(root).expect("a root"));
    let found = decompose(&graph, &[root]);
    let text = |nodes: &[N]| nodes.iter().map(|n| names.as_bytes()[n.index()] as char).collect::<String>();
    let mut lines = Vec::new();
    for (id, interval) in found.all.enumerate() {
        let mut nodes = found.nodes(id).to_vec();
        nodes.sort_unstable();
        let kind = match interval.kind {
            IntervalKind::Reducible => "reducible",
            IntervalKind::Irreducible => "irreducible",
        };
        let entries = text(&interval.entries);
        let exits = text(&interval.exits);
        lines.push(format!("{} {kind} {} in at {entries} out at {exits}", interval.depth, text(&nodes)));
    }
    lines.join("; ")
}

/// Figure 4 (right): the paths XABY, XABCDEY, XCDEY, XCDABY and XCDEBY, and no other.
const FIGURE_4: &str = "XA AB BY BC CD DE EY XC DA EB";
/// Figure 5, as section 4.4 describes it.
const FIGURE_5: &str = "SA AB AC BD CD CE DG GD DF EF FH GH HC HA HZ";

#[test]
fn figure_4_is_one_irreducible_component_with_two_entries() {
    assert_eq!(nesting(FIGURE_4, 'X'), "1 irreducible ABCDE in at AC out at BE");
}

#[test]
fn figure_5_nests_as_the_paper_draws_it() {
    let expected = "1 reducible ABCDEFGH in at A out at H; \
                    2 irreducible CDEFGH in at CD out at H; \
                    3 reducible DG in at D out at DG";
    assert_eq!(nesting(FIGURE_5, 'S'), expected);
    let (graph, _) = letters(FIGURE_5);
    let statistics = decompose(&graph, &[N(8)]).statistics();
    assert_eq!((statistics.outer_reducible, statistics.outer_irreducible), (1, 0));
    assert_eq!((statistics.reducible, statistics.irreducible, statistics.nesting_depth), (2, 1, 3));
    assert_eq!((statistics.reducible_nodes, statistics.reducible_edges), (8, 13));
    assert_eq!((statistics.irreducible_nodes, statistics.irreducible_edges), (6, 9));
    assert_eq!((statistics.cyclic_nodes, statistics.nodes, statistics.edges), (8, 10, 15));
    // S, A, C, E; D, F and H hang on A.
    assert_eq!(statistics.dominator_depth, 4);
}

#[test]
fn loops_inside_loops_are_reducible() {
    let found = nesting("RA AB BC CB CA AD DD", 'R');
    assert_eq!(
        found,
        "1 reducible ABC in at A out at A; 2 reducible BC in at B out at C; 1 reducible D in at D out at "
    );
}

#[test]
fn a_deep_nest_takes_no_stack() {
    let n = 2000;
    let graph: Digraph<N> = Digraph::new((0..n).map(|i| {
        let next = (i + 1 < n).then(|| N::new(i + 1));
        // The last `k` nodes close the loops of the first `k`.
        let back = (i >= n / 2).then(|| N::new(n - 1 - i));
        next.into_iter().chain(back)
    }));
    let found = decompose(&graph, &[N(0)]);
    assert_eq!(found.all.len(), n / 2);
    assert_eq!(found.statistics().nesting_depth, n as u32 / 2);
}

type Edges = Vec<(usize, usize)>;

fn graphs() -> impl Strategy<Value = (usize, Edges, Vec<usize>)> {
    (1usize..12).prop_flat_map(|n| {
        let edges = prop::collection::vec((0..n, 0..n), 0..3 * n);
        (Just(n), edges, prop::collection::vec(0..n, 1..3))
    })
}

fn reach(edges: &Edges, from: &[usize], inside: impl Fn(usize) -> bool) -> Vec<usize> {
    let mut seen: Vec<usize> = from.iter().copied().filter(|n| inside(*n)).collect();
    let mut at = 0;
    while at < seen.len() {
        let here = seen[at];
        for e in edges.iter().filter(|e| e.0 == here && inside(e.1)) {
            if !seen.contains(&e.1) {
                seen.push(e.1);
            }
        }
        at += 1;
    }
    seen
}

/// Interval by its definition: depth, headers, nodes.
type Naive = (u32, Vec<usize>, Vec<usize>);

/// Sreedhar, Gao and Lee's definition: components, headers by dominance, then the regions of the headers.
fn naive(n: usize, edges: &Edges, roots: &[usize], inside: &[usize], depth: u32, out: &mut Vec<Naive>) {
    let dominates = |a: usize, b: usize| !reach(edges, roots, |x| x != a).contains(&b);
    let level = |b: usize| (0..n).filter(|a| dominates(*a, b)).count();
    let mut left: Vec<usize> = inside.to_vec();
    while let Some(&first) = left.first() {
        let within = |x: usize| inside.contains(&x);
        let after = |x: usize| {
            let next: Vec<usize> = edges.iter().filter(|e| e.0 == x).map(|e| e.1).collect();
            reach(edges, &next, within)
        };
        let from_first = after(first);
        let component: Vec<usize> =
            inside.iter().copied().filter(|x| from_first.contains(x) && after(*x).contains(&first)).collect();
        left.retain(|x| *x != first && !component.contains(x));
        if component.is_empty() {
            continue;
        }
        let least = component.iter().map(|x| level(*x)).min().expect("not empty");
        let headers: Vec<usize> = component.iter().copied().filter(|x| level(*x) == least).collect();
        out.push((depth, headers.clone(), component.clone()));
        if headers.len() == 1 {
            let rest: Vec<usize> = component.iter().copied().filter(|x| *x != headers[0]).collect();
            naive(n, edges, roots, &rest, depth + 1, out);
        } else {
            for h in headers {
                let region: Vec<usize> = component.iter().copied().filter(|x| dominates(h, *x)).collect();
                naive(n, edges, roots, &region, depth + 1, out);
            }
        }
    }
}

fn check_order(found: &Intervals<N>, edges: &Edges) -> Result<(), TestCaseError> {
    let places = found.places();
    for &(a, b) in edges {
        if places[b] <= places[a] {
            let back = found.around(N::new(a)).any(|i| {
                found.all[i].headers.contains(&N::new(b)) && found.all[i].span.contains(&(places[b] as usize))
            });
            prop_assert!(back, "{} -> {} leads back, but not to a header", a, b);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, rng_seed: RngSeed::Fixed(5), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn intervals_are_what_the_definition_says((n, edges, roots) in graphs()) {
        let graph = Digraph::new((0..n).map(|i| edges.iter().filter(move |e| e.0 == i).map(|e| N::new(e.1))));
        let ids: Vec<N> = roots.iter().map(|r| N::new(*r)).collect();
        let found = decompose(&graph, &ids);
        let all_roots: Vec<usize> = super::complete(&graph, &ids).iter().map(|r| r.index()).collect();
        prop_assert_eq!(reach(&edges, &all_roots, |_| true).len(), n);
        let mut expected = Vec::new();
        naive(n, &edges, &all_roots, &(0..n).collect::<Vec<_>>(), 1, &mut expected);
        expected.sort();
        let sorted = |nodes: &[N]| {
            let mut nodes: Vec<usize> = nodes.iter().map(|x| x.index()).collect();
            nodes.sort_unstable();
            nodes
        };
        let mut actual: Vec<Naive> =
            found.all.enumerate().map(|(id, i)| (i.depth, sorted(&i.headers), sorted(found.nodes(id)))).collect();
        actual.sort();
        prop_assert_eq!(actual, expected);
        for (id, i) in found.all.enumerate() {
            prop_assert!(i.entries.iter().all(|e| i.headers.contains(e)));
            prop_assert!(i.parent.is_none_or(|p| p < id && found.all[p].depth + 1 == i.depth));
            let around = i.parent.map_or(0..n, |p| found.all[p].span.clone());
            prop_assert!(around.start <= i.span.start && i.span.end <= around.end);
        }
        check_order(&found, &edges)?;
    }
}
