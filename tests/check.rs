//! The driver of a check with answers that the tests make up: which pairs are asked, what becomes of them, in which order they are told.

use std::sync::Mutex;

use flowcheck::base::progress::Progress;
use flowcheck::check::{self, Checked, End, Task};
use flowcheck::ir::{self, Options};
use flowcheck::policy::{self, DomainId, Policy};
use flowcheck::report::check::{Counts, FailOn, Flow, Report, Run, Statistics, Status, StepKind, exit_code};
use flowcheck::sdg::{NodeId, NodeKind};
use flowcheck::select::places::{Exception, Selected, Spot};
use flowcheck::select::{self, View};
use flowcheck::source::{Request, Sources};
use flowcheck::witness::{self, Atom, Decision, Input, Kind, Question, Shown, Step, Witness};
use flowcheck::{Analysed, analyse};

/// A program, analysed, with sources and sinks by domain and line.
struct Case {
    _folder: tempfile::TempDir,
    sources: Sources,
    program: ir::Program,
    policy: Policy,
    analysed: Analysed,
    selected: Selected,
}

/// `DOMAIN` and line.
type Spots<'a> = &'a [(&'a str, u32)];

impl Case {
    fn new(program: &str, from: Spots<'_>, to: Spots<'_>) -> Case {
        let folder = tempfile::tempdir().expect("a scratch folder");
        let path = folder.path().join("a.c");
        std::fs::write(&path, program).expect("a scratch file");
        let progress = Progress::silent();
        let request = Request { paths: vec![path], jobs: 1, ..Request::default() };
        let options = Options { jobs: 1, ..Options::default() };
        let read = flowcheck::read(&request, &options, &progress).expect("it can be read");
        let program = read.program.unwrap_or_else(|| panic!("{:?}", read.diagnostics));
        let policy = policy::parse(DOMAINS, "p.toml").expect("a policy");
        let analysed = analyse(&read.sources, &program, &policy, &[], 1, &progress).expect("it can be analysed");
        let selected = Selected::default();
        let mut case = Case { _folder: folder, sources: read.sources, program, policy, analysed, selected };
        let spots = |list: Spots<'_>| list.iter().map(|(domain, line)| case.spot(domain, *line)).collect();
        case.selected = Selected { sources: spots(from), sinks: spots(to), exceptions: Vec::new() };
        case
    }
    fn domain(&self, name: &str) -> DomainId {
        self.policy.domains.find(name).expect("a domain")
    }
    fn spot(&self, domain: &str, line: u32) -> Spot {
        let nodes = self.nodes(line);
        let place = self.analysed.sdg.nodes()[nodes[0]].place;
        let what = format!("line {line}");
        Spot { domain: self.domain(domain), what, place, nodes, values_only: false, allowed: None }
    }
    /// An exception for what a function returns.
    fn exception(&self, from: &[&str], to: &[&str], function: &str, reason: &str) -> Exception {
        let domains = |names: &[&str]| names.iter().map(|name| self.domain(name)).collect();
        let point = format!("{function}()").parse().expect("a point");
        let nodes = select::point(self.view(), &point, select::Role::Source).expect("nodes");
        Exception { from: domains(from), to: domains(to), nodes, reason: reason.into() }
    }
    fn view(&self) -> View<'_> {
        let Analysed { points_to, sdg, .. } = &self.analysed;
        View { sources: &self.sources, program: &self.program, points_to, sdg }
    }
    fn line(&self, node: NodeId) -> u32 {
        self.sources.locate(self.analysed.sdg.nodes()[node].place).line
    }
    fn task(&self, jobs: usize) -> Task<'_> {
        Task {
            view: self.view(),
            domains: &self.policy.domains,
            selected: &self.selected,
            assumptions: &self.analysed.assumptions,
            jobs,
            timings: false,
        }
    }
    /// Checks with these answers, by the lines of source and sink and whether there are barriers.
    fn check(&self, jobs: usize, answer: &(dyn Fn(u32, u32, bool) -> Decision + Sync)) -> Checked {
        let task = self.task(jobs);
        let decide = |question: &Question<'_>| {
            let barred = question.barriers.nodes().is_some();
            answer(self.line(question.from[0]), self.line(question.to[0]), barred)
        };
        check::check(&task, &decide, &Progress::silent())
    }
    /// The nodes of a line.
    fn nodes(&self, line: u32) -> Vec<NodeId> {
        let point = format!("a.c:{line}").parse().expect("a point");
        select::point(self.view(), &point, select::Role::Source).expect("nodes")
    }
    fn step(&self, node: NodeId, run: witness::Run, kind: Kind) -> Step {
        let place = self.analysed.sdg.nodes()[node].place;
        Step { node, place, function: self.analysed.sdg.function(node), run, kind }
    }
    fn atom(&self, text: &str, line: u32) -> Atom {
        Atom { text: text.into(), place: self.analysed.sdg.nodes()[self.nodes(line)[0]].place }
    }
    fn report(&self, checked: &Checked) -> Report {
        let assumptions = check::assumptions(&self.sources, &self.analysed.assumptions);
        let statistics = Statistics { conditions: checked.conditions.clone(), ..Statistics::default() };
        let report = Report::new("P".into(), vec![], checked.flows.clone(), checked.no_path, assumptions, statistics);
        assert_eq!(Report::from_json(&report.json()), Ok(report.clone()));
        report
    }
}

