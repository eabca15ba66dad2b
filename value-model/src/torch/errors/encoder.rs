//! The value model's encoder with low-rank changes that are learned ([`crate::ipagnn`]).

use std::collections::BTreeMap;

use tch::{Device, Kind, Tensor};

use super::batch::Tokens;
use crate::ipagnn::{ErrorConfig, Pooling, encoder_parts};
use crate::t5::{LoadError, adapted};
use crate::torch::adapted::AdaptedEncoder;
use crate::torch::layers::Layers;

/// The encoder, and how the states of a statement's tokens become one vector.
pub(super) struct Encoder {
    shared: AdaptedEncoder,
    pooling: Pooling,
}

impl Encoder {
    pub(super) fn new(config: &ErrorConfig, device: Device) -> Result<Self, LoadError> {
        let (shape, shared, _) = encoder_parts(config)?;
        let changed = adapted(&shape, config.encoder_layers);
        Ok(Self { shared: AdaptedEncoder::new(shape, &shared, changed, device)?, pooling: config.pooling })
    }

    /// Factors before training: their products are zero.
    pub(super) fn factors(&self, config: &ErrorConfig, device: Device) -> Vec<(String, Tensor)> {
        config.adapter.map(|rank| self.shared.factors(rank, device)).unwrap_or_default()
    }

    /// Vectors of the statements of a batch, `[rows, nodes, features]`.
    pub(super) fn statements(&self, own: &BTreeMap<String, Tensor>, tokens: &Tokens, nodes: i64) -> Tensor {
        let merged = self.shared.merged(own);
        let layers = Layers { config: &self.shared.shape, weights: &merged, products: Kind::Float, dropout: 0.0 };
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
        let width = self.shared.shape.d_model as i64;
        let vectors = Tensor::cat(&pooled, 0).index_select(0, &tokens.order).view([-1, nodes, width]);
        match &tokens.doubts {
            Some(doubts) => Tensor::cat(&[&vectors, doubts], -1),
            None => vectors,
        }
    }

    /// States of the tokens of descriptions, `[rows, tokens, width]`; zeros for padding.
    pub(super) fn description(&self, own: &BTreeMap<String, Tensor>, tokens: &Tokens) -> Tensor {
        let merged = self.shared.merged(own);
        let layers = Layers { config: &self.shared.shape, weights: &merged, products: Kind::Float, dropout: 0.0 };
        let [ids, mask] = &tokens.groups[0];
        layers.encode(ids, mask) * mask.ge(-1.0).to_kind(Kind::Float).unsqueeze(-1)
    }
}
