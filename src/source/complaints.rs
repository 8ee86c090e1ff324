//! What a preprocessor wrote on standard error, as diagnostics.
//!
//! gcc and clang write `file:line:column: error: message` (or `fatal error`), before it the chain of `In file included from`, and
//! after it the source line with a row of carets. Warnings are none of our business; whatever else is there is left out, unless
//! nothing at all is understood.

use std::path::{Path, PathBuf};

use super::files;
use super::{Diagnostic, Label, Location, Severity};

/// The errors in `stderr` of a compiler that worked in `directory` for the unit `unit`.
pub(super) fn parse(stderr: &str, unit: &Path, directory: Option<&Path>, cwd: &Path) -> Vec<Diagnostic> {
    let resolve = |name: &str| match directory {
        Some(directory) => files::shown(&directory.join(name), cwd),
        None => files::shown(Path::new(name), cwd),
    };
    let mut diagnostics = Vec::new();
    let mut chain: Vec<String> = Vec::new();
    let mut lines = stderr.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(included) = line.strip_prefix("In file included from ").or_else(|| {
            // Further links of gcc's chain.
            line.strip_prefix("                 from ")
        }) {
            let clean = included.trim_end_matches([',', ':']);
            chain.push(match position(clean) {
                Some((file, line, _)) => format!("{}:{line}", resolve(file).display()),
                None => clean.to_owned(),
            });
            continue;
        }
        let Some((before, message)) = line.split_once(": fatal error: ").or_else(|| line.split_once(": error: "))
        else {
            if line.contains(": warning: ") || line.contains(": note: ") {
                chain.clear();
            }
            continue;
        };
        let missing = missing_file(message);
        let mut diagnostic = Diagnostic {
            severity: Severity::Error,
            message: missing.map_or_else(|| message.to_owned(), |name| format!("the file `{name}` is not found")),
            labels: Vec::new(),
            notes: chain.drain(..).map(|at| format!("included from {at}")).collect(),
        };
        match position(before) {
            Some((file, line, column)) => {
                let width = std::iter::from_fn(|| lines.next_if(|l| is_excerpt(l))).find_map(carets).unwrap_or(1);
                let location = point(resolve(file), line, column, width, missing);
                diagnostic.labels.push((Label::Location(location), String::new()));
            }
            // `gcc: error: unrecognized command-line option`
            None => diagnostic.notes.push(format!("`{before}` said so while it preprocessed `{}`", unit.display())),
        }
        if missing.is_some() {
            diagnostic
                .notes
                .push("give its folder by `-I FOLDER`, or the project's compile_commands.json by `-p`".into());
        }
        diagnostics.push(diagnostic);
    }
    diagnostics
}

/// `file:12:5`, or `file:12`.
fn position(text: &str) -> Option<(&str, u32, Option<u32>)> {
    let (rest, last) = text.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => Some((file, line, Some(last))),
        None => Some((rest, last, None)),
    }
}

/// The header in gcc's and clang's message that it is missing.
fn missing_file(message: &str) -> Option<&str> {
    message
        .strip_suffix(": No such file or directory")
        .or_else(|| message.strip_prefix('\'')?.strip_suffix("' file not found"))
}

/// A line that shows the source, which no message starts with: blanks and a line number, or blanks and carets.
fn is_excerpt(line: &str) -> bool {
    line.starts_with(' ') && !line.starts_with("                 from ")
}

/// How long the row of carets is.
fn carets(line: &str) -> Option<u32> {
    let row = line.trim_start().trim_start_matches('|').trim();
    (row.starts_with('^') && row.bytes().all(|b| b == b'^' || b == b'~')).then_some(row.len() as u32)
}

