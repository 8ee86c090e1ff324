//! Names, files and lines as a policy spells them: `main::p_ab`, `ui/*.c`, `scale.c:12-20`.
//!
//! Invariant: a pattern is well-formed once it is read; matching cannot fail.
//!
//! Cost: a name without glob characters is compared, a glob is compiled once.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use super::model::GLOB;
use super::place::{Mistake, trimmed};

const GLOB_HELP: &str = "`*` stands for any part of a name, `**` for any folders";

/// A name, or a glob of names.
#[derive(Clone)]
pub struct Pattern {
    text: String,
    glob: Option<GlobMatcher>,
}

impl Pattern {
    fn new(text: &str, at: Range<usize>) -> Result<Pattern, Mistake> {
        let glob = if text.contains(GLOB) { Some(compile(text, text, at)?) } else { None };
        Ok(Pattern { text: text.to_owned(), glob })
    }
    /// Whether it fits a name.
    pub fn matches(&self, name: &str) -> bool {
        self.glob.as_ref().map_or(self.text == name, |glob| glob.is_match(name))
    }
    /// As the policy spells it.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// Whether it may fit several names.
    pub fn is_glob(&self) -> bool {
        self.glob.is_some()
    }
}

/// A file by the end of its path, or a glob of such. A folder, spelt with `/` at its end, is all that is in it.
#[derive(Clone)]
pub struct FilePattern {
    text: String,
    glob: Option<GlobMatcher>,
}

impl FilePattern {
    fn new(text: &str, at: Range<usize>) -> Result<FilePattern, Mistake> {
        let plain = text.strip_prefix("./").unwrap_or(text);
        if plain.is_empty() || plain.trim() != plain {
            return Err(Mistake::new(
                format!("`{text}` is not a file"),
                at,
                "name a file by the end of its path: `ui/menu.c`",
            ));
        }
        let is_folder = plain.ends_with('/');
        let glob = if is_folder || plain.contains(GLOB) {
            let all = if is_folder { format!("{plain}**") } else { plain.to_owned() };
            // An absolute path is not the end of another.
            let below = if all.starts_with('/') || all.starts_with("**/") { all } else { format!("**/{all}") };
            Some(compile(&below, text, at)?)
        } else {
            None
        };
        Ok(FilePattern { text: text.to_owned(), glob })
    }
    /// Whether it fits a file's path.
    pub fn matches(&self, path: &Path) -> bool {
        match &self.glob {
            Some(glob) => glob.is_match(path),
            None => path.ends_with(self.text.strip_prefix("./").unwrap_or(&self.text)),
        }
    }
    /// As the policy spells it.
    pub fn text(&self) -> &str {
        &self.text
    }
    /// Whether it is meant to fit several files.
    pub fn is_glob(&self) -> bool {
        self.glob.is_some()
    }
}

/// Patterns are the same if they are spelt alike.
macro_rules! spelt {
    ($name:ident) => {
        impl PartialEq for $name {
            fn eq(&self, other: &$name) -> bool {
                self.text == other.text
            }
        }
        impl Eq for $name {}
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.text)
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}", self.text)
            }
        }
    };
}
spelt!(Pattern);
spelt!(FilePattern);

fn compile(glob: &str, spelt: &str, at: Range<usize>) -> Result<GlobMatcher, Mistake> {
    match GlobBuilder::new(glob).literal_separator(true).build() {
        Ok(glob) => Ok(glob.compile_matcher()),
        Err(error) => Err(Mistake::new(format!("`{spelt}` is not a glob: {}", error.kind()), at, GLOB_HELP)),
    }
}

/// `f` or `file.c::f`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionPattern {
    /// Only in these files.
    pub file: Option<FilePattern>,
    /// Its name.
    pub name: Pattern,
}

/// `g`, `func::v`, `file.c::v` or `file.c::func::v`, each with an optional `.field`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VariablePattern {
    /// Only in these files.
    pub file: Option<FilePattern>,
    /// A local variable of these functions; without, one of the whole program.
    pub function: Option<Pattern>,
    /// Its name.
    pub name: Pattern,
    /// A member of it, from the outside in.
    pub fields: Vec<Pattern>,
}

/// `session.master_secret`: a member of every object of a type
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldPattern {
    /// The tag of the structure or union, or the name of a type.
    pub record: Pattern,
    /// The member, from the outside in.
    pub fields: Vec<Pattern>,
}

