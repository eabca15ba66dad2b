//! A server of the Model Context Protocol over standard input and output: tools that run and compare Python.
//!
//! The protocol is `rmcp`'s, the official Rust SDK. A call becomes a job of the warm engine (`surmise-serve`), and what it
//! comes to an answer of bounded size ([`answers`]), with a schema. Cancelled calls stop their runs; the end of standard
//! input ends the server, and with it every process that it started.

mod answers;
mod bounded;
mod comparison;
mod explanation;
mod inputs;
mod server;

use std::io;

use rmcp::ServiceExt;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::stdio_pipes;
use surmise_serve::Warm;

pub use server::Server;

/// Bytes of one message; longer ones are dropped unread. A source of the largest size fits, with its escapes.
const LONGEST_MESSAGE: usize = 64 << 20;

/// Why the server ended before its client did.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The system gave no event loop.
    #[error("the server cannot be started: {0}")]
    Runtime(#[source] io::Error),
    /// The client began with something other than the protocol's handshake.
    #[error("the client did not begin as the protocol says: {0}")]
    Handshake(String),
}

/// Serves one client on standard input and output until that ends.
///
/// # Errors
/// See [`ServeError`].
pub fn serve(warm: Warm) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ServeError::Runtime)?;
    let served = runtime.block_on(async {
        let (input, output) = stdio_pipes();
        let transport = AsyncRwTransport::new_server(input, output).with_max_line_length(LONGEST_MESSAGE);
        match Server::new(warm).serve(transport).await {
            Ok(service) => {
                let _reason = service.waiting().await;
                Ok(())
            }
            // A client that goes before it has said anything is no error of anybody's.
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(ServeError::Handshake(error.to_string())),
        }
    });
    // A read of standard input that is under way must not hold up the end.
    runtime.shutdown_background();
    served
}
