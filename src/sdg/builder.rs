//! Making a graph: nodes and edges in any order, sorted and joined at the end. Edges cost 12 bytes each until then.

use rustc_hash::FxHashMap;

use super::control::{ControlDependences, LoopMove};
use super::graph::*;
use super::summary::Summaries;
use crate::base::IdVec;
use crate::base::graph::{Components, Digraph, LoopId};
use crate::base::id::Id;
use crate::ir::{FuncId, ValueId};
use crate::source::Place;

/// Makes a [`Sdg`]: procedure by procedure its nodes, and any time after them their edges.
#[derive(Debug, Default)]
pub struct SdgBuilder {
    nodes: IdVec<NodeId, Node>,
    slots: IdVec<NodeId, u32>,
    procs: IdVec<ProcId, Procedure>,
    of_function: Vec<Option<ProcId>>,
    sites: IdVec<SiteId, Site>,
    edges: Vec<Pending>,
    labels: Vec<EdgeLabel>,
    label_ids: FxHashMap<EdgeLabel, u32>,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    from: NodeId,
    to: NodeId,
    label: u32,
}

impl SdgBuilder {
    /// A graph without nodes.
    pub fn new() -> Self {
        Self::default()
    }
    /// Begins a procedure, to which the nodes made from now on belong; its entry. Panics if the function has one.
    pub fn procedure(&mut self, func: FuncId, place: Place) -> NodeId {
        let proc = self.procs.next_id();
        if self.of_function.len() <= func.index() {
            self.of_function.resize(func.index() + 1, None);
        }
        assert!(self.of_function[func.index()].replace(proc).is_none(), "{func} has a procedure");
        let (entry, first_site) = (self.nodes.next_id(), self.sites.next_id());
        let (ins, outs) = (Vec::new(), Vec::new());
        self.procs.push(Procedure { func, entry, end: entry, ins, outs, first_site, end_site: first_site });
        self.push(NodeKind::Entry, place, None)
    }
    /// Makes a call site and its call node in the current procedure.
    pub fn call(&mut self, inst: ValueId, place: Place, around: Option<LoopId>) -> (SiteId, NodeId) {
        let (proc, call) = (self.current(), self.nodes.next_id());
        let site = self.sites.push(Site { proc, inst, call, ins: Vec::new(), outs: Vec::new(), links: 0..0 });
        self.procs[proc].end_site = self.sites.next_id();
        (site, self.push(NodeKind::Call(site), place, around))
    }
    /// Makes a node in the current procedure. Entries are made by [`procedure`](Self::procedure), call nodes by
    /// [`call`](Self::call).
    pub fn node(&mut self, kind: NodeKind, place: Place, around: Option<LoopId>) -> NodeId {
        assert!(!matches!(kind, NodeKind::Entry | NodeKind::Call(_)), "{kind:?} has a maker of its own");
        self.push(kind, place, around)
    }
    /// Adds an edge; twice the same is once. An edge between procedures has the default moves.
    pub fn edge(&mut self, from: NodeId, to: NodeId, kind: EdgeKind, moves: LoopMove) {
        let label = EdgeLabel { kind, moves };
        let labels = &mut self.labels;
        let label = *self.label_ids.entry(label).or_insert_with(|| {
            labels.push(label);
            labels.len() as u32 - 1
        });
        self.edges.push(Pending { from, to, label });
    }
    /// The nodes made so far.
    pub fn nodes(&self) -> &IdVec<NodeId, Node> {
        &self.nodes
    }
    /// The procedures made so far.
    pub fn procedures(&self) -> &IdVec<ProcId, Procedure> {
        &self.procs
    }
    /// The call sites made so far.
    pub fn sites(&self) -> &IdVec<SiteId, Site> {
        &self.sites
    }
    /// The graph, with its summaries. The order in which edges were added does not matter.
    pub fn finish(self) -> Sdg {
        let mut sdg = self.sorted();
        debug_assert_eq!(super::verify::graph(&sdg), Ok(()));
        make_links(&mut sdg);
        sdg.bottom_up = bottom_up(&sdg);
        sdg.summaries = Summaries::new(&sdg);
        sdg
    }

