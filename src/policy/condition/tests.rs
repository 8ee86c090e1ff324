//! Conditions: what binds how, places, mistakes, and writing them again.

use proptest::prelude::*;

use super::*;

/// The tree with all brackets, to see what binds how.
fn tree(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Unary(op, a) => format!("({}{})", op.spelling(), tree(a)),
        ExprKind::Binary(op, a, b) => format!("({}{}{})", tree(a), op.spelling(), tree(b)),
        ExprKind::Conditional(a, b, c) => format!("({}?{}:{})", tree(a), tree(b), tree(c)),
        ExprKind::Member { object, name, arrow } => {
            format!("({}{}{name})", tree(object), if *arrow { "->" } else { "." })
        }
        ExprKind::Index(a, b) => format!("({}[{}])", tree(a), tree(b)),
        ExprKind::Name(_) | ExprKind::Integer(_) | ExprKind::Char(_) | ExprKind::Float(_) => expr.to_string(),
    }
}

#[test]
fn operators_bind_as_in_c() {
    for (text, meaning) in [
        ("e_puf[idx] >= 65 && e_puf[idx] <= 90", "(((e_puf[idx])>=65)&&((e_puf[idx])<=90))"),
        ("a || b && c | d ^ e & f == g < h << i + j * k", "(a||(b&&(c|(d^(e&(f==(g<(h<<(i+(j*k))))))))))"),
        ("a - b - c", "((a-b)-c)"),
        ("a - (b - c)", "(a-(b-c))"),
        ("-a.b->c[1][x + 1] % 2", "((-((((a.b)->c)[1])[(x+1)]))%2)"),
        ("!*p & ~&q", "((!(*p))&(~(&q)))"),
        ("a ? b : c ? d : e", "(a?b:(c?d:e))"),
        ("a == 1 ? x < 2 : 3.5f", "((a==1)?(x<2):3.5f)"),
        ("(a < b) < c", "((a<b)<c)"),
        ("a < b == c < d", "((a<b)==(c<d))"),
    ] {
        assert_eq!(tree(&one(text).unwrap().expr), meaning, "{text}");
    }
}

#[test]
fn places_are_those_of_the_text() {
    let text = "  (a + bb) * c->d[3] ";
    let condition = one(text).unwrap();
    assert_eq!(condition.text, "(a + bb) * c->d[3]");
    let at = |expr: &Expr| condition.text[expr.at.range()].to_owned();
    let ExprKind::Binary(_, left, right) = &condition.expr.kind else { panic!() };
    assert_eq!(
        (at(&condition.expr), at(left), at(right)),
        (condition.text.clone(), "(a + bb)".into(), "c->d[3]".into())
    );
    let found: Vec<(&str, &str)> =
        names(&condition.expr).into_iter().map(|(n, at)| (n, &condition.text[at.range()])).collect();
    assert_eq!(found, [("a", "a"), ("bb", "bb"), ("c", "c")]);
}

#[test]
fn several_conditions_are_separated_by_semicolons() {
    let text = " kal_kg==1.0; idx<10;; c == ';' ";
    let found = several(text).unwrap();
    let texts: Vec<&str> = found.iter().map(|(c, _)| c.text.as_str()).collect();
    assert_eq!(texts, ["kal_kg==1.0", "idx<10", "c == ';'"]);
    for (condition, at) in &found {
        assert_eq!(text[at.clone()], condition.text);
    }
    assert_eq!(several(" ; ").unwrap().len(), 0);
    let mistake = several("a < 1; b <").unwrap_err();
    assert_eq!(mistake.at, 9..10);
}

