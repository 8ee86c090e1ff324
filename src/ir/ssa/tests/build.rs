//! Programs for tests: by hand ([`Builder`]) and at random ([`random`]).

use crate::base::IdVec;
use crate::base::graph::{DepthFirst, Dominators, LoopForest};
use crate::ir::cfg;
use crate::ir::syntax::*;
use crate::ir::types::*;
use crate::source::{DataModel, Place, UnitId};

/// The place of everything in these tests.
pub(in crate::ir) const PLACE: Place = Place { unit: UnitId(0), start: 0, end: 0 };

/// A program of two functions, `observe`, whose calls are what a run shows, and `main`, which is being built.
pub(in crate::ir) struct Builder {
    pub types: Types,
    pub body: Body,
}

pub(in crate::ir) const OBSERVE: FuncId = FuncId(0);
pub(in crate::ir) const MAIN: FuncId = FuncId(1);

impl Builder {
    /// With an empty entry, and so many parameters of type `int`.
    pub fn new(params: u32) -> Builder {
        let mut b = Builder {
            types: Types::new(DataModel::lp64()),
            body: Body {
                params: Vec::new(),
                locals: IdVec::new(),
                blocks: IdVec::new(),
                insts: IdVec::new(),
                labels: IdVec::new(),
                entry: BlockId(0),
                loops: LoopForest::empty(),
            },
        };
        let entry = b.block();
        for n in 0..params {
            b.local(&format!("p{n}"), Types::INT.into());
            let Operand::Value(v) = b.emit(entry, InstKind::Param(n), Types::INT) else { unreachable!() };
            b.body.params.push(v);
        }
        for n in 0..params {
            b.store(entry, LocalId(n), Operand::Value(b.body.params[n as usize]));
        }
        b
    }
    pub fn block(&mut self) -> BlockId {
        self.body.blocks.push(Block { insts: Vec::new(), term: Terminator::Unreachable, term_place: PLACE })
    }
    pub fn local(&mut self, name: &str, ty: QualType) -> LocalId {
        let addr_ty = self.types.pointer_to(ty.ty.into());
        let align = self.types.align_of(ty.ty);
        self.body.locals.push(Local { name: name.into(), ty, addr_ty, align, place: PLACE, promoted: false })
    }
    pub fn emit(&mut self, block: BlockId, kind: InstKind, ty: TypeId) -> Operand {
        let id = self.body.insts.push(Inst { kind, ty, var: None, place: PLACE });
        self.body.blocks[block].insts.push(id);
        Operand::Value(id)
    }
    fn access(&self, l: LocalId) -> Access {
        let QualType { ty, quals } = self.body.locals[l].ty;
        Access { ty, volatile: quals.has(Quals::VOLATILE), atomic: quals.has(Quals::ATOMIC), bits: None }
    }
    pub fn load(&mut self, block: BlockId, l: LocalId) -> Operand {
        let access = self.access(l);
        self.emit(block, InstKind::Load { addr: Operand::Local(l), access }, access.ty)
    }
    pub fn store(&mut self, block: BlockId, l: LocalId, value: Operand) {
        let access = self.access(l);
        self.emit(block, InstKind::Store { addr: Operand::Local(l), value, access }, Types::VOID);
    }
    pub fn add(&mut self, block: BlockId, a: Operand, b: Operand) -> Operand {
        self.emit(block, InstKind::Binary(BinOp::Add, a, b), Types::INT)
    }
    pub fn observe(&mut self, block: BlockId, args: Vec<Operand>) -> Operand {
        self.emit(block, InstKind::Call { callee: Callee::Direct(OBSERVE), args }, Types::INT)
    }
    pub fn end(&mut self, block: BlockId, term: Terminator) {
        self.body.blocks[block].term = term;
    }
    pub fn branch(&mut self, block: BlockId, cond: Operand, then: BlockId, otherwise: BlockId) {
        self.end(block, Terminator::Branch { cond, then, otherwise });
    }
    pub fn finish(mut self) -> Program {
        let params = vec![Types::INT; self.body.params.len()];
        let function = |types: &mut Types, name: &str, prototype, params, body| {
            let ty =
                types.intern(Type::Function(FunctionType { result: Types::INT, params, variadic: false, prototype }));
            Function {
                name: name.into(),
                link_name: None,
                ty,
                addr_ty: types.pointer_to(ty.into()),
                linkage: Linkage::External,
                noreturn: false,
                returns_twice: false,
                interrupt: false,
                alias: None,
                place: PLACE,
                body,
            }
        };
        let observe = function(&mut self.types, "observe", false, Vec::new(), None);
        let main = function(&mut self.types, "main", true, params, Some(self.body));
        Program {
            types: self.types,
            globals: IdVec::new(),
            functions: [observe, main].into_iter().collect(),
            constructors: Vec::new(),
            destructors: Vec::new(),
            assumptions: Vec::new(),
        }
    }
}

