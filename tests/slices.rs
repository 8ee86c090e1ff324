//! Slices, chops and dependences of C programs, as `tests/phases/sdg/*.c` say them at their ends. Lines that are expected follow from C's
//! rules; `mergesort.c` is figure 1 of Snelting, Robschink and Krinke 2006, with the dependences that are drawn and told there.
//!
//! | comment | says |
//! | --- | --- |
//! | `//@ slice 14:x = 3 5 14` | what influences `x` on line 14 is exactly these lines, heads of functions aside |
//! | `//@ has 14:x = 3` | these lines are among them |
//! | `//@ not 14:x = 7` | these are not |
//! | `//@ forward 3:x = 3 14` | what `x` on line 3 influences is exactly these lines, heads aside |
//! | `//@ chop 3 -> 14:x has 5`, `not 7`, `empty` | what lies between |
//! | `//@ control 3 -> 5 true` | line 5 hangs on that outcome of line 3 |
//! | `//@ data 3 -> 5`, `//@ carried 3 -> 5` | line 5 uses what line 3 computes or writes, or it does in a later iteration |

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use flowcheck::Analysed;
use flowcheck::base::progress::Progress;
use flowcheck::chop::{self, Barriers};
use flowcheck::ir::{self, InstKind, Operand, Options, Program};
use flowcheck::pointsto::PointsTo;
use flowcheck::policy::Policy;
use flowcheck::sdg;
use flowcheck::sdg::control::label;
use flowcheck::sdg::{ControlLabel, EdgeKind, NodeId, NodeKind, Sdg};
use flowcheck::select::lines::Locator;
use flowcheck::select::{self, Point, Role, View};
use flowcheck::source::{DataModel, Sources, of_texts};

struct Case {
    name: String,
    sources: Sources,
    program: Program,
    points_to: PointsTo,
    sdg: Sdg,
}

fn analyse(path: &Path) -> Case {
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    let text = std::fs::read(path).expect("a readable file");
    let loaded = of_texts(vec![(name.clone().into(), text)], DataModel::lp64());
    let progress = Progress::silent();
    let lowered = ir::lower(&loaded.sources, &Options { jobs: 1, ..Options::default() }, &progress);
    let program = lowered.program.unwrap_or_else(|| panic!("{name}: {:?}", lowered.diagnostics));
    let sources = loaded.sources;
    let analysed = flowcheck::analyse(&sources, &program, &Policy::default(), &[], 1, &progress);
    let Analysed { points_to, sdg, .. } = analysed.unwrap_or_else(|error| panic!("{name}: {error}"));
    Case { name, sources, program, points_to, sdg }
}

impl Case {
    fn view(&self) -> View<'_> {
        View { sources: &self.sources, program: &self.program, points_to: &self.points_to, sdg: &self.sdg }
    }
    /// The nodes of `LINE` or `LINE:VARIABLE`.
    fn point(&self, text: &str, role: Role) -> Result<Vec<NodeId>, String> {
        let point: Point = format!("{}:{text}", self.name).parse()?;
        select::point(self.view(), &point, role).map_err(|error| error.to_string())
    }
    fn line(&self, node: NodeId) -> u32 {
        self.sources.locate(self.sdg.nodes()[node].place).line
    }
    /// The lines of nodes, with or without the heads of functions.
    fn lines(&self, nodes: impl Iterator<Item = NodeId>, heads: bool) -> BTreeSet<u32> {
        let mut locator = Locator::new(&self.sources);
        let wanted = nodes.filter(|node| self.view().is_written(*node) && (heads || !self.is_head(*node)));
        wanted.map(|node| locator.locate(self.sdg.nodes()[node].place).line).collect()
    }
    /// Whether the node is about the function's being called, or a parameter's getting its value.
    fn is_head(&self, node: NodeId) -> bool {
        let NodeKind::Inst(value) = self.sdg.nodes()[node].kind else {
            return matches!(
                self.sdg.nodes()[node].kind,
                NodeKind::Entry | NodeKind::FormalIn(_) | NodeKind::FormalOut(_)
            );
        };
        let body = self.program.functions[self.sdg.function(node)].body.as_ref().expect("a body");
        let is_param =
            |op: Operand| matches!(op, Operand::Value(v) if matches!(body.insts[v].kind, InstKind::Param(_)));
        match &body.insts[value].kind {
            InstKind::Param(_) => true,
            InstKind::Copy(op) | InstKind::Store { value: op, .. } => is_param(*op),
            _ => false,
        }
    }
    /// The outcomes of a line that another hangs on directly.
    fn control(&self, from: u32, to: u32) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for node in self.sdg.nodes().ids().filter(|node| self.view().is_written(*node) && self.line(*node) == to) {
            for edge in self.sdg.predecessors(node).filter(|edge| self.line(edge.from) == from) {
                let body = self.program.functions[self.sdg.function(edge.from)].body.as_ref().expect("a body");
                let from = self.sdg.nodes()[edge.from].kind;
                if let (EdgeKind::Control(ControlLabel::Branch(branch)), NodeKind::Predicate(block)) = (edge.kind, from)
                {
                    found.extend(label(body, block, branch).to_string().split(" | ").map(str::to_owned));
                }
            }
        }
        found
    }
    /// Whether what a line computes reaches another line through joins alone: in a later iteration, in the same one.
    fn data(&self, from: u32, to: u32) -> (bool, bool) {
        let mut found = (false, false);
        let starts = self.sdg.nodes().ids().filter(|node| self.view().is_written(*node) && self.line(*node) == from);
        let mut work: Vec<(NodeId, bool)> = starts.map(|node| (node, false)).collect();
        let mut seen: BTreeSet<(NodeId, bool)> = BTreeSet::new();
        while let Some((node, carried)) = work.pop() {
            for edge in self.sdg.successors(node) {
                if !matches!(edge.kind, EdgeKind::Data | EdgeKind::Memory) {
                    continue;
                }
                let carried = carried || edge.moves.back.is_some();
                if self.view().is_written(edge.to) {
                    match (self.line(edge.to) == to, carried) {
                        (true, true) => found.0 = true,
                        (true, false) => found.1 = true,
                        (false, _) => {}
                    }
                } else if seen.insert((edge.to, carried)) {
                    work.push((edge.to, carried));
                }
            }
        }
        found
    }
}

