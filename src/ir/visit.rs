//! Walking over the IR: operands, successors, predecessors, and counting.

use super::syntax::*;
use super::types::{TypeId, Types};
use crate::base::IdVec;

impl Terminator {
    /// The blocks control may go to, each once, in order.
    pub fn successors(&self) -> Vec<BlockId> {
        let mut all = match self {
            Terminator::Jump(target) => return vec![*target],
            Terminator::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Terminator::Switch { cases, default, .. } => {
                cases.iter().map(|c| c.target).chain(std::iter::once(*default)).collect()
            }
            Terminator::IndirectJump { targets, .. } => targets.iter().map(|t| t.1).collect(),
            Terminator::Return(_) | Terminator::Unreachable => return Vec::new(),
        };
        let mut seen = rustc_hash::FxHashSet::default();
        all.retain(|b| seen.insert(*b));
        all
    }
    /// Calls `f` on every block named.
    pub fn for_each_target(&mut self, mut f: impl FnMut(&mut BlockId)) {
        match self {
            Terminator::Jump(target) => f(target),
            Terminator::Branch { then, otherwise, .. } => {
                f(then);
                f(otherwise);
            }
            Terminator::Switch { cases, default, .. } => {
                for case in cases {
                    f(&mut case.target);
                }
                f(default);
            }
            Terminator::IndirectJump { targets, .. } => targets.iter_mut().for_each(|t| f(&mut t.1)),
            Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }
    /// The operand it uses, if any.
    pub fn operand(&self) -> Option<&Operand> {
        match self {
            Terminator::Branch { cond: op, .. }
            | Terminator::Switch { value: op, .. }
            | Terminator::IndirectJump { addr: op, .. }
            | Terminator::Return(Some(op)) => Some(op),
            Terminator::Jump(_) | Terminator::Return(None) | Terminator::Unreachable => None,
        }
    }
    /// The operand it uses, if any, mutably.
    pub fn operand_mut(&mut self) -> Option<&mut Operand> {
        match self {
            Terminator::Branch { cond: op, .. }
            | Terminator::Switch { value: op, .. }
            | Terminator::IndirectJump { addr: op, .. }
            | Terminator::Return(Some(op)) => Some(op),
            Terminator::Jump(_) | Terminator::Return(None) | Terminator::Unreachable => None,
        }
    }
}

impl MachineOp {
    /// How many vectors it takes, and whether a number follows.
    pub fn operands(self) -> (usize, bool) {
        match self {
            MachineOp::AesEncrypt
            | MachineOp::AesEncryptLast
            | MachineOp::AesDecrypt
            | MachineOp::AesDecryptLast
            | MachineOp::ByteShuffle => (2, false),
            MachineOp::CarrylessMultiply => (2, true),
            MachineOp::AesInverseMix => (1, false),
            MachineOp::AesKeyAssist => (1, true),
        }
    }
}

impl InstKind {
    /// Calls `f` on every operand, in order. The `Asm` that an `AsmOutput` names is not one.
    pub fn for_each_operand(&self, mut f: impl FnMut(&Operand)) {
        // One traversal serves both: the mutable one on a clone would cost, so the match stands twice.
        match self {
            InstKind::Param(_) | InstKind::Uninit | InstKind::AsmOutput { .. } => {}
            InstKind::Phi(args) => args.iter().for_each(|(_, op)| f(op)),
            InstKind::Copy(a)
            | InstKind::Unary(_, a)
            | InstKind::Cast(a)
            | InstKind::Load { addr: a, .. }
            | InstKind::VaStart(a)
            | InstKind::VaArg(a)
            | InstKind::VaEnd(a)
            | InstKind::FieldAddr { base: a, .. }
            | InstKind::Alloca { size: a, .. } => f(a),
            InstKind::Binary(_, a, b)
            | InstKind::Compare(_, a, b)
            | InstKind::PtrAdd { base: a, index: b, .. }
            | InstKind::PtrDiff { lhs: a, rhs: b, .. }
            | InstKind::Store { addr: a, value: b, .. }
            | InstKind::VaCopy { to: a, from: b } => {
                f(a);
                f(b);
            }
            InstKind::Call { callee, args } => {
                if let Callee::Indirect(op) = callee {
                    f(op);
                }
                args.iter().for_each(f);
            }
            InstKind::Asm(asm) => {
                asm.inputs.iter().for_each(|(_, op)| f(op));
                asm.memory.iter().for_each(f);
            }
            InstKind::Intrinsic(_, args) | InstKind::StandIn { operands: args, .. } => args.iter().for_each(f),
        }
    }
    /// Calls `f` on every operand, in order, mutably.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Operand)) {
        match self {
            InstKind::Param(_) | InstKind::Uninit | InstKind::AsmOutput { .. } => {}
            InstKind::Phi(args) => args.iter_mut().for_each(|(_, op)| f(op)),
            InstKind::Copy(a)
            | InstKind::Unary(_, a)
            | InstKind::Cast(a)
            | InstKind::Load { addr: a, .. }
            | InstKind::VaStart(a)
            | InstKind::VaArg(a)
            | InstKind::VaEnd(a)
            | InstKind::FieldAddr { base: a, .. }
            | InstKind::Alloca { size: a, .. } => f(a),
            InstKind::Binary(_, a, b)
            | InstKind::Compare(_, a, b)
            | InstKind::PtrAdd { base: a, index: b, .. }
            | InstKind::PtrDiff { lhs: a, rhs: b, .. }
            | InstKind::Store { addr: a, value: b, .. }
            | InstKind::VaCopy { to: a, from: b } => {
                f(a);
                f(b);
            }
            InstKind::Call { callee, args } => {
                if let Callee::Indirect(op) = callee {
                    f(op);
                }
                args.iter_mut().for_each(f);
            }
            InstKind::Asm(asm) => {
                asm.inputs.iter_mut().for_each(|(_, op)| f(op));
                asm.memory.iter_mut().for_each(f);
            }
            InstKind::Intrinsic(_, args) | InstKind::StandIn { operands: args, .. } => args.iter_mut().for_each(f),
        }
    }
}

