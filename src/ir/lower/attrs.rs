//! GNU attributes that change what a program means.

use lang_c::ast::{DeclarationSpecifier, Expression, Extension, SpecifierQualifier};
use lang_c::span::{Node, Span};

use super::super::types::IntKind;
use super::{Lower, Res};

/// What the attributes of a declaration say.
#[derive(Default, Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is an attribute that is there or not")]
pub(super) struct Attrs {
    pub packed: bool,
    /// The greatest `aligned`.
    pub aligned: Option<u64>,
    /// The alignment that a typedef gave the type named; it holds for objects of that very type, and may be less than the type's.
    pub type_align: Option<u64>,
    pub noreturn: bool,
    pub returns_twice: bool,
    pub weak: bool,
    pub alias: Option<String>,
    /// The name for the linker (`asm("…")`).
    pub asm_label: Option<String>,
    pub vector_size: Option<u64>,
    pub mode: Option<String>,
    pub transparent_union: bool,
    /// The integer type that an enumeration names (`enum e : T`, which the pre-pass writes as an attribute).
    pub underlying: Option<IntKind>,
    /// The priority; lower ones run first.
    pub constructor: Option<u64>,
    /// The priority; lower ones run last.
    pub destructor: Option<u64>,
    pub cleanup: Option<String>,
    pub interrupt: bool,
    pub gnu_inline: bool,
    /// Wanted even if nothing here refers to it.
    pub used: bool,
}

/// The priority of constructors and destructors that name none.
const DEFAULT_PRIORITY: u64 = 65535;

/// gcc's limit.
const MAX_ALIGN: u64 = 1 << 28;

impl Attrs {
    pub fn merge(&mut self, other: Attrs) {
        self.packed |= other.packed;
        self.aligned = self.aligned.max(other.aligned);
        self.type_align = other.type_align.or(self.type_align);
        self.noreturn |= other.noreturn;
        self.returns_twice |= other.returns_twice;
        self.weak |= other.weak;
        self.alias = other.alias.or(self.alias.take());
        self.asm_label = other.asm_label.or(self.asm_label.take());
        self.vector_size = other.vector_size.or(self.vector_size);
        self.mode = other.mode.or(self.mode.take());
        self.transparent_union |= other.transparent_union;
        self.underlying = other.underlying.or(self.underlying);
        self.constructor = other.constructor.or(self.constructor);
        self.destructor = other.destructor.or(self.destructor);
        self.cleanup = other.cleanup.or(self.cleanup.take());
        self.interrupt |= other.interrupt;
        self.gnu_inline |= other.gnu_inline;
        self.used |= other.used;
    }

    /// What is said behind the body of a struct, union or enum: layout is the type's alone, not the declared object's.
    #[must_use]
    pub fn behind(self, body: bool) -> Attrs {
        if body { Attrs { packed: false, aligned: None, transparent_union: false, ..self } } else { self }
    }

    /// The alignment of an object: attributes raise it, a typedef's own replaces the type's.
    pub fn align_over(&self, natural: u64) -> u64 {
        self.type_align.unwrap_or(natural).max(self.aligned.unwrap_or(1))
    }
}

/// `__packed__` is `packed`.
fn plain(name: &str) -> &str {
    name.strip_prefix("__").and_then(|n| n.strip_suffix("__")).unwrap_or(name)
}

fn identifier(e: Option<&Node<Expression>>) -> Option<String> {
    match &e?.node {
        Expression::Identifier(id) => Some(plain(&id.node.name).to_string()),
        _ => None,
    }
}

