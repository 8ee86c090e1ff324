//! From bytes to text that the pre-pass and the parser can read.
//!
//! C sources need not be UTF-8. A byte that is not part of a UTF-8 character keeps its value inside a literal as an octal escape
//! (`"\351"` for Latin-1 `é`) and becomes `?` outside; zero bytes likewise (a blank outside). Carriage returns, form feeds and
//! other control characters are blanks, as for the compiler. Line feeds stay where they are, so line numbers hold.
//!
//! Cost: one pass; text that is clean is not copied.

use std::borrow::Cow;

/// The text of a preprocessor's output.
pub(super) fn to_text(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) if !text.starts_with('\u{feff}') && !text.bytes().any(is_stray_control) => text,
        Ok(text) => rewrite(text.as_bytes()),
        Err(e) => rewrite(e.as_bytes()),
    }
}

/// A token of a file on disk as it stands in the text made by [`to_text`].
pub(super) fn token_text(bytes: &[u8]) -> Cow<'_, [u8]> {
    if std::str::from_utf8(bytes).is_ok() && !bytes.iter().copied().any(is_stray_control) {
        Cow::Borrowed(bytes)
    } else {
        Cow::Owned(rewrite(bytes).into_bytes())
    }
}

/// The text of a file to be shown: byte for byte as long as the file, whatever cannot be shown replaced by `?`.
pub(super) fn to_shown(mut bytes: Vec<u8>) -> String {
    let mut at = 0;
    while at < bytes.len() {
        match std::str::from_utf8(&bytes[at..]) {
            Ok(_) => break,
            Err(e) => {
                let bad = at + e.valid_up_to();
                let len = e.error_len().unwrap_or(bytes.len() - bad);
                bytes[bad..bad + len].fill(b'?');
                at = bad + len;
            }
        }
    }
    for i in 0..bytes.len() {
        if bytes[i] == b'\r' {
            // An end of line is not shown; a carriage return within the line would overwrite it.
            if bytes.get(i + 1) != Some(&b'\n') {
                bytes[i] = b' ';
            }
        } else if is_stray_control(bytes[i]) || bytes[i] == 0x7f {
            bytes[i] = b'?';
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

fn is_stray_control(byte: u8) -> bool {
    byte < 0x20 && byte != b'\n' && byte != b'\t'
}

/// The literal a byte stands in.
#[derive(Clone, Copy, PartialEq)]
enum Within {
    Nothing,
    Literal(u8),
}

fn rewrite(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len() + bytes.len() / 16);
    let mut within = Within::Nothing;
    let mut escaped = false;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let was_escaped = std::mem::replace(&mut escaped, false);
            match (within, c) {
                (Within::Literal(_), '\0') => push_octal(&mut out, 0, was_escaped),
                (_, '\u{feff}') if out.is_empty() => out.push_str("   "),
                (_, '\n') => {
                    within = Within::Nothing;
                    out.push('\n');
                }
                (_, c) if c.is_ascii() && is_stray_control(c as u8) => out.push(' '),
                (Within::Nothing, '"' | '\'') => {
                    within = Within::Literal(c as u8);
                    out.push(c);
                }
                (Within::Literal(quote), c) => {
                    if c == '\\' && !was_escaped {
                        escaped = true;
                    } else if c == char::from(quote) && !was_escaped {
                        within = Within::Nothing;
                    }
                    out.push(c);
                }
                (Within::Nothing, c) => out.push(c),
            }
        }
        for &byte in chunk.invalid() {
            match within {
                Within::Literal(_) => push_octal(&mut out, byte, std::mem::replace(&mut escaped, false)),
                Within::Nothing => out.push('?'),
            }
        }
    }
    out
}

/// `\351`; after a backslash only the digits, since the compiler takes `\` before such a byte for the byte alone.
fn push_octal(out: &mut String, byte: u8, escaped: bool) {
    if !escaped {
        out.push('\\');
    }
    for shift in [6, 3, 0] {
        out.push(char::from(b'0' + (byte >> shift & 7)));
    }
}

#[cfg(test)]
mod tests {
    use super::{to_shown, to_text};

    #[test]
    fn latin_1_keeps_its_value_in_literals() {
        assert_eq!(to_text(b"char *s = \"caf\xe9!\";".to_vec()), "char *s = \"caf\\351!\";");
        assert_eq!(to_text(b"int c = '\xff';".to_vec()), "int c = '\\377';");
        // The backslash before it is part of an unknown escape, which stands for the byte itself.
        assert_eq!(to_text(b"\"\\\xe9\" \"\\\\\xe9\"".to_vec()), "\"\\351\" \"\\\\\\351\"");
        // A quote inside a literal does not end it.
        assert_eq!(to_text(b"\"\\\"\xe9\"".to_vec()), "\"\\\"\\351\"");
    }

    #[test]
    fn outside_literals_bad_bytes_are_marked_and_lines_kept() {
        assert_eq!(to_text(b"int \xe9;\nint \"\n\xe9".to_vec()), "int ?;\nint \"\n?");
    }

    #[test]
    fn utf_8_stays() {
        assert_eq!(to_text("\"é\" 'ü'\n".into()), "\"é\" 'ü'\n");
        assert_eq!(to_text([&b"\"\xe9 "[..], "é\"".as_bytes()].concat()), "\"\\351 é\"");
    }

    #[test]
    fn control_characters_are_blanks() {
        assert_eq!(to_text(b"int a;\r\nint\x0cb;\0\n\"\0\"".to_vec()), "int a; \nint b; \n\"\\000\"");
        assert_eq!(to_text("\u{feff}int a;".into()), "   int a;");
    }

    #[test]
    fn shown_text_is_as_long_as_the_file() {
        let bytes = b"caf\xe9 \r\xe9\xa9\r\n\x1b[0m\xe2\x82".to_vec();
        let shown = to_shown(bytes.clone());
        assert_eq!(shown.len(), bytes.len());
        assert_eq!(shown, "caf?  ??\r\n?[0m??");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_become_text_with_the_same_lines(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..64)) {
            let lines = |bytes: &[u8]| bytes.split(|b| *b == b'\n').count();
            let text = to_text(bytes.clone());
            assert_eq!(lines(text.as_bytes()), lines(&bytes));
            assert_eq!(to_text(text.clone().into_bytes()), text);
            assert_eq!(to_shown(bytes.clone()).len(), bytes.len());
        }
    }
}
