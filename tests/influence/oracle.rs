//! The oracle: what is outside a slice is changed, and what is recorded at the slice's criterion must stay.
//!
//! A *place* is a spot of a function where a value is computed, copied, stored, passed, returned or decided by, or a call happens. A program
//! runs once as it is; then, for each criterion, with arbitrary changes at places outside the criterion's slice. The recorded sequences must be
//! equal. A changed run that does something undefined or does not end in time is compared as far as it went.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use flowcheck::interp::watch::{Change, Event, Observed, Spot, Watch, watch};
use flowcheck::interp::{End, Setup};
use flowcheck::ir::{BlockId, Body, Callee, FuncId, InstKind, Operand, Program, Terminator, Type, TypeId, Types};
use flowcheck::source::Sources;

use crate::support::generator::Random;

/// A place in the program.
pub type Place = (FuncId, Spot);

/// What is observed.
#[derive(Clone, Debug)]
pub struct Criterion {
    /// In words.
    pub name: String,
    /// Where values are recorded.
    pub points: BTreeSet<Place>,
}

/// The places in the slice of a criterion.
pub type Slicer<'a> = dyn Fn(&Criterion) -> BTreeSet<Place> + 'a;

/// How much to try.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Criteria of a program.
    pub criteria: usize,
    /// Changed runs for each.
    pub runs: usize,
}

/// What was tried and found.
#[derive(Clone, Copy, Default, Debug)]
pub struct Tally {
    /// Programs whose plain run ends.
    pub programs: usize,
    /// Criteria with a place outside their slice.
    pub criteria: usize,
    /// Changed runs.
    pub runs: usize,
    /// Those that ended regularly.
    pub complete: usize,
    /// Executed places, and those of them outside the slice, summed over all criteria.
    pub places: usize,
    /// See [`Tally::places`].
    pub outside: usize,
}

impl Tally {
    /// Both together.
    pub fn add(&mut self, other: Tally) {
        self.programs += other.programs;
        self.criteria += other.criteria;
        self.runs += other.runs;
        self.complete += other.complete;
        self.places += other.places;
        self.outside += other.outside;
    }
}

/// A program with its plain run.
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// To show places.
    pub sources: &'a Sources,
    /// The executed places that can be changed.
    pub places: Vec<Place>,
    blocks: BTreeSet<(FuncId, BlockId)>,
    steps: u64,
}

/// How a run ended, for the comparison.
struct Run {
    events: Vec<Event>,
    complete: bool,
}

