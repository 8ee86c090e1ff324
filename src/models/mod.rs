//! What the functions of the C library, POSIX and pthread do, in the policy's own model language, and what the policy adds.
//!
//! The models are the `.toml` files beside this one, read as a policy's `[[model]]`s are; `docs/MODELS.md` says what they mean and how
//! to override one.
//!
//! Invariant: every built-in file is well-formed and no function has two models in them (tests); a function's own body comes
//! before a built-in model, and a policy's model before both.
//!
//! Cost: reading them takes a few milliseconds, once a run; a look-up is one or two hash look-ups, plus one match for each
//! glob of the policy.

#[cfg(test)]
mod tests;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rustc_hash::FxHashMap;

use crate::ir::Function;
use crate::policy;
use crate::policy::model::{Model, Spot};

/// The built-in models, by file.
const FILES: [(&str, &str); 17] = [
    ("ctype.toml", include_str!("ctype.toml")),
    ("dirent.toml", include_str!("dirent.toml")),
    ("locale.toml", include_str!("locale.toml")),
    ("math.toml", include_str!("math.toml")),
    ("pthread.toml", include_str!("pthread.toml")),
    ("search.toml", include_str!("search.toml")),
    ("setjmp.toml", include_str!("setjmp.toml")),
    ("signal.toml", include_str!("signal.toml")),
    ("socket.toml", include_str!("socket.toml")),
    ("stdio.toml", include_str!("stdio.toml")),
    ("stdlib.toml", include_str!("stdlib.toml")),
    ("string.toml", include_str!("string.toml")),
    ("system.toml", include_str!("system.toml")),
    ("threads.toml", include_str!("threads.toml")),
    ("time.toml", include_str!("time.toml")),
    ("unistd.toml", include_str!("unistd.toml")),
    ("wchar.toml", include_str!("wchar.toml")),
];

/// All models of a run.
#[derive(Debug)]
pub struct Models {
    /// Those of the policy first.
    all: Vec<Model>,
    /// The policy's, by name.
    own: FxHashMap<String, usize>,
    /// The policy's globs, and which model each is.
    globs: (GlobSet, Vec<usize>),
    /// The built-in ones, by name.
    built_in: FxHashMap<String, usize>,
}

impl Models {
    /// The policy's models over the built-in ones.
    pub fn new(policy: &[Model]) -> Models {
        let mut all = policy.to_vec();
        let (mut own, mut built_in) = (FxHashMap::default(), FxHashMap::default());
        let (mut set, mut globs) = (GlobSetBuilder::new(), Vec::new());
        for (index, model) in policy.iter().enumerate() {
            if !model.is_glob() {
                own.insert(model.function.clone(), index);
            } else if let Ok(glob) = GlobBuilder::new(&model.function).build() {
                set.add(glob);
                globs.push(index);
            }
        }
        for (name, text) in FILES {
            for model in read_built_in(name, text) {
                built_in.insert(model.function.clone(), all.len());
                all.push(model);
            }
        }
        let set = set.build().expect("globs that are each well-formed");
        Models { all, own, globs: (set, globs), built_in }
    }
    /// The model of a function, by the name that the linker sees, then by the one in C. A function with a body has only one
    /// if the policy says so, as then the model replaces the body.
    pub fn of(&self, function: &Function) -> Option<&Model> {
        let names = || function.link_name.iter().chain([&function.name]);
        let own = || names().find_map(|name| self.own.get(name));
        let globbed = || names().find_map(|name| self.globs.0.matches(name).first().map(|glob| &self.globs.1[*glob]));
        let built_in = || names().find_map(|name| self.built_in.get(name)).filter(|_| function.body.is_none());
        own().or_else(globbed).or_else(built_in).map(|index| &self.all[*index])
    }
    /// The model of this name or glob: the policy's, else the built-in one.
    pub fn by_name(&self, name: &str) -> Option<&Model> {
        self.all.iter().find(|model| model.function == name)
    }
    /// The names that have a model, sorted; globs are among them.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.all.iter().map(|model| model.function.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn read_built_in(name: &str, text: &str) -> Vec<Model> {
    match policy::parse(text, name) {
        Ok(policy) => policy.models,
        Err(error) => panic!("a built-in model is not well-formed: {error:?}"),
    }
}

/// What a variable of the library points to at the start, if it is one that does: `stdin` to the stream of that name.
pub fn pointee(variable: &str) -> Option<Spot> {
    Some(match variable {
        "stdin" | "stdout" | "stderr" => Spot::Stream(variable.to_owned()),
        "environ" | "__environ" | "_environ" => Spot::State("environment".to_owned()),
        "tzname" | "__tzname" => Spot::State("timezone".to_owned()),
        "program_invocation_name" | "program_invocation_short_name" | "__progname" => {
            Spot::State("arguments".to_owned())
        }
        _ => return None,
    })
}
