//! Path conditions: under which condition one statement can influence another.
//!
//! [`values`] are the program's values as terms, [`execution`] says when something is executed, `facts` what is known of values in every execution, `cells` when a read sees a write, [`atoms`] makes formulas of terms, [`system`] is the condition
//! system of a chop over two runs, and [`engine`] solves it without knowing anything of C.

pub mod atoms;
mod calls;
mod carry;
mod cells;
pub mod channels;
pub mod engine;
pub mod execution;
mod facts;
pub mod leaves;
mod memory;
pub mod shape;
mod sure;
pub mod system;
pub mod values;
