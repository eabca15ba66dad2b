//! The Python of documentation pages and docstrings: found ([`read`]), joined where blocks build on each other, run, and judged
//! ([`examine`]), many pages at a time ([`pool`]).
//!
//! What a page does not show is injected, as in every run. Only what fails whatever was injected is certain; what the
//! page itself shows or announces to fail is expected.

pub mod checked;
mod docstrings;
pub mod examine;
mod judge;
mod language;
mod markdown;
mod notebook;
pub mod page;
pub mod pool;
mod program;
pub mod read;
pub mod render;
mod restructured;
mod robust;
pub mod sarif;
mod session;
mod shown;
mod sources;
