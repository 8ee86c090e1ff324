//! The system read another way: what must hold at some moment of a path, whatever came between.
//!
//! Edges that forget lose what was said of an earlier moment. For people it matters all the same: "the key was pressed, later the weight is shown". Here each atom
//! becomes two, *it holds at some moment* and *it does not hold at some moment*, and nothing is forgotten. Both may hold, at different moments; for atoms that no edge
//! forgets there is one moment only, so they exclude each other.
//!
//! Invariant: on every path of the given system whose labels hold, all that the solution says holds at some moment of it.

use super::formula::{AtomId, FALSE, Formula, FormulaId, Formulas, Literal, TRUE};
use super::{Edge, ForgetId, NOTHING, Seed, System};
use crate::base::bits::IdSet;
use crate::base::id::Id;

/// The system of moments; of the atoms in `left_out` nothing is said. `None` if there are too many atoms.
pub fn moments(system: &System, left_out: ForgetId) -> Option<System> {
    if 2 * system.atoms > super::MAX_ATOMS {
        return None;
    }
    let dropped = &system.forgets[left_out];
    let mut forgotten: IdSet<AtomId> = IdSet::new(system.atoms);
    for edge in &system.edges {
        forgotten.union_with(&system.forgets[edge.forget]);
    }
    let mut made = System::new(2 * system.atoms);
    let map = translated(&system.formulas, &mut made.formulas, |literal| !dropped.contains(literal.atom));
    for formula in &system.points {
        made.points.push(map[formula.index()]);
    }
    for Edge { from, to, leaving, entering, .. } in system.edges.iter().copied() {
        let (leaving, entering) = (map[leaving.index()], map[entering.index()]);
        made.edges.push(Edge { from, to, leaving, entering, forget: NOTHING });
    }
    for Seed { point, start } in &system.seeds {
        made.seeds.push(Seed { point: *point, start: map[start.index()] });
    }
    let is_one = |atom: AtomId| !forgotten.contains(atom) && !dropped.contains(atom);
    let excluded = |a: Literal, b: Literal| [Literal::no(moment(a)), Literal::no(moment(b))];
    for atom in (0..system.atoms).map(AtomId::new).filter(|atom| is_one(*atom)) {
        made.lemmas.push(excluded(Literal::yes(atom), Literal::no(atom)));
    }
    for [a, b] in system.lemmas.iter().filter(|[a, b]| is_one(a.atom) && is_one(b.atom)) {
        made.lemmas.push(excluded(!*a, !*b));
    }
    Some(made)
}

/// The atom that says that a literal holds at some moment.
fn moment(literal: Literal) -> AtomId {
    AtomId::new(2 * literal.atom.index() + usize::from(!literal.positive))
}

/// What an atom of a system of moments says.
pub fn literal(atom: AtomId) -> Literal {
    Literal { atom: AtomId::new(atom.index() / 2), positive: atom.index().is_multiple_of(2) }
}

/// All formulas with each literal replaced by its moment, or by `true` if it is not kept.
fn translated(from: &Formulas, to: &mut Formulas, kept: impl Fn(Literal) -> bool) -> Vec<FormulaId> {
    let mut map: Vec<FormulaId> = Vec::with_capacity(from.len());
    for id in (0..from.len()).map(FormulaId::new) {
        let made = match from.get(id) {
            Formula::False => FALSE,
            Formula::Literal(literal) if kept(*literal) => to.atom(moment(*literal)),
            Formula::True | Formula::Literal(_) => TRUE,
            Formula::And(parts) => to.and(parts.iter().map(|part| map[part.index()])),
            Formula::Or(parts) => to.or(parts.iter().map(|part| map[part.index()])),
        };
        map.push(made);
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pathcond::engine::{Limits, PointId, solve};

    /// Two points in a loop's two iterations: `a` in the first, its negation in the second.
    #[test]
    fn what_is_forgotten_is_still_said_of_some_moment() {
        let mut system = System::new(2);
        let (a, b) = (AtomId(0), AtomId(1));
        let first = system.formulas.atom(a);
        let both = system.formulas.atom(b);
        let first = system.formulas.and([first, both]);
        let not_a = system.formulas.literal(Literal::no(a));
        let start = system.points.push(first);
        let end = system.points.push(not_a);
        let forget = system.forget([a]);
        system.edges.push(Edge { from: start, to: end, leaving: TRUE, entering: TRUE, forget });
        system.seeds.push(Seed { point: start, start: TRUE });
        let made = moments(&system, NOTHING).expect("few atoms");
        let solution = solve(&made, &Limits::default());
        let holds = |values: [bool; 4]| {
            let condition = solution.with_lemmas(&made, &Limits::default(), PointId(1));
            condition.holds(&|variable| match variable {
                crate::pathcond::engine::Variable::Atom(atom) => values[atom.index()],
                crate::pathcond::engine::Variable::Definition(_) => false,
            })
        };
        // In the order: a, not a, b, not b. Both a and its negation are needed, each at its moment.
        assert!(holds([true, true, true, false]));
        assert!(
            !holds([true, false, true, false])
                && !holds([false, true, true, false])
                && !holds([true, true, false, true])
        );
        // `b` is never forgotten: it has one moment, `a` has several.
        assert_eq!(made.lemmas, [[Literal::no(AtomId(2)), Literal::no(AtomId(3))]]);
    }
}
