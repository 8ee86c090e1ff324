//! Building terms. Each function simplifies by its operands' shape alone, exactly: the value is the same for all assignments.
//!
//! What is simplified is what the encoding of C produces at every step and what people read: constants, comparisons that are
//! numbers that are compared again, extensions that are compared or cut again. The solver does the rest.

use super::eval::{self, Value};
use super::number::BitVec;
use super::term::{BitOp, FloatOp, FloatOrder, Format, Node, Order, Sort, TermId, Terms, format_width};

impl Terms {
    /// True.
    pub fn truth(&mut self) -> TermId {
        self.bool(true)
    }
    /// A Boolean constant.
    pub fn bool(&mut self, truth: bool) -> TermId {
        self.intern(Node::Bool(truth), Sort::Bool)
    }
    /// A bit-vector constant.
    pub fn bits(&mut self, number: BitVec) -> TermId {
        let sort = Sort::Bits(number.width());
        self.intern(Node::Bits(number), sort)
    }
    /// The low `width` bits of a number; for a width of more than 128 it is sign-extended.
    pub fn number(&mut self, width: u32, value: i128) -> TermId {
        self.bits(BitVec::signed(width, value))
    }

    /// The node, computed if all its operands are constants.
    fn made(&mut self, node: Node, sort: Sort) -> TermId {
        let mut values = Vec::new();
        let mut constant = true;
        node.for_each_part(|part| match self.node(part) {
            Node::Bool(truth) => values.push((part, Value::Bool(*truth))),
            Node::Bits(number) => values.push((part, Value::Bits(number.clone()))),
            _ => constant = false,
        });
        if !constant || matches!(sort, Sort::Array { .. }) {
            return self.intern(node, sort);
        }
        let find = |id: TermId| &values.iter().find(|(part, _)| *part == id).expect("an operand").1;
        match eval::apply(&node, find) {
            Value::Bool(truth) => self.bool(truth),
            Value::Bits(number) => self.bits(number),
            Value::Array(_) => unreachable!("the sort is none of an array"),
        }
    }
    /// If `of` chooses between two constants, the choice between what `f` makes of them.
    fn through_choice(&mut self, of: TermId, f: impl Fn(&mut Terms, TermId) -> TermId) -> Option<TermId> {
        let &Node::Ite(c, a, b) = self.node(of) else { return None };
        if !self.is_constant(a) || !self.is_constant(b) {
            return None;
        }
        let (a, b) = (f(self, a), f(self, b));
        Some(self.ite(c, a, b))
    }

