//! Decisions for people: atoms and conditions in C, the values of a witness, the steps of its path.

use rustc_hash::{FxHashMap, FxHashSet};

use super::decision::{Atom, Decision, Input, Kind, Run as Taken, Setting, Shown, Step, Witness};
use super::exact::Move;
use super::search::Solved;
use super::words;
use crate::base::bits::IdSet;
use crate::pathcond::atoms::Atoms;
use crate::pathcond::engine::bdds::Mode;
use crate::pathcond::engine::show::{self as condition, Factor, ShowLimits, density, show};
use crate::pathcond::engine::{
    self, AtomId, Condition, Formula, FormulaId, Formulas, Literal, NOTHING, Solution, Variable, moments,
};
use crate::pathcond::leaves::{LeafKind, Run};
use crate::pathcond::system::{Conditions, Point, State, UP};
use crate::pathcond::values::{FrameId, Values};
use crate::sdg::{EdgeKind, NodeId};
use crate::solve::eval::{Assignment, eval};
use crate::solve::term::{TermId, VarId};
use crate::solve::z3::{self, Answer, Budget};
use crate::source::Place;

/// A condition as a term: one choice per node of its diagram.
pub fn term(values: &mut Values<'_>, atoms: &Atoms, solution: &Solution, condition: &Condition) -> TermId {
    let mut definitions: Vec<TermId> = Vec::new();
    for body in &solution.definitions {
        let term = diagram(values, atoms, &definitions, body);
        definitions.push(term);
    }
    diagram(values, atoms, &definitions, condition)
}

fn diagram(values: &mut Values<'_>, atoms: &Atoms, definitions: &[TermId], condition: &Condition) -> TermId {
    if condition.is_false() {
        return values.terms.bool(false);
    }
    let mut below = vec![values.terms.bool(false), values.terms.bool(true)];
    for decision in condition.decisions() {
        let variable = match decision.variable {
            Variable::Atom(atom) => atoms.table[atom].term,
            Variable::Definition(id) => definitions[id.0 as usize],
        };
        let term = values.terms.ite(variable, below[decision.high], below[decision.low]);
        below.push(term);
    }
    *below.last().expect("true and false are there")
}

/// A formula as a term.
pub fn formula(values: &mut Values<'_>, atoms: &Atoms, formulas: &Formulas, id: FormulaId) -> TermId {
    let mut known: FxHashMap<FormulaId, TermId> = FxHashMap::default();
    // Those inside others come first.
    for part in formulas.inside(id) {
        let term = match formulas.get(part) {
            Formula::True => values.terms.bool(true),
            Formula::False => values.terms.bool(false),
            Formula::Literal(Literal { atom, positive: true }) => atoms.table[*atom].term,
            Formula::Literal(Literal { atom, positive: false }) => values.terms.not(atoms.table[*atom].term),
            Formula::And(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|part| known[part]).collect();
                values.terms.and(&parts)
            }
            Formula::Or(parts) => {
                let parts: Vec<TermId> = parts.iter().map(|part| known[part]).collect();
                values.terms.or(&parts)
            }
        };
        known.insert(part, term);
    }
    known[&id]
}

