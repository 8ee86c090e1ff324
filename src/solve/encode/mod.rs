//! What an instruction of the IR computes, as a term over the terms of its operands.
//!
//! The meaning is that of the interpreter, made total: where C leaves a result open (a division by zero, a shift by too much, a
//! float that does not fit an integer, the bits of a NaN) it is an arbitrary value that the caller supplies, so no
//! encoding is ever a contradiction. Signed overflow wraps; where the policy says that it does not happen, the result comes
//! with the condition under which it did not.
//!
//! How values are held: integers, enums and pointers as bit-vectors of their size, `_Bool` as eight bits that are 0 or 1, floats as
//! the bits of their format, everything else as an *image*: its bytes as in memory, the first lowest, whatever the byte order.
//!
//! Invariant: for every instruction that the interpreter executes with these operands, some choice of the arbitrary values makes
//! the term equal to the interpreter's value. `None` stands for what is not expressed, an arbitrary value too.

mod image;
mod intrinsic;

use super::number::BitVec;
use super::term::{BitOp, FloatOp, FloatOrder, Format, Order, Sort, TermId, Terms, format_width};
use crate::ir::{BinOp, CmpOp, InstKind, IntKind, Operand, Type, TypeId, Types, UnOp};
use crate::policy::Overflow;

pub use image::{load, store};

/// What the target and the policy say.
#[derive(Clone, Copy, Debug)]
pub struct Meaning<'a> {
    /// Types with the target's sizes.
    pub types: &'a Types,
    /// What a signed overflow means.
    pub overflow: Overflow,
}

/// A term with its C type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Typed {
    /// The value.
    pub term: TermId,
    /// Its type.
    pub ty: TypeId,
}

/// What an instruction computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoded {
    /// The value.
    pub value: TermId,
    /// What may be assumed because the instruction was executed: that no signed overflow happened, if the policy says so.
    pub assume: TermId,
}

/// Makes arbitrary values of a sort. Within one instruction it is called in the same order every time, so a caller that wants the
/// same value in two runs can number them.
pub type Fresh<'a> = dyn FnMut(&mut Terms, Sort) -> TermId + 'a;

/// What a scalar is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scalar {
    Bool,
    /// Integers, enumerations and pointers.
    Int {
        width: u32,
        signed: bool,
    },
    Float(Format),
}

impl Scalar {
    fn width(self) -> u32 {
        match self {
            Scalar::Bool => 8,
            Scalar::Int { width, .. } => width,
            Scalar::Float(format) => format_width(format),
        }
    }
    fn signed(self) -> bool {
        match self {
            Scalar::Int { signed, .. } => signed,
            Scalar::Bool | Scalar::Float(_) => false,
        }
    }
}

/// What a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Scalar(Scalar),
    /// Two parts, so many bits apart.
    Complex {
        format: Format,
        stride: u32,
    },
    Vector {
        lane: Scalar,
        lanes: u32,
    },
    /// A record or an array, of so many bits.
    Image(u32),
}

/// Records with more bytes are not held as one term.
const LARGEST_IMAGE: u64 = 1 << 16;

impl Class {
    fn of(types: &Types, ty: TypeId) -> Option<Class> {
        let model = &types.model;
        match types.get(ty) {
            Type::Void | Type::Function(_) => None,
            Type::Bool => Some(Class::Scalar(Scalar::Bool)),
            Type::Int(_) | Type::Enum(_) | Type::Pointer(_) => {
                types.int_shape(ty).map(|(width, signed)| Class::Scalar(Scalar::Int { width, signed }))
            }
            Type::Float(kind) => Some(Class::Scalar(Scalar::Float(Format::of(model, *kind)))),
            Type::Complex(kind) => {
                Some(Class::Complex { format: Format::of(model, *kind), stride: model.float_size(*kind) as u32 * 8 })
            }
            Type::Vector { element, lanes } => match Class::of(types, *element)? {
                Class::Scalar(lane) => Some(Class::Vector { lane, lanes: *lanes }),
                Class::Complex { .. } | Class::Vector { .. } | Class::Image(_) => None,
            },
            Type::Record(_) | Type::Array { .. } => {
                let size = types.size_of(ty).filter(|size| (1..=LARGEST_IMAGE).contains(size))?;
                Some(Class::Image(size as u32 * 8))
            }
        }
    }
    fn width(self) -> u32 {
        match self {
            Class::Scalar(scalar) => scalar.width(),
            Class::Complex { stride, .. } => 2 * stride,
            Class::Vector { lane, lanes } => lane.width() * lanes,
            Class::Image(width) => width,
        }
    }
}

