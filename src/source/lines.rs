//! The way back from a unit's text to the user's files.
//!
//! A place is an offset into the text after the pre-pass; [`OffsetMap`] leads to the preprocessor's output, the line markers there
//! (`# 12 "file"`: the next line is line 12 of that file) to the file and line, and the file on disk to the column
//! ([`columns`]).
//!
//! Cost: one pass to build; a look-up is two binary searches and an alignment of one line.

use std::ops::Range;
use std::path::{Path, PathBuf};

use rustc_hash::{FxHashMap, FxHashSet};

use super::columns;
use super::disk::{FileId, SourceFiles};
use super::files;
use super::prepass::OffsetMap;
use super::{Location, Place};

/// How many lines of the file are looked at for the rest of a macro's invocation.
const INVOCATION_LINES: usize = 64;

/// How many pieces of a line are put together again, in both directions.
const SIBLINGS: usize = 64;

/// The lines of a preprocessor's output and where they come from.
#[derive(Debug, Default)]
pub struct LineTable {
    /// The preprocessor's output.
    text: String,
    /// The first byte of each line of `text`.
    starts: Vec<u32>,
    /// Runs of lines that follow each other in one file, by first line.
    runs: Vec<Run>,
    /// What `Run::file` indexes.
    files: Vec<FileId>,
    /// From the text after the pre-pass.
    map: OffsetMap,
}

/// Lines of the output that follow each other in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    /// The first, from 0.
    first: u32,
    /// Index into the files.
    file: u32,
    /// Its number in that file.
    line: u32,
}

/// A table whose files have no ids yet: what can be made of each unit by itself.
#[derive(Debug)]
pub(super) struct Draft {
    table: LineTable,
    names: Vec<String>,
    /// The folder that names are relative to, if the output tells it (gcc's `# 1 "/folder//"`).
    folder: Option<String>,
}

impl Draft {
    /// Reads the line markers of a preprocessor's output. Lines before the first one are those of the file `own` itself.
    pub fn new(text: String, own: &Path) -> Draft {
        let mut names = vec![own.display().to_string()];
        // Without `own`, which is from where the command runs: the same name in a marker may be from elsewhere.
        let mut ids = FxHashMap::default();
        let mut folder = None;
        let mut runs = vec![Run { first: 0, file: 0, line: 1 }];
        let mut starts = Vec::with_capacity(text.len() / 32);
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            starts.push(start as u32);
            start += line.len();
            let Some((number, name)) = marker(line) else { continue };
            let file = match name {
                None => runs.last().map_or(0, |run: &Run| run.file),
                Some(name) if name.ends_with("//") => {
                    folder.get_or_insert(name);
                    continue;
                }
                Some(name) => *ids.entry(name).or_insert_with_key(|name| {
                    names.push(name.clone());
                    names.len() as u32 - 1
                }),
            };
            runs.push(Run { first: starts.len() as u32, file, line: number });
        }
        let table = LineTable { text, starts, runs, files: Vec::new(), map: OffsetMap::default() };
        Draft { table, names, folder }
    }

    /// The preprocessor's output.
    pub fn text(&self) -> &str {
        &self.table.text
    }

    /// The finished table; names of files are relative to `directory`.
    pub fn finish(
        mut self,
        files: &mut SourceFiles,
        directory: Option<&Path>,
        cwd: &Path,
        map: OffsetMap,
    ) -> LineTable {
        let folder = directory.map(Path::to_owned).or(self.folder.map(PathBuf::from));
        let resolve = |(i, name): (usize, String)| {
            let path = match &folder {
                // The first is the unit's own path, which is from here.
                Some(folder) if i > 0 && !name.starts_with('<') => files::shown(&folder.join(name), cwd),
                _ => files::shown(Path::new(&name), cwd),
            };
            files.intern(path)
        };
        self.table.files = self.names.into_iter().enumerate().map(resolve).collect();
        self.table.map = map;
        self.table
    }
}

/// `# 12 "file" 1 3` or `#line 12 "file"`: the number and, if there is one, the name.
fn marker(line: &str) -> Option<(u32, Option<String>)> {
    let rest = line.strip_prefix('#')?.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start_matches([' ', '\t']);
    let digits = rest.bytes().position(|b| !b.is_ascii_digit()).unwrap_or(rest.len());
    if digits == 0 {
        return None;
    }
    let number = rest[..digits].parse().unwrap_or(u32::MAX);
    Some((number, rest[digits..].trim_start().strip_prefix('"').map(unquoted)))
}

