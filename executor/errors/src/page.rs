//! A prediction as one HTML page: no script, nothing loaded, every text escaped by the template engine. The heat map
//! shows the soft instruction pointer, a row for each statement and a column for each step, as the paper's figure 2 does.

use askama::Template;
use surmise_report::visible::visible;
use surmise_value_model::ipagnn::ErrorPrediction;

use crate::Report;

/// Rows and columns that the map has at most.
const ROWS: usize = 300;
const COLUMNS: usize = 200;

#[derive(Template)]
#[template(path = "errors.html")]
struct Page {
    file: String,
    expected: String,
    facts: Vec<(String, String)>,
    rows: Vec<Row>,
    doubts: Vec<(u32, &'static str)>,
    steps: Vec<usize>,
    cut: bool,
    notes: Vec<String>,
}

struct Row {
    /// Line of the statement, or the name of an end.
    place: String,
    text: String,
    /// Share of the error that the statement raises.
    raised: String,
    /// Shares of the pointer, as hundredths.
    cells: Vec<u32>,
}

/// Renders a prediction as a page, with the text of its lines.
#[must_use]
pub fn page(report: &Report, prediction: &ErrorPrediction, source: &str) -> String {
    let (program, execution) = (&prediction.program, &prediction.execution);
    let percent = |share: f32| format!("{:.1} %", share * 100.0);
    let mut facts = vec![("No error".to_owned(), percent(report.none))];
    facts.extend(report.errors.iter().map(|error| (error.kind.clone(), percent(error.probability))));
    let all = execution.pointer.len();
    let stride = all.div_ceil(COLUMNS).max(1);
    let steps: Vec<usize> = (0..all).step_by(stride).collect();
    let lines: Vec<&str> = source.lines().collect();
    let mut order: Vec<usize> = (0..program.rows.len()).collect();
    order.sort_by_key(|&node| program.lines[node]);
    let is_cut = order.len() > ROWS;
    order.truncate(ROWS);
    let cells = |node: usize| {
        let share = |step: &usize| execution.pointer[*step].get(node).copied().unwrap_or(0.0);
        steps.iter().map(|step| (share(step) * 100.0).round().clamp(0.0, 100.0) as u32).collect()
    };
    let mut rows: Vec<Row> = order
        .into_iter()
        .map(|node| {
            let line = program.lines[node];
            let text = match line {
                0 => "(description of the input)",
                line => lines.get(line as usize - 1).copied().unwrap_or_default().trim_end(),
            };
            let text: String = text.chars().take(100).collect();
            let raised = execution.provenance.get(node).copied().unwrap_or(0.0);
            Row {
                place: if line == 0 { String::new() } else { line.to_string() },
                text: visible(&text).into_owned(),
                raised: percent(raised),
                cells: cells(node),
            }
        })
        .collect();
    for (node, name) in [(program.exit(), "exit"), (program.error(), "error")] {
        let (place, text, raised) = (name.to_owned(), String::new(), String::new());
        rows.push(Row { place, text, raised, cells: cells(node) });
    }
    let page = Page {
        file: visible(&report.file).into_owned(),
        expected: report.expected().map_or("no error".to_owned(), |error| error.kind.clone()),
        facts,
        rows,
        doubts: report.doubts.iter().map(|doubt| (doubt.line, doubt.kind.clause())).collect(),
        steps,
        cut: is_cut || stride > 1,
        notes: report.notes.iter().map(|note| visible(note).into_owned()).collect(),
    };
    // The only error is the writer's, and a string takes everything.
    page.render().unwrap_or_else(|error| format!("<!doctype html><title>Surmise</title><p>{error}"))
}
