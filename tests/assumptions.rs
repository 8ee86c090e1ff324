//! What the analysis of small C programs rests on: kinds and lines by hand.

use flowcheck::base::progress::Progress;
use flowcheck::ir::print::assumption_word;
use flowcheck::ir::{self, Options};
use flowcheck::policy::{self, Policy};
use flowcheck::source::{DataModel, of_texts};

/// What is assumed of a program: the kind, the line (0: the whole program) and the text.
fn assumed_with(text: &str, policy: &Policy) -> Vec<(&'static str, u32, String)> {
    let loaded = of_texts(vec![("a.c".into(), text.as_bytes().to_vec())], DataModel::lp64());
    let progress = Progress::silent();
    let lowered = ir::lower(&loaded.sources, &Options { jobs: 1, ..Options::default() }, &progress);
    let program = lowered.program.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics));
    let sources = &loaded.sources;
    let analysed = flowcheck::analyse(sources, &program, policy, &[], 1, &progress).expect("it can be analysed");
    let line = |a: &ir::Assumption| a.place.map_or(0, |place| sources.locate(place).line);
    analysed.assumptions.iter().map(|a| (assumption_word(a.kind), line(a), a.text.clone())).collect()
}

fn assumed(text: &str) -> Vec<(&'static str, u32, String)> {
    assumed_with(text, &Policy::default())
}

fn parse(text: &str) -> Policy {
    policy::parse(text, "p.toml").expect("a policy")
}

