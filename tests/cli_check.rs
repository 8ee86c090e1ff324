//! `check`, `condition` and `explain` as scripts see them: exit codes, messages, files, and what is on which stream.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flowcheck::report::check::{Report, Status, Verdict};

fn flowcheck(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flowcheck"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .env_remove("RUST_BACKTRACE")
        .output()
        .expect("the binary starts")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

/// The run could not be made: exit code 2, nothing on standard output, and every one of `words` in the message.
fn assert_refused(output: &Output, words: &[&str]) {
    let message = stderr(output);
    assert_eq!((output.status.code(), stdout(output)), (Some(2), String::new()), "{message}");
    // Messages are wrapped to the width of the terminal.
    let flat = message.split_whitespace().filter(|w| *w != "│").collect::<Vec<_>>().join(" ");
    for word in words {
        assert!(flat.contains(word), "`{word}` is not in:\n{message}");
    }
    assert!(!message.contains("panicked") && !message.contains("internal error"), "{message}");
}

/// The result, with this exit code and nothing on standard error.
fn result(output: &Output, code: i32) -> String {
    assert_eq!((output.status.code(), stderr(output)), (Some(code), String::new()), "{}", stdout(output));
    stdout(output)
}

const PROGRAM: &str = "\
int src(void);
int harmless(void);
void sink(int);
int main(int argc, char **argv) {
    int x = src();
    int y = harmless();
    if (argc > 1)
        sink(x);
    sink(y);
    return 0;
}
";

const POLICY: &str = r#"version = 1
name = "Nothing secret is shown"

[domains]
secret = "what nobody may know"
public = "what all may know"

[[source]]
domain = "secret"
function = "src"

[[sink]]
domain = "public"
function = "sink"
"#;

/// A folder with the program and its policy.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder");
    write(&folder, "a.c", PROGRAM);
    write(&folder, "flowcheck.toml", POLICY);
    folder
}

fn write(folder: &tempfile::TempDir, name: &str, text: &str) {
    std::fs::write(folder.path().join(name), text).expect("a scratch file");
}

fn json(text: &str) -> Report {
    Report::from_json(text).expect("a report")
}

/// What a region or a line does is arbitrary, also what it returns and what it shows itself. Each program with the line of its sink.
#[test]
fn what_a_region_gives_or_shows_is_arbitrary() {
    let region = "source = [{ domain = \"hi\", region_function = \"sensor\" }]";
    let line = |n: u32| format!("source = [{{ domain = \"hi\", location = \"r.c:{n}\" }}]");
    let returns = |result: &str| {
        format!(
            "int hw(void); void sink(int);\nint key;\nstatic int sensor(void) {{\n  int r = hw();\n  {result}\n}}\nint main(void) {{\n  sink(sensor());\n  return 0;\n}}\n"
        )
    };
    let shows = |body: &str| {
        format!(
            "int hw(void); void sink(int);\nint key;\nstatic void sensor(void) {{\n  int r = hw();\n  {body}\n}}\nint main(void) {{\n  sensor();\n  return 0;\n}}\n"
        )
    };
    let mut cases: Vec<(String, String, u32)> = Vec::new();
    for result in
        ["return r;", "return 3;", "return key;", "return r * 2;", "if (r) return 1; return 0;", "return r ? 1 : 2;"]
    {
        cases.push((returns(result), region.to_owned(), 8));
        cases.push((returns(result), line(5), 8));
    }
    for body in ["sink(r);", "if (r > 3) sink(1);", "sink(key);"] {
        cases.push((shows(body), region.to_owned(), 5));
        cases.push((shows(body), line(5), 5));
    }
    let passes = "void sink(int);\nint key;\nstatic void show(int n) {\n  sink(n);\n}\nint main(void) {\n  show(key);\n  return 0;\n}\n";
    cases.push((passes.to_owned(), line(7), 4));
    let keeps = "void sink(int);\nint key;\nstatic void show(void) {\n  sink(key);\n}\nint main(void) {\n  key = 2;\n  show();\n  return 0;\n}\n";
    cases.push((keeps.to_owned(), line(7), 4));
    let picks =
        "void sink(int);\nint main(int c, char **v) {\n  int x = c ?\n    1 :\n    2;\n  sink(x);\n  return 0;\n}\n";
    cases.push((picks.to_owned(), line(4), 6));
    for (program, source, sink) in cases {
        let folder = tempfile::tempdir().expect("a scratch folder");
        write(&folder, "r.c", &program);
        let rest = "sink = [{ domain = \"lo\", function = \"sink\" }]";
        write(&folder, "r.toml", &format!("version = 1\n{source}\n{rest}\n[domains]\nhi = \"hi\"\nlo = \"lo\"\n"));
        let report = json(&result(&flowcheck(folder.path(), &["--policy", "r.toml", "--format", "json", "r.c"]), 1));
        let found = report.flows.iter().any(|flow| flow.status == Status::Violation && flow.to.line == sink);
        assert!(found, "{source} of\n{program}is not seen at line {sink}: {:?}", report.flows);
    }
}

