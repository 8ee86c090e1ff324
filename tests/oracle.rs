//! The oracle of decisions: programs of which all runs are made, so that every wrong answer is seen.
//!
//! A decider that denies a flow which two runs show is unsound, and the test fails; one that reports a flow which no two runs show has raised a
//! false alarm, which is counted. `FLOWCHECK_ORACLE=N` takes N programs instead of the default, `FLOWCHECK_SEED=S` starts at another seed.

mod channels;
mod generator;
mod piece;
mod templates;

use std::fmt::Write;

use flowcheck::base::parallel;
use flowcheck::chop::Barriers;
use flowcheck::sdg::{Formal, NodeKind};
use flowcheck::solve::z3::Interrupt;
use flowcheck::witness::{Decision, Limits, Question, Setting, Status};

use crate::influence::number;
use crate::support::asking::{self, Asked, BUILT, Decider, ask};
use crate::support::runs::{self, Truth};
use crate::support::{Case, compare, gcc};
use generator::{ENTRY, Level, Made};
use piece::{Piece, render};

/// How decisions went.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Tally {
    programs: usize,
    /// Programs with a flow.
    flows: usize,
    /// Flows that were found.
    found: usize,
    /// Flows that were denied.
    unsound: usize,
    /// Programs without a flow, of which it was proved.
    proved: usize,
    /// Those of which a flow was reported.
    alarms: usize,
    /// Programs of which nothing was said: with a flow, without.
    unknown: [usize; 2],
    runs: usize,
    /// Seconds of the decider: in all, the longest.
    seconds: [f64; 2],
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.programs += other.programs;
        self.flows += other.flows;
        self.found += other.found;
        self.unsound += other.unsound;
        self.proved += other.proved;
        self.alarms += other.alarms;
        self.unknown = [self.unknown[0] + other.unknown[0], self.unknown[1] + other.unknown[1]];
        self.runs += other.runs;
        self.seconds = [self.seconds[0] + other.seconds[0], self.seconds[1].max(other.seconds[1])];
    }
    /// Of one program.
    fn of(truth: &Truth, asked: &Asked) -> Tally {
        let mut tally = Tally { programs: 1, runs: truth.runs, seconds: [asked.seconds; 2], ..Tally::default() };
        let flows = truth.flow.is_some();
        tally.flows = usize::from(flows);
        let counter = match (&asked.decision.status, flows) {
            (Status::NoPath | Status::Infeasible, true) => &mut tally.unsound,
            (Status::NoPath | Status::Infeasible, false) => &mut tally.proved,
            (Status::Violation, true) => &mut tally.found,
            (Status::Violation, false) => &mut tally.alarms,
            (Status::Unknown(_), true) => &mut tally.unknown[0],
            (Status::Unknown(_), false) => &mut tally.unknown[1],
        };
        *counter = 1;
        tally
    }
}

/// The answers of a decider on the programs of some seeds.
struct Tried {
    /// By level, and for all.
    tallies: Vec<(String, Tally)>,
    /// The seeds of programs with a flow that was denied.
    unsound: Vec<u64>,
    /// The seeds of those with a false alarm.
    alarms: Vec<u64>,
    /// The reasons that were given for knowing nothing.
    reasons: Vec<String>,
}

impl Tried {
    fn total(&self) -> Tally {
        self.tallies.last().expect("the sum is there").1
    }
    fn table(&self) -> String {
        let mut out = format!(
            "{:10} {:>8} {:>6} {:>6} {:>8} {:>8} {:>7} {:>7} {:>8} {:>9} {:>9}\n",
            "level",
            "programs",
            "flows",
            "found",
            "unknown",
            "no flow",
            "proved",
            "alarms",
            "unknown",
            "seconds",
            "longest"
        );
        for (name, t) in &self.tallies {
            let _ = writeln!(
                out,
                "{name:10} {:>8} {:>6} {:>6} {:>8} {:>8} {:>7} {:>7} {:>8} {:>9.2} {:>9.2}",
                t.programs,
                t.flows,
                t.found,
                t.unknown[0],
                t.programs - t.flows,
                t.proved,
                t.alarms,
                t.unknown[1],
                t.seconds[0],
                t.seconds[1],
            );
        }
        out
    }
}

/// A program of which all is known.
struct Subject {
    made: Made,
    text: String,
    truth: Truth,
}

impl Subject {
    /// The program of a seed. One that no slice finds a path in, and that has no flow, is easy: another takes its place, mostly.
    fn of(seed: u64) -> Subject {
        let mut attempt = 0;
        loop {
            let made = generator::program(seed, attempt);
            let text = render(&made.pieces);
            let truth = truth_of(&made).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
            attempt += 1;
            if attempt == 6 || truth.flow.is_some() || !ask(&text, ENTRY, 0, &asking::slicing).is_denied() {
                return Subject { made, text, truth };
            }
        }
    }
}

