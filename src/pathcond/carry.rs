//! What a counter tells of a later iteration: where the abstract condition is carried round a loop.
//!
//! A carried dependence forgets the iteration's values. Of a counter that only goes up, what is left is that it is greater afterwards: it is told apart between which of the constants that it is
//! compared with it lies before, and after each of these it is at least so much greater. So one edge becomes several, one for each case, which together allow what the one did of any two iterations
//! of the program:
//!
//! ```c
//! for (i = 0; i < 8; i++) {
//!     if (i == 5) t = src();      // i >= 5 before, i >= 6 after
//!     if (i == 3) sink(t);        // excluded, in whatever later iteration
//! }
//! ```
//!
//! Soundness: as for growth in [`super::facts`]. The cases cover all members of the counter's range, and a case is left out only if no later iteration can follow.

use rustc_hash::FxHashMap;

use super::engine::FormulaId;
use super::facts::{Says, number};
use super::leaves::Run;
use super::system::{Maker, Point, Step};
use super::values::{FrameId, Values};
use crate::base::graph::LoopId;
use crate::ranges::Kind;
use crate::sdg::EdgeKind;
use crate::solve::term::{Node, Order, TermId};

/// Constants that one counter is compared with, at most.
const MOST_MARKS: usize = 6;

/// The cases of counters that were asked for.
type Known = FxHashMap<(u32, LoopId, Run), Option<Vec<[FormulaId; 2]>>>;

/// A case: what holds before, and what then holds after.
pub(super) type Case = [TermId; 2];

impl Values<'_> {
    /// The cases of the counter of a loop of which most is said; `None` if nothing is said of any.
    pub(super) fn rounds(
        &mut self,
        frame: FrameId,
        run: Run,
        l: LoopId,
        about: &FxHashMap<TermId, Vec<Says>>,
    ) -> Option<Vec<Case>> {
        let ranges = self.ranges(self.frame_of(frame).func);
        let mut best: Option<(usize, Vec<Case>)> = None;
        for growth in ranges.growing(l) {
            let Some(counter) = self.value(frame, run, growth.phi) else { continue };
            let (Some(kind), Some(range)) = (ranges.kind(growth.phi), ranges.of(growth.phi)) else { continue };
            let (Node::Var(_), Some(said)) = (self.terms.node(counter), about.get(&counter)) else { continue };
            if kind.bool || (growth.least == 0 && growth.most == 0) {
                continue;
            }
            let up = growth.least >= 0;
            let by = if up { growth.least } else { growth.most };
            let (start, end) = if up { (range.low(), range.high()) } else { (range.high(), range.low()) };
            let mut marks: Vec<i128> = said.iter().filter_map(|says| mark(says, kind, up)).collect();
            marks.retain(|mark| range.low() <= *mark && *mark <= range.high() && *mark != start);
            marks.sort_unstable();
            marks.dedup();
            while marks.len() > MOST_MARKS {
                marks.remove(marks.len() / 2);
            }
            if !up {
                marks.reverse();
            }
            if best.as_ref().is_some_and(|(most, _)| *most > marks.len()) {
                continue;
            }
            let bounds: Vec<i128> = std::iter::once(start).chain(marks.iter().copied()).collect();
            let mut cases: Vec<Case> = Vec::new();
            for (at, bound) in bounds.iter().enumerate() {
                let after = bound + by;
                if up && after > end || !up && after < end {
                    continue;
                }
                let mut before = Vec::new();
                if at > 0 {
                    before.push(self.past(counter, kind, *bound, up));
                }
                if let Some(next) = bounds.get(at + 1) {
                    let past = self.past(counter, kind, *next, up);
                    before.push(self.terms.not(past));
                }
                let before = self.terms.and(&before);
                cases.push([before, self.past(counter, kind, after, up)]);
            }
            best = Some((marks.len(), cases));
        }
        best.map(|(_, cases)| cases)
    }
    /// That a counter has come to a number.
    fn past(&mut self, counter: TermId, kind: Kind, bound: i128, up: bool) -> TermId {
        let width = self.terms.width(counter);
        let bound = self.terms.number(width, bound);
        let order = if kind.signed { Order::SLe } else { Order::ULe };
        if up { self.terms.compare(order, bound, counter) } else { self.terms.compare(order, counter, bound) }
    }
}

impl Maker<'_, '_> {
    /// The ways to take each step: its labels, and what a loop's counter says of the iterations at its ends.
    pub(super) fn ways(
        &mut self,
        points: &[Point],
        steps: &[Step],
        labels: &[FormulaId],
        arrivals: &[FormulaId],
    ) -> Vec<Vec<(FormulaId, FormulaId)>> {
        let about = self.atoms.about(&self.values.terms);
        let mut known = Known::default();
        let mut ways = Vec::with_capacity(steps.len());
        for ((step, leaving), entering) in steps.iter().zip(labels).zip(arrivals) {
            // What one run takes alone is for people, who know how a loop counts.
            let cases = (!self.chopped.one_run).then(|| self.counted(points, *step, &about, &mut known)).flatten();
            let Some(cases) = cases else {
                ways.push(vec![(*leaving, *entering)]);
                continue;
            };
            let both = cases
                .into_iter()
                .map(|[before, after]| (self.formulas.and([*leaving, before]), self.formulas.and([*entering, after])));
            ways.push(both.collect());
        }
        ways
    }
    /// The cases of a step that a loop carries.
    fn counted(
        &mut self,
        points: &[Point],
        step: Step,
        about: &FxHashMap<TermId, Vec<Says>>,
        known: &mut Known,
    ) -> Option<Vec<[FormulaId; 2]>> {
        let (edge, sdg) = (step.edge, self.values.sdg);
        let func = sdg.function(edge.from);
        let is_flow = matches!(edge.kind, EdgeKind::Control(_) | EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order);
        if !is_flow || func != sdg.function(edge.to) {
            return None;
        }
        let shape = self.values.shapes.of(func);
        let (from, to) = (points[step.from].state, points[step.to].state);
        let (l, runs) = self.values.carried_by(&shape, edge, from, to)?;
        let run = *runs.first()?;
        let frame = self.frame(points[step.from].context, edge.from);
        let activation = self.values.frame_of(frame).activation;
        if let Some(known) = known.get(&(activation, l, run)) {
            return known.clone();
        }
        let cases = self.values.rounds(frame, run, l, about);
        let cases = cases.map(|cases| {
            let formula =
                |case: [TermId; 2]| case.map(|term| self.atoms.formula(self.values, &mut self.formulas, term));
            cases.into_iter().map(formula).collect::<Vec<_>>()
        });
        known.insert((activation, l, run), cases.clone());
        cases
    }
}

/// The number from which on something else is true of a counter.
fn mark(says: &Says, kind: Kind, up: bool) -> Option<i128> {
    match says {
        Says::Is(k) => number(k, kind),
        Says::Below(k, signed) if *signed == kind.signed => number(k, kind).map(|k| if up { k } else { k - 1 }),
        Says::Below(..) => None,
    }
}
