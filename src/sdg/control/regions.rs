//! The regions of a body, their graph, and what each depends on.

use super::moves::control_moves;
use super::{Controller, Dependence, LoopMove, Termination};
use crate::base::IdVec;
use crate::base::graph::{Dependences, Digraph, Dominators, PostDominance, inevitable, strong_dependences};
use crate::base::id::Id;
use crate::define_id;
use crate::ir::{BlockId, Body, InstKind, Terminator, ValueId};

define_id!(/// A piece of a body that is executed as a whole: instructions of a block up to a call that may not return, or up to the block's end; or an
    /// edge that is critical (in SSA form there is none).
    RegionId, "region");

/// The control dependences of one function.
#[derive(Clone, Debug)]
pub struct FunctionControl {
    /// The first region of each block, and the number of all of them; a block's regions follow each other.
    first: Vec<RegionId>,
    /// The region of each instruction.
    of_inst: IdVec<ValueId, RegionId>,
    /// Critical edges and their regions, ascending.
    edges: Vec<((BlockId, BlockId), RegionId)>,
    /// Per region, then of *returned*: `items[starts[r]..starts[r + 1]]`, ascending.
    starts: Vec<u32>,
    items: Vec<Dependence>,
}

impl FunctionControl {
    /// Of a body in which these calls, ascending, may not return or return twice. The moves are right in SSA form only.
    pub fn new(body: &Body, splits: &[ValueId], termination: Termination) -> Self {
        let mut found = FunctionControl {
            first: Vec::with_capacity(body.blocks.len() + 1),
            of_inst: IdVec::filled(RegionId(0), body.insts.len()),
            edges: Vec::new(),
            starts: vec![0],
            items: Vec::new(),
        };
        let cut = Cut::new(body, splits, &mut found);
        cut.solve(body, termination, &mut found);
        found
    }
    /// The region of an instruction.
    pub fn region_of(&self, inst: ValueId) -> RegionId {
        self.of_inst[inst]
    }
    /// The region that a block starts with.
    pub fn start(&self, block: BlockId) -> RegionId {
        self.first[block.index()]
    }
    /// The region that a block ends with: that of its terminator.
    pub fn end(&self, block: BlockId) -> RegionId {
        RegionId(self.first[block.index() + 1].0 - 1)
    }
    /// The region of an edge between blocks of `body`: what the operand that a `Phi` of `to` takes from `from` depends on.
    pub fn edge(&self, body: &Body, from: BlockId, to: BlockId) -> RegionId {
        if let Ok(at) = self.edges.binary_search_by_key(&(from, to), |e| e.0) {
            return self.edges[at].1;
        }
        // Not critical: the only edge from `from`, or else the only one to `to`.
        let only = match &body.blocks[from].term {
            Terminator::Jump(_) | Terminator::Return(_) | Terminator::Unreachable => true,
            Terminator::Branch { then, otherwise, .. } => then == otherwise,
            Terminator::Switch { cases, default, .. } => *default == to && cases.iter().all(|c| c.target == to),
            Terminator::IndirectJump { targets, .. } => targets.iter().all(|t| t.1 == to),
        };
        if only { self.end(from) } else { self.start(to) }
    }
    /// What a region depends on, ascending.
    pub fn of(&self, region: RegionId) -> &[Dependence] {
        &self.items[self.starts[region.index()] as usize..self.starts[region.index() + 1] as usize]
    }
    /// What decides whether the function returns; empty if it never does.
    pub fn returned(&self) -> &[Dependence] {
        &self.items[self.starts[self.starts.len() - 2] as usize..]
    }
    /// All regions, in order.
    pub fn regions(&self) -> impl DoubleEndedIterator<Item = RegionId> + ExactSizeIterator + use<> {
        (0..self.starts.len() - 2).map(RegionId::new)
    }
}

/// What a node of the graph of regions is.
#[derive(Clone, Copy)]
enum Node {
    /// A region that ends with this call.
    Call(BlockId, ValueId),
    /// A region that ends with the terminator.
    End(BlockId),
    /// A critical edge, from this block.
    Edge(BlockId),
    /// All returns lead here.
    Returned,
    /// Before the first region.
    Entry,
    /// Where the run ends without a return.
    Stop,
}

