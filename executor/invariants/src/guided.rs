//! Guided runs of a function in which a condition is violated: does the code fail then, and only then?

use std::collections::BTreeMap;

use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::protocol::Raised;
use surmise_engine::source::Source;
use surmise_engine::stdin::Input;
use surmise_instrument::{SourceModel, extract};
use surmise_ledger::Entry;
use surmise_search::explore;

use crate::invariant::{Failure, Invariant, Proof};

/// Errors that a guard would prevent; others may have been raised on purpose.
const PREVENTED: [&str; 6] =
    ["AttributeError", "IndexError", "KeyError", "TypeError", "UnboundLocalError", "ZeroDivisionError"];

/// A value that violates a template in its first slot, and one that does so in another slot.
fn violation(template: &str, slots: &[String]) -> Option<(String, &'static str)> {
    let first = |value| slots.first().map(|slot| (slot.clone(), value));
    let second = |value| slots.get(1).map(|slot| (slot.clone(), value));
    match template {
        "$0 is not None" | "$0" | "callable($0)" => first("None"),
        "$0 in $1" => second("{}"),
        "$0 > 0" | "$0 != 0" | "$0 >= 1" => first("0"),
        "$0 >= 0" => first("-1"),
        "not $0" | "$0 is None" => None,
        other if other.starts_with("len($0)") && !other.contains("== 0") => first("[]"),
        other if other.starts_with("isinstance($0, ") => first("None"),
        other if other.starts_with("hasattr($0, ") => first("object()"),
        _ => None,
    }
}

/// The name of the type of a violating value.
fn type_of(value: &str) -> &'static str {
    match value {
        "None" => "NoneType",
        "{}" => "dict",
        "[]" => "list",
        "object()" => "object",
        _ => "int",
    }
}

/// True for conditions that can be violated by an assignment.
#[must_use]
pub fn can_be_violated(invariant: &Invariant) -> bool {
    violation(&invariant.template, &invariant.slots).is_some_and(|(target, _)| !target.contains(['[', '\'']))
}

/// Runs functions of one source.
pub struct Prover<'a> {
    zygote: &'a mut Zygote,
    settings: &'a Settings,
    source: &'a Source,
    /// The runs of each function as it is: none if it cannot be run.
    plain: BTreeMap<String, Vec<Entry>>,
}

impl<'a> Prover<'a> {
    /// A prover of a source. The settings are those of a run; the function is set for each.
    pub fn new(zygote: &'a mut Zygote, settings: &'a Settings, source: &'a Source) -> Self {
        Self { zygote, settings, source, plain: BTreeMap::new() }
    }

    /// Tries a condition. `None` where it cannot be violated by an assignment, or the function cannot be run.
    ///
    /// # Errors
    /// When the worker process failed us, never for what the code does.
    pub fn prove(&mut self, invariant: &Invariant) -> Result<Option<Proof>, ClientError> {
        let Some((target, value)) = violation(&invariant.template, &invariant.slots) else { return Ok(None) };
        let Some(text) = with_line(&self.source.text, invariant, &format!("{target} = {value}")) else {
            return Ok(None);
        };
        if !self.plain.contains_key(&invariant.function) {
            let entries = self.runs(&invariant.function, &self.source.text)?;
            self.plain.insert(invariant.function.clone(), entries);
        }
        let plain = &self.plain[&invariant.function];
        let lines = invariant.line..=invariant.end_line;
        let runs_through = plain.iter().any(|entry| {
            entry.reached(invariant.line) && !entry.error.as_ref().is_some_and(|error| lines.contains(&error.line))
        });
        let violated = self.runs(&invariant.function, &text)?;
        // The assignment is a line of its own.
        let mut arrived = violated.iter().filter(|entry| entry.reached(invariant.line + 1)).peekable();
        if arrived.peek().is_none() {
            return Ok(None);
        }
        let prevented = |entry: &Entry| {
            let is_inside = |line: u32| line > invariant.line && lines.contains(&(line - 1));
            // What a real value lacks is injected in the first run of a search, which goes on so: no guard, no attribute.
            let kind = type_of(value);
            let passed_over = entry.injections.iter().find(|injected| {
                is_inside(injected.line) && injected.path.as_deref() == Some(&format!("{kind}.{}", injected.name))
            });
            if let Some(injected) = passed_over {
                return Some(Failure {
                    kind: "AttributeError".to_owned(),
                    message: format!("'{kind}' object has no attribute '{}'", injected.name),
                    line: injected.line - 1,
                });
            }
            let own =
                |error: &&Raised| !error.elsewhere && is_inside(error.line) && PREVENTED.contains(&error.kind.as_str());
            entry.error.as_ref().filter(own).map(|error| Failure {
                kind: error.kind.clone(),
                message: error.message.clone(),
                line: error.line - 1,
            })
        };
        let failures: Option<Vec<Failure>> = arrived.map(prevented).collect();
        let error = failures.and_then(|failures| failures.into_iter().next());
        let proved = error.is_some() && runs_through;
        let violation = format!("{target} = {value}");
        Ok(Some(Proof { proved, violation, error, runs_through_otherwise: runs_through }))
    }

    /// The runs of a function by itself.
    fn runs(&mut self, function: &str, text: &str) -> Result<Vec<Entry>, ClientError> {
        let cut = SourceModel::parse(text).ok().and_then(|model| extract::in_place(&model, function).ok());
        let Some(text) = cut else { return Ok(Vec::new()) };
        let settings = Settings { function: Some(function.to_owned()), in_place: false, ..self.settings.clone() };
        let source = Source { text, path: None, ..self.source.clone() };
        let Ok(mut plan) = Plan::new(source, &settings) else { return Ok(Vec::new()) };
        let mut input = Input::open(None).map_err(ClientError::Setup)?;
        Ok(explore(self.zygote, &mut plan, &settings, &mut input)?.into_entries())
    }
}

/// The source with a statement put in front of a region, on a line of its own. `None` where the region does not begin a
/// line.
fn with_line(text: &str, invariant: &Invariant, statement: &str) -> Option<String> {
    let start = invariant.start as usize;
    let line = start - invariant.column as usize;
    let indent = text.get(line..start)?;
    if !indent.trim().is_empty() {
        return None;
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    Some(format!("{}{indent}{statement}{newline}{}", &text[..line], &text[line..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn violations_are_assignments_of_values_that_the_condition_excludes() {
        let slots = ["x".to_owned(), "d".to_owned()];
        for (template, expected) in [
            ("$0 is not None", Some(("x", "None"))),
            ("$0 in $1", Some(("d", "{}"))),
            ("len($0) > 1", Some(("x", "[]"))),
            ("len($0) == 0", None),
            ("isinstance($0, $1)", Some(("x", "None"))),
            ("not $0", None),
            ("$0 < $1", None),
        ] {
            let found = violation(template, &slots);
            assert_eq!(found.as_ref().map(|(target, value)| (target.as_str(), *value)), expected, "{template}");
        }
    }
}
