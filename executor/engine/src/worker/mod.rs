//! The side that runs Python: everything in this folder runs in a template or in a run that is forked from it
//! (or, for `--plain`, in a process of its own) and knows no model.

mod c_library;
pub(crate) mod coverage;
mod drawn;
mod engine;
mod frameless;
mod harness;
mod hooks;
mod in_place;
pub mod interpreter;
mod native;
mod profile;
mod program;
mod run;
mod runtime;
mod series;
mod snapshots;
pub(crate) mod streams;
mod threads;
pub(crate) mod virtual_time;

pub(crate) use native::{Native, Pipe};
pub(crate) use program::{AddedSites, LoadedProgram, run_file};
pub(crate) use runtime::Runtime;
pub use runtime::module;
