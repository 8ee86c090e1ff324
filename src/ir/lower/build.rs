//! The body of a function under construction.

use rustc_hash::FxHashMap;

use super::super::syntax::{
    Block, BlockId, Body, Case, FuncId, Inst, InstKind, Label, LabelId, Local, LocalId, Operand, Terminator,
};
use super::super::types::{QualType, TypeId, Types};
use crate::base::IdVec;
use crate::base::graph::LoopForest;
use crate::source::prepass::c_name;
use crate::source::{Place, UnitId};

/// A variable whose scope's end calls a function (`__attribute__((cleanup(f)))`), and the one declared before it: the cleanups
/// that a point of the function would run form a chain, all chains together a tree.
#[derive(Clone, Copy)]
pub(super) struct Cleanup {
    pub function: FuncId,
    pub addr: Operand,
    pub outer: CleanupChain,
    /// The length of the chain.
    pub depth: u32,
}

/// The innermost cleanup in force, an index into [`FnBuilder::cleanups`].
pub(super) type CleanupChain = Option<usize>;

/// The innermost statement expression around something, an index into [`FnBuilder::enclosing`].
pub(super) type Enclosing = Option<usize>;

/// Where `break` or `continue` leads, and the cleanups in force there.
#[derive(Clone, Copy)]
pub(super) struct JumpTarget {
    pub block: BlockId,
    pub cleanups: CleanupChain,
}

/// A `goto` out of a scope with cleanups: the block it goes to first, which runs those that do not hold at the label.
#[derive(Clone)]
pub(super) struct PendingGoto {
    pub block: BlockId,
    pub from: CleanupChain,
    pub label: String,
    pub place: Place,
}

/// A `switch` whose body is being lowered.
pub(super) struct SwitchState {
    pub ty: TypeId,
    pub cases: Vec<Case>,
    /// The place of each case.
    pub places: Vec<Place>,
    pub default: Option<BlockId>,
    /// The statement expression it stands in: control does not enter one.
    pub inside: Enclosing,
}

/// A label of the function.
#[derive(Clone, Copy)]
pub(super) struct LabelState {
    pub block: BlockId,
    pub defined: bool,
    /// Set if its address is taken.
    pub address: Option<LabelId>,
    pub place: Place,
    /// The cleanups in force where it stands.
    pub cleanups: CleanupChain,
    /// The statement expression it stands in.
    pub inside: Enclosing,
}

/// A function body under construction. Instructions go to the current block; after a terminator, to a fresh block that nothing
/// reaches and that `cfg::clean` removes.
pub(super) struct FnBuilder {
    pub id: Option<FuncId>,
    pub name: String,
    pub body: Body,
    pub result: TypeId,
    current: BlockId,
    terminated: bool,
    pub breaks: Vec<JumpTarget>,
    pub continues: Vec<JumpTarget>,
    pub switches: Vec<SwitchState>,
    /// The statement expression that is open here.
    pub inside: Enclosing,
    /// All statement expressions, each with the one around it.
    pub enclosing: Vec<Enclosing>,
    /// All gotos to a named label: from where, and their place.
    pub gotos: Vec<(String, Enclosing, Place)>,
    labels: FxHashMap<String, LabelState>,
    /// While a probe runs: labels before each change, to be taken back.
    label_log: Vec<(String, Option<LabelState>)>,
    probes: u32,
    /// The block all computed gotos share, and the local with the address to go to.
    pub dispatch: Option<(BlockId, LocalId)>,
    /// All variables with a cleanup function.
    pub cleanups: Vec<Cleanup>,
    /// The cleanups in force here.
    pub cleanup: CleanupChain,
    pub pending_gotos: Vec<PendingGoto>,
    /// The first computed goto.
    pub has_goto: Option<Place>,
}

/// What a probe must restore.
pub(super) struct Saved {
    current: BlockId,
    terminated: bool,
    blocks: usize,
    insts: usize,
    locals: usize,
    address_labels: usize,
    label_log: usize,
    dispatch: Option<(BlockId, LocalId)>,
    has_goto: Option<Place>,
    cleanups: usize,
    cleanup: CleanupChain,
    pending_gotos: usize,
    gotos: usize,
    nesting: (usize, usize, usize, Enclosing),
}

pub(super) const NOWHERE: Place = Place { unit: UnitId(0), start: 0, end: 0 };

