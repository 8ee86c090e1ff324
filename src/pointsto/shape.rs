//! How an object is divided: a tree of its parts, by type, in which an array is one element.
//!
//! A *part* is a structure, an array, or a *leaf*: a scalar, a union (whose members overlap, so it is not divided), bit-fields that share
//! bytes, or anything whose type tells nothing. A pointer into an object points to a part: `&s` to the structure, `s.name` after its decay to
//! the element of the array `name`, though all of these are one address. So `((char *)&s)[i]` may be any byte of `s`, and
//! `s.name[i]` stays in `name`.
//!
//! What leads to no part of the tree (`None`) is *somewhere in the object*. An array is taken to be left by no pointer that came into it,
//! which is the assumption that accesses stay inside their objects.
//!
//! Cost: a tree has at most `MOST` parts, larger types are one leaf; a step is linear in the depth, or in the siblings passed.

use rustc_hash::FxHashMap;

use crate::base::IdVec;
use crate::define_id;
use crate::ir::{Length, RecordId, RecordKind, Type, TypeId, Types};

define_id!(/// The tree of one type.
    ShapeId, "shape");

/// The largest tree.
const MOST: usize = 2000;

/// A part, by its number in the tree: its parts follow it. 0 is the whole.
pub type PartId = u32;

/// A part of an object.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its type; of bit-fields that share bytes, the first one's.
    pub ty: TypeId,
    /// Where it starts; of what is inside an array, in the first element.
    pub offset: u64,
    /// Its bytes, 0 where that is not known: it may have any number.
    pub size: u64,
    /// What it is a part of; the whole is a part of itself.
    pub parent: PartId,
    /// The part after its last.
    pub end: PartId,
    /// Its first leaf, and the one after its last.
    pub leaves: (u32, u32),
    /// What it is.
    pub kind: PartKind,
    /// Whether an array is around it, so that it stands for several places.
    pub repeated: bool,
}

/// What a part is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartKind {
    /// A structure, with the part of each member.
    Record(RecordId, Vec<PartId>),
    /// An array of elements of so many bytes; its only part is the element.
    Array(u64),
    /// It has no parts.
    Leaf,
}

/// The tree of one type.
#[derive(Clone, Debug)]
pub struct Shape {
    parts: Vec<Part>,
    /// The part of each leaf.
    leaves: Vec<PartId>,
    /// The type was too large to be divided.
    pub cut: bool,
}

/// The trees of types, made as they are asked for.
#[derive(Debug, Default)]
pub struct Shapes {
    all: IdVec<ShapeId, Shape>,
    known: FxHashMap<(Option<TypeId>, bool), ShapeId>,
}

impl Shapes {
    /// The tree of a type.
    pub fn of(&mut self, types: &Types, ty: TypeId) -> ShapeId {
        self.make(types, Some(ty), false)
    }
    /// The tree of any number of elements of a type, as memory from `malloc` is.
    pub fn many(&mut self, types: &Types, ty: TypeId) -> ShapeId {
        self.make(types, Some(ty), true)
    }
    /// An object of which nothing is known: one leaf.
    pub fn blob(&mut self, types: &Types) -> ShapeId {
        self.make(types, None, false)
    }
    /// The tree.
    pub fn get(&self, id: ShapeId) -> &Shape {
        &self.all[id]
    }
    fn make(&mut self, types: &Types, ty: Option<TypeId>, many: bool) -> ShapeId {
        if let Some(id) = self.known.get(&(ty, many)) {
            return *id;
        }
        let mut maker = Maker { types, parts: Vec::new(), leaves: Vec::new() };
        let fits = match ty {
            Some(ty) if many => maker.array(ty, 0, 0, 0),
            Some(ty) => maker.part(ty, 0, 0, false),
            None => {
                maker.leaf(Types::VOID, 0, 0, 0, false);
                Some(())
            }
        };
        if fits.is_none() {
            (maker.parts, maker.leaves) = (Vec::new(), Vec::new());
            let size = if many { 0 } else { ty.and_then(|ty| types.size_of(ty)).unwrap_or(0) };
            maker.leaf(ty.unwrap_or(Types::VOID), 0, size, 0, many);
        }
        let id = self.all.push(Shape { parts: maker.parts, leaves: maker.leaves, cut: fits.is_none() });
        self.known.insert((ty, many), id);
        id
    }
}

struct Maker<'a> {
    types: &'a Types,
    parts: Vec<Part>,
    leaves: Vec<PartId>,
}

