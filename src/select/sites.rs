//! Calls of a function, what they pass and what they bring back; parameters; results.

use super::content::{Extent, Moment};
use super::memory::holds_pointers;
use super::places::{Finder, Found, Miss, Side};
use super::{calls, names, nearest, objects, quoted};
use crate::base::sparse::SparseSet;
use crate::error::UserError;
use crate::ir::{FuncId, InstKind, Operand, Terminator, Types, ValueId};
use crate::pointsto::{ObjectId, ObjectKind, Reason};
use crate::policy::At;
use crate::policy::pattern::{FunctionPattern, ParameterPattern, VariablePattern};
use crate::policy::selector::{Arguments, Narrow, Observe};
use crate::sdg::memory::Classes;
use crate::sdg::memory::accesses::Cells;
use crate::sdg::{EdgeKind, Formal, NodeId, NodeKind, SiteId};
use crate::source::Place;

/// A call of a function that a selector means.
struct Call<'a> {
    site: SiteId,
    /// The function that calls.
    func: FuncId,
    inst: ValueId,
    args: &'a [Operand],
    place: Place,
    /// The function that is meant.
    callee: FuncId,
    name: &'a str,
    /// Whether it gets the arguments of the call; not if the function called passes it others.
    direct: bool,
}

/// `with`: the calls whose arguments may be certain objects.
pub(super) struct With {
    wanted: Vec<(u32, Vec<Candidate>)>,
}

/// A variable that an argument may be.
struct Candidate {
    /// The variable itself, and what it points to.
    objects: SparseSet<ObjectId>,
    /// Where it is.
    cells: Cells,
}

impl With {
    pub fn new(finder: &Finder<'_>, narrow: &Narrow, optional: bool) -> Result<With, UserError> {
        let mut wanted = Vec::new();
        for (number, variables) in &narrow.with {
            let mut candidates = Vec::new();
            for At { value, at } in variables {
                match candidate(finder, value) {
                    Ok(found) => candidates.push(found),
                    Err(miss) if optional && !miss.hard => {}
                    Err(miss) => return Err(finder.error(*at, &miss)),
                }
            }
            wanted.push((*number, candidates));
        }
        Ok(With { wanted })
    }
    fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }
    fn fits(&self, finder: &Finder<'_>, call: &Call<'_>) -> bool {
        self.wanted.iter().all(|(number, candidates)| {
            let argument = call.args.get(*number as usize - 1);
            argument.is_some_and(|arg| candidates.iter().any(|one| one.may_be(finder, call.func, *arg)))
        })
    }
}

impl Candidate {
    fn may_be(&self, finder: &Finder<'_>, func: FuncId, argument: Operand) -> bool {
        let points_to = finder.view.points_to;
        let mut found = false;
        points_to.for_each(func, argument, |place| found |= self.objects.contains(points_to.objects.of_place(place)));
        let read = |value: ValueId| {
            let touch = finder.memory.accesses.functions[func].touches.get(&value)?;
            Some(finder.memory.accesses.sets[touch.reads?].meets(&self.cells))
        };
        found || matches!(argument, Operand::Value(value) if read(value) == Some(true))
    }
}

fn candidate(finder: &Finder<'_>, pattern: &VariablePattern) -> Result<Candidate, Miss> {
    let objects = &finder.view.points_to.objects;
    let mut found = Candidate { objects: SparseSet::new(), cells: Cells::new() };
    for variable in objects::roots(finder, pattern)? {
        for value in variable.versions(finder) {
            if let Some(func) = variable.func {
                let add = |place| {
                    found.objects.insert(objects.of_place(place));
                };
                finder.view.points_to.for_each(func, Operand::Value(value), add);
            }
        }
        found.objects.extend(variable.object);
        for cell in variable.cells.iter() {
            found.cells.insert(cell);
            found.objects.extend(finder.view.points_to.held(cell).iter().map(|place| objects.of_place(place)));
        }
    }
    // Functions and what nobody knows are no objects that one could mean.
    let is_object = |id: &ObjectId| !matches!(objects.get(*id).kind, ObjectKind::World | ObjectKind::Function(_));
    found.objects = found.objects.iter().filter(is_object).collect();
    Ok(found)
}