/// What has no bytes may be where something else is, and a weak function that nobody defines is nowhere.
#[test]
fn not_every_symbol_has_an_address_of_its_own() {
    for body in [
        "struct E {}; static struct E x, y;\nint main(void) { if ((unsigned long)&x == (unsigned long)&y) sink(src()); return 0; }\n",
        "static int z[0], y;\nint main(void) { if ((unsigned long)z == (unsigned long)&y) sink(src()); return 0; }\n",
        "extern void hook(void) __attribute__((weak));\nint main(void) { if (hook) hook(); else sink(src()); return 0; }\n",
    ] {
        let folder = tempfile::tempdir().expect("a scratch folder");
        write(&folder, "a.c", &format!("int src(void); void sink(int);\n{body}"));
        let out =
            flowcheck(folder.path(), &["condition", "a.c", "--from", "src()", "--to", "sink()", "--format", "json"]);
        let text = stdout(&out);
        assert!(text.contains("\"status\": \"violation\""), "{body}: {text}{}", stderr(&out));
    }
}

#[test]
fn a_flow_fails_unless_told_otherwise_and_no_flow_does_not() {
    let project = project();
    let check = |args: &[&str]| flowcheck(project.path(), &[args, &["a.c"]].concat());
    let text = result(&check(&["--policy", "flowcheck.toml"]), 1);
    let last = text.lines().last().expect("a verdict");
    assert!(last.starts_with("VIOLATED: ") || last.starts_with("UNKNOWN: "), "{text}");
    assert!(text.contains("a.c:8:9") && text.contains("sink(x);") && text.contains("int x = src();"), "{text}");
    assert!(
        text.contains("2 forbidden pairs of a source and a sink: 1 ") && text.contains(", 1 without any"),
        "{text}"
    );
    assert_eq!(
        result(&check(&["check", "--color", "never"]), 1),
        text,
        "the policy is found, and the word is optional"
    );
    assert_eq!(result(&check(&["--fail-on", "never"]), 0), text);
    let report = json(&result(&check(&["--format", "json"]), 1));
    let fails = i32::from(report.verdict == Verdict::Violated);
    assert_eq!(result(&check(&["--fail-on", "violation"]), fails), text);
    write(&project, "a.c", &PROGRAM.replace("sink(x)", "sink(y)"));
    let text = result(&check(&[]), 0);
    assert!(text.lines().last().is_some_and(|last| last.starts_with("SECURE: ")), "{text}");
    assert!(result(&check(&["--format", "json"]), 0).contains("\"verdict\": \"secure\""));
}

