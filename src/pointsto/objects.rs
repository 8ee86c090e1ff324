//! What pointers point to: objects and places in them.
//!
//! An object has a [`Shape`]: its parts are the places that a pointer can name, its leaves are the [`CellId`]s that hold values. Beside its
//! parts an object has one more place, *anywhere in it*, for pointers of which no more is known.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::shape::{PartId, Shape, ShapeId, Shapes};
use crate::base::IdVec;
use crate::define_id;
use crate::ir::{FuncId, GlobalId, LocalId, Program, TypeId, Types, ValueId};

define_id!(/// An object, or all objects that one place of the program makes.
    ObjectId, "o");
define_id!(/// What a pointer can name: a part of an object, or anywhere in it.
    PlaceId, "at");
define_id!(/// A leaf of an object: memory that is read and written as one.
    CellId, "cell");

/// What an object is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectKind {
    /// A variable with static storage, or a literal.
    Global(GlobalId),
    /// A variable of a function's activations.
    Local(FuncId, LocalId),
    /// A function.
    Function(FuncId),
    /// What a call, or an `alloca`, makes.
    Heap {
        /// Where: the function and the call.
        at: (FuncId, ValueId),
        /// The function called, if the call is one.
        callee: Option<FuncId>,
        /// The calls of allocation wrappers by which it got there, the outermost first.
        through: Vec<(FuncId, ValueId)>,
    },
    /// The variable arguments of a function.
    Varargs(FuncId),
    /// A hidden object of the library (`state NAME`).
    State(String),
    /// A sequence of values from or to the outside (`stream NAME`).
    Stream(String),
    /// `errno`
    Errno,
    /// A variable of the library that the program does not declare (`global NAME` in a model).
    Library(String),
    /// Memory at an absolute address: a device register.
    Address(u64),
    /// All string literals.
    Literals,
    /// What nobody knows: memory of callers of an entry, of units that are missing, of unknown functions.
    World,
}

impl ObjectKind {
    /// The state that holds what threads returned.
    pub fn threads() -> ObjectKind {
        ObjectKind::State("threads".to_owned())
    }
}

/// An object.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// How it is divided.
    pub shape: ShapeId,
    /// Its first place, which is anywhere in it; its parts follow.
    pub first_place: PlaceId,
    /// Its first cell.
    pub first_cell: CellId,
    /// Whether it stands for one object at a time: a variable of the program, not of several activations.
    pub unique: bool,
    /// An object of the library into which pointers do not lead (`FILE`).
    pub opaque: bool,
    /// It is known outside, and is one with all that is there.
    pub outside: bool,
}

/// All objects.
#[derive(Debug, Default)]
pub struct Objects {
    pub(super) shapes: Shapes,
    all: IdVec<ObjectId, Object>,
    known: FxHashMap<ObjectKind, ObjectId>,
    /// The object of each place.
    of_place: IdVec<PlaceId, ObjectId>,
    /// The object of each cell.
    of_cell: IdVec<CellId, ObjectId>,
}