/// The calls of the functions that a pattern fits.
fn calls_of<'a>(finder: &Finder<'a>, pattern: &FunctionPattern, with: &With) -> Result<Vec<Call<'a>>, Miss> {
    let functions = names::functions(finder, pattern)?;
    let found = all_calls(finder, &functions);
    if found.is_empty() {
        let help =
            "a call that no run comes to does not count; `flowcheck graph --kind callgraph` shows who calls whom";
        return Err(Miss::new(format!("`{}` is never called", pattern.name), help));
    }
    if with.is_empty() {
        return Ok(found);
    }
    let kept: Vec<Call<'a>> = found.into_iter().filter(|call| with.fits(finder, call)).collect();
    if kept.is_empty() {
        let message = format!("no call of `{}` has such arguments", pattern.name);
        return Err(Miss::new(message, "`flowcheck graph --kind points-to` shows what arguments may be"));
    }
    Ok(kept)
}

fn all_calls<'a>(finder: &Finder<'a>, functions: &[FuncId]) -> Vec<Call<'a>> {
    let view = finder.view;
    let mut found = Vec::new();
    for site in calls::sites(view, functions) {
        let (func, inst) = (finder.memory.caller(site), view.sdg.sites()[site].inst);
        let body = view.body(func);
        let InstKind::Call { callee, args } = &body.insts[inst].kind else { continue };
        let targets = view.points_to.targets(func, inst).iter().filter(|target| functions.contains(&target.callee));
        let called = targets.clone().find(|target| target.reason == Reason::Called).map(|target| target.callee);
        let own = match callee {
            crate::ir::Callee::Direct(callee) if functions.contains(callee) => Some(*callee),
            crate::ir::Callee::Direct(_) | crate::ir::Callee::Indirect(_) => None,
        };
        let direct = own.or(called);
        let Some(callee) = direct.or_else(|| targets.map(|target| target.callee).next()) else { continue };
        let name = view.program.functions[callee].name.as_str();
        let (direct, place) = (direct.is_some(), body.insts[inst].place);
        found.push(Call { site, func, inst, args, place, callee, name, direct });
    }
    found
}

impl Call<'_> {
    fn found(&self, what: String, nodes: Vec<NodeId>) -> Found {
        Found { what, place: self.place, func: Some(self.func), nodes }
    }
    /// The node of an argument, counted from 1.
    fn argument(&self, finder: &Finder<'_>, number: u32) -> Vec<NodeId> {
        let param = Formal::Param(number - 1);
        if self.direct {
            return finder.memory.node(self.func, NodeKind::ActualIn(self.site, param)).into_iter().collect();
        }
        let Some(formal) = finder.memory.node(self.callee, NodeKind::FormalIn(param)) else { return Vec::new() };
        let edges = finder.view.sdg.predecessors(formal);
        edges.map(|edge| edge.from).filter(|node| self.has(finder, *node)).collect()
    }
    /// Whether a node belongs to the call.
    fn has(&self, finder: &Finder<'_>, node: NodeId) -> bool {
        let site = &finder.view.sdg.sites()[self.site];
        site.ins.contains(&node) || site.outs.contains(&node)
    }
    /// How many arguments the function gets.
    fn count(&self, finder: &Finder<'_>) -> u32 {
        let params = || finder.view.program.functions[self.callee].body.as_ref().map_or(0, |body| body.params.len());
        (if self.direct { self.args.len() } else { params() }) as u32
    }
    /// An argument, counted from 1, and the function whose operand it is.
    fn operand(&self, finder: &Finder<'_>, number: u32) -> Option<(FuncId, Operand)> {
        let index = number as usize - 1;
        if self.direct {
            return Some((self.func, *self.args.get(index)?));
        }
        let body = finder.view.program.functions[self.callee].body.as_ref()?;
        Some((self.callee, Operand::Value(*body.params.get(index)?)))
    }
    /// What the call brings back of some memory.
    fn brings_back(&self, finder: &Finder<'_>, classes: &Classes) -> Vec<NodeId> {
        let memory = &finder.memory;
        let outs = memory.outs(self.site).filter(|(group, _)| memory.holds(self.func, *group, classes));
        outs.map(|(_, node)| node).collect()
    }
    /// What it returns, and the memory reached from that.
    fn result(&self, finder: &Finder<'_>) -> Vec<NodeId> {
        let memory = &finder.memory;
        if !self.direct {
            let Some(formal) = memory.node(self.callee, NodeKind::FormalOut(Formal::Result)) else { return Vec::new() };
            let edges = finder.view.sdg.successors(formal);
            return edges.map(|edge| edge.to).filter(|node| self.has(finder, *node)).collect();
        }
        let result = memory.node(self.func, NodeKind::ActualOut(self.site, Formal::Result));
        let Some(result) = result else { return Vec::new() };
        let mut nodes = vec![result];
        let cells = memory.behind(self.func, Operand::Value(self.inst));
        nodes.extend(self.brings_back(finder, &memory.classes(&cells)));
        // What a function without body returns is its own if nothing else is known of it.
        let has_body = finder.view.sdg.procedure_of(self.callee).is_some();
        let named = memory.named(&cells, has_body);
        let mut left = memory.classes(&named);
        for (group, _) in memory.outs(self.site) {
            left = left.difference(&memory.groups[self.func].members[group].iter().copied().collect());
        }
        nodes.extend(memory.content(self.func, Moment::Before(self.inst), &left, Extent::Outwards));
        nodes.extend(read(finder, &named));
        nodes
    }
    /// What is seen of an argument, counted from 1: its value, what it points to, and what the function reads of all that is reached.
    fn shown(&self, finder: &Finder<'_>, number: u32) -> Vec<NodeId> {
        let memory = &finder.memory;
        let mut nodes = self.argument(finder, number);
        let Some((func, operand)) = self.operand(finder, number) else { return nodes };
        let ty = finder.view.program.operand_type(finder.view.body(func), operand);
        if !holds_pointers(&finder.view.program.types, ty) {
            return nodes;
        }
        let reached = memory.classes(&memory.behind(func, operand));
        let mut left = memory.classes(&memory.pointed(func, operand));
        for (group, node) in memory.ins(self.site) {
            if memory.holds(self.func, group, &reached) {
                nodes.push(node);
                left = left.difference(&memory.groups[self.func].members[group].iter().copied().collect());
            }
        }
        nodes.extend(memory.content(self.func, Moment::Before(self.inst), &left, Extent::Inwards));
        nodes
    }
}

