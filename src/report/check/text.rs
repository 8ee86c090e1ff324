//! A report for people, who need not know what a path condition is.
//!
//! First what is wrong, each flow with its two places, when it happens, and how; then what was proved impossible and why; then what
//! all of it rests on; the verdict is the last line, where it is read first.

use std::fmt::Write as _;

use codespan_reporting::diagnostic::Severity;

use super::figures;
use super::quote::{self, Lines, Quote, plain};
use super::{Assumption, Atom, Condition, Counts, End, Flow, Report, Run, Status, Step, StepKind, Verdict, Witness};

/// How to write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextOptions {
    /// With escapes for colours.
    pub color: bool,
    /// Everything; else long lists are cut.
    pub verbose: bool,
}

/// So much is shown of a long list.
const SHORT: usize = 10;

/// The first and the last steps of a long path that are shown.
const ENDS: usize = 5;

/// So many cases of a condition are shown.
const CASES: usize = 3;

const MORE: &str = "(--verbose shows them)";

/// The whole report. `lines` tells the C lines to quote: [`lines_on_disk`](super::lines_on_disk) reads them.
pub fn text(report: &Report, options: TextOptions, lines: Lines<'_>) -> String {
    let mut page = Page { report, options, lines, out: String::new() };
    page.flows(Status::Violation);
    page.flows(Status::Unknown);
    page.impossible();
    page.exceptions();
    page.baselined();
    page.assumptions();
    if options.verbose {
        page.statistics();
    }
    page.verdict();
    page.out
}

/// One flow of a report, in full.
pub fn flow_text(report: &Report, flow: &Flow, color: bool, lines: Lines<'_>) -> String {
    let options = TextOptions { color, verbose: true };
    let mut page = Page { report, options, lines, out: String::new() };
    page.flow(flow, &headline(flow));
    page.rests_on(flow);
    page.out
}

/// The only flow of a report that no policy asked for.
pub fn condition_text(report: &Report, options: TextOptions, lines: Lines<'_>) -> String {
    let mut page = Page { report, options, lines, out: String::new() };
    for flow in &report.flows {
        let (from, to) = (plain(&flow.from.what), plain(&flow.to.what));
        let headline = match flow.status {
            Status::Violation => (Severity::Note, format!("`{from}` can influence `{to}`")),
            Status::Unknown => (Severity::Warning, format!("it is not known whether `{from}` can influence `{to}`")),
            Status::Infeasible | Status::Declassified => (Severity::Note, format!("`{from}` cannot influence `{to}`")),
        };
        page.flow(flow, &headline);
        page.rests_on(flow);
    }
    if options.verbose {
        page.line("");
        page.statistics();
    }
    page.out
}

struct Page<'a> {
    report: &'a Report,
    options: TextOptions,
    lines: Lines<'a>,
    out: String,
}

