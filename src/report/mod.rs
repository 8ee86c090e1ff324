//! What the user sees: the result of a check, and graphs of the phases' results.

pub mod check;
pub mod graph;
