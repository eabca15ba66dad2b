//! What the runs tried: the values of each place, with how the runs that had them went, and the runs of each error.

use std::collections::BTreeMap;

use surmise_engine::protocol::{Injection, Raised};
use surmise_ledger::{Entry, Facts};

use super::positions::Positions;

/// Values of one place that are kept, the most frequent first.
const MOST_VALUES: usize = 8;

/// A place where values were injected or answered, with the values that the runs had there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriedPlace {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 0.
    pub column: u32,
    /// As [`Injection::kind`].
    pub kind: String,
    /// The name read, or what was operated on.
    pub name: String,
    /// The values, those of most runs first.
    pub values: Vec<TriedValue>,
}

/// A value that runs had in one place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriedValue {
    /// How the value prints.
    pub value: String,
    /// Number of runs that had it.
    pub runs: u32,
    /// The error that ended most of these runs, as `KeyError in line 3`, and the number of runs that it ended.
    pub error: Option<(String, u32)>,
}

/// How many runs ended with an error, of those that reached its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaisedIn {
    /// Name of the error's class.
    pub kind: String,
    /// The line that raised it.
    pub line: u32,
    /// Number of runs that it ended.
    pub runs: u32,
    /// Number of runs that reached the line.
    pub reached: u32,
}

/// What the runs of one program tried.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tried {
    /// Places in the order of the source.
    pub places: Vec<TriedPlace>,
    /// Errors in the order of their lines.
    pub errors: Vec<RaisedIn>,
}

/// The number of runs, and of those among them that each error ended, by class and line.
type Count<'a> = (u32, BTreeMap<(&'a str, u32), u32>);
/// For each value of a place the runs that had it.
type Values<'a> = BTreeMap<&'a str, Count<'a>>;

impl Tried {
    /// What the runs of a ledger tried; `positions` are those of the source as given.
    pub(crate) fn of(facts: Facts<'_>, positions: &Positions<'_>) -> Self {
        let mut places: BTreeMap<(u32, u32, &str, &str), Values<'_>> = BTreeMap::new();
        let mut errors: BTreeMap<(u32, &str), (u32, u32)> = BTreeMap::new();
        let entries = facts.ledger.entries();
        for entry in entries {
            for value in &entry.injections {
                let place = places.entry((value.line, value.column, &value.kind, &value.name)).or_default();
                let (runs, ends) = place.entry(&value.value).or_default();
                *runs += 1;
                if let Some(error) = &entry.error {
                    *ends.entry((&error.kind, error.line)).or_default() += 1;
                }
            }
            for error in raised(entry) {
                errors.entry((error.line, &error.kind)).or_default().0 += 1;
            }
        }
        for ((line, _), (raised, reached)) in &mut errors {
            let marked = facts.plan.instrumented.marks.first_line(*line);
            *reached = (entries.iter().filter(|entry| entry.reached(marked)).count() as u32).max(*raised);
        }
        let place = |((line, column, kind, name), values): ((u32, u32, &str, &str), Values<'_>)| {
            let (kind, name) = (kind.to_owned(), name.to_owned());
            // Of the fields of an injection only the place is asked for.
            let placed = positions.injection(Injection { line, column, site: Some(0), ..Injection::default() });
            TriedPlace { line, column: placed.column, kind, name, values: tried_values(values) }
        };
        Self {
            places: places.into_iter().map(place).collect(),
            errors: errors
                .into_iter()
                .map(|((line, kind), (runs, reached))| RaisedIn { kind: kind.to_owned(), line, runs, reached })
                .collect(),
        }
    }

    /// The runs of an error.
    pub fn raised(&self, error: &Raised) -> Option<&RaisedIn> {
        self.errors.iter().find(|raised| raised.line == error.line && raised.kind == error.kind)
    }
}

/// The errors that a run ended with, or that calls of the harness did.
fn raised(entry: &Entry) -> impl Iterator<Item = &Raised> {
    entry.error.iter().chain(entry.failed.iter().map(|(_, error)| error))
}

fn tried_values(values: Values<'_>) -> Vec<TriedValue> {
    let value = |(value, (runs, ends)): (&str, Count<'_>)| {
        let most = ends.into_iter().max_by_key(|(_, count)| *count);
        let error = most.map(|((kind, line), count)| match line {
            0 => (kind.to_owned(), count),
            _ => (format!("{kind} in line {line}"), count),
        });
        TriedValue { value: value.to_owned(), runs, error }
    };
    let mut values: Vec<TriedValue> = values.into_iter().map(value).collect();
    values.sort_by_key(|value| std::cmp::Reverse(value.runs));
    values.truncate(MOST_VALUES);
    values
}
