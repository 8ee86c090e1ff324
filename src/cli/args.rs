//! The command line as `clap` sees it, and the way from there to a [`Config`].

#![expect(clippy::doc_markdown, reason = "the doc comments of options are the text of --help, which is not markdown")]

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, Resettable, TypedValueParser};
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use super::argv;
use crate::config::{
    self, Color, Config, Criterion, Emit, Evaluation, FailOn, Format, GraphFormat, GraphKind, Job, Limits, ListFormat,
    Point, ReportFile, Talk, Verbosity,
};
use crate::error::UserError;
use crate::solve;
use crate::source::Request;

const EXAMPLES: &str = "\
Examples:
  flowcheck --policy scale.toml scale.c           does information flow where it must not?
  flowcheck --report r.json src                   with the flowcheck.toml of src, or of a folder above it
  flowcheck explain r.json 3f5c                   one flow of that report again, in full
  flowcheck condition --from main::p_cd --to scale.c:37:u_kg scale.c
  flowcheck slice --to scale.c:37 scale.c         the lines that can influence line 37
  flowcheck slice --from main::p_cd scale.c       what the variable p_cd of main can influence
  flowcheck chop --from 'read_key()' --to display.c:12:weight src
  flowcheck graph --kind callgraph src            who calls whom, for graphviz
  flowcheck graph --kind pdg --function main --format svg scale.c > main.svg
  flowcheck --emit ir -p build                    the project of build/compile_commands.json
  flowcheck --emit ir --cc 'avr-gcc -mmcu=atmega328p' -Iinc -DF_CPU=8000000 firmware
  flowcheck --emit ssa scale.c                    what flowcheck understood of a program

Options such as -include FILE, -isystem DIR and -std=c99 may be written as gcc writes them.

Exit code: 0 noninterference holds (other commands: done), 1 a violation or an unknown verdict, 2 the run could not be made.";

/// Tells whether information can flow where it must not in a C program, and proves its answer.
///
/// A policy names sources, sinks and the flows allowed between their domains. flowcheck reads the C program, follows every way by
/// which a source can influence a sink, and says under which condition it does, with a witness, or that it cannot.
#[derive(Parser, Debug)]
#[command(
    name = "flowcheck",
    version,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true,
    max_term_width = 120
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    check: CheckArgs,
    #[command(flatten)]
    talk: TalkArgs,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Check a program against a policy; the default job, so the word may be left out
    Check(Box<CheckArgs>),
    /// Show what a point can influence, or what can influence it
    Slice(Box<SliceArgs>),
    /// Show everything on the ways from one point to another
    Chop(Box<ChopArgs>),
    /// Show the condition under which one point influences another
    Condition(Box<ConditionArgs>),
    /// Show the program as a graph
    Graph(Box<GraphArgs>),
    /// Write a commented policy to start from
    Init(InitArgs),
    /// Tell one flow of a report again, in full
    Explain {
        /// A report written with --report FILE.json or --format json
        #[arg(value_name = "REPORT.json")]
        report: PathBuf,
        /// The flow's id, or its beginning
        id: String,
    },
    /// Run the confirmed witnesses of a report again
    Replay {
        /// A report written with --report FILE.json or --format json
        #[arg(value_name = "REPORT.json")]
        report: PathBuf,
        /// Only the flow with this id
        id: Option<String>,
    },
    /// Print a completion script for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, in roff
    Man,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Messages")]
struct TalkArgs {
    /// Tell errors and the result, nothing else
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    quiet: bool,
    /// Tell how long each phase took, too
    #[arg(short, long, global = true)]
    verbose: bool,
    /// Colour messages
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value = "auto")]
    color: Color,
    /// Show no progress, even on a terminal
    #[arg(long, global = true)]
    no_progress: bool,
}

