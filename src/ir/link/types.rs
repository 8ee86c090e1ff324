//! One table of types from those of all units.
//!
//! Each unit has read the headers for itself, so the same struct is there once per unit. Two records become one if they have the
//! same kind, name, layout and members, where the members' types are compared under the same question (co-inductively: `struct
//! list { struct list *next; }` of two units are one). The answer is the coarsest partition that is stable: start with records
//! of equal shape in one class, translate all types under these classes, split classes whose members' types now differ, and
//! repeat until nothing splits. An incomplete record is in the class of the complete one of its tag if there is exactly one.
//!
//! Invariant: types that are equal up to merged records have one id in the result.
//! Cost: linear in the size of all tables per round; rounds beyond the second are due to same-named types that differ.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::super::types::{EnumId, FunctionType, Member, QualType, RecordId, RecordKind, Type, TypeId, Types};
use crate::base::IdVec;

/// Where one unit's types went.
pub(super) struct TypeMap {
    types: IdVec<TypeId, TypeId>,
    records: IdVec<RecordId, RecordId>,
}

impl TypeMap {
    pub fn ty(&self, id: TypeId) -> TypeId {
        self.types[id]
    }
    pub fn qual(&self, ty: QualType) -> QualType {
        QualType { ty: self.types[ty.ty], quals: ty.quals }
    }
    pub fn record(&self, id: RecordId) -> RecordId {
        self.records[id]
    }
}

/// The classes of one unit's records or enums.
type Classes<I> = Vec<IdVec<I, I>>;

/// Merges the tables, of which there is at least one; all have the same data model.
pub(super) fn merge(units: &[&Types]) -> (Types, Vec<TypeMap>) {
    let enums = enum_classes(units);
    let mut records = initial_classes(units);
    loop {
        let (mut types, maps) = translate(units, &records.0, &enums.0);
        let refined = refine(units, &maps, &records.0);
        if refined.1 == records.1 {
            add_records(&mut types, units, &maps, &records);
            add_enums(&mut types, units, &enums);
            let maps = maps.into_iter().zip(records.0).map(|(types, records)| TypeMap { types, records }).collect();
            return (types, maps);
        }
        records = refined;
    }
}

/// Gives each distinct key a number, in the order of first use.
struct Numbering<K> {
    numbers: FxHashMap<K, usize>,
    /// Numbers given out without a key.
    more: usize,
}

impl<K: Hash + Eq> Numbering<K> {
    fn new() -> Self {
        Numbering { numbers: FxHashMap::default(), more: 0 }
    }
    fn len(&self) -> usize {
        self.numbers.len() + self.more
    }
    fn of(&mut self, key: K) -> usize {
        let next = self.len();
        *self.numbers.entry(key).or_insert(next)
    }
    fn fresh(&mut self) -> usize {
        self.more += 1;
        self.len() - 1
    }
}

/// The complete classes of each tag.
#[derive(Clone, Copy)]
enum Complete {
    One(usize),
    Many,
}

impl Complete {
    fn and(self, class: usize) -> Complete {
        match self {
            Complete::One(known) if known == class => self,
            Complete::One(_) | Complete::Many => Complete::Many,
        }
    }
}

/// Classes of all items: of the complete ones as `key` tells, of the incomplete ones by their tag. Also the number of classes.
fn classify<I: crate::base::id::Id, K: Hash + Eq, T: Hash + Eq>(
    lengths: impl Iterator<Item = usize> + Clone,
    tag: impl Fn(usize, I) -> Option<T>,
    mut key: impl FnMut(usize, I) -> Option<K>,
) -> (Classes<I>, usize) {
    let mut numbering = Numbering::new();
    let mut tags: FxHashMap<T, Complete> = FxHashMap::default();
    let mut classes: Classes<I> = lengths.map(|n| IdVec::filled(I::new(0), n)).collect();
    let mut incomplete = Vec::new();
    for (unit, of) in classes.iter_mut().enumerate() {
        for (id, class) in of.enumerate_mut() {
            let Some(key) = key(unit, id) else {
                incomplete.push((unit, id));
                continue;
            };
            let number = numbering.of(key);
            *class = I::new(number);
            if let Some(tag) = tag(unit, id) {
                tags.entry(tag).and_modify(|c| *c = c.and(number)).or_insert(Complete::One(number));
            }
        }
    }
    let mut opaque: FxHashMap<T, usize> = FxHashMap::default();
    for (unit, id) in incomplete {
        let number = match tag(unit, id) {
            None => numbering.fresh(),
            Some(tag) => match tags.get(&tag) {
                Some(Complete::One(number)) => *number,
                Some(Complete::Many) | None => *opaque.entry(tag).or_insert_with(|| numbering.fresh()),
            },
        };
        classes[unit][id] = I::new(number);
    }
    (classes, numbering.len())
}