#[test]
fn the_json_is_a_report_and_the_same_bytes_again() {
    let project = project();
    let args = ["--format", "json", "--no-timings", "a.c"];
    let text = result(&flowcheck(project.path(), &args), 1);
    assert_eq!(result(&flowcheck(project.path(), &args), 1), text);
    let report = json(&text);
    assert_eq!(report.policy, "Nothing secret is shown");
    assert_eq!(report.command, ["flowcheck", "--format", "json", "--no-timings", "a.c"]);
    assert_eq!((report.counts.pairs, report.counts.no_path, report.flows.len()), (2, 1, 1));
    let flow = &report.flows[0];
    assert!(matches!(flow.status, Status::Violation | Status::Unknown));
    assert_eq!((flow.from.file.as_str(), flow.from.line, flow.to.line), ("a.c", 5, 8));
    assert_eq!((flow.from.domain.as_str(), flow.to.domain.as_str()), ("secret", "public"));
    assert_eq!((report.statistics.functions, report.statistics.conditions.len()), (1, 1));
    assert!(report.statistics.sdg_nodes > 10 && report.statistics.sdg_edges > 10 && report.statistics.lines > 8);
    assert!(report.statistics.seconds.is_empty() && report.statistics.conditions[0].seconds.is_empty());
    assert_eq!(report.statistics.conditions[0].flow, flow.id);
    let timed = json(&result(&flowcheck(project.path(), &["--format", "json", "a.c"]), 1));
    assert!(timed.statistics.seconds.contains_key("sdg") && timed.statistics.seconds.contains_key("decide"));
    assert_eq!(timed.statistics.conditions[0].seconds.len(), 3);
    // Threads change nothing but the command's words.
    let other =
        json(&result(&flowcheck(project.path(), &["--format", "json", "--no-timings", "--jobs", "1", "a.c"]), 1));
    assert_eq!(Report { command: report.command.clone(), ..other }, report);
}

