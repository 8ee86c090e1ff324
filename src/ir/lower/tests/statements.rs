//! Control flow, and the places of its ends.

use super::*;

#[test]
fn constant_conditions_leave_one_way() {
    let p = lower("int f(int x) { while (1) { if (0) x = 2; if (x) break; } return 1; for (;;) ; }");
    let body = body(&p, "f");
    let branches = reached(body).iter().filter(|b| matches!(body.blocks[**b].term, Terminator::Branch { .. })).count();
    assert_eq!(branches, 1);
    assert_eq!(returns(body).len(), 1);
}

#[test]
fn ends_of_blocks_have_their_own_text() {
    let text = "int f(int a, int b) { if (a > 1 && b) goto out; switch (b) { case 1: return a; } out: return b; }";
    let p = lower(text);
    let body = body(&p, "f");
    let mut branches = Vec::new();
    for block in reached(body) {
        let block = &body.blocks[block];
        let at = text_of(text, &block.term_place);
        match block.term {
            Terminator::Branch { .. } => branches.push(at),
            Terminator::Switch { .. } => assert_eq!(at, "b"),
            Terminator::Return(_) => assert!(at == "return a;" || at == "return b;", "{at}"),
            _ => {}
        }
    }
    branches.sort_unstable();
    assert_eq!(branches, ["a > 1", "b"]);
}

#[test]
fn switch_values_are_promoted_and_cases_converted() {
    let p = lower(
        "int f(unsigned char c) { switch (c) { case 255: return 1; case 'a' ... 'c': return 2; default: return 3; } }
         int g(unsigned u) { switch (u) { case -1: return 1; } return 0; }",
    );
    let cases = |name: &str| {
        let body = body(&p, name);
        reached(body)
            .iter()
            .find_map(|b| match &body.blocks[*b].term {
                Terminator::Switch { value, cases, .. } => {
                    let ty = p.types.show(p.operand_type(body, *value));
                    Some((ty, cases.iter().map(|c| (c.low, c.high)).collect::<Vec<_>>()))
                }
                _ => None,
            })
            .expect("a switch")
    };
    assert_eq!(cases("f"), ("int".to_string(), vec![(255, 255), (97, 99)]));
    assert_eq!(cases("g"), ("unsigned int".to_string(), vec![(0xffff_ffff, 0xffff_ffff)]));
}

#[test]
fn bad_cases_are_errors() {
    one_error("int f(int x) { switch (x) { case 1: case 1: return 1; } return 0; }", "stands twice", "case 1");
    one_error("int f(int x) { switch (x) { case 1 ... 5: case 3: return 1; } return 0; }", "stands twice", "case 3");
    one_error("int f(int x) { switch (x) { default: default: return 1; } return 0; }", "default already", "default");
    one_error("int f(int x) { case 1: return 0; }", "not inside a switch", "case 1");
    one_error(
        "int f(int x) { switch (x) { case 0: return ({ case 1: 2; }); } return 0; }",
        "not inside a switch",
        "case 1",
    );
    one_error("int f(int x) { switch (x) { case x: return 1; } return 0; }", "integer constant", "x");
    one_error("int f(double x) { switch (x) { } return 0; }", "needs an integer", "x");
    one_error("int f(void) { break; }", "break outside", "break;");
    one_error("int f(void) { switch (1) { case 1: continue; } }", "continue outside", "continue;");
}

#[test]
fn labels_are_checked() {
    one_error("int f(void) { goto nowhere; }", "the label nowhere", "goto nowhere;");
    one_error("int f(void) { a: a: return 1; }", "stands twice", "a");
    // A label inside an expression that is not evaluated does not count.
    lower("int f(void) { int x = sizeof(({ a: 1; })); a: return x; }");
}

#[test]
fn computed_gotos_share_one_block() {
    let p = lower(
        "int f(int i) { static void *t[] = { __fc_label_address(a), __fc_label_address(b) };
         __fc_goto(t[i]); a: __fc_goto(t[1]); b: return 1; c: return 2; }",
    );
    let body = body(&p, "f");
    assert_eq!(body.labels.iter().map(|l| l.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    let jumps: Vec<_> = reached(body)
        .into_iter()
        .filter_map(|b| match &body.blocks[b].term {
            Terminator::IndirectJump { targets, .. } => Some(targets.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(jumps.len(), 1);
    for (label, block) in &jumps[0] {
        assert_eq!(body.labels[*label].block, *block);
    }
    assert_eq!(returns(body).len(), 1, "c is not reached");
    let items = content(&p, "f.t");
    assert!(matches!(
        items,
        [
            (0, InitItem::Address { target: InitTarget::Label(_, LabelId(0)), .. }),
            (8, InitItem::Address { target: InitTarget::Label(_, LabelId(1)), .. })
        ]
    ));
}

#[test]
fn cleanups_run_on_every_way_out() {
    let text = "void c1(int *); void c2(int *); int g(void);
         int f(int k) { __attribute__((cleanup(c1))) int a;
           { __attribute__((cleanup(c2))) int b; if (k == 1) return g(); if (k == 2) goto out; } k = 5; out: return k; }";
    let p = lower(text);
    let body = body(&p, "f");
    let count = |name: &str| calls(&p, body).iter().filter(|c| **c == name).count();
    // c2: return, goto, end of the block; c1: both returns.
    assert_eq!((count("c2"), count("c1")), (3, 2));
}

#[test]
fn falling_off_the_end_returns_something() {
    let p = lower("int main(void) {} int f(void) {} void g(void) {} struct s { int a; } h(void) {}");
    assert_eq!(returns(body(&p, "main")).iter().map(|r| int(r.expect("zero"))).collect::<Vec<_>>(), [0]);
    for (name, ty) in [("f", "int"), ("h", "struct s")] {
        let body = body(&p, name);
        let value = returns(body)[0].expect("a value");
        assert_eq!(p.types.show(p.operand_type(body, value)), ty);
        let Operand::Value(v) = value else { panic!("it is read from an object that nobody wrote") };
        assert!(matches!(body.insts[v].kind, InstKind::Load { addr: Operand::Local(_), .. }));
    }
    assert!(matches!(returns(body(&p, "g"))[..], [None]));
}

#[test]
fn chains_of_not_quite_constant_operands_take_linear_time() {
    // Each operand looks constant and is not: what a probe found must not be looked for again at each level.
    let chain = vec!["(1 / 0)"; 200].join(" && ");
    let nested = (0..60).fold("x".to_string(), |e, _| format!("((struct s){{ (int)(1 / 0 ? {e} : 1) }}).a"));
    lower(&format!("struct s {{ int a; }}; int f(int x) {{ return {chain}; }} int g(int x) {{ return {nested}; }}"));
}
