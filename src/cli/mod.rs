//! The command line: words in, text on standard output and standard error, an exit code out.
//!
//! Invariant: standard output gets the result and nothing else, in one piece, after everything that can fail is done; so with exit
//! code 2 nothing is there. No way leads to a panic's own message or exit code: a broken invariant inside flowcheck is told as an
//! internal error, with exit code 2.

mod args;
mod argv;
mod check;
mod dependence;
mod explain;
mod file;
mod settings;
mod show;

use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use miette::{GraphicalReportHandler, GraphicalTheme};

use crate::base::progress::Progress;
use crate::config::{Check, Color, Config, Emit, Format, Graph, GraphKind, Job, Program, Talk, Verbosity};
use crate::error::UserError;
use crate::source::Sources;
use crate::{ir, solve, threads};
use settings::Settings;

/// The exit codes that scripts rely on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Code {
    /// Noninterference holds, or the command is done.
    Done = 0,
    /// A violation, or an unknown verdict.
    Found = 1,
    /// The run could not be made.
    Failed = 2,
}

/// What a job came to. [`UserError`]s aside, which are told in one place.
enum Outcome {
    /// The text for standard output, and the exit code.
    Done(Vec<u8>, Code),
    /// The run could not be made, and the user has been told why.
    Failed,
}

/// Runs flowcheck with the words of a command line, the program's name first.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    panic::set_hook(Box::new(tell_internal_error));
    let words: Vec<OsString> = words.collect();
    let code = panic::catch_unwind(AssertUnwindSafe(|| run(words))).unwrap_or(Code::Failed);
    ExitCode::from(code as u8)
}

fn run(words: Vec<OsString>) -> Code {
    let command = command_words(&words);
    let config = match args::parse(words) {
        Ok(config) => config,
        Err(args::Stop::Clap(error)) => {
            // Help that nobody reads to its end is no error.
            let _ = error.print();
            return if error.exit_code() == 0 { Code::Done } else { Code::Failed };
        }
        Err(args::Stop::User(error)) => {
            tell_error(&error, is_colored(Color::Auto, &io::stderr()));
            return Code::Failed;
        }
    };
    match perform(&config, command) {
        Ok(Outcome::Done(text, code)) => write_result(&text, code),
        Ok(Outcome::Failed) => Code::Failed,
        Err(error) => {
            tell_error(&error, is_colored(config.talk.color, &io::stderr()));
            Code::Failed
        }
    }
}

/// The words of the command line for the report. Where the program is installed does not matter.
fn command_words(words: &[OsString]) -> Vec<String> {
    let rest = words.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
    std::iter::once("flowcheck".to_owned()).chain(rest).collect()
}

fn perform(config: &Config, command: Vec<String>) -> Result<Outcome, UserError> {
    match &config.job {
        Job::Completions(shell) => {
            let mut text = Vec::new();
            clap_complete::generate(*shell, &mut args::command(), "flowcheck", &mut text);
            Ok(Outcome::Done(text, Code::Done))
        }
        Job::Man => {
            let mut text = Vec::new();
            clap_mangen::Man::new(args::command()).render(&mut text).expect("writing to memory");
            Ok(Outcome::Done(text, Code::Done))
        }
        Job::Check(check) => {
            if let Some(emit) = check.emit {
                return perform_emit(check, emit, config.talk);
            }
            check::is_built(check)?;
            with_program(&check.program, ir::Form::Ssa, config.talk, |loaded| {
                check::check(loaded, check, config.talk, command)
            })
        }
        Job::Graph(graph) => perform_graph(graph, config.talk),
        Job::Slice(slice) => with_program(&slice.program, ir::Form::Ssa, config.talk, |loaded| {
            dependence::slice(loaded, slice).map(Some)
        }),
        Job::Chop(chop) => {
            with_program(&chop.program, ir::Form::Ssa, config.talk, |loaded| dependence::chop(loaded, chop).map(Some))
        }
        Job::Condition(condition) => {
            if condition.trace {
                return Err(not_built("--trace"));
            }
            with_program(&condition.chop.program, ir::Form::Ssa, config.talk, |loaded| {
                check::condition(loaded, condition, config.talk).map(Some)
            })
        }
        Job::Init(_) => Err(not_built("init")),
        Job::Explain { report, id } => {
            let text = explain::explain(report, id, is_colored(config.talk.color, &io::stdout()))?;
            Ok(Outcome::Done(text.into_bytes(), Code::Done))
        }
        Job::Replay { .. } => Err(not_built("replay")),
    }
}

fn perform_emit(check: &Check, emit: Emit, talk: Talk) -> Result<Outcome, UserError> {
    if check.format == Format::Sarif {
        return Err(show::no_sarif());
    }
    let (form, make): (ir::Form, Printer) = match emit {
        Emit::Ir => (ir::Form::Lowered, show::program),
        Emit::Ssa => (ir::Form::Ssa, show::program),
        Emit::PointsTo => (ir::Form::Ssa, dependence::emit_points_to),
        Emit::Sdg => (ir::Form::Ssa, dependence::emit_sdg),
        Emit::Chop => return Err(not_built("--emit chop")),
        Emit::Intervals => return Err(not_built("--emit intervals")),
        Emit::Condition => return Err(not_built("--emit condition")),
        Emit::Smt => return Err(not_built("--emit smt")),
    };
    with_program(&check.program, form, talk, |loaded| make(loaded, check.format).map(Some))
}

