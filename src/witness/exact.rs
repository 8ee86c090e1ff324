//! The exact formula of a path: every instance by its own variables, for two runs.
//!
//! A path's steps are given frames first: an activation per call that it enters or returns to, and a number for each iteration of each loop. Then each point says when it
//! is executed and that values differ, each step what was decided, which values are equal on both its ends, and which byte of memory it is about.
//! What the formula does not say is arbitrary: a contradiction is one of the program; a model may still be of a run that the program cannot make.

use rustc_hash::FxHashMap;

use crate::ir::{FuncId, GlobalDef, InstKind, Linkage, Operand, Terminator, ValueId};
use crate::pathcond::channels::Merged;
use crate::pathcond::leaves::{Leaf, LeafKind, Run};
use crate::pathcond::system::{Point, State, changed, site_of};
use crate::pathcond::values::{Frame, FrameId, Values};
use crate::pointsto::PointsTo;
use crate::sdg::{ControlLabel, Edge, EdgeKind, Formal, NodeId, NodeKind, NodeSet, SiteId};
use crate::solve::term::{BitOp, Order, Sort, TermId};

/// A step of a path without summaries: an edge, and the point it leads to.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// The edge.
    pub edge: Edge,
    /// Where it leads.
    pub to: Point,
    /// Which edge of the path of the question it belongs to.
    pub part: usize,
}

/// What must hold, and which part of the path says so.
#[derive(Clone, Debug)]
pub struct Demand {
    /// What.
    pub term: TermId,
    /// The first and the last edge of the path of the question that it rests on.
    pub parts: Option<(usize, usize)>,
}

/// A path with its frames.
pub struct Exact {
    /// The frame of each point; the first is the source's.
    pub frames: Vec<FrameId>,
    /// All that must hold of the path.
    pub demands: Vec<Demand>,
    /// That the objects it speaks of lie apart.
    pub apart: Vec<TermId>,
}

/// The formula of a path.
pub fn exact(values: &mut Values<'_>, points_to: &PointsTo, first: Point, moves: &[Move]) -> Exact {
    values.assumed.clear();
    let mut layout = Layout { values, points_to, bound: FxHashMap::default() };
    let frames = layout.frames(first, moves);
    let start = layout.start(&frames, first, moves);
    let bound = layout.bound;
    let mut writer = Writer { values, frames: &frames, moves, first, bound, demands: Vec::new(), cell: None };
    writer.demands.extend(start);
    writer.write();
    let mut demands = writer.demands;
    overflows(values, &frames, first, moves, &mut demands);
    let all: Vec<TermId> = demands.iter().map(|d| d.term).collect();
    demands.extend(values.facts(&all).into_iter().map(|term| Demand { term, parts: None }));
    let apart = objects(values, &demands);
    Exact { frames, demands, apart }
}

/// What must hold because the path ends where the runs part for sinks that are not told apart.
pub fn ending(
    values: &mut Values<'_>,
    merged: &[&Merged],
    to: &NodeSet,
    first: Point,
    moves: &[Move],
    frames: &[FrameId],
) -> Option<Demand> {
    let point = moves.last().map_or(first, |step| step.to);
    let term = values.ending(*frames.last()?, point, merged, to)?;
    let is_bound = |step: &Move| matches!(step.edge.kind, EdgeKind::Call | EdgeKind::ParamIn | EdgeKind::ParamOut);
    let low = if moves.iter().any(is_bound) { 0 } else { last_part(moves) };
    // A path that goes on from there is another one: the edge to the end is part of it.
    Some(Demand { term, parts: Some((low, usize::MAX)) })
}

/// Gives frames to points.
struct Layout<'l, 'a> {
    values: &'l mut Values<'a>,
    points_to: &'l PointsTo,
    /// By which part of the path each activation is bound to its call.
    bound: FxHashMap<u32, usize>,
}

