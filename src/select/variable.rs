//! Variables and their members: what defines and what uses them.
//!
//! After SSA construction a scalar variable is the values that are versions of it; every other one is memory, and is accessed by address.
//! [`Variable::of_address`] leads from an address back to the variable and the members on the way (`p->f`, `s.a[3].b`), as far as the
//! instructions of one function tell. Indices do not count: an element of an array is the array.

use std::collections::BTreeSet;

use super::{Role, View, calls, nearest, quoted};
use crate::error::UserError;
use crate::ir::{
    BlockId, Body, Callee, FuncId, GlobalId, Inst, InstKind, LocalId, Operand, Program, RecordKind, ValueId,
};
use crate::sdg::{Formal, NodeId, NodeKind};

/// A variable of a function or of the program, or what lies behind it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Where it begins.
    pub root: Root,
    /// The way from there.
    pub steps: Vec<Step>,
}

/// An object with a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Root {
    /// Of one function.
    Local(LocalId),
    /// Of the program; static variables of functions, too.
    Global(GlobalId),
}

/// One step from an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// To a member, by name.
    Member(String),
    /// To a member of a union, by name: it shares its memory with the others.
    Overlaid(String),
    /// To what it points to.
    Deref,
}

/// What a node does with a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Touch {
    /// It may give it a value.
    pub defines: bool,
    /// It reads it, or passes its address on.
    pub uses: bool,
}

impl Variable {
    /// What an address leads to, as far as the function tells.
    pub fn of_address(program: &Program, body: &Body, address: Operand) -> Option<Variable> {
        match address {
            Operand::Local(local) => Some(Variable { root: Root::Local(local), steps: Vec::new() }),
            Operand::Global(global) => Some(Variable { root: Root::Global(global), steps: Vec::new() }),
            Operand::Int(..) | Operand::Float(..) | Operand::Function(_) | Operand::Label(_) => None,
            Operand::Value(value) => {
                let Inst { kind, var, .. } = &body.insts[value];
                if let Some(local) = var {
                    return Some(Variable { root: Root::Local(*local), steps: vec![Step::Deref] });
                }
                match kind {
                    InstKind::Cast(base) | InstKind::PtrAdd { base, .. } => Variable::of_address(program, body, *base),
                    InstKind::FieldAddr { base, record, field } => {
                        let mut found = Variable::of_address(program, body, *base)?;
                        let record = &program.types.records[*record];
                        let name = record.members[*field as usize].name.clone();
                        // C names what is in a member without a name as if it were in the record itself.
                        if !name.is_empty() {
                            found.steps.push(match record.kind {
                                RecordKind::Struct => Step::Member(name),
                                RecordKind::Union => Step::Overlaid(name),
                            });
                        }
                        Some(found)
                    }
                    InstKind::Load { addr, .. } => {
                        let mut found = Variable::of_address(program, body, *addr)?;
                        found.steps.push(Step::Deref);
                        Some(found)
                    }
                    _ => None,
                }
            }
        }
    }
    /// Whether one is a part of the other, or both are the same.
    pub fn overlaps(&self, other: &Variable) -> bool {
        if self.root != other.root {
            return false;
        }
        for (one, other) in self.steps.iter().zip(&other.steps) {
            match (one, other) {
                (Step::Deref, Step::Deref) => {}
                (Step::Deref, _) | (_, Step::Deref) => return false,
                (Step::Member(a) | Step::Overlaid(a), Step::Member(b) | Step::Overlaid(b)) if a == b => {}
                // Of what is inside members of a union, any may lie over any.
                (Step::Overlaid(_), _) | (_, Step::Overlaid(_)) => return true,
                (Step::Member(_), Step::Member(_)) => return false,
            }
        }
        let shared = self.steps.len().min(other.steps.len());
        let mut rest = self.steps[shared..].iter().chain(&other.steps[shared..]);
        rest.all(|step| *step != Step::Deref)
    }
    fn is_reached_by_pointer(&self) -> bool {
        self.steps.contains(&Step::Deref)
    }
}

/// `p->f.g` in its parts: the name, and the way from there.
fn parse(name: &str) -> (String, Vec<Step>) {
    let spaced = name.replace("->", ".*.");
    let mut parts = spaced.split('.');
    let root = parts.next().unwrap_or_default().to_owned();
    let step = |part: &str| if part == "*" { Step::Deref } else { Step::Member(part.to_owned()) };
    (root, parts.map(step).collect())
}

/// The variables of a function that have this name: several scopes may have one. Static ones belong to their function.
pub fn of_function(program: &Program, func: FuncId, name: &str) -> Vec<Variable> {
    let (wanted, steps) = parse(name);
    let Some(body) = &program.functions[func].body else { return Vec::new() };
    let locals = body.locals.enumerate().filter(|(_, l)| l.name == wanted).map(|(id, _)| Root::Local(id));
    let statics = statics(program, func).filter(|(_, name)| *name == wanted).map(|(id, _)| Root::Global(id));
    locals.chain(statics).map(|root| Variable { root, steps: steps.clone() }).collect()
}