/// A quoted file name up to its closing quote; gcc writes some bytes in octal.
fn unquoted(text: &str) -> String {
    let mut name = Vec::new();
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => break,
            b'\\' => {
                let mut octal = None;
                for _ in 0..3 {
                    let Some(digit) = bytes.next_if(|b| (b'0'..=b'7').contains(b)) else { break };
                    octal = Some(octal.unwrap_or(0u8).wrapping_mul(8).wrapping_add(digit - b'0'));
                }
                name.extend(octal.or_else(|| bytes.next()));
            }
            byte => name.push(byte),
        }
    }
    String::from_utf8_lossy(&name).into_owned()
}

/// A place in the output, resolved but for its column.
#[derive(Clone, Copy)]
struct Point {
    /// Offset into the output.
    at: usize,
    /// The line of the output, from 0.
    row: usize,
    file: FileId,
    /// From 1.
    line: u32,
}

impl LineTable {
    /// The user's place.
    pub(super) fn locate(&self, place: Place, files: &SourceFiles) -> Location {
        self.locate_output(self.output_range(place), files)
    }

    fn output_range(&self, place: Place) -> Range<usize> {
        self.map.original(place.start) as usize..self.map.original(place.end) as usize
    }

    /// The user's place of a range of the output.
    pub(super) fn locate_output(&self, range: Range<usize>, files: &SourceFiles) -> Location {
        let range = self.trimmed(range);
        let Some(start) = self.point(range.start) else {
            return Location { file: PathBuf::new(), line: 1, column: 1, end_line: 1, end_column: 1 };
        };
        let end = self.point(range.end.saturating_sub(1).max(range.start)).unwrap_or(start);
        // What spans an #include ends, for the user, where it begins.
        let end = if end.file == start.file && end.line >= start.line { end } else { start };
        let (from, first) = self.column(start, files);
        let (to, last) = if end.at == start.at { (from, first.clone()) } else { self.column(end, files) };
        let (mut open, mut close) = ((from, first.token.start), (to, last.invocation.end));
        if close <= open {
            // A macro turned its arguments around.
            open = open.min((to, last.token.start));
            close = close.max((from, first.token.end));
        }
        Location {
            file: files.path(start.file).to_owned(),
            line: open.0,
            column: open.1 as u32 + 1,
            end_line: close.0,
            end_column: close.1 as u32 + 1,
        }
    }

    /// The line of the output that a place begins on, and the column range of the place in it: what there is to show if the file
    /// cannot be read.
    pub(super) fn output_line(&self, place: Place) -> (&str, Range<usize>) {
        let range = self.trimmed(self.output_range(place));
        let Some(point) = self.point(range.start) else { return ("", 0..0) };
        let row = self.row(point.row);
        let line = &self.text[row.clone()];
        let from = range.start.min(row.end) - row.start;
        (line, from..(range.end.min(row.end) - row.start).max(from))
    }

    /// Without blanks and line markers at both ends: spans of the parser often have them.
    fn trimmed(&self, range: Range<usize>) -> Range<usize> {
        let text = self.text.as_bytes();
        let mut end = range.end.min(text.len());
        let mut start = range.start.min(end);
        let is_marker = |row: usize| text.get(self.row(row).start) == Some(&b'#');
        while start < end {
            if text[start].is_ascii_whitespace() {
                start += 1;
            } else if text[start] == b'#' && is_marker(self.row_of(start)) {
                start = self.row(self.row_of(start)).end;
            } else {
                break;
            }
        }
        while start < end {
            let row = self.row_of(end - 1);
            if text[end - 1].is_ascii_whitespace() {
                end -= 1;
            } else if is_marker(row) && self.row(row).start > start {
                end = self.row(row).start;
            } else {
                break;
            }
        }
        if start < end { start..end } else { range.start.min(text.len())..range.start.min(text.len()) }
    }

    /// The files that lines come from, without headers of the system, in the order in which they are first named.
    pub(super) fn own_files(&self) -> Vec<FileId> {
        // gcc and clang mark the system's with the flag 3 after the name; also what a macro of the system's makes of a line of the user's, so a file is the
        // system's only if all of it is marked.
        let is_own = |run: &&Run| {
            let marker = (run.first as usize).checked_sub(1).map_or("", |row| &self.text[self.row(row)]);
            !marker.rsplit_once('"').is_some_and(|(_, flags)| flags.split_whitespace().any(|flag| flag == "3"))
        };
        let file = |run: &Run| self.files.get(run.file as usize).copied();
        let mut seen: FxHashSet<FileId> = FxHashSet::default();
        self.runs.iter().filter(is_own).filter_map(file).filter(|file| seen.insert(*file)).collect()
    }

