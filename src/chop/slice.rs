//! Two-phase slices (Horwitz, Reps, Binkley 1990). Linear in the edges of the slice; each class of a call's actual-outs that
//! depend on the same actual-ins is passed once.

use super::Barriers;
use super::reach::{Direction, Level, Reach};
use crate::sdg::{NodeId, NodeSet, Sdg};

/// All that has a path to one of the criteria, these included.
pub fn backward(sdg: &Sdg, criteria: &[NodeId], barriers: &Barriers) -> NodeSet {
    Reach::new(sdg, barriers, criteria, Direction::Backward, Level::Any).all
}

/// All that one of the criteria has a path to, these included.
pub fn forward(sdg: &Sdg, criteria: &[NodeId], barriers: &Barriers) -> NodeSet {
    Reach::new(sdg, barriers, criteria, Direction::Forward, Level::Any).all
}
