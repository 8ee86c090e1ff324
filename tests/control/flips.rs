//! Random programs in which calls end the run or jump back, run with one decision changed: what is executed more or less often, or in another
//! order, must depend on that decision, across calls.
//!
//! Each condition `P(k)` takes its outcomes, visit by visit, from a plan that the program reads first; each `o(k)` writes a letter.
//! Hence nothing but control flow tells one run from another. `FLOWCHECK_PROGRAMS=N` takes N programs, `FLOWCHECK_SEED=S` another seed.

use std::collections::HashSet;
use std::fmt::Write;

use flowcheck::interp::{self, End, Setup};
use flowcheck::ir::{Callee, FuncId, InstKind, Operand, ValueId};
use flowcheck::sdg::control::{Controller, Dependence, RegionId, Termination};

use super::{Analysed, analyse};
use crate::support::generator::Random;

const FUNCTIONS: usize = 4;
const PLAN: usize = 4;

struct Generator {
    random: Random,
    out: String,
    predicates: usize,
    outputs: usize,
    labels: usize,
    fuel: usize,
}

impl Generator {
    fn predicate(&mut self) -> String {
        self.predicates += 1;
        format!("P({})", self.predicates - 1)
    }
    fn output(&mut self) {
        let _ = writeln!(self.out, "o({});", self.outputs);
        self.outputs += 1;
    }
    /// Statements of function `own`, which calls those before it.
    fn block(&mut self, own: usize, depth: usize) {
        for _ in 0..=self.random.below(3) {
            self.statement(own, depth);
        }
    }
    fn statement(&mut self, own: usize, depth: usize) {
        if self.fuel == 0 || depth > 3 {
            return self.output();
        }
        self.fuel -= 1;
        let kind = self.random.below(12);
        if kind < 2 || (kind > 8 && own == 0) {
            return self.output();
        }
        if kind > 8 {
            let callee = self.random.below(own);
            let _ = writeln!(self.out, "f{callee}();");
            return;
        }
        let p = self.predicate();
        match kind {
            2 => {
                let _ = writeln!(self.out, "if ({p}) {{");
                self.block(own, depth + 1);
                self.out.push_str("} else {\n");
                self.block(own, depth + 1);
                self.out.push_str("}\n");
            }
            3 => {
                let _ = writeln!(self.out, "while ({p}) {{");
                self.block(own, depth + 1);
                let q = self.predicate();
                let word = self.random.pick(&["break", "continue"]);
                let _ = writeln!(self.out, "if ({q}) {word};");
                self.block(own, depth + 1);
                self.out.push_str("}\n");
            }
            4 => {
                self.out.push_str("do {\n");
                self.block(own, depth + 1);
                let _ = writeln!(self.out, "}} while ({p});");
            }
            5 => {
                let _ = writeln!(self.out, "switch ({p}) {{");
                for case in ["case 0:", "case 1:", "default:"] {
                    let _ = writeln!(self.out, "{case}");
                    self.block(own, depth + 1);
                    if self.random.below(2) == 0 {
                        self.out.push_str("break;\n");
                    }
                }
                self.out.push_str("}\n");
            }
            6 => {
                let end = self.random.pick(&["return", "exit(0)", "abort()", "longjmp(place, 1)", "longjmp(place, 1)"]);
                let _ = writeln!(self.out, "if ({p}) {end};");
            }
            7 => {
                let label = self.labels;
                self.labels += 1;
                if self.random.below(2) == 0 {
                    let _ = writeln!(self.out, "if ({p}) goto L{label};");
                    self.block(own, depth + 1);
                    let _ = writeln!(self.out, "L{label}:;");
                } else {
                    let _ = writeln!(self.out, "L{label}:;");
                    self.block(own, depth + 1);
                    let _ = writeln!(self.out, "if ({p}) goto L{label};");
                }
            }
            _ => {
                // Into a loop.
                let label = self.labels;
                self.labels += 1;
                let q = self.predicate();
                let _ = writeln!(self.out, "if ({p}) goto L{label};\ndo {{");
                self.block(own, depth + 1);
                let _ = writeln!(self.out, "L{label}:;");
                self.block(own, depth + 1);
                let _ = writeln!(self.out, "}} while ({q});");
            }
        }
    }
}