    /// The nodes and edges alone.
    pub(super) fn sorted(self) -> Sdg {
        let (labels, tags) = sorted_labels(&self.labels);
        let SdgBuilder { nodes, slots, procs, of_function, sites, edges, .. } = self;
        let forward = forward(nodes.len(), edges, &tags);
        let backward = reversed(&forward);
        Sdg {
            nodes,
            slots,
            procs,
            of_function,
            sites,
            links: IdVec::new(),
            labels,
            forward,
            backward,
            bottom_up: Vec::new(),
            summaries: Summaries::default(),
            coarse: Vec::new(),
            control: ControlDependences::default(),
            entries: Vec::new(),
        }
    }
    fn current(&self) -> ProcId {
        self.procs.ids().next_back().expect("a procedure has begun")
    }
    fn push(&mut self, kind: NodeKind, place: Place, around: Option<LoopId>) -> NodeId {
        let (proc, node) = (self.current(), self.nodes.next_id());
        let procedure = &mut self.procs[proc];
        procedure.end = NodeId(node.0 + 1);
        let group = match kind {
            NodeKind::Entry | NodeKind::FormalIn(_) => Some(&mut procedure.ins),
            NodeKind::FormalOut(_) => Some(&mut procedure.outs),
            NodeKind::ActualIn(site, _) | NodeKind::Call(site) => Some(&mut self.sites[site].ins),
            NodeKind::ActualOut(site, _) => Some(&mut self.sites[site].outs),
            NodeKind::Inst(_)
            | NodeKind::Predicate(_)
            | NodeKind::Return(_)
            | NodeKind::PhiOperand { .. }
            | NodeKind::MemoryPhi { .. }
            | NodeKind::MemoryDef { .. }
            | NodeKind::Shared(_) => None,
        };
        let slot = group.map_or(0, |group| {
            group.push(node);
            group.len() as u32 - 1
        });
        self.slots.push(slot);
        self.nodes.push(Node { kind, proc, around, place })
    }
}

/// The labels in their own order, so that the order of making does not show, and the tag of each old number.
fn sorted_labels(labels: &[EdgeLabel]) -> (Vec<EdgeLabel>, Vec<Tag>) {
    let mut sorted = labels.to_vec();
    sorted.sort_unstable();
    let tag = |label: &EdgeLabel| {
        let index = sorted.binary_search(label).expect("it is among them");
        Tag::new(label.kind.class(), index)
    };
    let tags = labels.iter().map(tag).collect();
    (sorted, tags)
}

/// The edges by their source: sorted by counting, then each node's by class, target and label.
fn forward(nodes: usize, edges: Vec<Pending>, tags: &[Tag]) -> Adjacency {
    let (mut starts, mut next) = counted(nodes, edges.len(), edges.iter().map(|edge| edge.from));
    let mut halves = vec![Half { node: NodeId(0), tag: Tag::new(Class::Within, 0) }; edges.len()];
    for edge in &edges {
        let slot = &mut next[edge.from.index()];
        halves[*slot as usize] = Half { node: edge.to, tag: tags[edge.label as usize] };
        *slot += 1;
    }
    drop(edges);
    let mut kept = 0;
    for node in 0..nodes {
        let (start, end) = (starts[node] as usize, starts[node + 1] as usize);
        halves[start..end].sort_unstable_by_key(|half| order(*half));
        starts[node] = kept as u32;
        let first = kept;
        for at in start..end {
            if kept == first || halves[kept - 1] != halves[at] {
                halves[kept] = halves[at];
                kept += 1;
            }
        }
    }
    starts[nodes] = kept as u32;
    halves.truncate(kept);
    Adjacency { starts, halves }
}

