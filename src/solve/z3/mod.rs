//! Z3: the only place that asks it.
//!
//! [`check`] answers one question; a [`Session`] answers several that share a beginning. Z3's contexts belong to a thread, so a
//! question is asked and answered on one; another thread stops it by its [`Interrupt`].
//!
//! Invariant: a model makes all assertions true by our own evaluator, else the answer is [`Unknown::Incomplete`]; and every limit
//! of the [`Budget`] weakens the answer to unknown, or a core to a larger one, never anything else.
//!
//! Cost: a core takes a second search, and one more for each of its members if it is to be minimal.

mod eliminate;
mod model;
mod translate;

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::z3::ast::Bool;
use ::z3::{Context, Params, SatResult, Solver};

use super::eval::{Assignment, eval_all};
use super::term::{TermId, Terms};
use translate::Translator;

pub use eliminate::eliminate;

/// What a question may cost.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// How long it may take, cores and their minimisation included.
    pub timeout: Option<Duration>,
    /// How many of Z3's own steps each search may take: the same on every machine.
    pub steps: Option<u32>,
    /// How many megabytes Z3 may hold.
    pub megabytes: Option<u32>,
    /// Whether the core is to be found and made minimal. Without, it is all assertions, or in a session what Z3 happens to find.
    pub minimal_core: bool,
    /// Stops the search from another thread.
    pub interrupt: Option<Interrupt>,
}

/// The answer to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// All assertions can be true at once, with these values of their variables.
    Sat(Assignment),
    /// They cannot: those with these indices cannot, in order.
    Unsat(Vec<usize>),
    /// Not found out.
    Unknown(Unknown),
}

/// Why an answer was not found out.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Unknown {
    /// The time or the steps of the budget are used up.
    Timeout,
    /// The memory of the budget is used up.
    Memory,
    /// Z3 gave up, or its model did not stand up.
    Incomplete,
    /// It was interrupted.
    Interrupted,
}

/// Stops searches from any thread. Clones stop the same searches.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    shared: Arc<(Mutex<bool>, Condvar)>,
}

impl Interrupt {
    /// Not interrupted.
    pub fn new() -> Interrupt {
        Interrupt::default()
    }
    /// Stops all searches that have this interrupt in their budget, now and later.
    pub fn stop(&self) {
        *self.shared.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.shared.1.notify_all();
    }
    /// Whether it was interrupted.
    pub fn is_stopped(&self) -> bool {
        *self.shared.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// Runs `work` on this thread, with Z3 stopped when [`Interrupt::stop`] is called.
    fn guard<R>(&self, work: impl FnOnce() -> R) -> R {
        let context = Context::thread_local();
        let handle = context.handle();
        let done = Mutex::new(false);
        let is_done = || *done.lock().unwrap_or_else(PoisonError::into_inner);
        let (stopped, changed) = &*self.shared;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut guard = stopped.lock().unwrap_or_else(PoisonError::into_inner);
                while !is_done() {
                    if *guard {
                        // Again and again: an interrupt before the search has started is lost.
                        handle.interrupt();
                        guard = changed
                            .wait_timeout(guard, Duration::from_millis(5))
                            .unwrap_or_else(PoisonError::into_inner)
                            .0;
                    } else {
                        guard = changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
                    }
                }
            });
            let result = work();
            let guard = stopped.lock().unwrap_or_else(PoisonError::into_inner);
            *done.lock().unwrap_or_else(PoisonError::into_inner) = true;
            drop(guard);
            changed.notify_all();
            result
        })
    }
}

/// A budget that runs.
struct Clock<'a> {
    budget: &'a Budget,
    end: Option<Instant>,
}

