//! The `scanf` family.

use super::super::value::{Format, Shape};
use super::{Args, Entries, Machine, Ret, Stop, Variable, conv, int};
use crate::ir::FloatKind;

/// Where input comes from.
enum Input {
    Text { bytes: Vec<u8>, at: usize },
    Stream(u64),
}

/// Input with a count of what was taken.
struct Reader {
    input: Input,
    taken: usize,
}

impl Reader {
    fn next(&mut self, m: &mut Machine<'_>) -> Result<Option<u8>, Stop> {
        let byte = match &mut self.input {
            Input::Text { bytes, at } => {
                let byte = bytes.get(*at).copied();
                *at += usize::from(byte.is_some());
                byte
            }
            Input::Stream(file) => m.next_byte(*file)?,
        };
        self.taken += usize::from(byte.is_some());
        Ok(byte)
    }
    fn back(&mut self, m: &mut Machine<'_>, byte: Option<u8>) -> Result<(), Stop> {
        let Some(byte) = byte else { return Ok(()) };
        self.taken -= 1;
        match &mut self.input {
            Input::Text { at, .. } => *at -= 1,
            Input::Stream(file) => m.push_back(*file, byte)?,
        }
        Ok(())
    }
    /// Takes bytes while `wanted` says so, at most `limit`.
    fn take(
        &mut self,
        m: &mut Machine<'_>,
        limit: usize,
        mut wanted: impl FnMut(&[u8], u8) -> bool,
    ) -> Result<Vec<u8>, Stop> {
        let mut text = Vec::new();
        while text.len() < limit {
            match self.next(m)? {
                Some(byte) if wanted(&text, byte) => text.push(byte),
                other => {
                    self.back(m, other)?;
                    break;
                }
            }
        }
        Ok(text)
    }
    fn skip_spaces(&mut self, m: &mut Machine<'_>) -> Result<(), Stop> {
        self.take(m, usize::MAX, |_, b| is_space(b)).map(|_| ())
    }
    fn at_end(&mut self, m: &mut Machine<'_>) -> Result<bool, Stop> {
        let byte = self.next(m)?;
        self.back(m, byte)?;
        Ok(byte.is_none())
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// A conversion of the format.
struct Directive {
    suppress: bool,
    allocate: bool,
    width: usize,
    /// Bytes of an integer argument; 0 stands for the conversion's own type, and a floating argument is a `double` (8) or
    /// `long double` (16).
    size: u64,
    argument: usize,
}

/// Whether `text` followed by `byte` can still be an integer of this base.
fn continues_integer(text: &[u8], byte: u8, base: u32) -> bool {
    let body = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    if text.is_empty() && matches!(byte, b'+' | b'-') {
        return true;
    }
    if body == b"0" && matches!(byte, b'x' | b'X') && matches!(base, 0 | 16) {
        return true;
    }
    let hex = body.get(1).is_some_and(|b| matches!(b, b'x' | b'X'));
    let base = match base {
        0 if hex => 16,
        0 if body.first() == Some(&b'0') => 8,
        0 => 10,
        base => base,
    };
    (byte as char).to_digit(36).is_some_and(|d| d < base)
}

/// Whether `text` followed by `byte` can still be a floating number.
fn continues_float(text: &[u8], byte: u8) -> bool {
    let body = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
    if text.is_empty() && matches!(byte, b'+' | b'-') {
        return true;
    }
    for word in [&b"infinity"[..], b"nan"] {
        if body.len() < word.len()
            && word[..body.len()].eq_ignore_ascii_case(body)
            && word[body.len()].eq_ignore_ascii_case(&byte)
        {
            return true;
        }
    }
    if body.first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    if body == b"0" && matches!(byte, b'x' | b'X') {
        return true;
    }
    let hex = body.get(1).is_some_and(|b| matches!(b, b'x' | b'X'));
    let letter = if hex { b'p' } else { b'e' };
    let digits = &body[if hex { 2 } else { 0 }..];
    let power = digits.iter().position(|b| b.eq_ignore_ascii_case(&letter));
    match (power, byte) {
        (Some(at), b'+' | b'-') => at + 1 == digits.len(),
        (Some(_), byte) => byte.is_ascii_digit(),
        (None, b'.') => !digits.contains(&b'.'),
        (None, byte) if byte.eq_ignore_ascii_case(&letter) => digits.iter().any(u8::is_ascii_hexdigit),
        (None, byte) => byte.is_ascii_digit() || (hex && byte.is_ascii_hexdigit()),
    }
}

/// The set of a `%[…]`, and where the format goes on.
fn scan_set(format: &[u8], mut at: usize) -> ([bool; 256], usize) {
    let mut set = [false; 256];
    let invert = format.get(at) == Some(&b'^');
    at += usize::from(invert);
    let first = at;
    while let Some(&byte) = format.get(at) {
        if byte == b']' && at > first {
            break;
        }
        let last = format.get(at + 2).copied().filter(|l| format.get(at + 1) == Some(&b'-') && *l != b']');
        match last {
            Some(last) if last >= byte => {
                (byte..=last).for_each(|b| set[usize::from(b)] = true);
                at += 3;
            }
            _ => {
                set[usize::from(byte)] = true;
                at += 1;
            }
        }
    }
    if invert {
        for b in &mut set {
            *b = !*b;
        }
    }
    (set, at + 1)
}

/// What became of a conversion.
enum Outcome {
    Stored,
    Skipped,
    Mismatch,
}

fn scan(m: &mut Machine<'_>, mut input: Reader, format: &[u8], args: &Variable<'_>) -> Ret {
    let (mut stored, mut at, mut next_arg) = (0, 0, 0);
    while let Some(&byte) = format.get(at) {
        at += 1;
        if is_space(byte) {
            input.skip_spaces(m)?;
            continue;
        }
        if byte != b'%' {
            let next = input.next(m)?;
            if next != Some(byte) {
                input.back(m, next)?;
                return int(if next.is_none() && stored == 0 { -1 } else { stored });
            }
            continue;
        }
        let mut d = Directive { suppress: false, allocate: false, width: 0, size: 0, argument: 0 };
        let number = |at: &mut usize| {
            let mut value = 0usize;
            while let Some(digit) = format.get(*at).filter(|b| b.is_ascii_digit()) {
                value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
                *at += 1;
            }
            value
        };
        if format.get(at) == Some(&b'*') {
            d.suppress = true;
            at += 1;
        }
        d.width = number(&mut at);
        let mut position = None;
        if format.get(at) == Some(&b'$') {
            position = d.width.checked_sub(1);
            at += 1;
            if format.get(at) == Some(&b'*') {
                d.suppress = true;
                at += 1;
            }
            d.width = number(&mut at);
        }
        while let Some(&modifier) = format.get(at) {
            let model = &m.program.types.model;
            match modifier {
                b'h' => d.size = if d.size == model.short_size { 1 } else { model.short_size },
                b'l' => d.size = if d.size == 0 { model.long_size } else { 8 },
                b'q' | b'j' => d.size = 8,
                b'L' => d.size = 16,
                b'z' => d.size = model.int_size(model.size_type),
                b't' => d.size = model.int_size(model.ptrdiff_type),
                b'm' => d.allocate = true,
                _ => break,
            }
            at += 1;
        }
        let Some(&conversion) = format.get(at) else { break };
        at += 1;
        let mut set = [true; 256];
        if conversion == b'[' {
            (set, at) = scan_set(format, at);
        }
        if !matches!(conversion, b'c' | b'C' | b'[' | b'n') {
            input.skip_spaces(m)?;
        }
        if conversion == b'%' {
            let next = input.next(m)?;
            if next != Some(b'%') {
                input.back(m, next)?;
                return int(if next.is_none() && stored == 0 { -1 } else { stored });
            }
            continue;
        }
        if !d.suppress {
            d.argument = position.unwrap_or(next_arg);
            next_arg += 1;
        }
        if conversion != b'n' && input.at_end(m)? {
            return int(if stored == 0 { -1 } else { stored });
        }
        match convert(m, &mut input, &d, conversion, &set, args)? {
            Outcome::Stored => stored += 1,
            Outcome::Skipped => {}
            Outcome::Mismatch => return int(stored),
        }
    }
    int(stored)
}

fn convert(
    m: &mut Machine<'_>,
    input: &mut Reader,
    d: &Directive,
    conversion: u8,
    set: &[bool; 256],
    args: &Variable<'_>,
) -> Result<Outcome, Stop> {
    let limit = if d.width == 0 { usize::MAX } else { d.width };
    let target = |m: &Machine<'_>| if d.suppress { Ok(0) } else { args.get(m, d.argument).map(|v| v[0]) };
    let int_size = m.int_size();
    match conversion {
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'p' => {
            let (base, signed) = match conversion {
                b'd' => (10, true),
                b'i' => (0, true),
                b'u' => (10, false),
                b'o' => (8, false),
                _ => (16, false),
            };
            let text = input.take(m, limit, |t, b| continues_integer(t, b, base))?;
            let number = conv::integer(&text, base);
            if number.length == 0 && !(conversion == b'p' && text.is_empty()) {
                return Ok(Outcome::Mismatch);
            }
            let size = match (conversion, d.size) {
                (b'p', _) => m.pointer_size(),
                (_, 0) => int_size,
                (_, size) => size.min(8),
            };
            // The digits are read as a `long`, then cut.
            let wide = size.max(m.long_size());
            let value = number.clamp(Shape { bits: wide as u8 * 8, signed }).0;
            if d.suppress {
                return Ok(Outcome::Skipped);
            }
            let target = target(m)?;
            m.memory.store_uint(target, size, value)?;
            Ok(Outcome::Stored)
        }
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
            let kind = match d.size {
                0 => FloatKind::Float,
                16 => FloatKind::LongDouble,
                _ => FloatKind::Double,
            };
            let format = Format::of(&m.program.types.model, kind);
            let text = input.take(m, limit, continues_float)?;
            let number = conv::floating(&text, format);
            // As glibc has it, an exponent without digits is taken; a prefix without digits and half a word are not.
            let body = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(&text);
            let cut = number.length < text.len()
                && (body.first().is_some_and(u8::is_ascii_alphabetic) || matches!(body.last(), Some(b'x' | b'X')));
            if number.length == 0 || cut {
                return Ok(Outcome::Mismatch);
            }
            if d.suppress {
                return Ok(Outcome::Skipped);
            }
            let scalar = super::Scalar::Float(format);
            let raw = scalar.encode(number.bits as u64, (number.bits >> 64) as u64, m.memory.big_endian);
            let target = target(m)?;
            m.memory.store_raw(target, scalar.bytes(), raw)?;
            Ok(Outcome::Stored)
        }
        b's' | b'S' | b'[' | b'c' | b'C' => {
            let is_char = matches!(conversion, b'c' | b'C');
            let limit = if is_char { d.width.max(1) } else { limit };
            let text = match conversion {
                b'c' | b'C' => input.take(m, limit, |_, _| true)?,
                b'[' => input.take(m, limit, |_, b| set[usize::from(b)])?,
                _ => input.take(m, limit, |_, b| !is_space(b))?,
            };
            if text.is_empty() || (is_char && text.len() < limit) {
                return Ok(Outcome::Mismatch);
            }
            if d.suppress {
                return Ok(Outcome::Skipped);
            }
            let mut target = target(m)?;
            if d.allocate {
                let block = m.malloc(text.len() as u64 + 1, 1)?;
                m.memory.store_pointer(target, block)?;
                target = block;
            }
            let wide = matches!(conversion, b'S' | b'C') || d.size > 1 && d.size == m.long_size();
            if wide {
                let size = m.program.types.model.int_size(m.program.types.model.wchar_type);
                for (i, byte) in text.iter().enumerate() {
                    m.memory.store_uint(target + size * i as u64, size, u64::from(*byte))?;
                }
                if !is_char {
                    m.memory.store_uint(target + size * text.len() as u64, size, 0)?;
                }
            } else if is_char {
                m.put(target, &text)?;
            } else {
                m.memory.put_c_string(target, &text)?;
            }
            Ok(Outcome::Stored)
        }
        b'n' => {
            if !d.suppress {
                let size = if d.size == 0 { int_size } else { d.size.min(8) };
                let target = target(m)?;
                m.memory.store_uint(target, size, input.taken as u64)?;
            }
            Ok(Outcome::Skipped)
        }
        _ => Ok(Outcome::Mismatch),
    }
}

fn from_stream(m: &mut Machine<'_>, file: u64, format: u64, args: &Variable<'_>) -> Ret {
    let format = m.string(format)?;
    scan(m, Reader { input: Input::Stream(file), taken: 0 }, &format, args)
}

fn from_stdin(m: &mut Machine<'_>, format: u64, args: &Variable<'_>) -> Ret {
    let file = m.standard("stdin")?;
    from_stream(m, file, format, args)
}

fn from_text(m: &mut Machine<'_>, text: u64, format: u64, args: &Variable<'_>) -> Ret {
    let (bytes, format) = (m.string(text)?, m.string(format)?);
    scan(m, Reader { input: Input::Text { bytes, at: 0 }, taken: 0 }, &format, args)
}

fn passed<'a>(args: &'a Args<'a>, from: usize) -> Variable<'a> {
    Variable::Passed { args, from }
}

fn list(a: &Args<'_>, i: usize) -> Variable<'static> {
    Variable::List(a.word(i))
}

pub(super) const TABLE: Entries = &[
    ("scanf", |m, a| from_stdin(m, a.word(0), &passed(a, 1))),
    ("__isoc99_scanf", |m, a| from_stdin(m, a.word(0), &passed(a, 1))),
    ("__isoc23_scanf", |m, a| from_stdin(m, a.word(0), &passed(a, 1))),
    ("vscanf", |m, a| from_stdin(m, a.word(0), &list(a, 1))),
    ("__isoc99_vscanf", |m, a| from_stdin(m, a.word(0), &list(a, 1))),
    ("__isoc23_vscanf", |m, a| from_stdin(m, a.word(0), &list(a, 1))),
    ("fscanf", |m, a| from_stream(m, a.word(0), a.word(1), &passed(a, 2))),
    ("__isoc99_fscanf", |m, a| from_stream(m, a.word(0), a.word(1), &passed(a, 2))),
    ("__isoc23_fscanf", |m, a| from_stream(m, a.word(0), a.word(1), &passed(a, 2))),
    ("vfscanf", |m, a| from_stream(m, a.word(0), a.word(1), &list(a, 2))),
    ("__isoc99_vfscanf", |m, a| from_stream(m, a.word(0), a.word(1), &list(a, 2))),
    ("__isoc23_vfscanf", |m, a| from_stream(m, a.word(0), a.word(1), &list(a, 2))),
    ("sscanf", |m, a| from_text(m, a.word(0), a.word(1), &passed(a, 2))),
    ("__isoc99_sscanf", |m, a| from_text(m, a.word(0), a.word(1), &passed(a, 2))),
    ("__isoc23_sscanf", |m, a| from_text(m, a.word(0), a.word(1), &passed(a, 2))),
    ("vsscanf", |m, a| from_text(m, a.word(0), a.word(1), &list(a, 2))),
    ("__isoc99_vsscanf", |m, a| from_text(m, a.word(0), a.word(1), &list(a, 2))),
    ("__isoc23_vsscanf", |m, a| from_text(m, a.word(0), a.word(1), &list(a, 2))),
];
