//! `compile_commands.json`: which files a project compiles, and how.
//!
//! Invariant: its commands are never run. Of each, the compiler's name (if it is one) and the options listed in [`flags`] are used.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::NamedSource;
use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::files::{self, Exclude, Input, Kind};
use super::flags::{self, Tool};
use super::{Diagnostic, Request, general_warning};
use crate::error::UserError;

/// One entry as it stands in the file.
#[derive(Deserialize)]
struct Written {
    directory: Option<String>,
    file: String,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// One entry.
#[derive(Deserialize)]
#[serde(try_from = "Written")]
struct Entry {
    directory: Option<PathBuf>,
    file: PathBuf,
    words: Vec<String>,
}

impl TryFrom<Written> for Entry {
    type Error = String;
    fn try_from(written: Written) -> Result<Entry, String> {
        let words = match (written.arguments, written.command) {
            (Some(arguments), _) => arguments,
            (None, Some(command)) => {
                shlex::split(&command).ok_or_else(|| format!("the command for `{}` has an open quote", written.file))?
            }
            (None, None) => return Err(format!("neither `arguments` nor `command` is given for `{}`", written.file)),
        };
        Ok(Entry { directory: written.directory.map(PathBuf::from), file: written.file.into(), words })
    }
}

/// An entry with its places resolved.
struct Resolved {
    /// Where the compiler works.
    directory: PathBuf,
    /// The file, absolute.
    absolute: PathBuf,
    /// Its one name on this machine.
    canonical: PathBuf,
    entry: Entry,
}

/// The units that the request asks for, and warnings.
pub(super) fn find(
    path: &Path,
    request: &Request,
    exclude: &Exclude,
    cwd: &Path,
    default_cc: &[String],
) -> Result<(Vec<Input>, Vec<Diagnostic>), UserError> {
    let path = if path.is_dir() { path.join("compile_commands.json") } else { path.to_owned() };
    let folder = cwd.join(path.parent().unwrap_or(Path::new("")));
    let entries: Vec<Resolved> = read(&path)?.into_iter().map(|entry| resolve(entry, &folder)).collect();
    let selected = select(entries, request, &path)?;

    let mut chosen = Choice::default();
    for resolved in selected {
        let shown = files::shown(&resolved.absolute, cwd);
        if exclude.matches(&shown, resolved.absolute.strip_prefix(&folder).unwrap_or(&shown)) {
            continue;
        }
        chosen.take(resolved, shown, request, cwd, default_cc);
    }
    if chosen.inputs.is_empty() {
        return Err(UserError::usage(
            format!("`{}` has no C file to read", path.display()),
            "entries of other languages and those that `--exclude` takes out are not read",
        ));
    }
    let diagnostics = chosen.warnings(&path);
    Ok((chosen.inputs, diagnostics))
}

fn read(path: &Path) -> Result<Vec<Entry>, UserError> {
    let bytes = std::fs::read(path).map_err(|e| {
        UserError::usage(
            format!("`{}` cannot be read: {e}", path.display()),
            "CMake writes it with `-DCMAKE_EXPORT_COMPILE_COMMANDS=ON`; `bear -- make` does for other builds",
        )
    })?;
    let Ok(text) = String::from_utf8(bytes) else {
        return Err(UserError::usage(
            format!("`{}` is not UTF-8 text", path.display()),
            "JSON files are UTF-8; write the file again",
        ));
    };
    let json = text.strip_prefix('\u{feff}').unwrap_or(&text);
    serde_json::from_str(json).map_err(|e| {
        let at = offset(json, e.line(), e.column());
        // serde_json ends its message with the position, which is shown by other means.
        let label = e.to_string();
        let label = label.rsplit_once(" at line ").map_or(label.as_str(), |(text, _)| text).to_owned();
        UserError::InFile {
            message: format!("`{}` is not a compilation database", path.display()),
            source_code: Arc::new(NamedSource::new(path.display().to_string(), json.to_owned())),
            at: (at, usize::from(at < json.len())).into(),
            label,
            help: Some("it is a list of objects with `directory`, `file`, and `arguments` or `command`".to_owned()),
        }
    })
}

/// The byte at a line and column as `serde_json` counts them: from 1, a column of 0 before the first byte.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn resolve(entry: Entry, folder: &Path) -> Resolved {
    let directory = entry.directory.as_ref().map_or_else(|| folder.to_owned(), |d| folder.join(d));
    let absolute = files::normal(&directory.join(&entry.file));
    let canonical = absolute.canonicalize().unwrap_or_else(|_| absolute.clone());
    Resolved { directory, absolute, canonical, entry }
}

