//! Rewrites Python source so that every use of a value that may be missing goes through a hook of the runtime.
//!
//! The rewriting is a list of text edits at byte offsets. No line is added or removed, so line numbers hold; a
//! [`PositionMap`] leads from columns of the rewritten text back to the source. Names stay as they are wherever the
//! analysis of scopes and control flow proves them bound; attributes, calls and the remaining names become calls
//! of hooks that live in `builtins` (see [`hooks`]) and carry only the number of their [`Site`].
//!
//! This crate sees text only: it runs no Python, opens no file and knows no model.

pub mod anchors;
mod bits;
mod builtin_names;
pub mod cleanup;
mod edits;
pub mod evidence;
pub mod extract;
mod flow;
pub mod hooks;
mod lines;
mod marks;
mod nesting;
pub mod paths;
pub mod record;
mod rewrite;
mod roles;
pub mod same;
mod scopes;
mod sites;
mod symbols;

use serde::{Deserialize, Serialize};

pub use edits::{PositionMap, Segment};
pub use hooks::HookNames;
pub use lines::LineIndex;
pub use marks::{MODULE_ENTRY, Marks};
pub use roles::{Role, Roles, Types};
pub use sites::{FromImport, Kind, Parameter, Site, TryBlock};

/// Sources are addressed by 32-bit offsets and live in memory several times over.
pub const MAX_SOURCE_BYTES: usize = 16 << 20;

/// What the rewriting depends on besides the source.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Major and minor version of the interpreter that will run the text.
    pub python: (u8, u8),
}

/// Numbers that another module's text in the same process has taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    /// Its sites.
    pub sites: u32,
    /// Its `from` imports.
    pub imports: u32,
}

/// A rewritten module and its tables.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Instrumented {
    /// The rewritten text.
    pub text: String,
    /// Every hooked use, by number.
    pub sites: Vec<Site>,
    /// Names of the functions and classes that sites stand in; the first is the module's, empty.
    pub functions: Vec<String>,
    /// All `try` statements.
    pub tries: Vec<TryBlock>,
    /// All `from` imports, by the number that their hook carries.
    pub imports: Vec<FromImport>,
    /// The parameters of all functions, in the order of the text.
    pub parameters: Vec<Parameter>,
    /// How lines are marked.
    pub marks: Marks,
    /// From the rewritten text to the source.
    pub positions: PositionMap,
    /// Spelling of the hooks.
    pub hooks: HookNames,
}

/// Why a source could not be rewritten.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum Error {
    /// The source does not parse.
    #[error("line {line}: {message}")]
    Syntax {
        /// Line of the first error, from 1.
        line: u32,
        /// What the parser said.
        message: String,
    },
    /// The source is larger than [`MAX_SOURCE_BYTES`].
    #[error("the source has {0} bytes, more than the {MAX_SOURCE_BYTES} that Surmise takes")]
    TooLarge(usize),
}

/// Rewrites a module.
///
/// # Errors
/// [`Error::Syntax`] where the source does not parse ([`cleanup::prepare`] mends pasted code first), and
/// [`Error::TooLarge`].
pub fn instrument(source: &str, options: Options) -> Result<Instrumented, Error> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(Error::TooLarge(source.len()));
    }
    nesting::parse(source, |module, nesting| rewrite::rewrite(source, &module.body, nesting, options, None))
}

/// Rewrites a module that runs beside another one: hooks carry the numbers that follow on those taken, and no line is
/// marked. The tables begin at the first number that is free.
///
/// # Errors
/// As for [`instrument()`].
pub fn instrument_beside(source: &str, options: Options, taken: Taken) -> Result<Instrumented, Error> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(Error::TooLarge(source.len()));
    }
    nesting::parse(source, |module, nesting| rewrite::rewrite(source, &module.body, nesting, options, Some(taken)))
}
