//! What may point where, as plain data that any analysis can fill, and as text.

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use crate::base::IdVec;
use crate::define_id;
use crate::ir::{Body, FuncId, InstKind, Operand, Program, ValueId};
use crate::pointsto::{ObjectKind, PlaceId, PointsTo};
use crate::source::{Place, Sources};

define_id!(/// Something that points or is pointed to.
    CellId, "c");

/// What may point where.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pointers {
    /// Pointers and what they may point to, in the order of the program.
    pub cells: IdVec<CellId, Cell>,
    /// Which may point to which, ascending.
    pub edges: Vec<(CellId, CellId)>,
}

/// Something that points or is pointed to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cell {
    /// Its name: `main::p`, `table.next`, `malloc at list.c:12`.
    pub name: String,
    /// What it is.
    pub kind: CellKind,
    /// The function that it belongs to, if it does.
    pub function: Option<FuncId>,
    /// Where it is declared or made.
    pub place: Option<Place>,
}

/// Kinds of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellKind {
    /// A variable in no memory: it points, and nothing points to it.
    Value,
    /// Memory: it can be pointed to, and may point.
    Object,
    /// A function.
    Function,
}

impl Pointers {
    /// Those of these functions, and all that can be reached from them.
    #[must_use]
    pub fn below(&self, functions: &[FuncId]) -> Pointers {
        let mut new: IdVec<CellId, Option<CellId>> = IdVec::filled(None, self.cells.len());
        let mut reached: IdVec<CellId, bool> = IdVec::filled(false, self.cells.len());
        let own = |cell: &Cell| cell.function.is_some_and(|function| functions.contains(&function));
        let mut work: Vec<CellId> = self.cells.enumerate().filter(|(_, cell)| own(cell)).map(|(id, _)| id).collect();
        while let Some(id) = work.pop() {
            if !std::mem::replace(&mut reached[id], true) {
                work.extend(self.targets(id));
            }
        }
        let mut kept = Pointers::default();
        for (id, cell) in self.cells.enumerate().filter(|(id, _)| reached[*id]) {
            new[id] = Some(kept.cells.push(cell.clone()));
        }
        kept.edges = self.edges.iter().filter_map(|(from, to)| Some((new[*from]?, new[*to]?))).collect();
        kept
    }
    /// What a cell may point to.
    pub fn targets(&self, from: CellId) -> impl Iterator<Item = CellId> {
        let start = self.edges.partition_point(|(cell, _)| *cell < from);
        self.edges[start..].iter().take_while(move |(cell, _)| *cell == from).map(|(_, to)| *to)
    }
}

/// What the pointers of a program may point to: its variables, and the memory that is stored to or read by an address of one place.
pub fn of(program: &Program, points_to: &PointsTo) -> Pointers {
    let mut table = Table { program, points_to, all: Pointers::default(), by_name: FxHashMap::default() };
    for (func, _, body) in program.bodies().filter(|(func, ..)| points_to.is_reached(*func)) {
        for value in body.blocks.iter().flat_map(|block| &block.insts) {
            table.instruction(func, body, *value);
        }
    }
    let mut all = table.all;
    all.edges.sort_unstable();
    all.edges.dedup();
    all
}

/// Cells by name, as they are found.
struct Table<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    all: Pointers,
    by_name: FxHashMap<String, CellId>,
}

impl Table<'_> {
    fn instruction(&mut self, func: FuncId, body: &Body, value: ValueId) {
        let inst = &body.insts[value];
        if let Some(local) = inst.var.filter(|local| !body.locals[*local].name.is_empty()) {
            let name = format!("{}::{}", self.program.functions[func].name, body.locals[local].name);
            let (function, place) = (Some(func), Some(body.locals[local].place));
            self.points(Cell { name, kind: CellKind::Value, function, place }, func, Operand::Value(value));
        }
        match inst.kind {
            InstKind::Store { addr, value, .. } => {
                for place in self.points_to.of(func, addr).iter() {
                    self.points(self.memory(place), func, value);
                }
            }
            InstKind::Load { addr, .. } => {
                // From several places comes what any of them holds.
                let places = self.points_to.of(func, addr);
                let mut places = places.iter();
                if let (Some(place), None) = (places.next(), places.next()) {
                    self.points(self.memory(place), func, Operand::Value(value));
                }
            }
            _ => {}
        }
    }
    /// The cell may hold what the operand holds.
    fn points(&mut self, from: Cell, func: FuncId, held: Operand) {
        let held = self.points_to.of(func, held);
        if held.is_empty() {
            return;
        }
        let from = self.cell(from);
        for place in held.iter() {
            let to = self.cell(self.memory(place));
            self.all.edges.push((from, to));
        }
    }
    fn cell(&mut self, cell: Cell) -> CellId {
        if let Some(id) = self.by_name.get(&cell.name) {
            return *id;
        }
        let name = cell.name.clone();
        let id = self.all.cells.push(cell);
        self.by_name.insert(name, id);
        id
    }
    fn memory(&self, place: PlaceId) -> Cell {
        let objects = &self.points_to.objects;
        let name = objects.place_name(place, self.program);
        let body = |func: FuncId| self.program.functions[func].body.as_ref();
        let (kind, function, place) = match &objects.get(objects.of_place(place)).kind {
            ObjectKind::Global(global) => {
                let global = &self.program.globals[*global];
                (CellKind::Object, global.owner, Some(global.place))
            }
            ObjectKind::Local(func, local) => {
                (CellKind::Object, Some(*func), body(*func).map(|body| body.locals[*local].place))
            }
            ObjectKind::Heap { at: (func, value), .. } => {
                (CellKind::Object, Some(*func), body(*func).map(|body| body.insts[*value].place))
            }
            ObjectKind::Varargs(func) => (CellKind::Object, Some(*func), None),
            ObjectKind::Function(func) => (CellKind::Function, None, Some(self.program.functions[*func].place)),
            ObjectKind::State(_)
            | ObjectKind::Stream(_)
            | ObjectKind::Errno
            | ObjectKind::Library(_)
            | ObjectKind::Address(_)
            | ObjectKind::Literals
            | ObjectKind::World => (CellKind::Object, None, None),
        };
        Cell { name, kind, function, place }
    }
}

