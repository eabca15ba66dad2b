//! Why a server ends.

use super::transport::TransportError;

/// Why the server ended before its client did.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// What the client sent is not the protocol.
    #[error("{0}")]
    Transport(#[from] TransportError),
    /// The client did not follow the protocol.
    #[error("the client did not follow the protocol: {0}")]
    Protocol(String),
}
