//! Comments in the C source that say what a policy says: `// flowcheck: source(DOMAIN)`, `// [XASSERT] idx < 10;`.
//!
//! A comment is for us if a line of it begins with `flowcheck:`, `[XASSERT]` or `[END XASSERT]`. One that is nearly so is an error:
//! who misspells it believes in a check that is not made.
//!
//! Invariant: scopes are properly nested, and each has its end in the same file.
//!
//! Cost: linear in the comments.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::Policy;
use super::condition::{self, Condition};
use super::domain::DomainId;
use super::place::{Mistake, trimmed};
use super::toml::nearest;
use crate::base::IdVec;
use crate::define_id;
use crate::source::comments::{Comment, CommentLine, comments};
use crate::source::{Diagnostic, Label, Location, Severity, Sources};

define_id!(/// The scope of an `[XASSERT]`.
    ScopeId, "scope");

/// All that comments say.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotations {
    /// Sources, sinks and exceptions, by file and line.
    pub marks: Vec<Mark>,
    /// What is assumed where; an outer scope comes before those inside it.
    pub scopes: IdVec<ScopeId, Scope>,
}

/// `// flowcheck: …`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    /// What it says.
    pub kind: MarkKind,
    /// The file.
    pub file: PathBuf,
    /// The line of the statement that it is for, from 1: its own, or the next line with code if the comment stands alone.
    pub line: u32,
    /// Whether the comment stands alone on its line.
    pub is_alone: bool,
    /// Where it stands, for errors.
    pub location: Location,
}

/// What a mark says of its statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MarkKind {
    /// `source(DOMAIN)`
    Source(DomainId),
    /// `sink(DOMAIN)`
    Sink(DomainId),
    /// `allow(REASON)`: flows that start or end there are accepted.
    Allow(String),
}

/// From `// [XASSERT] …` to `// [END XASSERT]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scope {
    /// The file.
    pub file: PathBuf,
    /// The first line after the comment that opens it, from 1.
    pub first: u32,
    /// The last line before the comment that closes it; less than `first` if there is none.
    pub last: u32,
    /// What holds there.
    pub conditions: Vec<Assumed>,
    /// The scope that this one is in.
    pub parent: Option<ScopeId>,
    /// Where it is opened, for errors.
    pub location: Location,
}

/// A condition of an `[XASSERT]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumed {
    /// What holds.
    pub condition: Condition,
    /// Where it stands.
    pub location: Location,
}

/// The words that a `flowcheck:` comment may say.
const VERBS: [&str; 3] = ["source", "sink", "allow"];

const OPEN: &str = "[XASSERT]";
const CLOSE: &str = "[END XASSERT]";

/// Reads the comments of the user's files. With an error among the diagnostics the run cannot be made.
pub fn read(sources: &Sources, policy: &Policy) -> (Annotations, Vec<Diagnostic>) {
    let mut reader = Reader { policy, found: Annotations::default(), open: Vec::new(), diagnostics: Vec::new() };
    let comments = comments(sources);
    for file in comments.chunk_by(|a, b| a.file == b.file) {
        for comment in file {
            reader.comment(comment);
        }
        reader.close_file();
    }
    (reader.found, reader.diagnostics)
}

struct Reader<'p> {
    policy: &'p Policy,
    found: Annotations,
    /// The scopes that are open, the innermost last.
    open: Vec<ScopeId>,
    diagnostics: Vec<Diagnostic>,
}

/// What a line of a comment is.
enum Line {
    /// Prose.
    Plain,
    /// The rest after `flowcheck:`, and where it begins.
    Mark(usize),
    /// The same after `[XASSERT]`.
    Open(usize),
    Close,
    /// Nearly one of them.
    Wrong(Mistake),
}

