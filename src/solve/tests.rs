//! Random terms: built and simplified, evaluated, solved and printed, all agree; and the solver's answers.

use std::time::{Duration, Instant};

use super::encode::{self, Encoded, Meaning, Typed};
use super::eval::{Assignment, Value, apply, eval, eval_all};
use super::number::BitVec;
use super::smtlib::smtlib;
use super::term::{BitOp, FloatOp, FloatOrder, Format, Node, Order, Sort, TermId, Terms};
use crate::ir::{Access, BinOp, Bits, InstKind, Int, Operand, Types};
use crate::policy::Overflow;
use crate::source::DataModel;

use super::z3::{Answer, Budget, Interrupt, Session, Unknown, check};

/// A small generator of random numbers (xorshift), so that a failure can be told by its seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    /// Often a number at an edge.
    fn number(&mut self, width: u32) -> BitVec {
        let random = (u128::from(self.next()) << 64) | u128::from(self.next());
        match self.below(6) {
            0 => BitVec::zero(width),
            1 => BitVec::ones(width),
            2 => BitVec::new(width, 1).shl(&BitVec::new(width.max(16), u128::from(width - 1)).resize(width, false)),
            3 => BitVec::new(width, random % 9),
            _ => BitVec::new(width, random),
        }
    }
    fn float(&mut self, format: Format) -> BitVec {
        let width = super::term::format_width(format);
        let small = super::float::from_int(format, true, &BitVec::signed(64, i128::from(self.next() as i8)));
        match self.below(5) {
            0 => self.number(width),
            1 => {
                let three = super::float::from_int(format, true, &BitVec::new(64, 3));
                super::float::binary(format, FloatOp::Div, &small, &three).expect("a number")
            }
            _ => small,
        }
    }
}

const FORMATS: [Format; 5] = [Format::Half, Format::Single, Format::Double, Format::X87, Format::Quad];

/// Random terms with the values they must have, computed operation by operation without any simplification.
struct Bench {
    random: Random,
    terms: Terms,
    assignment: Assignment,
    bools: Vec<(TermId, Value)>,
    bits: Vec<(TermId, Value)>,
    /// Floats of the format.
    floats: Vec<(TermId, Value)>,
    format: Format,
    width: u32,
}

