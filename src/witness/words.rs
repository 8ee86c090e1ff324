//! Predicates, values and their names in C.

use std::collections::BTreeMap;

use super::decision::{Atom, Setting};
use crate::ir::{InstKind, Operand, Types};
use crate::pathcond::atoms::{Atoms, normal};
use crate::pathcond::engine::AtomId;
use crate::pathcond::leaves::{Leaf, LeafKind, Run};
use crate::pathcond::values::Values;
use crate::solve::eval::Value;
use crate::solve::show as show_term;
use crate::solve::term::{BitOp, Node, Order, TermId, VarId};
use crate::source::{Place, Sources};

/// These atoms in C, each once.
pub fn atoms(setting: &Setting<'_>, values: &Values<'_>, atoms: &Atoms, ids: &[AtomId]) -> Vec<Atom> {
    let mut found: Vec<Atom> = Vec::new();
    for id in ids {
        let known = &atoms.table[*id];
        let shown = atom(setting, values, known.term, known.place, true, false);
        if !found.contains(&shown) {
            found.push(shown);
        }
    }
    found
}

/// What terms say, in C, each once: the atoms of their conjunctions.
pub fn terms(setting: &Setting<'_>, values: &mut Values<'_>, all: &[TermId]) -> Vec<Atom> {
    let mut found: Vec<Atom> = Vec::new();
    // What rests on no overflow says so, however much there is.
    let mut fits: Vec<Atom> = Vec::new();
    let mut work: Vec<TermId> = all.iter().rev().copied().collect();
    work.extend(indices(values, all));
    while let Some(term) = work.pop() {
        if let Node::And(parts) = values.terms.node(term).clone() {
            work.extend(parts.iter().rev());
            continue;
        }
        // Which byte of memory it is about cannot be said in C.
        if values.terms.variables_of(&[term]).iter().any(|var| is_cell(values, *var)) {
            continue;
        }
        let (key, positive) = normal(&mut values.terms, term);
        let place = values.place_of(key).or_else(|| place_of(values, key));
        let shown = atom(setting, values, key, place, positive, false);
        let list = if matches!(values.terms.node(key), Node::Fits { .. }) { &mut fits } else { &mut found };
        if !list.contains(&shown) && list.len() < MOST {
            list.push(shown);
        }
    }
    found.extend(fits);
    found
}

/// Whether a variable is a byte of memory.
fn is_cell(values: &Values<'_>, var: VarId) -> bool {
    values.leaves.of(&values.terms, var).is_some_and(|leaf| matches!(leaf.kind, LeafKind::Cell(_)))
}

/// That accesses touch the same byte, as equations between their indices.
fn indices(values: &mut Values<'_>, all: &[TermId]) -> Vec<TermId> {
    let mut touched: Vec<(VarId, (TermId, u64))> = Vec::new();
    for term in values.terms.reachable(all) {
        // `cell - address < size`
        let Node::Compare(Order::ULt, distance, size) = *values.terms.node(term) else { continue };
        let Node::Bit(BitOp::Sub, cell, address) = *values.terms.node(distance) else { continue };
        let Node::Var(cell) = *values.terms.node(cell) else { continue };
        let size = values.terms.as_bits(size).and_then(|size| u64::try_from(size.to_u128()?).ok());
        if let Some(size) = size.filter(|_| is_cell(values, cell)) {
            touched.push((cell, (address, size)));
        }
    }
    let mut found = Vec::new();
    for (at, (cell, first)) in touched.iter().enumerate() {
        let next = touched[at + 1..].iter().find(|(other, _)| other == cell);
        found.extend(next.and_then(|(_, second)| values.same_index(*first, *second)));
    }
    found
}

/// Atoms of a list that is shown.
const MOST: usize = 12;

/// Where the first value of a term comes from.
fn place_of(values: &Values<'_>, term: TermId) -> Option<Place> {
    let vars = values.terms.variables_of(&[term]);
    vars.iter().find_map(|var| values.leaves.of(&values.terms, *var)?.place)
}

/// An atom in C. With `runs`, values that the runs do not share are marked.
pub fn atom(
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
    let written = setting.sources.text(place);
    let chars = |byte: u8| character(&written, byte);
    let shown = show_term::show_predicate(&values.terms, model, &names, &chars, term, positive);
    shown.unwrap_or_else(|| {
        let text = excerpt(setting.sources, place);
        if positive { text } else { negation(&text) }
    })
}

