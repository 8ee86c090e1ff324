//! A question as SMT-LIB 2 text, for `--emit smt` and for other solvers.
//!
//! Every shared term is defined once, so the text is linear in the terms. It says the same as what Z3 is asked by `z3::check`.

use std::fmt::Write as _;

use rustc_hash::{FxHashMap, FxHashSet};

use super::float;
use super::number::BitVec;
use super::term::{BitOp, FloatOp, FloatOrder, Format, Node, Order, Sort, TermId, Terms, VarId, format_width};

/// Text that is longer gets a definition of its own, used once or not.
const LONGEST: usize = 200;

/// The assertions, named `a0`, `a1` … in their order, with the commands that ask about them.
pub fn smtlib(terms: &Terms, assertions: &[TermId]) -> String {
    let mut out = String::from("(set-option :produce-models true)\n(set-option :produce-unsat-cores true)\n");
    out.push_str("(set-logic ALL)\n");
    let reachable = terms.reachable(assertions);
    let names = names(terms, &terms.variables_of(assertions));
    for var in terms.variables_of(assertions) {
        let _ = writeln!(out, "(declare-const {} {})", names[&var], sort(terms.variable(var).sort));
    }
    let mut uses: FxHashMap<TermId, usize> = FxHashMap::default();
    for &id in &reachable {
        terms.node(id).for_each_part(|part| *uses.entry(part).or_default() += 1);
    }
    let mut texts: FxHashMap<TermId, String> = FxHashMap::default();
    for &id in &reachable {
        let text = match terms.node(id) {
            Node::Var(var) => names[var].clone(),
            node => write(terms, node, &|part| texts[&part].as_str()),
        };
        let is_leaf = matches!(terms.node(id), Node::Var(_) | Node::Bool(_) | Node::Bits(_));
        let is_shared = uses.get(&id).copied().unwrap_or(0) > 1 || text.len() > LONGEST;
        let text = if is_leaf || !is_shared {
            text
        } else {
            let _ = writeln!(out, "(define-fun {id} () {} {text})", sort(terms.sort(id)));
            id.to_string()
        };
        texts.insert(id, text);
    }
    for (i, assertion) in assertions.iter().enumerate() {
        let _ = writeln!(out, "(assert (! {} :named a{i}))", texts[assertion]);
    }
    out.push_str("(check-sat)\n");
    out
}

/// A name for each variable: its own, with its number where two share one. Quoted, since C names may be SMT-LIB's words.
fn names(terms: &Terms, vars: &[VarId]) -> FxHashMap<VarId, String> {
    let mut taken = FxHashSet::default();
    let mut names = FxHashMap::default();
    for &var in vars {
        let plain: String = terms.variable(var).name.chars().filter(|c| !matches!(c, '|' | '\\')).collect();
        let is_free = !is_reserved(&plain) && taken.insert(plain.clone());
        let name = if is_free { plain } else { format!("{plain}!{var}") };
        taken.insert(name.clone());
        names.insert(var, format!("|{name}|"));
    }
    names
}

/// Whether the text uses the name itself: for a definition, an assertion, or inside a term.
fn is_reserved(name: &str) -> bool {
    let mut chars = name.chars();
    let first = chars.next();
    let rest = chars.as_str();
    matches!(first, Some('t' | 'a' | 'b' | 'e' | 'f' | 'i' | 'r')) && rest.chars().all(|c| c.is_ascii_digit())
}

fn sort(sort: Sort) -> String {
    match sort {
        Sort::Bool => "Bool".to_owned(),
        Sort::Bits(width) => format!("(_ BitVec {width})"),
        Sort::Array { index, element } => format!("(Array (_ BitVec {index}) (_ BitVec {element}))"),
    }
}

fn shape(format: Format) -> String {
    let (exponent, significand) = super::term::format_shape(format);
    format!("{exponent} {significand}")
}

/// The float that bits are.
fn from_bits(format: Format, bits: &str) -> String {
    let shape = shape(format);
    if format != Format::X87 {
        return format!("((_ to_fp {shape}) {bits})");
    }
    // The integer bit goes; a normal number with the least exponent gets the next, and odd encodings are not numbers.
    format!(
        "(let ((b {bits})) (let ((e ((_ extract 78 64) b)) (i ((_ extract 63 63) b))) \
         (ite (and (distinct e #b000000000000000) (= i #b0)) (_ NaN {shape}) ((_ to_fp {shape}) (concat ((_ extract 79 79) b) \
         (ite (and (= e #b000000000000000) (= i #b1)) #b000000000000001 e) ((_ extract 62 0) b))))))"
    )
}

/// The bits of a float: a definition by its inverse is all that SMT-LIB has, and Z3's function is what is used.
fn to_bits(format: Format, float: &str, nan: Option<&str>) -> String {
    let plain = if format == Format::X87 {
        "(let ((b (fp.to_ieee_bv f))) (concat ((_ extract 78 63) b) \
         (ite (= ((_ extract 77 63) b) #b000000000000000) #b0 #b1) ((_ extract 62 0) b)))"
    } else {
        "(fp.to_ieee_bv f)"
    };
    match nan {
        Some(nan) => format!("(let ((f {float})) (ite (fp.isNaN f) {nan} {plain}))"),
        None => format!("(let ((f {float})) {plain})"),
    }
}

