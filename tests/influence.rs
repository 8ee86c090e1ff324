//! The oracle of slices: changing what is outside a slice changes nothing at its criterion.
//!
//! The programs are those of a generator made for this (`dense`), those of the other generator, and csmith's where it is installed.
//! `FLOWCHECK_PROGRAMS=N` takes N programs instead of the default, `FLOWCHECK_SEED=S` starts at another seed.

mod crude;
pub mod dense;
mod oracle;

use std::collections::BTreeSet;

use flowcheck::base::parallel;
use flowcheck::base::progress::Progress;
use flowcheck::ir::{self, Form, Options, Program};
use flowcheck::source::{DataModel, Request, Sources, of_texts};

use crate::support::generator::{self, Random};
use crate::support::{Case, compare, csmith, gcc};
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

/// Reads a program with headers.
fn read_case(case: &Case) -> (Program, Sources) {
    let request = Request { paths: case.files.clone(), flags: case.flags.clone(), jobs: 1, ..Request::default() };
    let options = Options { form: Form::Ssa, jobs: 1, ..Options::default() };
    let read = flowcheck::read(&request, &options, &Progress::silent()).expect("the files are there");
    (read.program.unwrap_or_else(|| panic!("{:?}", read.diagnostics)), read.sources)
}

/// The slices of a program, prepared once.
type Slices<'p> = Box<dyn Fn(&Criterion) -> BTreeSet<Place> + 'p>;

/// Where programs come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Origin {
    Dense,
    Generator,
    Csmith,
}

/// Tries slices on the programs of these seeds; what was done, and a text for each difference.
fn try_all(
    origin: Origin,
    seeds: std::ops::Range<u64>,
    effort: Effort,
    prepare: impl for<'p> Fn(&'p Program) -> Slices<'p> + Sync,
) -> (Tally, Vec<String>) {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let include = if origin == Origin::Csmith { csmith::installed() } else { None };
    let seeds: Vec<u64> = if origin == Origin::Csmith && include.is_none() { Vec::new() } else { seeds.collect() };
    let results = parallel::map(&seeds, 2, |_, &seed| {
        let (text, (program, sources)) = match (origin, include) {
            (Origin::Dense, _) => {
                let text = dense::program(seed);
                let read = read_text("dense.c", &text);
                (text, read)
            }
            (Origin::Csmith, Some(include)) => {
                let case = csmith::program(seed, include, folder.path());
                (format!("csmith {seed}"), read_case(&case))
            }
            (Origin::Generator | Origin::Csmith, _) => {
                let (text, file) = (generator::program(seed), folder.path().join(format!("own{seed}.c")));
                std::fs::write(&file, &text).expect("a scratch file");
                let case = Case { files: vec![file], ..Case::default() };
                (text, read_case(&case))
            }
        };
        let subject = match Subject::new(&program, &sources, 200_000) {
            Ok(subject) => subject,
            Err(end) => {
                println!("{origin:?} {seed} is left out: {end:?}");
                return (Tally::default(), Vec::new());
            }
        };
        let slicer = prepare(&program);
        let (tally, found) = subject.check(&*slicer, effort, seed ^ 0x5eed);
        let found = found.into_iter().map(|report| format!("{origin:?} {seed}\n{report}\n{text}")).collect();
        (tally, found)
    });
    let mut all = (Tally::default(), Vec::new());
    for (tally, found) in results {
        all.0.add(tally);
        all.1.extend(found);
    }
    all
}

/// How large slices are, and how much of them really matters.
#[derive(Clone, Copy, Default, Debug)]
struct Size {
    criteria: usize,
    /// Executed places, summed over the criteria.
    places: usize,
    /// Those in the slice.
    slice: usize,
    /// Those of which some change was seen to change the criterion: what no slice can be smaller than.
    influence: usize,
}

