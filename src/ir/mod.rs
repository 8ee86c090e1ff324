//! From C to a typed SSA program.
//!
//! [`lower`] parses each translation unit, lowers it ([`lower`] module), links the units ([`link`]), and brings every
//! function into SSA form ([`ssa`]). The result is a [`Program`], the only thing later phases read.

pub mod syntax;
pub mod types;

pub use syntax::*;
pub use types::*;
