//! From a column of a preprocessed line back to the column in the user's file.
//!
//! A preprocessor keeps lines, but blanks are joined and macros replaced. Both lines are cut into tokens and walked side by side;
//! where they part, the original has the name of a macro, and the walk goes on behind its invocation and its expansion. A token
//! that comes from a macro is where the macro's name is, or where it is among the arguments.
//!
//! The line of a location is exact; the column is exact for what stands in the file and a good guess for what a macro made.
//! Cost: linear in the line, times the macros on it.

use std::ops::Range;

use super::bytes::token_text;

/// Longer lines are not aligned: their columns are taken as they are.
pub(super) const LONGEST: usize = 16 << 10;

/// How many tokens must agree for the walk to go on behind a macro.
const AGREE: usize = 3;

/// Where a token stands in the original.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    /// The token, or the name of the macro that made it.
    pub token: Range<usize>,
    /// Up to the end of the macro's invocation, if a macro made it.
    pub invocation: Range<usize>,
}

/// Where the byte at `at` of the preprocessed `line` stands in `original`, which starts with the line that `line` was made from
/// and may go on with the next ones. `None`: there is no token in it.
pub(super) fn align(line: &[u8], original: &[u8], at: usize) -> Option<Found> {
    let made = tokens(line);
    let source = tokens(original);
    if source.is_empty() {
        return None;
    }
    let target = made.partition_point(|t| t.end <= at).min(made.len().checked_sub(1)?);
    let walk = Walk { line, original, made, source };
    Some(walk.find(target))
}

/// Where `at` of the line is in the original if both agree up to there and one byte beyond.
pub(super) fn same_prefix(line: &[u8], original: &[u8], at: usize) -> bool {
    at < line.len()
        && at < original.len()
        && line[at] == original[at]
        && line[..at].iter().zip(original).all(|(a, b)| a == b || (is_blank(*a) && is_blank(*b)))
}

struct Walk<'a> {
    line: &'a [u8],
    original: &'a [u8],
    made: Vec<Range<usize>>,
    source: Vec<Range<usize>>,
}

