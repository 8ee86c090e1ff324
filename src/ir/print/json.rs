//! The JSON form.
//!
//! ```text
//! { "types":     [ { "kind": "struct"|"union"|"enum", "name", "size", "align", "complete",
//!                    "members": [ { "name", "type", "offset", "bits"?: { "offset", "width" } } ],
//!                    "constants": [ { "name", "value" } ] } ],
//!   "globals":   [ { "id", "name", "symbol", "linkage", "type", "align", "thread_local", "definition", "place" } ],
//!   "functions": [ FUNCTION ],
//!   "constructors": [ "@f" ], "destructors": [ "@f" ],
//!   "assumptions": [ { "kind", "text", "place" } ] }
//! FUNCTION:  { "id", "name", "symbol", "linkage", "type", "noreturn", "returns_twice", "interrupt", "place", "defined",
//!              "locals": [ { "id", "name", "type", "promoted", "place" } ],
//!              "loops":  [ { "id", "header", "entries", "parent", "depth", "blocks" } ],
//!              "blocks": [ { "id", "predecessors", "loop", "instructions": [ INSTRUCTION ],
//!                            "terminator": { "op", "text", "successors", "place" } } ] }
//! INSTRUCTION: { "id", "op", "type", "text", "operands", "variable", "place" }
//! PLACE:     { "file", "line", "column", "end_line", "end_column" }
//! ```
//! `symbol` is the name in `text` and `operands` (`@count#g7`). Only types that the program mentions are listed.

use serde_json::{Value, json};

use super::super::syntax::{
    Assumption, BlockId, Body, FuncId, Global, GlobalDef, GlobalId, Local, LocalId, Program, ValueId,
};
use super::super::types::{Enum, Member, Record, Types};
use super::{Names, assumption_word, inst, instruction, linkage, record_word, text, used, variable};
use crate::source::{Location, Place};

type Locate<'a> = &'a dyn Fn(Place) -> Location;

/// The whole program. `locate` leads a place back to the user's file.
pub fn json(program: &Program, locate: &dyn Fn(Place) -> Location) -> Value {
    let names = Names::new(program);
    let used = used::types(program);
    let records =
        program.types.records.enumerate().filter(|(id, _)| used.records[*id]).map(|(_, r)| record(program, r));
    let enums = program.types.enums.enumerate().filter(|(id, _)| used.enums[*id]).map(|(_, e)| enumeration(e));
    let globals = program.globals.enumerate().map(|(id, g)| global(program, &names, id, g, locate));
    let functions = program.functions.ids().map(|id| function_json(program, &names, id, locate));
    let symbols = |list: &[FuncId]| list.iter().map(|f| names.function(*f)).collect::<Vec<_>>();
    let assumption = |a: &Assumption| {
        let at = a.place.map(|at| place(&locate(at)));
        json!({ "kind": assumption_word(a.kind), "text": a.text, "place": at })
    };
    json!({
        "types": records.chain(enums).collect::<Vec<_>>(),
        "globals": globals.collect::<Vec<_>>(),
        "functions": functions.collect::<Vec<_>>(),
        "constructors": symbols(&program.constructors),
        "destructors": symbols(&program.destructors),
        "assumptions": program.assumptions.iter().map(assumption).collect::<Vec<_>>(),
    })
}

fn place(at: &Location) -> Value {
    json!({
        "file": at.file.to_string_lossy(),
        "line": at.line,
        "column": at.column,
        "end_line": at.end_line,
        "end_column": at.end_column,
    })
}

fn record(program: &Program, r: &Record) -> Value {
    let member = |m: &Member| {
        let mut value = json!({ "name": m.name, "type": program.types.declare(m.ty, ""), "offset": m.offset });
        if let Some(bits) = m.bits {
            value["bits"] = json!({ "offset": bits.offset, "width": bits.width });
        }
        value
    };
    json!({
        "kind": record_word(r.kind),
        "name": r.name,
        "size": r.size,
        "align": r.align,
        "complete": r.complete,
        "members": r.members.iter().map(member).collect::<Vec<_>>(),
    })
}

