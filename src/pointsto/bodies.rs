//! The constraints of a function's body, made when the function turns out to be reached.

use rustc_hash::{FxHashMap, FxHashSet};

use super::objects::{ObjectId, ObjectKind, Objects, PlaceId};
use super::registers::Registers;
use super::shape::ShapeId;
use super::solver::{Event, Region, Rule, SiteId, Solver, VarId};
use super::wanted::wanted;
use super::wrappers::Wrappers;
use super::{Options, Reason, Target, body_of, first, key};
use crate::base::IdVec;
use crate::base::id::Id;
use crate::ir::*;
use crate::models::Models;

/// A call, or a callback of one.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub func: FuncId,
    pub call: ValueId,
    /// Why what is found here is reached.
    pub reason: Reason,
    pub external: Option<FuncId>,
    /// The variables of the arguments: the first one, and how many. `None`: no pointer.
    pub args: Vec<Option<(VarId, u32)>>,
    /// Whether any function gets any of the arguments: nobody knows which.
    pub mixed: bool,
    /// Where the result goes.
    pub result: Option<(VarId, u32)>,
}

/// The analysis as far as it is done.
pub(super) struct Analysis<'a> {
    pub program: &'a Program,
    pub models: &'a Models,
    pub options: &'a Options,
    pub objects: Objects,
    pub solver: Solver,
    pub sites: IdVec<SiteId, Site>,
    pub wrappers: Wrappers,
    pub values: IdVec<FuncId, Option<Vec<u32>>>,
    /// Where each function's result is.
    pub results: IdVec<FuncId, Option<(VarId, u32)>>,
    queue: Vec<FuncId>,
    pub addresses: FxHashMap<(FuncId, Operand), PlaceId>,
    address_vars: FxHashMap<PlaceId, VarId>,
    registers: Registers,
    pub targets: FxHashMap<(FuncId, ValueId), FxHashSet<Target>>,
    pub unknown_calls: FxHashSet<(FuncId, ValueId)>,
    /// What is known outside.
    pub escaped: FxHashSet<ObjectId>,
    pub escaped_functions: Vec<FuncId>,
    /// Sites that call what is outside.
    pub outside_sites: Vec<SiteId>,
    pub clones: FxHashMap<(FuncId, ValueId), FxHashMap<ObjectId, ObjectId>>,
    /// All that is reached from the arguments of a call.
    pub reached: FxHashMap<(FuncId, ValueId), VarId>,
}

impl<'a> Analysis<'a> {
    pub fn new(program: &'a Program, models: &'a Models, options: &'a Options) -> Self {
        let count = program.functions.len();
        Analysis {
            program,
            models,
            options,
            objects: Objects::default(),
            solver: Solver::default(),
            sites: IdVec::new(),
            wrappers: Wrappers::new(program, models),
            values: IdVec::filled(None, count),
            results: IdVec::filled(None, count),
            queue: Vec::new(),
            addresses: FxHashMap::default(),
            address_vars: FxHashMap::default(),
            registers: Registers::new(program),
            targets: FxHashMap::default(),
            unknown_calls: FxHashSet::default(),
            escaped: FxHashSet::default(),
            escaped_functions: Vec::new(),
            outside_sites: Vec::new(),
            clones: FxHashMap::default(),
            reached: FxHashMap::default(),
        }
    }
    /// Finds everything.
    pub fn run(&mut self) {
        self.world();
        self.statics();
        self.start();
        loop {
            while let Some(func) = self.queue.pop() {
                self.body(func);
            }
            let events = self.solver.run(&self.objects, &self.program.types);
            if events.is_empty() && self.queue.is_empty() {
                return;
            }
            for event in events {
                match event {
                    Event::Call(site, place) => self.reach_place(site, place),
                    Event::Escape(place) => self.escape(place),
                    Event::Clone(site, callee, to, place) => self.come_back(site, callee, to, place),
                }
            }
        }
    }
    // Objects and addresses.

