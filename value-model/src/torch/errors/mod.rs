//! The networks that predict errors, in tch: all of the paper's, to train them and to measure the baselines. The
//! networks with an instruction pointer answer as [`crate::ipagnn`] does; a test compares both.

mod baselines;
mod batch;
mod encoder;

use std::collections::BTreeMap;

use tch::{Device, Kind, Tensor, no_grad};

use crate::ipagnn::{ErrorConfig, Fusion, HEADS, NetworkKind, SMALL, is_bias};
use crate::t5::{LoadError, Weights};

pub use batch::ErrorBatch;
use batch::Texts;
use encoder::Encoder;

/// A network on a device.
pub struct ErrorNet {
    /// Kind and sizes.
    pub config: ErrorConfig,
    /// Weights by their names in files.
    pub weights: BTreeMap<String, Tensor>,
    /// The encoder whose changes are among the weights; without it statements come as vectors.
    encoder: Option<Encoder>,
    device: Device,
}

/// What a network says of a batch.
pub struct ErrorScores {
    /// Logarithms of the probabilities, `[rows, 1 + classes]`; the first is that of no error.
    pub likely: Tensor,
    /// Weights of the statements as places of the error, `[rows, nodes]`; only of networks that learn each by itself.
    pub places: Option<Tensor>,
}

/// A description, prepared for the steps of an execution.
enum Prepared {
    None,
    Film(Tensor),
    Attention { keys: Tensor, values: Tensor },
}

impl ErrorNet {
    /// Makes a network with random weights, drawn from torch's generator.
    ///
    /// # Errors
    /// [`LoadError`] if the value model's encoder has another shape.
    pub fn new(config: &ErrorConfig, device: Device) -> Result<Self, LoadError> {
        let weights = config.shapes().into_iter().map(|(name, [rows, columns])| {
            let tensor = if is_bias(&name) {
                Tensor::zeros([rows as i64], (Kind::Float, device))
            } else {
                let deviation = (columns as f64).powf(-0.5);
                Tensor::randn([rows as i64, columns as i64], (Kind::Float, device)) * deviation
            };
            (name, tensor)
        });
        let mut weights: BTreeMap<String, Tensor> = weights.collect();
        if let Some(bias) = weights.get_mut("raise.bias") {
            // Most statements raise nothing: the pointer is to reach the later ones from the start.
            *bias = Tensor::from_slice(&[-2.0_f32, 2.0]).to_device(device);
        }
        let encoder = if config.adapter.is_some() { Some(Encoder::new(config, device)?) } else { None };
        weights.extend(encoder.iter().flat_map(|encoder| encoder.factors(config, device)));
        let weights = weights.into_iter().map(|(name, tensor)| (name, tensor.set_requires_grad(true))).collect();
        Ok(Self { config: config.clone(), weights, encoder, device })
    }

    /// Makes a network with the weights of a file.
    ///
    /// # Errors
    /// [`LoadError`] for one that is missing, of another shape, or not finite.
    pub fn open(config: &ErrorConfig, weights: &Weights<'_>, device: Device) -> Result<Self, LoadError> {
        let mut net = Self::new(config, device)?;
        for (name, tensor) in &mut net.weights {
            let size = tensor.size();
            let values = match size[..] {
                [rows, columns] => weights.table(name, rows as usize, columns as usize)?,
                _ => weights.vector(name, tensor.numel())?,
            };
            let read = Tensor::from_slice(&values).view(size.as_slice());
            no_grad(|| tensor.copy_(&read));
        }
        Ok(net)
    }

    /// The device that it is on.
    pub fn device(&self) -> Device {
        self.device
    }

    fn dense(&self, x: &Tensor, name: &str) -> Tensor {
        x.linear(&self.weights[&format!("{name}.weight")], Some(&self.weights[&format!("{name}.bias")]))
    }

