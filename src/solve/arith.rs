//! Formulas over whole numbers, read from terms where both mean the same, and written as C.
//!
//! A term's arithmetic is of so many bits. It is read as that of whole numbers where it cannot leave its range: because the ranges of its operands are small enough, or
//! because the caller says that this operation does not overflow. What cannot be read is kept as it is, or left out if it is about a
//! variable that is to go: that weakens the formula, and nothing else does.
//!
//! Invariant: a formula that was read is true wherever the term is, for values for which the operations named by the caller do not overflow.

use std::collections::BTreeMap;

use super::term::{BitOp, Node, Order, Sort, TermId, Terms, VarId};
use crate::base::id::Id;

/// A formula, with negations only inside.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Arith {
    /// A constant.
    Truth(bool),
    /// A predicate that is not looked into, or its negation.
    Opaque(TermId, bool),
    /// A polynomial compared with 0.
    Compare(Relation, Poly),
    /// Whether a number divides a polynomial.
    Divides(i128, Poly, bool),
    /// A conjunction.
    All(Vec<Arith>),
    /// A disjunction.
    Any(Vec<Arith>),
}

/// How something compares with 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Relation {
    /// It is 0.
    Equal,
    /// It is not 0.
    Differs,
    /// It is not negative.
    AtLeast,
    /// It is positive.
    Above,
}

impl Relation {
    /// What holds if this does not hold of the negated number: `!(x >= 0)` is `-x > 0`.
    fn opposite(self) -> Relation {
        match self {
            Relation::Equal => Relation::Differs,
            Relation::Differs => Relation::Equal,
            Relation::AtLeast => Relation::Above,
            Relation::Above => Relation::AtLeast,
        }
    }
    fn holds(self, number: i128) -> bool {
        match self {
            Relation::Equal => number == 0,
            Relation::Differs => number != 0,
            Relation::AtLeast => number >= 0,
            Relation::Above => number > 0,
        }
    }
}

/// A polynomial with whole coefficients: products of variables, each with its factor, which is not 0. The constant is the empty product's.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Poly(BTreeMap<Vec<VarId>, i128>);

impl Poly {
    /// A constant.
    pub fn number(value: i128) -> Poly {
        Poly((value != 0).then(|| (Vec::new(), value)).into_iter().collect())
    }
    /// A variable.
    pub fn var(var: VarId) -> Poly {
        Poly(std::iter::once((vec![var], 1)).collect())
    }
    /// The products and their factors.
    pub fn parts(&self) -> impl Iterator<Item = (&[VarId], i128)> {
        self.0.iter().map(|(vars, factor)| (vars.as_slice(), *factor))
    }
    /// The value of a polynomial without variables.
    pub fn as_number(&self) -> Option<i128> {
        self.0.keys().all(Vec::is_empty).then(|| self.constant())
    }
    fn constant(&self) -> i128 {
        self.0.get(&Vec::new()).copied().unwrap_or(0)
    }
    /// Whether no product has two variables.
    pub fn is_linear(&self) -> bool {
        self.0.keys().all(|vars| vars.len() <= 1)
    }
    /// The sum; `None` if its factors are too large.
    pub fn plus(&self, other: &Poly) -> Option<Poly> {
        let mut sum = self.0.clone();
        for (vars, factor) in &other.0 {
            let here = sum.entry(vars.clone()).or_insert(0);
            *here = here.checked_add(*factor)?;
        }
        sum.retain(|_, factor| *factor != 0);
        Some(Poly(sum))
    }
    /// The product; `None` if its factors are too large.
    pub fn times(&self, other: &Poly) -> Option<Poly> {
        let mut sum = Poly::default();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                let mut vars: Vec<VarId> = a.iter().chain(b).copied().collect();
                vars.sort_unstable_by_key(|var| var.index());
                let product = x.checked_mul(*y).filter(|product| product.unsigned_abs() < LARGEST)?;
                sum = sum.plus(&Poly(std::iter::once((vars, product)).collect()))?;
            }
        }
        Some(sum)
    }
    /// Negated.
    #[must_use]
    pub fn negated(&self) -> Poly {
        Poly(self.0.iter().map(|(vars, factor)| (vars.clone(), -factor)).collect())
    }
    /// Its value.
    fn value(&self, values: &dyn Fn(VarId) -> i128) -> i128 {
        self.0.iter().map(|(vars, factor)| vars.iter().map(|var| values(*var)).product::<i128>() * factor).sum()
    }
    /// The greatest number that divides the factors of all variables; 0 without variables.
    fn divisor(&self) -> i128 {
        let factors = self.0.iter().filter(|(vars, _)| !vars.is_empty()).map(|(_, factor)| factor.abs());
        factors.fold(0, |a, b| {
            let (mut a, mut b) = (a, b);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            a
        })
    }
}