impl Maker<'_> {
    /// Adds the part of a type; `None` if the tree becomes too large.
    fn part(&mut self, ty: TypeId, offset: u64, parent: PartId, repeated: bool) -> Option<()> {
        if self.parts.len() >= MOST {
            return None;
        }
        match self.types.get(ty) {
            Type::Record(id) if self.divides(*id) => self.record(ty, *id, offset, parent, repeated),
            Type::Array { element, length } => {
                let size = match length {
                    Length::Fixed(count) => count.saturating_mul(self.types.size_of(element.ty).unwrap_or(0)),
                    Length::Unknown | Length::Variable(_) => 0,
                };
                self.array(element.ty, size, offset, parent)
            }
            Type::Record(_)
            | Type::Void
            | Type::Bool
            | Type::Int(_)
            | Type::Float(_)
            | Type::Complex(_)
            | Type::Enum(_)
            | Type::Pointer(_)
            | Type::Vector { .. }
            | Type::Function(_) => {
                self.leaf(ty, offset, self.types.size_of(ty).unwrap_or(0), parent, repeated);
                Some(())
            }
        }
    }
    /// Whether a record is divided into its members.
    fn divides(&self, id: RecordId) -> bool {
        let record = &self.types.records[id];
        record.kind == RecordKind::Struct && record.complete && !record.members.is_empty()
    }
    fn push(&mut self, ty: TypeId, offset: u64, size: u64, parent: PartId, kind: PartKind, repeated: bool) -> PartId {
        let id = self.parts.len() as PartId;
        let leaf = self.leaves.len() as u32;
        self.parts.push(Part { ty, offset, size, parent, end: id + 1, leaves: (leaf, leaf), kind, repeated });
        id
    }
    fn close(&mut self, id: PartId) {
        let (end, leaf) = (self.parts.len() as PartId, self.leaves.len() as u32);
        let part = &mut self.parts[id as usize];
        part.end = end;
        part.leaves.1 = leaf;
    }
    fn leaf(&mut self, ty: TypeId, offset: u64, size: u64, parent: PartId, repeated: bool) {
        let id = self.push(ty, offset, size, parent, PartKind::Leaf, repeated);
        self.leaves.push(id);
        self.close(id);
    }
    fn array(&mut self, element: TypeId, size: u64, offset: u64, parent: PartId) -> Option<()> {
        let stride = self.types.size_of(element).unwrap_or(0);
        let id = self.push(element, offset, size, parent, PartKind::Array(stride), true);
        self.part(element, offset, id, true)?;
        self.close(id);
        Some(())
    }
    fn record(&mut self, ty: TypeId, record: RecordId, offset: u64, parent: PartId, repeated: bool) -> Option<()> {
        let definition = &self.types.records[record];
        let kind = PartKind::Record(record, Vec::new());
        let id = self.push(ty, offset, definition.size, parent, kind, repeated);
        let mut members = Vec::with_capacity(definition.members.len());
        for member in &definition.members {
            let at = offset + member.offset;
            let Some(bits) = member.bits else {
                members.push(self.parts.len() as PartId);
                self.part(member.ty.ty, at, id, repeated)?;
                continue;
            };
            // Bit-fields that share bytes are one leaf.
            let end = at + bits.bytes();
            match self.parts.last_mut() {
                Some(last) if last.parent == id && last.kind == PartKind::Leaf && last.offset + last.size > at => {
                    last.size = last.size.max(end - last.offset);
                    members.push(self.parts.len() as PartId - 1);
                }
                _ => {
                    members.push(self.parts.len() as PartId);
                    self.leaf(member.ty.ty, at, end - at, id, repeated);
                }
            }
        }
        self.parts[id as usize].kind = PartKind::Record(record, members);
        self.close(id);
        Some(())
    }
}

