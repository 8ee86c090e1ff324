//! Asking whether what `src()` gives influences `sink()`: of a text without headers, for one entry.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use flowcheck::base::progress::Progress;
use flowcheck::chop::{self, Barriers};
use flowcheck::ir::Program;
use flowcheck::pathcond::channels::{self, Place};
use flowcheck::policy::Policy;
use flowcheck::sdg::{NodeId, NodeKind, NodeSet, SiteId};
use flowcheck::select::{self, Point, Role, View};
use flowcheck::solve::z3::Interrupt;
use flowcheck::source::Sources;
use flowcheck::witness::{self, Decision, Limits, Question, Setting, Status};

use crate::support::runs;

/// Whether `witness::decide` decides. Until then every answer of its may be `Unknown`; a wrong one is wrong already.
pub const BUILT: bool = true;

/// Whatever decides questions.
pub type Decider = dyn Fn(&Setting<'_>, &Question<'_>, &Limits, &Interrupt) -> Decision + Sync;

/// flowcheck's own.
pub fn flowcheck(setting: &Setting<'_>, question: &Question<'_>, limits: &Limits, stop: &Interrupt) -> Decision {
    witness::decide(setting, question, limits, stop)
}

/// Slicing alone: where there is a dependence path, there is a flow.
pub fn slicing(setting: &Setting<'_>, question: &Question<'_>, _: &Limits, _: &Interrupt) -> Decision {
    let found = chop::chop(setting.sdg, question.from, question.to, question.barriers);
    Decision::plain(if found.is_empty() { Status::NoPath } else { Status::Violation })
}

/// An answer, and what it took.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The answer.
    pub decision: Decision,
    /// Seconds of the decider.
    pub seconds: f64,
}

impl Asked {
    /// Whether it says that nothing flows.
    pub fn is_denied(&self) -> bool {
        match self.decision.status {
            Status::NoPath | Status::Infeasible => true,
            Status::Violation | Status::Unknown(_) => false,
        }
    }
}

/// Limits that tests can wait for.
pub fn limits() -> Limits {
    Limits { time: Duration::from_secs(10), ..Limits::default() }
}

/// Asks about a text, whose `main` calls the entry once.
pub fn ask(text: &str, entry: &str, parameters: usize, decider: &Decider) -> Asked {
    let text = runs::with_main(text, entry, parameters);
    let (program, sources) = runs::read("asked.c", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    ask_program(&program, &sources, decider)
}

fn ask_program(program: &Program, sources: &Sources, decider: &Decider) -> Asked {
    let policy = Policy::default();
    let analysed = flowcheck::analyse(sources, program, &policy, &["main".to_owned()], 1, &Progress::silent());
    let analysed = analysed.unwrap_or_else(|e| panic!("{e:?}"));
    let (points_to, sdg) = (&analysed.points_to, &analysed.sdg);
    let view = View { sources, program, points_to, sdg };
    let calls = |name: &str, role| select::point(view, &Point::Calls(name.to_owned()), role);
    let (Ok(from), Ok(to)): (Result<Vec<NodeId>, _>, Result<Vec<NodeId>, _>) =
        (calls("src", Role::Source), calls("sink", Role::Sink))
    else {
        // No run comes to one of them.
        return Asked { decision: Decision::plain(Status::NoPath), seconds: 0.0 };
    };
    let arbitrary = NodeSet::of(sdg.nodes().len(), from.iter().copied());
    let setting =
        Setting { sources, program, points_to, sdg, overflow: policy.analysis.integer_overflow, arbitrary: &arbitrary };
    let barriers = Barriers::none();
    // All calls of `sink()` are one domain, each a place of it.
    let mut calls: BTreeMap<SiteId, Vec<NodeId>> = BTreeMap::new();
    for node in &to {
        let (NodeKind::Call(site) | NodeKind::ActualIn(site, _)) = sdg.nodes()[*node].kind else {
            panic!("{node} is no part of a call")
        };
        calls.entry(site).or_default().push(*node);
    }
    let places: Vec<Place<'_>> = calls.values().map(|nodes| Place { nodes, values_only: false }).collect();
    let merged = channels::merge(program, sdg, points_to, &places);
    let question =
        Question { from: &from, to: &to, values_only: false, barriers: &barriers, via: &[], merged: &merged };
    let start = Instant::now();
    let decision = decider(&setting, &question, &limits(), &Interrupt::new());
    Asked { decision, seconds: start.elapsed().as_secs_f64() }
}