/// What every command that reads a C program takes.
#[derive(Args, Debug)]
#[command(next_help_heading = "The program")]
struct ProgramArgs {
    /// C files (.c), preprocessed files (.i), or folders (all *.c below them)
    #[arg(value_name = "PATH", required_unless_present_any = ["compile_commands", "policy"], help_heading = Resettable::Reset)]
    paths: Vec<PathBuf>,
    /// A compile_commands.json, or the folder it is in; PATHs then choose among its entries
    #[arg(short = 'p', long, value_name = "FILE|DIR")]
    compile_commands: Option<PathBuf>,
    /// Leave out files that match (repeatable)
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// The compiler to preprocess with, and its flags: 'avr-gcc -mmcu=atmega328p' [default: gcc, or cc]
    #[arg(long, value_name = "COMMAND", value_parser = parse_words)]
    cc: Option<Words>,
    /// Look for headers there (repeatable)
    #[arg(short = 'I', value_name = "DIR")]
    include_dir: Vec<String>,
    /// Define a macro (repeatable)
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// Undefine a macro (repeatable)
    #[arg(short = 'U', value_name = "NAME")]
    undefine: Vec<String>,
    /// Read this file first; also written -include FILE (repeatable)
    #[arg(long, value_name = "FILE")]
    include: Vec<String>,
    /// Look for system headers there; also written -isystem DIR (repeatable)
    #[arg(long, value_name = "DIR")]
    isystem: Vec<String>,
    /// The C standard; also written -std=STANDARD
    #[arg(long, value_name = "STANDARD")]
    std: Vec<String>,
    /// Where the program starts: NAME or FILE::NAME (repeatable) [default: main, or every externally visible function]
    #[arg(long, value_name = "NAME")]
    entry: Vec<String>,
    /// The policy [default: flowcheck.toml, from the first PATH upwards]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// How many threads to use [default: one per processor]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), help_heading = "Limits")]
    jobs: Option<u16>,
    /// How many seconds to spend on each pair of a source and a sink
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Limits")]
    timeout: u64,
    /// How much memory to use: bytes, or 512M, 2G
    #[arg(long, value_name = "BYTES", value_parser = config::parse_bytes, help_heading = "Limits")]
    memory: Option<u64>,
}

/// A command line in one option's value.
#[derive(Clone, Debug)]
struct Words(Vec<String>);

fn parse_words(text: &str) -> Result<Words, String> {
    match shlex::split(text) {
        None => Err("a quotation mark is not closed".to_owned()),
        Some(words) if words.is_empty() => Err("a command is needed".to_owned()),
        Some(words) => Ok(Words(words)),
    }
}

#[derive(Args, Debug)]
#[command(next_help_heading = "The result")]
#[expect(clippy::struct_excessive_bools, reason = "one for each switch that the user can set")]
struct CheckArgs {
    /// Print a phase's result instead of checking
    #[arg(long, value_enum, value_name = "PHASE", conflicts_with_all = ["report", "baseline"])]
    emit: Option<Emit>,
    /// What goes to standard output
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
    /// Write a report, too; the ending says which: .json .sarif .html .md .tex (repeatable)
    #[arg(long, value_name = "FILE")]
    report: Vec<ReportFile>,
    /// Run the witnesses
    #[arg(long, overrides_with = "no_confirm")]
    confirm: bool,
    /// Do not run the witnesses; the default
    #[arg(long, overrides_with = "confirm")]
    no_confirm: bool,
    /// Which verdicts make the exit code 1
    #[arg(long, value_enum, value_name = "VERDICT", default_value = "unknown")]
    fail_on: FailOn,
    /// Flows that are known already, which do not fail
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the flows found to the baseline
    #[arg(long, requires = "baseline")]
    update_baseline: bool,
    /// Leave timings out of the report, so that the same input gives the same bytes
    #[arg(long)]
    no_timings: bool,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    #[command(flatten)]
    program: ProgramArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
struct EvaluationArgs {
    /// How conditions are evaluated, for measurements: nested (along the nesting of loops), flat, or plain (without decision diagrams)
    #[arg(long, value_name = "HOW", default_value = "nested", hide_default_value = true, value_parser = evaluations())]
    evaluation: Evaluation,
}

fn evaluations() -> impl TypedValueParser<Value = Evaluation> {
    PossibleValuesParser::new(["nested", "flat", "plain"]).map(|word| match word.as_str() {
        "flat" => Evaluation::Flat,
        "plain" => Evaluation::Plain,
        _ => Evaluation::Nested,
    })
}

#[derive(Args, Debug)]
#[command(next_help_heading = "The slice")]
struct SliceArgs {
    #[command(flatten)]
    criterion: CriterionArgs,
    /// What goes to standard output
    #[arg(long, value_enum, default_value = "text")]
    format: ListFormat,
    #[command(flatten)]
    program: ProgramArgs,
}

#[derive(Args, Debug)]
#[group(required = true, multiple = false)]
struct CriterionArgs {
    /// What this point can influence: FILE:LINE, FILE:LINE:VARIABLE, FUNCTION::VARIABLE or FUNCTION()
    #[arg(long, value_name = "POINT")]
    from: Option<Point>,
    /// What can influence this point
    #[arg(long, value_name = "POINT")]
    to: Option<Point>,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "The chop")]
