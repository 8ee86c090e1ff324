//! The statements on lines of a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::lines::{Locator, one_file};
use super::objects;
use super::places::{Finder, Found, Miss, Side};
use crate::ir::InstKind;
use crate::policy::annotation::Mark;
use crate::policy::pattern::LinePattern;
use crate::sdg::{NodeId, NodeKind};

/// A node on a line: its first line and column, its last line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    line: u32,
    column: u32,
    last: u32,
    node: NodeId,
}

/// All nodes that stand for C text, by file.
pub(super) type Lines = BTreeMap<PathBuf, Vec<Written>>;

pub(super) fn lines(finder: &Finder<'_>) -> Lines {
    let view = finder.view;
    let mut locator = Locator::new(view.sources);
    let mut all = Lines::new();
    for (node, of) in view.sdg.nodes().enumerate() {
        if !view.is_written(node) || of.kind == NodeKind::Entry {
            continue;
        }
        let at = locator.locate(of.place);
        let written = Written { line: at.line, column: at.column, last: at.end_line, node };
        match all.get_mut(&at.file) {
            Some(list) => list.push(written),
            None => drop(all.insert(at.file.clone(), vec![written])),
        }
    }
    all
}

/// `location`
pub(super) fn location(finder: &Finder<'_>, pattern: &LinePattern, side: Side) -> Result<Vec<Found>, Miss> {
    let all = finder.lines();
    let mut files: Vec<&Path> = all.keys().map(PathBuf::as_path).collect();
    if pattern.file.is_glob() {
        files.retain(|file| pattern.file.matches(file));
    }
    let file = match files.as_slice() {
        [one] if pattern.file.is_glob() => *one,
        [_, ..] if pattern.file.is_glob() => return Err(several(&files, pattern.file.text())),
        _ => one_file(finder.view, &files, pattern.file.text()).map_err(|error| {
            let mut miss = Miss::from(error);
            miss.hard = miss.message.contains("more than one file");
            miss
        })?,
    };
    let found = on_lines(finder, file, pattern.first, pattern.last, side);
    if !found.is_empty() {
        return Ok(found);
    }
    let lines = if pattern.first == pattern.last {
        format!("line {}", pattern.first)
    } else {
        format!("lines {} to {}", pattern.first, pattern.last)
    };
    Err(Miss::new(format!("there is no code on {lines} of {}", file.display()), near(all, file, pattern.first)))
}

fn several(files: &[&Path], wanted: &str) -> Miss {
    let shown: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let help = format!("name one of {}", super::quoted(&shown));
    Miss { hard: true, ..Miss::new(format!("`{wanted}` fits more than one file"), help) }
}

/// The nearest lines with code.
fn near(all: &Lines, file: &Path, line: u32) -> String {
    let list = || all.get(file).into_iter().flatten().map(|written| written.line);
    let before = list().filter(|found| *found < line).max();
    let after = list().filter(|found| *found > line).min();
    let near: Vec<String> = before.into_iter().chain(after).map(|line| line.to_string()).collect();
    if near.is_empty() { String::new() } else { format!("the nearest with code: {}", near.join(" and ")) }
}

/// The statements that begin on lines; if none does, the smallest that goes over the first.
fn on_lines(finder: &Finder<'_>, file: &Path, first: u32, last: u32, side: Side) -> Vec<Found> {
    let Some(list) = finder.lines().get(file) else { return Vec::new() };
    let mut by_line: BTreeMap<u32, Vec<Written>> = BTreeMap::new();
    for written in list.iter().filter(|written| (first..=last).contains(&written.line)) {
        by_line.entry(written.line).or_default().push(*written);
    }
    if by_line.is_empty() {
        let over = || list.iter().filter(|written| written.line < first && first <= written.last);
        if let Some(least) = over().map(|written| written.last - written.line).min() {
            let smallest = over().filter(|written| written.last - written.line == least);
            by_line.insert(first, smallest.copied().collect());
        }
    }
    by_line.into_iter().map(|(line, all)| statement(finder, line, &with_parts(finder, list, all), side)).collect()
}

/// Nodes, and those whose text is a part of theirs: a statement goes on over the next lines.
fn with_parts(finder: &Finder<'_>, list: &[Written], mut all: Vec<Written>) -> Vec<Written> {
    let place = |written: &Written| finder.view.sdg.nodes()[written.node].place;
    let longer: Vec<Written> = all.iter().copied().filter(|written| written.last > written.line).collect();
    let is_part = |part: &&Written| {
        let inside = |whole: &Written| {
            let (part, whole) = (place(part), place(whole));
            part.unit == whole.unit && whole.start <= part.start && part.end <= whole.end
        };
        longer.iter().any(|whole| whole.line < part.line && part.line <= whole.last && inside(whole))
    };
    all.extend(list.iter().filter(is_part));
    all
}

