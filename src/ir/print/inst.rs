//! Instructions, operands and terminators.

use super::super::syntax::{
    Access, Asm, BinOp, Body, Callee, Case, CmpOp, Inst, InstKind, Int, Intrinsic, MachineOp, Operand, Program,
    Terminator, UnOp,
};
use super::super::types::{FloatKind, IntKind, RecordId, Type, TypeId, Types};
use super::{Names, quoted, record_word};

/// The name of an operation.
pub(super) fn opcode(kind: &InstKind) -> &'static str {
    match kind {
        InstKind::Param(_) => "param",
        InstKind::Phi(_) => "phi",
        InstKind::Copy(_) => "copy",
        InstKind::Uninit => "uninit",
        InstKind::Unary(UnOp::Neg, _) => "neg",
        InstKind::Unary(UnOp::Not, _) => "not",
        InstKind::Binary(op, ..) => binary(*op),
        InstKind::Compare(op, ..) => match op {
            CmpOp::Eq => "eq",
            CmpOp::Ne => "ne",
            CmpOp::Lt => "lt",
            CmpOp::Le => "le",
            CmpOp::Gt => "gt",
            CmpOp::Ge => "ge",
        },
        InstKind::Cast(_) => "cast",
        InstKind::PtrAdd { .. } => "ptr_add",
        InstKind::PtrDiff { .. } => "ptr_diff",
        InstKind::FieldAddr { .. } => "field",
        InstKind::Load { .. } => "load",
        InstKind::Store { .. } => "store",
        InstKind::Call { .. } => "call",
        InstKind::VaStart(_) => "va_start",
        InstKind::VaArg(_) => "va_arg",
        InstKind::VaCopy { .. } => "va_copy",
        InstKind::VaEnd(_) => "va_end",
        InstKind::Alloca { .. } => "alloca",
        InstKind::Asm(_) => "asm",
        InstKind::AsmOutput { .. } => "asm_output",
        InstKind::Intrinsic(which, _) => match which {
            Intrinsic::Clz => "clz",
            Intrinsic::Ctz => "ctz",
            Intrinsic::Clrsb => "clrsb",
            Intrinsic::Popcount => "popcount",
            Intrinsic::Parity => "parity",
            Intrinsic::Ffs => "ffs",
            Intrinsic::Bswap => "bswap",
            Intrinsic::Overflows(..) => "overflows",
            Intrinsic::SignBit => "sign_bit",
            Intrinsic::Real => "real",
            Intrinsic::Imag => "imag",
            Intrinsic::Complex => "complex",
            Intrinsic::FrameAddress => "frame_address",
            Intrinsic::Shuffle => "shuffle",
            Intrinsic::ConvertVector => "convert_vector",
            Intrinsic::Splat => "splat",
            Intrinsic::Machine(op) => match op {
                MachineOp::AesEncrypt => "aes_encrypt",
                MachineOp::AesEncryptLast => "aes_encrypt_last",
                MachineOp::AesDecrypt => "aes_decrypt",
                MachineOp::AesDecryptLast => "aes_decrypt_last",
                MachineOp::AesInverseMix => "aes_inverse_mix",
                MachineOp::AesKeyAssist => "aes_key_assist",
                MachineOp::CarrylessMultiply => "carryless_multiply",
                MachineOp::ByteShuffle => "byte_shuffle",
            },
        },
        InstKind::StandIn { .. } => "stand_in",
    }
}

fn binary(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "add",
        BinOp::Sub => "sub",
        BinOp::Mul => "mul",
        BinOp::Div => "div",
        BinOp::Rem => "rem",
        BinOp::And => "and",
        BinOp::Or => "or",
        BinOp::Xor => "xor",
        BinOp::Shl => "shl",
        BinOp::Shr => "shr",
    }
}

