//! Constant expressions: what an expression is before the program runs.
//!
//! The expression is lowered into a scratch body, which folds arithmetic as it goes; what is left is an operand, or a few
//! instructions over addresses, that [`Lower::static_operand`] reads.

use lang_c::ast::Expression;
use lang_c::span::Node;

use super::super::fold;
use super::super::syntax::{
    BinOp, CmpOp, GlobalDef, InitItem, InitTarget, InstKind, Int, Intrinsic, LABEL_STRIDE, Linkage, Operand, UnOp,
};
use super::super::types::{FloatKind, Quals, Type, TypeId, Types};
use super::expr::Lv;
use super::{Lower, Res, identity};

/// A constant as static storage holds it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Static {
    Bits(u128),
    Address(InitTarget, i64),
}

impl Lower<'_> {
    /// The value of an integer constant expression.
    pub(super) fn constant_int(&mut self, e: &Node<Expression>) -> Res<(i128, TypeId)> {
        match self.constant_if(e)? {
            Some(value) => Ok(value),
            None => self.error(e.span, "this must be an integer constant"),
        }
    }

    /// The value of an expression if it is an integer constant.
    pub(super) fn constant_if(&mut self, e: &Node<Expression>) -> Res<Option<(i128, TypeId)>> {
        if self.not_constant.contains(&identity(e)) {
            return Ok(None);
        }
        let value = self.probe(|l| l.constant_operand(e))?;
        if value.is_none() {
            self.not_constant.insert(identity(e));
        }
        Ok(value)
    }

    /// The same; only in a probe.
    pub(super) fn constant_operand(&mut self, e: &Node<Expression>) -> Res<Option<(i128, TypeId)>> {
        let start = self.f().body.insts.len();
        let rv = self.rvalue(e)?;
        if !self.is_integer(rv.ty) || self.has_effects_since(start) {
            return Ok(None);
        }
        Ok(match self.static_operand(rv.op) {
            Some(Static::Bits(bits)) => Some((fold::wrap_to(&self.types, bits as i128, rv.ty), rv.ty)),
            Some(Static::Address(..)) | None => None,
        })
    }

    /// Whether code emitted since there were `start` instructions does anything but compute: `(f(), 3)` is no constant.
    pub(super) fn has_effects_since(&mut self, start: usize) -> bool {
        let insts = self.f().body.insts.as_slice();
        insts[start..].iter().any(|i| match &i.kind {
            InstKind::Load { access, .. } => access.volatile,
            InstKind::Store { .. }
            | InstKind::Call { .. }
            | InstKind::VaStart(_)
            | InstKind::VaArg(_)
            | InstKind::VaCopy { .. }
            | InstKind::VaEnd(_)
            | InstKind::Alloca { .. }
            | InstKind::Asm(_)
            | InstKind::AsmOutput { .. }
            | InstKind::StandIn { .. } => true,
            InstKind::Param(_)
            | InstKind::Phi(_)
            | InstKind::Copy(_)
            | InstKind::Uninit
            | InstKind::Unary(..)
            | InstKind::Binary(..)
            | InstKind::Compare(..)
            | InstKind::Cast(_)
            | InstKind::PtrAdd { .. }
            | InstKind::PtrDiff { .. }
            | InstKind::FieldAddr { .. }
            | InstKind::Intrinsic(..) => false,
        })
    }

    /// The value of a scalar initialiser of a static object, as `ty`.
    pub(super) fn static_value(&mut self, e: &Node<Expression>, ty: TypeId) -> Res<Static> {
        self.static_context += 1;
        let value = self.probe_with_labels(|l| {
            let start = l.f().body.insts.len();
            let rv = l.value_for(e, ty)?;
            let op = l.convert(rv, ty, e.span)?;
            Ok(if l.has_effects_since(start) { None } else { l.static_operand(op) })
        });
        self.static_context -= 1;
        match value? {
            Some(value) => Ok(value),
            None => self.error(e.span, "the initialiser of a static object must be constant"),
        }
    }

    /// What an operand is before the program runs, if that is known.
    pub(super) fn static_operand(&self, op: Operand) -> Option<Static> {
        let address = |op: Operand| match self.static_operand(op) {
            Some(Static::Address(target, addend)) => Some((target, addend)),
            _ => None,
        };
        let inst = match op {
            Operand::Int(v, _) | Operand::Float(v, _) => return Some(Static::Bits(v.bits())),
            Operand::Global(g) => return Some(Static::Address(InitTarget::Global(g), 0)),
            Operand::Function(f) => return Some(Static::Address(InitTarget::Function(f), 0)),
            Operand::Label(l) => {
                let function = self.fun.as_ref()?.id?;
                return Some(Static::Address(InitTarget::Label(function, l), 0));
            }
            Operand::Local(_) => return None,
            Operand::Value(v) => self.fun.as_ref()?.body.insts.get(v)?,
        };
        match &inst.kind {
            InstKind::Cast(from) => {
                let from_ty = self.operand_type(*from);
                match self.static_operand(*from)? {
                    known @ Static::Address(..) => {
                        let wide = self.types.model.pointer_size;
                        let holds = |ty| self.types.size_of(ty).is_some_and(|s| s >= wide);
                        let exact = self.is_integer(inst.ty) || self.is_pointer(inst.ty);
                        (exact && holds(inst.ty) && holds(from_ty)).then_some(known)
                    }
                    Static::Bits(bits) => match self.fold_cast(self.constant_of(bits, from_ty)?, from_ty, inst.ty)? {
                        Operand::Int(v, _) | Operand::Float(v, _) => Some(Static::Bits(v.bits())),
                        _ => None,
                    },
                }
            }
            InstKind::PtrAdd { base, index, stride } => {
                let (target, addend) = address(*base)?;
                let Static::Bits(index) = self.static_operand(*index)? else { return None };
                let offset = (index as i64).wrapping_mul(*stride as i64);
                Some(Static::Address(target, addend.wrapping_add(offset)))
            }
            InstKind::FieldAddr { base, record, field } => {
                let (target, addend) = address(*base)?;
                let offset = self.types.records[*record].members[*field as usize].offset;
                Some(Static::Address(target, addend.wrapping_add(offset as i64)))
            }
            InstKind::PtrDiff { lhs, rhs, stride } => {
                let ((a, x), (b, y)) = (address(*lhs)?, address(*rhs)?);
                let apart = match (a, b) {
                    (InitTarget::Label(f, a), InitTarget::Label(g, b)) if f == g => {
                        (i128::from(a.0) - i128::from(b.0)) * i128::from(LABEL_STRIDE)
                    }
                    (a, b) if a == b => 0,
                    _ => return None,
                };
                let distance = (apart + i128::from(x.wrapping_sub(y))) / i128::from((*stride).max(1));
                Some(Static::Bits(distance as u128))
            }
            InstKind::Binary(op, a, b) => self.static_binary(*op, *a, *b, inst.ty),
            InstKind::Compare(op, left, right) => self.static_compare(*op, *left, *right),
            _ => None,
        }
    }

    fn static_compare(&self, op: CmpOp, left: Operand, right: Operand) -> Option<Static> {
        let truth = match (self.static_operand(left)?, self.static_operand(right)?) {
            (Static::Address(one, x), Static::Address(other, y)) if one == other => {
                fold::int_compare(op, i128::from(x), i128::from(y), false)
            }
            (Static::Address(..), Static::Bits(0)) | (Static::Bits(0), Static::Address(..)) => match op {
                CmpOp::Eq => false,
                CmpOp::Ne => true,
                CmpOp::Lt | CmpOp::Le | CmpOp::Gt | CmpOp::Ge => return None,
            },
            (Static::Bits(x), Static::Bits(y)) => {
                let (width, signed) = self.types.int_shape(self.operand_type(left))?;
                fold::int_compare(op, x as i128, y as i128, width == 128 && !signed)
            }
            _ => return None,
        };
        Some(Static::Bits(u128::from(truth)))
    }

    fn static_binary(&self, op: BinOp, left: Operand, right: Operand, ty: TypeId) -> Option<Static> {
        match (op, self.static_operand(left)?, self.static_operand(right)?) {
            (_, Static::Bits(x), Static::Bits(y)) => {
                let (width, signed) = self.types.int_shape(ty)?;
                let value = fold::int_binary(op, x as i128, y as i128, width, signed)?;
                Some(Static::Bits(value as u128))
            }
            (BinOp::Add, Static::Address(target, x), Static::Bits(n))
            | (BinOp::Add, Static::Bits(n), Static::Address(target, x)) => {
                Some(Static::Address(target, x.wrapping_add(n as i64)))
            }
            (BinOp::Sub, Static::Address(target, x), Static::Bits(n)) => {
                Some(Static::Address(target, x.wrapping_sub(n as i64)))
            }
            (BinOp::Sub, Static::Address(one, x), Static::Address(other, y)) if one == other => {
                Some(Static::Bits(i128::from(x.wrapping_sub(y)) as u128))
            }
            _ => None,
        }
    }

    /// Bits as an operand of a scalar type.
    fn constant_of(&self, bits: u128, ty: TypeId) -> Option<Operand> {
        match self.types.get(ty) {
            Type::Float(_) => Some(Operand::Float(Int::new(bits as i128), ty)),
            _ if self.types.int_shape(ty).is_some() => Some(self.int(bits as i128, ty)),
            _ => None,
        }
    }

    /// GNU: a constant scalar object may be used in the initialiser of another.
    pub(super) fn constant_object(&self, lv: Lv) -> Option<Operand> {
        let Operand::Global(id) = lv.addr else { return None };
        let global = &self.globals[id];
        let GlobalDef::Defined(init) = &global.definition else { return None };
        let constant = global.ty.quals.has(Quals::CONST) && !global.ty.quals.has(Quals::VOLATILE);
        if !constant || lv.bits.is_some() || global.ty.ty != lv.ty.ty || global.linkage == Linkage::Weak {
            return None;
        }
        match init.items.as_slice() {
            [] => self.constant_of(0, lv.ty.ty),
            [(0, InitItem::Address { target, addend: 0 })] => match target {
                InitTarget::Global(g) => Some(Operand::Global(*g)),
                InitTarget::Function(f) => Some(Operand::Function(*f)),
                InitTarget::Label(..) => None,
            },
            [(0, InitItem::Bytes(bytes))] => {
                let mut little = bytes.clone();
                if self.types.model.big_endian {
                    little.reverse();
                }
                let value = little.iter().rev().fold(0u128, |v, b| (v << 8) | u128::from(*b));
                self.constant_of(value, lv.ty.ty)
            }
            _ => None,
        }
    }

    /// Real and imaginary part of a constant complex number, as bits of their kind.
    pub(super) fn static_complex(&self, op: Operand) -> Option<(FloatKind, [Int; 2])> {
        let model = &self.types.model;
        let inst = match op {
            Operand::Value(v) => self.fun.as_ref()?.body.insts.get(v)?,
            _ => return None,
        };
        let Type::Complex(kind) = *self.types.get(inst.ty) else { return None };
        match &inst.kind {
            InstKind::Intrinsic(Intrinsic::Complex, parts) => match parts.as_slice() {
                [Operand::Float(re, _), Operand::Float(im, _)] => Some((kind, [*re, *im])),
                _ => None,
            },
            InstKind::Cast(from) => {
                let from_ty = self.operand_type(*from);
                if let Type::Complex(_) = self.types.get(from_ty) {
                    let (from_kind, parts) = self.static_complex(*from)?;
                    return Some((kind, parts.map(|p| fold::float_to_float(model, from_kind, kind, p))));
                }
                let Static::Bits(bits) = self.static_operand(*from)? else { return None };
                match self.fold_cast(self.constant_of(bits, from_ty)?, from_ty, Types::float(kind))? {
                    Operand::Float(re, _) => Some((kind, [re, fold::int_to_float(model, 0, false, kind)])),
                    _ => None,
                }
            }
            InstKind::Unary(UnOp::Neg, a) => {
                let (_, parts) = self.static_complex(*a)?;
                Some((kind, parts.map(|p| fold::float_neg(model, kind, p))))
            }
            InstKind::Binary(op, a, b) => {
                let ((_, [a, b]), (_, [c, d])) = (self.static_complex(*a)?, self.static_complex(*b)?);
                let float = |op, x, y| fold::float_binary(model, kind, op, x, y);
                let sum = |op, x: (Int, Int), y: (Int, Int)| {
                    float(op, float(BinOp::Mul, x.0, x.1)?, float(BinOp::Mul, y.0, y.1)?)
                };
                let parts = match op {
                    BinOp::Add | BinOp::Sub => [float(*op, a, c)?, float(*op, b, d)?],
                    BinOp::Mul => [sum(BinOp::Sub, (a, c), (b, d))?, sum(BinOp::Add, (a, d), (b, c))?],
                    BinOp::Div => {
                        let size = sum(BinOp::Add, (c, c), (d, d))?;
                        let re = sum(BinOp::Add, (a, c), (b, d))?;
                        let im = sum(BinOp::Sub, (b, c), (a, d))?;
                        [float(BinOp::Div, re, size)?, float(BinOp::Div, im, size)?]
                    }
                    BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => return None,
                };
                Some((kind, parts))
            }
            _ => None,
        }
    }
}