impl Reader<'_> {
    fn comment(&mut self, comment: &Comment<'_>) {
        let mut lines = comment.lines.iter().peekable();
        while let Some(line) = lines.next() {
            match kind(line.text) {
                Line::Plain => {}
                Line::Wrong(mistake) => self.complain(comment.file, line, mistake),
                Line::Mark(from) => self.marks(comment, line, from),
                Line::Close => self.close(comment.file, line),
                Line::Open(from) => {
                    let mut text = Joined::default();
                    text.add(line, from);
                    while let Some(more) = lines.next_if(|line| matches!(kind(line.text), Line::Plain)) {
                        text.add(more, 0);
                    }
                    self.open(comment.file, line, &text);
                }
            }
        }
    }
    fn complain(&mut self, file: &Path, line: &CommentLine<'_>, mistake: Mistake) {
        let location = line.locate(file, mistake.at.clone());
        self.complain_at(location, mistake);
    }
    fn complain_at(&mut self, location: Location, mistake: Mistake) {
        let notes = Some(mistake.help).filter(|help| !help.is_empty()).into_iter().collect();
        self.diagnostics.push(Diagnostic {
            severity: Severity::Error,
            message: mistake.message,
            labels: vec![(Label::Location(location), String::new())],
            notes,
        });
    }
    /// `source(A) sink(B)`, with commas between or without.
    fn marks(&mut self, comment: &Comment<'_>, line: &CommentLine<'_>, from: usize) {
        match calls(line.text, from) {
            Err(mistake) => self.complain(comment.file, line, mistake),
            Ok(calls) => {
                for call in calls {
                    self.mark(comment, line, &call);
                }
            }
        }
    }
    fn mark(&mut self, comment: &Comment<'_>, line: &CommentLine<'_>, call: &Call<'_>) {
        let kind = match self.mark_kind(call) {
            Ok(kind) => kind,
            Err(mistake) => return self.complain(comment.file, line, mistake),
        };
        let location = line.locate(comment.file, call.at.clone());
        let is_alone = comment.is_alone || line.line != comment.lines[0].line;
        let about = if is_alone { comment.next_code } else { Some(line.line) };
        let Some(about) = about else {
            let mistake =
                Mistake::new("no statement follows this comment", call.at.clone(), "it is for the next statement");
            return self.complain(comment.file, line, mistake);
        };
        self.found.marks.push(Mark { kind, file: comment.file.to_owned(), line: about, is_alone, location });
    }
    fn mark_kind(&self, call: &Call<'_>) -> Result<MarkKind, Mistake> {
        let domain = || {
            let named = self.policy.domains.named(call.argument);
            named.map_err(|(message, help)| Mistake::new(message, call.argument_at.clone(), help))
        };
        match call.verb {
            "source" => domain().map(MarkKind::Source),
            "sink" => domain().map(MarkKind::Sink),
            _ => Ok(MarkKind::Allow(call.argument.to_owned())),
        }
    }
    fn open(&mut self, file: &Path, line: &CommentLine<'_>, text: &Joined<'_>) {
        let location = line.locate(file, 0..OPEN.len());
        let conditions = match condition::several(&text.text) {
            Err(mistake) => {
                let location = text.locate(file, &mistake.at);
                self.complain_at(location, Mistake { message: format!("bad {OPEN}: {}", mistake.message), ..mistake });
                Vec::new()
            }
            Ok(conditions) if conditions.is_empty() => {
                let help = "write `// [XASSERT] idx >= 0; idx < 7;`";
                self.complain(file, line, Mistake::new(format!("this {OPEN} says nothing"), 0..OPEN.len(), help));
                Vec::new()
            }
            Ok(conditions) => {
                let assumed = |(condition, at)| Assumed { condition, location: text.locate(file, &at) };
                conditions.into_iter().map(assumed).collect()
            }
        };
        let first = text.lines.last().map_or(line.line, |(_, line, _)| line.line) + 1;
        let parent = self.open.last().copied();
        let scope = Scope { file: file.to_owned(), first, last: u32::MAX, conditions, parent, location };
        self.open.push(self.found.scopes.push(scope));
    }
    fn close(&mut self, file: &Path, line: &CommentLine<'_>) {
        if let Some(scope) = self.open.pop() {
            self.found.scopes[scope].last = line.line - 1;
        } else {
            let help = format!("each {CLOSE} closes one {OPEN}");
            self.complain(file, line, Mistake::new(format!("no {OPEN} is open here"), 0..CLOSE.len(), help));
        }
    }
    fn close_file(&mut self) {
        for scope in std::mem::take(&mut self.open) {
            let location = self.found.scopes[scope].location.clone();
            let help = format!("write `// {CLOSE}` where the scope ends");
            self.complain_at(location, Mistake::new(format!("this {OPEN} is not closed"), 0..0, help));
        }
    }
}