struct ChopArgs {
    /// Where flows start: FILE:LINE, FILE:LINE:VARIABLE, FUNCTION::VARIABLE or FUNCTION(), what its calls bring back
    #[arg(long, value_name = "POINT")]
    from: Point,
    /// Where flows end
    #[arg(long, value_name = "POINT")]
    to: Point,
    /// What goes to standard output
    #[arg(long, value_enum, default_value = "text")]
    format: ListFormat,
    #[command(flatten)]
    program: ProgramArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "The paths")]
struct ConditionArgs {
    /// Only paths through this point (repeatable: through all of them, in this order)
    #[arg(long, value_name = "POINT")]
    via: Vec<Point>,
    /// Only paths that avoid this point (repeatable: all of them)
    #[arg(long, value_name = "POINT")]
    avoid: Vec<Point>,
    /// Tell how the condition came about
    #[arg(long)]
    trace: bool,
    #[command(flatten)]
    evaluation: EvaluationArgs,
    #[command(flatten)]
    chop: ChopArgs,
}

#[derive(Args, Debug)]
#[command(next_help_heading = "The graph")]
struct GraphArgs {
    /// Which graph
    #[arg(long, value_enum)]
    kind: GraphKind,
    /// Only this function, NAME or FILE::NAME; of the call graph and of pointers, what can be reached from it
    #[arg(long, value_name = "F")]
    function: Option<String>,
    /// What goes to standard output
    #[arg(long, value_enum, default_value = "dot")]
    format: GraphFormat,
    #[command(flatten)]
    program: ProgramArgs,
}

#[derive(Args, Debug)]
struct InitArgs {
    /// The program that the policy is to be for
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Where to write it; - is standard output. A file that exists is not overwritten
    #[arg(short, long, value_name = "FILE", default_value = "flowcheck.toml")]
    output: PathBuf,
}

/// Why there is no [`Config`].
pub enum Stop {
    /// Help, the version, or bad usage, in `clap`'s words.
    Clap(clap::Error),
    /// Bad usage that `clap` does not see.
    User(UserError),
}

/// The whole command, for completions and the manual page.
pub fn command() -> clap::Command {
    Cli::command().long_version(format!("{} (z3 {})", env!("CARGO_PKG_VERSION"), solve::version()))
}

/// Reads a command line; the first word is the program's name.
pub fn parse(words: Vec<OsString>) -> Result<Config, Stop> {
    let command = command();
    let color = argv::color(&words);
    let words = argv::normalise(&command, words);
    let matches = command.color(color).try_get_matches_from(words).map_err(Stop::Clap)?;
    let cli = Cli::from_arg_matches(&matches).map_err(Stop::Clap)?;
    let flags = preprocessor_flags(matches.subcommand().map_or(&matches, |(_, matches)| matches));
    let job = match cli.command {
        None => {
            argv::is_a_file_meant(&cli.check.program.paths).map_err(Stop::User)?;
            Job::Check(Box::new(cli.check.into_config(flags)))
        }
        Some(Command::Check(check)) => Job::Check(Box::new(check.into_config(flags))),
        Some(Command::Slice(slice)) => Job::Slice(Box::new(slice.into_config(flags))),
        Some(Command::Chop(chop)) => Job::Chop(Box::new(chop.into_config(flags))),
        Some(Command::Condition(condition)) => Job::Condition(Box::new(config::Condition {
            chop: condition.chop.into_config(flags),
            via: condition.via,
            avoid: condition.avoid,
            trace: condition.trace,
            evaluation: condition.evaluation.evaluation,
        })),
        Some(Command::Graph(graph)) => Job::Graph(Box::new(config::Graph {
            program: graph.program.into_config(flags),
            kind: graph.kind,
            function: graph.function,
            format: graph.format,
        })),
        Some(Command::Init(init)) => Job::Init(config::Init { paths: init.paths, output: init.output }),
        Some(Command::Explain { report, id }) => Job::Explain { report, id },
        Some(Command::Replay { report, id }) => Job::Replay { report, id },
        Some(Command::Completions { shell }) => Job::Completions(shell),
        Some(Command::Man) => Job::Man,
    };
    Ok(Config { job, talk: cli.talk.into_config() })
}

