//! Functions that allocate for their callers, and the types of what is allocated.
//!
//! What `xmalloc` returns would be one object for the whole program. A call of it makes an object of its own instead, if the wrapper hands the
//! object to nobody but its caller: inside the wrapper it is only filled in, compared and returned. Such a function may itself
//! be called by another. What the wrapper does to its object is done to the caller's at the call.
//!
//! The type of memory is what its address is first converted to; of memory used as several types nothing is taken to be known.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::IdVec;
use crate::ir::*;
use crate::models::Models;
use crate::policy::model::{Model, Spot};

/// See the module.
pub(super) struct Wrappers {
    /// The types that addresses from calls and `alloca` are converted to.
    elements: IdVec<FuncId, FxHashMap<ValueId, TypeId>>,
    /// The calls of each function whose objects it hands to its caller alone.
    handed: IdVec<FuncId, Vec<ValueId>>,
}

impl Wrappers {
    pub fn new(program: &Program, models: &Models) -> Wrappers {
        let count = program.functions.len();
        let mut elements = IdVec::filled(FxHashMap::default(), count);
        for (id, _, body) in program.bodies() {
            elements[id] = elements_of(&program.types, body);
        }
        let mut finder = Finder {
            program,
            models,
            handed: IdVec::filled(Vec::new(), count),
            state: IdVec::filled(State::New, count),
        };
        for id in program.functions.ids() {
            finder.visit(id);
        }
        Wrappers { elements, handed: finder.handed }
    }
    /// The type that memory made by an instruction is used as.
    pub fn element(&self, func: FuncId, value: ValueId) -> Option<TypeId> {
        self.elements[func].get(&value).copied()
    }
    /// Whether what this instruction of the function allocates is its caller's.
    pub fn is_handed(&self, func: FuncId, value: ValueId) -> bool {
        self.handed[func].contains(&value)
    }
    /// Whether the function allocates for its callers.
    pub fn is_wrapper(&self, func: FuncId) -> bool {
        !self.handed[func].is_empty()
    }
}

/// Whether a model's result is a fresh object.
pub(super) fn allocates(model: &Model) -> bool {
    let new = |f: &crate::policy::model::Flow| f.target == Spot::Return && f.carries && f.sources.contains(&Spot::New);
    model.flows.iter().any(new)
}

/// The type that the address made by each call or `alloca` is converted to.
fn elements_of(types: &Types, body: &Body) -> FxHashMap<ValueId, TypeId> {
    // The instruction that made the address a value holds.
    let mut made_by: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let mut found: FxHashMap<ValueId, Option<TypeId>> = FxHashMap::default();
    for block in &body.blocks {
        for &value in &block.insts {
            let inst = &body.insts[value];
            let known = |operand: &Operand| match operand {
                Operand::Value(value) => made_by.get(value).copied(),
                _ => None,
            };
            let maker = match &inst.kind {
                InstKind::Call { .. } | InstKind::Alloca { .. } => Some(value),
                InstKind::Copy(operand) | InstKind::Cast(operand) => known(operand),
                InstKind::Phi(operands) => operands.iter().find_map(|(_, operand)| known(operand)),
                _ => None,
            };
            let (Some(maker), Some(to)) = (maker, types.pointee(inst.ty)) else { continue };
            made_by.insert(value, maker);
            if let Some(ty) = element(types, to.ty) {
                let bytes = |ty: TypeId| types.size_of(ty) == Some(1);
                found
                    .entry(maker)
                    .and_modify(|old| match old {
                        Some(old_ty) if bytes(*old_ty) => *old = Some(ty),
                        Some(old_ty) if *old_ty == ty || bytes(ty) => {}
                        _ => *old = None,
                    })
                    .or_insert(Some(ty));
            }
        }
    }
    found.into_iter().filter_map(|(value, ty)| ty.map(|ty| (value, ty))).collect()
}

/// What memory whose address has this pointee consists of; nothing for `void`.
fn element(types: &Types, ty: TypeId) -> Option<TypeId> {
    match types.get(ty) {
        Type::Array { element: inner, .. } => element(types, inner.ty),
        Type::Void | Type::Function(_) => None,
        Type::Bool
        | Type::Int(_)
        | Type::Float(_)
        | Type::Complex(_)
        | Type::Enum(_)
        | Type::Record(_)
        | Type::Pointer(_)
        | Type::Vector { .. } => types.size_of(ty).map(|_| ty),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// Being looked at: a call to it is recursive.
    Open,
    Done,
}

struct Finder<'a> {
    program: &'a Program,
    models: &'a Models,
    handed: IdVec<FuncId, Vec<ValueId>>,
    state: IdVec<FuncId, State>,
}

