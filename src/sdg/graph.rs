//! The graph's data.
//!
//! Nodes of a procedure are numbered without a gap, its entry first. Edges lie in both directions in one array each, 8 bytes per
//! edge and direction: the other end, and a tag that names the class of the edge, by which a traversal decides, and its label in
//! a table (there are few different labels in a program).
//!
//! Actual and formal parameters are joined by the edges alone: an actual may stand for several formals of a callee and a formal
//! be given by several actuals, so callers and callees may group memory differently.

use std::ops::Range;

use super::control::{ControlDependences, FunctionControl, LoopMove};
use super::summary::Summaries;
use crate::base::IdVec;
use crate::base::bits::IdSet;
use crate::base::graph::LoopId;
use crate::base::id::Id;
use crate::define_id;
use crate::ir::{BlockId, FuncId, ValueId};
use crate::source::Place;

define_id!(/// A node of the system dependence graph.
    NodeId, "n");
define_id!(/// A procedure: a function that has nodes.
    ProcId, "p");
define_id!(/// A call site: a call instruction, with one or several callees.
    SiteId, "s");
define_id!(/// A call site with one of its callees.
    LinkId, "link");

/// A set of nodes.
pub type NodeSet = IdSet<NodeId>;

/// A node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// What it stands for.
    pub kind: NodeKind,
    /// Its procedure.
    pub proc: ProcId,
    /// The innermost loop around it.
    pub around: Option<LoopId>,
    /// The C text it comes from.
    pub place: Place,
}

/// What a node stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum NodeKind {
    /// The procedure's being called.
    Entry,
    /// An instruction other than a call.
    Inst(ValueId),
    /// The choice at the end of a block with several successors.
    Predicate(BlockId),
    /// The return at the end of a block.
    Return(BlockId),
    /// An operand of a φ: a copy on the edge by which control arrives, under that edge's conditions.
    PhiOperand {
        /// The φ.
        phi: ValueId,
        /// Which operand.
        operand: u32,
    },
    /// Versions of a memory group meet at the start of a block.
    MemoryPhi {
        /// The block.
        block: BlockId,
        /// The group.
        group: u32,
    },
    /// The version of a memory group after an instruction that may write several.
    MemoryDef {
        /// The instruction.
        inst: ValueId,
        /// The group.
        group: u32,
    },
    /// A class of memory as those see it that do not follow the flow of control: other threads, a second return of `setjmp`, the next call of
    /// an entry. It belongs to no procedure more than to another. The number is twice the class's, plus 1 where only threads write it.
    Shared(u32),
    /// What the procedure gets.
    FormalIn(Formal),
    /// What the procedure gives.
    FormalOut(Formal),
    /// What a call passes.
    ActualIn(SiteId, Formal),
    /// What a call brings back.
    ActualOut(SiteId, Formal),
    /// The call itself: that it happens, and whom it reaches.
    Call(SiteId),
}

/// What travels between a caller and a callee.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Formal {
    /// A parameter, by its number.
    Param(u32),
    /// All variable arguments.
    Varargs,
    /// The result.
    Result,
    /// That the call returns at all: what follows a call that may not return hangs on this.
    Returns,
    /// A group of memory that is always read and written together.
    Memory(u32),
    /// What a flow of a function without body computes, or what a callback of it returns; of the call only.
    Effect(u32),
}

/// Why a node depends on another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum EdgeKind {
    /// Whether it is executed, with the outcome that lets it be executed.
    Control(ControlLabel),
    /// Its operand.
    Data,
    /// It reads memory that the other wrote (`du`).
    Memory,
    /// It may overwrite what the other wrote, or leave it (`dd`: a killing modification).
    Order,
    /// A call reaches a callee's entry.
    Call,
    /// An actual is a formal's value.
    ParamIn,
    /// A formal's value comes back.
    ParamOut,
    /// An actual influences another through the callee. Stored for callees without nodes (models); for the others see
    /// [`Summaries`].
    Summary,
    /// Written in one thread or handler, read in another, in any order.
    Interference,
}

/// The outcome of a predicate that a node hangs on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ControlLabel {
    /// The way to this successor of the block; [`label`](super::control::label()) tells it in C's words.
    Branch(u32),
    /// The procedure is called.
    Entry,
    /// The call is made: the edge from a call to its actuals.
    Call,
    /// The call before it returned; of one that returns twice, how often.
    Returned,
}

/// What an edge is, apart from its ends.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct EdgeLabel {
    /// Why.
    pub kind: EdgeKind,
    /// What happens to the iterations of loops between its ends. An edge that can make several moves is several edges. Of an
    /// edge between procedures: nothing is shared.
    pub moves: LoopMove,
}

/// An edge: `to` depends on `from`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Edge {
    /// What influences.
    pub from: NodeId,
    /// What is influenced.
    pub to: NodeId,
    /// Why.
    pub kind: EdgeKind,
    /// See [`EdgeLabel::moves`].
    pub moves: LoopMove,
}