impl Layout<'_, '_> {
    fn new_frame(&mut self, func: FuncId) -> Frame {
        let loops = self.values.shapes.of(func).body.loops.loops.len();
        let activation = self.values.fresh_number();
        Frame { func, activation, iterations: (0..loops).map(|_| self.values.fresh_number()).collect(), view: None }
    }
    fn frames(&mut self, first: Point, moves: &[Move]) -> Vec<FrameId> {
        let sdg = self.values.sdg;
        let mut at = self.new_frame(sdg.function(first.node));
        at.view = sdg.nodes()[first.node].around;
        let mut frames = vec![self.values.frame(at.clone())];
        let mut stack: Vec<(Frame, SiteId)> = Vec::new();
        for step in moves {
            let edge = step.edge;
            match edge.kind {
                EdgeKind::Call | EdgeKind::ParamIn => {
                    let site = site_of(sdg.nodes()[edge.from].kind);
                    let callee = self.new_frame(sdg.function(edge.to));
                    if let Some(site) = site {
                        let caller = self.values.frame(at.clone());
                        self.values.bind(callee.activation, caller, site);
                        self.bound.insert(callee.activation, step.part);
                        stack.push((at, site));
                    } else {
                        stack.clear();
                    }
                    at = callee;
                }
                EdgeKind::ParamOut => {
                    let site = site_of(sdg.nodes()[edge.to].kind);
                    let back = stack.pop().filter(|(_, called)| Some(*called) == site);
                    let activation = at.activation;
                    let known = back.is_some();
                    at = if let Some((caller, _)) = back {
                        caller
                    } else {
                        stack.clear();
                        self.new_frame(sdg.function(edge.to))
                    };
                    at.view = sdg.nodes()[edge.to].around;
                    if let (Some(site), false) = (site, known) {
                        let caller = self.values.frame(at.clone());
                        self.values.bind(activation, caller, site);
                        self.bound.insert(activation, step.part);
                    }
                }
                EdgeKind::Interference => {
                    stack.clear();
                    at = self.new_frame(sdg.function(edge.to));
                }
                EdgeKind::Control(_) | EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order | EdgeKind::Summary => {
                    if sdg.function(edge.from) != sdg.function(edge.to)
                        || matches!(sdg.nodes()[edge.to].kind, NodeKind::Shared(_))
                    {
                        stack.clear();
                        at = self.new_frame(sdg.function(edge.to));
                    } else {
                        let shape = self.values.shapes.of(at.func);
                        for l in changed(&shape, sdg, edge) {
                            at.iterations[l.0 as usize] = self.values.fresh_number();
                        }
                    }
                }
            }
            at.view = sdg.nodes()[edge.to].around;
            frames.push(self.values.frame(at.clone()));
        }
        frames
    }
    /// That the outermost activation came to be: by its only call, or by one of them.
    fn start(&mut self, frames: &[FrameId], first: Point, moves: &[Move]) -> Vec<Demand> {
        let sdg = self.values.sdg;
        // The outermost activation is that of the last point before the path enters a callee for good.
        let mut depth = 0i32;
        let mut outermost = 0;
        let mut least = 0;
        for (i, step) in moves.iter().enumerate() {
            match step.edge.kind {
                EdgeKind::Call | EdgeKind::ParamIn => depth += 1,
                EdgeKind::ParamOut => depth -= 1,
                EdgeKind::Interference => return Vec::new(),
                EdgeKind::Control(_) | EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order | EdgeKind::Summary => {}
            }
            if depth <= least {
                least = depth;
                outermost = i + 1;
            }
        }
        let point = if outermost == 0 { first } else { moves[outermost - 1].to };
        let runs = runs_of(point.state);
        let mut frame = self.values.frame_of(frames[outermost]).clone();
        let mut demands = Vec::new();
        for _ in 0..CALLERS {
            let entries = sdg.entries();
            let Some(proc) = sdg.procedure_of(frame.func) else { break };
            if entries.contains(&frame.func) || self.points_to.is_recursive(frame.func) {
                break;
            }
            let calls: Vec<Edge> = sdg.predecessors(sdg.procedures()[proc].entry).collect();
            let [call] = calls.as_slice() else {
                for run in &runs {
                    if let Some(term) = self.values.called(self.points_to, frame.func, *run, CALLERS) {
                        demands.push(Demand { term, parts: None });
                    }
                }
                break;
            };
            let (EdgeKind::Call, Some(site)) = (call.kind, site_of(sdg.nodes()[call.from].kind)) else { break };
            let caller_func = sdg.function(call.from);
            let plain = |t: &crate::pointsto::Target| t.reason == crate::pointsto::Reason::Called;
            if !self.points_to.targets(caller_func, sdg.sites()[site].inst).iter().all(plain) {
                break;
            }
            let mut caller = self.new_frame(caller_func);
            caller.view = sdg.nodes()[call.from].around;
            let id = self.values.frame(caller.clone());
            self.values.bind(frame.activation, id, site);
            for run in &runs {
                let term = self.values.executed(id, *run, call.from);
                demands.push(Demand { term, parts: None });
            }
            frame = caller;
        }
        demands
    }
}

