//! The inclusion constraints and their least solution.
//!
//! A *variable* is a set of places: of a value, of what a cell holds, or a helper's. An edge says that one holds all of another. A
//! [`Rule`] of a variable says what follows from each place in it: loads and stores add edges, address arithmetic adds places
//! elsewhere, a call binds its callee. Places that are new to a variable are passed on once (difference propagation), in rounds
//! in topological order; variables on a cycle of edges are merged when the graph has grown enough.

use std::collections::BinaryHeap;

use rustc_hash::FxHashSet;

use super::objects::{CellId, CellRange, ObjectId, Objects, PlaceId};
use super::shape::PartKind;
use crate::base::IdVec;
use crate::base::graph::{Components, Digraph};
use crate::base::id::Id;
use crate::base::sparse::SparseSet;
use crate::define_id;
use crate::ir::{FuncId, RecordId, TypeId, Types};

define_id!(/// A variable of the constraints.
    VarId, "x");
define_id!(/// A call that is bound as its callees become known.
    SiteId, "site");

/// A set of places.
pub type Places = SparseSet<PlaceId>;

/// Which memory of an object a library function means by a pointer to it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Region {
    /// What the pointer points to, with all its parts; all elements, if that is one of an array.
    Part,
    /// So many bytes from there on.
    Bytes(u64),
    /// The array it points into; otherwise the whole object.
    Array,
    /// The whole object.
    Object,
}

impl Region {
    /// The cells it is at a place.
    pub fn cells(self, objects: &Objects, place: PlaceId) -> CellRange {
        let object = objects.of_place(place);
        let Some(part) = objects.part(place) else { return objects.cells(object) };
        let shape = objects.shape(object);
        let is_array = || shape.is_element(part) || matches!(shape.part(part).kind, PartKind::Array(_));
        match self {
            Region::Part => objects.cells_below(place),
            Region::Bytes(size) => {
                let own = shape.part(part).size;
                if own >= size || is_array() { objects.cells_below(place) } else { objects.cells(object) }
            }
            Region::Array if is_array() => objects.cells_below(place),
            Region::Array | Region::Object => objects.cells(object),
        }
    }
}

/// What follows from each place in a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Rule {
    /// `to` holds what the memory there holds.
    Load { to: VarId, size: u64 },
    /// The same for a record: a variable for each of its leaves, from `to` on.
    LoadRecord { to: VarId, leaves: u32, ty: TypeId, size: u64 },
    /// The memory there holds what `from` does.
    Store { from: VarId, size: u64 },
    /// The same for a record.
    StoreRecord { from: VarId, leaves: u32, ty: TypeId, size: u64 },
    /// `to` points to the member.
    Field { to: VarId, record: RecordId, member: u32 },
    /// `to` points so many bytes on.
    Add { to: VarId, bytes: i64 },
    /// `to` points any number of steps on.
    AddAny { to: VarId, stride: u64 },
    /// `to` points to the first element.
    Decay { to: VarId },
    /// `to` points somewhere into the same array or object.
    Into { to: VarId },
    /// `to` points anywhere into the object.
    Anywhere { to: VarId },
    /// `to` holds what a region there holds.
    LoadRegion { to: VarId, region: Region },
    /// A region there holds what `from` does.
    StoreRegion { from: VarId, region: Region },
    /// `to` holds what is in the objects, opaque ones excepted.
    LoadWhole { to: VarId },
    /// The objects, opaque ones excepted, hold what `from` does.
    StoreWhole { from: VarId },
    /// The memory there gets a copy of what is where `from` points to.
    CopyFrom { from: VarId, to_region: Region, from_region: Region },
    /// The memory where `to` points gets a copy of what is there.
    CopyTo { to: VarId, to_region: Region, from_region: Region },
    /// Functions among the places are called.
    Call { site: SiteId },
    /// What is here is known outside.
    Escape,
    /// `to` gets the places, those that the callee of this call allocated as objects of the call's own.
    Clone { to: VarId, site: SiteId, callee: FuncId },
}

/// More pairs of source and target than this are copied without telling members apart.
const PAIRS: usize = 4096;

/// What the rules ask of whoever knows the program.
pub(super) enum Event {
    /// A site calls what is at this place.
    Call(SiteId, PlaceId),
    /// The address of an object got outside.
    Escape(PlaceId),
    /// A place that comes back from an allocation wrapper.
    Clone(SiteId, FuncId, VarId, PlaceId),
}

