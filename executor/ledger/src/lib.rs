//! The runs of one program, as data.
//!
//! A [`Ledger`] lists what the runs of one plan left, an [`Entry`] each: the trial, the values and answers with their
//! provenance, the lines, the error, the outcome. What a search tries next, which errors are the program's own, in what
//! two versions differ and what a report shows are functions over [`Facts`], the plan and its ledger. Nothing here runs
//! anything, and nothing knows why a run was made.

mod entry;
mod errors;
mod facts;
mod ledger;
pub mod shapes;
mod sides;
#[cfg(test)]
mod tests;

pub use entry::Entry;
pub use errors::{
    blamed_type, is_of_content, is_of_names, is_of_syntax, is_of_system, is_of_types, is_of_unpacking, is_of_values,
};
pub use facts::Facts;
pub use ledger::{Ledger, Recording};