fn try_all(seeds: std::ops::Range<u64>, decider: &Decider) -> Tried {
    let seeds: Vec<u64> = seeds.collect();
    let results = parallel::map(&seeds, 2, |_, &seed| {
        let Subject { text, truth, .. } = Subject::of(seed);
        let asked = ask(&text, ENTRY, 0, decider);
        (Tally::of(&truth, &asked), asked.decision.status)
    });
    let mut tallies: Vec<(String, Tally)> = Level::ALL.iter().map(|l| (format!("{l:?}"), Tally::default())).collect();
    let mut tried = Tried { tallies: Vec::new(), unsound: Vec::new(), alarms: Vec::new(), reasons: Vec::new() };
    let mut total = Tally::default();
    for (&seed, (tally, status)) in seeds.iter().zip(results) {
        tallies[Level::of(seed) as usize].1.add(tally);
        total.add(tally);
        if tally.unsound > 0 {
            tried.unsound.push(seed);
        }
        if tally.alarms > 0 {
            tried.alarms.push(seed);
        }
        if let Status::Unknown(reason) = status {
            tried.reasons.push(reason);
        }
    }
    tallies.push(("all".to_owned(), total));
    tried.tallies = tallies;
    tried.reasons.sort();
    tried.reasons.dedup();
    tried
}

fn truth_of(made: &Made) -> Result<Truth, String> {
    runs::truth(&render(&made.pieces), ENTRY, 0, &made.domain)
}

/// What of a program is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wrong {
    /// A flow is denied.
    Denied,
    /// A flow is reported that is not there.
    Alarm,
}

/// Whether a decider is wrong in this way; also of texts that are no programs.
fn is_wrong(made: &Made, wrong: Wrong, decider: &Decider) -> bool {
    let Ok(truth) = truth_of(made) else { return false };
    if truth.flow.is_some() != (wrong == Wrong::Denied) {
        return false;
    }
    let asked = ask(&render(&made.pieces), ENTRY, 0, decider);
    match wrong {
        Wrong::Denied => asked.is_denied(),
        Wrong::Alarm => asked.decision.status == Status::Violation,
    }
}

/// The program of a seed, reduced as far as the decider stays wrong, with the runs that show it.
fn shown(seed: u64, wrong: Wrong, decider: &Decider) -> String {
    let Subject { made, .. } = Subject::of(seed);
    let of = |pieces: &[Piece]| Made { pieces: pieces.to_vec(), domain: made.domain.clone() };
    let small = of(&piece::reduce(&made.pieces, &|pieces| is_wrong(&of(pieces), wrong, decider)));
    let truth = truth_of(&small).expect("it was run before");
    let asked = ask(&render(&small.pieces), ENTRY, 0, decider);
    let runs = truth.flow.map_or(String::new(), |flow| format!("{flow:?}\n"));
    format!(
        "seed {seed}: {wrong:?}, {:?}\n{runs}{}\
         FLOWCHECK_ORACLE=1 FLOWCHECK_SEED={seed} cargo test --test all oracle::decisions -- --nocapture\n",
        asked.decision.status,
        render(&small.pieces)
    )
}

/// Says that there is no flow, whatever it is asked.
fn denying(_: &Setting<'_>, _: &Question<'_>, _: &Limits, _: &Interrupt) -> Decision {
    Decision::plain(Status::Infeasible)
}

#[test]
fn decisions_agree_with_all_runs() {
    let (first, wanted) = (number("FLOWCHECK_SEED", 1), number("FLOWCHECK_ORACLE", 300));
    let tried = try_all(first..first + wanted, &asking::flowcheck);
    println!("{}", tried.table());
    for reason in &tried.reasons {
        println!("unknown: {reason}");
    }
    let shown = |seeds: &[u64], most: usize, wrong| {
        seeds.iter().take(most).map(|seed| shown(*seed, wrong, &asking::flowcheck)).collect::<Vec<_>>().join("\n")
    };
    println!("false alarms: {:?}", tried.alarms);
    println!("{}", shown(&tried.alarms, number("FLOWCHECK_SHOW", 0) as usize, Wrong::Alarm));
    let total = tried.total();
    assert_eq!(total.unsound, 0, "flows are denied: {:?}\n{}", tried.unsound, shown(&tried.unsound, 3, Wrong::Denied));
    if BUILT && wanted >= 100 {
        let unknown = total.unknown[0] + total.unknown[1];
        assert!(unknown * 10 <= total.programs, "too much is unknown:\n{}", tried.table());
        assert!(total.proved * 2 >= total.programs - total.flows, "too little is proved:\n{}", tried.table());
    }
}

#[test]
fn slices_deny_no_flow_and_many_programs_need_more_than_slices() {
    let tried = try_all(10_001..10_001 + number("FLOWCHECK_ORACLE", 120), &asking::slicing);
    println!("{}", tried.table());
    assert!(tried.unsound.is_empty(), "{}", shown(tried.unsound[0], Wrong::Denied, &asking::slicing));
    for (name, tally) in &tried.tallies {
        assert!(tally.flows * 5 >= tally.programs, "{name} has few flows:\n{}", tried.table());
        assert!(tally.alarms * 5 >= tally.programs, "{name} has few programs without a flow:\n{}", tried.table());
    }
}

