//! A policy's pairs, decided: every source with every sink that nothing of it may flow to.
//!
//! One forward slice for each source tells the sinks that it has no path to, which are only counted. The other pairs are decided one by one, over
//! several threads, by whoever is given as the [`Decider`]; [`witness::decide`](crate::witness::decide()) is the real one. With exceptions that fit the
//! pair's domains it is asked twice: a flow is *declassified* if it exists, and does not exist without the excepted nodes.
//!
//! Invariant: each pair is counted once; flows and their names do not depend on the number of threads, nor, for the names, on the answers.
//!
//! Cost: a slice for each source, the decisions, and one computation of summaries for each set of exceptions.

mod flow;
mod rests;

use std::collections::BTreeMap;

use crate::base::parallel;
use crate::base::progress::Progress;
use crate::chop::{self, Barriers};
use crate::ir;
use crate::pathcond::channels::{self, Merged, Place};
use crate::policy::{DomainId, Domains};
use crate::report::check::{ConditionStatistics, Flow, Status};
use crate::sdg::{NodeId, NodeSet};
use crate::select::View;
use crate::select::places::{Exception, Selected, Spot};
use crate::witness::{self, Decision, Question};

use flow::{Decided, Teller};
pub use flow::{End, assumptions, statistics};

/// Answers a question.
pub type Decider<'a> = &'a (dyn Fn(&Question<'_>) -> Decision + Sync);

/// What is to be checked.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The program.
    pub view: View<'a>,
    /// Which flows are allowed.
    pub domains: &'a Domains,
    /// What the policy selects in the program.
    pub selected: &'a Selected,
    /// What the analysis rests on.
    pub assumptions: &'a [ir::Assumption],
    /// Threads.
    pub jobs: usize,
    /// Whether the statistics tell seconds.
    pub timings: bool,
}

/// What became of all pairs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Checked {
    /// The pairs with a path, in the order of the report: violations with the weakest condition first, then what is unknown, declassified and infeasible.
    pub flows: Vec<Flow>,
    /// How many pairs have none.
    pub no_path: usize,
    /// What the decisions took, in the order of the flows.
    pub conditions: Vec<ConditionStatistics>,
}

/// A source and a sink between which nothing may flow.
#[derive(Clone, Copy)]
struct Pair<'a> {
    from: &'a Spot,
    to: &'a Spot,
}

/// The nodes whose values are arbitrary: those of all sources, of whatever domain.
pub fn arbitrary(view: View<'_>, selected: &Selected) -> NodeSet {
    NodeSet::of(view.sdg.nodes().len(), selected.sources.iter().flat_map(|spot| spot.nodes.iter().copied()))
}

