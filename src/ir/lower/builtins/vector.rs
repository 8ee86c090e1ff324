//! Builtins on vectors: shuffles, and the operations of SSE2 that its header leaves to the compiler and that lanes can express.
//!
//! A mask is a vector like any other: it is built in memory, lane by lane. Builtins of a processor that are not here are unknown
//! functions to the analysis.

use lang_c::ast::Expression;
use lang_c::span::{Node, Span};

use super::super::convert::Rv;
use super::super::{Lower, Res};
use super::Args;
use crate::ir::syntax::{BinOp, CmpOp, InstKind, Intrinsic, MachineOp, Operand};
use crate::ir::types::{IntKind, Type, TypeId, Types};
use crate::source::Place;

/// A builtin on vectors.
#[derive(Clone, Copy, Debug)]
pub(in super::super) enum Vector {
    /// `shuffle(v, mask)`, `shuffle(v, w, mask)`
    Shuffle,
    /// `shufflevector(v, w, i, j, …)`
    ShuffleList,
    /// The sign bits of the lanes, as `int`.
    SignMask,
    /// Four lanes from `start` on are chosen by two bits each of a number.
    Choose { start: usize },
    /// The lower half from one vector, the upper half from another, each lane by its bits of a number.
    ChooseTwo,
    /// The products of the even lanes, twice as wide.
    MultiplyEven,
    /// The lower or upper halves of two vectors, lane by lane in turn.
    Interleave { upper: bool },
    /// Every lane shifted by a count; a count beyond the width clears (or fills with the sign).
    Shift { left: bool, arithmetic: bool },
    /// The whole vector shifted by a count of bits, a multiple of 8.
    ShiftBytes { left: bool },
    /// A lane.
    Extract,
    /// The vector with another lane.
    Insert,
    /// An instruction of the processor.
    Machine(MachineOp),
}

pub(super) fn classify(name: &str) -> Option<Vector> {
    Some(match name {
        "shuffle" => Vector::Shuffle,
        "shufflevector" => Vector::ShuffleList,
        "ia32_pmovmskb128" | "ia32_movmskps" | "ia32_movmskpd" => Vector::SignMask,
        "ia32_pshufd" | "ia32_pshuflw" => Vector::Choose { start: 0 },
        "ia32_pshufhw" => Vector::Choose { start: 4 },
        "ia32_shufps" | "ia32_shufpd" => Vector::ChooseTwo,
        "ia32_pmuludq128" => Vector::MultiplyEven,
        "ia32_punpcklbw128" | "ia32_punpcklwd128" | "ia32_punpckldq128" | "ia32_punpcklqdq128" | "ia32_unpcklps"
        | "ia32_unpcklpd" => Vector::Interleave { upper: false },
        "ia32_punpckhbw128" | "ia32_punpckhwd128" | "ia32_punpckhdq128" | "ia32_punpckhqdq128" | "ia32_unpckhps"
        | "ia32_unpckhpd" => Vector::Interleave { upper: true },
        "ia32_psllwi128" | "ia32_pslldi128" | "ia32_psllqi128" => Vector::Shift { left: true, arithmetic: false },
        "ia32_psrlwi128" | "ia32_psrldi128" | "ia32_psrlqi128" => Vector::Shift { left: false, arithmetic: false },
        "ia32_psrawi128" | "ia32_psradi128" => Vector::Shift { left: false, arithmetic: true },
        "ia32_pslldqi128" => Vector::ShiftBytes { left: true },
        "ia32_psrldqi128" => Vector::ShiftBytes { left: false },
        "ia32_vec_ext_v16qi" | "ia32_vec_ext_v8hi" | "ia32_vec_ext_v4si" | "ia32_vec_ext_v2di"
        | "ia32_vec_ext_v4sf" | "ia32_vec_ext_v2df" => Vector::Extract,
        "ia32_vec_set_v16qi" | "ia32_vec_set_v8hi" | "ia32_vec_set_v4si" | "ia32_vec_set_v2di" => Vector::Insert,
        "ia32_aesenc128" => Vector::Machine(MachineOp::AesEncrypt),
        "ia32_aesenclast128" => Vector::Machine(MachineOp::AesEncryptLast),
        "ia32_aesdec128" => Vector::Machine(MachineOp::AesDecrypt),
        "ia32_aesdeclast128" => Vector::Machine(MachineOp::AesDecryptLast),
        "ia32_aesimc128" => Vector::Machine(MachineOp::AesInverseMix),
        "ia32_aeskeygenassist128" => Vector::Machine(MachineOp::AesKeyAssist),
        "ia32_pclmulqdq128" => Vector::Machine(MachineOp::CarrylessMultiply),
        "ia32_pshufb128" => Vector::Machine(MachineOp::ByteShuffle),
        _ => return None,
    })
}

