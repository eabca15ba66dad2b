//! The training loop: balanced batches in an order that the seed decides, checkpoints that resume exactly.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tch::{Device, Kind, Tensor, no_grad};

use super::data::{Example, Examples, Part};
use super::draw::Draw;
use super::figures::{Answer, Figures};
use super::parallel;
use super::recipe::ErrorRecipe;
use crate::ipagnn::{CONFIG, Network, StatementEncoder, WEIGHTS, encoder};
use crate::t5::{LoadError, Tensors, Weights};
use crate::torch::{ErrorBatch, ErrorNet};
use crate::train::TrainError;
use crate::train::adamw::AdamW;
use crate::train::{checkpoint, log};

const CHECKPOINT: &str = "errors-checkpoint.safetensors";
const LOG: &str = "errors-log.jsonl";
/// Batches that are made before they are needed.
const AHEAD: usize = 4;
/// Steps between looks at whether the loss is still finite.
const CHECKED: u64 = 16;
/// Norm to which gradients are clipped.
const MOST: f64 = 1.0;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct State {
    step: u64,
    seconds: f64,
    best: Option<f64>,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ErrorProgress {
    /// Steps taken.
    pub step: u64,
    /// Mean loss since the last report.
    pub loss: f64,
    /// Seconds spent, over all runs.
    pub seconds: f64,
    /// Measured on the part for choices, with as many programs without an error as with one.
    pub dev: Figures,
}

/// A network in training.
pub struct ErrorTrainer {
    recipe: ErrorRecipe,
    net: ErrorNet,
    optimizer: AdamW,
    state: State,
    folder: PathBuf,
}

impl ErrorTrainer {
    /// Starts anew, or goes on where the folder's checkpoint stands. Only the number of steps may have changed since.
    ///
    /// # Errors
    /// [`TrainError::Checkpoint`] of another recipe, [`TrainError::Io`].
    pub fn new(recipe: ErrorRecipe, folder: &Path, device: Device) -> Result<Self, TrainError> {
        tch::manual_seed(recipe.seed as i64);
        let mut net = ErrorNet::new(&recipe.config, device)?;
        let mut optimizer = AdamW::new(&net.weights, recipe.decay);
        let path = folder.join(CHECKPOINT);
        let same = |before: ErrorRecipe| ErrorRecipe { steps: recipe.steps, ..before } == recipe;
        let state = checkpoint::resume_parts(&path, same, &mut net.weights, &mut optimizer)?.unwrap_or_default();
        Ok(Self { recipe, net, optimizer, state, folder: folder.to_owned() })
    }

    /// Steps taken so far.
    #[must_use]
    pub fn step(&self) -> u64 {
        self.state.step
    }

    /// Trains to the end of the recipe, and returns true there. `go_on` is called after each measurement; if it returns
    /// false, training stops with a checkpoint.
    ///
    /// # Errors
    /// [`TrainError`]
    pub fn train(
        &mut self,
        examples: &Examples,
        mut go_on: impl FnMut(&ErrorProgress) -> bool,
    ) -> Result<bool, TrainError> {
        let draw = Draw::new(&self.recipe, examples).ok_or(TrainError::NoData)?;
        let steps = self.state.step..self.recipe.steps;
        let (ready, batches) = mpsc::sync_channel(AHEAD);
        std::thread::scope(|scope| {
            // Batches are made while the device computes.
            scope.spawn(move || {
                for batch in draw.of(steps) {
                    let targets: Vec<i64> = batch.iter().map(|example| example.target as i64).collect();
                    if ready.send((examples.batch(&batch), targets)).is_err() {
                        return;
                    }
                }
            });
            // Given away, so that the other thread ends where this one does, also by a panic.
            self.learn_from(batches, examples, &mut go_on)
        })
    }

    fn learn_from(
        &mut self,
        batches: Receiver<(ErrorBatch, Vec<i64>)>,
        examples: &Examples,
        go_on: &mut dyn FnMut(&ErrorProgress) -> bool,
    ) -> Result<bool, TrainError> {
        let (begin, spent) = (Instant::now(), self.state.seconds);
        let zero = || Tensor::zeros([] as [i64; 0], (Kind::Double, self.net.device()));
        let (mut loss, mut count) = (zero(), 0.0);
        for (batch, targets) in batches {
            loss += self.learn(&batch, &targets);
            self.state.step += 1;
            count += 1.0;
            let last = self.state.step == self.recipe.steps;
            let measures = last || self.state.step.is_multiple_of(self.recipe.measure_every);
            // The device is waited for now and then only.
            if (measures || self.state.step.is_multiple_of(CHECKED)) && !loss.double_value(&[]).is_finite() {
                return Err(TrainError::Diverged(self.state.step));
            }
            if !measures {
                continue;
            }
            self.state.seconds = spent + begin.elapsed().as_secs_f64();
            let dev = self.measure(examples, Part::Dev, Selection::Balanced)?;
            let mean = loss.double_value(&[]) / count;
            let progress = ErrorProgress { step: self.state.step, loss: mean, seconds: self.state.seconds, dev };
            (loss, count) = (loss.zeros_like(), 0.0);
            self.keep(&progress)?;
            if !go_on(&progress) {
                return Ok(last);
            }
        }
        Ok(true)
    }

    fn rate(&self) -> f64 {
        let done = self.state.step as f64 / self.recipe.steps.max(1) as f64;
        self.recipe.rate * ((done + 1e-3) / 0.05).min(1.0) * ((1.0 - done) / 0.5).min(1.0)
    }

    fn learn(&mut self, batch: &ErrorBatch, targets: &[i64]) -> Tensor {
        let device = self.net.device();
        let scores = self.net.forward(&batch.to(device));
        let loss = scores.likely.nll_loss(&Tensor::from_slice(targets).to_device(device));
        loss.backward();
        let rate = self.rate();
        self.optimizer.step(&mut self.net.weights, rate, self.state.step + 1, MOST);
        loss.detach().to_kind(Kind::Double)
    }

    /// Figures on a part.
    ///
    /// # Errors
    /// [`TrainError::Weights`]
    pub fn measure(&self, examples: &Examples, part: Part, selection: Selection) -> Result<Figures, TrainError> {
        let chosen = selection.of(examples, part);
        if self.recipe.config.network.has_pointer() {
            // Our own forward pass says which line, too.
            return self.executed(&checkpoint::tensors(&self.net.weights)?, &chosen);
        }
        let mut answers = Vec::with_capacity(chosen.len());
        for batch in chosen.chunks(self.recipe.batch) {
            let made = examples.batch(batch).to(self.net.device());
            let scores = no_grad(|| self.net.forward(&made));
            for (row, example) in batch.iter().enumerate() {
                let numbers = |tensor: &Tensor| -> Vec<f32> {
                    Vec::try_from(tensor.get(row as i64).to_device(Device::Cpu)).unwrap_or_default()
                };
                let places = scores.places.as_ref().map(numbers).unwrap_or_default();
                answers.push(answer(example, &numbers(&scores.likely), &places));
            }
        }
        Ok(Figures::of(&answers))
    }

    /// Figures of our own forward pass with weights of this recipe.
    fn executed(&self, tensors: &Tensors, chosen: &[&Example]) -> Result<Figures, TrainError> {
        let (config, bytes) = (&self.recipe.config, tensors.to_bytes()?);
        let load = || -> Result<(Network, StatementEncoder), LoadError> {
            let weights = Weights::from_safetensors(bytes.as_slice())?;
            Ok((Network::load(config, &weights)?, encoder(config, Some(&weights))?.1))
        };
        let answers = parallel::map(chosen, load, |loaded, example| -> Result<Answer, TrainError> {
            let (network, encoder) = loaded.as_ref().map_err(|error| TrainError::Encoder(error.to_string()))?;
            let encoded = encoder.encode(&example.program).map_err(|error| TrainError::Encoder(error.to_string()))?;
            let execution = network.execute(&example.program, &encoded);
            let all: Vec<f32> = std::iter::once(execution.none).chain(execution.classes).collect();
            Ok(answer(example, &all, &execution.provenance))
        });
        Ok(Figures::of(&answers.into_iter().collect::<Result<Vec<_>, _>>()?))
    }

    /// Writes the checkpoint and the log, and the weights if they are the best so far.
    fn keep(&mut self, progress: &ErrorProgress) -> Result<(), TrainError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |source| TrainError::Io { path, source }
        };
        let score = progress.dev.weighted_f1 + progress.dev.error_or_none + progress.dev.localization;
        if self.state.best.is_none_or(|best| score > best) {
            self.state.best = Some(score);
            checkpoint::tensors(&self.net.weights)?.save(&self.folder.join(WEIGHTS))?;
            let path = self.folder.join(CONFIG);
            let text = serde_json::to_string_pretty(&self.recipe.config).unwrap_or_default() + "\n";
            crate::files::replace(&path, text.as_bytes()).map_err(io(&path))?;
        }
        let path = self.folder.join(CHECKPOINT);
        checkpoint::save_parts(&path, &self.recipe, &self.state, &self.net.weights, &self.optimizer)?;
        let path = self.folder.join(LOG);
        log::append(&path, progress).map_err(io(&path))
    }

    /// Takes the best weights in place of the last ones.
    ///
    /// # Errors
    /// [`TrainError::Weights`]
    pub fn take_best(&mut self) -> Result<(), TrainError> {
        let weights = Weights::open(&self.folder.join(WEIGHTS))?;
        self.net = ErrorNet::open(&self.recipe.config, &weights, self.net.device())?;
        Ok(())
    }
}

