//! Whether random questions about real programs are decided, and what that takes: a table with a row for each question.
//!
//! `cargo bench --bench decide -- [--list FILE] [--pairs N] [--limit S] [--jobs N] [--seed N] [--seconds N] [--evaluation nested|flat|plain] [--choose] [NAME...]`.
//! The list is that of the benchmark `programs`; NAMEs choose among its lines. Each program is a process of its own, so one that crashes, or needs more than `--seconds` in all, costs
//! the questions that it did not come to. `--limit` is the time for one question (60 s); `--jobs` are decided at once (2), two at most; `--choose` only chooses.
//!
//! A question is a pair of lines, as `flowcheck condition --from FILE:LINE --to FILE:LINE` asks it. Ten are chosen for each program, at random with a fixed seed, such that
//! - both lines are nested at least 3 deep. The depth of a node is the least number of decisions in its own function that all have to go one way for it to be executed: the shortest chain
//!   of control dependences from the function's entry, counting branches (of `if`, loops, `switch`, `?:` and each operand of `&&` and `||`), not calls that have to return. The depth of a line is
//!   the least of its nodes' depths. What stands behind `if (x) return;` is inside that decision, too, and the
//!   last branch of `if … else if … else` inside all of them;
//! - their chop has at least 5 % of the graph's nodes.
//!
//! A line is drawn, and then sinks from its forward slice, so that no question is asked that slicing alone answers. The choice takes at most so many draws that it is quick where such pairs are
//! rare; a program may then have fewer than ten.

mod listed;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io::{BufRead as _, BufReader, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use flowcheck::Analysed;
use flowcheck::base::parallel;
use flowcheck::base::progress::Progress;
use flowcheck::chop::{Barriers, chop, slice};
use flowcheck::ir::{Form, Options, Program};
use flowcheck::policy::{Overflow, Policy};
use flowcheck::sdg::{ControlLabel, EdgeKind, NodeId, NodeSet, Sdg};
use flowcheck::select::View;
use flowcheck::select::lines::{Line, Locator};
use flowcheck::solve::z3::Interrupt;
use flowcheck::source::{Severity, Sources};
use flowcheck::witness::{Decision, Evaluation, Limits, Question, Setting, Status, decide};
use listed::{Listed, Random, request};

/// As the binary has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What the process for one program gets as its first argument, and what stands before the words that tell it which program.
const ALONE: &str = "--alone";
const PROGRAM: &str = "--";

/// How deep both ends are nested.
const DEPTH: u32 = 3;
/// The least share of the graph in a chop, in percent.
const SHARE: usize = 5;
/// How many sources are drawn for each question, and how many sinks for a source.
const SOURCES: usize = 30;
const SINKS: usize = 4;
/// How much longer than its limit a question may take to stop, before it is interrupted.
const GRACE: Duration = Duration::from_secs(5);
/// What a line for the summary begins with.
const FOR_SUMMARY: &str = "=";

/// What the user asks for.
struct Wanted {
    list: Option<PathBuf>,
    names: Vec<String>,
    pairs: usize,
    limit: Duration,
    jobs: usize,
    seed: u64,
    total: Duration,
    evaluation: Evaluation,
    choose_only: bool,
}

impl Wanted {
    fn new(words: impl IntoIterator<Item = String>) -> Result<Wanted, String> {
        let mut wanted = Wanted {
            list: None,
            names: Vec::new(),
            pairs: 10,
            limit: Limits::default().time,
            jobs: 2,
            seed: 1,
            total: Duration::from_secs(3600),
            evaluation: Evaluation::default(),
            choose_only: false,
        };
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
            match word.as_str() {
                // What cargo passes to every benchmark.
                "--bench" => {}
                "--list" => wanted.list = Some(value()?.into()),
                "--pairs" => wanted.pairs = number(&word, &value()?)? as usize,
                "--limit" => wanted.limit = Duration::from_secs(number(&word, &value()?)?),
                "--jobs" => wanted.jobs = (number(&word, &value()?)? as usize).clamp(1, 2),
                "--seed" => wanted.seed = number(&word, &value()?)?,
                "--seconds" => wanted.total = Duration::from_secs(number(&word, &value()?)?),
                "--evaluation" => {
                    wanted.evaluation = match value()?.as_str() {
                        "nested" => Evaluation::Nested,
                        "flat" => Evaluation::Flat,
                        "plain" => Evaluation::Plain,
                        other => return Err(format!("--evaluation is nested, flat or plain, not {other}")),
                    }
                }
                "--choose" => wanted.choose_only = true,
                _ => wanted.names.push(word),
            }
        }
        Ok(wanted)
    }
}