/// A vector value and its shape.
#[derive(Clone, Copy)]
struct Lanes {
    op: Operand,
    ty: TypeId,
    element: TypeId,
    count: usize,
    /// Bytes of a lane.
    size: u64,
}

impl Lower<'_> {
    pub(super) fn vector_builtin(&mut self, builtin: Vector, name: &str, args: Args<'_>, span: Span) -> Res<Rv> {
        let place = self.place(span);
        match (builtin, args) {
            (Vector::Shuffle, [vectors @ .., mask]) if matches!(vectors.len(), 1 | 2) => {
                let mut operands = Vec::with_capacity(3);
                let first = self.vector_argument(vectors[0])?;
                operands.push(first.op);
                if let Some(second) = vectors.get(1) {
                    operands.push(self.vector_like(second, first)?.op);
                }
                operands.push(self.vector_argument(mask)?.op);
                let op = self.f().emit(InstKind::Intrinsic(Intrinsic::Shuffle, operands), first.ty, place);
                Ok(Rv::new(op, first.ty))
            }
            (Vector::ShuffleList, [a, b, list @ ..]) if !list.is_empty() => {
                let a = self.vector_argument(a)?;
                let b = self.vector_like(b, a)?;
                let mut indices = Vec::with_capacity(list.len());
                for e in list {
                    // -1 leaves the lane open: any will do.
                    let lane = self.constant_int(e)?.0.max(0);
                    indices.push(self.int(lane, Types::INT));
                }
                self.shuffled(a, Some(b), &indices, span)
            }
            (Vector::Machine(op), args) if args.len() == op.operands().0 + usize::from(op.operands().1) => {
                let (vectors, numbers) = args.split_at(op.operands().0);
                let first = self.vector_argument(vectors[0])?;
                let mut operands = vec![first.op];
                for e in &vectors[1..] {
                    operands.push(self.vector_like(e, first)?.op);
                }
                for e in numbers {
                    operands.push(self.argument(e, Types::INT)?);
                }
                let op = self.f().emit(InstKind::Intrinsic(Intrinsic::Machine(op), operands), first.ty, place);
                Ok(Rv::new(op, first.ty))
            }
            (Vector::SignMask, &[v]) => {
                let v = self.vector_argument(v)?;
                self.sign_mask(v, span)
            }
            (Vector::Choose { start }, &[v, choice]) => {
                let v = self.vector_argument(v)?;
                let choice = self.argument(choice, Types::INT)?;
                let mut indices = self.numbers(0..v.count);
                for i in 0..4.min(v.count - start) {
                    indices[start + i] = self.chosen(choice, i, 2, start, place);
                }
                self.shuffled(v, None, &indices, span)
            }
            (Vector::ChooseTwo, &[a, b, choice]) => {
                let a = self.vector_argument(a)?;
                let b = self.vector_like(b, a)?;
                let choice = self.argument(choice, Types::INT)?;
                // Two bits choose among four lanes, one among two.
                let width = if a.count == 4 { 2 } else { 1 };
                let from = |i: usize| if i < a.count / 2 { 0 } else { a.count };
                let indices: Vec<_> = (0..a.count).map(|i| self.chosen(choice, i, width, from(i), place)).collect();
                self.shuffled(a, Some(b), &indices, span)
            }
            (Vector::MultiplyEven, &[a, b]) => {
                let a = self.vector_argument(a)?;
                let b = self.vector_like(b, a)?;
                self.multiply_even(a, b, span)
            }
            (Vector::Interleave { upper }, &[a, b]) => {
                let a = self.vector_argument(a)?;
                let b = self.vector_like(b, a)?;
                let start = if upper { a.count / 2 } else { 0 };
                let indices = self.numbers((start..start + a.count / 2).flat_map(|i| [i, a.count + i]));
                self.shuffled(a, Some(b), &indices, span)
            }
            (Vector::Shift { left, arithmetic }, &[v, count]) => {
                let v = self.vector_argument(v)?;
                let count = self.argument(count, Types::INT)?;
                self.shift_lanes(v, count, left, arithmetic, span)
            }
            (Vector::ShiftBytes { left }, &[v, bits]) => {
                let v = self.vector_argument(v)?;
                let bits = self.argument(bits, Types::UINT)?;
                self.shift_bytes(v, bits, left, span)
            }
            (Vector::Extract, &[v, index]) => {
                let v = self.vector_argument(v)?;
                let index = self.lane_number(index, v)?;
                let base = self.spill(Rv::new(v.op, v.ty), place);
                let addr = self.lane_address(base, index, v.element, v.size, place);
                Ok(Rv::new(self.load(addr, v.element, place), v.element))
            }
            (Vector::Insert, &[v, value, index]) => {
                let v = self.vector_argument(v)?;
                let value = self.argument(value, v.element)?;
                let index = self.lane_number(index, v)?;
                let base = self.spill(Rv::new(v.op, v.ty), place);
                let addr = self.lane_address(base, index, v.element, v.size, place);
                self.store(addr, value, place);
                Ok(Rv::new(self.load(base, v.ty, place), v.ty))
            }
            _ => self.wrong_count(name, span),
        }
    }

    fn vector_argument(&mut self, e: &Node<Expression>) -> Res<Lanes> {
        let rv = self.rvalue(e)?;
        let Type::Vector { element, lanes } = *self.types.get(rv.ty) else {
            return self.error(e.span, "this argument must be a vector");
        };
        let size = self.types.size_of(element).unwrap_or(1);
        Ok(Lanes { op: rv.op, ty: rv.ty, element, count: lanes as usize, size })
    }

    /// A vector argument of the same size as `like`, in its type.
    fn vector_like(&mut self, e: &Node<Expression>, like: Lanes) -> Res<Lanes> {
        let rv = self.rvalue(e)?;
        let op = self.convert(rv, like.ty, e.span)?;
        Ok(Lanes { op, ..like })
    }

    /// The signed type of a lane's size.
    fn lane_int(&self, size: u64, span: Span) -> Res<TypeId> {
        match self.unsigned_of(size).and_then(|ty| self.types.as_int(ty)) {
            Some(kind) => Ok(Types::int(kind.to_signed())),
            None => self.error(span, "the target has no integer of this size"),
        }
    }

    fn numbers(&self, numbers: impl IntoIterator<Item = usize>) -> Vec<Operand> {
        numbers.into_iter().map(|n| self.int(n as i128, Types::INT)).collect()
    }

    /// `start` plus the `i`th group of `width` bits of `choice`.
    fn chosen(&mut self, choice: Operand, i: usize, width: usize, start: usize, place: Place) -> Operand {
        let [shift, mask, start] = [width * i, (1 << width) - 1, start].map(|n| self.int(n as i128, Types::INT));
        let group = self.binary(BinOp::Shr, choice, shift, place);
        let group = self.binary(BinOp::And, group, mask, place);
        self.binary(BinOp::Add, group, start, place)
    }

    fn multiply_even(&mut self, a: Lanes, b: Lanes, span: Span) -> Res<Rv> {
        let place = self.place(span);
        let signed = self.lane_int(2 * a.size, span)?;
        let wide = self.wrapping_type(signed).unwrap_or(signed);
        let lanes = a.count as u32 / 2;
        let ty = self.types.intern(Type::Vector { element: wide, lanes });
        let width = self.int(8 * i128::from(a.size), wide);
        let width = self.splat(width, ty, place);
        // A lane of twice the width holds the even lane below and the odd one above; two shifts clear the odd one.
        let [x, y] = [a, b].map(|v| {
            let pairs = self.cast(v.op, ty, place);
            let moved = self.f().emit(InstKind::Binary(BinOp::Shl, pairs, width), ty, place);
            self.f().emit(InstKind::Binary(BinOp::Shr, moved, width), ty, place)
        });
        let product = self.f().emit(InstKind::Binary(BinOp::Mul, x, y), ty, place);
        let result = self.types.intern(Type::Vector { element: signed, lanes });
        Ok(Rv::new(self.cast(product, result, place), result))
    }

    /// The number of a lane, of which only the bits that count are looked at.
    fn lane_number(&mut self, e: &Node<Expression>, v: Lanes) -> Res<Operand> {
        let place = self.place(e.span);
        let index = self.argument(e, Types::INT)?;
        let mask = self.int(v.count as i128 - 1, Types::INT);
        Ok(self.binary(BinOp::And, index, mask, place))
    }

    fn lane_address(&mut self, base: Operand, lane: Operand, element: TypeId, stride: u64, place: Place) -> Operand {
        let pointer = self.types.pointer_to(element.into());
        let ptrdiff = self.types.ptrdiff_t();
        let index = self.cast(lane, ptrdiff, place);
        self.f().emit(InstKind::PtrAdd { base, index, stride }, pointer, place)
    }

    /// Lanes of one or two vectors by their numbers (`int`), which wrap at the number of lanes.
    fn shuffled(&mut self, a: Lanes, b: Option<Lanes>, indices: &[Operand], span: Span) -> Res<Rv> {
        let place = self.place(span);
        let index = self.lane_int(a.size, span)?;
        let lanes = indices.len() as u32;
        let mask_ty = self.types.intern(Type::Vector { element: index, lanes });
        let mask = Operand::Local(self.temp(mask_ty, place));
        for (lane, number) in indices.iter().enumerate() {
            let lane = self.int(lane as i128, Types::INT);
            let addr = self.lane_address(mask, lane, index, a.size, place);
            let value = self.cast(*number, index, place);
            self.store(addr, value, place);
        }
        let mask = self.load(mask, mask_ty, place);
        let ty = self.types.intern(Type::Vector { element: a.element, lanes });
        let operands = [Some(a.op), b.map(|b| b.op), Some(mask)].into_iter().flatten().collect();
        Ok(Rv::new(self.f().emit(InstKind::Intrinsic(Intrinsic::Shuffle, operands), ty, place), ty))
    }

    fn sign_mask(&mut self, v: Lanes, span: Span) -> Res<Rv> {
        let place = self.place(span);
        let lane_ty = self.lane_int(v.size, span)?;
        let base = self.spill(Rv::new(v.op, v.ty), place);
        let zero = self.int(0, lane_ty);
        let mut mask = self.int(0, Types::INT);
        for lane in 0..v.count {
            let lane = self.int(lane as i128, Types::INT);
            let addr = self.lane_address(base, lane, lane_ty, v.size, place);
            let value = self.load(addr, lane_ty, place);
            let negative = self.compare(CmpOp::Lt, value, zero, place);
            let bit = self.binary(BinOp::Shl, negative, lane, place);
            mask = self.binary(BinOp::Or, mask, bit, place);
        }
        Ok(Rv::new(mask, Types::INT))
    }

    /// The vector with all lanes `value`.
    fn splat(&mut self, value: Operand, ty: TypeId, place: Place) -> Operand {
        self.f().emit(InstKind::Intrinsic(Intrinsic::Splat, vec![value]), ty, place)
    }

    fn shift_lanes(&mut self, v: Lanes, count: Operand, left: bool, arithmetic: bool, span: Span) -> Res<Rv> {
        let place = self.place(span);
        let signed = self.lane_int(v.size, span)?;
        // Shifts are signed or not as the lanes are.
        let element = if arithmetic { signed } else { self.wrapping_type(signed).unwrap_or(signed) };
        let ty = self.types.intern(Type::Vector { element, lanes: v.count as u32 });
        let width = i128::from(v.size) * 8;
        let unsigned = self.cast(count, Types::UINT, place);
        let limit = self.int(width, Types::UINT);
        let inside = self.compare(CmpOp::Lt, unsigned, limit, place);
        // A count beyond the width acts as the largest one, and then clears.
        let most = self.int(width - 1, Types::UINT);
        let count = self.select(inside, unsigned, most, place);
        let count = self.cast(count, element, place);
        let counts = self.splat(count, ty, place);
        let value = self.cast(v.op, ty, place);
        let op = if left { BinOp::Shl } else { BinOp::Shr };
        let mut shifted = self.f().emit(InstKind::Binary(op, value, counts), ty, place);
        if !arithmetic {
            let zero = self.int(0, element);
            let zeros = self.splat(zero, ty, place);
            shifted = self.select(inside, shifted, zeros, place);
        }
        Ok(Rv::new(self.cast(shifted, v.ty, place), v.ty))
    }

    fn shift_bytes(&mut self, v: Lanes, bits: Operand, left: bool, span: Span) -> Res<Rv> {
        let place = self.place(span);
        let count = v.count * v.size as usize;
        let element = Types::int(IntKind::SChar);
        let ty = self.types.intern(Type::Vector { element, lanes: count as u32 });
        let bytes = Lanes { op: self.cast(v.op, ty, place), ty, element, count, size: 1 };
        let zero = self.int(0, element);
        let zeros = Lanes { op: self.splat(zero, ty, place), ..bytes };
        let three = self.int(3, Types::INT);
        let by = self.binary(BinOp::Shr, bits, three, place);
        let most = self.int(count as i128, Types::UINT);
        let inside = self.compare(CmpOp::Lt, by, most, place);
        let by = self.select(inside, by, most, place);
        let by = self.cast(by, Types::INT, place);
        // The zeros are lanes `count` and above; numbers wrap at twice the count, so that what comes from below is zero too.
        let indices: Vec<_> = self
            .numbers(if left { 2 * count..3 * count } else { 0..count })
            .into_iter()
            .map(|i| self.binary(if left { BinOp::Sub } else { BinOp::Add }, i, by, place))
            .collect();
        let shifted = self.shuffled(bytes, Some(zeros), &indices, span)?;
        Ok(Rv::new(self.cast(shifted.op, v.ty, place), v.ty))
    }
}
