//! The memory of a program as its graph divides it: who reads and writes given cells, and which nodes hold what is in them at a moment.
//!
//! The graph's nodes name groups of memory by number; which cells these are is found again here, in the way in which the graph was built. Memory
//! that nobody writes is in no group and has no nodes: who reads it stands for it.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::View;
use crate::base::IdVec;
use crate::base::sparse::SparseSet;
use crate::ir::{FuncId, InstKind, Operand, Type, TypeId, Types, ValueId};
use crate::models::Models;
use crate::pointsto::{CellId, ObjectId, ObjectKind, PlaceId};
use crate::policy::Policy;
use crate::sdg::memory::accesses::{AllAccesses, Cells, External, Goal, Source};
use crate::sdg::memory::classes::Partition;
use crate::sdg::memory::groups::{Groups, groups};
use crate::sdg::memory::modref::{CallOf, ModRef};
use crate::sdg::memory::{Classes, GroupId};
use crate::sdg::{Formal, NodeId, NodeKind, ProcId, SiteId};

/// The nodes of a procedure by what they stand for.
type Index = FxHashMap<NodeKind, NodeId>;

/// What is known of a program's memory.
pub(super) struct Memory<'a> {
    pub view: View<'a>,
    pub accesses: AllAccesses,
    pub classes: Partition,
    pub modref: ModRef,
    pub groups: IdVec<FuncId, Groups>,
    /// What a pointer to outside may point to.
    outside: Cells,
    world: ObjectId,
    /// The sites that call each procedure.
    callers: FxHashMap<ProcId, Vec<SiteId>>,
    /// By procedure and call.
    sites: FxHashMap<(ProcId, ValueId), SiteId>,
    indices: RefCell<FxHashMap<ProcId, Rc<Index>>>,
}

/// An instruction that touches memory.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub func: FuncId,
    pub inst: ValueId,
    /// The nodes of the access: of a write, those of the memory in question.
    pub nodes: Vec<NodeId>,
    /// The address, of a load or store.
    pub address: Option<Operand>,
}

impl<'a> Memory<'a> {
    pub fn new(view: View<'a>, policy: &Policy) -> Self {
        let (program, points_to) = (view.program, view.points_to);
        let models = Models::new(&policy.models);
        let accesses = AllAccesses::new(program, &models, points_to, policy.analysis.unknown_functions);
        let classes = Partition::new(&accesses, points_to);
        let modref = ModRef::new(program, points_to, &accesses, &classes);
        let groups = groups(program, points_to, &accesses, &classes, &modref);
        let objects = &points_to.objects;
        let world = objects.find(&ObjectKind::World).expect("points-to makes it");
        let mut outside: Cells = objects.cells(world).into_iter().collect();
        outside.extend(points_to.outside.iter().flat_map(|object| objects.cells(*object)));
        let mut callers: FxHashMap<ProcId, Vec<SiteId>> = FxHashMap::default();
        let mut sites: FxHashMap<(ProcId, ValueId), SiteId> = FxHashMap::default();
        for (site, of) in view.sdg.sites().enumerate() {
            sites.insert((of.proc, of.inst), site);
            for callee in view.sdg.callees(site) {
                callers.entry(callee).or_default().push(site);
            }
        }
        let indices = RefCell::default();
        Memory { view, accesses, classes, modref, groups, outside, world, callers, sites, indices }
    }

    // Nodes.

