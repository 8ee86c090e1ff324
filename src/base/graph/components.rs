//! Strongly connected components (Tarjan 1972, without recursion). Linear.

use super::Digraph;
use crate::base::id::Id;

/// The strongly connected components of a graph, numbered so that an edge between two of them leads to the lower number.
#[derive(Clone, Debug)]
pub struct Components<N> {
    /// The component of each node.
    of: Vec<u32>,
    /// `members[starts[c]..starts[c + 1]]` are the nodes of component `c`.
    starts: Vec<u32>,
    members: Vec<N>,
}

impl<N: Id> Components<N> {
    /// The components of all nodes.
    pub fn new(graph: &Digraph<N>) -> Self {
        const NONE: u32 = u32::MAX;
        let len = graph.len();
        let mut found = Components { of: vec![NONE; len], starts: vec![0], members: Vec::with_capacity(len) };
        let mut low = vec![NONE; len];
        let mut entered = 0;
        // Nodes whose component is not complete, in the order they were entered.
        let mut open: Vec<N> = Vec::new();
        // The way to the node at work: node, its number, its next successor.
        let mut path: Vec<(N, u32, u32)> = Vec::new();
        for root in graph.nodes() {
            if low[root.index()] != NONE {
                continue;
            }
            path.push((root, entered, 0));
            low[root.index()] = entered;
            entered += 1;
            open.push(root);
            while let Some((node, number, next)) = path.last_mut() {
                let (node, number) = (*node, *number);
                if let Some(&succ) = graph.successors(node).get(*next as usize) {
                    *next += 1;
                    if low[succ.index()] == NONE {
                        path.push((succ, entered, 0));
                        low[succ.index()] = entered;
                        entered += 1;
                        open.push(succ);
                    } else if found.of[succ.index()] == NONE {
                        low[node.index()] = low[node.index()].min(low[succ.index()]);
                    }
                    continue;
                }
                path.pop();
                if low[node.index()] == number {
                    found.close(node, &mut open);
                }
                if let Some((up, _, _)) = path.last() {
                    // A component that is complete has a number above its entry's: the minimum does not change.
                    low[up.index()] = low[up.index()].min(low[node.index()]);
                }
            }
        }
        found
    }
    /// Makes a component of the open nodes from `root` on.
    fn close(&mut self, root: N, open: &mut Vec<N>) {
        let component = self.starts.len() as u32 - 1;
        while let Some(member) = open.pop() {
            self.of[member.index()] = component;
            self.members.push(member);
            if member == root {
                break;
            }
        }
        self.starts.push(self.members.len() as u32);
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }
    /// Whether the graph has no node.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The component of a node.
    pub fn of(&self, node: N) -> usize {
        self.of[node.index()] as usize
    }
    /// The nodes of a component.
    pub fn members(&self, component: usize) -> &[N] {
        &self.members[self.starts[component] as usize..self.starts[component + 1] as usize]
    }
    /// All nodes, component by component: what an edge leads to comes first, or is in the same component.
    pub fn members_in_order(&self) -> &[N] {
        &self.members
    }
}
