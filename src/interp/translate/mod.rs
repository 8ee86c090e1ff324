//! From bodies of the IR to [`Code`], once per run.
//!
//! Every value gets slots of its own in the frame; constants go to a pool that all functions share; `Phi`s become moves on the edges
//! that lead to them. Linear in the size of the program.

mod inst;
mod probe;

use rustc_hash::FxHashMap;

use super::code::{CallSite, Code, Layout, Op, Slow, Src, Table, Target, key};
use super::libc::{self, Builtin};
use super::memory::LINE;
use super::statics::{Statics, function_name};
use super::value::{Class, Scalar};
use super::watch::{Spot, Watch};
use crate::base::IdVec;
use crate::ir::{BlockId, Body, Callee, FuncId, InstKind, LocalId, Operand, Program, Terminator, ValueId};
use crate::source::Place;

/// No frame has more slots: a slot's number must fit [`Src`].
const MAX_SLOTS: u64 = 1 << 28;

/// The whole program, ready to run.
#[derive(Debug)]
pub(super) struct Image {
    pub functions: IdVec<FuncId, Entry>,
    pub consts: Vec<u64>,
    pub statics: Statics,
}

/// What a call of a function runs.
#[derive(Debug)]
pub(super) enum Entry {
    Code(Box<Code>),
    Builtin(Builtin),
    /// Declared only.
    Missing(String),
}

/// The constants of the program, each once.
#[derive(Default)]
struct Pool {
    values: Vec<u64>,
    single: FxHashMap<u64, u32>,
    double: FxHashMap<(u64, u64), u32>,
    /// How many values are probed.
    probes: u32,
}

impl Pool {
    fn single(&mut self, value: u64) -> Src {
        let values = &mut self.values;
        Src(*self.single.entry(value).or_insert_with(|| {
            values.push(value);
            values.len() as u32 - 1
        }))
    }
    fn scalar(&mut self, scalar: Scalar, payload: u128) -> Src {
        let (low, high) = scalar.slots_of(payload);
        if scalar.slots() == 1 {
            return self.single(low);
        }
        let values = &mut self.values;
        Src(*self.double.entry((low, high)).or_insert_with(|| {
            values.extend([low, high]);
            values.len() as u32 - 2
        }))
    }
}

/// Translates all bodies; with probes where a run is watched.
pub(super) fn program(program: &Program, statics: Statics, watch: Option<&Watch>) -> Image {
    let slots: IdVec<FuncId, Option<Slots>> =
        program.functions.enumerate().map(|(id, f)| f.body.as_ref().map(|b| lay_out(program, id, b))).collect();
    let mut pool = Pool::default();
    let mut functions = IdVec::new();
    for (id, function) in program.functions.enumerate() {
        let name = function_name(program, id);
        functions.push(match (&function.body, &slots[id]) {
            (Some(body), Some(own)) => {
                let translator = Translator {
                    program,
                    statics: &statics,
                    slots: &slots,
                    pool: &mut pool,
                    id,
                    body,
                    own,
                    code: Code::default(),
                    extra: 0,
                    watch,
                    accessed: if watch.is_some_and(|w| w.strict) { probe::accessed(body) } else { Vec::new() },
                };
                Entry::Code(Box::new(translator.run()))
            }
            _ => match libc::find(name) {
                Some(builtin) => Entry::Builtin(builtin),
                None => Entry::Missing(name.to_string()),
            },
        });
    }
    Image { functions, consts: pool.values, statics }
}

/// Where a function's values are.
struct Slots {
    values: IdVec<ValueId, u32>,
    layout: Layout,
    too_large: bool,
}

fn lay_out(program: &Program, id: FuncId, body: &Body) -> Slots {
    let types = &program.types;
    let function = &program.functions[id];
    let mut values = IdVec::filled(0, body.insts.len());
    let mut next = 0u64;
    let mut params: Vec<(Option<u32>, Class)> = Vec::new();
    if let Some(ty) = types.as_function(function.ty) {
        params = ty.params.iter().map(|p| (None, Class::of(types, *p))).collect();
    }
    let mut starts_list = false;
    let mut named = vec![false; body.locals.len()];
    let mut name = |op: &Operand| {
        if let Operand::Local(l) = op {
            named[l.0 as usize] = true;
        }
    };
    for block in &body.blocks {
        for &v in &block.insts {
            let inst = &body.insts[v];
            inst.kind.for_each_operand(&mut name);
            starts_list |= matches!(inst.kind, InstKind::VaStart(_));
            let class = Class::of(types, inst.ty);
            values[v] = next.min(MAX_SLOTS) as u32;
            if let InstKind::Param(n) = inst.kind {
                let n = n as usize;
                if params.len() <= n {
                    params.resize(n + 1, (None, Class::Void));
                }
                if params[n].0.is_none() {
                    params[n] = (Some(values[v]), class);
                }
            }
            next += u64::from(class.slots());
        }
        if let Some(op) = block.term.operand() {
            name(op);
        }
    }
    let signature = types.as_function(function.ty);
    let mut layout = Layout {
        params,
        result: signature.map(|f| Class::of(types, f.result)),
        variadic: starts_list || signature.is_some_and(|f| f.variadic),
        slots: next.min(MAX_SLOTS) as u32,
        align: LINE,
        locals: vec![None; body.locals.len()],
        ..Layout::default()
    };
    let too_large = next >= MAX_SLOTS || !lay_out_locals(program, body, &named, &mut layout);
    Slots { values, layout, too_large }
}