    fn make(&mut self, kind: ObjectKind, shape: ShapeId, opaque: bool) -> ObjectId {
        let unique = match &kind {
            ObjectKind::Global(_) | ObjectKind::Local(..) | ObjectKind::Errno | ObjectKind::Library(_) => true,
            ObjectKind::Function(_)
            | ObjectKind::Heap { .. }
            | ObjectKind::Varargs(_)
            | ObjectKind::State(_)
            | ObjectKind::Stream(_)
            | ObjectKind::Literals
            | ObjectKind::Address(_)
            | ObjectKind::World => false,
        };
        let id = self.objects.make(kind, shape, unique, opaque);
        self.solver.add_cells(&self.objects);
        id
    }
    /// An object that is not divided.
    pub fn blob(&mut self, kind: ObjectKind, opaque: bool) -> ObjectId {
        if let Some(id) = self.objects.find(&kind) {
            return id;
        }
        let shape = self.objects.shapes.blob(&self.program.types);
        self.make(kind, shape, opaque)
    }
    /// The object of a type.
    pub fn typed(&mut self, kind: ObjectKind, ty: TypeId) -> ObjectId {
        if let Some(id) = self.objects.find(&kind) {
            return id;
        }
        let shape = self.objects.shapes.of(&self.program.types, ty);
        self.make(kind, shape, false)
    }
    pub fn global(&mut self, global: GlobalId) -> ObjectId {
        if is_literal(&self.program.globals[global]) {
            return self.blob(ObjectKind::Literals, false);
        }
        self.typed(ObjectKind::Global(global), self.program.globals[global].ty.ty)
    }
    /// What an allocation makes; `ty` is what its pointers point to, if that is known.
    pub fn heap(&mut self, kind: ObjectKind, ty: Option<TypeId>, opaque: bool) -> ObjectId {
        if let Some(id) = self.objects.find(&kind) {
            return id;
        }
        let shape = match ty {
            Some(ty) => self.objects.shapes.many(&self.program.types, ty),
            None => self.objects.shapes.blob(&self.program.types),
        };
        self.make(kind, shape, opaque)
    }
    /// A hidden object of the library.
    pub fn state(&mut self, name: &str) -> ObjectId {
        let kind = ObjectKind::State(name.to_owned());
        let is_new = self.objects.find(&kind).is_none();
        let id = self.blob(kind, false);
        // Texts and the table of their addresses are one.
        if is_new && matches!(name, "environment" | "arguments" | "timezone") {
            let place = self.objects.anywhere(id);
            self.hold(id, place);
        }
        id
    }
    pub fn stream(&mut self, name: &str) -> ObjectId {
        self.blob(ObjectKind::Stream(name.to_owned()), true)
    }
    /// A variable of the library, by its name: the program's declaration of it, or one of its own.
    pub fn named(&mut self, name: &str) -> ObjectId {
        let is_it = |g: &Global| g.name == name && g.linkage != Linkage::Internal;
        match self.program.globals.enumerate().find(|(_, g)| is_it(g)) {
            Some((id, _)) => self.global(id),
            None => self.blob(ObjectKind::Library(name.to_owned()), false),
        }
    }
    /// All cells of an object hold a place.
    pub fn hold(&mut self, object: ObjectId, place: PlaceId) {
        for cell in self.objects.cells(object) {
            let var = self.solver.cell(cell);
            self.solver.add(var, place);
        }
    }
    /// A variable that holds one place.
    pub fn address(&mut self, place: PlaceId) -> VarId {
        if let Some(var) = self.address_vars.get(&place) {
            return *var;
        }
        let var = self.solver.var();
        self.solver.add(var, place);
        self.address_vars.insert(place, var);
        var
    }
    /// The variables of an operand: the first one, and how many. `None`: no pointer.
    pub fn operand(&mut self, func: FuncId, operand: Operand) -> Option<(VarId, u32)> {
        let place = match operand {
            Operand::Value(value) => {
                let var = first(self.values[func].as_ref()?, value)?;
                let body = self.program.functions[func].body.as_ref()?;
                return Some((var, self.leaves(body.insts[value].ty)));
            }
            Operand::Global(global) => {
                let object = self.global(global);
                self.objects.place(object, Some(0))
            }
            Operand::Local(local) => {
                let ty = self.program.functions[func].body.as_ref()?.locals[local].ty.ty;
                let object = self.typed(ObjectKind::Local(func, local), ty);
                self.objects.place(object, Some(0))
            }
            Operand::Function(callee) => {
                let object = self.blob(ObjectKind::Function(callee), true);
                self.objects.place(object, Some(0))
            }
            Operand::Int(value, ty) if self.program.types.pointee(ty).is_some() => self.register(value)?,
            Operand::Int(..) | Operand::Float(..) | Operand::Label(_) => return None,
        };
        self.addresses.insert(key(func, operand), place);
        Some((self.address(place), 1))
    }
    /// Memory at an absolute address.
    fn register(&mut self, address: Int) -> Option<PlaceId> {
        let (start, ty) = self.registers.find(address)?;
        let object = match ty {
            Some(ty) => self.typed(ObjectKind::Address(start), ty),
            None => self.blob(ObjectKind::Address(start), false),
        };
        let offset = address.bits() as u64 - start;
        Some(self.objects.step(self.objects.place(object, Some(0)), |s, part| s.add(part, i128::from(offset))))
    }
    /// How many variables a value of a type has.
    pub fn leaves(&mut self, ty: TypeId) -> u32 {
        match self.program.types.get(ty) {
            Type::Record(_) | Type::Array { .. } => {
                let shape = self.objects.shapes.of(&self.program.types, ty);
                self.objects.shapes.get(shape).leaf_count()
            }
            Type::Void
            | Type::Bool
            | Type::Int(_)
            | Type::Float(_)
            | Type::Complex(_)
            | Type::Enum(_)
            | Type::Pointer(_)
            | Type::Vector { .. }
            | Type::Function(_) => 1,
        }
    }