#[test]
fn a_decider_that_denies_flows_is_found_out_and_shown_by_a_small_program() {
    let tried = try_all(1..21, &denying);
    let total = tried.total();
    assert!(total.unsound > 3 && total.unsound == total.flows, "{}", tried.table());
    assert_eq!(total.proved, total.programs - total.flows, "{}", tried.table());
    for seed in tried.unsound.iter().take(3) {
        let report = shown(*seed, Wrong::Denied, &denying);
        let Subject { text, .. } = Subject::of(*seed);
        assert!(report.contains("src()") && report.contains("sink(") && report.contains("secrets"), "{report}");
        assert!(report.lines().count() < 24 && report.len() < text.len() + 400, "{report}\n{text}");
    }
}

/// Slices without the nodes of a kind: an analysis that has forgotten something.
fn forgetting(forgotten: impl Fn(NodeKind) -> bool + Sync + 'static) -> Box<Decider> {
    Box::new(move |setting, question, limits, stop| {
        let nodes = setting.sdg.nodes().enumerate().filter(|(_, node)| forgotten(node.kind)).map(|(id, _)| id);
        let barriers = Barriers::new(setting.sdg, nodes);
        asking::slicing(setting, &Question { barriers: &barriers, ..*question }, limits, stop)
    })
}

#[test]
fn whatever_an_analysis_forgets_is_found() {
    let deciders: [(&str, Box<Decider>); 8] = [
        ("decisions", forgetting(|kind| matches!(kind, NodeKind::Predicate(_)))),
        ("merges of values", forgetting(|kind| matches!(kind, NodeKind::PhiOperand { .. }))),
        ("merges of memory", forgetting(|kind| matches!(kind, NodeKind::MemoryPhi { .. }))),
        ("parameters", forgetting(|kind| matches!(kind, NodeKind::FormalIn(Formal::Param(_))))),
        ("results", forgetting(|kind| matches!(kind, NodeKind::FormalOut(Formal::Result)))),
        ("memory that callees read", forgetting(|kind| matches!(kind, NodeKind::FormalIn(Formal::Memory(_))))),
        ("memory that callees write", forgetting(|kind| matches!(kind, NodeKind::FormalOut(Formal::Memory(_))))),
        ("being called", forgetting(|kind| matches!(kind, NodeKind::Entry))),
    ];
    let seeds: Vec<u64> = (1..201).collect();
    // By program: the deciders that deny its flow.
    let denied = parallel::map(&seeds, 2, |_, &seed| {
        let Subject { text, truth, .. } = Subject::of(seed);
        let denies = |at: &usize| truth.flow.is_some() && ask(&text, ENTRY, 0, &*deciders[*at].1).is_denied();
        (0..deciders.len()).filter(denies).collect::<Vec<usize>>()
    });
    let mut needless = Vec::new();
    for (at, (what, _)) in deciders.iter().enumerate() {
        let found = denied.iter().filter(|by| by.contains(&at)).count();
        println!("{found} programs need {what}");
        if found == 0 {
            needless.push(*what);
        }
    }
    assert!(needless.is_empty(), "no program needs {needless:?}");
}

#[test]
fn a_program_that_cannot_be_run_is_not_what_a_reduction_is_after() {
    let mut made = Subject::of(2).made;
    assert!(made.pieces.pop().is_some(), "the entry");
    assert!(!is_wrong(&made, Wrong::Denied, &denying) && !is_wrong(&made, Wrong::Alarm, &denying));
}

#[test]
fn programs_of_the_oracle_do_what_they_do_when_compiled() {
    let seeds: Vec<u64> = (1..9).collect();
    let folder = tempfile::tempdir().expect("a scratch folder");
    let results = parallel::map(&seeds, 2, |_, seed| {
        let made = generator::program(*seed, 0);
        let file = folder.path().join(format!("oracle{seed}.c"));
        std::fs::write(&file, runs::complete(&render(&made.pieces), ENTRY, 0)).expect("a scratch file");
        let last = |values: &[i32]| *values.last().expect("there are values");
        let stdin = runs::script(&[last(&made.domain.secrets); 4], &[last(&made.domain.inputs); 3]);
        let flags = vec!["-fsanitize=undefined".to_owned(), "-fno-sanitize-recover".to_owned()];
        let case = Case { files: vec![file], stdin, max_steps: 1_000_000, ..Case::default() };
        let checked = gcc(&Case { flags, ..case.clone() }, 5).expect("gcc takes it, and it ends");
        compare(&case, &checked).map_err(|e| format!("seed {seed}: {e}"))
    });
    let differ: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n\n"));
}
