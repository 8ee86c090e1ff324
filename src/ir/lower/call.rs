//! Calls: of functions, through pointers, of functions nobody declared, and the markers that the pre-pass writes as calls.
//!
//! The callee is evaluated first, then the arguments, each once, from the last to the first: C leaves the order open, and this
//! is gcc's on most targets. Arguments are converted to the parameters of a prototype, or promoted. Invariant: an argument list that
//! contradicts a prototype is an error, as in gcc; without one, everything is accepted.

use lang_c::ast::{CallExpression, Expression};
use lang_c::span::{Node, Span};

use super::builtins;
use super::convert::Rv;
use super::define::Definition;
use super::expr::{Lv, Val};
use super::scope::{Entity, Symbol};
use super::{Lower, Res};
use crate::ir::syntax::{Callee, FuncId, Function, InstKind, Intrinsic, Linkage, Operand, Terminator};
use crate::ir::types::{FunctionType, QualType, Type, TypeId, Types};
use crate::source::{Diagnostic, Place};

impl Lower<'_> {
    pub(super) fn call(&mut self, c: &Node<CallExpression>, span: Span) -> Res<Val> {
        let args: Vec<&Node<Expression>> = c.node.arguments.iter().collect();
        if let Expression::Identifier(id) = &c.node.callee.node {
            let name = id.node.name.as_str();
            if name.starts_with("__fc_") {
                return self.marker(name, &args, span);
            }
            if let Some(builtin) = self.classify(name) {
                return self.builtin(builtin, name, &args, span);
            }
            if self.scopes.lookup(name).is_none() {
                if name.starts_with("__builtin_") {
                    let ty = builtins::likely_type(name);
                    return Ok(Val::Rv(self.stand_in_call(name, &args, ty, span)?));
                }
                let function = self.implicit_function(name, id.span)?;
                return self.call_function(function, &args, span);
            }
        }
        let callee = self.rvalue(&c.node.callee)?;
        let target = self.types.pointee(callee.ty).map(|t| t.ty).filter(|t| self.types.as_function(*t).is_some());
        let Some(ty) = target else {
            let ty = self.types.show(callee.ty);
            return self.error(c.node.callee.span, format!("a value of type {ty} cannot be called"));
        };
        match callee.op {
            Operand::Function(id) => self.call_function(id, &args, span),
            pointer => self.call_as(Callee::Indirect(pointer), ty, &args, span),
        }
    }

    /// A call of a function known here.
    pub(super) fn call_function(&mut self, id: FuncId, args: &[&Node<Expression>], span: Span) -> Res<Val> {
        let ty = self.functions[id].ty;
        self.call_as(Callee::Direct(id), ty, args, span)
    }

    /// A call by a function type.
    fn call_as(&mut self, callee: Callee, ty: TypeId, args: &[&Node<Expression>], span: Span) -> Res<Val> {
        let Some(f) = self.types.as_function(ty).cloned() else {
            return self.error(span, "only functions can be called");
        };
        let args = self.arguments(&f, callee, args, span)?;
        if f.result != Types::VOID && self.types.size_of(f.result).is_none() {
            let ty = self.types.show(f.result);
            return self.error(span, format!("the called function returns the incomplete type {ty}"));
        }
        let place = self.place(span);
        Ok(Val::Rv(self.emit_call(callee, f.result, args, place)))
    }

    /// The call itself; one that does not return ends the block.
    pub(super) fn emit_call(&mut self, callee: Callee, result: TypeId, args: Vec<Operand>, place: Place) -> Rv {
        let op = self.f().emit(InstKind::Call { callee, args }, result, place);
        if matches!(callee, Callee::Direct(id) if self.functions[id].noreturn) {
            self.f().end(Terminator::Unreachable, place);
        }
        if result == Types::VOID { self.void() } else { Rv::new(op, result) }
    }

    /// The value of what has none.
    pub(super) fn void(&self) -> Rv {
        Rv::new(self.int(0, Types::INT), Types::VOID)
    }

    fn arguments(
        &mut self,
        f: &FunctionType,
        callee: Callee,
        args: &[&Node<Expression>],
        span: Span,
    ) -> Res<Vec<Operand>> {
        let (given, wanted) = (args.len(), f.params.len());
        if f.prototype && (given < wanted || (given > wanted && !f.variadic)) {
            let who = match callee {
                Callee::Direct(id) => self.functions[id].name.clone(),
                Callee::Indirect(_) => "the called function".into(),
            };
            let few_or_many = if given < wanted { "few" } else { "many" };
            let at_least = if f.variadic { "at least " } else { "" };
            let message = format!("too {few_or_many} arguments: {who} takes {at_least}{wanted}, not {given}");
            return self.error(span, message);
        }
        let mut operands = Vec::with_capacity(given);
        for (i, e) in args.iter().enumerate().rev() {
            let op = match f.params.get(i).filter(|_| f.prototype) {
                Some(&param) => self.argument(e, param)?,
                None => self.free_argument(e)?,
            };
            operands.push(op);
        }
        operands.reverse();
        Ok(operands)
    }

    /// An argument for a parameter of type `ty`.
    pub(super) fn argument(&mut self, e: &Node<Expression>, ty: TypeId) -> Res<Operand> {
        let rv = self.value_for(e, ty)?;
        self.convert(rv, ty, e.span)
    }

    /// An argument without a parameter: promoted.
    fn free_argument(&mut self, e: &Node<Expression>) -> Res<Operand> {
        let rv = self.rvalue(e)?;
        if rv.ty == Types::VOID {
            return self.error(e.span, "the argument has no value");
        }
        let place = self.place(e.span);
        Ok(self.promote_argument(rv, place).op)
    }

    /// C89: a function that is called and not declared is `int f()`; a library function that compilers know has its real type.
    fn implicit_function(&mut self, name: &str, span: Span) -> Res<FuncId> {
        let place = self.place(span);
        let id = match self.linked.get(name) {
            Some(Entity::Function(id)) => *id,
            Some(Entity::Global(_)) => return self.error(span, format!("{name} is not a function")),
            None => {
                // Once per function, even if it is first met where nothing is evaluated.
                let warning = Diagnostic::warning(format!("{name} is called but not declared"), place);
                self.diagnostics.push(warning);
                self.external_function(name, place)
            }
        };
        self.scopes.define_at_file(name, Symbol::Function(id));
        self.want(id);
        Ok(id)
    }

    /// The library function of this name: as declared in this unit, else as compilers know it.
    pub(super) fn library_function(&mut self, name: &str, place: Place) -> FuncId {
        let Some(Entity::Function(id)) = self.linked.get(name).copied() else {
            return self.external_function(name, place);
        };
        if self.defined.get(&id) != Some(&Definition::GnuInline) {
            self.want(id);
            return id;
        }
        // The headers wrap library functions in inline ones of the same name, which call the real one by its builtin.
        let real = format!("__builtin_{name}");
        if let Some(Entity::Function(id)) = self.linked.get(&real) {
            return *id;
        }
        let (ty, noreturn) = (self.functions[id].ty, self.functions[id].noreturn);
        let function = Function { noreturn, ..self.bare_function(name, ty, place) };
        let id = self.functions.push(function);
        self.linked.insert(real, Entity::Function(id));
        id
    }

    /// Declares a function that the source does not. A later declaration finds it among the linked names.
    fn external_function(&mut self, name: &str, place: Place) -> FuncId {
        let ty = self.library_type(name).unwrap_or_else(|| {
            let f = FunctionType { result: Types::INT, params: Vec::new(), variadic: false, prototype: false };
            self.types.intern(Type::Function(f))
        });
        let function = self.bare_function(name, ty, place);
        let id = self.functions.push(function);
        self.linked.insert(name.to_string(), Entity::Function(id));
        id
    }

    /// A function of another unit.
    fn bare_function(&mut self, name: &str, ty: TypeId, place: Place) -> Function {
        Function {
            name: name.to_string(),
            link_name: None,
            ty,
            addr_ty: self.types.pointer_to(ty.into()),
            linkage: Linkage::External,
            noreturn: builtins::never_returns(name),
            returns_twice: builtins::returns_twice(name),
            interrupt: false,
            alias: None,
            place,
            body: None,
        }
    }

    /// A marker of the pre-pass, see `SideTable`.
    fn marker(&mut self, name: &str, args: &[&Node<Expression>], span: Span) -> Res<Val> {
        let place = self.place(span);
        match (name, args) {
            ("__fc_label_address", [label]) => {
                let Expression::Identifier(id) = &label.node else {
                    return self.error(label.span, "&& needs a label");
                };
                let label = self.f().label_address(&id.node.name, place);
                Ok(Val::Rv(Rv::new(Operand::Label(label), Types::VOID_PTR)))
            }
            ("__fc_goto", [target]) => {
                self.computed_goto(target, span)?;
                Ok(Val::Rv(self.void()))
            }
            ("__fc_types_compatible", [a, b]) => {
                let same = self.probe(|l| {
                    let (a, b) = (l.sized_type(a)?, l.sized_type(b)?);
                    Ok(l.compatible(a.ty, b.ty))
                })?;
                Ok(Val::Rv(self.int_rv(i128::from(same), Types::INT)))
            }
            ("__fc_alignof", [e]) => {
                let align = self.alignment_of(e)?;
                Ok(Val::Rv(self.int_rv(i128::from(align), self.types.size_t())))
            }
            ("__fc_convertvector", [v, t]) => {
                let to = self.probe(|l| l.sized_type(t))?.ty;
                let rv = self.rvalue(v)?;
                let lanes = |l: &Self, ty| match l.types.get(ty) {
                    Type::Vector { lanes, .. } => Some(*lanes),
                    _ => None,
                };
                if lanes(self, rv.ty).is_none() || lanes(self, rv.ty) != lanes(self, to) {
                    return self.error(span, "a vector is converted to one with as many lanes only");
                }
                let op = self.f().emit(InstKind::Intrinsic(Intrinsic::ConvertVector, vec![rv.op]), to, place);
                Ok(Val::Rv(Rv::new(op, to)))
            }
            _ => self.error(span, format!("{name} is reserved, or has the wrong arguments")),
        }
    }

    /// The type inside `sizeof(…)`, by which the pre-pass hands a type to a marker; only in a probe.
    fn sized_type(&mut self, e: &Node<Expression>) -> Res<QualType> {
        match &e.node {
            Expression::SizeOfTy(t) => self.type_name(&t.node.0),
            Expression::SizeOfVal(v) => self.expr_type(&v.node.0),
            _ => self.error(e.span, "a type is expected here"),
        }
    }

    /// The alignment of what an expression designates: a variable's own, else its type's.
    fn alignment_of(&mut self, e: &Node<Expression>) -> Res<u64> {
        self.probe(|l| {
            Ok(match l.expr(e)? {
                Val::Lv(Lv { addr: Operand::Local(id), .. }) => l.f().body.locals[id].align,
                Val::Lv(Lv { addr: Operand::Global(id), .. }) => l.globals[id].align,
                Val::Lv(lv) => l.types.align_of(lv.ty.ty),
                Val::Rv(rv) => l.types.align_of(rv.ty),
            })
        })
    }

    /// `goto *e`: to the block that all computed gotos share.
    pub(super) fn computed_goto(&mut self, e: &Node<Expression>, span: Span) -> Res<()> {
        let place = self.place(span);
        let rv = self.rvalue(e)?;
        let target = self.convert(rv, Types::VOID_PTR, e.span)?;
        let known = self.f().dispatch;
        let (block, local) = known.unwrap_or_else(|| {
            let local = self.temp(Types::VOID_PTR, place);
            (self.f().new_block(place), local)
        });
        self.f().dispatch = Some((block, local));
        self.store(Operand::Local(local), target, place);
        let f = self.f();
        f.has_goto.get_or_insert(place);
        f.jump(block, place);
        Ok(())
    }

    /// At the end of a function: the shared block goes to every label whose address is taken.
    pub(super) fn finish_dispatch(&mut self) {
        let Some((block, local)) = self.f().dispatch else { return };
        let place = self.f().body.blocks[block].term_place;
        self.f().start(block);
        let addr = self.load(Operand::Local(local), Types::VOID_PTR, place);
        let f = self.f();
        let targets: Vec<_> = f.body.labels.enumerate().map(|(id, label)| (id, label.block)).collect();
        // Without any label there is nowhere to go.
        let term =
            if targets.is_empty() { Terminator::Unreachable } else { Terminator::IndirectJump { addr, targets } };
        f.end(term, place);
    }
}
