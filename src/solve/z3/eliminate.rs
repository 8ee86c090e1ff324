//! Variables eliminated from formulas over whole numbers, to show them solved for the rest.
//!
//! Linear formulas are eliminated from as they are: what comes out is equivalent. With products of variables, numbers are taken for real ones, where a quadratic
//! equation can be solved: what comes out is implied. That is for people; no verdict rests on it.

use std::time::Duration;

use ::z3::ast::{Ast, Bool, Dynamic, Int, Real, exists_const};
use ::z3::{DeclKind, Goal, Params, Tactic};
use rustc_hash::FxHashMap;

use super::Interrupt;
use super::translate::name_of;
use crate::solve::arith::{Arith, Poly, Relation};
use crate::solve::term::{TermId, VarId};

/// What holds of the other variables if some values of `vars` make the formula true. `None` if the time is over, or if it cannot be said.
pub fn eliminate(formula: &Arith, vars: &[VarId], timeout: Duration, interrupt: &Interrupt) -> Option<Arith> {
    let linear = formula.is_linear();
    let mut names: FxHashMap<String, Name> = FxHashMap::default();
    let mut bound: Vec<Dynamic> = Vec::new();
    for var in formula.variables() {
        if vars.contains(&var) {
            bound.push(if linear { number(var).into() } else { real(var).into() });
        }
        names.insert(name_of(var), Name::Var(var));
    }
    if bound.is_empty() {
        return Some(formula.clone());
    }
    for term in formula.opaque() {
        names.insert(predicate(term), Name::Predicate(term));
    }
    let body = if linear { whole(formula) } else { reals(formula)? };
    let bound: Vec<&dyn Ast> = bound.iter().map(|var| var as &dyn Ast).collect();
    let goal = Goal::new(false, false, false);
    goal.assert(&exists_const(&bound, &[], &body));
    let tactic = if linear {
        Tactic::new("qe").and_then(&Tactic::new("ctx-solver-simplify"))
    } else {
        let mut params = Params::new();
        params.set_bool("qe_nonlinear", true);
        Tactic::new("qe").with(&params).and_then(&Tactic::new("simplify"))
    };
    let tactic = tactic.try_for(timeout);
    let result = interrupt.guard(|| tactic.apply(&goal, None)).ok()?;
    let mut goals: Vec<Goal> = result.list_subgoals().collect();
    let goal = goals.pop().filter(|_| goals.is_empty())?;
    let reader = Reader { names };
    let parts: Option<Vec<Arith>> =
        goal.get_formulas().iter().map(|part| reader.formula(&Dynamic::from_ast(part))).collect();
    parts.map(Arith::all)
}

/// What a constant of Z3's stands for.
#[derive(Clone, Copy)]
enum Name {
    Var(VarId),
    Predicate(TermId),
}

fn number(var: VarId) -> Int {
    Int::new_const(name_of(var))
}

fn real(var: VarId) -> Real {
    Real::new_const(name_of(var))
}

fn predicate(term: TermId) -> String {
    format!("p{term}")
}

/// A formula over whole numbers.
fn whole(formula: &Arith) -> Bool {
    let sum = |poly: &Poly| {
        let product = |(vars, factor): (&[VarId], i128)| {
            vars.iter().fold(Int::from_i128(factor), |product, var| product * number(*var))
        };
        poly.parts().map(product).fold(Int::from_i64(0), |sum, part| sum + part)
    };
    match formula {
        Arith::Compare(relation, poly) => {
            let sum = sum(poly);
            match relation {
                Relation::Equal => sum.eq(0),
                Relation::Differs => sum.eq(0).not(),
                Relation::AtLeast => sum.ge(0),
                Relation::Above => sum.gt(0),
            }
        }
        Arith::Divides(by, poly, positive) => {
            let divides = sum(poly).modulo(Int::from_i128(*by)).eq(0);
            if *positive { divides } else { divides.not() }
        }
        Arith::All(parts) => Bool::and(&parts.iter().map(whole).collect::<Vec<_>>()),
        Arith::Any(parts) => Bool::or(&parts.iter().map(whole).collect::<Vec<_>>()),
        Arith::Truth(_) | Arith::Opaque(..) => other(formula),
    }
}

