//! Statements, comments, regions.

use super::{chosen, of, sink, source};

#[test]
fn a_line_as_a_source_is_what_it_defines_and_decides() {
    let text = "void show(int); int in(int);
int main(int argc, char **argv) {
    int x = 0, y = 0;
    x = in(argc);
    if (argc > 2)
        y = 1;
    show(x);
    show(y);
    show(argc);
    return 0;
}";
    let found = source(text, "location = 'a.c:4'");
    assert_eq!(
        (found.sources.clone(), found.flows),
        (vec!["line 4 @4".to_owned()], vec!["line 4 @4 -> call of show @7".to_owned()])
    );
    let found = source(text, "location = 'a.c:5'");
    assert_eq!(found.flows, ["line 5 @5 -> call of show @8"]);
    let found = source(text, "location = 'a.c:4-6'");
    assert_eq!(found.sources, ["line 4 @4", "line 5 @5", "line 6 @6"]);
}

#[test]
fn a_line_as_a_sink_is_all_that_happens_there() {
    let text = "int get(void); void out(int);
int main(void) {
    int s = get(), t = 0;
    out(
        t +
        s);
    out(t);
    while (s)
        t++;
    return 0;
}";
    assert_eq!(sink(text, "location = 'a.c:4'").flows, ["result of get @3 -> line 4 @4"]);
    assert!(sink(text, "location = 'a.c:7'").flows.is_empty());
    assert_eq!(sink(text, "location = 'a.c:8-9'").flows.len(), 2);
    let found = sink(text, "location = 'a.c:6'\nin_function = 'main'");
    assert_eq!(found.flows.len(), 1, "{found:?}");
}

#[test]
fn comments_choose_their_statement() {
    let text = "int in(void); void show(int); void out(int, int);
int secret = 4; // flowcheck: source(h)
int main(void) {
    int a = in(); // flowcheck: source(h)
    int b = in();
    // flowcheck: sink(l)
    out(a, b);
    show(b); // flowcheck: sink(l)
    out(1, /* flowcheck: sink(l), allow(sealed, see 4.2) */
        a);
    int late; // flowcheck: source(h)
    late = in();
    secret++;
    show(late + secret); // flowcheck: sink(l)
    return 0;
}
int unused(int x) {
    show(x); // flowcheck: sink(l)
    return 0;
}
";
    let found = of(text, "analysis = { entry = 'main' }");
    assert_eq!(found.sources, ["secret @2", "line 4 @4", "late @12", "secret @13"]);
    assert_eq!(found.sinks, ["line 7 @7", "line 8 @8", "line 9 @9", "line 14 @14"]);
    assert_eq!(
        found.flows,
        [
            "late @12 -> line 14 @14",
            "line 4 @4 -> line 7 @7",
            "line 4 @4 -> line 9 @9",
            "secret @13 -> line 14 @14",
            "secret @2 -> line 14 @14",
        ]
    );
    assert_eq!(found.allowed, ["sealed, see 4.2"]);
}

#[test]
fn declassified_lines_stop_paths() {
    let text = "int get(void); void show(int);
int main(void) {
    int s = get();
    int t = s & 1;
    show(t);
    show(s);
    return 0;
}";
    let key = "function = 'show'\n[[declassify]]\nfrom = 'h'\nto = 'l'\nlocation = 'a.c:4'\nreason = 'one bit'";
    assert_eq!(sink(text, key).flows, ["result of get @3 -> call of show @6"]);
}

#[test]
fn what_a_declassified_statement_leaves_in_memory_does_not_pass_it() {
    let text = "int get(void); void show(int);
int main(void) {
    int a[2], s = get();
    a[0] = s;
    a[1] = s & 1;
    show(a[0]);
    return 0;
}";
    let key = |line: u32| {
        format!("function = 'show'\n[[declassify]]\nfrom = 'h'\nto = 'l'\nlocation = 'a.c:{line}'\nreason = 'one bit'")
    };
    assert_eq!(sink(text, &key(5)).flows, ["result of get @3 -> call of show @6"]);
    // Nothing is computed on line 5 but the new state of the array: there is no value that could be allowed.
    let text = text.replace("a[0] = s;", "a[0] = 1; int *p = a;").replace("a[1] = s & 1;", "*p = s;");
    let policy = format!("[[source]]\ndomain = 'h'\nfunction = 'get'\n[[sink]]\ndomain = 'l'\n{}", key(5));
    let error = chosen(&[("a.c", &text)], &policy).expect_err("nothing can be allowed");
    assert!(error.to_string().contains("change some of a larger object"), "{error}");
}

