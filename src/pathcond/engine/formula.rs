//! Formulas over atoms, shared and in negation normal form.
//!
//! Negation is pushed down to the atoms when a formula is made. Whatever stands for a part of a formula (a definition, an over-approximation)
//! therefore stands in a positive place, and weakening it can only weaken the whole.

use rustc_hash::FxHashMap;

use crate::base::IdVec;
use crate::define_id;

define_id!(/// A Boolean variable of the caller. The order of the ids is the order of the decision diagrams' variables.
    AtomId, "a");
define_id!(/// A formula of one [`Formulas`].
    FormulaId, "f");

/// An atom or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    /// The atom.
    pub atom: AtomId,
    /// Whether it holds.
    pub positive: bool,
}

impl Literal {
    /// The atom holds.
    pub fn yes(atom: AtomId) -> Self {
        Literal { atom, positive: true }
    }
    /// The atom does not hold.
    pub fn no(atom: AtomId) -> Self {
        Literal { atom, positive: false }
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        Literal { atom: self.atom, positive: !self.positive }
    }
}

/// A formula; the parts are other formulas of the same table.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Formula {
    /// Always.
    True,
    /// Never.
    False,
    /// An atom or its negation.
    Literal(Literal),
    /// All of at least two, ascending.
    And(Box<[FormulaId]>),
    /// One of at least two, ascending.
    Or(Box<[FormulaId]>),
}

/// A table of formulas in which equal ones are one.
#[derive(Clone, Debug)]
pub struct Formulas {
    table: IdVec<FormulaId, Formula>,
    known: FxHashMap<Formula, FormulaId>,
}

/// Always, in every table.
pub const TRUE: FormulaId = FormulaId(0);
/// Never, in every table.
pub const FALSE: FormulaId = FormulaId(1);

impl Default for Formulas {
    fn default() -> Self {
        let mut formulas = Formulas { table: IdVec::new(), known: FxHashMap::default() };
        formulas.intern(Formula::True);
        formulas.intern(Formula::False);
        formulas
    }
}

impl Formulas {
    /// A formula.
    pub fn get(&self, id: FormulaId) -> &Formula {
        &self.table[id]
    }
    /// How many formulas there are; those that a formula consists of have smaller ids.
    pub fn len(&self) -> usize {
        self.table.len()
    }
    /// Never: `true` and `false` are always there.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }
    fn intern(&mut self, formula: Formula) -> FormulaId {
        if let Some(id) = self.known.get(&formula) {
            return *id;
        }
        let id = self.table.push(formula.clone());
        self.known.insert(formula, id);
        id
    }
    /// An atom or its negation.
    pub fn literal(&mut self, literal: Literal) -> FormulaId {
        self.intern(Formula::Literal(literal))
    }
    /// An atom.
    pub fn atom(&mut self, atom: AtomId) -> FormulaId {
        self.literal(Literal::yes(atom))
    }
    /// All of these.
    pub fn and(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        match tidy(parts, TRUE, FALSE) {
            Ok(id) => id,
            Err(parts) => self.intern(Formula::And(parts)),
        }
    }
    /// One of these.
    pub fn or(&mut self, parts: impl IntoIterator<Item = FormulaId>) -> FormulaId {
        match tidy(parts, FALSE, TRUE) {
            Ok(id) => id,
            Err(parts) => self.intern(Formula::Or(parts)),
        }
    }
    /// The negation.
    pub fn not(&mut self, id: FormulaId) -> FormulaId {
        self.map(id, |formulas, literal| formulas.literal(!literal), true)
    }
    /// The formula with an atom replaced by a constant.
    pub fn assign(&mut self, id: FormulaId, atom: AtomId, value: bool) -> FormulaId {
        let replace = |formulas: &mut Formulas, literal: Literal| match literal {
            Literal { atom: at, positive } if at == atom => {
                if positive == value {
                    TRUE
                } else {
                    FALSE
                }
            }
            other => formulas.literal(other),
        };
        self.map(id, replace, false)
    }
    /// Whether it holds when the atoms have these values.
    pub fn holds(&self, id: FormulaId, value: &impl Fn(AtomId) -> bool) -> bool {
        match &self.table[id] {
            Formula::True => true,
            Formula::False => false,
            Formula::Literal(literal) => value(literal.atom) == literal.positive,
            Formula::And(parts) => parts.iter().all(|p| self.holds(*p, value)),
            Formula::Or(parts) => parts.iter().any(|p| self.holds(*p, value)),
        }
    }
    /// The formulas that `id` consists of, those inside others first, itself last.
    pub fn inside(&self, id: FormulaId) -> Vec<FormulaId> {
        let mut found = vec![id];
        let mut seen = rustc_hash::FxHashSet::default();
        seen.insert(id);
        let mut at = 0;
        while at < found.len() {
            if let Formula::And(parts) | Formula::Or(parts) = &self.table[found[at]] {
                found.extend(parts.iter().copied().filter(|p| seen.insert(*p)));
            }
            at += 1;
        }
        found.sort_unstable();
        found
    }