/// Gives the locals that something names their places in the frame; false if they do not fit.
fn lay_out_locals(program: &Program, body: &Body, named: &[bool], layout: &mut Layout) -> bool {
    let gap = if program.types.model.pointer_size <= 2 { 1 } else { 8 };
    let mut at = 0u64;
    let mut objects = Vec::new();
    for (id, local) in body.locals.enumerate() {
        if !named[id.0 as usize] {
            continue;
        }
        let size = program.types.size_of(local.ty.ty).unwrap_or(0);
        let align = local.align.max(1);
        layout.align = layout.align.max(align);
        at = at.div_ceil(align) * align;
        layout.locals[id.0 as usize] = Some(at);
        objects.push((at, size));
        at = match at.checked_add(size).and_then(|end| end.checked_add(gap)) {
            Some(end) if end < 1 << 27 => end,
            _ => return false,
        };
    }
    layout.bytes = at.div_ceil(LINE) * LINE;
    layout.masks = vec![0; (layout.bytes / LINE) as usize];
    for (from, size) in objects {
        let (mut at, end) = (from, from + size);
        while at < end {
            let count = (LINE - at % LINE).min(end - at);
            layout.masks[(at / LINE) as usize] |= (u64::MAX >> (LINE - count)) << (at % LINE);
            at += count;
        }
    }
    true
}

struct Translator<'a> {
    program: &'a Program,
    statics: &'a Statics,
    slots: &'a IdVec<FuncId, Option<Slots>>,
    pool: &'a mut Pool,
    id: FuncId,
    body: &'a Body,
    own: &'a Slots,
    code: Code,
    /// Slots for temporaries, past those of the values.
    extra: u32,
    watch: Option<&'a Watch>,
    /// Of a strict run: the values by which memory is accessed.
    accessed: Vec<bool>,
}

/// An edge with moves of its own.
struct Edge {
    from: BlockId,
    to: BlockId,
    place: Place,
}

