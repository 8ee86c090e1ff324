//! Slices and chops against their definition: explicit call strings, and the relations of matched paths.

use std::collections::{BTreeMap, BTreeSet};

use super::{Barriers, Inside, Level, chop, chop_of, slice};
use crate::base::id::Id;
use crate::sdg::print::{Words, write_procedure};
use crate::sdg::sample::{Random, Size, program};
use crate::sdg::{Class, Edge, NodeId, NodeKind, NodeSet, ProcId, Sdg, SiteId};

type Nodes = BTreeSet<NodeId>;

const SMALL: Size = Size { procs: 4, formals: 2, calls: 2, insts: 4, callees: 2, recursion: false, interference: 0 };

fn plain(set: &NodeSet) -> Nodes {
    set.iter().collect()
}

fn site(sdg: &Sdg, node: NodeId) -> SiteId {
    match sdg.nodes()[node].kind {
        NodeKind::ActualIn(site, _) | NodeKind::ActualOut(site, _) | NodeKind::Call(site) => site,
        kind => panic!("{kind:?} has no site"),
    }
}

fn edges(sdg: &Sdg, barred: &Nodes) -> Vec<Edge> {
    let open = |edge: &Edge| !barred.contains(&edge.from) && !barred.contains(&edge.to);
    sdg.nodes().ids().flat_map(|node| sdg.successors(node)).filter(open).collect()
}

fn dump(sdg: &Sdg) -> String {
    sdg.procedures().ids().map(|proc| write_procedure(sdg, proc, &Words::none())).collect()
}

/// The graph unrolled: a node with the calls that were made to get there and have not returned. What was called before the
/// start is not known, so from no known call a path may return to any.
struct CallStrings {
    configs: Vec<(NodeId, Vec<SiteId>)>,
    number: BTreeMap<(NodeId, Vec<SiteId>), usize>,
    successors: Vec<Vec<usize>>,
}

impl CallStrings {
    /// All that can be reached from any node with no known call, with at most so many known calls.
    fn new(sdg: &Sdg, barred: &Nodes, depth: usize) -> CallStrings {
        let mut all = CallStrings { configs: Vec::new(), number: BTreeMap::new(), successors: Vec::new() };
        for node in sdg.nodes().ids().filter(|node| !barred.contains(node)) {
            all.config(node, Vec::new());
        }
        let mut at = 0;
        while at < all.configs.len() {
            let (node, stack) = all.configs[at].clone();
            let mut next = Vec::new();
            for edge in sdg.successors(node).filter(|edge| !barred.contains(&edge.to)) {
                match edge.kind.class() {
                    Class::Within => next.push(all.config(edge.to, stack.clone())),
                    Class::Down if stack.len() < depth => {
                        let mut deeper = stack.clone();
                        deeper.push(site(sdg, node));
                        next.push(all.config(edge.to, deeper));
                    }
                    Class::Down => {}
                    Class::Up => {
                        let mut rest = stack.clone();
                        if rest.pop().is_none_or(|top| top == site(sdg, edge.to)) {
                            next.push(all.config(edge.to, rest));
                        }
                    }
                    Class::Across => next.push(all.config(edge.to, Vec::new())),
                }
            }
            all.successors.push(next);
            at += 1;
        }
        all
    }
    fn config(&mut self, node: NodeId, stack: Vec<SiteId>) -> usize {
        let configs = &mut self.configs;
        *self.number.entry((node, stack)).or_insert_with_key(|key| {
            configs.push(key.clone());
            configs.len() - 1
        })
    }
    fn starts(&self, nodes: &[NodeId]) -> Vec<usize> {
        nodes.iter().filter_map(|node| self.number.get(&(*node, Vec::new())).copied()).collect()
    }
    fn ends(&self, nodes: &[NodeId]) -> Vec<usize> {
        (0..self.configs.len()).filter(|config| nodes.contains(&self.configs[*config].0)).collect()
    }
    fn reach(&self, from: Vec<usize>, successors: &[Vec<usize>]) -> Vec<bool> {
        let mut seen = vec![false; self.configs.len()];
        let mut work = from;
        while let Some(config) = work.pop() {
            if !std::mem::replace(&mut seen[config], true) {
                work.extend(&successors[config]);
            }
        }
        seen
    }
    fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); self.configs.len()];
        for (from, successors) in self.successors.iter().enumerate() {
            for to in successors {
                found[*to].push(from);
            }
        }
        found
    }
    fn forward_slice(&self, from: &[NodeId]) -> Nodes {
        let seen = self.reach(self.starts(from), &self.successors);
        (0..seen.len()).filter(|config| seen[*config]).map(|config| self.configs[config].0).collect()
    }
    fn backward_slice(&self, to: &[NodeId]) -> Nodes {
        let seen = self.reach(self.ends(to), &self.predecessors());
        let starts = (0..seen.len()).filter(|config| seen[*config] && self.configs[*config].1.is_empty());
        starts.map(|config| self.configs[config].0).collect()
    }
    fn chop(&self, from: &[NodeId], to: &[NodeId]) -> Nodes {
        let after = self.reach(self.starts(from), &self.successors);
        let before = self.reach(self.ends(to), &self.predecessors());
        let both = (0..after.len()).filter(|config| after[*config] && before[*config]);
        both.map(|config| self.configs[config].0).collect()
    }
}

