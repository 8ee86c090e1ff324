//! What is outside of bodies: signatures and static objects.

use super::ensure;
use crate::base::IdVec;
use crate::base::id::Id;
use crate::ir::syntax::{FuncId, Function, Global, GlobalDef, InitItem, InitTarget, Initializer, Program};
use crate::ir::types::{Length, Type, TypeId, Types};

pub(super) fn check(program: &Program) -> Result<(), String> {
    for (id, function) in program.functions.enumerate() {
        signature(program, function).map_err(|e| format!("function {id} {}: {e}", function.name))?;
    }
    for (id, global) in program.globals.enumerate() {
        object(program, global).map_err(|e| format!("global {id} {}: {e}", global.name))?;
    }
    for f in program.constructors.iter().chain(&program.destructors) {
        in_range(&program.functions, *f)?;
    }
    Ok(())
}

/// Whether an id is one of the table's.
pub(super) fn in_range<I: Id, T>(table: &IdVec<I, T>, id: I) -> Result<(), String> {
    ensure(id.index() < table.len(), || format!("{id} does not exist"))
}

pub(super) fn known_type(types: &Types, ty: TypeId) -> Result<(), String> {
    ensure(ty.index() < types.len(), || format!("type {ty} does not exist"))
}

/// Whether `addr` is a type of pointers to `ty`.
pub(super) fn points_to(types: &Types, addr: TypeId, ty: TypeId) -> Result<(), String> {
    known_type(types, addr)?;
    known_type(types, ty)?;
    ensure(types.pointee(addr).is_some_and(|p| p.ty == ty), || {
        format!("the address has type {}, not a pointer to {}", types.show(addr), types.show(ty))
    })
}

fn signature(program: &Program, function: &Function) -> Result<(), String> {
    points_to(&program.types, function.addr_ty, function.ty)?;
    ensure(program.types.as_function(function.ty).is_some(), || "its type is no function type".into())
}

fn object(program: &Program, global: &Global) -> Result<(), String> {
    points_to(&program.types, global.addr_ty, global.ty.ty)?;
    if let Some(owner) = global.owner {
        in_range(&program.functions, owner)?;
    }
    match &global.definition {
        GlobalDef::Defined(init) => initializer(program, global, init),
        GlobalDef::Declared | GlobalDef::Tentative | GlobalDef::Alias(_) => Ok(()),
    }
}

fn initializer(program: &Program, global: &Global, init: &Initializer) -> Result<(), String> {
    let types = &program.types;
    let Some(size) = types.size_of(global.ty.ty) else {
        return Err("it is defined, but its size is not known".into());
    };
    let mut end = 0;
    for (offset, item) in &init.items {
        ensure(*offset >= end, || format!("the item at {offset} overlaps the one before or is not in order"))?;
        let len = match item {
            InitItem::Bytes(bytes) => bytes.len() as u64,
            InitItem::Address { target, .. } => {
                target_exists(program, *target)?;
                types.model.pointer_size
            }
        };
        end = offset.saturating_add(len);
    }
    // The initialiser of a flexible array member makes the object larger than its type.
    ensure(end <= size || ends_flexible(types, global.ty.ty), || {
        format!("the content ends at {end}, the object at {size}")
    })
}

fn ends_flexible(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Array { length: Length::Unknown | Length::Fixed(0), .. } => true,
        Type::Record(id) => types.records[*id].members.iter().any(|m| ends_flexible(types, m.ty.ty)),
        _ => false,
    }
}

fn target_exists(program: &Program, target: InitTarget) -> Result<(), String> {
    let body = |f: FuncId| program.functions.get(f).and_then(|f| f.body.as_ref());
    match target {
        InitTarget::Global(g) => in_range(&program.globals, g),
        InitTarget::Function(f) => in_range(&program.functions, f),
        InitTarget::Label(f, label) => match body(f) {
            Some(body) => in_range(&body.labels, label),
            None => Err(format!("{label} is of {f}, which has no body")),
        },
    }
}
