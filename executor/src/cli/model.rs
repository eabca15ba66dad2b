//! Options that choose the model and the device it computes on, shared by several commands.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use surmise_value_model::{BadModel, Cached, Model};

use super::refusal::Refusal;
use surmise_engine::plan::PredictorChoice;
use surmise_identity::Identity;

const HINT: &str = "--model takes a folder with `config.json`, `tokenizer.json` and `model.safetensors` of a T5";

/// Device that a model computes on; predictions do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Device {
    /// The processor, with Surmise's own kernels.
    #[default]
    Cpu,
    /// The processor, with libtorch.
    Torch,
    /// The first CUDA device, with libtorch.
    Cuda,
}

// clap names a group after its struct, and the sandbox has a struct `Options`, too.
#[derive(Args, Debug)]
#[group(id = "ModelOptions")]
pub(super) struct Options {
    /// Folder of a T5 model (`config.json`, `tokenizer.json`, weights) in place of the built-in one, which goes on to say
    /// how conditions come out.
    #[arg(long, value_name = "DIR")]
    pub(super) model: Option<PathBuf>,
    /// Device that the model computes on.
    #[arg(long, value_enum, default_value = "cpu")]
    pub(super) device: Device,
}

impl Options {
    /// Opens the model that the options name; `None` stands for the built-in model.
    pub(super) fn open(&self) -> Result<Option<Model>, Refusal> {
        let opened = match (self.device, &self.model) {
            (Device::Cpu, None) => return Ok(None),
            (Device::Cpu, Some(folder)) => Model::open(folder),
            (device, _) => self.open_on(device == Device::Cuda)?,
        };
        opened.map(Some).map_err(|error| Refusal::new(format!("cannot use the model: {error}"), HINT))
    }

    /// Opens the model like [`Self::open`], with a cache of its predictions.
    pub(super) fn open_cached(&self) -> Result<Option<Arc<Cached<Model>>>, Refusal> {
        Ok(self.open()?.map(|model| Arc::new(Cached::new(model))))
    }

    /// The weights and the runtime that results of these predictors depend on.
    pub(super) fn identity(&self, predictors: &[PredictorChoice]) -> Result<Identity, Refusal> {
        let own = Identity::built_in();
        if !predictors.iter().any(|predictor| predictor.has_weights()) {
            return Ok(own.without_model());
        }
        let Some(folder) = &self.model else { return Ok(own) };
        Identity::of_model(folder)
            .map_err(|error| Refusal::new(format!("cannot read the model `{}`: {error}", folder.display()), HINT))
    }

    #[cfg(feature = "torch")]
    fn open_on(&self, cuda: bool) -> Result<Result<Model, BadModel>, Refusal> {
        let device = surmise_value_model::torch::device(cuda)
            .map_err(|error| Refusal::new(error, "libtorch with CUDA must be on LD_LIBRARY_PATH"))?;
        Ok(Model::open_on(self.model.as_deref(), device))
    }

    #[cfg(not(feature = "torch"))]
    #[expect(clippy::unused_self, reason = "only libtorch asks for the folder")]
    fn open_on(&self, _cuda: bool) -> Result<Result<Model, BadModel>, Refusal> {
        let hint = "build it with `--features torch`: see value-model/TRAINING.md";
        Err(Refusal::new("this `surmise` was built without libtorch", hint))
    }
}
