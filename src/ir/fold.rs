//! Arithmetic on constants, exactly as the target does it.
//!
//! Lowering folds what C calls constant expressions with it. Integers are kept as 128-bit values, sign- or zero-extended from
//! their type; floats as the bits of their format.

use rustc_apfloat::ieee::Quad;
use rustc_apfloat::{Float, FloatConvert, Round};

use super::syntax::{BinOp, CmpOp, Int};
use super::types::{FloatKind, TypeId, Types};
use crate::source::DataModel;

/// `value` reduced to `width` bits and extended again as the sign says.
pub fn wrap(value: i128, width: u32, signed: bool) -> i128 {
    if width >= 128 {
        return value;
    }
    let shift = 128 - width;
    if signed { (value << shift) >> shift } else { (((value as u128) << shift) >> shift) as i128 }
}

/// `value` as a value of an integer-like type.
pub fn wrap_to(types: &Types, value: i128, ty: TypeId) -> i128 {
    match types.int_shape(ty) {
        Some((width, signed)) => wrap(value, width, signed),
        None => value,
    }
}

/// Integer arithmetic; `None` where C leaves it undefined (division by zero) .
pub fn int_binary(op: BinOp, a: i128, b: i128, width: u32, signed: bool) -> Option<i128> {
    let unsigned128 = width >= 128 && !signed;
    let value = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::Div | BinOp::Rem if b == 0 => return None,
        BinOp::Div if unsigned128 => ((a as u128) / (b as u128)) as i128,
        BinOp::Rem if unsigned128 => ((a as u128) % (b as u128)) as i128,
        BinOp::Div => a.wrapping_div(b),
        BinOp::Rem => a.wrapping_rem(b),
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
        BinOp::Shl | BinOp::Shr if b < 0 || b >= i128::from(width) => return None,
        BinOp::Shl => a << b,
        BinOp::Shr if unsigned128 => ((a as u128) >> b) as i128,
        BinOp::Shr => a >> b,
    };
    Some(wrap(value, width, signed))
}

/// Comparison of integers that are extended as their type says.
pub fn int_compare(op: CmpOp, a: i128, b: i128, unsigned128: bool) -> bool {
    let order = if unsigned128 { (a as u128).cmp(&(b as u128)) } else { a.cmp(&b) };
    match op {
        CmpOp::Eq => order.is_eq(),
        CmpOp::Ne => order.is_ne(),
        CmpOp::Lt => order.is_lt(),
        CmpOp::Le => order.is_le(),
        CmpOp::Gt => order.is_gt(),
        CmpOp::Ge => order.is_ge(),
    }
}

/// How a floating type is kept on the target.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are those of the formats")]
pub enum Format {
    Half,
    Single,
    Double,
    X87,
    Quad,
}

impl Format {
    /// The format of a floating type on the target.
    pub fn of(model: &DataModel, kind: FloatKind) -> Format {
        match kind {
            FloatKind::Float16 => Format::Half,
            FloatKind::Float => Format::Single,
            FloatKind::Double if model.double_size == 4 => Format::Single,
            FloatKind::Double => Format::Double,
            FloatKind::LongDouble => match model.long_double_digits {
                24 => Format::Single,
                64 => Format::X87,
                113 => Format::Quad,
                _ => Format::Double,
            },
            FloatKind::Float128 => Format::Quad,
        }
    }
    /// The kind that has this format on x86-64, as the functions here take it.
    pub fn kind(self) -> FloatKind {
        match self {
            Format::Half => FloatKind::Float16,
            Format::Single => FloatKind::Float,
            Format::Double => FloatKind::Double,
            Format::X87 => FloatKind::LongDouble,
            Format::Quad => FloatKind::Float128,
        }
    }
    /// Bytes that an access touches; the padding of an x87 number is not one of them.
    pub fn bytes(self) -> u64 {
        match self {
            Format::Half => 2,
            Format::Single => 4,
            Format::Double => 8,
            Format::X87 => 10,
            Format::Quad => 16,
        }
    }
}

fn bits(value: u128) -> Int {
    Int::new(value as i128)
}

/// Runs `$body` with `$F` the format's type.
macro_rules! with_format {
    ($format:expr, $F:ident => $body:expr) => {
        match $format {
            $crate::ir::fold::Format::Half => {
                type $F = rustc_apfloat::ieee::Half;
                $body
            }
            $crate::ir::fold::Format::Single => {
                type $F = rustc_apfloat::ieee::Single;
                $body
            }
            $crate::ir::fold::Format::Double => {
                type $F = rustc_apfloat::ieee::Double;
                $body
            }
            $crate::ir::fold::Format::X87 => {
                type $F = rustc_apfloat::ieee::X87DoubleExtended;
                $body
            }
            $crate::ir::fold::Format::Quad => {
                type $F = rustc_apfloat::ieee::Quad;
                $body
            }
        }
    };
}
pub(crate) use with_format;

/// Every format fits `Quad` exactly, so it is the hub of all conversions: one rounding at most.
fn to_quad(format: Format, value: Int) -> Quad {
    let mut lossy = false;
    with_format!(format, F => F::from_bits(value.bits()).convert(&mut lossy).value)
}

fn from_quad(format: Format, value: Quad) -> Int {
    let mut lossy = false;
    with_format!(format, F => {
        let converted: F = value.convert(&mut lossy).value;
        bits(converted.to_bits())
    })
}