impl Bench {
    fn new(seed: u64) -> Bench {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let width = [1, 7, 8, 16, 32, 64, 128, 150][random.below(8)];
        let format = FORMATS[random.below(5)];
        let mut bench = Bench {
            random,
            terms: Terms::new(),
            assignment: Assignment::new(),
            bools: Vec::new(),
            bits: Vec::new(),
            floats: Vec::new(),
            format,
            width,
        };
        for key in 0..3 {
            let number = bench.random.number(width);
            let var = bench.terms.var(key, Sort::Bits(width), &format!("v{key}"));
            bench.assignment.set_term(&bench.terms, var, Value::Bits(number.clone()));
            bench.bits.push((var, Value::Bits(number)));
            let number = bench.random.float(format);
            let var = bench.terms.var(10 + key, Sort::Bits(number.width()), &format!("f{key}"));
            bench.assignment.set_term(&bench.terms, var, Value::Bits(number.clone()));
            bench.floats.push((var, Value::Bits(number)));
            let constant = bench.random.number(width);
            let id = bench.terms.bits(constant.clone());
            bench.bits.push((id, Value::Bits(constant)));
            let constant = bench.random.float(format);
            let id = bench.terms.bits(constant.clone());
            bench.floats.push((id, Value::Bits(constant)));
        }
        let truth = bench.random.below(2) == 0;
        let var = bench.terms.var(20, Sort::Bool, "p");
        bench.assignment.set_term(&bench.terms, var, Value::Bool(truth));
        bench.bools.push((var, Value::Bool(truth)));
        bench
    }
    /// One of the later ones, so that terms get deep.
    fn pick(random: &mut Random, from: &[(TermId, Value)]) -> (TermId, Value) {
        let back = random.below(from.len().min(8));
        from[from.len() - 1 - back].clone()
    }
    /// What the operation itself says, from its operands' values.
    fn expected(node: &Node, operands: &[(TermId, Value)]) -> Value {
        apply(node, |id| &operands.iter().find(|(x, _)| *x == id).expect("an operand").1)
    }
    fn step(&mut self) {
        let (a, b) = (Self::pick(&mut self.random, &self.bits), Self::pick(&mut self.random, &self.bits));
        let (x, y) = (Self::pick(&mut self.random, &self.floats), Self::pick(&mut self.random, &self.floats));
        let (c, d) = (Self::pick(&mut self.random, &self.bools), Self::pick(&mut self.random, &self.bools));
        let all = [a.clone(), b.clone(), x.clone(), y.clone(), c.clone(), d.clone()];
        let (a, b, x, y, c, d) = (a.0, b.0, x.0, y.0, c.0, d.0);
        let (t, width, format) = (&mut self.terms, self.width, self.format);
        let ops = [
            BitOp::Add,
            BitOp::Sub,
            BitOp::Mul,
            BitOp::UDiv,
            BitOp::SDiv,
            BitOp::URem,
            BitOp::SRem,
            BitOp::And,
            BitOp::Or,
            BitOp::Xor,
            BitOp::Shl,
            BitOp::LShr,
            BitOp::AShr,
        ];
        let orders = [Order::ULt, Order::ULe, Order::SLt, Order::SLe];
        let floats = [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div];
        match self.random.below(20) {
            0..=4 => {
                let op = ops[self.random.below(ops.len())];
                let value = Self::expected(&Node::Bit(op, a, b), &all);
                self.bits.push((t.bit(op, a, b), value));
            }
            5 => {
                let value = Self::expected(&Node::BitNot(a), &all);
                self.bits.push((t.bit_not(a), value));
                let value = Self::expected(&Node::Neg(b), &all);
                self.bits.push((t.neg(b), value));
            }
            6 => {
                let value = Self::expected(&Node::Ite(c, a, b), &all);
                self.bits.push((t.ite(c, a, b), value));
            }
            7 => {
                // Cut and extended again.
                let high = self.random.below(width as usize) as u32;
                let low = self.random.below(high as usize + 1) as u32;
                let signed = self.random.below(2) == 0;
                let cut = all[0].1.bits().extract(high, low);
                let piece = t.extract(high, low, a);
                let wide = t.extend(signed, width, piece);
                self.bits.push((wide, Value::Bits(cut.resize(width, signed))));
                let wider = t.extend(signed, width + 9, wide);
                let other = t.extend(signed, width + 9, b);
                let order = orders[self.random.below(4)];
                let truth = super::eval::compare(
                    order,
                    &cut.resize(width, signed).resize(width + 9, signed),
                    &all[1].1.bits().resize(width + 9, signed),
                );
                self.bools.push((t.compare(order, wider, other), Value::Bool(truth)));
            }
            8 => {
                // Both halves, joined in either order.
                let both = t.concat(a, b);
                let swapped =
                    all[0].1.bits().concat(all[1].1.bits()).extract(2 * width - 1, width / 2).resize(width, false);
                let piece = t.extract(2 * width - 1, width / 2, both);
                self.bits.push((t.resize(false, width, piece), Value::Bits(swapped)));
            }
            9..=11 => {
                let order = orders[self.random.below(4)];
                let value = Self::expected(&Node::Compare(order, a, b), &all);
                self.bools.push((t.compare(order, a, b), value));
                let value = Self::expected(&Node::Eq(a, b), &all);
                self.bools.push((t.eq(a, b), value));
            }
            12 => {
                let op = ops[self.random.below(3)];
                let signed = self.random.below(2) == 0;
                let value = Self::expected(&Node::Fits { op, signed, a, b }, &all);
                self.bools.push((t.fits(op, signed, a, b), value));
            }
            13 => {
                let value = Self::expected(&Node::And([c, d].into()), &all);
                self.bools.push((t.and(&[c, d]), value));
                let value = Self::expected(&Node::Or([c, d].into()), &all);
                self.bools.push((t.or(&[c, d]), value));
                let value = Self::expected(&Node::Not(c), &all);
                self.bools.push((t.not(c), value));
                let value = Self::expected(&Node::Ite(c, d, c), &all);
                self.bools.push((t.ite(c, d, c), value));
            }
            14..=16 => {
                let op = floats[self.random.below(4)];
                let nan = t.number(super::term::format_width(format), 0);
                let nan = t.quiet_nan(format, nan);
                let value = super::float::binary(format, op, all[2].1.bits(), all[3].1.bits());
                let value = value.unwrap_or_else(|| t.as_bits(nan).expect("a constant").clone());
                self.floats.push((t.float(op, format, x, y, nan), Value::Bits(value)));
            }
            17 => {
                let order = [FloatOrder::Eq, FloatOrder::Lt, FloatOrder::Le][self.random.below(3)];
                let value = Self::expected(&Node::FloatCompare(order, format, x, y), &all);
                self.bools.push((t.float_compare(order, format, x, y), value));
                let value = Self::expected(&Node::IsNan(format, x), &all);
                self.bools.push((t.is_nan(format, x), value));
                let value = Self::expected(&Node::FloatNeg(format, x), &all);
                self.floats.push((t.float_neg(format, x), value));
            }
            18 if width <= 128 => {
                let signed = self.random.below(2) == 0;
                let value = Self::expected(&Node::FloatFromInt { format, signed, of: a }, &all);
                self.floats.push((t.float_from_int(format, signed, a), value));
                let value = Self::expected(&Node::FloatToInt { format, signed, of: x, otherwise: b }, &all);
                self.bits.push((t.float_to_int(format, signed, x, b), value));
            }
            _ => {
                // To another format and back.
                let other = FORMATS[self.random.below(5)];
                let zero = t.number(super::term::format_width(other), 0);
                let nan = t.quiet_nan(other, zero);
                let there = t.float_to_float(format, other, x, nan);
                let zero = t.number(super::term::format_width(format), 0);
                let nan = t.quiet_nan(format, zero);
                let back = t.float_to_float(other, format, there, nan);
                let start = all[2].1.bits();
                let value = if format == other {
                    start.clone()
                } else {
                    super::float::convert(format, other, start)
                        .and_then(|v| super::float::convert(other, format, &v))
                        .unwrap_or_else(|| t.as_bits(nan).expect("a constant").clone())
                };
                self.floats.push((back, Value::Bits(value)));
            }
        }
    }
    fn grown(seed: u64, steps: usize) -> Bench {
        let mut bench = Bench::new(seed);
        for _ in 0..steps {
            bench.step();
        }
        bench
    }
    /// The terms made last, and what they are worth.
    fn last(&self) -> Vec<(TermId, Value)> {
        let lists = [&self.bools, &self.bits, &self.floats];
        lists.iter().flat_map(|l| l.iter().rev().take(3).cloned()).collect()
    }
    /// That the variables have the values of the assignment.
    fn fixed(&mut self) -> Vec<TermId> {
        let mut equations = Vec::new();
        for (var, value) in self.assignment.clone().iter() {
            let key = self.terms.variable(var).key.expect("a variable of ours");
            let sort = self.terms.variable(var).sort;
            let id = self.terms.var(key, sort, "");
            let constant = constant(&mut self.terms, value);
            equations.push(self.terms.eq(id, constant));
        }
        equations
    }
}