/// Atoms of a contradiction.
pub fn core(
    setting: &Setting<'_>,
    values: &mut Values<'_>,
    atoms: &Atoms,
    solution: &Solution,
    condition: &Condition,
    budget: &Budget,
) -> Vec<Atom> {
    let bdd = term(values, atoms, solution, condition);
    // The condition over free Booleans, and what each of them says.
    let mut parts: Vec<TermId> = Vec::new();
    let mut ids: Vec<AtomId> = Vec::new();
    let used: Vec<AtomId> = atoms.table.ids().collect();
    let reachable = values.terms.reachable(&[bdd]);
    for id in used {
        if reachable.binary_search(&atoms.table[id].term).is_ok() {
            ids.push(id);
        }
    }
    if ids.len() > 200 {
        return Vec::new();
    }
    let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
    for id in &ids {
        let free = values.terms.fresh(crate::solve::term::Sort::Bool, "b");
        let atom = atoms.table[*id].term;
        known.insert(atom, free);
        let (a, b) = (values.terms.implies(free, atom), values.terms.implies(atom, free));
        parts.push(values.terms.and(&[a, b]));
    }
    let abstracted = {
        let mut definitions: Vec<TermId> = Vec::new();
        let replaced = |values: &mut Values<'_>, condition: &Condition, definitions: &[TermId]| {
            let mut below = vec![values.terms.bool(false), values.terms.bool(true)];
            for decision in condition.decisions() {
                let variable = match decision.variable {
                    Variable::Atom(atom) => {
                        let term = atoms.table[atom].term;
                        known.get(&term).copied().unwrap_or(term)
                    }
                    Variable::Definition(id) => definitions[id.0 as usize],
                };
                let term = values.terms.ite(variable, below[decision.high], below[decision.low]);
                below.push(term);
            }
            *below.last().expect("true and false are there")
        };
        for body in &solution.definitions {
            let term = replaced(values, body, &definitions);
            definitions.push(term);
        }
        replaced(values, condition, &definitions)
    };
    parts.push(abstracted);
    parts.extend(values.facts(&parts));
    match z3::check(&parts, &values.terms, budget) {
        Answer::Unsat(core) => {
            let kept: Vec<AtomId> = core.into_iter().filter_map(|i| ids.get(i).copied()).collect();
            words::atoms(setting, values, atoms, &kept)
        }
        Answer::Sat(_) | Answer::Unknown(_) => Vec::new(),
    }
}

/// Whether a path needs both runs: what one does that the other does not, and the reverse.
pub fn needs_both(first: Point, moves: &[Move]) -> bool {
    let mut seen = [false; 2];
    for state in std::iter::once(first.state).chain(moves.iter().map(|m| m.to.state)) {
        match state {
            State::Only(Run::A) | State::Memory(Run::A) => seen[0] = true,
            State::Only(Run::B) | State::Memory(Run::B) => seen[1] = true,
            State::Differs => {}
        }
    }
    seen == [true, true]
}

/// The values and the path of a solved formula.
pub fn witness(
    setting: &Setting<'_>,
    values: &mut Values<'_>,
    first: Point,
    moves: &[Move],
    demands: &[TermId],
    model: &Assignment,
) -> Witness {
    let mut inputs: Vec<Input> = Vec::new();
    let mut moments: Vec<Box<[u32]>> = Vec::new();
    let mut seen: FxHashMap<(LeafKey, Option<Place>), usize> = FxHashMap::default();
    for var in values.terms.variables_of(demands) {
        let Some(leaf) = values.leaves.of(&values.terms, var).cloned() else { continue };
        if matches!(
            leaf.kind,
            LeafKind::Address(_) | LeafKind::Cell(_) | LeafKind::Undefined(..) | LeafKind::Decision(..)
        ) {
            continue;
        }
        let (Some(text), Some(place)) = (words::leaf_text(setting, &leaf), leaf.place) else { continue };
        let key = values.terms.variable(var).key.expect("leaves have keys");
        let sort = values.terms.variable(var).sort;
        let this = values.terms.var(key, sort, "");
        let value = words::number(setting, &leaf, &eval(&values.terms, this, model));
        let Some(value) = value else { continue };
        let id = (LeafKey { kind: leaf.kind.clone(), instance: leaf.instance.clone() }, leaf.place);
        match seen.get(&id) {
            None => {
                seen.insert(id, inputs.len());
                let (value, other) = match leaf.run {
                    Some(Run::B) => (String::new(), Some(value)),
                    Some(Run::A) | None => (value, None),
                };
                inputs.push(Input { name: text, place, value, other });
                moments.push(leaf.instance);
            }
            Some(at) => match leaf.run {
                Some(Run::B) => inputs[*at].other = Some(value),
                Some(Run::A) | None => inputs[*at].value = value,
            },
        }
    }
    for input in &mut inputs {
        if input.value.is_empty() {
            input.value = input.other.take().unwrap_or_default();
        }
        if input.other.as_ref() == Some(&input.value) {
            input.other = None;
        }
    }
    let mut inputs = numbered(setting, inputs, moments);
    inputs.sort_by(|a, b| (a.place, &a.name).cmp(&(b.place, &b.name)));
    let mut path = vec![step(setting, first, Kind::Data)];
    for m in moves {
        let kind = match m.edge.kind {
            EdgeKind::Control(_) => Kind::Control,
            EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order | EdgeKind::Summary => Kind::Data,
            EdgeKind::Call | EdgeKind::ParamIn => Kind::Call,
            EdgeKind::ParamOut => Kind::Return,
            EdgeKind::Interference => Kind::Interference,
        };
        path.push(step(setting, m.to, kind));
    }
    Witness { inputs, path }
}

