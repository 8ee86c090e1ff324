//! `flowcheck explain`: a flow of a report again.

use std::path::Path;

use crate::error::UserError;
use crate::report::check::{Flow, Report, flow_text, lines_on_disk};

/// Ids that a message names.
const SHOWN: usize = 8;

/// One flow of a report, in full. The C lines are those that are on disk now.
pub fn explain(path: &Path, id: &str, color: bool) -> Result<String, UserError> {
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| {
        UserError::usage(
            format!("the report `{shown}` cannot be read: {error}"),
            "`flowcheck --report FILE.json …` writes one",
        )
    })?;
    let report = Report::from_json(&String::from_utf8_lossy(&bytes)).map_err(|error| {
        UserError::usage(
            format!("`{shown}` is no report that flowcheck can read: {error}"),
            "`flowcheck --report FILE.json …` writes one",
        )
    })?;
    let flow = find(&report, id)?;
    Ok(flow_text(&report, flow, color, &lines_on_disk()))
}

/// The flow with this id, or the only one whose id begins so.
fn find<'a>(report: &'a Report, id: &str) -> Result<&'a Flow, UserError> {
    let found: Vec<&Flow> = report.flows.iter().filter(|flow| !id.is_empty() && flow.id.starts_with(id)).collect();
    let exact = found.iter().copied().find(|flow| flow.id == id);
    match (exact, found.as_slice()) {
        (Some(flow), _) => Ok(flow),
        (None, [one]) => Ok(one),
        (None, []) => {
            let help = if report.flows.is_empty() {
                "the report has no flows".to_owned()
            } else {
                format!("the report has {}", listed(&report.flows.iter().collect::<Vec<_>>()))
            };
            Err(UserError::usage(format!("no flow `{id}` is in the report"), help))
        }
        (None, several) => Err(UserError::usage(
            format!("`{id}` is the beginning of more than one flow's id"),
            format!("write more of it: {}", listed(several)),
        )),
    }
}

fn listed(flows: &[&Flow]) -> String {
    let mut ids: Vec<String> = flows.iter().take(SHOWN).map(|flow| format!("`{}`", flow.id)).collect();
    if flows.len() > SHOWN {
        ids.push("…".to_owned());
    }
    ids.join(", ")
}