    /// The node of a function that stands for this.
    pub fn node(&self, func: FuncId, kind: NodeKind) -> Option<NodeId> {
        let proc = self.view.sdg.procedure_of(func)?;
        let index = Rc::clone(self.indices.borrow_mut().entry(proc).or_insert_with(|| {
            let nodes = self.view.sdg.procedures()[proc].nodes();
            Rc::new(nodes.map(|node| (self.view.sdg.nodes()[node].kind, node)).collect())
        }));
        index.get(&kind).copied()
    }
    /// The site of a call.
    pub fn site(&self, func: FuncId, call: ValueId) -> Option<SiteId> {
        self.sites.get(&(self.view.sdg.procedure_of(func)?, call)).copied()
    }
    /// The function that a site is in.
    pub fn caller(&self, site: SiteId) -> FuncId {
        self.view.sdg.procedures()[self.view.sdg.sites()[site].proc].func
    }
    /// The sites that call a function which has nodes.
    pub fn callers(&self, func: FuncId) -> &[SiteId] {
        let proc = self.view.sdg.procedure_of(func);
        proc.and_then(|proc| self.callers.get(&proc)).map_or(&[], Vec::as_slice)
    }
    /// What a call gets of each group.
    pub fn ins(&self, site: SiteId) -> impl Iterator<Item = (GroupId, NodeId)> {
        self.view.sdg.sites()[site].ins.iter().filter_map(|node| match self.view.sdg.nodes()[*node].kind {
            NodeKind::ActualIn(_, Formal::Memory(group)) => Some((GroupId(group), *node)),
            _ => None,
        })
    }
    /// What a call brings back of each group.
    pub fn outs(&self, site: SiteId) -> impl Iterator<Item = (GroupId, NodeId)> {
        self.view.sdg.sites()[site].outs.iter().filter_map(|node| match self.view.sdg.nodes()[*node].kind {
            NodeKind::ActualOut(_, Formal::Memory(group)) => Some((GroupId(group), *node)),
            _ => None,
        })
    }
    /// Whether a group of a function holds one of these classes.
    pub fn holds(&self, func: FuncId, group: GroupId, classes: &Classes) -> bool {
        self.groups[func].members[group].iter().any(|class| classes.contains(*class))
    }
    /// Whether a group of a function holds nothing but these classes.
    pub fn holds_only(&self, func: FuncId, group: GroupId, classes: &Classes) -> bool {
        self.groups[func].members[group].iter().all(|class| classes.contains(*class))
    }

    // Cells.

