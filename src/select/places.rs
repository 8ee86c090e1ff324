//! The places that a policy and the comments in the source mean: sources, sinks and exceptions, as nodes.
//!
//! A *spot* is one place of the program: a call, an argument of it, a line that defines a variable. What leads from a selector to its spots is in the siblings:
//! `sites` has calls and parameters, `objects` variables, members and registers, `statements` lines, and `regions` whole parts of the program.
//!
//! Invariant: a value that is a source, and the memory reached from it, can influence nothing without a path from one of its nodes; what a sink shows can be influenced by
//! nothing without a path to one of its nodes. A path that an exception allows is one that visits one of its nodes, and these hold nothing but what it is about.
//!
//! Cost: memory is divided once more, as for the graph; then a walk over the accesses for each selector.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use super::memory::Memory;
use super::statements::{self, Lines};
use super::{View, members, names, objects, regions, registers, sites};
use crate::error::UserError;
use crate::ir::FuncId;
use crate::policy::annotation::{Annotations, Mark, MarkKind};
use crate::policy::pattern::FunctionPattern;
use crate::policy::selector::{Declassify, Narrow, Observe, Role, Selector, Through, What};
use crate::policy::{At, DomainId, Policy, Span};
use crate::sdg::{EdgeKind, Formal, NodeId, NodeKind};
use crate::source::Place;

/// A place of a domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// The domain.
    pub domain: DomainId,
    /// What it is, for the report: `p_cd`, `printf argument 3`, `result of f`.
    pub what: String,
    /// Where it is.
    pub place: Place,
    /// Its nodes, ascending.
    pub nodes: Vec<NodeId>,
    /// Only values are seen: `observe = "value"`.
    pub values_only: bool,
    /// The reason of an `allow(REASON)` that covers it.
    pub allowed: Option<String>,
}

/// A reviewed exception.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exception {
    /// From these domains …
    pub from: Vec<DomainId>,
    /// … to these, paths are allowed …
    pub to: Vec<DomainId>,
    /// … that visit one of these nodes, ascending.
    pub nodes: Vec<NodeId>,
    /// Why.
    pub reason: String,
}

/// All that a policy and the comments choose.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selected {
    /// By place.
    pub sources: Vec<Spot>,
    /// By place.
    pub sinks: Vec<Spot>,
    /// In the order of the policy.
    pub exceptions: Vec<Exception>,
}

/// What a selector matches, before it belongs to a domain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Found {
    pub what: String,
    pub place: Place,
    /// The function it is in.
    pub func: Option<FuncId>,
    pub nodes: Vec<NodeId>,
}

/// Why nothing was found.
#[derive(Clone, Debug)]
pub(super) struct Miss {
    pub message: String,
    pub help: String,
    /// It is wrong even where a selector may match nothing.
    pub hard: bool,
}

impl Miss {
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Miss {
        Miss { message: message.into(), help: help.into(), hard: false }
    }
}

impl From<UserError> for Miss {
    fn from(error: UserError) -> Miss {
        match error {
            UserError::Usage { message, help } | UserError::InFile { message, help, .. } => {
                Miss::new(message, help.unwrap_or_default())
            }
        }
    }
}

/// What is looked for: where flows start, or where they end.
pub(super) type Side = super::Role;

/// Looks for places.
pub(super) struct Finder<'a> {
    pub view: View<'a>,
    pub policy: &'a Policy,
    pub memory: Memory<'a>,
    lines: OnceCell<Lines>,
}

