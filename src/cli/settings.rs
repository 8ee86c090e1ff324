//! The command line and the policy together: what the command line says beats what the policy says.

use std::path::PathBuf;

use crate::config::Program;
use crate::error::UserError;
use crate::policy::{self, Build, Policy};

/// Options that say where to look for headers; the folder is the next word.
const SEARCH: [&str; 4] = ["-I", "-isystem", "-iquote", "-idirafter"];

/// What the command line and the policy want together.
pub struct Settings {
    /// The program, as both describe it.
    pub wanted: Program,
    /// The policy; one without contents if there is none.
    pub policy: Policy,
    /// Its file, if there is one.
    pub file: Option<PathBuf>,
}

/// The program that is wanted, with the settings of its policy.
pub fn with_policy(wanted: &Program) -> Result<Settings, UserError> {
    let mut wanted = wanted.clone();
    let first = wanted.request.paths.first().cloned().unwrap_or_else(|| ".".into());
    let file = wanted.policy.clone().or_else(|| policy::find(&first));
    let policy = file.as_deref().map(policy::read).transpose()?.unwrap_or_default();
    add(&mut wanted, &policy);
    if wanted.request.paths.is_empty() && wanted.request.compile_commands.is_none() {
        return Err(UserError::usage(
            "no C file is given, neither here nor by the policy",
            "name PATHs, or a compile_commands.json by `-p` or in the policy's [build]",
        ));
    }
    Ok(Settings { wanted, policy, file })
}

fn add(wanted: &mut Program, policy: &Policy) {
    let Program { request, entry, .. } = wanted;
    let Build { cc, flags, include, compile_commands, exclude } = policy.build.clone();
    if request.cc.is_empty() {
        request.cc = cc.unwrap_or_default();
    }
    // Of macros the last definition counts, of folders the first with the header: the command line is in the middle.
    let (search, mut before) = split(flags);
    before.append(&mut request.flags);
    request.flags = before;
    request.flags.extend(search);
    request.flags.extend(include.iter().flat_map(|folder| ["-I".to_owned(), folder.display().to_string()]));
    request.compile_commands = request.compile_commands.take().or(compile_commands);
    request.exclude.extend(exclude);
    request.stubs.extend(policy.analysis.stubs.iter().cloned());
    if entry.is_empty() {
        entry.clone_from(&policy.analysis.entry);
    }
}

/// The options that say where to look for headers, and the others.
fn split(flags: Vec<String>) -> (Vec<String>, Vec<String>) {
    let (mut search, mut others) = (Vec::new(), Vec::new());
    let mut words = flags.into_iter();
    while let Some(word) = words.next() {
        if SEARCH.contains(&word.as_str()) {
            search.push(word);
            search.extend(words.next());
        } else {
            others.push(word);
        }
    }
    (search, others)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::config::Limits;
    use crate::policy::Analysis;
    use crate::source::Request;

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(|word| (*word).to_owned()).collect()
    }

    fn program(request: Request, entry: &[&str]) -> Program {
        let limits = Limits { jobs: 1, timeout: Duration::from_secs(1), memory: None };
        Program { request, entry: words(entry), policy: None, limits }
    }

    fn policy() -> Policy {
        let build = Build {
            cc: Some(words(&["avr-gcc", "-mmcu=x"])),
            flags: words(&["-DA", "-I", "p1", "-UB"]),
            include: vec!["p2".into()],
            compile_commands: Some("p/cc.json".into()),
            exclude: words(&["p/**"]),
        };
        let analysis = Analysis { entry: words(&["start"]), stubs: vec!["s.c".into()], ..Analysis::default() };
        Policy { analysis, build, ..Policy::default() }
    }

    #[test]
    fn the_policy_fills_what_the_command_line_leaves_open() {
        let mut wanted = program(Request::default(), &[]);
        add(&mut wanted, &policy());
        assert_eq!(wanted.request.cc, words(&["avr-gcc", "-mmcu=x"]));
        assert_eq!(wanted.request.flags, words(&["-DA", "-UB", "-I", "p1", "-I", "p2"]));
        assert_eq!(wanted.request.compile_commands, Some("p/cc.json".into()));
        assert_eq!(wanted.request.exclude, words(&["p/**"]));
        assert_eq!(wanted.request.stubs, [PathBuf::from("s.c")]);
        assert_eq!(wanted.entry, words(&["start"]));
    }

    #[test]
    fn the_command_line_comes_first() {
        let request = Request {
            cc: words(&["clang"]),
            flags: words(&["-DA=2", "-Ic"]),
            compile_commands: Some("c.json".into()),
            exclude: words(&["c/**"]),
            ..Request::default()
        };
        let mut wanted = program(request, &["main"]);
        add(&mut wanted, &policy());
        assert_eq!(wanted.request.cc, words(&["clang"]));
        // A macro's last definition counts, a header's first folder.
        assert_eq!(wanted.request.flags, words(&["-DA", "-UB", "-DA=2", "-Ic", "-I", "p1", "-I", "p2"]));
        assert_eq!(wanted.request.compile_commands, Some("c.json".into()));
        assert_eq!(wanted.request.exclude, words(&["c/**", "p/**"]));
        assert_eq!(wanted.entry, words(&["main"]));
    }
}
