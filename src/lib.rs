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
pub mod pointsto;
pub mod sdg;
pub mod chop;
pub mod intervals;
pub mod pathcond;
pub mod report;
pub mod solve;
pub mod config;
pub mod cli;

use base::progress::Progress;
use error::UserError;
use source::{Diagnostic, Severity, Sources};

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
