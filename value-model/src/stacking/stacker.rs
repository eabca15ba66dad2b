//! The second model: `scale · mixed + W₁ x + W₂ relu(W₃ x + b₃) + b₂`, from the features x of a site.

use super::features::{CLASSES, Features, WIDTH};
use crate::t5::{LoadError, View, Weights, multiply, relu};

/// Names of the tensors of the second model.
pub(crate) mod names {
    /// One value, by which the mixed logits are multiplied.
    pub(crate) const SCALE: &str = "mixed.scale";
    /// The matrix W₁, `[classes, features]`.
    pub(crate) const DIRECT: &str = "direct.weight";
    /// The matrix W₃, `[hidden, features]`, and the vector b₃, `[hidden]`.
    pub(crate) const HIDDEN: [&str; 2] = ["hidden.weight", "hidden.bias"];
    /// The matrix W₂, `[classes, hidden]`, and the vector b₂, `[classes]`.
    pub(crate) const OUTPUT: [&str; 2] = ["output.weight", "output.bias"];
}

/// Most hidden units that are read: no model of ours has more.
const MAX_HIDDEN: usize = 4096;

/// The second model, which corrects the answers of the first one about the sites of a source.
#[derive(Clone, Debug)]
pub struct Stacker {
    scale: f32,
    direct: Vec<f32>,
    hidden: [Vec<f32>; 2],
    output: [Vec<f32>; 2],
}

impl Stacker {
    /// Reads the model from its tensors.
    ///
    /// # Errors
    /// [`LoadError`] of a tensor that is missing, of another shape or type, or not finite.
    pub fn load(weights: &Weights<'_>) -> Result<Self, LoadError> {
        let [hidden, hidden_bias] = names::HIDDEN;
        let units = weights.shape(hidden).and_then(|shape| shape.first().copied()).unwrap_or(0);
        if units > MAX_HIDDEN {
            let what = format!("tensor `{hidden}`");
            return Err(LoadError::TooLarge { what, size: units as u64, limit: MAX_HIDDEN as u64 });
        }
        let [output, output_bias] = names::OUTPUT;
        Ok(Self {
            scale: weights.vector(names::SCALE, 1)?[0],
            direct: weights.table(names::DIRECT, CLASSES, WIDTH)?,
            hidden: [weights.table(hidden, units, WIDTH)?, weights.vector(hidden_bias, units)?],
            output: [weights.table(output, CLASSES, units)?, weights.vector(output_bias, CLASSES)?],
        })
    }

    /// Corrected logits of the classes for each site.
    pub(crate) fn logits(&self, features: &Features) -> Vec<f32> {
        let sites = features.rows.len() / WIDTH;
        let rows = View::rows(&features.rows, sites, WIDTH, WIDTH);
        let [hidden, hidden_bias] = &self.hidden;
        let [output, output_bias] = &self.output;
        let units = hidden_bias.len();
        let weights = |values, rows, cols| View::rows(values, rows, cols, cols).transposed();
        let mut inner = hidden_bias.repeat(sites);
        multiply(&mut inner, units, rows, weights(hidden, units, WIDTH), true);
        relu(&mut inner);
        let mixed = features.mixed.iter().zip(output_bias.iter().cycle());
        let mut logits: Vec<f32> = mixed.map(|(mixed, bias)| mixed * self.scale + bias).collect();
        multiply(&mut logits, CLASSES, rows, weights(&self.direct, CLASSES, WIDTH), true);
        multiply(&mut logits, CLASSES, View::rows(&inner, sites, units, units), weights(output, CLASSES, units), true);
        logits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::t5::Tensors;

    const UNITS: usize = 3;

    fn tensors(change: impl Fn(&str, &mut Vec<usize>, &mut Vec<f32>)) -> Vec<u8> {
        let [hidden, hidden_bias] = names::HIDDEN;
        let [output, output_bias] = names::OUTPUT;
        let mut tensors = Tensors::new();
        for (name, mut shape) in [
            (names::SCALE, vec![1]),
            (names::DIRECT, vec![CLASSES, WIDTH]),
            (hidden, vec![UNITS, WIDTH]),
            (hidden_bias, vec![UNITS]),
            (output, vec![CLASSES, UNITS]),
            (output_bias, vec![CLASSES]),
        ] {
            let count: usize = shape.iter().product();
            let mut values: Vec<f32> = (0..count).map(|at| (at * 7 % 11) as f32 / 10.0 - 0.5).collect();
            change(name, &mut shape, &mut values);
            tensors.add(name, &shape, &values).expect("shape and values agree");
        }
        tensors.to_bytes().expect("a few names")
    }

    #[test]
    fn logits_are_those_of_the_formula() {
        let bytes = tensors(|_, _, _| {});
        let stacker = Stacker::load(&Weights::from_safetensors(bytes.as_slice()).expect("whole")).expect("it fits");
        let sites = 5;
        let number = |at: usize| (at * 13 % 17) as f32 / 17.0;
        let features = Features {
            rows: (0..sites * WIDTH).map(number).collect(),
            mixed: (0..sites * CLASSES).map(number).collect(),
        };
        let found = stacker.logits(&features);
        assert_eq!(found.len(), sites * CLASSES);
        let dot = |weights: &[f32], values: &[f32]| weights.iter().zip(values).map(|(w, x)| w * x).sum::<f32>();
        for (at, found) in found.into_iter().enumerate() {
            let (row, class) = (&features.rows[at / CLASSES * WIDTH..][..WIDTH], at % CLASSES);
            let inner: Vec<f32> = (0..UNITS)
                .map(|unit| (dot(&stacker.hidden[0][unit * WIDTH..][..WIDTH], row) + stacker.hidden[1][unit]).max(0.0))
                .collect();
            let expected = stacker.scale * features.mixed[at]
                + dot(&stacker.direct[class * WIDTH..][..WIDTH], row)
                + dot(&stacker.output[0][class * UNITS..][..UNITS], &inner)
                + stacker.output[1][class];
            assert!((found - expected).abs() < 1e-3, "{found} {expected}");
        }
        assert!(stacker.logits(&Features::default()).is_empty());
    }

    #[test]
    fn tensors_that_do_not_fit_are_refused() {
        let error = |bytes: &[u8]| {
            Weights::from_safetensors(bytes)
                .and_then(|weights| Stacker::load(&weights))
                .expect_err("it is bad")
                .to_string()
        };
        let narrow = |name: &str, shape: &mut Vec<usize>, values: &mut Vec<f32>| {
            if name == names::DIRECT {
                shape[1] -= 1;
                values.truncate(CLASSES * (WIDTH - 1));
            }
        };
        assert!(error(&tensors(narrow)).contains("`direct.weight` has the shape [22, "));
        let vast = |name: &str, shape: &mut Vec<usize>, values: &mut Vec<f32>| {
            if name == names::HIDDEN[0] {
                *shape = vec![MAX_HIDDEN + 1, 1];
                values.resize(MAX_HIDDEN + 1, 0.0);
            }
        };
        assert!(error(&tensors(vast)).contains("more than the limit"));
        let whole = tensors(|_, _, _| {});
        assert!(error(&whole[..whole.len() - 1]).starts_with("truncated"));
        assert!(error(&Tensors::new().to_bytes().expect("empty")).contains("`mixed.scale` is missing"));
    }
}