/// Names that occur more than once get their line, and those of one line the number of the moment, in the order of the path.
fn numbered(setting: &Setting<'_>, inputs: Vec<Input>, moments: Vec<Box<[u32]>>) -> Vec<Input> {
    let line = |input: &Input| setting.sources.locate(input.place).line;
    let mut all: Vec<(Input, Box<[u32]>)> = inputs.into_iter().zip(moments).collect();
    all.sort_by(|(a, first), (b, second)| (&a.name, a.place, first).cmp(&(&b.name, b.place, second)));
    let keys: Vec<(String, u32)> = all.iter().map(|(input, _)| (input.name.clone(), line(input))).collect();
    for (at, (input, _)) in all.iter_mut().enumerate() {
        let (name, line) = &keys[at];
        let alike = |keys: &[(String, u32)]| keys.iter().filter(|key| **key == (name.clone(), *line)).count();
        let (same, which) = (alike(&keys), alike(&keys[..=at]));
        if same > 1 {
            input.name = format!("{name} (line {line}, moment {which} of {same})");
        } else if keys.iter().filter(|(other, _)| other == name).count() > 1 {
            input.name = format!("{name} (line {line})");
        }
    }
    all.into_iter().map(|(input, _)| input).collect()
}

/// The share of all cases in which a condition of one path holds, if its atoms are independent.
pub fn share(shown: &Shown) -> f64 {
    shown.clauses.iter().map(|clause| 0.5f64.powi(clause.len() as i32)).fold(0.0, f64::max)
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct LeafKey {
    kind: LeafKind,
    instance: Box<[u32]>,
}

/// The step to a call that one run makes.
pub fn sink(setting: &Setting<'_>, call: NodeId, run: Run) -> Step {
    let point = Point { node: call, state: State::Only(run), context: UP, stage: 0, fresh: false };
    step(setting, point, Kind::Control)
}

fn step(setting: &Setting<'_>, point: Point, kind: Kind) -> Step {
    let run = match point.state {
        State::Differs => Taken::Both,
        State::Only(Run::A) | State::Memory(Run::A) => Taken::A,
        State::Only(Run::B) | State::Memory(Run::B) => Taken::B,
    };
    let node = &setting.sdg.nodes()[point.node];
    Step { node: point.node, place: node.place, function: setting.sdg.function(point.node), run, kind }
}

/// The condition of one path: when its points are executed, in the run that takes them, the first where both do.
pub fn of_path(
    setting: &Setting<'_>,
    values: &mut Values<'_>,
    first: Point,
    moves: &[Move],
    frames: &[FrameId],
) -> Shown {
    let mut clause: Vec<Atom> = Vec::new();
    let points = std::iter::once(first).chain(moves.iter().map(|m| m.to));
    for (point, frame) in points.zip(frames) {
        let run = match point.state {
            State::Only(run) | State::Memory(run) => run,
            State::Differs => Run::A,
        };
        let term = values.executed(*frame, run, point.node);
        for atom in words::terms(setting, values, &[term]) {
            if atom.text != "1" && !clause.contains(&atom) {
                clause.push(atom);
            }
        }
    }
    let words: Vec<String> = clause.iter().map(|atom| words::bracketed(&atom.text)).collect();
    let text = if words.is_empty() { "1".to_owned() } else { words.join(" && ") };
    let equations = vec!["this is the condition of the way that is shown; there may be others".to_owned()];
    Shown { text, clauses: vec![clause], equations, inputs: None }
}

/// The condition of a decision: of one run if that is enough.
pub fn describe(
    setting: &Setting<'_>,
    values: &mut Values<'_>,
    solved: &Solved,
    single: Option<&Solved>,
    limits: &engine::Limits<'_>,
    found: &mut Decision,
) {
    if found.runs == 1
        && let Some(Solved { conditions: single, solution }) = single.filter(|single| !single.solution.stopped)
    {
        let end = solution.conditions[single.end].clone();
        if !end.is_false() {
            let mut bdds = solution.bdds(&single.system, limits);
            let end = bdds.forget(&end, single.second, Mode::Once);
            let end = bdds.with_lemmas(&end);
            if !end.is_false() {
                found.strength = density(&mut bdds, &end);
                let plain = Meant { literal: &|literal| *literal, moves: &|_| false };
                let shown = text(setting, values, &single.atoms, &mut bdds, &end, plain, false);
                found.condition = Some(of_moments(setting, values, single, limits).unwrap_or(shown));
                return;
            }
        }
    }
    let mut bdds = solved.solution.bdds(&solved.conditions.system, limits);
    let end = solved.solution.conditions[solved.conditions.end].clone();
    found.strength = density(&mut bdds, &end);
    let plain = Meant { literal: &|literal| *literal, moves: &|_| false };
    found.condition = Some(text(setting, values, &solved.conditions.atoms, &mut bdds, &end, plain, true));
    if matches!(found.status, super::Status::Violation) {
        found.runs = 2;
    }
}

/// Nodes that may be looked at to show what holds at some moment.
const MOMENT_WORK: u64 = 20_000_000;

/// The condition as what holds at some moment of a path, where paths go through several instances; `None` where they do not.
fn of_moments(
    setting: &Setting<'_>,
    values: &mut Values<'_>,
    single: &Conditions,
    limits: &engine::Limits<'_>,
) -> Option<Shown> {
    if single.system.edges.iter().all(|edge| edge.forget == NOTHING) {
        return None;
    }
    let system = moments::moments(&single.system, single.second)?;
    let limits = &engine::Limits { work: MOMENT_WORK, ..*limits };
    let solution = engine::solve(&system, limits);
    let end = solution.with_lemmas(&system, limits, single.end);
    if end.is_false() || solution.stopped {
        return None;
    }
    let mut bdds = solution.bdds(&system, limits);
    let mut moving: IdSet<AtomId> = IdSet::new(single.system.atoms);
    for edge in &single.system.edges {
        moving.union_with(&single.system.forgets[edge.forget]);
    }
    let literal = |literal: &Literal| moments::literal(literal.atom);
    let meant = Meant { literal: &literal, moves: &|atom| moving.contains(atom) };
    Some(text(setting, values, &single.atoms, &mut bdds, &end, meant, false))
}

/// What the literals of a system mean.
#[derive(Clone, Copy)]
struct Meant<'m> {
    /// As a literal of the atoms.
    literal: &'m dyn Fn(&Literal) -> Literal,
    /// Whether an atom may be about different moments.
    moves: &'m dyn Fn(AtomId) -> bool,
}