    /// Negation.
    pub fn not(&mut self, a: TermId) -> TermId {
        match *self.node(a) {
            Node::Not(inner) => inner,
            Node::Compare(Order::ULt, x, y) => self.compare(Order::ULe, y, x),
            Node::Compare(Order::ULe, x, y) => self.compare(Order::ULt, y, x),
            Node::Compare(Order::SLt, x, y) => self.compare(Order::SLe, y, x),
            Node::Compare(Order::SLe, x, y) => self.compare(Order::SLt, y, x),
            _ => self.made(Node::Not(a), Sort::Bool),
        }
    }
    /// The parts of a conjunction or disjunction; `None` if one decides it.
    fn junction(&mut self, parts: &[TermId], neutral: bool) -> Option<Vec<TermId>> {
        let mut kept: Vec<TermId> = parts.iter().copied().filter(|p| self.as_bool(*p) != Some(neutral)).collect();
        kept.sort_unstable();
        kept.dedup();
        if kept.iter().any(|p| self.as_bool(*p).is_some()) {
            return None;
        }
        for &part in &kept {
            let opposite = self.not(part);
            if kept.binary_search(&opposite).is_ok() {
                return None;
            }
        }
        Some(kept)
    }
    /// Conjunction; of none it is true.
    pub fn and(&mut self, parts: &[TermId]) -> TermId {
        match self.junction(parts, true).as_deref() {
            None => self.bool(false),
            Some([]) => self.bool(true),
            Some([one]) => *one,
            Some(parts) => self.intern(Node::And(parts.into()), Sort::Bool),
        }
    }
    /// Disjunction; of none it is false.
    pub fn or(&mut self, parts: &[TermId]) -> TermId {
        match self.junction(parts, false).as_deref() {
            None => self.bool(true),
            Some([]) => self.bool(false),
            Some([one]) => *one,
            Some(parts) => self.intern(Node::Or(parts.into()), Sort::Bool),
        }
    }
    /// Implication.
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or(&[not_a, b])
    }
    /// `a` if `c`, else `b`.
    pub fn ite(&mut self, c: TermId, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b), "a choice is between terms of one sort");
        if a == b {
            return a;
        }
        if let Node::Not(inner) = *self.node(c) {
            return self.ite(inner, b, a);
        }
        match (self.as_bool(c), self.as_bool(a), self.as_bool(b)) {
            (Some(true), ..) => return a,
            (Some(false), ..) => return b,
            (None, Some(true), _) => return self.or(&[c, b]),
            (None, Some(false), _) => {
                let not_c = self.not(c);
                return self.and(&[not_c, b]);
            }
            (None, None, Some(false)) => return self.and(&[c, a]),
            (None, None, Some(true)) => return self.implies(c, a),
            (None, None, None) => {}
        }
        let sort = self.sort(a);
        self.intern(Node::Ite(c, a, b), sort)
    }
    /// Equality.
    pub fn eq(&mut self, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b), "equality is between terms of one sort");
        if a == b {
            return self.bool(true);
        }
        // A constant to the right, the older term to the left.
        let (a, b) = match (self.is_constant(a), self.is_constant(b)) {
            (true, false) => (b, a),
            (false, true) => (a, b),
            _ => (a.min(b), a.max(b)),
        };
        if let Some(truth) = self.as_bool(b) {
            return if truth { a } else { self.not(a) };
        }
        if let Some(number) = self.as_bits(b).cloned() {
            match *self.node(a) {
                Node::Ite(..) => {
                    if let Some(done) = self.through_choice(a, |t, x| t.eq(x, b)) {
                        return done;
                    }
                }
                Node::Extend { signed, of, .. } => {
                    let width = self.width(of);
                    let inner = number.resize(width, false);
                    if inner.resize(number.width(), signed) != number {
                        return self.bool(false);
                    }
                    let inner = self.bits(inner);
                    return self.eq(of, inner);
                }
                Node::Bit(BitOp::Add, x, y) => {
                    if let Some(k) = self.as_bits(y) {
                        let rest = number.sub(k);
                        let rest = self.bits(rest);
                        return self.eq(x, rest);
                    }
                }
                Node::Bit(BitOp::Sub | BitOp::Xor, x, y) if number.is_zero() => return self.eq(x, y),
                _ => {}
            }
        } else if let (&Node::Extend { signed: s, of: x, .. }, &Node::Extend { signed: r, of: y, .. }) =
            (self.node(a), self.node(b))
            && s == r
            && self.sort(x) == self.sort(y)
        {
            return self.eq(x, y);
        }
        self.made(Node::Eq(a, b), Sort::Bool)
    }
    /// Inequality.
    pub fn ne(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.eq(a, b);
        self.not(equal)
    }
    /// Whether no two are equal.
    pub fn distinct(&mut self, parts: &[TermId]) -> TermId {
        let mut differ = Vec::new();
        for (i, &a) in parts.iter().enumerate() {
            for &b in &parts[i + 1..] {
                differ.push(self.ne(a, b));
            }
        }
        self.and(&differ)
    }

    /// All bits inverted.
    pub fn bit_not(&mut self, a: TermId) -> TermId {
        if let Node::BitNot(inner) = *self.node(a) {
            return inner;
        }
        let sort = self.sort(a);
        self.made(Node::BitNot(a), sort)
    }
    /// Two's complement.
    pub fn neg(&mut self, a: TermId) -> TermId {
        if let Node::Neg(inner) = *self.node(a) {
            return inner;
        }
        let sort = self.sort(a);
        self.made(Node::Neg(a), sort)
    }
    /// Arithmetic.
    pub fn bit(&mut self, op: BitOp, a: TermId, b: TermId) -> TermId {
        let sort = self.sort(a);
        debug_assert_eq!(sort, self.sort(b), "operands of one width");
        let commutes = matches!(op, BitOp::Add | BitOp::Mul | BitOp::And | BitOp::Or | BitOp::Xor);
        let (a, b) = if commutes && self.is_constant(a) { (b, a) } else { (a, b) };
        let width = self.width(a);
        if let Some(k) = self.as_bits(b).cloned() {
            let is_one = k.to_u128() == Some(1);
            match op {
                BitOp::Add | BitOp::Sub | BitOp::Or | BitOp::Xor | BitOp::Shl | BitOp::LShr | BitOp::AShr
                    if k.is_zero() =>
                {
                    return a;
                }
                BitOp::And | BitOp::Mul if k.is_zero() => return b,
                BitOp::Mul | BitOp::UDiv | BitOp::SDiv if is_one && width > 1 => return a,
                BitOp::URem if is_one => return self.number(width, 0),
                BitOp::And if k.is_ones() => return a,
                BitOp::Or if k.is_ones() => return b,
                BitOp::Xor if k.is_ones() => return self.bit_not(a),
                BitOp::Shl | BitOp::LShr if k.ucmp(&BitVec::new(width, u128::from(width))).is_ge() && width >= 8 => {
                    return self.number(width, 0);
                }
                // One form for what is added: x - 3 is x + (-3), and constants are summed up.
                BitOp::Sub => {
                    let opposite = self.bits(k.neg());
                    return self.bit(BitOp::Add, a, opposite);
                }
                BitOp::Add => {
                    if let Node::Bit(BitOp::Add, x, y) = *self.node(a)
                        && let Some(inner) = self.as_bits(y)
                    {
                        let sum = inner.add(&k);
                        let sum = self.bits(sum);
                        return self.bit(BitOp::Add, x, sum);
                    }
                }
                BitOp::Mul
                | BitOp::UDiv
                | BitOp::SDiv
                | BitOp::URem
                | BitOp::SRem
                | BitOp::And
                | BitOp::Or
                | BitOp::Xor
                | BitOp::Shl
                | BitOp::LShr
                | BitOp::AShr => {}
            }
        } else if a == b {
            match op {
                BitOp::Sub | BitOp::Xor => return self.number(width, 0),
                BitOp::And | BitOp::Or => return a,
                _ => {}
            }
        } else if op == BitOp::Xor {
            // (x ^ y) ^ y
            for (pair, other) in [(a, b), (b, a)] {
                if let Node::Bit(BitOp::Xor, x, y) = *self.node(pair) {
                    if y == other {
                        return x;
                    }
                    if x == other {
                        return y;
                    }
                }
            }
        }
        let (a, b) = if commutes && !self.is_constant(b) { (a.min(b), a.max(b)) } else { (a, b) };
        self.made(Node::Bit(op, a, b), sort)
    }
    /// A comparison.
    pub fn compare(&mut self, order: Order, a: TermId, b: TermId) -> TermId {
        debug_assert_eq!(self.sort(a), self.sort(b), "operands of one width");
        let or_equal = matches!(order, Order::ULe | Order::SLe);
        if a == b {
            return self.bool(or_equal);
        }
        let is_zero = |t: &Terms, x: TermId| t.as_bits(x).is_some_and(BitVec::is_zero);
        match order {
            Order::ULt if is_zero(self, b) => return self.bool(false),
            Order::ULe if is_zero(self, a) => return self.bool(true),
            Order::ULt if is_zero(self, a) => return self.ne(a, b),
            Order::ULe if is_zero(self, b) => return self.eq(a, b),
            _ => {}
        }
        if self.is_constant(b)
            && let Some(done) = self.through_choice(a, |t, x| t.compare(order, x, b))
        {
            return done;
        }
        if self.is_constant(a)
            && let Some(done) = self.through_choice(b, |t, x| t.compare(order, a, x))
        {
            return done;
        }
        if let Some(done) = self.compare_narrow(order, a, b) {
            return done;
        }
        self.made(Node::Compare(order, a, b), Sort::Bool)
    }
    /// A comparison of extended terms, made in their own width: `(int)c < 65` as `c < 65`.
    fn compare_narrow(&mut self, order: Order, a: TermId, b: TermId) -> Option<TermId> {
        let of = |t: &Terms, x: TermId| match *t.node(x) {
            Node::Extend { signed, of, .. } => Some((signed, t.width(of))),
            _ => None,
        };
        let (signed, width) = of(self, a).or_else(|| of(self, b))?;
        let narrow = |t: &mut Terms, x: TermId| match (t.as_bits(x), t.node(x)) {
            (Some(k), _) => {
                let cut = k.resize(width, false);
                (cut.resize(k.width(), signed) == *k).then(|| t.bits(cut))
            }
            (None, &Node::Extend { signed: s, of, .. }) => (s == signed && t.width(of) == width).then_some(of),
            (None, _) => None,
        };
        let (x, y) = (narrow(self, a)?, narrow(self, b)?);
        // Zeros in front make the signed order the unsigned one; copies of the sign keep either order.
        let order = match (order, signed) {
            (Order::SLt, false) => Order::ULt,
            (Order::SLe, false) => Order::ULe,
            (order, _) => order,
        };
        Some(self.compare(order, x, y))
    }

    /// Whether the exact result of an addition, subtraction or multiplication fits the operands' width, read as said.
    pub fn fits(&mut self, op: BitOp, signed: bool, a: TermId, b: TermId) -> TermId {
        debug_assert!(matches!(op, BitOp::Add | BitOp::Sub | BitOp::Mul), "{op:?} has no exact result");
        let is_zero = self.as_bits(b).is_some_and(BitVec::is_zero);
        if is_zero {
            return self.bool(true);
        }
        self.made(Node::Fits { op, signed, a, b }, Sort::Bool)
    }

    /// The bits from `low` to `high`, both included.
    pub fn extract(&mut self, high: u32, low: u32, of: TermId) -> TermId {
        let width = self.width(of);
        debug_assert!(low <= high && high < width, "bits of the term");
        if low == 0 && high + 1 == width {
            return of;
        }
        let wanted = high - low + 1;
        match *self.node(of) {
            Node::Extract { low: below, of, .. } => return self.extract(high + below, low + below, of),
            Node::Concat(a, b) => {
                let split = self.width(b);
                if high < split {
                    return self.extract(high, low, b);
                }
                if low >= split {
                    return self.extract(high - split, low - split, a);
                }
            }
            Node::Extend { signed, of: inner, .. } => {
                let split = self.width(inner);
                if high < split {
                    return self.extract(high, low, inner);
                }
                if low >= split && !signed {
                    return self.number(wanted, 0);
                }
                if low == 0 {
                    return self.extend(signed, wanted, inner);
                }
            }
            Node::Ite(..) => {
                if let Some(done) = self.through_choice(of, |t, x| t.extract(high, low, x)) {
                    return done;
                }
            }
            _ => {}
        }
        self.made(Node::Extract { high, low, of }, Sort::Bits(wanted))
    }
    /// `a` above `b`.
    pub fn concat(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a) + self.width(b);
        if let (&Node::Extract { high, low, of: x }, &Node::Extract { high: next, low: last, of: y }) =
            (self.node(a), self.node(b))
            && x == y
            && low == next + 1
        {
            return self.extract(high, last, x);
        }
        if self.as_bits(a).is_some_and(BitVec::is_zero) && !self.is_constant(b) {
            return self.extend(false, width, b);
        }
        self.made(Node::Concat(a, b), Sort::Bits(width))
    }
    /// Made wider, by copies of the sign or by zeros.
    pub fn extend(&mut self, signed: bool, width: u32, of: TermId) -> TermId {
        debug_assert!(width >= self.width(of), "no narrower than the term");
        if width == self.width(of) {
            return of;
        }
        match *self.node(of) {
            Node::Extend { signed: inner, of, .. } if inner == signed || !inner => {
                return self.extend(inner, width, of);
            }
            Node::Ite(..) => {
                if let Some(done) = self.through_choice(of, |t, x| t.extend(signed, width, x)) {
                    return done;
                }
            }
            _ => {}
        }
        self.made(Node::Extend { signed, width, of }, Sort::Bits(width))
    }
    /// Cut or extended to a width.
    pub fn resize(&mut self, signed: bool, width: u32, of: TermId) -> TermId {
        if width < self.width(of) { self.extract(width - 1, 0, of) } else { self.extend(signed, width, of) }
    }

    /// Floating arithmetic; `nan` is the result if that is not a number, and must be none itself.
    pub fn float(&mut self, op: FloatOp, format: Format, a: TermId, b: TermId, nan: TermId) -> TermId {
        let sort = Sort::Bits(format_width(format));
        if let (Some(x), Some(y)) = (self.as_bits(a), self.as_bits(b)) {
            let result = super::float::binary(format, op, x, y);
            return result.map_or(nan, |number| self.bits(number));
        }
        self.intern(Node::Float(op, format, [a, b, nan]), sort)
    }
    /// A float with its sign inverted.
    pub fn float_neg(&mut self, format: Format, a: TermId) -> TermId {
        if let Node::FloatNeg(_, inner) = *self.node(a) {
            return inner;
        }
        self.made(Node::FloatNeg(format, a), Sort::Bits(format_width(format)))
    }
    /// A comparison of floats.
    pub fn float_compare(&mut self, order: FloatOrder, format: Format, a: TermId, b: TermId) -> TermId {
        self.made(Node::FloatCompare(order, format, a, b), Sort::Bool)
    }
    /// Whether a float is not a number.
    pub fn is_nan(&mut self, format: Format, a: TermId) -> TermId {
        if let Node::FloatFromInt { .. } = self.node(a) {
            return self.bool(false);
        }
        self.made(Node::IsNan(format, a), Sort::Bool)
    }
    /// An integer of at most 128 bits as a float.
    pub fn float_from_int(&mut self, format: Format, signed: bool, of: TermId) -> TermId {
        debug_assert!(self.width(of) <= 128, "an integer of C");
        self.made(Node::FloatFromInt { format, signed, of }, Sort::Bits(format_width(format)))
    }
    /// A float as an integer, towards zero; `otherwise`, which gives the width, if it does not fit.
    pub fn float_to_int(&mut self, format: Format, signed: bool, of: TermId, otherwise: TermId) -> TermId {
        let width = self.width(otherwise);
        if let Some(number) = self.as_bits(of) {
            let result = super::float::to_int(format, signed, width, number);
            return result.map_or(otherwise, |number| self.bits(number));
        }
        self.intern(Node::FloatToInt { format, signed, of, otherwise }, Sort::Bits(width))
    }
    /// A float in another format; `nan` is the result if it is not a number, and must be none itself.
    pub fn float_to_float(&mut self, from: Format, to: Format, of: TermId, nan: TermId) -> TermId {
        if from == to {
            return of;
        }
        if let Some(number) = self.as_bits(of) {
            let result = super::float::convert(from, to, number);
            return result.map_or(nan, |number| self.bits(number));
        }
        self.intern(Node::FloatToFloat { from, to, of, nan }, Sort::Bits(format_width(to)))
    }
    /// A quiet NaN with the sign and the payload that `bits` has.
    pub fn quiet_nan(&mut self, format: Format, bits: TermId) -> TermId {
        let ones: i128 = match format {
            Format::Half => 0x7e00,
            Format::Single => 0x7fc0_0000,
            Format::Double => 0x7ff8 << 48,
            // The integer bit of an x87 number is explicit, and set.
            Format::X87 => 0x7_fffc << 60,
            Format::Quad => 0x7_fff8 << 108,
        };
        let ones = self.number(format_width(format), ones);
        self.bit(BitOp::Or, bits, ones)
    }

    /// The element of an array.
    pub fn select(&mut self, array: TermId, index: TermId) -> TermId {
        let Sort::Array { element, .. } = self.sort(array) else { panic!("{array} is no array") };
        match *self.node(array) {
            Node::Fill { element, .. } => return element,
            Node::Store(_, at, value) if at == index => return value,
            Node::Store(before, at, _) if self.is_constant(at) && self.is_constant(index) => {
                return self.select(before, index);
            }
            _ => {}
        }
        self.intern(Node::Select(array, index), Sort::Bits(element))
    }
    /// An array with one element replaced.
    pub fn store(&mut self, array: TermId, index: TermId, element: TermId) -> TermId {
        let sort = self.sort(array);
        let array = match *self.node(array) {
            Node::Store(before, at, _) if at == index => before,
            _ => array,
        };
        self.intern(Node::Store(array, index, element), sort)
    }
    /// An array of equal elements.
    pub fn fill(&mut self, index: u32, element: TermId) -> TermId {
        let sort = Sort::Array { index, element: self.width(element) };
        self.intern(Node::Fill { index, element }, sort)
    }
}
