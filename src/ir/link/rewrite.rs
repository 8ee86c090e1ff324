//! Gives every id in a function or a global its new number.

use super::super::syntax::{
    Callee, FuncId, Function, GlobalId, InitItem, InitTarget, Initializer, Inst, InstKind, Intrinsic, Operand,
};
use super::types::TypeMap;
use crate::base::id::Id;

/// Where the symbols of one unit went. What is not kept has no new id.
pub(super) struct UnitMap<'a> {
    pub types: &'a TypeMap,
    pub functions: &'a [Option<FuncId>],
    pub globals: &'a [Option<GlobalId>],
}

impl UnitMap<'_> {
    pub fn function(&self, f: FuncId) -> FuncId {
        self.functions[f.index()].expect("what a kept item refers to is kept")
    }
    pub fn global(&self, g: GlobalId) -> GlobalId {
        self.globals[g.index()].expect("what a kept item refers to is kept")
    }

    fn operand(&self, op: &mut Operand) {
        match op {
            Operand::Int(_, ty) | Operand::Float(_, ty) => *ty = self.types.ty(*ty),
            Operand::Global(g) => *g = self.global(*g),
            Operand::Function(f) => *f = self.function(*f),
            Operand::Value(_) | Operand::Local(_) | Operand::Label(_) => {}
        }
    }

    fn inst(&self, inst: &mut Inst) {
        inst.ty = self.types.ty(inst.ty);
        inst.kind.for_each_operand_mut(|op| self.operand(op));
        match &mut inst.kind {
            InstKind::Load { access, .. } | InstKind::Store { access, .. } => access.ty = self.types.ty(access.ty),
            InstKind::FieldAddr { record, .. } => *record = self.types.record(*record),
            InstKind::Call { callee: Callee::Direct(f), .. } => *f = self.function(*f),
            InstKind::Intrinsic(Intrinsic::Overflows(_, ty), _) => *ty = self.types.ty(*ty),
            InstKind::Call { callee: Callee::Indirect(_), .. }
            | InstKind::Intrinsic(..)
            | InstKind::Param(_)
            | InstKind::Phi(_)
            | InstKind::Copy(_)
            | InstKind::Uninit
            | InstKind::Unary(..)
            | InstKind::Binary(..)
            | InstKind::Compare(..)
            | InstKind::Cast(_)
            | InstKind::PtrAdd { .. }
            | InstKind::PtrDiff { .. }
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

    /// A function with its body.
    pub fn rewrite_function(&self, f: &mut Function) {
        f.ty = self.types.ty(f.ty);
        f.addr_ty = self.types.ty(f.addr_ty);
        let Some(body) = &mut f.body else { return };
        for local in &mut body.locals {
            local.ty = self.types.qual(local.ty);
            local.addr_ty = self.types.ty(local.addr_ty);
        }
        body.insts.iter_mut().for_each(|inst| self.inst(inst));
        for block in &mut body.blocks {
            if let Some(op) = block.term.operand_mut() {
                self.operand(op);
            }
        }
    }

    /// The content of a global.
    pub fn rewrite_initializer(&self, init: &mut Initializer) {
        for (_, item) in &mut init.items {
            match item {
                InitItem::Bytes(_) => {}
                InitItem::Address { target, .. } => match target {
                    InitTarget::Global(g) => *g = self.global(*g),
                    InitTarget::Function(f) | InitTarget::Label(f, _) => *f = self.function(*f),
                },
            }
        }
    }
}
