//! Compiler builtins.
//!
//! [`Lower::classify`] tells from the name alone what a builtin is, [`Lower::builtin`] lowers its call: to instructions where the IR
//! has them, to a call of the library function of the same meaning, or to nothing where only the arguments' effects count. Every
//! argument that the compiler evaluates is evaluated once.
//!
//! Invariant: a builtin that is not classified becomes a [`StandIn`](InstKind::StandIn) with an assumption that names it.

mod atomic;
mod bits;
mod float;
mod library;
mod overflow;
mod vector;

use lang_c::ast::{CallExpression, Expression};
use lang_c::span::{Node, Span};

use super::convert::Rv;
use super::expr::Val;
use super::literal::Text;
use super::scope::{Entity, Symbol};
use super::{Lower, Res};
use crate::ir::syntax::{AssumptionKind, InstKind, Intrinsic, Operand, Terminator, UnOp};
use crate::ir::types::{FloatKind, IntKind, RecordKind, Type, TypeId, Types};
use crate::source::Place;

pub(super) use library::{never_returns, returns_twice};

type Args<'a> = &'a [&'a Node<Expression>];

/// What a builtin does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Builtin<'n> {
    /// The value of the first argument, converted to this type; the others are evaluated too.
    First(Option<TypeId>),
    /// Nothing but the arguments' effects.
    Nothing,
    /// Nothing, and the arguments are not evaluated.
    Assume,
    /// Whether the argument is a constant.
    ConstantP,
    /// `choose_expr`
    Choose,
    /// `object_size`: unknown.
    ObjectSize,
    /// `unreachable`
    Unreachable,
    /// `alloca`; the second argument may be an alignment in bits.
    Alloca,
    /// `va_start`
    VaStart,
    /// `va_end`
    VaEnd,
    /// `va_copy`
    VaCopy,
    /// `va_arg_pack`: all variable arguments of an inline function, handed on.
    ArgumentPack,
    /// A call of this library function, without the arguments at these positions.
    Library(&'n str, &'static [usize]),
    /// Bits of an integer.
    Bits(bits::Bits),
    /// Arithmetic that tells whether it overflowed.
    Overflow(overflow::Overflow),
    /// Tests and constants of floating types.
    Float(float::Float),
    /// Complex numbers.
    Complex(ComplexOp),
    /// `frame_address` and `return_address`
    Frame,
    /// `classify_type`
    ClassifyType,
    /// `LINE`
    Line,
    /// `FILE`
    File,
    /// `FUNCTION`
    Function,
    /// `__sync_*` and `__atomic_*`
    Atomic(atomic::Atomic),
    /// Vectors.
    Vector(vector::Vector),
    /// A builtin that makes calls in ways the IR has not.
    Refused,
}

/// What a builtin does with complex numbers.
#[derive(Clone, Copy, Debug)]
pub(super) enum ComplexOp {
    /// From its parts.
    Make,
    /// The real part.
    Real,
    /// The imaginary part.
    Imag,
    /// The conjugate.
    Conjugate,
}

/// The type of an unknown builtin's result where nothing around it tells.
pub(super) fn likely_type(name: &str) -> TypeId {
    match name {
        "__builtin_ia32_rdtsc" | "__builtin_ia32_rdtscp" | "__builtin_readcyclecounter" => {
            Types::int(IntKind::ULongLong)
        }
        "__builtin_clear_padding" => Types::VOID,
        _ => Types::INT,
    }
}

