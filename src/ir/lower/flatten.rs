//! C's rules for initialiser lists: designators, ranges, brace elision, strings.
//!
//! A list becomes entries in the order written; a later entry overrides an earlier one. Where a later list in braces, a string or
//! another member of a union replaces what earlier entries put there, a [`What::Clear`] says so.

use lang_c::ast::{Designator, Expression, InitializerListItem};
use lang_c::span::{Node, Span};

use super::super::types::{Bits, Length, Member, QualType, RecordId, RecordKind, Type, TypeId};
use super::init::Initial;
use super::{Lower, Res};

/// More entries than this are refused; only ranges make so many.
const MAX_ENTRIES: usize = 1 << 24;

/// The items of a list.
pub(super) type Items<'e> = &'e [Node<InitializerListItem>];

/// One step of the way into an aggregate.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Field(RecordId, u32),
    Index(u64),
}

/// What is put somewhere.
pub(super) enum What<'e> {
    Expr(&'e Node<Expression>),
    /// The bytes of a string, cut to the array; the rest of the array is zero.
    Text(Vec<u8>),
    /// Zeros, instead of what earlier entries put there.
    Clear,
}

/// A part of the object and what is put there.
pub(super) struct Entry<'e> {
    way: (usize, usize),
    /// In bytes from the start of the object.
    pub offset: u64,
    pub bits: Option<Bits>,
    pub ty: QualType,
    pub what: What<'e>,
    pub span: Span,
}

/// A flattened initialiser.
pub(super) struct Flat<'e> {
    pub entries: Vec<Entry<'e>>,
    /// The ways of all entries, one after the other.
    ways: Vec<Step>,
    /// One past the greatest index of the outermost array.
    pub length: u64,
    pub has_designators: bool,
    pub has_ranges: bool,
    /// Where we are: the way, and for each step the offset and the bits.
    path: Vec<Step>,
    at: Vec<(u64, Option<Bits>)>,
    /// No entry so far ends behind this offset.
    end: u64,
}

/// A part of an aggregate.
struct Part {
    step: Step,
    ty: QualType,
    offset: u64,
    bits: Option<Bits>,
}

impl<'e> Flat<'e> {
    fn enter(&mut self, part: &Part) {
        if self.path.is_empty()
            && let Step::Index(i) = part.step
        {
            self.length = self.length.max(i + 1);
        }
        self.path.push(part.step);
        self.at.push((self.offset().saturating_add(part.offset), part.bits));
    }

    fn leave(&mut self) {
        self.path.pop();
        self.at.pop();
    }

    fn offset(&self) -> u64 {
        self.at.last().map_or(0, |a| a.0)
    }

    /// Whether an earlier entry may have put something at or behind this place.
    fn revisits(&self) -> bool {
        self.offset() < self.end
    }

    fn push(&mut self, ty: QualType, what: What<'e>, size: u64, span: Span) {
        let start = self.ways.len();
        self.ways.extend_from_slice(&self.path);
        let (offset, bits) = self.at.last().copied().unwrap_or((0, None));
        self.end = self.end.max(offset.saturating_add(bits.map_or(size, Bits::bytes)));
        self.entries.push(Entry { way: (start, self.ways.len()), offset, bits, ty, what, span });
    }

    /// The way to an entry's place.
    pub fn way(&self, entry: &Entry<'_>) -> &[Step] {
        &self.ways[entry.way.0..entry.way.1]
    }

    /// The step that the last entry inside the current place took there; `None` if there is no such entry.
    fn last_step_inside(&self) -> Option<Step> {
        self.entries.iter().rev().find_map(|e| self.way(e).strip_prefix(self.path.as_slice())?.first().copied())
    }
}

