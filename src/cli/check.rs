//! What decides flows: the check of a policy, and the condition of one flow.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use super::dependence::Ready;
use super::{Code, Loaded, Made, file, is_colored, not_built, show, tell};
use crate::base::parallel;
use crate::check::{self, End, Task};
use crate::chop::{self, Barriers};
use crate::config::{Check, Condition, Evaluation, Format, ListFormat, Point, ReportKind, Talk, Verbosity};
use crate::error::UserError;
use crate::policy::annotation::{self, Annotations};
use crate::policy::{FILE_NAME, Policy};
use crate::report::check::{Flow, Report, Statistics, TextOptions, condition_text, exit_code, text};
use crate::sdg::{NodeId, NodeSet};
use crate::select::{self, Role, View};
use crate::solve::z3::Interrupt;
use crate::source::{Place, Severity};
use crate::witness::{self, Decision, Limits, Question, Setting};

/// Whether all that is wanted exists already; told before the program is read.
pub fn is_built(wanted: &Check) -> Result<(), UserError> {
    if wanted.format == Format::Sarif {
        return Err(not_built("--format sarif"));
    }
    for report in &wanted.reports {
        match report.kind {
            ReportKind::Json => file::can_be_written(&report.path)?,
            ReportKind::Sarif => return Err(not_built("--report FILE.sarif")),
            ReportKind::Html => return Err(not_built("--report FILE.html")),
            ReportKind::Markdown => return Err(not_built("--report FILE.md")),
            ReportKind::Latex => return Err(not_built("--report FILE.tex")),
        }
    }
    if wanted.baseline.is_some() {
        return Err(not_built("--baseline"));
    }
    if wanted.confirm {
        return Err(not_built("--confirm"));
    }
    Ok(())
}

/// `flowcheck check`
pub fn check(loaded: &Loaded<'_>, wanted: &Check, talk: Talk, command: Vec<String>) -> Result<Option<Made>, UserError> {
    let Loaded { sources, settings, progress, .. } = loaded;
    let policy = &settings.policy;
    if settings.file.is_none() {
        return Err(UserError::usage(
            format!("there is no policy: none is named, and no {FILE_NAME} is next to the first PATH or above it"),
            "name one with `--policy FILE`; docs/POLICY.md describes it",
        ));
    }
    let (annotations, diagnostics) = annotation::read(sources, policy);
    show::diagnostics(sources, &diagnostics, talk.verbosity, is_colored(talk.color, &io::stderr()));
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Ok(None);
    }
    if talk.verbosity != Verbosity::Quiet {
        tell_unused(policy, &annotations);
        tell_limits(loaded);
    }
    let ready = Ready::new(loaded)?;
    let phase = progress.phase("select", 0);
    let selected = select::places(ready.view(), policy, &annotations)?;
    drop(phase);
    let arbitrary = check::arbitrary(ready.view(), &selected);
    let (setting, limits, stop) =
        (setting(&ready, loaded, &arbitrary), limits(loaded, wanted.evaluation), stopped_by_signals());
    let decide = |question: &Question<'_>| witness::decide(&setting, question, &limits, &stop);
    let task = Task {
        view: ready.view(),
        domains: &policy.domains,
        selected: &selected,
        assumptions: &ready.analysed.assumptions,
        jobs: settings.wanted.limits.jobs,
        timings: wanted.timings,
    };
    let checked = check::check(&task, &decide, progress);
    let mut statistics = statistics(loaded, &ready, wanted.timings);
    statistics.conditions = checked.conditions;
    let assumptions = check::assumptions(sources, &ready.analysed.assumptions);
    let report = Report::new(policy.name.clone(), command, checked.flows, checked.no_path, assumptions, statistics);
    for wanted in &wanted.reports {
        file::write(&wanted.path, report.json().as_bytes())?;
    }
    let shown = match wanted.format {
        Format::Json => report.json(),
        Format::Text | Format::Sarif => text(&report, options(talk), &|file, line| line_of(loaded, file, line)),
    };
    let counts = vec![("pairs", report.counts.pairs), ("flows", report.flows.len())];
    // What was stopped is no success, whatever `--fail-on` says.
    let was_stopped = report.flows.iter().any(|flow| flow.reason.as_deref() == Some(witness::STOPPED));
    let fails = was_stopped || exit_code(report.verdict, wanted.fail_on) != 0;
    let code = if fails { Code::Found } else { Code::Done };
    Ok(Some(Made { tells_all: wanted.format == Format::Text, code, ..ready.made(shown, counts) }))
}

