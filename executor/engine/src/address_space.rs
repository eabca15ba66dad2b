//! The limit on a process's address space (`ulimit -v`, `RLIMIT_AS`), and what fits into it.
//!
//! Deep recursion takes deep stacks: address space that is reserved and mostly never touched. Where there is a limit,
//! stacks are smaller, so that programs that do not recurse deeply run as ever.

use nix::sys::resource::{RLIM_INFINITY, Resource, getrlimit};

/// Address space without which nothing runs: what the allocator reserves (1 GiB), this binary with its predictor, CPython,
/// and a stack.
const LEAST_BYTES: u64 = 3 << 29;
/// Part of a limited address space that the stacks of one kind may take together.
const SHARE: u64 = 8;

/// The address space is limited to less than any program takes.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the address space of processes is limited to {} MiB (`ulimit -v`), and a run takes {} MiB", .0 >> 20, LEAST_BYTES >> 20)]
pub struct TooSmall(u64);

/// Looks whether a program can run within the limit, before anything else allocates memory.
///
/// # Errors
/// When it cannot.
pub fn check() -> Result<(), TooSmall> {
    match limit() {
        Some(limit) if limit < LEAST_BYTES => Err(TooSmall(limit)),
        _ => Ok(()),
    }
}

impl TooSmall {
    /// What to do about it.
    #[must_use]
    pub fn hint(self) -> &'static str {
        "raise the limit in the shell or service that starts `surmise`: `ulimit -v unlimited`"
    }
}

/// The size of a stack that would have `wanted` bytes without a limit, in a process with so many of them.
#[must_use]
pub fn stack_bytes(wanted: usize, stacks: usize) -> usize {
    limit().map_or(wanted, |limit| wanted.min((limit / SHARE) as usize / stacks.max(1)))
}

fn limit() -> Option<u64> {
    getrlimit(Resource::RLIMIT_AS).ok().map(|(soft, _)| soft).filter(|&soft| soft != RLIM_INFINITY)
}
