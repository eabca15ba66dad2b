//! The networks that predict errors, in tch: all of the paper's, to train them and to measure the baselines. The
//! networks with an instruction pointer answer as [`crate::ipagnn`] does; a test compares both.

use std::collections::BTreeMap;

use tch::{Device, Kind, Tensor, no_grad};

use crate::ipagnn::{Encoded, ErrorConfig, Fusion, HEADS, NOWHERE, NetworkKind, Program, SMALL, is_bias};
use crate::t5::{LoadError, Weights};

/// Rounds of messages of the gated graph neural network.
const ROUNDS: usize = 8;

/// A network on a device.
pub struct ErrorNet {
    /// Kind and sizes.
    pub config: ErrorConfig,
    /// Weights by their names in files.
    pub weights: BTreeMap<String, Tensor>,
    device: Device,
}

/// Programs of a batch, padded to the largest.
pub struct ErrorBatch {
    /// `[rows, nodes, features]`
    statements: Tensor,
    /// 1 for a statement, 0 for padding: `[rows, nodes]`
    mask: Tensor,
    /// Edges as 0 and 1, `[rows, nodes, nodes + 2]`: where a test holds, where not, where exceptions go.
    edges: [Tensor; 3],
    /// Whether a statement may raise and may not; whether it does nothing else: `[rows, nodes]`
    can_raise: Tensor,
    always_raises: Tensor,
    /// The pointer before the first step, `[rows, nodes + 2]`
    start: Tensor,
    steps: Vec<usize>,
    /// States of the description's tokens, `[rows, tokens, encoder_width]`, and very negative numbers for padding.
    description: Tensor,
    description_mask: Tensor,
    nodes: i64,
}

/// What a network says of a batch.
pub struct ErrorScores {
    /// Logarithms of the probabilities, `[rows, 1 + classes]`; the first is that of no error.
    pub likely: Tensor,
    /// Weights of the statements as places of the error, `[rows, nodes]`; only of networks that learn each by itself.
    pub places: Option<Tensor>,
}

impl ErrorBatch {
    /// Pads programs.
    pub fn new(items: &[(&Program, &Encoded)], config: &ErrorConfig, device: Device) -> Self {
        let rows = items.len();
        let nodes = items.iter().map(|(program, _)| program.rows.len()).max().unwrap_or(0).max(1);
        let (features, width) = (config.features(), config.encoder_width);
        let tokens = items.iter().map(|(_, encoded)| encoded.description.len() / width).max().unwrap_or(0).max(1);
        let mut statements = vec![0.0_f32; rows * nodes * features];
        let (mut mask, mut can) = (vec![0.0_f32; rows * nodes], vec![0.0_f32; rows * nodes]);
        let mut always = can.clone();
        let mut edges = [0, 1, 2].map(|_| vec![0.0_f32; rows * nodes * (nodes + 2)]);
        let mut start = vec![0.0_f32; rows * (nodes + 2)];
        let mut description = vec![0.0_f32; rows * tokens * width];
        let mut description_mask = vec![-1e9_f32; rows * tokens];
        for (row, (program, encoded)) in items.iter().enumerate() {
            let count = program.rows.len();
            // The ends stand behind the padding.
            let place = |to: u32| if to as usize >= count { to as usize - count + nodes } else { to as usize };
            statements[row * nodes * features..][..encoded.statements.len()].copy_from_slice(&encoded.statements);
            for at in 0..count {
                mask[row * nodes + at] = 1.0;
                let mut edge = |kind: usize, to: u32| {
                    if to != NOWHERE {
                        edges[kind][(row * nodes + at) * (nodes + 2) + place(to)] = 1.0;
                    }
                };
                edge(0, program.next[at][0]);
                edge(1, program.next[at][1]);
                edge(2, program.raises[at]);
                if program.raises[at] != NOWHERE {
                    let target = if program.next[at][0] == NOWHERE { &mut always } else { &mut can };
                    target[row * nodes + at] = 1.0;
                }
            }
            start[row * (nodes + 2) + place(program.entry)] = 1.0;
            description[row * tokens * width..][..encoded.description.len()].copy_from_slice(&encoded.description);
            // No description reads as one state of zeros.
            let read = (encoded.description.len() / width).max(1);
            description_mask[row * tokens..][..read].fill(0.0);
        }
        let (rows, nodes, tokens) = (rows as i64, nodes as i64, tokens as i64);
        let make = |values: &[f32], shape: &[i64]| Tensor::from_slice(values).view(shape).to_device(device);
        Self {
            statements: make(&statements, &[rows, nodes, features as i64]),
            mask: make(&mask, &[rows, nodes]),
            edges: edges.map(|edges| make(&edges, &[rows, nodes, nodes + 2])),
            can_raise: make(&can, &[rows, nodes]),
            always_raises: make(&always, &[rows, nodes]),
            start: make(&start, &[rows, nodes + 2]),
            steps: items.iter().map(|(program, _)| program.steps).collect(),
            description: make(&description, &[rows, tokens, width as i64]),
            description_mask: make(&description_mask, &[rows, 1, 1, tokens]),
            nodes,
        }
    }
}

