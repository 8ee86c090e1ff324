//! What a policy may say, and what each mistake is answered with.

use std::path::{Path, PathBuf};

use super::model::{Callback, Flow, Model, Spot, ThreadStart};
use super::*;

/// The message, the text at the place, the label and the help of the error in `text`.
fn mistake(text: &str) -> (String, String, String, String) {
    match parse(text, "p.toml") {
        Err(UserError::InFile { message, at, label, help, source_code }) => {
            assert_eq!(source_code.inner(), text);
            let shown = text[at.offset()..at.offset() + at.len()].to_owned();
            (message, shown, label, help.unwrap_or_default())
        }
        other => panic!("{other:?}"),
    }
}

/// The error in `text` says `message` at the place `at`, and `advice` in its label or help.
fn assert_mistake(text: &str, message: &str, at: &str, advice: &str) {
    let (told, shown, label, help) = mistake(text);
    assert!(told.starts_with("p.toml: ") && told.contains(message), "{told}");
    assert_eq!(shown, at, "{told}");
    assert!(format!("{label} {help}").contains(advice), "{label}; {help}");
}

const FULL: &str = r#"
version = 1
name = "Scale"

[build]
cc = "avr-gcc '-mmcu=atmega328p'"
flags = ["-DX=1", "-Isys", "-include", "pre.h"]
include = ["inc", "/abs"]
compile_commands = "build/compile_commands.json"
exclude = ["tests/**"]

[analysis]
entry = ["main", "isr.c::tick"]
integer_overflow = "wrap"
termination = "sensitive"
unknown_functions = "everything"
stubs = ["stubs/hal.c"]

[domains]
sensor = "raw"

[flows]
allow = ["a -> b"]

[[model]]
function = "adc_read"
flows = ["return <- input"]

[[model]]
function = ["send", "send_*"]
flows = [
    "return <~ 2.., errno",
    'stream net <- *1',
]
overwrites = { 2 = "3", 1 = 2 }
callback = [4, { function = 5, arguments = ["1", 2, "new"] }]
thread = { entry = 3, argument = 4 }

[[model]]
function = "die"
noreturn = true

[[source]]
domain = "sensor"
variable = "x"
"#;

fn full() -> Policy {
    parse(FULL, "p.toml").unwrap()
}

#[test]
fn everything_is_read() {
    let policy = full();
    assert_eq!(policy.name, "Scale");
    let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        policy.build,
        Build {
            cc: Some(words(&["avr-gcc", "-mmcu=atmega328p"])),
            flags: words(&["-DX=1", "-Isys", "-include", "pre.h"]),
            include: vec!["inc".into(), "/abs".into()],
            compile_commands: Some("build/compile_commands.json".into()),
            exclude: words(&["tests/**"]),
        }
    );
    assert_eq!(
        policy.analysis,
        Analysis {
            entry: words(&["main", "isr.c::tick"]),
            integer_overflow: Overflow::Wrap,
            termination: Termination::Sensitive,
            unknown_functions: UnknownFunctions::Everything,
            stubs: vec!["stubs/hal.c".into()],
        }
    );
    let unread: Vec<&str> = policy.unread.iter().map(|u| u.key.as_str()).collect();
    assert_eq!(unread, ["domains", "flows", "source"]);
}

#[test]
fn models_are_read() {
    let send = Model {
        function: "send".into(),
        flows: vec![
            Flow { target: Spot::Return, sources: vec![Spot::Values(2), Spot::Errno], carries: false },
            Flow { target: Spot::Stream("net".into()), sources: vec![Spot::Memory(1)], carries: true },
        ],
        overwrites: vec![(1, Spot::Value(2)), (2, Spot::Value(3))],
        noreturn: false,
        callbacks: vec![
            Callback { function: 4, arguments: None },
            Callback { function: 5, arguments: Some(vec![Spot::Value(1), Spot::Value(2), Spot::New]) },
        ],
        threads: vec![ThreadStart { entry: 3, argument: Some(4) }],
    };
    assert_eq!(send.last_argument(), 5);
    let die = Model { function: "die".into(), noreturn: true, ..Model::default() };
    let input = Flow { target: Spot::Return, sources: vec![Spot::Input], carries: true };
    let adc = Model { function: "adc_read".into(), flows: vec![input], ..Model::default() };
    let globbed = Model { function: "send_*".into(), ..send.clone() };
    assert!(globbed.is_glob() && !send.is_glob());
    assert_eq!(full().models, [adc, send, globbed, die]);
}

