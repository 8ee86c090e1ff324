//! flowcheck tells whether information can flow where it must not in a C program, and proves its answer.
//!
//! The modules in the order of the pipeline: each is a phase, a function from finished values to a finished value, and uses only
//! those above it.

pub mod base;
pub mod error;
pub mod source;
pub mod ir;
pub mod interp;
pub mod policy;
pub mod models;
pub mod threads;
pub mod pointsto;
pub mod sdg;
pub mod select;
pub mod chop;
pub mod intervals;
pub mod solve;
pub mod ranges;
pub mod pathcond;
pub mod witness;
pub mod report;
pub mod check;
pub mod config;
pub mod cli;

use base::progress::Progress;
use error::UserError;
use source::{Diagnostic, Severity, Sources};

/// What later phases need of a program.
#[derive(Debug)]
pub struct Analysed {
    /// What functions without a body do.
    pub models: models::Models,
    /// What pointers may point to.
    pub points_to: pointsto::PointsTo,
    /// What can influence what.
    pub sdg: sdg::Sdg,
    /// What all this rests on: the program's assumptions and those of the analysis, sorted by place.
    pub assumptions: Vec<ir::Assumption>,
}

/// A project that was read.
#[derive(Debug)]
pub struct Read {
    /// Its text, to show places.
    pub sources: Sources,
    /// What it means; `None` if there is an error among the diagnostics.
    pub program: Option<ir::Program>,
    /// Errors and warnings in the C source.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a C project: preprocesses, parses, lowers and links it.
pub fn read(request: &source::Request, options: &ir::Options, progress: &Progress) -> Result<Read, UserError> {
    let source::Loaded { sources, mut diagnostics } = source::load(request, progress)?;
    let lowered = ir::lower(&sources, options, progress);
    diagnostics.extend(lowered.diagnostics);
    let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    Ok(Read { sources, program: lowered.program.filter(|_| !failed), diagnostics })
}

/// Finds out what in a program, in SSA form, can influence what. `entry` are the functions where it starts, as the user names them.
pub fn analyse(
    sources: &Sources,
    program: &ir::Program,
    policy: &policy::Policy,
    entry: &[String],
    jobs: usize,
    progress: &Progress,
) -> Result<Analysed, UserError> {
    let choice = ir::link::Choice { entry: entry.to_vec() };
    let entries = ir::link::entries(program, &|unit| sources.units[unit].path.clone(), &choice)?;
    let models = models::Models::new(&policy.models);
    let threads = threads::beside(sources, program, policy)?;
    let phase = progress.phase("points-to", 0);
    let unknown = policy.analysis.unknown_functions;
    let options = pointsto::Options { entries: entries.clone(), unknown, threads: threads.clone() };
    let points_to = pointsto::solve(program, &models, &options);
    drop(phase);
    let phase = progress.phase("sdg", 0);
    let termination = match policy.analysis.termination {
        policy::Termination::Insensitive => sdg::control::Termination::Insensitive,
        policy::Termination::Sensitive => sdg::control::Termination::Sensitive,
    };
    let entries = entries.into_iter().chain(points_to.handed_out.iter().copied()).collect();
    let options = sdg::Options { entries, threads, termination, unknown, jobs };
    let sdg = sdg::build(program, &models, &points_to, &options);
    drop(phase);
    let mut assumptions = sdg::assumptions(program, &models, &points_to, &sdg, &options);
    assumptions.extend(program.assumptions.iter().cloned());
    assumptions.sort_by(|a, b| (a.place, a.kind, &a.text).cmp(&(b.place, b.kind, &b.text)));
    assumptions.dedup();
    Ok(Analysed { models, points_to, sdg, assumptions })
}
