//! Conditions as binary decision diagrams with a node budget, and the definitions that stand for what did not fit.
//!
//! The variables of a diagram are the atoms, then the definitions. The body of a definition mentions only definitions made before it, so
//! there is no cycle among them, and conditions as well as bodies are positive in definitions ([`super::formula`] says why).

mod condition;
mod project;

use std::sync::Arc;

use biodivine_lib_bdd::op_function::{and, or};
use biodivine_lib_bdd::{Bdd, BddNode, BddPointer, BddVariable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::formula::{AtomId, Formula, FormulaId, Literal};
use super::lemmas::Lemmas;
use super::{ForgetId, Limits, PointId, Shared, System, Watch};
use crate::base::IdVec;
use crate::base::bits::IdSet;
use crate::base::id::Id;
use condition::{decisions, support};
use project::densest;

pub use condition::{Condition, Decision, DefinitionId, Variable};

/// How a result that is over the budget is treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// The value is computed once: parts become definitions.
    Once,
    /// The value is computed again and again until it is stable: atoms are dropped.
    Iterated,
}

/// Which of the two operations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    And,
    Or,
}

/// What a definition stands for.
struct Definition {
    body: Shared,
    /// The atoms it mentions, by its definitions too.
    atoms: IdSet<AtomId>,
}

/// The operations on conditions of one system.
pub struct Bdds<'a> {
    system: &'a System,
    lemmas: Lemmas,
    /// Atoms that are free everywhere.
    freed: Option<IdSet<AtomId>>,
    nodes: usize,
    allowed_work: u64,
    watch: Watch<'a>,
    /// Operations until the watch is asked again.
    patience: u32,
    stopped: bool,
    variables: u16,
    truth: Shared,
    falsity: Shared,
    definitions: IdVec<DefinitionId, Definition>,
    /// Definitions by their body.
    by_body: FxHashMap<Shared, DefinitionId>,
    formulas: FxHashMap<FormulaId, Shared>,
    labels: FxHashMap<FormulaId, Shared>,
    /// What is left of a definition when a set of atoms is forgotten.
    projected: FxHashMap<(DefinitionId, ForgetId), Shared>,
    /// Variables dropped at points in cycles.
    dropped: FxHashMap<PointId, Vec<u16>>,
    weakened: usize,
    work: u64,
}

/// The extra set of atoms that [`Bdds::freeing`] frees.
const FREED: ForgetId = ForgetId(u32::MAX);

