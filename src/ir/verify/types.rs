//! The types of operands and results.

use super::ensure;
use crate::ir::syntax::{
    Access, BinOp, Block, Body, Callee, Case, Function, Inst, InstKind, Intrinsic, Operand, Program, Terminator, UnOp,
};
use crate::ir::types::{FunctionType, IntKind, Type, TypeId, Types};

type Checked = Result<(), String>;

/// One body's operands.
struct Scope<'a> {
    program: &'a Program,
    types: &'a Types,
    body: &'a Body,
}

pub(super) fn instruction(program: &Program, body: &Body, inst: &Inst) -> Checked {
    let scope = Scope { program, types: &program.types, body };
    let mut constants = Ok(());
    inst.kind.for_each_operand(|op| {
        if constants.is_ok() {
            constants = scope.operand(op);
        }
    });
    constants?;
    scope.instruction(inst)
}

pub(super) fn terminator(program: &Program, function: &Function, body: &Body, block: &Block) -> Checked {
    let scope = Scope { program, types: &program.types, body };
    if let Some(op) = block.term.operand() {
        scope.operand(op)?;
    }
    match &block.term {
        Terminator::Jump(_) | Terminator::Unreachable | Terminator::Return(None) => Ok(()),
        Terminator::Branch { cond, then, otherwise } => {
            ensure(then != otherwise, || "both ways lead to one block".into())?;
            scope.has(*cond, Types::INT)
        }
        Terminator::Switch { value, cases, .. } => scope.switch(*value, cases),
        Terminator::IndirectJump { addr, .. } => scope.pointer(*addr),
        Terminator::Return(Some(value)) => {
            let result = scope.types.as_function(function.ty).map_or(Types::VOID, |f| f.result);
            ensure(result != Types::VOID, || "a void function returns a value".into())?;
            scope.has(*value, result)
        }
    }
}