impl<'a> Subject<'a> {
    /// Runs the program; an error tells how it ended, if not well.
    pub fn new(program: &'a Program, sources: &'a Sources, max_steps: u64) -> Result<Subject<'a>, End> {
        let plan = Watch { blocks: true, strict: true, ..Watch::default() };
        let setup = Setup { args: vec![b"program".to_vec()], max_steps, ..Setup::default() };
        let (outcome, seen) = watch(program, &setup, &plan);
        match outcome.end {
            End::Exit(_) | End::Signal(_) => {}
            End::Trap { .. } | End::Limit => return Err(outcome.end),
        }
        let blocks: BTreeSet<_> = seen.blocks.iter().copied().collect();
        let places = places(program, &blocks);
        Ok(Subject { program, sources, places, blocks, steps: outcome.steps })
    }

    fn run(&self, criterion: &Criterion, changes: BTreeMap<Place, Change>) -> Run {
        let plan =
            Watch { strict: true, record: criterion.points.clone(), changes, max_events: 20_000, ..Watch::default() };
        let max_steps = self.steps * 4 + 5_000;
        let setup = Setup { args: vec![b"program".to_vec()], max_steps, max_memory: 1 << 28, ..Setup::default() };
        let (outcome, Observed { events, .. }) = watch(self.program, &setup, &plan);
        let complete = match outcome.end {
            End::Exit(_) | End::Signal(_) => true,
            End::Trap { .. } | End::Limit => false,
        };
        Run { events, complete }
    }

    /// Criteria of all kinds: calls of `printf`, values, decisions.
    pub fn criteria(&self, count: usize, random: &mut Random) -> Vec<Criterion> {
        let mut prints = Vec::new();
        let mut others = Vec::new();
        for &(f, block) in &self.blocks {
            let body = body(self.program, f);
            for &v in &body.blocks[block].insts {
                let InstKind::Call { callee: Callee::Direct(callee), args } = &body.insts[v].kind else { continue };
                if self.program.functions[*callee].name == "printf" {
                    let arguments = (0..args.len() as u32).map(|index| (f, Spot::Argument { call: v, index }));
                    prints.push(arguments.chain([(f, Spot::Call(v))]).collect::<BTreeSet<_>>());
                }
            }
        }
        for &(f, spot) in &self.places {
            if matches!(spot, Spot::Value(_) | Spot::Choice(_)) {
                others.push(BTreeSet::from([(f, spot)]));
            }
        }
        let mut chosen: Vec<Criterion> = Vec::new();
        for i in 0..count {
            let from = if i % 4 < 2 && !prints.is_empty() { &prints } else { &others };
            if from.is_empty() {
                continue;
            }
            let points = from[random.below(from.len())].clone();
            let name = points.iter().map(|p| self.show(*p)).collect::<Vec<_>>().join(", ");
            chosen.push(Criterion { name, points });
        }
        chosen
    }

    /// A place in words.
    pub fn show(&self, (f, spot): Place) -> String {
        let body = body(self.program, f);
        let at = match spot {
            Spot::Value(v) | Spot::PhiOperand { phi: v, .. } | Spot::Argument { call: v, .. } | Spot::Call(v) => {
                body.insts[v].place
            }
            Spot::Choice(b) | Spot::Return(b) => body.blocks[b].term_place,
        };
        let located = self.sources.locate(at);
        let what = match spot {
            Spot::Value(v) | Spot::PhiOperand { phi: v, .. } => format!("{:?}", body.insts[v].kind),
            Spot::Argument { .. } | Spot::Call(_) | Spot::Choice(_) | Spot::Return(_) => String::new(),
        };
        let text: String = self.sources.text(at).chars().take(60).collect();
        format!("{} {spot:?} line {} `{text}` {what}", self.program.functions[f].name, located.line)
    }

    /// A change that fits the place.
    pub fn change(&self, (f, spot): Place, gentle: bool, random: &mut Random) -> Change {
        let seed = random.next();
        let body = body(self.program, f);
        let (ty, skips) = match spot {
            Spot::Call(_) => return Change::Skip,
            Spot::Value(v) => match body.insts[v].kind {
                InstKind::Store { access, .. } => (access.ty, true),
                _ => (body.insts[v].ty, false),
            },
            Spot::PhiOperand { phi, .. } => (body.insts[phi].ty, false),
            Spot::Choice(_) => (Types::INT, false),
            Spot::Return(b) => match body.blocks[b].term.operand() {
                Some(op) => (self.program.operand_type(body, *op), false),
                None => (Types::VOID, false),
            },
            Spot::Argument { call, index } => match &body.insts[call].kind {
                InstKind::Call { args, .. } => (self.program.operand_type(body, args[index as usize]), false),
                _ => (Types::VOID, false),
            },
        };
        let pointer = self.program.types.pointee(ty).is_some();
        if skips && (random.below(3) == 0 || !changeable(self.program, ty)) {
            return Change::Skip;
        }
        if pointer || random.below(8) == 0 {
            return Change::First;
        }
        match random.below(if gentle { 3 } else { 6 }) {
            0 => Change::Below(seed),
            1 => Change::Xor(1),
            2 => Change::Set(0),
            3 => Change::Add(1),
            4 => Change::Small(seed),
            _ => Change::Arbitrary(seed),
        }
    }

    /// Tries a slicer; a text for each difference.
    pub fn check(&self, slicer: &Slicer<'_>, effort: Effort, seed: u64) -> (Tally, Vec<String>) {
        let mut random = Random::new(seed);
        let mut tally = Tally { programs: 1, ..Tally::default() };
        let mut found = Vec::new();
        for criterion in self.criteria(effort.criteria, &mut random) {
            let slice = slicer(&criterion);
            let outside: Vec<Place> = self.places.iter().copied().filter(|p| !slice.contains(p)).collect();
            tally.places += self.places.len();
            tally.outside += outside.len();
            if outside.is_empty() {
                continue;
            }
            tally.criteria += 1;
            let plain = self.run(&criterion, BTreeMap::new());
            for trial in 0..effort.runs {
                let count = match trial % 4 {
                    0 => outside.len(),
                    1 => 1,
                    2 => outside.len().div_ceil(2),
                    _ => 4,
                };
                let mut changes = BTreeMap::new();
                for _ in 0..count {
                    let place = if count == outside.len() {
                        outside[changes.len()]
                    } else {
                        outside[random.below(outside.len())]
                    };
                    changes.insert(place, self.change(place, trial % 3 == 0, &mut random));
                }
                let run = self.run(&criterion, changes.clone());
                tally.runs += 1;
                tally.complete += usize::from(run.complete);
                if differs(&plain, &run) {
                    let least = self.least(&criterion, &plain, changes);
                    found.push(self.report(&criterion, &plain, &least));
                    break;
                }
            }
        }
        (tally, found)
    }

    /// Fewer of the changes that still make a difference.
    fn least(
        &self,
        criterion: &Criterion,
        plain: &Run,
        mut changes: BTreeMap<Place, Change>,
    ) -> BTreeMap<Place, Change> {
        let mut piece = changes.len().div_ceil(2);
        while changes.len() > 1 {
            let keys: Vec<Place> = changes.keys().copied().collect();
            let without = keys.chunks(piece).find_map(|chunk| {
                let mut fewer = changes.clone();
                fewer.retain(|k, _| !chunk.contains(k));
                (!fewer.is_empty() && differs(plain, &self.run(criterion, fewer.clone()))).then_some(fewer)
            });
            match without {
                Some(fewer) => changes = fewer,
                None if piece == 1 => break,
                None => {}
            }
            piece = piece.div_ceil(2).min(changes.len());
        }
        changes
    }

    fn report(&self, criterion: &Criterion, plain: &Run, changes: &BTreeMap<Place, Change>) -> String {
        let run = self.run(criterion, changes.clone());
        let mut text = format!("criterion: {}\n", criterion.name);
        for (place, change) in changes {
            let _ = writeln!(text, "outside the slice, changed by {change:?}: {}", self.show(*place));
        }
        let values = |run: &Run| {
            let list: Vec<String> = run.events.iter().take(12).map(|e| (e.value as i128).to_string()).collect();
            format!(
                "{} ({} values, {})",
                list.join(" "),
                run.events.len(),
                if run.complete { "complete" } else { "cut" }
            )
        };
        let _ = writeln!(text, "before: {}\nafter:  {}", values(plain), values(&run));
        text
    }

    /// How many executed places are seen to influence the criterion, by changing each alone in `tries` ways.
    pub fn influencers(&self, criterion: &Criterion, tries: usize, random: &mut Random) -> BTreeSet<Place> {
        let plain = self.run(criterion, BTreeMap::new());
        let mut found = BTreeSet::new();
        for &place in &self.places {
            let seen = (0..tries).any(|i| {
                let change = self.change(place, i % 2 == 0, random);
                differs(&plain, &self.run(criterion, BTreeMap::from([(place, change)])))
            });
            if seen {
                found.insert(place);
            }
        }
        found
    }
}