/// Numbers beyond this are not computed with.
const LARGEST: u128 = 1 << 100;

impl Arith {
    /// A conjunction, without what says nothing.
    pub fn all(parts: Vec<Arith>) -> Arith {
        Self::junction(parts, true)
    }
    /// A disjunction, without what says nothing.
    pub fn any(parts: Vec<Arith>) -> Arith {
        Self::junction(parts, false)
    }
    fn junction(parts: Vec<Arith>, and: bool) -> Arith {
        let mut kept: Vec<Arith> = Vec::new();
        for part in parts {
            let inner = match part {
                Arith::Truth(truth) if truth == and => continue,
                Arith::Truth(truth) => return Arith::Truth(truth),
                Arith::All(inner) if and => inner,
                Arith::Any(inner) if !and => inner,
                Arith::All(_) | Arith::Any(_) | Arith::Opaque(..) | Arith::Compare(..) | Arith::Divides(..) => {
                    vec![part]
                }
            };
            for one in inner {
                if !kept.contains(&one) {
                    kept.push(one);
                }
            }
        }
        match (kept.len(), and) {
            (0, truth) => Arith::Truth(truth),
            (1, _) => kept.remove(0),
            (_, true) => Arith::All(kept),
            (_, false) => Arith::Any(kept),
        }
    }
    /// A comparison of whole numbers with 0, in the smallest numbers.
    pub fn compare(relation: Relation, poly: Poly) -> Arith {
        if let Some(number) = poly.as_number() {
            return Arith::Truth(relation.holds(number));
        }
        // `x > 0` is `x - 1 >= 0`.
        let (relation, poly) = match relation {
            Relation::Above => match poly.plus(&Poly::number(-1)) {
                Some(less) => (Relation::AtLeast, less),
                None => (relation, poly),
            },
            Relation::Equal | Relation::Differs | Relation::AtLeast => (relation, poly),
        };
        let (divisor, constant) = (poly.divisor(), poly.constant());
        if divisor > 1 && relation != Relation::Above {
            if relation != Relation::AtLeast && constant % divisor != 0 {
                return Arith::Truth(relation == Relation::Differs);
            }
            let mut small: BTreeMap<Vec<VarId>, i128> =
                poly.0.into_iter().map(|(vars, factor)| (vars, factor.div_euclid(divisor))).collect();
            small.retain(|_, factor| *factor != 0);
            return Arith::Compare(relation, Poly(small));
        }
        Arith::Compare(relation, poly)
    }
    /// Its negation.
    #[must_use]
    pub fn negated(self) -> Arith {
        match self {
            Arith::Truth(truth) => Arith::Truth(!truth),
            Arith::Opaque(term, positive) => Arith::Opaque(term, !positive),
            Arith::Divides(by, poly, positive) => Arith::Divides(by, poly, !positive),
            Arith::All(parts) => Arith::any(parts.into_iter().map(Arith::negated).collect()),
            Arith::Any(parts) => Arith::all(parts.into_iter().map(Arith::negated).collect()),
            Arith::Compare(relation, poly) => match relation {
                Relation::Equal | Relation::Differs => Arith::Compare(relation.opposite(), poly),
                Relation::AtLeast | Relation::Above => Arith::compare(relation.opposite(), poly.negated()),
            },
        }
    }
    /// Whether all polynomials are linear.
    pub fn is_linear(&self) -> bool {
        match self {
            Arith::Truth(_) | Arith::Opaque(..) => true,
            Arith::Compare(_, poly) | Arith::Divides(_, poly, _) => poly.is_linear(),
            Arith::All(parts) | Arith::Any(parts) => parts.iter().all(Arith::is_linear),
        }
    }
    /// The variables of its polynomials, in order, each once.
    pub fn variables(&self) -> Vec<VarId> {
        fn collect(formula: &Arith, found: &mut Vec<VarId>) {
            match formula {
                Arith::Truth(_) | Arith::Opaque(..) => {}
                Arith::Compare(_, poly) | Arith::Divides(_, poly, _) => {
                    found.extend(poly.0.keys().flatten());
                }
                Arith::All(parts) | Arith::Any(parts) => parts.iter().for_each(|part| collect(part, found)),
            }
        }
        let mut found = Vec::new();
        collect(self, &mut found);
        found.sort_unstable_by_key(|var| var.index());
        found.dedup();
        found
    }
    /// The predicates that are not looked into.
    pub fn opaque(&self) -> Vec<TermId> {
        match self {
            Arith::Truth(_) | Arith::Compare(..) | Arith::Divides(..) => Vec::new(),
            Arith::Opaque(term, _) => vec![*term],
            Arith::All(parts) | Arith::Any(parts) => parts.iter().flat_map(Arith::opaque).collect(),
        }
    }
    /// Whether it holds for these values.
    pub fn holds(&self, values: &dyn Fn(VarId) -> i128, opaque: &dyn Fn(TermId) -> bool) -> bool {
        match self {
            Arith::Truth(truth) => *truth,
            Arith::Opaque(term, positive) => opaque(*term) == *positive,
            Arith::Compare(relation, poly) => relation.holds(poly.value(values)),
            Arith::Divides(by, poly, positive) => (poly.value(values) % by == 0) == *positive,
            Arith::All(parts) => parts.iter().all(|part| part.holds(values, opaque)),
            Arith::Any(parts) => parts.iter().any(|part| part.holds(values, opaque)),
        }
    }
}