impl FnBuilder {
    pub fn new(id: Option<FuncId>, name: &str, result: TypeId, place: Place) -> FnBuilder {
        let mut blocks = IdVec::new();
        let entry = blocks.push(Block { insts: Vec::new(), term: Terminator::Unreachable, term_place: place });
        FnBuilder {
            id,
            name: name.to_string(),
            body: Body {
                params: Vec::new(),
                locals: IdVec::new(),
                blocks,
                insts: IdVec::new(),
                labels: IdVec::new(),
                entry,
                loops: LoopForest::empty(),
            },
            result,
            current: entry,
            terminated: false,
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            inside: None,
            enclosing: Vec::new(),
            gotos: Vec::new(),
            labels: FxHashMap::default(),
            label_log: Vec::new(),
            probes: 0,
            dispatch: None,
            cleanups: Vec::new(),
            cleanup: None,
            pending_gotos: Vec::new(),
            has_goto: None,
        }
    }

    /// A body for constant expressions at file scope.
    pub fn scratch() -> FnBuilder {
        FnBuilder::new(None, "", Types::VOID, NOWHERE)
    }

    /// Begins code that is thrown away by [`FnBuilder::leave_probe`]. The cost of both is that of the code between them.
    pub fn enter_probe(&mut self) -> Saved {
        let saved = Saved {
            current: self.current,
            terminated: self.terminated,
            blocks: self.body.blocks.len(),
            insts: self.body.insts.len(),
            locals: self.body.locals.len(),
            address_labels: self.body.labels.len(),
            label_log: self.label_log.len(),
            dispatch: self.dispatch,
            has_goto: self.has_goto,
            cleanups: self.cleanups.len(),
            cleanup: self.cleanup,
            pending_gotos: self.pending_gotos.len(),
            gotos: self.gotos.len(),
            nesting: (self.breaks.len(), self.continues.len(), self.switches.len(), self.inside),
        };
        self.probes += 1;
        let block = self.new_block(NOWHERE);
        self.start(block);
        saved
    }

    pub fn leave_probe(&mut self, saved: &Saved) {
        self.probes -= 1;
        self.restore_position(saved);
        self.body.blocks.truncate(saved.blocks);
        self.body.insts.truncate(saved.insts);
        self.body.locals.truncate(saved.locals);
        self.body.labels.truncate(saved.address_labels);
        for (name, old) in self.label_log.drain(saved.label_log..).rev() {
            match old {
                Some(state) => self.labels.insert(name, state),
                None => self.labels.remove(&name),
            };
        }
        self.dispatch = saved.dispatch;
        self.has_goto = saved.has_goto;
        self.pending_gotos.truncate(saved.pending_gotos);
        self.cleanups.truncate(saved.cleanups);
    }

    /// Leaves a probe whose labels the program goes on to use: what it made stays, as code that nothing reaches. Without new
    /// labels all is thrown away.
    pub fn leave_probe_with_labels(&mut self, saved: &Saved) {
        if self.label_log.len() == saved.label_log {
            self.leave_probe(saved);
            return;
        }
        self.probes -= 1;
        self.restore_position(saved);
        if self.probes == 0 {
            self.label_log.clear();
        }
    }

    fn restore_position(&mut self, saved: &Saved) {
        self.current = saved.current;
        self.terminated = saved.terminated;
        self.cleanup = saved.cleanup;
        self.gotos.truncate(saved.gotos);
        let (breaks, continues, switches, inside) = saved.nesting;
        self.breaks.truncate(breaks);
        self.continues.truncate(continues);
        self.switches.truncate(switches);
        self.inside = inside;
    }

    pub fn new_block(&mut self, place: Place) -> BlockId {
        self.body.blocks.push(Block { insts: Vec::new(), term: Terminator::Unreachable, term_place: place })
    }

    /// Goes on in `block`. The current block must have been ended.
    pub fn start(&mut self, block: BlockId) {
        self.current = block;
        self.terminated = false;
    }

    /// Whether the point reached here may be executed, as far as jumps just emitted tell.
    pub fn is_open(&self) -> bool {
        !self.terminated
    }

    /// Leaves the current block unfinished, to come back to it by [`FnBuilder::resume`].
    pub fn pause(&self) -> (BlockId, bool) {
        (self.current, self.terminated)
    }

    pub fn resume(&mut self, paused: (BlockId, bool)) {
        (self.current, self.terminated) = paused;
    }

    pub fn emit(&mut self, kind: InstKind, ty: TypeId, place: Place) -> Operand {
        if self.terminated {
            let block = self.new_block(place);
            self.start(block);
        }
        let id = self.body.insts.push(Inst { kind, ty, var: None, place });
        self.body.blocks[self.current].insts.push(id);
        Operand::Value(id)
    }

    /// Ends the current block; ignored if it has ended already (code that is never reached).
    pub fn end(&mut self, term: Terminator, place: Place) {
        if self.terminated {
            return;
        }
        let block = &mut self.body.blocks[self.current];
        block.term = term;
        block.term_place = place;
        self.terminated = true;
    }

    pub fn jump(&mut self, target: BlockId, place: Place) {
        self.end(Terminator::Jump(target), place);
    }

