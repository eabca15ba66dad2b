//! The baselines: a gated graph neural network, an LSTM, Transformer blocks, and multiple instance learning.

use tch::{Kind, Tensor};

use super::{ErrorBatch, ErrorNet, ErrorScores};
use crate::ipagnn::NetworkKind;

/// Rounds of messages of the gated graph neural network.
const ROUNDS: usize = 8;

impl ErrorNet {
    pub(super) fn messages(&self, batch: &ErrorBatch, statements: &Tensor) -> Tensor {
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

    pub(super) fn sequence(&self, batch: &ErrorBatch, statements: &Tensor) -> Tensor {
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

    pub(super) fn blocks(&self, batch: &ErrorBatch, statements: Tensor) -> Tensor {
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
    pub(super) fn instances(&self, batch: &ErrorBatch, statements: &Tensor) -> ErrorScores {
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
