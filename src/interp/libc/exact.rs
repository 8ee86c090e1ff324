//! Floating operations whose result is exact or correctly rounded, in every format.

use rustc_apfloat::{Float, Round, Status};

use super::super::arith;
use super::super::value::Format;
use crate::ir::BinOp;
use crate::ir::fold::with_format;

/// To an integer in the same format. Zeros and what is no number stay as they are.
pub(super) fn round(format: Format, value: u128, how: Round) -> u128 {
    with_format!(format, F => {
        let x = F::from_bits(value);
        if !x.is_finite() || x.is_zero() { value } else { x.round_to_integral(how).value.copy_sign(x).to_bits() }
    })
}

/// `value * 2^power`
pub(super) fn scale(format: Format, value: u128, power: i64) -> u128 {
    let power = power.clamp(-40_000, 40_000) as i32;
    with_format!(format, F => {
        let x = F::from_bits(value);
        if !x.is_finite() || x.is_zero() { value } else { x.scalbn(power).to_bits() }
    })
}

/// The fraction in [0.5, 1) and the power of two.
pub(super) fn split(format: Format, value: u128) -> (u128, i32) {
    with_format!(format, F => {
        let x = F::from_bits(value);
        if !x.is_finite() || x.is_zero() {
            return (value, 0);
        }
        let mut power = 0;
        let fraction = x.frexp(&mut power);
        (fraction.to_bits(), power)
    })
}

/// The NaN of an invalid operation: x86 sets its sign.
fn invalid(format: Format) -> u128 {
    with_format!(format, F => F::NAN.to_bits()) | sign_bit(format)
}

/// Whether a remainder is undefined though both are numbers.
fn has_no_remainder(format: Format, a: u128, b: u128) -> bool {
    let (x, y) = (classify(format, a), classify(format, b));
    x != 0 && y != 0 && (x == 1 || y == 2)
}

/// `fmod`
pub(super) fn modulo(format: Format, a: u128, b: u128) -> u128 {
    if has_no_remainder(format, a, b) {
        return invalid(format);
    }
    with_format!(format, F => {
        let (x, y) = (F::from_bits(a), F::from_bits(b));
        let r = x.c_fmod(y).value;
        if r.is_zero() && !x.is_nan() { r.copy_sign(x).to_bits() } else { r.to_bits() }
    })
}

/// `remainder`: of the division whose quotient is rounded half to even.
pub(super) fn remainder(format: Format, a: u128, b: u128) -> u128 {
    if has_no_remainder(format, a, b) {
        return invalid(format);
    }
    with_format!(format, F => {
        let (x, y) = (F::from_bits(a), F::from_bits(b));
        let r = x.ieee_rem(y).value;
        if r.is_zero() && !x.is_nan() { r.copy_sign(x).to_bits() } else { r.to_bits() }
    })
}

/// The next number from `a` towards `b`.
pub(super) fn next(format: Format, a: u128, b: u128) -> u128 {
    with_format!(format, F => {
        let (x, y) = (F::from_bits(a), F::from_bits(b));
        match x.partial_cmp(&y) {
            None => F::NAN.to_bits(),
            Some(std::cmp::Ordering::Equal) => b,
            Some(std::cmp::Ordering::Less) => x.next_up().value.to_bits(),
            Some(std::cmp::Ordering::Greater) => x.next_down().value.to_bits(),
        }
    })
}

/// `a * b + c`, rounded once.
pub(super) fn multiply_add(format: Format, a: u128, b: u128, c: u128) -> u128 {
    with_format!(format, F => F::from_bits(a).mul_add(F::from_bits(b), F::from_bits(c)).value.to_bits())
}

/// Whether a number's digits fit the format without rounding.
pub(super) fn is_exact(format: Format, digits: &str) -> bool {
    with_format!(format, F => {
        F::from_str_r(digits, Round::NearestTiesToEven).is_ok_and(|r| !r.status.contains(Status::INEXACT))
    })
}

