//! Builtins on floating numbers: tests, comparisons that accept a NaN, infinities and NaNs.
//!
//! Tests are comparisons with constants, which are exact: `isnan(x)` is `x != x`, `isfinite(x)` is `-inf < x && x < inf`.

use lang_c::ast::Expression;
use lang_c::span::{Node, Span};

use super::super::convert::Rv;
use super::super::expr::Val;
use super::super::{Lower, Res};
use super::Args;
use crate::ir::fold;
use crate::ir::syntax::{BinOp, CmpOp, InstKind, Int, Intrinsic, Operand};
use crate::ir::types::{FloatKind, Type, Types};
use crate::source::Place;

/// A builtin on floating numbers.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Float {
    /// A test of a number of this kind, or of the argument's own.
    Test(Test, Option<FloatKind>),
    /// `isgreater` and its relatives.
    Compare(CmpOp),
    /// `islessgreater`
    LessGreater,
    /// `isunordered`
    Unordered,
    /// `fpclassify`
    Classify,
    /// Positive infinity.
    Infinity(FloatKind),
    /// Not a number, quiet or signalling.
    Nan(FloatKind, bool),
}

/// What is asked of one number.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Test {
    Nan,
    Infinite,
    /// 1, -1 or 0.
    InfiniteSign,
    Finite,
    Normal,
    Subnormal,
    Zero,
    Sign,
}

/// The kind that a suffix of a function names.
pub(super) fn suffix(suffix: &str) -> Option<FloatKind> {
    Some(match suffix {
        "f" | "f32" => FloatKind::Float,
        "" | "f64" | "f32x" => FloatKind::Double,
        "l" | "f64x" => FloatKind::LongDouble,
        "f16" => FloatKind::Float16,
        "f128" | "q" => FloatKind::Float128,
        _ => return None,
    })
}

pub(super) fn classify(name: &str) -> Option<Float> {
    let generic = match name {
        "isnan" => Some(Test::Nan),
        "isinf" => Some(Test::Infinite),
        "isinf_sign" => Some(Test::InfiniteSign),
        "isfinite" => Some(Test::Finite),
        "isnormal" => Some(Test::Normal),
        "issubnormal" => Some(Test::Subnormal),
        "iszero" => Some(Test::Zero),
        "signbit" => Some(Test::Sign),
        _ => None,
    };
    if let Some(test) = generic {
        return Some(Float::Test(test, None));
    }
    match name {
        "isgreater" => return Some(Float::Compare(CmpOp::Gt)),
        "isgreaterequal" => return Some(Float::Compare(CmpOp::Ge)),
        "isless" => return Some(Float::Compare(CmpOp::Lt)),
        "islessequal" => return Some(Float::Compare(CmpOp::Le)),
        "iseqsig" => return Some(Float::Compare(CmpOp::Eq)),
        "islessgreater" => return Some(Float::LessGreater),
        "isunordered" => return Some(Float::Unordered),
        "fpclassify" => return Some(Float::Classify),
        _ => {}
    }
    // `nans` before `nan`, which it begins with.
    let families = ["isnan", "isinf", "finite", "signbit", "inf", "huge_val", "nans", "nan"];
    families.into_iter().find_map(|word| {
        let kind = suffix(name.strip_prefix(word)?)?;
        Some(match word {
            "isnan" => Float::Test(Test::Nan, Some(kind)),
            "isinf" => Float::Test(Test::Infinite, Some(kind)),
            "finite" => Float::Test(Test::Finite, Some(kind)),
            "signbit" => Float::Test(Test::Sign, Some(kind)),
            "nans" => Float::Nan(kind, true),
            "nan" => Float::Nan(kind, false),
            _ => Float::Infinity(kind),
        })
    })
}

/// A number under test.
#[derive(Clone, Copy)]
struct Number {
    op: Operand,
    kind: FloatKind,
}

