//! Our terms as Z3's.
//!
//! A float is bits in our terms and a float in Z3's: a result that another floating operation takes is passed on as it is,
//! without going through bits. Z3's format of an x87 number has no integer bit, which is put in and taken out here; encodings
//! that no processor has made since 1982 are not numbers, as on these processors.

use ::z3::ast::{Array, Ast, BV, Bool, Dynamic, Float, RoundingMode};
use ::z3::{FuncDecl, Solver};
use rustc_hash::FxHashMap;

use crate::solve::number::BitVec;
use crate::solve::term::{
    BitOp, FloatOp, FloatOrder, Format, Node, Order, Sort, TermId, Terms, VarId, format_shape, format_width,
};

/// What a float is made from; the binding has no function for these, so the parser makes the first one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Maker {
    Bits,
    Signed(u32),
    Unsigned(u32),
}

/// Translates, and remembers.
#[derive(Debug, Default)]
pub(super) struct Translator {
    done: FxHashMap<TermId, Dynamic>,
    floats: FxHashMap<TermId, Float>,
    makers: FxHashMap<(Format, Maker), FuncDecl>,
}

/// The name of a variable in Z3: ours may repeat.
pub(super) fn name_of(var: VarId) -> String {
    format!("{var}")
}

fn sort_of(sort: Sort) -> ::z3::Sort {
    match sort {
        Sort::Bool => ::z3::Sort::bool(),
        Sort::Bits(width) => ::z3::Sort::bitvector(width),
        Sort::Array { index, element } => {
            ::z3::Sort::array(&::z3::Sort::bitvector(index), &::z3::Sort::bitvector(element))
        }
    }
}

fn number(number: &BitVec) -> BV {
    if let Some(small) = number.to_u128().and_then(|n| u64::try_from(n).ok()) {
        return BV::from_u64(small, number.width());
    }
    let bits: Vec<bool> = (0..number.width()).map(|i| number.bit(i)).collect();
    BV::from_bits(&bits).expect("a bit-vector has bits")
}

impl Translator {
    pub(super) fn new() -> Translator {
        Translator::default()
    }
    /// A Boolean term.
    pub(super) fn bool(&mut self, terms: &Terms, id: TermId) -> Bool {
        self.term(terms, id).as_bool().expect("a Boolean term")
    }
    /// A term and all its parts.
    pub(super) fn term(&mut self, terms: &Terms, root: TermId) -> Dynamic {
        if let Some(done) = self.done.get(&root) {
            return done.clone();
        }
        // Parts first, so that a long chain needs no deep stack.
        for id in terms.reachable(&[root]) {
            if !self.done.contains_key(&id) {
                let made = self.node(terms, id);
                self.done.insert(id, made);
            }
        }
        self.done[&root].clone()
    }

    fn get_bool(&self, id: TermId) -> Bool {
        self.done[&id].as_bool().expect("a Boolean operand")
    }
    fn get_bits(&self, id: TermId) -> BV {
        self.done[&id].as_bv().expect("a bit-vector operand")
    }
    fn get_array(&self, id: TermId) -> Array {
        self.done[&id].as_array().expect("an array operand")
    }

