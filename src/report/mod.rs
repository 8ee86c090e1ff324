//! What the user sees: graphs of the phases' results.

pub mod graph;
