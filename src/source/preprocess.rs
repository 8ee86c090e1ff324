//! Runs the user's compiler as a preprocessor (`-E`), nothing else, and with nothing on its standard input.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

use super::complaints;
use super::files::Input;
use super::{Diagnostic, general_error};
use crate::error::UserError;

/// Offsets into a unit are 32 bits, and the pre-pass may insert.
const LIMIT: u64 = 1 << 30;

/// Why a unit has no text.
pub(super) enum Failure {
    /// The compiler cannot be started: no use to go on.
    Compiler(UserError),
    /// The unit is bad; others may be too.
    Unit(Vec<Diagnostic>),
}

/// What a compiler wrote.
pub(super) struct Output {
    /// On standard output, at most one byte more than [`LIMIT`].
    pub stdout: Vec<u8>,
    /// On standard error.
    pub stderr: String,
    /// How it ended.
    pub status: ExitStatus,
}

/// The preprocessed bytes of a unit.
pub(super) fn read(input: &Input, cwd: &Path) -> Result<Vec<u8>, Failure> {
    let shown = input.path.display();
    let bad = |message: String| Failure::Unit(vec![general_error(message)]);
    let directory = input.directory.as_deref().unwrap_or(Path::new(""));
    let file = cwd.join(directory).join(&input.argument);
    let size = match file.metadata() {
        Ok(metadata) => metadata.len(),
        Err(e) => return Err(bad(format!("`{shown}` cannot be read: {e}"))),
    };
    let too_large = || bad(format!("`{shown}` is larger than 1 GiB when preprocessed"));
    if input.preprocessed {
        if size > LIMIT {
            return Err(too_large());
        }
        return std::fs::read(&file).map_err(|e| bad(format!("`{shown}` cannot be read: {e}")));
    }
    let mut words = vec!["-E".to_owned()];
    words.extend(input.flags.iter().cloned());
    words.extend(["-x".to_owned(), "c".to_owned()]);
    let output =
        run(&input.cc, &words, Some(&input.argument), input.directory.as_deref()).map_err(Failure::Compiler)?;
    if output.stdout.len() as u64 > LIMIT {
        return Err(too_large());
    }
    if output.status.success() {
        return Ok(output.stdout);
    }
    let mut diagnostics = complaints::parse(&output.stderr, &input.path, input.directory.as_deref(), cwd);
    if diagnostics.is_empty() {
        let mut diagnostic =
            general_error(format!("`{}` cannot preprocess `{shown}` ({})", input.cc[0], output.status));
        diagnostic.notes.extend(output.stderr.lines().take(5).map(str::to_owned));
        diagnostics.push(diagnostic);
    }
    Err(Failure::Unit(diagnostics))
}

/// Runs `cc words [file]` in `directory`.
pub(super) fn run(
    cc: &[String],
    words: &[String],
    file: Option<&Path>,
    directory: Option<&Path>,
) -> Result<Output, UserError> {
    let failed = |e: std::io::Error| {
        UserError::usage(
            format!("the compiler `{}` cannot be started: {e}", cc.first().map_or("", String::as_str)),
            "flowcheck preprocesses with your compiler; install it, or name another one by `--cc`",
        )
    };
    let [program, options @ ..] = cc else {
        return Err(failed(std::io::Error::from(std::io::ErrorKind::NotFound)));
    };
    let mut command = Command::new(absolute(program));
    command.args(options).args(words).args(file);
    if let Some(directory) = directory {
        if !directory.is_dir() {
            return Err(UserError::usage(
                format!("there is no folder `{}` for the compiler to work in", directory.display()),
                "it is the `directory` of an entry of compile_commands.json: configure the build again",
            ));
        }
        command.current_dir(directory);
    }
    // Messages are read, so they must not be translated.
    command.env("LC_ALL", "C").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(failed)?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let mut text = Vec::new();
    let mut messages = Vec::new();
    std::thread::scope(|scope| {
        // Both at once: a full pipe would stop the compiler.
        let reader = scope.spawn(|| stderr.map_or(Ok(0), |e| e.take(LIMIT).read_to_end(&mut messages)));
        let read = stdout.map_or(Ok(0), |o| o.take(LIMIT + 1).read_to_end(&mut text));
        let joined = reader.join().unwrap_or(Ok(0));
        read.and(joined)
    })
    .map_err(failed)?;
    let status = child.wait().map_err(failed)?;
    Ok(Output { stdout: text, stderr: String::from_utf8_lossy(&messages).into_owned(), status })
}

/// A program named by a relative path is meant from here, wherever the compiler works.
fn absolute(program: &str) -> PathBuf {
    let path = Path::new(program);
    if path.components().count() > 1 || program.starts_with('.') {
        std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
    } else {
        path.to_owned()
    }
}

/// The compiler to use where none is named: `gcc`, else `cc`.
pub(super) fn default_compiler() -> Option<&'static str> {
    let folders = std::env::var_os("PATH")?;
    ["gcc", "cc"].into_iter().find(|name| std::env::split_paths(&folders).any(|folder| folder.join(name).is_file()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_that_is_not_there_is_named() {
        let error = run(&["no-such-compiler-gcc".into()], &[], None, None).err().unwrap();
        assert!(error.to_string().contains("no-such-compiler-gcc"), "{error}");
    }

    #[test]
    fn a_missing_folder_is_not_taken_for_a_missing_compiler() {
        let error = run(&["gcc".into()], &[], None, Some(Path::new("/no/such/folder"))).err().unwrap();
        assert!(error.to_string().contains("/no/such/folder"), "{error}");
    }
}
