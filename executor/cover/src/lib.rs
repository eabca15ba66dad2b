//! Many snippets: which there are ([`items`]), running them on all cores ([`pool`]), keeping every result ([`surmise_batch::store`]),
//! and what they come to ([`summary`], [`render`]).
//!
//! Results are written as they come, one checked line each, and the rest is read from there: memory does not grow
//! with the number of snippets beyond a few bytes each, and a killed batch goes on where it stopped.

pub mod items;
pub mod lcov;
pub mod pages;
pub mod pool;
pub mod record;
pub mod render;
pub mod summary;

use clap::ValueEnum;
use surmise_engine::plan::PredictorChoice;

/// One way to run every snippet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Who predicts.
    pub predictor: PredictorChoice,
    /// Runs of a snippet at most.
    pub runs: u32,
}

impl Configuration {
    /// The name of the configuration in results and tables: `model`, `naive x64`.
    pub fn name(self) -> String {
        let predictor =
            self.predictor.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        if self.runs == 1 { predictor } else { format!("{predictor} x{}", self.runs) }
    }
}