/// Relations between nodes by their definition, as fixpoints over all pairs.
struct Relations {
    len: usize,
    /// By paths on which calls and returns match.
    matched: Vec<Vec<bool>>,
    /// By matched paths and returns.
    up: Vec<Vec<bool>>,
    /// By matched paths and calls.
    down: Vec<Vec<bool>>,
    /// By realizable paths.
    realizable: Vec<Vec<bool>>,
    /// Call and return edges of the same site: actual, formal, formal, actual.
    calls: Vec<[usize; 4]>,
}

type Relation = Vec<Vec<bool>>;

fn closure(relation: &mut Relation) {
    let len = relation.len();
    for middle in 0..len {
        let row = relation[middle].clone();
        for from in relation.iter_mut().filter(|from| from[middle]) {
            for (to, reached) in row.iter().enumerate() {
                from[to] |= *reached;
            }
        }
    }
}

impl Relations {
    fn new(sdg: &Sdg, barred: &Nodes) -> Relations {
        let len = sdg.nodes().len();
        let edges = edges(sdg, barred);
        let of = |class: Class| edges.iter().filter(move |edge| edge.kind.class() == class);
        let mut calls = Vec::new();
        for down in of(Class::Down) {
            for up in of(Class::Up).filter(|up| site(sdg, up.to) == site(sdg, down.from)) {
                calls.push([down.from.index(), down.to.index(), up.from.index(), up.to.index()]);
            }
        }
        let mut matched = vec![vec![false; len]; len];
        for node in (0..len).filter(|node| !barred.contains(&NodeId::new(*node))) {
            matched[node][node] = true;
        }
        for edge in of(Class::Within) {
            matched[edge.from.index()][edge.to.index()] = true;
        }
        closure(&mut matched);
        loop {
            let new: Vec<_> = calls.iter().filter(|[a, i, o, b]| matched[*i][*o] && !matched[*a][*b]).collect();
            if new.is_empty() {
                break;
            }
            for [a, _, _, b] in new {
                matched[*a][*b] = true;
            }
            closure(&mut matched);
        }
        let with = |class: Class| {
            let mut relation = matched.clone();
            for edge in of(class) {
                relation[edge.from.index()][edge.to.index()] = true;
            }
            closure(&mut relation);
            relation
        };
        let (up, down) = (with(Class::Up), with(Class::Down));
        let mut realizable = vec![vec![false; len]; len];
        for from in 0..len {
            for middle in (0..len).filter(|middle| up[from][*middle]) {
                for to in 0..len {
                    realizable[from][to] |= down[middle][to];
                }
            }
        }
        Relations { len, matched, up, down, realizable, calls }
    }
    /// The same-level chop.
    fn same_level(&self, from: &[NodeId], to: &[NodeId], inside: Inside) -> Nodes {
        let after = |node: usize| from.iter().any(|from| self.matched[from.index()][node]);
        let before = |node: usize| to.iter().any(|to| self.matched[node][to.index()]);
        self.with_inside(inside, |a, b| after(a) && before(b))
    }
    /// The chop over all realizable paths, without interference.
    fn unbound(&self, from: &[NodeId], to: &[NodeId], inside: Inside) -> Nodes {
        let some = |relation: &Relation, ends: &[NodeId], node: usize, forward: bool| {
            ends.iter().any(|end| if forward { relation[end.index()][node] } else { relation[node][end.index()] })
        };
        self.with_inside(inside, |a, b| {
            (some(&self.up, from, a, true) && some(&self.realizable, to, b, false))
                || (some(&self.realizable, from, a, true) && some(&self.down, to, b, false))
        })
    }
    /// The nodes of which `passes` holds, and those inside the calls between two of which it does.
    fn with_inside(&self, inside: Inside, passes: impl Fn(usize, usize) -> bool) -> Nodes {
        let mut nodes: BTreeSet<usize> = (0..self.len).filter(|node| passes(*node, *node)).collect();
        if inside == Inside::Shown {
            let mut wanted: BTreeSet<(usize, usize)> = BTreeSet::new();
            loop {
                let before = wanted.len();
                for [a, i, o, b] in &self.calls {
                    let deeper = |(from, to): &(usize, usize)| self.matched[*from][*a] && self.matched[*b][*to];
                    if self.matched[*i][*o] && (passes(*a, *b) || wanted.iter().any(deeper)) {
                        wanted.insert((*i, *o));
                    }
                }
                if wanted.len() == before {
                    break;
                }
            }
            for (from, to) in wanted {
                nodes.extend((0..self.len).filter(|node| self.matched[from][*node] && self.matched[*node][to]));
            }
        }
        nodes.into_iter().map(NodeId::new).collect()
    }
}