/// A floating literal's digits (without suffix) in a format.
pub fn parse_float(model: &DataModel, kind: FloatKind, digits: &str) -> Option<Int> {
    with_format!(Format::of(model, kind), F => digits.parse::<F>().ok().map(|v| bits(v.to_bits())))
}

/// Floating arithmetic; `None` for operations that floats do not have.
pub fn float_binary(model: &DataModel, kind: FloatKind, op: BinOp, a: Int, b: Int) -> Option<Int> {
    with_format!(Format::of(model, kind), F => {
        let (a, b) = (F::from_bits(a.bits()), F::from_bits(b.bits()));
        let value = match op {
            BinOp::Add => (a + b).value,
            BinOp::Sub => (a - b).value,
            BinOp::Mul => (a * b).value,
            BinOp::Div => (a / b).value,
            BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => return None,
        };
        Some(bits(value.to_bits()))
    })
}

/// `-value`
pub fn float_neg(model: &DataModel, kind: FloatKind, value: Int) -> Int {
    with_format!(Format::of(model, kind), F => bits((-F::from_bits(value.bits())).to_bits()))
}

/// Comparison of floats: with a NaN, only `Ne` holds.
pub fn float_compare(model: &DataModel, kind: FloatKind, op: CmpOp, a: Int, b: Int) -> bool {
    let f = Format::of(model, kind);
    let order = to_quad(f, a).partial_cmp(&to_quad(f, b));
    match (op, order) {
        (CmpOp::Ne, None) => true,
        (_, None) => false,
        (CmpOp::Eq, Some(o)) => o.is_eq(),
        (CmpOp::Ne, Some(o)) => o.is_ne(),
        (CmpOp::Lt, Some(o)) => o.is_lt(),
        (CmpOp::Le, Some(o)) => o.is_le(),
        (CmpOp::Gt, Some(o)) => o.is_gt(),
        (CmpOp::Ge, Some(o)) => o.is_ge(),
    }
}

/// From one format to another.
pub fn float_to_float(model: &DataModel, from: FloatKind, to: FloatKind, value: Int) -> Int {
    from_quad(Format::of(model, to), to_quad(Format::of(model, from), value))
}

/// From an integer (`unsigned128`: the value is an `unsigned __int128`'s bits).
pub fn int_to_float(model: &DataModel, value: i128, unsigned128: bool, to: FloatKind) -> Int {
    with_format!(Format::of(model, to), F => {
        let converted = if unsigned128 { F::from_u128(value as u128).value } else { F::from_i128(value).value };
        bits(converted.to_bits())
    })
}

/// To an integer, towards zero; `None` if it does not fit.
pub fn float_to_int(model: &DataModel, from: FloatKind, value: Int, width: u32, signed: bool) -> Option<i128> {
    let quad = to_quad(Format::of(model, from), value);
    let mut exact = false;
    if signed {
        let r = quad.to_i128_r(width as usize, Round::TowardZero, &mut exact);
        (!r.status.contains(rustc_apfloat::Status::INVALID_OP)).then_some(r.value)
    } else {
        let r = quad.to_u128_r(width as usize, Round::TowardZero, &mut exact);
        (!r.status.contains(rustc_apfloat::Status::INVALID_OP)).then_some(r.value as i128)
    }
}

/// Whether it is zero.
pub fn float_is_zero(model: &DataModel, kind: FloatKind, value: Int) -> bool {
    to_quad(Format::of(model, kind), value).is_zero()
}

/// Positive infinity.
pub fn float_infinity(model: &DataModel, kind: FloatKind) -> Int {
    with_format!(Format::of(model, kind), F => bits(F::INFINITY.to_bits()))
}

/// A quiet NaN.
pub fn float_nan(model: &DataModel, kind: FloatKind) -> Int {
    with_format!(Format::of(model, kind), F => bits(F::NAN.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_fold_as_the_machine_does() {
        let model = DataModel::lp64();
        let k = FloatKind::Double;
        let d = |v: f64| Int::new(i128::from(v.to_bits()));
        for (a, b) in [(0.1, 0.2), (1e308, 1e308), (-3.5, 7.25), (1.0, 3.0), (5e-324, 0.5)] {
            assert_eq!(float_binary(&model, k, BinOp::Add, d(a), d(b)), Some(d(a + b)));
            assert_eq!(float_binary(&model, k, BinOp::Mul, d(a), d(b)), Some(d(a * b)));
            assert_eq!(float_binary(&model, k, BinOp::Div, d(a), d(b)), Some(d(a / b)));
            assert_eq!(float_to_float(&model, k, FloatKind::Float, d(a)).bits(), u128::from((a as f32).to_bits()));
        }
        assert_eq!(parse_float(&model, k, "0x1.8p1"), Some(d(3.0)));
        assert_eq!(float_to_int(&model, k, d(-2.9), 32, true), Some(-2));
        assert_eq!(float_to_int(&model, k, d(3e9), 32, true), None);
    }

    #[test]
    fn integers_wrap_at_their_width() {
        assert_eq!(int_binary(BinOp::Add, 127, 1, 8, true), Some(-128));
        assert_eq!(int_binary(BinOp::Sub, 0, 1, 32, false), Some(0xffff_ffff));
        assert_eq!(int_binary(BinOp::Div, 1, 0, 32, true), None);
        assert_eq!(int_binary(BinOp::Shr, -8, 1, 32, true), Some(-4));
        assert!(int_compare(CmpOp::Gt, -1, 1, true));
    }
}
