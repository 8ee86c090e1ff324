//! The oracle of pointers: every object that a run touches is among those that the analysis says, and so is every function
//! that a call through a pointer reaches.

mod named;

use std::path::{Path, PathBuf};

use flowcheck::base::parallel;
use flowcheck::interp::Setup;
use flowcheck::interp::watch::{Object, Touch, Watch, watch};
use flowcheck::ir::{Form, FuncId, InstKind, Operand, Program, ValueId};

use crate::influence::{dense, read_text};
use crate::support::{directive, programs, read};
use named::{Named, Strangers};

/// What an analysis says of a program.
pub trait Claims {
    /// Whether a load or store by `address` of so many bytes may touch this.
    fn may_touch(&self, touch: &Touch, address: Operand, size: u64) -> bool;
    /// Whether a call may reach the function.
    fn may_call(&self, function: FuncId, call: ValueId, callee: FuncId) -> bool;
    /// What the address is said to point to, in words.
    fn show(&self, program: &Program, function: FuncId, address: Operand) -> String;
}

/// What was compared.
#[derive(Clone, Copy, Default, Debug)]
pub struct Compared {
    /// Different accesses: instruction, object, offset.
    pub accesses: usize,
    /// Those of the library's own objects, which are not compared.
    pub other: usize,
    /// Different calls through pointers.
    pub calls: usize,
}

impl Compared {
    fn add(&mut self, other: Compared) {
        self.accesses += other.accesses;
        self.other += other.other;
        self.calls += other.calls;
    }
}

/// Runs a program; what the claims do not foresee.
pub fn compare(program: &Program, setup: &Setup, claims: &dyn Claims) -> (Compared, Vec<String>) {
    let (_, seen) = watch(program, setup, &Watch { accesses: true, ..Watch::default() });
    let mut found = Vec::new();
    let mut compared = Compared { accesses: seen.accesses.len(), calls: seen.callees.len(), other: 0 };
    for touch in &seen.accesses {
        let inst = &program.functions[touch.function].body.as_ref().expect("it was executed").insts[touch.inst];
        let (InstKind::Load { addr: address, access } | InstKind::Store { addr: address, access, .. }) = inst.kind
        else {
            panic!("{:?} is no access", inst.kind);
        };
        if touch.object == Object::Other {
            compared.other += 1;
            continue;
        }
        let size = match access.bits {
            Some(bits) => bits.bytes(),
            None => program.types.size_of(access.ty).unwrap_or(1),
        };
        if !claims.may_touch(touch, address, size) {
            let function = &program.functions[touch.function].name;
            let (object, said) = (touch.object, claims.show(program, touch.function, address));
            let line = format!("{function}: {} = {:?} touches {object:?}, not {said}", touch.inst, inst.kind);
            if found.last() != Some(&line) {
                found.push(line);
            }
        }
    }
    for &(f, call, callee) in &seen.callees {
        if !claims.may_call(f, call, callee) {
            let names = [f, callee].map(|f| program.functions[f].name.clone());
            found.push(format!("{}: {call} calls {}", names[0], names[1]));
        }
    }
    (compared, found)
}

/// The programs of `tests/run`, each with how to run it.
fn corpus() -> Vec<(String, Program, Setup)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run");
    let read_one = |_: usize, (name, files): &(String, Vec<PathBuf>)| {
        let main = files.iter().find(|f| f.ends_with("main.c")).unwrap_or(&files[0]);
        let text = String::from_utf8_lossy(&std::fs::read(main).expect("a readable program")).into_owned();
        let words = |key| -> Vec<String> {
            directive(&text, key).map(|s| s.split_whitespace().map(str::to_string).collect()).unwrap_or_default()
        };
        let program = read(files, &words("flags"), Form::Ssa).unwrap_or_else(|e| panic!("{name}: {e}"));
        let args = std::iter::once("program".to_string()).chain(words("args")).map(String::into_bytes).collect();
        let stdin = directive(&text, "stdin").unwrap_or_default().replace("\\n", "\n").into_bytes();
        (name.clone(), program, Setup { args, stdin, max_steps: 20_000_000, ..Setup::default() })
    };
    parallel::map(&programs(&folder), 2, read_one)
}

/// Compares the claims about the written and some generated programs.
fn compare_all<'c>(claims: impl Fn(&Program) -> Box<dyn Claims + '_> + Sync + 'c) -> (Compared, Vec<String>) {
    let seeds: Vec<u64> = (1..60).collect();
    let generated = parallel::map(&seeds, 2, |_, seed| {
        let (program, _) = read_text("dense.c", &dense::program(*seed));
        (format!("dense {seed}"), program, Setup { max_steps: 200_000, ..Setup::default() })
    });
    let all: Vec<_> = corpus().into_iter().chain(generated).collect();
    let results = parallel::map(&all, 2, |_, (name, program, setup)| {
        let (compared, found) = compare(program, setup, &*claims(program));
        (compared, found.into_iter().map(|f| format!("{name}: {f}")).collect::<Vec<_>>())
    });
    let mut total = (Compared::default(), Vec::new());
    for (compared, found) in results {
        total.0.add(compared);
        total.1.extend(found);
    }
    total
}

#[test]
fn runs_touch_the_objects_that_the_program_names() {
    let (compared, found) = compare_all(|program| Box::new(Named::new(program)));
    println!("{compared:?}");
    assert!(compared.accesses - compared.other > 5000 && compared.calls > 50, "{compared:?}");
    assert!(found.is_empty(), "{} accesses are not foreseen:\n{}", found.len(), found.join("\n"));
}

#[test]
fn the_oracle_finds_pointers_that_an_analysis_forgets() {
    let (compared, found) = compare_all(|program| Box::new(Strangers(Named::new(program))));
    let calls = found.iter().filter(|f| f.contains(" calls ")).count();
    println!("{} of {compared:?} not foreseen, {calls} of them calls", found.len());
    assert!(found.len() > 300 && calls > 50, "{} differences, {calls} calls", found.len());
}
