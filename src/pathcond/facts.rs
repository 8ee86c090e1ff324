//! What is known of leaves in every execution: the ranges of values, and how a loop's counters change from one iteration to a later one.
//!
//! A fact about a leaf speaks of this leaf alone, and its range is never empty. Whenever the leaf's instruction is executed in the leaf's instance and run, the fact holds; where it is not
//! executed, the leaf is an arbitrary value on which no label that holds depends (a condition names a value only together with what must be decided for it to be computed), and one within the range
//! serves. So facts may be added to any formula, at any moment. Sources are arbitrary, and the analysis is told so.
//!
//! A value of which only one number is possible is that number.
//!
//! *Growth.* A counter that never goes down on any way round its loop, without wrapping around, is at least as great in a later iteration of the same entry into the loop, by its least increment
//! for each round. A dependence that is carried by a loop leads from one iteration to a later one, and a run that executes both its ends
//! executes the header, which dominates both, in both iterations. Where runs may leave the loop in different iterations, nothing is said of both at once: that they differ at the
//! header may mean that they do in their last iterations.

use std::rc::Rc;

use super::leaves::{LeafKind, Run};
use super::shape::Shape;
use super::system::State;
use super::values::{FrameId, Values};
use crate::base::graph::LoopId;
use crate::ir::{BlockId, FuncId, ValueId};
use crate::ranges::{Growth, Kind, Range, Ranges, Task, ranges};
use crate::sdg::{Edge, NodeKind};
use crate::solve::number::BitVec;
use crate::solve::term::{BitOp, Node, Order, TermId, Terms, VarId};

impl Values<'_> {
    /// The ranges of a function's values.
    pub(super) fn ranges(&mut self, func: FuncId) -> Rc<Ranges> {
        if let Some(known) = self.known_ranges.get(&func) {
            return known.clone();
        }
        let shape = self.shapes.of(func);
        let mut chosen: Vec<ValueId> = Vec::new();
        if let Some(proc) = self.sdg.procedure_of(func) {
            for node in self.sdg.procedures()[proc].nodes().filter(|node| self.arbitrary.contains(*node)) {
                if let NodeKind::PhiOperand { phi, .. } = self.sdg.nodes()[node].kind {
                    chosen.push(phi);
                }
            }
        }
        let (sdg, arbitrary) = (self.sdg, self.arbitrary);
        let free =
            |value: ValueId| shape.nodes[value].is_some_and(|n| arbitrary.contains(n)) || chosen.contains(&value);
        let free_choice = |block: BlockId| shape.predicates[block].is_some_and(|n| arbitrary.contains(n));
        let task =
            Task { program: self.program, func, overflow: self.overflow, free: &free, free_choice: &free_choice };
        let found = if sdg.procedure_of(func).is_some() { ranges(task) } else { Ranges::default() };
        let found = Rc::new(found);
        self.known_ranges.insert(func, found.clone());
        found
    }
    /// The number that a value always is.
    pub(super) fn always(&mut self, func: FuncId, value: ValueId) -> Option<i128> {
        self.ranges(func).of(value)?.only()
    }
    /// What a leaf can be, if that says something.
    pub fn range_of(&mut self, var: VarId) -> Option<(Range, Kind)> {
        let leaf = self.leaves.of(&self.terms, var)?;
        let (LeafKind::Value(value), Some(func)) = (&leaf.kind, leaf.func) else { return None };
        let value = *value;
        let ranges = self.ranges(func);
        let (range, kind) = (ranges.of(value)?, ranges.kind(value)?);
        (range != kind.full()).then_some((range, kind))
    }
    /// That a leaf is in its range; `None` if that says nothing.
    pub fn fact(&mut self, var: VarId) -> Option<TermId> {
        let (range, kind) = self.range_of(var)?;
        let sort = self.terms.variable(var).sort;
        let key = self.terms.variable(var).key?;
        let leaf = self.terms.var(key, sort, "");
        let width = self.terms.width(leaf);
        let [low, high] = [range.low(), range.high()].map(|number| self.terms.number(width, number));
        let order = if kind.signed { Order::SLe } else { Order::ULe };
        let above = self.terms.compare(order, low, leaf);
        let below = self.terms.compare(order, leaf, high);
        let mut parts = vec![above, below];
        if range.step() > 1 {
            let distance = self.terms.bit(BitOp::Sub, leaf, low);
            let step = self.terms.number(width, range.step());
            let rest = self.terms.bit(BitOp::URem, distance, step);
            let zero = self.terms.number(width, 0);
            parts.push(self.terms.eq(rest, zero));
        }
        Some(self.terms.and(&parts))
    }
    /// What is known of the leaves in these terms.
    pub fn facts(&mut self, terms: &[TermId]) -> Vec<TermId> {
        let vars = self.terms.variables_of(terms);
        vars.into_iter().filter_map(|var| self.fact(var)).collect()
    }
    /// The loop that a dependence inside a function carries to a later iteration of the same entry into it, and the runs that are sure to be in both.
    pub fn carried_by(&self, shape: &Shape<'_>, edge: Edge, from: State, to: State) -> Option<(LoopId, Vec<Run>)> {
        let l = edge.moves.back?;
        let loops = &shape.body.loops;
        let (start, end) = (shape.block(self.sdg, edge.from)?, shape.block(self.sdg, edge.to)?);
        let around = std::iter::successors(Some(l), |l| loops.loops[*l].parent);
        let clear = around.into_iter().all(|l| !shape.irreducible[l]);
        let stays = edge.moves.stays == loops.loops[l].parent;
        let inside = clear && stays && loops.contains(l, start) && loops.contains(l, end);
        let runs = |state: State| match state {
            State::Differs => Run::BOTH.to_vec(),
            State::Only(run) | State::Memory(run) => vec![run],
        };
        let (before, after) = (runs(from), runs(to));
        let both: Vec<Run> = before.into_iter().filter(|run| after.contains(run)).collect();
        let sure = !both.is_empty() && (both.len() == 1 || !shape.leaves_apart[l]);
        (inside && sure).then_some((l, both))
    }
    /// What holds between an iteration of a loop and a later one, in a run that is in both.
    pub fn grown(&mut self, before: FrameId, after: FrameId, run: Run, l: LoopId) -> Vec<TermId> {
        let func = self.frame_of(before).func;
        let ranges = self.ranges(func);
        let mut found = Vec::new();
        for Growth { phi, least, most } in ranges.growing(l).iter().copied() {
            let Some(kind) = ranges.kind(phi).filter(|kind| !kind.bool) else { continue };
            let (Some(old), Some(new)) = (self.value(before, run, phi), self.value(after, run, phi)) else { continue };
            let width = self.terms.width(old);
            let order = if kind.signed { Order::SLe } else { Order::ULe };
            if least >= 0 {
                found.extend(self.ordered(order, width, old, new, least));
            }
            if most <= 0 {
                found.extend(self.ordered(order, width, new, old, -most));
            }
        }
        found
    }
    /// That one number is at least so much less than another.
    fn ordered(&mut self, order: Order, width: u32, less: TermId, more: TermId, by: i128) -> [TermId; 2] {
        let by = self.terms.number(width, by);
        let next = self.terms.bit(BitOp::Add, less, by);
        [self.terms.compare(order, less, next), self.terms.compare(order, next, more)]
    }
    /// Whether a predicate is true, or false, whatever its leaf is; `None` if that depends.
    pub(super) fn decided(&mut self, predicate: TermId) -> Option<bool> {
        let (var, says) = self.statement(predicate)?;
        let (range, kind) = self.range_of(var)?;
        let [yes, no] = [true, false].map(|holds| says.left(holds, range, kind));
        match (yes, no) {
            (None, Some(_)) => Some(false),
            (Some(_), None) => Some(true),
            (Some(_), Some(_)) | (None, None) => None,
        }
    }
    /// What a predicate says of a leaf.
    fn statement(&self, predicate: TermId) -> Option<(VarId, Says)> {
        let (term, says) = says(&self.terms, predicate)?;
        match self.terms.node(term) {
            Node::Var(var) => Some((*var, says)),
            _ => None,
        }
    }
}

