//! What realizable paths reach from some nodes, forwards or backwards, in two phases.
//!
//! Forwards, the first phase returns from procedures to all their callers and passes calls by their summaries; the second starts
//! from all that the first reached, enters callees and never returns. Backwards, the first phase goes up to callers, the second
//! down into callees. An interference edge forgets the context: what it leads to is reached in the first phase.

use super::Barriers;
use crate::base::bits::IdSet;
use crate::base::id::Id;
use crate::define_id;
use crate::sdg::{Class, LinkId, NodeId, NodeSet, Sdg, Summaries};

define_id!(/// A row of a link, all links' rows numbered.
    RowId, "row");

/// Along the edges, or against them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Forward,
    Backward,
}

/// Which paths count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// All realizable ones.
    Any,
    /// Those that end in the activation they start in: every call they make returns, and they return from no other.
    Same,
}

/// What was reached.
pub(super) struct Reach {
    /// In the first phase.
    pub first: NodeSet,
    /// In any phase.
    pub all: NodeSet,
}

impl Reach {
    /// From these nodes.
    pub fn new(sdg: &Sdg, barriers: &Barriers, from: &[NodeId], direction: Direction, level: Level) -> Reach {
        let summaries = barriers.summaries(sdg);
        let barred = barriers.nodes();
        let (first, second) = (Phase::new(sdg, summaries), Phase::new(sdg, summaries));
        let mut search = Search { sdg, summaries, barred, direction, level, first, second };
        for node in from {
            search.visit(*node, When::First);
        }
        search.run();
        let Search { first, second, .. } = search;
        let mut all = second.nodes;
        all.union_with(&first.nodes);
        Reach { first: first.nodes, all }
    }
}

/// What one phase reached.
struct Phase {
    nodes: NodeSet,
    rows: IdSet<RowId>,
    work: Vec<NodeId>,
}

impl Phase {
    fn new(sdg: &Sdg, summaries: &Summaries) -> Phase {
        let (nodes, rows) = (NodeSet::new(sdg.nodes().len()), IdSet::new(summaries.row_count()));
        Phase { nodes, rows, work: Vec::new() }
    }
}

/// In which phase.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    First,
    Second,
}

struct Search<'a> {
    sdg: &'a Sdg,
    summaries: &'a Summaries,
    barred: Option<&'a NodeSet>,
    direction: Direction,
    level: Level,
    first: Phase,
    /// What is in the first phase need not be here: the first does all that the second does.
    second: Phase,
}

impl Search<'_> {
    fn run(&mut self) {
        loop {
            if let Some(node) = self.first.work.pop() {
                self.leave(node, When::First);
            } else if let Some(node) = self.second.work.pop() {
                if !self.first.nodes.contains(node) {
                    self.leave(node, When::Second);
                }
            } else {
                return;
            }
        }
    }
    fn visit(&mut self, node: NodeId, when: When) {
        if self.barred.is_some_and(|barred| barred.contains(node)) || self.first.nodes.contains(node) {
            return;
        }
        let phase = match when {
            When::First => &mut self.first,
            When::Second => &mut self.second,
        };
        if phase.nodes.insert(node) {
            phase.work.push(node);
        }
    }
    /// Visits what the edges of a node lead to.
    fn leave(&mut self, node: NodeId, when: When) {
        let sdg = self.sdg;
        let (edges, back_to_caller, into_callee) = match self.direction {
            Direction::Forward => (sdg.out(node), Class::Up, Class::Down),
            Direction::Backward => (sdg.into(node), Class::Down, Class::Up),
        };
        for half in edges {
            match (half.tag.class(), self.level) {
                (Class::Within, _) => self.visit(half.node, when),
                (class, level) if class == into_callee => {
                    self.pass_call(node, half.node, when);
                    if level == Level::Any {
                        self.visit(half.node, When::Second);
                    }
                }
                (_, Level::Same) => {}
                (class, Level::Any) if class == back_to_caller => {
                    if when == When::First {
                        self.visit(half.node, when);
                    }
                }
                // Across threads: the context is forgotten.
                (_, Level::Any) => self.visit(half.node, When::First),
            }
        }
    }
    /// Visits what the actual leads to through the callee's formal.
    fn pass_call(&mut self, actual: NodeId, formal: NodeId, when: When) {
        let sdg = self.sdg;
        let (link, slot) = sdg.passage(actual, formal);
        let (pairs, summary) = (&sdg.links[link], self.summaries.of(sdg.links[link].callee));
        match self.direction {
            Direction::Forward => {
                for row in summary.columns.ones(slot) {
                    if !self.is_new(link, row, when) {
                        continue;
                    }
                    for out in summary.outs_of_row(row) {
                        for actual in pairs.outs.of(*out as usize) {
                            self.visit(*actual, when);
                        }
                    }
                }
            }
            Direction::Backward => {
                if let Some(row) = summary.row_of_out(slot).filter(|row| self.is_new(link, *row, when)) {
                    for slot in summary.rows.ones(row) {
                        for actual in pairs.ins.of(slot) {
                            self.visit(*actual, when);
                        }
                    }
                }
            }
        }
    }
    /// Whether a row has to be passed; it then counts as passed.
    fn is_new(&mut self, link: LinkId, row: usize, when: When) -> bool {
        let row = RowId::new(self.summaries.row_number(link, row));
        if self.first.rows.contains(row) {
            return false;
        }
        match when {
            When::First => self.first.rows.insert(row),
            When::Second => self.second.rows.insert(row),
        }
    }
}