/// Callers of the outermost function that are looked at.
const CALLERS: u32 = 4;

/// The runs that execute a point.
pub fn runs_of(state: State) -> Vec<Run> {
    match state {
        State::Differs => Run::BOTH.to_vec(),
        State::Only(run) | State::Memory(run) => vec![run],
    }
}

/// Writes the demands.
struct Writer<'w, 'a> {
    values: &'w mut Values<'a>,
    frames: &'w [FrameId],
    moves: &'w [Move],
    first: Point,
    bound: FxHashMap<u32, usize>,
    demands: Vec<Demand>,
    /// The byte that differs, while the path is in memory.
    cell: Option<TermId>,
}

impl Writer<'_, '_> {
    /// The point before a step, or after the last one.
    fn point(&self, at: usize) -> Point {
        if at == 0 { self.first } else { self.moves[at - 1].to }
    }
    /// The parts of the path that a demand at these points rests on.
    fn rests_on(&self, from: usize, to: usize) -> (usize, usize) {
        let part = |at: usize| if at == 0 { 0 } else { self.moves[at - 1].part };
        let (mut low, mut high) = (part(from), part(to));
        if from == 0 && to == 0 {
            (low, high) = (0, 0);
        }
        for at in from..=to {
            // What a parameter is given rests on the call that the path says.
            let mut activation = self.values.frame_of(self.frames[at]).activation;
            while let Some(part) = self.bound.get(&activation) {
                low = low.min(*part);
                high = high.max(*part);
                match self.values.caller_of(activation) {
                    Some(caller) => activation = caller,
                    None => break,
                }
            }
        }
        (low, high)
    }
    fn demand(&mut self, term: TermId, from: usize, to: usize) {
        if self.values.terms.as_bool(term) != Some(true) {
            let parts = Some(self.rests_on(from, to));
            self.demands.push(Demand { term, parts });
        }
    }
    fn write(&mut self) {
        for at in 0..self.frames.len() {
            self.executed(at);
            if at > 0 {
                self.step(at);
            }
        }
    }
    fn executed(&mut self, at: usize) {
        let point = self.point(at);
        if matches!(self.values.sdg.nodes()[point.node].kind, NodeKind::Shared(_)) {
            return;
        }
        let frame = self.frames[at];
        for run in runs_of(point.state) {
            let term = self.values.executed(frame, run, point.node);
            self.demand(term, at, at);
        }
        let shape = self.values.shapes.of(self.values.frame_of(frame).func);
        if let Some(block) = shape.block(self.values.sdg, point.node)
            && !matches!(self.values.sdg.nodes()[point.node].kind, NodeKind::PhiOperand { .. })
        {
            for l in shape.left_before(block).into_iter().rev().take(MOST_LOOPS) {
                for run in runs_of(point.state) {
                    let term = self.values.left(frame, run, l);
                    self.demand(term, at, at);
                }
            }
        }
        if let State::Only(run) = point.state
            && let Some(term) = self.values.not_executed(frame, run.other(), point.node)
        {
            self.demand(term, at, at);
        }
        if point.state == State::Differs
            && let Some(term) = self.values.differ(frame, point.node)
        {
            self.demand(term, at, at);
        }
    }
    fn step(&mut self, at: usize) {
        let Move { edge, to, .. } = self.moves[at - 1];
        let from = self.point(at - 1);
        let kinds = (self.values.sdg.nodes()[edge.from].kind, self.values.sdg.nodes()[edge.to].kind);
        match edge.kind {
            EdgeKind::Control(ControlLabel::Branch(branch)) => {
                if let (NodeKind::Predicate(block), State::Only(run)) = (kinds.0, to.state) {
                    self.decided(at, block, branch, run, from.state);
                }
            }
            EdgeKind::Data => {
                if let (NodeKind::PhiOperand { operand, .. }, NodeKind::Inst(phi)) = kinds {
                    self.arrived(at, phi, operand as usize, from.state);
                }
            }
            EdgeKind::ParamOut => {
                if let NodeKind::ActualOut(site, Formal::Result) = kinds.1 {
                    self.returned(at, site);
                }
            }
            EdgeKind::Memory | EdgeKind::Order => {
                if let (NodeKind::MemoryPhi { .. }, State::Memory(run)) = (kinds.1, to.state) {
                    let term = self.values.arrives(self.frames[at], run, edge.from, edge.to);
                    self.demand(term, at - 1, at);
                }
                self.remembered(at);
            }
            EdgeKind::Control(_) | EdgeKind::Call | EdgeKind::ParamIn | EdgeKind::Summary | EdgeKind::Interference => {}
        }
        match edge.kind {
            EdgeKind::Control(_) | EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order => {
                self.carried(at, edge, from.state, to.state);
            }
            EdgeKind::Call | EdgeKind::ParamIn | EdgeKind::ParamOut | EdgeKind::Summary | EdgeKind::Interference => {}
        }
        let in_memory = matches!(to.state, State::Memory(_));
        if !in_memory {
            self.cell = None;
        }
    }
    /// A loop's counters go their way from one iteration to a later one, in the runs that are in both.
    fn carried(&mut self, at: usize, edge: Edge, from: State, to: State) {
        let sdg = self.values.sdg;
        if sdg.function(edge.from) != sdg.function(edge.to) || matches!(sdg.nodes()[edge.to].kind, NodeKind::Shared(_))
        {
            return;
        }
        let shape = self.values.shapes.of(sdg.function(edge.from));
        let Some((l, runs)) = self.values.carried_by(&shape, edge, from, to) else { return };
        for run in runs {
            for term in self.values.grown(self.frames[at - 1], self.frames[at], run, l) {
                self.demand(term, at - 1, at);
            }
        }
    }
    fn decided(&mut self, at: usize, block: crate::ir::BlockId, branch: u32, run: Run, from: State) {
        let frame = self.frames[at - 1];
        let shape = self.values.shapes.of(self.values.frame_of(frame).func);
        if shape.is_blurred(block) {
            return;
        }
        let so = self.values.branch(frame, run, block, branch);
        self.demand(so, at - 1, at);
        if from == State::Differs {
            let other = self.values.branch(frame, run.other(), block, branch);
            let not = self.values.terms.not(other);
            self.demand(not, at - 1, at);
        }
    }
    /// Control came by an edge: all `Phi`s of the block have the operands of that edge.
    fn arrived(&mut self, at: usize, phi: ValueId, operand: usize, from: State) {
        let (before, after) = (self.frames[at - 1], self.frames[at]);
        let shape = self.values.shapes.of(self.values.frame_of(after).func);
        let block = shape.home[phi];
        if shape.is_blurred(block) {
            return;
        }
        for inst in &shape.body.blocks[block].insts {
            let InstKind::Phi(operands) = &shape.body.insts[*inst].kind else { break };
            if self.values.is_source_operand(shape.nodes[*inst], operand) {
                continue;
            }
            for run in runs_of(from) {
                let given = self.values.operand(before, run, operands[operand].1);
                let taken = self.values.value(after, run, *inst);
                self.equal(given, taken, at);
            }
        }
    }
    fn equal(&mut self, a: Option<TermId>, b: Option<TermId>, at: usize) {
        if let (Some(a), Some(b)) = (a, b)
            && self.values.terms.sort(a) == self.values.terms.sort(b)
        {
            let same = self.values.terms.eq(a, b);
            self.demand(same, at - 1, at);
        }
    }
    /// A result came back: it is the value of one of the callee's returns.
    fn returned(&mut self, at: usize, site: SiteId) {
        let (inside, outside) = (self.frames[at - 1], self.frames[at]);
        // What a source gives is arbitrary, whatever is returned there.
        if self.values.arbitrary.contains(self.point(at - 1).node) {
            return;
        }
        let shape = self.values.shapes.of(self.values.frame_of(inside).func);
        let sdg = self.values.sdg;
        let arbitrary: Vec<crate::ir::BlockId> = sdg
            .predecessors(self.point(at - 1).node)
            .filter(|edge| self.values.arbitrary.contains(edge.from))
            .filter_map(|edge| match sdg.nodes()[edge.from].kind {
                NodeKind::Return(block) => Some(block),
                _ => None,
            })
            .collect();
        let inst = sdg.sites()[site].inst;
        let returns = shape.body.blocks.enumerate().filter(|(_, b)| matches!(b.term, Terminator::Return(_)));
        let returns: Vec<crate::ir::BlockId> = returns.map(|(id, _)| id).collect();
        if returns.len() > MOST_RETURNS || returns.iter().any(|block| shape.is_blurred(*block)) {
            return;
        }
        // Which runs are sure to have made this very call: those that the path says to be at its start.
        let activation = self.values.frame_of(inside).activation;
        let is_inside = |i: &usize| self.values.frame_of(self.frames[*i]).activation == activation;
        let start = (0..at).find(is_inside).unwrap_or(at - 1);
        let sure = runs_of(self.point(start).state);
        for run in runs_of(self.point(at).state).into_iter().filter(|run| sure.contains(run)) {
            let mut ways: Vec<TermId> = Vec::new();
            for block in &returns {
                let here = self.values.region(inside, run, shape.control.end(*block));
                let operand = match shape.body.blocks[*block].term {
                    Terminator::Return(Some(operand)) if !arbitrary.contains(block) => operand,
                    _ => {
                        ways.push(here);
                        continue;
                    }
                };
                let (Some(given), Some(taken)) =
                    (self.values.operand(inside, run, operand), self.values.value(outside, run, inst))
                else {
                    return;
                };
                if self.values.terms.sort(given) != self.values.terms.sort(taken) {
                    return;
                }
                let same = self.values.terms.eq(given, taken);
                ways.push(self.values.terms.and(&[here, same]));
            }
            let term = self.values.terms.or(&ways);
            self.demand(term, at - 1, at);
        }
    }
    /// A step through memory is about one byte: written by the step's start, if that writes, and not overwritten or read at its end.
    fn remembered(&mut self, at: usize) {
        let from = self.point(at - 1);
        let to = self.point(at);
        let runs: Vec<Run> = match (from.state, to.state) {
            (State::Memory(run) | State::Only(run), _) | (State::Differs, State::Memory(run)) => vec![run],
            (State::Differs, State::Differs | State::Only(_)) => Run::BOTH.to_vec(),
        };
        let cell = if let Some(cell) = self.cell {
            cell
        } else {
            let number = self.values.fresh_number();
            let leaf = Leaf {
                kind: LeafKind::Cell(number),
                func: None,
                loops: Vec::new(),
                run: None,
                place: None,
                ty: None,
                instance: Box::new([]),
            };
            let sort = Sort::Bits(self.values.program.types.model.pointer_size as u32 * 8);
            self.values.leaves.term(&mut self.values.terms, leaf, sort)
        };
        let is_start = self.cell.is_none();
        self.cell = Some(cell);
        let mut ways: Vec<TermId> = Vec::new();
        for run in runs {
            let mut parts: Vec<TermId> = Vec::new();
            if is_start && !matches!(from.state, State::Memory(_)) {
                parts.extend(self.touches(self.frames[at - 1], run, from.node, cell));
            }
            if let Some(touched) = self.touches(self.frames[at], run, to.node, cell) {
                let is_overwritten = self.moves[at - 1].edge.kind == EdgeKind::Order;
                parts.push(if is_overwritten { self.values.terms.not(touched) } else { touched });
            }
            ways.push(self.values.terms.and(&parts));
        }
        let term = self.values.terms.or(&ways);
        self.demand(term, at - 1, at);
    }
    /// Whether a load or a store touches a byte; `None` for other nodes.
    fn touches(&mut self, frame: FrameId, run: Run, node: NodeId, cell: TermId) -> Option<TermId> {
        let shape = self.values.shapes.of(self.values.frame_of(frame).func);
        let (NodeKind::Inst(inst) | NodeKind::MemoryDef { inst, .. }) = self.values.sdg.nodes()[node].kind else {
            return None;
        };
        let (InstKind::Load { addr, access } | InstKind::Store { addr, access, .. }) = shape.body.insts[inst].kind
        else {
            return None;
        };
        if access.bits.is_some() || shape.is_blurred(shape.home[inst]) {
            return None;
        }
        let size = self.values.program.types.size_of(access.ty)?;
        let address = self.values.operand(frame, run, addr)?;
        let terms = &mut self.values.terms;
        if terms.sort(address) != terms.sort(cell) {
            return None;
        }
        let width = terms.width(cell);
        let size = terms.number(width, i128::from(size));
        let distance = terms.bit(BitOp::Sub, cell, address);
        Some(terms.compare(Order::ULt, distance, size))
    }
}

