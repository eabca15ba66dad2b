//! How much of each function some run reached.

use surmise_instrument::SourceModel;
use surmise_instrument::extract;
use surmise_report::Report;

/// A function of a program, with its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionCoverage {
    /// `Class.method`.
    pub qualname: String,
    /// First line, that of the first decorator if there is one.
    pub line: u32,
    /// Last line.
    pub last_line: u32,
    /// Lines that count, but for the header.
    pub total: usize,
    /// Those that some run reached.
    pub covered: usize,
    /// Errors of its lines.
    pub errors: usize,
}

/// The functions of a program in the order of the source; none where it does not parse.
#[must_use]
pub fn coverage(report: &Report) -> Vec<FunctionCoverage> {
    let Ok(model) = SourceModel::parse(report.source.as_str()) else { return Vec::new() };
    let functions = extract::qualnames(&model).into_iter().map(|function| {
        let is_inside = |line: &&u32| function.line < **line && **line <= function.last_line;
        FunctionCoverage {
            total: report.lines.iter().filter(is_inside).count(),
            covered: report.covered.iter().filter(is_inside).count(),
            errors: report.errors.iter().filter(|finding| is_inside(&&finding.raised.line)).count(),
            qualname: function.qualname,
            line: function.line,
            last_line: function.last_line,
        }
    });
    functions.collect()
}
