//! Watched runs: the objects that accesses touch, what is recorded, what changes do.

use super::super::watch::{Change, Event, Object, Observed, Spot, Watch, watch};
use super::*;
use crate::base::progress::Progress;
use crate::ir::Options;
use crate::source::of_texts;

fn program(text: &str) -> Program {
    let loaded = of_texts(vec![("watched.c".into(), text.as_bytes().to_vec())], DataModel::lp64());
    let lowered = lower(&loaded.sources, &Options { jobs: 1, ..Options::default() }, &Progress::silent());
    lowered.program.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics))
}

fn run_watched(program: &Program, plan: &Watch) -> (Outcome, Observed) {
    watch(program, &Setup { max_steps: 1_000_000, ..Setup::default() }, plan)
}

fn function(program: &Program, name: &str) -> FuncId {
    program.functions.enumerate().find(|(_, f)| f.name == name).expect("it is there").0
}

/// The instructions of a function that satisfy a condition.
fn insts(program: &Program, f: FuncId, wanted: impl Fn(&InstKind) -> bool) -> Vec<ValueId> {
    let body = program.functions[f].body.as_ref().expect("a body");
    body.insts.enumerate().filter(|(_, i)| wanted(&i.kind)).map(|(v, _)| v).collect()
}

fn exit_code(program: &Program, changes: &[(FuncId, Spot, Change)]) -> i32 {
    let changes = changes.iter().map(|(f, spot, change)| ((*f, *spot), *change)).collect();
    match run_watched(program, &Watch { changes, strict: true, ..Watch::default() }).0.end {
        End::Exit(code) => code,
        other => panic!("{other:?}"),
    }
}