impl Translator<'_> {
    fn run(mut self) -> Code {
        self.code.layout = self.own.layout.clone();
        if self.own.too_large {
            self.code.layout.slots = 0;
            (self.code.layout.bytes, self.code.layout.masks) = (0, Vec::new());
            self.code.layout.params.iter_mut().for_each(|p| p.0 = None);
            let place = self.program.functions[self.id].place;
            self.slow(Slow::Trap("stack overflow: the function's frame is too large".into()), place);
            self.emit(Op::Unreachable, place);
            return self.code;
        }
        let has_phis: IdVec<BlockId, bool> = self
            .body
            .blocks
            .iter()
            .map(|b| b.insts.first().is_some_and(|v| matches!(self.body.insts[*v].kind, InstKind::Phi(_))))
            .collect();
        // While code is made, jumps name blocks and, past them, edges.
        let mut edges: Vec<Edge> = Vec::new();
        let mut starts: Vec<u32> = vec![0; self.body.blocks.len()];
        let blocks = self.body.blocks.len() as u32;
        if self.body.entry.0 != 0 {
            self.emit(Op::Jump { cost: 0, target: self.body.entry.0 }, self.program.functions[self.id].place);
        }
        for (id, block) in self.body.blocks.enumerate() {
            starts[id.0 as usize] = self.code.ops.len() as u32;
            let first = edges.len();
            self.probe_block(id);
            for &v in &block.insts {
                self.watched_inst(v);
            }
            let mut way = |to: BlockId| {
                if !has_phis[to] {
                    return to.0;
                }
                let known = edges[first..].iter().position(|e| e.to == to).map(|i| first + i);
                let index = known.unwrap_or_else(|| {
                    edges.push(Edge { from: id, to, place: block.term_place });
                    edges.len() - 1
                });
                blocks + index as u32
            };
            let cost = block.insts.len() as u32 + 1;
            self.terminator(id, cost, &mut way);
        }
        for edge in &edges {
            starts.push(self.code.ops.len() as u32);
            self.edge_moves(edge);
            self.emit(Op::Jump { cost: 0, target: edge.to.0 }, edge.place);
        }
        self.code.layout.slots += self.extra;
        resolve(&mut self.code, &starts);
        self.code
    }

    fn emit(&mut self, op: Op, place: Place) {
        self.code.ops.push(op);
        self.code.places.push(place);
    }

    fn slow(&mut self, slow: Slow, place: Place) {
        let index = self.code.slow.len() as u32;
        self.code.slow.push(slow);
        self.emit(Op::Slow(index), place);
    }

    /// A fresh temporary.
    fn temp(&mut self, class: Class) -> u32 {
        let slot = self.own.layout.slots + self.extra;
        self.extra += class.slots();
        slot
    }

    fn class(&self, op: Operand) -> Class {
        Class::of(&self.program.types, self.program.operand_type(self.body, op))
    }

    fn local_offset(&self, id: LocalId) -> Option<u64> {
        self.own.layout.locals.get(id.0 as usize).copied().flatten()
    }

    fn src(&mut self, op: Operand) -> Src {
        match op {
            Operand::Value(v) => Src::register(self.own.values[v]),
            Operand::Int(value, ty) | Operand::Float(value, ty) => match Class::of(&self.program.types, ty) {
                Class::Scalar(scalar) => {
                    // An integer constant that stands for a truth value may be any number.
                    let truth = scalar == Scalar::Bool;
                    let payload = if truth { u128::from(value.bits() != 0) } else { value.bits() };
                    self.pool.scalar(scalar, payload)
                }
                Class::Void | Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_) => {
                    self.pool.single(value.bits() as u64)
                }
            },
            Operand::Global(g) => self.pool.single(self.statics.globals[g]),
            Operand::Function(f) => self.pool.single(self.statics.function(f)),
            Operand::Label(l) => self.pool.single(self.statics.label(self.id, l)),
            Operand::Local(l) => match self.local_offset(l) {
                Some(offset) => Src(self.pool.single(offset).0 | Src::FRAME),
                None => self.pool.single(0),
            },
        }
    }

    /// The operand as a value of `class`, through a temporary if it is of another.
    fn src_as(&mut self, op: Operand, class: Class, place: Place) -> Src {
        let from = self.class(op);
        let a = self.src(op);
        if from == class {
            return a;
        }
        let dst = self.temp(class);
        self.slow(Slow::Cast { from, to: class, dst, a }, place);
        Src::register(dst)
    }

    fn move_to(&mut self, dst: u32, src: Src, class: Class, place: Place) {
        match class.slots() {
            0 => {}
            1 => self.emit(Op::Move { dst, src }, place),
            slots => self.emit(Op::MoveMany { dst, src, slots }, place),
        }
    }

    /// The `Phi`s of `edge.to`, all at once.
    fn edge_moves(&mut self, edge: &Edge) {
        let mut moves = Vec::new();
        let mut operands = Vec::new();
        for &v in &self.body.blocks[edge.to].insts {
            let inst = &self.body.insts[v];
            let InstKind::Phi(args) = &inst.kind else { break };
            let Some(operand) = args.iter().position(|(from, _)| *from == edge.from) else { continue };
            let (_, op) = &args[operand];
            operands.push((v, operand as u32));
            let class = Class::of(&self.program.types, inst.ty);
            let src = self.src_as(*op, class, edge.place);
            moves.push((self.own.values[v], src, class));
        }
        let written: rustc_hash::FxHashSet<u32> = moves.iter().map(|m| Src::register(m.0).0).collect();
        // A move whose source another one writes goes through a temporary.
        for m in &mut moves {
            if m.1 != Src::register(m.0) && written.contains(&m.1.0) {
                let dst = self.temp(m.2);
                self.move_to(dst, m.1, m.2, edge.place);
                m.1 = Src::register(dst);
            }
        }
        for (dst, src, class) in moves {
            self.move_to(dst, src, class, edge.place);
        }
        for (phi, operand) in operands {
            self.probe_slot(
                Spot::PhiOperand { phi, operand },
                self.body.insts[phi].ty,
                self.own.values[phi],
                edge.place,
            );
        }
    }

    fn terminator(&mut self, id: BlockId, cost: u32, way: &mut dyn FnMut(BlockId) -> u32) {
        let (term, place) = (&self.body.blocks[id].term, self.body.blocks[id].term_place);
        let op = match term {
            Terminator::Jump(to) => Op::Jump { cost, target: way(*to) },
            Terminator::Branch { cond, then, otherwise } => {
                Op::Branch { cost, cond: self.choice(id, *cond), then: way(*then), otherwise: way(*otherwise) }
            }
            Terminator::Switch { value, cases, default } => {
                let ranges: Vec<(i128, i128, u32)> = cases.iter().map(|c| (c.low, c.high, way(c.target))).collect();
                let default = way(*default);
                let class = self.class(*value);
                let table = self.code.tables.len() as u32;
                self.code.tables.push(switch_table(class, &ranges, default));
                Op::Switch { cost, value: self.choice(id, *value), table }
            }
            Terminator::IndirectJump { addr, targets } => {
                let targets = targets.iter().map(|(l, to)| (self.statics.label(self.id, *l), way(*to))).collect();
                let table = self.code.tables.len() as u32;
                self.code.tables.push(Table::Labels(targets));
                Op::Indirect { cost, addr: self.src(*addr), table }
            }
            Terminator::Return(None) => Op::Return { cost, value: Src(0), slots: 0 },
            Terminator::Return(Some(op)) => {
                let class = self.own.layout.result.unwrap_or(Class::Void);
                let value = if class == Class::Void { Src(0) } else { self.src_as(*op, class, place) };
                let value = self.tap(Spot::Return(id), self.result_type(), value, place);
                Op::Return { cost, value, slots: class.slots() }
            }
            Terminator::Unreachable => Op::Unreachable,
        };
        self.emit(op, place);
    }

    fn call_site(&mut self, inst: ValueId, callee: Callee, args: &[Operand], dst: u32, result: Class) -> CallSite {
        let args: Vec<(Src, Class)> =
            args.iter().enumerate().map(|(i, a)| (self.argument(inst, i as u32, *a), self.class(*a))).collect();
        let callee = match callee {
            Callee::Direct(f) | Callee::Indirect(Operand::Function(f)) => Target::Direct(self.statics.resolved[f]),
            Callee::Indirect(op) => Target::Pointer(self.src(op)),
        };
        let plain = match callee {
            Target::Direct(f) => self.slots[f].as_ref().is_some_and(|s| {
                let layout = &s.layout;
                !layout.variadic
                    && !s.too_large
                    && layout.params.len() == args.len()
                    && layout.params.iter().zip(&args).all(|(p, a)| p.1 == a.1)
                    && layout.result == Some(result)
            }),
            Target::Pointer(_) => false,
        };
        CallSite { inst, callee, args, dst, result, plain }
    }
}