fn violation(strength: f64) -> Decision {
    Decision { strength, ..Decision::plain(witness::Status::Violation) }
}

fn infeasible() -> Decision {
    Decision::plain(witness::Status::Infeasible)
}

fn no_path() -> Decision {
    Decision::plain(witness::Status::NoPath)
}

fn lines(flow: &Flow) -> (u32, u32) {
    (flow.from.line, flow.to.line)
}

const PROGRAM: &str = "\
int key(void);
int sensor(void);
int review(int);
void show(int);
void log_it(int);
int main(void) {
    int k = key();
    int s = sensor();
    show(k);
    show(s);
    log_it(k);
    log_it(s);
    show(review(k) + 1);
    show(7);
    return 0;
}
";

const DOMAINS: &str = r#"
version = 1
[domains]
keyboard = "k"
sensor = "s"
display = "d"
log = "l"
[flows]
allow = ["sensor -> display"]
"#;

const SINKS: Spots<'static> =
    &[("display", 9), ("display", 10), ("log", 11), ("log", 12), ("display", 13), ("display", 14)];

fn scale() -> Case {
    Case::new(PROGRAM, &[("keyboard", 7), ("sensor", 8)], SINKS)
}

#[test]
fn forbidden_pairs_with_a_path_are_asked_and_all_are_counted() {
    let case = scale();
    let asked = Mutex::new(Vec::new());
    let checked = case.check(1, &|from, to, barred| {
        assert!(!barred);
        asked.lock().unwrap().push((from, to));
        Decision::unknown("x")
    });
    // From the key (7) to `show` and `log_it`, from the sensor (8) to `log_it` only.
    assert_eq!(asked.into_inner().unwrap(), [(7, 9), (7, 11), (7, 13), (8, 12)]);
    assert_eq!(checked.flows.iter().map(lines).collect::<Vec<_>>(), [(7, 9), (7, 11), (7, 13), (8, 12)]);
    // Key: `show` on 10 and 14, `log_it` on 12; sensor: `log_it` on 11.
    assert_eq!(checked.no_path, 4);
    let counts = case.report(&checked).counts;
    assert_eq!(counts, Counts { pairs: 8, no_path: 4, unknown: 4, ..Counts::default() });
    assert!(checked.flows.iter().all(|flow| flow.reason.as_deref() == Some("x")));
}

#[test]
fn what_a_decision_finds_to_have_no_path_is_only_counted() {
    let case = scale();
    let checked = case.check(2, &|_, to, _| if to == 9 { no_path() } else { infeasible() });
    assert_eq!((checked.flows.len(), checked.no_path, checked.conditions.len()), (3, 5, 3));
    assert_eq!(case.report(&checked).counts.pairs, 8);
}

