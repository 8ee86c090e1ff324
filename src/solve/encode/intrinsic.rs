//! Builtins that compute from their operands alone.

use super::image::swap_bytes;
use super::{Class, Encoder, Scalar, from_truth};
use crate::ir::{BinOp, Intrinsic, TypeId};
use crate::solve::term::{BitOp, TermId};

impl Encoder<'_> {
    pub(super) fn intrinsic(&mut self, which: Intrinsic, class: Class, args: &[(TermId, Class)]) -> Option<TermId> {
        let &(first, first_class) = args.first()?;
        match which {
            Intrinsic::Clz
            | Intrinsic::Ctz
            | Intrinsic::Clrsb
            | Intrinsic::Popcount
            | Intrinsic::Parity
            | Intrinsic::Ffs => {
                let (Class::Scalar(Scalar::Int { .. } | Scalar::Bool), Class::Scalar(target)) = (first_class, class)
                else {
                    return None;
                };
                Some(self.count(which, first, target.width()))
            }
            Intrinsic::Bswap => {
                let cut = self.terms.resize(false, class.width(), first);
                Some(swap_bytes(self.terms, cut))
            }
            Intrinsic::Overflows(op, ty) => {
                let [(a, Class::Scalar(left)), (b, Class::Scalar(right))] = *args else { return None };
                let fits = self.exact_fits(op, (a, left), (b, right), ty)?;
                let overflows = self.terms.not(fits);
                Some(from_truth(self.terms, overflows, class.width()))
            }
            Intrinsic::SignBit => {
                let top = self.terms.width(first) - 1;
                let sign = self.terms.extract(top, top, first);
                Some(self.terms.resize(false, class.width(), sign))
            }
            Intrinsic::Real | Intrinsic::Imag => {
                let Class::Complex { .. } = first_class else { return None };
                let (re, im) = self.parts(first_class, first);
                Some(if which == Intrinsic::Real { re } else { im })
            }
            Intrinsic::Complex => {
                let Class::Complex { format, .. } = class else { return None };
                let [(re, Class::Scalar(left)), (im, Class::Scalar(right))] = *args else { return None };
                let re = self.cast_scalar(left, Scalar::Float(format), re);
                let im = self.cast_scalar(right, Scalar::Float(format), im);
                Some(self.join(class, &[re, im]))
            }
            Intrinsic::Splat => {
                let (Class::Scalar(scalar), Class::Vector { lane, lanes }) = (first_class, class) else { return None };
                let value = self.cast_scalar(scalar, lane, first);
                Some(self.join(class, &vec![value; lanes as usize]))
            }
            Intrinsic::ConvertVector => {
                let (Class::Vector { lane: from, .. }, Class::Vector { lane: to, .. }) = (first_class, class) else {
                    return None;
                };
                let lanes = self.lanes(first_class, first);
                let lanes: Vec<TermId> = lanes.into_iter().map(|x| self.cast_scalar(from, to, x)).collect();
                Some(self.join(class, &lanes))
            }
            Intrinsic::FrameAddress | Intrinsic::Shuffle | Intrinsic::Machine(_) => None,
        }
    }

    /// Counts bits of `of`; leading and trailing zeros of 0 are arbitrary.
    fn count(&mut self, which: Intrinsic, of: TermId, target: u32) -> TermId {
        let width = self.terms.width(of);
        match which {
            Intrinsic::Clz => {
                let none = self.arbitrary(target);
                self.leading_zeros(of, none, target)
            }
            Intrinsic::Ctz => {
                let none = self.arbitrary(target);
                self.first_one(of, none, 0, target)
            }
            Intrinsic::Ffs => {
                let none = self.terms.number(target, 0);
                self.first_one(of, none, 1, target)
            }
            Intrinsic::Clrsb => {
                // Where a bit differs from the sign.
                let shift = self.terms.number(width, i128::from(width - 1));
                let sign = self.terms.bit(BitOp::AShr, of, shift);
                let differs = self.terms.bit(BitOp::Xor, of, sign);
                let none = self.terms.number(target, i128::from(width));
                let zeros = self.leading_zeros(differs, none, target);
                let one = self.terms.number(target, 1);
                self.terms.bit(BitOp::Sub, zeros, one)
            }
            Intrinsic::Parity => {
                let ones = self.ones(of, target);
                let one = self.terms.number(target, 1);
                self.terms.bit(BitOp::And, ones, one)
            }
            _ => self.ones(of, target),
        }
    }
    fn bit_is_set(&mut self, of: TermId, bit: u32) -> TermId {
        let piece = self.terms.extract(bit, bit, of);
        super::is_true(self.terms, piece)
    }
    fn leading_zeros(&mut self, of: TermId, none: TermId, target: u32) -> TermId {
        let width = self.terms.width(of);
        (0..width).fold(none, |lower, bit| {
            let set = self.bit_is_set(of, bit);
            let count = self.terms.number(target, i128::from(width - 1 - bit));
            self.terms.ite(set, count, lower)
        })
    }
    /// The index of the lowest one bit, plus `base`.
    fn first_one(&mut self, of: TermId, none: TermId, base: u32, target: u32) -> TermId {
        let width = self.terms.width(of);
        (0..width).rev().fold(none, |higher, bit| {
            let set = self.bit_is_set(of, bit);
            let count = self.terms.number(target, i128::from(bit + base));
            self.terms.ite(set, count, higher)
        })
    }
    /// How many bits are set: pairs of counts are added, each time with one bit more.
    fn ones(&mut self, of: TermId, target: u32) -> TermId {
        let mut counts: Vec<TermId> = (0..self.terms.width(of)).map(|bit| self.terms.extract(bit, bit, of)).collect();
        while counts.len() > 1 {
            let add = |pair: &[TermId]| {
                let width = self.terms.width(pair[0]) + 1;
                let wide: Vec<TermId> = pair.iter().map(|c| self.terms.extend(false, width, *c)).collect();
                wide.into_iter().reduce(|a, b| self.terms.bit(BitOp::Add, a, b)).expect("a pair is not empty")
            };
            counts = counts.chunks(2).map(add).collect();
        }
        self.terms.resize(false, target, counts[0])
    }

    /// Whether the exact result fits a type.
    fn exact_fits(
        &mut self,
        op: BinOp,
        (a, left): (TermId, Scalar),
        (b, right): (TermId, Scalar),
        ty: TypeId,
    ) -> Option<TermId> {
        let op = match op {
            BinOp::Add => BitOp::Add,
            BinOp::Sub => BitOp::Sub,
            BinOp::Mul => BitOp::Mul,
            BinOp::Div | BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => return None,
        };
        let (width, signed) = match Class::of(self.meaning.types, ty)? {
            Class::Scalar(Scalar::Int { width, signed }) => (width, signed),
            Class::Scalar(Scalar::Bool) => (1, false),
            Class::Scalar(Scalar::Float(_)) | Class::Complex { .. } | Class::Vector { .. } | Class::Image(_) => {
                return None;
            }
        };
        let limit = Scalar::Int { width, signed };
        if left == limit && right == limit {
            return Some(self.terms.fits(op, signed, a, b));
        }
        let operands =
            if op == BitOp::Mul { left.width() + right.width() } else { left.width().max(right.width()) + 1 };
        // One bit more for the sign of what was unsigned.
        let wide = operands.max(width) + 1;
        let (x, y) = (self.terms.resize(left.signed(), wide, a), self.terms.resize(right.signed(), wide, b));
        let exact = self.terms.bit(op, x, y);
        let cut = self.terms.resize(false, width, exact);
        let back = self.terms.resize(signed, wide, cut);
        Some(self.terms.eq(exact, back))
    }
}
