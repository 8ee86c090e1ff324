//! Reading projects through the public interface, with the machine's compiler.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flowcheck::base::progress::Progress;
use flowcheck::error::UserError;
use flowcheck::source::{self, Diagnostic, Label, Loaded, Location, Place, Request, Severity, UnitId};
use tempfile::TempDir;

/// A project of these files.
fn project(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

fn load(request: &Request) -> Result<Loaded, UserError> {
    source::load(request, &Progress::silent())
}

fn request(folder: &TempDir, paths: &[&str]) -> Request {
    Request { paths: paths.iter().map(|p| folder.path().join(p)).collect(), jobs: 2, ..Request::default() }
}

fn by_commands(folder: &TempDir, paths: &[&str]) -> Request {
    Request { compile_commands: Some(folder.path().to_owned()), ..request(folder, paths) }
}

fn names(loaded: &Loaded, folder: &TempDir) -> Vec<String> {
    let root = folder.path();
    let name = |path: &Path| path.strip_prefix(root).unwrap_or(path).display().to_string();
    loaded.sources.units.iter().map(|u| name(&u.path)).collect()
}

fn help(error: &UserError) -> String {
    miette::Diagnostic::help(error).map(|h| h.to_string()).unwrap_or_default()
}

fn refused(request: &Request) -> String {
    let error = load(request).expect_err("refused");
    assert!(!help(&error).is_empty(), "no advice: {error}");
    error.to_string()
}

/// The place of the `n`th `what` in the text of a unit that is not in a line marker.
fn place(loaded: &Loaded, unit: u32, what: &str, n: usize) -> Place {
    let unit = UnitId(unit);
    let text = &loaded.sources.units[unit].text;
    let in_code = |at: &usize| !text[..*at].rsplit('\n').next().unwrap_or("").starts_with('#');
    let start = text.match_indices(what).map(|(i, _)| i).filter(in_code).nth(n).unwrap();
    Place { unit, start: start as u32, end: (start + what.len()) as u32 }
}

fn point(location: &Location) -> (String, u32, u32) {
    let name = location.file.file_name().unwrap().to_string_lossy().into_owned();
    (name, location.line, location.column)
}

fn at(loaded: &Loaded, what: &str, n: usize) -> (u32, u32, u32, u32) {
    let found = loaded.sources.locate(place(loaded, 0, what, n));
    (found.line, found.column, found.end_line, found.end_column)
}

fn first_location(diagnostic: &Diagnostic) -> &Location {
    match &diagnostic.labels[0].0 {
        Label::Location(location) => location,
        Label::Place(place) => panic!("{place:?}"),
    }
}

fn rendered(loaded: &Loaded) -> String {
    let mut out = Vec::new();
    source::show::render(&loaded.sources, &loaded.diagnostics, false, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The text of a unit without line markers and blank lines.
fn code(loaded: &Loaded, unit: u32) -> String {
    let text = &loaded.sources.units[UnitId(unit)].text;
    text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_folder_is_read_sorted_and_without_what_is_hidden_or_excluded() {
    let folder = project(&[
        ("b.c", b"int b;"),
        ("a.c", b"int a;"),
        ("sub/z.c", b"int z;"),
        ("sub/deep/y.c", b"int y;"),
        ("tests/t.c", b"int t;"),
        (".git/x.c", b"int x;"),
        ("c.h", b"int c;"),
        ("d.i", b"int d;"),
    ]);
    let all = load(&request(&folder, &[""])).unwrap();
    assert_eq!(names(&all, &folder), ["a.c", "b.c", "sub/deep/y.c", "sub/z.c", "tests/t.c"]);
    let some = Request { exclude: vec!["tests/**".into(), "sub/*.c".into()], ..request(&folder, &[""]) };
    assert_eq!(names(&load(&some).unwrap(), &folder), ["a.c", "b.c", "sub/deep/y.c"]);
}

#[test]
fn a_file_named_twice_is_read_once() {
    let folder = project(&[("b.c", b"int b;"), ("a.c", b"int a;"), ("s/x.c", b"int x;")]);
    let loaded = load(&request(&folder, &["b.c", "", "s/../a.c"])).unwrap();
    assert_eq!(names(&loaded, &folder), ["b.c", "a.c", "s/x.c"]);
}

#[test]
fn paths_that_cannot_be_read_are_refused_with_advice() {
    let folder = project(&[("x.cpp", b""), ("empty/readme", b""), ("a.c", b"int a;")]);
    assert!(refused(&request(&folder, &["no.c"])).contains("no.c"));
    assert!(refused(&request(&folder, &["x.cpp"])).contains("x.cpp"));
    assert!(refused(&request(&folder, &["empty"])).contains("empty"));
    assert!(refused(&Request::default()).contains("no C file"));
    let both = refused(&request(&folder, &["no.c", "a.c", "x.cpp"]));
    assert!(both.contains("no.c") && both.contains("x.cpp"), "{both}");
    assert!(refused(&Request { exclude: vec!["*.c".into()], ..request(&folder, &["a.c"]) }).contains("--exclude"));
    assert!(refused(&Request { cc: vec!["no-such-gcc".into()], ..request(&folder, &["a.c"]) }).contains("no-such-gcc"));
}

#[test]
fn preprocessed_files_are_not_preprocessed_again() {
    let folder = project(&[("a.i", b"# 3 \"orig.c\"\nint x = X;\n")]);
    let loaded = load(&Request { flags: vec!["-DX=1".into()], ..request(&folder, &["a.i"]) }).unwrap();
    assert_eq!(code(&loaded, 0), "int x = X;");
    let found = loaded.sources.locate(place(&loaded, 0, "X", 0));
    assert_eq!((found.file.as_path(), found.line, found.column), (Path::new("orig.c"), 3, 9));
}

#[test]
fn options_reach_the_preprocessor() {
    let folder = project(&[("a.c", b"#include \"h.h\"\nint x = N + H;\n"), ("inc/h.h", b"#define H 7\n")]);
    let flags = vec!["-I".into(), folder.path().join("inc").display().to_string(), "-DN=5".into()];
    let loaded = load(&Request { flags, ..request(&folder, &["a.c"]) }).unwrap();
    assert_eq!(code(&loaded, 0), "int x = 5 + 7;");
}

#[test]
fn all_bad_files_are_listed_at_their_place() {
    let folder = project(&[
        ("a.c", b"int a;\n#include \"nope.h\"\n"),
        ("b.c", b"#include \"b.h\"\n"),
        ("b.h", b"\n\n  #error \"broken here\"\n#error second\n"),
        ("c.c", b"#warning fine\nint c;\n"),
    ]);
    let loaded = load(&request(&folder, &[""])).unwrap();
    assert_eq!(names(&loaded, &folder), ["c.c"]);
    let errors: Vec<_> = loaded.diagnostics.iter().map(|d| (point(first_location(d)), d.severity)).collect();
    assert_eq!(
        errors,
        [
            (("a.c".into(), 2, 10), Severity::Error),
            (("b.h".into(), 3, 4), Severity::Error),
            (("b.h".into(), 4, 2), Severity::Error),
        ]
    );
    assert!(loaded.diagnostics[0].message.contains("nope.h"));
    assert!(loaded.diagnostics[0].notes.iter().any(|n| n.contains("-I")));
    assert!(loaded.diagnostics[1].notes.iter().any(|n| n.contains("b.c:1")));
    let text = rendered(&loaded);
    assert!(text.contains("2 | #include \"nope.h\"\n  |          ^^^^^^^^\n"), "{text}");
    assert!(text.contains("#error \"broken here\""), "{text}");
}

#[test]
fn odd_bytes_do_no_harm() {
    let folder = project(&[
        ("latin1.c", b"/* \xe9 */ char s[] = \"caf\xe9\"; // \xe9\nint after;\n"),
        ("crlf.c", b"#define ONE 1\r\nint a = ONE;\r\nint b;\r\n"),
        ("nul.c", b"int a\0;\nint b;\n"),
        ("noend.c", b"int b;"),
        ("empty.c", b""),
    ]);
    let loaded = load(&request(&folder, &["latin1.c", "crlf.c", "nul.c", "noend.c", "empty.c"])).unwrap();
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    assert_eq!(code(&loaded, 0).trim(), "char s[] = \"caf\\351\";\nint after;");
    // On disk, the literal is three bytes shorter.
    assert_eq!(at(&loaded, ";", 0), (1, 26, 1, 27));
    assert_eq!(at(&loaded, "after", 0), (2, 5, 2, 10));
    for unit in 1..=3 {
        assert_eq!(loaded.sources.locate(place(&loaded, unit, "b", 0)).column, 5, "unit {unit}");
    }
    let found = loaded.sources.locate(place(&loaded, 1, "1", 0));
    assert_eq!((found.line, found.column, found.end_column), (2, 9, 12));
    assert_eq!(code(&loaded, 4), "");
}

#[test]
fn a_large_file_is_located_quickly() {
    let mut text = String::new();
    for i in 0..300_000 {
        writeln!(text, "int variable_{i:06} = ONE; ").unwrap();
    }
    let folder = project(&[("a.c", format!("#define ONE 1\n{text}").as_bytes())]);
    let loaded = load(&request(&folder, &["a.c"])).unwrap();
    let text = &loaded.sources.units[UnitId(0)].text;
    let mut start = text.find("int variable_000000").unwrap();
    let started = std::time::Instant::now();
    for i in 0..300_000u32 {
        let end = start + "int variable_000000 = 1;".len();
        let found = loaded.sources.locate(Place { unit: UnitId(0), start: start as u32, end: end as u32 });
        assert_eq!((found.line, found.column, found.end_column), (i + 2, 1, 27));
        start = end + 1 + text[end + 1..].find(|c| c != '\n').unwrap_or(0);
    }
    // A scan of the file per look-up would take hours.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn columns_are_those_of_the_file() {
    let folder = project(&[(
        "a.c",
        b"#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\
          #define N 10\n\
          int f(int x, int   y) {\n\
          \tint z = MAX(x, y)  +  x; /* a comment\n\
          over lines */ z = N + z;\n\
          \treturn MAX(z,\n\
          \t           y) + N;\n\
          }\n\
          int a = \\\n\
          \x20   7;\n",
    )]);
    let loaded = load(&request(&folder, &["a.c"])).unwrap();
    assert_eq!(at(&loaded, "y)", 0), (3, 20, 3, 22));
    // Exact behind a macro, at its arguments within, and the whole invocation for what it made.
    assert_eq!(at(&loaded, "x;", 0), (4, 24, 4, 26));
    assert_eq!(at(&loaded, "(y) ?", 0), (4, 10, 4, 19));
    assert_eq!(at(&loaded, "int z = ((x) > (y) ? (x) : (y)) + x;", 0), (4, 2, 4, 26));
    assert_eq!(at(&loaded, "z = 10 + z;", 0), (5, 15, 5, 25));
    assert_eq!(at(&loaded, "10 + z;", 0), (5, 19, 5, 25));
    // An invocation over two lines: what follows it is on the second.
    assert_eq!(at(&loaded, "10;", 0), (7, 18, 7, 20));
    let start = place(&loaded, 0, "return", 0);
    let end = place(&loaded, 0, "10;", 0);
    let statement = loaded.sources.locate(Place { end: end.end, ..start });
    assert_eq!((statement.line, statement.column, statement.end_line, statement.end_column), (6, 2, 7, 20));
    assert_eq!(at(&loaded, "7;", 0), (10, 5, 10, 7));
}

#[test]
fn macros_of_system_headers_break_lines_but_not_columns() {
    let folder = project(&[("a.c", b"#include <stddef.h>\nvoid *a[] = { NULL, \"x\", NULL }; int b;\n")]);
    let loaded = load(&request(&folder, &["a.c"])).unwrap();
    assert_eq!(at(&loaded, "((void *)0)", 0), (2, 15, 2, 19));
    assert_eq!(at(&loaded, "\"x\"", 0), (2, 21, 2, 24));
    assert_eq!(at(&loaded, "((void *)0)", 1), (2, 26, 2, 30));
    assert_eq!(at(&loaded, "b;", 0), (2, 38, 2, 40));
}

#[test]
fn headers_are_located_in_their_own_file() {
    let folder = project(&[
        ("a.c", b"#include \"inc/h.h\"\n\n\n\n\n\n\n\n\n\n\n\nint in_c;\n"),
        ("inc/h.h", b"#pragma once\n\nint in_h;\n"),
    ]);
    let loaded = load(&request(&folder, &["a.c"])).unwrap();
    assert_eq!(point(&loaded.sources.locate(place(&loaded, 0, "in_h", 0))), ("h.h".into(), 3, 5));
    assert_eq!(point(&loaded.sources.locate(place(&loaded, 0, "in_c", 0))), ("a.c".into(), 13, 5));
}

/// A `compile_commands.json` of these entries.
fn commands(folder: &TempDir, json: &str) {
    let json = json.replace("ROOT", &folder.path().display().to_string());
    fs::write(folder.path().join("compile_commands.json"), json).unwrap();
}

#[test]
fn commands_say_how_to_preprocess() {
    let folder = project(&[
        ("src/a.c", b"#include \"h.h\"\nint a = H + N; char *s = S;\n"),
        ("src/b.c", b"#include \"h.h\"\nint b = H;\n"),
        ("inc/h.h", b"#define H 7\n"),
        ("build/keep", b""),
    ]);
    commands(
        &folder,
        r#"[{"directory": "build", "file": "../src/a.c",
             "command": "ccache gcc -I../inc -DN=1 '-DS=\"x y\"' -O2 -c -o a.o ../src/a.c"},
            {"directory": "ROOT/build", "file": "ROOT/src/b.c",
             "arguments": ["/no/such/bin/gcc", "-I", "../inc", "-c", "ROOT/src/b.c"]}]"#,
    );
    let loaded = load(&by_commands(&folder, &[])).unwrap();
    assert_eq!(names(&loaded, &folder), ["src/a.c", "src/b.c"]);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    assert_eq!(code(&loaded, 0), "int a = 7 + 1; char *s = \"x y\";");
    assert_eq!(code(&loaded, 1), "int b = 7;");
    let found = loaded.sources.locate(place(&loaded, 0, "s =", 0));
    assert_eq!((found.file, found.line, found.column), (folder.path().join("src/a.c"), 2, 22));
}

#[test]
fn paths_select_among_the_commands() {
    let folder = project(&[("src/a.c", b"int a;"), ("src/b.c", b"int b;"), ("lib/c.c", b"int c;"), ("d.c", b"int d;")]);
    commands(
        &folder,
        r#"[{"directory": "ROOT", "file": "src/a.c", "arguments": ["gcc", "-c", "src/a.c"]},
            {"directory": "ROOT", "file": "src/b.c", "arguments": ["gcc", "-c", "src/b.c"]},
            {"directory": "ROOT", "file": "lib/c.c", "arguments": ["gcc", "-c", "lib/c.c"]}]"#,
    );
    assert_eq!(names(&load(&by_commands(&folder, &["src"])).unwrap(), &folder), ["src/a.c", "src/b.c"]);
    assert_eq!(names(&load(&by_commands(&folder, &["lib/c.c", "src/b.c"])).unwrap(), &folder), ["src/b.c", "lib/c.c"]);
    assert!(refused(&by_commands(&folder, &["src", "d.c"])).contains("d.c"));
    let without = Request { exclude: vec!["src/*".into()], ..by_commands(&folder, &[]) };
    assert_eq!(names(&load(&without).unwrap(), &folder), ["lib/c.c"]);
}

#[test]
fn what_is_skipped_in_the_commands_is_told() {
    let folder = project(&[("a.c", b"int a = N;"), ("b.cpp", b""), ("c.S", b""), ("d.c", b"int d;")]);
    commands(
        &folder,
        r#"[{"directory": "ROOT", "file": "a.c", "arguments": ["gcc", "-DN=1", "-c", "a.c"]},
            {"directory": "ROOT", "file": "a.c", "arguments": ["gcc", "-DN=1", "-O3", "-c", "a.c", "-o", "x.o"]},
            {"directory": "ROOT", "file": "a.c", "arguments": ["gcc", "-DN=2", "-c", "a.c"]},
            {"directory": "ROOT", "file": "b.cpp", "arguments": ["g++", "-c", "b.cpp"]},
            {"directory": "ROOT", "file": "c.S", "arguments": ["gcc", "-c", "c.S"]},
            {"directory": "ROOT", "file": "d.c", "arguments": ["./evil", "-c", "d.c"]}]"#,
    );
    let loaded = load(&by_commands(&folder, &[])).unwrap();
    assert_eq!(names(&loaded, &folder), ["a.c", "d.c"]);
    assert_eq!(code(&loaded, 0), "int a = 1;");
    let told: Vec<&str> = loaded.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert!(loaded.diagnostics.iter().all(|d| d.severity == Severity::Warning), "{told:?}");
    assert!(told.iter().any(|m| m.contains("b.cpp") && m.contains("1 more")), "{told:?}");
    assert!(told.iter().any(|m| m.contains("./evil")), "{told:?}");
    assert!(told.iter().any(|m| m.contains("a.c") && m.contains("1 skipped")), "{told:?}");
}

