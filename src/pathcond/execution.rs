//! When a part of a function is executed (equations 2 and 16): what the branches that it hangs on must have decided.
//!
//! The condition is a disjunction over control dependences: that what decides is executed, and decides so. A dependence from an earlier iteration says no more
//! than that the loop was entered: the header dominates what decides, and what it is about is another instance. In loops that control enters at several places
//! nothing is said at all. The function's being called is a condition of its own: see [`Values::called`].
//!
//! Soundness: whenever the part is executed in a run, in the frame's instance, the condition holds there.

use super::leaves::Run;
use super::values::{FrameId, Values};
use crate::base::graph::LoopId;
use crate::ir::{BlockId, FuncId};
use crate::pointsto::{PointsTo, Reason};
use crate::sdg::control::{Controller, RegionId};
use crate::sdg::{EdgeKind, NodeId, NodeKind};
use crate::solve::term::TermId;

impl Values<'_> {
    /// When a node is executed, once its function is called.
    pub fn executed(&mut self, frame: FrameId, run: Run, node: NodeId) -> TermId {
        let shape = self.shapes.of(self.frame_of(frame).func);
        match shape.region(self.sdg, node) {
            Some(region) => {
                let block = shape.block(self.sdg, node);
                let blurred = block.is_some_and(|block| shape.is_blurred(block));
                // The region of a φ's operand may be that of the block it leads to.
                if blurred { self.terms.truth() } else { self.region(frame, run, region) }
            }
            None => self.terms.truth(),
        }
    }
    /// When a region is executed, once its function is called.
    pub fn region(&mut self, frame: FrameId, run: Run, region: RegionId) -> TermId {
        if let Some(term) = self.executions.get(&(frame, run, region)) {
            return *term;
        }
        let shape = self.shapes.of(self.frame_of(frame).func);
        let mut ways: Vec<TermId> = Vec::new();
        for dependence in shape.control.of(region) {
            let way = match (dependence.on, dependence.moves.back) {
                (Controller::Entry, _) => self.terms.truth(),
                (_, Some(l)) => self.entered(frame, run, l),
                (Controller::Call(call), None) if shape.is_blurred(shape.home[call]) => self.terms.truth(),
                (Controller::Call(call), None) => self.region(frame, run, shape.control.region_of(call)),
                (Controller::Branch(block), None) if shape.is_blurred(block) => self.terms.truth(),
                (Controller::Branch(block), None) => {
                    let decides = self.region(frame, run, shape.control.end(block));
                    let so = self.branch(frame, run, block, dependence.branch);
                    self.terms.and(&[decides, so])
                }
            };
            ways.push(way);
        }
        // What hangs on nothing is not known.
        let term = if ways.is_empty() { self.terms.truth() } else { self.terms.or(&ways) };
        self.executions.insert((frame, run, region), term);
        term
    }
    /// When the version of memory that a φ of memory is about comes to it from this one, in the φ's instance; `true` if it may come round a loop.
    pub fn arrives(&mut self, frame: FrameId, run: Run, version: NodeId, phi: NodeId) -> TermId {
        let shape = self.shapes.of(self.frame_of(frame).func);
        let truth = self.terms.truth();
        let (NodeKind::MemoryPhi { block, .. }, Some(ways)) =
            (self.sdg.nodes()[phi].kind, shape.versions_at(self.sdg, phi))
        else {
            return truth;
        };
        let is_header = shape.body.loops.loops.iter().any(|l| l.header == block);
        if is_header || shape.is_blurred(block) {
            return truth;
        }
        let mut gates: Vec<TermId> = Vec::new();
        for (from, _) in ways.into_iter().filter(|(_, other)| *other == version) {
            let region = shape.control.edge(shape.body, from, block);
            gates.push(self.region(frame, run, region));
        }
        if gates.is_empty() { truth } else { self.terms.or(&gates) }
    }
    /// How a loop was left, seen from after it: in its last iteration, some way out of it was taken.
    pub fn left(&mut self, frame: FrameId, run: Run, l: LoopId) -> TermId {
        let shape = self.shapes.of(self.frame_of(frame).func);
        let truth = self.terms.truth();
        let mut ways: Vec<TermId> = Vec::new();
        for block in &shape.body.loops.loops[l].nodes {
            if shape.is_blurred(*block) || ways.len() > MOST_CALLS {
                return truth;
            }
            let targets = shape.body.blocks[*block].term.successors();
            for (branch, _) in targets.iter().enumerate().filter(|(_, to)| !shape.body.loops.contains(l, **to)) {
                let here = self.region(frame, run, shape.control.end(*block));
                let way = self.branch(frame, run, *block, branch as u32);
                ways.push(self.terms.and(&[here, way]));
            }
        }
        if ways.is_empty() { truth } else { self.terms.or(&ways) }
    }
    /// When a loop is entered.
    fn entered(&mut self, frame: FrameId, run: Run, l: LoopId) -> TermId {
        let shape = self.shapes.of(self.frame_of(frame).func);
        let header: BlockId = shape.body.loops.loops[l].header;
        if shape.irreducible[l] || shape.is_blurred(header) {
            return self.terms.truth();
        }
        let region = shape.control.start(header);
        let mut ways: Vec<TermId> = Vec::new();
        for dependence in shape.control.of(region) {
            let outside = match dependence.on {
                Controller::Entry => {
                    ways.push(self.terms.truth());
                    continue;
                }
                Controller::Branch(block) => (!shape.body.loops.contains(l, block)).then_some(shape.control.end(block)),
                Controller::Call(call) => {
                    let block = shape.home[call];
                    (!shape.body.loops.contains(l, block)).then_some(shape.control.region_of(call))
                }
            };
            let way = match (outside, dependence.moves.back) {
                // The loop goes round.
                (None, _) => continue,
                (Some(_), Some(outer)) => self.entered(frame, run, outer),
                (Some(decider), None) => {
                    let decides = self.region(frame, run, decider);
                    match dependence.on {
                        Controller::Branch(block) if !shape.is_blurred(block) => {
                            let so = self.branch(frame, run, block, dependence.branch);
                            self.terms.and(&[decides, so])
                        }
                        Controller::Branch(_) => self.terms.truth(),
                        Controller::Call(_) | Controller::Entry => decides,
                    }
                }
            };
            ways.push(way);
        }
        if ways.is_empty() { self.terms.truth() } else { self.terms.or(&ways) }
    }
    /// When a function is called, by the conditions of its calls; `None` if something else than calls of its own name may run it, or too many
    /// calls do. `depth` is how many callers are looked at.
    pub fn called(&mut self, points_to: &PointsTo, func: FuncId, run: Run, depth: u32) -> Option<TermId> {
        let proc = self.sdg.procedure_of(func)?;
        let entry = self.sdg.procedures()[proc].entry;
        if depth == 0 || self.sdg.entries().contains(&func) || points_to.is_recursive(func) {
            return None;
        }
        let mut ways: Vec<TermId> = Vec::new();
        for edge in self.sdg.predecessors(entry) {
            let (EdgeKind::Call, NodeKind::Call(site)) = (edge.kind, self.sdg.nodes()[edge.from].kind) else {
                return None;
            };
            let site = &self.sdg.sites()[site];
            let caller = self.sdg.procedures()[site.proc].func;
            let plain = |t: &crate::pointsto::Target| t.callee != func || t.reason == Reason::Called;
            if ways.len() >= MOST_CALLS || !points_to.targets(caller, site.inst).iter().all(plain) {
                return None;
            }
            let view = self.sdg.nodes()[edge.from].around;
            let frame = self.plain_frame(caller, view);
            let here = self.executed(frame, run, edge.from);
            let above = self.called(points_to, caller, run, depth - 1);
            let way = match above {
                Some(above) => self.terms.and(&[here, above]),
                None => here,
            };
            ways.push(way);
        }
        (!ways.is_empty()).then(|| self.terms.or(&ways))
    }
}

/// Calls of a function whose conditions are looked at.
const MOST_CALLS: usize = 8;