fn constant(terms: &mut Terms, value: &Value) -> TermId {
    match value {
        Value::Bool(truth) => terms.bool(*truth),
        Value::Bits(number) => terms.bits(number.clone()),
        Value::Array(_) => panic!("arrays have no constants"),
    }
}

#[test]
fn simplification_keeps_the_value_of_every_term() {
    for seed in 1..1500 {
        let bench = Bench::grown(seed, 40);
        let all: Vec<&(TermId, Value)> = bench.bools.iter().chain(&bench.bits).chain(&bench.floats).collect();
        let ids: Vec<TermId> = all.iter().map(|(id, _)| *id).collect();
        for (value, (id, expected)) in eval_all(&bench.terms, &ids, &bench.assignment).iter().zip(all) {
            assert_eq!(value, expected, "seed {seed}, {id}");
        }
    }
}

/// Z3 is asked whether a term can differ from the value that the evaluator gives it: it must not, and it must be able to have it.
#[test]
fn the_solver_and_the_evaluator_agree_on_terms_of_every_kind() {
    let budget = Budget { timeout: Some(Duration::from_secs(20)), ..Budget::default() };
    let mut asked = 0;
    for seed in 1..100 {
        let mut bench = Bench::grown(seed, 12);
        let mut assertions = bench.fixed();
        let mut differ = Vec::new();
        for (id, value) in bench.last() {
            let constant = constant(&mut bench.terms, &value);
            differ.push(bench.terms.ne(id, constant));
        }
        let differs = bench.terms.or(&differ);
        assertions.push(differs);
        match check(&assertions, &bench.terms, &budget) {
            Answer::Unsat(_) => asked += 1,
            Answer::Sat(model) => panic!("seed {seed}: {model:?}"),
            // A division of wide numbers may be too much.
            Answer::Unknown(_) => continue,
        }
        *assertions.last_mut().expect("one was added") = bench.terms.not(differs);
        assert!(matches!(check(&assertions, &bench.terms, &budget), Answer::Sat(_)), "seed {seed}");
    }
    assert!(asked > 90, "{asked} were decided");
}

