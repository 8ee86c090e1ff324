//! Expressions: what each means as a value, as an lvalue, as a condition.

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, CompoundLiteral, Expression, GenericAssociation,
    GenericSelection, MemberExpression, MemberOperator, OffsetMember, OffsetOfExpression, Statement, UnaryOperator,
};
use lang_c::span::{Node, Span};

use super::super::syntax::{Access, BlockId, CmpOp, InstKind, Linkage, Operand};
use super::super::types::{Bits, Length, QualType, Quals, Type, TypeId, Types};
use super::convert::Rv;
use super::init::Initial;
use super::scope::Symbol;
use super::{Lower, Res};
use crate::source::Place;

/// An object designated by an expression.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lv {
    pub addr: Operand,
    pub ty: QualType,
    pub bits: Option<Bits>,
}

impl Lv {
    /// How it is read and written.
    pub fn access(self) -> Access {
        Access {
            ty: self.ty.ty,
            volatile: self.ty.quals.has(Quals::VOLATILE),
            atomic: self.ty.quals.has(Quals::ATOMIC),
            bits: self.bits,
        }
    }
}

/// What an expression designates.
#[derive(Clone, Copy, Debug)]
pub(super) enum Val {
    Lv(Lv),
    Rv(Rv),
}

impl Lower<'_> {
    /// The type of an expression without decay; only in a probe.
    pub(super) fn expr_type(&mut self, e: &Node<Expression>) -> Res<QualType> {
        Ok(match self.expr(e)? {
            Val::Lv(lv) => lv.ty,
            Val::Rv(rv) => rv.ty.into(),
        })
    }

    /// The value of an expression: lvalues are read, arrays and functions decay.
    pub(super) fn rvalue(&mut self, e: &Node<Expression>) -> Res<Rv> {
        match self.expr(e)? {
            Val::Rv(rv) => Ok(rv),
            Val::Lv(lv) => self.read(lv, e.span),
        }
    }

    /// The object an expression designates; a value of record type gets a temporary.
    pub(super) fn lvalue(&mut self, e: &Node<Expression>) -> Res<Lv> {
        match self.expr(e)? {
            Val::Lv(lv) => Ok(lv),
            Val::Rv(rv) if self.types.is_aggregate(rv.ty) => {
                let place = self.place(e.span);
                let addr = self.spill(rv, place);
                Ok(Lv { addr, ty: rv.ty.into(), bits: None })
            }
            Val::Rv(_) => self.error(e.span, "this expression does not designate an object"),
        }
    }

    /// Reads an object.
    pub(super) fn read(&mut self, lv: Lv, span: Span) -> Res<Rv> {
        let place = self.place(span);
        match self.types.get(lv.ty.ty).clone() {
            Type::Array { element, .. } => {
                let ty = self.types.pointer_to(element);
                let op = self.address_as(lv.addr, ty, place);
                Ok(Rv::new(op, ty))
            }
            Type::Function(_) => {
                let ty = self.types.pointer_to(lv.ty.ty.into());
                let op = self.address_as(lv.addr, ty, place);
                Ok(Rv::new(op, ty))
            }
            Type::Void => Ok(Rv::new(lv.addr, Types::VOID)),
            _ => {
                if self.types.size_of(lv.ty.ty).is_none() {
                    let ty = self.types.show(lv.ty.ty);
                    return self.error(span, format!("the type {ty} is incomplete"));
                }
                let access = lv.access();
                if self.static_context > 0
                    && let Some(op) = self.constant_object(lv)
                {
                    return Ok(Rv::new(op, lv.ty.ty));
                }
                let op = self.f().emit(InstKind::Load { addr: lv.addr, access }, lv.ty.ty, place);
                Ok(Rv { op, ty: lv.ty.ty, width: lv.bits.map(|b| b.width) })
            }
        }
    }

    /// The same address as a pointer of another type.
    fn address_as(&mut self, addr: Operand, ty: TypeId, place: Place) -> Operand {
        if self.operand_type(addr) == ty { addr } else { self.cast(addr, ty, place) }
    }

    /// Writes an object; the answer is the value it then has.
    pub(super) fn write(&mut self, lv: Lv, value: Operand, place: Place) -> Rv {
        self.write_only(lv, value, place);
        // The value of an assignment to a bit-field is what the field holds.
        let width = lv.bits.map(|b| b.width);
        Rv { op: self.narrowed(value, lv.ty.ty, width, place), ty: lv.ty.ty, width }
    }

    /// Writes an object.
    pub(super) fn write_only(&mut self, lv: Lv, value: Operand, place: Place) {
        let access = lv.access();
        self.f().emit(InstKind::Store { addr: lv.addr, value, access }, Types::VOID, place);
    }

    pub(super) fn expr(&mut self, e: &Node<Expression>) -> Res<Val> {
        let place = self.place(e.span);
        match &e.node {
            Expression::Identifier(id) => self.identifier(&id.node.name, e.span),
            Expression::Constant(c) => Ok(Val::Rv(self.constant(&c.node, e.span)?)),
            Expression::StringLiteral(s) => {
                let text = self.text(&s.node, e.span)?;
                let (global, ty) = self.string_global(&text, e.span);
                Ok(Val::Lv(Lv { addr: Operand::Global(global), ty: ty.into(), bits: None }))
            }
            Expression::GenericSelection(g) => self.generic(g),
            Expression::Member(m) => self.member(m),
            Expression::Call(c) => self.call(c, e.span),
            Expression::CompoundLiteral(c) => self.compound_literal(c),
            Expression::SizeOfTy(t) => {
                let ty = self.type_name(&t.node.0)?;
                let size = self.runtime_size(ty.ty, e.span)?;
                Ok(Val::Rv(Rv::new(size, self.types.size_t())))
            }
            Expression::SizeOfVal(inner) => self.size_of_value(&inner.node.0, e.span),
            Expression::AlignOf(t) => {
                let ty = self.type_name(&t.node.0)?;
                Ok(Val::Rv(self.int_rv(i128::from(self.types.align_of(ty.ty)), self.types.size_t())))
            }
            Expression::UnaryOperator(u) => self.unary(u, e.span),
            Expression::Cast(c) => self.cast_expr(c, e.span),
            Expression::BinaryOperator(b) => self.binary_expr(b, e.span),
            Expression::Conditional(c) => self.conditional(c, e.span),
            Expression::Comma(list) => {
                let Some((last, rest)) = list.split_last() else { return self.error(e.span, "an empty expression") };
                for e in rest {
                    self.effects(e)?;
                }
                Ok(Val::Rv(self.rvalue(last)?))
            }
            Expression::OffsetOf(o) => self.offset_of(o, e.span),
            Expression::VaArg(v) => {
                let list = self.rvalue(&v.node.va_list)?;
                let ty = self.type_name(&v.node.type_name)?;
                if !self.is_pointer(list.ty) {
                    return self.error(v.node.va_list.span, "this is not a va_list");
                }
                if self.types.size_of(ty.ty).is_none() {
                    let ty = self.types.show(ty.ty);
                    return self.error(v.node.type_name.span, format!("no argument can have the type {ty}"));
                }
                let op = self.f().emit(InstKind::VaArg(list.op), ty.ty, place);
                Ok(Val::Rv(Rv::new(op, ty.ty)))
            }
            Expression::Statement(s) => self.statement_expression(s),
        }
    }

    /// Evaluates for side effects only.
    pub(super) fn effects(&mut self, e: &Node<Expression>) -> Res<()> {
        if let Expression::Comma(list) = &e.node {
            return list.iter().try_for_each(|e| self.effects(e));
        }
        // The value of an assignment to a bit-field costs code.
        if let Expression::BinaryOperator(b) = &e.node
            && self.assignment(b, e.span, false)?.is_some()
        {
            return Ok(());
        }
        match self.expr(e)? {
            // Reading a volatile object is an effect even if the value is not used.
            Val::Lv(lv) if lv.ty.quals.has(Quals::VOLATILE) => {
                self.read(lv, e.span)?;
            }
            Val::Lv(_) | Val::Rv(_) => {}
        }
        Ok(())
    }

    fn identifier(&mut self, name: &str, span: Span) -> Res<Val> {
        match self.scopes.lookup(name) {
            Some(Symbol::Local(id)) => {
                let ty = self.f().body.locals[id].ty;
                Ok(Val::Lv(Lv { addr: Operand::Local(id), ty, bits: None }))
            }
            Some(Symbol::Indirect(holder, ty)) => {
                let place = self.place(span);
                let pointer = self.types.pointer_to(ty);
                let addr = self.load(Operand::Local(holder), pointer, place);
                Ok(Val::Lv(Lv { addr, ty, bits: None }))
            }
            Some(Symbol::Global(id)) => {
                let ty = self.globals[id].ty;
                Ok(Val::Lv(Lv { addr: Operand::Global(id), ty, bits: None }))
            }
            Some(Symbol::Function(id)) => {
                self.want(id);
                let ty = self.functions[id].ty;
                Ok(Val::Lv(Lv { addr: Operand::Function(id), ty: ty.into(), bits: None }))
            }
            Some(Symbol::Constant(value, ty)) => Ok(Val::Rv(self.int_rv(value, ty))),
            Some(Symbol::Typedef(..)) => self.error(span, format!("{name} is a type, not a value")),
            None => self.predefined(name, span),
        }
    }

    /// `__func__` and its relatives; builtin functions used as values; else an error.
    fn predefined(&mut self, name: &str, span: Span) -> Res<Val> {
        if matches!(name, "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            let units = self.f().name.clone().bytes().map(u32::from).collect();
            let text = super::literal::Text { units, element: Types::CHAR };
            let (global, ty) = self.string_global(&text, span);
            let ty = QualType { ty, quals: Quals::NONE };
            return Ok(Val::Lv(Lv { addr: Operand::Global(global), ty, bits: None }));
        }
        if let Some(plain) = name.strip_prefix("__builtin_")
            && let Some(Symbol::Function(_)) = self.scopes.lookup(plain)
        {
            return self.identifier(plain, span);
        }
        self.error(span, format!("{name} is not declared"))
    }

    fn generic(&mut self, g: &Node<GenericSelection>) -> Res<Val> {
        let ty = self.probe(|l| Ok(l.rvalue(&g.node.expression)?.ty))?;
        let mut default = None;
        for a in &g.node.associations {
            match &a.node {
                GenericAssociation::Type(t) => {
                    let candidate = self.type_name(&t.node.type_name)?;
                    if candidate.quals == Quals::NONE && self.compatible(candidate.ty, ty) {
                        return self.expr(&t.node.expression);
                    }
                }
                GenericAssociation::Default(e) => default = Some(e),
            }
        }
        match default {
            Some(e) => self.expr(e),
            None => self.error(g.span, format!("no association fits the type {}", self.types.show(ty))),
        }
    }

    /// Whether two types are compatible.
    pub(super) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.types.get(a), self.types.get(b)) {
            (Type::Enum(e), Type::Int(k)) | (Type::Int(k), Type::Enum(e)) => self.types.enums[*e].underlying == *k,
            (Type::Pointer(x), Type::Pointer(y)) => x.quals == y.quals && self.compatible(x.ty, y.ty),
            (Type::Array { element: x, length: one }, Type::Array { element: y, length: other }) => {
                let lengths = match (one, other) {
                    (Length::Fixed(one), Length::Fixed(other)) => one == other,
                    _ => true,
                };
                lengths && self.compatible(x.ty, y.ty)
            }
            (Type::Function(f), Type::Function(g)) => {
                self.compatible(f.result, g.result)
                    && (!f.prototype
                        || !g.prototype
                        || (f.variadic == g.variadic
                            && f.params.len() == g.params.len()
                            && f.params.iter().zip(&g.params).all(|(x, y)| self.compatible(*x, *y))))
            }
            _ => false,
        }
    }

    fn size_of_value(&mut self, e: &Node<Expression>, span: Span) -> Res<Val> {
        let size_t = self.types.size_t();
        if let Expression::StringLiteral(s) = &e.node {
            // No object is made of a literal that is only measured.
            let text = self.text(&s.node, e.span)?;
            let size = self.types.size_of(text.element).unwrap_or(1) * (text.units.len() as u64 + 1);
            return Ok(Val::Rv(self.int_rv(i128::from(size), size_t)));
        }
        let locals = self.fun.as_ref().map_or(0, |f| f.body.locals.len());
        let (mut ty, bits) = self.probe(|l| {
            Ok(match l.expr(e)? {
                Val::Lv(lv) => (lv.ty.ty, lv.bits.is_some()),
                Val::Rv(rv) => (rv.ty, false),
            })
        })?;
        if bits {
            return self.error(span, "sizeof of a bit-field");
        }
        if self.is_variable(ty) || self.names_local_from(ty, locals) {
            // C evaluates the operand of a variable-length type.
            ty = self.expr_type(e)?.ty;
        }
        let size = self.runtime_size(ty, span)?;
        Ok(Val::Rv(Rv::new(size, size_t)))
    }

    fn member(&mut self, m: &Node<MemberExpression>) -> Res<Val> {
        let base = match m.node.operator.node {
            MemberOperator::Direct => self.lvalue(&m.node.expression)?,
            MemberOperator::Indirect => {
                let rv = self.rvalue(&m.node.expression)?;
                let Some(target) = self.types.pointee(rv.ty) else {
                    return self.error(m.node.expression.span, "the left of -> is not a pointer");
                };
                Lv { addr: rv.op, ty: target, bits: None }
            }
        };
        Ok(Val::Lv(self.field(base, &m.node.identifier.node.name, m.span)?))
    }

    /// The member of an object, through anonymous members.
    pub(super) fn field(&mut self, base: Lv, name: &str, span: Span) -> Res<Lv> {
        let place = self.place(span);
        let Type::Record(record) = *self.types.get(base.ty.ty) else {
            return self.error(span, format!("{} has no members", self.types.show(base.ty.ty)));
        };
        let Some(way) = self.find_member(record, name) else {
            let ty = self.types.show(base.ty.ty);
            return self.error(span, format!("{ty} has no member {name}"));
        };
        let mut lv = base;
        for (record, field) in way {
            lv = self.field_at(lv, record, field, place);
        }
        Ok(lv)
    }

    /// The member with this index.
    pub(super) fn field_at(&mut self, base: Lv, record: super::RecordId, field: u32, place: Place) -> Lv {
        let member = self.types.records[record].members[field as usize].clone();
        let mut quals = member.ty.quals;
        for q in [Quals::CONST, Quals::VOLATILE] {
            if base.ty.quals.has(q) {
                quals = quals.with(q);
            }
        }
        let ty = QualType { ty: member.ty.ty, quals };
        let pointer = self.types.pointer_to(ty);
        let addr = match base.addr {
            // The offsetof idiom: a member of a constant address is a constant address.
            Operand::Int(at, _) => self.int(at.value().wrapping_add(i128::from(member.offset)), pointer),
            base => self.f().emit(InstKind::FieldAddr { base, record, field }, pointer, place),
        };
        Lv { addr, ty, bits: member.bits }
    }

    fn compound_literal(&mut self, c: &Node<CompoundLiteral>) -> Res<Val> {
        let ty = self.type_name(&c.node.type_name)?;
        let init = Initial::List(&c.node.initializer_list, c.span);
        let place = self.place(c.span);
        if self.static_context > 0 || self.scopes.at_file_scope() || self.f().id.is_none() {
            let (ty, initializer) = self.static_initializer(ty, init)?;
            let name = format!(".compound{}", self.globals.len());
            let global = self.internal_global(name, ty, initializer, place);
            return Ok(Val::Lv(Lv { addr: Operand::Global(global), ty, bits: None }));
        }
        let ty = self.complete_array(ty, init)?;
        if self.types.size_of(ty.ty).is_none() {
            let ty = self.types.show(ty.ty);
            return self.error(c.span, format!("no object can have the type {ty}"));
        }
        let local = self.temp(ty.ty, place);
        let lv = Lv { addr: Operand::Local(local), ty, bits: None };
        self.initialize(lv, init)?;
        Ok(Val::Lv(lv))
    }

    /// An object without a name of its own, or with a name seen only here.
    pub(super) fn internal_global(
        &mut self,
        name: String,
        ty: QualType,
        initializer: super::Initializer,
        place: Place,
    ) -> super::GlobalId {
        let global = super::Global {
            name,
            link_name: None,
            ty,
            addr_ty: self.types.pointer_to(ty.ty.into()),
            align: self.types.align_of(ty.ty),
            linkage: Linkage::Internal,
            definition: super::GlobalDef::Defined(initializer),
            thread_local: false,
            owner: self.fun.as_ref().and_then(|f| f.id),
            place,
        };
        self.globals.push(global)
    }

    fn offset_of(&mut self, o: &Node<OffsetOfExpression>, span: Span) -> Res<Val> {
        let ty = self.type_name(&o.node.type_name)?;
        let null = self.types.pointer_to(ty);
        let mut lv = Lv { addr: self.int(0, null), ty, bits: None };
        lv = self.field(lv, &o.node.designator.node.base.node.name, span)?;
        for member in &o.node.designator.node.members {
            lv = match &member.node {
                OffsetMember::Member(id) | OffsetMember::IndirectMember(id) => self.field(lv, &id.node.name, span)?,
                OffsetMember::Index(e) => {
                    let base = self.read(lv, span)?;
                    let index = self.rvalue(e)?;
                    self.element(base, index, span)?
                }
            };
        }
        let place = self.place(span);
        let size_t = self.types.size_t();
        let op = self.cast(lv.addr, size_t, place);
        Ok(Val::Rv(Rv::new(op, size_t)))
    }

    /// Branches on an expression: `&&`, `||` and `!` become control flow.
    pub(super) fn branch_on(&mut self, e: &Node<Expression>, then: BlockId, otherwise: BlockId) -> Res<()> {
        let place = self.place(e.span);
        match &e.node {
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::LogicalAnd => {
                let middle = self.f().new_block(place);
                self.branch_on(&b.node.lhs, middle, otherwise)?;
                self.f().start(middle);
                self.branch_on(&b.node.rhs, then, otherwise)
            }
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::LogicalOr => {
                let middle = self.f().new_block(place);
                self.branch_on(&b.node.lhs, then, middle)?;
                self.f().start(middle);
                self.branch_on(&b.node.rhs, then, otherwise)
            }
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Negate => {
                self.branch_on(&u.node.operand, otherwise, then)
            }
            _ => {
                let rv = self.rvalue(e)?;
                let cond = self.truth(rv, e.span)?;
                match cond {
                    Operand::Int(v, _) => self.f().jump(if v.value() == 0 { otherwise } else { then }, place),
                    _ => self.f().branch(cond, then, otherwise, place),
                }
                Ok(())
            }
        }
    }

    /// `&&` and `||` as values.
    pub(super) fn logical(&mut self, b: &Node<BinaryOperatorExpression>, span: Span) -> Res<Val> {
        let place = self.place(span);
        let is_and = b.node.operator.node == BinaryOperator::LogicalAnd;
        let left = if self.looks_constant(&b.node.lhs) { self.constant_if(&b.node.lhs)? } else { None };
        if let Some((value, _)) = left {
            // A constant left side decides, or leaves the right side alone.
            if (value != 0) != is_and {
                return Ok(Val::Rv(self.int_rv(i128::from(!is_and), Types::INT)));
            }
            let rv = self.rvalue(&b.node.rhs)?;
            let truth = self.truth(rv, b.node.rhs.span)?;
            let zero = self.int(0, Types::INT);
            let op = self.compare(CmpOp::Ne, truth, zero, place);
            return Ok(Val::Rv(Rv::new(op, Types::INT)));
        }
        let result = self.temp(Types::INT, place);
        let (yes, no, end) = {
            let f = self.f();
            (f.new_block(place), f.new_block(place), f.new_block(place))
        };
        let middle = self.f().new_block(place);
        if is_and {
            self.branch_on(&b.node.lhs, middle, no)?;
        } else {
            self.branch_on(&b.node.lhs, yes, middle)?;
        }
        self.f().start(middle);
        self.branch_on(&b.node.rhs, yes, no)?;
        for (block, value) in [(yes, 1), (no, 0)] {
            self.f().start(block);
            let value = self.int(value, Types::INT);
            self.store(Operand::Local(result), value, place);
            self.f().jump(end, place);
        }
        self.f().start(end);
        let op = self.load(Operand::Local(result), Types::INT, place);
        Ok(Val::Rv(Rv::new(op, Types::INT)))
    }

    fn statement_expression(&mut self, s: &Node<Statement>) -> Res<Val> {
        let Statement::Compound(items) = &s.node else {
            return self.error(s.span, "a statement expression must be a block");
        };
        let cleanups = self.f().cleanup;
        let f = self.f();
        let around = f.inside;
        f.enclosing.push(around);
        f.inside = Some(f.enclosing.len() - 1);
        self.scopes.enter();
        let mut value = self.void();
        for (i, item) in items.iter().enumerate() {
            match &item.node {
                BlockItem::Statement(st) if i + 1 == items.len() => value = self.last_value(st)?,
                _ => self.block_item(item)?,
            }
        }
        let place = self.place(s.span);
        self.leave_cleanups(cleanups, place);
        self.scopes.leave();
        self.f().inside = around;
        Ok(Val::Rv(value))
    }

    /// The value of the last statement of a statement expression, through labels.
    fn last_value(&mut self, st: &Node<Statement>) -> Res<Rv> {
        match &st.node {
            Statement::Expression(Some(e)) => self.rvalue(e),
            Statement::Labeled(l) => {
                self.enter_label(&l.node.label)?;
                self.last_value(&l.node.statement)
            }
            _ => {
                self.statement(st)?;
                Ok(self.void())
            }
        }
    }
}
