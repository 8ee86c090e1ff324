//! Values, memory, control flow.

use super::*;

/// Runs a body that returns an `int` and gives its exit code.
fn code(fill: impl FnOnce(&mut Fun<'_>)) -> i32 {
    match Build::new(DataModel::lp64()).main(fill).end {
        End::Exit(code) => code,
        other => panic!("{other:?}"),
    }
}

/// Counts down by 10 with two `Phi`s that exchange their values each time round.
#[test]
fn phis_are_parallel() {
    let got = code(|f| {
        let (head, body, done) = (f.block(), f.block(), f.block());
        let entry = f.here();
        f.end(Terminator::Jump(head), head);
        let phi = |f: &mut Fun<'_>, start| f.inst(InstKind::Phi(vec![(entry, int(start, Types::INT))]), Types::INT);
        let (a, b, n) = (phi(f, 1), phi(f, 2), phi(f, 5));
        let more = f.compare(CmpOp::Gt, n, int(0, Types::INT));
        f.end(Terminator::Branch { cond: more, then: body, otherwise: done }, body);
        let next = f.binary(BinOp::Sub, n, int(1, Types::INT), Types::INT);
        f.end(Terminator::Jump(head), done);
        for (phi, value) in [(a, b), (b, a), (n, next)] {
            let Operand::Value(v) = phi else { unreachable!() };
            if let InstKind::Phi(args) = &mut f.body.insts[v].kind {
                args.push((body, value));
            }
        }
        let ten = f.binary(BinOp::Mul, a, int(10, Types::INT), Types::INT);
        let sum = f.binary(BinOp::Add, ten, b, Types::INT);
        f.ret(sum);
    });
    // Five exchanges of (1, 2) give (2, 1).
    assert_eq!(got, 21);
}

#[test]
fn a_pointer_survives_its_bytes_being_copied_and_arithmetic_on_its_number() {
    let got = code(|f| {
        let pointer = f.program.types.pointer_to(Types::INT.into());
        let (x, p, q) = (f.local(Types::INT), f.local(pointer), f.local(pointer));
        f.store(x, int(77, Types::INT), Types::INT);
        f.store(p, x, pointer);
        for i in 0..8 {
            let (p, q) = (f.cast(p, Types::CHAR_PTR), f.cast(q, Types::CHAR_PTR));
            let (from, to) = (f.add(p, i, 1), f.add(q, i, 1));
            let byte = f.load(from, Types::CHAR);
            f.store(to, byte, Types::CHAR);
        }
        let copied = f.load(q, pointer);
        let number = f.cast(copied, LONG);
        let mixed = f.binary(BinOp::Xor, number, int(0x55aa_55aa, LONG), LONG);
        let back = f.binary(BinOp::Xor, mixed, int(0x55aa_55aa, LONG), LONG);
        let back = f.cast(back, pointer);
        let value = f.load(back, Types::INT);
        f.ret(value);
    });
    assert_eq!(got, 77);
}

#[test]
fn aggregates_are_values() {
    let mut b = Build::new(DataModel::lp64());
    let chars = b.program.types.array_of(Types::CHAR.into(), Length::Fixed(13));
    let record = b.record(20, 4, &[(0, Types::INT, None), (4, chars, None)]);
    let change = b.declare("change", record, &[record], false);
    b.define(change, |f, p| {
        let copy = f.local(record);
        f.store(copy, p[0], record);
        let last = f.cast(copy, Types::CHAR_PTR);
        let last = f.add(last, 16, 1);
        f.store(last, int(9, Types::CHAR), Types::CHAR);
        let value = f.load(copy, record);
        f.ret(value);
    });
    let outcome = b.main(|f| {
        let (x, y) = (f.local(record), f.local(record));
        f.store(x, int(30, Types::INT), Types::INT);
        let last = f.cast(x, Types::CHAR_PTR);
        let last = f.add(last, 16, 1);
        f.store(last, int(4, Types::CHAR), Types::CHAR);
        let value = f.load(x, record);
        let changed = f.call(change, &[value]);
        f.store(y, changed, record);
        // The original is as it was, the result is changed: 30 + 4 * 10 + 9.
        let old = f.load(last, Types::CHAR);
        let old = f.cast(old, Types::INT);
        let old = f.binary(BinOp::Mul, old, int(10, Types::INT), Types::INT);
        let new = f.cast(y, Types::CHAR_PTR);
        let new = f.add(new, 16, 1);
        let new = f.load(new, Types::CHAR);
        let new = f.cast(new, Types::INT);
        let first = f.load(y, Types::INT);
        let sum = f.binary(BinOp::Add, old, new, Types::INT);
        let sum = f.binary(BinOp::Add, sum, first, Types::INT);
        f.ret(sum);
    });
    assert_eq!(outcome.end, End::Exit(79));
}

/// The same bit-field on a target of each byte order, seen through its bytes.
#[test]
fn bit_fields_follow_the_byte_order() {
    for (big_endian, expected) in [(false, 0xb0), (true, 0x0b)] {
        let mut b = Build::new(DataModel { big_endian, ..DataModel::lp64() });
        let bits = Bits { offset: 4, width: 7 };
        let record = b.record(4, 4, &[(0, Types::INT, Some(bits))]);
        let Type::Record(id) = *b.program.types.get(record) else { unreachable!() };
        let outcome = b.main(|f| {
            let x = f.local(record);
            f.store(x, int(0, Types::INT), Types::INT);
            let pointer = f.program.types.pointer_to(Types::INT.into());
            let field = f.inst(InstKind::FieldAddr { base: x, record: id, field: 0 }, pointer);
            let access = Access { ty: Types::INT, volatile: false, atomic: false, bits: Some(bits) };
            // -37 is 1011011 in seven bits.
            f.inst(InstKind::Store { addr: field, value: int(-37, Types::INT), access }, Types::VOID);
            let back = f.inst(InstKind::Load { addr: field, access }, Types::INT);
            let right = f.compare(CmpOp::Eq, back, int(-37, Types::INT));
            // The first byte has the field's low bits above its own, or its high bits below: 1011 both times.
            let byte = f.load(x, Types::int(IntKind::UChar));
            let byte = f.cast(byte, Types::INT);
            let shown = f.binary(BinOp::Mul, byte, right, Types::INT);
            f.ret(shown);
        });
        assert_eq!(outcome.end, End::Exit(expected), "big endian: {big_endian}");
    }
}

#[test]
fn narrow_targets_have_narrow_pointers_and_ints() {
    let model = DataModel {
        pointer_size: 2,
        int_size: 2,
        long_size: 4,
        size_type: IntKind::UInt,
        ptrdiff_type: IntKind::Int,
        max_align: 1,
        double_size: 4,
        va_list_size: 2,
        ..DataModel::lp64()
    };
    let mut b = Build::new(model);
    let malloc = b.declare("malloc", Types::VOID_PTR, &[Types::UINT], false);
    let sqrt = b.declare("sqrt", Types::DOUBLE, &[Types::DOUBLE], false);
    let outcome = b.main(|f| {
        let block = f.call(malloc, &[int(100, Types::UINT)]);
        let p = f.cast(block, Types::CHAR_PTR);
        let at = f.add(p, 99, 1);
        f.store(at, int(5, Types::CHAR), Types::CHAR);
        // 30000 + 30000 wraps to -5536 in 16 bits.
        let x = f.local(Types::INT);
        f.store(x, int(30000, Types::INT), Types::INT);
        let y = f.load(x, Types::INT);
        let sum = f.binary(BinOp::Add, y, y, Types::INT);
        let wrapped = f.compare(CmpOp::Eq, sum, int(-5536, Types::INT));
        // A double is a single here.
        let nine = Operand::Float(Int::new(i128::from(9f32.to_bits())), Types::DOUBLE);
        let root = f.call(sqrt, &[nine]);
        let root = f.cast(root, Types::INT);
        let byte = f.load(at, Types::CHAR);
        let byte = f.cast(byte, Types::INT);
        let all = f.binary(BinOp::Mul, byte, root, Types::INT);
        let all = f.binary(BinOp::Mul, all, wrapped, Types::INT);
        f.ret(all);
    });
    assert_eq!(outcome.end, End::Exit(15));
}

#[test]
fn vectors_compute_lane_by_lane() {
    let got = code(|f| {
        let vector = f.program.types.intern(Type::Vector { element: Types::INT, lanes: 4 });
        let x = f.local(vector);
        for i in 0..4 {
            let p = f.cast(x, Types::CHAR_PTR);
            let p = f.add(p, 4 * i, 1);
            f.store(p, int(i + 1, Types::INT), Types::INT);
        }
        let v = f.load(x, vector);
        let three = f.inst(InstKind::Intrinsic(Intrinsic::Splat, vec![int(3, Types::INT)]), vector);
        let product = f.binary(BinOp::Mul, v, three, vector);
        // -1 where the product is above 6: lanes 2 and 3.
        let six = f.inst(InstKind::Intrinsic(Intrinsic::Splat, vec![int(6, Types::INT)]), vector);
        let above = f.inst(InstKind::Compare(CmpOp::Gt, product, six), vector);
        let kept = f.binary(BinOp::And, product, above, vector);
        f.store(x, kept, vector);
        let mut sum = int(0, Types::INT);
        for i in 0..4 {
            let p = f.cast(x, Types::CHAR_PTR);
            let p = f.add(p, 4 * i, 1);
            let lane = f.load(p, Types::INT);
            sum = f.binary(BinOp::Add, sum, lane, Types::INT);
        }
        f.ret(sum);
    });
    assert_eq!(got, 9 + 12);
}

#[test]
fn switches_find_their_case_whatever_its_shape() {
    let int128 = Types::int(IntKind::Int128);
    for (ty, value, expected) in [
        (Types::INT, -5i128, 1),
        (Types::INT, 3, 2),
        (Types::INT, 6, 0),
        (Types::UINT, 0xffff_fff0, 3),
        (LONG, 1 << 40, 4),
        (LONG, (1 << 40) + 1, 0),
        (int128, -(1 << 100), 5),
        (int128, 1 << 100, 0),
    ] {
        let got = code(|f| {
            let (done, x) = (f.block(), f.local(ty));
            f.store(x, int(value, ty), ty);
            let value = f.load(x, ty);
            let cases: [(i128, i128); 5] = match ty {
                Types::UINT => [(0, 0), (7, 9), (0xffff_fff0, 0xffff_ffff), (100, 100), (200, 200)],
                LONG => [(i128::from(i64::MIN), -9), (0, 0), (2, 2), (1 << 40, 1 << 40), (1 << 50, 1 << 51)],
                Types::INT => [(-9, -3), (2, 4), (8, 8), (10, 10), (12, 12)],
                _ => [(0, 0), (1, 1), (2, 2), (3, 3), (i128::MIN, -5)],
            };
            let mut all = Vec::new();
            for (low, high) in cases {
                let target = f.block();
                f.body.blocks[target].term = Terminator::Return(Some(int(all.len() as i128 + 1, Types::INT)));
                all.push(Case { low, high, target });
            }
            f.end(Terminator::Switch { value, cases: all, default: done }, done);
            f.ret(int(0, Types::INT));
        });
        assert_eq!(got, expected, "{value}");
    }
}

#[test]
fn what_is_undefined_traps() {
    let run = |fill: &dyn Fn(&mut Fun<'_>, FuncId, FuncId)| {
        let mut b = Build::new(DataModel::lp64());
        let malloc = b.declare("malloc", Types::VOID_PTR, &[Types::int(IntKind::ULong)], false);
        let free = b.declare("free", Types::VOID, &[Types::VOID_PTR], false);
        trap(b.main(|f| {
            fill(f, malloc, free);
            f.ret(int(0, Types::INT));
        }))
    };
    let null = run(&|f, _, _| {
        let p = f.cast(int(0, LONG), Types::CHAR_PTR);
        f.load(p, Types::CHAR);
    });
    assert!(null.contains("null pointer"), "{null}");
    let past = run(&|f, malloc, _| {
        let p = f.call(malloc, &[int(10, Types::int(IntKind::ULong))]);
        let p = f.cast(p, Types::CHAR_PTR);
        let p = f.add(p, 10, 1);
        f.store(p, int(1, Types::CHAR), Types::CHAR);
    });
    assert!(past.contains("write of 1 byte") && past.contains("heap"), "{past}");
    let freed = run(&|f, malloc, free| {
        let p = f.call(malloc, &[int(10, Types::int(IntKind::ULong))]);
        f.call(free, &[p]);
        f.load(p, Types::CHAR);
    });
    assert!(freed.contains("heap"), "{freed}");
    let twice = run(&|f, malloc, free| {
        let p = f.call(malloc, &[int(10, Types::int(IntKind::ULong))]);
        f.call(free, &[p]);
        f.call(free, &[p]);
    });
    assert!(twice.contains("no block"), "{twice}");
    let stack = run(&|f, _, _| {
        let x = f.local(Types::INT);
        let past = f.add(x, 1, 4);
        f.load(past, Types::INT);
    });
    assert!(stack.contains("stack"), "{stack}");
    let zero = run(&|f, _, _| {
        let x = f.local(Types::INT);
        f.store(x, int(0, Types::INT), Types::INT);
        let x = f.load(x, Types::INT);
        f.binary(BinOp::Div, int(1, Types::INT), x, Types::INT);
    });
    assert!(zero.contains("division by zero"), "{zero}");
    let standin = run(&|f, _, _| {
        f.inst(InstKind::StandIn { what: "a riddle".into(), operands: Vec::new() }, Types::VOID);
    });
    assert!(standin.contains("a riddle"), "{standin}");
}

#[test]
fn limits_end_a_run() {
    let endless = |f: &mut Fun<'_>| {
        let again = f.block();
        f.end(Terminator::Jump(again), again);
        f.end(Terminator::Jump(again), again);
    };
    assert_eq!(Build::new(DataModel::lp64()).main(endless).end, End::Limit);
    let mut b = Build::new(DataModel::lp64());
    let main = b.declare("main", Types::INT, &[], false);
    let ulong = Types::int(IntKind::ULong);
    let malloc = b.declare("malloc", Types::VOID_PTR, &[ulong], false);
    b.define(main, |f, _| {
        f.call(malloc, &[int(1 << 20, ulong)]);
        f.ret(int(0, Types::INT));
    });
    assert_eq!(b.run(&Setup { max_memory: 1 << 21, ..Setup::default() }).end, End::Exit(0));
    assert_eq!(b.run(&Setup { max_memory: 1 << 19, ..Setup::default() }).end, End::Limit);
}
