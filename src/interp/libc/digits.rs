//! Exact decimal and hexadecimal digits of floating numbers, and how `printf` lays them out.
//!
//! A number is `mantissa * 2^exponent`. Its decimal expansion is finite and is computed in full, so that every precision is
//! rounded correctly (half to even on the exact value, as glibc does).

use super::super::value::Format;

/// A floating number taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub negative: bool,
    pub kind: Kind,
    pub format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Nan,
    Infinite,
    /// `mantissa * 2^exponent`; zero has mantissa 0.
    Finite {
        mantissa: u128,
        exponent: i32,
    },
}

/// Bits of the fraction without a hidden bit, and of the exponent.
fn shape(format: Format) -> (u32, u32) {
    match format {
        Format::Half => (10, 5),
        Format::Single => (23, 8),
        Format::Double => (52, 11),
        // Its integer bit is explicit.
        Format::X87 => (64, 15),
        Format::Quad => (112, 15),
    }
}

impl Number {
    /// From the bits of a format.
    pub fn new(format: Format, bits: u128) -> Number {
        let (fraction_bits, exponent_bits) = shape(format);
        let negative = bits >> (fraction_bits + exponent_bits) & 1 == 1;
        let fraction = bits & ((1 << fraction_bits) - 1);
        let biased = (bits >> fraction_bits) as i32 & ((1 << exponent_bits) - 1);
        let bias = (1 << (exponent_bits - 1)) - 1;
        let point = if format == Format::X87 { 63 } else { fraction_bits as i32 };
        let hidden = if format == Format::X87 { 0 } else { 1u128 << fraction_bits };
        let kind = if biased == (1 << exponent_bits) - 1 {
            let rest = if format == Format::X87 { fraction & ((1 << 63) - 1) } else { fraction };
            if rest == 0 { Kind::Infinite } else { Kind::Nan }
        } else if biased == 0 {
            Kind::Finite { mantissa: fraction, exponent: 1 - bias - point }
        } else {
            Kind::Finite { mantissa: fraction | hidden, exponent: biased - bias - point }
        };
        Number { negative, kind, format }
    }
}

/// Decimal digits: the number is `0.d1d2d3… * 10^point`.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

const LIMB: u64 = 1_000_000_000;

fn multiply(limbs: &mut Vec<u32>, factor: u32) {
    let mut carry = 0;
    for limb in limbs.iter_mut() {
        let product = u64::from(*limb) * u64::from(factor) + carry;
        *limb = (product % LIMB) as u32;
        carry = product / LIMB;
    }
    if carry > 0 {
        limbs.push(carry as u32);
    }
}

impl Decimal {
    /// The exact expansion.
    fn exact(mantissa: u128, exponent: i32) -> Decimal {
        if mantissa == 0 {
            return Decimal { digits: Vec::new(), point: 1 };
        }
        let zeros = mantissa.trailing_zeros();
        let (mut rest, exponent) = (mantissa >> zeros, exponent + zeros as i32);
        let mut limbs: Vec<u32> = Vec::new();
        while rest > 0 {
            limbs.push((rest % u128::from(LIMB)) as u32);
            rest /= u128::from(LIMB);
        }
        // A negative power of two is a power of five with a shifted point.
        let (base, step): (u32, u32) = if exponent >= 0 { (2, 29) } else { (5, 12) };
        let mut left = exponent.unsigned_abs();
        while left > 0 {
            let now = left.min(step);
            multiply(&mut limbs, base.pow(now));
            left -= now;
        }
        let mut digits = Vec::with_capacity(limbs.len() * 9);
        for (i, limb) in limbs.iter().rev().enumerate() {
            let text = if i == 0 { format!("{limb}") } else { format!("{limb:09}") };
            digits.extend(text.bytes().map(|b| b - b'0'));
        }
        let point = digits.len() as i32 + exponent.min(0);
        Decimal { digits, point }
    }

