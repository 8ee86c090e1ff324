//! Which definition each name means.
//!
//! Functions and globals are numbered through all units (*items*). Items of one link name that are not internal form a group;
//! its strongest definition wins. Every item then has an *entity*: the item whose body or content it means.
//!
//! Cost: linear.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::syntax::{Global, GlobalDef, Linkage, Program};
use super::super::types::Types;
use crate::source::{Diagnostic, Place};

/// What an item is to the linker; the greatest of a group wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Strength {
    /// No other unit sees it.
    Internal,
    /// Only declared.
    Declared,
    /// Defined, and gives way.
    Weak,
    /// A tentative definition: the largest one wins.
    Common,
    /// Defined; there can be one.
    Strong,
}

/// A function or a global of a unit.
pub(super) struct Item<'a> {
    pub unit: usize,
    /// The name the linker sees.
    pub name: &'a str,
    pub strength: Strength,
    /// Whether it has a body or a content (an internal one may have none).
    pub defined: bool,
    /// Bytes of a tentative definition.
    pub size: u64,
    pub alias: Option<&'a str>,
    pub place: Place,
}

/// Items by unit: the number of the first one of each, and the total at the end.
pub(super) struct Base(Vec<usize>);

impl Base {
    fn new(lengths: impl Iterator<Item = usize>) -> Base {
        let mut base = vec![0];
        for len in lengths {
            base.push(base[base.len() - 1] + len);
        }
        Base(base)
    }
    /// The number of an item.
    pub fn at(&self, unit: usize, index: usize) -> usize {
        self.0[unit] + index
    }
    /// The numbers of a unit's items.
    pub fn of(&self, unit: usize) -> std::ops::Range<usize> {
        self.0[unit]..self.0[unit + 1]
    }
}

/// The functions as items.
pub(super) fn functions(units: &[Program]) -> (Base, Vec<Item<'_>>) {
    let base = Base::new(units.iter().map(|u| u.functions.len()));
    let mut items = Vec::new();
    for (unit, program) in units.iter().enumerate() {
        for f in &program.functions {
            let defined = f.body.is_some() || f.alias.is_some();
            let strength = match f.linkage {
                Linkage::Internal => Strength::Internal,
                Linkage::External | Linkage::Weak if !defined => Strength::Declared,
                Linkage::External => Strength::Strong,
                Linkage::Weak => Strength::Weak,
            };
            items.push(Item {
                unit,
                name: f.link_name.as_deref().unwrap_or(&f.name),
                strength,
                defined,
                size: 0,
                alias: f.alias.as_deref(),
                place: f.place,
            });
        }
    }
    (base, items)
}

/// The globals as items.
pub(super) fn globals(units: &[Program]) -> (Base, Vec<Item<'_>>) {
    let base = Base::new(units.iter().map(|u| u.globals.len()));
    let mut items = Vec::new();
    for (unit, program) in units.iter().enumerate() {
        for g in &program.globals {
            let (defined, alias) = match &g.definition {
                GlobalDef::Declared => (false, None),
                GlobalDef::Tentative | GlobalDef::Defined(_) => (true, None),
                GlobalDef::Alias(target) => (true, Some(target.as_str())),
            };
            let tentative = matches!(g.definition, GlobalDef::Tentative);
            let strength = match g.linkage {
                Linkage::Internal => Strength::Internal,
                Linkage::External | Linkage::Weak if !defined => Strength::Declared,
                Linkage::Weak => Strength::Weak,
                Linkage::External if tentative => Strength::Common,
                Linkage::External => Strength::Strong,
            };
            items.push(Item {
                unit,
                name: g.link_name.as_deref().unwrap_or(&g.name),
                strength,
                defined,
                size: size(&program.types, g),
                alias,
                place: g.place,
            });
        }
    }
    (base, items)
}

fn size(types: &Types, global: &Global) -> u64 {
    types.size_of(global.ty.ty).unwrap_or(0)
}

