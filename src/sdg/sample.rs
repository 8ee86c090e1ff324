//! Random graphs of small programs, for tests: procedures with formals, calls with one or several callees, recursion, interference.

use super::SdgBuilder;
use super::control::LoopMove;
use super::graph::*;
use crate::ir::{FuncId, ValueId};
use crate::source::{Place, UnitId};

/// Random numbers (splitmix64): the same for the same seed, everywhere.
pub(crate) struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
    /// True in so many of a hundred cases.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }
    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// How large the programs are.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    /// At most so many procedures.
    pub procs: usize,
    /// At most so many formal-ins and so many formal-outs each.
    pub formals: usize,
    /// At most so many calls each.
    pub calls: usize,
    /// At most so many instructions each.
    pub insts: usize,
    /// At most so many callees of a call.
    pub callees: usize,
    /// Whether a procedure may call itself and those before it.
    pub recursion: bool,
    /// At most so many interference edges.
    pub interference: usize,
}

/// A place without meaning.
pub(crate) const NOWHERE: Place = Place { unit: UnitId(0), start: 0, end: 0 };

/// A random program's graph.
pub(crate) fn program(random: &mut Random, size: Size) -> Sdg {
    builder(random, size).finish()
}

fn builder(random: &mut Random, size: Size) -> SdgBuilder {
    let mut b = SdgBuilder::new();
    let procs = 1 + random.below(size.procs);
    // The interface of each procedure, then the bodies.
    let interfaces: Vec<(Vec<Formal>, Vec<Formal>)> = (0..procs)
        .map(|_| (formals(random, size.formals, Formal::Varargs), formals(random, size.formals, Formal::Result)))
        .collect();
    let mut entries = Vec::new();
    // Call, actual or formal, callee and formal of each parameter edge.
    let mut passed: Vec<(NodeId, usize, NodeKind)> = Vec::new();
    for proc in 0..procs {
        let entry = b.procedure(FuncId(proc as u32 * 3), NOWHERE);
        entries.push(entry);
        let (ins, outs) = &interfaces[proc];
        let mut nodes = vec![entry];
        nodes.extend(ins.iter().map(|formal| b.node(NodeKind::FormalIn(*formal), NOWHERE, None)));
        nodes.extend(
            (0..random.below(size.insts + 1)).map(|i| b.node(NodeKind::Inst(ValueId(i as u32)), NOWHERE, None)),
        );
        let first_callee = if size.recursion { 0 } else { proc + 1 };
        let calls = if first_callee < procs { random.below(size.calls + 1) } else { 0 };
        for call in 0..calls {
            let (site, node) = b.call(ValueId(100 + call as u32), NOWHERE, None);
            nodes.push(node);
            let mut callees: Vec<usize> =
                (0..=random.below(size.callees)).map(|_| first_callee + random.below(procs - first_callee)).collect();
            callees.sort_unstable();
            callees.dedup();
            let mut given: Vec<Formal> = callees.iter().flat_map(|callee| interfaces[*callee].0.clone()).collect();
            given.sort_unstable();
            given.dedup();
            // Memory is grouped differently here: two groups make up one of the callee's.
            if given.contains(&Formal::Memory(0)) && random.percent(30) {
                given.push(Formal::Memory(9));
            }
            for formal in given {
                if matches!(formal, Formal::Param(_)) && random.percent(10) {
                    continue;
                }
                let actual = b.node(NodeKind::ActualIn(site, formal), NOWHERE, None);
                nodes.push(actual);
                for callee in &callees {
                    for target in &interfaces[*callee].0 {
                        let both = [formal, *target].iter().all(|f| matches!(f, Formal::Memory(_)));
                        let split = formal == Formal::Memory(9) && *target == Formal::Memory(0);
                        if formal == *target || split || (both && random.percent(20)) {
                            passed.push((actual, *callee, NodeKind::FormalIn(*target)));
                        }
                    }
                }
            }
            let mut taken: Vec<Formal> = callees.iter().flat_map(|callee| interfaces[*callee].1.clone()).collect();
            taken.sort_unstable();
            taken.dedup();
            for formal in taken {
                let actual = b.node(NodeKind::ActualOut(site, formal), NOWHERE, None);
                nodes.push(actual);
                for callee in &callees {
                    for target in &interfaces[*callee].1 {
                        let both = [formal, *target].iter().all(|f| matches!(f, Formal::Memory(_)));
                        if formal == *target || (both && random.percent(20)) {
                            passed.push((actual, *callee, NodeKind::FormalOut(*target)));
                        }
                    }
                }
            }
            passed.extend(callees.iter().map(|callee| (node, *callee, NodeKind::Entry)));
        }
        nodes.extend(outs.iter().map(|formal| b.node(NodeKind::FormalOut(*formal), NOWHERE, None)));
        for _ in 0..nodes.len() + random.below(nodes.len() + 1) {
            // Mostly forwards, as programs run.
            let (from, to) = (random.below(nodes.len()), random.below(nodes.len()));
            let (from, to) = if random.percent(85) { (from.min(to), from.max(to)) } else { (from, to) };
            let kind = random.pick(&[
                EdgeKind::Data,
                EdgeKind::Data,
                EdgeKind::Memory,
                EdgeKind::Order,
                EdgeKind::Control(ControlLabel::Branch(0)),
            ]);
            b.edge(nodes[from], nodes[to], kind, LoopMove::default());
        }
    }
    for (actual, callee, formal) in passed {
        let procedure = &b.procedures()[ProcId(callee as u32)];
        let mut formals = procedure.ins.iter().chain(&procedure.outs);
        let node = *formals.find(|node| b.nodes()[**node].kind == formal).expect("of the interface");
        match formal {
            NodeKind::Entry => b.edge(actual, node, EdgeKind::Call, LoopMove::default()),
            NodeKind::FormalIn(_) => b.edge(actual, node, EdgeKind::ParamIn, LoopMove::default()),
            _ => b.edge(node, actual, EdgeKind::ParamOut, LoopMove::default()),
        }
    }
    for _ in 0..random.below(size.interference + 1) {
        let ids: Vec<NodeId> = b.nodes().ids().collect();
        let (from, to) = (random.pick(&ids), random.pick(&ids));
        b.edge(from, to, EdgeKind::Interference, LoopMove::default());
    }
    b
}

/// Some parameters and memory, and sometimes the special one.
fn formals(random: &mut Random, most: usize, special: Formal) -> Vec<Formal> {
    let mut found: Vec<Formal> = (0..random.below(most + 1))
        .map(|i| if random.percent(50) { Formal::Memory(i as u32) } else { Formal::Param(i as u32) })
        .collect();
    if found.len() < most && random.percent(60) {
        found.push(special);
    }
    found
}
