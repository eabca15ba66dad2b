//! Statements as vectors: the states of their tokens, pooled (section 4.1).

use super::config::{ErrorConfig, Fusion, Pooling, Scope};
use super::program::Program;
use crate::t5::{Batch, InputError, TokenEncoder};

/// A program's statements and description as vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// `[statements, features]`
    pub(crate) statements: Vec<f32>,
    /// States of the description's tokens, `[tokens, encoder_width]`; empty unless the network reads them.
    pub(crate) description: Vec<f32>,
}

/// An encoder of tokens with the way of pooling.
#[derive(Debug)]
pub struct StatementEncoder {
    encoder: TokenEncoder,
    config: ErrorConfig,
}

impl StatementEncoder {
    pub(crate) fn new(encoder: TokenEncoder, config: ErrorConfig) -> Self {
        Self { encoder, config }
    }

    /// Pooled states of rows of tokens, each encoded for itself.
    ///
    /// # Errors
    /// [`InputError`] for an empty row or a token that the encoder does not know.
    pub fn rows<R: AsRef<[u32]>>(&self, rows: &[R]) -> Result<Vec<f32>, InputError> {
        let states = self.encoder.states(&Batch::new(rows)?)?;
        let mut starts = Vec::with_capacity(rows.len());
        let mut start = 0;
        for row in rows {
            starts.push(start..start + row.as_ref().len());
            start += row.as_ref().len();
        }
        Ok(self.pool(&states, &starts))
    }

    /// States of one row's tokens.
    ///
    /// # Errors
    /// As [`StatementEncoder::rows`].
    pub fn states(&self, row: &[u32]) -> Result<Vec<f32>, InputError> {
        self.encoder.states(&Batch::new(&[row])?)
    }

    /// Pooled states of a program's statements, `[statements, encoder_width]`, without facts about names.
    ///
    /// # Errors
    /// As [`StatementEncoder::rows`].
    pub fn pooled(&self, program: &Program) -> Result<Vec<f32>, InputError> {
        if self.config.scope == Scope::Local {
            return self.rows(&program.rows);
        }
        // The docstring is written last and stands first.
        let mut order: Vec<usize> = (0..program.rows.len()).collect();
        if program.lines.last() == Some(&0) {
            order.rotate_right(1);
        }
        let (mut all, mut spans) = (Vec::new(), vec![0..0; order.len()]);
        for at in order {
            let row = &program.rows[at];
            let fits = row.len().min(self.config.program_tokens.saturating_sub(all.len()));
            if fits > 0 {
                spans[at] = all.len()..all.len() + fits;
                all.extend_from_slice(&row[..fits]);
            }
        }
        if all.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.pool(&self.states(&all)?, &spans))
    }

    fn pool(&self, states: &[f32], spans: &[std::ops::Range<usize>]) -> Vec<f32> {
        let width = self.encoder.width();
        let mut pooled = vec![0.0; spans.len() * width];
        for (out, span) in pooled.chunks_exact_mut(width).zip(spans) {
            let rows = &states[span.start * width..span.end * width];
            for (number, row) in rows.chunks_exact(width).enumerate() {
                for (out, &value) in out.iter_mut().zip(row) {
                    match self.config.pooling {
                        _ if number == 0 => *out = value,
                        Pooling::First => {}
                        Pooling::Sum | Pooling::Mean => *out += value,
                        Pooling::Max => *out = out.max(value),
                    }
                }
            }
            if self.config.pooling == Pooling::Mean {
                let count = span.len().max(1) as f32;
                for value in out.iter_mut() {
                    *value /= count;
                }
            }
        }
        pooled
    }

    /// Encodes a program.
    ///
    /// # Errors
    /// As [`StatementEncoder::rows`].
    pub fn encode(&self, program: &Program) -> Result<Encoded, InputError> {
        let pooled = self.pooled(program)?;
        let reads = matches!(self.config.fusion, Fusion::Film | Fusion::CrossAttention);
        let description =
            if reads && !program.description.is_empty() { self.states(&program.description)? } else { Vec::new() };
        let mut statements = Vec::with_capacity(program.rows.len() * self.config.features());
        for (row, doubts) in pooled.chunks_exact(self.encoder.width()).zip(&program.doubts) {
            statements.extend_from_slice(row);
            if self.config.doubts {
                statements.extend_from_slice(doubts);
            }
        }
        Ok(Encoded { statements, description })
    }
}