/// `flowcheck condition`
pub fn condition(loaded: &Loaded<'_>, wanted: &Condition, talk: Talk) -> Result<Made, UserError> {
    if talk.verbosity != Verbosity::Quiet {
        tell_unused(&loaded.settings.policy, &Annotations::default());
        tell_limits(loaded);
    }
    let ready = Ready::new(loaded)?;
    let view = ready.view();
    let from = select::point(view, &wanted.chop.from, Role::Source)?;
    let to = select::point(view, &wanted.chop.to, Role::Sink)?;
    let via = wanted.via.iter().map(|point| through(view, point)).collect::<Result<Vec<_>, _>>()?;
    let avoid = wanted.avoid.iter().map(|point| through(view, point)).collect::<Result<Vec<_>, _>>()?;
    let barriers = Barriers::new(view.sdg, avoid.concat());
    let arbitrary = NodeSet::of(view.sdg.nodes().len(), from.iter().copied());
    let (setting, limits) = (setting(&ready, loaded, &arbitrary), limits(loaded, wanted.evaluation));
    let phase = loaded.progress.phase("decide", 0);
    let question = Question { from: &from, to: &to, values_only: false, barriers: &barriers, via: &via, merged: &[] };
    let reached = chop::slice::forward(view.sdg, &from, &barriers);
    let stop = stopped_by_signals();
    let decision = if to.iter().any(|node| reached.contains(*node)) {
        // On a thread of its own, for its stack is large.
        parallel::map(&[()], 1, |_, ()| witness::decide(&setting, &question, &limits, &stop)).remove(0)
    } else {
        Decision::plain(witness::Status::NoPath)
    };
    drop(phase);
    let names = [wanted.chop.from.to_string(), wanted.chop.to.to_string()];
    let ends = [
        End { domain: "from", what: &names[0], place: first_place(view, &from), nodes: &from },
        End { domain: "to", what: &names[1], place: first_place(view, &to), nodes: &to },
    ];
    let has_path = decision.status != witness::Status::NoPath;
    let took = decision.statistics;
    let was_stopped = decision.status == witness::Status::Unknown(witness::STOPPED.to_owned());
    let flow = check::one(view, &ready.analysed.assumptions, ends[0], ends[1], decision);
    let shown = match wanted.chop.format {
        ListFormat::Json => pretty(&flow),
        ListFormat::Text if !has_path => format!("no flow {}\n", asked(wanted)),
        ListFormat::Text => {
            let mut statistics = statistics(loaded, &ready, true);
            statistics.conditions = vec![check::statistics(&flow.id, &took, true)];
            let assumptions = check::assumptions(loaded.sources, &ready.analysed.assumptions);
            let report = Report::new(String::new(), Vec::new(), vec![flow], 0, assumptions, statistics);
            condition_text(&report, options(talk), &|file, line| line_of(loaded, file, line))
        }
    };
    let tells_all = wanted.chop.format == ListFormat::Text && has_path;
    let code = if was_stopped { Code::Found } else { Code::Done };
    Ok(Made { tells_all, code, ..ready.made(shown, Vec::new()) })
}

/// Set by Ctrl-C or a wish to terminate, for what is decided so far to be told. The second one ends at once.
fn stopped_by_signals() -> Interrupt {
    let stop = Interrupt::new();
    let set = stop.clone();
    let stops = move || {
        if set.is_stopped() {
            std::process::exit(Code::Failed as i32);
        }
        set.stop();
        tell("flowcheck: stopping; what is decided so far follows (once more to end at once)");
    };
    // Where signals cannot be handled, they end the program, as ever.
    let _ = ctrlc::set_handler(stops);
    stop
}

