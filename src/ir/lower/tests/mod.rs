//! Tests of the lowering: small C programs, and what their IR must say.

mod builtins;
mod calls;
mod declarations;
mod expressions;
mod initialisers;
mod layout;
mod statements;

use lang_c::driver::{Config, parse_preprocessed};

use super::lower_unit;
use crate::ir::syntax::*;
use crate::ir::types::*;
use crate::source::{DataModel, Diagnostic, Label, SideTable, UnitId};

/// Lowers a unit.
fn try_lower(text: &str, side: &SideTable) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let parse = parse_preprocessed(&Config::with_gcc(), text.to_string()).expect("the test program parses");
    lower_unit(UnitId(0), text, side, &DataModel::lp64(), &parse.unit, &[])
}

fn lower(text: &str) -> Program {
    match try_lower(text, &SideTable::default()) {
        Ok((program, _)) => program,
        Err(errors) => panic!("the test program must lower: {errors:?}"),
    }
}

/// The messages of the errors, and the C text that each points at.
fn errors(text: &str) -> Vec<(String, String)> {
    match try_lower(text, &SideTable::default()) {
        Ok(_) => panic!("the test program must not lower"),
        Err(errors) => errors
            .iter()
            .map(|e| match &e.labels[0].0 {
                Label::Place(p) => (e.message.clone(), text[p.start as usize..p.end as usize].to_string()),
                Label::Location(_) => panic!("lowering speaks of places"),
            })
            .collect(),
    }
}

/// That there is one error, with this in its message and at this text.
fn one_error(text: &str, message: &str, at: &str) {
    let all = errors(text);
    assert!(all.len() == 1 && all[0].0.contains(message) && all[0].1 == at, "{all:?} is not `{message}` at `{at}`");
}

fn function<'p>(program: &'p Program, name: &str) -> &'p Function {
    program.functions.iter().find(|f| f.name == name).expect("the function is there")
}

fn body<'p>(program: &'p Program, name: &str) -> &'p Body {
    function(program, name).body.as_ref().expect("the function has a body")
}

fn global<'p>(program: &'p Program, name: &str) -> &'p Global {
    program.globals.iter().find(|g| g.name == name).expect("the global is there")
}

fn content<'p>(program: &'p Program, name: &str) -> &'p [(u64, InitItem)] {
    match &global(program, name).definition {
        GlobalDef::Defined(init) => &init.items,
        other => panic!("{name} is not defined: {other:?}"),
    }
}

/// The bytes of a global that has no addresses in it, as far as they are written.
fn bytes(program: &Program, name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, item) in content(program, name) {
        let InitItem::Bytes(bytes) = item else { panic!("{name} holds an address") };
        out.resize(*at as usize, 0);
        out.extend(bytes);
    }
    out
}

/// The value of a global `int`, `long` … that is initialised.
fn number(program: &Program, name: &str) -> i64 {
    let global = global(program, name);
    let size = program.types.size_of(global.ty.ty).expect("a scalar") as usize;
    let mut le = bytes(program, name);
    le.resize(8, 0);
    let (_, signed) = program.types.int_shape(global.ty.ty).expect("an integer");
    crate::ir::fold::wrap(i128::from(i64::from_le_bytes(le.try_into().expect("eight bytes"))), size as u32 * 8, signed)
        as i64
}

/// The blocks that control may reach.
fn reached(body: &Body) -> Vec<BlockId> {
    let mut seen = vec![body.entry];
    let mut i = 0;
    while let Some(&block) = seen.get(i) {
        i += 1;
        for next in body.blocks[block].term.successors() {
            if !seen.contains(&next) {
                seen.push(next);
            }
        }
    }
    seen
}

/// The instructions of reached blocks.
fn insts(body: &Body) -> Vec<&Inst> {
    reached(body).iter().flat_map(|b| &body.blocks[*b].insts).map(|i| &body.insts[*i]).collect()
}

/// The names of the functions called, in the order of blocks.
fn calls<'p>(program: &'p Program, body: &Body) -> Vec<&'p str> {
    insts(body)
        .iter()
        .filter_map(|i| match &i.kind {
            InstKind::Call { callee: Callee::Direct(f), .. } => Some(program.functions[*f].name.as_str()),
            _ => None,
        })
        .collect()
}

/// The return operands of reached blocks.
fn returns(body: &Body) -> Vec<Option<Operand>> {
    reached(body)
        .iter()
        .filter_map(|b| match &body.blocks[*b].term {
            Terminator::Return(op) => Some(*op),
            _ => None,
        })
        .collect()
}

/// The value of an integer operand.
fn int(op: Operand) -> i128 {
    match op {
        Operand::Int(v, _) => v.value(),
        other => panic!("{other:?} is not a constant"),
    }
}

/// The constant a function returns.
fn returned(text: &str) -> i128 {
    let program = lower(text);
    let body = body(&program, "f");
    let returns = returns(body);
    assert_eq!(returns.len(), 1);
    int(returns[0].expect("a value"))
}

/// The C text of a place.
fn text_of<'t>(text: &'t str, place: &crate::source::Place) -> &'t str {
    &text[place.start as usize..place.end as usize]
}

/// The local with this name.
fn local(body: &Body, name: &str) -> LocalId {
    body.locals.enumerate().find(|(_, l)| l.name == name).expect("the local is there").0
}

/// The type of a global in C.
fn type_of_global(program: &Program, name: &str) -> String {
    program.types.declare(global(program, name).ty, "")
}
