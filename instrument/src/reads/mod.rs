//! What a program reads of its standard input, as its text says it: lines, their fields, and loops over them.
//!
//! [`reads`] follows the statements in the order in which they run, into functions of the source that are called, and
//! lists each read with its conversion: `n = int(input())` is a line with one whole number that is called `n`. It is an
//! outline: of the ways of a branch the first that reads is followed, and a loop is listed once, with its count.

mod chain;
mod follow;
#[cfg(test)]
mod tests;
mod uses;

pub use uses::Uses;

use crate::semantic::SourceModel;

/// A place where standard input is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Read {
    /// One line.
    Line(Line),
    /// The same reads again and again.
    Repeat {
        /// How often, as Python writes it; `None` where the text does not say it.
        count: Option<String>,
        /// What is read each time.
        body: Vec<Read>,
    },
    /// The same reads until the input ends: `for line in sys.stdin`, a loop that `EOFError` ends.
    ToEnd(Vec<Read>),
    /// All that is left, at once: `sys.stdin.read()`.
    Rest(Line),
}

/// A line of standard input, as the code takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The variables that take its fields.
    pub names: Vec<String>,
    /// What the line consists of.
    pub shape: Shape,
    /// What its fields are converted to.
    pub value: Conversion,
    /// What separates the fields, if it is not white space.
    pub separator: Option<String>,
    /// Line of the source, from 1.
    pub line: u32,
}

impl Line {
    /// How much is said of a line: the number of its fields says most.
    fn says(&self) -> (u8, bool) {
        let shape = match self.shape {
            Shape::One => 0,
            Shape::List => 1,
            Shape::Leading(_) => 2,
            Shape::Fields(_) => 3,
        };
        (shape, self.value != Conversion::Text)
    }
}

/// What the code takes a line of input for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One value.
    One,
    /// So many fields.
    Fields(usize),
    /// Any number of fields.
    List,
    /// So many fields, and any number after them: `first, *rest = input().split()`.
    Leading(usize),
}

/// What the code converts a field of input to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// `int(x)`
    Integer,
    /// `float(x)`
    Real,
    /// Nothing: it stays text.
    Text,
}

/// The reads of a program, in the order in which they happen.
#[must_use]
pub fn reads(model: &SourceModel) -> Vec<Read> {
    model.with_tree(|tree| follow::Follow::of(model, tree.suite())).unwrap_or_default()
}

/// What a program does with values that it may have read.
#[must_use]
pub fn uses(model: &SourceModel) -> Uses {
    model.with_tree(|tree| uses::Walk::of(tree.suite())).unwrap_or_default()
}
