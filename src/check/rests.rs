//! Which assumptions a flow rests on, by the functions that it passes.
//!
//! Cost: one walk over the call sites; then, for a flow, the assumptions times the functions that it passes.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Assumption, AssumptionKind, Callee, FuncId, InstKind};
use crate::sdg::Site;
use crate::select::View;
use crate::source::Place;

/// The functions that assumptions are about.
pub(super) struct Scopes {
    /// Of each assumption; `None`: the whole program.
    of: Vec<Option<FxHashSet<FuncId>>>,
}

impl Scopes {
    pub fn new(view: View<'_>, assumptions: &[Assumption]) -> Scopes {
        let calls = Calls::new(view);
        let scope = |assumption: &Assumption| {
            let place = assumption.place?;
            let around = function_at(view, place);
            let scope: FxHashSet<FuncId> = match assumption.kind {
                // It stands at the first of the calls, and is about all of them.
                AssumptionKind::UnknownFunction => calls.at(place).iter().flat_map(|func| calls.of(*func)).collect(),
                AssumptionKind::ModelReplacesBody => around.iter().flat_map(|func| calls.of(*func)).collect(),
                AssumptionKind::InlineAsm
                | AssumptionKind::StandIn
                | AssumptionKind::PointerArithmetic
                | AssumptionKind::UnknownPointer
                | AssumptionKind::PointerCall
                | AssumptionKind::Memory
                | AssumptionKind::Coarse
                | AssumptionKind::Threads
                | AssumptionKind::Library
                | AssumptionKind::Other => FxHashSet::default(),
            };
            let scope: FxHashSet<FuncId> = scope.into_iter().chain(around).collect();
            // What stands before all functions may be about any.
            (!scope.is_empty()).then_some(scope)
        };
        Scopes { of: assumptions.iter().map(scope).collect() }
    }
    pub fn len(&self) -> usize {
        self.of.len()
    }
    /// The assumptions that are about the whole program or one of these functions.
    pub fn about(&self, functions: &FxHashSet<FuncId>) -> Vec<usize> {
        let concerns = |index: &usize| self.of[*index].as_ref().is_none_or(|scope| !scope.is_disjoint(functions));
        (0..self.of.len()).filter(concerns).collect()
    }
}

/// Who calls whom, where.
struct Calls {
    callers: FxHashMap<FuncId, Vec<FuncId>>,
    at: FxHashMap<Place, Vec<FuncId>>,
}

impl Calls {
    fn new(view: View<'_>) -> Calls {
        let mut calls = Calls { callers: FxHashMap::default(), at: FxHashMap::default() };
        for site in view.sdg.sites() {
            let caller = view.sdg.procedures()[site.proc].func;
            for callee in callees(view, caller, site) {
                calls.callers.entry(callee).or_default().push(caller);
                if view.program.functions[callee].body.is_none() {
                    calls.at.entry(view.sdg.nodes()[site.call].place).or_default().push(callee);
                }
            }
        }
        calls
    }
    /// The functions that call this one.
    fn of(&self, callee: FuncId) -> impl Iterator<Item = FuncId> {
        self.callers.get(&callee).into_iter().flatten().copied()
    }
    /// The functions without body that are called at a place.
    fn at(&self, place: Place) -> &[FuncId] {
        self.at.get(&place).map_or(&[], Vec::as_slice)
    }
}

fn callees(view: View<'_>, caller: FuncId, site: &Site) -> Vec<FuncId> {
    let direct = view.program.functions[caller].body.as_ref().and_then(|body| match body.insts[site.inst].kind {
        InstKind::Call { callee: Callee::Direct(callee), .. } => Some(callee),
        _ => None,
    });
    let reached = view.points_to.targets(caller, site.inst).iter().map(|target| target.callee);
    direct.into_iter().chain(reached).collect()
}

/// The function whose definition is the last to begin before a place.
fn function_at(view: View<'_>, place: Place) -> Option<FuncId> {
    let defined = view.program.functions.enumerate().filter(|(_, function)| function.body.is_some());
    let before = defined.filter(|(_, f)| f.place.unit == place.unit && f.place.start <= place.start);
    before.max_by_key(|(_, function)| function.place.start).map(|(id, _)| id)
}
