//! One procedure's graph with what its calls do: the nodes of the procedure, and for each link and each class of the callee's
//! formal-outs that depend on the same formal-ins (a row of its [`Summary`]) a *row node* between the actual-ins and the
//! actual-outs. So a call costs the size of its interface for each class, not actual-ins times actual-outs.
//!
//! Sets of formal-outs travel over the condensation of this graph, 64 at a time, a stripe of formal-outs after the other so that
//! memory stays linear in the procedure.

use std::ops::Range;
use std::sync::Arc;

use super::graph::*;
use super::summary::Summary;
use crate::base::IdVec;
use crate::base::bits::{ones, words_for};
use crate::base::graph::{Components, Digraph};
use crate::base::id::Id;
use crate::define_id;

define_id!(/// A node of one procedure, or a row node.
    LocalId, "local");

/// Formal-outs that are worked on at once.
const STRIPE: usize = 1024;

/// See the module.
pub(crate) struct Local {
    first: NodeId,
    graph: Digraph<LocalId>,
    components: Components<LocalId>,
}

impl Local {
    /// The graph of a procedure without the barred nodes, given the summaries of its callees.
    pub fn new(sdg: &Sdg, of: &IdVec<ProcId, Arc<Summary>>, barred: Option<&NodeSet>, proc: ProcId) -> Local {
        let procedure = &sdg.procs[proc];
        let (first, len) = (procedure.entry, procedure.nodes().len());
        let local = |node: NodeId| LocalId(node.0 - first.0);
        let open = |node: NodeId| barred.is_none_or(|barred| !barred.contains(node));
        let links: Range<usize> = procedure.sites().next().map_or(0..0, |site| {
            let last = procedure.sites().next_back().expect("there is one");
            sdg.sites[site].links.start as usize..sdg.sites[last].links.end as usize
        });
        // The row nodes: where those of each link begin.
        let mut bases: Vec<u32> = Vec::with_capacity(links.len() + 1);
        bases.push(len as u32);
        for link in links.clone() {
            let rows = of[sdg.links.as_slice()[link].callee].rows.rows();
            bases.push(bases[bases.len() - 1] + rows as u32);
        }
        let nodes = bases[bases.len() - 1] as usize;
        let mut link_of_row = 0;
        let graph = Digraph::build(nodes, |at: LocalId, out: &mut Vec<LocalId>| {
            if at.index() >= len {
                while bases[link_of_row + 1] <= at.0 {
                    link_of_row += 1;
                }
                let link = &sdg.links.as_slice()[links.start + link_of_row];
                let row = (at.0 - bases[link_of_row]) as usize;
                let actuals = of[link.callee].outs_of_row(row).iter().flat_map(|slot| link.outs.of(*slot as usize));
                out.extend(actuals.copied().filter(|node| open(*node)).map(local));
                return;
            }
            let node = NodeId(first.0 + at.0);
            if !open(node) {
                return;
            }
            for half in sdg.out(node) {
                match half.tag.class() {
                    Class::Within => {
                        if open(half.node) {
                            out.push(local(half.node));
                        }
                    }
                    Class::Down => {
                        let (link, slot) = sdg.passage(node, half.node);
                        let base = bases[link.index() - links.start];
                        let rows = of[sdg.links[link].callee].columns.ones(slot);
                        out.extend(rows.map(|row| LocalId(base + row as u32)));
                    }
                    Class::Up | Class::Across => break,
                }
            }
        });
        let components = Components::new(&graph);
        Local { first, graph, components }
    }
    /// The component of a node of the procedure.
    pub fn component(&self, node: NodeId) -> usize {
        self.components.of(LocalId(node.0 - self.first.0))
    }
    /// Cuts `outs` formal-outs into stripes.
    pub fn stripes(outs: usize) -> impl Iterator<Item = Range<usize>> {
        (0..outs).step_by(STRIPE).map(move |start| start..outs.min(start + STRIPE))
    }
    /// For each component the formal-outs of a stripe that it reaches; a barred one is reached by none.
    pub fn reached(&self, outs: &[NodeId], barred: Option<&NodeSet>) -> Sets {
        let mut sets = Sets::new(self.components.len(), outs.len());
        for (bit, out) in outs.iter().enumerate() {
            if barred.is_none_or(|barred| !barred.contains(*out)) {
                sets.insert(self.component(*out), bit);
            }
        }
        // What an edge leads to has a lower number: it is complete.
        for component in 0..self.components.len() {
            for node in self.components.members(component) {
                for succ in self.graph.successors(*node) {
                    sets.add(component, self.components.of(*succ));
                }
            }
        }
        sets
    }
    /// Passes the sets on along the edges.
    pub fn spread(&self, sets: &mut Sets) {
        for component in (0..self.components.len()).rev() {
            if sets.of(component).iter().all(|word| *word == 0) {
                continue;
            }
            for node in self.components.members(component) {
                for succ in self.graph.successors(*node) {
                    sets.add(self.components.of(*succ), component);
                }
            }
        }
    }
    /// An empty set of a stripe of `outs` for each component.
    pub fn empty(&self, outs: usize) -> Sets {
        Sets::new(self.components.len(), outs)
    }
}

/// A set of formal-outs for each component.
pub(crate) struct Sets {
    width: usize,
    words: Vec<u64>,
}

impl Sets {
    fn new(components: usize, bits: usize) -> Sets {
        let width = words_for(bits);
        Sets { width, words: vec![0; components * width] }
    }
    /// The set of a component.
    pub fn of(&self, component: usize) -> &[u64] {
        &self.words[component * self.width..(component + 1) * self.width]
    }
    /// Its elements.
    pub fn elements(&self, component: usize) -> impl Iterator<Item = usize> {
        ones(self.of(component))
    }
    /// Adds an element to the set of a component.
    pub fn insert(&mut self, component: usize, bit: usize) {
        self.words[component * self.width + bit / 64] |= 1 << (bit % 64);
    }
    /// Adds the set of a component to another's.
    fn add(&mut self, to: usize, from: usize) {
        if to != from {
            for i in 0..self.width {
                self.words[to * self.width + i] |= self.words[from * self.width + i];
            }
        }
    }
}
