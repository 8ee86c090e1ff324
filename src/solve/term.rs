//! Terms: what is asked of the solver, in a language of our own.
//!
//! A term is a Boolean, a bit-vector, or an array of bit-vectors. A float is the bit-vector of its format; operations on floats
//! name the format. Every operation is total, with SMT-LIB's meaning: where IEEE 754 leaves the bits of a result open (which
//! NaN, which integer), they are an operand, so that the encoding decides and the solver does not.
//!
//! Invariant: terms are hash-consed, equal terms have equal ids; a term's parts have smaller ids; every term has the sort that
//! its operation says ([`Terms::sort`]), and is built only by the functions in `build`, which simplify without changing the meaning.

use rustc_hash::FxHashMap;

use super::number::BitVec;
use crate::base::IdVec;
use crate::base::id::Id;
use crate::define_id;
pub use crate::ir::fold::Format;

define_id!(/// A term.
    TermId, "t");
define_id!(/// A variable.
    VarId, "x");

/// The sort of a term.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// True or false.
    Bool,
    /// So many bits.
    Bits(u32),
    /// A map from all indices to elements.
    Array {
        /// Bits of an index.
        index: u32,
        /// Bits of an element.
        element: u32,
    },
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// What it is called in printed queries.
    pub name: String,
    /// Its sort.
    pub sort: Sort,
    /// What the caller knows it by; `None` for an arbitrary value that nobody asks for.
    pub key: Option<u32>,
}

/// Bit-vector operations with two operands of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are SMT-LIB's")]
pub enum BitOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
}

/// Comparisons of bit-vectors of one width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are SMT-LIB's")]
pub enum Order {
    ULt,
    ULe,
    SLt,
    SLe,
}

/// Floating operations with two operands, rounded to nearest, ties to even.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
}

/// Comparisons of floats; false if one is not a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are C's")]
pub enum FloatOrder {
    Eq,
    Lt,
    Le,
}

/// A term's operation and operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A Boolean constant.
    Bool(bool),
    /// A bit-vector constant.
    Bits(BitVec),
    /// A variable.
    Var(VarId),
    /// Negation.
    Not(TermId),
    /// Conjunction of at least two, in the order of their ids, each once.
    And(Box<[TermId]>),
    /// Disjunction of at least two, in the order of their ids, each once.
    Or(Box<[TermId]>),
    /// The second if the first, else the third; of any sort.
    Ite(TermId, TermId, TermId),
    /// Equality of two terms of any one sort; a constant is on the right. Floats are equal here if their bits are.
    Eq(TermId, TermId),
    /// All bits inverted.
    BitNot(TermId),
    /// Two's complement.
    Neg(TermId),
    /// Arithmetic; a constant operand of a commutative operation is on the right.
    Bit(BitOp, TermId, TermId),
    /// A comparison.
    Compare(Order, TermId, TermId),
    /// Whether the exact result of an addition, subtraction or multiplication fits the operands' width.
    Fits {
        /// The operation.
        op: BitOp,
        /// How operands and result are read.
        signed: bool,
        /// The left operand.
        a: TermId,
        /// The right operand.
        b: TermId,
    },
    /// The bits from `low` to `high`, both included.
    Extract {
        /// The highest bit.
        high: u32,
        /// The lowest bit.
        low: u32,
        /// Of what.
        of: TermId,
    },
    /// The first above the second.
    Concat(TermId, TermId),
    /// Made wider, to so many bits.
    Extend {
        /// By copies of the sign, or by zeros.
        signed: bool,
        /// To so many bits.
        width: u32,
        /// What.
        of: TermId,
    },
    /// Floating arithmetic; the last operand is the result's bits if it is not a number.
    Float(FloatOp, Format, [TermId; 3]),
    /// A float with its sign inverted, also that of a NaN.
    FloatNeg(Format, TermId),
    /// A comparison of floats.
    FloatCompare(FloatOrder, Format, TermId, TermId),
    /// Whether a float is not a number.
    IsNan(Format, TermId),
    /// An integer rounded to a float.
    FloatFromInt {
        /// The float's.
        format: Format,
        /// How the integer is read.
        signed: bool,
        /// The integer, of at most 128 bits.
        of: TermId,
    },
    /// A float cut towards zero to an integer; `otherwise` if that does not fit.
    FloatToInt {
        /// The float's.
        format: Format,
        /// How the integer is read.
        signed: bool,
        /// The float.
        of: TermId,
        /// The result where the float has none; its width is the result's, of at most 128 bits.
        otherwise: TermId,
    },
    /// A float in another format, rounded; `nan` if it is not a number.
    FloatToFloat {
        /// The format it has.
        from: Format,
        /// The format it gets.
        to: Format,
        /// The float.
        of: TermId,
        /// The result's bits if it is not a number.
        nan: TermId,
    },
    /// The element of an array.
    Select(TermId, TermId),
    /// An array with one element replaced.
    Store(TermId, TermId, TermId),
    /// An array of equal elements.
    Fill {
        /// Bits of an index.
        index: u32,
        /// The element.
        element: TermId,
    },
}