    fn row_of(&self, at: usize) -> usize {
        self.starts.partition_point(|s| *s as usize <= at).saturating_sub(1)
    }

    /// The bytes of a line of the output, without its end.
    fn row(&self, row: usize) -> Range<usize> {
        let start = self.starts.get(row).map_or(self.text.len(), |s| *s as usize);
        match self.starts.get(row + 1) {
            Some(next) => start..*next as usize - 1,
            None => start..self.text.trim_end_matches('\n').len().max(start),
        }
    }

    fn point(&self, at: usize) -> Option<Point> {
        let row = self.row_of(at);
        let run = self.run(row)?;
        Some(Point { at, row, file: *self.files.get(run.file as usize)?, line: line_in(run, row) })
    }

    fn run(&self, row: usize) -> Option<Run> {
        let index = self.runs.partition_point(|run| run.first as usize <= row).checked_sub(1)?;
        self.runs.get(index).copied()
    }

    /// Where a point is in its file: the line (from 1) and the columns (from 0) of its token.
    fn column(&self, point: Point, files: &SourceFiles) -> (u32, columns::Found) {
        let row = self.row(point.row);
        let line = &self.text.as_bytes()[row.clone()];
        let at = point.at.saturating_sub(row.start);
        let exactly = |at: usize| columns::Found { token: at..at + 1, invocation: at..at + 1 };
        let index = point.line as usize - 1;
        let Some((file, original)) = files.text(point.file).and_then(|f| Some((f, f.bytes(index, index)?))) else {
            return (point.line, exactly(at));
        };
        // Most lines are the same in the file and in the output.
        let next = |text: &[u8]| text.get(at + 1).copied().is_some_and(columns::goes_on);
        if at <= columns::LONGEST && columns::same_prefix(line, original, at) && next(line) == next(original) {
            return (point.line, exactly(at));
        }
        let rows = self.siblings(point);
        let start = self.row(rows.start).start;
        let made = &self.text.as_bytes()[start..self.row(rows.end).end];
        let more = file.bytes(index, self.last_line(point, rows.end)).filter(|c| c.len() <= columns::LONGEST);
        let chunk = more.unwrap_or(original);
        let found = if made.len().max(chunk.len()) <= columns::LONGEST {
            columns::align(made, chunk, point.at.saturating_sub(start))
        } else {
            None
        };
        let Some(found) = found else {
            return (point.line, exactly(at.min(original.len().saturating_sub(1))));
        };
        // From offsets in the lines looked at to a line and columns.
        let ends = || chunk[..found.token.start].iter().enumerate().filter(|(_, b)| **b == b'\n').map(|(n, _)| n + 1);
        let (base, lines) = (ends().next_back().unwrap_or(0), ends().count() as u32);
        let length = chunk[base..].iter().position(|b| *b == b'\n').unwrap_or(chunk.len() - base);
        let local = |r: &Range<usize>| r.start.saturating_sub(base).min(length)..(r.end - base).min(length);
        (
            point.line.saturating_add(lines),
            columns::Found { token: local(&found.token), invocation: local(&found.invocation) },
        )
    }

    /// The first and the last row that come from the same line of the file: gcc breaks a line where a macro of a system header
    /// begins and ends.
    fn siblings(&self, point: Point) -> Range<usize> {
        let same = |row: usize, run: Run| {
            self.files.get(run.file as usize) == Some(&point.file) && line_in(run, row) == point.line
        };
        let here = self.runs.partition_point(|run| run.first as usize <= point.row).saturating_sub(1);
        let (mut first, mut last) = (point.row, point.row);
        for pair in self.runs[..=here].windows(2).rev().take(SIBLINGS) {
            // The last row before the marker that begins the later run.
            let before = (pair[1].first as usize).saturating_sub(2);
            if first != pair[1].first as usize || before < pair[0].first as usize || !same(before, pair[0]) {
                break;
            }
            first = before;
        }
        for run in self.runs[here + 1..].iter().take(SIBLINGS) {
            let row = run.first as usize;
            if last + 2 != row || !same(row, *run) {
                break;
            }
            last = row;
        }
        first..last
    }