fn order(half: Half) -> (Class, NodeId, Tag) {
    (half.tag.class(), half.node, half.tag)
}

/// Where the edges of each node begin, and a copy to count up.
fn counted(nodes: usize, edges: usize, ends: impl Iterator<Item = NodeId>) -> (Vec<u32>, Vec<u32>) {
    assert!(u32::try_from(edges).is_ok(), "fewer than 2^32 edges");
    let mut starts = vec![0u32; nodes + 1];
    for end in ends {
        starts[end.index() + 1] += 1;
    }
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    let next = starts.clone();
    (starts, next)
}

/// The same edges by their target.
fn reversed(forward: &Adjacency) -> Adjacency {
    let nodes = forward.starts.len() - 1;
    let (starts, mut next) = counted(nodes, forward.halves.len(), forward.halves.iter().map(|half| half.node));
    let mut halves = forward.halves.clone();
    for node in 0..nodes {
        for half in &forward.halves[forward.starts[node] as usize..forward.starts[node + 1] as usize] {
            let slot = &mut next[half.node.index()];
            halves[*slot as usize] = Half { node: NodeId::new(node), tag: half.tag };
            *slot += 1;
        }
    }
    for bounds in starts.windows(2) {
        halves[bounds[0] as usize..bounds[1] as usize].sort_unstable_by_key(|half| order(*half));
    }
    Adjacency { starts, halves }
}

/// Joins each site with each of its callees: what its actuals' edges lead to.
fn make_links(sdg: &mut Sdg) {
    for site in sdg.sites.ids() {
        let ins = passages(sdg, &sdg.sites[site].ins, Class::Down, &sdg.forward);
        let outs = passages(sdg, &sdg.sites[site].outs, Class::Up, &sdg.backward);
        let mut callees: Vec<ProcId> = ins.iter().chain(&outs).map(|(callee, _)| *callee).collect();
        callees.sort_unstable();
        callees.dedup();
        let first = sdg.links.len() as u32;
        for callee in callees {
            let of = |pairs: &[(ProcId, (u32, NodeId))]| -> Vec<(u32, NodeId)> {
                let start = pairs.partition_point(|(to, _)| *to < callee);
                pairs[start..].iter().take_while(|(to, _)| *to == callee).map(|(_, pair)| *pair).collect()
            };
            let procedure = &sdg.procs[callee];
            let ins = Pairing::new(procedure.ins.len(), &of(&ins));
            let outs = Pairing::new(procedure.outs.len(), &of(&outs));
            sdg.links.push(Link { callee, ins, outs });
        }
        sdg.sites[site].links = first..sdg.links.len() as u32;
    }
}

/// Callee, slot of the formal and actual of every edge of this class at these actuals, ascending.
fn passages(sdg: &Sdg, actuals: &[NodeId], class: Class, edges: &Adjacency) -> Vec<(ProcId, (u32, NodeId))> {
    let mut found = Vec::new();
    for actual in actuals {
        let halves = &edges.halves[edges.starts[actual.index()] as usize..edges.starts[actual.index() + 1] as usize];
        for half in halves.iter().filter(|half| half.tag.class() == class) {
            found.push((sdg.nodes[half.node].proc, (sdg.slots[half.node], *actual)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The strongly connected components of the call graph, callees first.
fn bottom_up(sdg: &Sdg) -> Vec<Vec<ProcId>> {
    let calls = Digraph::build(sdg.procs.len(), |proc: ProcId, out: &mut Vec<ProcId>| {
        let first = out.len();
        out.extend(sdg.procs[proc].sites().flat_map(|site| sdg.callees(site)));
        out[first..].sort_unstable();
        let mut kept = first;
        for at in first..out.len() {
            if kept == first || out[kept - 1] != out[at] {
                out[kept] = out[at];
                kept += 1;
            }
        }
        out.truncate(kept);
    });
    let components = Components::new(&calls);
    (0..components.len()).map(|c| components.members(c).to_vec()).collect()
}