impl<'a> Bdds<'a> {
    /// Operations without definitions so far.
    pub fn new(system: &'a System, limits: &Limits<'a>) -> Self {
        Self::with_definitions(system, limits, IdVec::new())
    }
    /// Operations in which these atoms are free wherever they occur, and lemmas are only what follows for the others.
    pub fn freeing(system: &'a System, limits: &Limits<'a>, freed: IdSet<AtomId>) -> Self {
        let mut bdds = Self::new(system, limits);
        bdds.lemmas = Lemmas::new(system.atoms, &system.lemmas, |atom| !freed.contains(atom));
        bdds.freed = Some(freed);
        bdds
    }
    /// Operations on conditions that have these definitions.
    pub(super) fn with_definitions(
        system: &'a System,
        limits: &Limits<'a>,
        given: IdVec<DefinitionId, Condition>,
    ) -> Self {
        let most = usize::from(u16::MAX) - 1;
        // The same number of variables for a solution and all that is done with it.
        let variables = (system.atoms + limits.definitions).min(most) as u16;
        let zero = BddNode::mk_zero(variables);
        let one = BddNode::mk_one(variables);
        let constant = |nodes: &[BddNode]| Arc::new(Bdd::from_nodes(nodes).expect("a constant is a diagram"));
        let mut bdds = Bdds {
            system,
            lemmas: Lemmas::new(system.atoms, &system.lemmas, |_| true),
            freed: None,
            nodes: limits.nodes.max(2),
            allowed_work: limits.work,
            watch: limits.watch,
            patience: PATIENCE,
            stopped: false,
            variables,
            truth: constant(&[zero, one]),
            falsity: constant(&[zero]),
            definitions: IdVec::new(),
            by_body: FxHashMap::default(),
            formulas: FxHashMap::default(),
            labels: FxHashMap::default(),
            projected: FxHashMap::default(),
            dropped: FxHashMap::default(),
            weakened: 0,
            work: 0,
        };
        for (_, definition) in given.into_enumerate() {
            bdds.push_definition(definition.bdd);
        }
        bdds
    }
    /// What the definitions stand for.
    pub fn definitions(&self) -> impl ExactSizeIterator<Item = Condition> {
        self.definitions.iter().map(|d| Condition { bdd: d.body.clone(), atoms: self.system.atoms })
    }
    /// The definitions, when nothing more is to be computed.
    pub fn into_definitions(self) -> IdVec<DefinitionId, Condition> {
        self.definitions().collect()
    }
    /// How often something was weakened.
    pub fn weakened(&self) -> usize {
        self.weakened
    }
    /// How many nodes were looked at.
    pub fn work(&self) -> u64 {
        self.work
    }
    /// Whether there is to be no more work. From then on operations are cheap, and weaken.
    pub fn is_over(&mut self) -> bool {
        self.stopped = self.stopped || self.watch.is_over();
        self.stopped
    }
    pub(super) fn wrap(&self, bdd: Shared) -> Condition {
        Condition { bdd, atoms: self.system.atoms }
    }
    /// `true`.
    pub fn truth(&self) -> Condition {
        self.wrap(self.truth.clone())
    }
    /// `false`.
    pub fn falsity(&self) -> Condition {
        self.wrap(self.falsity.clone())
    }
    /// A formula of the system as it stands at points and edges: atoms that are freed are free in it.
    pub fn label(&mut self, id: FormulaId) -> Condition {
        if self.freed.is_none() {
            let bdd = self.formula(id);
            return self.wrap(bdd);
        }
        if let Some(known) = self.labels.get(&id) {
            return self.wrap(known.clone());
        }
        let exact = self.formula(id);
        let bdd = self.project(&exact, FREED, Mode::Once, false);
        self.labels.insert(id, bdd.clone());
        self.wrap(bdd)
    }
    /// An atom or its negation.
    pub fn literal_condition(&self, literal: Literal) -> Condition {
        self.wrap(self.literal(literal.atom.index(), literal.positive))
    }
    /// Both.
    pub fn and(&mut self, a: &Condition, b: &Condition, mode: Mode) -> Condition {
        let bdd = self.combine(Operation::And, &a.bdd, &b.bdd, mode);
        self.wrap(bdd)
    }
    /// One of these; a balanced tree of operations.
    pub fn any(&mut self, parts: Vec<Condition>, mode: Mode) -> Condition {
        let parts = parts.into_iter().map(|c| c.bdd).collect();
        let bdd = self.tree(Operation::Or, parts, mode);
        self.wrap(bdd)
    }
    /// What is left when the atoms of the set are forgotten, lemmas taken into account.
    pub fn forget(&mut self, condition: &Condition, set: ForgetId, mode: Mode) -> Condition {
        let bdd = self.project(&condition.bdd, set, mode, true);
        self.wrap(bdd)
    }
    /// `old` or `new` at a point in a cycle. If that is over the budget, atoms are dropped, here and whenever this point is joined again.
    pub fn join(&mut self, point: PointId, old: &Condition, new: &Condition) -> Condition {
        let mut dropped = self.dropped.remove(&point).unwrap_or_default();
        let mut old = old.bdd.clone();
        let mut new = self.drop_variables(&new.bdd, &dropped);
        let mut step = 1;
        loop {
            if let Some(both) = self.apply(Operation::Or, &old, &new, self.budget()) {
                if !dropped.is_empty() {
                    self.dropped.insert(point, dropped);
                }
                return self.wrap(both);
            }
            self.weakened += 1;
            let more = densest(&[&old, &new], step);
            step *= 2;
            old = self.drop_variables(&old, &more);
            new = self.drop_variables(&new, &more);
            dropped.extend(more);
        }
    }
    /// The condition with the lemmas about the atoms it mentions, as far as the budget allows.
    pub fn with_lemmas(&mut self, condition: &Condition) -> Condition {
        let mut bdd = condition.bdd.clone();
        if bdd.is_true() || bdd.is_false() || self.lemmas.is_empty() {
            return condition.clone();
        }
        let atoms: Vec<AtomId> = self.atoms_of(&bdd);
        let mentioned: FxHashSet<AtomId> = atoms.iter().copied().collect();
        for &atom in atoms.iter().rev() {
            for (positive, other) in self.lemmas.of(atom).to_vec() {
                if other.atom >= atom && mentioned.contains(&other.atom) {
                    bdd = self.with_clause(bdd, [Literal { atom, positive }, other]);
                }
            }
        }
        self.wrap(bdd)
    }
    /// What a definition stands for.
    pub fn definition(&self, id: DefinitionId) -> Condition {
        self.wrap(self.definitions[id].body.clone())
    }
    /// The condition as if all its definitions held: something weaker.
    pub fn without_definitions(&mut self, condition: &Condition) -> Condition {
        let variables = support(&condition.bdd).into_iter().filter(|v| v.to_index() >= self.system.atoms);
        let all: Vec<(BddVariable, bool)> = variables.map(|v| (v, true)).collect();
        self.wrap(Arc::new(condition.bdd.restrict(&all)))
    }
    /// Something weaker with at most so many decisions.
    pub fn weaker(&mut self, condition: &Condition, nodes: usize) -> Condition {
        let bdd = self.shrink(&condition.bdd, nodes);
        self.wrap(bdd)
    }
    /// The lemmas about the atoms that the condition mentions.
    pub(super) fn lemmas_about(&self, condition: &Condition) -> Vec<Condition> {
        let atoms = self.atoms_of(&condition.bdd);
        let mut found = Vec::new();
        for &atom in &atoms {
            for (positive, other) in self.lemmas.of(atom) {
                if other.atom >= atom && atoms.binary_search(&other.atom).is_ok() {
                    let one = self.literal(atom.index(), *positive);
                    let two = self.literal(other.atom.index(), other.positive);
                    found.push(self.wrap(Arc::new(one.or(&two))));
                }
            }
        }
        found
    }
    /// The conjunction of literals.
    pub(super) fn cube(&self, literals: &[(BddVariable, bool)]) -> Bdd {
        let all = biodivine_lib_bdd::BddPartialValuation::from_values(literals);
        self.truth.select_valuation(&all)
    }
    /// The condition with its definitions replaced by what they stand for, if that fits into so many nodes.
    pub fn expanded(&mut self, condition: &Condition, nodes: usize) -> Option<Condition> {
        let mut bdd = condition.bdd.clone();
        loop {
            let last = support(&bdd).last().copied().filter(|v| v.to_index() >= self.system.atoms);
            let Some(variable) = last else { return Some(self.wrap(bdd)) };
            let body = self.definitions[DefinitionId::new(variable.to_index() - self.system.atoms)].body.clone();
            bdd = self.substitute(&bdd, variable, &body, nodes)?;
        }
    }
    /// Whether one implies the other, definitions taken as if they were free.
    pub fn implies(&mut self, a: &Condition, b: &Condition) -> bool {
        self.work += (a.bdd.size() + b.bdd.size()) as u64;
        a.bdd.and_not(&b.bdd).is_false()
    }