    /// The formula with its literals replaced, and with `dual`, conjunctions and disjunctions exchanged.
    fn map(
        &mut self,
        id: FormulaId,
        mut literal: impl FnMut(&mut Formulas, Literal) -> FormulaId,
        dual: bool,
    ) -> FormulaId {
        let mut done: FxHashMap<FormulaId, FormulaId> = FxHashMap::default();
        for part in self.inside(id) {
            let new = match self.table[part].clone() {
                Formula::True => constant(!dual),
                Formula::False => constant(dual),
                Formula::Literal(at) => literal(self, at),
                Formula::And(parts) if dual => self.or(parts.iter().map(|p| done[p])),
                Formula::Or(parts) if dual => self.and(parts.iter().map(|p| done[p])),
                Formula::And(parts) => self.and(parts.iter().map(|p| done[p])),
                Formula::Or(parts) => self.or(parts.iter().map(|p| done[p])),
            };
            done.insert(part, new);
        }
        done[&id]
    }
}

/// A constant as a formula.
pub fn constant(value: bool) -> FormulaId {
    if value { TRUE } else { FALSE }
}

/// Parts of an n-ary operation, sorted, without duplicates and its neutral element; or the result if it needs no operation.
fn tidy(
    parts: impl IntoIterator<Item = FormulaId>,
    neutral: FormulaId,
    absorbing: FormulaId,
) -> Result<FormulaId, Box<[FormulaId]>> {
    let mut parts: Vec<FormulaId> = parts.into_iter().filter(|p| *p != neutral).collect();
    parts.sort_unstable();
    parts.dedup();
    match parts[..] {
        [] => Ok(neutral),
        [one] => Ok(one),
        _ if parts.contains(&absorbing) => Ok(absorbing),
        _ => Err(parts.into_boxed_slice()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negation_is_pushed_to_the_atoms_and_is_its_own_inverse() {
        let mut f = Formulas::default();
        let (a, b, c) = (f.atom(AtomId(0)), f.atom(AtomId(1)), f.atom(AtomId(2)));
        let ab = f.and([a, b]);
        let all = f.or([ab, c]);
        let none = f.not(all);
        for bits in 0..8u32 {
            let value = |atom: AtomId| bits & (1 << atom.0) != 0;
            assert_eq!(f.holds(all, &value), (value(AtomId(0)) && value(AtomId(1))) || value(AtomId(2)));
            assert_eq!(f.holds(none, &value), !f.holds(all, &value));
        }
        assert_eq!(f.not(none), all);
        assert_eq!(f.assign(all, AtomId(2), true), TRUE);
        assert_eq!(f.assign(all, AtomId(2), false), ab);
        assert_eq!(
            (f.and([]), f.or([]), f.and([a, FALSE]), f.or([a, TRUE]), f.and([a, a])),
            (TRUE, FALSE, FALSE, TRUE, a)
        );
    }
}