/// The sort of the values of a type; `None` if they are not expressed.
pub fn sort_of(types: &Types, ty: TypeId) -> Option<Sort> {
    Class::of(types, ty).map(|class| Sort::Bits(class.width()))
}

/// Arbitrary bits of the type's sort as a value of the type: a `_Bool` is 0 or 1 whatever its bits.
pub fn of_bits(types: &Types, terms: &mut Terms, ty: TypeId, bits: TermId) -> TermId {
    match Class::of(types, ty) {
        Some(Class::Scalar(Scalar::Bool)) => {
            let truth = is_true(terms, bits);
            from_truth(terms, truth, 8)
        }
        Some(_) | None => bits,
    }
}

/// The term of a constant operand; `None` for values and addresses, which the caller knows.
pub fn constant(types: &Types, terms: &mut Terms, operand: &Operand) -> Option<TermId> {
    match operand {
        Operand::Int(value, ty) | Operand::Float(value, ty) => match Class::of(types, *ty)? {
            Class::Scalar(scalar) => Some(terms.bits(BitVec::new(scalar.width(), value.bits()))),
            Class::Complex { .. } | Class::Vector { .. } | Class::Image(_) => None,
        },
        Operand::Value(_) | Operand::Global(_) | Operand::Function(_) | Operand::Local(_) | Operand::Label(_) => None,
    }
}

/// Whether an integer or a pointer is not 0, as a Boolean.
pub fn is_true(terms: &mut Terms, term: TermId) -> TermId {
    let width = terms.width(term);
    let zero = terms.number(width, 0);
    terms.ne(term, zero)
}

/// A Boolean as the number 0 or 1.
pub fn from_truth(terms: &mut Terms, truth: TermId, width: u32) -> TermId {
    let (one, zero) = (terms.number(width, 1), terms.number(width, 0));
    terms.ite(truth, one, zero)
}

/// What an instruction of type `ty` computes from its operands, which are in the order of `InstKind::for_each_operand`. `None` for
/// what depends on more than its operands (memory, calls, φ), and for what is not expressed.
pub fn instruction(
    meaning: Meaning<'_>,
    terms: &mut Terms,
    kind: &InstKind,
    ty: TypeId,
    operands: &[Typed],
    fresh: &mut Fresh<'_>,
) -> Option<Encoded> {
    let types = meaning.types;
    let mut encoder = Encoder { meaning, terms, fresh, assume: Vec::new() };
    let class = |typed: &Typed| Class::of(types, typed.ty);
    let value = match (kind, operands) {
        (InstKind::Copy(_), [a]) => a.term,
        (InstKind::Unary(op, _), [a]) => encoder.unary(*op, Class::of(types, ty)?, a.term)?,
        (InstKind::Binary(op, ..), [a, b]) => {
            let (left, right) = (class(a)?, class(b)?);
            encoder.binary(*op, left, right, a.term, b.term)?
        }
        (InstKind::Compare(op, ..), [a, b]) => {
            encoder.compare(*op, class(a)?, Class::of(types, ty)?, a.term, b.term)?
        }
        (InstKind::Cast(_), [a]) => encoder.cast(class(a)?, Class::of(types, ty)?, a.term),
        (InstKind::PtrAdd { stride, .. }, [base, index]) => encoder.element(base.term, index.term, *stride),
        (InstKind::PtrDiff { stride, .. }, [a, b]) => {
            let width = Class::of(types, ty)?.width();
            encoder.difference(a.term, b.term, *stride, width)
        }
        (InstKind::FieldAddr { record, field, .. }, [base]) => {
            let offset = types.records.get(*record)?.members.get(*field as usize)?.offset;
            let width = encoder.terms.width(base.term);
            let offset = encoder.terms.number(width, i128::from(offset));
            encoder.terms.bit(BitOp::Add, base.term, offset)
        }
        (InstKind::Intrinsic(which, _), operands) => {
            let operands: Option<Vec<(TermId, Class)>> = operands.iter().map(|o| Some((o.term, class(o)?))).collect();
            encoder.intrinsic(*which, Class::of(types, ty)?, &operands?)?
        }
        _ => return None,
    };
    let assume = std::mem::take(&mut encoder.assume);
    Some(Encoded { value, assume: terms.and(&assume) })
}

/// The state while one instruction is encoded.
struct Encoder<'a> {
    meaning: Meaning<'a>,
    terms: &'a mut Terms,
    fresh: &'a mut Fresh<'a>,
    assume: Vec<TermId>,
}