#[test]
fn the_printed_question_is_the_one_that_is_asked() {
    for seed in 1..40 {
        let mut bench = Bench::grown(seed, 10);
        let mut assertions = bench.fixed();
        let mut last = bench.last();
        let (id, value) = last.swap_remove(seed as usize % last.len());
        let constant = constant(&mut bench.terms, &value);
        assertions.push(bench.terms.eq(id, constant));
        for wanted in [::z3::SatResult::Sat, ::z3::SatResult::Unsat] {
            let text = smtlib(&bench.terms, &assertions);
            let solver = ::z3::Solver::new();
            solver.from_string(text.replace("(check-sat)", ""));
            assert_eq!(solver.get_assertions().len(), assertions.len(), "seed {seed}: Z3 does not read\n{text}");
            assert_eq!(solver.check(), wanted, "seed {seed}\n{text}");
            let last = assertions.pop().expect("one was added");
            assertions.push(bench.terms.not(last));
        }
    }
}

/// `i > 10 && i + 3 == 2 * j - 42`, of the paper's first example.
fn paper(terms: &mut Terms) -> [TermId; 4] {
    let (i, j) = (terms.var(0, Sort::Bits(32), "i"), terms.var(1, Sort::Bits(32), "j"));
    let [ten, three, two, other] = [10, 3, 2, 42].map(|n| terms.number(32, n));
    let large = terms.compare(Order::SLt, ten, i);
    let left = terms.bit(BitOp::Add, i, three);
    let twice = terms.bit(BitOp::Mul, j, two);
    let right = terms.bit(BitOp::Sub, twice, other);
    let equal = terms.eq(left, right);
    [i, j, large, equal]
}

#[test]
fn cores_are_minimal_and_models_are_exact() {
    let mut terms = Terms::new();
    let [i, j, large, equal] = paper(&mut terms);
    let (five, zero) = (terms.number(32, 5), terms.number(32, 0));
    let small = terms.compare(Order::SLt, j, five);
    // Without overflow 2 * j - 42 is below -32, and i + 3 is not.
    let fits = {
        let two = terms.number(32, 2);
        let twice = terms.fits(BitOp::Mul, true, j, two);
        let (doubled, minus) = (terms.bit(BitOp::Mul, j, two), terms.number(32, -42));
        let sum = terms.fits(BitOp::Add, true, doubled, minus);
        let three = terms.number(32, 3);
        let other = terms.fits(BitOp::Add, true, i, three);
        terms.and(&[twice, sum, other])
    };
    let idle = terms.ne(j, zero);
    let budget = Budget { minimal_core: true, ..Budget::default() };
    let assertions = [idle, large, equal, small, fits];
    assert_eq!(check(&assertions, &terms, &budget), Answer::Unsat(vec![1, 2, 3, 4]));
    let Answer::Sat(model) = check(&assertions[..3], &terms, &budget) else { panic!("i = 11, j = 28") };
    assert!(assertions[..3].iter().all(|a| eval(&terms, *a, &model).bool()));
    assert!(matches!(check(&[idle, large, equal, small], &terms, &budget), Answer::Sat(_)), "they wrap around");
}

