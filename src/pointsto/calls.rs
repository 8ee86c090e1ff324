//! The constraints of calls: arguments and results, what models say, callbacks, threads, and what nobody knows.

use super::bodies::{Analysis, Site};
use super::effects::{Bond, Extent, regions};
use super::objects::{ObjectId, ObjectKind, PlaceId};
use super::solver::{Region, Rule, SiteId, VarId};
use super::wrappers::allocates;
use super::{Reason, body_of};
use crate::ir::*;
use crate::policy::UnknownFunctions;
use crate::policy::model::{Flow, Model, Spot};

/// Calls of wrappers by wrappers are told apart this deep.
const DEPTH: usize = 4;

/// A call of a function that has a model.
struct Modelled<'m> {
    func: FuncId,
    call: ValueId,
    callee: FuncId,
    model: &'m Model,
    args: Vec<Operand>,
    extent: Extent,
}

impl Analysis<'_> {
    /// A call instruction.
    pub(super) fn call(&mut self, func: FuncId, call: ValueId, callee: &Callee, args: &[Operand]) {
        let arguments = args.iter().map(|arg| self.operand(func, *arg)).collect();
        let result = self.result_at(func, call);
        let site = self.sites.push(Site {
            func,
            call,
            reason: Reason::Called,
            external: None,
            args: arguments,
            mixed: false,
            result,
        });
        match callee {
            Callee::Direct(callee) => self.bind(site, *callee),
            Callee::Indirect(operand) => {
                if let Some((var, _)) = self.operand(func, *operand) {
                    self.solver.rule(var, Rule::Call { site });
                }
            }
        }
    }
    /// A site calls what is at a place.
    pub(super) fn reach_place(&mut self, site: SiteId, place: PlaceId) {
        match self.objects.get(self.objects.of_place(place)).kind {
            ObjectKind::Function(callee) => {
                if self.fits(site, callee) {
                    self.bind(site, callee);
                }
            }
            ObjectKind::World => {
                let Site { func, call, .. } = self.sites[site];
                self.unknown_calls.insert((func, call));
                if !self.outside_sites.contains(&site) {
                    self.outside_sites.push(site);
                    self.hand_out(site);
                    for func in self.escaped_functions.clone() {
                        self.call_outside(site, func);
                    }
                }
            }
            ObjectKind::Global(_)
            | ObjectKind::Local(..)
            | ObjectKind::Heap { .. }
            | ObjectKind::Varargs(_)
            | ObjectKind::State(_)
            | ObjectKind::Stream(_)
            | ObjectKind::Errno
            | ObjectKind::Library(_)
            | ObjectKind::Literals
            | ObjectKind::Address(_) => {}
        }
    }
    /// A site that calls what is outside calls a function that is known there.
    pub(super) fn call_outside(&mut self, site: SiteId, callee: FuncId) {
        if self.fits(site, callee) {
            self.bind(site, callee);
        }
    }
    /// Arguments get outside, and the result comes from there.
    fn hand_out(&mut self, site: SiteId) {
        let Site { func, call, args, result, .. } = self.sites[site].clone();
        for (from, count) in args.into_iter().flatten() {
            self.tell_world(from, count);
        }
        let outside = self.outside();
        if let Some((to, count)) = result
            && self.holds_pointers(func, call)
        {
            (0..count).for_each(|i| self.solver.add(VarId(to.0 + i), outside));
        }
    }
    /// Whether a call through a pointer may be one of this function: it passes what the function takes. Others are undefined.
    fn fits(&self, site: SiteId, callee: FuncId) -> bool {
        let Site { func, call, reason, .. } = self.sites[site];
        if reason != Reason::Called {
            return true;
        }
        let Some(body) = &self.program.functions[func].body else { return true };
        let InstKind::Call { args, .. } = &body.insts[call].kind else { return true };
        let types: Vec<TypeId> = args.iter().map(|arg| self.program.operand_type(body, *arg)).collect();
        super::accepts(self.program, callee, &types)
    }
    /// A site calls a function.
    fn bind(&mut self, site: SiteId, callee: FuncId) {
        if !self.note(site, callee) {
            return;
        }
        let program = self.program;
        if let Some(body) = body_of(program, self.models, callee) {
            self.reach(callee);
            self.pass(site, callee, body);
            return;
        }
        let models = self.models;
        match models.of(&program.functions[callee]) {
            Some(model) => self.model(site, callee, model),
            None => self.unknown_call(site, callee),
        }
    }
    /// Arguments to parameters, the result to the call.
    fn pass(&mut self, site: SiteId, callee: FuncId, body: &Body) {
        let Site { args, mixed, result, func, call, reason, .. } = self.sites[site].clone();
        for (i, param) in body.params.iter().enumerate() {
            let Some((to, count)) = self.operand(callee, Operand::Value(*param)) else { continue };
            if mixed {
                // Any argument may be any parameter.
                for (from, _) in args.iter().flatten() {
                    (0..count).for_each(|leaf| self.solver.edge(*from, VarId(to.0 + leaf)));
                }
            } else if let Some(Some((from, given))) = args.get(i) {
                if *given == count {
                    self.solver.edges(*from, to, count);
                } else {
                    for a in 0..*given {
                        (0..count).for_each(|b| self.solver.edge(VarId(from.0 + a), VarId(to.0 + b)));
                    }
                }
            }
        }
        let variadic = self.program.types.as_function(self.program.functions[callee].ty).is_some_and(|f| f.variadic);
        if variadic {
            let varargs = self.blob(ObjectKind::Varargs(callee), false);
            let skipped = if mixed { 0 } else { body.params.len() };
            for (from, count) in args.iter().skip(skipped).flatten() {
                for cell in self.objects.cells(varargs) {
                    (0..*count).for_each(|i| self.solver.edge(VarId(from.0 + i), self.solver.cell(cell)));
                }
            }
        }
        match (reason, self.result_of(callee)) {
            (Reason::Called, Some((from, count))) => {
                let Some((to, wanted)) = result else { return };
                if self.wrappers.is_wrapper(callee) && count == 1 && wanted == 1 {
                    self.solver.rule(from, Rule::Clone { to, site, callee });
                } else if count == wanted {
                    self.solver.edges(from, to, count);
                } else {
                    for a in 0..count {
                        (0..wanted).for_each(|b| self.solver.edge(VarId(from.0 + a), VarId(to.0 + b)));
                    }
                }
            }
            (Reason::Thread(_), Some((from, _))) => {
                let state = self.state("threads");
                for cell in self.objects.cells(state) {
                    self.solver.edge(from, self.solver.cell(cell));
                }
            }
            (Reason::Unknown, Some((from, _))) => {
                if let Some(var) = self.reached.get(&(func, call)) {
                    self.solver.edge(from, *var);
                }
            }
            (Reason::Callback(_), _) | (_, None) => {}
        }
    }
    /// A place comes back from a wrapper: an object that it made for its caller is the call's own.
    pub(super) fn come_back(&mut self, site: SiteId, callee: FuncId, to: VarId, place: PlaceId) {
        let Site { func, call, .. } = self.sites[site];
        let object = self.objects.of_place(place);
        let own = match &self.objects.get(object).kind {
            ObjectKind::Heap { at, callee: maker, through } => {
                let maker_call = through.first().copied().unwrap_or(*at);
                let handed = maker_call.0 == callee && self.wrappers.is_handed(callee, maker_call.1);
                (handed && through.len() < DEPTH).then(|| {
                    let mut through = through.clone();
                    through.insert(0, (func, call));
                    ObjectKind::Heap { at: *at, callee: *maker, through }
                })
            }
            _ => None,
        };
        let Some(kind) = own else {
            self.solver.add(to, place);
            return;
        };
        let opaque = self.objects.get(object).opaque;
        let inside = self.objects.shape(object).parts().get(1).or(self.objects.shape(object).parts().first());
        let inside = inside.map(|part| part.ty).filter(|ty| *ty != Types::VOID);
        let is_new = self.objects.find(&kind).is_none();
        let ty = if opaque { None } else { self.wrappers.element(func, call).or(inside) };
        let clone = self.heap(kind, ty, opaque);
        self.clones.entry((func, call)).or_default().insert(object, clone);
        if is_new {
            let (from, into) = (self.objects.cells(object), self.objects.cells(clone));
            let alike = self.objects.get(object).shape == self.objects.get(clone).shape;
            for (i, a) in from.into_iter().enumerate() {
                for (j, b) in into.into_iter().enumerate() {
                    if !alike || i == j {
                        self.solver.edge(self.solver.cell(a), self.solver.cell(b));
                    }
                }
            }
        }
        let same = self.objects.get(object).shape == self.objects.get(clone).shape;
        let back = if self.objects.start(object) == place || self.objects.place(object, Some(0)) == place {
            self.objects.start(clone)
        } else if same {
            PlaceId(place.0 - self.objects.anywhere(object).0 + self.objects.anywhere(clone).0)
        } else {
            self.objects.anywhere(clone)
        };
        self.solver.add(to, back);
    }

    // What nobody knows.

    /// A call of a function without body and model.
    fn unknown_call(&mut self, site: SiteId, callee: FuncId) {
        let Site { func, call, args, result, .. } = self.sites[site].clone();
        let var = *self.reached.entry((func, call)).or_insert_with(|| self.solver.var());
        for (from, count) in args.iter().flatten() {
            (0..*count).for_each(|i| self.solver.edge(VarId(from.0 + i), var));
        }
        match self.options.unknown {
            UnknownFunctions::Pure => {}
            UnknownFunctions::Arguments => {
                self.solver.rule(var, Rule::LoadWhole { to: var });
                self.solver.rule(var, Rule::StoreWhole { from: var });
            }
            UnknownFunctions::Everything => {
                self.hand_out(site);
                self.let_globals_out();
            }
        }
        if self.options.unknown != UnknownFunctions::Pure {
            // It may call what it gets.
            let (args, external, reason) = (vec![Some((var, 1))], Some(callee), Reason::Unknown);
            let inner = self.sites.push(Site { func, call, reason, external, args, mixed: true, result: None });
            self.solver.rule(var, Rule::Call { site: inner });
        }
        let outside = self.outside();
        if let Some((to, count)) = result {
            let holds = self.holds_pointers(func, call);
            for i in 0..count {
                self.solver.edge(var, VarId(to.0 + i));
                if holds {
                    self.solver.add(VarId(to.0 + i), outside);
                }
            }
        }
    }
    /// Whether the result of a call is wide enough for a pointer.
    fn holds_pointers(&self, func: FuncId, call: ValueId) -> bool {
        let types = &self.program.types;
        let Some(body) = &self.program.functions[func].body else { return false };
        let ty = body.insts[call].ty;
        types.pointee(ty).is_some() || types.is_aggregate(ty)
    }
    /// Variables that other units can name become known outside.
    fn let_globals_out(&mut self) {
        let program = self.program;
        for (id, global) in program.globals.enumerate() {
            if global.linkage != Linkage::Internal {
                let object = self.global(id);
                self.escape(self.objects.anywhere(object));
            }
        }
    }

    // Models.

    fn model(&mut self, site: SiteId, callee: FuncId, model: &Model) {
        let Site { func, call, reason, ref args, result, .. } = self.sites[site];
        let program = self.program;
        if reason != Reason::Called {
            // A library function as a callback: its arguments are what the caller passes, which may be anything of it.
            let args = args.clone();
            let var = *self.reached.entry((func, call)).or_insert_with(|| self.solver.var());
            for (from, _) in args.iter().flatten() {
                self.solver.edge(*from, var);
            }
            self.solver.rule(var, Rule::LoadWhole { to: var });
            self.solver.rule(var, Rule::StoreWhole { from: var });
            return;
        }
        let Some(body) = &program.functions[func].body else { return };
        let InstKind::Call { args: operands, .. } = &body.insts[call].kind else { return };
        let extent = regions(program, body, &program.functions[callee], model, operands);
        let at = Modelled { func, call, callee, model, args: operands.clone(), extent };
        let to_result = model.flows.iter().filter(|flow| flow.target == Spot::Return);
        let several = to_result.clone().count() > 1 || to_result.clone().any(|flow| flow.sources.len() > 1);
        // Hidden objects are there for all flows, also those that carry no pointer.
        for spot in model.flows.iter().flat_map(|flow| flow.sources.iter().chain([&flow.target])) {
            self.mention(&at, spot);
        }
        for flow in model.flows.iter().filter(|flow| flow.carries) {
            if self.copied(&at, flow) {
                continue;
            }
            for source in &flow.sources {
                let Some(mut from) = self.source(&at, source) else { continue };
                if flow.target == Spot::Return && several && matches!(source, Spot::Value(_) | Spot::Values(_)) {
                    let into = self.solver.var();
                    self.solver.rule(from, Rule::Into { to: into });
                    from = into;
                }
                self.target(&at, &flow.target, from, result);
            }
        }
        for (index, callback) in model.callbacks.iter().enumerate() {
            let (args, mixed) = match &callback.arguments {
                Some(spots) => (spots.iter().map(|spot| self.callback_argument(&at, spot)).collect(), false),
                None => (vec![Some((self.closure(&at, 1), 1))], true),
            };
            self.later(&at, callback.function, Reason::Callback(index as u32), args, mixed);
        }
        for (index, thread) in model.threads.iter().enumerate() {
            let args = match thread.argument {
                Some(n) => vec![self.argument(&at, n).map(|var| (var, 1))],
                None => Vec::new(),
            };
            self.later(&at, thread.entry, Reason::Thread(index as u32), args, true);
        }
    }
    /// A function that the modelled one calls or starts.
    fn later(
        &mut self,
        at: &Modelled<'_>,
        argument: u32,
        reason: Reason,
        args: Vec<Option<(VarId, u32)>>,
        mixed: bool,
    ) {
        let Some(var) = self.argument(at, argument) else { return };
        let external = Some(at.callee);
        let site = self.sites.push(Site { func: at.func, call: at.call, reason, external, args, mixed, result: None });
        self.solver.rule(var, Rule::Call { site });
        // Or what is found in the memory it points to.
        let inside = self.solver.var();
        self.solver.rule(var, Rule::LoadRegion { to: inside, region: Region::Part });
        self.solver.rule(inside, Rule::Call { site });
    }
    /// What a callback gets: of an argument that is passed on, any address in the same object.
    fn callback_argument(&mut self, at: &Modelled<'_>, spot: &Spot) -> Option<(VarId, u32)> {
        let from = self.source(at, spot)?;
        if !matches!(spot, Spot::Value(_) | Spot::Values(_)) {
            return Some((from, 1));
        }
        let to = self.solver.var();
        self.solver.rule(from, Rule::Into { to });
        self.solver.edge(from, to);
        Some((to, 1))
    }
    /// `object 1 <- object 2`: memory is copied, member by member where the types agree.
    fn copied(&mut self, at: &Modelled<'_>, flow: &Flow) -> bool {
        let [Spot::Object(from)] = flow.sources.as_slice() else { return false };
        let (to, to_region) = match &flow.target {
            Spot::Object(to) => (self.argument(at, *to), at.extent.argument(*to)),
            Spot::New => {
                let object = self.fresh(at);
                (Some(self.address(self.objects.start(object))), Region::Object)
            }
            _ => return false,
        };
        let from_region = at.extent.argument(*from);
        if let (Some(to), Some(from)) = (to, self.argument(at, *from)) {
            self.solver.rule(to, Rule::CopyFrom { from, to_region, from_region });
            self.solver.rule(from, Rule::CopyTo { to, to_region, from_region });
        }
        true
    }
    fn argument(&mut self, at: &Modelled<'_>, n: u32) -> Option<VarId> {
        let operand = at.args.get(n as usize - 1)?;
        self.operand(at.func, *operand).map(|(var, _)| var)
    }
    /// The object that a call makes.
    fn fresh(&mut self, at: &Modelled<'_>) -> ObjectId {
        let callee = &self.program.functions[at.callee];
        let result = self.program.types.as_function(callee.ty).map(|f| f.result);
        let plain = |ty: TypeId| {
            let to = self.program.types.pointee(ty);
            to.is_some_and(|to| self.program.types.size_of(to.ty).is_none_or(|size| size <= 1))
        };
        // Memory, or a file or the like.
        let memory = result.is_some_and(plain) || !allocates(at.model);
        let kind = ObjectKind::Heap { at: (at.func, at.call), callee: Some(at.callee), through: Vec::new() };
        let ty = if memory && allocates(at.model) { self.wrappers.element(at.func, at.call) } else { None };
        self.heap(kind, ty, !memory)
    }
    /// All that is reached from some arguments.
    fn closure(&mut self, at: &Modelled<'_>, from: u32) -> VarId {
        let var = self.solver.var();
        for n in from..=at.args.len() as u32 {
            if let Some(argument) = self.argument(at, n) {
                self.solver.edge(argument, var);
            }
        }
        self.solver.rule(var, Rule::LoadWhole { to: var });
        var
    }
    /// The variable of what a spot gives.
    fn source(&mut self, at: &Modelled<'_>, spot: &Spot) -> Option<VarId> {
        let load = |analysis: &mut Self, var: VarId, region: Region| {
            let to = analysis.solver.var();
            analysis.solver.rule(var, Rule::LoadRegion { to, region });
            to
        };
        match spot {
            Spot::Return | Spot::Input => None,
            Spot::Value(n) => self.argument(at, *n),
            Spot::Values(n) => {
                let var = self.solver.var();
                for n in *n..=at.args.len() as u32 {
                    if let Some(argument) = self.argument(at, n) {
                        self.solver.edge(argument, var);
                    }
                }
                Some(var)
            }
            Spot::Object(n) => {
                let argument = self.argument(at, *n)?;
                Some(load(self, argument, at.extent.argument(*n)))
            }
            Spot::Objects(n) => {
                let var = self.solver.var();
                for n in *n..=at.args.len() as u32 {
                    if let Some(argument) = self.argument(at, n) {
                        self.solver.rule(argument, Rule::LoadRegion { to: var, region: at.extent.argument(n) });
                    }
                }
                Some(var)
            }
            Spot::Memory(n) => {
                let var = self.solver.var();
                let argument = self.argument(at, *n)?;
                self.solver.edge(argument, var);
                self.solver.rule(var, Rule::LoadWhole { to: var });
                Some(var)
            }
            Spot::Memories(n) => Some(self.closure(at, *n)),
            Spot::Global(_) | Spot::Stream(_) | Spot::State(_) | Spot::Errno | Spot::New => {
                let object = self.spot_object(at, spot)?;
                let start = if *spot == Spot::New { self.objects.start(object) } else { self.objects.anywhere(object) };
                let address = self.address(start);
                if *spot == Spot::New { Some(address) } else { Some(load(self, address, Region::Object)) }
            }
            Spot::File(n) => {
                let address = self.file(at, *n)?;
                Some(load(self, address, Region::Object))
            }
            Spot::Address(of) => {
                let object = self.spot_object(at, of)?;
                Some(self.address(self.objects.place(object, Some(0))))
            }
            Spot::Reached(from) => {
                let object = self.spot_object(at, from)?;
                let var = self.solver.var();
                let address = self.address(self.objects.anywhere(object));
                self.solver.edge(address, var);
                self.solver.rule(var, Rule::LoadWhole { to: var });
                Some(var)
            }
        }
    }
    /// A spot gets what a variable holds.
    fn target(&mut self, at: &Modelled<'_>, spot: &Spot, from: VarId, result: Option<(VarId, u32)>) {
        match spot {
            Spot::Return => {
                if let Some((to, count)) = result {
                    (0..count).for_each(|i| self.solver.edge(from, VarId(to.0 + i)));
                }
            }
            Spot::Object(n) => {
                if let Some(argument) = self.argument(at, *n) {
                    self.solver.rule(argument, Rule::StoreRegion { from, region: at.extent.argument(*n) });
                }
            }
            Spot::Objects(n) => {
                for n in *n..=at.args.len() as u32 {
                    if let Some(argument) = self.argument(at, n) {
                        self.solver.rule(argument, Rule::StoreRegion { from, region: at.extent.argument(n) });
                    }
                }
            }
            Spot::Memory(_) | Spot::Memories(_) | Spot::Reached(_) => {
                if let Some(reached) = self.source(at, spot) {
                    self.solver.rule(reached, Rule::StoreWhole { from });
                }
            }
            Spot::Global(_) | Spot::Stream(_) | Spot::State(_) | Spot::Errno | Spot::New => {
                if let Some(object) = self.spot_object(at, spot) {
                    let address = self.address(self.objects.anywhere(object));
                    self.solver.rule(address, Rule::StoreRegion { from, region: Region::Object });
                }
            }
            Spot::File(n) => {
                if let Some(address) = self.file(at, *n) {
                    self.solver.rule(address, Rule::StoreRegion { from, region: Region::Object });
                }
            }
            Spot::Value(_) | Spot::Values(_) | Spot::Input | Spot::Address(_) => {}
        }
    }
    /// The variable of the files that an argument stands for.
    fn file(&mut self, at: &Modelled<'_>, n: u32) -> Option<VarId> {
        let operand = *at.args.get(n as usize - 1)?;
        let body = self.program.functions[at.func].body.as_ref()?;
        let object = match Bond::of(self.program, body, operand) {
            Bond::Held => return self.argument(at, n),
            Bond::Path => self.state("files"),
            Bond::Standard(name) => self.stream(name),
        };
        Some(self.address(self.objects.anywhere(object)))
    }
    /// Makes the objects that a spot names.
    fn mention(&mut self, at: &Modelled<'_>, spot: &Spot) {
        match spot {
            Spot::Global(_) | Spot::Stream(_) | Spot::State(_) | Spot::Errno | Spot::New => {
                self.spot_object(at, spot);
            }
            Spot::Address(of) | Spot::Reached(of) => self.mention(at, of),
            Spot::File(n) => {
                self.file(at, *n);
            }
            Spot::Return
            | Spot::Value(_)
            | Spot::Values(_)
            | Spot::Object(_)
            | Spot::Objects(_)
            | Spot::Memory(_)
            | Spot::Memories(_)
            | Spot::Input => {}
        }
    }
    /// The object that a spot names.
    fn spot_object(&mut self, at: &Modelled<'_>, spot: &Spot) -> Option<ObjectId> {
        match spot {
            Spot::Global(name) => Some(self.named(name)),
            Spot::Stream(name) => Some(self.stream(name)),
            Spot::State(name) => Some(self.state(name)),
            Spot::Errno => Some(self.blob(ObjectKind::Errno, false)),
            Spot::New => Some(self.fresh(at)),
            Spot::Return
            | Spot::Value(_)
            | Spot::Values(_)
            | Spot::Object(_)
            | Spot::Objects(_)
            | Spot::Memory(_)
            | Spot::Memories(_)
            | Spot::Input
            | Spot::File(_)
            | Spot::Address(_)
            | Spot::Reached(_) => None,
        }
    }
}