/// The real thing against the schema, where Python can check one.
#[test]
fn the_json_fits_the_schema() {
    let project = project();
    let check = "import json, sys, jsonschema\n\
                 schema, report = (json.load(open(name)) for name in sys.argv[1:])\n\
                 jsonschema.Draft202012Validator(schema).validate(report)";
    let installed = Command::new("python3").args(["-c", "import jsonschema"]).output();
    if !installed.is_ok_and(|output| output.status.success()) {
        return;
    }
    flowcheck(project.path(), &["--report", "r.json", "a.c"]);
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.schema.json");
    let output = Command::new("python3").args(["-c", check, schema, "r.json"]).current_dir(project.path()).output();
    let output = output.expect("Python");
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn a_report_is_written_beside_the_result() {
    let project = project();
    let root = project.path();
    let args = ["--report", "r.json", "--report", "again.json", "--no-timings", "a.c"];
    let text = result(&flowcheck(root, &args), 1);
    assert!(!text.starts_with('{'), "standard output has the text");
    let written = std::fs::read_to_string(root.join("r.json")).expect("the report");
    assert_eq!(std::fs::read_to_string(root.join("again.json")).expect("the report"), written);
    let mut printed = json(&result(&flowcheck(root, &["--format", "json", "--no-timings", "a.c"]), 1));
    printed.command = ["flowcheck"].iter().chain(&args).map(|word| (*word).to_owned()).collect();
    assert_eq!(json(&written), printed);
    assert_eq!(std::fs::read_dir(root).expect("the folder").count(), 4, "and nothing else is left");
    // What cannot be written is no result.
    assert_refused(&flowcheck(root, &["--report", "none/r.json", "a.c"]), &["none/r.json", "no folder `none`"]);
    std::fs::create_dir(root.join("folder.json")).expect("a scratch folder");
    assert_refused(&flowcheck(root, &["--report", "folder.json", "a.c"]), &["folder.json", "it is a folder"]);
    // A run that cannot be made leaves the report as it was.
    write(&project, "a.c", "int main(void) { return 1 +; }\n");
    assert_refused(&flowcheck(root, &["--report", "r.json", "a.c"]), &["a.c:1:"]);
    assert_eq!(std::fs::read_to_string(root.join("r.json")).expect("the report"), written);
}

#[test]
fn a_policy_is_needed_and_must_say_what_to_check() {
    let project = project();
    let root = project.path();
    write(&project, "flowcheck.toml", &POLICY.replace("[[sink]]", "[[source]]"));
    assert_refused(&flowcheck(root, &["a.c"]), &["sink"]);
    write(&project, "flowcheck.toml", &POLICY.replace("\"src\"", "\"nothing\""));
    assert_eq!(flowcheck(root, &["a.c"]).status.code(), Some(2));
    write(&project, "flowcheck.toml", &POLICY.replace("domain = \"secret\"", "domain = \"secert\""));
    assert_refused(&flowcheck(root, &["a.c"]), &["flowcheck.toml:", "did you mean `secret`?"]);
    std::fs::remove_file(root.join("flowcheck.toml")).expect("it is there");
    assert_refused(&flowcheck(root, &["a.c"]), &["there is no policy", "--policy FILE"]);
    assert_refused(&flowcheck(root, &["--policy", "none.toml", "a.c"]), &["none.toml"]);
}

#[test]
fn a_misspelt_comment_is_an_error_at_its_place() {
    let project = project();
    write(&project, "a.c", &PROGRAM.replace("sink(x);", "sink(x); // flowcheck: alow(it is fine)"));
    assert_refused(&flowcheck(project.path(), &["--color", "never", "a.c"]), &["a.c:8:", "allow"]);
    write(&project, "a.c", &PROGRAM.replace("sink(x);", "sink(x); // flowcheck: allow(it is fine)"));
    let report = json(&result(&flowcheck(project.path(), &["--format", "json", "a.c"]), 0));
    assert_eq!((report.counts.declassified, report.flows[0].reason.as_deref()), (1, Some("it is fine")));
    assert!(result(&flowcheck(project.path(), &["a.c"]), 0).contains("Allowed as exceptions:"));
}

#[test]
fn what_is_not_used_yet_is_told_unless_quiet() {
    let project = project();
    let assume = "\n[[assume]]\nlocation = \"a.c:5-8\"\ncondition = \"x > 0\"\n";
    write(&project, "flowcheck.toml", &format!("{POLICY}{assume}"));
    let output = flowcheck(project.path(), &["--memory", "2G", "a.c"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("warning: [[assume]] is read and checked, but not used yet"),
        "{}",
        stderr(&output)
    );
    assert!(stderr(&output).contains("warning: --memory has no effect yet"), "{}", stderr(&output));
    let quiet = flowcheck(project.path(), &["--memory", "2G", "--quiet", "a.c"]);
    assert_eq!(result(&quiet, 1), stdout(&output));
}

#[test]
fn verbose_tells_sizes_times_and_conditions_in_the_text() {
    let project = project();
    let text = result(&flowcheck(project.path(), &["-v", "a.c"]), 1);
    for words in ["Size and time:", "nodes of the dependence graph", "What the conditions took:", "cond. s"] {
        assert!(text.contains(words), "{words} is not in:\n{text}");
    }
    let untimed = result(&flowcheck(project.path(), &["-v", "--no-timings", "a.c"]), 1);
    assert!(!untimed.contains(" s\n") && untimed.contains("What the conditions took:"), "{untimed}");
    let json = flowcheck(project.path(), &["-v", "--format", "json", "a.c"]);
    assert_eq!(json.status.code(), Some(1));
    assert!(stderr(&json).lines().any(|line| line.starts_with("pairs ") && line.ends_with(" 2")), "{}", stderr(&json));
}

#[test]
fn conditions_can_be_evaluated_in_several_ways() {
    let project = project();
    for how in ["nested", "flat", "plain"] {
        assert_eq!(flowcheck(project.path(), &["--evaluation", how, "a.c"]).status.code(), Some(1), "{how}");
    }
    assert_refused(&flowcheck(project.path(), &["--evaluation", "fast", "a.c"]), &["fast", "nested, flat, plain"]);
}

#[test]
fn a_flow_is_explained_by_its_id() {
    let project = project();
    let root = project.path();
    flowcheck(root, &["--report", "r.json", "a.c"]);
    let report = json(&std::fs::read_to_string(root.join("r.json")).expect("the report"));
    let id = report.flows[0].id.as_str();
    let text = result(&flowcheck(root, &["explain", "r.json", id]), 0);
    assert!(text.contains(id) && text.contains("sink(x);") && text.contains("`secret`"), "{text}");
    assert_eq!(result(&flowcheck(root, &["explain", "r.json", &id[..6]]), 0), text, "its beginning is enough");
    assert_refused(&flowcheck(root, &["explain", "r.json", "xyz"]), &["no flow `xyz`", id]);
    assert_refused(&flowcheck(root, &["explain", "none.json", id]), &["none.json", "cannot be read"]);
    assert_refused(&flowcheck(root, &["explain", "a.c", id]), &["`a.c` is no report"]);
    write(&project, "r.json", "{\"schema\": 1}");
    assert_refused(&flowcheck(root, &["explain", "r.json", id]), &["is no report", "missing field"]);
}

#[test]
fn the_condition_of_one_flow_needs_no_policy() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    write(&folder, "a.c", PROGRAM);
    let condition = |args: &[&str]| flowcheck(folder.path(), &[&["condition"], args, &["a.c"]].concat());
    let text = result(&condition(&["--from", "main::x", "--to", "a.c:8"]), 0);
    assert!(text.contains("`main::x`") && text.contains("`a.c:8`") && text.contains("sink(x);"), "{text}");
    assert!(!text.contains("policy"), "{text}");
    let object = result(&condition(&["--from", "main::x", "--to", "a.c:8", "--format", "json"]), 0);
    let flow: serde_json::Value = serde_json::from_str(&object).expect("JSON");
    assert_eq!((&flow["from"]["domain"], &flow["to"]["domain"]), (&"from".into(), &"to".into()));
    assert_eq!((&flow["from"]["what"], &flow["to"]["what"]), (&"main::x".into(), &"a.c:8".into()));
    assert_eq!((&flow["from"]["line"], &flow["to"]["line"]), (&5.into(), &8.into()));
    assert!(flow["status"] == "violation" || flow["status"] == "unknown", "{flow}");
    let order: Vec<usize> = ["\"id\"", "\"from\"", "\"to\"", "\"status\"", "\"runs\"", "\"evidence\""]
        .iter()
        .map(|member| object.find(member).expect("the member"))
        .collect();
    assert!(order.is_sorted(), "{object}");
    // The other variable has no way there.
    assert_eq!(result(&condition(&["--from", "main::x", "--to", "a.c:9"]), 0), "no flow from main::x to a.c:9\n");
    let none: serde_json::Value =
        serde_json::from_str(&result(&condition(&["--from", "main::x", "--to", "a.c:9", "--format", "json"]), 0))
            .expect("JSON");
    assert_eq!(none["status"], "infeasible");
    assert!(none["reason"].as_str().is_some_and(|reason| reason.contains("no dependence")), "{none}");
    // The only way leads by the definition on line 5.
    assert_eq!(
        result(&condition(&["--from", "src()", "--to", "a.c:8", "--avoid", "main::x"]), 0),
        "no flow from src() to a.c:8 avoiding main::x\n"
    );
    result(&condition(&["--from", "src()", "--to", "a.c:8", "--via", "main::x"]), 0);
    assert_refused(&condition(&["--from", "main::z", "--to", "a.c:8"]), &["`main` has no variable `z`"]);
    assert_refused(&condition(&["--from", "main::x", "--to", "a.c:8", "--via", "a.c:3"]), &["line 3"]);
}

/// The statuses of a policy's flows, in the order of the lines, of a body that has the secret in `s` and an input in `z`.
fn seen(body: &str, sinks: &str) -> Vec<Status> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let head = "int src(void);\nint in(void);\nvoid show(int, int);\nvoid tell(int, int);\nint main(void) { int z = in(), s = src();\n";
    write(&folder, "a.c", &format!("{head}{body}\nreturn 0; }}\n"));
    let domains = "version = 1\n[domains]\nsecret = \"s\"\npublic = \"p\"\nother = \"o\"\n[[source]]\ndomain = \"secret\"\nfunction = \"src\"\n";
    write(&folder, "flowcheck.toml", &format!("{domains}{sinks}"));
    let output = flowcheck(folder.path(), &["--format", "json", "--no-timings", "a.c"]);
    let mut flows = json(&stdout(&output)).flows;
    flows.sort_by_key(|flow| (flow.to.line, flow.to.column));
    flows.iter().map(|flow| flow.status).collect()
}

