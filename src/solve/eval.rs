//! What a term is worth when its variables have values: for models, for constants, and for tests.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::float;
use super::number::BitVec;
use super::term::{BitOp, Node, Order, Sort, TermId, Terms, VarId};

/// A value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of a Boolean.
    Bool(bool),
    /// Of a bit-vector.
    Bits(BitVec),
    /// Of an array.
    Array(ArrayValue),
}

/// The value of an array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayValue {
    /// The element at every index that is not listed.
    pub otherwise: BitVec,
    /// Elements that differ from that.
    pub cells: BTreeMap<BitVec, BitVec>,
}

impl ArrayValue {
    /// The element at an index.
    pub fn get(&self, index: &BitVec) -> &BitVec {
        self.cells.get(index).unwrap_or(&self.otherwise)
    }
    /// Replaces the element at an index.
    pub fn set(&mut self, index: BitVec, element: BitVec) {
        if element == self.otherwise {
            self.cells.remove(&index);
        } else {
            self.cells.insert(index, element);
        }
    }
}

impl Value {
    /// The zero of a sort.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Bits(width) => Value::Bits(BitVec::zero(width)),
            Sort::Array { element, .. } => {
                Value::Array(ArrayValue { otherwise: BitVec::zero(element), cells: BTreeMap::new() })
            }
        }
    }
    /// The truth of a Boolean. Panics on another sort.
    pub fn bool(&self) -> bool {
        match self {
            Value::Bool(truth) => *truth,
            Value::Bits(_) | Value::Array(_) => panic!("a Boolean is wanted"),
        }
    }
    /// The number of a bit-vector. Panics on another sort.
    pub fn bits(&self) -> &BitVec {
        match self {
            Value::Bits(number) => number,
            Value::Bool(_) | Value::Array(_) => panic!("a bit-vector is wanted"),
        }
    }
    fn array(&self) -> &ArrayValue {
        match self {
            Value::Array(array) => array,
            Value::Bool(_) | Value::Bits(_) => panic!("an array is wanted"),
        }
    }
}

/// Values of variables; those without one count as zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment {
    values: BTreeMap<VarId, Value>,
}

impl Assignment {
    /// No values.
    pub fn new() -> Assignment {
        Assignment::default()
    }
    /// Gives a variable a value.
    pub fn set(&mut self, var: VarId, value: Value) {
        self.values.insert(var, value);
    }
    /// Gives the variable that `term` is a value. Panics if it is none.
    pub fn set_term(&mut self, terms: &Terms, term: TermId, value: Value) {
        match terms.node(term) {
            Node::Var(var) => self.set(*var, value),
            _ => panic!("{term} is no variable"),
        }
    }
    /// The value of a variable.
    pub fn get(&self, var: VarId) -> Option<&Value> {
        self.values.get(&var)
    }
    /// All values, in the order of the variables.
    pub fn iter(&self) -> impl Iterator<Item = (VarId, &Value)> {
        self.values.iter().map(|(var, value)| (*var, value))
    }
}

/// The value of a term.
pub fn eval(terms: &Terms, root: TermId, assignment: &Assignment) -> Value {
    eval_all(terms, &[root], assignment).pop().expect("one root has one value")
}

/// The values of several terms, their common parts computed once.
pub fn eval_all(terms: &Terms, roots: &[TermId], assignment: &Assignment) -> Vec<Value> {
    let mut values: FxHashMap<TermId, Value> = FxHashMap::default();
    for id in terms.reachable(roots) {
        let value = match terms.node(id) {
            Node::Var(var) => assignment.get(*var).cloned().unwrap_or_else(|| Value::zero(terms.variable(*var).sort)),
            node => apply(node, |part| &values[&part]),
        };
        values.insert(id, value);
    }
    roots.iter().map(|root| values[root].clone()).collect()
}