fn number(word: &str, text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{word} needs a number"))
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.split_first() {
        Some((first, rest)) if first == ALONE => alone(rest),
        Some(_) | None => all(&words),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("decide: {message}");
            ExitCode::FAILURE
        }
    }
}

/// What became of all questions.
#[derive(Default)]
struct Summary {
    asked: usize,
    /// By the first word of the status.
    statuses: BTreeMap<String, usize>,
    seconds: Vec<f64>,
}

impl Summary {
    /// A line of a program's process: `= asked N` or `= STATUS SECONDS`.
    fn add(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["asked", count] => self.asked += count.parse::<usize>().unwrap_or_default(),
            [status, seconds] => {
                *self.statuses.entry((*status).to_owned()).or_default() += 1;
                self.seconds.push(seconds.parse().unwrap_or_default());
            }
            _ => {}
        }
    }
    fn print(&mut self) {
        self.seconds.sort_by(f64::total_cmp);
        let of = |status: &str| self.statuses.get(status).copied().unwrap_or_default();
        let decided = of("violation") + of("infeasible") + of("no-path");
        let lost = self.asked.saturating_sub(self.seconds.len());
        println!("decided {decided} of {} ({:.1} %)", self.asked, decided as f64 * 100.0 / self.asked.max(1) as f64);
        for (status, count) in &self.statuses {
            println!("  {status:<12} {count}");
        }
        println!("  {:<12} {lost}", "not reached");
        let Some(longest) = self.seconds.last() else { return };
        println!("median {:.2} s, longest {longest:.2} s", self.seconds[self.seconds.len() / 2]);
    }
}

/// Runs a process for each program and passes its rows on.
fn all(words: &[String]) -> Result<(), String> {
    let wanted = Wanted::new(words.iter().cloned())?;
    let Some(list) = listed::read(wanted.list, &wanted.names)? else {
        println!("decide: no list of programs (--list, or FLOWCHECK_PROGRAMS_LIST)");
        return Ok(());
    };
    println!("{}", header());
    let mut summary = Summary::default();
    for Listed { name, arguments } in &list.programs {
        process(&list.folder, name, words, arguments, wanted.total, &mut summary)?;
    }
    summary.print();
    Ok(())
}

/// The process of one program.
fn process(
    folder: &Path,
    name: &str,
    words: &[String],
    arguments: &[String],
    limit: Duration,
    summary: &mut Summary,
) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| format!("where this program is: {error}"))?;
    let mut child = Command::new(own)
        .arg(ALONE)
        .args(words)
        .arg(PROGRAM)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run myself: {error}"))?;
    let out = BufReader::new(child.stdout.take().expect("it is piped"));
    let (send, receive) = mpsc::channel();
    // Ends with the child, which closes its output.
    let reader = std::thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            if send.send(line).is_err() {
                break;
            }
        }
    });
    let started = Instant::now();
    let in_time = loop {
        match receive.recv_timeout(limit.saturating_sub(started.elapsed())) {
            Ok(line) => match line.strip_prefix(FOR_SUMMARY) {
                Some(rest) => summary.add(rest),
                None => println!("{name:<18} {line}"),
            },
            Err(RecvTimeoutError::Timeout) => break false,
            Err(RecvTimeoutError::Disconnected) => break true,
        }
    };
    if !in_time {
        child.kill().map_err(|error| format!("stopping: {error}"))?;
        println!("{name:<18} not in {} s", limit.as_secs());
    }
    let status = child.wait().map_err(|error| format!("waiting: {error}"))?;
    if in_time && !status.success() {
        println!("{name:<18} failed ({status})");
    }
    // A receiver that is gone ends the reader; nothing of it is needed.
    drop(receive);
    let _ = reader.join();
    Ok(())
}

/// A question.
struct Pair {
    from: End,
    to: End,
    /// Nodes of the chop.
    chop: usize,
}

/// A line with its nodes.
#[derive(Clone)]
struct End {
    line: Line,
    nodes: Vec<NodeId>,
    depth: u32,
}

impl End {
    fn name(&self) -> String {
        let file = self.line.file.file_name().unwrap_or_default();
        format!("{}:{}", file.display(), self.line.line)
    }
}

