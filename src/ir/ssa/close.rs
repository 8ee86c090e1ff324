//! Loop-closed form: a value defined in a loop is used outside it only through a `Phi` in one of the loop's exit blocks.
//!
//! Each value with uses outside its innermost loop is treated like a variable of its own: the blocks outside the loop where it is
//! live are found by a walk back from those uses; it gets a new version, a `Phi`, in every exit block of the loops around its
//! definition where it is live, and where versions meet ([`IteratedFrontier`]). A version that this puts into another loop must be closed
//! there too, so the exits of that loop are added until nothing changes (rarely more than once).
//!
//! No use inside the innermost loop ever sees a new version. From outside, control comes back to the value's definition before such a
//! use: the header of a loop comes first in reverse post-order, so the definition does not dominate the headers around it, hence the
//! value is not live there; and a way out of the loop and back in that avoids all these headers would be part of the loop.

use super::Flow;
use crate::base::IdVec;
use crate::base::graph::{IteratedFrontier, LoopId};
use crate::ir::syntax::{BlockId, Body, Inst, InstKind, Operand, ValueId};

/// Where an operand is.
#[derive(Clone, Copy)]
enum Site {
    /// Operand `.1` of an instruction.
    Inst(ValueId, u32),
    /// The operand of a block's end.
    Term(BlockId),
}

/// A use of a value outside its loop: the value, the block at whose end or inside which it is needed, and where it stands.
type OuterUse = (ValueId, BlockId, Site);

/// Closes all loops.
pub(super) fn close(body: &mut Body, flow: &Flow) {
    if flow.loops.loops.is_empty() {
        return;
    }
    let mut home: IdVec<ValueId, Option<BlockId>> = IdVec::filled(None, body.insts.len());
    for (id, block) in body.blocks.enumerate() {
        block.insts.iter().for_each(|v| home[*v] = Some(id));
    }
    let mut uses = outer_uses(body, flow, &home);
    // Stable: the uses of one value stay in the order of the program.
    uses.sort_by_key(|u| u.0);
    let mut added: IdVec<BlockId, Vec<ValueId>> = IdVec::filled(Vec::new(), body.blocks.len());
    let mut work = Closing::new(body, flow);
    for of_one in uses.chunk_by(|a, b| a.0 == b.0) {
        let value = of_one[0].0;
        let definition = home[value].expect("a value used is in a block");
        work.find_region(definition, of_one);
        work.place(definition);
        work.insert(body, value, &mut added);
        for &(_, block, site) in of_one {
            let version = work.version(block, value);
            set(body, site, version);
        }
    }
    drop(work);
    for (id, new) in added.into_enumerate() {
        let insts = &mut body.blocks[id].insts;
        let phis = insts.iter().take_while(|v| matches!(body.insts[**v].kind, InstKind::Phi(_))).count();
        insts.splice(phis..phis, new);
    }
}

fn outer_uses(body: &Body, flow: &Flow, home: &IdVec<ValueId, Option<BlockId>>) -> Vec<OuterUse> {
    let mut uses = Vec::new();
    let mut note = |op: &Operand, block: BlockId, site: Site| {
        if let Operand::Value(v) = op
            && let Some(definition) = home[*v]
            && let Some(around) = flow.loops.innermost(definition)
            && !flow.loops.contains(around, block)
        {
            uses.push((*v, block, site));
        }
    };
    for (id, block) in body.blocks.enumerate() {
        for &user in &block.insts {
            let mut index = 0;
            if let InstKind::Phi(args) = &body.insts[user].kind {
                for (pred, op) in args {
                    note(op, *pred, Site::Inst(user, index));
                    index += 1;
                }
            } else {
                body.insts[user].kind.for_each_operand(|op| {
                    note(op, id, Site::Inst(user, index));
                    index += 1;
                });
            }
        }
        if let Some(op) = block.term.operand() {
            note(op, id, Site::Term(id));
        }
    }
    uses
}

fn set(body: &mut Body, site: Site, version: ValueId) {
    match site {
        Site::Inst(user, index) => match &mut body.insts[user].kind {
            // Phis can be long.
            InstKind::Phi(args) => args[index as usize].1 = Operand::Value(version),
            kind => {
                let mut at = 0;
                kind.for_each_operand_mut(|op| {
                    if at == index {
                        *op = Operand::Value(version);
                    }
                    at += 1;
                });
            }
        },
        Site::Term(block) => {
            if let Some(op) = body.blocks[block].term.operand_mut() {
                *op = Operand::Value(version);
            }
        }
    }
}

