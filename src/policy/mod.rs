//! The policy, a TOML file, as plain data.
//!
//! What a policy says of the program is kept as patterns with their places in the file; finding what fits them is for those who
//! know the program. Comments in the C source say some of the same things ([`annotation`]).
//!
//! Invariant: the file is read once and every mistake in it is a [`UserError`] at its place; whoever has a [`Policy`] looks at no
//! text again. Paths lead from where the command runs, as those of the command line do.
//!
//! Cost: linear in the file.

pub mod adt;
pub mod annotation;
pub mod condition;
pub mod domain;
pub mod model;
pub mod pattern;
pub mod selector;
mod flow;
mod lexer;
mod place;
mod places;
mod tables;
mod toml;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use adt::Adt;
pub use domain::{DomainId, Domains};
pub use lexer::Integer;
pub use model::Model;
pub use place::{At, Origin, Span};
pub use selector::{Assume, Declassify, Selector, Thread};
use toml::{Table, Text};

use crate::error::UserError;
use crate::source;

/// The name of the file that is looked for where no policy is named.
pub const FILE_NAME: &str = "flowcheck.toml";

/// A policy.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Policy {
    /// What the report calls it; the file's name where it has none.
    pub name: String,
    /// Its file, to tell errors at their place there.
    pub origin: Origin,
    /// The domains, and which flows between them are allowed.
    pub domains: Domains,
    /// Sources and sinks, in the order of the file.
    pub selectors: Vec<Selector>,
    /// Reviewed exceptions.
    pub declassify: Vec<Declassify>,
    /// What is taken for granted.
    pub assume: Vec<Assume>,
    /// What functions do that the program does not define, or that are not to be looked into.
    pub models: Vec<Model>,
    /// Abstract data types.
    pub adts: Vec<Adt>,
    /// What runs beside the program.
    pub threads: Vec<Thread>,
    /// How to analyse.
    pub analysis: Analysis,
    /// How to read the program.
    pub build: Build,
}

/// `[analysis]`
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Analysis {
    /// Where the program starts: `NAME` or `FILE::NAME`. Empty: `main`, or in a library every externally visible function.
    pub entry: Vec<String>,
    /// What a signed overflow means.
    pub integer_overflow: Overflow,
    /// Whether running for ever is visible.
    pub termination: Termination,
    /// What a function does that is neither defined nor modelled.
    pub unknown_functions: UnknownFunctions,
    /// C files that are read beside the program's.
    pub stubs: Vec<PathBuf>,
}

/// What a signed overflow means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Overflow {
    /// It does not happen.
    #[default]
    Undefined,
    /// The result wraps around.
    Wrap,
}

/// Whether running for ever is visible.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Termination {
    /// It is not.
    #[default]
    Insensitive,
    /// It is.
    Sensitive,
}

/// What a function does that is neither defined nor modelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnknownFunctions {
    /// It reads and writes whatever its arguments reach.
    #[default]
    Arguments,
    /// Its result depends on its arguments, and it does nothing else.
    Pure,
    /// It reads and writes whatever its arguments reach, and all globals.
    Everything,
}

/// `[build]`
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Build {
    /// The compiler to preprocess with, in words.
    pub cc: Option<Vec<String>>,
    /// Options for it, as gcc writes them.
    pub flags: Vec<String>,
    /// Folders to look for headers in, after those of the command line.
    pub include: Vec<PathBuf>,
    /// A `compile_commands.json`, or the folder it is in.
    pub compile_commands: Option<PathBuf>,
    /// Globs of files not to read, as for `--exclude`.
    pub exclude: Vec<String>,
}

/// Reads a policy file.
pub fn read(path: &Path) -> Result<Policy, UserError> {
    let unreadable = |what: String| {
        let message = format!("the policy `{}` cannot be read: {what}", path.display());
        UserError::usage(message, "`--policy` names a TOML file; docs/POLICY.md describes it")
    };
    let bytes = std::fs::read(path).map_err(|e| unreadable(e.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text".to_owned()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let mut policy = parse(text, &path.display().to_string())?;
    if let Some(folder) = path.parent() {
        policy.move_to(folder);
    }
    Ok(policy)
}

/// The policy in a text; `name` is the file's, for messages. Its paths are as they stand.
pub fn parse(text: &str, name: &str) -> Result<Policy, UserError> {
    let text = Text { name, text };
    let document = text.parse()?;
    tables::policy(text, Table::new(text, "", &document, &tables::KEYS)?)
}

/// The `flowcheck.toml` next to a file or in a folder, or in the nearest folder above.
pub fn find(from: &Path) -> Option<PathBuf> {
    let cwd = std::env::current_dir().ok()?;
    let start = cwd.join(from);
    let start = start.canonicalize().unwrap_or(start);
    let found = start.ancestors().map(|folder| folder.join(FILE_NAME)).find(|file| file.is_file())?;
    let cwd = cwd.canonicalize().unwrap_or(cwd);
    Some(found.strip_prefix(&cwd).map(Path::to_owned).unwrap_or(found))
}

impl Policy {
    /// Makes paths that lead from `folder` lead from where the command runs.
    fn move_to(&mut self, folder: &Path) {
        let build = &mut self.build;
        for path in self.analysis.stubs.iter_mut().chain(&mut build.include).chain(&mut build.compile_commands) {
            *path = folder.join(&path);
        }
        build.flags = source::anchored(&build.flags, folder);
    }
}
