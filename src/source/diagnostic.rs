//! Errors and warnings about the C source, as values; shown once, at the end, with the source line.

use super::{Location, Place};

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Severity {
    Error,
    Warning,
}

/// Where a label of a diagnostic points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Label {
    /// Into a translation unit.
    Place(Place),
    /// Directly into a file of the user (what the preprocessor reported).
    Location(Location),
}

/// An error or a warning in the C source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Where, the main place first, each with a remark (may be empty).
    pub labels: Vec<(Label, String)>,
    /// What to do next.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(message: impl Into<String>, place: Place) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            labels: vec![(Label::Place(place), String::new())],
            notes: Vec::new(),
        }
    }
    /// A warning at a place.
    pub fn warning(message: impl Into<String>, place: Place) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(message, place) }
    }
    /// With a second place.
    #[must_use]
    pub fn with_label(mut self, place: Place, remark: impl Into<String>) -> Diagnostic {
        self.labels.push((Label::Place(place), remark.into()));
        self
    }
    /// With advice.
    #[must_use]
    pub fn with_note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }
}
