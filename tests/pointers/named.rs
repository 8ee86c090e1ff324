//! The plainest analysis of pointers: an address that is computed from the name of an object stays in that object, and any other address may
//! be that of any object whose address goes anywhere.

use std::collections::BTreeSet;

use flowcheck::interp::watch::{Object, Touch};
use flowcheck::ir::{Body, Callee, FuncId, GlobalDef, InitItem, InitTarget, InstKind, Operand, Program, ValueId};

use super::Claims;

/// See the module.
pub struct Named<'a> {
    program: &'a Program,
    escaped: BTreeSet<Object>,
}

/// The same without the second half: it forgets all pointers in variables.
pub struct Strangers<'a>(pub Named<'a>);

impl<'a> Named<'a> {
    /// Of a program.
    pub fn new(program: &'a Program) -> Self {
        let mut escaped = BTreeSet::new();
        for global in &program.globals {
            let GlobalDef::Defined(init) = &global.definition else { continue };
            for (_, item) in &init.items {
                match item {
                    InitItem::Address { target: InitTarget::Global(g), .. } => escaped.insert(Object::Global(*g)),
                    InitItem::Address { target: InitTarget::Function(f), .. } => escaped.insert(Object::Function(*f)),
                    InitItem::Address { target: InitTarget::Label(..), .. } | InitItem::Bytes(_) => false,
                };
            }
        }
        let mut named = Named { program, escaped };
        for (f, _, body) in program.bodies() {
            for inst in &body.insts {
                named.uses(f, body, &inst.kind);
            }
            for block in &body.blocks {
                block.term.operand().into_iter().for_each(|op| named.escape(f, body, *op));
            }
        }
        named
    }

    fn escape(&mut self, f: FuncId, body: &Body, op: Operand) {
        if let Some(object) = self.root(f, body, op) {
            self.escaped.insert(object);
        }
    }

    fn uses(&mut self, f: FuncId, body: &Body, kind: &InstKind) {
        match kind {
            // What is accessed, and steps of an address, which are looked at where they are used.
            InstKind::Load { .. } | InstKind::PtrAdd { .. } | InstKind::FieldAddr { .. } | InstKind::Copy(_) => {}
            InstKind::Store { value, .. } => self.escape(f, body, *value),
            InstKind::Call { args, .. } => args.iter().for_each(|op| self.escape(f, body, *op)),
            other => other.for_each_operand(|op| self.escape(f, body, *op)),
        }
    }

    /// The object that an address is computed from.
    fn root(&self, f: FuncId, body: &Body, op: Operand) -> Option<Object> {
        match op {
            Operand::Global(g) => Some(Object::Global(g)),
            Operand::Local(l) => Some(Object::Local(f, l)),
            Operand::Function(g) => Some(Object::Function(g)),
            Operand::Value(v) => match body.insts[v].kind {
                InstKind::PtrAdd { base, .. } | InstKind::FieldAddr { base, .. } | InstKind::Copy(base) => {
                    self.root(f, body, base)
                }
                InstKind::Cast(from) if self.program.types.pointee(body.insts[v].ty).is_some() => {
                    let pointer = self.program.operand_type(body, from);
                    self.program.types.pointee(pointer).and_then(|_| self.root(f, body, from))
                }
                InstKind::Alloca { .. } => Some(Object::Alloca(f, v)),
                _ => None,
            },
            Operand::Int(..) | Operand::Float(..) | Operand::Label(_) => None,
        }
    }

    fn body(&self, f: FuncId) -> &'a Body {
        self.program.functions[f].body.as_ref().expect("it was executed")
    }
}

impl Claims for Named<'_> {
    fn show(&self, _: &Program, function: FuncId, address: Operand) -> String {
        format!("{:?}", self.root(function, self.body(function), address))
    }
    fn may_touch(&self, touch: &Touch, address: Operand, _: u64) -> bool {
        match self.root(touch.function, self.body(touch.function), address) {
            Some(root) => root == touch.object,
            None => match touch.object {
                Object::Heap { .. } | Object::Other => true,
                Object::Global(_) | Object::Local(..) | Object::Alloca(..) | Object::Function(_) => {
                    self.escaped.contains(&touch.object)
                }
            },
        }
    }
    fn may_call(&self, function: FuncId, call: ValueId, callee: FuncId) -> bool {
        let body = self.body(function);
        let InstKind::Call { callee: Callee::Indirect(op), .. } = body.insts[call].kind else { return false };
        match self.root(function, body, op) {
            Some(root) => root == Object::Function(callee),
            None => self.escaped.contains(&Object::Function(callee)),
        }
    }
}

impl Claims for Strangers<'_> {
    fn show(&self, program: &Program, function: FuncId, address: Operand) -> String {
        self.0.show(program, function, address)
    }
    fn may_touch(&self, touch: &Touch, address: Operand, _: u64) -> bool {
        self.0.root(touch.function, self.0.body(touch.function), address) == Some(touch.object)
    }
    fn may_call(&self, function: FuncId, call: ValueId, callee: FuncId) -> bool {
        let body = self.0.body(function);
        let InstKind::Call { callee: Callee::Indirect(op), .. } = body.insts[call].kind else { return false };
        self.0.root(function, body, op) == Some(Object::Function(callee))
    }
}