/// The process for one program: reads it, chooses the questions, and asks them.
fn alone(words: &[String]) -> Result<(), String> {
    let at = words.iter().position(|word| word == PROGRAM).ok_or("no program")?;
    let wanted = Wanted::new(words[..at].iter().cloned())?;
    let options = Options { form: Form::Ssa, jobs: 1, ..Options::default() };
    let started = Instant::now();
    let silent = Progress::silent();
    let read = flowcheck::read(&request(&words[at + 1..])?, &options, &silent).map_err(|error| error.to_string())?;
    if let Some(error) = read.diagnostics.iter().find(|d| d.severity == Severity::Error) {
        return Err(error.message.clone());
    }
    let program = read.program.ok_or("no program was read")?;
    let analysed = flowcheck::analyse(&read.sources, &program, &Policy::default(), &[], 1, &silent)
        .map_err(|error| error.to_string())?;
    let read_seconds = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let view = View { sources: &read.sources, program: &program, points_to: &analysed.points_to, sdg: &analysed.sdg };
    let (pairs, draws) = choose(view, wanted.pairs, wanted.seed);
    say(&format!(
        "{} nodes, read and analysed in {read_seconds:.1} s; {} pairs chosen in {draws} draws, {:.1} s",
        analysed.sdg.nodes().len(),
        pairs.len(),
        started.elapsed().as_secs_f64()
    ));
    if wanted.choose_only {
        for pair in &pairs {
            let (from, to) = (&pair.from, &pair.to);
            say(&format!("{} ({} deep) -> {} ({} deep)", from.name(), from.depth, to.name(), to.depth));
        }
        return Ok(());
    }
    say(&format!("{FOR_SUMMARY} asked {}", pairs.len()));
    let turn = Mutex::new(());
    parallel::map(&pairs, wanted.jobs, |_, pair| {
        let (decision, took) = ask(&read.sources, &program, &analysed, pair, &wanted);
        let _turn = turn.lock().expect("no row panics");
        say(&row(pair, &decision, analysed.sdg.nodes().len(), took));
        let status = match &decision.status {
            Status::NoPath => "no-path",
            Status::Infeasible => "infeasible",
            Status::Violation => "violation",
            Status::Unknown(_) => "unknown",
        };
        say(&format!("{FOR_SUMMARY} {status} {:.3}", took.as_secs_f64()));
    });
    Ok(())
}

/// At once, so that a run that is stopped shows how far it came.
fn say(line: &str) {
    println!("{line}");
    // Who does not listen any more needs no line.
    let _ = std::io::stdout().flush();
}

/// The depth of each node; see the top. What no chain leads to is 0 deep.
fn depths(sdg: &Sdg) -> Vec<u32> {
    let mut depth = vec![u32::MAX; sdg.nodes().len()];
    for procedure in sdg.procedures() {
        let mut next = VecDeque::from([procedure.entry]);
        depth[procedure.entry.0 as usize] = 0;
        // Steps of 0 or 1: those of 0 first.
        while let Some(node) = next.pop_front() {
            for edge in sdg.successors(node) {
                let EdgeKind::Control(label) = edge.kind else { continue };
                let step = match label {
                    ControlLabel::Branch(_) => 1,
                    ControlLabel::Entry | ControlLabel::Call | ControlLabel::Returned => 0,
                };
                let deep = depth[node.0 as usize] + step;
                if deep < depth[edge.to.0 as usize] {
                    depth[edge.to.0 as usize] = deep;
                    if step == 0 { next.push_front(edge.to) } else { next.push_back(edge.to) }
                }
            }
        }
    }
    depth.iter_mut().filter(|deep| **deep == u32::MAX).for_each(|deep| *deep = 0);
    depth
}

/// All lines that are deep enough, in order.
fn deep_lines(view: View<'_>) -> Vec<End> {
    let depth = depths(view.sdg);
    let mut locator = Locator::new(view.sources);
    let mut lines: BTreeMap<Line, Vec<NodeId>> = BTreeMap::new();
    for (id, node) in view.sdg.nodes().enumerate().filter(|(id, _)| view.is_written(*id)) {
        lines.entry(locator.line(node.place)).or_default().push(id);
    }
    let end = |(line, nodes): (Line, Vec<NodeId>)| {
        let depth = nodes.iter().map(|node| depth[node.0 as usize]).min().unwrap_or_default();
        End { line, nodes, depth }
    };
    lines.into_iter().map(end).filter(|end| end.depth >= DEPTH).collect()
}

