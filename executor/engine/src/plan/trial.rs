//! What one run does otherwise than its plan.

use std::collections::BTreeMap;

use crate::protocol::{Assigned, Choice, Literal};

/// Differences from what the predictor would have: none for the first run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trial {
    /// Other values, by site.
    pub values: BTreeMap<u32, Value>,
    /// Other answers of operations on stand-ins, by their key.
    pub choices: BTreeMap<String, Choice>,
    /// This function is called after the module ran.
    pub drive: Option<String>,
}

/// A value that a search chose.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its class, with the predictor's probability and rank.
    pub assigned: Assigned,
    /// More than the class's usual value.
    pub literal: Option<Literal>,
}

impl Trial {
    /// How many things are different.
    #[must_use]
    pub fn changes(&self) -> usize {
        self.values.len() + self.choices.len()
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
