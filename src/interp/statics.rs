//! Where functions, labels and static objects are, and what they hold at the start.
//!
//! Functions and labels have addresses without content: sixteen bytes each at the beginning of memory.

use rustc_hash::FxHashMap;

use super::libc;
use super::memory::{Fault, LINE, Memory};
use crate::base::IdVec;
use crate::base::id::Id;
use crate::ir::{FuncId, Global, GlobalDef, GlobalId, InitItem, InitTarget, LABEL_STRIDE, LabelId, Linkage, Program};

/// Bytes between the addresses of functions.
const STEP: u64 = 16;

/// All addresses.
#[derive(Debug)]
pub(super) struct Statics {
    base: u64,
    pub globals: IdVec<GlobalId, u64>,
    functions: IdVec<FuncId, u64>,
    /// The function that is run for each: itself, or what it is an alias of.
    pub resolved: IdVec<FuncId, FuncId>,
    /// The address of each function's first label.
    labels: IdVec<FuncId, u64>,
    /// External objects by the name the linker sees.
    pub names: FxHashMap<String, u64>,
    /// Bytes for all of it, from the start of memory.
    pub size: u64,
}

/// The name the linker sees.
pub(super) fn function_name(program: &Program, id: FuncId) -> &str {
    let function = &program.functions[id];
    function.link_name.as_deref().unwrap_or(&function.name)
}

fn global_name(global: &Global) -> &str {
    global.link_name.as_deref().unwrap_or(&global.name)
}

fn size_of(program: &Program, global: &Global) -> u64 {
    // A flexible array member's elements lie past the size of the type.
    let declared = program.types.size_of(global.ty.ty).unwrap_or(0);
    let filled = match &global.definition {
        GlobalDef::Defined(init) => init.items.last().map_or(0, |(at, item)| match item {
            InitItem::Bytes(bytes) => at + bytes.len() as u64,
            InitItem::Address { .. } => at + program.types.model.pointer_size,
        }),
        GlobalDef::Declared | GlobalDef::Tentative | GlobalDef::Alias(_) => 0,
    };
    declared.max(filled)
}

/// Whether the object exists: it is defined by the program or by libc.
fn has_storage(global: &Global) -> bool {
    match &global.definition {
        GlobalDef::Tentative | GlobalDef::Defined(_) => true,
        GlobalDef::Declared => libc::has_object(global_name(global)),
        GlobalDef::Alias(_) => false,
    }
}

/// Gives everything an address.
pub(super) fn place(program: &Program) -> Statics {
    let base = Memory::base_of(&program.types.model);
    let mut at = base + LINE;
    let by_name: FxHashMap<&str, FuncId> = program
        .functions
        .enumerate()
        .filter(|(_, f)| f.linkage != Linkage::Internal || f.body.is_some())
        .map(|(id, _)| (function_name(program, id), id))
        .collect();
    let mut resolved: IdVec<FuncId, FuncId> = program.functions.ids().collect();
    for (id, function) in program.functions.enumerate() {
        if let Some(target) = function.alias.as_deref().and_then(|name| by_name.get(name)) {
            resolved[id] = *target;
        }
    }
    let mut functions = IdVec::filled(0, program.functions.len());
    for id in program.functions.ids() {
        functions[id] = at;
        at += STEP;
    }
    let mut labels = IdVec::filled(0, program.functions.len());
    for (id, function) in program.functions.enumerate() {
        labels[id] = at;
        at += LABEL_STRIDE * function.body.as_ref().map_or(0, |b| b.labels.len() as u64);
    }
    for (id, function) in program.functions.enumerate() {
        let name = function_name(program, id);
        // A weak function that nobody defines has no address.
        if function.linkage == Linkage::Weak
            && function.body.is_none()
            && resolved[id] == id
            && libc::find(name).is_none()
        {
            functions[id] = 0;
        } else {
            functions[id] = functions[resolved[id]];
        }
    }
    let mut globals: IdVec<GlobalId, u64> = IdVec::filled(0, program.globals.len());
    let mut names = FxHashMap::default();
    for (id, global) in program.globals.enumerate() {
        if matches!(global.definition, GlobalDef::Alias(_)) || (global.linkage == Linkage::Weak && !has_storage(global))
        {
            continue;
        }
        let align = global.align.max(if program.types.model.pointer_size > 2 { 8 } else { 1 });
        at = at.div_ceil(align) * align;
        globals[id] = at;
        if global.linkage != Linkage::Internal && has_storage(global) {
            names.insert(global_name(global).to_string(), at);
        }
        let gap = if program.types.model.pointer_size > 2 { 16 } else { 1 };
        // What is too large for any address space is told from the sum.
        at = at.saturating_add(size_of(program, global).max(1).saturating_add(gap)).min(1 << 60);
    }
    for (id, global) in program.globals.enumerate() {
        if let GlobalDef::Alias(target) = &global.definition {
            let addr = names.get(target).copied();
            let internal =
                || program.globals.enumerate().find(|(_, g)| global_name(g) == target).map(|(i, _)| globals[i]);
            globals[id] = addr.or_else(internal).unwrap_or(0);
        }
    }
    Statics { base, globals, functions, resolved, labels, names, size: at - base }
}

impl Statics {
    /// The address of a function.
    pub fn function(&self, id: FuncId) -> u64 {
        self.functions[id]
    }
    /// The address of a label.
    pub fn label(&self, function: FuncId, label: LabelId) -> u64 {
        self.labels[function] + LABEL_STRIDE * label.index() as u64
    }
    /// The function at an address.
    pub fn function_at(&self, addr: u64) -> Option<FuncId> {
        let offset = addr.wrapping_sub(self.base + LINE);
        let index = (offset / STEP) as usize;
        (offset.is_multiple_of(STEP) && index < self.functions.len()).then(|| FuncId::new(index))
    }

    /// The static objects: address, size, id.
    pub fn objects(&self, program: &Program) -> impl Iterator<Item = (u64, u64, GlobalId)> {
        let stored = program.globals.enumerate().filter(|(_, global)| has_storage(global));
        stored.map(|(id, global)| (self.globals[id], size_of(program, global), id))
    }

    /// Writes the initial content of all static objects.
    pub fn fill(&self, program: &Program, memory: &mut Memory) -> Result<(), Fault> {
        for (id, global) in program.globals.enumerate() {
            if has_storage(global) {
                memory.add_static(self.globals[id], size_of(program, global));
            }
        }
        for (id, global) in program.globals.enumerate() {
            let GlobalDef::Defined(init) = &global.definition else { continue };
            for (offset, item) in &init.items {
                let addr = self.globals[id] + offset;
                match item {
                    InitItem::Bytes(bytes) => memory.slice_mut(addr, bytes.len() as u64)?.copy_from_slice(bytes),
                    InitItem::Address { target, addend } => {
                        let target = match *target {
                            InitTarget::Global(g) => self.globals[g],
                            InitTarget::Function(f) => self.functions[f],
                            InitTarget::Label(f, label) => self.label(f, label),
                        };
                        memory.store_pointer(addr, target.wrapping_add_signed(*addend))?;
                    }
                }
            }
        }
        Ok(())
    }
}