impl Lower<'_> {
    pub(super) fn float_builtin(&mut self, builtin: Float, name: &str, args: Args<'_>, span: Span) -> Res<Rv> {
        let place = self.place(span);
        let op = match builtin {
            Float::Test(test, kind) => {
                let &[e] = args else { return self.wrong_count(name, span) };
                let x = self.number(e, kind)?;
                self.float_test(test, x, place)
            }
            Float::Compare(op) => {
                let (x, y) = self.two_numbers(name, args, span)?;
                self.compare(op, x, y, place)
            }
            Float::LessGreater => {
                let (x, y) = self.two_numbers(name, args, span)?;
                let less = self.compare(CmpOp::Lt, x, y, place);
                let greater = self.compare(CmpOp::Gt, x, y, place);
                self.binary(BinOp::Or, less, greater, place)
            }
            Float::Unordered => {
                let (x, y) = self.two_numbers(name, args, span)?;
                let first = self.compare(CmpOp::Ne, x, x, place);
                let second = self.compare(CmpOp::Ne, y, y, place);
                self.binary(BinOp::Or, first, second, place)
            }
            Float::Classify => {
                let &[nan, infinite, normal, subnormal, zero, x] = args else { return self.wrong_count(name, span) };
                let mut answers = Vec::with_capacity(5);
                for e in [nan, infinite, zero, normal, subnormal] {
                    answers.push(self.argument(e, Types::INT)?);
                }
                let x = self.number(x, None)?;
                let mut answer = answers[4];
                let tests = [Test::Nan, Test::Infinite, Test::Zero, Test::Normal];
                for (test, then) in tests.into_iter().zip(&answers).rev() {
                    let holds = self.float_test(test, x, place);
                    answer = self.select(holds, *then, answer, place);
                }
                answer
            }
            Float::Infinity(kind) => {
                let bits = fold::float_infinity(&self.types.model, kind);
                return Ok(Rv::new(Operand::Float(bits, Types::float(kind)), Types::float(kind)));
            }
            Float::Nan(kind, signalling) => return self.nan(kind, signalling, name, args, span),
        };
        Ok(Rv::new(op, Types::INT))
    }

    fn number(&mut self, e: &Node<Expression>, kind: Option<FloatKind>) -> Res<Number> {
        if let Some(kind) = kind {
            let op = self.argument(e, Types::float(kind))?;
            return Ok(Number { op, kind });
        }
        let rv = self.rvalue(e)?;
        if let Type::Float(kind) = *self.types.get(rv.ty) {
            return Ok(Number { op: rv.op, kind });
        }
        let op = self.convert(rv, Types::DOUBLE, e.span)?;
        Ok(Number { op, kind: FloatKind::Double })
    }

    /// Two arguments in their common type.
    fn two_numbers(&mut self, name: &str, args: Args<'_>, span: Span) -> Res<(Operand, Operand)> {
        let &[a, b] = args else { return self.wrong_count(name, span) };
        let (x, y) = (self.rvalue(a)?, self.rvalue(b)?);
        if !self.is_arithmetic(x.ty) || !self.is_arithmetic(y.ty) {
            return self.error(span, format!("{name} compares numbers"));
        }
        let ty = self.common_type(x, y).0;
        Ok((self.convert(x, ty, a.span)?, self.convert(y, ty, b.span)?))
    }

    /// A test, as `int`.
    fn float_test(&mut self, test: Test, x: Number, place: Place) -> Operand {
        let ty = Types::float(x.kind);
        let model = &self.types.model;
        let infinity = fold::float_infinity(model, x.kind);
        let minus = Operand::Float(fold::float_neg(model, x.kind, infinity), ty);
        let infinity = Operand::Float(infinity, ty);
        match test {
            Test::Nan => self.compare(CmpOp::Ne, x.op, x.op, place),
            Test::Infinite => {
                let above = self.compare(CmpOp::Eq, x.op, infinity, place);
                let below = self.compare(CmpOp::Eq, x.op, minus, place);
                self.binary(BinOp::Or, above, below, place)
            }
            Test::InfiniteSign => {
                let above = self.compare(CmpOp::Eq, x.op, infinity, place);
                let below = self.compare(CmpOp::Eq, x.op, minus, place);
                self.binary(BinOp::Sub, above, below, place)
            }
            Test::Finite => {
                let above = self.compare(CmpOp::Lt, x.op, infinity, place);
                let below = self.compare(CmpOp::Gt, x.op, minus, place);
                self.binary(BinOp::And, above, below, place)
            }
            Test::Normal => {
                let finite = self.float_test(Test::Finite, x, place);
                let large = self.at_least_normal(x, place);
                self.binary(BinOp::And, finite, large, place)
            }
            Test::Subnormal => {
                let finite = self.float_test(Test::Finite, x, place);
                let large = self.at_least_normal(x, place);
                let zero = self.float_test(Test::Zero, x, place);
                let other = self.binary(BinOp::Or, large, zero, place);
                // `finite > other` on 0 and 1: finite and not other.
                self.compare(CmpOp::Gt, finite, other, place)
            }
            Test::Zero => {
                let zero = Operand::Float(fold::int_to_float(&self.types.model, 0, false, x.kind), ty);
                self.compare(CmpOp::Eq, x.op, zero, place)
            }
            Test::Sign => match x.op {
                Operand::Float(v, _) => {
                    let (bits, _) = self.float_shape(x.kind);
                    self.int((v.bits() >> (bits - 1) & 1) as i128, Types::INT)
                }
                _ => self.f().emit(InstKind::Intrinsic(Intrinsic::SignBit, vec![x.op]), Types::INT, place),
            },
        }
    }

    /// Whether the magnitude is that of a normal number, or infinite.
    fn at_least_normal(&mut self, x: Number, place: Place) -> Operand {
        let (bits, digits) = self.float_shape(x.kind);
        // The least normal number has the biased exponent 1: 2^(2 - bias's excess), written as C does.
        let exponent_bits = if digits == 64 { 15 } else { bits - digits };
        let exponent = 2 - (1i32 << (exponent_bits - 1));
        let least = fold::parse_float(&self.types.model, x.kind, &format!("0x1p{exponent}"));
        let least = least.unwrap_or(Int::new(0));
        let ty = Types::float(x.kind);
        let minus = fold::float_neg(&self.types.model, x.kind, least);
        let above = self.compare(CmpOp::Ge, x.op, Operand::Float(least, ty), place);
        let below = self.compare(CmpOp::Le, x.op, Operand::Float(minus, ty), place);
        self.binary(BinOp::Or, above, below, place)
    }

    /// Bits of the format and digits of its significand, the hidden one included.
    fn float_shape(&self, kind: FloatKind) -> (u32, u32) {
        let model = &self.types.model;
        match kind {
            FloatKind::Float16 => (16, 11),
            FloatKind::Float => (32, 24),
            FloatKind::Double if model.double_size == 4 => (32, 24),
            FloatKind::Double => (64, 53),
            FloatKind::LongDouble => match model.long_double_digits {
                24 => (32, 24),
                64 => (80, 64),
                113 => (128, 113),
                _ => (64, 53),
            },
            FloatKind::Float128 => (128, 113),
        }
    }

    /// `nan("payload")`; what is not a literal number is left to the library.
    fn nan(&mut self, kind: FloatKind, signalling: bool, name: &str, args: Args<'_>, span: Span) -> Res<Rv> {
        let &[e] = args else { return self.wrong_count(name, span) };
        let payload = match &e.node {
            Expression::StringLiteral(s) => {
                let text: String = self.text(&s.node, e.span)?.units.into_iter().filter_map(char::from_u32).collect();
                parse_payload(&text)
            }
            _ => None,
        };
        let Some(payload) = payload else {
            let plain = name.trim_start_matches("__builtin_");
            return match self.library_call(plain, &[], args, span)? {
                Val::Rv(rv) => Ok(rv),
                Val::Lv(lv) => self.read(lv, span),
            };
        };
        let (_, digits) = self.float_shape(kind);
        let quiet = digits - 2;
        let mut bits = fold::float_nan(&self.types.model, kind).bits();
        let payload = payload & ((1 << quiet) - 1);
        bits |= payload;
        if signalling {
            bits &= !(1 << quiet);
            if payload == 0 {
                bits |= 1 << (quiet - 1);
            }
        }
        let ty = Types::float(kind);
        Ok(Rv::new(Operand::Float(Int::new(bits as i128), ty), ty))
    }
}