/// The constraints.
#[derive(Default)]
pub(super) struct Solver {
    /// Merged variables lead to another; a variable that leads to itself is real.
    leads: Vec<u32>,
    sets: Vec<Places>,
    /// What was not passed on yet.
    fresh: Vec<Places>,
    edges: Vec<Vec<VarId>>,
    known: FxHashSet<(VarId, VarId)>,
    rules: Vec<Vec<Rule>>,
    /// The variable of each cell.
    cells: IdVec<CellId, VarId>,
    /// What the memory outside holds. Whatever gets there is known outside, which is all that can be said of what comes from there.
    sealed: Option<VarId>,
    /// What got there.
    escaping: Vec<PlaceId>,
    waiting: Vec<VarId>,
    is_waiting: Vec<bool>,
    rank: Vec<u32>,
    new_edges: usize,
    edge_count: usize,
}

impl Solver {
    /// A new variable.
    pub fn var(&mut self) -> VarId {
        let id = self.leads.len() as u32;
        self.leads.push(id);
        self.sets.push(Places::new());
        self.fresh.push(Places::new());
        self.edges.push(Vec::new());
        self.rules.push(Vec::new());
        self.is_waiting.push(false);
        self.rank.push(u32::MAX);
        VarId(id)
    }
    /// So many new variables in a row; the first.
    pub fn vars(&mut self, count: u32) -> VarId {
        let first = VarId(self.leads.len() as u32);
        for _ in 0..count {
            self.var();
        }
        first
    }
    /// How many variables there are, and how many edges were added.
    pub fn size(&self) -> (usize, usize) {
        (self.leads.len(), self.edge_count)
    }
    /// Makes variables for cells that are new.
    pub fn add_cells(&mut self, objects: &Objects) {
        while self.cells.len() < objects.cell_count() {
            let var = self.var();
            self.cells.push(var);
        }
    }
    /// The variable of what a cell holds.
    pub fn cell(&self, cell: CellId) -> VarId {
        self.cells[cell]
    }
    fn find(&mut self, var: VarId) -> VarId {
        let mut at = var.0;
        while self.leads[at as usize] != at {
            let next = self.leads[self.leads[at as usize] as usize];
            self.leads[at as usize] = next;
            at = next;
        }
        VarId(at)
    }
    /// What a variable holds.
    pub fn places(&self, var: VarId) -> &Places {
        let mut at = var.0;
        while self.leads[at as usize] != at {
            at = self.leads[at as usize];
        }
        &self.sets[at as usize]
    }
    /// The variable that stands for a variable and all that were merged with it.
    pub fn representative(&self, var: VarId) -> VarId {
        let mut at = var.0;
        while self.leads[at as usize] != at {
            at = self.leads[at as usize];
        }
        VarId(at)
    }
    fn wake(&mut self, var: VarId) {
        if !std::mem::replace(&mut self.is_waiting[var.index()], true) {
            self.waiting.push(var);
        }
    }
    /// Adds a place.
    pub fn add(&mut self, var: VarId, place: PlaceId) {
        let var = self.find(var);
        if self.is_sealed(var) {
            self.escaping.push(place);
            return;
        }
        if self.sets[var.index()].insert(place) {
            self.fresh[var.index()].insert(place);
            self.wake(var);
        }
    }
    fn is_sealed(&mut self, var: VarId) -> bool {
        match self.sealed {
            Some(sealed) => self.find(sealed) == var,
            None => false,
        }
    }
    /// From now on the variable holds what it does, and what gets there is told.
    pub fn seal(&mut self, var: VarId) {
        self.sealed = Some(var);
    }
    fn add_all(&mut self, var: VarId, places: &Places) {
        let var = self.find(var);
        if self.is_sealed(var) {
            let outside = &self.sets[var.index()];
            self.escaping.extend(places.difference(outside).iter());
            return;
        }
        if self.sets[var.index()].union_into(places, &mut self.fresh[var.index()]) {
            self.wake(var);
        }
    }
    /// `to` holds all that `from` does.
    pub fn edge(&mut self, from: VarId, to: VarId) {
        let (from, to) = (self.find(from), self.find(to));
        if from == to || !self.known.insert((from, to)) {
            return;
        }
        self.edges[from.index()].push(to);
        self.new_edges += 1;
        self.edge_count += 1;
        if !self.sets[from.index()].is_empty() {
            let places = std::mem::take(&mut self.sets[from.index()]);
            self.add_all(to, &places);
            self.sets[from.index()] = places;
        }
    }
    /// The same for variables in a row.
    pub fn edges(&mut self, from: VarId, to: VarId, count: u32) {
        for i in 0..count {
            self.edge(VarId(from.0 + i), VarId(to.0 + i));
        }
    }
    /// Adds a rule, which applies to what the variable holds already, too.
    pub fn rule(&mut self, var: VarId, rule: Rule) {
        let var = self.find(var);
        if self.rules[var.index()].contains(&rule) {
            return;
        }
        self.rules[var.index()].push(rule);
        if !self.sets[var.index()].is_empty() {
            // All places count as new once more: edges and places that are known cost little.
            let places = self.sets[var.index()].clone();
            self.fresh[var.index()].union_with(&places);
            self.wake(var);
        }
    }