    /// Log-probabilities of the errors of a batch.
    pub fn forward(&self, batch: &ErrorBatch) -> ErrorScores {
        let vectors = match (&batch.statements, &self.encoder) {
            (Texts::Tokens(tokens), Some(encoder)) => encoder.statements(&self.weights, tokens, batch.nodes),
            (Texts::Vectors(vectors), _) => vectors.shallow_clone(),
            (Texts::Tokens(_), None) => unreachable!("tokens are for networks that encode them"),
        };
        let statements = self.dense(&vectors, "statement").tanh();
        let alone = |likely: Tensor| ErrorScores { likely, places: None };
        match self.config.network {
            NetworkKind::ExceptionIpaGnn | NetworkKind::IpaGnn => alone(self.execute(batch, &statements)),
            NetworkKind::Ggnn => alone(self.messages(batch, &statements)),
            NetworkKind::Lstm => alone(self.sequence(batch, &statements)),
            NetworkKind::Transformer => alone(self.blocks(batch, statements)),
            NetworkKind::MilLogSumExp | NetworkKind::MilMax | NetworkKind::MilMean => {
                self.instances(batch, &statements)
            }
        }
    }

    /// The softmax over all classes of one vector a row.
    fn classify(&self, state: &Tensor) -> Tensor {
        self.dense(state, "class").log_softmax(-1, Kind::Float)
    }

    fn prepare(&self, batch: &ErrorBatch) -> Prepared {
        let project = || {
            let states = match (&batch.description, &self.encoder) {
                (Texts::Tokens(tokens), Some(encoder)) => encoder.description(&self.weights, tokens),
                (Texts::Vectors(vectors), _) => vectors.shallow_clone(),
                (Texts::Tokens(_), None) => unreachable!("tokens are for networks that encode them"),
            };
            self.dense(&states, "description").tanh()
        };
        match self.config.fusion {
            Fusion::None | Fusion::Docstring => Prepared::None,
            Fusion::Film => {
                let rows = project();
                let read = batch.description_mask.view([rows.size()[0], -1, 1]).ge(-1.0).to_kind(Kind::Float);
                let count = read.sum_dim_intlist([1_i64].as_slice(), false, Kind::Float);
                Prepared::Film(
                    ((&rows * read).sum_dim_intlist([1_i64].as_slice(), false, Kind::Float) / count).unsqueeze(1),
                )
            }
            Fusion::CrossAttention => {
                let rows = project();
                let heads = |name: &str| Self::heads(&self.dense(&rows, name));
                Prepared::Attention { keys: heads("attention.key"), values: heads("attention.value") }
            }
        }
    }

    /// `[rows, count, width]` as `[rows, heads, count, width / heads]`.
    fn heads(x: &Tensor) -> Tensor {
        let size = x.size();
        let heads = HEADS as i64;
        x.view([size[0], size[1], heads, size[2] / heads]).transpose(1, 2)
    }

    fn attend(query: &Tensor, keys: &Tensor, values: &Tensor, mask: &Tensor) -> Tensor {
        let size = query.size();
        let query = Self::heads(query);
        let scale = (size[2] as f64 / HEADS as f64).sqrt();
        let scores = query.matmul(&keys.transpose(2, 3)) / scale + mask;
        scores.softmax(-1, Kind::Float).matmul(values).transpose(1, 2).reshape(size.as_slice())
    }

    fn modulate(
        &self,
        prepared: &Prepared,
        batch: &ErrorBatch,
        statements: &Tensor,
        states: &Tensor,
    ) -> Option<Tensor> {
        let both = || Tensor::cat(&[statements, states], -1);
        let made = match prepared {
            Prepared::None => return None,
            Prepared::Film(description) => {
                let both = both();
                self.dense(&both, "film.scale").sigmoid() * description + self.dense(&both, "film.shift").sigmoid()
            }
            Prepared::Attention { keys, values } => {
                let query = self.dense(&both(), "attention.query");
                let context = Self::attend(&query, keys, values, &batch.description_mask);
                self.dense(&context, "attention.out")
            }
        };
        Some(Tensor::cat(&[&made, statements], -1))
    }