/// The character constant in a text that is this number in every character set of C's.
fn character(text: &str, byte: u8) -> Option<String> {
    let plain = |c: char| c.is_ascii_graphic() || c == ' ';
    let mut rest = text;
    while let Some(at) = rest.find('\'') {
        let literal: String = rest[at..].chars().take(if rest[at + 1..].starts_with('\\') { 4 } else { 3 }).collect();
        let value = match literal.chars().collect::<Vec<_>>().as_slice() {
            ['\'', c, '\''] if plain(*c) && *c != '\'' => Some(*c as u8),
            ['\'', '\\', c, '\''] => match c {
                'n' => Some(b'\n'),
                't' => Some(b'\t'),
                'r' => Some(b'\r'),
                '0' => Some(0),
                '\\' | '\'' | '"' => Some(*c as u8),
                _ => None,
            },
            _ => None,
        };
        if value == Some(byte) {
            return Some(literal);
        }
        rest = &rest[at + if value.is_some() { literal.len() } else { 1 }..];
    }
    None
}

fn negation(text: &str) -> String {
    let simple = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if simple { format!("!{text}") } else { format!("!({text})") }
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
pub fn name(setting: &Setting<'_>, values: &Values<'_>, var: VarId, runs: bool) -> Option<show_term::Name> {
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
pub fn leaf_text(setting: &Setting<'_>, leaf: &Leaf) -> Option<String> {
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

/// A value as C writes it.
pub fn number(setting: &Setting<'_>, leaf: &Leaf, value: &Value) -> Option<String> {
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

/// A predicate as an operand of `&&`.
pub fn bracketed(text: &str) -> String {
    let needs = text.contains("||") || text.contains('?');
    if needs { format!("({text})") } else { text.to_owned() }
}

/// What tells values apart that have the same text in these atoms, which are shown as said: a line for each.
pub fn notes(setting: &Setting<'_>, values: &mut Values<'_>, shown: &[(TermId, String)], runs: bool) -> Vec<String> {
    let mut by_name: BTreeMap<String, Vec<(VarId, Vec<&str>)>> = BTreeMap::new();
    for (term, text) in shown {
        for var in values.terms.variables_of(&[*term]) {
            let Some(name) = name(setting, values, var, runs) else { continue };
            // What is not in the text needs no explanation.
            if !text.contains(&name.text) {
                continue;
            }
            let of_name = by_name.entry(name.text).or_default();
            let at = of_name.iter().position(|(other, _)| *other == var).unwrap_or_else(|| {
                of_name.push((var, Vec::new()));
                of_name.len() - 1
            });
            if !of_name[at].1.contains(&text.as_str()) {
                of_name[at].1.push(text);
            }
        }
    }
    let mut found = Vec::new();
    for (name, vars) in by_name.iter().filter(|(_, vars)| vars.len() > 1) {
        let origins: Vec<String> = vars.iter().map(|(var, _)| origin(setting, values, *var)).collect();
        for (at, (_, texts)) in vars.iter().enumerate() {
            let texts: Vec<String> = texts.iter().map(|text| format!("`{text}`")).collect();
            let same = origins.iter().filter(|origin| **origin == origins[at]).count();
            let which = origins[..=at].iter().filter(|origin| **origin == origins[at]).count();
            let which = if same > 1 { format!(", moment {which} of {same}") } else { String::new() };
            found.push(format!("in {}, `{name}` is {}{which}", texts.join(" and "), origins[at]));
        }
    }
    found
}

/// Where a value comes from, in words.
fn origin(setting: &Setting<'_>, values: &mut Values<'_>, var: VarId) -> String {
    let Some(leaf) = values.leaves.of(&values.terms, var).cloned() else { return "any value".to_owned() };
    let Some(place) = leaf.place else { return "a constant".to_owned() };
    let line = setting.sources.locate(place).line;
    match (&leaf.kind, leaf.func) {
        (LeafKind::Value(value), Some(func)) => match &values.shapes.of(func).body.insts[*value].kind {
            InstKind::Param(_) => "the parameter".to_owned(),
            InstKind::Call { .. } => format!("what the call in line {line} returns"),
            InstKind::Load { .. } => format!("what is read in line {line}"),
            InstKind::Phi(_) => format!("the value that arrives at line {line}"),
            _ => format!("the value from line {line}"),
        },
        (LeafKind::Content { .. }, _) => format!("what is read in line {line}"),
        (
            LeafKind::Value(_)
            | LeafKind::Address(_)
            | LeafKind::Undefined(..)
            | LeafKind::Decision(..)
            | LeafKind::Cell(_),
            _,
        ) => format!("the value from line {line}"),
    }
}