fn enumeration(e: &Enum) -> Value {
    // A JSON number holds 64 bits; what is larger is text.
    let value = |v: i128| i64::try_from(v).map_or_else(|_| json!(v.to_string()), |v| json!(v));
    let constant = |(name, v): &(String, i128)| json!({ "name": name, "value": value(*v) });
    json!({
        "kind": "enum",
        "name": e.name,
        "type": e.underlying.name(),
        "complete": e.complete,
        "constants": e.constants.iter().map(constant).collect::<Vec<_>>(),
    })
}

fn global(program: &Program, names: &Names, id: GlobalId, g: &Global, locate: Locate<'_>) -> Value {
    let definition = match &g.definition {
        GlobalDef::Declared => "declared".to_string(),
        GlobalDef::Tentative => "tentative".to_string(),
        GlobalDef::Alias(target) => format!("alias {target}"),
        GlobalDef::Defined(init) => text::initializer(program, names, g, init),
    };
    json!({
        "id": id.to_string(),
        "name": g.name,
        "symbol": names.global(id),
        "linkage": linkage(g.linkage),
        "type": program.types.declare(g.ty, ""),
        "align": g.align,
        "thread_local": g.thread_local,
        "definition": definition,
        "place": place(&locate(g.place)),
    })
}

/// One function.
pub fn function_json(program: &Program, names: &Names, id: FuncId, locate: &dyn Fn(Place) -> Location) -> Value {
    let f = &program.functions[id];
    let mut value = json!({
        "id": id.to_string(),
        "name": f.name,
        "symbol": names.function(id),
        "linkage": linkage(f.linkage),
        "type": names.ty(f.ty),
        "noreturn": f.noreturn,
        "returns_twice": f.returns_twice,
        "interrupt": f.interrupt,
        "place": place(&locate(f.place)),
        "defined": f.body.is_some(),
    });
    let Some(body) = &f.body else { return value };
    let local = |(id, l): (LocalId, &Local)| {
        json!({
            "id": id.to_string(),
            "name": l.name,
            "type": program.types.declare(l.ty, ""),
            "promoted": l.promoted,
            "place": place(&locate(l.place)),
        })
    };
    value["locals"] = body.locals.enumerate().map(local).collect();
    let shown = |blocks: &[BlockId]| blocks.iter().map(ToString::to_string).collect::<Vec<_>>();
    value["loops"] = body
        .loops
        .loops
        .enumerate()
        .map(|(id, l)| {
            json!({
                "id": id.to_string(),
                "header": l.header.to_string(),
                "entries": shown(&l.entries),
                "parent": l.parent.map(|p| p.to_string()),
                "depth": l.depth,
                "blocks": shown(&l.nodes),
            })
        })
        .collect();
    let predecessors = body.predecessors();
    value["blocks"] = body
        .blocks
        .enumerate()
        .map(|(id, block)| {
            let instructions: Vec<Value> =
                block.insts.iter().map(|v| instruction_json(program, names, body, *v, locate)).collect();
            json!({
                "id": id.to_string(),
                "predecessors": shown(&predecessors[id]),
                "loop": body.loops.innermost(id).map(|l| l.to_string()),
                "instructions": instructions,
                "terminator": {
                    "op": inst::terminator_word(&block.term),
                    "text": inst::show_terminator(program, names, body, &block.term),
                    "successors": shown(&block.term.successors()),
                    "place": place(&locate(block.term_place)),
                },
            })
        })
        .collect();
    value
}

fn instruction_json(program: &Program, names: &Names, body: &Body, id: ValueId, locate: Locate<'_>) -> Value {
    let i = &body.insts[id];
    let mut operands = Vec::new();
    i.kind.for_each_operand(|op| operands.push(inst::operand(names, *op, Types::INT, &program.types)));
    let variable = Some(variable(body, i)).filter(|name| !name.is_empty());
    json!({
        "id": id.to_string(),
        "op": inst::opcode(&i.kind),
        "type": names.ty(i.ty),
        "text": instruction(program, names, body, id),
        "operands": operands,
        "variable": variable,
        "place": place(&locate(i.place)),
    })
}
