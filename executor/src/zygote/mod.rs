//! The zygote: a process with CPython initialized, which forks one worker a run.
//!
//! ```text
//! parent ──spawns──▶ launcher ──forks──▶ zygote (pid 1 of its namespace) ──forks──▶ worker, one at a time
//! ```
//! The launcher only makes namespaces and waits; zygote and worker close the rest of the [`sandbox`]. A worker is
//! gone, with everything it started, before the next run begins.

pub mod sandbox;
mod serve;

pub(crate) use serve::{plain, serve};

/// Hidden first argument of the process that becomes a zygote.
pub const ZYGOTE_ARGUMENT: &str = "__zygote";
/// Hidden first argument of the process that runs one program plainly.
pub const PLAIN_ARGUMENT: &str = "__plain";
/// Hidden first argument of the process that writes a script.
pub const SCRIPT_ARGUMENT: &str = "__script";
/// First byte of the message of a run: an ordinary one, or one of a pair.
pub const RUN_HEAD: [u8; 1] = *b"r";
/// A run of a pair.
pub const PAIRED_HEAD: [u8; 1] = *b"p";
/// First byte of the message that names modules to import ahead.
pub const AHEAD_HEAD: [u8; 1] = *b"a";
/// The descriptor on which a child process finds its socket.
pub const SOCKET_FD: i32 = 3;
/// Says to a zygote that the run must end.
pub(crate) const END: [u8; 1] = *b"k";
