//! Control dependences and loop moves of random bodies, against runs and searches.

mod build;
mod loops;
mod runs;

use build::Shape;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() }
}

/// Random control flow: mostly short ways, any jumps, some loops inside others.
fn shapes() -> impl Strategy<Value = Shape> {
    (2usize..10).prop_flat_map(|n| {
        let block = (0u8..10, prop::collection::vec(0..n, 1..4), 0u8..8);
        (prop::collection::vec(block, n), any::<bool>()).prop_map(move |(blocks, reducible)| {
            let mut shape = Shape { blocks: Vec::new() };
            for (i, (kind, mut to, calls)) in blocks.into_iter().enumerate() {
                to[0] = (i + 1) % n;
                if reducible {
                    // A jump back leads to a block that all ways to here go through: one of the first.
                    to.iter_mut().for_each(|t| *t = if *t <= i { *t / 4 } else { *t });
                }
                let to = if kind == 0 || i + 1 == n { Vec::new() } else { to };
                shape.blocks.push(build::Node { to, undefined: kind == 0 && calls % 2 == 0, ending: calls == 0 });
            }
            shape
        })
    })
}
