//! Where the program starts: `main`, or what the user names.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::super::syntax::{FuncId, Function, Linkage, Program};
use super::keep::function_at;
use super::symbols::{Base, Item, Strength};
use crate::error::UserError;
use crate::source::{Diagnostic, UnitId};

/// What the user chose.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// `NAME` or `FILE::NAME` each; none: `main`.
    pub entry: Vec<String>,
}

/// `FILE::NAME` in its parts.
fn parts(entry: &str) -> (Option<&str>, &str) {
    match entry.rsplit_once("::") {
        Some((file, name)) => (Some(file), name),
        None => (None, entry),
    }
}

/// Of `candidates`, those whose file the user means: the very path, or else every path that ends like it.
fn in_file<T: Copy>(candidates: &[T], path: impl Fn(T) -> PathBuf, file: &str) -> Vec<T> {
    let plain = Path::new(file.strip_prefix("./").unwrap_or(file));
    let strip = |p: &Path| p.strip_prefix("./").map_or_else(|_| p.to_path_buf(), Path::to_path_buf);
    let exact: Vec<T> = candidates.iter().copied().filter(|c| strip(&path(*c)) == plain).collect();
    if !exact.is_empty() {
        return exact;
    }
    candidates.iter().copied().filter(|c| path(*c).ends_with(plain)).collect()
}

/// Gives a name that a `FILE::NAME` chose to that file's definition; other definitions become internal.
pub(super) fn choose(
    units: &[Program],
    paths: &[PathBuf],
    base: &Base,
    items: &mut [Item<'_>],
    choice: &Choice,
) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut chosen: FxHashMap<&str, usize> = FxHashMap::default();
    for entry in &choice.entry {
        let (Some(file), name) = parts(entry) else { continue };
        let candidates: Vec<usize> = (0..items.len())
            .filter(|&i| items[i].defined && function_at(units, base, &items[i], i).name == name)
            .collect();
        let found = in_file(&candidates, |i| paths[items[i].unit].clone(), file);
        if let [one] = found.as_slice() {
            chosen.entry(name).or_insert(*one);
            continue;
        }
        let (message, listed) = if found.is_empty() {
            (format!("no file `{file}` defines a function `{name}`"), &candidates)
        } else {
            (format!("`{entry}` fits more than one file"), &found)
        };
        let mut error = super::without_place(message);
        for &i in listed {
            error = error.with_note(format!("`{}::{name}` is defined", paths[items[i].unit].display()));
        }
        errors.push(error);
    }
    for (i, item) in items.iter_mut().enumerate() {
        let name = function_at(units, base, item, i).name.as_str();
        if item.strength > Strength::Declared && chosen.get(name).is_some_and(|&c| c != i) {
            item.strength = Strength::Internal;
        }
    }
    errors
}

/// The functions where a linked program starts: those chosen; else `main`; else, in a library, every defined function that others
/// see. `path` tells a unit's file.
pub fn entries(program: &Program, path: &dyn Fn(UnitId) -> PathBuf, choice: &Choice) -> Result<Vec<FuncId>, UserError> {
    let visible = |f: &Function| match f.linkage {
        Linkage::External | Linkage::Weak => true,
        Linkage::Internal => false,
    };
    let all_visible = || program.bodies().filter(|(_, f, _)| visible(f)).map(|(id, _, _)| id);
    if choice.entry.is_empty() {
        if let Some(main) = all_visible().find(|id| program.functions[*id].name == "main") {
            return Ok(vec![main]);
        }
        let found: Vec<FuncId> = all_visible().collect();
        if found.is_empty() {
            let help = "name one with `--entry FUNCTION`; a static function is fine";
            return Err(UserError::usage("there is no `main` and no function that other files could call", help));
        }
        return Ok(found);
    }
    let mut chosen = Vec::new();
    for entry in &choice.entry {
        let (file, name) = parts(entry);
        let named: Vec<FuncId> = program.bodies().filter(|(_, f, _)| f.name == name).map(|(id, _, _)| id).collect();
        if named.is_empty() {
            return Err(undefined(program, name));
        }
        let candidates = match file {
            Some(file) => in_file(&named, |id| path(program.functions[id].place.unit), file),
            None => match named.iter().copied().find(|id| visible(&program.functions[*id])) {
                Some(one) => vec![one],
                None => named.clone(),
            },
        };
        match candidates.as_slice() {
            [one] if chosen.contains(one) => {}
            [one] => chosen.push(*one),
            _ => {
                let listed = if candidates.is_empty() { &named } else { &candidates };
                let files: Vec<String> = listed
                    .iter()
                    .map(|id| format!("{}::{name}", path(program.functions[*id].place.unit).display()))
                    .collect();
                let message = if candidates.is_empty() {
                    format!("no file `{}` defines a function `{name}`", file.unwrap_or_default())
                } else {
                    format!("`{entry}` fits more than one function")
                };
                return Err(UserError::usage(message, format!("these are defined: {}", files.join(", "))));
            }
        }
    }
    Ok(chosen)
}

fn undefined(program: &Program, name: &str) -> UserError {
    let mut near: Vec<(usize, &str)> = program
        .bodies()
        .map(|(_, f, _)| (distance(name, &f.name), f.name.as_str()))
        .filter(|(d, _)| *d <= (name.chars().count() / 3).max(2))
        .collect();
    near.sort_unstable();
    near.dedup();
    let help = match near.as_slice() {
        [] => "`--entry` takes the name of a function that the given files define".to_string(),
        near => {
            let names: Vec<String> = near.iter().take(3).map(|(_, n)| format!("`{n}`")).collect();
            format!("similar names that are defined: {}", names.join(", "))
        }
    };
    UserError::usage(format!("no function `{name}` is defined"), help)
}

/// How many letters to insert, drop or replace (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn a_file_is_meant_exactly_before_by_its_end() {
        let paths = [PathBuf::from("a.c"), PathBuf::from("sub/a.c"), PathBuf::from("sub/ba.c")];
        let find = |file| in_file(&[0, 1, 2], |i: usize| paths[i].clone(), file);
        assert_eq!(find("a.c"), [0]);
        assert_eq!(find("./a.c"), [0]);
        assert_eq!(find("sub/a.c"), [1]);
        assert_eq!(find("ba.c"), [2]);
        assert!(find("other/a.c").is_empty());
    }
}
