//! Small programs built by hand, for tests of phases that work on any program.

use super::*;
use crate::base::IdVec;
use crate::base::graph::{Loop, LoopForest, LoopId};
use crate::source::{DataModel, Place, UnitId};

/// A translation unit under construction. Every place it hands out is different.
pub(crate) struct Sample {
    pub program: Program,
    unit: u32,
    next_place: u32,
}

impl Sample {
    pub fn new(unit: u32) -> Sample {
        let program = Program {
            types: Types::new(DataModel::lp64()),
            globals: IdVec::new(),
            functions: IdVec::new(),
            constructors: Vec::new(),
            destructors: Vec::new(),
            assumptions: Vec::new(),
        };
        Sample { program, unit, next_place: 0 }
    }

    pub fn place(&mut self) -> Place {
        self.next_place += 10;
        Place { unit: UnitId(self.unit), start: self.next_place, end: self.next_place + 5 }
    }

    pub fn pointer(&mut self, to: TypeId) -> TypeId {
        self.program.types.pointer_to(to.into())
    }

    pub fn function_type(&mut self, result: TypeId, params: &[TypeId]) -> TypeId {
        let ty = FunctionType { result, params: params.to_vec(), variadic: false, prototype: true };
        self.program.types.intern(Type::Function(ty))
    }

    /// `result f()`
    pub fn open_function_type(&mut self, result: TypeId) -> TypeId {
        let ty = FunctionType { result, params: Vec::new(), variadic: false, prototype: false };
        self.program.types.intern(Type::Function(ty))
    }

    /// An incomplete struct.
    pub fn opaque(&mut self, name: &str) -> (RecordId, TypeId) {
        let id = self.program.types.records.push(Record {
            kind: RecordKind::Struct,
            name: name.into(),
            members: Vec::new(),
            size: 0,
            align: 1,
            complete: false,
            transparent: false,
        });
        (id, self.program.types.intern(Type::Record(id)))
    }

    /// Completes a struct with members at multiples of 8 bytes.
    pub fn complete(&mut self, id: RecordId, members: &[(&str, TypeId)]) {
        let record = &mut self.program.types.records[id];
        record.members = (0u64..)
            .zip(members)
            .map(|(i, (name, ty))| Member { name: (*name).into(), ty: (*ty).into(), offset: 8 * i, bits: None })
            .collect();
        record.size = 8 * members.len() as u64;
        record.align = 8;
        record.complete = true;
    }

    pub fn record(&mut self, name: &str, members: &[(&str, TypeId)]) -> (RecordId, TypeId) {
        let (id, ty) = self.opaque(name);
        self.complete(id, members);
        (id, ty)
    }

    pub fn enumeration(&mut self, name: &str, constants: &[(&str, i128)]) -> TypeId {
        let id = self.program.types.enums.push(Enum {
            name: name.into(),
            underlying: IntKind::UInt,
            constants: constants.iter().map(|(n, v)| ((*n).into(), *v)).collect(),
            complete: true,
        });
        self.program.types.intern(Type::Enum(id))
    }

    pub fn global(&mut self, name: &str, ty: TypeId, linkage: Linkage, definition: GlobalDef) -> GlobalId {
        let place = self.place();
        let addr_ty = self.pointer(ty);
        let align = self.program.types.align_of(ty);
        self.program.globals.push(Global {
            name: name.into(),
            link_name: None,
            ty: ty.into(),
            addr_ty,
            align,
            linkage,
            definition,
            thread_local: false,
            owner: None,
            place,
        })
    }

    /// A string literal.
    pub fn literal(&mut self, name: &str, text: &str) -> GlobalId {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        let ty = self.program.types.array_of(Types::CHAR.into(), Length::Fixed(bytes.len() as u64));
        let init = Initializer { items: vec![(0, InitItem::Bytes(bytes))] };
        self.global(name, ty, Linkage::Internal, GlobalDef::Defined(init))
    }

    /// A function without a body.
    pub fn declare(&mut self, name: &str, ty: TypeId, linkage: Linkage) -> FuncId {
        let place = self.place();
        let addr_ty = self.pointer(ty);
        self.program.functions.push(Function {
            name: name.into(),
            link_name: None,
            ty,
            addr_ty,
            linkage,
            noreturn: false,
            returns_twice: false,
            interrupt: false,
            alias: None,
            place,
            body: None,
        })
    }

