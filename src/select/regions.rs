//! Whole parts of the program. Whatever leaves or enters one passes its boundary, so the lines at its boundary are its spots.
//!
//! A node is at the boundary if an edge joins it with a node outside, or if it is a place of its own on the other side: a sink inside a region that is a source.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rustc_hash::FxHashSet;

use super::lines::Locator;
use super::places::{Finder, Found, Gathered, Miss, Side, both};
use super::{names, sites};
use crate::base::IdVec;
use crate::error::UserError;
use crate::ir::FuncId;
use crate::policy::At;
use crate::policy::pattern::{Exception, FunctionPattern};
use crate::policy::selector::{Selector, What};
use crate::sdg::{Formal, NodeId, NodeKind};

/// The functions of a region.
type Members = IdVec<FuncId, bool>;

/// The spots of all regions; those of other selectors are known already.
pub(super) fn all(finder: &Finder<'_>, regions: &[&Selector], gathered: &mut Gathered) -> Result<(), UserError> {
    if regions.is_empty() {
        return Ok(());
    }
    let mut members: Vec<Members> = Vec::new();
    for selector in regions {
        members.push(functions(finder, selector)?);
    }
    // What is left is in no other region.
    let mut taken: Members = IdVec::filled(false, finder.view.program.functions.len());
    for (selector, own) in regions.iter().zip(&members) {
        if !matches!(selector.what, What::Rest { .. }) {
            own.enumerate().filter(|(_, is_in)| **is_in).for_each(|(func, _)| taken[func] = true);
        }
    }
    for (selector, own) in regions.iter().zip(&mut members) {
        if let What::Rest { at, .. } = &selector.what {
            for func in finder.view.program.functions.ids() {
                own[func] &= !taken[func];
            }
            if !own.iter().any(|is_in| *is_in) && !selector.optional {
                let miss = Miss::new("every function is in another region", "leave this table out");
                return Err(finder.error(*at, &miss));
            }
        }
    }
    let of_sinks: FxHashSet<NodeId> = gathered.sinks.values().flat_map(|(nodes, _)| nodes.iter().copied()).collect();
    let of_sources: FxHashSet<NodeId> =
        gathered.sources.values().flat_map(|(nodes, _)| nodes.iter().copied()).collect();
    for (index, selector) in regions.iter().enumerate() {
        let own = &members[index];
        // Functions that are also in a region of another domain.
        let shared = |func: FuncId, wanted: fn(&Selector) -> bool| {
            let others = regions.iter().zip(&members).enumerate();
            let differs = |other: &Selector| other.domains != selector.domains && wanted(other);
            others.into_iter().any(|(at, (other, all))| at != index && differs(other) && all[func])
        };
        let find = |side: Side| -> Result<Vec<Found>, UserError> {
            let found = match side {
                Side::Source => boundary(finder, selector, own, side, &|node, func| {
                    of_sinks.contains(&node) || shared(func, Selector::is_sink)
                }),
                Side::Sink => boundary(finder, selector, own, side, &|node, func| {
                    of_sources.contains(&node) || shared(func, Selector::is_source)
                }),
            };
            finder.narrowed(found, &selector.narrow, selector.optional)
        };
        let (sources, sinks) = both(selector, find)?;
        gathered.add(selector, sources, sinks);
    }
    Ok(())
}

