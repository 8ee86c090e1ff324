//! What the user wants, as plain data: the command line, parsed once.
//!
//! Invariant: every value here is valid by itself (a known kind, a positive number, a well-formed point), so no later phase looks
//! at the text of an option again. Whether a file exists is found out by whoever opens it.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

pub use crate::report::check::FailOn;
pub use crate::select::Point;
use crate::source::Request;
pub use crate::witness::Evaluation;

/// A run of flowcheck.
#[derive(Clone, Debug)]
pub struct Config {
    /// What to do.
    pub job: Job,
    /// How to talk about it.
    pub talk: Talk,
}

/// What a run is for.
#[derive(Clone, Debug)]
pub enum Job {
    /// Check a policy, or show a phase's result instead.
    Check(Box<Check>),
    /// A slice.
    Slice(Box<Slice>),
    /// A chop.
    Chop(Box<Chop>),
    /// A path condition.
    Condition(Box<Condition>),
    /// A graph.
    Graph(Box<Graph>),
    /// Write a starter policy.
    Init(Init),
    /// Tell one flow of a report again.
    Explain {
        /// The JSON report.
        report: PathBuf,
        /// The flow.
        id: String,
    },
    /// Run the confirmed witnesses of a report again.
    Replay {
        /// The JSON report.
        report: PathBuf,
        /// One flow; all of them where it is not given.
        id: Option<String>,
    },
    /// Print a completion script.
    Completions(clap_complete::Shell),
    /// Print the manual page.
    Man,
}

/// How to talk to the user, on standard error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Talk {
    /// How much.
    pub verbosity: Verbosity,
    /// Whether text for people is coloured.
    pub color: Color,
    /// Whether progress is shown on a terminal.
    pub progress: bool,
}

/// How much to tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verbosity {
    /// Errors and results.
    Quiet,
    /// Warnings too.
    Normal,
    /// Timings too.
    Verbose,
}

/// Whether text for people is coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Color {
    /// If it goes to a terminal.
    Auto,
    /// Yes.
    Always,
    /// No.
    Never,
}

/// The C program to look at, and what all commands that look at one take.
#[derive(Clone, Debug)]
pub struct Program {
    /// Files, compiler and flags.
    pub request: Request,
    /// Where it starts: `NAME` or `FILE::NAME`. Empty: `main`, or in a library every externally visible function.
    pub entry: Vec<String>,
    /// The policy file, if one is named.
    pub policy: Option<PathBuf>,
    /// What the run may use.
    pub limits: Limits,
}

/// What the run may use. A limit that is hit weakens the result to the sound side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Threads.
    pub jobs: usize,
    /// Time for each pair.
    pub timeout: Duration,
    /// Bytes of memory.
    pub memory: Option<u64>,
}

/// `flowcheck check`
#[derive(Clone, Debug)]
pub struct Check {
    /// The program.
    pub program: Program,
    /// Show this phase's result instead.
    pub emit: Option<Emit>,
    /// What goes to standard output.
    pub format: Format,
    /// Files to write.
    pub reports: Vec<ReportFile>,
    /// Run the witnesses.
    pub confirm: bool,
    /// Which verdicts fail.
    pub fail_on: FailOn,
    /// Flows that are known already.
    pub baseline: Option<PathBuf>,
    /// Write them anew.
    pub update_baseline: bool,
    /// Put timings into the report.
    pub timings: bool,
    /// How conditions are evaluated, for measurements.
    pub evaluation: Evaluation,
}

/// A phase whose result can be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Emit {
    /// The program after lowering and linking
    Ir,
    /// The program in SSA form
    Ssa,
    /// What each pointer may point to
    PointsTo,
    /// The system dependence graph
    Sdg,
    /// The chop of each pair
    Chop,
    /// The intervals of each chop
    Intervals,
    /// The path condition of each pair
    Condition,
    /// The solver's queries
    Smt,
}

/// The form of a check's result on standard output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// The report, for programs
    Json,
    /// For code scanning
    Sarif,
}

/// A report to write.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportFile {
    /// Where to.
    pub path: PathBuf,
    /// Its kind, from the ending.
    pub kind: ReportKind,
}

/// The kinds of report files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ReportKind {
    Json,
    Sarif,
    Html,
    Markdown,
    Latex,
}

