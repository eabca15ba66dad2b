//! What worker and recorder both know of CPython: where a frame keeps its variables ([`frames`]), how compiled code
//! tells its source positions ([`positions`]), how an object is called without a frame ([`vectorcall`]), how an
//! exception that is on its way is held up ([`exceptions`]), and which CPython is linked ([`version()`]).
//!
//! These facts differ from version to version of CPython. The crate states each of them once, for the version that
//! pyo3 links, and knows nothing of Surmise: no sites, no runs, no recordings.

pub mod exceptions;
pub mod frames;
pub mod positions;
pub mod vectorcall;
mod version;

pub use version::{full_version, version};

/// Major and minor version of the CPython that this build links, as `3.11`; its workers and its recorder take no other.
pub const PYTHON_VERSION: &str = env!("SURMISE_PYTHON_VERSION");
