//! Instructions.

use super::super::code::{Op, Slow, Src};
use super::super::value::{Class, Format, Scalar, Shape};
use super::super::watch::Spot;
use super::Translator;
use crate::ir::{Access, Asm, BinOp, Inst, InstKind, Intrinsic, Operand, ValueId};
use crate::source::Place;

/// Templates that do nothing that this memory model could see.
const NO_EFFECT: [&str; 7] = ["", "nop", "pause", "mfence", "lfence", "sfence", "rep; nop"];

/// The scalar as it is in one slot of memory, or `None` if it needs more.
fn small(scalar: Scalar) -> Option<Shape> {
    match scalar {
        Scalar::Bool => Some(Shape { bits: 8, signed: false }),
        Scalar::Int(shape) => Some(shape),
        Scalar::Float(format @ (Format::Half | Format::Single | Format::Double)) => {
            Some(Shape { bits: format.bytes() as u8 * 8, signed: false })
        }
        Scalar::Wide(_) | Scalar::Float(Format::X87 | Format::Quad) => None,
    }
}

impl Translator<'_> {
    /// Emits the code of an instruction.
    pub(super) fn inst(&mut self, v: ValueId) {
        let Inst { kind, ty, place, .. } = &self.body.insts[v];
        let (ty, place) = (*ty, *place);
        let dst = self.own.values[v];
        let class = Class::of(&self.program.types, ty);
        match kind {
            InstKind::Param(n) => {
                // The caller writes the first instruction of each parameter.
                if let Some((Some(first), _)) = self.own.layout.params.get(*n as usize)
                    && *first != dst
                {
                    self.move_to(dst, Src::register(*first), class, place);
                }
            }
            // The edges make a phi's moves; a list needs no end.
            InstKind::Phi(_) | InstKind::VaEnd(_) => {}
            InstKind::Copy(a) => {
                let src = self.src_as(*a, class, place);
                self.move_to(dst, src, class, place);
            }
            InstKind::Uninit => self.clear(dst, class, place),
            InstKind::Unary(op, a) => {
                let a = self.src(*a);
                let op = match (op, class) {
                    (crate::ir::UnOp::Neg, Class::Scalar(Scalar::Int(shape))) => Op::Negate { shape, dst, a },
                    (crate::ir::UnOp::Not, Class::Scalar(Scalar::Int(shape))) => Op::Complement { shape, dst, a },
                    (op, class) => return self.slow(Slow::Unary { op: *op, class, dst, a }, place),
                };
                self.emit(op, place);
            }
            InstKind::Binary(op, a, b) => self.binary(*op, class, dst, *a, *b, place),
            InstKind::Compare(op, a, b) => {
                let operands = self.class(*a);
                let (op, a, b) = (*op, self.src(*a), self.src(*b));
                let code = match operands {
                    Class::Scalar(scalar @ (Scalar::Int(_) | Scalar::Bool)) => {
                        Op::Compare { op, signed: scalar.signed(), dst, a, b }
                    }
                    Class::Scalar(Scalar::Float(Format::Double)) => Op::CompareDouble { op, dst, a, b },
                    Class::Scalar(Scalar::Float(Format::Single)) => Op::CompareSingle { op, dst, a, b },
                    Class::Scalar(Scalar::Wide(_) | Scalar::Float(_))
                    | Class::Void
                    | Class::Complex { .. }
                    | Class::Vector { .. }
                    | Class::Bytes(_) => {
                        return self.slow(Slow::Compare { op, class: operands, result: class, dst, a, b }, place);
                    }
                };
                self.emit(code, place);
            }
            InstKind::Cast(a) => self.cast(*a, class, dst, place),
            InstKind::PtrAdd { base, index, stride } => {
                let (base, index) = (self.src(*base), self.src(*index));
                self.emit(Op::Element { dst, base, index, stride: *stride }, place);
                self.wrap_pointer(dst, place);
            }
            InstKind::PtrDiff { lhs, rhs, stride } => {
                let (a, b) = (self.src(*lhs), self.src(*rhs));
                let shape = match class {
                    Class::Scalar(Scalar::Int(shape)) => shape,
                    Class::Scalar(_) | Class::Void | Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_) => {
                        Shape { bits: 64, signed: true }
                    }
                };
                self.emit(Op::Difference { shape, dst, a, b, stride: (*stride).max(1) }, place);
            }
            InstKind::FieldAddr { base, record, field } => {
                let members = &self.program.types.records[*record].members;
                let offset = members.get(*field as usize).map_or(0, |m| m.offset);
                let base = self.src(*base);
                self.emit(Op::Offset { dst, base, offset }, place);
                self.wrap_pointer(dst, place);
            }
            InstKind::Load { addr, access } => self.load(*addr, *access, dst, place),
            InstKind::Store { addr, value, access } => self.store(v, *addr, *value, *access, place),
            InstKind::Call { callee, args } => {
                let site = self.call_site(v, *callee, args, dst, class);
                let index = self.code.calls.len() as u32;
                self.code.calls.push(site);
                self.emit(Op::Call(index), place);
            }
            InstKind::VaStart(list) => {
                let list = self.src(*list);
                self.slow(Slow::VaStart { list }, place);
            }
            InstKind::VaArg(list) => {
                let list = self.src(*list);
                self.slow(Slow::VaArg { class, dst, list }, place);
            }
            InstKind::VaCopy { to, from } => {
                let (to, from) = (self.src(*to), self.src(*from));
                self.slow(Slow::VaCopy { to, from }, place);
            }
            InstKind::Alloca { size, align } => {
                let size = self.src(*size);
                self.slow(Slow::Alloca { dst, size, align: *align }, place);
            }
            InstKind::Asm(asm) => {
                if !has_no_effect(asm) {
                    self.slow(Slow::Trap("inline assembly is not modelled".into()), place);
                }
            }
            InstKind::AsmOutput { asm, index } => self.asm_output(*asm, *index, class, dst, place),
            InstKind::Intrinsic(which, args) => {
                let args = args.iter().map(|a| (self.src(*a), self.class(*a))).collect();
                let overflow = match which {
                    Intrinsic::Overflows(_, ty) => match Class::of(&self.program.types, *ty) {
                        Class::Scalar(scalar) => Some(scalar),
                        Class::Void | Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_) => None,
                    },
                    _ => None,
                };
                self.slow(Slow::Intrinsic { which: *which, overflow, class, dst, args }, place);
            }
            InstKind::StandIn { what, .. } => {
                self.slow(Slow::Trap(format!("{what} is not modelled")), place);
            }
        }
    }

    /// Pointers of fewer than 64 bits wrap around.
    fn wrap_pointer(&mut self, dst: u32, place: Place) {
        let bits = self.program.types.model.pointer_size as u8 * 8;
        if bits < 64 {
            let shape = Shape { bits, signed: false };
            self.emit(Op::Wrap { shape, dst, a: Src::register(dst) }, place);
        }
    }

    fn binary(&mut self, op: BinOp, class: Class, dst: u32, a: Operand, b: Operand, place: Place) {
        let right = self.class(b);
        let (a, b) = (self.src(a), self.src(b));
        let basic = matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div);
        match class {
            Class::Scalar(Scalar::Int(shape)) => self.emit(Op::Int { op, shape, dst, a, b }, place),
            Class::Scalar(Scalar::Float(Format::Double)) if basic => self.emit(Op::Double { op, dst, a, b }, place),
            Class::Scalar(Scalar::Float(Format::Single)) if basic => self.emit(Op::Single { op, dst, a, b }, place),
            class => self.slow(Slow::Binary { op, class, right, dst, a, b }, place),
        }
    }

    fn cast(&mut self, operand: Operand, to: Class, dst: u32, place: Place) {
        let from = self.class(operand);
        let a = self.src(operand);
        if to == Class::Void {
            return;
        }
        if from == to {
            return self.move_to(dst, a, to, place);
        }
        let op = match (from, to) {
            (Class::Scalar(Scalar::Bool | Scalar::Int(_)), Class::Scalar(Scalar::Int(shape))) => {
                Op::Wrap { shape, dst, a }
            }
            (Class::Scalar(Scalar::Int(_)), Class::Scalar(Scalar::Bool)) => Op::Truth { dst, a },
            (Class::Scalar(scalar @ (Scalar::Bool | Scalar::Int(_))), Class::Scalar(Scalar::Float(Format::Double))) => {
                Op::IntToDouble { signed: scalar.signed(), dst, a }
            }
            (from, to) => return self.slow(Slow::Cast { from, to, dst, a }, place),
        };
        self.emit(op, place);
    }

    fn load(&mut self, addr: Operand, access: Access, dst: u32, place: Place) {
        let class = Class::of(&self.program.types, access.ty);
        let addr = self.src(addr);
        let big = self.program.types.model.big_endian;
        match (class, access.bits) {
            (Class::Scalar(scalar), Some(bits)) => self.slow(Slow::LoadBits { scalar, bits, dst, addr }, place),
            (Class::Scalar(scalar), None) => match small(scalar) {
                Some(shape) if !big => self.emit(Op::Load { shape, dst, addr }, place),
                _ => self.slow(Slow::Load { scalar, dst, addr }, place),
            },
            (Class::Void, _) => {}
            (Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_), _) => {
                self.emit(Op::LoadImage { dst, addr, bytes: class.bytes() }, place);
            }
        }
    }

    fn store(&mut self, v: ValueId, addr: Operand, value: Operand, access: Access, place: Place) {
        let class = Class::of(&self.program.types, access.ty);
        let addr = self.src(addr);
        if class == Class::Void {
            return;
        }
        let value = self.src_as(value, class, place);
        let value = self.tap(Spot::Value(v), access.ty, value, place);
        let big = self.program.types.model.big_endian;
        match (class, access.bits) {
            (Class::Scalar(scalar), Some(bits)) => self.slow(Slow::StoreBits { scalar, bits, addr, value }, place),
            (Class::Scalar(scalar), None) => match small(scalar) {
                Some(shape) if !big => self.emit(Op::Store { bytes: shape.bits / 8, addr, value }, place),
                _ => self.slow(Slow::Store { scalar, addr, value }, place),
            },
            (Class::Void, _) => {}
            (Class::Complex { .. } | Class::Vector { .. } | Class::Bytes(_), _) => {
                self.emit(Op::StoreImage { addr, value, bytes: class.bytes() }, place);
            }
        }
    }

    /// An output of assembly without effect: the input in the same place, or zero.
    fn asm_output(&mut self, asm: ValueId, index: u32, class: Class, dst: u32, place: Place) {
        let InstKind::Asm(asm) = &self.body.insts[asm].kind else { return };
        let number = index.to_string();
        let input = asm.inputs.iter().find(|(constraint, _)| {
            let plain = constraint.trim_start_matches(['+', '%', '&']);
            plain == number
        });
        if let Some((_, op)) = input {
            let src = self.src_as(*op, class, place);
            self.move_to(dst, src, class, place);
        } else {
            self.clear(dst, class, place);
        }
    }

    /// Makes a value zero.
    pub(super) fn clear(&mut self, dst: u32, class: Class, place: Place) {
        let zero = self.pool.single(0);
        for i in 0..class.slots() {
            self.emit(Op::Move { dst: dst + i, src: zero }, place);
        }
    }
}

fn has_no_effect(asm: &Asm) -> bool {
    NO_EFFECT.contains(&asm.template.trim())
}
