//! Declarations: at file scope and in blocks, of types, objects and functions.
//!
//! Entities with linkage are one per name in a unit (`Lower::linked`), whichever scope declares them; their types are merged as C's
//! composite types are.

use lang_c::ast::{
    Declaration, ExternalDeclaration, InitDeclarator, Initializer as Init, StaticAssert, StorageClassSpecifier,
    TranslationUnit,
};
use lang_c::span::{Node, Span};

use super::super::syntax::{
    AssumptionKind, FuncId, Function, Global, GlobalDef, GlobalId, Initializer, InstKind, Linkage, Operand,
};
use super::super::types::{Length, QualType, RecordKind, Type, TypeId, Types};
use super::attrs::Attrs;
use super::expr::Lv;
use super::init::Initial;
use super::scope::{Entity, Symbol};
use super::types::{Declared, Specifiers};
use super::{Lower, MAX_ERRORS, Res, builtins};
use crate::source::prepass::c_name;
use crate::source::{Diagnostic, Place, Severity};

impl<'a> Lower<'a> {
    /// What `#pragma weak` says: it may stand before or behind the declaration.
    pub(super) fn weaken(&mut self) {
        for (name, target) in &self.side.weak {
            let (linkage, alias) = match self.linked.get(name) {
                Some(Entity::Function(id)) => {
                    let function = &mut self.functions[*id];
                    (&mut function.linkage, function.body.is_none().then_some(&mut function.alias))
                }
                Some(Entity::Global(id)) => (&mut self.globals[*id].linkage, None),
                None => continue,
            };
            if *linkage == Linkage::External {
                *linkage = Linkage::Weak;
            }
            if let (Some(alias), Some(target)) = (alias, target) {
                *alias = Some(target.clone());
            }
        }
    }

    /// Lowers a whole unit; what is wrong goes to the diagnostics.
    pub(super) fn translation_unit(&mut self, ast: &'a TranslationUnit, keep: &[String]) {
        let va_list = self.va_list_type();
        self.scopes.define("__builtin_va_list", Symbol::Typedef(va_list.into(), None));
        for external in &ast.0 {
            let result = match &external.node {
                ExternalDeclaration::Declaration(d) => self.declaration(d),
                ExternalDeclaration::StaticAssert(a) => self.static_assert(a),
                ExternalDeclaration::FunctionDefinition(f) => self.function_definition(f),
            };
            if !self.recover(result) {
                return;
            }
        }
        self.want_alias_targets();
        let mut kept: Vec<FuncId> = self.waiting.keys().copied().collect();
        kept.retain(|id| keep.contains(&self.functions[*id].name));
        kept.sort_unstable();
        for id in kept {
            self.want(id);
        }
        let mut next = 0;
        while let Some(&id) = self.wanted.get(next) {
            next += 1;
            if let Some(definition) = self.waiting.remove(&id) {
                let result = self.function_body(id, definition);
                if !self.recover(result) {
                    return;
                }
            }
        }
        self.finish_globals();
        let is_defined = |id: FuncId| self.functions[id].body.is_some();
        self.constructors.retain(|(_, id)| is_defined(*id));
        self.destructors.retain(|(_, id)| is_defined(*id));
    }

    /// Notes an error and makes ready for the next construct at file scope; false if it is one too many.
    fn recover(&mut self, result: Res<()>) -> bool {
        let Err(error) = result else { return true };
        self.diagnostics.push(*error);
        self.fun = None;
        self.scopes.truncate(1);
        self.diagnostics.iter().filter(|d| d.severity == Severity::Error).count() < MAX_ERRORS
    }

    /// What a name of the linker stands for is referred to by its aliases.
    fn want_alias_targets(&mut self) {
        let functions = self.functions.iter().filter_map(|f| f.alias.clone());
        let globals = self.globals.iter().filter_map(|g| match &g.definition {
            GlobalDef::Alias(name) => Some(name.clone()),
            GlobalDef::Declared | GlobalDef::Tentative | GlobalDef::Defined(_) => None,
        });
        let names: Vec<String> = functions.chain(globals).collect();
        for name in names {
            if let Some(Entity::Function(id)) = self.linked.get(&name) {
                self.want(*id);
            }
        }
    }

