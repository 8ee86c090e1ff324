//! Which values of a body have to be followed: the others get variables of no use.

use crate::base::id::Id;
use crate::ir::*;

/// Which values may get somewhere as pointers: they are dereferenced, called, passed, stored or returned, or something is computed from
/// them that is.
pub(super) fn wanted(types: &Types, body: &Body) -> Vec<bool> {
    let mut found = vec![false; body.insts.len()];
    let mut work: Vec<ValueId> = Vec::new();
    let mut want = |operand: &Operand, work: &mut Vec<ValueId>| {
        if let Operand::Value(value) = operand
            && !std::mem::replace(&mut found[value.index()], true)
        {
            work.push(*value);
        }
    };
    for inst in &body.insts {
        match &inst.kind {
            InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Call { .. }
            | InstKind::VaStart(_)
            | InstKind::VaArg(_)
            | InstKind::VaCopy { .. }
            | InstKind::Asm(_)
            | InstKind::StandIn { .. } => inst.kind.for_each_operand(|operand| want(operand, &mut work)),
            InstKind::Param(_)
            | InstKind::Phi(_)
            | InstKind::Copy(_)
            | InstKind::Uninit
            | InstKind::Unary(..)
            | InstKind::Binary(..)
            | InstKind::Compare(..)
            | InstKind::Cast(_)
            | InstKind::PtrAdd { .. }
            | InstKind::PtrDiff { .. }
            | InstKind::FieldAddr { .. }
            | InstKind::VaEnd(_)
            | InstKind::Alloca { .. }
            | InstKind::AsmOutput { .. }
            | InstKind::Intrinsic(..) => {}
        }
    }
    for block in &body.blocks {
        if let Terminator::Return(Some(operand)) = &block.term {
            want(operand, &mut work);
        }
    }
    while let Some(value) = work.pop() {
        let inst = &body.insts[value];
        match &inst.kind {
            InstKind::Phi(_)
            | InstKind::Copy(_)
            | InstKind::Cast(_)
            | InstKind::PtrAdd { .. }
            | InstKind::FieldAddr { .. } => inst.kind.for_each_operand(|operand| want(operand, &mut work)),
            InstKind::Unary(..) | InstKind::Binary(..) | InstKind::Intrinsic(..) => {
                if types.size_of(inst.ty).is_some_and(|size| size >= types.model.pointer_size) {
                    inst.kind.for_each_operand(|operand| want(operand, &mut work));
                }
            }
            InstKind::Param(_)
            | InstKind::Uninit
            | InstKind::Compare(..)
            | InstKind::PtrDiff { .. }
            | InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::Call { .. }
            | InstKind::VaStart(_)
            | InstKind::VaArg(_)
            | InstKind::VaCopy { .. }
            | InstKind::VaEnd(_)
            | InstKind::Alloca { .. }
            | InstKind::Asm(_)
            | InstKind::AsmOutput { .. }
            | InstKind::StandIn { .. } => {}
        }
    }
    found
}