/// An operand; constants of type `context` stand bare.
pub(super) fn operand(names: &Names, op: Operand, context: TypeId, types: &Types) -> String {
    let typed = |ty: TypeId, value: String| {
        if ty == context || ty == Types::INT { value } else { format!("({}){value}", names.ty(ty)) }
    };
    match op {
        Operand::Value(v) => v.to_string(),
        // Only `unsigned __int128` has values that do not fit the signed number.
        Operand::Int(n, ty) if ty == Types::int(IntKind::UInt128) => typed(ty, n.bits().to_string()),
        Operand::Int(n, ty) => typed(ty, n.value().to_string()),
        Operand::Float(bits, ty) => {
            let value = float(types, bits, ty);
            // A float always shows that it is one.
            if ty == context { value } else { format!("({}){value}", names.ty(ty)) }
        }
        Operand::Global(g) => names.global(g).to_string(),
        Operand::Function(f) => names.function(f).to_string(),
        Operand::Local(l) => l.to_string(),
        Operand::Label(l) => format!("&&{l}"),
    }
}

fn float(types: &Types, bits: Int, ty: TypeId) -> String {
    let kind = match types.get(ty) {
        Type::Float(kind) => *kind,
        _ => FloatKind::Float128,
    };
    let bits = bits.bits();
    match (kind, types.model.float_size(kind)) {
        (FloatKind::Float, _) | (FloatKind::Double, 4) => format!("{:?}", f32::from_bits(bits as u32)),
        (FloatKind::Double, _) => format!("{:?}", f64::from_bits(bits as u64)),
        (FloatKind::Float16 | FloatKind::LongDouble | FloatKind::Float128, _) => format!("bits {bits:#x}"),
    }
}

fn access(access: &Access) -> String {
    let mut out = access.bits.map_or_else(String::new, |bits| format!(" bits {}+{}", bits.offset, bits.width));
    if access.volatile {
        out.push_str(" volatile");
    }
    if access.atomic {
        out.push_str(" atomic");
    }
    out
}

/// The member that a `FieldAddr` addresses: `struct node.next`.
pub(super) fn member(types: &Types, record: RecordId, field: u32) -> String {
    let r = &types.records[record];
    let name = r.members.get(field as usize).map_or("", |m| m.name.as_str());
    let tag = if r.name.is_empty() { format!("<{record}>") } else { r.name.clone() };
    let word = record_word(r.kind);
    if name.is_empty() { format!("{word} {tag}.<{field}>") } else { format!("{word} {tag}.{name}") }
}

/// What an instruction does.
pub(super) fn show(program: &Program, names: &Names, body: &Body, inst: &Inst) -> String {
    let types = &program.types;
    let op = |o: &Operand| operand(names, *o, inst.ty, types);
    let with = |o: &Operand, context: TypeId| operand(names, *o, context, types);
    let list = |ops: &[Operand]| ops.iter().map(|o| with(o, Types::INT)).collect::<Vec<_>>().join(", ");
    let word = opcode(&inst.kind);
    match &inst.kind {
        InstKind::Param(n) => format!("{word} {n}"),
        InstKind::Phi(args) => {
            let args: Vec<String> = args.iter().map(|(block, o)| format!("{block}: {}", op(o))).collect();
            format!("{word} [{}]", args.join(", "))
        }
        InstKind::Uninit => word.to_string(),
        InstKind::Copy(a) | InstKind::Unary(_, a) => format!("{word} {}", op(a)),
        InstKind::Binary(_, a, b) => format!("{word} {}, {}", op(a), op(b)),
        InstKind::Compare(_, a, b) => {
            // One side shows the type if the other does not.
            let ty = program.operand_type(body, *a);
            format!("{word} {}, {}", with(a, Types::INT), with(b, ty))
        }
        InstKind::Cast(a) => {
            let from = program.operand_type(body, *a);
            format!("{word} {} from {}", with(a, from), names.ty(from))
        }
        InstKind::PtrAdd { base, index, stride } => {
            format!("{word} {}, {} * {stride}", op(base), with(index, types.ptrdiff_t()))
        }
        InstKind::PtrDiff { lhs, rhs, stride } => {
            format!("{word} {}, {} / {stride}", with(lhs, Types::INT), with(rhs, Types::INT))
        }
        InstKind::FieldAddr { base, record, field } => {
            format!("{word} {}, {}", with(base, Types::INT), member(types, *record, *field))
        }
        InstKind::Load { addr, access: a } => format!("{word} {}{}", with(addr, Types::INT), access(a)),
        InstKind::Store { addr, value, access: a } => {
            let value = with(value, a.ty);
            format!("{word} {} {value}, {}{}", names.ty(a.ty), with(addr, Types::INT), access(a))
        }
        InstKind::Call { callee, args } => {
            let callee = match callee {
                Callee::Direct(f) => names.function(*f).to_string(),
                Callee::Indirect(o) => format!("*{}", with(o, Types::INT)),
            };
            format!("{word} {callee}({})", list(args))
        }
        InstKind::VaStart(a) | InstKind::VaArg(a) | InstKind::VaEnd(a) => format!("{word} {}", with(a, Types::INT)),
        InstKind::VaCopy { to, from } => format!("{word} {}, {}", with(to, Types::INT), with(from, Types::INT)),
        InstKind::Alloca { size, align } => format!("{word} {} align {align}", with(size, types.size_t())),
        InstKind::Asm(asm) => format!("{word}{}", show_asm(asm, &list)),
        InstKind::AsmOutput { asm, index } => format!("{word} {asm}.{index}"),
        InstKind::Intrinsic(Intrinsic::Overflows(o, ty), args) => {
            format!("{word}.{} {}: {}", binary(*o), names.ty(*ty), list(args))
        }
        InstKind::Intrinsic(_, args) => format!("{word} {}", list(args)).trim_end().to_string(),
        InstKind::StandIn { what, operands } => {
            format!("{word} {}({})", quoted(what.as_bytes()), list(operands))
        }
    }
}