    /// The classes of those cells that somebody writes.
    pub fn classes(&self, cells: &Cells) -> Classes {
        cells.iter().filter_map(|cell| self.classes.of(cell)).collect()
    }
    /// The classes of which these cells are all.
    pub fn whole_classes(&self, cells: &Cells) -> Classes {
        let whole = |class: &_| self.classes.members[*class].iter().all(|cell| cells.contains(*cell));
        self.classes(cells).iter().filter(whole).collect()
    }
    /// The cells that nobody writes.
    pub fn unwritten(&self, cells: &Cells) -> Cells {
        cells.iter().filter(|cell| self.classes.of(*cell).is_none()).collect()
    }
    fn at_place(&self, place: PlaceId, to: &mut Cells) {
        let objects = &self.view.points_to.objects;
        let object = objects.of_place(place);
        if object == self.world {
            to.union_with(&self.outside);
        } else if self.leads_on(object) {
            to.extend(objects.cells_below(place));
        }
    }
    /// Whether pointers lead into an object: not into functions and the library's own.
    fn leads_on(&self, object: ObjectId) -> bool {
        let object = self.view.points_to.objects.get(object);
        !object.opaque && !matches!(object.kind, ObjectKind::Function(_) | ObjectKind::Stream(_))
    }
    /// What a pointer points to.
    pub fn pointed(&self, func: FuncId, pointer: Operand) -> Cells {
        let mut found = Cells::new();
        let mut seen: Vec<ValueId> = Vec::new();
        let mut work = vec![pointer];
        while let Some(pointer) = work.pop() {
            match pointer {
                // A pointer by which nothing is accessed was not followed; it is what its text says.
                Operand::Value(value) if self.view.points_to.of_value(func, value).is_none_or(SparseSet::is_empty) => {
                    if !seen.contains(&value) {
                        seen.push(value);
                        self.parts_of(func, value, &mut work);
                    }
                }
                Operand::Local(local) => self.whole(&ObjectKind::Local(func, local), &mut found),
                Operand::Global(global) => self.whole(&ObjectKind::Global(global), &mut found),
                Operand::Value(_)
                | Operand::Int(..)
                | Operand::Float(..)
                | Operand::Function(_)
                | Operand::Label(_) => {
                    self.view.points_to.for_each(func, pointer, |place| self.at_place(place, &mut found));
                }
            }
        }
        found
    }
    /// What a pointer is computed from.
    fn parts_of(&self, func: FuncId, value: ValueId, to: &mut Vec<Operand>) {
        match &self.view.body(func).insts[value].kind {
            InstKind::Copy(base)
            | InstKind::Cast(base)
            | InstKind::PtrAdd { base, .. }
            | InstKind::FieldAddr { base, .. } => to.push(*base),
            InstKind::Phi(operands) => to.extend(operands.iter().map(|(_, operand)| *operand)),
            _ => {}
        }
    }
    fn whole(&self, kind: &ObjectKind, to: &mut Cells) {
        let objects = &self.view.points_to.objects;
        if let Some(object) = objects.find(kind).filter(|object| self.leads_on(*object)) {
            to.extend(objects.cells(object));
        }
    }
    /// What a pointer points to, and all that is reached from there.
    pub fn reached(&self, func: FuncId, pointer: Operand) -> Cells {
        self.closure(self.pointed(func, pointer))
    }
    /// Cells, and all that is reached from what they hold.
    pub fn closure(&self, start: Cells) -> Cells {
        let objects = &self.view.points_to.objects;
        let mut found = start;
        let mut work: Vec<_> = found.iter().collect();
        let mut seen: SparseSet<PlaceId> = SparseSet::new();
        while let Some(cell) = work.pop() {
            if !self.may_point(cell) {
                continue;
            }
            for place in self.view.points_to.held(cell).iter() {
                let object = objects.of_place(place);
                if !seen.insert(objects.current(place)) || !(object == self.world || self.leads_on(object)) {
                    continue;
                }
                let more: Cells = if object == self.world {
                    self.outside.clone()
                } else {
                    objects.cells(object).into_iter().collect()
                };
                for cell in more.iter() {
                    if found.insert(cell) {
                        work.push(cell);
                    }
                }
            }
        }
        found
    }
    /// Whether a cell may hold a pointer: numbers that are smaller hold at most the number of a file, but bytes may hold anything.
    fn may_point(&self, cell: CellId) -> bool {
        let types = &self.view.program.types;
        let ty = self.view.points_to.objects.cell_type(cell);
        let is_number = matches!(types.get(ty), Type::Bool | Type::Int(_) | Type::Float(_) | Type::Enum(_));
        !is_number || types.size_of(ty).is_none_or(|size| size == 1 || size >= types.model.pointer_size)
    }
    /// What is reached from what a value of a function holds; nothing if its type holds no pointers.
    pub fn behind(&self, func: FuncId, value: Operand) -> Cells {
        let body = self.view.body(func);
        let types = &self.view.program.types;
        let ty = self.view.program.operand_type(body, value);
        if !holds_pointers(types, ty) {
            return Cells::new();
        }
        if !types.is_aggregate(ty) {
            return self.reached(func, value);
        }
        // Of a record, what the memory holds that it is stored to.
        let mut cells = Cells::new();
        for (inst, stored) in body.insts.enumerate() {
            if let InstKind::Store { value: what, .. } = &stored.kind
                && *what == value
                && let Some(set) = self.accesses.functions[func].touches.get(&inst).and_then(|touch| touch.writes)
            {
                cells.union_with(&self.accesses.sets[set]);
            }
        }
        self.beyond(&cells)
    }
    /// What is reached from what cells hold, without these cells.
    pub fn beyond(&self, cells: &Cells) -> Cells {
        let mut start = Cells::new();
        for cell in cells.iter().filter(|cell| self.may_point(*cell)) {
            self.view.points_to.held(cell).iter().for_each(|place| self.at_place(place, &mut start));
        }
        self.closure(start)
    }
    /// Those cells that other names may lead to as well: literals are not changed, and the library's own states have no other names. With `world`, what nobody
    /// knows is among them.
    pub fn named(&self, cells: &Cells, world: bool) -> Cells {
        let objects = &self.view.points_to.objects;
        let fits = |kind: &ObjectKind| match kind {
            ObjectKind::Global(global) => !self.view.program.globals[*global].name.starts_with('.'),
            ObjectKind::Local(..)
            | ObjectKind::Heap { .. }
            | ObjectKind::Varargs(_)
            | ObjectKind::Library(_)
            | ObjectKind::Address(_) => true,
            ObjectKind::World => world,
            ObjectKind::Function(_)
            | ObjectKind::State(_)
            | ObjectKind::Stream(_)
            | ObjectKind::Errno
            | ObjectKind::Literals => false,
        };
        cells.iter().filter(|cell| fits(&objects.get(objects.of_cell(*cell)).kind)).collect()
    }