#[test]
fn violations_come_first_the_weakest_condition_before_all() {
    let case = scale();
    let answer = |from: u32, to: u32, _: bool| match (from, to) {
        (7, 9) => violation(0.25),
        (7, 11) => infeasible(),
        (7, 13) => Decision::unknown("time"),
        _ => violation(0.5),
    };
    let checked = case.check(1, &answer);
    let told: Vec<_> = checked.flows.iter().map(|flow| (flow.status, lines(flow))).collect();
    let expected = [
        (Status::Violation, (8, 12)),
        (Status::Violation, (7, 9)),
        (Status::Unknown, (7, 13)),
        (Status::Infeasible, (7, 11)),
    ];
    assert_eq!(told, expected);
    let flows: Vec<&str> = checked.conditions.iter().map(|condition| condition.flow.as_str()).collect();
    assert_eq!(flows, checked.flows.iter().map(|flow| flow.id.as_str()).collect::<Vec<_>>());
    // Alike ones by place.
    let even = case.check(3, &|_, _, _| violation(0.5));
    assert_eq!(even.flows.iter().map(lines).collect::<Vec<_>>(), [(7, 9), (7, 11), (7, 13), (8, 12)]);
    // Neither threads nor answers change what a flow is called.
    assert_eq!(case.check(4, &answer), checked);
    let ids = |checked: &Checked| {
        let mut ids: Vec<_> = checked.flows.iter().map(|flow| (lines(flow), flow.id.clone())).collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(&even), ids(&checked));
}

#[test]
fn a_flow_that_only_exists_through_an_exception_is_declassified() {
    let mut case = scale();
    case.selected.exceptions = vec![
        case.exception(&["keyboard"], &["display"], "review", "reviewed"),
        case.exception(&["keyboard", "sensor"], &["display", "log"], "sensor", "not on the way"),
    ];
    // What is said with and without barriers, and what becomes of the flow from 7 to 13.
    let cases: [(Decision, Decision, Option<Status>, Option<&str>); 7] = [
        (no_path(), violation(0.5), Some(Status::Declassified), Some("reviewed")),
        (infeasible(), violation(0.5), Some(Status::Declassified), Some("reviewed")),
        (infeasible(), Decision::unknown("time"), Some(Status::Declassified), Some("reviewed")),
        (infeasible(), infeasible(), Some(Status::Infeasible), None),
        (no_path(), no_path(), None, None),
        (violation(0.5), infeasible(), Some(Status::Violation), None),
        (Decision::unknown("time"), violation(0.5), Some(Status::Unknown), Some("time")),
    ];
    for (barred, free, status, reason) in cases {
        let asked = Mutex::new(Vec::new());
        let checked = case.check(1, &|_, to, is_barred| {
            asked.lock().unwrap().push((to, is_barred));
            match (to, is_barred) {
                (13, true) => barred.clone(),
                (13, false) => free.clone(),
                _ => infeasible(),
            }
        });
        let flow = checked.flows.iter().find(|flow| lines(flow) == (7, 13));
        assert_eq!(flow.map(|flow| flow.status), status, "{barred:?} {free:?}");
        assert_eq!(flow.and_then(|flow| flow.reason.as_deref()), reason, "{barred:?} {free:?}");
        let is_closed = matches!(barred.status, witness::Status::NoPath | witness::Status::Infeasible);
        assert_eq!(asked.into_inner().unwrap().contains(&(13, false)), is_closed, "asked again only if need be");
    }
}

#[test]
fn exceptions_are_for_their_domains() {
    let mut case = scale();
    case.selected.exceptions = vec![case.exception(&["keyboard"], &["log"], "review", "reviewed")];
    let checked = case.check(1, &|from, to, barred| {
        assert_eq!(barred, (from, to) == (7, 11));
        violation(0.5)
    });
    assert!(checked.flows.iter().all(|flow| flow.status == Status::Violation));
}

#[test]
fn a_place_accepts_what_starts_or_ends_there() {
    let mut case = scale();
    case.selected.sinks[0].allowed = Some("a demo".into());
    case.selected.sources[1].allowed = Some("calibrated".into());
    let status = |checked: &Checked, at: (u32, u32)| {
        let flow = checked.flows.iter().find(|flow| lines(flow) == at).expect("the flow");
        (flow.status, flow.reason.clone())
    };
    let checked = case.check(1, &|_, _, _| violation(0.5));
    assert_eq!(status(&checked, (7, 9)), (Status::Declassified, Some("a demo".into())));
    assert_eq!(status(&checked, (8, 12)), (Status::Declassified, Some("calibrated".into())));
    assert_eq!(status(&checked, (7, 11)), (Status::Violation, None));
    let told: Vec<Status> = checked.flows.iter().map(|flow| flow.status).collect();
    assert_eq!(told, [Status::Violation, Status::Violation, Status::Declassified, Status::Declassified]);
    let checked = case.check(1, &|_, _, _| Decision::unknown("time"));
    assert_eq!(status(&checked, (7, 9)), (Status::Declassified, Some("a demo".into())));
    let checked = case.check(1, &|_, _, _| infeasible());
    assert_eq!(status(&checked, (7, 9)), (Status::Infeasible, None));
    assert_eq!(exit_code(case.report(&checked).verdict, FailOn::Unknown), 0);
}