/// Decides all pairs.
pub fn check(task: &Task<'_>, decide: Decider<'_>, progress: &Progress) -> Checked {
    let Selected { sources, sinks, exceptions } = task.selected;
    let phase = progress.phase("pairs", sources.len());
    let starts: Vec<&Spot> = sources.iter().collect();
    let sliced = parallel::map(&starts, task.jobs, |_, from| {
        let found = pairs_of(task, from, sinks);
        phase.step();
        found
    });
    drop(phase);
    let no_path = sliced.iter().map(|(_, no_path)| no_path).sum::<usize>();
    let pairs: Vec<Pair<'_>> = sliced.into_iter().flat_map(|(pairs, _)| pairs).collect();
    let barriers = all_barriers(task, exceptions, &pairs);
    let merged = all_merged(task, &pairs);
    let phase = progress.phase("decide", pairs.len());
    let decided = parallel::map(&pairs, task.jobs, |_, pair| {
        let fitting = fitting(exceptions, *pair);
        let limits = (barriers.get(&indices(exceptions, *pair)), merged[&pair.to.domain].as_slice());
        let decided = decide_pair(task, *pair, &fitting, limits, decide);
        phase.step();
        decided
    });
    drop(phase);
    let disconnected = decided.iter().filter(|decided| decided.is_none()).count();
    let mut found: Vec<(Pair<'_>, Decided)> =
        pairs.into_iter().zip(decided).filter_map(|(pair, decided)| Some((pair, decided?))).collect();
    let mut teller = Teller::new(task.view, task.assumptions);
    // Names are given in the order of the places, so that they do not depend on the answers.
    found.sort_by_cached_key(|(pair, _)| (teller.order(pair.from.place), teller.order(pair.to.place)));
    let ends: Vec<(End<'_>, End<'_>)> =
        found.iter().map(|(pair, _)| (end(task.domains, pair.from), end(task.domains, pair.to))).collect();
    let mut names = teller.names(&ends).into_iter();
    let mut all: Vec<(Flow, witness::Statistics, f64)> = Vec::new();
    for ((_, decided), (from, to)) in found.into_iter().zip(&ends) {
        let id = names.next().expect("a name for each flow");
        let (took, strength) = (decided.decision.statistics, decided.decision.strength);
        all.push((teller.flow(id, *from, *to, decided), took, strength));
    }
    // The sort is stable: what is alike stays in the order of the places.
    all.sort_by(|(a, _, strong), (b, _, weak)| {
        let by_strength =
            if a.status == Status::Violation { weak.total_cmp(strong) } else { std::cmp::Ordering::Equal };
        rank(a.status).cmp(&rank(b.status)).then(by_strength)
    });
    let conditions = all.iter().map(|(flow, took, _)| statistics(&flow.id, took, task.timings)).collect();
    Checked { flows: all.into_iter().map(|(flow, ..)| flow).collect(), no_path: no_path + disconnected, conditions }
}

/// One flow of its own, for a question that no policy asks. One without a path is infeasible, with that as the reason.
pub fn one(view: View<'_>, assumptions: &[ir::Assumption], from: End<'_>, to: End<'_>, decision: Decision) -> Flow {
    let decided = Decided::plain(decision).unwrap_or_else(|| Decided {
        status: Status::Infeasible,
        reason: Some("no dependence leads from the one to the other".to_owned()),
        decision: Decision::plain(witness::Status::NoPath),
    });
    let mut teller = Teller::new(view, assumptions);
    let id = teller.names(&[(from, to)]).remove(0);
    teller.flow(id, from, to, decided)
}

fn end<'a>(domains: &'a Domains, spot: &'a Spot) -> End<'a> {
    End { domain: &domains.get(spot.domain).name, what: &spot.what, place: spot.place, nodes: &spot.nodes }
}

fn rank(status: Status) -> u8 {
    match status {
        Status::Violation => 0,
        Status::Unknown => 1,
        Status::Declassified => 2,
        Status::Infeasible => 3,
    }
}

/// The pairs of a source that have a path, and how many others it has.
fn pairs_of<'a>(task: &Task<'_>, from: &'a Spot, sinks: &'a [Spot]) -> (Vec<Pair<'a>>, usize) {
    // A place may be both, with a path of no steps: what a part of the program shows itself.
    let forbidden = |to: &&Spot| !task.domains.allowed(from.domain, to.domain);
    let wanted: Vec<&Spot> = sinks.iter().filter(forbidden).collect();
    if wanted.is_empty() {
        return (Vec::new(), 0);
    }
    let reached = chop::slice::forward(task.view.sdg, &from.nodes, &Barriers::none());
    let count = wanted.len();
    let is_reached = |to: &&Spot| to.nodes.iter().any(|node| reached.contains(*node));
    let pairs: Vec<Pair<'_>> = wanted.into_iter().filter(is_reached).map(|to| Pair { from, to }).collect();
    let no_path = count - pairs.len();
    (pairs, no_path)
}

/// The exceptions that are for the domains of a pair.
fn indices(exceptions: &[Exception], pair: Pair<'_>) -> Vec<usize> {
    let fits = |e: &Exception| e.from.contains(&pair.from.domain) && e.to.contains(&pair.to.domain);
    (0..exceptions.len()).filter(|index| fits(&exceptions[*index])).collect()
}

