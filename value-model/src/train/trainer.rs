//! The training loop: batches in a fixed order for a seed, checkpoints that resume exactly, early stopping.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Instant;

use tch::{Device, Kind, Tensor, no_grad};

use super::adamw::AdamW;
use super::batches::{Batch, Cut, Epoch};
use super::checkpoint;
use super::error::TrainError;
use super::log::{self, HeldOut, Report};
use super::recipe::{Recipe, State};
use crate::encoding::{CLASS_TOKENS, Vocabulary};
use crate::t5::Weights;
use crate::torch::Net;

const LOG: &str = "log.jsonl";
const CHECKPOINT: &str = "checkpoint.safetensors";
/// Steps between checkpoints.
const SAVE_EVERY: u64 = 250;
/// Batches of the held-out projects that are measured at most, evenly drawn.
const MEASURED: usize = 100;
/// Norm to which gradients are clipped.
const MOST: f64 = 1.0;

/// Progress of a run, which its caller shows after each report.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Measurements since the report before.
    pub report: Report,
    /// Steps of the whole recipe.
    pub steps: u64,
    /// Sites a second since this run began.
    pub pace: f64,
    /// Seconds that the remaining steps take at the mean pace of all runs.
    pub left: f64,
}

/// A model in training, with its folder.
pub struct Trainer {
    recipe: Recipe,
    net: Net,
    optimizer: AdamW,
    state: State,
    folder: PathBuf,
    classes: Tensor,
    /// Weight of a pair, by its class.
    weights: Tensor,
    device: Device,
    /// Every report so far, also of earlier runs.
    pub reports: Vec<Report>,
}

impl Trainer {
    /// Starts anew, from `weights` if there are any, or goes on where the folder's checkpoint stands. Only `steps`,
    /// `cool_down` and what says when to measure and stop may have changed since.
    pub fn new(
        recipe: Recipe,
        folder: &Path,
        vocabulary: &Vocabulary,
        device: Device,
        weights: Option<&Weights<'_>>,
    ) -> Result<Self, TrainError> {
        tch::manual_seed(recipe.seed as i64);
        let own_head = weights.is_some_and(|weights| weights.has_own_head(&recipe.config));
        let mut net = Net::new(&recipe.config, own_head, vocabulary.marks(), device);
        if recipe.bf16 {
            net.use_bf16();
        }
        if let Some(weights) = weights {
            net.load_smaller(weights)?;
        }
        let optimizer = AdamW::new(&net.weights, recipe.decay);
        let classes: Vec<i64> = vocabulary.classes().iter().map(|&class| class.into()).collect();
        let classes = Tensor::from_slice(&classes).to_device(device);
        let (folder, state) = (folder.to_owned(), State::default());
        let weights = classes.ones_like().to_kind(Kind::Float);
        let mut trainer = Self { recipe, net, optimizer, state, folder, classes, weights, device, reports: Vec::new() };
        let path = trainer.folder.join(CHECKPOINT);
        if let Some(state) = checkpoint::resume(&path, &recipe, &mut trainer.net, &mut trainer.optimizer)? {
            trainer.state = state;
        }
        let path = trainer.folder.join(LOG);
        trainer.reports = log::rewind(&path, trainer.state.step).map_err(|source| TrainError::Io { path, source })?;
        Ok(trainer)
    }

    /// Steps taken so far.
    pub fn step(&self) -> u64 {
        self.state.step
    }

    /// Trains to the end of the recipe, and returns true there. `go_on` is called after each report; if it returns
    /// false, training stops with a checkpoint.
    pub fn train(
        &mut self,
        train: &Cut<'_>,
        held_out: &Cut<'_>,
        report_every: u64,
        mut go_on: impl FnMut(&Progress) -> bool,
    ) -> Result<bool, TrainError> {
        let measured = Epoch::new(held_out, None);
        let weights = balanced(&train.counts(), self.recipe.balance);
        self.weights = Tensor::from_slice(&weights).to_kind(Kind::Float).to_device(self.device);
        let (begin, before, spent) = (Instant::now(), self.state.sites, self.state.seconds);
        let mut sums = Sums::default();
        while self.state.step < self.recipe.steps && self.state.stale < self.recipe.patience {
            let epoch = Epoch::new(train, Some(self.recipe.seed ^ self.state.epoch.wrapping_mul(0x9e37_79b9)));
            if epoch.is_empty() {
                return Err(TrainError::NoData);
            }
            while self.state.batch < epoch.len() as u64 && self.state.step < self.recipe.steps {
                let batch = epoch.batch(self.state.batch as usize);
                sums.add(&self.learn(&batch));
                self.state.batch += 1;
                self.state.step += 1;
                let step = self.state.step;
                let last = step == self.recipe.steps;
                if !step.is_multiple_of(report_every) && !last {
                    continue;
                }
                if !sums.loss.is_finite() {
                    return Err(TrainError::Diverged(step));
                }
                self.state.sites += sums.sites as u64;
                self.state.seconds = spent + begin.elapsed().as_secs_f64();
                let measure = last || step.is_multiple_of(self.recipe.measure_every);
                let held_out = measure.then(|| self.measure(&measured));
                let report = self.report(&std::mem::take(&mut sums), held_out);
                if let Some(held_out) = held_out {
                    self.judge(held_out)?;
                }
                log::append(&self.folder.join(LOG), &report)
                    .map_err(|source| TrainError::Io { path: self.folder.join(LOG), source })?;
                self.reports.push(report);
                let pace = (self.state.sites - before) as f64 / begin.elapsed().as_secs_f64();
                let each = self.state.seconds / step as f64;
                let left = each * (self.recipe.steps - step) as f64;
                if measure || step.is_multiple_of(SAVE_EVERY) {
                    self.save()?;
                }
                if !go_on(&Progress { report, steps: self.recipe.steps, pace, left }) {
                    self.save()?;
                    return Ok(false);
                }
                if self.state.stale >= self.recipe.patience {
                    break;
                }
            }
            if self.state.batch >= epoch.len() as u64 {
                self.state.batch = 0;
                self.state.epoch += 1;
            }
        }
        Ok(true)
    }

