//! From lang-c's syntax tree to the IR, one translation unit at a time.
//!
//! Every expression is lowered once, by `expr`, with constants folded as they are built. Constant expressions, `sizeof`, `typeof` and
//! `_Generic` lower into a scratch body that is thrown away (`Lower::probe`), so that C's typing rules stand in one place only.
//! A C variable is a [`Local`](super::Local) in memory; `super::ssa` promotes it.
//!
//! Invariant: a construct is lowered faithfully, or it is a [`StandIn`](super::InstKind::StandIn) with an entry in the
//! assumptions, or an error at its place; none is skipped.

mod asm;
mod attrs;
mod build;
mod builtins;
mod call;
mod conditional;
mod constant;
mod convert;
mod decl;
mod define;
mod expr;
mod flatten;
mod image;
mod init;
mod literal;
mod operators;
mod records;
mod scope;
mod stmt;
mod types;

#[cfg(test)]
mod tests;

use lang_c::ast;
use lang_c::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use super::syntax::{
    Assumption, AssumptionKind, BlockId, FuncId, Function, Global, GlobalDef, GlobalId, Initializer, Program,
};
use super::types::{QualType, RecordId, TypeId, Types};
use crate::base::IdVec;
use crate::source::{Diagnostic, Place, SideTable, UnitId};
use build::FnBuilder;
use scope::Scopes;

/// An error that ends the lowering of the construct at hand.
type Res<T> = Result<T, Box<Diagnostic>>;

/// After so many errors in a unit the rest is not looked at.
const MAX_ERRORS: usize = 20;

/// What is known of a unit while it is lowered.
struct Lower<'a> {
    unit: UnitId,
    text: &'a str,
    side: &'a SideTable,
    types: Types,
    globals: IdVec<GlobalId, Global>,
    functions: IdVec<FuncId, Function>,
    /// Entities with linkage, by C name.
    linked: FxHashMap<String, scope::Entity>,
    scopes: Scopes,
    /// The function being lowered.
    fun: Option<FnBuilder>,
    diagnostics: Vec<Diagnostic>,
    assumptions: Vec<Assumption>,
    /// With their priorities, in source order.
    constructors: Vec<(u64, FuncId)>,
    /// With their priorities, in source order.
    destructors: Vec<(u64, FuncId)>,
    /// String literals, and the bytes that automatic arrays are initialised with, by content and type.
    strings: FxHashMap<(Vec<u8>, TypeId), GlobalId>,
    /// Objects of zeros, by type.
    zeros: FxHashMap<TypeId, GlobalId>,
    /// `struct __va_list_tag`, made on first use.
    va_list: Option<TypeId>,
    /// Functions that are lowered only if something refers to them: static ones, inline definitions.
    waiting: FxHashMap<FuncId, &'a ast::FunctionDefinition>,
    /// How each defined function was defined.
    defined: FxHashMap<FuncId, define::Definition>,
    /// Functions that the source declares; the others are declared by their use.
    declared: FxHashSet<FuncId>,
    /// Functions declared at file scope without `inline`, or with `extern`.
    plainly_declared: FxHashSet<FuncId>,
    /// Functions that were referred to, each once, in order.
    wanted: Vec<FuncId>,
    /// The same as a set.
    is_wanted: FxHashSet<FuncId>,
    /// Depth of probes: while above zero nothing is reported.
    probing: u32,
    /// Whether it was said which operand comes first.
    order_is_told: bool,
    /// Depth of static initialisers: while above zero constant objects are read now and compound literals are static.
    static_context: u32,
    /// Structs, unions and enums by the place in the tree that defines them: a definition met again (a probe, then the real
    /// lowering) is the same type.
    definitions: FxHashMap<usize, TypeId>,
    /// Expressions that turned out not to be constant, and types of expressions, by address in the tree: what a probe found is not
    /// looked for again, which keeps nested probes from doubling the work at each level.
    not_constant: FxHashSet<usize>,
    probed_types: FxHashMap<usize, QualType>,
}

/// The address of a node of the tree, as its identity: the tree is neither moved nor changed while it is lowered.
fn identity<T>(node: &T) -> usize {
    std::ptr::from_ref(node) as usize
}

