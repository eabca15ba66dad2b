//! The side that runs Python: everything in this folder runs in a forked worker (or, for `--plain`, in a process of
//! its own) and knows no model.

pub mod coverage;
mod hooks;
pub mod interpreter;
mod locals;
mod native;
mod positions;
mod program;
mod runtime;

pub(crate) use native::Pipe;
pub(crate) use program::{Channels, INTERRUPTED, run, run_file};
pub(crate) use runtime::Runtime;
