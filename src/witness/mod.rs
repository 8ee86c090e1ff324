//! Decides whether one place can influence another: the abstract condition first, then the exact formula of candidate paths.
//!
//! 1. The chop of the question; without one there is no path.
//! 2. The condition system of the chop and its least solution. If the condition of the end is `false`, or the solver finds it contradictory, no path can be taken.
//! 3. Candidate paths of the solution, shortest first, each with its exact formula over two runs. A model is a witness. What contradicts itself is excluded with all
//!    paths that have the same part. If all candidates are excluded and none was left out by a limit, no path can be taken.
//!
//! Invariant: [`Status::Infeasible`] and [`Status::NoPath`] are proved; [`Status::Violation`] has a solved path; every limit ends in
//! [`Status::Unknown`].

pub mod decision;
mod exact;
mod search;
mod shown;

use std::time::{Duration, Instant};

pub use decision::{
    Atom, Decision, Evaluation, Input, Kind, Limits, Question, Run, Setting, Shown, Statistics, Status, Step, Witness,
};

use crate::base::graph::Digraph;
use crate::base::id::Id;
use crate::chop::{self, Barriers, Inside, Level};
use crate::intervals;
use crate::pathcond::engine::paths::{PathLimits, paths};
use crate::pathcond::engine::{self, Strategy, because::because};
use crate::pathcond::system::{self, Chopped, State};
use crate::pathcond::values::Values;
use crate::sdg::NodeSet;
use crate::solve::z3::{self, Answer, Budget, Interrupt, Unknown};
use search::{CALL_DEPTH, Inner, Solved};

/// Decides one question. Stops soon after `stop` is set.
pub fn decide(setting: &Setting<'_>, question: &Question<'_>, limits: &Limits, stop: &Interrupt) -> Decision {
    // Terms and conditions are walked by recursion.
    std::thread::scope(|scope| {
        let work = || Decider { setting, question, limits, stop, started: Instant::now() }.decide();
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(decision)) => decision,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(_) => Decision::unknown("no thread could be started"),
        }
    })
}

/// Bytes of stack for one decision.
const STACK: usize = 512 << 20;

struct Decider<'d> {
    setting: &'d Setting<'d>,
    question: &'d Question<'d>,
    limits: &'d Limits,
    stop: &'d Interrupt,
    started: Instant,
}

