//! What a source says of the values at its sites without running: which sites read one variable, attribute or
//! function's results, what is assigned to it, and the literals and annotations that say what it is.
//!
//! Attributes and functions are identified by their names alone, variables by Python's scopes.

mod conditions;
mod groups;

use rustc_hash::FxHashMap;

use crate::semantic::SourceModel;
use crate::sites::Kind;

pub use crate::semantic::feeds::Origin;
pub use crate::semantic::shape::{Counts, Shape};
pub use conditions::{Condition, conditions};
pub use groups::{Group, Origins, Place};

/// A place that is asked about: the range of a name, an attribute or a call, as in [`crate::Site`].
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The kind of use.
    pub kind: Kind,
    /// The name read, or the last component of what is called.
    pub name: &'a str,
    /// First byte of the expression.
    pub start: u32,
    /// End of the expression, exclusive.
    pub end: u32,
}

/// All that a source says of the places that were asked about.
#[derive(Clone, Debug, Default)]
pub struct Evidence {
    /// The asked places, in their order.
    pub places: Vec<Place>,
    /// What they, or their values' targets, belong to.
    pub groups: Vec<Group>,
}

impl Evidence {
    /// Looks for evidence. A source that does not parse says no more than which names are equal.
    #[must_use]
    pub fn of(model: Option<&SourceModel>, asked: &[Asked<'_>]) -> Self {
        let numbers: FxHashMap<(Kind, u32, u32), u32> =
            asked.iter().zip(0..).map(|(asked, number)| ((asked.kind, asked.start, asked.end), number)).collect();
        let mut found = vec![None; asked.len()];
        let mut groups = model.map_or_else(Vec::new, |model| groups::find(model, &numbers, &mut found));
        // Several questions may be about one place; what the model does not hold goes by its name.
        let mut by_name: FxHashMap<(Kind, &str), u32> = FxHashMap::default();
        let mut places: Vec<Place> = Vec::with_capacity(asked.len());
        for asked in asked {
            let number = numbers[&(asked.kind, asked.start, asked.end)];
            places.push(found[number as usize].clone().unwrap_or_else(|| {
                let group = *by_name.entry((asked.kind, asked.name)).or_insert_with(|| {
                    groups.push(Group::default());
                    groups.len() as u32 - 1
                });
                Place { group, ..Place::default() }
            }));
        }
        Self { places, groups }
    }
}

#[cfg(test)]
mod tests;
