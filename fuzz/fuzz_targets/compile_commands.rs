//! Arbitrary bytes as a `compile_commands.json`, beside one file that exists. Errors are fine; panics are not, and nothing that the
//! file names is executed.

#![no_main]

use std::sync::LazyLock;

use flowcheck::base::progress::Progress;
use flowcheck::source::{self, Request};
use libfuzzer_sys::fuzz_target;

/// One folder for the whole run.
static FOLDER: LazyLock<std::path::PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("flowcheck-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    std::fs::write(folder.join("a.i"), "int a;\n").expect("a scratch file");
    folder
});

fuzz_target!(|data: &[u8]| {
    let file = FOLDER.join("compile_commands.json");
    std::fs::write(&file, data).expect("a scratch file");
    // `false` stands for the compiler: whatever is asked of it fails at once.
    let request = Request { compile_commands: Some(file), cc: vec!["false".into()], jobs: 1, ..Request::default() };
    if let Err(error) = source::load(&request, &Progress::silent()) {
        assert!(!error.to_string().is_empty());
    }
});
