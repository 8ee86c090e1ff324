//! A decision as a flow of the report: places as files and lines, steps that people can follow, the assumptions that matter for it.

use std::borrow::Cow;

use super::rests::Scopes;
use crate::ir;
use crate::ir::print::assumption_word;
use crate::report::check::fingerprint::{Anchor, fingerprints, literal};
use crate::report::check::{
    self, Assumption, Atom, Condition, ConditionStatistics, Flow, Input, Run, Status, Step, StepKind, Witness,
};
use crate::sdg::NodeId;
use crate::select::View;
use crate::select::lines::Locator;
use crate::source::{Location, Place, Sources};
use crate::witness::{self, Decision};

/// Longer lines of C are cut.
const LONGEST: usize = 100;

/// One end of a flow.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// Its domain.
    pub domain: &'a str,
    /// What it is.
    pub what: &'a str,
    /// Where it is.
    pub place: Place,
    /// Its nodes.
    pub nodes: &'a [NodeId],
}

/// A decision, and what the policy makes of it.
pub(super) struct Decided {
    pub status: Status,
    /// Why it is unknown or declassified.
    pub reason: Option<String>,
    pub decision: Decision,
}

impl Decided {
    /// What the decision says; `None` if there is no path.
    pub fn plain(decision: Decision) -> Option<Decided> {
        let (status, reason) = match &decision.status {
            witness::Status::NoPath => return None,
            witness::Status::Infeasible => (Status::Infeasible, None),
            witness::Status::Violation => (Status::Violation, None),
            witness::Status::Unknown(why) => (Status::Unknown, Some(why.clone())),
        };
        Some(Decided { status, reason, decision })
    }
    /// Whether it is not proved to be impossible, and not accepted.
    pub fn is_open(&self) -> bool {
        match self.status {
            Status::Violation | Status::Unknown => true,
            Status::Infeasible | Status::Declassified => false,
        }
    }
    pub fn declassify(&mut self, reasons: &[&str]) {
        self.status = Status::Declassified;
        self.reason = Some(reasons.join("; "));
    }
}

/// Makes flows.
pub(super) struct Teller<'a> {
    view: View<'a>,
    scopes: Scopes,
    locator: Locator<'a>,
}