impl Page<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }
    fn heading(&mut self, text: &str) {
        let text = self.styled(text, "1");
        self.line(&text);
    }
    fn styled(&self, text: &str, style: &str) -> String {
        if self.options.color { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
    /// The flows that came to this and are not in the baseline, in the order of the report.
    fn of(&self, status: Status) -> impl Iterator<Item = &'_ Flow> {
        self.report.flows.iter().filter(move |flow| flow.status == status && !flow.baselined)
    }
    /// The flows that came to this, in full; of many the last ones in a table.
    fn flows(&mut self, status: Status) {
        let report = self.report;
        let all: Vec<&Flow> = report.flows.iter().filter(|flow| flow.status == status && !flow.baselined).collect();
        let full = if self.options.verbose || all.len() <= SHORT + 1 { all.len() } else { SHORT };
        for flow in &all[..full] {
            self.flow(flow, &headline(flow));
            self.line("");
        }
        if full < all.len() {
            let rows: Vec<_> =
                all[full..].iter().map(|flow| (end(&flow.from), end(&flow.to), flow.id.clone())).collect();
            let what = match status {
                Status::Violation => "possible",
                Status::Unknown => "not decided",
                Status::Infeasible => "impossible",
                Status::Declassified => "allowed",
            };
            self.heading(&format!("{} more flows are {what}; `flowcheck explain` tells each in full:", rows.len()));
            self.table(&rows, ("from", "to", "id"));
        }
    }
    /// A flow with all that is known of it.
    fn flow(&mut self, flow: &Flow, (severity, message): &(Severity, String)) {
        // The main place is where it arrives.
        let quotes = [(&flow.to, "it arrives here"), (&flow.from, "it comes from here")].map(|(end, says)| Quote {
            file: &end.file,
            line: end.line,
            column: end.column,
            remark: format!("{says}: {}", plain(&end.what)),
        });
        let shown = quote::render(*severity, &flow.id, message, &quotes, self.lines, self.options.color);
        self.out.push_str(&shown);
        match (&flow.reason, flow.status) {
            (Some(reason), _) => self.line(&format!("  why: {}", plain(reason))),
            (None, Status::Infeasible) => self.line(&format!("  why: {}", because(&flow.because))),
            (None, Status::Violation | Status::Unknown | Status::Declassified) => {}
        }
        if let Some(condition) = &flow.condition {
            self.condition(flow, condition);
        }
        if let Some(witness) = &flow.witness {
            self.witness(flow, witness);
        }
        match flow.confirmed {
            Some(true) => self.line("  Confirmed: the program was run with these values, and the difference was seen."),
            Some(false) => {
                self.line("  Not confirmed: the program was run with these values, and no difference was seen.");
            }
            None => {}
        }
        if let Some(evidence) = &flow.evidence {
            self.line(&format!("  What the run left is in {}", plain(&evidence.dir)));
        }
        // What is not decided rests on nothing.
        if !flow.assumptions.is_empty() && flow.status != Status::Unknown {
            let (count, numbers) = (flow.assumptions.len(), ranges(&flow.assumptions));
            self.line(&format!("  This rests on assumption{} {numbers}, see below.", plural(count)));
        }
    }
    /// The assumptions of one flow.
    fn rests_on(&mut self, flow: &Flow) {
        if flow.status == Status::Unknown {
            return;
        }
        for index in &flow.assumptions {
            self.assumption(*index);
        }
    }
    fn condition(&mut self, flow: &Flow, condition: &Condition) {
        let clauses = &condition.clauses;
        // Of one run a condition is told that is enough to look for; of both, what must hold.
        let one_run = flow.status == Status::Violation && flow.runs == 1;
        let when = if one_run { "In a run that shows it" } else { "It can only happen if" };
        let verb = if one_run { ", each at its moment, all of this holds" } else { " all of this holds" };
        if clauses.iter().any(Vec::is_empty) {
            self.line("  No condition has to hold for it.");
        } else if clauses.is_empty() {
            self.line(&format!("  {when}: {}", plain(&condition.text)));
        } else {
            let shown = if self.options.verbose { clauses.len() } else { clauses.len().min(CASES) };
            for (index, clause) in clauses[..shown].iter().enumerate() {
                let head = format!("  {when}{verb}:");
                self.line(if index == 0 { &head } else { "  or all of this:" });
                let width = clause.iter().map(|atom| plain(&atom.text).chars().count()).max().unwrap_or(0).min(60);
                for atom in clause {
                    self.line(&format!("    {:width$}   {}", plain(&atom.text), place(&atom.file, atom.line)));
                }
            }
            if shown < clauses.len() {
                self.line(&format!("  or in {} more cases {MORE}", clauses.len() - shown));
            }
        }
        let equations = &condition.equations;
        if !equations.is_empty() {
            self.line("  where");
            let shown = if self.options.verbose { equations.len() } else { equations.len().min(SHORT) };
            for equation in &equations[..shown] {
                self.line(&format!("    {}", plain(equation)));
            }
            if shown < equations.len() {
                self.line(&format!("    … and {} more {MORE}", equations.len() - shown));
            }
        }
        if let Some(inputs) = condition.inputs.as_ref().filter(|inputs| **inputs != condition.text) {
            self.line(&match inputs.as_str() {
                "1" => "  No input of the program prevents it.".to_owned(),
                inputs => format!("  In terms of the program's inputs: {}", plain(inputs)),
            });
        }
        if flow.runs > 1 {
            let what = plain(&flow.from.what);
            self.line(&format!(
                "  It shows when two runs are compared that differ in `{what}` alone: what one does, the other does not."
            ));
        }
    }
    fn witness(&mut self, flow: &Flow, witness: &Witness) {
        if !witness.inputs.is_empty() {
            self.line("  For example, with these values:");
            let told = |input: &super::Input| match &input.other {
                Some(other) => {
                    format!("{} = {}, in the other run {}", plain(&input.name), plain(&input.value), plain(other))
                }
                None => format!("{} = {}", plain(&input.name), plain(&input.value)),
            };
            let rows: Vec<(String, String)> =
                witness.inputs.iter().map(|input| (told(input), place(&input.file, input.line))).collect();
            let shown = if self.options.verbose { rows.len() } else { rows.len().min(SHORT) };
            let width = rows[..shown].iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0).min(60);
            for (text, at) in &rows[..shown] {
                self.line(&format!("    {text:width$}   {at}"));
            }
            if shown < rows.len() {
                self.line(&format!("    … and {} more {MORE}", rows.len() - shown));
            }
        }
        if !witness.path.is_empty() {
            self.line("  How it gets there:");
            self.path(flow, &witness.path);
        }
    }
    fn path(&mut self, flow: &Flow, path: &[Step]) {
        let cut = !self.options.verbose && path.len() > 2 * ENDS + 1;
        let places: Vec<String> = path.iter().map(|step| place(&step.file, step.line)).collect();
        let width = places.iter().map(|at| at.chars().count()).max().unwrap_or(0).min(40);
        let mut function = "";
        for (index, step) in path.iter().enumerate() {
            if cut && (ENDS..path.len() - ENDS).contains(&index) {
                if index == ENDS {
                    self.line(&format!("       … {} steps between {MORE}", path.len() - 2 * ENDS));
                }
                continue;
            }
            let how = if index == 0 { "it begins with" } else { how(step.kind) };
            let mut line =
                format!("  {:>3}. {}   {how:26} {}", index + 1, pad(&places[index], width), plain(step.text.trim()));
            if step.function != function && !step.function.is_empty() {
                let _ = write!(line, "   [in {}]", plain(&step.function));
            }
            function = &step.function;
            if let Some(thread) = &step.thread {
                let _ = write!(line, "   [thread {}]", plain(thread));
            }
            if flow.runs > 1 {
                line.push_str(match step.run {
                    Run::A => "   [first run only]",
                    Run::B => "   [other run only]",
                    Run::Both => "",
                });
            }
            self.line(&line);
        }
    }
    /// A table: two places and a remark in each row.
    fn table(&mut self, rows: &[(String, String, String)], heads: (&str, &str, &str)) {
        let shown = if self.options.verbose { rows.len() } else { rows.len().min(SHORT) };
        let width = |column: fn(&(String, String, String)) -> &String, head: &str| {
            let widest = rows[..shown].iter().map(|row| column(row).chars().count()).max().unwrap_or(0);
            widest.min(50).max(head.chars().count())
        };
        let (first, second) = (width(|row| &row.0, heads.0), width(|row| &row.1, heads.1));
        self.line(&format!("  {}   {}   {}", pad(heads.0, first), pad(heads.1, second), heads.2));
        for (from, to, why) in &rows[..shown] {
            self.line(&format!("  {}   {}   {why}", pad(from, first), pad(to, second)));
        }
        if shown < rows.len() {
            self.line(&format!("  … and {} more {MORE}", rows.len() - shown));
        }
        self.line("");
    }
    fn impossible(&mut self) {
        let row = |flow: &Flow| (end(&flow.from), end(&flow.to), because(&flow.because));
        let rows: Vec<_> = self.of(Status::Infeasible).map(row).collect();
        if !rows.is_empty() {
            self.heading("Proved impossible:");
            self.table(&rows, ("from", "to", "because"));
        }
    }
    fn exceptions(&mut self) {
        let reason = |flow: &Flow| flow.reason.as_deref().map_or_else(String::new, plain);
        let rows: Vec<_> =
            self.of(Status::Declassified).map(|flow| (end(&flow.from), end(&flow.to), reason(flow))).collect();
        if !rows.is_empty() {
            self.heading("Allowed as exceptions:");
            self.table(&rows, ("from", "to", "reason"));
        }
    }
    fn baselined(&mut self) {
        let row = |flow: &Flow| (end(&flow.from), end(&flow.to), flow.id.clone());
        let rows: Vec<_> = self.report.flows.iter().filter(|flow| flow.baselined).map(row).collect();
        if !rows.is_empty() {
            self.heading("Known already, by the baseline:");
            self.table(&rows, ("from", "to", "id"));
        }
    }
    fn assumptions(&mut self) {
        let used = |index: &usize| self.report.flows.iter().any(|flow| flow.assumptions.contains(index));
        let all = 0..self.report.assumptions.len();
        let verbose = self.options.verbose;
        let wanted: Vec<usize> = all.clone().filter(|index| verbose || used(index)).collect();
        // Where no flow names one, the verdict as a whole may still rest on them.
        let wanted = if wanted.is_empty() { all.clone().collect() } else { wanted };
        if wanted.is_empty() {
            return;
        }
        self.heading("This rests on these assumptions:");
        let shown = if verbose { wanted.len() } else { wanted.len().min(SHORT) };
        for index in &wanted[..shown] {
            self.assumption(*index);
        }
        if shown < all.len() {
            self.line(&format!("  … and {} more {MORE}", all.len() - shown));
        }
        self.line("");
    }
    fn assumption(&mut self, index: usize) {
        let Some(Assumption { kind, text, file, line }) = self.report.assumptions.get(index) else { return };
        let at = if file.is_empty() { String::new() } else { format!(" ({})", place(file, *line)) };
        self.line(&format!("  {:>3}. {}{at} [{}]", index + 1, plain(text), plain(kind)));
    }
    fn statistics(&mut self) {
        self.heading("Size and time:");
        for line in figures::program(&self.report.statistics) {
            self.line(&line);
        }
        self.line("");
        let conditions = figures::conditions(&self.report.statistics.conditions);
        if !conditions.is_empty() {
            self.heading("What the conditions took:");
            for line in conditions {
                self.line(&line);
            }
            self.line("");
        }
    }
    fn verdict(&mut self) {
        let counts = self.report.counts;
        self.line(&counted(counts));
        let given = if self.report.assumptions.is_empty() { "" } else { ", if the assumptions hold" };
        let known = match counts.baselined {
            0 => String::new(),
            n => format!("; {n} known flow{} in the baseline", plural(n)),
        };
        let (word, style, rest) = match self.report.verdict {
            Verdict::Violated => {
                let n = counts.violation;
                (
                    "VIOLATED",
                    "1;31",
                    format!("{n} forbidden flow{} possible{known}.", if n == 1 { " is" } else { "s are" }),
                )
            }
            Verdict::Unknown => {
                let n = counts.unknown;
                ("UNKNOWN", "1;33", format!("no forbidden flow was found, but {n} could not be decided{known}."))
            }
            Verdict::Secure if counts.baselined > 0 => {
                ("SECURE", "1;32", format!("no new forbidden flow is possible{given}{known}."))
            }
            Verdict::Secure => ("SECURE", "1;32", format!("no forbidden flow is possible{given}.")),
        };
        let word = self.styled(word, style);
        self.line(&format!("{word}: {rest}"));
    }
}

