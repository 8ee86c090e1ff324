//! lang-c, and what it says of text that is not C.

use std::collections::HashSet;

use lang_c::ast::TranslationUnit;
use lang_c::driver::{Config, Flavor, SyntaxError, parse_preprocessed};

use super::{Diagnostic, Place, Unit, UnitId};

/// The syntax tree of a unit, with offsets into [`Unit::text`]. lang-c and the drop of its tree recurse: call it on a worker of
/// [`crate::base::parallel`]. The first syntax error ends it.
pub fn parse(unit: &Unit, id: UnitId) -> Result<TranslationUnit, Diagnostic> {
    let config = Config { cpp_command: String::new(), cpp_options: Vec::new(), flavor: Flavor::GnuC11 };
    match parse_preprocessed(&config, unit.text.clone()) {
        Ok(parsed) => Ok(parsed.unit),
        Err(error) => Err(diagnostic(&error, id)),
    }
}

fn diagnostic(error: &SyntaxError, id: UnitId) -> Diagnostic {
    let (start, end) = token(&error.source, error.offset, &error.expected);
    let place = Place { unit: id, start: start as u32, end: end as u32 };
    let found = match error.source[start..end].trim() {
        "" => "the end of the file".to_string(),
        text => format!("`{text}`"),
    };
    match expected(&error.expected).as_slice() {
        [] => Diagnostic::error(format!("syntax error: did not expect {found}"), place),
        [one] => Diagnostic::error(format!("syntax error: expected {one}, found {found}"), place),
        [some @ .., last] => {
            Diagnostic::error(format!("syntax error: expected {} or {last}, found {found}", some.join(", ")), place)
        }
    }
}

/// The token that the parser stumbled over. lang-c looks at characters: it may have stopped inside a word or behind one that is
/// a keyword.
fn token(text: &str, offset: usize, expected: &HashSet<&'static str>) -> (usize, usize) {
    let bytes = text.as_bytes();
    let is_word = |i: usize| bytes.get(i).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let mut start = offset.min(bytes.len());
    let wants_name = expected.contains("identifier") || expected.contains("[_a-zA-Z0-9]");
    if start > 0 && is_word(start - 1) && (is_word(start) || wants_name) {
        while start > 0 && is_word(start - 1) {
            start -= 1;
        }
    } else {
        // Over white space and line markers to the next token.
        loop {
            match bytes.get(start) {
                Some(b'\n') if bytes.get(start + 1) == Some(&b'#') => {
                    start += 1;
                    while bytes.get(start).is_some_and(|&b| b != b'\n') {
                        start += 1;
                    }
                }
                Some(b) if b.is_ascii_whitespace() => start += 1,
                _ => break,
            }
        }
    }
    let mut end = start;
    while is_word(end) {
        end += 1;
    }
    if end == start && end < bytes.len() {
        end += 1;
        while !text.is_char_boundary(end) {
            end += 1;
        }
    }
    (start, end)
}

/// At most three of the things that could follow, those that help first.
fn expected(set: &HashSet<&'static str>) -> Vec<&'static str> {
    let has = |word: &str| set.contains(word);
    // Where an operand can stand, so can a dozen tokens.
    let expression = has("sizeof") || (has("++") && has("~")) || (has("(") && has("\"") && has("-"));
    let kinds: [(bool, &'static str); 14] = [
        (has(";"), "`;`"),
        (has(")"), "`)`"),
        (has("]"), "`]`"),
        (has("}"), "`}`"),
        (has("while"), "`while`"),
        (has(":"), "`:`"),
        (expression, "an expression"),
        (has("<typedef_name>") && !expression, "a type"),
        (has(","), "`,`"),
        (has("="), "`=`"),
        (has("{"), "`{`"),
        (has("(") && !expression, "`(`"),
        ((has("identifier") || has("[_a-zA-Z]")) && !expression, "a name"),
        (has("asm") && set.len() == 1, "`asm`"),
    ];
    kinds.iter().filter(|(here, _)| *here).map(|(_, name)| *name).take(3).collect()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::parse;
    use crate::source::{Label, Unit, UnitId};

    /// The message, and the text it points at.
    fn error(text: &str) -> (String, String) {
        let unit = Unit { path: PathBuf::from("x.c"), text: text.to_string(), ..Unit::default() };
        let diagnostic = parse(&unit, UnitId(0)).expect_err("this is not C");
        let Label::Place(place) = &diagnostic.labels[0].0 else { panic!("the label is no place") };
        (diagnostic.message, text[place.start as usize..place.end as usize].to_string())
    }

    #[test]
    fn errors_name_the_token() {
        let (message, at) = error("int f(void) {\n# 7 \"x.c\"\n  return 1\n# 9 \"x.c\"\n}");
        assert_eq!(at, "}");
        assert!(message.starts_with("syntax error: expected `;`"), "{message}");
        assert_eq!(error("int x = ;").0, "syntax error: expected an expression or `{`, found `;`");
        assert_eq!(error("int f(void) { return while; }").1, "while");
        let (message, at) = error("int f(void) { g(");
        assert_eq!(at, "");
        assert!(message.ends_with("found the end of the file"), "{message}");
        assert_eq!(error("int é;").1, "é");
    }
}