impl Node {
    fn block(self) -> Option<BlockId> {
        match self {
            Node::Call(block, _) | Node::End(block) | Node::Edge(block) => Some(block),
            Node::Returned | Node::Entry | Node::Stop => None,
        }
    }
    /// What it is to those that depend on it.
    fn controller(self) -> Controller {
        match self {
            Node::Call(_, call) => Controller::Call(call),
            Node::End(block) => Controller::Branch(block),
            Node::Entry => Controller::Entry,
            Node::Edge(_) | Node::Returned | Node::Stop => unreachable!("they have one successor or none"),
        }
    }
}

/// The graph of a body's regions.
struct Cut {
    /// Regions, then *returned*, the entry, and the stop.
    nodes: IdVec<RegionId, Node>,
    graph: Digraph<RegionId>,
    entry: RegionId,
    /// The nodes from which nothing but undefined behaviour is reached.
    dead: Vec<bool>,
}

impl Cut {
    /// Cuts a body into regions.
    fn new(body: &Body, splits: &[ValueId], found: &mut FunctionControl) -> Cut {
        let mut nodes: IdVec<RegionId, Node> = IdVec::new();
        // The regions that end in `Unreachable` and cannot have ended the run.
        let mut undefined: Vec<RegionId> = Vec::new();
        for (id, block) in body.blocks.enumerate() {
            found.first.push(nodes.next_id());
            let mut ends = false;
            for &inst in &block.insts {
                found.of_inst[inst] = nodes.next_id();
                ends |= may_end(&body.insts[inst].kind);
                if splits.binary_search(&inst).is_ok() {
                    nodes.push(Node::Call(id, inst));
                    ends = false;
                }
            }
            let end = nodes.push(Node::End(id));
            if matches!(block.term, Terminator::Unreachable) && !ends {
                undefined.push(end);
            }
        }
        found.first.push(nodes.next_id());
        found.edges = critical_edges(body).into_iter().map(|edge| (edge, nodes.push(Node::Edge(edge.0)))).collect();
        let returned = nodes.push(Node::Returned);
        let entry = nodes.push(Node::Entry);
        let stop = nodes.push(Node::Stop);
        let successors = |(id, node): (RegionId, &Node)| -> Vec<RegionId> {
            match *node {
                Node::Call(..) => vec![RegionId(id.0 + 1), stop],
                Node::End(block) => match body.blocks[block].term {
                    Terminator::Return(_) => vec![returned],
                    Terminator::Unreachable if undefined.binary_search(&id).is_ok() => Vec::new(),
                    Terminator::Unreachable => vec![stop],
                    Terminator::Jump(to) => vec![found.start(to)],
                    Terminator::Branch { .. } | Terminator::Switch { .. } | Terminator::IndirectJump { .. } => {
                        let region = |to: BlockId| match found.edges.binary_search_by_key(&(block, to), |e| e.0) {
                            Ok(at) => found.edges[at].1,
                            Err(_) => found.start(to),
                        };
                        body.blocks[block].term.successors().into_iter().map(region).collect()
                    }
                },
                Node::Edge(_) => {
                    let at = found
                        .edges
                        .binary_search_by_key(&id, |e| e.1)
                        .expect("edges are in the order of their regions");
                    vec![found.start(found.edges[at].0.1)]
                }
                Node::Entry => vec![found.start(body.entry), stop],
                Node::Returned | Node::Stop => Vec::new(),
            }
        };
        let graph = Digraph::new(nodes.enumerate().map(successors));
        let dead = inevitable(&graph, undefined);
        Cut { nodes, graph, entry, dead }
    }

