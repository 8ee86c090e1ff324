//! Shows diagnostics with the user's source lines.

use std::io;
use std::ops::Range;

use codespan_reporting::diagnostic as report;
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::termcolor::{Ansi, NoColor};
use codespan_reporting::term::{self, Chars, Config};

use super::disk::{FileId, FileText};
use super::{Diagnostic, Label, Location, Severity, Sources};

/// Longer lines are cut around what is meant.
const LONGEST: usize = 400;

/// Writes diagnostics in the order given, each with the source lines it is about.
pub fn render(sources: &Sources, diagnostics: &[Diagnostic], color: bool, out: &mut dyn io::Write) -> io::Result<()> {
    let config = Config { chars: Chars::ascii(), ..Config::default() };
    for diagnostic in diagnostics {
        let mut shown = Shown { sources, cuts: Vec::new() };
        let report = shown.report(diagnostic);
        let written = if color {
            term::emit_to_write_style(&mut Ansi::new(&mut *out), &config, &shown, &report)
        } else {
            term::emit_to_write_style(&mut NoColor::new(&mut *out), &config, &shown, &report)
        };
        written.map_err(|e| match e {
            Error::Io(e) => e,
            other => io::Error::other(other.to_string()),
        })?;
    }
    Ok(())
}

/// What a diagnostic quotes.
struct Shown<'a> {
    sources: &'a Sources,
    cuts: Vec<Cut>,
}

/// A line by itself: of a file that cannot be read, or part of a long one.
struct Cut {
    name: String,
    /// From 1.
    line: usize,
    /// How many bytes were cut off before it.
    before: usize,
    text: String,
}

/// What a label points into.
#[derive(Clone, Copy, PartialEq)]
enum Source {
    File(FileId),
    Cut(usize),
}

impl Shown<'_> {
    fn report(&mut self, diagnostic: &Diagnostic) -> report::Diagnostic<Source> {
        let severity = match diagnostic.severity {
            Severity::Error => report::Severity::Error,
            Severity::Warning => report::Severity::Warning,
        };
        let labels = diagnostic.labels.iter().enumerate().map(|(i, (label, remark))| {
            let (source, range) = self.quote(label);
            let style = if i == 0 { report::LabelStyle::Primary } else { report::LabelStyle::Secondary };
            report::Label::new(style, source, range).with_message(remark)
        });
        report::Diagnostic::new(severity)
            .with_message(&diagnostic.message)
            .with_labels(labels.collect())
            .with_notes(diagnostic.notes.iter().map(|note| format!("note: {note}")).collect())
    }

    fn quote(&mut self, label: &Label) -> (Source, Range<usize>) {
        let (location, output) = match label {
            Label::Place(place) => {
                (self.sources.locate(*place), self.sources.units[place.unit].lines.output_line(*place))
            }
            Label::Location(location) => (location.clone(), ("", 0..0)),
        };
        let file = self.sources.files.find(&location.file);
        let text = file.and_then(|id| Some((id, self.sources.files.text(id)?)));
        match text.and_then(|(id, text)| Some((id, text, range_in(text, &location)?))) {
            Some((id, text, range)) => {
                let first = text.line_of(range.start);
                let line = text.line_range(first).unwrap_or(0..0);
                if line.len() <= LONGEST {
                    return (Source::File(id), range);
                }
                let end = range.end.min(line.end) - line.start;
                self.cut(&location, &text.shown()[line.clone()], range.start - line.start..end)
            }
            // The columns of the location are those of the output if the file cannot be read.
            None => self.cut(&location, output.0, output.1),
        }
    }

    fn cut(&mut self, location: &Location, line: &str, range: Range<usize>) -> (Source, Range<usize>) {
        let boundary = |mut at: usize| {
            while !line.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let before = if line.len() <= LONGEST { 0 } else { boundary(range.start.saturating_sub(LONGEST / 4)) };
        let end = boundary((before + LONGEST).min(line.len()));
        let text = line[before..end].trim_end().replace(|c: char| c.is_control() && c != '\t', "?");
        let range = (range.start - before).min(text.len())..(range.end - before).min(text.len());
        let name = location.file.display().to_string();
        // Nothing to quote: the place alone is told.
        let before = if line.is_empty() { location.column as usize - 1 } else { before };
        self.cuts.push(Cut { name, line: location.line as usize, before, text });
        (Source::Cut(self.cuts.len() - 1), range)
    }

    fn file(&self, id: FileId) -> Result<&FileText, Error> {
        self.sources.files.text(id).ok_or(Error::FileMissing)
    }
}

/// The bytes of a location in its file, if the file has them.
fn range_in(text: &FileText, location: &Location) -> Option<Range<usize>> {
    let at = |line: u32, column: u32| {
        let range = text.line_range((line as usize).checked_sub(1)?)?;
        let mut at = (range.start + (column as usize).saturating_sub(1)).min(range.end);
        while !text.shown().is_char_boundary(at) {
            at -= 1;
        }
        Some(at)
    };
    let start = at(location.line, location.column)?;
    Some(start..at(location.end_line, location.end_column).unwrap_or(start).max(start))
}

