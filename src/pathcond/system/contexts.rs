//! Where a path is among calls: which activations it has entered, and whether it must come back.
//!
//! A path first returns to callers ([`UP`]), then enters callees for good, and passes others from end to end, *inside* them. An activation that is entered by a
//! call that the path knows is *bound*: it has a number of its own, its parameters are what the call passes, and what it reads of memory is what the
//! caller had. So the condition of a callee is made once for each call, over the values of the caller: what the paper calls instantiated summary conditions.
//!
//! Contexts are finite: a function is entered at most [`REPEATED`] times inside itself, and calls are followed [`DEEPEST`] deep. Past that, what is entered for
//! good is unbound ([`DOWN`]), and what is passed is a summary edge of which nothing is demanded.
//!
//! A callback may run several times for one call. It is never bound.

use rustc_hash::FxHashMap;

use crate::base::IdVec;
use crate::define_id;
use crate::ir::FuncId;
use crate::pathcond::values::{Frame, FrameId, Values};
use crate::pointsto::{PointsTo, Reason};
use crate::sdg::{EdgeKind, NodeId, NodeKind, Sdg, SiteId};

define_id!(/// Where a path is among calls.
    ContextId, "ctx");

/// It may return to any caller.
pub const UP: ContextId = ContextId(0);
/// It has entered a callee for good, of whose call nothing is known.
pub const DOWN: ContextId = ContextId(1);

/// Calls inside each other that are bound.
const DEEPEST: u32 = 8;
/// How often a function is entered inside itself.
const REPEATED: usize = 3;

/// A bound activation.
#[derive(Clone, Copy)]
struct Bound {
    parent: ContextId,
    site: SiteId,
    func: FuncId,
    /// The path must return from it.
    inside: bool,
    depth: u32,
    activation: u32,
}

/// All contexts of a system.
pub struct Contexts {
    /// [`UP`] and [`DOWN`] have nothing.
    table: IdVec<ContextId, Option<Bound>>,
    known: FxHashMap<(ContextId, SiteId, FuncId, bool), ContextId>,
    expanding: FxHashMap<(ContextId, SiteId), bool>,
    /// Without it, [`UP`] and [`DOWN`] are all there is.
    enabled: bool,
}

impl Contexts {
    pub fn new(enabled: bool) -> Contexts {
        let table = [None, None].into_iter().collect();
        Contexts { table, known: FxHashMap::default(), expanding: FxHashMap::default(), enabled }
    }
    /// Whether the activation has a number of its own.
    pub fn is_bound(&self, context: ContextId) -> bool {
        self.table[context].is_some()
    }
    /// Whether a path must return from where it is.
    pub fn is_inside(&self, context: ContextId) -> bool {
        self.table[context].is_some_and(|bound| bound.inside)
    }
    /// The context after a return to a call; `None` if it cannot return there.
    pub fn returned(&self, context: ContextId, site: Option<SiteId>) -> Option<ContextId> {
        match self.table[context] {
            Some(bound) => (bound.inside && Some(bound.site) == site).then_some(bound.parent),
            None => (context == UP).then_some(UP),
        }
    }
    /// The context of a function that is entered for good.
    pub fn entered(
        &mut self,
        values: &mut Values<'_>,
        points_to: &PointsTo,
        context: ContextId,
        site: Option<SiteId>,
        func: FuncId,
    ) -> ContextId {
        match site {
            Some(site) if self.binds(values.sdg, points_to, context, site, func) => {
                self.bound(values, context, site, func, false)
            }
            Some(_) | None => DOWN,
        }
    }
    /// The context of a function that is passed.
    pub fn passed(&mut self, values: &mut Values<'_>, context: ContextId, site: SiteId, func: FuncId) -> ContextId {
        self.bound(values, context, site, func, true)
    }
    /// Whether paths that pass a call are followed through all its callees.
    pub fn expands(&mut self, sdg: &Sdg, points_to: &PointsTo, context: ContextId, site: SiteId) -> bool {
        if let Some(known) = self.expanding.get(&(context, site)) {
            return *known;
        }
        let callees: Vec<FuncId> = sdg.callees(site).map(|proc| sdg.procedures()[proc].func).collect();
        let expands =
            !callees.is_empty() && callees.iter().all(|func| self.binds(sdg, points_to, context, site, *func));
        self.expanding.insert((context, site), expands);
        expands
    }
    fn binds(&self, sdg: &Sdg, points_to: &PointsTo, context: ContextId, site: SiteId, func: FuncId) -> bool {
        if !self.enabled || context == DOWN || !is_plain(sdg, points_to, site) {
            return false;
        }
        let chain = std::iter::successors(self.table[context], |bound| self.table[bound.parent]);
        let depth = self.table[context].map_or(0, |bound| bound.depth);
        depth < DEEPEST && chain.filter(|bound| bound.func == func).count() < REPEATED
    }
    fn bound(
        &mut self,
        values: &mut Values<'_>,
        parent: ContextId,
        site: SiteId,
        func: FuncId,
        inside: bool,
    ) -> ContextId {
        let key = (parent, site, func, inside);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let caller = values.sdg.procedures()[values.sdg.sites()[site].proc].func;
        let call = values.sdg.sites()[site].call;
        let frame = self.frame(values, parent, caller, call);
        // Passed or entered for good, it is the same activation.
        let activation = values.activation_of(frame, site, func);
        let depth = self.table[parent].map_or(0, |bound| bound.depth) + 1;
        let id = self.table.push(Some(Bound { parent, site, func, inside, depth, activation }));
        self.known.insert(key, id);
        id
    }
    /// The frame of a node of a function.
    pub fn frame(&self, values: &mut Values<'_>, context: ContextId, func: FuncId, node: NodeId) -> FrameId {
        let view = values.sdg.nodes()[node].around;
        match self.table[context] {
            Some(bound) => {
                let loops = values.shapes.of(func).body.loops.loops.len();
                values.frame(Frame { func, activation: bound.activation, iterations: vec![0; loops], view })
            }
            None => values.plain_frame(func, view),
        }
    }
}

/// Whether a call is nothing but a call: each of its callees runs once, with what it passes.
fn is_plain(sdg: &Sdg, points_to: &PointsTo, site: SiteId) -> bool {
    let site = &sdg.sites()[site];
    let caller = sdg.procedures()[site.proc].func;
    points_to.targets(caller, site.inst).iter().all(|target| target.reason == Reason::Called)
}

/// The only call of a function, if there is only one in the program.
pub fn only_call(sdg: &Sdg, points_to: &PointsTo, func: FuncId) -> Option<SiteId> {
    let entry = sdg.procedures()[sdg.procedure_of(func)?].entry;
    if sdg.entries().contains(&func) || points_to.is_recursive(func) {
        return None;
    }
    let mut calls = sdg.predecessors(entry);
    let (call, other) = (calls.next()?, calls.next());
    match (call.kind, sdg.nodes()[call.from].kind, other) {
        (EdgeKind::Call, NodeKind::Call(site), None) if is_plain(sdg, points_to, site) => Some(site),
        _ => None,
    }
}
