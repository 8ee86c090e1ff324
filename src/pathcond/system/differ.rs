//! Whether and when the two runs differ at a node that both execute.

use crate::ir::{InstKind, Operand, Terminator};
use crate::pathcond::leaves::Run;
use crate::pathcond::values::{FrameId, Values};
use crate::sdg::{Formal, NodeId, NodeKind};
use crate::solve::term::TermId;

impl Values<'_> {
    /// Whether both runs can execute a node with different values.
    pub fn may_differ(&mut self, frame: FrameId, node: NodeId) -> bool {
        match self.observed(frame, node) {
            Some(operands) => operands.iter().any(|operand| {
                let [a, b] = Run::BOTH.map(|run| self.operand(frame, run, *operand));
                a.is_none() || a != b
            }),
            None => true,
        }
    }
    /// That the runs differ at a node that both execute; `None` if that says nothing.
    pub fn differ(&mut self, frame: FrameId, node: NodeId) -> Option<TermId> {
        let mut ways: Vec<TermId> = Vec::new();
        for operand in self.observed(frame, node)? {
            let [a, b] = Run::BOTH.map(|run| self.operand(frame, run, operand));
            let (a, b) = (a?, b?);
            if self.terms.sort(a) != self.terms.sort(b) {
                return None;
            }
            ways.push(self.terms.ne(a, b));
        }
        Some(self.terms.or(&ways))
    }
    /// The operands whose values are what a node does; `None` if it does more.
    fn observed(&self, frame: FrameId, node: NodeId) -> Option<Vec<Operand>> {
        let func = self.frame_of(frame).func;
        let body = self.program.functions[func].body.as_ref()?;
        match self.sdg.nodes()[node].kind {
            NodeKind::Inst(value) => match &body.insts[value].kind {
                InstKind::Store { .. } if self.arbitrary.contains(node) => None,
                InstKind::Store { addr, value, .. } => Some(vec![*addr, *value]),
                InstKind::Asm(_)
                | InstKind::VaStart(_)
                | InstKind::VaArg(_)
                | InstKind::VaCopy { .. }
                | InstKind::VaEnd(_)
                | InstKind::StandIn { .. }
                | InstKind::Alloca { .. }
                | InstKind::AsmOutput { .. }
                | InstKind::Call { .. } => None,
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
                | InstKind::Load { .. }
                | InstKind::Intrinsic(..) => Some(vec![Operand::Value(value)]),
            },
            // What a source gives is arbitrary, whatever is computed there.
            NodeKind::Predicate(_) | NodeKind::Return(_) | NodeKind::PhiOperand { .. }
                if self.arbitrary.contains(node) =>
            {
                None
            }
            NodeKind::Predicate(block) => body.blocks[block].term.operand().map(|operand| vec![*operand]),
            NodeKind::Return(block) => match &body.blocks[block].term {
                Terminator::Return(Some(operand)) => Some(vec![*operand]),
                _ => None,
            },
            NodeKind::PhiOperand { phi, operand } => match &body.insts[phi].kind {
                InstKind::Phi(operands) => Some(vec![operands[operand as usize].1]),
                _ => None,
            },
            NodeKind::ActualIn(site, Formal::Param(index)) => match &body.insts[self.sdg.sites()[site].inst].kind {
                InstKind::Call { args, .. } if !self.arbitrary.contains(node) => {
                    args.get(index as usize).map(|operand| vec![*operand])
                }
                _ => None,
            },
            NodeKind::ActualOut(site, Formal::Result) => Some(vec![Operand::Value(self.sdg.sites()[site].inst)]),
            NodeKind::FormalIn(Formal::Param(index)) => {
                body.params.get(index as usize).map(|value| vec![Operand::Value(*value)])
            }
            NodeKind::Entry
            | NodeKind::MemoryPhi { .. }
            | NodeKind::MemoryDef { .. }
            | NodeKind::Shared(_)
            | NodeKind::FormalIn(_)
            | NodeKind::FormalOut(_)
            | NodeKind::ActualIn(..)
            | NodeKind::ActualOut(..)
            | NodeKind::Call(_) => None,
        }
    }
}
