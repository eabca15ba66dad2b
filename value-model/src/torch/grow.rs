//! Growing a model: a wider or deeper one that begins with the answers of a smaller one.

use tch::{Kind, Tensor, no_grad};

use super::Net;
use super::shapes::name_in;
use crate::t5::{HEAD, LoadError, Weights};

impl Net {
    /// Takes the weights of a smaller model, whose widths divide this one's, so that it answers as that one does.
    ///
    /// Units are repeated, and what reads them shares each weight out among the copies at random, which then learn
    /// different things (Chen et al. 2016, `Net2Net`, section 2.3). Blocks of the encoder that are new stand behind the
    /// old ones and are copies of these, but add nothing at first.
    ///
    /// # Errors
    /// As [`Net::open`].
    pub(crate) fn load_smaller(&mut self, weights: &Weights<'_>) -> Result<(), LoadError> {
        let blocks = Blocks { before: blocks(weights), now: self.config.num_layers };
        let narrow = weights.shape("decoder.final_layer_norm.weight").and_then(|shape| shape.first().copied());
        let times = self.config.d_model as f64 / narrow.unwrap_or(1) as f64;
        // What the head's product grows by: a head of its own shares its weights out like all that read units.
        let mut grown = if self.weights.contains_key(HEAD) { 1.0 } else { times };
        if self.config.scale_decoder_outputs {
            grown /= times.sqrt();
        }
        for (name, tensor) in &mut self.weights {
            let expected: Vec<usize> = tensor.size().iter().map(|&size| size as usize).collect();
            let (source, new) = blocks.source(name);
            let name = name_in(weights, &source);
            let found = weights.shape(name).ok_or_else(|| LoadError::Missing(name.to_owned()))?;
            let divides = expected.len() == found.len()
                && expected.iter().zip(found).all(|(wide, narrow)| *narrow > 0 && wide.is_multiple_of(*narrow));
            if !divides {
                return Err(LoadError::Shape { name: name.to_owned(), found: found.to_vec(), expected });
            }
            let repeats: Vec<i64> = expected.iter().zip(found).map(|(wide, narrow)| (wide / narrow) as i64).collect();
            let shape: Vec<i64> = found.iter().map(|&size| size as i64).collect();
            let read = Tensor::from_slice(&weights.values(name)?).view(shape.as_slice()).to_device(self.device);
            let mut wide = read.repeat(repeats.as_slice());
            if new && (name.ends_with(".o.weight") || name.ends_with(".wo.weight")) {
                let _ = wide.zero_();
            } else if name == "decoder.final_layer_norm.weight" {
                wide /= grown;
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

/// Number of the encoder's blocks that a checkpoint holds.
fn blocks(weights: &Weights<'_>) -> usize {
    let norm = |name: &&str| name.starts_with("encoder.block.") && name.ends_with(".layer.0.layer_norm.weight");
    weights.names().filter(norm).count()
}

/// Number of blocks of the smaller encoder and of this one.
struct Blocks {
    before: usize,
    now: usize,
}

impl Blocks {
    /// The weight of the smaller model that this one begins as, and whether its block is new.
    fn source(&self, name: &str) -> (String, bool) {
        let number = name.strip_prefix("encoder.block.").and_then(|rest| rest.split_once('.'));
        let Some((block, rest)) = number.and_then(|(block, rest)| Some((block.parse::<usize>().ok()?, rest))) else {
            return (name.to_owned(), false);
        };
        let of = |block: usize| block * self.before / self.now.max(1);
        (format!("encoder.block.{}.{rest}", of(block)), block > 0 && of(block) == of(block - 1))
    }
}

/// Whether a matrix is multiplied with units of the layer before.
fn reads_units(name: &str) -> bool {
    !name.contains("shared")
        && !name.contains("embed_tokens")
        && !name.contains("relative_attention_bias")
        && !name.contains("layer_norm")
}

#[cfg(test)]
mod tests {
    use tch::Device;

    use super::*;
    use crate::encoding::Window;
    use crate::t5::{Config, T5};
    use crate::torch::Padded;

    #[test]
    fn a_larger_model_answers_as_the_small_one() {
        let _lock = crate::torch::lock();
        let reference = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference");
        for name in ["codet5", "relu-untied", "gated-tied"] {
            let (narrow, weights) = T5::parts(&reference.join(name)).expect("a model");
            let wide = Config {
                d_model: narrow.d_model * 3,
                num_heads: narrow.num_heads * 2,
                d_ff: narrow.d_ff * 4,
                num_layers: narrow.num_layers * 2 + 1,
                ..narrow
            };
            let window = Window { ids: (5..60).chain([3]).chain(40..60).collect(), asked: vec![(0, 3)] };
            let windows = Padded::new(std::iter::once(&window), 0);
            let classes = Tensor::from_slice(&[4_i64, 7, 9]);
            let first = Net::open(&narrow, &weights, Device::Cpu).expect("its weights");
            let mut second = Net::new(&wide, weights.has_own_head(&narrow), &[], Device::Cpu);
            second.load_smaller(&weights).expect("a third as wide, half as deep");
            let apart = (first.forward(&windows, &classes) - second.forward(&windows, &classes)).abs().max();
            assert!(apart.double_value(&[]) < 1e-3, "{name}: {apart}");
            let copies = second.weights["encoder.block.0.layer.1.DenseReluDense.wo.weight"].shallow_clone();
            let copies = copies.split(narrow.d_ff as i64, 1);
            assert!(!copies[0].allclose(&copies[1], 1e-3, 1e-5, false), "the copies must be free to part");
            let odd = Config { d_model: narrow.d_model + 1, ..narrow };
            let refused = Net::new(&odd, false, &[], Device::Cpu).load_smaller(&weights);
            assert!(matches!(refused, Err(LoadError::Shape { .. })), "{refused:?}");
        }
    }
}