impl FromStr for ReportFile {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let kind = match path.extension().and_then(|e| e.to_str()) {
            Some("json") => ReportKind::Json,
            Some("sarif") => ReportKind::Sarif,
            Some("html") => ReportKind::Html,
            Some("md") => ReportKind::Markdown,
            Some("tex") => ReportKind::Latex,
            _ => return Err("the ending says what to write: .json, .sarif, .html, .md or .tex".to_owned()),
        };
        Ok(ReportFile { path, kind })
    }
}

/// The form of slices, chops and conditions on standard output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum ListFormat {
    /// For people
    Text,
    /// For programs
    Json,
}

/// `flowcheck slice`
#[derive(Clone, Debug)]
pub struct Slice {
    /// The program.
    pub program: Program,
    /// From where, or to where.
    pub criterion: Criterion,
    /// What goes to standard output.
    pub format: ListFormat,
}

/// Which way a slice goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Criterion {
    /// Forward: what the point can influence.
    From(Point),
    /// Backward: what can influence the point.
    To(Point),
}

/// `flowcheck chop`
#[derive(Clone, Debug)]
pub struct Chop {
    /// The program.
    pub program: Program,
    /// Where flows start.
    pub from: Point,
    /// Where they end.
    pub to: Point,
    /// What goes to standard output.
    pub format: ListFormat,
}

/// `flowcheck condition`
#[derive(Clone, Debug)]
pub struct Condition {
    /// The chop whose paths are meant.
    pub chop: Chop,
    /// Only paths through all of these, in this order.
    pub via: Vec<Point>,
    /// Only paths through none of these.
    pub avoid: Vec<Point>,
    /// Tell how the condition came about.
    pub trace: bool,
    /// How the condition is evaluated, for measurements.
    pub evaluation: Evaluation,
}

/// `flowcheck graph`
#[derive(Clone, Debug)]
pub struct Graph {
    /// The program.
    pub program: Program,
    /// Which graph.
    pub kind: GraphKind,
    /// Only this function, `NAME` or `FILE::NAME`.
    pub function: Option<String>,
    /// What goes to standard output.
    pub format: GraphFormat,
}

/// The graphs that can be shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum GraphKind {
    /// Control flow of each function
    Cfg,
    /// Dependences inside each function
    Pdg,
    /// Dependences of the whole program
    Sdg,
    /// Who calls whom
    Callgraph,
    /// What each pointer may point to
    PointsTo,
}

/// The forms of a graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum GraphFormat {
    /// For graphviz
    Dot,
    /// For programs
    Json,
    /// A picture
    Svg,
}

/// `flowcheck init`
#[derive(Clone, Debug)]
pub struct Init {
    /// The program that the policy is to be for.
    pub paths: Vec<PathBuf>,
    /// Where to write it; `-` is standard output.
    pub output: PathBuf,
}

/// Bytes, with an optional unit of 1024: `2G`, `512M`, `64K`.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match text[digits.len()..].trim_end_matches(['B', 'i']) {
        "" => 0,
        "K" | "k" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err("a number of bytes, or with a unit: 512M, 2G".to_owned()),
    };
    let number: u64 = digits.parse().map_err(|_| "a number of bytes, or with a unit: 512M, 2G".to_owned())?;
    number.checked_mul(1 << shift).filter(|n| *n > 0).ok_or_else(|| "a positive number of bytes".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{ReportFile, ReportKind, parse_bytes};

    #[test]
    fn a_report_is_what_its_ending_says() {
        let kind = |name: &str| name.parse::<ReportFile>().map(|r| r.kind);
        assert_eq!(kind("out/r.sarif"), Ok(ReportKind::Sarif));
        assert_eq!(kind("r.v2.tex"), Ok(ReportKind::Latex));
        assert!(kind("report.pdf").is_err_and(|e| e.contains(".html")));
        assert!(kind("json").is_err());
    }

    #[test]
    fn bytes_have_units() {
        assert_eq!(parse_bytes("4096"), Ok(4096));
        assert_eq!(parse_bytes("2G"), Ok(2 << 30));
        assert_eq!(parse_bytes("512MiB"), Ok(512 << 20));
        for bad in ["", "G", "0", "-1", "1.5G", "2X", "99999999999999999999", "18446744073709551615K"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
    }
}
