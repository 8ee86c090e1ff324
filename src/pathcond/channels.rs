//! What an observer cannot tell apart: calls of one function, of which each execution of a branch makes exactly one.
//!
//! Whoever watches a domain sees the sequence of its events, the values and calls at its sinks, and not which line made them. `if (s) sink(1); else sink(1);` shows
//! the same whatever `s` is. Here such calls are [`Merged`]: the places of sinks of *one* domain, all of them, go in, and sets of them come out.
//!
//! *What is merged.* From a branch `b` on, walk forward in the flow graph, and count the domain's events. The walk covers blocks all of whose predecessors it covers
//! (so `b` dominates them, and there is no cycle), in the loops of `b` and no others. It stops where the count would not be the same by all ways, at the end of the function,
//! and at whatever may do more than is seen: a call that may not return, or that may come to an event of the domain; something else of the domain than a clean call. The
//! least count at which it stops somewhere is the *limit*. For `k` below the limit, every execution of `b` is followed by exactly one `k`-th event,
//! which belongs to this execution of `b` and to no other. If the `k`-th events are calls of one function by its name, with the same places of the domain in each, they are merged.
//!
//! *Why that is sound.* Let the `k`-th events not be where they are, but one virtual event `V` at `b`, with the values that the event will have. (1) The sequence of events
//! stays what it is: of each run that comes to `b`, nothing of the domain lies between `b` and the first event, nor between one that is merged and the next,
//! and no way leads out: no `exit`, no return, no second turn. A run that stays forever in a call between the two shows more than it did; two runs that could be told apart still can be, for
//! running forever is only told from going on by what comes later (where it counts as visible, such calls are ones that may not return, and stop the walk). (2) If two runs differ, then in the
//! instance of some event, as always (`system`): it is executed by one run only, or by both with different values. If it is `V` and by one only, then so is `b`: the point
//! (`b`, *only*) is reached. If both execute `V` with different values, either both make the same call, and what *differs* there is found as always; or they make different ones.
//! Then they part at a predicate `p`, at `b` or after it and before the event, that both execute with different outcomes: the point (`p`, *differs*) is reached, in the
//! frame of `p`, which is that of `b` and of the calls. There the conditions hold under which one run makes the one call and the other the other, and some observed value
//! differs ([`Values::ending`]). So instead of what *only* one run executes, these are the ends of paths. (3) Each set is for one of the places that a selector finds at a call (a call has
//! several if arguments are selected one by one). A question about one member asks for the partings that this member takes part in, on either side; its partner's question is
//! told of them, too. (4) A question with exceptions inside a set is asked without merging.
//!
//! Memory that is observed must be the same version at all members: then either it differs there between the runs, which is found as always, or it is equal if the pointers to it are.
//!
//! Not merged: calls in functions that the arms call, events that are no calls, calls through pointers, arms with a loop before the event.
//!
//! Cost: a walk of at most `MOST_BLOCKS` blocks for each branch of a function with two clean calls.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::leaves::Run;
use super::system::{Point, State};
use super::values::{FrameId, Values};
use crate::base::graph::LoopId;
use crate::ir::{BlockId, Body, Callee, FuncId, InstKind, Operand, Program, Terminator, ValueId};
use crate::pointsto::PointsTo;
use crate::sdg::control::LoopMove;
use crate::sdg::{ControlLabel, EdgeKind, Formal, NodeId, NodeKind, NodeSet, Sdg, SiteId};
use crate::solve::eval::{Assignment, eval};
use crate::solve::term::TermId;

/// A place of a sink.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    /// Its nodes.
    pub nodes: &'p [NodeId],
    /// Whether only values are seen.
    pub values_only: bool,
}

/// A place in a set of those that are not told apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// The call.
    pub call: NodeId,
    /// The nodes of the place, ascending.
    pub nodes: Vec<NodeId>,
    /// The arguments that are seen.
    pub seen: Vec<Operand>,
}

/// Places of which each execution of a branch comes to exactly one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// The branch.
    pub branch: NodeId,
    /// The predicates that choose between the places: the branch, and others after it, ascending.
    pub choices: Vec<NodeId>,
    /// The places, by call.
    pub members: Vec<Member>,
}

