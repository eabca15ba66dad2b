//! How versions are compared.

use clap::ValueEnum;
use surmise_engine::plan::Settings;

/// Which revision's other functions and modules a version runs with, where it runs in its module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Callees {
    /// Each version with those of its own revision: what changed in them shows in their callers.
    #[default]
    Own,
    /// Both versions with those of the old revision.
    Old,
    /// Both versions with those of the new revision.
    New,
}

/// What a comparison depends on besides the two versions.
#[derive(Clone)]
pub struct Options {
    /// Predictor, seed, limits; `runs` and `time` are those of each version and of the pair.
    pub settings: Settings,
    /// The text of exceptions counts.
    pub strict_messages: bool,
    /// Calls that log count.
    pub strict_logging: bool,
}