    /// Objects defined without initialiser must have a size by the end of the unit.
    fn finish_globals(&mut self) {
        for id in self.globals.ids() {
            let global = &self.globals[id];
            if !matches!(global.definition, GlobalDef::Tentative) || self.types.size_of(global.ty.ty).is_some() {
                continue;
            }
            if let Type::Array { element, length: Length::Unknown } = *self.types.get(global.ty.ty)
                && self.types.size_of(element.ty).is_some()
            {
                // C: an array that nobody completes has one element.
                let ty = self.types.array_of(element, Length::Fixed(1));
                self.set_global_type(id, ty);
                continue;
            }
            let message = format!("the size of {} is not known", global.name);
            self.diagnostics.push(Diagnostic::error(message, global.place));
        }
    }

    pub(super) fn static_assert(&mut self, a: &Node<StaticAssert>) -> Res<()> {
        if self.constant_int(&a.node.expression)?.0 != 0 {
            return Ok(());
        }
        let message: Vec<&str> = a.node.message.node.iter().map(|p| p.trim_matches('"')).collect();
        self.error(a.span, format!("static assertion failed: {}", message.concat()))
    }

    /// A declaration, at file scope or in a block.
    pub(super) fn declaration(&mut self, d: &Node<Declaration>) -> Res<()> {
        let specs = self.specifiers(&d.node.specifiers, d.node.declarators.is_empty())?;
        let base = self.apply_type_attrs(specs.ty, &specs.attrs, d.span)?;
        d.node.declarators.iter().try_for_each(|init| self.init_declarator(&specs, base, init))
    }

    fn init_declarator(&mut self, specs: &Specifiers, base: QualType, d: &Node<InitDeclarator>) -> Res<()> {
        let init = d.node.initializer.as_ref();
        let base = if specs.auto { self.type_from(base, init, d.span)? } else { base };
        let mut declared = self.declarator(base, &d.node.declarator)?;
        self.add_specifier_attrs(&mut declared, &specs.attrs, base.ty);
        let is_function = self.types.as_function(declared.ty.ty).is_some();
        match specs.storage {
            Some(StorageClassSpecifier::Typedef) => self.typedef(&declared),
            _ if is_function => {
                if let Some(init) = init {
                    return self.error(init.span, "a function has no initialiser");
                }
                let id = self.declare_function(&declared, specs)?;
                self.note_plain_declaration(id, specs);
                Ok(())
            }
            Some(StorageClassSpecifier::Extern) => self.linked_variable(&declared, specs, init),
            _ if self.scopes.at_file_scope() => self.linked_variable(&declared, specs, init),
            Some(StorageClassSpecifier::Static) => self.static_local(&declared, specs, init),
            // `_Thread_local` in a block without `static` is not C; the object can only be static.
            _ if specs.thread_local => self.static_local(&declared, specs, init),
            Some(
                StorageClassSpecifier::Auto | StorageClassSpecifier::Register | StorageClassSpecifier::ThreadLocal,
            )
            | None => self.local_variable(&declared, init),
        }
    }

    /// `__auto_type`: the type of the initialiser's value.
    fn type_from(&mut self, base: QualType, init: Option<&Node<Init>>, span: Span) -> Res<QualType> {
        let Some(Init::Expression(e)) = init.map(|i| &i.node) else {
            return self.error(span, "__auto_type needs a value");
        };
        let ty = self.probe(|l| Ok(l.rvalue(e)?.ty))?;
        if ty == Types::VOID {
            return self.error(e.span, "this has no value");
        }
        Ok(QualType { ty, quals: base.quals })
    }

    fn typedef(&mut self, declared: &Declared) -> Res<()> {
        let ty = declared.ty;
        if let Some(Symbol::Typedef(old, _)) = self.scopes.lookup_here(&declared.name)
            && !self.compatible(old.ty, ty.ty)
        {
            let (old, new) = (self.types.show(old.ty), self.types.show(ty.ty));
            return self.error(declared.span, format!("{} is {old} already, not {new}", declared.name));
        }
        let name = &*c_name(&declared.name);
        match *self.types.get(ty.ty) {
            Type::Record(id) => {
                let record = &mut self.types.records[id];
                if record.name.is_empty() {
                    record.name = name.to_string();
                }
                record.transparent |= declared.attrs.transparent_union && record.kind == RecordKind::Union;
            }
            Type::Enum(id) if self.types.enums[id].name.is_empty() => self.types.enums[id].name = name.to_string(),
            _ => {}
        }
        let align = declared.attrs.aligned.or(declared.attrs.type_align);
        self.scopes.define(&declared.name, Symbol::Typedef(ty, align));
        Ok(())
    }

