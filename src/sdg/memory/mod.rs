//! Which memory each instruction reads and writes, grouped by what is always read and written together.
//!
//! [`accesses`] finds the cells of every access: of loads and stores from points-to, of calls without a body from their models. Cells that no access of
//! the program tells apart are one *class* ([`classes`]); cells that nobody writes are in none, as nothing flows through them. [`modref`] finds what
//! each function reads and writes with all it calls, and [`groups`] divides that for each function as finely as the function and its callees need it,
//! so that what always travels together is one node at every call. [`versions`] is memory SSA: which write each read sees.

pub mod accesses;
pub mod classes;
pub mod groups;
pub mod modref;
pub mod versions;

use crate::base::sparse::SparseSet;
use crate::define_id;

define_id!(/// Cells that are always read and written together.
    ClassId, "k");
define_id!(/// Classes that are always read and written together in one function.
    GroupId, "m");

/// A set of classes.
pub type Classes = SparseSet<ClassId>;
