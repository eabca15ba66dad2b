//! What is known of each function, above it: how much of it runs reached, and whether it differs from the last commit.

use lsp_types::{CodeLens, Command, Range, Uri};
use serde_json::json;
use surmise_diff::comparison::Comparison;
use surmise_diff::render;
use surmise_diff::verdict::{Ground, Verdict};
use surmise_serve::FunctionCoverage;

use super::document::Document;
use super::position::{Encoding, Lines};

/// Command that runs a file again.
pub(crate) const RUN: &str = "surmise.run";
/// Command that shows how a function differs from the last commit.
pub(crate) const SHOW_DIFFERENCE: &str = "surmise.showDifference";

/// Characters of a line of a shown difference.
const WIDTH: usize = 160;

/// The lenses of a file, for functions whose first line is as it was when they were run.
pub(crate) fn of(document: &Document, encoding: Encoding) -> Vec<CodeLens> {
    let Some(analysis) = &document.analysis else { return Vec::new() };
    let lines = Lines::new(&analysis.report.source, encoding);
    let mut lenses = Vec::new();
    for function in analysis.functions.iter().filter(|function| document.is_as_run(function.line)) {
        let range = lines.range(function.line, None, None);
        if function.total > 0 {
            lenses.push(lens(range, covered(function), RUN, vec![json!(document.uri)]));
        }
        if let Some((comparison, title)) = different(document, function) {
            let arguments = vec![json!(document.uri), json!(comparison.name)];
            lenses.push(lens(range, title, SHOW_DIFFERENCE, arguments));
        }
    }
    lenses
}

fn lens(range: Range, title: String, command: &str, arguments: Vec<serde_json::Value>) -> CodeLens {
    let command = Command { title, command: command.to_owned(), arguments: Some(arguments) };
    CodeLens { range, command: Some(command), data: None }
}

fn covered(function: &FunctionCoverage) -> String {
    let noun = if function.total == 1 { "line" } else { "lines" };
    let errors = match function.errors {
        0 => String::new(),
        1 => ", 1 error".to_owned(),
        errors => format!(", {errors} errors"),
    };
    format!("{} of {} {noun} reached{errors}", function.covered, function.total)
}

/// How a function differs from the last commit, if that was found out; unchanged ones have nothing to say.
fn different<'a>(document: &'a Document, function: &FunctionCoverage) -> Option<(&'a Comparison, String)> {
    let compared = document.compared.as_ref()?;
    let comparison = compared.comparisons.iter().find(|comparison| comparison.lines.1 == function.line)?;
    let title = match &comparison.verdict {
        Verdict::Different(_) => format!("different from HEAD: {}", render::summary(comparison)),
        Verdict::Possible(_) => format!("possibly different from HEAD: {}", render::summary(comparison)),
        Verdict::Equal(Ground::Runs) => format!("changed, {}", render::summary(comparison)),
        Verdict::Unknown(why) => format!("changed, unknown whether it behaves differently: {why}"),
        Verdict::Added => "new since HEAD".to_owned(),
        Verdict::Equal(_) | Verdict::Removed => return None,
    };
    Some((comparison, title))
}

/// The witness of a difference as text, for a message to the user.
pub(crate) fn shown_difference(document: &Document, name: &str) -> Option<String> {
    let comparisons = &document.compared.as_ref()?.comparisons;
    let comparison = comparisons.iter().find(|comparison| comparison.name == name)?;
    Some(render::text(comparison, WIDTH).trim_end().to_owned())
}

/// The document that the arguments of a command name.
pub(crate) fn argument(arguments: &[serde_json::Value]) -> Option<Uri> {
    serde_json::from_value(arguments.first()?.clone()).ok()
}
