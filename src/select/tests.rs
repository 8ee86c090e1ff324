//! Tests of what needs no graph: variables and names. Selections of nodes are tested on C programs, from outside.

use super::variable::{Root, Step};
use super::{Variable, nearest};
use crate::ir::LocalId;

fn local(number: u32, steps: &[Step]) -> Variable {
    Variable { root: Root::Local(LocalId(number)), steps: steps.to_vec() }
}

fn member(name: &str) -> Step {
    Step::Member(name.to_owned())
}

fn overlaid(name: &str) -> Step {
    Step::Overlaid(name.to_owned())
}

#[test]
fn a_variable_overlaps_with_its_parts_and_not_with_what_it_points_to() {
    let all = [
        (local(0, &[]), local(0, &[]), true),
        (local(0, &[]), local(1, &[]), false),
        // s and s.f; s.f and s.g; s.f.a and s.f
        (local(0, &[]), local(0, &[member("f")]), true),
        (local(0, &[member("f")]), local(0, &[member("g")]), false),
        (local(0, &[member("f"), member("a")]), local(0, &[member("f")]), true),
        // p and *p; p->f and *p; p->f and p->g; p->f and p.f
        (local(0, &[]), local(0, &[Step::Deref]), false),
        (local(0, &[Step::Deref, member("f")]), local(0, &[Step::Deref]), true),
        (local(0, &[Step::Deref, member("f")]), local(0, &[Step::Deref, member("g")]), false),
        (local(0, &[Step::Deref, member("f")]), local(0, &[member("f")]), false),
        // Members of a union lie over each other, and so does what is inside them.
        (local(0, &[overlaid("i")]), local(0, &[member("f")]), true),
        (local(0, &[overlaid("s"), member("a")]), local(0, &[member("t"), member("b")]), true),
        (local(0, &[overlaid("s"), member("a")]), local(0, &[member("s"), member("b")]), false),
    ];
    for (one, other, expected) in all {
        assert_eq!(one.overlaps(&other), expected, "{one:?} {other:?}");
        assert_eq!(other.overlaps(&one), expected, "{other:?} {one:?}");
    }
}

#[test]
fn the_nearest_name_is_near() {
    let names = || ["count", "counter", "main", "x"].into_iter();
    assert_eq!(nearest("cuont", names()), Some("count"));
    assert_eq!(nearest("counted", names()), Some("counter"));
    assert_eq!(nearest("mian", names()), Some("main"));
    assert_eq!(nearest("y", names()), None);
    assert_eq!(nearest("unrelated", names()), None);
    assert_eq!(nearest("cou", std::iter::empty()), None);
}
