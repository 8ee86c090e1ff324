//! Places in the policy's text, kept with what was read there: what matches nothing is told at its place, long after reading.

use std::ops::Range;
use std::sync::Arc;

use super::toml::Text;
use crate::error::UserError;

/// A range of bytes, of the policy's text or of a piece of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// How many bytes it has.
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }
    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
    /// As a range, to index with.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
    /// The range from the start of this one to the end of another.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end.max(self.start) }
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span { start: range.start as u32, end: range.end.max(range.start) as u32 }
    }
}

/// A value, and where the policy says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct At<T> {
    /// What is said.
    pub value: T,
    /// Where.
    pub at: Span,
}

/// The file that a policy was read from: to tell later errors at their place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Origin {
    /// The file's name, as it is shown.
    pub name: String,
    text: Arc<str>,
}

impl Origin {
    pub(super) fn new(text: Text<'_>) -> Origin {
        Origin { name: text.name.to_owned(), text: text.text.into() }
    }
    /// An error at a place: what is wrong, a remark at the place, and what to do next (may be empty).
    pub fn error(&self, at: Span, message: &str, label: &str, help: &str) -> UserError {
        Text { name: &self.name, text: &self.text }.error(message, at.range(), label, help)
    }
    /// The place of a part of a text that stands at `whole`. Where the file spells the text in another way (with escapes, with
    /// blanks around it), all of it is meant.
    pub fn part(&self, whole: Span, text: &str, part: Span) -> Span {
        if self.text(whole) == text {
            Span { start: whole.start + part.start, end: whole.start + part.end }
        } else {
            whole
        }
    }
    /// The text at a place.
    pub fn text(&self, at: Span) -> &str {
        self.text.get(at.range()).unwrap_or("")
    }
    /// The line that a place begins on, from 1.
    pub fn line(&self, at: Span) -> u32 {
        self.text.get(..at.start as usize).map_or(1, |before| before.matches('\n').count() as u32 + 1)
    }
}

/// What is wrong with a text, and where in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Mistake {
    pub message: String,
    pub at: Range<usize>,
    pub help: String,
}

impl Mistake {
    pub fn new(message: impl Into<String>, at: Range<usize>, help: impl Into<String>) -> Mistake {
        Mistake { message: message.into(), at, help: help.into() }
    }
}

/// The range without blanks at its ends.
pub(super) fn trimmed(text: &str, at: Range<usize>) -> Range<usize> {
    let piece = &text[at.clone()];
    let start = at.start + (piece.len() - piece.trim_start().len());
    start..start + piece.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_errors_point_into_the_file() {
        let text = "a = 1\nb = \"x y\"\n";
        let origin = Origin::new(Text { name: "p.toml", text });
        let whole = Span { start: 11, end: 14 };
        let (message, shown) = match origin.error(whole, "matches nothing", "here", "") {
            UserError::InFile { message, at, .. } => (message, text[at.offset()..at.offset() + at.len()].to_owned()),
            error @ UserError::Usage { .. } => panic!("{error:?}"),
        };
        assert_eq!((message.as_str(), shown.as_str()), ("p.toml: matches nothing", "x y"));
        assert_eq!(origin.text(origin.part(whole, "x y", Span { start: 2, end: 3 })), "y");
        // Spelt otherwise in the file: the text is shown as a whole.
        assert_eq!(origin.part(whole, "xyz", Span { start: 0, end: 1 }), whole);
        assert_eq!((origin.line(Span { start: 0, end: 1 }), origin.line(whole)), (1, 2));
    }
}
