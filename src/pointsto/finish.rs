//! The result: sets, calls, and what follows from them.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bodies::Analysis;
use super::objects::{CellId, ObjectId, ObjectKind};
use super::solver::VarId;
use super::{PointsTo, Reason, Target};
use crate::base::IdVec;
use crate::base::graph::{Components, Digraph};
use crate::base::id::Id;
use crate::base::sparse::SparseSet;
use crate::ir::{FuncId, Operand, ValueId};

impl Analysis<'_> {
    pub(super) fn finish(mut self) -> PointsTo {
        let size = self.solver.size();
        let shared = self.shared();
        let mut number: FxHashMap<VarId, u32> = FxHashMap::default();
        let mut sets = Vec::new();
        let set_of = (0..size.0 as u32)
            .map(|var| {
                let real = self.solver.representative(VarId(var));
                *number.entry(real).or_insert_with(|| {
                    sets.push(self.solver.places(real).clone());
                    sets.len() as u32 - 1
                })
            })
            .collect();
        let mut outside: Vec<ObjectId> = self.escaped.iter().copied().collect();
        outside.sort_unstable();
        outside.retain(|id| {
            let object = self.objects.get(*id);
            !object.outside && !matches!(object.kind, ObjectKind::World | ObjectKind::Function(_))
        });
        let is_new = |func: &FuncId| self.values[*func].is_some() && !self.options.entries.contains(func);
        let mut handed_out: Vec<FuncId> = if self.is_library() {
            self.escaped_functions.iter().copied().filter(is_new).collect()
        } else {
            Vec::new()
        };
        handed_out.sort_unstable();
        let recursive = self.recursive();
        let cells = (0..self.objects.cell_count())
            .map(|cell| number[&self.solver.representative(self.solver.cell(CellId::new(cell)))])
            .collect();
        let targets = self.targets.into_iter().map(|(at, found)| {
            let mut list: Vec<Target> = found.into_iter().collect();
            list.sort_unstable();
            (at, list)
        });
        let clones = self.clones.into_iter().map(|(at, found)| {
            let mut list: Vec<(ObjectId, ObjectId)> = found.into_iter().collect();
            list.sort_unstable();
            (at, list)
        });
        PointsTo {
            objects: self.objects,
            values: self.values,
            set_of,
            sets,
            addresses: self.addresses,
            targets: targets.collect(),
            unknown_calls: self.unknown_calls,
            clones: clones.collect(),
            shared,
            handed_out,
            outside,
            cells,
            recursive,
            size,
        }
    }

    /// The functions that may be called while they run.
    fn recursive(&self) -> IdVec<FuncId, bool> {
        let mut callees: IdVec<FuncId, Vec<FuncId>> = IdVec::filled(Vec::new(), self.program.functions.len());
        let runs = |t: &&Target| !matches!(t.reason, Reason::Thread(_));
        let of_call = |((func, _), targets): (&(FuncId, ValueId), &FxHashSet<Target>)| -> Vec<(FuncId, FuncId)> {
            targets.iter().filter(runs).map(|t| (*func, t.callee)).collect()
        };
        let mut calls: Vec<(FuncId, FuncId)> = self.targets.iter().flat_map(of_call).collect();
        calls.sort_unstable();
        calls.dedup();
        for (from, to) in calls {
            callees[from].push(to);
        }
        let graph = Digraph::new(callees.iter().map(|list| list.iter().copied()));
        let components = Components::new(&graph);
        let is_one =
            |func: FuncId| components.members(components.of(func)).len() > 1 || graph.successors(func).contains(&func);
        self.program.functions.ids().map(is_one).collect()
    }
    /// The objects whose address is in memory, or is passed to a function.
    fn shared(&mut self) -> SparseSet<ObjectId> {
        let mut vars: Vec<VarId> = Vec::new();
        for (object, _) in self.objects.iter() {
            vars.extend(self.objects.cells(object).into_iter().map(|cell| self.solver.cell(cell)));
        }
        let program = self.program;
        for (func, _, body) in program.bodies() {
            for param in &body.params {
                if let Some((var, count)) = self.operand(func, Operand::Value(*param)) {
                    vars.extend((0..count).map(|i| VarId(var.0 + i)));
                }
            }
        }
        // Of variables that hold the same, one.
        let mut real: Vec<VarId> = vars.into_iter().map(|var| self.solver.representative(var)).collect();
        real.sort_unstable();
        real.dedup();
        let mut found = SparseSet::new();
        for var in real {
            found.extend(self.solver.places(var).iter().map(|place| self.objects.of_place(place)));
        }
        found
    }
}
