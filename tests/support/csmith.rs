//! Programs of csmith, where it is installed.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Case;

/// What the programs may contain: without jumps into undefined behaviour by a changed value, so no unions and no volatile.
const OPTIONS: [&str; 6] = ["--max-funcs", "4", "--max-block-depth", "2", "--no-unions", "--no-volatiles"];

/// Where csmith's header is; `None`, loudly, if csmith is not installed.
pub fn installed() -> Option<&'static str> {
    if Command::new("csmith").arg("--version").output().is_err() {
        eprintln!("csmith IS NOT INSTALLED (Debian: csmith libcsmith-dev): ITS PROGRAMS ARE NOT TRIED");
        return None;
    }
    let include = ["/usr/include/csmith", "/usr/local/include/csmith"].into_iter().find(|p| PathBuf::from(p).exists());
    Some(include.expect("csmith is installed, its header csmith.h is not (Debian: libcsmith-dev)"))
}

/// The program of a seed, in a folder.
pub fn program(seed: u64, include: &str, folder: &Path) -> Case {
    let file = folder.join(format!("csmith{seed}.c"));
    let made = Command::new("csmith").args(["--seed", &seed.to_string(), "-o"]).arg(&file).args(OPTIONS).output();
    let made = made.expect("csmith runs");
    assert!(made.status.success(), "csmith failed: {}", String::from_utf8_lossy(&made.stderr));
    Case { files: vec![file], flags: vec![format!("-I{include}")], max_steps: 2_000_000, ..Case::default() }
}
