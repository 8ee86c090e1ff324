//! Control dependences of C programs: those written down in `tests/phases/control/*.c`, and those that runs show.
//!
//! In a `.c` file there, `//~ a true, f(x) returns carried` after a line says what all of the line depends on: conditions and calls by
//! their text, and `carried` if the dependence leads to another iteration of a loop. `//~ RETURNED …` after the line of
//! a function's head says what decides whether it returns. Functions whose name starts with `stop` may not return.

mod flips;

use std::collections::BTreeSet;
use std::path::Path;

use flowcheck::base::progress::Progress;
use flowcheck::ir::{self, Body, Callee, FuncId, InstKind, Options, Program, Terminator, ValueId};
use flowcheck::sdg::control::{
    Calls, ControlDependences, Controller, Dependence, FunctionControl, MayNotReturn, Termination, label,
};
use flowcheck::source::{DataModel, Place, Sources, of_texts};

/// A program with its control dependences.
struct Analysed {
    sources: Sources,
    program: Program,
    returns: MayNotReturn,
    control: ControlDependences,
}

/// The functions a call may call. Through a pointer: not known.
fn callees(program: &Program, f: FuncId, call: ValueId) -> Vec<FuncId> {
    let body = program.functions[f].body.as_ref().expect("calls are in bodies");
    match body.insts[call].kind {
        InstKind::Call { callee: Callee::Direct(callee), .. } => vec![callee],
        _ => Vec::new(),
    }
}

fn analyse(name: &str, text: &str, termination: Termination) -> Analysed {
    let loaded = of_texts(vec![(name.into(), text.as_bytes().to_vec())], DataModel::lp64());
    let lowered = ir::lower(&loaded.sources, &Options { jobs: 1, ..Options::default() }, &Progress::silent());
    let program = lowered.program.unwrap_or_else(|| panic!("{name}: {:?}", lowered.diagnostics));
    let calls = Calls {
        callees: &|f, call| callees(&program, f, call),
        external: &|f| program.functions[f].name.starts_with("stop"),
    };
    let returns = MayNotReturn::new(&program, &calls, termination);
    let control = ControlDependences::new(&program, &returns, termination, 1);
    Analysed { sources: loaded.sources, program, returns, control }
}

impl Analysed {
    fn line(&self, place: Place) -> usize {
        self.sources.locate(place).line as usize
    }
    fn functions(&self) -> impl Iterator<Item = (FuncId, &Body, &FunctionControl)> {
        let control = |id: FuncId| self.control.functions[id].as_ref().expect("a body has control dependences");
        self.program.bodies().map(move |(id, _, body)| (id, body, control(id)))
    }
    /// The words for a dependence; several if several cases of a switch lead there.
    fn words(&self, body: &Body, dependence: &Dependence) -> Vec<String> {
        let mut words = match dependence.on {
            Controller::Entry => vec!["entry".to_string()],
            Controller::Call(call) => vec![format!("{} returns", self.sources.text(body.insts[call].place))],
            Controller::Branch(block) => {
                let outcome = label(body, block, dependence.branch).to_string();
                let text = self.sources.text(body.blocks[block].term_place);
                let computed = matches!(body.blocks[block].term, Terminator::IndirectJump { .. });
                let full = |o: &str| if computed { o.to_string() } else { format!("{text} {o}") };
                outcome.split(" | ").map(full).collect()
            }
        };
        if dependence.moves.back.is_some() {
            for word in &mut words {
                word.push_str(" carried");
            }
        }
        words
    }
    /// What the instructions and branches of a line depend on. Jumps and phis are not the line's own.
    fn of_line(&self, line: usize) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (_, body, control) in self.functions() {
            for (id, block) in body.blocks.enumerate() {
                let own = |v: &&ValueId| !matches!(body.insts[**v].kind, InstKind::Phi(_) | InstKind::Param(_));
                let mut regions: Vec<_> = block
                    .insts
                    .iter()
                    .filter(own)
                    .filter(|v| self.line(body.insts[**v].place) == line)
                    .map(|v| control.region_of(*v))
                    .collect();
                let jumps = matches!(block.term, Terminator::Jump(_) | Terminator::Unreachable);
                // The `return` at the end of a function stands at its closing brace, all computed jumps at one of them.
                if !jumps && self.line(block.term_place) == line {
                    regions.push(control.end(id));
                }
                for region in regions {
                    found.extend(control.of(region).iter().flat_map(|d| self.words(body, d)));
                }
            }
        }
        found
    }
    fn returned(&self, line: usize) -> BTreeSet<String> {
        let mut here = self.functions().filter(|(id, ..)| self.line(self.program.functions[*id].place) == line);
        let (_, body, control) = here.next().expect("a function starts on the line");
        control.returned().iter().flat_map(|d| self.words(body, d)).collect()
    }
}

