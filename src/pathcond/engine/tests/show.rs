//! Sums of products and the order by strength, against all values of the atoms.

use super::*;
use crate::pathcond::engine::bdds::Mode;
use crate::pathcond::engine::show::{Factor, Products, ShowLimits, Shown, by_strength, density, show};

fn sum_holds(shown: &Shown, sum: &Products, values: Values) -> bool {
    sum.iter().any(|product| product_holds(shown, product, values))
}

fn product_holds(shown: &Shown, product: &[Factor], values: Values) -> bool {
    product.iter().all(|factor| match factor {
        Factor::Literal(l) => value(values)(l.atom) == l.positive,
        Factor::Name(name) => sum_holds(shown, &shown.names[*name], values),
    })
}

#[test]
fn the_sum_of_products_is_the_condition_and_irredundant_under_the_lemmas() {
    let mut random = Random(10);
    let limits = Limits::default();
    let mut dropped = 0;
    for round in 0..1500 {
        let system = random.system(5, 5, round % 2 == 0);
        let moments = moments(&system);
        let solution = solve(&system, &limits);
        let mut bdds = solution.bdds(&system, &limits);
        for point in system.points.ids() {
            let condition = &solution.conditions[point];
            let shown = show(&mut bdds, condition, ShowLimits { products: 1000, ..ShowLimits::default() });
            assert!(shown.names.is_empty() && shown.exact);
            let wanted = |values: &Values| holds(&solution, condition, *values);
            for values in &moments {
                assert_eq!(sum_holds(&shown, &shown.products, *values), wanted(values), "{system:#?} {shown:?}");
            }
            let exact = |sum: &Products| moments.iter().all(|v| sum_holds(&shown, sum, *v) == wanted(v));
            for i in 0..shown.products.len() {
                let mut less = shown.products.clone();
                less.remove(i);
                assert!(!exact(&less), "product {i} is not needed: {shown:?}");
                for j in 0..shown.products[i].len() {
                    let mut less = shown.products.clone();
                    less[i].remove(j);
                    assert!(!exact(&less), "factor {j} of product {i} is not needed: {shown:?}");
                }
            }
            let mentioned: BTreeSet<Factor> = shown.products.iter().flatten().copied().collect();
            dropped += usize::from(mentioned.len() < condition.variables().len());
        }
    }
    assert!(dropped > 20, "{dropped}");
}

#[test]
fn an_atom_that_another_implies_is_dropped() {
    let (a, b) = (AtomId(0), AtomId(1));
    let mut system = System::new(2);
    let parts = [a, b].map(|x| system.formulas.atom(x));
    let both = system.formulas.and(parts);
    let point = system.points.push(both);
    system.seeds.push(Seed { point, start: TRUE });
    system.lemmas.push([Literal::no(a), Literal::yes(b)]);
    let limits = Limits::default();
    let solution = solve(&system, &limits);
    let mut bdds = solution.bdds(&system, &limits);
    let shown = show(&mut bdds, &solution.conditions[point], ShowLimits::default());
    assert_eq!(shown.products, [[Factor::Literal(Literal::yes(a))]]);
}

#[test]
fn too_many_products_and_definitions_get_names() {
    let mut random = Random(11);
    let (mut named, mut weaker) = (0, 0);
    for round in 0..1500 {
        let system = random.system(8, 6, false);
        let limits = Limits { nodes: if round % 2 == 0 { 2 } else { 100 }, ..Limits::default() };
        let solution = solve(&system, &limits);
        let mut bdds = solution.bdds(&system, &limits);
        for point in system.points.ids() {
            let condition = &solution.conditions[point];
            let shown = show(&mut bdds, condition, ShowLimits { products: 2, nodes: 2, ..ShowLimits::default() });
            assert!(shown.exact);
            for values in moments(&system) {
                assert_eq!(sum_holds(&shown, &shown.products, values), holds(&solution, condition, values));
            }
            named += usize::from(!shown.names.is_empty());
            let short = ShowLimits { products: 2, nodes: 2, names: 0, ..ShowLimits::default() };
            let shown = show(&mut bdds, condition, short);
            assert!(shown.names.is_empty() && (shown.exact || shown.products.len() <= 2));
            weaker += usize::from(!shown.exact);
            for values in moments(&system) {
                let (is, should) = (sum_holds(&shown, &shown.products, values), holds(&solution, condition, values));
                assert!(if shown.exact { is == should } else { is || !should });
            }
        }
    }
    assert!(named > 100 && weaker > 100, "{named} {weaker}");
}

/// The parity of n atoms has 2^(n-1) products, but with names it is as long as its diagram.
#[test]
fn names_keep_parity_short() {
    let n = 16;
    let mut system = System::new(n);
    let mut parity = FALSE;
    for atom in (0..n).map(AtomId::new) {
        let f = &mut system.formulas;
        let (x, rest) = (f.atom(atom), f.not(parity));
        let no = f.not(x);
        let sides = [f.and([x, rest]), f.and([no, parity])];
        parity = f.or(sides);
    }
    let point = system.points.push(parity);
    system.seeds.push(Seed { point, start: TRUE });
    let limits = Limits::default();
    let solution = solve(&system, &limits);
    let mut bdds = solution.bdds(&system, &limits);
    let shown = show(&mut bdds, &solution.conditions[point], ShowLimits::default());
    let factors: usize = shown.names.iter().chain([&shown.products]).flatten().map(Vec::len).sum();
    assert!(factors <= 8 * n, "{factors}");
    for values in [0, 1, 3, 0xffff, 0x8001, 0x1234] {
        assert_eq!(sum_holds(&shown, &shown.products, values), values.count_ones() % 2 == 1);
    }
}

#[test]
fn stronger_conditions_come_first() {
    let mut random = Random(12);
    let limits = Limits::default();
    let mut implications = 0;
    for _ in 0..500 {
        let system = random.system(6, 4, false);
        let solution = solve(&system, &limits);
        let mut bdds = solution.bdds(&system, &limits);
        let conditions: Vec<Condition> = solution.conditions.iter().cloned().collect();
        let count = |c: &Condition| (0..1 << system.atoms).filter(|v| holds(&solution, c, *v)).count();
        for condition in &conditions {
            let part = count(condition) as f64 / f64::from(1 << system.atoms);
            assert!((density(&mut bdds, condition) - part).abs() < 1e-12);
        }
        let order = by_strength(&mut bdds, &conditions, 1000);
        for (i, a) in order.iter().enumerate() {
            for b in &order[..i] {
                let (a, b) = (&conditions[*a], &conditions[*b]);
                assert!(!bdds.implies(a, b) || a == b, "the stronger one comes later");
                implications += usize::from(bdds.implies(b, a));
                let both = bdds.and(a, b, Mode::Once);
                assert_eq!(bdds.implies(b, a), both == *b);
            }
        }
    }
    assert!(implications > 500, "{implications}");
}
