//! The fixpoint against explicit search: equal with a large budget, implied with a small one.

use super::*;
use crate::pathcond::engine::because::because;
use crate::pathcond::engine::paths::{PathLimits, paths};
use crate::pathcond::engine::plain::solve_plain;

fn limits(nodes: usize, strategy: Strategy) -> Limits<'static> {
    Limits { nodes, strategy, ..Limits::default() }
}

#[test]
fn the_fixpoint_is_the_disjunction_over_all_paths() {
    let mut random = Random(1);
    let mut reached = 0;
    for round in 0..3000 {
        let system = random.system(6, 4, round % 2 == 0);
        let exact = explicit(&system);
        for strategy in STRATEGIES {
            let solution = solve(&system, &limits(100_000, strategy));
            for point in system.points.ids() {
                let found = models(&system, &solution, point);
                assert_eq!(found, exact[point], "round {round}, {point}, {strategy:?}: {system:#?}");
                reached += usize::from(!found.is_empty());
                let other = Limits { definitions: 7, ..limits(100_000, strategy) };
                let closed = solution.with_lemmas(&system, &other, point);
                assert_eq!(closed.is_false(), exact[point].is_empty());
            }
            assert_eq!((solution.statistics.definitions, solution.statistics.weakened), (0, 0));
        }
    }
    assert!(reached > 5000, "the systems are not all empty");
}

#[test]
fn every_order_of_evaluation_gives_the_same_on_larger_systems() {
    let mut random = Random(14);
    let mut largest = 0;
    for round in 0..300 {
        let system = random.system(60, 12, round % 2 == 0);
        let [a, b, c] = STRATEGIES.map(|strategy| solve(&system, &limits(100_000, strategy)));
        assert_eq!(a.conditions, b.conditions);
        assert_eq!(b.conditions, c.conditions);
        largest = largest.max(c.statistics.largest);
    }
    assert!(largest > 30, "{largest}");
}

/// A chain of points, each with atoms of its own: every condition is cut, and definitions nest as deep as the chain.
#[test]
fn definitions_may_nest_deep() {
    let n = 3000;
    let mut system = System::new(n);
    for atom in (0..n).map(AtomId::new) {
        let f = &mut system.formulas;
        let (x, y) = (f.atom(atom), f.atom(AtomId::new((atom.index() + 7) % n)));
        let execution = f.or([x, y]);
        let point = system.points.push(execution);
        if let Some(before) = point.index().checked_sub(1) {
            system.join(PointId::new(before), point);
        }
    }
    let end = system.points.push(TRUE);
    let forget = system.forget((0..n / 2).map(AtomId::new));
    system.edges.push(Edge { from: PointId::new(n - 1), to: end, leaving: TRUE, entering: TRUE, forget });
    system.seeds.push(Seed { point: PointId(0), start: TRUE });
    let limits = Limits { nodes: 4, definitions: 20_000, ..Limits::default() };
    let solution = solve(&system, &limits);
    assert!(solution.statistics.definitions > n / 2, "{:?}", solution.statistics);
    // All atoms hold: every point is executed. The second half is not forgotten, and its last atom alone may be missing.
    let value = |wanted: &dyn Fn(usize) -> bool| {
        let mut values: Vec<bool> = Vec::new();
        let of = |condition: &Condition, values: &[bool]| {
            condition.holds(&|variable| match variable {
                Variable::Atom(atom) => wanted(atom.index()),
                Variable::Definition(id) => values[id.index()],
            })
        };
        for body in &solution.definitions {
            let holds = of(body, &values);
            values.push(holds);
        }
        of(&solution.conditions[end], &values)
    };
    assert!(value(&|_| true));
    assert!(value(&|atom| atom > n / 2), "the first half is forgotten");
    assert!(!value(&|atom| atom < n - 100), "the second half is not");
}

