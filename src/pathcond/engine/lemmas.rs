//! Theory lemmas: clauses of two literals that hold at every moment, such as "`x > 0` and `x < 0` exclude each other".
//!
//! They are closed under resolution once. After that, what the lemmas say about some of the atoms are just the clauses that have only
//! these atoms, so projecting the others needs no clause with an atom that the condition does not mention.

use rustc_hash::FxHashSet;

use super::formula::{AtomId, Literal};
use crate::base::IdVec;
use crate::base::id::Id;

/// A clause: one of the two holds. Twice the same literal: it holds.
pub type Lemma = [Literal; 2];

/// The lemmas and all that follows from them.
#[derive(Clone, Debug)]
pub struct Lemmas {
    /// For each atom the clauses with it, as (its sign, the other literal), sorted.
    by_atom: IdVec<AtomId, Vec<(bool, Literal)>>,
}

impl Lemmas {
    /// What follows from these lemmas about the atoms for which `kept` is true.
    pub fn new(atoms: usize, lemmas: &[Lemma], kept: impl Fn(AtomId) -> bool) -> Self {
        // A clause (a or b) as edges: not a leads to b, not b leads to a.
        let number = |l: Literal| 2 * l.atom.index() + usize::from(l.positive);
        let mut follows: Vec<Vec<Literal>> = vec![Vec::new(); 2 * atoms];
        for [a, b] in lemmas {
            follows[number(!*a)].push(*b);
            follows[number(!*b)].push(*a);
        }
        let mut by_atom: IdVec<AtomId, Vec<(bool, Literal)>> = IdVec::filled(Vec::new(), atoms);
        let mut seen: FxHashSet<Literal> = FxHashSet::default();
        for atom in (0..atoms).map(AtomId::new).filter(|a| kept(*a)) {
            for positive in [false, true] {
                let from = Literal { atom, positive };
                if follows[number(from)].is_empty() {
                    continue;
                }
                seen.clear();
                let mut work = vec![from];
                while let Some(at) = work.pop() {
                    work.extend(follows[number(at)].iter().filter(|l| seen.insert(**l)));
                }
                // `from` implies each of these: the clause (not from, that).
                let list = &mut by_atom[atom];
                list.extend(seen.iter().filter(|l| **l != from && kept(l.atom)).map(|l| (!positive, *l)));
            }
            by_atom[atom].sort_unstable();
        }
        Lemmas { by_atom }
    }
    /// The clauses with an atom: its sign in the clause, and the other literal, which is the same if the literal alone must hold.
    pub fn of(&self, atom: AtomId) -> &[(bool, Literal)] {
        &self.by_atom[atom]
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_atom.iter().all(Vec::is_empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_from_two_lemmas_is_a_lemma() {
        let [a, b, c] = [AtomId(0), AtomId(1), AtomId(2)];
        // a implies b, b excludes c.
        let given = [[Literal::no(a), Literal::yes(b)], [Literal::no(b), Literal::no(c)]];
        let lemmas = Lemmas::new(3, &given, |_| true);
        assert_eq!(lemmas.of(a), [(false, Literal::yes(b)), (false, Literal::no(c))]);
        assert_eq!(lemmas.of(c), [(false, Literal::no(a)), (false, Literal::no(b))]);
        let without = Lemmas::new(3, &given, |atom| atom != b);
        assert_eq!((without.of(a), without.of(b)), (&[(false, Literal::no(c))][..], &[][..]));
        // a excludes itself.
        let given = [[Literal::no(a), Literal::yes(b)], [Literal::no(a), Literal::no(b)]];
        assert!(Lemmas::new(3, &given, |_| true).of(a).contains(&(false, Literal::no(a))));
    }
}