/// What is known of the variables of a term that is read.
pub struct Reading<'r> {
    /// The terms.
    pub terms: &'r Terms,
    /// Whether a variable has a sign; `None` if it is no integer.
    pub signed: &'r dyn Fn(VarId) -> Option<bool>,
    /// Whether the result of an operation on numbers with a sign is known to fit.
    pub fits: &'r dyn Fn(TermId) -> bool,
    /// Whether a variable is to go: what cannot be read of it is left out.
    pub goes: &'r dyn Fn(VarId) -> bool,
}

/// A number with its least and its greatest value.
type Ranged = (Poly, i128, i128);

/// The numbers of so many bits.
fn range(width: u32, signed: bool) -> Option<(i128, i128)> {
    match (width, signed) {
        (1..=64, true) => Some((-(1 << (width - 1)), (1 << (width - 1)) - 1)),
        (1..=64, false) => Some((0, (1 << width) - 1)),
        _ => None,
    }
}

impl Reading<'_> {
    /// A literal: a Boolean term, or its negation. The second says whether it is the same; otherwise it is weaker.
    pub fn literal(&self, id: TermId, positive: bool) -> (Arith, bool) {
        match self.atom(id) {
            Some(read) => (if positive { read } else { read.negated() }, true),
            None if self.terms.variables_of(&[id]).iter().any(|var| (self.goes)(*var)) => (Arith::Truth(true), false),
            None => (Arith::Opaque(id, positive), true),
        }
    }
    /// What is known of a variable by its type: worth saying of small numbers, and of those without a sign.
    pub fn limits(&self, var: VarId) -> Arith {
        let Sort::Bits(width) = self.terms.variable(var).sort else { return Arith::Truth(true) };
        let Some((low, high)) = (self.signed)(var).and_then(|signed| range(width, signed)) else {
            return Arith::Truth(true);
        };
        let above = Poly::var(var).plus(&Poly::number(-low)).map(|poly| Arith::Compare(Relation::AtLeast, poly));
        let below =
            Poly::var(var).negated().plus(&Poly::number(high)).map(|poly| Arith::Compare(Relation::AtLeast, poly));
        let above = above.filter(|_| low == 0 || width < 32);
        Arith::all(above.into_iter().chain(below.filter(|_| width < 32)).collect())
    }
    /// A Boolean term, if it can be read; negations inside and all.
    fn atom(&self, id: TermId) -> Option<Arith> {
        match self.terms.node(id) {
            Node::Bool(truth) => Some(Arith::Truth(*truth)),
            Node::Not(a) => self.atom(*a).map(Arith::negated),
            Node::And(parts) => parts.iter().map(|part| self.atom(*part)).collect::<Option<_>>().map(Arith::all),
            Node::Or(parts) => parts.iter().map(|part| self.atom(*part)).collect::<Option<_>>().map(Arith::any),
            Node::Eq(a, b) => {
                if self.terms.sort(*a) == Sort::Bool {
                    return None;
                }
                // Equal bits are equal numbers, read either way.
                let difference = [true, false].into_iter().find_map(|signed| self.difference(*a, *b, signed))?;
                Some(Arith::compare(Relation::Equal, difference))
            }
            Node::Compare(order, a, b) => {
                let (signed, relation) = match order {
                    Order::SLt => (true, Relation::Above),
                    Order::SLe => (true, Relation::AtLeast),
                    Order::ULt => (false, Relation::Above),
                    Order::ULe => (false, Relation::AtLeast),
                };
                Some(Arith::compare(relation, self.difference(*b, *a, signed)?))
            }
            _ => None,
        }
    }
    fn difference(&self, a: TermId, b: TermId, signed: bool) -> Option<Poly> {
        let ((a, ..), (b, ..)) = (self.number(a, signed)?, self.number(b, signed)?);
        a.plus(&b.negated())
    }
    /// A bit-vector read with a sign or without.
    fn number(&self, id: TermId, signed: bool) -> Option<Ranged> {
        let width = self.terms.width(id);
        let (low, high) = range(width, signed)?;
        let (poly, least, most) = match self.terms.node(id) {
            Node::Bits(number) => {
                let value = number.resize(128, signed).low() as i128;
                (Poly::number(value), value, value)
            }
            Node::Var(var) => {
                ((self.signed)(*var)? == signed).then_some(())?;
                (Poly::var(*var), low, high)
            }
            Node::Extend { signed: inner, of, .. } => self.number(*of, *inner)?,
            Node::Extract { low: 0, of, .. } => {
                [signed, !signed].into_iter().find_map(|s| self.number(*of, s).filter(|n| n.1 >= low && n.2 <= high))?
            }
            Node::Neg(a) => {
                let (a, least, most) = self.number(*a, signed)?;
                (a.negated(), -most, -least)
            }
            Node::Bit(op, a, b) => self.arithmetic(*op, *a, *b, signed)?,
            _ => return None,
        };
        if least >= low && most <= high {
            return Some((poly, least, most));
        }
        (signed && (self.fits)(id)).then_some((poly, least.max(low), most.min(high)))
    }
    /// The exact result, whether or not it fits.
    fn arithmetic(&self, op: BitOp, a: TermId, b: TermId, signed: bool) -> Option<Ranged> {
        if op == BitOp::Shl {
            let count = self.terms.as_bits(b)?.to_u128().filter(|count| *count < 63)?;
            let (a, least, most) = self.number(a, signed)?;
            let factor = 1i128 << count;
            return Some((a.times(&Poly::number(factor))?, least.checked_mul(factor)?, most.checked_mul(factor)?));
        }
        let ((x, x1, x2), (mut y, mut y1, mut y2)) = (self.number(a, signed)?, self.number(b, signed)?);
        match op {
            BitOp::Add | BitOp::Sub => {
                // `x - 3` is kept as `x + (-3)`; only of the least number is the sign not told by that.
                let least = range(self.terms.width(a), true)?.0;
                if signed && y.as_number() == Some(least) {
                    return None;
                }
                if op == BitOp::Sub {
                    (y, y1, y2) = (y.negated(), -y2, -y1);
                }
                Some((x.plus(&y)?, x1 + y1, x2 + y2))
            }
            BitOp::Mul => {
                let ends = [x1.checked_mul(y1)?, x1.checked_mul(y2)?, x2.checked_mul(y1)?, x2.checked_mul(y2)?];
                Some((x.times(&y)?, *ends.iter().min()?, *ends.iter().max()?))
            }
            BitOp::UDiv
            | BitOp::SDiv
            | BitOp::URem
            | BitOp::SRem
            | BitOp::And
            | BitOp::Or
            | BitOp::Xor
            | BitOp::Shl
            | BitOp::LShr
            | BitOp::AShr => None,
        }
    }
}

