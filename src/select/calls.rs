//! Functions by name, and the calls of them.

use super::{Role, View, nearest};
use crate::error::UserError;
use crate::ir::{Callee, FuncId, InstKind};
use crate::sdg::{NodeId, SiteId};

/// The functions of this name, with and without body: several files may have a static one.
pub fn functions(view: View<'_>, name: &str) -> Result<Vec<FuncId>, UserError> {
    let all = || view.program.functions.enumerate();
    let found: Vec<FuncId> = all().filter(|(_, f)| f.name == name).map(|(id, _)| id).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let help = match nearest(name, all().map(|(_, f)| f.name.as_str())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`flowcheck graph --kind callgraph` shows all functions".to_owned(),
    };
    Err(UserError::usage(format!("there is no function `{name}` in this program"), help))
}

/// The sites that may call one of these functions, through pointers and by callbacks, too; ascending.
pub fn sites(view: View<'_>, functions: &[FuncId]) -> Vec<SiteId> {
    let calls = |id: SiteId| {
        let site = &view.sdg.sites()[id];
        let caller = view.sdg.procedures()[site.proc].func;
        let direct = match view.body(caller).insts[site.inst].kind {
            InstKind::Call { callee: Callee::Direct(f), .. } => functions.contains(&f),
            _ => false,
        };
        let reached = || view.points_to.targets(caller, site.inst).iter().any(|to| functions.contains(&to.callee));
        direct || reached()
    };
    view.sdg.sites().ids().filter(|id| calls(*id)).collect()
}

/// Of each call: what it brings back (of one that brings nothing back, that it is made), or that it is made and what it is given.
pub(super) fn nodes(view: View<'_>, name: &str, role: Role) -> Result<Vec<NodeId>, UserError> {
    let sites = sites(view, &functions(view, name)?);
    if sites.is_empty() {
        let help =
            "a call that no run comes to does not count; `flowcheck graph --kind callgraph` shows who calls whom";
        return Err(UserError::usage(format!("`{name}` is never called"), help));
    }
    let mut found: Vec<NodeId> = Vec::new();
    for site in sites.into_iter().map(|id| &view.sdg.sites()[id]) {
        match role {
            Role::Source if site.outs.is_empty() => found.push(site.call),
            Role::Source => found.extend(&site.outs),
            Role::Sink => found.extend(&site.ins),
        }
    }
    found.sort_unstable();
    Ok(found)
}