/// `func::p` or `file.c::func::p`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParameterPattern {
    /// Only in these files.
    pub file: Option<FilePattern>,
    /// Of these functions.
    pub function: Pattern,
    /// Its name.
    pub name: Pattern,
}

/// `scale.c:12` or `scale.c:12-20`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinePattern {
    /// The file; one that fits two files is an error.
    pub file: FilePattern,
    /// The first line, from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

impl LinePattern {
    /// Whether it fits a line of a file.
    pub fn matches(&self, path: &Path, line: u32) -> bool {
        (self.first..=self.last).contains(&line) && self.file.matches(path)
    }
}

/// What a region leaves out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exception {
    /// Files, spelt with a `.` or a `/`.
    File(FilePattern),
    /// Functions.
    Function(FunctionPattern),
}

/// A piece of a text, with its place there.
type Piece<'a> = (&'a str, Range<usize>);

/// The parts between `::`.
fn scopes(text: &str) -> Vec<Piece<'_>> {
    pieces(text, 0..text.len(), "::")
}

fn pieces<'t>(text: &'t str, at: Range<usize>, separator: &str) -> Vec<Piece<'t>> {
    let mut start = at.start;
    let piece = |piece: &'t str| {
        let range = trimmed(text, start..start + piece.len());
        start += piece.len() + separator.len();
        (&text[range.clone()], range)
    };
    text[at].split(separator).map(piece).collect()
}

/// Files have an ending or a folder, names in C have neither.
fn is_file(part: &str) -> bool {
    part.contains(['.', '/'])
}

/// A name of C or a glob of such; `what` is it for messages.
fn name((text, at): Piece<'_>, what: &str, whole: &str) -> Result<Pattern, Mistake> {
    let fits = |c: char| c.is_alphanumeric() || c == '_' || c == '$' || GLOB.contains(&c) || "]}!,-^".contains(c);
    let plain = !text.contains(GLOB);
    let stray = |c: char| !fits(c) || plain && "]}!,-^".contains(c);
    if text.is_empty() || text.contains(stray) || text.starts_with(|c: char| c.is_ascii_digit()) {
        let at = if text.is_empty() { 0..whole.len() } else { at };
        let message =
            if text.is_empty() { format!("{what} is missing") } else { format!("`{text}` is not the name of {what}") };
        let help = "write the name alone, as `NAME`, `FUNCTION::NAME` or `FILE::NAME`; names may be globs";
        return Err(Mistake::new(message, at, help));
    }
    Pattern::new(text, at)
}

/// A name as it stands, or a glob.
pub(super) fn plain(text: &str) -> Result<Pattern, Mistake> {
    Pattern::new(text, 0..text.len())
}

/// `f`, `file.c::f`
pub(super) fn function(text: &str) -> Result<FunctionPattern, Mistake> {
    match &scopes(text)[..] {
        [last] => Ok(FunctionPattern { file: None, name: name(last.clone(), "a function", text)? }),
        [(file, at), last] => Ok(FunctionPattern {
            file: Some(FilePattern::new(file, at.clone())?),
            name: name(last.clone(), "a function", text)?,
        }),
        _ => Err(too_deep(text, "write `FUNCTION` or `FILE::FUNCTION`")),
    }
}

/// `g`, `func::v`, `file.c::v`, `file.c::func::v`, with `.field`
pub(super) fn variable(text: &str) -> Result<VariablePattern, Mistake> {
    let mut scopes = scopes(text);
    let (_, at) = scopes.pop().unwrap_or((text, 0..text.len()));
    let mut members = pieces(text, at, ".").into_iter();
    let own = name(members.next().unwrap_or((text, 0..text.len())), "a variable", text)?;
    let fields = members.map(|member| name(member, "a member", text)).collect::<Result<_, _>>()?;
    let (file, function) = scope(text, scopes)?;
    Ok(VariablePattern { file, function, name: own, fields })
}

