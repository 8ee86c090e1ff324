//! Z3's models as values of our variables, exact to the bit.

use std::collections::BTreeMap;

use ::z3::ast::{Array, Ast, BV, Dynamic};
use ::z3::{DeclKind, Model};

use super::translate::Translator;
use crate::solve::eval::{ArrayValue, Assignment, Value};
use crate::solve::number::BitVec;
use crate::solve::term::{Node, Sort, TermId, Terms};

/// The values of all variables in `roots`; `None` if one cannot be read.
pub(super) fn read(model: &Model, translator: &mut Translator, terms: &Terms, roots: &[TermId]) -> Option<Assignment> {
    let mut values = Assignment::new();
    for id in terms.reachable(roots) {
        if let Node::Var(var) = terms.node(id) {
            let value = model.eval(&translator.term(terms, id), true)?;
            values.set(*var, value_of(model, &value, terms.sort(id))?);
        }
    }
    Some(values)
}

fn value_of(model: &Model, value: &Dynamic, sort: Sort) -> Option<Value> {
    match sort {
        Sort::Bool => value.as_bool()?.as_bool().map(Value::Bool),
        Sort::Bits(_) => bits(&value.as_bv()?).map(Value::Bits),
        Sort::Array { .. } => array(model, value.as_array()?).map(Value::Array),
    }
}

/// A numeral. Z3 writes it out in full, whatever its width.
fn bits(value: &BV) -> Option<BitVec> {
    let text = value.to_string();
    match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
        (Some(digits), _) => BitVec::parse(16, digits),
        (None, Some(digits)) => BitVec::parse(2, digits),
        (None, None) => None,
    }
}

/// Stores upon an array of equal elements, or the graph of a function.
fn array(model: &Model, mut value: Array) -> Option<ArrayValue> {
    let mut stores = Vec::new();
    let otherwise = loop {
        if let Some(function) = value.as_array_func_decl() {
            let graph = model.get_func_interp(&function)?;
            for entry in graph.get_entries() {
                stores.push((bits(&entry.get_args().first()?.as_bv()?)?, bits(&entry.get_value().as_bv()?)?));
            }
            break bits(&graph.get_else()?.as_bv()?)?;
        }
        match value.safe_decl().ok()?.kind() {
            DeclKind::ConstArray => break bits(&value.nth_child(0)?.as_bv()?)?,
            DeclKind::Store => {
                stores.push((bits(&value.nth_child(1)?.as_bv()?)?, bits(&value.nth_child(2)?.as_bv()?)?));
                value = value.nth_child(0)?.as_array()?;
            }
            _ => return None,
        }
    };
    let mut array = ArrayValue { otherwise, cells: BTreeMap::new() };
    // The outermost store comes first and wins.
    for (index, element) in stores.into_iter().rev() {
        array.set(index, element);
    }
    Some(array)
}