impl Merged {
    /// Whether one of the places is among these nodes, with all that belongs to it.
    pub fn concerns(&self, to: &NodeSet) -> bool {
        self.members.iter().any(|member| member.is_in(to))
    }
    /// Whether a node belongs to one of the places that are among these nodes.
    pub fn has(&self, node: NodeId, to: &NodeSet) -> bool {
        self.members.iter().any(|member| member.nodes.contains(&node) && member.is_in(to))
    }
    /// Whether it has one of these nodes.
    pub fn touches(&self, nodes: &NodeSet) -> bool {
        let members = self.members.iter().flat_map(|member| member.nodes.iter().chain([&member.call]));
        self.choices.iter().chain(members).any(|node| nodes.contains(*node))
    }
}

impl Merged {
    /// Whether a path may end at a point because the runs part there for the places, or because only one run comes to them.
    pub fn ends_at(&self, point: Point) -> bool {
        match point.state {
            State::Differs => self.choices.contains(&point.node),
            State::Only(_) => point.node == self.branch,
            State::Memory(_) => false,
        }
    }
}

impl Member {
    /// Whether the place is among these nodes.
    fn is_in(&self, to: &NodeSet) -> bool {
        self.nodes.iter().all(|node| to.contains(*node))
    }
}

impl Values<'_> {
    /// What must hold where a path ends, if it ends because of one of these sets.
    pub fn ending(&mut self, frame: FrameId, point: Point, merged: &[&Merged], to: &NodeSet) -> Option<TermId> {
        if to.contains(point.node) {
            return None;
        }
        let mut ways: Vec<TermId> = Vec::new();
        for merged in merged.iter().filter(|merged| merged.ends_at(point)) {
            ways.push(match point.state {
                State::Differs => self.parted(frame, merged, to),
                State::Only(run) | State::Memory(run) => self.comes(frame, run, merged, to),
            });
        }
        (!ways.is_empty()).then(|| self.terms.or(&ways))
    }
    /// The call that a run comes to, by a model of what holds at an end of a path.
    pub fn shown(
        &mut self,
        frame: FrameId,
        point: Point,
        merged: &[&Merged],
        to: &NodeSet,
        model: &Assignment,
    ) -> Option<(NodeId, Run)> {
        let runs: &[Run] = match point.state {
            State::Differs => &Run::BOTH,
            State::Only(Run::A) | State::Memory(Run::A) => &[Run::A],
            State::Only(Run::B) | State::Memory(Run::B) => &[Run::B],
        };
        let sets = merged.iter().filter(|merged| !to.contains(point.node) && merged.ends_at(point));
        let calls = sets.flat_map(|merged| &merged.members).filter(|member| member.is_in(to)).map(|member| member.call);
        let calls: Vec<NodeId> = calls.collect();
        let ways = calls.iter().flat_map(|call| runs.iter().map(|run| (*call, *run)));
        let mut comes = |(call, run): &(NodeId, Run)| {
            let term = self.executed(frame, *run, *call);
            eval(&self.terms, term, model).bool()
        };
        ways.clone().find(|way| comes(way)).or_else(|| ways.clone().next())
    }
    /// That the runs, at a predicate of a set, part for different places of it, one of them in `to`, with different values. Necessary.
    fn parted(&mut self, frame: FrameId, merged: &Merged, to: &NodeSet) -> TermId {
        let mut ways: Vec<TermId> = Vec::new();
        for (i, a) in merged.members.iter().enumerate() {
            for (j, b) in merged.members.iter().enumerate() {
                if i != j && (a.is_in(to) || b.is_in(to)) {
                    let parts = [
                        self.executed(frame, Run::A, a.call),
                        self.executed(frame, Run::B, b.call),
                        self.unlike(frame, a, b),
                    ];
                    ways.push(self.terms.and(&parts));
                }
            }
        }
        self.terms.or(&ways)
    }
    /// That a run comes to one of the places that are in `to`. Necessary.
    fn comes(&mut self, frame: FrameId, run: Run, merged: &Merged, to: &NodeSet) -> TermId {
        let members = merged.members.iter().filter(|member| member.is_in(to));
        let ways: Vec<TermId> = members.map(|member| self.executed(frame, run, member.call)).collect();
        self.terms.or(&ways)
    }
    /// That what is seen at `a` in the first run is not what is seen at `b` in the second.
    fn unlike(&mut self, frame: FrameId, a: &Member, b: &Member) -> TermId {
        let mut ways: Vec<TermId> = Vec::new();
        let is_source = |member: &Member| member.nodes.iter().any(|node| self.arbitrary.contains(*node));
        if is_source(a) || is_source(b) {
            return self.terms.truth();
        }
        for (one, other) in a.seen.iter().zip(&b.seen) {
            let pair = (self.operand(frame, Run::A, *one), self.operand(frame, Run::B, *other));
            ways.push(match pair {
                (Some(one), Some(other)) if self.terms.sort(one) == self.terms.sort(other) => self.terms.ne(one, other),
                // What is not expressed may differ.
                (_, _) => self.terms.truth(),
            });
        }
        self.terms.or(&ways)
    }
}

