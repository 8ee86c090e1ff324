//! Atoms: the predicates that terms consist of, normalised so that `x > 0` and `x <= 0` are one, and formulas over them.

use rustc_hash::FxHashMap;

use super::engine::formula::constant;
use super::engine::{AtomId, FormulaId, Formulas, Lemma, Literal};
use super::facts::{Says, says};
use super::leaves::Run;
use super::values::Values;
use crate::base::IdVec;
use crate::base::graph::LoopId;
use crate::ranges::{Kind, Range};
use crate::solve::number::BitVec;
use crate::solve::term::{Node, Order, TermId, Terms};
use crate::source::Place;

/// An atom.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The predicate.
    pub term: TermId,
    /// The activations that it speaks of, by their numbers.
    pub activations: Vec<u32>,
    /// The loops whose iterations it speaks of, in their activations.
    pub loops: Vec<(u32, LoopId)>,
    /// Where it is decided.
    pub place: Option<Place>,
    /// Whether it speaks of the second run.
    pub second: bool,
}

/// All atoms.
#[derive(Default)]
pub struct Atoms {
    /// By id.
    pub table: IdVec<AtomId, Atom>,
    known: FxHashMap<TermId, AtomId>,
    formulas: FxHashMap<TermId, FormulaId>,
    by_activation: FxHashMap<u32, Vec<AtomId>>,
    by_loop: FxHashMap<(u32, LoopId), Vec<AtomId>>,
}

impl Atoms {
    /// A Boolean term as a formula.
    pub fn formula(&mut self, values: &mut Values<'_>, formulas: &mut Formulas, term: TermId) -> FormulaId {
        if let Some(formula) = self.formulas.get(&term) {
            return *formula;
        }
        let formula = match values.terms.node(term).clone() {
            Node::Bool(truth) => constant(truth),
            Node::Not(inner) => {
                let inner = self.formula(values, formulas, inner);
                formulas.not(inner)
            }
            Node::And(parts) => {
                let parts: Vec<FormulaId> = parts.iter().map(|p| self.formula(values, formulas, *p)).collect();
                formulas.and(parts)
            }
            Node::Or(parts) => {
                let parts: Vec<FormulaId> = parts.iter().map(|p| self.formula(values, formulas, *p)).collect();
                formulas.or(parts)
            }
            Node::Ite(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|part| self.formula(values, formulas, part));
                let not_c = formulas.not(c);
                let (yes, no) = (formulas.and([c, a]), formulas.and([not_c, b]));
                formulas.or([yes, no])
            }
            _ => {
                let (key, positive) = normal(&mut values.terms, term);
                if matches!(values.terms.node(key), Node::Bool(_) | Node::And(_) | Node::Or(_) | Node::Ite(..)) {
                    let formula = self.formula(values, formulas, key);
                    return if positive { formula } else { formulas.not(formula) };
                }
                if let Some(truth) = values.decided(key) {
                    constant(truth == positive)
                } else {
                    let atom = self.atom(values, key);
                    formulas.literal(Literal { atom, positive })
                }
            }
        };
        self.formulas.insert(term, formula);
        formula
    }
    fn atom(&mut self, values: &Values<'_>, term: TermId) -> AtomId {
        if let Some(atom) = self.known.get(&term) {
            return *atom;
        }
        let (mut activations, mut loops, mut second) = (Vec::new(), Vec::new(), false);
        for leaf in values.leaves_of(term) {
            second |= leaf.run == Some(Run::B);
            if let (Some(_), Some(activation)) = (leaf.func, leaf.instance.first()) {
                activations.push(*activation);
                loops.extend(leaf.loops.iter().map(|l| (*activation, *l)));
            }
        }
        activations.sort_unstable();
        activations.dedup();
        loops.sort_unstable();
        loops.dedup();
        let id = self.table.next_id();
        for activation in &activations {
            self.by_activation.entry(*activation).or_default().push(id);
        }
        for l in &loops {
            self.by_loop.entry(*l).or_default().push(id);
        }
        let place = values.places.get(&term).copied();
        self.known.insert(term, id);
        self.table.push(Atom { term, activations, loops, place, second })
    }
    /// The atoms that speak of an activation.
    pub fn of_activation(&self, activation: u32) -> &[AtomId] {
        self.by_activation.get(&activation).map_or(&[], Vec::as_slice)
    }
    /// The atoms that speak of iterations of a loop.
    pub fn of_loop(&self, activation: u32, l: LoopId) -> &[AtomId] {
        self.by_loop.get(&(activation, l)).map_or(&[], Vec::as_slice)
    }
    /// What atoms say of each term.
    pub(super) fn about(&self, terms: &Terms) -> FxHashMap<TermId, Vec<Says>> {
        let mut about: FxHashMap<TermId, Vec<Says>> = FxHashMap::default();
        for atom in &self.table {
            if let Some((x, says)) = says(terms, atom.term) {
                about.entry(x).or_default().push(says);
            }
        }
        about
    }
    /// What holds between atoms about the same terms at every moment.
    pub fn lemmas(&self, values: &mut Values<'_>) -> Vec<Lemma> {
        /// Atoms about one term that are compared with each other, at most.
        const MOST: usize = 24;
        let mut about: FxHashMap<TermId, Vec<(AtomId, Says)>> = FxHashMap::default();
        let mut order: Vec<TermId> = Vec::new();
        for (id, atom) in self.table.enumerate() {
            if let Some((x, says)) = says(&values.terms, atom.term) {
                let list = about.entry(x).or_default();
                if list.is_empty() {
                    order.push(x);
                }
                list.push((id, says));
            }
        }
        let mut lemmas = Vec::new();
        for x in order {
            let list = &about[&x];
            let range = match *values.terms.node(x) {
                Node::Var(var) => values.range_of(var),
                _ => None,
            };
            for (i, (a, first)) in list.iter().enumerate().take(MOST) {
                for (b, second) in list.iter().take(MOST).skip(i + 1) {
                    for (p, q) in [(true, true), (true, false), (false, true), (false, false)] {
                        let left = |range: (Range, Kind)| is_left((first, p), (second, q), range);
                        if excluded(first, p, second, q) || range.is_some_and(|range| !left(range)) {
                            lemmas.push([Literal { atom: *a, positive: !p }, Literal { atom: *b, positive: !q }]);
                        }
                    }
                }
            }
        }
        let terms = &mut values.terms;
        // Comparisons of two terms with each other.
        for (id, atom) in self.table.enumerate() {
            let Node::Compare(order @ (Order::SLt | Order::ULt), x, y) = *terms.node(atom.term) else { continue };
            if terms.is_constant(x) || terms.is_constant(y) {
                continue;
            }
            let (back, equal) = (terms.compare(order, y, x), terms.eq(x, y));
            for (other, at) in [(back, true), (equal, true)] {
                if let Some(other) = self.known.get(&other).filter(|other| **other != id && at) {
                    lemmas.push([Literal::no(id), Literal::no(*other)]);
                }
            }
        }
        lemmas
    }
}

