//! Hand-made reports: against the schema, back from JSON, and as text.

use serde_json::{Value, json};

use super::*;

fn end(domain: &str, what: &str, line: u32, column: u32) -> End {
    End { domain: domain.into(), what: what.into(), file: "scale.c".into(), line, column }
}

fn atom(text: &str, line: u32) -> Atom {
    Atom { text: text.into(), file: "scale.c".into(), line }
}

fn step(line: u32, text: &str, kind: StepKind) -> Step {
    Step {
        file: "scale.c".into(),
        line,
        column: 5,
        function: "main".into(),
        thread: None,
        run: Run::A,
        text: text.into(),
        kind,
    }
}

fn violation() -> Flow {
    Flow {
        id: "00ff".into(),
        from: end("keyboard", "p_cd", 1, 9),
        to: end("display", "printf argument 3", 4, 5),
        status: Status::Violation,
        reason: None,
        baselined: false,
        confirmed: None,
        runs: 1,
        condition: Some(Condition {
            text: "(p_cd[0] & 1) != 0 && idx < 7".into(),
            clauses: vec![vec![atom("(p_cd[0] & 1) != 0", 2), atom("idx < 7", 3)]],
            equations: Vec::new(),
            inputs: None,
        }),
        because: Vec::new(),
        witness: Some(Witness {
            inputs: vec![
                Input {
                    name: "p_cd[0]".into(),
                    file: "scale.c".into(),
                    line: 1,
                    value: "17".into(),
                    other: Some("1".into()),
                },
                Input { name: "p_ab[0]".into(), file: "scale.c".into(), line: 1, value: "0".into(), other: None },
            ],
            path: vec![
                step(1, "int p_cd[1];", StepKind::Data),
                step(2, "if (p_cd[0] & 1)", StepKind::Data),
                step(3, "kal_kg *= 1.01;", StepKind::Control),
                step(4, "printf(\"%f\", e, kal_kg);", StepKind::Data),
            ],
        }),
        assumptions: vec![1],
        evidence: None,
    }
}

fn plain_flow(status: Status) -> Flow {
    Flow { status, condition: None, witness: None, assumptions: Vec::new(), ..violation() }
}

fn unknown() -> Flow {
    Flow { id: "aa".into(), reason: Some("the solver ran out of time".into()), ..plain_flow(Status::Unknown) }
}

fn infeasible() -> Flow {
    Flow {
        id: "bb".into(),
        because: vec![atom("mode == 1", 2), atom("mode == 2", 3)],
        ..plain_flow(Status::Infeasible)
    }
}

fn declassified() -> Flow {
    Flow { id: "cc".into(), reason: Some("tare is sealed".into()), ..plain_flow(Status::Declassified) }
}

fn report(flows: Vec<Flow>) -> Report {
    let assumption = |kind: &str, text: &str, line| Assumption {
        kind: kind.into(),
        text: text.into(),
        file: "scale.c".into(),
        line,
    };
    let assumptions = vec![
        assumption("inline-asm", "the assembly changes nothing else", 9),
        assumption("unknown-function", "`hal` reads its arguments only", 12),
    ];
    let statistics = Statistics { lines: 40, functions: 1, ..Statistics::default() };
    Report::new(
        "Calibration path".into(),
        vec!["flowcheck".into(), "scale.c".into()],
        flows,
        3,
        assumptions,
        statistics,
    )
}

fn full() -> Report {
    let evidence = Evidence { dir: "out/1".into(), how: How::Interpreter };
    let two_runs = Flow {
        id: "ee".into(),
        runs: 2,
        confirmed: Some(true),
        evidence: Some(evidence),
        condition: Some(Condition {
            text: "1".into(),
            clauses: vec![vec![]],
            equations: vec!["kal_kg == 1.01f * kal".into()],
            inputs: Some("x > 2".into()),
        }),
        witness: Some(Witness {
            inputs: Vec::new(),
            path: vec![
                Step { run: Run::Both, thread: Some("uart_isr".into()), ..step(1, "a", StepKind::Data) },
                Step { run: Run::B, function: "f".into(), ..step(2, "b", StepKind::Interference) },
            ],
        }),
        ..violation()
    };
    let known = Flow { id: "dd".into(), baselined: true, ..violation() };
    let mut report = report(vec![violation(), unknown(), infeasible(), declassified(), known, two_runs]);
    report.statistics.seconds.insert("parse".into(), 0.25);
    report
}

