//! The figures of a report as tables: the size of the program, and what the conditions took.

use super::quote::plain;
use super::{ConditionStatistics, Statistics};

/// How large the program is, and how long the phases took.
pub fn program(s: &Statistics) -> Vec<String> {
    let counts = [
        ("lines", s.lines),
        ("functions", s.functions),
        ("nodes of the dependence graph", s.sdg_nodes),
        ("edges of the dependence graph", s.sdg_edges),
        ("summary edges", s.summary_edges),
        ("statements not understood in full", s.stand_ins),
    ];
    let counts = counts.iter().map(|(what, number)| format!("  {what:34} {number:>10}"));
    let seconds = s.seconds.iter().map(|(phase, seconds)| format!("  {:34} {seconds:>10.3} s", plain(phase)));
    counts.chain(seconds).collect()
}

/// A figure of a condition, and how it is headed.
type Column = (&'static str, fn(&ConditionStatistics) -> usize);

const COLUMNS: [Column; 10] = [
    ("chop", |c| c.chop),
    ("points", |c| c.points),
    ("edges", |c| c.edges),
    ("loops", |c| c.reducible),
    ("irred.", |c| c.irreducible),
    ("atoms", |c| c.atoms),
    ("diagrams", |c| c.diagrams),
    ("largest", |c| c.largest),
    ("weakened", |c| c.weakened),
    ("paths", |c| c.paths),
];

const PHASES: [&str; 3] = ["chop", "condition", "solve"];

/// A line for each flow, then what is the most and what it is together. Nothing if there are no flows.
pub fn conditions(all: &[ConditionStatistics]) -> Vec<String> {
    if all.is_empty() {
        return Vec::new();
    }
    let timed = all.iter().any(|condition| !condition.seconds.is_empty());
    let seconds = |condition: &ConditionStatistics, phase: &str| condition.seconds.get(phase).copied().unwrap_or(0.0);
    let width = all.iter().map(|condition| condition.flow.chars().count()).max().unwrap_or(0).max("together".len());
    let line = |name: &str, figures: &[String]| {
        let figures: Vec<String> = figures.iter().map(|figure| format!("{figure:>9}")).collect();
        format!("  {:width$}{}", plain(name), figures.concat())
    };
    let row = |name: &str, figure: &dyn Fn(&Column) -> usize, time: &dyn Fn(&str) -> f64| {
        let mut figures: Vec<String> = COLUMNS.iter().map(|column| figure(column).to_string()).collect();
        if timed {
            figures.extend(PHASES.iter().map(|phase| format!("{:.3}", time(phase))));
        }
        line(name, &figures)
    };
    let mut heads: Vec<String> = COLUMNS.iter().map(|(head, _)| (*head).to_owned()).collect();
    if timed {
        heads.extend(["chop s", "cond. s", "solve s"].map(str::to_owned));
    }
    let mut lines = vec![line("flow", &heads)];
    lines.extend(all.iter().map(|one| row(&one.flow, &|(_, of)| of(one), &|phase| seconds(one, phase))));
    if all.len() > 1 {
        let most = |(_, of): &Column| all.iter().map(of).max().unwrap_or(0);
        let longest = |phase: &str| all.iter().map(|one| seconds(one, phase)).fold(0.0, f64::max);
        lines.push(row("most", &most, &longest));
        let sum = |(_, of): &Column| all.iter().map(of).sum();
        lines.push(row("together", &sum, &|phase| all.iter().map(|one| seconds(one, phase)).sum()));
    }
    lines
}
