//! The system dependence graph (Horwitz, Reps, Binkley 1990).
//!
//! One node per instruction, predicate, call, formal and actual parameter of every procedure, and an edge wherever one can
//! influence another directly ([`graph`], with [`control`] dependence, made by a [`SdgBuilder`]). What a call does between its actual-ins and its actual-outs
//! is in the [`summary`] of its callees.
//!
//! Invariant: [`verify`] holds; debug builds check it. If a statement can influence another, a realizable path leads from the
//! one to the other.

pub mod control;
pub mod graph;
pub mod memory;
mod builder;
mod build;
mod local;
pub mod summary;
pub mod verify;
pub mod print;
mod assumptions;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;

pub use assumptions::assumptions;
pub use build::{Options, build};
pub use builder::SdgBuilder;
pub use graph::*;
pub use summary::{Summaries, Summary};

pub(crate) use local::Local;
