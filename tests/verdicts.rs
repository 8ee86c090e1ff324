//! Programs that say whether something flows: each function of `tests/verdicts/*.c` with a mark is an entry of its own, and is asked whether what `src()` gives can
//! influence `sink()`.
//!
//! `//~ FLOW`: it can, and that must be found. `//~ OPEN`: it can, and it may be unknown, but never be denied. `//~ NOFLOW`: it cannot, and that must be proved. `//~ IMPRECISE`: it cannot, which is not proved yet; once it is, the mark
//! has to be changed. That the marks are true is tried by running the programs, with the values that stand behind the mark: `in 0..3 7 src 0 1`.
//!
//! The program of a case has a `main` that calls the entry once; parameters are inputs, as if `in()` gave them.
//!
//! A file is a head, an empty line, and cases. A case is everything up to and including the next line with a mark, with the head before it.

use std::path::PathBuf;
use std::time::Duration;

use flowcheck::base::parallel;
use flowcheck::witness::{Decision, Evaluation, Limits, STOPPED, Status};

use crate::support::asking::{self, Asked, BUILT, Decider, ask};
use crate::support::runs::{self, Domain};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    Flow,
    NoFlow,
    Imprecise,
    Open,
}

#[derive(Clone, Debug)]
struct Case {
    /// File and entry.
    name: String,
    text: String,
    entry: String,
    parameters: usize,
    mark: Mark,
    domain: Domain,
}

/// The numbers of `0..3 7`.
fn numbers<'a>(words: impl Iterator<Item = &'a str>) -> Vec<i32> {
    let number = |word: &str| word.parse::<i32>().unwrap_or_else(|_| panic!("`{word}` is no number"));
    let of = |word: &str| match word.split_once("..") {
        Some((first, last)) => number(first)..=number(last),
        None => number(word)..=number(word),
    };
    words.flat_map(of).collect()
}

fn case(file: &str, text: String, code: &str, note: &str) -> Case {
    let (before, after) = code.rsplit_once("void t").expect("an entry");
    let (number, rest) = after.split_once('(').expect("parameters");
    assert!(!before.contains("sink(") || before.contains('}'), "{code}: one entry on a line");
    let parameters = rest.split_once(')').expect("parameters end").0;
    let parameters = if parameters == "void" { 0 } else { parameters.split(',').count() };
    let mut words = note.split(' ');
    let mark = match words.next() {
        Some("FLOW") => Mark::Flow,
        Some("NOFLOW") => Mark::NoFlow,
        Some("IMPRECISE") => Mark::Imprecise,
        Some("OPEN") => Mark::Open,
        _ => panic!("{code}: there is no mark {note}"),
    };
    let words: Vec<&str> = words.collect();
    let values = |key: &str| {
        let known = |word: &&&str| **word != "in" && **word != "src";
        match words.iter().position(|word| *word == key) {
            Some(at) => numbers(words[at + 1..].iter().take_while(known).copied()),
            None => vec![0, 1, 2, 3],
        }
    };
    let domain = Domain { secrets: values("src"), inputs: values("in") };
    let entry = format!("t{number}");
    Case { name: format!("{file} {entry}"), text, entry, parameters, mark, domain }
}

/// All cases of a file.
fn cases_of(file: &str, text: &str) -> Vec<Case> {
    let (head, cases) = text.split_once("\n\n").expect("a head and an empty line");
    let mut found = Vec::new();
    let mut below = String::new();
    for line in cases.lines() {
        below += line;
        below.push('\n');
        if let Some((code, note)) = line.split_once(" //~ ") {
            found.push(case(file, format!("{head}\n{below}"), code, note));
            below.clear();
        }
    }
    assert!(below.trim().is_empty(), "{file}: no mark ends {below}");
    found
}

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the programs").map(|entry| entry.expect("a file").path()).collect();
    files.sort();
    let all: Vec<Case> = files
        .iter()
        .flat_map(|file| {
            let name = file.file_name().expect("a name").to_string_lossy();
            cases_of(&name, &std::fs::read_to_string(file).expect("a program"))
        })
        .collect();
    assert!(all.len() > 250, "only {} cases were found", all.len());
    all
}

/// What is wrong with an answer, if anything; `built` says whether knowing nothing is wrong.
fn complaint(mark: Mark, asked: &Asked, built: bool) -> Option<String> {
    match (mark, &asked.decision.status) {
        (Mark::Flow | Mark::Open, Status::NoPath | Status::Infeasible) => Some("UNSOUND: a flow is denied".to_owned()),
        (Mark::Flow, Status::Unknown(reason)) if built => Some(format!("a flow is not found: {reason}")),
        (Mark::NoFlow, Status::Unknown(reason)) if built => Some(format!("nothing is proved: {reason}")),
        (Mark::NoFlow, Status::Violation) => Some("false alarm".to_owned()),
        (Mark::Imprecise, Status::NoPath | Status::Infeasible) => Some("proved: the mark is NOFLOW now".to_owned()),
        (Mark::Flow | Mark::Imprecise | Mark::Open, Status::Violation)
        | (Mark::NoFlow, Status::NoPath | Status::Infeasible)
        | (Mark::Flow | Mark::NoFlow | Mark::Imprecise | Mark::Open, Status::Unknown(_)) => None,
    }
}