#[test]
fn sinks_are_compared_as_the_sequence_that_their_domain_shows() {
    use Status::{Infeasible, Violation};
    let sink = |domain: &str, rest: &str| format!("[[sink]]\ndomain = \"{domain}\"\n{rest}\n");
    let show = sink("public", "function = \"show\"");
    let second = sink("public", "function = \"show\"\narguments = [2]");
    let both = sink("public", "function = [\"show\", \"tell\"]");
    let apart = show.clone() + &sink("other", "function = \"tell\"");
    let values = sink("public", "function = \"show\"\nobserve = \"value\"");
    let line = sink("public", "location = \"a.c:7\"");
    for (body, sinks, expected) in [
        ("if (s)\nshow(1, z);\nelse\nshow(1, z);", &show, Infeasible),
        ("if (s)\nshow(1, z);\nelse\nshow(2, z);", &show, Violation),
        ("if (s)\nshow(1, z);\nelse\nshow(2, z);", &second, Infeasible),
        ("if (s)\nshow(1, z);\nelse\nshow(1, z + 1);", &second, Violation),
        ("if (s)\nshow(1, z);\nelse\ntell(1, z);", &both, Violation),
        ("if (s)\nshow(1, z);\nelse\ntell(1, z);", &apart, Violation),
        ("if (s) {\nshow(1, z); }\nelse { z = in();\nshow(1, z); }", &show, Violation),
        // Other places of the domain come between, or there is nothing to compare with.
        ("if (s)\nshow(1, z);\nelse\nshow(1, z);", &(show.clone() + &line), Violation),
        ("if (s)\nshow(1, z);\nelse\nshow(2, z);", &values, Infeasible),
    ] {
        let found = seen(body, sinks);
        assert!(found.len() >= 2 && found.iter().all(|status| *status == expected), "{body}\n{sinks}\n{found:?}");
    }
}

