//! What knows nothing of C: typed ids, tables indexed by them, graph algorithms, progress.

pub mod graph;
pub mod id;
pub mod parallel;
pub mod progress;

pub use id::IdVec;