#[test]
fn nothing_of_the_commands_is_run() {
    let folder = project(&[("a.c", b"int a;"), ("args", b"-DX"), ("spec", b"%include")]);
    let evil = folder.path().join("gcc");
    let mark = folder.path().join("mark");
    fs::write(&evil, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
    fs::set_permissions(&evil, fs::Permissions::from_mode(0o755)).unwrap();
    commands(
        &folder,
        r#"[{"directory": "ROOT", "file": "a.c", "arguments": ["./gcc", "-fplugin=ROOT/x.so", "-wrapper", "ROOT/gcc",
             "-specs=ROOT/spec", "-BROOT", "@args", "-Xpreprocessor", "-fplugin=x", "-c", "a.c"]}]"#,
    );
    let loaded = load(&by_commands(&folder, &[])).unwrap();
    assert_eq!(code(&loaded, 0), "int a;");
    assert!(!mark.exists());
}

#[test]
fn a_missing_file_of_the_commands_is_an_error_beside_the_others() {
    let folder = project(&[("a.c", b"int a;")]);
    commands(
        &folder,
        r#"[{"directory": "ROOT", "file": "a.c", "arguments": ["gcc", "-c", "a.c"]},
            {"directory": "ROOT", "file": "gone.c", "arguments": ["gcc", "-c", "gone.c"]}]"#,
    );
    let loaded = load(&by_commands(&folder, &[])).unwrap();
    assert_eq!(names(&loaded, &folder), ["a.c"]);
    assert!(loaded.diagnostics[0].severity == Severity::Error && loaded.diagnostics[0].message.contains("gone.c"));
}

