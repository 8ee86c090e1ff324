//! What reports show of a condition: solved for inputs, names that are told apart, the order by strength. Through the command line, as people see it.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use flowcheck::report::check::{Flow, Report, Status};

fn flowcheck(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flowcheck"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts")
}

fn stdout(output: &Output) -> String {
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

/// The flow of a question about `a.c`.
fn flow(folder: &Path, entry: &str, from: &str, to: &str, more: &[&str]) -> Flow {
    let mut args = vec!["condition", "a.c", "--from", from, "--to", to, "--entry", entry, "--format", "json"];
    args.extend(more);
    let text = stdout(&flowcheck(folder, &args));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn inputs(flow: &Flow) -> Option<&str> {
    assert_eq!(flow.status, Status::Violation);
    flow.condition.as_ref().expect("a condition").inputs.as_deref()
}

/// A disjunction of conjunctions, whatever their order.
fn clauses(text: &str) -> Vec<Vec<String>> {
    let clause = |text: &str| {
        let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
        let mut atoms: Vec<String> = text.split(" && ").map(str::to_owned).collect();
        atoms.sort();
        atoms
    };
    let mut all: Vec<Vec<String>> = text.split(" || ").map(clause).collect();
    all.sort();
    all
}

const SOLVED: &str = "\
int in(void);
int made(int n) { int k = 0; while (in() != n) k++; return k; }
int y;
void plain(int i, int j, int x) { int a[100];
    a[i + 3] = x;
    if (i > 10)
        y = a[2 * j - 42];
}
void counted(int j, int x) { int a[100];
    int i = 0;
    while (in())
        i++;
    a[i + 3] = x;
    if (i > 10)
        y = a[2 * j - 42];
}
void called(int j, int x) {
    int i = made(j);
    if (i > j && i < 7)
        y = x;
}
void square(int p, int q, int x) {
    int c = 0;
    while (in())
        c = in();
    if (p * c * c + q * c + 1 == 0)
        y = x;
}
void masked(int j, int x) {
    int i = made(0);
    if (i > 4 && (j & 16))
        y = x;
}
void unknown(int j, int x) {
    int i = made(0);
    if ((i ^ j) == 5)
        y = x;
}
void any(int x) {
    int i = made(0);
    if (i > 4)
        y = x;
}
";

/// That the two indices are equal, either way round.
const EQUATION: [&str; 2] = ["i + 3 == j * 2 - 42", "j * 2 - 42 == i + 3"];

/// Section 2.6 of the paper: `i > 10` and `i + 3 = 2j - 42`, so `2j > 55`.
#[test]
fn the_papers_example_is_solved_for_its_input() {
    let folder = folder(&[("a.c", SOLVED)]);
    let found = flow(folder.path(), "plain", "a.c:5:x", "a.c:7", &[]);
    let condition = found.condition.as_ref().expect("a condition");
    let atoms: Vec<&str> = condition.clauses[0].iter().map(|atom| atom.text.as_str()).collect();
    assert_eq!(condition.clauses.len(), 1);
    let [_, _] = atoms[..] else { panic!("{atoms:?}") };
    assert!(atoms.contains(&"i >= 11") && EQUATION.iter().any(|text| atoms.contains(text)), "{atoms:?}");
    assert_eq!(inputs(&found), Some(condition.text.as_str()), "parameters of an entry are inputs");

    // What a loop has counted is none.
    let found = flow(folder.path(), "counted", "a.c:13:x", "a.c:15", &[]);
    assert_eq!(inputs(&found), Some("j >= 28"));
    let args = ["condition", "a.c", "--from", "a.c:13:x", "--to", "a.c:15", "--entry", "counted"];
    let text = stdout(&flowcheck(folder.path(), &args));
    assert!(text.contains("  In terms of the program's inputs: j >= 28\n"), "{text}");
    // Where sums wrap, there is an i for every j: the equation is not one of whole numbers, and nothing is said.
    let wraps = "version = 1\n[domains]\na = \"a\"\n[flows]\nallow = []\n[analysis]\ninteger_overflow = \"wrap\"\n";
    std::fs::write(folder.path().join("wraps.toml"), wraps).expect("a file");
    let found = flow(folder.path(), "counted", "a.c:13:x", "a.c:15", &["--policy", "wraps.toml"]);
    assert_eq!(inputs(&found), None);
}

#[test]
fn what_a_function_computes_is_no_input() {
    let folder = folder(&[("a.c", SOLVED)]);
    // There is an i with j < i < 7 if j < 6.
    assert_eq!(inputs(&flow(folder.path(), "called", "a.c:20:x", "a.c:20", &[])), Some("j <= 5"));
    // What is about inputs alone is kept as it is.
    let found = flow(folder.path(), "masked", "a.c:32:x", "a.c:32", &[]);
    assert_eq!(inputs(&found), Some("(j & 16) != 0"));
    // Some call of `made` gives more than 4, whatever is passed: `1`, and in words.
    assert_eq!(inputs(&flow(folder.path(), "any", "a.c:42:x", "a.c:42", &[])), Some("1"));
    let args = ["condition", "a.c", "--from", "a.c:42:x", "--to", "a.c:42", "--entry", "any"];
    let text = stdout(&flowcheck(folder.path(), &args));
    assert!(text.contains("  No input of the program prevents it.\n"), "{text}");
    // Bits of both together are not solved for one of them: `1` would say that nothing is needed.
    assert_eq!(inputs(&flow(folder.path(), "unknown", "a.c:37:x", "a.c:37", &[])), None);
}

/// The other example of section 2.6: some c solves `p c² + q c + 1 = 0`.
#[test]
fn a_quadratic_condition_is_solved_over_the_real_numbers() {
    let folder = folder(&[("a.c", SOLVED)]);
    let found = flow(folder.path(), "square", "a.c:27:x", "a.c:27", &[]);
    let expected = "(p != 0 && q * q >= 4 * p) || (p == 0 && q != 0)";
    assert_eq!(clauses(inputs(&found).expect("it is solved")), clauses(expected));
}

const TEXTS: &str = "\
#include <stdio.h>
int src(void), in(void), of(int);
void sink(int);
int y;
void alike(int x) {
    if (in() > 3)
        if (in() < 2)
            y = x;
}
void moments(int n) {
    int t = 0;
    while (in()) {
        if (n == 3)
            t = src();
        if (n == 5)
            sink(t);
        n = in();
    }
}
void letter(int k, int x) {
    char c = (char)k;
    if (c == '+')
        y = x;
}
void number(int k, int x) {
    char c = (char)k;
    if (c == 43)
        y = x;
}
void expanded(int x) {
    if (of(EOF) > 4)
        y = x;
}
void never(int i, int j, int x) { int a[100];
    a[i + 3] = x;
    if (i > 10 && j < 5)
        y = a[2 * j - 42];
}
";

fn texts(flow: &Flow) -> Vec<&str> {
    let condition = flow.condition.as_ref().expect("a condition");
    condition.clauses.iter().flatten().map(|atom| atom.text.as_str()).collect()
}

fn equations(flow: &Flow) -> Vec<&str> {
    flow.condition.as_ref().expect("a condition").equations.iter().map(String::as_str).collect()
}

#[test]
fn different_values_with_one_text_are_told_apart() {
    let folder = folder(&[("a.c", TEXTS)]);
    let found = flow(folder.path(), "alike", "a.c:8:x", "a.c:8", &[]);
    let mut atoms = texts(&found);
    atoms.sort_unstable();
    assert_eq!(atoms, ["in() < 2", "in() >= 4"], "they do not contradict each other");
    let notes = equations(&found);
    for note in [
        "in `in() >= 4`, `in()` is what the call in line 6 returns",
        "in `in() < 2`, `in()` is what the call in line 7 returns",
    ] {
        assert!(notes.contains(&note), "{note} is not in {notes:?}");
    }
    let witness = found.witness.as_ref().expect("a witness");
    let named: Vec<(&str, u32)> =
        witness.inputs.iter().filter(|i| i.name.starts_with("in()")).map(|i| (i.name.as_str(), i.line)).collect();
    assert_eq!(named, [("in() (line 6)", 6), ("in() (line 7)", 7)]);

    // One variable at two moments.
    let found = flow(folder.path(), "moments", "src()", "sink()", &[]);
    let atoms = texts(&found);
    assert!(atoms.contains(&"n == 3") && atoms.contains(&"n == 5"), "{atoms:?}");
    let note = "each of these holds at some moment on the way, not all of them at the same one";
    assert!(equations(&found).contains(&note), "{:?}", equations(&found));
    let witness = found.witness.as_ref().expect("a witness");
    let names: Vec<&str> = witness.inputs.iter().map(|input| input.name.as_str()).collect();
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), names.len(), "each name occurs once: {names:?}");
    // What is said of one value needs no note.
    let found = flow(folder.path(), "letter", "a.c:23:x", "a.c:23", &[]);
    assert!(equations(&found).is_empty(), "{:?}", equations(&found));
}