impl<'a> Teller<'a> {
    pub fn new(view: View<'a>, assumptions: &[ir::Assumption]) -> Self {
        Teller { view, scopes: Scopes::new(view, assumptions), locator: Locator::new(view.sources) }
    }
    /// Places by file, line and column.
    pub fn order(&mut self, place: Place) -> (Location, Place) {
        (self.locator.locate(place).clone(), place)
    }
    /// The names of flows between these ends.
    pub fn names(&mut self, ends: &[(End<'_>, End<'_>)]) -> Vec<String> {
        let view = self.view;
        let mut home = |end: &End<'_>| {
            let function = end.nodes.first().map(|node| view.sdg.function(*node));
            let function = function.map_or_else(String::new, |func| view.program.functions[func].name.clone());
            let file = self.locator.locate(end.place).file.to_string_lossy().into_owned();
            Home { function, file, text: view.sources.text(end.place).into_owned() }
        };
        let homes: Vec<_> = ends.iter().map(|(from, to)| (home(from), home(to))).collect();
        let both = ends.iter().zip(&homes);
        let all: Vec<(Anchor<'_>, Anchor<'_>)> =
            both.map(|((from, to), (here, there))| (anchor(from, here), anchor(to, there))).collect();
        fingerprints(&all)
    }
    /// The flow with this name.
    pub fn flow(&mut self, id: String, from: End<'_>, to: End<'_>, decided: Decided) -> Flow {
        let Decided { status, reason, decision } = decided;
        let assumptions = self.rests_on(status, from, to, &decision);
        Flow {
            id,
            from: self.end(from),
            to: self.end(to),
            status,
            reason,
            baselined: false,
            confirmed: None,
            runs: decision.runs,
            condition: decision.condition.map(|shown| Condition {
                text: shown.text,
                clauses: shown.clauses.iter().map(|clause| self.atoms(clause)).collect(),
                equations: shown.equations,
                inputs: shown.inputs,
            }),
            because: self.atoms(&decision.because),
            witness: decision.witness.map(|witness| self.witness(&witness)),
            assumptions,
            evidence: None,
        }
    }
    /// The assumptions that matter: what is impossible, or only possible by way of an exception, rests on all of them, what is possible on those of the functions
    /// that it passes.
    fn rests_on(&self, status: Status, from: End<'_>, to: End<'_>, decision: &Decision) -> Vec<usize> {
        match status {
            Status::Infeasible | Status::Declassified => (0..self.scopes.len()).collect(),
            Status::Violation | Status::Unknown => {
                let steps = decision.witness.iter().flat_map(|witness| &witness.path).map(|step| step.function);
                let ends = from.nodes.iter().chain(to.nodes).map(|node| self.view.sdg.function(*node));
                self.scopes.about(&steps.chain(ends).collect())
            }
        }
    }
    fn end(&mut self, end: End<'_>) -> check::End {
        let at = self.locator.locate(end.place);
        check::End {
            domain: end.domain.to_owned(),
            what: end.what.to_owned(),
            file: at.file.to_string_lossy().into_owned(),
            line: at.line,
            column: at.column,
        }
    }
    fn atoms(&mut self, atoms: &[witness::Atom]) -> Vec<Atom> {
        let atom = |atom: &witness::Atom| {
            let at = self.locator.locate(atom.place);
            Atom { text: atom.text.clone(), file: at.file.to_string_lossy().into_owned(), line: at.line }
        };
        atoms.iter().map(atom).collect()
    }
    fn witness(&mut self, witness: &witness::Witness) -> Witness {
        let input = |input: &witness::Input| {
            let at = self.locator.locate(input.place);
            let file = at.file.to_string_lossy().into_owned();
            let (value, other) = (input.value.clone(), input.other.clone());
            Input { name: input.name.clone(), file, line: at.line, value, other }
        };
        let inputs = witness.inputs.iter().map(input).collect();
        Witness { inputs, path: self.path(&witness.path) }
    }
    /// The steps at lines of C. Joins of versions, and what a function gives, stand for no text and are left out; steps that follow each other on one line
    /// are one.
    fn path(&mut self, steps: &[witness::Step]) -> Vec<Step> {
        let last = steps.len().saturating_sub(1);
        let mut path: Vec<Step> = Vec::new();
        // How the steps that were left out lead on.
        let mut passed: Option<StepKind> = None;
        for (index, step) in steps.iter().enumerate() {
            let kind = match (step_kind(step.kind), passed) {
                (StepKind::Data, Some(passed)) => passed,
                (kind, _) => kind,
            };
            if !self.view.is_written(step.node) && index != 0 && index != last {
                passed = Some(kind);
                continue;
            }
            passed = None;
            let step = self.step(step, kind);
            let is_same = |before: &Step| {
                (&before.file, before.line, &before.function, before.run)
                    == (&step.file, step.line, &step.function, step.run)
            };
            if !path.last().is_some_and(is_same) {
                path.push(step);
            }
        }
        path
    }
    fn step(&mut self, step: &witness::Step, kind: StepKind) -> Step {
        let at = self.locator.locate(step.place).clone();
        let line = self.view.sources.files.line(&at.file, at.line).map(without_comment).filter(|line| !line.is_empty());
        let text = line.map_or_else(|| self.view.sources.text(step.place), Cow::Borrowed);
        Step {
            file: at.file.to_string_lossy().into_owned(),
            line: at.line,
            column: at.column,
            function: self.view.program.functions[step.function].name.clone(),
            thread: None,
            run: match step.run {
                witness::Run::A => Run::A,
                witness::Run::B => Run::B,
                witness::Run::Both => Run::Both,
            },
            text: shortened(&text),
            kind,
        }
    }
}