/// Who reads what nobody writes.
fn read(finder: &Finder<'_>, cells: &Cells) -> Vec<NodeId> {
    let bare = finder.memory.unwritten(cells);
    if bare.is_empty() {
        return Vec::new();
    }
    finder.memory.readers(&bare).into_iter().flat_map(|access| access.nodes).collect()
}

/// The memory reached from what a variable is given at a moment: the nodes of what is in it there, and from then on.
pub(super) fn memory_behind(
    finder: &Finder<'_>,
    func: FuncId,
    moment: Moment,
    cells: &Cells,
    world: bool,
) -> Vec<NodeId> {
    let named = finder.memory.named(cells, world);
    let mut nodes = finder.memory.content(func, moment, &finder.memory.classes(&named), Extent::Outwards);
    nodes.extend(read(finder, &named));
    nodes
}

/// `function` without `arguments`.
pub(super) fn functions(
    finder: &Finder<'_>,
    pattern: &FunctionPattern,
    with: &With,
    side: Side,
    observe: Observe,
) -> Result<Vec<Found>, Miss> {
    let calls = calls_of(finder, pattern, with)?;
    let mut found = Vec::new();
    for call in &calls {
        match side {
            Side::Source => {
                let nodes = call.result(finder);
                if !nodes.is_empty() {
                    found.push(call.found(format!("result of {}", call.name), nodes));
                }
            }
            Side::Sink => {
                let mut nodes: Vec<NodeId> =
                    (1..=call.count(finder)).flat_map(|number| call.shown(finder, number)).collect();
                if observe == Observe::Everything || nodes.is_empty() {
                    nodes.push(finder.view.sdg.sites()[call.site].call);
                }
                found.push(call.found(format!("call of {}", call.name), nodes));
            }
        }
    }
    if side == Side::Source {
        found.extend(thread_results(finder, &names::functions(finder, pattern)?, with));
    }
    if found.is_empty() {
        let help = "`arguments = [N]` chooses what it writes through its arguments";
        return Err(Miss::new(format!("`{}` returns nothing", pattern.name), help));
    }
    Ok(found)
}

/// What functions return that are started as threads: whoever waits for them gets it.
fn thread_results(finder: &Finder<'_>, functions: &[FuncId], with: &With) -> Vec<Found> {
    let mut found = Vec::new();
    for &func in functions.iter().filter(|_| with.is_empty()) {
        let Some(node) = finder.memory.node(func, NodeKind::FormalOut(Formal::Result)) else { continue };
        if finder.view.sdg.successors(node).any(|edge| edge.kind == EdgeKind::Interference) {
            let function = &finder.view.program.functions[func];
            let what = format!("result of {}", function.name);
            found.push(Found { what, place: function.place, func: Some(func), nodes: vec![node] });
        }
    }
    found
}

