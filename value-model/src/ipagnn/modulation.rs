//! What the description makes of a statement (appendix D): feature-wise linear modulation, or cross-attention.

use super::config::{ErrorConfig, Fusion, HEADS};
use super::dense::{Dense, logistic, softmax};
use crate::t5::{LoadError, Weights};

/// A network's way of reading the description while it executes.
#[derive(Clone, Debug)]
pub(super) enum Modulation {
    /// The cell reads the statement alone.
    None,
    Film {
        description: Dense,
        scale: Dense,
        shift: Dense,
    },
    Attention {
        description: Dense,
        query: Dense,
        key: Dense,
        value: Dense,
        out: Dense,
    },
}

/// A description, prepared for the steps of one execution.
pub(super) enum Prepared {
    None,
    /// The mean of the projected tokens.
    Film(Vec<f32>),
    /// Keys and values of the tokens.
    Attention {
        keys: Vec<f32>,
        values: Vec<f32>,
        count: usize,
    },
}

impl Modulation {
    pub(super) fn load(weights: &Weights<'_>, config: &ErrorConfig) -> Result<Self, LoadError> {
        let width = config.width;
        let dense = |name: &str, outputs, inputs| Dense::load(weights, name, outputs, inputs);
        Ok(match config.fusion {
            Fusion::None | Fusion::Docstring => Self::None,
            Fusion::Film => Self::Film {
                description: dense("description", width, config.encoder_width)?,
                scale: dense("film.scale", width, 2 * width)?,
                shift: dense("film.shift", width, 2 * width)?,
            },
            Fusion::CrossAttention => Self::Attention {
                description: dense("description", width, config.encoder_width)?,
                query: dense("attention.query", width, 2 * width)?,
                key: dense("attention.key", width, width)?,
                value: dense("attention.value", width, width)?,
                out: dense("attention.out", width, width)?,
            },
        })
    }

    /// Prepares a description from the states of its tokens; none at all reads as one state of zeros.
    pub(super) fn prepare(&self, states: &[f32], encoder_width: usize) -> Prepared {
        let zeros;
        let (states, count) = if states.is_empty() {
            zeros = vec![0.0; encoder_width];
            (&zeros[..], 1)
        } else {
            (states, states.len() / encoder_width)
        };
        let project = |description: &Dense| {
            let mut rows = description.apply(states, count);
            for value in &mut rows {
                *value = value.tanh();
            }
            rows
        };
        match self {
            Self::None => Prepared::None,
            Self::Film { description, .. } => {
                let rows = project(description);
                let width = rows.len() / count;
                let mean = (0..width).map(|at| rows.iter().skip(at).step_by(width).sum::<f32>() / count as f32);
                Prepared::Film(mean.collect())
            }
            Self::Attention { description, key, value, .. } => {
                let rows = project(description);
                Prepared::Attention { keys: key.apply(&rows, count), values: value.apply(&rows, count), count }
            }
        }
    }

    /// What the cell reads: rows of statements, beside what the description makes of them in their present states.
    /// `None` where that is the statements alone.
    pub(super) fn modulate(
        &self,
        prepared: &Prepared,
        statements: &[f32],
        states: &[f32],
        count: usize,
    ) -> Option<Vec<f32>> {
        let width = statements.len().checked_div(count)?;
        let both = beside(statements, states, width);
        let made = match (self, prepared) {
            (Self::Film { scale, shift, .. }, Prepared::Film(description)) => {
                let mut made = scale.apply(&both, count);
                let shifts = shift.apply(&both, count);
                for (at, (value, shift)) in made.iter_mut().zip(&shifts).enumerate() {
                    *value = logistic(*value) * description[at % width] + logistic(*shift);
                }
                made
            }
            (Self::Attention { query, out, .. }, Prepared::Attention { keys, values, count: tokens }) => {
                let queries = query.apply(&both, count);
                let mut context = vec![0.0; count * width];
                let head = width / HEADS;
                let mut scores = vec![0.0; *tokens];
                for (row, context) in queries.chunks_exact(width).zip(context.chunks_exact_mut(width)) {
                    for part in (0..width).step_by(head) {
                        let query = &row[part..part + head];
                        for (score, key) in scores.iter_mut().zip(keys.chunks_exact(width)) {
                            let products = query.iter().zip(&key[part..]).map(|(left, right)| left * right);
                            *score = products.sum::<f32>() / (head as f32).sqrt();
                        }
                        softmax(&mut scores);
                        for (score, value) in scores.iter().zip(values.chunks_exact(width)) {
                            for (out, value) in context[part..part + head].iter_mut().zip(&value[part..]) {
                                *out += score * value;
                            }
                        }
                    }
                }
                out.apply(&context, count)
            }
            _ => return None,
        };
        Some(beside(&made, statements, width))
    }
}

/// Rows of two matrices of one width, side by side.
fn beside(left: &[f32], right: &[f32], width: usize) -> Vec<f32> {
    left.chunks_exact(width).zip(right.chunks_exact(width)).flat_map(|(left, right)| [left, right].concat()).collect()
}
