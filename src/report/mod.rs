//! What the user sees: graphs of the phases' results, slices and chops, and what pointers may point to.

pub mod graph;
pub mod listing;
pub mod pointers;
mod words;