/// A formula over real numbers; `None` with what only whole ones have.
fn reals(formula: &Arith) -> Option<Bool> {
    Some(match formula {
        Arith::Compare(relation, poly) => {
            let product = |(vars, factor): (&[VarId], i128)| {
                vars.iter().fold(Int::from_i128(factor).to_real(), |product, var| product * real(*var))
            };
            let zero = Real::from_rational(0, 1);
            let sum = poly.parts().map(product).fold(zero.clone(), |sum, part| sum + part);
            match relation {
                Relation::Equal => sum.eq(&zero),
                Relation::Differs => sum.eq(&zero).not(),
                Relation::AtLeast => sum.ge(&zero),
                Relation::Above => sum.gt(&zero),
            }
        }
        Arith::Divides(..) => return None,
        Arith::All(parts) => Bool::and(&parts.iter().map(reals).collect::<Option<Vec<_>>>()?),
        Arith::Any(parts) => Bool::or(&parts.iter().map(reals).collect::<Option<Vec<_>>>()?),
        Arith::Truth(_) | Arith::Opaque(..) => other(formula),
    })
}

fn other(formula: &Arith) -> Bool {
    match formula {
        Arith::Truth(truth) => Bool::from_bool(*truth),
        Arith::Opaque(term, positive) => {
            let this = Bool::new_const(predicate(*term));
            if *positive { this } else { this.not() }
        }
        Arith::Compare(..) | Arith::Divides(..) | Arith::All(_) | Arith::Any(_) => panic!("{formula:?} has parts"),
    }
}

/// From Z3's formulas to ours.
struct Reader {
    names: FxHashMap<String, Name>,
}

impl Reader {
    fn formula(&self, ast: &Dynamic) -> Option<Arith> {
        let kind = ast.safe_decl().ok()?.kind();
        let parts = ast.children();
        let compare = |relation: Relation, a: &Dynamic, b: &Dynamic| {
            let difference = self.number(a)?.plus(&self.number(b)?.negated())?;
            Some(Arith::compare(relation, difference))
        };
        match (kind, parts.as_slice()) {
            (DeclKind::True, _) => Some(Arith::Truth(true)),
            (DeclKind::False, _) => Some(Arith::Truth(false)),
            (DeclKind::Not, [a]) => Some(self.formula(a)?.negated()),
            (DeclKind::And, parts) => self.formulas(parts).map(Arith::all),
            (DeclKind::Or, parts) => self.formulas(parts).map(Arith::any),
            (DeclKind::Uninterpreted, []) => match self.names.get(&ast.safe_decl().ok()?.name())? {
                Name::Predicate(term) => Some(Arith::Opaque(*term, true)),
                Name::Var(_) => None,
            },
            // A remainder of 0 is the same whichever way the quotient is rounded; no other is.
            (DeclKind::Eq, [a, b] | [b, a]) if is_kind(a, DeclKind::Mod) => {
                let parts = a.children();
                let [x, by] = parts.as_slice() else { return None };
                let (x, by) = (self.number(x)?, self.number(by)?.as_number()?);
                let rest = self.number(b)?.as_number()?;
                Some(Arith::Divides(by, x.plus(&Poly::number(-rest))?, true)).filter(|_| by > 1)
            }
            (DeclKind::Eq, [a, b]) if a.as_bool().is_none() => compare(Relation::Equal, a, b),
            (DeclKind::Le, [a, b]) | (DeclKind::Ge, [b, a]) => compare(Relation::AtLeast, b, a),
            (DeclKind::Lt, [a, b]) | (DeclKind::Gt, [b, a]) => compare(Relation::Above, b, a),
            _ => None,
        }
    }
    fn formulas(&self, parts: &[Dynamic]) -> Option<Vec<Arith>> {
        parts.iter().map(|part| self.formula(part)).collect()
    }
    fn number(&self, ast: &Dynamic) -> Option<Poly> {
        let constant = match (ast.as_int(), ast.as_real()) {
            (Some(int), _) => int.as_i128(),
            (None, Some(real)) => match real.as_rational() {
                Some((value, 1)) => Some(i128::from(value)),
                Some(_) => return None,
                None => None,
            },
            (None, None) => return None,
        };
        if let Some(value) = constant {
            return Some(Poly::number(value));
        }
        let decl = ast.safe_decl().ok()?;
        let parts = ast.children();
        let numbers = || parts.iter().map(|part| self.number(part)).collect::<Option<Vec<Poly>>>();
        match (decl.kind(), parts.as_slice()) {
            (DeclKind::Uninterpreted, []) => match self.names.get(&decl.name())? {
                Name::Var(var) => Some(Poly::var(*var)),
                Name::Predicate(_) => None,
            },
            (DeclKind::Add, _) => numbers()?.iter().try_fold(Poly::default(), |sum, part| sum.plus(part)),
            (DeclKind::Mul, _) => numbers()?.iter().try_fold(Poly::number(1), |product, part| product.times(part)),
            (DeclKind::Sub, [_, ..]) => {
                let numbers = numbers()?;
                numbers[1..].iter().try_fold(numbers[0].clone(), |rest, part| rest.plus(&part.negated()))
            }
            (DeclKind::Uminus, [_]) => numbers()?.first().map(Poly::negated),
            (DeclKind::ToReal, [a]) => self.number(a),
            _ => None,
        }
    }
}

