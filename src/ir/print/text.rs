//! The text form.

use std::fmt::{self, Write};

use super::super::syntax::{
    BlockId, Body, FuncId, Global, GlobalDef, GlobalId, InitItem, InitTarget, Initializer, Program,
};
use super::super::types::{Enum, Record, RecordId, Types};
use super::{Names, assumption_word, inst, instruction, linkage, quoted, record_word, used, variable};
use crate::source::Place;

/// Comments start here, if the line is not longer.
const COMMENT: usize = 48;

type Locate<'a> = &'a dyn Fn(Place) -> String;

/// The whole program. `place` shows a place, as `file:line`.
pub fn text(program: &Program, place: &dyn Fn(Place) -> String) -> String {
    let names = Names::new(program);
    let mut out = String::new();
    write_program(&mut out, program, &names, place).expect("a string takes any text");
    out
}

/// One function.
pub fn function(program: &Program, names: &Names, id: FuncId, place: &dyn Fn(Place) -> String) -> String {
    let mut out = String::new();
    write_function(&mut out, program, names, id, place).expect("a string takes any text");
    out
}

fn write_program(out: &mut String, program: &Program, names: &Names, place: Locate<'_>) -> fmt::Result {
    let used = used::types(program);
    for (id, record) in program.types.records.enumerate().filter(|(id, _)| used.records[*id]) {
        write_record(out, program, id, record)?;
    }
    for (_, e) in program.types.enums.enumerate().filter(|(id, _)| used.enums[*id]) {
        write_enum(out, e)?;
    }
    separate(out);
    for (id, global) in program.globals.enumerate() {
        write_global(out, program, names, id, global, place)?;
    }
    let mut after_declaration = false;
    for (id, f) in program.functions.enumerate() {
        // Declarations stand together.
        let declaration = f.body.is_none();
        if !(declaration && after_declaration) {
            separate(out);
        }
        after_declaration = declaration;
        write_function(out, program, names, id, place)?;
    }
    separate(out);
    for (word, list) in [("constructor", &program.constructors), ("destructor", &program.destructors)] {
        for f in list {
            writeln!(out, "{word} {}", names.function(*f))?;
        }
    }
    for a in &program.assumptions {
        let text = format!("assume {}: {}", assumption_word(a.kind), a.text.replace('\n', " "));
        line(out, &text, &a.place.map_or_else(String::new, place))?;
    }
    if out.ends_with("\n\n") {
        out.pop();
    }
    Ok(())
}

/// An empty line, unless there is one or nothing to separate.
fn separate(out: &mut String) {
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
}

/// A line with a comment; none if that is empty.
fn line(out: &mut String, text: &str, comment: &str) -> fmt::Result {
    if comment.is_empty() { writeln!(out, "{text}") } else { writeln!(out, "{text:COMMENT$} ; {comment}") }
}

fn write_record(out: &mut String, program: &Program, id: RecordId, record: &Record) -> fmt::Result {
    let word = record_word(record.kind);
    let tag = if record.name.is_empty() { format!("<{id}>") } else { record.name.clone() };
    if !record.complete {
        return writeln!(out, "{word} {tag} incomplete");
    }
    let transparent = if record.transparent { " transparent" } else { "" };
    writeln!(out, "{word} {tag} size {} align {}{transparent} {{", record.size, record.align)?;
    for member in &record.members {
        let bits = member.bits.map_or_else(String::new, |b| format!(" bits {}+{}", b.offset, b.width));
        writeln!(out, "  +{}{bits} {}", member.offset, program.types.declare(member.ty, &member.name))?;
    }
    writeln!(out, "}}")
}

fn write_enum(out: &mut String, e: &Enum) -> fmt::Result {
    let constants: Vec<String> = e.constants.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let name = if e.name.is_empty() { String::new() } else { format!(" {}", e.name) };
    writeln!(out, "enum{name}: {} {{ {} }}", e.underlying.name(), constants.join(", "))
}

fn write_global(
    out: &mut String,
    program: &Program,
    names: &Names,
    id: GlobalId,
    global: &Global,
    place: Locate<'_>,
) -> fmt::Result {
    let thread = if global.thread_local { " thread_local" } else { "" };
    let content = match &global.definition {
        GlobalDef::Declared => "declared".to_string(),
        GlobalDef::Tentative => "tentative".to_string(),
        GlobalDef::Alias(target) => format!("alias @{target}"),
        GlobalDef::Defined(init) => format!("= {}", initializer(program, names, global, init)),
    };
    let mut text = format!(
        "{id} {}{thread} {}: {} align {} {content}",
        linkage(global.linkage),
        names.global(id),
        program.types.declare(global.ty, ""),
        global.align
    );
    if let Some(link_name) = &global.link_name {
        write!(text, " linked as {link_name}")?;
    }
    line(out, &text, &place(global.place))
}

/// A static object's content.
pub(super) fn initializer(program: &Program, names: &Names, global: &Global, init: &Initializer) -> String {
    if let Some(number) = whole_number(&program.types, global, init) {
        return number.to_string();
    }
    if init.items.is_empty() {
        return "zero".into();
    }
    let items: Vec<String> =
        init.items.iter().map(|(offset, item)| format!("+{offset} {}", init_item(program, names, item))).collect();
    format!("{{ {} }}", items.join(", "))
}

