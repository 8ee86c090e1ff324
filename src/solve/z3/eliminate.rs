//! Variables eliminated from linear conditions, to show them solved for the rest.
//!
//! The numbers are read as integers without bounds: what comes out is equivalent for all values for which the formula's arithmetic
//! does not overflow. That is for people; no verdict rests on it.

use std::time::Duration;

use ::z3::ast::{Ast, Bool, Dynamic, Int, exists_const};
use ::z3::{DeclKind, Goal, Tactic};
use rustc_hash::FxHashMap;

use super::translate::name_of;
use crate::solve::number::BitVec;
use crate::solve::term::{BitOp, Node, Order, TermId, Terms, VarId};

/// What holds of the other variables if some values of `vars` make `formula` true. `None` if the formula is not linear, mixes
/// signed and unsigned comparisons, or the time is over.
pub fn eliminate(terms: &mut Terms, vars: &[VarId], formula: TermId, timeout: Duration) -> Option<TermId> {
    let signed = sign_of(terms, formula)?;
    let mut reader = Reader { terms, numbers: FxHashMap::default(), signed, variables: Vec::new() };
    let body = reader.formula(formula)?;
    let variables = reader.variables;
    let mut parts = vec![body];
    if !signed {
        parts.extend(variables.iter().map(|(_, number)| number.ge(0)));
    }
    let bound: Vec<Int> =
        variables.iter().filter(|(id, _)| is_among(terms, *id, vars)).map(|(_, n)| n.clone()).collect();
    let bound: Vec<&dyn Ast> = bound.iter().map(|n| n as &dyn Ast).collect();
    if bound.is_empty() {
        return Some(formula);
    }
    let goal = Goal::new(false, false, false);
    goal.assert(&exists_const(&bound, &[], &Bool::and(&parts)));
    let tactic = Tactic::new("qe").and_then(&Tactic::new("ctx-solver-simplify")).try_for(timeout);
    let result = tactic.apply(&goal, None).ok()?;
    let mut goals: Vec<Goal> = result.list_subgoals().collect();
    let goal = goals.pop().filter(|_| goals.is_empty())?;
    let names: FxHashMap<String, TermId> = variables.iter().map(|(id, _)| (name_in(terms, *id), *id)).collect();
    let width = variables.iter().map(|(id, _)| terms.width(*id)).max()?;
    let mut writer = Writer { terms, names, signed, width };
    let mut kept = Vec::new();
    for part in goal.get_formulas() {
        kept.push(writer.formula(&Dynamic::from_ast(&part))?);
    }
    Some(terms.and(&kept))
}

/// Whether the formula reads its numbers as signed; `None` if it does both. Where nothing tells, they are signed.
fn sign_of(terms: &Terms, formula: TermId) -> Option<bool> {
    let reading = |id: TermId| match terms.node(id) {
        Node::Compare(Order::SLt | Order::SLe, ..) => Some(true),
        Node::Compare(Order::ULt | Order::ULe, ..) => Some(false),
        Node::Extend { signed, .. } => Some(*signed),
        _ => None,
    };
    let readings: Vec<bool> = terms.reachable(&[formula]).into_iter().filter_map(reading).collect();
    let first = readings.first().copied().unwrap_or(true);
    readings.iter().all(|r| *r == first).then_some(first)
}

fn is_among(terms: &Terms, id: TermId, vars: &[VarId]) -> bool {
    matches!(terms.node(id), Node::Var(var) if vars.contains(var))
}

fn name_in(terms: &Terms, id: TermId) -> String {
    match terms.node(id) {
        Node::Var(var) => name_of(*var),
        _ => panic!("{id} is no variable"),
    }
}

/// From our terms to integers.
struct Reader<'a> {
    terms: &'a Terms,
    numbers: FxHashMap<TermId, Int>,
    /// How numbers are read.
    signed: bool,
    variables: Vec<(TermId, Int)>,
}

impl Reader<'_> {
    fn formula(&mut self, id: TermId) -> Option<Bool> {
        match self.terms.node(id) {
            Node::Bool(truth) => Some(Bool::from_bool(*truth)),
            Node::Not(a) => Some(self.formula(*a)?.not()),
            Node::And(parts) => Some(Bool::and(&self.formulas(parts)?)),
            Node::Or(parts) => Some(Bool::or(&self.formulas(parts)?)),
            Node::Eq(a, b) => Some(self.side(*a)?.eq(self.side(*b)?)),
            Node::Compare(order, a, b) => {
                let (a, b) = (self.side(*a)?, self.side(*b)?);
                Some(match order {
                    Order::ULt | Order::SLt => a.lt(b),
                    Order::ULe | Order::SLe => a.le(b),
                })
            }
            // No overflow is what this reading takes for granted.
            Node::Fits { .. } => Some(Bool::from_bool(true)),
            _ => None,
        }
    }
    fn formulas(&mut self, parts: &[TermId]) -> Option<Vec<Bool>> {
        parts.iter().map(|p| self.formula(*p)).collect()
    }
    /// A side of a comparison: a constant there is read as the comparison reads it.
    fn side(&mut self, id: TermId) -> Option<Int> {
        match self.terms.as_bits(id) {
            Some(number) if !self.signed => Some(Int::from_u128(number.to_u128()?)),
            Some(_) | None => self.number(id),
        }
    }
    fn number(&mut self, id: TermId) -> Option<Int> {
        if let Some(done) = self.numbers.get(&id) {
            return Some(done.clone());
        }
        let made = match self.terms.node(id) {
            // What is added has a sign: `x - 3` is kept as `x + (-3)`.
            Node::Bits(number) => Int::from_i128(number.to_i128()?),
            Node::Var(var) => {
                let made = Int::new_const(name_of(*var));
                self.variables.push((id, made.clone()));
                made
            }
            Node::Neg(a) => self.number(*a)?.unary_minus(),
            Node::Bit(BitOp::Add, a, b) => self.number(*a)? + self.number(*b)?,
            Node::Bit(BitOp::Sub, a, b) => self.number(*a)? - self.number(*b)?,
            Node::Bit(BitOp::Mul, a, b) if self.terms.is_constant(*b) => self.number(*a)? * self.number(*b)?,
            Node::Bit(BitOp::Shl, a, b) => {
                let count = self.terms.as_bits(*b)?.to_u128().filter(|n| *n < 63)?;
                self.number(*a)? * Int::from_u64(1 << count)
            }
            Node::Extend { of, .. } => self.number(*of)?,
            _ => return None,
        };
        self.numbers.insert(id, made.clone());
        Some(made)
    }
}

