//! Programs that say whether a flow is there: each function of `tests/flows/*.c` that ends in `//~ FLOW` or `//~ NOFLOW` is an entry of its own, and is asked whether
//! what `src()` gives can reach `sink()`.

use std::path::PathBuf;
use std::process::{Command, Stdio};

fn has_flow(file: &PathBuf, entry: &str) -> bool {
    let output = Command::new(env!("CARGO_BIN_EXE_flowcheck"))
        .args(["chop", "--from", "src()", "--to", "sink()", "--format", "json", "--entry", entry])
        .arg(file)
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    assert_eq!(output.status.code(), Some(0), "{entry}: {}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    !json["nodes"].as_array().expect("nodes").is_empty()
}

#[test]
fn flows_are_where_the_programs_say() {
    let mut wrong = Vec::new();
    let mut asked = 0;
    for name in ["calls.c", "language.c", "library.c"] {
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/flows").join(name);
        let text = std::fs::read_to_string(&file).expect("a program");
        for line in text.lines() {
            let Some((code, expected)) = line.split_once(" //~ ") else { continue };
            let entry = code.rsplit_once("void t").map(|(_, rest)| rest).and_then(|rest| rest.split_once('('));
            let entry = format!("t{}", entry.expect("a function").0);
            asked += 1;
            if has_flow(&file, &entry) != (expected == "FLOW") {
                wrong.push(format!("{name} {entry}: {expected} expected"));
            }
        }
    }
    assert!(asked > 40, "only {asked} functions were found");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
