//! Numbers, characters, strings and names that C allows and lang-c does not.

use super::Failure;
use super::edits::Edits;

/// A name that lang-c can read, for one with `$`, other alphabets or universal character names: each such character is
/// `__fc_u<hexadecimal>_`. [`super::c_name`] leads back.
pub(super) fn identifier(text: &str) -> String {
    let mut name = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (c, length) = universal(rest).unwrap_or((c, c.len_utf8()));
        if c.is_ascii_alphanumeric() || c == '_' {
            name.push(c);
        } else {
            name.extend(["__fc_u", &format!("{:x}", u32::from(c)), "_"]);
        }
        rest = &rest[length..];
    }
    name
}

/// `\u1234` or `\U12345678` at the start: the character, and how long it is written.
fn universal(text: &str) -> Option<(char, usize)> {
    let digits = match text.as_bytes().get(..2)? {
        b"\\u" => 4,
        b"\\U" => 8,
        _ => return None,
    };
    let code = u32::from_str_radix(text.get(2..2 + digits)?, 16).ok()?;
    Some((char::from_u32(code)?, 2 + digits))
}

/// Digit separators, and suffixes that lang-c does not know.
pub(super) fn number(text: &str, start: u32, edits: &mut Edits) -> Result<(), Failure> {
    let end = start + text.len() as u32;
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let binary = text.starts_with("0b") || text.starts_with("0B");
    // An imaginary number has one more letter.
    let (text, imaginary) = match text.strip_suffix(['i', 'j', 'I', 'J']) {
        Some(rest) if !rest.is_empty() => (rest, &text[rest.len()..]),
        _ => (text, ""),
    };
    let last = text.as_bytes()[text.len() - 1];
    if !hex && !binary && text.contains(['w', 'W']) && text.contains(['b', 'B']) {
        return Err(Failure::new(start, "_BitInt is not supported"));
    }
    let suffixed = match last {
        b'q' | b'Q' | b'w' | b'W' => true,
        b'd' | b'D' => !hex || text.contains(['p', 'P']),
        _ => false,
    };
    if !suffixed && !text.contains('\'') {
        return Ok(());
    }
    let mut plain: String = text.chars().filter(|&c| c != '\'').collect();
    let lower = plain.to_ascii_lowercase();
    match last {
        b'q' | b'Q' => plain.replace_range(plain.len() - 1.., "f128"),
        b'w' | b'W' => plain.replace_range(plain.len() - 1.., "f64x"),
        // gcc's `1.0d` is `1.0`; `1.0dd` is a decimal float, which lang-c knows.
        b'd' | b'D' if suffixed && !lower.ends_with("dd") => {
            plain.pop();
        }
        _ => {}
    }
    edits.overwrite(start, end, &(plain + imaginary));
    Ok(())
}

/// Escape sequences that lang-c does not know: `\e`, universal character names, and those that gcc takes for the character itself.
pub(super) fn quoted(text: &str, prefix: usize, start: u32, edits: &mut Edits) -> Result<(), Failure> {
    let kind = &text[..prefix];
    let quote = text.as_bytes()[prefix];
    if kind == "u8" && quote == b'\'' {
        edits.blank(start, start + 2);
        edits.insert(start, "(unsigned char)");
    }
    let bytes = text.as_bytes();
    let mut i = prefix + 1;
    while let Some(n) = bytes[i..].iter().position(|&b| b == b'\\') {
        i += n;
        let at = start + i as u32;
        let length = match bytes[i + 1] {
            b'\'' | b'"' | b'?' | b'\\' | b'a' | b'b' | b'f' | b'n' | b'r' | b't' | b'v' | b'x' | b'0'..=b'7' => 2,
            b'e' | b'E' => {
                edits.overwrite(at, at + 2, "\\033");
                2
            }
            b'u' | b'U' => {
                let Some((c, length)) = universal(&text[i..]) else {
                    return Err(Failure::new(at, "this is no universal character name"));
                };
                let end = at + length as u32;
                let wide = matches!(kind, "L" | "U") || (kind == "u" && u32::from(c) < 0x10000);
                if wide || c.is_ascii() {
                    // `\u` and `\x` are written alike, but `\x` does not end after its digits.
                    edits.set(at + 1, b'x');
                    if quote == b'"' && bytes.get(i + length).is_some_and(u8::is_ascii_hexdigit) {
                        edits.insert(end, format!("\" {kind}\""));
                    }
                } else {
                    edits.overwrite(at, end, &narrow(c, length, kind == "u"));
                }
                length
            }
            b if b.is_ascii() => {
                edits.overwrite(at, at + 2, &format!("\\{b:03o}"));
                2
            }
            // A character of several bytes: it stands for itself, its backslash is dropped by ending the string before it.
            _ => return Err(Failure::new(at, "this escape sequence is not supported")),
        };
        i += length;
    }
    Ok(())
}

