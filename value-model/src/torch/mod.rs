//! T5 with libtorch (feature `torch`): to train, and to predict on a GPU.
//!
//! The logits equal those of [`crate::t5`] with the same weights; a test compares both.

mod adapted;
mod device;
mod errors;
mod grow;
mod layers;
mod net;
mod padded;
mod positions;
mod reranker;
mod scorer;
mod sequences;
mod shapes;

pub use device::{NoDevice, device};
pub use errors::{ErrorBatch, ErrorNet, ErrorScores};
pub use net::Net;
pub use padded::Padded;
pub use reranker::{Asking, RerankerNet};
pub use scorer::Scorer;

/// The devices of this machine: its processor, and its GPU where there is one.
#[cfg(test)]
pub(crate) fn devices() -> Vec<tch::Device> {
    std::iter::once(tch::Device::Cpu).chain(device(true)).collect()
}

/// Torch has one source of random numbers for all threads: tests that draw from it take turns.
#[cfg(test)]
pub(crate) fn lock() -> std::sync::MutexGuard<'static, ()> {
    static LOCK: std::sync::Mutex<()> = std::sync::Mutex::new(());
    LOCK.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
