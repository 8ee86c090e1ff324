//! Function definitions: parameters, body, end.
//!
//! A function that only this unit can call is lowered when something refers to it, at the end of the unit; headers are full of
//! static inline functions that nobody calls.

use lang_c::ast::{
    Declarator, DeclaratorKind, DerivedDeclarator, FunctionDeclarator, FunctionDefinition, Identifier, Statement,
    StorageClassSpecifier,
};
use lang_c::span::Node;

use super::super::syntax::{AssumptionKind, FuncId, InstKind, Linkage, LocalId, Operand};
use super::super::types::{FloatKind, FunctionType, QualType, Type, TypeId, Types};
use super::build::FnBuilder;
use super::scope::Symbol;
use super::types::{Declared, Specifiers};
use super::{Lower, Res};
use crate::source::prepass::c_name;
use crate::source::{Diagnostic, Place};

/// How a function is defined.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Definition {
    /// For every unit, or `static`.
    Real,
    /// C99 `inline`: for calls in this unit, unless a declaration without `inline` makes it a real one.
    Inline,
    /// GNU `extern inline`: for calls in this unit; a real definition may follow.
    GnuInline,
}

/// The parameter list of a definition.
enum Parameters<'e> {
    Prototype(&'e Node<FunctionDeclarator>),
    Names(&'e [Node<Identifier>]),
}

/// The list that makes the declared name a function.
fn parameters(d: &Node<Declarator>) -> Option<Parameters<'_>> {
    if let DeclaratorKind::Declarator(inner) = &d.node.kind.node
        && let Some(found) = parameters(inner)
    {
        return Some(found);
    }
    d.node.derived.iter().find_map(|derived| match &derived.node {
        DerivedDeclarator::Function(f) => Some(Parameters::Prototype(f)),
        DerivedDeclarator::KRFunction(names) => Some(Parameters::Names(names)),
        DerivedDeclarator::Pointer(_) | DerivedDeclarator::Array(_) | DerivedDeclarator::Block(_) => None,
    })
}

impl<'a> Lower<'a> {
    /// A function definition: declares it, and lowers it now or leaves it until it is referred to.
    pub(super) fn function_definition(&mut self, f: &'a Node<FunctionDefinition>) -> Res<()> {
        let definition = &f.node;
        let specs = self.specifiers(&definition.specifiers, false)?;
        let base = self.apply_type_attrs(specs.ty, &specs.attrs, f.span)?;
        let mut declared = self.declarator(base, &definition.declarator)?;
        self.add_specifier_attrs(&mut declared, &specs.attrs, base.ty);
        let Some(ty) = self.types.as_function(declared.ty.ty).cloned() else {
            return self.error(definition.declarator.span, "a body needs a function");
        };
        if let Some(Parameters::Names(names)) = parameters(&definition.declarator) {
            let params = self.old_style_types(definition, names)?;
            let params = params.iter().map(|p| self.promoted_parameter(p.ty)).collect();
            declared.ty.ty = self.types.intern(Type::Function(FunctionType { params, ..ty }));
        }
        let id = self.declare_function(&declared, &specs)?;
        let place = self.place(declared.span);
        let kind = self.definition_kind(id, &declared, &specs);
        match self.defined.insert(id, kind) {
            // The linkage was that of the inline definition alone.
            Some(Definition::GnuInline) if specs.storage != Some(StorageClassSpecifier::Static) => {
                let weak = declared.attrs.weak;
                self.functions[id].linkage = if weak { Linkage::Weak } else { Linkage::External };
            }
            None | Some(Definition::GnuInline) => {}
            Some(Definition::Real | Definition::Inline) => {
                let message = format!("there is already a definition of {}", declared.name);
                let before = self.functions[id].place;
                return Err(Box::new(Diagnostic::error(message, place).with_label(before, "first defined here")));
            }
        }
        let function = &mut self.functions[id];
        function.place = place;
        match kind {
            Definition::Real => {}
            Definition::Inline | Definition::GnuInline => function.linkage = Linkage::Internal,
        }
        if function.linkage == Linkage::Internal {
            self.waiting.insert(id, definition);
            return Ok(());
        }
        self.waiting.remove(&id);
        self.function_body(id, definition)
    }