/// What the executed instructions justify: no signed overflow, if the policy says so.
fn overflows(values: &mut Values<'_>, frames: &[FrameId], first: Point, moves: &[Move], demands: &mut Vec<Demand>) {
    let assumed = std::mem::take(&mut values.assumed);
    let point = |at: usize| if at == 0 { first } else { moves[at - 1].to };
    for one in assumed {
        let home = values.frame_of(one.frame).clone();
        let shape = values.shapes.of(home.func);
        let block = shape.home[one.value];
        if shape.is_blurred(block) {
            continue;
        }
        let region = shape.control.region_of(one.value);
        for (at, frame) in frames.iter().enumerate() {
            let frame = values.frame_of(*frame);
            let same = frame.activation == home.activation
                && shape
                    .around(Some(block))
                    .iter()
                    .all(|l| frame.iterations[l.0 as usize] == home.iterations[l.0 as usize]);
            if !same || !runs_of(point(at).state).contains(&one.run) {
                continue;
            }
            let node = point(at).node;
            let Some(there) = shape.block(values.sdg, node) else { continue };
            let sure = if there == block {
                shape.region(values.sdg, node) == Some(region)
            } else {
                shape.dominators.dominates(block, there)
                    && !matches!(values.sdg.nodes()[node].kind, NodeKind::PhiOperand { .. })
            };
            if sure {
                demands.push(Demand { term: one.term, parts: Some((0, last_part(moves))) });
                break;
            }
        }
    }
}

