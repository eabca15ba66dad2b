//! The value model's encoder with low-rank changes that are learned.

use std::collections::BTreeMap;

use tch::{Device, Kind, Tensor};

use super::layers::POSITIONS;
use crate::t5::{Adapted, Config, LoadError, Weights, factor_shapes, factors};

/// The encoder as the value model has it, and which of its matrices are changed.
pub(super) struct AdaptedEncoder {
    pub(super) shape: Config,
    weights: BTreeMap<String, Tensor>,
    changed: Vec<Adapted>,
}

impl AdaptedEncoder {
    pub(super) fn new(
        shape: Config,
        shared: &Weights<'_>,
        changed: Vec<Adapted>,
        device: Device,
    ) -> Result<Self, LoadError> {
        let norms = (0..shape.num_layers)
            .flat_map(|block| [0, 1].map(|layer| format!("encoder.block.{block}.layer.{layer}.layer_norm.weight")));
        let names = changed.iter().map(|(name, _)| name.clone()).chain(norms);
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
        Ok(Self { shape, weights, changed })
    }

    /// Factors before training: their products are zero.
    pub(super) fn factors(&self, rank: usize, device: Device) -> Vec<(String, Tensor)> {
        let made = |(name, [rows, columns]): (String, [usize; 2])| {
            let shape = [rows as i64, columns as i64];
            let tensor = if name.rsplit('.').next() == Some("up") {
                Tensor::zeros(shape, (Kind::Float, device))
            } else {
                Tensor::randn(shape, (Kind::Float, device)) * (columns as f64).powf(-0.5)
            };
            (name, tensor)
        };
        factor_shapes(&self.changed, rank).into_iter().map(made).collect()
    }

    /// The weights with the changes of `own`, and what else `own` has.
    pub(super) fn merged(&self, own: &BTreeMap<String, Tensor>) -> BTreeMap<String, Tensor> {
        let all = self.weights.iter().chain(own.iter().filter(|(name, _)| !name.starts_with("adapter.")));
        let mut merged: BTreeMap<String, Tensor> =
            all.map(|(name, weight)| (name.clone(), weight.shallow_clone())).collect();
        for (name, _) in &self.changed {
            let [down, up] = factors(name);
            let changed = &self.weights[name] + own[&up].matmul(&own[&down]);
            merged.insert(name.clone(), changed);
        }
        merged
    }
}
