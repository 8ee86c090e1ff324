//! The oracle of ranges: every integer that a run computes is in its value's range, and counters of loops go their way; also if values that are said to be free, and branches, are
//! changed while the program runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use flowcheck::base::parallel;
use flowcheck::interp::Setup;
use flowcheck::interp::watch::{Change, Spot, Watch, watch};
use flowcheck::ir::{BlockId, FuncId, InstKind, Program, Terminator, ValueId};
use flowcheck::policy::Overflow;
use flowcheck::ranges::{Kind, Range, Ranges, Task, ranges};

use crate::influence::{dense, number, read_text};
use crate::support::generator::Random;

const HEAD: &str = "int in(void); void sink(int); static int calls; int in(void) { return calls++ * 7 % 5; } void sink(int x) { calls ^= x & 1; }\n";

/// What was compared.
#[derive(Clone, Copy, Default, Debug)]
struct Compared {
    /// Values that were computed.
    seen: usize,
    /// Those whose range is less than their type.
    known: usize,
}

fn body(program: &Program, func: FuncId) -> &flowcheck::ir::Body {
    program.functions[func].body.as_ref().expect("a body")
}

/// A recorded number as one of its type.
fn as_number(bits: u128, kind: Kind) -> i128 {
    let size = 1i128 << kind.width;
    let number = (bits as i128).rem_euclid(size);
    if kind.signed && number >= size / 2 { number - size } else { number }
}

/// Runs a program and compares; `changed` of its spots are free, and changed.
fn compare(program: &Program, overflow: Overflow, changed: usize, seed: u64) -> (Compared, Vec<String>) {
    let mut random = Random::new(seed);
    let functions: Vec<FuncId> =
        program.functions.enumerate().filter(|(_, f)| f.body.is_some()).map(|(id, _)| id).collect();
    let mut free: BTreeSet<(FuncId, ValueId)> = BTreeSet::new();
    let mut choices: BTreeSet<(FuncId, BlockId)> = BTreeSet::new();
    let mut changes: BTreeMap<(FuncId, Spot), Change> = BTreeMap::new();
    let whole = |func, value| {
        let types = &program.types;
        let inst = &body(program, func).insts[value];
        types.as_int(inst.ty).is_some() && !matches!(inst.kind, InstKind::Store { .. })
    };
    for _ in 0..changed {
        let func = random.pick(&functions);
        let size = body(program, func).insts.len();
        let seed = random.next();
        let change = random.pick(&[Change::Small(seed), Change::Arbitrary(seed), Change::Add(1), Change::Below(seed)]);
        if random.below(4) == 0 {
            let block = random.pick(&body(program, func).blocks.ids().collect::<Vec<_>>());
            if matches!(body(program, func).blocks[block].term, Terminator::Branch { .. } | Terminator::Switch { .. }) {
                choices.insert((func, block));
                changes.insert((func, Spot::Choice(block)), Change::Arbitrary(seed));
            }
        } else if size > 0 {
            let value = random.pick(&body(program, func).insts.ids().collect::<Vec<_>>());
            if whole(func, value) {
                free.insert((func, value));
                changes.insert((func, Spot::Value(value)), change);
            }
        }
    }
    let mut known: BTreeMap<FuncId, Ranges> = BTreeMap::new();
    let mut record = BTreeSet::new();
    for func in functions {
        let task = Task {
            program,
            func,
            overflow,
            free: &|value| free.contains(&(func, value)),
            free_choice: &|block| choices.contains(&(func, block)),
        };
        known.insert(func, ranges(task));
        for value in body(program, func).insts.ids().filter(|value| whole(func, *value)) {
            record.insert((func, Spot::Value(value)));
        }
    }
    let setup = Setup { max_steps: 100_000, ..Setup::default() };
    let watched = Watch { record, changes, strict: changed > 0, max_events: 200_000, ..Watch::default() };
    let (_, observed) = watch(program, &setup, &watched);
    let mut compared = Compared::default();
    let mut wrong: Vec<String> = Vec::new();
    for event in &observed.events {
        let Spot::Value(value) = event.spot else { continue };
        let all = &known[&event.function];
        let Some(kind) = all.kind(value) else { continue };
        let name = &program.functions[event.function].name;
        let seen = as_number(event.value, kind);
        compared.seen += 1;
        match all.of(value) {
            Some(range) if range.contains(seen) => compared.known += usize::from(range != kind.full()),
            Some(range) => wrong.push(format!("{name}: {value} is {seen}, not in {range:?}")),
            // Nothing is claimed; but the analysis takes it for never computed, unless it gave up.
            None if all_unknown(all, program, event.function) => {}
            None => wrong.push(format!("{name}: {value} is {seen}, and was thought never to be computed")),
        }
    }
    wrong.dedup();
    (compared, wrong)
}

/// Whether an analysis gave up.
fn all_unknown(ranges: &Ranges, program: &Program, func: FuncId) -> bool {
    body(program, func).insts.ids().all(|value| ranges.of(value).is_none())
}