#[test]
fn what_is_left_out_has_its_default() {
    let policy = parse("", "some/flowcheck.toml").unwrap();
    assert_eq!(policy.name, "some/flowcheck.toml");
    assert_eq!((policy.analysis, policy.build), (Analysis::default(), Build::default()));
    assert_eq!(Analysis::default().unknown_functions, UnknownFunctions::Arguments);
    assert_eq!(parse("analysis.entry = 'f'", "p.toml").unwrap().analysis.entry, ["f"]);
}

#[test]
fn text_that_is_no_toml_is_shown_on_its_line() {
    let line = |text: &str| match parse(text, "p.toml") {
        Err(UserError::InFile { message, at, label, .. }) => {
            assert!(message.contains("not TOML") && !label.is_empty(), "{message}: {label}");
            text[..at.offset()].lines().count().max(1)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(line("name = \"x"), 1);
    assert_eq!(line("version = 1\nname 3\n[build]\n"), 2);
    assert_eq!(line("[build]\n\nflags = [1, \n"), 3);
    assert_mistake("version = 1\nversion = 1\n", "not TOML", "version", "duplicate");
}

#[test]
fn unknown_keys_are_shown_with_the_nearest_known_one() {
    assert_mistake("[[modle]]\nfunction = 'f'\n", "no key `modle`", "modle", "did you mean `model`?");
    assert_mistake("[analysis]\nstub = []\n", "no key `stub` in [analysis]", "stub", "did you mean `stubs`?");
    assert_mistake("[build]\ninclude = []\ncflags = []\n", "no key `cflags` in [build]", "cflags", "`flags`?");
    assert_mistake("[[model]]\nfunction = 'f'\nreturns = 1\n", "no key `returns`", "returns", "`noreturn`");
    assert_mistake("[build]\nzebra = 1\n", "no key `zebra`", "zebra", "`compile_commands`");
    // The first in the file, not in the alphabet.
    assert_mistake("zzz = 1\naaa = 2\n", "no key `zzz`", "zzz", "unknown");
    let text = "[[model]]\nfunction = 'f'\ncallback = { function = 1, args = [] }\n";
    assert_mistake(text, "no key `args` in `callback`", "args", "`arguments`");
    let text = "[[model]]\nfunction = 'f'\nthread = { entri = 1 }\n";
    assert_mistake(text, "no key `entri` in `thread`", "entri", "did you mean `entry`?");
}

#[test]
fn values_of_the_wrong_type() {
    assert_mistake("name = 3", "`name` has to be a string", "3", "this is an integer");
    assert_mistake("version = '1'", "`version` has to be an integer", "'1'", "this is a string");
    assert_mistake("analysis = 1", "a table, [analysis]", "1", "this is an integer");
    assert_mistake("[analysis]\nentry = [\"f\", 2]\n", "a list of strings", "2", "this is an integer");
    assert_mistake("[build]\ninclude = true\n", "a list of strings", "true", "this is true or false");
    assert_mistake("model = 1", "`model` has to be a list", "1", "");
    assert_mistake(
        "[[model]]\nfunction = 'f'\nflows = 'return <- 1'\n",
        "has to be a list",
        "'return <- 1'",
        "a string",
    );
    assert_mistake("[[model]]\nfunction = 'f'\nnoreturn = 1\n", "`noreturn` has to be true or false", "1", "");
    assert_mistake("[[model]]\nfunction = 'f'\nthread = 3\n", "a table, `thread`", "3", "");
    assert!(mistake("[model]\nfunction = 'f'\nflows = []\n").3.contains("[[model]]"));
}

#[test]
fn values_that_cannot_be() {
    assert_mistake("version = 2", "policies of version 2", "2", "version = 1");
    let text = "[analysis]\ntermination = \"sensitiv\"\n";
    assert_mistake(text, "`termination` cannot be", "\"sensitiv\"", "did you mean \"sensitive\"?");
    let text = "[analysis]\nunknown_functions = \"none\"\n";
    assert_mistake(text, "`unknown_functions` cannot be", "\"none\"", "\"arguments\" or \"pure\" or \"everything\"");
    assert_mistake("[build]\ncc = \"'gcc\"\n", "bad `cc`", "\"'gcc\"", "quotation mark");
    assert_mistake("[build]\ncc = \"\"\n", "`cc` is empty", "\"\"", "avr-gcc");
    assert_mistake("[build]\nexclude = [\"a[\"]\n", "not a glob", "\"a[\"", "");
    assert_mistake("[[model]]\nfunction = 'f[' \nflows = []\n", "not a glob", "'f['", "");
    assert_mistake("[[model]]\nfunction = 'f()'\nflows = []\n", "not a function's name", "'f()'", "alone");
    assert_mistake("[[model]]\nfunction = ['f', 'g', 'f']\nflows = []\n", "`f` has two models", "'f'", "the second");
    assert_mistake("[[model]]\nfunction = 'f'\ncallback = 0\n", "0 is not the number", "0", "from 1");
    assert_mistake("[[model]]\nfunction = 'f'\ncallback = -1\n", "-1 is not the number", "-1", "from 1");
    assert_mistake("[[model]]\nfunction = 'f'\noverwrites = { x = '3' }\n", "`x` is not the number", "x", "1 = \"3\"");
    assert_mistake("[[model]]\nfunction = 'f'\noverwrites = { 1 = '*3' }\n", "size has to be an argument", "'*3'", "");
    let text = "[[model]]\nfunction = 'f'\ncallback = { arguments = [] }\n";
    assert_mistake(text, "has to name the argument", "{ arguments = [] }", "`function` is missing");
    assert!(mistake("[[model]]\nflows = []\n").0.contains("has to name its function"));
    assert!(mistake("[[model]]\nfunction = 'f'\n").3.contains("flows = []"));
}

#[test]
fn bad_flows_are_shown_inside_their_string() {
    let flow = |text: &str| format!("[[model]]\nfunction = 'f'\nflows = [\n  'return <- 1',\n  {text},\n]\n");
    assert_mistake(&flow("\"return <- 1, argv\""), "bad `flows`: `argv` is not a place", "argv", "`global NAME`");
    assert_mistake(&flow("'''*1 <- *2.'''"), "not the number of an argument", "2.", "`2..`");
    assert_mistake(&flow("\"3 <- 1\""), "cannot change the value", "3", "`*N`");
    // With an escape, the text in the file is not the string: all of it is shown.
    assert_mistake(&flow("\"return\\u0020<- x\""), "`x` is not a place", "\"return\\u0020<- x\"", "");
    let text = "[[model]]\nfunction = 'f'\ncallback = { function = 1, arguments = ['2', 'sate x'] }\n";
    assert_mistake(text, "bad `arguments`", "sate x", "did you mean `state`?");
}

#[test]
fn paths_lead_from_the_policy() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("flowcheck.toml");
    std::fs::write(folder.path().join("pre.h"), "").unwrap();
    std::fs::write(&file, format!("\u{feff}{FULL}")).unwrap();
    let Policy { analysis, build, .. } = read(&file).unwrap();
    let inside = |name: &str| folder.path().join(name);
    assert_eq!(analysis.stubs, [inside("stubs/hal.c")]);
    assert_eq!(build.include, [inside("inc"), PathBuf::from("/abs")]);
    assert_eq!(build.compile_commands, Some(inside("build/compile_commands.json")));
    // A folder that is not there stays as it is, for the compiler to tell.
    assert_eq!(build.flags, ["-DX=1", "-I", "sys", "-include", &inside("pre.h").display().to_string()]);
    assert!(
        matches!(read(Path::new("no/such.toml")), Err(UserError::Usage { message, .. }) if message.contains("no/such.toml"))
    );
    std::fs::write(&file, b"name = '\xff'").unwrap();
    assert!(matches!(read(&file), Err(UserError::Usage { message, .. }) if message.contains("UTF-8")));
}

#[test]
fn the_nearest_file_above_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("a/b")).unwrap();
    std::fs::write(root.join("a/b/x.c"), "").unwrap();
    std::fs::write(root.join(FILE_NAME), "").unwrap();
    assert_eq!(find(&root.join("a/b/x.c")), Some(root.join(FILE_NAME)));
    std::fs::write(root.join("a").join(FILE_NAME), "").unwrap();
    assert_eq!(find(&root.join("a/b/x.c")), Some(root.join("a").join(FILE_NAME)));
    assert_eq!(find(&root.join("a/b")), Some(root.join("a").join(FILE_NAME)));
}
