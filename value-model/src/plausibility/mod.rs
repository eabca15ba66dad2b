//! Which of several runs of a function is the likeliest to be one that a real call had: a linear score of each run,
//! learned from recorded calls. The share of calls is modelled as multinomial logit over the runs (`McFadden`,
//! "Conditional logit analysis of qualitative choice behavior", 1974).

mod fit;

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

pub use fit::{Candidate, Fit, Group, fit, measure};

/// Form of the file.
const SCHEMA: &str = "surmise.plausibility/1";
/// Number of features.
pub const SIZE: usize = 13;

/// What is asked of a run, by name.
pub const FEATURES: [&str; SIZE] = [
    "log odds of the outcomes of conditions",
    "log odds of the unlikeliest outcome",
    "guards that failed",
    "ended by raise or assert",
    "ended by an error of a made-up value's type",
    "ended by another error",
    "cut off",
    "handlers entered",
    "loops without an element",
    "share of lines",
    "logarithm of lines",
    "changes",
    "first run",
];

/// By how much another run has to outdo the first one: of 0, 0.25, 0.5, 0.75 and 1 the one with which the chosen runs of
/// the `dev` projects have the lines of a recorded call most often.
const MARGIN: f32 = 0.5;

/// The features of one run, in the order of [`FEATURES`].
pub type Features = [f32; SIZE];

/// Weights of the features.
#[derive(Clone, Debug, PartialEq)]
pub struct Plausibility {
    weights: Features,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: String,
    weights: Vec<(String, f32)>,
}

impl Plausibility {
    /// The weights that ship in the binary.
    ///
    /// # Panics
    /// Never: a test loads what is built in.
    pub fn built_in() -> &'static Self {
        static BUILT_IN: LazyLock<Plausibility> = LazyLock::new(|| {
            let text = include_str!("../../data/model/plausibility.json");
            Plausibility::parse(text).expect("the built-in weights are whole")
        });
        &BUILT_IN
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.schema != SCHEMA {
            return Err(format!("its schema is `{}`, and not `{SCHEMA}`", file.schema));
        }
        if !file.weights.iter().map(|(name, _)| name.as_str()).eq(FEATURES) {
            return Err("it has weights of other features".to_owned());
        }
        let mut weights = [0.0; SIZE];
        for (place, (name, weight)) in weights.iter_mut().zip(file.weights) {
            if !weight.is_finite() {
                return Err(format!("the weight of `{name}` is not finite"));
            }
            *place = weight;
        }
        Ok(Self { weights })
    }

    /// The file's text.
    #[must_use]
    pub fn to_json(&self) -> String {
        let weights = FEATURES.iter().zip(self.weights).map(|(name, weight)| ((*name).to_owned(), weight)).collect();
        let file = File { schema: SCHEMA.to_owned(), weights };
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// The score of a run: the higher of two is the likelier, by the logarithm of their odds.
    #[must_use]
    pub fn score(&self, features: &Features) -> f32 {
        self.weights.iter().zip(features).map(|(weight, feature)| weight * feature).sum()
    }

    /// The place of the most plausible of several runs: the first, unless another one scores clearly higher.
    #[must_use]
    pub fn choose(&self, runs: &[Features]) -> usize {
        let scores: Vec<f32> = runs.iter().map(|features| self.score(features)).collect();
        let best = (0..runs.len()).rev().max_by(|&one, &other| scores[one].total_cmp(&scores[other])).unwrap_or(0);
        if runs.is_empty() || scores[best] <= scores[0] + MARGIN { 0 } else { best }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_built_in_is_whole_and_comes_back() {
        let built_in = Plausibility::built_in();
        assert_eq!(Plausibility::parse(&built_in.to_json()).expect("its own text"), *built_in);
        assert!(built_in.score(&[1.0; SIZE]).is_finite());
    }

    #[test]
    fn other_files_are_refused() {
        let whole = Plausibility::built_in().to_json();
        for (text, problem) in [
            (String::new(), "EOF"),
            (whole.replace(SCHEMA, "other/1"), "its schema is `other/1`"),
            (whole.replace("cut off", "cut on"), "weights of other features"),
            (whole[..whole.len() / 2].to_owned(), "EOF"),
        ] {
            let found = Plausibility::parse(&text).expect_err(&text);
            assert!(found.contains(problem), "{found}");
        }
    }
}
