//! A member in every object of its type.

use super::memory::Access;
use super::nearest;
use super::objects::{ByLine, has_member, in_memory, is_volatile, members, no_member, said};
use super::places::{Finder, Found, Miss, Side};
use crate::ir::{FuncId, InstKind, Operand, RecordId, RecordKind, Type, TypeId, Types};
use crate::pointsto::shape::{PartId, PartKind};
use crate::policy::pattern::{FieldPattern, Pattern};
use crate::sdg::memory::accesses::Cells;

/// `field`
pub(super) fn fields(finder: &Finder<'_>, pattern: &FieldPattern, side: Side) -> Result<Vec<Found>, Miss> {
    let (types, objects) = (&finder.view.program.types, &finder.view.points_to.objects);
    let name = pattern.record.text();
    let tags = tags(finder, name);
    let fits = |tag: &str| pattern.record.matches(tag) || tags.iter().any(|own| own == tag);
    let records: Vec<_> = types.records.enumerate().filter(|(_, r)| fits(&r.name)).map(|(id, _)| id).collect();
    if records.is_empty() {
        let known = types.records.iter().filter(|r| !r.members.is_empty()).map(|r| r.name.as_str());
        let help = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write the tag of a structure or union, or the name of its type".to_owned(),
        };
        return Err(Miss::new(format!("there is no structure `{name}` in this program"), help));
    }
    let has = |record: &RecordId| {
        let ty = types.iter().find(|(_, ty)| **ty == Type::Record(*record)).map(|(id, _)| id);
        ty.is_some_and(|ty| has_member(types, ty, &pattern.fields))
    };
    if !records.iter().any(has) {
        let of: Vec<TypeId> = types
            .iter()
            .filter(|(_, ty)| matches!(ty, Type::Record(id) if records.contains(id)))
            .map(|(id, _)| id)
            .collect();
        return Err(no_member(types, &of, name, &pattern.fields));
    }
    let mut cells = Cells::new();
    for (id, _) in objects.iter().filter(|(_, object)| !object.outside) {
        let shape = objects.shape(id);
        let mut parts = Vec::new();
        for (part, of) in shape.parts().iter().enumerate() {
            let is_it = match (&of.kind, types.get(of.ty)) {
                // A leaf that is a record is a union, or too large to be divided.
                (PartKind::Record(record, _), _) | (PartKind::Leaf, Type::Record(record)) => records.contains(record),
                (PartKind::Leaf | PartKind::Array(_), _) => false,
            };
            if is_it {
                members(types, shape, part as PartId, &pattern.fields, &mut parts);
            }
        }
        cells.extend(parts.iter().flat_map(|part| objects.cells_below(objects.place(id, Some(*part)))));
    }
    cells.union_with(&untyped(finder, &records, &pattern.fields));
    let what = std::iter::once(name).chain(pattern.fields.iter().map(Pattern::text)).collect::<Vec<_>>().join(".");
    let volatile = types.iter().any(|(id, ty)| {
        matches!(ty, Type::Record(record) if records.contains(record)) && is_volatile(types, id, &pattern.fields)
    });
    let fits = |access: &Access| !is_other(finder, access, &records, &pattern.fields);
    let mut spots = ByLine::default();
    in_memory(finder, &what, &cells, volatile, side, &mut spots, &fits);
    let found = spots.finish();
    if found.is_empty() {
        return Err(Miss::new(format!("`{what}` is never {}", said(side)), "code that no run comes to does not count"));
    }
    Ok(found)
}