/// The raw string that `text` begins with, after a prefix of so many bytes: how long it is, and the same as an ordinary string.
pub(super) fn raw(text: &str, prefix: usize) -> Option<(usize, String)> {
    let (delimiter, rest) = text[prefix + 1..].split_once('(')?;
    let close = format!("){delimiter}\"");
    let length = rest.find(&close).filter(|_| delimiter.len() <= 16)?;
    let mut plain = format!("{}\"", &text[..prefix - 1]);
    for c in rest[..length].chars() {
        match c {
            '\n' => plain.push_str("\\n"),
            '"' | '\\' => plain.extend(['\\', c]),
            _ => plain.push(c),
        }
    }
    plain.push('"');
    Some((prefix + 1 + delimiter.len() + 1 + length + close.len(), plain))
}

/// The code units of a character as escapes that take at least `room` bytes: UTF-8, or a pair of UTF-16.
fn narrow(c: char, room: usize, utf16: bool) -> String {
    if utf16 {
        let units: Vec<String> = c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\x{unit:04x}")).collect();
        return units.concat();
    }
    let mut buffer = [0; 4];
    let bytes = c.encode_utf8(&mut buffer).as_bytes();
    let mut escapes: Vec<String> = bytes.iter().map(|b| format!("\\{b:03o}")).collect();
    if escapes.len() * 4 < room {
        escapes[0] = format!("\\x00{:02x}", bytes[0]);
    }
    escapes.concat()
}

#[cfg(test)]
mod tests {
    use super::super::edits::Edits;
    use super::{identifier, number, quoted, raw};

    fn rewritten(text: &str, f: impl Fn(&mut Edits)) -> String {
        let mut edits = Edits::new(text);
        f(&mut edits);
        edits.finish().unwrap().0
    }

    #[test]
    fn escapes() {
        let string = |text: &str, prefix| rewritten(text, |edits| quoted(text, prefix, 0, edits).unwrap());
        assert_eq!(string(r#""a\eb\n""#, 0), r#""a\033b\n""#);
        assert_eq!(string(r#""\%7""#, 0), r#""\0457""#);
        assert_eq!(string(r#""\u00e9""#, 0), r#""\303\251""#);
        assert_eq!(string(r#""\U000000e9""#, 0), r#""\x00c3\251""#);
        assert_eq!(string(r#""\u20ac""#, 0), r#""\342\202\254""#);
        assert_eq!(string(r#"L"\u00e9a""#, 1), r#"L"\x00e9" L"a""#);
        assert_eq!(string(r#"L"\u00e9 ""#, 1), r#"L"\x00e9 ""#);
        assert_eq!(string(r#"u"\U0001F600""#, 1), r#"u"\xd83d\xde00""#);
        assert_eq!(string("u8'a'", 2), "(unsigned char)  'a'");
        assert_eq!(string(r"'\''", 0), r"'\''");
    }

    #[test]
    fn raw_strings() {
        let text = "LR\"x(a\\b\n\")\"c)x\" + 1";
        assert_eq!(raw(text, 2), Some((text.len() - 4, r#"L"a\\b\n\")\"c""#.to_string())));
        assert_eq!(raw("R\"x(a)y\"", 1), None);
    }

    #[test]
    fn numbers() {
        let n = |text: &str| rewritten(text, |edits| number(text, 0, edits).unwrap());
        assert_eq!(n("1'000'000u"), "1000000u  ");
        assert_eq!(n("1.5q"), "1.5f128");
        assert_eq!(n("1.5d"), "1.5 ");
        assert_eq!(n("1.5dd"), "1.5dd");
        assert_eq!(n("0x1d"), "0x1d");
        assert_eq!(n("1.5di"), "1.5i ");
        assert_eq!(n("0xb"), "0xb");
        assert!(number("5wbu", 0, &mut Edits::new("5wbu")).is_err());
    }

    #[test]
    fn names() {
        assert_eq!(identifier("a$b"), "a__fc_u24_b");
        assert_eq!(identifier("é"), identifier(r"\u00e9"));
    }
}
