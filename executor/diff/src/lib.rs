//! Does a change of a function change its behaviour?
//!
//! Functions of two versions are matched ([`matched_functions`]), and those that are not the same code ([`candidates`]) are
//! run in pairs: under values that both versions share ([`matching`]) and with what the module around them has ([`siblings`]) and the
//! repository's other modules ([`companions`]), many times ([`pair`]). What a run did is a list of entries that is
//! compared ([`behaviour`]); the outcome is a [`verdict`], which [`render`], [`markdown`] and [`sarif`] show.
//!
//! Of a [`repository`], the files that differ are found ([`renames`]) and the functions in them ([`touched`]); all are
//! compared on all cores, and what is done is kept ([`pool`]).

mod asked_otherwise;
pub mod behaviour;
pub mod candidate;
pub mod candidates;
mod changed_lines;
mod changed_reached;
mod checked_values;
pub mod companions;
pub mod comparison;
mod declared_values;
pub mod file;
pub mod filter;
pub mod importers;
pub mod markdown;
pub mod matched_functions;
pub mod matching;
mod names_of_both;
pub mod object_state;
pub mod options;
pub mod pair;
mod paired_runs;
pub mod pool;
mod project_tests;
pub mod renamed_definitions;
pub mod renames;
pub mod render;
pub mod repository;
pub mod sarif;
pub mod siblings;
pub mod test_file;
mod test_functions;
pub mod touched;
pub mod verdict;