/// Measures slices on dense programs, by changing each executed place alone in `tries` ways.
fn measure(
    seeds: std::ops::Range<u64>,
    tries: usize,
    prepare: impl for<'p> Fn(&'p Program) -> Slices<'p> + Sync,
) -> Size {
    let seeds: Vec<u64> = seeds.collect();
    let sizes = parallel::map(&seeds, 2, |_, &seed| {
        let (program, sources) = read_text("dense.c", &dense::program(seed));
        let mut size = Size::default();
        let Ok(subject) = Subject::new(&program, &sources, 200_000) else { return size };
        let mut random = Random::new(seed);
        let slicer = prepare(&program);
        for criterion in subject.criteria(2, &mut random) {
            let slice = slicer(&criterion);
            let influence = subject.influencers(&criterion, tries, &mut random);
            let outside: Vec<String> = influence.difference(&slice).map(|p| subject.show(*p)).collect();
            assert!(outside.is_empty(), "seed {seed}, {}: {}", criterion.name, outside.join("\n"));
            size.criteria += 1;
            size.places += subject.places.len();
            size.slice += subject.places.iter().filter(|p| slice.contains(p)).count();
            size.influence += influence.len();
        }
        size
    });
    sizes.into_iter().fold(Size::default(), |a, b| Size {
        criteria: a.criteria + b.criteria,
        places: a.places + b.places,
        slice: a.slice + b.slice,
        influence: a.influence + b.influence,
    })
}

#[test]
fn dense_programs_do_what_they_do_when_compiled() {
    let seeds: Vec<u64> = (1..41).collect();
    let folder = tempfile::tempdir().expect("a scratch folder");
    let results = parallel::map(&seeds, 2, |_, seed| {
        let file = folder.path().join(format!("dense{seed}.c"));
        std::fs::write(&file, dense::program(*seed)).expect("a scratch file");
        let case = Case { files: vec![file], max_steps: 1_000_000, ..Case::default() };
        let expected = gcc(&case, 5).expect("gcc takes it, and it ends");
        compare(&case, &expected).map_err(|e| format!("seed {seed}: {e}"))
    });
    let differ: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n\n"));
}

#[test]
fn the_oracle_accepts_slices_that_hold_everything_that_can_matter() {
    let effort = Effort { criteria: 4, runs: 8 };
    let (tally, found) = try_all(Origin::Dense, 1..40, effort, |program| Box::new(Crude::new(program).everything()));
    assert!(found.is_empty() && tally.outside == 0 && tally.programs > 30, "{tally:?}\n{}", found.join("\n"));
    // All but what no other value, decision, store, call or return uses.
    let (first, wanted) = (number("FLOWCHECK_SEED", 1), number("FLOWCHECK_PROGRAMS", 100));
    let mut total = Tally::default();
    for (origin, count) in [(Origin::Dense, wanted), (Origin::Generator, wanted / 5), (Origin::Csmith, wanted / 5)] {
        let (tally, found) =
            try_all(origin, first..first + count, effort, |program| Box::new(Crude::new(program).used()));
        println!("{origin:?}: {tally:?}");
        assert!(found.is_empty(), "{} differences, the first:\n{}", found.len(), found[0]);
        total.add(tally);
    }
    assert!(total.runs > 500 && total.complete > total.runs / 2, "{total:?}");
}

#[test]
fn the_oracle_finds_every_kind_of_dependence_that_a_slice_leaves_out() {
    for kind in Missing::ALL {
        let effort = Effort { criteria: 4, runs: 8 };
        let (tally, found) =
            try_all(Origin::Dense, 1..16, effort, |program| Box::new(Crude::new(program).without(kind)));
        println!("{kind:?}: {} differences, {tally:?}", found.len());
        assert!(!found.is_empty(), "a slice without {kind:?} is wrong, and no run shows it: {tally:?}");
    }
}

#[test]
fn what_really_matters_is_far_less_than_everything() {
    let size = measure(1..6, 3, |program| Box::new(Crude::new(program).used()));
    println!("{size:?}");
    assert!(size.influence > 0 && size.influence < size.slice / 2, "{size:?}");
}
