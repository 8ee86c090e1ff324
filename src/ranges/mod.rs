//! Which integers each value of a function can be, in every execution of it: intervals with congruences, by abstract interpretation of the SSA form.
//!
//! Values start with nothing and grow, block by block, until nothing changes; at the headers of loops they are widened to the next constant that the function compares with,
//! and in the end to their type. Two more passes narrow what was widened too far. Where a block is dominated by one way of a branch, what the condition says of its operands, and
//! of what these are copied, converted or shifted from, refines them there: `i < 8` makes `i` at most 7 in the loop and, with `i` at most 8 at the
//! header, exactly 8 after it. This holds at all places that the way dominates: a path that computed an operand anew after it took the way would lead to
//! them without it.
//!
//! Arithmetic is that of [`crate::solve::encode`], in the width of the type: it wraps around, except that signed arithmetic in `int` and wider has no overflow if the policy says
//! so. What is not understood has all numbers of its type: parameters, loads (of bit-fields: all of their width), results of calls, `asm`, what C leaves undefined, and whatever
//! the caller says is *free*: a source has arbitrary values, and a branch that is one tells nothing. An `enum` may hold any number of its underlying type, so its constants
//! say nothing. Integers of more than 64 bits, pointers and floats are not looked at.
//!
//! Soundness: every value that an execution computes is in its range, by induction over the execution. `None` says that the value is never computed, and is not to be used as more
//! than that: nothing is known.
//!
//! Cost: linear in the function for each pass; passes are few, and past a limit nothing is said.

mod range;
mod refine;

use rustc_hash::FxHashMap;

pub use range::{Kind, Range};

use crate::base::IdVec;
use crate::base::graph::{Dominators, LoopId};
use crate::ir::*;
use crate::policy::Overflow;

/// What an analysis is made of.
#[derive(Clone, Copy)]
pub struct Task<'t> {
    /// The program.
    pub program: &'t Program,
    /// The function.
    pub func: FuncId,
    /// What a signed overflow means.
    pub overflow: Overflow,
    /// Values that are arbitrary.
    pub free: &'t dyn Fn(ValueId) -> bool,
    /// Blocks at whose ends control goes any way.
    pub free_choice: &'t dyn Fn(BlockId) -> bool,
}

/// The ranges of a function's values.
#[derive(Clone, Debug, Default)]
pub struct Ranges {
    values: IdVec<ValueId, Option<Range>>,
    kinds: IdVec<ValueId, Option<Kind>>,
    growth: FxHashMap<LoopId, Vec<Growth>>,
}

/// How a value at the header of a loop changes from one iteration to the next: by something between two numbers, exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Growth {
    /// The `Phi`.
    pub phi: ValueId,
    /// At least by this,
    pub least: i128,
    /// at most by this.
    pub most: i128,
}

impl Ranges {
    /// What an integer value can be; `None`: nothing is known.
    pub fn of(&self, value: ValueId) -> Option<Range> {
        self.values.get(value).copied().flatten()
    }
    /// The numbers of a value's type; `None` if it is no integer that is looked at.
    pub fn kind(&self, value: ValueId) -> Option<Kind> {
        self.kinds.get(value).copied().flatten()
    }
    /// The values at a loop's header that never go down, or never up, as long as the loop goes round.
    pub fn growing(&self, l: LoopId) -> &[Growth] {
        self.growth.get(&l).map_or(&[], Vec::as_slice)
    }
}

/// Instructions of a function that is looked at, at most.
const LARGEST: usize = 20_000;
/// Passes over a function, at most.
const PASSES: usize = 60;
/// Changes of a header's value before it is widened, and before it is widened to its type.
const PATIENCE: [u32; 2] = [3, 12];
/// Conditions around a block that are looked at.
const NEAREST: usize = 32;
/// Constants that widening stops at.
const MARKS: usize = 64;
/// Definitions that a condition is followed through.
const DEEPEST: u32 = 6;

