//! T5 with libtorch (feature `torch`): to train, and to predict on a GPU.
//!
//! The same weights give the same logits as those of [`crate::t5`]: a test compares both.

mod device;
mod dimensions;
mod net;
mod padded;
mod positions;
mod scorer;
mod widen;

pub use device::{NoDevice, device};
pub use dimensions::Dimensions;
pub use net::Net;
pub use padded::Padded;
pub use scorer::Scorer;
