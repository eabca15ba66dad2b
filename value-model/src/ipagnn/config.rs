//! What kind of network it is, and its sizes: `errors.json` beside the weights.

use serde::{Deserialize, Serialize};

use super::doubts::DOUBTS;
use crate::t5::LoadError;

/// Largest width, number of classes or limit that is read from a file.
const MOST: usize = 1 << 14;

/// The architectures of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NetworkKind {
    /// IPA-GNN with raise decisions (section 4.3).
    ExceptionIpaGnn,
    /// IPA-GNN without (appendix C): the error is read from the state of the exit node.
    IpaGnn,
    /// A gated graph neural network over the same edges.
    Ggnn,
    /// Statements in the order of the text through an LSTM.
    Lstm,
    /// Statements in the order of the text through Transformer blocks.
    Transformer,
    /// Each statement for itself, joined by logsumexp (appendix I).
    MilLogSumExp,
    /// Each statement for itself; the surest decides.
    MilMax,
    /// Each statement for itself, averaged.
    MilMean,
}

impl NetworkKind {
    /// Whether it executes the graph with an instruction pointer.
    #[must_use]
    pub fn has_pointer(self) -> bool {
        matches!(self, Self::ExceptionIpaGnn | Self::IpaGnn)
    }
}

/// What a token attends to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Tokens of its own statement.
    Local,
    /// All tokens of the program.
    Global,
}

/// How the states of a statement's tokens become one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pooling {
    /// That of the first token.
    First,
    /// Their sum.
    Sum,
    /// Their mean.
    Mean,
    /// The largest value of each component.
    Max,
}

/// How the description of the input reaches the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fusion {
    /// Not at all.
    None,
    /// As a docstring: a statement before the first.
    Docstring,
    /// Feature-wise linear modulation of each statement (appendix D).
    Film,
    /// Each statement attends to its tokens (appendix D).
    CrossAttention,
}

/// Kind and sizes of a network.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ErrorConfig {
    /// Architecture.
    pub network: NetworkKind,
    /// What tokens attend to.
    pub scope: Scope,
    /// How tokens become statements.
    pub pooling: Pooling,
    /// How the description is read.
    pub fusion: Fusion,
    /// Width of states and statement vectors.
    pub width: usize,
    /// Blocks of the value model's encoder that run.
    pub encoder_layers: usize,
    /// Width of the encoder's states.
    pub encoder_width: usize,
    /// Rank of the changes of the encoder's matrices that the network learned; without them the encoder is the value
    /// model's as it is. Only in local scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<usize>,
    /// Whether facts about names, types and the input stand beside the embeddings.
    pub doubts: bool,
    /// Names of the errors, without that of no error.
    pub classes: Vec<String>,
    /// Most tokens of a statement.
    pub statement_tokens: usize,
    /// Most tokens of a description.
    pub description_tokens: usize,
    /// Most tokens of a program in global scope.
    pub program_tokens: usize,
    /// What users of its predictions have to know; shown with each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Attention heads of cross-attention.
pub(crate) const HEADS: usize = 4;

impl ErrorConfig {
    /// Numbers that a statement has before it is projected.
    #[must_use]
    pub fn features(&self) -> usize {
        self.encoder_width + if self.doubts { DOUBTS } else { 0 }
    }

    /// Width of what the cell reads: modulation puts the statement beside what it made of it.
    #[must_use]
    pub fn input(&self) -> usize {
        match self.fusion {
            Fusion::None | Fusion::Docstring => self.width,
            Fusion::Film | Fusion::CrossAttention => 2 * self.width,
        }
    }

    /// Number of outputs of the classifier: the IPA-GNN and the baselines have one for no error, too, the first.
    #[must_use]
    pub fn outputs(&self) -> usize {
        self.classes.len() + usize::from(self.network != NetworkKind::ExceptionIpaGnn)
    }

