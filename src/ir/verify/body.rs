//! The shape of a body: ids, blocks, the order of instructions, definitions before uses, loops.

use super::globals::{in_range, known_type, points_to};
use super::{Form, ensure, types};
use crate::base::IdVec;
use crate::base::graph::{Digraph, Dominators, LoopForest};
use crate::ir::cfg;
use crate::ir::syntax::{
    Block, BlockId, Body, Callee, Function, Inst, InstKind, Operand, Program, Terminator, ValueId,
};

pub(super) fn check(program: &Program, function: &Function, body: &Body, form: Form) -> Result<(), String> {
    ids(program, body)?;
    let home = homes(body)?;
    let graph = cfg::graph(body);
    let preds = graph.reversed();
    let dominators = Dominators::new(&graph, &preds, body.entry);
    blocks(body, &preds, &dominators)?;
    parameters(program, function, body)?;
    labels(body, form)?;
    for (id, block) in body.blocks.enumerate() {
        let content = Content { body, form, block: id, preds: preds.successors(id), home: &home };
        content.order(block).map_err(|e| format!("{id}, {e}"))?;
        for &v in &block.insts {
            types::instruction(program, body, &body.insts[v]).map_err(|e| format!("{id}, {v}: {e}"))?;
        }
        types::terminator(program, function, body, block).map_err(|e| format!("{id}, end: {e}"))?;
    }
    let loops = match form {
        Form::Lowered => {
            ensure(body.loops.loops.is_empty(), || "lowered form has no loops yet".into())?;
            None
        }
        Form::Ssa => Some(shape(body, &graph, &preds)?),
    };
    uses(body, &home, &dominators, loops)
}

/// Every id named exists.
fn ids(program: &Program, body: &Body) -> Result<(), String> {
    in_range(&body.blocks, body.entry)?;
    for (id, local) in body.locals.enumerate() {
        points_to(&program.types, local.addr_ty, local.ty.ty).map_err(|e| format!("{id}: {e}"))?;
    }
    for label in &body.labels {
        in_range(&body.blocks, label.block)?;
    }
    for &v in &body.params {
        in_range(&body.insts, v)?;
    }
    for (id, inst) in body.insts.enumerate() {
        instruction_ids(program, body, inst).map_err(|e| format!("{id}: {e}"))?;
    }
    for (id, block) in body.blocks.enumerate() {
        let named = || {
            block.insts.iter().try_for_each(|v| in_range(&body.insts, *v))?;
            block.term.successors().into_iter().try_for_each(|b| in_range(&body.blocks, b))?;
            block.term.operand().map_or(Ok(()), |op| operand_ids(program, body, op))
        };
        named().map_err(|e| format!("{id}: {e}"))?;
    }
    Ok(())
}

fn instruction_ids(program: &Program, body: &Body, inst: &Inst) -> Result<(), String> {
    known_type(&program.types, inst.ty)?;
    if let Some(l) = inst.var {
        in_range(&body.locals, l)?;
    }
    match &inst.kind {
        InstKind::Phi(args) => args.iter().try_for_each(|(b, _)| in_range(&body.blocks, *b))?,
        InstKind::Call { callee: Callee::Direct(f), .. } => in_range(&program.functions, *f)?,
        InstKind::AsmOutput { asm, .. } => in_range(&body.insts, *asm)?,
        InstKind::FieldAddr { record, .. } => in_range(&program.types.records, *record)?,
        InstKind::Load { access, .. } | InstKind::Store { access, .. } => known_type(&program.types, access.ty)?,
        _ => {}
    }
    let mut result = Ok(());
    inst.kind.for_each_operand(|op| {
        if result.is_ok() {
            result = operand_ids(program, body, op);
        }
    });
    result
}

fn operand_ids(program: &Program, body: &Body, op: &Operand) -> Result<(), String> {
    match *op {
        Operand::Value(v) => in_range(&body.insts, v),
        Operand::Int(_, ty) | Operand::Float(_, ty) => known_type(&program.types, ty),
        Operand::Global(g) => in_range(&program.globals, g),
        Operand::Function(f) => in_range(&program.functions, f),
        Operand::Local(l) => in_range(&body.locals, l),
        Operand::Label(l) => in_range(&body.labels, l),
    }
}