    fn definition_kind(&self, id: FuncId, declared: &Declared, specs: &Specifiers) -> Definition {
        if !specs.inline || specs.storage == Some(StorageClassSpecifier::Static) {
            return Definition::Real;
        }
        let is_extern = specs.storage == Some(StorageClassSpecifier::Extern);
        match (declared.attrs.gnu_inline, is_extern) {
            (true, true) => Definition::GnuInline,
            (true, false) | (false, true) => Definition::Real,
            (false, false) if self.plainly_declared.contains(&id) => Definition::Real,
            (false, false) => Definition::Inline,
        }
    }

    /// A declaration at file scope that is not plain `inline` makes an inline definition a real one.
    pub(super) fn note_plain_declaration(&mut self, id: FuncId, specs: &Specifiers) {
        let plain = !specs.inline || specs.storage == Some(StorageClassSpecifier::Extern);
        if !plain || !self.scopes.at_file_scope() || specs.storage == Some(StorageClassSpecifier::Static) {
            return;
        }
        self.plainly_declared.insert(id);
        if self.defined.get(&id) == Some(&Definition::Inline) {
            self.defined.insert(id, Definition::Real);
            self.functions[id].linkage = Linkage::External;
            self.want(id);
        }
    }

    /// The parameters of a K&R definition with the types declared for them.
    fn old_style_types(&mut self, f: &FunctionDefinition, names: &[Node<Identifier>]) -> Res<Vec<QualType>> {
        self.scopes.enter();
        let mut types: Vec<QualType> = vec![Types::INT.into(); names.len()];
        for d in &f.declarations {
            let specs = self.specifiers(&d.node.specifiers, d.node.declarators.is_empty())?;
            let base = self.apply_type_attrs(specs.ty, &specs.attrs, d.span)?;
            for init in &d.node.declarators {
                let declared = self.declarator(base, &init.node.declarator)?;
                let Some(i) = names.iter().position(|n| n.node.name == declared.name) else {
                    return self.error(declared.span, format!("{} is not a parameter", declared.name));
                };
                types[i] = self.adjust_parameter(declared.ty);
            }
        }
        self.scopes.leave();
        Ok(types)
    }

    /// The type that a K&R parameter is passed as.
    fn promoted_parameter(&self, ty: TypeId) -> TypeId {
        match self.types.get(ty) {
            Type::Float(FloatKind::Float | FloatKind::Float16) => Types::DOUBLE,
            _ => self.promoted(ty, None),
        }
    }

    /// Lowers the body of a function.
    pub(super) fn function_body(&mut self, id: FuncId, f: &'a FunctionDefinition) -> Res<()> {
        let function = &self.functions[id];
        let (name, place) = (function.name.clone(), function.place);
        let Some(ty) = self.types.as_function(function.ty).cloned() else { return Ok(()) };
        if ty.result != Types::VOID && self.types.size_of(ty.result).is_none() {
            let message = format!("{name} returns the incomplete type {}", self.types.show(ty.result));
            return Err(Box::new(Diagnostic::error(message, place)));
        }
        self.fun = Some(FnBuilder::new(Some(id), &name, ty.result, place));
        self.scopes.enter();
        match parameters(&f.declarator) {
            Some(Parameters::Prototype(p)) => self.prototype_parameters(p, &ty)?,
            Some(Parameters::Names(names)) => self.old_style_parameters(f, names, &ty)?,
            None => {}
        }
        match &f.statement.node {
            Statement::Compound(items) => self.compound(items, f.statement.span)?,
            _ => self.statement(&f.statement)?,
        }
        let end = self.end_place(f.statement.span);
        let zero = (name == "main" && ty.result == Types::INT).then(|| self.int(0, Types::INT));
        self.end_with_return(zero, end);
        self.finish_gotos();
        self.finish_dispatch();
        self.scopes.leave();
        let Some(fun) = self.fun.take() else { return Ok(()) };
        if let (Some(at), false) = (fun.has_goto, fun.cleanups.is_empty()) {
            self.assume(AssumptionKind::Other, "a computed goto runs no cleanup functions", at);
        }
        if let Some((jump, label)) = fun.jumps_into_expressions().first() {
            let error = Diagnostic::error("this jumps into a statement expression", *jump);
            return Err(Box::new(error.with_label(*label, "to this label")));
        }
        if let [first @ .., last] = fun.missing_labels().as_slice() {
            let missing = |(name, place): &(String, Place)| {
                Diagnostic::error(format!("the label {name} stands nowhere in the function"), *place)
            };
            self.diagnostics.extend(first.iter().map(missing));
            return Err(Box::new(missing(last)));
        }
        self.functions[id].body = Some(fun.body);
        Ok(())
    }

