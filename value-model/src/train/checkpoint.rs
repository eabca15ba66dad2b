//! What training keeps: checkpoints that resume exactly, and the weights by the names of transformers.

use std::collections::{BTreeMap, HashMap};

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use tch::{Device, Kind, Tensor, no_grad};

use super::trainer::{Recipe, TrainError, Trainer};

/// The file's name.
pub(super) const CHECKPOINT: &str = "checkpoint.safetensors";

impl Trainer {
    /// The weights by the names of transformers.
    pub(super) fn write_weights(&self, name: &str) -> Result<(), TrainError> {
        let tensors = self.net.weights.iter().map(|(name, weight)| (name.clone(), flat(weight)));
        self.write(name, &tensors.collect(), None)
    }

    pub(super) fn save(&self, name: &str) -> Result<(), TrainError> {
        let parts =
            [("weight", &self.net.weights), ("first", &self.optimizer.first), ("second", &self.optimizer.second)];
        let tensors = parts.iter().flat_map(|(part, tensors)| {
            tensors.iter().map(move |(name, tensor)| (format!("{part}:{name}"), flat(tensor)))
        });
        let text = |value: &dyn Fn() -> serde_json::Result<String>| value().unwrap_or_default();
        let metadata = HashMap::from([
            ("recipe".to_owned(), text(&|| serde_json::to_string(&self.recipe))),
            ("state".to_owned(), text(&|| serde_json::to_string(&self.state))),
        ]);
        self.write(name, &tensors.collect(), Some(metadata))
    }

    fn write(
        &self,
        name: &str,
        tensors: &BTreeMap<String, (Vec<usize>, Vec<u8>)>,
        metadata: Option<HashMap<String, String>>,
    ) -> Result<(), TrainError> {
        let path = self.folder.join(name);
        let failed = |problem: safetensors::SafeTensorError| TrainError::Checkpoint {
            path: path.clone(),
            problem: problem.to_string(),
        };
        let views = tensors
            .iter()
            .map(|(name, (shape, data))| Ok((name, TensorView::new(Dtype::F32, shape.clone(), data)?)))
            .collect::<Result<Vec<_>, _>>()
            .map_err(failed)?;
        let data = safetensors::serialize(views, metadata).map_err(failed)?;
        crate::files::replace(&path, &data).map_err(|source| TrainError::Io { path: path.clone(), source })
    }

    pub(super) fn resume(&mut self) -> Result<(), TrainError> {
        let path = self.folder.join(CHECKPOINT);
        let data = match std::fs::read(&path) {
            Ok(data) => data,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(source) => return Err(TrainError::Io { path, source }),
        };
        self.restore(&data).map_err(|problem| TrainError::Checkpoint { path, problem })
    }

    fn restore(&mut self, data: &[u8]) -> Result<(), String> {
        let said = |error: safetensors::SafeTensorError| error.to_string();
        let (_, metadata) = SafeTensors::read_metadata(data).map_err(said)?;
        let metadata = metadata.metadata().clone().unwrap_or_default();
        let entry = |name: &str| metadata.get(name).ok_or_else(|| format!("it has no `{name}`"));
        let before: Recipe = serde_json::from_str(entry("recipe")?).map_err(|error| error.to_string())?;
        let Recipe { steps, cool_down, measure_every, patience, .. } = self.recipe;
        if (Recipe { steps, cool_down, measure_every, patience, ..before }) != self.recipe {
            return Err("it was made by another recipe".to_owned());
        }
        let state = serde_json::from_str(entry("state")?).map_err(|error| error.to_string())?;
        let tensors = SafeTensors::deserialize(data).map_err(said)?;
        let parts = [
            ("weight", &mut self.net.weights),
            ("first", &mut self.optimizer.first),
            ("second", &mut self.optimizer.second),
        ];
        for (part, target) in parts {
            for (name, tensor) in target.iter_mut() {
                let view = tensors.tensor(&format!("{part}:{name}")).map_err(said)?;
                let shape: Vec<i64> = view.shape().iter().map(|&size| size as i64).collect();
                if view.dtype() != Dtype::F32 || shape != tensor.size() {
                    return Err(format!("`{name}` has another shape"));
                }
                let read = Tensor::from_data_size(view.data(), &shape, Kind::Float);
                no_grad(|| tensor.copy_(&read));
            }
        }
        self.state = state;
        Ok(())
    }
}

/// Shape and little-endian bytes.
fn flat(tensor: &Tensor) -> (Vec<usize>, Vec<u8>) {
    let tensor = tensor.detach().to_device(Device::Cpu).contiguous();
    let shape = tensor.size().iter().map(|&size| size as usize).collect();
    let mut numbers = vec![0_f32; tensor.numel()];
    tensor.copy_data(&mut numbers, tensor.numel());
    (shape, numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}
