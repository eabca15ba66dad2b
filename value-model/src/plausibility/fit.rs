//! Fitting: gradient descent on the cross entropy between the shares of calls and the softmax of the scores, with a rate
//! for each weight (`AdaGrad`, Duchi et al., JMLR 2011).

use serde::Deserialize;

use super::{Features, Plausibility, SIZE};

/// Passes over all groups.
const EPOCHS: u32 = 400;
const RATE: f32 = 0.1;
/// What a weight adds to its gradient, by which it shrinks.
const DECAY: f32 = 0.002;
/// Where the sums of squared gradients begin.
const SQUARES: f32 = 0.01;

/// The runs of one function.
#[derive(Clone, Debug, Deserialize)]
pub struct Group {
    /// Runs with different lines, the first of those with the same.
    pub candidates: Vec<Candidate>,
}

/// A run, and how real it is.
#[derive(Clone, Debug, Deserialize)]
pub struct Candidate {
    /// What is asked of it.
    pub features: Features,
    /// Share of the recorded calls that ran the same lines.
    pub share: f32,
}

/// Measurements on groups: means of the shares of calls that have the lines of one run each.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Of the run that is chosen.
    pub chosen: f32,
    /// Of the first run.
    pub first: f32,
    /// Of the most real one.
    pub best: f32,
}

/// Fits weights to groups of runs.
#[must_use]
pub fn fit(groups: &[Group]) -> Plausibility {
    let mut model = Plausibility { weights: [0.0; SIZE] };
    let mut squares = [SQUARES; SIZE];
    // Where no run is real, or all are equally so, nothing can be learned.
    let telling: Vec<&Group> =
        groups.iter().filter(|group| group.candidates.iter().any(|one| one.share > 0.0)).collect();
    for _ in 0..EPOCHS {
        let mut gradient = [0.0; SIZE];
        for group in &telling {
            add_gradient(&model, group, &mut gradient);
        }
        for ((weight, square), gradient) in model.weights.iter_mut().zip(&mut squares).zip(gradient) {
            let gradient = gradient / telling.len().max(1) as f32 + DECAY * *weight;
            *square += gradient * gradient;
            *weight -= RATE * gradient / square.sqrt();
        }
    }
    model
}

/// Adds the gradient of the cross entropy of one group.
fn add_gradient(model: &Plausibility, group: &Group, gradient: &mut Features) {
    let scores: Vec<f32> = group.candidates.iter().map(|one| model.score(&one.features)).collect();
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = scores.iter().map(|score| (score - highest).exp()).collect();
    let (total, shares) = (powers.iter().sum::<f32>(), group.candidates.iter().map(|one| one.share).sum::<f32>());
    for (candidate, power) in group.candidates.iter().zip(powers) {
        let error = power / total - candidate.share / shares;
        for (place, feature) in gradient.iter_mut().zip(candidate.features) {
            *place += error * feature;
        }
    }
}

/// Measures weights on groups.
#[must_use]
pub fn measure(model: &Plausibility, groups: &[Group]) -> Fit {
    let (mut chosen, mut first, mut best) = (0.0, 0.0, 0.0);
    for group in groups {
        let runs: Vec<Features> = group.candidates.iter().map(|one| one.features).collect();
        chosen += group.candidates.get(model.choose(&runs)).map_or(0.0, |one| one.share);
        first += group.candidates.first().map_or(0.0, |one| one.share);
        best += group.candidates.iter().map(|one| one.share).fold(0.0, f32::max);
    }
    let count = groups.len().max(1) as f32;
    Fit { chosen: chosen / count, first: first / count, best: best / count }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The run that is real is the one with the smaller value of a feature, but for noise in another.
    fn group(number: u32) -> Group {
        let candidate = |place: u32| {
            let mut features = [0.0; SIZE];
            features[0] = ((number * 7 + place * 3) % 5) as f32;
            features[9] = ((number * 13 + place * 11) % 7) as f32;
            Candidate { features, share: 0.0 }
        };
        let mut candidates: Vec<Candidate> = (0..5).map(candidate).collect();
        let least = candidates.iter_mut().min_by(|one, other| one.features[0].total_cmp(&other.features[0]));
        least.expect("five").share = 0.8;
        Group { candidates }
    }

    #[test]
    fn it_learns_which_runs_are_real() {
        let learned: Vec<Group> = (0..200).map(group).collect();
        let held_out: Vec<Group> = (1000..1100).map(group).collect();
        let model = fit(&learned);
        let found = measure(&model, &held_out);
        assert!(found.chosen > 0.79 && found.first < 0.3, "{found:?}");
        assert!((found.best - 0.8).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn groups_without_a_real_run_teach_nothing() {
        let mut unreal = group(3);
        unreal.candidates.iter_mut().for_each(|one| one.share = 0.0);
        assert_eq!(fit(&[unreal]), Plausibility { weights: [0.0; SIZE] });
        assert_eq!(fit(&[]), Plausibility { weights: [0.0; SIZE] });
    }
}
