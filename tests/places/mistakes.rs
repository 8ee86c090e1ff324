//! What matches nothing is told at its place in the policy, with the nearest that is there.

use flowcheck::error::UserError;
use miette::Diagnostic;

use super::chosen;

const TEXT: &str = "int get(void); void show(int); void void_(void); void stub(char *s) { } void set(int *p);
struct session { int id; int secret; };
int level; const int unread = 3; struct session one;
static int helper(int count) { return count + 1; }
int never(int p) { return p; }
int main(void) {
    int speed = get();
    char text[4] = \"x\";

    one.secret = helper(speed);
    show(one.secret + level);
    void_();
    stub(text);
    set(&speed);
    return 0;
}
";

/// The text that is marked, the message and the help.
fn mistake(policy: &str) -> (String, String, String) {
    mistake_in(&[("a.c", TEXT)], policy)
}

fn mistake_in(files: &[(&str, &str)], policy: &str) -> (String, String, String) {
    let policy = format!("analysis = {{ entry = 'main' }}\n{policy}");
    match chosen(files, &policy) {
        Err(error @ UserError::InFile { .. }) => {
            let help = error.help().map(|help| help.to_string()).unwrap_or_default();
            let UserError::InFile { message, source_code, at, .. } = &error else { unreachable!("it is one") };
            let text = source_code.inner();
            let shown = text[at.offset()..at.offset() + at.len()].trim_matches(['\'', '"']);
            (shown.to_owned(), message.clone(), help)
        }
        Err(error @ UserError::Usage { .. }) => {
            let help = error.help().map(|help| help.to_string()).unwrap_or_default();
            (String::new(), error.to_string(), help)
        }
        Ok(found) => panic!("{policy}\n{found:?}"),
    }
}

#[test]
fn what_matches_nothing_is_an_error_at_its_place() {
    let source = "[[source]]\ndomain = 'h'\nfunction = 'get'\n[[sink]]\ndomain = 'l'\n";
    let sink = "[[sink]]\ndomain = 'l'\nfunction = 'show'\n[[source]]\ndomain = 'h'\n";
    for (policy, at, says, help) in [
        (format!("{source}function = 'shwo'"), "shwo", "no function `shwo`", "did you mean `show`?"),
        (format!("{source}function = ['show', 'b.c::show']"), "b.c::show", "no function `show` in `b.c`", "a.c"),
        (format!("{source}function = 'never'"), "never", "`never` is never called", "no run comes to"),
        (
            format!("{source}function = 'show'\narguments = [2]"),
            "show",
            "no call of `show` has such an argument",
            "has 1",
        ),
        (format!("{sink}function = 'void_'"), "void_", "`void_` returns nothing", "arguments"),
        (format!("{sink}function = 'stub'\narguments = [1]"), "stub", "`stub` writes nothing through", "[[model]]"),
        (format!("{source}result = 'stub'"), "stub", "returns nothing", "function"),
        (format!("{source}result = 'never'"), "never", "no run comes to", "--entry"),
        (format!("{sink}variable = 'main::sped'"), "main::sped", "has no variable `sped`", "did you mean `speed`?"),
        (format!("{sink}variable = 'speed'"), "speed", "no variable `speed`", "`main::speed`"),
        (format!("{sink}variable = 'main::level'"), "main::level", "no variable `level`", "the whole program"),
        (format!("{sink}variable = 'levle'"), "levle", "no variable `levle`", "did you mean `level`?"),
        (format!("{sink}variable = 'one.sekret'"), "one.sekret", "no member `sekret`", "did you mean `secret`?"),
        (format!("{sink}variable = 'level.x'"), "level.x", "no member `x`", "no structure"),
        (format!("{source}variable = 'level'"), "level", "never written", "no run"),
        (format!("{sink}variable = 'unread'"), "unread", "never given a value or read", "no run"),
        (format!("{sink}variable = 'never::p'"), "never::p", "never given a value", "no run"),
        (format!("{sink}field = 'sesion.id'"), "sesion.id", "no structure `sesion`", "did you mean `session`?"),
        (format!("{sink}field = 'session.name'"), "session.name", "no member `name`", "`secret`"),
        (format!("{source}field = 'session.id'"), "session.id", "never written", "no run"),
        (
            format!("{sink}parameter = 'helper::cuont'"),
            "helper::cuont",
            "no parameter `cuont`",
            "did you mean `count`?",
        ),
        (format!("{sink}parameter = 'get::x'"), "get::x", "has no body", "arguments = [N]"),
        (format!("{source}parameter = 'never::p'"), "never::p", "never called", ""),
        (format!("{sink}parameter = 'never::p'"), "never::p", "no run comes to `never`", "--entry"),
        (format!("{sink}register = 'PORTB'"), "PORTB", "nowhere read or written", "as the program does"),
        (format!("{sink}address = 0x25"), "0x25", "never reads address 0x25", "no absolute addresses"),
        (format!("{sink}location = 'a.c:9'"), "a.c:9", "no code on line 9", "8 and 10"),
        (format!("{sink}location = 'b.c:9'"), "b.c:9", "no file `b.c`", "a.c"),
        (format!("{sink}region = 'ui/*.c'"), "ui/*.c", "no file of this program", "a.c"),
        (format!("{sink}region = 'a.c'\nexcept = ['mian']"), "mian", "no function `mian`", "did you mean `main`?"),
        (format!("{sink}region_function = 'ui_*'"), "ui_*", "no function `ui_*`", ""),
        (format!("{sink}region_function = 'get'"), "get", "has code", "`function` chooses"),
        (format!("{sink}rest = true\n[[source]]\ndomain = 'h'\nregion = 'a.c'"), "true", "in another region", ""),
        (format!("{sink}function = 'get'\nin_function = 'mian'"), "mian", "no function `mian`", "did you mean `main`?"),
        (format!("{sink}function = 'get'\nin_function = 'helper'"), "helper", "nothing that this selects", ""),
        (format!("{sink}function = 'get'\nin_file = 'b.c'"), "b.c", "no file of this program", "a.c"),
        (format!("{source}function = 'stub'\nwith = {{ 1 = 'log' }}"), "log", "no variable `log`", ""),
        (format!("{source}function = 'stub'\nwith = {{ 1 = 'level' }}"), "stub", "has such arguments", "points-to"),
        (
            format!("{source}function = 'show'\n[[declassify]]\nfrom = 'h'\nto = 'l'\nfunction = 'tare'\nreason = 'r'"),
            "tare",
            "no function `tare`",
            "",
        ),
        (
            format!(
                "{source}function = 'show'\n[[declassify]]\nfrom = 'h'\nto = 'l'\nlocation = 'a.c:9'\nreason = 'r'"
            ),
            "a.c:9",
            "no code on line 9",
            "8 and 10",
        ),
        (
            format!("{source}function = 'show'\n[[declassify]]\nfrom = 'h'\nto = 'l'\nvariable = 'g'\nreason = 'r'"),
            "g",
            "no variable `g`",
            "",
        ),
    ] {
        let (shown, message, told) = mistake(&policy);
        assert!(shown == at && message.contains(says) && told.contains(help), "{policy}\n{shown:?}: {message}; {told}");
        // It may match nothing.
        let optional = policy.clone() + "\noptional = true";
        if !policy.contains("rest") {
            chosen(&[("a.c", TEXT)], &format!("analysis = {{ entry = 'main' }}\n{optional}"))
                .unwrap_or_else(|error| panic!("{optional}\n{error}"));
        }
    }
}

