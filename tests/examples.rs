//! The examples that have an `expected.json`: every command that their README names in a `sh` block is run, and what it reports is compared with
//! what was worked out by hand. What the examples claim about their programs is compared with what gcc makes of them.
//!
//! `expected.json` is a list, with an entry for each command:
//! - `command`, as in the README; `exit`, its exit code;
//! - `report`, for a check: members that the report must have with these values, at any depth;
//! - `each_flow`: the same for each of its flows, of which there must be one;
//! - `flow`, for `condition`: the same for the flow that it prints; `not_status`: what its status is not;
//! - `clauses`: the clauses of the condition. An atom that is `implied` by the others may be left out. The reported texts need not be the same,
//!   but as C they mean the same in all states that the example says are possible;
//! - `on_the_way`: lines that the witness visits, in this order.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flowcheck::base::progress::Progress;
use flowcheck::chop::{Barriers, chop};
use flowcheck::ir::{Form, Options};
use flowcheck::policy::{self, annotation};
use flowcheck::sdg::NodeId;
use flowcheck::source::{self, Request};
use serde_json::Value;

use crate::support::{Case, gcc};

/// Whether flowcheck has `check` and `condition`. Without them, what their commands report is not compared.
const COMMANDS_EXIST: bool = true;

/// The examples with an `expected.json`.
const EXAMPLES: [&str; 2] = ["mergesort", "weighing-machine"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

fn text_of(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The commands in the `sh` blocks of a document.
fn commands(document: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        if line.starts_with("```") {
            inside = line == "```sh";
        } else if inside && line.starts_with("flowcheck ") {
            found.push(line);
        }
    }
    found
}

fn expected(name: &str) -> Vec<Value> {
    let text = text_of(&example(name).join("expected.json"));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a command of a README in the project's folder, for JSON: the exit code, what it printed, and what it complained about.
fn run(command: &str) -> (i32, Value, String) {
    let words: Vec<&str> = command.split_whitespace().skip(1).collect();
    let output = Command::new(env!("CARGO_BIN_EXE_flowcheck"))
        .args(words)
        .args(["--format", "json", "--no-progress"])
        .current_dir(root())
        .stdin(Stdio::null())
        .output()
        .expect("flowcheck runs");
    let told = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    (output.status.code().unwrap_or(-1), told, String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Complains where something that is expected is not so. Members that nothing is expected of are free.
fn compare(at: &str, expected: &Value, actual: &Value, complaints: &mut Vec<String>) {
    if let Value::Object(members) = expected {
        for (key, value) in members {
            compare(&format!("{at}.{key}"), value, &actual[key], complaints);
        }
    } else if expected != actual {
        complaints.push(format!("{at}: {actual}, not {expected}"));
    }
}

fn lines_of(atoms: &[Value], is_wanted: impl Fn(&Value) -> bool) -> Vec<u64> {
    atoms.iter().filter(|atom| is_wanted(atom)).filter_map(|atom| atom["line"].as_u64()).collect()
}

/// Whether a reported clause has an atom of every line that it must have, and of no other than it may have.
fn is_clause(expected: &[Value], actual: &[Value]) -> bool {
    let must = lines_of(expected, |atom| atom["implied"] != true);
    let may = lines_of(expected, |_| true);
    let has = lines_of(actual, |_| true);
    must.iter().all(|line| has.contains(line)) && has.iter().all(|line| may.contains(line))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Clauses as one C expression.
fn disjunction(clauses: &[Value]) -> String {
    let clause = |clause: &Value| {
        let atoms: Vec<String> =
            list(clause).iter().map(|atom| format!("({})", atom["text"].as_str().unwrap_or("?"))).collect();
        if atoms.is_empty() { "1".to_owned() } else { format!("({})", atoms.join(" && ")) }
    };
    if clauses.is_empty() { "0".to_owned() } else { clauses.iter().map(clause).collect::<Vec<_>>().join(" || ") }
}

/// A state of the weighing machine in the loop: the declarations, and loops over all that matters, around `$`. Line 23 has stored the key.
const STATES: &str = "
    static const char keys[] = {'+', '-', 'A', ' ', 0};
    for (int ab = 0; ab < 32; ab++) for (int cd = 0; cd < 32; cd++) for (int k = 0; k < 5; k++) for (int idx = 0; idx < 7; idx++) {
        int p_ab[2] = {ab, 1}, p_cd[2] = {cd, keys[k]};
        char e_puf[8] = \"ARTICLE\";
        e_puf[idx] = (char)p_cd[1];
        $
    }";

/// Compiles a program and says what it prints, or why not.
fn told_by_gcc(text: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("question.c");
    std::fs::write(&file, text).expect("a scratch file");
    let case = Case { files: vec![file], ..Case::default() };
    let seen = gcc(&case, 60).ok_or_else(|| format!("gcc does not take this, or it does not end:\n{text}"))?;
    Ok(String::from_utf8_lossy(&seen.stdout).into_owned())
}

/// A state in which two conditions of the weighing machine, in C, differ.
fn difference(one: &str, other: &str) -> Result<(), String> {
    let differs = format!(
        "if (!({one}) != !({other})) {{ printf(\"ab %d cd %d key %d idx %d\", ab, cd, keys[k], idx); return 1; }}"
    );
    let text = format!("#include <stdio.h>\nint main(void) {{{}\n    return 0;\n}}\n", STATES.replace('$', &differs));
    match told_by_gcc(&text)?.as_str() {
        "" => Ok(()),
        state => Err(format!("with {state}: {one}, but not {other}, or the other way round")),
    }
}

/// What is wrong with the condition of a flow.
fn compare_clauses(expected: &[Value], condition: &Value, complaints: &mut Vec<String>) {
    let actual = list(&condition["clauses"]);
    for clause in expected.iter().filter(|e| !actual.iter().any(|a| is_clause(list(e), list(a)))) {
        complaints.push(format!("no clause is like {clause}"));
    }
    for clause in actual.iter().filter(|a| !expected.iter().any(|e| is_clause(list(e), list(a)))) {
        complaints.push(format!("the clause {clause} is too much"));
    }
    let right = disjunction(expected);
    let texts = [disjunction(actual), condition["text"].as_str().unwrap_or_default().to_owned()];
    complaints.extend(texts.iter().filter_map(|text| difference(text, &right).err()));
}

/// What is wrong with a flow, apart from its members.
fn compare_flow(expected: &Value, flow: &Value, complaints: &mut Vec<String>) {
    if list(&expected["not_status"]).contains(&flow["status"]) {
        complaints.push(format!("the status is {}", flow["status"]));
    }
    if let Some(clauses) = expected["clauses"].as_array() {
        compare_clauses(clauses, &flow["condition"], complaints);
    }
    let mut path = list(&flow["witness"]["path"]).iter();
    for line in list(&expected["on_the_way"]) {
        if !path.any(|step| step["line"] == *line) {
            complaints.push(format!("the witness does not visit line {line} in its turn"));
        }
    }
}

/// What is wrong with what a command reports.
fn complaints(expected: &Value, exit: i32, told: &Value) -> Vec<String> {
    let mut complaints = Vec::new();
    compare("exit", &expected["exit"], &Value::from(exit), &mut complaints);
    compare(
        "report",
        &expected["report"],
        if expected["report"].is_null() { &Value::Null } else { told },
        &mut complaints,
    );
    if let Some(each) = expected.get("each_flow") {
        let flows = list(&told["flows"]);
        if flows.is_empty() {
            complaints.push("there is no flow".to_owned());
        }
        for (number, flow) in flows.iter().enumerate() {
            compare(&format!("flows[{number}]"), each, flow, &mut complaints);
            compare_flow(expected, flow, &mut complaints);
        }
    } else {
        compare(
            "flow",
            &expected["flow"],
            if expected["flow"].is_null() { &Value::Null } else { told },
            &mut complaints,
        );
        compare_flow(expected, told, &mut complaints);
    }
    complaints
}

#[test]
fn the_examples_report_what_is_expected() {
    let mut wrong = String::new();
    for name in EXAMPLES {
        for expected in expected(name) {
            let command = expected["command"].as_str().expect("a command");
            if COMMANDS_EXIST {
                let (exit, told, errors) = run(command);
                for complaint in complaints(&expected, exit, &told) {
                    let _ = writeln!(wrong, "{command}\n    {complaint}\n{errors}");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_command_of_an_example_has_an_expectation() {
    for name in EXAMPLES {
        let readme = text_of(&example(name).join("README.md"));
        let expected = expected(name);
        let known: Vec<&str> = expected.iter().filter_map(|e| e["command"].as_str()).collect();
        assert_eq!(commands(&readme), known, "{name}");
        assert!(!known.is_empty(), "{name}");
    }
}

/// A report as it should be for the first command of the weighing machine.
const RIGHT: &str = r#"{"policy": "Calibration path", "verdict": "violated",
    "counts": {"pairs": 1, "no_path": 0, "infeasible": 0, "declassified": 0, "baselined": 0, "violation": 1, "unknown": 0},
    "flows": [{
        "from": {"domain": "keyboard", "what": "p_cd", "file": "examples/weighing-machine/scale.c", "line": 8, "column": 9},
        "to": {"domain": "display", "what": "printf argument 3", "file": "examples/weighing-machine/scale.c", "line": 33, "column": 9},
        "status": "violation", "runs": 1,
        "condition": {"text": "(p_ab[0] & 16) == 0 && (p_cd[0] & 17) == 17 && (e_puf[idx] == 43 || p_cd[1] == 45)", "clauses": [
            [{"text": "(p_ab[0] & 16) == 0", "line": 16}, {"text": "(p_cd[0] & 1) != 0", "line": 20},
             {"text": "(p_cd[0] & 16) != 0", "line": 24}, {"text": "e_puf[idx] == 45", "line": 27}],
            [{"text": "(p_ab[0] & 16) == 0", "line": 16}, {"text": "(p_cd[0] & 1) != 0", "line": 20},
             {"text": "(p_cd[0] & 16) != 0", "line": 24}, {"text": "(char)p_cd[1] == 43", "line": 25}]]},
        "witness": {"inputs": [], "path": [{"line": 8}, {"line": 20}, {"line": 26}, {"line": 18}, {"line": 33}]}}]}"#;

#[test]
fn a_right_report_is_accepted_and_a_wrong_one_is_not() {
    let expected = &expected("weighing-machine")[0];
    let right: Value = serde_json::from_str(RIGHT).expect("JSON");
    assert_eq!(complaints(expected, 1, &right), Vec::<String>::new());
    let wrong = [
        ("\"verdict\": \"violated\"", "\"verdict\": \"secure\"", "report.verdict"),
        ("\"line\": 33, \"column\"", "\"line\": 32, \"column\"", "flows[0].to.line"),
        ("\"unknown\": 0", "\"unknown\": 1", "report.counts.unknown"),
        ("\"runs\": 1", "\"runs\": 2", "flows[0].runs"),
        ("{\"text\": \"e_puf[idx] == 45\", \"line\": 27}", "{\"text\": \"e_puf[idx] == 45\", \"line\": 26}", "clause"),
        ("(char)p_cd[1] == 43", "(char)p_cd[1] == 44", "with ab"),
        ("(p_cd[0] & 17) == 17", "(p_cd[0] & 17) != 0", "with ab"),
        ("{\"line\": 18}, ", "", "line 18"),
    ];
    for (before, after, complaint) in wrong {
        let changed = RIGHT.replacen(before, after, 1);
        assert_ne!(changed, RIGHT, "{before}");
        let changed: Value = serde_json::from_str(&changed).expect("JSON");
        let found = complaints(expected, 1, &changed);
        assert!(found.iter().any(|c| c.contains(complaint)), "{after}: {found:?}");
    }
    assert_eq!(complaints(expected, 0, &right), ["exit: 0, not 1"]);
}

/// The text with some lines replaced, by number from 1.
fn with_lines(text: &str, changes: &[(usize, &str)]) -> String {
    let changed = |(number, line): (usize, &str)| {
        let change = changes.iter().find(|(at, _)| *at == number + 1);
        format!("{}\n", change.map_or(line.to_owned(), |(_, new)| (*new).to_owned()))
    };
    text.lines().enumerate().map(changed).collect()
}

#[test]
fn the_weight_differs_exactly_where_the_paper_says() {
    let expected = &expected("weighing-machine")[0];
    let condition = disjunction(list(&expected["clauses"]));
    // The machine for three rounds, with given ports, keeping the weights that it shows.
    let machine = with_lines(
        &text_of(&example("weighing-machine").join("scale.c")),
        &[
            (
                6,
                "static void shown(const char *format, const char *article, float weight);\nstatic void run(const int *ab, const int *cd) {",
            ),
            (7, "int p_ab[2] = {ab[0], ab[1]};"),
            (8, "int p_cd[2] = {cd[0], cd[1]};"),
            (15, "for (int round = 0; round < 3; round++) {"),
            (33, "shown(\"\", e_puf, u_kg);"),
        ],
    );
    let compare = "int none[2] = {0, 0};
        count = 0; run(p_ab, none); for (int i = 0; i < 3; i++) without[i] = weights[i];
        count = 0; run(p_ab, p_cd);
        int differs = 0; for (int i = 0; i < 3; i++) differs |= weights[i] != without[i];
        flows += differs;
        if (differs != (CONDITION)) { printf(\"ab %d cd %d key %d idx %d\", ab, cd, keys[k], idx); return 1; }";
    let states = STATES.replace('$', &compare.replace("CONDITION", &condition));
    let text = format!(
        "{machine}\nstatic float weights[3], without[3];\nstatic int count;\n\
         static void shown(const char *f, const char *a, float w) {{ weights[count++] = w; }}\n\
         int main(void) {{\n    int flows = 0;{states}\n    printf(\"%d\", flows);\n    return 0;\n}}\n"
    );
    // Of 32 values of each port, 16 have the sensor ready and 8 both bits of the keyboard; 2 of 5 keys calibrate; 7 values of idx.
    assert_eq!(told_by_gcc(&text), Ok((16 * 8 * 2 * 7).to_string()));
}

#[test]
fn the_first_number_decides_whether_line_21_of_mergesort_is_executed() {
    let text = text_of(&example("mergesort").join("mergesort.c"));
    // What line 21 writes in merges of more than `least` elements.
    let seen = |number: u32, least: u32| {
        let first = format!("    data[0] = {number};");
        let line = format!(
            "{{ if (last - first >= {least}) printf(\"%d,\", data[index2]); temp[index++] = data[index2++]; }}"
        );
        told_by_gcc(&with_lines(&text, &[(21, &line), (45, &first), (54, ";"), (56, ";")])).expect("it runs")
    };
    // {999,1} takes 1 from the right; {1,999} and 23 takes 23; {55,44} takes 44; then 44 and 55 go before 999.
    assert_eq!(seen(999, 1), "1,23,44,44,55,");
    // {0,1} takes nothing from the right, nor do {0,1} and 23; {55,44} takes 44.
    assert_eq!(seen(0, 1), "44,");
    assert_eq!(seen(999, 4), "44,55,");
}

/// Section 2.7: the condition of the call of `merge` with 0, 2 and 4, in `index1`, `index2` and the numbers.
#[test]
fn the_papers_condition_is_a_case_of_what_is_said_of_mergesort() {
    let paper = "index2 <= 4 && index1 <= 2 && data[index1] >= data[index2]";
    for expected in expected("mergesort").iter().filter(|e| e["flow"]["status"] == "violation") {
        let command = expected["command"].as_str().expect("a command");
        let (_, told, _) = run(command);
        let clauses = list(&told["condition"]["clauses"]);
        let is_paper = |clause: &&Value| {
            let text = disjunction(std::slice::from_ref(*clause));
            let program = format!(
                "#include <stdio.h>\nint main(void) {{\n    for (int n = 0; n < 2187; n++) {{\n        int data[7];\n        \
                 for (int i = 0, m = n; i < 7; i++, m /= 3) data[i] = m % 3;\n        \
                 for (int index1 = 0; index1 < 7; index1++) for (int index2 = 0; index2 < 7; index2++)\n            \
                 if (!({text}) != !({paper})) {{ puts(\"differ\"); return 0; }}\n    }}\n    return 0;\n}}\n"
            );
            // A case that speaks of something else is not compiled.
            told_by_gcc(&program).is_ok_and(|said| said.is_empty())
        };
        assert!(clauses.iter().any(|clause| is_paper(&clause)), "{command}: no case is {paper}: {clauses:#?}");
    }
}

#[test]
fn only_the_recursive_calls_bring_the_first_number_to_line_21() {
    let file = example("mergesort").join("mergesort.c");
    let request = Request { paths: vec![file], jobs: 1, ..Request::default() };
    let options = Options { form: Form::Ssa, jobs: 1, ..Options::default() };
    let read = flowcheck::read(&request, &options, &Progress::silent()).expect("it can be read");
    let program = read.program.expect("it has no errors");
    let policy = policy::Policy::default();
    let analysed = flowcheck::analyse(&read.sources, &program, &policy, &[], 1, &Progress::silent()).expect("analysed");
    let on = |wanted: &[u32]| -> Vec<NodeId> {
        let nodes = analysed.sdg.nodes().enumerate();
        nodes.filter(|(_, node)| wanted.contains(&read.sources.locate(node.place).line)).map(|(id, _)| id).collect()
    };
    let (from, to) = (on(&[45]), on(&[21]));
    assert!(!from.is_empty() && !to.is_empty());
    assert!(!chop(&analysed.sdg, &from, &to, &Barriers::none()).is_empty());
    let recursive = Barriers::new(&analysed.sdg, on(&[36, 37]));
    assert!(chop(&analysed.sdg, &from, &to, &recursive).is_empty());
}

#[test]
fn the_policies_and_comments_of_the_weighing_machine_can_be_read() {
    let folder = example("weighing-machine");
    let letters = policy::read(&folder.join("letters.toml")).expect("letters.toml");
    assert_eq!(letters.assume.len(), 1);
    let policy = policy::read(&folder.join("policy.toml")).expect("policy.toml");
    assert_eq!(policy.assume.len(), 0);
    let request = Request { paths: vec![folder.join("asserted.c")], jobs: 1, ..Request::default() };
    let loaded = source::load(&request, &Progress::silent()).expect("asserted.c");
    let (found, diagnostics) = annotation::read(&loaded.sources, &policy);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let scopes: Vec<_> = found.scopes.iter().map(|s| (s.first, s.last, s.conditions.len())).collect();
    assert_eq!(scopes, [(15, 34, 2), (23, 28, 4)]);
}

#[test]
fn the_asserted_machine_differs_in_its_comments_only() {
    let folder = example("weighing-machine");
    let code = |name: &str| -> Vec<String> {
        let line = |line: &str| {
            line.split("//").next().unwrap_or_default().split("/*").next().unwrap_or_default().trim().to_owned()
        };
        text_of(&folder.join(name)).lines().map(line).collect()
    };
    assert_eq!(code("scale.c"), code("asserted.c"));
}