impl Finder<'_> {
    /// Finds what a function allocates for its callers; `false` if that is being found already.
    fn visit(&mut self, start: FuncId) {
        // Callees first, without recursion on the host's stack.
        let mut stack = vec![(start, self.callees(start))];
        if self.state[start] != State::New {
            return;
        }
        self.state[start] = State::Open;
        while let Some((func, callees)) = stack.last_mut() {
            let func = *func;
            if let Some(next) = callees.pop() {
                if self.state[next] == State::New {
                    self.state[next] = State::Open;
                    let list = self.callees(next);
                    stack.push((next, list));
                }
                continue;
            }
            self.handed[func] = self.handed_by(func);
            self.state[func] = State::Done;
            stack.pop();
        }
    }
    fn callees(&self, func: FuncId) -> Vec<FuncId> {
        let Some(body) = super::body_of(self.program, self.models, func) else { return Vec::new() };
        let mut found: Vec<FuncId> = body
            .insts
            .iter()
            .filter_map(|inst| match inst.kind {
                InstKind::Call { callee: Callee::Direct(callee), .. } => Some(callee),
                _ => None,
            })
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }
    fn handed_by(&self, func: FuncId) -> Vec<ValueId> {
        let Some(body) = super::body_of(self.program, self.models, func) else { return Vec::new() };
        // A function that may call itself has several activations, whose objects may meet.
        if self.callees(func).iter().any(|callee| self.state[*callee] == State::Open) {
            return Vec::new();
        }
        let makes = |(value, inst): (ValueId, &Inst)| match inst.kind {
            InstKind::Call { callee: Callee::Direct(callee), .. } => {
                let model = self.models.of(&self.program.functions[callee]);
                let fresh = model.map_or(!self.handed[callee].is_empty(), allocates);
                fresh.then_some(value)
            }
            // Whom it calls is not known yet.
            InstKind::Call { callee: Callee::Indirect(_), .. } => Some(value),
            _ => None,
        };
        let candidates: Vec<ValueId> = body.insts.enumerate().filter_map(makes).collect();
        candidates.into_iter().filter(|value| self.is_handed(body, *value)).collect()
    }
    /// Whether the address that a call returns is returned, and told to nobody else.
    fn is_handed(&self, body: &Body, made: ValueId) -> bool {
        let mut holds: FxHashSet<ValueId> = FxHashSet::from_iter([made]);
        loop {
            let before = holds.len();
            for (value, inst) in body.insts.enumerate() {
                let is_one = |operand: &Operand| matches!(operand, Operand::Value(value) if holds.contains(value));
                let leads = match &inst.kind {
                    InstKind::Copy(a)
                    | InstKind::Cast(a)
                    | InstKind::PtrAdd { base: a, .. }
                    | InstKind::FieldAddr { base: a, .. } => is_one(a),
                    InstKind::Phi(operands) => operands.iter().any(|(_, operand)| is_one(operand)),
                    InstKind::Call { callee: Callee::Direct(callee), args } => self.returns(*callee, args, &is_one),
                    _ => false,
                };
                if leads {
                    holds.insert(value);
                }
            }
            if holds.len() == before {
                break;
            }
        }
        let is_one = |operand: &Operand| matches!(operand, Operand::Value(value) if holds.contains(value));
        let stays = |inst: &Inst| match &inst.kind {
            InstKind::Copy(_)
            | InstKind::Cast(_)
            | InstKind::Phi(_)
            | InstKind::FieldAddr { .. }
            | InstKind::Compare(..)
            | InstKind::PtrDiff { .. }
            | InstKind::Load { .. } => true,
            InstKind::PtrAdd { index, .. } => !is_one(index),
            InstKind::Store { value, .. } => !is_one(value),
            InstKind::Call { callee: Callee::Direct(callee), args } => self.tells_nobody(*callee, args, &is_one),
            kind => {
                let mut used = false;
                kind.for_each_operand(|operand| used |= is_one(operand));
                !used
            }
        };
        let returned = |block: &Block| matches!(&block.term, Terminator::Return(Some(operand)) if is_one(operand));
        body.blocks.iter().any(returned) && body.insts.iter().all(stays)
    }
    /// Whether a library function returns an argument that is one of these.
    fn returns(&self, callee: FuncId, args: &[Operand], is_one: &dyn Fn(&Operand) -> bool) -> bool {
        let Some(model) = self.models.of(&self.program.functions[callee]) else { return false };
        model.flows.iter().any(|flow| {
            let passes = |spot: &Spot| passed(spot, args).iter().any(is_one);
            flow.target == Spot::Return && flow.carries && flow.sources.iter().any(passes)
        })
    }
    /// Whether a call keeps no argument that is one of these: a library function whose model puts it nowhere but into the result.
    fn tells_nobody(&self, callee: FuncId, args: &[Operand], is_one: &dyn Fn(&Operand) -> bool) -> bool {
        if !args.iter().any(is_one) {
            return true;
        }
        let Some(model) = self.models.of(&self.program.functions[callee]) else { return false };
        let told = model.flows.iter().any(|flow| {
            let passes = |spot: &Spot| passed(spot, args).iter().any(is_one);
            flow.target != Spot::Return && flow.carries && flow.sources.iter().any(passes)
        });
        // Functions that the program's own functions are called with, or that put pointers into the object, are left alone.
        let simple = model.callbacks.is_empty() && model.threads.is_empty();
        !told && simple
    }
}

/// The arguments whose own values a spot means.
fn passed<'a>(spot: &Spot, args: &'a [Operand]) -> &'a [Operand] {
    match spot {
        Spot::Value(n) | Spot::Memory(n) => args.get(*n as usize - 1).map_or(&[], std::slice::from_ref),
        Spot::Values(n) | Spot::Memories(n) => args.get(*n as usize - 1..).unwrap_or(&[]),
        Spot::Return
        | Spot::Object(_)
        | Spot::Objects(_)
        | Spot::Global(_)
        | Spot::Input
        | Spot::Stream(_)
        | Spot::State(_)
        | Spot::File(_)
        | Spot::Errno
        | Spot::New
        | Spot::Address(_)
        | Spot::Reached(_) => &[],
    }
}
