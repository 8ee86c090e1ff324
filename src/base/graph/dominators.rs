//! Dominator trees, by the simple algorithm of Lengauer and Tarjan (1979): O(m log n) in the worst case. The iterative algorithm
//! of Cooper, Harvey and Kennedy is shorter, but quadratic where many blocks of a long function jump to one label
//! (`goto out`), which C programs do.

use super::{DepthFirst, Digraph};
use crate::base::id::Id;

/// The dominator tree of the nodes that a root reaches.
#[derive(Clone, Debug)]
pub struct Dominators<N> {
    /// The immediate dominator of each node; the node itself for the root and for nodes not reached.
    idom: Vec<N>,
    /// The children of each node in the tree, in ascending order.
    children: Digraph<N>,
    /// Depth in the tree, 0 for the root.
    level: Vec<u32>,
    /// When a walk of the tree enters each node, and the last time it enters a node below. (1, 0) for nodes not reached.
    span: Vec<(u32, u32)>,
    /// The nodes reached, parents first: the order of that walk.
    preorder: Vec<N>,
}

impl<N: Id> Dominators<N> {
    /// The dominators of `graph` from `root`; `predecessors` is the reversed graph.
    pub fn new(graph: &Digraph<N>, predecessors: &Digraph<N>, root: N) -> Self {
        let len = graph.len();
        let search = DepthFirst::new(graph, [root]);
        let found = immediate(&search, predecessors);
        let mut idom: Vec<N> = graph.nodes().collect();
        for (place, up) in found.into_iter().enumerate().skip(1) {
            idom[search.preorder[place].index()] = search.preorder[up as usize];
        }
        let mut lists: Vec<Vec<N>> = vec![Vec::new(); len];
        for node in graph.nodes().filter(|n| idom[n.index()] != *n) {
            lists[idom[node.index()].index()].push(node);
        }
        let children = Digraph::new(lists);
        let walk = DepthFirst::new(&children, [root]);
        let mut level = vec![0; len];
        let mut span = vec![(1, 0); len];
        for (time, &node) in walk.preorder.iter().enumerate() {
            if time > 0 {
                level[node.index()] = level[idom[node.index()].index()] + 1;
            }
            span[node.index()] = (time as u32, time as u32);
        }
        // The last node entered below each node: from the leaves up.
        for &node in walk.preorder.iter().rev() {
            let last = span[node.index()].1;
            let up = &mut span[idom[node.index()].index()].1;
            *up = last.max(*up);
        }
        Dominators { idom, children, level, span, preorder: walk.preorder }
    }
    /// The immediate dominator; `None` for the root and for nodes not reached.
    pub fn idom(&self, node: N) -> Option<N> {
        let up = self.idom[node.index()];
        (up != node).then_some(up)
    }
    /// Whether every way from the root to `b` goes through `a`; a node dominates itself. False for nodes not reached.
    pub fn dominates(&self, a: N, b: N) -> bool {
        let (first, last) = self.span[a.index()];
        let (at, end) = self.span[b.index()];
        at <= end && first <= at && at <= last
    }
    /// The nodes that `node` immediately dominates.
    pub fn children(&self, node: N) -> &[N] {
        self.children.successors(node)
    }
    /// Depth in the tree, 0 for the root.
    pub fn level(&self, node: N) -> u32 {
        self.level[node.index()]
    }
    /// The nodes reached, every node after its dominators.
    pub fn preorder(&self) -> &[N] {
        &self.preorder
    }
}

/// The immediate dominators, all nodes named by their place in the search's preorder.
fn immediate<N: Id>(search: &DepthFirst<N>, predecessors: &Digraph<N>) -> Vec<u32> {
    let len = search.preorder.len();
    let mut forest = Forest {
        semi: (0..len as u32).collect(),
        label: (0..len as u32).collect(),
        ancestor: vec![NONE; len],
        way: Vec::new(),
    };
    let mut idom = vec![0u32; len];
    // For each node, the nodes whose semidominator it is, as linked lists.
    let (mut first, mut next) = (vec![NONE; len], vec![NONE; len]);
    for w in (1..len as u32).rev() {
        let node = search.preorder[w as usize];
        for &pred in predecessors.successors(node) {
            if search.reached(pred) {
                let u = forest.eval(search.pre[pred.index()]);
                let semi = forest.semi[u as usize];
                let own = &mut forest.semi[w as usize];
                *own = semi.min(*own);
            }
        }
        let semi = forest.semi[w as usize] as usize;
        next[w as usize] = first[semi];
        first[semi] = w;
        let parent = search.pre[search.parent[node.index()].index()];
        forest.ancestor[w as usize] = parent;
        let mut v = std::mem::replace(&mut first[parent as usize], NONE);
        while v != NONE {
            let u = forest.eval(v);
            let earlier = forest.semi[u as usize] < forest.semi[v as usize];
            idom[v as usize] = if earlier { u } else { parent };
            v = next[v as usize];
        }
    }
    for w in 1..len {
        if idom[w] != forest.semi[w] {
            idom[w] = idom[idom[w] as usize];
        }
    }
    idom
}

const NONE: u32 = u32::MAX;

/// The part of the search tree that was dealt with, with compressed ways to its roots.
struct Forest {
    semi: Vec<u32>,
    /// The node of least semidominator on the way from a node to its `ancestor`, which is not counted.
    label: Vec<u32>,
    ancestor: Vec<u32>,
    /// Scratch.
    way: Vec<u32>,
}

impl Forest {
    /// The node of least semidominator on the way from `v` up to its root, which is not counted unless it is `v`.
    fn eval(&mut self, v: u32) -> u32 {
        let mut at = v;
        loop {
            let up = self.ancestor[at as usize];
            if up == NONE || self.ancestor[up as usize] == NONE {
                break;
            }
            self.way.push(at);
            at = up;
        }
        while let Some(node) = self.way.pop() {
            let (node, up) = (node as usize, self.ancestor[node as usize] as usize);
            if self.semi[self.label[up] as usize] < self.semi[self.label[node] as usize] {
                self.label[node] = self.label[up];
            }
            self.ancestor[node] = self.ancestor[up];
        }
        self.label[v as usize]
    }
}
