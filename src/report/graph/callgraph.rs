//! The call graph as far as types tell: direct calls, and for calls through pointers a node per type of function, with every
//! function of a compatible type whose address is taken as a candidate. Points-to analysis narrows these down later.
//!
//! Cost: one walk over all bodies; candidates per called type in proportion to the functions whose address is taken.

use rustc_hash::FxHashMap;

use super::{Edge, EdgeKind, Graph, Node, NodeId, NodeKind};
use crate::base::IdVec;
use crate::ir::link::compatible;
use crate::ir::print::Names;
use crate::ir::{
    Body, Callee, FuncId, GlobalDef, InitItem, InitTarget, InstKind, Operand, Program, Type, TypeId, Types,
};
use crate::source::{Location, Place};

/// What a function calls: the callee or the type called through a pointer, how often, and where first.
type Calls<T> = Vec<(T, usize, Place)>;

/// The calls of one function.
#[derive(Default)]
struct Callers {
    direct: Calls<FuncId>,
    indirect: Calls<TypeId>,
}

/// The call graph below these functions; of the whole program if none is given.
pub fn callgraph(program: &Program, from: Option<&[FuncId]>, locate: &dyn Fn(Place) -> Location) -> Graph {
    let names = Names::new(program);
    let calls: IdVec<FuncId, Callers> = program
        .functions
        .iter()
        .map(|f| f.body.as_ref().map_or_else(Callers::default, |b| calls(program, b)))
        .collect();
    let taken = addresses_taken(program);
    let mut graph = Graph::new("callgraph");
    let mut functions: IdVec<FuncId, Option<NodeId>> = IdVec::filled(None, program.functions.len());
    let reached = reached(program, from, &calls, &taken);
    for (id, f) in program.functions.enumerate().filter(|(id, _)| reached[*id]) {
        let kind = if f.body.is_some() { NodeKind::Function } else { NodeKind::External };
        let label = names.function(id).trim_start_matches('@').to_string();
        functions[id] = Some(graph.nodes.push(Node { kind, label, cluster: None, place: Some(locate(f.place)) }));
    }
    let mut pointers: FxHashMap<TypeId, NodeId> = FxHashMap::default();
    for (id, callers) in calls.enumerate() {
        let Some(node) = functions[id] else { continue };
        let edge = |to, kind, times: usize, place| {
            let label = if times > 1 { format!("{times} calls") } else { String::new() };
            Edge { from: node, to, kind, label, carried: false, place: Some(locate(place)) }
        };
        for &(callee, times, place) in &callers.direct {
            let to = functions[callee].expect("what a reached function calls is reached");
            graph.edges.push(edge(to, EdgeKind::Call, times, place));
        }
        for &(ty, times, place) in &callers.indirect {
            if let Some(&to) = pointers.get(&ty) {
                graph.edges.push(edge(to, EdgeKind::IndirectCall, times, place));
                continue;
            }
            let label = format!("indirect\n{}", names.ty(ty));
            let to = graph.nodes.push(Node { kind: NodeKind::Indirect, label, cluster: None, place: None });
            pointers.insert(ty, to);
            graph.edges.push(edge(to, EdgeKind::IndirectCall, times, place));
            for candidate in candidates(program, &taken, ty) {
                let callee = functions[candidate].expect("what a reached function may call is reached");
                let kind = EdgeKind::Candidate;
                graph.edges.push(Edge {
                    from: to,
                    to: callee,
                    kind,
                    label: String::new(),
                    carried: false,
                    place: None,
                });
            }
        }
    }
    graph
}

fn calls(program: &Program, body: &Body) -> Callers {
    let mut direct: Counter<FuncId> = Counter::default();
    let mut indirect: Counter<TypeId> = Counter::default();
    for block in &body.blocks {
        for &v in &block.insts {
            let inst = &body.insts[v];
            match &inst.kind {
                InstKind::Call { callee: Callee::Direct(f) | Callee::Indirect(Operand::Function(f)), .. } => {
                    direct.add(*f, inst.place);
                }
                InstKind::Call { callee: Callee::Indirect(op), .. } => {
                    let pointer = program.operand_type(body, *op);
                    let called = program.types.pointee(pointer).map_or(Types::VOID, |t| t.ty);
                    indirect.add(called, inst.place);
                }
                _ => {}
            }
        }
    }
    Callers { direct: direct.list, indirect: indirect.list }
}

/// Counts calls, in the order of the first one.
struct Counter<T> {
    at: FxHashMap<T, usize>,
    list: Calls<T>,
}

impl<T> Default for Counter<T> {
    fn default() -> Self {
        Counter { at: FxHashMap::default(), list: Vec::new() }
    }
}

impl<T: Copy + Eq + std::hash::Hash> Counter<T> {
    fn add(&mut self, callee: T, place: Place) {
        let i = *self.at.entry(callee).or_insert(self.list.len());
        if i == self.list.len() {
            self.list.push((callee, 0, place));
        }
        self.list[i].1 += 1;
    }
}

/// The functions whose address is used for more than a call.
fn addresses_taken(program: &Program) -> Vec<FuncId> {
    let mut taken: IdVec<FuncId, bool> = IdVec::filled(false, program.functions.len());
    for (_, _, body) in program.bodies() {
        let mut operand = |op: &Operand| {
            if let Operand::Function(f) = op {
                taken[*f] = true;
            }
        };
        for inst in &body.insts {
            match &inst.kind {
                InstKind::Call { callee: Callee::Indirect(Operand::Function(_)), args } => {
                    args.iter().for_each(&mut operand);
                }
                kind => kind.for_each_operand(&mut operand),
            }
        }
        for block in &body.blocks {
            block.term.operand().into_iter().for_each(&mut operand);
        }
    }
    for global in &program.globals {
        let GlobalDef::Defined(init) = &global.definition else { continue };
        for (_, item) in &init.items {
            if let InitItem::Address { target: InitTarget::Function(f), .. } = item {
                taken[*f] = true;
            }
        }
    }
    taken.enumerate().filter(|(_, taken)| **taken).map(|(id, _)| id).collect()
}

/// Which of the functions whose address is taken a call through a pointer to `ty` may reach.
fn candidates(program: &Program, taken: &[FuncId], ty: TypeId) -> Vec<FuncId> {
    let fits = |f: &FuncId| match program.types.get(ty) {
        Type::Function(_) => compatible(&program.types, program.functions[*f].ty, ty),
        // Called through something that is no pointer to a function: any.
        _ => true,
    };
    taken.iter().copied().filter(fits).collect()
}

/// The functions below `from`, these included; all if there is none.
fn reached(
    program: &Program,
    from: Option<&[FuncId]>,
    calls: &IdVec<FuncId, Callers>,
    taken: &[FuncId],
) -> IdVec<FuncId, bool> {
    let Some(from) = from else { return IdVec::filled(true, program.functions.len()) };
    let mut reached = IdVec::filled(false, program.functions.len());
    let mut types: IdVec<TypeId, bool> = IdVec::filled(false, program.types.len());
    let mut waiting: Vec<FuncId> = from.to_vec();
    while let Some(f) = waiting.pop() {
        if std::mem::replace(&mut reached[f], true) {
            continue;
        }
        waiting.extend(calls[f].direct.iter().map(|c| c.0));
        for &(ty, _, _) in &calls[f].indirect {
            if !std::mem::replace(&mut types[ty], true) {
                waiting.extend(candidates(program, taken, ty));
            }
        }
    }
    reached
}
