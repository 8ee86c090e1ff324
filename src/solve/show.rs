//! A term as C: what a person reads, and what a compiler would compute to the same bits.
//!
//! A term knows widths and no signs; C's expressions have types. Each piece of text is kept with the type it has in C, and a cast is
//! written exactly where the type that an operation needs is another: `i + 3 == 2 * j - 42` needs none. Constants are on the
//! right of comparisons, `x + (-3)` is `x - 3`, and what is wider than C's integers, or no value of C at all (the bits of a
//! float), is not shown: `None`.
//!
//! Invariant: where the text's arithmetic does not overflow, it has the term's value with the integer sizes of the data model, for the
//! types of variables that the caller tells.

use super::number::BitVec;
use super::term::{BitOp, FloatOp, FloatOrder, Format, Node, Order, TermId, Terms, VarId};
use crate::ir::{FloatKind, IntKind};
use crate::source::DataModel;

/// The C type of a variable or of text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// `int`, as C's comparisons are, that is 0 or 1.
    Truth,
    /// An integer, or a pointer as one.
    Int {
        /// Bits.
        width: u32,
        /// Whether it has a sign.
        signed: bool,
    },
    /// A float.
    Float(Format),
    /// An array, or a pointer to its first element.
    Array {
        /// Whether elements have a sign.
        signed: bool,
    },
}

/// What a variable is called in C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// C text that binds as tight as a name: `x`, `p->n`, `a[i]`.
    pub text: String,
    /// Its type.
    pub kind: Kind,
}

/// How tight text binds, as C's grammar has it; more is tighter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Tight {
    Conditional,
    LogicalOr,
    LogicalAnd,
    BitOr,
    BitXor,
    BitAnd,
    Equality,
    Relation,
    Shift,
    Sum,
    Product,
    Unary,
    Primary,
}

/// Text with its type and how it binds.
#[derive(Clone, Debug)]
struct Text {
    text: String,
    kind: Kind,
    tight: Tight,
}

/// A term as a C expression, with the names of its variables; `None` if C cannot say it.
pub fn show(terms: &Terms, model: &DataModel, names: &dyn Fn(VarId) -> Option<Name>, id: TermId) -> Option<String> {
    // Deep terms are not for reading, and would need a deep stack.
    if terms.reachable(&[id]).len() > LARGEST {
        return None;
    }
    Shower { terms, model, names }.term(id).map(|t| t.text)
}

/// Terms with more parts than this are not for reading.
const LARGEST: usize = 2000;

struct Shower<'a> {
    terms: &'a Terms,
    model: &'a DataModel,
    names: &'a dyn Fn(VarId) -> Option<Name>,
}

