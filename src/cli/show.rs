//! A program that was read, as text: the phases' own printers, chosen by what the user asked for.

use std::io;

use super::{Loaded, Made};
use crate::config::{Format, Graph, GraphFormat, Verbosity};
use crate::error::UserError;
use crate::ir::{self, Assumption, FuncId, Program};
use crate::report::graph;
use crate::source::{self, Diagnostic, Severity, Sources};

/// A graph of the program.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Control flow.
    Cfg,
    /// Who calls whom.
    Calls,
}

/// The program, written out.
pub fn program(loaded: &Loaded<'_>, format: Format) -> Result<Made, UserError> {
    let Loaded { sources, program, .. } = loaded;
    let text = match format {
        Format::Text => ir::print::text(program, &|place| {
            let location = sources.locate(place);
            format!("{}:{}", location.file.display(), location.line)
        }),
        Format::Json => pretty(&ir::print::json(program, &|place| sources.locate(place))),
        Format::Sarif => return Err(no_sarif()),
    };
    Ok(Made::plain(text))
}

/// SARIF is for findings.
pub fn no_sarif() -> UserError {
    UserError::usage("a phase's result has no SARIF form", "--format text or --format json")
}

/// A graph of the program; of the function named (control flow) or from there on (calls) if one is.
pub fn graph(loaded: &Loaded<'_>, kind: Kind, wanted: &Graph) -> Result<String, UserError> {
    let Loaded { sources, program, .. } = loaded;
    let locate = |place| sources.locate(place);
    let chosen = wanted.function.as_deref().map(|name| find_functions(sources, program, name)).transpose()?;
    let graph = match kind {
        Kind::Cfg => graph::cfg(program, &chosen.unwrap_or_else(|| program.functions.ids().collect()), &locate),
        Kind::Calls => graph::callgraph(program, chosen.as_deref(), &locate),
    };
    drawn(&graph, wanted.format)
}

/// A graph in the form wanted.
pub fn drawn(graph: &graph::Graph, format: GraphFormat) -> Result<String, UserError> {
    Ok(match format {
        GraphFormat::Dot => graph::dot(graph),
        GraphFormat::Json => pretty(&graph::json(graph)),
        GraphFormat::Svg => graph::svg(graph)?,
    })
}

/// JSON for standard output.
pub fn pretty(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}

/// Tells the diagnostics on standard error; with `--quiet` only the errors.
pub fn diagnostics(sources: &Sources, all: &[Diagnostic], verbosity: Verbosity, color: bool) {
    let wanted = |d: &&Diagnostic| d.severity == Severity::Error || verbosity != Verbosity::Quiet;
    let told: Vec<Diagnostic> = all.iter().filter(wanted).cloned().collect();
    // A standard error that is closed has no reader to miss anything.
    let _ = source::show::render(sources, &told, color, &mut io::stderr().lock());
}

/// Tells on standard error what the result rests on.
pub fn assumptions(sources: &Sources, all: &[Assumption]) {
    for assumption in all {
        let at = assumption.place.map_or_else(String::new, |place| {
            let at = sources.locate(place);
            format!("{}:{}:{}: ", at.file.display(), at.line, at.column)
        });
        super::tell(&format!("assumption: {at}{}", assumption.text));
    }
}

/// Tells on standard error how much was read.
pub fn statistics(sources: &Sources, program: &Program, assumptions: &[Assumption]) {
    let count = program.statistics();
    for (what, number) in [
        ("files", sources.units.len()),
        ("lines", lines(sources)),
        ("functions", count.functions),
        ("blocks", count.blocks),
        ("instructions", count.instructions),
        ("assembly", count.assembly),
        ("stand-ins", count.stand_ins),
        ("assumptions", assumptions.len()),
    ] {
        tell_count(what, number);
    }
}

/// How many lines were read, without empty ones.
pub fn lines(sources: &Sources) -> usize {
    sources.units.iter().map(|unit| unit.text.lines().filter(|line| !line.trim().is_empty()).count()).sum()
}

/// Tells a number on standard error.
pub fn tell_count(what: &str, number: usize) {
    super::tell(&format!("{what:<12} {number:>9}"));
}

/// The defined functions that `NAME` or `FILE::NAME` means: several files may have a static one of that name.
pub fn find_functions(sources: &Sources, program: &Program, wanted: &str) -> Result<Vec<FuncId>, UserError> {
    let (file, name) = wanted.rsplit_once("::").map_or((None, wanted), |(file, name)| (Some(file), name));
    let fits = |id: &FuncId| {
        let function = &program.functions[*id];
        let in_file = || file.is_none_or(|file| sources.locate(function.place).file.ends_with(file));
        function.name == name && function.body.is_some() && in_file()
    };
    let found: Vec<FuncId> = program.functions.ids().filter(fits).collect();
    if found.is_empty() {
        let message = format!("no function `{wanted}` is defined in this program");
        return Err(UserError::usage(message, nearest(program, name)));
    }
    Ok(found)
}

/// Advice for a function's name that does not exist.
fn nearest(program: &Program, name: &str) -> String {
    let defined = program.functions.iter().filter(|f| f.body.is_some()).map(|f| f.name.as_str());
    match defined.min_by_key(|defined| strsim::damerau_levenshtein(defined, name)) {
        Some(near) if strsim::damerau_levenshtein(near, name) <= 3 => format!("did you mean `{near}`?"),
        Some(_) | None => "`flowcheck graph --kind callgraph` shows all functions".to_owned(),
    }
}
