//! How large real programs are for each phase, and how long each takes: a table with a row for each program.
//!
//! `cargo bench --bench programs -- [--list FILE] [--seconds N] [NAME...]`. Each line of the list (or of the file that
//! `FLOWCHECK_PROGRAMS_LIST` names) is a name and what flowcheck would get to read it: paths, `-I`, `-D` …, `--exclude GLOB`,
//! `--cc COMMAND`. Paths are relative to the list's folder. NAMEs choose among the lines. Each program is a process of its own,
//! so one that crashes, or needs more than N seconds, costs its row only, and the peak memory is its own.
//!
//! The slices are backward slices of 100 lines, chosen at random (with a fixed seed) among the lines that have an instruction. Their size is
//! told in percent of all nodes, of instructions (nodes that are no formals, actuals or φ operands), and of the lines with an instruction.

mod listed;

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use flowcheck::base::progress::Progress;
use flowcheck::chop::{Barriers, slice};
use flowcheck::ir::{Form, FuncId, Function, InstKind, Linkage, Options, Program};
use flowcheck::models::Models;
use flowcheck::pointsto::{self, PointsTo};
use flowcheck::sdg::{self, NodeId, NodeKind, Sdg};
use flowcheck::source::{Severity, Sources};
use listed::{Listed, Random, request};

/// As the binary has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What the process for one program gets as its first argument.
const ALONE: &str = "--alone";

/// The columns, and how wide each is.
const COLUMNS: [(&str, usize); 20] = [
    ("lines", 7),
    ("functions", 9),
    ("insts", 7),
    ("read s", 7),
    ("reached", 7),
    ("objects", 7),
    ("set", 6),
    ("points s", 8),
    ("nodes", 9),
    ("edges", 10),
    ("pairs", 11),
    ("graph s", 8),
    ("slice s", 8),
    ("node %", 6),
    ("max", 5),
    ("inst %", 6),
    ("max", 5),
    ("line %", 6),
    ("max", 5),
    ("MB", 6),
];

/// How many slices.
const SLICES: usize = 100;