impl Shower<'_> {
    fn int_width(&self) -> u32 {
        self.model.int_size(IntKind::Int) as u32 * 8
    }
    /// The C type of a width and a sign, the plainest there is.
    fn type_name(&self, width: u32, signed: bool) -> Option<&'static str> {
        let kinds = [
            (IntKind::Int, IntKind::UInt),
            (IntKind::SChar, IntKind::UChar),
            (IntKind::Short, IntKind::UShort),
            (IntKind::Long, IntKind::ULong),
            (IntKind::LongLong, IntKind::ULongLong),
            (IntKind::Int128, IntKind::UInt128),
        ];
        let (with, without) = kinds.into_iter().find(|(kind, _)| self.model.int_size(*kind) as u32 * 8 == width)?;
        Some(if signed { with.name() } else { without.name() })
    }
    /// In parentheses unless it binds at least as tight as wanted.
    fn at(text: &Text, wanted: Tight) -> String {
        if text.tight >= wanted { text.text.clone() } else { format!("({})", text.text) }
    }
    fn cast(&self, text: &Text, width: u32, signed: bool) -> Option<Text> {
        let kind = Kind::Int { width, signed };
        let text = format!("({}){}", self.type_name(width, signed)?, Self::at(text, Tight::Unary));
        Some(Text { text, kind, tight: Tight::Unary })
    }
    fn constant(&self, number: &BitVec, signed: bool) -> Option<Text> {
        let width = number.width();
        let kind = Kind::Int { width, signed };
        let suffix = match (width <= self.int_width(), width <= self.model.long_size as u32 * 8) {
            (true, _) => "",
            (false, true) => "l",
            (false, false) => "ll",
        };
        let value = number.resize(128, signed).low() as i128;
        if width > 64 && i64::try_from(value).is_err() {
            return None;
        }
        if !signed {
            return Some(Text { text: format!("{value}u{suffix}"), kind, tight: Tight::Primary });
        }
        // C has no negative literals, and none for the least number.
        if number.sign() && *number == number.neg() {
            let text = format!("{}{suffix} - 1", value + 1);
            return Some(Text { text, kind, tight: Tight::Sum });
        }
        let tight = if value < 0 { Tight::Unary } else { Tight::Primary };
        Some(Text { text: format!("{value}{suffix}"), kind, tight })
    }
    /// A bit-vector as an integer of its width, with this sign if one is said. What is narrower than `int` keeps its sign where the
    /// operation does not care.
    fn int(&self, id: TermId, signed: Option<bool>) -> Option<Text> {
        if let Some(number) = self.terms.as_bits(id) {
            return self.constant(number, signed.unwrap_or(true));
        }
        let text = self.term(id)?;
        let width = self.terms.width(id);
        match (text.kind, signed) {
            (Kind::Int { width: w, .. }, None) if w == width => Some(text),
            (Kind::Int { width: w, signed: s }, Some(wanted)) if w == width && s == wanted => Some(text),
            (Kind::Int { .. } | Kind::Truth, _) => self.cast(&text, width, signed.unwrap_or(false)),
            (Kind::Float(_) | Kind::Array { .. }, _) => None,
        }
    }
    /// Two operands of arithmetic, and the type it is made in: signed only if both are.
    fn pair(&self, a: TermId, b: TermId, signed: Option<bool>) -> Option<(Text, Text, bool)> {
        let sign_of = |t: &Text| matches!(t.kind, Kind::Int { signed: true, .. });
        let (mut x, mut y) = (self.int(a, signed)?, self.int(b, signed)?);
        // A constant takes the sign of what it meets.
        if signed.is_none() && self.terms.is_constant(b) {
            y = self.int(b, Some(sign_of(&x)))?;
        }
        if signed.is_none() && self.terms.is_constant(a) {
            x = self.int(a, Some(sign_of(&y)))?;
        }
        let both = sign_of(&x) && sign_of(&y);
        Some((x, y, both))
    }
    /// The result of arithmetic at the operands' width; narrower than `int`, C computes with `int`, and the result is cut.
    fn computed(&self, text: String, tight: Tight, width: u32, signed: bool) -> Option<Text> {
        if width >= self.int_width() {
            return Some(Text { text, kind: Kind::Int { width, signed }, tight });
        }
        self.cast(&Text { text, kind: Kind::Truth, tight }, width, signed)
    }
    fn truth(text: String, tight: Tight) -> Text {
        Text { text, kind: Kind::Truth, tight }
    }
    fn joined(x: &Text, word: &str, y: &Text, tight: Tight) -> String {
        // To the right of an operator the same one needs parentheses: a - (b - c).
        let right = if y.tight > tight { y.text.clone() } else { format!("({})", y.text) };
        format!("{} {word} {right}", Self::at(x, tight))
    }

    fn term(&self, id: TermId) -> Option<Text> {
        let terms = self.terms;
        match terms.node(id) {
            Node::Bool(truth) => Some(Self::truth(u8::from(*truth).to_string(), Tight::Primary)),
            Node::Bits(number) => self.constant(number, true),
            Node::Var(var) => {
                let Name { text, kind } = (self.names)(*var)?;
                Some(Text { text, kind, tight: Tight::Primary })
            }
            Node::Not(a) => self.negated(*a),
            Node::And(parts) => self.junction(parts, "&&", Tight::LogicalAnd),
            Node::Or(parts) => self.junction(parts, "||", Tight::LogicalOr),
            Node::Ite(c, a, b) => self.choice(*c, *a, *b),
            Node::Eq(a, b) => self.comparison("==", *a, *b, None),
            Node::BitNot(a) => {
                let x = self.int(*a, None)?;
                let signed = matches!(x.kind, Kind::Int { signed: true, .. });
                self.computed(format!("~{}", Self::at(&x, Tight::Unary)), Tight::Unary, terms.width(id), signed)
            }
            Node::Neg(a) => {
                let x = self.int(*a, None)?;
                let signed = matches!(x.kind, Kind::Int { signed: true, .. });
                // Two signs in a row would be another operator.
                let inner = if x.text.starts_with('-') { format!("({})", x.text) } else { Self::at(&x, Tight::Unary) };
                self.computed(format!("-{inner}"), Tight::Unary, terms.width(id), signed)
            }
            Node::Bit(op, a, b) => self.arithmetic(*op, *a, *b),
            Node::Compare(order, a, b) => {
                let signed = matches!(order, Order::SLt | Order::SLe);
                let strict = matches!(order, Order::ULt | Order::SLt);
                // The constant to the right.
                if terms.is_constant(*a) {
                    return self.comparison(if strict { ">" } else { ">=" }, *b, *a, Some(signed));
                }
                self.comparison(if strict { "<" } else { "<=" }, *a, *b, Some(signed))
            }
            Node::Fits { op, signed, a, b } => {
                let word = match op {
                    BitOp::Add => "add",
                    BitOp::Sub => "sub",
                    BitOp::Mul => "mul",
                    _ => return None,
                };
                let (x, y) = (self.int(*a, Some(*signed))?, self.int(*b, Some(*signed))?);
                let ty = self.type_name(terms.width(*a), *signed)?;
                let text = format!("!__builtin_{word}_overflow_p({}, {}, ({ty})0)", x.text, y.text);
                Some(Self::truth(text, Tight::Unary))
            }
            Node::Extract { high, low, of } => {
                // A piece of C's own integer sizes is a shift and a conversion.
                let x = self.int(*of, Some(false))?;
                let width = high - low + 1;
                let shifted = if *low == 0 {
                    x
                } else {
                    let text = format!("{} >> {low}", Self::at(&x, Tight::Shift));
                    self.computed(text, Tight::Shift, terms.width(*of), false)?
                };
                self.cast(&shifted, width, false)
            }
            Node::Extend { signed, width, of } => {
                let x = self.int(*of, Some(*signed))?;
                // Smaller integers are `int` without a word.
                if *width == self.int_width() && terms.width(*of) < *width {
                    return Some(Text { kind: Kind::Int { width: *width, signed: true }, ..x });
                }
                self.cast(&x, *width, *signed)
            }
            Node::Float(op, format, [a, b, _]) => {
                let (word, tight) = match op {
                    FloatOp::Add => ("+", Tight::Sum),
                    FloatOp::Sub => ("-", Tight::Sum),
                    FloatOp::Mul => ("*", Tight::Product),
                    FloatOp::Div => ("/", Tight::Product),
                };
                let (x, y) = (self.float(*format, *a)?, self.float(*format, *b)?);
                Some(Text { text: Self::joined(&x, word, &y, tight), kind: Kind::Float(*format), tight })
            }
            Node::FloatNeg(format, a) => {
                let x = self.float(*format, *a)?;
                let inner = if x.text.starts_with('-') { format!("({})", x.text) } else { Self::at(&x, Tight::Unary) };
                Some(Text { text: format!("-{inner}"), kind: Kind::Float(*format), tight: Tight::Unary })
            }
            Node::FloatCompare(order, format, a, b) => {
                let (mut x, mut y) = (self.float(*format, *a)?, self.float(*format, *b)?);
                let mut word = match order {
                    FloatOrder::Eq => "==",
                    FloatOrder::Lt => "<",
                    FloatOrder::Le => "<=",
                };
                if terms.is_constant(*a) {
                    std::mem::swap(&mut x, &mut y);
                    word = match order {
                        FloatOrder::Eq => "==",
                        FloatOrder::Lt => ">",
                        FloatOrder::Le => ">=",
                    };
                }
                let tight = if *order == FloatOrder::Eq { Tight::Equality } else { Tight::Relation };
                Some(Self::truth(Self::joined(&x, word, &y, tight), tight))
            }
            Node::IsNan(format, a) => {
                let x = self.float(*format, *a)?;
                Some(Self::truth(format!("__builtin_isnan({})", x.text), Tight::Primary))
            }
            Node::FloatFromInt { format, signed, of } => {
                let x = self.int(*of, Some(*signed))?;
                let text = format!("({}){}", self.float_name(*format)?, Self::at(&x, Tight::Unary));
                Some(Text { text, kind: Kind::Float(*format), tight: Tight::Unary })
            }
            Node::FloatToInt { format, signed, of, otherwise } => {
                let x = self.float(*format, *of)?;
                self.cast(&x, terms.width(*otherwise), *signed)
            }
            Node::FloatToFloat { from, to, of, .. } => {
                let x = self.float(*from, *of)?;
                let text = format!("({}){}", self.float_name(*to)?, Self::at(&x, Tight::Unary));
                Some(Text { text, kind: Kind::Float(*to), tight: Tight::Unary })
            }
            Node::Select(array, index) => self.element(*array, *index, terms.width(id)),
            Node::Concat(..) | Node::Store(..) | Node::Fill { .. } => None,
        }
    }

    fn negated(&self, a: TermId) -> Option<Text> {
        match self.terms.node(a) {
            Node::Eq(x, y) => self.comparison("!=", *x, *y, None),
            _ => {
                let x = self.term(a)?;
                Some(Self::truth(format!("!{}", Self::at(&x, Tight::Unary)), Tight::Unary))
            }
        }
    }
    fn junction(&self, parts: &[TermId], word: &str, tight: Tight) -> Option<Text> {
        let parts: Option<Vec<String>> = parts
            .iter()
            .map(|p| {
                let text = self.term(*p)?;
                // Compilers warn of && inside || without parentheses, and people misread it.
                Some(if text.tight > Tight::LogicalAnd { text.text } else { format!("({})", text.text) })
            })
            .collect();
        Some(Self::truth(parts?.join(&format!(" {word} ")), tight))
    }
    fn choice(&self, c: TermId, a: TermId, b: TermId) -> Option<Text> {
        let condition = self.term(c)?;
        let (x, y, kind) = match self.terms.sort(a) {
            super::term::Sort::Bool => (self.term(a)?, self.term(b)?, Kind::Truth),
            super::term::Sort::Bits(width) => {
                let float = [a, b].into_iter().find_map(|t| match self.term(t)?.kind {
                    Kind::Float(format) => Some(format),
                    Kind::Truth | Kind::Int { .. } | Kind::Array { .. } => None,
                });
                if let Some(format) = float {
                    (self.float(format, a)?, self.float(format, b)?, Kind::Float(format))
                } else {
                    let (x, y, signed) = self.pair(a, b, None)?;
                    if width < self.int_width() && !self.same_kind(&x, &y) {
                        return None;
                    }
                    (x, y, Kind::Int { width, signed })
                }
            }
            super::term::Sort::Array { .. } => return None,
        };
        let text = format!(
            "{} ? {} : {}",
            Self::at(&condition, Tight::LogicalOr),
            x.text,
            Self::at(&y, Tight::Conditional)
        );
        Some(Text { text, kind, tight: Tight::Conditional })
    }
    fn same_kind(&self, x: &Text, y: &Text) -> bool {
        let _ = self;
        x.kind == y.kind
    }
    fn comparison(&self, word: &str, a: TermId, b: TermId, signed: Option<bool>) -> Option<Text> {
        let tight = if matches!(word, "==" | "!=") { Tight::Equality } else { Tight::Relation };
        if self.terms.sort(a) == super::term::Sort::Bool {
            let (x, y) = (self.term(a)?, self.term(b)?);
            return Some(Self::truth(Self::joined(&x, word, &y, tight), tight));
        }
        // Equal bits of floats are not what C compares.
        let (x, mut y, _) = self.pair(a, b, signed)?;
        if x.kind != y.kind && !self.terms.is_constant(b) && self.terms.width(a) < self.int_width() {
            // Of different signs and promoted, equal bits would differ.
            let Kind::Int { width, signed } = x.kind else { return None };
            y = self.cast(&y, width, signed)?;
        }
        Some(Self::truth(Self::joined(&x, word, &y, tight), tight))
    }
    fn arithmetic(&self, op: BitOp, a: TermId, b: TermId) -> Option<Text> {
        let width = self.terms.width(a);
        let (word, tight, sign) = match op {
            BitOp::Add => ("+", Tight::Sum, None),
            BitOp::Sub => ("-", Tight::Sum, None),
            BitOp::Mul => ("*", Tight::Product, None),
            BitOp::UDiv => ("/", Tight::Product, Some(false)),
            BitOp::SDiv => ("/", Tight::Product, Some(true)),
            BitOp::URem => ("%", Tight::Product, Some(false)),
            BitOp::SRem => ("%", Tight::Product, Some(true)),
            BitOp::And => ("&", Tight::BitAnd, None),
            BitOp::Or => ("|", Tight::BitOr, None),
            BitOp::Xor => ("^", Tight::BitXor, None),
            BitOp::Shl => ("<<", Tight::Shift, None),
            BitOp::LShr => (">>", Tight::Shift, Some(false)),
            BitOp::AShr => (">>", Tight::Shift, Some(true)),
        };
        if matches!(op, BitOp::Shl | BitOp::LShr | BitOp::AShr) {
            let x = self.int(a, sign)?;
            let signed = matches!(x.kind, Kind::Int { signed: true, .. });
            // The count needs no type.
            let y = match self.terms.as_bits(b) {
                Some(count) => Text { text: count.to_u128()?.to_string(), kind: Kind::Truth, tight: Tight::Primary },
                None => self.int(b, None)?,
            };
            return self.computed(Self::joined(&x, word, &y, tight), tight, width, signed);
        }
        // x + (-3) is x - 3.
        if op == BitOp::Add
            && let Some(number) = self.terms.as_bits(b)
            && number.sign()
            && number.neg() != *number
        {
            let x = self.int(a, None)?;
            let signed = matches!(x.kind, Kind::Int { signed: true, .. });
            let y = self.constant(&number.neg(), signed)?;
            return self.computed(Self::joined(&x, "-", &y, tight), tight, width, signed);
        }
        let (x, y, signed) = self.pair(a, b, sign)?;
        self.computed(Self::joined(&x, word, &y, tight), tight, width, signed)
    }
    fn element(&self, array: TermId, index: TermId, width: u32) -> Option<Text> {
        match self.terms.node(array) {
            Node::Var(var) => {
                let name = (self.names)(*var)?;
                let Kind::Array { signed } = name.kind else { return None };
                let index = match self.terms.as_bits(index) {
                    Some(number) => number.to_i128()?.to_string(),
                    None => self.int(index, None)?.text,
                };
                let text = format!("{}[{index}]", name.text);
                Some(Text { text, kind: Kind::Int { width, signed }, tight: Tight::Primary })
            }
            Node::Store(before, at, value) => {
                let same = self.comparison("==", index, *at, None)?;
                let (new, old) = (self.int(*value, None)?, self.element(*before, index, width)?);
                if new.kind != old.kind {
                    return None;
                }
                let text = format!("{} ? {} : {}", same.text, new.text, Self::at(&old, Tight::Conditional));
                Some(Text { text, kind: old.kind, tight: Tight::Conditional })
            }
            Node::Fill { element, .. } => self.int(*element, None),
            _ => None,
        }
    }
    /// The plainest type of a format.
    fn float_name(&self, format: Format) -> Option<&'static str> {
        let kinds =
            [FloatKind::Double, FloatKind::Float, FloatKind::LongDouble, FloatKind::Float16, FloatKind::Float128];
        kinds.into_iter().find(|kind| Format::of(self.model, *kind) == format).map(FloatKind::name)
    }
    fn float(&self, format: Format, id: TermId) -> Option<Text> {
        if let Some(number) = self.terms.as_bits(id) {
            let text = float_constant(format, number)?;
            let tight = if text.starts_with('-') { Tight::Unary } else { Tight::Primary };
            return Some(Text { text, kind: Kind::Float(format), tight });
        }
        let text = self.term(id)?;
        (text.kind == Kind::Float(format)).then_some(text)
    }
}

/// A literal that is read back to the same bits; `None` for infinities, NaNs and what no `double` holds.
fn float_constant(format: Format, number: &BitVec) -> Option<String> {
    let suffix = match format {
        Format::Single => {
            let value = f32::from_bits(number.low() as u32);
            return value.is_finite().then(|| format!("{value:?}f"));
        }
        Format::Double => "",
        Format::X87 => "l",
        Format::Half | Format::Quad => return None,
    };
    let double = super::float::convert(format, Format::Double, number)?;
    if super::float::convert(Format::Double, format, &double)? != *number {
        return None;
    }
    let value = f64::from_bits(double.low() as u64);
    value.is_finite().then(|| format!("{value:?}{suffix}"))
}
