//! Candidate paths against an enumeration of all edge sequences.

use super::*;
use crate::pathcond::engine::paths::{Path, PathLimits, paths};

/// All sequences of up to so many edges that can be walked moment by moment, with an end that `wanted` allows.
fn all_paths(system: &System, sink: PointId, length: usize, wanted: &impl Fn(Values) -> bool) -> Vec<Path> {
    let moments = moments(system);
    let mut found = Vec::new();
    let mut work: Vec<(Path, PointId, Vec<Values>)> = Vec::new();
    for (number, seed) in system.seeds.iter().enumerate() {
        work.push((Path { seed: number, edges: Vec::new() }, seed.point, starts(system, *seed)));
    }
    while let Some((path, point, values)) = work.pop() {
        if values.is_empty() {
            continue;
        }
        if point == sink && values.iter().any(|v| wanted(*v)) {
            found.push(path.clone());
        }
        if path.edges.len() == length {
            continue;
        }
        for (id, edge) in system.edges.enumerate().filter(|(_, e)| e.from == point) {
            let reached = |after: &Values| values.iter().any(|before| step(system, edge, *before, *after));
            let after: Vec<Values> = moments.iter().copied().filter(reached).collect();
            let mut longer = path.clone();
            longer.edges.push(id);
            work.push((longer, edge.to, after));
        }
    }
    found
}

#[test]
fn exactly_the_feasible_paths_come_shortest_first() {
    let mut random = Random(7);
    let (mut total, mut long) = (0, 0);
    let limits = Limits::default();
    for round in 0..400 {
        let system = random.system(5, 3, round % 2 == 0);
        let solution = solve(&system, &limits);
        let literal = random.literal(system.atoms);
        for sink in system.points.ids() {
            for wanted in [None, Some(literal)] {
                let bdds = solution.bdds(&system, &limits);
                let condition = wanted.map(|l| bdds.literal_condition(l));
                let length = 4;
                let path_limits = PathLimits { length, steps: 100_000, ..PathLimits::default() };
                let found: Vec<Path> =
                    paths(&system, &solution, sink, condition.as_ref(), &limits, path_limits).collect();
                assert!(found.is_sorted_by_key(|p| p.edges.len()));
                let mut expected = all_paths(&system, sink, length, &|values| {
                    wanted.is_none_or(|l| value(values)(l.atom) == l.positive)
                });
                let mut sorted = found.clone();
                sorted.sort();
                expected.sort();
                assert_eq!(sorted, expected, "round {round} {sink} {system:#?}");
                total += found.len();
                long += found.iter().filter(|p| p.edges.len() == 4).count();
            }
        }
    }
    assert!(total > 2000 && long > 500, "{total} {long}");
}

#[test]
fn with_a_small_budget_no_feasible_path_is_missing() {
    let mut random = Random(8);
    for round in 0..300 {
        let system = random.system(5, 4, round % 2 == 0);
        let limits = Limits { nodes: 2, ..Limits::default() };
        let solution = solve(&system, &limits);
        for sink in system.points.ids() {
            let path_limits = PathLimits { length: 3, steps: 100_000, ..PathLimits::default() };
            let found: BTreeSet<Path> = paths(&system, &solution, sink, None, &limits, path_limits).collect();
            for path in all_paths(&system, sink, 3, &|_| true) {
                assert!(found.contains(&path), "round {round} {path:?} {system:#?}");
            }
        }
    }
}

#[test]
fn avoided_sequences_do_not_come_again() {
    let mut random = Random(9);
    let mut avoided_any = 0;
    for _ in 0..300 {
        let system = random.system(4, 2, false);
        let limits = Limits::default();
        let solution = solve(&system, &limits);
        let sink = PointId(0);
        let path_limits = PathLimits { length: 5, steps: 10_000, ..PathLimits::default() };
        let all: Vec<Path> = paths(&system, &solution, sink, None, &limits, path_limits).collect();
        let Some(first) = all.iter().find(|p| p.edges.len() >= 2) else { continue };
        let bad = first.edges[..2].to_vec();
        let has = |path: &Path| path.edges.windows(2).any(|w| w == bad);
        let expected: Vec<Path> = all.iter().filter(|p| !has(p)).cloned().collect();
        let mut search = paths(&system, &solution, sink, None, &limits, path_limits);
        search.avoid(bad.clone());
        assert_eq!(search.collect::<Vec<_>>(), expected);
        // Told in the middle of the search.
        let mut search = paths(&system, &solution, sink, None, &limits, path_limits);
        let before: Vec<Path> = search.by_ref().take_while(|p| p != first).collect();
        search.avoid(bad.clone());
        let after: Vec<Path> = search.collect();
        assert!(after.iter().all(|p| !has(p)));
        assert_eq!(before.iter().chain(&after).filter(|p| !has(p)).count(), expected.len());
        avoided_any += all.len() - expected.len();
    }
    assert!(avoided_any > 100, "{avoided_any}");
}

#[test]
fn a_search_that_a_limit_ends_says_so() {
    let mut random = Random(13);
    let limits = Limits::default();
    let (mut complete, mut cut) = (0, 0);
    for _ in 0..300 {
        let system = random.system(4, 3, false);
        let solution = solve(&system, &limits);
        for tight in
            [PathLimits { steps: 3, ..PathLimits::default() }, PathLimits { nodes: 3, ..PathLimits::default() }]
        {
            let mut search = paths(&system, &solution, PointId(0), None, &limits, PathLimits { length: 6, ..tight });
            let found: Vec<Path> = search.by_ref().collect();
            let all = all_paths(&system, PointId(0), 6, &|_| true);
            assert!(search.was_cut() || found.len() == all.len());
            assert!(found.iter().all(|path| all.contains(path)));
            complete += usize::from(!search.was_cut() && !found.is_empty());
            cut += usize::from(found.len() < all.len());
        }
    }
    assert!(complete > 50 && cut > 50, "{complete} {cut}");
}
