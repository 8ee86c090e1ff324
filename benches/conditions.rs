//! How fast condition systems are solved, on made-up dependence graphs.
//!
//! `cargo bench --bench conditions -- [--nodes N] [--back PERCENT] [--plain] [POINTS ATOMS]`: a graph of so many points and atoms; `--nodes` is the budget of a
//! diagram, `--plain` also solves without diagrams.
//!
//! The atoms are the predicates of a control-dependence tree, numbered in its preorder; a third of them are loops. A point hangs on a place of the tree and
//! is executed when the predicates above it hold. Most edges lead a little forward; some (`--back`, 10 in a hundred) lead back inside a loop and forget what is in it, as do
//! edges that leave a loop.

use std::time::Instant;

use flowcheck::pathcond::engine::paths::{PathLimits, paths};
use flowcheck::pathcond::engine::plain::solve_plain;
use flowcheck::pathcond::engine::show::{ShowLimits, show};
use flowcheck::pathcond::engine::{
    AtomId, Edge, ForgetId, Limits, Literal, NOTHING, PointId, Seed, Strategy, System, TRUE, Watch, solve,
};

/// As the binary has it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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

/// A predicate: the one above it, whether it is a loop, and where the predicates below it end.
struct Predicate {
    above: Option<(usize, bool)>,
    repeats: bool,
    end: usize,
}

/// A control-dependence tree in preorder.
fn tree(atoms: usize, random: &mut Random) -> Vec<Predicate> {
    let mut all: Vec<Predicate> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for atom in 0..atoms {
        for _ in 0..random.below(4).min(open.len()) {
            let left = open.pop().expect("counted");
            all[left].end = atom;
        }
        let above = open.last().map(|a| (*a, random.below(2) == 0));
        all.push(Predicate { above, repeats: random.below(3) == 0, end: atoms });
        open.push(atom);
    }
    all
}

fn generate(points: usize, atoms: usize, back: usize, random: &mut Random) -> System {
    let tree = tree(atoms, random);
    let mut system = System::new(atoms);
    // Points in the order of the text: they hang on the predicates in order.
    let place = |point: usize| point * atoms / points;
    let above = |mut at: Option<(usize, bool)>| {
        let mut found = Vec::new();
        while let Some((atom, side)) = at {
            found.push((atom, side));
            at = tree[atom].above;
        }
        found
    };
    for point in 0..points {
        let hangs = above(Some((place(point), random.below(2) == 0)));
        let literals: Vec<_> = hangs
            .into_iter()
            .map(|(atom, positive)| system.formulas.literal(Literal { atom: AtomId(atom as u32), positive }))
            .collect();
        let execution = system.formulas.and(literals);
        system.points.push(execution);
    }
    let loops = |point: usize| -> Vec<usize> {
        above(Some((place(point), true))).into_iter().map(|(a, _)| a).filter(|a| tree[*a].repeats).collect()
    };
    for to in 1..points {
        for _ in 0..=random.below(3) {
            let from = to - 1 - random.below(to.min(1 + points / 20));
            let (left, entered) = (loops(from), loops(to));
            let outermost = left.iter().rev().find(|a| !entered.contains(a));
            let forget = outermost.map_or(NOTHING, |a| forget_of(&mut system, &tree, *a));
            let edge =
                Edge { from: PointId(from as u32), to: PointId(to as u32), leaving: TRUE, entering: TRUE, forget };
            system.edges.push(edge);
            if random.below(100) < back {
                // Carried by a loop around both.
                let Some(around) = left.iter().find(|a| entered.contains(a)) else { continue };
                let forget = forget_of(&mut system, &tree, *around);
                system.edges.push(Edge { from: edge.to, to: edge.from, forget, ..edge });
            }
        }
    }
    system.seeds.push(Seed { point: PointId(0), start: TRUE });
    system
}

fn forget_of(system: &mut System, tree: &[Predicate], atom: usize) -> ForgetId {
    system.forget((atom..tree[atom].end).map(|a| AtomId(a as u32)))
}

fn main() {
    let mut numbers: Vec<usize> = Vec::new();
    let mut nodes = Limits::default().nodes;
    let mut plain = false;
    let mut back = 10;
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            // What cargo passes to every benchmark.
            "--bench" => {}
            "--plain" => plain = true,
            "--back" => back = args.next().and_then(|n| n.parse().ok()).expect("--back needs a number"),
            "--nodes" => nodes = args.next().and_then(|n| n.parse().ok()).expect("--nodes needs a number"),
            _ => numbers.push(arg.parse().expect("numbers of points and atoms")),
        }
    }
    if numbers.is_empty() {
        numbers = [500, 1000, 2000].iter().flat_map(|p| [50, 100, 300].iter().flat_map(|a| [*p, *a])).collect();
    }
    println!(
        "{:>6} {:>5} {:>10} {:>9} {:>9} {:>8} {:>9} {:>7} {:>8} {:>9} {:>8}",
        "points",
        "atoms",
        "order",
        "intervals",
        "evaluated",
        "largest",
        "total",
        "cuts",
        "weakened",
        "work M",
        "seconds"
    );
    for pair in numbers.chunks_exact(2) {
        let (points, atoms) = (pair[0], pair[1]);
        let system = generate(points, atoms, back, &mut Random((points + atoms) as u64));
        for strategy in [Strategy::Worklist, Strategy::Components, Strategy::Intervals] {
            let limits = Limits { nodes, strategy, ..Limits::default() };
            let solution = solve(&system, &limits);
            let s = solution.statistics;
            println!(
                "{points:>6} {atoms:>5} {:>10} {:>9} {:>9} {:>8} {:>9} {:>7} {:>8} {:>9.1} {:>8.3}",
                format!("{strategy:?}"),
                s.components,
                s.evaluations,
                s.largest,
                s.total,
                s.definitions,
                s.weakened,
                s.work as f64 / 1e6,
                s.seconds
            );
            if strategy == Strategy::Intervals {
                let last = PointId(points as u32 - 1);
                let started = Instant::now();
                let found: Vec<usize> = paths(&system, &solution, last, None, &limits, PathLimits::default())
                    .take(20)
                    .map(|path| path.edges.len())
                    .collect();
                println!(
                    "{:>12} {} candidate paths of {:?} edges in {:.3} s",
                    "",
                    found.len(),
                    found.first().zip(found.last()),
                    started.elapsed().as_secs_f64()
                );
                let started = Instant::now();
                let mut bdds = solution.bdds(&system, &limits);
                let shown = show(&mut bdds, &solution.conditions[last], ShowLimits::default());
                println!(
                    "{:>12} the last point's condition: {} nodes, {} products, {} names, {}, shown in {:.3} s",
                    "",
                    solution.conditions[last].size(),
                    shown.products.len(),
                    shown.names.len(),
                    if shown.exact { "exact" } else { "weakened" },
                    started.elapsed().as_secs_f64()
                );
            }
        }
        if plain {
            let s = solve_plain(&system, 2_000_000, Watch::default()).statistics;
            println!(
                "{points:>6} {atoms:>5} {:>10} {:>9} {:>9} {:>8} {:>9} {:>7} {:>8} {:>9} {:>8.3}",
                "no BDDs", s.components, s.evaluations, s.largest, s.total, "", s.weakened, "", s.seconds
            );
        }
    }
}
