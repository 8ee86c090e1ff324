//! Decisions for people: atoms and conditions in C, the values of a witness, the steps of its path.

use rustc_hash::FxHashMap;

use super::decision::{Atom, Decision, Input, Kind, Run as Taken, Setting, Shown, Step, Witness};
use super::exact::Move;
use super::search::Solved;
use crate::ir::{InstKind, Operand, Types};
use crate::pathcond::atoms::{Atoms, normal};
use crate::pathcond::engine::bdds::Mode;
use crate::pathcond::engine::show::{Factor, ShowLimits, density, show};
use crate::pathcond::engine::{
    self, AtomId, Condition, Formula, FormulaId, Formulas, Literal, NOTHING, Solution, Variable, moments,
};
use crate::pathcond::leaves::{Leaf, LeafKind, Run};
use crate::pathcond::system::{Conditions, Phase, Point, State};
use crate::pathcond::values::{FrameId, Values};
use crate::sdg::{EdgeKind, NodeId};
use crate::solve::eval::{Assignment, Value, eval};
use crate::solve::show as show_term;
use crate::solve::term::{Node, TermId, VarId};
use crate::solve::z3::{self, Answer, Budget};
use crate::source::{Place, Sources};

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
    match z3::check(&parts, &values.terms, budget) {
        Answer::Unsat(core) => {
            let kept: Vec<AtomId> = core.into_iter().filter_map(|i| ids.get(i).copied()).collect();
            self::atoms(setting, values, atoms, &kept)
        }
        Answer::Sat(_) | Answer::Unknown(_) => Vec::new(),
    }
}

/// These atoms in C, each once.
pub fn atoms(setting: &Setting<'_>, values: &Values<'_>, atoms: &Atoms, ids: &[AtomId]) -> Vec<Atom> {
    let mut found: Vec<Atom> = Vec::new();
    for id in ids {
        let atom = &atoms.table[*id];
        let shown = one(setting, values, atom.term, atom.place, true, false);
        if !found.contains(&shown) {
            found.push(shown);
        }
    }
    found
}

/// What terms say, in C, each once: the atoms of their conjunctions.
pub fn terms(setting: &Setting<'_>, values: &mut Values<'_>, all: &[TermId]) -> Vec<Atom> {
    let mut found: Vec<Atom> = Vec::new();
    let mut work: Vec<TermId> = all.iter().rev().copied().collect();
    while let Some(term) = work.pop() {
        if let Node::And(parts) = values.terms.node(term).clone() {
            work.extend(parts.iter().rev());
            continue;
        }
        let (key, positive) = normal(&mut values.terms, term);
        let place = values.place_of(key).or_else(|| place_of(values, key));
        let shown = one(setting, values, key, place, positive, false);
        if !found.contains(&shown) && found.len() < 12 {
            found.push(shown);
        }
    }
    found
}

/// Where the first value of a term comes from.
fn place_of(values: &Values<'_>, term: TermId) -> Option<Place> {
    let vars = values.terms.variables_of(&[term]);
    vars.iter().find_map(|var| values.leaves.of(&values.terms, *var)?.place)
}

/// An atom in C. With `runs`, values that the runs do not share are marked.
fn one(
    setting: &Setting<'_>,
    values: &Values<'_>,
    term: TermId,
    place: Option<Place>,
    positive: bool,
    runs: bool,
) -> Atom {
    let place = place.or_else(|| place_of(values, term)).unwrap_or(Place {
        unit: setting.sources.units.ids().next().expect("a unit"),
        start: 0,
        end: 0,
    });
    Atom { text: predicate(setting, values, term, place, positive, runs), place }
}

fn predicate(
    setting: &Setting<'_>,
    values: &Values<'_>,
    term: TermId,
    place: Place,
    positive: bool,
    runs: bool,
) -> String {
    let names = |var: VarId| name(setting, values, var, runs);
    let model = &setting.program.types.model;
    let shown = if positive {
        show_term::show(&values.terms, model, &names, show_term::Kind::Truth, term)
    } else {
        // `x < k` that does not hold reads better as `x >= k`.
        let negated = match values.terms.node(term) {
            Node::Compare(order, a, b) => comparison(setting, values, &names, *order, *a, *b),
            Node::Eq(a, b) => equation(setting, values, &names, *a, *b),
            _ => None,
        };
        negated.or_else(|| {
            let text = show_term::show(&values.terms, model, &names, show_term::Kind::Truth, term)?;
            Some(negation(&text))
        })
    };
    shown.unwrap_or_else(|| {
        let text = excerpt(setting.sources, place);
        if positive { text } else { negation(&text) }
    })
}

fn negation(text: &str) -> String {
    let simple = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if simple { format!("!{text}") } else { format!("!({text})") }
}

