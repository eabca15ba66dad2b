//! Results as text, as a picture, and for coverage services.

use std::fmt::Write;

use askama::Template;
use serde_json::Value;

use super::record::Record;
use super::summary::{Row, Summary};

/// Rows of the table that are printed; with more, those that are covered least.
pub const MOST_ROWS: usize = 200;
const LONGEST_NAME: usize = 60;
/// Name of the form of the lines that `--json` prints.
const SCHEMA: &str = "surmise.cover/1";

/// The table of snippets, those in the order of the batch.
pub fn table(rows: &[(u64, Row)], all: u64) -> String {
    let mut text = String::new();
    let width = rows.iter().map(|(_, row)| row.name.chars().count()).max().unwrap_or(0).clamp(7, LONGEST_NAME);
    let _ = writeln!(text, "{:<width$}  covered  lines    runs       ms  outcome", "snippet");
    for (_, row) in rows {
        let name = shortened(&row.name, width);
        let lines = format!("{}/{}", row.covered, row.total);
        let error = row.error.as_ref().map(|error| format!(" ({error})")).unwrap_or_default();
        let _ = writeln!(
            text,
            "{name:<width$}  {:>6.1}%  {lines:<7} {:>5} {:>8.1}  {}{error}",
            row.share() * 100.0,
            row.runs,
            row.ms,
            row.outcome,
        );
    }
    if all > rows.len() as u64 {
        let _ = writeln!(text, "... {} more (see --json)", all - rows.len() as u64);
    }
    text
}

fn shortened(name: &str, width: usize) -> String {
    let count = name.chars().count();
    if count <= width {
        name.to_owned()
    } else {
        format!("…{}", name.chars().skip(count + 1 - width).collect::<String>())
    }
}

/// The sums of each configuration.
pub fn totals(summaries: &[(String, Summary)]) -> String {
    let mut text = String::new();
    let width = summaries.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(9);
    let _ = writeln!(
        text,
        "{:<width$}  snippets     mean  weighted    full  completed    runs  injected uses  ms a line  predicting",
        "predictor"
    );
    for (name, summary) in summaries {
        let full = 100.0 * summary.fully_covered as f64 / summary.files.max(1) as f64;
        let _ = writeln!(
            text,
            "{name:<width$}  {:>8}  {:>6.2}%   {:>6.2}%  {full:>5.1}%  {:>9}  {:>6}  {:>13}  {:>9.2}  {:>9.1}%",
            summary.files,
            summary.mean_file_coverage * 100.0,
            summary.line_coverage() * 100.0,
            summary.completed,
            summary.runs,
            summary.uses_guided,
            summary.total_ms / summary.lines_total.max(1) as f64,
            100.0 * summary.predict_ms / summary.total_ms.max(f64::MIN_POSITIVE),
        );
    }
    for (name, advised) in summaries.iter().filter_map(|(name, summary)| Some((name, summary.language_model.as_ref()?)))
    {
        let _ = writeln!(
            text,
            "{name:<width$}  language model: {} snippets asked about, {} values asked for, {} used in runs, {} refused; \
             {} snippets without an answer, {} with one that cannot be read",
            advised.snippets, advised.asked, advised.used, advised.refused, advised.unanswered, advised.unreadable,
        );
    }
    text
}

/// A result for `--json`: a report of schema `surmise.run/1`, or why there is none.
pub fn document(name: &str, record: &Record) -> Value {
    match &record.report {
        Ok(report) => {
            let mut report = report.clone();
            report["file"] = name.into();
            report["predictor"] = record.configuration.clone().into();
            report
        }
        Err(message) => serde_json::json!({
            "schema": SCHEMA, "file": name, "predictor": record.configuration, "failure": message,
        }),
    }
}

/// The last line of `--json`: the sums of each configuration.
pub fn sums(summaries: &[(String, Summary)]) -> Value {
    let last = summaries.last().map(|(_, summary)| summary);
    let by_name: serde_json::Map<String, Value> =
        summaries.iter().map(|(name, summary)| (name.clone(), serde_json::json!(summary))).collect();
    serde_json::json!({ "schema": SCHEMA, "summary": last, "summaries": by_name })
}

const COLOURS: [&str; 10] =
    ["#7f8893", "#b45f06", "#a64d79", "#3d85c6", "#2a8a4a", "#4a4e57", "#e69138", "#c27ba0", "#6fa8dc", "#57bb6f"];

/// Template of the picture: 440 by 240 with its origin at the top left of the field, and names to the right.
#[derive(Template)]
#[template(path = "distribution.svg", escape = "html")]
struct Distribution<'a> {
    curves: Vec<Curve<'a>>,
}

/// What the picture shows of one configuration.
struct Curve<'a> {
    name: &'a str,
    mean: String,
    colour: &'static str,
    path: String,
}

/// A picture (SVG) of how the coverage of snippets is distributed: for each share of lines, how many snippets have at
/// least that much covered.
pub fn picture(summaries: &[(String, Summary)]) -> String {
    let curves = summaries.iter().enumerate().map(|(number, (name, summary))| {
        let mut above: u64 = summary.tenths.iter().sum();
        let mut path = String::new();
        for (tenth, count) in summary.tenths.iter().enumerate() {
            let share = above as f64 / summary.files.max(1) as f64;
            let sign = if tenth == 0 { "M" } else { "L" };
            let _ = write!(path, "{sign}{} {:.1}", tenth * 44, 240.0 * (1.0 - share));
            above -= count;
        }
        let mean = format!("{:.1}", summary.mean_file_coverage * 100.0);
        Curve { name, mean, colour: COLOURS[number % COLOURS.len()], path }
    });
    Distribution { curves: curves.collect() }.render().unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let report = serde_json::json!({
            "outcome": "error", "error": {"type": "KeyError"}, "runs": 3,
            "lines": {"total": 3, "covered": 2, "covered_lines": [1, 3], "missed_lines": [2]},
            "uses": {"total": 4, "guided": 1}, "time_ms": {"total": 1.5, "predict": 0.3}, "file": "a.py",
        });
        Record { index: 0, fingerprint: "f".into(), configuration: "model".into(), report: Ok(report) }
    }

    #[test]
    fn sums_and_pictures_tell_the_shares() {
        let mut summary = Summary::default();
        let row = Row::new("a.py", &record());
        summary.add(&row);
        let unusable = Record { report: Err("gone".into()), ..record() };
        summary.add(&Row::new("b.py", &unusable));
        assert_eq!((summary.files, summary.lines_covered, summary.unusable), (2, 2, 1));
        assert!((summary.mean_file_coverage - 1.0 / 3.0).abs() < 1e-12);
        assert!(table(&[(0, row)], 2).contains("a.py       66.7%  2/3"), "{}", table(&[], 0));
        let totals = totals(&[("model".to_owned(), summary.clone())]);
        assert!(totals.ends_with("0.50       20.0%\n"), "{totals}");
        let picture = picture(&[("model".to_owned(), summary)]);
        assert!(picture.contains("model (33.3 %)") && picture.ends_with("</svg>\n"));
    }
}