/// The entries that the paths beside the file ask for; all if there are none.
fn select(entries: Vec<Resolved>, request: &Request, path: &Path) -> Result<Vec<Resolved>, UserError> {
    if request.paths.is_empty() {
        return Ok(entries);
    }
    let mut wanted = Vec::new();
    for asked in &request.paths {
        let canonical = asked.canonicalize().map_err(|e| {
            UserError::usage(
                format!("`{}` cannot be read: {e}", asked.display()),
                "check the spelling; paths are relative to where the command runs",
            )
        })?;
        if !entries.iter().any(|e| e.canonical.starts_with(&canonical)) {
            return Err(UserError::usage(
                format!("`{}` selects no entry of `{}`", asked.display(), path.display()),
                "beside a compile_commands.json, paths select among its entries; without `-p`, they are read by themselves",
            ));
        }
        wanted.push(canonical);
    }
    Ok(entries.into_iter().filter(|e| wanted.iter().any(|w| e.canonical.starts_with(w))).collect())
}

/// What was made of the entries so far.
#[derive(Default)]
struct Choice {
    inputs: Vec<Input>,
    /// From a file's one name to its place in `inputs`, and how many other ways to compile it were skipped.
    by_file: FxHashMap<PathBuf, usize>,
    /// Per input, the other ways to compile it that were skipped.
    skipped: Vec<usize>,
    other_languages: Vec<PathBuf>,
    not_run: Vec<String>,
}

impl Choice {
    fn take(&mut self, resolved: Resolved, shown: PathBuf, request: &Request, cwd: &Path, default_cc: &[String]) {
        let words = &resolved.entry.words;
        let compiler = flags::compiler(words);
        let rest = compiler.map_or(&[][..], |(i, _)| &words[i + 1..]);
        let chosen = flags::choose(rest);
        let kind = match (chosen.language.as_deref(), files::kind(&resolved.absolute)) {
            (Some("c"), _) => Kind::C,
            (Some("cpp-output"), _) => Kind::Preprocessed,
            (Some("none") | None, kind) => kind,
            (Some(_), _) => Kind::Other,
        };
        let cxx = matches!(compiler, Some((_, Tool::Cxx))) && chosen.language.is_none();
        if kind == Kind::Other || cxx {
            self.other_languages.push(shown);
            return;
        }
        let cc = if !request.cc.is_empty() {
            request.cc.clone()
        } else if let Some((i, Tool::C)) = compiler
            && let Some(program) = runnable(&words[i])
        {
            vec![program]
        } else {
            let name = compiler.map_or("an empty command", |(i, _)| words[i].as_str());
            if !self.not_run.iter().any(|n| n == name) {
                self.not_run.push(name.to_owned());
            }
            default_cc.to_vec()
        };
        let mut flags = chosen.flags;
        flags.extend(flags::anchored(&request.flags, cwd));
        let input = Input {
            path: shown,
            argument: files::argument(&resolved.entry.file),
            preprocessed: kind == Kind::Preprocessed,
            directory: Some(resolved.directory),
            cc,
            flags,
        };
        match self.by_file.get(&resolved.canonical) {
            None => {
                self.by_file.insert(resolved.canonical, self.inputs.len());
                self.inputs.push(input);
                self.skipped.push(0);
            }
            Some(&first) if self.inputs[first].flags == input.flags && self.inputs[first].cc == input.cc => {}
            Some(&first) => self.skipped[first] += 1,
        }
    }

