//! Does a change of a function change its behaviour?
//!
//! Functions of two versions are matched ([`changed`]), and those that are not the same code are run in pairs: under
//! values that both versions share ([`matching`]), many times ([`pair`]). What a run did is a list of entries that is
//! compared ([`behaviour`]); the outcome is a [`verdict`], which [`render`] shows.

pub mod behaviour;
pub mod changed;
pub mod matching;
pub mod pair;
pub mod render;
pub mod verdict;
