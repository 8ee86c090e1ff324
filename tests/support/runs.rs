//! What a program does with every input and every secret: whether `sink()` tells anything about what `src()` gave.
//!
//! A program is a text without headers, with an entry, that calls `int src(void)`, `int in(void)` and `void sink(int)` and does not define them. Here they
//! get bodies: `src()` and `in()` give the next value of their script, `sink()` prints. All scripts over small domains are run. Two runs with the same script
//! of `in()` that print something else are a flow; if the program masks what it reads to the domains, no such two runs are a proof that there is none.
//!
//! The program that is run is the one that is asked about, with those bodies: its `main` calls the entry once.
//!
//! A run that does not end, or that reads more than its scripts have, is compared as far as it went: running forever is not visible.

use flowcheck::base::progress::Progress;
use flowcheck::interp::{self, End, Setup};
use flowcheck::ir::{self, Options, Program};
use flowcheck::source::{DataModel, Sources, of_texts};

/// The values that are tried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Domain {
    /// What `src()` may give.
    pub secrets: Vec<i32>,
    /// What `in()`, and a parameter of the entry, may be.
    pub inputs: Vec<i32>,
}

/// What was found by running a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Truth {
    /// Two runs that differ in secrets only, and at a sink.
    pub flow: Option<Difference>,
    /// How many runs were made.
    pub runs: usize,
    /// Whether a sink was reached in some run.
    pub sinks: bool,
}

/// Two runs that differ at a sink.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The inputs of both.
    pub inputs: Vec<i32>,
    /// The secrets of each.
    pub secrets: [Vec<i32>; 2],
    /// What each showed.
    pub shown: [String; 2],
}

/// Scripts are not made longer where there would be more runs than this.
const MOST_RUNS: usize = 7_000;
/// Instructions of one run.
const MOST_STEPS: u64 = 50_000;
/// Values are sent as bytes.
const OFFSET: i32 = 100;

/// What makes an entry a program that calls it once: it starts with its statics as they are initialised. Parameters are inputs.
pub fn with_main(text: &str, entry: &str, parameters: usize) -> String {
    let reads: Vec<String> = (0..parameters).map(|i| format!("int p{i} = in(); ")).collect();
    let arguments: Vec<String> = (0..parameters).map(|i| format!("p{i}")).collect();
    format!("{text}\nint main(void) {{ {}{entry}({}); return 0; }}\n", reads.concat(), arguments.join(", "))
}

