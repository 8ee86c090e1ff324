//! Variables and members, wherever they are in memory or in values: what gives them a value, what reads them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::content::Moment;
use super::lines::Locator;
use super::memory::Access;
use super::places::{Finder, Found, Miss, Side};
use super::variable::Root;
use super::{names, nearest, sites};
use crate::base::id::Id;
use crate::ir::{
    FuncId, GlobalDef, GlobalId, InitItem, InitTarget, InstKind, LocalId, Operand, QualType, Quals, RecordId, Type,
    TypeId, Types, ValueId,
};
use crate::pointsto::shape::{PartId, PartKind, Shape};
use crate::pointsto::{ObjectId, ObjectKind};
use crate::policy::pattern::{Pattern, VariablePattern};
use crate::sdg::memory::GroupId;
use crate::sdg::memory::accesses::Cells;
use crate::sdg::{EdgeKind, Formal, NodeId, NodeKind};
use crate::source::Place;

/// A variable of the program, or members of it.
pub(super) struct Chosen {
    /// The function that it is a local variable of.
    pub func: Option<FuncId>,
    /// If it is in values: the variable.
    promoted: Option<LocalId>,
    /// If it is in memory: the whole object, and where in it.
    pub object: Option<ObjectId>,
    pub cells: Cells,
    volatile: bool,
    what: String,
}

/// The variables that a pattern fits.
pub(super) fn roots(finder: &Finder<'_>, pattern: &VariablePattern) -> Result<Vec<Chosen>, Miss> {
    let named = names::variables(finder, pattern)?;
    let found: Vec<Chosen> =
        named.iter().filter_map(|(func, root)| chosen(finder, *func, *root, &pattern.fields)).collect();
    if found.is_empty() {
        let types: Vec<TypeId> = named.iter().map(|(func, root)| type_of(finder, *func, *root).ty).collect();
        return Err(no_member(&finder.view.program.types, &types, pattern.name.text(), &pattern.fields));
    }
    Ok(found)
}

fn type_of(finder: &Finder<'_>, func: Option<FuncId>, root: Root) -> QualType {
    match (root, func) {
        (Root::Local(local), Some(func)) => finder.view.body(func).locals[local].ty,
        (Root::Local(_), None) => unreachable!("a local variable has a function"),
        (Root::Global(global), _) => finder.view.program.globals[global].ty,
    }
}

/// A variable, or its members of these names, if it has such.
fn chosen(finder: &Finder<'_>, func: Option<FuncId>, root: Root, fields: &[Pattern]) -> Option<Chosen> {
    let (program, objects) = (finder.view.program, &finder.view.points_to.objects);
    let ty = type_of(finder, func, root);
    if !has_member(&program.types, ty.ty, fields) {
        return None;
    }
    let (mut what, kind, promoted, func) = match root {
        Root::Local(local) => {
            let func = func.expect("a local variable has a function");
            let of = &finder.view.body(func).locals[local];
            (of.name.clone(), ObjectKind::Local(func, local), of.promoted.then_some(local), Some(func))
        }
        Root::Global(global) => {
            let name = &program.globals[global].name;
            let own = name.rsplit('.').next().unwrap_or(name);
            (own.to_owned(), ObjectKind::Global(global), None, None)
        }
    };
    let object = objects.find(&kind);
    let mut cells = Cells::new();
    if let Some(id) = object {
        let mut parts = Vec::new();
        members(&program.types, objects.shape(id), 0, fields, &mut parts);
        cells.extend(parts.iter().flat_map(|part| objects.cells_below(objects.place(id, Some(*part)))));
    }
    for field in fields {
        what = format!("{what}.{field}");
    }
    let volatile = ty.quals.has(Quals::VOLATILE) || is_volatile(&program.types, ty.ty, fields);
    Some(Chosen { func, promoted, object, cells, volatile, what })
}

pub(super) fn no_member(types: &Types, of: &[TypeId], name: &str, fields: &[Pattern]) -> Miss {
    let mut known: Vec<&str> = Vec::new();
    for ty in of {
        if let Some(record) = record_of(types, *ty) {
            known.extend(types.records[record].members.iter().map(|member| member.name.as_str()));
        }
    }
    let wanted = fields.first().map_or("", Pattern::text);
    let help = match nearest(wanted, known.iter().copied()) {
        Some(near) if near != wanted => format!("did you mean `{near}`?"),
        Some(_) | None if known.is_empty() => "it is no structure".to_owned(),
        Some(_) | None => {
            format!("its members: {}", super::quoted(&known.iter().map(|&n| n.to_owned()).collect::<Vec<_>>()))
        }
    };
    let path: Vec<&str> = fields.iter().map(Pattern::text).collect();
    Miss::new(format!("`{name}` has no member `{}`", path.join(".")), help)
}

