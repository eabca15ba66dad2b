//! What one run does otherwise than its plan.

use std::collections::BTreeMap;

use pyo3::{FromPyObject, IntoPyObject};
use serde::{Deserialize, Serialize};
use surmise_instrument::{Kind, Site};
use surmise_value_model::Class;

/// Differences from what the predictor would have: none for the first run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Other values, by site.
    pub values: BTreeMap<u32, Value>,
    /// Other answers of operations on stand-ins, by the key of their [`crate::protocol::Chosen`].
    pub choices: BTreeMap<String, Choice>,
    /// The function that the harness calls after the module ran.
    pub call: Option<String>,
    /// Which of the samples of standard input the run reads, where there are several.
    #[serde(default)]
    pub sample: u32,
    /// Record what a script needs to give the same again.
    pub record: bool,
    /// Write down which lines ran, and what the variables were in between. These are the lines on which several
    /// statements stand: there instructions tell which one runs.
    pub trace: Option<Vec<u32>>,
}

/// The value that a site takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Value {
    /// Its class, with the predictor's probability and rank.
    pub assigned: Assigned,
    /// More than the class's usual value.
    pub literal: Option<Literal>,
}

/// The class that a site takes, with its place in the predictor's ranking.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Assigned {
    /// The class whose value is injected.
    pub class: Class,
    /// The predictor's probability for it.
    pub probability: f32,
    /// Its rank, from 1.
    pub rank: u16,
}

/// What is injected in place of a class's usual value.
#[derive(Clone, Debug, PartialEq, PartialOrd, Serialize, Deserialize, IntoPyObject)]
#[serde(rename_all = "kebab-case")]
pub enum Literal {
    /// This string.
    Text(String),
    /// This number.
    Integer(i64),
    /// This number.
    Real(f64),
    /// So many elements, or characters.
    Length(u16),
    /// This in it: a key, an element, a part.
    Holds(String),
    /// This value, as Python writes it: a real one, whose errors are those of the code.
    Given(String),
    /// A value that somebody proposes, as Python writes it: injected like any other.
    Written(String),
    /// What this dotted name of the program stands for.
    Named(String),
    /// One of the elements, keys or characters of what this dotted name of the program stands for.
    Member(String),
    /// An instance of the class of this dotted name of the program.
    Instance(String),
    /// No value: the call raises the class of this dotted name.
    Raises(Option<String>),
}

/// An answer in place of the usual one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, FromPyObject)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Yes or no: truth, comparisons, membership; whether a failure that a handler of the code expects stands.
    Truth(bool),
    /// So many elements.
    Count(u16),
    /// This argument of the command line, or this variable of the environment.
    Text(String),
    /// The operation raises the class of this dotted name; `None` is any.
    Raises(Option<String>),
}

impl Literal {
    /// What the runtime's Python calls it.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Integer(_) | Self::Real(_) => "number",
            Self::Length(_) => "length",
            Self::Holds(_) => "holds",
            Self::Given(_) => "given",
            Self::Written(_) => "written",
            Self::Named(_) => "named",
            Self::Member(_) => "member",
            Self::Instance(_) => "instance",
            Self::Raises(_) => "raises",
        }
    }

    /// A literal for the runtime's Python: its kind, empty for none, and its value.
    pub(crate) fn with_kind(literal: Option<&Self>) -> (&'static str, Option<Self>) {
        (literal.map_or("", Self::kind), literal.cloned())
    }
}

impl Trial {
    /// How many things are different.
    #[must_use]
    pub fn changes(&self) -> usize {
        self.values.len() + self.choices.len()
    }

    /// Sites of attributes and calls at which a value of the trial goes before a real one: those that it changes, and
    /// all that read an attribute of the same name.
    pub(crate) fn replaced(&self, sites: &[Site]) -> Vec<usize> {
        let changed = |number: usize| u32::try_from(number).is_ok_and(|number| self.values.contains_key(&number));
        let reads_changed = |name: &str| {
            let mut changed = self.values.keys().filter_map(|&number| sites.get(number as usize));
            changed.any(|site| site.kind == Kind::Attribute && site.name == name)
        };
        let is_replaced = |(number, site): &(usize, &Site)| match site.kind {
            Kind::Variable => false,
            Kind::Attribute => reads_changed(&site.name),
            Kind::ReturnValue => changed(*number),
        };
        let replaced = sites.iter().enumerate().filter(|_| !self.values.is_empty()).filter(is_replaced);
        replaced.map(|(number, _)| number).collect()
    }

    /// True if it gives real values.
    #[must_use]
    pub fn is_probe(&self) -> bool {
        self.values.values().any(|value| matches!(value.literal, Some(Literal::Given(_))))
    }

    /// The same with another value.
    #[must_use]
    pub fn with_value(&self, site: u32, value: Value) -> Self {
        let mut trial = self.clone();
        trial.values.insert(site, value);
        trial
    }

    /// The same with another answer.
    #[must_use]
    pub fn with_choice(&self, key: &str, choice: Choice) -> Self {
        let mut trial = self.clone();
        trial.choices.insert(key.to_owned(), choice);
        trial
    }
}