fn check(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let sensitive = crate::support::directive(&text, "termination").is_some_and(|t| t == "sensitive");
    let termination = if sensitive { Termination::Sensitive } else { Termination::Insensitive };
    let code: Vec<&str> = text.lines().map(|l| l.split("//").next().unwrap_or("")).collect();
    let analysed = analyse(&path.to_string_lossy(), &(code.join("\n") + "\n"), termination);
    let mut wrong = Vec::new();
    for (number, line) in text.lines().enumerate().map(|(i, l)| (i + 1, l)) {
        let calls = code[number - 1].contains("u(") && code[number - 1].trim_end().ends_with(';');
        let Some((_, expected)) = line.split_once("//~ ") else {
            if calls && !code[number - 1].starts_with("int") {
                wrong.push(format!("{}:{number}: nothing is expected of this line", path.display()));
            }
            continue;
        };
        let (expected, found) = match expected.strip_prefix("RETURNED ") {
            Some(expected) => (expected, analysed.returned(number)),
            None => (expected, analysed.of_line(number)),
        };
        let expected: BTreeSet<String> = expected.split(", ").map(str::to_string).collect();
        if expected != found {
            wrong.push(format!("{}:{number}: {expected:?} is expected, {found:?} found", path.display()));
        }
    }
    wrong
}

#[test]
fn programs_have_the_dependences_written_down() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/phases/control");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    assert!(files.len() >= 5);
    let wrong: Vec<String> = files.iter().flat_map(|f| check(f)).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The operands of a phi hang on the edges they come by.
#[test]
fn operands_of_phis_hang_on_their_edges() {
    let programs = [
        ("int f(int a) { return a ? 1 : 2; }", "a false; a true"),
        ("int f(int a) { int x = 0; if (a) x = 1; return x; }", "a false; a true"),
        ("int f(int a, int b) { return a && b; }", "a false, b false; b true"),
        (
            "int f(int a) { int x = 3; switch (a) { case 1: x = 1; break; case 2: case 4: x = 2; } return x; }",
            "a case 1; a case 2, a case 4; a default",
        ),
        // Two variables at the header, one of them after the loop as well.
        ("int f(int a) { int x = 0; while (a) { a = x; x = 1; } return x; }", "a true; a true; entry; entry; entry"),
    ];
    for (text, expected) in programs {
        let analysed = analyse("phi.c", &format!("{text}\n"), Termination::Insensitive);
        let (_, body, control) = analysed.functions().next().expect("a function");
        let mut found: Vec<String> = Vec::new();
        for (id, block) in body.blocks.enumerate() {
            for &inst in &block.insts {
                let InstKind::Phi(args) = &body.insts[inst].kind else { continue };
                for (pred, _) in args {
                    let edge = control.of(control.edge(body, *pred, id));
                    let words: BTreeSet<String> = edge.iter().flat_map(|d| analysed.words(body, d)).collect();
                    found.push(words.into_iter().collect::<Vec<_>>().join(", "));
                }
            }
        }
        found.sort();
        assert_eq!(found.join("; "), expected, "{text}");
    }
}