#[test]
fn a_place_that_is_both_is_a_pair() {
    let case = Case::new(PROGRAM, &[("keyboard", 9)], &[("display", 9), ("log", 11)]);
    let checked = case.check(1, &|_, _, _| violation(0.5));
    // What `show` does on line 9 has no way to line 11; what is secret there is shown there.
    assert_eq!((checked.flows.len(), checked.no_path), (1, 1));
}

#[test]
fn the_question_is_that_of_the_places() {
    let mut case = scale();
    case.selected.sinks[0].values_only = true;
    let decide = |question: &Question<'_>| {
        assert_eq!(question.values_only, case.line(question.to[0]) == 9);
        assert!(question.via.is_empty() && question.barriers.nodes().is_none());
        violation(0.5)
    };
    let checked = check::check(&Task { timings: true, ..case.task(1) }, &decide, &Progress::silent());
    assert_eq!(checked.conditions[0].seconds.keys().collect::<Vec<_>>(), ["chop", "condition", "solve"]);
    assert!(case.check(1, &|_, _, _| violation(0.5)).conditions[0].seconds.is_empty());
    // All sources are arbitrary, also those of the other domain.
    let arbitrary = check::arbitrary(case.view(), &case.selected);
    assert!(arbitrary.iter().any(|node| case.line(node) == 7) && arbitrary.iter().any(|node| case.line(node) == 8));
}

const STEPS: &str = "\
int src(void);
void sink(int);
static int twice(int n) {
    return n + n; /* doubled */
}
static int unrelated(int (*f)(void)) {
    return f();
}
int main(int argc, char **argv) {
    int y = 1;
    int x = src();
    if (x > 3)
        y = twice(x);
    sink(y);
    return unrelated(src);
}
";