    fn cell(&self, gates: &Tensor, states: &Tensor) -> Tensor {
        let own = self.dense(states, "cell.hidden");
        let (gates, own) = (gates.chunk(3, -1), own.chunk(3, -1));
        let reset = (&gates[0] + &own[0]).sigmoid();
        let update = (&gates[1] + &own[1]).sigmoid();
        let proposed = (&gates[2] + reset * &own[2]).tanh();
        &proposed + update * (states - &proposed)
    }

    fn execute(&self, batch: &ErrorBatch, statements: &Tensor) -> Tensor {
        let nodes = batch.nodes;
        let rows = statements.size()[0];
        let width = self.config.width as i64;
        let prepared = self.prepare(batch);
        let fixed = matches!(prepared, Prepared::None).then(|| self.dense(statements, "cell.input"));
        let mut ends = vec![0.0_f32; nodes as usize];
        ends.extend([1.0, 1.0]);
        let ends = Tensor::from_slice(&ends).to_device(self.device);
        let mut pointer = batch.start.shallow_clone();
        let mut hidden = Tensor::zeros([rows, nodes + 2, width], (Kind::Float, self.device));
        let [yes, no, raise] = &batch.edges;
        let raises = self.config.network == NetworkKind::ExceptionIpaGnn;
        let both = yes * no;
        // Where both ways are one, it is counted once.
        let single = both.sum_dim_intlist([2_i64].as_slice(), false, Kind::Float);
        for step in 0..batch.longest {
            let states = hidden.narrow(1, 0, nodes);
            let gates = if let Some(gates) = &fixed {
                gates.shallow_clone()
            } else {
                let input = self.modulate(&prepared, batch, statements, &states);
                self.dense(input.as_ref().unwrap_or(statements), "cell.input")
            };
            let proposed = self.cell(&gates, &states);
            let share = pointer.narrow(1, 0, nodes);
            let raised = if raises {
                let decision = self.dense(&proposed, "raise").softmax(-1, Kind::Float).select(-1, 0);
                decision * &batch.can_raise + &batch.always_raises
            } else {
                batch.always_raises.shallow_clone()
            };
            let branch = self.dense(&proposed, "branch").softmax(-1, Kind::Float);
            let goes_on = &share * (1.0 - &raised);
            let first: Tensor = &goes_on * (branch.select(-1, 0) + &single * branch.select(-1, 1));
            let other: Tensor = 1.0 - &single;
            let second: Tensor = &goes_on * branch.select(-1, 1) * other;
            let flow = yes * first.unsqueeze(-1) + no * second.unsqueeze(-1) + raise * (&share * &raised).unsqueeze(-1);
            let kept = &pointer * &ends;
            let next = flow.sum_dim_intlist([1_i64].as_slice(), false, Kind::Float) + &kept;
            let states = flow.transpose(1, 2).bmm(&proposed) + kept.unsqueeze(-1) * &hidden;
            let states = states / (&next + f64::from(SMALL)).unsqueeze(-1);
            if step < batch.shortest {
                (pointer, hidden) = (next, states);
            } else {
                let live = batch.live.narrow(1, step as i64, 1);
                pointer = &pointer + &live * (next - &pointer);
                hidden = &hidden + live.unsqueeze(-1) * (states - &hidden);
            }
        }
        if !raises {
            return self.classify(&hidden.select(1, nodes));
        }
        let [ended, raised] = [nodes, nodes + 1].map(|end| pointer.select(1, end) + f64::from(SMALL));
        let all = (&ended + &raised).log();
        let classes = self.classify(&hidden.select(1, nodes + 1)) + (raised.log() - &all).unsqueeze(-1);
        Tensor::cat(&[(ended.log() - all).unsqueeze(-1), classes], -1)
    }
}

