//! What the client is able to do, and what it asks for at the start.

use std::time::Duration;

use lsp_types::{
    ClientCapabilities, CodeLensOptions, ExecuteCommandOptions, HoverProviderCapability, InitializeParams, OneOf,
    SaveOptions, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions,
};
use serde::Deserialize;
use surmise_serve::Limits;

use super::lenses::{RUN, SHOW_DIFFERENCE};
use super::position::Encoding;

/// `initializationOptions` of the client.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Options {
    /// Maximum number of runs of a file.
    pub(crate) runs: u32,
    /// Time limit of all runs of a file together, in seconds.
    pub(crate) time: f64,
    /// Time limit of one run, in seconds.
    pub(crate) timeout: f64,
    /// How long a file has to be left alone before it is run, in milliseconds.
    pub(crate) debounce: u64,
    /// Lines from which on a file is run only when it is opened and saved.
    pub(crate) large_file: usize,
    /// Show injected values in the text.
    pub(crate) inlay_hints: bool,
    /// Show what was reached of each function.
    pub(crate) code_lenses: bool,
    /// Compare functions with the last commit.
    pub(crate) compare_with_head: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            runs: 32,
            time: 3.0,
            timeout: 1.0,
            debounce: 400,
            large_file: 1000,
            inlay_hints: true,
            code_lenses: true,
            compare_with_head: true,
        }
    }
}

impl Options {
    /// The options that a client gave; what is wrong with them is returned beside those that stand in for them.
    fn given(value: Option<serde_json::Value>) -> (Self, Option<String>) {
        let Some(value) = value.filter(|value| !value.is_null()) else { return (Self::default(), None) };
        let parsed = match value {
            serde_json::Value::Object(_) => serde_json::from_value::<Self>(value).map_err(|error| error.to_string()),
            _ => Err("they must be an object".to_owned()),
        };
        match parsed.and_then(Self::checked) {
            Ok(options) => (options, None),
            Err(problem) => (Self::default(), Some(format!("initializationOptions: {problem}; the defaults are used"))),
        }
    }

    fn checked(self) -> Result<Self, String> {
        let seconds = 0.01..=300.0;
        if !(1..=10_000).contains(&self.runs) {
            return Err(format!("`runs` is {}, and must be from 1 to 10000", self.runs));
        }
        if !seconds.contains(&self.time) || !seconds.contains(&self.timeout) {
            return Err("`time` and `timeout` are seconds, and must be from 0.01 to 300".to_owned());
        }
        if self.debounce > 60_000 {
            return Err(format!("`debounce` is {} milliseconds, and must be at most 60000", self.debounce));
        }
        Ok(self)
    }

    pub(crate) fn limits(&self) -> Limits {
        Limits {
            runs: self.runs,
            time: Duration::from_secs_f64(self.time),
            timeout: Duration::from_secs_f64(self.timeout),
        }
    }
}

/// What is known of the client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    /// Unit of columns.
    pub(crate) encoding: Encoding,
    /// What it asked for.
    pub(crate) options: Options,
    /// What is wrong with what it asked for.
    pub(crate) problem: Option<String>,
    /// It asks again for inlay hints where the editor supports it.
    pub(crate) refreshes_hints: bool,
    /// It asks again for code lenses where the editor supports it.
    pub(crate) refreshes_lenses: bool,
}

impl Client {
    pub(crate) fn new(params: InitializeParams) -> Self {
        let InitializeParams { capabilities, initialization_options, .. } = params;
        let ClientCapabilities { general, workspace, .. } = capabilities;
        let offered = general.and_then(|general| general.position_encodings);
        let (options, problem) = Options::given(initialization_options);
        let workspace = workspace.unwrap_or_default();
        Self {
            encoding: Encoding::negotiated(offered.as_deref()),
            options,
            problem,
            refreshes_hints: workspace.inlay_hint.and_then(|hint| hint.refresh_support).unwrap_or_default(),
            refreshes_lenses: workspace.code_lens.and_then(|lens| lens.refresh_support).unwrap_or_default(),
        }
    }

    /// What the server is able to do for this client.
    pub(crate) fn server_capabilities(&self) -> ServerCapabilities {
        ServerCapabilities {
            position_encoding: Some(self.encoding.kind()),
            text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::FULL),
                save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions { include_text: Some(false) })),
                ..TextDocumentSyncOptions::default()
            })),
            hover_provider: Some(HoverProviderCapability::Simple(true)),
            inlay_hint_provider: self.options.inlay_hints.then_some(OneOf::Left(true)),
            code_lens_provider: self.options.code_lenses.then_some(CodeLensOptions { resolve_provider: Some(false) }),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: vec![RUN.to_owned(), SHOW_DIFFERENCE.to_owned()],
                ..ExecuteCommandOptions::default()
            }),
            ..ServerCapabilities::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_checked_and_a_mistake_is_named() {
        let given = |text: &str| Options::given(Some(serde_json::from_str(text).expect("it is JSON")));
        assert_eq!(given("null"), (Options::default(), None));
        let (options, problem) = given(r#"{"runs": 8, "largeFile": 10}"#);
        assert_eq!((options.runs, options.large_file, problem), (8, 10, None));
        let problem = |text: &str| given(text).1.expect("it is refused");
        assert!(problem(r#"{"run": 8}"#).starts_with("initializationOptions: unknown field `run`, expected one of"));
        assert!(problem(r#"{"runs": 0}"#).contains("`runs` is 0"));
        assert!(problem(r#"{"time": 1e300}"#).contains("must be from 0.01 to 300"));
        assert!(problem("[]").contains("must be an object"));
    }
}
