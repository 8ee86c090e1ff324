//! Files, their lines, and the nodes there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;

use super::View;
use crate::error::UserError;
use crate::sdg::NodeId;
use crate::source::{Location, Place, Sources};

/// A line of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Line {
    /// The file, as it is shown.
    pub file: PathBuf,
    /// From 1.
    pub line: u32,
}

/// Looks places up, each once: many nodes share one.
pub struct Locator<'a> {
    sources: &'a Sources,
    known: FxHashMap<Place, Location>,
}

impl<'a> Locator<'a> {
    /// In these files.
    pub fn new(sources: &'a Sources) -> Self {
        Locator { sources, known: FxHashMap::default() }
    }
    /// The user's file, line and column.
    pub fn locate(&mut self, place: Place) -> &Location {
        self.known.entry(place).or_insert_with(|| self.sources.locate(place))
    }
    /// The line where a place begins.
    pub fn line(&mut self, place: Place) -> Line {
        let at = self.locate(place);
        Line { file: at.file.clone(), line: at.line }
    }
}

/// The lines that nodes stand for, in order.
pub fn of_nodes(view: View<'_>, nodes: impl Iterator<Item = NodeId>) -> BTreeSet<Line> {
    let mut locator = Locator::new(view.sources);
    nodes.filter(|node| view.is_written(*node)).map(|node| locator.line(view.sdg.nodes()[node].place)).collect()
}

/// The nodes of a line of the file that a path suffix means: those that begin there, else the smallest that go over it.
pub(super) fn nodes(view: View<'_>, file: &str, line: u32) -> Result<Vec<NodeId>, UserError> {
    let mut locator = Locator::new(view.sources);
    let mut of_file: FxHashMap<PathBuf, Vec<(NodeId, u32, u32)>> = FxHashMap::default();
    for (id, node) in view.sdg.nodes().enumerate().filter(|(id, _)| view.is_written(*id)) {
        let at = locator.locate(node.place);
        if let Some(list) = of_file.get_mut(&at.file) {
            list.push((id, at.line, at.end_line));
        } else {
            of_file.insert(at.file.clone(), vec![(id, at.line, at.end_line)]);
        }
    }
    let mut files: Vec<&Path> = of_file.keys().map(PathBuf::as_path).collect();
    files.sort_unstable();
    let found = one_file(view, &files, file)?;
    let all = &of_file[found];
    let exact: Vec<NodeId> = all.iter().filter(|(_, first, _)| *first == line).map(|(id, ..)| *id).collect();
    if !exact.is_empty() {
        return Ok(exact);
    }
    let over = || all.iter().filter(|(_, first, last)| *first < line && line <= *last);
    if let Some(least) = over().map(|(_, first, last)| last - first).min() {
        return Ok(over().filter(|(_, first, last)| last - first == least).map(|(id, ..)| *id).collect());
    }
    let lines: BTreeSet<u32> = all.iter().map(|(_, first, _)| *first).collect();
    let near: Vec<String> =
        lines.range(..line).next_back().into_iter().chain(lines.range(line..).next()).map(u32::to_string).collect();
    let message = format!("there is no code on line {line} of {}", found.display());
    Err(UserError::usage(message, format!("the nearest with code: {}", near.join(" and "))))
}

/// The file that the user means: the very path, or else the only one that ends like it.
pub fn one_file<'a>(view: View<'_>, files: &[&'a Path], wanted: &str) -> Result<&'a Path, UserError> {
    let plain = Path::new(wanted.strip_prefix("./").unwrap_or(wanted));
    if let Some(exact) = files.iter().find(|file| **file == plain) {
        return Ok(exact);
    }
    let found: Vec<&Path> = files.iter().copied().filter(|file| file.ends_with(plain)).collect();
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let names = || files.iter().filter_map(|file| file.file_name()?.to_str());
            let last = plain.file_name().and_then(|name| name.to_str()).unwrap_or(wanted);
            if view.sources.units.iter().any(|unit| unit.path.ends_with(plain)) {
                let message = format!("no run comes to any code of `{wanted}`");
                return Err(UserError::usage(message, "`--entry FUNCTION` says where the program starts"));
            }
            let help = match super::nearest(last, names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("files with code: {}", super::quoted(&shown(files))),
            };
            Err(UserError::usage(format!("no file `{wanted}` is part of this program"), help))
        }
        several => {
            let message = format!("`{wanted}` fits more than one file");
            Err(UserError::usage(message, format!("write more of the path: {}", super::quoted(&shown(several)))))
        }
    }
}

fn shown(files: &[&Path]) -> Vec<String> {
    files.iter().map(|file| file.display().to_string()).collect()
}
