//! Why there is no path: a minimal set of atoms that already excludes all of them.

use super::bdds::Bdds;
use super::formula::{AtomId, Formula};
use super::{Limits, PointId, System, fixpoint};
use crate::base::bits::IdSet;
use crate::base::id::Id;

/// Atoms that exclude all paths to a point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Because {
    /// The atoms, ascending. With all others freed wherever they occur, there is still no path.
    pub atoms: Vec<AtomId>,
    /// Whether it is known that none of them can be left out.
    pub minimal: bool,
    /// How many systems were solved for it.
    pub solved: usize,
}

/// A minimal set of atoms such that no path leads to `sink` even if all other atoms are free everywhere; `None` if there is a path anyhow.
/// At most so many systems are solved; then the set is not minimal.
///
/// Atoms are left out in groups that are halved, so a small set among many atoms is found in few steps.
pub fn because(system: &System, limits: &Limits<'_>, sink: PointId, solves: usize) -> Option<Because> {
    let part = towards(system, sink);
    let mut search = Search { system: &part, limits, sink, solves, solved: 0 };
    let mut kept = mentioned(&part);
    if !search.excluded(&kept) {
        return None;
    }
    let mut minimal = true;
    let mut group = kept.len().next_power_of_two();
    'sizes: while group > 0 {
        let mut at = 0;
        while at < kept.len() {
            if search.solved >= search.solves || limits.watch.is_over() {
                minimal = false;
                break 'sizes;
            }
            let end = (at + group).min(kept.len());
            let rest: Vec<AtomId> = kept[..at].iter().chain(&kept[end..]).copied().collect();
            if search.excluded(&rest) {
                kept = rest;
            } else {
                at = end;
            }
        }
        group = group.min(kept.len().next_power_of_two()) / 2;
    }
    Some(Because { atoms: kept, minimal, solved: search.solved })
}

struct Search<'a> {
    system: &'a System,
    limits: &'a Limits<'a>,
    sink: PointId,
    solves: usize,
    solved: usize,
}

impl Search<'_> {
    /// Whether these atoms exclude all paths.
    fn excluded(&mut self, kept: &[AtomId]) -> bool {
        self.solved += 1;
        let mut freed = IdSet::of(self.system.atoms, (0..self.system.atoms).map(AtomId::new));
        for atom in kept {
            freed.remove(*atom);
        }
        let mut bdds = Bdds::freeing(self.system, self.limits, freed);
        let reached = std::cell::Cell::new(false);
        let sink = self.sink;
        let solved = fixpoint::run(self.system, &mut bdds, self.limits, &|bdds, point, condition| {
            let here = point == sink && !bdds.with_lemmas(condition).is_false();
            reached.set(reached.get() || here);
            here
        });
        !reached.get() && !solved.stopped
    }
}

/// The system without the edges and seeds that do not lead to the point.
fn towards(system: &System, sink: PointId) -> System {
    let into = fixpoint::incoming(system);
    let mut leads = IdSet::of(system.points.len(), [sink]);
    let mut work = vec![sink];
    while let Some(point) = work.pop() {
        for edge in &into[point] {
            let from = system.edges[*edge].from;
            if leads.insert(from) {
                work.push(from);
            }
        }
    }
    let mut part = system.clone();
    part.edges = system.edges.iter().filter(|e| leads.contains(e.to)).copied().collect();
    part.seeds.retain(|s| leads.contains(s.point));
    part
}

/// The atoms of all labels, ascending.
fn mentioned(system: &System) -> Vec<AtomId> {
    let points = system.edges.iter().flat_map(|e| [e.from, e.to]).chain(system.seeds.iter().map(|s| s.point));
    let mut labels: Vec<_> = points.map(|p| system.points[p]).collect();
    labels.extend(system.edges.iter().flat_map(|e| [e.leaving, e.entering]));
    labels.extend(system.seeds.iter().map(|s| s.start));
    labels.sort_unstable();
    labels.dedup();
    let mut found = IdSet::new(system.atoms);
    for label in labels {
        for part in system.formulas.inside(label) {
            if let Formula::Literal(literal) = system.formulas.get(part) {
                found.insert(literal.atom);
            }
        }
    }
    found.iter().collect()
}
