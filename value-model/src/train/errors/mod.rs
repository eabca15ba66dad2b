//! Training of the networks that predict errors, from labelled programs.

mod data;
mod draw;
mod figures;
mod parallel;
#[cfg(test)]
mod tests;
mod trainer;

pub use data::{Examples, Labelled, Part, prepare, read};
pub use figures::{Answer, Figures};
pub use trainer::{ErrorProgress, ErrorRecipe, ErrorTrainer, Selection};
