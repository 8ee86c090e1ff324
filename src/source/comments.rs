//! The comments of the user's own files. The preprocessor removes them, so the files are read again as they are on disk; whether
//! code is left out by `#if` cannot be known here, and its comments are among those found.
//!
//! Cost: linear in the files.

use std::ops::Range;
use std::path::Path;

use rustc_hash::FxHashSet;

use super::disk::{FileId, FileText};
use super::{Location, Sources};

/// A comment, or comments of the `//` kind on lines that follow each other.
#[derive(Clone, Debug)]
pub struct Comment<'a> {
    /// The file.
    pub file: &'a Path,
    /// Its text line by line, without the marks of a comment.
    pub lines: Vec<CommentLine<'a>>,
    /// Whether no code stands on its first line.
    pub is_alone: bool,
    /// The first line after it, or beside its last line, that has code.
    pub next_code: Option<u32>,
}

/// A line of a comment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommentLine<'a> {
    /// What it says, without blanks and ornaments around it.
    pub text: &'a str,
    /// The line in the file, from 1.
    pub line: u32,
    /// Where `text` begins there, from 1, in bytes.
    pub column: u32,
}

impl CommentLine<'_> {
    /// The place of a part of `text`.
    pub fn locate(&self, file: &Path, part: Range<usize>) -> Location {
        Location {
            file: file.to_owned(),
            line: self.line,
            column: self.column + part.start as u32,
            end_line: self.line,
            end_column: self.column + part.end as u32,
        }
    }
}

/// The comments of all files of the project, without the system's headers, file by file in the order of the units.
pub fn comments(sources: &Sources) -> Vec<Comment<'_>> {
    let mut seen: FxHashSet<FileId> = FxHashSet::default();
    let mut found = Vec::new();
    for unit in &sources.units {
        for file in unit.lines.own_files() {
            if !seen.insert(file) {
                continue;
            }
            if let Some(text) = sources.files.text(file) {
                found.extend(in_file(sources.files.path(file), text));
            }
        }
    }
    found
}

/// What a scan finds: comments, and the lines with code.
struct Scan {
    /// The inside of each comment, and whether it is of the `//` kind.
    comments: Vec<(Range<usize>, bool)>,
    /// The lines (from 0) that have code, ascending.
    code: Vec<usize>,
}

fn in_file<'a>(path: &'a Path, text: &'a FileText) -> Vec<Comment<'a>> {
    let scan = scan(text);
    let has_code = |line: usize| scan.code.binary_search(&line).is_ok();
    let next_code = |line: usize| scan.code.get(scan.code.partition_point(|l| *l < line)).map(|line| *line as u32 + 1);
    let mut found: Vec<Comment<'a>> = Vec::new();
    let mut open = false;
    for (inside, is_line) in &scan.comments {
        let (first, last) = (text.line_of(inside.start), text.line_of(inside.end.max(inside.start + 1) - 1));
        let lines = (first..=last).filter_map(|line| comment_line(text, line, inside));
        let is_alone = !has_code(first);
        // Code may follow a comment on its last line.
        let after = next_code(if is_alone { last } else { last + 1 });
        match found.last_mut() {
            // The next line of `//` comments.
            Some(block)
                if open && *is_line && is_alone && block.lines.last().is_some_and(|l| l.line as usize == first) =>
            {
                block.lines.extend(lines);
                block.next_code = after;
            }
            _ => found.push(Comment { file: path, lines: lines.collect(), is_alone, next_code: after }),
        }
        open = *is_line;
    }
    found
}

/// The part of a comment on one line of the file (from 0).
fn comment_line<'a>(text: &'a FileText, line: usize, inside: &Range<usize>) -> Option<CommentLine<'a>> {
    let range = text.line_range(line)?;
    let (start, end) = (range.start.max(inside.start), range.end.min(inside.end));
    let piece = text.shown().get(start..end.max(start))?;
    // `/// x`, `//! x`, ` * x` and the like.
    let kept = piece.trim_start_matches([' ', '\t', '*', '/', '!', '<']);
    let column = start + (piece.len() - kept.len()) - range.start + 1;
    let kept = kept.trim_end().trim_end_matches('\\').trim_end();
    Some(CommentLine { text: kept, line: line as u32 + 1, column: column as u32 })
}

