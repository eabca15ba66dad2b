//! From a description in English or Japanese to grammars.
//!
//! The spelling is made uniform (`token`), then three things are read from it: what is true of the values
//! ([`constraints`], [`kinds`]), in which order they come ([`layout`], or [`prose`] where there is no picture of the
//! input), and where lines end, which a description without line breaks leaves open: each possibility gets a probability.

mod constraints;
mod kinds;
mod layout;
mod lines;
mod prose;
#[cfg(test)]
mod tests;

use crate::grammar::Grammar;
use crate::token;

/// What a description says.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// Grammars that fit it, with their probabilities, the likeliest first; none where it does not say in which order
    /// the values come.
    pub grammars: Vec<(Grammar, f64)>,
    /// What it says of values, without an order.
    pub values: Grammar,
    /// The order was read from sentences, which may speak of a line in words that were not understood.
    pub is_prose: bool,
}

impl Description {
    /// Reads a description.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let clean = token::clean(text);
        let mut values = constraints::constraints(&clean);
        let pictured = layout::elements(&clean, &values);
        let is_prose = pictured.is_none();
        let Some(mut elements) = pictured.or_else(|| prose::elements(&clean, &values)) else {
            return Self { grammars: Vec::new(), values, is_prose };
        };
        layout::declare(&elements, &mut values);
        kinds::kinds(&clean, &mut values);
        layout::join_letters(&mut elements, &values);
        let layouts = lines::layouts(&elements, &values);
        let grammars = layouts.into_iter().map(|(blocks, weight)| {
            let mut grammar = Grammar { blocks, ..values.clone() };
            grammar.settle_bounds();
            (grammar, weight)
        });
        Self { grammars: grammars.collect(), values, is_prose }
    }

    /// True if nothing in it says what the input is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.grammars.is_empty() && self.values.variables.is_empty()
    }
}
