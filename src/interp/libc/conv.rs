//! Text to numbers: `strtol`, `strtod` and their relatives.

use super::super::arith;
use super::super::value::{Format, Shape};
use super::{Args, Entries, Machine, Ret, Stop, errno, exact, int};

/// A number at the start of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Integer {
    pub magnitude: u64,
    pub negative: bool,
    /// It does not fit 64 bits.
    pub overflow: bool,
    /// How many bytes it takes, spaces included; 0 if there is none.
    pub length: usize,
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// An integer in a base of 2 to 36, or 0 for C's own prefixes.
pub(super) fn integer(text: &[u8], base: u32) -> Integer {
    let byte = |i: usize| text.get(i).copied().unwrap_or(0);
    let mut at = text.iter().take_while(|b| is_space(**b)).count();
    let negative = byte(at) == b'-';
    at += usize::from(matches!(byte(at), b'+' | b'-'));
    let digit = |i: usize, base: u32| (byte(i) as char).to_digit(36).filter(|d| *d < base);
    let hexadecimal = byte(at) == b'0' && matches!(byte(at + 1), b'x' | b'X') && digit(at + 2, 16).is_some();
    let mut base = base;
    if hexadecimal && matches!(base, 0 | 16) {
        at += 2;
        base = 16;
    } else if base == 0 {
        base = if byte(at) == b'0' { 8 } else { 10 };
    }
    let start = at;
    let (mut magnitude, mut overflow) = (0u64, false);
    while let Some(d) = digit(at, base) {
        match magnitude.checked_mul(u64::from(base)).and_then(|m| m.checked_add(u64::from(d))) {
            Some(value) => magnitude = value,
            None => overflow = true,
        }
        at += 1;
    }
    Integer { magnitude, negative, overflow, length: if at == start { 0 } else { at } }
}

impl Integer {
    /// The value for a result of this shape, and whether it had to be clamped.
    pub fn clamp(self, shape: Shape) -> (u64, bool) {
        let Integer { magnitude, negative, overflow, .. } = self;
        let bits = u32::from(shape.bits);
        if shape.signed {
            let most = u64::MAX >> (65 - bits);
            let limit = most + u64::from(negative);
            let value = if overflow || magnitude > limit { limit } else { magnitude };
            let value = if negative { value.wrapping_neg() } else { value };
            return (shape.wrap(value), overflow || magnitude > limit);
        }
        let most = u64::MAX >> (64 - bits);
        if overflow || magnitude > most {
            return (most, true);
        }
        (shape.wrap(if negative { magnitude.wrapping_neg() } else { magnitude }), false)
    }
}

/// A floating number at the start of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Floating {
    pub bits: u128,
    /// Too large or too small.
    pub range: bool,
    /// How many bytes it takes, spaces included; 0 if there is none.
    pub length: usize,
}

fn prefix_ignoring_case(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word)
}

/// How many bytes of `text` are digits (of base 16 if `hex`) with at most one point; the second is how many are digits.
fn mantissa(text: &[u8], hex: bool) -> (usize, usize) {
    let (mut length, mut digits, mut point) = (0, 0, false);
    for &byte in text {
        if byte == b'.' && !point {
            point = true;
        } else if byte.is_ascii_digit() || (hex && byte.is_ascii_hexdigit()) {
            digits += 1;
        } else {
            break;
        }
        length += 1;
    }
    (length, digits)
}

/// How many bytes of `text` are an exponent: the letter, a sign, digits.
fn exponent(text: &[u8], letter: u8) -> usize {
    if !text.first().is_some_and(|b| b.eq_ignore_ascii_case(&letter)) {
        return 0;
    }
    let sign = usize::from(text.get(1).is_some_and(|b| matches!(b, b'+' | b'-')));
    let digits = text[1 + sign..].iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 { 0 } else { 1 + sign + digits }
}