/// The block of each instruction and its place there; each is in exactly one.
fn homes(body: &Body) -> Result<IdVec<ValueId, (BlockId, usize)>, String> {
    let mut home: IdVec<ValueId, Option<(BlockId, usize)>> = IdVec::filled(None, body.insts.len());
    for (id, block) in body.blocks.enumerate() {
        for (at, &v) in block.insts.iter().enumerate() {
            if let Some((other, _)) = home[v].replace((id, at)) {
                return Err(format!("{id}, {v}: it is in {other} too"));
            }
        }
    }
    home.into_enumerate().map(|(v, place)| place.ok_or_else(|| format!("{v}: it is in no block"))).collect()
}

fn blocks(body: &Body, preds: &Digraph<BlockId>, dominators: &Dominators<BlockId>) -> Result<(), String> {
    ensure(preds.successors(body.entry).is_empty(), || format!("{}: the entry has a predecessor", body.entry))?;
    for id in body.blocks.ids() {
        ensure(dominators.dominates(body.entry, id), || format!("{id}: it is not reachable"))?;
    }
    let jumps = body.blocks.iter().filter(|b| matches!(b.term, Terminator::IndirectJump { .. })).count();
    ensure(jumps <= 1, || format!("it has {jumps} computed gotos"))
}

fn parameters(program: &Program, function: &Function, body: &Body) -> Result<(), String> {
    ensure(body.locals.len() >= body.params.len(), || "a parameter has no home".into())?;
    let entry = &body.blocks[body.entry].insts;
    for (n, v) in body.params.iter().enumerate() {
        ensure(entry.get(n) == Some(v), || format!("{v}: parameter {n} is not at the start of the entry"))?;
        ensure(matches!(body.insts[*v].kind, InstKind::Param(i) if i as usize == n), || {
            format!("{v}: it is not parameter {n}")
        })?;
    }
    let Some(ty) = program.types.as_function(function.ty).filter(|ty| ty.prototype) else { return Ok(()) };
    let given: Vec<_> = body.params.iter().map(|v| body.insts[*v].ty).collect();
    ensure(given == ty.params, || "the parameters do not have the types of the prototype".into())
}

/// A computed goto reaches every label whose address is taken.
fn labels(body: &Body, form: Form) -> Result<(), String> {
    for (id, block) in body.blocks.enumerate() {
        let Terminator::IndirectJump { targets, .. } = &block.term else { continue };
        let mut to = IdVec::filled(None, body.labels.len());
        for (label, target) in targets {
            in_range(&body.labels, *label)?;
            ensure(to[*label].replace(*target).is_none(), || format!("{id}: {label} is named twice"))?;
        }
        for (label, target) in to.into_enumerate() {
            let Some(target) = target else { return Err(format!("{id}: {label} is missing")) };
            let stands = body.labels[label].block;
            let split = form == Form::Ssa && body.blocks[target].term.successors() == [stands];
            ensure(target == stands || split, || format!("{id}: {label} stands at {stands}, not {target}"))?;
        }
    }
    Ok(())
}

/// One block.
struct Content<'a> {
    body: &'a Body,
    form: Form,
    block: BlockId,
    preds: &'a [BlockId],
    home: &'a IdVec<ValueId, (BlockId, usize)>,
}

