//! Device registers: memory at an absolute address, by the address or by the lvalue as the program spells it.

use super::memory::Access;
use super::objects::ByLine;
use super::places::{Finder, Found, Miss, Side};
use super::quoted;
use crate::ir::{FuncId, InstKind, Operand, ValueId};
use crate::pointsto::{ObjectKind, access_size};
use crate::sdg::memory::accesses::Cells;
use crate::source::Place;

/// Bytes at an absolute address.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Range {
    start: u64,
    end: u64,
}

impl Range {
    fn meets(self, other: Range) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// `address`
pub(super) fn address(finder: &Finder<'_>, address: u64, side: Side) -> Result<Vec<Found>, Miss> {
    let wanted = Range { start: address, end: address.saturating_add(1) };
    let cells = at_address(finder, &[wanted]);
    let found = accesses(finder, &format!("{address:#x}"), &cells, &[wanted], side);
    if !found.is_empty() {
        return Ok(found);
    }
    let objects = &finder.view.points_to.objects;
    let mut known: Vec<u64> = objects
        .iter()
        .filter_map(|(_, object)| match object.kind {
            ObjectKind::Address(start) => Some(start),
            _ => None,
        })
        .collect();
    known.sort_by_key(|start| start.abs_diff(address));
    let known: Vec<String> = known.iter().map(|start| format!("{start:#x}")).collect();
    let help = if known.is_empty() {
        "the program accesses no absolute addresses".to_owned()
    } else {
        format!("addresses that it names: {}", quoted(&known))
    };
    Err(Miss::new(format!("the program never {} address {address:#x}", said(side)), help))
}

fn said(side: Side) -> &'static str {
    match side {
        Side::Source => "reads",
        Side::Sink => "writes",
    }
}

/// `register`
pub(super) fn register(finder: &Finder<'_>, text: &str, side: Side) -> Result<Vec<Found>, Miss> {
    let wanted = plain(text);
    let (mut ranges, mut cells): (Vec<Range>, Cells) = (Vec::new(), Cells::new());
    let mut is_spelt = false;
    for procedure in finder.view.sdg.procedures() {
        let func = procedure.func;
        for (inst, touch) in &finder.memory.accesses.functions[func].touches {
            if !is_spelt_so(finder, func, *inst, &wanted) {
                continue;
            }
            is_spelt = true;
            match range(finder, func, *inst) {
                Some(range) => ranges.push(range),
                None => touch.reads.iter().chain(&touch.writes).for_each(|set| {
                    cells.union_with(&finder.memory.accesses.sets[*set]);
                }),
            }
        }
    }
    ranges.sort_unstable();
    ranges.dedup();
    cells.union_with(&at_address(finder, &ranges));
    let found = accesses(finder, text, &cells, &ranges, side);
    if !found.is_empty() {
        return Ok(found);
    }
    let help = "spell it as the program does, with its macros, or write `address = 0x…`";
    Err(if is_spelt {
        Miss::new(format!("the program never {} `{text}`", said(side)), help)
    } else {
        Miss::new(format!("`{text}` is nowhere read or written in this program"), help)
    })
}

/// Text without blanks.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Whether an access is to an lvalue that is written so.
fn is_spelt_so(finder: &Finder<'_>, func: FuncId, inst: ValueId, wanted: &str) -> bool {
    let inst = &finder.view.body(func).insts[inst];
    match &inst.kind {
        InstKind::Load { .. } => {
            let text = written(finder, inst.place);
            // A value that is read and changed in one has the place of the whole: `PORTB |= 1`.
            text == wanted || is_assigned(&text, wanted)
        }
        InstKind::Store { .. } => is_assigned(&written(finder, inst.place), wanted),
        _ => false,
    }
}

