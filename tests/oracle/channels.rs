//! Random programs that show much: arms of branches that call `sink()` once, twice, or not at all, mostly with the same values, that stop early and call functions that call it.
//! Whoever watches sees the sequence only, so there is often no flow where the lines differ; and often there is one.

use std::fmt::Write;

use flowcheck::base::parallel;
use flowcheck::witness::Status;

use super::generator::ENTRY;
use crate::influence::number;
use crate::support::asking::{self, ask};
use crate::support::generator::Random;
use crate::support::runs::{self, Domain};

struct Generator {
    random: Random,
    /// What most calls show.
    usual: &'static str,
    loops: usize,
}

impl Generator {
    fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }
    fn value(&mut self) -> &'static str {
        if self.chance(90) { self.usual } else { self.random.pick(&["0", "1", "x", "z", "w", "x + z"]) }
    }
    fn condition(&mut self) -> &'static str {
        self.random.pick(&["w", "!w", "w == x", "x", "x", "z", "w && x", "!x"])
    }
    fn sink(&mut self) -> String {
        let name = if self.chance(85) { "sink" } else { self.random.pick(&["show", "twice", "maybe"]) };
        format!("{name}({}); ", self.value())
    }
    fn block(&mut self, depth: usize) -> String {
        let mut out = String::new();
        for _ in 0..self.random.pick(&[1, 1, 1, 2]) {
            let text = match self.random.below(if depth == 0 { 5 } else { 11 }) {
                0..=2 => self.sink(),
                3 => {
                    let (to, value) = (self.random.pick(&["z", "z", "y"]), self.value());
                    format!("{to} = {value}; ")
                }
                4 if self.chance(30) => self.random.pick(&["return; ", "exit(0); ", "g = stop(z); "]).to_owned(),
                4 => "y = half(x); ".to_owned(),
                5..=8 => {
                    let (condition, yes) = (self.condition(), self.block(depth - 1));
                    let no = self.block(depth - 1);
                    format!("if ({condition}) {{ {yes}}} else {{ {no}}} ")
                }
                9 => {
                    let (a, b, c) = (self.block(depth - 1), self.block(depth - 1), self.block(depth - 1));
                    let fall = if self.chance(80) { "break; " } else { "" };
                    format!("switch (w + x) {{ case 0: {a}{fall}case 1: {b}break; default: {c}}} ")
                }
                _ => {
                    self.loops += 1;
                    let (i, body) = (format!("i{}", self.loops), self.block(depth - 1));
                    let out = if self.chance(25) { "if (w) break; " } else { "" };
                    format!("for (int {i} = 0; {i} < 2; {i}++) {{ {body}{out}}} ")
                }
            };
            out += &text;
        }
        out
    }
}

fn program(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0xc4a7_7e15);
    let usual = random.pick(&["1", "1", "x", "z"]);
    let mut g = Generator { random, usual, loops: 0 };
    let depth = g.random.pick(&[1, 1, 2]);
    // The secret decides what is seen, mostly in arms that show the same.
    let (yes, no) = (g.block(depth), g.block(depth));
    let no = if g.chance(50) { yes.clone() } else { no };
    let condition = g.random.pick(&["w", "!w", "w == x", "w && x"]);
    let (before, after) =
        (if g.chance(20) { g.block(1) } else { String::new() }, if g.chance(20) { g.block(1) } else { String::new() });
    let mut out = "int src(void); int in(void); void sink(int); void exit(int); static int g;\n".to_owned();
    out += "static int half(int v) { return v / 2; } static int stop(int v) { if (v) exit(0); return v; }\n";
    out += "static void show(int v) { sink(v); } static void twice(int v) { sink(v); sink(v); } static void maybe(int v) { if (v) sink(v); }\n";
    let _ = writeln!(
        out,
        "void {ENTRY}(void) {{ int x = in() & 1, z = x, y = 0, w = src() & 1; {before}if ({condition}) {{ {yes}}} else {{ {no}}} {after}if (y > 9) sink(y); }}"
    );
    out
}

/// Whether there is a flow, it is denied, slicing denies it, it is found.
type Row = (bool, bool, bool, bool);

#[test]
fn what_is_seen_is_a_sequence() {
    let (first, wanted) = (number("FLOWCHECK_SEED", 1), number("FLOWCHECK_ORACLE", 250));
    let seeds: Vec<u64> = (first..first + wanted).collect();
    let domain = Domain { secrets: vec![0, 1], inputs: vec![0, 1] };
    let results = parallel::map(&seeds, 2, |_, &seed| {
        let text = program(seed);
        let truth = runs::truth(&text, ENTRY, 0, &domain).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        let asked = ask(&text, ENTRY, 0, &asking::flowcheck);
        let sliced = ask(&text, ENTRY, 0, &asking::slicing).is_denied();
        let denied = asked.is_denied();
        if denied && truth.flow.is_some() {
            return Err(format!("seed {seed}: a flow is denied\n{:?}\n{text}", truth.flow));
        }
        Ok((truth.flow.is_some(), denied, sliced, asked.decision.status == Status::Violation))
    });
    let (good, bad): (Vec<_>, Vec<_>) = results.into_iter().partition(Result::is_ok);
    let bad: Vec<String> = bad.into_iter().filter_map(Result::err).collect();
    let good: Vec<_> = good.into_iter().flatten().collect();
    let count = |wanted: fn(&Row) -> bool| good.iter().filter(|row| wanted(row)).count();
    let flows = count(|row| row.0);
    let (none, proved) = (count(|row| !row.0 && !row.2), count(|row| !row.0 && !row.2 && row.1));
    println!(
        "{flows} flows, {} found; {none} programs without one where lines matter, {proved} of them proved",
        count(|row| row.0 && row.3)
    );
    assert!(bad.is_empty(), "{} denied\n{}", bad.len(), bad.iter().take(3).cloned().collect::<Vec<_>>().join("\n"));
    if wanted >= 200 {
        assert!(flows * 4 > seeds.len() && none * 6 > seeds.len(), "{flows} flows, {none} of interest without one");
        assert!(proved * 3 > none, "{proved} of {none} proved");
    }
}
