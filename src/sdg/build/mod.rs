//! Makes the graph of a program: nodes and edges inside each function here and in `calls`, those between functions in `join`, those that do not follow
//! the flow of control in `shared`.
//!
//! A φ's operand is a node on its incoming edge, under that edge's conditions. Whether the memory that a call passes on is touched depends on the
//! callee's nodes, which hang on its entry; so memory actuals have no control edge of their own.

mod calls;
mod join;
mod shared;

use rustc_hash::FxHashMap;

use super::SdgBuilder;
use super::control::moves::{homes, value_moves};
use super::control::{
    Calls, ControlDependences, Controller, Dependence, FunctionControl, LoopMove, MayNotReturn, RegionId, Termination,
    User,
};
use super::graph::*;
use super::memory::accesses::{AllAccesses, SetId};
use super::memory::classes::Partition;
use super::memory::groups::{Groups, groups};
use super::memory::modref::ModRef;
use super::memory::versions::{Act, Event, links};
use super::memory::{Classes, GroupId};
use crate::base::IdVec;
use crate::base::id::Id;
use crate::ir::*;
use crate::models::Models;
use crate::pointsto::{PointsTo, Reason, body_of};
use crate::policy::UnknownFunctions;
use crate::source::Place;
use calls::CallNodes;

/// How to make a graph.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Where runs start, apart from constructors and destructors.
    pub entries: Vec<FuncId>,
    /// Functions that run beside the program without being started by it.
    pub threads: Vec<FuncId>,
    /// Whether running for ever counts.
    pub termination: Termination,
    /// What functions do that have neither body nor model.
    pub unknown: UnknownFunctions,
    /// Threads to work on.
    pub jobs: usize,
}

/// The graph of a program.
pub fn build(program: &Program, models: &Models, points_to: &PointsTo, options: &Options) -> Sdg {
    let accesses = AllAccesses::new(program, models, points_to, options.unknown);
    let classes = Partition::new(&accesses, points_to);
    let modref = ModRef::new(program, points_to, &accesses, &classes);
    let groups = groups(program, points_to, &accesses, &classes, &modref);
    let external = |func: FuncId| models.of(&program.functions[func]).is_some_and(|model| model.noreturn);
    let callees = |func: FuncId, call: ValueId| -> Vec<FuncId> {
        let runs = |reason: Reason| !matches!(reason, Reason::Thread(_));
        points_to.targets(func, call).iter().filter(|t| runs(t.reason)).map(|t| t.callee).collect()
    };
    let returns = MayNotReturn::new(program, &Calls { callees: &callees, external: &external }, options.termination);
    let control = ControlDependences::new(program, &returns, options.termination, options.jobs.max(1));
    let facts = Facts {
        program,
        points_to,
        accesses: &accesses,
        classes: &classes,
        modref: &modref,
        groups: &groups,
        returns: &returns,
        control: &control,
    };
    let mut whole = Whole {
        graph: SdgBuilder::new(),
        procs: IdVec::filled(None, program.functions.len()),
        sites: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        twice: Vec::new(),
        jumps: Vec::new(),
        used: IdVec::filled(None, program.functions.len()),
    };
    // Callees first, so that it is known what they use of what they get.
    for func in modref.bottom_up.iter().flatten().copied().filter(|func| points_to.is_reached(*func)) {
        let (Some(body), Some(control)) = (body_of(program, models, func), &control.functions[func]) else { continue };
        Maker::new(&facts, &mut whole, func, body, control).make();
    }
    join::join(&facts, &mut whole);
    shared::share(&facts, &mut whole, options);
    let mut sdg = whole.graph.finish();
    sdg.coarse = groups.enumerate().filter(|(_, groups)| groups.is_coarse).map(|(func, _)| func).collect();
    sdg.entries = options.entries.iter().chain(&options.threads).copied().collect();
    sdg.entries.extend(program.constructors.iter().chain(&program.destructors));
    sdg.control = control;
    debug_assert_eq!(super::verify::program(&sdg, program), Ok(()));
    sdg
}

