//! What memory holds, looked up through its versions while it is certain which write a read sees.
//!
//! A write to the same address gives its value, one to other bytes is looked past, a φ of versions is a choice as one of values is, and what a function gets is what its
//! caller has at the call, where that is known. At the start of `main`, and where nothing ever writes, the initialisers tell.

use std::rc::Rc;

use super::leaves::{Leaf, LeafKind, Run};
use super::shape::{Shape, older, versions};
use super::values::{FrameId, Site, Values, is_apart};
use crate::base::graph::LoopId;
use crate::ir::*;
use crate::sdg::{Formal, NodeId, NodeKind};
use crate::solve::encode;
use crate::solve::term::{Sort, TermId, VarId};
use crate::source::Place;

/// Stores that are looked through, at most.
const DEEPEST: u32 = 12;

impl<'a> Values<'a> {
    /// What memory holds in these versions at an address.
    pub(super) fn content(
        &mut self,
        frame: FrameId,
        run: Run,
        versions: &[NodeId],
        read: Read,
        depth: u32,
    ) -> Option<TermId> {
        let shape = self.shapes.of(self.frame_of(frame).func);
        let known = match versions {
            _ if read.bits.is_some() || depth >= DEEPEST => None,
            [] => self.initial(read),
            [version] if !self.arbitrary.contains(*version) => self.version(frame, run, &shape, *version, read, depth),
            _ => None,
        };
        if known.is_some() {
            return known;
        }
        // The loops that tell its instances apart are those around the versions, and those of the address.
        let sort = encode::sort_of(&self.program.types, read.ty)?;
        let data = self.frame_of(frame).clone();
        let mut loops: Vec<LoopId> = Vec::new();
        for version in versions {
            loops.extend(shape.around(shape.block(self.sdg, *version)));
        }
        let mut split = versions.iter().any(|version| self.influenced.contains(*version));
        for var in self.terms.variables_of(&[read.address]) {
            if let Some(leaf) = self.leaves.of(&self.terms, var) {
                split |= leaf.run.is_some();
                if leaf.func == Some(data.func) {
                    loops.extend(&leaf.loops);
                }
            }
        }
        loops.sort_unstable();
        loops.dedup();
        split |= loops.iter().any(|l| is_apart(&shape, data.view, *l));
        let instance = std::iter::once(data.activation).chain(loops.iter().map(|l| data.iterations[l.0 as usize]));
        let leaf = Leaf {
            kind: LeafKind::Content { versions: versions.into(), address: read.address, ty: read.ty, bits: read.bits },
            func: Some(data.func),
            instance: instance.collect(),
            loops,
            run: split.then_some(run),
            place: Some(read.place),
            ty: Some(read.ty),
        };
        let term = self.leaves.term(&mut self.terms, leaf, sort);
        Some(encode::of_bits(&self.program.types, &mut self.terms, read.ty, term))
    }
    /// What a version of memory holds at an address, if that is certain.
    fn version(
        &mut self,
        frame: FrameId,
        run: Run,
        shape: &Rc<Shape<'a>>,
        version: NodeId,
        read: Read,
        depth: u32,
    ) -> Option<TermId> {
        match self.sdg.nodes()[version].kind {
            NodeKind::Inst(inst) | NodeKind::MemoryDef { inst, .. } => {
                let InstKind::Store { addr, value, access } = shape.body.insts[inst].kind else { return None };
                // A version of several groups has a node of its own, which is no source itself.
                if shape.nodes[inst].is_some_and(|node| self.arbitrary.contains(node)) {
                    return None;
                }
                if access.volatile || access.bits.is_some() || shape.is_blurred(shape.home[inst]) {
                    return None;
                }
                let written = self.operand(frame, run, addr)?;
                let (size, wide) = (self.size_of(read.ty)?, self.size_of(access.ty)?);
                let left = older(self.sdg, version);
                let before_it = |values: &mut Self| {
                    let before = older(values.sdg, version);
                    values.content(frame, run, &before, read, depth + 1)
                };
                match self.overlap(written, wide, read.address, size) {
                    Overlap::Same => self.same_bits(frame, run, value, access.ty, read.ty),
                    Overlap::None if left.is_empty() => None,
                    Overlap::None => before_it(self),
                    Overlap::Unknown if self.deep && wide == size => {
                        let stored = self.same_bits(frame, run, value, access.ty, read.ty)?;
                        if left.is_empty() {
                            return None;
                        }
                        let before = before_it(self)?;
                        let width = self.terms.width(written);
                        if self.terms.width(read.address) != width {
                            return None;
                        }
                        let same = self.terms.eq(written, read.address);
                        let apart = self.apart(written, read.address, size);
                        let sort = self.terms.sort(before);
                        let Sort::Bits(_) = sort else { return None };
                        let at = Site { frame, run, shape, block: Some(shape.home[inst]), influenced: true };
                        let torn = LeafKind::Content {
                            versions: [version].into(),
                            address: read.address,
                            ty: read.ty,
                            bits: None,
                        };
                        let torn = self.leaf_at(at, torn, sort, Some(read.place), Some(read.ty));
                        let rest = self.terms.ite(apart, before, torn);
                        Some(self.terms.ite(same, stored, rest))
                    }
                    Overlap::Unknown => None,
                }
            }
            NodeKind::MemoryPhi { block, .. } => {
                let arrivals = shape.versions_at(self.sdg, version)?;
                let current =
                    |from: BlockId| arrivals.iter().find(|(block, _)| *block == from).map(|(_, version)| *version);
                self.chosen(frame, run, shape, block, &mut |values, from| {
                    values.content(frame, run, &[current(from)?], read, depth + 1)
                })
            }
            NodeKind::FormalIn(Formal::Memory(_)) => self.on_entry(frame, run, version, read, depth),
            NodeKind::ActualOut(site, Formal::Memory(_)) => self.after_call(frame, run, version, site, read, depth),
            NodeKind::Entry
            | NodeKind::Predicate(_)
            | NodeKind::Return(_)
            | NodeKind::PhiOperand { .. }
            | NodeKind::Shared(_)
            | NodeKind::FormalIn(_)
            | NodeKind::FormalOut(_)
            | NodeKind::ActualIn(..)
            | NodeKind::ActualOut(..)
            | NodeKind::Call(_) => None,
        }
    }
    /// What memory holds when a function is called.
    fn on_entry(&mut self, frame: FrameId, run: Run, formal: NodeId, read: Read, depth: u32) -> Option<TermId> {
        let (func, activation) = (self.frame_of(frame).func, self.frame_of(frame).activation);
        if let Some((caller, site)) = self.callers.get(&activation).copied() {
            let passed = self.sdg.predecessors(formal).map(|edge| edge.from);
            let passed: Vec<NodeId> = passed.filter(|node| self.sdg.sites()[site].ins.contains(node)).collect();
            let [actual] = passed.as_slice() else { return None };
            if self.arbitrary.contains(*actual) {
                return None;
            }
            let (versions, disturbed) = versions(self.sdg, *actual);
            return if disturbed || versions.is_empty() {
                None
            } else {
                self.content(caller, run, &versions, read, depth + 1)
            };
        }
        let is_start = self.program.functions[func].name == "main"
            && self.sdg.entries() == [func]
            && self.sdg.predecessors(formal).next().is_none();
        if is_start { self.initial(read) } else { None }
    }
    /// What a global's initialiser says, of memory that nothing wrote before.
    fn initial(&mut self, read: Read) -> Option<TermId> {
        let (base, offset) = self.base(read.address);
        let var = self.terms.variables_of(&[base]);
        let [var] = var.as_slice() else { return None };
        let LeafKind::Address(Operand::Global(global)) = self.leaves.of(&self.terms, *var)?.kind else { return None };
        let global = &self.program.globals[global];
        let whole = self.program.functions.iter().any(|f| f.name == "main" && f.body.is_some());
        if global.ty.quals.has(Quals::VOLATILE) || !(whole || global.linkage == Linkage::Internal) {
            return None;
        }
        let content = match &global.definition {
            GlobalDef::Defined(content) => content.clone(),
            GlobalDef::Tentative => Initializer::default(),
            GlobalDef::Declared | GlobalDef::Alias(_) => return None,
        };
        let size = self.size_of(read.ty)?;
        let whole = self.size_of(global.ty.ty)?;
        let offset = u64::try_from(offset).ok().filter(|o| o.saturating_add(size) <= whole)?;
        let mut bytes = vec![0u8; size as usize];
        for (at, item) in &content.items {
            match item {
                InitItem::Bytes(data) => {
                    for (i, byte) in data.iter().enumerate() {
                        let place = at + i as u64;
                        if place >= offset && place < offset + size {
                            bytes[(place - offset) as usize] = *byte;
                        }
                    }
                }
                InitItem::Address { .. } if *at < offset + size && at + 16 > offset => return None,
                InitItem::Address { .. } => {}
            }
        }
        let sort = encode::sort_of(&self.program.types, read.ty)?;
        if sort != Sort::Bits(size as u32 * 8) || size > 16 {
            return None;
        }
        if self.program.types.model.big_endian {
            bytes.reverse();
        }
        let number = bytes.iter().rev().fold(0u128, |n, byte| n << 8 | u128::from(*byte));
        Some(self.terms.number(size as u32 * 8, number as i128))
    }
    fn size_of(&self, ty: TypeId) -> Option<u64> {
        self.program.types.size_of(ty)
    }
    /// A stored value as it is read back, if that needs no conversion.
    fn same_bits(&mut self, frame: FrameId, run: Run, value: Operand, stored: TypeId, read: TypeId) -> Option<TermId> {
        let types = &self.program.types;
        let sort = encode::sort_of(types, read)?;
        let is_bool = |ty: TypeId| matches!(types.get(ty), Type::Bool);
        if stored != read && (encode::sort_of(types, stored)? != sort || is_bool(stored) != is_bool(read)) {
            return None;
        }
        self.operand(frame, run, value).filter(|term| self.terms.sort(*term) == sort)
    }
    /// An address as something plus a constant.
    pub fn base(&self, address: TermId) -> (TermId, i128) {
        use crate::solve::term::{BitOp, Node};
        let (mut at, mut offset) = (address, 0i128);
        while let Node::Bit(BitOp::Add, a, b) = self.terms.node(at) {
            let Some(number) = self.terms.as_bits(*b) else { break };
            let Some(number) = number.to_i128() else { break };
            offset = offset.wrapping_add(number);
            at = *a;
        }
        (at, offset)
    }
    /// The object that an address is in, if pointer arithmetic computes it from that object's. A sum of integers may lead from one object to another.
    pub fn object(&self, address: TermId) -> Option<VarId> {
        use crate::solve::term::Node;
        if let Node::Var(var) = self.terms.node(address) {
            let leaf = self.leaves.of(&self.terms, *var)?;
            if matches!(leaf.kind, LeafKind::Address(_)) {
                return Some(*var);
            }
        }
        self.inside.get(&address).copied()
    }
    fn overlap(&mut self, a: TermId, wide: u64, b: TermId, size: u64) -> Overlap {
        if a == b && wide == size {
            return Overlap::Same;
        }
        let ((first, x), (second, y)) = (self.base(a), self.base(b));
        if first == second {
            let apart = x + i128::from(wide) <= y || y + i128::from(size) <= x;
            return if apart { Overlap::None } else { Overlap::Unknown };
        }
        match (self.object(a), self.object(b)) {
            (Some(first), Some(second)) if first != second => Overlap::None,
            _ => Overlap::Unknown,
        }
    }
    /// Whether two accesses of a size touch no common byte.
    pub fn apart(&mut self, a: TermId, b: TermId, size: u64) -> TermId {
        use crate::solve::term::{BitOp, Order};
        let width = self.terms.width(a);
        let size = self.terms.number(width, i128::from(size));
        let distance = self.terms.bit(BitOp::Sub, a, b);
        let back = self.terms.bit(BitOp::Sub, b, a);
        let above = self.terms.compare(Order::ULe, size, distance);
        let below = self.terms.compare(Order::ULe, size, back);
        self.terms.and(&[above, below])
    }
}

/// An access that reads memory.
#[derive(Clone, Copy)]
pub(super) struct Read {
    pub address: TermId,
    pub ty: TypeId,
    pub bits: Option<Bits>,
    pub place: Place,
}

/// How two accesses touch.
enum Overlap {
    /// The same bytes.
    Same,
    /// No common byte.
    None,
    /// It is not known.
    Unknown,
}
