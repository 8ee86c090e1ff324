//! Variables, members, registers.

use super::{of, sink, source};

#[test]
fn a_variable_as_a_source_is_every_definition_of_it() {
    let text = "void show(int); int in(void); void fill(int *);
                int kept = 5;
                int main(int argc, char **argv) {
                    int x = 1, y = 2;
                    show(x);
                    x = in();
                    show(x);
                    show(y);
                    fill(&y);
                    show(y);
                    show(kept);
                    kept = argc;
                    show(kept);
                    return 0;
                }";
    let found = source(text, "variable = 'main::x'");
    assert_eq!(found.sources, ["x @4", "x @6"]);
    assert_eq!(found.flows, ["x @4 -> call of show @5", "x @6 -> call of show @7"]);
    let found = source(text, "variable = 'main::y'");
    assert_eq!(found.sources, ["y @4", "y @9"]);
    // What `fill` may leave as it was.
    assert_eq!(found.flows, ["y @4 -> call of show @10", "y @4 -> call of show @8", "y @9 -> call of show @10"]);
    let found = source(text, "variable = 'kept'");
    assert_eq!(found.sources, ["kept @2", "kept @12"]);
    assert_eq!(found.flows, ["kept @12 -> call of show @13", "kept @2 -> call of show @11"]);
    let found = source(text, "variable = 'main::argc'");
    assert_eq!(found.flows, ["argc @3 -> call of show @13"]);
}

#[test]
fn a_variable_that_is_never_written_is_its_reads() {
    let text = "void show(int); void send(const char *); int length(const char *s) { return s[0]; }
                static const char key[4] = \"abc\";
                static const char text[4] = \"xyz\";
                static volatile int port;
                int main(void) {
                    show(key[1]);
                    send(key);
                    show(length(key));
                    show(length(text));
                    port = 1;
                    show(port);
                    return 0;
                }";
    let found = source(text, "variable = 'key'");
    assert_eq!(found.sources, ["key @6", "key @7", "key @8"]);
    assert_eq!(found.flows, ["key @6 -> call of show @6", "key @8 -> call of show @8"]);
    let policy = "[[source]]\ndomain = 'h'\nvariable = 'key'\n[[sink]]\ndomain = 'l'\nfunction = 'send'\n";
    assert_eq!(of(text, policy).flows, ["key @7 -> call of send @7"]);
    // Of what is volatile, the reads as well as the definitions.
    assert_eq!(source(text, "variable = 'port'").sources, ["port @4", "port @10", "port @11"]);
}

#[test]
fn static_variables_and_those_of_other_files_are_named_with_them() {
    let files = [
        (
            "a.c",
            "void show(int); int bump(void);\nstatic int n;\nint main(void) { n = 1; show(n); show(bump()); return 0; }\n",
        ),
        ("b.c", "static int n;\nint bump(void) {\n    static int count;\n    n++; return count++;\n}\n"),
    ];
    let policy = |name: &str| {
        format!("[[source]]\ndomain = 'h'\nvariable = '{name}'\n[[sink]]\ndomain = 'l'\nfunction = 'show'\n")
    };
    let sources = |name: &str| super::chosen(&files, &policy(name)).expect("it is there").sources;
    assert_eq!(sources("a.c::n"), ["n @a.c:2", "n @a.c:3"]);
    assert_eq!(sources("b.c::n"), ["n @b.c:1", "n @b.c:4"]);
    assert_eq!(sources("n").len(), 4);
    assert_eq!(sources("bump::count"), ["count @b.c:3", "count @b.c:4"]);
    assert_eq!(sources("b.c::bump::co*"), ["count @b.c:3", "count @b.c:4"]);
}

#[test]
fn a_member_of_a_variable_is_told_from_the_others() {
    let text = "void show(int); int in(void);
                struct pair { int a; struct { int deep; int other; } b; };
                int main(void) {
                    struct pair p, q;
                    p.a = in();
                    p.b.deep = in();
                    p.b.other = in();
                    q = p;
                    show(p.a);
                    show(p.b.deep);
                    show(q.b.deep);
                    return 0;
                }";
    let found = source(text, "variable = 'main::p.b.deep'");
    assert_eq!(found.sources, ["p.b.deep @6"]);
    assert_eq!(found.flows, ["p.b.deep @6 -> call of show @10", "p.b.deep @6 -> call of show @11"]);
    let found = source(text, "variable = 'main::q.b'");
    assert_eq!(
        (found.sources.clone(), found.flows),
        (vec!["q.b @8".to_owned()], vec!["q.b @8 -> call of show @11".to_owned()])
    );
    let found = source(text, "field = 'pair.b.deep'");
    assert_eq!(found.sources, ["pair.b.deep @6", "pair.b.deep @8"]);
    assert_eq!(found.flows.len(), 3, "{:?}", found.flows);
}

#[test]
fn what_a_pointer_leads_to_belongs_to_it() {
    let text = "void show(int); int in(void);
                int main(void) {
                    int cell = 0, other = 0;
                    int *p = &other;
                    cell = 4;
                    p = &cell;
                    show(cell);
                    show(other);
                    return 0;
                }";
    let found = source(text, "variable = 'main::p'");
    assert_eq!(found.sources, ["p @4", "p @6"]);
    assert_eq!(found.flows, ["p @4 -> call of show @8", "p @6 -> call of show @7"]);
}

