//! From one program per translation unit to one program.
//!
//! [`link`] merges the units' types (`types`), decides what every name means (`symbols`), keeps what is defined or used
//! (`keep`), compares declarations (`check`), and renumbers (`rewrite`).
//!
//! Invariant: in the result all ids are dense, items stand in the order of the units, no alias and no tentative definition is
//! left, and every function and global is defined or used. A declaration in another unit may have given a symbol's users another
//! type than the definition has (a warning says so): an access's own type counts, not its address's.
//! Cost: linear in the size of all units (see `types` for the rounds).

mod check;
mod compatible;
mod entries;
mod keep;
mod rewrite;
mod symbols;
mod types;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use super::syntax::{Assumption, FuncId, Function, Global, GlobalDef, GlobalId, Initializer, Linkage, Program};
use super::types::{Length, QualType, Type, TypeId, Types};
use crate::base::IdVec;
use crate::base::id::Id;
use crate::source::{Diagnostic, Severity};
use check::{Agreement, counted};
pub use entries::{Choice, entries};
use keep::{Kind, Marks, function_at, global_at};
use rewrite::UnitMap;
use symbols::{Base, Strength};
use types::TypeMap;

/// Which item an entity's data comes from, and what linking changes in it.
struct FunctionPlan {
    unit: usize,
    id: FuncId,
    linkage: Linkage,
    noreturn: bool,
    returns_twice: bool,
}

/// The same for a global.
struct GlobalPlan {
    unit: usize,
    id: GlobalId,
    linkage: Linkage,
    ty: QualType,
    align: u64,
}

/// Symbols of one kind in the result, and the new id of each item's entity.
struct Plan<I, P> {
    entities: Vec<P>,
    new: Vec<Option<I>>,
    base: Base,
}

/// Links units, each with its file, in order. The warnings are about declarations that do not agree.
pub fn link(units: Vec<(PathBuf, Program)>, choice: &Choice) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let (paths, units): (Vec<PathBuf>, Vec<Program>) = units.into_iter().unzip();
    if units.is_empty() {
        return Err(vec![without_place("there is no C file to read")]);
    }
    let tables: Vec<&Types> = units.iter().map(|u| &u.types).collect();
    let (mut types, maps) = types::merge(&tables);

    let mut errors = Vec::new();
    let (base, mut items) = symbols::functions(&units);
    errors.extend(entries::choose(&units, &paths, &base, &mut items, choice));
    let resolved = symbols::resolve(&items, &base, "function", &mut errors);
    let functions = Kind { base, items, resolved };
    let (base, items) = symbols::globals(&units);
    let resolved = symbols::resolve(&items, &base, "variable", &mut errors);
    let globals = Kind { base, items, resolved };
    let (function_marks, global_marks) = keep::mark(&units, &functions, &globals);
    check::kinds((&functions, &function_marks), (&globals, &global_marks), &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }

    let mut agreement = Agreement::new(&units, &types, &maps);
    let function_plan = plan_functions(&units, functions, &function_marks, &mut agreement);
    let (global_plan, completed) = plan_globals(&units, globals, &global_marks, &mut agreement);
    let warnings = agreement.warnings;
    let mut global_plan = global_plan;
    for entity in completed {
        let element = match types.get(global_plan.entities[entity].ty.ty) {
            Type::Array { element, .. } => *element,
            _ => continue,
        };
        global_plan.entities[entity].ty.ty = types.array_of(element, Length::Fixed(1));
    }
    Ok((build(units, types, &maps, function_plan, global_plan), warnings))
}

/// Whether C lets a function or an object of one type be declared with the other. Of a linked program: equal records are one there.
pub fn compatible(types: &Types, a: TypeId, b: TypeId) -> bool {
    compatible::difference(types, a, b).is_none()
}

/// An error that no place in a file is to blame for.
fn without_place(message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Error, message: message.into(), labels: Vec::new(), notes: Vec::new() }
}

/// The new id of each item: that of its entity, if it is kept.
fn number<I: Id>(kind: &Kind<'_>, marks: &Marks) -> Vec<Option<I>> {
    let mut ids: Vec<Option<I>> = vec![None; kind.items.len()];
    let mut next = 0;
    for (i, id) in ids.iter_mut().enumerate() {
        if marks.kept[i] {
            *id = Some(I::new(next));
            next += 1;
        }
    }
    kind.resolved.entity.iter().map(|&e| ids[e]).collect()
}

/// The items beside `entity` that its name's users see. None if it is known in its unit only.
fn group_of<'a>(kind: &'a Kind<'_>, entity: usize) -> &'a [usize] {
    let item = &kind.items[entity];
    if item.strength == Strength::Internal {
        return &[];
    }
    let group = &kind.resolved.groups[kind.resolved.by_name[item.name]];
    // An alias's target that lost its own name stands alone.
    if kind.resolved.entity[entity] == entity { group } else { &[] }
}

fn linkage_of(kind: &Kind<'_>, entity: usize, own: Linkage) -> Linkage {
    match own {
        Linkage::External | Linkage::Weak if kind.resolved.visible[entity] => own,
        Linkage::Internal if kind.resolved.visible[entity] => Linkage::External,
        Linkage::External | Linkage::Weak | Linkage::Internal => Linkage::Internal,
    }
}

