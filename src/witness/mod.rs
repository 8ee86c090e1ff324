//! Decides whether one place can influence another: the abstract condition first, then the exact formula of candidate paths.
//!
//! Invariant: [`Status::Infeasible`] and [`Status::NoPath`] are proved; [`Status::Violation`] has a solved path; every limit ends in
//! [`Status::Unknown`].

pub mod decision;

pub use decision::{
    Atom, Decision, Evaluation, Input, Kind, Limits, Question, Run, Setting, Shown, Statistics, Status, Step, Witness,
};

use crate::solve::z3::Interrupt;

/// Decides one question. Stops soon after `stop` is set.
pub fn decide(_setting: &Setting<'_>, _question: &Question<'_>, _limits: &Limits, _stop: &Interrupt) -> Decision {
    Decision::unknown("path conditions are not built yet")
}
