//! Progress of the phases, shown on standard error when it is a terminal, silent otherwise; and how long each phase took.
//!
//! Invariant: nothing here reaches standard output, and a phase may be stepped from several threads. A step costs an atomic
//! addition when nothing is shown; when something is, `indicatif` limits how often it draws.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// The phases so far, in the order they were started. `None`: still running.
type Record = Arc<Mutex<Vec<(String, Option<Duration>)>>>;

/// Where progress goes.
pub struct Progress {
    shown: bool,
    record: Record,
}

/// One running phase; its line is taken away, and its time recorded, when it is dropped.
pub struct Phase {
    bar: ProgressBar,
    started: Instant,
    record: Record,
    index: usize,
}

impl Progress {
    /// Shows nothing.
    pub fn silent() -> Self {
        Progress { shown: false, record: Record::default() }
    }
    /// Shows each phase on standard error, if that is a terminal.
    pub fn terminal() -> Self {
        Progress { shown: true, record: Record::default() }
    }
    /// Starts a phase of `total` steps (0: unknown).
    pub fn phase(&self, name: &str, total: usize) -> Phase {
        let bar = if self.shown { shown_bar(name, total) } else { ProgressBar::hidden() };
        let mut record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        record.push((name.to_owned(), None));
        Phase { bar, started: Instant::now(), record: Arc::clone(&self.record), index: record.len() - 1 }
    }
    /// The phases that are finished, in the order they were started, with the time each took.
    pub fn timings(&self) -> Vec<(String, Duration)> {
        let record = self.record.lock().unwrap_or_else(PoisonError::into_inner);
        record.iter().filter_map(|(name, took)| took.map(|took| (name.clone(), took))).collect()
    }
}

fn shown_bar(name: &str, total: usize) -> ProgressBar {
    let (bar, template) = if total == 0 {
        (ProgressBar::new_spinner(), "{spinner} {msg:<12} {pos:>7} {elapsed:>6}")
    } else {
        (ProgressBar::new(total as u64), "{spinner} {msg:<12} {pos:>7}/{len:<7} {wide_bar} {elapsed:>6}")
    };
    bar.set_style(ProgressStyle::with_template(template).expect("the template is well-formed"));
    bar.set_message(name.to_owned());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

impl Phase {
    /// One step is done. May be called from several threads.
    pub fn step(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Phase {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        let took = self.started.elapsed();
        self.record.lock().unwrap_or_else(PoisonError::into_inner)[self.index].1 = Some(took);
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;

    #[test]
    fn finished_phases_are_timed_in_the_order_they_were_started() {
        let progress = Progress::silent();
        let outer = progress.phase("outer", 2);
        let inner = progress.phase("inner", 0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (outer.step(), inner.step()));
            }
        });
        assert_eq!(outer.bar.position(), 2);
        assert!(progress.timings().is_empty());
        drop(inner);
        assert_eq!(progress.timings().len(), 1);
        drop(outer);
        let timings = progress.timings();
        assert_eq!(timings.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["outer", "inner"]);
        assert!(timings[0].1 >= timings[1].1, "the outer phase contains the inner one");
    }

    #[test]
    fn phases_with_and_without_a_total_can_be_shown() {
        let progress = Progress::terminal();
        for total in [0, 3] {
            let phase = progress.phase("shown", total);
            phase.step();
            assert_eq!((phase.bar.position(), phase.bar.length().unwrap_or(0)), (1, total as u64));
        }
    }
}