/// A floating number of a format.
pub(super) fn floating(text: &[u8], format: Format) -> Floating {
    let none = Floating { bits: 0, range: false, length: 0 };
    let mut at = text.iter().take_while(|b| is_space(**b)).count();
    let negative = text.get(at) == Some(&b'-');
    at += usize::from(text.get(at).is_some_and(|b| matches!(b, b'+' | b'-')));
    let rest = &text[at..];
    let sign = if negative { 1u128 << (format.bytes() * 8 - 1) } else { 0 };
    let special = |bits: u128, length: usize| Floating { bits: bits | sign, range: false, length: at + length };
    if prefix_ignoring_case(rest, b"infinity") {
        return special(arith::infinity(format), 8);
    }
    if prefix_ignoring_case(rest, b"inf") {
        return special(arith::infinity(format), 3);
    }
    if prefix_ignoring_case(rest, b"nan") {
        let tag = rest.get(3..).filter(|t| t.first() == Some(&b'('));
        let end = tag.and_then(|t| {
            let inner = t[1..].iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
            (t.get(1 + inner) == Some(&b')')).then_some(inner + 2)
        });
        let nan = arith::from_f64(format, f64::from_bits(0x7ff8_0000_0000_0000));
        return special(nan, 3 + end.unwrap_or(0));
    }
    let is_hex = prefix_ignoring_case(rest, b"0x") && mantissa(&rest[2..], true).1 > 0;
    let start = if is_hex { 2 } else { 0 };
    let (length, digits) = mantissa(&rest[start..], is_hex);
    if digits == 0 {
        return none;
    }
    let body = &rest[start..start + length];
    let tail = &rest[start + length..];
    let power = exponent(tail, if is_hex { b'p' } else { b'e' });
    let scale = clamp_exponent(&tail[..power]);
    let number = if is_hex {
        format!("0x{}p{scale}", String::from_utf8_lossy(body))
    } else {
        format!("{}e{scale}", String::from_utf8_lossy(body))
    };
    let zero = !body.iter().any(|b| b.is_ascii_hexdigit() && *b != b'0');
    let bits = if zero { 0 } else { parse(&number, is_hex, format) };
    let infinite = bits == arith::infinity(format);
    // The least normal number has only its lowest exponent bit set.
    let normal = match format {
        Format::Half => 1 << 10,
        Format::Single => 1 << 23,
        Format::Double => 1 << 52,
        Format::X87 => 1 << 63,
        Format::Quad => 1 << 112,
    };
    let range = !zero && (infinite || (bits < normal && !exact::is_exact(format, &number)));
    Floating { bits: bits | sign, range, length: at + start + length + power }
}

/// An exponent as a number that no format can tell from the true one.
fn clamp_exponent(text: &[u8]) -> i64 {
    let Some(digits) = text.get(1..) else { return 0 };
    let text = String::from_utf8_lossy(digits);
    let negative = text.starts_with('-');
    let magnitude = text.trim_start_matches(['+', '-']).parse::<i64>().unwrap_or(i64::MAX).min(1_000_000);
    if negative { -magnitude } else { magnitude }
}

fn parse(number: &str, is_hex: bool, format: Format) -> u128 {
    match format {
        Format::Double if !is_hex => number.parse::<f64>().map_or(0, |v| u128::from(v.to_bits())),
        Format::Single if !is_hex => number.parse::<f32>().map_or(0, |v| u128::from(v.to_bits())),
        _ => arith::parse(format, number).unwrap_or(0),
    }
}

/// So much text holds most numbers.
const WINDOW: u64 = 256;

/// What `parse` makes of the text at an address; its answer says how many bytes it took. A number that ends well within a window
/// is not sought further, so that reading many numbers from one long text takes linear time.
fn read<T>(m: &Machine<'_>, addr: u64, parse: impl Fn(&[u8]) -> (T, usize)) -> Result<(T, usize), Stop> {
    let length = m.memory.string_length(addr, WINDOW)?;
    let (value, taken) = parse(m.memory.slice(addr, length)?);
    if length < WINDOW || (taken > 0 && (taken as u64) < WINDOW / 2) {
        return Ok((value, taken));
    }
    Ok(parse(&m.string(addr)?))
}

fn read_integer(m: &Machine<'_>, addr: u64, base: u32) -> Result<Integer, Stop> {
    let parse = |t: &[u8]| {
        let number = integer(t, base);
        (number, number.length)
    };
    Ok(read(m, addr, parse)?.0)
}

fn read_floating(m: &Machine<'_>, addr: u64, format: Format) -> Result<Floating, Stop> {
    let parse = |t: &[u8]| {
        let number = floating(t, format);
        (number, number.length)
    };
    Ok(read(m, addr, parse)?.0)
}

fn to_integer(m: &mut Machine<'_>, a: &Args<'_>, size: u64, signed: bool) -> Ret {
    let base = a.int(2);
    if base < 0 || base == 1 || base > 36 {
        return m.fail_null(errno::EINVAL);
    }
    let number = read_integer(m, a.word(0), base as u32)?;
    if a.word(1) != 0 {
        m.memory.store_pointer(a.word(1), a.word(0) + number.length as u64)?;
    }
    let (value, clamped) = number.clamp(Shape { bits: size as u8 * 8, signed });
    if clamped {
        m.set_errno(errno::ERANGE)?;
    }
    Ok((value, 0))
}