fn main() -> ExitCode {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    if words.first().is_some_and(|word| word == ALONE) {
        return alone(&words.split_off(1));
    }
    match all(words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("programs: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a process for each program and prints its row.
fn all(words: Vec<String>) -> Result<(), String> {
    let mut list = None;
    let mut limit = Duration::from_secs(600);
    let mut names = Vec::new();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            // What cargo passes to every benchmark.
            "--bench" => {}
            "--list" => list = Some(words.next().ok_or("--list needs a file")?.into()),
            "--seconds" => {
                let seconds = words.next().and_then(|n| n.parse().ok()).ok_or("--seconds needs a number")?;
                limit = Duration::from_secs(seconds);
            }
            _ => names.push(word),
        }
    }
    let Some(list) = listed::read(list, &names)? else {
        println!("programs: no list of programs (--list, or FLOWCHECK_PROGRAMS_LIST)");
        return Ok(());
    };
    print!("{:<24}", "program");
    for (title, width) in COLUMNS {
        print!(" {title:>width$}");
    }
    println!();
    for Listed { name, arguments } in &list.programs {
        println!("{name:<24} {}", row(&list.folder, arguments, limit)?);
    }
    Ok(())
}

/// The row of a program without its name, or what went wrong.
fn row(folder: &Path, arguments: &[String], limit: Duration) -> Result<String, String> {
    let own = std::env::current_exe().map_err(|error| format!("where this program is: {error}"))?;
    let mut child = Command::new(own)
        .arg(ALONE)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run myself: {error}"))?;
    let started = Instant::now();
    let end = loop {
        match child.try_wait().map_err(|error| format!("waiting: {error}"))? {
            Some(status) if status.success() => break String::new(),
            Some(status) => break format!(" failed ({status})"),
            None if started.elapsed() > limit => {
                child.kill().map_err(|error| format!("stopping: {error}"))?;
                child.wait().map_err(|error| format!("stopping: {error}"))?;
                break format!(" not in {} s", limit.as_secs());
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let mut told = String::new();
    let out = child.stdout.as_mut().expect("it is piped");
    out.read_to_string(&mut told).map_err(|error| format!("reading: {error}"))?;
    Ok(format!("{}{end}", told.trim_end_matches('\n')))
}

/// The process for one program.
fn alone(arguments: &[String]) -> ExitCode {
    match measure(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Prints the cells as they become known, so that a run that is stopped shows how far it came.
fn measure(arguments: &[String]) -> Result<(), String> {
    let mut cells = COLUMNS.iter();
    let mut cell = |text: String| {
        let (_, width) = cells.next().expect("a column for every cell");
        print!("{text:>width$} ");
        // What is stopped later has still told this.
        let _ = std::io::stdout().flush();
    };
    let options = Options { form: Form::Ssa, jobs: 1, ..Options::default() };
    let started = Instant::now();
    let read =
        flowcheck::read(&request(arguments)?, &options, &Progress::silent()).map_err(|error| error.to_string())?;
    let took = started.elapsed();
    if let Some(error) = read.diagnostics.iter().find(|d| d.severity == Severity::Error) {
        return Err(error.message.clone());
    }
    let program = read.program.ok_or("no program was read")?;
    cell(lines(&read.sources).to_string());
    let statistics = program.statistics();
    cell(statistics.functions.to_string());
    cell(statistics.instructions.to_string());
    cell(seconds(took));
    let models = Models::new(&[]);
    let started = Instant::now();
    let points_to =
        pointsto::solve(&program, &models, &pointsto::Options { entries: entries(&program), ..Default::default() });
    let took = started.elapsed();
    cell(program.bodies().filter(|(func, _, _)| points_to.is_reached(*func)).count().to_string());
    cell(points_to.objects.len().to_string());
    cell(format!("{:.1}", mean_set(&program, &points_to)));
    cell(seconds(took));
    let started = Instant::now();
    let sdg = sdg::build(&program, &models, &points_to, &sdg::Options { jobs: 1, ..Default::default() });
    let took = started.elapsed();
    cell(sdg.nodes().len().to_string());
    cell(sdg.edge_count().to_string());
    cell(sdg.summaries().pairs().to_string());
    cell(seconds(took));
    let slices = slices(&sdg, &read.sources);
    cell(format!("{:.4}", slices.seconds));
    for size in [slices.nodes, slices.instructions, slices.lines] {
        cell(format!("{:.1}", size.total / SLICES as f64));
        cell(format!("{:.1}", size.most));
    }
    cell(peak_memory().map_or_else(|| "?".to_owned(), |mb| mb.to_string()));
    println!();
    Ok(())
}

/// `main`, or without one all functions that others may call.
fn entries(program: &Program) -> Vec<FuncId> {
    let named = |wanted: &dyn Fn(&Function) -> bool| -> Vec<FuncId> {
        program.bodies().filter(|(_, function, _)| wanted(function)).map(|(func, _, _)| func).collect()
    };
    let main = named(&|function| function.name == "main");
    if main.is_empty() { named(&|function| function.linkage != Linkage::Internal) } else { main }
}

/// How many places an access may go to, on average.
fn mean_set(program: &Program, points_to: &PointsTo) -> f64 {
    let (mut accesses, mut places) = (0, 0);
    for (func, _, body) in program.bodies().filter(|(func, _, _)| points_to.is_reached(*func)) {
        for inst in &body.insts {
            if let InstKind::Load { addr, .. } | InstKind::Store { addr, .. } = &inst.kind {
                accesses += 1;
                places += points_to.of(func, *addr).len();
            }
        }
    }
    places as f64 / f64::from(accesses.max(1))
}

/// Percentages.
#[derive(Default, Clone, Copy)]
struct Size {
    total: f64,
    most: f64,
}

impl Size {
    fn add(&mut self, part: usize, of: usize) {
        let percent = part as f64 * 100.0 / of.max(1) as f64;
        self.total += percent;
        self.most = self.most.max(percent);
    }
}

/// What was seen of the slices.
#[derive(Default)]
struct Slices {
    /// Of one, on average.
    seconds: f64,
    nodes: Size,
    instructions: Size,
    lines: Size,
}

fn slices(sdg: &Sdg, sources: &Sources) -> Slices {
    // The line of each instruction, by number; the lines in the order of files and lines, so that the choice does not depend on
    // the run.
    let mut places: BTreeMap<(PathBuf, u32), Vec<NodeId>> = BTreeMap::new();
    let mut instructions = 0;
    for (node, data) in sdg.nodes().enumerate() {
        if is_instruction(data.kind) {
            let at = sources.locate(data.place);
            places.entry((at.file, at.line)).or_default().push(node);
            instructions += 1;
        }
    }
    let lines: Vec<Vec<NodeId>> = places.into_values().collect();
    let mut found = Slices::default();
    if lines.is_empty() {
        return found;
    }
    let mut line_of = vec![usize::MAX; sdg.nodes().len()];
    for (line, nodes) in lines.iter().enumerate() {
        for node in nodes {
            line_of[node.0 as usize] = line;
        }
    }
    let mut random = Random(1);
    let mut took = Duration::ZERO;
    for _ in 0..SLICES {
        let criteria = &lines[random.below(lines.len())];
        let started = Instant::now();
        let slice = slice::backward(sdg, criteria, &Barriers::none());
        took += started.elapsed();
        let mut is_in = vec![false; lines.len()];
        let mut inside = 0;
        for line in slice.iter().map(|node| line_of[node.0 as usize]).filter(|line| *line != usize::MAX) {
            is_in[line] = true;
            inside += 1;
        }
        found.nodes.add(slice.count(), sdg.nodes().len());
        found.instructions.add(inside, instructions);
        found.lines.add(is_in.iter().filter(|line| **line).count(), lines.len());
    }
    found.seconds = took.as_secs_f64() / SLICES as f64;
    found
}

/// Whether a node is something that the program does, not a place where values pass.
fn is_instruction(kind: NodeKind) -> bool {
    match kind {
        NodeKind::Inst(_) | NodeKind::Predicate(_) | NodeKind::Return(_) | NodeKind::Call(_) => true,
        NodeKind::Entry
        | NodeKind::PhiOperand { .. }
        | NodeKind::MemoryPhi { .. }
        | NodeKind::MemoryDef { .. }
        | NodeKind::Shared(_)
        | NodeKind::FormalIn(_)
        | NodeKind::FormalOut(_)
        | NodeKind::ActualIn(..)
        | NodeKind::ActualOut(..) => false,
    }
}

/// The lines of the files that were named, without their headers.
fn lines(sources: &Sources) -> usize {
    let lines = |path: &Path| std::fs::read(path).map_or(0, |text| text.split(|byte| *byte == b'\n').count());
    sources.units.iter().map(|unit| lines(&unit.path)).sum()
}

fn seconds(took: Duration) -> String {
    format!("{:.2}", took.as_secs_f64())
}

/// In MB, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024 / 1_000_000)
}
