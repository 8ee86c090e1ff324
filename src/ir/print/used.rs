//! The records and enums that a program's symbols and instructions mention, directly or through others: headers define many more.

use super::super::syntax::{InstKind, Program};
use super::super::types::{EnumId, RecordId, Type, TypeId, Types};
use crate::base::IdVec;

/// Which records and enums are mentioned.
pub(super) struct Used {
    pub records: IdVec<RecordId, bool>,
    pub enums: IdVec<EnumId, bool>,
}

/// Marks what the given functions and all globals mention.
pub(super) fn types(program: &Program) -> Used {
    let types = &program.types;
    let mut seen: IdVec<TypeId, bool> = IdVec::filled(false, types.len());
    let mut waiting: Vec<TypeId> = Vec::new();
    let mut used =
        Used { records: IdVec::filled(false, types.records.len()), enums: IdVec::filled(false, types.enums.len()) };
    for global in &program.globals {
        waiting.push(global.ty.ty);
    }
    for function in &program.functions {
        waiting.push(function.ty);
        let Some(body) = &function.body else { continue };
        waiting.extend(body.locals.iter().map(|l| l.ty.ty));
        for inst in &body.insts {
            waiting.push(inst.ty);
            match &inst.kind {
                InstKind::Load { access, .. } | InstKind::Store { access, .. } => waiting.push(access.ty),
                InstKind::FieldAddr { record, .. } => mark(&mut used, &mut waiting, types, *record),
                _ => {}
            }
        }
    }
    while let Some(id) = waiting.pop() {
        if std::mem::replace(&mut seen[id], true) {
            continue;
        }
        match types.get(id) {
            Type::Void | Type::Bool | Type::Int(_) | Type::Float(_) | Type::Complex(_) => {}
            Type::Enum(e) => used.enums[*e] = true,
            Type::Record(r) => mark(&mut used, &mut waiting, types, *r),
            Type::Pointer(target) => waiting.push(target.ty),
            Type::Array { element, .. } => waiting.push(element.ty),
            Type::Vector { element, .. } => waiting.push(*element),
            Type::Function(f) => {
                waiting.push(f.result);
                waiting.extend(&f.params);
            }
        }
    }
    used
}

fn mark(used: &mut Used, waiting: &mut Vec<TypeId>, types: &Types, record: RecordId) {
    if !std::mem::replace(&mut used.records[record], true) {
        waiting.extend(types.records[record].members.iter().map(|m| m.ty.ty));
    }
}
