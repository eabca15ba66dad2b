//! How often a model gives the conditions of guards that it has not seen.

use rayon::prelude::*;

use super::{Example, Invariants, Predicted};

/// Measurements on examples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Number of guards.
    pub guards: usize,
    /// Share whose whole condition the model could write.
    pub in_reach: f64,
    /// Share whose condition is the first answer.
    pub first: f64,
    /// Share whose condition is among the first five answers.
    pub first_five: f64,
    /// Share of first answers that are right among the tenth, and the half, that are the most certain.
    pub precision: [f64; 2],
    /// The entropy up to which answers belong to that tenth and to that half.
    pub entropy: [f32; 2],
    /// Share whose first answer is the negation of the condition.
    pub negated: f64,
}

/// Asks a model for the conditions of examples and compares.
pub fn measure(model: &Invariants, held_out: &[Example]) -> Measured {
    let (mut found, mut answers) = (Measured::default(), Vec::new());
    let predicted: Vec<Vec<Predicted>> =
        held_out.par_iter().map(|example| model.predict(&example.view, &example.question, 5)).collect();
    for (example, predicted) in held_out.iter().zip(predicted) {
        found.guards += 1;
        found.in_reach += f64::from(u8::from(example.is_in_reach()));
        let right = predicted.iter().position(|answer| answer.condition == example.condition);
        found.first += f64::from(u8::from(right == Some(0)));
        found.first_five += f64::from(u8::from(right.is_some()));
        if let Some(first) = predicted.first() {
            answers.push((first.entropy, right == Some(0)));
            let negation = surmise_instrument::guards::with_negation(&example.condition).map(|(_, negation)| negation);
            found.negated += f64::from(u8::from(negation.as_ref() == Some(&first.condition)));
        }
    }
    answers.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    for (at, percent) in [10, 50].into_iter().enumerate() {
        let count = (answers.len() * percent).div_ceil(100);
        let right = answers[..count].iter().filter(|(_, right)| *right).count();
        found.precision[at] = right as f64 / count.max(1) as f64;
        found.entropy[at] = answers.get(count.saturating_sub(1)).map_or(0.0, |(entropy, _)| *entropy);
    }
    let guards = found.guards.max(1) as f64;
    for share in [&mut found.in_reach, &mut found.first, &mut found.first_five, &mut found.negated] {
        *share /= guards;
    }
    found
}
