//! The zygote: a process with CPython initialized, which forks one worker a run.
//!
//! ```text
//! parent ──spawns──▶ launcher ──forks──▶ zygote (pid 1 of its namespace) ──forks──▶ worker, one at a time
//! ```
//! The launcher only sets up namespaces and waits. A worker is gone, with everything it started, before the next
//! run begins.

mod isolation;
mod serve;

pub(crate) use serve::{plain, serve};

/// Hidden first argument of the process that becomes a zygote.
pub const ZYGOTE_ARGUMENT: &str = "__zygote";
/// Hidden first argument of the process that runs one program plainly.
pub const PLAIN_ARGUMENT: &str = "__plain";
/// First byte of the message of a run: an ordinary one, or one of a pair.
pub const RUN_HEAD: [u8; 1] = *b"r";
/// A run of a pair.
pub const PAIRED_HEAD: [u8; 1] = *b"p";
/// The descriptor on which a child process finds its socket.
pub const SOCKET_FD: i32 = 3;
