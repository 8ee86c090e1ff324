//! Conditions for people: sums of products, and an order by strength.
//!
//! The sum of products is irredundant (Minato and Morreale): no product can be left out, and no literal of a product. What the lemmas exclude counts as "does not
//! matter", so a literal that others imply is dropped. When there are too many products, parts of the diagram that are used more than
//! once get names, and the whole is as long as the diagram. When there would be too many names, a weaker condition is shown, and said to be so.

use std::collections::BTreeMap;

use biodivine_lib_bdd::op_function::and_not;
use biodivine_lib_bdd::{Bdd, BddPointer, BddVariable};
use rustc_hash::FxHashMap;

use super::bdds::{Bdds, Condition, DefinitionId, Mode, Variable};
use super::formula::{AtomId, Literal};
use crate::base::id::Id;

/// Part of a product.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Factor {
    /// An atom or its negation.
    Literal(Literal),
    /// A named part: an index into [`Shown::names`].
    Name(usize),
}

/// A disjunction of products, the short ones first. `true` is one empty product, `false` none.
pub type Products = Vec<Vec<Factor>>;

/// A condition to be printed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shown {
    /// The condition.
    pub products: Products,
    /// What the names in it, and in names, stand for. None contains itself, not even by others.
    pub names: Vec<Products>,
    /// Whether this is the condition; otherwise the condition implies it.
    pub exact: bool,
}

/// How much is shown, and how long may be spent on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ShowLimits {
    /// Products of a sum. Where names are used there may be more, one for each way through the part of the diagram.
    pub products: usize,
    /// Names.
    pub names: usize,
    /// Nodes of a diagram without definitions.
    pub nodes: usize,
    /// Nodes that are looked at in search of products.
    pub work: usize,
}

impl Default for ShowLimits {
    fn default() -> Self {
        ShowLimits { products: 50, names: 50, nodes: 2_000, work: 3_000_000 }
    }
}

/// The condition as products, with names if there are too many, or something weaker if there are too many names.
pub fn show(bdds: &mut Bdds<'_>, condition: &Condition, limits: ShowLimits) -> Shown {
    let whole = bdds.expanded(condition, limits.nodes).unwrap_or_else(|| condition.clone());
    if let Some(shown) = with_names(bdds, &whole, limits) {
        return shown;
    }
    let mut weak = bdds.without_definitions(&whole);
    let mut shower = Shower::new(limits);
    loop {
        shower.work = limits.work;
        if let Some(products) = shower.products(bdds, &weak) {
            return Shown { products, names: Vec::new(), exact: false };
        }
        weak = bdds.weaker(&weak, weak.size() / 2);
    }
}

/// The condition with as many names as are allowed.
fn with_names(bdds: &mut Bdds<'_>, condition: &Condition, limits: ShowLimits) -> Option<Shown> {
    let mut shower = Shower::new(limits);
    let products = shower.sum(bdds, condition)?;
    while let Some((definition, name)) = shower.waiting.pop() {
        let body = bdds.definition(definition);
        let body = shower.sum(bdds, &body)?;
        shower.names[name] = body;
    }
    Some(Shown { products, names: shower.names, exact: true })
}

struct Shower {
    limits: ShowLimits,
    names: Vec<Products>,
    of_definition: BTreeMap<DefinitionId, usize>,
    /// Definitions that have a name but are not shown yet.
    waiting: Vec<(DefinitionId, usize)>,
    /// What may still be spent on products.
    work: usize,
}

