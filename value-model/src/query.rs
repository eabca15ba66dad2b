//! Queries and answers.

use serde::{Deserialize, Serialize};

use crate::classes::Class;

/// The paper's kinds of value use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// A read of a name.
    Variable,
    /// A read of an attribute.
    Attribute,
    /// The result of a call.
    ReturnValue,
}

impl Use {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Variable, Self::Attribute, Self::ReturnValue];
}

/// How a model is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryForm {
    /// About all sites of a window at once: a mark stands after each.
    #[default]
    Marks,
    /// About one site, as in the paper (Souza and Pradel, FSE 2023, section 3.3):
    /// `name </s> kind </s> code before <mask> code after`.
    Plain,
}

impl QueryForm {
    /// True of what a model's configuration need not say.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::Marks
    }
}

/// A question: which value would be here?
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The name read, or the last component of what is called.
    pub name: &'a str,
    /// The kind of use.
    pub kind: Use,
    /// The whole file.
    pub source: &'a str,
    /// Byte range of the use in `source`: the code before it is `source[..start]`, after it `source[end..]`.
    pub start: usize,
    /// End of the use, exclusive.
    pub end: usize,
    /// Where the value is asked for: the byte after the name, or after the opening parenthesis of a call.
    pub anchor: usize,
}

/// One ranked answer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The class.
    pub class: Class,
    /// Its probability; those of one answer add up to at most 1.
    pub probability: f32,
}