    /// Keeps the first `count` digits, rounded half to even; fewer are padded with zeros.
    fn round(&mut self, count: i64) {
        if count < 0 {
            self.digits.clear();
            return;
        }
        let count = count as usize;
        if count >= self.digits.len() {
            return;
        }
        let tail = &self.digits[count..];
        let above = match tail[0].cmp(&5) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal => {
                tail[1..].iter().any(|d| *d != 0) || count.checked_sub(1).is_some_and(|i| self.digits[i] % 2 == 1)
            }
        };
        self.digits.truncate(count);
        if !above {
            return;
        }
        for digit in self.digits.iter_mut().rev() {
            *digit += 1;
            if *digit < 10 {
                return;
            }
            *digit = 0;
        }
        self.digits.insert(0, 1);
        self.point += 1;
    }

    fn digit(&self, i: i64) -> u8 {
        let value = usize::try_from(i).ok().and_then(|i| self.digits.get(i)).copied().unwrap_or(0);
        b'0' + value
    }
}

/// Fixed notation with `precision` digits after the point.
fn fixed(number: &Decimal, precision: usize, alternate: bool) -> Vec<u8> {
    let mut number = number.clone();
    number.round(i64::from(number.point) + precision as i64);
    let point = i64::from(number.point);
    let mut text: Vec<u8> = (0..point).map(|i| number.digit(i)).collect();
    if text.is_empty() || number.digits.is_empty() {
        text = vec![b'0'];
    }
    if precision > 0 || alternate {
        text.push(b'.');
    }
    let from = if number.digits.is_empty() { i64::MIN / 2 } else { point };
    text.extend((0..precision as i64).map(|i| number.digit(from + i)));
    text
}

/// Scientific notation with `precision` digits after the point.
fn scientific(number: &Decimal, precision: usize, alternate: bool) -> Vec<u8> {
    let mut number = number.clone();
    number.round(precision as i64 + 1);
    let mut text = vec![number.digit(0)];
    if precision > 0 || alternate {
        text.push(b'.');
    }
    text.extend((1..=precision as i64).map(|i| number.digit(i)));
    let exponent = number.point - 1;
    let sign = if exponent < 0 { '-' } else { '+' };
    text.extend(format!("e{sign}{:02}", exponent.abs()).bytes());
    text
}

/// The shorter of the two, with `precision` significant digits.
fn general(number: &Decimal, precision: usize, alternate: bool) -> Vec<u8> {
    let precision = precision.max(1);
    let mut rounded = number.clone();
    rounded.round(precision as i64);
    let exponent = i64::from(rounded.point) - 1;
    let is_fixed = (-4..precision as i64).contains(&exponent);
    let text = if is_fixed {
        fixed(number, (precision as i64 - 1 - exponent) as usize, alternate)
    } else {
        scientific(number, precision - 1, alternate)
    };
    // glibc drops the zeros here too if only rounding led to the other notation.
    let carried = i64::from(number.point) == precision as i64 && exponent == precision as i64;
    if alternate && !carried {
        return text;
    }
    let end = text.iter().position(|b| *b == b'e').unwrap_or(text.len());
    let (mantissa, tail) = text.split_at(end);
    if !mantissa.contains(&b'.') {
        return text;
    }
    let kept = mantissa.iter().rposition(|b| *b != b'0').map_or(0, |i| i + 1);
    let mut kept = mantissa[..kept].to_vec();
    if kept.last() == Some(&b'.') && !alternate {
        kept.pop();
    }
    kept.extend_from_slice(tail);
    kept
}

