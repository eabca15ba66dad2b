//! Where a file lies: the module that it is in a package, the project around it, and the environment whose packages it
//! imports. Everything here reads names and small files; no code of the project is run.

mod ask;
mod environment;
mod module;

pub use ask::answer_of;
pub use environment::{Environment, EnvironmentError, Origin};
pub use module::{Module, Project};
