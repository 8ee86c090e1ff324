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
mod guess;
mod inputs;
mod search;
mod shown;
mod words;

use std::cell::RefCell;
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

pub use decision::{
    Atom, Decision, Evaluation, Input, Kind, Limits, Question, Run, STOPPED, Setting, Shown, Statistics, Status, Step,
    Witness,
};

use crate::base::graph::Digraph;
use crate::base::id::Id;
use crate::chop::{self, Barriers, Inside, Level};
use crate::intervals;
use crate::pathcond::channels::Merged;
use crate::pathcond::engine::paths::{PathLimits, Paths, paths};
use crate::pathcond::engine::plain::solve_plain;
use crate::pathcond::engine::{self, EdgeId, Strategy, Watch, because::because};
use crate::pathcond::system::{self, Calls, Chopped, Conditions, Near, Point, State, ToEnd};
use crate::pathcond::values::Values;
use crate::sdg::{Edge, NodeSet};
use crate::solve::term::TermId;
use crate::solve::z3::{self, Answer, Budget, Interrupt, Unknown};
use exact::Move;
use search::{Inner, Solved};

/// Decides one question. Stops soon after `stop` is set.
pub fn decide(setting: &Setting<'_>, question: &Question<'_>, limits: &Limits, stop: &Interrupt) -> Decision {
    // Terms and conditions are walked by recursion.
    std::thread::scope(|scope| {
        let work = || {
            let excluded = RefCell::default();
            Decider { setting, question, limits, stop, started: Instant::now(), excluded }.decide()
        };
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
    /// Rows of steps that contradict themselves, of systems whose points are told apart by themselves: no later system has to try them again.
    excluded: RefCell<Vec<Vec<Taken>>>,
}

/// A step of a path: an edge between two points.
type Taken = (Point, Edge, Point);

impl Decider<'_> {
    /// Why no more may be spent, if so.
    fn over(&self) -> Option<&'static str> {
        if self.stop.is_stopped() {
            Some(STOPPED)
        } else if self.started.elapsed() >= self.limits.time {
            Some("the time limit was reached")
        } else {
            None
        }
    }
    fn engine_limits<'w>(&self, watch: Watch<'w>) -> engine::Limits<'w> {
        let strategy = match self.limits.evaluation {
            Evaluation::Nested | Evaluation::Plain => Strategy::Intervals,
            Evaluation::Flat => Strategy::Worklist,
        };
        engine::Limits { nodes: self.limits.nodes, strategy, watch, ..engine::Limits::default() }
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
        if self.stop.is_stopped() {
            return Decision::unknown(STOPPED);
        }
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
        // Where it is small, paths are followed through the calls that they pass.
        let inside = (statistics.chop <= LARGE).then(|| {
            chop::chop_of(sdg, question.from, question.to, question.barriers, Level::Any, Inside::Shown).nodes
        });
        let inside = inside.filter(|nodes| nodes.count() <= LARGE);
        let mut values = Values::new(setting.program, sdg, setting.overflow, &arbitrary, &influenced);
        let to = NodeSet::of(sdg.nodes().len(), question.to.iter().copied());
        let from: Vec<_> = question.from.iter().map(|node| (*node, State::Differs)).collect();
        let merged = self.merged(&to);
        let is_over = || self.over().is_some();
        let chopped = Chopped {
            nodes: inside.as_ref().unwrap_or(&chop),
            from: &from,
            to: &to,
            values_only: question.values_only,
            barriers: question.barriers,
            via: question.via,
            calls: if inside.is_some() { Calls::Follow } else { Calls::Pass },
            one_run: false,
            near: None,
            merged: &merged,
            watch: Watch::new(&is_over),
        };
        // In a large chop the shortest paths are tried first: most flows that exist show themselves there.
        let widths: &[Option<u32>] =
            if statistics.chop > LARGE { &[Some(0), Some(2), Some(6), Some(16), None] } else { &[None] };
        let to_end = (statistics.chop > LARGE).then(|| ToEnd::new(sdg, &chop, &to));
        let mut found = Decision::unknown("no path was tried");
        for longer in widths {
            let tried = found.statistics.paths;
            statistics.paths = tried;
            let near = longer.zip(to_end.as_ref()).map(|(longer, to_end)| Near { longer, to_end });
            found = self.round(&mut values, Chopped { near, ..chopped }, statistics);
            found.statistics.paths += tried;
            if !matches!(found.status, Status::Unknown(_)) || self.over().is_some() {
                break;
            }
        }
        found
    }
    /// The sets of ends that are not told apart. With exceptions in them they are, for these are about what is passed.
    fn merged(&self, to: &NodeSet) -> Vec<&Merged> {
        let Question { merged, barriers, via, values_only, .. } = self.question;
        let barred = |merged: &Merged| barriers.nodes().is_some_and(|nodes| merged.touches(nodes));
        let fits = |set: &&Merged| !values_only && via.is_empty() && set.concerns(to) && !barred(set);
        merged.iter().filter(fits).collect()
    }
    /// Decides by the paths that a choice of points allows. Nothing is impossible because of a choice that is not the whole.
    fn round<'v>(&'v self, values: &mut Values<'v>, chopped: Chopped<'_>, mut statistics: Statistics) -> Decision {
        let setting = self.setting;
        let begun = Instant::now();
        values.deep = false;
        let Some(conditions) = system::build(values, setting.points_to, chopped) else {
            let unknown = Decision::unknown(self.over().unwrap_or("the condition has too many atoms"));
            return Decision { statistics, ..unknown };
        };
        let whole = conditions.whole;
        let mut limits = self.engine_limits(chopped.watch);
        if conditions.system.points.len() > MANY_POINTS {
            limits = engine::Limits { nodes: limits.nodes.min(60), work: 40_000_000, ..limits };
        }
        if self.limits.evaluation == Evaluation::Plain
            && let Some(known) = self.plain(values, &conditions, limits.watch, &mut statistics)
        {
            let status = if whole || known != Status::Infeasible { known } else { Status::Unknown(NOT_ALL.to_owned()) };
            return Decision { statistics, ..Decision::plain(status) };
        }
        let is_measured = self.limits.evaluation != Evaluation::Plain;
        let begun = if is_measured { begun } else { Instant::now() };
        let solution = engine::solve(&conditions.system, &limits);
        statistics.atoms = conditions.atoms.table.len();
        statistics.points = conditions.system.points.len();
        statistics.edges = conditions.system.edges.len();
        if is_measured {
            statistics.largest = solution.statistics.largest;
            statistics.diagrams = solution.statistics.total;
            statistics.weakened = solution.statistics.weakened;
        }
        Self::table(&conditions.system, &mut statistics);
        let end = solution.with_lemmas(&conditions.system, &limits, conditions.end);
        let took = if is_measured { &mut statistics.condition_seconds } else { &mut statistics.solve_seconds };
        *took += begun.elapsed().as_secs_f64();
        if solution.stopped {
            return Decision { statistics, ..Decision::unknown(self.over().unwrap_or(NOT_ALL)) };
        }
        let impossible = |because: Vec<Atom>| {
            let status = if whole { Status::Infeasible } else { Status::Unknown(NOT_ALL.to_owned()) };
            Decision { because, statistics, ..Decision::plain(status) }
        };
        if end.is_false() {
            let reason = because(&conditions.system, &limits, conditions.end, REASON_SOLVES).filter(|_| whole);
            let atoms = reason.map(|reason| words::atoms(setting, values, &conditions.atoms, &reason.atoms));
            return impossible(atoms.unwrap_or_default());
        }
        // The condition at the end as a whole.
        let query = shown::term(values, &conditions.atoms, &solution, &end);
        let budget = self.budget(Duration::from_secs(5));
        let mut asked = vec![query];
        asked.extend(values.facts(&[query]));
        if let Answer::Unsat(_) = z3::check(&asked, &values.terms, &budget) {
            return impossible(shown::core(setting, values, &conditions.atoms, &solution, &end, &budget));
        }
        let begun = Instant::now();
        let solved = Solved { conditions, solution };
        // Paths that one run takes alone are what people expect: these first.
        let one_run = Chopped { one_run: true, ..chopped };
        let single = (statistics.points <= MANY_POINTS).then(|| system::build(values, setting.points_to, one_run));
        let single = single.flatten().map(|conditions| {
            let solution = engine::solve(&conditions.system, &limits);
            Solved { conditions, solution }
        });
        let fitting = inputs::fitting(values);
        // Near the shortest paths more is soon near.
        let most = if chopped.near.is_some() { self.limits.paths / 5 } else { self.limits.paths };
        let few = (most / 4).max(10);
        let alone = single.as_ref().map(|single| self.candidates(values, single, &chopped, &limits, few));
        let mut tried = 0;
        let mut found = match alone {
            Some(alone) if alone.status == Status::Violation => alone,
            alone => {
                tried = alone.map_or(0, |alone| alone.statistics.paths);
                self.candidates(values, &solved, &chopped, &limits, most)
            }
        };
        statistics.paths = tried + found.statistics.paths;
        statistics.solve_seconds += begun.elapsed().as_secs_f64();
        found.statistics = statistics;
        match found.status {
            Status::Infeasible if !whole => found.status = Status::Unknown(NOT_ALL.to_owned()),
            // The condition of a flow is that of all its paths.
            Status::Violation | Status::Unknown(_)
                if whole && statistics.points <= MANY_POINTS && self.over().is_none() =>
            {
                shown::describe(setting, values, &solved, single.as_ref(), &limits, &mut found);
                let left = (self.limits.time.saturating_sub(self.started.elapsed()), self.stop);
                inputs::solve(setting, values, single.as_ref(), &limits, &fitting, left, &mut found);
            }
            Status::Violation | Status::Unknown(_) | Status::Infeasible | Status::NoPath => {}
        }
        found
    }
    /// The condition without decision diagrams: what it says by itself, `None` if it can be fulfilled. Only this is measured as the condition; the paths are then read from diagrams,
    /// as ever.
    fn plain(
        &self,
        values: &mut Values<'_>,
        conditions: &Conditions,
        watch: Watch<'_>,
        statistics: &mut Statistics,
    ) -> Option<Status> {
        let begun = Instant::now();
        let plain = solve_plain(&conditions.system, MOST_FORMULAS, watch);
        statistics.largest = plain.statistics.largest;
        statistics.diagrams = plain.statistics.total;
        statistics.weakened = plain.statistics.weakened;
        statistics.condition_seconds += begun.elapsed().as_secs_f64();
        if plain.exhausted {
            let reason = self.over().unwrap_or("the condition has too many formulas without decision diagrams");
            return Some(Status::Unknown(reason.to_owned()));
        }
        let end = plain.conditions[conditions.end];
        let query = shown::formula(values, &conditions.atoms, &plain.formulas, end);
        match z3::check(&[query], &values.terms, &self.budget(Duration::from_secs(5))) {
            Answer::Unsat(_) => Some(Status::Infeasible),
            Answer::Sat(_) | Answer::Unknown(_) => None,
        }
    }
    /// The figures of table II.
    fn table(system: &engine::System, statistics: &mut Statistics) {
        let mut next: Vec<Vec<engine::PointId>> = vec![Vec::new(); system.points.len()];
        for edge in &system.edges {
            next[edge.from.index()].push(edge.to);
        }
        let roots: Vec<engine::PointId> = system.seeds.iter().map(|seed| seed.point).collect();
        let found = intervals::decompose(&Digraph::new(next), &roots).statistics();
        statistics.reducible = found.reducible;
        statistics.irreducible = found.irreducible;
    }
    /// Avoids what was excluded in other systems. A step that has several edges in this one is tried again.
    fn avoid_excluded(&self, conditions: &Conditions, candidates: &mut Paths<'_>) {
        let mut known: FxHashMap<Taken, Option<EdgeId>> = FxHashMap::default();
        for id in conditions.system.edges.ids() {
            if let Some(taken) = taken(conditions, id) {
                known.entry(taken).and_modify(|other| *other = None).or_insert(Some(id));
            }
        }
        for row in self.excluded.borrow().iter() {
            let edges: Option<Vec<EdgeId>> = row.iter().map(|taken| known.get(taken).copied().flatten()).collect();
            if let Some(edges) = edges {
                candidates.avoid(edges);
            }
        }
    }
    /// Solves candidate paths one after the other, at most so many.
    fn candidates<'v>(
        &'v self,
        values: &mut Values<'v>,
        solved: &Solved,
        chopped: &Chopped<'_>,
        limits: &engine::Limits<'_>,
        most: usize,
    ) -> Decision {
        let setting = self.setting;
        let (conditions, solution) = (&solved.conditions, &solved.solution);
        let inside = engine::Limits { nodes: limits.nodes.min(200), work: 5_000_000, ..*limits };
        let inner = Inner::new(setting.points_to, self.question.barriers, inside);
        let limited = PathLimits { length: 2_000, steps: 20_000, nodes: 3_000_000 };
        let mut candidates = paths(&conditions.system, solution, conditions.end, None, limits, limited);
        // Contexts have numbers of their own in each system that follows calls.
        let keeps = chopped.calls == Calls::Pass;
        if keeps {
            self.avoid_excluded(conditions, &mut candidates);
        }
        values.deep = true;
        let mut trial = Trial { decider: self, chopped, inner, tried: 0, because: Vec::new() };
        let mut open: Option<String> = None;
        let done = |status: Status, tried: usize| {
            let mut found = Decision::plain(status);
            found.statistics.paths = tried;
            found
        };
        loop {
            if let Some(reason) = self.over() {
                return done(Status::Unknown(reason.to_owned()), trial.tried);
            }
            if trial.tried >= most {
                let reason = format!("none of {} candidate paths could be taken, and there are more", trial.tried);
                return done(Status::Unknown(reason), trial.tried);
            }
            let Some(path) = candidates.next() else { break };
            let first = conditions.points[conditions.system.seeds[path.seed].point].expect("a seed is no end");
            let last = path.edges.len() - 1;
            match trial.path(values, first, Inner::moves(conditions, &path)) {
                Tried::Witness(witness, condition, runs) => {
                    let mut found = done(Status::Violation, trial.tried);
                    found.strength = shown::share(&condition);
                    (found.witness, found.condition, found.runs) = (Some(witness), Some(condition), runs);
                    return found;
                }
                Tried::Impossible(low, high) => {
                    let bad = &path.edges[low.min(last)..=high.min(last)];
                    candidates.avoid(bad.to_vec());
                    let taken: Option<Vec<Taken>> = bad.iter().map(|id| taken(conditions, *id)).collect();
                    self.excluded.borrow_mut().extend(taken.filter(|_| keeps));
                }
                Tried::Open(reason) => {
                    open.get_or_insert(reason);
                    candidates.avoid(path.edges.clone());
                }
            }
        }
        if candidates.was_cut() && open.is_none() {
            open = Some(self.over().unwrap_or(NOT_ALL).to_owned());
        }
        if let Some(reason) = open {
            done(Status::Unknown(reason), trial.tried)
        } else {
            let mut found = done(Status::Infeasible, trial.tried);
            trial.because.sort_unstable();
            trial.because.dedup();
            found.because = words::terms(setting, values, &trial.because);
            found
        }
    }
}

