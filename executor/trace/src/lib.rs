//! The parent's side of `surmise trace`: records which values a project's modules use while a command runs.
//!
//! [`record::record`] claims the output folder ([`folder`]), asks the interpreter ([`interpreter`]) and runs the
//! command ([`launch`]) with the recorder in every Python process of it. Each process leaves files in the spool
//! ([`process`]), which are joined by site ([`fold`]) and with the sources ([`modules`]), and written as tables
//! ([`table`]). [`read`] gives the rows back, [`info`] counts them, [`merge`] makes one recording of many.

pub mod absent;
pub mod conditions;
pub mod dataset;
pub mod error;
pub mod fold;
pub mod folder;
pub mod info;
pub mod interpreter;
pub mod join;
pub mod launch;
pub mod library;
mod lines;
pub mod literals;
pub mod merge;
pub mod modules;
pub mod observed;
pub mod process;
pub mod read;
pub mod record;
pub mod row;
pub mod seen;
mod signals;
mod stored;
pub mod summary;
mod table;
#[cfg(test)]
mod tests;
pub mod together;
pub mod within;
pub mod write;
