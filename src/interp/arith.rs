//! Arithmetic on payloads: integers extended to 128 bits, floats as bits. All that is not on the fast path of the loop.
//!
//! Single and double floats are computed natively, the other formats by [`fold`]. Where C leaves a result undefined, it is what an
//! x86-64 machine gives: shift counts are masked, a float that does not fit an integer gives the "indefinite" value.

use std::sync::LazyLock;

use super::value::{Class, Format, Scalar, image_read, image_write};
use crate::ir::{BinOp, CmpOp, Int, UnOp, fold};
use crate::source::DataModel;

/// [`fold`] is asked about x86-64, where each format has a type.
static MODEL: LazyLock<DataModel> = LazyLock::new(DataModel::lp64);

/// A division by zero, or one whose quotient does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct BadDivision;

fn int(payload: u128) -> Int {
    Int::new(payload as i128)
}

/// The number as a double; rounds.
pub(super) fn to_f64(format: Format, payload: u128) -> f64 {
    match format {
        Format::Double => f64::from_bits(payload as u64),
        Format::Single => f64::from(f32::from_bits(payload as u32)),
        Format::Half | Format::X87 | Format::Quad => f64::from_bits(convert(format, Format::Double, payload) as u64),
    }
}

/// A double in another format; rounds.
pub(super) fn from_f64(format: Format, value: f64) -> u128 {
    match format {
        Format::Double => u128::from(value.to_bits()),
        Format::Single => u128::from((value as f32).to_bits()),
        Format::Half | Format::X87 | Format::Quad => convert(Format::Double, format, u128::from(value.to_bits())),
    }
}

/// From one format to another.
pub(super) fn convert(from: Format, to: Format, payload: u128) -> u128 {
    match (from, to) {
        (Format::Double, Format::Single) => u128::from((f64::from_bits(payload as u64) as f32).to_bits()),
        (Format::Single, Format::Double) => u128::from(f64::from(f32::from_bits(payload as u32)).to_bits()),
        _ if from == to => payload,
        _ => fold::float_to_float(&MODEL, from.kind(), to.kind(), int(payload)).bits(),
    }
}

/// Floating arithmetic; what floats do not have gives zero.
pub(super) fn float_binary(format: Format, op: BinOp, a: u128, b: u128) -> u128 {
    match format {
        Format::Double => u128::from(double(op, f64::from_bits(a as u64), f64::from_bits(b as u64)).to_bits()),
        Format::Single => u128::from(single(op, f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits()),
        Format::Half | Format::X87 | Format::Quad => {
            let value = fold::float_binary(&MODEL, format.kind(), op, int(a), int(b)).map_or(0, Int::bits);
            // The NaN that an x86 makes of numbers has its sign set.
            let is_nan = |v| fold::float_compare(&MODEL, format.kind(), CmpOp::Ne, int(v), int(v));
            if is_nan(value) && !is_nan(a) && !is_nan(b) { value | (1 << (format.bytes() * 8 - 1)) } else { value }
        }
    }
}

/// Arithmetic on doubles.
#[inline]
pub(super) fn double(op: BinOp, a: f64, b: f64) -> f64 {
    match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => a / b,
        BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => 0.0,
    }
}

/// Arithmetic on floats.
#[inline]
pub(super) fn single(op: BinOp, a: f32, b: f32) -> f32 {
    match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => a / b,
        BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => 0.0,
    }
}

/// A comparison that NaNs fail, but for `Ne`.
#[inline]
pub(super) fn compare_partial<T: PartialOrd>(op: CmpOp, a: &T, b: &T) -> bool {
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Lt => a < b,
        CmpOp::Le => a <= b,
        CmpOp::Gt => a > b,
        CmpOp::Ge => a >= b,
    }
}

/// A comparison of scalars.
pub(super) fn compare(scalar: Scalar, op: CmpOp, a: u128, b: u128) -> bool {
    match scalar {
        Scalar::Bool | Scalar::Wide(false) => compare_partial(op, &a, &b),
        Scalar::Int(_) | Scalar::Wide(true) => compare_partial(op, &(a as i128), &(b as i128)),
        Scalar::Float(format) => fold::float_compare(&MODEL, format.kind(), op, int(a), int(b)),
    }
}

