//! Fitting: stochastic gradient descent with a rate for each weight (`AdaGrad`, Duchi et al., JMLR 2011).

use super::{Conditions, SIZE, logistic, places};

/// Passes over the examples.
const EPOCHS: u32 = 2;
const RATE: f32 = 0.05;
/// What a weight adds to its gradient, by which it shrinks.
const DECAY: f32 = 0.1;
/// Where the sums of squared gradients begin: the first steps are not larger than others.
const SQUARES: f32 = 1.0;
/// Factors on the weights, in percent, that are tried on held-out examples.
const CERTAINTIES: std::ops::RangeInclusive<u32> = 30..=150;

/// A condition with what recorded calls first came to.
#[derive(Clone, Debug)]
pub struct Example {
    places: Vec<u32>,
    /// Share of the calls in which it held.
    truth: f32,
}

impl Example {
    /// Makes an example of the features and the numbers of calls in which the condition held and did not.
    #[must_use]
    pub fn new(features: &[String], holds: u64, fails: u64) -> Self {
        Self { places: places(features), truth: holds as f32 / holds.saturating_add(fails).max(1) as f32 }
    }
}

/// Measurements on examples.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Pass over the examples, from 1.
    pub epoch: u32,
    /// Number of passes in all.
    pub epochs: u32,
    /// Mean loss in nats a condition.
    pub loss: f64,
    /// Share of calls that went the likelier way.
    pub right: f64,
    /// The same for the share that all conditions of the examples have in common.
    pub majority: f64,
}

/// Fits a model to `learned` and scales its weights to `held_out`; `report` gets the measurements there of each pass.
pub fn fit(learned: &[Example], held_out: &[Example], seed: u64, mut report: impl FnMut(Fit)) -> Conditions {
    let mut random = fastrand::Rng::with_seed(seed);
    let mean = learned.iter().map(|example| f64::from(example.truth)).sum::<f64>() / learned.len().max(1) as f64;
    let bias = (mean / (1.0 - mean)).ln();
    let bias = if bias.is_finite() { bias as f32 } else { 0.0 };
    let mut model = Conditions { weights: vec![0.0; SIZE], bias };
    let mut squares = vec![SQUARES; SIZE];
    let mut order: Vec<usize> = (0..learned.len()).collect();
    for epoch in 1..=EPOCHS {
        random.shuffle(&mut order);
        for &number in &order {
            let example = &learned[number];
            let error = logistic(model.logit(&example.places)) - example.truth;
            for &place in &example.places {
                let (weight, square) = (&mut model.weights[place as usize], &mut squares[place as usize]);
                let gradient = error + DECAY * *weight;
                *square += gradient * gradient;
                *weight -= RATE * gradient / square.sqrt();
            }
        }
        report(measure(&model, held_out, epoch));
    }
    let scaled = |percent: u32| {
        let factor = percent as f32 / 100.0;
        let weights = model.weights.iter().map(|weight| weight * factor).collect();
        Conditions { weights, bias: model.bias * factor }
    };
    let losses = CERTAINTIES.map(|percent| (measure(&scaled(percent), held_out, EPOCHS).loss, percent));
    let (_, percent) = losses.min_by(|(one, _), (other, _)| one.total_cmp(other)).unwrap_or((0.0, 100));
    let model = scaled(percent);
    report(measure(&model, held_out, EPOCHS));
    model
}

fn measure(model: &Conditions, examples: &[Example], epoch: u32) -> Fit {
    let (mut loss, mut right, mut holds) = (0.0, 0.0, 0.0);
    for example in examples {
        let (truth, probability) = (f64::from(example.truth), f64::from(logistic(model.logit(&example.places))));
        let probability = probability.clamp(1e-6, 1.0 - 1e-6);
        loss -= truth * probability.ln() + (1.0 - truth) * (1.0 - probability).ln();
        right += if probability > 0.5 { truth } else { 1.0 - truth };
        holds += truth;
    }
    let count = examples.len().max(1) as f64;
    let (loss, right, holds) = (loss / count, right / count, holds / count);
    Fit { epoch, epochs: EPOCHS, loss, right, majority: holds.max(1.0 - holds) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::t5::Weights;

    #[test]
    fn it_learns_which_features_go_which_way_and_survives_storing() {
        let example = |number: u32| {
            let features = [format!("kind|{}", number % 2), format!("name|{}", number % 7), format!("noise|{number}")];
            let holds = u64::from(number.is_multiple_of(2));
            Example::new(&features, holds, 1 - holds)
        };
        let learned: Vec<Example> = (0..400).map(example).collect();
        let held_out: Vec<Example> = (1000..1100).map(example).collect();
        let mut last = None;
        let model = fit(&learned, &held_out, 3, |fit| last = Some(fit));
        let last = last.expect("measured");
        assert!(last.right > 0.99 && (last.majority - 0.5).abs() < 0.01, "{last:?}");
        let bytes = model.tensors().and_then(|tensors| tensors.to_bytes()).expect("finite");
        let read = Conditions::load(&Weights::from_safetensors(bytes.as_slice()).expect("whole")).expect("it fits");
        let yes = ["kind|0".to_owned(), "name|3".to_owned()];
        assert!(model.probability(&yes) > 0.6 && (read.probability(&yes) - model.probability(&yes)).abs() < 0.05);
    }

    #[test]
    fn nothing_to_learn_from_is_no_error() {
        let model = fit(&[], &[], 1, |_| {});
        assert!((model.probability(&[]) - 0.5).abs() < 1e-6);
    }
}