impl Walk<'_> {
    fn find(&self, target: usize) -> Found {
        let mut i = self.anchor();
        let mut j = 0;
        loop {
            // Past the end of the original: the walk went wrong somewhere.
            if i >= self.source.len() {
                return self.by_end(target).unwrap_or_else(|| self.alone(self.source.len() - 1));
            }
            if self.same(i, j) {
                if j == target {
                    return self.alone(i);
                }
                (i, j) = (i + 1, j + 1);
                continue;
            }
            let Some((i1, j1)) = self.behind_macro(i, j) else {
                // Not a macro: the end of an invocation that began on an earlier line.
                match (i + 1..self.source.len()).find(|i1| self.agree(*i1, j)) {
                    Some(i1) => i = i1,
                    None => return self.by_end(target).unwrap_or_else(|| self.alone(i)),
                }
                continue;
            };
            if target < j1 {
                let exact = if j1 == self.made.len() { self.by_end(target) } else { None };
                return exact.unwrap_or_else(|| self.inside(i..i1, j..j1, target));
            }
            (i, j) = (i1, j1);
        }
    }

    /// The token of the original to start with: the one at the same column if it is the same, since preprocessors keep the
    /// column of a line's first token.
    fn anchor(&self) -> usize {
        let column = self.made[0].start;
        let at = self.source.partition_point(|t| t.start < column);
        if at < self.source.len() && self.source[at].start == column && self.same(at, 0) { at } else { 0 }
    }

    fn same(&self, i: usize, j: usize) -> bool {
        let (source, made) = (&self.original[self.source[i].clone()], &self.line[self.made[j].clone()]);
        source == made || (!source.is_ascii() && *token_text(source) == *made)
    }

    /// Whether the next tokens of both agree, as far as no further macro stands there.
    fn agree(&self, i: usize, j: usize) -> bool {
        let n = self.agreed(i, j);
        match (self.source.get(i + n), self.made.get(j + n)) {
            _ if n == AGREE => true,
            (Some(token), Some(_)) => n > 0 && is_word(self.original[token.start]),
            (None, None) => true,
            (Some(_), None) => n > 0,
            (None, Some(_)) => false,
        }
    }

    /// How many of the next tokens of both are the same, up to [`AGREE`].
    fn agreed(&self, i: usize, j: usize) -> usize {
        let most = AGREE.min(self.source.len() - i).min(self.made.len() - j);
        (0..most).find(|n| !self.same(i + n, j + n)).unwrap_or(most)
    }

    /// If token `i` of the original is a macro and token `j` of the line begins its expansion: where both go on.
    fn behind_macro(&self, i: usize, j: usize) -> Option<(usize, usize)> {
        if !is_word(self.original[self.source[i].start]) {
            return None;
        }
        let simple = i + 1;
        let Some(called) = self.closing(simple) else {
            return Some((simple, self.resume(simple, j).unwrap_or(self.made.len())));
        };
        // With parentheses behind it, it most likely takes them.
        let resumed = self.resume(called, j).map(|j1| (called, j1));
        let plain = || (j..self.made.len()).find(|j1| self.agreed(simple, *j1) == AGREE).map(|j1| (simple, j1));
        Some(resumed.or_else(plain).unwrap_or((called, self.made.len())))
    }

    /// The token behind the parenthesis that closes the one at `i`.
    fn closing(&self, i: usize) -> Option<usize> {
        let mut depth = 0;
        for (n, token) in self.source.iter().enumerate().skip(i) {
            match self.original[token.start] {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ if n == i => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(n + 1);
            }
        }
        (depth > 0).then_some(self.source.len())
    }

    /// The first token of the line from `j` on, outside parentheses, where it agrees with the original from `i` on.
    fn resume(&self, i: usize, j: usize) -> Option<usize> {
        let mut depth = 0i32;
        for n in j..=self.made.len() {
            if depth == 0 && self.agree(i, n) {
                return Some(n);
            }
            match self.made.get(n).map(|t| self.line[t.start]) {
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                Some(_) => {}
                None => break,
            }
        }
        None
    }

    /// By counting from the end of both, if they agree there.
    fn by_end(&self, target: usize) -> Option<Found> {
        let rest = self.made.len() - target;
        let i = self.source.len().checked_sub(rest)?;
        (0..rest).all(|n| self.same(i + n, target + n)).then(|| self.alone(i))
    }

    fn alone(&self, i: usize) -> Found {
        Found { token: self.source[i].clone(), invocation: self.source[i].clone() }
    }

    /// A token of an expansion: the same word or number among the macro's arguments, or else the macro.
    fn inside(&self, invocation: Range<usize>, expansion: Range<usize>, target: usize) -> Found {
        let text = &self.line[self.made[target].clone()];
        if is_word(text[0]) || text[0].is_ascii_digit() || text[0] == b'"' || text[0] == b'\'' {
            let times = (expansion.start..target).filter(|j| &self.line[self.made[*j].clone()] == text).count();
            let arguments: Vec<usize> =
                (invocation.start + 1..invocation.end).filter(|i| self.same(*i, target)).collect();
            if let Some(i) = arguments.get(times).or(arguments.last()) {
                return self.alone(*i);
            }
        }
        let name = self.source[invocation.start].clone();
        let end = self.source[invocation.end - 1].end;
        Found { invocation: name.start..end, token: name }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\x0b' | b'\x0c' | b'\r')
}

/// Whether an identifier goes on with it (a digit does, but does not begin one).
pub(super) fn goes_on(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_word(byte: u8) -> bool {
    goes_on(byte) && !byte.is_ascii_digit()
}

/// The tokens of lines: words, numbers, literals, and every other byte by itself; no comments, no directives and line markers.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let next = text.get(at + 1).copied().unwrap_or(0);
        let start = at;
        match byte {
            b'\n' => at += 1,
            b'#' if at == 0 || text[at - 1] == b'\n' => at += line_length(&text[at..]),
            _ if is_blank(byte) => at += 1,
            b'\\' if next == b'\n' || next == b'\r' => at += 1,
            b'/' if next == b'/' => at += line_length(&text[at..]),
            b'/' if next == b'*' => {
                let end = text[at + 2..].windows(2).position(|w| w == b"*/");
                at = end.map_or(text.len(), |n| at + n + 4);
            }
            b'"' | b'\'' => {
                at += 1;
                while let Some(&b) = text.get(at) {
                    at += 1;
                    match b {
                        b'\\' => at = (at + 1).min(text.len()),
                        b'\n' => break,
                        b if b == byte => break,
                        _ => {}
                    }
                }
                found.push(start..at);
            }
            _ if byte.is_ascii_digit() || (byte == b'.' && next.is_ascii_digit()) => {
                at += 1;
                while let Some(&b) = text.get(at) {
                    let sign = matches!(b, b'+' | b'-') && matches!(text[at - 1], b'e' | b'E' | b'p' | b'P');
                    if !(goes_on(b) || b == b'.' || sign) {
                        break;
                    }
                    at += 1;
                }
                found.push(start..at);
            }
            _ if is_word(byte) => {
                at += text[at..].iter().position(|b| !goes_on(*b)).unwrap_or(text.len() - at);
                found.push(start..at);
            }
            _ => {
                at += 1;
                found.push(start..at);
            }
        }
    }
    found
}

