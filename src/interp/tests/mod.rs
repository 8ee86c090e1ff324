//! Programs built by hand: what the loop, the memory and calls do, in both forms of the IR, on several targets.

mod calls;
mod random;
mod values;
mod watch;

use super::{End, Outcome, Setup, run};
use crate::base::IdVec;
use crate::base::graph::LoopForest;
use crate::ir::*;
use crate::source::{DataModel, Place, UnitId};

pub(super) const NOWHERE: Place = Place { unit: UnitId(0), start: 0, end: 0 };

/// A program under construction.
pub(super) struct Build {
    pub program: Program,
}

/// A body under construction; instructions go to the current block.
pub(super) struct Fun<'a> {
    pub program: &'a mut Program,
    pub body: Body,
    at: BlockId,
}

impl Build {
    pub fn new(model: DataModel) -> Build {
        let program = Program {
            types: Types::new(model),
            globals: IdVec::new(),
            functions: IdVec::new(),
            constructors: Vec::new(),
            destructors: Vec::new(),
            assumptions: Vec::new(),
        };
        Build { program }
    }
    /// Declares a function.
    pub fn declare(&mut self, name: &str, result: TypeId, params: &[TypeId], variadic: bool) -> FuncId {
        let ty = FunctionType { result, params: params.to_vec(), variadic, prototype: true };
        let ty = self.program.types.intern(Type::Function(ty));
        let addr_ty = self.program.types.pointer_to(ty.into());
        self.program.functions.push(Function {
            name: name.into(),
            link_name: None,
            ty,
            addr_ty,
            linkage: Linkage::External,
            noreturn: false,
            returns_twice: false,
            interrupt: false,
            alias: None,
            place: NOWHERE,
            body: None,
        })
    }
    /// Defines a declared function; `fill` gets the parameters' values.
    pub fn define(&mut self, id: FuncId, fill: impl FnOnce(&mut Fun<'_>, &[Operand])) {
        let function = self.program.types.as_function(self.program.functions[id].ty).expect("a function").clone();
        let mut blocks = IdVec::new();
        let entry = blocks.push(Block { insts: Vec::new(), term: Terminator::Unreachable, term_place: NOWHERE });
        let body = Body {
            params: Vec::new(),
            locals: IdVec::new(),
            blocks,
            insts: IdVec::new(),
            labels: IdVec::new(),
            entry,
            loops: LoopForest::empty(),
        };
        let mut f = Fun { program: &mut self.program, body, at: entry };
        let params: Vec<Operand> =
            function.params.iter().enumerate().map(|(i, ty)| f.inst(InstKind::Param(i as u32), *ty)).collect();
        fill(&mut f, &params);
        let body = f.body;
        self.program.functions[id].body = Some(body);
    }
    /// Defines `main`.
    pub fn main(&mut self, fill: impl FnOnce(&mut Fun<'_>)) -> Outcome {
        let main = self.declare("main", Types::INT, &[], false);
        self.define(main, |f, _| fill(f));
        self.run(&Setup { max_steps: 10_000_000, ..Setup::default() })
    }
    pub fn run(&self, setup: &Setup) -> Outcome {
        run(&self.program, setup)
    }
    /// A string literal.
    pub fn text(&mut self, text: &str) -> Operand {
        let ty = self.program.types.array_of(Types::CHAR.into(), Length::Fixed(text.len() as u64 + 1));
        let bytes = text.bytes().chain([0]).collect();
        Operand::Global(self.global(ty, vec![(0, InitItem::Bytes(bytes))]))
    }
    pub fn global(&mut self, ty: TypeId, items: Vec<(u64, InitItem)>) -> GlobalId {
        let addr_ty = self.program.types.pointer_to(ty.into());
        self.program.globals.push(Global {
            name: format!(".g{}", self.program.globals.len()),
            link_name: None,
            ty: ty.into(),
            addr_ty,
            align: self.program.types.align_of(ty),
            linkage: Linkage::Internal,
            definition: GlobalDef::Defined(Initializer { items }),
            thread_local: false,
            owner: None,
            place: NOWHERE,
        })
    }
    /// A struct of these members, laid out by hand: offset, type, bits.
    pub fn record(&mut self, size: u64, align: u64, members: &[(u64, TypeId, Option<Bits>)]) -> TypeId {
        let members = members
            .iter()
            .map(|(offset, ty, bits)| Member { name: String::new(), ty: (*ty).into(), offset: *offset, bits: *bits })
            .collect();
        let id = self.program.types.records.push(Record {
            kind: RecordKind::Struct,
            name: "s".into(),
            members,
            size,
            align,
            complete: true,
            transparent: false,
        });
        self.program.types.intern(Type::Record(id))
    }
}

impl Fun<'_> {
    pub fn inst(&mut self, kind: InstKind, ty: TypeId) -> Operand {
        let v = self.body.insts.push(Inst { kind, ty, var: None, place: NOWHERE });
        self.body.blocks[self.at].insts.push(v);
        Operand::Value(v)
    }
    pub fn block(&mut self) -> BlockId {
        self.body.blocks.push(Block { insts: Vec::new(), term: Terminator::Unreachable, term_place: NOWHERE })
    }
    /// Ends the current block and goes on in another.
    pub fn end(&mut self, term: Terminator, next: BlockId) {
        self.body.blocks[self.at].term = term;
        self.at = next;
    }
    pub fn here(&self) -> BlockId {
        self.at
    }
    pub fn ret(&mut self, value: Operand) {
        self.body.blocks[self.at].term = Terminator::Return(Some(value));
    }
    pub fn local(&mut self, ty: TypeId) -> Operand {
        let addr_ty = self.program.types.pointer_to(ty.into());
        let align = self.program.types.align_of(ty);
        let local = Local { name: "x".into(), ty: ty.into(), addr_ty, align, place: NOWHERE, promoted: false };
        Operand::Local(self.body.locals.push(local))
    }
    pub fn load(&mut self, addr: Operand, ty: TypeId) -> Operand {
        let access = Access { ty, volatile: false, atomic: false, bits: None };
        self.inst(InstKind::Load { addr, access }, ty)
    }
    pub fn store(&mut self, addr: Operand, value: Operand, ty: TypeId) {
        let access = Access { ty, volatile: false, atomic: false, bits: None };
        self.inst(InstKind::Store { addr, value, access }, Types::VOID);
    }
    pub fn binary(&mut self, op: BinOp, a: Operand, b: Operand, ty: TypeId) -> Operand {
        self.inst(InstKind::Binary(op, a, b), ty)
    }
    pub fn compare(&mut self, op: CmpOp, a: Operand, b: Operand) -> Operand {
        self.inst(InstKind::Compare(op, a, b), Types::INT)
    }
    pub fn cast(&mut self, a: Operand, ty: TypeId) -> Operand {
        self.inst(InstKind::Cast(a), ty)
    }
    pub fn add(&mut self, base: Operand, index: i128, stride: u64) -> Operand {
        let ty = self.program.types.ptrdiff_t();
        let pointer = self.program.operand_type(&self.body, base);
        self.inst(InstKind::PtrAdd { base, index: int(index, ty), stride }, pointer)
    }
    pub fn call(&mut self, callee: FuncId, args: &[Operand]) -> Operand {
        let function = self.program.functions[callee].ty;
        let result = self.program.types.as_function(function).expect("a function").result;
        self.inst(InstKind::Call { callee: Callee::Direct(callee), args: args.to_vec() }, result)
    }
}

pub(super) fn int(value: i128, ty: TypeId) -> Operand {
    Operand::Int(Int::new(value), ty)
}

pub(super) fn double(value: f64) -> Operand {
    Operand::Float(Int::new(i128::from(value.to_bits())), Types::DOUBLE)
}

pub(super) const LONG: TypeId = Types::int(IntKind::Long);

/// What a trap says.
pub(super) fn trap(outcome: Outcome) -> String {
    match outcome.end {
        End::Trap { message, .. } => message,
        other => panic!("no trap but {other:?}"),
    }
}