impl Shower {
    fn new(limits: ShowLimits) -> Self {
        let work = limits.work;
        Shower { limits, names: Vec::new(), of_definition: BTreeMap::new(), waiting: Vec::new(), work }
    }
    /// Products, or the diagram with names; `None` if there are too many names.
    fn sum(&mut self, bdds: &mut Bdds<'_>, condition: &Condition) -> Option<Products> {
        let mut sum = match self.products(bdds, condition) {
            Some(sum) => sum,
            None => self.shared(condition)?,
        };
        sort(&mut sum);
        (self.names.len() <= self.limits.names).then_some(sum)
    }
    /// An irredundant sum of products, if it has few and they are found in time.
    fn products(&mut self, bdds: &mut Bdds<'_>, condition: &Condition) -> Option<Products> {
        let (least, largest) = bdds.between(condition);
        let mut cover = Cover { most: self.limits.products, work: self.work };
        let found = cover.of(&least, &largest);
        self.work = cover.work;
        let cubes = tidy(bdds, found?.0, &least, &largest);
        let mut sum: Products = cubes.iter().map(|cube| self.product(condition, cube)).collect();
        sort(&mut sum);
        Some(sum)
    }
    fn product(&mut self, condition: &Condition, cube: &Cube) -> Vec<Factor> {
        cube.iter().map(|&(variable, positive)| self.factor(condition, variable, positive)).collect()
    }
    fn factor(&mut self, condition: &Condition, variable: BddVariable, positive: bool) -> Factor {
        match variable.to_index().checked_sub(condition.atoms) {
            None => Factor::Literal(Literal { atom: AtomId::new(variable.to_index()), positive }),
            // Conditions are positive in definitions, so a negative literal never stands in an irredundant product.
            Some(definition) => Factor::Name(self.name(DefinitionId::new(definition))),
        }
    }
    fn name(&mut self, definition: DefinitionId) -> usize {
        *self.of_definition.entry(definition).or_insert_with(|| {
            self.names.push(Vec::new());
            self.waiting.push((definition, self.names.len() - 1));
            self.names.len() - 1
        })
    }
    /// The diagram itself: a decision that two others lead to has a name, the ways from one name to the next are products.
    fn shared(&mut self, condition: &Condition) -> Option<Products> {
        let bdd = &*condition.bdd;
        let mut uses: FxHashMap<usize, usize> = FxHashMap::default();
        for pointer in bdd.pointers().filter(|p| !p.is_terminal()) {
            for next in [bdd.low_link_of(pointer), bdd.high_link_of(pointer)] {
                *uses.entry(next.to_index()).or_default() += 1;
            }
        }
        let mut named: FxHashMap<usize, usize> = FxHashMap::default();
        for pointer in bdd.pointers().filter(|p| !p.is_terminal()) {
            if uses.get(&pointer.to_index()).is_some_and(|uses| *uses > 1) {
                let body = self.ways(condition, pointer, &named);
                self.names.push(body);
                named.insert(pointer.to_index(), self.names.len() - 1);
                if self.names.len() > self.limits.names {
                    return None;
                }
            }
        }
        Some(self.ways(condition, bdd.root_pointer(), &named))
    }
    /// The ways from a decision to `true` or the next name.
    fn ways(&mut self, condition: &Condition, from: BddPointer, named: &FxHashMap<usize, usize>) -> Products {
        let bdd = &*condition.bdd;
        let mut found: Products = Vec::new();
        let mut work: Vec<(BddPointer, Vec<Factor>)> = vec![(from, Vec::new())];
        while let Some((at, mut product)) = work.pop() {
            if let Some(answer) = at.as_bool() {
                found.extend(answer.then_some(product));
                continue;
            }
            if let Some(name) = named.get(&at.to_index()).filter(|_| at != from) {
                product.push(Factor::Name(*name));
                found.push(product);
                continue;
            }
            let variable = bdd.var_of(at);
            let (low, high) = (bdd.low_link_of(at), bdd.high_link_of(at));
            let mut with = product.clone();
            with.push(self.factor(condition, variable, true));
            // A definition that does not hold says nothing, as the condition is positive in it.
            if variable.to_index() < condition.atoms {
                product.push(self.factor(condition, variable, false));
            }
            work.push((high, with));
            work.push((low, product));
        }
        found
    }
}

/// Factors in order, short products first.
fn sort(sum: &mut Products) {
    for product in &mut *sum {
        product.sort_unstable();
    }
    sum.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
}

/// Literals, the top variable last.
type Cube = Vec<(BddVariable, bool)>;

/// Irredundant sums between a lower and an upper bound.
struct Cover {
    most: usize,
    work: usize,
}

