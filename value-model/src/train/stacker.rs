//! Training of the second model ([`Stacker`](crate::stacking::Stacker)).

use std::collections::BTreeMap;

use tch::{Kind, Tensor, no_grad};

use super::adamw::AdamW;
use crate::stacking::{CLASSES, Features, WIDTH, forget_definitions, names};
use crate::t5::{LoadError, Tensors};

const UNITS: i64 = 96;
const EPOCHS: u64 = 4;
const BATCH: usize = 1024;
const RATE: f64 = 2e-3;
const WARM_UP: u64 = 100;
const DECAY: f64 = 1e-2;
/// One site in this many is learned from as if its definitions had been cut away, because recorded projects are whole
/// and snippets are not.
const FORGOTTEN: usize = 4;
/// Norm to which gradients are clipped.
const MOST: f64 = 1.0;
/// Factors on the logits, in percent, that are tried on held-out sites.
const CERTAINTIES: std::ops::RangeInclusive<u32> = 50..=120;

/// Features and classes of sites, to learn from or to measure on.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    features: Features,
    /// The classes seen at each site: bit `c` for `Class::ALL[c]`.
    classes: Vec<u32>,
}

impl Sites {
    /// Adds the sites of one source with the classes seen there: bit `c` for `Class::ALL[c]`.
    ///
    /// # Panics
    /// If there is not one set for each site.
    pub fn add(&mut self, features: &Features, classes: impl IntoIterator<Item = u32>) {
        self.features.rows.extend_from_slice(&features.rows);
        self.features.mixed.extend_from_slice(&features.mixed);
        self.classes.extend(classes);
        assert_eq!(self.classes.len() * WIDTH, self.features.rows.len());
    }

    /// Number of sites.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is no site.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Removes the features of definitions from one site in [`FORGOTTEN`], at random.
    fn forget(&mut self, random: &mut fastrand::Rng) {
        let (rows, mixed) = (&mut self.features.rows, &mut self.features.mixed);
        for (row, mixed) in rows.chunks_exact_mut(WIDTH).zip(mixed.chunks_exact_mut(CLASSES)) {
            if random.usize(..FORGOTTEN) == 0 {
                forget_definitions(row, mixed);
            }
        }
    }

    fn tensors(&self) -> Rows {
        let count = self.len() as i64;
        let seen = self.classes.iter().flat_map(|&set| (0..CLASSES).map(move |class| (set >> class & 1) as f32));
        Rows {
            features: Tensor::from_slice(&self.features.rows).view([count, WIDTH as i64]),
            mixed: Tensor::from_slice(&self.features.mixed).view([count, CLASSES as i64]),
            seen: Tensor::from_slice(&seen.collect::<Vec<f32>>()).view([count, CLASSES as i64]),
        }
    }
}

struct Rows {
    features: Tensor,
    mixed: Tensor,
    seen: Tensor,
}

impl Rows {
    fn pick(&self, at: &Tensor) -> Self {
        let [features, mixed, seen] = [&self.features, &self.mixed, &self.seen].map(|rows| rows.index_select(0, at));
        Self { features, mixed, seen }
    }

    /// The loss: the mean over pairs of −log p(class), as in training of the first model.
    fn loss(&self, logits: &Tensor) -> Tensor {
        -(logits.log_softmax(-1, Kind::Float) * &self.seen).sum(Kind::Float) / self.seen.sum(Kind::Float)
    }

    /// Share of pairs whose class is ranked first.
    fn top1(&self, logits: &Tensor) -> f64 {
        let right = self.seen.gather(1, &logits.argmax(1, true), false).sum(Kind::Double);
        right.double_value(&[]) / self.seen.sum(Kind::Double).double_value(&[])
    }
}

/// Measurements on held-out sites after an epoch.
#[derive(Clone, Copy, Debug)]
pub struct Fit {
    /// Number of the epoch, from 1.
    pub epoch: u64,
    /// Number of epochs in all.
    pub epochs: u64,
    /// Mean loss in nats a pair.
    pub loss: f64,
    /// Share of pairs whose class is ranked first.
    pub top1: f64,
    /// Share of pairs whose class the mixed answers rank first, which the second model corrects.
    pub before: f64,
}

struct Net(BTreeMap<String, Tensor>);

impl Net {
    fn new() -> Self {
        let (width, classes) = (WIDTH as i64, CLASSES as i64);
        let [hidden, hidden_bias] = names::HIDDEN;
        let [output, output_bias] = names::OUTPUT;
        let cpu = (Kind::Float, tch::Device::Cpu);
        // It begins with the answers it corrects.
        let weights = [
            (names::SCALE, Tensor::ones([1], cpu)),
            (names::DIRECT, Tensor::zeros([classes, width], cpu)),
            (hidden, Tensor::randn([UNITS, width], cpu) / (width as f64).sqrt()),
            (hidden_bias, Tensor::zeros([UNITS], cpu)),
            (output, Tensor::zeros([classes, UNITS], cpu)),
            (output_bias, Tensor::zeros([classes], cpu)),
        ];
        Self(weights.into_iter().map(|(name, weight)| (name.to_owned(), weight.set_requires_grad(true))).collect())
    }