const MAIN: &str = "int ui_read(int); void ui_show(int); int core(int); int shared;
int main(void) {
    int k = ui_read(1);
    int c = core(2);
    ui_show(c);
    shared = k;
    return c;
}
";
const UI: &str = "extern int shared; void lcd(int); int keys(void);
static int scale(int x) { return 2 * x; }
int ui_read(int n) {
    int a = scale(n);
    return a + keys();
}
void ui_show(int v) {
    lcd(scale(v) + shared);
}
";
const CORE: &str = "int core(int x) { return x + 1; }\n";

fn project<'a>() -> [(&'a str, &'a str); 3] {
    [("main.c", MAIN), ("ui/ui.c", UI), ("core/core.c", CORE)]
}

#[test]
fn a_region_is_its_boundary() {
    let policy = "[[source]]\ndomain = 'h'\nregion = 'ui/*.c'\n[[sink]]\ndomain = 'l'\nregion = 'main.c'\n";
    let found = chosen(&project(), policy).expect("both are there");
    // What `ui_read` gives back, and what it and `ui_show` get; `scale` is called from inside alone.
    assert_eq!(
        found.sources,
        ["region ui/*.c @ui.c:3", "parameter n of ui_read @ui.c:3", "parameter v of ui_show @ui.c:7"]
    );
    assert!(found.sinks.contains(&"region main.c @main.c:3".to_owned()), "{:?}", found.sinks);
    assert_eq!(
        found.flows,
        [
            "parameter n of ui_read @ui.c:3 -> region main.c @main.c:3",
            "region ui/*.c @ui.c:3 -> region main.c @main.c:3"
        ]
    );
    let policy = "[[source]]\ndomain = 'h'\nregion_function = 'core'\n[[sink]]\ndomain = 'l'\nregion = 'ui/'\n";
    let found = chosen(&project(), policy).expect("both are there");
    assert_eq!(found.sources, ["region core @core.c:1", "parameter x of core @core.c:1"]);
    let to: Vec<&str> = found.flows.iter().map(|flow| flow.split("-> ").nth(1).expect("a flow")).collect();
    assert_eq!(to, ["region ui/ @ui.c:7", "region ui/ @ui.c:7"]);
}

#[test]
fn places_inside_a_region_are_at_its_boundary() {
    let policy = "[[source]]\ndomain = 'h'\nregion = 'ui/*.c'\n[[sink]]\ndomain = 'l'\nfunction = 'lcd'\n";
    let found = chosen(&project(), policy).expect("both are there");
    assert!(found.flows.contains(&"region ui/*.c @ui.c:8 -> call of lcd @ui.c:8".to_owned()), "{:?}", found.flows);
    let policy = "[[source]]\ndomain = 'h'\nfunction = 'keys'\n[[sink]]\ndomain = 'l'\nregion = 'ui/*.c'\n";
    let found = chosen(&project(), policy).expect("both are there");
    assert!(found.flows.contains(&"result of keys @ui.c:5 -> region ui/*.c @ui.c:5".to_owned()), "{:?}", found.flows);
}

#[test]
fn the_rest_is_what_is_in_no_other_region() {
    let policy =
        "[[place]]\ndomain = 'h'\nregion = 'ui/*.c'\nexcept = ['ui_show']\n[[place]]\ndomain = 'l'\nrest = true\n";
    let found = chosen(&project(), policy).expect("both are there");
    let places = |of: &[String]| -> Vec<String> {
        of.iter().map(|spot| spot.split('@').next_back().expect("a place").to_owned()).collect()
    };
    // `ui_show` calls `scale`, which is in the region, and is in the rest itself.
    assert!(places(&found.sources).contains(&"ui.c:8".to_owned()), "{:?}", found.sources);
    assert!(found.sources.iter().any(|spot| spot.starts_with("rest @main.c")), "{:?}", found.sources);
    assert!(found.flows.iter().any(|flow| flow == "region ui/*.c @ui.c:2 -> rest @ui.c:8"), "{:?}", found.flows);
    assert!(!found.flows.iter().any(|flow| flow.starts_with("rest @core.c")), "{:?}", found.flows);
}