/// The ranges of a function's values.
pub fn ranges(task: Task<'_>) -> Ranges {
    let Some(body) = &task.program.functions[task.func].body else { return Ranges::default() };
    if body.insts.len() > LARGEST {
        return Ranges::default();
    }
    let kinds: IdVec<ValueId, Option<Kind>> = body.insts.iter().map(|inst| kind_of(task.program, inst.ty)).collect();
    let mut before = body.predecessors();
    for list in &mut before {
        list.dedup();
    }
    let graph = cfg::graph(body);
    let dominators = Dominators::new(&graph, &graph.reversed(), body.entry);
    let mut home = IdVec::filled(body.entry, body.insts.len());
    for (id, block) in body.blocks.enumerate() {
        block.insts.iter().for_each(|v| home[*v] = id);
    }
    let values = IdVec::filled(None, body.insts.len());
    let mut analysis = Analysis { task, body, kinds, before, dominators, home, values };
    if !analysis.solve() {
        return Ranges::default();
    }
    let mut growth = FxHashMap::default();
    for (id, l) in body.loops.loops.enumerate().filter(|(_, l)| l.entries.len() == 1) {
        let found: Vec<Growth> =
            body.blocks[l.header].insts.iter().filter_map(|phi| analysis.growth(id, *phi)).collect();
        if !found.is_empty() {
            growth.insert(id, found);
        }
    }
    Ranges { values: analysis.values, kinds: analysis.kinds, growth }
}

/// The numbers of a type; `None` if it is no integer that is looked at.
fn kind_of(program: &Program, ty: TypeId) -> Option<Kind> {
    let types = &program.types;
    match types.get(ty) {
        Type::Bool => Some(Kind { width: 8, signed: false, bool: true }),
        Type::Int(_) | Type::Enum(_) => {
            let (width, signed) = types.int_shape(ty).filter(|(width, _)| *width <= 64)?;
            Some(Kind { width, signed, bool: false })
        }
        Type::Void
        | Type::Float(_)
        | Type::Complex(_)
        | Type::Record(_)
        | Type::Pointer(_)
        | Type::Array { .. }
        | Type::Vector { .. }
        | Type::Function(_) => None,
    }
}

struct Analysis<'t> {
    task: Task<'t>,
    body: &'t Body,
    kinds: IdVec<ValueId, Option<Kind>>,
    before: IdVec<BlockId, Vec<BlockId>>,
    dominators: Dominators<BlockId>,
    home: IdVec<ValueId, BlockId>,
    values: IdVec<ValueId, Option<Range>>,
}

/// What values are at a place, where more is known of them than everywhere.
type Refined = FxHashMap<ValueId, Range>;

