//! The value model's encoder with low-rank changes that are learned ([`crate::ipagnn`]).

use std::collections::BTreeMap;

use tch::{Device, Kind, Tensor};

use super::batch::Tokens;
use crate::ipagnn::{ErrorConfig, Pooling, adapted, adapter_shapes, encoder_parts, factors};
use crate::t5::{Config, LoadError};
use crate::torch::layers::{Layers, POSITIONS};

/// The encoder as the value model has it.
pub(super) struct Encoder {
    shape: Config,
    weights: BTreeMap<String, Tensor>,
    /// Names of the matrices that are changed.
    changed: Vec<String>,
    pooling: Pooling,
}

impl Encoder {
    pub(super) fn new(config: &ErrorConfig, device: Device) -> Result<Self, LoadError> {
        let (shape, shared, _) = encoder_parts(config)?;
        let changed: Vec<String> = adapted(&shape, config.encoder_layers).into_iter().map(|(name, _)| name).collect();
        let norms = (0..shape.num_layers)
            .flat_map(|block| [0, 1].map(|layer| format!("encoder.block.{block}.layer.{layer}.layer_norm.weight")));
        let names = changed.iter().cloned().chain(norms);
        let names = names.chain([POSITIONS.to_owned(), "encoder.final_layer_norm.weight".to_owned()]);
        let mut weights = BTreeMap::new();
        let read = |name: &str| -> Result<Tensor, LoadError> {
            let size: Vec<i64> = shared.shape(name).unwrap_or_default().iter().map(|&size| size as i64).collect();
            Ok(Tensor::from_slice(&shared.values(name)?).view(size.as_slice()).to_device(device))
        };
        for name in names {
            weights.insert(name.clone(), read(&name)?);
        }
        weights.insert("shared.weight".to_owned(), read(shared.embedding())?);
        Ok(Self { shape, weights, changed, pooling: config.pooling })
    }

    /// Factors before training: their products are zero.
    pub(super) fn factors(&self, config: &ErrorConfig, device: Device) -> Vec<(String, Tensor)> {
        let made = |(name, [rows, columns]): (String, [usize; 2])| {
            let shape = [rows as i64, columns as i64];
            let tensor = if name.rsplit('.').next() == Some("up") {
                Tensor::zeros(shape, (Kind::Float, device))
            } else {
                Tensor::randn(shape, (Kind::Float, device)) * (columns as f64).powf(-0.5)
            };
            (name, tensor)
        };
        adapter_shapes(&self.shape, config).into_iter().map(made).collect()
    }

    /// The weights with the changes of `own`.
    fn merged(&self, own: &BTreeMap<String, Tensor>) -> BTreeMap<String, Tensor> {
        let mut merged: BTreeMap<String, Tensor> =
            self.weights.iter().map(|(name, weight)| (name.clone(), weight.shallow_clone())).collect();
        for name in &self.changed {
            let [down, up] = factors(name);
            let changed = &self.weights[name] + own[&up].matmul(&own[&down]);
            merged.insert(name.clone(), changed);
        }
        merged
    }

    /// Vectors of the statements of a batch, `[rows, nodes, features]`.
    pub(super) fn statements(&self, own: &BTreeMap<String, Tensor>, tokens: &Tokens, nodes: i64) -> Tensor {
        let merged = self.merged(own);
        let layers = Layers { config: &self.shape, weights: &merged, products: Kind::Float };
        let pooled: Vec<Tensor> = tokens
            .groups
            .iter()
            .map(|[ids, mask]| {
                let states = layers.encode(ids, mask);
                let read = mask.ge(-1.0).to_kind(Kind::Float).unsqueeze(-1);
                let over = [1_i64];
                let sum = || (&states * &read).sum_dim_intlist(over.as_slice(), false, Kind::Float);
                match self.pooling {
                    Pooling::First => states.select(1, 0),
                    Pooling::Sum => sum(),
                    Pooling::Mean => sum() / read.sum_dim_intlist(over.as_slice(), false, Kind::Float),
                    Pooling::Max => (&states + mask.unsqueeze(-1)).amax(over.as_slice(), false),
                }
            })
            .collect();
        let width = self.shape.d_model as i64;
        let vectors = Tensor::cat(&pooled, 0).index_select(0, &tokens.order).view([-1, nodes, width]);
        match &tokens.doubts {
            Some(doubts) => Tensor::cat(&[&vectors, doubts], -1),
            None => vectors,
        }
    }

    /// States of the tokens of descriptions, `[rows, tokens, width]`; zeros for padding.
    pub(super) fn description(&self, own: &BTreeMap<String, Tensor>, tokens: &Tokens) -> Tensor {
        let merged = self.merged(own);
        let layers = Layers { config: &self.shape, weights: &merged, products: Kind::Float };
        let [ids, mask] = &tokens.groups[0];
        layers.encode(ids, mask) * mask.ge(-1.0).to_kind(Kind::Float).unsqueeze(-1)
    }
}