fn scan(file: &FileText) -> Scan {
    let text = file.shown().as_bytes();
    let mut scan = Scan { comments: Vec::new(), code: Vec::new() };
    let mut line = 0;
    let mut at = 0;
    // The end of a line that no backslash continues.
    let line_end = |mut at: usize| loop {
        match text[at..].iter().position(|b| *b == b'\n') {
            None => return text.len(),
            Some(length) => {
                let end = at + length;
                let before = text[..end].strip_suffix(b"\r").unwrap_or(&text[..end]);
                if before.last() != Some(&b'\\') {
                    return end;
                }
                at = end + 1;
            }
        }
    };
    while at < text.len() {
        match (text[at], text.get(at + 1)) {
            (b'\n', _) => {
                line += 1;
                at += 1;
            }
            (b'/', Some(b'/')) => {
                let end = line_end(at);
                scan.comments.push((at + 2..end, true));
                at = end;
                line = file.line_of(at);
            }
            (b'/', Some(b'*')) => {
                let length = text[at + 2..].windows(2).position(|pair| pair == b"*/");
                let end = length.map_or(text.len(), |length| at + 2 + length);
                scan.comments.push((at + 2..end, false));
                at = (end + 2).min(text.len());
                // A file may end inside the comment.
                line = file.line_of(at.max(1) - 1);
            }
            (byte, _) if byte.is_ascii_whitespace() => at += 1,
            (byte, _) => {
                if scan.code.last() != Some(&line) {
                    scan.code.push(line);
                }
                at = match byte {
                    b'"' | b'\'' => {
                        let end = literal_end(text, at);
                        let last = file.line_of(end - 1);
                        scan.code.extend(line + 1..=last);
                        line = last;
                        end
                    }
                    // A quote may separate digits.
                    b'0'..=b'9' => number_end(text, at),
                    _ if byte.is_ascii_alphabetic() || byte == b'_' => {
                        at + text[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count()
                    }
                    _ => at + 1,
                };
            }
        }
    }
    scan
}

/// After the closing quote; at the end of the line where there is none, as after an apostrophe in text that `#if` leaves out.
fn literal_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' if text[at + 1..].starts_with(b"\r\n") => at += 3,
            b'\\' => at += 2,
            _ if *byte == text[start] => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

fn number_end(text: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = text.get(at) {
        let separates = *byte == b'\'' && text.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !(byte.is_ascii_alphanumeric() || *byte == b'.' || *byte == b'_' || separates) {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{DataModel, of_texts};

    /// Line, alone, next line of code, and text of each comment's lines joined by `|`.
    fn found(text: &str) -> Vec<(u32, bool, Option<u32>, String)> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.c");
        std::fs::write(&path, text).unwrap();
        let unit = format!("# 1 \"{}\"\nint x;\n", path.display());
        let sources = of_texts(vec![("u.i".into(), unit.into_bytes())], DataModel::lp64()).sources;
        let texts = |c: &Comment<'_>| c.lines.iter().map(|l| l.text).collect::<Vec<_>>().join("|");
        comments(&sources).iter().map(|c| (c.lines[0].line, c.is_alone, c.next_code, texts(c))).collect()
    }

    #[test]
    fn comments_are_found_with_the_code_they_are_about() {
        assert_eq!(
            found("int a; // one\n\n  // two\n  // more\nint b;\n"),
            [(1, false, Some(5), "one".into()), (3, true, Some(5), "two|more".into())]
        );
        assert_eq!(
            found("/* a\n * b\n */ int x;\nint y; /* c */ int z;"),
            [(1, true, Some(3), "a|b|".into()), (4, false, None, "c".into())]
        );
        assert_eq!(found("// a\n\n// b\nint x;"), [(1, true, Some(4), "a".into()), (3, true, Some(4), "b".into())]);
        assert_eq!(
            found("// a\n/* b */\n// c"),
            [(1, true, None, "a".into()), (2, true, None, "b".into()), (3, true, None, "c".into())]
        );
        // A comment beside code and its next line are one block.
        assert_eq!(found("int a; // one\n// two\n"), [(1, false, None, "one|two".into())]);
    }

    #[test]
    fn what_looks_like_a_comment_in_code_is_none() {
        assert_eq!(found("char *s = \"// no\"; char c = '\"'; // yes\n")[0].3, "yes");
        assert_eq!(found("char *s = \"\\\"/* no\"; /* yes */")[0].3, "yes");
        assert_eq!(
            found("int n = 1'000'000; // yes\nint m; // it's\nint c = '\\''; // too")
                .iter()
                .map(|c| c.3.as_str())
                .collect::<Vec<_>>(),
            ["yes", "it's", "too"]
        );
        assert_eq!(found("#if 0\ndon't\n#endif\n// yes")[0].3, "yes");
        assert_eq!(found("char *s = \"a\\\n// no\"; // yes\n"), [(2, false, None, "yes".into())]);
        assert_eq!(found("char *s = \"a\\\r\n// no\"; // yes\n"), [(2, false, None, "yes".into())]);
    }

    #[test]
    fn a_backslash_continues_a_comment() {
        assert_eq!(found("// a \\\n b\nint x;"), [(1, true, Some(3), "a|b".into())]);
        assert_eq!(found("/* never closed\nint x;").len(), 1);
        assert_eq!(found("//").len(), 1);
        assert_eq!(found("").len(), 0);
    }

    #[test]
    fn places_are_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.c");
        std::fs::write(&path, "int a;\r\n\t/** [X] b */\r\n").unwrap();
        let unit = format!("# 1 \"{}\"\nint a;\n", path.display());
        let sources = of_texts(vec![("u.i".into(), unit.into_bytes())], DataModel::lp64()).sources;
        let comments = comments(&sources);
        let line = comments[0].lines[0];
        assert_eq!((line.text, line.line, line.column), ("[X] b", 2, 6));
        let at = line.locate(comments[0].file, 4..5);
        assert_eq!((at.line, at.column, at.end_column), (2, 10, 11));
    }

    #[test]
    fn headers_of_the_system_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.c", "own.h", "sys.h"] {
            std::fs::write(folder.path().join(name), format!("// {name}\n")).unwrap();
        }
        let path = |name: &str| folder.path().join(name).display().to_string();
        let unit = format!(
            "# 0 \"{a}\"\n# 0 \"<built-in>\"\n# 1 \"{a}\"\n# 1 \"{own}\" 1\nint o;\n# 1 \"{sys}\" 1 3 4\nint s;\n# 5 \"{own}\" 2\n# 9 \"{a}\" 2\n",
            a = path("a.c"),
            own = path("own.h"),
            sys = path("sys.h")
        );
        let sources = of_texts(vec![("u.i".into(), unit.into_bytes())], DataModel::lp64()).sources;
        let texts: Vec<&str> = comments(&sources).iter().map(|c| c.lines[0].text).collect();
        assert_eq!(texts, ["a.c", "own.h"]);
    }
}
