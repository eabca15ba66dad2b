//! A wide model that begins as a narrow one.

use tch::{Kind, Tensor, no_grad};

use super::Net;
use crate::t5::{LoadError, Weights};

impl Net {
    /// Takes the weights of a narrower model, whose widths divide this one's, so that it answers as that one does.
    ///
    /// Units are repeated, and what reads them shares each weight out among the copies at random, which then learn
    /// different things (Chen et al. 2016, Net2Net, section 2.3).
    ///
    /// # Errors
    /// As [`Net::load`].
    pub fn load_narrower(&mut self, weights: &Weights<'_>) -> Result<(), LoadError> {
        let narrow = weights.shape("decoder.final_layer_norm.weight").and_then(|shape| shape.first().copied());
        let times = self.dimensions.model as f64 / narrow.unwrap_or(1) as f64;
        for (name, tensor) in &mut self.weights {
            let expected: Vec<usize> = tensor.size().iter().map(|&size| size as usize).collect();
            let found = weights.shape(name).ok_or_else(|| LoadError::Missing(name.clone()))?;
            let divides = expected.len() == found.len()
                && expected.iter().zip(found).all(|(wide, narrow)| *narrow > 0 && wide.is_multiple_of(*narrow));
            if !divides {
                return Err(LoadError::Shape { name: name.clone(), found: found.to_vec(), expected });
            }
            let repeats: Vec<i64> = expected.iter().zip(found).map(|(wide, narrow)| (wide / narrow) as i64).collect();
            let shape: Vec<i64> = found.iter().map(|&size| size as i64).collect();
            let read = Tensor::from_slice(&weights.values(name)?).view(shape.as_slice()).to_device(self.device);
            let mut wide = read.repeat(repeats.as_slice());
            if name == "decoder.final_layer_norm.weight" {
                // The head's product grows with the width, and is divided by its root.
                wide /= times.sqrt();
            } else if reads_units(name) {
                let [rows, columns] = [expected[0] as i64, shape[1]];
                let share = Tensor::rand([rows, repeats[1], columns], (Kind::Float, self.device)) + 0.5;
                let share = &share / share.sum_dim_intlist([1_i64].as_slice(), true, Kind::Float);
                wide *= share.view([rows, repeats[1] * columns]);
            }
            no_grad(|| tensor.copy_(&wide));
        }
        Ok(())
    }
}

/// True of a matrix that is multiplied with units of the layer before.
fn reads_units(name: &str) -> bool {
    name != "shared.weight" && !name.contains("relative_attention_bias") && !name.contains("layer_norm")
}

#[cfg(test)]
mod tests {
    use tch::Device;

    use super::*;
    use crate::encoding::{Vocabulary, Window};
    use crate::t5::T5;
    use crate::torch::{Dimensions, Padded};

    #[test]
    fn a_wider_model_answers_as_the_narrow_one() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference/codet5");
        let vocabulary = Vocabulary::open(&folder).expect("a tokenizer");
        let (config, weights) = T5::parts(&folder).expect("a model");
        let narrow = Dimensions::of(&config).expect("a plain T5");
        let wide = Dimensions {
            model: narrow.model * 3,
            heads: narrow.heads * 2,
            feed_forward: narrow.feed_forward * 4,
            ..narrow
        };
        let mark = vocabulary.marks()[0];
        let window = Window { ids: (5..60).chain([mark]).chain(60..90).collect(), asked: vec![(0, mark)] };
        let windows = Padded::new(std::iter::once(&window), vocabulary.pad());
        let classes: Vec<i64> = vocabulary.classes().iter().map(|&class| class.into()).collect();
        let classes = Tensor::from_slice(&classes);
        let mut first = Net::new(narrow, vocabulary.marks(), Device::Cpu);
        first.load(&weights).expect("its weights");
        let mut second = Net::new(wide, vocabulary.marks(), Device::Cpu);
        second.load_narrower(&weights).expect("a third as wide");
        let apart = (first.forward(&windows, &classes) - second.forward(&windows, &classes)).abs().max();
        assert!(apart.double_value(&[]) < 1e-3, "{apart}");
        let copies = second.weights["encoder.block.0.layer.1.DenseReluDense.wo.weight"].shallow_clone();
        let copies = copies.split(narrow.feed_forward, 1);
        assert!(!copies[0].allclose(&copies[1], 1e-3, 1e-5, false), "the copies must be free to part");
        let odd = Dimensions { model: narrow.model + 1, ..narrow };
        let refused = Net::new(odd, vocabulary.marks(), Device::Cpu).load_narrower(&weights);
        assert!(matches!(refused, Err(LoadError::Shape { .. })), "{refused:?}");
    }
}