impl TalkArgs {
    fn into_config(self) -> Talk {
        let verbosity = match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, true) => Verbosity::Verbose,
            (false, false) => Verbosity::Normal,
        };
        Talk { verbosity, color: self.color, progress: !self.no_progress && verbosity != Verbosity::Quiet }
    }
}

impl ProgramArgs {
    fn into_config(self, flags: Vec<String>) -> config::Program {
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let jobs = self.jobs.map_or_else(processors, usize::from);
        config::Program {
            request: Request {
                paths: self.paths,
                compile_commands: self.compile_commands,
                exclude: self.exclude,
                cc: self.cc.map_or_else(Vec::new, |words| words.0),
                flags,
                jobs,
                stubs: Vec::new(),
            },
            entry: self.entry,
            policy: self.policy,
            limits: Limits { jobs, timeout: Duration::from_secs(self.timeout), memory: self.memory },
        }
    }
}

impl CheckArgs {
    fn into_config(self, flags: Vec<String>) -> config::Check {
        config::Check {
            program: self.program.into_config(flags),
            emit: self.emit,
            format: self.format,
            reports: self.report,
            confirm: self.confirm,
            fail_on: self.fail_on,
            baseline: self.baseline,
            update_baseline: self.update_baseline,
            timings: !self.no_timings,
            evaluation: self.evaluation.evaluation,
        }
    }
}

impl SliceArgs {
    fn into_config(self, flags: Vec<String>) -> config::Slice {
        let criterion = match (self.criterion.from, self.criterion.to) {
            (Some(point), None) => Criterion::From(point),
            (None, Some(point)) => Criterion::To(point),
            (None, None) | (Some(_), Some(_)) => unreachable!("clap wants exactly one of them"),
        };
        config::Slice { program: self.program.into_config(flags), criterion, format: self.format }
    }
}

impl ChopArgs {
    fn into_config(self, flags: Vec<String>) -> config::Chop {
        config::Chop { program: self.program.into_config(flags), from: self.from, to: self.to, format: self.format }
    }
}

/// The preprocessor's options in the order given, for `-DX -UX` is not `-UX -DX`; as gcc takes them.
fn preprocessor_flags(matches: &ArgMatches) -> Vec<String> {
    let joined = [("include_dir", "-I"), ("define", "-D"), ("undefine", "-U"), ("std", "-std=")];
    let separate = [("include", "-include"), ("isystem", "-isystem")];
    let mut flags: Vec<(usize, Vec<String>)> = Vec::new();
    let mut collect = |id: &str, spell: &dyn Fn(&String) -> Vec<String>| {
        // Commands that read no C program do not have these options.
        let (Ok(Some(values)), Some(indices)) = (matches.try_get_many::<String>(id), optional_indices(matches, id))
        else {
            return;
        };
        flags.extend(indices.zip(values).map(|(index, value)| (index, spell(value))));
    };
    for (id, option) in joined {
        collect(id, &|value| vec![format!("{option}{value}")]);
    }
    for (id, option) in separate {
        collect(id, &|value| vec![option.to_owned(), value.clone()]);
    }
    flags.sort_by_key(|(index, _)| *index);
    flags.into_iter().flat_map(|(_, words)| words).collect()
}

/// `ArgMatches::indices_of` panics for an option that the command does not have.
fn optional_indices<'a>(matches: &'a ArgMatches, id: &str) -> Option<clap::parser::Indices<'a>> {
    matches.try_contains_id(id).is_ok().then(|| matches.indices_of(id)).flatten()
}

#[cfg(test)]
mod tests {
    use super::{Stop, command, parse};
    use crate::config::{Color, Config, Criterion, Emit, FailOn, Job, Point, Program, Verbosity};

    fn config(line: &str) -> Config {
        let words = shlex::split(line).expect("the test's own line");
        match parse(words.into_iter().map(Into::into).collect()) {
            Ok(config) => config,
            Err(Stop::Clap(error)) => panic!("{line}: {error}"),
            Err(Stop::User(error)) => panic!("{line}: {error}"),
        }
    }

    fn program(line: &str) -> Program {
        match config(line).job {
            Job::Check(check) => check.program,
            Job::Graph(graph) => graph.program,
            job => panic!("{line}: {job:?}"),
        }
    }