    /// Works until nothing waits, or something outside has to be done.
    pub fn run(&mut self, objects: &Objects, types: &Types) -> Vec<Event> {
        let mut events = Vec::new();
        while events.is_empty() && !self.waiting.is_empty() {
            if !self.escaping.is_empty() {
                break;
            }
            if self.new_edges * 8 > self.edge_count {
                self.merge_cycles();
            }
            let mut heap: BinaryHeap<std::cmp::Reverse<(u32, VarId)>> = BinaryHeap::new();
            for var in std::mem::take(&mut self.waiting) {
                heap.push(std::cmp::Reverse((self.rank[var.index()], var)));
            }
            // One round: in the order of the edges, so that most variables are complete when they are passed on.
            while let Some(std::cmp::Reverse((_, var))) = heap.pop() {
                self.is_waiting[var.index()] = false;
                if self.find(var) != var {
                    continue;
                }
                self.work(var, objects, types, &mut events);
                for woken in std::mem::take(&mut self.waiting) {
                    let rank = self.rank[woken.index()];
                    heap.push(std::cmp::Reverse((rank, woken)));
                }
                if !events.is_empty() || !self.escaping.is_empty() || self.new_edges * 8 > self.edge_count + 100_000 {
                    break;
                }
            }
            self.waiting.extend(heap.into_iter().map(|entry| entry.0.1));
        }
        self.escaping.sort_unstable();
        self.escaping.dedup();
        events.extend(self.escaping.drain(..).map(Event::Escape));
        events
    }
    fn work(&mut self, var: VarId, objects: &Objects, types: &Types, events: &mut Vec<Event>) {
        let mut fresh = std::mem::take(&mut self.fresh[var.index()]);
        if fresh.is_empty() {
            return;
        }
        if fresh.iter().any(|place| objects.current(place) != place) {
            fresh = fresh.iter().map(|place| objects.current(place)).collect();
            self.sets[var.index()].union_with(&fresh);
        }
        let mut at = 0;
        while at < self.rules[var.index()].len() {
            let rule = self.rules[var.index()][at];
            self.apply(rule, &fresh, objects, types, events);
            at += 1;
        }
        let mut at = 0;
        while at < self.edges[var.index()].len() {
            let to = self.edges[var.index()][at];
            at += 1;
            let to = self.find(to);
            if to != var {
                self.add_all(to, &fresh);
            }
        }
    }
    fn apply(&mut self, rule: Rule, fresh: &Places, objects: &Objects, types: &Types, events: &mut Vec<Event>) {
        match rule {
            Rule::Load { to, size } => {
                for place in fresh.iter() {
                    for cell in objects.touched(place, size) {
                        self.edge(self.cells[cell], to);
                    }
                }
            }
            Rule::Store { from, size } => {
                for place in fresh.iter() {
                    for cell in objects.touched(place, size) {
                        self.edge(from, self.cells[cell]);
                    }
                }
            }
            Rule::LoadRecord { to, leaves, ty, size } => {
                for place in fresh.iter() {
                    let (cells, exact) = record_cells(objects, place, ty, leaves, size);
                    for (i, cell) in cells.into_iter().enumerate() {
                        if exact {
                            self.edge(self.cells[cell], VarId(to.0 + i as u32));
                        } else {
                            (0..leaves).for_each(|leaf| self.edge(self.cells[cell], VarId(to.0 + leaf)));
                        }
                    }
                }
            }
            Rule::StoreRecord { from, leaves, ty, size } => {
                for place in fresh.iter() {
                    let (cells, exact) = record_cells(objects, place, ty, leaves, size);
                    for (i, cell) in cells.into_iter().enumerate() {
                        if exact {
                            self.edge(VarId(from.0 + i as u32), self.cells[cell]);
                        } else {
                            (0..leaves).for_each(|leaf| self.edge(VarId(from.0 + leaf), self.cells[cell]));
                        }
                    }
                }
            }
            Rule::Field { to, record, member } => {
                self.step(to, fresh, |place| objects.step(place, |s, part| s.field(types, part, record, member)));
            }
            Rule::Add { to, bytes } => {
                self.step(to, fresh, |place| objects.step(place, |s, part| s.add(part, i128::from(bytes))));
            }
            Rule::AddAny { to, stride } => {
                self.step(to, fresh, |place| objects.step(place, |s, part| s.add_any(part, stride)));
            }
            Rule::Decay { to } => {
                self.step(to, fresh, |place| objects.step(place, |s, part| Some(s.decay(part))));
            }
            Rule::Into { to } => {
                self.step(to, fresh, |place| objects.step(place, |s, part| s.is_element(part).then_some(part)));
            }
            Rule::Anywhere { to } => self.step(to, fresh, |place| objects.anywhere(objects.of_place(place))),
            Rule::LoadRegion { to, region } => {
                for place in fresh.iter() {
                    for cell in region.cells(objects, place) {
                        self.edge(self.cells[cell], to);
                    }
                }
            }
            Rule::StoreRegion { from, region } => {
                for place in fresh.iter() {
                    for cell in region.cells(objects, place) {
                        self.edge(from, self.cells[cell]);
                    }
                }
            }
            Rule::LoadWhole { to } => {
                for object in whole_objects(objects, fresh) {
                    for cell in objects.cells(object) {
                        self.edge(self.cells[cell], to);
                    }
                }
            }
            Rule::StoreWhole { from } => {
                for object in whole_objects(objects, fresh) {
                    for cell in objects.cells(object) {
                        self.edge(from, self.cells[cell]);
                    }
                }
            }
            Rule::CopyFrom { from, to_region, from_region } => {
                let sources = self.places(from).clone();
                self.copy(objects, (fresh, to_region), (&sources, from_region));
            }
            Rule::CopyTo { to, to_region, from_region } => {
                let targets = self.places(to).clone();
                self.copy(objects, (&targets, to_region), (fresh, from_region));
            }
            Rule::Call { site } => events.extend(fresh.iter().map(|place| Event::Call(site, place))),
            Rule::Escape => events.extend(fresh.iter().map(Event::Escape)),
            Rule::Clone { to, site, callee } => {
                events.extend(fresh.iter().map(|place| Event::Clone(site, callee, to, place)));
            }
        }
    }
    fn step(&mut self, to: VarId, fresh: &Places, step: impl Fn(PlaceId) -> PlaceId) {
        let found: Places = fresh.iter().map(step).collect();
        self.add_all(to, &found);
    }
    /// Copies between all pairs of regions, leaf by leaf where both are of one type.
    fn copy(
        &mut self,
        objects: &Objects,
        (targets, to_region): (&Places, Region),
        (sources, from_region): (&Places, Region),
    ) {
        if targets.len() * sources.len() > PAIRS {
            // A helper between all sources and all targets.
            let middle = self.var();
            for source in sources.iter() {
                from_region.cells(objects, source).into_iter().for_each(|cell| self.edge(self.cells[cell], middle));
            }
            for target in targets.iter() {
                to_region.cells(objects, target).into_iter().for_each(|cell| self.edge(middle, self.cells[cell]));
            }
            return;
        }
        for target in targets.iter() {
            let into = to_region.cells(objects, target);
            for source in sources.iter() {
                let out = from_region.cells(objects, source);
                let whole = into == objects.cells_below(target) && out == objects.cells_below(source);
                if whole && divided_alike(objects, into, out) {
                    for (a, b) in out.into_iter().zip(into) {
                        self.edge(self.cells[a], self.cells[b]);
                    }
                } else {
                    for a in out {
                        for b in into {
                            self.edge(self.cells[a], self.cells[b]);
                        }
                    }
                }
            }
        }
    }
    /// Merges variables that hold the same because edges lead round.
    fn merge_cycles(&mut self) {
        self.new_edges = 0;
        let count = self.leads.len();
        let mut real: Vec<VarId> = Vec::with_capacity(count);
        for var in 0..count {
            real.push(self.find(VarId(var as u32)));
        }
        self.known.clear();
        self.edge_count = 0;
        for var in 0..count {
            if real[var].index() != var {
                continue;
            }
            let mut list = std::mem::take(&mut self.edges[var]);
            for to in &mut list {
                *to = real[to.index()];
            }
            list.sort_unstable();
            list.dedup();
            list.retain(|to| to.index() != var);
            self.edges[var] = list;
        }
        let graph = Digraph::build(count, |var: VarId, out: &mut Vec<VarId>| out.extend(&self.edges[var.index()]));
        let components = Components::new(&graph);
        drop(graph);
        for component in 0..components.len() {
            let members = components.members(component);
            let first = members[0];
            // What an edge leads to has a lower number.
            self.rank[first.index()] = (components.len() - component) as u32;
            for &other in &members[1..] {
                self.merge(first, other);
            }
        }
        for var in 0..count {
            if self.leads[var] as usize == var {
                let mut list = std::mem::take(&mut self.edges[var]);
                for to in &mut list {
                    *to = self.find(*to);
                }
                list.sort_unstable();
                list.dedup();
                list.retain(|to| to.index() != var);
                self.edge_count += list.len();
                self.known.extend(list.iter().map(|to| (VarId(var as u32), *to)));
                self.edges[var] = list;
            }
        }
        let waiting = std::mem::take(&mut self.waiting);
        for var in waiting {
            self.is_waiting[var.index()] = false;
            let var = self.find(var);
            self.wake(var);
        }
    }
    /// Makes `other` lead to `first`.
    fn merge(&mut self, first: VarId, other: VarId) {
        // What is outside may have been merged before, so that this is no matter of its own number.
        let brings_outside = self.is_sealed(other);
        let (set, fresh) =
            (std::mem::take(&mut self.sets[other.index()]), std::mem::take(&mut self.fresh[other.index()]));
        let (edges, rules) =
            (std::mem::take(&mut self.edges[other.index()]), std::mem::take(&mut self.rules[other.index()]));
        self.leads[other.index()] = first.0;
        if self.is_sealed(first) {
            // Merged with memory that is outside, too.
            let outside = if brings_outside { &set } else { &self.sets[first.index()] };
            let place = outside.single();
            let mine = std::mem::take(&mut self.sets[first.index()]);
            self.escaping.extend(mine.iter().chain(set.iter()).filter(|p| Some(*p) != place));
            self.sets[first.index()] = place.into_iter().collect();
            self.fresh[first.index()] = place.into_iter().collect();
            self.edges[first.index()].extend(edges);
            for rule in rules {
                if !self.rules[first.index()].contains(&rule) {
                    self.rules[first.index()].push(rule);
                }
            }
            self.wake(first);
            return;
        }
        let mine = &mut self.sets[first.index()];
        let mut new = set.difference(mine);
        new.union_with(&mine.difference(&set));
        new.union_with(&fresh);
        mine.union_with(&set);
        self.fresh[first.index()].union_with(&new);
        self.edges[first.index()].extend(edges);
        for rule in rules {
            if !self.rules[first.index()].contains(&rule) {
                self.rules[first.index()].push(rule);
            }
        }
        if !self.fresh[first.index()].is_empty() {
            self.wake(first);
        }
    }
}

