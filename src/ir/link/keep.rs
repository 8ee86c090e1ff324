//! What stays in the linked program: everything that is defined, and what that refers to. Headers declare hundreds of functions
//! that nothing uses; these go, as do literals and static locals of definitions that lost.
//!
//! Cost: one walk over all bodies and initialisers.

use super::super::syntax::{
    Callee, FuncId, Function, Global, GlobalDef, GlobalId, InitItem, InitTarget, InstKind, Operand, Program,
};
use super::symbols::{Base, Item, Resolved};
use crate::base::id::Id;

/// Items that something kept refers to, and entities that are kept.
pub(super) struct Marks {
    pub used: Vec<bool>,
    pub kept: Vec<bool>,
}

impl Marks {
    fn new(len: usize) -> Marks {
        Marks { used: vec![false; len], kept: vec![false; len] }
    }
}

/// One kind of symbol: its items and what they mean.
pub(super) struct Kind<'a> {
    pub base: Base,
    pub items: Vec<Item<'a>>,
    pub resolved: Resolved<'a>,
}

struct Walk<'a> {
    units: &'a [Program],
    functions: &'a Kind<'a>,
    globals: &'a Kind<'a>,
    function_marks: Marks,
    global_marks: Marks,
    /// Entities whose content is still to be looked at.
    waiting: Vec<Entity>,
}

enum Entity {
    Function(usize),
    Global(usize),
}

/// Marks functions and globals.
pub(super) fn mark(units: &[Program], functions: &Kind<'_>, globals: &Kind<'_>) -> (Marks, Marks) {
    let mut walk = Walk {
        units,
        functions,
        globals,
        function_marks: Marks::new(functions.items.len()),
        global_marks: Marks::new(globals.items.len()),
        waiting: Vec::new(),
    };
    // An item that is its own entity and is defined stays; literals and static locals depend on who refers to them.
    for (i, item) in functions.items.iter().enumerate() {
        if item.defined && functions.resolved.entity[i] == i {
            walk.keep_function(i);
        }
    }
    for (i, item) in globals.items.iter().enumerate() {
        let global = global_at(units, &globals.base, item, i);
        let own = match global.owner {
            Some(owner) => {
                let owner = functions.base.at(item.unit, owner.index());
                functions.resolved.entity[owner] == owner && functions.items[owner].defined
            }
            None => !global.name.starts_with('.'),
        };
        if own && item.defined && globals.resolved.entity[i] == i {
            walk.keep_global(i);
        }
    }
    for (unit, program) in units.iter().enumerate() {
        for f in program.constructors.iter().chain(&program.destructors) {
            walk.use_function(unit, *f);
        }
    }
    while let Some(entity) = walk.waiting.pop() {
        match entity {
            Entity::Function(i) => walk.function(i),
            Entity::Global(i) => walk.global(i),
        }
    }
    (walk.function_marks, walk.global_marks)
}

/// The global that an item is.
pub(super) fn global_at<'a>(units: &'a [Program], base: &Base, item: &Item<'_>, i: usize) -> &'a Global {
    &units[item.unit].globals[GlobalId::new(i - base.of(item.unit).start)]
}

/// The function that an item is.
pub(super) fn function_at<'a>(units: &'a [Program], base: &Base, item: &Item<'_>, i: usize) -> &'a Function {
    &units[item.unit].functions[FuncId::new(i - base.of(item.unit).start)]
}

impl Walk<'_> {
    fn keep_function(&mut self, i: usize) {
        if !std::mem::replace(&mut self.function_marks.kept[i], true) {
            self.waiting.push(Entity::Function(i));
        }
    }

    fn keep_global(&mut self, i: usize) {
        if !std::mem::replace(&mut self.global_marks.kept[i], true) {
            self.waiting.push(Entity::Global(i));
        }
    }

    fn use_function(&mut self, unit: usize, f: FuncId) {
        let i = self.functions.base.at(unit, f.index());
        self.function_marks.used[i] = true;
        self.keep_function(self.functions.resolved.entity[i]);
    }

    fn use_global(&mut self, unit: usize, g: GlobalId) {
        let i = self.globals.base.at(unit, g.index());
        self.global_marks.used[i] = true;
        self.keep_global(self.globals.resolved.entity[i]);
    }

    fn operand(&mut self, unit: usize, op: Operand) {
        match op {
            Operand::Global(g) => self.use_global(unit, g),
            Operand::Function(f) => self.use_function(unit, f),
            Operand::Value(_) | Operand::Int(..) | Operand::Float(..) | Operand::Local(_) | Operand::Label(_) => {}
        }
    }

    fn function(&mut self, i: usize) {
        let units = self.units;
        let item = &self.functions.items[i];
        let Some(body) = &function_at(units, &self.functions.base, item, i).body else { return };
        let unit = item.unit;
        for inst in &body.insts {
            if let InstKind::Call { callee: Callee::Direct(f), .. } = &inst.kind {
                self.use_function(unit, *f);
            }
            inst.kind.for_each_operand(|op| self.operand(unit, *op));
        }
        for block in &body.blocks {
            if let Some(op) = block.term.operand() {
                self.operand(unit, *op);
            }
        }
    }

    fn global(&mut self, i: usize) {
        let units = self.units;
        let item = &self.globals.items[i];
        let unit = item.unit;
        let GlobalDef::Defined(init) = &global_at(units, &self.globals.base, item, i).definition else { return };
        for (_, piece) in &init.items {
            match piece {
                InitItem::Bytes(_) => {}
                InitItem::Address { target: InitTarget::Global(g), .. } => self.use_global(unit, *g),
                InitItem::Address { target: InitTarget::Function(f) | InitTarget::Label(f, _), .. } => {
                    self.use_function(unit, *f);
                }
            }
        }
    }
}