impl Encoder<'_> {
    fn arbitrary(&mut self, width: u32) -> TermId {
        (self.fresh)(self.terms, Sort::Bits(width))
    }
    /// `value`, but arbitrary where `bad` holds.
    fn unless(&mut self, bad: TermId, value: TermId) -> TermId {
        if self.terms.as_bool(bad) == Some(false) {
            return value;
        }
        let width = self.terms.width(value);
        let arbitrary = self.arbitrary(width);
        self.terms.ite(bad, arbitrary, value)
    }
    /// The bits of a result that is not a number.
    fn nan(&mut self, format: Format) -> TermId {
        let bits = self.arbitrary(format_width(format));
        self.terms.quiet_nan(format, bits)
    }
    /// Whether signed overflow of this width is excluded. C computes with nothing narrower than `int`; what is narrower here is
    /// a conversion of C's own making (an atomic operation, say), which wraps.
    fn overflow_excluded(&self, signed: bool, width: u32) -> bool {
        let int = self.meaning.types.model.int_size(IntKind::Int) as u32 * 8;
        signed && width >= int && self.meaning.overflow == Overflow::Undefined
    }

    fn unary(&mut self, op: UnOp, class: Class, a: TermId) -> Option<TermId> {
        match class {
            Class::Scalar(scalar) => {
                if op == UnOp::Neg && self.overflow_excluded(scalar.signed(), scalar.width()) {
                    let least = self.least(scalar.width());
                    let fits = self.terms.ne(a, least);
                    self.assume.push(fits);
                }
                Some(self.unary_scalar(op, scalar, a))
            }
            Class::Complex { format, .. } => {
                let (re, im) = self.parts(class, a);
                let re = if op == UnOp::Neg { self.terms.float_neg(format, re) } else { re };
                let im = self.terms.float_neg(format, im);
                Some(self.join(class, &[re, im]))
            }
            Class::Vector { lane, .. } => {
                let lanes: Vec<TermId> = self.lanes(class, a);
                let lanes: Vec<TermId> = lanes.into_iter().map(|x| self.unary_scalar(op, lane, x)).collect();
                Some(self.join(class, &lanes))
            }
            Class::Image(_) => None,
        }
    }
    fn unary_scalar(&mut self, op: UnOp, scalar: Scalar, a: TermId) -> TermId {
        match (op, scalar) {
            (UnOp::Neg, Scalar::Float(format)) => self.terms.float_neg(format, a),
            (UnOp::Neg, Scalar::Int { .. }) => self.terms.neg(a),
            // A `_Bool` stays one.
            (UnOp::Neg, Scalar::Bool) => a,
            (UnOp::Not, Scalar::Bool) => self.terms.number(8, 1),
            (UnOp::Not, Scalar::Int { .. } | Scalar::Float(_)) => self.terms.bit_not(a),
        }
    }
    /// The least signed number.
    fn least(&mut self, width: u32) -> TermId {
        let one = BitVec::new(width, 1);
        self.terms.bits(one.shl(&BitVec::new(width, u128::from(width - 1))))
    }

    fn binary(&mut self, op: BinOp, left: Class, right: Class, a: TermId, b: TermId) -> Option<TermId> {
        match (left, right) {
            (Class::Scalar(scalar), Class::Scalar(other)) => {
                if self.overflow_excluded(scalar.signed(), scalar.width()) {
                    self.assume_no_overflow(op, a, b);
                }
                self.binary_scalar(op, scalar, other, a, b)
            }
            (Class::Complex { format, .. }, Class::Complex { .. }) => {
                let (x, y) = (self.parts(left, a), self.parts(right, b));
                let (re, im) = self.binary_complex(op, format, x, y)?;
                Some(self.join(left, &[re, im]))
            }
            (Class::Vector { lane, .. }, Class::Vector { lane: other, .. }) => {
                let (x, y) = (self.lanes(left, a), self.lanes(right, b));
                let lanes: Option<Vec<TermId>> =
                    x.into_iter().zip(y).map(|(x, y)| self.binary_scalar(op, lane, other, x, y)).collect();
                Some(self.join(left, &lanes?))
            }
            _ => None,
        }
    }
    fn assume_no_overflow(&mut self, op: BinOp, a: TermId, b: TermId) {
        let fits = match op {
            BinOp::Add => self.terms.fits(BitOp::Add, true, a, b),
            BinOp::Sub => self.terms.fits(BitOp::Sub, true, a, b),
            BinOp::Mul => self.terms.fits(BitOp::Mul, true, a, b),
            BinOp::Div | BinOp::Rem => {
                let bad = self.quotient_overflows(a, b);
                self.terms.not(bad)
            }
            // gcc gives shifts into the sign a meaning.
            BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => return,
        };
        self.assume.push(fits);
    }
    /// The least number divided by -1.
    fn quotient_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.terms.width(a);
        let (least, minus_one) = (self.least(width), self.terms.number(width, -1));
        let (is_least, is_minus_one) = (self.terms.eq(a, least), self.terms.eq(b, minus_one));
        self.terms.and(&[is_least, is_minus_one])
    }
    fn binary_scalar(&mut self, op: BinOp, scalar: Scalar, right: Scalar, a: TermId, b: TermId) -> Option<TermId> {
        if let Scalar::Float(format) = scalar {
            return self.binary_float(op, format, a, b);
        }
        let signed = scalar.signed();
        let value = match op {
            BinOp::Add => self.terms.bit(BitOp::Add, a, b),
            BinOp::Sub => self.terms.bit(BitOp::Sub, a, b),
            BinOp::Mul => self.terms.bit(BitOp::Mul, a, b),
            BinOp::And => self.terms.bit(BitOp::And, a, b),
            BinOp::Or => self.terms.bit(BitOp::Or, a, b),
            BinOp::Xor => self.terms.bit(BitOp::Xor, a, b),
            BinOp::Div | BinOp::Rem => {
                let bit_op = match (op == BinOp::Div, signed) {
                    (true, true) => BitOp::SDiv,
                    (true, false) => BitOp::UDiv,
                    (false, true) => BitOp::SRem,
                    (false, false) => BitOp::URem,
                };
                let by_zero = is_true(self.terms, b);
                let mut bad = self.terms.not(by_zero);
                if signed {
                    let overflow = self.quotient_overflows(a, b);
                    bad = self.terms.or(&[bad, overflow]);
                }
                let value = self.terms.bit(bit_op, a, b);
                self.unless(bad, value)
            }
            BinOp::Shl | BinOp::Shr => self.shift(op, scalar, right, a, b),
        };
        // A `_Bool` stays one.
        Some(match scalar {
            Scalar::Bool => {
                let truth = is_true(self.terms, value);
                from_truth(self.terms, truth, 8)
            }
            Scalar::Int { .. } | Scalar::Float(_) => value,
        })
    }
    /// A shift. A count that is negative is a large one when read as unsigned, and out of range either way.
    fn shift(&mut self, op: BinOp, scalar: Scalar, right: Scalar, a: TermId, b: TermId) -> TermId {
        let width = scalar.width();
        let limit = self.terms.number(right.width(), i128::from(width));
        let in_range = self.terms.compare(Order::ULt, b, limit);
        let count = self.terms.resize(false, width, b);
        let bit_op = match (op == BinOp::Shl, scalar.signed()) {
            (true, _) => BitOp::Shl,
            (false, true) => BitOp::AShr,
            (false, false) => BitOp::LShr,
        };
        let value = self.terms.bit(bit_op, a, count);
        let bad = self.terms.not(in_range);
        self.unless(bad, value)
    }
    fn binary_float(&mut self, op: BinOp, format: Format, a: TermId, b: TermId) -> Option<TermId> {
        let op = match op {
            BinOp::Add => FloatOp::Add,
            BinOp::Sub => FloatOp::Sub,
            BinOp::Mul => FloatOp::Mul,
            BinOp::Div => FloatOp::Div,
            BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => return None,
        };
        let nan = self.nan(format);
        Some(self.terms.float(op, format, a, b, nan))
    }
    /// Sums only: the compiler's library computes products and quotients in ways of its own when a part is no number.
    fn binary_complex(
        &mut self,
        op: BinOp,
        format: Format,
        x: (TermId, TermId),
        y: (TermId, TermId),
    ) -> Option<(TermId, TermId)> {
        match op {
            BinOp::Add | BinOp::Sub => {
                Some((self.binary_float(op, format, x.0, y.0)?, self.binary_float(op, format, x.1, y.1)?))
            }
            BinOp::Mul | BinOp::Div | BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => {
                None
            }
        }
    }

    fn compare(&mut self, op: CmpOp, class: Class, result: Class, a: TermId, b: TermId) -> Option<TermId> {
        match (class, result) {
            (Class::Scalar(scalar), Class::Scalar(target)) => {
                let truth = self.compare_scalar(op, scalar, a, b);
                Some(from_truth(self.terms, truth, target.width()))
            }
            (Class::Complex { format, .. }, Class::Scalar(target)) => {
                let (x, y) = (self.parts(class, a), self.parts(class, b));
                let re = self.terms.float_compare(FloatOrder::Eq, format, x.0, y.0);
                let im = self.terms.float_compare(FloatOrder::Eq, format, x.1, y.1);
                let equal = self.terms.and(&[re, im]);
                let truth = if op == CmpOp::Eq { equal } else { self.terms.not(equal) };
                Some(from_truth(self.terms, truth, target.width()))
            }
            (Class::Vector { lane, .. }, Class::Vector { lane: target, .. }) => {
                let (x, y) = (self.lanes(class, a), self.lanes(class, b));
                let mut lanes = Vec::new();
                for (x, y) in x.into_iter().zip(y) {
                    let truth = self.compare_scalar(op, lane, x, y);
                    let (ones, zero) = (self.terms.number(target.width(), -1), self.terms.number(target.width(), 0));
                    lanes.push(self.terms.ite(truth, ones, zero));
                }
                Some(self.join(result, &lanes))
            }
            _ => None,
        }
    }
    fn compare_scalar(&mut self, op: CmpOp, scalar: Scalar, a: TermId, b: TermId) -> TermId {
        if let Scalar::Float(format) = scalar {
            let (order, x, y) = match op {
                CmpOp::Eq | CmpOp::Ne => (FloatOrder::Eq, a, b),
                CmpOp::Lt => (FloatOrder::Lt, a, b),
                CmpOp::Le => (FloatOrder::Le, a, b),
                CmpOp::Gt => (FloatOrder::Lt, b, a),
                CmpOp::Ge => (FloatOrder::Le, b, a),
            };
            let truth = self.terms.float_compare(order, format, x, y);
            return if op == CmpOp::Ne { self.terms.not(truth) } else { truth };
        }
        let (less, at_most) = if scalar.signed() { (Order::SLt, Order::SLe) } else { (Order::ULt, Order::ULe) };
        match op {
            CmpOp::Eq => self.terms.eq(a, b),
            CmpOp::Ne => self.terms.ne(a, b),
            CmpOp::Lt => self.terms.compare(less, a, b),
            CmpOp::Le => self.terms.compare(at_most, a, b),
            CmpOp::Gt => self.terms.compare(less, b, a),
            CmpOp::Ge => self.terms.compare(at_most, b, a),
        }
    }

    fn cast_scalar(&mut self, from: Scalar, to: Scalar, a: TermId) -> TermId {
        match (from, to) {
            (Scalar::Float(f), Scalar::Float(g)) if f == g => a,
            (Scalar::Float(f), Scalar::Float(g)) => {
                let nan = self.nan(g);
                self.terms.float_to_float(f, g, a, nan)
            }
            (Scalar::Float(format), Scalar::Bool) => {
                let zero = self.terms.number(format_width(format), 0);
                let is_zero = self.terms.float_compare(FloatOrder::Eq, format, a, zero);
                let truth = self.terms.not(is_zero);
                from_truth(self.terms, truth, 8)
            }
            (Scalar::Float(format), Scalar::Int { width, signed }) => {
                let otherwise = self.arbitrary(width);
                self.terms.float_to_int(format, signed, a, otherwise)
            }
            (Scalar::Bool | Scalar::Int { .. }, Scalar::Float(format)) => {
                self.terms.float_from_int(format, from.signed(), a)
            }
            (Scalar::Bool, Scalar::Bool) => a,
            (Scalar::Int { .. }, Scalar::Bool) => {
                let truth = is_true(self.terms, a);
                from_truth(self.terms, truth, 8)
            }
            (Scalar::Bool | Scalar::Int { .. }, Scalar::Int { width, .. }) => {
                self.terms.resize(from.signed(), width, a)
            }
        }
    }

    fn element(&mut self, base: TermId, index: TermId, stride: u64) -> TermId {
        let width = self.terms.width(base);
        let index = self.terms.resize(true, width, index);
        let stride = self.terms.number(width, i128::from(stride));
        let offset = self.terms.bit(BitOp::Mul, index, stride);
        self.terms.bit(BitOp::Add, base, offset)
    }
    fn difference(&mut self, a: TermId, b: TermId, stride: u64, width: u32) -> TermId {
        let bytes = self.terms.bit(BitOp::Sub, a, b);
        let bytes = self.terms.resize(true, width, bytes);
        let stride = self.terms.number(width, i128::from(stride.max(1)));
        self.terms.bit(BitOp::SDiv, bytes, stride)
    }
}
