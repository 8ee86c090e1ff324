//! The binary as scripts see it: exit codes, messages, and what is on which stream.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn flowcheck(args: &[&str]) -> Output {
    flowcheck_in(Path::new("."), args)
}

fn flowcheck_in(folder: &Path, args: &[&str]) -> Output {
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
    assert_eq!(output.status.code(), Some(2), "{message}");
    assert_eq!(stdout(output), "", "{message}");
    // Messages are wrapped to the width of the terminal.
    let flat = message.split_whitespace().filter(|w| *w != "│").collect::<Vec<_>>().join(" ");
    for word in words {
        assert!(flat.contains(word), "`{word}` is not in:\n{message}");
    }
    assert!(!message.contains("panicked") && !message.contains("internal error"), "{message}");
}

/// A command that does what it is asked: exit code 0, and a result.
fn assert_done(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    let text = stdout(output);
    assert!(!text.trim().is_empty());
    text
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a scratch file");
    }
    folder
}

const SMALL: &str = "int twice(int n) { return n + n; }\nint main(int argc, char **argv) { return twice(argc); }\n";

#[test]
fn help_names_every_command_and_shows_examples() {
    let help = assert_done(&flowcheck(&["--help"]));
    for command in ["check", "slice", "chop", "condition", "graph", "init", "explain", "replay", "completions", "man"] {
        assert!(help.lines().any(|l| l.trim_start().starts_with(command)), "{command} is not in:\n{help}");
        assert_done(&flowcheck(&[command, "--help"]));
    }
    for option in ["--policy", "--compile-commands", "--entry", "-I", "-include", "-isystem", "-std=", "Examples:"] {
        assert!(help.contains(option), "{option}");
    }
}

