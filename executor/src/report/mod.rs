//! Reports for people and for programs.

pub mod html;
pub mod json;
pub mod terminal;
