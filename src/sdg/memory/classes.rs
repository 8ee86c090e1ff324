//! Cells that no access tells apart are one class.
//!
//! By refinement: all cells that are written start as one class, and each different set of an access splits the classes that it does not
//! hold whole. Linear in the sizes of the different sets.

use rustc_hash::FxHashMap;

use super::accesses::{AllAccesses, Cells, Goal, SetId, Source};
use super::{ClassId, Classes};
use crate::base::IdVec;
use crate::base::id::Id;
use crate::pointsto::{CellId, ObjectKind, PointsTo};

/// The classes of a program's cells.
#[derive(Debug)]
pub struct Partition {
    /// By cell; `None`: nobody writes it.
    of: IdVec<CellId, Option<ClassId>>,
    /// The cells of each class.
    pub members: IdVec<ClassId, Vec<CellId>>,
    /// The classes of each set of an access.
    sets: IdVec<SetId, Classes>,
}

impl Partition {
    /// Of all accesses.
    pub fn new(accesses: &AllAccesses, points_to: &PointsTo) -> Partition {
        let cells = points_to.objects.cell_count();
        let written = written(accesses, points_to);
        let mut refinement: Refinement<CellId> = Refinement::new(cells, written.iter());
        // The kinds of memory are never mixed, so that groups can be told by what they are: locals end with their function.
        for (_, members) in by_owner(points_to) {
            refinement.split(members.into_iter());
        }
        for set in &accesses.sets {
            refinement.split(set.iter().collect::<Vec<_>>().into_iter());
        }
        let mut number: FxHashMap<u32, ClassId> = FxHashMap::default();
        let mut members: IdVec<ClassId, Vec<CellId>> = IdVec::new();
        let mut of = IdVec::filled(None, cells);
        for cell in written.iter() {
            let class = *number.entry(refinement.block(cell)).or_insert_with(|| members.push(Vec::new()));
            members[class].push(cell);
            of[cell] = Some(class);
        }
        let sets = accesses.sets.iter().map(|set| set.iter().filter_map(|cell| of[cell]).collect()).collect();
        Partition { of, members, sets }
    }
    /// The class of a cell, if it is written.
    pub fn of(&self, cell: CellId) -> Option<ClassId> {
        self.of[cell]
    }
    /// The classes of a set of cells.
    pub fn set(&self, set: SetId) -> &Classes {
        &self.sets[set]
    }
    /// How many classes there are.
    pub fn len(&self) -> usize {
        self.members.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

/// Cells of frames by their function, and of objects that wrappers make by object: these leave a function under another name, or not at all.
fn by_owner(points_to: &PointsTo) -> Vec<(u32, Vec<CellId>)> {
    let mut found: FxHashMap<u32, Vec<CellId>> = FxHashMap::default();
    let cloned = points_to.cloned();
    for (id, object) in points_to.objects.iter() {
        if object.outside {
            continue;
        }
        let key = match super::modref::frame_of(&object.kind) {
            Some(func) => func.0,
            None if cloned.contains(id) => u32::MAX - id.0,
            None => continue,
        };
        found.entry(key).or_default().extend(points_to.objects.cells(id));
    }
    let mut list: Vec<(u32, Vec<CellId>)> = found.into_iter().collect();
    list.sort_unstable();
    list
}

/// The cells that are written.
fn written(accesses: &AllAccesses, points_to: &PointsTo) -> Cells {
    let mut found = Cells::new();
    // A call writes the variable arguments of its callee, and the end of a thread the state that holds its result.
    for (id, object) in points_to.objects.iter() {
        let by_nobody = match &object.kind {
            ObjectKind::Varargs(_) => true,
            kind => *kind == ObjectKind::threads(),
        };
        if by_nobody {
            found.extend(points_to.objects.cells(id));
        }
    }
    for function in &accesses.functions {
        let mut touches: Vec<SetId> = function.touches.values().filter_map(|touch| touch.writes).collect();
        for external in function.externals.values() {
            touches.extend(external.effects.iter().filter_map(|effect| match effect.goal {
                Goal::Memory(set) => Some(set),
                Goal::Result => None,
            }));
        }
        touches.sort_unstable();
        touches.dedup();
        for set in touches {
            found.union_with(&accesses.sets[set]);
        }
    }
    // What a wrapper writes into its object is written into the caller's, through any number of wrappers.
    let pairs = points_to.all_clones();
    loop {
        let before = found.len();
        for (inside, outside) in &pairs {
            if points_to.objects.cells(*inside).into_iter().any(|cell| found.contains(cell)) {
                found.extend(points_to.objects.cells(*outside));
            }
        }
        if found.len() == before {
            break;
        }
    }
    found
}

/// All sets that a function's effects name.
pub fn sets_of(sources: &[Source]) -> impl Iterator<Item = SetId> + '_ {
    sources.iter().filter_map(|source| match source {
        Source::Memory(set) => Some(*set),
        Source::Argument(_) => None,
    })
}

/// A partition that is refined set by set.
#[derive(Clone)]
pub struct Refinement<I> {
    /// The block of each element; `NONE`: it does not take part.
    block: Vec<u32>,
    sizes: Vec<u32>,
    /// Scratch: how many of a block a set holds, and the block they move to.
    hits: FxHashMap<u32, (u32, u32)>,
    id: std::marker::PhantomData<fn(I) -> I>,
}

const NONE: u32 = u32::MAX;

impl<I: Id> Refinement<I> {
    /// All of these in one block.
    pub fn new(len: usize, elements: impl Iterator<Item = I>) -> Self {
        let mut block = vec![NONE; len];
        let mut count = 0;
        for element in elements {
            block[element.index()] = 0;
            count += 1;
        }
        Refinement { block, sizes: vec![count], hits: FxHashMap::default(), id: std::marker::PhantomData }
    }
    /// Splits the blocks that a set holds a part of.
    pub fn split(&mut self, set: impl Iterator<Item = I> + Clone) {
        self.hits.clear();
        for element in set.clone() {
            let block = self.block[element.index()];
            if block != NONE {
                self.hits.entry(block).or_insert((0, NONE)).0 += 1;
            }
        }
        for element in set {
            let block = self.block[element.index()];
            if block == NONE {
                continue;
            }
            // A block made just now is not among the hits.
            let Some((count, to)) = self.hits.get_mut(&block) else { continue };
            if *count == self.sizes[block as usize] && *to == NONE {
                continue;
            }
            if *to == NONE {
                *to = self.sizes.len() as u32;
                self.sizes.push(0);
            }
            let to = *to;
            *count -= 1;
            self.sizes[block as usize] -= 1;
            self.sizes[to as usize] += 1;
            self.block[element.index()] = to;
        }
    }
    /// The block of an element.
    pub fn block(&self, element: I) -> u32 {
        self.block[element.index()]
    }
    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::Refinement;
    use crate::define_id;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    define_id!(/// Anything.
        Thing, "t");

    proptest! {
        /// Two elements are in one block if no set holds exactly one of them.
        #[test]
        fn blocks_are_what_no_set_tells_apart(sets in prop::collection::vec(prop::collection::btree_set(0u32..30, 0..12), 0..8)) {
            let mut refinement: Refinement<Thing> = Refinement::new(30, (0..30).map(Thing));
            for set in &sets {
                refinement.split(set.iter().map(|i| Thing(*i)));
            }
            let together = |a: u32, b: u32| sets.iter().all(|set: &BTreeSet<u32>| set.contains(&a) == set.contains(&b));
            for a in 0..30 {
                for b in 0..30 {
                    prop_assert_eq!(refinement.block(Thing(a)) == refinement.block(Thing(b)), together(a, b), "{} {}", a, b);
                }
            }
        }
    }
}
