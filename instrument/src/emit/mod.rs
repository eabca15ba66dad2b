//! Text from a [`crate::SourceModel`]: two emitters over one list of uses, which turn it into edits at byte offsets.

pub(crate) mod downstream;
pub(crate) mod edits;
pub(crate) mod guards;
pub(crate) mod instrumented;
mod nest;
pub mod record;