    #[test]
    fn the_declarations_are_consistent() {
        command().debug_assert();
    }

    #[test]
    fn gccs_options_keep_their_order() {
        let line =
            "flowcheck -DX=1 -include pre.h -I a --emit ir -UX -Ib -isystem sys -D X -std=c99 -isystemsys2 main.i";
        let flags = program(line).request.flags;
        assert_eq!(
            flags,
            [
                "-DX=1", "-include", "pre.h", "-Ia", "-UX", "-Ib", "-isystem", "sys", "-DX", "-std=c99", "-isystem",
                "sys2"
            ]
        );
        assert_eq!(program("flowcheck graph --kind cfg x.i -U A -D A").request.flags, ["-UA", "-DA"]);
    }

    #[test]
    fn the_word_check_is_optional_and_commands_may_follow_options() {
        for line in
            ["flowcheck --emit ssa a.i b.i", "flowcheck check --emit ssa a.i b.i", "flowcheck a.i --emit ssa b.i"]
        {
            let Job::Check(check) = config(line).job else { panic!("{line}") };
            assert_eq!(check.emit, Some(Emit::Ssa), "{line}");
            assert_eq!(check.program.request.paths.len(), 2, "{line}");
        }
        let config = config("flowcheck --quiet --cc 'x-gcc -m32' slice --from f() a.i");
        assert_eq!(config.talk.verbosity, Verbosity::Quiet);
        let Job::Slice(slice) = config.job else { panic!("a slice") };
        assert_eq!(slice.criterion, Criterion::From(Point::Calls("f".to_owned())));
        assert_eq!(slice.program.request.cc, ["x-gcc", "-m32"]);
    }

    #[test]
    fn options_values_are_not_taken_for_commands_or_flags() {
        let program = program("flowcheck --emit ir --policy slice --entry graph -- -includes/a.i check.i");
        assert_eq!(program.policy.as_deref(), Some(std::path::Path::new("slice")));
        assert_eq!(program.entry, ["graph"]);
        assert_eq!(program.request.paths, ["-includes/a.i", "check.i"].map(std::path::PathBuf::from));
        assert!(program.request.flags.is_empty());
    }

    #[test]
    fn the_rest_is_read_too() {
        let config = config(
            "flowcheck -p build --policy p.toml --fail-on never --timeout 5 --memory 1G --jobs 3 --confirm \
             --report r.html --report r.json --baseline b.json --update-baseline --no-timings --verbose --color never \
             --no-progress --exclude 't/**'",
        );
        assert_eq!(
            (config.talk.verbosity, config.talk.color, config.talk.progress),
            (Verbosity::Verbose, Color::Never, false)
        );
        let Job::Check(check) = config.job else { panic!("a check") };
        assert_eq!(check.fail_on, FailOn::Never);
        assert_eq!(check.program.limits.timeout.as_secs(), 5);
        assert_eq!(check.program.limits.memory, Some(1 << 30));
        assert_eq!((check.program.limits.jobs, check.program.request.jobs), (3, 3));
        assert_eq!(check.reports.len(), 2);
        assert!(check.confirm && check.update_baseline && !check.timings);
        assert_eq!(check.program.request.exclude, ["t/**"]);
    }

    #[test]
    fn bad_usage_is_refused() {
        for line in [
            "flowcheck --emit",
            "flowcheck --emit nonsense a.i",
            "flowcheck --report r.pdf a.i",
            "flowcheck --jobs 0 a.i",
            "flowcheck --timeout 0 a.i",
            "flowcheck --quiet --verbose a.i",
            "flowcheck --emit ir --report r.json a.i",
            "flowcheck --update-baseline a.i",
            "flowcheck --cc '' a.i",
            "flowcheck --quiet",
            "flowcheck check",
            "flowcheck slice a.i",
            "flowcheck slice --from a.c:1 --to a.c:2 a.i",
            "flowcheck slice --from nowhere a.i",
            "flowcheck chop --from a.c:1 a.i",
            "flowcheck graph a.i",
            "flowcheck explain r.json",
            "flowcheck completions nosuchshell",
        ] {
            let words = shlex::split(line).expect("the test's own line");
            let stop = parse(words.into_iter().map(Into::into).collect()).err();
            let Some(Stop::Clap(error)) = stop else { panic!("{line}") };
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }
}