/// The tags of structures that a `typedef` gives this name.
fn tags(finder: &Finder<'_>, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    for unit in &finder.view.sources.units {
        let pieces = unit.text.match_indices("typedef").map(|(at, word)| &unit.text[at + word.len()..]);
        for piece in pieces {
            let mut words = Words { text: piece };
            let keyword = words.find(|word| !matches!(*word, "const" | "volatile" | "__extension__"));
            let Some(tag) = words.next().filter(|_| matches!(keyword, Some("struct" | "union"))) else { continue };
            // `typedef struct tag { … } one, *two;`
            let mut depth = 0usize;
            let mut before = "";
            for word in words {
                match word {
                    "{" => depth += 1,
                    "}" => depth = depth.saturating_sub(1),
                    ";" if depth == 0 => break,
                    _ if depth == 0 && word == name && matches!(before, "" | "}" | ",") => found.push(tag.to_owned()),
                    _ => {}
                }
                before = word;
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The words and signs of a text.
struct Words<'a> {
    text: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;
    fn next(&mut self) -> Option<&'a str> {
        let text = self.text.trim_start();
        let first = text.chars().next()?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let end = if is_word(first) { text.find(|c| !is_word(c)).unwrap_or(text.len()) } else { first.len_utf8() };
        self.text = &text[end..];
        Some(&text[..end])
    }
}

/// The members on the way to an address, the outermost first.
fn path(finder: &Finder<'_>, func: FuncId, address: Operand) -> Vec<(RecordId, u32)> {
    let body = finder.view.body(func);
    let mut found = Vec::new();
    let mut at = address;
    while let Operand::Value(value) = at {
        match &body.insts[value].kind {
            InstKind::FieldAddr { base, record, field } => {
                found.push((*record, *field));
                at = *base;
            }
            InstKind::Cast(base) | InstKind::Copy(base) | InstKind::PtrAdd { base, .. } => at = *base,
            _ => break,
        }
    }
    found.reverse();
    found
}

/// What the steps from a record on lead to.
enum Steps {
    /// Into the member, or to it.
    Inside,
    /// To what the member is a part of.
    Around,
    /// To another member.
    Other,
}

fn steps(types: &Types, way: &[(RecordId, u32)], fields: &[Pattern]) -> Steps {
    let mut wanted = fields;
    for (record, field) in way {
        let Some((first, rest)) = wanted.split_first() else { return Steps::Inside };
        let member = &types.records[*record].members[*field as usize];
        if first.matches(&member.name) {
            wanted = rest;
        } else if !member.name.is_empty() {
            // Members of a union lie over each other.
            let is_union = types.records[*record].kind == RecordKind::Union;
            return if is_union { Steps::Around } else { Steps::Other };
        } else if types.records[*record].kind == RecordKind::Struct && !has_member(types, member.ty.ty, wanted) {
            return Steps::Other;
        }
    }
    if wanted.is_empty() { Steps::Inside } else { Steps::Around }
}

/// Whether an access is to another member of such a record, for certain.
fn is_other(finder: &Finder<'_>, access: &Access, records: &[RecordId], fields: &[Pattern]) -> bool {
    let Some(address) = access.address else { return false };
    let way = path(finder, access.func, address);
    let start = way.iter().position(|(record, _)| records.contains(record));
    start.is_some_and(|at| matches!(steps(&finder.view.program.types, &way[at..], fields), Steps::Other))
}

/// Memory without a type that is accessed as such a member.
fn untyped(finder: &Finder<'_>, records: &[RecordId], fields: &[Pattern]) -> Cells {
    let objects = &finder.view.points_to.objects;
    let mut found = Cells::new();
    for procedure in finder.view.sdg.procedures() {
        let func = procedure.func;
        for (inst, touch) in &finder.memory.accesses.functions[func].touches {
            let (InstKind::Load { addr, .. } | InstKind::Store { addr, .. }) =
                &finder.view.body(func).insts[*inst].kind
            else {
                continue;
            };
            let way = path(finder, func, *addr);
            let Some(at) = way.iter().position(|(record, _)| records.contains(record)) else { continue };
            if !matches!(steps(&finder.view.program.types, &way[at..], fields), Steps::Inside) {
                continue;
            }
            for set in touch.reads.iter().chain(&touch.writes) {
                let all = finder.memory.accesses.sets[*set].iter();
                found.extend(all.filter(|cell| objects.shape(objects.of_cell(*cell)).parts().len() == 1));
            }
        }
    }
    found
}
