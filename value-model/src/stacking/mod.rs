//! A second, small model over the first one's answers (stacked generalization, Wolpert 1992): it weighs what the T5
//! read near a site against its answers at related sites, and against what the source says anywhere (literals,
//! annotations, imports and definitions).

mod features;
mod stacker;

pub(crate) use features::CLASSES;
#[cfg(feature = "torch")]
pub(crate) use features::forget_definitions;
pub use features::{Features, WIDTH};
pub use stacker::Stacker;
#[cfg(feature = "torch")]
pub(crate) use stacker::names;