/// The assumptions as the report lists them.
pub fn assumptions(sources: &Sources, all: &[ir::Assumption]) -> Vec<Assumption> {
    let told = |assumption: &ir::Assumption| {
        let at = assumption.place.map(|place| sources.locate(place));
        Assumption {
            kind: assumption_word(assumption.kind).to_owned(),
            text: assumption.text.clone(),
            file: at.as_ref().map_or_else(String::new, |at| at.file.to_string_lossy().into_owned()),
            line: at.map_or(0, |at| at.line),
        }
    };
    all.iter().map(told).collect()
}

/// What a decision took, as the report tells it.
pub fn statistics(flow: &str, took: &witness::Statistics, timings: bool) -> ConditionStatistics {
    let seconds = [("chop", took.chop_seconds), ("condition", took.condition_seconds), ("solve", took.solve_seconds)];
    ConditionStatistics {
        flow: flow.to_owned(),
        chop: took.chop,
        reducible: took.reducible,
        irreducible: took.irreducible,
        atoms: took.atoms,
        points: took.points,
        edges: took.edges,
        largest: took.largest,
        diagrams: took.diagrams,
        weakened: took.weakened,
        paths: took.paths,
        seconds: seconds.into_iter().filter(|_| timings).map(|(phase, took)| (phase.to_owned(), took)).collect(),
    }
}

/// Where an end is: the function that it is in, its file, and its text.
struct Home {
    function: String,
    file: String,
    text: String,
}

/// What counts of an end for the flow's name.
fn anchor<'a>(end: &End<'a>, Home { function, file, text }: &'a Home) -> Anchor<'a> {
    Anchor { domain: end.domain, file, function, what: end.what, text }
}

fn step_kind(kind: witness::Kind) -> StepKind {
    match kind {
        witness::Kind::Data => StepKind::Data,
        witness::Kind::Control => StepKind::Control,
        witness::Kind::Call => StepKind::Call,
        witness::Kind::Return => StepKind::Return,
        witness::Kind::Interference => StepKind::Interference,
    }
}

/// A line of C up to a comment at its end.
fn without_comment(line: &str) -> &str {
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        at += match c {
            '"' | '\'' => literal(rest, c),
            '/' if rest.starts_with("//") => return line[..at].trim(),
            '/' if rest.starts_with("/*") => match rest[2..].find("*/") {
                Some(end) if !rest[end + 4..].trim().is_empty() => end + 4,
                Some(_) | None => return line[..at].trim(),
            },
            _ => c.len_utf8(),
        };
    }
    line.trim()
}

fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, shortened, without_comment};

    #[test]
    fn a_comment_at_the_end_of_a_line_is_no_code() {
        for (line, code) in [
            ("\tx = 1; /* one */ ", "x = 1;"),
            ("x = 1; // one", "x = 1;"),
            ("x = /* the */ 1;", "x = /* the */ 1;"),
            ("x = 1; /* goes on", "x = 1;"),
            ("/* http://a */ x = 1; // one", "/* http://a */ x = 1;"),
            ("puts(\"//\"); c = '\"'; // \"", "puts(\"//\"); c = '\"';"),
            ("puts(\"a\\\"/*\");", "puts(\"a\\\"/*\");"),
            ("a = b / c;", "a = b / c;"),
            ("// only", ""),
        ] {
            assert_eq!(without_comment(line), code, "{line}");
        }
    }

    #[test]
    fn long_lines_are_cut_at_a_character() {
        assert_eq!(shortened("a\t =  b"), "a = b");
        let long = "é".repeat(LONGEST + 1);
        assert_eq!(shortened(&long), format!("{}…", "é".repeat(LONGEST)));
        assert_eq!(shortened(&long[..2 * LONGEST]), "é".repeat(LONGEST));
    }
}