#[test]
fn mistakes_are_shown_where_they_are() {
    for (text, at, says, help) in [
        ("", "", "is empty", "idx < 10"),
        ("idx = 3", "=", "changes a variable", "`==`?"),
        ("idx++ < 3", "++", "changes a variable", "only looks"),
        ("idx += 3", "+=", "changes a variable", "only looks"),
        ("f(x) > 3", "f(", "calls are not known", "the variable that gets"),
        ("(int)x > 3", "int", "cannot stand in a condition", "casts"),
        ("sizeof x > 3", "sizeof", "cannot stand", "`sizeof`"),
        ("0 <= x <= 9", "<=", "cannot be chained", "a <= x && x <= b"),
        ("(a + b", "(", "`)` for this is missing", ""),
        ("a[1", "[", "`]` for this is missing", ""),
        ("a ? b", "?", "`:` for this is missing", ""),
        ("a + b)", ")", "`)` cannot stand here", ""),
        ("a b", "b", "`b` cannot stand here", "operator is missing"),
        ("a + ", "+", "ends too early", "follow"),
        ("a, b", ",", "cannot stand", "&&"),
        ("a < 1; b < 2", ";", "one condition", "&&"),
        ("a.3", ".3", "cannot stand here", ""),
        ("a && && b", "&&", "", ""),
    ] {
        let mistake = one(text).unwrap_err();
        assert_eq!(&text[mistake.at.clone()], at, "{text}: {mistake:?}");
        assert!(mistake.message.contains(says) && mistake.help.contains(help), "{text}: {mistake:?}");
    }
}

#[test]
fn what_is_too_large_is_refused() {
    let deep = format!("{}x{}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(one(&deep).unwrap_err().message.contains("too long"));
    assert!(one(&format!("{}x{}", "(".repeat(400), ")".repeat(400))).unwrap_err().message.contains("too deeply"));
    assert!(one(&format!("{}x", "!".repeat(900))).unwrap_err().message.contains("too deeply"));
    assert!(one(&format!("x{}", " + x".repeat(400))).is_ok());
    assert!(one(&format!("x{}", "[1]".repeat(300))).is_ok());
}

fn any_expr() -> impl Strategy<Value = Expr> {
    let plain = |kind| Expr { kind, at: Span::default() };
    let leaf = prop_oneof![
        "[a-z]{1,3}".prop_filter("a name", |name| !is_keyword(name)).prop_map(move |name| plain(ExprKind::Name(name))),
        (any::<u64>(), any::<bool>(), any::<bool>(), 0u8..3).prop_map(move |(value, in_base, unsigned, long)| {
            // 0 has one spelling.
            plain(ExprKind::Integer(Integer { value, in_base: in_base && value > 0, unsigned, long }))
        }),
        any::<u8>().prop_map(move |byte| plain(ExprKind::Char(byte))),
    ];
    leaf.prop_recursive(5, 40, 3, move |inner| {
        let boxed = inner.prop_map(Box::new);
        prop_oneof![
            (0..UNARY.len(), boxed.clone()).prop_map(move |(op, a)| plain(ExprKind::Unary(UNARY[op].1, a))),
            (0..BINARY.len(), boxed.clone(), boxed.clone()).prop_map(move |(op, a, b)| plain(ExprKind::Binary(
                BINARY[op].1,
                a,
                b
            ))),
            (boxed.clone(), boxed.clone()).prop_map(move |(a, b)| plain(ExprKind::Index(a, b))),
            (boxed.clone(), "[a-z]{3}x", any::<bool>())
                .prop_map(move |(object, name, arrow)| plain(ExprKind::Member { object, name, arrow })),
            (boxed.clone(), boxed.clone(), boxed).prop_map(move |(a, b, c)| plain(ExprKind::Conditional(a, b, c))),
        ]
    })
}

proptest! {
    /// What is written is read again as the same tree.
    #[test]
    fn written_expressions_mean_the_same(expr in any_expr()) {
        let text = expr.to_string();
        let read = one(&text).map_err(|m| TestCaseError::fail(format!("{text}: {m:?}")))?;
        prop_assert_eq!(tree(&read.expr), tree(&expr), "{}", text);
    }
}