/// The text, and how many conditions and outputs it has.
fn program(seed: u64) -> (String, usize, usize) {
    let random = Random::new(seed);
    let mut g = Generator { random, out: String::new(), predicates: 0, outputs: 0, labels: 0, fuel: 12 };
    let mut text = String::new();
    for own in 0..FUNCTIONS {
        let last = own + 1 == FUNCTIONS;
        g.fuel = g.fuel.max(if last { 6 } else { 2 });
        let _ = writeln!(g.out, "void f{own}(void) {{");
        if last {
            g.output();
            g.out.push_str("setjmp(place);\n");
        }
        g.block(own, 0);
        g.output();
        g.out.push_str("}\n");
    }
    let _ = writeln!(
        text,
        "int getchar(void); long write(int, const void *, unsigned long);\n\
         void exit(int); void abort(void); int setjmp(long *); void longjmp(long *, int);\n\
         static long place[64]; static int plan[{0}][{PLAN}], visits[{0}];\n\
         int P(int k) {{ return plan[k][visits[k]++ % {PLAN}]; }}\n\
         void o(int k) {{ char c = (char)(k + 33); write(1, &c, 1); }}\n\
         void load(void) {{ for (int k = 0; k < {0}; k++) for (int i = 0; i < {PLAN}; i++) plan[k][i] = getchar() - 48; }}",
        g.predicates.max(1)
    );
    text.push_str(&g.out);
    let _ = writeln!(text, "int main(void) {{ load(); f{}(); o({}); return 0; }}", FUNCTIONS - 1, g.outputs);
    (text, g.predicates, g.outputs + 1)
}

/// The dependences across calls.
struct Closure<'a> {
    all: &'a Analysed,
    /// The regions and the functions' returns that were looked at.
    seen: HashSet<(FuncId, Option<RegionId>)>,
    /// What was found to decide.
    predicates: Vec<bool>,
}

impl Closure<'_> {
    /// Which conditions decide over output `k`.
    fn of(all: &Analysed, k: usize, predicates: usize) -> Vec<bool> {
        let mut closure = Closure { all, seen: HashSet::default(), predicates: vec![false; predicates] };
        for (f, call) in calls(all) {
            if argument(all, f, call, "o") == Some(k) {
                closure.region(f, call);
            }
        }
        closure.predicates
    }
    fn region(&mut self, f: FuncId, inst: ValueId) {
        let all = self.all;
        let control = all.control.functions[f].as_ref().expect("a body");
        let region = control.region_of(inst);
        if self.seen.insert((f, Some(region))) {
            self.follow(f, control.of(region));
        }
    }
    fn follow(&mut self, f: FuncId, list: &[Dependence]) {
        let all = self.all;
        let body = all.program.functions[f].body.as_ref().expect("a body");
        let control = all.control.functions[f].as_ref().expect("a body");
        for dependence in list {
            match dependence.on {
                Controller::Entry => {
                    for (caller, call) in calls(all) {
                        if callee(all, caller, call) == f {
                            self.region(caller, call);
                        }
                    }
                }
                Controller::Branch(block) => {
                    let line = all.line(body.blocks[block].term_place);
                    let condition = |c: &&(FuncId, ValueId)| all.line(all.inst(**c).place) == line;
                    let k = calls(all).iter().find(condition).and_then(|(f, call)| argument(all, *f, *call, "P"));
                    if let Some(k) = k {
                        self.predicates[k] = true;
                    }
                    let end = control.end(block);
                    if self.seen.insert((f, Some(end))) {
                        self.follow(f, control.of(end));
                    }
                }
                Controller::Call(call) => {
                    self.region(f, call);
                    let callee = callee(all, f, call);
                    let function = &all.program.functions[callee];
                    if function.body.is_some() && all.returns.function(callee) && self.seen.insert((callee, None)) {
                        let of_callee = all.control.functions[callee].as_ref().expect("a body");
                        self.follow(callee, of_callee.returned());
                    }
                    if function.returns_twice {
                        for (jumper, jump) in calls(all) {
                            if all.program.functions[self::callee(all, jumper, jump)].name == "longjmp" {
                                self.region(jumper, jump);
                            }
                        }
                    }
                }
            }
        }
    }
}

impl Analysed {
    fn inst(&self, (f, v): (FuncId, ValueId)) -> &flowcheck::ir::Inst {
        &self.program.functions[f].body.as_ref().expect("a body").insts[v]
    }
}

