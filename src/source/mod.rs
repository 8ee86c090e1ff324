//! The user's C project: files, preprocessing, the pre-pass, parsing, and the way back to the user's file and line.
//!
//! Invariant: a compiler is only ever run as a preprocessor, and of a `compile_commands.json` only listed options reach it
//! (`flags.rs`). The text of a unit is what the compiler would see, and every place in it leads back to the user's file and line.

pub mod comments;
pub mod diagnostic;
pub mod model;
pub mod show;
mod bytes;
mod columns;
mod compile_commands;
mod complaints;
mod disk;
mod files;
mod flags;
mod lines;
mod load;
mod parse;
pub mod prepass;
mod preprocess;

use std::borrow::Cow;
use std::path::PathBuf;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use disk::{FileId, SourceFiles};
pub use flags::anchored;
pub use lines::LineTable;
pub use load::{load, of_texts};
pub use model::DataModel;
pub use parse::parse;

use crate::base::IdVec;
use crate::define_id;

define_id!(/// A translation unit.
    UnitId, "unit");

/// A range of a unit's text: where an instruction, a type or a variable comes from. [`Sources::locate`] leads back to the user's
/// file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The unit.
    pub unit: UnitId,
    /// First byte in [`Unit::text`].
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// A place in a file of the user.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Location {
    /// The file as the preprocessor names it, relative to where the command ran where possible.
    pub file: PathBuf,
    /// From 1.
    pub line: u32,
    /// From 1, in bytes.
    pub column: u32,
    /// The line where it ends.
    pub end_line: u32,
    /// The column after its last byte.
    pub end_column: u32,
}

/// What to read.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Files (`.c`, `.i`) and folders, as the user named them.
    pub paths: Vec<PathBuf>,
    /// A `compile_commands.json`, or the folder it is in.
    pub compile_commands: Option<PathBuf>,
    /// Globs of files not to read.
    pub exclude: Vec<String>,
    /// The compiler to preprocess with, in words (`["avr-gcc", "-mmcu=atmega328p"]`). Empty: `gcc`, else `cc`; or, for an entry of
    /// `compile_commands.json`, the compiler named there.
    pub cc: Vec<String>,
    /// Preprocessor options as gcc writes them (`-I`, `-D`, `-U`, `-include`, `-isystem`, `-std=`), in order.
    pub flags: Vec<String>,
    /// How many files are worked on at once.
    pub jobs: usize,
    /// Files that are read in addition, with `cc` and `flags`, whatever is excluded or in the `compile_commands.json`.
    pub stubs: Vec<PathBuf>,
}

/// What was read.
#[derive(Debug)]
pub struct Loaded {
    /// The units that could be preprocessed.
    pub sources: Sources,
    /// Errors and warnings; with an error among them the run cannot be made, but the units that are there are still looked at, so
    /// that all bad files are listed at once.
    pub diagnostics: Vec<Diagnostic>,
}

/// All translation units of a project, preprocessed and ready to parse.
#[derive(Debug)]
pub struct Sources {
    /// The units in the order given.
    pub units: IdVec<UnitId, Unit>,
    /// The target that all of them are for.
    pub model: DataModel,
    /// The files that they were made from.
    pub files: SourceFiles,
}

impl Sources {
    /// The user's file, line and column of a place.
    pub fn locate(&self, place: Place) -> Location {
        self.units[place.unit].lines.locate(place, &self.files)
    }
    /// The text at a place as it was parsed, without blanks around it, and without the line markers and pragmas that the preprocessor puts between its lines.
    pub fn text(&self, place: Place) -> Cow<'_, str> {
        let text = self.units[place.unit].text.get(place.start as usize..place.end as usize).unwrap_or("").trim();
        let is_marker = |line: &str| line.trim_start().starts_with('#');
        if !text.lines().any(is_marker) {
            return Cow::Borrowed(text);
        }
        let kept: Vec<&str> = text.lines().filter(|line| !is_marker(line)).collect();
        Cow::Owned(kept.join("\n").trim().to_owned())
    }
}

/// One translation unit.
#[derive(Debug, Default)]
pub struct Unit {
    /// The file, as the user named it.
    pub path: PathBuf,
    /// Preprocessed text after the pre-pass: what lang-c parses and places point into.
    pub text: String,
    /// What the pre-pass took out of the text.
    pub side: SideTable,
    /// The way back to the user's files.
    pub lines: LineTable,
}

/// An error that no place in the C source is to blame for.
fn general_error(message: String) -> Diagnostic {
    Diagnostic { severity: Severity::Error, message, labels: Vec::new(), notes: Vec::new() }
}

/// A warning about the project as a whole.
fn general_warning(message: String) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..general_error(message) }
}

/// Constructs that lang-c cannot parse and that could not be rewritten as marker identifiers. Sorted by offset into [`Unit::text`].
///
/// The markers in the text, which lowering knows:
/// - `a ?: b` is `a ? __fc_same : b`
/// - `&&label` is `__fc_label_address(label)`; `goto *e;` is `__fc_goto(e);`
/// - `__int128` is `long long long`
/// - `__auto_type` is `__typeof__(__fc_auto)`
/// - `__builtin_types_compatible_p(A, B)` is `__fc_types_compatible(sizeof(A), sizeof(B))`
/// - `__alignof__(expression)` is `__fc_alignof(expression)`
/// - `__real__ e` is `*(struct __fc_real *)e`, `__imag__ e` is `*(struct __fc_imag *)e`
/// - `enum e : T { … }` is `enum e { … } __attribute__((__fc_underlying(sizeof(T))))`
/// - Labels of `__label__` end with `__fc_` and a number; `$` and letters beyond ASCII are `__fc_u<hexadecimal>_`:
///   [`prepass::c_name`] is the name to show
/// - A parameter `T` that hides a type adds `sizeof(void(*)(int T));` to the start of the body; an empty `__attribute__(())` may stand
///   among specifiers. Neither means anything
/// - `(T){}` is `(T){0}`; C23's `true` is `((_Bool)1)`, `nullptr` is `((void *)0)`
/// - `__builtin_va_arg(ap, T)` stays, lang-c knows it; `__builtin_convertvector(v, T)` is `__fc_convertvector(v, sizeof(T))`
#[derive(Debug, Default)]
pub struct SideTable {
    /// `asm goto`: offset of the `asm` keyword, and the labels cut from the end of the statement.
    pub asm_goto: Vec<(u32, Vec<String>)>,
    /// `asm` at file scope: offset and template.
    pub top_asm: Vec<(u32, String)>,
    /// `#pragma pack`: from this offset on, members are aligned to at most so many bytes (`None`: no limit).
    pub pack: Vec<(u32, Option<u64>)>,
    /// `#pragma weak`: the symbols, each with what it is another name for.
    pub weak: Vec<(String, Option<String>)>,
}
