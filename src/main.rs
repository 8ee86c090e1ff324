//! Arguments in, exit code out; all else is [`flowcheck::cli`].

use std::process::ExitCode;

/// lang-c's trees are millions of small boxes: the system's allocator takes a third of the time to read a program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    flowcheck::cli::main(std::env::args_os())
}