/// A random program that consists of loops and arithmetic of all types.
fn looping(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x10_0b5);
    let types = ["int", "unsigned", "char", "unsigned char", "short", "long", "_Bool", "unsigned short", "signed char"];
    let mut out = HEAD.to_owned();
    out += "int main(void) {\n";
    let count = 3 + random.below(3);
    for i in 0..count {
        let (ty, start) = (random.pick(&types), random.below(6));
        let _ = writeln!(out, "    {ty} v{i} = {start};");
    }
    let mut fuel = 0;
    let length = 3 + random.below(4);
    statements(&mut random, count, length, 0, &mut fuel, &mut out);
    out += "    return 0;\n}\n";
    out
}

fn expression(random: &mut Random, count: usize) -> String {
    let v = random.below(count);
    let u = random.below(count);
    let k = random.pick(&[0, 1, 1, 2, 3, 4, 7, 8, 100, 127, 255]);
    let positive = random.pick(&[1, 2, 3, 4, 8, 10]);
    match random.below(16) {
        0..3 => format!("v{v} + {k}"),
        3 | 4 => format!("v{v} - {k}"),
        5 => format!("v{v} * {}", random.below(4)),
        6 => format!("v{v} % {positive}"),
        7 => format!("v{v} / {positive}"),
        8 => format!("v{v} & {k}"),
        9 => format!("(v{v} & 63) | v{u}"),
        10 => format!("v{v} >> {}", random.below(4)),
        11 => format!("(v{v} & 255) << {}", random.below(4)),
        12 => format!("{} - v{v}", random.below(10)),
        13 => "in()".to_owned(),
        14 => format!("-(v{v} & 15) ^ {k}"),
        _ => format!("(v{v} & 31) + (v{u} & 7)"),
    }
}

fn condition(random: &mut Random, count: usize) -> String {
    let v = random.below(count);
    let op = random.pick(&["<", "<=", ">", ">=", "==", "!="]);
    match random.below(5) {
        0 => format!("v{v}"),
        1 => format!("v{v} {op} v{}", random.below(count)),
        2 => format!("!(v{v} {op} {})", random.below(12)),
        3 => format!("v{v} + 1 {op} {}", random.below(12)),
        _ => format!("v{v} {op} {}", random.below(12)),
    }
}

fn statements(random: &mut Random, count: usize, length: usize, depth: usize, fuel: &mut usize, out: &mut String) {
    let indent = "    ".repeat(depth + 1);
    for _ in 0..length {
        let v = random.below(count);
        match random.below(if depth < 3 { 10 } else { 4 }) {
            0..3 => {
                let _ = writeln!(out, "{indent}v{v} = {};", expression(random, count));
            }
            3 => {
                let _ = writeln!(out, "{indent}v{v} {} {};", random.pick(&["+=", "-="]), random.below(4));
            }
            4 | 5 => {
                let _ = writeln!(out, "{indent}if ({}) {{", condition(random, count));
                let inner = 1 + random.below(2);
                statements(random, count, inner, depth + 1, fuel, out);
                if random.below(2) == 0 {
                    let _ = writeln!(out, "{indent}}} else {{");
                    statements(random, count, 1, depth + 1, fuel, out);
                }
                let _ = writeln!(out, "{indent}}}");
            }
            6 => {
                let _ = writeln!(
                    out,
                    "{indent}switch (v{v} & 7) {{ case 0: case 3: v{} = 2; break; case 1:",
                    random.below(count)
                );
                statements(random, count, 1, depth + 1, fuel, out);
                let _ = writeln!(out, "{indent}default: v{} += 1; }}", random.below(count));
            }
            7 => {
                let _ = writeln!(
                    out,
                    "{indent}for (v{v} = 0; v{v} < {}; v{v} += {}) {{",
                    random.below(12),
                    1 + random.below(3)
                );
                body_of_loop(random, count, depth, fuel, out);
            }
            8 => {
                let _ = writeln!(out, "{indent}while ({}) {{", condition(random, count));
                body_of_loop(random, count, depth, fuel, out);
            }
            _ => {
                let _ = writeln!(out, "{indent}for (v{v} = {}; v{v} > 0; v{v}--) {{", random.below(12));
                body_of_loop(random, count, depth, fuel, out);
            }
        }
    }
}

fn body_of_loop(random: &mut Random, count: usize, depth: usize, fuel: &mut usize, out: &mut String) {
    let indent = "    ".repeat(depth + 2);
    *fuel += 1;
    let limit = 3 + random.below(200);
    let _ = writeln!(out, "{indent}static int f{fuel}; if (f{fuel}++ > {limit}) break;");
    if random.below(4) == 0 {
        let _ = writeln!(out, "{indent}if ({}) {};", condition(random, count), random.pick(&["break", "continue"]));
    }
    let inner = 1 + random.below(3);
    statements(random, count, inner, depth + 1, fuel, out);
    let _ = writeln!(out, "{}}}", "    ".repeat(depth + 1));
}