#[test]
fn a_decision_is_told_with_lines_values_and_assumptions() {
    let case = Case::new(STEPS, &[("keyboard", 11)], &[("display", 14)]);
    let sdg = &case.analysed.sdg;
    let find = |line: u32, kind: fn(&NodeKind) -> bool| {
        let fits = |node: &NodeId| kind(&sdg.nodes()[*node].kind);
        case.nodes(line).into_iter().find(fits).unwrap_or_else(|| panic!("a node on line {line}"))
    };
    let phi =
        sdg.nodes().ids().find(|node| !case.view().is_written(*node) && case.line(*node) == 10).expect("a φ of y");
    let returned = find(11, |kind| matches!(kind, NodeKind::ActualOut(..)));
    let test = find(12, |kind| matches!(kind, NodeKind::Predicate(_)));
    let passed = find(13, |kind| matches!(kind, NodeKind::ActualIn(..)));
    let parameter = find(3, |kind| matches!(kind, NodeKind::FormalIn(_)));
    let sum = find(4, |kind| matches!(kind, NodeKind::Inst(_)));
    let end = find(14, |kind| matches!(kind, NodeKind::ActualIn(..)));
    let both = witness::Run::Both;
    let steps = [
        (returned, both, Kind::Data),
        (test, both, Kind::Data),
        (passed, witness::Run::A, Kind::Control),
        (parameter, witness::Run::A, Kind::Call),
        (sum, witness::Run::A, Kind::Data),
        (find(4, |kind| matches!(kind, NodeKind::Return(_))), witness::Run::A, Kind::Data),
        (phi, witness::Run::A, Kind::Return),
        (end, both, Kind::Data),
        (end, witness::Run::A, Kind::Data),
    ];
    let path = steps.iter().map(|(node, run, kind)| case.step(*node, *run, *kind)).collect();
    let input = |name: &str, line: u32, other: Option<&str>| Input {
        name: name.into(),
        place: case.atom("", line).place,
        value: "7".into(),
        other: other.map(Into::into),
    };
    let decision = Decision {
        runs: 2,
        condition: Some(Shown {
            text: "x > 3".into(),
            clauses: vec![vec![case.atom("x > 3", 12)]],
            equations: vec!["n == x".into()],
            inputs: Some("src() > 3".into()),
        }),
        witness: Some(Witness { inputs: vec![input("x", 11, Some("2"))], path }),
        ..violation(0.5)
    };
    let checked = case.check(1, &|from, to, _| {
        assert_eq!((from, to), (11, 14));
        decision.clone()
    });
    let [flow] = checked.flows.as_slice() else { panic!("{:?}", checked.flows) };
    assert_eq!((flow.runs, flow.from.domain.as_str(), flow.to.domain.as_str()), (2, "keyboard", "display"));
    assert!(flow.from.file.ends_with("a.c") && (flow.from.line, flow.from.column) == (11, 13));
    let condition = flow.condition.as_ref().expect("a condition");
    assert_eq!((condition.clauses[0][0].text.as_str(), condition.clauses[0][0].line), ("x > 3", 12));
    assert_eq!(
        (condition.equations.as_slice(), condition.inputs.as_deref()),
        (&["n == x".into()][..], Some("src() > 3"))
    );
    let witness = flow.witness.as_ref().expect("a witness");
    assert_eq!((witness.inputs[0].line, witness.inputs[0].other.as_deref()), (11, Some("2")));
    let told: Vec<_> =
        witness.path.iter().map(|s| (s.line, s.function.as_str(), s.run, s.kind, s.text.as_str())).collect();
    // The join of `y` stands for no text: what leads on from there is how it was reached. Steps on a line are one, unless the run changes.
    let expected = [
        (11, "main", Run::Both, StepKind::Data, "int x = src();"),
        (12, "main", Run::Both, StepKind::Data, "if (x > 3)"),
        (13, "main", Run::A, StepKind::Control, "y = twice(x);"),
        (3, "twice", Run::A, StepKind::Call, "static int twice(int n) {"),
        (4, "twice", Run::A, StepKind::Data, "return n + n;"),
        (14, "main", Run::Both, StepKind::Return, "sink(y);"),
        (14, "main", Run::A, StepKind::Data, "sink(y);"),
    ];
    assert_eq!(told, expected);
    let assumptions = case.report(&checked).assumptions;
    // `src` is called first on line 7, by the pointer; what is assumed of it concerns `main`, too.
    let of_flow: Vec<u32> = flow.assumptions.iter().map(|index| assumptions[*index].line).collect();
    assert_eq!(of_flow, [7, 14], "{assumptions:?}");
    // An infeasible flow rests on all of them.
    let checked = case.check(1, &|_, _, _| Decision { because: vec![case.atom("x > 3", 12)], ..infeasible() });
    assert_eq!(checked.flows[0].assumptions, (0..assumptions.len()).collect::<Vec<_>>());
    assert_eq!((checked.flows[0].because[0].text.as_str(), checked.flows[0].because[0].line), ("x > 3", 12));
}

#[test]
fn what_is_assumed_in_other_functions_does_not_concern_a_flow() {
    let program = "\
int src(void);
void sink(int);
static void far(void) {
    __asm__(\"nop\");
}
int main(void) {
    far();
    __asm__(\"nop\");
    int x = src();
    sink(x);
    return 0;
}
";
    let case = Case::new(program, &[("keyboard", 9)], &[("display", 10)]);
    let checked = case.check(1, &|_, _, _| violation(1.0));
    let assumptions = case.report(&checked).assumptions;
    let asm =
        |line: u32| assumptions.iter().position(|a| a.kind == "inline-asm" && a.line == line).expect("an assumption");
    assert!(checked.flows[0].assumptions.contains(&asm(8)) && !checked.flows[0].assumptions.contains(&asm(4)));
}

#[test]
fn a_question_of_its_own_has_a_flow_also_without_a_path() {
    let case = scale();
    let (from, to) = (case.nodes(7), case.nodes(14));
    let place = |nodes: &[NodeId]| case.analysed.sdg.nodes()[nodes[0]].place;
    let end = |what, nodes| End { domain: "from", what, place: place(nodes), nodes };
    let one = |decision| check::one(case.view(), &case.analysed.assumptions, end("a", &from), end("b", &to), decision);
    let flow = one(no_path());
    assert_eq!((flow.status, lines(&flow)), (Status::Infeasible, (7, 14)));
    assert!(flow.reason.is_some_and(|reason| reason.contains("no dependence")));
    assert_eq!(one(violation(1.0)).status, Status::Violation);
    assert_eq!(one(violation(1.0)).id, one(infeasible()).id);
}
