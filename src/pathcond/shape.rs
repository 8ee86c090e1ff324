//! What path conditions need to know of one function again and again.

use rustc_hash::FxHashMap;

use crate::base::IdVec;
use crate::base::graph::{Dominators, LoopId};
use crate::ir::{BlockId, Body, FuncId, InstKind, Program, ValueId, cfg};
use crate::sdg::control::moves::homes;
use crate::sdg::control::{FunctionControl, LoopMove, RegionId, Step};
use crate::sdg::{EdgeKind, Formal, NodeId, NodeKind, NodeSet, Sdg};

/// A function with what belongs to its blocks and values.
pub struct Shape<'a> {
    /// Its body.
    pub body: &'a Body,
    /// What decides whether its parts are executed.
    pub control: &'a FunctionControl,
    /// The block of each value.
    pub home: IdVec<ValueId, BlockId>,
    /// The node of each value.
    pub nodes: IdVec<ValueId, Option<NodeId>>,
    /// The node of each block's choice.
    pub predicates: IdVec<BlockId, Option<NodeId>>,
    /// The predecessors of each block.
    pub before: IdVec<BlockId, Vec<BlockId>>,
    /// Dominance between blocks.
    pub dominators: Dominators<BlockId>,
    /// Loops in which instances cannot be told apart: control enters them at several places.
    pub irreducible: IdVec<LoopId, bool>,
    /// Loops whose runs may leave them in different iterations.
    pub leaves_apart: IdVec<LoopId, bool>,
}