/// The sign bit of a format.
pub(super) fn sign_bit(format: Format) -> u128 {
    1 << (format.bytes() * 8 - 1)
}

/// The square root: natively, or refined from the double's.
pub(super) fn root(format: Format, value: u128) -> u128 {
    match format {
        Format::Single => u128::from(f32::from_bits(value as u32).sqrt().to_bits()),
        Format::Double => u128::from(f64::from_bits(value as u64).sqrt().to_bits()),
        Format::Half | Format::X87 | Format::Quad => {
            let approximate = arith::to_f64(format, value).sqrt();
            if !approximate.is_finite() || approximate == 0.0 {
                return arith::from_f64(format, approximate);
            }
            let half = arith::from_f64(format, 0.5);
            let f = |op, a, b| arith::float_binary(format, op, a, b);
            let mut y = arith::from_f64(format, approximate);
            for _ in 0..3 {
                y = f(BinOp::Mul, half, f(BinOp::Add, y, f(BinOp::Div, value, y)));
            }
            y
        }
    }
}

/// What kind of number: `FP_NAN`, `FP_INFINITE`, `FP_ZERO`, `FP_SUBNORMAL`, `FP_NORMAL` as glibc counts them.
pub(super) fn classify(format: Format, value: u128) -> i64 {
    with_format!(format, F => {
        let x = F::from_bits(value);
        if x.is_nan() {
            0
        } else if x.is_infinite() {
            1
        } else if x.is_zero() {
            2
        } else if x.is_denormal() {
            3
        } else {
            4
        }
    })
}

/// The power of two of the leading bit; for what has none, as `ilogb` says.
pub(super) fn exponent(format: Format, value: u128) -> i32 {
    with_format!(format, F => {
        let x = F::from_bits(value);
        if x.is_zero() || x.is_nan() {
            i32::MIN
        } else if x.is_infinite() {
            i32::MAX
        } else {
            x.ilogb()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn d(v: f64) -> u128 {
        u128::from(v.to_bits())
    }

    #[test]
    fn doubles_agree_with_the_host() {
        let f = Format::Double;
        for v in [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e300, 5e-324, 123.456, -0.1, 4_503_599_627_370_497.5] {
            assert_eq!(round(f, d(v), Round::TowardNegative), d(v.floor()), "{v}");
            assert_eq!(round(f, d(v), Round::TowardPositive), d(v.ceil()), "{v}");
            assert_eq!(round(f, d(v), Round::TowardZero), d(v.trunc()), "{v}");
            assert_eq!(round(f, d(v), Round::NearestTiesToAway), d(v.round()), "{v}");
            for w in [1.0, -0.3, 7.5, 1e-3] {
                assert_eq!(modulo(f, d(v), d(w)), d(v % w), "{v} {w}");
                assert_eq!(multiply_add(f, d(v), d(w), d(0.1)), d(v.mul_add(w, 0.1)), "{v} {w}");
            }
            let (fraction, power) = split(f, d(v));
            assert_eq!(scale(f, fraction, i64::from(power)), d(v));
        }
        assert_eq!(split(f, d(8.0)), (d(0.5), 4));
        assert_eq!(next(f, d(1.0), d(2.0)), d(1.0 + f64::EPSILON));
        assert_eq!(remainder(f, d(5.0), d(3.0)), d(-1.0));
        assert_eq!((classify(f, d(f64::NAN)), classify(f, d(5e-324)), classify(f, d(1.0))), (0, 3, 4));
        assert_eq!((exponent(f, d(8.5)), exponent(f, d(0.4))), (3, -2));
    }

    #[test]
    fn long_roots_are_exact() {
        let x87 = Format::X87;
        let two = arith::from_f64(x87, 2.0);
        // sqrtl(2) is 0xb504f333f9de6484 * 2^-63.
        assert_eq!(root(x87, two), (0x3fff_u128 << 64) | 0xb504_f333_f9de_6484);
        assert_eq!(root(x87, arith::from_f64(x87, 144.0)), arith::from_f64(x87, 12.0));
    }
}
