//! The values of the program as terms over leaves, by back-substitution in one instance and one run.
//!
//! Pure definitions are substituted, a `Phi` that is no loop's header becomes a choice by the conditions under which control arrives by each of its
//! edges, and what a load reads is looked up through the versions of memory while it is certain which of them it sees. The rest are leaves:
//! parameters, results of calls, headers' `Phi`s, memory that is not known, sources.
//!
//! A [`Frame`] tells instances apart: an activation of a function, and an iteration of each of its loops, seen from a loop of it. A leaf outside of what the source
//! may influence has one copy for both runs, unless it is the last iteration's of a loop that the runs may leave at different times.
//!
//! A value that is always the same number is that number (`facts`).
//!
//! Soundness: every term that this module substitutes for a value equals it in all runs; leaves are arbitrary.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::leaves::{Leaf, LeafKind, Leaves, Run};
use super::memory::Read;
use super::shape::{Shape, Shapes, versions};
use crate::base::IdVec;
use crate::base::graph::LoopId;
use crate::define_id;
use crate::ir::*;
use crate::policy::Overflow;
use crate::ranges::Ranges;
use crate::sdg::{Formal, NodeId, NodeKind, NodeSet, Sdg, SiteId};
use crate::solve::encode::{self, Meaning, Typed};
use crate::solve::term::{Sort, TermId, Terms, VarId};
use crate::source::Place;

define_id!(/// A frame.
    FrameId, "frame");

/// Which instance values are taken in.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// The function.
    pub func: FuncId,
    /// Which activation of it.
    pub activation: u32,
    /// Which iteration of each of its loops. Of a loop that the frame is not seen from: the last one.
    pub iterations: Vec<u32>,
    /// The loop that it is seen from.
    pub view: Option<LoopId>,
}

/// An assumption that the execution of an instruction justifies.
#[derive(Clone, Copy, Debug)]
pub struct Assumed {
    /// Where.
    pub frame: FrameId,
    /// In which run.
    pub run: Run,
    /// The instruction.
    pub value: ValueId,
    /// What may be assumed if it is executed.
    pub term: TermId,
}

/// The values of a program.
pub struct Values<'a> {
    /// The program.
    pub program: &'a Program,
    /// Its dependences.
    pub sdg: &'a Sdg,
    /// What a signed overflow means.
    pub overflow: Overflow,
    /// Nodes whose values are arbitrary.
    pub arbitrary: &'a NodeSet,
    /// What the source may influence.
    pub influenced: &'a NodeSet,
    /// What is known of functions.
    pub shapes: Shapes<'a>,
    /// The terms.
    pub terms: Terms,
    /// What they end in.
    pub leaves: Leaves,
    /// Whether stores to unknown addresses are looked through, at the price of larger terms.
    pub deep: bool,
    /// The last number that was given to an activation, an iteration or a byte: none is given twice, so that no term of another path is taken for one of this.
    numbers: u32,
    frames: IdVec<FrameId, Frame>,
    known_frames: FxHashMap<Frame, FrameId>,
    /// The call that an activation belongs to, where it is known: the caller's frame at the call.
    pub(super) callers: FxHashMap<u32, (FrameId, SiteId)>,
    /// The objects that addresses are in, which pointer arithmetic does not leave.
    pub(super) inside: FxHashMap<TermId, VarId>,
    activations: FxHashMap<(FrameId, SiteId, FuncId), u32>,
    known_terms: FxHashMap<(FrameId, Run, ValueId), Option<TermId>>,
    pub(super) executions: FxHashMap<(FrameId, Run, crate::sdg::control::RegionId), TermId>,
    pub(super) known_ranges: FxHashMap<FuncId, Rc<Ranges>>,
    /// The activations of callees that are looked into, by the caller's frame and the call.
    pub(super) known_calls: FxHashMap<(FrameId, SiteId), Option<FrameId>>,
    pub(super) looked_into: FxHashSet<u32>,
    pub(super) known_sure: FxHashMap<(FuncId, crate::sdg::control::RegionId), bool>,
    /// What executions of instructions justify.
    pub assumed: Vec<Assumed>,
    /// Where each predicate was met first.
    pub(super) places: FxHashMap<TermId, Place>,
}