impl<'a> Shape<'a> {
    /// Of a function with nodes; `influenced` is what the source may influence.
    pub fn new(program: &'a Program, sdg: &'a Sdg, func: FuncId, influenced: &NodeSet) -> Option<Shape<'a>> {
        let body = program.functions[func].body.as_ref()?;
        let control = sdg.control(func)?;
        let proc = sdg.procedure_of(func)?;
        let mut nodes = IdVec::filled(None, body.insts.len());
        let mut predicates = IdVec::filled(None, body.blocks.len());
        for node in sdg.procedures()[proc].nodes() {
            match sdg.nodes()[node].kind {
                NodeKind::Inst(value) => nodes[value] = Some(node),
                NodeKind::Predicate(block) => predicates[block] = Some(node),
                NodeKind::FormalIn(Formal::Param(i)) => {
                    if let Some(value) = body.params.get(i as usize) {
                        nodes[*value] = Some(node);
                    }
                }
                NodeKind::ActualOut(site, Formal::Result) => nodes[sdg.sites()[site].inst] = Some(node),
                NodeKind::Entry
                | NodeKind::Return(_)
                | NodeKind::PhiOperand { .. }
                | NodeKind::MemoryPhi { .. }
                | NodeKind::MemoryDef { .. }
                | NodeKind::Shared(_)
                | NodeKind::FormalIn(_)
                | NodeKind::FormalOut(_)
                | NodeKind::ActualIn(..)
                | NodeKind::ActualOut(..)
                | NodeKind::Call(_) => {}
            }
        }
        let graph = cfg::graph(body);
        let dominators = Dominators::new(&graph, &graph.reversed(), body.entry);
        let mut irreducible: IdVec<LoopId, bool> = IdVec::new();
        let mut leaves_apart: IdVec<LoopId, bool> = IdVec::new();
        for (l, found) in body.loops.loops.enumerate() {
            irreducible.push(found.entries.len() > 1);
            let leaves = |block: &BlockId| {
                let out = body.blocks[*block].term.successors();
                out.iter().any(|to| !body.loops.contains(l, *to))
            };
            let decides = |block: &BlockId| predicates[*block].is_some_and(|node| influenced.contains(node));
            leaves_apart.push(found.nodes.iter().any(|block| leaves(block) && decides(block)));
        }
        let (home, before) = (homes(body), body.predecessors());
        Some(Shape { body, control, home, nodes, predicates, before, dominators, irreducible, leaves_apart })
    }
    /// The block that a node is at; `None` for what belongs to the function as a whole.
    pub fn block(&self, sdg: &Sdg, node: NodeId) -> Option<BlockId> {
        match sdg.nodes()[node].kind {
            NodeKind::Inst(value) => Some(self.home[value]),
            NodeKind::MemoryDef { inst, .. } => Some(self.home[inst]),
            NodeKind::Predicate(block) | NodeKind::Return(block) | NodeKind::MemoryPhi { block, .. } => Some(block),
            NodeKind::PhiOperand { phi, operand } => match &self.body.insts[phi].kind {
                InstKind::Phi(operands) => Some(operands[operand as usize].0),
                _ => None,
            },
            NodeKind::ActualIn(site, _) | NodeKind::ActualOut(site, _) | NodeKind::Call(site) => {
                Some(self.home[sdg.sites()[site].inst])
            }
            NodeKind::Entry | NodeKind::FormalIn(_) | NodeKind::FormalOut(_) | NodeKind::Shared(_) => None,
        }
    }
    /// The region whose being executed a node's being executed means; `None` if that is the function's being called.
    pub fn region(&self, sdg: &Sdg, node: NodeId) -> Option<RegionId> {
        match sdg.nodes()[node].kind {
            NodeKind::Inst(value) if matches!(self.body.insts[value].kind, InstKind::Phi(_)) => {
                Some(self.control.start(self.home[value]))
            }
            NodeKind::Inst(value) => Some(self.control.region_of(value)),
            NodeKind::MemoryDef { inst, .. } => Some(self.control.region_of(inst)),
            NodeKind::Predicate(block) | NodeKind::Return(block) => Some(self.control.end(block)),
            NodeKind::MemoryPhi { block, .. } => Some(self.control.start(block)),
            NodeKind::PhiOperand { phi, operand } => match &self.body.insts[phi].kind {
                InstKind::Phi(operands) => {
                    Some(self.control.edge(self.body, operands[operand as usize].0, self.home[phi]))
                }
                _ => None,
            },
            NodeKind::ActualIn(site, _) | NodeKind::ActualOut(site, _) | NodeKind::Call(site) => {
                Some(self.control.region_of(sdg.sites()[site].inst))
            }
            NodeKind::Entry | NodeKind::FormalIn(_) | NodeKind::FormalOut(_) | NodeKind::Shared(_) => None,
        }
    }
    /// The version that comes to a φ of memory from each predecessor of its block; `None` if that cannot be told. Dominance tells it: the version at the
    /// end of a block is the last one on its way from the entry in the dominator tree.
    pub fn versions_at(&self, sdg: &Sdg, phi: NodeId) -> Option<Vec<(BlockId, NodeId)>> {
        let NodeKind::MemoryPhi { block, .. } = sdg.nodes()[phi].kind else { return None };
        let before = versions(sdg, phi).0;
        let place = |node: NodeId| self.block(sdg, node).unwrap_or(self.body.entry);
        // Two versions in one block cannot be told apart by dominance.
        let mut blocks: Vec<BlockId> = before.iter().map(|node| place(*node)).collect();
        blocks.sort_unstable();
        if blocks.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let mut found = Vec::new();
        for from in &self.before[block] {
            let dominating = before.iter().copied().filter(|node| self.dominators.dominates(place(*node), *from));
            let version = dominating.max_by_key(|node| self.dominators.level(place(*node)))?;
            if !found.contains(&(*from, version)) {
                found.push((*from, version));
            }
        }
        Some(found)
    }
    /// The loops that control has left before it comes to a block, in the same iteration of the loops around the block: innermost headers last.
    pub fn left_before(&self, block: BlockId) -> Vec<LoopId> {
        let loops = &self.body.loops;
        let innermost = loops.innermost(block);
        let left = |(_, l): &(LoopId, &crate::base::graph::Loop<BlockId>)| {
            l.parent == innermost && self.dominators.dominates(l.header, block) && l.entries.len() == 1
        };
        loops.loops.enumerate().filter(left).map(|(id, _)| id).filter(|l| !loops.contains(*l, block)).collect()
    }
    /// The loops around a block, outermost first.
    pub fn around(&self, block: Option<BlockId>) -> Vec<LoopId> {
        let mut loops: Vec<LoopId> = block.into_iter().flat_map(|block| self.body.loops.around(block)).collect();
        loops.reverse();
        loops
    }
    /// Whether a block is in a loop in which instances cannot be told apart.
    pub fn is_blurred(&self, block: BlockId) -> bool {
        self.body.loops.around(block).any(|l| self.irreducible[l])
    }
    /// The loops that are in another iteration after a dependence, with all loops inside them.
    ///
    /// The copy of a value on an edge out of a loop is made in the loop's last iteration, and the `Phi` after it speaks of that one: `stays_last`.
    pub fn changed(
        &self,
        from: Option<BlockId>,
        to: Option<BlockId>,
        moves: LoopMove,
        stays_last: bool,
    ) -> Vec<LoopId> {
        let loops = &self.body.loops;
        let mut outermost: Vec<LoopId> = Vec::new();
        let mut add = |l: LoopId| outermost.push(l);
        for l in from.into_iter().flat_map(|block| loops.around(block)) {
            let step = to.map_or(Step::Leaves, |to| match from {
                Some(from) => moves.step(loops, l, from, to),
                None => Step::Enters,
            });
            match step {
                Step::Leaves if stays_last && !self.irreducible[l] => {}
                Step::Carried | Step::Leaves | Step::Enters => add(l),
                Step::Stays | Step::Apart if self.irreducible[l] => add(l),
                Step::Stays | Step::Apart => {}
            }
        }
        for l in to.into_iter().flat_map(|block| loops.around(block)) {
            let entered = from.is_none_or(|from| !loops.contains(l, from));
            if entered || self.irreducible[l] {
                add(l);
            }
        }
        // From outside to a header's φ by the latch: the loop is entered before.
        if let Some(l) = moves.back {
            add(l);
        }
        outermost.sort_unstable();
        outermost.dedup();
        let inside = |l: LoopId| {
            outermost.iter().any(|o| std::iter::successors(Some(l), |l| loops.loops[*l].parent).any(|l| l == *o))
        };
        loops.loops.ids().filter(|l| inside(*l)).collect()
    }
}

