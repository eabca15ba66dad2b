//! Answer of the tool that compares versions.

use schemars::JsonSchema;
use serde::Serialize;
use surmise_diff::comparison::Comparison;
use surmise_diff::render::summary;
use surmise_diff::verdict::Witness;
use surmise_serve::Compared;

use super::bounded::{self, LeftOut, short};

/// What a comparison found.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CompareAnswer {
    /// How many functions differ, in a sentence.
    pub(crate) summary: String,
    /// The functions, those that differ first.
    pub(crate) functions: Vec<FunctionAnswer>,
    /// What else is to be known.
    pub(crate) warnings: Vec<String>,
    /// What this answer leaves out to stay short, and functions that the time did not suffice for.
    pub(crate) left_out: Vec<String>,
}

/// What was found of one function.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FunctionAnswer {
    /// Its qualified name.
    pub(crate) name: String,
    /// `different`: the versions behave differently; `possible`: only under unlikely values; `equal`; `unknown`; `added`
    /// and `removed`: one version lacks the function.
    pub(crate) verdict: String,
    /// What the verdict rests on.
    pub(crate) reason: String,
    /// First line in the old version, from 1; 0 where it lacks the function.
    pub(crate) old_line: u32,
    /// First line in the new version.
    pub(crate) new_line: u32,
    /// Number of runs of each version.
    pub(crate) runs: u32,
    /// Values under which the versions do different things.
    pub(crate) witness: Option<WitnessAnswer>,
}

/// Values under which two versions do different things, and what they do.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WitnessAnswer {
    /// Values that were injected.
    pub(crate) values: Vec<Given>,
    /// In what the versions differ first: `call`, `return`, `raise`, `output`, `state`.
    pub(crate) kind: String,
    /// What the old version does there; nothing if it is over.
    pub(crate) old: Option<String>,
    /// What the new version does there.
    pub(crate) new: Option<String>,
    /// A call that shows the difference without injected values, if there is one.
    pub(crate) call: Option<String>,
}

/// An injected value.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Given {
    /// Access path such as `order.total`.
    pub(crate) path: String,
    /// The value as it prints.
    pub(crate) value: String,
}

impl CompareAnswer {
    pub(crate) fn new(compared: &Compared) -> Self {
        let mut left_out = LeftOut::default();
        let mut functions: Vec<FunctionAnswer> = compared.comparisons.iter().map(FunctionAnswer::new).collect();
        let order = ["different", "possible", "removed", "added", "unknown", "equal"];
        functions.sort_by_key(|function| order.iter().position(|verdict| *verdict == function.verdict));
        let count = |verdict: &str| functions.iter().filter(|function| function.verdict == verdict).count();
        let counts: Vec<String> = order
            .iter()
            .map(|verdict| (count(verdict), verdict))
            .filter(|(count, _)| *count > 0)
            .map(|(count, verdict)| format!("{count} {verdict}"))
            .collect();
        let summary = if counts.is_empty() {
            "neither version has a function that was asked for".to_owned()
        } else {
            counts.join(", ")
        };
        let functions = left_out.items("functions", functions, bounded::VALUES);
        let mut notes = left_out.into_notes();
        if !compared.left_out.is_empty() {
            let names = short(&compared.left_out.join(", "));
            notes.push(format!("not compared, because the time was up: {names}"));
        }
        let warnings = compared.warnings.iter().take(bounded::ITEMS).map(|warning| short(warning)).collect();
        Self { summary, functions, warnings, left_out: notes }
    }
}

impl FunctionAnswer {
    fn new(comparison: &Comparison) -> Self {
        Self {
            name: short(&comparison.name),
            verdict: comparison.verdict.as_str().to_owned(),
            reason: short(&summary(comparison)),
            old_line: comparison.lines.0,
            new_line: comparison.lines.1,
            runs: comparison.runs,
            witness: comparison.verdict.witness().map(WitnessAnswer::new),
        }
    }
}

impl WitnessAnswer {
    fn new(witness: &Witness) -> Self {
        let given = |(path, value): &(String, String)| Given { path: short(path), value: short(value) };
        Self {
            values: witness.given.iter().take(bounded::ITEMS).map(given).collect(),
            kind: witness.kind.clone(),
            old: witness.old.as_deref().map(short),
            new: witness.new.as_deref().map(short),
            call: witness.test.as_ref().map(|test| short(&test.call)),
        }
    }
}