    /// Declares a function: one entity per name, its type merged with what is known.
    pub(super) fn declare_function(&mut self, declared: &Declared, specs: &Specifiers) -> Res<FuncId> {
        let place = self.place(declared.span);
        let name = declared.name.as_str();
        let attrs = &declared.attrs;
        let internal = specs.storage == Some(StorageClassSpecifier::Static) && self.scopes.at_file_scope();
        let id = match self.linked.get(name).copied() {
            Some(Entity::Function(id)) => {
                let (old, new) = (self.functions[id].ty, declared.ty.ty);
                let ty = if self.compatible(old, new) {
                    self.composite(old, new)
                } else if self.declared.contains(&id) {
                    return conflict(name, place, self.functions[id].place, "conflicting types for");
                } else {
                    // Only its use declared it before.
                    let message = format!("the declaration of {name} does not fit its use before");
                    self.warn(place, message);
                    new
                };
                let addr_ty = self.types.pointer_to(ty.into());
                let function = &mut self.functions[id];
                function.ty = ty;
                function.addr_ty = addr_ty;
                id
            }
            Some(Entity::Global(g)) => {
                return conflict(name, place, self.globals[g].place, "a variable is already called");
            }
            None => {
                let id = self.functions.push(Function {
                    name: c_name(name).into_owned(),
                    link_name: None,
                    ty: declared.ty.ty,
                    addr_ty: self.types.pointer_to(declared.ty.ty.into()),
                    linkage: Linkage::External,
                    noreturn: false,
                    returns_twice: false,
                    interrupt: false,
                    alias: None,
                    place,
                    body: None,
                });
                self.linked.insert(name.to_string(), Entity::Function(id));
                id
            }
        };
        self.declared.insert(id);
        let function = &mut self.functions[id];
        if internal {
            function.linkage = Linkage::Internal;
        } else if attrs.weak && function.linkage == Linkage::External {
            function.linkage = Linkage::Weak;
        }
        let known = function.linkage != Linkage::Internal;
        function.noreturn |= attrs.noreturn || (known && builtins::never_returns(name));
        function.returns_twice |= attrs.returns_twice || (known && builtins::returns_twice(name));
        function.interrupt |= attrs.interrupt;
        if attrs.asm_label.as_ref().is_some_and(|l| l != name) {
            function.link_name.clone_from(&attrs.asm_label);
        }
        if attrs.alias.is_some() {
            function.alias.clone_from(&attrs.alias);
        }
        if let Some(priority) = attrs.constructor
            && !self.constructors.iter().any(|(_, f)| *f == id)
        {
            self.constructors.push((priority, id));
        }
        if let Some(priority) = attrs.destructor
            && !self.destructors.iter().any(|(_, f)| *f == id)
        {
            self.destructors.push((priority, id));
        }
        if attrs.used || attrs.constructor.is_some() || attrs.destructor.is_some() || attrs.interrupt {
            self.want(id);
        }
        self.scopes.define(&declared.name, Symbol::Function(id));
        Ok(id)
    }

    /// The type that two compatible types make together.
    fn composite(&mut self, a: TypeId, b: TypeId) -> TypeId {
        if a == b {
            return a;
        }
        match (self.types.get(a).clone(), self.types.get(b).clone()) {
            (Type::Pointer(x), Type::Pointer(y)) => {
                let ty = self.composite(x.ty, y.ty);
                self.types.pointer_to(QualType { ty, quals: x.quals })
            }
            (Type::Array { element: x, length }, Type::Array { element: y, length: other }) => {
                let ty = self.composite(x.ty, y.ty);
                let length = if let Length::Fixed(_) = length { length } else { other };
                self.types.array_of(QualType { ty, quals: x.quals }, length)
            }
            (Type::Function(f), Type::Function(g)) => {
                let result = self.composite(f.result, g.result);
                // The one with a prototype, or with the parameters of a K&R definition.
                let first = (f.prototype, f.params.len()) >= (g.prototype, g.params.len());
                let (mut whole, other) = if first { (f, g) } else { (g, f) };
                whole.result = result;
                if whole.prototype && other.prototype {
                    for (param, also) in whole.params.iter_mut().zip(other.params) {
                        *param = self.composite(*param, also);
                    }
                }
                self.types.intern(Type::Function(whole))
            }
            _ => a,
        }
    }