/// A graph, some sources and sinks, and, in half of the cases, barriers.
fn case(seed: u64, size: Size) -> (Sdg, Vec<NodeId>, Vec<NodeId>, Nodes) {
    let mut random = Random(seed);
    let sdg = program(&mut random, size);
    let ids: Vec<NodeId> = sdg.nodes().ids().collect();
    let some = |random: &mut Random| (0..=random.below(3)).map(|_| random.pick(&ids)).collect::<Vec<_>>();
    let (from, to) = (some(&mut random), some(&mut random));
    let barred = if random.percent(50) { some(&mut random).into_iter().collect() } else { Nodes::new() };
    (sdg, from, to, barred)
}

/// How many calls can be open at once, without repeating what a shorter path could do: the calls that stay open enter no formal
/// twice, those that return nest no pair of formals twice, and what is passed on the way is as deep again.
fn depth(sdg: &Sdg) -> usize {
    let ins: usize = sdg.procedures().iter().map(|procedure| procedure.ins.len()).sum();
    let pairs: usize = sdg.procedures().iter().map(|procedure| procedure.ins.len() * procedure.outs.len()).sum();
    ins + 2 * pairs
}

fn check_call_strings(seeds: std::ops::Range<u64>, size: Size, depth: impl Fn(&Sdg) -> usize) -> usize {
    let mut interesting = 0;
    for seed in seeds {
        let (sdg, from, to, barred) = case(seed, size);
        let barriers = Barriers::new(&sdg, barred.iter().copied());
        let naive = CallStrings::new(&sdg, &barred, depth(&sdg));
        let context = || format!("seed {seed}, {from:?} to {to:?} without {barred:?}\n{}", dump(&sdg));
        assert_eq!(plain(&slice::forward(&sdg, &from, &barriers)), naive.forward_slice(&from), "forward {}", context());
        assert_eq!(plain(&slice::backward(&sdg, &to, &barriers)), naive.backward_slice(&to), "backward {}", context());
        let found = plain(&chop(&sdg, &from, &to, &barriers).nodes);
        let expected = naive.chop(&from, &to);
        assert_eq!(found, expected, "chop {}", context());
        let slices = slice::forward(&sdg, &from, &barriers).intersection(&slice::backward(&sdg, &to, &barriers));
        interesting += usize::from(!expected.is_empty() && expected.len() < slices.count());
    }
    interesting
}

#[test]
fn slices_and_chops_are_those_of_call_strings() {
    let depth = |sdg: &Sdg| sdg.procedures().len();
    let interesting = check_call_strings(0..4000, SMALL, depth);
    assert!(interesting > 50, "chops that are less than the intersection of slices: {interesting}");
    check_call_strings(0..3000, Size { interference: 2, ..SMALL }, depth);
}