fn calls(all: &Analysed) -> Vec<(FuncId, ValueId)> {
    let mut found = Vec::new();
    for (f, body, _) in all.functions() {
        let is_call = |i: &InstKind| matches!(i, InstKind::Call { .. });
        found.extend(body.insts.enumerate().filter(|(_, i)| is_call(&i.kind)).map(|(v, _)| (f, v)));
    }
    found
}

fn callee(all: &Analysed, f: FuncId, call: ValueId) -> FuncId {
    match all.inst((f, call)).kind {
        InstKind::Call { callee: Callee::Direct(callee), .. } => callee,
        _ => panic!("all calls are direct"),
    }
}

/// The argument of a call of the function `name`.
fn argument(all: &Analysed, f: FuncId, call: ValueId, name: &str) -> Option<usize> {
    let InstKind::Call { callee: Callee::Direct(callee), args } = &all.inst((f, call)).kind else { return None };
    match args.first() {
        Some(Operand::Int(k, _)) if all.program.functions[*callee].name == name => Some(k.value() as usize),
        _ => None,
    }
}

struct Seen {
    letters: Vec<usize>,
    ended: bool,
}

fn run(all: &Analysed, plan: &[u8]) -> Option<Seen> {
    let setup = Setup { stdin: plan.to_vec(), max_steps: 30_000, max_memory: 1 << 24, ..Setup::default() };
    let outcome = interp::run(&all.program, &setup);
    let ended = match outcome.end {
        End::Exit(_) | End::Signal(_) => true,
        End::Limit => false,
        // A jump to a function that has returned, after it has.
        End::Trap { .. } => return None,
    };
    Some(Seen { letters: outcome.stdout.iter().map(|c| usize::from(*c) - 33).collect(), ended })
}

/// Whether two runs differ in what they show of two outputs.
fn differs(a: &Seen, b: &Seen, of: [usize; 2], termination: Termination) -> bool {
    let only = |s: &Seen| s.letters.iter().copied().filter(|l| of.contains(l)).collect::<Vec<_>>();
    let (x, y) = (only(a), only(b));
    let common = x.len().min(y.len());
    if x[..common] != y[..common] {
        return true;
    }
    match (a.ended, b.ended) {
        (true, true) => x.len() != y.len(),
        (false, false) => false,
        // The run that does not end may only show less, and when that counts not even less.
        (true, false) => y.len() > x.len() || (termination == Termination::Sensitive && y.len() < x.len()),
        (false, true) => x.len() > y.len() || (termination == Termination::Sensitive && x.len() < y.len()),
    }
}

#[test]
fn what_a_decision_changes_depends_on_it() {
    let number = |name: &str, default: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default);
    let (wanted, first) = (number("FLOWCHECK_PROGRAMS", 150), number("FLOWCHECK_SEED", 1));
    let (mut changed, mut dependent, mut pairs) = (0u32, 0u32, 0u32);
    for seed in first..first + wanted {
        let (text, predicates, outputs) = program(seed);
        let mut random = Random::new(seed ^ 0x77);
        for termination in [Termination::Insensitive, Termination::Sensitive] {
            let all = analyse("flips.c", &text, termination);
            let decides: Vec<Vec<bool>> = (0..outputs).map(|k| Closure::of(&all, k, predicates)).collect();
            for _ in 0..3 {
                let plan: Vec<u8> = (0..predicates * PLAN).map(|_| random.pick(b"0012")).collect();
                let Some(base) = run(&all, &plan) else { continue };
                for p in 0..predicates {
                    let mut other = plan.clone();
                    other[p * PLAN..(p + 1) * PLAN].iter_mut().for_each(|c| *c = random.pick(b"0112"));
                    let Some(flipped) = run(&all, &other) else { continue };
                    for i in 0..outputs {
                        pairs += 1;
                        dependent += u32::from(decides[i][p]);
                        changed += u32::from(differs(&base, &flipped, [i, i], termination));
                        for j in i..outputs {
                            assert!(
                                decides[i][p] || decides[j][p] || !differs(&base, &flipped, [i, j], termination),
                                "seed {seed}, {termination:?}: P({p}) changes o({i}) or o({j}), which do not depend on it\n{text}"
                            );
                        }
                    }
                }
            }
        }
    }
    println!("{pairs} pairs, {dependent} dependent, {changed} seen to change");
    assert!(changed > pairs / 50, "decisions change what is executed: {changed} of {pairs}");
    assert!(dependent < pairs - pairs / 10, "not everything depends on everything: {dependent} of {pairs}");
}