/// The functions of a region; of the rest, all that are not left out.
fn functions(finder: &Finder<'_>, selector: &Selector) -> Result<Members, UserError> {
    let program = finder.view.program;
    let mut own: Members = IdVec::filled(false, program.functions.len());
    let has_code = |func: &FuncId| finder.view.sdg.procedure_of(*func).is_some();
    let miss = |at, miss: &Miss| if selector.optional && !miss.hard { Ok(()) } else { Err(finder.error(at, miss)) };
    let except = match &selector.what {
        What::Region { files, except } => {
            for At { value, at } in files {
                if let Err(nothing) = names::files(finder, value) {
                    miss(*at, &nothing)?;
                }
                for (func, function, _) in program.bodies().filter(|(func, _, _)| has_code(func)) {
                    own[func] |= value.matches(&finder.view.sources.locate(function.place).file);
                }
            }
            except
        }
        What::RegionFunction { functions, except } => {
            for At { value, at } in functions {
                match with_code(finder, value) {
                    Ok(all) => all.into_iter().for_each(|func| own[func] = true),
                    Err(nothing) => miss(*at, &nothing)?,
                }
            }
            except
        }
        What::Rest { except, .. } => {
            program.functions.ids().filter(has_code).for_each(|func| own[func] = true);
            except
        }
        What::Function { .. }
        | What::Result(_)
        | What::Variable(_)
        | What::Field(_)
        | What::Parameter(_)
        | What::Register(_)
        | What::Address(_)
        | What::Location(_) => unreachable!("only regions come here"),
    };
    for At { value, at } in except {
        let out = match value {
            Exception::Function(pattern) => names::functions(finder, pattern),
            Exception::File(pattern) => names::files(finder, pattern).map(|_| {
                let file = |func: FuncId| finder.view.sources.locate(program.functions[func].place).file;
                program.functions.ids().filter(|func| own[*func] && pattern.matches(&file(*func))).collect()
            }),
        };
        match out {
            Ok(out) => out.into_iter().for_each(|func: FuncId| own[func] = false),
            Err(nothing) => miss(*at, &nothing)?,
        }
    }
    if !own.iter().any(|is_in| *is_in) && !selector.optional {
        let nothing =
            Miss::new("no run comes to any code of this region", "`--entry FUNCTION` says where the program starts");
        return Err(finder.error(selector.at, &nothing));
    }
    Ok(own)
}

fn with_code(finder: &Finder<'_>, pattern: &FunctionPattern) -> Result<Vec<FuncId>, Miss> {
    let all = names::functions(finder, pattern)?;
    let found: Vec<FuncId> = all.iter().copied().filter(|func| finder.view.sdg.procedure_of(*func).is_some()).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let message = format!("no function `{}` has code that a run comes to", pattern.name);
    Err(Miss::new(message, "`function` chooses calls of a function without body"))
}

/// The lines at the boundary of a region.
fn boundary(
    finder: &Finder<'_>,
    selector: &Selector,
    own: &Members,
    side: Side,
    meets: &dyn Fn(NodeId, FuncId) -> bool,
) -> Vec<Found> {
    let sdg = finder.view.sdg;
    // What belongs to no procedure more than to another is outside of all.
    let is_inside = |node: NodeId| !matches!(sdg.nodes()[node].kind, NodeKind::Shared(_)) && own[sdg.function(node)];
    let mut locator = Locator::new(finder.view.sources);
    let mut by_line: BTreeMap<(PathBuf, u32), Found> = BTreeMap::new();
    let mut parameters: Vec<Found> = Vec::new();
    for procedure in sdg.procedures().iter().filter(|procedure| own[procedure.func]) {
        let func = procedure.func;
        for node in procedure.nodes().filter(|node| is_inside(*node)) {
            let leaves = || sdg.successors(node).any(|edge| !is_inside(edge.to));
            let enters = || sdg.predecessors(node).any(|edge| !is_inside(edge.from));
            if let (Side::Source, NodeKind::FormalIn(Formal::Param(n))) = (side, sdg.nodes()[node].kind)
                && (enters() || sdg.predecessors(node).next().is_none())
            {
                parameters.extend(sites::parameter(finder, func, n));
            }
            let crosses = match side {
                Side::Source => leaves(),
                Side::Sink => enters(),
            };
            if !crosses && !meets(node, func) {
                continue;
            }
            let place = sdg.nodes()[node].place;
            let line = locator.line(place);
            let spot = by_line.entry((line.file, line.line)).or_insert_with(|| Found {
                what: name(selector),
                place,
                func: Some(func),
                nodes: Vec::new(),
            });
            // The longest text that begins first.
            let order = |place: crate::source::Place| (place.unit, place.start, std::cmp::Reverse(place.end));
            if order(place) < order(spot.place) {
                spot.place = place;
            }
            spot.nodes.push(node);
        }
    }
    by_line.into_values().chain(parameters).collect()
}

/// What the report calls a region.
fn name(selector: &Selector) -> String {
    let list = |words: Vec<String>| words.join(", ");
    match &selector.what {
        What::Region { files, .. } => {
            format!("region {}", list(files.iter().map(|file| file.value.to_string()).collect()))
        }
        What::RegionFunction { functions, .. } => {
            let shown = |at: &At<FunctionPattern>| match &at.value.file {
                Some(file) => format!("{file}::{}", at.value.name),
                None => at.value.name.to_string(),
            };
            format!("region {}", list(functions.iter().map(shown).collect()))
        }
        _ => "rest".to_owned(),
    }
}
