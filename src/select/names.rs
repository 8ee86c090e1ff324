//! What the names of a policy mean in the program: files, functions, variables.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::places::{Finder, Miss};
use super::variable::Root;
use super::{nearest, quoted};
use crate::ir::FuncId;
use crate::policy::pattern::{FilePattern, FunctionPattern, VariablePattern};

/// The files of the program that a pattern fits.
pub(super) fn files(finder: &Finder<'_>, pattern: &FilePattern) -> Result<Vec<PathBuf>, Miss> {
    let all = all_files(finder);
    let found: Vec<PathBuf> = all.iter().filter(|file| pattern.matches(file)).cloned().collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let last = pattern.text().rsplit('/').next().unwrap_or_default();
    let names: Vec<String> =
        all.iter().filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned())).collect();
    let help = match nearest(last, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("files with code: {}", shown(&all)),
    };
    Err(Miss::new(format!("no file of this program fits `{pattern}`"), help))
}

/// The files that have functions.
pub(super) fn all_files(finder: &Finder<'_>) -> Vec<PathBuf> {
    let bodies = finder.view.program.bodies();
    let all: BTreeSet<PathBuf> = bodies.map(|(_, f, _)| finder.view.sources.locate(f.place).file).collect();
    all.into_iter().collect()
}

fn shown(files: &[PathBuf]) -> String {
    quoted(&files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>())
}

/// The functions that a pattern fits, with and without body.
pub(super) fn functions(finder: &Finder<'_>, pattern: &FunctionPattern) -> Result<Vec<FuncId>, Miss> {
    let program = finder.view.program;
    let named: Vec<FuncId> =
        program.functions.enumerate().filter(|(_, f)| pattern.name.matches(&f.name)).map(|(id, _)| id).collect();
    if named.is_empty() {
        let name = pattern.name.text();
        let help = match nearest(name, program.functions.iter().map(|f| f.name.as_str())) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`flowcheck graph --kind callgraph` shows all functions".to_owned(),
        };
        return Err(Miss::new(format!("there is no function `{name}` in this program"), help));
    }
    let Some(file) = &pattern.file else { return Ok(named) };
    let place = |func: FuncId| finder.view.sources.locate(program.functions[func].place).file;
    let found: Vec<FuncId> = named.iter().copied().filter(|func| file.matches(&place(*func))).collect();
    if found.is_empty() {
        let mut places: Vec<PathBuf> = named.iter().map(|func| place(*func)).collect();
        places.sort_unstable();
        places.dedup();
        let message = format!("there is no function `{}` in `{file}`", pattern.name);
        return Err(Miss::new(message, format!("it is in {}", shown(&places))));
    }
    Ok(found)
}

/// The variables that a pattern fits, each with the function that it belongs to.
pub(super) fn variables(finder: &Finder<'_>, pattern: &VariablePattern) -> Result<Vec<(Option<FuncId>, Root)>, Miss> {
    let program = finder.view.program;
    let in_file =
        |place| pattern.file.as_ref().is_none_or(|file| file.matches(&finder.view.sources.locate(place).file));
    let Some(function) = &pattern.function else {
        let globals = || program.globals.enumerate().filter(|(_, g)| g.owner.is_none() && !g.name.starts_with('.'));
        let fits = globals().filter(|(_, g)| pattern.name.matches(&g.name) && in_file(g.place));
        let found: Vec<_> = fits.map(|(id, _)| (None, Root::Global(id))).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let name = pattern.name.text();
        let own = |f: FuncId| locals(finder, f).into_iter().any(|(_, own)| own == name);
        let owner = program.functions.ids().find(|f| own(*f));
        let help = match (owner, nearest(name, globals().map(|(_, g)| g.name.as_str()))) {
            (Some(owner), _) => {
                format!("a variable of a function is named with it: `{}::{name}`", program.functions[owner].name)
            }
            (None, Some(near)) => format!("did you mean `{near}`?"),
            (None, None) => "write `NAME`, `FILE::NAME` or `FUNCTION::NAME`".to_owned(),
        };
        let place = pattern.file.as_ref().map_or("this program".to_owned(), |file| format!("`{file}`"));
        return Err(Miss::new(format!("there is no variable `{name}` in {place}"), help));
    };
    let pattern_of = FunctionPattern { file: pattern.file.clone(), name: function.clone() };
    let functions = functions(finder, &pattern_of)?;
    let mut found = Vec::new();
    let mut names: Vec<String> = Vec::new();
    for func in functions {
        for (root, name) in locals(finder, func) {
            if pattern.name.matches(&name) {
                found.push((Some(func), root));
            }
            names.push(name);
        }
    }
    if found.is_empty() {
        let name = pattern.name.text();
        names.sort_unstable();
        names.dedup();
        let help = match nearest(name, names.iter().map(String::as_str)) {
            _ if program.globals.iter().any(|g| g.owner.is_none() && pattern.name.matches(&g.name)) => {
                format!("`{name}` belongs to the whole program: write it without a function")
            }
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "it has no variables".to_owned(),
            None => format!("its variables: {}", quoted(&names)),
        };
        return Err(Miss::new(format!("`{function}` has no variable `{name}`"), help));
    }
    Ok(found)
}

/// The variables of a function with their names.
pub(super) fn locals(finder: &Finder<'_>, func: FuncId) -> Vec<(Root, String)> {
    let program = finder.view.program;
    let Some(body) = &program.functions[func].body else { return Vec::new() };
    let locals = body.locals.enumerate().filter(|(_, l)| !l.name.is_empty());
    let locals = locals.map(|(id, l)| (Root::Local(id), l.name.clone()));
    let statics = super::variable::statics(program, func).map(|(id, name)| (Root::Global(id), name.to_owned()));
    locals.chain(statics).collect()
}
