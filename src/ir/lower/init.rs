//! Initialisers of objects.
//!
//! An initialiser is first flattened into entries ([`super::flatten`]), each a way into the object and what is put there. A static
//! object evaluates the entries to bytes and addresses; an automatic one is zeroed if entries leave something out, then stored to in
//! order.

use lang_c::ast::{Expression, Initializer as Init};
use lang_c::span::{Node, Span};
use rustc_hash::FxHashMap;

use super::super::syntax::{GlobalDef, GlobalId, InitItem, Initializer, InstKind, Operand};
use super::super::types::{Bits, Length, QualType, Quals, RecordKind, Type, TypeId, Types};
use super::constant::Static;
use super::convert::Rv;
use super::expr::Lv;
use super::flatten::{Entry, Flat, Items, Step, What};
use super::image::Image;
use super::{Lower, Res, identity};
use crate::source::Place;

/// An initialiser as the source has it.
#[derive(Clone, Copy)]
pub(super) enum Initial<'e> {
    /// `= e`
    Expr(&'e Node<Expression>),
    /// `= { … }`, and the list of a compound literal.
    List(Items<'e>, Span),
}

impl<'e> From<&'e Node<Init>> for Initial<'e> {
    fn from(init: &'e Node<Init>) -> Initial<'e> {
        match &init.node {
            Init::Expression(e) => Initial::Expr(e),
            Init::List(items) => Initial::List(items, init.span),
        }
    }
}

impl Initial<'_> {
    fn span(self) -> Span {
        match self {
            Initial::Expr(e) => e.span,
            Initial::List(_, span) => span,
        }
    }
}