/// The kinds and lines alone.
fn kinds<'a>(all: &'a [(&'static str, u32, String)]) -> Vec<(&'a str, u32)> {
    all.iter().map(|(kind, line, _)| (*kind, *line)).collect()
}

/// Many of something.
fn joined(count: u32, one: impl Fn(u32) -> String) -> String {
    (0..count).map(one).collect::<Vec<_>>().concat()
}

/// The only one of a kind.
fn only<'a>(all: &'a [(&'static str, u32, String)], kind: &str) -> (u32, &'a str) {
    let found: Vec<_> = all.iter().filter(|a| a.0 == kind).collect();
    let [(_, line, text)] = found.as_slice() else { panic!("one {kind} is wanted: {all:?}") };
    (*line, text)
}

#[test]
fn a_program_that_says_everything_rests_on_nothing() {
    let text = "
struct pair { int a, b; } p;
static int twice(int n) { return n + n; }
int main(int argc, char **argv) {
    int n = 0;
    for (int i = 0; i < argc; i++)
        n += twice(i);
    p.b = n;
    return p.b;
}
";
    assert_eq!(kinds(&assumed(text)), []);
}

const UNKNOWN: &str = "
int first(int *), second(int);
void stop(void) __attribute__((noreturn));
int never(int);
static int unused(void) { return never(1); }
int main(void) {
    int n = 0;
    second(1);
    first(&n);
    first(&n);
    if (n)
        stop();
    return second(n);
}
";

#[test]
fn functions_without_body_and_model_are_listed_at_their_first_call() {
    let all = assumed(UNKNOWN);
    let found: Vec<_> = all.iter().filter(|a| a.0 == "unknown-function").collect();
    let lines: Vec<u32> = found.iter().map(|a| a.1).collect();
    assert_eq!(lines, [8, 9, 12], "{all:?}");
    for (of, (name, returns)) in found.iter().zip([("`second`", true), ("`first`", true), ("`stop`", false)]) {
        assert!(of.2.starts_with(name) && of.2.contains("all that its arguments reach"), "{}", of.2);
        assert_eq!(of.2.ends_with("and to return"), returns, "{}", of.2);
        assert_eq!(of.2.contains("not to return"), !returns, "{}", of.2);
    }
}

#[test]
fn what_an_unknown_function_does_is_as_the_policy_says() {
    for (word, says) in [("pure", "from its arguments"), ("everything", "other files can name")] {
        let all = assumed_with(UNKNOWN, &parse(&format!("[analysis]\nunknown_functions = '{word}'\n")));
        let found = all.iter().filter(|a| a.0 == "unknown-function" && a.2.contains(says)).count();
        assert_eq!(found, 3, "{word}: {all:?}");
    }
}

#[test]
fn a_model_in_the_place_of_a_body_is_listed_at_the_definition() {
    let text = "
int secret;
static int scramble(int n) { return n ^ secret; }
static int unused(int n) { return n; }
int main(int argc, char **argv) { return scramble(argc); }
";
    let policy = parse(
        "[[model]]\nfunction = 'scramble'\nflows = ['return <- 1']\n[[model]]\nfunction = 'unused'\nflows = ['return <- 1']\n",
    );
    let all = assumed_with(text, &policy);
    assert_eq!(kinds(&all), [("model-replaces-body", 3)]);
    assert_eq!(kinds(&assumed(text)), []);
}

#[test]
fn arithmetic_that_may_lead_anywhere_is_counted_once_for_each_function() {
    let text = "
struct pair { int a, b; } p;
int numbers[4];
static int bytes(int i, int j) {
    char *at = (char *)&p;
    at[i] = 1;
    return at[j];
}
static int elements(int i) { return numbers[i]; }
static char parts(int i) { return ((char *)numbers)[i]; }
static int rounded(void) {
    struct pair *at = (struct pair *)((unsigned long)&p.b & ~7ul);
    return at->a;
}
int main(int argc, char **argv) { return bytes(argc, 1) + elements(argc) + parts(argc) + rounded(); }
";
    let all = assumed(text);
    let found: Vec<_> = all.iter().filter(|a| a.0 == "pointer-arithmetic").collect();
    let lines: Vec<u32> = found.iter().map(|a| a.1).collect();
    // The bytes of an array of numbers are the array's, whichever they are.
    assert_eq!(lines, [6, 12], "{all:?}");
    assert!(found[0].2.contains("`bytes`") && found[0].2.contains("(2 places)"), "{}", found[0].2);
    assert!(found[1].2.contains("`rounded`") && !found[1].2.contains("places"), "{}", found[1].2);
    assert!(all.iter().any(|a| (a.0, a.1) == ("memory", 0) && a.2.contains("inside")), "{all:?}");
}

#[test]
fn pointers_of_unknown_origin_are_counted_and_null_is_none() {
    let text = "
void *memcpy(void *, const void *, unsigned long);
static int *never_set;
static int lost(double d) {
    int *from_float = (int *)(long)d;
    *from_float = 1;
    memcpy(never_set, from_float, 4);
    return *never_set;
}
static int fine(void) {
    int n = 2, *p = &n, *q = (void *)0;
    memcpy(p, 0, 0);
    return q ? *q : *p;
}
int main(void) { return lost(1.5) + fine(); }
";
    let all = assumed(text);
    let (line, text) = only(&all, "unknown-pointer");
    assert_eq!(line, 6);
    assert!(text.contains("`lost`") && text.contains("(3 places)"), "{text}");
}

#[test]
fn calls_through_pointers_say_what_they_leave_out() {
    let text = "
static int one(int a) { return a; }
static int two(int a, int b) { return a + b; }
static int (*pick)();
static int (*hook)(int);
static int (*fits)(int) = one;
int main(int argc, char **argv) {
    pick = argc > 1 ? (int (*)())one : (int (*)())two;
    int n = ((int (*)(int))pick)(1);
    if (hook)
        n += hook(2);
    return n + fits(3);
}
";
    let all = assumed(text);
    let found: Vec<_> = all.iter().filter(|a| a.0 == "pointer-call").collect();
    let lines: Vec<u32> = found.iter().map(|a| a.1).collect();
    assert_eq!(lines, [9, 11], "{all:?}");
    assert!(found[0].2.contains("`two`") && !found[0].2.contains("`one`"), "{}", found[0].2);
    assert!(found[1].2.contains("do nothing"), "{}", found[1].2);
}

#[test]
fn a_library_calls_what_its_callers_give_it() {
    let text = "
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
int visit(int (*f)(int), int n) {
    return f(n);
}
void sort(int *all, int (*before)(const void *, const void *)) {
    qsort(all, 3, sizeof *all, before);
}
";
    let all = assumed(text);
    let found: Vec<u32> = all.iter().filter(|a| a.0 == "pointer-call").map(|a| a.1).collect();
    assert_eq!(found, [4, 7], "{all:?}");
    assert_eq!(only(&all, "library").0, 0);
}

#[test]
fn threads_and_handlers_take_turns() {
    let handler = "
void (*signal(int, void (*)(int)))(int);
static volatile int seen;
static void handle(int n) { seen = n; }
int main(void) { signal(2, handle); return seen; }
";
    assert_eq!(only(&assumed(handler), "threads").0, 0);
    let by_policy = parse("[[thread]]\nentry = 'handle'\n");
    let text = "int seen; void handle(void) { seen = 1; } int main(void) { return seen; }\n";
    assert_eq!(kinds(&assumed_with(text, &by_policy)), [("threads", 0)]);
    assert_eq!(kinds(&assumed(text)), []);
}

#[test]
fn a_type_with_too_many_members_is_not_divided() {
    let members = joined(3000, |n| format!(" int m{n};"));
    let text = format!(
        "struct small {{ int a, b; }} s;\nstruct big {{{members} }} a, b;\nint main(void) {{ return a.m1 + b.m2 + s.b; }}\n"
    );
    let all = assumed(&text);
    let found: Vec<_> = all.iter().filter(|a| a.0 == "memory" && a.1 > 0).collect();
    assert_eq!(found.len(), 1, "once for a type: {found:?}");
    assert_eq!(found[0].1, 2);
    assert!(found[0].2.contains("`a`") || found[0].2.contains("`b`"), "{}", found[0].2);
}

#[test]
fn memory_that_counts_as_one_is_listed() {
    let coarse = |variables: u32| {
        let declared = joined(variables, |n| format!("int g{n};"));
        let written = joined(variables, |n| format!("g{n} = n + {n};"));
        let text = format!(
            "{declared}\nstatic void inner(int n) {{ {written} }}\nstatic void outer(int n) {{ inner(n); }}\n\
             int main(int argc, char **argv) {{ outer(argc); return g5; }}\n"
        );
        let all = assumed(&text);
        all.into_iter().filter(|a| a.0 == "coarse").collect::<Vec<_>>()
    };
    // More variables than are told apart in one function, and fewer.
    let many = coarse(2100);
    assert!(many.iter().any(|a| a.1 == 2 && a.2.contains("`inner`")), "{many:?}");
    assert!(coarse(700).is_empty());
    assert_eq!(kinds(&assumed("int g; static void inner(void) { g = 1; } int main(void) { inner(); return g; }")), []);
}

#[test]
fn what_the_program_itself_assumes_is_among_it_in_order() {
    let text = "
int unknown(void);
int main(void) {
    int n = unknown();
    __asm__(\"nop\" : \"+r\"(n));
    return n + unknown();
}
";
    assert_eq!(kinds(&assumed(text)), [("unknown-function", 4), ("inline-asm", 5)]);
}
