//! Random programs: gcc's output and the interpreter's are the same, on both forms of the IR.
//!
//! The programs come from csmith where it is installed and always from the generator of our own. `FLOWCHECK_PROGRAMS=N` takes N
//! programs instead of the default, `FLOWCHECK_SEED=S` starts at another seed.

use std::path::PathBuf;
use std::process::Command;

use crate::support::{Case, compare, gcc};
use flowcheck::base::parallel;

/// From plain integers to structs, unions, bit-fields, pointers, jumps and floats.
const LEVELS: [&[&str]; 5] = [
    &["--no-structs", "--no-unions", "--no-bitfields", "--no-pointers", "--no-jumps", "--no-arrays", "--no-volatiles"],
    &["--no-structs", "--no-unions", "--no-bitfields", "--no-pointers"],
    &["--no-unions", "--no-bitfields", "--no-packed-struct"],
    &["--float"],
    &["--builtins", "--inline-function", "--no-volatile-pointers"],
];

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

enum Result {
    Agrees,
    /// gcc does not take it, or it does not end.
    Skipped,
    Differs(String),
}

fn check(case: &Case, name: &str) -> Result {
    let Some(expected) = gcc(case, 1) else { return Result::Skipped };
    match compare(case, &expected) {
        Ok(()) => Result::Agrees,
        // What the machine does in a blink may be more than the interpreter is given.
        Err(e) if e.contains("the limit was reached") => Result::Skipped,
        Err(e) => Result::Differs(format!("{name}: {e}")),
    }
}

fn summary(kind: &str, results: Vec<Result>) -> usize {
    let (mut agree, mut skipped, mut differ) = (0, 0, Vec::new());
    for result in results {
        match result {
            Result::Agrees => agree += 1,
            Result::Skipped => skipped += 1,
            Result::Differs(text) => differ.push(text),
        }
    }
    println!("{kind}: {agree} agree, {skipped} skipped (no end in time), {} differ", differ.len());
    assert!(differ.is_empty(), "{} {kind} programs differ\n{}", differ.len(), differ.join("\n\n"));
    agree
}

#[test]
fn csmith_programs_agree_with_gcc() {
    if Command::new("csmith").arg("--version").output().is_err() {
        eprintln!(
            "csmith IS NOT INSTALLED (Debian: csmith libcsmith-dev): ITS PROGRAMS ARE NOT TRIED, only those of the generator"
        );
        return;
    }
    let include = ["/usr/include/csmith", "/usr/local/include/csmith"].into_iter().find(|p| PathBuf::from(p).exists());
    let include = include.expect("csmith is installed, its header csmith.h is not (Debian: libcsmith-dev)");
    let wanted = number("FLOWCHECK_PROGRAMS", 370);
    let seed = number("FLOWCHECK_SEED", 1);
    let seeds: Vec<u64> = (seed..seed + wanted).collect();
    let dir = tempfile::tempdir().expect("a scratch folder");
    let results = parallel::map(&seeds, 2, |_, seed| {
        let file = dir.path().join(format!("csmith{seed}.c"));
        let level = LEVELS[(*seed as usize) % LEVELS.len()];
        let made = Command::new("csmith")
            .args(["--seed", &seed.to_string(), "--max-funcs", "5", "--max-block-depth", "3", "-o"])
            .arg(&file)
            .args(level)
            .output()
            .expect("csmith runs");
        assert!(made.status.success(), "csmith failed: {}", String::from_utf8_lossy(&made.stderr));
        let flags = vec![format!("-I{include}")];
        let case = Case { files: vec![file], flags, max_steps: 20_000_000, ..Case::default() };
        check(&case, &format!("csmith --seed {seed} {}", level.join(" ")))
    });
    let agree = summary("csmith", results);
    assert!(agree as u64 >= wanted * 300 / 370, "most programs end: {agree} of {wanted}");
}

#[test]
fn generated_programs_agree_with_gcc() {
    let wanted = number("FLOWCHECK_PROGRAMS", 200);
    let seed = number("FLOWCHECK_SEED", 1);
    let seeds: Vec<u64> = (seed..seed + wanted).collect();
    let dir = tempfile::tempdir().expect("a scratch folder");
    let results = parallel::map(&seeds, 2, |_, seed| {
        let file = dir.path().join(format!("own{seed}.c"));
        std::fs::write(&file, crate::support::generator::program(*seed)).expect("a scratch file");
        let case = Case { files: vec![file], max_steps: 50_000_000, ..Case::default() };
        check(&case, &format!("generator seed {seed}"))
    });
    let agree = summary("generated", results);
    assert!(agree as u64 >= wanted * 9 / 10, "the programs end: {agree} of {wanted}");
}