fn fitting<'a>(exceptions: &'a [Exception], pair: Pair<'_>) -> Vec<&'a Exception> {
    indices(exceptions, pair).into_iter().map(|index| &exceptions[index]).collect()
}

/// The barriers for each set of exceptions that some pair has.
fn all_barriers(task: &Task<'_>, exceptions: &[Exception], pairs: &[Pair<'_>]) -> BTreeMap<Vec<usize>, Barriers> {
    let mut all = BTreeMap::new();
    for pair in pairs {
        let indices = indices(exceptions, *pair);
        if !indices.is_empty() && !all.contains_key(&indices) {
            let nodes: Vec<NodeId> =
                indices.iter().flat_map(|index| exceptions[*index].nodes.iter().copied()).collect();
            all.insert(indices, Barriers::new(task.view.sdg, nodes));
        }
    }
    all
}

/// The sinks of each domain that is asked about that who watches it cannot tell apart.
fn all_merged(task: &Task<'_>, pairs: &[Pair<'_>]) -> BTreeMap<DomainId, Vec<Merged>> {
    let View { program, points_to, sdg, .. } = task.view;
    let mut all = BTreeMap::new();
    for pair in pairs {
        all.entry(pair.to.domain).or_insert_with(|| {
            let sinks = task.selected.sinks.iter().filter(|spot| spot.domain == pair.to.domain);
            let places: Vec<Place<'_>> =
                sinks.map(|spot| Place { nodes: &spot.nodes, values_only: spot.values_only }).collect();
            channels::merge(program, sdg, points_to, &places)
        });
    }
    all
}

/// What becomes of a pair; `None`: there is no path after all.
fn decide_pair(
    task: &Task<'_>,
    pair: Pair<'_>,
    exceptions: &[&Exception],
    (barriers, merged): (Option<&Barriers>, &[Merged]),
    decide: Decider<'_>,
) -> Option<Decided> {
    let Pair { from, to } = pair;
    let ask = |barriers: &Barriers| {
        decide(&Question { from: &from.nodes, to: &to.nodes, values_only: to.values_only, barriers, via: &[], merged })
    };
    let decided = match barriers {
        None => Decided::plain(ask(&Barriers::none()))?,
        Some(barriers) => {
            let without = ask(barriers);
            match without.status {
                witness::Status::Violation | witness::Status::Unknown(_) => Decided::plain(without)?,
                witness::Status::NoPath | witness::Status::Infeasible => {
                    let mut decided = Decided::plain(ask(&Barriers::none()))?;
                    if decided.is_open() {
                        decided.declassify(&reasons(task, pair, exceptions));
                    }
                    decided
                }
            }
        }
    };
    Some(accepted(decided, pair))
}

/// Flows that start or end at an `allow` comment are accepted.
fn accepted(mut decided: Decided, pair: Pair<'_>) -> Decided {
    if decided.is_open() {
        let mut reasons: Vec<&str> = [pair.from, pair.to].iter().filter_map(|spot| spot.allowed.as_deref()).collect();
        reasons.dedup();
        if !reasons.is_empty() {
            decided.declassify(&reasons);
        }
    }
    decided
}

/// Why a flow is accepted: of the exceptions those that lie on its paths.
fn reasons<'a>(task: &Task<'_>, pair: Pair<'_>, exceptions: &[&'a Exception]) -> Vec<&'a str> {
    let between = chop::chop(task.view.sdg, &pair.from.nodes, &pair.to.nodes, &Barriers::none());
    let on_path = |e: &&&Exception| e.nodes.iter().any(|node| between.nodes.contains(*node));
    let mut reasons: Vec<&str> = Vec::new();
    for exception in exceptions.iter().filter(on_path) {
        if !reasons.contains(&exception.reason.as_str()) {
            reasons.push(&exception.reason);
        }
    }
    reasons
}