    fn set_global_type(&mut self, id: GlobalId, ty: TypeId) {
        let addr_ty = self.types.pointer_to(ty.into());
        let align = self.types.align_of(ty);
        let global = &mut self.globals[id];
        global.ty.ty = ty;
        global.addr_ty = addr_ty;
        global.align = global.align.max(align);
    }

    /// A variable at file scope, or declared `extern` in a block.
    fn linked_variable(&mut self, declared: &Declared, specs: &Specifiers, init: Option<&Node<Init>>) -> Res<()> {
        let id = self.declare_global(declared, specs)?;
        let Some(init) = init else { return Ok(()) };
        let name = &self.globals[id].name;
        match self.globals[id].definition {
            GlobalDef::Defined(_) => {
                let place = self.place(declared.span);
                return conflict(name, place, self.globals[id].place, "there is already a definition of");
            }
            GlobalDef::Declared | GlobalDef::Tentative | GlobalDef::Alias(_) => {}
        }
        let ty = self.globals[id].ty;
        let (ty, content) = self.static_initializer(ty, init.into())?;
        self.set_global_type(id, ty.ty);
        let place = self.place(declared.span);
        let global = &mut self.globals[id];
        global.definition = GlobalDef::Defined(content);
        global.place = place;
        Ok(())
    }

    fn declare_global(&mut self, declared: &Declared, specs: &Specifiers) -> Res<GlobalId> {
        let place = self.place(declared.span);
        let name = declared.name.as_str();
        let attrs = &declared.attrs;
        if self.is_variable(declared.ty.ty) {
            return self.error(declared.span, "an object with linkage cannot have a variable length");
        }
        let internal = specs.storage == Some(StorageClassSpecifier::Static);
        let register = specs.storage == Some(StorageClassSpecifier::Register);
        let defines = specs.storage != Some(StorageClassSpecifier::Extern);
        let id = match self.linked.get(name).copied() {
            Some(Entity::Global(id)) => {
                let (old, new) = (self.globals[id].ty.ty, declared.ty.ty);
                if !self.compatible(old, new) && !self.same_tag(old, new) {
                    return conflict(name, place, self.globals[id].place, "conflicting types for");
                }
                let ty = self.composite(old, new);
                self.set_global_type(id, ty);
                id
            }
            Some(Entity::Function(f)) => {
                return conflict(name, place, self.functions[f].place, "a function is already called");
            }
            None => {
                let id = self.globals.push(Global {
                    name: c_name(name).into_owned(),
                    link_name: None,
                    ty: declared.ty,
                    addr_ty: self.types.pointer_to(declared.ty.ty.into()),
                    align: attrs.align_over(self.types.align_of(declared.ty.ty)),
                    linkage: if internal || register { Linkage::Internal } else { Linkage::External },
                    definition: GlobalDef::Declared,
                    thread_local: specs.thread_local || register,
                    owner: None,
                    place,
                });
                self.linked.insert(name.to_string(), Entity::Global(id));
                if register {
                    let text = format!("the register variable {name} is treated as a variable of each thread");
                    self.assume(AssumptionKind::Other, text, place);
                }
                id
            }
        };
        let global = &mut self.globals[id];
        if internal {
            global.linkage = Linkage::Internal;
        } else if attrs.weak && global.linkage == Linkage::External {
            global.linkage = Linkage::Weak;
        }
        global.align = global.align.max(attrs.aligned.unwrap_or(1));
        global.thread_local |= specs.thread_local;
        if attrs.asm_label.as_ref().is_some_and(|l| l != name && !register) {
            global.link_name.clone_from(&attrs.asm_label);
        }
        if let (Some(alias), GlobalDef::Declared) = (&attrs.alias, &global.definition) {
            global.definition = GlobalDef::Alias(alias.clone());
        }
        if defines && matches!(global.definition, GlobalDef::Declared) {
            global.definition = GlobalDef::Tentative;
            global.place = place;
        }
        self.scopes.define(&declared.name, Symbol::Global(id));
        Ok(id)
    }

