//! What a program's standard input looks like, and inputs that look like that.
//!
//! A [`Grammar`] says which lines the input consists of, what stands in them, and what is true of the values. It comes
//! from a description in English or Japanese ([`description`]), or from the reads of the code itself ([`code`]); a
//! description leaves open where lines end, so [`Inputs`] holds several grammars, each with a probability.
//! [`Grammar::samples`] draws inputs, at the edges of what is allowed and inside. [`verify`] runs a program under them.

pub mod code;
mod compare;
pub mod description;
mod expression;
mod grammar;
mod inputs;
mod sample;
mod token;
pub mod verify;

pub use compare::doubts;
pub use expression::Expression;
pub use grammar::{Block, Field, Grammar, Kind, Relation, Variable};
pub use inputs::{Inputs, Layout, Origin};
pub use sample::{Profile, Sample};
