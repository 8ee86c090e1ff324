//! What the user names in a program, as nodes of its dependence graph.
//!
//! [`point()`] is for the command line's [`Point`]s. What it is made of serves any selector: files by path suffix and the nodes of their
//! lines ([`lines`]), variables with members and what defines or uses them ([`variable`]), functions and their calls ([`calls`]).
//!
//! Invariant: what is named and not there is a [`UserError`] with the nearest thing that is there; no selection is empty. Code that a macro made is
//! where the macro is used.
//!
//! Cost: a point is found by one walk over the nodes of the functions that it can be in; by line, over all nodes.

pub mod calls;
mod content;
pub mod lines;
mod members;
mod memory;
mod names;
mod objects;
pub mod places;
pub mod point;
mod regions;
mod registers;
mod sites;
mod statements;
pub mod variable;

#[cfg(test)]
mod tests;

pub use lines::Line;
pub use places::{Exception, Selected, Spot, places};
pub use point::Point;
pub use variable::Variable;

use crate::error::UserError;
use crate::ir::{Body, FuncId, InstKind, Program};
use crate::pointsto::PointsTo;
use crate::sdg::{Formal, NodeId, NodeKind, Sdg};
use crate::source::Sources;

/// The program to select in.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Its text.
    pub sources: &'a Sources,
    /// What it means.
    pub program: &'a Program,
    /// What its pointers point to, and whom its calls reach.
    pub points_to: &'a PointsTo,
    /// Its dependences.
    pub sdg: &'a Sdg,
}

/// What a selection is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Flows start there: what a variable is given, what a call brings back.
    Source,
    /// Flows end there: what a variable is given and what is made of it, what a call is given.
    Sink,
}

impl<'a> View<'a> {
    /// The body of a node's function.
    fn body(self, func: FuncId) -> &'a Body {
        self.program.functions[func].body.as_ref().expect("a function with nodes has a body")
    }
    /// The nodes of a function; none if no run comes to it.
    fn nodes_of(self, func: FuncId) -> impl Iterator<Item = NodeId> {
        self.sdg.procedure_of(func).into_iter().flat_map(move |proc| self.sdg.procedures()[proc].nodes())
    }
    /// Whether a node stands for C text. A join of a variable's versions does not: its place is that of the declaration. Nor does what a function
    /// gives, or the memory that it gets: their place is the function's head.
    pub fn is_written(self, node: NodeId) -> bool {
        match self.sdg.nodes()[node].kind {
            NodeKind::Inst(value) => !matches!(self.body(self.sdg.function(node)).insts[value].kind, InstKind::Phi(_)),
            NodeKind::FormalIn(formal) => matches!(formal, Formal::Param(_)),
            NodeKind::PhiOperand { .. } | NodeKind::MemoryPhi { .. } | NodeKind::Shared(_) | NodeKind::FormalOut(_) => {
                false
            }
            NodeKind::Entry
            | NodeKind::Predicate(_)
            | NodeKind::Return(_)
            | NodeKind::MemoryDef { .. }
            | NodeKind::ActualIn(..)
            | NodeKind::ActualOut(..)
            | NodeKind::Call(_) => true,
        }
    }
}

/// The nodes of a point, ascending.
pub fn point(view: View<'_>, point: &Point, role: Role) -> Result<Vec<NodeId>, UserError> {
    match point {
        Point::Line { file, line, variable: None } => lines::nodes(view, file, *line),
        Point::Line { file, line, variable: Some(name) } => {
            variable::on_line(view, &lines::nodes(view, file, *line)?, name)
                .map_err(|near| not_on_line(file, *line, name, &near))
        }
        Point::Variable { function, variable } => variable::in_function(view, function, variable, role),
        Point::Calls(function) => calls::nodes(view, function, role),
    }
}

fn not_on_line(file: &str, line: u32, name: &str, near: &[String]) -> UserError {
    let help = match near {
        [] => "no variable is defined or used there; `FILE:LINE` alone means all of the line".to_owned(),
        near => format!("variables there: {}", quoted(near)),
    };
    UserError::usage(format!("`{name}` is neither defined nor used on line {line} of {file}"), help)
}

/// Words for a list in a message.
fn quoted(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut words: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    if names.len() > SHOWN {
        words.push("…".to_owned());
    }
    words.join(", ")
}

/// The name that is written most alike, unless all are quite different.
fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |name: &str| strsim::damerau_levenshtein(name, wanted);
    // A letter or two have nothing to be alike by.
    let limit = match wanted.chars().count() {
        0..3 => 0,
        long => (long / 3).max(1),
    };
    names.filter(|name| !name.is_empty() && distance(name) <= limit).min_by_key(|name| (distance(name), *name))
}