/// The shapes of the functions that were asked for.
pub struct Shapes<'a> {
    program: &'a Program,
    sdg: &'a Sdg,
    influenced: &'a NodeSet,
    known: FxHashMap<FuncId, Option<std::rc::Rc<Shape<'a>>>>,
}

impl<'a> Shapes<'a> {
    /// None yet.
    pub fn new(program: &'a Program, sdg: &'a Sdg, influenced: &'a NodeSet) -> Shapes<'a> {
        Shapes { program, sdg, influenced, known: FxHashMap::default() }
    }
    /// Of a function with nodes.
    pub fn of(&mut self, func: FuncId) -> std::rc::Rc<Shape<'a>> {
        let Shapes { program, sdg, influenced, known } = self;
        let shape =
            known.entry(func).or_insert_with(|| Shape::new(program, sdg, func, influenced).map(std::rc::Rc::new));
        shape.clone().expect("a function with nodes has a body")
    }
}

/// The versions of memory that a node reads, and whether something beside the flow of control may change what it sees.
pub fn versions(sdg: &Sdg, node: NodeId) -> (Vec<NodeId>, bool) {
    let mut found = Vec::new();
    let mut disturbed = false;
    for edge in sdg.predecessors(node) {
        match edge.kind {
            EdgeKind::Memory => found.push(edge.from),
            EdgeKind::Interference => disturbed = true,
            EdgeKind::Control(_)
            | EdgeKind::Data
            | EdgeKind::Order
            | EdgeKind::Call
            | EdgeKind::ParamIn
            | EdgeKind::ParamOut
            | EdgeKind::Summary => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    (found, disturbed)
}

/// The versions that a write may leave something of.
pub fn older(sdg: &Sdg, node: NodeId) -> Vec<NodeId> {
    let mut found: Vec<NodeId> = sdg.predecessors(node).filter(|e| e.kind == EdgeKind::Order).map(|e| e.from).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a node stands for memory.
pub fn is_memory(kind: NodeKind) -> bool {
    match kind {
        NodeKind::MemoryPhi { .. } | NodeKind::MemoryDef { .. } | NodeKind::Shared(_) => true,
        NodeKind::FormalIn(formal)
        | NodeKind::FormalOut(formal)
        | NodeKind::ActualIn(_, formal)
        | NodeKind::ActualOut(_, formal) => matches!(formal, Formal::Memory(_)),
        NodeKind::Entry
        | NodeKind::Inst(_)
        | NodeKind::Predicate(_)
        | NodeKind::Return(_)
        | NodeKind::PhiOperand { .. }
        | NodeKind::Call(_) => false,
    }
}
