//! Checks that a program is what [`super::syntax`] says it is. Debug builds run it after each phase; an error is a bug in flowcheck,
//! never in the user's program.
//!
//! Types are compared by id. Three things are allowed to differ, because C's declarations of one symbol need not agree,
//! within a unit (`int a[]; … int a[10];`) or between linked ones:
//! - the address of a global or a function may stand for a pointer of any type;
//! - the arguments and the result of a direct call may differ from the callee's type: a function may be called before its prototype
//!   is seen, or by a declaration that does not agree;
//! - a function that returns a value may return without one (falling off its end is undefined only if the value is used).
//!
//! Near linear.

mod body;
mod globals;
mod types;

#[cfg(test)]
mod tests;

use super::syntax::Program;

/// Which form is checked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Lowered,
    Ssa,
}

/// Checks a program in lowered form, every body cleaned. The error names function, block and instruction.
pub fn lowered(program: &Program) -> Result<(), String> {
    check(program, Form::Lowered)
}

/// Checks a program in SSA form.
pub fn ssa(program: &Program) -> Result<(), String> {
    check(program, Form::Ssa)
}

fn check(program: &Program, form: Form) -> Result<(), String> {
    globals::check(program)?;
    for (_, function, body) in program.bodies() {
        body::check(program, function, body, form).map_err(|e| format!("function {}, {e}", function.name))?;
    }
    Ok(())
}

/// `Err` of the message unless the condition holds.
fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}