/// `function` with `arguments`.
pub(super) fn arguments(
    finder: &Finder<'_>,
    pattern: &FunctionPattern,
    wanted: &[At<Arguments>],
    with: &With,
    side: Side,
) -> Result<Vec<Found>, Miss> {
    let calls = calls_of(finder, pattern, with)?;
    let is_wanted = |number: &u32| wanted.iter().any(|at| at.value.contains(*number));
    let mut found = Vec::new();
    let mut has_argument = false;
    for call in &calls {
        for number in (1..=call.count(finder)).filter(is_wanted) {
            has_argument = true;
            found.extend(argument(finder, call, number, side));
        }
    }
    if !found.is_empty() {
        return Ok(found);
    }
    let name = &pattern.name;
    Err(if has_argument {
        let help = "if it does, a `[[model]]` has to say so; `function` alone chooses what it returns";
        Miss::new(format!("`{name}` writes nothing through these arguments"), help)
    } else {
        let most = calls.iter().map(|call| call.count(finder)).max().unwrap_or(0);
        let help = format!("arguments are counted from 1; the longest call has {most}");
        Miss::new(format!("no call of `{name}` has such an argument"), help)
    })
}

fn argument(finder: &Finder<'_>, call: &Call<'_>, number: u32, side: Side) -> Option<Found> {
    let nodes = match side {
        Side::Source => {
            let (func, operand) = call.operand(finder, number)?;
            let reached = finder.memory.classes(&finder.memory.reached(func, operand));
            call.brings_back(finder, &reached)
        }
        Side::Sink => call.shown(finder, number),
    };
    (!nodes.is_empty()).then(|| call.found(format!("{} argument {number}", call.name), nodes))
}

/// `result`
pub(super) fn results(
    finder: &Finder<'_>,
    pattern: &FunctionPattern,
    with: &With,
    side: Side,
) -> Result<Vec<Found>, Miss> {
    if side == Side::Source {
        return functions(finder, pattern, with, side, Observe::Everything);
    }
    let all = names::functions(finder, pattern)?;
    let mut found = Vec::new();
    for &func in &all {
        let function = &finder.view.program.functions[func];
        let ty = finder.view.program.types.as_function(function.ty);
        if ty.is_some_and(|ty| ty.result == Types::VOID) {
            continue;
        }
        if finder.view.sdg.procedure_of(func).is_some() && with.is_empty() {
            found.extend(returns(finder, func));
            if function.name == "main" {
                found.extend(exits(finder));
            }
            continue;
        }
        for call in all_calls(finder, &[func]).iter().filter(|call| with.fits(finder, call)) {
            let result = finder.memory.node(call.func, NodeKind::ActualOut(call.site, Formal::Result));
            found.extend(result.map(|node| call.found(format!("result of {}", call.name), vec![node])));
        }
    }
    if found.is_empty() {
        let is_void = |func: &FuncId| {
            let ty = finder.view.program.functions[*func].ty;
            finder.view.program.types.as_function(ty).is_some_and(|ty| ty.result == Types::VOID)
        };
        return Err(if all.iter().all(is_void) {
            Miss::new(format!("`{}` returns nothing", pattern.name), "`function` chooses what it is given")
        } else {
            let help = "`--entry FUNCTION` says where the program starts";
            Miss::new(format!("no run comes to a return of `{}`", pattern.name), help)
        });
    }
    Ok(found)
}

/// The returns of a function.
fn returns(finder: &Finder<'_>, func: FuncId) -> Vec<Found> {
    let memory = &finder.memory;
    let function = &finder.view.program.functions[func];
    let mut found = Vec::new();
    for (block, end) in finder.view.body(func).blocks.enumerate() {
        let Terminator::Return(Some(operand)) = &end.term else { continue };
        let mut nodes: Vec<NodeId> = memory.node(func, NodeKind::Return(block)).into_iter().collect();
        let ty = finder.view.program.operand_type(finder.view.body(func), *operand);
        if holds_pointers(&finder.view.program.types, ty) {
            let classes = memory.classes(&memory.pointed(func, *operand));
            nodes.extend(memory.content(func, Moment::End(block), &classes, Extent::Inwards));
        }
        let what = format!("result of {}", function.name);
        found.push(Found { what, place: end.term_place, func: Some(func), nodes });
    }
    found
}

/// The other ways to set the exit status.
fn exits(finder: &Finder<'_>) -> Vec<Found> {
    let is_exit = |name: &str| matches!(name, "exit" | "_exit" | "_Exit" | "quick_exit");
    let all = finder.view.program.functions.enumerate().filter(|(_, f)| is_exit(&f.name) && f.body.is_none());
    let functions: Vec<FuncId> = all.map(|(id, _)| id).collect();
    let calls = all_calls(finder, &functions);
    calls.iter().filter_map(|call| argument(finder, call, 1, Side::Sink)).collect()
}