/// Arithmetic on two scalars of one type; of a shift, the right one is a plain count.
pub(super) fn binary(scalar: Scalar, op: BinOp, a: u128, b: u128) -> Result<u128, BadDivision> {
    if let Scalar::Float(format) = scalar {
        return Ok(float_binary(format, op, a, b));
    }
    let (width, signed) = (scalar.width(), scalar.signed());
    let b = match op {
        BinOp::Shl | BinOp::Shr => b & u128::from(width.max(32) - 1),
        _ => b,
    };
    if matches!(op, BinOp::Shl | BinOp::Shr) && b >= u128::from(width) {
        let negative = op == BinOp::Shr && (a as i128) < 0 && signed;
        return Ok(if negative { u128::MAX } else { 0 });
    }
    fold::int_binary(op, a as i128, b as i128, width, signed).map(|v| v as u128).ok_or(BadDivision)
}

/// Arithmetic on one scalar.
pub(super) fn unary(scalar: Scalar, op: UnOp, a: u128) -> u128 {
    match (scalar, op) {
        (Scalar::Float(format), UnOp::Neg) => a ^ (1 << (format.bytes() * 8 - 1)),
        (_, UnOp::Neg) => a.wrapping_neg(),
        (_, UnOp::Not) => !a,
    }
}

/// Conversion between scalars, as C defines it.
pub(super) fn cast(from: Scalar, to: Scalar, payload: u128) -> u128 {
    match (from, to) {
        (Scalar::Float(a), Scalar::Float(b)) => convert(a, b, payload),
        (Scalar::Float(format), Scalar::Bool) => u128::from(!fold::float_is_zero(&MODEL, format.kind(), int(payload))),
        (Scalar::Float(format), Scalar::Int(_) | Scalar::Wide(_)) => float_to_int(format, to, payload),
        (_, Scalar::Float(Format::Double)) => {
            let wide = from == Scalar::Wide(false);
            let value = if wide { payload as f64 } else { payload as i128 as f64 };
            u128::from(value.to_bits())
        }
        (_, Scalar::Float(Format::Single)) => {
            let wide = from == Scalar::Wide(false);
            let value = if wide { payload as f32 } else { payload as i128 as f32 };
            u128::from(value.to_bits())
        }
        (_, Scalar::Float(format)) => {
            fold::int_to_float(&MODEL, payload as i128, from == Scalar::Wide(false), format.kind()).bits()
        }
        (_, Scalar::Bool) => u128::from(payload != 0),
        (_, Scalar::Int(_) | Scalar::Wide(_)) => payload,
    }
}

/// Towards zero. What does not fit goes through the width that x86-64 converts with, whose answer then is its least number.
fn float_to_int(format: Format, to: Scalar, payload: u128) -> u128 {
    let (width, signed) = (to.width(), to.signed());
    let fit = |width, signed| fold::float_to_int(&MODEL, format.kind(), int(payload), width, signed);
    if let Some(value) = fit(width, signed) {
        return value as u128;
    }
    let via = match (width, signed) {
        (128, _) => return 0,
        (64, _) | (32, false) => 64,
        _ => 32,
    };
    fit(via, true).unwrap_or(-1 << (via - 1)) as u128
}

/// The number as an integer towards zero, if it fits.
pub(super) fn to_integer(format: Format, payload: u128, width: u32, signed: bool) -> Option<i128> {
    fold::float_to_int(&MODEL, format.kind(), int(payload), width, signed)
}

/// Digits in a format, correctly rounded.
pub(super) fn parse(format: Format, digits: &str) -> Option<u128> {
    fold::parse_float(&MODEL, format.kind(), digits).map(Int::bits)
}

/// Positive infinity.
pub(super) fn infinity(format: Format) -> u128 {
    fold::float_infinity(&MODEL, format.kind()).bits()
}

/// A part of a complex number.
pub(super) fn part(image: &[u64], format: Format, stride: u32, index: u64, big: bool) -> u128 {
    let scalar = Scalar::Float(format);
    let (low, high) = scalar.decode(image_read(image, index * u64::from(stride), format.bytes()), big);
    scalar.payload(low, high)
}