/// The keywords that the schema uses. An unknown one is a complaint, so nothing in the schema goes unchecked.
fn complaints(schema: &Value, root: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    let Some(schema) = schema.as_object() else { return found.push(format!("{at}: the schema is no object")) };
    for (keyword, rule) in schema {
        let fits = match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let pointer = rule.as_str().and_then(|text| text.strip_prefix('#')).expect("a local reference");
                complaints(root.pointer(pointer).expect("what is referred to is there"), root, value, at, found);
                true
            }
            "type" => {
                let names: Vec<&str> = rule.as_array().map_or_else(
                    || rule.as_str().into_iter().collect(),
                    |list| list.iter().filter_map(Value::as_str).collect(),
                );
                names.iter().any(|name| match *name {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "null" => value.is_null(),
                    "number" => value.is_number(),
                    "integer" => value.is_u64() || value.is_i64(),
                    _ => false,
                })
            }
            "const" => value == rule,
            "enum" => rule.as_array().expect("a list").contains(value),
            "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().expect("a number")),
            "required" => value.as_object().is_none_or(|object| {
                rule.as_array().expect("a list").iter().all(|key| object.contains_key(key.as_str().expect("a key")))
            }),
            "properties" => {
                for (key, rule) in rule.as_object().expect("an object") {
                    if let Some(value) = value.get(key) {
                        complaints(rule, root, value, &format!("{at}.{key}"), found);
                    }
                }
                true
            }
            "additionalProperties" => {
                // Only used where there are no named ones.
                assert!(!schema.contains_key("properties"));
                for (key, value) in value.as_object().into_iter().flatten() {
                    complaints(rule, root, value, &format!("{at}.{key}"), found);
                }
                true
            }
            "items" => {
                for (i, value) in value.as_array().into_iter().flatten().enumerate() {
                    complaints(rule, root, value, &format!("{at}[{i}]"), found);
                }
                true
            }
            _ => false,
        };
        if !fits {
            found.push(format!("{at}: {keyword} {rule}, but it is {value}"));
        }
    }
}

fn schema() -> Value {
    serde_json::from_str(include_str!("../../../docs/report.schema.json")).unwrap()
}

fn against_schema(value: &Value) -> Vec<String> {
    let schema = schema();
    let mut found = Vec::new();
    complaints(&schema, &schema, value, "", &mut found);
    found
}

/// Whether every member that a value has is named by the schema.
fn undescribed(schema: &Value, root: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str).and_then(|text| text.strip_prefix('#')) {
        return undescribed(root.pointer(pointer).unwrap(), root, value, at, found);
    }
    for (key, value) in value.as_object().into_iter().flatten() {
        match (&schema["properties"][key], &schema["additionalProperties"]) {
            (Value::Null, Value::Null) => found.push(format!("{at}.{key}")),
            (Value::Null, rule) | (rule, _) => undescribed(rule, root, value, &format!("{at}.{key}"), found),
        }
    }
    for value in value.as_array().into_iter().flatten() {
        undescribed(&schema["items"], root, value, at, found);
    }
}

#[test]
fn reports_fit_the_schema() {
    for report in [full(), report(Vec::new())] {
        let value: Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(against_schema(&value), Vec::<String>::new());
        let (schema, mut found) = (schema(), Vec::new());
        undescribed(&schema, &schema, &value, "", &mut found);
        assert_eq!(found, Vec::<String>::new(), "the schema does not tell of these");
    }
}

#[test]
fn what_does_not_fit_the_schema_is_noticed() {
    let good: Value = serde_json::from_str(&full().json()).unwrap();
    for (pointer, bad) in [
        ("/schema", json!(2)),
        ("/verdict", json!("fine")),
        ("/counts/pairs", json!(-1)),
        ("/flows/0/status", json!("no_path")),
        ("/flows/0/from", json!({"domain": "a"})),
        ("/flows/0/from/line", json!(0)),
        ("/flows/0/runs", json!(3)),
        ("/flows/0/confirmed", json!("yes")),
        ("/flows/0/condition/clauses", json!([1])),
        ("/flows/0/condition/clauses/0/0/text", json!(null)),
        ("/flows/0/witness/path/0/kind", json!("jump")),
        ("/flows/0/witness/inputs/0/value", json!(17)),
        ("/flows/0/assumptions/0", json!("x")),
        ("/flows/5/evidence/how", json!("belief")),
        ("/statistics/seconds/parse", json!("fast")),
        ("/assumptions/0", json!([])),
    ] {
        let mut value = good.clone();
        *value.pointer_mut(pointer).expect(pointer) = bad;
        assert!(!against_schema(&value).is_empty(), "{pointer}");
    }
}

