//! Operators: unary, binary, assignment, cast, conditional.

use std::ops::Range;

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, CastExpression, Expression, UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::{Node, Span};

use super::super::fold;
use super::super::syntax::{AssumptionKind, BinOp, CmpOp, Inst, InstKind, Intrinsic, LocalId, Operand, UnOp};
use super::super::types::{IntKind, QualType, RecordId, RecordKind, Type, TypeId, Types};
use super::convert::Rv;
use super::expr::{Lv, Val};
use super::{Lower, Res};
use crate::source::Place;

impl Lower<'_> {
    pub(super) fn unary(&mut self, u: &Node<UnaryOperatorExpression>, span: Span) -> Res<Val> {
        let e = &u.node.operand;
        let place = self.place(span);
        match u.node.operator.node {
            UnaryOperator::PostIncrement => self.step(e, BinOp::Add, true, span),
            UnaryOperator::PostDecrement => self.step(e, BinOp::Sub, true, span),
            UnaryOperator::PreIncrement => self.step(e, BinOp::Add, false, span),
            UnaryOperator::PreDecrement => self.step(e, BinOp::Sub, false, span),
            UnaryOperator::Address => {
                let lv = self.lvalue(e)?;
                if lv.bits.is_some() {
                    return self.error(span, "a bit-field has no address");
                }
                let ty = self.types.pointer_to(lv.ty);
                let op = if self.operand_type(lv.addr) == ty { lv.addr } else { self.cast(lv.addr, ty, place) };
                Ok(Val::Rv(Rv::new(op, ty)))
            }
            UnaryOperator::Indirection => {
                if let Some(part) = complex_part(e) {
                    return self.complex_part(part, e, span);
                }
                let rv = self.rvalue(e)?;
                let Some(target) = self.types.pointee(rv.ty) else {
                    return self.error(span, "the operand of * is not a pointer");
                };
                Ok(Val::Lv(Lv { addr: rv.op, ty: target, bits: None }))
            }
            UnaryOperator::Plus => {
                let rv = self.rvalue(e)?;
                Ok(Val::Rv(self.promote(rv, place)))
            }
            UnaryOperator::Minus => {
                let rv = self.rvalue(e)?;
                let rv = self.promote(rv, place);
                if !self.is_arithmetic(rv.ty) && !self.is_vector(rv.ty) {
                    return self.error(span, "the operand of - is not a number");
                }
                let op = match (rv.op, self.types.get(rv.ty)) {
                    (Operand::Int(v, ty), _) => self.int(v.value().wrapping_neg(), ty),
                    (Operand::Float(v, ty), Type::Float(kind)) => {
                        Operand::Float(fold::float_neg(&self.types.model, *kind, v), ty)
                    }
                    _ => self.f().emit(InstKind::Unary(UnOp::Neg, rv.op), rv.ty, place),
                };
                Ok(Val::Rv(Rv { op: self.narrowed(op, rv.ty, rv.width, place), ..rv }))
            }
            UnaryOperator::Complement => {
                let rv = self.rvalue(e)?;
                let rv = self.promote(rv, place);
                let complex = matches!(self.types.get(rv.ty), Type::Complex(_));
                if !self.is_integer(rv.ty) && !self.is_vector(rv.ty) && !complex {
                    return self.error(span, "the operand of ~ is not an integer");
                }
                let op = match rv.op {
                    Operand::Int(v, ty) => self.int(!v.value(), ty),
                    _ => self.f().emit(InstKind::Unary(UnOp::Not, rv.op), rv.ty, place),
                };
                Ok(Val::Rv(Rv { op: self.narrowed(op, rv.ty, rv.width, place), ..rv }))
            }
            UnaryOperator::Negate => {
                let rv = self.rvalue(e)?;
                if self.is_vector(rv.ty) {
                    let zero = self.vector_zero(rv.ty, place);
                    return Ok(Val::Rv(self.vector_compare(CmpOp::Eq, rv, zero, place)));
                }
                let truth = self.truth(rv, e.span)?;
                let zero = self.int(0, Types::INT);
                let op = self.compare(CmpOp::Eq, truth, zero, place);
                Ok(Val::Rv(Rv::new(op, Types::INT)))
            }
        }
    }

    pub(super) fn is_vector(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Vector { .. })
    }

    fn vector_zero(&mut self, ty: TypeId, place: Place) -> Rv {
        let Type::Vector { element, .. } = *self.types.get(ty) else { return Rv::new(self.int(0, Types::INT), ty) };
        let zero = self.int(0, Types::INT);
        let zero = self.cast(zero, element, place);
        let op = self.f().emit(InstKind::Intrinsic(Intrinsic::Splat, vec![zero]), ty, place);
        Rv::new(op, ty)
    }

    /// `__real__ e` and `__imag__ e`, of complex numbers in memory (assignable) or as values.
    fn complex_part(&mut self, imaginary: bool, e: &Node<Expression>, span: Span) -> Res<Val> {
        let Expression::Cast(cast) = &e.node else { return self.error(span, "not a complex number") };
        let place = self.place(span);
        let value = self.expr(&cast.node.expression)?;
        let ty = match value {
            Val::Lv(lv) => lv.ty.ty,
            Val::Rv(rv) => rv.ty,
        };
        let Type::Complex(kind) = *self.types.get(ty) else {
            // Of a real number, the real part is itself and the imaginary part zero.
            let rv = match value {
                Val::Lv(lv) if !imaginary => return Ok(Val::Lv(lv)),
                Val::Lv(lv) => self.read(lv, span)?,
                Val::Rv(rv) => rv,
            };
            if imaginary {
                let zero = self.int(0, Types::INT);
                let op = self.cast(zero, rv.ty, place);
                return Ok(Val::Rv(Rv::new(op, rv.ty)));
            }
            return Ok(Val::Rv(rv));
        };
        let part = Types::float(kind);
        match value {
            Val::Lv(lv) => {
                let target = QualType { ty: part, quals: lv.ty.quals };
                let pointer = self.types.pointer_to(target);
                let index = self.int(i128::from(imaginary), self.types.ptrdiff_t());
                let stride = self.types.model.float_size(kind);
                let addr = self.f().emit(InstKind::PtrAdd { base: lv.addr, index, stride }, pointer, place);
                Ok(Val::Lv(Lv { addr, ty: target, bits: None }))
            }
            Val::Rv(rv) => {
                let which = if imaginary { Intrinsic::Imag } else { Intrinsic::Real };
                let op = self.f().emit(InstKind::Intrinsic(which, vec![rv.op]), part, place);
                Ok(Val::Rv(Rv::new(op, part)))
            }
        }
    }

    /// `++` and `--`.
    fn step(&mut self, e: &Node<Expression>, op: BinOp, post: bool, span: Span) -> Res<Val> {
        let place = self.place(span);
        let lv = self.lvalue(e)?;
        let old = self.read(lv, e.span)?;
        let one = self.int_rv(1, Types::INT);
        let new = self.arithmetic(op, old, one, span)?;
        let new = self.convert(new, lv.ty.ty, span)?;
        let written = self.write(lv, new, place);
        Ok(Val::Rv(if post { old } else { written }))
    }

    pub(super) fn cast_expr(&mut self, c: &Node<CastExpression>, span: Span) -> Res<Val> {
        let place = self.place(span);
        let to = self.type_name(&c.node.type_name)?;
        if let Expression::Call(call) = &c.node.expression.node
            && let Some(rv) = self.unknown_builtin(call, to.ty, span)?
        {
            return Ok(Val::Rv(rv));
        }
        if to.ty == Types::VOID {
            self.effects(&c.node.expression)?;
            return Ok(Val::Rv(Rv::new(self.int(0, Types::INT), Types::VOID)));
        }
        let rv = self.rvalue(&c.node.expression)?;
        if rv.ty == to.ty {
            // A cast drops the bit-field's width.
            return Ok(Val::Rv(Rv::new(rv.op, rv.ty)));
        }
        if let Type::Record(id) = *self.types.get(to.ty)
            && self.types.records[id].kind == RecordKind::Union
        {
            return self.cast_to_union(rv, to, id, span);
        }
        let pointers = self.is_pointer(rv.ty) && self.is_pointer(to.ty);
        if pointers {
            return Ok(Val::Rv(Rv::new(self.cast(rv.op, to.ty, place), to.ty)));
        }
        let op = self.convert(rv, to.ty, span)?;
        Ok(Val::Rv(Rv::new(op, to.ty)))
    }

    /// GNU: a cast to a union stores into the member of the value's type.
    fn cast_to_union(&mut self, rv: Rv, to: QualType, record: RecordId, span: Span) -> Res<Val> {
        let place = self.place(span);
        let members = &self.types.records[record].members;
        let Some(index) = members.iter().position(|m| m.ty.ty == rv.ty) else {
            return self.error(span, "no member of the union has this type");
        };
        let temp = self.temp(to.ty, place);
        let base = Lv { addr: Operand::Local(temp), ty: to.ty.into(), bits: None };
        let lv = self.field_at(base, record, index as u32, place);
        self.write(lv, rv.op, place);
        let op = self.load(Operand::Local(temp), to.ty, place);
        Ok(Val::Rv(Rv::new(op, to.ty)))
    }

    pub(super) fn binary_expr(&mut self, b: &Node<BinaryOperatorExpression>, span: Span) -> Res<Val> {
        let (lhs, rhs) = (&b.node.lhs, &b.node.rhs);
        if let Some(rv) = self.assignment(b, span, true)? {
            return Ok(Val::Rv(rv));
        }
        match b.node.operator.node {
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => self.logical(b, span),
            BinaryOperator::Index => {
                let a = self.expr(lhs)?;
                let a = match self.vector_pointer(a, lhs.span) {
                    Some(lanes) => lanes,
                    None => match a {
                        Val::Lv(lv) => self.read(lv, lhs.span)?,
                        Val::Rv(rv) => rv,
                    },
                };
                let i = self.rvalue(rhs)?;
                let (a, i) = if self.is_pointer(a.ty) { (a, i) } else { (i, a) };
                Ok(Val::Lv(self.element(a, i, span)?))
            }
            _ => {
                let start = self.f().body.insts.len();
                let a = self.rvalue(lhs)?;
                let middle = self.f().body.insts.len();
                let b_rv = self.rvalue(rhs)?;
                let a = self.in_order(b, a, b_rv.ty, start..middle)?;
                if let Some(op) = comparison(&b.node.operator.node) {
                    return self.comparison(op, a, b_rv, span);
                }
                match plain(&b.node.operator.node) {
                    Some(op) => Ok(Val::Rv(self.arithmetic(op, a, b_rv, span)?)),
                    None => self.error(span, "this operator is not supported"),
                }
            }
        }
    }

    /// The left operand, whose instructions have these numbers, after the right one. C leaves open which comes first. It matters where the right one calls a function
    /// that may change what the left one reads; gcc then reads a plain variable of the same type after the call if the operator lets its operands be swapped, and
    /// otherwise goes from left to right.
    fn in_order(&mut self, b: &Node<BinaryOperatorExpression>, a: Rv, other: TypeId, own: Range<usize>) -> Res<Rv> {
        let insts = &self.f().body.insts;
        let calls = |inst: &Inst| matches!(inst.kind, InstKind::Call { .. });
        // Of a variable whose address nobody has taken, nothing is changed by a call.
        let is_taken = |local: LocalId| {
            insts.iter().any(|inst| {
                let mut taken = false;
                let is_access = matches!(inst.kind, InstKind::Load { .. } | InstKind::Store { .. });
                let mut first = true;
                inst.kind.for_each_operand(|operand| {
                    taken |= *operand == Operand::Local(local) && !(is_access && first);
                    first = false;
                });
                taken
            })
        };
        let reads = |inst: &Inst| match inst.kind {
            InstKind::Load { addr: Operand::Local(local), .. } => is_taken(local),
            InstKind::Load { .. } => true,
            _ => false,
        };
        let matters = insts.iter().skip(own.end).any(calls) && insts.iter().take(own.end).skip(own.start).any(reads);
        if !matters {
            return Ok(a);
        }
        let place = self.place(b.node.lhs.span);
        if !std::mem::replace(&mut self.order_is_told, true) {
            let text = "where C leaves open which operand of an operator is evaluated first, a variable is read after the calls of the other operand if both have one type \
                        and can be swapped, and else the left one is first, as gcc has it";
            self.assume(AssumptionKind::Other, text, place);
        }
        let swaps = matches!(
            b.node.operator.node,
            BinaryOperator::Plus
                | BinaryOperator::Multiply
                | BinaryOperator::BitwiseAnd
                | BinaryOperator::BitwiseOr
                | BinaryOperator::BitwiseXor
                | BinaryOperator::Equals
                | BinaryOperator::NotEquals
                | BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual
        );
        let is_variable = matches!(b.node.lhs.node, Expression::Identifier(_));
        if swaps && is_variable && a.ty == other { self.rvalue(&b.node.lhs) } else { Ok(a) }
    }

    /// `v[i]` where `v` is a vector: a pointer to its first lane.
    fn vector_pointer(&mut self, v: Val, span: Span) -> Option<Rv> {
        let ty = match v {
            Val::Lv(lv) => lv.ty,
            Val::Rv(rv) => rv.ty.into(),
        };
        let Type::Vector { element, .. } = *self.types.get(ty.ty) else { return None };
        let place = self.place(span);
        let addr = match v {
            Val::Lv(lv) => lv.addr,
            Val::Rv(rv) => self.spill(rv, place),
        };
        let pointer = self.types.pointer_to(QualType { ty: element, quals: ty.quals });
        Some(Rv::new(self.cast(addr, pointer, place), pointer))
    }

    /// `pointer[index]`
    pub(super) fn element(&mut self, pointer: Rv, index: Rv, span: Span) -> Res<Lv> {
        let Some(target) = self.types.pointee(pointer.ty) else {
            return self.error(span, "neither side of [] is a pointer");
        };
        let moved = self.pointer_add(pointer, index, false, span)?;
        Ok(Lv { addr: moved.op, ty: target, bits: None })
    }

    /// `pointer ± index`
    fn pointer_add(&mut self, pointer: Rv, index: Rv, negate: bool, span: Span) -> Res<Rv> {
        let place = self.place(span);
        if !self.is_integer(index.ty) {
            return self.error(span, "the offset of a pointer is not an integer");
        }
        let Some(target) = self.types.pointee(pointer.ty) else {
            return self.error(span, "this is not a pointer");
        };
        let ptrdiff = self.types.ptrdiff_t();
        let index = self.promote(index, place);
        let mut index = self.cast(index.op, ptrdiff, place);
        if negate {
            index = match index {
                Operand::Int(v, ty) => self.int(v.value().wrapping_neg(), ty),
                _ => self.f().emit(InstKind::Unary(UnOp::Neg, index), ptrdiff, place),
            };
        }
        let stride = if let Some(stride) = self.types.stride(target.ty) {
            stride
        } else {
            let size = self.runtime_size(target.ty, span)?;
            let size = self.cast(size, ptrdiff, place);
            index = self.binary(BinOp::Mul, index, size, place);
            1
        };
        let op = match (pointer.op, index) {
            (Operand::Int(at, ty), Operand::Int(i, _)) => {
                self.int(at.value().wrapping_add(i.value().wrapping_mul(i128::from(stride))), ty)
            }
            (base, index) => self.f().emit(InstKind::PtrAdd { base, index, stride }, pointer.ty, place),
        };
        Ok(Rv::new(op, pointer.ty))
    }

    /// An arithmetic operator on two values, conversions included.
    pub(super) fn arithmetic(&mut self, op: BinOp, a: Rv, b: Rv, span: Span) -> Res<Rv> {
        let place = self.place(span);
        match (op, self.is_pointer(a.ty), self.is_pointer(b.ty)) {
            (BinOp::Add, true, false) => return self.pointer_add(a, b, false, span),
            (BinOp::Add, false, true) => return self.pointer_add(b, a, false, span),
            (BinOp::Sub, true, false) => return self.pointer_add(a, b, true, span),
            (BinOp::Sub, true, true) => return self.pointer_difference(a, b, span),
            (_, false, false) => {}
            _ => return self.error(span, "this operator does not take pointers"),
        }
        if self.is_vector(a.ty) || self.is_vector(b.ty) {
            let (a, b) = self.vector_pair(a, b, span)?;
            let op = self.f().emit(InstKind::Binary(op, a.op, b.op), a.ty, place);
            return Ok(Rv::new(op, a.ty));
        }
        if !self.is_arithmetic(a.ty) || !self.is_arithmetic(b.ty) {
            let (x, y) = (self.types.show(a.ty), self.types.show(b.ty));
            return self.error(span, format!("this operator does not take {x} and {y}"));
        }
        let needs_int = matches!(op, BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr);
        if needs_int && !(self.is_integer(a.ty) && self.is_integer(b.ty)) {
            return self.error(span, "this operator takes integers only");
        }
        if matches!(op, BinOp::Shl | BinOp::Shr) {
            let a = self.promote(a, place);
            let b = self.promote(b, place);
            let value = self.binary(op, a.op, b.op, place);
            return Ok(Rv { op: self.narrowed(value, a.ty, a.width, place), ..a });
        }
        let (a, b) = self.balanced(a, b, span)?;
        let value = self.binary(op, a.op, b.op, place);
        Ok(Rv { op: self.narrowed(value, a.ty, a.width, place), ..a })
    }

    fn pointer_difference(&mut self, a: Rv, b: Rv, span: Span) -> Res<Rv> {
        let place = self.place(span);
        let ptrdiff = self.types.ptrdiff_t();
        let target = self.types.pointee(a.ty).map_or(Types::VOID, |t| t.ty);
        let stride = self.types.stride(target);
        if let (Operand::Int(x, _), Operand::Int(y, _), Some(stride)) = (a.op, b.op, stride.filter(|s| *s > 0)) {
            let difference = x.value().wrapping_sub(y.value()) / i128::from(stride);
            return Ok(self.int_rv(difference, ptrdiff));
        }
        let kind = InstKind::PtrDiff { lhs: a.op, rhs: b.op, stride: stride.unwrap_or(1).max(1) };
        let mut op = self.f().emit(kind, ptrdiff, place);
        if stride.is_none() {
            let size = self.runtime_size(target, span)?;
            let size = self.cast(size, ptrdiff, place);
            op = self.binary(BinOp::Div, op, size, place);
        }
        Ok(Rv::new(op, ptrdiff))
    }

    /// Two operands of one vector type; a scalar is spread over the lanes.
    fn vector_pair(&mut self, a: Rv, b: Rv, span: Span) -> Res<(Rv, Rv)> {
        let place = self.place(span);
        let ty = if self.is_vector(a.ty) { a.ty } else { b.ty };
        let Type::Vector { element, .. } = *self.types.get(ty) else { return Ok((a, b)) };
        let mut pair = [a, b];
        for rv in &mut pair {
            if self.is_vector(rv.ty) {
                if rv.ty != ty && self.types.size_of(rv.ty) != self.types.size_of(ty) {
                    return self.error(span, "the vectors have different sizes");
                }
                *rv = Rv::new(self.cast(rv.op, ty, place), ty);
            } else {
                let lane = self.convert(*rv, element, span)?;
                let op = self.f().emit(InstKind::Intrinsic(Intrinsic::Splat, vec![lane]), ty, place);
                *rv = Rv::new(op, ty);
            }
        }
        Ok((pair[0], pair[1]))
    }

    fn vector_compare(&mut self, op: CmpOp, a: Rv, b: Rv, place: Place) -> Rv {
        let Type::Vector { element, lanes } = *self.types.get(a.ty) else { return a };
        // The result is a vector of signed integers as wide as the lanes.
        let size = self.types.size_of(element).unwrap_or(1);
        let kind = [IntKind::SChar, IntKind::Short, IntKind::Int, IntKind::Long, IntKind::LongLong, IntKind::Int128]
            .into_iter()
            .find(|k| self.types.model.int_size(*k) == size)
            .unwrap_or(IntKind::Int);
        let ty = self.types.intern(Type::Vector { element: Types::int(kind), lanes });
        Rv::new(self.f().emit(InstKind::Compare(op, a.op, b.op), ty, place), ty)
    }

    fn comparison(&mut self, op: CmpOp, a: Rv, b: Rv, span: Span) -> Res<Val> {
        let place = self.place(span);
        if self.is_vector(a.ty) || self.is_vector(b.ty) {
            let (a, b) = self.vector_pair(a, b, span)?;
            return Ok(Val::Rv(self.vector_compare(op, a, b, place)));
        }
        let (pa, pb) = (self.is_pointer(a.ty), self.is_pointer(b.ty));
        let (x, y) = if pa || pb {
            // Pointers of different types, or a pointer and an integer: compared as the pointer's type.
            let ty = if pa { a.ty } else { b.ty };
            (self.convert(a, ty, span)?, self.convert(b, ty, span)?)
        } else {
            if !self.is_arithmetic(a.ty) || !self.is_arithmetic(b.ty) {
                let (x, y) = (self.types.show(a.ty), self.types.show(b.ty));
                return self.error(span, format!("{x} and {y} cannot be compared"));
            }
            let (a, b) = self.balanced(a, b, span)?;
            (a.op, b.op)
        };
        let op = self.compare(op, x, y, place);
        Ok(Val::Rv(Rv::new(op, Types::INT)))
    }

    /// `=` and `op=`, if the operator is one; the answer means something only if `wanted`.
    pub(super) fn assignment(
        &mut self,
        b: &Node<BinaryOperatorExpression>,
        span: Span,
        wanted: bool,
    ) -> Res<Option<Rv>> {
        let (lhs, rhs) = (&b.node.lhs, &b.node.rhs);
        let place = self.place(span);
        let (lv, value) = if b.node.operator.node == BinaryOperator::Assign {
            let lv = self.lvalue(lhs)?;
            let rv = self.value_for(rhs, lv.ty.ty)?;
            (lv, self.convert(rv, lv.ty.ty, span)?)
        } else if let Some(op) = compound(&b.node.operator.node) {
            // As gcc does: the right side first, since it may change the left one.
            let right = self.rvalue(rhs)?;
            let lv = self.lvalue(lhs)?;
            let old = self.read(lv, lhs.span)?;
            let new = self.arithmetic(op, old, right, span)?;
            (lv, self.convert(new, lv.ty.ty, span)?)
        } else {
            return Ok(None);
        };
        if self.types.size_of(lv.ty.ty).is_none() || matches!(self.types.get(lv.ty.ty), Type::Array { .. }) {
            return self.error(lhs.span, "this cannot be assigned to");
        }
        if !wanted {
            self.write_only(lv, value, place);
            return Ok(Some(Rv::new(value, lv.ty.ty)));
        }
        Ok(Some(self.write(lv, value, place)))
    }

    /// A value that is about to be converted to `ty`, which tells the type of an unknown builtin.
    pub(super) fn value_for(&mut self, e: &Node<Expression>, ty: TypeId) -> Res<Rv> {
        if let Expression::Call(call) = &e.node
            && let Some(rv) = self.unknown_builtin(call, ty, e.span)?
        {
            return Ok(rv);
        }
        self.rvalue(e)
    }
}