#[test]
fn with_a_small_budget_no_path_is_lost() {
    let mut random = Random(2);
    let (mut cut, mut weakened, mut equal, mut all) = (0, 0, 0, 0);
    for round in 0..2000 {
        let system = random.system(7, 5, round % 3 == 0);
        let exact = explicit(&system);
        for nodes in [1, 2, 5] {
            for strategy in STRATEGIES {
                let solution = solve(&system, &limits(nodes, strategy));
                for point in system.points.ids() {
                    let found = models(&system, &solution, point);
                    let missing: Vec<_> = exact[point].difference(&found).collect();
                    assert!(missing.is_empty(), "round {round}, {nodes} nodes, {point}: {missing:?} {system:#?}");
                    equal += usize::from(found == exact[point]);
                    all += 1;
                    assert!(solution.conditions[point].size() <= nodes.max(2));
                }
                for (id, body) in solution.definitions.enumerate() {
                    let earlier = |v: &Variable| !matches!(v, Variable::Definition(inner) if *inner >= id);
                    assert!(body.variables().iter().all(earlier), "{id} is not made of what came before it");
                }
                cut += solution.statistics.definitions;
                weakened += solution.statistics.weakened;
            }
        }
    }
    assert!(cut > 1000 && weakened > 1000, "limits were hit: {cut} definitions, {weakened} times weakened");
    assert!(equal * 2 > all, "and most conditions are exact all the same: {equal} of {all}");
}

#[test]
fn without_cycles_and_changes_of_moment_definitions_lose_nothing() {
    let mut random = Random(3);
    let mut cut = 0;
    for _ in 0..1000 {
        let mut system = random.system(12, 5, false);
        system.edges.iter_mut().for_each(|edge| edge.forget = NOTHING);
        system.edges = system.edges.iter().filter(|edge| edge.from < edge.to).copied().collect();
        let exact = explicit(&system);
        for nodes in [1, 2, 5] {
            let solution = solve(&system, &limits(nodes, Strategy::Intervals));
            for point in system.points.ids() {
                assert_eq!(models(&system, &solution, point), exact[point]);
            }
            assert_eq!(solution.statistics.weakened, 0);
            cut += solution.statistics.definitions;
        }
    }
    assert!(cut > 500, "{cut}");
}

#[test]
fn spent_work_and_turns_and_definitions_weaken() {
    let mut random = Random(4);
    for round in 0..500 {
        let system = random.system(6, 5, round % 2 == 0);
        let exact = explicit(&system);
        let tight = [
            Limits { work: 0, ..Limits::default() },
            Limits { turns: 1, ..Limits::default() },
            Limits { nodes: 2, definitions: 0, ..Limits::default() },
        ];
        for limits in tight {
            let solution = solve(&system, &limits);
            for point in system.points.ids() {
                assert!(models(&system, &solution, point).is_superset(&exact[point]));
            }
        }
    }
}

#[test]
fn plain_formulas_are_exact_where_nothing_is_forgotten_in_a_cycle() {
    let mut random = Random(5);
    let mut given_up = 0;
    for round in 0..1000 {
        let mut system = random.system(5, 3, false);
        if round % 2 == 0 {
            system.edges.iter_mut().for_each(|edge| edge.forget = NOTHING);
        }
        let exact = explicit(&system);
        let plain = solve_plain(&system, 100_000, Watch::default());
        for point in system.points.ids() {
            let found: BTreeSet<Values> = moments(&system)
                .into_iter()
                .filter(|values| plain.formulas.holds(plain.conditions[point], &value(*values)))
                .collect();
            if plain.statistics.weakened == 0 {
                assert_eq!(found, exact[point], "round {round} {point} {system:#?}");
            }
            assert!(found.is_superset(&exact[point]));
        }
        given_up += plain.statistics.weakened;
        let cut = solve_plain(&system, 3, Watch::default());
        for point in system.points.ids() {
            for values in &exact[point] {
                assert!(cut.formulas.holds(cut.conditions[point], &value(*values)));
            }
        }
    }
    assert!(given_up > 50 && given_up < 500, "{given_up}");
}