#[cfg(test)]
mod tests {
    use surmise_instrument::SourceModel;
    use surmise_instrument::program_graph::Limits;

    use super::*;
    use crate::ipagnn::{Encoded, Network, Pooling, Program, Scope, encoder};
    use crate::t5::Tensors;

    const SOURCES: [&str; 3] = [
        "n = int(input())\nfor i in range(n):\n    if i > 2:\n        break\n    print(i)\nprint(n)\n",
        "try:\n    a()\nexcept ValueError:\n    b()\nraise c\n",
        "x = 1\n",
    ];

    fn config(network: NetworkKind, fusion: Fusion) -> ErrorConfig {
        ErrorConfig {
            network,
            scope: Scope::Local,
            pooling: Pooling::Max,
            fusion,
            width: 16,
            encoder_layers: 1,
            encoder_width: 256,
            adapter: None,
            doubts: true,
            classes: ["NameError", "Other"].map(str::to_owned).to_vec(),
            statement_tokens: 32,
            description_tokens: 32,
            program_tokens: 256,
            note: None,
        }
    }

    fn bytes(net: &ErrorNet) -> Vec<u8> {
        let mut tensors = Tensors::new();
        for (name, weight) in &net.weights {
            let shape: Vec<usize> = weight.size().iter().map(|&size| size as usize).collect();
            let values: Vec<f32> = Vec::try_from(weight.detach().reshape([-1])).expect("numbers");
            tensors.add(name, &shape, &values).expect("it fits");
        }
        tensors.to_bytes().expect("a file")
    }

    /// Our own implementation with the same weights, on the same programs, and what it says.
    fn expected(config: &ErrorConfig, bytes: Vec<u8>) -> Vec<(Program, Encoded, Vec<f32>)> {
        let weights = Weights::from_safetensors(bytes).expect("a file");
        let (vocabulary, encoder) = encoder(config, Some(&weights)).expect("it fits");
        let own = Network::load(config, &weights).expect("it fits");
        let of = |source: &str| {
            let model = SourceModel::parse(source).expect("it parses");
            let description = if source.starts_with('n') { "An integer N up to 10" } else { "" };
            let program = Program::new(&model, &description.into(), &vocabulary, config, Limits::PAPER);
            let encoded = encoder.encode(&program).expect("its tokens");
            let found = own.execute(&program, &encoded);
            (program, encoded, std::iter::once(found.none).chain(found.classes).collect())
        };
        SOURCES.map(of).into()
    }

    /// Compares with our own implementation, on each device that is there.
    fn compare(net: &ErrorNet, batch: &ErrorBatch, expected: &[(Program, Encoded, Vec<f32>)]) {
        for device in crate::torch::devices() {
            let file = Weights::from_safetensors(bytes(net)).expect("a file");
            let net = ErrorNet::open(&net.config, &file, device).expect("it fits");
            let likely = no_grad(|| net.forward(&batch.to(device)).likely.exp()).to_device(Device::Cpu);
            for (row, (_, _, expected)) in expected.iter().enumerate() {
                let found: Vec<f32> = Vec::try_from(likely.get(row as i64)).expect("numbers");
                for (one, other) in expected.iter().zip(&found) {
                    assert!((one - other).abs() < 1e-4, "{device:?} {:?} {row}: {expected:?} {found:?}", net.config);
                }
                assert_eq!(expected.len(), found.len());
            }
        }
    }

    /// Programs of several shapes in one batch, through both implementations.
    #[test]
    fn both_implementations_agree() {
        let _lock = crate::torch::lock();
        for network in [NetworkKind::ExceptionIpaGnn, NetworkKind::IpaGnn] {
            for fusion in [Fusion::None, Fusion::Docstring, Fusion::Film, Fusion::CrossAttention] {
                let config = config(network, fusion);
                tch::manual_seed(3);
                let net = ErrorNet::new(&config, Device::Cpu).expect("its encoder ships");
                let expected = expected(&config, bytes(&net));
                let items: Vec<(&Program, &Encoded)> = expected.iter().map(|(one, other, _)| (one, other)).collect();
                compare(&net, &ErrorBatch::of_vectors(&items, &config), &expected);
            }
        }
    }