/// The places of a policy and of the comments in the source.
pub fn places(view: View<'_>, policy: &Policy, annotations: &Annotations) -> Result<Selected, UserError> {
    let marked = |wanted: fn(&MarkKind) -> bool| annotations.marks.iter().any(|mark| wanted(&mark.kind));
    let has_source =
        policy.selectors.iter().any(Selector::is_source) || marked(|kind| matches!(kind, MarkKind::Source(_)));
    let has_sink = policy.selectors.iter().any(Selector::is_sink) || marked(|kind| matches!(kind, MarkKind::Sink(_)));
    if !has_source || !has_sink {
        let (missing, table, comment) =
            if has_source { ("sink", "[[sink]]", "sink") } else { ("source", "[[source]]", "source") };
        let help = format!("a `{table}` in the policy, or a comment `// flowcheck: {comment}(DOMAIN)` in the program");
        let message = format!("the policy `{}` has no {missing}: there is nothing to check", policy.name);
        return Err(UserError::usage(message, help));
    }
    let finder = Finder { view, policy, memory: Memory::new(view, policy), lines: OnceCell::new() };
    let mut gathered = Gathered::default();
    let mut regions: Vec<&Selector> = Vec::new();
    for selector in &policy.selectors {
        match selector.what {
            What::Region { .. } | What::RegionFunction { .. } | What::Rest { .. } => regions.push(selector),
            What::Function { .. }
            | What::Result(_)
            | What::Variable(_)
            | What::Field(_)
            | What::Parameter(_)
            | What::Register(_)
            | What::Address(_)
            | What::Location(_) => {
                let (sources, sinks) = both(selector, |side| finder.plain(selector, side))?;
                gathered.add(selector, sources, sinks);
            }
        }
    }
    for mark in &annotations.marks {
        finder.mark(mark, &mut gathered)?;
    }
    regions::all(&finder, &regions, &mut gathered)?;
    let mut selected = Selected { exceptions: finder.exceptions()?, ..gathered.finish() };
    finder.allow(annotations, &mut selected);
    Ok(selected)
}

/// Spots as they are found: by place, domain and name.
#[derive(Default)]
pub(super) struct Gathered {
    pub sources: BTreeMap<(Place, DomainId, String), (Vec<NodeId>, bool)>,
    pub sinks: BTreeMap<(Place, DomainId, String), (Vec<NodeId>, bool)>,
}

impl Gathered {
    pub fn add(&mut self, selector: &Selector, sources: Vec<Found>, sinks: Vec<Found>) {
        let values_only = selector.observe == Observe::Value;
        for (side, all) in [(Side::Source, sources), (Side::Sink, sinks)] {
            for found in all {
                for domain in &selector.domains {
                    self.put(side, *domain, &found, values_only && side == Side::Sink);
                }
            }
        }
    }
    pub fn put(&mut self, side: Side, domain: DomainId, found: &Found, values_only: bool) {
        let all = match side {
            Side::Source => &mut self.sources,
            Side::Sink => &mut self.sinks,
        };
        let entry = all.entry((found.place, domain, found.what.clone())).or_insert_with(|| (Vec::new(), values_only));
        entry.0.extend(&found.nodes);
        // Who sees more sees all.
        entry.1 &= values_only;
    }
    fn finish(self) -> Selected {
        let spots = |all: BTreeMap<(Place, DomainId, String), (Vec<NodeId>, bool)>| {
            let spot = |((place, domain, what), (mut nodes, values_only)): (_, (Vec<NodeId>, bool))| {
                nodes.sort_unstable();
                nodes.dedup();
                Spot { domain, what, place, nodes, values_only, allowed: None }
            };
            all.into_iter().map(spot).collect()
        };
        Selected { sources: spots(self.sources), sinks: spots(self.sinks), exceptions: Vec::new() }
    }
}

/// What a selector finds on the sides that it is for. One that is for both may find nothing on one of them.
pub(super) fn both(
    selector: &Selector,
    find: impl Fn(Side) -> Result<Vec<Found>, UserError>,
) -> Result<(Vec<Found>, Vec<Found>), UserError> {
    match selector.role {
        Role::Source => Ok((find(Side::Source)?, Vec::new())),
        Role::Sink => Ok((Vec::new(), find(Side::Sink)?)),
        Role::Place => match (find(Side::Source), find(Side::Sink)) {
            (Err(error), Err(_)) => Err(error),
            (sources, sinks) => Ok((sources.unwrap_or_default(), sinks.unwrap_or_default())),
        },
    }
}

