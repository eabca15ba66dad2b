//! A language server: errors, injected values and coverage of Python files in an editor.
//!
//! One thread ([`server`]) owns all state and takes everything in its order: messages of the client, results of the
//! engine, and the times at which files are due. Runs are jobs of the warm engine (`surmise-serve`); what they come to is
//! kept beside the text that was run ([`document`]), and requests are answered from there by functions that only read
//! ([`diagnostics`], [`hints`], [`hover`], [`lenses`]). A file is run when it is opened and saved and, unless it is large,
//! a moment after it was changed; a change stops the run of the older text.

mod client;
mod diagnostics;
mod document;
mod error;
mod hints;
mod hover;
mod lenses;
mod position;
mod server;
mod transport;

use surmise_serve::Warm;

pub use error::ServeError;
pub use transport::TransportError;

/// Serves one client on standard input and output until that ends. True if the client shut the server down before it
/// ended the connection.
///
/// # Errors
/// See [`ServeError`].
pub fn serve(warm: Warm) -> Result<bool, ServeError> {
    let (connection, input) = transport::stdio();
    let ended = server::Server::new(connection, warm).map(server::Server::run);
    match (ended, input.failure()) {
        // What is wrong with the input is why the conversation ended.
        (_, Some(failure)) => Err(failure.into()),
        (ended, None) => ended,
    }
}