impl<'a> Files<'a> for Shown<'a> {
    type FileId = Source;
    type Name = String;
    type Source = &'a str;

    fn name(&'a self, id: Source) -> Result<String, Error> {
        Ok(match id {
            Source::File(id) => self.sources.files.path(id).display().to_string(),
            Source::Cut(cut) => self.cuts[cut].name.clone(),
        })
    }
    fn source(&'a self, id: Source) -> Result<&'a str, Error> {
        Ok(match id {
            Source::File(id) => self.file(id)?.shown(),
            Source::Cut(cut) => &self.cuts[cut].text,
        })
    }
    fn line_index(&'a self, id: Source, at: usize) -> Result<usize, Error> {
        Ok(match id {
            Source::File(id) => self.file(id)?.line_of(at),
            Source::Cut(_) => 0,
        })
    }
    fn line_number(&'a self, id: Source, line: usize) -> Result<usize, Error> {
        Ok(match id {
            Source::File(_) => line + 1,
            Source::Cut(cut) => self.cuts[cut].line,
        })
    }
    // In bytes, as everywhere.
    fn column_number(&'a self, id: Source, line: usize, at: usize) -> Result<usize, Error> {
        Ok(match id {
            Source::File(_) => at - self.line_range(id, line)?.start + 1,
            Source::Cut(cut) => self.cuts[cut].before + at + 1,
        })
    }
    fn line_range(&'a self, id: Source, line: usize) -> Result<Range<usize>, Error> {
        match id {
            Source::File(id) => {
                let text = self.file(id)?;
                text.line_range(line).ok_or(Error::LineTooLarge { given: line, max: text.lines() })
            }
            Source::Cut(cut) => Ok(0..self.cuts[cut].text.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::source::{DataModel, Place, UnitId, of_texts};

    fn rendered(sources: &Sources, diagnostics: &[Diagnostic]) -> String {
        let mut out = Vec::new();
        render(sources, diagnostics, false, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }
    fn sources(text: String) -> Sources {
        of_texts(vec![("u.i".into(), text.into_bytes())], DataModel::lp64()).sources
    }
    fn place(sources: &Sources, what: &str) -> Place {
        let start = sources.units[UnitId(0)].text.find(what).unwrap();
        Place { unit: UnitId(0), start: start as u32, end: (start + what.len()) as u32 }
    }

    #[test]
    fn the_line_on_disk_is_quoted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.c");
        std::fs::write(&path, "int a;\nint   b = ONE;\r\n").unwrap();
        let sources = sources(format!("# 1 \"{}\"\nint a;\nint b = 1;\n", path.display()));
        let diagnostic = Diagnostic::error("wrong", place(&sources, "b = 1"))
            .with_label(place(&sources, "a;"), "first here")
            .with_note("do it right");
        let path = path.display();
        assert_eq!(
            rendered(&sources, &[diagnostic]),
            format!(
                "error: wrong\n  --> {path}:2:7\n  |\n1 | int a;\n  |     -- first here\n2 | int   b = ONE;\n  \
                 |       ^^^^^^^\n  |\n  = note: do it right\n\n"
            )
        );
    }

    #[test]
    fn without_the_file_the_preprocessed_line_is_quoted() {
        let sources = sources("# 41 \"no/such.c\"\nint a;\nint b = 1;\n".into());
        let text = rendered(&sources, &[Diagnostic::warning("odd", place(&sources, "b"))]);
        assert_eq!(text, "warning: odd\n   --> no/such.c:42:5\n   |\n42 | int b = 1;\n   |     ^\n\n");
    }

    #[test]
    fn without_a_place_only_the_message_is_shown() {
        let diagnostic =
            Diagnostic { severity: Severity::Error, message: "all wrong".into(), labels: vec![], notes: vec![] };
        assert_eq!(rendered(&sources(String::new()), &[diagnostic]), "error: all wrong\n\n");
    }

    #[test]
    fn an_unknown_file_is_still_named() {
        let location =
            Location { file: Path::new("no/such.h").into(), line: 3, column: 9, end_line: 3, end_column: 10 };
        let diagnostic = Diagnostic {
            severity: Severity::Error,
            message: "missing".into(),
            labels: vec![(Label::Location(location), String::new())],
            notes: vec![],
        };
        assert!(rendered(&sources(String::new()), &[diagnostic]).contains("no/such.h:3:9"));
    }

    #[test]
    fn long_lines_are_cut() {
        let long = format!("char *s = \"{}\"; int here = 0{};", "é".repeat(100_000), " + 1".repeat(10_000));
        let sources = sources(format!("# 5 \"no/such.c\"\n{long}\n"));
        let text = rendered(&sources, &[Diagnostic::error("wrong", place(&sources, "here"))]);
        assert!(text.contains(&format!("no/such.c:5:{}\n", long.find("here").unwrap() + 1)), "{text}");
        assert!(text.len() < 2000 && text.contains("here"), "{text}");
    }

    #[test]
    fn colors_are_escapes() {
        let sources = sources("int a;".into());
        let mut out = Vec::new();
        render(&sources, &[Diagnostic::error("wrong", place(&sources, "a"))], true, &mut out).unwrap();
        assert!(out.contains(&0x1b));
    }
}
