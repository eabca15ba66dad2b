//! What probes tell of an error: whether it comes with the values that the code is meant for.

use std::collections::{BTreeMap, BTreeSet};

use super::Search;
use super::blame::{is_of_types, is_of_values};
use super::probes::Values;
use super::shapes::Shape;
use crate::execute::{Execution, Outcome};
use crate::protocol::Raised;
use crate::report::Verdict;

/// Probes with the same shapes.
struct Group<'a> {
    runs: Vec<(&'a Execution, &'a Values)>,
    /// Lines that any of them reached.
    covered: BTreeSet<u32>,
    /// Most lines of one that came to its end; `None` if none did.
    clean: Option<usize>,
}

/// True if a text or container was not what the code wants to take out of it.
fn is_of_reading(error: &Raised) -> bool {
    let of_literal = ["invalid literal", "could not convert", "unpack"].iter().any(|part| error.message.contains(part));
    error.kind != "ValueError" || of_literal
}

impl Search<'_> {
    /// The verdict that probes give; `None` if they say nothing.
    pub(super) fn probed(&self, drive: Option<&String>, error: &Raised) -> Option<Verdict> {
        if !is_of_types(error) && !is_of_values(error) {
            return None;
        }
        let groups = self.groups(drive);
        let same = |run: &Execution| {
            run.error.as_ref().is_some_and(|other| other.line == error.line && other.kind == error.kind)
        };
        let probed = || groups.values().flat_map(|group| &group.runs);
        if groups.is_empty() || !probed().any(|(run, _)| run.reached(error.line)) {
            return None;
        }
        let Some(most) = groups.values().filter_map(|group| group.clean).max() else {
            if !self.unsolved.contains(&drive.cloned()) {
                return None;
            }
            // No values whatever: the error that the code gets to last is in its way.
            let deepest = probed().filter(|(run, _)| run.outcome == Outcome::Error).map(|(run, _)| run.covered.len());
            let deepest = deepest.max()?;
            let found = probed().find(|(run, _)| same(run) && run.covered.len() == deepest);
            return Some(match found {
                Some((run, values)) if !self.is_of_text(run, error, values) || !is_of_reading(error) => {
                    Verdict::Conditional
                }
                _ => Verdict::Guess,
            });
        };
        let own = |group: &Group<'_>, run: &Execution, values: &Values| {
            let raised = run.error.as_ref().unwrap_or(error);
            let accepted = group.clean == Some(most);
            if is_of_types(raised) {
                // Two made-up values that do not go together: either could be another. One that does not go with what
                // the code made itself: that the code is meant for others is seen where they go farther.
                let made = group.clean.is_some() && group.covered.len() >= most && self.is_of_combination(raised);
                (accepted || made) && self.typed_operands(run, raised, values).len() < 2
            } else {
                accepted && !self.is_of_text(run, raised, values)
            }
        };
        let found =
            groups.values().any(|group| group.runs.iter().any(|(run, values)| same(run) && own(group, run, values)));
        Some(if found { Verdict::Conditional } else { Verdict::Guess })
    }

    /// True if two values of wrong types meet, as in `rows += row`.
    fn is_of_combination(&self, error: &Raised) -> bool {
        let message = &error.message;
        let extends = || {
            let statement = self.plan.paths().statement(error.line);
            statement.is_some_and(|range| self.plan.text[range.start as usize..range.end as usize].contains("+="))
        };
        message.contains("can only concatenate")
            || message.contains("unsupported operand")
            || (message.contains("is not iterable") && extends())
    }

    fn groups(&self, drive: Option<&String>) -> BTreeMap<Vec<(&str, Shape)>, Group<'_>> {
        let mut groups: BTreeMap<Vec<(&str, Shape)>, Group<'_>> = BTreeMap::new();
        for (at, values) in &self.probes {
            let run = &self.runs[*at];
            if run.trial.drive.as_ref() != drive {
                continue;
            }
            let shapes = values.iter().map(|(key, given)| (key.as_str(), given.shape)).collect();
            let group = groups.entry(shapes).or_insert_with(|| Group {
                runs: Vec::new(),
                covered: BTreeSet::new(),
                clean: None,
            });
            group.covered.extend(&run.covered);
            let clean = (run.outcome == Outcome::Completed).then_some(run.covered.len());
            group.clean = group.clean.max(clean);
            group.runs.push((run, values));
        }
        groups
    }

    /// True for what fails because a made-up text is in no format, or is not the input that the program was promised.
    fn is_of_text(&self, run: &Execution, error: &Raised, values: &Values) -> bool {
        let text = |name: &String| values[name].shape == Shape::Text;
        is_of_values(error) && (self.is_program() || self.typed_operands(run, error, values).iter().any(text))
    }
}
