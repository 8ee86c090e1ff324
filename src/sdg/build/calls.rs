//! The nodes of a call: what it passes, what it brings back, and what functions without body do in between.

use std::collections::BTreeMap;

use super::{Maker, Twice};
use crate::base::id::Id;
use crate::ir::*;
use crate::pointsto::{Reason, Target};
use crate::sdg::control::LoopMove;
use crate::sdg::graph::*;
use crate::sdg::memory::accesses::{External, Goal, OUTSIDE, Source};
use crate::sdg::memory::classes::sets_of;
use crate::sdg::memory::modref::CallOf;
use crate::sdg::memory::versions::{Act, Event};
use crate::sdg::memory::{Classes, GroupId};
use crate::source::Place;

/// The nodes of a call that edges to callees need.
pub(super) struct CallNodes {
    pub caller: FuncId,
    pub inst: ValueId,
    pub call: NodeId,
    /// The functions with nodes that it may reach.
    pub targets: Vec<Target>,
    pub args: Vec<NodeId>,
    /// What is passed beyond a callee's parameters is all of the arguments from there on.
    pub varargs: Option<NodeId>,
    pub result: Option<NodeId>,
    pub returns: Option<NodeId>,
    pub ins: BTreeMap<GroupId, NodeId>,
    pub outs: BTreeMap<GroupId, NodeId>,
    /// For callbacks: what each parameter gets, and where the result goes. By external and the number of its callback.
    pub callbacks: Vec<Callback>,
    /// Where results of functions go that an unknown function calls.
    pub unknown: Vec<(FuncId, NodeId)>,
    /// What each thread gets: external, its number, and the arguments.
    pub threads: Vec<(FuncId, u32, Option<NodeId>)>,
    /// States on which it depends whether threads run.
    pub states: Classes,
}

/// A callback of a function without body.
pub(super) struct Callback {
    pub external: FuncId,
    pub index: u32,
    /// By parameter; `None`: anything.
    pub params: Option<Vec<Vec<NodeId>>>,
    /// What it returns.
    pub result: NodeId,
}

/// The nodes of a call's effects while they are made.
struct Site {
    id: SiteId,
    block: BlockId,
    place: Place,
}

