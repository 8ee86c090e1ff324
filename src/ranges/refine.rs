//! What conditions say of values where they have decided.
//!
//! Soundness: a way of a branch that dominates a place was taken after the values that the place sees were computed (see the module above).

use super::range::Range;
use super::{Analysis, DEEPEST, NEAREST, Refined};
use crate::ir::{BinOp, BlockId, CmpOp, InstKind, Operand, Terminator, ValueId};

impl Analysis<'_> {
    /// What more is known of values in a block; `None` if it is not reached as far as is known.
    pub(super) fn refined(&self, block: BlockId) -> Option<Refined> {
        let mut ways: Vec<(BlockId, BlockId)> = Vec::new();
        let mut at = Some(block);
        while let Some(here) = at {
            if let [from] = self.before[here].as_slice()
                && ways.len() < NEAREST
            {
                ways.push((*from, here));
            }
            at = self.dominators.idom(here);
        }
        let mut refined = Refined::default();
        ways.into_iter().rev().all(|(from, to)| self.taken(from, to, &mut refined)).then_some(refined)
    }
    /// What more is known of values when control goes along an edge; `None` if it does not as far as is known.
    pub(super) fn on_edge(&self, from: BlockId, to: BlockId) -> Option<Refined> {
        let mut refined = self.refined(from)?;
        self.taken(from, to, &mut refined).then_some(refined)
    }
    /// Takes in that control goes along an edge; `false` if it cannot.
    fn taken(&self, from: BlockId, to: BlockId, refined: &mut Refined) -> bool {
        if (self.task.free_choice)(from) {
            return true;
        }
        match &self.body.blocks[from].term {
            Terminator::Branch { cond: Operand::Value(cond), then, .. } => {
                self.decided(*cond, to == *then, refined, DEEPEST)
            }
            Terminator::Switch { value: Operand::Value(value), cases, default } if to != *default => {
                let low = cases.iter().filter(|case| case.target == to).map(|case| case.low).min();
                let high = cases.iter().filter(|case| case.target == to).map(|case| case.high).max();
                match (low, high, self.kinds[*value]) {
                    (Some(low), Some(high), Some(kind)) if kind.least() <= low && high <= kind.greatest() => {
                        self.bounded(*value, low, high, refined, DEEPEST)
                    }
                    _ => true,
                }
            }
            Terminator::Branch { .. }
            | Terminator::Switch { .. }
            | Terminator::Jump(_)
            | Terminator::IndirectJump { .. }
            | Terminator::Return(_)
            | Terminator::Unreachable => true,
        }
    }
    /// Takes in that a value is not 0, or that it is; `false` if it cannot be.
    fn decided(&self, value: ValueId, holds: bool, refined: &mut Refined, depth: u32) -> bool {
        if self.kinds[value].is_none() {
            return true;
        }
        let Some(range) = self.operand(Operand::Value(value), refined) else { return false };
        let left = if holds { range.without(0) } else { range.meet(Range::one(0)) };
        let Some(left) = left else { return false };
        refined.insert(value, left);
        if depth == 0 || self.is_free(value) {
            return true;
        }
        match &self.body.insts[value].kind {
            InstKind::Copy(Operand::Value(of)) => self.decided(*of, holds, refined, depth - 1),
            InstKind::Cast(Operand::Value(of)) if self.kinds[value].is_some_and(|kind| kind.bool) => {
                self.decided(*of, holds, refined, depth - 1)
            }
            InstKind::Cast(Operand::Value(of)) if self.kept(*of, value, refined) => {
                self.decided(*of, holds, refined, depth - 1)
            }
            InstKind::Compare(op, a, b) => self.compared(*op, *a, *b, holds, refined, depth - 1),
            _ => true,
        }
    }
    /// Takes in a comparison, or that it does not hold; `false` if that cannot be.
    fn compared(&self, op: CmpOp, a: Operand, b: Operand, holds: bool, refined: &mut Refined, depth: u32) -> bool {
        let (Some(kind), Some(other)) = (self.operand_kind(a), self.operand_kind(b)) else { return true };
        if kind != other {
            return true;
        }
        let (Some(left), Some(right)) = (self.operand(a, refined), self.operand(b, refined)) else { return false };
        let op = match (op, holds) {
            (op, true) => op,
            (CmpOp::Eq, false) => CmpOp::Ne,
            (CmpOp::Ne, false) => CmpOp::Eq,
            (CmpOp::Lt, false) => CmpOp::Ge,
            (CmpOp::Le, false) => CmpOp::Gt,
            (CmpOp::Gt, false) => CmpOp::Le,
            (CmpOp::Ge, false) => CmpOp::Lt,
        };
        let mut limit = |operand: Operand, low: i128, high: i128| match operand {
            Operand::Value(value) => self.bounded(value, low, high, refined, depth),
            _ => true,
        };
        match op {
            CmpOp::Lt => limit(a, kind.least(), right.high() - 1) && limit(b, left.low() + 1, kind.greatest()),
            CmpOp::Le => limit(a, kind.least(), right.high()) && limit(b, left.low(), kind.greatest()),
            CmpOp::Gt => limit(a, right.low() + 1, kind.greatest()) && limit(b, kind.least(), left.high() - 1),
            CmpOp::Ge => limit(a, right.low(), kind.greatest()) && limit(b, kind.least(), left.high()),
            CmpOp::Eq => {
                limit(a, right.low(), right.high())
                    && limit(b, left.low(), left.high())
                    && self.is_zero_test(a, b, false, refined, depth)
            }
            CmpOp::Ne => {
                let mut apart = |operand: Operand, range: Range, other: Range| match (operand, other.only()) {
                    (Operand::Value(value), Some(gone)) => match range.without(gone) {
                        Some(rest) => self.bounded(value, rest.low(), rest.high(), refined, depth),
                        None => false,
                    },
                    _ => true,
                };
                apart(a, left, right) && apart(b, right, left) && self.is_zero_test(a, b, true, refined, depth)
            }
        }
    }
    /// Takes in that a value is compared with 0: the value is a truth itself, maybe.
    fn is_zero_test(&self, a: Operand, b: Operand, holds: bool, refined: &mut Refined, depth: u32) -> bool {
        match (a, b) {
            (Operand::Value(value), Operand::Int(number, _)) if number.value() == 0 && depth > 0 => {
                self.decided(value, holds, refined, depth - 1)
            }
            _ => true,
        }
    }
    /// Whether a conversion leaves a value as it is.
    pub(super) fn kept(&self, of: ValueId, converted: ValueId, refined: &Refined) -> bool {
        let (Some(_), Some(to)) = (self.kinds[of], self.kinds[converted]) else { return false };
        self.operand(Operand::Value(of), refined).is_some_and(|range| to.holds(range))
    }
    /// Takes in that a value lies between two numbers; `false` if it cannot.
    fn bounded(&self, value: ValueId, low: i128, high: i128, refined: &mut Refined, depth: u32) -> bool {
        if self.kinds[value].is_none() {
            return true;
        }
        let Some(range) = self.operand(Operand::Value(value), refined) else { return false };
        let Some(left) = range.within(low, high) else { return false };
        if left == range {
            return true;
        }
        refined.insert(value, left);
        if depth == 0 || self.is_free(value) {
            return true;
        }
        let (low, high) = (left.low(), left.high());
        match &self.body.insts[value].kind {
            InstKind::Copy(Operand::Value(of)) => self.bounded(*of, low, high, refined, depth - 1),
            InstKind::Cast(Operand::Value(of)) if self.kept(*of, value, refined) => {
                self.bounded(*of, low, high, refined, depth - 1)
            }
            InstKind::Binary(op @ (BinOp::Add | BinOp::Sub), Operand::Value(of), Operand::Int(by, _)) => {
                let by = if *op == BinOp::Add { by.value() } else { -by.value() };
                match self.exact(*of, value, by, refined) {
                    Some(_) => self.bounded(*of, low - by, high - by, refined, depth - 1),
                    None => true,
                }
            }
            _ => true,
        }
    }
    /// The sums of a value and a number, if none of them wraps around in the type of the result.
    pub(super) fn exact(&self, of: ValueId, result: ValueId, by: i128, refined: &Refined) -> Option<Range> {
        let kind = self.kinds[result].filter(|kind| !kind.bool && self.kinds[of] == Some(*kind))?;
        let sum = self.operand(Operand::Value(of), refined)?.add(Range::one(by));
        if self.overflow_excluded(kind) { sum.fitting(kind) } else { Some(sum).filter(|sum| kind.holds(*sum)) }
    }
}
