//! What the user sees: the result of a check, graphs of the phases' results, slices and chops, and what pointers may point to.

pub mod check;
pub mod graph;
pub mod listing;
pub mod pointers;
mod words;
