//! The cells that each instruction may read and write.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::base::IdVec;
use crate::base::sparse::SparseSet;
use crate::define_id;
use crate::ir::*;
use crate::models::Models;
use crate::pointsto::{
    Bond, CellId, Extent, ObjectId, ObjectKind, PlaceId, PointsTo, Reason, Region, access_size, body_of, regions,
};
use crate::policy::UnknownFunctions;
use crate::policy::model::{Model, Spot};

define_id!(/// A set of cells; equal sets have one id.
    SetId, "set");

/// Cells.
pub type Cells = SparseSet<CellId>;

/// What an instruction does to memory, in order: it reads, then it writes.
#[derive(Clone, Debug)]
pub struct Touch {
    /// The instruction.
    pub inst: ValueId,
    /// What it may read.
    pub reads: Option<SetId>,
    /// What it may write.
    pub writes: Option<SetId>,
    /// Whether it writes all of that for certain.
    pub kills: bool,
}

/// Where an effect of a call comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The value of an argument, counted from 0.
    Argument(u32),
    /// Memory.
    Memory(SetId),
}

/// Where an effect of a call goes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// The result.
    Result,
    /// Memory.
    Memory(SetId),
}

/// One flow of a function without body at a call of it.
#[derive(Clone, Debug)]
pub struct Effect {
    /// From what.
    pub sources: Vec<Source>,
    /// To what.
    pub goal: Goal,
    /// Of each source that is memory, the argument that points to it, if nothing else leads there.
    pub from: Vec<Option<u32>>,
    /// The argument that points to the goal, if nothing else leads there.
    pub to: Option<u32>,
}

/// What a function without body does at a call.
#[derive(Clone, Debug, Default)]
pub struct External {
    /// The flows.
    pub effects: Vec<Effect>,
    /// Memory that is overwritten for certain.
    pub kills: Option<SetId>,
    /// What the parameters of each callback get, in order; `None`: anything.
    pub callbacks: Vec<Option<Vec<Vec<Source>>>>,
    /// The argument that each thread gets.
    pub threads: Vec<Option<u32>>,
    /// States that the call writes: whether its threads run depends on them.
    pub states: Vec<SetId>,
    /// It is not known what it does.
    pub unknown: bool,
}

/// The accesses of one function.
#[derive(Clone, Debug, Default)]
pub struct Accesses {
    /// Of instructions that are no calls, in the order of the blocks.
    pub touches: BTreeMap<ValueId, Touch>,
    /// Of calls, for each function without body that is called.
    pub externals: BTreeMap<(ValueId, FuncId), External>,
}

/// All accesses of a program.
#[derive(Debug, Default)]
pub struct AllAccesses {
    /// The different sets.
    pub sets: IdVec<SetId, Cells>,
    known: FxHashMap<Cells, SetId>,
    /// By function; nothing for those that are not reached.
    pub functions: IdVec<FuncId, Accesses>,
}

impl AllAccesses {
    /// Of a program.
    pub fn new(program: &Program, models: &Models, points_to: &PointsTo, unknown: UnknownFunctions) -> Self {
        let objects = &points_to.objects;
        let world = objects.find(&ObjectKind::World).expect("points-to makes it");
        let mut outside: Cells = objects.cells(world).into_iter().collect();
        outside.extend(points_to.outside.iter().flat_map(|object| objects.cells(*object)));
        let mut found =
            AllAccesses { functions: IdVec::filled(Accesses::default(), program.functions.len()), ..Self::default() };
        for func in program.functions.ids().filter(|func| points_to.is_reached(*func)) {
            let Some(body) = body_of(program, models, func) else { continue };
            let mut finder =
                Finder { program, models, points_to, unknown, func, body, all: &mut found, outside: &outside, world };
            let accesses = finder.accesses();
            found.functions[func] = accesses;
        }
        found
    }
    fn intern(&mut self, cells: Cells) -> Option<SetId> {
        if cells.is_empty() {
            return None;
        }
        if let Some(id) = self.known.get(&cells) {
            return Some(*id);
        }
        let id = self.sets.push(cells.clone());
        self.known.insert(cells, id);
        Some(id)
    }
}

