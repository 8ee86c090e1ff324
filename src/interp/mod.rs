//! Runs the IR: the oracle of the front end, and the fallback of replay.
//!
//! It runs either form, lowered or SSA. Every body is translated once into a compact code on slots (`translate`, `code`), which
//! a loop executes (`exec`; what is rare, `slow`). Memory is one flat range of bytes in which a bit per byte tells what
//! belongs to a live object (`memory`); the C library is modelled by name (`libc`).
//!
//! Invariant: no program makes it panic or overflow the host's stack; what is undefined or not modelled ends the run with a trap.
//! Uninitialised memory and registers hold zeros or what was there before, the same in every run.
//!
//! Where C leaves a result open, it is that of gcc without optimisation on x86-64 Linux with glibc: shift counts are masked, a
//! float that does not fit an integer becomes the machine's indefinite value. Division by zero is a trap.

mod arith;
mod code;
mod exec;
mod libc;
mod machine;
mod memory;
mod processor;
mod slow;
mod statics;
mod translate;
mod value;
pub mod watch;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::ir::{FuncId, Program};
use crate::source::Place;
use machine::{Machine, Stop};
use watch::{Observed, Watch};

/// The names of the library functions that it knows, sorted. Compilers' builtins that no library has are among them, without
/// `__builtin_`.
pub fn library() -> Vec<&'static str> {
    libc::names()
}

/// How to run a program.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// `argv`, the program's name first.
    pub args: Vec<Vec<u8>>,
    /// The environment, as `NAME=value`.
    pub env: Vec<Vec<u8>>,
    /// What standard input gives.
    pub stdin: Vec<u8>,
    /// The file system: the program reads and writes these files and no others.
    pub files: BTreeMap<String, Vec<u8>>,
    /// How many instructions it may execute; 0: no limit.
    pub max_steps: u64,
    /// How many bytes of memory it may hold; 0: no limit.
    pub max_memory: u64,
}

/// What a run did.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
    /// The files as it left them.
    pub files: BTreeMap<String, Vec<u8>>,
    /// How it ended.
    pub end: End,
    /// How many instructions were executed.
    pub steps: u64,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// `exit`, or return from `main`.
    Exit(i32),
    /// `abort`, a failed assertion, `raise`: the number of the signal.
    Signal(i32),
    /// The program did something undefined, or something that the interpreter does not model.
    Trap {
        /// What.
        message: String,
        /// Where.
        place: Option<Place>,
    },
    /// A limit of the [`Setup`] was reached.
    Limit,
}

/// Runs a program from its constructors through `main` to its last destructor.
pub fn run(program: &Program, setup: &Setup) -> Outcome {
    run_with(program, setup, None).0
}

fn run_with(program: &Program, setup: &Setup, watch: Option<&Watch>) -> (Outcome, Observed) {
    let statics = statics::place(program);
    let over_limit = setup.max_memory > 0 && statics.size > setup.max_memory;
    let fits = !over_limit && statics.size < memory::Memory::statics_limit(&program.types.model);
    let mut memory = memory::Memory::new(&program.types.model, if fits { statics.size } else { 0 }, setup.max_memory);
    let filled = if fits { statics.fill(program, &mut memory) } else { Ok(()) };
    let image = translate::program(program, statics, watch);
    let libc = libc::Libc::new(libc::files(&setup.files, &setup.stdin));
    let mut machine = Machine::new(program, &image, memory, libc, setup.max_steps);
    if let Some(watch) = watch {
        machine.set_watcher(watch::Watcher::new(program, &image.statics, watch));
    }
    let result = match filled {
        _ if over_limit => Err(Stop::Limit),
        _ if !fits => Err(Stop::Trap("the static objects do not fit the address space".into())),
        Err(fault) => Err(Stop::Fault(fault)),
        Ok(()) => run_all(&mut machine, setup),
    };
    let end = match result {
        Ok(status) | Err(Stop::Exit(status)) => End::Exit(status & 0xff),
        Err(Stop::Signal(signal)) => End::Signal(signal),
        Err(Stop::Trap(message)) => End::Trap { message, place: machine.place },
        Err(Stop::Fault(fault)) => End::Trap { message: machine.memory.describe(fault), place: machine.place },
        Err(Stop::Limit) => End::Limit,
        Err(Stop::Jump { .. }) => {
            End::Trap { message: "longjmp to a function that has returned".into(), place: machine.place }
        }
    };
    let steps = machine.steps;
    let observed = machine.watcher.take().map_or_else(Observed::default, |watcher| watcher.finish());
    let (stdout, stderr, files) = machine.libc.files.finish();
    (Outcome { stdout, stderr, files, end, steps }, observed)
}

/// Everything that runs; the exit status.
fn run_all(machine: &mut Machine<'_>, setup: &Setup) -> Result<i32, Stop> {
    let program = machine.program;
    let args = machine.start_libc(&setup.args, &setup.env)?;
    machine.own_allocations();
    let result = start(machine, args);
    let mut status = match result {
        Ok(status) | Err(Stop::Exit(status)) => status,
        Err(stop) => return Err(stop),
    };
    if !machine.libc.is_ended {
        status = machine.run_exit_hooks(status)?;
        for &destructor in &program.destructors {
            call(machine, destructor, &[])?;
        }
        machine.flush_all()?;
    }
    Ok(status)
}

fn start(machine: &mut Machine<'_>, args: [u64; 3]) -> Result<i32, Stop> {
    let program = machine.program;
    for &constructor in &program.constructors {
        call(machine, constructor, &[])?;
    }
    let is_main = |name: &str| name == "main";
    let main = program.functions.enumerate().find(|(_, f)| f.body.is_some() && is_main(&f.name));
    match main {
        Some((main, _)) => Ok(call(machine, main, &args)? as i32),
        None => Err(Stop::Trap("the program has no main".into())),
    }
}

fn call(machine: &mut Machine<'_>, function: FuncId, args: &[u64]) -> Result<u64, Stop> {
    let addr = machine.image.statics.function(function);
    let class = value::Class::pointer(&machine.program.types.model);
    let args: Vec<_> = args.iter().map(|a| (class, *a)).collect();
    machine.call_back(addr, &args)
}
