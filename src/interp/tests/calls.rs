//! Calls: recursion, pointers, variable and mismatched arguments, the library, long jumps.

use super::*;

const ULONG: TypeId = Types::int(IntKind::ULong);

#[test]
fn recursion_ends_in_a_trap_and_not_in_the_host() {
    let mut b = Build::new(DataModel::lp64());
    let f = b.declare("f", Types::INT, &[Types::INT], false);
    b.define(f, |x, p| {
        let home = x.local(Types::INT);
        x.store(home, p[0], Types::INT);
        let value = x.call(f, &[p[0]]);
        x.ret(value);
    });
    let outcome = b.main(|x| {
        let value = x.call(f, &[int(1, Types::INT)]);
        x.ret(value);
    });
    assert!(trap(outcome).contains("stack overflow"));
}

/// A comparison function that sorts: the library calls the program, which calls the library, and so on.
#[test]
fn nested_callbacks_end_in_a_trap_and_not_in_the_host() {
    let mut b = Build::new(DataModel::lp64());
    let pointer = Types::VOID_PTR;
    let compare = b.declare("compare", Types::INT, &[pointer, pointer], false);
    let function = b.program.functions[compare].addr_ty;
    let qsort = b.declare("qsort", Types::VOID, &[pointer, ULONG, ULONG, function], false);
    let array = b.program.types.array_of(Types::INT.into(), Length::Fixed(8));
    let data = b.global(array, Vec::new());
    let sort = |f: &mut Fun<'_>| {
        let base = f.cast(Operand::Global(data), Types::VOID_PTR);
        f.call(qsort, &[base, int(8, ULONG), int(4, ULONG), Operand::Function(compare)]);
    };
    b.define(compare, |f, _| {
        sort(f);
        f.ret(int(0, Types::INT));
    });
    let outcome = b.main(|f| {
        sort(f);
        f.ret(int(0, Types::INT));
    });
    assert!(trap(outcome).contains("nested"));
}

#[test]
fn variable_arguments_of_every_kind_arrive() {
    let mut b = Build::new(DataModel::lp64());
    let list = b.record(24, 8, &[]);
    let record = b.record(24, 8, &[(0, LONG, None), (8, LONG, None), (16, LONG, None)]);
    let wide = Types::int(IntKind::Int128);
    let sum = b.declare("sum", LONG, &[Types::INT], true);
    b.define(sum, |f, p| {
        let (ap, copy) = (f.local(list), f.local(list));
        f.inst(InstKind::VaStart(ap), Types::VOID);
        let mut total = f.cast(p[0], LONG);
        f.inst(InstKind::VaCopy { to: copy, from: ap }, Types::VOID);
        for list in [ap, copy] {
            let i = f.inst(InstKind::VaArg(list), Types::INT);
            let d = f.inst(InstKind::VaArg(list), Types::DOUBLE);
            let s = f.inst(InstKind::VaArg(list), record);
            let w = f.inst(InstKind::VaArg(list), wide);
            let home = f.local(record);
            f.store(home, s, record);
            let last = f.cast(home, Types::CHAR_PTR);
            let last = f.add(last, 16, 1);
            let last = f.load(last, LONG);
            let shifted = f.binary(BinOp::Shr, w, int(70, Types::INT), wide);
            for value in [i, d, shifted, last] {
                let value = f.cast(value, LONG);
                total = f.binary(BinOp::Add, total, value, LONG);
            }
            f.inst(InstKind::VaEnd(list), Types::VOID);
        }
        f.ret(total);
    });
    let outcome = b.main(|f| {
        let s = f.local(record);
        let last = f.cast(s, Types::CHAR_PTR);
        let last = f.add(last, 16, 1);
        f.store(last, int(20, LONG), LONG);
        let s = f.load(s, record);
        let total = f.call(sum, &[int(1, Types::INT), int(-2, Types::INT), double(3.75), s, int(5 << 70, wide)]);
        let total = f.cast(total, Types::INT);
        f.ret(total);
    });
    // 1 + 2 * (-2 + 3 + 20 + 5)
    assert_eq!(outcome.end, End::Exit(53));
}

#[test]
fn too_few_variable_arguments_trap() {
    let mut b = Build::new(DataModel::lp64());
    let list = b.record(24, 8, &[]);
    let f = b.declare("f", Types::INT, &[Types::INT], true);
    b.define(f, |f, _| {
        let ap = f.local(list);
        f.inst(InstKind::VaStart(ap), Types::VOID);
        let value = f.inst(InstKind::VaArg(ap), Types::INT);
        f.ret(value);
    });
    let outcome = b.main(|x| {
        let value = x.call(f, &[int(1, Types::INT)]);
        x.ret(value);
    });
    assert!(trap(outcome).contains("no more arguments"));
}

/// Called through a pointer of another type, a function gets its arguments converted, missing ones are zero.
#[test]
fn mismatched_calls_are_tolerated() {
    let mut b = Build::new(DataModel::lp64());
    let f = b.declare("f", LONG, &[LONG, Types::DOUBLE, Types::INT], false);
    b.define(f, |f, p| {
        let d = f.cast(p[1], LONG);
        let i = f.cast(p[2], LONG);
        let sum = f.binary(BinOp::Add, p[0], d, LONG);
        let sum = f.binary(BinOp::Add, sum, i, LONG);
        f.ret(sum);
    });
    let outcome = b.main(|x| {
        let slot = x.local(Types::VOID_PTR);
        let address = x.cast(Operand::Function(f), Types::VOID_PTR);
        x.store(slot, address, Types::VOID_PTR);
        let callee = x.load(slot, Types::VOID_PTR);
        let single = Operand::Float(Int::new(i128::from(7.5f32.to_bits())), Types::float(FloatKind::Float));
        let args = vec![int(-3, Types::INT), single];
        let value = x.inst(InstKind::Call { callee: Callee::Indirect(callee), args }, Types::INT);
        x.ret(value);
    });
    assert_eq!(outcome.end, End::Exit(4));
}