/// What a traversal has to know of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Class {
    /// Inside a procedure.
    Within,
    /// From a call into a callee.
    Down,
    /// From a callee back to a call.
    Up,
    /// Between threads: any context to any context.
    Across,
}

impl EdgeKind {
    /// Its class.
    pub(crate) fn class(self) -> Class {
        match self {
            EdgeKind::Control(_) | EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order | EdgeKind::Summary => {
                Class::Within
            }
            EdgeKind::Call | EdgeKind::ParamIn => Class::Down,
            EdgeKind::ParamOut => Class::Up,
            EdgeKind::Interference => Class::Across,
        }
    }
}

/// An edge as one of its ends has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Half {
    /// The other end.
    pub node: NodeId,
    /// The class in the two highest bits, the index of the label in the others.
    pub tag: Tag,
}

/// See [`Half::tag`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Tag(u32);

impl Tag {
    const SHIFT: u32 = 30;
    /// The tag of label `index`.
    pub fn new(class: Class, index: usize) -> Tag {
        assert!(index < 1 << Tag::SHIFT, "fewer than 2^30 different labels");
        Tag((class as u32) << Tag::SHIFT | index as u32)
    }
    /// The class of the edge.
    pub fn class(self) -> Class {
        match self.0 >> Tag::SHIFT {
            0 => Class::Within,
            1 => Class::Down,
            2 => Class::Up,
            _ => Class::Across,
        }
    }
    /// The index of its label.
    pub fn label(self) -> usize {
        (self.0 & ((1 << Tag::SHIFT) - 1)) as usize
    }
}

/// Edges by one of their ends: those of a node by class, other end and label.
#[derive(Clone, Debug, Default)]
pub(crate) struct Adjacency {
    pub starts: Vec<u32>,
    pub halves: Vec<Half>,
}

impl Adjacency {
    fn of(&self, node: NodeId) -> &[Half] {
        &self.halves[self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize]
    }
}

/// A procedure.
#[derive(Clone, Debug)]
pub struct Procedure {
    /// The function.
    pub func: FuncId,
    /// Its entry; its nodes follow without a gap.
    pub entry: NodeId,
    /// The node after its last.
    pub(crate) end: NodeId,
    /// The entry, then the formal-ins, in the order of their making.
    pub ins: Vec<NodeId>,
    /// The formal-outs, in the order of their making.
    pub outs: Vec<NodeId>,
    /// Its first call site; the others follow without a gap.
    pub(crate) first_site: SiteId,
    pub(crate) end_site: SiteId,
}

impl Procedure {
    /// Its nodes.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        (self.entry.0..self.end.0).map(NodeId)
    }
    /// Its call sites.
    pub fn sites(&self) -> impl DoubleEndedIterator<Item = SiteId> + use<> {
        (self.first_site.0..self.end_site.0).map(SiteId)
    }
}

/// A call site.
#[derive(Clone, Debug)]
pub struct Site {
    /// The procedure that calls.
    pub proc: ProcId,
    /// The call instruction.
    pub inst: ValueId,
    /// Its call node.
    pub call: NodeId,
    /// The call node, then the actual-ins, in the order of their making.
    pub ins: Vec<NodeId>,
    /// The actual-outs, in the order of their making.
    pub outs: Vec<NodeId>,
    /// Its links, by callee, without a gap.
    pub(crate) links: Range<u32>,
}

/// A call site with one of its callees.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub callee: ProcId,
    /// The actual-ins of each in of the callee.
    pub ins: Pairing,
    /// The actual-outs of each out of the callee.
    pub outs: Pairing,
}

/// The actuals of each formal, by the formal's slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairing {
    starts: Box<[u32]>,
    actuals: Box<[NodeId]>,
}

