//! Options that name a language model and say what it may cost, shared by the commands that ask one.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::json;
use surmise_advice::Advisor;
use surmise_engine::plan::PredictorChoice;
use surmise_llm::{Answer, Cache, Client, Endpoint, KEY_VARIABLE, Limits, LlmError, Prices, Question, Timeouts};

use super::numbers::{amount, probability, seconds};
use super::printer;
use super::refusal::Refusal;

impl From<LlmError> for Refusal {
    fn from(error: LlmError) -> Self {
        Self::new(&error, error.hint())
    }
}

/// Which language model is asked, and within which limits. Nothing is asked unless --llm-url is given.
#[derive(Args, Debug)]
#[group(id = "LlmOptions")]
#[command(next_help_heading = "Language model")]
pub(super) struct Options {
    /// Base address of an OpenAI-compatible server, such as `http://localhost:8080/v1`. A key that it wants is taken from
    /// the environment variable `SURMISE_LLM_KEY`.
    #[arg(long, value_name = "URL")]
    llm_url: Option<String>,
    /// Name of the model, as the server knows it.
    #[arg(long, value_name = "NAME", requires = "llm_url")]
    llm_model: Option<String>,
    /// Time limit for one answer, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0, value_parser = seconds)]
    llm_timeout: f64,
    /// Maximum number of requests, retries included.
    #[arg(long, value_name = "N", default_value_t = 16)]
    llm_requests: u32,
    /// Maximum number of tokens of questions and answers together.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    llm_tokens: u64,
    /// Maximum number of tokens of one answer.
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = clap::value_parser!(u32).range(1..))]
    llm_answer_tokens: u32,
    /// Price of a million tokens of questions, in any currency.
    #[arg(long, value_name = "PRICE", default_value_t = 0.0, value_parser = amount)]
    llm_price_input: f64,
    /// Price of a million tokens of answers.
    #[arg(long, value_name = "PRICE", default_value_t = 0.0, value_parser = amount)]
    llm_price_output: f64,
    /// Maximum cost by these prices.
    #[arg(long, value_name = "COST", value_parser = amount)]
    llm_cost: Option<f64>,
    /// Folder in which answers are kept, by question and model (default: `surmise/llm` in the user's cache folder).
    #[arg(long, value_name = "DIR")]
    llm_cache: Option<PathBuf>,
    /// Ask again what was answered before, and keep no answers.
    #[arg(long, conflicts_with = "llm_cache")]
    no_llm_cache: bool,
}

/// A language model that is asked for values.
#[derive(Args, Debug)]
#[group(id = "AdviceOptions")]
#[command(next_help_heading = "Language model")]
pub(super) struct Advising {
    #[command(flatten)]
    llm: Options,
    /// With --predictor model: ask the language model, once, about missing values of which the model is less sure than
    /// this probability, and only if lines were not reached or an error was raised.
    #[arg(long, value_name = "P", value_parser = probability, requires = "llm_url")]
    ask_when_unsure: Option<f32>,
}

impl Advising {
    /// Who is asked for values, if anybody is. In a batch, single retries are not noted.
    pub(super) fn advisor(&self, predictor: PredictorChoice, is_batch: bool) -> Result<Option<Advisor>, Refusal> {
        if predictor != PredictorChoice::Llm && self.ask_when_unsure.is_none() {
            return Ok(None);
        }
        if !matches!(predictor, PredictorChoice::Llm | PredictorChoice::Model) {
            let hint = "omit --ask-when-unsure, or use `--predictor model`";
            return Err(Refusal::new("only the model knows how sure it is of a value", hint));
        }
        let client = if is_batch { self.llm.quiet_client()? } else { self.llm.client()? };
        let answer_tokens = self.llm.llm_answer_tokens;
        Ok(Some(Advisor { client, when_unsure: self.ask_when_unsure, answer_tokens }))
    }

    /// What results depend on besides the snippets.
    pub(super) fn fingerprint(&self) -> String {
        match (&self.llm.llm_url, &self.llm.llm_model) {
            (Some(_), Some(model)) => format!(" llm={model} unsure={:?}", self.ask_when_unsure),
            _ => String::new(),
        }
    }
}

/// Asks a question of a command that is nothing without its answer. Without one, what was spent is printed all the same:
/// as JSON (schema surmise.unanswered/1) or as a note.
pub(super) fn ask(client: &Client, question: &Question, file: &str, is_json: bool) -> Result<Answer, Refusal> {
    client.ask(question).map_err(|error| {
        let spent = client.spent();
        if is_json {
            let document = json!({
                "schema": "surmise.unanswered/1",
                "file": file,
                "model": client.endpoint().model(),
                "failure": error.to_string(),
                "hint": error.hint(),
                "spent": spent,
            });
            printer::data(&format!("{document}\n"));
        } else if spent.requests > 0 {
            printer::note(&format!("spent: {spent}"));
        }
        Refusal::from(error)
    })
}

impl Options {
    /// Tokens of one answer at most.
    pub(super) fn answer_tokens(&self) -> u32 {
        self.llm_answer_tokens
    }

    /// A client for the model that the options name, which notes each retry.
    pub(super) fn client(&self) -> Result<Client, Refusal> {
        Ok(self.quiet_client()?.with_notice(|error, delay| {
            printer::note(&format!("{error}: asking again in {:.1} seconds", delay.as_secs_f64()));
        }))
    }

    /// A client for the model that the options name; what it may spend is printed.
    fn quiet_client(&self) -> Result<Client, Refusal> {
        let Some(url) = &self.llm_url else {
            return Err(Refusal::new("no language model was named", "give --llm-url and --llm-model"));
        };
        let Some(model) = &self.llm_model else {
            return Err(Refusal::new(
                "no language model was named",
                "give --llm-model the name of a model of the server",
            ));
        };
        let answer = Duration::from_secs_f64(self.llm_timeout);
        // A slow model reads a long question for minutes, which --llm-timeout allows for.
        let silence = (answer / 5).max(Timeouts::default().silence).min(answer);
        let timeouts = Timeouts { answer, silence, ..Timeouts::default() };
        let endpoint = Endpoint::new(url, model, std::env::var(KEY_VARIABLE).ok(), timeouts)?;
        let limits = Limits { requests: self.llm_requests, tokens: self.llm_tokens, cost: self.llm_cost };
        let prices = Prices { input: self.llm_price_input, output: self.llm_price_output };
        if self.llm_cost.is_some() && prices == Prices::default() {
            return Err(Refusal::new(
                "a maximum cost needs prices",
                "give --llm-price-input and --llm-price-output, per million tokens",
            ));
        }
        let cache = match &self.llm_cache {
            _ if self.no_llm_cache => None,
            Some(folder) => Some(Cache::new(folder.clone())),
            None => Cache::usual(),
        };
        printer::note(&format!("asking {model} at {}: {limits}", endpoint.url()));
        Ok(Client::new(endpoint, limits, prices, cache))
    }
}