impl Shape {
    /// All parts; the whole is the first.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }
    /// A part.
    pub fn part(&self, id: PartId) -> &Part {
        &self.parts[id as usize]
    }
    /// How many leaves there are.
    pub fn leaf_count(&self) -> u32 {
        self.leaves.len() as u32
    }
    /// The part that a leaf is.
    pub fn leaf(&self, leaf: u32) -> PartId {
        self.leaves[leaf as usize]
    }
    /// Whether the object may have any size: memory from `malloc`, or of unknown type.
    fn is_open(&self) -> bool {
        self.parts[0].size == 0
    }
    /// The arrays around a part, the innermost first.
    fn arrays(&self, part: PartId) -> impl Iterator<Item = (PartId, u64)> {
        self.above(part).skip(1).filter_map(|at| match self.part(at).kind {
            PartKind::Array(stride) => Some((at, stride)),
            PartKind::Record(..) | PartKind::Leaf => None,
        })
    }
    /// A part and what it is part of, up to the whole.
    fn above(&self, part: PartId) -> impl Iterator<Item = PartId> {
        std::iter::successors(Some(part), |at| (*at != 0).then(|| self.part(*at).parent))
    }
    /// Whether the part is an element of an array.
    pub fn is_element(&self, part: PartId) -> bool {
        part != 0 && matches!(self.part(self.part(part).parent).kind, PartKind::Array(_))
    }
    /// The element, if the part is an array: what a pointer to an array points to after its decay.
    pub fn decay(&self, part: PartId) -> PartId {
        match self.part(part).kind {
            PartKind::Array(_) => part + 1,
            PartKind::Record(..) | PartKind::Leaf => part,
        }
    }
    /// The part at the same place that is of this type.
    pub fn at_same_place(&self, part: PartId, ty: TypeId) -> Option<PartId> {
        let offset = self.part(part).offset;
        let is_array = |at: &PartId| matches!(self.part(*at).kind, PartKind::Array(_));
        let fits = |at: &PartId| self.part(*at).ty == ty && !is_array(at);
        let down = std::iter::successors(Some(part), |at| {
            let next = at + 1;
            (next < self.part(*at).end && self.part(next).offset == offset).then_some(next)
        });
        let up = self.above(part).take_while(|at| self.part(*at).offset == offset);
        down.into_iter().find(fits).or_else(|| up.into_iter().find(fits))
    }
    /// The member of the record at a part.
    pub fn field(&self, types: &Types, part: PartId, record: RecordId, member: u32) -> Option<PartId> {
        let is_it = |at: PartId| matches!(&self.part(at).kind, PartKind::Record(id, _) if *id == record);
        let offset = self.part(part).offset;
        let down = std::iter::successors(Some(part), |at| {
            let next = at + 1;
            (next < self.part(*at).end && self.part(next).offset == offset).then_some(next)
        });
        let up = self.above(part).take_while(|at| self.part(*at).offset == offset);
        if let Some(at) = down.chain(up).find(|at| is_it(*at)) {
            let PartKind::Record(_, members) = &self.part(at).kind else { unreachable!("it was found as a record") };
            return members.get(member as usize).copied();
        }
        let definition = &types.records[record];
        let Some(member) = definition.members.get(member as usize) else { return Some(part) };
        let size = match member.bits {
            Some(bits) => bits.bytes(),
            None => types.size_of(member.ty.ty).unwrap_or(0),
        };
        self.shift(part, i128::from(member.offset), size)
    }
    /// So many bytes on.
    pub fn add(&self, part: PartId, bytes: i128) -> Option<PartId> {
        let at = self.part(part);
        if bytes == 0 {
            return Some(part);
        }
        let steps = |array: PartId, stride: u64| {
            let size = self.part(array).size;
            stride > 0 && bytes % i128::from(stride) == 0 && (size == 0 || bytes.unsigned_abs() < u128::from(size))
        };
        if self.arrays(part).any(|(array, stride)| steps(array, stride)) {
            return Some(part);
        }
        if let PartKind::Array(stride) = at.kind
            && steps(part, stride)
        {
            return Some(part + 1);
        }
        // Which element it started from is not known: outside its array it is anywhere.
        if self.is_element(part) && self.parts.len() > 1 && !self.holds(part, bytes) {
            return None;
        }
        self.shift(part, bytes, 0)
    }
    /// Whether a place so many bytes on is still in the part.
    fn holds(&self, part: PartId, bytes: i128) -> bool {
        bytes >= 0 && bytes < i128::from(self.part(part).size)
    }
    /// Any number of steps of so many bytes.
    pub fn add_any(&self, part: PartId, stride: u64) -> Option<PartId> {
        let fits = |size: u64| size > 0 && stride.is_multiple_of(size);
        if let PartKind::Array(size) = self.part(part).kind
            && fits(size)
            && !(self.is_element(part) && self.arrays(part).next().is_some_and(|(_, around)| fits(around)))
        {
            return Some(part + 1);
        }
        if self.arrays(part).any(|(_, size)| fits(size)) {
            return Some(part);
        }
        // Nothing is known of a leaf that is the whole of its object.
        (self.parts.len() == 1).then_some(part)
    }
    /// The part so many bytes from where a part starts, of which `size` bytes are meant (0: not known).
    fn shift(&self, part: PartId, bytes: i128, size: u64) -> Option<PartId> {
        if self.parts.len() == 1 {
            return Some(0);
        }
        let at = self.part(part);
        let to = i128::from(at.offset) + bytes;
        let holds = |p: &Part| {
            let (start, end) = (i128::from(p.offset), i128::from(p.offset) + i128::from(p.size));
            start <= to && to + i128::from(size.max(1)) <= end
        };
        if let Some(around) = self.above(part).find(|p| holds(self.part(*p))) {
            return self.find(around, to as u64, size);
        }
        // The place after the last byte is pointed to and not accessed.
        let end = i128::from(self.parts[0].offset) + i128::from(self.parts[0].size);
        (!self.is_open() && to == end && size == 0).then_some(part)
    }
    /// The outermost part of `around` that starts at an offset, or the leaf that holds the bytes.
    fn find(&self, around: PartId, offset: u64, size: u64) -> Option<PartId> {
        let part = self.part(around);
        if part.offset == offset && (size == 0 || part.size == 0 || size <= part.size) {
            return Some(around);
        }
        match &part.kind {
            PartKind::Leaf => Some(around),
            PartKind::Array(stride) => {
                if *stride == 0 {
                    return None;
                }
                let inside = (offset - part.offset) % stride;
                let element = self.part(around + 1);
                if inside + size > *stride {
                    return None;
                }
                self.find(around + 1, element.offset + inside, size)
            }
            PartKind::Record(_, members) => {
                let fits = |at: &PartId| {
                    let p = self.part(*at);
                    p.offset <= offset && (p.size == 0 || offset + size.max(1) <= p.offset + p.size)
                };
                let found = members.iter().copied().filter(fits).max_by_key(|at| self.part(*at).offset)?;
                self.find(found, offset, size)
            }
        }
    }
    /// The outermost part that starts at an offset of the object, as a static initialiser or an address names it.
    pub fn at(&self, offset: i64) -> Option<PartId> {
        self.add(0, i128::from(offset))
    }
    /// The leaf that holds a byte of the object.
    pub fn leaf_at(&self, offset: u64) -> Option<u32> {
        let mut at = self.find(0, offset, 1)?;
        while self.part(at).kind != PartKind::Leaf {
            at += 1;
        }
        Some(self.part(at).leaves.0)
    }
    /// The leaves that an access of so many bytes at a part touches; `None`: any of the object.
    pub fn touched(&self, part: PartId, size: u64) -> Option<(u32, u32)> {
        let at = self.part(part);
        if at.kind == PartKind::Leaf && (at.size == 0 || at.size >= size) {
            return Some(at.leaves);
        }
        let around = self.above(part).find(|p| self.part(*p).size >= size)?;
        let found = self.part(around);
        if around != part && matches!(found.kind, PartKind::Array(_)) {
            return Some(found.leaves);
        }
        let (start, end) = (at.offset, at.offset + size);
        let overlaps = |leaf: &u32| {
            // What is inside an array is anywhere in it.
            let part = self.leaf(*leaf);
            let outermost = self.arrays(part).map(|(array, _)| array).take_while(|a| *a > around).last();
            let p = self.part(outermost.unwrap_or(part));
            p.offset < end && (p.size == 0 || p.offset + p.size > start)
        };
        let first = (found.leaves.0..found.leaves.1).find(overlaps)?;
        let last = (found.leaves.0..found.leaves.1).rev().find(overlaps)?;
        Some((first, last + 1))
    }
    /// Whether an access of so many bytes writes all of a leaf, which stands for one place.
    pub fn covers(&self, leaf: u32, size: u64) -> bool {
        let part = self.part(self.leaf(leaf));
        !part.repeated && part.size > 0 && size >= part.size
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Bits, IntKind, Member, QualType, Record};
    use crate::source::DataModel;

