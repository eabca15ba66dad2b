//! How well errors are predicted: the paper's three figures.

use serde::{Deserialize, Serialize};

/// What was predicted of a program, and what is true of it.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Number of the predicted class, 0 for none.
    pub predicted: usize,
    /// Number of the true class.
    pub truth: usize,
    /// Whether the predicted line is the true one; `None` where there is no true line.
    pub line: Option<bool>,
}

/// Figures over some programs, as shares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Programs.
    pub programs: usize,
    /// Programs with an error.
    pub errors: usize,
    /// Programs whose class is right.
    pub accuracy: f64,
    /// F1 of each error class that occurs, weighted by how often it occurs.
    pub weighted_f1: f64,
    /// Programs for which it is right whether there is an error.
    pub error_or_none: f64,
    /// Programs with an error at a known line, and the share of these whose line is ranked first.
    pub lines: usize,
    /// See `lines`.
    pub localization: f64,
}

impl Figures {
    /// The figures of some answers.
    #[must_use]
    pub fn of(answers: &[Answer]) -> Self {
        let share = |part: usize, all: usize| part as f64 / all.max(1) as f64;
        let count = |holds: &dyn Fn(&Answer) -> bool| answers.iter().filter(|answer| holds(answer)).count();
        let classes = answers.iter().map(|answer| answer.truth).max().unwrap_or(0);
        let errors = count(&|answer| answer.truth > 0);
        let mut f1 = 0.0;
        for class in 1..=classes {
            let truly = count(&|answer| answer.truth == class);
            let predicted = count(&|answer| answer.predicted == class);
            let both = count(&|answer| answer.truth == class && answer.predicted == class);
            f1 += share(2 * both, truly + predicted) * share(truly, errors);
        }
        let lines = count(&|answer| answer.line.is_some());
        Self {
            programs: answers.len(),
            errors,
            accuracy: share(count(&|answer| answer.truth == answer.predicted), answers.len()),
            weighted_f1: f1,
            error_or_none: share(count(&|answer| (answer.truth > 0) == (answer.predicted > 0)), answers.len()),
            lines,
            localization: share(count(&|answer| answer.line == Some(true)), lines),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_five_programs() {
        let answer = |predicted, truth, line| Answer { predicted, truth, line };
        let found = Figures::of(&[
            answer(0, 0, None),
            answer(1, 0, None),
            answer(1, 1, Some(true)),
            answer(2, 1, Some(false)),
            answer(2, 2, Some(true)),
        ]);
        assert_eq!((found.programs, found.errors, found.lines), (5, 3, 3));
        assert!((found.accuracy - 0.6).abs() < 1e-9 && (found.error_or_none - 0.8).abs() < 1e-9);
        // Class 1: precision and recall 1/2, twice; class 2: precision 1/2, recall 1, once.
        assert!((found.weighted_f1 - (0.5 * 2.0 + 2.0 / 3.0) / 3.0).abs() < 1e-9);
        assert!((found.localization - 2.0 / 3.0).abs() < 1e-9);
    }
}