fn plan_functions(
    units: &[Program],
    kind: Kind<'_>,
    marks: &Marks,
    agreement: &mut Agreement<'_>,
) -> Plan<FuncId, FunctionPlan> {
    let function = |i: usize| function_at(units, &kind.base, &kind.items[i], i);
    let prototyped = |i: usize| {
        let item = &kind.items[i];
        units[item.unit].types.as_function(function(i).ty).is_some_and(|f| f.prototype)
    };
    let mut entities = Vec::new();
    for entity in (0..kind.items.len()).filter(|&i| marks.kept[i]) {
        let others = counted(&kind, marks, group_of(&kind, entity));
        let undefined = !kind.items[entity].defined;
        // Of an undefined function, the declaration that says most.
        let best = others.iter().copied().find(|&i| undefined && prototyped(i));
        let main = best.or(others.first().copied().filter(|_| undefined)).unwrap_or(entity);
        agreement.functions(&kind, main, &others);
        let any = |f: fn(&Function) -> bool| f(function(main)) || (undefined && others.iter().any(|&i| f(function(i))));
        entities.push(FunctionPlan {
            unit: kind.items[main].unit,
            id: FuncId::new(main - kind.base.of(kind.items[main].unit).start),
            linkage: linkage_of(&kind, entity, function(main).linkage),
            noreturn: any(|f| f.noreturn),
            returns_twice: any(|f| f.returns_twice),
        });
    }
    Plan { entities, new: number(&kind, marks), base: kind.base }
}

/// Also the entities whose type is an array that no unit gave a length: C makes a tentative one of them one element long.
fn plan_globals(
    units: &[Program],
    kind: Kind<'_>,
    marks: &Marks,
    agreement: &mut Agreement<'_>,
) -> (Plan<GlobalId, GlobalPlan>, Vec<usize>) {
    let global = |i: usize| global_at(units, &kind.base, &kind.items[i], i);
    let sized = |i: usize| units[kind.items[i].unit].types.size_of(global(i).ty.ty).is_some();
    let mut entities = Vec::new();
    let mut completed = Vec::new();
    for entity in (0..kind.items.len()).filter(|&i| marks.kept[i]) {
        let others = counted(&kind, marks, group_of(&kind, entity));
        let main = if kind.items[entity].defined { entity } else { others.first().copied().unwrap_or(entity) };
        agreement.globals(&kind, main, &others);
        let complete = if sized(main) { main } else { others.iter().copied().find(|&i| sized(i)).unwrap_or(main) };
        let ty = agreement.maps[kind.items[complete].unit].qual(global(complete).ty);
        let quals = global(main).ty.quals;
        if !sized(complete) && matches!(global(main).definition, GlobalDef::Tentative) {
            completed.push(entities.len());
        }
        entities.push(GlobalPlan {
            unit: kind.items[main].unit,
            id: GlobalId::new(main - kind.base.of(kind.items[main].unit).start),
            linkage: linkage_of(&kind, entity, global(main).linkage),
            ty: QualType { ty: ty.ty, quals },
            align: others.iter().map(|&i| global(i).align).fold(global(main).align, u64::max),
        });
    }
    (Plan { entities, new: number(&kind, marks), base: kind.base }, completed)
}

/// Moves everything kept into one program.
fn build(
    units: Vec<Program>,
    mut types: Types,
    maps: &[TypeMap],
    functions: Plan<FuncId, FunctionPlan>,
    globals: Plan<GlobalId, GlobalPlan>,
) -> Program {
    let unit_maps: Vec<UnitMap<'_>> = (0..units.len())
        .map(|unit| UnitMap {
            types: &maps[unit],
            functions: &functions.new[functions.base.of(unit)],
            globals: &globals.new[globals.base.of(unit)],
        })
        .collect();
    let mut constructors = Vec::new();
    let mut destructors = Vec::new();
    let mut assumptions: Vec<Assumption> = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    let mut old_functions: Vec<IdVec<FuncId, Option<Function>>> = Vec::new();
    let mut old_globals: Vec<IdVec<GlobalId, Option<Global>>> = Vec::new();
    for (unit, program) in units.into_iter().enumerate() {
        for (from, to) in [(program.constructors, &mut constructors), (program.destructors, &mut destructors)] {
            for f in from {
                let f = unit_maps[unit].function(f);
                if !to.contains(&f) {
                    to.push(f);
                }
            }
        }
        for assumption in program.assumptions {
            if seen.insert((assumption.kind, assumption.text.clone(), assumption.place)) {
                assumptions.push(assumption);
            }
        }
        old_functions.push(program.functions.into_enumerate().map(|(_, f)| Some(f)).collect());
        old_globals.push(program.globals.into_enumerate().map(|(_, g)| Some(g)).collect());
    }

    let mut linked_functions = IdVec::new();
    for plan in functions.entities {
        let mut f = old_functions[plan.unit][plan.id].take().expect("an item is the source of one entity");
        unit_maps[plan.unit].rewrite_function(&mut f);
        f.linkage = plan.linkage;
        f.noreturn = plan.noreturn;
        f.returns_twice = plan.returns_twice;
        linked_functions.push(f);
    }
    let mut linked_globals = IdVec::new();
    for plan in globals.entities {
        let mut g = old_globals[plan.unit][plan.id].take().expect("an item is the source of one entity");
        match &mut g.definition {
            GlobalDef::Declared => {}
            GlobalDef::Tentative => g.definition = GlobalDef::Defined(Initializer::default()),
            GlobalDef::Defined(init) => unit_maps[plan.unit].rewrite_initializer(init),
            GlobalDef::Alias(_) => unreachable!("an alias is never an entity"),
        }
        g.ty = plan.ty;
        g.addr_ty = types.pointer_to(plan.ty.ty.into());
        g.linkage = plan.linkage;
        g.align = plan.align;
        g.owner = g.owner.and_then(|f| unit_maps[plan.unit].functions[f.index()]);
        linked_globals.push(g);
    }
    Program { types, globals: linked_globals, functions: linked_functions, constructors, destructors, assumptions }
}