    fn rate(&self) -> f64 {
        let Recipe { steps, warm_up, cool_down, rate, .. } = self.recipe;
        let up = (self.state.step + 1) as f64 / warm_up.max(1) as f64;
        let down = (steps - self.state.step) as f64 / cool_down.max(1) as f64;
        rate * up.min(down).min(1.0)
    }

    fn learn(&mut self, batch: &Batch) -> Sums {
        let Recipe { balance, smoothing, dropout, .. } = self.recipe;
        // What a step drops depends on its number alone: a run that was stopped goes on as if it had not been.
        tch::manual_seed((self.recipe.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ self.state.step) as i64);
        let (likely, targets) = self.answer(batch, dropout);
        let (mut loss, sums) = score(&likely, &targets);
        if balance > 0.0 || smoothing > 0.0 {
            let smooth = targets.sum_dim_intlist([-1_i64].as_slice(), true, Kind::Float) / CLASS_TOKENS as f64;
            let wanted = (&targets * (1.0 - smoothing) + smooth * smoothing) * &self.weights;
            loss = -(likely * &wanted).sum(Kind::Float) / wanted.sum(Kind::Float);
        }
        loss.backward();
        let rate = self.rate();
        self.optimizer.step(&mut self.net.weights, rate, self.state.step + 1, MOST);
        sums
    }

    /// Log-probabilities of the classes, and 1 for the classes that were seen.
    fn answer(&self, batch: &Batch, dropout: f64) -> (Tensor, Tensor) {
        let logits = self.net.forward_with(&batch.windows, &self.classes, dropout);
        (logits.log_softmax(-1, Kind::Float), batch.targets.to_device(self.device))
    }

    fn measure(&self, epoch: &Epoch) -> HeldOut {
        let mut sums = Sums::default();
        no_grad(|| {
            for number in (0..epoch.len()).step_by(epoch.len().div_ceil(MEASURED).max(1)) {
                let (likely, targets) = self.answer(&epoch.batch(number), 0.0);
                sums.add(&score(&likely, &targets).1);
            }
        });
        HeldOut {
            loss: sums.loss / sums.pairs.max(1.0),
            top1: sums.right / sums.pairs.max(1.0),
            seen_there: sums.right / sums.sites.max(1.0),
        }
    }

    /// Keeps the weights with the least loss on the held-out projects.
    fn judge(&mut self, found: HeldOut) -> Result<(), TrainError> {
        if self.state.best.is_none_or(|best| found.loss < best) {
            self.state.best = Some(found.loss);
            self.state.stale = 0;
            checkpoint::write_weights(&self.folder.join("model.safetensors"), &self.net)
        } else {
            self.state.stale += 1;
            Ok(())
        }
    }

    fn save(&self) -> Result<(), TrainError> {
        checkpoint::save(&self.folder.join(CHECKPOINT), &self.recipe, &self.state, &self.net, &self.optimizer)
    }

    fn report(&self, sums: &Sums, held_out: Option<HeldOut>) -> Report {
        Report {
            step: self.state.step,
            epoch: self.state.epoch,
            sites: self.state.sites,
            seconds: self.state.seconds,
            loss: sums.loss / sums.pairs.max(1.0),
            top1: sums.right / sums.pairs.max(1.0),
            held_out,
        }
    }
}

/// Mean loss over the pairs of a batch, and its sums.
fn score(likely: &Tensor, targets: &Tensor) -> (Tensor, Sums) {
    let pairs = targets.sum(Kind::Float);
    let loss = -(likely * targets).sum(Kind::Float) / &pairs;
    let right = targets.gather(-1, &likely.argmax(-1, true), false).sum(Kind::Double);
    let sites = targets.amax([-1], false).sum(Kind::Double);
    let value = |tensor: &Tensor| tensor.to_kind(Kind::Double).double_value(&[]);
    let pairs = value(&pairs);
    let sums = Sums { loss: value(&loss.detach()) * pairs, right: value(&right), pairs, sites: value(&sites) };
    (loss, sums)
}

/// Weight of a pair, by its class; on average 1.
fn balanced(counts: &[u64; CLASS_TOKENS], power: f64) -> Vec<f64> {
    let rare = |&count: &u64| (count.max(1) as f64).powf(-power);
    let all: f64 = counts.iter().map(|&count| count as f64).sum();
    let weight: f64 = counts.iter().map(|count| *count as f64 * rare(count)).sum();
    counts.iter().map(|count| rare(count) * all.max(1.0) / weight.max(1e-9)).collect()
}

/// Sums of losses and counts over batches.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    loss: f64,
    right: f64,
    pairs: f64,
    sites: f64,
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.loss += other.loss;
        self.right += other.right;
        self.pairs += other.pairs;
        self.sites += other.sites;
    }
}