fn is_kind(ast: &Dynamic, kind: DeclKind) -> bool {
    ast.safe_decl().is_ok_and(|decl| decl.kind() == kind)
}

/// From integers back to our terms.
struct Writer<'a> {
    terms: &'a mut Terms,
    names: FxHashMap<String, TermId>,
    signed: bool,
    width: u32,
}

impl Writer<'_> {
    fn formula(&mut self, ast: &Dynamic) -> Option<TermId> {
        let kind = ast.safe_decl().ok()?.kind();
        let parts = ast.children();
        let order = |strict: bool, signed: bool| match (strict, signed) {
            (true, true) => Order::SLt,
            (false, true) => Order::SLe,
            (true, false) => Order::ULt,
            (false, false) => Order::ULe,
        };
        match (kind, parts.as_slice()) {
            (DeclKind::True, _) => Some(self.terms.bool(true)),
            (DeclKind::False, _) => Some(self.terms.bool(false)),
            (DeclKind::Not, [a]) => {
                let a = self.formula(a)?;
                Some(self.terms.not(a))
            }
            (DeclKind::And, parts) => {
                let parts: Option<Vec<TermId>> = parts.iter().map(|p| self.formula(p)).collect();
                Some(self.terms.and(&parts?))
            }
            (DeclKind::Or, parts) => {
                let parts: Option<Vec<TermId>> = parts.iter().map(|p| self.formula(p)).collect();
                Some(self.terms.or(&parts?))
            }
            // A remainder of 0 is the same whichever way the quotient is rounded; no other is.
            (DeclKind::Eq, [a, b] | [b, a]) if is_kind(a, DeclKind::Mod) && b.as_int()?.as_i64() == Some(0) => {
                let parts = a.children();
                let [x, k] = parts.as_slice() else { return None };
                let (x, k) = (self.number(x)?, self.number(k)?);
                self.terms.as_bits(k)?;
                let rest = self.terms.bit(if self.signed { BitOp::SRem } else { BitOp::URem }, x, k);
                let zero = self.terms.number(self.width, 0);
                Some(self.terms.eq(rest, zero))
            }
            (DeclKind::Eq, [a, b]) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                Some(self.terms.eq(a, b))
            }
            (DeclKind::Le, [a, b]) | (DeclKind::Ge, [b, a]) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                Some(self.terms.compare(order(false, self.signed), a, b))
            }
            (DeclKind::Lt, [a, b]) | (DeclKind::Gt, [b, a]) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                Some(self.terms.compare(order(true, self.signed), a, b))
            }
            _ => None,
        }
    }
    fn number(&mut self, ast: &Dynamic) -> Option<TermId> {
        let int = ast.as_int()?;
        if let Some(value) = int.as_i128() {
            let number = BitVec::signed(self.width, value);
            let back = if self.signed { number.to_i128() } else { number.to_u128().map(|n| n as i128) };
            return (back == Some(value)).then(|| self.terms.bits(number));
        }
        let decl = ast.safe_decl().ok()?;
        let parts = ast.children();
        match (decl.kind(), parts.as_slice()) {
            (DeclKind::Uninterpreted, []) => {
                let id = *self.names.get(&decl.name())?;
                Some(self.terms.extend(self.signed, self.width, id))
            }
            (DeclKind::Add, parts) => self.fold(BitOp::Add, parts),
            (DeclKind::Mul, parts) => self.fold(BitOp::Mul, parts),
            (DeclKind::Sub, parts) => self.fold(BitOp::Sub, parts),
            (DeclKind::Uminus, [a]) => {
                let a = self.number(a)?;
                Some(self.terms.neg(a))
            }
            _ => None,
        }
    }
    fn fold(&mut self, op: BitOp, parts: &[Dynamic]) -> Option<TermId> {
        let numbers: Option<Vec<TermId>> = parts.iter().map(|p| self.number(p)).collect();
        numbers?.into_iter().reduce(|a, b| self.terms.bit(op, a, b))
    }
}