/// Activations of paths have numbers from here on; those below are of functions as such.
const FIRST_NUMBER: u32 = 1 << 24;
/// Terms with more nodes than this, counted as trees, are not substituted.
const LARGEST: u32 = 600;
/// Blocks between a `Phi` and what dominates it, at most.
const WIDEST: usize = 24;

impl<'a> Values<'a> {
    /// Of a program.
    pub fn new(
        program: &'a Program,
        sdg: &'a Sdg,
        overflow: Overflow,
        arbitrary: &'a NodeSet,
        influenced: &'a NodeSet,
    ) -> Values<'a> {
        Values {
            program,
            sdg,
            overflow,
            arbitrary,
            influenced,
            shapes: Shapes::new(program, sdg, influenced),
            terms: Terms::new(),
            leaves: Leaves::default(),
            deep: false,
            numbers: FIRST_NUMBER,
            frames: IdVec::new(),
            known_frames: FxHashMap::default(),
            callers: FxHashMap::default(),
            inside: FxHashMap::default(),
            activations: FxHashMap::default(),
            known_terms: FxHashMap::default(),
            executions: FxHashMap::default(),
            known_ranges: FxHashMap::default(),
            known_calls: FxHashMap::default(),
            looked_into: FxHashSet::default(),
            known_sure: FxHashMap::default(),
            assumed: Vec::new(),
            places: FxHashMap::default(),
        }
    }
    /// A frame by its content.
    pub fn frame(&mut self, frame: Frame) -> FrameId {
        if let Some(id) = self.known_frames.get(&frame) {
            return *id;
        }
        let id = self.frames.push(frame.clone());
        self.known_frames.insert(frame, id);
        id
    }
    /// What a frame is.
    pub fn frame_of(&self, id: FrameId) -> &Frame {
        &self.frames[id]
    }
    /// The frame of a function as a condition system sees it: instances have no number.
    pub fn plain_frame(&mut self, func: FuncId, view: Option<LoopId>) -> FrameId {
        let loops = self.shapes.of(func).body.loops.loops.len();
        self.frame(Frame { func, activation: func.0, iterations: vec![0; loops], view })
    }
    /// The activation of a function that a call in this frame makes: the same number for the same call.
    pub fn activation_of(&mut self, caller: FrameId, site: SiteId, func: FuncId) -> u32 {
        if let Some(known) = self.activations.get(&(caller, site, func)) {
            return *known;
        }
        let number = self.fresh_number();
        self.activations.insert((caller, site, func), number);
        self.bind(number, caller, site);
        number
    }
    /// Whether it is known by which call an activation came to be.
    pub fn is_bound(&self, activation: u32) -> bool {
        self.callers.contains_key(&activation)
    }
    /// Says by which call an activation came to be.
    pub fn bind(&mut self, activation: u32, caller: FrameId, site: SiteId) {
        self.callers.insert(activation, (caller, site));
    }

    /// A number for an activation, an iteration or a byte.
    pub fn fresh_number(&mut self) -> u32 {
        self.numbers += 1;
        self.numbers
    }
    /// Where a predicate was met first.
    pub fn place_of(&self, predicate: TermId) -> Option<Place> {
        self.places.get(&predicate).copied()
    }
    /// The activation that made the call an activation belongs to, where it is known.
    pub fn caller_of(&self, activation: u32) -> Option<u32> {
        self.callers.get(&activation).map(|(caller, _)| self.frames[*caller].activation)
    }

    /// The term of an operand; `None` if its type has no values that are expressed.
    pub fn operand(&mut self, frame: FrameId, run: Run, operand: Operand) -> Option<TermId> {
        match operand {
            Operand::Value(value) => self.value(frame, run, value),
            Operand::Int(..) | Operand::Float(..) => encode::constant(&self.program.types, &mut self.terms, &operand),
            Operand::Global(_) | Operand::Function(_) | Operand::Local(_) | Operand::Label(_) => {
                Some(self.address(frame, operand))
            }
        }
    }
    fn address(&mut self, frame: FrameId, operand: Operand) -> TermId {
        let Frame { func, activation, .. } = self.frames[frame];
        let shape = self.shapes.of(func);
        let ty = self.program.operand_type(shape.body, operand);
        let sort = encode::sort_of(&self.program.types, ty).unwrap_or(Sort::Bits(64));
        let (func, instance) = match operand {
            Operand::Local(_) | Operand::Label(_) => (Some(func), vec![activation]),
            Operand::Global(_) | Operand::Function(_) | Operand::Value(_) | Operand::Int(..) | Operand::Float(..) => {
                (None, Vec::new())
            }
        };
        let leaf = Leaf {
            kind: LeafKind::Address(operand),
            func,
            loops: Vec::new(),
            run: None,
            place: None,
            ty: Some(ty),
            instance: instance.into(),
        };
        self.leaves.term(&mut self.terms, leaf, sort)
    }
    /// The term of a value; `None` if its type has no values that are expressed.
    pub fn value(&mut self, frame: FrameId, run: Run, value: ValueId) -> Option<TermId> {
        if let Some(term) = self.known_terms.get(&(frame, run, value)) {
            return *term;
        }
        let func = self.frames[frame].func;
        let shape = self.shapes.of(func);
        let inst = &shape.body.insts[value];
        let term = encode::sort_of(&self.program.types, inst.ty).map(|sort| {
            let is_source = shape.nodes[value].is_some_and(|node| self.is_source(node));
            let found = if is_source {
                None
            } else if let (Some(number), Sort::Bits(width)) = (self.always(func, value), sort) {
                Some(self.terms.number(width, number))
            } else {
                self.substituted(frame, run, &shape, value)
            };
            let fits = |term: &TermId| self.terms.sort(*term) == sort && self.terms.tree_size(*term) <= LARGEST;
            found.filter(fits).unwrap_or_else(|| self.leaf(frame, run, &shape, value, sort))
        });
        self.known_terms.insert((frame, run, value), term);
        term
    }
    /// Whether a value is arbitrary at its definition, or as it comes to a φ.
    fn is_source(&self, node: NodeId) -> bool {
        let is_operand = |node: NodeId| matches!(self.sdg.nodes()[node].kind, NodeKind::PhiOperand { .. });
        self.arbitrary.contains(node)
            || self.sdg.predecessors(node).any(|edge| is_operand(edge.from) && self.arbitrary.contains(edge.from))
    }
    /// Whether what comes to a φ as this operand is arbitrary.
    pub fn is_source_operand(&self, phi: Option<NodeId>, operand: usize) -> bool {
        let Some(phi) = phi else { return false };
        let is_it = |node: NodeId| matches!(self.sdg.nodes()[node].kind, NodeKind::PhiOperand { operand: o, .. } if o as usize == operand);
        self.sdg.predecessors(phi).any(|edge| is_it(edge.from) && self.arbitrary.contains(edge.from))
    }
    /// The leaves that a term speaks of: also those of the addresses at which it reads memory, which tell its instances apart like its own.
    pub(super) fn leaves_of(&self, term: TermId) -> Vec<&Leaf> {
        let mut found = Vec::new();
        let mut work = vec![term];
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        while let Some(part) = work.pop() {
            if !seen.insert(part) {
                continue;
            }
            for var in self.terms.variables_of(&[part]) {
                let Some(leaf) = self.leaves.of(&self.terms, var) else { continue };
                if let LeafKind::Content { address, .. } = leaf.kind {
                    work.push(address);
                }
                found.push(leaf);
            }
        }
        found
    }
    /// A value that is not looked into.
    fn leaf(&mut self, frame: FrameId, run: Run, shape: &Shape<'a>, value: ValueId, sort: Sort) -> TermId {
        let inst = &shape.body.insts[value];
        let influenced = shape.nodes[value].is_some_and(|node| self.influenced.contains(node) || self.disturbed(node));
        let block = Some(shape.home[value]);
        let at = Site { frame, run, shape, block, influenced };
        let term = self.leaf_at(at, LeafKind::Value(value), sort, Some(inst.place), Some(inst.ty));
        encode::of_bits(&self.program.types, &mut self.terms, inst.ty, term)
    }
    fn disturbed(&self, node: NodeId) -> bool {
        versions(self.sdg, node).1
    }
    pub(super) fn leaf_at(
        &mut self,
        at: Site<'_, 'a>,
        kind: LeafKind,
        sort: Sort,
        place: Option<Place>,
        ty: Option<TypeId>,
    ) -> TermId {
        let frame = &self.frames[at.frame];
        let loops = at.shape.around(at.block);
        let split = at.influenced || loops.iter().any(|l| is_apart(at.shape, frame.view, *l));
        let instance = std::iter::once(frame.activation).chain(loops.iter().map(|l| frame.iterations[l.0 as usize]));
        let leaf = Leaf {
            kind,
            func: Some(frame.func),
            instance: instance.collect(),
            loops,
            run: split.then_some(at.run),
            place,
            ty,
        };
        self.leaves.term(&mut self.terms, leaf, sort)
    }
    /// A value by its definition.
    fn substituted(&mut self, frame: FrameId, run: Run, shape: &Rc<Shape<'a>>, value: ValueId) -> Option<TermId> {
        let body = shape.body;
        let inst = &body.insts[value];
        match &inst.kind {
            InstKind::Param(index) => self.parameter(frame, run, *index),
            InstKind::Phi(operands) => {
                let block = shape.home[value];
                self.chosen(frame, run, shape, block, &mut |values, from| {
                    let (_, operand) = operands.iter().find(|(block, _)| *block == from)?;
                    values.operand(frame, run, *operand)
                })
            }
            InstKind::Load { addr, access } if !access.volatile => {
                let node = shape.nodes[value]?;
                let (versions, disturbed) = versions(self.sdg, node);
                let address = self.operand(frame, run, *addr)?;
                let read = Read { address, ty: access.ty, bits: access.bits, place: inst.place };
                if disturbed { None } else { self.content(frame, run, &versions, read, 0) }
            }
            InstKind::Copy(_)
            | InstKind::Unary(..)
            | InstKind::Binary(..)
            | InstKind::Compare(..)
            | InstKind::Cast(_)
            | InstKind::PtrAdd { .. }
            | InstKind::PtrDiff { .. }
            | InstKind::FieldAddr { .. }
            | InstKind::Intrinsic(..) => self.computed(frame, run, shape, value),
            InstKind::Call { .. } => self.result(frame, run, shape.nodes[value]?, value),
            InstKind::Uninit
            | InstKind::Load { .. }
            | InstKind::Store { .. }
            | InstKind::VaStart(_)
            | InstKind::VaArg(_)
            | InstKind::VaCopy { .. }
            | InstKind::VaEnd(_)
            | InstKind::Alloca { .. }
            | InstKind::Asm(_)
            | InstKind::AsmOutput { .. }
            | InstKind::StandIn { .. } => None,
        }
    }
    /// What a parameter is given, where the call is known.
    fn parameter(&mut self, frame: FrameId, run: Run, index: u32) -> Option<TermId> {
        let (caller, site) = *self.callers.get(&self.frames[frame].activation)?;
        let site = &self.sdg.sites()[site];
        // What is passed may be a source.
        let passed = |node: &&NodeId| matches!(self.sdg.nodes()[**node].kind, NodeKind::ActualIn(_, Formal::Param(passed)) if passed == index);
        if site.ins.iter().filter(passed).any(|node| self.arbitrary.contains(*node)) {
            return None;
        }
        let shape = self.shapes.of(self.frames[caller].func);
        match &shape.body.insts[site.inst].kind {
            InstKind::Call { callee: Callee::Direct(func), args } if *func == self.frames[frame].func => {
                self.operand(caller, run, *args.get(index as usize)?)
            }
            _ => None,
        }
    }
    fn computed(&mut self, frame: FrameId, run: Run, shape: &Rc<Shape<'a>>, value: ValueId) -> Option<TermId> {
        let inst = &shape.body.insts[value];
        let mut operands: Vec<Operand> = Vec::new();
        inst.kind.for_each_operand(|operand| operands.push(*operand));
        let mut typed = Vec::with_capacity(operands.len());
        for operand in operands {
            let term = self.operand(frame, run, operand)?;
            typed.push(Typed { term, ty: self.program.operand_type(shape.body, operand) });
        }
        let meaning = Meaning { types: &self.program.types, overflow: self.overflow };
        // What is undefined is arbitrary, in each run by itself.
        let data = &self.frames[frame];
        let loops = shape.around(Some(shape.home[value]));
        let instance: Vec<u32> =
            std::iter::once(data.activation).chain(loops.iter().map(|l| data.iterations[l.0 as usize])).collect();
        let (func, mut next) = (data.func, 0);
        let place = inst.place;
        let apart = loops.iter().any(|l| is_apart(shape, data.view, *l));
        let split = apart || shape.nodes[value].is_some_and(|node| self.influenced.contains(node));
        let leaves = &mut self.leaves;
        let mut fresh = |terms: &mut Terms, sort: Sort| {
            next += 1;
            let leaf = Leaf {
                kind: LeafKind::Undefined(value, next),
                func: Some(func),
                loops: loops.clone(),
                run: split.then_some(run),
                place: Some(place),
                ty: None,
                instance: instance.clone().into(),
            };
            leaves.term(terms, leaf, sort)
        };
        let encoded = encode::instruction(meaning, &mut self.terms, &inst.kind, inst.ty, &typed, &mut fresh)?;
        if let (InstKind::PtrAdd { .. } | InstKind::FieldAddr { .. }, Some(base)) = (&inst.kind, typed.first())
            && let Some(object) = self.object(base.term)
        {
            self.inside.insert(encoded.value, object);
        }
        if self.terms.as_bool(encoded.assume) != Some(true) {
            self.assumed.push(Assumed { frame, run, value, term: encoded.assume });
        }
        Some(encoded.value)
    }

    /// What arrives at a block, if it is certain by which edge: the choice between what `pick` says for each predecessor, by the conditions of the
    /// branches since the block's dominator. `None` for a loop's header, and where a loop or too many blocks are between.
    pub(super) fn chosen(
        &mut self,
        frame: FrameId,
        run: Run,
        shape: &Rc<Shape<'a>>,
        block: BlockId,
        pick: &mut dyn FnMut(&mut Self, BlockId) -> Option<TermId>,
    ) -> Option<TermId> {
        let loops = &shape.body.loops;
        if loops.loops.iter().any(|l| l.header == block) || shape.is_blurred(block) {
            return None;
        }
        let top = shape.dominators.idom(block)?;
        // All blocks between, by their numbers, which are in reverse post-order.
        let mut between: Vec<BlockId> = Vec::new();
        let mut work = shape.before[block].clone();
        while let Some(at) = work.pop() {
            if at == top || between.contains(&at) {
                continue;
            }
            if at >= block || between.len() >= WIDEST || shape.is_blurred(at) {
                return None;
            }
            between.push(at);
            work.extend(&shape.before[at]);
        }
        if shape.is_blurred(top) {
            return None;
        }
        between.sort_unstable();
        let truth = self.terms.truth();
        let mut reached: FxHashMap<BlockId, TermId> = FxHashMap::default();
        reached.insert(top, truth);
        for at in between {
            let arrives = self.arrivals(frame, run, shape, &reached, at)?;
            let all: Vec<TermId> = arrives.into_iter().map(|(_, term)| term).collect();
            let term = self.terms.or(&all);
            reached.insert(at, term);
        }
        let mut arrives = self.arrivals(frame, run, shape, &reached, block)?;
        let (last, _) = arrives.pop()?;
        let mut term = pick(self, last)?;
        for (from, gate) in arrives.into_iter().rev() {
            let other = pick(self, from)?;
            if self.terms.sort(other) != self.terms.sort(term) {
                return None;
            }
            term = self.terms.ite(gate, other, term);
        }
        Some(term)
    }
    /// Under which condition control comes to a block from each of its predecessors; `None` if it may come round a loop.
    pub(super) fn arrivals(
        &mut self,
        frame: FrameId,
        run: Run,
        shape: &Rc<Shape<'a>>,
        reached: &FxHashMap<BlockId, TermId>,
        block: BlockId,
    ) -> Option<Vec<(BlockId, TermId)>> {
        let mut before = shape.before[block].clone();
        before.dedup();
        let mut found: Vec<(BlockId, TermId)> = Vec::new();
        for from in before {
            if from >= block {
                return None;
            }
            let at = *reached.get(&from)?;
            let targets = shape.body.blocks[from].term.successors();
            let mut ways = Vec::new();
            for (branch, _) in targets.iter().enumerate().filter(|(_, to)| **to == block) {
                ways.push(self.branch(frame, run, from, branch as u32));
            }
            let way = self.terms.or(&ways);
            found.push((from, self.terms.and(&[at, way])));
        }
        Some(found)
    }

    /// Whether the end of a block goes this way.
    pub fn branch(&mut self, frame: FrameId, run: Run, block: BlockId, branch: u32) -> TermId {
        let shape = self.shapes.of(self.frames[frame].func);
        let is_source = shape.predicates[block].is_some_and(|node| self.arbitrary.contains(node));
        let known = if is_source { None } else { self.known_branch(frame, run, &shape, block, branch) };
        let term = known.unwrap_or_else(|| {
            let influenced = shape.predicates[block].is_some_and(|node| self.influenced.contains(node));
            let at = Site { frame, run, shape: &shape, block: Some(block), influenced };
            // Of two ways, one is the negation of the other.
            let two = shape.body.blocks[block].term.successors().len() == 2;
            let kind = LeafKind::Decision(block, if two { 0 } else { branch });
            let place = shape.body.blocks[block].term_place;
            let taken = self.leaf_at(at, kind, Sort::Bool, Some(place), None);
            if two && branch == 1 { self.terms.not(taken) } else { taken }
        });
        super::atoms::note_places(self, term, shape.body.blocks[block].term_place);
        term
    }
    fn known_branch(
        &mut self,
        frame: FrameId,
        run: Run,
        shape: &Rc<Shape<'a>>,
        block: BlockId,
        branch: u32,
    ) -> Option<TermId> {
        let term = &shape.body.blocks[block].term;
        let target = *term.successors().get(branch as usize)?;
        match term {
            Terminator::Branch { cond, then, .. } => {
                let cond = self.operand(frame, run, *cond)?;
                let truth = encode::is_true(&mut self.terms, cond);
                Some(if target == *then { truth } else { self.terms.not(truth) })
            }
            Terminator::Switch { value, cases, default } => {
                let ty = self.program.operand_type(shape.body, *value);
                let signed = self.program.types.as_int(ty).is_some_and(|kind| self.program.types.is_signed_kind(kind));
                let value = self.operand(frame, run, *value)?;
                let width = self.terms.width(value);
                let mut leads: Vec<TermId> = Vec::new();
                let mut others: Vec<TermId> = Vec::new();
                for case in cases {
                    let within = self.within(value, width, signed, case.low, case.high);
                    if case.target == target { &mut leads } else { &mut others }.push(within);
                }
                let chosen = self.terms.or(&leads);
                Some(if *default == target {
                    let other = self.terms.or(&others);
                    let rest = self.terms.not(other);
                    self.terms.or(&[chosen, rest])
                } else {
                    chosen
                })
            }
            Terminator::Jump(_) => Some(self.terms.truth()),
            Terminator::IndirectJump { .. } | Terminator::Return(_) | Terminator::Unreachable => None,
        }
    }
    fn within(&mut self, value: TermId, width: u32, signed: bool, low: i128, high: i128) -> TermId {
        use crate::solve::term::Order;
        let least = self.terms.number(width, low);
        if low == high {
            return self.terms.eq(value, least);
        }
        let greatest = self.terms.number(width, high);
        let order = if signed { Order::SLe } else { Order::ULe };
        let (above, below) = (self.terms.compare(order, least, value), self.terms.compare(order, value, greatest));
        self.terms.and(&[above, below])
    }
}

/// Where a leaf is.
#[derive(Clone, Copy)]
pub(super) struct Site<'s, 'a> {
    pub frame: FrameId,
    pub run: Run,
    pub shape: &'s Shape<'a>,
    pub block: Option<BlockId>,
    pub influenced: bool,
}

/// Whether the runs may be in different iterations of a loop, seen from another one.
pub(super) fn is_apart(shape: &Shape<'_>, view: Option<LoopId>, l: LoopId) -> bool {
    let loops = &shape.body.loops;
    let inside = std::iter::successors(view, |v| loops.loops[*v].parent).any(|v| v == l);
    shape.irreducible[l] || !inside && shape.leaves_apart[l]
}