    fn atoms_of(&self, bdd: &Bdd) -> Vec<AtomId> {
        let atoms = support(bdd).into_iter().map(BddVariable::to_index);
        atoms.take_while(|v| *v < self.system.atoms).map(AtomId::new).collect()
    }
    /// Nodes that a diagram may have, its constants not counted.
    fn budget(&self) -> usize {
        if self.stopped || self.work > self.allowed_work { self.nodes.min(EXHAUSTED) } else { self.nodes }
    }
    fn literal(&self, variable: usize, positive: bool) -> Shared {
        let (low, high) = if positive { (0, 1) } else { (1, 0) };
        let nodes = [
            BddNode::mk_zero(self.variables),
            BddNode::mk_one(self.variables),
            BddNode::mk_node(
                BddVariable::from_index(variable),
                BddPointer::from_index(low),
                BddPointer::from_index(high),
            ),
        ];
        Arc::new(Bdd::from_nodes(&nodes).expect("a literal is a diagram"))
    }

    /// A formula as it stands, each of its parts once.
    fn formula(&mut self, id: FormulaId) -> Shared {
        if let Some(known) = self.formulas.get(&id) {
            return known.clone();
        }
        let system = self.system;
        for part in system.formulas.inside(id) {
            if self.formulas.contains_key(&part) {
                continue;
            }
            let bdd = match system.formulas.get(part) {
                Formula::True => self.truth.clone(),
                Formula::False => self.falsity.clone(),
                Formula::Literal(literal) => self.literal(literal.atom.index(), literal.positive),
                Formula::And(parts) => {
                    let parts = parts.iter().map(|p| self.formulas[p].clone()).collect();
                    self.tree(Operation::And, parts, Mode::Once)
                }
                Formula::Or(parts) => {
                    let parts = parts.iter().map(|p| self.formulas[p].clone()).collect();
                    self.tree(Operation::Or, parts, Mode::Once)
                }
            };
            self.formulas.insert(part, bdd);
        }
        self.formulas[&id].clone()
    }

