//! Calls, arguments, results, parameters, and the keys that narrow them.

use super::{of, sink, source};

const DECLARED: &str = "int get(void); void show(int); void puts_(const char *);";

#[test]
fn a_function_as_a_source_is_what_its_calls_return() {
    let text = format!(
        "{DECLARED}
         int one(void) {{ return 1; }}
         int main(void) {{
             int a = one();
             int (*p)(void) = one;
             int b = p();
             show(a);
             show(2);
             return b;
         }}"
    );
    let found = source(&text, "function = 'one'");
    assert_eq!(found.sources, ["result of one @4", "result of one @6"]);
    assert_eq!(found.sinks, ["call of show @7", "call of show @8"]);
    assert_eq!(found.flows, ["result of one @4 -> call of show @7"]);
}

#[test]
fn what_a_returned_pointer_leads_to_is_part_of_it() {
    // The memory is the function's own, written by it, written before, and never written.
    for (body, global) in
        [("buffer[0] = 1; return buffer;", ""), ("return buffer;", "buffer[1] = 2;"), ("return buffer;", "")]
    {
        let text = format!(
            "{DECLARED}
             static int buffer[4];
             int other;
             int *key(void) {{ {body} }}
             int main(void) {{
                 {global}
                 other = 3;
                 int *p = key();
                 show(p[1]);
                 show(other);
                 show(buffer[2]);
                 return 0;
             }}"
        );
        let found = source(&text, "function = 'key'");
        assert_eq!(found.sources, ["result of key @8"]);
        let expected = ["result of key @8 -> call of show @11", "result of key @8 -> call of show @9"];
        assert_eq!(found.flows, expected, "{body} {global}");
    }
}

