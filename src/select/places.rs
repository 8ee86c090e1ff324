//! The sources, sinks and exceptions of a policy, as nodes: functions by name so far.

use super::{View, calls};
use crate::error::UserError;
use crate::ir::FuncId;
use crate::policy::annotation::{Annotations, MarkKind};
use crate::policy::pattern::FunctionPattern;
use crate::policy::selector::{Observe, Through, What};
use crate::policy::{At, DomainId, Policy};
use crate::sdg::{NodeId, SiteId};
use crate::source::Place;

/// A source or a sink.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Its domain.
    pub domain: DomainId,
    /// What it is, for the report.
    pub what: String,
    /// Where it is.
    pub place: Place,
    /// Its nodes, ascending.
    pub nodes: Vec<NodeId>,
    /// Only the values are seen.
    pub values_only: bool,
    /// Why flows that start or end there are accepted, if they are.
    pub allowed: Option<String>,
}

/// A reviewed exception.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exception {
    /// From these domains …
    pub from: Vec<DomainId>,
    /// … to these, flows are allowed …
    pub to: Vec<DomainId>,
    /// … that pass one of these nodes.
    pub nodes: Vec<NodeId>,
    /// Why.
    pub reason: String,
}

/// What a policy selects.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selected {
    /// The sources.
    pub sources: Vec<Spot>,
    /// The sinks.
    pub sinks: Vec<Spot>,
    /// The exceptions.
    pub exceptions: Vec<Exception>,
}

/// What the policy and the comments select.
pub fn places(view: View<'_>, policy: &Policy, annotations: &Annotations) -> Result<Selected, UserError> {
    let mut found = Selected::default();
    for selector in &policy.selectors {
        let What::Function { functions, .. } = &selector.what else { continue };
        for (name, site) in called(view, functions) {
            let site = &view.sdg.sites()[site];
            let place = view.sdg.nodes()[site.call].place;
            let at = view.sources.locate(place);
            let allows = annotations.marks.iter().find_map(|mark| match &mark.kind {
                MarkKind::Allow(reason) if mark.file == at.file && mark.line == at.line => Some(reason.clone()),
                MarkKind::Allow(_) | MarkKind::Source(_) | MarkKind::Sink(_) => None,
            });
            for domain in &selector.domains {
                let spot = |what: String, nodes: &[NodeId]| Spot {
                    domain: *domain,
                    what,
                    place,
                    nodes: nodes.to_vec(),
                    values_only: selector.observe == Observe::Value,
                    allowed: allows.clone(),
                };
                if selector.is_source() {
                    found.sources.push(spot(format!("what {name} returns"), &site.outs));
                }
                if selector.is_sink() {
                    found.sinks.push(spot(format!("call of {name}"), &site.ins));
                }
            }
        }
    }
    for exception in &policy.declassify {
        let Through::Function(functions) = &exception.through else { continue };
        let sites = called(view, functions);
        let nodes = sites.iter().flat_map(|(_, site)| view.sdg.sites()[*site].outs.iter().copied()).collect();
        let (from, to) = (exception.from.clone(), exception.to.clone());
        found.exceptions.push(Exception { from, to, nodes, reason: exception.reason.clone() });
    }
    if found.sources.is_empty() || found.sinks.is_empty() {
        return Err(UserError::usage("the policy selects no source or no sink", "add a [[source]] and a [[sink]]"));
    }
    Ok(found)
}

fn called(view: View<'_>, patterns: &[At<FunctionPattern>]) -> Vec<(String, SiteId)> {
    let fits = |name: &str| patterns.iter().any(|pattern| pattern.value.name.matches(name));
    let all: Vec<(FuncId, String)> =
        view.program.functions.enumerate().filter(|(_, f)| fits(&f.name)).map(|(id, f)| (id, f.name.clone())).collect();
    let sites = |(id, name): &(FuncId, String)| {
        calls::sites(view, &[*id]).into_iter().map(|site| (name.clone(), site)).collect::<Vec<_>>()
    };
    all.iter().flat_map(sites).collect()
}