/// `parameter`
pub(super) fn parameters(finder: &Finder<'_>, pattern: &ParameterPattern, side: Side) -> Result<Vec<Found>, Miss> {
    let wanted = FunctionPattern { file: pattern.file.clone(), name: pattern.function.clone() };
    let all = names::functions(finder, &wanted)?;
    let mut known: Vec<String> = Vec::new();
    let mut matched: Vec<(FuncId, u32)> = Vec::new();
    let mut has_body = false;
    for &func in &all {
        let Some(body) = &finder.view.program.functions[func].body else { continue };
        has_body = true;
        for (n, local) in body.locals.iter().take(body.params.len()).enumerate() {
            known.push(local.name.clone());
            if pattern.name.matches(&local.name) {
                matched.push((func, n as u32));
            }
        }
    }
    let (function, name) = (&pattern.function, &pattern.name);
    if matched.is_empty() {
        return Err(if has_body {
            let help = match nearest(name.text(), known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if known.is_empty() => "it has none".to_owned(),
                None => format!("its parameters: {}", quoted(&known)),
            };
            Miss::new(format!("`{function}` has no parameter `{name}`"), help)
        } else {
            let help = format!("`function = \"{function}\"` with `arguments = [N]` chooses what calls pass");
            Miss::new(format!("`{function}` has no body in this program, hence no parameters with names"), help)
        });
    }
    let mut found = Vec::new();
    for (func, n) in matched {
        match side {
            Side::Source => found.extend(parameter(finder, func, n)),
            Side::Sink => {
                let calls = all_calls(finder, &[func]);
                found.extend(calls.iter().filter_map(|call| argument(finder, call, n + 1, side)));
            }
        }
    }
    if found.is_empty() {
        return Err(match side {
            Side::Source => {
                let help = "`--entry FUNCTION` says where the program starts";
                Miss::new(format!("no run comes to `{function}`"), help)
            }
            Side::Sink => Miss::new(format!("`{function}` is never called"), "its parameters get no value"),
        });
    }
    Ok(found)
}

/// A parameter's value when its function is called, and the memory reached from it.
pub(super) fn parameter(finder: &Finder<'_>, func: FuncId, n: u32) -> Option<Found> {
    let memory = &finder.memory;
    let node = memory.node(func, NodeKind::FormalIn(Formal::Param(n)))?;
    let body = finder.view.body(func);
    let mut nodes = vec![node];
    let cells = memory.behind(func, Operand::Value(body.params[n as usize]));
    // What callers outside pass is memory of theirs, each its own.
    let is_called = !memory.callers(func).is_empty();
    nodes.extend(memory_behind(finder, func, Moment::Entry, &cells, is_called));
    let function = &finder.view.program.functions[func];
    let what = format!("parameter {} of {}", body.locals[crate::ir::LocalId(n)].name, function.name);
    Some(Found { what, place: finder.view.sdg.nodes()[node].place, func: Some(func), nodes })
}

/// What calls of a function bring back: by its result, and by what it writes. A call that may be one of another function is not among them, nor memory of which the
/// function leaves a part as it is.
pub(super) fn leaving(finder: &Finder<'_>, pattern: &FunctionPattern) -> Result<Vec<Found>, Miss> {
    let with = With { wanted: Vec::new() };
    let functions = names::functions(finder, pattern)?;
    let memory = &finder.memory;
    let mut found = Vec::new();
    for call in calls_of(finder, pattern, &with)? {
        let targets = finder.view.points_to.targets(call.func, call.inst);
        // What it calls back runs inside the call.
        let is_it = |func: FuncId| functions.contains(&func);
        let alone = targets.iter().all(|target| is_it(target.callee) || target.external.is_some_and(is_it));
        if !call.direct || !alone || finder.view.points_to.calls_outside(call.func, call.inst) {
            continue;
        }
        let written = memory.written_at(call.site);
        let leaves = |node: &NodeId| match finder.view.sdg.nodes()[*node].kind {
            NodeKind::ActualOut(_, Formal::Result | Formal::Effect(_)) => true,
            NodeKind::ActualOut(_, Formal::Memory(group)) => {
                memory.holds_only(call.func, crate::sdg::memory::GroupId(group), &written)
            }
            _ => false,
        };
        let nodes: Vec<NodeId> = finder.view.sdg.sites()[call.site].outs.iter().copied().filter(leaves).collect();
        if !nodes.is_empty() {
            found.push(call.found(format!("call of {}", call.name), nodes));
        }
    }
    if found.is_empty() {
        let message = format!("no call of `{}` alone brings anything back", pattern.name);
        return Err(Miss::new(message, "it returns and writes nothing, or is called through a pointer to several"));
    }
    Ok(found)
}