impl Scope<'_> {
    fn ty(&self, op: Operand) -> TypeId {
        self.program.operand_type(self.body, op)
    }
    fn show(&self, ty: TypeId) -> String {
        self.types.show(ty)
    }
    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.types.get(ty), Type::Pointer(_))
    }
    fn is_int(&self, ty: TypeId) -> bool {
        self.types.as_int(ty).is_some()
    }
    fn lanes(&self, ty: TypeId) -> Option<(TypeId, u32)> {
        match self.types.get(ty) {
            Type::Vector { element, lanes } => Some((*element, *lanes)),
            _ => None,
        }
    }
    fn is_scalar(&self, ty: TypeId) -> bool {
        match self.types.get(ty) {
            Type::Bool
            | Type::Int(_)
            | Type::Float(_)
            | Type::Complex(_)
            | Type::Enum(_)
            | Type::Pointer(_)
            | Type::Vector { .. } => true,
            Type::Void | Type::Record(_) | Type::Array { .. } | Type::Function(_) => false,
        }
    }

    /// A value is used only if there is one; a constant fits its type.
    fn operand(&self, op: &Operand) -> Checked {
        match *op {
            Operand::Value(v) => ensure(self.body.insts[v].ty != Types::VOID, || format!("{v} has no value")),
            Operand::Int(value, ty) => {
                let Some(shape) = self.types.int_shape(ty) else {
                    return Err(format!("an integer constant of type {}", self.show(ty)));
                };
                let (width, signed) = if ty == Types::BOOL { (1, false) } else { shape };
                ensure(fits(value.value(), width, signed), || {
                    format!("{} is no value of type {}", value.value(), self.show(ty))
                })
            }
            Operand::Float(value, ty) => match self.types.get(ty) {
                Type::Float(kind) => {
                    let bits = self.types.model.float_size(*kind) * 8;
                    ensure(bits >= 128 || value.bits() >> bits == 0, || "a float constant with too many bits".into())
                }
                _ => Err(format!("a float constant of type {}", self.show(ty))),
            },
            Operand::Global(_) | Operand::Function(_) | Operand::Local(_) | Operand::Label(_) => Ok(()),
        }
    }

    /// Whether an operand is of a type; the addresses of symbols are of all pointer types.
    fn is_of(&self, op: Operand, ty: TypeId) -> bool {
        match op {
            Operand::Global(_) | Operand::Function(_) => self.is_pointer(ty),
            Operand::Value(_) | Operand::Int(..) | Operand::Float(..) | Operand::Local(_) | Operand::Label(_) => {
                self.ty(op) == ty
            }
        }
    }
    fn has(&self, op: Operand, ty: TypeId) -> Checked {
        ensure(self.is_of(op, ty), || format!("an operand has type {}, not {}", self.show(self.ty(op)), self.show(ty)))
    }
    fn pointer(&self, op: Operand) -> Checked {
        ensure(self.is_pointer(self.ty(op)), || format!("an operand has type {}, no pointer", self.show(self.ty(op))))
    }
    fn int(&self, op: Operand) -> Checked {
        ensure(self.is_int(self.ty(op)), || format!("an operand has type {}, no integer", self.show(self.ty(op))))
    }
    fn void(&self, inst: &Inst) -> Checked {
        ensure(inst.ty == Types::VOID, || format!("it has type {}, but no value", self.show(inst.ty)))
    }
    fn result(&self, inst: &Inst, ty: TypeId) -> Checked {
        ensure(inst.ty == ty, || format!("it has type {}, not {}", self.show(inst.ty), self.show(ty)))
    }

    fn instruction(&self, inst: &Inst) -> Checked {
        let ty = inst.ty;
        match &inst.kind {
            InstKind::Param(_) | InstKind::AsmOutput { .. } | InstKind::Uninit => {
                ensure(ty != Types::VOID, || "it has no type".into())
            }
            InstKind::Phi(args) => args.iter().try_for_each(|(_, op)| self.has(*op, ty)),
            InstKind::Copy(op) => self.has(*op, ty),
            InstKind::Unary(op, a) => {
                self.has(*a, ty)?;
                self.arithmetic(ty, matches!(op, UnOp::Not))
            }
            InstKind::Binary(op, a, b) => self.binary(ty, *op, *a, *b),
            InstKind::Compare(_, a, b) => self.compare(ty, *a, *b),
            InstKind::Cast(a) => {
                let from = self.ty(*a);
                ensure(self.is_scalar(from) && self.is_scalar(ty), || {
                    format!("a cast from {} to {}", self.show(from), self.show(ty))
                })?;
                let vectors = self.lanes(from).is_some() || self.lanes(ty).is_some();
                ensure(!vectors || self.types.size_of(from) == self.types.size_of(ty), || {
                    "a vector is reinterpreted in another size".into()
                })
            }
            InstKind::PtrAdd { base, index, .. } => {
                self.pointer(*base)?;
                self.has(*index, self.types.ptrdiff_t())?;
                ensure(self.is_pointer(ty), || "its type is no pointer".into())
            }
            InstKind::PtrDiff { lhs, rhs, stride } => {
                self.pointer(*lhs)?;
                self.pointer(*rhs)?;
                ensure(*stride > 0, || "its stride is 0".into())?;
                self.result(inst, self.types.ptrdiff_t())
            }
            InstKind::FieldAddr { base, record, field } => {
                let target = self.types.pointee(self.ty(*base)).map(|t| self.types.get(t.ty));
                let symbol = matches!(base, Operand::Global(_));
                ensure(target == Some(&Type::Record(*record)) || (symbol && target.is_some()), || {
                    format!("its base has type {}", self.show(self.ty(*base)))
                })?;
                let Some(member) = self.types.records[*record].members.get(*field as usize) else {
                    return Err(format!("{record} has no member {field}"));
                };
                ensure(self.types.pointee(ty).is_some_and(|t| t.ty == member.ty.ty), || {
                    format!("it has type {}, the member is of {}", self.show(ty), self.show(member.ty.ty))
                })
            }
            InstKind::Load { addr, access } => {
                self.pointer(*addr)?;
                self.result(inst, access.ty)?;
                self.access(access)
            }
            InstKind::Store { addr, value, access } => {
                self.pointer(*addr)?;
                self.has(*value, access.ty)?;
                self.access(access)?;
                self.void(inst)
            }
            InstKind::Call { callee, args } => self.call(inst, *callee, args),
            InstKind::VaStart(list) | InstKind::VaEnd(list) => {
                self.pointer(*list)?;
                self.void(inst)
            }
            InstKind::VaArg(list) => {
                self.pointer(*list)?;
                ensure(ty != Types::VOID, || "it has no type".into())
            }
            InstKind::VaCopy { to, from } => {
                self.pointer(*to)?;
                self.pointer(*from)?;
                self.void(inst)
            }
            InstKind::Alloca { size, align } => {
                self.has(*size, self.types.size_t())?;
                ensure(align.is_power_of_two(), || format!("its alignment is {align}"))?;
                ensure(self.is_pointer(ty), || "its type is no pointer".into())
            }
            InstKind::Asm(asm) => {
                asm.memory.iter().try_for_each(|op| self.pointer(*op))?;
                self.void(inst)
            }
            InstKind::Intrinsic(which, args) => self.intrinsic(inst, *which, args),
            InstKind::StandIn { .. } => Ok(()),
        }
    }

    /// A type with arithmetic: of integers, or of floats too (`Not` of a complex number is its conjugate).
    fn arithmetic(&self, ty: TypeId, integers_only: bool) -> Checked {
        let of = self.lanes(ty).map_or(ty, |(element, _)| element);
        let fits = match self.types.get(of) {
            Type::Bool | Type::Int(_) | Type::Enum(_) | Type::Complex(_) => true,
            Type::Float(_) => !integers_only,
            Type::Void
            | Type::Record(_)
            | Type::Pointer(_)
            | Type::Array { .. }
            | Type::Vector { .. }
            | Type::Function(_) => false,
        };
        ensure(fits, || format!("{} does not have this operation", self.show(ty)))
    }

    fn binary(&self, ty: TypeId, op: BinOp, a: Operand, b: Operand) -> Checked {
        self.has(a, ty)?;
        match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div => {
                self.has(b, ty)?;
                self.arithmetic(ty, false)
            }
            BinOp::Rem | BinOp::And | BinOp::Or | BinOp::Xor => {
                self.has(b, ty)?;
                self.integral(ty)
            }
            BinOp::Shl | BinOp::Shr => {
                self.integral(ty)?;
                if self.lanes(ty).is_some() { self.has(b, ty) } else { self.promoted(b) }
            }
        }
    }

    fn integral(&self, ty: TypeId) -> Checked {
        let of = self.lanes(ty).map_or(ty, |(element, _)| element);
        ensure(self.is_int(of), || format!("{} is no integer type", self.show(ty)))
    }

    fn promoted(&self, op: Operand) -> Checked {
        let ty = self.ty(op);
        let wide = matches!(self.types.get(ty), Type::Int(kind) if kind.rank() >= IntKind::Int.rank());
        ensure(wide, || format!("an operand has type {}, no promoted integer", self.show(ty)))
    }

    fn compare(&self, ty: TypeId, a: Operand, b: Operand) -> Checked {
        let (from, other) = (self.ty(a), self.ty(b));
        ensure(self.is_of(b, from) || self.is_of(a, other), || {
            format!("{} is compared with {}", self.show(from), self.show(other))
        })?;
        ensure(self.is_scalar(from), || format!("{} is compared", self.show(from)))?;
        match (self.lanes(from), self.lanes(ty)) {
            (None, _) => ensure(ty == Types::INT, || format!("it has type {}", self.show(ty))),
            (Some((_, lanes)), Some((element, count))) => {
                ensure(lanes == count && self.is_int(element), || format!("it has type {}", self.show(ty)))
            }
            (Some(_), None) => Err(format!("it has type {}, no vector", self.show(ty))),
        }
    }

    fn access(&self, access: &Access) -> Checked {
        let Some(size) = self.types.size_of(access.ty) else {
            return Err(format!("an access of type {}, which has no size", self.show(access.ty)));
        };
        let Some(bits) = access.bits else { return Ok(()) };
        ensure(self.is_int(access.ty), || format!("a bit-field of type {}", self.show(access.ty)))?;
        ensure(bits.offset < 8 && bits.width > 0 && u64::from(bits.width) <= size * 8, || {
            format!("a bit-field at {} of {} bits", bits.offset, bits.width)
        })
    }

    fn call(&self, inst: &Inst, callee: Callee, args: &[Operand]) -> Checked {
        match callee {
            Callee::Direct(f) => {
                let known = self.types.as_function(self.program.functions[f].ty).is_some();
                ensure(known, || format!("{f} is no function"))
            }
            Callee::Indirect(op) => {
                let target = self.types.pointee(self.ty(op)).and_then(|t| self.types.as_function(t.ty));
                let Some(ty) = target else {
                    return Err(format!("a value of type {} is called", self.show(self.ty(op))));
                };
                // A symbol's own type may have become another one.
                let symbol = matches!(op, Operand::Global(_) | Operand::Function(_));
                if symbol { Ok(()) } else { self.arguments(inst, ty, args) }
            }
        }
    }

    fn arguments(&self, inst: &Inst, ty: &FunctionType, args: &[Operand]) -> Checked {
        self.result(inst, ty.result)?;
        if !ty.prototype {
            return Ok(());
        }
        let (given, wanted) = (args.len(), ty.params.len());
        ensure(given == wanted || (ty.variadic && given > wanted), || format!("{given} arguments for {wanted}"))?;
        for (op, param) in args.iter().zip(&ty.params) {
            ensure(self.is_of(*op, *param), || {
                format!("an argument has type {}, not {}", self.show(self.ty(*op)), self.show(*param))
            })?;
        }
        Ok(())
    }

    fn intrinsic(&self, inst: &Inst, which: Intrinsic, args: &[Operand]) -> Checked {
        let count = |n: usize| ensure(args.len() == n, || format!("{} operands, not {n}", args.len()));
        let ty = inst.ty;
        let vector = |ty: TypeId| ensure(self.lanes(ty).is_some(), || format!("{} is no vector", self.show(ty)));
        match which {
            Intrinsic::Clz
            | Intrinsic::Ctz
            | Intrinsic::Clrsb
            | Intrinsic::Popcount
            | Intrinsic::Parity
            | Intrinsic::Ffs => {
                count(1)?;
                self.int(args[0])?;
                self.result(inst, Types::INT)
            }
            Intrinsic::Bswap => {
                count(1)?;
                self.has(args[0], ty)?;
                self.integral(ty)
            }
            Intrinsic::Overflows(_, of) => {
                count(2)?;
                self.int(args[0])?;
                self.int(args[1])?;
                ensure(self.is_int(of) && self.is_int(ty), || "it is not about integers".into())
            }
            Intrinsic::SignBit => {
                count(1)?;
                let float = matches!(self.types.get(self.ty(args[0])), Type::Float(_));
                ensure(float, || "its operand is no float".into())?;
                self.result(inst, Types::INT)
            }
            Intrinsic::Real | Intrinsic::Imag => {
                count(1)?;
                match self.types.get(self.ty(args[0])) {
                    Type::Complex(kind) => self.result(inst, Types::float(*kind)),
                    _ => Err("its operand is no complex number".into()),
                }
            }
            Intrinsic::Complex => {
                count(2)?;
                let Type::Complex(kind) = *self.types.get(ty) else { return Err("its type is not complex".into()) };
                args.iter().try_for_each(|op| self.has(*op, Types::float(kind)))
            }
            Intrinsic::FrameAddress => ensure(self.is_pointer(ty), || "its type is no pointer".into()),
            Intrinsic::Shuffle => {
                ensure(args.len() == 2 || args.len() == 3, || format!("{} operands", args.len()))?;
                args.iter().try_for_each(|op| vector(self.ty(*op)))?;
                vector(ty)
            }
            Intrinsic::ConvertVector => {
                count(1)?;
                vector(self.ty(args[0]))?;
                vector(ty)
            }
            Intrinsic::Splat => {
                count(1)?;
                let Some((element, _)) = self.lanes(ty) else { return vector(ty) };
                self.has(args[0], element)
            }
            Intrinsic::Machine(op) => {
                let (vectors, number) = op.operands();
                count(vectors + usize::from(number))?;
                args[..vectors].iter().try_for_each(|arg| vector(self.ty(*arg)))?;
                args[vectors..].iter().try_for_each(|arg| self.has(*arg, Types::INT))?;
                vector(ty)
            }
        }
    }

    /// The cases are of the value's type and do not overlap.
    fn switch(&self, value: Operand, cases: &[Case]) -> Checked {
        self.promoted(value)?;
        let Some((width, signed)) = self.types.int_shape(self.ty(value)) else { return Ok(()) };
        // As unsigned numbers in the order of the type's values.
        let key = |v: i128| if signed { (v as u128) ^ (1 << 127) } else { v as u128 };
        let mut ranges: Vec<(u128, u128)> = Vec::with_capacity(cases.len());
        for case in cases {
            ensure(fits(case.low, width, signed) && fits(case.high, width, signed), || {
                format!("case {} to {} is not of the type", case.low, case.high)
            })?;
            ensure(key(case.low) <= key(case.high), || format!("case {} to {} is empty", case.low, case.high))?;
            ranges.push((key(case.low), key(case.high)));
        }
        ranges.sort_unstable();
        ensure(ranges.windows(2).all(|w| w[0].1 < w[1].0), || "its cases overlap".into())
    }
}

/// Whether a number is a value of an integer type.
fn fits(value: i128, width: u32, signed: bool) -> bool {
    if width >= 128 {
        return true;
    }
    if signed {
        let half = 1i128 << (width - 1);
        -half <= value && value < half
    } else {
        0 <= value && value < 1i128 << width
    }
}
