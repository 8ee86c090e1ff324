//! Arbitrary bytes as a `.i` file, read as the command line reads it: bytes that are no text, line markers that lie, diagnostics that are
//! rendered. Errors are fine, panics are not.

#![no_main]

use flowcheck::base::progress::Progress;
use flowcheck::ir::{self, Options};
use flowcheck::source::{self, DataModel, show};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut loaded = source::of_texts(vec![("fuzz.i".into(), data.to_vec())], DataModel::lp64());
    let options = Options { jobs: 1, ..Options::default() };
    loaded.diagnostics.extend(ir::lower(&loaded.sources, &options, &Progress::silent()).diagnostics);
    show::render(&loaded.sources, &loaded.diagnostics, true, &mut std::io::sink()).expect("a sink takes everything");
});
