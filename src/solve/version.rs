//! Which Z3 this process runs with, and whether that is new enough.

use std::fmt;

use crate::error::UserError;

/// A version of the solver.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Version {
    /// The first number.
    pub major: u32,
    /// The second.
    pub minor: u32,
    /// The third.
    pub patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The oldest Z3 whose answers can be relied on.
pub const OLDEST: Version = Version { major: 4, minor: 13, patch: 3 };

/// The version of the Z3 that this process runs with.
pub fn version() -> Version {
    parse(::z3::full_version())
}

/// The version in Z3's own words, `Z3 5.4.0.0`: the binding gives no numbers. What cannot be read counts as 0.0.0, too old.
fn parse(words: &str) -> Version {
    let dotted = words.split_whitespace().find(|w| w.starts_with(|c: char| c.is_ascii_digit())).unwrap_or_default();
    let mut numbers = dotted.split('.').map(|n| n.parse().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    Version { major: next(), minor: next(), patch: next() }
}

/// Refuses a solver that is too old. Called before anything is analysed.
pub fn check_version() -> Result<(), UserError> {
    accept(version())
}

fn accept(found: Version) -> Result<(), UserError> {
    if found >= OLDEST {
        return Ok(());
    }
    Err(UserError::usage(
        format!("flowcheck runs with Z3 {found}, but needs Z3 {OLDEST} or newer"),
        "run `./dev setup` in flowcheck's folder, which fetches a newer libz3, and build again; or install a newer libz3",
    ))
}

#[cfg(test)]
mod tests {
    use super::{OLDEST, Version, accept, check_version, parse, version};

    #[test]
    fn the_linked_solver_is_new_enough_and_old_ones_are_refused() {
        check_version().expect("set-up brings a new one");
        assert!(version() >= OLDEST);
        accept(Version { major: 4, minor: 14, patch: 0 }).expect("newer by its second number");
        accept(OLDEST).expect("the oldest one itself");
        let old = accept(Version { major: 4, minor: 8, patch: 12 }).expect_err("what Debian 12 ships");
        assert!(old.to_string().contains("4.8.12") && old.to_string().contains("4.13.3"), "{old}");
    }

    #[test]
    fn versions_are_read_from_the_words() {
        assert_eq!(parse("Z3 4.13.3.0 build hash 1.2.3"), OLDEST);
        assert_eq!(parse("Z3").to_string(), "0.0.0");
    }

    /// The library computes with C's integers: x * 3 wraps to 1 in eight bits for x = 171 alone, and no x is both even and odd.
    #[test]
    fn bit_vectors_are_solved() {
        use ::z3::ast::BV;
        let solver = ::z3::Solver::new();
        let x = BV::new_const("x", 8);
        solver.assert((&x * BV::from_u64(3, 8)).eq(BV::from_u64(1, 8)));
        assert_eq!(solver.check(), ::z3::SatResult::Sat);
        let model = solver.get_model().expect("a model of a satisfiable query");
        assert_eq!(model.eval(&x, true).and_then(|v| v.as_u64()), Some(171));
        solver.assert((&x & BV::from_u64(1, 8)).eq(BV::from_u64(0, 8)));
        assert_eq!(solver.check(), ::z3::SatResult::Unsat);
    }
}