/// Whether a range may have a member of which two statements, each true or not as said, are right.
fn is_left(first: (&Says, bool), second: (&Says, bool), (range, kind): (Range, Kind)) -> bool {
    let mut left = Some(range);
    // What one leaves may be what the other takes away.
    for (says, holds) in [first, second, first, second] {
        left = left.and_then(|left| says.left(holds, left, kind));
    }
    left.is_some()
}

/// Whether two statements about one term, each true or not as said, exclude each other.
fn excluded(a: &Says, a_holds: bool, b: &Says, b_holds: bool) -> bool {
    use std::cmp::Ordering;
    let less = |x: &BitVec, y: &BitVec, signed: bool| (if signed { x.scmp(y) } else { x.ucmp(y) }) == Ordering::Less;
    match (a, a_holds, b, b_holds) {
        (Says::Is(x), true, Says::Is(y), true) => x != y,
        (Says::Is(x), true, Says::Below(k, signed), holds) | (Says::Below(k, signed), holds, Says::Is(x), true) => {
            less(x, k, *signed) != holds
        }
        (Says::Below(j, s), true, Says::Below(k, t), false) | (Says::Below(k, t), false, Says::Below(j, s), true) => {
            s == t && !less(k, j, *s)
        }
        _ => false,
    }
}

/// An atomic predicate, and whether the given one is its negation.
pub fn normal(terms: &mut Terms, term: TermId) -> (TermId, bool) {
    match *terms.node(term) {
        Node::Not(inner) => {
            let (key, positive) = normal(terms, inner);
            (key, !positive)
        }
        Node::Compare(Order::SLe, a, b) => {
            let less = terms.compare(Order::SLt, b, a);
            negated(terms, less)
        }
        Node::Compare(Order::ULe, a, b) => {
            let less = terms.compare(Order::ULt, b, a);
            negated(terms, less)
        }
        Node::Compare(order @ (Order::SLt | Order::ULt), a, b) => {
            // `k < x` is the negation of `x < k + 1`, unless that overflows.
            let Some(k) = terms.as_bits(a).cloned() else { return (term, true) };
            let signed = order == Order::SLt;
            let next = k.add(&BitVec::new(k.width(), 1));
            let fits = if signed { next.scmp(&k) } else { next.ucmp(&k) } == std::cmp::Ordering::Greater;
            if !fits {
                return (term, true);
            }
            let next = terms.bits(next);
            let below = terms.compare(order, b, next);
            match terms.node(below) {
                Node::Compare(..) => (below, false),
                _ => negated(terms, below),
            }
        }
        _ => (term, true),
    }
}

/// The negation of a predicate that a comparison came to.
fn negated(terms: &mut Terms, term: TermId) -> (TermId, bool) {
    // The same comparison again would never end.
    if let Node::Compare(Order::SLe | Order::ULe, ..) = *terms.node(term) {
        return (term, false);
    }
    let (key, positive) = normal(terms, term);
    (key, !positive)
}

/// Remembers where the predicates of a term are decided.
pub(super) fn note_places(values: &mut Values<'_>, term: TermId, place: Place) {
    let mut work = vec![term];
    while let Some(term) = work.pop() {
        match values.terms.node(term).clone() {
            Node::Bool(_) => {}
            Node::Not(inner) => work.push(inner),
            Node::And(parts) | Node::Or(parts) => work.extend(parts.iter()),
            Node::Ite(c, a, b) => work.extend([c, a, b]),
            _ => {
                let (key, _) = normal(&mut values.terms, term);
                values.places.entry(key).or_insert(place);
            }
        }
    }
}
