//! Policies as users write them, from files on disk: the one of the documents, comments in C, and broken ones.

use std::path::{Path, PathBuf};

use flowcheck::base::progress::Progress;
use flowcheck::error::UserError;
use flowcheck::policy::annotation::{self, MarkKind};
use flowcheck::policy::selector::What;
use flowcheck::policy::{self, Policy};
use flowcheck::source::{self, Request, show};

/// Everything that a policy can say, once.
const WHOLE: &str = r#"
version = 1
name = "Calibration path"

[domains]
sensor   = "raw sensor data"
keyboard = "operator input"
display  = "the displayed weight"

[flows]
allow = ["sensor -> display"]

[[source]]
domain = "sensor"
variable = "main::p_ab"

[[source]]
domain = "keyboard"
variable = ["main::p_cd", "scale.c::state.key"]

[[sink]]
domain = "display"
function = "printf"
arguments = [3, "5.."]
with = { 1 = ["stderr", "log_fp"] }

[[place]]
domain = "keyboard"
region = "ui/*.c"
except = ["ui/log.c", "ui_debug"]
observe = "value"

[[source]]
domain = "sensor"
register = ["PORTB", "GPIOA->ODR"]
in_file = "drivers/"

[[source]]
domain = "sensor"
address = 0x25
optional = true

[[sink]]
domain = "display"
location = "scale.c:12-20"

[[declassify]]
from = "keyboard"
to = ["display"]
function = "checked_tare"
reason = "tare is sealed, see protocol 4.2"

[[assume]]
location = "scale.c:22-32"
condition = "e_puf[idx] >= 65 && e_puf[idx] <= 90"
reason = "the keypad has letters only"

[[model]]
function = "adc_read"
flows = ["return <- input"]

[[adt]]
name = "map"
equations = ["get(put(m, k, v), j) = k == j ? v : get(m, j)"]

[[thread]]
entry = "uart_isr"
kind = "interrupt"

[build]
cc = "gcc"

[analysis]
entry = ["main"]
"#;

fn written(text: &str) -> Result<Policy, UserError> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("flowcheck.toml");
    std::fs::write(&file, text).expect("a scratch file");
    policy::read(&file)
}

#[test]
fn a_whole_policy_is_read() {
    let policy = written(WHOLE).expect("a good policy");
    assert_eq!((policy.name.as_str(), policy.domains.len(), policy.selectors.len()), ("Calibration path", 3, 7));
    let of = |name| policy.domains.find(name).expect("a domain");
    assert!(
        policy.domains.allowed(of("sensor"), of("display")) && !policy.domains.allowed(of("keyboard"), of("display"))
    );
    assert_eq!(policy.domains.forbidden().count(), 5);
    let What::Variable(keys) = &policy.selectors[1].what else { panic!("{:?}", policy.selectors[1]) };
    let key = &keys[1].value;
    assert!(
        key.file.as_ref().is_some_and(|file| file.matches(Path::new("src/scale.c"))) && key.fields[0].matches("key")
    );
    assert_eq!(policy.origin.text(keys[1].at), "scale.c::state.key");
    assert_eq!((policy.declassify.len(), policy.assume.len(), policy.adts.len(), policy.threads.len()), (1, 1, 1, 1));
}

#[test]
fn each_part_of_a_policy_can_be_wrong_at_its_place() {
    for (good, bad, at) in [
        ("allow = [\"sensor ->", "allow = [\"senso ->", "senso"),
        ("domain = \"sensor\"", "domain = \"sensors\"", "\"sensors\""),
        ("main::p_ab", "main:p_ab", "main:p_ab"),
        ("variable = \"main", "variabl = \"main", "variabl"),
        ("[3, \"5..\"]", "[0]", "0"),
        ("[3, \"5..\"]", "[\"5...\"]", "\"5...\""),
        ("{ 1 = [", "{ one = [", "one"),
        ("\"ui/log.c\", ", "\"ui/[.c\", ", "ui/[.c"),
        ("scale.c:12-20", "scale.c:12-2", "12-2"),
        ("reason = \"tare is sealed, see protocol 4.2\"", "reason = \"\"", "\"\""),
        ("&& e_puf", "&& <= e_puf", "<="),
        ("k == j ?", "k = j ?", "="),
        ("\"interrupt\"", "\"irq\"", "\"irq\""),
        ("return <- input", "return <- inputs", "inputs"),
    ] {
        assert!(WHOLE.contains(good), "{good}");
        let text = WHOLE.replacen(good, bad, 1);
        match written(&text) {
            Err(UserError::InFile { at: span, message, .. }) => {
                assert_eq!(&text[span.offset()..span.offset() + span.len()], at, "{message}");
            }
            other => panic!("{bad}: {other:?}"),
        }
    }
}

