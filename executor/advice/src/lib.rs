//! Values that a language model proposes for what is missing in a snippet, checked and tried in runs.
//!
//! A search with the built-in model comes first, and its runs tell what is missing. The language model is then asked
//! once for values of all of that, as SelfPiCo and Treefix ask (and once more after a failure, with what was raised
//! where). A value that is no literal or constructor of a known type is refused, and so is one that the code cannot use.
//! A second search runs with the others. Whatever goes wrong with the server, the first search stands.

mod advisor;
mod missing;
mod proposals;
mod question;

pub use advisor::{Advice, Advisor};
pub use missing::{Asked, Missing};
pub use proposals::{Proposals, Refused};
