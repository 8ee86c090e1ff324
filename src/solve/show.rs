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
use super::term::{BitOp, FloatOp, FloatOrder, Format, Node, Order, Sort, TermId, Terms, VarId};
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

/// Piece with its type and how it binds.
#[derive(Clone, Debug)]
struct Piece {
    text: String,
    kind: Kind,
    tight: Tight,
}

/// A term as a C expression, with the names of its variables; `None` if C cannot say it. What it is read as tells a float from its
/// bits, and whether a constant has a sign; otherwise the text's type may differ in its sign.
pub fn show(
    terms: &Terms,
    model: &DataModel,
    names: &dyn Fn(VarId) -> Option<Name>,
    read_as: Kind,
    id: TermId,
) -> Option<String> {
    // Large terms are not for reading. Shared parts are written out each time, so it is the tree that counts.
    if terms.tree_size(id) > LARGEST {
        return None;
    }
    let shower = Shower { terms, model, names, chars: &|_| None };
    let text = match read_as {
        Kind::Float(format) => shower.float(format, id),
        Kind::Int { signed, .. } if terms.is_constant(id) => shower.constant(terms.as_bits(id)?, signed),
        Kind::Truth | Kind::Int { .. } | Kind::Array { .. } => shower.term(id),
    }?;
    let is_float = |kind: Kind| matches!(kind, Kind::Float(_));
    (is_float(text.kind) == is_float(read_as)).then_some(text.text)
}

/// A predicate or its negation, which is the opposite comparison of a comparison. `chars` tells how numbers that bytes are compared with are written
/// as characters.
pub fn show_predicate(
    terms: &Terms,
    model: &DataModel,
    names: &dyn Fn(VarId) -> Option<Name>,
    chars: &dyn Fn(u8) -> Option<String>,
    id: TermId,
    positive: bool,
) -> Option<String> {
    if terms.tree_size(id) > LARGEST {
        return None;
    }
    let shower = Shower { terms, model, names, chars };
    let text = match terms.node(id) {
        Node::Not(a) if !positive => shower.term(*a),
        Node::Compare(order, a, b) => shower.order(*order, *a, *b, positive),
        _ if positive => shower.term(id),
        _ => shower.negated(id),
    }?;
    matches!(text.kind, Kind::Truth | Kind::Int { .. }).then_some(text.text)
}

/// Terms with more parts than this are not for reading.
const LARGEST: u32 = 2000;

