//! Questions and their answers. Data only.

use std::time::Duration;

use crate::chop::Barriers;
use crate::ir::{FuncId, Program};
use crate::pathcond::channels::Merged;
use crate::pointsto::PointsTo;
use crate::policy::Overflow;
use crate::sdg::{NodeId, NodeSet, Sdg};
use crate::source::{Place, Sources};

/// The program, and what holds for all questions about it.
#[derive(Clone, Copy)]
pub struct Setting<'a> {
    /// Its text.
    pub sources: &'a Sources,
    /// What it means.
    pub program: &'a Program,
    /// What its pointers point to, and whom its calls reach.
    pub points_to: &'a PointsTo,
    /// Its dependences.
    pub sdg: &'a Sdg,
    /// What a signed overflow means.
    pub overflow: Overflow,
    /// The nodes of all sources, of whatever domain: their values are arbitrary.
    pub arbitrary: &'a NodeSet,
}

/// Whether, and when, something influences something.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The nodes of the source.
    pub from: &'a [NodeId],
    /// The nodes of the sink.
    pub to: &'a [NodeId],
    /// Only the values at the sink are seen, not whether it is executed.
    pub values_only: bool,
    /// What no path may visit: declassified or avoided nodes.
    pub barriers: &'a Barriers,
    /// Paths must visit one node of each of these, in this order.
    pub via: &'a [Vec<NodeId>],
    /// What who watches the sink cannot tell apart; all that the sink's domain has.
    pub merged: &'a [Merged],
}

/// How much may be spent on one question.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time.
    pub time: Duration,
    /// Decision nodes of one diagram.
    pub nodes: usize,
    /// Candidate paths that are solved.
    pub paths: usize,
    /// How conditions are evaluated, for measurements.
    pub evaluation: Evaluation,
}

/// How conditions are evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Evaluation {
    /// Decision diagrams along the nesting of intervals.
    #[default]
    Nested,
    /// Decision diagrams without the nesting.
    Flat,
    /// Without decision diagrams.
    Plain,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { time: Duration::from_secs(60), nodes: 2_000, paths: 300, evaluation: Evaluation::Nested }
    }
}

/// Why nothing is known when somebody stopped the run.
pub const STOPPED: &str = "the run was stopped";

/// What became of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// There is no dependence path.
    NoPath,
    /// No path can be taken.
    Infeasible,
    /// A path can be taken: there is a witness.
    Violation,
    /// It could not be told, and why.
    Unknown(String),
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub struct Decision {
    /// What became of it.
    pub status: Status,
    /// How many runs the condition speaks of: 1, or 2 where something must not happen in one of them.
    pub runs: u8,
    /// When the flow happens.
    pub condition: Option<Shown>,
    /// Why it cannot: atoms that contradict each other.
    pub because: Vec<Atom>,
    /// How it happens, for example.
    pub witness: Option<Witness>,
    /// The share of all cases in which the condition holds: 1 if always. Violations with a greater one come first.
    pub strength: f64,
    /// What it took.
    pub statistics: Statistics,
}

impl Decision {
    /// Nothing but a status.
    pub fn plain(status: Status) -> Decision {
        Decision {
            status,
            runs: 1,
            condition: None,
            because: Vec::new(),
            witness: None,
            strength: 0.0,
            statistics: Statistics::default(),
        }
    }
    /// It could not be told.
    pub fn unknown(reason: impl Into<String>) -> Decision {
        Decision::plain(Status::Unknown(reason.into()))
    }
}

/// A predicate in C, and where it is decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// In C.
    pub text: String,
    /// Where.
    pub place: Place,
}

/// A condition as people read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// As one text, valid C.
    pub text: String,
    /// The same as a disjunction of conjunctions. Empty: see `text`, which names shared parts.
    pub clauses: Vec<Vec<Atom>>,
    /// Equations between values that matter for it, for reading.
    pub equations: Vec<String>,
    /// Solved for the program's inputs, where that succeeds.
    pub inputs: Option<String>,
}

/// How a flow happens, for example.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// What the program gets.
    pub inputs: Vec<Input>,
    /// What it does, from the source to the sink.
    pub path: Vec<Step>,
}

/// A value that the program gets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Input {
    /// What gets it.
    pub name: String,
    /// Where.
    pub place: Place,
    /// The value.
    pub value: String,
    /// The value in the second run, if it is another.
    pub other: Option<String>,
}

/// A step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// The node.
    pub node: NodeId,
    /// The C text.
    pub place: Place,
    /// The function it is in.
    pub function: FuncId,
    /// The run that takes it.
    pub run: Run,
    /// How the step before leads here.
    pub kind: Kind,
}

/// The run that takes a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Run {
    /// The first.
    A,
    /// The second.
    B,
    /// Both, with different values.
    Both,
}

/// How one step leads to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
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

/// What a decision took.
#[derive(Clone, Copy, PartialEq, Debug, Default, serde::Serialize)]
pub struct Statistics {
    /// Nodes of the chop.
    pub chop: usize,
    /// Intervals of the condition system that are no single point, reducible ones.
    pub reducible: usize,
    /// Irreducible ones.
    pub irreducible: usize,
    /// Atoms.
    pub atoms: usize,
    /// Points of the condition system.
    pub points: usize,
    /// Edges of the condition system.
    pub edges: usize,
    /// Nodes of the largest decision diagram.
    pub largest: usize,
    /// Nodes of all of them.
    pub diagrams: usize,
    /// How often a limit weakened a condition.
    pub weakened: usize,
    /// Candidate paths that were solved.
    pub paths: usize,
    /// Seconds for the chop.
    pub chop_seconds: f64,
    /// Seconds for the condition.
    pub condition_seconds: f64,
    /// Seconds for the paths.
    pub solve_seconds: f64,
}
