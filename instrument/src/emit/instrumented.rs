//! What the rewriting for guided runs depends on, and what it gives.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::edits::PositionMap;
use crate::hooks::HookNames;
use crate::marks::Marks;
use crate::sites::{FromImport, Parameter, Site, TryBlock};

/// What the rewriting depends on besides the source.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Major and minor version of the interpreter that will run the text.
    pub python: (u8, u8),
    /// Marks parts of expressions, too, that may not be evaluated though the rest is: operands of `and` and `or`, the sides of
    /// conditional expressions, conditions and elements of comprehensions, and what lambdas give.
    pub parts: bool,
}

impl Options {
    /// For the interpreter of a version, with lines marked and no parts of them.
    #[must_use]
    pub const fn new(python: (u8, u8)) -> Self {
        Self { python, parts: false }
    }
}

/// Numbers that another module's text in one process has taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    /// How many sites it has.
    pub sites: u32,
    /// How many `from` imports it has.
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
    /// Where the parts of expressions stand that are marked; their numbers follow those of the lines.
    pub parts: Vec<Range<u32>>,
    /// From the rewritten text to the source.
    pub positions: PositionMap,
    /// Spelling of the hooks.
    pub hooks: HookNames,
}