/// The question in words.
fn asked(wanted: &Condition) -> String {
    let mut words = format!("from {} to {}", wanted.chop.from, wanted.chop.to);
    for (word, points) in [("via", &wanted.via), ("avoiding", &wanted.avoid)] {
        for point in points {
            let _ = write!(words, " {word} {point}");
        }
    }
    words
}

/// JSON for standard output, with the members in the order of the documents.
fn pretty(flow: &Flow) -> String {
    let mut text = serde_json::to_string_pretty(flow).expect("plain data has a JSON form");
    text.push('\n');
    text
}

/// The nodes that a path through a point visits: of a call, what it is given as well as what it brings back.
fn through(view: View<'_>, point: &Point) -> Result<Vec<NodeId>, UserError> {
    let mut nodes = select::point(view, point, Role::Source)?;
    nodes.extend(select::point(view, point, Role::Sink)?);
    nodes.sort_unstable();
    nodes.dedup();
    Ok(nodes)
}

/// Where the first of some nodes is, by file and line; what is written in the program comes first.
fn first_place(view: View<'_>, nodes: &[NodeId]) -> Place {
    let place = |node: &NodeId| view.sdg.nodes()[*node].place;
    let first = nodes.iter().min_by_key(|node| (!view.is_written(**node), view.sources.locate(place(node))));
    place(first.expect("no selection is empty"))
}

fn setting<'a>(ready: &'a Ready<'_>, loaded: &'a Loaded<'_>, arbitrary: &'a NodeSet) -> Setting<'a> {
    let View { sources, program, points_to, sdg } = ready.view();
    Setting { sources, program, points_to, sdg, overflow: loaded.settings.policy.analysis.integer_overflow, arbitrary }
}

fn limits(loaded: &Loaded<'_>, evaluation: Evaluation) -> Limits {
    Limits { time: loaded.settings.wanted.limits.timeout, evaluation, ..Limits::default() }
}

fn options(talk: Talk) -> TextOptions {
    TextOptions { color: is_colored(talk.color, &io::stdout()), verbose: talk.verbosity == Verbosity::Verbose }
}

fn line_of(loaded: &Loaded<'_>, file: &str, line: u32) -> Option<String> {
    loaded.sources.files.line(Path::new(file), line).map(str::to_owned)
}

/// How large the program is, and how long the phases took so far.
fn statistics(loaded: &Loaded<'_>, ready: &Ready<'_>, timings: bool) -> Statistics {
    let (count, sdg) = (loaded.program.statistics(), &ready.analysed.sdg);
    let mut seconds: BTreeMap<String, f64> = BTreeMap::new();
    for (phase, took) in loaded.progress.timings().into_iter().filter(|_| timings) {
        *seconds.entry(phase).or_default() += took.as_secs_f64();
    }
    Statistics {
        lines: show::lines(loaded.sources),
        functions: count.functions,
        sdg_nodes: sdg.nodes().len(),
        sdg_edges: sdg.edge_count(),
        summary_edges: sdg.summaries().pairs(),
        stand_ins: count.stand_ins,
        seconds,
        conditions: Vec::new(),
    }
}

/// Tells what the policy says and the check does not use yet.
fn tell_unused(policy: &Policy, annotations: &Annotations) {
    let unused = [
        ("[[adt]]", !policy.adts.is_empty()),
        ("[[assume]]", !policy.assume.is_empty()),
        ("[XASSERT]", annotations.scopes.iter().next().is_some()),
    ];
    let words: Vec<&str> = unused.iter().filter(|(_, is_there)| *is_there).map(|(word, _)| *word).collect();
    if !words.is_empty() {
        tell(&format!(
            "warning: {} {} read and checked, but not used yet: flows that only they exclude are reported",
            words.join(" and "),
            if words.len() == 1 { "is" } else { "are" }
        ));
    }
}

/// Tells which limit does not hold yet.
fn tell_limits(loaded: &Loaded<'_>) {
    if loaded.settings.wanted.limits.memory.is_some() {
        tell("warning: --memory has no effect yet");
    }
}