/// Whether a process handles SIGINT by itself, by what the kernel says of it.
#[cfg(target_os = "linux")]
fn handles_interrupts(id: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim);
    mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & 0b10 != 0)
}

/// Factors of a product of two primes are wanted at each of many sinks: nobody finds them in the seconds of a test.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_stops_a_check_which_tells_what_it_knows() {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let mut hard = String::new();
    for k in 0..40 {
        let product = format!("a * b == 18446743979220271189ull - {k} * 1000003ull");
        let _ =
            writeln!(hard, "if ({product} && a > 2 && b > 2 && a < 4294967296ull && b < 4294967296ull) sink(x + {k});");
    }
    let program = format!(
        "int src(void);\nunsigned long long in(void);\nvoid sink(int);\nint main(void) {{ int x = src(); unsigned long long a = in(), b = in();\nsink(x);\n{hard}return 0; }}\n"
    );
    write(&folder, "a.c", &program);
    write(&folder, "flowcheck.toml", POLICY);
    for fail_on in ["unknown", "never"] {
        let child = Command::new(env!("CARGO_BIN_EXE_flowcheck"))
            .args(["--jobs", "1", "--fail-on", fail_on, "--timeout", "300", "--format", "json", "a.c"])
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let id = child.id();
        let started = std::time::Instant::now();
        while !handles_interrupts(id) && started.elapsed().as_secs() < 60 {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        // So that the first, which is easy, is decided.
        std::thread::sleep(std::time::Duration::from_secs(3));
        let sent = std::time::Instant::now();
        let kill = Command::new("kill").args(["-INT", &id.to_string()]).status().expect("kill");
        assert!(kill.success());
        let output = child.wait_with_output().expect("it ends");
        assert!(sent.elapsed().as_secs() < 20, "it took {:?}", sent.elapsed());
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains("stopping"), "{}", stderr(&output));
        let flows = json(&stdout(&output)).flows;
        assert_eq!(flows.len(), 41);
        let stopped = flows.iter().filter(|flow| flow.reason.as_deref() == Some("the run was stopped"));
        assert!(stopped.count() > 20 && flows.iter().any(|flow| flow.status == Status::Violation), "{flows:#?}");
    }
}