/// The record that a type is, or an array of such.
fn record_of(types: &Types, ty: TypeId) -> Option<RecordId> {
    match types.get(ty) {
        Type::Record(record) => Some(*record),
        Type::Array { element, .. } => record_of(types, element.ty),
        _ => None,
    }
}

/// Whether a type has such a member.
pub(super) fn has_member(types: &Types, ty: TypeId, fields: &[Pattern]) -> bool {
    let Some((first, rest)) = fields.split_first() else { return true };
    let Some(record) = record_of(types, ty) else { return false };
    types.records[record].members.iter().any(|member| {
        (first.matches(&member.name) && has_member(types, member.ty.ty, rest))
            || (member.name.is_empty() && has_member(types, member.ty.ty, fields))
    })
}

pub(super) fn is_volatile(types: &Types, ty: TypeId, fields: &[Pattern]) -> bool {
    if let Type::Array { element, .. } = types.get(ty) {
        return element.quals.has(Quals::VOLATILE) || is_volatile(types, element.ty, fields);
    }
    let (Some((first, rest)), Some(record)) = (fields.split_first(), record_of(types, ty)) else { return false };
    types.records[record].members.iter().any(|member| {
        (first.matches(&member.name)
            && (member.ty.quals.has(Quals::VOLATILE) || is_volatile(types, member.ty.ty, rest)))
            || (member.name.is_empty() && is_volatile(types, member.ty.ty, fields))
    })
}

/// The parts of an object that members are, from a part on. What a union has, all of it has.
pub(super) fn members(types: &Types, shape: &Shape, part: PartId, fields: &[Pattern], found: &mut Vec<PartId>) {
    let Some((first, rest)) = fields.split_first() else {
        found.push(part);
        return;
    };
    match &shape.part(part).kind {
        PartKind::Array(_) => members(types, shape, part + 1, fields, found),
        PartKind::Leaf => {
            if has_member(types, shape.part(part).ty, fields) {
                found.push(part);
            }
        }
        PartKind::Record(record, parts) => {
            for (member, part) in types.records[*record].members.iter().zip(parts) {
                if first.matches(&member.name) {
                    members(types, shape, *part, rest, found);
                } else if member.name.is_empty() {
                    members(types, shape, *part, fields, found);
                }
            }
        }
    }
}

impl Chosen {
    /// The values that are versions of it.
    pub fn versions(&self, finder: &Finder<'_>) -> Vec<ValueId> {
        let (Some(func), Some(local)) = (self.func, self.promoted) else { return Vec::new() };
        let body = finder.view.body(func);
        body.insts.enumerate().filter(|(_, inst)| inst.var == Some(local)).map(|(id, _)| id).collect()
    }
    /// The nodes that give it a value, of those that are in values, with the value.
    fn given(&self, finder: &Finder<'_>, uninitialised: bool) -> Vec<(NodeId, ValueId)> {
        let (Some(func), Some(local)) = (self.func, self.promoted) else { return Vec::new() };
        let body = finder.view.body(func);
        let mut found = Vec::new();
        for value in self.versions(finder) {
            let kind = match body.insts[value].kind {
                InstKind::Phi(_) => continue,
                InstKind::Uninit if !uninitialised => continue,
                InstKind::Param(n) => NodeKind::FormalIn(Formal::Param(n)),
                _ => NodeKind::Inst(value),
            };
            found.extend(finder.memory.node(func, kind).map(|node| (node, value)));
        }
        if let Some(value) = body.params.get(local.index()) {
            let formal = NodeKind::FormalIn(Formal::Param(local.0));
            found.extend(finder.memory.node(func, formal).map(|node| (node, *value)));
        }
        found
    }
}

/// Spots by name and line: a declaration with many values is one.
#[derive(Default)]
pub(super) struct ByLine {
    all: BTreeMap<(String, PathBuf, u32), Found>,
}

impl ByLine {
    pub fn add(&mut self, finder: &Finder<'_>, what: &str, place: Place, func: Option<FuncId>, nodes: Vec<NodeId>) {
        let at = finder.view.sources.locate(place);
        let spot = self.all.entry((what.to_owned(), at.file, at.line));
        let spot = spot.or_insert_with(|| Found { what: what.to_owned(), place, func, nodes: Vec::new() });
        spot.place = spot.place.min(place);
        spot.nodes.extend(nodes);
    }
    pub fn finish(self) -> Vec<Found> {
        self.all.into_values().filter(|found| !found.nodes.is_empty()).collect()
    }
}

/// `variable`
pub(super) fn variables(finder: &Finder<'_>, pattern: &VariablePattern, side: Side) -> Result<Vec<Found>, Miss> {
    let found = spots_of(finder, &roots(finder, pattern)?, side);
    if found.is_empty() {
        let message = format!("`{}` is never {}", pattern.name, said(side));
        return Err(Miss::new(message, "code that no run comes to does not count"));
    }
    Ok(found)
}

