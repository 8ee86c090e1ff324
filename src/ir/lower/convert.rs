//! Conversions: promotions, usual arithmetic conversions, casts, and what an assignment converts.

use lang_c::span::Span;

use super::super::fold;
use super::super::syntax::{Access, BinOp, CmpOp, Inst, InstKind, Int, Intrinsic, Linkage, LocalId, Operand};
use super::super::types::{FloatKind, IntKind, RecordId, Type, TypeId, Types};
use super::{Lower, Res};
use crate::source::Place;

/// The value of an expression: an operand of an unqualified type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rv {
    pub op: Operand,
    pub ty: TypeId,
    /// Set for the value of a bit-field: its width, which promotion looks at; also for what is computed from a bit-field wider than
    /// `int`, which gcc computes in that width.
    pub width: Option<u8>,
}

impl Rv {
    pub fn new(op: Operand, ty: TypeId) -> Rv {
        Rv { op, ty, width: None }
    }
}

impl Lower<'_> {
    pub(super) fn int(&self, value: i128, ty: TypeId) -> Operand {
        Operand::Int(Int::new(fold::wrap_to(&self.types, value, ty)), ty)
    }

    pub(super) fn int_rv(&self, value: i128, ty: TypeId) -> Rv {
        Rv::new(self.int(value, ty), ty)
    }

    pub(super) fn operand_type(&self, op: Operand) -> TypeId {
        match op {
            Operand::Value(v) => self.fun.as_ref().map_or(Types::INT, |f| f.body.insts[v].ty),
            Operand::Int(_, ty) | Operand::Float(_, ty) => ty,
            Operand::Global(g) => self.globals[g].addr_ty,
            Operand::Function(f) => self.functions[f].addr_ty,
            Operand::Local(l) => self.fun.as_ref().map_or(Types::VOID_PTR, |f| f.body.locals[l].addr_ty),
            Operand::Label(_) => Types::VOID_PTR,
        }
    }

    pub(super) fn is_arithmetic(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Bool | Type::Int(_) | Type::Float(_) | Type::Complex(_) | Type::Enum(_))
    }
    pub(super) fn is_integer(&self, ty: TypeId) -> bool {
        self.types.as_int(ty).is_some()
    }
    pub(super) fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Pointer(_))
    }
    pub(super) fn is_scalar(&self, ty: TypeId) -> bool {
        self.is_arithmetic(ty) || self.is_pointer(ty)
    }

    /// A conversion, folded where the operand is constant.
    pub(super) fn cast(&mut self, op: Operand, to: TypeId, place: Place) -> Operand {
        let from = self.operand_type(op);
        if from == to {
            return op;
        }
        if let Some(folded) = self.fold_cast(op, from, to) {
            return folded;
        }
        self.f().emit(InstKind::Cast(op), to, place)
    }

    pub(super) fn fold_cast(&self, op: Operand, from: TypeId, to: TypeId) -> Option<Operand> {
        let model = &self.types.model;
        let unsigned128 = |ty| self.types.int_shape(ty) == Some((128, false));
        match (op, self.types.get(to).clone()) {
            (Operand::Int(v, _), Type::Bool) => Some(Operand::Int(Int::new(i128::from(v.value() != 0)), to)),
            (Operand::Float(v, _), Type::Bool) => {
                let Type::Float(kind) = *self.types.get(from) else { return None };
                Some(Operand::Int(Int::new(i128::from(!fold::float_is_zero(model, kind, v))), to))
            }
            (Operand::Int(v, _), Type::Int(_) | Type::Enum(_) | Type::Pointer(_)) => Some(self.int(v.value(), to)),
            (Operand::Int(v, _), Type::Float(kind)) => {
                Some(Operand::Float(fold::int_to_float(model, v.value(), unsigned128(from), kind), to))
            }
            (Operand::Float(v, _), Type::Float(kind)) => {
                let Type::Float(source) = *self.types.get(from) else { return None };
                Some(Operand::Float(fold::float_to_float(model, source, kind, v), to))
            }
            (Operand::Float(v, _), Type::Int(_) | Type::Enum(_)) => {
                let Type::Float(source) = *self.types.get(from) else { return None };
                let (width, signed) = self.types.int_shape(to)?;
                fold::float_to_int(model, source, v, width, signed).map(|v| self.int(v, to))
            }
            // The address of an object is never null.
            (Operand::Global(_) | Operand::Function(_) | Operand::Local(_) | Operand::Label(_), Type::Bool) => {
                self.address_is_surely_not_null(op).then(|| self.int(1, to))
            }
            _ => None,
        }
    }

    /// Weak symbols may be absent; everything else has an address.
    pub(super) fn address_is_surely_not_null(&self, op: Operand) -> bool {
        let strong = |linkage: Linkage, name: &str| {
            linkage != Linkage::Weak && !self.side.weak.iter().any(|(weak, _)| weak == name)
        };
        match op {
            Operand::Global(g) => strong(self.globals[g].linkage, &self.globals[g].name),
            Operand::Function(f) => strong(self.functions[f].linkage, &self.functions[f].name),
            Operand::Local(_) | Operand::Label(_) => true,
            Operand::Value(_) | Operand::Int(..) | Operand::Float(..) => false,
        }
    }

    /// The type that integer promotion gives, if it is an integer type.
    pub(super) fn promoted(&self, ty: TypeId, width: Option<u8>) -> TypeId {
        let Some(kind) = self.types.as_int(ty) else { return ty };
        let model = &self.types.model;
        let int_bits = model.int_size * 8;
        if let Some(width) = width {
            let width = u64::from(width);
            if width < int_bits || (width == int_bits && self.types.is_signed_kind(kind)) {
                return Types::INT;
            }
            if width == int_bits {
                return Types::UINT;
            }
        }
        if kind.rank() < IntKind::Int.rank() {
            let size = model.int_size(kind);
            let fits = size < model.int_size || self.types.is_signed_kind(kind);
            return if fits { Types::INT } else { Types::UINT };
        }
        match self.types.get(ty) {
            Type::Enum(_) => Types::int(kind),
            _ => ty,
        }
    }

    pub(super) fn promote(&mut self, rv: Rv, place: Place) -> Rv {
        let ty = self.promoted(rv.ty, rv.width);
        Rv { op: self.cast(rv.op, ty, place), ty, width: self.odd_width(rv) }
    }

    /// The width of a value that computes in fewer bits than its type has and in more than `int` has.
    fn odd_width(&self, rv: Rv) -> Option<u8> {
        let (bits, _) = self.types.int_shape(rv.ty)?;
        rv.width.filter(|w| u64::from(*w) > self.types.model.int_size * 8 && u32::from(*w) < bits)
    }

    /// The value reduced to a width, as a bit-field holds it.
    pub(super) fn narrowed(&mut self, op: Operand, ty: TypeId, width: Option<u8>, place: Place) -> Operand {
        let (Some(width), Some((bits, _))) = (width, self.types.int_shape(ty)) else { return op };
        let shift = i128::from(bits) - i128::from(width);
        if shift <= 0 || ty == Types::BOOL {
            return op;
        }
        let count = self.int(shift, Types::INT);
        let high = self.binary(BinOp::Shl, op, count, place);
        self.binary(BinOp::Shr, high, count, place)
    }

    /// Both operands in the type, and the width, that the usual arithmetic conversions give.
    pub(super) fn balanced(&mut self, a: Rv, b: Rv, span: Span) -> Res<(Rv, Rv)> {
        let (ty, width) = self.common_type(a, b);
        let place = self.place(span);
        let mut sides = [a, b];
        for side in &mut sides {
            let mut op = self.convert(*side, ty, span)?;
            if side.width != width {
                op = self.narrowed(op, ty, width, place);
            }
            *side = Rv { op, ty, width };
        }
        Ok((sides[0], sides[1]))
    }

    /// What happens to an argument without a parameter: integer promotion, `float` to `double`.
    pub(super) fn promote_argument(&mut self, rv: Rv, place: Place) -> Rv {
        match self.types.get(rv.ty) {
            Type::Float(FloatKind::Float | FloatKind::Float16) => {
                Rv::new(self.cast(rv.op, Types::DOUBLE, place), Types::DOUBLE)
            }
            _ => self.promote(rv, place),
        }
    }

    /// The common type of two arithmetic operands.
    pub(super) fn common_type(&mut self, a: Rv, b: Rv) -> (TypeId, Option<u8>) {
        let (wa, wb) = (self.odd_width(a), self.odd_width(b));
        if (wa.is_some() || wb.is_some())
            && let (Some((bits_a, signed_a)), Some((bits_b, signed_b))) =
                (self.computed_shape(a), self.computed_shape(b))
        {
            // Of two precisions gcc takes the greater, of two equal ones the unsigned.
            let first = bits_a > bits_b || (bits_a == bits_b && (!signed_a || signed_b));
            let (rv, width) = if first { (a, wa) } else { (b, wb) };
            return (self.promoted(rv.ty, rv.width), width);
        }
        (self.common_full_type(a, b), None)
    }

    /// In how many bits an integer computes after promotion, and its sign.
    fn computed_shape(&self, rv: Rv) -> Option<(u32, bool)> {
        let (bits, signed) = self.types.int_shape(self.promoted(rv.ty, rv.width))?;
        Some((self.odd_width(rv).map_or(bits, u32::from), signed))
    }

    fn common_full_type(&mut self, a: Rv, b: Rv) -> TypeId {
        let float_of = |t: &Type| match t {
            Type::Float(k) | Type::Complex(k) => Some(*k),
            _ => None,
        };
        let (ta, tb) = (self.types.get(a.ty).clone(), self.types.get(b.ty).clone());
        let kind = float_of(&ta).max(float_of(&tb));
        if let Some(kind) = kind {
            let complex = matches!(ta, Type::Complex(_)) || matches!(tb, Type::Complex(_));
            return if complex { self.types.intern(Type::Complex(kind)) } else { Types::float(kind) };
        }
        let (ta, tb) = (self.promoted(a.ty, a.width), self.promoted(b.ty, b.width));
        if ta == tb {
            return ta;
        }
        let (Some(ka), Some(kb)) = (self.types.as_int(ta), self.types.as_int(tb)) else { return ta };
        let (sa, sb) = (self.types.is_signed_kind(ka), self.types.is_signed_kind(kb));
        let higher = if ka.rank() >= kb.rank() { ka } else { kb };
        if sa == sb {
            return Types::int(higher);
        }
        let (signed, unsigned) = if sa { (ka, kb) } else { (kb, ka) };
        if unsigned.rank() >= signed.rank() {
            Types::int(unsigned)
        } else if self.types.model.int_size(signed) > self.types.model.int_size(unsigned) {
            Types::int(signed)
        } else {
            Types::int(signed.to_unsigned())
        }
    }

    /// Converts as an assignment, an argument or a `return` does.
    pub(super) fn convert(&mut self, rv: Rv, to: TypeId, span: Span) -> Res<Operand> {
        if rv.ty == to {
            return Ok(rv.op);
        }
        let place = self.place(span);
        let (from, target) = (self.types.get(rv.ty).clone(), self.types.get(to).clone());
        match (&from, &target) {
            (_, Type::Void) => Ok(rv.op),
            (Type::Record(a), Type::Record(b)) if self.same_layout(*a, *b) => {
                // The same tag declared twice in different scopes: the bytes are what is assigned.
                let addr = self.spill(rv, place);
                Ok(self.load(addr, to, place))
            }
            (_, Type::Record(id)) if self.types.records[*id].transparent => {
                self.transparent_argument(rv, to, *id, span)
            }
            (Type::Vector { .. }, Type::Vector { .. } | Type::Int(_)) | (Type::Int(_), Type::Vector { .. })
                if self.types.size_of(rv.ty) == self.types.size_of(to) =>
            {
                Ok(self.cast(rv.op, to, place))
            }
            _ if self.is_scalar(rv.ty) && self.is_scalar(to) => {
                let mixed = |p: TypeId, q: TypeId| {
                    self.is_pointer(p) && matches!(self.types.get(q), Type::Float(_) | Type::Complex(_))
                };
                if mixed(rv.ty, to) || mixed(to, rv.ty) {
                    return self.bad_conversion(rv.ty, to, span);
                }
                Ok(self.cast(rv.op, to, place))
            }
            _ => self.bad_conversion(rv.ty, to, span),
        }
    }

    fn bad_conversion<T>(&self, from: TypeId, to: TypeId, span: Span) -> Res<T> {
        self.error(span, format!("a value of type {} cannot become {}", self.types.show(from), self.types.show(to)))
    }

    /// Whether two types are records of one tag, declared in different scopes.
    pub(super) fn same_tag(&self, a: TypeId, b: TypeId) -> bool {
        match (self.types.get(a), self.types.get(b)) {
            (Type::Record(a), Type::Record(b)) => self.same_layout(*a, *b),
            _ => false,
        }
    }

    fn same_layout(&self, a: RecordId, b: RecordId) -> bool {
        let (a, b) = (&self.types.records[a], &self.types.records[b]);
        a.complete && b.complete && a.kind == b.kind && a.size == b.size && a.name == b.name && !a.name.is_empty()
    }

    /// An argument for a `transparent_union` parameter: stored into the first member that takes it.
    fn transparent_argument(&mut self, rv: Rv, to: TypeId, record: RecordId, span: Span) -> Res<Operand> {
        let place = self.place(span);
        let members = self.types.records[record].members.clone();
        let pointer = self.is_pointer(rv.ty);
        let fits = members.iter().position(|m| m.ty.ty == rv.ty);
        let index = fits.or_else(|| members.iter().position(|m| self.is_pointer(m.ty.ty) == pointer));
        let Some(index) = index else { return self.bad_conversion(rv.ty, to, span) };
        let value = self.convert(rv, members[index].ty.ty, span)?;
        let temp = self.temp(to, place);
        let ty = self.types.pointer_to(members[index].ty);
        let kind = InstKind::FieldAddr { base: Operand::Local(temp), record, field: index as u32 };
        let addr = self.f().emit(kind, ty, place);
        self.store(addr, value, place);
        Ok(self.load(Operand::Local(temp), to, place))
    }

    /// A temporary object.
    pub(super) fn temp(&mut self, ty: TypeId, place: Place) -> LocalId {
        let addr_ty = self.types.pointer_to(ty.into());
        let align = self.types.align_of(ty);
        self.f().local("", ty.into(), addr_ty, align, place)
    }

    /// Puts a value into a temporary and returns its address.
    pub(super) fn spill(&mut self, rv: Rv, place: Place) -> Operand {
        let temp = self.temp(rv.ty, place);
        self.store(Operand::Local(temp), rv.op, place);
        Operand::Local(temp)
    }

    /// A plain load.
    pub(super) fn load(&mut self, addr: Operand, ty: TypeId, place: Place) -> Operand {
        let access = Access { ty, volatile: false, atomic: false, bits: None };
        self.f().emit(InstKind::Load { addr, access }, ty, place)
    }

    /// A plain store.
    pub(super) fn store(&mut self, addr: Operand, value: Operand, place: Place) {
        let ty = self.operand_type(value);
        let access = Access { ty, volatile: false, atomic: false, bits: None };
        self.f().emit(InstKind::Store { addr, value, access }, Types::VOID, place);
    }

    /// The value as a condition: an `int` that is 0 or not.
    pub(super) fn truth(&mut self, rv: Rv, span: Span) -> Res<Operand> {
        let place = self.place(span);
        match self.types.get(rv.ty).clone() {
            // A comparison is its own condition.
            Type::Int(IntKind::Int)
                if matches!(self.f().inst(rv.op), Some(Inst { kind: InstKind::Compare(..), .. })) =>
            {
                Ok(rv.op)
            }
            Type::Float(kind) => {
                let zero = fold::int_to_float(&self.types.model, 0, false, kind);
                Ok(self.compare(CmpOp::Ne, rv.op, Operand::Float(zero, rv.ty), place))
            }
            Type::Complex(kind) => {
                let part = Types::float(kind);
                let zero = Operand::Float(fold::int_to_float(&self.types.model, 0, false, kind), part);
                let zero = self.f().emit(InstKind::Intrinsic(Intrinsic::Complex, vec![zero, zero]), rv.ty, place);
                Ok(self.compare(CmpOp::Ne, rv.op, zero, place))
            }
            _ if self.is_scalar(rv.ty) => {
                if self.address_is_surely_not_null(rv.op) {
                    return Ok(self.int(1, Types::INT));
                }
                let zero = self.int(0, rv.ty);
                Ok(self.compare(CmpOp::Ne, rv.op, zero, place))
            }
            _ => self.error(span, format!("a value of type {} is not a condition", self.types.show(rv.ty))),
        }
    }

    /// A comparison of two operands of one type, folded where both are constant.
    pub(super) fn compare(&mut self, op: CmpOp, a: Operand, b: Operand, place: Place) -> Operand {
        let ty = self.operand_type(a);
        let folded = match (a, b) {
            (Operand::Int(x, _), Operand::Int(y, _)) => {
                let unsigned128 = self.types.int_shape(ty) == Some((128, false));
                Some(fold::int_compare(op, x.value(), y.value(), unsigned128))
            }
            (Operand::Float(x, _), Operand::Float(y, _)) => match self.types.get(ty) {
                Type::Float(kind) => Some(fold::float_compare(&self.types.model, *kind, op, x, y)),
                _ => None,
            },
            _ => None,
        };
        match folded {
            Some(truth) => self.int(i128::from(truth), Types::INT),
            None => self.f().emit(InstKind::Compare(op, a, b), Types::INT, place),
        }
    }

    /// Arithmetic on two operands of one type, folded where both are constant.
    pub(super) fn binary(&mut self, op: BinOp, a: Operand, b: Operand, place: Place) -> Operand {
        let ty = self.operand_type(a);
        let folded = match (a, b) {
            (Operand::Int(x, _), Operand::Int(y, _)) => self.types.int_shape(ty).and_then(|(width, signed)| {
                fold::int_binary(op, x.value(), y.value(), width, signed).map(|v| self.int(v, ty))
            }),
            (Operand::Float(x, _), Operand::Float(y, _)) => match self.types.get(ty) {
                Type::Float(kind) => {
                    fold::float_binary(&self.types.model, *kind, op, x, y).map(|v| Operand::Float(v, ty))
                }
                _ => None,
            },
            _ => None,
        };
        folded.unwrap_or_else(|| self.f().emit(InstKind::Binary(op, a, b), ty, place))
    }
}