impl Maker<'_, '_> {
    pub(super) fn call(&mut self, block: BlockId, value: ValueId, callee: &Callee, args: &[Operand]) {
        let (body, facts) = (self.body, self.facts);
        let inst = &body.insts[value];
        let around = body.loops.innermost(block);
        let (id, call) = self.whole.graph.call(value, inst.place, around);
        let site = Site { id, block, place: inst.place };
        self.hangs.push((call, self.control.region_of(value)));
        if let Callee::Indirect(Operand::Value(from)) = callee
            && let Some(source) = self.values[*from]
        {
            let moves = LoopMove::within(&body.loops, self.home[*from], block);
            self.edge(source, call, EdgeKind::Data, moves);
        }
        let arguments: Vec<NodeId> =
            args.iter().enumerate().map(|(i, arg)| self.argument(&site, call, i as u32, *arg)).collect();
        let all = facts.points_to.targets(self.func, value);
        let (with_nodes, mut others): (Vec<Target>, Vec<Target>) =
            all.iter().partition(|target| facts.points_to.is_reached(target.callee));
        others.dedup_by_key(|target| target.callee);
        let mut externals: Vec<(FuncId, &External)> = Vec::new();
        let outside = facts.points_to.calls_outside(self.func, value).then_some(OUTSIDE);
        for callee in others.iter().map(|target| target.callee).chain(outside) {
            if let Some(external) = facts.accesses.functions[self.func].externals.get(&(value, callee)) {
                externals.push((callee, external));
            }
        }
        let variadic = with_nodes.iter().any(|target| {
            facts.program.types.as_function(facts.program.functions[target.callee].ty).is_some_and(|f| f.variadic)
        });
        let varargs = variadic.then(|| {
            let node = self.actual(&site, NodeKind::ActualIn(id, Formal::Varargs));
            self.edge(call, node, EdgeKind::Control(ControlLabel::Call), self.here(block));
            for argument in &arguments {
                self.edge(*argument, node, EdgeKind::Data, self.here(block));
            }
            node
        });
        let result = (inst.ty != Types::VOID).then(|| {
            let node = self.actual(&site, NodeKind::ActualOut(id, Formal::Result));
            self.edge(call, node, EdgeKind::Control(ControlLabel::Call), self.here(block));
            self.values[value] = Some(node);
            node
        });
        let splits = facts.returns.splits(self.func).binary_search(&value).is_ok();
        let returns = splits.then(|| {
            let node = self.actual(&site, NodeKind::ActualOut(id, Formal::Returns));
            self.returned.insert(value, node);
            // That it is called decides, and a callee with a body by its own decisions.
            self.edge(call, node, EdgeKind::Control(ControlLabel::Call), self.here(block));
            node
        });
        let twice = all.iter().any(|target| facts.program.functions[target.callee].returns_twice);
        let mut nodes = CallNodes {
            caller: self.func,
            inst: value,
            call,
            targets: with_nodes,
            args: arguments,
            varargs,
            result,
            returns,
            ins: BTreeMap::new(),
            outs: BTreeMap::new(),
            callbacks: Vec::new(),
            unknown: Vec::new(),
            threads: Vec::new(),
            states: Classes::new(),
        };
        // Where it is known that the return is a second one, memory may be another from there on; else from the call on.
        let second = if twice { second_return(body, block, value) } else { None };
        self.call_memory(&site, &mut nodes, &externals, twice && second.is_none());
        let mut next = 0;
        for (callee, external) in &externals {
            self.external(&site, &mut nodes, *callee, external, &mut next);
        }
        if twice {
            self.returns_twice(&site, &nodes, &externals, second, &mut next);
        }
        self.whole.sites.push(nodes);
    }
    fn argument(&mut self, site: &Site, call: NodeId, index: u32, operand: Operand) -> NodeId {
        // The argument's own text, if it is computed in the call.
        let inside = |place: &Place| {
            place.unit == site.place.unit && place.start >= site.place.start && place.end <= site.place.end
        };
        let own = match operand {
            Operand::Value(value) => Some(self.body.insts[value].place),
            Operand::Int(..)
            | Operand::Float(..)
            | Operand::Global(_)
            | Operand::Function(_)
            | Operand::Local(_)
            | Operand::Label(_) => None,
        };
        let place = own.filter(inside).unwrap_or(site.place);
        let node = self.node(NodeKind::ActualIn(site.id, Formal::Param(index)), place, Some(site.block));
        self.edge(call, node, EdgeKind::Control(ControlLabel::Call), self.here(site.block));
        if let Operand::Value(value) = operand
            && let Some(from) = self.values[value]
        {
            let moves = LoopMove::within(&self.body.loops, self.home[value], site.block);
            self.edge(from, node, EdgeKind::Data, moves);
        }
        node
    }
    fn actual(&mut self, site: &Site, kind: NodeKind) -> NodeId {
        self.node(kind, site.place, Some(site.block))
    }
    /// The actuals of memory, and that of the groups which some callee leaves alone.
    fn call_memory(&mut self, site: &Site, nodes: &mut CallNodes, externals: &[(FuncId, &External)], twice: bool) {
        let (facts, groups) = (self.facts, self.groups);
        // What each callee may read and write, in the caller's words; what it writes it may also leave, if that is said in its own body.
        let mut reads = Classes::new();
        let mut writes: Vec<(Classes, Classes)> = Vec::new();
        let runs = |target: &&Target| !matches!(target.reason, Reason::Thread(_));
        let is_callback = |t: &Target| t.reason != Reason::Called;
        let callbacks = nodes.targets.iter().filter(runs).any(is_callback);
        for target in nodes.targets.iter().filter(runs) {
            let (inst, callee, direct) = (nodes.inst, target.callee, target.reason == Reason::Called);
            let call = CallOf { inst, callee, direct };
            let touched = facts.modref.at_call(facts.program, facts.points_to, facts.classes, self.func, call);
            // What the callee overwrites before it reads it need not be passed.
            reads.union_with(&match &self.whole.used[callee] {
                Some(used) => {
                    let renaming = facts.modref.renaming(facts.points_to, facts.classes, self.func, inst);
                    touched.reads.intersection(&renaming.all(used))
                }
                None => touched.reads,
            });
            // A callback may not be called at all.
            let certain = if callbacks { Classes::new() } else { touched.writes.clone() };
            writes.push((touched.writes, certain));
        }
        for (_, external) in externals {
            let (mut written, mut certain) = (Classes::new(), Classes::new());
            for effect in &external.effects {
                sets_of(&effect.sources).for_each(|set| {
                    reads.union_with(facts.classes.set(set));
                });
                if let Goal::Memory(set) = effect.goal {
                    written.union_with(facts.classes.set(set));
                }
            }
            if let Some(set) = external.kills {
                certain.union_with(facts.classes.set(set));
            }
            writes.push((written, certain));
        }
        let mut out_classes = Classes::new();
        for (written, _) in &writes {
            out_classes.union_with(written);
        }
        let outs: Vec<GroupId> = if twice { groups.members.ids().collect() } else { groups.all(&out_classes) };
        // A group passes if some callee may leave some of it without saying so in a body.
        let passes = |group: GroupId| {
            twice
                || writes.is_empty()
                || writes.iter().any(|(_, certain)| groups.members[group].iter().any(|class| !certain.contains(*class)))
        };
        let mut ins = groups.all(&reads);
        ins.extend(outs.iter().copied().filter(|group| passes(*group)));
        ins.sort_unstable();
        ins.dedup();
        for group in ins {
            let node = self.actual(site, NodeKind::ActualIn(site.id, Formal::Memory(group.0)));
            self.events[site.block.index()].push(Event { group, act: Act::Reads, node });
            nodes.ins.insert(group, node);
        }
        for group in outs {
            let node = self.actual(site, NodeKind::ActualOut(site.id, Formal::Memory(group.0)));
            self.events[site.block.index()].push(Event { group, act: Act::Kills, node });
            nodes.outs.insert(group, node);
            if passes(group)
                && let Some(from) = nodes.ins.get(&group)
            {
                self.edge(*from, node, EdgeKind::Summary, self.here(site.block));
            }
            // Callbacks are called again with what they left.
            if callbacks && let Some(again) = nodes.ins.get(&group) {
                self.edge(node, *again, EdgeKind::Data, self.here(site.block));
            }
        }
    }
    /// What a function without body does.
    fn external(&mut self, site: &Site, nodes: &mut CallNodes, callee: FuncId, external: &External, next: &mut u32) {
        let facts = self.facts;
        let here = self.here(site.block);
        // What callbacks return influences all that the call does.
        let mut results: Vec<NodeId> = Vec::new();
        let calls_back =
            nodes.targets.iter().any(|t| t.external == Some(callee) && !matches!(t.reason, Reason::Thread(_)));
        for (index, params) in external.callbacks.iter().enumerate() {
            let result = self.effect_node(site, nodes.call, next);
            results.push(result);
            let params =
                params.as_ref().map(|params| params.iter().map(|sources| self.sources(nodes, sources)).collect());
            nodes.callbacks.push(Callback { external: callee, index: index as u32, params, result });
        }
        if external.unknown && calls_back {
            let result = self.effect_node(site, nodes.call, next);
            results.push(result);
            nodes.unknown.push((callee, result));
        }
        for effect in &external.effects {
            let goals: Vec<NodeId> = match effect.goal {
                Goal::Result => nodes.result.into_iter().collect(),
                Goal::Memory(set) => {
                    let written = self.groups.all(facts.classes.set(set));
                    written.iter().filter_map(|group| nodes.outs.get(group).copied()).collect()
                }
            };
            let sources = self.sources(nodes, &effect.sources);
            if calls_back {
                // Whether it is called depends on all that the function reads.
                for source in &sources {
                    self.edge(*source, nodes.call, EdgeKind::Data, here);
                }
            }
            let target = if let [goal] = goals.as_slice() {
                *goal
            } else if goals.is_empty() {
                continue;
            } else {
                let middle = self.effect_node(site, nodes.call, next);
                for goal in &goals {
                    self.edge(middle, *goal, EdgeKind::Data, here);
                }
                middle
            };
            self.edge(nodes.call, target, EdgeKind::Summary, here);
            for source in sources {
                self.edge(source, target, EdgeKind::Summary, here);
            }
            for result in &results {
                self.edge(*result, target, EdgeKind::Data, here);
            }
        }
        // Where nothing is said of the address, what is written depends on it all the same.
        for (index, argument) in external.threads.iter().enumerate() {
            let node = argument.and_then(|n| nodes.args.get(n as usize - 1).copied());
            nodes.threads.push((callee, index as u32, node));
        }
        for set in &external.states {
            nodes.states.union_with(facts.classes.set(*set));
        }
        // The accesses themselves, for those who see memory out of order.
        for effect in &external.effects {
            for set in sets_of(&effect.sources) {
                for group in self.groups.all(facts.classes.set(set)) {
                    if let Some(node) = nodes.ins.get(&group) {
                        self.whole.reads.push((*node, self.func, set));
                    }
                }
            }
            if let Goal::Memory(set) = effect.goal {
                for group in self.groups.all(facts.classes.set(set)) {
                    if let Some(node) = nodes.outs.get(&group) {
                        self.whole.writes.push((*node, self.func, set));
                    }
                }
            }
        }
        let jumps = facts.program.functions.get(callee).is_some_and(|f| f.name.contains("longjmp"));
        if jumps {
            let buffer = self.buffer(external);
            let jump = std::iter::once(nodes.call).chain(nodes.args.iter().copied()).collect();
            self.whole.jumps.push((jump, buffer));
        }
    }
    fn effect_node(&mut self, site: &Site, call: NodeId, next: &mut u32) -> NodeId {
        let node = self.actual(site, NodeKind::ActualOut(site.id, Formal::Effect(*next)));
        self.edge(call, node, EdgeKind::Control(ControlLabel::Call), self.here(site.block));
        *next += 1;
        node
    }
    /// The nodes of what an effect comes from.
    fn sources(&self, nodes: &CallNodes, sources: &[Source]) -> Vec<NodeId> {
        let mut found: Vec<NodeId> = Vec::new();
        for source in sources {
            match source {
                Source::Argument(n) => found.extend(nodes.args.get(*n as usize)),
                Source::Memory(set) => {
                    let groups = self.groups.all(self.facts.classes.set(*set));
                    found.extend(groups.iter().filter_map(|group| nodes.ins.get(group)));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
    /// The memory that a jump or its target keeps its state in.
    fn buffer(&self, external: &External) -> Classes {
        let mut found = Classes::new();
        for effect in &external.effects {
            if let Goal::Memory(set) = effect.goal {
                found.union_with(self.facts.classes.set(set));
            }
        }
        found
    }
    /// All memory may be another when a call returns a second time.
    fn returns_twice(
        &mut self,
        site: &Site,
        nodes: &CallNodes,
        externals: &[(FuncId, &External)],
        second: Option<BlockId>,
        next: &mut u32,
    ) {
        let mut buffer = Classes::new();
        for (_, external) in externals {
            buffer.union_with(&self.buffer(external));
        }
        let outs = match second {
            None => nodes.outs.iter().map(|(group, node)| (*group, *node)).collect(),
            Some(block) => {
                let groups: Vec<GroupId> = self.groups.members.ids().collect();
                let version = |group: GroupId| {
                    let node = self.effect_node(site, nodes.call, next);
                    self.events[block.index()].push(Event { group, act: Act::Changes, node });
                    (group, node)
                };
                groups.into_iter().map(version).collect()
            }
        };
        let (func, returns, result) = (self.func, nodes.returns, nodes.result);
        self.whole.twice.push(Twice { func, returns, result, buffer, outs });
    }
}

/// The block in which it is known that a call of `setjmp` returned a second time: its result is tested, against 0, at the end of its own block, before any other
/// memory is touched.
fn second_return(body: &Body, block: BlockId, call: ValueId) -> Option<BlockId> {
    let insts = &body.blocks[block].insts;
    let at = insts.iter().position(|inst| *inst == call)?;
    // Values that are the result, the variable that holds it, and values that tell whether it is not 0 (or whether it is).
    let mut same = vec![call];
    let mut holder: Option<Operand> = None;
    let mut tests: Vec<(ValueId, bool)> = Vec::new();
    for inst in &insts[at + 1..] {
        let is_it = |operand: &Operand| matches!(operand, Operand::Value(value) if same.contains(value));
        let is_zero = |operand: &Operand| matches!(operand, Operand::Int(n, _) if n.bits() == 0);
        match &body.insts[*inst].kind {
            InstKind::Cast(a) | InstKind::Copy(a) if is_it(a) => same.push(*inst),
            InstKind::Compare(CmpOp::Ne, a, b) if is_it(a) && is_zero(b) => tests.push((*inst, true)),
            InstKind::Compare(CmpOp::Eq, a, b) if is_it(a) && is_zero(b) => tests.push((*inst, false)),
            InstKind::Store { addr: addr @ Operand::Local(_), value, .. } if is_it(value) && holder.is_none() => {
                holder = Some(*addr);
            }
            InstKind::Load { addr, .. } if holder == Some(*addr) => same.push(*inst),
            _ => return None,
        }
    }
    let Terminator::Branch { cond: Operand::Value(cond), then, otherwise } = &body.blocks[block].term else {
        return None;
    };
    let is_second = if same.contains(cond) { true } else { tests.iter().find(|(test, _)| test == cond)?.1 };
    let found = if is_second { *then } else { *otherwise };
    // It is entered from here alone, and its accesses come later.
    let alone = body.predecessors()[found].len() == 1;
    (alone && found > block).then_some(found)
}
