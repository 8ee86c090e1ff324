//! Declarations of one symbol in several units must agree. Only what is defined or used counts: headers may well declare a
//! library function under a name that another file gives to a variable of its own.

use rustc_hash::FxHashSet;

use super::super::syntax::Program;
use super::super::types::{QualType, RecordId, RecordKind, Types};
use super::compatible::{Difference, difference, qual_difference};
use super::keep::{Kind, Marks, function_at, global_at};
use super::symbols::Strength;
use super::types::TypeMap;
use crate::source::{Diagnostic, Place};

/// The items of a group that count.
pub(super) fn counted(kind: &Kind<'_>, marks: &Marks, group: &[usize]) -> Vec<usize> {
    group.iter().copied().filter(|&i| marks.used[i] || kind.items[i].strength > Strength::Declared).collect()
}

/// A name that is a function in one unit and a variable in another.
pub(super) fn kinds(functions: (&Kind<'_>, &Marks), globals: (&Kind<'_>, &Marks), errors: &mut Vec<Diagnostic>) {
    for group in &functions.0.resolved.groups {
        let name = functions.0.items[group[0]].name;
        let Some(&other) = globals.0.resolved.by_name.get(name) else { continue };
        let f = counted(functions.0, functions.1, group);
        let g = counted(globals.0, globals.1, &globals.0.resolved.groups[other]);
        if let (Some(&f), Some(&g)) = (f.first(), g.first()) {
            let message = format!("`{name}` is a function in one file and a variable in another");
            let error = Diagnostic::error(message, functions.0.items[f].place);
            errors.push(error.with_label(globals.0.items[g].place, "a variable here"));
        }
    }
}

/// Warnings about declarations that do not agree; one per symbol, and one per struct that differs.
pub(super) struct Agreement<'a> {
    pub units: &'a [Program],
    pub types: &'a Types,
    pub maps: &'a [TypeMap],
    reported: FxHashSet<RecordId>,
    pub warnings: Vec<Diagnostic>,
}

impl<'a> Agreement<'a> {
    pub fn new(units: &'a [Program], types: &'a Types, maps: &'a [TypeMap]) -> Agreement<'a> {
        Agreement { units, types, maps, reported: FxHashSet::default(), warnings: Vec::new() }
    }

    /// Compares the functions `others` with the function `main`, items of one group.
    pub fn functions(&mut self, kind: &Kind<'_>, main: usize, others: &[usize]) {
        let ty = |i: usize| {
            let item = &kind.items[i];
            self.maps[item.unit].ty(function_at(self.units, &kind.base, item, i).ty)
        };
        let found = others.iter().find_map(|&i| Some((i, difference(self.types, ty(main), ty(i))?)));
        let Some((other, difference)) = found else { return };
        let types = (QualType::from(ty(main)), QualType::from(ty(other)));
        let places = (kind.items[main].place, kind.items[other].place);
        self.warn(kind.items[main].name, difference, types, places);
    }

    /// Compares the globals `others` with the global `main`, items of one group.
    pub fn globals(&mut self, kind: &Kind<'_>, main: usize, others: &[usize]) {
        let global = |i: usize| global_at(self.units, &kind.base, &kind.items[i], i);
        let ty = |i: usize| self.maps[kind.items[i].unit].qual(global(i).ty);
        let name = kind.items[main].name;
        if let Some(&i) = others.iter().find(|&&i| global(i).thread_local != global(main).thread_local) {
            let message = format!("`{name}` is one object per thread in one file but not in another");
            let warning = Diagnostic::warning(message, kind.items[main].place);
            self.warnings.push(warning.with_label(kind.items[i].place, "declared here too"));
            return;
        }
        let found = others.iter().find_map(|&i| Some((i, qual_difference(self.types, ty(main), ty(i))?)));
        let Some((other, difference)) = found else { return };
        let types = (ty(main), ty(other));
        self.warn(name, difference, types, (kind.items[main].place, kind.items[other].place));
    }

    fn warn(&mut self, name: &str, difference: Difference, types: (QualType, QualType), places: (Place, Place)) {
        let message = match difference {
            Difference::Record(record) => {
                if !self.reported.insert(record) {
                    return;
                }
                let record = &self.types.records[record];
                let word = match record.kind {
                    RecordKind::Struct => "struct",
                    RecordKind::Union => "union",
                };
                format!(
                    "`{word} {}` has different members in the two files that declare `{name}`; they are taken for \
                     two types",
                    record.name
                )
            }
            Difference::Type => format!("the declarations of `{name}` do not agree"),
        };
        let there = format!("`{}` here", self.types.declare(types.1, name));
        let mut warning = Diagnostic::warning(message, places.0).with_label(places.1, there);
        warning.labels[0].1 = format!("`{}` here", self.types.declare(types.0, name));
        self.warnings.push(warning);
    }
}