#[test]
fn files_of_the_library_are_not_led_into() {
    let text = "#include <stdio.h>
                void show(int);
                int main(void) {
                    FILE *f = fopen(\"x\", \"r\");
                    FILE *g = fopen(\"y\", \"r\");
                    show(getc(g));
                    show(f != 0);
                    return 0;
                }";
    let policy = "[[source]]\ndomain = 'h'\nfunction = 'fopen'\nin_function = 'main'\noptional = true\n\
                  [[sink]]\ndomain = 'l'\nfunction = 'show'\n";
    let found = of(text, policy);
    assert_eq!(found.sources, ["result of fopen @4", "result of fopen @5"]);
    assert!(found.flows.contains(&"result of fopen @4 -> call of show @7".to_owned()), "{:?}", found.flows);
    assert!(!found.flows.contains(&"result of fopen @4 -> call of show @6".to_owned()), "{:?}", found.flows);
}

#[test]
fn arguments_as_a_source_are_what_is_written_through_them() {
    let text = format!(
        "{DECLARED}
         int fill(int *a, int *b);
         void put(int *p) {{ *p = 7; }}
         int main(void) {{
             int x = 0, y = 0, z = 0;
             int r = fill(&x, &y);
             put(&z);
             show(x); show(r);
             show(y);
             show(z);
             return 0;
         }}"
    );
    let found = source(&text, "function = 'fill'\narguments = [2]");
    assert_eq!(found.sources, ["fill argument 2 @6"]);
    assert_eq!(found.flows, ["fill argument 2 @6 -> call of show @9"]);
    let found = source(&text, "function = ['fill', 'put']\narguments = ['1..']");
    assert_eq!(found.sources, ["fill argument 1 @6", "fill argument 2 @6", "put argument 1 @7"]);
    assert_eq!(
        found.flows,
        [
            "fill argument 1 @6 -> call of show @8",
            "fill argument 2 @6 -> call of show @9",
            "put argument 1 @7 -> call of show @10"
        ]
    );
}

#[test]
fn a_function_as_a_sink_is_its_arguments_and_its_being_called() {
    let text = "int get(void); void log_(int, int); void tick(void);
                int main(void) {
                    int s = get();
                    log_(1, s);
                    log_(1, 2);
                    if (s) tick();
                    tick();
                    return 0;
                }";
    let found = sink(text, "function = ['log_', 'tick']");
    assert_eq!(found.sinks, ["call of log_ @4", "call of log_ @5", "call of tick @6", "call of tick @7"]);
    assert_eq!(found.flows, ["result of get @3 -> call of log_ @4", "result of get @3 -> call of tick @6"]);
    let found = sink(text, "function = 'log_'\narguments = [1]");
    assert_eq!(found.sinks, ["log_ argument 1 @4", "log_ argument 1 @5"]);
    assert!(found.flows.is_empty(), "{:?}", found.flows);
    let found = sink(text, "function = 'log_'\narguments = ['2..']\nobserve = 'value'");
    assert_eq!((found.flows.len(), found.values_only), (1, 2));
}

#[test]
fn calls_through_pointers_count_as_sinks() {
    let text = "int get(void);
                static void out(int x) { }
                static void in(int x) { }
                void (*table[2])(int) = { out, in };
                int main(int argc, char **argv) {
                    table[argc & 1](get());
                    in(get());
                    return 0;
                }";
    let found = sink(text, "function = 'out'");
    assert_eq!(found.sinks, ["call of out @6"]);
    assert_eq!(found.flows, ["result of get @6 -> call of out @6"]);
}

#[test]
fn a_callback_is_called_with_what_the_library_passes() {
    let text = "#include <stdlib.h>
                int get(void);
                int order(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
                int main(void) {
                    int all[2] = { 1, 2 };
                    all[0] = get();
                    qsort(all, 2, sizeof(int), order);
                    return 0;
                }";
    let found = sink(text, "function = 'order'");
    assert_eq!(found.sinks, ["call of order @7"]);
    assert_eq!(found.flows, ["result of get @6 -> call of order @7"]);
    let text = text.replace("int get(void);", "void show(int);").replace("all[0] = get();", "");
    let text = text.replace("return 0;", "show(all[0]); return 0;");
    let found = source(&text, "function = 'order'");
    assert_eq!(found.flows, ["result of order @7 -> call of show @8"]);
}

#[test]
fn memory_that_a_sink_is_given_is_seen_whether_it_reads_it_or_not() {
    // A library function, one that reads, one of which the body does nothing, one with a model that says so, and one behind a wrapper.
    let bodies = [
        ("#include <stdio.h>\n\n", "puts", ""),
        ("void out(const char *s) { volatile char c = s[0]; }\n\n", "out", ""),
        ("void out(const char *s) { }\n\n", "out", ""),
        ("void out(const char *s);\n\n", "out", "[[model]]\nfunction = 'out'\nflows = []\n"),
        ("void stub(const char *s) { }\nvoid out(const char *s) { stub(s); }\n", "stub", ""),
    ];
    for (head, name, model) in bodies {
        let call = if name == "stub" { "out" } else { name };
        let text = format!(
            "{head}int get(void);
             int main(void) {{
                 char a[4] = \"x\", b[4] = \"y\";
                 a[0] = get();
                 {call}(a);
                 b[0] = 'z';
                 {call}(b);
                 a[0] = get();
                 return 0;
             }}"
        );
        let found = sink(&text, &format!("function = '{name}'\narguments = [1]\n{model}"));
        let from: Vec<&str> = found.flows.iter().map(|flow| flow.split(" ->").next().expect("a flow")).collect();
        assert_eq!(from, ["result of get @6"], "{head}: {:?}", found.flows);
    }
}

#[test]
fn a_result_as_a_sink_is_what_the_function_gives() {
    let text = "#include <stdlib.h>
                int get(void);
                int twice(int x) { if (x > 9) return 0; return 2 * x; }
                int plain(void) { return 3; }
                static char text[4];
                char *name(void) { text[0] = get(); return text; }
                int main(void) {
                    twice(get()); plain(); name();
                    if (get()) exit(1);
                    return 0;
                }";
    let found = sink(text, "result = 'twice'");
    assert_eq!(found.sinks, ["result of twice @3", "result of twice @3"]);
    assert_eq!(found.flows, ["result of get @8 -> result of twice @3"]);
    assert!(sink(text, "result = 'plain'").flows.is_empty());
    assert_eq!(sink(text, "result = 'name'").flows, ["result of get @6 -> result of name @6"]);
    let found = sink(text, "result = 'main'");
    assert_eq!(found.sinks, ["exit argument 1 @9", "result of main @10"]);
    assert_eq!(found.flows, ["result of get @9 -> exit argument 1 @9", "result of get @9 -> result of main @10"]);
    assert_eq!(
        source(
            &text.replace("int get", "void show(int); int get").replace("plain();", "show(plain());"),
            "result = 'plain'"
        )
        .flows
        .len(),
        1
    );
}

#[test]
fn a_parameter_is_its_value_and_memory_on_entry() {
    let text = format!(
        "{DECLARED}
         void use(int a, int b) {{ show(a); show(b); a = 0; show(a); }}
         void login(const char *word) {{ }}
         int main(void) {{
             char word[4] = \"abc\", other[4] = \"x\";
             use(1, 2);
             login(word);
             puts_(other);
             puts_(word);
             word[0] = 0; word[1] = 0;
             return 0;
         }}"
    );
    let found = source(&text, "parameter = 'use::a'");
    assert_eq!(found.sources, ["parameter a of use @2"]);
    // All three are on one line; which of them it is, the numbers of paths tell below.
    assert!(!found.flows.is_empty());
    let policy = "[[source]]\ndomain = 'h'\nparameter = 'login::word'\n[[sink]]\ndomain = 'l'\nfunction = 'puts_'\n";
    let found = of(&text, policy);
    assert_eq!(found.flows, ["parameter word of login @3 -> call of puts_ @9"]);
    let text = "int get(void);
                void use(int a, int b) { }
                int main(void) { int s = get();
                    use(1, s);
                    use(s, 2);
                    return 0; }";
    let found = sink(text, "parameter = 'use::a'");
    assert_eq!(found.sinks, ["use argument 1 @4", "use argument 1 @5"]);
    assert_eq!(found.flows, ["result of get @3 -> use argument 1 @5"]);
}

#[test]
fn selectors_are_narrowed_by_file_function_and_argument() {
    let text = "#include <stdio.h>
                int get(void);
                FILE *log_fp;
                void first(FILE *f) { fprintf(f, \"%d\", get()); }
                void second(void) {
                    log_fp = stdout;
                    fprintf(stderr, \"%d\", get());
                    fprintf(log_fp, \"%d\", get());
                }
                int main(void) {
                    first(stderr);
                    second();
                    fprintf(stdout, \"%d\", 1);
                    return 0;
                }";
    let found = sink(text, "function = 'fprintf'\narguments = [3]");
    assert_eq!(found.sinks.len(), 4);
    let found = sink(text, "function = 'fprintf'\narguments = [3]\nwith = { 1 = ['stderr'] }");
    assert_eq!(found.sinks, ["fprintf argument 3 @4", "fprintf argument 3 @7"]);
    let found = sink(text, "function = 'fprintf'\narguments = [3]\nwith = { 1 = ['log_fp'] }");
    assert_eq!(found.sinks, ["fprintf argument 3 @8", "fprintf argument 3 @13"], "both are stdout");
    let found = sink(text, "function = 'fprintf'\narguments = [3]\nin_function = 'second'\nwith = { 1 = 'stderr' }");
    assert_eq!(found.sinks, ["fprintf argument 3 @7"]);
    let found = sink(text, "function = 'fprintf'\nin_file = 'a.c'");
    assert_eq!(found.sinks.len(), 4);
    let found = sink(text, "function = ['fprintf', 'none']\nin_function = 'nowhere'\noptional = true");
    assert!(found.sinks.is_empty());
}

#[test]
fn paths_that_leave_a_declassified_call_are_allowed() {
    let text = "int get(void); void show(int);
                int tare(int x) { return x & 1; }
                void store(int x, int *to) { *to = x; }
                int main(void) {
                    int s = get(), t = 0;
                    show(tare(s));
                    store(s, &t);
                    show(t);
                    show(s);
                    return 0;
                }";
    let key = |name: &str| {
        format!("function = 'show'\n[[declassify]]\nfrom = 'h'\nto = ['l']\nfunction = {name}\nreason = 'reviewed'")
    };
    let found = sink(text, &key("'tare'"));
    assert_eq!(found.flows, ["result of get @5 -> call of show @8", "result of get @5 -> call of show @9"]);
    let found = sink(text, &key("['tare', 'store']"));
    assert_eq!(found.flows, ["result of get @5 -> call of show @9"]);
    // A call that may be one of another function is not allowed.
    let text = text.replace("show(tare(s));", "{ int (*p)(int) = t ? tare : other; show(p(s)); }");
    let text = text.replace("int main", "int other(int x) { return x; } int main");
    let found = sink(&text.replace("int tare", "int tare(int); int tare"), &key("['tare', 'store']\noptional = true"));
    assert_eq!(found.flows, ["result of get @5 -> call of show @6", "result of get @5 -> call of show @9"]);
}
