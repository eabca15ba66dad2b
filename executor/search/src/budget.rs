//! How many runs a search may make, and how long.

use std::time::{Duration, Instant};

use surmise_engine::plan::{Settings, Trial};
use surmise_ledger::Ledger;

/// A change gets at least this long, and ten times what the longest run took that came to an end.
const LEAST_TIMEOUT: Duration = Duration::from_millis(500);

/// What is left of runs and time.
pub(crate) struct Budget {
    runs: u32,
    time: Duration,
    timeout: Duration,
    begin: Instant,
    /// Runs that are kept for probes.
    pub(crate) reserved: u32,
}

impl Budget {
    /// What the settings allow, from `begin` on.
    pub(crate) fn new(settings: &Settings, begin: Instant) -> Self {
        Self { runs: settings.runs, time: settings.time, timeout: settings.timeout, begin, reserved: 0 }
    }

    /// True once all time is used up.
    pub(crate) fn is_over(&self) -> bool {
        self.begin.elapsed() >= self.time
    }

    /// True while runs and time are left. One run is kept for the question whether runs can be repeated.
    pub(crate) fn allows(&self, runs: usize) -> bool {
        (runs as u32) + 1 + self.reserved < self.runs && !self.is_over()
    }

    /// How long the first run may take: one that does not end leaves time for those that might.
    pub(crate) fn for_first(&self) -> Duration {
        self.timeout.min(if self.runs > 1 { self.time / 2 } else { self.time })
    }

    /// How long the next run may take, by what those before it took.
    pub(crate) fn for_next(&self, trial: &Trial, ledger: &Ledger) -> Duration {
        let least = if trial.is_probe() { LEAST_TIMEOUT / 2 } else { LEAST_TIMEOUT };
        let left = self.time.saturating_sub(self.begin.elapsed()).max(Duration::from_millis(1));
        self.timeout.min((ledger.longest() * 10).max(least)).min(left)
    }
}