    /// Ends the current block with a jump to `target` and goes on there.
    pub fn flow_into(&mut self, target: BlockId, place: Place) {
        self.jump(target, place);
        self.start(target);
    }

    pub fn branch(&mut self, cond: Operand, then: BlockId, otherwise: BlockId, place: Place) {
        self.end(Terminator::Branch { cond, then, otherwise }, place);
    }

    pub fn local(&mut self, name: &str, ty: QualType, addr_ty: TypeId, align: u64, place: Place) -> LocalId {
        self.body.locals.push(Local { name: name.to_string(), ty, addr_ty, align, place, promoted: false })
    }

    /// The block the current position is in, if nothing was emitted to it yet.
    pub fn empty_block(&self) -> Option<BlockId> {
        (!self.terminated && self.body.blocks[self.current].insts.is_empty()).then_some(self.current)
    }

    /// The state of a label, made on first mention.
    pub fn label(&mut self, name: &str, place: Place) -> LabelState {
        if let Some(state) = self.labels.get(name) {
            return *state;
        }
        let block = self.new_block(place);
        let state = LabelState { block, defined: false, address: None, place, cleanups: None, inside: None };
        self.set_label(name, state);
        state
    }

    fn set_label(&mut self, name: &str, state: LabelState) {
        let old = self.labels.insert(name.to_string(), state);
        if self.probes > 0 {
            self.label_log.push((name.to_string(), old));
        }
    }

    /// Says that a label stands here; `None` if it stands somewhere else already.
    pub fn define_label(&mut self, name: &str, place: Place) -> Option<BlockId> {
        let state = self.label(name, place);
        if state.defined {
            return None;
        }
        let (cleanups, inside) = (self.cleanup, self.inside);
        self.set_label(name, LabelState { defined: true, place, cleanups, inside, ..state });
        Some(state.block)
    }

    /// The id of a label whose address is taken.
    pub fn label_address(&mut self, name: &str, place: Place) -> LabelId {
        let state = self.label(name, place);
        if let Some(id) = state.address {
            return id;
        }
        let id = self.body.labels.push(Label { name: c_name(name).into_owned(), block: state.block });
        self.set_label(name, LabelState { address: Some(id), ..state });
        id
    }

    /// Jumps into a statement expression, which would run its second half only: places of the jumps and of the labels. gcc refuses
    /// those of a goto and leaves those of a computed goto undefined.
    pub fn jumps_into_expressions(&self) -> Vec<(Place, Place)> {
        let contains = |outer: Enclosing, inner: Enclosing| {
            std::iter::successors(Some(inner), |at| at.map(|i| self.enclosing[i])).any(|at| at == outer)
        };
        let direct = self.gotos.iter().filter_map(|(name, from, place)| {
            let label = self.labels.get(name)?;
            (label.defined && !contains(label.inside, *from)).then_some((*place, label.place))
        });
        let by_address = self.labels.values().filter(|l| l.address.is_some() && l.inside.is_some());
        let computed = self.has_goto.into_iter().flat_map(|at| by_address.clone().map(move |l| (at, l.place)));
        let mut found: Vec<_> = direct.chain(computed).collect();
        found.sort();
        found
    }

    /// Labels that were named and never set, in the order of their places.
    pub fn missing_labels(&self) -> Vec<(String, Place)> {
        let mut missing: Vec<_> =
            self.labels.iter().filter(|(_, s)| !s.defined).map(|(name, s)| (name.clone(), s.place)).collect();
        missing.sort_by_key(|(_, place)| *place);
        missing
    }

    /// Adds a cleanup to those in force.
    pub fn add_cleanup(&mut self, function: FuncId, addr: Operand) {
        let depth = self.cleanup.map_or(0, |c| self.cleanups[c].depth) + 1;
        self.cleanups.push(Cleanup { function, addr, outer: self.cleanup, depth });
        self.cleanup = Some(self.cleanups.len() - 1);
    }

    /// The cleanups that run on the way from one point to another, in order: those in force at `from` and not at `to`.
    pub fn cleanups_between(&self, from: CleanupChain, to: CleanupChain) -> Vec<Cleanup> {
        let depth = |c: CleanupChain| c.map_or(0, |c| self.cleanups[c].depth);
        let outer = |c: CleanupChain| c.and_then(|c| self.cleanups[c].outer);
        let (mut from, mut to) = (from, to);
        let mut run = Vec::new();
        while from != to {
            if depth(from) >= depth(to) {
                run.extend(from.map(|c| self.cleanups[c]));
                from = outer(from);
            } else {
                to = outer(to);
            }
        }
        run
    }

    pub fn inst(&self, op: Operand) -> Option<&Inst> {
        match op {
            Operand::Value(v) => self.body.insts.get(v),
            _ => None,
        }
    }
}