#[test]
fn bytes_read_as_the_program_writes_them() {
    let folder = folder(&[("a.c", TEXTS)]);
    assert_eq!(texts(&flow(folder.path(), "letter", "a.c:23:x", "a.c:23", &[])), ["(unsigned char)k == '+'"]);
    assert_eq!(texts(&flow(folder.path(), "number", "a.c:28:x", "a.c:28", &[])), ["(unsigned char)k == 43"]);
    // The preprocessor marks where a macro of a system header begins and ends.
    let found = flow(folder.path(), "expanded", "a.c:32:x", "a.c:32", &[]);
    let [text] = texts(&found)[..] else { panic!("{:?}", found.condition) };
    assert!(text.contains("of(") && text.contains("(-1)") && !text.contains('#'), "{text}");
}

#[test]
fn a_proof_that_needs_no_overflow_says_so() {
    let folder = folder(&[("a.c", TEXTS)]);
    let found = flow(folder.path(), "never", "a.c:35:x", "a.c:37", &[]);
    assert_eq!(found.status, Status::Infeasible);
    let because: Vec<&str> = found.because.iter().map(|atom| atom.text.as_str()).collect();
    assert!(because.iter().any(|text| text.contains("_overflow_p(")), "{because:?}");
    // What contradicts itself: an index above 13, and one below -32.
    assert!(because.contains(&"i >= 11") && because.contains(&"j < 5"), "{because:?}");
    assert!(because.iter().any(|text| EQUATION.contains(text)), "{because:?}");
    let wraps = "version = 1\n[domains]\na = \"a\"\n[flows]\nallow = []\n[analysis]\ninteger_overflow = \"wrap\"\n";
    std::fs::write(folder.path().join("wraps.toml"), wraps).expect("a file");
    let found = flow(folder.path(), "never", "a.c:35:x", "a.c:37", &["--policy", "wraps.toml"]);
    assert_eq!(found.status, Status::Violation, "2 * j - 42 may be i + 3 there");
}

