//! What knows nothing of C: typed ids, tables indexed by them, bit sets, graph algorithms, progress.

pub mod bits;
pub mod graph;
pub mod id;
pub mod parallel;
pub mod progress;
pub mod sparse;

pub use id::IdVec;
