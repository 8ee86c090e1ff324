//! Structs, unions and enumerations, and the layout of their members (System V ABI as gcc follows it, `packed`, `aligned` and
//! `#pragma pack` included).
//!
//! Invariant: a record contains itself only through pointers, so that walks over members end.

use lang_c::ast::{self, EnumType, StructDeclaration, StructKind, StructType};
use lang_c::span::{Node, Span};

use super::super::types::{
    Bits, Enum, IntKind, Length, Member, QualType, Record, RecordId, RecordKind, Type, TypeId, Types,
};
use super::attrs::Attrs;
use super::scope::{Symbol, Tag};
use super::types::Declared;
use super::{Lower, Res, identity};
use crate::source::prepass::c_name;

/// A member before layout.
struct Field {
    name: String,
    ty: QualType,
    width: Option<u64>,
    attrs: Attrs,
    span: Span,
}

/// No record is larger, in bits.
const MAX_BITS: u64 = 1 << 62;

impl Lower<'_> {
    /// A struct or union specifier. `alone`: `struct S;` declares the tag in this scope.
    pub(super) fn record(&mut self, s: &Node<StructType>, attrs: &Attrs, alone: bool) -> Res<TypeId> {
        let kind = match s.node.kind.node {
            StructKind::Struct => RecordKind::Struct,
            StructKind::Union => RecordKind::Union,
        };
        let name = s.node.identifier.as_ref().map(|id| id.node.name.clone());
        let defines = s.node.declarations.is_some();
        if defines && let Some(&ty) = self.definitions.get(&identity(s)) {
            if let (Some(n), Type::Record(id)) = (&name, self.types.get(ty)) {
                self.scopes.define_tag(n, Tag::Record(*id));
            }
            return Ok(ty);
        }
        let known = name
            .as_ref()
            .and_then(|n| if defines || alone { self.scopes.lookup_tag_here(n) } else { self.scopes.lookup_tag(n) });
        let id = match known {
            Some(Tag::Record(id)) if self.types.records[id].kind == kind => id,
            Some(_) if !defines => {
                return self.error(s.span, format!("{} is another kind of tag", name.unwrap_or_default()));
            }
            _ => {
                let id = self.types.records.push(Record {
                    kind,
                    name: name.as_deref().map(c_name).unwrap_or_default().into_owned(),
                    members: Vec::new(),
                    size: 0,
                    align: 1,
                    complete: false,
                    transparent: false,
                });
                if let Some(n) = &name {
                    self.scopes.define_tag(n, Tag::Record(id));
                }
                id
            }
        };
        let ty = self.types.intern(Type::Record(id));
        let Some(declarations) = &s.node.declarations else { return Ok(ty) };
        if self.types.records[id].complete {
            return self.error(s.span, format!("{} is defined twice", self.types.show(ty)));
        }
        let mut fields = Vec::new();
        for d in declarations {
            match &d.node {
                StructDeclaration::StaticAssert(a) => self.static_assert(a)?,
                StructDeclaration::Field(f) => self.fields(f, &mut fields)?,
            }
        }
        if self.types.records[id].complete {
            return self.error(s.span, format!("{} is defined inside itself", self.types.show(ty)));
        }
        let pack = self.pack_at(s.span.start);
        self.layout(id, &fields, attrs, pack)?;
        self.definitions.insert(identity(s), ty);
        Ok(ty)
    }

    fn fields(&mut self, f: &Node<ast::StructField>, out: &mut Vec<Field>) -> Res<()> {
        let (base, specs) = self.qualifiers(&f.node.specifiers)?;
        let base = self.apply_type_attrs(base, &specs, f.span)?;
        if f.node.declarators.is_empty() {
            // An untagged struct or union is an anonymous member; anything else declares nothing.
            let untagged = f.node.specifiers.iter().any(|s| match &s.node {
                ast::SpecifierQualifier::TypeSpecifier(t) => {
                    matches!(&t.node, ast::TypeSpecifier::Struct(s) if s.node.identifier.is_none())
                }
                ast::SpecifierQualifier::TypeQualifier(_) | ast::SpecifierQualifier::Extension(_) => false,
            });
            if untagged {
                out.push(Field { name: String::new(), ty: base, width: None, attrs: specs, span: f.span });
            } else {
                let place = self.place(f.span);
                self.warn(place, "this declares no member");
            }
            return Ok(());
        }
        for d in &f.node.declarators {
            let mut declared = match &d.node.declarator {
                Some(declarator) => self.declarator(base, declarator)?,
                None => Declared { name: String::new(), ty: base, attrs: Attrs::default(), span: d.span },
            };
            self.add_specifier_attrs(&mut declared, &specs, base.ty);
            let ty = declared.ty.ty;
            if self.is_variable(ty) {
                return self.error(d.span, "a member of variable length is not supported");
            }
            let width = match &d.node.bit_width {
                Some(e) => {
                    let width = self.constant_u64(e)?;
                    let bits = self.types.int_shape(ty).filter(|_| self.is_integer(ty)).map(|(w, _)| u64::from(w));
                    if bits.is_none_or(|b| width > if ty == Types::BOOL { 1 } else { b }) {
                        return self.error(e.span, "the bit-field is wider than its type");
                    }
                    if width == 0 && !declared.name.is_empty() {
                        return self.error(e.span, "a bit-field with a name cannot have width 0");
                    }
                    Some(width)
                }
                None => None,
            };
            let name = c_name(&declared.name).into_owned();
            out.push(Field { name, ty: declared.ty, width, attrs: declared.attrs, span: d.span });
        }
        Ok(())
    }

    /// What `#pragma pack` says at an offset.
    fn pack_at(&self, offset: usize) -> Option<u64> {
        let i = self.side.pack.partition_point(|(at, _)| (*at as usize) <= offset);
        i.checked_sub(1).and_then(|i| self.side.pack[i].1)
    }

    /// Places the members as gcc does (`place_field` of its stor-layout).
    fn layout(&mut self, id: RecordId, fields: &[Field], attrs: &Attrs, pack: Option<u64>) -> Res<()> {
        let is_union = self.types.records[id].kind == RecordKind::Union;
        let mut members: Vec<Member> = Vec::with_capacity(fields.len());
        let mut bit: u64 = 0; // the next free bit of a struct
        let mut end: u64 = 0; // the largest end in bits
        let mut align: u64 = 1;
        let limited = |a: u64| pack.map_or(a, |p| a.min(p));
        for (i, field) in fields.iter().enumerate() {
            let packed = attrs.packed || field.attrs.packed;
            let last = i + 1 == fields.len();
            let flexible = matches!(self.types.get(field.ty.ty), Type::Array { length: Length::Unknown, .. });
            let size = match self.types.size_of(field.ty.ty) {
                Some(size) => size,
                None if flexible && (last || is_union) => 0,
                None => {
                    let ty = self.types.show(field.ty.ty);
                    return self.error(field.span, format!("the member {} has the incomplete type {ty}", field.name));
                }
            };
            let natural = field.attrs.type_align.unwrap_or_else(|| self.types.align_of(field.ty.ty));
            let start = if is_union { 0 } else { bit };
            let explicit = field.attrs.aligned.map(limited);
            let place = match field.width {
                Some(0) => {
                    // Goes on at the next unit of the type, whatever is packed.
                    bit = start.next_multiple_of(natural * 8);
                    continue;
                }
                Some(width) => {
                    let mut at = explicit.map_or(start, |a| start.next_multiple_of(a * 8));
                    // A bit-field may not span more units of its type's alignment than the type itself does.
                    let unit = natural * 8;
                    if !packed && pack.is_none() && (at % unit + width).div_ceil(unit) > (size * 8).div_ceil(unit) {
                        at = at.next_multiple_of(unit);
                    }
                    if !field.name.is_empty() {
                        align = align.max(if packed && pack.is_none() { 1 } else { limited(natural) });
                    }
                    align = align.max(explicit.unwrap_or(1));
                    Some((at, width, Some(Bits { offset: (at % 8) as u8, width: width as u8 })))
                }
                None => {
                    let a = limited(if packed { 1 } else { natural }).max(explicit.unwrap_or(1));
                    align = align.max(a);
                    let at = start.next_multiple_of(8).next_multiple_of(a * 8);
                    size.checked_mul(8).map(|bits| (at, bits, None))
                }
            };
            let Some((at, width, bits)) = place.filter(|(at, width, _)| *width < MAX_BITS && at + width < MAX_BITS)
            else {
                return self.error(field.span, "the structure is too large");
            };
            members.push(Member { name: field.name.clone(), ty: field.ty, offset: at / 8, bits });
            bit = at + width;
            end = end.max(bit);
        }
        end = end.max(if is_union { 0 } else { bit });
        if let Some(a) = attrs.aligned {
            align = align.max(a);
        }
        let record = &mut self.types.records[id];
        record.members = members;
        record.align = align;
        record.size = end.div_ceil(8).next_multiple_of(align);
        record.complete = true;
        record.transparent = attrs.transparent_union;
        Ok(())
    }

    /// An enum specifier.
    pub(super) fn enumeration(&mut self, e: &Node<EnumType>, attrs: &Attrs) -> Res<TypeId> {
        let name = e.node.identifier.as_ref().map(|id| id.node.name.clone());
        let defines = !e.node.enumerators.is_empty();
        if defines && let Some(&ty) = self.definitions.get(&identity(e)) {
            self.define_enum_again(name.as_deref(), ty);
            return Ok(ty);
        }
        let known = name
            .as_ref()
            .and_then(|n| if defines { self.scopes.lookup_tag_here(n) } else { self.scopes.lookup_tag(n) });
        let id = match known {
            Some(Tag::Enum(id)) => id,
            Some(Tag::Record(_)) if !defines => {
                return self.error(e.span, format!("{} is another kind of tag", name.unwrap_or_default()));
            }
            _ => {
                let id = self.types.enums.push(Enum {
                    name: name.as_deref().map(c_name).unwrap_or_default().into_owned(),
                    underlying: IntKind::UInt,
                    constants: Vec::new(),
                    complete: false,
                });
                if let Some(n) = &name {
                    self.scopes.define_tag(n, Tag::Enum(id));
                }
                id
            }
        };
        let ty = self.types.intern(Type::Enum(id));
        if let Some(kind) = attrs.underlying {
            self.types.enums[id].underlying = kind;
            self.types.enums[id].complete |= !defines;
        }
        if !defines {
            return Ok(ty);
        }
        if self.types.enums[id].complete && !self.types.enums[id].constants.is_empty() {
            return self.error(e.span, format!("{} is defined twice", self.types.show(ty)));
        }
        let mut next: i128 = 0;
        let mut constants = Vec::new();
        for enumerator in &e.node.enumerators {
            if let Some(value) = &enumerator.node.expression {
                next = self.constant_int(value)?.0;
            }
            let constant = enumerator.node.identifier.node.name.clone();
            // While the enumeration is open, its constants are `int` if they fit.
            let open_ty = self.constant_type(next, next);
            self.scopes.define(&constant, Symbol::Constant(next, Types::int(open_ty)));
            constants.push((constant, next));
            next = next.wrapping_add(1);
        }
        let least = constants.iter().map(|c| c.1).min().unwrap_or(0);
        let most = constants.iter().map(|c| c.1).max().unwrap_or(0);
        let short = attrs.packed || self.types.model.short_enums;
        let underlying = attrs.underlying.unwrap_or_else(|| self.enum_type(least, most, short));
        let state = &mut self.types.enums[id];
        state.underlying = underlying;
        state.constants = constants;
        state.complete = true;
        self.definitions.insert(identity(e), ty);
        self.define_enum_again(None, ty);
        Ok(ty)
    }

    /// Makes the names of a finished enumeration visible here.
    fn define_enum_again(&mut self, tag: Option<&str>, ty: TypeId) {
        let Type::Enum(id) = *self.types.get(ty) else { return };
        if let Some(tag) = tag {
            self.scopes.define_tag(tag, Tag::Enum(id));
        }
        let Enum { constants, underlying, .. } = &self.types.enums[id];
        let least = constants.iter().map(|c| c.1).min().unwrap_or(0);
        let most = constants.iter().map(|c| c.1).max().unwrap_or(0);
        // In gcc all constants have type int if all fit, else the enumeration's type.
        let fits_int = self.constant_type(least, most) == IntKind::Int;
        let ty = if fits_int { Types::INT } else { Types::int(*underlying) };
        for (constant, value) in constants {
            self.scopes.define(constant, Symbol::Constant(*value, ty));
        }
    }

    fn fits(&self, least: i128, most: i128, kind: IntKind) -> bool {
        let bits = self.types.model.int_size(kind) as u32 * 8;
        if self.types.is_signed_kind(kind) {
            least >= -(1i128 << (bits - 1)) && most < 1i128 << (bits - 1)
        } else {
            least >= 0 && (bits >= 127 || most < 1i128 << bits)
        }
    }

    /// The first of `int`, `unsigned`, `long`, … that holds the range.
    fn constant_type(&self, least: i128, most: i128) -> IntKind {
        [IntKind::Int, IntKind::UInt, IntKind::Long, IntKind::ULong, IntKind::LongLong, IntKind::ULongLong]
            .into_iter()
            .find(|k| self.fits(least, most, *k))
            .unwrap_or(IntKind::Int128)
    }

    /// The type of the enumeration itself: unsigned unless a constant is negative.
    fn enum_type(&self, least: i128, most: i128, short: bool) -> IntKind {
        let small = [IntKind::UChar, IntKind::SChar, IntKind::UShort, IntKind::Short];
        let rest = [IntKind::UInt, IntKind::Int, IntKind::ULong, IntKind::Long, IntKind::ULongLong, IntKind::LongLong];
        small.into_iter().filter(|_| short).chain(rest).find(|k| self.fits(least, most, *k)).unwrap_or(IntKind::Int128)
    }

    /// Finds a member by name, through anonymous members: the indices of the way there.
    pub(super) fn find_member(&self, record: RecordId, name: &str) -> Option<Vec<(RecordId, u32)>> {
        let mut way = self.find_reversed(record, &c_name(name))?;
        way.reverse();
        Some(way)
    }

    fn find_reversed(&self, record: RecordId, name: &str) -> Option<Vec<(RecordId, u32)>> {
        for (i, member) in self.types.records[record].members.iter().enumerate() {
            if member.name == name {
                return Some(vec![(record, i as u32)]);
            }
            if member.name.is_empty()
                && member.bits.is_none()
                && let Type::Record(inner) = self.types.get(member.ty.ty)
                && let Some(mut way) = self.find_reversed(*inner, name)
            {
                way.push((record, i as u32));
                return Some(way);
            }
        }
        None
    }
}
