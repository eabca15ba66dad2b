//! A comparison for people: visits side by side, the error, and how well they agree.

use std::fmt::Write as _;

use surmise_report::visible::visible;

use crate::Comparison;
use crate::executed::{ErrorAt, Trace, Visit};
use crate::metrics::{Agreement, Level};

/// Visits that are shown: from the start, and around the first divergence.
const HEAD: usize = 12;
const AROUND: usize = 4;
/// Width of a column.
const WIDTH: usize = 34;

/// Renders a comparison as text.
#[must_use]
pub fn terminal(comparison: &Comparison) -> String {
    let mut out = String::new();
    let (predicted, executed) = (&comparison.predicted, &comparison.executed);
    let _never_fails = writeln!(out, "      {:WIDTH$}executed", format!("predicted by {}", visible(&comparison.model)));
    let longest = predicted.visits.len().max(executed.visits.len());
    let divergence = comparison.first_divergence;
    let is_shown = |at: usize| {
        at < HEAD || divergence.is_some_and(|first| (first.saturating_sub(AROUND)..=first + AROUND).contains(&at))
    };
    let mut skipped = 0;
    for at in 0..longest {
        if !is_shown(at) {
            skipped += 1;
            continue;
        }
        skip(&mut out, &mut skipped);
        let mark = if divergence == Some(at) { '≠' } else { ' ' };
        let (own, real) = (shown(predicted, at), shown(executed, at));
        let note = if divergence == Some(at) { "  first divergence" } else { "" };
        let _never_fails =
            writeln!(out, "{:4}{mark} {}", at + 1, format!("{own:WIDTH$}{real:WIDTH$}{note}").trim_end());
    }
    skip(&mut out, &mut skipped);
    let _never_fails =
        writeln!(out, "error {:WIDTH$}{}", error(predicted.error.as_ref()), error(executed.error.as_ref()));
    if executed.is_cut {
        out.push_str("the executed trace is longer than what is kept: compared as far as it goes, without its error\n");
    }
    if comparison.answer_is_cut {
        out.push_str("the answer was cut at its limit of tokens: see --llm-answer-tokens\n");
    }
    let metrics = &comparison.metrics;
    let exact = if metrics.exact_match { "yes" } else { "no" };
    let _never_fails = writeln!(out, "exact match: {exact}");
    level(&mut out, "statements", &metrics.statements);
    level(&mut out, "blocks", &metrics.blocks);
    let _never_fails = writeln!(out, "transitions: {}", agreement(metrics.transitions));
    let (right, all) = metrics.values;
    let left_out = match metrics.values_left_out {
        0 => String::new(),
        cut => format!(", {cut} that are not known in full left out"),
    };
    let _never_fails =
        writeln!(out, "values at ends of blocks before the first divergence: {right} of {all} right{left_out}");
    if let (Some(line), Some(block), Some(kind)) = (metrics.error_line, metrics.error_block, metrics.error_type) {
        let word = |right| if right { "right" } else { "wrong" };
        let _never_fails = writeln!(out, "error: line {}, block {}, class {}", word(line), word(block), word(kind));
    }
    let _never_fails = writeln!(out, "spent: {}", comparison.spent);
    out
}

fn skip(out: &mut String, skipped: &mut usize) {
    if *skipped > 0 {
        let _never_fails = writeln!(out, "      ... {skipped} more");
        *skipped = 0;
    }
}

fn shown(trace: &Trace, at: usize) -> String {
    trace.visits.get(at).map_or_else(|| "-".to_owned(), |visit| visit_text(visit).chars().take(WIDTH - 2).collect())
}

/// A visit as `Block 3: lines 4, 5`.
pub(crate) fn visit_text(visit: &Visit) -> String {
    let lines: Vec<String> = visit.lines.iter().map(u32::to_string).collect();
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    format!("Block {}: {noun} {}", visit.block, lines.join(", "))
}

/// An error as `KeyError in line 3`.
pub(crate) fn error(error: Option<&ErrorAt>) -> String {
    let Some(error) = error else { return "none".to_owned() };
    let place = error.line.map(|line| format!(" in line {line}")).unwrap_or_default();
    visible(&format!("{}{place}", error.kind)).into_owned()
}

fn level(out: &mut String, name: &str, level: &Level) {
    let (prefix, coverage) = (agreement(level.prefix), agreement(level.coverage));
    let _never_fails = writeln!(out, "{name}: longest common prefix {prefix}; coverage {coverage}");
}

/// An agreement in percent.
pub(crate) fn agreement(of: Agreement) -> String {
    format!("recall {:.1} %, precision {:.1} %", of.recall * 100.0, of.precision * 100.0)
}
