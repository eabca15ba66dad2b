//! A warm engine for servers: what they ask of it ([`Engine`]), and the one thread that it works on ([`Warm`]).
//!
//! A server answers many requests about programs, and each should cost a run and no start: worker processes and the
//! model are kept between requests. Worker processes die with the thread that started them, so one thread owns them all
//! and takes jobs in their order; a job that nobody waits for any longer is stopped or never begun. The crate knows no
//! protocol: `surmise mcp` and `surmise lsp` stand above it, and the command fills in the engine.

mod engine;
mod functions;
mod warm;

pub use engine::{Code, CompareRequest, Compared, Engine, Failure, Limits, Old, Ran, RunRequest};
pub use functions::{FunctionCoverage, coverage};
pub use surmise_engine::stop::Stop;
pub use warm::Warm;