/// `(struct __fc_real *)e` and `(struct __fc_imag *)e`, which the pre-pass writes: whether it is the imaginary part.
fn complex_part(e: &Node<Expression>) -> Option<bool> {
    let Expression::Cast(cast) = &e.node else { return None };
    let spec = cast.node.type_name.node.specifiers.first()?;
    let lang_c::ast::SpecifierQualifier::TypeSpecifier(t) = &spec.node else { return None };
    let lang_c::ast::TypeSpecifier::Struct(s) = &t.node else { return None };
    match s.node.identifier.as_ref()?.node.name.as_str() {
        "__fc_real" => Some(false),
        "__fc_imag" => Some(true),
        _ => None,
    }
}

fn compound(op: &BinaryOperator) -> Option<BinOp> {
    Some(match op {
        BinaryOperator::AssignMultiply => BinOp::Mul,
        BinaryOperator::AssignDivide => BinOp::Div,
        BinaryOperator::AssignModulo => BinOp::Rem,
        BinaryOperator::AssignPlus => BinOp::Add,
        BinaryOperator::AssignMinus => BinOp::Sub,
        BinaryOperator::AssignShiftLeft => BinOp::Shl,
        BinaryOperator::AssignShiftRight => BinOp::Shr,
        BinaryOperator::AssignBitwiseAnd => BinOp::And,
        BinaryOperator::AssignBitwiseXor => BinOp::Xor,
        BinaryOperator::AssignBitwiseOr => BinOp::Or,
        _ => return None,
    })
}

fn plain(op: &BinaryOperator) -> Option<BinOp> {
    Some(match op {
        BinaryOperator::Multiply => BinOp::Mul,
        BinaryOperator::Divide => BinOp::Div,
        BinaryOperator::Modulo => BinOp::Rem,
        BinaryOperator::Plus => BinOp::Add,
        BinaryOperator::Minus => BinOp::Sub,
        BinaryOperator::ShiftLeft => BinOp::Shl,
        BinaryOperator::ShiftRight => BinOp::Shr,
        BinaryOperator::BitwiseAnd => BinOp::And,
        BinaryOperator::BitwiseXor => BinOp::Xor,
        BinaryOperator::BitwiseOr => BinOp::Or,
        _ => return None,
    })
}

fn comparison(op: &BinaryOperator) -> Option<CmpOp> {
    Some(match op {
        BinaryOperator::Less => CmpOp::Lt,
        BinaryOperator::Greater => CmpOp::Gt,
        BinaryOperator::LessOrEqual => CmpOp::Le,
        BinaryOperator::GreaterOrEqual => CmpOp::Ge,
        BinaryOperator::Equals => CmpOp::Eq,
        BinaryOperator::NotEquals => CmpOp::Ne,
        _ => return None,
    })
}