fn write<'a>(terms: &Terms, node: &Node, get: &dyn Fn(TermId) -> &'a str) -> String {
    let list = |word: &str, parts: &[TermId]| {
        let parts: Vec<&str> = parts.iter().map(|p| get(*p)).collect();
        format!("({word} {})", parts.join(" "))
    };
    let float = |format: Format, id: &TermId| from_bits(format, get(*id));
    match node {
        Node::Bool(truth) => truth.to_string(),
        Node::Bits(number) => number.to_string(),
        Node::Var(var) => panic!("{var} has a name"),
        Node::Not(a) => list("not", &[*a]),
        Node::And(parts) => list("and", parts),
        Node::Or(parts) => list("or", parts),
        Node::Ite(c, a, b) => list("ite", &[*c, *a, *b]),
        Node::Eq(a, b) => list("=", &[*a, *b]),
        Node::BitNot(a) => list("bvnot", &[*a]),
        Node::Neg(a) => list("bvneg", &[*a]),
        Node::Bit(op, a, b) => list(bit_word(*op), &[*a, *b]),
        Node::Compare(order, a, b) => {
            let word = match order {
                Order::ULt => "bvult",
                Order::ULe => "bvule",
                Order::SLt => "bvslt",
                Order::SLe => "bvsle",
            };
            list(word, &[*a, *b])
        }
        Node::Fits { op, signed, a, b } => {
            // In twice the width the result is exact.
            let width = terms.width(*a);
            let extend = if *signed { "sign_extend" } else { "zero_extend" };
            let wide = |x: &TermId| format!("((_ {extend} {}) {})", width + 1, get(*x));
            let word = bit_word(*op);
            format!(
                "(let ((r ({word} {} {}))) (= r ((_ {extend} {}) ((_ extract {} 0) r))))",
                wide(a),
                wide(b),
                width + 1,
                width - 1
            )
        }
        Node::Extract { high, low, of } => format!("((_ extract {high} {low}) {})", get(*of)),
        Node::Concat(a, b) => list("concat", &[*a, *b]),
        Node::Extend { signed, width, of } => {
            let word = if *signed { "sign_extend" } else { "zero_extend" };
            format!("((_ {word} {}) {})", width - terms.width(*of), get(*of))
        }
        Node::Float(op, format, [a, b, nan]) => {
            let word = match op {
                FloatOp::Add => "fp.add",
                FloatOp::Sub => "fp.sub",
                FloatOp::Mul => "fp.mul",
                FloatOp::Div => "fp.div",
            };
            let result = format!("({word} RNE {} {})", float(*format, a), float(*format, b));
            to_bits(*format, &result, Some(get(*nan)))
        }
        Node::FloatNeg(format, a) => {
            let sign = BitVec::new(format_width(*format), 1 << (format_width(*format) - 1));
            format!("(bvxor {} {sign})", get(*a))
        }
        Node::FloatCompare(order, format, a, b) => {
            let word = match order {
                FloatOrder::Eq => "fp.eq",
                FloatOrder::Lt => "fp.lt",
                FloatOrder::Le => "fp.leq",
            };
            format!("({word} {} {})", float(*format, a), float(*format, b))
        }
        Node::IsNan(format, a) => format!("(fp.isNaN {})", float(*format, a)),
        Node::FloatFromInt { format, signed, of } => {
            let word = if *signed { "to_fp" } else { "to_fp_unsigned" };
            to_bits(*format, &format!("((_ {word} {}) RNE {})", shape(*format), get(*of)), None)
        }
        Node::FloatToInt { format, signed, of, otherwise } => {
            let width = terms.width(*otherwise);
            let half = float::from_int(*format, false, &BitVec::new(128, 1 << (width - 1)));
            let (least, bound) = if *signed {
                (float::neg(&half), half)
            } else {
                let bound = float::binary(*format, FloatOp::Add, &half, &half).expect("numbers of one sign");
                (BitVec::zero(half.width()), bound)
            };
            let word = if *signed { "fp.to_sbv" } else { "fp.to_ubv" };
            let (least, bound) = (from_bits(*format, &least.to_string()), from_bits(*format, &bound.to_string()));
            format!(
                "(let ((f (fp.roundToIntegral RTZ {}))) (ite (and (not (fp.isNaN f)) (not (fp.isInfinite f)) \
                 (fp.geq f {least}) (fp.lt f {bound})) ((_ {word} {width}) RTZ f) {}))",
                float(*format, of),
                get(*otherwise)
            )
        }
        Node::FloatToFloat { from, to, of, nan } => {
            let result = format!("((_ to_fp {}) RNE {})", shape(*to), float(*from, of));
            to_bits(*to, &result, Some(get(*nan)))
        }
        Node::Select(array, index) => list("select", &[*array, *index]),
        Node::Store(array, index, element) => list("store", &[*array, *index, *element]),
        Node::Fill { index, element } => {
            let sort = sort(Sort::Array { index: *index, element: terms.width(*element) });
            format!("((as const {sort}) {})", get(*element))
        }
    }
}

fn bit_word(op: BitOp) -> &'static str {
    match op {
        BitOp::Add => "bvadd",
        BitOp::Sub => "bvsub",
        BitOp::Mul => "bvmul",
        BitOp::UDiv => "bvudiv",
        BitOp::SDiv => "bvsdiv",
        BitOp::URem => "bvurem",
        BitOp::SRem => "bvsrem",
        BitOp::And => "bvand",
        BitOp::Or => "bvor",
        BitOp::Xor => "bvxor",
        BitOp::Shl => "bvshl",
        BitOp::LShr => "bvlshr",
        BitOp::AShr => "bvashr",
    }
}