impl Cover {
    /// Cubes and their disjunction, which lies between the bounds; `None` if there are too many.
    fn of(&mut self, least: &Bdd, largest: &Bdd) -> Option<(Vec<Cube>, Bdd)> {
        if least.is_false() {
            return Some((Vec::new(), least.clone()));
        }
        if largest.is_true() {
            return Some((vec![Vec::new()], largest.clone()));
        }
        // Some ten operations on these follow.
        self.work = self.work.checked_sub(10 * (least.size() + largest.size()))?;
        let top = |bdd: &Bdd| bdd.var_of(bdd.root_pointer());
        let variable = top(least).min(top(largest));
        let (least0, least1) = (least.var_restrict(variable, false), least.var_restrict(variable, true));
        let (largest0, largest1) = (largest.var_restrict(variable, false), largest.var_restrict(variable, true));
        // What only the one side has needs the literal.
        let (cubes0, cover0) = self.of(&minus(&least0, &largest1), &largest0)?;
        let (cubes1, cover1) = self.of(&minus(&least1, &largest0), &largest1)?;
        let rest = minus(&least0, &cover0).or(&minus(&least1, &cover1));
        let (mut cubes, cover) = self.of(&rest, &largest0.and(&largest1))?;
        for (side, positive) in [(cubes0, false), (cubes1, true)] {
            cubes.extend(side.into_iter().map(|mut cube| {
                cube.push((variable, positive));
                cube
            }));
        }
        if cubes.len() > self.most {
            return None;
        }
        let decided = cover.or(&cover0.var_select(variable, false)).or(&cover1.var_select(variable, true));
        Some((cubes, decided))
    }
}

/// What holds in `a` and not in `b`.
fn minus(a: &Bdd, b: &Bdd) -> Bdd {
    Bdd::binary_op(a, b, and_not)
}

/// Leaves out literals and then products that are not needed.
fn tidy(bdds: &mut Bdds<'_>, mut cubes: Vec<Cube>, least: &Bdd, largest: &Bdd) -> Vec<Cube> {
    if cubes.len() > TIDY {
        return cubes;
    }
    for cube in &mut cubes {
        let mut at = 0;
        while at < cube.len() {
            let mut less = cube.clone();
            less.remove(at);
            if minus(&bdds.cube(&less), largest).is_false() {
                *cube = less;
            } else {
                at += 1;
            }
        }
    }
    let mut at = 0;
    while at < cubes.len() {
        let mut left = least.clone();
        for (_, cube) in cubes.iter().enumerate().filter(|(i, _)| *i != at) {
            left = minus(&left, &bdds.cube(cube));
        }
        if left.is_false() {
            cubes.remove(at);
        } else {
            at += 1;
        }
    }
    cubes
}

/// Sums of more products are shown as they are found.
const TIDY: usize = 100;

/// Which part of all values of the atoms fulfils the condition, between 0 and 1. Definitions count as if they were independent.
pub fn density(bdds: &mut Bdds<'_>, condition: &Condition) -> f64 {
    fn of(condition: &Condition, definitions: &[f64]) -> f64 {
        let mut below: Vec<f64> = vec![0.0, 1.0];
        for decision in condition.decisions() {
            let high = match decision.variable {
                Variable::Atom(_) => 0.5,
                Variable::Definition(id) => definitions[id.index()],
            };
            below.push((1.0 - high) * below[decision.low] + high * below[decision.high]);
        }
        if condition.is_false() { 0.0 } else { below[below.len() - 1] }
    }
    let mut definitions: Vec<f64> = Vec::new();
    for body in bdds.definitions().collect::<Vec<_>>() {
        let part = of(&body, &definitions);
        definitions.push(part);
    }
    of(condition, &definitions)
}

/// The numbers of the conditions, strongest first: one that implies another comes before it, unless limits cut it.
pub fn by_strength(bdds: &mut Bdds<'_>, conditions: &[Condition], nodes: usize) -> Vec<usize> {
    let densities: Vec<f64> = conditions
        .iter()
        .map(|condition| {
            let whole = bdds.expanded(condition, nodes).unwrap_or_else(|| condition.clone());
            density(bdds, &whole)
        })
        .collect();
    let mut order: Vec<usize> = (0..conditions.len()).collect();
    order.sort_by(|a, b| densities[*a].total_cmp(&densities[*b]).then(a.cmp(b)));
    order
}

impl Bdds<'_> {
    /// What a shown form must cover at least and at most: lemmas make the difference.
    fn between(&mut self, condition: &Condition) -> (Bdd, Bdd) {
        let truth = self.truth();
        let mut lemmas = truth.clone();
        for lemma in self.lemmas_about(condition) {
            let both = self.and(&lemmas, &lemma, Mode::Iterated);
            // Too many lemmas: those so far will do.
            if both.size() > lemmas.size() + condition.size() + 1_000 {
                break;
            }
            lemmas = both;
        }
        let least = condition.bdd.and(&lemmas.bdd);
        let largest = condition.bdd.or(&lemmas.bdd.not());
        (least, largest)
    }
}
