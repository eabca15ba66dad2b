//! `surmise invariants`: conditions that code expects to hold, learned from guards that people wrote elsewhere.
//!
//! [`find`] asks the model for each region of each function and runs nothing. [`validate`] checks the conditions at their
//! places while a command runs, [`guided`] makes runs in which a condition is violated, to see whether the code fails
//! then. A condition that is needed and stands nowhere is a missing guard.

pub mod find;
pub mod guided;
pub mod invariant;
pub mod page;
pub mod render;
pub mod validate;

pub use find::{Found, Limits, Per, find};
pub use invariant::{Invariant, Status};