#[test]
fn broken_commands_are_shown_in_their_file() {
    let folder = project(&[("a.c", b"int a;")]);
    commands(&folder, "[{\"directory\": \"ROOT\",\n \"file\" \"a.c\"}]");
    match load(&by_commands(&folder, &[])) {
        Err(UserError::InFile { at, source_code, .. }) => {
            let text = source_code.inner();
            assert_eq!(&text[at.offset()..at.offset() + at.len()], "\"");
            assert_eq!(text[..at.offset()].lines().count(), 2);
        }
        other => panic!("{other:?}"),
    }
    fs::remove_file(folder.path().join("compile_commands.json")).unwrap();
    assert!(refused(&by_commands(&folder, &[])).contains("compile_commands.json"));
    commands(&folder, "[]");
    assert!(refused(&by_commands(&folder, &[])).contains("no C file"));
}

#[test]
fn flags_of_the_user_hold_for_commands_too() {
    let folder = project(&[("a.c", b"#include \"h.h\"\nint a = N;\n"), ("inc/h.h", b""), ("build/keep", b"")]);
    commands(&folder, r#"[{"directory": "ROOT/build", "file": "ROOT/a.c", "arguments": ["gcc", "-DN=1", "a.c"]}]"#);
    let inc = format!("-I{}", folder.path().join("inc").display());
    let loaded =
        load(&Request { flags: vec![inc, "-UN".into(), "-DN=2".into()], ..by_commands(&folder, &[]) }).unwrap();
    assert_eq!(code(&loaded, 0), "int a = 2;");
}

#[test]
fn the_data_model_is_that_of_the_compiler() {
    let folder = project(&[("a.c", b"int a;"), ("b.c", b"int b;")]);
    let model = |cc: &[&str]| {
        let cc = cc.iter().map(|w| (*w).to_owned()).collect();
        load(&Request { cc, ..request(&folder, &["a.c"]) }).unwrap().sources.model
    };
    let i386 = model(&["gcc", "-m32"]);
    assert_eq!((i386.pointer_size, i386.long_size, i386.long_long_size), (4, 4, 8));
    assert_eq!((i386.max_align, i386.long_double_size, i386.long_double_align, i386.va_list_size), (4, 12, 4, 4));
    let x32 = model(&["gcc", "-mx32"]);
    assert_eq!((x32.pointer_size, x32.max_align, x32.va_list_size), (4, 16, 16));
    let odd = model(&["gcc", "-funsigned-char", "-fshort-enums", "-fshort-wchar"]);
    assert!(!odd.char_signed && odd.short_enums);
    assert_eq!(odd.int_size(odd.wchar_type), 2);
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    assert_eq!(model(&["gcc"]), source::DataModel::lp64());

    commands(
        &folder,
        r#"[{"directory": "ROOT", "file": "a.c", "arguments": ["gcc", "-c", "a.c"]},
            {"directory": "ROOT", "file": "b.c", "arguments": ["gcc", "-m32", "-c", "b.c"]}]"#,
    );
    let message = refused(&by_commands(&folder, &[]));
    assert!(message.contains("a.c") && message.contains("b.c"), "{message}");
    assert_eq!(load(&by_commands(&folder, &["b.c"])).unwrap().sources.model, i386);
}

