//! Broken input never panics and never hangs: truncated, spliced and mutated C text and `compile_commands.json`.
//!
//! `FLOWCHECK_MUTANTS=N` tries N mutants a program instead of the default, `FLOWCHECK_SEED=S` others. For longer, guided runs there
//! are the targets in `fuzz/`.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::generator::Random;
use flowcheck::base::parallel;
use flowcheck::base::progress::Progress;
use flowcheck::ir::{self, Options};
use flowcheck::source::{DataModel, Request, Severity, of_texts, show};

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Runs the front end over a text; whatever it says, it must say it and go on.
fn survives(text: &[u8]) -> bool {
    let loaded = of_texts(vec![("mutant.i".into(), text.to_vec())], DataModel::lp64());
    let options = Options { jobs: 1, ..Options::default() };
    let lowered = ir::lower(&loaded.sources, &options, &Progress::silent());
    let mut shown = Vec::new();
    for diagnostics in [&loaded.diagnostics, &lowered.diagnostics] {
        show::render(&loaded.sources, diagnostics, false, &mut shown).expect("writing to memory");
    }
    let failed = loaded.diagnostics.iter().chain(&lowered.diagnostics).any(|d| d.severity == Severity::Error);
    assert!(failed || lowered.program.is_some(), "neither an error nor a program");
    assert!(!failed || !shown.is_empty(), "an error that is not shown");
    !failed
}

/// The corpus without its `#include`s, as preprocessed text: most of it is well-formed, calls of libc are implicit.
fn seeds() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run");
    let mut seeds = Vec::new();
    for (_, files) in crate::support::programs(&root) {
        for file in files {
            let text = std::fs::read_to_string(file).expect("a readable program");
            let kept: Vec<&str> =
                text.lines().filter(|l| !l.trim_start().starts_with('#') && !l.starts_with("//")).collect();
            seeds.push(kept.join("\n").into_bytes());
        }
    }
    seeds
}

const TOKENS: [&str; 48] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "&&",
    "?:",
    "?",
    ":",
    "=",
    "==",
    "->",
    ".",
    "...",
    "struct",
    "union",
    "enum",
    "int",
    "unsigned long",
    "typedef",
    "static",
    "sizeof",
    "_Generic(",
    "__attribute__((",
    "asm goto(",
    "case 1:",
    "default:",
    "goto *",
    "&&x",
    "return",
    "0x",
    "'\\",
    "\"",
    "\\",
    "#pragma pack(1)\n",
    "# 1 \"f\"\n",
    "__typeof__(",
    "({",
    "})",
    "-1",
    "1e999",
    "_Alignas(3)",
    "\u{00e9}",
];

fn mutate(random: &mut Random, text: &[u8], other: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..=random.below(4) {
        if text.is_empty() {
            break;
        }
        let at = random.below(text.len());
        let end = (at + 1 + random.below(40)).min(text.len());
        match random.below(7) {
            0 => text.truncate(at),
            1 => {
                text.drain(at..end);
            }
            2 => text[at] = random.pick(b"(){}[];,*&=<>\"'\\#0aX \n\xff\0"),
            3 => {
                let token = random.pick(&TOKENS);
                text.splice(at..at, format!(" {token} ").into_bytes());
            }
            4 => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len());
                text.splice(to..to, piece);
            }
            5 if !other.is_empty() => {
                let from = random.below(other.len());
                let piece = other[from..(from + 200).min(other.len())].to_vec();
                text.splice(at..end, piece);
            }
            _ => {
                let token = random.pick(&TOKENS);
                text.splice(at..end, token.bytes());
            }
        }
    }
    text
}

#[test]
fn mutated_programs_are_read_or_refused() {
    let seeds = seeds();
    let mutants = number("FLOWCHECK_MUTANTS", 40);
    let start = number("FLOWCHECK_SEED", 1);
    let indices: Vec<usize> = (0..seeds.len()).collect();
    let read = AtomicUsize::new(0);
    parallel::map(&indices, 2, |_, i| {
        let mut random = Random::new(start * 1000 + *i as u64);
        for _ in 0..mutants {
            let other = &seeds[random.below(seeds.len())];
            let text = mutate(&mut random, &seeds[*i], other);
            let Ok(survived) = std::panic::catch_unwind(|| survives(&text)) else {
                panic!("this text breaks the front end:\n{}", String::from_utf8_lossy(&text));
            };
            read.fetch_add(usize::from(survived), Ordering::Relaxed);
        }
    });
    // Mutants that are all refused at the first token would prove nothing.
    let read = read.into_inner();
    println!("{read} of {} mutants are still programs", seeds.len() as u64 * mutants);
    assert!(read > 0);
}