/// The value of an operation whose operands have these values. Panics on a variable.
pub(super) fn apply<'a>(node: &Node, get: impl Fn(TermId) -> &'a Value) -> Value {
    let bits = |id: TermId| get(id).bits();
    let bool = |id: &TermId| get(*id).bool();
    match node {
        Node::Var(var) => panic!("{var} has no value of its own"),
        Node::Bool(truth) => Value::Bool(*truth),
        Node::Bits(number) => Value::Bits(number.clone()),
        Node::Not(a) => Value::Bool(!bool(a)),
        Node::And(parts) => Value::Bool(parts.iter().all(bool)),
        Node::Or(parts) => Value::Bool(parts.iter().any(bool)),
        Node::Ite(c, a, b) => get(if bool(c) { *a } else { *b }).clone(),
        Node::Eq(a, b) => Value::Bool(get(*a) == get(*b)),
        Node::BitNot(a) => Value::Bits(bits(*a).not()),
        Node::Neg(a) => Value::Bits(bits(*a).neg()),
        Node::Bit(op, a, b) => Value::Bits(bit_op(*op, bits(*a), bits(*b))),
        Node::Compare(order, a, b) => Value::Bool(compare(*order, bits(*a), bits(*b))),
        Node::Fits { op, signed, a, b } => Value::Bool(fits(*op, *signed, bits(*a), bits(*b))),
        Node::Extract { high, low, of } => Value::Bits(bits(*of).extract(*high, *low)),
        Node::Concat(a, b) => Value::Bits(bits(*a).concat(bits(*b))),
        Node::Extend { signed, width, of } => Value::Bits(bits(*of).resize(*width, *signed)),
        Node::Float(op, format, [a, b, nan]) => {
            Value::Bits(float::binary(*format, *op, bits(*a), bits(*b)).unwrap_or_else(|| bits(*nan).clone()))
        }
        Node::FloatNeg(_, a) => Value::Bits(float::neg(bits(*a))),
        Node::FloatCompare(op, format, a, b) => Value::Bool(float::compare(*format, *op, bits(*a), bits(*b))),
        Node::IsNan(format, a) => Value::Bool(float::is_nan(*format, bits(*a))),
        Node::FloatFromInt { format, signed, of } => Value::Bits(float::from_int(*format, *signed, bits(*of))),
        Node::FloatToInt { format, signed, of, otherwise } => {
            let otherwise = bits(*otherwise);
            let value = float::to_int(*format, *signed, otherwise.width(), bits(*of));
            Value::Bits(value.unwrap_or_else(|| otherwise.clone()))
        }
        Node::FloatToFloat { from, to, of, nan } => {
            Value::Bits(float::convert(*from, *to, bits(*of)).unwrap_or_else(|| bits(*nan).clone()))
        }
        Node::Select(array, index) => Value::Bits(get(*array).array().get(bits(*index)).clone()),
        Node::Store(array, index, element) => {
            let mut array = get(*array).array().clone();
            array.set(bits(*index).clone(), bits(*element).clone());
            Value::Array(array)
        }
        Node::Fill { element, .. } => {
            Value::Array(ArrayValue { otherwise: bits(*element).clone(), cells: BTreeMap::new() })
        }
    }
}

/// Arithmetic on numbers of one width.
pub(super) fn bit_op(op: BitOp, a: &BitVec, b: &BitVec) -> BitVec {
    match op {
        BitOp::Add => a.add(b),
        BitOp::Sub => a.sub(b),
        BitOp::Mul => a.mul(b),
        BitOp::UDiv => a.udiv(b),
        BitOp::SDiv => a.sdiv(b),
        BitOp::URem => a.urem(b),
        BitOp::SRem => a.srem(b),
        BitOp::And => a.and(b),
        BitOp::Or => a.or(b),
        BitOp::Xor => a.xor(b),
        BitOp::Shl => a.shl(b),
        BitOp::LShr => a.lshr(b),
        BitOp::AShr => a.ashr(b),
    }
}

/// A comparison of numbers of one width.
pub(super) fn compare(order: Order, a: &BitVec, b: &BitVec) -> bool {
    match order {
        Order::ULt => a.ucmp(b).is_lt(),
        Order::ULe => a.ucmp(b).is_le(),
        Order::SLt => a.scmp(b).is_lt(),
        Order::SLe => a.scmp(b).is_le(),
    }
}

/// Whether the exact result fits: it is computed with twice the width, which holds it.
fn fits(op: BitOp, signed: bool, a: &BitVec, b: &BitVec) -> bool {
    let width = a.width();
    let wide = 2 * width + 1;
    let exact = bit_op(op, &a.resize(wide, signed), &b.resize(wide, signed));
    exact.resize(width, false).resize(wide, signed) == exact
}