fn show_asm(asm: &Asm, list: &dyn Fn(&[Operand]) -> String) -> String {
    let strings = |items: &[String]| items.iter().map(|s| quoted(s.as_bytes())).collect::<Vec<_>>().join(", ");
    let volatile = if asm.volatile { " volatile" } else { "" };
    let mut parts = vec![format!("{volatile} {}", quoted(asm.template.as_bytes()))];
    let inputs: Vec<String> =
        asm.inputs.iter().map(|(c, o)| format!("{} {}", quoted(c.as_bytes()), list(&[*o]))).collect();
    for (word, items) in [
        ("outputs", strings(&asm.outputs)),
        ("inputs", inputs.join(", ")),
        ("memory", list(&asm.memory)),
        ("clobbers", strings(&asm.clobbers)),
        ("labels", asm.labels.join(", ")),
    ] {
        if !items.is_empty() {
            parts.push(format!("{word}({items})"));
        }
    }
    parts.join(" ")
}

/// The value of a case, or its range.
pub(super) fn case(case: &Case) -> String {
    if case.low == case.high { case.low.to_string() } else { format!("{}..{}", case.low, case.high) }
}

/// The name of a terminator.
pub(super) fn terminator_word(term: &Terminator) -> &'static str {
    match term {
        Terminator::Jump(_) => "jump",
        Terminator::Branch { .. } => "branch",
        Terminator::Switch { .. } => "switch",
        Terminator::IndirectJump { .. } => "indirect_jump",
        Terminator::Return(_) => "return",
        Terminator::Unreachable => "unreachable",
    }
}

/// How a block ends.
pub(super) fn show_terminator(program: &Program, names: &Names, body: &Body, term: &Terminator) -> String {
    let op = |o: &Operand| operand(names, *o, Types::INT, &program.types);
    let word = terminator_word(term);
    match term {
        Terminator::Jump(target) => format!("{word} {target}"),
        Terminator::Branch { cond, then, otherwise } => format!("{word} {}, {then}, {otherwise}", op(cond)),
        Terminator::Switch { value, cases, default } => {
            let mut arms: Vec<String> = cases.iter().map(|c| format!("{} => {}", case(c), c.target)).collect();
            arms.push(format!("else => {default}"));
            format!("{word} {} [{}]", op(value), arms.join(", "))
        }
        Terminator::IndirectJump { addr, targets } => {
            let arms: Vec<String> =
                targets.iter().map(|(label, block)| format!("{} => {block}", body.labels[*label].name)).collect();
            format!("{word} {} [{}]", op(addr), arms.join(", "))
        }
        Terminator::Return(Some(value)) => format!("{word} {}", op(value)),
        Terminator::Return(None) | Terminator::Unreachable => word.to_string(),
    }
}