impl Clock<'_> {
    fn start(budget: &Budget) -> Clock<'_> {
        Clock { budget, end: budget.timeout.and_then(|t| Instant::now().checked_add(t)) }
    }
    /// What is left, as Z3 wants it.
    fn parameters(&self) -> Result<Params, Unknown> {
        if self.budget.interrupt.as_ref().is_some_and(Interrupt::is_stopped) {
            return Err(Unknown::Interrupted);
        }
        let mut params = Params::new();
        // Signals are for whoever runs the program: Z3 takes SIGINT for itself while it searches, and goes on with the next question.
        params.set_bool("ctrl_c", false);
        if let Some(end) = self.end {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Unknown::Timeout);
            }
            params.set_u32("timeout", u32::try_from(left.as_millis()).unwrap_or(u32::MAX - 1).max(1));
        } else {
            params.set_u32("timeout", u32::MAX);
        }
        params.set_u32("rlimit", self.budget.steps.unwrap_or(0));
        if let Some(megabytes) = self.budget.megabytes {
            params.set_u32("max_memory", megabytes);
        }
        Ok(params)
    }
    /// Searches within what is left.
    fn search(&self, solver: &Solver, assumptions: &[Bool]) -> Result<SatResult, Unknown> {
        solver.set_params(&self.parameters()?);
        let work = || if assumptions.is_empty() { solver.check() } else { solver.check_assumptions(assumptions) };
        let result = match &self.budget.interrupt {
            Some(interrupt) => interrupt.guard(work),
            None => work(),
        };
        if result == SatResult::Unknown { Err(self.reason(solver)) } else { Ok(result) }
    }
    fn reason(&self, solver: &Solver) -> Unknown {
        if self.budget.interrupt.as_ref().is_some_and(Interrupt::is_stopped) {
            return Unknown::Interrupted;
        }
        let words = solver.get_reason_unknown().unwrap_or_default();
        let says = |any: &[&str]| any.iter().any(|word| words.contains(word));
        if says(&["memory"]) {
            Unknown::Memory
        } else if says(&["timeout", "canceled", "resource limit", "interrupted"]) {
            Unknown::Timeout
        } else {
            Unknown::Incomplete
        }
    }
}

/// Whether all assertions, which are Booleans, can be true at once.
pub fn check(assertions: &[TermId], terms: &Terms, budget: &Budget) -> Answer {
    if let Some(index) = assertions.iter().position(|a| terms.as_bool(*a) == Some(false)) {
        return Answer::Unsat(vec![index]);
    }
    let clock = Clock::start(budget);
    let mut translator = Translator::new();
    let solver = Solver::new();
    for &assertion in assertions {
        solver.assert(translator.bool(terms, assertion));
    }
    match clock.search(&solver, &[]) {
        Err(reason) => Answer::Unknown(reason),
        Ok(SatResult::Sat) => found(&solver, &mut translator, terms, assertions),
        Ok(SatResult::Unsat | SatResult::Unknown) => {
            let all = (0..assertions.len()).collect();
            if !budget.minimal_core || assertions.len() == 1 {
                return Answer::Unsat(all);
            }
            let tracked = Solver::new();
            let names = track(&tracked, &mut translator, terms, assertions, 0);
            match clock.search(&tracked, &names) {
                Ok(SatResult::Unsat) => Answer::Unsat(minimise(&clock, &tracked, &names)),
                // It is unsatisfiable all the same.
                Ok(SatResult::Sat | SatResult::Unknown) | Err(_) => Answer::Unsat(all),
            }
        }
    }
}

/// Like [`check`], of assertions that grow: of `lazily`, which are many and seldom matter, those are added that a model breaks. They then belong to `assertions`, and an
/// answer is one about all of them.
pub fn check_lazily(assertions: &mut Vec<TermId>, lazily: &[TermId], terms: &Terms, budget: &Budget) -> Answer {
    let clock = Clock::start(budget);
    let mut waiting: Vec<TermId> = lazily.to_vec();
    loop {
        let left = clock.end.map(|end| end.saturating_duration_since(Instant::now()));
        let answer = check(assertions, terms, &Budget { timeout: left, ..budget.clone() });
        let Answer::Sat(model) = &answer else { return answer };
        let kept = eval_all(terms, &waiting, model);
        let mut broken = kept.iter().map(|value| !value.bool());
        let before = assertions.len();
        waiting.retain(|term| {
            let is_broken = broken.next().unwrap_or(true);
            if is_broken {
                assertions.push(*term);
            }
            !is_broken
        });
        if assertions.len() == before {
            return answer;
        }
    }
}

