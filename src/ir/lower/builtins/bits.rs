//! Builtins on the bits of integers: counts, byte swaps, rotations, reversals.

use lang_c::span::Span;

use super::super::convert::Rv;
use super::super::{Lower, Res};
use super::Args;
use crate::ir::syntax::{BinOp, CmpOp, InstKind, Intrinsic, Operand};
use crate::ir::types::{IntKind, TypeId, Types};
use crate::source::Place;

/// A builtin on bits.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Bits {
    /// A count, as `int`, of an argument of this type; without one (`clzg`), of the argument's own, and the second argument is
    /// the answer for zero.
    Count(Intrinsic, Option<TypeId>),
    /// Bytes in reverse order, of an unsigned integer of so many bytes.
    Swap(u64),
    /// A rotation to the left, or else to the right, of an unsigned integer of so many bytes.
    Rotate(u64, bool),
    /// Bits in reverse order, of an unsigned integer of so many bytes.
    Reverse(u64),
}

pub(super) fn classify(name: &str) -> Option<Bits> {
    let bytes = |digits: &str| digits.parse().ok().filter(|n| matches!(n, 8 | 16 | 32 | 64 | 128)).map(|n: u64| n / 8);
    if let Some(digits) = name.strip_prefix("bswap") {
        return bytes(digits).map(Bits::Swap);
    }
    if let Some(digits) = name.strip_prefix("bitreverse") {
        return bytes(digits).map(Bits::Reverse);
    }
    if let Some(digits) = name.strip_prefix("rotateleft") {
        return bytes(digits).map(|n| Bits::Rotate(n, true));
    }
    if let Some(digits) = name.strip_prefix("rotateright") {
        return bytes(digits).map(|n| Bits::Rotate(n, false));
    }
    let counts = [
        ("clz", Intrinsic::Clz, false),
        ("ctz", Intrinsic::Ctz, false),
        ("popcount", Intrinsic::Popcount, false),
        ("parity", Intrinsic::Parity, false),
        ("ffs", Intrinsic::Ffs, true),
        ("clrsb", Intrinsic::Clrsb, true),
    ];
    counts.into_iter().find_map(|(word, op, signed)| {
        let kind = match name.strip_prefix(word)? {
            "" => IntKind::UInt,
            "l" => IntKind::ULong,
            "ll" => IntKind::ULongLong,
            "s" => IntKind::UShort,
            "g" => return Some(Bits::Count(op, None)),
            _ => return None,
        };
        let kind = if signed { kind.to_signed() } else { kind };
        Some(Bits::Count(op, Some(Types::int(kind))))
    })
}

impl Lower<'_> {
    pub(super) fn bits_builtin(&mut self, builtin: Bits, name: &str, args: Args<'_>, span: Span) -> Res<Rv> {
        let place = self.place(span);
        let unsigned = |l: &Self, bytes| match l.unsigned_of(bytes) {
            Some(ty) => Ok(ty),
            None => l.error(span, "the target has no integer of this size"),
        };
        match builtin {
            Bits::Count(op, Some(ty)) => {
                let &[e] = args else { return self.wrong_count(name, span) };
                let value = self.argument(e, ty)?;
                Ok(Rv::new(self.count_bits(op, value, place), Types::INT))
            }
            Bits::Count(op, None) => {
                let [e, rest @ ..] = args else { return self.wrong_count(name, span) };
                let rv = self.rvalue(e)?;
                if !self.is_integer(rv.ty) {
                    return self.error(e.span, "this builtin takes an integer");
                }
                let zero = self.int(0, rv.ty);
                let fallback = match rest {
                    [] => None,
                    [e] => Some(self.argument(e, Types::INT)?),
                    _ => return self.wrong_count(name, span),
                };
                let count = self.count_bits(op, rv.op, place);
                let op = match fallback {
                    Some(fallback) => {
                        let some = self.compare(CmpOp::Ne, rv.op, zero, place);
                        self.select(some, count, fallback, place)
                    }
                    None => count,
                };
                Ok(Rv::new(op, Types::INT))
            }
            Bits::Swap(bytes) => {
                let &[e] = args else { return self.wrong_count(name, span) };
                let ty = unsigned(self, bytes)?;
                let value = self.argument(e, ty)?;
                let op = match value {
                    Operand::Int(v, _) => self.int((v.bits().swap_bytes() >> (128 - 8 * bytes)) as i128, ty),
                    _ => self.f().emit(InstKind::Intrinsic(Intrinsic::Bswap, vec![value]), ty, place),
                };
                Ok(Rv::new(op, ty))
            }
            Bits::Rotate(bytes, left) => {
                let &[e, count] = args else { return self.wrong_count(name, span) };
                let ty = unsigned(self, bytes)?;
                let value = self.argument(e, ty)?;
                let count = self.argument(count, ty)?;
                Ok(Rv::new(self.rotate(value, count, bytes * 8, left, place), ty))
            }
            Bits::Reverse(bytes) => {
                let &[e] = args else { return self.wrong_count(name, span) };
                let ty = unsigned(self, bytes)?;
                let value = self.argument(e, ty)?;
                Ok(Rv::new(self.reverse_bits(value, bytes * 8, place), ty))
            }
        }
    }

    /// A count, folded where the operand is constant and the answer defined.
    fn count_bits(&mut self, op: Intrinsic, value: Operand, place: Place) -> Operand {
        if let Operand::Int(v, ty) = value
            && let Some((width, _)) = self.types.int_shape(ty)
            && let Some(count) = fold_count(op, v.bits(), width)
        {
            return self.int(i128::from(count), Types::INT);
        }
        self.f().emit(InstKind::Intrinsic(op, vec![value]), Types::INT, place)
    }

    /// `value` rotated; shifts by 0 up to the width only, so that each is defined.
    fn rotate(&mut self, value: Operand, count: Operand, width: u64, left: bool, place: Place) -> Operand {
        let ty = self.operand_type(value);
        let mask = self.int(i128::from(width) - 1, ty);
        let zero = self.int(0, ty);
        let forth = self.binary(BinOp::And, count, mask, place);
        let back = self.binary(BinOp::Sub, zero, count, place);
        let back = self.binary(BinOp::And, back, mask, place);
        let (ahead, behind) = if left { (BinOp::Shl, BinOp::Shr) } else { (BinOp::Shr, BinOp::Shl) };
        let forth = self.shift(ahead, value, forth, place);
        let back = self.shift(behind, value, back, place);
        self.binary(BinOp::Or, forth, back, place)
    }

    /// A shift by a count below the width; the count is promoted.
    fn shift(&mut self, op: BinOp, value: Operand, count: Operand, place: Place) -> Operand {
        let count = self.cast(count, Types::INT, place);
        self.binary(op, value, count, place)
    }

    /// Swaps neighbouring bits, then pairs, and so on.
    fn reverse_bits(&mut self, value: Operand, width: u64, place: Place) -> Operand {
        let ty = self.operand_type(value);
        let mut value = value;
        let mut step = 1;
        while step < width {
            // Groups of `step` ones and `step` zeros, from the lowest bit on.
            let mask = (0..width).filter(|bit| bit / step % 2 == 0).fold(0u128, |m, bit| m | 1 << bit);
            let mask = self.int(mask as i128, ty);
            let count = self.int(i128::from(step), Types::INT);
            let high = self.binary(BinOp::Shr, value, count, place);
            let high = self.binary(BinOp::And, high, mask, place);
            let low = self.binary(BinOp::And, value, mask, place);
            let low = self.binary(BinOp::Shl, low, count, place);
            value = self.binary(BinOp::Or, high, low, place);
            step *= 2;
        }
        value
    }
}