    fn node(&mut self, terms: &Terms, id: TermId) -> Dynamic {
        match terms.node(id) {
            Node::Bool(truth) => Bool::from_bool(*truth).into(),
            Node::Bits(bits) => number(bits).into(),
            Node::Var(var) => Dynamic::new_const(name_of(*var), &sort_of(terms.variable(*var).sort)),
            Node::Not(a) => self.get_bool(*a).not().into(),
            Node::And(parts) => Bool::and(&parts.iter().map(|p| self.get_bool(*p)).collect::<Vec<_>>()).into(),
            Node::Or(parts) => Bool::or(&parts.iter().map(|p| self.get_bool(*p)).collect::<Vec<_>>()).into(),
            Node::Ite(c, a, b) => self.get_bool(*c).ite(&self.done[a], &self.done[b]),
            Node::Eq(a, b) => self.done[a].eq(&self.done[b]).into(),
            Node::BitNot(a) => self.get_bits(*a).bvnot().into(),
            Node::Neg(a) => self.get_bits(*a).bvneg().into(),
            Node::Bit(op, a, b) => bit_op(*op, &self.get_bits(*a), &self.get_bits(*b)).into(),
            Node::Compare(order, a, b) => {
                let (a, b) = (self.get_bits(*a), self.get_bits(*b));
                match order {
                    Order::ULt => a.bvult(&b),
                    Order::ULe => a.bvule(&b),
                    Order::SLt => a.bvslt(&b),
                    Order::SLe => a.bvsle(&b),
                }
                .into()
            }
            Node::Fits { op, signed, a, b } => fits(*op, *signed, &self.get_bits(*a), &self.get_bits(*b)).into(),
            Node::Extract { high, low, of } => self.get_bits(*of).extract(*high, *low).into(),
            Node::Concat(a, b) => self.get_bits(*a).concat(self.get_bits(*b)).into(),
            Node::Extend { signed, width, of } => {
                let of = self.get_bits(*of);
                let more = width - of.get_size();
                if *signed { of.sign_ext(more) } else { of.zero_ext(more) }.into()
            }
            Node::Float(op, format, [a, b, nan]) => {
                let (x, y) = (self.float(*format, *a), self.float(*format, *b));
                let nearest = RoundingMode::round_nearest_ties_to_even();
                let result = match op {
                    FloatOp::Add => x.add_with_rounding_mode(y, &nearest),
                    FloatOp::Sub => x.sub_with_rounding_mode(y, &nearest),
                    FloatOp::Mul => x.mul_with_rounding_mode(y, &nearest),
                    FloatOp::Div => x.div_with_rounding_mode(y, &nearest),
                };
                self.result(id, *format, result, Some(*nan))
            }
            Node::FloatNeg(format, a) => {
                let result = self.float(*format, *a).unary_neg();
                self.floats.insert(id, result);
                let sign = BitVec::new(format_width(*format), 1 << (format_width(*format) - 1));
                self.get_bits(*a).bvxor(number(&sign)).into()
            }
            Node::FloatCompare(order, format, a, b) => {
                let (x, y) = (self.float(*format, *a), self.float(*format, *b));
                match order {
                    FloatOrder::Eq => x.eq_fpa(y),
                    FloatOrder::Lt => x.lt(y),
                    FloatOrder::Le => x.le(y),
                }
                .into()
            }
            Node::IsNan(format, a) => self.float(*format, *a).is_nan().into(),
            Node::FloatFromInt { format, signed, of } => {
                let bits = self.get_bits(*of);
                let width = bits.get_size();
                let maker = if *signed { Maker::Signed(width) } else { Maker::Unsigned(width) };
                let nearest = RoundingMode::round_nearest_ties_to_even();
                let result = self.maker(*format, maker).apply(&[&nearest, &bits]);
                self.result(id, *format, result.as_float().expect("a float"), None)
            }
            Node::FloatToInt { format, signed, of, otherwise } => {
                let of = self.float(*format, *of);
                self.integer(*format, *signed, &of, *otherwise).into()
            }
            Node::FloatToFloat { from, to, of, nan } => {
                let (exponent, significand) = format_shape(*to);
                let nearest = RoundingMode::round_nearest_ties_to_even();
                let sort = ::z3::Sort::float(exponent, significand);
                let result = self.float(*from, *of).to_fp_with_rounding_mode(&nearest, &sort);
                self.result(id, *to, result, Some(*nan))
            }
            Node::Select(array, index) => self.get_array(*array).select(&self.get_bits(*index)),
            Node::Store(array, index, element) => {
                self.get_array(*array).store(&self.get_bits(*index), &self.get_bits(*element)).into()
            }
            Node::Fill { index, element } => {
                Array::const_array(&::z3::Sort::bitvector(*index), &self.get_bits(*element)).into()
            }
        }
    }