/// Which programs of a part are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// As many without an error as with one, in their order in the data.
    Balanced,
    /// Programs as people wrote them, in their own proportions.
    Originals,
    /// Programs as people wrote them: as many without an error as with one.
    BalancedOriginals,
}

impl Selection {
    fn of(self, examples: &Examples, part: Part) -> Vec<&Example> {
        let originals = self != Self::Balanced;
        let of_part = |example: &&Example| example.part == part && (!originals || example.is_original);
        let all: Vec<&Example> = examples.all.iter().filter(of_part).collect();
        if self == Self::Originals {
            return all;
        }
        let (right, wrong): (Vec<&Example>, Vec<&Example>) = all.into_iter().partition(|example| example.target == 0);
        let count = right.len().min(wrong.len());
        let spread =
            |from: Vec<&'_ Example>| -> Vec<usize> { (0..count).map(|at| at * from.len() / count.max(1)).collect() };
        let (right_at, wrong_at) = (spread(right.clone()), spread(wrong.clone()));
        right_at.into_iter().map(|at| right[at]).chain(wrong_at.into_iter().map(|at| wrong[at])).collect()
    }
}

fn answer(example: &Example, all: &[f32], places: &[f32]) -> Answer {
    let largest = |values: &[f32]| {
        let values = values.iter().enumerate();
        values.max_by(|left, right| left.1.total_cmp(right.1)).map_or(0, |(at, _)| at)
    };
    let mut lines: std::collections::BTreeMap<u32, f32> = std::collections::BTreeMap::new();
    for (&line, &share) in example.program.lines.iter().zip(places).filter(|(line, _)| **line > 0) {
        *lines.entry(line).or_default() += share;
    }
    let first = lines.iter().max_by(|left, right| left.1.total_cmp(right.1)).map(|(&line, _)| line);
    let line = example.line.filter(|_| example.target > 0).map(|line| first == Some(line));
    Answer { predicted: largest(all), truth: example.target, line }
}
