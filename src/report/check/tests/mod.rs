//! Hand-made reports: against the schema, and back from JSON.

mod text;

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

fn figures(flow: &str, chop: usize, seconds: f64) -> ConditionStatistics {
    ConditionStatistics {
        flow: flow.into(),
        chop,
        atoms: 3,
        seconds: [("chop".to_owned(), 0.0), ("condition".to_owned(), seconds)].into(),
        ..ConditionStatistics::default()
    }
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
    report.statistics.conditions = vec![figures("00ff", 7, 0.5), figures("ee", 30, 0.25)];
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
    serde_json::from_str(include_str!("../../../../docs/report.schema.json")).unwrap()
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
        ("/statistics/conditions/0/atoms", json!(-3)),
        ("/statistics/conditions/1/seconds/condition", json!(null)),
        ("/statistics/conditions/1/flow", json!(1)),
        ("/flows/5/condition/equations/0", json!(1)),
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
        "equations",
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
        "conditions",
        "flow",
        "chop",
        "reducible",
        "irreducible",
        "atoms",
        "points",
        "edges",
        "largest",
        "diagrams",
        "weakened",
        "paths",
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
    // Reports of the first versions have no figures of conditions.
    let mut older: Value = serde_json::from_str(&full().json()).unwrap();
    older["statistics"].as_object_mut().unwrap().remove("conditions");
    older["flows"][0]["condition"].as_object_mut().unwrap().remove("equations");
    assert!(Report::from_json(&older.to_string()).is_ok_and(|report| report.statistics.conditions.is_empty()));
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
