//! Path conditions: under which condition one statement can influence another.
//!
//! Now: [`engine`], the part that knows nothing of C.

pub mod engine;