impl Body {
    /// The predecessors of each block, each once, in block order.
    pub fn predecessors(&self) -> IdVec<BlockId, Vec<BlockId>> {
        let mut preds = IdVec::filled(Vec::new(), self.blocks.len());
        for (id, block) in self.blocks.enumerate() {
            for succ in block.term.successors() {
                preds[succ].push(id);
            }
        }
        preds
    }
}

impl Program {
    /// The type of an operand of `body`.
    pub fn operand_type(&self, body: &Body, op: Operand) -> TypeId {
        match op {
            Operand::Value(v) => body.insts[v].ty,
            Operand::Int(_, ty) | Operand::Float(_, ty) => ty,
            Operand::Global(g) => self.globals[g].addr_ty,
            Operand::Function(f) => self.functions[f].addr_ty,
            Operand::Local(l) => body.locals[l].addr_ty,
            Operand::Label(_) => Types::VOID_PTR,
        }
    }
    /// The defined functions.
    pub fn bodies(&self) -> impl Iterator<Item = (FuncId, &Function, &Body)> {
        self.functions.enumerate().filter_map(|(id, f)| f.body.as_ref().map(|b| (id, f, b)))
    }
    /// How much there is.
    pub fn statistics(&self) -> Statistics {
        let mut counted = Statistics { functions: 0, blocks: 0, instructions: 0, stand_ins: 0, assembly: 0 };
        for (_, _, body) in self.bodies() {
            counted.functions += 1;
            counted.blocks += body.blocks.len();
            counted.instructions += body.insts.len();
            for inst in &body.insts {
                match inst.kind {
                    InstKind::StandIn { .. } => counted.stand_ins += 1,
                    InstKind::Asm(_) => counted.assembly += 1,
                    _ => {}
                }
            }
        }
        counted
    }
}

/// How much of everything a program has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Statistics {
    /// Functions with a body.
    pub functions: usize,
    /// Basic blocks.
    pub blocks: usize,
    /// Instructions.
    pub instructions: usize,
    /// Constructs that are not modelled.
    pub stand_ins: usize,
    /// Pieces of inline assembly.
    pub assembly: usize,
}
