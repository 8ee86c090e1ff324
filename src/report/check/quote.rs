//! The C lines that a text report quotes.
//!
//! Invariant: what is quoted cannot disturb the terminal, and a line is cut around what is meant if it is too long to read.

use std::cell::RefCell;
use std::ops::Range;

use codespan_reporting::diagnostic::{Diagnostic, Label, LabelStyle, Severity};
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::termcolor::{Ansi, NoColor};
use codespan_reporting::term::{self, Chars, Config};
use rustc_hash::FxHashMap;

/// Longer lines are cut.
const LONGEST: usize = 200;

/// Tells the text of a line (from 1) of a file, if it can be read.
pub type Lines<'a> = &'a dyn Fn(&str, u32) -> Option<String>;

/// Lines from the files on disk, as paths lead to them from where the command runs; each file is read once.
pub fn lines_on_disk() -> impl Fn(&str, u32) -> Option<String> {
    let read: RefCell<FxHashMap<String, Option<Vec<String>>>> = RefCell::default();
    move |file, line| {
        let mut read = read.borrow_mut();
        let lines = read.entry(file.to_owned()).or_insert_with(|| {
            let is_file = std::fs::metadata(file).is_ok_and(|found| found.is_file());
            let bytes = is_file.then(|| std::fs::read(file).ok()).flatten()?;
            Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
        });
        lines.as_ref()?.get((line as usize).checked_sub(1)?).cloned()
    }
}

/// Text that cannot disturb the terminal: control characters are shown as `?`, and it is one line.
pub fn plain(text: &str) -> String {
    text.replace('\t', " ").replace(|c: char| c.is_control(), "?")
}

/// A place to show, and what to say there.
pub struct Quote<'a> {
    pub file: &'a str,
    pub line: u32,
    pub column: u32,
    pub remark: String,
}

/// A message with its places, the main one first.
pub fn render(
    severity: Severity,
    code: &str,
    message: &str,
    quotes: &[Quote<'_>],
    lines: Lines<'_>,
    color: bool,
) -> String {
    let mut view = View::default();
    // Lines of one file have to be in order.
    let mut order: Vec<&Quote<'_>> = quotes.iter().collect();
    order.sort_by_key(|quote| (quote.file, quote.line));
    for quote in order {
        view.add(quote, lines);
    }
    let label = |(i, quote): (usize, &Quote<'_>)| {
        let (file, range) = view.mark(quote);
        let style = if i == 0 { LabelStyle::Primary } else { LabelStyle::Secondary };
        Label::new(style, file, range).with_message(&quote.remark)
    };
    let labels = quotes.iter().enumerate().map(label).collect();
    let diagnostic = Diagnostic::new(severity).with_code(code).with_message(message).with_labels(labels);
    let config = Config { chars: Chars::ascii(), ..Config::default() };
    let mut out = Vec::new();
    let written = if color {
        term::emit_to_write_style(&mut Ansi::new(&mut out), &config, &view, &diagnostic)
    } else {
        term::emit_to_write_style(&mut NoColor::new(&mut out), &config, &view, &diagnostic)
    };
    debug_assert!(written.is_ok(), "{written:?}");
    String::from_utf8_lossy(&out).trim_end().to_owned() + "\n"
}

/// The quoted lines of all files. Between lines that do not follow each other there are two empty ones, so that a gap is shown.
#[derive(Default)]
struct View {
    files: Vec<Shown>,
}

struct Shown {
    name: String,
    text: String,
    lines: Vec<ShownLine>,
}

struct ShownLine {
    /// From 1; 0 for a gap.
    number: u32,
    /// Where it is in the text.
    range: Range<usize>,
    /// How many bytes were cut off before it.
    before: usize,
    /// Whether it could be read.
    is_read: bool,
}

impl View {
    fn add(&mut self, quote: &Quote<'_>, lines: Lines<'_>) {
        let index = self.files.iter().position(|file| file.name == quote.file).unwrap_or_else(|| {
            self.files.push(Shown { name: quote.file.to_owned(), text: String::new(), lines: Vec::new() });
            self.files.len() - 1
        });
        let file = &mut self.files[index];
        match file.lines.last() {
            Some(last) if last.number == quote.line => return,
            Some(last) if last.number + 1 < quote.line => {
                file.push(0, "", 0, false);
                file.push(0, "", 0, false);
            }
            Some(_) | None => {}
        }
        let Some(text) = lines(quote.file, quote.line) else {
            return file.push(quote.line, "", (quote.column as usize).saturating_sub(1), false);
        };
        let text = text.trim_end().replace(|c: char| c.is_control() && c != '\t', "?");
        let boundary = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let column = (quote.column as usize).saturating_sub(1).min(text.len());
        let before = if text.len() <= LONGEST { 0 } else { boundary(column.saturating_sub(LONGEST / 4)) };
        let end = boundary((before + LONGEST).min(text.len()));
        file.push(quote.line, &text[before..end], before, true);
    }
    /// The file and the bytes of the word at a place.
    fn mark(&self, quote: &Quote<'_>) -> (usize, Range<usize>) {
        let found = self.files.iter().enumerate().find_map(|(id, file)| {
            let line = file.lines.iter().find(|line| file.name == quote.file && line.number == quote.line)?;
            Some((id, file, line))
        });
        let Some((id, file, line)) = found else { return (0, 0..0) };
        let text = &file.text[line.range.clone()];
        let mut at = (quote.column as usize).saturating_sub(1 + line.before).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = text[at..].find(|c: char| !is_word(c)).unwrap_or(text.len() - at);
        let length = if word > 0 { word } else { text[at..].chars().next().map_or(0, char::len_utf8) };
        let start = line.range.start + if line.is_read { at } else { 0 };
        (id, start..start + length)
    }
}

impl Shown {
    fn push(&mut self, number: u32, text: &str, before: usize, is_read: bool) {
        let start = self.text.len();
        self.text.push_str(text);
        self.lines.push(ShownLine { number, range: start..self.text.len(), before, is_read });
        self.text.push('\n');
    }
}

impl<'a> Files<'a> for View {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<&'a str, Error> {
        self.files.get(id).map(|file| file.name.as_str()).ok_or(Error::FileMissing)
    }
    fn source(&'a self, id: usize) -> Result<&'a str, Error> {
        self.files.get(id).map(|file| file.text.as_str()).ok_or(Error::FileMissing)
    }
    fn line_index(&'a self, id: usize, at: usize) -> Result<usize, Error> {
        let lines = &self.files.get(id).ok_or(Error::FileMissing)?.lines;
        Ok(lines.partition_point(|line| line.range.start <= at).saturating_sub(1))
    }
    fn line_number(&'a self, id: usize, line: usize) -> Result<usize, Error> {
        Ok(self.line(id, line)?.number as usize)
    }
    // In bytes, as everywhere.
    fn column_number(&'a self, id: usize, line: usize, at: usize) -> Result<usize, Error> {
        let line = self.line(id, line)?;
        Ok(line.before + (at - line.range.start) + 1)
    }
    fn line_range(&'a self, id: usize, line: usize) -> Result<Range<usize>, Error> {
        let range = self.line(id, line)?.range.clone();
        Ok(range.start..range.end + 1)
    }
}

impl View {
    fn line(&self, id: usize, line: usize) -> Result<&ShownLine, Error> {
        let lines = &self.files.get(id).ok_or(Error::FileMissing)?.lines;
        lines.get(line).ok_or(Error::LineTooLarge { given: line, max: lines.len() })
    }
}
