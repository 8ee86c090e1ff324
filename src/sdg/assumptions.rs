//! What the graph rests on: where the program says too little, and what was taken instead.
//!
//! Whatever is here either makes the graph larger than it need be (arithmetic that may lead anywhere in an object), or is where a run that does what is
//! assumed not to happen may have influences that the graph lacks (a function without body that does more than the policy says).
//!
//! Cost: one walk over the bodies that are reached; the places of a pointer are looked at once for each set and kind of step.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::build::Options;
use super::graph::Sdg;
use crate::ir::*;
use crate::models::Models;
use crate::pointsto::shape::{PartId, Shape};
use crate::pointsto::{ObjectKind, Places, PointsTo, Reason, accepts, body_of};
use crate::policy::UnknownFunctions;
use crate::policy::model::{Model, Spot};
use crate::source::Place;

/// So many functions are named where there may be many.
const SHOWN: usize = 5;

/// What a graph rests on, apart from the program's own assumptions; in no particular order, but always in the same.
pub fn assumptions(
    program: &Program,
    models: &Models,
    points_to: &PointsTo,
    sdg: &Sdg,
    options: &Options,
) -> Vec<Assumption> {
    let mut finder = Finder {
        program,
        models,
        points_to,
        found: Vec::new(),
        unknown: BTreeMap::new(),
        called: BTreeSet::new(),
        widened: FxHashMap::default(),
        has_threads: !options.threads.is_empty(),
        may_leave: false,
    };
    for func in program.functions.ids().filter(|func| points_to.is_reached(*func)) {
        if let Some(body) = body_of(program, models, func) {
            finder.function(func, body);
        }
    }
    finder.external(options);
    finder.cut();
    for func in sdg.coarse() {
        let function = &program.functions[*func];
        let text = format!(
            "`{}` and what it calls touch so much memory that different variables count as one in it",
            function.name
        );
        finder.assume(AssumptionKind::Coarse, text, Some(function.place));
    }
    finder.general(options);
    finder.found
}

/// How a pointer gets from one place to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Step {
    /// To a member.
    Field(RecordId, u32),
    /// So many bytes on.
    Add(i64),
    /// Any number of steps of so many bytes.
    AddAny(u64),
    /// By arithmetic of integers.
    Computed,
}

impl Step {
    fn from(self, types: &Types, shape: &Shape, part: PartId) -> Option<PartId> {
        match self {
            Step::Field(record, member) => shape.field(types, part, record, member),
            Step::Add(bytes) => shape.add(part, i128::from(bytes)),
            Step::AddAny(stride) => shape.add_any(part, stride),
            Step::Computed => None,
        }
    }
}

/// How often something is found in a function, and where first.
#[derive(Default)]
struct Tally {
    count: usize,
    first: Option<Place>,
}

impl Tally {
    fn add(&mut self, place: Place) {
        self.count += 1;
        self.first = Some(self.first.map_or(place, |first| first.min(place)));
    }
}

struct Finder<'a> {
    program: &'a Program,
    models: &'a Models,
    points_to: &'a PointsTo,
    found: Vec<Assumption>,
    /// Functions without body and model, and where they are called first.
    unknown: BTreeMap<FuncId, Place>,
    /// Functions that are called in whatever way.
    called: BTreeSet<FuncId>,
    /// Whether a step from a set of places leads anywhere in an object.
    widened: FxHashMap<(u32, Step), bool>,
    has_threads: bool,
    /// Whether an access might be outside its object, if the program has a fault.
    may_leave: bool,
}