/// The table of a `switch`; jumps still name blocks.
fn switch_table(class: Class, ranges: &[(i128, i128, u32)], default: u32) -> Table {
    let scalar = match class {
        Class::Scalar(scalar) => scalar,
        Class::Void | Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_) => Scalar::Wide(true),
    };
    let signed = scalar.signed();
    if scalar.slots() > 1 {
        let flip = |v: i128| (v as u128) ^ (u128::from(signed) << 127);
        let mut ranges: Vec<_> = ranges.iter().map(|(l, h, t)| (flip(*l), flip(*h), *t)).collect();
        ranges.sort_unstable();
        return Table::Wide { signed, ranges, default };
    }
    let key = |v: i128| key(scalar.slots_of(v as u128).0, signed);
    let mut ranges: Vec<_> = ranges.iter().map(|(l, h, t)| (key(*l), key(*h), *t)).collect();
    ranges.sort_unstable();
    let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else {
        return Table::Sparse { signed, ranges, default };
    };
    let (first, span) = (first.0, last.1.wrapping_sub(first.0));
    if span > 64 + 8 * ranges.len() as u64 {
        return Table::Sparse { signed, ranges, default };
    }
    let mut targets = vec![default; span as usize + 1];
    for (low, high, target) in ranges {
        for v in low..=high {
            if let Some(entry) = targets.get_mut(v.wrapping_sub(first) as usize) {
                *entry = target;
            }
        }
    }
    Table::Dense { signed, first, targets, default }
}

/// Replaces blocks and edges by positions.
fn resolve(code: &mut Code, starts: &[u32]) {
    let fix = |t: &mut u32| *t = starts[*t as usize];
    for op in &mut code.ops {
        match op {
            Op::Jump { target, .. } => fix(target),
            Op::Branch { then, otherwise, .. } => {
                fix(then);
                fix(otherwise);
            }
            _ => {}
        }
    }
    for table in &mut code.tables {
        match table {
            Table::Dense { targets, default, .. } => {
                targets.iter_mut().for_each(fix);
                fix(default);
            }
            Table::Sparse { ranges, default, .. } => {
                for range in ranges {
                    fix(&mut range.2);
                }
                fix(default);
            }
            Table::Wide { ranges, default, .. } => {
                for range in ranges {
                    fix(&mut range.2);
                }
                fix(default);
            }
            Table::Labels(targets) => targets.values_mut().for_each(fix),
        }
    }
}
