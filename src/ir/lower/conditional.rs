//! `?:`, and what may be constant.

use lang_c::ast::{BinaryOperator, ConditionalExpression, Expression, UnaryOperator};
use lang_c::span::{Node, Span};

use super::super::syntax::Operand;
use super::super::types::{QualType, TypeId, Types};
use super::convert::Rv;
use super::expr::Val;
use super::scope::Symbol;
use super::{Lower, Res};

impl Lower<'_> {
    pub(super) fn conditional(&mut self, c: &Node<ConditionalExpression>, span: Span) -> Res<Val> {
        let place = self.place(span);
        let (cond, then, otherwise) = (&c.node.condition, &c.node.then_expression, &c.node.else_expression);
        let elvis = matches!(&then.node, Expression::Identifier(id) if id.node.name == "__fc_same");
        if self.looks_constant(cond)
            && let Some((value, _)) = self.constant_if(cond)?
        {
            return self.constant_conditional(value != 0, if elvis { cond } else { then }, otherwise, span);
        }
        let (yes, no, end) = {
            let f = self.f();
            (f.new_block(place), f.new_block(place), f.new_block(place))
        };
        let a = if elvis {
            let rv = self.rvalue(cond)?;
            let truth = self.truth(rv, cond.span)?;
            let cond_place = self.place(cond.span);
            self.f().branch(truth, yes, no, cond_place);
            self.f().start(yes);
            rv
        } else {
            self.branch_on(cond, yes, no)?;
            self.f().start(yes);
            self.rvalue(then)?
        };
        let yes_end = self.f().pause();
        self.f().start(no);
        let b = self.rvalue(otherwise)?;
        let no_end = self.f().pause();
        let ty = self.conditional_type(a, b, span)?;
        let result = (ty != Types::VOID).then(|| self.temp(ty, place));
        for (paused, rv, e) in [(yes_end, a, then), (no_end, b, otherwise)] {
            self.f().resume(paused);
            if let Some(result) = result
                && self.f().is_open()
            {
                let value = self.convert(rv, ty, e.span)?;
                let at = self.place(if elvis { span } else { e.span });
                self.store(Operand::Local(result), value, at);
            }
            self.f().jump(end, place);
        }
        self.f().start(end);
        let op = match result {
            Some(result) => self.load(Operand::Local(result), ty, place),
            None => self.int(0, Types::INT),
        };
        Ok(Val::Rv(Rv::new(op, ty)))
    }

    /// A conditional whose condition is constant: only one side is evaluated, both give the type.
    fn constant_conditional(
        &mut self,
        truth: bool,
        then: &Node<Expression>,
        otherwise: &Node<Expression>,
        span: Span,
    ) -> Res<Val> {
        let (taken, other) = if truth { (then, otherwise) } else { (otherwise, then) };
        let unused = self.probe(|l| {
            let rv = l.rvalue(other)?;
            // Only the type and whether it is a null pointer constant matter.
            let op = if let Operand::Int(..) = rv.op { rv.op } else { l.int(1, Types::INT) };
            Ok(Rv { op, ty: rv.ty, width: rv.width })
        })?;
        let rv = self.rvalue(taken)?;
        let ty = self.conditional_type(rv, unused, span)?;
        if ty == Types::VOID {
            return Ok(Val::Rv(Rv::new(self.int(0, Types::INT), ty)));
        }
        let op = self.convert(rv, ty, taken.span)?;
        Ok(Val::Rv(Rv::new(op, ty)))
    }

    fn conditional_type(&mut self, a: Rv, b: Rv, span: Span) -> Res<TypeId> {
        if self.is_arithmetic(a.ty) && self.is_arithmetic(b.ty) {
            return Ok(self.common_type(a, b).0);
        }
        if a.ty == b.ty {
            return Ok(a.ty);
        }
        if a.ty == Types::VOID || b.ty == Types::VOID {
            return Ok(Types::VOID);
        }
        let null = |rv: Rv| matches!(rv.op, Operand::Int(v, _) if v.value() == 0);
        match (self.types.pointee(a.ty), self.types.pointee(b.ty)) {
            (Some(_), None) if self.is_integer(b.ty) => Ok(a.ty),
            (None, Some(_)) if self.is_integer(a.ty) => Ok(b.ty),
            (Some(_), Some(y)) if null(a) && y.ty != Types::VOID => Ok(b.ty),
            (Some(x), Some(_)) if null(b) && x.ty != Types::VOID => Ok(a.ty),
            (Some(x), Some(y)) => {
                let target = if x.ty == Types::VOID {
                    x.ty
                } else if y.ty == Types::VOID {
                    y.ty
                } else {
                    x.ty
                };
                Ok(self.types.pointer_to(QualType { ty: target, quals: x.quals.with(y.quals) }))
            }
            _ if self.is_vector(a.ty) && self.types.size_of(a.ty) == self.types.size_of(b.ty) => Ok(a.ty),
            _ if self.same_tag(a.ty, b.ty) => Ok(a.ty),
            _ => {
                let (x, y) = (self.types.show(a.ty), self.types.show(b.ty));
                self.error(span, format!("the two sides of ?: have types {x} and {y}"))
            }
        }
    }

    /// Whether an expression may be constant, judged by its shape: a cheap test before a probe.
    pub(super) fn looks_constant(&self, e: &Node<Expression>) -> bool {
        match &e.node {
            Expression::Constant(_)
            | Expression::SizeOfTy(_)
            | Expression::SizeOfVal(_)
            | Expression::AlignOf(_)
            | Expression::OffsetOf(_)
            | Expression::StringLiteral(_)
            | Expression::GenericSelection(_) => true,
            Expression::Identifier(id) => matches!(self.scopes.lookup(&id.node.name), Some(Symbol::Constant(..))),
            Expression::UnaryOperator(u) => match u.node.operator.node {
                UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Complement | UnaryOperator::Negate => {
                    self.looks_constant(&u.node.operand)
                }
                UnaryOperator::Address => self.has_constant_base(&u.node.operand),
                UnaryOperator::PostIncrement
                | UnaryOperator::PostDecrement
                | UnaryOperator::PreIncrement
                | UnaryOperator::PreDecrement
                | UnaryOperator::Indirection => false,
            },
            Expression::Cast(c) => self.looks_constant(&c.node.expression),
            Expression::BinaryOperator(b) => self.looks_constant(&b.node.lhs) && self.looks_constant(&b.node.rhs),
            Expression::Conditional(c) => self.looks_constant(&c.node.condition),
            Expression::Call(c) => {
                let Expression::Identifier(id) = &c.node.callee.node else { return false };
                match id.node.name.as_str() {
                    "__builtin_constant_p"
                    | "__builtin_choose_expr"
                    | "__builtin_object_size"
                    | "__builtin_dynamic_object_size"
                    | "__fc_types_compatible"
                    | "__fc_alignof" => true,
                    name => name.starts_with("__builtin_") && c.node.arguments.iter().all(|a| self.looks_constant(a)),
                }
            }
            Expression::Member(_)
            | Expression::CompoundLiteral(_)
            | Expression::Comma(_)
            | Expression::VaArg(_)
            | Expression::Statement(_) => false,
        }
    }

    /// Whether an lvalue is a part of an object at a constant address, as in `&((struct s *)0)->member`.
    fn has_constant_base(&self, e: &Node<Expression>) -> bool {
        match &e.node {
            Expression::Member(m) => self.has_constant_base(&m.node.expression),
            Expression::BinaryOperator(b) if b.node.operator.node == BinaryOperator::Index => {
                self.has_constant_base(&b.node.lhs) && self.looks_constant(&b.node.rhs)
            }
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Indirection => {
                self.has_constant_base(&u.node.operand)
            }
            Expression::Cast(c) => self.looks_constant(&c.node.expression),
            _ => false,
        }
    }
}