/// The places of one domain that are not told apart. All places of the domain must be given.
pub fn merge(program: &Program, sdg: &Sdg, points_to: &PointsTo, places: &[Place<'_>]) -> Vec<Merged> {
    let Some(events) = Events::new(program, sdg, points_to, places) else { return Vec::new() };
    let mut found: Vec<Merged> = Vec::new();
    for (&func, sites) in &events.sites {
        if sites.len() < 2 {
            continue;
        }
        let Some(body) = program.functions[func].body.as_ref() else { continue };
        let mut taken: FxHashSet<SiteId> = FxHashSet::default();
        let before = body.predecessors();
        for block in body.blocks.ids() {
            let Some(walk) = Walk::new(&events, func, body, &before, block) else { continue };
            for (level, sites) in walk.levels.iter().enumerate().take(walk.limit) {
                // The first branch has the largest set.
                if sites.len() < 2 || sites.iter().any(|site| taken.contains(site)) {
                    continue;
                }
                let merged = events.merged(&walk, level, sites);
                if !merged.is_empty() {
                    taken.extend(sites);
                }
                found.extend(merged);
            }
        }
    }
    found
}

/// What of a place is seen: whether the call itself, which parameters, which memory.
type Seen = (bool, Vec<u32>, Vec<u32>);

/// The events of a domain.
struct Events<'e> {
    program: &'e Program,
    sdg: &'e Sdg,
    points_to: &'e PointsTo,
    /// Calls that are nothing but their arguments and that they happen, each with its places.
    clean: BTreeMap<SiteId, Vec<(Seen, Vec<NodeId>)>>,
    /// The clean calls of each function.
    sites: BTreeMap<FuncId, Vec<SiteId>>,
    by_inst: FxHashMap<(FuncId, ValueId), SiteId>,
    /// Instructions that are something else of the domain.
    other: FxHashSet<(FuncId, ValueId)>,
    /// Blocks whose start, end or edges are of the domain.
    blocks: FxHashSet<(FuncId, BlockId)>,
    /// Functions that may come to an event.
    eventful: FxHashSet<FuncId>,
}