impl Objects {
    /// The object of a kind, if it was made.
    pub fn find(&self, kind: &ObjectKind) -> Option<ObjectId> {
        self.known.get(kind).copied()
    }
    /// Makes an object. Panics if there is one of its kind.
    pub(super) fn make(&mut self, kind: ObjectKind, shape: ShapeId, unique: bool, opaque: bool) -> ObjectId {
        let id = self.all.next_id();
        let tree = self.shapes.get(shape);
        let (parts, leaves) = (tree.parts().len(), tree.leaf_count());
        let (first_place, first_cell) = (self.of_place.next_id(), self.of_cell.next_id());
        for _ in 0..=parts {
            self.of_place.push(id);
        }
        for _ in 0..leaves {
            self.of_cell.push(id);
        }
        assert!(self.known.insert(kind.clone(), id).is_none(), "{kind:?} is made once");
        self.all.push(Object { kind, shape, first_place, first_cell, unique, opaque, outside: false })
    }
    /// An object becomes one with what is outside, which is the first object.
    pub(super) fn let_out(&mut self, id: ObjectId) {
        self.all[id].outside = true;
    }
    /// All objects.
    pub fn iter(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        self.all.enumerate()
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
    /// How many cells all objects have.
    pub fn cell_count(&self) -> usize {
        self.of_cell.len()
    }
    /// An object.
    pub fn get(&self, id: ObjectId) -> &Object {
        &self.all[id]
    }
    /// The object of a place.
    pub fn of_place(&self, place: PlaceId) -> ObjectId {
        self.of_place[self.current(place)]
    }
    /// The object of a cell.
    pub fn of_cell(&self, cell: CellId) -> ObjectId {
        self.of_cell[cell]
    }
    /// The tree of an object.
    pub fn shape(&self, id: ObjectId) -> &Shape {
        self.shapes.get(self.all[id].shape)
    }
    /// Anywhere in an object.
    pub fn anywhere(&self, id: ObjectId) -> PlaceId {
        if self.all[id].outside { PlaceId(0) } else { self.all[id].first_place }
    }
    /// A place as it is named now: of what is known outside, anywhere there.
    pub fn current(&self, place: PlaceId) -> PlaceId {
        if self.all[self.of_place[place]].outside { PlaceId(0) } else { place }
    }
    /// A part of an object; `None`: anywhere in it.
    pub fn place(&self, id: ObjectId, part: Option<PartId>) -> PlaceId {
        match part.filter(|_| !self.all[id].outside) {
            Some(part) => PlaceId(self.all[id].first_place.0 + 1 + part),
            None => self.anywhere(id),
        }
    }
    /// The part that a place is; `None`: anywhere.
    pub fn part(&self, place: PlaceId) -> Option<PartId> {
        let place = self.current(place);
        let first = self.all[self.of_place[place]].first_place;
        (place.0 - first.0).checked_sub(1)
    }
    /// What a pointer to the start of an object points to: memory from `malloc` to its first element.
    pub fn start(&self, id: ObjectId) -> PlaceId {
        let shape = self.shape(id);
        let open = shape.part(0).size == 0;
        self.place(id, Some(if open { shape.decay(0) } else { 0 }))
    }
    /// A place after a step that its part may take.
    pub fn step(&self, place: PlaceId, step: impl FnOnce(&Shape, PartId) -> Option<PartId>) -> PlaceId {
        let object = self.of_place(place);
        match self.part(place) {
            Some(part) => self.place(object, step(self.shape(object), part)),
            None => self.current(place),
        }
    }
    /// All cells of an object.
    pub fn cells(&self, id: ObjectId) -> CellRange {
        let object = &self.all[if self.all[id].outside { ObjectId(0) } else { id }];
        CellRange { first: object.first_cell.0, end: object.first_cell.0 + self.shapes.get(object.shape).leaf_count() }
    }
    /// The cells of a part and all its parts.
    pub fn cells_below(&self, place: PlaceId) -> CellRange {
        let object = self.of_place(place);
        match self.part(place) {
            Some(part) => {
                let (first, end) = self.shape(object).part(part).leaves;
                let base = self.all[object].first_cell.0;
                CellRange { first: base + first, end: base + end }
            }
            None => self.cells(object),
        }
    }
    /// The cells that an access of so many bytes touches.
    pub fn touched(&self, place: PlaceId, size: u64) -> CellRange {
        let object = self.of_place(place);
        let found = self.part(place).and_then(|part| self.shape(object).touched(part, size));
        match found {
            Some((first, end)) => {
                let base = self.all[object].first_cell.0;
                CellRange { first: base + first, end: base + end }
            }
            None => self.cells(object),
        }
    }
    /// The leaf of its object that a cell is.
    pub fn leaf(&self, cell: CellId) -> u32 {
        cell.0 - self.all[self.of_cell[cell]].first_cell.0
    }
    /// Whether a cell is one place in memory, all of which an access of so many bytes writes.
    pub fn is_overwritten(&self, cell: CellId, size: u64) -> bool {
        let object = self.of_cell[cell];
        self.all[object].unique && self.shape(object).covers(self.leaf(cell), size)
    }
    /// The type of a cell.
    pub fn cell_type(&self, cell: CellId) -> TypeId {
        let shape = self.shape(self.of_cell[cell]);
        shape.part(shape.leaf(self.leaf(cell))).ty
    }
    /// An object's name for people.
    pub fn name(&self, id: ObjectId, program: &Program) -> String {
        match &self.all[id].kind {
            ObjectKind::Global(global) => program.globals[*global].name.clone(),
            ObjectKind::Local(func, local) => {
                let function = &program.functions[*func];
                let name = function.body.as_ref().map_or("", |body| body.locals[*local].name.as_str());
                let name = if name.is_empty() { local.to_string() } else { name.to_owned() };
                format!("{}::{name}", function.name)
            }
            ObjectKind::Function(func) => format!("{}()", program.functions[*func].name),
            ObjectKind::Heap { at, callee, through } => {
                let what = callee.map_or("alloca", |callee| program.functions[callee].name.as_str());
                let mut name = format!("{what}@{}:{}", program.functions[at.0].name, at.1);
                for (func, call) in through {
                    let _ = write!(name, "<{}:{call}", program.functions[*func].name);
                }
                name
            }
            ObjectKind::Varargs(func) => format!("{}::...", program.functions[*func].name),
            ObjectKind::State(name) => format!("state {name}"),
            ObjectKind::Stream(name) => format!("stream {name}"),
            ObjectKind::Errno => "errno".to_owned(),
            ObjectKind::Library(name) => name.clone(),
            ObjectKind::Address(address) => format!("{address:#x}"),
            ObjectKind::Literals => "literals".to_owned(),
            ObjectKind::World => "outside".to_owned(),
        }
    }
    /// A place's name for people: `s.name[]`, `f::x`; anywhere in an object is `s.*`.
    pub fn place_name(&self, place: PlaceId, program: &Program) -> String {
        let object = self.of_place(place);
        let name = self.name(object, program);
        match self.part(place) {
            Some(part) => name + &part_name(self.shape(object), part, &program.types),
            None if self.shape(object).parts().len() == 1 => name,
            None => name + ".*",
        }
    }
    /// A cell's name for people.
    pub fn cell_name(&self, cell: CellId, program: &Program) -> String {
        let object = self.of_cell[cell];
        let shape = self.shape(object);
        self.name(object, program) + &part_name(shape, shape.leaf(self.leaf(cell)), &program.types)
    }
}

/// `.name[]` of a part.
fn part_name(shape: &Shape, part: PartId, types: &Types) -> String {
    use super::shape::PartKind;
    if part == 0 {
        return String::new();
    }
    let parent = shape.part(part).parent;
    let before = part_name(shape, parent, types);
    match &shape.part(parent).kind {
        PartKind::Array(_) => before + "[]",
        PartKind::Record(record, members) => {
            let member = members.iter().position(|at| *at == part);
            let name = member.map_or("", |member| types.records[*record].members[member].name.as_str());
            if name.is_empty() { format!("{before}.{part}") } else { format!("{before}.{name}") }
        }
        PartKind::Leaf => before,
    }
}

/// Cells that follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CellRange {
    first: u32,
    end: u32,
}

impl CellRange {
    /// How many.
    pub fn len(self) -> usize {
        (self.end - self.first) as usize
    }
    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.first == self.end
    }
    /// The only one.
    pub fn single(self) -> Option<CellId> {
        (self.len() == 1).then_some(CellId(self.first))
    }
}

impl IntoIterator for CellRange {
    type Item = CellId;
    type IntoIter = std::iter::Map<std::ops::Range<u32>, fn(u32) -> CellId>;
    fn into_iter(self) -> Self::IntoIter {
        (self.first..self.end).map(CellId)
    }
}
