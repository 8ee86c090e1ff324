//! The paper's graphs and the programs of the design, as systems.

use super::*;
use crate::pathcond::engine::paths::{PathLimits, paths};

/// A system from edges between letters; every letter's execution condition is an atom of its own.
fn letters(edges: &str) -> (System, String) {
    let mut names: Vec<char> = edges.chars().filter(|c| *c != ' ').collect();
    names.sort_unstable();
    names.dedup();
    let mut system = System::new(names.len());
    for atom in (0..names.len()).map(AtomId::new) {
        let execution = system.formulas.atom(atom);
        system.points.push(execution);
    }
    let number = |c: char| PointId::new(names.iter().position(|n| *n == c).expect("a name"));
    for edge in edges.split(' ') {
        let ends: Vec<PointId> = edge.chars().map(number).collect();
        system.join(ends[0], ends[1]);
    }
    (system, names.iter().collect())
}

fn at(names: &str, name: char) -> PointId {
    PointId::new(names.find(name).expect("a name"))
}

/// Checks the condition from one letter to another against what a function says for all values.
fn check(edges: &str, from: char, to: char, expected: impl Fn(&dyn Fn(char) -> bool) -> bool) {
    let (mut system, names) = letters(edges);
    system.seeds.push(Seed { point: at(&names, from), start: TRUE });
    for strategy in STRATEGIES {
        let solution = solve(&system, &Limits { strategy, ..Limits::default() });
        for values in 0..1 << names.len() {
            let holds = holds(&solution, &solution.conditions[at(&names, to)], values);
            let value = |c: char| values & (1 << names.find(c).expect("a name")) != 0;
            assert_eq!(holds, expected(&value), "{strategy:?} {from} to {to}, {values:b}");
        }
    }
}

const FIGURE_4: &str = "XA AB BY BC CD DE EY XC DA EB";
const FIGURE_5: &str = "SA AB AC BD CD CE DG GD DF EF FH GH HC HA HZ";

#[test]
fn figure_4_counts_all_five_cycle_free_paths() {
    let all = ["XABY", "XABCDEY", "XCDEY", "XCDABY", "XCDEBY"];
    check(FIGURE_4, 'X', 'Y', |e| all.iter().any(|path| path.chars().all(e)));
    // Each of them by itself makes the condition true when no other can.
    let (mut system, names) = letters(FIGURE_4);
    system.seeds.push(Seed { point: at(&names, 'X'), start: TRUE });
    let solution = solve(&system, &Limits::default());
    let limits = PathLimits { length: 6, steps: 10_000, ..PathLimits::default() };
    let walk = |edges: &[EdgeId]| {
        let first = 'X'.to_string();
        edges.iter().fold(first, |mut text, e| {
            text.push(names.as_bytes()[system.edges[*e].to.index()] as char);
            text
        })
    };
    let found: Vec<String> = paths(&system, &solution, at(&names, 'Y'), None, &Limits::default(), limits)
        .map(|path| walk(&path.edges))
        .filter(|text| text.chars().collect::<BTreeSet<_>>().len() == text.len())
        .collect();
    assert_eq!(found.len(), 5);
    assert!(all.iter().all(|path| found.contains(&(*path).to_owned())), "{found:?}");
    assert!(found.is_sorted_by_key(String::len));
}

#[test]
fn figure_5_gives_the_equations_of_section_4_4() {
    let dg_h = |e: &dyn Fn(char) -> bool| e('D') && e('H') && (e('F') || e('G'));
    let c_h = |e: &dyn Fn(char) -> bool| e('C') && (dg_h(e) || (e('E') && e('F') && e('H')));
    let a_h = |e: &dyn Fn(char) -> bool| e('A') && (c_h(e) || (e('B') && dg_h(e)));
    check("DG GD", 'D', 'G', |e| e('D') && e('G'));
    check("DG GD", 'D', 'D', |e| e('D'));
    // Inside the irreducible component.
    let inner = "CD CE DG GD DF EF FH GH HC";
    check(inner, 'D', 'H', dg_h);
    check(inner, 'C', 'H', c_h);
    check("AB AC BD CD CE DG GD DF EF FH GH HC HA", 'A', 'H', a_h);
    check(FIGURE_5, 'S', 'Z', |e| e('S') && a_h(e) && e('Z'));
}