    /// Starts the body of a function: the parameters, in an open entry block.
    pub fn body(&mut self, f: FuncId) -> SampleBody<'_> {
        let place = self.program.functions[f].place;
        let params = match self.program.types.get(self.program.functions[f].ty) {
            Type::Function(ty) => ty.params.clone(),
            _ => panic!("a function has a function type"),
        };
        let mut body = Body {
            params: Vec::new(),
            locals: IdVec::new(),
            blocks: IdVec::new(),
            insts: IdVec::new(),
            labels: IdVec::new(),
            entry: BlockId(0),
            loops: LoopForest::empty(),
        };
        body.blocks.push(Block { insts: Vec::new(), term: Terminator::Unreachable, term_place: place });
        let mut building = SampleBody { sample: self, f, body, at: BlockId(0) };
        for (i, ty) in (0..).zip(params) {
            building.local(&format!("p{i}"), ty);
            let value = building.inst(InstKind::Param(i), ty);
            building.body.params.push(value);
        }
        building
    }

    /// Defines `f` as a function that calls `callees` without arguments, refers to `globals`, and returns.
    pub fn define(&mut self, f: FuncId, callees: &[FuncId], globals: &[GlobalId]) {
        let mut body = self.body(f);
        for g in globals {
            let ty = body.sample.program.globals[*g].ty.ty;
            body.load(Operand::Global(*g), ty);
        }
        for callee in callees {
            body.inst(InstKind::Call { callee: Callee::Direct(*callee), args: Vec::new() }, Types::INT);
        }
        body.end(Terminator::Return(None));
        body.finish();
    }

    /// `linkage int name(void)`, defined.
    pub fn defined(&mut self, name: &str, linkage: Linkage, callees: &[FuncId], globals: &[GlobalId]) -> FuncId {
        let ty = self.function_type(Types::INT, &[]);
        let f = self.declare(name, ty, linkage);
        self.define(f, callees, globals);
        f
    }
}

/// A body under construction.
pub(crate) struct SampleBody<'a> {
    pub sample: &'a mut Sample,
    f: FuncId,
    pub body: Body,
    at: BlockId,
}

impl SampleBody<'_> {
    pub fn local(&mut self, name: &str, ty: TypeId) -> LocalId {
        let place = self.sample.place();
        let addr_ty = self.sample.pointer(ty);
        let align = self.sample.program.types.align_of(ty);
        self.body.locals.push(Local { name: name.into(), ty: ty.into(), addr_ty, align, place, promoted: false })
    }

    pub fn inst(&mut self, kind: InstKind, ty: TypeId) -> ValueId {
        let place = self.sample.place();
        let id = self.body.insts.push(Inst { kind, ty, var: None, place });
        self.body.blocks[self.at].insts.push(id);
        id
    }

    pub fn load(&mut self, addr: Operand, ty: TypeId) -> ValueId {
        self.inst(InstKind::Load { addr, access: plain(ty) }, ty)
    }

    pub fn store(&mut self, addr: Operand, value: Operand, ty: TypeId) {
        self.inst(InstKind::Store { addr, value, access: plain(ty) }, Types::VOID);
    }

    /// A new block; [`SampleBody::go_on_in`] makes it the current one.
    pub fn block(&mut self) -> BlockId {
        let term_place = self.sample.place();
        self.body.blocks.push(Block { insts: Vec::new(), term: Terminator::Unreachable, term_place })
    }

    pub fn go_on_in(&mut self, block: BlockId) {
        self.at = block;
    }

    pub fn end(&mut self, term: Terminator) {
        self.body.blocks[self.at].term = term;
    }

    pub fn finish(self) {
        self.sample.program.functions[self.f].body = Some(self.body);
    }
}

fn plain(ty: TypeId) -> Access {
    Access { ty, volatile: false, atomic: false, bits: None }
}

/// An `int` constant.
pub(crate) fn int(value: i128) -> Operand {
    Operand::Int(Int::new(value), Types::INT)
}

/// `int sum(int n) { int s = 0; for (…; i < n; …) s += i; return s; }`, with the loop of SSA form.
pub(crate) fn counting() -> Sample {
    let mut sample = Sample::new(0);
    let ty = sample.function_type(Types::INT, &[Types::INT]);
    let f = sample.declare("sum", ty, Linkage::External);
    let mut body = sample.body(f);
    let n = Operand::Value(body.body.params[0]);
    let total = body.local("total", Types::INT);
    let (head, again, done) = (body.block(), body.block(), body.block());
    body.end(Terminator::Jump(head));
    body.go_on_in(head);
    let i = ValueId(1);
    let phi = body.inst(InstKind::Phi(vec![(BlockId(0), int(0)), (again, Operand::Value(ValueId(3)))]), Types::INT);
    assert_eq!(i, phi);
    let test = body.inst(InstKind::Compare(CmpOp::Lt, Operand::Value(i), n), Types::INT);
    body.end(Terminator::Branch { cond: Operand::Value(test), then: again, otherwise: done });
    body.go_on_in(again);
    body.inst(InstKind::Binary(BinOp::Add, Operand::Value(i), int(1)), Types::INT);
    body.store(Operand::Local(total), Operand::Value(i), Types::INT);
    body.end(Terminator::Jump(head));
    body.go_on_in(done);
    let result = body.load(Operand::Local(total), Types::INT);
    body.end(Terminator::Return(Some(Operand::Value(result))));
    body.body.loops = LoopForest {
        loops: std::iter::once(Loop {
            header: head,
            entries: vec![head],
            parent: None,
            depth: 1,
            nodes: vec![head, again],
        })
        .collect(),
        innermost: vec![None, Some(LoopId(0)), Some(LoopId(0)), None],
    };
    body.body.insts[phi].var = Some(LocalId(0));
    body.finish();
    sample
}
