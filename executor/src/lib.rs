//! The `surmise` command, and one name for the library behind it: each room is a crate of its own.
//!
//! A [`plan::Plan`] holds a source, rewritten and with a predicted class for every site; [`execute`] runs it in a worker
//! forked from a [`client::Zygote`]; [`search`] runs it many times and returns a
//! [`ledger::Ledger`], of which a [`report::Report`] is made. The parent never
//! runs Python; [`zygote`] is the side that does.

pub mod cli;

pub use surmise_batch as batch;
pub use surmise_blame as blame;
pub use surmise_cover as cover;
pub use surmise_diff as diff;
pub use surmise_engine::{client, execute, exit, host, plan, protocol, source, stdin, stop, zygote};
pub use surmise_evaluate as evaluate;
pub use surmise_identity as identity;
pub use surmise_ledger as ledger;
pub use surmise_report as report;
pub use surmise_search as search;
pub use surmise_trace as trace;
