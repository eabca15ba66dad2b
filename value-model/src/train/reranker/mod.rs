//! Training of the T5 that says how likely conditions are: cross-entropy of the condition, with the hinge on its logical
//! negation (`BodyGuard`, section 3.3).

mod batches;

use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Instant;

use serde::{Deserialize, Serialize};
use tch::{Device, Kind, Tensor, no_grad};

use super::adamw::AdamW;
use super::checkpoint;
use super::error::TrainError;
use super::log;
use crate::invariants::reranker::{CONFIG, Part, Questions, RerankerConfig, WEIGHTS};
use crate::torch::{Asking, RerankerNet};

use batches::Batches;

const CHECKPOINT: &str = "reranker-checkpoint.safetensors";
const LOG: &str = "reranker-log.jsonl";
/// Batches that are made before they are needed.
const AHEAD: usize = 8;
/// Steps between looks at whether the loss is still finite.
const CHECKED: u64 = 32;
/// Questions of the part for choices that are measured on at most, evenly drawn.
const MEASURED: usize = 4096;
/// Norm to which gradients are clipped.
const MOST: f64 = 1.0;
/// Share of the steps in which the rate rises.
const WARM_UP: f64 = 0.04;
/// By how much a condition is to be likelier than its negation: 2 bits.
const MARGIN: f64 = 2.0 * std::f64::consts::LN_2;

