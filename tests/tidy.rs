//! The house rules that no compiler checks: file sizes, module docs, layering, no leftovers, a code map that is complete.

use std::path::{Path, PathBuf};

/// A file that grows past this is split by entity.
const LONGEST: usize = 700;

/// Uses of a later module that are allowed, with the reason.
const UPWARD: [(&str, &str, &str); 1] =
    [("source", "ir", "the data model is told in C's own integer types, which are plain data of the IR")];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The project's files, without what is built or fetched.
fn files(below: &Path, ending: &str) -> Vec<(PathBuf, String)> {
    let kept = |e: &walkdir::DirEntry| {
        !["target", ".git", ".cargo", "corpus", "artifacts"].iter().any(|n| e.file_name() == *n)
    };
    let mut found: Vec<(PathBuf, String)> = walkdir::WalkDir::new(below)
        .into_iter()
        .filter_entry(kept)
        .map(|entry| entry.expect("a readable folder").into_path())
        .filter(|path| path.is_file() && path.to_string_lossy().ends_with(ending))
        .filter_map(|path| std::fs::read_to_string(&path).ok().map(|text| (path, text)))
        .collect();
    found.sort();
    found
}

fn rust_files() -> Vec<(PathBuf, String)> {
    let found = files(&root(), ".rs");
    assert!(found.len() > 20, "the walk finds the sources");
    found
}

/// The complaints of a rule, over all files.
fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn files_are_short() {
    let too_long = |(path, text): &(PathBuf, String)| {
        let lines = text.lines().count();
        (lines > LONGEST).then(|| format!("{}: {lines} lines, at most {LONGEST}", path.display()))
    };
    assert_none(&rust_files().iter().filter_map(too_long).collect::<Vec<_>>());
}

#[test]
fn every_module_says_what_it_is() {
    let silent = |(path, text): &(PathBuf, String)| {
        (!text.starts_with("//! ")).then(|| format!("{}: does not start with //!", path.display()))
    };
    assert_none(&rust_files().iter().filter_map(silent).collect::<Vec<_>>());
}

#[test]
fn nothing_is_left_behind() {
    // Spelt in halves, so that this file does not find itself.
    let leftovers = [
        concat!("to", "do!("),
        concat!("unimpl", "emented!("),
        concat!("db", "g!("),
        concat!("FIX", "ME"),
        concat!("TO", "DO"),
        concat!("#[ign", "ore"),
    ];
    let mut complaints = Vec::new();
    for (path, text) in rust_files() {
        for (number, line) in text.lines().enumerate() {
            for leftover in leftovers.iter().filter(|l| line.contains(**l)) {
                complaints.push(format!("{}:{}: {leftover}", path.display(), number + 1));
            }
        }
    }
    assert_none(&complaints);
}

/// The modules of `lib.rs`, in the order of the pipeline.
fn modules() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("src/lib.rs")).expect("lib.rs");
    let name = |line: &str| line.strip_prefix("pub mod ")?.strip_suffix(';').map(str::to_owned);
    text.lines().filter_map(name).collect()
}

/// The module's name at the start of a path after `crate::`; what follows does not matter.
fn first_segment(path: &str) -> &str {
    path.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default()
}

/// What the code names after `crate::`, also in `use crate::{ir, solve};`.
fn used_modules(code: &str) -> Vec<&str> {
    code.split("crate::").skip(1).flat_map(heads).collect()
}

/// The first names of a path, or of each path in a group.
fn heads(path: &str) -> Vec<&str> {
    let Some(group) = path.strip_prefix('{') else { return vec![first_segment(path)] };
    let mut found = vec![first_segment(group.trim_start())];
    let mut depth = 1;
    for (i, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 1 => found.push(first_segment(group[i + 1..].trim_start())),
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    found
}

#[test]
fn modules_use_only_those_above_them() {
    let code = "use crate::{\n    ir::{self, report},\n    solve::x,\n}; crate::base::f()";
    assert_eq!(used_modules(code), ["ir", "solve", "", "base"]);
    let modules = modules();
    assert!(modules.len() > 5, "lib.rs lists the modules");
    let mut complaints = Vec::new();
    for (rank, module) in modules.iter().enumerate() {
        let folder = root().join("src").join(module);
        let found = if folder.is_dir() { files(&folder, ".rs") } else { files(&folder.with_extension("rs"), ".rs") };
        assert!(!found.is_empty(), "{module}");
        for (path, text) in found {
            let code: Vec<&str> = text.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
            for used in used_modules(&code.join("\n")) {
                let later = modules.iter().position(|m| m == used).is_some_and(|r| r > rank);
                if later && !UPWARD.iter().any(|(from, to, _)| from == module && *to == used) {
                    complaints.push(format!("{}: {module} uses {used}", path.display()));
                }
            }
        }
    }
    assert_none(&complaints);
}

#[test]
fn the_code_map_names_every_module_with_its_invariant() {
    let map = std::fs::read_to_string(root().join("docs/ARCHITECTURE.md")).expect("docs/ARCHITECTURE.md");
    let mut complaints = Vec::new();
    for module in modules() {
        let section = map.split("\n### ").find(|s| s.starts_with(&format!("`{module}`")));
        match section {
            None => complaints.push(format!("{module}: no section")),
            Some(section) if !section.contains("Invariant:") => complaints.push(format!("{module}: no invariant")),
            Some(_) => {}
        }
    }
    assert_none(&complaints);
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    let places = [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/"), concat!("/wo", "rk/")];
    let mut complaints = Vec::new();
    for (path, text) in files(&root(), "") {
        for (number, line) in text.lines().enumerate() {
            if places.iter().any(|place| line.contains(place)) {
                complaints.push(format!("{}:{}: {line}", path.display(), number + 1));
            }
        }
    }
    assert_none(&complaints);
}
