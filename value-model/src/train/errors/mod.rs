//! Training of the networks that predict errors, from labelled programs.

mod data;
mod draw;
mod figures;
mod parallel;
mod recipe;
#[cfg(test)]
mod tests;
mod trainer;

pub use data::{Examples, Labelled, Part, prepare, read};
pub use figures::{Answer, Figures};
pub use recipe::ErrorRecipe;
pub use trainer::{ErrorProgress, ErrorTrainer, Selection};
