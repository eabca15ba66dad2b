//! Labelled programs: originals and their mutants, each with the error that it raises, and where.
//!
//! [`programs`] reads originals with descriptions of their input and says which split each belongs to, by its problem.
//! [`bugs`] puts the mutants of one original into an order without an end, [`run`] runs them in the sandbox under
//! inputs under which the original comes to its end, and [`labelling`] does that for all originals, round by round,
//! keeps what is done and can be interrupted. [`card`] counts.

pub mod bugs;
pub mod card;
pub mod labelling;
pub mod programs;
pub mod run;