const POLICY: &str = r#"version = 1
[domains]
secret = "what nobody may know"
public = "what all may know"
[flows]
allow = []
[[source]]
domain = "secret"
function = "src"
[[sink]]
domain = "public"
function = "sink"
"#;

/// The lines of the sinks of violations, in the order of the report.
fn order(program: &str) -> Vec<u32> {
    let folder = folder(&[("a.c", program), ("flowcheck.toml", POLICY)]);
    let text = stdout(&flowcheck(folder.path(), &["--format", "json", "a.c"]));
    let report: Report = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    report.flows.iter().filter(|flow| flow.status == Status::Violation).map(|flow| flow.to.line).collect()
}

const ENDS: &str = "\
if (in()) if (in()) if (in())
sink(x);
if (in())
sink(x);
sink(x);
return 0; }
";

/// What needs three conditions comes after what needs one, and that after what needs none; by lines it would be the other way.
#[test]
fn what_happens_in_most_cases_comes_first() {
    let start = "int src(void), in(void); void sink(int);\nint main(void) { int x = src();\n";
    assert_eq!(order(&format!("{start}{ENDS}")), [7, 6, 4]);
    // In a large program the condition of the whole is not told, and that of the path that was found counts.
    let many = "if (in()) x = x ^ in();\n".repeat(450);
    assert_eq!(order(&format!("{start}{many}{ENDS}")), [457, 456, 454]);
}
