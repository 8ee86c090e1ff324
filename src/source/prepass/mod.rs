//! Makes preprocessed C readable for lang-c, which knows C11 and a part of GNU C.
//!
//! [`run`] lexes the text once (`tokens`) and walks over the tokens once with the structure of C in mind (`walk` and its
//! children): it knows which names are types, where declarations, declarators, statements and operands begin, and nothing else.
//! Where lang-c would stumble it overwrites tokens (`edits`), mostly in place, with what lang-c reads and lowering understands: the
//! markers listed at [`SideTable`]. What lang-c would misread in silence is made plain:
//! - A parameter that has the name of a type is not seen by lang-c in the function's body (`int f(int T) { return (T)-1; }` would be
//!   a cast): `sizeof(void(*)(int T));` at the start of the body enters the name, because lang-c leaks the parameters of abstract
//!   function declarators into the scope around. Where the user's code would leak a name so, the name is blanked.
//! - `typeof(T)` and `for (T *p; …)` are expressions to lang-c even if `T` is a type: an empty `__attribute__(())` says that it is one.
//!
//! Invariant: the text is changed only where lang-c cannot read it or would misread it, and no change loses meaning: attributes, for
//! one, are moved where they cannot stay, and blanked only on statements, labels and mere mentions of a tag. What cannot be
//! expressed is a [`Failure`] at its place. Text that is not C is left to lang-c to complain about; it never makes a panic here.
//!
//! Nesting is limited, because everything after this recurses: see [`MAX_NESTING`] and [`MAX_HEIGHT`].
//!
//! Cost: linear in the text, and in memory some 12 bytes for each token.

mod attributes;
mod declarations;
mod declarators;
mod edits;
mod expressions;
mod literals;
mod names;
mod pragmas;
mod records;
mod statements;
mod tokens;
mod walk;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use tokens::{Kind, Token};

pub use edits::OffsetMap;

use super::SideTable;

/// Brackets of any kind inside each other. lang-c keeps a copy of every bracketed expression, so that memory grows with the square of
/// this: at 1,000 some hundred megabytes for one expression that is nested so deeply.
pub const MAX_NESTING: usize = 1_000;

/// The height of a statement or an expression in the syntax tree, flat chains (`a + a + …`, `else if`, `case 1: case 2:`) included:
/// with a stack of 1 GiB, each level may take 50 KB in any phase that recurses.
pub const MAX_HEIGHT: usize = 20_000;

/// Text that lang-c can read.
#[derive(Debug)]
pub struct Prepared {
    /// The text.
    pub text: String,
    /// What is not in the text any more.
    pub side: SideTable,
    /// The way back to the preprocessor's output.
    pub map: OffsetMap,
}

/// A construct that flowcheck does not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Where, in the preprocessor's output.
    pub offset: u32,
    /// What is wrong.
    pub message: String,
}

impl Failure {
    fn new(offset: u32, message: impl Into<String>) -> Failure {
        Failure { offset, message: message.into() }
    }
}

/// lang-c tries `++` as two signs when what follows is no operand: in a row of prefixes each one doubles its work.
const MAX_STEPS: usize = 10;

fn check_steps(tokens: &[Token]) -> Result<(), Failure> {
    let mut steps = 0;
    for token in tokens {
        match token.kind {
            Kind::Step => steps += 1,
            Kind::Sign | Kind::Not | Kind::Amp | Kind::Star => {}
            _ => steps = 0,
        }
        if steps > MAX_STEPS {
            return Err(Failure::new(token.start, format!("more than {MAX_STEPS} `++` or `--` in a row")));
        }
    }
    Ok(())
}

/// Prepares the preprocessor's output for lang-c. Recurses up to [`MAX_NESTING`] deep: call it on a thread with a few megabytes of
/// stack, such as a worker of [`crate::base::parallel`].
pub fn run(text: &str) -> Result<Prepared, Failure> {
    if u32::try_from(text.len()).is_err() {
        return Err(Failure::new(0, "the preprocessed file is larger than 4 GB"));
    }
    let mut edits = edits::Edits::new(text);
    let (tokens, pragmas) = tokens::lex(text, &mut edits)?;
    check_steps(&tokens)?;
    let found = walk::walk(text, &tokens, &mut edits)?;
    let Some((text, map)) = edits.finish() else {
        return Err(Failure::new(0, "the prepared text is larger than 4 GB"));
    };
    let side = SideTable {
        asm_goto: found.asm_goto.into_iter().map(|(at, labels)| (map.prepared(at), labels)).collect(),
        top_asm: found.top_asm.into_iter().map(|(at, template)| (map.prepared(at), template)).collect(),
        pack: pragmas.pack.into_iter().map(|(at, limit)| (map.prepared(at), limit)).collect(),
        weak: pragmas.weak,
    };
    Ok(Prepared { text, side, map })
}

/// The name as the user wrote it, for one in the prepared text: labels of `__label__` have a number behind `__fc_`, and characters
/// that lang-c does not know are written `__fc_u<hexadecimal>_`.
pub fn c_name(name: &str) -> Cow<'_, str> {
    if !name.contains("__fc_") {
        return Cow::Borrowed(name);
    }
    let mut plain = String::with_capacity(name.len());
    let mut parts = name.split("__fc_");
    plain.extend(parts.next());
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let code = part.strip_prefix('u').and_then(|rest| rest.split_once('_'));
        let char = code.and_then(|(hex, _)| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
        match (char, code) {
            (Some(c), Some((_, rest))) => {
                plain.push(c);
                plain.push_str(rest);
            }
            _ if digits > 0 => plain.push_str(&part[digits..]),
            _ => {
                plain.push_str("__fc_");
                plain.push_str(part);
            }
        }
    }
    Cow::Owned(plain)
}