#[test]
fn a_line_of_two_files_is_an_error_even_if_it_may_match_nothing() {
    let files =
        [("a/x.c", "int f(void);\nint main(void) { return f(); }\n"), ("b/x.c", "int f(void)\n{ return 1; }\n")];
    let policy =
        "[[source]]\ndomain = 'h'\nlocation = 'x.c:2'\noptional = true\n[[sink]]\ndomain = 'l'\nresult = 'f'\n";
    let (shown, message, help) = mistake_in(&files, policy);
    assert!(shown == "x.c:2" && message.contains("more than one file") && help.contains("b/x.c"), "{message}; {help}");
    assert!(chosen(&files, &policy.replace("'x.c:2'", "'b/x.c:2'")).is_ok());
}

#[test]
fn a_policy_without_sources_or_sinks_is_an_error() {
    let (_, message, help) = mistake("[[sink]]\ndomain = 'l'\nfunction = 'show'");
    assert!(message.contains("has no source") && help.contains("[[source]]"), "{message}; {help}");
    let (_, message, help) = mistake("[[source]]\ndomain = 'h'\nfunction = 'get'");
    assert!(message.contains("has no sink") && help.contains("flowcheck: sink("), "{message}; {help}");
}

#[test]
fn a_comment_without_a_statement_is_an_error() {
    let text = "int get(void);\nint main(void) {\n    get(); // flowcheck: source(h)\n    return 0; // flowcheck: sink(l)\n}\n\
                #if 0\nint x; // flowcheck: sink(l)\n#endif\n";
    let (_, message, help) = mistake_in(&[("a.c", text)], "");
    assert!(message.contains("a.c:7:") && message.contains("no statement on line 7"), "{message}");
    assert!(help.contains('4'), "{help}");
}
