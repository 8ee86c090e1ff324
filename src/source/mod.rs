//! The user's C project: files, preprocessing, the pre-pass, parsing, and the way back to file:line:column.

pub mod diagnostic;
pub mod model;

use std::path::PathBuf;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use model::DataModel;

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

/// All translation units of a project, preprocessed and ready to parse.
#[derive(Debug)]
pub struct Sources {
    /// The units in the order given.
    pub units: IdVec<UnitId, Unit>,
    /// The target that all of them are for.
    pub model: DataModel,
}

/// One translation unit.
#[derive(Debug)]
pub struct Unit {
    /// The file, as the user named it.
    pub path: PathBuf,
    /// Preprocessed text after the pre-pass: what lang-c parses and places point into.
    pub text: String,
    /// What the pre-pass took out of the text.
    pub side: SideTable,
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
/// - `__builtin_va_arg(ap, T)` stays, lang-c knows it; `__builtin_convertvector(v, T)` is `__fc_convertvector(v, sizeof(T))`
#[derive(Debug, Default)]
pub struct SideTable {
    /// `asm goto`: offset of the `asm` keyword, and the labels cut from the end of the statement.
    pub asm_goto: Vec<(u32, Vec<String>)>,
    /// `asm` at file scope: offset and template.
    pub top_asm: Vec<(u32, String)>,
    /// `#pragma pack`: from this offset on, members are aligned to at most so many bytes (`None`: no limit).
    pub pack: Vec<(u32, Option<u64>)>,
}
