//! The places that policies and comments mean, on small C programs: which places are found, and what a dependence path then joins. The expected flows follow
//! from what the words of the policy mean in C, by hand.

#[path = "places/calls.rs"]
mod calls;
#[path = "places/lines.rs"]
mod lines;
#[path = "places/mistakes.rs"]
mod mistakes;
#[path = "places/objects.rs"]
mod objects;

use std::collections::BTreeSet;

use flowcheck::base::progress::Progress;
use flowcheck::chop::{self, Barriers};
use flowcheck::error::UserError;
use flowcheck::ir::Options;
use flowcheck::policy::{self, annotation};
use flowcheck::sdg::{EdgeKind, NodeId, NodeKind};
use flowcheck::select::{self, Spot, View};
use flowcheck::source::{Request, Severity};

/// What was found in a program.
#[derive(Debug, Default)]
struct Chosen {
    /// `what @line`, for each place.
    sources: Vec<String>,
    sinks: Vec<String>,
    /// `what @line -> what @line`, for each pair of different domains with a path that no exception allows.
    flows: Vec<String>,
    /// The reasons of places that a comment covers.
    allowed: Vec<String>,
    /// How many sinks show values only.
    values_only: usize,
}

/// The same with a file before the line, if there are several files.
fn name(view: View<'_>, spot: &Spot, several: bool) -> String {
    let at = view.sources.locate(spot.place);
    let file = at.file.file_name().expect("a file").to_string_lossy();
    if several { format!("{} @{file}:{}", spot.what, at.line) } else { format!("{} @{}", spot.what, at.line) }
}

/// Whether a path leads from a source to a sink. What was in memory before a write is not seen by who sees the write.
fn is_reached(view: View<'_>, from: &[NodeId], to: &[NodeId], barriers: &Barriers) -> bool {
    let mut ends: Vec<NodeId> = Vec::new();
    for &node in to {
        match view.sdg.nodes()[node].kind {
            NodeKind::Inst(_) => {
                if from.contains(&node) && barriers.nodes().is_none_or(|barred| !barred.contains(node)) {
                    return true;
                }
                let before = view.sdg.predecessors(node).filter(|edge| edge.kind != EdgeKind::Order);
                ends.extend(before.map(|edge| edge.from));
            }
            _ => ends.push(node),
        }
    }
    !chop::chop(view.sdg, from, &ends, barriers).is_empty()
}

/// What a policy chooses in a program; its domains are `h` and `l`, and nothing is allowed to flow.
fn chosen(files: &[(&str, &str)], policy: &str) -> Result<Chosen, UserError> {
    let folder = tempfile::tempdir().expect("a scratch folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a scratch folder");
        std::fs::write(path, text).expect("a scratch file");
    }
    let paths = files.iter().map(|(name, _)| folder.path().join(name));
    let request = Request { paths: paths.collect(), jobs: 1, ..Request::default() };
    let progress = Progress::silent();
    let read = flowcheck::read(&request, &Options { jobs: 1, ..Options::default() }, &progress)?;
    let errors = read.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    let program = read.program.as_ref().unwrap_or_else(|| panic!("{:?}", errors.collect::<Vec<_>>()));
    // What `show` is given goes nowhere else.
    let model = "[[model]]\nfunction = ['show', 'lcd']\nflows = []\n";
    let text = format!("domains = {{ h = \"high\", l = \"low\" }}\n{policy}\n{model}");
    let policy = policy::parse(&text, "p.toml")?;
    let (annotations, mistakes) = annotation::read(&read.sources, &policy);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    let analysed = flowcheck::analyse(&read.sources, program, &policy, &policy.analysis.entry, 1, &progress)?;
    let view = View { sources: &read.sources, program, points_to: &analysed.points_to, sdg: &analysed.sdg };
    let selected = select::places(view, &policy, &annotations)?;
    let several = files.len() > 1;
    let show = |spots: &[Spot]| spots.iter().map(|spot| name(view, spot, several)).collect::<Vec<_>>();
    let mut found = Chosen { sources: show(&selected.sources), sinks: show(&selected.sinks), ..Chosen::default() };
    let all = || selected.sources.iter().chain(&selected.sinks);
    for spot in all() {
        assert!(!spot.nodes.is_empty() && spot.nodes.is_sorted(), "{spot:?}");
    }
    let keys: Vec<_> = all().map(|spot| (spot.place, spot.domain, &spot.what)).collect();
    let (sources, sinks) = keys.split_at(selected.sources.len());
    assert!(sources.is_sorted() && sinks.is_sorted(), "{keys:?}");
    found.allowed = all().filter_map(|spot| spot.allowed.clone()).collect();
    found.values_only = selected.sinks.iter().filter(|spot| spot.values_only).count();
    let mut flows: BTreeSet<String> = BTreeSet::new();
    for from in &selected.sources {
        for to in selected.sinks.iter().filter(|to| to.domain != from.domain) {
            let fits = |e: &&select::Exception| e.from.contains(&from.domain) && e.to.contains(&to.domain);
            let barred: Vec<NodeId> = selected.exceptions.iter().filter(fits).flat_map(|e| e.nodes.clone()).collect();
            let barriers = Barriers::new(&analysed.sdg, barred);
            if is_reached(view, &from.nodes, &to.nodes, &barriers) {
                flows.insert(format!("{} -> {}", name(view, from, several), name(view, to, several)));
            }
        }
    }
    found.flows = flows.into_iter().collect();
    Ok(found)
}

/// The same for one file and a policy that fits it.
fn of(text: &str, policy: &str) -> Chosen {
    chosen(&[("a.c", text)], policy).unwrap_or_else(|error| panic!("{error}: {error:?}"))
}

/// The source is the main key; the sink is what `show` gets.
fn source(text: &str, key: &str) -> Chosen {
    let policy = format!("[[source]]\ndomain = 'h'\n{key}\n[[sink]]\ndomain = 'l'\nfunction = 'show'\n");
    of(text, &policy)
}

/// The sink is the main key; the source is what `get` returns.
fn sink(text: &str, key: &str) -> Chosen {
    let policy = format!("[[source]]\ndomain = 'h'\nfunction = 'get'\n[[sink]]\ndomain = 'l'\n{key}\n");
    of(text, &policy)
}