    /// The function that makes floats of a format.
    fn maker(&mut self, format: Format, maker: Maker) -> &FuncDecl {
        self.makers.entry((format, maker)).or_insert_with(|| {
            let (exponent, significand) = format_shape(format);
            let shape = format!("{exponent} {significand}");
            let (width, call) = match maker {
                Maker::Bits => (exponent + significand, format!("((_ to_fp {shape}) b)")),
                Maker::Signed(width) => (width, format!("((_ to_fp {shape}) RNE b)")),
                Maker::Unsigned(width) => (width, format!("((_ to_fp_unsigned {shape}) RNE b)")),
            };
            let parser = Solver::new();
            parser.from_string(format!(
                "(declare-const b (_ BitVec {width}))(declare-const f (_ FloatingPoint {shape}))(assert (= {call} f))"
            ));
            let assertions = parser.get_assertions();
            let made = assertions.first().and_then(|a| a.nth_child(0)).expect("Z3 reads its own language");
            made.decl()
        })
    }
    /// The float that a term's bits are.
    fn float(&mut self, format: Format, id: TermId) -> Float {
        if let Some(float) = self.floats.get(&id) {
            return float.clone();
        }
        let bits = self.get_bits(id);
        let made = self.float_of(format, &bits);
        self.floats.insert(id, made.clone());
        made
    }
    fn float_of(&mut self, format: Format, bits: &BV) -> Float {
        let mut make = |bits: &BV| {
            let made = self.maker(format, Maker::Bits).apply(&[bits]);
            made.as_float().expect("a float")
        };
        if format != Format::X87 {
            return make(bits);
        }
        let (sign, exponent) = (bits.extract(79, 79), bits.extract(78, 64));
        let (integer, fraction) = (bits.extract(63, 63), bits.extract(62, 0));
        let (zero, one) = (BV::from_u64(0, 15), BV::from_u64(1, 15));
        let is_set = integer.eq(BV::from_u64(1, 1));
        let is_least = exponent.eq(&zero);
        // A number with the least exponent and its integer bit set is a normal one.
        let shown = Bool::and(&[is_least.clone(), is_set.clone()]).ite(&one, &exponent);
        let made = make(&sign.concat(&shown).concat(&fraction));
        let odd = Bool::and(&[is_least.not(), is_set.not()]);
        odd.ite(&Float::nan(&::z3::Sort::float(15, 64)), &made)
    }
    /// The bits of a float that is a number.
    fn bits_of(format: Format, float: &Float) -> BV {
        let bits = float.to_ieee_bv();
        if format != Format::X87 {
            return bits;
        }
        let (front, exponent, fraction) = (bits.extract(78, 63), bits.extract(77, 63), bits.extract(62, 0));
        let is_least = exponent.eq(BV::from_u64(0, 15));
        let integer = is_least.ite(&BV::from_u64(0, 1), &BV::from_u64(1, 1));
        front.concat(&integer).concat(&fraction)
    }
    /// Remembers the float that a term is, and gives its bits: those of `nan` if it is not a number.
    fn result(&mut self, id: TermId, format: Format, float: Float, nan: Option<TermId>) -> Dynamic {
        let bits = Self::bits_of(format, &float);
        let bits = match nan {
            Some(nan) => float.is_nan().ite(&self.get_bits(nan), &bits),
            None => bits,
        };
        self.floats.insert(id, float);
        bits.into()
    }
    /// Z3 leaves open what a float is that does not fit, so that is asked first.
    fn integer(&mut self, format: Format, signed: bool, of: &Float, otherwise: TermId) -> BV {
        let otherwise = self.get_bits(otherwise);
        let width = otherwise.get_size();
        let towards_zero = RoundingMode::round_towards_zero();
        let whole = of.round_to_integral_with_rounding_mode(&towards_zero);
        // The first number that is too large: a power of two, exact in every format, or infinite where all numbers fit.
        let half = crate::solve::float::from_int(format, false, &BitVec::new(128, 1 << (width - 1)));
        let bound = if signed {
            half.clone()
        } else {
            crate::solve::float::binary(format, FloatOp::Add, &half, &half).expect("a sum of numbers of one sign")
        };
        let least = if signed { crate::solve::float::neg(&half) } else { BitVec::zero(half.width()) };
        let (bound, least) = (self.float_of(format, &number(&bound)), self.float_of(format, &number(&least)));
        let fits = Bool::and(&[whole.is_nan().not(), whole.is_infinite().not(), whole.ge(&least), whole.lt(&bound)]);
        let value = if signed {
            whole.to_sbv_with_rounding_mode(&towards_zero, width)
        } else {
            whole.to_ubv_with_rounding_mode(&towards_zero, width)
        };
        fits.ite(&value, &otherwise)
    }
}

fn bit_op(op: BitOp, a: &BV, b: &BV) -> BV {
    match op {
        BitOp::Add => a.bvadd(b),
        BitOp::Sub => a.bvsub(b),
        BitOp::Mul => a.bvmul(b),
        BitOp::UDiv => a.bvudiv(b),
        BitOp::SDiv => a.bvsdiv(b),
        BitOp::URem => a.bvurem(b),
        BitOp::SRem => a.bvsrem(b),
        BitOp::And => a.bvand(b),
        BitOp::Or => a.bvor(b),
        BitOp::Xor => a.bvxor(b),
        BitOp::Shl => a.bvshl(b),
        BitOp::LShr => a.bvlshr(b),
        BitOp::AShr => a.bvashr(b),
    }
}

fn fits(op: BitOp, signed: bool, a: &BV, b: &BV) -> Bool {
    match (op, signed) {
        (BitOp::Add, true) => Bool::and(&[a.bvadd_no_overflow(b, true), a.bvadd_no_underflow(b)]),
        (BitOp::Add, false) => a.bvadd_no_overflow(b, false),
        (BitOp::Sub, true) => Bool::and(&[a.bvsub_no_overflow(b), a.bvsub_no_underflow(b, true)]),
        (BitOp::Sub, false) => a.bvsub_no_underflow(b, false),
        (BitOp::Mul, true) => Bool::and(&[a.bvmul_no_overflow(b, true), a.bvmul_no_underflow(b)]),
        (BitOp::Mul, false) => a.bvmul_no_overflow(b, false),
        (
            BitOp::UDiv
            | BitOp::SDiv
            | BitOp::URem
            | BitOp::SRem
            | BitOp::And
            | BitOp::Or
            | BitOp::Xor
            | BitOp::Shl
            | BitOp::LShr
            | BitOp::AShr,
            _,
        ) => panic!("{op:?} has no exact result"),
    }
}
