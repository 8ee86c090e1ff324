//! The classes of each function, grouped by what is always read and written together in it.
//!
//! A function's classes are divided by the sets of its own accesses and by the groups of its callees, so that two callees' values never mix at
//! a call. Every group costs a node at every call, so their number is limited: the more calls the program has, the fewer groups a function may have
//! (`NODES`). Where there would be more, the function is divided by the *buckets* that are the same for the whole program, and is listed as coarse: so two coarse
//! functions divide memory alike, and a call between them joins each group with its like. A group that an access holds only a part of is taken to be touched as a
//! whole, and is not overwritten by it.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::accesses::{AllAccesses, Goal, SetId};
use super::classes::{Partition, Refinement, sets_of};
use super::modref::{CallOf, Interface, ModRef, calls};
use super::{ClassId, Classes, GroupId};
use crate::base::IdVec;
use crate::ir::{FuncId, Program};
use crate::pointsto::{ObjectId, ObjectKind, PointsTo};

/// So many nodes for memory a program may have, roughly: groups times calls.
const NODES: usize = 3_000_000;
/// The least and the most groups that a function may have before it is divided by buckets.
const LIMITS: (usize, usize) = (60, 2000);
/// So many objects, those that most accesses touch, have a bucket of their own; others share one with their kind.
const BUCKETS: usize = 24;

/// The groups of one function.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    /// The classes of each group.
    pub members: IdVec<GroupId, Vec<ClassId>>,
    /// By class.
    of: FxHashMap<ClassId, GroupId>,
    /// Whether callers know a group: it is in the interface.
    pub is_known: IdVec<GroupId, bool>,
    /// Whether the function, or what it calls, writes a group that callers know.
    pub is_written: IdVec<GroupId, bool>,
    /// Whether it is grouped more coarsely than its callees are.
    pub is_coarse: bool,
}