#[test]
fn slices_and_chops_of_recursive_programs_are_those_of_call_strings() {
    let tiny = Size { procs: 2, formals: 1, calls: 1, insts: 3, callees: 1, recursion: true, interference: 0 };
    check_call_strings(0..600, tiny, depth);
    check_call_strings(0..400, Size { interference: 1, ..tiny }, depth);
    let self_calls = Size { procs: 1, formals: 2, calls: 1, insts: 4, ..tiny };
    check_call_strings(0..600, self_calls, depth);
}

#[test]
fn chops_are_those_of_the_relations_of_paths() {
    let mut found_inside = 0;
    for (size, seeds) in [
        (SMALL, 0..1500),
        (Size { recursion: true, ..SMALL }, 0..3000),
        (Size { recursion: true, formals: 4, insts: 8, procs: 3, ..SMALL }, 0..700),
    ] {
        for seed in seeds {
            let (sdg, from, to, barred) = case(seed, size);
            let barriers = Barriers::new(&sdg, barred.iter().copied());
            let naive = Relations::new(&sdg, &barred);
            let context = || format!("seed {seed}, {from:?} to {to:?} without {barred:?}\n{}", dump(&sdg));
            for inside in [Inside::Truncated, Inside::Shown] {
                let found = plain(&chop_of(&sdg, &from, &to, &barriers, Level::Same, inside).nodes);
                assert_eq!(found, naive.same_level(&from, &to, inside), "same level {inside:?} {}", context());
                let found = plain(&chop_of(&sdg, &from, &to, &barriers, Level::Any, inside).nodes);
                assert_eq!(found, naive.unbound(&from, &to, inside), "any level {inside:?} {}", context());
            }
            let after: Nodes = (0..naive.len)
                .map(NodeId::new)
                .filter(|node| from.iter().any(|from| naive.realizable[from.index()][node.index()]))
                .collect();
            assert_eq!(plain(&slice::forward(&sdg, &from, &barriers)), after, "forward {}", context());
            let before: Nodes = (0..naive.len)
                .map(NodeId::new)
                .filter(|node| to.iter().any(|to| naive.realizable[node.index()][to.index()]))
                .collect();
            assert_eq!(plain(&slice::backward(&sdg, &to, &barriers)), before, "backward {}", context());
            let with = naive.unbound(&from, &to, Inside::Shown).len();
            found_inside += usize::from(with > naive.unbound(&from, &to, Inside::Truncated).len());
        }
    }
    assert!(found_inside > 100, "chops with nodes inside calls: {found_inside}");
}

#[test]
fn summaries_are_those_of_the_relations_of_paths() {
    let mut pairs = 0;
    for seed in 0..3000 {
        let (sdg, _, _, barred) = case(seed, Size { recursion: seed % 2 == 0, formals: 3, ..SMALL });
        let barriers = Barriers::new(&sdg, barred.iter().copied());
        for (summaries, barred) in [(sdg.summaries(), &Nodes::new()), (barriers.summaries(&sdg), &barred)] {
            let naive = Relations::new(&sdg, barred);
            for (id, procedure) in sdg.procedures().enumerate() {
                let summary = summaries.of(id);
                for (i, from) in procedure.ins.iter().enumerate() {
                    for (o, to) in procedure.outs.iter().enumerate() {
                        let expected = naive.matched[from.index()][to.index()];
                        assert_eq!(summary.depends(o, i), expected, "{from} {to}, seed {seed}\n{}", dump(&sdg));
                        pairs += usize::from(expected);
                    }
                }
            }
            for node in sdg.nodes().ids() {
                let expected: Nodes = (naive.calls.iter())
                    .filter(|[a, i, o, _]| *a == node.index() && naive.matched[*i][*o])
                    .map(|[.., b]| NodeId::new(*b))
                    .collect();
                let found = summaries.successors(&sdg, node).into_iter().filter(|to| !barred.contains(to));
                let found: Nodes = if barred.contains(&node) { Nodes::new() } else { found.collect() };
                assert_eq!(found, expected, "{node}, seed {seed}\n{}", dump(&sdg));
                for to in summaries.successors(&sdg, node) {
                    assert!(summaries.predecessors(&sdg, to).contains(&node), "{node} {to}, seed {seed}");
                }
                for from in summaries.predecessors(&sdg, node) {
                    assert!(summaries.successors(&sdg, from).contains(&node), "{from} {node}, seed {seed}");
                }
            }
        }
    }
    assert!(pairs > 5000, "pairs: {pairs}");
}

