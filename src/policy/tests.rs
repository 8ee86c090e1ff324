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
display = "shown"

[flows]
allow = ["sensor -> display"]

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
    assert_eq!((policy.domains.len(), policy.selectors.len()), (2, 1));
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

/// The domains that the tests below speak of.
const DOMAINS: &str = "[domains]\nsensor = 'raw'\nkeyboard = 'typed'\ndisplay = 'shown'\n";

fn with_domains(text: &str) -> Policy {
    parse(&format!("{DOMAINS}{text}"), "p.toml").unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn assert_wrong(text: &str, message: &str, at: &str, advice: &str) {
    assert_mistake(&format!("{DOMAINS}{text}"), message, at, advice);
}

/// The one selector of a table's lines.
fn selector(lines: &str) -> Selector {
    let mut policy = with_domains(&format!("[[source]]\ndomain = 'sensor'\n{lines}\n"));
    assert_eq!(policy.selectors.len(), 1);
    policy.selectors.remove(0)
}

#[test]
fn domains_and_flows_are_read_in_the_order_of_the_file() {
    let policy = with_domains("[flows]\nallow = ['sensor -> display', 'keyboard -> sensor']\n");
    let names: Vec<(&str, &str)> = policy.domains.iter().map(|(_, d)| (d.name.as_str(), d.what.as_str())).collect();
    assert_eq!(names, [("sensor", "raw"), ("keyboard", "typed"), ("display", "shown")]);
    let id = |name| policy.domains.find(name).unwrap();
    assert!(
        policy.domains.allowed(id("keyboard"), id("display")) && !policy.domains.allowed(id("display"), id("sensor"))
    );
    assert!(with_domains("[flows]\nallow = 'sensor -> display'").domains.forbidden().count() == 5);
    assert_wrong("[flows]\nallow = ['sensor -> dislay']\n", "no domain `dislay`", "dislay", "did you mean `display`?");
    assert_wrong("[flows]\nallow = ['sensor']\n", "needs an arrow", "sensor", "FROM -> TO");
    assert_wrong("[flows]\nallows = []\n", "no key `allows`", "allows", "did you mean `allow`?");
    assert_wrong("[flows]\nallow = 1\n", "`allow` has to be a string", "1", "an integer");
    assert_mistake("[domains]\na = 1\n", "`a` has to be a string", "1", "an integer");
    assert_mistake("[domains]\na = ''\na = ''\n", "not TOML", "a", "duplicate");
    assert_mistake("[domains]\n'a -> b' = ''\n", "cannot be a domain", "'a -> b'", "no `->`");
    assert_mistake("[domains]\n'' = ''\n", "cannot be a domain", "''", "needs a name");
    assert_mistake("domains = ['a']", "has to be a table", "['a']", "what it is");
    assert_mistake("[[source]]\ndomain = 'a'\nvariable = 'x'\n", "no domain `a`", "'a'", "`[domains]` is missing");
}

#[test]
fn every_main_key_is_read() {
    use super::selector::{Arguments, What};
    let texts = |what: &What| match what {
        What::Function { functions, .. } | What::Result(functions) | What::RegionFunction { functions, .. } => {
            functions.iter().map(|f| f.value.name.text().to_owned()).collect::<Vec<_>>()
        }
        What::Variable(variables) => variables.iter().map(|v| v.value.name.text().to_owned()).collect(),
        What::Field(fields) => fields.iter().map(|f| f.value.record.text().to_owned()).collect(),
        What::Parameter(parameters) => parameters.iter().map(|p| p.value.name.text().to_owned()).collect(),
        What::Register(registers) => registers.iter().map(|r| r.value.clone()).collect(),
        What::Address(addresses) => addresses.iter().map(|a| format!("{:#x}", a.value)).collect(),
        What::Location(lines) => lines.iter().map(|l| format!("{}-{}", l.value.first, l.value.last)).collect(),
        What::Region { files, .. } => files.iter().map(|f| f.value.text().to_owned()).collect(),
        What::Rest { except, .. } => vec![format!("rest {}", except.len())],
    };
    for (line, expected) in [
        ("function = 'adc_read'", "adc_read"),
        ("function = ['a', 'b_*']", "a b_*"),
        ("result = 'f'", "f"),
        ("variable = ['g', 'main::p_ab', 'file.c::v.x']", "g p_ab v"),
        ("field = 'session.master_secret'", "session"),
        ("parameter = 'f::p'", "p"),
        ("register = ['PORTB', 'GPIOA->ODR', 'PORT(B)[1]']", "PORTB GPIOA->ODR PORT(B)[1]"),
        ("address = 0x25", "0x25"),
        ("address = [37, 0xFFFF_FFFF]", "0x25 0xffffffff"),
        ("location = ['scale.c:12', 'scale.c:12-20']", "12-12 12-20"),
        ("region = ['ui/*.c']", "ui/*.c"),
        ("region_function = 'ui_*'", "ui_*"),
        ("rest = true\nexcept = ['log.c', 'log']", "rest 2"),
    ] {
        assert_eq!(texts(&selector(line).what).join(" "), expected, "{line}");
    }
    let What::Function { arguments: Some(arguments), .. } =
        selector("function = 'f'\narguments = [2, \"4..\", '1']").what
    else {
        panic!()
    };
    let numbers: Vec<Vec<u32>> = arguments.iter().map(|a| (0..7).filter(|n| a.value.contains(*n)).collect()).collect();
    assert_eq!(numbers, [vec![2], vec![4, 5, 6], vec![1]]);
    assert_eq!(arguments[1].value, Arguments { first: 4, and_later: true });
    let What::Region { except, .. } = selector("region = 'ui/'\nexcept = 'ui/log.c'").what else { panic!() };
    assert_eq!(except.len(), 1);
}

#[test]
fn keys_that_narrow_are_read() {
    use super::selector::Observe;
    let policy = with_domains(
        "[[sink]]\ndomain = ['display', 'keyboard']\nfunction = 'fprintf'\nin_file = ['ui/*.c', 'a.c']\nin_function = 'show'\n\
         with = { 2 = 'fmt', 1 = ['stderr', 'main::log_fp'] }\noptional = true\nobserve = 'value'\n\
         [[place]]\ndomain = 'sensor'\nregion = 'a.c'\n\n[[source]]\ndomain = 'sensor'\nvariable = 'x'\n",
    );
    let [sink, place, source] = &policy.selectors[..] else { panic!() };
    assert!(sink.is_sink() && !sink.is_source() && place.is_sink() && place.is_source() && source.is_source());
    assert!(!source.is_sink() && sink.optional && !place.optional);
    assert_eq!((sink.observe, place.observe), (Observe::Value, Observe::Everything));
    assert_eq!((sink.narrow.in_file.len(), sink.narrow.in_function.len()), (2, 1));
    let with: Vec<(u32, Vec<&str>)> = sink
        .narrow
        .with
        .iter()
        .map(|(n, objects)| (*n, objects.iter().map(|o| o.value.name.text()).collect()))
        .collect();
    assert_eq!(with, [(1, vec!["stderr", "log_fp"]), (2, vec!["fmt"])]);
    let names: Vec<&str> = sink.domains.iter().map(|id| policy.domains.get(*id).name.as_str()).collect();
    assert_eq!(names, ["keyboard", "display"]);
}

#[test]
fn later_errors_point_at_the_pattern() {
    use super::selector::What;
    let policy = with_domains("[[source]]\ndomain = 'sensor'\nvariable = ['a', \"b\"]\n");
    let What::Variable(variables) = &policy.selectors[0].what else { panic!() };
    let error = policy.origin.error(variables[1].at, "`b` matches nothing", "here", "is it spelt as in the program?");
    let UserError::InFile { message, at, source_code, .. } = error else { panic!() };
    assert_eq!(message, "p.toml: `b` matches nothing");
    assert_eq!(&source_code.inner()[at.offset()..at.offset() + at.len()], "b");
    assert_eq!(policy.origin.line(variables[1].at), 7);
    assert_eq!(policy.origin.line(policy.selectors[0].at), 5);
}

#[test]
fn mistakes_in_places_are_shown_with_advice() {
    let wrong = |lines: &str, message: &str, at: &str, advice: &str| {
        assert_wrong(&format!("[[source]]\ndomain = 'sensor'\n{lines}\n"), message, at, advice);
    };
    wrong("variabel = 'x'", "no key `variabel` in [[source]]", "variabel", "did you mean `variable`?");
    wrong(
        "function = 'f'\nresult = 'g'",
        "`function` and `result` cannot stand in one",
        "result",
        "a second `[[source]]`",
    );
    wrong("variable = ''", "a variable is missing", "''", "NAME");
    wrong("variable = []", "`variable` is empty", "[]", "names nothing");
    wrong("variable = 3", "a list of strings", "3", "an integer");
    wrong("variable = ['x', 'a b']", "`a b` is not the name of a variable", "a b", "NAME");
    wrong("function = 'f'\narguments = [0]", "0 is not the number of an argument", "0", "from 1");
    wrong("function = 'f'\narguments = ['0..']", "no argument 0", "'0..'", "from 1");
    wrong("function = 'f'\narguments = ['2..4']", "does not say which arguments", "'2..4'", "3..");
    wrong("function = 'f'\narguments = ['x']", "does not say which arguments", "'x'", "3..");
    wrong("function = 'f'\narguments = [1.5]", "has to be numbers", "1.5", "a number with a point");
    wrong("function = 'f'\narguments = []", "`arguments` is empty", "[]", "");
    wrong("variable = 'x'\narguments = [1]", "`arguments` belongs to `function`", "arguments", "no meaning");
    wrong("variable = 'x'\nwith = { 1 = 'a' }", "`with` belongs to", "with", "");
    wrong("variable = 'x'\nexcept = 'a.c'", "`except` belongs to", "except", "");
    wrong("variable = 'x'\nobserve = 'value'", "`observe` belongs to `[[sink]]`", "observe", "");
    wrong("function = 'f'\nwith = { 0 = 'a' }", "`0` is not the number", "0", "argument 1");
    wrong("function = 'f'\nwith = 'a'", "has to be a table of arguments", "'a'", "stderr");
    wrong("function = 'f'\nwith = { 1 = [] }", "`with` is empty", "[]", "");
    wrong("location = 'a.c:9-3'", "range of lines is empty", "9-3", "a.c:3-9");
    wrong("location = 'a.c'", "the line is missing", "a.c", "FILE:LINE");
    wrong("region = 'ui/['", "not a glob", "ui/[", "");
    wrong("rest = false", "true or left out", "false", "rest = true");
    wrong("rest = 'yes'", "has to be true or false", "'yes'", "");
    wrong("address = -1", "not negative", "-1", "0x25");
    wrong("address = '0x25'", "has to be an integer", "'0x25'", "a string");
    wrong("register = 'PORTB = 1'", "`=` cannot be part of a register", "=", "PORTB");
    wrong("register = 'PORT(B'", "not closed", "PORT(B", "");
    wrong("variable = 'x'\noptional = 1", "`optional` has to be true or false", "1", "");
    wrong("variable = 'x'\nin_file = ''", "not a file", "''", "");
    assert_wrong(
        "[[sink]]\ndomain = 'display'\nfunction = 'f'\nobserve = 'values'\n",
        "cannot be \"values\"",
        "'values'",
        "\"value\"?",
    );
    assert_wrong("[[sink]]\ndomain = 'disply'\nfunction = 'f'\n", "no domain `disply`", "'disply'", "`display`?");
    assert_wrong("[[sink]]\ndomain = []\nfunction = 'f'\n", "`domain` is empty", "[]", "");
    let told = |text: &str| mistake(&format!("{DOMAINS}{text}"));
    assert!(told("[[sink]]\ndomain = 'display'\n").0.contains("has to say which places"));
    assert!(told("[[sink]]\nfunction = 'f'\n").0.contains("has to name its domain"));
    assert!(told("[sink]\nfunction = 'f'\n").3.contains("[[sink]]"));
    assert!(told("sink = 3\n").0.contains("has to be a table") || told("sink = 3\n").0.contains("has to be"));
}

#[test]
fn exceptions_need_a_reason() {
    use super::selector::Through;
    let policy = with_domains(
        "[[declassify]]\nfrom = 'keyboard'\nto = ['display', 'sensor']\nfunction = 'checked_tare'\nreason = ' sealed '\n\
         [[declassify]]\nfrom = '*'\nto = 'disp*'\nlocation = 'a.c:3'\nin_function = 'f'\noptional = true\nreason = 'r'\n",
    );
    let [first, second] = &policy.declassify[..] else { panic!() };
    assert_eq!((first.from.len(), first.to.len(), first.reason.as_str()), (1, 2, "sealed"));
    assert!(matches!(first.through, Through::Function(_)) && matches!(second.through, Through::Location(_)));
    assert_eq!((second.from.len(), second.to.len(), second.optional), (3, 1, true));
    let start = "[[declassify]]\nfrom = 'keyboard'\nto = 'display'\n";
    assert_wrong(&format!("{start}variable = 'x'\nreason = ' '\n"), "`reason` is empty", "' '", "say why");
    assert_wrong(&format!("{start}variable = 'x'\nreasons = ' '\n"), "no key `reasons`", "reasons", "`reason`?");
    assert_wrong(
        "[[declassify]]\nfrom = 'x*'\nto = 'display'\nvariable = 'x'\nreason = 'r'\n",
        "no domain `x*`",
        "'x*'",
        "`sensor`",
    );
    let told = |text: &str| mistake(&format!("{DOMAINS}{text}")).2;
    assert_eq!(told(&format!("{start}variable = 'x'\n")), "`reason` is missing");
    assert_eq!(told("[[declassify]]\nto = 'display'\nvariable = 'x'\nreason = 'r'\n"), "`from` is missing");
    assert_eq!(told(&format!("{start}reason = 'r'\n")), "no key here does");
}

#[test]
fn assumptions_have_conditions_over_variables() {
    use super::condition::names;
    use super::selector::AssumeScope;
    let text = "[[assume]]\nlocation = 'scale.c:22-32'\ncondition = 'e_puf[idx] >= 65 && e_puf[idx] <= 90'\nreason = 'letters'\n\
                [[assume]]\nfunction = 'f'\ncondition = ['a < 1', 'b.c == 2']\n";
    let policy = with_domains(text);
    let [first, second] = &policy.assume[..] else { panic!() };
    assert!(matches!(&first.scope, AssumeScope::Location(l) if l[0].value.last == 32));
    assert_eq!(
        (first.reason.as_deref(), second.reason.as_deref(), second.conditions.len()),
        (Some("letters"), None, 2)
    );
    let condition = &first.conditions[0];
    let (name, at) = names(&condition.value.expr)[1];
    let at = policy.origin.part(condition.at, &condition.value.text, at);
    assert_eq!((name, policy.origin.text(at)), ("idx", "idx"));
    let start = "[[assume]]\nlocation = 'a.c:1'\n";
    assert_wrong(&format!("{start}condition = 'idx = 3'\n"), "bad `condition`: `=` changes a variable", "=", "`==`?");
    assert_wrong(&format!("{start}condition = 'f(x) > 3'\n"), "calls are not known", "f(", "");
    assert_wrong(&format!("{start}condition = ''\n"), "the condition is empty", "''", "idx < 10");
    assert!(mistake(start).2.contains("`condition` is missing"));
    assert!(mistake("[[assume]]\ncondition = 'a'\n").2.contains("no key here does"));
}

#[test]
fn data_types_and_threads_are_read() {
    use super::selector::{Instances, ThreadKind};
    let policy = with_domains(
        "[[adt]]\nname = 'stack'\noperations = { push = 'stk_push(*1, 2)', pop = 'stk_pop(*1)', top = 'stk_top(*1)' }\n\
         equations = ['top(push(x, s)) = x', 'pop(push(x, s)) = s']\n\
         [[thread]]\nentry = ['uart_isr', 'a.c::tick']\nkind = 'interrupt'\npriority = 3\n[[thread]]\nentry = 'worker'\ninstances = 'many'\n",
    );
    let adt = &policy.adts[0];
    assert_eq!((adt.name.as_str(), adt.operations.len(), adt.equations.len()), ("stack", 3, 2));
    assert_eq!(adt.equations[1].value.to_string(), "pop(push(x, s)) = s");
    let [isr, worker] = &policy.threads[..] else { panic!() };
    assert_eq!(
        (isr.kind, isr.priority, isr.instances, isr.entry.len()),
        (ThreadKind::Interrupt, Some(3), Instances::One, 2)
    );
    assert_eq!((worker.kind, worker.priority, worker.instances), (ThreadKind::Task, None, Instances::Many));
    let adt = |rest: &str| format!("[[adt]]\nname = 'stack'\n{rest}\n");
    let text = adt("operations = { push = 'stk_push(*1, 2)' }\nequations = ['top(psh(x, s)) = x']");
    assert_wrong(&text, "bad `equations`: there is no operation `psh`", "psh", "did you mean `push`?");
    let text = adt("operations = { push = 'stk_push(*1, 2)' }\nequations = ['push(x) = x']");
    assert_wrong(&text, "1 argument here and 2 arguments before", "push", "");
    assert_wrong(
        &adt("operations = { push = 'stk_push' }\nequations = 'f(x) = x'"),
        "arguments are missing",
        "stk_push",
        "*N",
    );
    assert_wrong(&adt("operations = 3\nequations = 'f(x) = x'"), "`operations` has to be a table", "3", "");
    assert_wrong(&adt("equations = ['f(x) = y']"), "no variable `y`", "y", "x");
    assert_wrong(&adt("equations = []"), "`equations` is empty", "[]", "");
    assert!(mistake("[[adt]]\nname = 'x'\n").0.contains("needs `equations`"));
    assert!(mistake("[[adt]]\nequations = 'f(x) = x'\n").0.contains("needs `name`"));
    assert_wrong(
        "[[thread]]\nentry = 'f'\nkind = 'interupt'\n",
        "cannot be",
        "'interupt'",
        "did you mean \"interrupt\"?",
    );
    assert_wrong("[[thread]]\nentry = 'f()'\n", "not the name of a function", "f()", "");
    assert_wrong("[[thread]]\nentry = 'f'\npriority = 'high'\n", "has to be an integer", "'high'", "");
    assert!(mistake("[[thread]]\nkind = 'task'\n").2.contains("`entry` is missing"));
}