/// Writes a complex number.
pub(super) fn set_parts(image: &mut [u64], format: Format, stride: u32, parts: (u128, u128), big: bool) {
    let scalar = Scalar::Float(format);
    for (index, payload) in [(0, parts.0), (1, parts.1)] {
        let raw = scalar.encode(payload as u64, (payload >> 64) as u64, big);
        image_write(image, index * u64::from(stride), format.bytes(), raw);
    }
}

/// Arithmetic on complex numbers, with the formulas of libgcc.
pub(super) fn complex_binary(format: Format, op: BinOp, x: (u128, u128), y: (u128, u128)) -> (u128, u128) {
    let f = |op, a, b| float_binary(format, op, a, b);
    let ((a, b), (c, d)) = (x, y);
    match op {
        BinOp::Add | BinOp::Sub => (f(op, a, c), f(op, b, d)),
        BinOp::Mul => (f(BinOp::Sub, f(op, a, c), f(op, b, d)), f(BinOp::Add, f(op, a, d), f(op, b, c))),
        BinOp::Div => complex_divide(format, x, y),
        BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => (0, 0),
    }
}

fn complex_divide(format: Format, (a, b): (u128, u128), (c, d): (u128, u128)) -> (u128, u128) {
    if format == Format::Single {
        // libgcc divides in double, by the plain formula.
        let [a, b, c, d] = [a, b, c, d].map(|p| to_f64(format, p));
        let denominator = c * c + d * d;
        let (re, im) = ((a * c + b * d) / denominator, (b * c - a * d) / denominator);
        return (from_f64(format, re), from_f64(format, im));
    }
    let f = |op, a, b| float_binary(format, op, a, b);
    let magnitude = |p| p & !(1u128 << (format.bytes() * 8 - 1));
    let scalar = Scalar::Float(format);
    if compare(scalar, CmpOp::Lt, magnitude(c), magnitude(d)) {
        let ratio = f(BinOp::Div, c, d);
        let denominator = f(BinOp::Add, f(BinOp::Mul, c, ratio), d);
        let re = f(BinOp::Add, f(BinOp::Mul, a, ratio), b);
        let im = f(BinOp::Sub, f(BinOp::Mul, b, ratio), a);
        return (f(BinOp::Div, re, denominator), f(BinOp::Div, im, denominator));
    }
    let ratio = f(BinOp::Div, d, c);
    let denominator = f(BinOp::Add, f(BinOp::Mul, d, ratio), c);
    let re = f(BinOp::Add, f(BinOp::Mul, b, ratio), a);
    let im = f(BinOp::Sub, b, f(BinOp::Mul, a, ratio));
    (f(BinOp::Div, re, denominator), f(BinOp::Div, im, denominator))
}