impl Lower<'_> {
    /// The entries of an initialiser for an object of type `ty`.
    pub(super) fn flatten<'e>(&mut self, ty: QualType, init: Initial<'e>) -> Res<Flat<'e>> {
        let mut flat = Flat {
            entries: Vec::new(),
            ways: Vec::new(),
            length: 0,
            has_designators: false,
            has_ranges: false,
            path: Vec::new(),
            at: Vec::new(),
            end: 0,
        };
        self.init_object(&mut flat, ty, init)?;
        Ok(flat)
    }

    fn put<'e>(&self, flat: &mut Flat<'e>, ty: QualType, what: What<'e>, span: Span) -> Res<()> {
        if flat.entries.len() >= MAX_ENTRIES {
            return self.error(span, "the initialiser has too many elements");
        }
        flat.push(ty, what, self.types.size_of(ty.ty).unwrap_or(0), span);
        Ok(())
    }

    fn init_object<'e>(&mut self, flat: &mut Flat<'e>, ty: QualType, init: Initial<'e>) -> Res<()> {
        let is_array = matches!(self.types.get(ty.ty), Type::Array { .. });
        match init {
            Initial::Expr(e) => {
                if self.try_text(flat, ty, e)? {
                    return Ok(());
                }
                match &e.node {
                    // GNU: an array from a compound literal of array type is its list.
                    Expression::CompoundLiteral(c) if is_array => {
                        let literal = self.type_name(&c.node.type_name)?;
                        if let (true, Type::Array { length: Length::Fixed(n), .. }) =
                            (flat.path.is_empty(), self.types.get(literal.ty))
                        {
                            flat.length = flat.length.max(*n);
                        }
                        self.init_braced(flat, ty, &c.node.initializer_list, e.span)
                    }
                    _ if is_array => self.error(e.span, "an array is initialised by a list or a string"),
                    _ => self.put(flat, ty, What::Expr(e), e.span),
                }
            }
            Initial::List(items, span) => {
                if let [only] = items
                    && only.node.designation.is_empty()
                    && let Initial::Expr(e) = Initial::from(&*only.node.initializer)
                    && self.try_text(flat, ty, e)?
                {
                    return Ok(());
                }
                if !is_array && !matches!(self.types.get(ty.ty), Type::Record(_) | Type::Vector { .. }) {
                    return match items {
                        [] => self.put(flat, ty, What::Clear, span),
                        [first, rest @ ..] => {
                            if let Some(more) = rest.first() {
                                let place = self.place(more.span);
                                self.warn(place, "more initialisers than members");
                            }
                            self.init_object(flat, ty, Initial::from(&*first.node.initializer))
                        }
                    };
                }
                self.init_braced(flat, ty, items, span)
            }
        }
    }

    /// A string into an array of characters.
    fn try_text<'e>(&mut self, flat: &mut Flat<'e>, ty: QualType, e: &'e Node<Expression>) -> Res<bool> {
        let (Type::Array { element, length }, Expression::StringLiteral(s)) = (self.types.get(ty.ty), &e.node) else {
            return Ok(false);
        };
        let (element, length) = (*element, *length);
        let text = self.text(&s.node, e.span)?;
        if !self.is_integer(element.ty) || self.types.size_of(element.ty) != self.types.size_of(text.element) {
            return Ok(false);
        }
        let mut units = text.units;
        units.push(0);
        if flat.path.is_empty() {
            flat.length = units.len() as u64;
        }
        let ty = match length {
            Length::Fixed(n) => {
                units.truncate(usize::try_from(n).unwrap_or(usize::MAX));
                ty
            }
            Length::Unknown | Length::Variable(_) => {
                self.check_flexible(flat, e.span)?;
                self.types.array_of(element, Length::Fixed(units.len() as u64)).into()
            }
        };
        let bytes = self.text_bytes(&units, text.element);
        if flat.revisits() {
            self.put(flat, ty, What::Clear, e.span)?;
        }
        self.put(flat, ty, What::Text(bytes), e.span)?;
        Ok(true)
    }

    /// A flexible array member has content only as the last member of the object itself.
    fn check_flexible(&self, flat: &Flat<'_>, span: Span) -> Res<()> {
        if flat.path.len() > 1 {
            return self.error(span, "a flexible array member inside another object cannot be initialised");
        }
        Ok(())
    }

    fn init_braced<'e>(&mut self, flat: &mut Flat<'e>, ty: QualType, items: Items<'e>, span: Span) -> Res<()> {
        if flat.revisits() {
            self.put(flat, ty, What::Clear, span)?;
        }
        if let Type::Array { length: Length::Unknown, .. } = self.types.get(ty.ty) {
            self.check_flexible(flat, span)?;
        }
        let mut at = 0;
        let mut position = 0;
        while at < items.len() {
            let item = &items[at];
            if !item.node.designation.is_empty() {
                flat.has_designators = true;
                position = self.designated(flat, ty, &item.node.designation, items, &mut at)?;
                continue;
            }
            let Some((part, next)) = self.part(ty.ty, position) else {
                // More values than places: gcc warns and drops them.
                let place = self.place(item.span);
                self.warn(place, "more initialisers than members");
                at += 1;
                continue;
            };
            flat.enter(&part);
            self.init_sub(flat, part.ty, items, &mut at)?;
            flat.leave();
            position = next;
        }
        Ok(())
    }

    /// Follows the first designator and goes on behind it; answers the position after it in `ty`.
    fn designated<'e>(
        &mut self,
        flat: &mut Flat<'e>,
        ty: QualType,
        designators: &'e [Node<Designator>],
        items: Items<'e>,
        at: &mut usize,
    ) -> Res<u64> {
        let Some((first, rest)) = designators.split_first() else { return Ok(0) };
        let (low, high) = match &first.node {
            Designator::Member(id) => {
                let Type::Record(record) = *self.types.get(ty.ty) else {
                    return self.error(first.span, "only structs and unions have members");
                };
                let Some(way) = self.find_member(record, &id.node.name) else {
                    let ty = self.types.show(ty.ty);
                    return self.error(first.span, format!("{ty} has no member {}", id.node.name));
                };
                self.designated_member(flat, &way, rest, items, at)?;
                return Ok(way.first().map_or(0, |(_, field)| u64::from(*field) + 1));
            }
            Designator::Index(e) => {
                let i = self.constant_u64(e)?;
                (i, i)
            }
            Designator::Range(r) => {
                flat.has_ranges = true;
                (self.constant_u64(&r.node.from)?, self.constant_u64(&r.node.to)?)
            }
        };
        if high < low || high - low >= MAX_ENTRIES as u64 {
            return self.error(first.span, "this range of elements is empty or too long");
        }
        let start = *at;
        for index in low..=high {
            *at = start;
            let Some(part) = self.element_part(ty.ty, index) else {
                return self.error(first.span, "there is no such element");
            };
            flat.enter(&part);
            self.designated_value(flat, part.ty, rest, items, at)?;
            flat.leave();
        }
        Ok(high + 1)
    }

    /// A member, through anonymous members; values that follow go on behind it inside those.
    fn designated_member<'e>(
        &mut self,
        flat: &mut Flat<'e>,
        way: &[(RecordId, u32)],
        rest: &'e [Node<Designator>],
        items: Items<'e>,
        at: &mut usize,
    ) -> Res<()> {
        let Some(((record, field), inner)) = way.split_first() else { return Ok(()) };
        let part = self.member_part(*record, *field);
        if self.types.records[*record].kind == RecordKind::Union
            && flat.revisits()
            && flat.last_step_inside().is_some_and(|step| step != part.step)
        {
            // Another member of the union takes the place of the one before.
            let union = self.types.intern(Type::Record(*record));
            self.put(flat, union.into(), What::Clear, items[*at].span)?;
        }
        flat.enter(&part);
        if inner.is_empty() {
            self.designated_value(flat, part.ty, rest, items, at)?;
        } else {
            self.designated_member(flat, inner, rest, items, at)?;
            let next = u64::from(inner[0].1) + 1;
            self.init_elided(flat, part.ty, next, items, at)?;
        }
        flat.leave();
        Ok(())
    }

    fn designated_value<'e>(
        &mut self,
        flat: &mut Flat<'e>,
        ty: QualType,
        rest: &'e [Node<Designator>],
        items: Items<'e>,
        at: &mut usize,
    ) -> Res<()> {
        if rest.is_empty() {
            return self.init_sub(flat, ty, items, at);
        }
        let next = self.designated(flat, ty, rest, items, at)?;
        self.init_elided(flat, ty, next, items, at)
    }

    /// Goes on without braces at `position`, as far as values without designators last.
    fn init_elided<'e>(
        &mut self,
        flat: &mut Flat<'e>,
        ty: QualType,
        position: u64,
        items: Items<'e>,
        at: &mut usize,
    ) -> Res<()> {
        let mut position = position;
        while *at < items.len() && items[*at].node.designation.is_empty() {
            let Some((part, next)) = self.part(ty.ty, position) else { return Ok(()) };
            flat.enter(&part);
            self.init_sub(flat, part.ty, items, at)?;
            flat.leave();
            position = next;
        }
        Ok(())
    }

    /// One part of an aggregate from the next value, or values.
    fn init_sub<'e>(&mut self, flat: &mut Flat<'e>, ty: QualType, items: Items<'e>, at: &mut usize) -> Res<()> {
        let init = Initial::from(&*items[*at].node.initializer);
        let Initial::Expr(e) = init else {
            *at += 1;
            return self.init_object(flat, ty, init);
        };
        if self.try_text(flat, ty, e)? {
            *at += 1;
            return Ok(());
        }
        let whole = match self.types.get(ty.ty) {
            Type::Record(_) | Type::Vector { .. } => self.is_whole(e, ty.ty),
            Type::Array { .. } => false,
            _ => true,
        };
        if whole {
            *at += 1;
            return self.put(flat, ty, What::Expr(e), e.span);
        }
        if let Type::Array { length: Length::Unknown, .. } = self.types.get(ty.ty) {
            self.check_flexible(flat, e.span)?;
        }
        let before = *at;
        // The first value belongs to the first part even if a designator led here.
        if let Some((part, next)) = self.part(ty.ty, 0) {
            flat.enter(&part);
            self.init_sub(flat, part.ty, items, at)?;
            flat.leave();
            self.init_elided(flat, ty, next, items, at)?;
        }
        if *at == before {
            // Nothing to initialise in there (an empty struct): the value is dropped, as gcc does.
            *at += 1;
        }
        Ok(())
    }

    /// Whether an expression initialises a whole record or vector, not its first part.
    fn is_whole(&mut self, e: &Node<Expression>, ty: TypeId) -> bool {
        if matches!(e.node, Expression::Constant(_) | Expression::StringLiteral(_)) {
            return false;
        }
        let found = match &e.node {
            Expression::CompoundLiteral(c) => self.type_name(&c.node.type_name),
            _ => self.type_of(e),
        };
        let same_kind = |found: TypeId| match (self.types.get(found), self.types.get(ty)) {
            (Type::Record(_), Type::Record(_)) => self.compatible(found, ty) || self.same_tag(found, ty),
            (Type::Vector { .. }, Type::Vector { .. }) => true,
            _ => false,
        };
        found.is_ok_and(|found| same_kind(found.ty))
    }

    /// The part of an aggregate at `position`, and the position behind it: unnamed bit-fields do not count, of a union only the
    /// first member does.
    fn part(&self, ty: TypeId, position: u64) -> Option<(Part, u64)> {
        let Type::Record(id) = *self.types.get(ty) else {
            return Some((self.element_part(ty, position)?, position + 1));
        };
        let record = &self.types.records[id];
        if record.kind == RecordKind::Union && position > 0 {
            return None;
        }
        let from = usize::try_from(position).ok()?;
        let named = |m: &Member| !(m.name.is_empty() && m.bits.is_some());
        let skipped = record.members.get(from..)?.iter().position(named)?;
        let index = from + skipped;
        Some((self.member_part(id, index as u32), index as u64 + 1))
    }

    fn member_part(&self, record: RecordId, field: u32) -> Part {
        let member = &self.types.records[record].members[field as usize];
        Part { step: Step::Field(record, field), ty: member.ty, offset: member.offset, bits: member.bits }
    }

    fn element_part(&self, ty: TypeId, index: u64) -> Option<Part> {
        let (element, length) = match self.types.get(ty) {
            Type::Array { element, length: Length::Fixed(n) } => (*element, *n),
            Type::Array { element, length: Length::Unknown } => (*element, u64::MAX),
            Type::Vector { element, lanes } => ((*element).into(), u64::from(*lanes)),
            _ => return None,
        };
        let offset = index.checked_mul(self.types.size_of(element.ty)?)?;
        let inside = index < length && offset < i64::MAX as u64;
        inside.then_some(Part { step: Step::Index(index), ty: element, offset, bits: None })
    }
}