impl<'e> Events<'e> {
    /// `None` if nothing can be told.
    fn new(program: &'e Program, sdg: &'e Sdg, points_to: &'e PointsTo, places: &[Place<'_>]) -> Option<Events<'e>> {
        let mut events = Events {
            program,
            sdg,
            points_to,
            clean: BTreeMap::new(),
            sites: BTreeMap::new(),
            by_inst: FxHashMap::default(),
            other: FxHashSet::default(),
            blocks: FxHashSet::default(),
            eventful: FxHashSet::default(),
        };
        let mut rest: Vec<NodeId> = Vec::new();
        for place in places {
            match seen(sdg, place.nodes).filter(|_| !place.values_only) {
                Some((site, seen)) => {
                    let mut nodes = place.nodes.to_vec();
                    nodes.sort_unstable();
                    events.clean.entry(site).or_default().push((seen, nodes));
                }
                None => rest.extend(place.nodes),
            }
        }
        for places in events.clean.values_mut() {
            places.sort_unstable();
        }
        for node in rest {
            events.note(node)?;
        }
        let others = &events.other;
        let (sites, funcs) = (sdg.sites(), |site: SiteId| sdg.procedures()[sdg.sites()[site].proc].func);
        events.clean.retain(|site, _| !others.contains(&(funcs(*site), sites[*site].inst)));
        for site in events.clean.keys() {
            let (func, inst) = (funcs(*site), sites[*site].inst);
            events.sites.entry(func).or_default().push(*site);
            events.by_inst.insert((func, inst), *site);
            events.eventful.insert(func);
        }
        events.close();
        Some(events)
    }
    /// Something of the domain that is no clean call.
    fn note(&mut self, node: NodeId) -> Option<()> {
        let func = self.sdg.function(node);
        self.eventful.insert(func);
        let body = self.program.functions[func].body.as_ref()?;
        match self.sdg.nodes()[node].kind {
            NodeKind::Inst(inst) | NodeKind::MemoryDef { inst, .. } => {
                self.other.insert((func, inst));
            }
            NodeKind::ActualIn(site, _) | NodeKind::ActualOut(site, _) | NodeKind::Call(site) => {
                self.other.insert((func, self.sdg.sites()[site].inst));
            }
            NodeKind::Predicate(block) | NodeKind::Return(block) | NodeKind::MemoryPhi { block, .. } => {
                self.blocks.insert((func, block));
            }
            NodeKind::PhiOperand { phi, operand } => {
                self.other.insert((func, phi));
                let InstKind::Phi(operands) = &body.insts[phi].kind else { return None };
                self.blocks.insert((func, operands[operand as usize].0));
            }
            // At the function's start or end.
            NodeKind::Entry | NodeKind::FormalIn(_) | NodeKind::FormalOut(_) => {}
            NodeKind::Shared(_) => return None,
        }
        Some(())
    }
    /// Functions that call eventful ones are eventful.
    fn close(&mut self) {
        let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
        let mut work: Vec<FuncId> = self.eventful.iter().copied().collect();
        for site in self.sdg.sites() {
            let caller = self.sdg.procedures()[site.proc].func;
            for target in self.points_to.targets(caller, site.inst) {
                callers.entry(target.callee).or_default().push(caller);
            }
            if self.points_to.calls_outside(caller, site.inst) && self.eventful.insert(caller) {
                work.push(caller);
            }
        }
        while let Some(func) = work.pop() {
            for caller in callers.get(&func).into_iter().flatten() {
                if self.eventful.insert(*caller) {
                    work.push(*caller);
                }
            }
        }
    }
    /// Whether a call surely returns, once, and comes to no event on the way, or stays forever.
    fn is_harmless(&self, func: FuncId, inst: ValueId) -> bool {
        let Some(site) = self.site(func, inst) else { return false };
        let Some((callee, _)) = self.call(site) else { return false };
        let returns = |node: &NodeId| matches!(self.sdg.nodes()[*node].kind, NodeKind::ActualOut(_, Formal::Returns));
        let targets = self.points_to.targets(func, inst);
        !self.sdg.sites()[site].outs.iter().any(returns)
            && !targets.iter().map(|target| target.callee).chain([callee]).any(|to| self.eventful.contains(&to))
            && !self.points_to.calls_outside(func, inst)
    }
    /// The site of a call.
    fn site(&self, func: FuncId, inst: ValueId) -> Option<SiteId> {
        let procedure = &self.sdg.procedures()[self.sdg.procedure_of(func)?];
        procedure.sites().find(|site| self.sdg.sites()[*site].inst == inst)
    }
    /// The sets of the events of a level: one for each of the places that they all have.
    fn merged(&self, walk: &Walk, level: usize, sites: &[SiteId]) -> Vec<Merged> {
        let none = Vec::new();
        let choices = &walk.choices[level];
        let Some(predicates) = self.predicates(walk.func, choices) else { return none };
        let Some(branch) = predicates.first().map(|(_, node)| *node) else { return none };
        let mut choices: Vec<NodeId> = predicates.iter().map(|(_, node)| *node).collect();
        choices.sort_unstable();
        // Nothing else makes one of them happen, nor one of the choices after the branch.
        let hangs_on_choices = |node: NodeId| {
            self.sdg.predecessors(node).all(|edge| match edge.kind {
                EdgeKind::Control(ControlLabel::Branch(_)) => choices.contains(&edge.from) && edge.moves.back.is_none(),
                EdgeKind::Control(ControlLabel::Entry | ControlLabel::Call | ControlLabel::Returned)
                | EdgeKind::Call
                | EdgeKind::ParamIn
                | EdgeKind::ParamOut
                | EdgeKind::Summary
                | EdgeKind::Interference => false,
                EdgeKind::Data | EdgeKind::Memory | EdgeKind::Order => true,
            })
        };
        let calls = sites.iter().map(|site| self.sdg.sites()[*site].call);
        if !calls.chain(choices.iter().copied().filter(|node| *node != branch)).all(hangs_on_choices) {
            return none;
        }
        let Some(calls) = sites.iter().map(|site| self.call(*site)).collect::<Option<Vec<_>>>() else { return none };
        let alike = |at: usize| {
            let (one, other) = (&self.clean[&sites[0]], &self.clean[&sites[at]]);
            let same_places = one.iter().map(|(seen, _)| seen).eq(other.iter().map(|(seen, _)| seen));
            calls[0].0 == calls[at].0 && calls[0].1.len() == calls[at].1.len() && same_places
        };
        if !(1..sites.len()).all(alike) {
            return none;
        }
        let of_place = |index: usize| {
            let mut members: Vec<Member> = Vec::new();
            for (site, (_, args)) in sites.iter().zip(&calls) {
                let ((_, params, _), nodes) = &self.clean[site][index];
                let seen = params.iter().map(|param| args.get(*param as usize).copied()).collect::<Option<_>>()?;
                members.push(Member { call: self.sdg.sites()[*site].call, nodes: nodes.clone(), seen });
            }
            members.sort_unstable_by_key(|member| member.call);
            let versions: Vec<_> = members.iter().map(|member| self.versions(&member.nodes)).collect();
            let same = versions.iter().all(|versions| versions.is_some() && *versions == versions_of(&members, self));
            same.then(|| Merged { branch, choices: choices.clone(), members })
        };
        let sets: Option<Vec<Merged>> = (0..self.clean[&sites[0]].len()).map(of_place).collect();
        sets.unwrap_or_default()
    }
    /// The function that a call names, and what it passes.
    fn call(&self, site: SiteId) -> Option<(FuncId, &'e [Operand])> {
        let site = &self.sdg.sites()[site];
        let body = self.program.functions[self.sdg.procedures()[site.proc].func].body.as_ref()?;
        match &body.insts[site.inst].kind {
            InstKind::Call { callee: Callee::Direct(callee), args } => Some((*callee, args)),
            _ => None,
        }
    }
    /// The nodes of blocks' choices.
    fn predicates(&self, func: FuncId, blocks: &[BlockId]) -> Option<Vec<(BlockId, NodeId)>> {
        let procedure = &self.sdg.procedures()[self.sdg.procedure_of(func)?];
        let mut found: FxHashMap<BlockId, NodeId> = FxHashMap::default();
        for node in procedure.nodes() {
            if let NodeKind::Predicate(block) = self.sdg.nodes()[node].kind {
                found.insert(block, node);
            }
        }
        blocks.iter().map(|block| Some((*block, *found.get(block)?))).collect()
    }
    /// Where the memory at a place comes from, by group; `None` if other threads may write it.
    fn versions(&self, nodes: &[NodeId]) -> Option<Versions> {
        let mut found: Versions = Vec::new();
        for node in nodes {
            let NodeKind::ActualIn(_, formal) = self.sdg.nodes()[*node].kind else { continue };
            let mut from: Vec<(NodeId, EdgeKind, LoopMove)> = Vec::new();
            for edge in self.sdg.predecessors(*node) {
                match (edge.kind, formal) {
                    (EdgeKind::Interference, _) => return None,
                    // What is passed by value is compared as a value.
                    (EdgeKind::Control(ControlLabel::Call), _) | (_, Formal::Param(_)) => {}
                    (_, _) => from.push((edge.from, edge.kind, edge.moves)),
                }
            }
            if !matches!(formal, Formal::Param(_)) {
                from.sort_unstable();
                found.push((formal, from));
            }
        }
        found.sort_unstable();
        Some(found)
    }
}