/// Conversion between values of any class. Vectors and aggregates are reinterpreted; what has no bytes to take is zero.
pub(super) fn cast_value(from: Class, to: Class, value: &[u64], big: bool) -> Vec<u64> {
    let mut out = vec![0; to.slots() as usize];
    let slot = |i: usize| value.get(i).copied().unwrap_or(0);
    match (from, to) {
        (Class::Scalar(a), Class::Scalar(b)) => {
            let (low, high) = b.slots_of(cast(a, b, a.payload(slot(0), slot(1))));
            out[0] = low;
            if let Some(second) = out.get_mut(1) {
                *second = high;
            }
        }
        (Class::Scalar(a), Class::Complex { format, stride }) => {
            let real = cast(a, Scalar::Float(format), a.payload(slot(0), slot(1)));
            set_parts(&mut out, format, stride, (real, 0), big);
        }
        (Class::Complex { format, stride }, Class::Scalar(b)) => {
            let parts = (part(value, format, stride, 0, big), part(value, format, stride, 1, big));
            let scalar = Scalar::Float(format);
            let result = match b {
                Scalar::Bool => cast(scalar, b, parts.0) | cast(scalar, b, parts.1),
                Scalar::Int(_) | Scalar::Wide(_) | Scalar::Float(_) => cast(scalar, b, parts.0),
            };
            let (low, high) = b.slots_of(result);
            out[0] = low;
            if let Some(second) = out.get_mut(1) {
                *second = high;
            }
        }
        (Class::Complex { format, stride }, Class::Complex { format: target, stride: step }) => {
            let [re, im] = [0, 1].map(|i| convert(format, target, part(value, format, stride, i, big)));
            set_parts(&mut out, target, step, (re, im), big);
        }
        (Class::Scalar(a), Class::Vector { .. } | Class::Bytes(_)) => {
            let raw = a.encode(slot(0), slot(1), big);
            let count = a.bytes().min(to.bytes());
            image_write(&mut out, 0, count, raw);
        }
        (Class::Vector { .. } | Class::Bytes(_), Class::Scalar(b)) => {
            let (low, high) = b.decode(image_read(value, 0, b.bytes()), big);
            out[0] = low;
            if let Some(second) = out.get_mut(1) {
                *second = high;
            }
        }
        (Class::Void, _) | (_, Class::Void) => {}
        (
            Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_),
            Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_),
        ) => {
            for (i, slot) in out.iter_mut().enumerate() {
                *slot = value.get(i).copied().unwrap_or(0);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::value::Shape;
    use super::*;

    const INT: Scalar = Scalar::Int(Shape { bits: 32, signed: true });
    const UINT: Scalar = Scalar::Int(Shape { bits: 32, signed: false });
    const ULONG: Scalar = Scalar::Int(Shape { bits: 64, signed: false });
    const DOUBLE: Scalar = Scalar::Float(Format::Double);

    fn bits(v: f64) -> u128 {
        u128::from(v.to_bits())
    }

    #[test]
    fn floats_that_do_not_fit_convert_as_on_x86() {
        // The expectations are those of cvttsd2si.
        assert_eq!(cast(DOUBLE, INT, bits(3e9)) as i32, i32::MIN);
        assert_eq!(cast(DOUBLE, UINT, bits(-1.0)) as u32, u32::MAX);
        assert_eq!(cast(DOUBLE, UINT, bits(3e9)) as u32, 3_000_000_000);
        assert_eq!(cast(DOUBLE, ULONG, bits(1e19)) as u64, 10_000_000_000_000_000_000);
        assert_eq!(cast(DOUBLE, INT, bits(f64::NAN)) as i32, i32::MIN);
        assert_eq!(cast(DOUBLE, Scalar::Bool, bits(f64::NAN)), 1);
    }

    #[test]
    fn wide_integers_and_x87_floats_meet() {
        let wide = Scalar::Wide(true);
        let x87 = Scalar::Float(Format::X87);
        let value = -(1i128 << 100) - 12345;
        let product = binary(wide, BinOp::Mul, value as u128, 3).unwrap();
        assert_eq!(product as i128, value * 3);
        assert_eq!(binary(wide, BinOp::Div, 1, 0), Err(BadDivision));
        let exact = cast(ULONG, x87, u128::from(u64::MAX));
        assert_eq!(cast(x87, ULONG, exact) as u64, u64::MAX);
        assert_eq!(cast(DOUBLE, x87, bits(1.0)), (0x3fff_u128 << 64) | (1 << 63));
        assert_eq!(unary(x87, UnOp::Neg, cast(DOUBLE, x87, bits(2.5))), cast(DOUBLE, x87, bits(-2.5)));
    }

    #[test]
    fn complex_numbers_divide() {
        for format in [Format::Single, Format::Double, Format::X87] {
            let c = |re: f64, im: f64| (from_f64(format, re), from_f64(format, im));
            // (1 + 2i)(3 - i) = 5 + 5i
            assert_eq!(complex_binary(format, BinOp::Mul, c(1.0, 2.0), c(3.0, -1.0)), c(5.0, 5.0));
            assert_eq!(complex_binary(format, BinOp::Div, c(5.0, 5.0), c(1.0, 2.0)), c(3.0, -1.0));
            assert_eq!(complex_binary(format, BinOp::Div, c(4.0, 2.0), c(2.0, 0.0)), c(2.0, 1.0));
        }
    }
}