impl Lower<'_> {
    pub(super) fn attrs<'e>(&mut self, extensions: impl IntoIterator<Item = &'e Node<Extension>>) -> Res<Attrs> {
        let mut attrs = Attrs::default();
        for ext in extensions {
            match &ext.node {
                Extension::AsmLabel(parts) => {
                    let text: String = parts.node.iter().map(|p| p.trim_matches('"')).collect();
                    attrs.asm_label = Some(text);
                }
                Extension::AvailabilityAttribute(_) => {}
                Extension::Attribute(a) => {
                    let first = a.arguments.first();
                    let string = |e: Option<&Node<Expression>>| match &e?.node {
                        Expression::StringLiteral(s) => Some(s.node.iter().map(|p| p.trim_matches('"')).collect()),
                        _ => None,
                    };
                    match plain(&a.name.node) {
                        "packed" => attrs.packed = true,
                        "aligned" => {
                            let n = match first {
                                Some(e) => self.constant_u64(e)?,
                                None => self.types.model.biggest_align,
                            };
                            self.check_align(n, ext.span)?;
                            attrs.aligned = attrs.aligned.max(Some(n));
                        }
                        "noreturn" => attrs.noreturn = true,
                        "returns_twice" => attrs.returns_twice = true,
                        "weak" => attrs.weak = true,
                        "alias" => {
                            attrs.alias = string(first);
                        }
                        "vector_size" => match first {
                            Some(e) => attrs.vector_size = Some(self.constant_u64(e)?),
                            None => return self.error(ext.span, "vector_size needs a size"),
                        },
                        "mode" => attrs.mode = identifier(first),
                        "__fc_underlying" => match first.map(|e| &e.node) {
                            Some(Expression::SizeOfTy(t)) => {
                                let ty = self.type_name(&t.node.0)?;
                                attrs.underlying = self.types.as_int(ty.ty);
                            }
                            _ => return self.error(ext.span, "the type of the enumeration is missing"),
                        },
                        "transparent_union" => attrs.transparent_union = true,
                        "constructor" => attrs.constructor = Some(self.priority(first)?),
                        "destructor" => attrs.destructor = Some(self.priority(first)?),
                        "cleanup" => match first.map(|e| &e.node) {
                            Some(Expression::Identifier(id)) => attrs.cleanup = Some(id.node.name.clone()),
                            _ => return self.error(ext.span, "cleanup needs a function"),
                        },
                        "interrupt" | "signal" | "isr" | "interrupt_handler" => attrs.interrupt = true,
                        "gnu_inline" => attrs.gnu_inline = true,
                        "used" | "retain" => attrs.used = true,
                        "scalar_storage_order" | "address_space" | "ms_struct" => {
                            return self.error(ext.span, format!("the attribute {} is not supported", a.name.node));
                        }
                        "weakref" | "ifunc" => {
                            attrs.weak = true;
                            let message = format!("the attribute {} is treated as a weak declaration", a.name.node);
                            let place = self.place(ext.span);
                            self.assume(super::AssumptionKind::Other, message, place);
                        }
                        // The rest speaks to the optimiser, the linker's layout or the diagnostics.
                        _ => {}
                    }
                }
            }
        }
        Ok(attrs)
    }

    /// A constant expression that must be a size.
    pub(super) fn constant_u64(&mut self, e: &Node<Expression>) -> Res<u64> {
        let (value, _) = self.constant_int(e)?;
        match u64::try_from(value) {
            Ok(n) => Ok(n),
            Err(_) => self.error(e.span, format!("{value} is not a size")),
        }
    }

    pub(super) fn check_align(&self, align: u64, span: Span) -> Res<()> {
        if align.is_power_of_two() && align <= MAX_ALIGN {
            return Ok(());
        }
        self.error(span, "the alignment is not a power of two, or too large")
    }

    fn priority(&mut self, e: Option<&Node<Expression>>) -> Res<u64> {
        e.map_or(Ok(DEFAULT_PRIORITY), |e| self.constant_u64(e))
    }
}

/// The extensions among declaration specifiers.
pub(super) fn of_specifiers(specs: &[Node<DeclarationSpecifier>]) -> impl Iterator<Item = &Node<Extension>> {
    specs
        .iter()
        .filter_map(|s| match &s.node {
            DeclarationSpecifier::Extension(e) => Some(e),
            DeclarationSpecifier::StorageClass(_)
            | DeclarationSpecifier::TypeSpecifier(_)
            | DeclarationSpecifier::TypeQualifier(_)
            | DeclarationSpecifier::Function(_)
            | DeclarationSpecifier::Alignment(_) => None,
        })
        .flatten()
}

/// The same for members and type names.
pub(super) fn of_qualifiers(specs: &[Node<SpecifierQualifier>]) -> impl Iterator<Item = &Node<Extension>> {
    specs
        .iter()
        .filter_map(|s| match &s.node {
            SpecifierQualifier::Extension(e) => Some(e),
            SpecifierQualifier::TypeSpecifier(_) | SpecifierQualifier::TypeQualifier(_) => None,
        })
        .flatten()
}