fn to_long(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    to_integer(m, a, m.long_size(), true)
}
fn to_unsigned_long(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    to_integer(m, a, m.long_size(), false)
}
fn to_long_long(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    to_integer(m, a, 8, true)
}
fn to_unsigned_long_long(m: &mut Machine<'_>, a: &Args<'_>) -> Ret {
    to_integer(m, a, 8, false)
}

fn to_floating(m: &mut Machine<'_>, a: &Args<'_>, end: u64) -> Ret {
    let number = read_floating(m, a.word(0), a.result_format())?;
    if end != 0 {
        m.memory.store_pointer(end, a.word(0) + number.length as u64)?;
    }
    if number.range {
        m.set_errno(errno::ERANGE)?;
    }
    Ok((number.bits as u64, (number.bits >> 64) as u64))
}

/// `atoi` and its relatives.
fn ascii_to(m: &mut Machine<'_>, a: &Args<'_>, size: u64) -> Ret {
    let number = read_integer(m, a.word(0), 10)?;
    int(number.clamp(Shape { bits: size as u8 * 8, signed: true }).0 as i64)
}

pub(super) const TABLE: Entries = &[
    ("strtol", to_long),
    ("__isoc23_strtol", to_long),
    ("__strtol_internal", to_long),
    ("strtoul", to_unsigned_long),
    ("__isoc23_strtoul", to_unsigned_long),
    ("strtoll", to_long_long),
    ("__isoc23_strtoll", to_long_long),
    ("strtoq", to_long_long),
    ("strtoull", to_unsigned_long_long),
    ("__isoc23_strtoull", to_unsigned_long_long),
    ("strtouq", to_unsigned_long_long),
    ("strtoimax", to_long_long),
    ("__isoc23_strtoimax", to_long_long),
    ("strtoumax", to_unsigned_long_long),
    ("__isoc23_strtoumax", to_unsigned_long_long),
    ("strtod", |m, a| to_floating(m, a, a.word(1))),
    ("strtof", |m, a| to_floating(m, a, a.word(1))),
    ("strtold", |m, a| to_floating(m, a, a.word(1))),
    ("__strtod_internal", |m, a| to_floating(m, a, a.word(1))),
    // `atoi` is `strtol` cut to an `int`.
    ("atoi", |m, a| ascii_to(m, a, m.long_size())),
    ("atol", |m, a| ascii_to(m, a, m.long_size())),
    ("atoll", |m, a| ascii_to(m, a, 8)),
    ("atof", |m, a| to_floating(m, a, 0)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_strtol_does() {
        let long = Shape { bits: 64, signed: true };
        let read = |t: &str, base| {
            let n = integer(t.as_bytes(), base);
            (n.clamp(long).0 as i64, n.length)
        };
        assert_eq!(read("  -42x", 10), (-42, 5));
        assert_eq!(read("0x1Fg", 0), (31, 4));
        assert_eq!(read("0xg", 0), (0, 1));
        assert_eq!(read("077", 0), (63, 3));
        assert_eq!(read("z", 36), (35, 1));
        assert_eq!(read("+", 10), (0, 0));
        assert_eq!(read("99999999999999999999", 10), (i64::MAX, 20));
        assert_eq!(read("-99999999999999999999", 10), (i64::MIN, 21));
        let unsigned = Shape { bits: 64, signed: false };
        assert_eq!(integer(b"-1", 10).clamp(unsigned), (u64::MAX, false));
    }

    #[test]
    fn floats_are_read_as_strtod_does() {
        let read = |t: &str| {
            let n = floating(t.as_bytes(), Format::Double);
            (f64::from_bits(n.bits as u64), n.length, n.range)
        };
        assert_eq!(read(" 1.5e3z"), (1500.0, 6, false));
        assert_eq!(read("1e"), (1.0, 1, false));
        assert_eq!(read(".5."), (0.5, 2, false));
        assert_eq!(read("0x1.8p1"), (3.0, 7, false));
        assert_eq!(read("0x"), (0.0, 1, false));
        assert_eq!(read("-inf"), (f64::NEG_INFINITY, 4, false));
        assert_eq!(read("1e400"), (f64::INFINITY, 5, true));
        assert_eq!(read("1e-400"), (0.0, 6, true));
        assert_eq!(read("0e99999999999999999999"), (0.0, 22, false));
        assert_eq!(read("abc"), (0.0, 0, false));
        assert!(read("nan(12)").0.is_nan() && read("nan(12)").1 == 7 && read("nan(").1 == 3);
        let tenth = floating(b"0.1", Format::X87).bits;
        // 0.1L is 0xcccccccccccccccd * 2^-67.
        assert_eq!(tenth, (0x3ffb_u128 << 64) | 0xcccc_cccc_cccc_cccd);
    }
}
