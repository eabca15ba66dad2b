//! A comparison as one HTML page: no script, nothing loaded, every text escaped by the template engine.

use std::collections::BTreeSet;

use askama::Template;
use surmise_report::visible::visible;

use crate::Comparison;
use crate::executed::{SymbolTable, Visit};
use crate::metrics::wrong_values;
use crate::render::{agreement, error, visit_text};

/// Visits that are shown, and characters of the model's answer.
const VISITS: usize = 2_000;
const ANSWER: usize = 50_000;

#[derive(Template)]
#[template(path = "orca.html")]
struct Page {
    file: String,
    model: String,
    exact: bool,
    facts: Vec<(&'static str, String)>,
    rows: Vec<Row>,
    left_out: usize,
    blocks: Vec<(usize, Vec<(u32, String)>)>,
    initial: String,
    injected: Vec<String>,
    answer: String,
}

/// A visit, predicted and executed.
struct Row {
    number: usize,
    /// `first`, `after` the first divergence, or empty.
    look: &'static str,
    /// Predicted and executed.
    cells: [Option<Cell>; 2],
}

struct Cell {
    visit: String,
    symbols: Vec<(String, bool)>,
}

/// Renders a comparison as a page.
#[must_use]
pub fn page(comparison: &Comparison) -> String {
    let page = Page::new(comparison);
    // The only error is the writer's, and a string takes everything.
    page.render().unwrap_or_else(|error| format!("<!doctype html><title>Surmise</title><p>{error}"))
}

impl Page {
    fn new(comparison: &Comparison) -> Self {
        let (predicted, executed, metrics) = (&comparison.predicted, &comparison.executed, &comparison.metrics);
        let longest = predicted.visits.len().max(executed.visits.len());
        let empty = SymbolTable::new();
        let row = |at: usize| {
            let (own, real) = (predicted.visits.get(at), executed.visits.get(at));
            let table = |visit: Option<&Visit>| visit.map_or_else(|| empty.clone(), |visit| visit.symbols.clone());
            // Values are compared while the blocks are the same.
            let compared = comparison.first_divergence.is_none_or(|first| at < first);
            let wrong = if compared {
                real.map(|real| wrong_values(&table(own), real)).unwrap_or_default()
            } else {
                BTreeSet::new()
            };
            let cell = |visit: &Visit| Cell {
                visit: visit_text(visit),
                symbols: visit
                    .symbols
                    .iter()
                    .map(|(name, entry)| {
                        (visible(&format!("{name} = {}", entry.value)).into_owned(), wrong.contains(name))
                    })
                    .collect(),
            };
            let look = match comparison.first_divergence {
                Some(first) if at == first => "first",
                Some(first) if at > first => "after",
                _ => "",
            };
            Row { number: at + 1, look, cells: [own.map(cell), real.map(cell)] }
        };
        let (right, all) = metrics.values;
        let mut facts = vec![
            ("Exact match", if metrics.exact_match { "yes" } else { "no" }.to_owned()),
            ("Statements, common prefix", agreement(metrics.statements.prefix)),
            ("Statements, coverage", agreement(metrics.statements.coverage)),
            ("Blocks, common prefix", agreement(metrics.blocks.prefix)),
            ("Blocks, coverage", agreement(metrics.blocks.coverage)),
            ("Transitions", agreement(metrics.transitions)),
            ("Values at ends of blocks", format!("{right} of {all} right")),
            ("Values that are not known in full", format!("{} left out", metrics.values_left_out)),
            ("Predicted error", error(predicted.error.as_ref())),
            ("Executed error", error(executed.error.as_ref())),
            ("Spent", comparison.spent.to_string()),
        ];
        if executed.is_cut {
            facts.push(("Executed trace", "longer than what is kept: compared as far as it goes".to_owned()));
        }
        let initial: Vec<String> =
            comparison.initial.iter().map(|(name, entry)| format!("{name} = {}", entry.value)).collect();
        let line = |(line, text): &(u32, String)| (*line, visible(text).into_owned());
        Self {
            file: visible(&comparison.file).into_owned(),
            model: visible(&comparison.model).into_owned(),
            exact: metrics.exact_match,
            facts,
            rows: (0..longest.min(VISITS)).map(row).collect(),
            left_out: longest.saturating_sub(VISITS),
            blocks: (1..).zip(comparison.blocks.iter().map(|block| block.iter().map(line).collect())).collect(),
            initial: visible(&initial.join(", ")).into_owned(),
            injected: comparison.injected.iter().map(|value| visible(value).into_owned()).collect(),
            answer: visible(&comparison.answer.chars().take(ANSWER).collect::<String>()).into_owned(),
        }
    }
}
