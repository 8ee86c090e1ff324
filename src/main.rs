//! Arguments in, exit code out; all else is [`flowcheck::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    flowcheck::cli::main(std::env::args_os())
}
