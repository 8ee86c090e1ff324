//! Arithmetic that tells whether the exact result fits: `add_overflow` and its relatives, and additions with a carry.
//!
//! The operands keep their own types and the result is exact, so no promotion happens. The value stored is computed in the
//! unsigned type of the result, where wrapping is defined.

use lang_c::span::Span;

use super::super::convert::Rv;
use super::super::expr::Lv;
use super::super::{Lower, Res};
use super::Args;
use crate::ir::fold;
use crate::ir::syntax::{BinOp, InstKind, Intrinsic, Operand};
use crate::ir::types::{IntKind, TypeId, Types};
use crate::source::Place;

/// Arithmetic with an overflow flag.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Overflow {
    /// `add_overflow(a, b, &result)`; with a type, the operands have it too.
    Into(BinOp, Option<TypeId>),
    /// `add_overflow_p(a, b, of_this_type)`
    Test(BinOp),
    /// `addc(a, b, carry, &carry_out)` in a type.
    Carry(BinOp, TypeId),
    /// The processor's: `addcarryx(carry, a, b, &sum)` in a type, the answer is the carry as an `unsigned char`.
    CarryInto(BinOp, TypeId),
}

pub(super) fn classify(name: &str) -> Option<Overflow> {
    let operation = |rest: &str| {
        let (op, rest) = [("add", BinOp::Add), ("sub", BinOp::Sub), ("mul", BinOp::Mul)]
            .into_iter()
            .find_map(|(word, op)| Some((op, rest.strip_prefix(word)?.to_string())))?;
        Some((op, rest))
    };
    let size = |suffix: &str, signed: bool| {
        let kind = match suffix {
            "" => IntKind::UInt,
            "l" => IntKind::ULong,
            "ll" => IntKind::ULongLong,
            _ => return None,
        };
        Some(Types::int(if signed { kind.to_signed() } else { kind }))
    };
    match name {
        "ia32_addcarryx_u32" => return Some(Overflow::CarryInto(BinOp::Add, Types::UINT)),
        "ia32_sbb_u32" => return Some(Overflow::CarryInto(BinOp::Sub, Types::UINT)),
        "ia32_addcarryx_u64" => return Some(Overflow::CarryInto(BinOp::Add, Types::int(IntKind::ULongLong))),
        "ia32_sbb_u64" => return Some(Overflow::CarryInto(BinOp::Sub, Types::int(IntKind::ULongLong))),
        _ => {}
    }
    if let Some(stem) = name.strip_suffix("_overflow_p") {
        let (op, rest) = operation(stem)?;
        return rest.is_empty().then_some(Overflow::Test(op));
    }
    if let Some(stem) = name.strip_suffix("_overflow") {
        if let Some((op, rest)) = operation(stem) {
            return rest.is_empty().then_some(Overflow::Into(op, None));
        }
        let signed = stem.starts_with('s');
        let (op, rest) = operation(stem.strip_prefix(['s', 'u'])?)?;
        return size(&rest, signed).map(|ty| Overflow::Into(op, Some(ty)));
    }
    let (op, rest) = operation(name)?;
    let suffix = rest.strip_prefix('c').filter(|_| op != BinOp::Mul)?;
    let ty = match suffix {
        "b" => Types::int(IntKind::UChar),
        "s" => Types::int(IntKind::UShort),
        _ => size(suffix, false)?,
    };
    Some(Overflow::Carry(op, ty))
}

