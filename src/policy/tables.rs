//! The tables of a policy.

use std::path::PathBuf;

use globset::GlobBuilder;
use rustc_hash::FxHashSet;

use super::flow;
use super::model::{Callback, Flow, GLOB, Model, Spot, ThreadStart};
use super::places;
use super::selector::Role;
use super::toml::{Item, Table, Text};
use super::{Analysis, Build, Origin, Overflow, Policy, Termination, UnknownFunctions};
use crate::error::UserError;

/// All tables and keys of a policy.
pub(super) const KEYS: [&str; 14] = [
    "version",
    "name",
    "domains",
    "flows",
    "source",
    "sink",
    "place",
    "declassify",
    "assume",
    "model",
    "adt",
    "thread",
    "build",
    "analysis",
];

/// The version of the format.
const VERSION: i64 = 1;

pub(super) fn policy(text: Text<'_>, table: Table<'_>) -> Result<Policy, UserError> {
    if let Some(item) = table.get("version") {
        let version = item.integer()?;
        if version != VERSION {
            let help = format!("write `version = {VERSION}`");
            return Err(item.error(
                format!("this flowcheck does not read policies of version {version}"),
                "here",
                help,
            ));
        }
    }
    let name = table.get("name").map(|item| item.string()).transpose()?.unwrap_or(text.name).to_owned();
    let domains = places::domains(table.get("domains"), table.get("flows"))?;
    let mut selectors = Vec::new();
    for (key, role) in [("source", Role::Source), ("sink", Role::Sink), ("place", Role::Place)] {
        if let Some(item) = table.get(key) {
            selectors.extend(places::selectors(item, role, &domains)?);
        }
    }
    selectors.sort_by_key(|selector| selector.at.start);
    let declassify = table.get("declassify").map(|item| places::declassify(item, &domains)).transpose()?;
    Ok(Policy {
        name,
        origin: Origin::new(text),
        selectors,
        declassify: declassify.unwrap_or_default(),
        assume: table.get("assume").map(places::assume).transpose()?.unwrap_or_default(),
        models: table.get("model").map(models).transpose()?.unwrap_or_default(),
        adts: table.get("adt").map(places::adts).transpose()?.unwrap_or_default(),
        threads: table.get("thread").map(places::threads).transpose()?.unwrap_or_default(),
        analysis: table.get("analysis").map(analysis).transpose()?.unwrap_or_default(),
        build: table.get("build").map(build).transpose()?.unwrap_or_default(),
        domains,
    })
}

fn analysis(item: Item<'_>) -> Result<Analysis, UserError> {
    let table =
        item.table("[analysis]", &["entry", "integer_overflow", "termination", "unknown_functions", "stubs"])?;
    let mut analysis = Analysis::default();
    if let Some(entry) = table.get("entry") {
        analysis.entry = entry.strings()?;
    }
    if let Some(overflow) = table.get("integer_overflow") {
        analysis.integer_overflow = overflow.choice(&[("undefined", Overflow::Undefined), ("wrap", Overflow::Wrap)])?;
    }
    if let Some(termination) = table.get("termination") {
        let choices = [("insensitive", Termination::Insensitive), ("sensitive", Termination::Sensitive)];
        analysis.termination = termination.choice(&choices)?;
    }
    if let Some(unknown) = table.get("unknown_functions") {
        analysis.unknown_functions = unknown.choice(&[
            ("arguments", UnknownFunctions::Arguments),
            ("pure", UnknownFunctions::Pure),
            ("everything", UnknownFunctions::Everything),
        ])?;
    }
    if let Some(stubs) = table.get("stubs") {
        analysis.stubs = paths(stubs)?;
    }
    Ok(analysis)
}

fn build(item: Item<'_>) -> Result<Build, UserError> {
    let table = item.table("[build]", &["cc", "flags", "include", "compile_commands", "exclude"])?;
    let mut build = Build::default();
    if let Some(cc) = table.get("cc") {
        build.cc = Some(words(cc)?);
    }
    if let Some(flags) = table.get("flags") {
        build.flags = flags.strings()?;
    }
    if let Some(include) = table.get("include") {
        build.include = paths(include)?;
    }
    if let Some(file) = table.get("compile_commands") {
        build.compile_commands = Some(file.string()?.into());
    }
    if let Some(exclude) = table.get("exclude") {
        for glob in exclude.each() {
            check_glob(glob)?;
        }
        build.exclude = exclude.strings()?;
    }
    Ok(build)
}

fn paths(item: Item<'_>) -> Result<Vec<PathBuf>, UserError> {
    Ok(item.strings()?.into_iter().map(PathBuf::from).collect())
}

/// A command in one string, split as a shell does, or in words.
fn words(item: Item<'_>) -> Result<Vec<String>, UserError> {
    let words = match item.value.get_ref().as_str() {
        None => item.strings()?,
        Some(command) => shlex::split(command)
            .ok_or_else(|| item.error(format!("bad `{}`", item.key), "a quotation mark is not closed", ""))?,
    };
    if words.is_empty() {
        return Err(item.error(
            format!("`{}` is empty", item.key),
            "a command is needed",
            "for example \"avr-gcc -mmcu=atmega328p\"",
        ));
    }
    Ok(words)
}

fn check_glob(item: Item<'_>) -> Result<(), UserError> {
    let glob = item.string()?;
    match GlobBuilder::new(glob).literal_separator(true).build() {
        Ok(_) => Ok(()),
        Err(error) => {
            let help = "`*` stands for any part of a name, `**` for any folders";
            Err(item.error(format!("`{glob}` is not a glob"), error.kind(), help))
        }
    }
}