/// What a line of a comment is.
fn kind(text: &str) -> Line {
    if let Some(rest) = text.strip_prefix('[') {
        let Some((name, _)) = rest.split_once(']') else { return Line::Plain };
        let length = name.len() + 2;
        let words = name.split_whitespace().collect::<Vec<_>>().join(" ");
        return match words.as_str() {
            "XASSERT" if name == words => Line::Open(length),
            "END XASSERT" => Line::Close,
            _ if is_nearly_bracket(&words) => {
                let help = format!("write `{OPEN} cond; cond;` and `{CLOSE}`");
                Line::Wrong(Mistake::new(format!("`[{name}]` is not known"), 0..length, help))
            }
            _ => Line::Plain,
        };
    }
    let word = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(text.len());
    let rest = &text[word..];
    let colon = rest.trim_start().starts_with(':');
    if &text[..word] == "flowcheck" && rest.starts_with(':') {
        return Line::Mark(word + 1);
    }
    // `flow_check: sink(x)`, or `flowcheck sink(x)`: prose does not have the brackets.
    let verb = rest.trim_start_matches([' ', '\t', ':']);
    let call = verb.find('(').is_some_and(|open| nearest(verb[..open].trim_end(), &VERBS).is_some());
    let lower = text[..word].to_lowercase();
    if word > 0 && (colon || call) && strsim::damerau_levenshtein(&lower, "flowcheck") <= if call { 2 } else { 1 } {
        let end = text.len() - verb.len();
        let help = "write `flowcheck: source(DOMAIN)`, `flowcheck: sink(DOMAIN)` or `flowcheck: allow(REASON)`";
        let mistake = Mistake::new(format!("`{}` is not `flowcheck:`", text[..end].trim_end()), 0..end, help);
        return Line::Wrong(mistake);
    }
    Line::Plain
}

/// Whether the words in brackets are probably meant for us: `[XASERT]`, `[END_XASSERT]`, `[xassert]`.
fn is_nearly_bracket(words: &str) -> bool {
    let upper = words.to_uppercase().replace(['_', '-', '/'], " ");
    let near = |name: &str| strsim::damerau_levenshtein(&upper, name) <= 2;
    // Other people's `[ASSERT]` and `[END]` are theirs.
    (upper.contains('X') && near("XASSERT")) || (upper.contains('X') && near("END XASSERT"))
}

/// `verb(argument)`
struct Call<'t> {
    verb: &'static str,
    argument: &'t str,
    argument_at: Range<usize>,
    at: Range<usize>,
}

/// The calls in a text from an offset on.
fn calls(text: &str, from: usize) -> Result<Vec<Call<'_>>, Mistake> {
    let help = "write `source(DOMAIN)`, `sink(DOMAIN)` or `allow(REASON)`";
    let mut found = Vec::new();
    let mut at = from;
    loop {
        at += text[at..].len() - text[at..].trim_start_matches([' ', '\t', ',', ';']).len();
        if at == text.len() && !found.is_empty() {
            return Ok(found);
        }
        let start = at;
        let rest = &text[start..];
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
        let word = &rest[..length];
        let Some(verb) = VERBS.iter().find(|verb| **verb == word) else {
            let end = if length > 0 { start + length } else { text.len() };
            let help = nearest(word, &VERBS).map_or(help.to_owned(), |near| format!("did you mean `{near}`? {help}"));
            let message = if rest.is_empty() {
                "this says nothing".to_owned()
            } else {
                format!("`{}` is not known", &text[start..end])
            };
            let whole = if rest.is_empty() { 0..text.len() } else { start..end };
            return Err(Mistake::new(message, whole, help));
        };
        let after = rest[length..].trim_start();
        if !after.starts_with('(') {
            return Err(Mistake::new(format!("`{verb}` needs brackets"), start..start + length, help));
        }
        let open = text.len() - after.len();
        let Some(close) = closing(text, open) else {
            return Err(Mistake::new("the bracket is not closed on this line", open..text.len(), help));
        };
        let argument_at = trimmed(text, open + 1..close);
        if argument_at.is_empty() {
            let what = if *verb == "allow" { "a reason" } else { "a domain" };
            return Err(Mistake::new(format!("`{verb}` needs {what}"), start..close + 1, help));
        }
        at = close + 1;
        found.push(Call { verb, argument: &text[argument_at.clone()], argument_at, at: start..at });
    }
}