impl Finder<'_> {
    /// The nodes of each line.
    pub fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| statements::lines(self))
    }
    /// An error at a place in the policy.
    pub fn error(&self, at: Span, miss: &Miss) -> UserError {
        self.policy.origin.error(at, &miss.message, "this matches nothing", &miss.help)
    }
    /// What a selector finds that is no region.
    fn plain(&self, selector: &Selector, side: Side) -> Result<Vec<Found>, UserError> {
        let optional = selector.optional;
        let found = match &selector.what {
            What::Function { functions, arguments } => {
                let with = sites::With::new(self, &selector.narrow, optional)?;
                self.each(functions, optional, |pattern| match arguments {
                    Some(arguments) => sites::arguments(self, pattern, arguments, &with, side),
                    None => sites::functions(self, pattern, &with, side, selector.observe),
                })?
            }
            What::Result(functions) => {
                let with = sites::With::new(self, &selector.narrow, optional)?;
                self.each(functions, optional, |pattern| sites::results(self, pattern, &with, side))?
            }
            What::Parameter(all) => self.each(all, optional, |pattern| sites::parameters(self, pattern, side))?,
            What::Variable(all) => self.each(all, optional, |pattern| objects::variables(self, pattern, side))?,
            What::Field(all) => self.each(all, optional, |pattern| members::fields(self, pattern, side))?,
            What::Register(all) => self.each(all, optional, |text| registers::register(self, text, side))?,
            What::Address(all) => self.each(all, optional, |address| registers::address(self, *address, side))?,
            What::Location(all) => self.each(all, optional, |lines| statements::location(self, lines, side))?,
            What::Region { .. } | What::RegionFunction { .. } | What::Rest { .. } => Vec::new(),
        };
        self.narrowed(found, &selector.narrow, optional)
    }
    /// What each pattern finds; one that finds nothing is an error unless that may be.
    pub fn each<T>(
        &self,
        patterns: &[At<T>],
        optional: bool,
        find: impl Fn(&T) -> Result<Vec<Found>, Miss>,
    ) -> Result<Vec<Found>, UserError> {
        let mut all = Vec::new();
        for At { value, at } in patterns {
            match find(value) {
                Ok(found) => all.extend(found),
                Err(miss) if optional && !miss.hard => {}
                Err(miss) => return Err(self.error(*at, &miss)),
            }
        }
        Ok(all)
    }
    /// Those that are in the files and functions that a selector is narrowed to.
    pub fn narrowed(&self, found: Vec<Found>, narrow: &Narrow, optional: bool) -> Result<Vec<Found>, UserError> {
        let first = narrow.in_file.first().map(|at| at.at).or(narrow.in_function.first().map(|at| at.at));
        let Some(at) = first else { return Ok(found) };
        for At { value, at } in &narrow.in_file {
            names::files(self, value).map(drop).or_else(|miss| self.may_miss(*at, &miss, optional))?;
        }
        let mut functions: Vec<FuncId> = Vec::new();
        for At { value, at } in &narrow.in_function {
            match names::functions(self, value) {
                Ok(all) => functions.extend(all),
                Err(miss) => self.may_miss(*at, &miss, optional)?,
            }
        }
        let some = !found.is_empty();
        let in_file = |found: &Found| {
            let file = |place| self.view.sources.locate(place).file;
            narrow.in_file.is_empty() || narrow.in_file.iter().any(|pattern| pattern.value.matches(&file(found.place)))
        };
        let in_function =
            |found: &Found| narrow.in_function.is_empty() || found.func.is_some_and(|func| functions.contains(&func));
        let kept: Vec<Found> = found.into_iter().filter(|found| in_file(found) && in_function(found)).collect();
        if some && kept.is_empty() && !optional {
            let miss = Miss::new("nothing that this selects is there", "the same without this key matches");
            return Err(self.error(at, &miss));
        }
        Ok(kept)
    }
    fn may_miss(&self, at: Span, miss: &Miss, optional: bool) -> Result<(), UserError> {
        if optional && !miss.hard { Ok(()) } else { Err(self.error(at, miss)) }
    }
    /// A comment in the source.
    fn mark(&self, mark: &Mark, gathered: &mut Gathered) -> Result<(), UserError> {
        let (side, domain) = match mark.kind {
            MarkKind::Source(domain) => (Side::Source, domain),
            MarkKind::Sink(domain) => (Side::Sink, domain),
            MarkKind::Allow(_) => return Ok(()),
        };
        let found = statements::marked(self, mark, side).map_err(|miss| {
            let at = &mark.location;
            let message = format!("{}:{}:{}: {}", at.file.display(), at.line, at.column, miss.message);
            UserError::usage(message, miss.help)
        })?;
        for found in &found {
            gathered.put(side, domain, found, false);
        }
        Ok(())
    }
    /// Spots on lines that a comment allows flows to start or end on.
    fn allow(&self, annotations: &Annotations, selected: &mut Selected) {
        let reasons: Vec<(&PathBuf, u32, &String)> = annotations
            .marks
            .iter()
            .filter_map(|mark| match &mark.kind {
                MarkKind::Allow(reason) => Some((&mark.file, mark.line, reason)),
                MarkKind::Source(_) | MarkKind::Sink(_) => None,
            })
            .collect();
        if reasons.is_empty() {
            return;
        }
        for spot in selected.sources.iter_mut().chain(&mut selected.sinks) {
            let at = self.view.sources.locate(spot.place);
            let covers = |(file, line, _): &&(&PathBuf, u32, &String)| {
                **file == at.file && (at.line..=at.end_line).contains(line)
            };
            spot.allowed = reasons.iter().find(covers).map(|(_, _, reason)| (*reason).clone());
        }
    }
    /// Whether a node is memory of which a part may be as it was: a path through it need not pass the statement.
    fn leaves_some(&self, node: NodeId) -> bool {
        let sdg = self.view.sdg;
        match sdg.nodes()[node].kind {
            NodeKind::Inst(_) | NodeKind::MemoryDef { .. } => {
                sdg.predecessors(node).any(|edge| edge.kind == EdgeKind::Order)
            }
            NodeKind::ActualOut(site, Formal::Memory(group)) => {
                let same = |node: &NodeId| sdg.nodes()[*node].kind == NodeKind::ActualIn(site, Formal::Memory(group));
                sdg.sites()[site].ins.iter().any(same)
            }
            NodeKind::Entry
            | NodeKind::Predicate(_)
            | NodeKind::Return(_)
            | NodeKind::PhiOperand { .. }
            | NodeKind::MemoryPhi { .. }
            | NodeKind::Shared(_)
            | NodeKind::FormalIn(_)
            | NodeKind::FormalOut(_)
            | NodeKind::ActualIn(..)
            | NodeKind::ActualOut(..)
            | NodeKind::Call(_) => false,
        }
    }
    /// The exceptions of the policy.
    fn exceptions(&self) -> Result<Vec<Exception>, UserError> {
        let mut all = Vec::new();
        for declassify in &self.policy.declassify {
            let Declassify { from, to, through, narrow, optional, reason, .. } = declassify;
            let found = match through {
                Through::Function(functions) => {
                    self.each(functions, *optional, |pattern: &FunctionPattern| sites::leaving(self, pattern))?
                }
                Through::Location(lines) => {
                    self.each(lines, *optional, |lines| statements::location(self, lines, Side::Sink))?
                }
                Through::Variable(variables) => {
                    self.each(variables, *optional, |pattern| objects::definitions(self, pattern))?
                }
            };
            let found = self.narrowed(found, narrow, *optional)?;
            let some = !found.is_empty();
            let mut nodes: Vec<NodeId> = found.into_iter().flat_map(|found| found.nodes).collect();
            nodes.sort_unstable();
            nodes.dedup();
            if let Through::Location(lines) = through {
                nodes.retain(|node| !self.leaves_some(*node));
                if let (true, true, Some(first)) = (some, nodes.is_empty(), lines.first()) {
                    let message = "these statements do nothing but change some of a larger object";
                    let help = "`variable` allows paths through all definitions of it";
                    return Err(self.error(first.at, &Miss::new(message, help)));
                }
            }
            all.push(Exception { from: from.clone(), to: to.clone(), nodes, reason: reason.clone() });
        }
        Ok(all)
    }
}
