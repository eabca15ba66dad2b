//! The result of one snippet under one configuration.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use surmise_batch::store::Kept;
use surmise_report::{Report, json};

/// Characters of each output stream that are kept.
const KEPT_OUTPUT: usize = 4096;

/// A result, as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// The snippet's place in the batch.
    pub index: u64,
    /// The fingerprint of the snippet: its name, its text, the function that is called.
    pub fingerprint: String,
    /// The configuration's name.
    pub configuration: String,
    /// The report, schema `surmise.run/1`; or why there is none.
    pub report: Result<Value, String>,
}

impl Record {
    /// A result for the store. Output is cut: a batch is about coverage and errors.
    pub fn new(index: u64, fingerprint: String, configuration: String, report: Result<&Report, String>) -> Self {
        let report = report.and_then(|report| {
            let mut document = json::document(report).map_err(|error| error.to_string())?;
            for stream in ["stdout", "stderr"] {
                if let Some(text) = document[stream].as_str()
                    && text.len() > KEPT_OUTPUT
                {
                    let cut = text.char_indices().map(|(at, _)| at).take_while(|&at| at <= KEPT_OUTPUT).last();
                    document[stream] = format!("{}…", &text[..cut.unwrap_or(0)]).into();
                }
            }
            Ok(document)
        });
        Self { index, fingerprint, configuration, report }
    }

    /// True if a language model was asked and gave no answer: the result is that of the built-in model alone, and a batch
    /// that goes on asks again.
    #[must_use]
    pub fn is_unanswered(&self) -> bool {
        self.report.as_ref().is_ok_and(|report| report["language_model"]["is_unanswered"] == true)
    }
}

impl Kept for Record {
    const FORMAT: &'static str = "surmise.cover-store/3";
    const COMMAND: &'static str = "surmise cover";

    fn keys(&self) -> (&str, &str) {
        (&self.fingerprint, &self.configuration)
    }
}