    /// An n-ary operation as a balanced tree.
    fn tree(&mut self, operation: Operation, mut parts: Vec<Shared>, mode: Mode) -> Shared {
        while parts.len() > 1 {
            let pairs = parts.chunks(2);
            let mut next = Vec::with_capacity(pairs.len());
            for pair in pairs {
                next.push(match pair {
                    [a, b] => self.combine(operation, a, b, mode),
                    rest => rest[0].clone(),
                });
            }
            parts = next;
        }
        let none = match operation {
            Operation::And => &self.truth,
            Operation::Or => &self.falsity,
        };
        parts.pop().unwrap_or_else(|| none.clone())
    }

    fn combine(&mut self, operation: Operation, a: &Shared, b: &Shared, mode: Mode) -> Shared {
        if let Some(both) = self.apply(operation, a, b, self.budget()) {
            return both;
        }
        let (mut large, mut small) = if a.size() >= b.size() { (a.clone(), b.clone()) } else { (b.clone(), a.clone()) };
        match mode {
            Mode::Once => {
                large = self.define(&large);
                if let Some(both) = self.apply(operation, &large, &small, self.budget()) {
                    return both;
                }
                small = self.define(&small);
                // Two variables, or fewer.
                self.apply(operation, &large, &small, usize::MAX - 2).expect("two variables make a small diagram")
            }
            Mode::Iterated => {
                self.weakened += 1;
                loop {
                    large = self.shrink(&large, decisions(&large) / 2);
                    if let Some(both) = self.apply(operation, &large, &small, self.budget()) {
                        return both;
                    }
                    if large.size() < small.size() {
                        std::mem::swap(&mut large, &mut small);
                    }
                }
            }
        }
    }

    /// The operation's result, if it has at most so many decisions and takes no more than a multiple of that to find.
    fn apply(&mut self, operation: Operation, a: &Shared, b: &Shared, limit: usize) -> Option<Shared> {
        let (neutral, absorbing) = match operation {
            Operation::And => (&self.truth, &self.falsity),
            Operation::Or => (&self.falsity, &self.truth),
        };
        if a == absorbing || b == absorbing {
            return Some(absorbing.clone());
        }
        let same = Arc::ptr_eq(a, b);
        for (one, other) in [(a, b), (b, a)] {
            if one == neutral || same {
                return (decisions(other) <= limit).then(|| other.clone());
            }
        }
        self.patience -= 1;
        if self.patience == 0 {
            self.patience = PATIENCE;
            self.is_over();
        }
        self.work += (a.size() + b.size()) as u64;
        let table = match operation {
            Operation::And => and,
            Operation::Or => or,
        };
        let steps = limit.saturating_mul(STEPS_PER_NODE).max(1 << 16);
        if a.size().saturating_mul(b.size()) > steps {
            let (_, taken) = Bdd::check_binary_op(steps, a, b, table)?;
            self.work += taken as u64;
        }
        Bdd::binary_op_with_limit(limit.saturating_add(2), a, b, table).map(Arc::new)
    }

    /// A variable that stands for the diagram; itself if it is no larger than that.
    fn define(&mut self, body: &Shared) -> Shared {
        if decisions(body) <= 1 {
            return body.clone();
        }
        let id = match self.by_body.get(body) {
            Some(id) => *id,
            None if self.system.atoms + self.definitions.len() < usize::from(self.variables) => {
                self.push_definition(body.clone())
            }
            None => {
                self.weakened += 1;
                return self.truth.clone();
            }
        };
        self.literal(self.system.atoms + id.index(), true)
    }
    fn push_definition(&mut self, body: Shared) -> DefinitionId {
        let mut atoms = IdSet::new(self.system.atoms);
        for variable in support(&body).into_iter().map(BddVariable::to_index) {
            match variable.checked_sub(self.system.atoms) {
                None => {
                    atoms.insert(AtomId::new(variable));
                }
                Some(inner) => atoms.union_with(&self.definitions[DefinitionId::new(inner)].atoms),
            }
        }
        let id = self.definitions.push(Definition { body: body.clone(), atoms });
        self.by_body.insert(body, id);
        id
    }
}

/// A diagram in the middle of an operation may be so many times over the budget.
const SLACK: usize = 4;
/// Steps of an operation for each node that its result may have.
const STEPS_PER_NODE: usize = 64;
/// Operations between two looks at the watch.
const PATIENCE: u32 = 256;
/// The budget when all work is spent.
const EXHAUSTED: usize = 16;
