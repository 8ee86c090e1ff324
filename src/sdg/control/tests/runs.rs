//! Runs that decide alike at what regions depend on go through these regions alike.

use proptest::prelude::*;

use super::build::body;
use super::{config, shapes};
use crate::base::id::Id;
use crate::ir::{Body, Terminator};
use crate::sdg::control::{Controller, FunctionControl, RegionId, Termination};

/// A run: the regions in the order they were executed.
struct Run {
    regions: Vec<RegionId>,
    end: End,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Ended,
    Undefined,
    /// It goes on for ever, and from the state that it comes back to shows so many regions more.
    Endless,
}

/// Runs a body: at its visits a region takes the ways that `plans` names for it, in turn. A call that may not return does not if its plan is 0.
fn run(body: &Body, control: &FunctionControl, calls: &[bool], plans: &dyn Fn(RegionId, usize) -> usize) -> Run {
    let mut visits = vec![0usize; control.regions().len()];
    let mut regions = Vec::new();
    let mut states = rustc_hash::FxHashSet::default();
    let mut block = body.entry;
    loop {
        if !states.insert((block, visits.clone())) {
            return Run { regions, end: End::Endless };
        }
        let (start, end) = (control.start(block), control.end(block));
        for region in (start.0..=end.0).map(RegionId) {
            regions.push(region);
            let plan = plans(region, visits[region.index()]);
            visits[region.index()] = (visits[region.index()] + 1) % 2;
            if region != end {
                assert!(calls[region.index()]);
                if plan == 0 {
                    return Run { regions, end: End::Ended };
                }
                continue;
            }
            let to = body.blocks[block].term.successors();
            match body.blocks[block].term {
                Terminator::Return(_) => return Run { regions, end: End::Ended },
                Terminator::Unreachable => return Run { regions, end: End::Undefined },
                _ => block = to[plan % to.len()],
            }
        }
    }
}

fn closure(control: &FunctionControl, seeds: &[RegionId]) -> Vec<bool> {
    let mut inside = vec![false; control.regions().len()];
    let mut work = seeds.to_vec();
    // The region of a call that decides is the one that ends with it, so it is not needed which call it is.
    while let Some(region) = work.pop() {
        if std::mem::replace(&mut inside[region.index()], true) {
            continue;
        }
        for dependence in control.of(region) {
            match dependence.on {
                Controller::Entry => {}
                Controller::Branch(block) => work.push(control.end(block)),
                Controller::Call(call) => work.push(control.region_of(call)),
            }
        }
    }
    inside
}

proptest! {
    #![proptest_config(config(6000))]

    #[test]
    fn decisions_elsewhere_are_not_seen(
        shape in shapes(),
        seeds in prop::collection::vec(0usize..100, 1..3),
        one in prop::collection::vec([0usize..4, 0usize..4], 64),
        other in prop::collection::vec([0usize..4, 0usize..4], 64),
    ) {
        let (body, splits) = body(&shape);
        for termination in [Termination::Insensitive, Termination::Sensitive] {
            let control = FunctionControl::new(&body, &splits, termination);
            let len = control.regions().len();
            let mut calls = vec![false; len];
            splits.iter().for_each(|call| calls[control.region_of(*call).index()] = true);
            let seeds: Vec<RegionId> = seeds.iter().map(|s| RegionId::new(s % len)).collect();
            let watched = closure(&control, &seeds);
            let first = run(&body, &control, &calls, &|r, visit| one[r.index() % 64][visit]);
            let plans = |r: RegionId, visit: usize| if watched[r.index()] { one[r.index() % 64][visit] } else { other[r.index() % 64][visit] };
            let second = run(&body, &control, &calls, &plans);
            if first.end == End::Undefined || second.end == End::Undefined {
                continue;
            }
            let seen = |run: &Run| run.regions.iter().copied().filter(|r| watched[r.index()]).collect::<Vec<_>>();
            let (a, b) = (seen(&first), seen(&second));
            let common = a.len().min(b.len());
            prop_assert_eq!(&a[..common], &b[..common], "the order, of {:?} in {:?}", &seeds, &shape);
            let both = first.end == End::Ended && second.end == End::Ended;
            if both {
                prop_assert_eq!(a.len(), b.len(), "{:?} in {:?}", &seeds, &shape);
            }
            // A run that ended shows all it ever will; one that is endless shows at least what it has.
            if termination == Termination::Sensitive && first.end != second.end {
                let (ended, endless) = if first.end == End::Ended { (&a, &b) } else { (&b, &a) };
                prop_assert!(endless.len() <= ended.len(), "an endless run shows more: {:?} in {:?}", &seeds, &shape);
            }
        }
    }
}