fn report(results: Vec<(Compared, Vec<String>)>) -> Compared {
    let mut total = Compared::default();
    let mut wrong = Vec::new();
    for (compared, found) in results {
        total.seen += compared.seen;
        total.known += compared.known;
        wrong.extend(found);
    }
    println!("{total:?}");
    wrong.truncate(20);
    assert!(wrong.is_empty(), "{wrong:#?}");
    total
}

#[test]
fn every_value_of_a_loop_is_in_its_range() {
    let first = number("FLOWCHECK_SEED", 1);
    let seeds: Vec<u64> = (first..first + number("FLOWCHECK_PROGRAMS", 150)).collect();
    let results = parallel::map(&seeds, 2, |_, seed| {
        let text = looping(*seed);
        let (program, _) = read_text("ranges.c", &text);
        let mut total = (Compared::default(), Vec::new());
        for changed in [0, 0, 2, 5] {
            let (compared, found) = compare(&program, Overflow::Wrap, changed, *seed ^ changed as u64);
            total.0.seen += compared.seen;
            total.0.known += compared.known;
            let tell = |f: String| format!("seed {seed}, {changed} changes: {f}\n{text}");
            total.1.extend(found.into_iter().take(1).map(tell));
        }
        total
    });
    let total = report(results);
    assert!(total.known * 10 > total.seen, "hardly anything is known: {total:?}");
}

#[test]
fn every_value_of_a_program_is_in_its_range() {
    let first = number("FLOWCHECK_SEED", 1);
    let seeds: Vec<u64> = (first..first + number("FLOWCHECK_PROGRAMS", 60)).collect();
    let results = parallel::map(&seeds, 2, |_, seed| {
        let (program, _) = read_text("dense.c", &dense::program(*seed));
        let mut total = compare(&program, Overflow::Undefined, 0, *seed);
        for changed in [3, 8] {
            let (compared, found) = compare(&program, Overflow::Wrap, changed, *seed);
            total.0.seen += compared.seen;
            total.0.known += compared.known;
            total.1.extend(found.into_iter().take(1).map(|f| format!("seed {seed}, {changed} changes: {f}")));
        }
        total
    });
    report(results);
}

/// The range of what `sink` is given in the text, by its first call.
fn sunk(text: &str, overflow: Overflow) -> Option<Range> {
    let (program, _) = read_text("sunk.c", &format!("int in(void); void sink(long);\n{text}"));
    let named = |name: &str| program.functions.enumerate().find(|(_, f)| f.name == name).map(|(id, _)| id);
    let func = named("f").expect("f is there");
    let found = ranges(Task { program: &program, func, overflow, free: &|_| false, free_choice: &|_| false });
    let call = body(&program, func).insts.iter().find_map(|inst| match &inst.kind {
        InstKind::Call { args, .. } => args.first().copied(),
        _ => None,
    });
    match call? {
        flowcheck::ir::Operand::Value(value) => found.of(value),
        flowcheck::ir::Operand::Int(number, _) => Some(Range::one(number.value())),
        _ => None,
    }
}

#[test]
fn ranges_are_what_the_programs_say() {
    let wrap = [
        ("void f(void) { int i; for (i = 0; i < 8; i++) ; sink(i); }", Some((8, 8, 0))),
        ("void f(void) { for (int i = 0; i < 8; i++) sink(i); }", Some((0, 7, 1))),
        ("void f(void) { for (int i = 0; i < 8; i += 2) sink(i); }", Some((0, 6, 2))),
        ("void f(void) { int i; for (i = 9; i > 0; i -= 3) ; sink(i); }", Some((0, 0, 0))),
        ("void f(void) { unsigned i = 5; while (i) i--; sink(i); }", Some((0, 0, 0))),
        ("void f(int n) { int i; for (i = 0; i < n && i < 4; i++) ; sink(i); }", Some((0, 4, 1))),
        ("void f(int n) { sink(n & 6); }", Some((0, 6, 2))),
        ("void f(int n) { if (n > 3 && n <= 9) sink(n); }", Some((4, 9, 1))),
        ("void f(char n) { if (n + 1 == 4) sink(n); }", Some((3, 3, 0))),
        ("void f(int n) { switch (n) { case 2: case 5: sink(n); } }", Some((2, 5, 1))),
        ("void f(void) { for (int i = 0; i < 3; i++) for (int j = i; j < 5; j++) sink(j); }", Some((0, 4, 1))),
        ("void f(void) { unsigned char c = 250; do { c++; } while (c > 5); sink(c); }", Some((0, 5, 1))),
        ("void f(int n) { int i = 0; do { i++; if (in()) i = 3; } while (i < 6); sink(i); }", Some((6, 6, 0))),
    ];
    for (text, expected) in wrap {
        let found = sunk(text, Overflow::Wrap).map(|range| (range.low(), range.high(), range.step()));
        assert_eq!(found, expected, "{text}");
    }
    let counting = "void f(int n) { int i; for (i = 0; i != n; i++) ; sink(i); }";
    let least = |overflow| sunk(counting, overflow).map(Range::low);
    assert_eq!(least(Overflow::Undefined), Some(0));
    assert_eq!(least(Overflow::Wrap), Some(-(1 << 31)));
}