impl Pairing {
    /// From pairs of slot and actual in ascending order, for `len` slots.
    pub fn new(len: usize, pairs: &[(u32, NodeId)]) -> Pairing {
        let mut starts = Vec::with_capacity(len + 1);
        let mut at = 0;
        for slot in 0..=len as u32 {
            at += pairs[at..].iter().take_while(|(s, _)| *s < slot).count();
            starts.push(at as u32);
        }
        Pairing { starts: starts.into(), actuals: pairs.iter().map(|(_, actual)| *actual).collect() }
    }
    /// The actuals of a slot.
    pub fn of(&self, slot: usize) -> &[NodeId] {
        &self.actuals[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }
}

/// The system dependence graph. Made by a [`SdgBuilder`](super::SdgBuilder).
#[derive(Clone, Debug)]
pub struct Sdg {
    pub(crate) nodes: IdVec<NodeId, Node>,
    /// The place of a formal among its procedure's ins or outs, of an actual among its site's; of other nodes without meaning.
    pub(crate) slots: IdVec<NodeId, u32>,
    pub(crate) procs: IdVec<ProcId, Procedure>,
    /// By function.
    pub(crate) of_function: Vec<Option<ProcId>>,
    pub(crate) sites: IdVec<SiteId, Site>,
    pub(crate) links: IdVec<LinkId, Link>,
    pub(crate) labels: Vec<EdgeLabel>,
    pub(crate) forward: Adjacency,
    pub(crate) backward: Adjacency,
    /// The strongly connected components of the call graph, callees first.
    pub(crate) bottom_up: Vec<Vec<ProcId>>,
    /// What calls do, without barriers.
    pub(crate) summaries: Summaries,
    /// Functions whose memory is grouped more coarsely than that of their callees.
    pub(crate) coarse: Vec<FuncId>,
    /// What decides whether each part of a function is executed.
    pub(crate) control: ControlDependences,
    /// Functions that something outside the program calls.
    pub(crate) entries: Vec<FuncId>,
}

impl Sdg {
    /// Functions whose memory is grouped more coarsely than that of their callees, ascending.
    pub fn coarse(&self) -> &[FuncId] {
        &self.coarse
    }
    /// What decides whether each part of a function is executed; `None` if it has no nodes.
    pub fn control(&self, func: FuncId) -> Option<&FunctionControl> {
        self.control.functions.get(func)?.as_ref()
    }
    /// Functions that something outside the program calls: where runs start, and what runs beside them.
    pub fn entries(&self) -> &[FuncId] {
        &self.entries
    }
    /// All nodes.
    pub fn nodes(&self) -> &IdVec<NodeId, Node> {
        &self.nodes
    }
    /// All procedures.
    pub fn procedures(&self) -> &IdVec<ProcId, Procedure> {
        &self.procs
    }
    /// All call sites.
    pub fn sites(&self) -> &IdVec<SiteId, Site> {
        &self.sites
    }
    /// The procedure of a function, if it has nodes.
    pub fn procedure_of(&self, func: FuncId) -> Option<ProcId> {
        self.of_function.get(func.index()).copied().flatten()
    }
    /// The function of a node.
    pub fn function(&self, node: NodeId) -> FuncId {
        self.procs[self.nodes[node].proc].func
    }
    /// The procedures that a site calls, in ascending order.
    pub fn callees(&self, site: SiteId) -> impl Iterator<Item = ProcId> {
        self.links_of(site).map(|link| self.links[link].callee)
    }
    /// How many edges are stored; those of [`Summaries`] are not.
    pub fn edge_count(&self) -> usize {
        self.forward.halves.len()
    }
    /// The stored edges from a node, in a fixed order.
    pub fn successors(&self, node: NodeId) -> impl Iterator<Item = Edge> {
        self.forward.of(node).iter().map(move |half| self.edge(node, half.node, half.tag))
    }
    /// The stored edges to a node, in a fixed order.
    pub fn predecessors(&self, node: NodeId) -> impl Iterator<Item = Edge> {
        self.backward.of(node).iter().map(move |half| self.edge(half.node, node, half.tag))
    }
    /// What calls do between actual-ins and actual-outs.
    pub fn summaries(&self) -> &Summaries {
        &self.summaries
    }

    fn edge(&self, from: NodeId, to: NodeId, tag: Tag) -> Edge {
        let EdgeLabel { kind, moves } = self.labels[tag.label()];
        Edge { from, to, kind, moves }
    }
    /// The edges from a node.
    pub(crate) fn out(&self, node: NodeId) -> &[Half] {
        self.forward.of(node)
    }
    /// The edges to a node.
    pub(crate) fn into(&self, node: NodeId) -> &[Half] {
        self.backward.of(node)
    }
    /// The links of a site.
    pub(crate) fn links_of(&self, site: SiteId) -> impl ExactSizeIterator<Item = LinkId> + use<> {
        self.sites[site].links.clone().map(LinkId)
    }
    /// The link of a site with one of its callees.
    pub(crate) fn link(&self, site: SiteId, callee: ProcId) -> LinkId {
        let Range { start, end } = self.sites[site].links;
        let links = &self.links.as_slice()[start as usize..end as usize];
        let at = links.binary_search_by_key(&callee, |link| link.callee).expect("every parameter edge has a link");
        LinkId(start + at as u32)
    }
    /// The link and the slot of the callee that an edge between an actual and a formal belongs to.
    pub(crate) fn passage(&self, actual: NodeId, formal: NodeId) -> (LinkId, usize) {
        let site = match self.nodes[actual].kind {
            NodeKind::ActualIn(site, _) | NodeKind::ActualOut(site, _) | NodeKind::Call(site) => site,
            NodeKind::Entry
            | NodeKind::Inst(_)
            | NodeKind::Predicate(_)
            | NodeKind::Return(_)
            | NodeKind::PhiOperand { .. }
            | NodeKind::MemoryPhi { .. }
            | NodeKind::MemoryDef { .. }
            | NodeKind::Shared(_)
            | NodeKind::FormalIn(_)
            | NodeKind::FormalOut(_) => unreachable!("{actual} has a parameter edge and is no actual"),
        };
        (self.link(site, self.nodes[formal].proc), self.slots[formal] as usize)
    }
}
