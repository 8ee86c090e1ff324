//! How fast the system dependence graph is built, summarised, sliced and chopped, on synthetic programs of several sizes.
//!
//! `cargo bench --bench graph -- [--formals N] [PROCEDURES...]`: so many procedures, with up to N formal-ins and N formal-outs.

use std::time::Instant;

use flowcheck::chop::{Barriers, chop, slice};
use flowcheck::ir::{FuncId, ValueId};
use flowcheck::sdg::control::LoopMove;
use flowcheck::sdg::{EdgeKind, Formal, NodeId, NodeKind, ProcId, Sdg, SdgBuilder, SiteId};
use flowcheck::source::{Place, UnitId};

/// As the binary has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const NOWHERE: Place = Place { unit: UnitId(0), start: 0, end: 0 };

/// Random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e3779b97f4a7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d049bb133111eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}

fn main() {
    let mut sizes: Vec<usize> = Vec::new();
    let mut formals = 30;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            // What cargo passes to every benchmark.
            "--bench" => {}
            "--formals" => formals = args.next().and_then(|n| n.parse().ok()).expect("--formals needs a number"),
            _ => sizes.push(arg.parse().expect("a number of procedures")),
        }
    }
    if sizes.is_empty() {
        sizes = vec![625, 1250, 2500, 5000, 10000];
    }
    println!(
        "{:>10} {:>10} {:>11} {:>9} {:>13} {:>9} {:>9} {:>9} {:>9} {:>9} {:>8}",
        "procedures",
        "nodes",
        "edges",
        "make s",
        "pairs",
        "finish s",
        "slice s",
        "in slice",
        "barrier s",
        "chop s",
        "peak MB"
    );
    for procedures in sizes {
        let started = Instant::now();
        let mut random = Random(procedures as u64);
        let builder = generate(procedures, formals, &mut random);
        let made = started.elapsed();
        let started = Instant::now();
        let sdg = builder.finish();
        let finished = started.elapsed();
        let nodes = sdg.nodes().len();
        let (sliced, mean) = slices(&sdg, &mut random);
        let started = Instant::now();
        let barriers = Barriers::new(&sdg, (0..20).map(|_| NodeId(random.below(nodes) as u32)));
        let barred = started.elapsed();
        let started = Instant::now();
        let rounds = 5;
        for _ in 0..rounds {
            let (from, to) = (NodeId(random.below(nodes) as u32), NodeId(random.below(nodes) as u32));
            std::hint::black_box(chop(&sdg, &[from], &[to], &barriers).nodes.count());
        }
        let chopped = started.elapsed().as_secs_f64() / f64::from(rounds);
        println!(
            "{procedures:>10} {nodes:>10} {:>11} {:>9.3} {:>13} {:>9.3} {sliced:>9.4} {mean:>9} {:>9.3} {chopped:>9.4} {:>8}",
            sdg.edge_count(),
            made.as_secs_f64(),
            sdg.summaries().pairs(),
            finished.as_secs_f64(),
            barred.as_secs_f64(),
            peak_memory().map_or_else(|| "?".to_owned(), |mb| mb.to_string()),
        );
    }
}

/// Seconds of a backward slice and its size, on average.
fn slices(sdg: &Sdg, random: &mut Random) -> (f64, usize) {
    let rounds = 10;
    let started = Instant::now();
    let mut size = 0;
    for _ in 0..rounds {
        let node = NodeId(random.below(sdg.nodes().len()) as u32);
        size += slice::backward(sdg, &[node], &Barriers::none()).count();
    }
    (started.elapsed().as_secs_f64() / rounds as f64, size / rounds)
}

/// Procedures of 200 instructions with 5 to 14 calls each, to procedures after them and, one in 50, to any: nearly all of the
/// program is one recursive component, which is the hard case.
fn generate(procedures: usize, formals: usize, random: &mut Random) -> SdgBuilder {
    let interfaces: Vec<(u32, u32)> =
        (0..procedures).map(|_| (2 + random.below(formals) as u32, 1 + random.below(formals) as u32)).collect();
    let mut b = SdgBuilder::new();
    let mut calls: Vec<(SiteId, usize)> = Vec::new();
    for (proc, (ins, outs)) in interfaces.iter().enumerate() {
        let mut nodes = vec![b.procedure(FuncId(proc as u32), NOWHERE)];
        nodes.extend((0..*ins).map(|g| b.node(NodeKind::FormalIn(Formal::Memory(g)), NOWHERE, None)));
        let sites = 5 + random.below(10);
        for i in 0..200u32 {
            nodes.push(b.node(NodeKind::Inst(ValueId(i)), NOWHERE, None));
            if (i as usize).is_multiple_of(200 / sites) && proc + 1 < procedures {
                let callee = if random.below(50) == 0 {
                    random.below(procedures)
                } else {
                    proc + 1 + random.below((procedures - proc - 1).min(200))
                };
                let (site, call) = b.call(ValueId(1000 + i), NOWHERE, None);
                calls.push((site, callee));
                nodes.push(call);
                let (ins, outs) = interfaces[callee];
                let actual_in = |g| NodeKind::ActualIn(site, Formal::Memory(g));
                nodes.extend((0..ins).map(|g| b.node(actual_in(g), NOWHERE, None)));
                let actual_out = |g| NodeKind::ActualOut(site, Formal::Memory(g));
                nodes.extend((0..outs).map(|g| b.node(actual_out(g), NOWHERE, None)));
            }
        }
        nodes.extend((0..*outs).map(|g| b.node(NodeKind::FormalOut(Formal::Memory(g)), NOWHERE, None)));
        for (at, node) in nodes.iter().enumerate().skip(1) {
            for _ in 0..3 {
                // What was computed shortly before, mostly.
                let back = if random.below(4) == 0 { at } else { at.min(30) };
                b.edge(nodes[at - 1 - random.below(back)], *node, EdgeKind::Data, LoopMove::default());
            }
        }
    }
    for (site, callee) in calls {
        let (site, callee) = (b.sites()[site].clone(), b.procedures()[ProcId(callee as u32)].clone());
        b.edge(site.call, callee.entry, EdgeKind::Call, LoopMove::default());
        for (actual, formal) in site.ins.iter().zip(&callee.ins).skip(1) {
            b.edge(*actual, *formal, EdgeKind::ParamIn, LoopMove::default());
        }
        for (actual, formal) in site.outs.iter().zip(&callee.outs) {
            b.edge(*formal, *actual, EdgeKind::ParamOut, LoopMove::default());
        }
    }
    b
}

/// In MB, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kib| kib * 1024 / 1_000_000)
}