struct Finder<'a> {
    program: &'a Program,
    models: &'a Models,
    points_to: &'a PointsTo,
    unknown: UnknownFunctions,
    func: FuncId,
    body: &'a Body,
    all: &'a mut AllAccesses,
    /// What a pointer to outside may point to.
    outside: &'a Cells,
    world: ObjectId,
}

impl Finder<'_> {
    fn accesses(&mut self) -> Accesses {
        let mut found = Accesses::default();
        for block in &self.body.blocks {
            for inst in &block.insts {
                if let InstKind::Call { args, .. } = &self.body.insts[*inst].kind {
                    self.call(*inst, args, &mut found);
                } else if let Some(touch) = self.touch(*inst) {
                    found.touches.insert(*inst, touch);
                }
            }
        }
        found
    }
    fn touch(&mut self, inst: ValueId) -> Option<Touch> {
        let types = &self.program.types;
        match &self.body.insts[inst].kind {
            InstKind::Load { addr, access } => {
                let (cells, _) = self.accessed(*addr, access_size(types, access));
                let reads = self.all.intern(cells);
                Some(Touch { inst, reads, writes: None, kills: false })
            }
            InstKind::Store { addr, access, .. } => {
                let size = access_size(types, access);
                let (cells, exact) = self.accessed(*addr, size);
                let objects = &self.points_to.objects;
                // One place, and all of its bytes. A volatile object may be changed by others at once.
                let kills = exact && access.bits.is_none() && cells.iter().all(|cell| self.is_killed(cell, size));
                let kills = kills && (cells.single().is_some() || covers_all(objects, &cells, size));
                let writes = self.all.intern(cells);
                Some(Touch { inst, reads: None, writes, kills })
            }
            InstKind::VaStart(list) => {
                let writes = self.region(*list, Region::Part);
                let writes = self.all.intern(writes);
                Some(Touch { inst, reads: None, writes, kills: false })
            }
            InstKind::VaArg(list) => {
                let list = self.region(*list, Region::Part);
                let writes = self.all.intern(list.clone());
                let mut reads = list;
                // Whose arguments they are is in the list; any function's may be.
                for (id, object) in self.points_to.objects.iter() {
                    if matches!(object.kind, ObjectKind::Varargs(_)) {
                        reads.extend(self.points_to.objects.cells(id));
                    }
                }
                let reads = self.all.intern(reads);
                Some(Touch { inst, reads, writes, kills: false })
            }
            InstKind::VaCopy { to, from } => {
                let (to, from) = (self.region(*to, Region::Part), self.region(*from, Region::Part));
                let (writes, reads) = (self.all.intern(to), self.all.intern(from));
                Some(Touch { inst, reads, writes, kills: false })
            }
            InstKind::Asm(asm) => {
                let operands: Vec<Operand> =
                    asm.inputs.iter().map(|(_, op)| *op).chain(asm.memory.iter().copied()).collect();
                Some(self.anything(inst, &operands))
            }
            InstKind::StandIn { operands, .. } => Some(self.anything(inst, operands)),
            InstKind::Param(_)
            | InstKind::Phi(_)
            | InstKind::Copy(_)
            | InstKind::Uninit
            | InstKind::Unary(..)
            | InstKind::Binary(..)
            | InstKind::Compare(..)
            | InstKind::Cast(_)
            | InstKind::PtrAdd { .. }
            | InstKind::PtrDiff { .. }
            | InstKind::FieldAddr { .. }
            | InstKind::Call { .. }
            | InstKind::VaEnd(_)
            | InstKind::Alloca { .. }
            | InstKind::AsmOutput { .. }
            | InstKind::Intrinsic(..) => None,
        }
    }
    /// Reads and writes all that is reached from some operands.
    fn anything(&mut self, inst: ValueId, operands: &[Operand]) -> Touch {
        let cells = self.reached(operands.iter().copied(), false);
        let set = self.all.intern(cells);
        Touch { inst, reads: set, writes: set, kills: false }
    }
    /// Whether a write of so many bytes to a cell overwrites it.
    fn is_killed(&self, cell: CellId, size: u64) -> bool {
        let objects = &self.points_to.objects;
        let object = objects.of_cell(cell);
        let own = match objects.get(object).kind {
            // Of a function that is called again while it runs, the variable may be another activation's.
            ObjectKind::Local(func, _) => self.points_to.is_private(object) || (!self.points_to.is_recursive(func)),
            ObjectKind::Global(_)
            | ObjectKind::Function(_)
            | ObjectKind::Heap { .. }
            | ObjectKind::Varargs(_)
            | ObjectKind::State(_)
            | ObjectKind::Stream(_)
            | ObjectKind::Errno
            | ObjectKind::Library(_)
            | ObjectKind::Address(_)
            | ObjectKind::Literals
            | ObjectKind::World => true,
        };
        own && objects.is_overwritten(cell, size)
    }
    /// The cells that an access at an address touches; whether there is one address only.
    fn accessed(&self, addr: Operand, size: u64) -> (Cells, bool) {
        let mut found = Cells::new();
        let mut places = 0;
        let mut exact = true;
        self.points_to.for_each(self.func, addr, |place| {
            places += 1;
            let objects = &self.points_to.objects;
            exact &= objects.part(place).is_some();
            self.add(&mut found, place, |place| objects.touched(place, size));
        });
        (found, exact && places == 1)
    }
    /// Adds the cells of a place: all that is known outside, if that is where it is.
    fn add(&self, to: &mut Cells, place: PlaceId, cells: impl Fn(PlaceId) -> crate::pointsto::CellRange) {
        if self.points_to.objects.of_place(place) == self.world {
            to.union_with(self.outside);
        } else {
            to.extend(cells(place));
        }
    }
    fn region(&self, pointer: Operand, region: Region) -> Cells {
        let mut found = Cells::new();
        let objects = &self.points_to.objects;
        self.points_to.for_each(self.func, pointer, |place| {
            let opaque_function = matches!(objects.get(objects.of_place(place)).kind, ObjectKind::Function(_));
            if !opaque_function {
                self.add(&mut found, place, |place| region.cells(objects, place));
            }
        });
        found
    }
    /// All that is reached from the values of some operands; `enter`: the objects of the library, too.
    fn reached(&self, operands: impl Iterator<Item = Operand>, enter: bool) -> Cells {
        let mut work: Vec<ObjectId> = Vec::new();
        for operand in operands {
            self.points_to.for_each(self.func, operand, |place| work.push(self.points_to.objects.of_place(place)));
        }
        self.closure(work, enter)
    }
    fn closure(&self, mut work: Vec<ObjectId>, enter: bool) -> Cells {
        let objects = &self.points_to.objects;
        let mut seen: SparseSet<ObjectId> = SparseSet::new();
        let mut found = Cells::new();
        while let Some(object) = work.pop() {
            if !seen.insert(object) || matches!(objects.get(object).kind, ObjectKind::Function(_)) {
                continue;
            }
            if objects.get(object).opaque && !enter {
                continue;
            }
            if object == self.world {
                found.union_with(self.outside);
                work.extend(&self.points_to.outside);
            }
            for cell in objects.cells(object) {
                found.insert(cell);
                work.extend(self.points_to.held(cell).iter().map(|place| objects.of_place(place)));
            }
        }
        found
    }

    // Calls of functions without body.

    fn call(&mut self, call: ValueId, args: &[Operand], found: &mut Accesses) {
        // By callee, the call's own before those that another function calls.
        let targets = self.points_to.targets(self.func, call);
        for (i, target) in targets.iter().enumerate() {
            let callee = target.callee;
            if i > 0 && targets[i - 1].callee == callee {
                continue;
            }
            if body_of(self.program, self.models, callee).is_some() {
                continue;
            }
            let external = match self.models.of(&self.program.functions[callee]) {
                // A library function that is called back gets other arguments than the call's: anything that these reach.
                Some(_) if target.reason != Reason::Called => self.called_back(args),
                Some(model) => self.modelled(call, callee, model, args),
                None => self.unknown(args),
            };
            found.externals.insert((call, callee), external);
        }
        if self.points_to.calls_outside(self.func, call) {
            // Nobody knows what is called: it may do anything to what is known outside.
            let set = self.all.intern(self.outside.clone());
            let sources = (0..args.len() as u32).map(Source::Argument).chain(set.map(Source::Memory)).collect();
            let external = External { unknown: true, effects: both(sources, set), ..External::default() };
            found.externals.insert((call, OUTSIDE), external);
        }
    }
    /// A library function that another one calls with what it got.
    fn called_back(&mut self, args: &[Operand]) -> External {
        let cells = self.reached(args.iter().copied(), true);
        let set = self.all.intern(cells);
        let sources = (0..args.len() as u32).map(Source::Argument).chain(set.map(Source::Memory)).collect();
        External { effects: both(sources, set), ..External::default() }
    }
    /// A function of which nothing is known.
    fn unknown(&mut self, args: &[Operand]) -> External {
        let arguments = (0..args.len() as u32).map(Source::Argument);
        let set = match self.unknown {
            UnknownFunctions::Pure => None,
            UnknownFunctions::Arguments => {
                let cells = self.reached(args.iter().copied(), true);
                self.all.intern(cells)
            }
            UnknownFunctions::Everything => {
                let mut cells = self.reached(args.iter().copied(), true);
                cells.union_with(self.outside);
                self.all.intern(cells)
            }
        };
        let sources: Vec<Source> = arguments.chain(set.map(Source::Memory)).collect();
        External { unknown: true, effects: both(sources, set), ..External::default() }
    }
    fn modelled(&mut self, call: ValueId, callee: FuncId, model: &Model, args: &[Operand]) -> External {
        let extent = regions(self.program, self.body, &self.program.functions[callee], model, args);
        let at = At { call, callee, args, extent };
        let mut found = External::default();
        for flow in &model.flows {
            let (mut sources, mut from): (Vec<Source>, Vec<Option<u32>>) = (Vec::new(), Vec::new());
            for spot in &flow.sources {
                self.sources(&at, spot, &mut sources);
                from.resize(sources.len(), led_by(spot));
                // To read a stream moves on in it.
                if matches!(spot, Spot::Stream(_)) && flow.target != *spot {
                    let cells = self.memory(&at, spot);
                    if let Some(set) = self.all.intern(cells) {
                        let (sources, goal) = (vec![Source::Memory(set)], Goal::Memory(set));
                        let effect = Effect { sources, goal, from: vec![None], to: None };
                        found.effects.push(effect);
                    }
                }
            }
            if flow.target == Spot::Return {
                found.effects.push(Effect { sources, goal: Goal::Result, from, to: None });
                continue;
            }
            let cells = self.memory(&at, &flow.target);
            if let Some(set) = self.all.intern(cells) {
                if matches!(flow.target, Spot::State(_)) && !model.threads.is_empty() {
                    found.states.push(set);
                }
                found.effects.push(Effect { sources, goal: Goal::Memory(set), from, to: led_by(&flow.target) });
            }
        }
        found.kills = self.overwritten(&at, model);
        for callback in &model.callbacks {
            let spots = callback.arguments.as_ref().map(|spots| {
                let given = |spot: &Spot| {
                    let mut sources = Vec::new();
                    self.sources(&at, spot, &mut sources);
                    sources
                };
                spots.iter().map(given).collect()
            });
            found.callbacks.push(spots);
        }
        found.threads = model.threads.iter().map(|thread| thread.argument).collect();
        found
    }
    /// Memory that a model says is overwritten: all of it, in one place.
    fn overwritten(&mut self, at: &At<'_>, model: &Model) -> Option<SetId> {
        let mut killed = Cells::new();
        for (n, _) in &model.overwrites {
            let Some(operand) = at.args.get(*n as usize - 1) else { continue };
            let Region::Bytes(size) = at.extent.argument(*n) else { continue };
            let places = self.points_to.of(self.func, *operand);
            let Some(place) = places.single() else { continue };
            let objects = &self.points_to.objects;
            let Some(part) = objects.part(place) else { continue };
            let shape = objects.shape(objects.of_place(place));
            let whole = shape.part(part);
            // The array is overwritten if all of its bytes are.
            let (all, bytes) = if shape.is_element(part) { (false, 0) } else { (true, whole.size) };
            if all && bytes > 0 && size >= bytes {
                let cells = objects.cells_below(place);
                killed.extend(cells.into_iter().filter(|cell| self.is_killed(*cell, bytes)));
            }
        }
        self.all.intern(killed)
    }
    fn sources(&mut self, at: &At<'_>, spot: &Spot, to: &mut Vec<Source>) {
        let count = at.args.len() as u32;
        let mut pointers: Vec<u32> = Vec::new();
        match spot {
            Spot::Return
            | Spot::Input
            | Spot::New
            | Spot::Address(_)
            | Spot::Global(_)
            | Spot::Stream(_)
            | Spot::State(_)
            | Spot::Errno
            | Spot::Reached(_) => {}
            Spot::Value(n) => to.extend((*n <= count).then_some(Source::Argument(n - 1))),
            Spot::Values(n) => to.extend((*n..=count).map(|n| Source::Argument(n - 1))),
            Spot::Object(n) | Spot::Memory(n) | Spot::File(n) => pointers.push(*n),
            Spot::Objects(n) | Spot::Memories(n) => pointers.extend(*n..=count),
        }
        // What is read through a pointer depends on where it points.
        to.extend(pointers.into_iter().filter(|n| *n <= count).map(|n| Source::Argument(n - 1)));
        let cells = self.memory(at, spot);
        to.extend(self.all.intern(cells).map(Source::Memory));
    }
    /// The cells that a spot means.
    fn memory(&self, at: &At<'_>, spot: &Spot) -> Cells {
        let objects = &self.points_to.objects;
        let arg = |n: u32| at.args.get(n as usize - 1).copied();
        let whole = |kind: ObjectKind| -> Cells {
            objects.find(&kind).map(|object| objects.cells(object).into_iter().collect()).unwrap_or_default()
        };
        match spot {
            Spot::Return | Spot::Input | Spot::Value(_) | Spot::Values(_) | Spot::Address(_) => Cells::new(),
            Spot::Object(n) => arg(*n).map(|a| self.region(a, at.extent.argument(*n))).unwrap_or_default(),
            Spot::Objects(n) => {
                let mut found = Cells::new();
                for n in *n..=at.args.len() as u32 {
                    found.union_with(&arg(n).map(|a| self.region(a, at.extent.argument(n))).unwrap_or_default());
                }
                found
            }
            Spot::Memory(n) => self.reached(arg(*n).into_iter(), false),
            Spot::Memories(n) => self.reached(at.args.iter().skip(*n as usize - 1).copied(), false),
            Spot::Global(name) => self.named(name).map(|o| objects.cells(o).into_iter().collect()).unwrap_or_default(),
            Spot::Stream(name) => whole(ObjectKind::Stream(name.clone())),
            Spot::State(name) => whole(ObjectKind::State(name.clone())),
            Spot::Errno => whole(ObjectKind::Errno),
            Spot::New => {
                let kind = ObjectKind::Heap { at: (self.func, at.call), callee: Some(at.callee), through: Vec::new() };
                whole(kind)
            }
            Spot::Reached(from) => {
                let start = match from.as_ref() {
                    Spot::State(name) => objects.find(&ObjectKind::State(name.clone())),
                    Spot::Global(name) => self.named(name),
                    _ => None,
                };
                self.closure(start.into_iter().collect(), false)
            }
            Spot::File(n) => {
                let Some(operand) = arg(*n) else { return Cells::new() };
                match Bond::of(self.program, self.body, operand) {
                    Bond::Path => whole(ObjectKind::State("files".to_owned())),
                    Bond::Standard(name) => whole(ObjectKind::Stream(name.to_owned())),
                    Bond::Held => self.file(operand),
                }
            }
        }
    }
    /// The files that a value stands for, with the states that they are views of; one of unknown origin, for any file.
    fn file(&self, operand: Operand) -> Cells {
        let objects = &self.points_to.objects;
        let mut found = Cells::new();
        let mut is_known = false;
        self.points_to.for_each(self.func, operand, |place| {
            let object = objects.of_place(place);
            is_known |= object != self.world;
            self.add(&mut found, place, |place| objects.cells(objects.of_place(place)));
            let ObjectKind::Heap { callee: Some(callee), .. } = &objects.get(object).kind else { return };
            let Some(model) = self.models.of(&self.program.functions[*callee]) else { return };
            for view in model.views() {
                if let Some(state) = objects.find(&ObjectKind::State(view.to_owned())) {
                    found.extend(objects.cells(state));
                }
            }
        });
        if !is_known {
            for (id, object) in objects.iter() {
                let is_file = matches!(object.kind, ObjectKind::Heap { .. } | ObjectKind::Stream(_)) && object.opaque;
                let is_files = matches!(&object.kind, ObjectKind::State(name) if name == "files");
                if is_file || is_files {
                    found.extend(objects.cells(id));
                }
            }
        }
        found
    }
    fn named(&self, name: &str) -> Option<ObjectId> {
        let objects = &self.points_to.objects;
        let is_it = |g: &Global| g.name == name && g.linkage != Linkage::Internal;
        let own = self.program.globals.enumerate().find(|(_, g)| is_it(g)).map(|(id, _)| ObjectKind::Global(id));
        objects.find(&own.unwrap_or_else(|| ObjectKind::Library(name.to_owned())))
    }
}