/// The bracket that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' => depth += 1,
            ')' if depth == 1 => return Some(open + at),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Lines of a comment as one text, with the way back.
#[derive(Default)]
struct Joined<'a> {
    text: String,
    /// Where each begins in `text`, the line, and where in it.
    lines: Vec<(usize, CommentLine<'a>, usize)>,
}

impl<'a> Joined<'a> {
    fn add(&mut self, line: &CommentLine<'a>, from: usize) {
        self.lines.push((self.text.len(), *line, from));
        self.text.push_str(&line.text[from..]);
        self.text.push('\n');
    }
    /// The place of a part of the text; one of several lines is shown to the end of its first.
    fn locate(&self, file: &Path, part: &Range<usize>) -> Location {
        let index = self.lines.partition_point(|(start, ..)| *start <= part.start).saturating_sub(1);
        let (start, line, from) = self.lines[index];
        let local = |at: usize| (at - start + from).min(line.text.len());
        line.locate(file, local(part.start)..local(part.end.max(part.start)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::parse;
    use crate::source::{DataModel, of_texts};

    const POLICY: &str = "[domains]\nkeyboard = ''\ndisplay = ''\n";

    /// What the comments of a file say, and the errors: message and the text at the place.
    fn read_file(text: &str) -> (Annotations, Vec<(String, String)>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.c");
        std::fs::write(&path, text).unwrap();
        let unit = format!("# 1 \"{}\"\nint x;\n", path.display());
        let sources = of_texts(vec![("u.i".into(), unit.into_bytes())], DataModel::lp64()).sources;
        let (found, diagnostics) = read(&sources, &parse(POLICY, "p.toml").unwrap());
        let told = |d: &Diagnostic| {
            let Label::Location(at) = &d.labels[0].0 else { panic!("{d:?}") };
            assert!(at.file == path && at.line == at.end_line, "{at:?}");
            let line = text.lines().nth(at.line as usize - 1).unwrap();
            let shown = &line[at.column as usize - 1..at.end_column as usize - 1];
            (format!("{}; {}", d.message, d.notes.join(" ")), shown.to_owned())
        };
        (found, diagnostics.iter().map(told).collect())
    }

    fn marks(text: &str) -> Vec<(MarkKind, u32, bool)> {
        let (found, errors) = read_file(text);
        assert!(errors.is_empty(), "{errors:?}");
        found.marks.into_iter().map(|mark| (mark.kind, mark.line, mark.is_alone)).collect()
    }

    #[test]
    fn marks_are_for_their_line_or_the_next_statement() {
        let (source, sink) = (|| MarkKind::Source(DomainId(0)), || MarkKind::Sink(DomainId(1)));
        assert_eq!(marks("int x = f(); // flowcheck: source(keyboard)\n"), [(source(), 1, false)]);
        assert_eq!(marks("// flowcheck: source(keyboard)\n\n/* why */\nint x;\n"), [(source(), 4, true)]);
        assert_eq!(marks("/* flowcheck: sink( display ) */ g(x);\n"), [(sink(), 1, false)]);
        assert_eq!(marks("int a; // one\n// flowcheck: sink(display)\nint b;\n"), [(sink(), 3, true)]);
        let text = "/*\n * About it.\n * flowcheck: source(keyboard), sink(display)\n */\nint x;\n";
        assert_eq!(marks(text), [(source(), 5, true), (sink(), 5, true)]);
        let allow = MarkKind::Allow("sealed (see 4.2), ok".into());
        assert_eq!(marks("g(x); // flowcheck: allow(sealed (see 4.2), ok)\n"), [(allow, 1, false)]);
        assert_eq!(marks("char *s = \"// flowcheck: sink(display)\"; // see flowcheck: sink(nothing)\n"), []);
        assert_eq!(marks("// flowcheck is good at this\n// flowchart: sink(x)\n// [note] [ASSERT] x\nint x;\n"), []);
    }

    #[test]
    fn assertions_have_nested_scopes_as_in_the_paper() {
        let text = "float kal_kg;\n\
                    // [XASSERT] kal_kg==1.0; idx<10;\n\
                    while (1) {\n\
                    \x20   for (idx=0; idx<7; idx++) {\n\
                    \x20       // [XASSERT] idx >= 0; idx < 7;\n\
                    \x20       // e_puf[idx] >= 65; e_puf[idx]<=90;\n\
                    \x20       e_puf[idx] = 1;\n\
                    \x20   }\n\
                    \x20   // [END XASSERT]\n\
                    }\n\
                    /* [END XASSERT] */\n";
        let (found, errors) = read_file(text);
        assert!(errors.is_empty(), "{errors:?}");
        let told: Vec<(u32, u32, Option<ScopeId>, Vec<&str>)> = found
            .scopes
            .iter()
            .map(|s| (s.first, s.last, s.parent, s.conditions.iter().map(|c| c.condition.text.as_str()).collect()))
            .collect();
        let inner = vec!["idx >= 0", "idx < 7", "e_puf[idx] >= 65", "e_puf[idx]<=90"];
        assert_eq!(told, [(3, 10, None, vec!["kal_kg==1.0", "idx<10"]), (7, 8, Some(ScopeId(0)), inner)]);
        let at = &found.scopes[ScopeId(1)].conditions[3].location;
        assert_eq!((at.line, at.column, at.end_column), (6, 30, 44));
    }

    #[test]
    fn a_condition_may_go_on_in_the_next_line() {
        let (found, errors) = read_file("/* [XASSERT] a <\n   10; b == ';' */\nint x;\n// [END  XASSERT]\n");
        assert!(errors.is_empty(), "{errors:?}");
        let scope = &found.scopes[ScopeId(0)];
        let texts: Vec<String> = scope.conditions.iter().map(|c| c.condition.expr.to_string()).collect();
        assert_eq!((scope.first, scope.last, texts), (3, 3, vec!["a < 10".to_owned(), "b == ';'".to_owned()]));
    }

    #[test]
    fn misspelt_comments_are_errors_at_their_place() {
        for (text, at, says) in [
            ("x; // flowcheck: sorce(keyboard)", "sorce", "did you mean `source`?"),
            ("x; // flowcheck: source(keybord)", "keybord", "did you mean `keyboard`?"),
            ("x; // flowcheck: source", "source", "needs brackets"),
            ("x; // flowcheck: source(keyboard", "(keyboard", "not closed"),
            ("x; // flowcheck: allow()", "allow()", "needs a reason"),
            ("x; // flowcheck: sink( )", "sink( )", "needs a domain"),
            ("x; // flowcheck:", "flowcheck:", "says nothing"),
            ("x; // flowcheck: sink(display) and so on", "and", "`and` is not known"),
            ("x; // flowcheck : sink(display)", "flowcheck : ", "is not `flowcheck:`"),
            ("x; // flowcheck sink(display)", "flowcheck ", "is not `flowcheck:`"),
            ("x; // flow_check: sink(display)", "flow_check: ", "is not `flowcheck:`"),
            ("x; // Flowcheck: anything", "Flowcheck: ", "is not `flowcheck:`"),
            ("x; // flowchek: anything", "flowchek: ", "is not `flowcheck:`"),
            ("// flowcheck: sink(display)", "sink(display)", "no statement follows"),
            ("// [XASSERT] idx < ;\n// [END XASSERT]", "<", "bad [XASSERT]: the condition ends"),
            ("// [XASSERT] idx <\n//  10 +; x\n// [END XASSERT]", "+", "ends"),
            ("// [XASSERT]\nx;\n// [END XASSERT]", "[XASSERT]", "says nothing"),
            ("// [XASERT] a < 1;", "[XASERT]", "not known"),
            ("// [xassert] a < 1;", "[xassert]", "not known"),
            ("// [END_XASSERT]", "[END_XASSERT]", "not known"),
            ("// [END XASSERT]", "[END XASSERT]", "no [XASSERT] is open"),
            ("// [XASSERT] a < 1;\nx;", "[XASSERT]", "is not closed"),
        ] {
            let (_, errors) = read_file(text);
            let [(message, shown)] = &errors[..] else { panic!("{text}: {errors:?}") };
            assert!(shown == at && message.contains(says), "{text}: {message} at {shown:?}");
        }
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let (_, errors) = read_file("x; // flowcheck: sorce(keyboard)\ny; // flowcheck: sink(dsplay)\n");
        assert_eq!(errors.len(), 2);
    }
}