/// A number as `strtoull` with base 0 reads it; nothing is 0.
fn parse_payload(text: &str) -> Option<u128> {
    if text.is_empty() {
        return Some(0);
    }
    let lower = text.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x") {
        return u128::from_str_radix(hex, 16).ok();
    }
    if lower.len() > 1 && lower.starts_with('0') {
        return u128::from_str_radix(&lower[1..], 8).ok();
    }
    lower.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_test_and_kind() {
        assert!(matches!(classify("isnan"), Some(Float::Test(Test::Nan, None))));
        assert!(matches!(classify("isinfl"), Some(Float::Test(Test::Infinite, Some(FloatKind::LongDouble)))));
        assert!(matches!(classify("huge_valf"), Some(Float::Infinity(FloatKind::Float))));
        assert!(matches!(classify("inf"), Some(Float::Infinity(FloatKind::Double))));
        assert!(matches!(classify("nans"), Some(Float::Nan(FloatKind::Double, true))));
        assert!(matches!(classify("nanf128"), Some(Float::Nan(FloatKind::Float128, false))));
        assert!(classify("fabs").is_none());
        assert!(classify("infinity").is_none());
    }

    #[test]
    fn payloads_are_read_like_strtoull() {
        assert_eq!(parse_payload(""), Some(0));
        assert_eq!(parse_payload("0x1F"), Some(31));
        assert_eq!(parse_payload("017"), Some(15));
        assert_eq!(parse_payload("42"), Some(42));
        assert_eq!(parse_payload("abc"), None);
    }
}