/// One lowered unit: a program of its own, before linking and SSA, with its warnings; or what is wrong with it. A static function is
/// lowered if something refers to it, or if it is among those to `keep`.
pub fn lower_unit(
    unit: UnitId,
    text: &str,
    side: &SideTable,
    model: &crate::source::DataModel,
    ast: &ast::TranslationUnit,
    keep: &[String],
) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut lower = Lower {
        unit,
        text,
        side,
        types: Types::new(model.clone()),
        globals: IdVec::new(),
        functions: IdVec::new(),
        linked: FxHashMap::default(),
        scopes: Scopes::new(),
        fun: None,
        diagnostics: Vec::new(),
        assumptions: Vec::new(),
        constructors: Vec::new(),
        destructors: Vec::new(),
        strings: FxHashMap::default(),
        zeros: FxHashMap::default(),
        va_list: None,
        waiting: FxHashMap::default(),
        defined: FxHashMap::default(),
        declared: FxHashSet::default(),
        plainly_declared: FxHashSet::default(),
        wanted: Vec::new(),
        is_wanted: FxHashSet::default(),
        probing: 0,
        order_is_told: false,
        static_context: 0,
        definitions: FxHashMap::default(),
        not_constant: FxHashSet::default(),
        probed_types: FxHashMap::default(),
    };
    for (offset, template) in &side.top_asm {
        let place = Place { unit, start: *offset, end: *offset + 3 };
        lower.assume(AssumptionKind::InlineAsm, format!("assembly at file scope is not analysed: {template}"), place);
    }
    lower.translation_unit(ast, keep);
    lower.weaken();
    let (errors, warnings): (Vec<_>, Vec<_>) =
        lower.diagnostics.into_iter().partition(|d| d.severity == crate::source::Severity::Error);
    if !errors.is_empty() {
        return Err(errors);
    }
    // Lower priorities run first, and are taken down last; the sort keeps source order among equals.
    lower.constructors.sort_by_key(|(priority, _)| *priority);
    lower.destructors.reverse();
    lower.destructors.sort_by_key(|(priority, _)| std::cmp::Reverse(*priority));
    let program = Program {
        types: lower.types,
        globals: lower.globals,
        functions: lower.functions,
        constructors: lower.constructors.into_iter().map(|(_, f)| f).collect(),
        destructors: lower.destructors.into_iter().map(|(_, f)| f).collect(),
        assumptions: lower.assumptions,
    };
    Ok((program, warnings))
}

impl Lower<'_> {
    /// The place of a span, without the white space that lang-c leaves at its ends.
    fn place(&self, span: Span) -> Place {
        let bytes = self.text.as_bytes();
        let (mut start, mut end) = (span.start.min(bytes.len()), span.end.min(bytes.len()));
        while start < end && bytes[start].is_ascii_whitespace() {
            start += 1;
        }
        while end > start && bytes[end - 1].is_ascii_whitespace() {
            end -= 1;
        }
        Place { unit: self.unit, start: start as u32, end: end as u32 }
    }

    fn error<T>(&self, span: Span, message: impl Into<String>) -> Res<T> {
        Err(Box::new(Diagnostic::error(message, self.place(span))))
    }

    fn warn(&mut self, place: Place, message: impl Into<String>) {
        if self.probing == 0 {
            self.diagnostics.push(Diagnostic::warning(message, place));
        }
    }

    fn assume(&mut self, kind: AssumptionKind, text: impl Into<String>, place: Place) {
        if self.probing == 0 {
            self.assumptions.push(Assumption { kind, text: text.into(), place: Some(place) });
        }
    }

    /// The function being lowered; constant expressions at file scope have a scratch one.
    fn f(&mut self) -> &mut FnBuilder {
        self.fun.as_mut().expect("an expression is lowered inside a function or a probe")
    }

    /// Lowers something into a scratch body and throws the code away; the answer must not name its values. Objects with static
    /// storage that it makes (literals) stay; nothing refers to them.
    fn probe<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        self.scratch(f, false)
    }

    /// A probe in whose answer labels of the function may appear.
    fn probe_with_labels<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>) -> Res<T> {
        self.scratch(f, true)
    }

    fn scratch<T>(&mut self, f: impl FnOnce(&mut Self) -> Res<T>, with_labels: bool) -> Res<T> {
        self.probing += 1;
        let depth = self.scopes.depth();
        let saved = self.fun.as_mut().map(FnBuilder::enter_probe);
        self.fun.get_or_insert_with(FnBuilder::scratch);
        let result = f(self);
        match (saved, &mut self.fun) {
            (Some(saved), Some(fun)) if with_labels => fun.leave_probe_with_labels(&saved),
            (Some(saved), Some(fun)) => fun.leave_probe(&saved),
            _ => self.fun = None,
        }
        // An error may have left scopes open.
        self.scopes.truncate(depth);
        self.probing -= 1;
        result
    }

    /// The type of an expression that is not evaluated, unless it is variably modified: then C evaluates it.
    fn type_of(&mut self, e: &lang_c::span::Node<ast::Expression>) -> Res<QualType> {
        if let Some(ty) = self.probed_types.get(&identity(e)) {
            return Ok(*ty);
        }
        let locals = self.fun.as_ref().map_or(0, |f| f.body.locals.len());
        let ty = self.probe(|l| l.expr_type(e))?;
        if self.names_local_from(ty.ty, locals) {
            return match &self.fun {
                Some(_) => self.expr_type(e),
                None => self.error(e.span, "a variable length is not possible here"),
            };
        }
        if !self.names_local_from(ty.ty, 0) {
            self.probed_types.insert(identity(e), ty);
        }
        Ok(ty)
    }

    /// Notes that a function is referred to.
    fn want(&mut self, id: FuncId) {
        if self.is_wanted.insert(id) {
            self.wanted.push(id);
        }
    }
}
