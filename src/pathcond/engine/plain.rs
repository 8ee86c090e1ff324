//! The same system solved without decision diagrams: conditions are shared formulas that nothing simplifies.
//!
//! There is no test for equality, so a strongly connected component whose edges forget nothing is iterated as often as it has points, after
//! which all cycle-free paths are there (equation 15); one whose edges forget something is given up: its points get their
//! execution conditions. Kept to measure what diagrams are worth (table IV of the paper).

use super::fixpoint::{incoming, intervals};
use super::formula::{FALSE, FormulaId, Formulas, TRUE};
use super::{EdgeId, ForgetId, NOTHING, PointId, Statistics, System, Watch};
use crate::base::IdVec;

/// The conditions as formulas.
#[derive(Clone, Debug)]
pub struct PlainSolution {
    /// The system's formulas and more.
    pub formulas: Formulas,
    /// The condition of each point.
    pub conditions: IdVec<PointId, FormulaId>,
    /// Whether the budget of formulas was used up, or it was stopped: then `true` stands for what was not computed.
    pub exhausted: bool,
    /// What it took. `largest` and `total` are the number of formulas.
    pub statistics: Statistics,
}

/// Solves without diagrams; past so many formulas, or when it is stopped, what is still to be computed is `true`.
pub fn solve_plain(system: &System, formulas: usize, watch: Watch<'_>) -> PlainSolution {
    let started = std::time::Instant::now();
    let intervals = intervals(system);
    let mut solver = Plain {
        system,
        into: incoming(system),
        formulas: system.formulas.clone(),
        conditions: IdVec::filled(FALSE, system.points.len()),
        most: formulas,
        watch,
        exhausted: false,
        statistics: Statistics {
            atoms: system.atoms,
            points: system.points.len(),
            edges: system.edges.len(),
            components: intervals.all.len(),
            ..Statistics::default()
        },
    };
    let mut at = 0;
    while let Some(&point) = intervals.order.get(at) {
        if let Some(id) = intervals.around(point).last() {
            solver.component(intervals.nodes(id));
            at = intervals.all[id].span.end;
        } else {
            solver.conditions[point] = solver.evaluate(point);
            at += 1;
        }
    }
    let mut statistics = solver.statistics;
    statistics.total = solver.formulas.len();
    for condition in &solver.conditions {
        statistics.largest = statistics.largest.max(solver.formulas.inside(*condition).len());
    }
    statistics.seconds = started.elapsed().as_secs_f64();
    let exhausted = solver.exhausted;
    PlainSolution { exhausted, formulas: solver.formulas, conditions: solver.conditions, statistics }
}

struct Plain<'a> {
    system: &'a System,
    into: IdVec<PointId, Vec<EdgeId>>,
    formulas: Formulas,
    conditions: IdVec<PointId, FormulaId>,
    most: usize,
    watch: Watch<'a>,
    exhausted: bool,
    statistics: Statistics,
}

impl Plain<'_> {
    fn component(&mut self, points: &[PointId]) {
        let inside = |point: PointId| points.contains(&point);
        let forgets = points.iter().flat_map(|p| &self.into[*p]).any(|e| {
            let edge = &self.system.edges[*e];
            inside(edge.from) && edge.forget != NOTHING
        });
        if forgets {
            self.statistics.weakened += 1;
            for &point in points {
                self.conditions[point] = self.system.points[point];
            }
            return;
        }
        for _ in points {
            let new: Vec<FormulaId> = points.iter().map(|p| self.evaluate(*p)).collect();
            for (point, condition) in points.iter().zip(new) {
                self.conditions[*point] = condition;
            }
        }
    }

    /// Whether no more may be made.
    fn is_over(&mut self) -> bool {
        self.exhausted = self.exhausted || self.formulas.len() > self.most || self.watch.is_over();
        self.statistics.weakened += usize::from(self.exhausted);
        self.exhausted
    }

    fn evaluate(&mut self, point: PointId) -> FormulaId {
        self.statistics.evaluations += 1;
        if self.is_over() {
            return TRUE;
        }
        let mut parts: Vec<FormulaId> =
            self.system.seeds.iter().filter(|s| s.point == point).map(|s| s.start).collect();
        for id in self.into[point].clone() {
            let edge = self.system.edges[id];
            let left = self.formulas.and([self.conditions[edge.from], edge.leaving]);
            let left = self.forget(left, edge.forget);
            parts.push(self.formulas.and([left, edge.entering]));
        }
        let any = self.formulas.or(parts);
        self.formulas.and([any, self.system.points[point]])
    }

    /// Both values of each atom that is forgotten.
    fn forget(&mut self, mut condition: FormulaId, set: ForgetId) -> FormulaId {
        for atom in self.system.forgets[set].iter() {
            if self.is_over() {
                return TRUE;
            }
            let low = self.formulas.assign(condition, atom, false);
            let high = self.formulas.assign(condition, atom, true);
            condition = self.formulas.or([low, high]);
        }
        condition
    }
}
