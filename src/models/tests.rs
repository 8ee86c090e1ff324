//! The built-in models by themselves: well-formed, unique, complete against the interpreter's library, and overridden as promised.

use std::collections::BTreeSet;

use super::*;
use crate::interp;
use crate::ir::Linkage;
use crate::ir::sample::Sample;
use crate::policy::model::{Flow, Spot};

fn built_in() -> Vec<Model> {
    FILES.iter().flat_map(|(name, text)| read_built_in(name, text)).collect()
}

#[test]
fn there_are_many_and_none_twice() {
    let models = built_in();
    let mut seen = BTreeSet::new();
    let twice: Vec<&str> = models.iter().map(|m| m.function.as_str()).filter(|name| !seen.insert(*name)).collect();
    assert_eq!(twice, [""; 0]);
    assert!(models.iter().all(|m| !m.is_glob()));
    assert!(models.len() > 1000, "{}", models.len());
    assert_eq!(Models::new(&[]).names().len(), models.len());
}

#[test]
fn every_file_beside_this_one_is_read() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/models");
    let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let mut found: Vec<String> =
        files.filter(|name| name.split_once('.').is_some_and(|(_, end)| end == "toml")).collect();
    found.sort();
    let listed: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, listed);
}

/// Compilers' builtins, which lowering gives their meaning, so that no call of them is left.
const BUILTINS: [&str; 20] = [
    "expect",
    "expect_with_probability",
    "assume_aligned",
    "constant_p",
    "object_size",
    "dynamic_object_size",
    "prefetch",
    "trap",
    "unreachable",
    "inf",
    "inff",
    "infl",
    "huge_val",
    "huge_valf",
    "huge_vall",
    "isinf_sign",
    "__isinff64",
    "__builtin_setjmp",
    "__builtin_longjmp",
    "__clear_cache",
];

#[test]
fn what_the_interpreter_knows_has_a_model() {
    let models = built_in();
    let modelled: BTreeSet<&str> = models.iter().map(|m| m.function.as_str()).collect();
    let library = interp::library();
    assert!(library.len() > 500, "{}", library.len());
    let missing: Vec<&str> =
        library.into_iter().filter(|name| !modelled.contains(name) && !BUILTINS.contains(name)).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn hidden_states_are_both_read_and_written() {
    // A state that is only written is one whose reader was forgotten, or that a name was misspelt for; and the other way round.
    let (mut read, mut written) = (BTreeSet::new(), BTreeSet::new());
    let name = |spot: &Spot| match spot {
        Spot::State(name) => Some(name.clone()),
        Spot::Address(of) | Spot::Reached(of) => match of.as_ref() {
            Spot::State(name) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    };
    for model in built_in() {
        for Flow { target, sources, .. } in &model.flows {
            written.extend(name(target));
            read.extend(sources.iter().filter_map(name));
        }
        read.extend(model.callbacks.iter().flat_map(|c| c.arguments.iter().flatten()).filter_map(name));
    }
    // What the world outside reads (the exit status, a program that replaces this one, properties of the process), and what it
    // has written before the program starts.
    let outside = ["exec", "exit", "prctl", "mq"];
    let lonely: Vec<&String> = read.symmetric_difference(&written).filter(|s| !outside.contains(&s.as_str())).collect();
    assert!(lonely.is_empty(), "{lonely:?}");
}

#[test]
fn a_file_is_a_view_of_the_file_system() {
    let models = Models::new(&[]);
    let view = |name: &str| models.all[models.built_in[name]].views().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(view("fopen"), ["files"]);
    assert_eq!(view("open"), ["files"]);
    assert_eq!(view("opendir"), ["names"]);
    assert_eq!(view("malloc"), [""; 0]);
    assert_eq!(view("pipe"), [""; 0]);
}

#[test]
fn the_policy_comes_first_and_a_body_before_the_built_in() {
    let model = |function: &str| Model { function: function.to_owned(), noreturn: true, ..Model::default() };
    let mut sample = Sample::new(0);
    let id = sample.defined("read", Linkage::External, &[], &[]);
    let mut function = sample.program.functions[id].clone();
    let body = function.body.take();
    let models = Models::new(&[model("re*"), model("write"), model("r*"), model("only_linked")]);
    assert_eq!(models.of(&function).unwrap().function, "re*");
    function.name = "write".into();
    assert!(models.of(&function).unwrap().noreturn);
    function.name = "printf".into();
    assert_eq!(models.of(&function).unwrap().function, "printf");
    function.name = "strtol".into();
    function.link_name = Some("__isoc23_strtol".into());
    assert_eq!(models.of(&function).unwrap().function, "__isoc23_strtol");
    function.link_name = Some("only_linked".into());
    assert_eq!(models.of(&function).unwrap().function, "only_linked");
    function.link_name = None;
    function.name = "no_such_function".into();
    assert!(models.of(&function).is_none());
    // A program's own `index` is its own.
    function.body = body;
    function.name = "index".into();
    assert!(models.of(&function).is_none());
    function.name = "write".into();
    assert!(models.of(&function).is_some());
}

#[test]
fn variables_of_the_library_point_somewhere() {
    assert_eq!(pointee("stdin"), Some(Spot::Stream("stdin".into())));
    assert_eq!(pointee("environ"), Some(Spot::State("environment".into())));
    assert_eq!(pointee("my_variable"), None);
}