#[test]
fn a_variable_as_a_sink_is_every_write_to_it() {
    let text = "#include <string.h>
                int get(void);
                int level; char name[8]; struct { int a, b; } s;
                void set(int *p, int x) { *p = x; }
                int main(void) {
                    int x = 0;
                    level = get();
                    level = 2;
                    set(&level, get());
                    set(&x, 3);
                    memcpy(name, \"abc\", 4);
                    if (get()) name[0] = 0;
                    s.a = get();
                    s.b = 1;
                    x = get();
                    return x;
                }";
    let found = sink(text, "variable = 'level'");
    assert_eq!(found.sinks, ["level @4", "level @7", "level @8"]);
    assert_eq!(found.flows, ["result of get @7 -> level @7", "result of get @9 -> level @4"]);
    let found = sink(text, "variable = 'name'");
    assert_eq!(found.sinks, ["name @11", "name @12"]);
    assert_eq!(found.flows, ["result of get @12 -> name @12"]);
    assert!(sink(text, "variable = 's.b'").flows.is_empty());
    assert_eq!(sink(text, "variable = 's.a'").flows, ["result of get @13 -> s.a @13"]);
    let found = sink(text, "variable = 'main::x'");
    assert!(found.flows.contains(&"result of get @15 -> x @15".to_owned()), "{:?}", found.flows);
}

#[test]
fn a_member_is_found_in_every_object_of_its_type() {
    let text = "#include <stdlib.h>
                void show(int); int get(void);
                struct session { int id; int secret; }; typedef struct session session_t, *session_p;
                typedef struct { char c; int secret; } other;
                static struct session all[3];
                static void clear(struct session *s) { s->secret = 0; }
                int main(void) {
                    struct session *heap = malloc(sizeof *heap);
                    struct session local = { 1, 2 };
                    other o = { 'x', 5 };
                    heap->id = 1;
                    heap->secret = get();
                    all[1].secret = 3;
                    clear(&local);
                    show(heap->id);
                    show(heap->secret);
                    show(o.secret);
                    return 0;
                }";
    let found = source(text, "field = 'session.secret'");
    assert_eq!(
        found.sources,
        ["session.secret @5", "session.secret @6", "session.secret @9", "session.secret @12", "session.secret @13"]
    );
    assert_eq!(found.flows, ["session.secret @12 -> call of show @16"]);
    let found = sink(text, "field = 'session.secret'");
    assert_eq!(found.sinks, ["session.secret @6", "session.secret @9", "session.secret @12", "session.secret @13"]);
    assert_eq!(found.flows, ["result of get @12 -> session.secret @12"]);
    assert_eq!(source(text, "field = 'other.secret'").sources, ["other.secret @10"]);
    assert_eq!(source(text, "field = 'struct session.secret'").sources.len(), 5);
    assert_eq!(source(text, "field = 'session_t.secret'").sources.len(), 5);
}

#[test]
fn registers_are_found_by_address_and_as_the_program_spells_them() {
    let text = "#include <stdint.h>
                #define PORTB (*(volatile uint8_t *)0x25)
                #define PINB (*(volatile uint8_t *)0x23)
                typedef struct { volatile uint32_t IDR, ODR; } gpio;
                #define GPIOA ((gpio *)0x40020000u)
                void show(int); int get(void);
                int main(void) {
                    PORTB = 1;
                    PORTB |= PINB;
                    show(PINB);
                    show(PORTB);
                    GPIOA->ODR = get();
                    show(GPIOA->IDR);
                    *(volatile uint8_t *)0x25 = get();
                    GPIOA -> ODR = 2;
                    return 0;
                }";
    let found = source(text, "register = 'PINB'");
    assert_eq!(found.sources, ["PINB @9", "PINB @10"]);
    assert_eq!(source(text, "register = 'PORTB'").sources, ["PORTB @9", "PORTB @11"]);
    assert_eq!(source(text, "address = 0x25").sources, ["0x25 @9", "0x25 @11"]);
    let found = sink(text, "register = 'PORTB'");
    assert_eq!(found.sinks, ["PORTB @8", "PORTB @9", "PORTB @14"]);
    assert_eq!(found.flows, ["result of get @14 -> PORTB @14"]);
    let found = sink(text, "register = 'GPIOA->ODR'");
    assert_eq!(found.sinks, ["GPIOA->ODR @12", "GPIOA->ODR @15"]);
    assert_eq!(found.flows, ["result of get @12 -> GPIOA->ODR @12"]);
    assert_eq!(source(text, "address = 0x40020000").sources, ["0x40020000 @13"]);
    assert_eq!(sink(text, "address = [0x40020004, 0x25]").sinks.len(), 5);
}

#[test]
fn definitions_of_a_declassified_variable_are_allowed_and_no_others() {
    let text = "int get(void); void show(int);
                int clean; int dirty;
                int main(int argc, char **argv) {
                    int s = get();
                    clean = s & 1;
                    show(clean);
                    dirty = s;
                    show(dirty);
                    int *p = argc > 1 ? &clean : &dirty;
                    *p = s;
                    show(dirty);
                    return 0;
                }";
    let key = "function = 'show'\n[[declassify]]\nfrom = '*'\nto = 'l'\nvariable = 'clean'\nreason = 'reviewed'";
    let found = sink(text, key);
    assert_eq!(found.flows, ["result of get @4 -> call of show @11", "result of get @4 -> call of show @8"]);
}
