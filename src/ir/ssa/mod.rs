//! From lowered form to SSA form, as [`super::syntax`] describes it.
//!
//! The steps of one body: critical edges are split ([`mod@cfg`]); scalar locals become values (`promote`); loops are
//! closed (`close`); instructions are numbered anew. Every step is near linear in the size of the body plus that of the regions where
//! variables are live.
//!
//! Splitting comes first and makes closing simple: an edge that leaves a loop starts in a block with several successors (one of
//! them stays in the loop), so after splitting its target has no other predecessor. Every exit edge has an exit block of its own.
//!
//! Invariant: the result passes `verify::ssa`, and executes as the lowered body does.

mod close;
mod promote;

#[cfg(test)]
pub(in crate::ir) mod tests;

use super::cfg;
use super::syntax::{BlockId, Body, Callee, FuncId, GlobalDef, InitItem, InitTarget, InstKind, Operand, Program};
use super::types::Types;
use crate::base::IdVec;
use crate::base::graph::{Digraph, Dominators, LoopForest};

/// Brings every function of a lowered, clean program into SSA form.
pub fn construct(program: &mut Program) {
    let twice = ReturnsTwice::of(program);
    for function in &mut program.functions {
        if let Some(body) = &mut function.body {
            construct_body(&program.types, &twice, body);
        }
    }
}

/// Brings one body, lowered and clean, into SSA form.
pub fn construct_body(types: &Types, twice: &ReturnsTwice, body: &mut Body) {
    cfg::split_critical_edges(body);
    cfg::renumber_blocks(body);
    let flow = Flow::of(body);
    // After `longjmp` the function goes on after its `setjmp` with the memory as it is then, by a way that is no edge of the graph.
    // A version of a variable computed between the two would be missed there. With its variables in memory the function reads
    // what the machine would (C leaves non-volatile ones that changed indeterminate).
    if !twice.is_called_by(body) {
        promote::promote(types, body, &flow);
    }
    close::close(body, &flow);
    body.loops = flow.loops;
    cfg::renumber_insts(body);
}

/// The shape of a body whose edges are split.
struct Flow {
    graph: Digraph<BlockId>,
    /// The graph turned round: predecessors in the order of `Body::predecessors`.
    preds: Digraph<BlockId>,
    dominators: Dominators<BlockId>,
    loops: LoopForest<BlockId>,
}

impl Flow {
    fn of(body: &Body) -> Flow {
        let graph = cfg::graph(body);
        let preds = graph.reversed();
        let dominators = Dominators::new(&graph, &preds, body.entry);
        let loops = LoopForest::new(&graph, &preds, [body.entry]);
        Flow { graph, preds, dominators, loops }
    }
    /// The place of `pred` among the predecessors of `block`.
    fn pred_index(&self, block: BlockId, pred: BlockId) -> usize {
        self.preds.successors(block).binary_search(&pred).expect("predecessors are sorted and this is one")
    }
}

/// Which calls may return a second time.
pub struct ReturnsTwice {
    direct: IdVec<FuncId, bool>,
    /// Whether the address of such a function is taken, so that any call through a pointer may.
    indirect: bool,
}

impl ReturnsTwice {
    /// For the calls of a program.
    pub fn of(program: &Program) -> ReturnsTwice {
        let direct: IdVec<FuncId, bool> = program.functions.iter().map(|f| f.returns_twice).collect();
        let indirect = direct.iter().any(|twice| *twice) && takes_address(program, &direct);
        ReturnsTwice { direct, indirect }
    }
    fn is_called_by(&self, body: &Body) -> bool {
        body.insts.iter().any(|inst| match &inst.kind {
            InstKind::Call { callee: Callee::Direct(f), .. } => self.direct[*f],
            InstKind::Call { callee: Callee::Indirect(_), .. } => self.indirect,
            _ => false,
        })
    }
}

/// Whether an instruction or a static initialiser holds the address of a function of the set.
fn takes_address(program: &Program, set: &IdVec<FuncId, bool>) -> bool {
    let is_one = |op: &Operand| matches!(op, Operand::Function(f) if set[*f]);
    let mut found = program.globals.iter().any(|global| match &global.definition {
        GlobalDef::Defined(init) => init.items.iter().any(|(_, item)| match item {
            InitItem::Address { target: InitTarget::Function(f), .. } => set[*f],
            InitItem::Address { .. } | InitItem::Bytes(_) => false,
        }),
        GlobalDef::Declared | GlobalDef::Tentative | GlobalDef::Alias(_) => false,
    });
    for (_, _, body) in program.bodies() {
        for inst in &body.insts {
            inst.kind.for_each_operand(|op| found |= is_one(op));
        }
        found |= body.blocks.iter().any(|b| b.term.operand().is_some_and(is_one));
    }
    found
}
