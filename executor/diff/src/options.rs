//! How versions are compared.

use surmise_engine::plan::Settings;

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