    fn warnings(&self, path: &Path) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        if let [first, rest @ ..] = &self.other_languages[..] {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            let first = first.display();
            warnings.push(
                general_warning(format!("files of `{}` that are not C are skipped: `{first}`{more}", path.display()))
                    .with_note("functions defined there are taken as unknown functions"),
            );
        }
        for name in &self.not_run {
            warnings.push(
                general_warning(format!(
                    "`{name}` in `{}` is not known as a C compiler and is not run",
                    path.display()
                ))
                .with_note("the default compiler preprocesses instead; name another one by `--cc`"),
            );
        }
        for (input, skipped) in self.inputs.iter().zip(&self.skipped).filter(|(_, n)| **n > 0) {
            warnings.push(
                general_warning(format!(
                    "`{}` is compiled with {} different sets of options; only the first is read, {skipped} skipped",
                    input.path.display(),
                    skipped + 1
                ))
                .with_note(format!("keep the entry that is meant in `{}`", path.display())),
            );
        }
        warnings
    }
}

/// The compiler to start for a name in the file: found in `PATH`, or absolute. A relative path is none: it would run whatever the
/// project brings.
fn runnable(program: &str) -> Option<String> {
    let path = Path::new(program);
    if path.is_absolute() && path.exists() {
        Some(program.to_owned())
    } else if path.is_absolute() || path.components().count() == 1 {
        // An absolute path of another machine: the same compiler may be in `PATH` here.
        path.file_name().and_then(|n| n.to_str()).map(str::to_owned)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(json: &str) -> Result<Vec<Entry>, UserError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("compile_commands.json");
        std::fs::write(&path, json).unwrap();
        read(&path)
    }

    fn failure(json: &str) -> (usize, String) {
        match entries(json) {
            Err(UserError::InFile { at, label, .. }) => (at.offset(), label),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("accepted"),
        }
    }

    #[test]
    fn arguments_and_commands_are_the_same() {
        let json = r#"[{"directory": "/b", "file": "a.c", "arguments": ["gcc", "-DX=\"a b\"", "a.c"]},
                       {"directory": "/b", "file": "a.c", "command": "gcc '-DX=\"a b\"' a.c", "output": "a.o"}]"#;
        let entries = entries(json).unwrap();
        assert_eq!(entries[0].words, ["gcc", "-DX=\"a b\"", "a.c"]);
        assert_eq!(entries[0].words, entries[1].words);
    }

    #[test]
    fn broken_files_are_shown_where_they_break() {
        let (at, _) = failure("[\n  {\"file\": \"a.c\", }\n]");
        assert_eq!(at, "[\n  {\"file\": \"a.c\", ".len());
        let (at, label) = failure("[\n  {\"file\": 5, \"command\": \"gcc\"}\n]");
        assert!(label.contains("invalid type"), "{label}");
        assert_eq!(at, "[\n  {\"file\": ".len());
        let (at, label) = failure("[\n  {\"file\": \"a.c\"}\n,{}]");
        assert!(label.contains("neither `arguments` nor `command`"), "{label}");
        assert!(at >= 4, "{at}");
        let (_, label) = failure("[{\"file\": \"a.c\", \"command\": \"gcc 'a\"}]");
        assert!(label.contains("open quote"), "{label}");
        assert_eq!(failure("").0, 0);
        assert!(failure("[{\"file\": \"ä").1.contains("EOF"));
    }

    #[test]
    fn only_compilers_from_path_or_with_an_absolute_path_are_run() {
        assert_eq!(runnable("gcc").as_deref(), Some("gcc"));
        assert_eq!(runnable("/no/such/folder/avr-gcc").as_deref(), Some("avr-gcc"));
        assert_eq!(runnable("./gcc"), None);
        assert_eq!(runnable("tools/gcc"), None);
    }
}
