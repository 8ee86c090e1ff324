//! What rests on the dependence graph: slices, chops, its graphs and its dump.

use super::{Loaded, Made, show};
use crate::base::progress::Progress;
use crate::chop::{self, Barriers};
use crate::config::{Chop, Criterion, Format, Graph, ListFormat, Point, Slice};
use crate::error::UserError;
use crate::ir::FuncId;
use crate::report::listing::{self, Question};
use crate::report::{graph, pointers};
use crate::sdg::{self, NodeId, NodeSet};
use crate::select::{self, Role, View};
use crate::{Analysed, analyse};

/// Which graph.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Inside each function.
    Pdg,
    /// Of the whole program.
    Sdg,
    /// What may point where.
    PointsTo,
}

/// The analysed program.
pub struct Ready<'a> {
    loaded: &'a Loaded<'a>,
    /// What was found out.
    pub analysed: Analysed,
}

impl<'a> Ready<'a> {
    /// Analyses it.
    pub fn new(loaded: &'a Loaded<'a>) -> Result<Self, UserError> {
        let Loaded { sources, program, settings, progress } = loaded;
        let wanted = &settings.wanted;
        let analysed = analyse(sources, program, &settings.policy, &wanted.entry, wanted.limits.jobs, progress)?;
        Ok(Ready { loaded, analysed })
    }
    /// For those who look for nodes.
    pub fn view(&self) -> View<'_> {
        let (Loaded { sources, program, .. }, Analysed { points_to, sdg, .. }) = (self.loaded, &self.analysed);
        View { sources, program, points_to, sdg }
    }
    fn progress(&self) -> &Progress {
        self.loaded.progress
    }
    /// The result, with what the user may want to know of the graph.
    pub fn made(&self, text: String, more: Vec<(&'static str, usize)>) -> Made {
        let sdg = &self.analysed.sdg;
        let mut counts = vec![
            ("procedures", sdg.procedures().len()),
            ("sdg nodes", sdg.nodes().len()),
            ("sdg edges", sdg.edge_count()),
            ("summaries", sdg.summaries().pairs()),
        ];
        counts.extend(more);
        Made { counts, assumptions: Some(self.analysed.assumptions.clone()), ..Made::plain(text) }
    }
    /// The functions that the user named, or all.
    fn functions(&self, name: Option<&str>) -> Result<Vec<FuncId>, UserError> {
        let Loaded { sources, program, .. } = self.loaded;
        match name {
            Some(name) => show::find_functions(sources, program, name),
            None => Ok(program.functions.ids().collect()),
        }
    }
    /// The lines, or nodes and edges, of a slice or chop.
    fn list(&self, question: &Question, nodes: &NodeSet, format: ListFormat) -> Made {
        let view = self.view();
        let text = match format {
            ListFormat::Text => listing::text(view, question, nodes),
            ListFormat::Json => show::pretty(&listing::json(view, question, nodes)),
        };
        let lines = select::lines::of_nodes(view, nodes.iter()).len();
        self.made(text, vec![("found nodes", nodes.count()), ("found lines", lines)])
    }
}

/// `flowcheck slice`
pub fn slice(loaded: &Loaded<'_>, slice: &Slice) -> Result<Made, UserError> {
    type Slicer = fn(&sdg::Sdg, &[NodeId], &Barriers) -> NodeSet;
    let ready = Ready::new(loaded)?;
    let (point, role, slicer): (&Point, Role, Slicer) = match &slice.criterion {
        Criterion::From(point) => (point, Role::Source, chop::slice::forward),
        Criterion::To(point) => (point, Role::Sink, chop::slice::backward),
    };
    let phase = ready.progress().phase("slice", 0);
    let criterion = select::point(ready.view(), point, role)?;
    let nodes = slicer(&ready.analysed.sdg, &criterion, &Barriers::none());
    drop(phase);
    let question = match &slice.criterion {
        Criterion::From(point) => Question::Forward(point.to_string()),
        Criterion::To(point) => Question::Backward(point.to_string()),
    };
    Ok(ready.list(&question, &nodes, slice.format))
}

/// `flowcheck chop`
pub fn chop(loaded: &Loaded<'_>, wanted: &Chop) -> Result<Made, UserError> {
    let ready = Ready::new(loaded)?;
    let phase = ready.progress().phase("chop", 0);
    let sources = select::point(ready.view(), &wanted.from, Role::Source)?;
    let sinks = select::point(ready.view(), &wanted.to, Role::Sink)?;
    let found = chop::chop(&ready.analysed.sdg, &sources, &sinks, &Barriers::none());
    drop(phase);
    let question = Question::Between { from: wanted.from.to_string(), to: wanted.to.to_string() };
    Ok(ready.list(&question, &found.nodes, wanted.format))
}

/// `flowcheck graph --kind pdg|sdg|points-to`
pub fn graph(loaded: &Loaded<'_>, wanted: &Graph, kind: Kind) -> Result<Made, UserError> {
    let ready = Ready::new(loaded)?;
    let functions = ready.functions(wanted.function.as_deref())?;
    let graph = match kind {
        Kind::Pdg => graph::pdg(ready.view(), &functions),
        Kind::Sdg => graph::sdg(ready.view(), &functions),
        Kind::PointsTo => {
            let all = pointers::of(loaded.program, &ready.analysed.points_to);
            let chosen = if wanted.function.is_some() { all.below(&functions) } else { all };
            graph::points_to(&chosen, &|place| loaded.sources.locate(place))
        }
    };
    Ok(ready.made(show::drawn(&graph, wanted.format)?, Vec::new()))
}

/// `--emit sdg`
pub fn emit_sdg(loaded: &Loaded<'_>, format: Format) -> Result<Made, UserError> {
    let ready = Ready::new(loaded)?;
    let text = match format {
        Format::Text => sdg::print::text(&ready.analysed.sdg, loaded.program, loaded.sources),
        Format::Json => show::pretty(&graph::json(&graph::sdg(ready.view(), &ready.functions(None)?))),
        Format::Sarif => return Err(show::no_sarif()),
    };
    Ok(ready.made(text, Vec::new()))
}

/// `--emit points-to`
pub fn emit_points_to(loaded: &Loaded<'_>, format: Format) -> Result<Made, UserError> {
    let ready = Ready::new(loaded)?;
    let all = pointers::of(loaded.program, &ready.analysed.points_to);
    let text = match format {
        Format::Text => pointers::text(&all, loaded.sources),
        Format::Json => show::pretty(&pointers::json(&all, loaded.sources)),
        Format::Sarif => return Err(show::no_sarif()),
    };
    Ok(ready.made(text, Vec::new()))
}
