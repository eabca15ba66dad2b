//! What the other threads of a guided run do while one of them waits.
//!
//! A wait takes no real time of its own (`virtual_time`), so it must not end before another thread has done what it
//! would have done meanwhile. Each thread that waits for a limited time says here until when; which of the others works
//! is seen from the kernel's states of threads, because on a busy machine a thread that could run may get no processor
//! for long.

use std::fs;
use std::sync::atomic::{AtomicI32, AtomicI64, Ordering};

/// So many threads can say until when they wait; a wait of another one counts as one without a limit.
const MOST: usize = 64;
/// A place of the table that nobody has.
const FREE: i64 = -1;

/// Moments in nanoseconds since the start of the program.
static ENDS: [AtomicI64; MOST] = [const { AtomicI64::new(FREE) }; MOST];
/// The process whose waits the table has: a child has a copy of it, but not the threads.
static PROCESS: AtomicI32 = AtomicI32::new(0);

/// A wait of this thread, in the table while this value lives.
pub(super) struct Wait {
    end: i64,
    place: Option<usize>,
}

impl Wait {
    /// A wait up to a moment, in nanoseconds since the start of the program.
    pub(super) fn until(end: i64) -> Self {
        // SAFETY: a plain system call.
        let process = unsafe { libc::getpid() };
        if PROCESS.swap(process, Ordering::Relaxed) != process {
            for place in &ENDS {
                place.store(FREE, Ordering::Relaxed);
            }
        }
        let end = end.max(0);
        let take = |place: &AtomicI64| place.compare_exchange(FREE, end, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        Self { end, place: ENDS.iter().position(take) }
    }

    pub(super) fn end(&self) -> i64 {
        self.end
    }

    /// Whether each of so many other threads waits until later than this one: nothing can happen before its end.
    pub(super) fn ends_first(&self, others: u64) -> bool {
        self.others_ends().filter(|end| *end > self.end).count() as u64 >= others
    }

    /// Whether the wait of another thread ends before this one.
    pub(super) fn another_ends_before(&self) -> bool {
        self.others_ends().any(|end| end < self.end)
    }

    fn others_ends(&self) -> impl Iterator<Item = i64> {
        let own = self.place;
        let ends = ENDS.iter().map(|place| place.load(Ordering::Relaxed)).enumerate();
        ends.filter(move |(place, end)| *end != FREE && Some(*place) != own).map(|(_, end)| end)
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            ENDS[place].store(FREE, Ordering::Relaxed);
        }
    }
}

/// How many threads this process has beside the calling one.
pub(super) fn others() -> u64 {
    // SAFETY: the structure is filled in by the kernel.
    unsafe {
        let mut about: libc::stat = std::mem::zeroed();
        // A folder has two links and one for each folder in it; each thread has one.
        if libc::stat(c"/proc/self/task".as_ptr(), &raw mut about) != 0 {
            return 0;
        }
        about.st_nlink.saturating_sub(3)
    }
}

/// Whether one of the other threads runs, could run if it got a processor, or waits for the disk.
pub(super) fn another_works() -> bool {
    // SAFETY: a plain system call.
    let own = unsafe { libc::syscall(libc::SYS_gettid) }.to_string();
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return false };
    threads.flatten().filter(|thread| thread.file_name() != *own).any(|thread| {
        let about = fs::read_to_string(thread.path().join("stat")).unwrap_or_default();
        // The state comes after the name, which is in parentheses and may hold any character.
        about.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['R', 'D']))
    })
}
