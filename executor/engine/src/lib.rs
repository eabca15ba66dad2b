//! One program in a sandboxed worker: what is injected, how it runs, what is left of the run.
//!
//! A [`plan::Plan`] holds a source, rewritten and with a predicted class for every site; [`execute`] runs it in a worker
//! that a [`client::Zygote`] forks. The parent never runs Python: [`zygote`] and [`worker`] are the side that does, with
//! the Python modules of `runtime/` beside the program. This crate knows nothing of searches, reports and commands.

pub mod address_space;
pub mod client;
pub mod clock;
mod descriptors;
pub mod execute;
pub mod exit;
pub mod host;
pub mod plan;
pub mod protocol;
pub mod source;
pub mod stdin;
pub mod stop;
mod trial;
pub mod worker;
pub mod zygote;