/// Stands for whatever is called outside.
pub const OUTSIDE: FuncId = FuncId(u32::MAX);

/// All sources to the result and to the memory.
fn both(sources: Vec<Source>, set: Option<SetId>) -> Vec<Effect> {
    let from = vec![None; sources.len()];
    let mut found = vec![Effect { sources: sources.clone(), goal: Goal::Result, from: from.clone(), to: None }];
    found.extend(set.map(|set| Effect { sources, goal: Goal::Memory(set), from, to: None }));
    found
}

/// The argument, counted from 0, whose object a spot is.
fn led_by(spot: &Spot) -> Option<u32> {
    match spot {
        Spot::Object(n) => Some(n - 1),
        Spot::Return
        | Spot::Value(_)
        | Spot::Values(_)
        | Spot::Objects(_)
        | Spot::Memory(_)
        | Spot::Memories(_)
        | Spot::Global(_)
        | Spot::Input
        | Spot::Stream(_)
        | Spot::State(_)
        | Spot::File(_)
        | Spot::Errno
        | Spot::New
        | Spot::Address(_)
        | Spot::Reached(_) => None,
    }
}

/// A call of a function that has a model.
struct At<'a> {
    call: ValueId,
    callee: FuncId,
    args: &'a [Operand],
    extent: Extent,
}

/// Whether cells of one object take all of so many bytes: a record that is stored as a whole.
fn covers_all(objects: &crate::pointsto::Objects, cells: &Cells, size: u64) -> bool {
    let bytes: u64 = cells
        .iter()
        .map(|cell| {
            let shape = objects.shape(objects.of_cell(cell));
            shape.part(shape.leaf(objects.leaf(cell))).size
        })
        .sum();
    bytes <= size
}