/// The versions that memory has at a place, by what the call is passed of it.
type Versions = Vec<(Formal, Vec<(NodeId, EdgeKind, LoopMove)>)>;

/// The versions at the first of some places.
fn versions_of(members: &[Member], events: &Events<'_>) -> Option<Versions> {
    members.first().and_then(|member| events.versions(&member.nodes))
}

/// What is seen at a place that belongs to one call; `None` if more belongs to it than arguments, memory that is passed, and the call.
fn seen(sdg: &Sdg, nodes: &[NodeId]) -> Option<(SiteId, Seen)> {
    let (mut call, mut params, mut groups) = (false, Vec::new(), Vec::new());
    let mut at: Option<SiteId> = None;
    for node in nodes {
        let site = match sdg.nodes()[*node].kind {
            NodeKind::Call(site) => {
                call = true;
                site
            }
            NodeKind::ActualIn(site, Formal::Param(index)) => {
                params.push(index);
                site
            }
            NodeKind::ActualIn(site, Formal::Memory(group)) => {
                groups.push(group);
                site
            }
            NodeKind::ActualIn(..)
            | NodeKind::Entry
            | NodeKind::Inst(_)
            | NodeKind::Predicate(_)
            | NodeKind::Return(_)
            | NodeKind::PhiOperand { .. }
            | NodeKind::MemoryPhi { .. }
            | NodeKind::MemoryDef { .. }
            | NodeKind::Shared(_)
            | NodeKind::FormalIn(_)
            | NodeKind::FormalOut(_)
            | NodeKind::ActualOut(..) => return None,
        };
        if at.is_some_and(|at| at != site) {
            return None;
        }
        at = Some(site);
    }
    params.sort_unstable();
    groups.sort_unstable();
    Some((at?, (call, params, groups)))
}

