//! Random bodies, sound or not, and random numbers: nothing panics.

use proptest::prelude::*;

use super::super::arith;
use super::super::libc::names;
use super::super::value::{Format, Scalar, Shape};
use super::*;

/// An operand chosen by a number: an earlier value, a constant, an address.
fn operand(pick: u64, values: &[Operand], addresses: &[Operand]) -> Operand {
    let kind = Types::int(IntKind::ALL[(pick >> 8) as usize % 13]);
    match pick % 5 {
        0 | 1 if !values.is_empty() => values[(pick >> 16) as usize % values.len()],
        2 => addresses[(pick >> 16) as usize % addresses.len()],
        3 => double(f64::from_bits(pick.wrapping_mul(0x9e37_79b9_7f4a_7c15))),
        _ => int(i128::from((pick >> 12) as i16), kind),
    }
}

fn instruction(f: &mut Fun<'_>, picks: [u64; 4], values: &mut Vec<Operand>, addresses: &[Operand], types: &[TypeId]) {
    let [what, x, y, z] = picks;
    let ty = types[(z % types.len() as u64) as usize];
    let (a, b) = (operand(x, values, addresses), operand(y, values, addresses));
    let binary = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div, BinOp::Rem, BinOp::And, BinOp::Shl, BinOp::Shr];
    let compare = [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Ge];
    let access = Access { ty, volatile: false, atomic: false, bits: None };
    let width = ((z >> 8) % 64 + 1) as u8;
    let field = Access { ty: LONG, bits: Some(Bits { offset: (z % 8) as u8, width }), ..access };
    let (kind, ty) = match what % 13 {
        0 | 1 => (InstKind::Binary(binary[(z >> 4) as usize % 8], a, b), ty),
        2 => (InstKind::Compare(compare[(z >> 4) as usize % 4], a, b), Types::INT),
        3 | 4 => (InstKind::Cast(a), ty),
        5 => (InstKind::PtrAdd { base: a, index: b, stride: z % 9 }, Types::VOID_PTR),
        6 => (InstKind::Load { addr: a, access }, ty),
        7 => (InstKind::Store { addr: a, value: b, access }, Types::VOID),
        8 => (InstKind::Unary(if z % 2 == 0 { UnOp::Neg } else { UnOp::Not }, a), ty),
        9 => (InstKind::Load { addr: a, access: field }, LONG),
        10 => (InstKind::Store { addr: a, value: b, access: field }, Types::VOID),
        11 => (InstKind::VaArg(a), ty),
        _ => (InstKind::Intrinsic(Intrinsic::Popcount, vec![a]), Types::INT),
    };
    let value = f.inst(kind, ty);
    if ty != Types::VOID {
        values.push(value);
    }
}

proptest! {
    #[test]
    fn no_body_makes_it_panic(picks in prop::collection::vec(any::<[u64; 4]>(), 1..40)) {
        let mut b = Build::new(DataModel::lp64());
        let vector = b.program.types.intern(Type::Vector { element: Types::INT, lanes: 4 });
        let complex = b.program.types.intern(Type::Complex(FloatKind::LongDouble));
        let record = b.record(20, 4, &[]);
        let mut types: Vec<TypeId> = IntKind::ALL.iter().map(|k| Types::int(*k)).collect();
        types.extend(FloatKind::ALL.iter().map(|k| Types::float(*k)));
        types.extend([Types::BOOL, Types::VOID_PTR, vector, complex, record]);
        b.main(|f| {
            let addresses = [f.local(LONG), f.local(record), f.local(vector), int(0, Types::VOID_PTR)];
            let mut values = Vec::new();
            for pick in picks {
                instruction(f, pick, &mut values, &addresses, &types);
            }
            f.ret(int(0, Types::INT));
        });
    }

    #[test]
    fn no_arguments_make_the_library_panic(name in any::<prop::sample::Index>(), picks in prop::collection::vec(any::<(u8, u64)>(), 0..6)) {
        let mut b = Build::new(DataModel::lp64());
        let function = b.declare(names()[name.index(names().len())], Types::int(IntKind::ULong), &[], true);
        let texts = ["%d %s %ls %*.*Lf %n", "12 abc", "", "a=b", "%500$d", "%[^]", "w+"].map(|t| b.text(t));
        b.main(|f| {
            let buffer = f.local(LONG);
            let args: Vec<Operand> = picks
                .into_iter()
                .map(|(kind, number)| match kind % 6 {
                    0 => buffer,
                    1 => int(i128::from(number), Types::int(IntKind::ULong)),
                    2 => int(i128::from(number % 20), Types::int(IntKind::ULong)),
                    3 => double(f64::from_bits(number)),
                    4 => Operand::Function(function),
                    _ => texts[(number % 7) as usize],
                })
                .collect();
            f.call(function, &args);
            f.ret(int(0, Types::INT));
        });
    }

    #[test]
    fn no_bits_make_arithmetic_panic(a in any::<u128>(), b in any::<u128>(), op in 0usize..4) {
        let op = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Div][op];
        for format in [Format::Half, Format::Single, Format::Double, Format::X87, Format::Quad] {
            let scalar = Scalar::Float(format);
            let mask = u128::MAX >> (128 - format.bytes() * 8);
            let value = arith::float_binary(format, op, a & mask, b & mask);
            for to in [Format::Half, Format::Single, Format::Double, Format::X87, Format::Quad] {
                arith::convert(format, to, value);
            }
            arith::cast(scalar, Scalar::Int(Shape { bits: 16, signed: false }), a & mask);
            arith::compare(scalar, CmpOp::Lt, a & mask, value);
        }
    }
}