fn point(file: PathBuf, line: u32, column: Option<u32>, width: u32, missing: Option<&str>) -> Location {
    let text = std::fs::read(&file).ok();
    let source = text.as_deref().and_then(|t| t.split(|b| *b == b'\n').nth(line.saturating_sub(1) as usize));
    // The name of a missing header is in the line; with its quotes if there is room for them.
    let found = missing.zip(source).and_then(|(name, source)| {
        let at = source.windows(name.len().max(1)).position(|w| w == name.as_bytes())?;
        let quotes = usize::from(at > 0 && at + name.len() < source.len());
        Some(((at - quotes + 1) as u32, (name.len() + 2 * quotes) as u32))
    });
    let (column, width) = found.unwrap_or_else(|| match (source, column) {
        (Some(source), Some(column)) => (byte_column(source, column), width),
        (_, column) => (column.unwrap_or(1), width),
    });
    Location { file, line, column, end_line: line, end_column: column + width }
}

/// gcc counts columns as they are displayed, a tab up to the next multiple of 8.
fn byte_column(line: &[u8], displayed: u32) -> u32 {
    let mut seen = 0;
    for (i, byte) in line.iter().enumerate() {
        match byte {
            // The later bytes of a character in UTF-8 take no room.
            0x80..=0xbf => {}
            _ if seen + 1 >= displayed => return i as u32 + 1,
            b'\t' => seen = (seen / 8 + 1) * 8,
            _ => seen += 1,
        }
    }
    (line.len() as u32 + 1).min(displayed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(stderr: &str) -> Vec<Diagnostic> {
        parse(stderr, Path::new("a.c"), None, Path::new("/w"))
    }
    fn location(d: &Diagnostic) -> &Location {
        match &d.labels[0].0 {
            Label::Location(l) => l,
            Label::Place(_) => panic!("a place"),
        }
    }

    #[test]
    fn gcc_is_understood() {
        let found = parsed(
            "In file included from no/b.h:3,\n                 from no/a.c:1:\n\
             no/c.h:2:10: fatal error: nope.h: No such file or directory\n    2 | #include \"nope.h\"\n      |          ^~~~~~~~\n\
             compilation terminated.\n",
        );
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].message, "the file `nope.h` is not found");
        let at = location(&found[0]);
        assert_eq!((at.file.as_path(), at.line, at.column, at.end_column), (Path::new("no/c.h"), 2, 10, 18));
        assert_eq!(found[0].notes[..2], ["included from no/b.h:3", "included from no/a.c:1"]);
        assert!(found[0].notes[2].contains("-I"));
    }

    #[test]
    fn several_errors_and_warnings_between_them() {
        let found = parsed(
            "no/a.c:1:2: error: #error one\nno/a.c:2:2: warning: #warning two [-Wcpp]\n    2 | #warning two\n\
             In file included from no/a.c:3:\nno/b.h:3:2: error: #error three\n",
        );
        let lines: Vec<_> = found.iter().map(|d| (d.message.as_str(), location(d).line)).collect();
        assert_eq!(lines, [("#error one", 1), ("#error three", 3)]);
        assert!(found[0].notes.is_empty());
        assert_eq!(found[1].notes, ["included from no/a.c:3"]);
    }

    #[test]
    fn clang_is_understood() {
        let found = parsed(
            "In file included from no/a.c:1:\nno/b.h:1:10: fatal error: 'x.h' file not found\n#include <x.h>\n         ^~~~~\n",
        );
        assert_eq!(found[0].message, "the file `x.h` is not found");
        assert_eq!(location(&found[0]).column, 10);
    }

    #[test]
    fn an_error_without_a_place_names_the_unit() {
        let found = parsed("gcc: error: unrecognized command-line option '-mfoo'\n");
        assert_eq!(found[0].message, "unrecognized command-line option '-mfoo'");
        assert!(found[0].labels.is_empty() && found[0].notes[0].contains("a.c"));
    }

    #[test]
    fn displayed_columns_become_bytes() {
        assert_eq!(byte_column(b"abc", 3), 3);
        assert_eq!(byte_column(b"\tabc", 9), 2);
        assert_eq!(byte_column(b"a\tbc", 9), 3);
        assert_eq!(byte_column("äb".as_bytes(), 2), 3);
        assert_eq!(byte_column(b"", 7), 1);
    }
}