fn is_kind(ast: &Dynamic, kind: DeclKind) -> bool {
    ast.safe_decl().is_ok_and(|decl| decl.kind() == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::arith::{Reading, text};
    use crate::solve::term::{BitOp, Node, Order, Sort, Terms};

    /// Variables `a`, `b`, `c` and so on of 32 bits with a sign, but `c` of 8 bits without.
    fn variables<const N: usize>(terms: &mut Terms) -> [TermId; N] {
        std::array::from_fn(|key| terms.var(key as u32, Sort::Bits(if key == 2 { 8 } else { 32 }), ""))
    }
    fn var(terms: &Terms, id: TermId) -> VarId {
        let Node::Var(var) = terms.node(id) else { panic!("{id} is no variable") };
        *var
    }
    fn is_signed(terms: &Terms, var: VarId) -> bool {
        terms.variable(var).key != Some(2)
    }
    /// The conjunction of the terms without these variables, and whether nothing was left out when it was read.
    fn solved(terms: &Terms, parts: &[TermId], without: &[TermId], fits: bool) -> (Arith, bool) {
        let gone: Vec<VarId> = without.iter().map(|id| var(terms, *id)).collect();
        let signed = |var: VarId| Some(is_signed(terms, var));
        let (fits, goes) = (|_| fits, |var: VarId| gone.contains(&var));
        let reading = Reading { terms, signed: &signed, fits: &fits, goes: &goes };
        let read: Vec<(Arith, bool)> = parts.iter().map(|part| reading.literal(*part, true)).collect();
        let exact = read.iter().all(|(_, exact)| *exact);
        let mut all: Vec<Arith> = read.into_iter().map(|(formula, _)| formula).collect();
        all.extend(gone.iter().map(|var| reading.limits(*var)));
        let found = eliminate(&Arith::all(all), &gone, Duration::from_secs(20), &Interrupt::new());
        (found.expect("it can be eliminated"), exact)
    }
    fn shown(terms: &Terms, formula: &Arith) -> String {
        let names = |var: VarId| {
            let key = terms.variable(var).key? as u8;
            Some(char::from(b'a' + key).to_string())
        };
        text(formula, &names, &|_, positive| Some(if positive { "p" } else { "!p" }.to_owned())).expect("names")
    }

    #[test]
    fn a_linear_condition_is_solved_for_the_other_variable() {
        let mut t = Terms::new();
        let [i, j] = variables(&mut t);
        let [ten, three, two, other] = [10, 3, 2, 42].map(|n| t.number(32, n));
        let large = t.compare(Order::SLt, ten, i);
        let (left, twice) = (t.bit(BitOp::Add, i, three), t.bit(BitOp::Mul, two, j));
        let right = t.bit(BitOp::Sub, twice, other);
        let equal = t.eq(left, right);
        // i > 10 and i + 3 = 2j - 42: 2j - 45 > 10, so 2j > 55.
        let (found, exact) = solved(&t, &[large, equal], &[i], true);
        assert_eq!((shown(&t, &found).as_str(), exact), ("b >= 28", true));
        // i is 2j - 45 and all of that.
        let (found, _) = solved(&t, &[equal], &[j], true);
        assert!(found.holds(&|_| 11, &|_| true) && !found.holds(&|_| 12, &|_| true), "i is odd: {found:?}");
        // Where sums wrap, the equation is not one of whole numbers, and says nothing here.
        let (found, exact) = solved(&t, &[large, equal], &[i], false);
        assert_eq!((found, exact), (Arith::Truth(true), false));
        // What is not about i stays as it is.
        let masked = t.bit(BitOp::And, j, ten);
        let zero = t.number(32, 0);
        let clear = t.eq(masked, zero);
        let (found, exact) = solved(&t, &[large, equal, clear], &[i], true);
        assert!(exact);
        assert!(["b >= 28 && p", "p && b >= 28"].contains(&shown(&t, &found).as_str()), "{found:?}");
        let triple = t.bit(BitOp::Mul, i, three);
        let multiple = t.eq(triple, j);
        let (found, _) = solved(&t, &[multiple], &[i], true);
        assert_eq!(shown(&t, &found), "b % 3 == 0");
    }

    #[test]
    fn numbers_are_read_as_their_types_say() {
        let mut t = Terms::new();
        let [i, j, c] = variables(&mut t);
        // i = (int)c, with an unsigned char: no name is needed for what it can be.
        let wide = t.extend(false, 32, c);
        let equal = t.eq(i, wide);
        let (found, exact) = solved(&t, &[equal], &[c], false);
        assert!(exact);
        for (value, expected) in [(-1, false), (0, true), (255, true), (256, false)] {
            assert_eq!(found.holds(&|_| value, &|_| true), expected, "{value} in {found:?}");
        }
        // Two bytes cannot overflow, whatever the policy says: c + 3 = i gives 3..258.
        let three = t.number(32, 3);
        let sum = t.bit(BitOp::Add, wide, three);
        let equal = t.eq(i, sum);
        let (found, exact) = solved(&t, &[equal], &[c], false);
        assert!(exact);
        for (value, expected) in [(2, false), (3, true), (258, true), (259, false)] {
            assert_eq!(found.holds(&|_| value, &|_| true), expected, "{value} in {found:?}");
        }
        // The order of bits of numbers with a sign is not theirs.
        let below = t.compare(Order::ULt, i, j);
        assert_eq!(solved(&t, &[below], &[i], true), (Arith::Truth(true), false));
    }

    #[test]
    fn a_quadratic_equation_has_the_textbook_solution() {
        let mut t = Terms::new();
        let [a, b, _, x] = variables(&mut t);
        let [zero, one] = [0, 1].map(|n| t.number(32, n));
        let square = t.bit(BitOp::Mul, x, x);
        let (first, second) = (t.bit(BitOp::Mul, a, square), t.bit(BitOp::Mul, b, x));
        let sum = t.bit(BitOp::Add, first, second);
        let sum = t.bit(BitOp::Add, sum, one);
        let equation = t.eq(sum, zero);
        let (found, exact) = solved(&t, &[equation], &[x], true);
        assert!(exact);
        let a = var(&t, a);
        for p in -9..=9 {
            for q in -9..=9 {
                let values = |var: VarId| if var == a { p } else { q };
                let expected = (p != 0 && q * q - 4 * p >= 0) || (p == 0 && q != 0);
                assert_eq!(found.holds(&values, &|_| true), expected, "a = {p}, b = {q} in {found:?}");
            }
        }
        let words = shown(&t, &found);
        assert!(words.len() < 60, "as simple as the textbook has it: {words}");
    }
}