/// Whether a changed run shows something else than the plain run, which is complete.
fn differs(plain: &Run, changed: &Run) -> bool {
    let common = plain.events.len().min(changed.events.len());
    plain.events[..common] != changed.events[..common]
        || changed.events.len() > plain.events.len()
        || (changed.complete && changed.events.len() < plain.events.len())
}

/// The body of a function that has one.
pub fn body(program: &Program, f: FuncId) -> &Body {
    program.functions[f].body.as_ref().expect("what is executed has a body")
}

/// Whether values of the type can be changed: numbers and pointers.
pub fn changeable(program: &Program, ty: TypeId) -> bool {
    let types = &program.types;
    types.as_int(ty).is_some() || types.pointee(ty).is_some() || matches!(types.get(ty), Type::Float(_))
}

/// The places in these blocks where something can be changed.
fn places(program: &Program, blocks: &BTreeSet<(FuncId, BlockId)>) -> Vec<Place> {
    let mut found = Vec::new();
    for &(f, id) in blocks {
        let body = body(program, f);
        let block = &body.blocks[id];
        let fits = |op: Operand| changeable(program, program.operand_type(body, op));
        for &v in &block.insts {
            let inst = &body.insts[v];
            match &inst.kind {
                InstKind::Store { .. } => found.push((f, Spot::Value(v))),
                InstKind::Call { args, .. } => {
                    // A pointer that was never made cannot be used.
                    let pointer = program.types.pointee(inst.ty).is_some();
                    if inst.ty == Types::VOID || (changeable(program, inst.ty) && !pointer) {
                        found.push((f, Spot::Call(v)));
                    }
                    for (index, arg) in args.iter().enumerate() {
                        if fits(*arg) {
                            found.push((f, Spot::Argument { call: v, index: index as u32 }));
                        }
                    }
                }
                InstKind::Phi(args) if changeable(program, inst.ty) => {
                    for (operand, (from, _)) in args.iter().enumerate() {
                        if blocks.contains(&(f, *from)) {
                            found.push((f, Spot::PhiOperand { phi: v, operand: operand as u32 }));
                        }
                    }
                }
                _ => {}
            }
            if changeable(program, inst.ty) {
                found.push((f, Spot::Value(v)));
            }
        }
        match &block.term {
            Terminator::Branch { .. } | Terminator::Switch { .. } => found.push((f, Spot::Choice(id))),
            Terminator::Return(Some(op)) if fits(*op) => found.push((f, Spot::Return(id))),
            Terminator::Jump(_) | Terminator::IndirectJump { .. } | Terminator::Return(_) | Terminator::Unreachable => {
            }
        }
    }
    found
}
