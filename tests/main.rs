//! The whole-program tests, in one test program, so that it is linked once and no function of `support` is unused.
//!
//! `cargo test -p surmise-executor --test whole hostile::` runs those of one module.

mod check;
mod check_verdicts;
mod command;
mod complete;
mod cover;
mod datasets;
mod diff;
mod diff_alike;
mod diff_annotations;
mod diff_companion_modules;
mod diff_operations;
mod diff_refactorings;
mod diff_repository;
mod diff_rewritings;
mod diff_streams;
mod diff_values;
mod diff_variables;
mod explain;
mod fuzz;
mod hostile;
mod in_place;
mod in_place_refusals;
mod in_place_state;
mod in_place_values;
mod incomplete;
mod inputs;
mod invariants;
mod language_model;
mod learning;
mod own_values;
mod predict;
mod predict_errors;
mod preloaded_modules;
mod sandbox;
mod schemas;
mod script;
mod search;
mod search_classes;
mod search_given;
mod settings;
mod stop;
mod support;
mod surroundings;
mod templates;
mod terminal;
mod trace;
mod trace_files;
#[cfg(feature = "torch")]
mod training;
mod verdicts;
mod verdicts_classes;
mod verdicts_outside;
mod verdicts_positions;
mod virtual_time;