#[test]
fn odd_texts_are_read_or_refused() {
    let nested = |open: &str, inner: &str, close: &str, n: usize| {
        format!("int x; int f(void) {{ return {}{inner}{}; }}", open.repeat(n), close.repeat(n)).into_bytes()
    };
    let texts: Vec<(&str, Vec<u8>, Option<bool>)> = vec![
        ("empty", Vec::new(), Some(true)),
        ("no newline at the end", b"int x;".to_vec(), Some(true)),
        ("CRLF", b"int x;\r\nint f(void)\r\n{ return x; }\r\n".to_vec(), Some(true)),
        ("Latin-1 in a string", b"char s[] = \"\xe9t\xe9\";".to_vec(), Some(true)),
        ("NUL bytes", b"int x\0;\0".to_vec(), None),
        ("only a marker", b"# 1 \"x.c\"\n".to_vec(), Some(true)),
        ("marker without a file", b"# 99999999999 \"\nint x;".to_vec(), None),
        ("50,000 parentheses", nested("(", "x", ")", 50_000), None),
        ("500 parentheses", nested("(", "x", ")", 500), Some(true)),
        ("200 casts", nested("(int)(", "x", ")", 200), Some(true)),
        ("50,000 unary operators", nested("- ", "x", "", 50_000), None),
        ("50,000 nots", nested("!", "x", "", 50_000), None),
        (
            "a row of increments before no operand",
            b"int f(int x) { return ++++++++++++++++++++++++++++++++++++++++++++; }".to_vec(),
            Some(false),
        ),
        (
            "increments and signs before no operand",
            format!("int f(int x) {{ return {}; }}", "++ + ".repeat(40)).into_bytes(),
            Some(false),
        ),
        ("50,000 stars", nested("*", "x", "", 50_000), None),
        ("10,000 terms", nested("x+", "x", "", 10_000), Some(true)),
        ("5,000 conditionals", nested("x ? x : ", "x", "", 5_000), None),
        ("50,000 braces", format!("void f(void) {}{}", "{".repeat(50_000), "}".repeat(50_000)).into_bytes(), None),
        (
            "20,000 else-ifs",
            format!("int x; void f(void) {{ {} ; }}", "if (x) ; else ".repeat(20_000)).into_bytes(),
            None,
        ),
        ("50,000 brackets", format!("int a{};", "[1]".repeat(50_000)).into_bytes(), None),
        (
            "30 function declarators",
            format!("int {}f{};", "(*".repeat(30), ")(void)".repeat(30)).into_bytes(),
            Some(true),
        ),
        ("huge array", b"int a[1ul << 40]; int b[1ul << 60][1ul << 60];".to_vec(), None),
        ("huge initialiser index", b"int a[] = { [1ul << 50] = 1 };".to_vec(), None),
        ("recursive struct", b"struct s { struct s s; } x;".to_vec(), Some(false)),
        ("self-referential typeof", b"__typeof__(x) x;".to_vec(), Some(false)),
        ("division by zero", b"int a[1 / 0]; enum { E = 5 % 0 };".to_vec(), Some(false)),
        ("negative length", b"int a[-5];".to_vec(), Some(false)),
        ("case outside a switch", b"void f(void) { case 1: ; break; continue; }".to_vec(), Some(false)),
        ("undeclared", b"int f(void) { return y; }".to_vec(), Some(false)),
        (
            "goto into a statement expression",
            b"int f(int x) { if (x) goto in; return x + ({ in: x; }); }".to_vec(),
            Some(false),
        ),
        (
            "case in a statement expression",
            b"int f(int x) { switch (x) { default: return ({ case 2: x; }); } }".to_vec(),
            Some(false),
        ),
        (
            "computed goto into a statement expression",
            b"int f(int x) { void *p = &&in; goto *p; return x + ({ in: x; }); }".to_vec(),
            Some(false),
        ),
        (
            "goto out of a statement expression",
            b"int f(int x) { a: return x + ({ if (x) goto a; x; }); }".to_vec(),
            Some(true),
        ),
        (
            "a call before a definition that does not agree",
            b"int g(void) { return f(1, 2.5); } int f(int a, double *p, struct { int x; } s) { return a; }".to_vec(),
            Some(true),
        ),
        ("unterminated", b"int f(void) { char *s = \"abc".to_vec(), Some(false)),
    ];
    for (name, text, expected) in texts {
        let read = survives(&text);
        if let Some(expected) = expected {
            assert_eq!(read, expected, "{name}");
        }
    }
}

#[test]
fn mutated_compile_commands_are_read_or_refused() {
    let dir = tempfile::tempdir().expect("a scratch folder");
    std::fs::write(dir.path().join("a.c"), "int main(void) { return 0; }\n").expect("a scratch file");
    let folder = dir.path().display();
    let good = format!(
        r#"[{{"directory": "{folder}", "file": "a.c", "arguments": ["gcc", "-DX=1", "-Iinc", "-O2", "-c", "a.c"]}},
{{"directory": "{folder}", "file": "{folder}/a.c", "command": "cc -D'Y=\"2\"' -o a.o -c a.c"}}]"#
    );
    let json = dir.path().join("compile_commands.json");
    let mut random = Random::new(number("FLOWCHECK_SEED", 1));
    let mut read = 0;
    for i in 0..number("FLOWCHECK_MUTANTS", 40) * 2 {
        let text = if i == 0 { good.clone().into_bytes() } else { mutate(&mut random, good.as_bytes(), b"{}[]null\"") };
        std::fs::write(&json, &text).expect("a scratch file");
        let request = Request { compile_commands: Some(json.clone()), jobs: 1, ..Request::default() };
        let options = Options { jobs: 1, ..Options::default() };
        if flowcheck::read(&request, &options, &Progress::silent()).is_ok_and(|r| r.program.is_some()) {
            read += 1;
        }
    }
    assert!(read > 0, "the text that is not mutated reads");
}
