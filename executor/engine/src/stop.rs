//! A request to end runs before their time is up: somebody no longer waits for what they come to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a run goes on at most after it was asked to stop.
const PATIENCE: Duration = Duration::from_millis(20);

/// A switch that any thread can set and that ends the runs of a worker process; it is never reset.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks the runs to end.
    pub fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// True once somebody has asked.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// How much of the time that is left may pass before the switch is looked at again; nothing once it is set.
    pub(crate) fn share(stop: Option<&Self>, left: Duration) -> Duration {
        match stop {
            Some(stop) if stop.is_asked() => Duration::ZERO,
            Some(_) => left.min(PATIENCE),
            None => left,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_stopped_is_waited_for_in_short_turns() {
        let (stop, long) = (Stop::default(), Duration::from_secs(9));
        assert_eq!(Stop::share(None, long), long);
        assert_eq!(Stop::share(Some(&stop), long), PATIENCE);
        assert_eq!(Stop::share(Some(&stop), Duration::from_millis(1)), Duration::from_millis(1));
        stop.clone().ask();
        assert_eq!(Stop::share(Some(&stop), long), Duration::ZERO);
    }
}