#[test]
fn a_cut_or_damaged_policy_is_refused_without_a_panic() {
    let step = 7;
    for end in (0..WHOLE.len()).step_by(step).filter(|end| WHOLE.is_char_boundary(*end)) {
        let _ = policy::parse(&WHOLE[..end], "p.toml");
        for stray in ["\"", "[", "(", "-", "\u{e9}", "::", "*", "\\", "0", " "] {
            let _ = policy::parse(&format!("{}{stray}{}", &WHOLE[..end], &WHOLE[end..]), "p.toml");
            let after = WHOLE[end..].char_indices().nth(1).map_or("", |(at, _)| &WHOLE[end + at..]);
            let _ = policy::parse(&format!("{}{stray}{after}", &WHOLE[..end]), "p.toml");
        }
    }
}

/// A project of C files, loaded with gcc.
fn load(files: &[(&str, &str)]) -> (tempfile::TempDir, source::Sources) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a scratch file");
    }
    let request = Request { paths: vec![PathBuf::from(folder.path())], jobs: 1, ..Request::default() };
    let loaded = source::load(&request, &Progress::silent()).expect("gcc is there");
    (folder, loaded.sources)
}

#[test]
fn comments_survive_preprocessing() {
    let main = "#include <stdio.h>\n#include \"keys.h\"\n#define SHOW(x) printf(\"%d\", x)\nint main(void) {\n    \
                int key = read_key(); // flowcheck: source(keyboard)\n    // [XASSERT] key >= 65;\n    // key <= 90;\n    \
                // flowcheck: sink(display)\n    SHOW(key);\n    // [END XASSERT]\n    return 0;\n}\n";
    let header = "/* flowcheck: allow(keys are public,\n * see 3.1) */\nint read_key(void);\n";
    let good = header.replace("public,\n * see 3.1", "public");
    let (_folder, sources) = load(&[("main.c", main), ("keys.h", &good)]);
    let policy = written(WHOLE).expect("a good policy");
    let (found, diagnostics) = annotation::read(&sources, &policy);
    assert_eq!(diagnostics, []);
    let name = |file: &Path| file.file_name().expect("a file").to_string_lossy().into_owned();
    let mut marks: Vec<(String, u32, &MarkKind)> =
        found.marks.iter().map(|m| (name(&m.file), m.line, &m.kind)).collect();
    marks.sort_by_key(|(file, line, _)| (file.clone(), *line));
    let (keyboard, display) =
        (policy.domains.find("keyboard").expect("one"), policy.domains.find("display").expect("one"));
    assert_eq!(
        marks,
        [
            ("keys.h".to_owned(), 2, &MarkKind::Allow("keys are public".into())),
            ("main.c".to_owned(), 5, &MarkKind::Source(keyboard)),
            ("main.c".to_owned(), 9, &MarkKind::Sink(display)),
        ]
    );
    let scope = found.scopes.iter().next().expect("a scope");
    assert_eq!((scope.first, scope.last, scope.conditions.len()), (8, 9, 2));

    // A reason has to end on its line.
    let (_folder, sources) = load(&[("main.c", main), ("keys.h", header)]);
    let (_, diagnostics) = annotation::read(&sources, &policy);
    let mut shown = Vec::new();
    show::render(&sources, &diagnostics, false, &mut shown).expect("writing to memory");
    let shown = String::from_utf8(shown).expect("text");
    assert!(shown.contains("not closed on this line") && shown.contains("keys.h:1:20"), "{shown}");
    assert!(shown.contains("1 | /* flowcheck: allow(keys are public,"), "{shown}");
}