/// What names mean.
pub(super) struct Resolved<'a> {
    /// Items of one name that other units see, in order; groups in order of their first item.
    pub groups: Vec<Vec<usize>>,
    /// The group of a name.
    pub by_name: FxHashMap<&'a str, usize>,
    /// The entity of each item.
    pub entity: Vec<usize>,
    /// Whether other units see the item as an entity, under its own name or an alias.
    pub visible: Vec<bool>,
}

/// Resolves names among items of one kind (`word` names the kind in messages).
pub(super) fn resolve<'a>(items: &[Item<'a>], base: &Base, word: &str, errors: &mut Vec<Diagnostic>) -> Resolved<'a> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
    for (i, item) in items.iter().enumerate() {
        if item.strength != Strength::Internal {
            let group = *by_name.entry(item.name).or_insert(groups.len());
            if group == groups.len() {
                groups.push(Vec::new());
            }
            groups[group].push(i);
        }
    }
    let mut winner: Vec<usize> = (0..items.len()).collect();
    let mut wins: Vec<bool> = vec![false; items.len()];
    for group in &groups {
        let best = winner_of(items, group);
        wins[best] = true;
        for &i in group {
            winner[i] = best;
        }
        duplicates(items, group, word, errors);
    }
    let targets = alias_targets(items, base, word, &winner, errors);
    let entity: Vec<usize> = winner.iter().map(|w| targets.get(w).copied().unwrap_or(*w)).collect();
    let mut visible = vec![false; items.len()];
    for i in (0..items.len()).filter(|&i| wins[i]) {
        visible[entity[i]] = true;
    }
    Resolved { groups, by_name, entity, visible }
}

fn winner_of(items: &[Item<'_>], group: &[usize]) -> usize {
    let rank = |i: usize| (items[i].strength, if items[i].strength == Strength::Common { items[i].size } else { 0 });
    let mut best = group[0];
    for &i in &group[1..] {
        if rank(i) > rank(best) {
            best = i;
        }
    }
    best
}

/// Two strong definitions.
fn duplicates(items: &[Item<'_>], group: &[usize], word: &str, errors: &mut Vec<Diagnostic>) {
    let strong: Vec<usize> = group.iter().copied().filter(|&i| items[i].strength == Strength::Strong).collect();
    if strong.len() < 2 {
        return;
    }
    let name = items[strong[0]].name;
    let message = format!("the {word} `{name}` is defined {} times", strong.len());
    let mut error = Diagnostic::error(message, items[strong[0]].place);
    for &i in &strong[1..] {
        error = error.with_label(items[i].place, "defined again here");
    }
    errors.push(if name == "main" && word == "function" {
        error.with_note("choose one with `--entry FILE::main`, or leave files out with `--exclude GLOB`")
    } else {
        error.with_note("leave one of the files out with `--exclude GLOB`")
    });
}

/// What each alias stands for. A target that is defined in the alias's unit is meant itself, even where another unit's definition
/// wins its name.
fn alias_targets(
    items: &[Item<'_>],
    base: &Base,
    word: &str,
    winner: &[usize],
    errors: &mut Vec<Diagnostic>,
) -> FxHashMap<usize, usize> {
    let mut targets = FxHashMap::default();
    let mut units: FxHashMap<usize, FxHashMap<&str, usize>> = FxHashMap::default();
    for (i, item) in items.iter().enumerate() {
        let Some(aim) = item.alias else { continue };
        let mut at = i;
        let mut seen = FxHashSet::default();
        let target = loop {
            let Some(name) = items[at].alias else { break Some(at).filter(|&t| items[t].defined) };
            if !seen.insert(at) {
                break None;
            }
            let unit = items[at].unit;
            let names = units.entry(unit).or_insert_with(|| base.of(unit).map(|j| (items[j].name, j)).collect());
            let Some(&next) = names.get(name) else { break None };
            at = if items[next].defined { next } else { winner[next] };
        };
        if let Some(target) = target {
            targets.insert(i, target);
        } else {
            let message = format!("`{}` is an alias of `{aim}`, which is no defined {word}", item.name);
            errors.push(Diagnostic::error(message, item.place));
        }
    }
    targets
}
