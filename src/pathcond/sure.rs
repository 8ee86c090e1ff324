//! What a run is sure to execute: where conditions of execution are not only necessary.
//!
//! In the state *only*, of a run, the other run does not execute the node. Where the condition of being executed is also sufficient, it does not hold in the other run:
//!
//! ```c
//! if (s) { if (!s) return; }      // the first branch decides otherwise in the two runs,
//! sink(1);                        // but the other run comes here, too
//! ```
//!
//! Control dependences are sufficient by their definition: what depends on a way of a branch is met on all ways that go on from there. But this is said only of places where the instance that the runs
//! share is sure to be there in both: outside of all loops, of decisions outside of all loops, in a function that each run of the program calls exactly once, and where nothing hangs on a call that may not
//! return. Nothing is said if the program has functions that return twice. Runs that go on for ever do not come anywhere; as everywhere, they count only if the policy
//! says so, and then what they do not reach hangs on the loops.

use super::leaves::Run;
use super::shape::Shape;
use super::values::{FrameId, Values};
use crate::ir::{Callee, FuncId, InstKind};
use crate::sdg::control::{Controller, RegionId};
use crate::sdg::{EdgeKind, NodeId, NodeKind};
use crate::solve::term::TermId;

/// Calls between `main` and a function that is sure to be called.
const DEEPEST: u32 = 4;

impl Values<'_> {
    /// That a run does not execute a node; `None` if it is not known when it surely does.
    pub fn not_executed(&mut self, frame: FrameId, run: Run, node: NodeId) -> Option<TermId> {
        let func = self.frame_of(frame).func;
        let shape = self.shapes.of(func);
        let region = shape.region(self.sdg, node)?;
        let block = shape.block(self.sdg, node)?;
        if shape.body.loops.innermost(block).is_some()
            || !self.is_sure(&shape, func, region)
            || !self.is_called_once(func, DEEPEST)
        {
            return None;
        }
        let executed = self.executed(frame, run, node);
        Some(self.terms.not(executed))
    }
    /// Whether the condition of a region is sufficient, once its function is called.
    fn is_sure(&mut self, shape: &Shape<'_>, func: FuncId, region: RegionId) -> bool {
        if let Some(known) = self.known_sure.get(&(func, region)) {
            return *known;
        }
        // Of what hangs on itself nothing is sure.
        self.known_sure.insert((func, region), false);
        let dependences = shape.control.of(region);
        let sure = !dependences.is_empty()
            && dependences.iter().all(|dependence| match dependence.on {
                Controller::Entry => true,
                Controller::Call(_) => false,
                Controller::Branch(block) => {
                    dependence.moves.back.is_none()
                        && shape.body.loops.innermost(block).is_none()
                        && self.is_sure(shape, func, shape.control.end(block))
                }
            });
        self.known_sure.insert((func, region), sure);
        sure
    }
    /// Whether each run of the program calls a function exactly once: `main`, or what is called in one place, which is sure to be reached once.
    fn is_called_once(&mut self, func: FuncId, depth: u32) -> bool {
        let Some(proc) = self.sdg.procedure_of(func) else { return false };
        if self.program.functions.iter().any(|f| f.returns_twice) {
            return false;
        }
        let mut calls = self.sdg.predecessors(self.sdg.procedures()[proc].entry);
        let (first, second) = (calls.next(), calls.next());
        drop(calls);
        let is_entry = self.sdg.entries().contains(&func);
        let Some(call) = first else {
            return is_entry && self.sdg.entries() == [func] && self.program.functions[func].name == "main";
        };
        let (EdgeKind::Call, NodeKind::Call(site), None, false, true) =
            (call.kind, self.sdg.nodes()[call.from].kind, second, is_entry, depth > 0)
        else {
            return false;
        };
        let caller = self.sdg.function(call.from);
        let shape = self.shapes.of(caller);
        let inst = self.sdg.sites()[site].inst;
        let is_direct =
            matches!(&shape.body.insts[inst].kind, InstKind::Call { callee: Callee::Direct(f), .. } if *f == func);
        let always = |dependence: &crate::sdg::control::Dependence| dependence.on == Controller::Entry;
        let region = shape.control.region_of(inst);
        is_direct
            && shape.body.loops.innermost(shape.home[inst]).is_none()
            && shape.control.of(region).iter().any(always)
            && self.is_called_once(caller, depth - 1)
    }
}