/// All `[[model]]`s. One that names several functions is several.
pub(super) fn models(item: Item<'_>) -> Result<Vec<Model>, UserError> {
    let mut models = Vec::new();
    let mut seen: FxHashSet<String> = FxHashSet::default();
    for element in item.tables()? {
        let known = ["function", "flows", "overwrites", "noreturn", "callback", "thread"];
        let table = element.table("[[model]]", &known)?;
        let Some(function) = table.get("function") else {
            let help = "write `function = \"NAME\"`; the name may be a glob, or a list of names";
            return Err(element.error("a `[[model]]` has to name its function", "`function` is missing", help));
        };
        if table.entries.len() == 1 {
            let help = "write `flows = []` for a function without effects";
            return Err(element.error("a `[[model]]` has to say what its function does", "nothing is said here", help));
        }
        let model = model(&table)?;
        for name in function.each() {
            let spelt = name.string()?;
            check_function(name)?;
            if !seen.insert(spelt.to_owned()) {
                let message = format!("`{spelt}` has two models");
                return Err(name.error(message, "the second", "one `[[model]]` holds all that a function does"));
            }
            models.push(Model { function: spelt.to_owned(), ..model.clone() });
        }
    }
    Ok(models)
}

/// A function's name, or a glob of such.
fn check_function(item: Item<'_>) -> Result<(), UserError> {
    let name = item.string()?;
    if name.is_empty() || name.contains(|c: char| c.is_whitespace() || "()*&;,".contains(c) && !GLOB.contains(&c)) {
        let help = "write the name alone: `function = \"adc_read\"`";
        return Err(item.error(format!("`{name}` is not a function's name"), "here", help));
    }
    if name.contains(GLOB) { check_glob(item) } else { Ok(()) }
}

/// What a model says; the function's name is filled in by the caller.
fn model(table: &Table<'_>) -> Result<Model, UserError> {
    let mut model = Model::default();
    if let Some(flows) = table.get("flows") {
        let flow = |item: Item<'_>| -> Result<Flow, UserError> {
            flow::flow(item.string()?).map_err(|mistake| item.mistake_inside(mistake))
        };
        model.flows = flows.list()?.map(flow).collect::<Result<_, _>>()?;
    }
    if let Some(item) = table.get("overwrites") {
        model.overwrites = overwrites(item)?;
    }
    if let Some(noreturn) = table.get("noreturn") {
        model.noreturn = noreturn.boolean()?;
    }
    if let Some(callbacks) = table.get("callback") {
        model.callbacks = callbacks.each().map(callback).collect::<Result<_, _>>()?;
    }
    if let Some(threads) = table.get("thread") {
        model.threads = threads.each().map(thread).collect::<Result<_, _>>()?;
    }
    Ok(model)
}

/// `{ 1 = "3" }`: the key is the argument that points to the memory, the value the one that is its size.
fn overwrites(item: Item<'_>) -> Result<Vec<(u32, Spot)>, UserError> {
    let help = "write `overwrites = { 1 = \"3\" }`: argument 3 is the size of the memory that argument 1 points to";
    let Some(entries) = item.value.get_ref().as_table() else {
        return Err(item.error("`overwrites` has to be a table", "here", help));
    };
    let mut overwrites = Vec::new();
    for (key, value) in entries {
        let argument = key.get_ref().parse().ok().filter(|n: &u32| *n > 0);
        let Some(argument) = argument else {
            let message = format!("`{}` is not the number of an argument", key.get_ref());
            return Err(item.text.error(message, key.span(), "here", help));
        };
        let size = Item { value, ..item };
        let spot = match size.value.get_ref().as_str() {
            Some(text) => flow::source_alone(text).map_err(|mistake| size.mistake_inside(mistake))?,
            None => Spot::Value(size.argument()?),
        };
        if !matches!(spot, Spot::Value(_)) {
            return Err(size.error("the size has to be an argument", "here", help));
        }
        overwrites.push((argument, spot));
    }
    overwrites.sort_by_key(|(argument, _)| *argument);
    Ok(overwrites)
}

/// `{ function = 4, arguments = ["1", "1"] }`, or `4`.
fn callback(item: Item<'_>) -> Result<Callback, UserError> {
    if item.value.get_ref().is_integer() {
        return Ok(Callback { function: item.argument()?, arguments: None });
    }
    let table = item.table("`callback`", &["function", "arguments"])?;
    let Some(function) = table.get("function") else {
        let help = "write `callback = { function = 4, arguments = [\"1\", \"1\"] }`, or `callback = 4`";
        return Err(item.error("a `callback` has to name the argument that is called", "`function` is missing", help));
    };
    let argument = |item: Item<'_>| -> Result<Spot, UserError> {
        if item.value.get_ref().is_integer() {
            return Ok(Spot::Value(item.argument()?));
        }
        flow::source_alone(item.string()?).map_err(|mistake| item.mistake_inside(mistake))
    };
    let arguments = table.get("arguments").map(|list| list.list()?.map(argument).collect()).transpose()?;
    Ok(Callback { function: function.argument()?, arguments })
}

/// `{ entry = 3, argument = 4 }`
fn thread(item: Item<'_>) -> Result<ThreadStart, UserError> {
    let table = item.table("`thread`", &["entry", "argument"])?;
    let Some(entry) = table.get("entry") else {
        let help = "write `thread = { entry = 3, argument = 4 }`";
        return Err(item.error("a `thread` has to name the argument that is run", "`entry` is missing", help));
    };
    let argument = table.get("argument").map(|item| item.argument()).transpose()?;
    Ok(ThreadStart { entry: entry.argument()?, argument })
}