    /// Two statements whose classes have the logits 1, 0, 0 and 0, 2, 0 (appendix I, equations 24 to 29).
    #[test]
    fn instances_are_joined_as_computed_by_hand() {
        let _lock = crate::torch::lock();
        let [first, second] = [[1.0_f32, 0.0, 0.0], [0.0, 2.0, 0.0]].map(|logits| logits.map(f32::exp));
        let [one, other] = [first, second].map(|shares| shares.map(|share| share / shares.iter().sum::<f32>()));
        let of = |join: fn(f32, f32) -> f32, one: [f32; 3], other: [f32; 3]| {
            let joined = [0, 1, 2].map(|class| join(one[class], other[class]));
            joined.map(|share| share / joined.iter().sum::<f32>())
        };
        for (network, expected) in [
            (NetworkKind::MilMax, of(f32::max, one, other)),
            (NetworkKind::MilMean, of(|one, other| one + other, one, other)),
            (NetworkKind::MilLogSumExp, of(|one, other| one + other, first, second)),
        ] {
            let config = config(network, Fusion::None);
            let mut net = ErrorNet::new(&config, Device::Cpu).expect("its encoder ships");
            let weight = net.weights["class.weight"].zeros_like();
            let _one = weight.get(0).get(0).fill_(1.0);
            let _other = weight.get(1).get(1).fill_(2.0);
            net.weights.insert("class.weight".to_owned(), weight);
            let (vocabulary, encoder) = encoder(&config, None).expect("it ships");
            let model = SourceModel::parse("x = 1\ny = 2\n").expect("it parses");
            let program = Program::new(&model, &"".into(), &vocabulary, &config, Limits::PAPER);
            let encoded = encoder.encode(&program).expect("its tokens");
            let batch = ErrorBatch::of_vectors(&[(&program, &encoded)], &config);
            let statements = Tensor::eye(2, (Kind::Float, Device::Cpu)).constant_pad_nd([0, 14]).unsqueeze(0);
            let scores = no_grad(|| net.instances(&batch, &statements));
            let found: Vec<f32> = Vec::try_from(scores.likely.exp().get(0)).expect("numbers");
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-4, "{network:?}: {found} instead of {expected}");
            }
            let places: Vec<f32> = Vec::try_from(scores.places.expect("places").get(0)).expect("numbers");
            assert!(places[1] > places[0], "the second statement has more of an error: {places:?}");
        }
    }

    /// The same with changes of the encoder, which the network reads tokens with.
    #[test]
    fn both_implementations_agree_with_an_adapter() {
        let _lock = crate::torch::lock();
        for fusion in [Fusion::Docstring, Fusion::Film, Fusion::CrossAttention] {
            for pooling in [Pooling::First, Pooling::Sum, Pooling::Mean, Pooling::Max] {
                let config = ErrorConfig { adapter: Some(3), pooling, ..config(NetworkKind::ExceptionIpaGnn, fusion) };
                tch::manual_seed(3);
                let mut net = ErrorNet::new(&config, Device::Cpu).expect("its encoder ships");
                let unchanged = bytes(&net);
                for (_, factor) in net.weights.iter_mut().filter(|(name, _)| name.rsplit('.').next() == Some("up")) {
                    let drawn = factor.randn_like() * 0.1;
                    no_grad(|| factor.copy_(&drawn));
                }
                let (changed, before) = (expected(&config, bytes(&net)), expected(&config, unchanged));
                assert_ne!(before[0].1, changed[0].1);
                let programs: Vec<&Program> = changed.iter().map(|(program, ..)| program).collect();
                compare(&net, &ErrorBatch::of_tokens(&programs, &config, 0), &changed);
            }
        }
    }
}
