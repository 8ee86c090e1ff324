//! How fast the front end is, on one core: time of each phase, million preprocessed lines a second, peak memory.
//!
//! `cargo bench --bench front_end -- [--lines N] [FILE.i]...`: preprocessed files, or an input of our own with N lines.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use flowcheck::base::progress::Progress;
use flowcheck::ir::{Form, Options};
use flowcheck::source::{Request, Severity};

/// As the binary has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const DEFAULT_LINES: usize = 200_000;

fn main() -> ExitCode {
    let mut lines = DEFAULT_LINES;
    let mut files = Vec::new();
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            // What cargo passes to every benchmark.
            "--bench" => {}
            "--lines" => match args.next().and_then(|n| n.parse().ok()) {
                Some(n) => lines = n,
                None => return complain("--lines needs a number"),
            },
            _ => files.push(PathBuf::from(arg)),
        }
    }
    let scratch = match tempfile::tempdir() {
        Ok(scratch) => scratch,
        Err(error) => return complain(&format!("no scratch folder: {error}")),
    };
    if files.is_empty() {
        let file = scratch.path().join("generated.i");
        if let Err(error) = std::fs::write(&file, generate(lines)) {
            return complain(&format!("{}: {error}", file.display()));
        }
        files.push(file);
    }
    println!("{:<24} {:<12} {:>12} {:>10} {:>10}", "file", "phase", "lines", "seconds", "MLOC/s");
    for file in files {
        if let Err(message) = measure(&file) {
            return complain(&message);
        }
    }
    match peak_memory() {
        Some(kib) => println!("peak memory: {:.0} MB", kib as f64 * 1024.0 / 1e6),
        None => println!("peak memory: not told by this system"),
    }
    ExitCode::SUCCESS
}

fn complain(message: &str) -> ExitCode {
    eprintln!("front_end: {message}");
    ExitCode::FAILURE
}

/// Reads one file on one thread and prints a row for each phase.
fn measure(file: &PathBuf) -> Result<(), String> {
    let text = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lines = text.split(|byte| *byte == b'\n').count();
    let progress = Progress::silent();
    let request = Request { paths: vec![file.clone()], jobs: 1, ..Request::default() };
    let options = Options { form: Form::Ssa, jobs: 1, ..Options::default() };
    let started = Instant::now();
    let read = flowcheck::read(&request, &options, &progress).map_err(|error| format!("{error}"))?;
    let total = started.elapsed();
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let row = |phase: &str, took: Duration| {
        let seconds = took.as_secs_f64();
        println!("{name:<24} {phase:<12} {lines:>12} {seconds:>10.3} {:>10.3}", lines as f64 / seconds / 1e6);
    };
    for (phase, took) in progress.timings() {
        row(&phase, took);
    }
    row("text to SSA", total);
    match read.diagnostics.iter().find(|d| d.severity == Severity::Error) {
        Some(error) => Err(format!("{}: {}", file.display(), error.message)),
        None => Ok(()),
    }
}

/// The most memory this process ever held, in KiB.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// C of about so many lines: functions with loops, branches, a switch, structures, pointers, arrays, calls of each other.
fn generate(lines: usize) -> String {
    const EACH: usize = 38;
    let mut text = String::from(
        "struct item { int key; unsigned flags : 5; long weight; struct item *next; char name[16]; };\n\
         static int table[256];\nextern int puts(const char *);\nint f0(struct item *list, int n) { return list ? n : 0; }\n",
    );
    for i in 1..=lines.div_ceil(EACH) {
        write!(
            text,
            "int f{i}(struct item *list, int n) {{
    struct item local = {{ .key = {i}, .flags = 3, .name = \"item {i}\" }};
    int sum = 0, best = -1;
    unsigned char bytes[8] = {{ 1, 2, [5] = {i} & 255 }};
    for (struct item *at = list; at; at = at->next) {{
        if (at->key > best && (at->flags & 1) != 0) {{
            best = at->key;
            sum += (int)(at->weight >> 3);
        }} else if (at->key == n || at->name[0] == 'x') {{
            continue;
        }} else {{
            sum -= at->key * 3 % 17;
        }}
        local.weight += at->weight;
    }}
    int i = 0;
    while (i < 8) {{
        bytes[i] ^= (unsigned char)(sum + i);
        table[(i + n) & 255] += bytes[i] ? bytes[i] : best;
        i++;
    }}
    switch (n & 7) {{
    case 0:
        sum = f{previous}(&local, n - 1);
        break;
    case 1:
    case 2:
        sum += local.flags;
        /* fall through */
    case 3:
        local.next = list;
        break;
    default:
        do {{
            sum = sum > {i} ? sum / 2 : sum + 1;
        }} while (sum > n && n > 0);
    }}
    return sum + best + (local.next == list) + table[n & 255];
}}
",
            previous = i - 1,
        )
        .expect("writing to memory");
    }
    text.replace("        /* fall through */\n", "")
}