/// Everything that decides what training gives.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RerankerRecipe {
    /// Sizes.
    pub config: RerankerConfig,
    /// Seed of weights and batches.
    pub seed: u64,
    /// Optimizer steps in all.
    pub steps: u64,
    /// Questions of a batch.
    pub batch: usize,
    /// Highest learning rate; it falls to zero at the end.
    pub rate: f64,
    /// Weight decay of the matrices.
    pub decay: f64,
    /// Weight of the hinge on the negation; 0 for none.
    pub hinge: f64,
    /// Steps between checkpoints and measurements on the part for choices.
    pub measure_every: u64,
    /// Whether products are computed in bf16.
    pub bf16: bool,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct State {
    step: u64,
    seconds: f64,
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RerankerProgress {
    /// Steps taken.
    pub step: u64,
    /// Mean loss since the last report, in nats.
    pub loss: f64,
    /// Seconds spent, over all runs.
    pub seconds: f64,
    /// On the part for choices: mean loss of a condition in nats.
    pub dev_loss: f64,
    /// Share of its conditions that are written token by token, each the likeliest.
    pub dev_first: f64,
}

/// A model in training.
pub struct RerankerTrainer {
    recipe: RerankerRecipe,
    net: RerankerNet,
    optimizer: AdamW,
    state: State,
    folder: PathBuf,
    pad: u32,
    end: u32,
}

impl RerankerTrainer {
    /// Starts anew, or goes on where the folder's checkpoint stands.
    ///
    /// # Errors
    /// [`TrainError::Checkpoint`] of another recipe, [`TrainError::Io`], [`TrainError::Weights`].
    pub fn new(recipe: RerankerRecipe, folder: &Path, device: Device) -> Result<Self, TrainError> {
        tch::manual_seed(recipe.seed as i64);
        let products = if recipe.bf16 { Kind::BFloat16 } else { Kind::Float };
        let mut net = RerankerNet::new(recipe.config, device, products)?;
        let mut optimizer = AdamW::new(&net.weights, recipe.decay);
        let same = |before: RerankerRecipe| RerankerRecipe { measure_every: recipe.measure_every, ..before } == recipe;
        let path = folder.join(CHECKPOINT);
        let state = checkpoint::resume_parts(&path, same, &mut net.weights, &mut optimizer)?.unwrap_or_default();
        let vocabulary = recipe.config.parts().2;
        let (pad, end, folder) = (vocabulary.pad(), vocabulary.separator(), folder.to_owned());
        Ok(Self { recipe, net, optimizer, state, folder, pad, end })
    }

    /// Trains to the end of the recipe, and returns true there. `go_on` is called after each measurement; if it returns
    /// false, training stops with a checkpoint.
    ///
    /// # Errors
    /// [`TrainError`]
    pub fn train(
        &mut self,
        questions: &Questions,
        mut go_on: impl FnMut(&RerankerProgress) -> bool,
    ) -> Result<bool, TrainError> {
        let mut batches = Batches::of(questions, self.recipe.batch, self.recipe.seed).ok_or(TrainError::NoData)?;
        let (pad, end, hinge) = (self.pad, self.end, self.recipe.hinge > 0.0);
        let steps = self.state.step..self.recipe.steps;
        let (ready, made) = mpsc::sync_channel(AHEAD);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for step in steps {
                    let asked: Vec<_> = batches.at(step).into_iter().map(|at| questions.get(at)).collect();
                    let rows: Vec<(&[u16], &[u16])> = asked.iter().map(|one| (one.question, one.condition)).collect();
                    let negations = asked.iter().enumerate().filter(|(_, one)| hinge && !one.negation.is_empty());
                    let negations: Vec<(usize, &[u16])> = negations.map(|(row, one)| (row, one.negation)).collect();
                    let of: Vec<i64> = negations.iter().map(|(row, _)| *row as i64).collect();
                    if ready.send((Asking::new(&rows, &negations, pad, end), of, rows.len())).is_err() {
                        return;
                    }
                }
            });
            let (begin, spent) = (Instant::now(), self.state.seconds);
            let (mut loss, mut count) = (self.zero(), 0.0);
            for (asking, negated, rows) in made {
                loss += self.learn(&asking, &negated, rows as i64);
                self.state.step += 1;
                count += 1.0;
                let last = self.state.step == self.recipe.steps;
                let measures = last || self.state.step.is_multiple_of(self.recipe.measure_every);
                if (measures || self.state.step.is_multiple_of(CHECKED)) && !loss.double_value(&[]).is_finite() {
                    return Err(TrainError::Diverged(self.state.step));
                }
                if !measures {
                    continue;
                }
                let mean = loss.double_value(&[]) / count;
                (loss, count) = (self.zero(), 0.0);
                let (dev_loss, dev_first) = self.measure(questions);
                self.state.seconds = spent + begin.elapsed().as_secs_f64();
                let (step, seconds) = (self.state.step, self.state.seconds);
                let progress = RerankerProgress { step, loss: mean, seconds, dev_loss, dev_first };
                self.keep(&progress)?;
                if !go_on(&progress) {
                    return Ok(last);
                }
            }
            Ok(true)
        })
    }

    fn zero(&self) -> Tensor {
        Tensor::zeros([] as [i64; 0], (Kind::Double, self.net.device()))
    }

    fn rate(&self) -> f64 {
        let done = self.state.step as f64 / self.recipe.steps.max(1) as f64;
        self.recipe.rate * ((done + 1e-4) / WARM_UP).min(1.0) * (1.0 - done)
    }

    fn learn(&mut self, asking: &Asking, negated: &[i64], rows: i64) -> Tensor {
        let device = self.net.device();
        let (likely, _) = self.net.forward(&asking.to(device));
        let conditions = likely.narrow(0, 0, rows);
        let mut loss = -conditions.mean(Kind::Float);
        if !negated.is_empty() {
            let of = Tensor::from_slice(negated).to_device(device);
            let ahead = conditions.index_select(0, &of) - likely.narrow(0, rows, negated.len() as i64);
            loss += (MARGIN - ahead).relu().sum(Kind::Float) * (self.recipe.hinge / rows as f64);
        }
        loss.backward();
        let rate = self.rate();
        self.optimizer.step(&mut self.net.weights, rate, self.state.step + 1, MOST);
        loss.detach().to_kind(Kind::Double)
    }

    /// Mean loss on the part for choices, and the share that is written token by token.
    fn measure(&self, questions: &Questions) -> (f64, f64) {
        let all = questions.of(Part::Dev);
        let dev: Vec<usize> = all.iter().copied().step_by(all.len().div_ceil(MEASURED).max(1)).collect();
        let (mut loss, mut right) = (self.zero(), self.zero());
        no_grad(|| {
            for batch in dev.chunks(self.recipe.batch) {
                let rows: Vec<_> = batch.iter().map(|&at| questions.get(at)).collect();
                let rows: Vec<(&[u16], &[u16])> = rows.iter().map(|one| (one.question, one.condition)).collect();
                let asking = Asking::new(&rows, &[], self.pad, self.end).to(self.net.device());
                let (likely, first) = self.net.forward(&asking);
                loss -= likely.sum(Kind::Double);
                right += first.sum(Kind::Double);
            }
        });
        let count = dev.len().max(1) as f64;
        (loss.double_value(&[]) / count, right.double_value(&[]) / count)
    }

    /// Writes checkpoint, weights and log.
    fn keep(&self, progress: &RerankerProgress) -> Result<(), TrainError> {
        checkpoint::tensors(&self.net.weights)?.save(&self.folder.join(WEIGHTS))?;
        let path = self.folder.join(CONFIG);
        let text = serde_json::to_string(&self.recipe.config).unwrap_or_default() + "\n";
        crate::files::replace(&path, text.as_bytes()).map_err(|source| TrainError::Io { path, source })?;
        let path = self.folder.join(CHECKPOINT);
        checkpoint::save_parts(&path, &self.recipe, &self.state, &self.net.weights, &self.optimizer)?;
        let path = self.folder.join(LOG);
        log::append(&path, progress).map_err(|source| TrainError::Io { path, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::invariants::reranker::{Asked, vocabulary};

    const RECIPE: RerankerRecipe = RerankerRecipe {
        config: RerankerConfig { rank: 2, decoder_layers: 1 },
        seed: 1,
        steps: 160,
        batch: 4,
        rate: 0.004,
        decay: 0.01,
        hinge: 0.5,
        measure_every: 80,
        bf16: false,
    };

    /// Four questions, each to learn from and to choose by.
    fn questions() -> Questions {
        let vocabulary = vocabulary();
        let short = |text: &str| -> Vec<u16> { vocabulary.encode(text).ids.into_iter().map(|id| id as u16).collect() };
        let mut all = Questions::default();
        for name in ["items", "count", "path", "name"] {
            let question = short(&format!("def f({name}):\n    return {name}.go()"));
            let (condition, negation) = (short(&format!("{name} is not None")), short(&format!("{name} is None")));
            for part in [Part::Train, Part::Dev] {
                all.push(Asked { part, question: &question, condition: &condition, negation: &negation });
            }
        }
        all
    }

    #[test]
    fn a_run_that_was_stopped_goes_on_as_if_it_had_not_been() {
        let _lock = crate::torch::lock();
        let questions = questions();
        let run = |stops: bool| {
            let folder = tempfile::tempdir().expect("a folder");
            let mut found: Vec<RerankerProgress> = Vec::new();
            for _ in 0..=usize::from(stops) {
                let mut trainer = RerankerTrainer::new(RECIPE, folder.path(), Device::Cpu).expect("a trainer");
                let done = trainer.train(&questions, |progress| {
                    found.push(*progress);
                    !stops
                });
                assert_eq!(done.expect("trained"), !stops || found.len() == 2);
            }
            let other = RerankerRecipe { seed: 2, ..RECIPE };
            assert!(RerankerTrainer::new(other, folder.path(), Device::Cpu).is_err(), "another recipe");
            found
        };
        let (whole, stopped) = (run(false), run(true));
        assert!(whole[1].dev_loss < 0.8 * whole[0].dev_loss, "{whole:?}");
        for (whole, stopped) in whole.iter().zip(&stopped) {
            let apart = (whole.dev_loss - stopped.dev_loss).abs() / whole.dev_loss;
            assert!(whole.step == stopped.step && apart < 1e-3, "{whole:?} {stopped:?}");
        }
    }

    #[test]
    fn nothing_to_learn_from_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let _lock = crate::torch::lock();
        let mut trainer = RerankerTrainer::new(RECIPE, folder.path(), Device::Cpu).expect("a trainer");
        assert!(matches!(trainer.train(&Questions::default(), |_| true), Err(TrainError::NoData)));
    }
}
