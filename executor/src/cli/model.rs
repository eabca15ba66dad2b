//! Which model predicts, and where it computes: options of several commands.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use surmise_value_model::{BadModel, Cached, Model};

use super::printer;
use crate::exit::Exit;

/// Where a model computes. The answers are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// The processor, by libtorch.
    Torch,
    /// The first CUDA device, by libtorch.
    Cuda,
}

// clap names a group after the struct, and those of the sandbox are `Options`, too.
#[derive(Args, Debug)]
#[group(id = "ModelOptions")]
pub(super) struct Options {
    /// Folder of a T5 model (`config.json`, `tokenizer.json`, weights) in place of the built-in one.
    #[arg(long, value_name = "DIR")]
    pub(super) model: Option<PathBuf>,
    /// Where the model computes.
    #[arg(long, value_enum, default_value = "cpu")]
    pub(super) device: Device,
}

impl Options {
    /// The model that was asked for, if it is not the usual one; what is wrong with it is told.
    pub(super) fn open(&self) -> Result<Option<Model>, Exit> {
        let opened = match (self.device, &self.model) {
            (Device::Cpu, None) => return Ok(None),
            (Device::Cpu, Some(folder)) => Model::open(folder),
            (device, _) => self.open_on(device == Device::Cuda)?,
        };
        opened.map(Some).map_err(|error| {
            let hint = "--model takes a folder with `config.json`, `tokenizer.json` and `model.safetensors` of a T5";
            printer::error(&format!("cannot use the model: {error}"), Some(hint));
            Exit::Usage
        })
    }

    /// The same, with a memory.
    pub(super) fn open_cached(&self) -> Result<Option<Arc<Cached<Model>>>, Exit> {
        Ok(self.open()?.map(|model| Arc::new(Cached::new(model))))
    }

    #[cfg(feature = "torch")]
    fn open_on(&self, cuda: bool) -> Result<Result<Model, BadModel>, Exit> {
        let device = surmise_value_model::torch::device(cuda).map_err(|error| {
            printer::error(&error.to_string(), Some("libtorch with CUDA must be on LD_LIBRARY_PATH"));
            Exit::Usage
        })?;
        Ok(Model::open_on(self.model.as_deref(), device))
    }

    #[cfg(not(feature = "torch"))]
    #[expect(clippy::unused_self, reason = "only libtorch asks for the folder")]
    fn open_on(&self, _cuda: bool) -> Result<Result<Model, BadModel>, Exit> {
        let hint = "build it with `--features torch`: see value-model/TRAINING.md";
        printer::error("this `surmise` was built without libtorch", Some(hint));
        Err(Exit::Usage)
    }
}
