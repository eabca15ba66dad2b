//! Long work that loses nothing: on all cores ([`pool`]), with results on disk as they come ([`store`]), and an end on
//! request ([`interrupted`]).

mod error;
mod interrupt;
pub mod pool;
pub mod store;

pub use error::BatchError;
pub use interrupt::{end_on_signals, interrupted};