/// `a < b` negated.
fn comparison(
    setting: &Setting<'_>,
    values: &Values<'_>,
    names: &dyn Fn(VarId) -> Option<show_term::Name>,
    order: crate::solve::term::Order,
    a: TermId,
    b: TermId,
) -> Option<String> {
    use crate::solve::term::Order;
    let mut terms = values.terms.clone();
    let opposite = match order {
        Order::ULt => Order::ULe,
        Order::ULe => Order::ULt,
        Order::SLt => Order::SLe,
        Order::SLe => Order::SLt,
    };
    let term = terms.compare(opposite, b, a);
    show_term::show(&terms, &setting.program.types.model, names, show_term::Kind::Truth, term)
}

/// `a == b` negated.
fn equation(
    setting: &Setting<'_>,
    values: &Values<'_>,
    names: &dyn Fn(VarId) -> Option<show_term::Name>,
    a: TermId,
    b: TermId,
) -> Option<String> {
    let mut terms = values.terms.clone();
    let term = terms.ne(a, b);
    show_term::show(&terms, &setting.program.types.model, names, show_term::Kind::Truth, term)
}

/// The C text at a place, in one line and not too long.
fn excerpt(sources: &Sources, place: Place) -> String {
    const LONGEST: usize = 80;
    let text = sources.text(place).split_whitespace().collect::<Vec<_>>().join(" ");
    if text.chars().count() <= LONGEST {
        return text;
    }
    let cut: String = text.chars().take(LONGEST - 1).collect();
    format!("{cut}…")
}

/// What a leaf is called in C.
fn name(setting: &Setting<'_>, values: &Values<'_>, var: VarId, runs: bool) -> Option<show_term::Name> {
    let leaf = values.leaves.of(&values.terms, var)?;
    let text = leaf_text(setting, leaf)?;
    let kind = match leaf.ty {
        Some(ty) => {
            let types: &Types = &setting.program.types;
            if let Some((width, signed)) = types.int_shape(ty) {
                show_term::Kind::Int { width, signed }
            } else {
                float_kind(types, ty)?
            }
        }
        None => show_term::Kind::Truth,
    };
    let text = match (runs, leaf.run) {
        (true, Some(Run::B)) => format!("{text}'"),
        _ => text,
    };
    Some(show_term::Name { text, kind })
}

fn float_kind(types: &Types, ty: crate::ir::TypeId) -> Option<show_term::Kind> {
    use crate::solve::term::Format;
    match types.get(ty) {
        crate::ir::Type::Float(_) => match types.size_of(ty)? {
            4 => Some(show_term::Kind::Float(Format::Single)),
            8 => Some(show_term::Kind::Float(Format::Double)),
            _ => None,
        },
        _ => None,
    }
}

/// The C text of a leaf, as tight as a name.
fn leaf_text(setting: &Setting<'_>, leaf: &Leaf) -> Option<String> {
    let variable = |func: crate::ir::FuncId, value: crate::ir::ValueId| {
        let body = setting.program.functions[func].body.as_ref()?;
        let inst = &body.insts[value];
        let is_call = matches!(inst.kind, InstKind::Call { .. });
        let name = inst.var.map(|local| body.locals[local].name.clone()).filter(|name| !name.is_empty() && !is_call);
        let parameter = match inst.kind {
            InstKind::Param(index) => body.locals.iter().nth(index as usize).map(|local| local.name.clone()),
            _ => None,
        };
        name.or(parameter).filter(|name| !name.is_empty())
    };
    let text = match (&leaf.kind, leaf.func) {
        (LeafKind::Value(value), Some(func)) => {
            variable(func, *value).or_else(|| leaf.place.map(|place| excerpt(setting.sources, place)))
        }
        (LeafKind::Address(Operand::Global(global)), _) => {
            let name = &setting.program.globals[*global].name;
            Some(if name.starts_with('.') { "\"…\"".to_owned() } else { format!("&{name}") })
        }
        (LeafKind::Address(Operand::Function(func)), _) => Some(setting.program.functions[*func].name.clone()),
        (LeafKind::Address(Operand::Local(local)), Some(func)) => {
            let body = setting.program.functions[func].body.as_ref()?;
            Some(format!("&{}", body.locals[*local].name))
        }
        _ => leaf.place.map(|place| excerpt(setting.sources, place)),
    }?;
    if text.is_empty() {
        return None;
    }
    // Anything but a name, a call, a member or an element needs brackets.
    let tight = text.chars().all(|c| c.is_alphanumeric() || "_.[]()->".contains(c))
        && text.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    Some(if tight { text } else { format!("({text})") })
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
    let mut seen: FxHashMap<(LeafKey, Option<Place>), usize> = FxHashMap::default();
    for var in values.terms.variables_of(demands) {
        let Some(leaf) = values.leaves.of(&values.terms, var).cloned() else { continue };
        if matches!(
            leaf.kind,
            LeafKind::Address(_) | LeafKind::Cell(_) | LeafKind::Undefined(..) | LeafKind::Decision(..)
        ) {
            continue;
        }
        let (Some(text), Some(place)) = (leaf_text(setting, &leaf), leaf.place) else { continue };
        let key = values.terms.variable(var).key.expect("leaves have keys");
        let sort = values.terms.variable(var).sort;
        let this = values.terms.var(key, sort, "");
        let value = number(setting, &leaf, &eval(&values.terms, this, model));
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

#[derive(Clone, PartialEq, Eq, Hash)]
struct LeafKey {
    kind: LeafKind,
    instance: Box<[u32]>,
}

/// The step to a call that one run makes.
pub fn sink(setting: &Setting<'_>, call: NodeId, run: Run) -> Step {
    let point = Point { node: call, state: State::Only(run), phase: Phase::Up, stage: 0 };
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

/// A value as C writes it.
fn number(setting: &Setting<'_>, leaf: &Leaf, value: &Value) -> Option<String> {
    let Value::Bits(bits) = value else { return None };
    let types: &Types = &setting.program.types;
    let ty = leaf.ty?;
    if let Some((_, signed)) = types.int_shape(ty) {
        return if signed { bits.to_i128().map(|n| n.to_string()) } else { bits.to_u128().map(|n| n.to_string()) };
    }
    match types.size_of(ty)? {
        4 => Some(format!("{:?}", f32::from_bits(bits.low() as u32))),
        8 => Some(format!("{:?}", f64::from_bits(bits.low() as u64))),
        _ => None,
    }
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
        for atom in terms(setting, values, &[term]) {
            if atom.text != "1" && !clause.contains(&atom) {
                clause.push(atom);
            }
        }
    }
    let words: Vec<String> = clause.iter().map(|atom| bracketed(&atom.text)).collect();
    let text = if words.is_empty() { "1".to_owned() } else { words.join(" && ") };
    let equations = vec!["this is the condition of the way that is shown; there may be others".to_owned()];
    Shown { text, clauses: vec![clause], equations, inputs: None }
}

/// The condition of a decision: of one run if that is enough.
pub fn describe(
    setting: &Setting<'_>,
    values: &Values<'_>,
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
                let plain = |factor: &Literal| *factor;
                let shown = text(setting, values, &single.atoms, &mut bdds, &end, &plain, false);
                found.condition = Some(of_moments(setting, values, single, limits).unwrap_or(shown));
                return;
            }
        }
    }
    let mut bdds = solved.solution.bdds(&solved.conditions.system, limits);
    let end = solved.solution.conditions[solved.conditions.end].clone();
    found.strength = density(&mut bdds, &end);
    let plain = |factor: &Literal| *factor;
    found.condition = Some(text(setting, values, &solved.conditions.atoms, &mut bdds, &end, &plain, true));
    if matches!(found.status, super::Status::Violation) {
        found.runs = 2;
    }
}