/// A second opinion, where it is installed: our own check of schemas is small.
#[test]
fn pythons_jsonschema_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.schema.json");
    let check = "import json, sys, jsonschema\n\
                 schema, report = (json.load(open(name)) for name in sys.argv[1:])\n\
                 jsonschema.Draft202012Validator.check_schema(schema)\n\
                 sys.exit(0 if jsonschema.Draft202012Validator(schema).is_valid(report) else 3)";
    let run = |report: &str| {
        std::fs::write(&file, report).unwrap();
        std::process::Command::new("python3").args(["-c", check, schema]).arg(&file).output().ok()?.status.code()
    };
    let installed = std::process::Command::new("python3").args(["-c", "import jsonschema"]).output();
    if installed.is_ok_and(|output| output.status.success()) {
        assert_eq!(run(&full().json()), Some(0));
        assert_eq!(run(&full().json().replace("\"violated\"", "\"fine\"")), Some(3));
    }
}

#[test]
fn members_have_the_order_of_the_documents() {
    let text = full().json();
    let mut at = 0;
    for member in [
        "schema",
        "tool",
        "version",
        "policy",
        "command",
        "verdict",
        "counts",
        "pairs",
        "no_path",
        "infeasible",
        "declassified",
        "baselined",
        "violation",
        "unknown",
        "flows",
        "id",
        "from",
        "domain",
        "what",
        "file",
        "line",
        "column",
        "to",
        "status",
        "reason",
        "baselined",
        "confirmed",
        "runs",
        "condition",
        "text",
        "clauses",
        "inputs",
        "because",
        "witness",
        "inputs",
        "name",
        "value",
        "other",
        "path",
        "function",
        "thread",
        "run",
        "text",
        "kind",
        "assumptions",
        "evidence",
        "statistics",
        "lines",
        "functions",
        "sdg_nodes",
        "sdg_edges",
        "summary_edges",
        "stand_ins",
        "seconds",
    ] {
        let key = format!("\"{member}\":");
        at += text[at..].find(&key).unwrap_or_else(|| panic!("{member}")) + key.len();
    }
    assert!(text.ends_with("}\n") && text == full().json());
}

#[test]
fn a_report_is_read_again_as_it_was() {
    assert_eq!(Report::from_json(&full().json()), Ok(full()));
    assert!(Report::from_json("{").is_err());
    assert!(
        Report::from_json(&full().json().replacen("\"schema\": 1", "\"schema\": 2", 1))
            .unwrap_err()
            .contains("schema 2")
    );
    let mut bad = full();
    bad.flows[0].assumptions = vec![2];
    assert!(Report::from_json(&bad.json()).unwrap_err().contains("only 2"));
}

#[test]
fn counts_and_verdict_follow_from_the_flows() {
    let full = full();
    let expected =
        Counts { pairs: 9, no_path: 3, infeasible: 1, declassified: 1, baselined: 1, violation: 2, unknown: 1 };
    assert_eq!((full.counts, full.verdict), (expected, Verdict::Violated));
    let verdict = |flows: Vec<Flow>| report(flows).verdict;
    let baselined = |flow: Flow| Flow { baselined: true, ..flow };
    assert_eq!(verdict(vec![]), Verdict::Secure);
    assert_eq!(verdict(vec![infeasible(), declassified()]), Verdict::Secure);
    assert_eq!(verdict(vec![infeasible(), unknown()]), Verdict::Unknown);
    assert_eq!(verdict(vec![unknown(), violation()]), Verdict::Violated);
    assert_eq!(verdict(vec![baselined(violation())]), Verdict::Secure);
    assert_eq!(verdict(vec![baselined(violation()), unknown()]), Verdict::Unknown);
    assert_eq!(verdict(vec![baselined(violation()), baselined(unknown())]), Verdict::Secure);
}

#[test]
fn exit_codes_are_those_of_the_interface() {
    let codes = |fail_on| [Verdict::Secure, Verdict::Violated, Verdict::Unknown].map(|v| exit_code(v, fail_on));
    assert_eq!(codes(FailOn::Unknown), [0, 1, 1]);
    assert_eq!(codes(FailOn::Violation), [0, 1, 0]);
    assert_eq!(codes(FailOn::Never), [0, 0, 0]);
}

/// The lines of a made-up file.
fn lines(file: &str, line: u32) -> Option<String> {
    let text =
        ["    int p_cd[1], p_ab[2];", "    if (p_cd[0] & 1)", "\tkal_kg *= 1.01;", "    printf(\"%f\", e, kal_kg);"];
    (file == "scale.c").then(|| text.get(line as usize - 1).map(|line| (*line).to_owned())).flatten()
}