    /// `struct In { char tag[4]; int n; }` and `struct Out { int a; struct In in[3]; void *p; unsigned x : 3, y : 5; }`
    fn types() -> (Types, TypeId, RecordId, RecordId) {
        let mut types = Types::new(DataModel::lp64());
        let tag = types.array_of(Types::CHAR.into(), Length::Fixed(4));
        let member = |name: &str, ty: TypeId, offset: u64, bits: Option<Bits>| Member {
            name: name.to_owned(),
            ty: QualType::from(ty),
            offset,
            bits,
        };
        let record = |members: Vec<Member>, size: u64| Record {
            kind: RecordKind::Struct,
            name: String::new(),
            members,
            size,
            align: 8,
            complete: true,
            transparent: false,
        };
        let inner = types.records.push(record(vec![member("tag", tag, 0, None), member("n", Types::INT, 4, None)], 8));
        let inner_ty = types.intern(Type::Record(inner));
        let three = types.array_of(inner_ty.into(), Length::Fixed(3));
        let bits = |offset, width| Some(Bits { offset, width });
        let outer = types.records.push(record(
            vec![
                member("a", Types::INT, 0, None),
                member("in", three, 4, None),
                member("p", Types::VOID_PTR, 32, None),
                member("x", Types::int(IntKind::UInt), 40, bits(0, 3)),
                member("y", Types::int(IntKind::UInt), 40, bits(3, 5)),
            ],
            48,
        ));
        let outer_ty = types.intern(Type::Record(outer));
        (types, outer_ty, inner, outer)
    }

