//! The messages of OpenAI's protocol of chat completions, as far as they are needed.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::question::{Question, Usage};

/// Which extensions of the protocol are asked for. Servers that refuse one are asked without it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extensions {
    /// How a JSON schema is sent.
    pub(crate) schema: SchemaForm,
    /// `stream_options`, so that a stream ends with the number of tokens.
    pub(crate) usage: bool,
}

/// How a JSON schema is sent in `response_format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SchemaForm {
    /// As OpenAI has it: `{"type": "json_schema", "json_schema": {...}}`.
    JsonSchema,
    /// As llama.cpp's Python server has it: `{"type": "json_object", "schema": {...}}`.
    JsonObject,
    /// Not at all.
    None,
}

impl SchemaForm {
    /// The form that is tried after this one was refused.
    pub(crate) const fn next(self) -> Self {
        match self {
            Self::JsonSchema => Self::JsonObject,
            Self::JsonObject | Self::None => Self::None,
        }
    }
}

/// The body of a request.
pub(crate) fn request(model: &str, question: &Question, extensions: Extensions) -> Value {
    let mut body = json!({
        "model": model,
        "messages": [
            {"role": "system", "content": question.system},
            {"role": "user", "content": question.user},
        ],
        "max_tokens": question.most_tokens,
        "temperature": 0,
        "seed": 0,
        "stream": true,
    });
    match (extensions.schema, &question.schema) {
        (SchemaForm::JsonSchema, Some(schema)) => {
            let schema = json!({"name": schema.name, "strict": true, "schema": schema.schema});
            body["response_format"] = json!({"type": "json_schema", "json_schema": schema});
        }
        (SchemaForm::JsonObject, Some(schema)) => {
            body["response_format"] = json!({"type": "json_object", "schema": schema.schema});
        }
        _ => {}
    }
    if extensions.usage {
        body["stream_options"] = json!({"include_usage": true});
    }
    body
}

/// A piece of a streamed answer, or a whole answer of a server that does not stream.
#[derive(Debug, Deserialize)]
pub(crate) struct Chunk {
    #[serde(default)]
    pub(crate) choices: Vec<Choice>,
    #[serde(default)]
    pub(crate) usage: Option<Usage>,
    /// Some servers tell of failures in the stream.
    #[serde(default)]
    pub(crate) error: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Choice {
    #[serde(default)]
    index: u32,
    /// Of a stream.
    #[serde(default)]
    delta: Option<Text>,
    /// Of a whole answer.
    #[serde(default)]
    message: Option<Text>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Text {
    #[serde(default)]
    content: Option<String>,
}

/// An answer as far as it has come.
#[derive(Debug, Default)]
pub(crate) struct Completion {
    pub(crate) text: String,
    pub(crate) usage: Option<Usage>,
    pub(crate) finish_reason: Option<String>,
}

impl Completion {
    pub(crate) fn add(&mut self, chunk: Chunk) {
        // Usage alone may come in a chunk of its own, after the last text.
        self.usage = chunk.usage.or(self.usage);
        for choice in chunk.choices.into_iter().filter(|choice| choice.index == 0) {
            let text = choice.delta.or(choice.message).and_then(|text| text.content);
            self.text.push_str(text.as_deref().unwrap_or_default());
            self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
        }
    }
}