#[test]
fn accesses_name_their_objects() {
    let program = program(
        "void *malloc(unsigned long); static int g[4]; struct s { char c; int x; };\n\
         static void put(int *p, int v) { *p = v; }\n\
         static int *make(void) { return malloc(12); }\n\
         static int one(int v) { return v + 1; }\n\
         int main(void) { int l[3]; struct s r[2]; int n = 2; int vla[n]; int (*f)(int) = one; f = f ? f : 0;\n\
         put(g + 3, 1); put(l + 1, 2); put(&r[1].x, 3); put(vla + 1, 4); put(make() + 2, 5); return f(g[3] + l[1]); }",
    );
    let (outcome, seen) = run_watched(&program, &Watch { accesses: true, blocks: true, ..Watch::default() });
    assert_eq!(outcome.end, End::Exit(4));
    let (put, make, main) = (function(&program, "put"), function(&program, "make"), function(&program, "main"));
    let body = program.functions[main].body.as_ref().expect("a body");
    let local = |name: &str| body.locals.enumerate().find(|(_, l)| l.name == name).expect("a local").0;
    let alloca = insts(&program, main, |i| matches!(i, InstKind::Alloca { .. }))[0];
    let malloc = insts(&program, make, |i| matches!(i, InstKind::Call { .. }))[0];
    let is_make = |i: &InstKind| matches!(i, InstKind::Call { callee: Callee::Direct(f), .. } if *f == make);
    let caller = insts(&program, main, is_make)[0];
    let found: Vec<(Object, u64)> =
        seen.accesses.iter().filter(|a| a.function == put).map(|a| (a.object, a.offset)).collect();
    for expected in [
        (Object::Global(GlobalId(0)), 12),
        (Object::Local(main, local("l")), 4),
        (Object::Local(main, local("r")), 12),
        (Object::Alloca(main, alloca), 4),
        (Object::Heap { function: make, call: malloc, caller: Some((main, caller)) }, 8),
    ] {
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
    assert_eq!(found.len(), 5);
    assert_eq!(seen.callees.iter().map(|c| (c.0, c.2)).collect::<Vec<_>>(), [(main, function(&program, "one"))]);
    let blocks: std::collections::BTreeSet<FuncId> = seen.blocks.iter().map(|b| b.0).collect();
    assert_eq!(blocks.len(), 4);
}

#[test]
fn a_watched_run_is_the_plain_run() {
    let text = "int printf(const char *, ...); int main(void) { int t = 0; for (int i = 0; i < 9; i++) { switch (i % 3) { case 0: t += i; break; case 1: t ^= 5; } }\n\
                printf(\"%d\", t); return t & 63; }";
    let program = program(text);
    let plain = run(&program, &Setup::default());
    let body = program.functions[function(&program, "main")].body.as_ref().expect("a body");
    let spots = body.insts.ids().map(Spot::Value).chain(body.blocks.ids().map(Spot::Choice));
    let record = spots.map(|s| (function(&program, "main"), s)).collect();
    let plan = Watch { accesses: true, blocks: true, strict: true, record, ..Watch::default() };
    let (watched, seen) = run_watched(&program, &plan);
    assert_eq!((&watched.stdout, &watched.end, watched.steps), (&plain.stdout, &plain.end, plain.steps));
    assert!(seen.events.len() > 50);
    let cut = Watch { max_events: 7, ..plan };
    let (outcome, seen) = run_watched(&program, &cut);
    assert_eq!((outcome.end, seen.events.len()), (End::Limit, 7));
}

#[test]
fn values_are_recorded_in_the_order_of_execution() {
    let program = program(
        "static void note(int a, double b) { (void)a; (void)b; }\n\
         int main(void) { for (int i = 3; i > 0; i--) note(i - 2, i * 0.5); return 0; }",
    );
    let main = function(&program, "main");
    let call = insts(&program, main, |i| matches!(i, InstKind::Call { .. }))[0];
    let spots = [Spot::Call(call), Spot::Argument { call, index: 0 }, Spot::Argument { call, index: 1 }];
    let record = spots.iter().map(|s| (main, *s)).collect();
    let (_, seen) = run_watched(&program, &Watch { record, ..Watch::default() });
    let values: Vec<i128> = seen.events.iter().filter(|e| e.spot == spots[1]).map(|e| e.value as i128).collect();
    assert_eq!(values, [1, 0, -1]);
    let floats: Vec<f64> =
        seen.events.iter().filter(|e| e.spot == spots[2]).map(|e| f64::from_bits(e.value as u64)).collect();
    assert_eq!(floats, [1.5, 1.0, 0.5]);
    let order: Vec<Spot> = seen.events.iter().map(|e: &Event| e.spot).collect();
    assert_eq!(order[..3], spots);
}

#[test]
fn changes_take_effect_where_they_are_made() {
    let program = program(
        "static int g = 5; static int id(int v) { return v; }\n\
         int main(void) { g = 7; int r = id(g); if (r > 100) return 50; switch (r) { case 7: return r; case 8: return 80; default: return 90; } }",
    );
    let (main, id) = (function(&program, "main"), function(&program, "id"));
    assert_eq!(exit_code(&program, &[]), 7);
    let store = Spot::Value(insts(&program, main, |i| matches!(i, InstKind::Store { .. }))[0]);
    assert_eq!(exit_code(&program, &[(main, store, Change::Add(1))]), 80);
    assert_eq!(exit_code(&program, &[(main, store, Change::Skip)]), 90);
    assert_eq!(exit_code(&program, &[(main, store, Change::Set(200))]), 50);
    let call = insts(&program, main, |i| matches!(i, InstKind::Call { .. }))[0];
    assert_eq!(exit_code(&program, &[(main, Spot::Argument { call, index: 0 }, Change::Add(1))]), 80);
    assert_eq!(exit_code(&program, &[(main, Spot::Value(call), Change::Xor(15))]), 80);
    assert_eq!(exit_code(&program, &[(main, Spot::Call(call), Change::Skip)]), 90);
    let body = program.functions[id].body.as_ref().expect("a body");
    assert_eq!(exit_code(&program, &[(id, Spot::Return(body.entry), Change::Add(1))]), 80);
    assert_eq!(exit_code(&program, &[(id, Spot::Value(body.params[0]), Change::Add(1))]), 80);
    let body = program.functions[main].body.as_ref().expect("a body");
    let choice = |wanted: fn(&Terminator) -> bool| {
        Spot::Choice(body.blocks.enumerate().find(|(_, b)| wanted(&b.term)).expect("a choice").0)
    };
    let branch = choice(|t| matches!(t, Terminator::Branch { .. }));
    assert_eq!(exit_code(&program, &[(main, branch, Change::Add(1))]), 50);
    let switch = choice(|t| matches!(t, Terminator::Switch { .. }));
    assert_eq!(exit_code(&program, &[(main, switch, Change::Add(1))]), 80);
    assert_eq!(exit_code(&program, &[(main, switch, Change::Set(2))]), 90);
}

#[test]
fn operands_of_a_phi_are_changed_on_their_edge() {
    let program = program("static int c; int main(void) { int x; if (c) x = 1; else x = 2; return x; }");
    let main = function(&program, "main");
    let phi = insts(&program, main, |i| matches!(i, InstKind::Phi(_)))[0];
    let codes: Vec<i32> = (0..2)
        .map(|operand| exit_code(&program, &[(main, Spot::PhiOperand { phi, operand }, Change::Set(9))]))
        .collect();
    assert!(codes == [9, 2] || codes == [2, 9], "{codes:?}");
    assert_eq!(exit_code(&program, &[(main, Spot::Value(phi), Change::Set(9))]), 9);
}

#[test]
fn a_pointer_may_stay_what_it_was_first() {
    let program = program(
        "static int a = 1, b = 2; static int *p; static void set(int *q) { p = q; }\n\
         int main(void) { set(&a); set(&b); return *p; }",
    );
    let set = function(&program, "set");
    let store = Spot::Value(insts(&program, set, |i| matches!(i, InstKind::Store { .. }))[0]);
    assert_eq!(exit_code(&program, &[(set, store, Change::Set(0))]), 2);
    assert_eq!(exit_code(&program, &[(set, store, Change::First)]), 1);
}

#[test]
fn strict_runs_stop_where_an_address_leaves_its_object() {
    let program = program(
        "struct s { int a[4]; int b; }; static struct s s; static int other[64], n = 1;\n\
         int main(void) { s.a[n] = 3; int *p = other; p[n] = 4; return s.b + other[1]; }",
    );
    let main = function(&program, "main");
    assert_eq!(exit_code(&program, &[]), 4);
    let index = insts(&program, main, |i| matches!(i, InstKind::Load { .. }));
    for (load, value, stops) in
        [(0, 4, true), (0, -1, true), (0, 3, false), (1, 63, false), (1, 64, true), (1, 90, true)]
    {
        let change = ((main, Spot::Value(index[load])), Change::Set(value));
        let plan = Watch { changes: [change].into(), strict: true, ..Watch::default() };
        let (outcome, _) = run_watched(&program, &plan);
        match outcome.end {
            End::Trap { message, .. } if stops => assert!(message.contains("leaves"), "{message}"),
            End::Exit(_) => assert!(!stops, "{load} {value}"),
            other => panic!("{other:?}"),
        }
    }
}