/// The formula as C, whose numbers are read without bounds; `None` if a name or a predicate has no text.
pub fn text(
    formula: &Arith,
    names: &dyn Fn(VarId) -> Option<String>,
    opaque: &dyn Fn(TermId, bool) -> Option<String>,
) -> Option<String> {
    let joined = |parts: &[Arith], word: &str| -> Option<String> {
        let parts: Option<Vec<String>> = parts
            .iter()
            .map(|part| {
                let text = text(part, names, opaque)?;
                let simple = match part {
                    Arith::Truth(_) | Arith::Compare(..) | Arith::Divides(..) => true,
                    Arith::Opaque(..) => !text.contains("&&") && !text.contains("||") && !text.contains('?'),
                    Arith::All(_) | Arith::Any(_) => false,
                };
                Some(if simple { text } else { format!("({text})") })
            })
            .collect();
        // Different values can have the same text: what reads alike is written once.
        let mut written: Vec<String> = Vec::new();
        for part in parts? {
            if !written.contains(&part) {
                written.push(part);
            }
        }
        Some(written.join(word))
    };
    match formula {
        Arith::Truth(truth) => Some(u8::from(*truth).to_string()),
        Arith::Opaque(term, positive) => opaque(*term, *positive),
        Arith::All(parts) => joined(parts, " && "),
        Arith::Any(parts) => joined(parts, " || "),
        Arith::Divides(by, poly, positive) => {
            let (sum, several) = sum(poly.parts(), names)?;
            let sum = if several { format!("({sum})") } else { sum };
            Some(format!("{sum} % {by} {} 0", if *positive { "==" } else { "!=" }))
        }
        Arith::Compare(relation, poly) => comparison(*relation, poly, names),
    }
}