    /// The homes of parameters come first among the locals, their values first in the entry block.
    fn receive(&mut self, names: &[(&str, Place)], types: &[TypeId]) {
        for ((name, place), ty) in names.iter().zip(types) {
            let addr_ty = self.types.pointer_to((*ty).into());
            let align = self.types.align_of(*ty);
            self.f().local(&c_name(name), (*ty).into(), addr_ty, align, *place);
        }
        for (i, ((_, place), ty)) in names.iter().zip(types).enumerate() {
            let f = self.f();
            if let Operand::Value(v) = f.emit(InstKind::Param(i as u32), *ty, *place) {
                f.body.params.push(v);
            }
        }
    }

    /// Puts parameter `i` into its home, whose type is now known, and makes it visible.
    fn settle(&mut self, i: usize, name: &str, ty: QualType, place: Place) -> Res<()> {
        if self.types.size_of(ty.ty).is_none() {
            let shown = self.types.show(ty.ty);
            let message = format!("the parameter {name} has the incomplete type {shown}");
            return Err(Box::new(Diagnostic::error(message, place)));
        }
        let (addr_ty, align) = (self.types.pointer_to(ty.ty.into()), self.types.align_of(ty.ty));
        let local = LocalId(i as u32);
        let f = self.f();
        let home = &mut f.body.locals[local];
        (home.ty, home.addr_ty, home.align) = (ty, addr_ty, align);
        let value = Operand::Value(f.body.params[i]);
        // A K&R parameter is passed promoted; a pointer may point to an array whose length is known only here.
        let value = self.cast(value, ty.ty, place);
        self.store(Operand::Local(local), value, place);
        if !name.is_empty() {
            self.scopes.define(name, Symbol::Local(local));
        }
        Ok(())
    }

    fn prototype_parameters(&mut self, p: &Node<FunctionDeclarator>, ty: &FunctionType) -> Res<()> {
        // Names, before their types are looked at: those may need code that comes behind the values.
        let list = &p.node.parameters[..ty.params.len().min(p.node.parameters.len())];
        let names: Vec<_> = list
            .iter()
            .map(|p| {
                let id = p.node.declarator.as_ref().and_then(declared_name);
                id.map_or(("", self.place(p.span)), |id| (id.node.name.as_str(), self.place(id.span)))
            })
            .collect();
        self.receive(&names, &ty.params);
        for (i, p) in list.iter().enumerate() {
            let (declared, _) = self.parameter(p)?;
            let place = names[i].1;
            self.settle(i, &declared.name, declared.ty, place)?;
        }
        Ok(())
    }

    fn old_style_parameters(
        &mut self,
        f: &FunctionDefinition,
        names: &[Node<Identifier>],
        ty: &FunctionType,
    ) -> Res<()> {
        let types = self.old_style_types(f, names)?;
        let places: Vec<_> = names.iter().map(|n| (n.node.name.as_str(), self.place(n.span))).collect();
        let passed: Vec<TypeId> = types
            .iter()
            .enumerate()
            .map(|(i, own)| match ty.params.get(i) {
                Some(param) => *param,
                None => self.promoted_parameter(own.ty),
            })
            .collect();
        self.receive(&places, &passed);
        for (i, own) in types.iter().enumerate() {
            self.settle(i, places[i].0, *own, places[i].1)?;
        }
        Ok(())
    }
}

/// The name a declarator declares.
fn declared_name(d: &Node<Declarator>) -> Option<&Node<Identifier>> {
    match &d.node.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(id) => Some(id),
        DeclaratorKind::Declarator(inner) => declared_name(inner),
    }
}