impl Finder<'_> {
    fn assume(&mut self, kind: AssumptionKind, text: String, place: Option<Place>) {
        self.found.push(Assumption { kind, text, place });
    }

    fn function(&mut self, func: FuncId, body: &Body) {
        let (mut widened, mut strange) = (Tally::default(), Tally::default());
        for value in body.blocks.iter().flat_map(|block| &block.insts) {
            let inst = &body.insts[*value];
            match &inst.kind {
                InstKind::Load { addr, .. } | InstKind::Store { addr, .. } => {
                    self.may_leave |= !is_inside(body, *addr);
                    if self.is_strange(func, body, *addr) {
                        strange.add(inst.place);
                    }
                }
                InstKind::Call { callee, args } => {
                    if self.call(func, body, *value, callee, args) {
                        strange.add(inst.place);
                    }
                }
                InstKind::PtrAdd { base, index, stride } => {
                    let step = match index {
                        Operand::Int(n, _) => Step::Add(n.value().wrapping_mul(i128::from(*stride)) as i64),
                        Operand::Value(_)
                        | Operand::Float(..)
                        | Operand::Global(_)
                        | Operand::Function(_)
                        | Operand::Local(_)
                        | Operand::Label(_) => Step::AddAny(*stride),
                    };
                    let by_index =
                        matches!(base, Operand::Int(..)) && self.widens(func, *value, *index, Step::Computed);
                    if by_index || self.widens(func, *value, *base, step) {
                        widened.add(inst.place);
                    }
                }
                InstKind::FieldAddr { base, record, field } => {
                    if self.widens(func, *value, *base, Step::Field(*record, *field)) {
                        widened.add(inst.place);
                    }
                }
                InstKind::Unary(..) | InstKind::Binary(..) | InstKind::Intrinsic(..) => {
                    let mut is_wide = false;
                    inst.kind.for_each_operand(|op| is_wide |= self.widens(func, *value, *op, Step::Computed));
                    if is_wide {
                        widened.add(inst.place);
                    }
                }
                InstKind::VaStart(list) | InstKind::VaArg(list) | InstKind::VaCopy { from: list, .. } => {
                    if self.is_strange(func, body, *list) {
                        strange.add(inst.place);
                    }
                }
                InstKind::Param(_)
                | InstKind::Phi(_)
                | InstKind::Copy(_)
                | InstKind::Uninit
                | InstKind::Compare(..)
                | InstKind::Cast(_)
                | InstKind::PtrDiff { .. }
                | InstKind::VaEnd(_)
                | InstKind::Alloca { .. }
                | InstKind::Asm(_)
                | InstKind::AsmOutput { .. }
                | InstKind::StandIn { .. } => {}
            }
        }
        let name = &self.program.functions[func].name;
        if widened.count > 0 {
            let text = format!(
                "a pointer that `{name}` computes is taken to lead anywhere in the object that it starts in{}",
                times(widened.count)
            );
            self.assume(AssumptionKind::PointerArithmetic, text, widened.first);
        }
        if strange.count > 0 {
            let text = format!(
                "a pointer in `{name}` that no address is known to get into is taken to be null, or to be used for nothing{}",
                times(strange.count)
            );
            self.assume(AssumptionKind::UnknownPointer, text, strange.first);
        }
    }

    // Pointers.

    fn is_empty(&self, func: FuncId, operand: Operand) -> bool {
        match operand {
            Operand::Value(value) => self.points_to.of_value(func, value).is_none_or(Places::is_empty),
            Operand::Int(..)
            | Operand::Float(..)
            | Operand::Global(_)
            | Operand::Function(_)
            | Operand::Local(_)
            | Operand::Label(_) => self.points_to.of(func, operand).is_empty(),
        }
    }
    /// Whether an address is used of which it is not known where it comes from.
    fn is_strange(&self, func: FuncId, body: &Body, addr: Operand) -> bool {
        self.is_empty(func, addr) && !is_null(body, addr)
    }
    /// Whether what is computed from a pointer may be anywhere in an object that has parts.
    fn widens(&mut self, func: FuncId, value: ValueId, from: Operand, step: Step) -> bool {
        if self.points_to.of_value(func, value).is_none_or(Places::is_empty) {
            return false;
        }
        let number = match from {
            Operand::Value(value) => self.points_to.set_number(func, value),
            Operand::Int(..)
            | Operand::Float(..)
            | Operand::Global(_)
            | Operand::Function(_)
            | Operand::Local(_)
            | Operand::Label(_) => None,
        };
        if let Some(known) = number.and_then(|number| self.widened.get(&(number, step))) {
            return *known;
        }
        let (objects, types) = (&self.points_to.objects, &self.program.types);
        let mut found = false;
        self.points_to.for_each(func, from, |place| {
            let shape = objects.shape(objects.of_place(place));
            let leaves = |part: PartId| shape.leaf_count() > 1 && step.from(types, shape, part).is_none();
            found |= objects.part(place).is_some_and(leaves);
        });
        if let Some(number) = number {
            self.widened.insert((number, step), found);
        }
        found
    }

    // Calls.

    /// A call; whether it hands a pointer of unknown origin to a function that uses it.
    fn call(&mut self, func: FuncId, body: &Body, call: ValueId, callee: &Callee, args: &[Operand]) -> bool {
        let place = body.insts[call].place;
        let points_to = self.points_to;
        let targets = points_to.targets(func, call);
        let mut is_strange = false;
        for target in targets {
            self.called.insert(target.callee);
            self.has_threads |= matches!(target.reason, Reason::Thread(_));
            if body_of(self.program, self.models, target.callee).is_some() {
                continue;
            }
            match self.models.of(&self.program.functions[target.callee]) {
                Some(model) if target.reason == Reason::Called => {
                    for pointer in pointers(model, args) {
                        self.may_leave |= !is_inside(body, pointer);
                        is_strange |= self.is_strange(func, body, pointer)
                            && self.program.types.pointee(self.program.operand_type(body, pointer)).is_some();
                    }
                }
                Some(_) => {}
                None => {
                    let first = self.unknown.entry(target.callee).or_insert(place);
                    *first = place.min(*first);
                }
            }
        }
        match callee {
            Callee::Direct(callee) => {
                let function = &self.program.functions[*callee];
                let is_unknown = function.body.is_none() && self.models.of(function).is_none();
                // Of an unknown function it is said what it may call.
                if points_to.calls_outside(func, call) && !is_unknown {
                    let text = format!(
                        "`{}` may call back functions that are not in the program: they are taken to read and write all that is known \
                         outside it, and nothing else",
                        function.name
                    );
                    self.assume(AssumptionKind::PointerCall, text, Some(place));
                }
            }
            Callee::Indirect(pointer) => self.indirect(func, body, call, *pointer, args),
        }
        is_strange
    }
    fn indirect(&mut self, func: FuncId, body: &Body, call: ValueId, pointer: Operand, args: &[Operand]) {
        let (program, points_to, place) = (self.program, self.points_to, Some(body.insts[call].place));
        let calls_outside = points_to.calls_outside(func, call);
        if calls_outside {
            let text = "this call may reach functions that are not in the program: they are taken to read and write all that is \
                        known outside it, and nothing else";
            self.assume(AssumptionKind::PointerCall, text.to_owned(), place);
        }
        let types: Vec<TypeId> = args.iter().map(|arg| program.operand_type(body, *arg)).collect();
        let mut others: BTreeSet<&str> = BTreeSet::new();
        points_to.for_each(func, pointer, |place| {
            let objects = &points_to.objects;
            if let ObjectKind::Function(callee) = objects.get(objects.of_place(place)).kind
                && !accepts(program, callee, &types)
            {
                others.insert(&program.functions[callee].name);
            }
        });
        if !others.is_empty() {
            let mut names: Vec<String> = others.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
            if others.len() > SHOWN {
                names.push(format!("{} more", others.len() - SHOWN));
            }
            let text = format!(
                "this call is taken not to reach {}: other arguments are taken there than are passed here",
                names.join(", ")
            );
            self.assume(AssumptionKind::PointerCall, text, place);
        }
        if points_to.targets(func, call).is_empty() && !calls_outside && !is_null(body, pointer) {
            let text =
                "this call is taken to do nothing: no function is known to get into its pointer that it could call";
            self.assume(AssumptionKind::PointerCall, text.to_owned(), place);
        }
    }
    /// Functions without body, and those whose body does not count.
    fn external(&mut self, options: &Options) {
        let does = match options.unknown {
            UnknownFunctions::Pure => "to compute its result from its arguments, and to do nothing else",
            UnknownFunctions::Arguments => {
                "to read and write all that its arguments reach, to call the functions among that, and to do nothing else"
            }
            UnknownFunctions::Everything => {
                "to read and write all that its arguments reach and all variables that other files can name, and to call the functions \
                 among that"
            }
        };
        for (func, place) in std::mem::take(&mut self.unknown) {
            let function = &self.program.functions[func];
            let ends = if function.noreturn { "not to return, as its declaration says" } else { "to return" };
            let text = format!("`{}` has no body and no model: it is taken {does}, and {ends}", function.name);
            self.assume(AssumptionKind::UnknownFunction, text, Some(place));
        }
        let program = self.program;
        let mut starts = std::mem::take(&mut self.called);
        starts.extend(options.entries.iter().chain(&options.threads));
        starts.extend(program.constructors.iter().chain(&program.destructors));
        for func in starts {
            let function = &program.functions[func];
            if function.body.is_some() && self.models.of(function).is_some() {
                let text =
                    format!("`{}` is taken to do what the policy's model says, not what its body does", function.name);
                self.assume(AssumptionKind::ModelReplacesBody, text, Some(function.place));
            }
        }
    }

    // Memory, and the whole program.

    /// Objects that are not divided, the first one of each type.
    fn cut(&mut self) {
        let (program, objects) = (self.program, &self.points_to.objects);
        let place_of = |func: FuncId, value: ValueId| Some(program.functions[func].body.as_ref()?.insts[value].place);
        let mut seen = FxHashSet::default();
        for (id, object) in objects.iter() {
            if !objects.shape(id).cut || !seen.insert(object.shape) {
                continue;
            }
            let place = match &object.kind {
                ObjectKind::Global(global) => Some(program.globals[*global].place),
                ObjectKind::Local(func, local) => {
                    program.functions[*func].body.as_ref().map(|body| body.locals[*local].place)
                }
                ObjectKind::Heap { at, .. } => place_of(at.0, at.1),
                ObjectKind::Function(_)
                | ObjectKind::Varargs(_)
                | ObjectKind::State(_)
                | ObjectKind::Stream(_)
                | ObjectKind::Errno
                | ObjectKind::Library(_)
                | ObjectKind::Address(_)
                | ObjectKind::Literals
                | ObjectKind::World => None,
            };
            let name = objects.name(id, program);
            let text = format!("the type of `{name}` has too many members to tell them apart: they count as one");
            self.assume(AssumptionKind::Memory, text, place);
        }
    }
    fn general(&mut self, options: &Options) {
        if self.may_leave {
            let text = "reads and writes are taken to stay inside their objects, and pointers inside the arrays they point into";
            self.assume(AssumptionKind::Memory, text.to_owned(), None);
        }
        if self.has_threads {
            let text = "threads, handlers and the program are taken to take turns at any time, in any order";
            self.assume(AssumptionKind::Threads, text.to_owned(), None);
        }
        if !options.entries.iter().any(|func| self.program.functions[*func].name == "main") {
            let text = "there is no `main`: callers are taken to call the entries, and functions they get hold of, in any order, and to change \
                        between two calls what they can reach";
            self.assume(AssumptionKind::Library, text.to_owned(), None);
        }
    }
}

