//! Which calls may not come back, and which come back twice.
//!
//! A call may not come back if a callee may not: one that is declared so (`exit`, `abort`, `longjmp`, a failed `assert`), one without body that the
//! models say may not, one with a body in which there is such a call. By a walk over the calls turned round: linear in the calls.
//! When non-termination counts, so may a function with a cycle, or one that may call itself.

use super::Termination;
use crate::base::IdVec;
use crate::base::graph::{Digraph, LoopForest};
use crate::ir::{Body, FuncId, InstKind, Program, ValueId, cfg};

/// What is known of calls.
pub struct Calls<'a> {
    /// The functions that a call of a function may call. Empty: not known, so it may not return.
    pub callees: &'a dyn Fn(FuncId, ValueId) -> Vec<FuncId>,
    /// Whether a function without body may not return.
    pub external: &'a dyn Fn(FuncId) -> bool,
}

/// The calls of a program that may not return, or that return twice.
#[derive(Clone, Debug)]
pub struct MayNotReturn {
    /// Whether a function may not return, once it is called.
    functions: IdVec<FuncId, bool>,
    /// The calls of each function that may not return or that return twice, ascending.
    splits: IdVec<FuncId, Vec<ValueId>>,
}

impl MayNotReturn {
    /// Of a program.
    pub fn new(program: &Program, calls: &Calls<'_>, termination: Termination) -> Self {
        let sites: IdVec<FuncId, Vec<Site>> = program
            .functions
            .enumerate()
            .map(|(id, f)| f.body.as_ref().map_or(Vec::new(), |b| sites(id, b, calls)))
            .collect();
        let graph: Digraph<FuncId> =
            Digraph::new(sites.iter().map(|list| list.iter().flat_map(|s| s.callees.iter().copied())));
        let recursive = match termination {
            Termination::Insensitive => LoopForest::empty(),
            Termination::Sensitive => LoopForest::new(&graph, &graph.reversed(), graph.nodes()),
        };
        let mut functions: IdVec<FuncId, bool> = program
            .functions
            .enumerate()
            .map(|(id, f)| {
                let unknown = || sites[id].iter().any(|s| s.callees.is_empty());
                let endless = |body: &Body| termination == Termination::Sensitive && has_cycle(body);
                let own = f.body.as_ref().map_or_else(|| (calls.external)(id), |body| unknown() || endless(body));
                f.noreturn || own || recursive.innermost(id).is_some()
            })
            .collect();
        let callers = graph.reversed();
        let mut work: Vec<FuncId> = functions.enumerate().filter(|f| *f.1).map(|f| f.0).collect();
        while let Some(id) = work.pop() {
            for &caller in callers.successors(id) {
                if !std::mem::replace(&mut functions[caller], true) {
                    work.push(caller);
                }
            }
        }
        let splits = |s: &&Site| {
            s.callees.is_empty() || s.callees.iter().any(|f| functions[*f] || program.functions[*f].returns_twice)
        };
        let splits = sites.iter().map(|list| list.iter().filter(splits).map(|s| s.call).collect()).collect();
        MayNotReturn { functions, splits }
    }
    /// Whether the function may not return, once it is called.
    pub fn function(&self, id: FuncId) -> bool {
        self.functions[id]
    }
    /// The calls of a function after which it may not go on, or may go on twice, ascending.
    pub fn splits(&self, id: FuncId) -> &[ValueId] {
        &self.splits[id]
    }
}

struct Site {
    call: ValueId,
    callees: Vec<FuncId>,
}

/// The calls of a body, ascending.
fn sites(id: FuncId, body: &Body, calls: &Calls<'_>) -> Vec<Site> {
    let is_call = |inst: &InstKind| matches!(inst, InstKind::Call { .. });
    let all = body.insts.enumerate().filter(|(_, inst)| is_call(&inst.kind));
    all.map(|(call, _)| Site { call, callees: (calls.callees)(id, call) }).collect()
}

fn has_cycle(body: &Body) -> bool {
    let graph = cfg::graph(body);
    !LoopForest::new(&graph, &graph.reversed(), [body.entry]).loops.is_empty()
}