/// The variables of the program that have this name: several files may have a static one.
pub fn of_program(program: &Program, name: &str) -> Vec<Variable> {
    let (wanted, steps) = parse(name);
    let found = program.globals.enumerate().filter(|(_, g)| g.owner.is_none() && g.name == wanted);
    found.map(|(id, _)| Variable { root: Root::Global(id), steps: steps.clone() }).collect()
}

/// The static variables of a function, with the names that the function has for them.
pub(super) fn statics(program: &Program, func: FuncId) -> impl Iterator<Item = (GlobalId, &str)> {
    let own = program.globals.enumerate().filter(move |(_, g)| g.owner == Some(func));
    own.map(|(id, g)| (id, g.name.rsplit_once('.').map_or(g.name.as_str(), |(_, name)| name)))
}

/// What a node does with a variable of its function or of the program.
pub fn touch(view: View<'_>, node: NodeId, variable: &Variable) -> Touch {
    let body = view.body(view.sdg.function(node));
    let look = Look { program: view.program, body, variable };
    let arguments = |site| match &body.insts[view.sdg.sites()[site].inst].kind {
        InstKind::Call { callee, args } => (Some(*callee), args.as_slice()),
        _ => (None, [].as_slice()),
    };
    let (mut defines, mut uses) = (false, false);
    match view.sdg.nodes()[node].kind {
        NodeKind::Entry
        | NodeKind::FormalOut(_)
        | NodeKind::PhiOperand { .. }
        | NodeKind::MemoryPhi { .. }
        | NodeKind::MemoryDef { .. }
        | NodeKind::Shared(_) => {}
        NodeKind::Inst(value) => return look.instruction(value),
        NodeKind::Predicate(block) | NodeKind::Return(block) => uses = look.end(block),
        NodeKind::FormalIn(formal) => defines = look.is_parameter(formal),
        NodeKind::ActualIn(site, formal) => {
            let (_, args) = arguments(site);
            uses = match formal {
                Formal::Param(n) => args.get(n as usize).is_some_and(|arg| look.passes(*arg)),
                // Which of the arguments are the variable ones, only the callee's type says; those with a node of their own are not.
                Formal::Varargs => args.iter().any(|arg| look.passes(*arg)),
                Formal::Result | Formal::Returns | Formal::Memory(_) | Formal::Effect(_) => false,
            };
        }
        NodeKind::ActualOut(site, formal) => {
            defines = match formal {
                Formal::Memory(_) => arguments(site).1.iter().any(|arg| look.is_address(*arg)),
                Formal::Param(_) | Formal::Varargs | Formal::Result | Formal::Returns | Formal::Effect(_) => false,
            };
        }
        NodeKind::Call(site) => {
            uses = match arguments(site).0 {
                Some(Callee::Indirect(operand)) => look.is_version(operand),
                Some(Callee::Direct(_)) | None => false,
            };
        }
    }
    Touch { defines, uses }
}

/// Looks for a variable in a body.
struct Look<'a> {
    program: &'a Program,
    body: &'a Body,
    variable: &'a Variable,
}

impl Look<'_> {
    /// Whether the operand is a version of the variable.
    fn is_version(&self, operand: Operand) -> bool {
        let Operand::Value(value) = operand else { return false };
        self.variable.steps.is_empty() && self.body.insts[value].var.map(Root::Local) == Some(self.variable.root)
    }
    /// Whether the operand is an address of the variable or of a part of it.
    fn is_address(&self, operand: Operand) -> bool {
        Variable::of_address(self.program, self.body, operand).is_some_and(|found| found.overlaps(self.variable))
    }
    /// Whether a callee gets the variable, by value or by address.
    fn passes(&self, operand: Operand) -> bool {
        self.is_version(operand) || self.is_address(operand)
    }
    /// Whether the variable, or its address, is written there by name.
    fn names(&self, operand: Operand) -> bool {
        self.is_version(operand) || (!self.variable.is_reached_by_pointer() && self.is_address(operand))
    }
    fn is_parameter(&self, formal: Formal) -> bool {
        let Formal::Param(n) = formal else { return false };
        self.variable.root == Root::Local(LocalId(n)) && !self.variable.is_reached_by_pointer()
    }
    fn end(&self, block: BlockId) -> bool {
        self.body.blocks[block].term.operand().is_some_and(|operand| self.names(*operand))
    }
    fn instruction(&self, value: ValueId) -> Touch {
        let Inst { kind, var, .. } = &self.body.insts[value];
        let mut touch = Touch::default();
        match kind {
            // A join is written nowhere.
            InstKind::Phi(_) => return touch,
            InstKind::Load { addr, .. } => touch.uses = self.is_address(*addr) || self.is_version(*addr),
            InstKind::Store { addr, value, .. } => {
                touch.defines = self.is_address(*addr);
                touch.uses = self.is_version(*addr) || self.names(*value);
            }
            // A step to an address is no access.
            InstKind::FieldAddr { base, .. } | InstKind::Cast(base) => touch.uses = self.is_version(*base),
            InstKind::PtrAdd { base, index, .. } => touch.uses = self.is_version(*base) || self.is_version(*index),
            InstKind::Asm(_)
            | InstKind::StandIn { .. }
            | InstKind::VaStart(_)
            | InstKind::VaArg(_)
            | InstKind::VaCopy { .. }
            | InstKind::VaEnd(_) => {
                kind.for_each_operand(|operand| {
                    touch.uses |= self.passes(*operand);
                    touch.defines |= self.is_address(*operand);
                });
            }
            InstKind::Param(_)
            | InstKind::Copy(_)
            | InstKind::Uninit
            | InstKind::Unary(..)
            | InstKind::Binary(..)
            | InstKind::Compare(..)
            | InstKind::PtrDiff { .. }
            | InstKind::Call { .. }
            | InstKind::Alloca { .. }
            | InstKind::AsmOutput { .. }
            | InstKind::Intrinsic(..) => kind.for_each_operand(|operand| touch.uses |= self.names(*operand)),
        }
        touch.defines |= self.variable.steps.is_empty() && var.map(Root::Local) == Some(self.variable.root);
        touch
    }
}