/// What is known before the graph is made.
struct Facts<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    accesses: &'a AllAccesses,
    classes: &'a Partition,
    modref: &'a ModRef,
    groups: &'a IdVec<FuncId, Groups>,
    returns: &'a MayNotReturn,
    control: &'a ControlDependences,
}

impl Facts<'_> {
    /// Whether no run of a function comes back.
    fn never_returns(&self, func: FuncId) -> bool {
        self.control.functions[func].as_ref().is_some_and(|control| control.returned().is_empty())
    }
}

/// The graph as far as it is made.
struct Whole {
    graph: SdgBuilder,
    /// The interface of each procedure.
    procs: IdVec<FuncId, Option<Formals>>,
    sites: Vec<CallNodes>,
    /// Nodes that read or write memory themselves.
    reads: Vec<(NodeId, FuncId, SetId)>,
    writes: Vec<(NodeId, FuncId, SetId)>,
    /// Calls that return twice: what they bring back of each group.
    twice: Vec<Twice>,
    /// Calls that jump to them: the call and its arguments, and where the state of their target is kept.
    jumps: Vec<(Vec<NodeId>, Classes)>,
    /// What each procedure uses of the memory that it gets.
    used: IdVec<FuncId, Option<Classes>>,
}

/// A call that returns twice.
struct Twice {
    func: FuncId,
    /// That, and how often, it returns.
    returns: Option<NodeId>,
    /// What it returns.
    result: Option<NodeId>,
    /// Where it keeps its state.
    buffer: Classes,
    outs: Vec<(GroupId, NodeId)>,
}

/// The formals of a procedure.
#[derive(Clone, Debug)]
struct Formals {
    entry: NodeId,
    params: Vec<NodeId>,
    varargs: Option<NodeId>,
    result: Option<NodeId>,
    returns: Option<NodeId>,
    ins: IdVec<GroupId, Option<NodeId>>,
    outs: IdVec<GroupId, Option<NodeId>>,
}

/// Makes one procedure.
struct Maker<'a, 'w> {
    facts: &'a Facts<'a>,
    whole: &'w mut Whole,
    func: FuncId,
    body: &'a Body,
    control: &'a FunctionControl,
    groups: &'a Groups,
    home: IdVec<ValueId, BlockId>,
    entry: NodeId,
    /// The node of each value.
    values: IdVec<ValueId, Option<NodeId>>,
    /// The node of each block's choice.
    predicates: IdVec<BlockId, Option<NodeId>>,
    /// What the rest hangs on after a call that may not return.
    returned: FxHashMap<ValueId, NodeId>,
    /// Accesses of each block, in order.
    events: Vec<Vec<Event>>,
    /// Nodes whose conditions are those of a region.
    hangs: Vec<(NodeId, RegionId)>,
    /// Values that operands of φs copy, and at the end of which block.
    copied: Vec<(ValueId, NodeId, BlockId)>,
}

impl<'a, 'w> Maker<'a, 'w> {
    fn new(
        facts: &'a Facts<'a>,
        whole: &'w mut Whole,
        func: FuncId,
        body: &'a Body,
        control: &'a FunctionControl,
    ) -> Self {
        let entry = whole.graph.procedure(func, facts.program.functions[func].place);
        Maker {
            facts,
            whole,
            func,
            body,
            control,
            groups: &facts.groups[func],
            home: homes(body),
            entry,
            values: IdVec::filled(None, body.insts.len()),
            predicates: IdVec::filled(None, body.blocks.len()),
            returned: FxHashMap::default(),
            events: vec![Vec::new(); body.blocks.len()],
            hangs: Vec::new(),
            copied: Vec::new(),
        }
    }
    fn node(&mut self, kind: NodeKind, place: Place, block: Option<BlockId>) -> NodeId {
        let around = block.and_then(|block| self.body.loops.innermost(block));
        self.whole.graph.node(kind, place, around)
    }
    fn edge(&mut self, from: NodeId, to: NodeId, kind: EdgeKind, moves: LoopMove) {
        self.whole.graph.edge(from, to, kind, moves);
    }
    /// Between nodes of one place.
    fn here(&self, block: BlockId) -> LoopMove {
        LoopMove { stays: self.body.loops.innermost(block), back: None }
    }

