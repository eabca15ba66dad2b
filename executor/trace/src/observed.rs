//! The values of recordings as a predictor takes them.

use std::path::Path;

use surmise_value_model::{Class, Observed, Sample};

use crate::dataset::use_of;
use crate::error::ReadError;
use crate::read::Recording;
use crate::row::SiteRow;
use crate::seen::Literal;

/// Adds what a recording has of values to those of others.
///
/// # Errors
/// If the folder is no finished recording, or damaged.
pub fn observe(folder: &Path, observed: &mut Observed) -> Result<(), ReadError> {
    let recording = Recording::open(folder)?;
    recording.summary.tables.values().for_each(|hash| observed.add_source(hash));
    for row in recording.sites()? {
        let row = row?;
        let place = (row.place.line, row.place.column, row.place.end_line, row.place.end_column);
        observed.add(&row.file, place, use_of(row.kind), &row.name, sample(&row));
    }
    Ok(())
}

fn sample(row: &SiteRow) -> Sample {
    let mut sample = Sample::default();
    for (bit, count) in row.seen.counts.entries() {
        for class in Class::of_observed(1_u32.checked_shl(u32::from(*bit)).unwrap_or(0)) {
            sample.add_class(class, *count);
        }
    }
    for (literal, count) in row.seen.literals.entries() {
        if let Some(class) = class_of(literal) {
            sample.add_literal(class, &literal.value, *count);
        }
    }
    sample
}

/// The class of a string or number that is neither empty nor zero, of which there is one only.
fn class_of(literal: &Literal) -> Option<Class> {
    let sign = |number: f64, classes: [Class; 2]| match number {
        number if number > 0.0 => Some(classes[0]),
        number if number < 0.0 => Some(classes[1]),
        _ => None,
    };
    match literal.kind_name() {
        "str" => (!literal.value.is_empty()).then_some(Class::Str),
        "int" => sign(literal.value.parse().ok()?, [Class::PositiveInt, Class::NegativeInt]),
        _ => sign(literal.value.parse().ok()?, [Class::PositiveFloat, Class::NegativeFloat]),
    }
}
