//! Bodies from shapes.

use crate::base::IdVec;
use crate::base::graph::LoopForest;
use crate::ir::sample::Sample;
use crate::ir::ssa::{ReturnsTwice, construct_body};
use crate::ir::*;
use crate::source::{Place, UnitId};

/// A block to be.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its successors; none: it returns.
    pub to: Vec<usize>,
    /// It has undefined behaviour instead of returning.
    pub undefined: bool,
    /// It has a call that may not return.
    pub ending: bool,
}

/// A body to be: the first block is the entry.
#[derive(Clone, Debug)]
pub struct Shape {
    pub blocks: Vec<Node>,
}

const PLACE: Place = Place { unit: UnitId(0), start: 0, end: 0 };

struct Builder {
    body: Body,
    access: Access,
}

impl Builder {
    fn emit(&mut self, block: BlockId, kind: InstKind, ty: TypeId) -> Operand {
        let id = self.body.insts.push(Inst { kind, ty, var: None, place: PLACE });
        self.body.blocks[block].insts.push(id);
        Operand::Value(id)
    }
    fn load(&mut self, block: BlockId, local: u32) -> Operand {
        let kind = InstKind::Load { addr: Operand::Local(LocalId(local)), access: self.access };
        self.emit(block, kind, Types::INT)
    }
    fn store(&mut self, block: BlockId, local: u32, value: Operand) {
        let kind = InstKind::Store { addr: Operand::Local(LocalId(local)), value, access: self.access };
        self.emit(block, kind, Types::VOID);
    }
}

/// The body in SSA form, and its calls that may not return. Each block uses and sets one of two variables and branches on the result of a call.
pub fn body(shape: &Shape) -> (Body, Vec<ValueId>) {
    let mut sample = Sample::new(0);
    let addr_ty = sample.pointer(Types::INT);
    let ty = sample.open_function_type(Types::INT);
    let [decide, end] = ["decide", "end"].map(|name| sample.declare(name, ty, Linkage::External));
    let empty = Body {
        params: Vec::new(),
        locals: IdVec::new(),
        blocks: IdVec::new(),
        insts: IdVec::new(),
        labels: IdVec::new(),
        entry: BlockId(0),
        loops: LoopForest::empty(),
    };
    let mut b = Builder { body: empty, access: Access { ty: Types::INT, volatile: false, atomic: false, bits: None } };
    for name in ["x", "y"] {
        let local =
            Local { name: name.into(), ty: Types::INT.into(), addr_ty, align: 4, place: PLACE, promoted: false };
        b.body.locals.push(local);
    }
    for _ in &shape.blocks {
        b.body.blocks.push(Block { insts: Vec::new(), term: Terminator::Unreachable, term_place: PLACE });
    }
    for (i, node) in shape.blocks.iter().enumerate() {
        let id = BlockId(i as u32);
        let call = |f: FuncId, args| InstKind::Call { callee: Callee::Direct(f), args };
        let used = b.load(id, (i % 2) as u32);
        let result = b.emit(id, call(decide, vec![used]), Types::INT);
        if i % 3 != 1 {
            b.store(id, (i / 2 % 2) as u32, result);
        }
        if node.ending {
            b.emit(id, call(end, Vec::new()), Types::INT);
        }
        let to = |at: usize| BlockId(node.to[at] as u32);
        b.body.blocks[id].term = match node.to.len() {
            0 if node.undefined => Terminator::Unreachable,
            0 => Terminator::Return(None),
            1 => Terminator::Jump(to(0)),
            n => {
                let cases = (1..n).map(|k| Case { low: k as i128, high: k as i128, target: to(k) }).collect();
                Terminator::Switch { value: result, cases, default: to(0) }
            }
        };
    }
    let mut body = b.body;
    cfg::clean(&mut body);
    construct_body(&sample.program.types, &ReturnsTwice::of(&sample.program), &mut body);
    let ending = |i: &Inst| matches!(i.kind, InstKind::Call { callee: Callee::Direct(f), .. } if f == end);
    let splits = body.insts.enumerate().filter(|(_, i)| ending(i)).map(|(id, _)| id).collect();
    (body, splits)
}