fn shown(report: &Report, verbose: bool) -> String {
    text(report, TextOptions { color: false, verbose }, &lines)
}

#[test]
fn a_violation_is_told_with_places_condition_values_and_path() {
    let shown = shown(&report(vec![violation()]), false);
    let expected = r#"error[00ff]: information can get from `keyboard` to `display`, which the policy forbids
  --> scale.c:4:5
  |
1 |     int p_cd[1], p_ab[2];
  |         ---- it comes from here: p_cd
  ·
4 |     printf("%f", e, kal_kg);
  |     ^^^^^^ it arrives here: printf argument 3
  It can only happen if all of this holds:
    (p_cd[0] & 1) != 0   scale.c:2
    idx < 7              scale.c:3
  For example, with these values:
    p_cd[0] = 17, in the other run 1   scale.c:1
    p_ab[0] = 0                        scale.c:1
  How it gets there:
    1. scale.c:1   it begins with             int p_cd[1];   [in main]
    2. scale.c:2   the value is used in       if (p_cd[0] & 1)
    3. scale.c:3   that decides whether to do kal_kg *= 1.01;
    4. scale.c:4   the value is used in       printf("%f", e, kal_kg);
  This rests on assumption 2, see below.

This rests on these assumptions:
    2. `hal` reads its arguments only (scale.c:12) [unknown-function]
  … and 1 more (--verbose shows them)

4 forbidden pairs of a source and a sink: 1 possible, 3 without any connection.
VIOLATED: 1 forbidden flow is possible.
"#;
    // How a gap between quoted lines is drawn is codespan's.
    let without_gap =
        |text: &str| text.lines().filter(|l| !["·", ".", "..."].contains(&l.trim())).collect::<Vec<_>>().join("\n");
    assert_eq!(without_gap(&shown), without_gap(expected), "{shown}");
}

#[test]
fn what_is_no_violation_has_its_reason() {
    let told = shown(&full(), false);
    for line in [
        "warning[aa]: it is not known whether information can get from `keyboard` to `display`",
        "  why: the solver ran out of time",
        "Proved impossible:",
        "  keyboard: p_cd (scale.c:1)   display: printf argument 3 (scale.c:4)   `mode == 1` (scale.c:2) contradicts `mode == 2` (scale.c:3)",
        "Allowed as exceptions:",
        "  keyboard: p_cd (scale.c:1)   display: printf argument 3 (scale.c:4)   tare is sealed",
        "Known already, by the baseline:",
        "  keyboard: p_cd (scale.c:1)   display: printf argument 3 (scale.c:4)   dd",
        "  It happens whatever the program's inputs are.",
        "  In terms of the program's inputs: x > 2",
        "  It shows when two runs are compared that differ in `p_cd` alone: what one does, the other does not.",
        "    2. scale.c:2   another thread sees it in  b   [in f]   [other run only]",
        "  Confirmed: the program was run with these values, and the difference was seen.",
        "  What the run left is in out/1",
        "9 forbidden pairs of a source and a sink: 2 possible, 1 not decided, 1 proved impossible, 1 allowed as an exception, 1 in the baseline, 3 without any connection.",
    ] {
        assert!(told.lines().any(|l| l == line), "{line}\n\n{told}");
    }
    assert!(told.ends_with("VIOLATED: 2 forbidden flows are possible; 1 known flow in the baseline.\n"));
    assert!(!told.contains("Size and time") && shown(&full(), true).contains("Size and time"));
    assert!(
        shown(&report(vec![infeasible()]), false)
            .ends_with("SECURE: no forbidden flow is possible, if the assumptions hold.\n")
    );
    let only_unknown = shown(&report(vec![unknown()]), false);
    assert!(only_unknown.ends_with("UNKNOWN: no forbidden flow was found, but 1 could not be decided.\n"));
}

#[test]
fn violations_keep_their_order_and_come_first() {
    let named = |id: &str, flow: Flow| Flow { id: id.into(), ..flow };
    let flows = vec![infeasible(), unknown(), named("v2", violation()), named("v1", violation())];
    let told = shown(&report(flows), false);
    let at = |what: &str| told.find(what).unwrap_or_else(|| panic!("{what}"));
    assert!(
        at("error[v2]") < at("error[v1]") && at("error[v1]") < at("warning[aa]") && at("warning[aa]") < at("Proved")
    );
}