    /// Finds what every region depends on.
    fn solve(&self, body: &Body, termination: Termination, found: &mut FunctionControl) {
        let dominators = Dominators::new(&self.graph, &self.graph.reversed(), self.entry);
        let all = Solved::new(&self.graph, self.entry, termination);
        let alive = self.dead.contains(&true).then(|| Solved::new(&self.without_dead(), self.entry, termination));
        for (id, node) in self.nodes.enumerate() {
            if matches!(node, Node::Entry | Node::Stop) {
                break;
            }
            let dead = self.dead[id.index()];
            let solved = if dead { &all } else { alive.as_ref().unwrap_or(&all) };
            let list = found.items.len();
            for (weak, on, branch) in solved.of(id) {
                let target = self.graph.successors(on)[branch as usize];
                // No run is assumed to take a branch to undefined behaviour.
                if self.dead[target.index()] && !dead {
                    continue;
                }
                let moves = match (self.nodes[on].block(), self.nodes[target].block(), node.block()) {
                    (Some(from), Some(target), Some(to)) => {
                        let met_from = |block: BlockId| !weak || solved.post.post_dominates(id, found.start(block));
                        control_moves(&body.loops, (from, target, to), dominators.dominates(id, on), met_from)
                    }
                    _ => vec![LoopMove::default()],
                };
                let on = self.nodes[on].controller();
                found.items.extend(moves.into_iter().map(|moves| Dependence { on, branch, moves }));
            }
            found.items[list..].sort_unstable();
            found.starts.push(u32::try_from(found.items.len()).expect("fewer than 2^32 dependences"));
        }
    }

    /// The graph with every edge to a dead node replaced by one to another successor, so that branches keep their index.
    fn without_dead(&self) -> Digraph<RegionId> {
        let is_dead = |n: &RegionId| self.dead[n.index()];
        Digraph::new(self.graph.nodes().map(|node| {
            let all = self.graph.successors(node);
            let other = all.iter().copied().find(|n| !is_dead(n));
            all.iter().map(move |n| if is_dead(n) { other.unwrap_or(*n) } else { *n })
        }))
    }
}

/// The dependences in one graph.
struct Solved {
    post: PostDominance<RegionId>,
    weak: Dependences<RegionId>,
    strong: Option<Dependences<RegionId>>,
}

impl Solved {
    fn new(graph: &Digraph<RegionId>, entry: RegionId, termination: Termination) -> Solved {
        let post = PostDominance::new(graph, entry);
        let weak = post.dependences();
        let strong = (termination == Termination::Sensitive).then(|| strong_dependences(graph));
        Solved { post, weak, strong }
    }
    /// What a node depends on, and whether weakly; each once.
    fn of(&self, node: RegionId) -> impl Iterator<Item = (bool, RegionId, u32)> {
        let weak = self.weak.of(node);
        let strong = self.strong.as_ref().map_or(&[][..], |s| s.of(node));
        let only_strong =
            strong.iter().filter(|d| weak.binary_search(d).is_err()).map(|(on, branch)| (false, *on, *branch));
        weak.iter().map(|(on, branch)| (true, *on, *branch)).chain(only_strong)
    }
}

/// Whether a run may end at an instruction that `Unreachable` follows.
fn may_end(kind: &InstKind) -> bool {
    match kind {
        InstKind::Call { .. } | InstKind::Asm(_) | InstKind::StandIn { .. } => true,
        InstKind::Store { access, .. } | InstKind::Load { access, .. } => access.volatile,
        InstKind::Param(_)
        | InstKind::Phi(_)
        | InstKind::Copy(_)
        | InstKind::Uninit
        | InstKind::Unary(..)
        | InstKind::Binary(..)
        | InstKind::Compare(..)
        | InstKind::Cast(_)
        | InstKind::PtrAdd { .. }
        | InstKind::PtrDiff { .. }
        | InstKind::FieldAddr { .. }
        | InstKind::VaStart(_)
        | InstKind::VaArg(_)
        | InstKind::VaCopy { .. }
        | InstKind::VaEnd(_)
        | InstKind::Alloca { .. }
        | InstKind::AsmOutput { .. }
        | InstKind::Intrinsic(..) => false,
    }
}

/// The edges from a block with several successors to one with several predecessors, ascending.
fn critical_edges(body: &Body) -> Vec<(BlockId, BlockId)> {
    let predecessors = body.predecessors();
    let mut edges = Vec::new();
    for (id, block) in body.blocks.enumerate() {
        let to = block.term.successors();
        if to.len() > 1 {
            edges.extend(to.into_iter().filter(|to| predecessors[*to].len() > 1).map(|to| (id, to)));
        }
    }
    edges.sort_unstable();
    edges
}
