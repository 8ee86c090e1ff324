//! The words of conditions and equations, which are spelt as in C.

use std::ops::Range;

use super::place::Mistake;

/// A word.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Name(String),
    Integer(Integer),
    Char(u8),
    Float(String),
    /// An operator or a bracket.
    Mark(&'static str),
    End,
}

/// An integer constant of C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Integer {
    /// Its value.
    pub value: u64,
    /// Not in decimal: then its type may be unsigned without a suffix.
    pub in_base: bool,
    /// With the suffix `u`.
    pub unsigned: bool,
    /// 0, or 1 with the suffix `l`, or 2 with `ll`.
    pub long: u8,
}

/// The longest first, as C reads them. Those that change a variable are known to be refused.
const MARKS: [&str; 42] = [
    "<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "+", "-", "*", "/", "%", "&", "|", "^", "!", "~", "<", ">", "?", ":", "=", "(", ")", "[",
    "]", ".",
];

/// The words with their places; the last one is [`Token::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, Mistake> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (token, length) = if is_name_start(first) {
            let length = rest.find(|c: char| !is_name_start(c) && !c.is_numeric()).unwrap_or(rest.len());
            if rest[length..].starts_with(['\'', '"']) {
                let help = "strings and wide characters cannot be compared here; a character is one byte: 'a'";
                return Err(Mistake::new("only plain characters are known", at..at + length + 1, help));
            }
            (Token::Name(rest[..length].to_owned()), length)
        } else if first.is_ascii_digit() || first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit()) {
            let length = number_length(rest);
            (number(&rest[..length], at)?, length)
        } else if first == '\'' {
            character(rest, at)?
        } else if let Some(mark) = MARKS.iter().chain(&[",", ";"]).find(|mark| rest.starts_with(**mark)) {
            (Token::Mark(mark), mark.len())
        } else {
            let help = match first {
                '"' => "strings are not known here; compare characters: s[0] == 'a'",
                '≤' | '≥' | '≠' | '∧' | '∨' | '¬' => "write it as C does: <=, >=, !=, &&, ||, !",
                _ => "the text is a C expression over the program's variables",
            };
            return Err(Mistake::new(format!("`{first}` is not known here"), at..at + first.len_utf8(), help));
        };
        found.push((token, at..at + length));
        at += length;
    }
    found.push((Token::End, text.len()..text.len()));
    Ok(found)
}

fn is_name_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || c == '$'
}

/// C's preprocessing numbers: digits, letters, points, and signs after an exponent's letter.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let after = at > 0 && if is_hex { b"pP" } else { b"eE" }.contains(&bytes[at - 1]);
        if !(byte.is_ascii_alphanumeric() || *byte == b'.' || after && b"+-".contains(byte)) {
            break;
        }
        at += 1;
    }
    at
}

fn number(text: &str, at: usize) -> Result<Token, Mistake> {
    let lower = text.to_ascii_lowercase();
    let is_hex = lower.starts_with("0x");
    let is_float = lower.contains('.') || lower.contains(if is_hex { 'p' } else { 'e' });
    let wrong = |what: &str| Mistake::new(format!("`{text}` is not {what}"), at..at + text.len(), "write it as in C");
    if is_float {
        return if is_float_constant(&lower, is_hex) {
            Ok(Token::Float(text.to_owned()))
        } else {
            Err(wrong("a number"))
        };
    }
    let suffix = lower.find(['u', 'l']).unwrap_or(lower.len());
    let (unsigned, long) = match &lower[suffix..] {
        "" => (false, 0),
        "u" => (true, 0),
        "l" => (false, 1),
        "ll" => (false, 2),
        "ul" | "lu" => (true, 1),
        "ull" | "llu" => (true, 2),
        _ => return Err(wrong("a number")),
    };
    let digits = &lower[..suffix];
    let (digits, radix) = if let Some(hex) = digits.strip_prefix("0x") {
        (hex, 16)
    } else if let Some(binary) = digits.strip_prefix("0b") {
        (binary, 2)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (&digits[1..], 8)
    } else {
        (digits, 10)
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(wrong("a number"));
    }
    let value = u64::from_str_radix(digits, radix).map_err(|_| wrong("a number that fits 64 bits"))?;
    Ok(Token::Integer(Integer { value, in_base: radix != 10, unsigned, long }))
}

/// Whether the text, in lower case, is a floating constant.
fn is_float_constant(text: &str, is_hex: bool) -> bool {
    let text = text.strip_suffix(['f', 'l']).unwrap_or(text);
    let (text, mark) = if is_hex { (&text[2..], 'p') } else { (text, 'e') };
    let (mantissa, exponent) = text.split_once(mark).map_or((text, None), |(m, e)| (m, Some(e)));
    let is_digit = |c: char| c.is_digit(if is_hex { 16 } else { 10 });
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_fits = match exponent {
        // A hexadecimal one needs its exponent.
        None => !is_hex,
        Some(exponent) => {
            let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        }
    };
    !(whole.is_empty() && part.is_empty()) && whole.chars().chain(part.chars()).all(is_digit) && exponent_fits
}

