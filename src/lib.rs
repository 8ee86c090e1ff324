//! flowcheck tells whether information can flow where it must not in a C program, and proves its answer.
//!
//! The modules in the order of the pipeline: each is a phase, a function from finished values to a finished value, and uses only
//! those above it.

pub mod base;
pub mod ir;
pub mod source;
