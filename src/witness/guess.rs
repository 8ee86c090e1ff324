//! Witnesses of formulas that are too hard for the solver: with plain numbers for what makes them hard.
//!
//! Products and quotients of two values, and arithmetic with floats, take the solver long, most of all to find numbers that fit by chance. Where it gives up, the values
//! that such operations depend on are tried as 0 and 1, which leaves the rest easy. A model of that is one of the formula; that there is none says nothing.

use crate::pathcond::leaves::{LeafKind, Run};
use crate::pathcond::values::Values;
use crate::solve::eval::Assignment;
use crate::solve::number::BitVec;
use crate::solve::term::{BitOp, Node, Sort, TermId, VarId};
use crate::solve::z3::{self, Answer, Budget};

/// Values that are tried, at most: with more of them nothing is left to the solver.
const MOST: usize = 60;

/// A model of the formula, if plain numbers are one; `apart` as in [`z3::check_lazily`].
pub fn model(values: &mut Values<'_>, formula: &[TermId], apart: &[TermId], budget: &Budget) -> Option<Assignment> {
    let hard = hard(values, formula);
    if hard.is_empty() || hard.len() > MOST {
        return None;
    }
    // What the runs do not share may have to differ.
    for [first, second] in [[1, 0], [0, 1], [1, 1]] {
        let mut asked = formula.to_vec();
        for (var, float) in &hard {
            let leaf = values.leaves.of(&values.terms, *var)?;
            let one = if leaf.run == Some(Run::B) { second } else { first } == 1;
            let Sort::Bits(width) = values.terms.variable(*var).sort else { continue };
            let bits = match (one, *float, width) {
                (false, ..) => 0,
                (true, true, 32) => u128::from(1f32.to_bits()),
                (true, true, 64) => u128::from(1f64.to_bits()),
                (true, ..) => 1,
            };
            let key = values.terms.variable(*var).key?;
            let term = values.terms.var(key, Sort::Bits(width), "");
            let number = values.terms.bits(BitVec::new(width, bits));
            asked.push(values.terms.eq(term, number));
        }
        if let Answer::Sat(model) = z3::check_lazily(&mut asked, apart, &values.terms, budget) {
            return Some(model);
        }
    }
    None
}

/// The values that hard operations depend on, and whether as floats.
fn hard(values: &Values<'_>, formula: &[TermId]) -> Vec<(VarId, bool)> {
    let terms = &values.terms;
    let (mut floats, mut integers): (Vec<TermId>, Vec<TermId>) = (Vec::new(), Vec::new());
    for id in terms.reachable(formula) {
        match terms.node(id) {
            Node::Float(..)
            | Node::FloatCompare(..)
            | Node::FloatToInt { .. }
            | Node::FloatToFloat { .. }
            | Node::IsNan(..) => terms.node(id).for_each_part(|part| floats.push(part)),
            Node::FloatFromInt { of, .. } => integers.push(*of),
            Node::Bit(BitOp::Mul | BitOp::UDiv | BitOp::SDiv | BitOp::URem | BitOp::SRem, a, b)
                if !terms.is_constant(*a) && !terms.is_constant(*b) =>
            {
                integers.extend([*a, *b]);
            }
            _ => {}
        }
    }
    let is_value = |var: &VarId| {
        let leaf = values.leaves.of(terms, *var);
        leaf.is_some_and(|leaf| !matches!(leaf.kind, LeafKind::Address(_) | LeafKind::Cell(_)))
    };
    let floats = terms.variables_of(&floats).into_iter().map(|var| (var, true));
    let mut found: Vec<(VarId, bool)> = floats.collect();
    for var in terms.variables_of(&integers) {
        if !found.iter().any(|(known, _)| *known == var) {
            found.push((var, false));
        }
    }
    found.retain(|(var, _)| is_value(var));
    found
}