/// The step that an edge of a system stands for; those to the end stand for none.
fn taken(conditions: &Conditions, id: EdgeId) -> Option<Taken> {
    let edge = conditions.system.edges[id];
    Some((conditions.points[edge.from]?, conditions.edges[id]?, conditions.points[edge.to]?))
}

/// What became of a candidate path.
enum Tried {
    /// It can be taken so.
    Witness(Witness, Shown, u8),
    /// It cannot: these of its edges contradict each other, from the first to the last.
    Impossible(usize, usize),
    /// It is not known.
    Open(String),
}

/// Tries candidate paths: the path itself, then each way through its calls, the first call first.
struct Trial<'t, 'd> {
    decider: &'t Decider<'d>,
    chopped: &'t Chopped<'t>,
    inner: Inner<'t>,
    tried: usize,
    /// What contradicted itself.
    because: Vec<TermId>,
}

impl Trial<'_, '_> {
    fn path(&mut self, values: &mut Values<'_>, first: Point, moves: Vec<Move>) -> Tried {
        let decider = self.decider;
        let setting = decider.setting;
        let mut excluded: Option<(usize, usize)> = None;
        let mut open: Option<String> = None;
        let mut work: Vec<Vec<Move>> = vec![moves];
        let started = self.tried;
        while let Some(moves) = work.pop() {
            if let Some(reason) = decider.over() {
                return Tried::Open(reason.to_owned());
            }
            if self.tried - started >= WAYS {
                return Tried::Open("not all ways through the calls of a path were tried".to_owned());
            }
            self.tried += 1;
            let mut formula = exact::exact(values, setting.points_to, first, &moves);
            let Chopped { merged, to, .. } = *self.chopped;
            formula.demands.extend(exact::ending(values, merged, to, first, &moves, &formula.frames));
            let mut terms: Vec<TermId> = formula.demands.iter().map(|d| d.term).collect();
            let budget = Budget { minimal_core: false, ..decider.budget(PER_PATH) };
            let answer = match z3::check_lazily(&mut terms, &formula.apart, &values.terms, &budget) {
                Answer::Unknown(Unknown::Timeout) => {
                    let budget = Budget { minimal_core: false, ..decider.budget(PER_GUESS) };
                    let guessed = guess::model(values, &terms, &formula.apart, &budget);
                    guessed.map_or(Answer::Unknown(Unknown::Timeout), Answer::Sat)
                }
                answer => answer,
            };
            let model = match answer {
                Answer::Sat(model) => model,
                Answer::Unsat(all) => {
                    // A core that Z3 happens to find will do: it is found at once, or not looked for long.
                    let mut session = z3::Session::new();
                    for term in &terms {
                        session.assert(&values.terms, *term);
                    }
                    let quick = Budget { minimal_core: false, ..decider.budget(PER_CORE) };
                    let core = match session.check(&values.terms, &quick) {
                        Answer::Unsat(core) => core,
                        Answer::Sat(_) | Answer::Unknown(_) => all,
                    };
                    let mut range: Option<(usize, usize)> = None;
                    for index in core {
                        self.because.push(terms[index]);
                        if let Some((low, high)) = formula.demands.get(index).and_then(|demand| demand.parts) {
                            range = Some(range.map_or((low, high), |(l, h)| (low.min(l), high.max(h))));
                        }
                    }
                    let (low, high) = range.unwrap_or((0, usize::MAX));
                    excluded = Some(excluded.map_or((low, high), |(l, h)| (l.min(low), h.max(high))));
                    continue;
                }
                Answer::Unknown(why) => {
                    open = Some(match why {
                        Unknown::Timeout => "the solver did not decide a path in time".to_owned(),
                        other => format!("the solver gave up on a path ({other:?})"),
                    });
                    continue;
                }
            };
            // The first call that is not looked into yet.
            let before = |at: usize| if at == 0 { first } else { moves[at - 1].to };
            let call = (0..moves.len()).find_map(|at| {
                let Move { edge, to, .. } = moves[at];
                self.inner.inside(values, before(at), edge, to).map(|ways| (at, ways))
            });
            let Some((at, ways)) = call else {
                let runs = if shown::needs_both(first, &moves) { 2 } else { 1 };
                let mut witness = shown::witness(setting, values, first, &moves, &terms, &model);
                let end = moves.last().map_or(first, |step| step.to);
                let frame = *formula.frames.last().expect("a frame for each point");
                let sink = values.shown(frame, end, merged, to, &model);
                witness.path.extend(sink.map(|(call, run)| shown::sink(setting, call, run)));
                let condition = shown::of_path(setting, values, first, &moves, &formula.frames);
                return Tried::Witness(witness, condition, runs);
            };
            if !ways.complete {
                open = Some("not all ways through the calls of a path were tried".to_owned());
            }
            let part = moves[at].part;
            excluded = Some(excluded.map_or((part, part), |(l, h)| (l.min(part), h.max(part))));
            for way in ways.all.iter().rev() {
                let inside = way.iter().map(|m| Move { part, ..*m });
                let whole = moves[..at].iter().copied().chain(inside).chain(moves[at + 1..].iter().copied());
                work.push(whole.collect());
            }
        }
        match (open, excluded) {
            (Some(reason), _) => Tried::Open(reason),
            (None, Some((low, high))) => Tried::Impossible(low, high),
            (None, None) => Tried::Impossible(0, usize::MAX),
        }
    }
}

/// Systems that are solved for a reason.
const REASON_SOLVES: usize = 60;
/// Chops with more nodes are large.
const LARGE: usize = 1_500;
/// Systems with more points get smaller diagrams.
const MANY_POINTS: usize = 8_000;
/// Why a choice of paths proves nothing.
const NOT_ALL: &str = "not all candidate paths were tried";
/// Formulas of a condition without decision diagrams, at most.
const MOST_FORMULAS: usize = 2_000_000;
/// Ways through the calls of one path that are tried.
const WAYS: usize = 60;
/// Time to find out what of an impossible path contradicts itself.
const PER_CORE: Duration = Duration::from_millis(500);
/// Time for one path.
const PER_PATH: Duration = Duration::from_secs(2);
/// Time for each guess at a witness of a path that is too hard.
const PER_GUESS: Duration = Duration::from_millis(700);
