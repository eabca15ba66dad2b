//! Runs Python that cannot be run: workers, hooks, injection, reports.
//!
//! A [`plan::Plan`] holds a source, rewritten and with a predicted class for every site; [`execute::execute`] runs
//! it in a worker forked from a [`client::Zygote`] and returns a [`execute::Report`]. The parent never runs Python;
//! [`zygote`] and [`worker`] are the side that does.

pub mod cli;
pub mod client;
mod clock;
pub mod cover;
pub mod dataset;
mod descriptors;
pub mod diff;
pub mod evaluate;
pub mod execute;
pub mod exit;
pub mod join;
pub mod plan;
pub mod protocol;
pub mod report;
pub mod script;
pub mod search;
pub mod source;
pub mod stdin;
pub mod trace;
mod worker;
pub mod zygote;

pub use worker::interpreter::PYTHON_HOME;
