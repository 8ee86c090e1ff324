//! What is asked of the SMT solver, and the solver.
//!
//! [`term`] is the language of questions, [`encode`] what the IR's instructions mean in it, [`mod@eval`] what a term is worth,
//! [`show`] a term as C, [`arith`] as a formula over whole numbers, [`mod@smtlib`] as other solvers read it; [`z3`] answers.
//!
//! Invariant: nothing but [`z3`] and `version` names the `z3` crate, and no query is made with a library older than [`OLDEST`]:
//! an older one links, but numbers declaration kinds differently, so its terms would be read wrongly.

pub mod number;
pub mod term;
mod build;
mod float;
pub mod eval;
pub mod encode;
pub mod show;
pub mod arith;
pub mod smtlib;
mod version;
pub mod z3;

#[cfg(test)]
mod tests;

pub use eval::{Assignment, Value, eval};
pub use number::BitVec;
pub use term::{Sort, TermId, Terms, VarId};
pub use version::{OLDEST, Version, check_version, version};
pub use z3::{Answer, Budget, Interrupt, Session, Unknown, check};
