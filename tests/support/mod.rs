//! What several tests share: running a C program through gcc and through the interpreter.

pub mod asking;
pub mod csmith;
pub mod expressions;
pub mod generator;
pub mod runs;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flowcheck::base::progress::Progress;
use flowcheck::interp::{self, End, Outcome, Setup};
use flowcheck::ir::{Form, Options, Program};
use flowcheck::source::{Request, Severity, show};

/// What a run shows: standard output and how it ended.
#[derive(Clone, PartialEq, Eq)]
pub struct Seen {
    /// Standard output.
    pub stdout: Vec<u8>,
    /// The exit code, or 128 plus the signal's number, as a shell says it.
    pub code: i32,
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "code {}\n{}", self.code, String::from_utf8_lossy(&self.stdout))
    }
}

/// A program with what it needs to run.
#[derive(Clone, Debug, Default)]
pub struct Case {
    /// The C files.
    pub files: Vec<PathBuf>,
    /// Compiler flags.
    pub flags: Vec<String>,
    /// Arguments after the program's name.
    pub args: Vec<String>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// Files that the program finds in its folder.
    pub fs: BTreeMap<String, Vec<u8>>,
    /// Instructions the interpreter may execute.
    pub max_steps: u64,
}

/// Compiles and runs a program with gcc; `None` if gcc does not take it or it does not end in `seconds`.
pub fn gcc(case: &Case, seconds: u32) -> Option<Seen> {
    let dir = tempfile::tempdir().expect("a scratch folder");
    let exe = dir.path().join("program");
    let built = Command::new("gcc")
        .args(["-w", "-O0", "-o"])
        .arg(&exe)
        .args(&case.flags)
        .args(&case.files)
        .arg("-lm")
        .stdin(Stdio::null())
        .output()
        .expect("gcc is there");
    if !built.status.success() {
        return None;
    }
    let folder = dir.path().join("files");
    std::fs::create_dir(&folder).expect("a scratch folder");
    for (name, content) in &case.fs {
        std::fs::write(folder.join(name), content).expect("a scratch file");
    }
    let mut child = Command::new("timeout")
        .arg(seconds.to_string())
        .arg(&exe)
        .current_dir(&folder)
        .args(&case.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = case.stdin.clone();
    let feeder = std::thread::spawn(move || {
        // A program that does not read its input closes the pipe: no matter.
        let _ = stdin.write_all(&input);
    });
    let out = child.wait_with_output().expect("the program runs");
    feeder.join().expect("the feeder ends");
    let code = match (out.status.code(), std::os::unix::process::ExitStatusExt::signal(&out.status)) {
        (Some(124), _) => return None,
        (Some(code), _) => code,
        (None, Some(signal)) => 128 + signal,
        (None, None) => unreachable!("a process exits or is killed"),
    };
    Some(Seen { stdout: out.stdout, code })
}

/// Reads a program; an error gives the rendered diagnostics.
pub fn read(files: &[PathBuf], flags: &[String], form: Form) -> Result<Program, String> {
    let request = Request { paths: files.to_vec(), flags: flags.to_vec(), jobs: 1, ..Request::default() };
    let options = Options { form, jobs: 1, ..Options::default() };
    let read = flowcheck::read(&request, &options, &Progress::silent()).map_err(|e| format!("{e:?}"))?;
    let mut text = Vec::new();
    let errors: Vec<_> = read.diagnostics.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
    show::render(&read.sources, &errors, false, &mut text).expect("writing to memory");
    read.program.ok_or_else(|| String::from_utf8_lossy(&text).into_owned())
}

/// Runs a program in the interpreter.
pub fn interpret(program: &Program, case: &Case) -> Outcome {
    let name = "program".to_string();
    let args = std::iter::once(&name).chain(&case.args).map(|a| a.clone().into_bytes()).collect();
    let setup = Setup {
        args,
        stdin: case.stdin.clone(),
        files: case.fs.clone(),
        max_steps: case.max_steps,
        max_memory: 1 << 30,
        ..Setup::default()
    };
    interp::run(program, &setup)
}

/// What a run in the interpreter shows.
pub fn seen(outcome: Outcome) -> Result<Seen, String> {
    let code = match outcome.end {
        End::Exit(code) => code & 0xff,
        End::Signal(signal) => 128 + signal,
        End::Trap { message, .. } => {
            return Err(format!("trap: {message}\n{}", String::from_utf8_lossy(&outcome.stdout)));
        }
        End::Limit => return Err(format!("the limit was reached after {} steps", outcome.steps)),
    };
    Ok(Seen { stdout: outcome.stdout, code })
}

/// Whether gcc and the interpreter, on both forms of the program, agree; else what differs.
pub fn compare(case: &Case, expected: &Seen) -> Result<(), String> {
    for form in [Form::Lowered, Form::Ssa] {
        let program = read(&case.files, &case.flags, form)?;
        let got = seen(interpret(&program, case)).map_err(|e| format!("{form:?}: {e}"))?;
        if got != *expected {
            return Err(format!("{form:?} differs\n--- gcc: {expected:?}\n--- interpreter: {got:?}"));
        }
    }
    Ok(())
}

/// The text after `//@ key:` in a file, if it is there.
pub fn directive(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|l| l.strip_prefix("//@ ")?.strip_prefix(key)?.strip_prefix(": ").map(str::to_string))
}

/// The programs below a folder: each `.c` file, and each folder whose name ends in `.d` as one program of several files.
pub fn programs(root: &Path) -> Vec<(String, Vec<PathBuf>)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> =
            std::fs::read_dir(&folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
        entries.sort();
        let is_c = |p: &Path| p.extension().is_some_and(|e| e == "c");
        if folder.extension().is_some_and(|e| e == "d") {
            found.push((folder.display().to_string(), entries.into_iter().filter(|p| is_c(p)).collect()));
            continue;
        }
        for entry in entries {
            if entry.is_dir() {
                folders.push(entry);
            } else if is_c(&entry) {
                found.push((entry.display().to_string(), vec![entry]));
            }
        }
    }
    found.sort();
    found
}