impl Analysis<'_> {
    /// Computes all values; `false` if that took too long.
    fn solve(&mut self) -> bool {
        let marks = self.marks();
        let headers: Vec<BlockId> = self.body.loops.loops.iter().map(|l| l.header).collect();
        let mut changes: IdVec<ValueId, u32> = IdVec::filled(0, self.values.len());
        let body = self.body;
        for pass in 0..=PASSES {
            let mut changed = false;
            for block in body.blocks.ids() {
                let Some(refined) = self.refined(block) else { continue };
                let is_header = headers.contains(&block);
                for value in &body.blocks[block].insts {
                    let Some(kind) = self.kinds[*value] else { continue };
                    let Some(new) = self.evaluated(*value, kind, block, &refined) else { continue };
                    let old = self.values[*value];
                    let mut joined = old.map_or(new, |old| old.join(new));
                    if old == Some(joined) {
                        continue;
                    }
                    changes[*value] += 1;
                    if let Some(old) = old
                        && is_header
                        && changes[*value] > PATIENCE[0]
                    {
                        let marks: &[i128] = if changes[*value] > PATIENCE[1] { &[] } else { &marks };
                        joined = old.widened(joined, kind, marks);
                    }
                    self.values[*value] = Some(joined);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
            if pass == PASSES {
                return false;
            }
        }
        for _ in 0..2 {
            for block in body.blocks.ids() {
                let refined = self.refined(block);
                for value in &body.blocks[block].insts {
                    let Some(kind) = self.kinds[*value] else { continue };
                    let again = refined.as_ref().and_then(|refined| self.evaluated(*value, kind, block, refined));
                    self.values[*value] = match (self.values[*value], again) {
                        (Some(old), Some(new)) => old.meet(new),
                        (_, None) | (None, _) => None,
                    };
                }
            }
        }
        true
    }
    /// The constants that values are compared with, and their neighbours.
    fn marks(&self) -> Vec<i128> {
        let mut marks = Vec::new();
        for inst in &self.body.insts {
            if let InstKind::Compare(_, a, b) = &inst.kind {
                for operand in [a, b] {
                    if let Operand::Int(number, ty) = operand
                        && kind_of(self.task.program, *ty).is_some()
                    {
                        marks.extend([number.value() - 1, number.value(), number.value() + 1]);
                    }
                }
            }
        }
        marks.sort_unstable();
        marks.dedup();
        marks.truncate(MARKS);
        marks
    }

    fn is_free(&self, value: ValueId) -> bool {
        (self.task.free)(value)
    }
    fn operand_kind(&self, operand: Operand) -> Option<Kind> {
        match operand {
            Operand::Value(value) => self.kinds[value],
            Operand::Int(_, ty) => kind_of(self.task.program, ty),
            Operand::Float(..) | Operand::Global(_) | Operand::Function(_) | Operand::Local(_) | Operand::Label(_) => {
                None
            }
        }
    }
    /// What an integer operand can be; `None` if it is not computed as far as is known.
    fn operand(&self, operand: Operand, refined: &Refined) -> Option<Range> {
        match operand {
            Operand::Value(value) => refined.get(&value).copied().or(self.values[value]),
            Operand::Int(number, _) => Some(Range::one(number.value()).wrapped(self.operand_kind(operand)?)),
            Operand::Float(..) | Operand::Global(_) | Operand::Function(_) | Operand::Local(_) | Operand::Label(_) => {
                None
            }
        }
    }
    /// What a value is, by its operands; `None` if it is not computed as far as is known.
    fn evaluated(&self, value: ValueId, kind: Kind, block: BlockId, refined: &Refined) -> Option<Range> {
        let full = Some(kind.full());
        if self.is_free(value) {
            return full;
        }
        match &self.body.insts[value].kind {
            InstKind::Phi(operands) => {
                if operands.iter().any(|(_, operand)| self.operand_kind(*operand) != Some(kind)) {
                    return full;
                }
                let mut all: Option<Range> = None;
                for (from, operand) in operands {
                    let Some(refined) = self.on_edge(*from, block) else { continue };
                    let Some(range) = self.operand(*operand, &refined) else { continue };
                    all = Some(all.map_or(range, |all| all.join(range)));
                }
                all
            }
            InstKind::Copy(operand) => match self.operand_kind(*operand) {
                Some(_) => Some(self.operand(*operand, refined)?.wrapped(kind)),
                None => full,
            },
            InstKind::Cast(operand) => match self.operand_kind(*operand) {
                Some(_) if kind.bool => {
                    let range = self.operand(*operand, refined)?;
                    Some(truth(range.compared(CmpOp::Ne, Range::one(0))))
                }
                Some(_) => Some(self.operand(*operand, refined)?.wrapped(kind)),
                None => full,
            },
            InstKind::Compare(op, a, b) => match (self.operand_kind(*a), self.operand_kind(*b)) {
                (Some(left), Some(right)) if left == right => {
                    Some(truth(self.operand(*a, refined)?.compared(*op, self.operand(*b, refined)?)))
                }
                _ => Some(Range::all(0, 1)).filter(|range| kind.holds(*range)).or(full),
            },
            InstKind::Unary(op, a) if !kind.bool && self.operand_kind(*a) == Some(kind) => {
                let range = self.operand(*a, refined)?;
                match op {
                    UnOp::Neg => self.result(range.neg(), kind),
                    UnOp::Not => Some(range.neg().add(Range::one(-1)).wrapped(kind)),
                }
            }
            InstKind::Binary(op, a, b) if !kind.bool && self.operand_kind(*a) == Some(kind) => {
                let is_shift = matches!(op, BinOp::Shl | BinOp::Shr);
                if self.operand_kind(*b).is_none_or(|other| other != kind && !is_shift) {
                    return full;
                }
                let (left, right) = (self.operand(*a, refined)?, self.operand(*b, refined)?);
                self.binary(*op, kind, left, right)
            }
            InstKind::Load { access, .. } if !kind.bool => match access.bits {
                Some(bits) if u32::from(bits.width) < kind.width && bits.width > 0 => {
                    Some(Kind { width: u32::from(bits.width), ..kind }.full())
                }
                _ => full,
            },
            InstKind::Param(_)
            | InstKind::Uninit
            | InstKind::Unary(..)
            | InstKind::Binary(..)
            | InstKind::PtrAdd { .. }
            | InstKind::PtrDiff { .. }
            | InstKind::FieldAddr { .. }
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
            | InstKind::Intrinsic(..)
            | InstKind::StandIn { .. } => full,
        }
    }
    /// Whether an overflow of this type does not happen.
    fn overflow_excluded(&self, kind: Kind) -> bool {
        let int = self.task.program.types.model.int_size(IntKind::Int) as u32 * 8;
        kind.signed && kind.width >= int && self.task.overflow == Overflow::Undefined
    }
    /// The exact results of an operation as values of its type; `None` if all of them overflow, which does not happen.
    fn result(&self, exact: Range, kind: Kind) -> Option<Range> {
        if self.overflow_excluded(kind) { exact.fitting(kind) } else { Some(exact.wrapped(kind)) }
    }
    fn binary(&self, op: BinOp, kind: Kind, left: Range, right: Range) -> Option<Range> {
        let full = Some(kind.full());
        match op {
            BinOp::Add => self.result(left.add(right), kind),
            BinOp::Sub => self.result(left.add(right.neg()), kind),
            BinOp::Mul => match left.mul(right) {
                Some(product) => self.result(product, kind),
                None => full,
            },
            BinOp::Div => right.only().filter(|by| *by > 0).map(|by| left.div(by)).or(full),
            BinOp::Rem => right.only().filter(|by| *by > 0).map(|by| left.rem(by)).or(full),
            BinOp::And => match (left.only(), right.only()) {
                (_, Some(mask)) if mask >= 0 => Some(left.mask(mask)),
                (Some(mask), _) if mask >= 0 => Some(right.mask(mask)),
                _ if left.low() >= 0 || right.low() >= 0 => {
                    let high = |range: Range| if range.low() >= 0 { range.high() } else { kind.greatest() };
                    Some(Range::all(0, high(left).min(high(right))))
                }
                _ => full,
            },
            BinOp::Or | BinOp::Xor if left.low() >= 0 && right.low() >= 0 => {
                let most = left.high().max(right.high());
                let low = if op == BinOp::Or { left.low().max(right.low()) } else { 0 };
                let bits = 128 - most.leading_zeros();
                Some(Range::all(low, (1 << bits) - 1))
            }
            BinOp::Or | BinOp::Xor => full,
            BinOp::Shl => match right.only() {
                Some(by) if (0..i128::from(kind.width)).contains(&by) => {
                    left.mul(Range::one(1 << by)).map(|product| product.wrapped(kind)).or(full)
                }
                _ => full,
            },
            BinOp::Shr => match right.only() {
                Some(by) if (0..i128::from(kind.width)).contains(&by) => Some(left.shift_right(by as u32)),
                _ => full,
            },
        }
    }

    /// How a header's `Phi` changes in an iteration of its loop; `None` if it may go up and down, and for other values.
    fn growth(&self, l: LoopId, phi: ValueId) -> Option<Growth> {
        let InstKind::Phi(operands) = &self.body.insts[phi].kind else { return None };
        let loops = &self.body.loops;
        let inside = |block: BlockId| loops.contains(l, block);
        let mut change: Option<(i128, i128)> = None;
        for (_, operand) in operands.iter().filter(|(from, _)| inside(*from)) {
            let one = self.change(l, phi, *operand, DEEPEST * 2)?;
            change = Some(change.map_or(one, |(low, high)| (low.min(one.0), high.max(one.1))));
        }
        let one_way = |(least, most): &(i128, i128)| *least >= 0 || *most <= 0;
        let is_known = !self.is_free(phi) && self.values[phi].is_some();
        change.filter(one_way).filter(|_| is_known).map(|(least, most)| Growth { phi, least, most })
    }
    /// By how much an operand differs from a header's `Phi` in the same iteration, exactly: it is computed from that one alone, whatever inner loops do.
    fn change(&self, l: LoopId, phi: ValueId, operand: Operand, depth: u32) -> Option<(i128, i128)> {
        let Operand::Value(value) = operand else { return None };
        if value == phi {
            return Some((0, 0));
        }
        if depth == 0 || self.is_free(value) || !self.body.loops.contains(l, self.home[value]) {
            return None;
        }
        let home = self.home[value];
        match &self.body.insts[value].kind {
            InstKind::Copy(of) => self.change(l, phi, *of, depth - 1),
            InstKind::Cast(of @ Operand::Value(from)) => {
                let refined = self.refined(home)?;
                if !self.kept(*from, value, &refined) || self.kinds[value]?.bool {
                    return None;
                }
                self.change(l, phi, *of, depth - 1)
            }
            InstKind::Binary(op @ (BinOp::Add | BinOp::Sub), of @ Operand::Value(from), Operand::Int(by, _)) => {
                let by = if *op == BinOp::Add { by.value() } else { -by.value() };
                self.exact(*from, value, by, &self.refined(home)?)?;
                let (low, high) = self.change(l, phi, *of, depth - 1)?;
                Some((low + by, high + by))
            }
            // Of the same iteration: no header's.
            InstKind::Phi(operands) if !self.body.loops.loops.iter().any(|l| l.header == home) => {
                let mut all: Option<(i128, i128)> = None;
                for (_, operand) in operands {
                    let (low, high) = self.change(l, phi, *operand, depth - 1)?;
                    all = Some(all.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
                }
                all
            }
            _ => None,
        }
    }
}

/// A truth as a number.
fn truth(known: Option<bool>) -> Range {
    match known {
        Some(truth) => Range::one(i128::from(truth)),
        None => Range::all(0, 1),
    }
}