    /// Reads the text of an `errors.json`.
    ///
    /// # Errors
    /// [`LoadError::ConfigSyntax`], [`LoadError::Config`] for a size out of range.
    pub fn from_json(text: &str) -> Result<Self, LoadError> {
        let config: Self = serde_json::from_str(text).map_err(LoadError::ConfigSyntax)?;
        let sizes = [
            ("width", config.width),
            ("encoder_layers", config.encoder_layers),
            ("encoder_width", config.encoder_width),
            ("classes", config.classes.len()),
            ("statement_tokens", config.statement_tokens),
            ("description_tokens", config.description_tokens),
            ("program_tokens", config.program_tokens),
            ("adapter", config.adapter.unwrap_or(1)),
        ];
        if let Some((key, value)) = sizes.into_iter().find(|(_, size)| !(1..=MOST).contains(size)) {
            return Err(LoadError::Config { key, value: value.to_string(), expected: format!("1 to {MOST}") });
        }
        if config.fusion == Fusion::CrossAttention && !config.width.is_multiple_of(HEADS) {
            let expected = format!("a multiple of {HEADS} for cross-attention");
            return Err(LoadError::Config { key: "width", value: config.width.to_string(), expected });
        }
        if config.adapter.is_some() && config.scope == Scope::Global {
            let (value, expected) = ("global".to_owned(), "local with an adapter".to_owned());
            return Err(LoadError::Config { key: "scope", value, expected });
        }
        Ok(config)
    }

    /// Names and shapes of the weights of the network itself, without its encoder. Biases have one column.
    #[must_use]
    pub fn shapes(&self) -> Vec<(String, [usize; 2])> {
        let width = self.width;
        let mut all = Vec::new();
        let mut dense = |name: &str, outputs: usize, inputs: usize| {
            all.push((format!("{name}.weight"), [outputs, inputs]));
            all.push((format!("{name}.bias"), [outputs, 1]));
        };
        dense("statement", width, self.features());
        if matches!(self.fusion, Fusion::Film | Fusion::CrossAttention) {
            dense("description", width, self.encoder_width);
        }
        match self.fusion {
            Fusion::Film => {
                dense("film.scale", width, 2 * width);
                dense("film.shift", width, 2 * width);
            }
            Fusion::CrossAttention => {
                dense("attention.query", width, 2 * width);
                dense("attention.key", width, width);
                dense("attention.value", width, width);
                dense("attention.out", width, width);
            }
            Fusion::None | Fusion::Docstring => {}
        }
        match self.network {
            NetworkKind::ExceptionIpaGnn | NetworkKind::IpaGnn => {
                dense("cell.input", 3 * width, self.input());
                dense("cell.hidden", 3 * width, width);
                dense("branch", 2, width);
                if self.network == NetworkKind::ExceptionIpaGnn {
                    dense("raise", 2, width);
                }
            }
            NetworkKind::Ggnn => {
                for edge in ["true", "false", "raise", "back"] {
                    dense(&format!("message.{edge}"), width, width);
                }
                dense("cell.input", 3 * width, width);
                dense("cell.hidden", 3 * width, width);
            }
            NetworkKind::Lstm => {
                dense("lstm.input", 4 * width, self.input());
                dense("lstm.hidden", 4 * width, width);
            }
            NetworkKind::Transformer => {
                for block in 0..2 {
                    dense(&format!("block.{block}.query"), width, width);
                    dense(&format!("block.{block}.key"), width, width);
                    dense(&format!("block.{block}.value"), width, width);
                    dense(&format!("block.{block}.out"), width, width);
                    dense(&format!("block.{block}.wide"), 2 * width, width);
                    dense(&format!("block.{block}.back"), width, 2 * width);
                }
            }
            NetworkKind::MilLogSumExp | NetworkKind::MilMax | NetworkKind::MilMean => {}
        }
        dense("class", self.outputs(), width);
        all
    }
}

/// Whether a weight of that name is a vector.
#[cfg(any(test, feature = "torch"))]
pub(crate) fn is_bias(name: &str) -> bool {
    name.rsplit('.').next() == Some("bias")
}