/// What stands before the last `::`.
fn scope(text: &str, scopes: Vec<Piece<'_>>) -> Result<(Option<FilePattern>, Option<Pattern>), Mistake> {
    let mut scopes = scopes.into_iter();
    Ok(match (scopes.next(), scopes.next(), scopes.next()) {
        (None, ..) => (None, None),
        (Some((file, at)), None, _) if is_file(file) => (Some(FilePattern::new(file, at)?), None),
        (Some(function), None, _) => (None, Some(name(function, "a function", text)?)),
        (Some((file, at)), Some(function), None) => {
            (Some(FilePattern::new(file, at)?), Some(name(function, "a function", text)?))
        }
        (Some(_), Some(_), Some(_)) => return Err(too_deep(text, "write `FILE::FUNCTION::NAME` at most")),
    })
}

/// `session.master_secret`
pub(super) fn field(text: &str) -> Result<FieldPattern, Mistake> {
    // `struct session.x` is how C would say it.
    let keyword = ["struct ", "union "].iter().find(|word| text.starts_with(**word)).map_or(0, |word| word.len());
    let mut members = pieces(text, keyword..text.len(), ".").into_iter();
    let record = name(members.next().unwrap_or((text, 0..text.len())), "a type", text)?;
    let fields: Vec<Pattern> = members.map(|member| name(member, "a member", text)).collect::<Result<_, _>>()?;
    if fields.is_empty() {
        let help = "write `TYPE.MEMBER`, as in `session.master_secret`";
        return Err(Mistake::new("the member is missing", 0..text.len(), help));
    }
    Ok(FieldPattern { record, fields })
}

/// `func::p`, `file.c::func::p`
pub(super) fn parameter(text: &str) -> Result<ParameterPattern, Mistake> {
    let mut scopes = scopes(text);
    let own = name(scopes.pop().unwrap_or((text, 0..text.len())), "a parameter", text)?;
    match scope(text, scopes)? {
        (file, Some(function)) => Ok(ParameterPattern { file, function, name: own }),
        (_, None) => Err(Mistake::new("the function is missing", 0..text.len(), "write `FUNCTION::PARAMETER`")),
    }
}

/// A file, or a glob of files.
pub(super) fn file(text: &str) -> Result<FilePattern, Mistake> {
    FilePattern::new(text, 0..text.len())
}

/// `scale.c:12`, `scale.c:12-20`
pub(super) fn lines(text: &str) -> Result<LinePattern, Mistake> {
    let help = "write `FILE:LINE` or `FILE:FIRST-LAST`, as in `scale.c:12-20`";
    let Some((path, lines)) = text.rsplit_once(':') else {
        return Err(Mistake::new("the line is missing", 0..text.len(), help));
    };
    let from = path.len() + 1;
    let file = FilePattern::new(path, 0..path.len())?;
    let number = |(digits, at): Piece<'_>| match digits.parse::<u32>() {
        Ok(line) if line > 0 && digits.bytes().all(|b| b.is_ascii_digit()) => Ok(line),
        Ok(0) => Err(Mistake::new("there is no line 0", at, "lines are counted from 1")),
        Ok(_) | Err(_) => {
            let at = if at.is_empty() { 0..text.len() } else { at };
            Err(Mistake::new(format!("`{digits}` is not a line"), at, help))
        }
    };
    let mut numbers = pieces(text, from..text.len(), "-").into_iter().map(number);
    let first = numbers.next().unwrap_or(Ok(1))?;
    let last = numbers.next().unwrap_or(Ok(first))?;
    if numbers.next().is_some() {
        return Err(Mistake::new(format!("`{lines}` is not a range of lines"), from..text.len(), help));
    }
    if last < first {
        let help = format!("the first line comes first: `{path}:{last}-{first}`");
        return Err(Mistake::new("this range of lines is empty", from..text.len(), help));
    }
    Ok(LinePattern { file, first, last })
}

/// What a region leaves out.
pub(super) fn exception(text: &str) -> Result<Exception, Mistake> {
    let by_scope = text.contains("::");
    if is_file(text) && !by_scope { file(text).map(Exception::File) } else { function(text).map(Exception::Function) }
}