/// A line for each that may point somewhere: `main::p -> main::x, y    ; file.c:3`.
pub fn text(pointers: &Pointers, sources: &Sources) -> String {
    let mut out = Vec::new();
    for (id, cell) in pointers.cells.enumerate() {
        let targets: Vec<&str> = pointers.targets(id).map(|to| pointers.cells[to].name.as_str()).collect();
        if targets.is_empty() {
            continue;
        }
        let line = format!("{} -> {}", cell.name, targets.join(", "));
        match cell.place.map(|place| sources.locate(place)) {
            Some(at) => out.push(format!("{line:<48} ; {}:{}\n", at.file.display(), at.line)),
            None => out.push(format!("{line}\n")),
        }
    }
    out.concat()
}

/// The same for programs.
pub fn json(pointers: &Pointers, sources: &Sources) -> Value {
    let pointing = pointers.cells.enumerate().filter(|(id, _)| pointers.targets(*id).next().is_some());
    let list = pointing.map(|(id, cell)| {
        let targets: Vec<&str> = pointers.targets(id).map(|to| pointers.cells[to].name.as_str()).collect();
        let at = cell.place.map(|place| sources.locate(place));
        let place = at.map(|at| json!({ "file": at.file.to_string_lossy(), "line": at.line, "column": at.column }));
        json!({ "name": cell.name, "place": place, "points_to": targets })
    });
    json!({ "kind": "points-to", "pointers": list.collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::graph;
    use crate::source::{DataModel, Location, of_texts};

    fn cell(name: &str, kind: CellKind, function: Option<u32>) -> Cell {
        Cell { name: name.to_owned(), kind, function: function.map(FuncId), place: None }
    }

    /// `f::p -> a, b`, `b -> h()`, `g::q -> a`.
    fn sample() -> Pointers {
        let cells = [
            cell("f::p", CellKind::Value, Some(0)),
            cell("a", CellKind::Object, None),
            cell("b", CellKind::Object, None),
            cell("g::q", CellKind::Value, Some(1)),
            cell("h()", CellKind::Function, None),
        ];
        let edges = [(0, 1), (0, 2), (2, 4), (3, 1)].map(|(from, to)| (CellId(from), CellId(to))).to_vec();
        Pointers { cells: cells.into_iter().collect(), edges }
    }

    #[test]
    fn what_points_somewhere_has_a_line() {
        let sources = of_texts(Vec::new(), DataModel::lp64()).sources;
        assert_eq!(text(&sample(), &sources), "f::p -> a, b\nb -> h()\ng::q -> a\n");
        assert_eq!(json(&sample(), &sources)["pointers"][0]["points_to"], json!(["a", "b"]));
    }

    #[test]
    fn below_a_function_is_what_its_pointers_lead_to() {
        let kept = sample().below(&[FuncId(0)]);
        let names: Vec<&str> = kept.cells.iter().map(|cell| cell.name.as_str()).collect();
        assert_eq!(names, ["f::p", "a", "b", "h()"]);
        assert_eq!(kept.edges, [(0, 1), (0, 2), (2, 3)].map(|(from, to)| (CellId(from), CellId(to))));
    }

    #[test]
    fn the_graph_has_a_node_for_each_cell() {
        let nowhere = |_| Location { file: "".into(), line: 1, column: 1, end_line: 1, end_column: 1 };
        let graph = graph::points_to(&sample(), &nowhere);
        assert_eq!((graph.nodes.len(), graph.edges.len()), (5, 4));
        assert!(graph.edges.iter().all(|edge| edge.kind == graph::EdgeKind::PointsTo));
    }
}
