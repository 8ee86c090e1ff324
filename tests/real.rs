//! Real C that nobody here wrote: it reads and lowers without stand-ins, and runs in the interpreter as it does when compiled.
//!
//! The sources are those of cargo packages that carry C (`tests/real/Cargo.toml`), brought by cargo and never built.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::support::{Case, compare, gcc, read};
use flowcheck::base::parallel;
use flowcheck::ir::{AssumptionKind, Form};

/// The folder of each package.
fn packages() -> &'static BTreeMap<String, PathBuf> {
    static FOUND: OnceLock<BTreeMap<String, PathBuf>> = OnceLock::new();
    FOUND.get_or_init(|| {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real/Cargo.toml");
        let out = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1", "--manifest-path"])
            .arg(&manifest)
            .output()
            .expect("cargo runs");
        assert!(out.status.success(), "cargo brings the sources: {}", String::from_utf8_lossy(&out.stderr));
        let metadata: serde_json::Value = serde_json::from_slice(&out.stdout).expect("cargo prints JSON");
        let packages = metadata["packages"].as_array().expect("a list of packages");
        let folder = |p: &serde_json::Value| {
            Some((p["name"].as_str()?.to_string(), Path::new(p["manifest_path"].as_str()?).parent()?.to_path_buf()))
        };
        packages.iter().filter_map(folder).collect()
    })
}

/// A folder of a package.
pub fn below(package: &str, folder: &str) -> PathBuf {
    packages()[package].join(folder)
}

/// The folder of lua's newest 5.4.
pub fn lua() -> PathBuf {
    let root = below("lua-src", "");
    let entries = std::fs::read_dir(&root).expect("a folder").map(|e| e.expect("an entry").path());
    let is_54 = |p: &PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("lua-5.4"));
    entries.filter(is_54).max().expect("lua 5.4 is in the package")
}

/// The C files below a folder.
pub fn c_files(folder: &Path) -> Vec<PathBuf> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name();
    let is_c = |p: &PathBuf| p.extension().is_some_and(|e| e == "c");
    walk.into_iter().map(|e| e.expect("a readable folder").into_path()).filter(is_c).collect()
}

/// Every file that gcc takes reads and lowers, without a stand-in.
fn all_read(name: &str, files: &[PathBuf], flags: &[String]) {
    let results = parallel::map(files, 2, |_, file| {
        let taken =
            Command::new("gcc").args(["-w", "-fsyntax-only"]).args(flags).arg(file).output().expect("gcc is there");
        if !taken.status.success() {
            return None;
        }
        Some(match read(std::slice::from_ref(file), flags, Form::Ssa) {
            Err(error) => Err(error),
            Ok(program) => {
                let is_stand_in = |a: &&flowcheck::ir::Assumption| a.kind == AssumptionKind::StandIn;
                match program.assumptions.iter().find(is_stand_in) {
                    Some(a) => Err(format!("{}: stand-in: {}", file.display(), a.text)),
                    None => Ok(program.bodies().count()),
                }
            }
        })
    });
    let results: Vec<_> = results.into_iter().flatten().collect();
    let bad: Vec<&String> = results.iter().filter_map(|r| r.as_ref().err()).collect();
    let functions: usize = results.iter().filter_map(|r| r.as_ref().ok()).sum();
    println!("{name}: {} of {} files read, {functions} functions", results.len() - bad.len(), results.len());
    assert!(functions > 0, "{name} has functions");
    let text: Vec<&str> = bad.iter().map(|s| s.as_str()).collect();
    assert!(bad.is_empty(), "{name}: {} files do not read\n{}", bad.len(), text.join("\n"));
}

#[test]
fn bzip2_reads() {
    all_read("bzip2", &c_files(&below("bzip2-sys", "bzip2-1.0.8")), &[]);
}

#[test]
fn zlib_reads() {
    all_read("zlib", &c_files(&below("libz-sys", "src/zlib")), &[]);
}

#[test]
fn lua_reads() {
    all_read("lua", &c_files(&lua()), &[]);
}

#[test]
fn sqlite_reads() {
    all_read("sqlite", &[below("libsqlite3-sys", "sqlite3/sqlite3.c")], &[]);
}

#[test]
fn zstd_reads() {
    let root = below("zstd-sys", "zstd/lib");
    let flags = [format!("-I{}", root.display()), format!("-I{}", root.join("common").display())];
    all_read("zstd", &c_files(&root), &flags);
}

#[test]
fn mbedtls_reads() {
    let root = below("mbedtls-sys-auto", "vendor");
    let flags = [format!("-I{}", root.join("include").display()), format!("-I{}", root.join("library").display())];
    all_read("mbedtls", &c_files(&root.join("library")), &flags);
}

#[test]
fn bzip2_packs_and_unpacks_a_file() {
    let root = below("bzip2-sys", "bzip2-1.0.8");
    let names =
        ["bzip2.c", "blocksort.c", "bzlib.c", "compress.c", "crctable.c", "decompress.c", "huffman.c", "randtable.c"];
    let files: Vec<PathBuf> = names.iter().map(|n| root.join(n)).collect();
    let text = std::fs::read(root.join("bzlib.c")).expect("a file to pack");
    let text = text[..20_000].to_vec();
    let case = |flag: &str, content: Vec<u8>, name: &str| Case {
        files: files.clone(),
        args: vec![flag.to_string(), name.to_string()],
        fs: BTreeMap::from([(name.to_string(), content)]),
        ..Case::default()
    };
    let pack = case("-zc", text.clone(), "file");
    let packed = gcc(&pack, 20).expect("bzip2 builds and runs");
    assert_eq!(packed.code, 0);
    compare(&pack, &packed).expect("the interpreter packs as the compiled program does");
    let unpack = case("-dc", packed.stdout, "file.bz2");
    let unpacked = gcc(&unpack, 20).expect("bzip2 runs");
    assert_eq!(unpacked.stdout, text);
    compare(&unpack, &unpacked).expect("the interpreter unpacks as the compiled program does");
}

#[test]
fn lua_runs_a_script() {
    let root = lua();
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real");
    let mut files = c_files(&root);
    files.push(here.join("lua_main.c"));
    let script = std::fs::read(here.join("script.lua")).expect("the script");
    let case = Case {
        files,
        flags: vec![format!("-I{}", root.display())],
        args: vec!["script.lua".to_string()],
        fs: BTreeMap::from([("script.lua".to_string(), script)]),
        ..Case::default()
    };
    let expected = gcc(&case, 20).expect("lua builds and runs");
    assert_eq!(expected.code, 0, "{expected:?}");
    compare(&case, &expected).expect("the interpreter runs the script as the compiled program does");
}
