//! The whole-program tests: one program, so that it links once and all of `support` has its use.
//!
//! `cargo test -p surmise-executor --test whole hostile::` runs those of one module.

mod ahead;
mod command;
mod complete;
mod cover;
mod datasets;
mod diff;
mod diff_neighbours;
mod diff_repository;
mod fuzz;
mod hostile;
mod incomplete;
mod learning;
mod sandbox;
mod script;
mod search;
mod support;
mod trace;
mod trace_files;
#[cfg(feature = "torch")]
mod training;