fn perform_graph(graph: &Graph, talk: Talk) -> Result<Outcome, UserError> {
    with_program(&graph.program, ir::Form::Ssa, talk, |loaded| {
        let made = match graph.kind {
            GraphKind::Cfg => show::graph(loaded, show::Kind::Cfg, graph).map(Made::plain),
            GraphKind::Callgraph => show::graph(loaded, show::Kind::Calls, graph).map(Made::plain),
            GraphKind::Pdg => dependence::graph(loaded, graph, dependence::Kind::Pdg),
            GraphKind::Sdg => dependence::graph(loaded, graph, dependence::Kind::Sdg),
            GraphKind::PointsTo => dependence::graph(loaded, graph, dependence::Kind::PointsTo),
        };
        made.map(Some)
    })
}

/// A program that was read, and how.
struct Loaded<'a> {
    sources: &'a Sources,
    program: &'a ir::Program,
    settings: &'a Settings,
    progress: &'a Progress,
}

/// What was made of it.
struct Made {
    /// For standard output.
    text: String,
    /// What `--verbose` counts besides.
    counts: Vec<(&'static str, usize)>,
    /// What it rests on, if that is more than the program's form does.
    assumptions: Option<Vec<ir::Assumption>>,
    /// The text tells all this by itself.
    tells_all: bool,
    /// The exit code.
    code: Code,
}

/// Shows a phase's result.
type Printer = fn(&Loaded<'_>, Format) -> Result<Made, UserError>;

impl Made {
    /// Only a text.
    fn plain(text: String) -> Made {
        Made { text, counts: Vec::new(), assumptions: None, tells_all: false, code: Code::Done }
    }
}

/// Reads the program, tells what is to be said of it, and makes the result from it; `None`: it cannot be made, and the user has been told why.
fn with_program(
    wanted: &Program,
    form: ir::Form,
    talk: Talk,
    make: impl FnOnce(&Loaded<'_>) -> Result<Option<Made>, UserError>,
) -> Result<Outcome, UserError> {
    solve::check_version()?;
    let settings = settings::with_policy(wanted)?;
    let progress = if talk.progress && io::stderr().is_terminal() { Progress::terminal() } else { Progress::silent() };
    let (entry, jobs) = (settings.wanted.entry.clone(), settings.wanted.limits.jobs);
    let options = ir::Options { entry, keep: threads::names(&settings.policy), form, jobs };
    let read = crate::read(&settings.wanted.request, &options, &progress)?;
    show::diagnostics(&read.sources, &read.diagnostics, talk.verbosity, is_colored(talk.color, &io::stderr()));
    let loaded = |program| Loaded { sources: &read.sources, program, settings: &settings, progress: &progress };
    let made = read.program.as_ref().map(|program| make(&loaded(program))).transpose()?.flatten();
    if talk.verbosity == Verbosity::Verbose && !made.as_ref().is_some_and(|made| made.tells_all) {
        if let Some(policy) = &settings.file {
            tell(&format!("{:<12} {}", "policy", policy.display()));
        }
        if let Some(program) = &read.program {
            let assumptions = made.as_ref().and_then(|made| made.assumptions.as_ref()).unwrap_or(&program.assumptions);
            show::assumptions(&read.sources, assumptions);
            show::statistics(&read.sources, program, assumptions);
        }
        for (what, number) in made.iter().flat_map(|made| &made.counts) {
            show::tell_count(what, *number);
        }
        for (phase, took) in progress.timings() {
            tell(&format!("{phase:<12} {:>9.3} s", took.as_secs_f64()));
        }
    }
    Ok(made.map_or(Outcome::Failed, |made| Outcome::Done(made.text.into_bytes(), made.code)))
}

/// A command or an option of the interface that a later version fills.
fn not_built(what: &str) -> UserError {
    let name = if what.starts_with("--") { what.to_owned() } else { format!("flowcheck {what}") };
    UserError::usage(
        format!("`{name}` is not built yet: a later version has it"),
        "what works: `flowcheck check` with `--format text|json` and `--report FILE.json`, `condition`, `explain`, `slice`, `chop`, `graph`, and \
         `--emit ir|ssa|points-to|sdg`",
    )
}

/// Writes the result. A reader that went away (`flowcheck … | head`) has all it wanted.
fn write_result(text: &[u8], code: Code) -> Code {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Ok(()) => code,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => code,
        Err(error) => {
            tell(&format!("flowcheck: the result cannot be written: {error}"));
            Code::Failed
        }
    }
}

/// A line on standard error, if anybody is there to read it.
fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn tell_error(error: &UserError, color: bool) {
    let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let mut text = String::new();
    let width = 120;
    if GraphicalReportHandler::new_themed(theme).with_width(width).render_report(&mut text, error).is_err() {
        text = error.to_string();
    }
    tell(text.trim_end());
}

/// Whether text on a stream is coloured.
fn is_colored(color: Color, stream: &impl IsTerminal) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
                || std::env::var_os("TERM").is_some_and(|v| v == "dumb");
            !plain && stream.is_terminal()
        }
    }
}

/// The panic hook. Several workers may stumble over the same thing: it is told once.
fn tell_internal_error(info: &PanicHookInfo<'_>) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if TOLD.swap(true, Ordering::Relaxed) {
        return;
    }
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied().or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let what = text.unwrap_or("no message");
    let place = info.location().map_or_else(String::new, |l| format!(" ({}:{})", l.file(), l.line()));
    tell(&format!(
        "flowcheck: internal error: {what}{place}\n\
         This is a fault in flowcheck {}, not in your program; there is no result. Please report it, with the C file if you can.",
        env!("CARGO_PKG_VERSION")
    ));
    let backtrace = std::backtrace::Backtrace::capture();
    if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
        tell(&backtrace.to_string());
    }
}