/// What makes it run. The first two bytes of standard input are the lengths of the scripts.
fn driver() -> String {
    format!(
        "int getchar(void); int printf(const char *, ...); void exit(int);
static int src_left, in_left, is_read; static signed char src_script[64], in_script[64], *src_next = src_script, *in_next = in_script;
static void read_scripts(void) {{
    if (is_read) return;
    is_read = 1; src_left = getchar(); in_left = getchar();
    for (int i = 0; i < src_left; i++) src_script[i] = getchar() - {OFFSET};
    for (int i = 0; i < in_left; i++) in_script[i] = getchar() - {OFFSET};
}}
int src(void) {{ read_scripts(); if (src_left-- > 0) return *src_next++; printf(\"S\"); exit(0); }}
int in(void) {{ read_scripts(); if (in_left-- > 0) return *in_next++; printf(\"I\"); exit(0); }}
void sink(int v) {{ printf(\"%d\\n\", v); }}
"
    )
}

/// A program with all that it needs to run.
pub fn complete(text: &str, entry: &str, parameters: usize) -> String {
    with_main(text, entry, parameters) + &driver()
}

/// Standard input for these scripts.
pub fn script(secrets: &[i32], inputs: &[i32]) -> Vec<u8> {
    let byte = |v: &i32| u8::try_from(v + OFFSET).expect("values are small");
    [secrets.len() as u8, inputs.len() as u8].into_iter().chain(secrets.iter().chain(inputs).map(byte)).collect()
}

/// Reads a text without headers.
pub fn read(name: &str, text: &str) -> Result<(Program, Sources), String> {
    let loaded = of_texts(vec![(name.into(), text.as_bytes().to_vec())], DataModel::lp64());
    let lowered = ir::lower(&loaded.sources, &Options { jobs: 1, ..Options::default() }, &Progress::silent());
    let program = lowered.program.ok_or_else(|| format!("{name}: {:?}", lowered.diagnostics))?;
    Ok((program, loaded.sources))
}

/// What one run showed.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Shown {
    text: String,
    /// It ended by itself.
    ended: bool,
}

/// What a script was too short for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Short {
    Secrets,
    Inputs,
}

fn run(program: &Program, secrets: &[i32], inputs: &[i32]) -> Result<(Shown, Option<Short>), String> {
    let setup = Setup {
        args: vec![b"program".to_vec()],
        stdin: script(secrets, inputs),
        max_steps: MOST_STEPS,
        max_memory: 1 << 20,
        ..Setup::default()
    };
    let outcome = interp::run(program, &setup);
    let mut text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let short = match text.chars().last() {
        Some('S') => Some(Short::Secrets),
        Some('I') => Some(Short::Inputs),
        _ => None,
    };
    if short.is_some() {
        text.pop();
    }
    let ended = match outcome.end {
        End::Exit(_) | End::Signal(_) => short.is_none(),
        End::Limit => false,
        End::Trap { message, .. } => return Err(format!("secrets {secrets:?}, inputs {inputs:?}: {message}")),
    };
    Ok((Shown { text, ended }, short))
}

/// Whether two runs can be told apart.
fn differ(a: &Shown, b: &Shown) -> bool {
    match (a.ended, b.ended) {
        (true, true) => a.text != b.text,
        (true, false) => !a.text.starts_with(&b.text),
        (false, true) => !b.text.starts_with(&a.text),
        (false, false) => !a.text.starts_with(&b.text) && !b.text.starts_with(&a.text),
    }
}

/// All words of a length over some values.
fn words(values: &[i32], length: usize) -> Vec<Vec<i32>> {
    let longer = |words: Vec<Vec<i32>>, _| {
        let with = |word: Vec<i32>| values.iter().map(move |v| word.iter().copied().chain([*v]).collect());
        words.into_iter().flat_map(with).collect()
    };
    (0..length).fold(vec![Vec::new()], longer)
}

/// Runs a program with all scripts; what it does that C leaves open is an error.
pub fn truth(text: &str, entry: &str, parameters: usize, domain: &Domain) -> Result<Truth, String> {
    let (program, _) = read("runs.c", &complete(text, entry, parameters))?;
    let mut lengths = (1, parameters);
    'longer: loop {
        let scripts = (words(&domain.secrets, lengths.0), words(&domain.inputs, lengths.1));
        let count = |secrets: usize, inputs: usize| {
            domain.secrets.len().saturating_pow(secrets as u32) * domain.inputs.len().saturating_pow(inputs as u32)
        };
        let mut found = Truth { flow: None, runs: scripts.0.len() * scripts.1.len(), sinks: false };
        for inputs in &scripts.1 {
            // What was shown with these inputs, each text once.
            let mut seen: Vec<(Shown, &[i32])> = Vec::new();
            for secrets in &scripts.0 {
                let (shown, short) = run(&program, secrets, inputs)?;
                match short {
                    Some(Short::Secrets) if count(lengths.0 + 1, lengths.1) <= MOST_RUNS => {
                        lengths.0 += 1;
                        continue 'longer;
                    }
                    Some(Short::Inputs) if count(lengths.0, lengths.1 + 1) <= MOST_RUNS => {
                        lengths.1 += 1;
                        continue 'longer;
                    }
                    Some(Short::Secrets | Short::Inputs) | None => {}
                }
                found.sinks |= !shown.text.is_empty();
                if seen.iter().any(|(other, _)| *other == shown) {
                    continue;
                }
                if let Some((other, others)) = seen.iter().find(|(other, _)| differ(other, &shown))
                    && found.flow.is_none()
                {
                    found.flow = Some(Difference {
                        inputs: inputs.clone(),
                        secrets: [others.to_vec(), secrets.clone()],
                        shown: [other.text.clone(), shown.text.clone()],
                    });
                }
                seen.push((shown, secrets));
            }
        }
        return Ok(found);
    }
}

#[test]
fn all_runs_tell_flows_from_their_absence() {
    let domain = Domain { secrets: vec![0, 1], inputs: vec![0, 1, 2] };
    let head = "int src(void); int in(void); void sink(int);";
    for (body, parameters, flows) in [
        ("void t(void) { sink(src()); }", 0, true),
        ("void t(void) { src(); sink(in()); }", 0, false),
        ("void t(void) { if (src()) sink(1); else sink(1); }", 0, false),
        ("void t(void) { int s = src(); if (in() == 2) sink(s & 1); }", 0, true),
        ("void t(int a, int b) { int s = src(); if (a > b) if (a < b) sink(s); }", 2, false),
        ("void t(int a, int b) { int s = src(); if (a > b) if (b == 1) sink(s); }", 2, true),
        ("void t(void) { int a = src(), b = src(); sink(a ^ b); }", 0, true),
        // Running forever is not visible; what was shown before is.
        ("void t(void) { sink(1); while (src()) ; sink(2); }", 0, false),
        ("void t(void) { sink(1); if (src()) for (;;) sink(3); sink(2); }", 0, true),
        ("void abort(void); void t(void) { if (src()) abort(); sink(2); }", 0, true),
        ("void t(void) { for (;;) { if (in() == 2) sink(src()); } }", 0, true),
        ("void t(void) { for (;;) { src(); sink(1); } }", 0, false),
    ] {
        let found = truth(&format!("{head}\n{body}"), "t", parameters, &domain).expect("no trap");
        assert_eq!(found.flow.is_some(), flows, "{body}\n{found:?}");
    }
    let trap = truth(&format!("{head} void t(void) {{ sink(1 / src()); }}"), "t", 0, &domain);
    assert!(trap.is_err(), "{trap:?}");
}