/// Hexadecimal notation, without sign and prefix.
fn hexadecimal(format: Format, mantissa: u128, exponent: i32, precision: Option<usize>, alternate: bool) -> Vec<u8> {
    // Bits after the leading hexadecimal digit, and the exponent that goes with it. glibc's leading digit is the hidden bit, or an
    // x87 number's first four bits.
    let (below, power) = match format {
        Format::Half => (10, exponent + 10),
        Format::Single => (23, exponent + 23),
        Format::Double => (52, exponent + 52),
        Format::X87 => (60, exponent + 60),
        Format::Quad => (112, exponent + 112),
    };
    // A fraction of whole digits.
    let digits = (below as usize).div_ceil(4);
    let mut value = mantissa << (digits * 4 - below as usize);
    let mut power = if mantissa == 0 { 0 } else { power };
    let mut count = digits;
    if let Some(precision) = precision
        && precision < digits
    {
        let drop = (digits - precision) * 4;
        let (kept, rest, half) = (value >> drop, value & ((1 << drop) - 1), 1u128 << (drop - 1));
        value = kept + u128::from(rest > half || (rest == half && kept & 1 == 1));
        count = precision;
        if value >> (count * 4) > 0xf {
            value >>= 4;
            power += 4;
        }
    }
    let mut lead = format!("{:x}", value >> (count * 4)).into_bytes();
    let fraction = value & ((1u128 << (count * 4)) - 1);
    let mut tail = if count == 0 { Vec::new() } else { format!("{fraction:0count$x}").into_bytes() };
    match precision {
        None => {
            let kept = tail.iter().rposition(|b| *b != b'0').map_or(0, |i| i + 1);
            tail.truncate(kept);
        }
        Some(precision) => tail.resize(precision, b'0'),
    }
    if !tail.is_empty() || alternate {
        lead.push(b'.');
    }
    lead.extend(tail);
    lead.extend(format!("p{power:+}").bytes());
    lead
}

/// The digits of a number for conversion `conversion` (one of `e f g a`, lower case), without its sign and without the `0x`.
pub(super) fn text(number: Number, conversion: u8, precision: Option<usize>, alternate: bool) -> Vec<u8> {
    let (mantissa, exponent) = match number.kind {
        Kind::Nan => return b"nan".to_vec(),
        Kind::Infinite => return b"inf".to_vec(),
        Kind::Finite { mantissa, exponent } => (mantissa, exponent),
    };
    if conversion == b'a' {
        return hexadecimal(number.format, mantissa, exponent, precision, alternate);
    }
    let decimal = Decimal::exact(mantissa, exponent);
    let precision = precision.unwrap_or(6);
    match conversion {
        b'e' => scientific(&decimal, precision, alternate),
        b'f' => fixed(&decimal, precision, alternate),
        _ => general(&decimal, precision, alternate),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(value: f64, conversion: u8, precision: usize) -> String {
        let number = Number::new(Format::Double, u128::from(value.to_bits()));
        String::from_utf8(text(number, conversion, Some(precision), false)).unwrap()
    }

    #[test]
    fn halves_go_to_even() {
        assert_eq!(show(0.5, b'f', 0), "0");
        assert_eq!(show(1.5, b'f', 0), "2");
        assert_eq!(show(2.5, b'f', 0), "2");
        assert_eq!(show(0.125, b'f', 2), "0.12");
        assert_eq!(show(0.375, b'f', 2), "0.38");
        assert_eq!(show(9.5, b'f', 0), "10");
        assert_eq!(show(0.001, b'f', 1), "0.0");
        assert_eq!(show(0.06, b'f', 1), "0.1");
        assert_eq!(show(0.0, b'f', 3), "0.000");
        assert_eq!(show(0.0, b'e', 2), "0.00e+00");
        assert_eq!(show(0.0, b'g', 6), "0");
    }

    #[test]
    fn expansions_are_exact() {
        assert_eq!(show(0.1, b'f', 55), "0.1000000000000000055511151231257827021181583404541015625");
        assert_eq!(show(1e22, b'f', 0), "10000000000000000000000");
        // The least double is 2^-1074.
        assert_eq!(show(5e-324, b'e', 5), "4.94066e-324");
        assert_eq!(show(f64::MAX, b'g', 17), "1.7976931348623157e+308");
        assert_eq!(show(100_000.0, b'g', 6), "100000");
        assert_eq!(show(1_000_000.0, b'g', 6), "1e+06");
        assert_eq!(show(0.0001, b'g', 6), "0.0001");
        assert_eq!(show(0.00001, b'g', 6), "1e-05");
        assert_eq!(show(999_999.5, b'g', 6), "1e+06");
    }
}
