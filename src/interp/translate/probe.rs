//! The probes of a watched run.

use super::super::code::{Op, Src};
use super::super::value::Class;
use super::super::watch::{Change, Probe, Spot, ValueProbe, scalar};
use super::Translator;
use crate::ir::{BlockId, Body, Callee, InstKind, Length, Operand, Terminator, Type, TypeId, Types, ValueId};
use crate::source::Place;

/// The values that are addresses of accesses or of members.
pub(super) fn accessed(body: &Body) -> Vec<bool> {
    let mut accessed = vec![false; body.insts.len()];
    for inst in &body.insts {
        let (InstKind::Load { addr, .. } | InstKind::Store { addr, .. } | InstKind::FieldAddr { base: addr, .. }) =
            inst.kind
        else {
            continue;
        };
        if let Operand::Value(v) = addr {
            accessed[v.0 as usize] = true;
        }
    }
    accessed
}

impl Translator<'_> {
    fn probe(&mut self, probe: Probe, place: Place) {
        let index = self.code.probes.len() as u32;
        self.code.probes.push(probe);
        self.emit(Op::Probe(index), place);
    }

    fn has(&self, what: impl Fn(&super::Watch) -> bool) -> bool {
        self.watch.is_some_and(what)
    }

    /// At the start of a block.
    pub(super) fn probe_block(&mut self, id: BlockId) {
        if self.has(|w| w.blocks) {
            self.probe(Probe::Block(id), self.body.blocks[id].term_place);
        }
    }

    /// Emits the code of an instruction with what watches it.
    pub(super) fn watched_inst(&mut self, v: ValueId) {
        if self.watch.is_none() {
            return self.inst(v);
        }
        let inst = &self.body.insts[v];
        let (ty, place, dst) = (inst.ty, inst.place, self.own.values[v]);
        let accesses = self.has(|w| w.accesses);
        match &inst.kind {
            InstKind::Load { addr, .. } | InstKind::Store { addr, .. } if accesses => {
                let addr = self.src(*addr);
                self.probe(Probe::Access { inst: v, addr }, place);
            }
            InstKind::Call { callee: Callee::Indirect(op), .. } if accesses => {
                let addr = self.src(*op);
                self.probe(Probe::Callee { inst: v, addr }, place);
            }
            _ => {}
        }
        let is_call = matches!(inst.kind, InstKind::Call { .. });
        if is_call {
            self.event(Spot::Call(v), place);
        }
        let left_out = match inst.kind {
            InstKind::Store { .. } => self.change(Spot::Value(v)) == Some(Change::Skip),
            InstKind::Call { .. } => self.change(Spot::Call(v)) == Some(Change::Skip),
            _ => false,
        };
        if left_out {
            self.clear(dst, Class::of(&self.program.types, ty), place);
        } else {
            self.inst(v);
        }
        match &inst.kind {
            // The value of a store was probed on its way.
            InstKind::Store { .. } => return,
            InstKind::Call { .. } if self.has(|w| w.accesses || w.strict) => {
                self.probe(Probe::Allocated { inst: v }, place);
            }
            InstKind::Alloca { size, .. } => {
                let size = self.src(*size);
                self.probe(Probe::Alloca { inst: v, dst, size }, place);
            }
            InstKind::PtrAdd { base, .. } | InstKind::FieldAddr { base, .. } if self.has(|w| w.strict) => {
                let size = match inst.kind {
                    // The address past the end may be had, not used.
                    InstKind::PtrAdd { stride, .. } if self.accessed[v.0 as usize] => {
                        self.array_size(*base).map(|size| size.saturating_sub(stride))
                    }
                    InstKind::PtrAdd { .. } => self.array_size(*base),
                    _ => None,
                };
                let base = self.src(*base);
                self.probe(Probe::Bounds { base, dst, size }, place);
            }
            _ => {}
        }
        self.probe_slot(Spot::Value(v), ty, dst, place);
    }

    /// The size of the array whose first element a pointer is seen to point to.
    fn array_size(&self, base: Operand) -> Option<u64> {
        let Operand::Value(v) = base else { return None };
        match self.body.insts[v].kind {
            InstKind::Copy(from) => self.array_size(from),
            InstKind::Cast(from) => {
                let array = self.program.types.pointee(self.program.operand_type(self.body, from))?.ty;
                match self.program.types.get(array) {
                    Type::Array { length: Length::Fixed(2..), .. } => self.program.types.size_of(array),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn change(&self, spot: Spot) -> Option<Change> {
        self.watch.and_then(|w| w.changes.get(&(self.id, spot)).copied())
    }

    fn records(&self, spot: Spot) -> bool {
        self.has(|w| w.record.contains(&(self.id, spot)))
    }

    /// Records that the spot is reached.
    fn event(&mut self, spot: Spot, place: Place) {
        if self.records(spot) {
            let probe = ValueProbe {
                spot,
                value: None,
                is_pointer: false,
                change: None,
                record: true,
                id: 0,
                ways: Vec::new(),
            };
            self.probe(Probe::Value(probe), place);
        }
    }

    /// Records and changes the value in a slot, if that is wanted.
    pub(super) fn probe_slot(&mut self, spot: Spot, ty: TypeId, slot: u32, place: Place) {
        self.probe_ways(spot, ty, slot, place, Vec::new());
    }

    fn probe_ways(&mut self, spot: Spot, ty: TypeId, slot: u32, place: Place, ways: Vec<u128>) {
        let (change, record) = (self.change(spot), self.records(spot));
        if change.is_none() && !record {
            return;
        }
        let value = scalar(self.program, ty).map(|scalar| (slot, scalar));
        let is_pointer = self.program.types.pointee(ty).is_some();
        self.pool.probes += 1;
        let probe = ValueProbe { spot, value, is_pointer, change, record, id: self.pool.probes, ways };
        self.probe(Probe::Value(probe), place);
    }

    /// An operand on its way to where it is used.
    pub(super) fn tap(&mut self, spot: Spot, ty: TypeId, src: Src, place: Place) -> Src {
        self.tap_ways(spot, ty, src, place, Vec::new())
    }

    fn tap_ways(&mut self, spot: Spot, ty: TypeId, src: Src, place: Place, ways: Vec<u128>) -> Src {
        if self.change(spot).is_none() && !self.records(spot) {
            return src;
        }
        let Some(scalar) = scalar(self.program, ty) else {
            self.event(spot, place);
            return src;
        };
        let class = Class::Scalar(scalar);
        let slot = self.temp(class);
        self.move_to(slot, src, class, place);
        self.probe_ways(spot, ty, slot, place, ways);
        Src::register(slot)
    }

    /// What a branch or switch decides by.
    pub(super) fn choice(&mut self, id: BlockId, op: Operand) -> Src {
        let src = self.src(op);
        if self.watch.is_none() {
            return src;
        }
        let block = &self.body.blocks[id];
        let ways = match &block.term {
            Terminator::Branch { .. } => vec![0, 1],
            Terminator::Switch { cases, .. } => {
                let lows: Vec<u128> = cases.iter().map(|c| c.low as u128).collect();
                let taken = |v: i128| cases.iter().any(|c| (c.low..=c.high).contains(&v));
                let free = (0..=cases.len() as i128).find(|v| !taken(*v));
                lows.into_iter().chain(free.map(|v| v as u128)).collect()
            }
            Terminator::Jump(_) | Terminator::IndirectJump { .. } | Terminator::Return(_) | Terminator::Unreachable => {
                Vec::new()
            }
        };
        let ty = self.program.operand_type(self.body, op);
        self.tap_ways(Spot::Choice(id), ty, src, block.term_place, ways)
    }

    /// An argument of a call.
    pub(super) fn argument(&mut self, call: ValueId, index: u32, op: Operand) -> Src {
        let src = self.src(op);
        if self.watch.is_none() {
            return src;
        }
        let ty = self.program.operand_type(self.body, op);
        self.tap(Spot::Argument { call, index }, ty, src, self.body.insts[call].place)
    }

    /// What the function returns.
    pub(super) fn result_type(&self) -> TypeId {
        let function = self.program.functions[self.id].ty;
        self.program.types.as_function(function).map_or(Types::VOID, |f| f.result)
    }
}
