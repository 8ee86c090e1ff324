//! What is there before anything runs: static contents, what entries get, and what is known outside.

use super::bodies::Analysis;
use super::objects::{ObjectKind, PlaceId};
use super::solver::{Rule, VarId};
use crate::ir::*;
use crate::models;
use crate::policy::model::Spot;

impl Analysis<'_> {
    pub(super) fn world(&mut self) {
        let world = self.blob(ObjectKind::World, false);
        let place = self.objects.anywhere(world);
        self.hold(world, place);
        for cell in self.objects.cells(world) {
            self.solver.seal(self.solver.cell(cell));
        }
    }
    /// An object becomes known outside: who knows it may read and change it, and call it. Memory that was allocated is one with what is there.
    pub(super) fn escape(&mut self, place: PlaceId) {
        let object = self.objects.of_place(place);
        if !self.escaped.insert(object) {
            return;
        }
        let cells = self.objects.cells(object);
        match self.objects.get(object).kind {
            ObjectKind::World => {}
            ObjectKind::Function(func) => {
                self.escaped_functions.push(func);
                if self.is_library() {
                    // Callers may call what they got hold of, though others cannot name it.
                    self.enter(func);
                }
                for site in self.outside_sites.clone() {
                    self.call_outside(site, func);
                }
            }
            ObjectKind::Heap { .. } => {
                self.objects.let_out(object);
                for outside in self.objects.cells(object) {
                    for cell in cells {
                        let (a, b) = (self.solver.cell(cell), self.solver.cell(outside));
                        self.solver.edge(a, b);
                        self.solver.edge(b, a);
                    }
                }
            }
            ObjectKind::Global(_)
            | ObjectKind::Local(..)
            | ObjectKind::Varargs(_)
            | ObjectKind::State(_)
            | ObjectKind::Stream(_)
            | ObjectKind::Errno
            | ObjectKind::Library(_)
            | ObjectKind::Literals
            | ObjectKind::Address(_) => {
                let outside = self.outside();
                for cell in cells {
                    let var = self.solver.cell(cell);
                    self.solver.add(var, outside);
                    self.solver.rule(var, Rule::Escape);
                }
            }
        }
    }
    /// What nobody knows.
    pub(super) fn outside(&self) -> PlaceId {
        let world = self.objects.find(&ObjectKind::World).expect("made first");
        self.objects.anywhere(world)
    }
    /// The contents of static objects.
    pub(super) fn statics(&mut self) {
        let program = self.program;
        for (id, global) in program.globals.enumerate() {
            match &global.definition {
                GlobalDef::Defined(content) => {
                    for (offset, item) in &content.items {
                        let InitItem::Address { target, addend } = item else { continue };
                        let place = match target {
                            InitTarget::Global(of) => {
                                let object = self.global(*of);
                                self.objects.place(object, self.objects.shape(object).at(*addend))
                            }
                            InitTarget::Function(func) => {
                                let object = self.blob(ObjectKind::Function(*func), true);
                                self.objects.place(object, Some(0))
                            }
                            InitTarget::Label(..) => continue,
                        };
                        let object = self.global(id);
                        match self.objects.shape(object).leaf_at(*offset) {
                            Some(leaf) => {
                                let cell = self.objects.cells(object).into_iter().nth(leaf as usize);
                                let var = self.solver.cell(cell.expect("a leaf is a cell"));
                                self.solver.add(var, place);
                            }
                            None => self.hold(object, place),
                        }
                    }
                }
                GlobalDef::Declared => {
                    let object = self.global(id);
                    let place = match models::pointee(&global.name) {
                        Some(Spot::Stream(name)) => {
                            let stream = self.stream(&name);
                            self.objects.anywhere(stream)
                        }
                        Some(Spot::State(name)) => {
                            let state = self.state(&name);
                            self.objects.anywhere(state)
                        }
                        _ => self.outside(),
                    };
                    self.hold(object, place);
                }
                GlobalDef::Tentative | GlobalDef::Alias(_) => {}
            }
        }
    }
    /// Entries, and what they get.
    pub(super) fn start(&mut self) {
        let program = self.program;
        for func in program.constructors.iter().chain(&program.destructors).chain(&self.options.threads) {
            self.reach(*func);
        }
        self.threads();
        for func in self.options.entries.clone() {
            self.enter(func);
        }
        if self.is_library() {
            // Who calls the library may change what it can name.
            let visible = |g: &Global| g.linkage != Linkage::Internal;
            for (id, _) in program.globals.enumerate().filter(|(_, g)| visible(g)) {
                let object = self.global(id);
                self.escape(self.objects.anywhere(object));
            }
        }
    }
    /// Whether callers that nobody knows call the entries.
    pub(super) fn is_library(&self) -> bool {
        !self.options.entries.iter().any(|f| self.program.functions[*f].name == "main")
    }
    /// A run may start here: the system calls `main`, and callers that nobody knows call the rest.
    fn enter(&mut self, func: FuncId) {
        let program = self.program;
        self.reach(func);
        let place = if program.functions[func].name == "main" {
            let state = self.state("arguments");
            self.objects.anywhere(state)
        } else {
            self.outside()
        };
        let Some(body) = &program.functions[func].body else { return };
        let holds = |ty: TypeId| program.types.pointee(ty).is_some() || program.types.is_aggregate(ty);
        for param in body.params.iter().filter(|param| holds(body.insts[**param].ty)) {
            if let Some((var, count)) = self.operand(func, Operand::Value(*param)) {
                (0..count).for_each(|i| self.solver.add(VarId(var.0 + i), place));
            }
        }
        if program.types.as_function(program.functions[func].ty).is_some_and(|f| f.variadic) {
            let varargs = self.blob(ObjectKind::Varargs(func), false);
            self.hold(varargs, place);
        }
        if self.is_library()
            && let Some((var, count)) = self.results[func]
        {
            self.tell_world(var, count);
        }
    }
    /// What is outside may hold these.
    pub(super) fn tell_world(&mut self, var: VarId, count: u32) {
        let world = self.objects.of_place(self.outside());
        for cell in self.objects.cells(world) {
            (0..count).for_each(|i| self.solver.edge(VarId(var.0 + i), self.solver.cell(cell)));
        }
    }
}