/// Whether a path leads to the point when the atoms that are not kept are free: each label by itself holds for some of their values.
fn reachable_when_freed(system: &System, kept: &[AtomId], sink: PointId) -> bool {
    let mut freed = system.clone();
    let gone: Vec<AtomId> = (0..system.atoms).map(AtomId::new).filter(|a| !kept.contains(a)).collect();
    let free = |formulas: &mut Formulas, mut id: FormulaId| {
        for atom in &gone {
            let sides = [false, true].map(|value| formulas.assign(id, *atom, value));
            id = formulas.or(sides);
        }
        id
    };
    for point in &mut freed.points {
        *point = free(&mut freed.formulas, *point);
    }
    for edge in &mut freed.edges {
        edge.leaving = free(&mut freed.formulas, edge.leaving);
        edge.entering = free(&mut freed.formulas, edge.entering);
    }
    for seed in &mut freed.seeds {
        seed.start = free(&mut freed.formulas, seed.start);
    }
    // What the lemmas say about the atoms that are kept.
    let literals = kept.iter().flat_map(|a| [Literal::yes(*a), Literal::no(*a)]);
    let clauses = literals.clone().flat_map(|a| literals.clone().map(move |b| [a, b]));
    let moments = moments(system);
    let follows = |clause: &Lemma| moments.iter().all(|v| clause.iter().any(|l| value(*v)(l.atom) == l.positive));
    freed.lemmas = clauses.filter(follows).collect();
    !explicit(&freed)[sink].is_empty()
}

#[test]
fn the_reason_is_a_set_of_atoms_of_which_none_can_be_left_out() {
    let mut random = Random(6);
    let mut sizes = [0; 6];
    for round in 0..600 {
        let system = random.system(6, 5, round % 3 == 0);
        let exact = explicit(&system);
        for sink in system.points.ids() {
            let found = because(&system, &Limits::default(), sink, 1000);
            let Some(found) = found else {
                assert!(!exact[sink].is_empty());
                continue;
            };
            assert!(exact[sink].is_empty() && found.minimal);
            assert!(!reachable_when_freed(&system, &found.atoms, sink), "round {round} {sink} {found:?} {system:#?}");
            for left_out in &found.atoms {
                let rest: Vec<AtomId> = found.atoms.iter().copied().filter(|a| a != left_out).collect();
                assert!(reachable_when_freed(&system, &rest, sink), "round {round} {sink} {found:?} {system:#?}");
            }
            sizes[found.atoms.len()] += 1;
            let hasty = because(&system, &Limits::default(), sink, 1).expect("there is still no path");
            assert!(!reachable_when_freed(&system, &hasty.atoms, sink));
        }
    }
    assert!(sizes[1] > 20 && sizes[2] > 20, "{sizes:?}");
}

#[test]
fn what_is_stopped_proves_nothing() {
    let mut random = Random(77);
    let stopped = || true;
    let limits = Limits { watch: Watch::new(&stopped), ..Limits::default() };
    let mut impossible = 0;
    for _ in 0..60 {
        let system = random.system(6, 4, true);
        let end = PointId::new(system.points.len() - 1);
        let exact = solve(&system, &Limits::default());
        let is_impossible = exact.with_lemmas(&system, &Limits::default(), end).is_false();
        impossible += usize::from(is_impossible);
        let cut = solve(&system, &limits);
        assert!(cut.stopped && !exact.stopped && cut.conditions.iter().all(Condition::is_true));
        // A graph without a path needs no work, so that is proved all the same.
        let reason = because(&system, &limits, end, 50);
        assert!(reason.is_none() || is_impossible, "no reason without a proof");
        let mut found = paths(&system, &exact, end, None, &limits, PathLimits::default());
        assert!(found.next().is_none());
        assert!(found.was_cut() || is_impossible, "paths that were not looked for are not excluded");
    }
    assert!((1..60).contains(&impossible), "{impossible} systems without a path");
}
