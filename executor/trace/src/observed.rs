//! The values of recordings as a predictor takes them.

use std::path::Path;

use surmise_value_model::{Class, Observed, Sample};

use crate::dataset::use_of;
use crate::error::ReadError;
use crate::literals::class_of;
use crate::read::Recording;
use crate::row::SiteRow;

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