/// The builtins whose meaning does not follow from a family.
fn special(name: &str) -> Option<Builtin<'static>> {
    Some(match name {
        "expect" | "expect_with_probability" => Builtin::First(Some(Types::int(IntKind::Long))),
        "constant_p" => Builtin::ConstantP,
        "choose_expr" => Builtin::Choose,
        "object_size" | "dynamic_object_size" => Builtin::ObjectSize,
        "unreachable" => Builtin::Unreachable,
        "trap" => Builtin::Library("abort", &[]),
        "alloca" | "alloca_with_align" | "alloca_with_align_and_max" => Builtin::Alloca,
        "va_start" | "stdarg_start" | "c23_va_start" => Builtin::VaStart,
        "va_end" => Builtin::VaEnd,
        "va_copy" => Builtin::VaCopy,
        "va_arg_pack" | "va_arg_pack_len" => Builtin::ArgumentPack,
        "frame_address" | "return_address" => Builtin::Frame,
        "extract_return_addr" | "frob_return_addr" | "assume_aligned" => Builtin::First(Some(Types::VOID_PTR)),
        "speculation_safe_value" | "call_with_static_chain" | "launder" => Builtin::First(None),
        "prefetch" | "cpu_init" | "unwind_init" | "__clear_cache" | "ia32_pause" | "ia32_mfence" | "ia32_lfence"
        | "ia32_sfence" | "ia32_emms" | "ia32_clflush" | "ia32_clflushopt" => Builtin::Nothing,
        "assume" | "assume_separate_storage" => Builtin::Assume,
        "classify_type" => Builtin::ClassifyType,
        "complex" => Builtin::Complex(ComplexOp::Make),
        "creal" | "crealf" | "creall" => Builtin::Complex(ComplexOp::Real),
        "cimag" | "cimagf" | "cimagl" => Builtin::Complex(ComplexOp::Imag),
        "conj" | "conjf" | "conjl" => Builtin::Complex(ComplexOp::Conjugate),
        "memcpy_inline" => Builtin::Library("memcpy", &[]),
        "memset_inline" => Builtin::Library("memset", &[]),
        "setjmp" => Builtin::Library("setjmp", &[]),
        "longjmp" => Builtin::Library("longjmp", &[]),
        "LINE" => Builtin::Line,
        "FILE" => Builtin::File,
        "FUNCTION" => Builtin::Function,
        "apply" | "apply_args" | "return" | "eh_return" => Builtin::Refused,
        _ => return None,
    })
}