    fn static_local(&mut self, declared: &Declared, specs: &Specifiers, init: Option<&Node<Init>>) -> Res<()> {
        let place = self.place(declared.span);
        if self.is_variable(declared.ty.ty) {
            return self.error(declared.span, "a static object cannot have a variable length");
        }
        let name = format!("{}.{}", self.f().name, c_name(&declared.name));
        let id = self.internal_global(name, declared.ty, Initializer::default(), place);
        let global = &mut self.globals[id];
        global.align = declared.attrs.align_over(global.align);
        global.thread_local = specs.thread_local;
        // Its own initialiser may name it, but has not given it a value yet.
        global.definition = GlobalDef::Tentative;
        self.scopes.define(&declared.name, Symbol::Global(id));
        let (ty, content) = match init {
            Some(init) => self.static_initializer(declared.ty, init.into())?,
            None => (declared.ty, Initializer::default()),
        };
        if self.types.size_of(ty.ty).is_none() {
            return self.error(declared.span, format!("the size of {} is not known", declared.name));
        }
        self.set_global_type(id, ty.ty);
        self.globals[id].definition = GlobalDef::Defined(content);
        Ok(())
    }

    /// An automatic variable.
    fn local_variable(&mut self, declared: &Declared, init: Option<&Node<Init>>) -> Res<()> {
        let place = self.place(declared.span);
        let init = init.map(Initial::from);
        let attrs = &declared.attrs;
        let name = &*c_name(&declared.name);
        if self.is_variable(declared.ty.ty) {
            let addr = self.variable_array(declared, name, place)?;
            return match init {
                None => self.add_cleanup(attrs, addr, declared.span),
                Some(_) => self.error(declared.span, "an array of variable length has no initialiser"),
            };
        }
        let ty = match init {
            Some(init) => self.complete_array(declared.ty, init)?,
            None => declared.ty,
        };
        if self.types.size_of(ty.ty).is_none() {
            let shown = self.types.show(ty.ty);
            return self.error(declared.span, format!("{name} has the incomplete type {shown}"));
        }
        let addr_ty = self.types.pointer_to(ty.ty.into());
        let align = attrs.align_over(self.types.align_of(ty.ty));
        let local = self.f().local(name, ty, addr_ty, align, place);
        self.scopes.define(&declared.name, Symbol::Local(local));
        let addr = Operand::Local(local);
        if let Some(init) = init {
            self.initialize(Lv { addr, ty, bits: None }, init)?;
        }
        self.add_cleanup(attrs, addr, declared.span)
    }

    /// A variable-length array: its storage is allocated here, a pointer local names it.
    fn variable_array(&mut self, declared: &Declared, name: &str, place: Place) -> Res<Operand> {
        let size = self.runtime_size(declared.ty.ty, declared.span)?;
        let align = declared.attrs.align_over(self.types.align_of(declared.ty.ty));
        let pointer = self.types.pointer_to(declared.ty);
        let storage = self.f().emit(InstKind::Alloca { size, align }, pointer, place);
        let addr_ty = self.types.pointer_to(pointer.into());
        let pointer_align = self.types.align_of(pointer);
        let holder = self.f().local(name, pointer.into(), addr_ty, pointer_align, place);
        self.store(Operand::Local(holder), storage, place);
        self.scopes.define(&declared.name, Symbol::Indirect(holder, declared.ty));
        Ok(storage)
    }

    fn add_cleanup(&mut self, attrs: &Attrs, addr: Operand, span: Span) -> Res<()> {
        let Some(name) = &attrs.cleanup else { return Ok(()) };
        let Some(Symbol::Function(function)) = self.scopes.lookup(name) else {
            return self.error(span, format!("the cleanup function {name} is not declared"));
        };
        self.want(function);
        self.f().add_cleanup(function, addr);
        Ok(())
    }
}

/// An error about a name that was declared otherwise before.
fn conflict<T>(name: &str, place: Place, before: Place, what: &str) -> Res<T> {
    let message = format!("{what} {name}");
    Err(Box::new(Diagnostic::error(message, place).with_label(before, "declared here before")))
}
