//! Memory SSA of one function: which write of a group each read sees.
//!
//! Every group is a variable in pruned SSA form. A write that may leave something of what was there uses the version before it; versions
//! meet in φs at iterated dominance frontiers, where the group is live. Linear in the accesses, plus the blocks in which each group is live.

use super::GroupId;
use crate::base::graph::{Digraph, Dominators, IteratedFrontier};
use crate::base::id::Id;
use crate::ir::{BlockId, Body, cfg};
use crate::sdg::NodeId;
use crate::sdg::control::LoopMove;

/// What a node does to a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Reads it.
    Reads,
    /// Overwrites some of it, or may: it is the new version, and depends on the old one.
    Changes,
    /// Overwrites all of it.
    Kills,
}

/// An access of a node to a group.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// The group.
    pub group: GroupId,
    /// What happens.
    pub act: Act,
    /// Who does it.
    pub node: NodeId,
}

/// A dependence through memory.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The version.
    pub from: NodeId,
    /// Who sees it.
    pub to: NodeId,
    /// What becomes of it there; a φ `Reads`.
    pub act: Act,
    /// Between iterations.
    pub moves: LoopMove,
}

/// A version of a group: who made it, and where.
type Version = Option<(NodeId, BlockId)>;

/// All dependences through memory in a body. `events` are those of each block in order, `entry` the version of each group when the function
/// starts, if there is one; `phi` makes the node of a φ.
pub fn links(
    body: &Body,
    events: &[Vec<Event>],
    entry: &[Option<NodeId>],
    mut phi: impl FnMut(BlockId, GroupId) -> NodeId,
) -> Vec<Link> {
    let graph = cfg::graph(body);
    let backwards = graph.reversed();
    let dominators = Dominators::new(&graph, &backwards, body.entry);
    // The φs of each block.
    let mut phis: Vec<Vec<(GroupId, NodeId)>> = vec![Vec::new(); body.blocks.len()];
    for (group, blocks) in meetings(body, events, entry.len(), &graph, &backwards, &dominators) {
        for block in blocks {
            phis[block.index()].push((group, phi(block, group)));
        }
    }
    let mut current: Vec<Version> = entry.iter().map(|node| node.map(|node| (node, body.entry))).collect();
    let mut found = Vec::new();
    let mut undo: Vec<(GroupId, Version)> = Vec::new();
    let mut work: Vec<Step> = vec![Step::Enter(body.entry)];
    while let Some(step) = work.pop() {
        let block = match step {
            Step::Enter(block) => block,
            Step::Leave(mark) => {
                for (group, version) in undo.drain(mark..).rev() {
                    current[group.index()] = version;
                }
                continue;
            }
        };
        work.push(Step::Leave(undo.len()));
        let mut set = |current: &mut Vec<Version>, group: GroupId, node: NodeId| {
            undo.push((group, current[group.index()]));
            current[group.index()] = Some((node, block));
        };
        for (group, node) in &phis[block.index()] {
            set(&mut current, *group, *node);
        }
        for Event { group, act, node } in &events[block.index()] {
            if let (Some((from, at)), Act::Reads | Act::Changes) = (current[group.index()], act) {
                let moves = LoopMove::within(&body.loops, at, block);
                found.push(Link { from, to: *node, act: *act, moves });
            }
            if *act != Act::Reads {
                set(&mut current, *group, *node);
            }
        }
        for &to in graph.successors(block) {
            for (group, node) in &phis[to.index()] {
                if let Some((from, at)) = current[group.index()] {
                    let moves = LoopMove::to_phi(&body.loops, at, block, to);
                    found.push(Link { from, to: *node, act: Act::Reads, moves });
                }
            }
        }
        work.extend(dominators.children(block).iter().rev().map(|child| Step::Enter(*child)));
    }
    found
}

enum Step {
    Enter(BlockId),
    /// Back to when so many changes had been made.
    Leave(usize),
}

/// Where versions of each group meet.
fn meetings(
    body: &Body,
    events: &[Vec<Event>],
    groups: usize,
    graph: &Digraph<BlockId>,
    backwards: &Digraph<BlockId>,
    dominators: &Dominators<BlockId>,
) -> Vec<(GroupId, Vec<BlockId>)> {
    let mut defined: Vec<Vec<BlockId>> = vec![Vec::new(); groups];
    let mut wanted: Vec<Vec<BlockId>> = vec![Vec::new(); groups];
    // The last block that defined each group.
    let mut last: Vec<Option<BlockId>> = vec![None; groups];
    for (block, _) in body.blocks.enumerate() {
        for Event { group, act, .. } in &events[block.index()] {
            let group = group.index();
            let is_first = last[group] != Some(block);
            if *act != Act::Kills && is_first && wanted[group].last() != Some(&block) {
                wanted[group].push(block);
            }
            if *act != Act::Reads && is_first {
                defined[group].push(block);
                last[group] = Some(block);
            }
        }
    }
    let mut frontier = IteratedFrontier::new(graph, dominators);
    let mut live = vec![u32::MAX; graph.len()];
    let mut defines = vec![u32::MAX; graph.len()];
    let mut found = Vec::new();
    for group in 0..groups {
        if defined[group].is_empty() || wanted[group].is_empty() {
            continue;
        }
        let mark = group as u32;
        for block in &defined[group] {
            defines[block.index()] = mark;
        }
        let mut work = std::mem::take(&mut wanted[group]);
        for block in &work {
            live[block.index()] = mark;
        }
        while let Some(block) = work.pop() {
            for &before in backwards.successors(block) {
                if defines[before.index()] != mark && live[before.index()] != mark {
                    live[before.index()] = mark;
                    work.push(before);
                }
            }
        }
        let mut starts = std::mem::take(&mut defined[group]);
        starts.push(body.entry);
        let blocks = frontier.of(&starts, |block| live[block.index()] == mark);
        if !blocks.is_empty() {
            found.push((GroupId::new(group), blocks));
        }
    }
    found
}
