//! Hand-made reports as text.

use super::super::*;
use super::*;

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
  In a run that shows it, each at its moment, all of this holds:
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
        "  No condition has to hold for it.",
        "  where",
        "    kal_kg == 1.01f * kal",
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
fn many_flows_are_told_in_full_up_to_a_number() {
    let named = |n: usize, flow: Flow| Flow { id: format!("f{n}"), assumptions: Vec::new(), ..flow };
    let report = report((0..30).map(|n| named(n, if n < 15 { violation() } else { unknown() })).collect());
    let told = shown(&report, false);
    assert_eq!((told.matches("error[").count(), told.matches("warning[").count()), (10, 10));
    assert!(told.contains("5 more flows are possible; `flowcheck explain` tells each in full:"), "{told}");
    assert!(told.contains("5 more flows are not decided"), "{told}");
    assert!(
        told.lines().any(|line| line.starts_with("  keyboard: p_cd (scale.c:1)") && line.ends_with("f14")),
        "{told}"
    );
    let all = shown(&report, true);
    assert_eq!((all.matches("error[").count(), all.matches("more flows").count()), (15, 0));
}

#[test]
fn a_condition_that_no_policy_asked_for_does_not_speak_of_one() {
    let told =
        |flow: Flow, verbose: bool| condition_text(&report(vec![flow]), TextOptions { color: false, verbose }, &lines);
    let possible = told(violation(), false);
    assert!(possible.starts_with("note[00ff]: `p_cd` can influence `printf argument 3`\n"), "{possible}");
    assert!(possible.contains("(p_cd[0] & 1) != 0") && possible.ends_with("[unknown-function]\n"), "{possible}");
    let impossible = told(infeasible(), false);
    assert!(impossible.starts_with("note[bb]: `p_cd` cannot influence `printf argument 3`\n"), "{impossible}");
    assert!(impossible.contains("`mode == 1` (scale.c:2) contradicts `mode == 2` (scale.c:3)"), "{impossible}");
    let open = told(unknown(), false);
    assert!(open.starts_with("warning[aa]: it is not known whether `p_cd` can influence"), "{open}");
    assert!(open.ends_with("  why: the solver ran out of time\n"), "{open}");
    for text in [possible, impossible, open] {
        assert!(!text.contains("policy") && !text.contains("forbidden"), "{text}");
    }
    assert!(told(violation(), true).contains("Size and time:"));
}

#[test]
fn the_figures_of_conditions_are_a_table_with_sums() {
    let told = shown(&full(), true);
    let row = |name: &str| -> Vec<String> {
        let line = told.lines().find(|line| line.trim_start().starts_with(name)).unwrap_or_else(|| panic!("{told}"));
        line.split_whitespace().skip(1).map(str::to_owned).collect()
    };
    let zeros = ["0"; 3];
    assert_eq!(row("00ff  ")[..7], [&["7", "0", "0"][..], &["0", "0", "3", "0"]].concat());
    assert_eq!(row("most")[0], "30");
    assert_eq!(row("together")[..6], [&["37"][..], &zeros, &["0", "6"]].concat());
    assert_eq!(row("most")[10..], ["0.000", "0.500", "0.000"]);
    assert_eq!(row("together")[10..], ["0.000", "0.750", "0.000"]);
    // Without timings there are no columns for them.
    let mut report = full();
    report.statistics.conditions.iter_mut().for_each(|one| one.seconds.clear());
    assert!(!shown(&report, true).contains("solve s"));
}

#[test]
fn assumptions_are_numbered_in_ranges() {
    let mut report = report(vec![Flow { assumptions: vec![0, 1, 2, 3, 5, 6, 8], ..violation() }]);
    let one = report.assumptions[0].clone();
    report.assumptions = vec![one; 9];
    assert!(shown(&report, false).contains("  This rests on assumptions 1-4, 6, 7, 9, see below.\n"));
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
