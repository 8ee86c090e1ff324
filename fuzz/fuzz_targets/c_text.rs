//! Arbitrary C text through the pre-pass, the parser, lowering, linking, SSA construction and the printer: errors are fine, panics are
//! not. Debug assertions are on, so every phase's result is verified.

#![no_main]

use flowcheck::base::progress::Progress;
use flowcheck::ir::{self, Form, Options};
use flowcheck::source::{self, DataModel};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = format!("# 1 \"fuzz.c\"\n{}", String::from_utf8_lossy(data));
    let loaded = source::of_texts(vec![("fuzz.c".into(), text.into_bytes())], DataModel::lp64());
    for form in [Form::Lowered, Form::Ssa] {
        let options = Options { form, jobs: 1, ..Options::default() };
        if let Some(program) = ir::lower(&loaded.sources, &options, &Progress::silent()).program {
            ir::print::text(&program, &|place| loaded.sources.locate(place).line.to_string());
        }
    }
});