pub(in crate::ir) fn int(value: i128) -> Operand {
    Operand::Int(Int::new(value), Types::INT)
}

/// A small generator of numbers, so that a case is named by its seed.
pub(in crate::ir) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % n as u64) as usize
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// A local and what may be done with it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::ir) enum Use {
    /// Loads and stores only: must be promoted.
    Plain,
    /// Its address is given away somewhere.
    Escapes,
    Volatile,
    /// Somewhere read as `unsigned`.
    Pun,
}

/// A random body, neither clean nor in SSA form, and what its locals are used for.
pub(in crate::ir) fn random(seed: u64, size: usize, structured: bool) -> (Program, Vec<Use>) {
    let mut r = Random::new(seed);
    let params = r.below(3) as u32;
    let mut b = Builder::new(params);
    let mut uses = vec![Use::Plain; params as usize];
    for n in 0..=r.below(5) {
        let used = match r.below(8) {
            0 => Use::Escapes,
            1 => Use::Volatile,
            2 => Use::Pun,
            _ => Use::Plain,
        };
        let quals = if used == Use::Volatile { Quals::VOLATILE } else { Quals::NONE };
        b.local(&format!("x{n}"), QualType { ty: Types::INT, quals });
        uses.push(used);
    }
    if structured {
        let end = b.block();
        b.end(end, Terminator::Return(Some(int(0))));
        let mut scope = Scope { breaks: vec![end], continues: vec![end], budget: size };
        let last = statements(&mut b, &mut r, BlockId(0), &mut scope);
        b.end(last, Terminator::Jump(end));
    } else {
        jumble(&mut b, &mut r, size);
    }
    fill(&mut b, &mut r, &uses);
    (b.finish(), uses)
}

/// The decisions of a random body are set later, when values are known.
const LATER: Operand = Operand::Label(LabelId(0));

/// Blocks that lead anywhere.
fn jumble(b: &mut Builder, r: &mut Random, size: usize) {
    let first = b.body.blocks.len();
    (0..size).for_each(|_| {
        b.block();
    });
    let count = first + size;
    let mut dispatched = false;
    for i in 0..count {
        let mut any = || BlockId(r.below(count) as u32);
        let ways = [any(), any(), any()];
        let next = BlockId(((i + 1) % count) as u32);
        let term = match r.below(12) {
            0 => Terminator::Return(Some(int(0))),
            1 | 2 => Terminator::Jump(ways[0]),
            3 => switch(ways),
            4 if !dispatched && i > 0 => {
                dispatched = true;
                let labels = ways.map(|block| (b.body.labels.push(Label { name: "l".into(), block }), block));
                Terminator::IndirectJump { addr: LATER, targets: labels.to_vec() }
            }
            5 => Terminator::Branch { cond: int(r.below(2) as i128), then: ways[0], otherwise: ways[1] },
            6 | 7 => Terminator::Branch { cond: LATER, then: ways[0], otherwise: ways[1] },
            _ => Terminator::Branch { cond: LATER, then: ways[0], otherwise: next },
        };
        b.end(BlockId(i as u32), term);
    }
}

fn switch([first, second, default]: [BlockId; 3]) -> Terminator {
    let case = |low, high, target| Case { low, high, target };
    Terminator::Switch { value: LATER, cases: vec![case(0, 1, first), case(5, 5, second), case(6, 9, first)], default }
}

/// What encloses a statement.
struct Scope {
    breaks: Vec<BlockId>,
    continues: Vec<BlockId>,
    /// How many more statements there may be.
    budget: usize,
}