    /// The last line (from 0) of the file that may hold what stands on the rows up to `last`: where the next row that is not
    /// blank begins.
    fn last_line(&self, point: Point, last: usize) -> usize {
        let index = point.line as usize - 1;
        for row in last + 1..(last + INVOCATION_LINES).min(self.starts.len()) {
            let text = self.text.as_bytes()[self.row(row)].trim_ascii();
            if text.is_empty() || text[0] == b'#' {
                continue;
            }
            return match self.run(row) {
                Some(run) if self.files.get(run.file as usize) == Some(&point.file) => {
                    (line_in(run, row) as usize).saturating_sub(1).clamp(index, index + INVOCATION_LINES)
                }
                _ => index,
            };
        }
        index
    }
}

/// The number of a row of a run in its file, from 1.
fn line_in(run: Run, row: usize) -> u32 {
    run.line.saturating_add((row - run.first as usize) as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::UnitId;

    fn table(text: &str) -> (LineTable, SourceFiles) {
        let mut files = SourceFiles::default();
        let draft = Draft::new(text.to_owned(), Path::new("u.i"));
        let table = draft.finish(&mut files, None, Path::new("/w"), OffsetMap::default());
        (table, files)
    }
    fn at(text: &str, what: &str) -> (String, u32, u32) {
        let (table, files) = table(text);
        let start = text.find(what).unwrap();
        let found = table.locate_output(start..start + what.len(), &files);
        (found.file.display().to_string(), found.line, found.column)
    }

    #[test]
    fn markers_number_the_next_line() {
        let text = "# 0 \"no/a.c\"\n# 1 \"no/b.h\" 1 3 4\nint b;\n\nint c;\n# 7 \"no/a.c\" 2\nint d;\n# 30\nint e;\n#line 4 \"no/x.y\"\nint f;";
        assert_eq!(at(text, "b;"), ("no/b.h".into(), 1, 5));
        assert_eq!(at(text, "c;"), ("no/b.h".into(), 3, 5));
        assert_eq!(at(text, "d;"), ("no/a.c".into(), 7, 5));
        assert_eq!(at(text, "e;"), ("no/a.c".into(), 30, 5));
        assert_eq!(at(text, "f;"), ("no/x.y".into(), 4, 5));
    }

    #[test]
    fn without_markers_the_file_itself_is_meant() {
        assert_eq!(at("int a;\n int b;\n", "int b"), ("u.i".into(), 2, 2));
        assert_eq!(at("#pragma pack(1)\n#define 5\nint a;\n", "int a"), ("u.i".into(), 3, 1));
    }

    #[test]
    fn blanks_and_markers_around_a_place_are_not_meant() {
        let text = "int a;\n\n# 20 \"no/a.c\"\n  x = 1;\n# 40 \"no/b.c\"\n\nint b;";
        let (table, files) = table(text);
        let range = text.find("\n\n").unwrap()..text.find("int b").unwrap();
        let found = table.locate_output(range, &files);
        assert_eq!(found, Location { file: "no/a.c".into(), line: 20, column: 3, end_line: 20, end_column: 9 });
    }

    #[test]
    fn several_lines_have_an_end() {
        let text = "# 5 \"no/a.c\"\nx = f(1,\n   2);\n";
        let (table, files) = table(text);
        let start = text.find('x').unwrap();
        let found = table.locate_output(start..text.len(), &files);
        assert_eq!(found, Location { file: "no/a.c".into(), line: 5, column: 1, end_line: 6, end_column: 7 });
    }

    #[test]
    fn names_are_unquoted_and_relative_to_the_folder_told() {
        assert_eq!(marker("# 3 \"a\\\"b\\\\c\\303\\244\" 2"), Some((3, Some("a\"b\\cä".into()))));
        assert_eq!(marker("# 99999999999 \"a\""), Some((u32::MAX, Some("a".into()))));
        assert_eq!(marker("#pragma x"), None);
        assert_eq!(marker("# "), None);
        let text = "# 0 \"a.c\"\n# 1 \"/w/sub//\"\n# 0 \"<built-in>\"\n# 1 \"a.c\"\nint a;";
        assert_eq!(at(text, "int a"), ("sub/a.c".into(), 1, 1));
    }

    #[test]
    fn any_offset_has_a_location() {
        let text = "# 4294967295 \"a\"\n\u{e9}\n\n# 0 \"<built-in>\"\nx\n# 1";
        let (table, files) = table(text);
        for start in 0..=text.len() + 2 {
            for end in start..=text.len() + 2 {
                table.locate_output(start..end, &files);
                let place = Place { unit: UnitId(0), start: start as u32, end: end as u32 };
                table.locate(place, &files);
                let (line, range) = table.output_line(place);
                assert!(range.end <= line.len());
            }
        }
        let empty = LineTable::default();
        assert_eq!(empty.locate_output(3..9, &files).line, 1);
    }
}
