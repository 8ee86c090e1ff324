//! Path conditions: under which condition one statement can influence another.
//!
//! [`values`] are the program's values as terms, [`execution`] says when something is executed, [`atoms`] makes formulas of terms, [`system`] is the condition
//! system of a chop over two runs, and [`engine`] solves it without knowing anything of C.

pub mod atoms;
pub mod channels;
pub mod engine;
pub mod execution;
pub mod leaves;
mod memory;
pub mod shape;
pub mod system;
pub mod values;
