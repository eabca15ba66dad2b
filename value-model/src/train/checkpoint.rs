//! Files of a training run: checkpoints that resume exactly, and the weights by the names of transformers.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensorError, SafeTensors};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tch::{Device, Kind, Tensor, no_grad};

use super::adamw::AdamW;
use super::error::TrainError;
use super::recipe::{Recipe, State};
use crate::t5::{LoadError, Tensors};
use crate::torch::Net;

/// Shape and little-endian bytes of tensors, by name.
type Flat = BTreeMap<String, (Vec<usize>, Vec<u8>)>;

/// Writes the weights by the names of transformers.
pub(super) fn write_weights(path: &Path, net: &Net) -> Result<(), TrainError> {
    write(path, &net.weights.iter().map(|(name, weight)| (name.clone(), flat(weight))).collect(), None)
}

/// Writes all that a training run needs to go on: weights, moments of the optimizer, recipe and state.
pub(super) fn save(
    path: &Path,
    recipe: &Recipe,
    state: &State,
    net: &Net,
    optimizer: &AdamW,
) -> Result<(), TrainError> {
    save_parts(path, recipe, state, &net.weights, optimizer)
}

/// Writes weights, moments of the optimizer, and a recipe and state of any kind.
pub(super) fn save_parts(
    path: &Path,
    recipe: &impl Serialize,
    state: &impl Serialize,
    weights: &BTreeMap<String, Tensor>,
    optimizer: &AdamW,
) -> Result<(), TrainError> {
    let parts = [("weight", weights), ("first", &optimizer.first), ("second", &optimizer.second)];
    let tensors = parts
        .iter()
        .flat_map(|(part, tensors)| tensors.iter().map(move |(name, tensor)| (format!("{part}:{name}"), flat(tensor))));
    let text = |value: serde_json::Result<String>| value.unwrap_or_default();
    let metadata = HashMap::from([
        ("recipe".to_owned(), text(serde_json::to_string(recipe))),
        ("state".to_owned(), text(serde_json::to_string(state))),
    ]);
    write(path, &tensors.collect(), Some(metadata))
}

fn write(path: &Path, tensors: &Flat, metadata: Option<HashMap<String, String>>) -> Result<(), TrainError> {
    let failed = |problem: SafeTensorError| damaged(path, problem.to_string());
    let views = tensors
        .iter()
        .map(|(name, (shape, data))| Ok((name, TensorView::new(Dtype::F32, shape.clone(), data)?)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    let data = safetensors::serialize(views, metadata).map_err(failed)?;
    crate::files::replace(path, &data).map_err(|source| TrainError::Io { path: path.to_owned(), source })
}

/// Puts a checkpoint of the recipe, where there is one, into a model and its optimizer; gives the state it was in.
pub(super) fn resume(
    path: &Path,
    recipe: &Recipe,
    net: &mut Net,
    optimizer: &mut AdamW,
) -> Result<Option<State>, TrainError> {
    let &Recipe { steps, cool_down, measure_every, patience, .. } = recipe;
    let same = |before: Recipe| (Recipe { steps, cool_down, measure_every, patience, ..before }) == *recipe;
    resume_parts(path, same, &mut net.weights, optimizer)
}

/// Puts a checkpoint, where there is one, into weights and their optimizer, if its recipe is the one at hand.
pub(super) fn resume_parts<R: DeserializeOwned, S: DeserializeOwned>(
    path: &Path,
    same: impl FnOnce(R) -> bool,
    weights: &mut BTreeMap<String, Tensor>,
    optimizer: &mut AdamW,
) -> Result<Option<S>, TrainError> {
    let data = match std::fs::read(path) {
        Ok(data) => data,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(TrainError::Io { path: path.to_owned(), source }),
    };
    restore(&data, same, weights, optimizer).map(Some).map_err(|problem| damaged(path, problem))
}

fn restore<R: DeserializeOwned, S: DeserializeOwned>(
    data: &[u8],
    same: impl FnOnce(R) -> bool,
    weights: &mut BTreeMap<String, Tensor>,
    optimizer: &mut AdamW,
) -> Result<S, String> {
    let said = |error: SafeTensorError| error.to_string();
    let (_, metadata) = SafeTensors::read_metadata(data).map_err(said)?;
    let metadata = metadata.metadata().clone().unwrap_or_default();
    let entry = |name: &str| metadata.get(name).ok_or_else(|| format!("it has no `{name}`"));
    let before: R = serde_json::from_str(entry("recipe")?).map_err(|error| error.to_string())?;
    if !same(before) {
        return Err("it was made by another recipe".to_owned());
    }
    let state = serde_json::from_str(entry("state")?).map_err(|error| error.to_string())?;
    let tensors = SafeTensors::deserialize(data).map_err(said)?;
    let parts = [("weight", weights), ("first", &mut optimizer.first), ("second", &mut optimizer.second)];
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
    Ok(state)
}

fn damaged(path: &Path, problem: String) -> TrainError {
    TrainError::Checkpoint { path: path.to_owned(), problem }
}

/// Weights by their names, as files hold them.
///
/// # Errors
/// [`LoadError::NotFinite`].
pub(super) fn tensors(weights: &BTreeMap<String, Tensor>) -> Result<Tensors, LoadError> {
    let mut tensors = Tensors::new();
    for (name, weight) in weights {
        let weight = weight.detach().to_device(Device::Cpu).contiguous();
        let shape: Vec<usize> = weight.size().iter().map(|&size| size as usize).collect();
        let mut values = vec![0.0_f32; weight.numel()];
        weight.copy_data(&mut values, weight.numel());
        tensors.add(name, &shape, &values)?;
    }
    Ok(tensors)
}

/// Shape and little-endian bytes of a tensor.
fn flat(tensor: &Tensor) -> (Vec<usize>, Vec<u8>) {
    let tensor = tensor.detach().to_device(Device::Cpu).contiguous();
    let shape = tensor.size().iter().map(|&size| size as usize).collect();
    let mut numbers = vec![0_f32; tensor.numel()];
    tensor.copy_data(&mut numbers, tensor.numel());
    (shape, numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
}
