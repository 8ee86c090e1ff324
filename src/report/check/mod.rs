//! The result of a check, as plain data: the JSON report of schema 1 (`docs/REPORT.md`, `docs/report.schema.json`), and the same
//! for people.
//!
//! Invariant: counts and verdict follow from the flows ([`Report::new`]); the members of the JSON have one order.

pub mod fingerprint;
mod figures;
mod quote;
mod text;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use quote::{Lines, lines_on_disk};
use serde::{Deserialize, Serialize};
pub use text::{TextOptions, condition_text, flow_text, text};

/// The version of the report's format.
pub const SCHEMA: u32 = 1;

/// What a check found.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// [`SCHEMA`]
    pub schema: u32,
    /// `flowcheck`
    pub tool: String,
    /// The version of flowcheck.
    pub version: String,
    /// The policy's name.
    pub policy: String,
    /// The words of the command line.
    pub command: Vec<String>,
    /// The answer.
    pub verdict: Verdict,
    /// How many pairs came to what.
    pub counts: Counts,
    /// Every pair with a dependence path.
    pub flows: Vec<Flow>,
    /// What the verdict rests on.
    pub assumptions: Vec<Assumption>,
    /// How large the program is, and how long it took.
    pub statistics: Statistics,
}

/// The answer for all pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No forbidden flow is possible, but for those that were accepted.
    Secure,
    /// One is possible.
    Violated,
    /// It could not be told of all.
    Unknown,
}

/// How many pairs came to what; each is counted once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Counts {
    pub pairs: usize,
    pub no_path: usize,
    pub infeasible: usize,
    pub declassified: usize,
    pub baselined: usize,
    pub violation: usize,
    pub unknown: usize,
}

/// What became of a pair with a dependence path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The flow is possible.
    Violation,
    /// It is not.
    Infeasible,
    /// Only on ways that the policy allows.
    Declassified,
    /// It could not be told.
    Unknown,
}

/// A pair of a source and a sink.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Flow {
    /// Stays the same when lines move ([`fingerprint`]).
    pub id: String,
    /// The source.
    pub from: End,
    /// The sink.
    pub to: End,
    /// What became of it.
    pub status: Status,
    /// Of an unknown one: why. Of a declassified one: the reviewer's reason.
    pub reason: Option<String>,
    /// It is in the baseline.
    pub baselined: bool,
    /// Whether running the program showed it; `None`: not tried.
    pub confirmed: Option<bool>,
    /// How many runs the condition speaks of: 1, or 2 where the flow needs something not to happen in one of them.
    pub runs: u8,
    /// When it happens.
    pub condition: Option<Condition>,
    /// Of an infeasible one: the atoms that contradict each other.
    pub because: Vec<Atom>,
    /// How it happens, for example.
    pub witness: Option<Witness>,
    /// What this rests on: indices into [`Report::assumptions`].
    pub assumptions: Vec<usize>,
    /// What a run of the program left.
    pub evidence: Option<Evidence>,
}

/// A source or a sink.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct End {
    /// Its domain.
    pub domain: String,
    /// `p_cd`, `printf argument 3` …
    pub what: String,
    /// From where the command ran.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in bytes.
    pub column: u32,
}

/// When a flow happens.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Condition {
    /// The condition as one text.
    pub text: String,
    /// The same as a disjunction of conjunctions.
    pub clauses: Vec<Vec<Atom>>,
    /// Equations between values that occur in it, for reading.
    #[serde(default)]
    pub equations: Vec<String>,
    /// The same for the program's inputs, where it could be solved for them.
    pub inputs: Option<String>,
}

/// A predicate, in C.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Atom {
    /// In C.
    pub text: String,
    /// Where it is decided.
    pub file: String,
    /// From 1.
    pub line: u32,
}

/// How a flow happens, for example.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Witness {
    /// What the program gets.
    pub inputs: Vec<Input>,
    /// What it does.
    pub path: Vec<Step>,
}

/// A value that the program gets.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Input {
    /// What gets it.
    pub name: String,
    /// Where.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// The value.
    pub value: String,
    /// The value in the second run, if it is another.
    pub other: Option<String>,
}

/// A step of a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1, in bytes.
    pub column: u32,
    /// The function it is in.
    pub function: String,
    /// The thread, where there are several.
    pub thread: Option<String>,
    /// The run that takes it.
    pub run: Run,
    /// The C text.
    pub text: String,
    /// How the step before leads here.
    pub kind: StepKind,
}

/// The run that takes a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Run {
    /// The first; the only one where one is enough.
    A,
    /// The second.
    B,
    /// Both, with different values.
    #[serde(rename = "both")]
    Both,
}

/// How one step leads to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// By a value.
    Data,
    /// By deciding whether it is taken.
    Control,
    /// Into a function.
    Call,
    /// Out of a function.
    Return,
    /// From one thread to another.
    Interference,
}

