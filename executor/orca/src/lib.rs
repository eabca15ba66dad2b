//! Predictive execution: a language model walks the control flow graph of a program with a symbol table and says which
//! blocks are visited, which values variables have, and where an error is raised; the program is really run, and both are
//! compared.
//!
//! The method is ORCA's: "Planning a Large Language Model for Static Detection of Runtime Errors in Code Snippets". One
//! request asks for the whole traversal. [`Blocks`] are the graph, [`question`] asks about it, [`read`] reads the answer,
//! [`Trace::executed`] has the same form of what ran, and [`Metrics`] are the paper's measures of their agreement.

mod blocks;
mod executed;
mod metrics;
mod page;
mod prompt;
mod render;
mod reply;

use serde::Serialize;
use surmise_llm::{Spent, Usage};

pub use blocks::{Block, Blocks, Statement, Way};
pub use executed::{Entry, ErrorAt, SymbolTable, Trace, Visit};
pub use metrics::{Agreement, Detection, Level, Metrics, first_divergence};
pub use page::page;
pub use prompt::{Known, question};
pub use render::terminal;
pub use reply::read;

/// A prediction beside the execution.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Names the form: `surmise.predict-orca/1`.
    pub schema: &'static str,
    /// The file's name.
    pub file: String,
    /// Name of the model.
    pub model: String,
    /// The statements of each block, from block 1 on: line and text.
    pub blocks: Vec<Vec<(u32, String)>>,
    /// Variables that had values before the first block.
    pub initial: SymbolTable,
    /// Other values that were injected.
    pub injected: Vec<String>,
    /// What the model predicts.
    pub predicted: Trace,
    /// What ran.
    pub executed: Trace,
    /// Place of the first visit in which they differ, from 0; `None` if none does.
    pub first_divergence: Option<usize>,
    /// Their agreement.
    pub metrics: Metrics,
    /// What the model wrote.
    pub answer: String,
    /// The answer was cut at its limit of tokens.
    pub answer_is_cut: bool,
    /// Tokens of question and answer, as they were counted when it came: those of an answer from the cache, too.
    pub answer_usage: Usage,
    /// What was spent.
    pub spent: Spent,
}

impl Comparison {
    /// Name of the form that `--json` prints.
    pub const SCHEMA: &'static str = "surmise.predict-orca/1";

    /// Compares an answer with what ran.
    #[must_use]
    pub fn new(
        (file, model): (&str, &str),
        blocks: &Blocks,
        known: Known,
        executed: Trace,
        answer: surmise_llm::Answer,
        spent: Spent,
    ) -> Self {
        let predicted = read(&answer.text, blocks);
        let statements = |block: &Block| block.statements.iter().map(|one| (one.line, one.text.clone())).collect();
        Self {
            schema: Self::SCHEMA,
            file: file.to_owned(),
            model: model.to_owned(),
            blocks: blocks.blocks.iter().map(statements).collect(),
            initial: known.symbols,
            injected: known.values,
            first_divergence: first_divergence(&predicted, &executed),
            metrics: Metrics::of(&predicted, &executed),
            predicted,
            executed,
            answer: answer.text,
            answer_is_cut: answer.is_cut,
            answer_usage: answer.usage,
            spent,
        }
    }
}