/// The count of a constant of `width` bits; `None` where it is not defined, or not a count.
fn fold_count(op: Intrinsic, value: u128, width: u32) -> Option<u32> {
    let mask = u128::MAX >> (128 - width);
    let bits = value & mask;
    let leading = |bits: u128| bits.leading_zeros() - (128 - width);
    match op {
        Intrinsic::Clz => (bits != 0).then(|| leading(bits)),
        Intrinsic::Ctz => (bits != 0).then(|| bits.trailing_zeros()),
        Intrinsic::Popcount => Some(bits.count_ones()),
        Intrinsic::Parity => Some(bits.count_ones() % 2),
        Intrinsic::Ffs => Some(if bits == 0 { 0 } else { bits.trailing_zeros() + 1 }),
        Intrinsic::Clrsb => {
            let negative = bits >> (width - 1) != 0;
            Some(leading(if negative { !bits & mask } else { bits }) - 1)
        }
        Intrinsic::Bswap
        | Intrinsic::Overflows(..)
        | Intrinsic::SignBit
        | Intrinsic::Real
        | Intrinsic::Imag
        | Intrinsic::Complex
        | Intrinsic::FrameAddress
        | Intrinsic::Shuffle
        | Intrinsic::ConvertVector
        | Intrinsic::Splat
        | Intrinsic::Machine(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_fold_as_the_machine_counts() {
        for v in [1u32, 2, 3, 0x80, 0x8000_0000, u32::MAX, 12345] {
            let bits = u128::from(v);
            assert_eq!(fold_count(Intrinsic::Clz, bits, 32), Some(v.leading_zeros()));
            assert_eq!(fold_count(Intrinsic::Ctz, bits, 32), Some(v.trailing_zeros()));
            assert_eq!(fold_count(Intrinsic::Popcount, bits, 32), Some(v.count_ones()));
            assert_eq!(fold_count(Intrinsic::Parity, bits, 32), Some(v.count_ones() & 1));
            assert_eq!(fold_count(Intrinsic::Ffs, bits, 32), Some(v.trailing_zeros() + 1));
        }
        assert_eq!(fold_count(Intrinsic::Clz, 0, 32), None);
        assert_eq!(fold_count(Intrinsic::Ffs, 0, 32), Some(0));
        // Constants are kept sign-extended: -1 has 31 redundant sign bits as an int, 63 as a long.
        assert_eq!(fold_count(Intrinsic::Clrsb, u128::MAX, 32), Some(31));
        assert_eq!(fold_count(Intrinsic::Clrsb, u128::MAX, 64), Some(63));
        assert_eq!(fold_count(Intrinsic::Clrsb, 0, 32), Some(31));
        assert_eq!(fold_count(Intrinsic::Clrsb, 1, 32), Some(30));
        assert_eq!(fold_count(Intrinsic::Popcount, u128::MAX, 128), Some(128));
    }

    #[test]
    fn names_tell_the_operand_type() {
        assert!(matches!(classify("clzll"), Some(Bits::Count(Intrinsic::Clz, Some(ty)))
            if ty == Types::int(IntKind::ULongLong)));
        assert!(
            matches!(classify("ffsl"), Some(Bits::Count(Intrinsic::Ffs, Some(ty))) if ty == Types::int(IntKind::Long))
        );
        assert!(matches!(classify("bswap128"), Some(Bits::Swap(16))));
        assert!(classify("bswap24").is_none());
        assert!(classify("clzx").is_none());
    }
}