/// Those of the nodes that define or use the variable; the names of variables that some do if none does.
pub(super) fn on_line(view: View<'_>, nodes: &[NodeId], name: &str) -> Result<Vec<NodeId>, Vec<String>> {
    let globals = of_program(view.program, name);
    let touched = |node: NodeId, variable: &Variable| touch(view, node, variable) != Touch::default();
    let found: Vec<NodeId> = nodes
        .iter()
        .copied()
        .filter(|node| {
            let own = of_function(view.program, view.sdg.function(*node), name);
            own.iter().chain(&globals).any(|variable| touched(*node, variable))
        })
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let mut names: BTreeSet<String> = BTreeSet::new();
    for node in nodes {
        let func = view.sdg.function(*node);
        let locals = view.body(func).locals.enumerate().map(|(id, l)| (Root::Local(id), l.name.as_str()));
        let statics = statics(view.program, func).map(|(id, name)| (Root::Global(id), name));
        let globals = view.program.globals.enumerate().filter(|(_, g)| g.owner.is_none());
        let globals = globals.map(|(id, g)| (Root::Global(id), g.name.as_str()));
        for (root, name) in locals.chain(statics).chain(globals) {
            // Temporaries and literals have no name that C could write.
            if !name.is_empty() && !name.contains('.') && touched(*node, &Variable { root, steps: Vec::new() }) {
                names.insert(name.to_owned());
            }
        }
    }
    Err(names.into_iter().collect())
}

/// What defines a variable of a function, and of a sink what uses it, too.
pub(super) fn in_function(view: View<'_>, function: &str, name: &str, role: Role) -> Result<Vec<NodeId>, UserError> {
    let functions = calls::functions(view, function)?;
    let mut found = Vec::new();
    let mut known = false;
    for &func in &functions {
        for variable in of_function(view.program, func, name) {
            known = true;
            found.extend(view.nodes_of(func).filter(|node| {
                let touch = touch(view, *node, &variable);
                match role {
                    Role::Source => touch.defines,
                    Role::Sink => touch.defines || touch.uses,
                }
            }));
        }
    }
    found.sort_unstable();
    found.dedup();
    if !found.is_empty() {
        return Ok(found);
    }
    Err(if functions.iter().all(|f| view.program.functions[*f].body.is_none()) {
        let help = format!("`{function}()` means its calls");
        UserError::usage(format!("`{function}` has no body in this program, hence no variables"), help)
    } else if functions.iter().all(|f| view.sdg.procedure_of(*f).is_none()) {
        let help = "`--entry FUNCTION` says where the program starts";
        UserError::usage(format!("no run comes to `{function}`"), help)
    } else if known {
        let done = match role {
            Role::Source => "is never given a value",
            Role::Sink => "is neither defined nor used",
        };
        UserError::usage(format!("`{name}` {done} in `{function}`"), "`FILE:LINE` chooses a statement")
    } else {
        unknown(view, &functions, function, name)
    })
}

fn unknown(view: View<'_>, functions: &[FuncId], function: &str, name: &str) -> UserError {
    let (wanted, _) = parse(name);
    let mut names: BTreeSet<String> = BTreeSet::new();
    for &func in functions {
        let locals = view.program.functions[func].body.iter().flat_map(|body| &body.locals).map(|l| l.name.as_str());
        let statics = statics(view.program, func).map(|(_, name)| name);
        names.extend(locals.chain(statics).filter(|name| !name.is_empty()).map(str::to_owned));
    }
    let names: Vec<String> = names.into_iter().collect();
    let help = match nearest(&wanted, names.iter().map(String::as_str)) {
        _ if !of_program(view.program, &wanted).is_empty() => {
            format!("`{wanted}` belongs to the whole program: `FILE:LINE:{name}` chooses a statement that touches it")
        }
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "it has no variables".to_owned(),
        None => format!("its variables: {}", quoted(&names)),
    };
    UserError::usage(format!("`{function}` has no variable `{wanted}`"), help)
}