    #[test]
    fn a_structure_is_divided_and_an_array_is_one_element() {
        let (types, outer_ty, inner, outer) = types();
        let mut shapes = Shapes::default();
        let id = shapes.of(&types, outer_ty);
        let shape = shapes.get(id);
        // a, in[].tag[], in[].n, p, x and y together
        assert_eq!(shape.leaf_count(), 5);
        let field = |part, record, member| shape.field(&types, part, record, member).expect("a part");
        let array = field(0, outer, 1);
        let element = shape.decay(array);
        assert!(shape.is_element(element));
        let tag = shape.decay(field(element, inner, 0));
        assert_eq!(shape.part(tag).ty, Types::CHAR);
        assert_eq!(field(0, outer, 3), field(0, outer, 4));
        // in[i].tag[j] stays, in[i].n + sizeof(struct In) is that of another element.
        let n = field(element, inner, 1);
        assert_eq!(shape.add_any(tag, 1), Some(tag));
        assert_eq!(shape.add_any(element, 8), Some(element));
        assert_eq!(shape.add_any(array, 8), Some(element));
        assert_eq!(shape.add(n, 8), Some(n));
        assert_eq!(shape.add_any(n, 8), Some(n));
        // Bytes of the structure, one by one, are any of its bytes.
        assert_eq!(shape.add_any(0, 1), None);
        assert_eq!(shape.add_any(element, 1), None);
        // From a member back to its structure, and from an element's member to the element.
        assert_eq!(shape.add(field(0, outer, 2), -32), Some(0));
        assert_eq!(shape.add(n, -4), Some(element));
        // Out of the array of which one element is as good as another.
        assert_eq!(shape.add(tag, -4), None);
        assert_eq!(shape.add(tag, 3), Some(tag));
        assert_eq!(shape.add(0, 32), Some(field(0, outer, 2)));
        assert_eq!(shape.at(20), Some(element), "in[2]");
        assert_eq!(shape.at(24), Some(n), "in[2].n");
        assert_eq!(shape.leaf_at(26), Some(shape.part(n).leaves.0));
    }

    #[test]
    fn an_access_touches_the_leaves_it_overlaps() {
        let (types, outer_ty, inner, outer) = types();
        let mut shapes = Shapes::default();
        let id = shapes.of(&types, outer_ty);
        let shape = shapes.get(id);
        let element = shape.decay(shape.field(&types, 0, outer, 1).expect("in"));
        let tag = shape.decay(shape.field(&types, element, inner, 0).expect("tag"));
        assert_eq!(shape.touched(0, 4), Some((0, 1)));
        assert_eq!(shape.touched(0, 48), Some((0, 5)));
        assert_eq!(shape.touched(0, 8), Some((0, 3)), "a and the start of in[0], of which any element is the same");
        assert_eq!(shape.touched(tag, 1), Some((1, 2)));
        assert_eq!(shape.touched(tag, 4), Some((1, 2)), "all of tag");
        assert_eq!(shape.touched(tag, 8), Some((1, 3)), "tag and n");
        assert!(shape.covers(0, 4) && !shape.covers(0, 2));
        assert!(!shape.covers(2, 4), "n stands for three");
    }

    #[test]
    fn of_memory_of_unknown_size_nothing_is_outside() {
        let (types, outer_ty, inner, _) = types();
        let mut shapes = Shapes::default();
        let many = shapes.many(&types, outer_ty);
        let blob = shapes.blob(&types);
        let shape = shapes.get(many);
        assert_eq!(shape.add_any(1, 48), Some(1));
        assert_eq!(shape.add(1, 96), Some(1));
        assert_eq!(shape.add(1, 52), None, "in another element");
        let shape = shapes.get(blob);
        assert_eq!(
            (shape.add(0, 77), shape.add_any(0, 3), shape.field(&types, 0, inner, 1)),
            (Some(0), Some(0), Some(0))
        );
        assert_eq!(shape.touched(0, 1000), Some((0, 1)));
    }
}