    // Bodies.

    /// A run may get to this function.
    pub fn reach(&mut self, func: FuncId) {
        if self.values[func].is_some() {
            return;
        }
        let Some(body) = body_of(self.program, self.models, func) else { return };
        self.values[func] = Some(vec![u32::MAX; body.insts.len()]);
        for param in &body.params {
            self.value(func, *param, body.insts[*param].ty);
        }
        let ty = self.program.types.as_function(self.program.functions[func].ty).map(|f| f.result);
        if let Some(ty) = ty.filter(|ty| *ty != Types::VOID) {
            let count = self.leaves(ty);
            self.results[func] = Some((self.solver.vars(count), count));
        }
        self.queue.push(func);
    }
    /// Makes the variables of a value.
    pub fn value(&mut self, func: FuncId, value: ValueId, ty: TypeId) -> (VarId, u32) {
        let count = self.leaves(ty);
        let table = self.values[func].as_ref().expect("the function is reached");
        if let Some(var) = first(table, value) {
            return (var, count);
        }
        let var = self.solver.vars(count);
        self.alias(func, value, var);
        (var, count)
    }
    /// A value has the variables of another.
    fn alias(&mut self, func: FuncId, value: ValueId, var: VarId) {
        self.values[func].as_mut().expect("the function is reached")[value.index()] = var.0;
    }
    fn body(&mut self, func: FuncId) {
        let Some(body) = body_of(self.program, self.models, func) else { return };
        let wanted = wanted(&self.program.types, body);
        for block in &body.blocks {
            for value in &block.insts {
                self.inst(func, body, *value, wanted[value.index()]);
            }
            if let Terminator::Return(Some(operand)) = &block.term
                && let (Some((from, count)), Some((to, _))) = (self.operand(func, *operand), self.results[func])
            {
                self.solver.edges(from, to, count);
            }
        }
        // A φ's operand may come from a block that is later.
        for block in &body.blocks {
            for value in &block.insts {
                let InstKind::Phi(operands) = &body.insts[*value].kind else { continue };
                if !wanted[value.index()] {
                    continue;
                }
                let (to, count) = self.value(func, *value, body.insts[*value].ty);
                for (_, operand) in operands {
                    if let Some((from, _)) = self.operand(func, *operand) {
                        self.solver.edges(from, to, count);
                    }
                }
            }
        }
    }
    fn inst(&mut self, func: FuncId, body: &Body, value: ValueId, wanted: bool) {
        let inst = &body.insts[value];
        let types = &self.program.types;
        match &inst.kind {
            InstKind::Param(_)
            | InstKind::Uninit
            | InstKind::Compare(..)
            | InstKind::PtrDiff { .. }
            | InstKind::VaEnd(_) => {}
            InstKind::Phi(_) => {
                if wanted {
                    self.value(func, value, inst.ty);
                }
            }
            InstKind::Copy(operand) => {
                if wanted && let Some((var, _)) = self.operand(func, *operand) {
                    self.alias(func, value, var);
                }
            }
            InstKind::Cast(operand) => {
                let from = self.program.operand_type(body, *operand);
                let array = types.pointee(from).filter(|t| matches!(types.get(t.ty), Type::Array { .. }));
                let decays = array.is_some_and(|array| types.pointee(inst.ty).is_some_and(|to| to.ty != array.ty));
                if !wanted || !carries(types, from, inst.ty) {
                    return;
                }
                // A number that becomes an address.
                if let (Operand::Int(number, _), true) = (operand, types.pointee(inst.ty).is_some()) {
                    if let Some(place) = self.register(*number) {
                        let var = self.address(place);
                        self.alias(func, value, var);
                    }
                    return;
                }
                let Some((var, _)) = self.operand(func, *operand) else { return };
                if decays {
                    let (to, _) = self.value(func, value, inst.ty);
                    self.solver.rule(var, Rule::Decay { to });
                } else {
                    self.alias(func, value, var);
                }
            }
            InstKind::Unary(_, a) => self.computed(func, body, value, wanted, &[*a]),
            InstKind::Binary(_, a, b) => self.computed(func, body, value, wanted, &[*a, *b]),
            InstKind::Intrinsic(_, operands) => self.computed(func, body, value, wanted, operands),
            InstKind::PtrAdd { base, index, stride } => {
                if !wanted {
                    return;
                }
                let (to, _) = self.value(func, value, inst.ty);
                if let Some((var, _)) = self.operand(func, *base) {
                    let rule = match index {
                        Operand::Int(n, _) => {
                            let bytes = n.value().wrapping_mul(i128::from(*stride)) as i64;
                            Rule::Add { to, bytes }
                        }
                        Operand::Value(_)
                        | Operand::Float(..)
                        | Operand::Global(_)
                        | Operand::Function(_)
                        | Operand::Local(_)
                        | Operand::Label(_) => Rule::AddAny { to, stride: *stride },
                    };
                    self.solver.rule(var, rule);
                }
                if matches!(base, Operand::Int(..))
                    && let Some((var, _)) = self.operand(func, *index)
                {
                    self.solver.rule(var, Rule::Anywhere { to });
                }
            }
            InstKind::FieldAddr { base, record, field } => {
                if wanted && let Some((var, _)) = self.operand(func, *base) {
                    let (to, _) = self.value(func, value, inst.ty);
                    self.solver.rule(var, Rule::Field { to, record: *record, member: *field });
                }
            }
            InstKind::Load { addr, access } => {
                let Some((var, _)) = self.operand(func, *addr) else { return };
                if wanted {
                    let (to, leaves) = self.value(func, value, inst.ty);
                    let size = access_size(types, access);
                    self.solver.rule(
                        var,
                        if leaves == 1 {
                            Rule::Load { to, size }
                        } else {
                            Rule::LoadRecord { to, leaves, ty: access.ty, size }
                        },
                    );
                }
            }
            InstKind::Store { addr, value: stored, access } => {
                let (Some((var, _)), stored) = (self.operand(func, *addr), self.operand(func, *stored)) else { return };
                if let Some((from, leaves)) = stored {
                    let size = access_size(types, access);
                    self.solver.rule(
                        var,
                        if leaves == 1 {
                            Rule::Store { from, size }
                        } else {
                            Rule::StoreRecord { from, leaves, ty: access.ty, size }
                        },
                    );
                }
            }
            InstKind::Call { callee, args } => self.call(func, value, callee, args),
            InstKind::VaStart(list) => {
                if let Some((var, _)) = self.operand(func, *list) {
                    let varargs = self.blob(ObjectKind::Varargs(func), false);
                    let from = self.address(self.objects.anywhere(varargs));
                    self.solver.rule(var, Rule::StoreRegion { from, region: Region::Part });
                }
            }
            InstKind::VaArg(list) => {
                let (to, count) = self.value(func, value, inst.ty);
                if let Some((var, _)) = self.operand(func, *list) {
                    let area = self.solver.var();
                    self.solver.rule(var, Rule::LoadRegion { to: area, region: Region::Part });
                    for i in 0..count {
                        let to = VarId(to.0 + i);
                        self.solver.rule(area, Rule::LoadRegion { to, region: Region::Object });
                    }
                }
            }
            InstKind::VaCopy { to, from } => {
                if let (Some((to, _)), Some((from, _))) = (self.operand(func, *to), self.operand(func, *from)) {
                    let list = self.solver.var();
                    self.solver.rule(from, Rule::LoadRegion { to: list, region: Region::Part });
                    self.solver.rule(to, Rule::StoreRegion { from: list, region: Region::Part });
                }
            }
            InstKind::Alloca { .. } => {
                let kind = ObjectKind::Heap { at: (func, value), callee: None, through: Vec::new() };
                let ty = self.wrappers.element(func, value);
                let object = self.heap(kind, ty, false);
                let var = self.address(self.objects.start(object));
                self.alias(func, value, var);
            }
            InstKind::Asm(asm) => {
                let operands: Vec<Operand> =
                    asm.inputs.iter().map(|(_, op)| *op).chain(asm.memory.iter().copied()).collect();
                self.anything(func, value, &operands);
            }
            InstKind::AsmOutput { asm, .. } => {
                let var = self.anything(func, *asm, &[]);
                self.alias_all(func, value, inst.ty, var);
            }
            InstKind::StandIn { operands, .. } => {
                let var = self.anything(func, value, operands);
                self.alias_all(func, value, inst.ty, var);
            }
        }
    }
    /// A value that may be any of the places in a variable.
    fn alias_all(&mut self, func: FuncId, value: ValueId, ty: TypeId, var: VarId) {
        if ty != Types::VOID {
            let (to, count) = self.value(func, value, ty);
            (0..count).for_each(|i| self.solver.edge(var, VarId(to.0 + i)));
        }
    }
    /// A number computed from others, which may be pointers.
    fn computed(&mut self, func: FuncId, body: &Body, value: ValueId, wanted: bool, operands: &[Operand]) {
        let ty = body.insts[value].ty;
        let model = &self.program.types.model;
        if !wanted || self.program.types.size_of(ty).is_none_or(|size| size < model.pointer_size) {
            return;
        }
        for operand in operands {
            if let Some((var, 1)) = self.operand(func, *operand) {
                let (to, _) = self.value(func, value, ty);
                self.solver.rule(var, Rule::Anywhere { to });
            }
        }
    }
    /// What nothing is known of: it reads and writes all that is reached from some operands. The variable of that.
    pub fn anything(&mut self, func: FuncId, at: ValueId, operands: &[Operand]) -> VarId {
        let var = *self.reached.entry((func, at)).or_insert_with(|| self.solver.var());
        self.solver.rule(var, Rule::LoadWhole { to: var });
        self.solver.rule(var, Rule::StoreWhole { from: var });
        for operand in operands {
            if let Some((from, count)) = self.operand(func, *operand) {
                (0..count).for_each(|i| self.solver.edge(VarId(from.0 + i), var));
            }
        }
        var
    }
    /// Notes that a call reaches a function.
    pub fn note(&mut self, site: SiteId, callee: FuncId) -> bool {
        let Site { func, call, reason, external, .. } = self.sites[site];
        self.targets.entry((func, call)).or_default().insert(Target { callee, reason, external })
    }
    /// Where a function's result is.
    pub fn result_of(&self, func: FuncId) -> Option<(VarId, u32)> {
        self.results[func]
    }
    /// Where the result of a call goes.
    pub fn result_at(&mut self, func: FuncId, call: ValueId) -> Option<(VarId, u32)> {
        let ty = self.program.functions[func].body.as_ref()?.insts[call].ty;
        (ty != Types::VOID).then(|| self.value(func, call, ty))
    }
}

/// A string literal. Nobody may write one, so they need not be told apart.
fn is_literal(global: &Global) -> bool {
    global.name.starts_with(".str")
}

/// The bytes that an access touches.
pub fn access_size(types: &Types, access: &Access) -> u64 {
    access.bits.map_or_else(|| types.size_of(access.ty).unwrap_or(0), Bits::bytes)
}

/// Whether a conversion keeps pointers: between types as wide as `int` or wider, which descriptors of files go through.
fn carries(types: &Types, from: TypeId, to: TypeId) -> bool {
    let wide = |ty: TypeId| match types.get(ty) {
        Type::Pointer(_) | Type::Vector { .. } | Type::Record(_) | Type::Array { .. } => true,
        Type::Int(_) | Type::Enum(_) => {
            types.size_of(ty).is_some_and(|size| size >= types.model.int_size(IntKind::Int))
        }
        Type::Void | Type::Bool | Type::Float(_) | Type::Complex(_) | Type::Function(_) => false,
    };
    from == to || (wide(from) && wide(to))
}
