//! What a run depends on besides its source.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use crate::protocol::{Clocks, Drawing};
use surmise_project::Environment;
use surmise_value_model::classes::Concretization;
use surmise_value_model::{
    Cached, Frequency, Model, Naive, NoPredictions, Observed, Prediction, Predictor, Query, Random, Recorded,
};

/// Read once, when it is first asked.
static BUILT_IN: LazyLock<Cached<Model>> = LazyLock::new(|| Cached::new(Model::built_in()));

/// Predictor of missing values (`--predictor`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum PredictorChoice {
    /// Nothing is injected: the snippet runs as under plain Python.
    None,
    /// Always predicts an object, a stand-in that supports any operation.
    Naive,
    /// Predicts uniformly random classes, drawn by --seed.
    Random,
    /// Predicts the classes that were most frequent under the same name in real executions.
    Frequency,
    /// A neural network trained on real executions: the built-in one, or that of --model.
    #[default]
    Model,
    /// Answers with the values that one recorded call had (`surmise run --recorded`).
    #[value(skip)]
    Recorded,
    /// The same, and a language model (--llm-url) that is asked for values of what was missing in the runs.
    Llm,
}

impl PredictorChoice {
    /// True for predictors whose answers depend on weights or counts that were learned.
    #[must_use]
    pub fn has_weights(self) -> bool {
        matches!(self, Self::Frequency | Self::Model | Self::Llm)
    }

    /// True for predictors whose classes are the neural network's.
    #[must_use]
    pub fn is_model(self) -> bool {
        matches!(self, Self::Model | Self::Llm)
    }

    /// Reads the built-in model, if that will be asked, while the caller goes on with something else.
    pub fn read_ahead(self) {
        if self.is_model() {
            std::thread::spawn(|| LazyLock::force(&BUILT_IN));
        }
    }
}

/// What a run depends on besides its source.
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "switches that have nothing to do with each other")]
pub struct Settings {
    /// Who predicts.
    pub predictor: PredictorChoice,
    /// The model, if it is not the built-in one.
    pub model: Option<Arc<Cached<Model>>>,
    /// The call whose values the predictor `Recorded` has.
    pub recorded: Option<Arc<Recorded>>,
    /// Values of recorded runs, which go before what is predicted.
    pub observed: Option<Arc<Observed>>,
    /// How classes become values.
    pub values: Concretization,
    /// Seed of everything random.
    pub seed: u64,
    /// Wall-clock limit of one run.
    pub timeout: Duration,
    /// Runs at most; one is a single guided run.
    pub runs: u32,
    /// Wall-clock limit of all runs together.
    pub time: Duration,
    /// Call functions and methods that were defined and never called.
    pub harness_calls: bool,
    /// Look for errors, too, by runs on real values.
    pub probes: bool,
    /// Directories with real packages.
    pub python_path: Vec<PathBuf>,
    /// The Python environment whose packages can be imported, too.
    pub environment: Option<Arc<Environment>>,
    /// A file is the module that it is in its package, and a function runs in that module; else each is by itself.
    pub in_place: bool,
    /// Answer failing input and output.
    pub inject_io: bool,
    /// Standard input is all that the program gets: reading past its end fails as it would in Python.
    pub whole_input: bool,
    /// When virtual time begins, so that two programs see the same time.
    pub start: Option<Clocks>,
    /// Import what the source left out the import of, where it is of the standard library.
    pub inject_imports: bool,
    /// `sys.argv[1:]` of the program.
    pub args: Vec<String>,
    /// Call this function, which was cut out of its surroundings, after the module ran.
    pub function: Option<String>,
    /// Repeat the best run at the end and record what a script needs to give the same again.
    pub record: bool,
    /// Report what decides how plausible each run is.
    pub candidates: bool,
    /// Runs tell which parts of expressions were evaluated, too ([`surmise_instrument::Options::parts`]).
    pub parts: bool,
    /// Runs are compared with those of another version.
    pub drawing: Option<Drawing>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            predictor: PredictorChoice::default(),
            model: None,
            recorded: None,
            observed: None,
            values: Concretization::Fine,
            seed: 0,
            timeout: Duration::from_secs(10),
            runs: 64,
            time: Duration::from_secs(10),
            harness_calls: true,
            probes: false,
            python_path: Vec::new(),
            environment: None,
            in_place: false,
            inject_io: true,
            whole_input: false,
            start: None,
            inject_imports: true,
            args: Vec::new(),
            function: None,
            record: false,
            candidates: false,
            parts: false,
            drawing: None,
        }
    }
}

/// Sites that the model is asked for, half a second's worth; in larger sources frequencies answer for the others.
const MOST_ASKED: usize = 5000;

/// How likely a concrete value of the model has to be: of 0, 0.5, 0.7 and 0.9 the one with which single runs of functions
/// of the `dev` projects are real ones most often.
const LEAST: f32 = 0.7;

impl Settings {
    /// True if functions that nobody calls are called in the run of the module: where there are no other runs.
    #[must_use]
    pub fn makes_isolated_calls(&self) -> bool {
        self.harness_calls && self.runs == 1 && self.function.is_none() && self.drawing.is_none() && !self.record
    }

    /// True if one run is all that is made of a program.
    #[must_use]
    pub fn is_run_once(&self) -> bool {
        self.runs == 1 && !self.record
    }

    /// How likely a concrete value has to be. Only the model knows how sure it is.
    pub(super) fn least(&self) -> f32 {
        if self.predictor.is_model() { LEAST } else { 0.0 }
    }

    /// Ranked classes for queries of one source.
    pub(super) fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>> {
        match (self.predictor, &self.model) {
            (PredictorChoice::None, _) => NoPredictions.predict(queries),
            (PredictorChoice::Naive, _) => Naive.predict(queries),
            (PredictorChoice::Random, _) => Random { seed: self.seed }.predict(queries),
            (PredictorChoice::Frequency, _) => Frequency::built_in().predict(queries),
            (PredictorChoice::Recorded, _) => match &self.recorded {
                Some(recorded) => recorded.predict(queries),
                None => NoPredictions.predict(queries),
            },
            (PredictorChoice::Model | PredictorChoice::Llm, model) => {
                let (asked, rest) = queries.split_at(queries.len().min(MOST_ASKED));
                let mut answers = model.as_deref().unwrap_or_else(|| &BUILT_IN).predict(asked);
                answers.extend(Frequency::built_in().predict(rest));
                answers
            }
        }
    }
}