/// The objects of places, each once, without the opaque ones.
fn whole_objects(objects: &Objects, places: &Places) -> Vec<ObjectId> {
    let mut found: Vec<ObjectId> = places.iter().map(|place| objects.of_place(place)).collect();
    found.dedup();
    found.retain(|object| !objects.get(*object).opaque);
    found
}

/// The cells of a record of this type at a place; whether they are its leaves one by one.
pub(super) fn record_cells(objects: &Objects, place: PlaceId, ty: TypeId, leaves: u32, size: u64) -> (CellRange, bool) {
    let object = objects.of_place(place);
    let same = objects.part(place).and_then(|part| objects.shape(object).at_same_place(part, ty));
    if let Some(part) = same {
        let cells = objects.cells_below(objects.place(object, Some(part)));
        if cells.len() == leaves as usize {
            return (cells, true);
        }
    }
    (objects.touched(place, size), false)
}

/// Whether two regions have leaves of the same types at the same distances.
pub(super) fn divided_alike(objects: &Objects, a: CellRange, b: CellRange) -> bool {
    let (Some(first_a), Some(first_b)) = (a.into_iter().next(), b.into_iter().next()) else { return false };
    let leaf = |cell: CellId, first: CellId| {
        let shape = objects.shape(objects.of_cell(cell));
        let offset = |cell| shape.part(shape.leaf(objects.leaf(cell))).offset;
        (objects.cell_type(cell), offset(cell) - offset(first))
    };
    a.len() == b.len() && a.into_iter().zip(b).all(|(x, y)| leaf(x, first_a) == leaf(y, first_b))
}
