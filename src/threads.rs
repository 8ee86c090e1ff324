//! What runs beside the program without being started by it: interrupt handlers by their attribute, and what the policy names.
//!
//! Invariant: the functions have a body, and each is there once; an entry of the policy that names none is an error at its place.
//!
//! Cost: linear in the functions, for each entry of the policy.

use crate::error::UserError;
use crate::ir::{FuncId, Function, Program};
use crate::policy::Policy;
use crate::policy::pattern::FunctionPattern;
use crate::source::Sources;

/// The functions that run beside the program, ascending.
pub fn beside(sources: &Sources, program: &Program, policy: &Policy) -> Result<Vec<FuncId>, UserError> {
    let mut found: Vec<FuncId> = program.bodies().filter(|(_, f, _)| f.interrupt).map(|(id, _, _)| id).collect();
    for entry in policy.threads.iter().flat_map(|thread| &thread.entry) {
        let named = named(sources, program, &entry.value);
        if named.is_empty() {
            let message = format!("no function `{}` is defined in this program", policy.origin.text(entry.at));
            let help = "`entry` names a function of the program, or the macro at its definition: `ISR(USART_RX_vect)` is \
                        `USART_RX_vect`";
            return Err(policy.origin.error(entry.at, &message, "it cannot run beside the program", help));
        }
        found.extend(named);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The names of functions that the policy has run beside the program, globs aside: a static one stays though nothing refers to it.
pub fn names(policy: &Policy) -> Vec<String> {
    let patterns = policy.threads.iter().flat_map(|thread| &thread.entry).map(|entry| &entry.value.name);
    patterns.filter(|name| !name.is_glob()).map(|name| name.text().to_owned()).collect()
}

/// The functions that a pattern means: by their names or else, where a macro made the name, by a word at the definition.
fn named(sources: &Sources, program: &Program, pattern: &FunctionPattern) -> Vec<FuncId> {
    let in_file = |f: &Function| pattern.file.as_ref().is_none_or(|file| file.matches(&sources.locate(f.place).file));
    let all = |fits: &dyn Fn(&Function) -> bool| -> Vec<FuncId> {
        program.bodies().filter(|(_, f, _)| fits(f) && in_file(f)).map(|(id, _, _)| id).collect()
    };
    let by_name = all(&|f| pattern.name.matches(&f.name));
    if !by_name.is_empty() {
        return by_name;
    }
    all(&|f| {
        let words = words_at_definition(sources, f);
        !words.iter().any(|word| *word == f.name) && words.iter().any(|word| pattern.name.matches(word))
    })
}

/// The words of the line where a function is defined, as the user wrote it.
fn words_at_definition<'a>(sources: &'a Sources, function: &Function) -> Vec<&'a str> {
    let at = sources.locate(function.place);
    let line = sources.files.line(&at.file, at.line).unwrap_or("");
    let end = if at.end_line == at.line { at.end_column as usize - 1 } else { line.len() };
    let text = line.get(at.column as usize - 1..end.min(line.len())).unwrap_or("");
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}
