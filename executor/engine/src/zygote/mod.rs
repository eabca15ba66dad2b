//! The zygote: a process with CPython initialized, which forks a template for each program.
//!
//! ```text
//! parent ──spawns──▶ launcher ──forks──▶ zygote (pid 1 of its namespace) ──forks──▶ template ──forks──▶ run, one at a time
//! ```
//! The launcher only makes namespaces and waits; the zygote and each template close the rest of the [`sandbox`]. A
//! template compiles its program and makes the program's imports, and forks for each run; for a program that is run
//! once it is the run. A run is gone, with everything it started, before the next one begins, but for comparisons, where one
//! process may make several runs ([`template`]). Where anything is left of a run, and when a template ends, the zygote ends
//! everybody; the parent then hands the program over anew.

mod fork;
mod plain;
pub mod sandbox;
mod serve;
mod template;
mod warm_up;

pub use plain::plain;
pub use serve::serve;

pub use crate::host::{PLAIN_ARGUMENT, SCRIPT_ARGUMENT, ZYGOTE_ARGUMENT};

/// First byte of the message that asks for a template; flags follow. The template gets a [`crate::protocol::Load`] on the
/// socket that comes along, at any time: the program may still be in the making.
pub(crate) const TEMPLATE: u8 = b'l';
/// The process may itself be the run of the program that it loads.
pub(crate) const ONCE: u8 = 1;
/// Runs of the program are compared with those of another version.
pub(crate) const DRAWN: u8 = 2;
/// The message that names modules which the zygote is to preload.
pub(crate) const PRELOAD: [u8; 2] = *b"a\0";
/// The descriptor on which a child process finds its socket.
pub const SOCKET_FD: i32 = 3;
/// Says to a zygote that everybody whom it made must end.
pub(crate) const END: [u8; 2] = *b"k\0";
/// To a template: more sites follow.
pub(crate) const SITES: [u8; 1] = *b"s";
/// To a template: another program follows, of which the next run is: its function stands where that of the template's own
/// program does.
pub(crate) const OTHER: [u8; 1] = *b"o";
/// To a template: a [`crate::protocol::Task`] follows, to be run with the descriptors that come along.
pub(crate) const TASK: [u8; 1] = *b"t";
/// The same, and the process that makes this run may make the next one that is asked for as well.
pub(crate) const SERIES: [u8; 1] = *b"r";