/// Random statements from `at` on; returns where control goes on.
fn statements(b: &mut Builder, r: &mut Random, mut at: BlockId, scope: &mut Scope) -> BlockId {
    for _ in 0..=r.below(4) {
        if scope.budget == 0 {
            break;
        }
        scope.budget -= 1;
        let (inner, end) = (b.block(), b.block());
        match r.below(7) {
            0 => {
                b.branch(at, LATER, inner, end);
                let last = statements(b, r, inner, scope);
                b.end(last, Terminator::Jump(end));
            }
            1 => {
                let other = b.block();
                b.branch(at, LATER, inner, other);
                for side in [inner, other] {
                    let last = statements(b, r, side, scope);
                    b.end(last, Terminator::Jump(end));
                }
            }
            2 | 3 => {
                // `for (;;)` or `while`: the step is where `continue` leads.
                let (head, step) = (b.block(), b.block());
                b.end(at, Terminator::Jump(head));
                if r.chance(80) {
                    b.branch(head, LATER, inner, end);
                } else {
                    b.end(head, Terminator::Jump(inner));
                }
                scope.breaks.push(end);
                scope.continues.push(step);
                let last = statements(b, r, inner, scope);
                scope.breaks.pop();
                scope.continues.pop();
                b.end(last, Terminator::Jump(step));
                b.end(step, Terminator::Jump(head));
            }
            4 => {
                // `do while`
                b.end(at, Terminator::Jump(inner));
                scope.breaks.push(end);
                scope.continues.push(inner);
                let last = statements(b, r, inner, scope);
                scope.breaks.pop();
                scope.continues.pop();
                b.branch(last, LATER, inner, end);
            }
            5 => {
                // A switch that falls through.
                let second = b.block();
                b.end(at, switch([inner, second, end]));
                scope.breaks.push(end);
                let last = statements(b, r, inner, scope);
                b.end(last, Terminator::Jump(second));
                let last = statements(b, r, second, scope);
                b.end(last, Terminator::Jump(end));
                scope.breaks.pop();
            }
            _ => {
                // `if (c) break;`, or of several levels, as `goto` does, or `continue`
                let levels = if r.chance(70) { &scope.breaks } else { &scope.continues };
                let target = levels[r.below(levels.len())];
                b.branch(at, LATER, target, end);
                b.end(inner, Terminator::Return(None));
            }
        }
        at = end;
    }
    at
}

/// Puts instructions and conditions into blocks: they use the locals, and any value whose definition dominates them.
fn fill(b: &mut Builder, r: &mut Random, uses: &[Use]) {
    let graph = cfg::graph(&b.body);
    let dominators = Dominators::new(&graph, &graph.reversed(), b.body.entry);
    let reached = DepthFirst::new(&graph, [b.body.entry]);
    let mut values: IdVec<BlockId, Vec<Operand>> = IdVec::filled(Vec::new(), b.body.blocks.len());
    let (inside, outside): (Vec<BlockId>, Vec<BlockId>) = b.body.blocks.ids().partition(|x| reached.reached(*x));
    let order = dominators.preorder().iter().copied().chain(outside);
    assert_eq!(inside.len(), dominators.preorder().len());
    for block in order {
        let mut known = dominators.idom(block).map_or(vec![int(1), int(2)], |up| values[up].clone());
        for _ in 0..r.below(5) {
            let l = LocalId(r.below(uses.len()) as u32);
            let x = known[r.below(known.len())];
            match r.below(8) {
                0 => {
                    let sum = b.add(block, x, int(r.below(9) as i128));
                    known.push(sum);
                }
                1 | 2 => {
                    let value = b.load(block, l);
                    known.push(value);
                }
                3 | 4 => b.store(block, l, x),
                5 => {
                    let value = b.load(block, l);
                    let sum = b.add(block, value, int(1));
                    b.store(block, l, sum);
                }
                _ => {
                    let value = b.load(block, l);
                    known.push(b.observe(block, vec![x, value]));
                }
            }
            match uses[l.0 as usize] {
                Use::Escapes if r.chance(40) => {
                    b.observe(block, vec![Operand::Local(l)]);
                }
                Use::Pun if r.chance(40) => {
                    let access = Access { ty: Types::UINT, volatile: false, atomic: false, bits: None };
                    let value = b.emit(block, InstKind::Load { addr: Operand::Local(l), access }, Types::UINT);
                    b.observe(block, vec![value]);
                }
                _ => {}
            }
        }
        let cond = known[r.below(known.len())];
        values[block] = known;
        let is_goto = matches!(b.body.blocks[block].term, Terminator::IndirectJump { .. });
        let cond = if is_goto { b.emit(block, InstKind::Cast(cond), Types::VOID_PTR) } else { cond };
        if let Some(op) = b.body.blocks[block].term.operand_mut()
            && *op == LATER
        {
            *op = cond;
        }
    }
    // Every way out shows all locals.
    for block in b.body.blocks.ids() {
        if let Terminator::Return(_) = b.body.blocks[block].term {
            for l in (0..uses.len()).filter(|i| i % 2 == 0) {
                let value = b.load(block, LocalId(l as u32));
                b.observe(block, vec![value]);
            }
        }
    }
}