/// The bytes up to the end of the line.
fn line_length(text: &[u8]) -> usize {
    text.iter().position(|b| *b == b'\n').unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The original's text of the token (and of the invocation) for the `n`th occurrence of `token` in the line.
    fn found<'a>(line: &str, original: &'a str, token: &str, n: usize) -> (usize, &'a str, &'a str) {
        let at = line.match_indices(token).nth(n).unwrap().0;
        let found = align(line.as_bytes(), original.as_bytes(), at).unwrap();
        (found.token.start, &original[found.token.clone()], &original[found.invocation])
    }

    #[test]
    fn blanks_and_comments_are_passed_over() {
        let original = "\tint   a =  /* x */ b  +c; // d";
        let line = " int a = b +c;";
        assert_eq!(found(line, original, "b", 0), (20, "b", "b"));
        assert_eq!(found(line, original, "c", 0), (24, "c", "c"));
        assert_eq!(found(line, original, ";", 0), (25, ";", ";"));
    }

    #[test]
    fn tokens_behind_macros_are_exact() {
        let original = "x = MAX(a, b) + a + N + a;";
        let line = "x = ((a) > (b) ? (a) : (b)) + a + 10 + a;";
        assert_eq!(found(line, original, "+ a", 0).0, 14);
        assert_eq!(found(line, original, "a +", 0), (16, "a", "a"));
        assert_eq!(found(line, original, "10", 0), (20, "N", "N"));
        assert_eq!(found(line, original, "a;", 0), (24, "a", "a"));
        assert_eq!(found(line, original, ";", 0), (25, ";", ";"));
    }

    #[test]
    fn tokens_of_a_macro_are_at_its_arguments_or_its_name() {
        let original = "x = MAX(a, b) + a;";
        let line = "x = ((a) > (b) ? (a) : (b)) + a;";
        assert_eq!(found(line, original, "b", 0), (11, "b", "b"));
        assert_eq!(found(line, original, "a", 1), (8, "a", "a"));
        assert_eq!(found(line, original, "?", 0), (4, "MAX", "MAX(a, b)"));
        assert_eq!(found(line, original, "((", 0), (4, "MAX", "MAX(a, b)"));
    }

    #[test]
    fn macros_side_by_side_and_empty_ones() {
        assert_eq!(found(" static int f(void);", "API INLINE int f(void);", "f", 0).0, 15);
        assert_eq!(found(" int f(void);", "EXPORT int f(void);", "int", 0).0, 7);
        assert_eq!(found("1 2;", "ONE() TWO();", ";", 0).0, 11);
    }

    #[test]
    fn an_invocation_over_several_lines() {
        let original = "  F(a,\n    b) + c;";
        assert_eq!(found("  ((a)+(b))", original, "b", 0).0, 11);
        assert_eq!(found("  ((a)+(b))", original, "+", 0), (2, "F", "F(a,\n    b)"));
        // What follows is on a line of its own, at its column.
        assert_eq!(found("       + c;", "    b) + c;", "c", 0).0, 9);
        assert_eq!(found("      , y = 3;", "   2), y = 3;", "y", 0).0, 7);
    }

    #[test]
    fn literals_are_one_token_and_latin_1_agrees() {
        let original = b"f(\"caf\xe9 \\\" (\", x, y);";
        let line = b"f(\"caf\\351 \\\" (\", x, y);";
        let at = line.iter().position(|b| *b == b'y').unwrap();
        assert_eq!(align(line, original, at).unwrap().token, 18..19);
    }

    #[test]
    fn nonsense_does_not_panic() {
        for (line, original) in
            [("a b c", ")"), ("(((", "F(F("), ("x", "\"x"), ("'", "'\\"), ("1e+", "0x"), ("a", "/*")]
        {
            for at in 0..=line.len() {
                let _ = align(line.as_bytes(), original.as_bytes(), at);
            }
        }
        assert_eq!(align(b"", b"a", 0), None);
        assert_eq!(align(b"a", b"", 0), None);
    }

    proptest::proptest! {
        #[test]
        fn any_two_lines_can_be_aligned(line in "[ab1.(),;+ \"'/*\\\\\n#]{0,24}", original in "[abM(),;+ \"'/*\\\\\n#]{0,24}", at in 0usize..30) {
            if let Some(found) = align(line.as_bytes(), original.as_bytes(), at) {
                assert!(found.token.start < found.token.end && found.token.end <= original.len());
                assert!(found.invocation.start <= found.token.start && found.token.end <= found.invocation.end);
            }
        }
        #[test]
        fn a_line_is_aligned_with_itself(line in "[ab1(),;+ ]{1,24}", at in 0usize..24) {
            if at < line.len() && line.as_bytes()[at] != b' ' {
                let found = align(line.as_bytes(), line.as_bytes(), at).unwrap();
                assert!(found.token.contains(&at));
            }
        }
    }
}