impl Decider<'_> {
    /// Why no more may be spent, if so.
    fn over(&self) -> Option<&'static str> {
        if self.stop.is_stopped() {
            Some("the run was stopped")
        } else if self.started.elapsed() >= self.limits.time {
            Some("the time limit was reached")
        } else {
            None
        }
    }
    fn engine_limits(&self) -> engine::Limits {
        let strategy = match self.limits.evaluation {
            Evaluation::Nested | Evaluation::Plain => Strategy::Intervals,
            Evaluation::Flat => Strategy::Worklist,
        };
        engine::Limits { nodes: self.limits.nodes, strategy, ..engine::Limits::default() }
    }
    fn budget(&self, most: Duration) -> Budget {
        let left = self.limits.time.saturating_sub(self.started.elapsed());
        Budget {
            timeout: Some(left.min(most)),
            minimal_core: true,
            interrupt: Some(self.stop.clone()),
            ..Budget::default()
        }
    }

    fn decide(&self) -> Decision {
        let (setting, question) = (self.setting, self.question);
        let sdg = setting.sdg;
        let mut statistics = Statistics::default();
        let chop =
            chop::chop_of(sdg, question.from, question.to, question.barriers, Level::Any, Inside::Truncated).nodes;
        statistics.chop = chop.count();
        statistics.chop_seconds = self.started.elapsed().as_secs_f64();
        if chop.is_empty() {
            return Decision { statistics, ..Decision::plain(Status::NoPath) };
        }
        // Before anything is declassified or left out.
        let influenced = chop::slice::forward(sdg, question.from, &Barriers::none());
        let mut arbitrary = setting.arbitrary.clone();
        question.from.iter().for_each(|node| {
            arbitrary.insert(*node);
        });
        let mut values = Values::new(setting.program, sdg, setting.overflow, &arbitrary, &influenced);
        let to = NodeSet::of(sdg.nodes().len(), question.to.iter().copied());
        let from: Vec<_> = question.from.iter().map(|node| (*node, State::Differs)).collect();
        let chopped = Chopped {
            nodes: &chop,
            from: &from,
            to: &to,
            values_only: question.values_only,
            barriers: question.barriers,
            via: question.via,
            same_level: false,
            one_run: false,
        };
        let Some(conditions) = system::build(&mut values, setting.points_to, chopped) else {
            let unknown = Decision::unknown("the condition has too many atoms");
            return Decision { statistics, ..unknown };
        };
        eprintln!(
            "DBG build {:.2} chop {} atoms {} points {} edges {} formulas {}",
            self.started.elapsed().as_secs_f64(),
            statistics.chop,
            conditions.atoms.table.len(),
            conditions.system.points.len(),
            conditions.system.edges.len(),
            conditions.system.formulas.len()
        );
        let limits = self.engine_limits();
        let solution = engine::solve(&conditions.system, &limits);
        eprintln!("DBG solved {:.2} {:?}", self.started.elapsed().as_secs_f64(), solution.statistics);
        statistics.atoms = conditions.atoms.table.len();
        statistics.points = conditions.system.points.len();
        statistics.edges = conditions.system.edges.len();
        statistics.largest = solution.statistics.largest;
        statistics.diagrams = solution.statistics.total;
        statistics.weakened = solution.statistics.weakened;
        self.table(&conditions.system, &mut statistics);
        let end = solution.with_lemmas(&conditions.system, &limits, conditions.end);
        let condition_seconds = |this: &Self| this.started.elapsed().as_secs_f64();
        statistics.condition_seconds = condition_seconds(self) - statistics.chop_seconds;
        if end.is_false() {
            let mut found = Decision { statistics, ..Decision::plain(Status::Infeasible) };
            if let Some(reason) = because(&conditions.system, &limits, conditions.end, REASON_SOLVES) {
                found.because = shown::atoms(setting, &values, &conditions.atoms, &reason.atoms);
            }
            return found;
        }
        // The condition at the end as a whole.
        let query = shown::term(&mut values, &conditions.atoms, &solution, &end);
        if let Answer::Unsat(_) = z3::check(&[query], &values.terms, &self.budget(Duration::from_secs(5))) {
            let mut found = Decision { statistics, ..Decision::plain(Status::Infeasible) };
            found.because = shown::core(
                setting,
                &mut values,
                &conditions.atoms,
                &solution,
                &end,
                &self.budget(Duration::from_secs(5)),
            );
            return found;
        }
        eprintln!("DBG z3 {:.2}", self.started.elapsed().as_secs_f64());
        let solved = Solved { conditions, solution };
        let mut found = self.candidates(&mut values, &solved, &limits);
        eprintln!("DBG cand {:.2} {:?}", self.started.elapsed().as_secs_f64(), found.status);
        statistics.paths = found.statistics.paths;
        statistics.solve_seconds =
            self.started.elapsed().as_secs_f64() - statistics.chop_seconds - statistics.condition_seconds;
        found.statistics = statistics;
        if matches!(found.status, Status::Violation | Status::Unknown(_)) {
            shown::describe(setting, &mut values, &solved, &limits, chopped, &mut found);
        }
        found
    }
    /// The figures of table II.
    fn table(&self, system: &engine::System, statistics: &mut Statistics) {
        let mut next: Vec<Vec<engine::PointId>> = vec![Vec::new(); system.points.len()];
        for edge in &system.edges {
            next[edge.from.index()].push(edge.to);
        }
        let roots: Vec<engine::PointId> = system.seeds.iter().map(|seed| seed.point).collect();
        let found = intervals::decompose(&Digraph::new(next), &roots).statistics();
        statistics.reducible = found.reducible;
        statistics.irreducible = found.irreducible;
    }
    /// Solves candidate paths one after the other.
    fn candidates<'v>(&'v self, values: &mut Values<'v>, solved: &Solved, limits: &engine::Limits) -> Decision {
        let setting = self.setting;
        let (conditions, solution) = (&solved.conditions, &solved.solution);
        let mut inner = Inner::new(setting.points_to, self.question.barriers, *limits, self.started + self.limits.time);
        let mut numbers = exact::Numbers::default();
        let mut candidates = paths(
            &conditions.system,
            solution,
            conditions.end,
            None,
            limits,
            PathLimits { length: 2_000, steps: 20_000, nodes: 3_000_000 },
        );
        values.deep = true;
        let mut tried = 0;
        let mut open: Option<String> = None;
        let mut because: Vec<crate::solve::term::TermId> = Vec::new();
        let done = |status: Status, tried: usize| {
            let mut found = Decision::plain(status);
            found.statistics.paths = tried;
            found
        };
        loop {
            if let Some(reason) = self.over() {
                return done(Status::Unknown(reason.to_owned()), tried);
            }
            if tried >= self.limits.paths {
                let reason = format!("none of {tried} candidate paths could be taken, and there are more");
                return done(Status::Unknown(reason), tried);
            }
            let t = Instant::now();
            let Some(path) = candidates.next() else { break };
            eprintln!("DBG path len {} {:?}", path.edges.len(), t.elapsed());
            let ways = inner.moves(values, conditions, &path, CALL_DEPTH);
            eprintln!("DBG ways {} {:?}", ways.all.len(), t.elapsed());
            let first = conditions.points[conditions.system.seeds[path.seed].point].expect("a seed is no end");
            let mut excluded: Option<(usize, usize)> = None;
            let mut settled = ways.complete;
            if ways.all.is_empty() && ways.complete {
                // Some call cannot be passed: found edge by edge.
                excluded = Some((0, path.edges.len().saturating_sub(2)));
            }
            for moves in &ways.all {
                if let Some(reason) = self.over() {
                    return done(Status::Unknown(reason.to_owned()), tried);
                }
                tried += 1;
                let formula = exact::exact(values, setting.points_to, &mut numbers, first, moves);
                let terms: Vec<_> = formula.demands.iter().map(|d| d.term).collect();
                eprintln!(
                    "DBG formula {} terms {} nodes {:?}",
                    terms.len(),
                    values.terms.reachable(&terms).len(),
                    t.elapsed()
                );
                let answer = z3::check(&terms, &values.terms, &self.budget(PER_PATH));
                eprintln!(
                    "DBG answer {} {:?}",
                    match &answer {
                        Answer::Sat(_) => "sat".to_owned(),
                        Answer::Unsat(c) => format!("unsat {}", c.len()),
                        Answer::Unknown(w) => format!("{w:?}"),
                    },
                    t.elapsed()
                );
                match answer {
                    Answer::Sat(model) => {
                        let mut found = done(Status::Violation, tried);
                        let all = &terms;
                        found.witness =
                            Some(shown::witness(setting, values, first, moves, &formula.frames, all, &model));
                        found.runs = if shown::needs_both(first, moves) { 2 } else { 1 };
                        return found;
                    }
                    Answer::Unsat(core) => {
                        let mut range: Option<(usize, usize)> = None;
                        for index in core {
                            because.push(terms[index]);
                            if let Some((low, high)) = formula.demands[index].parts {
                                range = Some(range.map_or((low, high), |(l, h)| (low.min(l), high.max(h))));
                            }
                        }
                        let range = range.unwrap_or((0, 0));
                        excluded = Some(excluded.map_or(range, |(l, h)| (l.min(range.0), h.max(range.1))));
                        // What holds inside no call holds for every way through the calls.
                        let calls = moves.iter().any(|m| {
                            (range.0..=range.1).contains(&m.part)
                                && moves.iter().filter(|other| other.part == m.part).count() > 1
                        });
                        if !calls && ways.all.len() > 1 {
                            excluded = Some(range);
                            settled = true;
                            break;
                        }
                    }
                    Answer::Unknown(why) => {
                        settled = false;
                        open = Some(match why {
                            Unknown::Timeout => "the solver did not decide a path in time".to_owned(),
                            other => format!("the solver gave up on a path ({other:?})"),
                        });
                    }
                }
            }
            let last = path.edges.len() - 1;
            if settled {
                let (low, high) = excluded.unwrap_or((0, last));
                candidates.avoid(path.edges[low.min(last)..=high.min(last)].to_vec());
            } else {
                open.get_or_insert_with(|| "not all ways through the calls of a path were tried".to_owned());
                candidates.avoid(path.edges.clone());
            }
        }
        if candidates.was_cut() && open.is_none() {
            open = Some("not all candidate paths were tried".to_owned());
        }
        match open {
            Some(reason) => done(Status::Unknown(reason), tried),
            None => {
                let mut found = done(Status::Infeasible, tried);
                because.sort_unstable();
                because.dedup();
                found.because = shown::terms(setting, values, &because);
                found
            }
        }
    }
}

/// Systems that are solved for a reason.
const REASON_SOLVES: usize = 60;
/// Time for one path.
const PER_PATH: Duration = Duration::from_secs(10);
