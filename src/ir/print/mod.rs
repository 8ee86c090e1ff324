//! The IR for people and scripts: [`text()`] (`--emit ir|ssa`) and [`json()`].
//!
//! A line per instruction: `v12: int = add v3, 1   ; x  file.c:7`. A constant stands bare if it has the type of the instruction
//! or is an `int`; else its type comes first, as a cast. `@name` is a global or a function, with its id if the name is not unique
//! (`@count#g7`); `l3` is a local's address. What has no value has no type (`v9: store …`).
//!
//! Invariant: the output is a function of the program alone; nothing depends on hash order.
//! Cost: linear in the output.

mod inst;
mod json;
mod text;
mod used;

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use super::syntax::{
    AssumptionKind, BlockId, Body, FuncId, GlobalId, Inst, InstKind, Linkage, LocalId, Operand, Program, ValueId,
};
use super::types::{RecordKind, TypeId, Types};
use crate::base::IdVec;
use crate::base::id::Id;

pub use json::{function_json, json};
pub use text::{function, text};

/// How the types and symbols of a program are written; made once per program.
#[derive(Debug)]
pub struct Names {
    functions: IdVec<FuncId, String>,
    globals: IdVec<GlobalId, String>,
    types: IdVec<TypeId, String>,
}

impl Names {
    /// The names of a program.
    pub fn new(program: &Program) -> Names {
        let mut count: FxHashMap<&str, u32> = FxHashMap::default();
        let function_names = program.functions.iter().map(|f| f.name.as_str());
        for name in function_names.chain(program.globals.iter().map(|g| g.name.as_str())) {
            *count.entry(name).or_default() += 1;
        }
        let unique = |name: &str, id: &dyn std::fmt::Display| {
            if count[name] == 1 { format!("@{name}") } else { format!("@{name}#{id}") }
        };
        Names {
            functions: program.functions.enumerate().map(|(id, f)| unique(&f.name, &id)).collect(),
            globals: program.globals.enumerate().map(|(id, g)| unique(&g.name, &id)).collect(),
            types: program.types.iter().map(|(id, _)| program.types.show(id)).collect(),
        }
    }
    /// A function: `@main`.
    pub fn function(&self, id: FuncId) -> &str {
        &self.functions[id]
    }
    /// A global: `@counter`.
    pub fn global(&self, id: GlobalId) -> &str {
        &self.globals[id]
    }
    /// A type as C spells it.
    pub fn ty(&self, id: TypeId) -> &str {
        &self.types[id]
    }
}

/// An instruction, as its line shows it without the comment.
pub fn instruction(program: &Program, names: &Names, body: &Body, id: ValueId) -> String {
    let inst = &body.insts[id];
    let what = inst::show(program, names, body, inst);
    if inst.ty == Types::VOID { format!("{id}: {what}") } else { format!("{id}: {} = {what}", names.ty(inst.ty)) }
}

/// The end of a block.
pub fn terminator(program: &Program, names: &Names, body: &Body, block: BlockId) -> String {
    inst::show_terminator(program, names, body, &body.blocks[block].term)
}

/// The C variable an instruction is about: the one it is a version of, or the local it reads or writes. Empty if none.
fn variable<'a>(body: &'a Body, inst: &Inst) -> &'a str {
    let local = match (&inst.kind, inst.var) {
        (_, Some(var)) => Some(var),
        (InstKind::Load { addr: Operand::Local(l), .. } | InstKind::Store { addr: Operand::Local(l), .. }, None) => {
            Some(*l)
        }
        (InstKind::Param(n), None) => {
            let n = *n as usize;
            (n < body.locals.len()).then(|| LocalId::new(n))
        }
        _ => None,
    };
    local.map_or("", |l| body.locals[l].name.as_str())
}

/// `"text"` with everything but printable ASCII escaped as C does.
fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in bytes {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            b'\r' => out.push_str("\\r"),
            0x20..=0x7e => out.push(char::from(byte)),
            _ => out.extend(["\\x".to_string(), format!("{byte:02x}")]),
        }
    }
    out.push('"');
    out
}

fn linkage(linkage: Linkage) -> &'static str {
    match linkage {
        Linkage::External => "external",
        Linkage::Weak => "weak",
        Linkage::Internal => "internal",
    }
}

fn record_word(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Struct => "struct",
        RecordKind::Union => "union",
    }
}

/// The kind of an assumption, as reports name it.
pub fn assumption_word(kind: AssumptionKind) -> &'static str {
    match kind {
        AssumptionKind::InlineAsm => "inline-asm",
        AssumptionKind::StandIn => "stand-in",
        AssumptionKind::UnknownFunction => "unknown-function",
        AssumptionKind::ModelReplacesBody => "model-replaces-body",
        AssumptionKind::PointerArithmetic => "pointer-arithmetic",
        AssumptionKind::UnknownPointer => "unknown-pointer",
        AssumptionKind::PointerCall => "pointer-call",
        AssumptionKind::Memory => "memory",
        AssumptionKind::Coarse => "coarse",
        AssumptionKind::Threads => "threads",
        AssumptionKind::Library => "library",
        AssumptionKind::Other => "other",
    }
}