impl Lower<'_> {
    pub(super) fn overflow_builtin(&mut self, builtin: Overflow, name: &str, args: Args<'_>, span: Span) -> Res<Rv> {
        let place = self.place(span);
        match builtin {
            Overflow::Into(op, ty) => {
                let &[a, b, result] = args else { return self.wrong_count(name, span) };
                let (a, b) = match ty {
                    Some(ty) => (self.argument(a, ty)?, self.argument(b, ty)?),
                    None => (self.rvalue(a)?.op, self.rvalue(b)?.op),
                };
                let pointer = self.rvalue(result)?;
                let Some(target) = self.types.pointee(pointer.ty).filter(|t| self.is_integer(t.ty)) else {
                    return self.error(result.span, "the result must be a pointer to an integer");
                };
                let flag = self.overflows(op, a, b, target.ty, span)?;
                let value = self.wrapped(op, a, b, target.ty, place);
                self.write(Lv { addr: pointer.op, ty: target, bits: None }, value, place);
                Ok(Rv::new(self.cast(flag, Types::BOOL, place), Types::BOOL))
            }
            Overflow::Test(op) => {
                let &[a, b, like] = args else { return self.wrong_count(name, span) };
                let (a, b) = (self.rvalue(a)?.op, self.rvalue(b)?.op);
                let ty = self.rvalue(like)?.ty;
                let flag = self.overflows(op, a, b, ty, span)?;
                Ok(Rv::new(self.cast(flag, Types::BOOL, place), Types::BOOL))
            }
            Overflow::Carry(op, ty) => {
                let &[a, b, carry, out] = args else { return self.wrong_count(name, span) };
                let (a, b, carry) = (self.argument(a, ty)?, self.argument(b, ty)?, self.argument(carry, ty)?);
                let pointer = self.types.pointer_to(ty.into());
                let out = self.argument(out, pointer)?;
                let (value, carry) = self.with_carry(op, a, b, carry, span)?;
                let carry = self.cast(carry, ty, place);
                self.store(out, carry, place);
                Ok(Rv::new(value, ty))
            }
            Overflow::CarryInto(op, ty) => {
                let &[carry, a, b, out] = args else { return self.wrong_count(name, span) };
                let byte = Types::int(IntKind::UChar);
                let carry = self.argument(carry, byte)?;
                let (a, b) = (self.argument(a, ty)?, self.argument(b, ty)?);
                let pointer = self.types.pointer_to(ty.into());
                let out = self.argument(out, pointer)?;
                // Any carry that is not zero is one.
                let carry = self.cast(carry, Types::BOOL, place);
                let carry = self.cast(carry, ty, place);
                let (value, carry) = self.with_carry(op, a, b, carry, span)?;
                self.store(out, value, place);
                Ok(Rv::new(self.cast(carry, byte, place), byte))
            }
        }
    }

    /// `a op b op carry` in an unsigned type, and whether either step overflows, as `int`.
    fn with_carry(&mut self, op: BinOp, a: Operand, b: Operand, carry: Operand, span: Span) -> Res<(Operand, Operand)> {
        let place = self.place(span);
        let ty = self.operand_type(a);
        let first = self.binary(op, a, b, place);
        let second = self.binary(op, first, carry, place);
        let x = self.overflows(op, a, b, ty, span)?;
        let y = self.overflows(op, first, carry, ty, span)?;
        Ok((second, self.binary(BinOp::Or, x, y, place)))
    }

    /// Whether `a op b` does not fit `ty`, as `int`.
    fn overflows(&mut self, op: BinOp, a: Operand, b: Operand, ty: TypeId, span: Span) -> Res<Operand> {
        let (ta, tb) = (self.operand_type(a), self.operand_type(b));
        if ![ta, tb, ty].into_iter().all(|t| self.is_integer(t)) {
            return self.error(span, "this builtin takes integers");
        }
        // Below 128 bits the exact result fits an i128, or overflows that too.
        let wide = [ta, tb].into_iter().any(|t| self.types.int_shape(t).is_none_or(|(width, _)| width > 64));
        if let (Operand::Int(x, _), Operand::Int(y, _), false) = (a, b, wide) {
            let exact = match op {
                BinOp::Add => x.value().checked_add(y.value()),
                BinOp::Sub => x.value().checked_sub(y.value()),
                _ => x.value().checked_mul(y.value()),
            };
            let unsigned128 = self.types.int_shape(ty) == Some((128, false));
            let fits = exact.is_some_and(|v| fold::wrap_to(&self.types, v, ty) == v && !(unsigned128 && v < 0));
            return Ok(self.int(i128::from(!fits), Types::INT));
        }
        let place = self.place(span);
        Ok(self.f().emit(InstKind::Intrinsic(Intrinsic::Overflows(op, ty), vec![a, b]), Types::INT, place))
    }

    /// `a op b` wrapped to `ty`.
    pub(super) fn wrapped(&mut self, op: BinOp, a: Operand, b: Operand, ty: TypeId, place: Place) -> Operand {
        let unsigned = self.wrapping_type(ty).unwrap_or(ty);
        let (a, b) = (self.cast(a, unsigned, place), self.cast(b, unsigned, place));
        let value = self.binary(op, a, b, place);
        self.cast(value, ty, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_operation_and_type() {
        assert!(matches!(classify("add_overflow"), Some(Overflow::Into(BinOp::Add, None))));
        assert!(matches!(classify("mul_overflow_p"), Some(Overflow::Test(BinOp::Mul))));
        assert!(matches!(classify("smulll_overflow"), Some(Overflow::Into(BinOp::Mul, Some(ty)))
            if ty == Types::int(IntKind::LongLong)));
        assert!(matches!(classify("usubl_overflow"), Some(Overflow::Into(BinOp::Sub, Some(ty)))
            if ty == Types::int(IntKind::ULong)));
        assert!(matches!(classify("addcl"), Some(Overflow::Carry(BinOp::Add, ty)) if ty == Types::int(IntKind::ULong)));
        assert!(classify("mulc").is_none());
        assert!(classify("sdiv_overflow").is_none());
    }
}
