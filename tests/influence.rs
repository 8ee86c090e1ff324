//! The oracle of slices: changing what is outside a slice changes nothing at its criterion.
//!
//! `FLOWCHECK_PROGRAMS=N` takes N programs instead of the default, `FLOWCHECK_SEED=S` starts at another seed.

mod crude;
pub mod dense;
mod oracle;

use std::collections::BTreeSet;

use flowcheck::base::parallel;
use flowcheck::base::progress::Progress;
use flowcheck::ir::{self, Options, Program};
use flowcheck::source::{DataModel, Sources, of_texts};

use crude::{Crude, Missing};
use oracle::{Criterion, Effort, Place, Subject, Tally};

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// Reads the text of a program that needs no headers.
pub fn read_text(name: &str, text: &str) -> (Program, Sources) {
    let loaded = of_texts(vec![(name.into(), text.as_bytes().to_vec())], DataModel::lp64());
    let lowered = ir::lower(&loaded.sources, &Options { jobs: 1, ..Options::default() }, &Progress::silent());
    let program = lowered.program.unwrap_or_else(|| panic!("{name}: {:?}\n{text}", lowered.diagnostics));
    (program, loaded.sources)
}

/// The slices of a program, prepared once.
type Slices<'p> = Box<dyn Fn(&Criterion) -> BTreeSet<Place> + 'p>;

/// Tries slices on many programs; what was done, and a text for each difference.
fn try_all(
    seeds: std::ops::Range<u64>,
    effort: Effort,
    prepare: impl for<'p> Fn(&'p Program) -> Slices<'p> + Sync,
) -> (Tally, Vec<String>) {
    let seeds: Vec<u64> = seeds.collect();
    let results = parallel::map(&seeds, 2, |_, &seed| {
        let text = dense::program(seed);
        let (program, sources) = read_text("dense.c", &text);
        let Some(subject) = Subject::new(&program, &sources, 200_000) else { return (Tally::default(), Vec::new()) };
        let slicer = prepare(&program);
        let (tally, found) = subject.check(&*slicer, effort, seed ^ 0x5eed);
        let found = found.into_iter().map(|report| format!("seed {seed}\n{report}\n{text}")).collect();
        (tally, found)
    });
    let mut all = (Tally::default(), Vec::new());
    for (tally, found) in results {
        all.0.add(tally);
        all.1.extend(found);
    }
    all
}

#[test]
fn the_oracle_accepts_slices_that_hold_everything_that_can_matter() {
    let effort = Effort { criteria: 4, runs: 8 };
    let (tally, found) = try_all(1..40, effort, |program| Box::new(Crude::new(program).everything()));
    assert!(found.is_empty() && tally.outside == 0 && tally.programs > 30, "{tally:?}\n{}", found.join("\n"));
    // All but what no other value, decision, store, call or return uses.
    let (tally, found) = try_all(1..120, effort, |program| Box::new(Crude::new(program).used()));
    println!("used: {tally:?}");
    assert!(found.is_empty(), "{} differences, the first:\n{}", found.len(), found[0]);
    assert!(tally.runs > 500 && tally.complete > tally.runs / 2, "{tally:?}");
}

#[test]
fn the_oracle_finds_every_kind_of_dependence_that_a_slice_leaves_out() {
    for kind in Missing::ALL {
        let effort = Effort { criteria: 4, runs: 8 };
        let (tally, found) = try_all(1..12, effort, |program| Box::new(Crude::new(program).without(kind)));
        println!("{kind:?}: {} differences, {tally:?}", found.len());
        assert!(!found.is_empty(), "a slice without {kind:?} is wrong, and no run shows it: {tally:?}");
    }
}