/// How often, if that is more than once.
fn times(count: usize) -> String {
    if count == 1 { String::new() } else { format!(" ({count} places)") }
}

/// Whether an address is that of a variable or of a member of one, which no fault of the program can change.
fn is_inside(body: &Body, addr: Operand) -> bool {
    let mut at = addr;
    loop {
        match at {
            Operand::Global(_) | Operand::Local(_) | Operand::Function(_) | Operand::Label(_) => return true,
            Operand::Int(..) | Operand::Float(..) => return false,
            Operand::Value(value) => match &body.insts[value].kind {
                InstKind::FieldAddr { base, .. } => at = *base,
                _ => return false,
            },
        }
    }
}

/// Whether a pointer can only be null: all that gets into it are null constants.
fn is_null(body: &Body, pointer: Operand) -> bool {
    let mut work = vec![pointer];
    let mut seen: FxHashSet<ValueId> = FxHashSet::default();
    while let Some(operand) = work.pop() {
        match operand {
            Operand::Int(n, _) if n.bits() == 0 => {}
            Operand::Int(..)
            | Operand::Float(..)
            | Operand::Global(_)
            | Operand::Local(_)
            | Operand::Function(_)
            | Operand::Label(_) => return false,
            Operand::Value(value) => {
                if !seen.insert(value) {
                    continue;
                }
                match &body.insts[value].kind {
                    InstKind::Copy(from)
                    | InstKind::Cast(from)
                    | InstKind::PtrAdd { base: from, .. }
                    | InstKind::FieldAddr { base: from, .. } => work.push(*from),
                    InstKind::Phi(operands) => work.extend(operands.iter().map(|(_, operand)| *operand)),
                    _ => return false,
                }
            }
        }
    }
    true
}

/// The arguments whose memory a function with a model reads or writes.
fn pointers(model: &Model, args: &[Operand]) -> Vec<Operand> {
    let mut numbers: BTreeSet<u32> = BTreeSet::new();
    for spot in model.flows.iter().flat_map(|flow| flow.sources.iter().chain([&flow.target])) {
        match spot {
            Spot::Object(n) | Spot::Memory(n) => numbers.extend([*n]),
            Spot::Objects(n) | Spot::Memories(n) => numbers.extend(*n..=args.len() as u32),
            Spot::Return
            | Spot::Value(_)
            | Spot::Values(_)
            | Spot::Global(_)
            | Spot::Input
            | Spot::Stream(_)
            | Spot::State(_)
            | Spot::File(_)
            | Spot::Errno
            | Spot::New
            | Spot::Address(_)
            | Spot::Reached(_) => {}
        }
    }
    numbers.into_iter().filter_map(|n| args.get((n as usize).checked_sub(1)?).copied()).collect()
}