/// A character constant of one byte, and its length in the text.
fn character(text: &str, at: usize) -> Result<(Token, usize), Mistake> {
    let inside = &text[1..];
    let mut length = 0;
    for c in inside.chars() {
        if c == '\'' && length > 0 || c == '\n' {
            break;
        }
        // The character after a backslash does not end the constant.
        length += c.len_utf8();
        if c == '\\' {
            length += inside[length..].chars().next().map_or(0, char::len_utf8);
            length += inside[length..].find('\'').unwrap_or(0);
            break;
        }
    }
    let body = &inside[..length];
    let wrong = |what: &str| {
        let end = at + 1 + length + usize::from(inside[length..].starts_with('\''));
        Mistake::new(what, at..end, "write one character, as in 'a', '\\n' or '\\x41'")
    };
    if !inside[length..].starts_with('\'') {
        return Err(wrong("this character constant is not closed"));
    }
    let value = match body.strip_prefix('\\') {
        None => match body.as_bytes() {
            [byte] if byte.is_ascii() => Some(*byte),
            _ => None,
        },
        Some(escape) => escaped(escape),
    };
    value.map(|byte| (Token::Char(byte), length + 2)).ok_or_else(|| wrong("this is not a character of one byte"))
}

fn escaped(text: &str) -> Option<u8> {
    Some(match text {
        "n" => b'\n',
        "t" => b'\t',
        "r" => b'\r',
        "a" => 7,
        "b" => 8,
        "f" => 12,
        "v" => 11,
        "e" => 27,
        "\\" | "'" | "\"" | "?" => text.as_bytes()[0],
        _ => match text.strip_prefix('x') {
            Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => u8::from_str_radix(hex, 16).ok()?,
            None if text.len() <= 3 && text.bytes().all(|b| b.is_ascii_digit()) => u8::from_str_radix(text, 8).ok()?,
            Some(_) | None => return None,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Token> {
        tokens(text).unwrap().into_iter().map(|(token, _)| token).collect()
    }

    #[test]
    fn constants_have_the_values_of_c() {
        let int = |value, in_base, unsigned, long| Token::Integer(Integer { value, in_base, unsigned, long });
        for (text, token) in [
            ("42", int(42, false, false, 0)),
            ("0", int(0, false, false, 0)),
            ("017", int(15, true, false, 0)),
            ("0x1Fu", int(31, true, true, 0)),
            ("0b101", int(5, true, false, 0)),
            ("7LL", int(7, false, false, 2)),
            ("7lu", int(7, false, true, 1)),
            ("18446744073709551615u", int(u64::MAX, false, true, 0)),
            ("'a'", Token::Char(97)),
            ("'\\''", Token::Char(39)),
            ("'\\\\'", Token::Char(92)),
            ("'\\0'", Token::Char(0)),
            ("'\\101'", Token::Char(65)),
            ("'\\xff'", Token::Char(255)),
            ("1.5", Token::Float("1.5".into())),
            (".5f", Token::Float(".5f".into())),
            ("1e-3", Token::Float("1e-3".into())),
            ("0x1p+4", Token::Float("0x1p+4".into())),
            ("1.", Token::Float("1.".into())),
        ] {
            assert_eq!(all(text), [token, Token::End], "{text}");
        }
    }

    #[test]
    fn marks_are_as_long_as_they_can_be() {
        let marks = all("a->b<<=c<d>>e&&f&g!==h");
        let marks: Vec<&str> =
            marks.iter().filter_map(|t| if let Token::Mark(m) = t { Some(*m) } else { None }).collect();
        assert_eq!(marks, ["->", "<<=", "<", ">>", "&&", "&", "!=", "="]);
    }

    #[test]
    fn what_is_no_word_is_shown_at_its_place() {
        for (text, at) in [
            ("x == 1y", "1y"),
            ("x == 09", "09"),
            ("x == 0x", "0x"),
            ("x == 99999999999999999999", "99999999999999999999"),
            ("x == 1.2.3", "1.2.3"),
            ("x == 1e", "1e"),
            ("x == 0x1.8", "0x1.8"),
            ("x == 'ab'", "'ab'"),
            ("x == 'é'", "'é'"),
            ("x == 'a", "'a"),
            ("x == ''", "''"),
            ("x == '\\q'", "'\\q'"),
            ("x == \"a\"", "\""),
            ("x == L'a'", "L'"),
            ("x ≤ 1", "≤"),
            ("x @ 1", "@"),
        ] {
            let mistake = tokens(text).unwrap_err();
            assert_eq!(&text[mistake.at.clone()], at, "{mistake:?}");
        }
    }
}