/// The walk from a branch.
struct Walk {
    func: FuncId,
    /// The calls that are the first event, the second, …
    levels: Vec<Vec<SiteId>>,
    /// The blocks that choose before the first event, the second, …; the branch first.
    choices: Vec<Vec<BlockId>>,
    /// Levels from here on are not complete.
    limit: usize,
}

impl Walk {
    fn new(
        events: &Events<'_>,
        func: FuncId,
        body: &Body,
        before: &crate::base::IdVec<BlockId, Vec<BlockId>>,
        branch: BlockId,
    ) -> Option<Walk> {
        let blurred = |l: LoopId| body.loops.loops[l].entries.len() > 1;
        if !chooses(&body.blocks[branch].term)
            || events.blocks.contains(&(func, branch))
            || body.loops.around(branch).any(blurred)
        {
            return None;
        }
        let mut walk = Walk { func, levels: Vec::new(), choices: vec![vec![branch]; MOST_LEVELS], limit: MOST_LEVELS };
        // How many events there were at the end of each block that is covered.
        let mut counts: BTreeMap<BlockId, usize> = BTreeMap::from([(branch, 0)]);
        let mut next: BTreeSet<BlockId> = BTreeSet::new();
        walk.goes_on(body, branch, 0, &mut next);
        while let Some(at) = next.pop_first() {
            let ways: Vec<Option<usize>> = before[at].iter().map(|from| counts.get(from).copied()).collect();
            let least = ways.iter().flatten().min().copied().unwrap_or(0);
            let same = ways.iter().all(|way| *way == Some(least));
            let here = body.loops.innermost(at) == body.loops.innermost(branch);
            if !same || !here || events.blocks.contains(&(func, at)) || counts.len() >= MOST_BLOCKS {
                walk.limit = walk.limit.min(least);
                continue;
            }
            let Some(count) = walk.block(events, body, at, least) else { continue };
            counts.insert(at, count);
            let term = &body.blocks[at].term;
            if chooses(term) {
                walk.choices.iter_mut().skip(count).for_each(|choices| choices.push(at));
            }
            match term {
                Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                    walk.goes_on(body, at, count, &mut next);
                }
                Terminator::IndirectJump { .. } | Terminator::Return(_) | Terminator::Unreachable => {
                    walk.limit = walk.limit.min(count);
                }
            }
        }
        (walk.limit > 0).then_some(walk)
    }
    /// Puts the successors on the agenda; what leads back is where the walk stops.
    fn goes_on(&mut self, body: &Body, from: BlockId, count: usize, next: &mut BTreeSet<BlockId>) {
        for to in body.blocks[from].term.successors() {
            if to <= from {
                self.limit = self.limit.min(count);
            } else {
                next.insert(to);
            }
        }
    }
    /// The count after a block; `None` if the walk stops in it.
    fn block(&mut self, events: &Events<'_>, body: &Body, at: BlockId, mut count: usize) -> Option<usize> {
        for inst in &body.blocks[at].insts {
            let key = (self.func, *inst);
            let is_call = matches!(body.insts[*inst].kind, InstKind::Call { .. });
            let event = events.by_inst.get(&key).copied();
            if let Some(site) = event {
                if self.levels.len() <= count {
                    self.levels.resize(count + 1, Vec::new());
                }
                self.levels[count].push(site);
                count += 1;
            }
            let stops = events.other.contains(&key) || is_call && !events.is_harmless(self.func, *inst);
            if stops {
                self.limit = self.limit.min(count);
                return None;
            }
        }
        Some(count)
    }
}

/// Whether a block has a choice of which it is known what each outcome is.
fn chooses(term: &Terminator) -> bool {
    match term {
        Terminator::Branch { .. } | Terminator::Switch { .. } => true,
        Terminator::Jump(_) | Terminator::IndirectJump { .. } | Terminator::Return(_) | Terminator::Unreachable => {
            false
        }
    }
}

/// Blocks that a walk covers, at most.
const MOST_BLOCKS: usize = 64;
/// Events after a branch that are looked at.
const MOST_LEVELS: usize = 8;