fn numbers(text: &str) -> BTreeSet<u32> {
    text.split_whitespace().map(|word| word.parse().unwrap_or_else(|_| panic!("a line's number: {word}"))).collect()
}

/// What is found instead of what is expected; `None` if that holds.
fn complaint(case: &Case, text: &str) -> Result<Option<String>, String> {
    let (word, rest) = text.split_once(' ').expect("a word and more");
    let none = Barriers::none();
    match word {
        "slice" | "has" | "not" | "forward" => {
            let (point, expected) = rest.split_once(" = ").expect("a point = lines");
            let nodes = if word == "forward" {
                chop::slice::forward(&case.sdg, &case.point(point, Role::Source)?, &none)
            } else {
                chop::slice::backward(&case.sdg, &case.point(point, Role::Sink)?, &none)
            };
            let found = case.lines(nodes.iter(), word == "has");
            let expected = numbers(expected);
            let holds = match word {
                "has" => expected.is_subset(&found),
                "not" => expected.is_disjoint(&found),
                _ => expected == found,
            };
            Ok((!holds).then(|| format!("{found:?}")))
        }
        "chop" => {
            let (from, rest) = rest.split_once(" -> ").expect("from -> to");
            let (to, rest) = rest.split_once(' ').expect("to and what of it");
            let (sources, sinks) = (case.point(from, Role::Source)?, case.point(to, Role::Sink)?);
            let found = chop::chop(&case.sdg, &sources, &sinks, &none);
            let holds = match rest.split_once(' ') {
                Some(("has", lines)) => numbers(lines).is_subset(&case.lines(found.nodes.iter(), true)),
                Some(("not", lines)) => numbers(lines).is_disjoint(&case.lines(found.nodes.iter(), false)),
                None if rest == "empty" => found.is_empty(),
                _ => panic!("{rest}"),
            };
            Ok((!holds).then(|| format!("{:?}", case.lines(found.nodes.iter(), true))))
        }
        "control" | "data" | "carried" => {
            let (from, rest) = rest.split_once(" -> ").expect("from -> to");
            let from = from.parse().expect("a line's number");
            let (to, outcome) = rest.split_once(' ').unwrap_or((rest, ""));
            let to = to.parse().expect("a line's number");
            if word == "control" {
                let found = case.control(from, to);
                return Ok((!found.contains(outcome)).then(|| format!("{found:?}")));
            }
            let (carried, same) = case.data(from, to);
            let holds = if word == "carried" { carried } else { carried || same };
            Ok((!holds).then(|| format!("carried {carried}, in the same iteration {same}")))
        }
        _ => panic!("{word}"),
    }
}

/// The programs, in the order of their names.
fn programs() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/phases/sdg");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "c"))
        .collect();
    files.sort();
    assert!(files.len() >= 18, "{}", files.len());
    files
}

#[test]
fn programs_depend_as_their_comments_say() {
    let mut complaints = Vec::new();
    for file in &programs() {
        let case = analyse(file);
        let text = std::fs::read_to_string(file).expect("a readable file");
        let expected: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("//@ ")).collect();
        assert!(!expected.is_empty(), "{}: nothing is expected", case.name);
        for line in expected {
            let found = complaint(&case, line).unwrap_or_else(Some);
            complaints.extend(found.map(|found| format!("{}: {line}\n    found: {found}", case.name)));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// The graph of the functions that have a body, after the text of the program, so that the two can be read side by side.
fn snapshot(case: &Case, code: &[&str]) -> String {
    let numbered: Vec<String> = code.iter().zip(1..).map(|(line, number)| format!("{number:2} {line}\n")).collect();
    let mut result = numbered.concat();
    for proc in case.sdg.procedures().ids() {
        if case.program.functions[case.sdg.procedures()[proc].func].body.is_some() {
            result.push('\n');
            result.push_str(&sdg::print::procedure(&case.sdg, proc, &case.program, &case.sources));
        }
    }
    result
}

/// Nothing here says what is right, the comments of the programs do. It shows every change to a graph to whoever makes it.
#[test]
fn graphs_of_small_programs_are_as_they_were_when_they_were_read() {
    let bless = std::env::var_os("FLOWCHECK_BLESS").is_some();
    let mut compared = 0;
    for file in programs() {
        let text = std::fs::read_to_string(&file).expect("a readable file");
        let code: Vec<&str> = text.lines().take_while(|line| !line.starts_with("//@")).collect();
        if code.len() >= 30 {
            continue;
        }
        compared += 1;
        let case = analyse(&file);
        let now = snapshot(&case, &code);
        let path = file.with_extension("sdg");
        if bless {
            std::fs::write(&path, &now).expect("a writable folder");
        } else {
            let kept = std::fs::read_to_string(&path).unwrap_or_default();
            assert_eq!(kept, now, "{}: the graph has changed; FLOWCHECK_BLESS=1 writes it anew", case.name);
        }
    }
    assert!(compared >= 15, "{compared}");
}