impl Node {
    /// Calls `f` on every operand, in order.
    pub fn for_each_part(&self, mut f: impl FnMut(TermId)) {
        match self {
            Node::Bool(_) | Node::Bits(_) | Node::Var(_) => {}
            Node::Not(a)
            | Node::BitNot(a)
            | Node::Neg(a)
            | Node::Extract { of: a, .. }
            | Node::Extend { of: a, .. }
            | Node::FloatNeg(_, a)
            | Node::IsNan(_, a)
            | Node::FloatFromInt { of: a, .. }
            | Node::Fill { element: a, .. } => f(*a),
            Node::Eq(a, b)
            | Node::Bit(_, a, b)
            | Node::Compare(_, a, b)
            | Node::Fits { a, b, .. }
            | Node::Concat(a, b)
            | Node::FloatCompare(_, _, a, b)
            | Node::FloatToInt { of: a, otherwise: b, .. }
            | Node::FloatToFloat { of: a, nan: b, .. }
            | Node::Select(a, b) => {
                f(*a);
                f(*b);
            }
            Node::Ite(a, b, c) | Node::Store(a, b, c) => {
                f(*a);
                f(*b);
                f(*c);
            }
            Node::Float(_, _, parts) => parts.iter().for_each(|p| f(*p)),
            Node::And(parts) | Node::Or(parts) => parts.iter().for_each(|p| f(*p)),
        }
    }
}

/// The bits of a format.
pub fn format_width(format: Format) -> u32 {
    format.bytes() as u32 * 8
}

/// Bits of the exponent, and of the significand with its hidden bit.
pub(super) fn format_shape(format: Format) -> (u32, u32) {
    match format {
        Format::Half => (5, 11),
        Format::Single => (8, 24),
        Format::Double => (11, 53),
        Format::X87 => (15, 64),
        Format::Quad => (15, 113),
    }
}

/// All terms.
#[derive(Clone, Debug, Default)]
pub struct Terms {
    nodes: IdVec<TermId, Node>,
    sorts: IdVec<TermId, Sort>,
    sizes: IdVec<TermId, u32>,
    ids: FxHashMap<Node, TermId>,
    variables: IdVec<VarId, Variable>,
    by_key: FxHashMap<u32, TermId>,
}

impl Terms {
    /// No terms.
    pub fn new() -> Terms {
        Terms::default()
    }
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
    /// What a term is.
    pub fn node(&self, id: TermId) -> &Node {
        &self.nodes[id]
    }
    /// The sort of a term.
    pub fn sort(&self, id: TermId) -> Sort {
        self.sorts[id]
    }
    /// How many nodes a term has as a tree, where shared parts count each time.
    pub fn tree_size(&self, id: TermId) -> u32 {
        self.sizes[id]
    }
    /// The width of a bit-vector. Panics on another sort.
    pub fn width(&self, id: TermId) -> u32 {
        match self.sorts[id] {
            Sort::Bits(width) => width,
            Sort::Bool | Sort::Array { .. } => panic!("{id} is no bit-vector"),
        }
    }
    /// A variable.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id]
    }
    /// The number that a term is, if it is a constant bit-vector.
    pub fn as_bits(&self, id: TermId) -> Option<&BitVec> {
        match self.node(id) {
            Node::Bits(number) => Some(number),
            _ => None,
        }
    }
    /// The truth that a term is, if it is a constant Boolean.
    pub fn as_bool(&self, id: TermId) -> Option<bool> {
        match self.node(id) {
            Node::Bool(truth) => Some(*truth),
            _ => None,
        }
    }
    /// Whether a term is a constant.
    pub fn is_constant(&self, id: TermId) -> bool {
        matches!(self.node(id), Node::Bool(_) | Node::Bits(_))
    }

    /// The variable that the caller knows by `key`: the same term for the same key.
    pub fn var(&mut self, key: u32, sort: Sort, name: &str) -> TermId {
        if let Some(&id) = self.by_key.get(&key) {
            assert_eq!(self.sort(id), sort, "a variable has one sort");
            return id;
        }
        let id = self.new_variable(Variable { name: name.to_owned(), sort, key: Some(key) });
        self.by_key.insert(key, id);
        id
    }
    /// An arbitrary value: a variable of its own, whatever its name.
    pub fn fresh(&mut self, sort: Sort, name: &str) -> TermId {
        self.new_variable(Variable { name: name.to_owned(), sort, key: None })
    }
    fn new_variable(&mut self, variable: Variable) -> TermId {
        let sort = variable.sort;
        let var = self.variables.push(variable);
        self.intern(Node::Var(var), sort)
    }

    /// The id of a node of known sort, which is not simplified any more.
    pub(super) fn intern(&mut self, node: Node, sort: Sort) -> TermId {
        if let Some(&id) = self.ids.get(&node) {
            return id;
        }
        let mut size = 1u32;
        node.for_each_part(|part| size = size.saturating_add(self.sizes[part]));
        let id = self.nodes.push(node.clone());
        self.sorts.push(sort);
        self.sizes.push(size);
        self.ids.insert(node, id);
        id
    }

    /// All terms that `roots` are made of, they too, parts first.
    pub fn reachable(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut found = rustc_hash::FxHashSet::default();
        let mut work = roots.to_vec();
        let mut list = Vec::new();
        while let Some(id) = work.pop() {
            if found.insert(id) {
                list.push(id);
                self.node(id).for_each_part(|part| work.push(part));
            }
        }
        list.sort_unstable();
        list
    }
    /// The variables in `roots`, in order.
    pub fn variables_of(&self, roots: &[TermId]) -> Vec<VarId> {
        let var = |id: TermId| match self.node(id) {
            Node::Var(var) => Some(*var),
            _ => None,
        };
        let mut found: Vec<VarId> = self.reachable(roots).into_iter().filter_map(var).collect();
        found.sort_unstable_by_key(|v| v.index());
        found
    }
}