    // Accesses.

    /// The instructions that may write some of these cells, with the nodes of what they write there. Of calls, those of functions without body.
    pub fn writers(&self, cells: &Cells) -> Vec<Access> {
        let classes = self.classes(cells);
        let mut found = Vec::new();
        if classes.is_empty() {
            return found;
        }
        for func in self.functions() {
            let own = &self.accesses.functions[func];
            for (inst, touch) in &own.touches {
                let Some(set) = touch.writes.filter(|set| self.accesses.sets[*set].meets(cells)) else { continue };
                let groups = self.groups[func].all(self.classes.set(set));
                let version = |group: &GroupId| {
                    self.node(func, NodeKind::MemoryDef { inst: *inst, group: group.0 })
                        .filter(|_| self.holds(func, *group, &classes))
                };
                let mut nodes: Vec<NodeId> = groups.iter().filter_map(version).collect();
                if nodes.is_empty() {
                    nodes.extend(self.node(func, NodeKind::Inst(*inst)));
                }
                found.push(self.access(func, *inst, nodes));
            }
            for ((call, _), external) in &own.externals {
                let nodes = self.written_by(func, *call, external, cells);
                if !nodes.is_empty() {
                    found.push(self.access(func, *call, nodes));
                }
            }
        }
        found
    }
    /// What a call of a function without body brings back of these cells.
    fn written_by(&self, func: FuncId, call: ValueId, external: &External, cells: &Cells) -> Vec<NodeId> {
        let mut written = Classes::new();
        for effect in &external.effects {
            if let Goal::Memory(set) = effect.goal {
                written.union_with(&self.classes(&self.accesses.sets[set].intersection(cells)));
            }
        }
        let Some(site) = self.site(func, call).filter(|_| !written.is_empty()) else { return Vec::new() };
        self.outs(site).filter(|(group, _)| self.holds(func, *group, &written)).map(|(_, node)| node).collect()
    }
    /// The instructions that may read some of these cells. One that reads what its function's caller points it to is not among them: the call is, which passes
    /// the address, so that calls for other memory are not.
    pub fn readers(&self, cells: &Cells) -> Vec<Access> {
        let mut found = Vec::new();
        for func in self.functions() {
            let own = &self.accesses.functions[func];
            let is_called = !self.callers(func).is_empty();
            for (inst, touch) in &own.touches {
                if touch.reads.is_none_or(|set| !self.accesses.sets[set].meets(cells)) {
                    continue;
                }
                let node = self.node(func, NodeKind::Inst(*inst));
                let access = self.access(func, *inst, node.into_iter().collect());
                if !is_called || !access.address.is_some_and(|address| self.is_given(func, address)) {
                    found.push(access);
                }
            }
            for ((call, _), external) in &own.externals {
                let nodes = self.read_by(func, *call, external, cells);
                if !nodes.is_empty() {
                    found.push(self.access(func, *call, nodes));
                }
            }
        }
        self.passes(cells, &mut found);
        found
    }
    /// Calls that pass the address of such cells.
    fn passes(&self, cells: &Cells, found: &mut Vec<Access>) {
        let objects = &self.view.points_to.objects;
        let wanted: SparseSet<ObjectId> = cells.iter().map(|cell| objects.of_cell(cell)).collect();
        // Most pointers lead elsewhere, which is told without their cells.
        let may_point = |func: FuncId, arg: Operand| match arg {
            Operand::Value(value) => self.view.points_to.of_value(func, value).is_none_or(|places| {
                let fits = |place| {
                    let object = objects.of_place(place);
                    object == self.world || wanted.contains(object)
                };
                places.is_empty() || places.iter().any(fits)
            }),
            Operand::Local(_) | Operand::Global(_) | Operand::Int(..) => true,
            Operand::Float(..) | Operand::Function(_) | Operand::Label(_) => false,
        };
        for site in self.view.sdg.sites().ids() {
            let (func, inst) = (self.caller(site), self.view.sdg.sites()[site].inst);
            let InstKind::Call { args, .. } = &self.view.body(func).insts[inst].kind else { continue };
            let mut nodes = Vec::new();
            for (n, arg) in args.iter().enumerate() {
                // Whoever was given the address itself is called by one who passes it.
                let is_given = self.is_given(func, *arg) && !self.callers(func).is_empty();
                if !is_given && may_point(func, *arg) && self.pointed(func, *arg).meets(cells) {
                    nodes.extend(self.node(func, NodeKind::ActualIn(site, Formal::Param(n as u32))));
                }
            }
            if !nodes.is_empty() {
                found.push(self.access(func, inst, nodes));
            }
        }
    }
    /// The nodes by which a call of a function without body reads these cells.
    fn read_by(&self, func: FuncId, call: ValueId, external: &External, cells: &Cells) -> Vec<NodeId> {
        let mut read = Cells::new();
        for source in external.effects.iter().flat_map(|effect| &effect.sources) {
            if let Source::Memory(set) = source {
                read.union_with(&self.accesses.sets[*set].intersection(cells));
            }
        }
        let Some(site) = self.site(func, call).filter(|_| !read.is_empty()) else { return Vec::new() };
        let classes = self.classes(&read);
        let mut found: Vec<NodeId> =
            self.ins(site).filter(|(group, _)| self.holds(func, *group, &classes)).map(|(_, node)| node).collect();
        let bare = self.unwritten(&read);
        if bare.is_empty() {
            return found;
        }
        // What an argument points to counts with the argument.
        let before = found.len();
        if let InstKind::Call { args, .. } = &self.view.body(func).insts[call].kind {
            for (n, arg) in args.iter().enumerate() {
                if self.reached(func, *arg).meets(&bare) {
                    found.extend(self.node(func, NodeKind::ActualIn(site, Formal::Param(n as u32))));
                }
            }
        }
        if found.len() == before {
            found.push(self.view.sdg.sites()[site].call);
        }
        found
    }
    fn functions(&self) -> impl Iterator<Item = FuncId> {
        self.view.program.functions.ids().filter(|func| self.view.sdg.procedure_of(*func).is_some())
    }
    fn access(&self, func: FuncId, inst: ValueId, nodes: Vec<NodeId>) -> Access {
        let address = match &self.view.body(func).insts[inst].kind {
            InstKind::Load { addr, .. } | InstKind::Store { addr, .. } => Some(*addr),
            _ => None,
        };
        Access { func, inst, nodes, address }
    }
    /// Whether an address is computed from a parameter of its function alone.
    fn is_given(&self, func: FuncId, address: Operand) -> bool {
        let body = self.view.body(func);
        let mut at = address;
        while let Operand::Value(value) = at {
            match &body.insts[value].kind {
                InstKind::Param(_) => return true,
                InstKind::Copy(base)
                | InstKind::Cast(base)
                | InstKind::PtrAdd { base, .. }
                | InstKind::FieldAddr { base, .. } => at = *base,
                _ => return false,
            }
        }
        false
    }
    /// What a call may write, in the caller's words.
    pub fn written_at(&self, site: SiteId) -> Classes {
        let (func, inst) = (self.caller(site), self.view.sdg.sites()[site].inst);
        let mut found = Classes::new();
        for target in self.view.points_to.targets(func, inst) {
            if self.view.sdg.procedure_of(target.callee).is_some() {
                let direct = target.reason == crate::pointsto::Reason::Called;
                let call = CallOf { inst, callee: target.callee, direct };
                let touched = self.modref.at_call(self.view.program, self.view.points_to, &self.classes, func, call);
                found.union_with(&touched.writes);
            } else if let Some(external) = self.accesses.functions[func].externals.get(&(inst, target.callee)) {
                for effect in &external.effects {
                    if let Goal::Memory(set) = effect.goal {
                        found.union_with(self.classes.set(set));
                    }
                }
            }
        }
        found
    }
}

/// Whether values of a type hold pointers.
pub(super) fn holds_pointers(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Pointer(_) => true,
        Type::Array { element, .. } => holds_pointers(types, element.ty),
        Type::Record(record) => types.records[*record].members.iter().any(|m| holds_pointers(types, m.ty.ty)),
        Type::Void
        | Type::Bool
        | Type::Int(_)
        | Type::Float(_)
        | Type::Complex(_)
        | Type::Enum(_)
        | Type::Vector { .. }
        | Type::Function(_) => false,
    }
}
