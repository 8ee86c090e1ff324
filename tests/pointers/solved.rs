//! What `pointsto` says, as claims.

use flowcheck::interp::watch::{Object, Touch};
use flowcheck::ir::{FuncId, Operand, Program, ValueId};
use flowcheck::models::Models;
use flowcheck::pointsto::shape::{PartKind, Shape};
use flowcheck::pointsto::{self, ObjectKind, Options, PointsTo};

use super::Claims;

/// The result for a program.
pub struct Solved<'a> {
    program: &'a Program,
    points_to: PointsTo,
}

impl<'a> Solved<'a> {
    /// Of a program that starts in `main`.
    pub fn new(program: &'a Program) -> Solved<'a> {
        let main = |(f, function): (FuncId, &flowcheck::ir::Function)| (function.name == "main").then_some(f);
        let entries = program.functions.enumerate().filter_map(main).collect();
        let options = Options { entries, ..Options::default() };
        Solved { program, points_to: pointsto::solve(program, &Models::new(&[]), &options) }
    }

    /// Whether the analysis' object may be the one that a run touched.
    fn is(&self, kind: &ObjectKind, object: Object) -> bool {
        match (kind, object) {
            (ObjectKind::Global(a), Object::Global(b)) => *a == b,
            (ObjectKind::Literals, Object::Global(b)) => self.program.globals[b].name.starts_with(".str"),
            (ObjectKind::Local(f, a), Object::Local(g, b)) => (*f, *a) == (g, b),
            (ObjectKind::Function(a), Object::Function(b)) => *a == b,
            (ObjectKind::Heap { at, through, .. }, Object::Heap { function, call, caller }) => {
                *at == (function, call) && through.last().is_none_or(|last| Some(*last) == caller)
            }
            (ObjectKind::Heap { at, .. }, Object::Alloca(function, inst)) => *at == (function, inst),
            _ => false,
        }
    }
}

/// The leaves of a shape that hold this byte; none if that cannot be told.
fn leaves_at(shape: &Shape, part: u32, offset: u64) -> Option<(u32, u32)> {
    let this = shape.part(part);
    match &this.kind {
        PartKind::Leaf => Some(this.leaves),
        PartKind::Array(0) => None,
        PartKind::Array(size) => leaves_at(shape, part + 1, offset % size),
        PartKind::Record(_, members) => {
            let holds = |member: &&u32| {
                let at = shape.part(**member);
                let start = at.offset - this.offset;
                start <= offset && (at.size == 0 || offset < start + at.size)
            };
            let member = members.iter().find(holds)?;
            leaves_at(shape, *member, offset - (shape.part(*member).offset - this.offset))
        }
    }
}

impl Claims for Solved<'_> {
    fn show(&self, program: &Program, function: FuncId, address: Operand) -> String {
        let mut names = Vec::new();
        self.points_to.for_each(function, address, |place| {
            names.push(self.points_to.objects.place_name(place, program));
        });
        names.join(" ")
    }
    fn may_touch(&self, touch: &Touch, address: Operand, size: u64) -> bool {
        let objects = &self.points_to.objects;
        let mut covered = false;
        self.points_to.for_each(touch.function, address, |place| {
            let id = objects.of_place(place);
            if covered || !self.is(&objects.get(id).kind, touch.object) {
                return;
            }
            covered = match leaves_at(objects.shape(id), 0, touch.offset) {
                None => true,
                Some((first, end)) => {
                    objects.touched(place, size).into_iter().any(|cell| (first..end).contains(&objects.leaf(cell)))
                }
            };
        });
        covered
    }
    fn may_call(&self, function: FuncId, call: ValueId, callee: FuncId) -> bool {
        self.points_to.targets(function, call).iter().any(|target| target.callee == callee)
    }
}