/// What a run of the program left.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Evidence {
    /// The folder.
    pub dir: String,
    /// What was run.
    pub how: How,
}

/// What was run to confirm a flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// The program itself.
    Program,
    /// The program in flowcheck's interpreter.
    Interpreter,
}

/// What a verdict rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Assumption {
    /// `unknown-function`, `inline-asm` …: words with hyphens, the same for all of one kind.
    pub kind: String,
    /// What is assumed.
    pub text: String,
    /// Where; empty if it is about the whole program.
    pub file: String,
    /// From 1; 0 if it is about the whole program.
    pub line: u32,
}

/// How large the program is, and how long it took.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Statistics {
    pub lines: usize,
    pub functions: usize,
    pub sdg_nodes: usize,
    pub sdg_edges: usize,
    pub summary_edges: usize,
    pub stand_ins: usize,
    /// Of each phase; empty without timings.
    pub seconds: BTreeMap<String, f64>,
    /// What the decision of each flow took, in the order of the flows.
    #[serde(default)]
    pub conditions: Vec<ConditionStatistics>,
}

/// What the decision of a flow took: the figures of tables II and III of the paper.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ConditionStatistics {
    /// The flow's id.
    pub flow: String,
    /// Nodes of the chop.
    pub chop: usize,
    /// Reducible intervals of the condition system that are more than one point.
    pub reducible: usize,
    /// Irreducible ones.
    pub irreducible: usize,
    /// Atoms of the condition.
    pub atoms: usize,
    /// Points of the condition system.
    pub points: usize,
    /// Edges of the condition system.
    pub edges: usize,
    /// Nodes of the largest decision diagram.
    pub largest: usize,
    /// Nodes of all decision diagrams.
    pub diagrams: usize,
    /// How often a limit weakened the condition.
    pub weakened: usize,
    /// Candidate paths that were solved.
    pub paths: usize,
    /// `chop`, `condition`, `solve`; empty without timings.
    pub seconds: BTreeMap<String, f64>,
}

/// Which verdicts make the exit code 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum FailOn {
    /// Violations and unknown verdicts
    Unknown,
    /// Violations
    Violation,
    /// None
    Never,
}

impl Report {
    /// The report of these flows and of `no_path` pairs without a path. Counts and verdict follow from them.
    pub fn new(
        policy: String,
        command: Vec<String>,
        flows: Vec<Flow>,
        no_path: usize,
        assumptions: Vec<Assumption>,
        statistics: Statistics,
    ) -> Report {
        let counts = Counts::of(&flows, no_path);
        Report {
            schema: SCHEMA,
            tool: "flowcheck".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            policy,
            command,
            verdict: counts.verdict(),
            counts,
            flows,
            assumptions,
            statistics,
        }
    }
    /// The JSON, ending with a line feed. The same report gives the same bytes.
    pub fn json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data has a JSON form");
        text.push('\n');
        text
    }
    /// The report in a JSON text; the error says what is wrong with it.
    pub fn from_json(text: &str) -> Result<Report, String> {
        let report: Report = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if report.schema != SCHEMA {
            return Err(format!("it has schema {}, this flowcheck reads schema {SCHEMA}", report.schema));
        }
        let count = report.assumptions.len();
        if let Some(index) = report.flows.iter().flat_map(|flow| &flow.assumptions).find(|index| **index >= count) {
            return Err(format!("a flow names the assumption {index}, but there are only {count}"));
        }
        Ok(report)
    }
}

impl Counts {
    /// How many of the flows came to what, and `no_path` pairs without a path. What is in the baseline is counted there alone.
    pub fn of(flows: &[Flow], no_path: usize) -> Counts {
        let mut counts = Counts { pairs: flows.len() + no_path, no_path, ..Counts::default() };
        for flow in flows {
            *match flow.status {
                Status::Violation | Status::Unknown if flow.baselined => &mut counts.baselined,
                Status::Violation => &mut counts.violation,
                Status::Unknown => &mut counts.unknown,
                Status::Infeasible => &mut counts.infeasible,
                Status::Declassified => &mut counts.declassified,
            } += 1;
        }
        counts
    }
    /// Violated if a violation is not in the baseline, else unknown if something unknown is not.
    pub fn verdict(self) -> Verdict {
        match self {
            Counts { violation: 1.., .. } => Verdict::Violated,
            Counts { unknown: 1.., .. } => Verdict::Unknown,
            Counts { .. } => Verdict::Secure,
        }
    }
}

/// The exit code of a check that could be made: 0 or 1.
pub fn exit_code(verdict: Verdict, fail_on: FailOn) -> u8 {
    let fails = match (verdict, fail_on) {
        (Verdict::Secure, _) | (_, FailOn::Never) | (Verdict::Unknown, FailOn::Violation) => false,
        (Verdict::Violated, FailOn::Violation | FailOn::Unknown) | (Verdict::Unknown, FailOn::Unknown) => true,
    };
    u8::from(fails)
}