impl Groups {
    /// The group of a class, if the function knows it.
    pub fn of(&self, class: ClassId) -> Option<GroupId> {
        self.of.get(&class).copied()
    }
    /// The groups of a set of classes, ascending.
    pub fn all(&self, classes: &Classes) -> Vec<GroupId> {
        let mut found: Vec<GroupId> = classes.iter().filter_map(|class| self.of(class)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// The groups of all functions that are reached.
pub fn groups(
    program: &Program,
    points_to: &PointsTo,
    accesses: &AllAccesses,
    classes: &Partition,
    modref: &ModRef,
) -> IdVec<FuncId, Groups> {
    let calls = calls(program, points_to);
    let sites: usize = calls.iter().map(Vec::len).sum();
    let most = (NODES / sites.max(1)).clamp(LIMITS.0, LIMITS.1);
    let buckets = buckets(points_to, accesses, classes);
    let mut found: IdVec<FuncId, Groups> = IdVec::filled(Groups::default(), program.functions.len());
    // What stands for each class within the function at hand.
    let mut slots = Slots { of: IdVec::filled(u32::MAX, classes.len()), classes: Vec::new() };
    for members in &modref.bottom_up {
        for func in members {
            if points_to.is_reached(*func) {
                let maker = Maker {
                    most,
                    buckets: &buckets,
                    program,
                    points_to,
                    accesses,
                    classes,
                    modref,
                    calls: &calls[*func],
                    func: *func,
                };
                found[*func] = maker.make(members, &found, &mut slots);
            }
        }
    }
    found
}

crate::define_id!(/// A class of one function.
    SlotId, "slot");

struct Slots {
    of: IdVec<ClassId, u32>,
    classes: Vec<ClassId>,
}

impl Slots {
    fn slot(&self, class: ClassId) -> Option<SlotId> {
        Some(self.of[class]).filter(|slot| *slot != u32::MAX).map(SlotId)
    }
}

struct Maker<'a> {
    /// The most groups.
    most: usize,
    buckets: &'a IdVec<ClassId, u32>,
    program: &'a Program,
    points_to: &'a PointsTo,
    accesses: &'a AllAccesses,
    classes: &'a Partition,
    modref: &'a ModRef,
    calls: &'a [CallOf],
    func: FuncId,
}

impl Maker<'_> {
    fn make(&self, component: &[FuncId], done: &IdVec<FuncId, Groups>, slots: &mut Slots) -> Groups {
        let own = self.own_sets();
        let interface = &self.modref.of[self.func];
        let mut all = Classes::new();
        for set in &own {
            all.union_with(self.classes.set(*set));
        }
        all.union_with(&interface.reads);
        all.union_with(&interface.writes);
        let touched: Vec<Interface> = (self.calls.iter())
            .map(|call| self.modref.at_call(self.program, self.points_to, self.classes, self.func, *call))
            .collect();
        let mut seen: FxHashSet<(&Classes, &Classes)> = FxHashSet::default();
        let different: Vec<&Interface> =
            touched.iter().filter(|touched| seen.insert((&touched.reads, &touched.writes))).collect();
        for touched in &different {
            all.union_with(&touched.reads);
            all.union_with(&touched.writes);
        }
        // Different callees, and those calls that give other names.
        let mut callees: Vec<CallOf> = Vec::new();
        let mut seen: FxHashSet<FuncId> = FxHashSet::default();
        for call in self.calls {
            if seen.insert(call.callee) || !self.points_to.clones(self.func, call.inst).is_empty() {
                callees.push(*call);
            }
        }
        slots.classes = all.iter().collect();
        for (slot, class) in slots.classes.iter().enumerate() {
            slots.of[*class] = slot as u32;
        }
        let count = slots.classes.len();
        let mut coarse: Refinement<SlotId> = Refinement::new(count, (0..count as u32).map(SlotId));
        for set in [&interface.reads, &interface.writes] {
            split(&mut coarse, slots, set);
        }
        // Frames end at different times.
        let mut frames: FxHashMap<FuncId, Vec<SlotId>> = FxHashMap::default();
        for class in all.iter() {
            if let (Some(frame), Some(slot)) = (self.modref.frame[class], slots.slot(class)) {
                frames.entry(frame).or_default().push(slot);
            }
        }
        let mut frames: Vec<(FuncId, Vec<SlotId>)> = frames.into_iter().collect();
        frames.sort_unstable();
        for (_, frame) in &frames {
            coarse.split(frame.iter().copied());
        }
        for set in &own {
            split(&mut coarse, slots, self.classes.set(*set));
        }
        for touched in &different {
            if coarse.len() <= self.most {
                split(&mut coarse, slots, &touched.reads);
                split(&mut coarse, slots, &touched.writes);
            }
        }
        let fine = if coarse.len() > self.most { None } else { self.fine(&coarse, &callees, component, done, slots) };
        let groups = match fine {
            Some(fine) => self.finish(&fine, slots, false),
            None => self.finish(&self.by_bucket(slots), slots, true),
        };
        for class in &slots.classes {
            slots.of[*class] = u32::MAX;
        }
        groups
    }
    /// Divided by what is the same for all functions, and by what callers see.
    fn by_bucket(&self, slots: &Slots) -> Refinement<SlotId> {
        let count = slots.classes.len();
        let mut found: Refinement<SlotId> = Refinement::new(count, (0..count as u32).map(SlotId));
        let interface = &self.modref.of[self.func];
        for set in [&interface.reads, &interface.writes] {
            split(&mut found, slots, set);
        }
        let mut by_bucket: BTreeMap<u32, Vec<SlotId>> = BTreeMap::new();
        for (slot, class) in slots.classes.iter().enumerate() {
            by_bucket.entry(self.buckets[*class]).or_default().push(SlotId(slot as u32));
        }
        for bucket in by_bucket.values() {
            found.split(bucket.iter().copied());
        }
        found
    }
    /// Divided by the callees' groups, too; `None` if these are too many.
    fn fine(
        &self,
        coarse: &Refinement<SlotId>,
        callees: &[CallOf],
        component: &[FuncId],
        done: &IdVec<FuncId, Groups>,
        slots: &Slots,
    ) -> Option<Refinement<SlotId>> {
        let mut fine = coarse.clone();
        for CallOf { inst, callee, .. } in callees.iter().filter(|call| !component.contains(&call.callee)) {
            let renaming = self.modref.renaming(self.points_to, self.classes, self.func, *inst);
            let groups = &done[*callee];
            for (group, members) in groups.members.enumerate() {
                if !groups.is_known[group] {
                    continue;
                }
                let mut set: Vec<SlotId> = Vec::new();
                for class in members {
                    renaming.outside(*class, |class| set.extend(slots.slot(class)));
                }
                set.sort_unstable();
                set.dedup();
                fine.split(set.iter().copied());
            }
            if fine.len() > self.most {
                return None;
            }
        }
        Some(fine)
    }
    fn finish(&self, refinement: &Refinement<SlotId>, slots: &Slots, is_coarse: bool) -> Groups {
        let interface = &self.modref.of[self.func];
        let mut groups = Groups { is_coarse, ..Groups::default() };
        let mut number: FxHashMap<u32, GroupId> = FxHashMap::default();
        for (slot, class) in slots.classes.iter().enumerate() {
            let group = *number.entry(refinement.block(SlotId(slot as u32))).or_insert_with(|| {
                groups.is_known.push(false);
                groups.is_written.push(false);
                groups.members.push(Vec::new())
            });
            groups.is_known[group] |= interface.reads.contains(*class) || interface.writes.contains(*class);
            groups.is_written[group] |= interface.writes.contains(*class);
            groups.members[group].push(*class);
            groups.of.insert(*class, group);
        }
        groups
    }
    /// The sets that the function's own instructions touch.
    fn own_sets(&self) -> Vec<SetId> {
        let function = &self.accesses.functions[self.func];
        let mut found: Vec<SetId> = Vec::new();
        for touch in function.touches.values() {
            found.extend(touch.reads);
            found.extend(touch.writes);
        }
        for external in function.externals.values() {
            found.extend(external.kills);
            for effect in &external.effects {
                found.extend(sets_of(&effect.sources));
                match effect.goal {
                    Goal::Memory(set) => found.push(set),
                    Goal::Result => {}
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A coarse division of all classes, the same for all functions.
fn buckets(points_to: &PointsTo, accesses: &AllAccesses, classes: &Partition) -> IdVec<ClassId, u32> {
    let objects = &points_to.objects;
    // How many different accesses touch each object.
    let mut touched: IdVec<ObjectId, u32> = IdVec::filled(0, objects.len());
    for set in &accesses.sets {
        let mut last = None;
        for cell in set.iter() {
            let object = objects.of_cell(cell);
            if last.replace(object) != Some(object) {
                touched[object] += 1;
            }
        }
    }
    let mut ranked: Vec<ObjectId> = objects.iter().map(|(id, _)| id).collect();
    ranked.sort_by_key(|id| (std::cmp::Reverse(touched[*id]), *id));
    let rank: FxHashMap<ObjectId, u32> = ranked.into_iter().take(BUCKETS).zip(0..).collect();
    let kind = |object: ObjectId| match objects.get(object).kind {
        ObjectKind::Global(_) => 0,
        ObjectKind::Local(..) => 1,
        ObjectKind::Heap { .. } => 2,
        ObjectKind::Varargs(_) => 3,
        ObjectKind::State(_) | ObjectKind::Errno | ObjectKind::Library(_) => 4,
        ObjectKind::Stream(_) => 5,
        ObjectKind::Address(_) => 6,
        ObjectKind::World | ObjectKind::Literals | ObjectKind::Function(_) => 7,
    };
    let bucket = |cells: &Vec<_>| {
        let object = objects.of_cell(cells[0]);
        rank.get(&object).copied().unwrap_or(BUCKETS as u32 + kind(object))
    };
    classes.members.iter().map(bucket).collect()
}

fn split(refinement: &mut Refinement<SlotId>, slots: &Slots, set: &Classes) {
    refinement.split(set.iter().filter_map(|class| slots.slot(class)).collect::<Vec<_>>().into_iter());
}
