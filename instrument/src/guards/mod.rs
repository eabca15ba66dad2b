//! Conditions that code expects to hold: those that guards of a source ask for, and places where one could stand.
//!
//! As in "Learning to infer run-time invariants from source code" (`BodyGuard`): a guard is taken away, and its condition
//! (or the negation of it) becomes an invariant of the code that it guarded. [`samples`] lists these, [`places`] the
//! regions of a source where nothing is known of the condition. Both come with a [`View`], the same for both: what the
//! source says of each path that a condition may name.

mod asked;
mod condition;
mod excerpt;
mod features;
mod occurrences;
mod pure;
mod regions;
mod spelling;
mod surroundings;
mod view;
mod walk;

pub use asked::{Asked, Likeness, Nearness};
pub use condition::{Condition, Test, negated_template, with_negation};
pub use excerpt::{Excerpt, Location};
pub use regions::{Left, Listed, places, samples};
pub(crate) use spelling::quoted;
pub use spelling::{Slot, Template, fill};
pub use surroundings::{Candidate, Tested, View};

/// What kind of code a condition was written for, or is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GuardKind {
    /// `if x: region`
    If,
    /// `else: region`
    Else,
    /// `if not x: return`, with the region after it.
    Exit,
    /// `assert x`, with the region after it.
    Assert,
    /// `[region for ... if x]`
    Comprehension,
    /// `region if x else ...`
    Choice,
}

impl GuardKind {
    /// Its name in tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::If => "if",
            Self::Else => "else",
            Self::Exit => "exit",
            Self::Assert => "assert",
            Self::Comprehension => "comprehension",
            Self::Choice => "choice",
        }
    }
}

/// A guard that was taken away.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Qualified name of the function.
    pub function: String,
    /// How the condition was written.
    pub kind: GuardKind,
    /// What holds in the region.
    pub condition: Condition,
    /// Where it holds, and what was taken away: bytes of the source.
    pub location: Location,
    /// Equal for functions that differ in literals, comments and spacing only.
    pub function_key: u64,
    /// The place without the guard.
    pub view: View,
}

/// A region of a function.
#[derive(Clone, Debug)]
pub struct Place {
    /// Qualified name of the function.
    pub function: String,
    /// True for a whole body: what holds there is a precondition.
    pub is_body: bool,
    /// Bytes of the source.
    pub location: Location,
    /// First line.
    pub line: u32,
    /// Last line.
    pub end_line: u32,
    /// What guards around ask for already.
    pub facts: Vec<Test>,
    /// What the model sees.
    pub view: View,
}