/// What to say first of a flow of a policy.
fn headline(flow: &Flow) -> (Severity, String) {
    let (from, to) = (plain(&flow.from.domain), plain(&flow.to.domain));
    match flow.status {
        Status::Violation => {
            (Severity::Error, format!("information can get from `{from}` to `{to}`, which the policy forbids"))
        }
        Status::Unknown => {
            (Severity::Warning, format!("it is not known whether information can get from `{from}` to `{to}`"))
        }
        Status::Infeasible => (Severity::Note, format!("no information can get from `{from}` to `{to}` here")),
        Status::Declassified => (
            Severity::Note,
            format!("information gets from `{from}` to `{to}` only as an exception of the policy allows"),
        ),
    }
}

/// Ascending indices as numbers from 1: `1-3, 7`.
fn ranges(indices: &[usize]) -> String {
    let runs = indices.chunk_by(|a, b| a + 1 == *b);
    let shown = runs.map(|run| match run {
        [one] => (one + 1).to_string(),
        [one, two] => format!("{}, {}", one + 1, two + 1),
        more => format!("{}-{}", more[0] + 1, more[more.len() - 1] + 1),
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn counted(counts: Counts) -> String {
    let Counts { pairs, no_path, infeasible, declassified, baselined, violation, unknown } = counts;
    let parts: Vec<String> = [
        (violation, "possible"),
        (unknown, "not decided"),
        (infeasible, "proved impossible"),
        (declassified, "allowed as an exception"),
        (baselined, "in the baseline"),
        (no_path, "without any connection"),
    ]
    .iter()
    .filter(|(n, _)| *n > 0)
    .map(|(n, what)| format!("{n} {what}"))
    .collect();
    let pairs = format!("{pairs} forbidden pair{} of a source and a sink", plural(pairs));
    if parts.is_empty() { format!("{pairs}.") } else { format!("{pairs}: {}.", parts.join(", ")) }
}

/// Why a flow is impossible.
fn because(atoms: &[Atom]) -> String {
    let told = |atom: &Atom| format!("`{}` ({})", plain(&atom.text), place(&atom.file, atom.line));
    match atoms {
        [] => "no way from the one to the other can be taken".to_owned(),
        [one] => format!("{} never holds on the way", told(one)),
        [one, two] => format!("{} contradicts {}", told(one), told(two)),
        more => format!("these cannot hold together: {}", more.iter().map(told).collect::<Vec<_>>().join(", ")),
    }
}

fn how(kind: StepKind) -> &'static str {
    match kind {
        StepKind::Data => "the value is used in",
        StepKind::Control => "that decides whether to do",
        StepKind::Call => "it is passed to",
        StepKind::Return => "it comes back to",
        StepKind::Interference => "another thread sees it in",
    }
}

fn end(end: &End) -> String {
    format!("{}: {} ({})", plain(&end.domain), plain(&end.what), place(&end.file, end.line))
}

fn place(file: &str, line: u32) -> String {
    format!("{}:{line}", plain(file))
}

fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.chars().count())))
}

fn plural(n: usize) -> &'static str {
    if n == 1 { "" } else { "s" }
}
