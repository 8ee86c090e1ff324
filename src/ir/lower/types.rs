//! Types as C writes them: specifiers, declarators, type names.

use lang_c::ast::{
    AlignmentSpecifier, ArrayDeclarator, ArraySize, DeclarationSpecifier, Declarator, DeclaratorKind,
    DerivedDeclarator, Ellipsis, Expression, Extension, FunctionDeclarator, FunctionSpecifier, ParameterDeclaration,
    PointerQualifier, SpecifierQualifier, StorageClassSpecifier, TS18661FloatFormat, TS18661FloatType, TypeName,
    TypeOf, TypeQualifier, TypeSpecifier,
};
use lang_c::span::{Node, Span};

use super::super::syntax::{BinOp, Operand};
use super::super::types::{FloatKind, FunctionType, IntKind, Length, QualType, Quals, RecordKind, Type, TypeId, Types};
use super::attrs::{self, Attrs};
use super::scope::Symbol;
use super::{Lower, Res};

/// Longer vectors, in bytes, are refused.
const MAX_VECTOR: u64 = 1 << 16;

/// What declaration specifiers say.
#[derive(Clone, Debug)]
pub(super) struct Specifiers {
    pub ty: QualType,
    pub storage: Option<StorageClassSpecifier>,
    pub thread_local: bool,
    pub inline: bool,
    pub attrs: Attrs,
    /// `__auto_type`: the initialiser decides.
    pub auto: bool,
}

/// What a declarator says.
pub(super) struct Declared {
    pub name: String,
    pub ty: QualType,
    pub attrs: Attrs,
    pub span: Span,
}

/// Basic type words, counted.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a word that is there or not")]
struct Words {
    void: bool,
    bool_: bool,
    char_: bool,
    short: bool,
    int: bool,
    long: u8,
    float: bool,
    double: bool,
    signed: bool,
    unsigned: bool,
    complex: bool,
    ts_float: Option<TS18661FloatType>,
    named: Option<(QualType, Option<u64>)>,
}

