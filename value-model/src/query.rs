//! What a predictor is asked, and what it answers.

use serde::{Deserialize, Serialize};

use surmise_instrument::SourceModel;

use crate::classes::Class;

/// The kinds of value use that LExecutor distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// A read of a name: `total`.
    Variable,
    /// A read of an attribute: `order.total`.
    Attribute,
    /// The result of a call: `order.total()`.
    ReturnValue,
}

impl Use {
    /// The three kinds, in the order of their numbers in files.
    pub const ALL: [Self; 3] = [Self::Variable, Self::Attribute, Self::ReturnValue];
}

/// The form of the queries that a model was trained on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QueryForm {
    /// One query for all sites of a window: a mark stands after each site.
    #[default]
    Marks,
    /// A query for each site, as in LExecutor (Souza and Pradel, FSE 2023, section 3.3):
    /// `name </s> kind </s> code before <mask> code after`.
    Plain,
}

impl QueryForm {
    /// Whether a model's `config.json` need not name this form.
    pub fn is_usual(&self) -> bool {
        *self == Self::Marks
    }
}

/// The question which value would be at a site.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The name that is read, or the last component of what is called: `total` of `order.total()`.
    pub name: &'a str,
    /// The kind of value use.
    pub kind: Use,
    /// Text of the whole file.
    pub source: &'a str,
    /// The model of this text, where the caller has it; a predictor that needs it makes one otherwise.
    pub model: Option<&'a SourceModel>,
    /// Byte at which the use begins: the code before it is `source[..start]`.
    pub start: usize,
    /// Byte at which the use ends: the code after it is `source[end..]`.
    pub end: usize,
    /// Byte at which the mark stands: after the name, or after the opening parenthesis of a call.
    pub anchor: usize,
}

/// A class that a predictor gives to a site, with its probability.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// The predicted class.
    pub class: Class,
    /// Probability of the class; the probabilities of one answer add up to at most 1.
    pub probability: f32,
}