impl Lower<'_> {
    /// What a called name is, if it is a builtin that is known. Names with a `__builtin_` prefix cannot be redefined; the others can.
    pub(super) fn classify<'n>(&self, name: &'n str) -> Option<Builtin<'n>> {
        if name == "alloca" {
            // With or without a declaration, but not a variable of that name.
            let function = matches!(self.scopes.lookup(name), None | Some(Symbol::Function(_)));
            return function.then_some(Builtin::Alloca);
        }
        if !name.starts_with("__") {
            return None;
        }
        if let Some(atomic) = atomic::classify(name) {
            return self.scopes.lookup(name).is_none().then_some(Builtin::Atomic(atomic));
        }
        let plain = name.strip_prefix("__builtin_")?;
        special(plain)
            .or_else(|| bits::classify(plain).map(Builtin::Bits))
            .or_else(|| overflow::classify(plain).map(Builtin::Overflow))
            .or_else(|| float::classify(plain).map(Builtin::Float))
            .or_else(|| vector::classify(plain).map(Builtin::Vector))
            .or_else(|| {
                let (name, without) = library::checked(plain).unwrap_or((plain, &[]));
                let declared = matches!(self.linked.get(name), Some(Entity::Function(_)));
                (declared || library::knows(name)).then_some(Builtin::Library(name, without))
            })
    }

    /// The value of a call of an unknown builtin, whose context wants a `ty`; `None` if the call is anything else.
    pub(super) fn unknown_builtin(&mut self, c: &Node<CallExpression>, ty: TypeId, span: Span) -> Res<Option<Rv>> {
        let Expression::Identifier(id) = &c.node.callee.node else { return Ok(None) };
        let name = id.node.name.as_str();
        if !name.starts_with("__builtin_") || self.scopes.lookup(name).is_some() || self.classify(name).is_some() {
            return Ok(None);
        }
        let args: Vec<_> = c.node.arguments.iter().collect();
        Ok(Some(self.stand_in_call(name, &args, ty, span)?))
    }

    /// An unknown builtin: an arbitrary value that depends on the arguments.
    pub(super) fn stand_in_call(&mut self, name: &str, args: Args<'_>, ty: TypeId, span: Span) -> Res<Rv> {
        let mut operands = Vec::with_capacity(args.len());
        for e in args {
            operands.push(self.rvalue(e)?.op);
        }
        let place = self.place(span);
        Ok(self.stand_in(name, operands, ty, place))
    }

    fn stand_in(&mut self, name: &str, operands: Vec<Operand>, ty: TypeId, place: Place) -> Rv {
        let text =
            format!("what {name} does is not known: its result and the memory it reaches are taken as arbitrary");
        self.assume(AssumptionKind::UnknownFunction, text, place);
        let op = self.f().emit(InstKind::StandIn { what: name.into(), operands }, ty, place);
        if ty == Types::VOID { self.void() } else { Rv::new(op, ty) }
    }

    /// One arbitrary value for all variable arguments, which depends on each of them through a `va_list`.
    fn argument_pack(&mut self, name: &str, place: Place) -> Rv {
        let ty = self.va_list_type();
        let list = Operand::Local(self.temp(ty, place));
        let pointer = self.adjust_parameter(ty.into()).ty;
        let list = self.cast(list, pointer, place);
        self.f().emit(InstKind::VaStart(list), Types::VOID, place);
        self.stand_in(name, vec![list], Types::INT, place)
    }

    /// Lowers the call of a builtin.
    pub(super) fn builtin(&mut self, builtin: Builtin<'_>, name: &str, args: Args<'_>, span: Span) -> Res<Val> {
        let place = self.place(span);
        let rv = match builtin {
            Builtin::Choose => {
                let &[condition, then, otherwise] = args else { return self.wrong_count(name, span) };
                let (value, _) = self.constant_int(condition)?;
                return self.expr(if value != 0 { then } else { otherwise });
            }
            Builtin::First(ty) => {
                let [value, rest @ ..] = args else { return self.wrong_count(name, span) };
                let rv = match ty {
                    Some(ty) => Rv::new(self.argument(value, ty)?, ty),
                    None => self.rvalue(value)?,
                };
                self.all_effects(rest)?;
                rv
            }
            Builtin::Nothing => {
                self.all_effects(args)?;
                self.void()
            }
            Builtin::Assume => self.void(),
            Builtin::ConstantP => {
                let &[e] = args else { return self.wrong_count(name, span) };
                let constant = self.is_constant(e)?;
                self.int_rv(i128::from(constant), Types::INT)
            }
            Builtin::ObjectSize => {
                let &[_, kind] = args else { return self.wrong_count(name, span) };
                let (kind, _) = self.constant_int(kind)?;
                // What gcc answers when it does not know: the largest size, or the smallest.
                self.int_rv(if kind & 2 == 0 { -1 } else { 0 }, self.types.size_t())
            }
            Builtin::Unreachable => {
                self.f().end(Terminator::Unreachable, place);
                self.void()
            }
            Builtin::Alloca => self.alloca(name, args, span)?,
            Builtin::VaStart => {
                // The second argument only names the last parameter.
                let [list, ..] = args else { return self.wrong_count(name, span) };
                let list = self.va_list(list)?;
                self.f().emit(InstKind::VaStart(list), Types::VOID, place);
                self.void()
            }
            Builtin::VaEnd => {
                let &[list] = args else { return self.wrong_count(name, span) };
                let list = self.va_list(list)?;
                self.f().emit(InstKind::VaEnd(list), Types::VOID, place);
                self.void()
            }
            Builtin::VaCopy => {
                let &[to, from] = args else { return self.wrong_count(name, span) };
                let (to, from) = (self.va_list(to)?, self.va_list(from)?);
                self.f().emit(InstKind::VaCopy { to, from }, Types::VOID, place);
                self.void()
            }
            Builtin::ArgumentPack => self.argument_pack(name, place),
            Builtin::Library(function, without) => return self.library_call(function, without, args, span),
            Builtin::Bits(b) => self.bits_builtin(b, name, args, span)?,
            Builtin::Overflow(o) => self.overflow_builtin(o, name, args, span)?,
            Builtin::Float(f) => self.float_builtin(f, name, args, span)?,
            Builtin::Complex(op) => self.complex_builtin(op, name, args, span)?,
            Builtin::Frame => {
                let &[level] = args else { return self.wrong_count(name, span) };
                let level = self.argument(level, Types::UINT)?;
                let kind = InstKind::Intrinsic(Intrinsic::FrameAddress, vec![level]);
                Rv::new(self.f().emit(kind, Types::VOID_PTR, place), Types::VOID_PTR)
            }
            Builtin::ClassifyType => {
                let &[e] = args else { return self.wrong_count(name, span) };
                let ty = self.probe(|l| Ok(l.rvalue(e)?.ty))?;
                self.int_rv(type_class(&self.types, ty), Types::INT)
            }
            Builtin::Line => self.int_rv(i128::from(self.presumed(place).0), Types::INT),
            Builtin::File => {
                let file = self.presumed(place).1;
                self.text_value(&file, span)?
            }
            Builtin::Function => {
                let function = self.f().name.clone();
                self.text_value(&function, span)?
            }
            Builtin::Atomic(a) => self.atomic_builtin(a, name, args, span)?,
            Builtin::Vector(v) => self.vector_builtin(v, name, args, span)?,
            Builtin::Refused => return self.error(span, format!("{name} is not supported")),
        };
        Ok(Val::Rv(rv))
    }

    fn wrong_count<T>(&self, name: &str, span: Span) -> Res<T> {
        self.error(span, format!("{name} takes another number of arguments"))
    }

    fn all_effects(&mut self, args: Args<'_>) -> Res<()> {
        args.iter().try_for_each(|e| self.effects(e))
    }

    /// Whether an expression folds to a constant, and does nothing else. It is not evaluated.
    fn is_constant(&mut self, e: &Node<Expression>) -> Res<bool> {
        self.probe(|l| {
            let before = l.f().body.insts.len();
            let op = l.rvalue(e)?.op;
            Ok(match op {
                Operand::Int(..) | Operand::Float(..) => l.f().body.insts.len() == before,
                // Of all addresses, gcc calls that of a string literal constant; its decay to a pointer is one cast.
                Operand::Value(_) | Operand::Global(_) => matches!(e.node, Expression::StringLiteral(_)),
                Operand::Function(_) | Operand::Local(_) | Operand::Label(_) => false,
            })
        })
    }

    /// A call of a library function; the arguments left out are still evaluated.
    fn library_call(&mut self, name: &str, without: &[usize], args: Args<'_>, span: Span) -> Res<Val> {
        let mut kept = Vec::with_capacity(args.len());
        for (i, e) in args.iter().enumerate() {
            if without.contains(&i) {
                self.effects(e)?;
            } else {
                kept.push(*e);
            }
        }
        let place = self.place(span);
        let function = self.library_function(name, place);
        self.call_function(function, &kept, span)
    }

    fn alloca(&mut self, name: &str, args: Args<'_>, span: Span) -> Res<Rv> {
        let [size, rest @ ..] = args else { return self.wrong_count(name, span) };
        let place = self.place(span);
        let size_t = self.types.size_t();
        let size = self.argument(size, size_t)?;
        let align = match rest.first() {
            Some(bits) => self.constant_u64(bits)?.div_ceil(8).max(1),
            None => self.types.model.biggest_align,
        };
        let op = self.f().emit(InstKind::Alloca { size, align }, Types::VOID_PTR, place);
        Ok(Rv::new(op, Types::VOID_PTR))
    }

    /// The address of a `va_list` object.
    fn va_list(&mut self, e: &Node<Expression>) -> Res<Operand> {
        let rv = self.rvalue(e)?;
        if !self.is_pointer(rv.ty) {
            return self.error(e.span, "this is not a va_list");
        }
        Ok(rv.op)
    }

    fn complex_builtin(&mut self, op: ComplexOp, name: &str, args: Args<'_>, span: Span) -> Res<Rv> {
        let place = self.place(span);
        if let ComplexOp::Make = op {
            let &[re, im] = args else { return self.wrong_count(name, span) };
            let (re, im) = (self.rvalue(re)?, self.rvalue(im)?);
            let part = self.common_type(re, im).0;
            let Type::Float(kind) = *self.types.get(part) else {
                return self.error(span, "the parts of a complex number are floating");
            };
            let parts = vec![self.convert(re, part, span)?, self.convert(im, part, span)?];
            let ty = self.types.intern(Type::Complex(kind));
            let op = self.f().emit(InstKind::Intrinsic(Intrinsic::Complex, parts), ty, place);
            return Ok(Rv::new(op, ty));
        }
        let &[z] = args else { return self.wrong_count(name, span) };
        let kind = match name.as_bytes().last() {
            Some(b'f') => FloatKind::Float,
            // `creal` itself ends in an l.
            Some(b'l') if name != "__builtin_creal" => FloatKind::LongDouble,
            _ => FloatKind::Double,
        };
        let ty = self.types.intern(Type::Complex(kind));
        let z = self.argument(z, ty)?;
        let part = Types::float(kind);
        let (kind, ty) = match op {
            ComplexOp::Real => (InstKind::Intrinsic(Intrinsic::Real, vec![z]), part),
            ComplexOp::Imag => (InstKind::Intrinsic(Intrinsic::Imag, vec![z]), part),
            ComplexOp::Make | ComplexOp::Conjugate => (InstKind::Unary(UnOp::Not, z), ty),
        };
        Ok(Rv::new(self.f().emit(kind, ty, place), ty))
    }

    /// A string as a `const char *`.
    fn text_value(&mut self, text: &str, span: Span) -> Res<Rv> {
        let text = Text { units: text.bytes().map(u32::from).collect(), element: Types::CHAR };
        let (global, ty) = self.string_global(&text, span);
        let lv = super::expr::Lv { addr: Operand::Global(global), ty: ty.into(), bits: None };
        self.read(lv, span)
    }

    /// The line and the file of a place, as the nearest line marker of the preprocessor tells.
    fn presumed(&self, place: Place) -> (u32, String) {
        let before = &self.text.as_bytes()[..(place.start as usize).min(self.text.len())];
        let mut lines = 0;
        for line in before.split(|b| *b == b'\n').rev() {
            let marker = std::str::from_utf8(line).ok().and_then(|l| l.strip_prefix("# "));
            if let Some((number, rest)) = marker.and_then(|m| m.split_once(' '))
                && let Ok(number) = number.parse::<u32>()
            {
                let file = rest.trim_start_matches('"').split('"').next().unwrap_or_default();
                return ((number + lines).saturating_sub(1), file.to_string());
            }
            lines += 1;
        }
        (lines, String::new())
    }

    /// One of two values; both are computed already.
    fn select(&mut self, cond: Operand, then: Operand, otherwise: Operand, place: Place) -> Operand {
        if let Operand::Int(v, _) = cond {
            return if v.value() != 0 { then } else { otherwise };
        }
        let ty = self.operand_type(then);
        let result = self.temp(ty, place);
        let (yes, no, end) = {
            let f = self.f();
            (f.new_block(place), f.new_block(place), f.new_block(place))
        };
        self.f().branch(cond, yes, no, place);
        for (block, value) in [(yes, then), (no, otherwise)] {
            self.f().start(block);
            self.store(Operand::Local(result), value, place);
            self.f().jump(end, place);
        }
        self.f().start(end);
        self.load(Operand::Local(result), ty, place)
    }

    /// The unsigned type of so many bytes.
    fn unsigned_of(&self, bytes: u64) -> Option<TypeId> {
        [IntKind::UInt, IntKind::ULong, IntKind::ULongLong, IntKind::UShort, IntKind::UChar, IntKind::UInt128]
            .into_iter()
            .find(|k| self.types.model.int_size(*k) == bytes)
            .map(Types::int)
    }

    /// The unsigned type that an integer type's arithmetic wraps in.
    fn wrapping_type(&self, ty: TypeId) -> Option<TypeId> {
        self.types.as_int(ty).map(|kind| Types::int(kind.to_unsigned()))
    }

    /// `~op`
    fn complement(&mut self, op: Operand, place: Place) -> Operand {
        let ty = self.operand_type(op);
        match op {
            Operand::Int(v, _) => self.int(!v.value(), ty),
            _ => self.f().emit(InstKind::Unary(UnOp::Not, op), ty, place),
        }
    }
}

/// gcc's numbers for `__builtin_classify_type`, after promotion and decay.
fn type_class(types: &Types, ty: TypeId) -> i128 {
    match types.get(ty) {
        Type::Void => 0,
        Type::Bool | Type::Int(_) | Type::Enum(_) => 1,
        Type::Pointer(_) | Type::Array { .. } | Type::Function(_) => 5,
        Type::Float(_) => 8,
        Type::Complex(_) => 9,
        Type::Record(id) => match types.records[*id].kind {
            RecordKind::Struct => 12,
            RecordKind::Union => 13,
        },
        Type::Vector { .. } => 19,
    }
}