/// The variables that are declared on a line.
pub(super) fn declared(finder: &Finder<'_>, file: &Path, line: u32, side: Side) -> Vec<Found> {
    let program = finder.view.program;
    let mut locator = Locator::new(finder.view.sources);
    let mut is_there = |place: Place| {
        let at = locator.locate(place);
        at.file == file && at.line == line
    };
    let globals = program.globals.enumerate().filter(|(_, g)| !g.name.starts_with('.') && is_there(g.place));
    let mut found: Vec<(Option<FuncId>, Root)> = globals.map(|(id, _)| (None, Root::Global(id))).collect();
    for (func, _, body) in program.bodies().filter(|(func, _, _)| finder.view.sdg.procedure_of(*func).is_some()) {
        let locals = body.locals.enumerate().filter(|(_, l)| !l.name.is_empty() && is_there(l.place));
        found.extend(locals.map(|(id, _)| (Some(func), Root::Local(id))));
    }
    let all: Vec<Chosen> = found.iter().filter_map(|(func, root)| chosen(finder, *func, *root, &[])).collect();
    spots_of(finder, &all, side)
}

fn spots_of(finder: &Finder<'_>, all: &[Chosen], side: Side) -> Vec<Found> {
    let mut spots = ByLine::default();
    for chosen in all {
        for (node, value) in chosen.given(finder, side == Side::Source) {
            let func = finder.view.sdg.function(node);
            let mut nodes = vec![node];
            if side == Side::Source {
                let moment = match finder.view.body(func).insts[value].kind {
                    InstKind::Param(_) => Moment::Entry,
                    _ => Moment::Before(value),
                };
                let cells = finder.memory.behind(func, Operand::Value(value));
                nodes.extend(sites::memory_behind(finder, func, moment, &cells, false));
            }
            spots.add(finder, &chosen.what, finder.view.sdg.nodes()[node].place, Some(func), nodes);
        }
        in_memory(finder, &chosen.what, &chosen.cells, chosen.volatile, side, &mut spots, &|_| true);
    }
    spots.finish()
}

pub(super) fn said(side: Side) -> &'static str {
    match side {
        Side::Source => "given a value or read",
        Side::Sink => "written",
    }
}

/// Spots of what is in memory. `fits` may leave out accesses.
pub(super) fn in_memory(
    finder: &Finder<'_>,
    what: &str,
    cells: &Cells,
    volatile: bool,
    side: Side,
    spots: &mut ByLine,
    fits: &dyn Fn(&Access) -> bool,
) {
    let memory = &finder.memory;
    let place = |access: &Access| finder.view.body(access.func).insts[access.inst].place;
    for access in memory.writers(cells).into_iter().filter(|access| fits(access)) {
        let func = access.func;
        let inst = &finder.view.body(func).insts[access.inst].kind;
        let own = memory.node(func, NodeKind::Inst(access.inst));
        let mut nodes = match (side, own) {
            // What was there before is not written.
            (Side::Sink, Some(node)) => vec![node],
            (Side::Sink, None) | (Side::Source, _) => access.nodes.clone(),
        };
        if let (Side::Source, InstKind::Store { value, .. }) = (side, inst) {
            let behind = memory.behind(func, *value);
            nodes.extend(sites::memory_behind(finder, func, Moment::Before(access.inst), &behind, false));
        }
        spots.add(finder, what, place(&access), Some(func), nodes);
    }
    if side == Side::Sink {
        return;
    }
    for (global, nodes) in initial(finder, cells) {
        spots.add(finder, what, finder.view.program.globals[global].place, None, nodes);
    }
    // What others change is another at every read; of what nobody writes, reads are all there is.
    let read = if volatile { cells.clone() } else { memory.unwritten(cells) };
    if !read.is_empty() {
        for access in memory.readers(&read).into_iter().filter(|access| fits(access)) {
            spots.add(finder, what, place(&access), Some(access.func), access.nodes.clone());
        }
    }
}

/// What static objects hold when the program starts: where it starts, and the memory that their initialisers point to.
fn initial(finder: &Finder<'_>, cells: &Cells) -> Vec<(GlobalId, Vec<NodeId>)> {
    let (memory, objects) = (&finder.memory, &finder.view.points_to.objects);
    let mut of: BTreeMap<u32, Cells> = BTreeMap::new();
    for cell in cells.iter() {
        if let ObjectKind::Global(global) = objects.get(objects.of_cell(cell)).kind {
            of.entry(global.0).or_default().insert(cell);
        }
    }
    let mut found = Vec::new();
    for (global, cells) in of {
        let mut nodes = entering(finder, &cells, false);
        if let GlobalDef::Defined(content) = &finder.view.program.globals[GlobalId(global)].definition
            && !nodes.is_empty()
        {
            let mut start = Cells::new();
            for (_, item) in &content.items {
                if let InitItem::Address { target: InitTarget::Global(to), .. } = item
                    && let Some(object) = objects.find(&ObjectKind::Global(*to))
                {
                    start.extend(objects.cells(object));
                }
            }
            let behind = memory.closure(start);
            for func in entries(finder) {
                nodes.extend(sites::memory_behind(finder, func, Moment::Entry, &behind, false));
            }
        }
        found.push((GlobalId(global), nodes));
    }
    found
}

