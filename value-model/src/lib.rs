//! Abstract values, the queries that ask for them, and the predictors that answer.
//!
//! A predictor takes a batch of [`Query`] and ranks [`Class`]es for each, with probabilities. It sees code as text
//! and never runs it.

pub mod classes;
pub mod conditions;
pub mod encoding;
pub mod files;
pub mod invariants;
pub mod ipagnn;
pub mod literals;
pub mod plausibility;
pub mod predictors;
mod query;
mod seeded;
mod shipped;
pub mod stacking;
pub mod t5;
#[cfg(feature = "torch")]
pub mod torch;
#[cfg(feature = "torch")]
pub mod train;

pub use classes::{Class, CoarseClass};
pub use conditions::Conditions;
pub use literals::Literals;
pub use plausibility::Plausibility;
pub use predictors::{
    BadModel, BadRecordedCall, Cached, Frequency, FrequencyBuilder, Majority, Model, Naive, NoPredictions, Observed,
    Predictor, Random, Recorded, RecordedValue, Sample,
};
pub use query::{Prediction, Query, QueryForm, Use};
pub use seeded::seeded;