impl Lower<'_> {
    /// The type with its length, if the initialiser gives it.
    pub(super) fn complete_array(&mut self, ty: QualType, init: Initial<'_>) -> Res<QualType> {
        if !matches!(self.types.get(ty.ty), Type::Array { length: Length::Unknown, .. }) {
            return Ok(ty);
        }
        let flat = self.flatten(ty, init)?;
        self.completed(ty, &flat, init.span())
    }

    fn completed(&mut self, ty: QualType, flat: &Flat<'_>, span: Span) -> Res<QualType> {
        let Type::Array { element, length: Length::Unknown } = *self.types.get(ty.ty) else { return Ok(ty) };
        let size = self.types.size_of(element.ty).and_then(|s| s.checked_mul(flat.length));
        if size.is_none_or(|s| s > i64::MAX as u64) {
            return self.error(span, "the array is too large, or its elements are incomplete");
        }
        Ok(QualType { ty: self.types.array_of(element, Length::Fixed(flat.length)), quals: ty.quals })
    }

    /// The content of a static object, and its type with the length that the initialiser gives. The content of a flexible array
    /// member lies behind the size of the type.
    pub(super) fn static_initializer(&mut self, ty: QualType, init: Initial<'_>) -> Res<(QualType, Initializer)> {
        let flat = self.flatten(ty, init)?;
        let ty = self.completed(ty, &flat, init.span())?;
        if self.types.size_of(ty.ty).is_none() {
            let ty = self.types.show(ty.ty);
            return self.error(init.span(), format!("an object of the incomplete type {ty} cannot be initialised"));
        }
        let mut image = Image::new(self.types.model.big_endian, self.types.model.pointer_size);
        let mut seen = FxHashMap::default();
        for entry in &flat.entries {
            match &entry.what {
                What::Clear => match entry.bits {
                    Some(bits) => image.put_bits(entry.offset, bits, 0),
                    None => image.clear(entry.offset, self.types.size_of(entry.ty.ty).unwrap_or(0)),
                },
                What::Text(bytes) => image.put(entry.offset, bytes),
                What::Expr(e) => self.static_entry(entry, e, flat.has_ranges, &mut seen, &mut image)?,
            }
        }
        Ok((ty, image.finish()))
    }

    /// One expression of a static initialiser. `seen`: the value of a range's initialiser, which is evaluated once.
    fn static_entry(
        &mut self,
        entry: &Entry<'_>,
        e: &Node<Expression>,
        in_range: bool,
        seen: &mut FxHashMap<usize, Static>,
        image: &mut Image,
    ) -> Res<()> {
        let ty = entry.ty.ty;
        if self.types.is_aggregate(ty) || matches!(self.types.get(ty), Type::Complex(_) | Type::Vector { .. }) {
            return self.static_aggregate(e, ty, entry.offset, image);
        }
        let value = match seen.get(&identity(e)) {
            Some(value) if in_range => *value,
            _ => {
                let value = self.static_value(e, ty)?;
                seen.insert(identity(e), value);
                value
            }
        };
        match (value, entry.bits) {
            (Static::Bits(value), Some(bits)) => image.put_bits(entry.offset, bits, value),
            (Static::Bits(value), None) => image.put(entry.offset, &self.scalar_bytes(value, ty)),
            (Static::Address(target, addend), None)
                if self.types.size_of(ty) == Some(self.types.model.pointer_size) =>
            {
                image.put_address(entry.offset, target, addend);
            }
            (Static::Address(..), _) => {
                return self.error(entry.span, "an address does not fit here before the program runs");
            }
        }
        Ok(())
    }

    /// A scalar in memory.
    fn scalar_bytes(&self, value: u128, ty: TypeId) -> Vec<u8> {
        let size = self.types.size_of(ty).unwrap_or(0).min(16) as usize;
        let mut bytes = value.to_le_bytes()[..size].to_vec();
        if self.types.model.big_endian {
            bytes.reverse();
        }
        bytes
    }

    /// A whole aggregate from a compound literal or a constant object: its content is copied. Complex constants are built.
    fn static_aggregate(&mut self, e: &Node<Expression>, ty: TypeId, at: u64, image: &mut Image) -> Res<()> {
        self.static_context += 1;
        let found = self.probe_with_labels(|l| {
            let start = l.f().body.insts.len();
            let rv = l.rvalue(e)?;
            let op = l.convert(rv, ty, e.span)?;
            if l.has_effects_since(start) {
                return Ok(None);
            }
            Ok(match l.f().inst(op).map(|i| &i.kind) {
                Some(InstKind::Load { addr: Operand::Global(g), .. }) => Some(Ok(*g)),
                _ => l.static_complex(op).map(Err),
            })
        });
        self.static_context -= 1;
        let content = match found? {
            Some(Ok(g)) => match &self.globals[g].definition {
                GlobalDef::Defined(init) => Some(init.items.clone()),
                GlobalDef::Declared | GlobalDef::Tentative | GlobalDef::Alias(_) => None,
            },
            Some(Err((kind, parts))) => {
                let part = Types::float(kind);
                let size = self.types.model.float_size(kind);
                let item = |i: u64| (i * size, InitItem::Bytes(self.scalar_bytes(parts[i as usize].bits(), part)));
                Some(vec![item(0), item(1)])
            }
            None => None,
        };
        let Some(items) = content else {
            return self.error(e.span, "the initialiser of a static object must be constant");
        };
        image.clear(at, self.types.size_of(ty).unwrap_or(0));
        for (offset, item) in items {
            match item {
                InitItem::Bytes(bytes) => image.put(at + offset, &bytes),
                InitItem::Address { target, addend } => image.put_address(at + offset, target, addend),
            }
        }
        Ok(())
    }

    /// An initialised automatic object.
    pub(super) fn initialize(&mut self, lv: Lv, init: Initial<'_>) -> Res<()> {
        let place = self.place(init.span());
        let flat = self.flatten(lv.ty, init)?;
        let single = matches!(flat.entries.as_slice(), [entry] if flat.way(entry).is_empty());
        let aggregate = self.types.is_aggregate(lv.ty.ty) || matches!(self.types.get(lv.ty.ty), Type::Vector { .. });
        if aggregate && !single && !self.covers(&flat, lv.ty.ty) {
            self.store_zero(lv, place);
        }
        let size = self.types.size_of(lv.ty.ty).unwrap_or(0);
        let mut seen: FxHashMap<usize, Rv> = FxHashMap::default();
        for entry in &flat.entries {
            let place = self.place(entry.span);
            let covered = entry.bits.map_or_else(|| self.types.size_of(entry.ty.ty).unwrap_or(0), Bits::bytes);
            if entry.offset + covered > size {
                return self.error(entry.span, "only static objects can initialise a flexible array member");
            }
            match &entry.what {
                What::Clear => {
                    let target = self.walk(lv, flat.way(entry), place);
                    self.store_zero(target, place);
                }
                What::Text(bytes) => {
                    let target = self.walk(lv, flat.way(entry), place);
                    let content = self.byte_object(bytes, entry.ty.ty, place);
                    let value = self.load(Operand::Global(content), entry.ty.ty, place);
                    self.write_only(target, value, place);
                }
                What::Expr(e) => {
                    let rv = match seen.get(&identity(*e)) {
                        Some(rv) if flat.has_ranges => *rv,
                        _ => self.value_for(e, entry.ty.ty)?,
                    };
                    if flat.has_ranges {
                        seen.insert(identity(*e), rv);
                    }
                    let value = self.convert(rv, entry.ty.ty, entry.span)?;
                    let target = self.walk(lv, flat.way(entry), place);
                    self.write_only(target, value, place);
                }
            }
        }
        Ok(())
    }

    /// The object a way leads to.
    fn walk(&mut self, base: Lv, way: &[Step], place: Place) -> Lv {
        let mut lv = base;
        for step in way {
            lv = match step {
                Step::Field(record, field) => self.field_at(lv, *record, *field, place),
                Step::Index(i) => {
                    let element = match *self.types.get(lv.ty.ty) {
                        Type::Array { element, .. } => element,
                        Type::Vector { element, .. } => element.into(),
                        _ => lv.ty,
                    };
                    let quals = if lv.ty.quals.has(Quals::VOLATILE) { Quals::VOLATILE } else { Quals::NONE };
                    let ty = QualType { ty: element.ty, quals: element.quals.with(quals) };
                    let pointer = self.types.pointer_to(ty);
                    let stride = self.types.size_of(element.ty).unwrap_or(1);
                    let index = self.int(i128::from(*i), self.types.ptrdiff_t());
                    let addr = self.f().emit(InstKind::PtrAdd { base: lv.addr, index, stride }, pointer, place);
                    Lv { addr, ty, bits: None }
                }
            };
        }
        lv
    }

    /// Fills an object with zeros.
    fn store_zero(&mut self, lv: Lv, place: Place) {
        let value = if self.is_scalar(lv.ty.ty) {
            let zero = self.int(0, Types::INT);
            self.cast(zero, lv.ty.ty, place)
        } else {
            let zero = self.zero_object(lv.ty.ty, place);
            self.load(Operand::Global(zero), lv.ty.ty, place)
        };
        self.write_only(lv, value, place);
    }

    /// The constant object of zeros of a type.
    fn zero_object(&mut self, ty: TypeId, place: Place) -> GlobalId {
        if let Some(&id) = self.zeros.get(&ty) {
            return id;
        }
        let name = format!(".zero{}", self.zeros.len());
        let qual = QualType { ty, quals: Quals::CONST };
        let id = self.internal_global(name, qual, Initializer::default(), place);
        self.globals[id].owner = None;
        self.zeros.insert(ty, id);
        id
    }

    /// A constant object that begins with the bytes of a string, as large as the array it is copied to.
    fn byte_object(&mut self, bytes: &[u8], ty: TypeId, place: Place) -> GlobalId {
        if let Some(&id) = self.strings.get(&(bytes.to_vec(), ty)) {
            return id;
        }
        let name = format!(".str{}", self.strings.len());
        let items = if bytes.is_empty() { Vec::new() } else { vec![(0, InitItem::Bytes(bytes.to_vec()))] };
        let qual = QualType { ty, quals: Quals::CONST };
        let id = self.internal_global(name, qual, Initializer { items }, place);
        self.globals[id].owner = None;
        self.strings.insert((bytes.to_vec(), ty), id);
        id
    }

    /// Whether the entries write every byte of an aggregate, so that it need not be zeroed before.
    fn covers(&self, flat: &Flat<'_>, ty: TypeId) -> bool {
        const MOST: u64 = 64;
        if flat.has_designators || flat.entries.len() as u64 > MOST {
            return false;
        }
        let leaves = flat.entries.iter().all(|e| match &e.what {
            What::Expr(_) => !self.types.is_aggregate(e.ty.ty) && e.bits.is_none(),
            What::Text(_) | What::Clear => false,
        });
        leaves && self.count_leaves(ty, MOST) == Some(flat.entries.len() as u64)
    }

    /// How many scalars an aggregate consists of, if that is at most `most` and no byte is left over.
    fn count_leaves(&self, ty: TypeId, most: u64) -> Option<u64> {
        let (count, each) = match self.types.get(ty) {
            Type::Record(id) => {
                let record = &self.types.records[*id];
                let sizes = record.members.iter().filter_map(|m| self.types.size_of(m.ty.ty));
                let plain = record.kind == RecordKind::Struct && record.members.iter().all(|m| m.bits.is_none());
                if !plain || sizes.fold(0, u64::saturating_add) != record.size {
                    return None;
                }
                let mut sum = 0u64;
                for member in &record.members {
                    sum += self.count_leaves(member.ty.ty, most)?;
                }
                (1, sum)
            }
            Type::Array { element, length: Length::Fixed(n) } => (*n, self.count_leaves(element.ty, most)?),
            Type::Vector { lanes, .. } => (u64::from(*lanes), 1),
            Type::Array { .. } => return None,
            _ => (1, 1),
        };
        count.checked_mul(each).filter(|n| *n <= most)
    }
}