/// A line as one spot.
pub(super) fn statement(finder: &Finder<'_>, line: u32, all: &[Written], side: Side) -> Found {
    let nodes = finder.view.sdg.nodes();
    let place = |written: &Written| nodes[written.node].place;
    // Where the first text begins, and the longest that does.
    let first = all.iter().min_by_key(|w| (w.line, w.column, std::cmp::Reverse(place(w).end - place(w).start), w.node));
    let first = first.expect("a line with nodes");
    let mut chosen: Vec<NodeId> = all.iter().map(|written| written.node).collect();
    if side == Side::Source {
        let defining: Vec<NodeId> = chosen.iter().copied().filter(|node| defines(finder, *node)).collect();
        if !defining.is_empty() {
            chosen = defining;
        }
    }
    let func = Some(finder.view.sdg.function(first.node));
    Found { what: format!("line {line}"), place: place(first), func, nodes: chosen }
}

/// Whether a node is a value that a statement defines, or a decision that it takes.
fn defines(finder: &Finder<'_>, node: NodeId) -> bool {
    match finder.view.sdg.nodes()[node].kind {
        NodeKind::Inst(value) => {
            let inst = &finder.view.body(finder.view.sdg.function(node)).insts[value];
            let writes = match inst.kind {
                InstKind::Store { .. }
                | InstKind::VaStart(_)
                | InstKind::VaArg(_)
                | InstKind::VaCopy { .. }
                | InstKind::Asm(_)
                | InstKind::AsmOutput { .. }
                | InstKind::StandIn { .. } => true,
                InstKind::Param(_)
                | InstKind::Phi(_)
                | InstKind::Copy(_)
                | InstKind::Uninit
                | InstKind::Unary(..)
                | InstKind::Binary(..)
                | InstKind::Compare(..)
                | InstKind::Cast(_)
                | InstKind::PtrAdd { .. }
                | InstKind::PtrDiff { .. }
                | InstKind::FieldAddr { .. }
                | InstKind::Load { .. }
                | InstKind::Call { .. }
                | InstKind::VaEnd(_)
                | InstKind::Alloca { .. }
                | InstKind::Intrinsic(..) => false,
            };
            writes || inst.var.is_some()
        }
        NodeKind::Predicate(_)
        | NodeKind::Return(_)
        | NodeKind::MemoryDef { .. }
        | NodeKind::ActualOut(..)
        | NodeKind::FormalIn(_) => true,
        NodeKind::Entry
        | NodeKind::PhiOperand { .. }
        | NodeKind::MemoryPhi { .. }
        | NodeKind::Shared(_)
        | NodeKind::FormalOut(_)
        | NodeKind::ActualIn(..)
        | NodeKind::Call(_) => false,
    }
}

/// The statement that a comment is for; a declaration without code means its variables.
pub(super) fn marked(finder: &Finder<'_>, mark: &Mark, side: Side) -> Result<Vec<Found>, Miss> {
    let exact = |file: &Path, line: u32| {
        finder.lines().get(file).is_some_and(|list| list.iter().any(|written| written.line == line))
    };
    let declared = || objects::declared(finder, &mark.file, mark.line, side);
    if !exact(&mark.file, mark.line) {
        let found = declared();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let found = on_lines(finder, &mark.file, mark.line, mark.line, side);
    if !found.is_empty() || is_unreached(finder, &mark.file, mark.line) {
        return Ok(found);
    }
    let help = match near(finder.lines(), &mark.file, mark.line) {
        near if near.is_empty() => "it is for the statement on its line, or for the next one".to_owned(),
        near => near,
    };
    Err(Miss::new(format!("there is no statement on line {} that this comment could be for", mark.line), help))
}

/// Whether code on a line is in a function that no run comes to.
fn is_unreached(finder: &Finder<'_>, file: &Path, line: u32) -> bool {
    let mut locator = Locator::new(finder.view.sources);
    finder.view.program.bodies().filter(|(func, _, _)| finder.view.sdg.procedure_of(*func).is_none()).any(
        |(_, _, body)| {
            let places = body.insts.iter().map(|inst| inst.place);
            places.chain(body.blocks.iter().map(|block| block.term_place)).any(|place| {
                let at = locator.locate(place);
                at.file == file && (at.line..=at.end_line).contains(&line)
            })
        },
    )
}