#[test]
fn long_lists_are_cut_unless_all_is_wanted() {
    let mut flow = violation();
    let path = (1..=40).map(|line| step(line, &format!("step{line};"), StepKind::Data)).collect();
    let input =
        |n: u32| Input { name: format!("in{n}"), file: "scale.c".into(), line: n, value: "0".into(), other: None };
    flow.witness = Some(Witness { inputs: (1..=30).map(input).collect(), path });
    let clause = |n: u32| vec![atom(&format!("c{n} == 0"), n)];
    flow.condition = Some(Condition {
        text: "…".into(),
        clauses: (1..=9).map(clause).collect(),
        equations: Vec::new(),
        inputs: None,
    });
    let mut flows = vec![flow];
    flows.extend((0..25).map(|n| Flow { id: format!("i{n}"), ..infeasible() }));
    let report = report(flows);
    let (short, all) = (shown(&report, false), shown(&report, true));
    assert!(short.contains("… 30 steps between") && short.contains("step5;") && short.contains("step36;"));
    assert!(!short.contains("step6;") && short.contains("in10 =") && !short.contains("in11 ="));
    assert!(short.contains("or in 6 more cases") && short.contains("… and 15 more"));
    for what in ["step20;", "in30 =", "c9 == 0"] {
        assert!(all.contains(what) && !short.contains(what), "{what}");
    }
    assert_eq!(all.matches("contradicts").count(), 25);
    assert!(!all.contains("--verbose"));
}

#[test]
fn colours_only_when_asked_and_nothing_disturbs_the_terminal() {
    let mut flow = violation();
    flow.from.what = "p\u{1b}[31mcd\n".into();
    flow.witness.as_mut().unwrap().path[0].text = "a\u{7}\tb".into();
    flow.reason = Some("x\r\ny".into());
    let report = report(vec![flow]);
    let evil = |file: &str, line: u32| lines(file, line).map(|text| format!("{text}\u{1b}[2J"));
    let told = text(&report, TextOptions::default(), &evil);
    assert!(!told.chars().any(|c| c.is_control() && c != '\n'), "{told:?}");
    assert!(
        text(&report, TextOptions { color: true, verbose: false }, &lines).contains("\u{1b}[1;31mVIOLATED\u{1b}[0m")
    );
}

#[test]
fn files_that_cannot_be_read_and_long_lines_are_no_trouble() {
    let told = text(&report(vec![violation()]), TextOptions::default(), &|_, _| None);
    assert!(told.contains("scale.c:4:5") && told.contains("it arrives here: printf argument 3"), "{told}");
    let long = |_: &str, line: u32| Some(format!("{}target{line}{}", "é".repeat(50_000), " x".repeat(5_000)));
    let mut flow = violation();
    (flow.from.column, flow.to.column) = (100_001, 100_001);
    let told = text(&report(vec![flow]), TextOptions::default(), &long);
    assert!(told.contains("scale.c:4:100001") && told.contains("target4") && told.contains("target1"), "{told}");
    assert!(told.len() < 5000);
    // Both ends on one line, and a column that is not in it.
    let mut flow = violation();
    (flow.from.line, flow.from.column, flow.to.column) = (4, 900, 2);
    assert!(text(&report(vec![flow]), TextOptions::default(), &lines).contains("it comes from here"));
    let mut flow = violation();
    flow.from.file = "other.c".into();
    assert!(text(&report(vec![flow]), TextOptions::default(), &lines).contains("other.c:1:9"));
}

#[test]
fn one_flow_can_be_told_again() {
    let report = full();
    let told = flow_text(&report, &report.flows[2], false, &lines);
    assert!(told.starts_with("note[bb]: no information can get from `keyboard` to `display` here"), "{told}");
    assert!(told.contains("  why: `mode == 1` (scale.c:2) contradicts `mode == 2` (scale.c:3)"), "{told}");
    let told = flow_text(&report, &report.flows[0], false, &lines);
    assert!(told.contains("`hal` reads its arguments only") && told.contains("How it gets there"), "{told}");
}

#[test]
fn lines_are_read_from_disk() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.c");
    std::fs::write(&file, b"one\r\ntw\xe9\n").unwrap();
    let name = file.to_str().unwrap();
    let lines = lines_on_disk();
    assert_eq!((lines(name, 1), lines(name, 2)), (Some("one".into()), Some("tw\u{fffd}".into())));
    assert_eq!((lines(name, 3), lines(name, 0), lines("no/such.c", 1)), (None, None, None));
    assert_eq!(lines(folder.path().to_str().unwrap(), 1), None);
}
