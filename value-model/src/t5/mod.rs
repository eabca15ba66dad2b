//! T5 on the CPU without a framework: the forward pass, its weights and their formats.
//!
//! The architecture is that of Raffel et al., "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
//! Transformer" (2020), in all details as in `T5ForConditionalGeneration` of Hugging Face transformers: attention
//! without the factor of 1/√d, relative position buckets whose bias lives in the first block of each stack, layer
//! norms that only scale, logits times `d_model^-0.5` where the head was tied. A reference test compares the logits.
//!
//! Sequences are never padded: a batch holds its rows one after the other, and attention looks at one row at a time.
//! The results equal those of padded batches with a mask, without the cost of the padding.
//!
//! ```no_run
//! use surmise_value_model::t5::{Batch, T5};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let model = T5::open(std::path::Path::new("codet5-small"))?;
//! let batch = Batch::new(&[&[1, 42, 7, 2][..]])?;
//! let encoded = model.encode(&batch)?;
//! let logits = model.score(&encoded, &[(0, &[0, 32_099])], &[10, 11, 12])?;
//! # Ok(())
//! # }
//! ```

mod adapter;
mod attention;
mod batch;
mod buckets;
mod buffer;
mod checkpoint;
mod config;
mod decoder;
mod directory;
mod encoder;
mod error;
mod kernels;
mod layers;
mod linear;
mod matrix;
mod model;
mod prefixes;
mod save;
mod sequences;
mod token_encoder;
mod weights;

#[cfg(feature = "torch")]
pub(crate) use adapter::factor_shapes;
#[cfg(any(test, feature = "torch"))]
pub(crate) use adapter::factors;
pub(crate) use adapter::{Adapted, adapted, merge};
pub use batch::Batch;
#[cfg(feature = "torch")]
pub(crate) use buckets::Buckets;
pub use config::{Activation, Config};
pub use error::{InputError, LoadError};
pub(crate) use kernels::relu;
pub use linear::undivided_products;
pub(crate) use matrix::{View, multiply};
pub use model::{Encoded, T5};
pub use save::{Tensors, quantize};
pub use token_encoder::TokenEncoder;
#[cfg(feature = "torch")]
pub(crate) use weights::HEAD;
pub use weights::Weights;