#[test]
fn edges_of_a_chop_join_its_nodes() {
    for seed in 0..200 {
        let (sdg, from, to, barred) = case(seed, Size { recursion: true, interference: 1, ..SMALL });
        let barriers = Barriers::new(&sdg, barred.iter().copied());
        let chop = chop(&sdg, &from, &to, &barriers);
        let found: Vec<Edge> = chop.edges(&sdg, &barriers).collect();
        let stored =
            edges(&sdg, &barred).into_iter().filter(|e| chop.nodes.contains(e.from) && chop.nodes.contains(e.to));
        let (summaries, others): (Vec<Edge>, Vec<Edge>) =
            found.into_iter().partition(|edge| edge.kind == crate::sdg::EdgeKind::Summary);
        assert_eq!(others, stored.collect::<Vec<_>>());
        let naive = Relations::new(&sdg, &barred);
        for edge in summaries {
            assert!(chop.nodes.contains(edge.from) && chop.nodes.contains(edge.to));
            assert!(naive.matched[edge.from.index()][edge.to.index()]);
        }
    }
}

#[test]
fn wide_interfaces_take_several_stripes() {
    use crate::ir::{FuncId, ValueId};
    use crate::sdg::control::LoopMove;
    use crate::sdg::sample::NOWHERE;
    use crate::sdg::{EdgeKind, Formal, SdgBuilder};
    // main passes 2500 groups through a procedure that hands each on to the group two places further, and the last two to none.
    let wide = 2500;
    let mut b = SdgBuilder::new();
    b.procedure(FuncId(0), NOWHERE);
    let (site, call) = b.call(ValueId(0), NOWHERE, None);
    let actual_ins: Vec<NodeId> =
        (0..wide).map(|g| b.node(NodeKind::ActualIn(site, Formal::Memory(g)), NOWHERE, None)).collect();
    let actual_outs: Vec<NodeId> =
        (0..wide).map(|g| b.node(NodeKind::ActualOut(site, Formal::Memory(g)), NOWHERE, None)).collect();
    let entry = b.procedure(FuncId(1), NOWHERE);
    let ins: Vec<NodeId> = (0..wide).map(|g| b.node(NodeKind::FormalIn(Formal::Memory(g)), NOWHERE, None)).collect();
    let insts: Vec<NodeId> = (0..wide).map(|g| b.node(NodeKind::Inst(ValueId(g)), NOWHERE, None)).collect();
    let outs: Vec<NodeId> = (0..wide).map(|g| b.node(NodeKind::FormalOut(Formal::Memory(g)), NOWHERE, None)).collect();
    b.edge(call, entry, EdgeKind::Call, LoopMove::default());
    for g in 0..wide as usize {
        b.edge(actual_ins[g], ins[g], EdgeKind::ParamIn, LoopMove::default());
        b.edge(ins[g], insts[g], EdgeKind::Memory, LoopMove::default());
        b.edge(outs[g], actual_outs[g], EdgeKind::ParamOut, LoopMove::default());
        if let Some(out) = outs.get(g + 2) {
            b.edge(insts[g], *out, EdgeKind::Memory, LoopMove::default());
        }
    }
    let sdg = b.finish();
    assert_eq!(sdg.summaries().of(ProcId(1)).pairs(), wide as usize - 2);
    let found = chop(&sdg, &actual_ins, &[actual_outs[2000]], &Barriers::none());
    let expected = [actual_ins[1998], ins[1998], insts[1998], outs[2000], actual_outs[2000]];
    assert_eq!(plain(&found.nodes), expected.into_iter().collect());
    let barriers = Barriers::new(&sdg, [insts[1998]]);
    assert!(chop(&sdg, &actual_ins, &[actual_outs[2000]], &barriers).is_empty());
    assert_eq!(slice::backward(&sdg, &actual_outs, &barriers).count(), 5 * wide as usize - 9);
}
