//! A condition, and what can be asked of it.

use biodivine_lib_bdd::{Bdd, BddVariable};

use super::super::Shared;
use super::super::formula::AtomId;
use crate::base::id::Id;
use crate::define_id;

define_id!(/// A Boolean variable that stands for a condition that was cut.
    DefinitionId, "d");

/// A variable of a diagram.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Variable {
    /// An atom of the system.
    Atom(AtomId),
    /// A definition of the solution.
    Definition(DefinitionId),
}

/// A condition: a decision diagram over atoms and definitions. Equal diagrams are equal conditions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Condition {
    pub(in super::super) bdd: Shared,
    pub(in super::super) atoms: usize,
}

/// A node of a diagram that decides a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// What is decided.
    pub variable: Variable,
    /// Where it goes on if the variable does not hold: 0 is `false`, 1 is `true`, `n + 2` is the `n`-th decision.
    pub low: usize,
    /// Where it goes on if it holds.
    pub high: usize,
}

impl Condition {
    /// Whether it never holds.
    pub fn is_false(&self) -> bool {
        self.bdd.is_false()
    }
    /// Whether it always holds.
    pub fn is_true(&self) -> bool {
        self.bdd.is_true()
    }
    /// How many decisions the diagram has.
    pub fn size(&self) -> usize {
        decisions(&self.bdd)
    }
    /// The diagram: every decision after those it leads to, the first to be taken last. Empty for a constant.
    pub fn decisions(&self) -> Vec<Decision> {
        let nodes = self.bdd.pointers().filter(|p| !p.is_terminal());
        nodes
            .map(|p| Decision {
                variable: self.variable(self.bdd.var_of(p)),
                low: self.bdd.low_link_of(p).to_index(),
                high: self.bdd.high_link_of(p).to_index(),
            })
            .collect()
    }
    /// What it mentions, ascending.
    pub fn variables(&self) -> Vec<Variable> {
        support(&self.bdd).into_iter().map(|v| self.variable(v)).collect()
    }
    /// Whether it holds when the variables have these values.
    pub fn holds(&self, value: &impl Fn(Variable) -> bool) -> bool {
        let mut at = self.bdd.root_pointer();
        loop {
            match at.as_bool() {
                Some(answer) => return answer,
                None if value(self.variable(self.bdd.var_of(at))) => at = self.bdd.high_link_of(at),
                None => at = self.bdd.low_link_of(at),
            }
        }
    }
    fn variable(&self, variable: BddVariable) -> Variable {
        let index = variable.to_index();
        match index.checked_sub(self.atoms) {
            None => Variable::Atom(AtomId::new(index)),
            Some(definition) => Variable::Definition(DefinitionId::new(definition)),
        }
    }
}

/// Decision nodes that a diagram has beside its two constants.
pub(super) fn decisions(bdd: &Bdd) -> usize {
    bdd.size().saturating_sub(2)
}

/// The variables of a diagram, ascending.
pub(super) fn support(bdd: &Bdd) -> Vec<BddVariable> {
    let mut found: Vec<BddVariable> = bdd.pointers().filter(|p| !p.is_terminal()).map(|p| bdd.var_of(p)).collect();
    found.sort_unstable();
    found.dedup();
    found
}