fn text(
    setting: &Setting<'_>,
    values: &mut Values<'_>,
    atoms: &Atoms,
    bdds: &mut engine::Bdds<'_>,
    condition: &Condition,
    meant: Meant<'_>,
    runs: bool,
) -> Shown {
    let shown = show(bdds, condition, ShowLimits::default());
    let notes = told_apart(setting, values, atoms, &shown, meant, runs);
    let values = &*values;
    let literal = |factor: &Factor| match factor {
        Factor::Literal(literal) => {
            let literal = (meant.literal)(literal);
            let atom = &atoms.table[literal.atom];
            words::atom(setting, values, atom.term, atom.place, literal.positive, runs)
        }
        Factor::Name(index) => {
            let place = setting.sources.units.ids().next().expect("a unit");
            Atom { text: format!("c{}", index + 1), place: Place { unit: place, start: 0, end: 0 } }
        }
    };
    // Different values can have the same text: what reads alike is written once.
    let written = |products: &[Vec<Factor>]| -> Vec<Vec<Atom>> {
        let mut clauses: Vec<Vec<Atom>> = Vec::new();
        for product in products {
            let mut clause: Vec<Atom> = Vec::new();
            for atom in product.iter().map(literal) {
                if !clause.contains(&atom) {
                    clause.push(atom);
                }
            }
            if !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
        clauses
    };
    let sum = |products: &[Vec<Factor>]| -> String {
        let mut words: Vec<String> = Vec::new();
        for clause in written(products) {
            let parts: Vec<String> = clause.iter().map(|atom| words::bracketed(&atom.text)).collect();
            words.push(match parts.as_slice() {
                [] => "1".to_owned(),
                parts => parts.join(" && "),
            });
        }
        match words.as_slice() {
            [] => "0".to_owned(),
            [one] => one.clone(),
            many => many
                .iter()
                .map(|w| if w.contains("&&") { format!("({w})") } else { w.clone() })
                .collect::<Vec<_>>()
                .join(" || "),
        }
    };
    let mut equations: Vec<String> =
        shown.names.iter().enumerate().map(|(i, products)| format!("c{} = {}", i + 1, sum(products))).collect();
    equations.extend(notes);
    let clauses = if shown.names.is_empty() { written(&shown.products) } else { Vec::new() };
    Shown { text: sum(&shown.products), clauses, equations, inputs: None }
}

/// Notes on values that have the same text and are not the same.
fn told_apart(
    setting: &Setting<'_>,
    values: &mut Values<'_>,
    atoms: &Atoms,
    shown: &condition::Shown,
    meant: Meant<'_>,
    runs: bool,
) -> Vec<String> {
    let literals = |products: &[Vec<Factor>]| -> Vec<Vec<Literal>> {
        let literal = |factor: &Factor| match factor {
            Factor::Literal(literal) => Some((meant.literal)(literal)),
            Factor::Name(_) => None,
        };
        products.iter().map(|product| product.iter().filter_map(literal).collect()).collect()
    };
    let products: Vec<Vec<Literal>> = shown.names.iter().chain([&shown.products]).flat_map(|p| literals(p)).collect();
    let mut said: Vec<(TermId, String)> = Vec::new();
    for literal in products.iter().flatten() {
        let atom = &atoms.table[literal.atom];
        let text = words::atom(setting, values, atom.term, atom.place, literal.positive, runs).text;
        if !said.contains(&(atom.term, text.clone())) && said.len() < NOTED {
            said.push((atom.term, text));
        }
    }
    let mut notes = words::notes(setting, values, &said, runs);
    // One value at two moments in one clause would read as one.
    let twice = products.iter().any(|product| {
        let mut seen: FxHashSet<VarId> = FxHashSet::default();
        let moving = product.iter().filter(|literal| (meant.moves)(literal.atom));
        moving.flat_map(|l| values.terms.variables_of(&[atoms.table[l.atom].term])).any(|var| !seen.insert(var))
    });
    if twice {
        notes.push(MOMENTS.to_owned());
    }
    notes
}

/// Literals whose values are told apart.
const NOTED: usize = 60;

/// What is said of conditions about values at several moments.
const MOMENTS: &str = "each of these holds at some moment on the way, not all of them at the same one";