    fn make(mut self) {
        let place = self.facts.program.functions[self.func].place;
        let params: Vec<NodeId> = (0..self.body.params.len())
            .map(|i| {
                let value = self.body.params[i];
                let node = self.node(NodeKind::FormalIn(Formal::Param(i as u32)), self.body.insts[value].place, None);
                self.values[value] = Some(node);
                node
            })
            .collect();
        let ty = self.facts.program.types.as_function(self.facts.program.functions[self.func].ty);
        let variadic = ty.is_some_and(|ty| ty.variadic);
        let varargs = variadic.then(|| self.node(NodeKind::FormalIn(Formal::Varargs), place, None));
        let groups = self.groups;
        let ins: IdVec<GroupId, Option<NodeId>> = groups
            .members
            .ids()
            .map(|g| groups.is_known[g].then(|| self.node(NodeKind::FormalIn(Formal::Memory(g.0)), place, None)))
            .collect();
        for block in self.body.blocks.ids() {
            self.block(block);
        }
        let result = ty.filter(|ty| ty.result != Types::VOID);
        let result = result.map(|_| self.node(NodeKind::FormalOut(Formal::Result), place, None));
        let returns = self.facts.returns.function(self.func);
        let returns = returns.then(|| self.node(NodeKind::FormalOut(Formal::Returns), place, None));
        let outs: IdVec<GroupId, Option<NodeId>> = groups
            .members
            .ids()
            .map(|g| groups.is_written[g].then(|| self.node(NodeKind::FormalOut(Formal::Memory(g.0)), place, None)))
            .collect();
        self.ends(result, &outs);
        self.values_to_users();
        self.memory(&ins, varargs);
        self.conditions(returns);
        let formals = Formals { entry: self.entry, params, varargs, result, returns, ins, outs };
        self.whole.procs[self.func] = Some(formals);
    }
    fn block(&mut self, block: BlockId) {
        let body = self.body;
        for &value in &body.blocks[block].insts {
            let inst = &body.insts[value];
            match &inst.kind {
                InstKind::Param(_) => {}
                InstKind::Call { callee, args } => self.call(block, value, callee, args),
                InstKind::Phi(operands) => {
                    let node = self.node(NodeKind::Inst(value), inst.place, Some(block));
                    self.values[value] = Some(node);
                    for (i, (from, value_of)) in operands.iter().enumerate() {
                        let kind = NodeKind::PhiOperand { phi: value, operand: i as u32 };
                        // It is where the edge is: before the φ, and in the loops around both.
                        let operand = self.node(kind, inst.place, Some(*from));
                        let region = self.control.edge(body, *from, block);
                        self.hangs.push((operand, region));
                        if let Operand::Value(value) = value_of {
                            self.copied.push((*value, operand, *from));
                        }
                        let moves = LoopMove::to_phi(&body.loops, *from, *from, block);
                        self.edge(operand, node, EdgeKind::Data, moves);
                    }
                }
                InstKind::Copy(_)
                | InstKind::Uninit
                | InstKind::Unary(..)
                | InstKind::Binary(..)
                | InstKind::Compare(..)
                | InstKind::Cast(_)
                | InstKind::PtrAdd { .. }
                | InstKind::PtrDiff { .. }
                | InstKind::FieldAddr { .. }
                | InstKind::Load { .. }
                | InstKind::Store { .. }
                | InstKind::VaStart(_)
                | InstKind::VaArg(_)
                | InstKind::VaCopy { .. }
                | InstKind::VaEnd(_)
                | InstKind::Alloca { .. }
                | InstKind::Asm(_)
                | InstKind::AsmOutput { .. }
                | InstKind::Intrinsic(..)
                | InstKind::StandIn { .. } => {
                    let node = self.node(NodeKind::Inst(value), inst.place, Some(block));
                    self.values[value] = Some(node);
                    self.hangs.push((node, self.control.region_of(value)));
                    self.touch(block, value, node);
                }
            }
        }
        let end = &body.blocks[block];
        match &end.term {
            Terminator::Branch { .. } | Terminator::Switch { .. } | Terminator::IndirectJump { .. } => {
                let node = self.node(NodeKind::Predicate(block), end.term_place, Some(block));
                self.predicates[block] = Some(node);
                self.hangs.push((node, self.control.end(block)));
            }
            Terminator::Jump(_) | Terminator::Return(_) | Terminator::Unreachable => {}
        }
    }
    /// The accesses of an instruction that is no call.
    fn touch(&mut self, block: BlockId, value: ValueId, node: NodeId) {
        let facts = self.facts;
        let Some(touch) = facts.accesses.functions[self.func].touches.get(&value) else { return };
        if let Some(set) = touch.reads {
            for group in self.groups.all(facts.classes.set(set)) {
                self.events[block.index()].push(Event { group, act: Act::Reads, node });
            }
            self.whole.reads.push((node, self.func, set));
        }
        let Some(set) = touch.writes else { return };
        self.whole.writes.push((node, self.func, set));
        let written = self.groups.all(facts.classes.set(set));
        // Of a group that is written in part, the rest stays.
        let whole =
            |group: &GroupId| self.groups.members[*group].iter().all(|class| facts.classes.set(set).contains(*class));
        let act = if touch.kills && written.iter().all(whole) { Act::Kills } else { Act::Changes };
        if let [group] = written.as_slice() {
            self.events[block.index()].push(Event { group: *group, act, node });
            return;
        }
        for group in written {
            let kind = NodeKind::MemoryDef { inst: value, group: group.0 };
            let version = self.node(kind, self.body.insts[value].place, Some(block));
            self.edge(node, version, EdgeKind::Memory, self.here(block));
            self.events[block.index()].push(Event { group, act, node: version });
        }
    }
    /// Returns: what leaves the procedure.
    fn ends(&mut self, result: Option<NodeId>, outs: &IdVec<GroupId, Option<NodeId>>) {
        for (block, end) in self.body.blocks.enumerate() {
            let Terminator::Return(operand) = &end.term else { continue };
            let node = self.node(NodeKind::Return(block), end.term_place, Some(block));
            self.hangs.push((node, self.control.end(block)));
            if let Some(result) = result {
                self.edge(node, result, EdgeKind::Data, LoopMove::default());
            }
            if let Some(Operand::Value(value)) = operand
                && let Some(from) = self.values[*value]
            {
                let moves = LoopMove::within(&self.body.loops, self.home[*value], block);
                self.edge(from, node, EdgeKind::Data, moves);
            }
            for (group, out) in outs.enumerate() {
                if let Some(node) = *out {
                    self.events[block.index()].push(Event { group, act: Act::Reads, node });
                }
            }
        }
    }
    /// Operands to those that use them; calls have theirs.
    fn values_to_users(&mut self) {
        let body = self.body;
        for (value, inst) in body.insts.enumerate() {
            let Some(node) = self.values[value] else { continue };
            match &inst.kind {
                InstKind::Call { .. } | InstKind::Param(_) | InstKind::Phi(_) => {}
                InstKind::AsmOutput { asm, .. } => {
                    if let Some(from) = self.values[*asm] {
                        let moves = LoopMove::within(&body.loops, self.home[*asm], self.home[value]);
                        self.edge(from, node, EdgeKind::Data, moves);
                    }
                }
                kind => {
                    let mut used: Vec<ValueId> = Vec::new();
                    kind.for_each_operand(|operand| {
                        if let Operand::Value(value) = operand {
                            used.push(*value);
                        }
                    });
                    used.sort_unstable();
                    used.dedup();
                    for from in used {
                        if let Some(source) = self.values[from] {
                            for moves in value_moves(body, &self.home, from, User::Inst(value)) {
                                self.edge(source, node, EdgeKind::Data, moves);
                            }
                        }
                    }
                }
            }
        }
        for (value, operand, block) in std::mem::take(&mut self.copied) {
            if let Some(from) = self.values[value] {
                let moves = LoopMove::within(&body.loops, self.home[value], block);
                self.edge(from, operand, EdgeKind::Data, moves);
            }
        }
        for (block, end) in body.blocks.enumerate() {
            if let (Some(node), Some(Operand::Value(value))) = (self.predicates[block], end.term.operand())
                && let Some(from) = self.values[*value]
            {
                let moves = LoopMove::within(&body.loops, self.home[*value], block);
                self.edge(from, node, EdgeKind::Data, moves);
            }
        }
    }
    /// Which write each read sees.
    fn memory(&mut self, ins: &IdVec<GroupId, Option<NodeId>>, varargs: Option<NodeId>) {
        let mut entry: Vec<Option<NodeId>> = ins.iter().copied().collect();
        if let Some(node) = varargs {
            for group in self.own_varargs() {
                entry[group.index()] = entry[group.index()].or(Some(node));
            }
        }
        let (body, events) = (self.body, std::mem::take(&mut self.events));
        let graph = &mut self.whole.graph;
        let found = links(body, &events, &entry, |block, group| {
            let place =
                body.blocks[block].insts.first().map_or(body.blocks[block].term_place, |v| body.insts[*v].place);
            let around = body.loops.innermost(block);
            graph.node(NodeKind::MemoryPhi { block, group: group.0 }, place, around)
        });
        let mut used = Classes::new();
        let by_node: FxHashMap<NodeId, GroupId> =
            ins.enumerate().filter_map(|(group, node)| node.map(|node| (node, group))).collect();
        for link in found {
            if let Some(group) = by_node.get(&link.from) {
                used.extend(self.groups.members[*group].iter().copied());
            }
            let kind = match link.act {
                Act::Reads => EdgeKind::Memory,
                Act::Changes | Act::Kills => EdgeKind::Order,
            };
            self.edge(link.from, link.to, kind, link.moves);
        }
        self.whole.used[self.func] = Some(used);
    }
    /// The groups of the function's own variable arguments.
    fn own_varargs(&self) -> Vec<GroupId> {
        let objects = &self.facts.points_to.objects;
        let Some(object) = objects.find(&crate::pointsto::ObjectKind::Varargs(self.func)) else { return Vec::new() };
        let classes: Classes =
            objects.cells(object).into_iter().filter_map(|cell| self.facts.classes.of(cell)).collect();
        self.groups.all(&classes)
    }
    /// Control edges.
    fn conditions(&mut self, returns: Option<NodeId>) {
        let control = self.control;
        for (node, region) in std::mem::take(&mut self.hangs) {
            for dependence in control.of(region) {
                self.hang(node, *dependence);
            }
        }
        if let Some(node) = returns {
            for dependence in control.returned() {
                self.hang(node, *dependence);
            }
        }
    }
    fn hang(&mut self, node: NodeId, dependence: Dependence) {
        let (from, label) = match dependence.on {
            Controller::Entry => (Some(self.entry), ControlLabel::Entry),
            Controller::Branch(block) => (self.predicates[block], ControlLabel::Branch(dependence.branch)),
            Controller::Call(call) => (self.returned.get(&call).copied(), ControlLabel::Returned),
        };
        let from = from.expect("what decides has a node");
        self.edge(from, node, EdgeKind::Control(label), dependence.moves);
    }
}