/// The last part of a path.
fn last_part(moves: &[Move]) -> usize {
    moves.last().map_or(0, |m| m.part)
}

/// Objects lie apart, and none at address 0.
fn objects(values: &mut Values<'_>, demands: &[Demand]) -> Vec<TermId> {
    let all: Vec<TermId> = demands.iter().map(|d| d.term).collect();
    let mut apart: Vec<TermId> = Vec::new();
    let mut found: Vec<(TermId, u64)> = Vec::new();
    for var in values.terms.variables_of(&all) {
        let Some(leaf) = values.leaves.of(&values.terms, var) else { continue };
        let LeafKind::Address(operand) = leaf.kind else { continue };
        // A weak symbol that nobody defines has address 0, and so have others.
        let is_missing = match operand {
            Operand::Global(global) => {
                let global = &values.program.globals[global];
                global.linkage == Linkage::Weak && matches!(global.definition, GlobalDef::Declared)
            }
            Operand::Function(func) => {
                let func = &values.program.functions[func];
                func.linkage == Linkage::Weak && func.body.is_none()
            }
            Operand::Local(_) | Operand::Label(_) | Operand::Value(_) | Operand::Int(..) | Operand::Float(..) => false,
        };
        if is_missing {
            continue;
        }
        let size = match (operand, leaf.func) {
            (Operand::Global(global), _) => values.program.types.size_of(values.program.globals[global].ty.ty),
            (Operand::Local(local), Some(func)) => {
                let body = values.shapes.of(func).body;
                values.program.types.size_of(body.locals[local].ty.ty)
            }
            _ => Some(1),
        };
        let key = values.terms.variable(var).key.expect("leaves have keys");
        let sort = values.terms.variable(var).sort;
        // Equal literals may be one, and what has no bytes may be where something else is.
        let shares = match operand {
            Operand::Global(global) => values.program.globals[global].name.starts_with(".str"),
            _ => false,
        };
        let size = if shares { 0 } else { size.unwrap_or(1) };
        found.push((values.terms.var(key, sort, ""), size));
    }
    for (i, (a, size)) in found.iter().enumerate().take(MOST_OBJECTS) {
        let terms = &mut values.terms;
        let width = terms.width(*a);
        let zero = terms.number(width, 0);
        let not_null = terms.ne(*a, zero);
        let greatest = terms.number(width, -(i128::from(*size)) - 1);
        let fits = terms.compare(Order::ULe, *a, greatest);
        apart.push(terms.and(&[not_null, fits]));
        for (b, other) in found.iter().skip(i + 1).take(MOST_OBJECTS) {
            if terms.width(*b) != width || *size == 0 || *other == 0 {
                continue;
            }
            let (first, second) = (terms.number(width, i128::from(*size)), terms.number(width, i128::from(*other)));
            let (end_a, end_b) = (terms.bit(BitOp::Add, *a, first), terms.bit(BitOp::Add, *b, second));
            let below = terms.compare(Order::ULe, end_a, *b);
            let above = terms.compare(Order::ULe, end_b, *a);
            apart.push(terms.or(&[below, above]));
        }
    }
    apart
}

/// Returns of a function whose values are looked at.
const MOST_RETURNS: usize = 12;
/// Loops before a point whose ends are looked at.
const MOST_LOOPS: usize = 6;
/// Objects that are told to lie apart, at most.
const MOST_OBJECTS: usize = 16;
