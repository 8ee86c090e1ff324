//! Which nodes hold what is in memory at a moment, whether or not anybody reads it then.
//!
//! Memory SSA is made once more for the function, with a read put in at that moment. What the function and its callees do not touch is as it was when the
//! function was called, so its callers are asked.

use rustc_hash::{FxHashMap, FxHashSet};

use super::memory::Memory;
use crate::base::id::Id;
use crate::ir::{BlockId, FuncId, InstKind, ValueId};
use crate::sdg::memory::versions::{Act, Event, links};
use crate::sdg::memory::{Classes, GroupId};
use crate::sdg::{Formal, NodeId, NodeKind};

/// A moment in a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Moment {
    /// Before an instruction.
    Before(ValueId),
    /// At the end of a block.
    End(BlockId),
    /// When the function is called.
    Entry,
}

/// How far to go outwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extent {
    /// What was written before: what the function got from its callers is in its own nodes.
    Inwards,
    /// What is read later, too: what the function got and leaves as it is, its callers have in their nodes.
    Outwards,
}

impl Memory<'_> {
    /// The nodes of what is in some classes at a moment.
    pub fn content(&self, func: FuncId, moment: Moment, classes: &Classes, extent: Extent) -> Vec<NodeId> {
        let mut found = Vec::new();
        let mut seen: FxHashMap<(FuncId, Moment), Classes> = FxHashMap::default();
        let mut work = vec![(func, moment, classes.clone())];
        while let Some((func, moment, classes)) = work.pop() {
            let known = seen.entry((func, moment)).or_default();
            let classes = classes.difference(known);
            if classes.is_empty() {
                continue;
            }
            known.union_with(&classes);
            let groups = self.groups[func].all(&classes);
            let mut up: Classes = classes.iter().filter(|class| self.groups[func].of(*class).is_none()).collect();
            for node in self.versions(func, moment, &groups) {
                if let (NodeKind::FormalIn(Formal::Memory(group)), Extent::Outwards) =
                    (self.view.sdg.nodes()[node].kind, extent)
                    && self.node(func, NodeKind::FormalOut(Formal::Memory(group))).is_none()
                {
                    up.union_with(&self.groups[func].members[GroupId(group)].iter().copied().collect());
                }
                found.push(node);
            }
            let up = up.intersection(&classes);
            if up.is_empty() {
                continue;
            }
            for site in self.callers(func) {
                let (caller, call) = (self.caller(*site), self.view.sdg.sites()[*site].inst);
                let renaming = self.modref.renaming(self.view.points_to, &self.classes, caller, call);
                work.push((caller, Moment::Before(call), renaming.all(&up)));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
    /// The versions of some groups of a function at a moment.
    fn versions(&self, func: FuncId, moment: Moment, groups: &[GroupId]) -> Vec<NodeId> {
        let entry: Vec<Option<NodeId>> = self.groups[func]
            .members
            .ids()
            .map(|group| self.node(func, NodeKind::FormalIn(Formal::Memory(group.0))))
            .collect();
        if groups.is_empty() {
            return Vec::new();
        }
        if moment == Moment::Entry {
            return groups.iter().filter_map(|group| entry[group.index()]).collect();
        }
        let body = self.view.body(func);
        let wanted: FxHashSet<GroupId> = groups.iter().copied().collect();
        // Nodes that the graph does not have are numbered after its own.
        let first = self.view.sdg.nodes().len() as u32;
        let query = NodeId(first);
        let mut events: Vec<Vec<Event>> = Vec::with_capacity(body.blocks.len());
        for (block, all) in body.blocks.enumerate() {
            let mut list = Vec::new();
            let ask = |list: &mut Vec<Event>| {
                list.extend(groups.iter().map(|group| Event { group: *group, act: Act::Reads, node: query }));
            };
            for inst in &all.insts {
                if moment == Moment::Before(*inst) {
                    ask(&mut list);
                }
                self.writes_of(func, *inst, &mut list);
            }
            if moment == Moment::End(block) {
                ask(&mut list);
            }
            list.retain(|event| wanted.contains(&event.group));
            events.push(list);
        }
        let mut extra = first;
        let found = links(body, &events, &entry, |block, group| {
            self.node(func, NodeKind::MemoryPhi { block, group: group.0 }).unwrap_or_else(|| {
                extra += 1;
                NodeId(extra)
            })
        });
        let mut into: FxHashMap<NodeId, Vec<NodeId>> = FxHashMap::default();
        for link in found.iter().filter(|link| link.to.0 >= first) {
            into.entry(link.to).or_default().push(link.from);
        }
        let mut nodes = Vec::new();
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        let mut work = vec![query];
        while let Some(node) = work.pop() {
            if !seen.insert(node) {
                continue;
            }
            if node.0 < first {
                nodes.push(node);
            } else {
                work.extend(into.get(&node).into_iter().flatten());
            }
        }
        nodes.sort_unstable();
        nodes
    }
    /// The writes of an instruction, as the graph has them.
    fn writes_of(&self, func: FuncId, inst: ValueId, list: &mut Vec<Event>) {
        if let InstKind::Call { .. } = self.view.body(func).insts[inst].kind {
            if let Some(site) = self.site(func, inst) {
                list.extend(self.outs(site).map(|(group, node)| Event { group, act: Act::Kills, node }));
            }
            return;
        }
        let Some(touch) = self.accesses.functions[func].touches.get(&inst) else { return };
        let Some(set) = touch.writes else { return };
        let classes = self.classes.set(set);
        let written = self.groups[func].all(classes);
        let whole = |group: &GroupId| self.holds_only(func, *group, classes);
        let act = if touch.kills && written.iter().all(whole) { Act::Kills } else { Act::Changes };
        let own = self.node(func, NodeKind::Inst(inst));
        for group in &written {
            let version = self.node(func, NodeKind::MemoryDef { inst, group: group.0 });
            if let Some(node) = version.or(own) {
                list.push(Event { group: *group, act, node });
            }
        }
    }
}