/// The work on one value at a time; marks carry the number of the round, so that a value costs its region only.
struct Closing<'a> {
    flow: &'a Flow,
    frontier: IteratedFrontier<'a, BlockId>,
    round: u32,
    /// The blocks outside the value's loop where it is live.
    live: IdVec<BlockId, u32>,
    /// Those of them whose predecessor is in a loop that they are not in.
    exits: Vec<BlockId>,
    /// Loops in which a version is defined.
    defining: IdVec<LoopId, u32>,
    /// The blocks that get a phi.
    phis: Vec<BlockId>,
    chosen: IdVec<BlockId, u32>,
    /// The version that holds at the end of a block, if it is known.
    versions: IdVec<BlockId, (u32, ValueId)>,
    /// The innermost loop of the definition.
    own: Option<LoopId>,
}

impl<'a> Closing<'a> {
    fn new(body: &Body, flow: &'a Flow) -> Closing<'a> {
        let blocks = body.blocks.len();
        Closing {
            flow,
            frontier: IteratedFrontier::new(&flow.graph, &flow.dominators),
            round: 0,
            live: IdVec::filled(0, blocks),
            exits: Vec::new(),
            defining: IdVec::filled(0, flow.loops.loops.len()),
            phis: Vec::new(),
            chosen: IdVec::filled(0, blocks),
            versions: IdVec::filled((0, ValueId(0)), blocks),
            own: None,
        }
    }

    fn is_inside(&self, block: BlockId) -> bool {
        self.own.is_some_and(|l| self.flow.loops.contains(l, block))
    }

    /// Finds where outside its loop the value is live.
    fn find_region(&mut self, definition: BlockId, uses: &[OuterUse]) {
        self.round += 1;
        self.own = self.flow.loops.innermost(definition);
        self.exits.clear();
        let mut work: Vec<BlockId> = uses.iter().map(|u| u.1).collect();
        while let Some(block) = work.pop() {
            if std::mem::replace(&mut self.live[block], self.round) == self.round {
                continue;
            }
            for &pred in self.flow.preds.successors(block) {
                if self.flow.loops.innermost(pred).is_some_and(|l| !self.flow.loops.contains(l, block)) {
                    self.exits.push(block);
                }
                if !self.is_inside(pred) {
                    work.push(pred);
                }
            }
        }
    }

    /// Decides which blocks get a phi.
    fn place(&mut self, definition: BlockId) {
        self.phis.clear();
        self.defines(definition);
        loop {
            let before = self.phis.len();
            for &exit in &self.exits {
                let pred = self.flow.preds.successors(exit)[0];
                let closes = self
                    .flow
                    .loops
                    .around(pred)
                    .take_while(|l| !self.flow.loops.contains(*l, exit))
                    .any(|l| self.defining[l] == self.round);
                if closes && std::mem::replace(&mut self.chosen[exit], self.round) != self.round {
                    self.phis.push(exit);
                }
            }
            if self.phis.len() == before {
                break;
            }
            let (live, round) = (&self.live, self.round);
            for join in self.frontier.of(&self.phis, |b| live[b] == round) {
                if std::mem::replace(&mut self.chosen[join], round) != round {
                    self.phis.push(join);
                }
            }
            for i in before..self.phis.len() {
                self.defines(self.phis[i]);
            }
        }
    }

    /// Marks the loops around a block that defines a version.
    fn defines(&mut self, block: BlockId) {
        for l in self.flow.loops.around(block) {
            if std::mem::replace(&mut self.defining[l], self.round) == self.round {
                break;
            }
        }
    }

    /// Makes the phis.
    fn insert(&mut self, body: &mut Body, value: ValueId, added: &mut IdVec<BlockId, Vec<ValueId>>) {
        let Inst { ty, var, place, .. } = body.insts[value];
        let first = body.insts.next_id();
        for &block in &self.phis {
            let id = body.insts.push(Inst { kind: InstKind::Phi(Vec::new()), ty, var, place });
            added[block].push(id);
            self.versions[block] = (self.round, id);
        }
        for i in 0..self.phis.len() {
            let preds = self.flow.preds.successors(self.phis[i]);
            let args = preds.iter().map(|p| (*p, Operand::Value(self.version(*p, value)))).collect();
            body.insts[ValueId(first.0 + i as u32)].kind = InstKind::Phi(args);
        }
    }

    /// The version that holds at the end of `block`, of the nearest dominator that defines one.
    fn version(&mut self, block: BlockId, value: ValueId) -> ValueId {
        let mut at = block;
        let found = loop {
            if self.is_inside(at) {
                break value;
            }
            let (round, version) = self.versions[at];
            if round == self.round {
                break version;
            }
            at = self.flow.dominators.idom(at).expect("the definition dominates its uses");
        };
        let mut back = block;
        while back != at {
            self.versions[back] = (self.round, found);
            back = self.flow.dominators.idom(back).expect("on the way up");
        }
        found
    }
}