    fn logits(&self, rows: &Rows) -> Tensor {
        let weight = |name: &str| &self.0[name];
        let linear = |input: &Tensor, [matrix, bias]: [&str; 2]| input.linear(weight(matrix), Some(weight(bias)));
        let inner = linear(&rows.features, names::HIDDEN).relu();
        &rows.mixed * weight(names::SCALE)
            + rows.features.linear(weight(names::DIRECT), None::<Tensor>)
            + linear(&inner, names::OUTPUT)
    }
}

/// Fits the second model to `learned` and calibrates it on `held_out`; `report` gets the measurements of each epoch.
/// Returns the tensors of the model.
///
/// # Errors
/// [`LoadError::NotFinite`] if training went astray.
pub fn fit(mut learned: Sites, held_out: &Sites, seed: u64, mut report: impl FnMut(Fit)) -> Result<Tensors, LoadError> {
    tch::manual_seed(seed.cast_signed());
    let mut random = fastrand::Rng::with_seed(seed);
    learned.forget(&mut random);
    let (rows, held_out) = (learned.tensors(), held_out.tensors());
    let mut net = Net::new();
    let mut optimizer = AdamW::new(&net.0, DECAY);
    let mut order: Vec<i64> = (0..learned.len() as i64).collect();
    let steps = EPOCHS * order.chunks(BATCH).len() as u64;
    let warm_up = WARM_UP.min(steps / 10).max(1);
    let mut step = 0;
    for epoch in 1..=EPOCHS {
        random.shuffle(&mut order);
        for part in order.chunks(BATCH) {
            step += 1;
            let batch = rows.pick(&Tensor::from_slice(part));
            batch.loss(&net.logits(&batch)).backward();
            let up = (step as f64 / warm_up as f64).min(1.0);
            let down = 1.0 - 0.98 * step as f64 / steps as f64;
            optimizer.step(&mut net.0, RATE * up * down, step, MOST);
        }
        no_grad(|| {
            let logits = net.logits(&held_out);
            let loss = held_out.loss(&logits).double_value(&[]);
            let (top1, before) = (held_out.top1(&logits), held_out.top1(&held_out.mixed));
            report(Fit { epoch, epochs: EPOCHS, loss, top1, before });
        });
    }
    no_grad(|| export(&net, &held_out))
}

/// The tensors of the model, its logits scaled to the factor with the least loss on held-out sites.
fn export(net: &Net, held_out: &Rows) -> Result<Tensors, LoadError> {
    let logits = net.logits(held_out);
    let loss = |percent: u32| held_out.loss(&(&logits * (f64::from(percent) / 100.0))).double_value(&[]);
    let losses = CERTAINTIES.map(|percent| (loss(percent), percent));
    let (_, percent) = losses.min_by(|(a, _), (b, _)| a.total_cmp(b)).unwrap_or((0.0, 100));
    let mut tensors = Tensors::new();
    for (name, weight) in &net.0 {
        let inner = names::HIDDEN.contains(&name.as_str());
        let weight = if inner { weight.copy() } else { weight * (f64::from(percent) / 100.0) };
        let shape: Vec<usize> = weight.size().into_iter().map(|size| size as usize).collect();
        let values = Vec::<f32>::try_from(weight.reshape([-1])).map_err(|_| LoadError::NotFinite(name.clone()))?;
        tensors.add(name, &shape, &values)?;
    }
    Ok(tensors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stacking::Stacker;
    use crate::t5::Weights;

    /// Sites whose class depends on one feature, and whose mixed answers are wrong.
    fn sites(count: usize, seed: u64) -> Sites {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut sites = Sites::default();
        for _ in 0..count {
            let class = random.usize(..3);
            let mut features = Features { rows: vec![0.0; WIDTH], mixed: vec![0.0; CLASSES] };
            features.rows[class] = 4.0;
            features.mixed[5] = 1.0;
            sites.add(&features, [1 << class]);
        }
        sites
    }

    #[test]
    fn it_learns_what_the_first_model_does_not_know() {
        let _lock = crate::torch::lock();
        let (learned, held_out) = (sites(30_000, 1), sites(500, 2));
        let mut epochs = Vec::new();
        let bytes = fit(learned, &held_out, 7, |fit| epochs.push(fit)).expect("finite").to_bytes().expect("few names");
        let (first, last) = (epochs[0], epochs[epochs.len() - 1]);
        assert!(first.before < 0.01 && last.top1 > 0.99 && last.loss < first.loss, "{epochs:?}");
        let stacker = Stacker::load(&Weights::from_safetensors(bytes.as_slice()).expect("whole")).expect("it fits");
        let best = |logits: &[f32]| (0..CLASSES).max_by(|&a, &b| logits[a].total_cmp(&logits[b]));
        let right = stacker
            .logits(&held_out.features)
            .chunks_exact(CLASSES)
            .zip(&held_out.classes)
            .filter(|(logits, set)| best(logits).is_some_and(|class| **set >> class & 1 == 1))
            .count();
        assert!(right > 495, "{right} of 500 in our own arithmetic");
    }
}
