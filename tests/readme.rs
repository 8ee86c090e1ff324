//! What the documents show is what flowcheck prints: every `console` block of the README is run and compared.
//!
//! In such a block a line `$ command` is run by a shell in the project's folder, with `flowcheck` being the one under test; the
//! lines up to the next `$` are its output, standard error included. `FLOWCHECK_BLESS=1 cargo test --test readme` writes what
//! is printed now.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const OPENING: &str = "```console";
const CLOSING: &str = "```";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What the command prints, as a shell in the project's folder shows it.
fn run(command: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_flowcheck"));
    let folder = binary.parent().expect("the binary is in a folder");
    let mut path = vec![folder.to_path_buf()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(root())
        .env("PATH", std::env::join_paths(path).expect("no colon in the folder's name"))
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The document with the output that each of its commands prints now, and how many commands it has.
fn rerun(document: &str) -> (String, usize) {
    let mut result = String::new();
    let mut commands = 0;
    let mut inside = false;
    for line in document.lines() {
        match line.strip_prefix("$ ") {
            Some(command) if inside => {
                commands += 1;
                let output = run(command);
                result.extend([line, "\n", output.as_str()]);
                if !output.is_empty() && !output.ends_with('\n') {
                    result.push('\n');
                }
            }
            Some(_) | None => {
                let closes = inside && line == CLOSING;
                if !inside || closes {
                    result.extend([line, "\n"]);
                }
                inside = (inside && !closes) || line == OPENING;
            }
        }
    }
    (result, commands)
}

#[test]
fn the_documents_show_what_is_printed() {
    for name in ["README.md", "examples/scale/README.md", "examples/login/README.md"] {
        let path = root().join(name);
        let document = std::fs::read_to_string(&path).expect(name);
        let (now, commands) = rerun(&document);
        assert!(commands > 0, "{name} has no command to run");
        if std::env::var_os("FLOWCHECK_BLESS").is_some() {
            std::fs::write(&path, &now).expect(name);
        } else {
            assert_eq!(document, now, "{name} is not what is printed now; FLOWCHECK_BLESS=1 writes it anew");
        }
    }
}

#[test]
fn other_blocks_and_text_stay() {
    let document = "a\n```sh\n$ not run\n```\n```console\n$ echo one; echo two >&2\nold\n$ printf x\n```\nb\n";
    let expected = "a\n```sh\n$ not run\n```\n```console\n$ echo one; echo two >&2\none\ntwo\n$ printf x\nx\n```\nb\n";
    assert_eq!(rerun(document), (expected.to_owned(), 2));
}