fn comparison(relation: Relation, poly: &Poly, names: &dyn Fn(VarId) -> Option<String>) -> Option<String> {
    let is_positive = |(vars, factor): &(&[VarId], i128)| !vars.is_empty() && *factor > 0;
    // What is added is on the left: if nothing is, all of it is turned round.
    let turned = !poly.parts().any(|part| is_positive(&part));
    let negated = poly.negated();
    let (left, right) = if turned { (&negated, poly) } else { (poly, &negated) };
    let word = match (relation, turned) {
        (Relation::Equal, _) => "==",
        (Relation::Differs, _) => "!=",
        (Relation::AtLeast, false) => ">=",
        (Relation::AtLeast, true) => "<=",
        (Relation::Above, false) => ">",
        (Relation::Above, true) => "<",
    };
    let constant = left.constant();
    let (one_side, _) = sum(left.parts().filter(is_positive), names)?;
    if !right.parts().any(|part| is_positive(&part)) {
        return Some(format!("{one_side} {word} {}", -constant));
    }
    let added = |poly: &Poly, constant: i128| -> Option<String> {
        let (sum, _) = sum(poly.parts().filter(is_positive), names)?;
        Some(if constant > 0 { format!("{sum} + {constant}") } else { sum })
    };
    Some(format!("{} {word} {}", added(left, constant)?, added(right, -constant)?))
}

/// A sum, and whether it has several parts.
fn sum<'p>(
    parts: impl Iterator<Item = (&'p [VarId], i128)>,
    names: &dyn Fn(VarId) -> Option<String>,
) -> Option<(String, bool)> {
    let mut parts: Vec<(&[VarId], i128)> = parts.collect();
    // Constants last, what is subtracted after what is added.
    parts.sort_by_key(|(vars, factor)| (vars.is_empty(), *factor < 0, std::cmp::Reverse(vars.len())));
    let mut out = String::new();
    for (at, (vars, factor)) in parts.iter().enumerate() {
        let mut factors: Vec<String> = vars.iter().map(|var| names(*var)).collect::<Option<_>>()?;
        if factor.abs() != 1 || factors.is_empty() {
            factors.insert(0, factor.abs().to_string());
        }
        out.push_str(match (at, *factor < 0) {
            (0, false) => "",
            (0, true) => "-",
            (_, false) => " + ",
            (_, true) => " - ",
        });
        out.push_str(&factors.join(" * "));
    }
    if out.is_empty() {
        out.push('0');
    }
    Some((out, parts.len() > 1))
}
