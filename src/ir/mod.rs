//! From C to a typed SSA program.
//!
//! [`lower()`] parses each translation unit, lowers it ([`mod@lower`]), links the units ([`link`]), and brings every function
//! into SSA form ([`ssa`]). The result is a [`Program`], the only thing later phases read.
//!
//! Invariant: [`verify`] holds after each step; debug builds check it.

pub mod syntax;
pub mod visit;
pub mod types;
pub mod fold;
pub mod lower;
pub mod cfg;
pub mod link;
pub mod ssa;
pub mod verify;
pub mod print;

#[cfg(test)]
pub(crate) mod sample;

pub use syntax::*;
pub use types::*;
pub use visit::Statistics;

use crate::base::parallel;
use crate::base::progress::Progress;
use crate::source::{self, Diagnostic, Severity, Sources, UnitId};

/// Which form of the program is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    /// Variables in memory, as lowering leaves them.
    Lowered,
    /// Static single assignment: what the analysis works on.
    #[default]
    Ssa,
}

/// How to lower.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Entry points as the user names them: `NAME` or `FILE::NAME`.
    pub entry: Vec<String>,
    /// Functions that stay though nothing refers to them and no other file can: what the user names besides.
    pub keep: Vec<String>,
    /// The form wanted.
    pub form: Form,
    /// How many units are worked on at once.
    pub jobs: usize,
}

/// The outcome of lowering: a program, unless there is an error among the diagnostics.
#[derive(Debug)]
pub struct Lowered {
    /// The linked program.
    pub program: Option<Program>,
    /// Errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Lowers all units and links them. Every unit with an error is listed, not only the first.
pub fn lower(sources: &Sources, options: &Options, progress: &Progress) -> Lowered {
    let units: Vec<UnitId> = sources.units.ids().collect();
    let phase = progress.phase("read", units.len());
    let entries = options.entry.iter().map(|entry| entry.rsplit_once("::").map_or(entry.as_str(), |(_, name)| name));
    let keep: Vec<String> = entries.map(str::to_owned).chain(options.keep.iter().cloned()).collect();
    let lowered = parallel::map(&units, options.jobs, |_, id| {
        let result = lower_one(sources, *id, &keep);
        phase.step();
        result
    });
    drop(phase);
    let mut diagnostics = Vec::new();
    let mut programs = Vec::new();
    let mut failed = false;
    for (id, result) in units.into_iter().zip(lowered) {
        match result {
            Ok((program, warnings)) => {
                diagnostics.extend(warnings);
                programs.push((sources.units[id].path.clone(), program));
            }
            Err(errors) => {
                failed = true;
                diagnostics.extend(errors);
            }
        }
    }
    if failed {
        return Lowered { program: None, diagnostics };
    }
    let phase = progress.phase("link", 0);
    let linked = link::link(programs, &link::Choice { entry: options.entry.clone() });
    drop(phase);
    let mut program = match linked {
        Ok((program, warnings)) => {
            diagnostics.extend(warnings);
            program
        }
        Err(errors) => {
            diagnostics.extend(errors);
            return Lowered { program: None, diagnostics };
        }
    };
    debug_verify("linking", verify::lowered, &program);
    if options.form == Form::Ssa {
        let _phase = progress.phase("ssa", 0);
        ssa::construct(&mut program);
        debug_verify("SSA construction", verify::ssa, &program);
    }
    Lowered { program: Some(program), diagnostics }
}

/// Parses and lowers one unit; the syntax tree lives and dies on this thread, which has the stack for it.
fn lower_one(sources: &Sources, id: UnitId, keep: &[String]) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let unit = &sources.units[id];
    let ast = source::parse(unit, id).map_err(|d| vec![d])?;
    let (mut program, warnings) = lower::lower_unit(id, &unit.text, &unit.side, &sources.model, &ast, keep)?;
    debug_assert!(warnings.iter().all(|d| d.severity == Severity::Warning));
    for function in &mut program.functions {
        if let Some(body) = &mut function.body {
            cfg::clean(body);
        }
    }
    debug_verify("lowering", verify::lowered, &program);
    Ok((program, warnings))
}

fn debug_verify(phase: &str, check: impl Fn(&Program) -> Result<(), String>, program: &Program) {
    if cfg!(debug_assertions)
        && let Err(message) = check(program)
    {
        panic!("the program is not well-formed after {phase}: {message}");
    }
}