/// What a predicate says of a term.
pub(super) fn says(terms: &Terms, predicate: TermId) -> Option<(TermId, Says)> {
    match terms.node(predicate) {
        Node::Eq(x, k) => Some((*x, Says::Is(terms.as_bits(*k)?.clone()))),
        Node::Compare(Order::SLt, x, k) => Some((*x, Says::Below(terms.as_bits(*k)?.clone(), true))),
        Node::Compare(Order::ULt, x, k) => Some((*x, Says::Below(terms.as_bits(*k)?.clone(), false))),
        _ => None,
    }
}

/// What is said of a term.
#[derive(Clone, Debug)]
pub(super) enum Says {
    /// It is this.
    Is(BitVec),
    /// It is less than this, read as signed or not.
    Below(BitVec, bool),
}

impl Says {
    /// The members of a range for which it is true, or false, and maybe others.
    pub(super) fn left(&self, holds: bool, range: Range, kind: Kind) -> Option<Range> {
        match self {
            Says::Is(k) => match number(k, kind) {
                Some(k) if holds => range.meet(Range::one(k)),
                Some(k) => range.without(k),
                None => Some(range),
            },
            Says::Below(k, signed) => {
                // Read the other way, the order is the same only where there are no negative numbers.
                let bound = if *signed == kind.signed {
                    number(k, kind)
                } else if range.low() >= 0 && range.high() < 1 << (kind.width - 1) {
                    let other = Kind { signed: *signed, ..kind };
                    number(k, other)
                } else {
                    None
                };
                match bound {
                    Some(k) if holds => range.within(range.low(), k - 1),
                    Some(k) => range.within(k, range.high()),
                    None => Some(range),
                }
            }
        }
    }
}

/// Bits as a number of a kind; `None` if they are not of its width.
pub(super) fn number(bits: &BitVec, kind: Kind) -> Option<i128> {
    if bits.width() != kind.width {
        return None;
    }
    let number = bits.to_u128()? as i128;
    let least = 1i128 << (kind.width - 1);
    Some(if kind.signed && number >= least { number - 2 * least } else { number })
}