/// The complaints about a decider, over all cases.
fn complaints(decider: &Decider, built: bool) -> Vec<String> {
    let cases = cases();
    let results = parallel::map(&cases, 2, |_, case| {
        let asked = ask(&case.text, &case.entry, case.parameters, decider);
        if asked.seconds > 1.0 {
            println!("{} took {:.1} s", case.name, asked.seconds);
        }
        complaint(case.mark, &asked, built).map(|what| format!("{}: {what}", case.name))
    });
    results.into_iter().flatten().collect()
}

#[test]
fn marks_are_what_running_the_programs_shows() {
    let cases = cases();
    let results = parallel::map(&cases, 2, |_, case| {
        let truth = match runs::truth(&case.text, &case.entry, case.parameters, &case.domain) {
            Ok(truth) => truth,
            Err(message) => return Some(format!("{}: {message}", case.name)),
        };
        match (case.mark, truth.flow) {
            (Mark::Flow | Mark::Open, None) => Some(format!("{}: no two of {} runs differ", case.name, truth.runs)),
            (Mark::NoFlow | Mark::Imprecise, Some(flow)) => Some(format!("{}: two runs differ: {flow:?}", case.name)),
            (Mark::Flow | Mark::Open, Some(_)) | (Mark::NoFlow | Mark::Imprecise, None) => None,
        }
    });
    let wrong: Vec<String> = results.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn verdicts_are_what_the_programs_say() {
    let wrong = complaints(&asking::flowcheck, BUILT);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn slices_deny_no_flow_that_a_mark_tells_of() {
    let unsound: Vec<String> =
        complaints(&asking::slicing, true).into_iter().filter(|text| text.contains("UNSOUND")).collect();
    assert!(unsound.is_empty(), "{unsound:#?}");
}

#[test]
fn every_wrong_verdict_is_noticed() {
    let flows = cases().iter().filter(|case| matches!(case.mark, Mark::Flow | Mark::Open)).count();
    let wrong = complaints(&|_, _, _, _| Decision::plain(Status::Infeasible), true);
    assert_eq!(wrong.iter().filter(|text| text.contains("UNSOUND")).count(), flows, "{wrong:#?}");
    assert!(wrong.iter().any(|text| text.contains("the mark is NOFLOW now")), "{wrong:#?}");
    let wrong = complaints(&|_, _, _, _| Decision::plain(Status::Violation), true);
    assert!(wrong.len() > 100 && wrong.iter().all(|text| text.contains("false alarm")), "{wrong:#?}");
    let wrong = complaints(&|_, _, _, _| Decision::unknown("no time"), true);
    assert!(wrong.len() > flows + 100 && wrong.iter().all(|text| text.contains("no time")), "{wrong:#?}");
}

#[test]
fn what_was_stopped_before_or_has_no_time_is_unknown() {
    let cases = cases();
    let some: Vec<&Case> = cases.iter().step_by(9).collect();
    for case in some {
        let stopped = ask(&case.text, &case.entry, case.parameters, &|setting, question, limits, stop| {
            stop.stop();
            asking::flowcheck(setting, question, limits, stop)
        });
        // What slicing shows needs no question.
        let unknown = |asked: &Asked, why: &str| match &asked.decision.status {
            Status::Unknown(reason) => reason == why,
            Status::NoPath => true,
            Status::Infeasible | Status::Violation => false,
        };
        assert!(unknown(&stopped, STOPPED), "{}: {:?}", case.name, stopped.decision.status);
        let late = ask(&case.text, &case.entry, case.parameters, &|setting, question, limits, stop| {
            let none = Limits { time: Duration::ZERO, ..*limits };
            asking::flowcheck(setting, question, &none, stop)
        });
        assert!(unknown(&late, "the time limit was reached"), "{}: {:?}", case.name, late.decision.status);
    }
}

#[test]
fn verdicts_do_not_depend_on_the_evaluation() {
    let cases = cases();
    let some: Vec<&Case> = cases.iter().step_by(5).collect();
    let with = |evaluation| -> Box<Decider> {
        Box::new(move |setting, question, limits, stop| {
            asking::flowcheck(setting, question, &Limits { evaluation, ..*limits }, stop)
        })
    };
    let ways = [Evaluation::Nested, Evaluation::Flat, Evaluation::Plain].map(with);
    let results = parallel::map(&some, 2, |_, case| {
        let told: Vec<Status> =
            ways.iter().map(|way| ask(&case.text, &case.entry, case.parameters, way).decision.status).collect();
        let decided: Vec<bool> = told
            .iter()
            .filter_map(|status| match status {
                Status::Violation => Some(true),
                Status::NoPath | Status::Infeasible => Some(false),
                Status::Unknown(_) => None,
            })
            .collect();
        (decided.len(), decided.windows(2).all(|two| two[0] == two[1]), format!("{}: {told:?}", case.name))
    });
    let disagree: Vec<&String> = results.iter().filter(|(_, same, _)| !same).map(|(_, _, told)| told).collect();
    assert!(disagree.is_empty(), "{disagree:#?}");
    let whole = results.iter().filter(|(decided, ..)| *decided == ways.len()).count();
    assert!(whole * 10 >= results.len() * 9, "{whole} of {} decided by all", results.len());
}