struct Shower<'a> {
    terms: &'a Terms,
    model: &'a DataModel,
    names: &'a dyn Fn(VarId) -> Option<Name>,
    chars: &'a dyn Fn(u8) -> Option<String>,
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
    fn at(text: &Piece, wanted: Tight) -> String {
        if text.tight >= wanted { text.text.clone() } else { format!("({})", text.text) }
    }
    fn cast(&self, text: &Piece, width: u32, signed: bool) -> Option<Piece> {
        let kind = Kind::Int { width, signed };
        let text = format!("({}){}", self.type_name(width, signed)?, Self::at(text, Tight::Unary));
        Some(Piece { text, kind, tight: Tight::Unary })
    }
    fn constant(&self, number: &BitVec, signed: bool) -> Option<Piece> {
        let width = number.width();
        let kind = Kind::Int { width, signed };
        let suffix = match (width <= self.int_width(), width <= self.model.long_size as u32 * 8) {
            (true, _) => "",
            (false, true) => "l",
            (false, false) => "ll",
        };
        let value = number.resize(128, signed).low() as i128;
        if width > 64 {
            // No literal is so wide.
            let text = i64::try_from(value).ok()?.to_string();
            let tight = if value < 0 { Tight::Unary } else { Tight::Primary };
            return self.cast(&Piece { text: text + "l", kind, tight }, width, signed).filter(|_| width <= 128);
        }
        if !signed {
            // What is narrower than `int` is one in every operation.
            let suffix = if width < self.int_width() { String::new() } else { format!("u{suffix}") };
            return Some(Piece { text: format!("{value}{suffix}"), kind, tight: Tight::Primary });
        }
        // C has no negative literals, and none for the least number.
        if number.sign() && *number == number.neg() {
            let text = format!("{}{suffix} - 1", value + 1);
            return Some(Piece { text, kind, tight: Tight::Sum });
        }
        let tight = if value < 0 { Tight::Unary } else { Tight::Primary };
        Some(Piece { text: format!("{value}{suffix}"), kind, tight })
    }
    /// A bit-vector as an integer of its width, with this sign if one is said. What is narrower than `int` keeps its sign where the
    /// operation does not care.
    fn int(&self, id: TermId, signed: Option<bool>) -> Option<Piece> {
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
    fn pair(&self, a: TermId, b: TermId, signed: Option<bool>) -> Option<(Piece, Piece, bool)> {
        let sign_of = |t: &Piece| matches!(t.kind, Kind::Int { signed: true, .. });
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
    fn computed(&self, text: String, tight: Tight, width: u32, signed: bool) -> Option<Piece> {
        if width >= self.int_width() {
            return Some(Piece { text, kind: Kind::Int { width, signed }, tight });
        }
        self.cast(&Piece { text, kind: Kind::Truth, tight }, width, signed)
    }
    fn truth(text: String, tight: Tight) -> Piece {
        Piece { text, kind: Kind::Truth, tight }
    }
    fn joined(x: &Piece, word: &str, y: &Piece, tight: Tight) -> String {
        // To the right of an operator the same one needs parentheses: a - (b - c).
        let right = if y.tight > tight { y.text.clone() } else { format!("({})", y.text) };
        format!("{} {word} {right}", Self::at(x, tight))
    }

    fn term(&self, id: TermId) -> Option<Piece> {
        let terms = self.terms;
        match terms.node(id) {
            Node::Bool(truth) => Some(Self::truth(u8::from(*truth).to_string(), Tight::Primary)),
            Node::Bits(number) => self.constant(number, true),
            Node::Var(var) => {
                let Name { text, kind } = (self.names)(*var)?;
                Some(Piece { text, kind, tight: Tight::Primary })
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
            Node::Compare(order, a, b) => self.order(*order, *a, *b, true),
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
                // A piece of C's own integer sizes is a shift and a conversion; the conversion alone needs no sign.
                let x = self.int(*of, (*low != 0).then_some(false))?;
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
                    return Some(Piece { kind: Kind::Int { width: *width, signed: true }, ..x });
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
                Some(Piece { text: Self::joined(&x, word, &y, tight), kind: Kind::Float(*format), tight })
            }
            Node::FloatNeg(format, a) => {
                let x = self.float(*format, *a)?;
                let inner = if x.text.starts_with('-') { format!("({})", x.text) } else { Self::at(&x, Tight::Unary) };
                Some(Piece { text: format!("-{inner}"), kind: Kind::Float(*format), tight: Tight::Unary })
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
                Some(Piece { text, kind: Kind::Float(*format), tight: Tight::Unary })
            }
            Node::FloatToInt { format, signed, of, otherwise } => {
                let x = self.float(*format, *of)?;
                self.cast(&x, terms.width(*otherwise), *signed)
            }
            Node::FloatToFloat { from, to, of, .. } => {
                let x = self.float(*from, *of)?;
                let text = format!("({}){}", self.float_name(*to)?, Self::at(&x, Tight::Unary));
                Some(Piece { text, kind: Kind::Float(*to), tight: Tight::Unary })
            }
            Node::Select(array, index) => self.element(*array, *index, terms.width(id)),
            Node::Concat(..) | Node::Store(..) | Node::Fill { .. } => None,
        }
    }

    fn negated(&self, a: TermId) -> Option<Piece> {
        if let Node::Eq(x, y) = self.terms.node(a) {
            return self.comparison("!=", *x, *y, None);
        }
        let x = self.term(a)?;
        Some(Self::truth(format!("!{}", Self::at(&x, Tight::Unary)), Tight::Unary))
    }
    fn junction(&self, parts: &[TermId], word: &str, tight: Tight) -> Option<Piece> {
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
    fn choice(&self, c: TermId, a: TermId, b: TermId) -> Option<Piece> {
        let condition = self.term(c)?;
        match self.terms.sort(a) {
            Sort::Bool => {
                let (x, y) = (self.term(a)?, self.term(b)?);
                Some(Self::chosen(&condition, &x, &y, Kind::Truth))
            }
            Sort::Bits(width) => {
                let format = [a, b].into_iter().find_map(|t| match self.term(t)?.kind {
                    Kind::Float(format) => Some(format),
                    Kind::Truth | Kind::Int { .. } | Kind::Array { .. } => None,
                });
                if let Some(format) = format {
                    let (x, y) = (self.float(format, a)?, self.float(format, b)?);
                    return Some(Self::chosen(&condition, &x, &y, Kind::Float(format)));
                }
                let (x, y, signed) = self.pair(a, b, None)?;
                // Narrower than `int` both are promoted, each by its own sign.
                if width < self.int_width() && x.kind != y.kind {
                    return None;
                }
                Some(Self::chosen(&condition, &x, &y, Kind::Int { width, signed }))
            }
            Sort::Array { .. } => None,
        }
    }
    fn chosen(condition: &Piece, x: &Piece, y: &Piece, kind: Kind) -> Piece {
        let (c, y) = (Self::at(condition, Tight::LogicalOr), Self::at(y, Tight::Conditional));
        Piece { text: format!("{c} ? {} : {y}", x.text), kind, tight: Tight::Conditional }
    }
    /// `a < b`, or what holds if that does not; a constant to the right.
    fn order(&self, order: Order, a: TermId, b: TermId, positive: bool) -> Option<Piece> {
        let signed = Some(matches!(order, Order::SLt | Order::SLe));
        let strict = matches!(order, Order::ULt | Order::SLt);
        let (word, turned) = match (strict, positive) {
            (true, true) => ("<", ">"),
            (false, true) => ("<=", ">="),
            (true, false) => (">=", "<="),
            (false, false) => (">", "<"),
        };
        if self.terms.is_constant(a) {
            return self.comparison(turned, b, a, signed);
        }
        self.comparison(word, a, b, signed)
    }
    fn comparison(&self, word: &str, a: TermId, b: TermId, signed: Option<bool>) -> Option<Piece> {
        let tight = if matches!(word, "==" | "!=") { Tight::Equality } else { Tight::Relation };
        if self.terms.sort(a) == Sort::Bool {
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
        // A byte that is compared with a character.
        if let Some(number) = self.terms.as_bits(b).filter(|number| number.width() == 8)
            && let Some(text) = (self.chars)(number.low() as u8)
        {
            y = Piece { text, tight: Tight::Primary, ..y };
        }
        Some(Self::truth(Self::joined(&x, word, &y, tight), tight))
    }
    fn arithmetic(&self, op: BitOp, a: TermId, b: TermId) -> Option<Piece> {
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
                Some(count) => Piece { text: count.to_u128()?.to_string(), kind: Kind::Truth, tight: Tight::Primary },
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
    fn element(&self, array: TermId, index: TermId, width: u32) -> Option<Piece> {
        match self.terms.node(array) {
            Node::Var(var) => {
                let name = (self.names)(*var)?;
                let Kind::Array { signed } = name.kind else { return None };
                let index = match self.terms.as_bits(index) {
                    Some(number) => number.to_i128()?.to_string(),
                    None => self.int(index, None)?.text,
                };
                let text = format!("{}[{index}]", name.text);
                Some(Piece { text, kind: Kind::Int { width, signed }, tight: Tight::Primary })
            }
            Node::Store(before, at, value) => {
                let same = self.comparison("==", index, *at, None)?;
                let (new, old) = (self.int(*value, None)?, self.element(*before, index, width)?);
                if new.kind != old.kind {
                    return None;
                }
                Some(Self::chosen(&same, &new, &old, old.kind))
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
    fn float(&self, format: Format, id: TermId) -> Option<Piece> {
        if let Some(number) = self.terms.as_bits(id) {
            let text = float_constant(format, number)?;
            let tight = if text.starts_with(['-', '(']) { Tight::Unary } else { Tight::Primary };
            return Some(Piece { text, kind: Kind::Float(format), tight });
        }
        if let Node::Ite(c, a, b) = *self.terms.node(id) {
            let (condition, x, y) = (self.term(c)?, self.float(format, a)?, self.float(format, b)?);
            return Some(Self::chosen(&condition, &x, &y, Kind::Float(format)));
        }
        let text = self.term(id)?;
        (text.kind == Kind::Float(format)).then_some(text)
    }
}

/// A literal that is read back to the same bits; `None` for infinities, NaNs and what no `double` holds.
fn float_constant(format: Format, number: &BitVec) -> Option<String> {
    // The shortest digits of a `double` are another `long double`, so that is converted.
    let cast = match format {
        Format::Single => {
            let value = f32::from_bits(number.low() as u32);
            return value.is_finite().then(|| format!("{value:?}f"));
        }
        Format::Double => "",
        Format::X87 => "(long double)",
        Format::Half | Format::Quad => return None,
    };
    let double = super::float::convert(format, Format::Double, number)?;
    if super::float::convert(Format::Double, format, &double)? != *number {
        return None;
    }
    let value = f64::from_bits(double.low() as u64);
    value.is_finite().then(|| format!("{cast}{value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(terms: &mut Terms, key: u32, width: u32) -> TermId {
        terms.var(key, Sort::Bits(width), "")
    }
    /// Variables by their keys: `i`, `j` are `int`, `u` is `unsigned`, `c` is `unsigned char`, `d` a `double`, `a` an array.
    fn text(terms: &Terms, id: TermId) -> Option<String> {
        let names = |var: VarId| {
            let kind = |width, signed| Kind::Int { width, signed };
            let (text, kind) = match terms.variable(var).key? {
                0 => ("i", kind(32, true)),
                1 => ("j", kind(32, true)),
                2 => ("u", kind(32, false)),
                3 => ("c", kind(8, false)),
                4 => ("d", Kind::Float(Format::Double)),
                _ => ("a", Kind::Array { signed: true }),
            };
            Some(Name { text: text.to_owned(), kind })
        };
        show(terms, &DataModel::lp64(), &names, Kind::Truth, id)
    }

    #[test]
    fn conditions_read_as_they_are_written_in_c() {
        let mut t = Terms::new();
        let [i, j, u] = [0, 1, 2].map(|key| int(&mut t, key, 32));
        let c = int(&mut t, 3, 8);
        let d = int(&mut t, 4, 64);
        let a = t.var(5, Sort::Array { index: 32, element: 32 }, "");
        let [zero, two, three, ten, much] = [0, 2, 3, 10, 42].map(|n| t.number(32, n));
        let large = t.compare(Order::SLt, ten, i);
        assert_eq!(text(&t, large).as_deref(), Some("i > 10"));
        let (sum, twice) = (t.bit(BitOp::Add, i, three), t.bit(BitOp::Mul, j, two));
        let less = t.bit(BitOp::Sub, twice, much);
        let equal = t.eq(sum, less);
        assert_eq!(text(&t, equal).as_deref(), Some("i + 3 == j * 2 - 42"));
        let product = t.bit(BitOp::Mul, sum, less);
        let differs = t.ne(product, zero);
        assert_eq!(text(&t, differs).as_deref(), Some("(i + 3) * (j * 2 - 42) != 0"));
        let masked = t.bit(BitOp::And, i, ten);
        let clear = t.eq(masked, zero);
        assert_eq!(text(&t, clear).as_deref(), Some("(i & 10) == 0"), "C's own precedence is another");
        let both = t.and(&[large, clear]);
        let either = t.or(&[both, equal]);
        let shown = text(&t, either).expect("it is C");
        assert!(shown.contains("(i > 10 && (i & 10) == 0)") && shown.contains(" || "), "{shown}");
        // The order of unsigned numbers needs unsigned operands, that of promoted ones nothing.
        let below = t.compare(Order::ULt, i, u);
        assert_eq!(text(&t, below).as_deref(), Some("(unsigned int)i < u"));
        let letter = t.extend(false, 32, c);
        let limit = t.number(32, 65);
        let at_least = t.compare(Order::SLe, limit, letter);
        assert_eq!(text(&t, at_least).as_deref(), Some("c >= 65"));
        let half = t.number(64, i128::from(0.5f64.to_bits()));
        let small = t.float_compare(FloatOrder::Lt, Format::Double, d, half);
        assert_eq!(text(&t, small).as_deref(), Some("d < 0.5"));
        let element = t.select(a, sum);
        let is_zero = t.eq(element, zero);
        assert_eq!(text(&t, is_zero).as_deref(), Some("a[i + 3] == 0"));
        let nested = t.bit(BitOp::Sub, i, j);
        let nested = t.bit(BitOp::Sub, u, nested);
        let nested = t.eq(nested, zero);
        assert_eq!(text(&t, nested).as_deref(), Some("u == i - j"));
        let piece = t.extract(4, 2, i);
        let odd = t.number(3, 1);
        let odd = t.eq(piece, odd);
        assert_eq!(text(&t, odd), None, "C has no integers of three bits");
    }

    #[test]
    fn negations_are_opposite_comparisons_and_bytes_may_be_characters() {
        let mut t = Terms::new();
        let [i, j] = [0, 1].map(|key| int(&mut t, key, 32));
        let c = int(&mut t, 3, 8);
        let ten = t.number(32, 10);
        let names = |var: VarId| {
            let text = ["i", "j", "u", "c"][t.variable(var).key? as usize];
            let width = if text == "c" { 8 } else { 32 };
            Some(Name { text: text.to_owned(), kind: Kind::Int { width, signed: text != "c" } })
        };
        let plus = |byte: u8| (byte == 43).then(|| "'+'".to_owned());
        let said = |t: &Terms, id, positive| show_predicate(t, &DataModel::lp64(), &names, &plus, id, positive);
        let mut made = t.clone();
        let large = made.compare(Order::SLt, ten, i);
        let at_most = made.compare(Order::ULe, i, j);
        let equal = made.eq(i, ten);
        for (id, yes, no) in [
            (large, "i > 10", "i <= 10"),
            (at_most, "(unsigned int)i <= (unsigned int)j", "(unsigned int)i > (unsigned int)j"),
            (equal, "i == 10", "i != 10"),
        ] {
            assert_eq!(said(&made, id, true).as_deref(), Some(yes));
            assert_eq!(said(&made, id, false).as_deref(), Some(no));
        }
        // Only a byte is a character: 43 of an `int` is a number.
        for (of, number, expected) in [(c, 43, "c == '+'"), (c, 44, "c == 44"), (i, 43, "i == 43")] {
            let number = made.number(made.width(of), number);
            let equal = made.eq(of, number);
            assert_eq!(said(&made, equal, true).as_deref(), Some(expected));
        }
        // A conversion to fewer bits needs no other before it.
        let (low, number) = (made.extract(7, 0, i), made.number(8, 43));
        let equal = made.eq(low, number);
        assert_eq!(said(&made, equal, false).as_deref(), Some("(unsigned char)i != '+'"));
    }
}