#[test]
fn bad_callees_trap() {
    let call = |number: i128| {
        Build::new(DataModel::lp64()).main(|f| {
            let callee = f.cast(int(number, LONG), Types::VOID_PTR);
            f.inst(InstKind::Call { callee: Callee::Indirect(callee), args: Vec::new() }, Types::VOID);
            f.ret(int(0, Types::INT));
        })
    };
    assert!(trap(call(0)).contains("null pointer"));
    assert!(trap(call(12345)).contains("no function"));
    let mut b = Build::new(DataModel::lp64());
    let unknown = b.declare("no_such_function", Types::VOID, &[], false);
    let outcome = b.main(|f| {
        f.call(unknown, &[]);
        f.ret(int(0, Types::INT));
    });
    assert!(trap(outcome).contains("no_such_function"));
}

/// `setjmp` returns twice, across two frames and a callback of the library.
#[test]
fn long_jumps_unwind() {
    let mut b = Build::new(DataModel::lp64());
    let pointer = Types::VOID_PTR;
    let buffer = b.program.types.array_of(LONG.into(), Length::Fixed(25));
    let buffer = b.global(buffer, Vec::new());
    let setjmp = b.declare("_setjmp", Types::INT, &[pointer], false);
    let longjmp = b.declare("longjmp", Types::VOID, &[pointer, Types::INT], false);
    let compare = b.declare("compare", Types::INT, &[pointer, pointer], false);
    let function = b.program.functions[compare].addr_ty;
    let qsort = b.declare("qsort", Types::VOID, &[pointer, ULONG, ULONG, function], false);
    let deep = b.declare("deep", Types::VOID, &[], false);
    b.define(compare, |f, _| {
        let to = f.cast(Operand::Global(buffer), Types::VOID_PTR);
        f.call(longjmp, &[to, int(40, Types::INT)]);
        f.ret(int(0, Types::INT));
    });
    b.define(deep, |f, _| {
        let data = f.local(LONG);
        let data = f.cast(data, Types::VOID_PTR);
        f.call(qsort, &[data, int(2, ULONG), int(4, ULONG), Operand::Function(compare)]);
        f.ret(int(0, Types::INT));
    });
    let outcome = b.main(|f| {
        let (first, again) = (f.block(), f.block());
        let count = f.local(Types::INT);
        f.store(count, int(0, Types::INT), Types::INT);
        let to = f.cast(Operand::Global(buffer), Types::VOID_PTR);
        let value = f.call(setjmp, &[to]);
        let old = f.load(count, Types::INT);
        let new = f.binary(BinOp::Add, old, int(1, Types::INT), Types::INT);
        f.store(count, new, Types::INT);
        let is_first = f.compare(CmpOp::Eq, value, int(0, Types::INT));
        f.end(Terminator::Branch { cond: is_first, then: first, otherwise: again }, first);
        f.call(deep, &[]);
        f.ret(int(99, Types::INT));
        f.end(Terminator::Return(Some(int(99, Types::INT))), again);
        let times = f.load(count, Types::INT);
        let sum = f.binary(BinOp::Add, value, times, Types::INT);
        f.ret(sum);
    });
    assert_eq!(outcome.end, End::Exit(42));
}

#[test]
fn what_is_printed_is_what_was_flushed() {
    let mut b = Build::new(DataModel::lp64());
    let text = b.text("text\n");
    let puts = b.declare("puts", Types::INT, &[Types::CHAR_PTR], false);
    let abort = b.declare("abort", Types::VOID, &[], false);
    let outcome = b.main(|f| {
        let text = f.cast(text, Types::CHAR_PTR);
        f.call(puts, &[text]);
        f.call(abort, &[]);
        f.ret(int(0, Types::INT));
    });
    assert_eq!((outcome.end, outcome.stdout), (End::Signal(6), Vec::new()));
    let mut b = Build::new(DataModel::lp64());
    let text = b.text("text");
    let puts = b.declare("__builtin_puts", Types::INT, &[Types::CHAR_PTR], false);
    let outcome = b.main(|f| {
        let text = f.cast(text, Types::CHAR_PTR);
        f.call(puts, &[text]);
        f.ret(int(256 + 3, Types::INT));
    });
    assert_eq!((outcome.end, outcome.stdout), (End::Exit(3), b"text\n".to_vec()));
}

/// Assembly without effect hands its inputs on; any other traps.
#[test]
fn empty_assembly_is_a_barrier() {
    let run = |template: &str| {
        let asm = Asm {
            template: template.into(),
            volatile: true,
            outputs: vec!["=r".into(), "+r".into()],
            inputs: vec![("0".into(), int(30, Types::INT)), ("+1".into(), int(12, Types::INT))],
            memory: Vec::new(),
            clobbers: vec!["memory".into()],
            labels: Vec::new(),
        };
        Build::new(DataModel::lp64()).main(|f| {
            let Operand::Value(asm) = f.inst(InstKind::Asm(Box::new(asm)), Types::VOID) else { unreachable!() };
            let x = f.inst(InstKind::AsmOutput { asm, index: 0 }, Types::INT);
            let y = f.inst(InstKind::AsmOutput { asm, index: 1 }, Types::INT);
            let sum = f.binary(BinOp::Add, x, y, Types::INT);
            f.ret(sum);
        })
    };
    assert_eq!(run("").end, End::Exit(42));
    assert!(trap(run("cpuid")).contains("assembly"));
}
