//! The front end understood the program: gcc's output and exit code, and the interpreter's on both forms of the IR, are the same.
//!
//! `FLOWCHECK_CORPUS=FOLDER` tries the programs of another folder (gcc's torture tests, say), those that gcc takes and that end.

use std::path::{Path, PathBuf};

use flowcheck::base::parallel;

use crate::support::{Case, compare, directive, gcc, programs};

#[test]
fn programs_do_in_the_interpreter_what_they_do_when_compiled() {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run");
    let other = std::env::var_os("FLOWCHECK_CORPUS").map(PathBuf::from);
    let all = programs(other.as_ref().unwrap_or(&ours));
    assert!(all.len() >= 20, "the corpus is there");
    let results = parallel::map(&all, 2, |_, (name, files)| {
        let main = files.iter().find(|f| f.ends_with("main.c")).unwrap_or(&files[0]);
        let text = String::from_utf8_lossy(&std::fs::read(main).expect("a readable program")).into_owned();
        let words =
            |key| directive(&text, key).map(|s| s.split_whitespace().map(str::to_string).collect()).unwrap_or_default();
        let case = Case {
            files: files.clone(),
            flags: words("flags"),
            args: words("args"),
            stdin: directive(&text, "stdin").unwrap_or_default().replace("\\n", "\n").into_bytes(),
            max_steps: 200_000_000,
            ..Case::default()
        };
        let Some(expected) = gcc(&case, 10) else {
            return other.is_none().then(|| Err(format!("{name}: gcc does not take it")));
        };
        if other.is_none() {
            assert!(!expected.stdout.is_empty(), "{name} shows nothing, so it proves nothing");
        }
        Some(compare(&case, &expected).map_err(|e| format!("{name}: {e}")))
    });
    let tried: Vec<_> = results.into_iter().flatten().collect();
    let failures: Vec<&String> = tried.iter().filter_map(|r| r.as_ref().err()).collect();
    println!("{} of {} programs agree", tried.len() - failures.len(), tried.len());
    let text: Vec<&str> = failures.iter().map(|s| s.as_str()).collect();
    assert!(failures.is_empty(), "{} of {} differ\n{}", failures.len(), tried.len(), text.join("\n\n"));
}
