//! Rewrites Python source so that every use of a value that may be missing goes through a hook of the runtime.
//!
//! [`SourceModel::parse`] parses a source once and finds what each name means, what may be missing and what feeds what;
//! everything else is a question about that model. The rewriting is a list of text edits at byte offsets. No line is added or removed, so line numbers hold; a
//! [`PositionMap`] leads from columns of the rewritten text back to the source. Names stay as they are wherever the
//! analysis of scopes and control flow proves them bound; attributes, calls and the remaining names become calls
//! of hooks that live in `builtins` (see [`hooks`]) and carry only the number of their [`Site`].
//!
//! This crate sees text only: it runs no Python, opens no file and knows no model.

/// An enumeration whose variants are also numbers, from 0 on without gaps.
macro_rules! numbered {
    ($(#[$about:meta])* $name:ident: $($variant:ident = $doc:literal;)*) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $(#[doc = $doc] $variant,)* }

        impl $name {
            /// All of them, by their number.
            pub const ALL: &[Self] = &[$(Self::$variant),*];
        }
    };
}

mod assertions;
pub mod checked;
pub mod cleanup;
pub mod constructors;
pub mod counted;
pub mod docstrings;
mod emit;
pub mod equivalent;
mod error;
pub mod evidence;
pub mod extract;
mod foreign;
pub mod guards;
pub mod hints;
pub mod hooks;
pub mod initial;
mod lines;
pub mod mappings;
mod marks;
mod matching_texts;
pub mod mutate;
mod narrowing;
pub mod object_attributes;
mod one_line;
mod outdated;
pub mod paths;
mod pattern_groups;
pub mod program_graph;
pub mod reads;
mod role;
pub mod same;
mod semantic;
mod sites;
mod solved;
pub mod type_doubts;
mod written;

pub use assertions::without_assertions;
pub use emit::downstream::roles_of_name;
pub use emit::edits::{PositionMap, Segment, SourceRanges};
pub use emit::instrumented::{Instrumented, Options, Taken};
pub use emit::record;
pub use error::{Error, MAX_SOURCE_BYTES};
pub use foreign::{called_by_others, foreign_names};
pub use hooks::HookNames;
pub use lines::LineIndex;
pub use marks::{MODULE_ENTRY, Marks};
pub use narrowing::narrowing_lines;
pub use one_line::{has_comprehension, leaves_no_trace, one_line};
pub use outdated::Outdated;
pub use role::{Role, Roles, Types};
pub use semantic::SourceModel;
pub use semantic::control_flow;
pub use sites::{FromImport, Kind, Parameter, Site, TryBlock};
pub use written::Written;

/// Rewrites a module so that uses of values that may be missing go through hooks.
#[must_use]
pub fn instrument(model: &SourceModel, options: Options) -> Instrumented {
    emit::guards::Guards::new(model, options, None).emit()
}

/// Rewrites a function that is to run in its imported module: there real code may refuse what is made up, so that
/// assignments to attributes, calls with `*` and `**` and `isinstance` go through hooks, too.
#[must_use]
pub fn instrument_in_place(model: &SourceModel, options: Options) -> Instrumented {
    emit::guards::Guards::new(model, options, None).in_place().emit()
}

/// Rewrites a companion module of another one: hooks carry the numbers that follow on those taken, and no line is
/// marked. The tables begin at the first number that is free.
#[must_use]
pub fn instrument_companion(model: &SourceModel, options: Options, taken: Taken) -> Instrumented {
    emit::guards::Guards::new(model, options, Some(taken)).emit()
}