#[test]
fn sessions_go_back_to_what_was_there() {
    let mut terms = Terms::new();
    let [_, j, large, equal] = paper(&mut terms);
    let budget = Budget::default();
    let mut session = Session::new();
    session.assert(&terms, large);
    session.assert(&terms, equal);
    assert!(matches!(session.check(&terms, &budget), Answer::Sat(_)));
    for value in [0, 28, 3] {
        session.push();
        let number = terms.number(32, value);
        let fixed = terms.eq(j, number);
        session.assert(&terms, fixed);
        match session.check(&terms, &Budget { minimal_core: true, ..Budget::default() }) {
            Answer::Sat(model) => {
                assert_eq!(value, 28, "{model:?}");
                assert_eq!(eval(&terms, j, &model), Value::Bits(BitVec::new(32, 28)));
            }
            // 2 * 0 - 42 - 3 and 2 * 3 - 42 - 3 are not above 10.
            Answer::Unsat(core) => assert!(value != 28 && core == [0, 1, 2], "{value} {core:?}"),
            Answer::Unknown(why) => panic!("{why:?}"),
        }
        session.pop();
    }
    assert!(matches!(session.check(&terms, &budget), Answer::Sat(_)));
}

#[test]
fn arrays_are_read_from_models() {
    let mut terms = Terms::new();
    let array = terms.var(0, Sort::Array { index: 64, element: 8 }, "a");
    let [i, j] = [1, 2].map(|k| terms.var(k, Sort::Bits(64), &format!("i{k}")));
    let nine = terms.number(8, 9);
    let after = terms.store(array, i, nine);
    let (first, second) = (terms.select(after, j), terms.select(array, j));
    let seven = terms.number(8, 7);
    let (is_nine, is_seven) = (terms.eq(first, nine), terms.eq(second, seven));
    let Answer::Sat(model) = check(&[is_nine, is_seven], &terms, &Budget::default()) else { panic!("i = j") };
    let [i_value, j_value] = [i, j].map(|x| eval(&terms, x, &model));
    assert_eq!(i_value, j_value);
    let apart = terms.ne(i, j);
    let budget = Budget { minimal_core: true, ..Budget::default() };
    assert_eq!(check(&[is_nine, is_seven, apart], &terms, &budget), Answer::Unsat(vec![0, 1, 2]));
}

/// x * y == a large semiprime, with both factors above 1: hard for any solver.
fn hard(terms: &mut Terms) -> Vec<TermId> {
    let [x, y] = [0, 1].map(|k| terms.var(k, Sort::Bits(128), "factor"));
    let product = terms.bit(BitOp::Mul, x, y);
    let number = terms.number(128, 4611686014132420609 * 2305843009213693951);
    let one = terms.number(128, 1);
    let limit = terms.number(128, 1 << 63);
    let mut all = vec![terms.eq(product, number)];
    for factor in [x, y] {
        all.push(terms.compare(Order::ULt, one, factor));
        all.push(terms.compare(Order::ULt, factor, limit));
    }
    all
}

#[test]
fn limits_and_interrupts_end_a_search_and_leave_the_next_one_alone() {
    let mut terms = Terms::new();
    let question = hard(&mut terms);
    let started = Instant::now();
    let budget = Budget { timeout: Some(Duration::from_millis(200)), ..Budget::default() };
    assert_eq!(check(&question, &terms, &budget), Answer::Unknown(Unknown::Timeout));
    let budget = Budget { steps: Some(10_000), ..Budget::default() };
    assert_eq!(check(&question, &terms, &budget), Answer::Unknown(Unknown::Timeout));
    let interrupt = Interrupt::new();
    let budget = Budget { interrupt: Some(interrupt.clone()), ..Budget::default() };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            interrupt.stop();
        });
        assert_eq!(check(&question, &terms, &budget), Answer::Unknown(Unknown::Interrupted));
    });
    assert!(started.elapsed() < Duration::from_secs(20), "the limits were kept");
    assert_eq!(check(&question, &terms, &budget), Answer::Unknown(Unknown::Interrupted), "it stays stopped");
    let budget = Budget { interrupt: Some(Interrupt::new()), ..Budget::default() };
    assert!(matches!(check(&question[1..], &terms, &budget), Answer::Sat(_)));
}

/// What `int_add(x, y)` and the like are worth, with what may be assumed.
fn binary(terms: &mut Terms, types: &Types, overflow: Overflow, op: BinOp, x: TermId, y: TermId) -> Encoded {
    let operand = Operand::Int(Int::new(0), Types::INT);
    let typed = [x, y].map(|term| Typed { term, ty: Types::INT });
    let mut fresh = |terms: &mut Terms, sort: Sort| terms.fresh(sort, "open");
    let kind = InstKind::Binary(op, operand, operand);
    encode::instruction(Meaning { types, overflow }, terms, &kind, Types::INT, &typed, &mut fresh).expect("integers")
}