impl Lower<'_> {
    /// Specifiers of a declaration or parameter. `alone`: no declarator follows, so that `struct S;` declares the tag anew.
    pub(super) fn specifiers(&mut self, specs: &[Node<DeclarationSpecifier>], alone: bool) -> Res<Specifiers> {
        let mut out = Specifiers {
            ty: Types::INT.into(),
            storage: None,
            thread_local: false,
            inline: false,
            attrs: Attrs::default(),
            auto: false,
        };
        let mut words = Words::default();
        let mut quals = Quals::NONE;
        let mut defines = false;
        for (i, spec) in specs.iter().enumerate() {
            match &spec.node {
                DeclarationSpecifier::StorageClass(s) => match s.node {
                    StorageClassSpecifier::ThreadLocal => out.thread_local = true,
                    StorageClassSpecifier::Typedef
                    | StorageClassSpecifier::Extern
                    | StorageClassSpecifier::Static
                    | StorageClassSpecifier::Auto
                    | StorageClassSpecifier::Register => out.storage = Some(s.node.clone()),
                },
                DeclarationSpecifier::TypeSpecifier(t) => {
                    if is_auto(&t.node) {
                        out.auto = true;
                    } else {
                        defines |= defines_type(&t.node);
                        self.type_word(&mut words, t, attrs::of_specifiers(&specs[i + 1..]), alone)?;
                    }
                }
                DeclarationSpecifier::TypeQualifier(q) => quals = quals.with(qualifier(&q.node)),
                DeclarationSpecifier::Function(f) => match f.node {
                    FunctionSpecifier::Inline => out.inline = true,
                    FunctionSpecifier::Noreturn => out.attrs.noreturn = true,
                },
                DeclarationSpecifier::Alignment(a) => {
                    let n = match &a.node {
                        AlignmentSpecifier::Type(t) => {
                            let ty = self.type_name(t)?;
                            self.types.align_of(ty.ty)
                        }
                        AlignmentSpecifier::Constant(e) => self.constant_u64(e)?,
                    };
                    // `_Alignas(0)` says nothing.
                    if n != 0 {
                        self.check_align(n, a.span)?;
                        out.attrs.aligned = out.attrs.aligned.max(Some(n));
                    }
                }
                DeclarationSpecifier::Extension(e) => {
                    let attrs = self.attrs(e)?;
                    out.attrs.merge(attrs.behind(defines));
                }
            }
        }
        if out.auto {
            out.ty.quals = quals;
        } else {
            let span = specs.first().map_or(Span::none(), |s| s.span);
            let (ty, align) = self.finish_words(&words, span)?;
            out.ty = QualType { ty: ty.ty, quals: ty.quals.with(quals) };
            out.attrs.type_align = align;
        }
        Ok(out)
    }

    /// Specifiers of a member or type name.
    pub(super) fn qualifiers(&mut self, specs: &[Node<SpecifierQualifier>]) -> Res<(QualType, Attrs)> {
        let mut words = Words::default();
        let mut quals = Quals::NONE;
        let mut out = Attrs::default();
        let mut defines = false;
        for (i, spec) in specs.iter().enumerate() {
            match &spec.node {
                SpecifierQualifier::TypeSpecifier(t) => {
                    defines |= defines_type(&t.node);
                    self.type_word(&mut words, t, attrs::of_qualifiers(&specs[i + 1..]), false)?;
                }
                SpecifierQualifier::TypeQualifier(q) => quals = quals.with(qualifier(&q.node)),
                SpecifierQualifier::Extension(e) => {
                    let attrs = self.attrs(e)?;
                    out.merge(attrs.behind(defines));
                }
            }
        }
        let span = specs.first().map_or(Span::none(), |s| s.span);
        let (ty, align) = self.finish_words(&words, span)?;
        out.type_align = align;
        Ok((QualType { ty: ty.ty, quals: ty.quals.with(quals) }, out))
    }

    /// One type specifier; `after` are the attributes that follow it, which belong to a type defined there.
    fn type_word<'e>(
        &mut self,
        words: &mut Words,
        t: &Node<TypeSpecifier>,
        after: impl Iterator<Item = &'e Node<Extension>>,
        alone: bool,
    ) -> Res<()> {
        match &t.node {
            TypeSpecifier::Void => words.void = true,
            TypeSpecifier::Char => words.char_ = true,
            TypeSpecifier::Short => words.short = true,
            TypeSpecifier::Int => words.int = true,
            TypeSpecifier::Long => words.long = words.long.saturating_add(1),
            TypeSpecifier::Float => words.float = true,
            TypeSpecifier::Double => words.double = true,
            TypeSpecifier::Signed => words.signed = true,
            TypeSpecifier::Unsigned => words.unsigned = true,
            TypeSpecifier::Bool => words.bool_ = true,
            TypeSpecifier::Complex => words.complex = true,
            TypeSpecifier::Atomic(t) => {
                let ty = self.type_name(t)?;
                words.named = Some((QualType { ty: ty.ty, quals: ty.quals.with(Quals::ATOMIC) }, None));
            }
            TypeSpecifier::Struct(s) => {
                let attrs = if s.node.declarations.is_some() { self.attrs(after)? } else { Attrs::default() };
                let ty = self.record(s, &attrs, alone)?;
                words.named = Some((ty.into(), None));
            }
            TypeSpecifier::Enum(e) => {
                let said = self.attrs(after)?;
                let attrs = if e.node.enumerators.is_empty() {
                    Attrs { underlying: said.underlying, ..Attrs::default() }
                } else {
                    said
                };
                let ty = self.enumeration(e, &attrs)?;
                words.named = Some((ty.into(), None));
            }
            TypeSpecifier::TypedefName(id) => match self.scopes.lookup(&id.node.name) {
                Some(Symbol::Typedef(ty, align)) => words.named = Some((ty, align)),
                _ => return self.error(id.span, format!("{} is not a type here", id.node.name)),
            },
            TypeSpecifier::TypeOf(t) => {
                let ty = match &t.node {
                    TypeOf::Expression(e) => self.type_of(e)?,
                    TypeOf::Type(t) => self.type_name(t)?,
                };
                words.named = Some((ty, None));
            }
            TypeSpecifier::TS18661Float(f) => words.ts_float = Some(f.clone()),
        }
        Ok(())
    }

    fn finish_words(&mut self, w: &Words, span: Span) -> Res<(QualType, Option<u64>)> {
        if let Some((ty, align)) = w.named {
            return Ok((ty, align));
        }
        let ty = if let Some(f) = &w.ts_float {
            match (&f.format, f.width) {
                (TS18661FloatFormat::BinaryInterchange, 16) => Types::float(FloatKind::Float16),
                (TS18661FloatFormat::BinaryInterchange, 32) => Types::float(FloatKind::Float),
                (TS18661FloatFormat::BinaryInterchange, 64) | (TS18661FloatFormat::BinaryExtended, 32) => Types::DOUBLE,
                (TS18661FloatFormat::BinaryInterchange, 128) => Types::float(FloatKind::Float128),
                (TS18661FloatFormat::BinaryExtended, 64) => Types::float(FloatKind::LongDouble),
                _ => return self.error(span, "this floating type is not supported"),
            }
        } else if w.void {
            Types::VOID
        } else if w.bool_ {
            Types::BOOL
        } else if w.float {
            Types::float(FloatKind::Float)
        } else if w.double {
            Types::float(if w.long > 0 { FloatKind::LongDouble } else { FloatKind::Double })
        } else {
            let kind = match (w.char_, w.short, w.long) {
                (true, _, _) if w.signed => return Ok((Types::int(IntKind::SChar).into(), None)),
                (true, _, _) if !w.unsigned => return Ok((Types::CHAR.into(), None)),
                (true, _, _) => IntKind::UChar,
                (_, true, _) => IntKind::Short,
                (_, _, 0) => IntKind::Int,
                (_, _, 1) => IntKind::Long,
                (_, _, 2) => IntKind::LongLong,
                // The pre-pass writes `__int128` as three `long`s.
                (_, _, 3) => IntKind::Int128,
                _ => return self.error(span, "too many `long`s"),
            };
            if w.complex && !w.int && !w.signed && !w.unsigned && w.long == 0 && !w.short && !w.char_ {
                let ty = self.types.intern(Type::Complex(FloatKind::Double));
                return Ok((ty.into(), None));
            }
            Types::int(if w.unsigned { kind.to_unsigned() } else { kind })
        };
        if w.complex {
            let Type::Float(kind) = *self.types.get(ty) else {
                return self.error(span, "complex integers are not supported");
            };
            return Ok((self.types.intern(Type::Complex(kind)).into(), None));
        }
        Ok((ty.into(), None))
    }

    /// A type name, as in a cast.
    pub(super) fn type_name(&mut self, t: &Node<TypeName>) -> Res<QualType> {
        let (base, attrs) = self.qualifiers(&t.node.specifiers)?;
        let base = self.apply_type_attrs(base, &attrs, t.span)?;
        match &t.node.declarator {
            Some(d) => Ok(self.declarator(base, d)?.ty),
            None => Ok(base),
        }
    }

    /// Attributes that make another type: `vector_size`, `mode`.
    pub(super) fn apply_type_attrs(&mut self, ty: QualType, attrs: &Attrs, span: Span) -> Res<QualType> {
        let mut ty = ty;
        if let Some(mode) = &attrs.mode {
            let model = &self.types.model;
            let unsigned = self.types.int_shape(ty.ty).is_some_and(|(_, signed)| !signed);
            let by_size = |size: u64| {
                [IntKind::SChar, IntKind::Short, IntKind::Int, IntKind::Long, IntKind::LongLong, IntKind::Int128]
                    .into_iter()
                    .find(|k| model.int_size(*k) == size)
            };
            let kind = match mode.as_str() {
                "QI" | "byte" => by_size(1),
                "HI" => by_size(2),
                "SI" => by_size(4),
                "DI" => by_size(8),
                "TI" => by_size(16),
                "word" | "pointer" | "unwind_word" => by_size(model.pointer_size),
                "SF" | "DF" | "XF" | "TF" => {
                    let kind = match mode.as_str() {
                        "SF" => FloatKind::Float,
                        "DF" => FloatKind::Double,
                        "XF" => FloatKind::LongDouble,
                        _ => FloatKind::Float128,
                    };
                    return Ok(QualType { ty: Types::float(kind), quals: ty.quals });
                }
                _ => None,
            };
            let Some(kind) = kind else { return self.error(span, format!("mode({mode}) is not supported")) };
            ty.ty = Types::int(if unsigned { kind.to_unsigned() } else { kind });
        }
        if let Some(bytes) = attrs.vector_size {
            let fits = |s: &u64| *s > 0 && bytes % s == 0 && (1..=MAX_VECTOR).contains(&bytes);
            let size = self.types.size_of(ty.ty).filter(fits);
            let Some(size) = size.filter(|_| self.is_arithmetic(ty.ty)) else {
                return self.error(span, "vector_size does not fit this type");
            };
            ty.ty = self.types.intern(Type::Vector { element: ty.ty, lanes: (bytes / size) as u32 });
        }
        Ok(ty)
    }

    /// A declarator over its base type.
    pub(super) fn declarator(&mut self, base: QualType, d: &Node<Declarator>) -> Res<Declared> {
        let mut attrs = self.attrs(&d.node.extensions)?;
        let mut ty = self.apply_type_attrs(base, &attrs, d.span)?;
        for derived in &d.node.derived {
            match &derived.node {
                DerivedDeclarator::Pointer(list) => {
                    let target = self.types.pointer_to(ty);
                    ty = target.into();
                    for q in list {
                        match &q.node {
                            PointerQualifier::TypeQualifier(q) => ty.quals = ty.quals.with(qualifier(&q.node)),
                            PointerQualifier::Extension(e) => {
                                // gcc hands what is said of functions on to the function declared; layout is the pointer's.
                                let said = self.attrs(e)?;
                                attrs.merge(Attrs {
                                    packed: false,
                                    aligned: None,
                                    vector_size: None,
                                    mode: None,
                                    ..said
                                });
                            }
                        }
                    }
                }
                DerivedDeclarator::Block(_) => return self.error(derived.span, "blocks (`^`) are not supported"),
                DerivedDeclarator::Array(_) | DerivedDeclarator::Function(_) | DerivedDeclarator::KRFunction(_) => {}
            }
        }
        // Suffixes bind from the last to the first; sizes are evaluated in the order written.
        let mut lengths = Vec::new();
        for derived in &d.node.derived {
            if let DerivedDeclarator::Array(a) = &derived.node {
                lengths.push(self.array_length(a)?);
            }
        }
        for derived in d.node.derived.iter().rev() {
            match &derived.node {
                DerivedDeclarator::Array(_) => {
                    let length = lengths.pop().expect("one length per array suffix");
                    if matches!(self.types.get(ty.ty), Type::Function(_) | Type::Void) {
                        return self.error(derived.span, "an array of this type cannot be");
                    }
                    if let Length::Fixed(n) = length {
                        let total = self.types.size_of(ty.ty).unwrap_or(1).checked_mul(n);
                        if total.is_none_or(|t| t > i64::MAX as u64) {
                            return self.error(derived.span, "the array is too large");
                        }
                    }
                    ty = self.types.array_of(ty, length).into();
                }
                DerivedDeclarator::Function(f) => {
                    let params = self.parameter_types(f)?;
                    let params_given = !f.node.parameters.is_empty();
                    let variadic = f.node.ellipsis == Ellipsis::Some;
                    self.check_result(ty.ty, derived.span)?;
                    let f = FunctionType { result: ty.ty, params, variadic, prototype: params_given || variadic };
                    ty = self.types.intern(Type::Function(f)).into();
                }
                DerivedDeclarator::KRFunction(_) => {
                    self.check_result(ty.ty, derived.span)?;
                    let f = FunctionType { result: ty.ty, params: Vec::new(), variadic: false, prototype: false };
                    ty = self.types.intern(Type::Function(f)).into();
                }
                DerivedDeclarator::Pointer(_) | DerivedDeclarator::Block(_) => {}
            }
        }
        match &d.node.kind.node {
            DeclaratorKind::Abstract => Ok(Declared { name: String::new(), ty, attrs, span: d.span }),
            DeclaratorKind::Identifier(id) => Ok(Declared { name: id.node.name.clone(), ty, attrs, span: id.span }),
            DeclaratorKind::Declarator(inner) => {
                let mut declared = self.declarator(ty, inner)?;
                declared.attrs.merge(attrs);
                Ok(declared)
            }
        }
    }

    /// What the specifiers say of a declared entity, besides its type.
    pub(super) fn add_specifier_attrs(&self, declared: &mut Declared, specs: &Attrs, base: TypeId) {
        let mut all = specs.clone();
        let mut ty = declared.ty.ty;
        while ty != base
            && let Type::Array { element, .. } = self.types.get(ty)
        {
            ty = element.ty;
        }
        if ty != base {
            all.type_align = None;
        }
        all.merge(std::mem::take(&mut declared.attrs));
        declared.attrs = all;
    }

    fn check_result(&self, ty: TypeId, span: Span) -> Res<()> {
        match self.types.get(ty) {
            Type::Array { .. } | Type::Function(_) => self.error(span, "a function cannot return this type"),
            _ => Ok(()),
        }
    }

    fn array_length(&mut self, a: &Node<ArrayDeclarator>) -> Res<Length> {
        let e = match &a.node.size {
            ArraySize::Unknown | ArraySize::VariableUnknown => return Ok(Length::Unknown),
            ArraySize::VariableExpression(e) | ArraySize::StaticExpression(e) => e,
        };
        match self.constant_if(e) {
            Ok(Some((n, _))) => match u64::try_from(n) {
                Ok(n) => Ok(Length::Fixed(n)),
                Err(_) => self.error(e.span, "the array has a negative size"),
            },
            // In a prototype the size says nothing: the parameter is a pointer.
            Ok(None) | Err(_) if self.scopes.in_prototype() => Ok(Length::Unknown),
            Err(error) => Err(error),
            Ok(None) if self.fun.is_none() || self.scopes.at_file_scope() => {
                self.error(e.span, "the size of an array at file scope must be constant")
            }
            Ok(None) => {
                let rv = self.rvalue(e)?;
                let size_t = self.types.size_t();
                let count = self.convert(rv, size_t, e.span)?;
                let place = self.place(e.span);
                let local = self.temp(size_t, place);
                self.store(Operand::Local(local), count, place);
                Ok(Length::Variable(local))
            }
        }
    }

    /// The parameter types of a prototype, adjusted.
    fn parameter_types(&mut self, f: &Node<FunctionDeclarator>) -> Res<Vec<TypeId>> {
        self.scopes.enter_prototype();
        let result = self.parameter_types_inside(f);
        self.scopes.leave_prototype();
        result
    }

    fn parameter_types_inside(&mut self, f: &Node<FunctionDeclarator>) -> Res<Vec<TypeId>> {
        let mut params = Vec::new();
        for p in &f.node.parameters {
            let (declared, _) = self.parameter(p)?;
            let only_void = declared.ty.ty == Types::VOID && declared.name.is_empty() && f.node.parameters.len() == 1;
            if only_void {
                break;
            }
            params.push(declared.ty.ty);
        }
        Ok(params)
    }

    /// One parameter, its type adjusted.
    pub(super) fn parameter(&mut self, p: &Node<ParameterDeclaration>) -> Res<(Declared, Specifiers)> {
        let specs = self.specifiers(&p.node.specifiers, false)?;
        let base = self.apply_type_attrs(specs.ty, &specs.attrs, p.span)?;
        let mut declared = match &p.node.declarator {
            Some(d) => self.declarator(base, d)?,
            None => Declared { name: String::new(), ty: base, attrs: Attrs::default(), span: p.span },
        };
        let attrs = self.attrs(&p.node.extensions)?;
        declared.attrs.merge(attrs);
        declared.ty = self.adjust_parameter(declared.ty);
        Ok((declared, specs))
    }

    /// Arrays and functions are pointers as parameters.
    pub(super) fn adjust_parameter(&mut self, ty: QualType) -> QualType {
        match self.types.get(ty.ty).clone() {
            Type::Array { element, .. } => self.types.pointer_to(element).into(),
            Type::Function(_) => self.types.pointer_to(ty.ty.into()).into(),
            _ => ty,
        }
    }

    /// The size of a type at run time, as a `size_t`: a constant unless it is variable-length.
    pub(super) fn runtime_size(&mut self, ty: TypeId, span: Span) -> Res<Operand> {
        let place = self.place(span);
        let size_t = self.types.size_t();
        match self.types.get(ty).clone() {
            Type::Array { element, length } if self.types.size_of(ty).is_none() => {
                let count = match length {
                    Length::Variable(local) => self.load(Operand::Local(local), size_t, place),
                    Length::Fixed(n) => self.int(i128::from(n), size_t),
                    Length::Unknown => return self.error(span, "the size of this array is not known"),
                };
                let element = self.runtime_size(element.ty, span)?;
                Ok(self.binary(BinOp::Mul, count, element, place))
            }
            // GNU: sizeof(void) and sizeof of a function are 1.
            Type::Void | Type::Function(_) => Ok(self.int(1, size_t)),
            _ => match self.types.size_of(ty) {
                Some(n) => Ok(self.int(i128::from(n), size_t)),
                None => self.error(span, format!("the type {} is incomplete", self.types.show(ty))),
            },
        }
    }

    /// Whether the type's size is known only at run time.
    pub(super) fn is_variable(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Array { length: Length::Variable(_), .. } => true,
            Type::Array { element, .. } => self.is_variable(element.ty),
            _ => false,
        }
    }

    /// Whether the type names a local variable, of this number or above, as the length of an array.
    pub(super) fn names_local_from(&self, ty: TypeId, first: usize) -> bool {
        match self.types.get(ty) {
            Type::Array { length: Length::Variable(l), .. } if l.0 as usize >= first => true,
            Type::Array { element: inner, .. } | Type::Pointer(inner) => self.names_local_from(inner.ty, first),
            _ => false,
        }
    }

    /// `__builtin_va_list`: an array of one structure, as on x86-64, of the target's size.
    pub(super) fn va_list_type(&mut self) -> TypeId {
        if let Some(ty) = self.va_list {
            return ty;
        }
        let size = self.types.model.va_list_size;
        let word = Types::int(self.types.model.size_type);
        let word_size = self.types.size_of(word).unwrap_or(1);
        let words = self.types.array_of(word.into(), Length::Fixed(size / word_size));
        let member = super::super::types::Member { name: "reg".into(), ty: words.into(), offset: 0, bits: None };
        let record = self.types.records.push(super::super::types::Record {
            kind: RecordKind::Struct,
            name: "__va_list_tag".into(),
            members: vec![member],
            size,
            align: self.types.align_of(word),
            complete: true,
            transparent: false,
        });
        let tag = self.types.intern(Type::Record(record));
        let ty = self.types.array_of(tag.into(), Length::Fixed(1));
        self.va_list = Some(ty);
        ty
    }
}

/// Whether the specifier has the body of a struct, union or enum.
fn defines_type(t: &TypeSpecifier) -> bool {
    match t {
        TypeSpecifier::Struct(s) => s.node.declarations.is_some(),
        TypeSpecifier::Enum(e) => !e.node.enumerators.is_empty(),
        _ => false,
    }
}

fn is_auto(t: &TypeSpecifier) -> bool {
    matches!(t, TypeSpecifier::TypeOf(t) if matches!(&t.node, TypeOf::Expression(e)
        if matches!(&e.node, Expression::Identifier(id) if id.node.name == "__fc_auto")))
}

fn qualifier(q: &TypeQualifier) -> Quals {
    match q {
        TypeQualifier::Const => Quals::CONST,
        TypeQualifier::Volatile => Quals::VOLATILE,
        TypeQualifier::Restrict => Quals::RESTRICT,
        TypeQualifier::Atomic => Quals::ATOMIC,
        TypeQualifier::Nonnull | TypeQualifier::NullUnspecified | TypeQualifier::Nullable => Quals::NONE,
    }
}