/// Whether a text is an assignment to this lvalue, or a change of it.
fn is_assigned(text: &str, wanted: &str) -> bool {
    let steps = ["++", "--"];
    if steps.iter().any(|step| text.strip_prefix(step) == Some(wanted) || text.strip_suffix(step) == Some(wanted)) {
        return true;
    }
    let bare = |text: &str| -> bool {
        let Some(rest) = text.strip_prefix(wanted) else { return false };
        let operators = ["<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "="];
        operators.iter().any(|operator| rest.starts_with(operator)) && !rest.starts_with("==")
    };
    text == wanted || bare(text)
}

/// The user's own text at a place, without blanks.
fn written(finder: &Finder<'_>, place: Place) -> String {
    let at = finder.view.sources.locate(place);
    let files = &finder.view.sources.files;
    let mut text = String::new();
    for line in at.line..=at.end_line {
        let whole = files.line(&at.file, line).unwrap_or("");
        let from = if line == at.line { at.column as usize - 1 } else { 0 };
        let to = if line == at.end_line { at.end_column as usize - 1 } else { whole.len() };
        text.push_str(whole.get(from.min(whole.len())..to.clamp(from.min(whole.len()), whole.len())).unwrap_or(""));
    }
    plain(&text)
}

/// The bytes that an access touches, if its address is a constant.
fn range(finder: &Finder<'_>, func: FuncId, inst: ValueId) -> Option<Range> {
    let (InstKind::Load { addr, access } | InstKind::Store { addr, access, .. }) =
        &finder.view.body(func).insts[inst].kind
    else {
        return None;
    };
    let start = absolute(finder, func, *addr)?;
    Some(Range { start, end: start.saturating_add(access_size(&finder.view.program.types, access).max(1)) })
}

/// An address that is a constant.
fn absolute(finder: &Finder<'_>, func: FuncId, address: Operand) -> Option<u64> {
    match address {
        Operand::Int(number, _) => Some(number.bits() as u64),
        Operand::Value(value) => match &finder.view.body(func).insts[value].kind {
            InstKind::Cast(base) | InstKind::Copy(base) => absolute(finder, func, *base),
            InstKind::FieldAddr { base, record, field } => {
                let member = &finder.view.program.types.records[*record].members[*field as usize];
                Some(absolute(finder, func, *base)?.wrapping_add(member.offset))
            }
            InstKind::PtrAdd { base, index: Operand::Int(index, _), stride } => {
                let bytes = (index.value() as i64).wrapping_mul(*stride as i64);
                Some(absolute(finder, func, *base)?.wrapping_add(bytes as u64))
            }
            _ => None,
        },
        Operand::Float(..) | Operand::Global(_) | Operand::Function(_) | Operand::Local(_) | Operand::Label(_) => None,
    }
}

/// The memory at some addresses.
fn at_address(finder: &Finder<'_>, ranges: &[Range]) -> Cells {
    let objects = &finder.view.points_to.objects;
    let mut found = Cells::new();
    for (id, object) in objects.iter() {
        if let ObjectKind::Address(start) = object.kind {
            let size = objects.shape(id).part(0).size;
            // Where the size is not known, several accesses that overlap are one object.
            let end = if size == 0 { u64::MAX } else { start.saturating_add(size) };
            let whole = Range { start, end };
            if ranges.iter().any(|range| range.meets(whole)) {
                found.extend(objects.cells(id));
            }
        }
    }
    found
}

/// The reads or writes of memory, without those that are at other addresses for certain.
fn accesses(finder: &Finder<'_>, what: &str, cells: &Cells, ranges: &[Range], side: Side) -> Vec<Found> {
    let elsewhere = |access: &Access| {
        let own = range(finder, access.func, access.inst);
        own.is_some_and(|own| !ranges.is_empty() && !ranges.iter().any(|range| range.meets(own)))
    };
    let all = match side {
        Side::Source => finder.memory.readers(cells),
        Side::Sink => finder.memory.writers(cells),
    };
    let mut spots = ByLine::default();
    for access in all.into_iter().filter(|access| !elsewhere(access)) {
        let place = finder.view.body(access.func).insts[access.inst].place;
        spots.add(finder, what, place, Some(access.func), access.nodes);
    }
    spots.finish()
}