fn init_item(program: &Program, names: &Names, item: &InitItem) -> String {
    match item {
        InitItem::Bytes(bytes) => content(bytes),
        InitItem::Address { target, addend } => {
            let target = match target {
                InitTarget::Global(g) => names.global(*g).to_string(),
                InitTarget::Function(f) => names.function(*f).to_string(),
                InitTarget::Label(f, label) => {
                    let known = program.functions[*f].body.as_ref().and_then(|b| b.labels.get(*label));
                    let name = known.map_or_else(|| label.to_string(), |l| l.name.clone());
                    format!("{}&&{name}", names.function(*f))
                }
            };
            match addend {
                0 => target,
                n if *n < 0 => format!("{target} - {}", n.unsigned_abs()),
                n => format!("{target} + {n}"),
            }
        }
    }
}

/// The value of an integer object.
fn whole_number(types: &Types, global: &Global, init: &Initializer) -> Option<i128> {
    let (bits, signed) = types.int_shape(global.ty.ty)?;
    let [(0, InitItem::Bytes(bytes))] = init.items.as_slice() else { return None };
    if bytes.len() * 8 != bits as usize || bits > 64 {
        return None;
    }
    let fold = |value: u128, byte: &u8| value << 8 | u128::from(*byte);
    let value =
        if types.model.big_endian { bytes.iter().fold(0, fold) } else { bytes.iter().rev().fold(0, fold) } as i128;
    let negative = signed && value >> (bits - 1) & 1 == 1;
    Some(if negative { value - (1 << bits) } else { value })
}

/// Bytes as a string where they look like one, else in hexadecimal.
fn content(bytes: &[u8]) -> String {
    let body = &bytes[..bytes.iter().rposition(|b| *b != 0).map_or(0, |i| i + 1)];
    let readable = |b: &u8| matches!(b, 0x20..=0x7e | b'\n' | b'\t' | b'\r');
    let odd = body.iter().filter(|b| !readable(b)).count();
    if !body.is_empty() && odd * 8 <= body.len() {
        return quoted(bytes);
    }
    let hex: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    format!("bytes {}", hex.join(" "))
}

fn write_function(out: &mut String, program: &Program, names: &Names, id: FuncId, place: Locate<'_>) -> fmt::Result {
    let f = &program.functions[id];
    let mut head = format!("{id} {}", linkage(f.linkage));
    for (set, word) in [(f.noreturn, " noreturn"), (f.returns_twice, " returns_twice"), (f.interrupt, " interrupt")] {
        if set {
            head.push_str(word);
        }
    }
    head.push(' ');
    head.push_str(&program.types.declare(f.ty.into(), names.function(id)));
    if let Some(link_name) = &f.link_name {
        write!(head, " linked as {link_name}")?;
    }
    if let Some(alias) = &f.alias {
        write!(head, " alias @{alias}")?;
    }
    let Some(body) = &f.body else {
        return line(out, &head, &place(f.place));
    };
    head.push_str(" {");
    line(out, &head, &place(f.place))?;
    for (id, local) in body.locals.enumerate() {
        let name = if local.name.is_empty() { "<temporary>" } else { &local.name };
        let promoted = if local.promoted { " promoted" } else { "" };
        let text = format!("  {id} {name}: {} align {}{promoted}", program.types.declare(local.ty, ""), local.align);
        line(out, &text, &place(local.place))?;
    }
    for (id, label) in body.labels.enumerate() {
        writeln!(out, "  {id} {} at {}", label.name, label.block)?;
    }
    for (id, l) in body.loops.loops.enumerate() {
        let entries: Vec<String> = l.entries.iter().map(ToString::to_string).collect();
        let parent = l.parent.map_or_else(String::new, |p| format!(" in {p}"));
        let blocks: Vec<String> = l.nodes.iter().map(ToString::to_string).collect();
        let kind = if entries.len() > 1 { "irreducible, entries" } else { "header" };
        writeln!(out, "  {id}{parent}: {kind} {}, blocks {}", entries.join(" "), blocks.join(" "))?;
    }
    let predecessors = body.predecessors();
    for (id, block) in body.blocks.enumerate() {
        line(out, &format!("{id}:"), &block_comment(body, id, &predecessors[id]))?;
        for &v in &block.insts {
            let inst = &body.insts[v];
            let name = variable(body, inst);
            let at = place(inst.place);
            let comment = if name.is_empty() { at } else { format!("{name}  {at}") };
            line(out, &format!("  {}", instruction(program, names, body, v)), comment.trim_end())?;
        }
        let end = inst::show_terminator(program, names, body, &block.term);
        line(out, &format!("  {end}"), &place(block.term_place))?;
    }
    writeln!(out, "}}")
}

fn block_comment(body: &Body, id: BlockId, predecessors: &[BlockId]) -> String {
    let mut parts = Vec::new();
    if id == body.entry {
        parts.push("entry".to_string());
    }
    if !predecessors.is_empty() {
        let list: Vec<String> = predecessors.iter().map(ToString::to_string).collect();
        parts.push(format!("from {}", list.join(" ")));
    }
    if let Some(l) = body.loops.innermost(id) {
        parts.push(format!("{l} depth {}", body.loops.loops[l].depth));
    }
    parts.join(", ")
}
