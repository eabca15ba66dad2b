//! Errors of the code as diagnostics: certain ones are errors, and those that depend on values warnings.

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, PublishDiagnosticsParams,
};
use surmise_blame::{Finding, Verdict};
use surmise_instrument::cleanup::{Repair, RepairKind};
use surmise_report::reason;
use surmise_report::visible::visible;

use super::document::{Analysis, Document};
use super::position::{Encoding, Lines};

/// Diagnostics of one file.
const MOST: usize = 200;
/// Characters of a message.
const LONGEST: usize = 600;
/// Name that editors show beside a diagnostic.
pub(crate) const SOURCE: &str = "surmise";

/// The diagnostics of a file whose text is the one that was run.
pub(crate) fn published(document: &Document, encoding: Encoding) -> PublishDiagnosticsParams {
    let diagnostics = match &document.analysis {
        Some(analysis) => {
            let lines = Lines::new(&analysis.report.source, encoding);
            let repairs = analysis.report.repairs.iter().map(|repair| mended(repair, &lines));
            let found = analysis.report.errors.iter();
            let found = found.filter_map(|finding| diagnostic(finding, analysis, document, &lines));
            repairs.chain(found).take(MOST).collect()
        }
        None => Vec::new(),
    };
    PublishDiagnosticsParams { uri: document.uri.clone(), diagnostics, version: Some(document.version) }
}

/// A finding as a diagnostic; none for what only comes of injected values, and for what has no line.
fn diagnostic(finding: &Finding, analysis: &Analysis, document: &Document, lines: &Lines<'_>) -> Option<Diagnostic> {
    let raised = &finding.raised;
    let severity = match finding.verdict {
        Verdict::Guess => return None,
        _ if raised.line == 0 => return None,
        Verdict::Certain => DiagnosticSeverity::ERROR,
        Verdict::Conditional => DiagnosticSeverity::WARNING,
    };
    let why = match analysis.report.runs {
        // It was not run: it does not compile.
        0 => String::new(),
        _ => format!("\n{}: {}", reason::word(finding), reason::reason(finding, &analysis.report)),
    };
    let called = finding.function.as_ref().map(|name| format!(" (in a call of `{name}`)")).unwrap_or_default();
    let hint = finding.hint.as_ref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
    let message = format!("{}: {}{called}{why}{hint}", raised.kind, raised.message);
    let related = finding.depends_on.iter().filter(|value| value.line > 0).take(8).map(|value| {
        let end = value.column + value.name.chars().count() as u32;
        DiagnosticRelatedInformation {
            location: Location {
                uri: document.uri.clone(),
                range: lines.range(value.line, Some(value.column), Some(end)),
            },
            message: shortened(&format!("`{}` was {}", value.name, value.value)),
        }
    });
    let related: Vec<DiagnosticRelatedInformation> = related.collect();
    Some(Diagnostic {
        range: lines.range(raised.line, raised.column, raised.end_column),
        severity: Some(severity),
        code: Some(NumberOrString::String(shortened(&raised.kind))),
        source: Some(SOURCE.to_owned()),
        message: shortened(&message),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    })
}

/// What was changed so that the rest could run: a statement that does not parse is an error.
fn mended(repair: &Repair, lines: &Lines<'_>) -> Diagnostic {
    let is_error = repair.kind == RepairKind::Blanked;
    let (severity, code) =
        if is_error { (DiagnosticSeverity::ERROR, "SyntaxError") } else { (DiagnosticSeverity::INFORMATION, "mended") };
    Diagnostic {
        range: lines.range(repair.line, None, None),
        severity: Some(severity),
        code: Some(NumberOrString::String(code.to_owned())),
        source: Some(SOURCE.to_owned()),
        message: shortened(&repair.message),
        ..Diagnostic::default()
    }
}

/// A text that can be shown, of bounded length.
pub(crate) fn shortened(text: &str) -> String {
    let text = visible(text);
    if text.chars().count() <= LONGEST {
        return text.into_owned();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}