#[test]
fn packing_by_option_is_in_the_side_table() {
    let folder = project(&[("a.c", b"struct s { char c; int i; };\n")]);
    commands(&folder, r#"[{"directory": "ROOT", "file": "a.c", "arguments": ["gcc", "-fpack-struct=2", "a.c"]}]"#);
    let loaded = load(&by_commands(&folder, &[])).unwrap();
    assert_eq!(loaded.sources.units[UnitId(0)].side.pack, [(0, Some(2))]);
}

#[test]
fn names_that_look_like_options_are_files() {
    let folder = project(&[("-o.c", b"int a;"), ("@x.c", b"int b;"), ("with \"quote\".c", b"int c;")]);
    commands(
        &folder,
        r#"[{"directory": "ROOT", "file": "-o.c", "arguments": ["gcc", "-c", "./-o.c"]},
            {"directory": "ROOT", "file": "@x.c", "arguments": ["gcc", "-c", "./@x.c"]},
            {"directory": "ROOT", "file": "with \"quote\".c", "arguments": ["gcc", "-c", "with \"quote\".c"]}]"#,
    );
    let loaded = load(&by_commands(&folder, &[])).unwrap();
    assert_eq!(loaded.sources.units.len(), 3, "{:?}", loaded.diagnostics);
    for (unit, (name, variable)) in [("-o.c", "a"), ("@x.c", "b"), ("with \"quote\".c", "c")].into_iter().enumerate() {
        let found = loaded.sources.locate(place(&loaded, unit as u32, variable, 0));
        assert_eq!(found.file, folder.path().join(name));
    }
}