fn too_deep(text: &str, help: &str) -> Mistake {
    Mistake::new(format!("`{text}` has too many `::`"), 0..text.len(), help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_match_by_the_end_of_their_path() {
        let matches = |pattern: &str, path: &str| file(pattern).unwrap().matches(Path::new(path));
        assert!(
            matches("scale.c", "src/scale.c") && matches("scale.c", "scale.c") && matches("./scale.c", "src/scale.c")
        );
        assert!(!matches("scale.c", "src/autoscale.c") && !matches("src/scale.c", "scale.c"));
        assert!(matches("ui/*.c", "src/ui/menu.c") && matches("ui/*.c", "ui/menu.c") && matches("*.c", "a/b/c.c"));
        assert!(!matches("ui/*.c", "ui/deep/menu.c") && !matches("ui/*.c", "gui/menu.c"));
        assert!(matches("ui/**", "src/ui/deep/menu.c") && matches("**/menu.c", "menu.c"));
        assert!(matches("ui/", "src/ui/deep/menu.c") && !matches("ui/", "ui.c"));
        assert!(matches("/abs/*.c", "/abs/a.c") && !matches("/abs/*.c", "x/abs/a.c"));
    }

    #[test]
    fn names_are_taken_apart() {
        let v = variable("file.c::func::v.a.b*").unwrap();
        assert_eq!(v.file.unwrap().text(), "file.c");
        assert!(v.function.unwrap().matches("func") && v.name.matches("v") && !v.name.matches("vv"));
        assert!(v.fields.len() == 2 && v.fields[0].matches("a") && v.fields[1].matches("bcd"));
        let v = variable("dir/x.c::g").unwrap();
        assert!(v.file.is_some() && v.function.is_none());
        let v = variable("ui_* :: v").unwrap();
        assert!(v.file.is_none() && v.function.unwrap().matches("ui_x"));
        assert_eq!(variable("grün").unwrap().name.text(), "grün");
        let f = field("struct session.keys.master").unwrap();
        assert!(f.record.matches("session") && f.fields[1].matches("master"));
        let p = parameter("a.c::f::p").unwrap();
        assert!(p.file.is_some() && p.function.matches("f") && p.name.matches("p"));
        assert!(function("a.c::f").unwrap().file.is_some() && function("send_[a-c]").unwrap().name.matches("send_b"));
        let l = lines("a/b.c:12-20").unwrap();
        assert!(l.matches(Path::new("x/a/b.c"), 12) && l.matches(Path::new("a/b.c"), 20));
        assert!(!l.matches(Path::new("a/b.c"), 21) && !l.matches(Path::new("b.c"), 12));
        assert!(matches!(exception("ui/log.c"), Ok(Exception::File(_))));
        assert!(matches!(exception("ui_log"), Ok(Exception::Function(_))));
        assert!(matches!(exception("log.c::f"), Ok(Exception::Function(_))));
    }

    /// The text at the mistake, and its message.
    fn wrong<T: fmt::Debug>(read: fn(&str) -> Result<T, Mistake>, text: &str) -> (String, String) {
        let mistake = read(text).unwrap_err();
        (text[mistake.at].to_owned(), mistake.message)
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        for ((at, message), shown, says) in [
            (wrong(variable, ""), "", "is missing"),
            (wrong(variable, "main:p"), "main:p", "not the name of a variable"),
            (wrong(variable, "main::"), "main::", "is missing"),
            (wrong(variable, "main::*p q"), "*p q", "not the name"),
            (wrong(variable, "g.3"), "3", "not the name of a member"),
            (wrong(variable, "a::b::c::d"), "a::b::c::d", "too many"),
            (wrong(variable, "[g"), "[g", "not a glob"),
            (wrong(field, "session"), "session", "member is missing"),
            (wrong(parameter, "p"), "p", "function is missing"),
            (wrong(parameter, "a.c::p"), "a.c::p", "function is missing"),
            (wrong(function, "f()"), "f()", "not the name of a function"),
            (wrong(file, "ui/["), "ui/[", "not a glob"),
            (wrong(file, ""), "", "not a file"),
            (wrong(lines, "a.c"), "a.c", "line is missing"),
            (wrong(lines, "a.c:0"), "0", "no line 0"),
            (wrong(lines, "a.c:x"), "x", "not a line"),
            (wrong(lines, "a.c:"), "a.c:", "not a line"),
            (wrong(lines, "a.c:+5"), "+5", "not a line"),
            (wrong(lines, "a.c:5-3"), "5-3", "empty"),
            (wrong(lines, "a.c:1-2-3"), "1-2-3", "not a range"),
            (wrong(lines, ":12"), "", "not a file"),
        ] {
            assert_eq!(at, shown, "{message}");
            assert!(message.contains(says), "{message}");
        }
    }
}
