//! The report as JSON (schema `surmise.invariants/1`), for the terminal, and as a page.

use std::fmt::Write;

use serde::Serialize;
use surmise_instrument::guards::Left;

use crate::invariant::Invariant;

/// All that a report holds.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// The version of this format.
    pub schema: &'static str,
    /// The file, as it was given.
    pub file: &'a str,
    /// Functions that were looked at.
    pub functions: usize,
    /// The most certain conditions, the most certain first.
    pub invariants: &'a [Invariant],
    /// Conditions that nothing in the code asks for, those that a guided run proved first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<&'a [Invariant]>,
    /// What was left out.
    pub left_out: LeftOut,
    /// The command of `--validate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suite: Option<Suite>,
}

/// What was left out.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LeftOut {
    /// Guards with a walrus, `await`, `lambda` or side effects: it is not known that they are there.
    pub conditions: usize,
    /// Functions of which only the first regions were looked at.
    pub long_functions: usize,
}

impl From<Left> for LeftOut {
    fn from(left: Left) -> Self {
        Self { conditions: left.conditions, long_functions: left.functions }
    }
}

/// How the command of `--validate` ended.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Suite {
    /// Its exit code.
    pub exit_code: i32,
    /// Whether one of its Python processes imported the file.
    pub imported: bool,
}

/// The report as lines of text.
#[must_use]
pub fn terminal(report: &Report<'_>) -> String {
    let mut out = String::new();
    let functions = report.functions;
    let _never_fails = writeln!(out, "{}: {functions} function{}", report.file, if functions == 1 { "" } else { "s" });
    list(&mut out, "invariants", report.invariants);
    if let Some(missing) = report.missing {
        list(&mut out, "missing guards", missing);
    }
    let LeftOut { conditions, long_functions } = report.left_out;
    if conditions > 0 {
        let _never_fails = writeln!(
            out,
            "\n{conditions} conditions of the source were not understood (side effects, walrus, await, lambda)"
        );
    }
    if long_functions > 0 {
        let _never_fails =
            writeln!(out, "\n{long_functions} functions are long: only their first 400 regions were looked at");
    }
    out
}

fn list(out: &mut String, title: &str, found: &[Invariant]) {
    let _never_fails = writeln!(out, "\n{title}:");
    if found.is_empty() {
        out.push_str("  none\n");
    }
    for invariant in found {
        let Invariant { function, line, end_line, condition, entropy, kind, .. } = invariant;
        let lines = if line == end_line { format!("line {line}") } else { format!("lines {line}-{end_line}") };
        let _never_fails = writeln!(out, "  {entropy:5.2} bits  {condition}  ({function}, {lines}, {kind})");
        if let Some(validation) = &invariant.validated {
            let (held, violated) = (validation.held, validation.violated);
            let _never_fails =
                writeln!(out, "        {}: {held} times held, {violated} times not", validation.status.as_str());
        }
        if let Some(proof) = &invariant.proof {
            let text = match (&proof.error, proof.proved) {
                (Some(error), true) => format!(
                    "proved: `{}` makes line {} fail ({}: {}), and it runs through otherwise",
                    proof.violation, error.line, error.kind, error.message
                ),
                (Some(error), false) => {
                    format!(
                        "`{}` makes line {} fail ({}), but so do other runs",
                        proof.violation, error.line, error.kind
                    )
                }
                (None, _) => format!("not proved: with `{}` it runs through", proof.violation),
            };
            let _never_fails = writeln!(out, "        {text}");
        }
        if !invariant.evidence.is_empty() {
            let _never_fails = writeln!(out, "        {}", invariant.evidence.join("; "));
        }
    }
}
