//! What runs beside the program reaches it: interrupts, threads, handlers of signals, functions that run at exit.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn flowcheck(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flowcheck"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts")
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a scratch file");
    }
    folder
}

/// The lines that influence what is on a line.
fn slice(files: &[(&str, &str)], to: u32) -> Vec<u32> {
    let folder = folder(files);
    let output = flowcheck(folder.path(), &["slice", "--to", &format!("a.c:{to}"), "--format", "json", "a.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let lines = json["lines"].as_array().expect("lines").iter();
    lines.map(|line| line["line"].as_u64().expect("a number") as u32).collect()
}

const INTERRUPT: &str = "static int key;
static volatile int ready;
@
{
    ready = key;
}
int main(void)
{
    key = 7;
    int unrelated = 3;
    while (!ready)
        ;
    return 0;
}
";

/// The handler's write (line 5) and what it writes (line 9) reach the condition of the loop.
fn assert_reaches(text: &str, policy: &str) {
    let mut files = vec![("a.c", text)];
    if !policy.is_empty() {
        files.push(("flowcheck.toml", policy));
    }
    let lines = slice(&files, 11);
    assert!(lines.contains(&5) && lines.contains(&9), "{lines:?} of\n{text}");
    assert!(!lines.contains(&10), "{lines:?}");
}

#[test]
fn an_interrupt_handler_by_attribute_reaches_the_program() {
    let text = INTERRUPT.replace('@', "__attribute__((interrupt)) void uart_isr(void *frame)");
    assert_reaches(&text, "");
}

#[test]
fn an_interrupt_handler_by_policy_reaches_the_program() {
    let policy = "[[thread]]\nentry = 'uart_isr'\nkind = 'interrupt'\n";
    assert_reaches(&INTERRUPT.replace('@', "void uart_isr(void)"), policy);
    assert_reaches(&INTERRUPT.replace('@', "static void uart_isr(void)"), policy);
    assert_reaches(&INTERRUPT.replace('@', "void uart_isr(void)"), "[[thread]]\nentry = 'a.c::uart_*'\n");
    // Nobody calls it otherwise.
    let lines = slice(&[("a.c", &INTERRUPT.replace('@', "void uart_isr(void)"))], 11);
    assert!(!lines.contains(&5), "{lines:?}");
}

#[test]
fn a_static_function_that_nothing_calls_can_be_an_entry() {
    let folder = folder(&[("a.c", "static int twice(int n) { return n + n; }\nint main(void) { return 0; }\n")]);
    let output = flowcheck(folder.path(), &["slice", "--entry", "a.c::twice", "--to", "a.c:1", "a.c"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_interrupt_handler_may_be_named_by_its_vector() {
    let text = INTERRUPT.replace('@', "ISR(USART_RX_vect)");
    let header = "#define USART_RX_vect __vector_18\n#define ISR(vector) void vector(void); void vector(void)\n";
    let text = format!("#include \"isr.h\"\n{text}");
    let policy = "[[thread]]\nentry = 'USART_RX_vect'\nkind = 'interrupt'\n";
    let lines = slice(&[("a.c", &text), ("isr.h", header), ("flowcheck.toml", policy)], 12);
    assert!(lines.contains(&6) && lines.contains(&10), "{lines:?}");
}

#[test]
fn a_task_that_does_not_exist_is_shown_in_the_policy() {
    // A word at a definition that spells its own name is no vector.
    let text = INTERRUPT.replace('@', "void uart_isr(int nothing)");
    let policy = "[[thread]]\nentry = ['uart_isr', 'nothing']\n";
    let folder = folder(&[("a.c", &text), ("flowcheck.toml", policy)]);
    let output = flowcheck(folder.path(), &["slice", "--to", "a.c:11", "a.c"]);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(output.stdout.is_empty());
    for word in ["no function `nothing`", "flowcheck.toml:2:23", "cannot run beside"] {
        assert!(told.contains(word), "{word}: {told}");
    }
}

#[test]
fn what_a_task_is_given_may_be_anything_that_is_known_outside() {
    let text = "extern void publish(int *);
int box, hidden;
void task(int *given)
{
    *given = 5;
}
int main(void)
{
    publish(&box);
    return box;
}
";
    let policy = "[analysis]\nunknown_functions = 'everything'\n[[thread]]\nentry = 'task'\n";
    let lines = slice(&[("a.c", text), ("flowcheck.toml", policy)], 10);
    assert!(lines.contains(&5), "{lines:?}");
}

#[test]
fn a_thread_reaches_the_program() {
    let text = "#include <pthread.h>
static int shared, secret = 4, other;
static void *work(void *unused)
{
    shared = secret;
    other = 1;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    return shared;
}
";
    let lines = slice(&[("a.c", text)], 13);
    assert!(lines.contains(&5) && lines.contains(&12) && !lines.contains(&6), "{lines:?}");
}

#[test]
fn a_signal_handler_reaches_the_program() {
    let text = "#include <signal.h>
static volatile sig_atomic_t caught, other;
static void handle(int number)
{
    caught = number;
    other = 1;
}
int main(void)
{
    signal(SIGINT, handle);
    while (!caught)
        ;
    return 0;
}
";
    let lines = slice(&[("a.c", text)], 11);
    assert!(lines.contains(&5) && lines.contains(&10) && !lines.contains(&6), "{lines:?}");
}

#[test]
fn what_runs_at_exit_sees_what_the_program_left() {
    let text = "#include <stdlib.h>
#include <stdio.h>
static int left, other;
static void last(void)
{
    printf(\"%d\\n\", left);
}
int main(int argc, char **argv)
{
    atexit(last);
    left = argc;
    other = 2;
    return 0;
}
";
    let lines = slice(&[("a.c", text)], 6);
    assert!(lines.contains(&11) && lines.contains(&10) && !lines.contains(&12), "{lines:?}");
}