#[test]
fn overflow_is_excluded_only_if_the_policy_says_so_and_zero_divides_to_anything() {
    let types = Types::new(DataModel::lp64());
    let mut terms = Terms::new();
    let [x, y, z] = [0, 1, 2].map(|key| terms.var(key, Sort::Bits(32), "x"));
    let one = terms.number(32, 1);
    for (overflow, may_shrink) in [(Overflow::Undefined, false), (Overflow::Wrap, true)] {
        let sum = binary(&mut terms, &types, overflow, BinOp::Add, x, one);
        let shrinks = terms.compare(Order::SLt, sum.value, x);
        let answer = check(&[shrinks, sum.assume], &terms, &Budget::default());
        assert_eq!(matches!(answer, Answer::Sat(_)), may_shrink, "{overflow:?}: {answer:?}");
    }
    // A quotient is any number if the divisor is 0, and what C says otherwise.
    let quotient = binary(&mut terms, &types, Overflow::Undefined, BinOp::Div, x, y);
    let (zero, seven) = (terms.number(32, 0), terms.number(32, 7));
    let (is_z, by_zero, is_seven) = (terms.eq(quotient.value, z), terms.eq(y, zero), terms.eq(z, seven));
    let assertions = [is_z, by_zero, is_seven, quotient.assume];
    assert!(matches!(check(&assertions, &terms, &Budget::default()), Answer::Sat(_)));
    // The least number divided by -1 does not happen.
    let (least, minus_one) = (terms.number(32, i128::from(i32::MIN)), terms.number(32, -1));
    let (is_least, by_minus_one) = (terms.eq(x, least), terms.eq(y, minus_one));
    let assertions = [is_least, by_minus_one, quotient.assume];
    assert!(matches!(check(&assertions, &terms, &Budget::default()), Answer::Unsat(_)));
    // A shift by too much is any number, too.
    let thirty_two = terms.number(32, 32);
    let shifted = binary(&mut terms, &types, Overflow::Wrap, BinOp::Shl, x, thirty_two);
    let shifted_is_seven = terms.eq(shifted.value, seven);
    assert!(matches!(check(&[shifted_is_seven], &terms, &Budget::default()), Answer::Sat(_)));
}

/// `struct { unsigned a : 4, b : 12; }` with b = 0xabc: bytes c0 ab on x86, 0a bc on a big-endian machine.
#[test]
fn bit_fields_are_where_the_byte_order_puts_them() {
    let access = Access { ty: Types::UINT, volatile: false, atomic: false, bits: Some(Bits { offset: 4, width: 12 }) };
    for (big_endian, bytes) in [(false, [0xc0, 0xab]), (true, [0x0a, 0xbc])] {
        let types = Types::new(DataModel { big_endian, ..DataModel::lp64() });
        let meaning = Meaning { types: &types, overflow: Overflow::Wrap };
        let mut terms = Terms::new();
        let (zeros, value) = (terms.number(16, 0), terms.number(32, 0xabc));
        let image = encode::store(meaning, &mut terms, zeros, value, &access).expect("an integer");
        assert_eq!(terms.as_bits(image), Some(&BitVec::from_bytes(&bytes)));
        let back = encode::load(meaning, &mut terms, image, &access).expect("an integer");
        assert_eq!(back, value);
        // The other bits stay.
        let before = terms.var(0, Sort::Bits(16), "before");
        let after = encode::store(meaning, &mut terms, before, value, &access).expect("an integer");
        let rest = Access { bits: Some(Bits { offset: 0, width: 4 }), ..access };
        let (first, second) = (terms.extract(7, 0, before), terms.extract(7, 0, after));
        let old = encode::load(meaning, &mut terms, first, &rest).expect("an integer");
        let new = encode::load(meaning, &mut terms, second, &rest).expect("an integer");
        let differs = terms.ne(old, new);
        assert!(matches!(check(&[differs], &terms, &Budget::default()), Answer::Unsat(_)));
    }
}