/// The condition as what holds at some moment of a path, where paths go through several instances; `None` where they do not.
fn of_moments(
    setting: &Setting<'_>,
    values: &Values<'_>,
    single: &Conditions,
    limits: &engine::Limits<'_>,
) -> Option<Shown> {
    if single.system.edges.iter().all(|edge| edge.forget == NOTHING) {
        return None;
    }
    let system = moments::moments(&single.system, single.second)?;
    let solution = engine::solve(&system, limits);
    let end = solution.with_lemmas(&system, limits, single.end);
    if end.is_false() || solution.stopped {
        return None;
    }
    let mut bdds = solution.bdds(&system, limits);
    let meant = |factor: &Literal| moments::literal(factor.atom);
    Some(text(setting, values, &single.atoms, &mut bdds, &end, &meant, false))
}

fn text(
    setting: &Setting<'_>,
    values: &Values<'_>,
    atoms: &Atoms,
    bdds: &mut engine::Bdds<'_>,
    condition: &Condition,
    meant: &dyn Fn(&Literal) -> Literal,
    runs: bool,
) -> Shown {
    let shown = show(bdds, condition, ShowLimits::default());
    let literal = |factor: &Factor| match factor {
        Factor::Literal(literal) => {
            let literal = meant(literal);
            let atom = &atoms.table[literal.atom];
            one(setting, values, atom.term, atom.place, literal.positive, runs)
        }
        Factor::Name(index) => {
            let place = setting.sources.units.ids().next().expect("a unit");
            Atom { text: format!("c{}", index + 1), place: Place { unit: place, start: 0, end: 0 } }
        }
    };
    let sum = |products: &[Vec<Factor>]| -> String {
        let mut words: Vec<String> = Vec::new();
        for product in products {
            let parts: Vec<String> = product.iter().map(|factor| bracketed(&literal(factor).text)).collect();
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
    let equations: Vec<String> =
        shown.names.iter().enumerate().map(|(i, products)| format!("c{} = {}", i + 1, sum(products))).collect();
    let clauses = if shown.names.is_empty() {
        shown.products.iter().map(|product| product.iter().map(literal).collect()).collect()
    } else {
        Vec::new()
    };
    Shown { text: sum(&shown.products), clauses, equations, inputs: None }
}

/// A predicate as an operand of `&&`.
fn bracketed(text: &str) -> String {
    let needs = text.contains("||") || text.contains('?');
    if needs { format!("({text})") } else { text.to_owned() }
}