#[test]
fn the_version_names_the_solver() {
    let expected = format!("flowcheck {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(assert_done(&flowcheck(&["-V"])).trim_end(), expected);
    let long = assert_done(&flowcheck(&["--version"]));
    assert!(long.starts_with(&expected) && long.contains("(z3 "), "{long}");
}

#[test]
fn without_arguments_the_help_goes_to_standard_error() {
    assert_refused(&flowcheck(&[]), &["Usage:", "Examples:"]);
}

#[test]
fn misspelt_words_get_a_suggestion() {
    assert_refused(&flowcheck(&["--polcy", "p.toml", "x.c"]), &["--polcy", "--policy"]);
    assert_refused(&flowcheck(&["--emit", "sssa", "x.c"]), &["sssa", "ssa"]);
    assert_refused(&flowcheck(&["slcie", "x.c"]), &["slcie", "did you mean the command `slice`"]);
    assert_refused(&flowcheck(&["graph", "--kind", "cgf", "x.c"]), &["cgf", "cfg"]);
}

#[test]
fn bad_values_are_explained() {
    assert_refused(&flowcheck(&["--report", "r.pdf", "x.c"]), &["r.pdf", ".sarif"]);
    assert_refused(&flowcheck(&["slice", "--from", "here", "x.c"]), &["here", "FILE:LINE"]);
    assert_refused(&flowcheck(&["--emit", "ir", "--cc", "'gcc", "x.c"]), &["quotation mark"]);
    assert_refused(&flowcheck(&["--emit", "ir"]), &["PATH"]);
}

#[test]
fn what_is_not_built_yet_says_so() {
    let small = folder(&[("small.c", SMALL), ("report.json", "{}")]);
    let lines: &[&[&str]] = &[
        &["condition", "--from", "main::argc", "--to", "small.c:1", "--trace", "small.c"],
        &["init"],
        &["replay", "report.json"],
        &["--emit", "smt", "small.c"],
        &["--format", "sarif", "small.c"],
        &["--report", "r.json", "--report", "r.sarif", "small.c"],
        &["--report", "r.html", "small.c"],
        &["--report", "r.md", "small.c"],
        &["--report", "r.tex", "small.c"],
        &["--baseline", "b.json", "small.c"],
        &["--confirm", "small.c"],
    ];
    for line in lines {
        assert_refused(&flowcheck_in(small.path(), line), &["is not built yet"]);
    }
    assert_eq!(std::fs::read_dir(small.path()).expect("the folder").count(), 2, "nothing was written");
}

#[test]
fn missing_files_are_named() {
    assert_refused(&flowcheck(&["--emit", "ssa", "no-such-file.c"]), &["no-such-file.c"]);
    assert_refused(&flowcheck(&["graph", "--kind", "cfg", "no/such/folder"]), &["no/such/folder"]);
    assert_refused(&flowcheck(&["--emit", "ir", "-p", "no-such-build"]), &["no-such-build"]);
    let small = folder(&[("small.c", SMALL)]);
    assert_refused(&flowcheck_in(small.path(), &["--emit", "ir", "--cc", "no-such-cc", "small.c"]), &["no-such-cc"]);
}

#[test]
fn errors_in_c_are_shown_at_their_place_and_all_at_once() {
    let bad = folder(&[
        ("good.c", SMALL),
        ("one.c", "int f(void) {\n    return 1 +;\n}\n"),
        ("two.c", "#include \"missing.h\"\nint g;\n"),
        ("three.c", "int h(void) {\n    return undeclared;\n}\n"),
    ]);
    let output = flowcheck_in(bad.path(), &["--emit", "ir", "--color", "never", "."]);
    assert_refused(&output, &["one.c:2:", "two.c:1:", "missing.h", "three.c:2:", "undeclared"]);
}

#[test]
fn a_program_is_shown_as_text_and_as_graphs() {
    let small = folder(&[("small.c", SMALL)]);
    for phase in ["ir", "ssa"] {
        let text = assert_done(&flowcheck_in(small.path(), &["--emit", phase, "small.c"]));
        assert!(text.contains("twice") && text.contains("main"), "{text}");
    }
    let json = assert_done(&flowcheck_in(small.path(), &["--emit", "ssa", "--format", "json", "small.c"]));
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let names: Vec<_> = value["functions"].as_array().expect("a list").iter().map(|f| &f["name"]).collect();
    assert_eq!(names, ["twice", "main"]);
    let dot = assert_done(&flowcheck_in(small.path(), &["graph", "--kind", "callgraph", "small.c"]));
    assert!(dot.starts_with("digraph") && dot.contains("twice"), "{dot}");
    let json = assert_done(&flowcheck_in(small.path(), &["graph", "--kind", "cfg", "--format", "json", "small.c"]));
    serde_json::from_str::<serde_json::Value>(&json).expect("JSON");
    let graph = ["graph", "--kind", "cfg", "--function", "twice", "--format", "svg", "small.c"];
    let svg = assert_done(&flowcheck_in(small.path(), &graph));
    assert!(svg.contains("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
    let misspelt = ["graph", "--kind", "cfg", "--function", "twcie", "small.c"];
    assert_refused(&flowcheck_in(small.path(), &misspelt), &["twcie", "did you mean `twice`"]);
    let other_file = ["graph", "--kind", "cfg", "--function", "other.c::twice", "small.c"];
    assert_refused(&flowcheck_in(small.path(), &other_file), &["other.c::twice"]);
    assert_refused(&flowcheck_in(small.path(), &["--emit", "ir", "--format", "sarif", "small.c"]), &["SARIF"]);
}

const SLICED: &str = "\
int total;
#define DOUBLE(v) ((v) + (v))
int twice(int n) {
    return DOUBLE(n);
}
int main(int argc, char **argv) {
    int x = argc;
    int y = 1;

    if (x > 3)
        y = twice(x);
    total = y;
    return y;
}
";

/// The lines that a slice or chop marks.
fn marked(text: &str) -> Vec<u32> {
    let number = |line: &str| line.strip_prefix("> ")?.split(" |").next()?.trim().parse().ok();
    text.lines().filter_map(number).collect()
}

#[test]
fn slices_show_the_lines_of_the_program() {
    let files = folder(&[("a.c", SLICED)]);
    let slice = |option: &str, point: &str| assert_done(&flowcheck_in(files.path(), &["slice", option, point, "a.c"]));
    let text = slice("--to", "a.c:13");
    assert_eq!(
        text,
        "a.c\n>  3 | int twice(int n) {\n>  4 |     return DOUBLE(n);\n   5 | }\n>  6 | int main(int argc, char **argv) {\n\
         >  7 |     int x = argc;\n>  8 |     int y = 1;\n   9 |\n> 10 |     if (x > 3)\n> 11 |         y = twice(x);\n\
         \x20 12 |     total = y;\n> 13 |     return y;\n"
    );
    assert_eq!(marked(&slice("--to", "a.c:11:x")), [6, 7, 10, 11]);
    assert_eq!(marked(&slice("--to", "twice()")), [6, 7, 10, 11]);
    // Both definitions of `y` reach what follows; the macro is where it is used.
    assert_eq!(marked(&slice("--from", "main::y")), [8, 11, 12, 13]);
    assert_eq!(marked(&slice("--from", "twice()")), [11, 12, 13]);
    assert_eq!(marked(&slice("--from", "twice::n")), [3, 4, 11, 12, 13]);
    assert_eq!(marked(&slice("--to", "main::x")), [6, 7, 10, 11]);
    assert_eq!(marked(&slice("--from", "a.c:12:total")), [12]);
}

#[test]
fn a_chop_is_what_lies_between() {
    let files = folder(&[("a.c", SLICED)]);
    let chop =
        |from: &str, to: &str| assert_done(&flowcheck_in(files.path(), &["chop", "--from", from, "--to", to, "./a.c"]));
    // Inside the callee, too.
    assert_eq!(marked(&chop("a.c:7", "a.c:13")), [3, 4, 7, 10, 11, 13]);
    assert_eq!(marked(&chop("a.c:8", "a.c:13")), [8, 13]);
    assert_eq!(chop("a.c:8", "twice()"), "no flow from a.c:8 to twice()\n");
}

#[test]
fn slices_and_chops_have_a_form_for_programs() {
    let files = folder(&[("a.c", SLICED)]);
    let json = |line: &[&str]| -> serde_json::Value {
        let output = flowcheck_in(files.path(), &[line, &["--format", "json", "--jobs", "1", "a.c"]].concat());
        let again = flowcheck_in(files.path(), &[line, &["--format", "json", "--jobs", "2", "a.c"]].concat());
        assert_eq!(stdout(&output), stdout(&again), "the same input gives the same bytes");
        serde_json::from_str(&assert_done(&output)).expect("JSON")
    };
    let slice = json(&["slice", "--to", "a.c:13"]);
    assert_eq!(
        (&slice["schema"], &slice["kind"], &slice["direction"]),
        (&1.into(), &"slice".into(), &"backward".into())
    );
    assert_eq!(slice["criterion"]["to"], "a.c:13");
    let lines: Vec<_> = slice["lines"].as_array().expect("a list").iter().map(|line| line["line"].as_u64()).collect();
    assert_eq!(lines, [3, 4, 6, 7, 8, 10, 11, 13].map(Some));
    let nodes = slice["nodes"].as_array().expect("a list");
    let test = nodes.iter().find(|node| node["kind"] == "predicate").expect("the condition");
    assert_eq!((&test["function"], &test["line"], &test["text"]), (&"main".into(), &10.into(), &"x > 3".into()));
    let ids: Vec<_> = nodes.iter().map(|node| &node["id"]).collect();
    let edges = slice["edges"].as_array().expect("a list");
    assert!(edges.iter().all(|edge| ids.contains(&&edge["from"]) && ids.contains(&&edge["to"])), "{edges:?}");
    let controls = |edge: &&serde_json::Value| edge["kind"] == "control" && edge["from"] == test["id"];
    assert!(edges.iter().filter(controls).any(|edge| edge["label"] == "true"), "{edges:?}");
    let empty = json(&["chop", "--from", "a.c:8", "--to", "twice()"]);
    assert_eq!((&empty["kind"], &empty["criterion"]["from"]), (&"chop".into(), &"a.c:8".into()));
    assert_eq!(
        (&empty["nodes"], &empty["edges"], &empty["direction"]),
        (&serde_json::json!([]), &serde_json::json!([]), &serde_json::Value::Null)
    );
}

#[test]
fn points_that_are_not_there_are_explained() {
    let files = folder(&[("a.c", SLICED), ("b.c", "static int one;\nint other(void) { return one; }\n")]);
    std::fs::create_dir(files.path().join("sub")).expect("a scratch folder");
    std::fs::write(files.path().join("sub/b.c"), "static int one;\nint third(void) { return one; }\n").expect("a file");
    let refused = |point: &str, words: &[&str]| {
        let line =
            ["slice", "--to", point, "a.c", "b.c", "sub", "--entry", "main", "--entry", "other", "--entry", "third"];
        assert_refused(&flowcheck_in(files.path(), &line), words);
    };
    refused("a.c:9", &["no code on line 9 of a.c", "8 and 10"]);
    refused("a.c:99", &["no code on line 99", "13"]);
    refused("aa.c:9", &["no file `aa.c`", "did you mean `a.c`?"]);
    refused("nothing.c:9", &["no file `nothing.c`", "`a.c`, `b.c`"]);
    refused("a.c:11:argv", &["`argv` is neither defined nor used on line 11", "`x`, `y`"]);
    refused("mian::x", &["no function `mian`", "did you mean `main`?"]);
    refused("main::agrc", &["`main` has no variable `agrc`", "did you mean `argc`?"]);
    refused("main::total", &["`main` has no variable `total`", "FILE:LINE:total"]);
    refused("twcie()", &["no function `twcie`", "did you mean `twice`?"]);
    refused("main()", &["`main` is never called"]);
    let elsewhere = ["slice", "--to", "other::one", "a.c", "b.c"];
    assert_refused(&flowcheck_in(files.path(), &elsewhere), &["other"]);
    // The very path comes before paths that end like it.
    let line = ["slice", "--to", "b.c:2", "--entry", "third", "--entry", "other", "b.c", "sub/b.c"];
    assert!(assert_done(&flowcheck_in(files.path(), &line)).starts_with("b.c\n"));
    let both = folder(&[]);
    for name in ["x", "y"] {
        std::fs::create_dir(both.path().join(name)).expect("a scratch folder");
        let text = format!("int {name}(void) {{ return 1; }}\n");
        std::fs::write(both.path().join(name).join("same.c"), text).expect("a scratch file");
    }
    let line = ["slice", "--to", "same.c:1", "."];
    assert_refused(&flowcheck_in(both.path(), &line), &["fits more than one file", "`x/same.c`, `y/same.c`"]);
    assert_done(&flowcheck_in(both.path(), &["slice", "--to", "y/same.c:1", "."]));
    let bad_entry = ["slice", "--to", "a.c:13", "--entry", "mian", "a.c"];
    assert_refused(&flowcheck_in(files.path(), &bad_entry), &["mian", "main"]);
}

#[test]
fn dependences_are_shown_as_graphs_and_as_text() {
    let files = folder(&[("a.c", SLICED)]);
    let done = |line: &[&str]| assert_done(&flowcheck_in(files.path(), &[line, &["a.c"]].concat()));
    let dot = done(&["graph", "--kind", "pdg", "--function", "main"]);
    assert!(dot.starts_with("digraph \"pdg\"") && dot.contains("x > 3") && dot.contains("label=\"true\""), "{dot}");
    assert!(!dot.contains("label=\"twice\""), "only the function that was named: {dot}");
    let whole: serde_json::Value =
        serde_json::from_str(&done(&["graph", "--kind", "sdg", "--format", "json"])).expect("JSON");
    for kind in ["control", "data", "call", "param-in", "param-out", "summary"] {
        let edges = whole["edges"].as_array().expect("a list");
        assert!(edges.iter().any(|edge| edge["kind"] == kind), "{kind}");
    }
    let inside: serde_json::Value =
        serde_json::from_str(&done(&["graph", "--kind", "pdg", "--format", "json"])).expect("JSON");
    assert!(inside["edges"].as_array().expect("a list").iter().all(|edge| edge["kind"] != "param-in"));
    assert_eq!(inside["clusters"].as_array().expect("a list").len(), 2);
    let svg = done(&["graph", "--kind", "sdg", "--format", "svg"]);
    assert!(svg.contains("x &gt; 3") && svg.trim_end().ends_with("</svg>"));
    let text = done(&["--emit", "sdg"]);
    assert!(text.contains("predicate") && text.contains("\"x > 3\""), "{text}");
    let same: serde_json::Value = serde_json::from_str(&done(&["--emit", "sdg", "--format", "json"])).expect("JSON");
    assert_eq!(same, whole);
    let misspelt = ["graph", "--kind", "pdg", "--function", "twcie", "a.c"];
    assert_refused(&flowcheck_in(files.path(), &misspelt), &["twcie", "did you mean `twice`"]);
    let sarif = ["--emit", "sdg", "--format", "sarif", "a.c"];
    assert_refused(&flowcheck_in(files.path(), &sarif), &["SARIF"]);
}

#[test]
fn what_pointers_point_to_is_shown() {
    let text = "int a, b;\nint *p;\nint main(int argc, char **argv) {\n    p = &a;\n    if (argc > 1)\n        p = &b;\n    return *p;\n}\n";
    let files = folder(&[("p.c", text)]);
    let done = |line: &[&str]| assert_done(&flowcheck_in(files.path(), &[line, &["p.c"]].concat()));
    let text = done(&["--emit", "points-to"]);
    assert!(text.lines().any(|line| line.starts_with("p -> a, b")), "{text}");
    let value: serde_json::Value =
        serde_json::from_str(&done(&["--emit", "points-to", "--format", "json"])).expect("JSON");
    let p = value["pointers"].as_array().expect("a list").iter().find(|cell| cell["name"] == "p").expect("p");
    assert_eq!(p["points_to"], serde_json::json!(["a", "b"]));
    let dot = done(&["graph", "--kind", "points-to"]);
    assert!(dot.starts_with("digraph \"points-to\"") && dot.contains("label=\"p\""), "{dot}");
    assert!(done(&["graph", "--kind", "points-to", "--format", "svg"]).contains("<svg"));
}

#[test]
fn the_phases_of_a_slice_are_timed_and_counted() {
    let files = folder(&[("a.c", SLICED)]);
    let output = flowcheck_in(files.path(), &["slice", "--to", "a.c:13", "-v", "a.c"]);
    assert_done(&output);
    let told = stderr(&output);
    for (word, end) in [
        ("points-to", " s"),
        ("sdg ", " s"),
        ("slice", " s"),
        ("sdg nodes", ""),
        ("summaries", ""),
        ("found lines", " 8"),
    ] {
        let line = told.lines().find(|line| line.starts_with(word) && line.ends_with(end));
        assert!(line.is_some(), "{word}: {told}");
    }
    assert_eq!(stderr(&flowcheck_in(files.path(), &["slice", "--to", "a.c:13", "a.c"])), "");
}

#[test]
fn what_a_result_rests_on_is_told_and_counted_on_request() {
    let text = "int unknown(int);\nint main(int argc, char **argv) { return unknown(argv[1][0]); }\n";
    let files = folder(&[("a.c", text)]);
    let commands: [&[&str]; 4] = [
        &["slice", "--to", "a.c:2"],
        &["chop", "--from", "a.c:2", "--to", "a.c:2"],
        &["graph", "--kind", "sdg"],
        &["check", "--emit", "sdg"],
    ];
    for command in commands {
        let output = flowcheck_in(files.path(), &[command, &["-v", "a.c"]].concat());
        assert_done(&output);
        let told = stderr(&output);
        let has = |start: &str| told.lines().any(|line| line.starts_with(start));
        // `argv[1][0]` may be outside its array; what is called is not known.
        assert!(has("assumption: a.c:2:42: `unknown` has no body"), "{told}");
        assert!(has("assumption: reads and writes are taken to stay inside"), "{told}");
        assert!(told.lines().any(|line| line.starts_with("assumptions ") && line.ends_with(" 2")), "{told}");
    }
}

#[test]
fn standard_error_is_silent_when_all_is_well_and_timed_on_request() {
    let small = folder(&[("small.c", SMALL)]);
    let plain = flowcheck_in(small.path(), &["--emit", "ssa", "small.c"]);
    let text = assert_done(&plain);
    assert_eq!(stderr(&plain), "");
    let verbose = flowcheck_in(small.path(), &["--emit", "ssa", "--verbose", "--jobs", "1", "small.c"]);
    assert_eq!(assert_done(&verbose), text, "the result does not depend on how much is told, or on the threads");
    assert!(stderr(&verbose).lines().any(|l| l.ends_with(" s")), "{}", stderr(&verbose));
}

#[test]
fn gccs_options_reach_the_preprocessor_in_order() {
    let main = "#if defined X || STEP != 2 || !defined FIRST\n#error wrong flags\n#endif\n#include <sys.h>\nint main(void) { return SYS; }\n";
    let files = folder(&[("main.c", main), ("first.h", "#define FIRST\n"), ("sys.h", "#define SYS 7\n")]);
    let options = [
        "--emit", "ir", "-DX=1", "-UX", "-D", "STEP=1", "-USTEP", "-DSTEP=2", "-include", "first.h", "-isystem", ".",
        "-std=c99",
    ];
    let line: Vec<&str> = options.into_iter().chain(["main.c"]).collect();
    assert!(assert_done(&flowcheck_in(files.path(), &line)).contains('7'));
    assert_refused(
        &flowcheck_in(files.path(), &["--emit", "ir", "-isystem", ".", "main.c"]),
        &["wrong flags", "main.c:2"],
    );
}

#[test]
fn completions_and_the_manual_page_are_there() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(assert_done(&flowcheck(&["completions", shell])).contains("compile-commands"), "{shell}");
    }
    let man = assert_done(&flowcheck(&["man"]));
    assert!(man.contains(".TH flowcheck") && man.contains("callgraph"), "{man}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_flowcheck"))
        .args(["completions", "bash"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[test]
fn colour_is_for_terminals_or_on_request() {
    let escape = '\u{1b}';
    assert!(!stderr(&flowcheck(&["slice", "--to", "f()", "x.c"])).contains(escape));
    assert!(stderr(&flowcheck(&["slice", "--to", "f()", "x.c", "--color", "always"])).contains(escape));
    assert!(stderr(&flowcheck(&["--polcy", "--color=always"])).contains(escape));
}

#[test]
fn file_names_need_not_be_text() {
    use std::os::unix::ffi::OsStrExt;
    let folder = folder(&[]);
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.c");
    std::fs::File::create(folder.path().join(name)).expect("a file").write_all(SMALL.as_bytes()).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_flowcheck"))
        .args(["--emit", "ir"])
        .arg(name)
        .current_dir(folder.path())
        .output()
        .expect("the binary starts");
    assert!(assert_done(&output).contains("twice"));
}

const POLICY: &str = r#"version = 1
name = "P"

[build]
flags = ["-DEXTRA=5"]
include = ["inc"]
exclude = ["left_out.c"]

[analysis]
entry = ["start"]
stubs = ["stubs/hal.c"]

[[model]]
function = "adc_read"
flows = ["return <- input"]

[[sink]]
domain = "display"
function = "printf"

[domains]
display = "what is shown"
"#;

/// A project with a policy that it cannot be read without.
fn project() -> tempfile::TempDir {
    let main = "#include \"hal.h\"\nint start(void) { return hal() + EXTRA; }\n";
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (name, text) in [
        ("flowcheck.toml", POLICY),
        ("src/main.c", main),
        ("src/left_out.c", "#error left out\n"),
        ("inc/hal.h", "int hal(void);\n"),
        ("stubs/hal.c", "#include \"hal.h\"\nint hal(void) { return 7; }\n"),
        ("elsewhere/other.txt", ""),
    ] {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a scratch folder");
        std::fs::write(path, text).expect("a scratch file");
    }
    folder
}

/// The line of an entry point in `--emit ir`.
fn is_read(text: &str) -> bool {
    text.contains("@start") && text.contains("@hal") && text.contains('5') && text.contains('7')
}

#[test]
fn a_policy_says_how_to_read_the_program() {
    let project = project();
    for (from, args) in [
        (".", ["--policy", "flowcheck.toml", "src"]),
        ("elsewhere", ["--policy", "../flowcheck.toml", "../src"]),
        (".", ["--policy", "./flowcheck.toml", "src/main.c"]),
    ] {
        let output = flowcheck_in(&project.path().join(from), &[&["--emit", "ir"], &args[..]].concat());
        let text = assert_done(&output);
        assert!(is_read(&text), "{text}");
    }
    let output = flowcheck_in(project.path(), &["graph", "--kind", "callgraph", "--policy", "flowcheck.toml", "src"]);
    assert!(assert_done(&output).contains("hal"));
}

#[test]
fn the_policy_is_found_above_the_first_path() {
    let project = project();
    assert!(is_read(&assert_done(&flowcheck_in(project.path(), &["--emit", "ir", "src"]))));
    assert!(is_read(&assert_done(&flowcheck_in(&project.path().join("src"), &["--emit", "ir", "main.c"]))));
    let output = flowcheck_in(&project.path().join("elsewhere"), &["--emit", "ir", "-v", "../src"]);
    assert!(is_read(&assert_done(&output)));
    assert!(
        stderr(&output).lines().any(|l| l.starts_with("policy ") && l.ends_with("flowcheck.toml")),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_command_line_beats_the_policy() {
    let project = project();
    let text = assert_done(&flowcheck_in(project.path(), &["--emit", "ir", "-DEXTRA=99", "src"]));
    assert!(text.contains("99"), "{text}");
    // An entry of the policy is looked for, unless the command line names one.
    let text = POLICY.replace("\"start\"", "\"none.c::start\"");
    std::fs::write(project.path().join("flowcheck.toml"), text).expect("a scratch file");
    assert_refused(&flowcheck_in(project.path(), &["--emit", "ir", "src"]), &["none.c"]);
    assert_done(&flowcheck_in(project.path(), &["--emit", "ir", "--entry", "main.c::start", "src"]));
}

#[test]
fn compile_commands_and_the_compiler_come_from_the_policy_too() {
    let project = project();
    let root = project.path();
    let entry = r#"[{"directory": "..", "file": "src/main.c", "command": "gcc -c src/main.c"}]"#;
    std::fs::create_dir(root.join("build")).expect("a scratch folder");
    std::fs::write(root.join("build/compile_commands.json"), entry).expect("a scratch file");
    let text = POLICY.replace("[build]", "[build]\ncompile_commands = \"build\"\ncc = \"gcc -DFROM_CC\"");
    std::fs::write(root.join("flowcheck.toml"), text).expect("a scratch file");
    let main = "#include \"hal.h\"\nint start(void) { return hal() + EXTRA + FROM_CC; }\n";
    std::fs::write(root.join("src/main.c"), main).expect("a scratch file");
    // No PATH is needed: the policy leads to all files.
    let text = assert_done(&flowcheck_in(root, &["--emit", "ir", "--policy", "flowcheck.toml"]));
    assert!(is_read(&text), "{text}");
    let text = assert_done(&flowcheck_in(&root.join("src"), &["--emit", "ir", "main.c"]));
    assert!(is_read(&text), "{text}");
}

#[test]
fn mistakes_in_the_policy_are_shown_in_place() {
    let project = project();
    let broken = |text: String| {
        std::fs::write(project.path().join("flowcheck.toml"), text).expect("a scratch file");
        flowcheck_in(project.path(), &["--emit", "ir", "src"])
    };
    let output = broken(POLICY.replace("return <- input", "return <- inptu"));
    assert_refused(&output, &["flowcheck.toml:15:", "`inptu` is not a place", "did you mean `input`?"]);
    assert_refused(&broken(POLICY.replace("stubs =", "stub =")), &["flowcheck.toml:11:1", "did you mean `stubs`?"]);
    assert_refused(&broken(POLICY.replace("[\"start\"]", "[\"start\"")), &["not TOML", "flowcheck.toml:"]);
    assert_refused(&broken(POLICY.replace("hal.c", "no_such.c")), &["there is no file", "no_such.c"]);
    let missing = flowcheck_in(project.path(), &["--emit", "ir", "--policy", "none.toml", "src"]);
    assert_refused(&missing, &["none.toml", "cannot be read"]);
    std::fs::write(project.path().join("flowcheck.toml"), "").expect("a scratch file");
    let nothing = flowcheck_in(project.path(), &["--emit", "ir", "--policy", "flowcheck.toml"]);
    assert_refused(&nothing, &["no C file is given"]);
}
