//! Forgetting: variables are projected from diagrams, and from what definitions stand for.

use std::cmp::Reverse;
use std::sync::Arc;

use biodivine_lib_bdd::op_function::or;
use biodivine_lib_bdd::{Bdd, BddVariable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::formula::{AtomId, Literal};
use super::super::{ForgetId, NOTHING, Shared};
use super::condition::{DefinitionId, decisions, support};
use super::{Bdds, FREED, Mode, Operation, SLACK};
use crate::base::bits::IdSet;
use crate::base::id::Id;

impl Bdds<'_> {
    /// Something weaker with at most so many decisions: the variables with most nodes go first.
    pub(super) fn shrink(&mut self, bdd: &Shared, target: usize) -> Shared {
        let mut bdd = bdd.clone();
        let mut step = 1;
        while decisions(&bdd) > target {
            let variables = densest(&[&bdd], step);
            bdd = self.drop_variables(&bdd, &variables);
            step *= 2;
        }
        bdd
    }
    /// The diagram without these variables; `true` if that is far over the budget.
    pub(super) fn drop_variables(&mut self, bdd: &Shared, variables: &[u16]) -> Shared {
        let mut present: Vec<BddVariable> =
            support(bdd).into_iter().filter(|v| variables.contains(&(v.to_index() as u16))).collect();
        present.reverse();
        let limit = self.budget() * SLACK;
        self.exists(bdd, &present, limit).unwrap_or_else(|| {
            self.weakened += 1;
            self.truth.clone()
        })
    }
    /// Some values of the variables, deepest first, exist.
    fn exists(&mut self, bdd: &Shared, variables: &[BddVariable], limit: usize) -> Option<Shared> {
        if variables.is_empty() || bdd.is_false() || bdd.is_true() {
            return Some(bdd.clone());
        }
        self.work += bdd.size() as u64;
        if bdd.size() <= SMALL {
            return Some(Arc::new(bdd.exists(variables)));
        }
        let mut bdd = bdd.clone();
        for &variable in variables {
            self.work += bdd.size() as u64;
            let (one, other) = ((&*bdd, None), (&*bdd, Some(variable)));
            bdd = Arc::new(Bdd::fused_binary_flip_op_with_limit(limit.saturating_add(2), one, other, None, or)?);
        }
        Some(bdd)
    }
    /// The diagram with the lemma, if that does not grow far over the budget.
    pub(super) fn with_clause(&mut self, bdd: Shared, clause: [Literal; 2]) -> Shared {
        let [a, b] = clause.map(|l| self.literal(l.atom.index(), l.positive));
        let clause = self.apply(Operation::Or, &a, &b, 2).expect("two literals");
        let limit = self.budget() * SLACK;
        self.apply(Operation::And, &bdd, &clause, limit).unwrap_or(bdd)
    }

    /// The diagram, positive in the variable, with the variable replaced.
    pub(super) fn substitute(
        &mut self,
        bdd: &Shared,
        variable: BddVariable,
        by: &Shared,
        limit: usize,
    ) -> Option<Shared> {
        let without = Arc::new(bdd.var_restrict(variable, false));
        let with = Arc::new(bdd.var_restrict(variable, true));
        self.work += 2 * bdd.size() as u64;
        let with = self.apply(Operation::And, &with, by, limit)?;
        self.apply(Operation::Or, &without, &with, limit)
    }

    fn set(&self, set: ForgetId) -> &IdSet<AtomId> {
        match &self.freed {
            Some(freed) if set == FREED => freed,
            _ => &self.system.forgets[set],
        }
    }

    pub(super) fn project(&mut self, bdd: &Shared, set: ForgetId, mode: Mode, lemmas: bool) -> Shared {
        if set == NOTHING || bdd.is_true() || bdd.is_false() {
            return bdd.clone();
        }
        let mut result = bdd.clone();
        let limit = self.budget() * SLACK;
        let mut tries = EXPANSIONS;
        // The last one first: what it stands for may mention those before it.
        while let Some(id) = self.last_affected(&result, set) {
            let variable = BddVariable::from_index(self.system.atoms + id.index());
            if tries > 0 {
                tries -= 1;
                // Projected together with the rest, nothing is lost.
                let body = self.definitions[id].body.clone();
                if let Some(whole) = self.substitute(&result, variable, &body, limit) {
                    result = whole;
                    continue;
                }
            }
            self.project_definitions(id, set, lemmas);
            let new = self.projected[&(id, set)].clone();
            result = self.substitute(&result, variable, &new, limit).unwrap_or_else(|| {
                self.weakened += 1;
                Arc::new(result.var_restrict(variable, true))
            });
        }
        let result = self.project_atoms(&result, set, lemmas);
        if decisions(&result) <= self.budget() {
            return result;
        }
        match mode {
            Mode::Once => self.define(&result),
            Mode::Iterated => {
                self.weakened += 1;
                self.shrink(&result, self.budget())
            }
        }
    }
    /// The last definition of a diagram that mentions an atom of the set.
    fn last_affected(&self, bdd: &Bdd, set: ForgetId) -> Option<DefinitionId> {
        let definitions = support(bdd).into_iter().rev().map_while(|v| v.to_index().checked_sub(self.system.atoms));
        definitions.map(DefinitionId::new).find(|id| meets(&self.definitions[*id].atoms, self.set(set)))
    }
    /// Projects the atoms of the set that the diagram itself mentions, one after the other, each with its lemmas.
    fn project_atoms(&mut self, bdd: &Shared, set: ForgetId, lemmas: bool) -> Shared {
        // What stood for a definition may bring no atom of the set.
        let gone: Vec<AtomId> = self.atoms_of(bdd).into_iter().filter(|a| self.set(set).contains(*a)).collect();
        let mut result = bdd.clone();
        let limit = self.budget() * SLACK;
        let mut waiting: Vec<BddVariable> = Vec::new();
        let with_lemmas = lemmas && gone.iter().any(|a| !self.lemmas.of(*a).is_empty());
        if with_lemmas {
            let present: FxHashSet<AtomId> = gone.iter().copied().collect();
            let mut done: FxHashSet<AtomId> = FxHashSet::default();
            for &atom in gone.iter().rev() {
                for (positive, other) in self.lemmas.of(atom).to_vec() {
                    let relevant = present.contains(&other.atom) || !self.set(set).contains(other.atom);
                    if relevant && !done.contains(&other.atom) {
                        result = self.with_clause(result, [Literal { atom, positive }, other]);
                    }
                }
                let variable = BddVariable::from_index(atom.index());
                result = self.exists(&result, &[variable], limit).unwrap_or_else(|| {
                    self.weakened += 1;
                    self.truth.clone()
                });
                done.insert(atom);
            }
        } else {
            waiting.extend(gone.iter().rev().map(|a| BddVariable::from_index(a.index())));
        }
        self.exists(&result, &waiting, limit).unwrap_or_else(|| {
            self.weakened += 1;
            self.truth.clone()
        })
    }
    /// Notes what is left of a definition, and of those in it, without the set. Each is projected by itself.
    fn project_definitions(&mut self, id: DefinitionId, set: ForgetId, lemmas: bool) {
        let mut all: Vec<DefinitionId> = Vec::new();
        let mut seen: FxHashSet<DefinitionId> = FxHashSet::default();
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            if self.projected.contains_key(&(id, set)) || !seen.insert(id) {
                continue;
            }
            all.push(id);
            for variable in support(&self.definitions[id].body).into_iter().map(BddVariable::to_index) {
                if let Some(inner) = variable.checked_sub(self.system.atoms) {
                    let inner = DefinitionId::new(inner);
                    work.extend(Some(inner).filter(|d| meets(&self.definitions[*d].atoms, self.set(set))));
                }
            }
        }
        // A body mentions only definitions made before it.
        all.sort_unstable();
        for id in all {
            self.weakened += 1;
            let body = self.definitions[id].body.clone();
            let left = self.project(&body, set, Mode::Once, lemmas);
            let left = if decisions(&left) <= INLINE { left } else { self.define(&left) };
            self.projected.insert((id, set), left);
        }
    }
}

/// Whether two sets have an atom in common.
fn meets(a: &IdSet<AtomId>, b: &IdSet<AtomId>) -> bool {
    !a.intersection(b).is_empty()
}

/// The variables with most nodes in the diagrams, at most so many.
pub(super) fn densest(bdds: &[&Shared], count: usize) -> Vec<u16> {
    let mut sizes: FxHashMap<u16, usize> = FxHashMap::default();
    for bdd in bdds {
        for pointer in bdd.pointers().filter(|p| !p.is_terminal()) {
            *sizes.entry(bdd.var_of(pointer).to_index() as u16).or_default() += 1;
        }
    }
    let mut all: Vec<(Reverse<usize>, u16)> =
        sizes.into_iter().map(|(variable, nodes)| (Reverse(nodes), variable)).collect();
    all.sort_unstable();
    all.into_iter().take(count).map(|(_, variable)| variable).collect()
}

/// Diagrams up to this size are projected at once.
const SMALL: usize = 256;
/// What is left of a definition stays in place up to this size.
const INLINE: usize = 4;
/// So many definitions are tried in place before the others are projected by themselves.
const EXPANSIONS: usize = 8;
