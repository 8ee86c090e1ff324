//! The words of the command line before `clap` sees them: gcc's one-dash options, the place of the command's name, `--color`.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

use clap::ColorChoice;

use crate::error::UserError;

/// gcc's options of several letters that take a file or a folder.
const GCC_STYLE: [&str; 2] = ["include", "isystem"];

/// The words as `clap` can read them: `-include FILE` is `--include FILE`, `-std=c99` is `--std=c99`, and the command's name comes
/// first, wherever it stood. What follows `--`, and an option's value, stay as they are.
pub fn normalise(command: &clap::Command, words: Vec<OsString>) -> Vec<OsString> {
    let valued = options_with_value(command);
    let mut words = words.into_iter();
    let program = words.next();
    let mut job = None;
    let mut positional_seen = false;
    let mut rest = Vec::new();
    while let Some(word) = words.next() {
        if word == "--" {
            rest.push(word);
            rest.extend(words);
            break;
        }
        match word.to_str() {
            Some(text) if text.len() > 1 && text.starts_with('-') => {
                let text = two_dashes(text);
                let takes_next = value_follows(&text, &valued);
                rest.push(text.into());
                if takes_next {
                    rest.extend(words.next());
                }
            }
            Some(text) if !positional_seen && command.find_subcommand(text).is_some() => {
                positional_seen = true;
                job = Some(word);
            }
            Some(_) | None => {
                positional_seen = true;
                rest.push(word);
            }
        }
    }
    program.into_iter().chain(job).chain(rest).collect()
}

fn two_dashes(text: &str) -> String {
    if text.starts_with("-std=") {
        return format!("-{text}");
    }
    for name in GCC_STYLE {
        if let Some(value) = text.strip_prefix('-').and_then(|t| t.strip_prefix(name)) {
            return if value.is_empty() { format!("--{name}") } else { format!("--{name}={value}") };
        }
    }
    text.to_owned()
}

/// The spellings, over all commands, of options that take a value.
fn options_with_value(command: &clap::Command) -> BTreeSet<String> {
    let mut spellings = BTreeSet::new();
    for command in std::iter::once(command).chain(command.get_subcommands()) {
        for arg in command.get_arguments().filter(|arg| arg.get_action().takes_values()) {
            spellings.extend(arg.get_long().map(|long| format!("--{long}")));
            spellings.extend(arg.get_short().map(|short| format!("-{short}")));
        }
    }
    spellings
}

/// Whether the next word is this option's value. In `-vI dir`, `-I` is the one that takes it; in `-Idir` the value is there.
fn value_follows(text: &str, valued: &BTreeSet<String>) -> bool {
    if text.starts_with("--") {
        return valued.contains(text);
    }
    let mut letters = text.chars().skip(1);
    let takes_value = letters.find(|letter| valued.contains(&format!("-{letter}")));
    takes_value.is_some() && letters.next().is_none()
}

/// What `--color` says, for the messages about the command line itself.
pub fn color(words: &[OsString]) -> ColorChoice {
    let mut choice = ColorChoice::Auto;
    let text = |word: &OsString| word.to_str().map(str::to_owned);
    for (i, word) in words.iter().enumerate() {
        let value = match word.to_str() {
            Some("--") => break,
            Some("--color") => words.get(i + 1).and_then(text),
            Some(other) => other.strip_prefix("--color=").map(str::to_owned),
            None => None,
        };
        match value.as_deref() {
            Some("always") => choice = ColorChoice::Always,
            Some("never") => choice = ColorChoice::Never,
            Some("auto") => choice = ColorChoice::Auto,
            Some(_) | None => {}
        }
    }
    choice
}

/// A first path that does not exist and looks like a command's name was meant to be one.
pub fn is_a_file_meant(paths: &[PathBuf]) -> Result<(), UserError> {
    let Some(word) = paths.first().and_then(|path| path.to_str()) else { return Ok(()) };
    if word.contains(['.', '/']) || std::path::Path::new(word).exists() {
        return Ok(());
    }
    let command = super::args::command();
    let near = |name: &str| strsim::damerau_levenshtein(name, word);
    let nearest = command.get_subcommands().map(clap::Command::get_name).min_by_key(|name| near(name));
    let advice = match nearest {
        Some(name) if near(name) <= 2 => format!("did you mean the command `{name}`?"),
        Some(_) | None => "`flowcheck --help` lists the commands".to_owned(),
    };
    Err(UserError::usage(format!("`{word}` is neither a command nor a file or folder"), advice))
}
