//! What calls give back, by looking into their callees.
//!
//! The result of a call of one known function, and what memory holds after it, are computed in an activation of the callee of their own, whose parameters and memory are those that
//! the call passes. They are used only if nothing of that activation is left in them: a term over values of the caller, in the caller's instance.
//!
//! Soundness: where the call returned, the callee went one of the ways to its returns, and the term is the value there; as for a φ, which way was gone is
//! told by the branches since the callee's entry. Where it did not return, nothing that is executed depends on the value.

use rustc_hash::FxHashMap;

use super::leaves::Run;
use super::memory::Read;
use super::shape::versions;
use super::values::{Frame, FrameId, Values};
use crate::ir::{BlockId, Callee, InstKind, Terminator, ValueId};
use crate::sdg::{EdgeKind, NodeId, NodeKind, SiteId};
use crate::solve::term::TermId;

/// Instructions of a callee that is looked into, at most.
const LARGEST: usize = 200;
/// Calls inside each other that are looked into.
const DEEPEST: usize = 3;
/// Blocks of a callee with several returns.
const WIDEST: usize = 24;

impl Values<'_> {
    /// The result of a call; `None` if it is not known, or not in terms of the caller.
    pub(super) fn result(&mut self, frame: FrameId, run: Run, node: NodeId, value: ValueId) -> Option<TermId> {
        let NodeKind::ActualOut(site, _) = self.sdg.nodes()[node].kind else { return None };
        if self.sdg.sites()[site].inst != value {
            return None;
        }
        self.formal_out(frame, node)?;
        let inside = self.activation(frame, site)?;
        let term = self.returned(inside, run)?;
        self.is_outside(inside, term).then_some(term)
    }
    /// What memory holds after a call, by its actual-out; `None` if it is not known, or not in terms of the caller.
    pub(super) fn after_call(
        &mut self,
        frame: FrameId,
        run: Run,
        node: NodeId,
        site: SiteId,
        read: Read,
        depth: u32,
    ) -> Option<TermId> {
        let formal = self.formal_out(frame, node)?;
        let (before, disturbed) = versions(self.sdg, formal);
        if disturbed || before.len() != 1 {
            return None;
        }
        let inside = self.activation(frame, site)?;
        let term = self.content(inside, run, &before, read, depth + 1)?;
        self.is_outside(inside, term).then_some(term)
    }
    /// The only formal-out that an actual-out gets its value from; nothing else may change it.
    fn formal_out(&self, frame: FrameId, node: NodeId) -> Option<NodeId> {
        if self.arbitrary.contains(node) || versions(self.sdg, node).1 {
            return None;
        }
        let mut found: Option<NodeId> = None;
        for edge in self.sdg.predecessors(node) {
            match edge.kind {
                EdgeKind::ParamOut if found.is_none() => found = Some(edge.from),
                EdgeKind::Control(_) | EdgeKind::Order => {}
                EdgeKind::ParamOut
                | EdgeKind::Data
                | EdgeKind::Memory
                | EdgeKind::Call
                | EdgeKind::ParamIn
                | EdgeKind::Summary
                | EdgeKind::Interference => return None,
            }
        }
        let found = found.filter(|formal| !self.arbitrary.contains(*formal))?;
        (self.sdg.function(found) != self.frame_of(frame).func).then_some(found)
    }
    /// The activation of the callee of a call, known by the caller's frame.
    fn activation(&mut self, frame: FrameId, site: SiteId) -> Option<FrameId> {
        if let Some(known) = self.known_calls.get(&(frame, site)) {
            return *known;
        }
        let found = self.new_activation(frame, site);
        self.known_calls.insert((frame, site), found);
        found
    }
    fn new_activation(&mut self, frame: FrameId, site: SiteId) -> Option<FrameId> {
        let caller = self.frame_of(frame).clone();
        let shape = self.shapes.of(caller.func);
        let InstKind::Call { callee: Callee::Direct(func), .. } = shape.body.insts[self.sdg.sites()[site].inst].kind
        else {
            return None;
        };
        self.sdg.procedure_of(func)?;
        let body = self.program.functions[func].body.as_ref().filter(|body| body.insts.len() <= LARGEST)?;
        // No function is inside itself.
        let mut at = Some(frame);
        let mut inner = 0;
        while let Some(around) = at {
            let around = self.frame_of(around);
            if around.func == func {
                return None;
            }
            inner += usize::from(self.looked_into.contains(&around.activation));
            at = self.callers.get(&around.activation).map(|(above, _)| *above);
        }
        if inner >= DEEPEST {
            return None;
        }
        let iterations = body.loops.loops.iter().map(|_| self.fresh_number()).collect();
        let activation = self.fresh_number();
        self.bind(activation, frame, site);
        self.looked_into.insert(activation);
        Some(self.frame(Frame { func, activation, iterations, view: None }))
    }
    /// The value that an activation returns.
    fn returned(&mut self, frame: FrameId, run: Run) -> Option<TermId> {
        let shape = self.shapes.of(self.frame_of(frame).func);
        let body = shape.body;
        let mut returns: Vec<BlockId> = Vec::new();
        for (id, block) in body.blocks.enumerate() {
            match block.term {
                Terminator::Return(Some(_)) => returns.push(id),
                Terminator::Return(None) => return None,
                Terminator::Jump(_)
                | Terminator::Branch { .. }
                | Terminator::Switch { .. }
                | Terminator::IndirectJump { .. }
                | Terminator::Unreachable => {}
            }
        }
        let given = |block: BlockId| match body.blocks[block].term {
            Terminator::Return(operand) => operand,
            _ => None,
        };
        let node = |block: BlockId| {
            let proc = self.sdg.procedure_of(self.frame_of(frame).func)?;
            self.sdg.procedures()[proc].nodes().find(|n| self.sdg.nodes()[*n].kind == NodeKind::Return(block))
        };
        if returns.iter().any(|block| node(*block).is_some_and(|node| self.arbitrary.contains(node))) {
            return None;
        }
        let (last, others) = returns.split_last()?;
        if shape.is_blurred(*last) {
            return None;
        }
        let mut term = self.operand(frame, run, given(*last)?)?;
        if others.is_empty() {
            return Some(term);
        }
        if body.blocks.len() > WIDEST || body.loops.loops.iter().next().is_some() {
            return None;
        }
        let truth = self.terms.truth();
        let mut reached: FxHashMap<BlockId, TermId> = FxHashMap::default();
        reached.insert(body.entry, truth);
        for block in body.blocks.ids().filter(|block| *block != body.entry) {
            let arrives = self.arrivals(frame, run, &shape, &reached, block)?;
            let all: Vec<TermId> = arrives.into_iter().map(|(_, term)| term).collect();
            let here = self.terms.or(&all);
            reached.insert(block, here);
        }
        for block in others.iter().rev() {
            let other = self.operand(frame, run, given(*block)?)?;
            if self.terms.sort(other) != self.terms.sort(term) {
                return None;
            }
            term = self.terms.ite(reached[block], other, term);
        }
        Some(term)
    }
    /// Whether nothing in a term belongs to an activation that is looked into, nor in an address at which it reads memory.
    fn is_outside(&self, inside: FrameId, term: TermId) -> bool {
        let own = self.frame_of(inside).activation;
        self.leaves_of(term).into_iter().all(|leaf| {
            let activation = leaf.instance.first().copied();
            leaf.func.is_none() || activation.is_some_and(|a| a != own && !self.is_below(a, own))
        })
    }
    /// Whether an activation came to be inside another one.
    fn is_below(&self, activation: u32, other: u32) -> bool {
        std::iter::successors(Some(activation), |at| self.caller_of(*at)).any(|at| at == other)
    }
}