/// The questions, and how many lines were drawn for them.
fn choose(view: View<'_>, count: usize, seed: u64) -> (Vec<Pair>, usize) {
    let lines = deep_lines(view);
    let least = (view.sdg.nodes().len() * SHARE).div_ceil(100);
    let none = Barriers::none();
    let mut random = Random(seed);
    let mut pairs = Vec::new();
    let mut seen = BTreeSet::new();
    let mut draws = 0;
    while !lines.is_empty() && pairs.len() < count && draws < count * SOURCES {
        draws += 1;
        let from = random.below(lines.len());
        let forward = slice::forward(view.sdg, &lines[from].nodes, &none);
        if forward.count() < least {
            continue;
        }
        let reached: Vec<usize> = (0..lines.len())
            .filter(|to| *to != from && lines[*to].nodes.iter().any(|n| forward.contains(*n)))
            .collect();
        for _ in 0..SINKS.min(reached.len()) {
            let to = reached[random.below(reached.len())];
            if !seen.insert((from, to)) {
                continue;
            }
            let chop = chop(view.sdg, &lines[from].nodes, &lines[to].nodes, &none).nodes.count();
            if chop >= least {
                pairs.push(Pair { from: lines[from].clone(), to: lines[to].clone(), chop });
                break;
            }
        }
    }
    (pairs, draws)
}

/// Decides a question, and how long that takes. A crash is an answer, too.
fn ask(
    sources: &Sources,
    program: &Program,
    analysed: &Analysed,
    pair: &Pair,
    wanted: &Wanted,
) -> (Decision, Duration) {
    let sdg = &analysed.sdg;
    let arbitrary = NodeSet::of(sdg.nodes().len(), pair.from.nodes.iter().copied());
    let setting = Setting {
        sources,
        program,
        points_to: &analysed.points_to,
        sdg,
        overflow: Overflow::default(),
        arbitrary: &arbitrary,
    };
    let question = Question {
        from: &pair.from.nodes,
        to: &pair.to.nodes,
        values_only: false,
        barriers: &Barriers::none(),
        via: &[],
        merged: &[],
    };
    let limits = Limits { time: wanted.limit, evaluation: wanted.evaluation, ..Limits::default() };
    let stop = Interrupt::new();
    let (done, is_done) = mpsc::channel::<()>();
    let started = Instant::now();
    let decision = std::thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || {
            if is_done.recv_timeout(limits.time + GRACE) == Err(RecvTimeoutError::Timeout) {
                stop.stop();
            }
        });
        let decision = catch_unwind(AssertUnwindSafe(|| decide(&setting, &question, &limits, stop)));
        drop(done);
        decision
    });
    (decision.unwrap_or_else(|_| Decision::unknown("it crashed")), started.elapsed())
}

/// The titles, each as wide as its cells.
fn header() -> String {
    format!(
        "{:<18} {:<44} {:>7} {:>7} {:>5} {:>7} {:>8} {:>6} {:>9} {:>8} {:>8} {:>6} {:>5} {:>7} {:>7} {:>7} {:>7}  status",
        "program",
        "pair",
        "deep",
        "chop",
        "%",
        "points",
        "edges",
        "atoms",
        "intervals",
        "largest",
        "diagrams",
        "weaker",
        "paths",
        "chop s",
        "cond s",
        "solve s",
        "all s"
    )
}

/// The row without the program's name. Of the intervals, the reducible ones, then the irreducible ones.
fn row(pair: &Pair, decision: &Decision, nodes: usize, took: Duration) -> String {
    let s = &decision.statistics;
    let status = match &decision.status {
        Status::NoPath => "no path".to_owned(),
        Status::Infeasible => "infeasible".to_owned(),
        Status::Violation => format!("violation ({} run{})", decision.runs, if decision.runs == 1 { "" } else { "s" }),
        Status::Unknown(reason) => format!("unknown: {reason}"),
    };
    format!(
        "{:<44} {:>7} {:>7} {:>5.1} {:>7} {:>8} {:>6} {:>9} {:>8} {:>8} {:>6} {:>5} {:>7.2} {:>7.2} {:>7.2} {:>7.2}  {status}",
        format!("{} -> {}", pair.from.name(), pair.to.name()),
        format!("{}/{}", pair.from.depth, pair.to.depth),
        pair.chop,
        pair.chop as f64 * 100.0 / nodes.max(1) as f64,
        s.points,
        s.edges,
        s.atoms,
        format!("{}+{}", s.reducible, s.irreducible),
        s.largest,
        s.diagrams,
        s.weakened,
        s.paths,
        s.chop_seconds,
        s.condition_seconds,
        s.solve_seconds,
        took.as_secs_f64()
    )
}