fn enum_classes(units: &[&Types]) -> (Classes<EnumId>, usize) {
    classify(
        units.iter().map(|u| u.enums.len()),
        |unit, id: EnumId| Some(units[unit].enums[id].name.as_str()).filter(|n| !n.is_empty()),
        |unit, id| {
            let e = &units[unit].enums[id];
            e.complete.then_some((e.name.as_str(), e.underlying, e.constants.as_slice()))
        },
    )
}

fn record_tag<'a>(units: &[&'a Types], unit: usize, id: RecordId) -> Option<(RecordKind, &'a str)> {
    let record = &units[unit].records[id];
    (!record.name.is_empty()).then_some((record.kind, record.name.as_str()))
}

/// Records of equal shape, whatever the types of their members.
fn initial_classes(units: &[&Types]) -> (Classes<RecordId>, usize) {
    classify(
        units.iter().map(|u| u.records.len()),
        |unit, id| record_tag(units, unit, id),
        |unit, id: RecordId| {
            let r = &units[unit].records[id];
            let member = |m: &'_ Member| (m.offset, m.bits, m.ty.quals);
            r.complete.then(|| {
                let names: Vec<&str> = r.members.iter().map(|m| m.name.as_str()).collect();
                let members: Vec<_> = r.members.iter().map(member).collect();
                (r.kind, r.name.as_str(), (r.size, r.align, r.transparent), names, members)
            })
        },
    )
}

/// Splits classes by the types of the members.
fn refine(
    units: &[&Types],
    maps: &[IdVec<TypeId, TypeId>],
    old: &[IdVec<RecordId, RecordId>],
) -> (Classes<RecordId>, usize) {
    classify(
        units.iter().map(|u| u.records.len()),
        |unit, id| record_tag(units, unit, id),
        |unit, id: RecordId| {
            let r = &units[unit].records[id];
            r.complete.then(|| {
                let members: Vec<TypeId> = r.members.iter().map(|m| maps[unit][m.ty.ty]).collect();
                (old[unit][id], members)
            })
        },
    )
}

/// All types in one table, with records and enums named by their class. The table's own records and enums are still empty.
fn translate(
    units: &[&Types],
    records: &[IdVec<RecordId, RecordId>],
    enums: &[IdVec<EnumId, EnumId>],
) -> (Types, Vec<IdVec<TypeId, TypeId>>) {
    let mut table = Types::new(units[0].model.clone());
    let mut maps = Vec::with_capacity(units.len());
    for (unit, types) in units.iter().enumerate() {
        let mut map: IdVec<TypeId, TypeId> = IdVec::new();
        for (_, ty) in types.iter() {
            let qual = |q: QualType| QualType { ty: map[q.ty], quals: q.quals };
            let ty = match ty {
                Type::Void | Type::Bool | Type::Int(_) | Type::Float(_) | Type::Complex(_) => ty.clone(),
                Type::Enum(id) => Type::Enum(enums[unit][*id]),
                Type::Record(id) => Type::Record(records[unit][*id]),
                Type::Pointer(target) => Type::Pointer(qual(*target)),
                Type::Array { element, length } => Type::Array { element: qual(*element), length: *length },
                Type::Vector { element, lanes } => Type::Vector { element: map[*element], lanes: *lanes },
                Type::Function(f) => Type::Function(FunctionType {
                    result: map[f.result],
                    params: f.params.iter().map(|p| map[*p]).collect(),
                    variadic: f.variadic,
                    prototype: f.prototype,
                }),
            };
            map.push(table.intern(ty));
        }
        maps.push(map);
    }
    (table, maps)
}

/// The first complete member of each class, or else the first.
fn representatives<I: crate::base::id::Id>(
    classes: &(Classes<I>, usize),
    complete: impl Fn(usize, I) -> bool,
) -> Vec<(usize, I)> {
    let mut found: Vec<Option<(usize, I, bool)>> = vec![None; classes.1];
    for (unit, of) in classes.0.iter().enumerate() {
        for (id, class) in of.enumerate() {
            let slot = &mut found[class.index()];
            let complete = complete(unit, id);
            if slot.is_none_or(|(_, _, known)| complete && !known) {
                *slot = Some((unit, id, complete));
            }
        }
    }
    found.into_iter().map(|slot| slot.expect("every class has a member")).map(|(unit, id, _)| (unit, id)).collect()
}

fn add_records(
    types: &mut Types,
    units: &[&Types],
    maps: &[IdVec<TypeId, TypeId>],
    classes: &(Classes<RecordId>, usize),
) {
    for (unit, id) in representatives(classes, |unit, id| units[unit].records[id].complete) {
        let mut record = units[unit].records[id].clone();
        for member in &mut record.members {
            member.ty.ty = maps[unit][member.ty.ty];
        }
        types.records.push(record);
    }
}

fn add_enums(types: &mut Types, units: &[&Types], classes: &(Classes<EnumId>, usize)) {
    for (unit, id) in representatives(classes, |unit, id| units[unit].enums[id].complete) {
        types.enums.push(units[unit].enums[id].clone());
    }
}
