//! Work on many items at the same time.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The most items that a thread takes at once.
const MOST_TAKEN: usize = 64;

/// The results of all items, in their order. Each thread of the machine's has a state of its own.
pub(super) fn map<T: Sync, S, R: Send>(
    items: &[T],
    start: impl Fn() -> S + Sync,
    each: impl Fn(&mut S, &T) -> R + Sync,
) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let size = (items.len() / (4 * threads.max(1))).clamp(1, MOST_TAKEN);
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut state, mut found) = (start(), Vec::new());
        loop {
            let first = next.fetch_add(size, Ordering::Relaxed);
            let Some(taken) = items.get(first..(first + size).min(items.len())).filter(|taken| !taken.is_empty())
            else {
                return found;
            };
            found.extend((first..).zip(taken.iter().map(|item| each(&mut state, item))));
        }
    };
    let mut found: Vec<(usize, R)> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let joined = started.into_iter().map(std::thread::ScopedJoinHandle::join);
        joined.flat_map(|found| found.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    found.sort_unstable_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled = map(&items, || 0, |_, item| 2 * item);
        assert_eq!(doubled, items.iter().map(|item| 2 * item).collect::<Vec<_>>());
        assert!(map(&[0_u8; 0], || (), |(), item| *item).is_empty());
    }
}