/// The functions that are called by nobody but those that they call: where the program starts.
fn entries(finder: &Finder<'_>) -> Vec<FuncId> {
    let sdg = finder.view.sdg;
    let is_root = |component: &&Vec<_>| {
        let callers = component.iter().flat_map(|proc| finder.memory.callers(sdg.procedures()[*proc].func));
        callers.map(|site| sdg.sites()[*site].proc).all(|caller| component.contains(&caller))
    };
    sdg.bottom_up.iter().filter(is_root).flatten().map(|proc| sdg.procedures()[*proc].func).collect()
}

/// What functions find in memory that are entered from outside: at the start, or as one of several entries. With `only`, nodes that hold nothing else.
fn entering(finder: &Finder<'_>, cells: &Cells, only: bool) -> Vec<NodeId> {
    let memory = &finder.memory;
    let classes = if only { memory.whole_classes(cells) } else { memory.classes(cells) };
    let roots = entries(finder);
    let mut found = Vec::new();
    for procedure in finder.view.sdg.procedures() {
        let func = procedure.func;
        let is_root = roots.contains(&func);
        for &node in &procedure.ins {
            let NodeKind::FormalIn(Formal::Memory(group)) = finder.view.sdg.nodes()[node].kind else { continue };
            let group = GroupId(group);
            let fits = memory.holds(func, group, &classes) && (!only || memory.holds_only(func, group, &classes));
            let from_outside = || finder.view.sdg.predecessors(node).any(|edge| edge.kind == EdgeKind::Interference);
            if fits && (is_root || from_outside()) {
                found.push(node);
            }
        }
    }
    found
}

/// The definitions of a variable, for an exception: nodes that are about it and nothing else.
pub(super) fn definitions(finder: &Finder<'_>, pattern: &VariablePattern) -> Result<Vec<Found>, Miss> {
    let memory = &finder.memory;
    let mut spots = ByLine::default();
    for chosen in roots(finder, pattern)? {
        for (node, _) in chosen.given(finder, true) {
            let func = finder.view.sdg.function(node);
            spots.add(finder, &chosen.what, finder.view.sdg.nodes()[node].place, Some(func), vec![node]);
        }
        let own = memory.whole_classes(&chosen.cells);
        for access in memory.writers(&chosen.cells) {
            let func = access.func;
            let is_own = |node: &NodeId| match finder.view.sdg.nodes()[*node].kind {
                NodeKind::MemoryDef { group, .. } | NodeKind::ActualOut(_, Formal::Memory(group)) => {
                    memory.holds_only(func, GroupId(group), &own)
                }
                NodeKind::Inst(inst) => {
                    let set = memory.accesses.functions[func].touches.get(&inst).and_then(|touch| touch.writes);
                    set.is_some_and(|set| {
                        let groups = memory.groups[func].all(memory.classes.set(set));
                        groups.iter().all(|group| memory.holds_only(func, *group, &own))
                    })
                }
                _ => false,
            };
            let nodes: Vec<NodeId> = access.nodes.iter().copied().filter(is_own).collect();
            let place = finder.view.body(func).insts[access.inst].place;
            spots.add(finder, &chosen.what, place, Some(func), nodes);
        }
        let start = entering(finder, &chosen.cells, true);
        if let Some(ObjectKind::Global(global)) = chosen.object.map(|id| &finder.view.points_to.objects.get(id).kind) {
            spots.add(finder, &chosen.what, finder.view.program.globals[*global].place, None, start);
        }
        // Of what nobody writes, the reads of it alone.
        let bare = memory.unwritten(&chosen.cells);
        for access in memory.readers(&bare) {
            let reads = |inst| memory.accesses.functions[access.func].touches.get(inst)?.reads;
            if reads(&access.inst).is_some_and(|set| memory.accesses.sets[set].is_subset(&bare)) {
                let place = finder.view.body(access.func).insts[access.inst].place;
                spots.add(finder, &chosen.what, place, Some(access.func), access.nodes);
            }
        }
    }
    let found = spots.finish();
    if found.is_empty() {
        let message = format!("no definition of `{}` is about it alone", pattern.name);
        return Err(Miss::new(message, "`location` chooses statements"));
    }
    Ok(found)
}