impl Content<'_> {
    /// Which instructions may stand where, and what belongs to one form only.
    fn order(&self, block: &Block) -> Result<(), String> {
        let is_phi = |v: &ValueId| matches!(self.body.insts[*v].kind, InstKind::Phi(_));
        let phis = block.insts.iter().take_while(|v| is_phi(v)).count();
        for (at, &v) in block.insts.iter().enumerate() {
            let inst = &self.body.insts[v];
            self.one(inst, at, phis).and_then(|()| self.variables(inst)).map_err(|e| format!("{v}: {e}"))?;
        }
        if let Some(Operand::Local(l)) = block.term.operand() {
            ensure(!self.body.locals[*l].promoted, || format!("end: {l} is promoted"))?;
        }
        Ok(())
    }

    fn one(&self, inst: &Inst, at: usize, phis: usize) -> Result<(), String> {
        let entry = self.block == self.body.entry;
        match &inst.kind {
            InstKind::Param(_) => {
                ensure(entry && at < self.body.params.len(), || "a parameter is at the start of the entry".into())
            }
            InstKind::Phi(args) => {
                ensure(at < phis, || "a phi stands after other instructions".into())?;
                ensure(args.iter().map(|a| &a.0).eq(self.preds), || "its blocks are not the predecessors".into())
            }
            InstKind::Uninit => ensure(entry, || "it is not in the entry".into()),
            InstKind::AsmOutput { asm, index } => {
                let InstKind::Asm(text) = &self.body.insts[*asm].kind else { return Err(format!("{asm} is no asm")) };
                let (block, place) = self.home[*asm];
                ensure(block == self.block && place < at, || format!("{asm} is not before it in the block"))?;
                let count = text.outputs.len() + usize::from(!text.labels.is_empty());
                ensure((*index as usize) < count, || format!("{asm} has only {count} outputs"))
            }
            _ => Ok(()),
        }
    }

    fn variables(&self, inst: &Inst) -> Result<(), String> {
        let only_ssa = matches!(inst.kind, InstKind::Phi(_) | InstKind::Copy(_) | InstKind::Uninit);
        let ssa = self.form == Form::Ssa;
        ensure(ssa || (!only_ssa && inst.var.is_none()), || "it belongs to SSA form only".into())?;
        match (&inst.kind, inst.var) {
            (InstKind::Copy(_) | InstKind::Uninit, None) => return Err("it is of no variable".into()),
            (InstKind::Copy(_) | InstKind::Uninit | InstKind::Phi(_), Some(l)) => {
                ensure(self.body.locals[l].promoted, || format!("{l} is not promoted"))?;
                ensure(inst.ty == self.body.locals[l].ty.ty, || format!("it does not have the type of {l}"))?;
            }
            (_, Some(l)) => return Err(format!("it is no version of {l}")),
            (_, None) => {}
        }
        let mut named = None;
        inst.kind.for_each_operand(|op| match op {
            Operand::Local(l) if self.body.locals[*l].promoted => named = Some(*l),
            _ => {}
        });
        ensure(named.is_none(), || "it names a promoted local".into())
    }
}

/// No critical edge, and the loops are those of the graph.
fn shape<'a>(
    body: &'a Body,
    graph: &Digraph<BlockId>,
    preds: &Digraph<BlockId>,
) -> Result<&'a LoopForest<BlockId>, String> {
    for id in body.blocks.ids().filter(|id| graph.successors(*id).len() > 1) {
        for succ in graph.successors(id) {
            ensure(preds.successors(*succ).len() == 1, || format!("the edge from {id} to {succ} is critical"))?;
        }
    }
    let loops = LoopForest::new(graph, preds, [body.entry]);
    ensure(body.loops == loops, || "its loops are not those of its graph".into())?;
    Ok(&body.loops)
}

/// Every definition dominates its uses and, in SSA form, is in no loop that the use is not in. A phi uses its operand at the
/// end of the predecessor.
fn uses(
    body: &Body,
    home: &IdVec<ValueId, (BlockId, usize)>,
    dominators: &Dominators<BlockId>,
    loops: Option<&LoopForest<BlockId>>,
) -> Result<(), String> {
    let used = |op: &Operand, block: BlockId, at: usize| {
        let Operand::Value(v) = *op else { return Ok(()) };
        let (from, place) = home[v];
        let before = if from == block { place < at } else { dominators.dominates(from, block) };
        ensure(before, || format!("{v} does not dominate its use"))?;
        let around = loops.and_then(|l| l.innermost(from).map(|inner| (l, inner)));
        ensure(around.is_none_or(|(l, inner)| l.contains(inner, block)), || {
            format!("{v} leaves its loop without a phi")
        })
    };
    for (id, block) in body.blocks.enumerate() {
        for (at, &v) in block.insts.iter().enumerate() {
            let mut result = Ok(());
            if let InstKind::Phi(args) = &body.insts[v].kind {
                result = args.iter().try_for_each(|(pred, op)| used(op, *pred, usize::MAX));
            } else {
                body.insts[v].kind.for_each_operand(|op| {
                    if result.is_ok() {
                        result = used(op, id, at);
                    }
                });
            }
            result.map_err(|e| format!("{id}, {v}: {e}"))?;
        }
        if let Some(op) = block.term.operand() {
            used(op, id, usize::MAX).map_err(|e| format!("{id}, end: {e}"))?;
        }
    }
    Ok(())
}