/// Section 3.3: `a = u(); while (n>0) { x = v(); if (x>0) b = a; else c = b; } z = c;` needs two iterations.
#[test]
fn a_carried_edge_forgets_the_atoms_of_its_loop() {
    let (n, x) = (AtomId(0), AtomId(1));
    let mut system = System::new(2);
    let f = &mut system.formulas;
    let (n_holds, x_holds) = (f.atom(n), f.atom(x));
    let x_fails = f.not(x_holds);
    let (then, otherwise) = (f.and([n_holds, x_holds]), f.and([n_holds, x_fails]));
    let points = [TRUE, then, otherwise, TRUE].map(|e| system.points.push(e));
    for pair in points.windows(2) {
        system.join(pair[0], pair[1]);
    }
    system.seeds.push(Seed { point: points[0], start: TRUE });
    assert!(solve(&system, &Limits::default()).conditions[points[3]].is_false());
    let inside = system.forget([n, x]);
    let carried = EdgeId(1);
    system.edges[carried].forget = inside;
    let solution = solve(&system, &Limits::default());
    let end = &solution.conditions[points[3]];
    assert_eq!(end.variables(), [Variable::Atom(n), Variable::Atom(x)]);
    assert!(end.holds(&|variable| variable == Variable::Atom(n)));
}

/// `while (x < 7) { a = src(); x++; } if (x >= 7) sink(a);` where one atom is `x < 7`, with every node cut at one node.
#[test]
fn leaving_a_loop_changes_the_moment_whatever_the_budget() {
    let x = AtomId(0);
    for nodes in [1, 1000] {
        let mut system = System::new(1);
        let inside = system.formulas.atom(x);
        let outside = system.formulas.not(inside);
        let points = [inside, inside, outside].map(|e| system.points.push(e));
        let forget = system.forget([x]);
        system.join(points[0], points[1]);
        system.edges.push(Edge { from: points[1], to: points[1], leaving: TRUE, entering: TRUE, forget });
        system.edges.push(Edge { from: points[1], to: points[2], leaving: TRUE, entering: TRUE, forget });
        system.seeds.push(Seed { point: points[0], start: TRUE });
        let solution = solve(&system, &Limits { nodes, ..Limits::default() });
        assert!(!solution.conditions[points[2]].is_false());
    }
}

/// `for (…) { if (i==3) t = src(); if (i==5) sink(t); }`: the way from the φ to itself must be walked before the sink is reached.
#[test]
fn a_cyclic_path_may_be_feasible_when_no_cycle_free_one_is() {
    let (three, five) = (AtomId(0), AtomId(1));
    let mut system = System::new(2);
    let (is_three, is_five) = (system.formulas.atom(three), system.formulas.atom(five));
    let [source, phi, sink] = [is_three, TRUE, is_five].map(|e| system.points.push(e));
    let forget = system.forget([three, five]);
    system.join(source, phi);
    let back = system.edges.push(Edge { from: phi, to: phi, leaving: TRUE, entering: TRUE, forget });
    system.join(phi, sink);
    system.seeds.push(Seed { point: source, start: TRUE });
    // Without the lemma the source's iteration could be the sink's.
    system.lemmas.push([Literal::no(three), Literal::no(five)]);
    let limits = Limits::default();
    let solution = solve(&system, &limits);
    assert!(!solution.with_lemmas(&system, &limits, sink).is_false());
    let mut found =
        paths(&system, &solution, sink, None, &limits, PathLimits { length: 4, steps: 1000, ..PathLimits::default() });
    let lengths: Vec<usize> = found.by_ref().map(|path| path.edges.len()).collect();
    assert_eq!(lengths, [3, 4], "one turn, two turns");
    assert!(found.was_cut());
    system.edges[back].forget = NOTHING;
    let solution = solve(&system, &limits);
    assert!(solution.with_lemmas(&system, &limits, sink).is_false());
}