/// A description, prepared for the steps of an execution.
enum Prepared {
    None,
    Film(Tensor),
    Attention { keys: Tensor, values: Tensor },
}

impl ErrorNet {
    /// Makes a network with random weights, drawn from torch's generator.
    pub fn new(config: &ErrorConfig, device: Device) -> Self {
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
        let weights = weights.into_iter().map(|(name, tensor)| (name, tensor.set_requires_grad(true))).collect();
        Self { config: config.clone(), weights, device }
    }

    /// Makes a network with the weights of a file.
    ///
    /// # Errors
    /// [`LoadError`] for one that is missing, of another shape, or not finite.
    pub fn open(config: &ErrorConfig, weights: &Weights<'_>, device: Device) -> Result<Self, LoadError> {
        let mut net = Self::new(config, device);
        for (name, [rows, columns]) in config.shapes() {
            let is_vector = is_bias(&name);
            let values = if is_vector { weights.vector(&name, rows)? } else { weights.table(&name, rows, columns)? };
            if let Some(tensor) = net.weights.get_mut(&name) {
                let read = Tensor::from_slice(&values).view(tensor.size().as_slice());
                no_grad(|| tensor.copy_(&read));
            }
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
        let statements = self.dense(&batch.statements, "statement").tanh();
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
        let project = || self.dense(&batch.description, "description").tanh();
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
        for step in 0..batch.steps.iter().copied().max().unwrap_or(0) {
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
            if batch.steps.iter().all(|&steps| steps > step) {
                (pointer, hidden) = (next, states);
            } else {
                let live: Vec<f32> = batch.steps.iter().map(|&steps| if steps > step { 1.0 } else { 0.0 }).collect();
                let live = Tensor::from_slice(&live).view([rows, 1]).to_device(self.device);
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

    fn messages(&self, batch: &ErrorBatch, statements: &Tensor) -> Tensor {
        let size = statements.size();
        let ends = Tensor::zeros([size[0], 2, size[2]], (Kind::Float, self.device));
        let mut hidden = Tensor::cat(&[statements, &ends], 1);
        let [yes, no, raise] = &batch.edges;
        let back = (yes + no + raise).clamp_max(1.0);
        for _ in 0..ROUNDS {
            let states = hidden.narrow(1, 0, batch.nodes);
            let along = |edges: &Tensor, name: &str| edges.transpose(1, 2).bmm(&self.dense(&states, name));
            let forward = along(yes, "message.true") + along(no, "message.false") + along(raise, "message.raise");
            let backward = back.bmm(&self.dense(&hidden, "message.back"));
            let message = forward + Tensor::cat(&[&backward, &ends], 1);
            hidden = self.cell(&self.dense(&message, "cell.input"), &hidden);
        }
        let mask = batch.mask.unsqueeze(-1);
        let own = (hidden.narrow(1, 0, batch.nodes) * &mask).sum_dim_intlist([1_i64].as_slice(), false, Kind::Float);
        self.classify(&(own / mask.sum_dim_intlist([1_i64].as_slice(), false, Kind::Float).clamp_min(1.0)))
    }

    fn sequence(&self, batch: &ErrorBatch, statements: &Tensor) -> Tensor {
        let size = statements.size();
        let gates = self.dense(statements, "lstm.input");
        let mut hidden = Tensor::zeros([size[0], size[2]], (Kind::Float, self.device));
        let mut memory = hidden.shallow_clone();
        for at in 0..batch.nodes {
            let all = gates.select(1, at) + self.dense(&hidden, "lstm.hidden");
            let parts = all.chunk(4, -1);
            let next = parts[1].sigmoid() * &memory + parts[0].sigmoid() * parts[2].tanh();
            let out = parts[3].sigmoid() * next.tanh();
            let live = batch.mask.select(1, at).unsqueeze(-1);
            memory = &memory + &live * (next - &memory);
            hidden = &hidden + live * (out - &hidden);
        }
        self.classify(&hidden)
    }

    fn blocks(&self, batch: &ErrorBatch, statements: Tensor) -> Tensor {
        let size = statements.size();
        let place = |at: i64, unit: i64| {
            let angle = at as f64 / 10_000_f64.powf((unit / 2 * 2) as f64 / size[2] as f64);
            (if unit % 2 == 0 { angle.sin() } else { angle.cos() }) as f32
        };
        let places: Vec<f32> = (0..size[1]).flat_map(|at| (0..size[2]).map(move |unit| place(at, unit))).collect();
        let mut x = statements + Tensor::from_slice(&places).view([1, size[1], size[2]]).to_device(self.device);
        let mask = ((&batch.mask - 1.0) * 1e9).view([size[0], 1, 1, size[1]]);
        for block in 0..2 {
            let name = |part: &str| format!("block.{block}.{part}");
            let normed = x.rms_norm([size[2]], None::<&Tensor>, 1e-6);
            let [keys, values] = ["key", "value"].map(|part| Self::heads(&self.dense(&normed, &name(part))));
            let mixed = Self::attend(&self.dense(&normed, &name("query")), &keys, &values, &mask);
            x = &x + self.dense(&mixed, &name("out"));
            let normed = x.rms_norm([size[2]], None::<&Tensor>, 1e-6);
            x = &x + self.dense(&self.dense(&normed, &name("wide")).relu(), &name("back"));
        }
        let mask = batch.mask.unsqueeze(-1);
        let sum = (x * &mask).sum_dim_intlist([1_i64].as_slice(), false, Kind::Float);
        self.classify(&(sum / mask.sum_dim_intlist([1_i64].as_slice(), false, Kind::Float).clamp_min(1.0)))
    }

    /// Multiple instance learning (appendix I).
    fn instances(&self, batch: &ErrorBatch, statements: &Tensor) -> ErrorScores {
        let logits = self.dense(statements, "class");
        let count = logits.size()[2];
        let padding = ((&batch.mask - 1.0) * 1e9).unsqueeze(-1);
        if self.config.network == NetworkKind::MilLogSumExp {
            let logits = logits + padding;
            let places = logits.narrow(2, 1, count - 1).logsumexp([2_i64].as_slice(), false).softmax(-1, Kind::Float);
            let likely = logits.logsumexp([1_i64].as_slice(), false).log_softmax(-1, Kind::Float);
            return ErrorScores { likely, places: Some(places) };
        }
        let each = logits.softmax(-1, Kind::Float) * batch.mask.unsqueeze(-1);
        let places = each.narrow(2, 1, count - 1).sum_dim_intlist([2_i64].as_slice(), false, Kind::Float);
        let joined = if self.config.network == NetworkKind::MilMax {
            each.amax([1_i64].as_slice(), false)
        } else {
            let lines = batch.mask.sum_dim_intlist([1_i64].as_slice(), true, Kind::Float).clamp_min(1.0);
            each.sum_dim_intlist([1_i64].as_slice(), false, Kind::Float) / lines
        };
        let likely = (joined + 1e-9).log().log_softmax(-1, Kind::Float);
        ErrorScores { likely, places: Some(places) }
    }
}

#[cfg(test)]
mod tests {
    use surmise_instrument::SourceModel;
    use surmise_instrument::program_graph::Limits;

    use super::*;
    use crate::ipagnn::{Network, Pooling, Scope, open_encoder};
    use crate::t5::Tensors;

    /// Programs of several shapes in one batch, through both implementations.
    #[test]
    fn both_implementations_agree() {
        let _lock = crate::torch::lock();
        let sources = [
            "n = int(input())\nfor i in range(n):\n    if i > 2:\n        break\n    print(i)\nprint(n)\n",
            "try:\n    a()\nexcept ValueError:\n    b()\nraise c\n",
            "x = 1\n",
        ];
        for network in [NetworkKind::ExceptionIpaGnn, NetworkKind::IpaGnn] {
            for fusion in [Fusion::None, Fusion::Docstring, Fusion::Film, Fusion::CrossAttention] {
                let config = ErrorConfig {
                    network,
                    scope: Scope::Local,
                    pooling: Pooling::Max,
                    fusion,
                    width: 16,
                    encoder_layers: 1,
                    encoder_width: 256,
                    encoder: None,
                    name_doubts: true,
                    classes: ["NameError", "Other"].map(str::to_owned).to_vec(),
                    statement_tokens: 32,
                    description_tokens: 32,
                    program_tokens: 256,
                    note: None,
                };
                let (vocabulary, encoder) = open_encoder(&config).expect("it ships");
                tch::manual_seed(3);
                let net = ErrorNet::new(&config, Device::Cpu);
                let mut tensors = Tensors::new();
                for (name, weight) in &net.weights {
                    let shape: Vec<usize> = weight.size().iter().map(|&size| size as usize).collect();
                    let values: Vec<f32> = Vec::try_from(weight.detach().reshape([-1])).expect("numbers");
                    tensors.add(name, &shape, &values).expect("it fits");
                }
                let bytes = tensors.to_bytes().expect("a file");
                let own = Network::load(&config, &Weights::from_safetensors(bytes).expect("a file")).expect("it fits");
                let programs = sources.map(|source| {
                    let model = SourceModel::parse(source).expect("it parses");
                    let description = if source.starts_with('n') { "An integer N up to 10" } else { "" };
                    let program = Program::new(&model, description, &vocabulary, &config, Limits::PAPER);
                    let encoded = encoder.encode(&program).expect("its tokens");
                    (program, encoded)
                });
                let items: Vec<(&Program, &Encoded)> = programs.iter().map(|(one, other)| (one, other)).collect();
                let likely = no_grad(|| net.forward(&ErrorBatch::new(&items, &config, Device::Cpu)).likely.exp());
                for (row, (program, encoded)) in programs.iter().enumerate() {
                    let expected = own.execute(program, encoded);
                    let expected: Vec<f32> = std::iter::once(expected.none).chain(expected.classes).collect();
                    let found: Vec<f32> = Vec::try_from(likely.get(row as i64)).expect("numbers");
                    for (one, other) in expected.iter().zip(&found) {
                        assert!((one - other).abs() < 1e-4, "{network:?} {fusion:?} {row}: {expected:?} {found:?}");
                    }
                    assert_eq!(expected.len(), found.len());
                }
            }
        }
    }
}