/// Asserts each of `assertions` under a name of its own, numbered from `first` on.
fn track(
    solver: &Solver,
    translator: &mut Translator,
    terms: &Terms,
    assertions: &[TermId],
    first: usize,
) -> Vec<Bool> {
    let mut names = Vec::new();
    for (i, &assertion) in assertions.iter().enumerate() {
        let name = Bool::new_const(format!("a{}", first + i));
        solver.assert(name.implies(translator.bool(terms, assertion)));
        names.push(name);
    }
    names
}

/// The indices of the names in the last search's core.
fn core_of(solver: &Solver, names: &[Bool]) -> Vec<usize> {
    let core = solver.get_unsat_core();
    (0..names.len()).filter(|i| core.iter().any(|c| c.ast_eq(&names[*i]))).collect()
}

/// Tries to do without each member of the last search's core, while the budget lasts.
fn minimise(clock: &Clock<'_>, solver: &Solver, names: &[Bool]) -> Vec<usize> {
    let mut core = core_of(solver, names);
    let mut needed = 0;
    while needed < core.len() {
        let without: Vec<usize> =
            core.iter().copied().enumerate().filter(|(i, _)| *i != needed).map(|(_, c)| c).collect();
        if without.is_empty() {
            break;
        }
        let assumptions: Vec<Bool> = without.iter().map(|i| names[*i].clone()).collect();
        match clock.search(solver, &assumptions) {
            Ok(SatResult::Unsat) => {
                // Members before `needed` are necessary, so they are in every core of what is left.
                let smaller: Vec<usize> = core_of(solver, &assumptions).into_iter().map(|i| without[i]).collect();
                core = smaller;
            }
            Ok(SatResult::Sat) => needed += 1,
            Ok(SatResult::Unknown) | Err(_) => break,
        }
    }
    core
}

/// The model of a search that found one, if it stands up.
fn found(solver: &Solver, translator: &mut Translator, terms: &Terms, assertions: &[TermId]) -> Answer {
    let model = solver.get_model().and_then(|m| model::read(&m, translator, terms, assertions));
    let holds = |m: &Assignment| eval_all(terms, assertions, m).iter().all(super::eval::Value::bool);
    match model {
        Some(model) if holds(&model) => Answer::Sat(model),
        Some(_) | None => Answer::Unknown(Unknown::Incomplete),
    }
}

/// Several questions over a common beginning. Belongs to the thread that made it.
#[derive(Debug)]
pub struct Session {
    solver: Solver,
    translator: Translator,
    assertions: Vec<TermId>,
    names: Vec<Bool>,
    /// How many assertions there were at each `push`.
    marks: Vec<usize>,
    /// How many names were ever made: none is used twice.
    made: usize,
}

impl Default for Session {
    fn default() -> Self {
        Session::new()
    }
}

impl Session {
    /// No assertions.
    pub fn new() -> Session {
        Session {
            solver: Solver::new(),
            translator: Translator::new(),
            assertions: Vec::new(),
            names: Vec::new(),
            marks: Vec::new(),
            made: 0,
        }
    }
    /// Adds an assertion; its index is the number of those there are.
    pub fn assert(&mut self, terms: &Terms, assertion: TermId) {
        let names = track(&self.solver, &mut self.translator, terms, &[assertion], self.made);
        self.made += 1;
        self.names.extend(names);
        self.assertions.push(assertion);
    }
    /// Marks a point to go back to.
    pub fn push(&mut self) {
        self.solver.push();
        self.marks.push(self.assertions.len());
    }
    /// Goes back to the last point marked. Panics if there is none.
    pub fn pop(&mut self) {
        let mark = self.marks.pop().expect("a pop has its push");
        self.solver.pop(1);
        self.assertions.truncate(mark);
        self.names.truncate(mark);
    }
    /// Whether the assertions can all be true at once.
    pub fn check(&mut self, terms: &Terms, budget: &Budget) -> Answer {
        let clock = Clock::start(budget);
        match clock.search(&self.solver, &self.names) {
            Err(reason) => Answer::Unknown(reason),
            Ok(SatResult::Sat) => found(&self.solver, &mut self.translator, terms, &self.assertions),
            Ok(SatResult::Unsat | SatResult::Unknown) if budget.minimal_core => {
                Answer::Unsat(minimise(&clock, &self.solver, &self.names))
            }
            Ok(SatResult::Unsat | SatResult::Unknown) => Answer::Unsat(core_of(&self.solver, &self.names)),
        }
    }
}
