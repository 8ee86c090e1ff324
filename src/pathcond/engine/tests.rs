//! Random small systems, and their exact solution by explicit search over (point, values of the atoms).

mod exact;
mod figures;
mod paths;
mod show;

use std::collections::BTreeSet;

use super::*;
use crate::base::id::Id;

/// Random numbers (splitmix64).
pub(super) struct Random(pub u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
    fn literal(&mut self, atoms: usize) -> Literal {
        Literal { atom: AtomId::new(self.below(atoms)), positive: self.below(2) == 0 }
    }
    fn formula(&mut self, formulas: &mut Formulas, atoms: usize, depth: usize) -> FormulaId {
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 | 1 => TRUE,
            2..=4 => {
                let literal = self.literal(atoms);
                formulas.literal(literal)
            }
            5 => {
                let inside = self.formula(formulas, atoms, depth - 1);
                formulas.not(inside)
            }
            kind => {
                let parts = [0; 2].map(|_| self.formula(formulas, atoms, depth - 1));
                if kind == 6 { formulas.and(parts) } else { formulas.or(parts) }
            }
        }
    }
    /// A system with up to so many points and atoms.
    fn system(&mut self, points: usize, atoms: usize, with_lemmas: bool) -> System {
        let (points, atoms) = (1 + self.below(points), 1 + self.below(atoms));
        let mut system = System::new(atoms);
        for _ in 0..points {
            let execution = self.formula(&mut system.formulas, atoms, 2);
            system.points.push(execution);
        }
        for _ in 0..self.below(3 * points) {
            let [from, to] = [0; 2].map(|_| PointId::new(self.below(points)));
            let leaving = self.formula(&mut system.formulas, atoms, 1);
            let entering = self.formula(&mut system.formulas, atoms, 1);
            let gone = if self.below(2) == 0 { self.below(1 << atoms) } else { 0 };
            let forget = system.forget((0..atoms).filter(|a| gone & (1 << a) != 0).map(AtomId::new));
            system.edges.push(Edge { from, to, leaving, entering, forget });
        }
        for _ in 0..=self.below(2) {
            let start = self.formula(&mut system.formulas, atoms, 1);
            system.seeds.push(Seed { point: PointId::new(self.below(points)), start });
        }
        if with_lemmas {
            for _ in 0..self.below(4) {
                let lemma = [self.literal(atoms), self.literal(atoms)];
                system.lemmas.push(lemma);
                if moments(&system).is_empty() {
                    system.lemmas.pop();
                }
            }
        }
        system
    }
}

/// Values of all atoms, as bits.
pub(super) type Values = u32;

fn value(values: Values) -> impl Fn(AtomId) -> bool {
    move |atom| values & (1 << atom.0) != 0
}

/// Values that the lemmas allow.
fn moments(system: &System) -> Vec<Values> {
    let allowed =
        |values: &Values| system.lemmas.iter().all(|lemma| lemma.iter().any(|l| value(*values)(l.atom) == l.positive));
    (0..1 << system.atoms).filter(allowed).collect()
}

/// Whether an edge can be taken with these values before and after it.
fn step(system: &System, edge: &Edge, before: Values, after: Values) -> bool {
    let forgotten: Values = system.forgets[edge.forget].iter().map(|a| 1 << a.0).sum();
    before & !forgotten == after & !forgotten
        && system.formulas.holds(edge.leaving, &value(before))
        && system.formulas.holds(edge.entering, &value(after))
        && system.formulas.holds(system.points[edge.to], &value(after))
}

/// The values with which each seed can start.
fn starts(system: &System, seed: Seed) -> Vec<Values> {
    let both = |values: &Values| {
        system.formulas.holds(seed.start, &value(*values))
            && system.formulas.holds(system.points[seed.point], &value(*values))
    };
    moments(system).into_iter().filter(both).collect()
}

/// For each point the values with which a path from a seed can arrive, moment by moment.
fn explicit(system: &System) -> IdVec<PointId, BTreeSet<Values>> {
    let moments = moments(system);
    let mut reached: IdVec<PointId, BTreeSet<Values>> = IdVec::filled(BTreeSet::new(), system.points.len());
    let mut work: Vec<(PointId, Values)> = Vec::new();
    for seed in &system.seeds {
        work.extend(starts(system, *seed).into_iter().map(|values| (seed.point, values)));
    }
    while let Some((point, values)) = work.pop() {
        if !reached[point].insert(values) {
            continue;
        }
        for edge in system.edges.iter().filter(|e| e.from == point) {
            let after = moments.iter().copied().filter(|after| step(system, edge, values, *after));
            work.extend(after.map(|after| (edge.to, after)));
        }
    }
    reached
}

/// The value of a condition, definitions by what they stand for.
fn holds(solution: &Solution, condition: &Condition, values: Values) -> bool {
    condition.holds(&|variable| match variable {
        Variable::Atom(atom) => value(values)(atom),
        Variable::Definition(id) => holds(solution, &solution.definitions[id], values),
    })
}

/// The values that fulfil a condition, among those that the lemmas allow.
fn models(system: &System, solution: &Solution, point: PointId) -> BTreeSet<Values> {
    moments(system).into_iter().filter(|v| holds(solution, &solution.conditions[point], *v)).collect()
}

pub(super) const STRATEGIES: [Strategy; 3] = [Strategy::Worklist, Strategy::Components, Strategy::Intervals];
