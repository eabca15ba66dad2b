//! The report as one page: the source with the conditions at their lines.

use askama::Template;

use crate::invariant::Invariant;
use crate::render::Report;

#[derive(Template)]
#[template(path = "invariants.html")]
struct Page<'a> {
    report: &'a Report<'a>,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    number: u32,
    text: &'a str,
    conditions: Vec<&'a Invariant>,
}

/// Renders the page.
#[must_use]
pub fn page(report: &Report<'_>, source: &str) -> String {
    let lines = source.lines().zip(1..).map(|(text, number)| {
        let here = report.invariants.iter().filter(|found| found.line == number);
        Line { number, text, conditions: here.collect() }
    });
    let page = Page { report, lines: lines.collect() };
    page.render().unwrap_or_default()
}
