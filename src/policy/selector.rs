//! What the policy says about places of the program: sources and sinks, exceptions, assumptions, threads. Data only.
//!
//! Nothing here has been looked for in the program yet. Whoever does, tells what matches nothing at the place that is kept with
//! each pattern, by [`Origin::error`](super::Origin::error).

use super::condition::Condition;
use super::domain::DomainId;
use super::pattern::{
    Exception, FieldPattern, FilePattern, FunctionPattern, LinePattern, ParameterPattern, VariablePattern,
};
use super::place::{At, Span};

/// `[[source]]`, `[[sink]]` or `[[place]]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selector {
    /// Which of them.
    pub role: Role,
    /// The domains that its places belong to.
    pub domains: Vec<DomainId>,
    /// Which places.
    pub what: What,
    /// Which of these.
    pub narrow: Narrow,
    /// What of them is seen.
    pub observe: Observe,
    /// Whether it may match nothing.
    pub optional: bool,
    /// The table in the policy.
    pub at: Span,
}

impl Selector {
    /// Whether its places are sources.
    pub fn is_source(&self) -> bool {
        matches!(self.role, Role::Source | Role::Place)
    }
    /// Whether its places are sinks.
    pub fn is_sink(&self) -> bool {
        matches!(self.role, Role::Sink | Role::Place)
    }
}

/// What a selector makes of its places.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// `[[source]]`
    Source,
    /// `[[sink]]`
    Sink,
    /// `[[place]]`: both.
    Place,
}

/// The main key. `docs/POLICY.md` says what each means as a source and as a sink.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum What {
    /// `function`, with `arguments` or without.
    #[allow(missing_docs, reason = "the names say it")]
    Function { functions: Vec<At<FunctionPattern>>, arguments: Option<Vec<At<Arguments>>> },
    /// `result`
    Result(Vec<At<FunctionPattern>>),
    /// `variable`
    Variable(Vec<At<VariablePattern>>),
    /// `field`
    Field(Vec<At<FieldPattern>>),
    /// `parameter`
    Parameter(Vec<At<ParameterPattern>>),
    /// `register`: an lvalue as the program spells it, with its macros.
    Register(Vec<At<String>>),
    /// `address`
    Address(Vec<At<u64>>),
    /// `location`
    Location(Vec<At<LinePattern>>),
    /// `region`, without `except`.
    #[allow(missing_docs, reason = "the names say it")]
    Region { files: Vec<At<FilePattern>>, except: Vec<At<Exception>> },
    /// `region_function`, without `except`.
    #[allow(missing_docs, reason = "the names say it")]
    RegionFunction { functions: Vec<At<FunctionPattern>>, except: Vec<At<Exception>> },
    /// `rest`: every statement in no region, without `except`.
    #[allow(missing_docs, reason = "the names say it")]
    Rest { except: Vec<At<Exception>>, at: Span },
}

/// Arguments of a call: one of them, or that one and all later ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arguments {
    /// From 1.
    pub first: u32,
    /// `N..`
    pub and_later: bool,
}

impl Arguments {
    /// Whether the argument with this number, from 1, is among them.
    pub fn contains(self, number: u32) -> bool {
        number == self.first || self.and_later && number > self.first
    }
}

/// The keys that narrow; empty ones do not.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Narrow {
    /// `in_file`
    pub in_file: Vec<At<FilePattern>>,
    /// `in_function`
    pub in_function: Vec<At<FunctionPattern>>,
    /// `with`: calls whose argument (from 1) may be one of these objects, for all arguments that are listed.
    pub with: Vec<(u32, Vec<At<VariablePattern>>)>,
}

/// What of a sink is seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Observe {
    /// Values, and whether, how often and in which order they come.
    #[default]
    Everything,
    /// `observe = "value"`: values only.
    Value,
}

/// `[[declassify]]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declassify {
    /// From these domains …
    pub from: Vec<DomainId>,
    /// … to these, flows are allowed …
    pub to: Vec<DomainId>,
    /// … that pass here.
    pub through: Through,
    /// Only there.
    pub narrow: Narrow,
    /// Whether it may match nothing.
    pub optional: bool,
    /// Why, for the report.
    pub reason: String,
    /// The table in the policy.
    pub at: Span,
}

/// Where an allowed path passes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Through {
    /// It leaves a call of the function by its result or what it writes.
    Function(Vec<At<FunctionPattern>>),
    /// The statements there.
    Location(Vec<At<LinePattern>>),
    /// Definitions of the variable.
    Variable(Vec<At<VariablePattern>>),
}

/// `[[assume]]`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assume {
    /// Where the conditions hold.
    pub scope: AssumeScope,
    /// What holds there, all of it. The places in an [`Expr`](super::condition::Expr) are those in the condition's text, which
    /// stands at `at`: [`Origin::part`](super::Origin::part) puts them together.
    pub conditions: Vec<At<Condition>>,
    /// Whether it may match nothing.
    pub optional: bool,
    /// Why.
    pub reason: Option<String>,
    /// The table in the policy.
    pub at: Span,
}

/// Where an assumption holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AssumeScope {
    /// On these lines.
    Location(Vec<At<LinePattern>>),
    /// In these functions.
    Function(Vec<At<FunctionPattern>>),
}

/// `[[thread]]`: what runs beside the program without being started by it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// The functions; a name may be a macro of the program that stands for one (an interrupt vector).
    pub entry: Vec<At<FunctionPattern>>,
    /// What it is.
    pub kind: ThreadKind,
    /// Higher ones interrupt lower ones; without one it may be any.
    pub priority: Option<i64>,
    /// How many of it run at once.
    pub instances: Instances,
    /// The table in the policy.
    pub at: Span,
}

/// What runs beside the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ThreadKind {
    /// It takes turns with the program, in any way.
    #[default]
    Task,
    /// It runs to its end whenever it begins.
    Interrupt,
}

/// How many of a thread run at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Instances {
    /// One.
    #[default]
    One,
    /// Any number.
    Many,
}
